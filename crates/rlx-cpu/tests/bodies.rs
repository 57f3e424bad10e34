//! Compares reductions, scatters and sorts with graphs over elements with the evaluator.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal, ordinary, wild};
use rlx_ir::eval::Scalar;
use rlx_ir::{BinaryOp, Builder, CompareOp, DType, Graph, Literal, Op, ScatterDims, Shape, SubGraph, Tensor};

/// A graph over scalars of these types.
fn body(types: &[DType], build: impl FnOnce(&Builder, &[Tensor]) -> Vec<Tensor>) -> SubGraph {
    let b = Builder::new("body");
    let inputs = types.iter().enumerate().map(|(i, &d)| b.input(format!("x{i}"), Shape::scalar(d)));
    let inputs: Vec<Tensor> = inputs.collect();
    let outputs = build(&b, &inputs);
    SubGraph::new(b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap())
}

fn check_node(op: Op, operands: &[Literal], tolerance: Tolerance) {
    let b = Builder::new("bodies");
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let inputs: Vec<_> = names.iter().zip(operands).map(|(n, x)| b.input(n, x.shape().clone())).collect();
    let outputs = b.apply_many(op, &inputs.iter().collect::<Vec<_>>());
    let graph: Graph = b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap();
    let values: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(operands).collect();
    check(&graph, &values, tolerance);
}

fn scalar(x: f64, dtype: DType) -> Literal {
    literal(&[], dtype, |_| if dtype.is_float() { Scalar::Float(x) } else { Scalar::Int(x as i128) })
}

/// Few results and many; short lines and long ones, in the middle and at both ends; and no elements.
const REDUCTIONS: [(&[usize], &[usize]); 16] = [
    (&[], &[]),
    (&[5], &[0]),
    (&[5], &[]),
    (&[0], &[0]),
    (&[3, 0], &[1]),
    (&[0, 3], &[1]),
    (&[7, 9], &[1]),
    (&[9, 7], &[0]),
    (&[300, 7], &[1]),
    (&[7, 600], &[0]),
    (&[4, 5, 6], &[0, 2]),
    (&[5, 40, 7], &[1]),
    (&[9001], &[0]),
    (&[3, 5000], &[1]),
    (&[5000, 3], &[0]),
    (&[70, 3, 90], &[0, 2]),
];

/// The index of the largest element, the first of equal ones, with NaN above all, which is how frameworks implement argmax.
fn largest(value: DType, index: DType) -> SubGraph {
    body(&[value, index, value, index], |_, x| {
        let nan = x[0].compare(CompareOp::Ne, &x[0]);
        let picks = x[0].greater(&x[2]).or(&nan);
        let first = x[0].equal(&x[2]).and(&x[1].less(&x[3]));
        vec![picks.select(&x[0], &x[2]), picks.or(&first).select(&x[1], &x[3])]
    })
}

#[test]
fn the_place_of_the_largest() {
    let mut random = SplitMix64::new(1);
    for (dims, axes) in REDUCTIONS {
        for (value, index) in [(DType::F32, DType::I32), (DType::F64, DType::I64), (DType::BF16, DType::U8)] {
            let x = if dims.len() == 1 {
                ordinary(dims, value, &mut random)
            } else {
                wild(dims, value, &mut random)
            };
            let places = literal(dims, index, |i| Scalar::Int(i as i128 % 200));
            let operands = [x, places, scalar(f64::NEG_INFINITY, value), scalar(0.0, index)];
            let op = Op::ReduceGraph { body: largest(value, index), axes: axes.to_vec() };
            check_node(op, &operands, Tolerance::Exact);
        }
    }
}

#[test]
fn sums_of_complex_numbers_and_products_of_integers() {
    let mut random = SplitMix64::new(2);
    for (dims, axes) in REDUCTIONS {
        let z = ordinary(dims, DType::C64, &mut random);
        let op =
            Op::ReduceGraph { body: body(&[DType::C64; 2], |_, x| vec![&x[0] + &x[1]]), axes: axes.to_vec() };
        let zero = literal(&[], DType::C64, |_| Scalar::Int(0));
        check_node(op, &[z, zero], Tolerance::Close { absolute: 1e-2, relative: 1e-4 });
        // Complex multiplication, on pairs of integers: n tensors at once, exactly.
        let pair = |random: &mut SplitMix64| wild(dims, DType::I32, random);
        let operands =
            [pair(&mut random), pair(&mut random), scalar(1.0, DType::I32), scalar(0.0, DType::I32)];
        let op = Op::ReduceGraph {
            body: body(&[DType::I32; 4], |_, x| {
                let (a, b, c, d) = (&x[0], &x[1], &x[2], &x[3]);
                vec![&(a * c) - &(b * d), &(a * d) + &(b * c)]
            }),
            axes: axes.to_vec(),
        };
        check_node(op, &operands, Tolerance::Exact);
    }
}

