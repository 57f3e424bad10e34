//! Relative errors of sums of very many terms of one sign, equal ones and numbers in 0..1: `cargo run --release -p rlx-cpu --example long_sums
//! [terms]`.

#![allow(clippy::print_stdout)]

use rlx_compile::{CompileOptions, Param};
use rlx_cpu::CpuBackend;
use rlx_exec::compile;
use rlx_ir::math::random::SplitMix64;
use rlx_ir::{Bindings, Builder, DType, Literal, QuantScheme, ReduceOp, Scalar, Tensor};
use std::ops::Range;
use std::sync::Arc;

/// Values that have a scale together in Q8_0, and the bytes of that and of them.
const BLOCK: usize = 32;
const BLOCK_BYTES: usize = 34;

fn main() {
    let terms = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(20_000_000usize);
    let k = terms.next_multiple_of(BLOCK);
    println!("{k} terms");
    let mut random = SplitMix64::new(1);
    let equal = [vec![0.1f32; k], vec![0.1f32; k]];
    let uniform = [(); 2].map(|()| (0..k).map(|_| random.unit() as f32).collect::<Vec<f32>>());
    for (name, [x, y]) in [("equal", equal), ("0..1", uniform)] {
        let report = |what: &str, error: f64| {
            println!("{name:<6} {what:<24} {error:.1e} = {:.1} · 2⁻²⁴", error * 2f64.powi(24));
        };
        products(&x, &y, &report);
        packed_product(&x, &y, &report);
        rows(&x, &report);
    }
}

/// Matrices all of whose rows and columns are these.
fn products(x: &[f32], y: &[f32], report: &dyn Fn(&str, f64)) {
    let k = x.len();
    let expected = exact(x.iter().zip(y).map(|(&x, &y)| f64::from(x) * f64::from(y)));
    for n in [1, 4] {
        let rows = Literal::new(&[n, k], &x.repeat(n)).expect("a row n times");
        let columns: Vec<f32> = y.iter().flat_map(|&y| std::iter::repeat_n(y, n)).collect();
        let columns = Literal::new(&[k, n], &columns).expect("a column n times");
        let error = error(&[&rows, &columns], None, 0..n * n, expected, |x| x[0].matmul(&x[1]));
        report(&format!("product [{n},k]·[k,{n}]"), error);
    }
}

/// The product of a row with weights in Q8_0. The row is of whole numbers up to 127, which are the bytes that it is rounded to.
fn packed_product(x: &[f32], weights: &[f32], report: &dyn Fn(&str, f64)) {
    let k = x.len();
    let largest = x.iter().copied().fold(0.0, f32::max);
    let whole = |(i, &x): (usize, &f32)| if i % BLOCK == 0 { 127.0 } else { (x / largest * 127.0).round() };
    let row: Vec<f32> = x.iter().enumerate().map(whole).collect();
    let scheme = QuantScheme::Q8_0;
    let blocks = scheme.quantize(weights, None).expect("finite numbers in whole blocks");
    let terms = blocks.chunks_exact(BLOCK_BYTES).zip(row.chunks_exact(BLOCK)).flat_map(|(block, x)| {
        let scale = Scalar::read(DType::F16, block).to_f64();
        let values =
            block[BLOCK_BYTES - BLOCK..].iter().map(move |&byte| scale * f64::from(byte.cast_signed()));
        values.zip(x).map(|(weight, &x)| weight * f64::from(x))
    });
    let expected = exact(terms);
    let row = Literal::new(&[1, k], &row).expect("a row");
    let blocks = Literal::new(&[1, blocks.len()], &blocks).expect("rows of blocks");
    let error = error(&[&row], Some(&blocks), 0..1, expected, |x| x[0].rounded_dequant_matmul(&x[1], scheme));
    report("product with Q8_0", error);
}

/// Reductions of a row, and what is made of a row with them.
fn rows(x: &[f32], report: &dyn Fn(&str, f64)) {
    let (k, first) = (x.len(), f64::from(x[0]));
    let of = |function: &dyn Fn(f64) -> f64| exact(x.iter().map(|&x| function(f64::from(x))));
    let largest = f64::from(x.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    let sum = of(&|x| x);
    let mean = sum / k as f64;
    let variance = of(&|x| (x - mean) * (x - mean)) / k as f64;
    let exponentials = of(&|x| (x - largest).exp());
    let row = Literal::new(&[1, k], x).expect("a row");
    let check = |what: &str, elements: Range<usize>, expected: f64, body: &dyn Fn(&Tensor) -> Tensor| {
        report(what, error(&[&row], None, elements, expected, |x| body(&x[0])));
    };
    check("sum", 0..1, sum, &|x| x.reduce(ReduceOp::Sum, &[1], false));
    check("mean", 0..1, mean, &|x| x.mean(&[1], false));
    check("cumulative sum", k - 1..k, sum, &|x| x.cumsum(1));
    let root = (of(&|x| x * x) / k as f64).sqrt();
    check("RMS norm", 0..1, first / root, &|x| x.rms_norm(1, 0.0, None));
    if variance > 0.0 {
        let expected = (first - mean) / variance.sqrt();
        check("layer norm", 0..1, expected, &|x| x.layer_norm(1, 0.0, None, None));
    }
    check("softmax", 0..1, (first - largest).exp() / exponentials, &|x| x.softmax(1));
    check("log of the sum of e^x", 0..1, largest + exponentials.ln(), &|x| x.logsumexp(&[1], false));
}

/// The largest relative error of these elements of a result, which are all to be the same.
fn error(
    operands: &[&Literal],
    param: Option<&Literal>,
    elements: Range<usize>,
    expected: f64,
    body: impl FnOnce(&[Tensor]) -> Tensor,
) -> f64 {
    let b = Builder::new("long sum");
    let inputs = operands.iter().enumerate().map(|(i, x)| b.input(format!("x{i}"), x.shape().clone()));
    let mut tensors: Vec<Tensor> = inputs.collect();
    tensors.extend(param.map(|x| b.param("w", x.shape().clone())));
    let graph = b.finish(&[&body(&tensors)]).expect("a valid graph");
    let compiled = compile(&graph, &Bindings::new(), &CpuBackend, &CompileOptions::new());
    let mut executable = compiled.expect("the backend takes every op").executable;
    if let Some(param) = param {
        executable.set_param(0, Param::new(Arc::new(param.clone())));
    }
    let bytes: Vec<&[u8]> = operands.iter().map(|x| x.bytes()).collect();
    executable.run_on_host(&bytes).expect("runs");
    let output = executable.output(0).expect("one output");
    let errors = output.chunks_exact(size_of::<f32>()).map(|x| {
        let x = Scalar::read(DType::F32, x).to_f64();
        if x.is_nan() { f64::INFINITY } else { (x / expected - 1.0).abs() }
    });
    errors.skip(elements.start).take(elements.len()).fold(0.0, f64::max)
}

/// A sum in f64, with the rounding errors of its additions (Kahan, 1965).
fn exact(terms: impl Iterator<Item = f64>) -> f64 {
    let (sum, _) = terms.fold((0.0, 0.0), |(sum, low): (f64, f64), x| {
        let x = x - low;
        let next = sum + x;
        (next, (next - sum) - x)
    });
    sum
}
