//! How often values are computed: values with several readers, and readers that repeat a value.

mod support;

use rlx_codegen::judge::{interpret, judge};
use rlx_codegen::{Launches, lower};
use rlx_ir::{
    Activation, BinaryOp, Builder, DType, Dim, Graph, Literal, Op, ReduceOp, Shape, SubGraph, Tensor, UnaryOp,
};

fn group(inputs: &[&[usize]], body: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> Graph {
    let shapes: Vec<Shape> = inputs.iter().map(|dims| Shape::new(dims, DType::F32)).collect();
    support::group(&shapes, body)
}

/// Runs a group on small numbers and compares it with the evaluator. Returns the launches, and how often each function was applied.
fn lowered(group: &Graph) -> (Launches, impl Fn(&str) -> u64 + use<>) {
    let literal = |(i, shape): (usize, &Shape)| {
        let dims = shape.static_dims().unwrap();
        let count: usize = dims.iter().product();
        let elements: Vec<f32> =
            (0..count).map(|k| ((5 * k + 3 * i + k * k) % 13) as f32 / 8.0 - 0.5).collect();
        Literal::new(&dims, &elements).unwrap()
    };
    let shapes = group.input_shapes();
    let literals: Vec<Literal> = shapes.iter().enumerate().map(literal).collect();
    let inputs: Vec<&Literal> = literals.iter().collect();
    let distance = judge(group, &inputs).unwrap_or_else(|e| panic!("{e}"));
    // Sums of a few dozen terms in f32.
    assert!(distance < 32.0, "{distance} units in the last place");
    let applied = interpret(group, &inputs).unwrap().counts.applications;
    (lower(group).unwrap(), move |name: &str| applied.get(name).copied().unwrap_or(0))
}

#[test]
fn functions_of_a_product_are_computed_with_it() {
    let group = group(&[&[4, 6], &[6, 5], &[5]], |x| {
        let sum = &x[0].matmul(&x[1]) + &x[2];
        vec![sum.activation(Activation::Silu), sum.unary(UnaryOp::Neg)]
    });
    let (launches, applied) = lowered(&group);
    assert_eq!((launches.launches.len(), launches.temporaries.len()), (1, 0));
    // Once per element of the product, and once per element for silu.
    assert_eq!(applied("mul"), 4 * 6 * 5 + 4 * 5);
}

#[test]
fn halves_of_a_product_meet_without_memory() {
    let group = group(&[&[4, 6], &[6, 10]], |x| {
        let both = x[0].matmul(&x[1]);
        let (gate, up) = (both.slice_axis(1, 0, 5), both.slice_axis(1, 5, 10));
        vec![&gate.activation(Activation::Silu) * &up]
    });
    let (launches, applied) = lowered(&group);
    assert_eq!((launches.launches.len(), launches.temporaries.len()), (1, 0));
    assert_eq!(applied("mul"), 4 * 6 * 10 + 2 * 4 * 5);
}

#[test]
fn results_of_a_barrier_are_what_it_is_given() {
    let group = group(&[&[4, 6], &[6, 5]], |x| {
        let kept = x[0].matmul(&x[1]).apply_many(Op::OptimizationBarrier {}, &[&x[1]]);
        vec![&kept[0] + 1.0, kept[1].unary(UnaryOp::Neg)]
    });
    let (launches, applied) = lowered(&group);
    assert_eq!((launches.launches.len(), launches.temporaries.len()), (1, 0));
    assert_eq!(applied("mul"), 4 * 6 * 5);
}

#[test]
fn a_loop_that_is_read_elsewhere_runs_once() {
    let group = group(&[&[4, 6]], |x| {
        let squares = x[0].matmul(&x[0].transpose(&[1, 0]));
        vec![&squares + &squares.transpose(&[1, 0]).unary(UnaryOp::Exp)]
    });
    let (launches, applied) = lowered(&group);
    assert_eq!((launches.launches.len(), launches.temporaries.len()), (2, 1));
    assert_eq!((applied("mul"), applied("exp")), (4 * 6 * 4, 4 * 4));
}

#[test]
fn softmax_that_is_not_made_row_by_row_reads_its_statistics_from_memory() {
    let group = group(&[&[3, 7]], |x| vec![x[0].softmax(1).transpose(&[1, 0])]);
    let (launches, applied) = lowered(&group);
    // The maxima, the sums, and the quotients. Exponentials are computed again instead of being stored.
    assert_eq!((launches.launches.len(), launches.temporaries.len()), (3, 2));
    assert_eq!(applied("exp"), 2 * 3 * 7);
}

#[test]
fn what_follows_a_reduction_is_stored_with_it() {
    let group = group(&[&[3, 8]], |x| {
        let variance = (&x[0] * &x[0]).reduce(ReduceOp::Sum, &[1], true);
        vec![(&x[0] * &(&variance + 1e-5).unary(UnaryOp::Rsqrt)).transpose(&[1, 0])]
    });
    let (launches, applied) = lowered(&group);
    assert_eq!((launches.launches.len(), launches.temporaries.len()), (2, 1));
    assert_eq!(applied("rsqrt"), 3);
}

#[test]
fn a_dear_operand_of_a_product_is_computed_once_per_element() {
    let group = group(&[&[4, 6], &[6, 5]], |x| vec![x[0].unary(UnaryOp::Exp).matmul(&(&x[1] * 2.0))]);
    let (launches, applied) = lowered(&group);
    assert_eq!((launches.launches.len(), launches.temporaries.len()), (2, 1));
    assert_eq!(applied("exp"), 4 * 6);
    // A cheap one is computed where it is read.
    assert_eq!(applied("mul"), 2 * 4 * 6 * 5);
}

#[test]
fn readers_at_many_indices_do_not_multiply_the_work() {
    let levels = 20;
    let group = group(&[&[9]], |x| {
        let roll = |x: &Tensor| x.apply(Op::Roll { shifts: vec![1], axes: vec![0] }, &[]);
        vec![(0..levels).fold(x[0].clone(), |x, _| (&x + &roll(&x)) * 0.5)]
    });
    let (_, applied) = lowered(&group);
    assert!(applied("add") < 9 * levels * 40, "{}", applied("add"));
}

#[test]
fn loops_do_not_run_where_nothing_needs_them() {
    let inputs: [&[usize]; 3] = [&[32, 5], &[1, 6], &[6, 5]];
    let replaced = group(&inputs, |x| {
        let b = x[0].builder();
        let (at, zero) = (b.int(7, DType::I32), b.int(0, DType::I32));
        vec![x[0].apply(Op::DynamicUpdateSlice {}, &[&x[1].matmul(&x[2]), &at, &zero])]
    });
    let joined = group(&inputs, |x| {
        vec![x[0].apply(Op::Concatenate { axis: 0 }, &[&x[1].matmul(&x[2])]).unary(UnaryOp::Neg)]
    });
    for group in [replaced, joined] {
        let (launches, applied) = lowered(&group);
        assert_eq!(launches.launches.len(), 2);
        assert_eq!(applied("mul"), 6 * 5);
    }
}

#[test]
fn indices_stay_short_through_many_reshapes() {
    let b = Builder::new("group");
    let (m, n) = (Dim::dynamic("m"), Dim::dynamic("n"));
    let x = b.input("x0", Shape::from_dims(&[m.clone(), n.clone()], DType::F32));
    let turned = |x: Tensor, _| x.transpose(&[1, 0]).reshape(&[m.clone(), n.clone()]);
    let group = b.finish(&[&(0..40).fold(x, turned)]).unwrap();
    assert!(lower(&group).unwrap().to_string().len() < 40_000);
    let x = Literal::new(&[3, 5], &(0..15).map(|i| i as f32).collect::<Vec<_>>()).unwrap();
    assert_eq!(judge(&group, &[&x]).unwrap(), 0.0);
}

#[test]
fn kernels_stay_short_however_large_the_group_is() {
    // Each level reads the one before at twice as many indices.
    let doubled = group(&[&[1]], |x| {
        let twice = |x: Tensor, _| x.apply(Op::Concatenate { axis: 0 }, &[&x.unary(UnaryOp::Neg)]);
        vec![(0..12).fold(x[0].clone(), twice)]
    });
    let (launches, _) = lowered(&doubled);
    assert!(launches.to_string().len() < 100_000, "{}", launches.to_string().len());
    let long = group(&[&[2]], |x| vec![(0..20_000).fold(x[0].clone(), |x, _| &x * -1.0)]);
    let (launches, applied) = lowered(&long);
    assert_eq!(applied("mul"), 2 * 20_000);
    assert!(launches.launches.len() > 100);
}

#[test]
fn results_of_one_loop_are_computed_together() {
    let body = || {
        let b = Builder::new("body");
        let scalar = |name: &str| b.input(name, Shape::scalar(DType::F32));
        let (a, p, x, y) = (scalar("a"), scalar("p"), scalar("x"), scalar("y"));
        let (sum, product) = (&a + &x, p.binary(BinaryOp::Mul, &y));
        SubGraph::new(b.finish(&[&sum, &product]).unwrap())
    };
    let group = group(&[&[4, 6], &[4, 6]], |x| {
        let b = x[0].builder();
        let (zero, one) = (b.scalar(0.0, DType::F32), b.scalar(1.0, DType::F32));
        let op = Op::ReduceGraph { body: body(), axes: vec![1] };
        let results = x[0].apply_many(op, &[&x[1], &zero, &one]);
        vec![results[0].unary(UnaryOp::Neg), &results[0] + &results[1]]
    });
    let (launches, applied) = lowered(&group);
    assert_eq!(launches.launches.len(), 1);
    assert_eq!((applied("add"), applied("mul")), (4 * 6 + 4, 4 * 6));
}

#[test]
fn constants_are_memory_where_their_elements_differ() {
    let group = group(&[&[4]], |x| {
        let b = x[0].builder();
        let table = b.constant(Literal::new(&[4], &[1.0f32, 2.0, -3.0, 0.5]).unwrap());
        let same = b.constant(Literal::new(&[4], &[0.25f32; 4]).unwrap());
        vec![&(&x[0] * &table) + &same]
    });
    let (launches, _) = lowered(&group);
    assert_eq!(launches.constants.len(), 1);
    assert_eq!(launches.launches[0].arguments.len(), 3);
}
