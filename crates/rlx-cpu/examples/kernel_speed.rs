//! Times kernels that are not elementwise, each at one typical size, against the evaluator: `cargo run --release -p rlx-cpu --example
//! kernel_speed [threads]`.

#![allow(clippy::print_stdout)]

use rlx_compile::CompileOptions;
use rlx_cpu::{CpuBackend, CpuOptions};
use rlx_exec::compile;
use rlx_ir::eval::Scalar;
use rlx_ir::{
    Bindings, ConvolutionSpec, DType, DotDims, Graph, Literal, Op, ReduceOp, Shape, SortOrder, SubGraph,
    UndilatedWindow, WindowSpec,
};
use std::time::Instant;

/// Returns small numbers that are the same in every run.
fn numbers(dims: &[usize], dtype: DType) -> Literal {
    let mut bytes = Vec::new();
    for i in 0..dims.iter().product::<usize>() {
        let x = (i * 7919 % 1009) as i128 - 504;
        let x = if dtype.is_float() { Scalar::Float(x as f64 / 128.0) } else { Scalar::Int(x % 17) };
        x.convert(dtype).write(dtype, &mut bytes);
    }
    Literal::from_bytes(&Shape::new(dims, dtype), &bytes).expect("as many bytes as elements")
}

fn dot(dtype: Option<DType>) -> Op {
    Op::DotGeneral { dims: DotDims::contracting(&[1], &[0]), dtype }
}

/// A convolution of images with 3×3 kernels, padded by 1.
fn convolution(feature_groups: usize, last: bool) -> Op {
    moving(feature_groups, last, [1, 1], 1)
}

/// Returns a convolution of images with a stride and a dilation of the images, padded on all sides.
fn moving(feature_groups: usize, last: bool, [stride, dilation]: [usize; 2], padding: i64) -> Op {
    let spec = ConvolutionSpec {
        strides: vec![stride; 2],
        lhs_dilation: vec![dilation; 2],
        low: vec![padding; 2],
        high: vec![padding; 2],
        feature_groups,
        ..ConvolutionSpec::plain(2)
    };
    Op::Convolution { spec: if last { spec.channels_last() } else { spec }, dtype: None }
}

/// Returns `op` on two scalars.
fn on_scalars(op: Op) -> SubGraph {
    let mut graph = Graph::new("body");
    let inputs = ["a", "b"].map(|name| graph.input(name, Shape::scalar(DType::F32)));
    let output = graph.try_add(op, inputs.to_vec()).expect("two scalars");
    graph.set_outputs(vec![output]);
    SubGraph::new(graph)
}