#[test]
fn an_initial_value_counts_once() {
    let mut random = SplitMix64::new(3);
    for (dims, axes) in REDUCTIONS {
        let x = ordinary(dims, DType::I64, &mut random);
        let op = Op::ReduceGraph {
            body: body(&[DType::I64; 2], |b, x| {
                // Not one of the named reductions: a sum that is written differently.
                vec![&(&x[0] - &b.int(3, DType::I64)) + &(&x[1] + &b.int(3, DType::I64))]
            }),
            axes: axes.to_vec(),
        };
        check_node(op, &[x, scalar(100.0, DType::I64)], Tolerance::Exact);
    }
}

/// A sum, a product and a maximum at once, whose initial values are no identities; and functions x ↦ ax + b, one behind the other.
#[test]
fn initial_values_of_several_tensors_count_once() {
    let mut random = SplitMix64::new(7);
    let dtype = DType::I64;
    for (dims, axes) in REDUCTIONS {
        let mut tensor = || ordinary(dims, dtype, &mut random);
        let three =
            body(&[dtype; 6], |_, x| vec![&x[0] + &x[3], &x[1] * &x[4], x[2].binary(BinaryOp::Max, &x[5])]);
        let operands =
            [tensor(), tensor(), tensor(), scalar(5.0, dtype), scalar(2.0, dtype), scalar(1.0, dtype)];
        check_node(Op::ReduceGraph { body: three, axes: axes.to_vec() }, &operands, Tolerance::Exact);
        let maps = body(&[dtype; 4], |_, x| vec![&x[0] * &x[2], &(&x[1] * &x[2]) + &x[3]]);
        let operands = [tensor(), tensor(), scalar(3.0, dtype), scalar(-2.0, dtype)];
        check_node(Op::ReduceGraph { body: maps, axes: axes.to_vec() }, &operands, Tolerance::Exact);
    }
}

#[test]
fn bodies_with_branches_run_too() {
    let mut random = SplitMix64::new(4);
    for (dims, axes) in REDUCTIONS.into_iter().take(9) {
        let x = ordinary(dims, DType::F32, &mut random);
        let op = Op::ReduceGraph {
            body: body(&[DType::F32; 2], |b, x| {
                b.cond(&x[0].less(&x[1]), x, &|_, x| vec![x[1].clone()], &|_, x| vec![x[0].clone()])
            }),
            axes: axes.to_vec(),
        };
        check_node(op, &[x, scalar(-100.0, DType::F32)], Tolerance::Exact);
    }
}

#[test]
fn named_reductions_are_recognized() {
    let mut random = SplitMix64::new(5);
    for (op, dtype) in [
        (BinaryOp::Add, DType::I32),
        (BinaryOp::Mul, DType::U8),
        (BinaryOp::Max, DType::F32),
        (BinaryOp::Min, DType::F16),
        (BinaryOp::And, DType::Bool),
        (BinaryOp::Or, DType::I16),
    ] {
        for (dims, axes) in REDUCTIONS {
            let x = wild(dims, dtype, &mut random);
            let start = ordinary(&[], dtype, &mut random);
            let body = body(&[dtype; 2], |_, x| vec![x[1].binary(op, &x[0])]);
            let node = Op::ReduceGraph { body, axes: axes.to_vec() };
            check_node(node, &[x, start], Tolerance::Exact);
        }
    }
    let b = Builder::new("named");
    let (x, zero) = (b.input("x", Shape::new(&[4, 5], DType::F32)), b.scalar(0.0, DType::F32));
    let sum = Op::ReduceGraph { body: body(&[DType::F32; 2], |_, x| vec![&x[0] + &x[1]]), axes: vec![1] };
    let graph = b.finish(&[&x.apply(sum, &[&zero])]).unwrap();
    let simple = rlx_compile::simplify::simplify(graph.clone()).to_string();
    assert!(simple.contains("= reduce %0") && !simple.contains("reduce_graph"), "{simple}");
}

