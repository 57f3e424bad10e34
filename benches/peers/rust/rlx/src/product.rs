//! A matrix product with constant weights, plain or with bias and GELU.

use crate::{Work, nothing};
use peer_protocol::{Case, Problem, Value};
use rlx_ir::{Builder, DType, Shape};
use rlx_runtime::{CompileOptions, CpuOptions, Device, Session};
use std::path::Path;

pub fn product(case: &Case, data: &Path, threads: usize) -> Result<(Work, Value, Vec<f32>), Problem> {
    let ([m, k, n], [x, w, bias]) = case.product(data)?;
    let epilogue = case.flag("epilogue");
    let b = Builder::new("product");
    let input = b.input("x", Shape::new(&[m, k], DType::F32));
    let mut y = input.matmul(&b.param("w", Shape::new(&[k, n], DType::F32)));
    if epilogue {
        y = (y + b.param("b", Shape::new(&[n], DType::F32))).gelu();
    }
    let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads));
    let mut program = Session::new(Device::Cpu).with_options(options).try_compile(b.finish(&[&y])?)?;
    program.try_set_param("w", &w)?;
    if epilogue {
        program.try_set_param("b", &bias)?;
    }
    let x: Vec<u8> = x.iter().flat_map(|v| v.to_le_bytes()).collect();
    program.run_kept(&[("x", &x, DType::F32)])?;
    let output = program.output_bytes(0).as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    let work: Work = Box::new(move || {
        program.run_kept(&[("x", &x, DType::F32)])?;
        Ok(())
    });
    Ok((work, nothing(), output))
}
