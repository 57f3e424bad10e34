//! Long windows over a line, in the form that imported JAX programs have.

use crate::{Work, nothing};
use peer_protocol::{Case, Problem, Value, numbers};
use rlx_ir::{Builder, ConvolutionSpec, DType, Op, ReduceOp, Shape, Tensor, WindowSpec};
use rlx_runtime::{CompileOptions, CpuOptions, Device, Session};
use std::path::Path;

const KERNEL: usize = 1000;
const SUM: usize = 500;

pub fn windows(case: &Case, data: &Path, threads: usize) -> Result<(Work, Value, Vec<f32>), Problem> {
    let (what, n) = (case.text("what").to_owned(), case.size("n")?);
    let (op, dims): (Op, &[&[usize]]) = match what.as_str() {
        "convolve" => (convolution(), &[&[1, 1, n], &[1, 1, KERNEL]]),
        "moving sum" => {
            let spec = WindowSpec::plain(&[SUM]);
            (Op::ReduceWindow { kind: ReduceOp::Sum, spec }, &[&[n]])
        }
        "cumlogsumexp" => {
            (Op::Cumulative { op: ReduceOp::LogSumExp, axis: 0, exclusive: false, reverse: false }, &[&[n]])
        }
        _ => return case.unknown(),
    };
    let names = &["x", "k"][..dims.len()];
    let b = Builder::new("window");
    let shapes = dims.iter().map(|dims| Shape::new(dims, DType::F32));
    let inputs: Vec<Tensor> = names.iter().zip(shapes).map(|(&name, shape)| b.input(name, shape)).collect();
    let y = inputs[0].apply(op, &inputs[1..].iter().collect::<Vec<_>>());
    let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads));
    let mut program = Session::new(Device::Cpu).with_options(options).try_compile(b.finish(&[&y])?)?;
    let mut values: Vec<Vec<u8>> = Vec::new();
    for name in names {
        let list = numbers(&data.join(format!("window-{what}-{n}-{name}.f32")), f32::from_le_bytes)?;
        values.push(list.iter().flat_map(|v| v.to_le_bytes()).collect());
    }
    let operands: Vec<(&str, &[u8], DType)> =
        names.iter().zip(&values).map(|(name, v)| (*name, &v[..], DType::F32)).collect();
    program.run_kept(&operands)?;
    let bytes = program.output_bytes(0);
    let output = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let work: Work = Box::new(move || {
        match &values[..] {
            [x, k] => program.run_kept(&[("x", x, DType::F32), ("k", k, DType::F32)])?,
            [x, ..] => program.run_kept(&[("x", x, DType::F32)])?,
            [] => return Ok(()),
        };
        Ok(())
    });
    Ok((work, nothing(), output))
}

/// `jnp.convolve(x, k, "same")`: the kernel is reversed.
fn convolution() -> Op {
    let spec = ConvolutionSpec {
        low: vec![KERNEL as i64 / 2],
        high: vec![(KERNEL as i64 - 1) / 2],
        reversal: vec![true],
        ..ConvolutionSpec::plain(1)
    };
    Op::Convolution { spec, dtype: None }
}
