//! Compares blocked factorizations with the evaluator, whose algorithms are different: the rows of the conformance table, and sizes that
//! cross the blocks. Results that are not unique are compared through products of them.

#![cfg(feature = "linalg")]

mod harness;

use harness::{
    OnThreads, SplitMix64, Tolerance, check, definite, literal, ordinary, triangular_system, wild,
};
use rlx_compile::CompileOptions;
use rlx_ir::eval::Scalar;
use rlx_ir::{Builder, DType, Graph, Literal, Op, Tensor, UnaryOp};

const TYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];

/// Orders of square matrices around those at which algorithms change.
const ORDERS: [usize; 7] = [1, 2, 5, 17, 33, 70, 130];
const MATRICES: [&[usize]; 8] =
    [&[5, 3], &[3, 5], &[2, 40, 9], &[2, 9, 40], &[70, 33], &[33, 70], &[130, 4], &[4, 130]];

/// Returns the graph of `parts` of an op's results.
fn graph(op: Op, operands: &[Literal], parts: impl Fn(&[Tensor]) -> Vec<Tensor>) -> Graph {
    let b = Builder::new(op.mnemonic());
    let inputs: Vec<Tensor> =
        operands.iter().enumerate().map(|(i, x)| b.input(format!("x{i}"), x.shape().clone())).collect();
    let outputs = parts(&b.apply_many(op, &inputs.iter().collect::<Vec<_>>()));
    b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap()
}

/// Compares parts of an op's results with the evaluator, in units in the last place of numbers of size `size`.
fn hold(op: Op, operands: &[Literal], units: f64, size: f64, parts: impl Fn(&[Tensor]) -> Vec<Tensor>) {
    let unit = if operands[0].dtype().real() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let values: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(operands).collect();
    let tolerance = Tolerance::Close { absolute: units * unit * size, relative: 0.0 };
    check(&graph(op, operands, parts), &values, tolerance);
}

fn all(results: &[Tensor]) -> Vec<Tensor> {
    results.to_vec()
}

fn adjoint(x: &Tensor) -> Tensor {
    let t = x.transpose_last();
    if x.dtype().is_complex() { t.unary(UnaryOp::Conj) } else { t }
}

fn scale_columns(x: &Tensor, factors: &Tensor) -> Tensor {
    x * factors.convert(x.dtype()).unsqueeze(x.rank() - 2)
}

#[test]
fn the_rows_of_the_table() {
    let ops =
        "cholesky triangular_solve tridiagonal_solve lu qr geqrf geqp3 householder_product eigh eig svd";
    let ops = ops.split(' ').map(String::from).collect();
    let args = rlx_conformance::Args { ops, ..Default::default() };
    let report = rlx_conformance::run(&args, &[&OnThreads(1), &OnThreads(2)]);
    assert!(report.failures().is_empty(), "{report}");
    assert!(report.total().passed > 1000, "{report}");
}

#[test]
fn hermitian_matrices() {
    let mut random = SplitMix64::new(1);
    for n in ORDERS {
        for dtype in TYPES {
            for lower in [false, true] {
                let a = definite(&[2, n, n], dtype, &mut random);
                let operands = std::slice::from_ref(&a);
                hold(Op::Cholesky { lower }, operands, 16.0, n as f64, all);
                hold(Op::Eigh { lower }, operands, 32.0, 2.0 * n as f64, |results| {
                    let [values, vectors] = results else { unreachable!() };
                    let again = scale_columns(vectors, values).matmul(&adjoint(vectors));
                    vec![values.clone(), again, adjoint(vectors).matmul(vectors)]
                });
            }
        }
    }
}

#[test]
fn matrices_of_any_shape() {
    let mut random = SplitMix64::new(2);
    let squares = ORDERS.map(|n| vec![n, n]);
    for dims in MATRICES.iter().copied().chain(squares.iter().map(Vec::as_slice)) {
        for dtype in TYPES {
            let a = ordinary(dims, dtype, &mut random);
            let operands = std::slice::from_ref(&a);
            let n = dims.iter().rev().take(2).max().copied().unwrap_or(1) as f64;
            // Elimination with exchanges is as stable as the growth of its numbers allows, and its result is as sensitive.
            hold(Op::Lu {}, operands, 200.0 * n, 8.0, all);
            hold(Op::Geqrf {}, operands, 200.0 * n, 8.0, all);
            for full_matrices in [false, true] {
                hold(Op::Qr { full_matrices }, operands, 100.0 * n, 8.0, |results| {
                    let [q, r] = results else { unreachable!() };
                    vec![r.clone(), q.matmul(r), adjoint(q).matmul(q)]
                });
            }
            hold(Op::Svd { full_matrices: false }, operands, 100.0 * n, 8.0, |results| {
                let [u, s, vh] = results else { unreachable!() };
                let again = scale_columns(u, s).matmul(vh);
                vec![s.clone(), again, adjoint(u).matmul(u), vh.matmul(&adjoint(vh))]
            });
            hold(Op::Svd { full_matrices: true }, operands, 100.0 * n, 8.0, |results| {
                let [u, s, vh] = results else { unreachable!() };
                vec![s.clone(), adjoint(u).matmul(u), vh.matmul(&adjoint(vh))]
            });
        }
    }
}

