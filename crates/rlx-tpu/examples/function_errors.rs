//! Measures the maximum errors of a plugin's functions compared with the evaluator in f64. The allowances of the
//! conformance table are based on these figures.
//!
//! `RLX_PJRT_PLUGIN=… cargo run --release -p rlx-tpu --example function_errors [SAMPLES [FUNCTION]]`
//!
//! For f32 and f64, it tries SAMPLES numbers (65536 by default) between -20 and 20, and the same number of all magnitudes. Subnormal
//! operands and results are left out. It prints the maximum error in units in the last place with its operand, and the
//! maximum if errors of results below 1 count as absolute.

#![allow(clippy::print_stdout)]

use rlx_compile::CompileOptions;
use rlx_conformance::stream::Stream;
use rlx_exec::Executable;
use rlx_ir::{Bindings, Builder, DType, Graph, Literal, Named, Shape, UnaryOp, Violations, eval};

use rlx_tpu::TpuBackend;
use std::error::Error;

/// What distinguishes the two formats.
struct Format {
    dtype: DType,
    epsilon: f64,
    min_normal: f64,
}

const FORMATS: [Format; 2] = [
    Format { dtype: DType::F32, epsilon: f32::EPSILON as f64, min_normal: f32::MIN_POSITIVE as f64 },
    Format { dtype: DType::F64, epsilon: f64::EPSILON, min_normal: f64::MIN_POSITIVE },
];

/// Numbers of a format, as f64.
fn samples(format: &Format, count: usize) -> Vec<f64> {
    let mut stream = Stream::new(1);
    let near = (0..count).map(|_| stream.uniform(-20.0, 20.0)).collect::<Vec<_>>();
    let any = (0..count).map(|_| match format.dtype {
        DType::F32 => f64::from(f32::from_bits(stream.bits() as u32)),
        _ => f64::from_bits(stream.bits()),
    });
    let all = near.into_iter().chain(any);
    let stored = all.map(|x| if format.dtype == DType::F32 { f64::from(x as f32) } else { x });
    stored.filter(|x| x.is_finite() && (*x == 0.0 || x.abs() >= format.min_normal)).collect()
}

/// The function on a vector of a format, with operand and result in f64.
fn graph(op: UnaryOp, format: &Format, count: usize) -> Result<Graph, Violations> {
    let b = Builder::new("f");
    let x = b.input("x", Shape::new(&[count], DType::F64));
    let y = x.convert(format.dtype).unary(op).convert(DType::F64);
    b.finish(&[&y])
}

/// The exact value, as far as f64 has it.
fn exact(op: UnaryOp, xs: &Literal) -> Result<Vec<f64>, Box<dyn Error>> {
    let b = Builder::new("f");
    let x = b.input("x", xs.shape().clone());
    let graph = b.finish(&[&x.unary(op)])?;
    Ok(eval(&graph, &[("x", xs)])?[0].as_slice::<f64>()?.to_vec())
}

/// Returns the maximum distances in units in the last place, both relative and with results below 1 taken as 1, with their operands.
fn worst(format: &Format, xs: &[f64], got: &[f64], want: &[f64]) -> [(f64, f64); 2] {
    let mut worst = [(0.0, 0.0); 2];
    for ((&x, &g), &w) in xs.iter().zip(got).zip(want) {
        if !w.is_finite()
            || w.abs() < format.min_normal
            || (format.dtype == DType::F32 && w.abs() > f64::from(f32::MAX))
        {
            continue;
        }
        for (least, worst) in [0.0, 1.0].into_iter().zip(&mut worst) {
            let place = w.abs().max(least).log2().floor().exp2() * format.epsilon;
            let error = (g - w).abs() / place;
            if error.is_nan() || error > worst.0 {
                *worst = (error, x);
            }
        }
    }
    worst
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let count = args.next().map_or(Ok(1 << 16), |text| text.parse::<usize>())?;
    let only = args.next();
    let backend = TpuBackend::new();
    for format in &FORMATS {
        let xs = samples(format, count);
        let operand = Literal::new(&[xs.len()], &xs)?;
        for &op in UnaryOp::VARIANTS.iter().filter(|op| op.accepts().contains(format.dtype)) {
            let name = op.name();
            if only.as_ref().is_some_and(|only| only != name) || op == UnaryOp::IsFinite {
                continue;
            }
            let graph = graph(op, format, xs.len())?;
            let compiled = rlx_exec::compile(&graph, &Bindings::new(), &backend, &CompileOptions::new());
            let mut executable: Box<dyn Executable> = compiled?.executable;
            executable.run_on_host(&[operand.bytes()])?;
            let got = Literal::from_bytes(operand.shape(), executable.output(0)?)?;
            let [(relative, at), (absolute, at_absolute)] =
                worst(format, &xs, got.as_slice::<f64>()?, &exact(op, &operand)?);
            println!(
                "{name} {}: {relative:.2} at {at:e}; absolute {absolute:.2} at {at_absolute:e}",
                format.dtype
            );
        }
    }
    Ok(())
}
