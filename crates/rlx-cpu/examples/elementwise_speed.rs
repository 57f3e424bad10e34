//! Measures elementwise programs and reductions next to plain copies: gigabytes per second of operands and results, by size and number of
//! threads.
//!
//! `cargo run --release -p rlx-cpu --example elementwise_speed [name…]`

#![allow(clippy::print_stdout)]

use rlx_compile::CompileOptions;
use rlx_cpu::{CpuBackend, CpuOptions};
use rlx_exec::{Executable, compile};
use rlx_ir::{
    Activation, Bindings, Builder, DType, Dim, Graph, Literal, Op, ReduceOp, Shape, Tensor, UnaryOp,
};
use std::time::{Duration, Instant};

/// Returns the best of many runs, in seconds: the speed of the machine without disturbances.
fn best(mut run: impl FnMut()) -> f64 {
    let (mut best, start) = (f64::INFINITY, Instant::now());
    let mut runs = 0;
    while runs < 5 || start.elapsed() < Duration::from_millis(400) {
        let before = Instant::now();
        run();
        best = best.min(before.elapsed().as_secs_f64());
        runs += 1;
    }
    best
}

fn operand(shape: &Shape) -> Literal {
    let n = shape.num_elements().unwrap_or(0);
    let dims = shape.static_dims().unwrap_or_default();
    match shape.dtype() {
        DType::F32 => {
            let values: Vec<f32> = (0..n).map(|i| (i % 1999) as f32 / 400.0 - 2.5).collect();
            Literal::new(&dims, &values).unwrap()
        }
        DType::F16 => {
            let values: Vec<half::f16> =
                (0..n).map(|i| half::f16::from_f32((i % 1999) as f32 / 400.0 - 2.5)).collect();
            Literal::new(&dims, &values).unwrap()
        }
        _ => Literal::from_bytes(shape, &vec![1; shape.num_bytes().unwrap_or(0)]).unwrap(),
    }
}

struct Case {
    name: &'static str,
    dtype: DType,
    build: fn(&Builder, &Tensor) -> Tensor,
}

fn row_operand(builder: &Builder, x: &Tensor) -> Tensor {
    let columns = x.dim(1);
    let bias = builder.input("bias", Shape::from_dims(&[columns], x.dtype()));
    bias.broadcast_in_dim(&x.dims(), &[1])
}

fn reduce(x: &Tensor, kind: ReduceOp, axis: usize) -> Tensor {
    x.apply(Op::Reduce { kind, axes: vec![axis] }, &[])
}

const CASES: &[Case] = &[
    Case { name: "add", dtype: DType::F32, build: |b, x| x + &b.input("y", x.shape()) },
    Case { name: "add f16", dtype: DType::F16, build: |b, x| x + &b.input("y", x.shape()) },
    Case { name: "add i8", dtype: DType::I8, build: |b, x| x + &b.input("y", x.shape()) },
    Case { name: "add i32", dtype: DType::I32, build: |b, x| x + &b.input("y", x.shape()) },
    Case { name: "bias", dtype: DType::F32, build: |b, x| x + &row_operand(b, x) },
    Case { name: "relu", dtype: DType::F32, build: |_, x| x.relu() },
    Case { name: "exp", dtype: DType::F32, build: |_, x| x.exp() },
    Case { name: "exp f16", dtype: DType::F16, build: |_, x| x.exp() },
    Case { name: "tanh", dtype: DType::F32, build: |_, x| x.tanh() },
    Case { name: "log", dtype: DType::F32, build: |_, x| x.unary(UnaryOp::Log) },
    Case { name: "gelu", dtype: DType::F32, build: |_, x| x.gelu() },
    Case { name: "bias gelu", dtype: DType::F32, build: |b, x| (x + &row_operand(b, x)).gelu() },
    Case {
        name: "five ops",
        dtype: DType::F32,
        build: |b, x| ((x * 0.5 + &row_operand(b, x)).activation(Activation::Square) - x) * 3.0,
    },
    Case { name: "to f16", dtype: DType::F32, build: |_, x| x.convert(DType::F16) },
    Case { name: "to f32", dtype: DType::F16, build: |_, x| x.convert(DType::F32) },
    Case {
        name: "select",
        dtype: DType::F32,
        build: |b, x| {
            x.greater(&b.input("y", x.shape())).select(x, &x.scalar_like(0.0).broadcast_to(&x.dims()))
        },
    },
    Case { name: "sum rows", dtype: DType::F32, build: |_, x| reduce(x, ReduceOp::Sum, 1) },
    Case { name: "max rows", dtype: DType::F32, build: |_, x| reduce(x, ReduceOp::Max, 1) },
    Case { name: "sum columns", dtype: DType::F32, build: |_, x| reduce(x, ReduceOp::Sum, 0) },
    Case { name: "sum of squares", dtype: DType::F32, build: |_, x| reduce(&(x * x), ReduceOp::Sum, 1) },
    Case { name: "sum rows f16", dtype: DType::F16, build: |_, x| reduce(x, ReduceOp::Sum, 1) },
    Case {
        name: "sum of all",
        dtype: DType::F32,
        build: |_, x| x.apply(Op::Reduce { kind: ReduceOp::Sum, axes: vec![0, 1] }, &[]),
    },
];

