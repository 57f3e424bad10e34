//! Compares factorizations and triangular systems, computed with the evaluator's plain algorithms, with the evaluator bit for bit.

#![cfg(not(feature = "linalg"))]

mod harness;

use harness::{SplitMix64, check_node, definite, literal, ordinary, triangular_system, wild};
use rlx_ir::eval::Scalar;
use rlx_ir::{DType, Op};

const TYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];

const SQUARES: [&[usize]; 8] =
    [&[0, 0], &[1, 1], &[2, 2], &[7, 7], &[3, 5, 5], &[2, 0, 4, 4], &[2, 3, 3, 3], &[40, 9, 9]];
const MATRICES: [&[usize]; 10] = [
    &[0, 3],
    &[3, 0],
    &[1, 1],
    &[5, 3],
    &[3, 5],
    &[4, 4],
    &[2, 3, 0],
    &[3, 9, 4],
    &[2, 2, 4, 6],
    &[40, 8, 5],
];

#[test]
fn square_matrices() {
    let mut random = SplitMix64::new(1);
    for dims in SQUARES {
        for dtype in TYPES {
            for lower in [false, true] {
                let a = definite(dims, dtype, &mut random);
                check_node(Op::Cholesky { lower }, std::slice::from_ref(&a));
                check_node(Op::Eigh { lower }, &[a]);
                // Neither definite nor finite.
                check_node(Op::Cholesky { lower }, &[ordinary(dims, dtype, &mut random)]);
                check_node(Op::Eigh { lower }, &[wild(dims, dtype, &mut random)]);
            }
            for (left, right) in [(false, false), (false, true), (true, false), (true, true)] {
                let a = ordinary(dims, dtype, &mut random);
                let flat = literal(dims, dtype, |_| Scalar::Float(2.0));
                for a in [a, flat, wild(dims, dtype, &mut random)] {
                    check_node(Op::Eig { left, right }, &[a]);
                }
            }
        }
    }
}

#[test]
fn matrices_of_any_shape() {
    let mut random = SplitMix64::new(2);
    for dims in MATRICES {
        for dtype in TYPES {
            let a = ordinary(dims, dtype, &mut random);
            // A matrix of rank one, whose decomposition needs vectors from outside of its range.
            let flat = literal(dims, dtype, |_| Scalar::Float(2.0));
            for a in [a, flat, wild(dims, dtype, &mut random)] {
                check_node(Op::Lu {}, std::slice::from_ref(&a));
                check_node(Op::Geqrf {}, std::slice::from_ref(&a));
                let columns = [&dims[..dims.len() - 2], &dims[dims.len() - 1..]].concat();
                for every in [1, 2, usize::MAX] {
                    let leading = literal(&columns, DType::I32, |k| Scalar::Int(i128::from(k % every == 1)));
                    check_node(Op::Geqp3 {}, &[a.clone(), leading]);
                }
                for full_matrices in [false, true] {
                    check_node(Op::Qr { full_matrices }, std::slice::from_ref(&a));
                    check_node(Op::Svd { full_matrices }, std::slice::from_ref(&a));
                }
            }
        }
    }
}

#[test]
fn products_of_reflectors() {
    let mut random = SplitMix64::new(4);
    for dims in MATRICES {
        let (batch, [m, n]) = (&dims[..dims.len() - 2], [dims[dims.len() - 2], dims[dims.len() - 1]]);
        for dtype in TYPES {
            for k in (0..=n).filter(|_| n <= m) {
                let taus = ordinary(&[batch, &[k]].concat(), dtype, &mut random);
                check_node(Op::HouseholderProduct {}, &[ordinary(dims, dtype, &mut random), taus]);
            }
        }
    }
}

#[test]
fn tridiagonal_systems() {
    let mut random = SplitMix64::new(5);
    for dims in MATRICES {
        for dtype in TYPES {
            for make in [ordinary, wild] {
                let mut vector = || make(&dims[..dims.len() - 1], dtype, &mut random);
                let diagonals = [vector(), vector(), vector()];
                let b = ordinary(dims, dtype, &mut random);
                check_node(Op::TridiagonalSolve {}, &[&diagonals[..], &[b]].concat());
            }
        }
    }
}

#[test]
fn triangular_systems() {
    let mut random = SplitMix64::new(3);
    for dims in SQUARES {
        let (batch, n) = (&dims[..dims.len() - 2], dims[dims.len() - 1]);
        for dtype in [DType::F16, DType::BF16].into_iter().chain(TYPES) {
            for (which, columns) in (0..12).zip([0, 1, 6].into_iter().cycle()) {
                let (op, left_side) = triangular_system(which, which % 3 == 0);
                let rest = if left_side { [n, columns] } else { [columns, n] };
                let a = definite(dims, dtype, &mut random);
                let b = ordinary(&[batch, &rest].concat(), dtype, &mut random);
                check_node(op, &[a, b]);
            }
        }
    }
}