#[test]
fn boxes_are_combined_in_order() {
    let mut random = SplitMix64::new(6);
    for (dims, count, width) in
        [(&[5usize, 4][..], 7, 4), (&[5, 4], 3, 2), (&[3, 1], 40, 1), (&[4, 0], 3, 0), (&[6, 3], 0, 3)]
    {
        let indices = literal(&[count], DType::I32, |_| Scalar::Int(random.below(9) as i128 - 2));
        let scatter = |body: SubGraph| Op::ScatterGraph {
            dims: ScatterDims {
                update_window_dims: vec![1],
                inserted_window_dims: vec![0],
                input_batching_dims: Vec::new(),
                scatter_indices_batching_dims: Vec::new(),
                scatter_dims_to_operand_dims: vec![0],
                index_vector_dim: 1,
            },
            body,
        };
        // Neither associative nor commutative, so the order matters.
        let one = body(&[DType::F32; 2], |_, x| vec![&(&x[0] * 0.5) - &x[1]]);
        let x = ordinary(dims, DType::F32, &mut random);
        let updates = ordinary(&[count, width], DType::F32, &mut random);
        check_node(scatter(one), &[x.clone(), indices.clone(), updates.clone()], Tolerance::Exact);
        let two = body(&[DType::F32, DType::I8, DType::F32, DType::I8], |_, x| {
            let larger = x[2].greater(&x[0]);
            vec![larger.select(&x[2], &x[0]), larger.select(&x[3], &x[1])]
        });
        let tags = ordinary(dims, DType::I8, &mut random);
        let new_tags = ordinary(&[count, width], DType::I8, &mut random);
        check_node(scatter(two), &[x, tags, indices.clone(), updates, new_tags], Tolerance::Exact);
        for op in [BinaryOp::Add, BinaryOp::Max] {
            for dtype in [DType::I32, DType::F64, DType::F32] {
                let named = body(&[dtype; 2], |_, x| vec![x[0].binary(op, &x[1])]);
                let x = wild(dims, dtype, &mut random);
                let updates = wild(&[count, width], dtype, &mut random);
                check_node(scatter(named), &[x, indices.clone(), updates], Tolerance::Exact);
            }
        }
        let last = body(&[DType::F16; 2], |_, x| vec![x[1].clone()]);
        let (x, updates) =
            (wild(dims, DType::F16, &mut random), wild(&[count, width], DType::F16, &mut random));
        check_node(scatter(last), &[x, indices, updates], Tolerance::Exact);
    }
}

#[test]
fn lines_are_sorted_by_a_comparator() {
    let mut random = SplitMix64::new(7);
    for (dims, axis) in [
        (&[0usize][..], 0),
        (&[1], 0),
        (&[700], 0),
        (&[30, 21], 0),
        (&[30, 21], 1),
        (&[3, 50, 4], 1),
        (&[3, 0], 0),
    ] {
        let keys = ordinary(dims, DType::F32, &mut random);
        let places = literal(dims, DType::I32, |i| Scalar::Int(i as i128));
        let types = [DType::F32, DType::F32, DType::I32, DType::I32];
        // By the nearest integer, so that many are equal; then in the original order.
        let rounded = body(&types, |_, x| {
            let [a, b] = [&x[0], &x[1]].map(|x| x.floor());
            vec![a.greater(&b)]
        });
        let sort = |comparator| Op::SortGraph { axis, stable: true, comparator };
        check_node(sort(rounded), &[keys.clone(), places.clone()], Tolerance::Exact);
        // Not an order at all, but the result is the same each time.
        let nonsense = body(&types, |b, x| vec![(&x[0] * &x[1]).greater(&b.scalar(0.0, DType::F32))]);
        check_node(sort(nonsense), &[keys.clone(), places.clone()], Tolerance::Exact);
        let branch = body(&types, |b, x| {
            b.cond(&x[2].less(&x[3]), &x[..2], &|_, x| vec![x[0].less(&x[1])], &|_, x| {
                vec![x[0].less_equal(&x[1])]
            })
        });
        check_node(sort(branch), &[keys.clone(), places.clone()], Tolerance::Exact);
        for op in [CompareOp::Lt, CompareOp::Gt] {
            for dtype in [DType::I8, DType::U64, DType::F32] {
                let named =
                    body(&[dtype, dtype, DType::I32, DType::I32], |_, x| vec![x[0].compare(op, &x[1])]);
                check_node(
                    sort(named),
                    &[ordinary(dims, dtype, &mut random), places.clone()],
                    Tolerance::Exact,
                );
            }
        }
    }
}
