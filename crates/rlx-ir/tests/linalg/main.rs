//! Factorizations: numbers from JAX where they are unique, otherwise the products and the conventions.

mod lapack;
mod matrix;

use matrix::{C, Matrix, complex, literal, matrices, sample, vectors};
use rlx_ir::{Builder, DType, Graph, Literal, Op, Shape, Tensor, TransposeOp, eval};

/// Evaluates `op`, after checking that its text form reads back equal.
fn run(op: Op, operands: &[&Literal]) -> Vec<Literal> {
    let b = Builder::new("test");
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let inputs: Vec<Tensor> =
        names.iter().zip(operands).map(|(n, a)| b.input(n, a.shape().clone())).collect();
    let outputs = b.apply_many(op, &inputs.iter().collect::<Vec<_>>());
    let graph = b.finish(&outputs.iter().collect::<Vec<_>>()).expect("a valid graph");
    assert_eq!(Graph::parse(&graph.to_string()).expect("parses"), graph);
    let named: Vec<(&str, &Literal)> =
        names.iter().map(String::as_str).zip(operands.iter().copied()).collect();
    eval(&graph, &named).expect("runs")
}

fn f64s(dims: &[usize], data: &[f64]) -> Literal {
    Literal::new(dims, data).expect("fits")
}

fn c128s(dims: &[usize], data: &[[f64; 2]]) -> Literal {
    Literal::new(dims, data).expect("fits")
}

/// Element types, with the error that rounding the results to them may cause.
const FIELDS: [(DType, f64); 4] =
    [(DType::F64, 1e-13), (DType::F32, 3e-6), (DType::C128, 1e-13), (DType::C64, 3e-6)];

const EXTENTS: [(usize, usize); 8] = [(1, 1), (2, 2), (5, 5), (7, 3), (3, 7), (1, 4), (4, 1), (12, 9)];

#[track_caller]
fn near(got: &Literal, dims: &[usize], wanted: &[f64]) {
    assert_eq!(got.dims(), dims);
    let got: Vec<f64> = match got.dtype() {
        DType::C128 | DType::C64 => complex(got).into_iter().flatten().collect(),
        _ => complex(got).into_iter().map(|z| z[0]).collect(),
    };
    assert_eq!(got.len(), wanted.len());
    for (g, w) in got.iter().zip(wanted) {
        assert!((g - w).abs() <= 1e-13 * w.abs().max(1.0), "{got:?} instead of {wanted:?}");
    }
}

#[track_caller]
fn ints(got: &Literal, wanted: &[i32]) {
    assert_eq!(got.as_slice::<i32>().expect("i32"), wanted);
}

const SYMMETRIC: [f64; 18] = [4., 1., -2., 1., 3., 0.5, -2., 0.5, 6., 2., -1., 0., -1., 2., -1., 0., -1., 2.];
const TALL: [f64; 12] = [1., 2., 3., 4., -5., 6., 7., 8., -9., 2., 0., 1.];
const WIDE: [f64; 12] = [1., 4., 7., 2., 2., -5., 8., 0., 3., 6., -9., 1.];
const COMPLEX: [C; 4] = [[1.0, 0.0], [2.0, 3.0], [4.0, 1.0], [-5.0, 2.0]];

#[test]
fn cholesky_is_that_of_jax() {
    let a = f64s(&[2, 3, 3], &SYMMETRIC);
    #[rustfmt::skip]
    let factor = [
        2.0, 0.0, 0.0, 0.5, 1.6583123951777, 0.0, -1.0, 0.6030226891555273, 2.15322168769582,
        std::f64::consts::SQRT_2, 0.0, 0.0, -0.7071067811865475, 1.224744871391589, 0.0, 0.0,
        -0.8164965809277261, 1.1547005383792515,
    ];
    near(&run(Op::Cholesky { lower: true }, &[&a])[0], &[2, 3, 3], &factor);
    let z = c128s(&[2, 2], &[[3.0, 0.0], [1.0, -1.0], [1.0, 1.0], [4.0, 0.0]]);
    let wanted =
        [1.7320508075688772, 0., 0., 0., 0.5773502691896258, 0.5773502691896258, 1.8257418583505536, 0.];
    near(&run(Op::Cholesky { lower: true }, &[&z])[0], &[2, 2], &wanted);
}

