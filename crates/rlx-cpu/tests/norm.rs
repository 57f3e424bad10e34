//! Compares normalizations and softmax with the evaluator, alone and together with the sum that they normalize.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal, ordinary};
use rlx_ir::eval::Scalar;
use rlx_ir::{BinaryOp, DType, Graph, Literal, Op, Shape};

const EPS: f64 = 1e-5;

/// Normalized numbers have magnitude 1 and lose a few roundings; weights and shifts have magnitude 4.
const NORM: Tolerance = Tolerance::Close { absolute: 4e-6, relative: 1e-6 };
/// Weights have relative errors: the rounding of the exponent, a few ulps, and that of the sum.
const SOFTMAX: Tolerance = Tolerance::Close { absolute: 1e-30, relative: 1e-6 };
/// Logarithms of weights are as low as about −30, where an ulp is 2e-6.
const LOG_SOFTMAX: Tolerance = Tolerance::Close { absolute: 2e-6, relative: 2e-7 };

const SIZES: [&[usize]; 12] = [
    &[1, 1],
    &[3, 2],
    &[5, 7],
    &[2, 3, 16],
    &[4, 31],
    &[3, 33],
    &[2, 64],
    &[7, 130],
    &[128, 384],
    &[2, 2, 1000],
    &[0, 5],
    &[5, 0],
];

