//! Factorizations and Fourier transforms.

use crate::{Work, nothing};
use peer_protocol::{Case, Problem, Value, numbers};
use rlx_ir::{Builder, DType, FftKind, Op, Shape, Tensor, TransposeOp};
use rlx_runtime::{CompileOptions, CpuOptions, Device, Session};
use std::path::Path;

/// Lines to transform together.
const LINES: usize = 64;

pub fn dense(case: &Case, data: &Path, threads: usize) -> Result<(Work, Value, Vec<f32>), Problem> {
    let (what, n) = (case.text("what").to_owned(), case.size("n")?);
    let kind = |kind| Op::Fft { kind, lengths: vec![n] };
    let lower = TransposeOp::None;
    // The op, its operands, and the result to report.
    let (op, dims, dtype, told) = match what.as_str() {
        "cholesky" => (Op::Cholesky { lower: true }, [n, n], DType::F64, 0),
        "lu" => (Op::Lu {}, [n, n], DType::F64, 0),
        "qr" => (Op::Qr { full_matrices: false }, [n, n], DType::F64, 1),
        "eigh" => (Op::Eigh { lower: true }, [n, n], DType::F64, 0),
        "svd" => (Op::Svd { full_matrices: false }, [n, n], DType::F64, 1),
        "triangular_solve" => {
            let op =
                Op::TriangularSolve { left_side: true, lower: true, unit_diagonal: false, transpose: lower };
            (op, [n, n], DType::F64, 0)
        }
        "fft" => (kind(FftKind::Fft), [LINES, n], DType::C128, 0),
        "fft-f32" => (kind(FftKind::Fft), [LINES, n], DType::C64, 0),
        "rfft" => (kind(FftKind::Rfft), [LINES, n], DType::F64, 0),
        _ => return case.unknown(),
    };
    let names: &[&str] = if what == "triangular_solve" { &["x", "b"] } else { &["x"] };
    let b = Builder::new(&what);
    let inputs: Vec<Tensor> = names.iter().map(|&name| b.input(name, Shape::new(&dims, dtype))).collect();
    let outputs = b.apply_many(op, &inputs.iter().collect::<Vec<_>>());
    let graph = b.finish(&outputs.iter().collect::<Vec<_>>())?;
    let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads));
    let mut program = Session::new(Device::Cpu).with_options(options).try_compile(graph)?;
    let mut values = Vec::new();
    for name in names {
        let list = numbers(&data.join(format!("dense-{what}-{n}-{name}.f32")), f32::from_le_bytes)?;
        values.push(match dtype.real() {
            DType::F32 => list.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>(),
            _ => list.iter().flat_map(|v| f64::from(*v).to_le_bytes()).collect(),
        });
    }
    let operands: Vec<(&str, &[u8], DType)> =
        names.iter().zip(&values).map(|(name, v)| (*name, &v[..], dtype)).collect();
    program.run_kept(&operands)?;
    let bytes = program.output_bytes(told);
    let mut output: Vec<f32> = match dtype.real() {
        DType::F32 => bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect(),
        _ => bytes.as_chunks::<8>().0.iter().map(|b| f64::from_le_bytes(*b) as f32).collect(),
    };
    if what == "qr" {
        output.iter_mut().for_each(|x| *x = x.abs());
    }
    let work: Work = Box::new(move || {
        let [x, rest @ ..] = &values[..] else { return Ok(()) };
        match rest {
            [] => program.run_kept(&[("x", x, dtype)])?,
            [b, ..] => program.run_kept(&[("x", x, dtype), ("b", b, dtype)])?,
        };
        Ok(())
    });
    Ok((work, nothing(), output))
}