#[test]
fn cholesky_reads_and_gives_one_triangle() {
    let nan = f64::NAN;
    let lower = f64s(&[2, 2], &[4.0, nan, 2.0, 5.0]);
    near(&run(Op::Cholesky { lower: true }, &[&lower])[0], &[2, 2], &[2.0, 0.0, 1.0, 2.0]);
    let upper = f64s(&[2, 2], &[4.0, 2.0, nan, 5.0]);
    near(&run(Op::Cholesky { lower: false }, &[&upper])[0], &[2, 2], &[2.0, 1.0, 0.0, 2.0]);
    let z = c128s(&[2, 2], &[[3.0, 0.0], [1.0, -1.0], [nan, nan], [4.0, 0.0]]);
    let wanted =
        [1.7320508075688772, 0., 0.5773502691896258, -0.5773502691896258, 0., 0., 1.8257418583505536, 0.];
    near(&run(Op::Cholesky { lower: false }, &[&z])[0], &[2, 2], &wanted);
}

#[test]
fn a_matrix_without_a_factor_gives_nan_in_its_triangle_alone() {
    // The second matrix of the batch is positive definite.
    let a = f64s(&[2, 2, 2], &[1.0, 2.0, 2.0, 1.0, 4.0, 2.0, 2.0, 5.0]);
    for lower in [true, false] {
        let out = run(Op::Cholesky { lower }, &[&a]);
        let got = out[0].as_slice::<f64>().expect("f64");
        let zero = if lower { 1 } else { 2 };
        for (i, x) in got[..4].iter().enumerate() {
            assert!(if i == zero { *x == 0.0 } else { x.is_nan() }, "{got:?}");
        }
        assert_eq!(got[4..], if lower { [2.0, 0.0, 1.0, 2.0] } else { [2.0, 1.0, 0.0, 2.0] });
    }
}

#[test]
fn cholesky_factors_multiply_back() {
    for (dtype, tolerance) in FIELDS {
        for n in [1, 2, 5, 12] {
            let hermitian: Vec<Matrix> = matrices(&sample(n, n, dtype, n as u64))
                .iter()
                .map(|x| {
                    let square = x.times(&x.adjoint());
                    Matrix::new(n, n, |i, j| {
                        let z = square.get(i, j);
                        if i == j { [z[0] + 1.0, 0.0] } else { z }
                    })
                })
                .collect();
            let a = literal(&hermitian, dtype);
            for lower in [true, false] {
                let factors = matrices(&run(Op::Cholesky { lower }, &[&a])[0]);
                for (factor, a) in factors.iter().zip(matrices(&a)) {
                    let product =
                        if lower { factor.times(&factor.adjoint()) } else { factor.adjoint().times(factor) };
                    product.is_near(&a, tolerance);
                }
            }
        }
    }
}

/// (left_side, lower, unit_diagonal, transpose) and the solution for the system of the test below.
type Solve = (bool, bool, bool, bool, [f64; 6]);

