//! Long sums of products of equal numbers. Their rounding errors all have the same sign, so one chain of f32 over them is off by about
//! 1e-3. The tolerances are the bounds in docs/cpu.md.

mod harness;

use harness::{Tolerance, check_node_within, literal, run, ways};
use rlx_ir::eval::Scalar;
use rlx_ir::{BinaryOp, Builder, ConvolutionSpec, DType, DotDims, Literal, Op, Shape};

/// Number of terms in a sum.
const K: usize = 100_003;

fn within(factor: f64) -> Tolerance {
    Tolerance::Close { absolute: 0.0, relative: factor * 2f64.powi(-24) }
}

fn equal(dims: &[usize], dtype: DType, x: f64) -> Literal {
    literal(dims, dtype, |_| Scalar::Float(x))
}

/// The axes of both operands that are summed, and their batch axes.
type Axes = ([usize; 2], Option<[usize; 2]>);

#[test]
fn products_of_matrices() {
    let cases: [(&[usize], &[usize], Axes); 7] = [
        (&[K], &[K], ([0, 0], None)),
        (&[1, K], &[K, 3], ([1, 0], None)),
        (&[2, K], &[K], ([1, 0], None)),
        (&[3, K], &[2, K], ([1, 1], None)),
        // The gradient of weights over many rows.
        (&[K, 3], &[K, 2], ([0, 0], None)),
        (&[17, K], &[K, 5], ([1, 0], None)),
        (&[2, 3, K], &[2, K, 2], ([2, 1], Some([0, 0]))),
    ];
    for (lhs, rhs, (contract, batch)) in cases {
        for (dtype, to, factor) in [(DType::F32, None, 267.0), (DType::BF16, Some(DType::F32), 267.0)] {
            let dims = DotDims {
                lhs_batch: batch.iter().map(|b| b[0]).collect(),
                rhs_batch: batch.iter().map(|b| b[1]).collect(),
                ..DotDims::contracting(&[contract[0]], &[contract[1]])
            };
            let op = Op::DotGeneral { dims, dtype: to };
            check_node_within(op, &[equal(lhs, dtype, 0.1), equal(rhs, dtype, 0.7)], within(factor));
        }
    }
}

#[test]
fn ragged_products() {
    // The last run overlaps the first one.
    for lengths in [[3, 0, 1], [4, -3, 2]] {
        let lengths = literal(&[3], DType::I32, |i| Scalar::Int(lengths[i]));
        let operands = [equal(&[4, K / 3], DType::F32, 0.1), equal(&[3, K / 3, 2], DType::F32, 0.7), lengths];
        check_node_within(Op::RaggedDot { dtype: None }, &operands, within(1026.0));
    }
}

#[test]
fn convolutions() {
    // Like the gradient of the weights of a convolution over a long line, with features together and separately.
    let n = K / 2;
    for (groups, factor) in [(1, 267.0), (2, 1026.0)] {
        let spec = ConvolutionSpec { feature_groups: groups, ..ConvolutionSpec::plain(1) };
        let op = Op::Convolution { spec, dtype: None };
        let x = equal(&[1, 2, n], DType::F32, 0.1);
        check_node_within(op, &[x, equal(&[2, 2 / groups, n - 2], DType::F32, 0.7)], within(factor));
    }
}

/// A sum next to a maximum, with a graph that rounds each addition to f32: of one row, and of more rows than are otherwise computed in
/// parts.
#[test]
fn reductions_by_a_graph() {
    for rows in [1, 70] {
        let body = Builder::new("sum and maximum");
        let [sum, most, x, y] =
            ["sum", "most", "x", "y"].map(|name| body.input(name, Shape::scalar(DType::F32)));
        let body = body.finish(&[&(&sum + &x), &most.binary(BinaryOp::Max, &y)]).unwrap().into();
        let b = Builder::new("reductions");
        let x = b.input("x", Shape::new(&[rows, K], DType::F32));
        let zero = b.input("zero", Shape::scalar(DType::F32));
        let both = x.apply_many(Op::ReduceGraph { body, axes: vec![1] }, &[&x, &zero, &zero]);
        let graph = b.finish(&[&both[0], &both[1]]).unwrap();
        let (x, zero) = (equal(&[rows, K], DType::F32, 0.1), equal(&[], DType::F32, 0.0));
        let right = f64::from(0.1f32) * K as f64;
        for options in ways().into_iter().take(4) {
            let got = run(&graph, &[("x", &x), ("zero", &zero)], &options);
            for &sum in got[0].as_slice::<f32>().unwrap() {
                let error = (f64::from(sum) / right - 1.0).abs();
                let bound = 2.0 * (K as f64).sqrt() * 2f64.powi(-24);
                assert!(error <= bound, "{rows} rows: {sum}, not {right}: {error:e}");
            }
        }
    }
}