/// Returns a graph of one op on operands `a`, `b`, … of these sizes; with `sum` it reads the sum of the first two.
fn graph_of(op: Op, sizes: &[&[usize]], sum: bool) -> Graph {
    let mut graph = Graph::new("norm");
    let mut inputs: Vec<_> =
        (0..sizes.len()).map(|i| graph.input(NAMES[i], Shape::new(sizes[i], DType::F32))).collect();
    if sum {
        let second = inputs.remove(1);
        inputs[0] = graph.try_add(Op::Binary { op: BinaryOp::Add }, vec![inputs[0], second]).unwrap();
    }
    let node = graph.try_add(op, inputs).unwrap();
    graph.set_outputs(vec![node]);
    graph
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn check_all(graph: &Graph, values: &[Literal], tolerance: Tolerance) {
    let named: Vec<(&str, &Literal)> = NAMES.into_iter().zip(values).collect();
    check(graph, &named, tolerance);
}

fn numbers(sizes: &[&[usize]], random: &mut SplitMix64) -> Vec<Literal> {
    sizes.iter().map(|dims| ordinary(dims, DType::F32, random)).collect()
}

#[test]
fn norms_with_and_without_weights_and_sums() {
    let mut random = SplitMix64::new(1);
    for dims in SIZES {
        for axis in 0..dims.len() {
            let row = &dims[axis..];
            for sum in [false, true] {
                for weights in 0..3 {
                    let mut sizes = vec![dims; 1 + usize::from(sum)];
                    sizes.extend(vec![row; weights]);
                    let values = numbers(&sizes, &mut random);
                    let layer = graph_of(Op::LayerNorm { axis, eps: EPS }, &sizes, sum);
                    check_all(&layer, &values, NORM);
                    if weights < 2 {
                        let rms = graph_of(Op::RmsNorm { axis, eps: EPS }, &sizes, sum);
                        check_all(&rms, &values, NORM);
                    }
                }
            }
        }
    }
}

#[test]
fn a_mean_far_from_zero_does_not_spoil_the_variance() {
    let mut random = SplitMix64::new(2);
    let dims: &[usize] = &[9, 500];
    let x = literal(dims, DType::F32, |_| Scalar::Float(1000.0 + random.unit()));
    // The error of the mean is about half an ulp of 1000, 3e-5, and the deviation is 0.3.
    let tolerance = Tolerance::Close { absolute: 2e-4, relative: 0.0 };
    check_all(&graph_of(Op::LayerNorm { axis: 1, eps: EPS }, &[dims], false), &[x], tolerance);
}

#[test]
fn one_value_added_to_itself_and_a_weight_that_is_also_added() {
    let mut random = SplitMix64::new(3);
    let x = ordinary(&[3, 40], DType::F32, &mut random);
    let mut graph = Graph::new("double");
    let a = graph.input("a", x.shape().clone());
    let sum = graph.try_add(Op::Binary { op: BinaryOp::Add }, vec![a, a]).unwrap();
    let node = graph.try_add(Op::RmsNorm { axis: 1, eps: EPS }, vec![sum]).unwrap();
    graph.set_outputs(vec![node]);
    check_all(&graph, &[x], NORM);

    let row = ordinary(&[40], DType::F32, &mut random);
    let other = ordinary(&[40], DType::F32, &mut random);
    let mut graph = Graph::new("weight");
    let (a, b) = (graph.input("a", row.shape().clone()), graph.input("b", row.shape().clone()));
    let both = graph.try_add(Op::Binary { op: BinaryOp::Mul }, vec![a, b]).unwrap();
    let sum = graph.try_add(Op::Binary { op: BinaryOp::Add }, vec![both, a]).unwrap();
    let node = graph.try_add(Op::LayerNorm { axis: 0, eps: EPS }, vec![sum, both]).unwrap();
    graph.set_outputs(vec![node]);
    check_all(&graph, &[row, other], NORM);
}

#[test]
fn softmax_of_every_length() {
    let mut random = SplitMix64::new(4);
    for dims in SIZES {
        let axis = dims.len() - 1;
        let x = literal(dims, DType::F32, |_| Scalar::Float(random.unit() * 40.0 - 20.0));
        check_all(&graph_of(Op::Softmax { axis }, &[dims], false), std::slice::from_ref(&x), SOFTMAX);
        check_all(&graph_of(Op::LogSoftmax { axis }, &[dims], false), &[x], LOG_SOFTMAX);
    }
}

#[test]
fn softmax_along_other_axes_is_decomposed() {
    let mut random = SplitMix64::new(5);
    let dims: &[usize] = &[3, 5, 4];
    let x = numbers(&[dims], &mut random);
    check_all(&graph_of(Op::Softmax { axis: 1 }, &[dims], false), &x, SOFTMAX);
    check_all(&graph_of(Op::LogSoftmax { axis: 0 }, &[dims], false), &x, LOG_SOFTMAX);
}

/// Rows with one special number among ordinary ones, and rows of only that number.
#[test]
fn infinities_and_nan_reach_the_rows_that_have_them_and_no_others() {
    const ODD: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 3e38, -3e38];
    let mut random = SplitMix64::new(6);
    for len in [1usize, 5, 37, 200] {
        let dims: &[usize] = &[16, len];
        for odd in ODD {
            let x = literal(dims, DType::F32, |i| {
                let (row, column) = (i / len, i % len);
                let here = (row == 3 && column == len / 2) || (row == 9 && column == len - 1) || row == 12;
                Scalar::Float(if here { odd } else { random.unit() * 8.0 - 4.0 })
            });
            for op in [Op::Softmax { axis: 1 }, Op::LogSoftmax { axis: 1 }] {
                check_all(&graph_of(op, &[dims], false), std::slice::from_ref(&x), LOG_SOFTMAX);
            }
            if odd.is_finite() {
                continue;
            }
            for op in [Op::LayerNorm { axis: 1, eps: EPS }, Op::RmsNorm { axis: 1, eps: EPS }] {
                check_all(&graph_of(op, &[dims], false), std::slice::from_ref(&x), NORM);
            }
        }
    }
}

#[test]
fn other_types_are_decomposed() {
    let mut random = SplitMix64::new(7);
    for dtype in [DType::F64, DType::BF16] {
        let mut graph = Graph::new("other");
        let x = graph.input("a", Shape::new(&[4, 9], dtype));
        let y = graph.input("b", Shape::new(&[4, 9], dtype));
        let sum = graph.try_add(Op::Binary { op: BinaryOp::Add }, vec![x, y]).unwrap();
        let norm = graph.try_add(Op::LayerNorm { axis: 1, eps: EPS }, vec![sum]).unwrap();
        graph.set_outputs(vec![norm]);
        let values = [ordinary(&[4, 9], dtype, &mut random), ordinary(&[4, 9], dtype, &mut random)];
        let tolerance = if dtype == DType::F64 { NORM } else { Tolerance::Ulps(1) };
        check_all(&graph, &values, tolerance);
    }
}
