//! Random tensors for inputs and parameters, determined by seed, type and shape.

use rlx_driver::machine_memory;
use rlx_ir::Scalar;
use rlx_ir::math::complex::Complex64;
use rlx_ir::math::random::SplitMix64;
use rlx_ir::{Bindings, Class, Literal, Shape};

/// Exclusive upper bound of random integers: small enough to index most tables.
const INTEGERS: usize = 10;

/// A tensor of the declared type and shape: floats from the standard normal distribution, integers from 0 to 9, or
/// booleans that are true half of the time.
pub fn fill(declared: &Shape, sizes: &Bindings, seed: u64) -> Result<Literal, String> {
    let shape = declared.eval(sizes).map_err(|e| {
        let unknown: Vec<String> = declared.symbols().iter().map(|s| format!("--dim {s}=SIZE")).collect();
        format!("random numbers of shape {declared} need its sizes: {e} ({})", unknown.join(" "))
    })?;
    let too_many = || format!("{shape} is too large for this machine's memory");
    let (count, length) = shape.num_elements().zip(shape.num_bytes()).ok_or_else(too_many)?;
    if machine_memory().is_some_and(|memory| length as u64 > memory.0) {
        return Err(too_many());
    }
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(|_| too_many())?;
    let mut random = SplitMix64::new(seed);
    for _ in 0..count {
        let number = match shape.dtype().class() {
            Class::Float => Scalar::Float(random.normal()),
            Class::Complex => Scalar::Complex(Complex64 { re: random.normal(), im: random.normal() }),
            Class::Signed | Class::Unsigned => Scalar::Int(random.below(INTEGERS) as i128),
            Class::Bool => Scalar::Int(random.below(2) as i128),
        };
        number.write(shape.dtype(), &mut bytes);
    }
    Literal::from_bytes(&shape, &bytes).map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::{DType, Dim, Symbol};

    #[test]
    fn a_seed_says_all() {
        let shape = Shape::new(&[3, 50], DType::F32);
        let fill = |seed| fill(&shape, &Bindings::new(), seed).unwrap();
        assert_eq!(fill(1), fill(1));
        assert_ne!(fill(1), fill(2));
        let values = fill(0);
        let mean = values.as_slice::<f32>().unwrap().iter().sum::<f32>() / 150.0;
        assert!(mean.abs() < 0.5, "{mean}");
    }

    #[test]
    fn every_type_is_filled_with_what_it_holds() {
        for dtype in DType::ALL {
            assert_eq!(fill(&Shape::new(&[4], dtype), &Bindings::new(), 3).unwrap().len(), 4, "{dtype}");
        }
        let ints = fill(&Shape::new(&[500], DType::I32), &Bindings::new(), 3).unwrap();
        let ints = ints.as_slice::<i32>().unwrap();
        assert_eq!((ints.iter().min(), ints.iter().max()), (Some(&0), Some(&9)));
    }

    #[test]
    fn sizes_must_be_known_and_possible() {
        let shape = Shape::from_dims(&[Dim::dynamic("batch"), 2.into()], DType::F32);
        let error = fill(&shape, &Bindings::new(), 0).unwrap_err();
        assert!(error.contains("--dim batch=SIZE"), "{error}");
        let sizes = Bindings::from([(Symbol::new("batch"), 3)]);
        assert_eq!(fill(&shape, &sizes, 0).unwrap().dims(), [3, 2]);
        let large = Shape::new(&[1 << 40, 1 << 20], DType::F32);
        assert!(fill(&large, &Bindings::new(), 0).unwrap_err().contains("too large"));
    }
}
