//! Incomplete functions of many numbers at once, with parameters of many orders of magnitude. Elements need different numbers of
//! steps, and must not affect each other.

use crate::expanded::expand_all;
use rlx_ir::{BinaryOp, Builder, DType, Literal, Op, Shape, Tensor};

/// Elements of a tensor.
const COUNT: usize = 600;

/// Pseudorandom numbers in [0, 1), one stream per seed.
fn noise(seed: u64, i: usize) -> f64 {
    let mut x = seed.wrapping_mul(0xD1B5_4A32_D192_ED03) ^ (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((x ^ (x >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

/// An approximately normally distributed number.
fn bell(seed: u64, i: usize) -> f64 {
    (0..6).map(|k| noise(seed + 10 * k, i)).sum::<f64>() - 3.0
}

fn rounded(x: f64, dtype: DType) -> f64 {
    if dtype == DType::F64 { x } else { f64::from(x as f32) }
}

fn literal(values: &[f64], dtype: DType) -> Literal {
    let literal = match dtype {
        DType::F64 => Literal::new(&[values.len()], values),
        _ => Literal::new(&[values.len()], &values.iter().map(|&x| x as f32).collect::<Vec<_>>()),
    };
    literal.expect("a vector")
}

fn numbers(x: &Literal) -> Vec<f64> {
    match x.dtype() {
        DType::F64 => x.as_slice::<f64>().expect("f64").to_vec(),
        _ => x.as_slice::<f32>().expect("f32").iter().map(|&x| f64::from(x)).collect(),
    }
}

/// Compares the expanded op on these operands with the exact function, in units of rounding of a result of at least 1e-3.
fn hold(op: &Op, operands: &[Vec<f64>], dtype: DType, units: f64, exact: impl Fn(&[f64]) -> f64) {
    let b = Builder::new("t");
    let shape = Shape::new(&[COUNT], dtype);
    let named: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let inputs: Vec<Tensor> = named.iter().map(|n| b.input(n, shape.clone())).collect();
    let result = b.apply(op.clone(), &inputs.iter().collect::<Vec<_>>());
    let graph = expand_all(&b.finish(&[&result]).expect("valid"), 0).expect("expands");
    let literals: Vec<Literal> = operands.iter().map(|x| literal(x, dtype)).collect();
    let given: Vec<(&str, &Literal)> = named.iter().map(String::as_str).zip(&literals).collect();
    let got = numbers(&rlx_ir::eval(&graph, &given).expect("runs")[0]);
    let eps = if dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    for (i, got) in got.iter().enumerate() {
        let at: Vec<f64> = operands.iter().map(|x| x[i]).collect();
        let want = exact(&at);
        let error = (got - want).abs() / want.abs().max(1e-3) / eps;
        assert!(error <= units, "{op:?} {dtype} at {at:?}: {got}, expected {want}: {error} units");
    }
}

/// What the conformance table allows, in units of rounding; wide parameters in f64 may take twice that.
const UNITS: [(DType, f64); 2] = [(DType::F32, 128.0), (DType::F64, 256.0)];

#[test]
fn incomplete_gamma_functions_of_wide_parameters() {
    for (dtype, units) in UNITS {
        let a = |i| rounded(10f64.powf(8.0 * noise(1, i) - 3.0), dtype);
        let x = |i| rounded(a(i) * (bell(2, i) / a(i).max(1.0).sqrt()).exp(), dtype);
        let operands = [(0..COUNT).map(a).collect(), (0..COUNT).map(x).collect()];
        let (lower, upper) = (Op::Binary { op: BinaryOp::Igamma }, Op::Binary { op: BinaryOp::Igammac });
        hold(&lower, &operands, dtype, units, |at| rlx_ir::math::igamma(at[0], at[1]));
        hold(&upper, &operands, dtype, units, |at| rlx_ir::math::igammac(at[0], at[1]));
    }
}

#[test]
fn incomplete_beta_function_of_wide_parameters() {
    for (dtype, units) in UNITS {
        let a = |i| rounded(10f64.powf(6.0 * noise(3, i) - 1.0), dtype);
        let b = |i| rounded(10f64.powf(6.0 * noise(4, i) - 1.0), dtype);
        let x = |i: usize| {
            let (a, b) = (a(i), b(i));
            let mean = a / (a + b);
            let deviation = (mean * (1.0 - mean) / (a + b + 1.0)).sqrt();
            rounded((mean + 1.5 * bell(5, i) * deviation).clamp(1e-6, 1.0 - 1e-6), dtype)
        };
        let operands =
            [(0..COUNT).map(a).collect(), (0..COUNT).map(b).collect(), (0..COUNT).map(x).collect()];
        hold(&Op::Betainc {}, &operands, dtype, units, |at| rlx_ir::math::betainc(at[0], at[1], at[2]));
    }
}