#[test]
fn triangular_solve_is_that_of_jax() {
    let a = f64s(&[3, 3], &[2.0, 5.0, -1.0, 3.0, 4.0, 7.0, -6.0, 0.5, 8.0]);
    let left = f64s(&[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let right = f64s(&[2, 3], &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    let cases: [Solve; 16] = [
        (true, true, true, false, [1.0, 2.0, 0.0, -2.0, 11.0, 19.0]),
        (true, true, true, true, [29.5, 35.0, 0.5, 1.0, 5.0, 6.0]),
        (true, true, false, false, [0.5, 1.0, 0.375, 0.25, 0.9765625, 1.484375]),
        (true, true, false, true, [1.3671875, 1.890625, 0.671875, 0.90625, 0.625, 0.75]),
        (true, false, true, false, [166.0, 198.0, -32.0, -38.0, 5.0, 6.0]),
        (true, false, true, true, [1.0, 2.0, -2.0, -6.0, 20.0, 50.0]),
        (true, false, false, false, [1.671875, 2.15625, -0.34375, -0.3125, 0.625, 0.75]),
        (true, false, false, true, [0.5, 1.0, 0.125, -0.25, 0.578125, 1.09375]),
        (false, true, true, false, [29.5, 0.5, 5.0, 35.0, 1.0, 6.0]),
        (false, true, true, true, [1.0, 0.0, 11.0, 2.0, -2.0, 19.0]),
        (false, true, false, false, [1.3671875, 0.671875, 0.625, 1.890625, 0.90625, 0.75]),
        (false, true, false, true, [0.5, 0.375, 0.9765625, 1.0, 0.25, 1.484375]),
        (false, false, true, false, [1.0, -2.0, 20.0, 2.0, -6.0, 50.0]),
        (false, false, true, true, [166.0, -32.0, 5.0, 198.0, -38.0, 6.0]),
        (false, false, false, false, [0.5, 0.125, 0.578125, 1.0, -0.25, 1.09375]),
        (false, false, false, true, [1.671875, -0.34375, 0.625, 2.15625, -0.3125, 0.75]),
    ];
    for (left_side, lower, unit_diagonal, transposed, wanted) in cases {
        let b = if left_side { &left } else { &right };
        let forms = match transposed {
            true => vec![TransposeOp::Transpose, TransposeOp::Adjoint],
            false => vec![TransposeOp::None],
        };
        for transpose in forms {
            let op = Op::TriangularSolve { left_side, lower, unit_diagonal, transpose };
            near(&run(op, &[&a, b])[0], &b.dims(), &wanted);
        }
    }
}

#[test]
fn triangular_solve_knows_complex_and_half_numbers_and_zeros() {
    let (a, b) = (c128s(&[2, 2], &COMPLEX), c128s(&[2, 1], &[[1.0, 1.0], [2.0, -1.0]]));
    let solve =
        |transpose| Op::TriangularSolve { left_side: true, lower: true, unit_diagonal: false, transpose };
    let adjoint = [1.793103448275862, -0.5172413793103448, -0.27586206896551724, 0.31034482758620685];
    near(&run(solve(TransposeOp::Adjoint), &[&a, &b])[0], &[2, 1], &adjoint);
    let transposed = [2.6896551724137927, 1.2758620689655173, -0.4137931034482758, 0.03448275862068964];
    near(&run(solve(TransposeOp::Transpose), &[&a, &b])[0], &[2, 1], &transposed);

    let half = |data: &[f64]| data.iter().map(|&x| half::f16::from_f64(x)).collect::<Vec<_>>();
    let a = Literal::new(&[3, 3], &half(&[2., 5., -1., 3., 4., 7., -6., 0.5, 8.])).expect("fits");
    let b = Literal::new(&[3, 2], &half(&[1., 2., 3., 4., 5., 6.])).expect("fits");
    let out = run(solve(TransposeOp::None), &[&a, &b]);
    let wanted = half(&[0.5, 1.0, 0.375, 0.25, 0.9765625, 1.484375]);
    assert_eq!(out[0].as_slice::<half::f16>().expect("f16"), wanted);

    let (a, b) = (f64s(&[2, 2], &[0.0, 0.0, 1.0, 1.0]), f64s(&[2, 1], &[1.0, 1.0]));
    let out = run(solve(TransposeOp::None), &[&a, &b]);
    assert_eq!(out[0].as_slice::<f64>().expect("f64"), [f64::INFINITY, f64::NEG_INFINITY]);
}

#[test]
fn lu_is_that_of_jax() {
    let out = run(Op::Lu {}, &[&f64s(&[4, 3], &TALL)]);
    #[rustfmt::skip]
    let packed = [
        7.0, 8.0, -9.0, 0.5714285714285714, -9.571428571428571, 11.142857142857142, 0.14285714285714285,
        -0.08955223880597016, 5.2835820895522385, 0.2857142857142857, 0.2388059701492537, 0.172316384180791,
    ];
    near(&out[0], &[4, 3], &packed);
    ints(&out[1], &[2, 1, 2]);
    ints(&out[2], &[2, 1, 0, 3]);
    let out = run(Op::Lu {}, &[&f64s(&[3, 4], &WIDE)]);
    #[rustfmt::skip]
    let packed = [
        3.0, 6.0, -9.0, 1.0, 0.6666666666666666, -9.0, 14.0, -0.6666666666666666, 0.3333333333333333,
        -0.2222222222222222, 13.11111111111111, 1.5185185185185186,
    ];
    near(&out[0], &[3, 4], &packed);
    ints(&out[1], &[2, 1, 2]);
    ints(&out[2], &[2, 1, 0]);
    let out = run(Op::Lu {}, &[&c128s(&[2, 2], &COMPLEX)]);
    #[rustfmt::skip]
    let packed = [
        4.0, 1.0, -5.0, 2.0, 0.23529411764705882, -0.058823529411764705, 3.0588235294117645,
        2.235294117647059,
    ];
    near(&out[0], &[2, 2], &packed);
    ints(&out[1], &[1, 1]);
    ints(&out[2], &[1, 0]);
}

#[test]
fn lu_of_a_singular_matrix_goes_on() {
    let out = run(Op::Lu {}, &[&f64s(&[2, 3], &[0.0; 6])]);
    near(&out[0], &[2, 3], &[0.0; 6]);
    ints(&out[1], &[0, 1]);
    ints(&out[2], &[0, 1]);
    let out = run(Op::Lu {}, &[&f64s(&[2, 2], &[1.0, 2.0, f64::NAN, 1.0])]);
    let got = out[0].as_slice::<f64>().expect("f64");
    assert!(got[..2] == [1.0, 2.0] && got[2].is_nan() && got[3].is_nan(), "{got:?}");
    ints(&out[1], &[0, 1]);
}

#[test]
fn lu_factors_multiply_back_to_permuted_rows() {
    for (dtype, tolerance) in FIELDS {
        for (m, n) in EXTENTS {
            let a = sample(m, n, dtype, 3 * m as u64 + n as u64);
            let out = run(Op::Lu {}, &[&a]);
            let k = m.min(n);
            let rows = out[2].as_slice::<i32>().expect("i32");
            for (i, (packed, a)) in matrices(&out[0]).iter().zip(matrices(&a)).enumerate() {
                let lower = Matrix::new(m, k, |i, j| match i.cmp(&j) {
                    std::cmp::Ordering::Less => [0.0; 2],
                    std::cmp::Ordering::Equal => [1.0, 0.0],
                    std::cmp::Ordering::Greater => packed.get(i, j),
                });
                let upper = Matrix::new(k, n, |i, j| if i <= j { packed.get(i, j) } else { [0.0; 2] });
                let permuted = Matrix::new(m, n, |r, c| a.get(rows[i * m + r] as usize, c));
                lower.times(&upper).is_near(&permuted, tolerance);
                assert!(lower.at.iter().all(|z| z[0].hypot(z[1]) <= 2.0f64.sqrt() + 1e-6), "pivoting");
            }
        }
    }
}

#[test]
fn qr_has_the_signs_of_jax() {
    let out = run(Op::Qr { full_matrices: true }, &[&f64s(&[4, 3], &TALL)]);
    #[rustfmt::skip]
    let q = [
        -0.11952286093343933, 0.1712846951368139, 0.9641426023751901, -0.16372196313069992,
        -0.47809144373375745, -0.8429893819478481, 0.04947415106055414, -0.24155699478300002,
        -0.8366600265340756, 0.49370294480611027, -0.21011430618095117, -0.1100426309567,
        -0.23904572186687872, -0.1276238904940965, 0.15438046832462557, 0.9501241794798,
    ];
    #[rustfmt::skip]
    let r = [
        -8.366600265340756, -4.541868715470696, 4.06377727173694, 0.0, 8.507139858461747,
        -9.115032600025739, 0.0, 0.0, 5.234681937442081, 0.0, 0.0, 0.0,
    ];
    near(&out[0], &[4, 4], &q);
    near(&out[1], &[4, 3], &r);
    let out = run(Op::Qr { full_matrices: false }, &[&f64s(&[4, 3], &TALL)]);
    assert_eq!(out[0].dims(), [4, 3]);
    near(&out[1], &[3, 3], &r[..9]);
    let out = run(Op::Qr { full_matrices: false }, &[&c128s(&[2, 2], &COMPLEX)]);
    #[rustfmt::skip]
    let q = [
        -0.2357022603955159, 0.0, 0.784643132368494, 0.5733930582692838, -0.9428090415820632,
        -0.2357022603955158, -0.1508929100708643, -0.18107149208503714,
    ];
    near(&out[0], &[2, 2], &q);
    let r =
        [-4.242640687119286, 0.0, 3.771236166328253, -3.7712361663282534, 0.0, 0.0, 3.681787005729087, 0.0];
    near(&out[1], &[2, 2], &r);
}

#[test]
fn qr_factors_multiply_back() {
    for (dtype, tolerance) in FIELDS {
        for (m, n) in EXTENTS {
            for full_matrices in [true, false] {
                let a = sample(m, n, dtype, 5 * m as u64 + n as u64);
                let out = run(Op::Qr { full_matrices }, &[&a]);
                let inner = if full_matrices { m } else { m.min(n) };
                for ((q, r), a) in matrices(&out[0]).iter().zip(matrices(&out[1])).zip(matrices(&a)) {
                    q.times(&r).is_near(&a, tolerance);
                    q.adjoint().times(q).is_near(&Matrix::identity(inner), tolerance);
                    let below = (0..r.m).flat_map(|i| (0..i.min(n)).map(move |j| (i, j)));
                    assert!(below.clone().all(|(i, j)| r.get(i, j) == [0.0; 2]), "R is upper triangular");
                    assert!((0..inner.min(n)).all(|i| r.get(i, i)[1] == 0.0), "R has a real diagonal");
                }
            }
        }
    }
}

#[test]
fn reflectors_multiply_to_the_factors_of_qr() {
    for (dtype, tolerance) in FIELDS {
        for (m, n) in EXTENTS.into_iter().filter(|(m, n)| n <= m) {
            let a = sample(m, n, dtype, 7 * m as u64 + n as u64);
            let packed = run(Op::Geqrf {}, &[&a]);
            let q = run(Op::HouseholderProduct {}, &[&packed[0], &packed[1]]);
            let qr = run(Op::Qr { full_matrices: false }, &[&a]);
            let both = matrices(&q[0]).into_iter().zip(matrices(&qr[0]));
            both.for_each(|(made, q)| made.is_near(&q, tolerance));
            for (made, r) in matrices(&packed[0]).iter().zip(matrices(&qr[1])) {
                let upper = (0..n).flat_map(|j| (0..=j).map(move |i| (i, j)));
                upper.for_each(|(i, j)| assert_eq!(made.get(i, j), r.get(i, j)));
            }
        }
    }
}

#[test]
fn eigenvalues_are_those_of_jax() {
    let a = f64s(&[2, 3, 3], &SYMMETRIC);
    let wanted = [1.7613872124741679, 4.0, 7.238612787525829, 0.5857864376269051, 2.0, 3.414213562373095];
    for lower in [true, false] {
        near(&run(Op::Eigh { lower }, &[&a])[0], &[2, 3], &wanted);
    }
    let nan = f64::NAN;
    let (lower, upper) = (f64s(&[2, 2], &[2.0, nan, 1.0, 3.0]), f64s(&[2, 2], &[2.0, 1.0, nan, 3.0]));
    let wanted = [1.381966011250105, 3.618033988749895];
    near(&run(Op::Eigh { lower: true }, &[&lower])[0], &[2], &wanted);
    near(&run(Op::Eigh { lower: false }, &[&upper])[0], &[2], &wanted);
    let z = c128s(&[2, 2], &[[3.0, 0.0], [1.0, -1.0], [1.0, 1.0], [4.0, 0.0]]);
    let out = run(Op::Eigh { lower: true }, &[&z]);
    assert_eq!((out[0].dtype(), out[1].dtype()), (DType::F64, DType::C128));
    near(&out[0], &[2], &[2.0, 5.0]);
}

#[test]
fn eigenvectors_diagonalise() {
    for (dtype, tolerance) in FIELDS {
        for n in [1, 2, 5, 12] {
            let hermitian: Vec<Matrix> = matrices(&sample(n, n, dtype, 7 * n as u64))
                .iter()
                .map(|x| {
                    let other = x.adjoint();
                    Matrix::new(n, n, |i, j| {
                        let (a, b) = (x.get(i, j), other.get(i, j));
                        [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0]
                    })
                })
                .collect();
            let a = literal(&hermitian, dtype);
            for lower in [true, false] {
                let out = run(Op::Eigh { lower }, &[&a]);
                let values = vectors(&out[0]);
                for ((v, values), a) in matrices(&out[1]).iter().zip(&values).zip(matrices(&a)) {
                    assert!(values.windows(2).all(|w| w[0][0] <= w[1][0]), "ascending");
                    v.adjoint().times(v).is_near(&Matrix::identity(n), tolerance);
                    a.times(v).is_near(&v.scaled(values, n), 4.0 * tolerance);
                }
            }
        }
    }
}

#[test]
fn singular_values_are_those_of_jax() {
    let wanted = [14.968441536552278, 7.389032970027599, 3.3686718057212754];
    for full_matrices in [true, false] {
        near(&run(Op::Svd { full_matrices }, &[&f64s(&[4, 3], &TALL)])[1], &[3], &wanted);
        near(&run(Op::Svd { full_matrices }, &[&f64s(&[3, 4], &WIDE)])[1], &[3], &wanted);
    }
    let out = run(Op::Svd { full_matrices: true }, &[&c128s(&[2, 2], &COMPLEX)]);
    near(&out[1], &[2], &[7.457378691586702, 2.094636734679455]);
}

#[test]
fn singular_vectors_multiply_back() {
    for (dtype, tolerance) in FIELDS {
        for (m, n) in EXTENTS {
            for full_matrices in [true, false] {
                let a = sample(m, n, dtype, 11 * m as u64 + n as u64);
                let out = run(Op::Svd { full_matrices }, &[&a]);
                let (left, right) = if full_matrices { (m, n) } else { (m.min(n), m.min(n)) };
                let values = vectors(&out[1]);
                let (us, vts) = (matrices(&out[0]), matrices(&out[2]));
                for (((u, vt), s), a) in us.iter().zip(&vts).zip(&values).zip(matrices(&a)) {
                    assert!(
                        s.windows(2).all(|w| w[0][0] >= w[1][0]) && s[s.len() - 1][0] >= 0.0,
                        "descending"
                    );
                    u.adjoint().times(u).is_near(&Matrix::identity(left), tolerance);
                    vt.times(&vt.adjoint()).is_near(&Matrix::identity(right), tolerance);
                    u.scaled(s, right).times(vt).is_near(&a, tolerance);
                }
            }
        }
    }
}

#[test]
fn a_rank_deficient_matrix_has_orthonormal_vectors_all_the_same() {
    let a = f64s(&[3, 3], &[1.0, 2.0, 3.0, 2.0, 4.0, 6.0, -1.0, -2.0, -3.0]);
    let out = run(Op::Svd { full_matrices: true }, &[&a]);
    let (u, vt) = (&matrices(&out[0])[0], &matrices(&out[2])[0]);
    u.adjoint().times(u).is_near(&Matrix::identity(3), 1e-13);
    vt.times(&vt.adjoint()).is_near(&Matrix::identity(3), 1e-13);
    let zero = run(Op::Svd { full_matrices: false }, &[&f64s(&[2, 2], &[0.0; 4])]);
    near(&zero[1], &[2], &[0.0, 0.0]);
    let u = &matrices(&zero[0])[0];
    u.adjoint().times(u).is_near(&Matrix::identity(2), 1e-13);
}

/// Every factorization, in both variants if it has two.
fn factorizations() -> Vec<Op> {
    let mut ops = vec![Op::Lu {}, Op::Geqrf {}];
    for flag in [true, false] {
        ops.extend([
            Op::Cholesky { lower: flag },
            Op::Qr { full_matrices: flag },
            Op::Eigh { lower: flag },
            Op::Svd { full_matrices: flag },
        ]);
    }
    ops
}

#[test]
fn not_a_number_and_infinity_terminate() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..9 {
            let mut data = [2.0, -1.0, 0.5, -1.0, 3.0, 0.25, 0.5, 0.25, 4.0];
            data[place] = bad;
            let a = f64s(&[3, 3], &data);
            let z = c128s(&[3, 3], &data.map(|x| [1.0, x]));
            for op in factorizations() {
                for operand in [&a, &z] {
                    for result in run(op.clone(), &[operand]) {
                        assert!(!result.is_empty());
                    }
                }
            }
        }
    }
}

#[test]
fn extreme_numbers_factorize_without_overflow() {
    for scale in [1e-300, 1e300] {
        let a = f64s(&[2, 2], &[2.0 * scale, -scale, -scale, 3.0 * scale]);
        let values = run(Op::Eigh { lower: true }, &[&a]);
        let got = values[0].as_slice::<f64>().expect("f64");
        assert!((got[0] / scale - 1.381966011250105).abs() < 1e-12, "{got:?}");
        let singular = run(Op::Svd { full_matrices: true }, &[&a]);
        let got = singular[1].as_slice::<f64>().expect("f64");
        assert!((got[0] / scale - 3.618033988749895).abs() < 1e-12, "{got:?}");
    }
}

#[test]
fn empty_matrices_and_batches_have_results_of_the_right_shape() {
    let dims = |op: Op, dims: &[usize]| -> Vec<Vec<usize>> {
        let n: usize = dims.iter().product();
        run(op, &[&f64s(dims, &vec![0.0; n])]).iter().map(Literal::dims).collect()
    };
    assert_eq!(dims(Op::Cholesky { lower: true }, &[0, 0]), [[0, 0]]);
    assert_eq!(dims(Op::Cholesky { lower: true }, &[0, 3, 3]), [[0, 3, 3]]);
    assert_eq!(dims(Op::Lu {}, &[2, 3, 0]), [vec![2, 3, 0], vec![2, 0], vec![2, 3]]);
    assert_eq!(dims(Op::Qr { full_matrices: true }, &[3, 0]), [[3, 3], [3, 0]]);
    assert_eq!(dims(Op::Qr { full_matrices: false }, &[0, 3]), [[0, 0], [0, 3]]);
    assert_eq!(dims(Op::Eigh { lower: true }, &[5, 0, 0]), [vec![5, 0], vec![5, 0, 0]]);
    assert_eq!(dims(Op::Svd { full_matrices: true }, &[0, 3]), [vec![0, 0], vec![0], vec![3, 3]]);
    assert_eq!(
        dims(Op::Svd { full_matrices: false }, &[2, 0, 3]),
        [vec![2, 0, 0], vec![2, 0], vec![2, 0, 3]]
    );
    // A batch of very many empty matrices takes no time.
    assert_eq!(dims(Op::Svd { full_matrices: false }, &[1 << 40, 0, 3])[2], [1 << 40, 0, 3]);
    let permutation = &run(Op::Lu {}, &[&f64s(&[2, 3, 0], &[])])[2];
    ints(permutation, &[0, 1, 2, 0, 1, 2]);
    let q = &run(Op::Qr { full_matrices: true }, &[&f64s(&[2, 0], &[])])[0];
    near(q, &[2, 2], &[1.0, 0.0, 0.0, 1.0]);
    let vt = &run(Op::Svd { full_matrices: true }, &[&f64s(&[0, 2], &[])])[2];
    near(vt, &[2, 2], &[1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn shapes_may_be_symbolic() {
    let shape = |dims: &[&str], dtype| {
        let dims: Vec<rlx_ir::Dim> = dims.iter().map(|&d| d.into()).collect();
        Shape::from_dims(&dims, dtype)
    };
    let a = shape(&["b", "m", "n"], DType::C64);
    let svd = Op::Svd { full_matrices: false }.infer(std::slice::from_ref(&a)).expect("valid");
    assert_eq!(svd[1].to_string(), "f32[b,m+n-max(m,n)]");
    let square = shape(&["b", "n", "n"], DType::F32);
    let lu = Op::Lu {}.infer(std::slice::from_ref(&square)).expect("valid");
    assert_eq!(lu[1].to_string(), "i32[b,n]");
    let half = Shape::from_dims(&["b".into(), "n".into(), 4.into()], DType::F32);
    let eigh = Op::Eigh { lower: true }.infer(std::slice::from_ref(&half)).expect("n may be 4");
    assert_eq!(eigh[1].to_string(), "f32[b,4,4]");
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let f32_shape = |dims: &[usize]| Shape::new(dims, DType::F32);
    let solve = |left_side| Op::TriangularSolve {
        left_side,
        lower: true,
        unit_diagonal: false,
        transpose: TransposeOp::None,
    };
    let cases: Vec<(Op, Vec<Shape>, &str)> = vec![
        (
            Op::Cholesky { lower: true },
            vec![f32_shape(&[3])],
            "must have at least two axes (a matrix), got f32[3]",
        ),
        (
            Op::Cholesky { lower: true },
            vec![f32_shape(&[2, 3])],
            "must be square in its last two axes, got f32[2,3]",
        ),
        (
            Op::Lu {},
            vec![Shape::new(&[2, 2], DType::F16)],
            "a has element type f16, expected f64, f32, c64, c128",
        ),
        (Op::Qr { full_matrices: true }, vec![Shape::new(&[2, 2], DType::I32)], "a has element type i32"),
        (Op::Geqrf {}, vec![f32_shape(&[3])], "must have at least two axes (a matrix), got f32[3]"),
        (
            Op::HouseholderProduct {},
            vec![f32_shape(&[2, 3]), f32_shape(&[2])],
            "at least as many rows as columns, and a column for each of taus, got f32[2,3] and f32[2]",
        ),
        (
            Op::HouseholderProduct {},
            vec![f32_shape(&[3, 2]), f32_shape(&[3])],
            "a column for each of taus, got f32[3,2] and f32[3]",
        ),
        (
            Op::HouseholderProduct {},
            vec![f32_shape(&[2, 3, 2]), f32_shape(&[2])],
            "the same element type and leading axes, got f32[2,3,2] and f32[2]",
        ),
        (
            Op::HouseholderProduct {},
            vec![f32_shape(&[3, 2]), f32_shape(&[])],
            "taus must have at least one axis",
        ),
        (solve(true), vec![f32_shape(&[3, 3]), f32_shape(&[2, 3])], "b must have as many rows as a"),
        (solve(false), vec![f32_shape(&[3, 3]), f32_shape(&[3, 2])], "b must have as many columns as a"),
        (
            solve(true),
            vec![f32_shape(&[2, 3, 3]), f32_shape(&[3, 3])],
            "the same element type and leading axes, got f32[2,3,3] and f32[3,3]",
        ),
        (
            solve(true),
            vec![f32_shape(&[3, 3]), Shape::new(&[3, 3], DType::F64)],
            "the same element type and leading axes, got f32[3,3] and f64[3,3]",
        ),
    ];
    for (op, operands, wanted) in cases {
        let message = op.infer(&operands).expect_err("invalid").to_string();
        assert!(message.contains(wanted), "{message}\n  lacks: {wanted}");
    }
}
