//! Operand data: makes a tensor from a description, a shape and a stream. Knows element types, but no ops.

use crate::stream::Stream;
use rlx_ir::eval::Scalar;
use rlx_ir::math::Complex64;
use rlx_ir::{Class, DType, FloatFormat, Literal, LiteralError, Shape};

/// How the elements of an operand are chosen. Each description works for every element type: integers truncate and
/// saturate, booleans use the lowest bit, and complex numbers draw each part.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Gen {
    /// Uniform in a range.
    Uniform(f64, f64),
    /// Uniform integers in a range, including its ends.
    Ints(i64, i64),
    /// Uniform multiples of 1/4 in a range, including its ends. Sums and products of a few are exact in most types.
    Quarters(i64, i64),
    /// The special values of the type in turn: signed zeros, infinities, NaN, subnormals, extremes, ties.
    Special,
    /// Corner values, each repeated, so that every pair occurs together with [`Gen::Right`].
    Left,
    /// Corner values in turn.
    Right,
    /// These values in turn.
    Values(&'static [f64]),
    /// Different numbers around 0, as far as the type has them, in random order.
    Distinct,
    /// Random bits: any value of the type, including NaN payloads.
    Bits,
    /// Positive definite matrices over the last two axes, with a condition number below about 10.
    PositiveDefinite,
}

/// The limits of a float format.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of significant bits, including the hidden one.
    pub digits: i32,
    /// The smallest positive normal number.
    pub min_normal: f64,
    /// The smallest positive number.
    pub min_subnormal: f64,
    /// The largest finite number.
    pub max: f64,
}

impl Limits {
    /// Returns the limits of a float type or of the parts of a complex type. For other types they are those of `F64`.
    pub fn of(dtype: DType) -> Limits {
        let format = FloatFormat::of(dtype).unwrap_or(FloatFormat::F64);
        Limits {
            digits: format.mantissa_bits as i32 + 1,
            min_normal: format.min_normal(),
            min_subnormal: format.min_subnormal(),
            max: format.max(),
        }
    }

    /// Returns the distance from 1 to the next larger number.
    pub fn epsilon(self) -> f64 {
        2f64.powi(1 - self.digits)
    }
}

impl Gen {
    /// Makes a tensor with this description. `shape` must be static.
    pub fn literal(self, shape: &Shape, stream: &mut Stream) -> Result<Literal, LiteralError> {
        let n = shape.num_elements().ok_or_else(|| LiteralError::NoStaticSize(shape.clone()))?;
        let dtype = shape.dtype();
        let mut bytes = Vec::with_capacity(n * dtype.size());
        match self {
            Gen::Bits => (0..n * dtype.size()).for_each(|_| bytes.push(stream.bits() as u8)),
            Gen::PositiveDefinite => {
                let dims = shape.static_dims().unwrap_or_default();
                positive_definite(&dims, dtype, stream).iter().for_each(|x| x.write(dtype, &mut bytes));
            }
            Gen::Distinct => {
                let half = (n / 2) as i128;
                for i in stream.permutation(n) {
                    element(dtype, |_| Scalar::Int(i as i128 - half)).write(dtype, &mut bytes);
                }
            }
            _ => (0..n).for_each(|i| self.element(dtype, i, stream).write(dtype, &mut bytes)),
        }
        Literal::from_bytes(shape, &bytes)
    }

    fn element(self, dtype: DType, i: usize, stream: &mut Stream) -> Scalar {
        let cycle = |list: Vec<Scalar>, i: usize| list[i % list.len()];
        match self {
            Gen::Uniform(low, high) => element(dtype, |_| Scalar::Float(stream.uniform(low, high))),
            Gen::Ints(low, high) => element(dtype, |_| Scalar::Int(i128::from(stream.integer(low, high)))),
            Gen::Quarters(low, high) => {
                element(dtype, |_| Scalar::Float(stream.integer(4 * low, 4 * high) as f64 / 4.0))
            }
            Gen::Special => cycle(specials(dtype), i),
            Gen::Left => {
                let list = corners(dtype);
                list[i / list.len() % list.len()]
            }
            Gen::Right => cycle(corners(dtype), i),
            Gen::Values(list) => element(dtype, |part| Scalar::Float(list[(i + part) % list.len()])),
            // Descriptions of whole tensors have been handled above.
            Gen::Distinct | Gen::Bits | Gen::PositiveDefinite => Scalar::Int(0),
        }
    }
}

/// Makes an element of type `dtype` from the parts that `draw` returns: two for a complex number, otherwise one.
fn element(dtype: DType, mut draw: impl FnMut(usize) -> Scalar) -> Scalar {
    match dtype.class() {
        Class::Complex => Scalar::Complex(Complex64 { re: draw(0).to_f64(), im: draw(1).to_f64() }),
        Class::Float => Scalar::Float(draw(0).to_f64()),
        Class::Bool => Scalar::Int(match draw(0) {
            Scalar::Int(x) => x & 1,
            other => (other.to_f64().floor() as i128) & 1,
        }),
        Class::Signed | Class::Unsigned => {
            let (low, high) = dtype.int_range().unwrap_or((0, 0));
            let x = match draw(0) {
                Scalar::Int(x) => x,
                other => other.to_f64() as i128,
            };
            Scalar::Int(x.clamp(low, high))
        }
    }
}

