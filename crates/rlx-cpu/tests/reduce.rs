//! Compares reduction kernels with the evaluator: every reduction on every element type, any axes, sizes that take each way through the
//! kernel, and reductions fused with what is around them.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal, ordinary, wild};
use rlx_ir::eval::Scalar;
use rlx_ir::{Activation, Builder, DType, DTypeSet, Dim, Graph, Literal, Op, ReduceOp, Shape, UnaryOp};

fn graph_of(kind: ReduceOp, dims: &[usize], dtype: DType, axes: &[usize]) -> Graph {
    let mut graph = Graph::new("reduce");
    let x = graph.input("x", Shape::new(dims, dtype));
    let node = graph.try_add(Op::Reduce { kind, axes: axes.to_vec() }, vec![x]).unwrap();
    graph.set_outputs(vec![node]);
    graph
}

/// Sums and products of floats differ from the evaluator's only as sums in f64 in another order do.
fn tolerance(kind: ReduceOp, dtype: DType) -> Tolerance {
    match (kind, dtype) {
        (ReduceOp::Max | ReduceOp::Min, _) => Tolerance::Exact,
        (_, DType::F64 | DType::C128) => Tolerance::Close { absolute: 1e-11, relative: 1e-11 },
        (_, DType::F32 | DType::C64) => Tolerance::Ulps(1),
        _ => Tolerance::Exact,
    }
}

const CASES: [(&[usize], &[usize]); 22] = [
    (&[7], &[0]),
    (&[7], &[]),
    (&[3, 5], &[1]),
    (&[3, 5], &[0]),
    (&[3, 5], &[0, 1]),
    (&[50, 33], &[1]),
    (&[50, 33], &[0]),
    (&[4, 600], &[1]),
    (&[600, 4], &[0]),
    (&[2, 3000], &[1]),
    (&[9, 700], &[0]),
    (&[4, 5, 6], &[1]),
    (&[4, 5, 6], &[0, 2]),
    (&[3, 2, 4, 5, 2], &[1, 3]),
    (&[3, 2, 4, 5, 2], &[4, 0]),
    (&[3, 40, 300], &[0, 2]),
    (&[2, 1, 300, 1], &[1, 2]),
    (&[0, 4], &[0]),
    (&[4, 0], &[0]),
    (&[3, 0, 2], &[1]),
    (&[5, 1, 3], &[1]),
    (&[1, 1], &[0, 1]),
];

#[test]
fn every_reducer_on_every_type_over_any_axes() {
    let mut random = SplitMix64::new(1);
    for &kind in ReduceOp::BINARY {
        for dtype in kind.accepts().iter() {
            for (dims, axes) in CASES {
                let graph = graph_of(kind, dims, dtype, axes);
                let x = match kind {
                    // Products of many numbers would only overflow.
                    ReduceOp::Prod if !dtype.is_int() => {
                        literal(dims, dtype, |_| Scalar::Float(0.9 + 0.2 * random.unit()))
                    }
                    _ => ordinary(dims, dtype, &mut random),
                };
                check(&graph, &[("x", &x)], tolerance(kind, dtype));
            }
        }
    }
}

#[test]
fn edge_cases_pass_through() {
    let mut random = SplitMix64::new(2);
    for dtype in DTypeSet::REAL.or(DTypeSet::BOOL).iter() {
        for kind in [ReduceOp::Max, ReduceOp::Min] {
            for (dims, axes) in CASES {
                let graph = graph_of(kind, dims, dtype, axes);
                check(&graph, &[("x", &wild(dims, dtype, &mut random))], Tolerance::Exact);
            }
        }
    }
    for dtype in DTypeSet::INT.iter() {
        for kind in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::And, ReduceOp::Or] {
            for (dims, axes) in CASES {
                let graph = graph_of(kind, dims, dtype, axes);
                check(&graph, &[("x", &wild(dims, dtype, &mut random))], Tolerance::Exact);
            }
        }
    }
    for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0] {
        for n in [1, 40, 5000] {
            let x = literal(&[2, n], DType::F32, |i| Scalar::Float(if i == n / 2 { special } else { -0.0 }));
            for kind in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min] {
                check(&graph_of(kind, &[2, n], DType::F32, &[1]), &[("x", &x)], Tolerance::Exact);
            }
        }
    }
}