fn graph_of(case: &Case, dims: &[usize; 2]) -> Graph {
    let builder = Builder::new(case.name);
    let dims: Vec<Dim> = dims.iter().map(|&d| Dim::Static(d)).collect();
    let x = builder.input("x", Shape::from_dims(&dims, case.dtype));
    let result = (case.build)(&builder, &x);
    builder.finish(&[&result]).unwrap()
}

fn measure(case: &Case, dims: &[usize; 2], threads: usize) -> (f64, f64) {
    let graph = graph_of(case, dims);
    let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads));
    let mut executable: Box<dyn Executable> =
        compile(&graph, &Bindings::new(), &CpuBackend, &options).unwrap().executable;
    let inputs: Vec<Literal> = graph.inputs().map(|n| operand(n.shape())).collect();
    let bytes: Vec<&[u8]> = inputs.iter().map(Literal::bytes).collect();
    let moved = bytes.iter().map(|b| b.len()).sum::<usize>()
        + graph.output_shapes().iter().filter_map(Shape::num_bytes).sum::<usize>();
    (best(|| executable.run_on_host(&bytes).unwrap()), moved as f64)
}

/// Copies as many bytes as f32 of sizes `dims` take, on `threads` threads.
fn copy(dims: &[usize; 2], threads: usize) -> (f64, f64) {
    let len = dims[0] * dims[1];
    let (from, mut to) = (vec![1f32; len], vec![0f32; len]);
    let pool = rlx_cpu::pool::Pool::new(threads).unwrap();
    let target = to.as_mut_ptr() as usize;
    let seconds = best(|| {
        pool.run_ranges(len as u64 / 5, len, 1024, |range| {
            let to = (target as *mut f32).wrapping_add(range.start);
            // SAFETY: ranges are disjoint and inside both buffers.
            unsafe { std::ptr::copy_nonoverlapping(from[range.clone()].as_ptr(), to, range.len()) }
        });
    });
    assert!(to[len - 1] == 1.0);
    (seconds, 8.0 * len as f64)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for dims in [[4096, 4096], [128, 1536], [8, 384]] {
        println!("\n{} × {}: GB/s and µs with 1 and 2 threads", dims[0], dims[1]);
        let show = |name: &str, run: &dyn Fn(usize) -> (f64, f64)| {
            let (one, two) = (run(1), run(2));
            println!(
                "{name:>16} {:8.1} {:8.1}   {:10.2} {:10.2}",
                one.1 / one.0 / 1e9,
                two.1 / two.0 / 1e9,
                one.0 * 1e6,
                two.0 * 1e6
            );
        };
        show("copy", &|threads| copy(&dims, threads));
        for case in CASES.iter().filter(|c| wanted.is_empty() || wanted.iter().any(|w| w == c.name)) {
            show(case.name, &|threads| measure(case, &dims, threads));
        }
    }
}