/// Returns values at which functions of the type tend to go wrong, and a few ordinary ones.
pub fn specials(dtype: DType) -> Vec<Scalar> {
    let limits = Limits::of(dtype);
    match dtype.class() {
        Class::Float => {
            let eps = limits.epsilon();
            let positive = [
                0.0,
                1.0,
                0.5,
                1.5,
                2.5,
                2.0,
                3.0,
                f64::INFINITY,
                limits.min_subnormal,
                limits.min_normal - limits.min_subnormal,
                limits.min_normal,
                limits.max,
                1.0 + eps,
                1.0 - eps / 2.0,
                0.5 - eps / 4.0,
                limits.max.sqrt(),
                limits.min_normal.sqrt(),
                std::f64::consts::FRAC_PI_2,
                eps,
                (2.0 / eps).min(limits.max / 2.0) + 1.0,
                0.1,
                10.0,
            ];
            let both = positive.into_iter().flat_map(|x| [x, -x]);
            both.chain([f64::NAN]).map(Scalar::Float).collect()
        }
        Class::Complex => complex_points(),
        Class::Bool => vec![Scalar::Int(0), Scalar::Int(1), Scalar::Int(1)],
        Class::Signed | Class::Unsigned => {
            let (low, high) = dtype.int_range().unwrap_or((0, 0));
            let list =
                [0, 1, -1, 2, -2, 3, 7, -8, 100, -100, low, high, low + 1, high - 1, high / 2, high / 2 + 1];
            list.into_iter().filter(|x| (low..=high).contains(x)).map(Scalar::Int).collect()
        }
    }
}

/// Returns the values for which a function of two operands is tried on every pair.
pub fn corners(dtype: DType) -> Vec<Scalar> {
    let limits = Limits::of(dtype);
    match dtype.class() {
        Class::Float => {
            let list = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                -2.0,
                3.0,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                limits.min_normal,
                -limits.min_subnormal,
                limits.max,
                -limits.max,
                -2.5,
            ];
            list.into_iter().map(Scalar::Float).collect()
        }
        Class::Signed | Class::Unsigned => {
            let (low, high) = dtype.int_range().unwrap_or((0, 0));
            let width = i128::from(dtype.bits());
            let list = [0, 1, -1, 2, 3, -3, 5, low, low + 1, high, high - 1, width - 1, width, width + 1];
            let mut kept: Vec<i128> = list.into_iter().filter(|x| (low..=high).contains(x)).collect();
            kept.sort_unstable();
            kept.dedup();
            kept.into_iter().map(Scalar::Int).collect()
        }
        Class::Bool | Class::Complex => specials(dtype),
    }
}

/// Returns finite points on and off the axes, with zeros of both signs.
fn complex_points() -> Vec<Scalar> {
    let points = [
        (0.0, 0.0),
        (1.0, 0.0),
        (-1.0, 0.0),
        (0.0, 1.0),
        (0.0, -1.0),
        (0.5, 0.25),
        (-0.75, 1.5),
        (3.0, -4.0),
        (-2.0, -0.125),
        (1.0, 1e-3),
        (1e-3, 2.0),
        (-5.0, 6.0),
    ];
    points.map(|(re, im)| Scalar::Complex(Complex64 { re, im })).to_vec()
}

/// Returns B·Bᴴ/n + 1 with B uniform in [−1, 1], for each matrix in the last two axes.
fn positive_definite(dims: &[usize], dtype: DType, stream: &mut Stream) -> Vec<Scalar> {
    let n = dims.last().copied().unwrap_or(0);
    let count: usize = dims.iter().product();
    let matrices = if n == 0 { 0 } else { count / (n * n) };
    let mut out = Vec::with_capacity(count);
    for _ in 0..matrices {
        let mut part = |complex: bool| if complex { stream.uniform(-1.0, 1.0) } else { 0.0 };
        let complex = dtype.is_complex();
        let b: Vec<(f64, f64)> = (0..n * n).map(|_| (part(true), part(complex))).collect();
        for i in 0..n {
            for j in 0..n {
                let mut sum = (f64::from(u8::from(i == j)), 0.0);
                for k in 0..n {
                    let (x, y) = (b[i * n + k], b[j * n + k]);
                    sum.0 += (x.0 * y.0 + x.1 * y.1) / n as f64;
                    sum.1 += (x.1 * y.0 - x.0 * y.1) / n as f64;
                }
                out.push(element(dtype, |p| Scalar::Float(if p == 0 { sum.0 } else { sum.1 })));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_that_rounding_shows() {
        for dtype in [DType::F64, DType::F32, DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2] {
            let limits = Limits::of(dtype);
            let round = |x: f64| Scalar::Float(x).convert(dtype).to_f64();
            for x in [limits.min_normal, limits.min_subnormal, limits.max, 1.0 + limits.epsilon()] {
                assert_eq!(round(x), x, "{dtype}");
            }
            assert_eq!(round(1.0 + limits.epsilon() / 2.0), 1.0, "{dtype}");
            assert_eq!(round(limits.min_subnormal / 2.0), 0.0, "{dtype}");
            assert!(!round(limits.max * (1.0 + limits.epsilon())).is_finite(), "{dtype}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes() {
        let shape = Shape::new(&[3, 4], DType::BF16);
        for data in [Gen::Uniform(-1.0, 1.0), Gen::Bits, Gen::Distinct, Gen::Special] {
            let make = || data.literal(&shape, &mut Stream::new(5)).expect("a static shape");
            assert_eq!(make(), make());
        }
    }

    #[test]
    fn indices_outside_a_type_saturate() {
        let shape = Shape::new(&[64], DType::U8);
        let literal = Gen::Ints(-5, -1).literal(&shape, &mut Stream::new(1)).expect("a static shape");
        assert!(literal.bytes().iter().all(|&b| b == 0));
    }
}