fn cases() -> Vec<(&'static str, Op, Vec<Literal>)> {
    let product =
        |m: usize, k: usize, n: usize, dtype| vec![numbers(&[m, k], dtype), numbers(&[k, n], dtype)];
    let images = |dims: &[usize], kernel: &[usize], dtype| vec![numbers(dims, dtype), numbers(kernel, dtype)];
    let pool = |kind, window: [usize; 4], strides: [usize; 4]| Op::ReduceWindow {
        kind,
        spec: WindowSpec { strides: strides.to_vec(), ..WindowSpec::plain(&window) },
    };
    let cumulative = |op, axis| Op::Cumulative { op, axis, exclusive: false, reverse: false };
    let compare = Op::Compare { op: rlx_ir::CompareOp::Ge, total_order: false };
    let select = Op::SelectAndScatter {
        select: on_scalars(compare),
        scatter: on_scalars(Op::Binary { op: rlx_ir::BinaryOp::Add }),
        spec: UndilatedWindow::new(vec![1, 1, 2, 2], vec![1, 1, 2, 2], vec![0; 4], vec![0; 4]),
    };
    let mut ragged = vec![numbers(&[256, 256], DType::F32), numbers(&[8, 256, 256], DType::F32)];
    ragged.push(
        Literal::from_bytes(&Shape::new(&[8], DType::I32), &32i32.to_le_bytes().repeat(8)).expect("eight"),
    );
    let sort = Op::Sort { axis: 1, order: SortOrder::Ascending, num_keys: 1, stable: true };
    let matrix = |dtype| vec![numbers(&[512, 1024], dtype)];
    let picture = [8, 32, 56, 56];
    vec![
        ("dot f32 256×512×512", dot(None), product(256, 512, 512, DType::F32)),
        ("dot bf16 256×512×512", dot(None), product(256, 512, 512, DType::BF16)),
        ("dot f8e4m3 256×512×512", dot(None), product(256, 512, 512, DType::F8E4M3)),
        ("dot i8 to i32 256×512×512", dot(Some(DType::I32)), product(256, 512, 512, DType::I8)),
        ("dot i32 256×512×512", dot(None), product(256, 512, 512, DType::I32)),
        ("dot c64 256×256×256", dot(None), product(256, 256, 256, DType::C64)),
        ("ragged_dot f32 8×32×256×256", Op::RaggedDot { dtype: None }, ragged),
        (
            "convolution f32 [1,64,56,56] 64 3×3",
            convolution(1, false),
            images(&[1, 64, 56, 56], &[64, 64, 3, 3], DType::F32),
        ),
        (
            "the same, channels last",
            convolution(1, true),
            images(&[1, 56, 56, 64], &[3, 3, 64, 64], DType::F32),
        ),
        (
            "the same, bf16, channels first",
            convolution(1, false),
            images(&[1, 64, 56, 56], &[64, 64, 3, 3], DType::BF16),
        ),
        (
            "depthwise f32 [1,64,56,56] 3×3",
            convolution(64, false),
            images(&[1, 64, 56, 56], &[64, 1, 3, 3], DType::F32),
        ),
        (
            "depthwise f32 [1,64,56,56] 3×3, stride 2",
            moving(64, false, [2, 1], 1),
            images(&[1, 64, 56, 56], &[64, 1, 3, 3], DType::F32),
        ),
        (
            "depthwise f32 [1,256,14,14] 5×5",
            moving(256, false, [1, 1], 2),
            images(&[1, 256, 14, 14], &[256, 1, 5, 5], DType::F32),
        ),
        (
            "depthwise f32 3×3, channels last",
            convolution(64, true),
            images(&[1, 56, 56, 64], &[3, 3, 1, 64], DType::F32),
        ),
        (
            "depthwise f32 3×3, dilated images",
            moving(64, false, [1, 2], 1),
            images(&[1, 64, 28, 28], &[64, 1, 3, 3], DType::F32),
        ),
        (
            "convolution f32 [1,3,224,224] 64 7×7, stride 2",
            moving(1, false, [2, 1], 3),
            images(&[1, 3, 224, 224], &[64, 3, 7, 7], DType::F32),
        ),
        (
            "the same, channels last",
            moving(1, true, [2, 1], 3),
            images(&[1, 224, 224, 3], &[7, 7, 3, 64], DType::F32),
        ),
        (
            "convolution f32 3×3, dilated images",
            moving(1, false, [1, 2], 1),
            images(&[1, 32, 28, 28], &[32, 32, 3, 3], DType::F32),
        ),
        (
            "the same, channels last",
            moving(1, true, [1, 2], 1),
            images(&[1, 28, 28, 32], &[3, 3, 32, 32], DType::F32),
        ),
        (
            "convolution i64 [1,16,28,28] 16 3×3",
            convolution(1, false),
            images(&[1, 16, 28, 28], &[16, 16, 3, 3], DType::I64),
        ),
        (
            "convolution f32 [1,1,1,20000] 1×1000",
            moving(1, false, [1, 1], 0),
            images(&[1, 1, 1, 20_000], &[1, 1, 1, 1000], DType::F32),
        ),
        (
            "convolution f32 [1,1,1,20000] 8 1×1000",
            moving(1, false, [1, 1], 0),
            images(&[1, 1, 1, 20_000], &[8, 1, 1, 1000], DType::F32),
        ),
        (
            "sum of 500 f32 [1,1,1,20000]",
            pool(ReduceOp::Sum, [1, 1, 1, 500], [1; 4]),
            vec![numbers(&[1, 1, 1, 20_000], DType::F32)],
        ),
        (
            "sum of 500 f32 [1,1,2000,32], third axis",
            pool(ReduceOp::Sum, [1, 1, 500, 1], [1; 4]),
            vec![numbers(&[1, 1, 2000, 32], DType::F32)],
        ),
        (
            "max of 24 f32 [1,1,64,2000]",
            pool(ReduceOp::Max, [1, 1, 1, 24], [1; 4]),
            vec![numbers(&[1, 1, 64, 2000], DType::F32)],
        ),
        (
            "sum of 7×7 windows f32 [8,512,7,7]",
            pool(ReduceOp::Sum, [1, 1, 7, 7], [1, 1, 1, 1]),
            vec![numbers(&[8, 512, 7, 7], DType::F32)],
        ),
        (
            "max of 3×3 windows f32 [4,64,56,56], stride 2",
            pool(ReduceOp::Max, [1, 1, 3, 3], [1, 1, 2, 2]),
            vec![numbers(&[4, 64, 56, 56], DType::F32)],
        ),
        (
            "max of 2×2 windows f32 [8,32,56,56]",
            pool(ReduceOp::Max, [1, 1, 2, 2], [1, 1, 2, 2]),
            vec![numbers(&picture, DType::F32)],
        ),
        (
            "sum of 3×3 windows f32, channels last",
            pool(ReduceOp::Sum, [1, 3, 3, 1], [1, 1, 1, 1]),
            vec![numbers(&[8, 56, 56, 32], DType::F32)],
        ),
        (
            "select_and_scatter 2×2 f32 [8,32,56,56]",
            select,
            vec![
                numbers(&picture, DType::F32),
                numbers(&[8, 32, 28, 28], DType::F32),
                numbers(&[], DType::F32),
            ],
        ),
        ("running sum f32 [512,1024], last axis", cumulative(ReduceOp::Sum, 1), matrix(DType::F32)),
        ("running sum f32 [512,1024], first axis", cumulative(ReduceOp::Sum, 0), matrix(DType::F32)),
        ("running logsumexp f32 [512,1024]", cumulative(ReduceOp::LogSumExp, 1), matrix(DType::F32)),
        ("sort f32 [512,1024]", sort, matrix(DType::F32)),
        ("top_k f32 [512,1024], 8", Op::TopK { k: 8 }, matrix(DType::F32)),
        (
            "argmax f32 [512,1024]",
            Op::ArgReduce { op: rlx_ir::ArgOp::Max, axis: 1, dtype: DType::I32 },
            matrix(DType::F32),
        ),
    ]
}