/// With columns that depend on others, the remainder is zero or its rounding error, but orthogonal factors stay orthogonal.
#[test]
fn matrices_of_low_rank() {
    for dims in [&[5, 3][..], &[3, 5], &[40, 40]] {
        for dtype in TYPES {
            for a in
                [literal(dims, dtype, |_| Scalar::Float(2.0)), literal(dims, dtype, |_| Scalar::Float(0.0))]
            {
                let operands = std::slice::from_ref(&a);
                hold(Op::Qr { full_matrices: true }, operands, 500.0, 8.0, |results| {
                    let [q, r] = results else { unreachable!() };
                    vec![q.matmul(r), adjoint(q).matmul(q)]
                });
                hold(Op::Svd { full_matrices: false }, operands, 1000.0, 8.0, |results| {
                    let [u, s, vh] = results else { unreachable!() };
                    let again = scale_columns(u, s).matmul(vh);
                    vec![s.clone(), again, adjoint(u).matmul(u), vh.matmul(&adjoint(vh))]
                });
                // The pivots of equal rows are the first of them, and their multiples are exact.
                hold(Op::Lu {}, operands, 0.0, 0.0, all);
            }
        }
    }
}

#[test]
fn triangular_systems() {
    let mut random = SplitMix64::new(3);
    for n in ORDERS {
        for dtype in TYPES {
            for (which, columns) in (0..12).zip([1, 6, 40].into_iter().cycle()) {
                let (op, left_side) = triangular_system(which, which % 3 == 0 && n < 10);
                let rest = if left_side { [2, n, columns] } else { [2, columns, n] };
                let a = definite(&[2, n, n], dtype, &mut random);
                let b = ordinary(&rest, dtype, &mut random);
                hold(op, &[a, b], 200.0, 400.0, all);
            }
        }
    }
}

#[test]
fn products_of_reflectors() {
    let mut random = SplitMix64::new(4);
    for (dims, count) in [(&[5, 3][..], 3), (&[2, 40, 9], 5), (&[70, 40], 40), (&[70, 70], 70), (&[4, 4], 0)]
    {
        for dtype in TYPES {
            let a = literal(dims, dtype, |_| Scalar::Float((random.unit() - 0.5) / 4.0));
            let taus = [&dims[..dims.len() - 2], &[count]].concat();
            // Every third one is the identity.
            let taus = literal(&taus, dtype, |k| {
                Scalar::Float(if k % 3 == 2 { 0.0 } else { 0.3 + random.unit() / 4.0 })
            });
            hold(Op::HouseholderProduct {}, &[a, taus], 1000.0, 1.0, all);
        }
    }
}

/// With any bits, nothing panics, and results for matrices that are not definite or not finite are NaN where the op's row says so.
#[test]
fn what_is_not_finite() {
    let mut random = SplitMix64::new(5);
    for dims in [&[1, 1][..], &[3, 3], &[20, 20], &[40, 40], &[7, 3], &[3, 7], &[60, 20], &[0, 3], &[3, 0]] {
        for dtype in TYPES {
            let a = wild(dims, dtype, &mut random);
            let mut ops = vec![Op::Lu {}, Op::Geqrf {}];
            ops.extend([false, true].map(|full_matrices| Op::Qr { full_matrices }));
            ops.extend([false, true].map(|full_matrices| Op::Svd { full_matrices }));
            if dims[0] == dims[1] {
                ops.extend([false, true].map(|lower| Op::Cholesky { lower }));
                ops.extend([false, true].map(|lower| Op::Eigh { lower }));
            }
            for op in ops {
                let graph = graph(op, std::slice::from_ref(&a), all);
                harness::run(&graph, &[("x0", &a)], &CompileOptions::new());
            }
        }
    }
    for dtype in TYPES {
        let nan = literal(&[20, 20], dtype, |k| Scalar::Float(if k == 0 { f64::NAN } else { 1.0 }));
        for op in [Op::Eigh { lower: true }, Op::Svd { full_matrices: false }, Op::Cholesky { lower: true }] {
            hold(op, std::slice::from_ref(&nan), 0.0, 0.0, all);
        }
    }
}
