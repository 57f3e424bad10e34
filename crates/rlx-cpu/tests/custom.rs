//! Ops that a program defines, and sizes as values.

mod harness;

use harness::{SplitMix64, Tolerance, check, ordinary};
use rlx_compile::{BackendError, CompileOptions};
use rlx_cpu::CpuBackend;
use rlx_cpu::custom::{CpuKernel, KernelContext, PreparedKernel, register_cpu_kernel};
use rlx_exec::compile;
use rlx_ir::{Bindings, Builder, CustomOp, DType, Graph, Literal, Op, OpError, Shape, register_custom};
use std::sync::Arc;

/// Returns its operand, twice.
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
    // Another test may have registered it first.
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
    for (config, part) in [("short", "it declares (f32[5], f32[5])"), ("fails", "out of luck")] {
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

/// The running maxima of rows, and the sum of all: a kernel with scratch memory and threads, which safe code cannot make write outside.
struct RowMaxima;

/// Works for the shapes that it was prepared for.
struct PreparedMaxima {
    rows: usize,
    len: usize,
}

impl CustomOp for RowMaxima {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok(vec![operands[0].clone(), Shape::new(&[], DType::F32)])
    }
    fn eval(&self, _: &str, _: &[Literal]) -> Result<Vec<Literal>, OpError> {
        Err(OpError::Eval("the CPU has a kernel".into()))
    }
}

impl CpuKernel for RowMaxima {
    fn prepare(
        &self,
        config: &str,
        operands: &[Shape],
        _results: &[Shape],
        threads: usize,
    ) -> Result<Box<dyn PreparedKernel>, BackendError> {
        assert!(threads > 0);
        if config == "refused" {
            return Err(BackendError::Unsupported("this config has no kernel".into()));
        }
        let dims = operands[0].static_dims().unwrap();
        Ok(Box::new(PreparedMaxima { rows: dims[0], len: dims[1] }))
    }
}

impl PreparedKernel for PreparedMaxima {
    fn scratch_bytes(&self) -> usize {
        self.rows * 4
    }

    fn run(&self, context: KernelContext<'_>) -> Result<(), String> {
        let KernelContext { operands, mut results, scratch, threads, .. } = context;
        let x: &[f32] = operands.elements(0)?;
        assert_eq!((operands.count(), results.count(), threads.count() > 0), (1, 2, true));
        assert!(operands.bytes(7).is_empty() && results.bytes(7).is_empty());
        assert!(operands.elements::<[u64; 7]>(0).is_err(), "the bytes are not a whole number of them");
        assert_eq!(scratch.as_ptr().align_offset(64), 0);
        let sums: &mut [f32] = bytemuck::try_cast_slice_mut(scratch).map_err(|e| e.to_string())?;
        threads.for_each_part(sums, 1, |row, sum| sum[0] = x[row * self.len..][..self.len].iter().sum());
        threads.for_each_part(results.elements::<f32>(0)?, self.len, |row, maxima| {
            let mut largest = f32::NEG_INFINITY;
            for (maximum, &value) in maxima.iter_mut().zip(&x[row * self.len..]) {
                largest = largest.max(value);
                *maximum = largest;
            }
        });
        results.elements::<f32>(1)?[0] = sums.iter().sum();
        Ok(())
    }
}

fn row_maxima(dims: &[usize], config: &str) -> Graph {
    // Another test may have registered it first.
    let _ = register_custom("cpu_row_maxima", Arc::new(RowMaxima));
    let _ = register_cpu_kernel("cpu_row_maxima", Arc::new(RowMaxima));
    let b = Builder::new("custom");
    let shape = Shape::new(dims, DType::F32);
    let x = b.input("x", shape.clone());
    let results = vec![shape, Shape::new(&[], DType::F32)];
    let op = Op::Custom { name: "cpu_row_maxima".into(), config: config.into(), results };
    let results = b.apply_many(op, &[&(&x + &x)]);
    b.finish(&[&results[0], &(&results[1] * &results[1])]).unwrap()
}

#[test]
fn a_kernel_for_the_cpu_runs_in_place_of_the_evaluation() {
    for dims in [[1, 1], [5, 9], [40, 333]] {
        let graph = row_maxima(&dims, "");
        let x = ordinary(&dims, DType::F32, &mut SplitMix64::new(3));
        let values: Vec<f32> = x.as_slice::<f32>().unwrap().iter().map(|x| x + x).collect();
        let mut maxima = values.clone();
        for row in maxima.chunks_mut(dims[1]) {
            (1..row.len()).for_each(|i| row[i] = row[i].max(row[i - 1]));
        }
        let sum: f32 = values.chunks(dims[1]).map(|row| row.iter().sum::<f32>()).sum();
        for options in harness::ways() {
            let got = harness::run(&graph, &[("x", &x)], &options);
            assert_eq!(got[0].as_slice::<f32>().unwrap(), maxima);
            assert_eq!(got[1].as_slice::<f32>().unwrap(), [sum * sum]);
        }
    }
    assert!(register_cpu_kernel("cpu_row_maxima", Arc::new(RowMaxima)).is_err(), "a name keeps its kernel");
    let refused =
        compile(&row_maxima(&[2, 2], "refused"), &Bindings::new(), &CpuBackend, &CompileOptions::new());
    assert!(refused.map(|_| ()).unwrap_err().to_string().contains("this config has no kernel"));
}