fn main() {
    let threads = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    println!(
        "{:<42} {:>12} {:>12} {:>8}",
        format!("{threads} thread(s)"),
        "kernel ms",
        "evaluator ms",
        "ratio"
    );
    for (name, op, operands) in cases() {
        let mut graph = Graph::new("speed");
        let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
        let inputs =
            names.iter().zip(&operands).map(|(name, x)| graph.input(name, x.shape().clone())).collect();
        let node = graph.try_add(op, inputs).expect("a valid case");
        let output = match graph.node(node).results().len() {
            1 => node,
            _ => graph.try_add(Op::Output { index: 0 }, vec![node]).expect("a result"),
        };
        graph.set_outputs(vec![output]);
        let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads));
        let compiled = compile(&graph, &Bindings::new(), &CpuBackend, &options);
        let mut executable = compiled.expect("the backend takes every op").executable;
        let bytes: Vec<&[u8]> = operands.iter().map(Literal::bytes).collect();
        let kernel = fastest(7, || executable.run_on_host(&bytes).expect("runs"));
        let values: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(&operands).collect();
        let evaluator = fastest(1, || {
            rlx_ir::eval(&graph, &values).expect("evaluates");
        });
        println!("{name:<42} {kernel:>12.3} {evaluator:>12.1} {:>8.0}", evaluator / kernel);
    }
}

/// Returns the milliseconds of the fastest of several runs.
fn fastest(runs: usize, mut run: impl FnMut()) -> f64 {
    let time = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64() * 1e3
    };
    (0..runs).map(time).fold(f64::INFINITY, f64::min)
}
