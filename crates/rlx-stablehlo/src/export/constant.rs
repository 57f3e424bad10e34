//! Writes constants: `dense<…>` with the exact bits of the elements.

use rlx_ir::eval::Scalar;
use rlx_ir::{Class, DType, Literal};
use std::fmt::Write;

/// Constants of at most this many elements are written as numbers, larger ones as bytes in hexadecimal.
const READABLE_ELEMENTS: usize = 32;

/// Returns the text between `dense<` and `>`.
pub(super) fn dense(literal: &Literal) -> String {
    let (dtype, size) = (literal.dtype(), literal.dtype().size());
    let bytes = literal.bytes();
    if literal.is_empty() {
        return String::new();
    }
    let (first, rest) = bytes.split_at(size);
    if rest.chunks_exact(size).all(|element| element == first) {
        return number(dtype, first);
    }
    // Versions of MLIR differ in whether the hexadecimal form packs booleans into bits.
    if literal.len() <= READABLE_ELEMENTS || dtype == DType::Bool {
        let numbers: Vec<String> = bytes.chunks_exact(size).map(|element| number(dtype, element)).collect();
        return nested(&numbers, &literal.dims());
    }
    let mut text = String::with_capacity(2 * bytes.len() + 4);
    text.push_str("\"0x");
    for byte in bytes {
        // INVARIANT: writing to a String does not fail.
        let _ = write!(text, "{byte:02X}");
    }
    text.push('"');
    text
}

fn nested(numbers: &[String], dims: &[usize]) -> String {
    match dims {
        [] => numbers.concat(),
        [_] => format!("[{}]", numbers.join(", ")),
        [n, inner @ ..] => {
            let rows = numbers.chunks(numbers.len() / n).map(|row| nested(row, inner));
            format!("[{}]", rows.collect::<Vec<_>>().join(", "))
        }
    }
}

fn number(dtype: DType, bytes: &[u8]) -> String {
    match (dtype.class(), Scalar::read(dtype, bytes)) {
        (Class::Complex, _) => {
            let (re, im) = bytes.split_at(bytes.len() / 2);
            format!("({}, {})", number(dtype.real(), re), number(dtype.real(), im))
        }
        (Class::Bool, scalar) => if scalar == Scalar::Int(1) { "true" } else { "false" }.into(),
        (_, Scalar::Int(x)) => x.to_string(),
        (_, scalar) => float(dtype, scalar.to_f64(), bytes),
    }
}

/// Writes a float as a decimal number if reading it as f64 and rounding it gives the same bits, and as its bits otherwise.
fn float(dtype: DType, x: f64, bytes: &[u8]) -> String {
    let short = if dtype == DType::F64 { format!("{x:?}") } else { format!("{:?}", x as f32) };
    let mut read = Vec::with_capacity(8);
    if let Ok(value) = short.parse() {
        Scalar::Float(value).write(dtype, &mut read);
    }
    if x.is_finite() && read == bytes {
        // MLIR requires a decimal point before the exponent.
        return match short.split_once('e') {
            Some((mantissa, exponent)) if !mantissa.contains('.') => format!("{mantissa}.0e{exponent}"),
            _ => short,
        };
    }
    let digits: Vec<String> = bytes.iter().rev().map(|byte| format!("{byte:02X}")).collect();
    format!("0x{}", digits.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::Shape;

    #[test]
    fn numbers_keep_their_bits() {
        let text = |x: f32| dense(&Literal::scalar(x));
        assert_eq!(text(0.1), "0.1");
        assert_eq!(text(-0.0), "-0.0");
        assert_eq!(text(1e30), "1.0e30");
        assert_eq!(text(f32::NEG_INFINITY), "0xFF800000");
        assert_eq!(text(f32::from_bits(0x7fc0_1234)), "0x7FC01234");
        assert_eq!(dense(&Literal::scalar([1f32, -2.5])), "(1.0, -2.5)");
        assert_eq!(dense(&Literal::scalar(u64::MAX)), "18446744073709551615");
    }

    #[test]
    fn tensors_are_splats_nested_lists_or_bytes() {
        let ints =
            |dims: &[usize], data: &[i32]| dense(&Literal::new(dims, data).expect("as many as the dims say"));
        assert_eq!(ints(&[2, 2], &[7; 4]), "7");
        assert_eq!(ints(&[2, 2], &[1, 2, 3, 4]), "[[1, 2], [3, 4]]");
        assert_eq!(ints(&[0, 3], &[]), "");
        let bytes: Vec<u8> = (0..40).collect();
        let many = Literal::from_bytes(&Shape::new(&[40], DType::U8), &bytes).expect("40 bytes");
        assert!(dense(&many).starts_with("\"0x00010203"));
    }
}
