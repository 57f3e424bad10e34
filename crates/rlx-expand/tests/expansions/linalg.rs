//! Factorizations of difficult matrices: whether the factors multiply back and are orthogonal, in units of n·eps of the largest
//! element, under the evaluator, which rounds every operation to the element type.

use crate::expanded::expand_all;
use rlx_ir::math::Complex64;
use rlx_ir::math::linalg::singular_values;
use rlx_ir::{Builder, DType, Literal, Op, Shape, Tensor, UnaryOp};

/// A matrix with elements that are a function of row and column.
fn matrix(m: usize, n: usize, dtype: DType, f: impl Fn(usize, usize) -> (f64, f64)) -> Literal {
    let mut bytes = Vec::new();
    for i in 0..m {
        for j in 0..n {
            let (re, im) = f(i, j);
            let parts = if dtype.is_complex() { vec![re, im] } else { vec![re] };
            for part in parts {
                match dtype.real() {
                    DType::F64 => bytes.extend(part.to_le_bytes()),
                    _ => bytes.extend((part as f32).to_le_bytes()),
                }
            }
        }
    }
    Literal::from_bytes(&Shape::new(&[m, n], dtype), &bytes).expect("as many bytes as the shape has")
}

/// Pseudorandom numbers in [−1, 1).
fn noise(i: usize, j: usize) -> f64 {
    let mut x =
        (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (j as u64).wrapping_mul(0xD1B5_4A32_D192_ED03);
    x = (x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x ^= x >> 32;
    (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Tall, wide, square, of odd order, of low rank, graded over many orders of magnitude, large and small, and zero matrices.
fn hard(dtype: DType) -> Vec<(&'static str, Literal)> {
    let random = |i: usize, j: usize| (noise(i, j), noise(j + 77, i));
    let times = |x: (f64, f64), f: f64| (x.0 * f, x.1 * f);
    let rank_two = |i: usize, j: usize| {
        let part = |k: usize| noise(i, k) * noise(k + 5, j);
        (part(1) + part(2), 0.0)
    };
    let large = if dtype.real() == DType::F64 { 1e200 } else { 1e25 };
    vec![
        ("square", matrix(12, 12, dtype, random)),
        ("odd", matrix(13, 13, dtype, random)),
        ("tall", matrix(17, 6, dtype, random)),
        ("wide", matrix(5, 16, dtype, random)),
        ("row", matrix(1, 7, dtype, random)),
        ("column", matrix(7, 1, dtype, random)),
        ("rank two", matrix(9, 7, dtype, rank_two)),
        ("graded", matrix(8, 8, dtype, |i, j| times(random(i, j), 10f64.powi(-((i + j) as i32) / 2)))),
        ("large", matrix(6, 4, dtype, |i, j| times(random(i, j), large))),
        ("small", matrix(6, 4, dtype, |i, j| times(random(i, j), 1.0 / large))),
        ("zeros", matrix(5, 3, dtype, |_, _| (0.0, 0.0))),
        ("hilbert", matrix(8, 8, dtype, |i, j| (1.0 / (i + j + 1) as f64, 0.0))),
        ("identity", matrix(6, 6, dtype, |i, j| (f64::from(u8::from(i == j)), 0.0))),
    ]
}

const TYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];

fn adjoint(x: &Tensor) -> Tensor {
    let t = x.transpose_last();
    if x.dtype().is_complex() { t.unary(UnaryOp::Conj) } else { t }
}

/// The sizes of the results of `parts` on the operand and the results of the expanded op; products are computed in f64.
fn run(op: &Op, a: &Literal, parts: impl Fn(&Tensor, &[Tensor]) -> Vec<Tensor>) -> Vec<f64> {
    let expansion = {
        let b = Builder::new("op");
        let x = b.input("x", a.shape().clone());
        let results = b.apply_many(op.clone(), &[&x]);
        expand_all(&b.finish(&results.iter().collect::<Vec<_>>()).expect("valid"), 0).expect("expands")
    };
    let results = rlx_ir::eval(&expansion, &[("x", a)]).expect("runs");
    let b = Builder::new("parts");
    let wide = |name: &str, shape: &Shape| {
        let x = b.input(name, shape.clone());
        x.convert(if shape.dtype().is_complex() { DType::C128 } else { DType::F64 })
    };
    let x = wide("x", a.shape());
    let named: Vec<String> = (0..results.len()).map(|i| format!("r{i}")).collect();
    let inputs: Vec<Tensor> = results.iter().zip(&named).map(|(r, n)| wide(n, r.shape())).collect();
    let made: Vec<Tensor> = parts(&x, &inputs).iter().map(|p| p.abs()).collect();
    let graph = b.finish(&made.iter().collect::<Vec<_>>()).expect("valid");
    let mut values = vec![("x", a)];
    values.extend(named.iter().map(String::as_str).zip(&results));
    let largest = |x: &Literal| {
        let all = x.as_slice::<f64>().expect("f64");
        all.iter().fold(0.0, |m: f64, &v| if v.is_nan() { f64::INFINITY } else { m.max(v) })
    };
    rlx_ir::eval(&graph, &values).expect("runs").iter().map(largest).collect()
}

fn columns_scaled(x: &Tensor, by: &Tensor) -> Tensor {
    x * by.convert(x.dtype()).unsqueeze(0)
}

/// X·Y − Z, and AᴴA − 1 for each A.
fn defects(product: &Tensor, of: &Tensor, orthonormal: &[&Tensor]) -> Vec<Tensor> {
    let mut all = vec![product - of];
    for q in orthonormal {
        let n = q.shape().static_dims().expect("static")[1];
        let b = q.builder();
        let number = |axis| b.iota(Shape::new(&[n, n], DType::I32), axis);
        let one = number(0).equal(&number(1)).convert(q.dtype());
        all.push(adjoint(q).matmul(q) - one);
    }
    all.push(of.clone());
    all
}

/// Fails if a defect exceeds `units`·n·eps. The first defect is relative to the operand, which comes last.
fn hold(name: &str, op: &Op, a: &Literal, units: f64, sizes: &[f64]) {
    let dtype = a.dtype();
    let eps = if dtype.real() == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    let n = a.dims().into_iter().max().unwrap_or(1) as f64;
    let scale = sizes.last().copied().unwrap_or(1.0);
    let scale = if scale > 0.0 { scale } else { 1.0 };
    for (i, size) in sizes[..sizes.len() - 1].iter().enumerate() {
        let relative = if i == 0 { size / scale } else { *size };
        assert!(
            relative <= units * n * eps,
            "{name} {dtype} {op:?}: defect {i} is {} n·eps",
            relative / (n * eps)
        );
    }
}

#[test]
fn qr_makes_up_the_matrix_of_orthonormal_columns() {
    for dtype in TYPES {
        for (name, a) in hard(dtype) {
            for full_matrices in [false, true] {
                let op = Op::Qr { full_matrices };
                let sizes = run(&op, &a, |a, r| defects(&r[0].matmul(&r[1]), a, &[&r[0]]));
                hold(name, &op, &a, 4.0, &sizes);
            }
        }
    }
}

#[test]
fn svd_makes_up_the_matrix_of_orthonormal_columns() {
    for dtype in TYPES {
        for (name, a) in hard(dtype) {
            let op = Op::Svd { full_matrices: false };
            let sizes = run(&op, &a, |a, r| {
                let product = columns_scaled(&r[0], &r[1]).matmul(&r[2]);
                defects(&product, a, &[&r[0], &adjoint(&r[2])])
            });
            hold(name, &op, &a, 4.0, &sizes);
            let op = Op::Svd { full_matrices: true };
            let sizes = run(&op, &a, |a, r| {
                // The sizes of both matrices are those of A.
                let k = r[1].shape().static_dims().expect("static")[0];
                let product =
                    columns_scaled(&r[0].slice_axis(1, 0, k), &r[1]).matmul(&r[2].slice_axis(0, 0, k));
                defects(&product, a, &[&r[0], &adjoint(&r[2])])
            });
            hold(name, &op, &a, 4.0, &sizes);
        }
    }
}

#[test]
fn singular_values_are_those_of_the_evaluator_and_descend() {
    for (name, a) in hard(DType::F64) {
        let [m, n] = a.dims()[..] else { panic!("a matrix") };
        let b = Builder::new("svd");
        let x = b.input("x", a.shape().clone());
        let s = x.apply_many(Op::Svd { full_matrices: false }, &[]).swap_remove(1);
        let graph = expand_all(&b.finish(&[&s]).expect("valid"), 0).expect("expands");
        let got = rlx_ir::eval(&graph, &[("x", &a)]).expect("runs");
        let got = got[0].as_slice::<f64>().expect("f64");
        assert!(got.windows(2).all(|w| w[0] >= w[1]), "{name}: {got:?}");
        let values: Vec<Complex64> =
            a.as_slice::<f64>().expect("f64").iter().map(|&x| Complex64::from(x)).collect();
        let want = singular_values(&values, m, n);
        for (g, w) in got.iter().zip(&want) {
            assert!((g - w).abs() <= 16.0 * f64::EPSILON * want[0], "{name}: {g} {w}");
        }
    }
}

#[test]
fn eigh_makes_up_the_matrix_of_orthonormal_columns() {
    for dtype in TYPES {
        for (name, a) in hard(dtype) {
            let [m, n] = a.dims()[..] else { panic!("a matrix") };
            if m != n {
                continue;
            }
            // A + Aᴴ in the element type.
            let b = Builder::new("hermitian");
            let x = b.input("x", a.shape().clone());
            let graph = b.finish(&[&(&x + adjoint(&x))]).expect("valid");
            let a = rlx_ir::eval(&graph, &[("x", &a)]).expect("runs").swap_remove(0);
            for lower in [true, false] {
                let op = Op::Eigh { lower };
                let sizes = run(&op, &a, |a, r| {
                    defects(&columns_scaled(&r[1], &r[0]).matmul(&adjoint(&r[1])), a, &[&r[1]])
                });
                hold(name, &op, &a, 4.0, &sizes);
            }
        }
    }
}

/// Square matrices with eigenvalues that are hard to find: all of the same modulus, several equal ones, or without a full set of
/// vectors.
fn special(dtype: DType) -> Vec<(&'static str, Literal)> {
    let one_if = |holds: bool| (f64::from(u8::from(holds)), 0.0);
    let mut all: Vec<_> = hard(dtype).into_iter().filter(|(_, a)| a.dims()[0] == a.dims()[1]).collect();
    all.extend([
        ("one", matrix(1, 1, dtype, |_, _| (-2.0, 0.0))),
        ("cycle", matrix(5, 5, dtype, |i, j| one_if((i + 1) % 5 == j))),
        ("nilpotent", matrix(4, 4, dtype, |i, j| one_if(i + 1 == j))),
        ("zero", matrix(3, 3, dtype, |_, _| (0.0, 0.0))),
        ("ones", matrix(6, 6, dtype, |_, _| (1.0, 0.0))),
        ("skew", matrix(4, 4, dtype, |i, j| (i as f64 - j as f64, 0.0))),
    ]);
    all
}

#[test]
fn eigenvectors_of_any_matrix_belong_to_their_values() {
    for dtype in TYPES {
        for (name, a) in special(dtype) {
            let op = Op::Eig { left: true, right: true };
            let sizes = run(&op, &a, |a, r| {
                let [values, left, right] = r else { panic!("three results") };
                let (a, n) = (a.convert(DType::C128), values.dim(0).as_static().expect("static"));
                let squares = |v: &Tensor| {
                    let size = v.abs();
                    (&size * &size).reduce(rlx_ir::ReduceOp::Sum, &[0], false) - 1.0
                };
                let turned = adjoint(&a).matmul(left) - columns_scaled(left, &values.unary(UnaryOp::Conj));
                // For real matrices, the parts that are not real cancel.
                let sum = values.unary(UnaryOp::Imag).reduce(rlx_ir::ReduceOp::Sum, &[0], false);
                let sum = if dtype.is_complex() { &sum - &sum } else { sum };
                let residual = a.matmul(right) - columns_scaled(right, values);
                let both = residual.apply(Op::Concatenate { axis: 0 }, &[&turned]);
                assert_eq!(both.dim(0).as_static(), Some(2 * n));
                vec![both, squares(left), squares(right), sum, a]
            });
            hold(name, &op, &a, 4.0, &sizes);
        }
    }
}

#[test]
fn lu_makes_up_the_permuted_matrix() {
    for dtype in TYPES {
        for (name, a) in hard(dtype) {
            let [m, n] = a.dims()[..] else { panic!("a matrix") };
            let k = m.min(n);
            let sizes = run(&Op::Lu {}, &a, |a, r| {
                let b = a.builder();
                let number = |axis| b.iota(Shape::new(&[m, n], DType::I32), axis);
                let (row, column) = (number(0), number(1));
                let zero = a.scalar_like(0.0);
                let below = row.greater(&column).select(&r[0], &zero);
                let lower = below + row.equal(&column).convert(a.dtype());
                let upper = row.less_equal(&column).select(&r[0], &zero);
                let product = lower.slice_axis(1, 0, k).matmul(&upper.slice_axis(0, 0, k));
                let order = r[2].convert(DType::I32).unsqueeze(1).broadcast_to(&a.dims());
                defects(&product, &a.apply(Op::GatherAxis { axis: 0 }, &[&order]), &[])
            });
            hold(name, &Op::Lu {}, &a, 4.0, &sizes);
        }
    }
}

#[test]
fn what_is_not_a_number_ends() {
    for dtype in TYPES {
        for bad in [f64::NAN, f64::INFINITY] {
            for place in 0..9 {
                let a = matrix(3, 3, dtype, |i, j| {
                    let x = if i * 3 + j == place { bad } else { noise(i, j) };
                    (x, 0.5)
                });
                for op in [
                    Op::Lu {},
                    Op::Geqrf {},
                    Op::Qr { full_matrices: false },
                    Op::Svd { full_matrices: true },
                    Op::Eigh { lower: true },
                    Op::Eig { left: true, right: true },
                    Op::Cholesky { lower: false },
                ] {
                    let shapes = op.infer(std::slice::from_ref(a.shape())).expect("a matrix");
                    let graph = rlx_expand::expand_graph(&op, std::slice::from_ref(a.shape()));
                    let graph =
                        expand_all(&graph.expect("an expansion").expect("valid"), 0).expect("expands");
                    let results = rlx_ir::eval(&graph, &[("x0", &a)]).expect("ends");
                    assert!(results.iter().map(Literal::shape).eq(&shapes), "{op:?}");
                }
            }
        }
    }
}
