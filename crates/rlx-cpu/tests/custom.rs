//! Ops that a program brings along, and sizes as values.

mod harness;

use harness::{SplitMix64, Tolerance, check, ordinary};
use rlx_compile::{BackendError, CompileOptions, compile};
use rlx_cpu::CpuBackend;
use rlx_ir::{Bindings, Builder, CustomOp, DType, Literal, Op, OpError, Shape, register_custom};
use std::sync::Arc;

/// Its operand, and the same again.
struct Twice;

impl CustomOp for Twice {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok([operands, operands].concat())
    }
    fn eval(&self, config: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError> {
        match config {
            "short" => Ok(operands.to_vec()),
            "fails" => Err(OpError::Eval("out of luck".into())),
            _ => Ok([operands, operands].concat()),
        }
    }
}

fn twice(config: &str) -> Op {
    // Another test may have been first.
    let _ = register_custom("cpu_twice", Arc::new(Twice));
    Op::Custom {
        name: "cpu_twice".into(),
        config: config.into(),
        results: vec![Shape::new(&[5], DType::F32); 2],
    }
}

#[test]
fn a_registered_op_runs() {
    let x = ordinary(&[5], DType::F32, &mut SplitMix64::new(1));
    let b = Builder::new("custom");
    let input = b.input("x", x.shape().clone());
    let results = b.apply_many(twice(""), &[&(&input * &input)]);
    let graph = b.finish(&[&(&results[0] + &input), &results[1]]).unwrap();
    check(&graph, &[("x", &x)], Tolerance::Exact);
}

#[test]
fn failures_are_errors() {
    for (config, part) in [("short", "declared are (f32[5], f32[5])"), ("fails", "out of luck")] {
        let x = ordinary(&[5], DType::F32, &mut SplitMix64::new(2));
        let b = Builder::new("custom");
        let input = b.input("x", x.shape().clone());
        let results = b.apply_many(twice(config), &[&input]);
        let graph = b.finish(&[&results[0]]).unwrap();
        let compiled = compile(&graph, &Bindings::new(), &CpuBackend, &CompileOptions::new());
        let error = compiled.unwrap().executable.run_on_host(&[x.bytes()]).unwrap_err();
        assert!(matches!(&error, BackendError::Run { op, .. } if op == "custom"), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn sizes_are_values() {
    for dims in [&[3usize, 0, 7][..], &[1, 1, 1]] {
        let x = ordinary(dims, DType::U8, &mut SplitMix64::new(3));
        let b = Builder::new("sizes");
        let input = b.input("x", x.shape().clone());
        let sizes: Vec<_> = (0..3).map(|axis| input.apply(Op::DimSize { axis }, &[])).collect();
        let graph = b.finish(&sizes.iter().collect::<Vec<_>>()).unwrap();
        check(&graph, &[("x", &x)], Tolerance::Exact);
    }
}