#[test]
fn large_reductions_split_between_threads_alike() {
    let mut random = SplitMix64::new(3);
    let cases: [(&[usize], &[usize]); 5] = [
        (&[600_000], &[0]),
        (&[3, 200_000], &[1]),
        (&[200_000, 3], &[0]),
        (&[300, 2000], &[0]),
        (&[700, 700], &[1]),
    ];
    for (dims, axes) in cases {
        for dtype in [DType::F32, DType::F16, DType::I32] {
            let x = ordinary(dims, dtype, &mut random);
            check(&graph_of(ReduceOp::Sum, dims, dtype, axes), &[("x", &x)], tolerance(ReduceOp::Sum, dtype));
        }
    }
}

/// Returns the mean of a function of x + bias over the last axes, scaled and converted.
fn fused(dims: &[usize], reduced: usize, dtype: DType, kind: ReduceOp) -> Graph {
    let builder = Builder::new("fused");
    let x = builder.input("x", Shape::new(dims, dtype));
    let last = dims[dims.len() - 1];
    let bias = builder.input("bias", Shape::new(&[last], dtype));
    let full: Vec<Dim> = dims.iter().map(|&d| Dim::Static(d)).collect();
    let before = (&x + &bias.broadcast_in_dim(&full, &[dims.len() - 1])).unary(UnaryOp::Abs) * 0.5;
    let axes: Vec<usize> = (dims.len() - reduced..dims.len()).collect();
    let total = before.apply(Op::Reduce { kind, axes }, &[]);
    let after = (total * 0.125 + 1.0).activation(Activation::Relu);
    let after = if dtype == DType::F32 { after.convert(DType::F16) } else { after };
    builder.finish(&[&after]).unwrap()
}

#[test]
fn reductions_run_with_what_is_around_them() {
    let mut random = SplitMix64::new(4);
    let cases: [(&[usize], usize); 9] = [
        (&[6, 7], 1),
        (&[6, 7], 2),
        (&[300, 40], 1),
        (&[5, 768], 1),
        (&[3, 5000], 1),
        (&[4, 30, 50], 2),
        (&[2, 8, 300], 2),
        (&[400, 600], 2),
        (&[0, 5], 1),
    ];
    for (dims, reduced) in cases {
        for dtype in [DType::F32, DType::BF16, DType::F64, DType::I32] {
            let graph = match dtype {
                DType::I32 => fused_ints(dims, reduced),
                _ => fused(dims, reduced, dtype, ReduceOp::Sum),
            };
            let x = ordinary(dims, dtype, &mut random);
            let bias = ordinary(&dims[dims.len() - 1..], dtype, &mut random);
            let values: [(&str, &Literal); 2] = [("x", &x), ("bias", &bias)];
            let tolerance = match dtype {
                DType::F64 => Tolerance::Close { absolute: 1e-11, relative: 1e-13 },
                // A different last place of the sum may change the rounding of what follows.
                DType::F32 => Tolerance::Ulps(1),
                _ => Tolerance::Exact,
            };
            check(&graph, &values, tolerance);
        }
    }
}

fn fused_ints(dims: &[usize], reduced: usize) -> Graph {
    let builder = Builder::new("fused");
    let x = builder.input("x", Shape::new(dims, DType::I32));
    let bias = builder.input("bias", Shape::new(&dims[dims.len() - 1..], DType::I32));
    let full: Vec<Dim> = dims.iter().map(|&d| Dim::Static(d)).collect();
    let before = &x * &bias.broadcast_in_dim(&full, &[dims.len() - 1]);
    let axes: Vec<usize> = (dims.len() - reduced..dims.len()).collect();
    let total = before.apply(Op::Reduce { kind: ReduceOp::Max, axes }, &[]);
    builder.finish(&[&(-total).convert(DType::U8)]).unwrap()
}
