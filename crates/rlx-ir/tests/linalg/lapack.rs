//! The additional factorizations of LAPACK: pivoted QR, products with its factor, tridiagonal systems, eigenvalues of any matrix.
//! Numbers are LAPACK's, through SciPy and JAX.

use crate::matrix::{C, Matrix, complex, matrices, sample, vectors};
use crate::{EXTENTS, FIELDS, TALL, WIDE, c128s, f64s, ints, near, run};
use rlx_ir::{DType, Dim, Literal, Op, Shape};

const Z: [C; 4] = [[1.0, 0.0], [2.0, 3.0], [4.0, 1.0], [-5.0, 2.0]];

fn flags(dims: &[usize], data: &[i32]) -> Literal {
    Literal::new(dims, data).expect("fits")
}

#[test]
fn pivoted_qr_is_that_of_lapack() {
    let check = |a: &Literal, leading: &[i32], packed: &[f64], order: &[i32], taus: &[f64]| {
        let columns = leading.len();
        let out = run(Op::Geqp3 {}, &[a, &flags(&[columns], leading)]);
        near(&out[0], &a.dims(), packed);
        near(&out[1], &out[1].dims(), taus);
        ints(&out[2], &order.iter().map(|j| j - 1).collect::<Vec<_>>());
    };
    let (tall, wide) = (f64s(&[4, 3], &TALL), f64s(&[3, 4], &WIDE));
    #[rustfmt::skip]
    check(&tall, &[0, 0, 0], &[
        -11.269427669584646, 3.0170121320147865, 8.51862249039469, 0.42047937302972765, -7.803693855814411,
        -1.5760757438301154, -0.6307190595445915, 0.45272841456731955, -4.2366326387653785, 0.07007989550495461,
        0.16925267621179355, 0.06786719807560206,
    ], &[3, 1, 2], &[1.266206952824834, 1.6212586098634147, 1.990830321989454]);
    #[rustfmt::skip]
    check(&tall, &[0, 1, 0], &[
        -9.643650760992955, -3.9404164399756167, 9.954736269412084, -0.4294185820782559, -7.380590645711893,
        -0.7080471878831385, 0.6870697313252094, 0.26703921119216417, 5.234681937442081, 0.0, 0.1481251364337383,
        -0.0429416495150627,
    ], &[2, 1, 3], &[1.2073903389460852, 1.8294060619778467, 1.9963188175200945]);
    #[rustfmt::skip]
    check(&wide, &[1, 0, 0, 1], &[
        -3.7416573867739413, -1.3363062095621214, 1.0690449676496998, -3.207134902949093, 0.42179344411906794,
        1.7928429140015905, 3.5856858280031796, 5.41836969564925, 0.632690166178602, 0.34713190468465394,
        -13.416407864998739, 6.111919138499424,
    ], &[1, 4, 3, 2], &[1.2672612419124243, 1.7849165567027427, 0.0]);
    // More columns lead than there are rows.
    #[rustfmt::skip]
    check(&wide, &[1, 1, 1, 1], &[
        -3.7416573867739413, -3.207134902949093, 1.0690449676496998, -1.3363062095621214, 0.42179344411906794,
        8.16788134795589, -7.660668159324795, 1.1893274767901507, 0.632690166178602, -0.08885328672797047,
        -11.583233840765287, -1.341560981557561,
    ], &[1, 2, 3, 4], &[1.2672612419124243, 1.9843338695116732, 0.0]);
    #[rustfmt::skip]
    check(&c128s(&[2, 2], &Z), &[0, 0], &[
        -6.48074069840786, 0.0, 2.468853599393471, 2.4688535993934706, -0.449856285970096, 0.3949618290462674,
        -2.410295378065478, 0.0,
    ], &[2, 1], &[1.3086066999241839, 0.4629100498862757, 1.9808441170295916, 0.19479429685809815]);
    // Columns of the same length: the first of them is chosen, after the exchange that moves a leading column to the front.
    let identity = f64s(&[3, 3], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let exchanged = [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0];
    check(&identity, &[0, 0, 1], &exchanged, &[3, 2, 1], &[1.0, 0.0, 0.0]);
}

#[test]
fn pivoted_factors_multiply_back_to_permuted_columns() {
    for (dtype, tolerance) in FIELDS {
        for (m, n) in EXTENTS {
            let a = sample(m, n, dtype, 13 * m as u64 + n as u64);
            let out = run(Op::Geqp3 {}, &[&a, &flags(&[2, n], &vec![0; 2 * n])]);
            let order = out[2].as_slice::<i32>().expect("i32");
            let upper = matrices(&out[0])
                .iter()
                .map(|packed| Matrix::new(m, n, |i, j| if i <= j { packed.get(i, j) } else { [0.0; 2] }))
                .collect::<Vec<_>>();
            let r = crate::matrix::literal(&upper, dtype);
            let product = run(Op::Ormqr { left_side: true, adjoint: false }, &[&out[0], &out[1], &r]);
            for (which, (made, a)) in matrices(&product[0]).iter().zip(matrices(&a)).enumerate() {
                made.is_near(&Matrix::new(m, n, |i, j| a.get(i, order[which * n + j] as usize)), tolerance);
                let size = |k: usize| upper[which].get(k, k)[0].abs();
                assert!((1..m.min(n)).all(|k| size(k) <= size(k - 1) * (1.0 + tolerance)), "descending");
            }
        }
    }
}

#[test]
fn products_with_q_are_those_with_the_product_of_reflectors() {
    for (dtype, tolerance) in FIELDS {
        for (m, n) in EXTENTS {
            let packed = run(Op::Geqrf {}, &[&sample(m, n, dtype, 17 * m as u64 + n as u64)]);
            let k = m.min(n);
            // Q with all its columns, from the packed form extended with columns of zeros, or without those right of the
            // reflectors.
            let padded: Vec<Matrix> = matrices(&packed[0])
                .iter()
                .map(|a| Matrix::new(m, m, |i, j| if j < k { a.get(i, j) } else { [0.0; 2] }))
                .collect();
            let padded = crate::matrix::literal(&padded, dtype);
            let q = matrices(&run(Op::HouseholderProduct {}, &[&padded, &packed[1]])[0]);
            for (left_side, adjoint) in [(true, false), (true, true), (false, false), (false, true)] {
                let c = if left_side { sample(m, 3, dtype, 5) } else { sample(3, m, dtype, 5) };
                let made = run(Op::Ormqr { left_side, adjoint }, &[&packed[0], &packed[1], &c]);
                for ((made, q), c) in matrices(&made[0]).iter().zip(&q).zip(matrices(&c)) {
                    let q = if adjoint { q.adjoint() } else { q.clone() };
                    made.is_near(&if left_side { q.times(&c) } else { c.times(&q) }, 2.0 * tolerance);
                }
            }
        }
    }
}

#[test]
fn tridiagonal_systems_are_those_of_lapack() {
    let (nan, b) = (f64::NAN, f64s(&[4, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]));
    let [lower, diagonal, upper] =
        [[nan, 3.0, 1.0, -2.0], [1.0, 2.0, 0.0, 5.0], [4.0, 1.0, 2.0, nan]].map(|x| f64s(&[4], &x));
    #[rustfmt::skip]
    let x = [
        0.022222222222222143, 0.04444444444444429, 0.24444444444444446, 0.48888888888888893, 2.4444444444444446,
        2.8888888888888893, 2.3777777777777778, 2.7555555555555555,
    ];
    near(&run(Op::TridiagonalSolve {}, &[&lower, &diagonal, &upper, &b])[0], &[4, 2], &x);
    let lower = c128s(&[4], &[[0.0; 2], [3.0, 1.0], [1.0, 0.0], [-2.0, 0.0]]);
    let diagonal = c128s(&[4], &[[1.0, 0.0], [0.0, 2.0], [0.0; 2], [5.0, 0.0]]);
    let upper = c128s(&[4], &[[4.0, 0.0], [1.0, -1.0], [2.0, 0.0], [0.0; 2]]);
    let b = c128s(&[4, 1], &[[1.0, 1.0], [3.0, 0.0], [0.0, 5.0], [7.0, 0.0]]);
    #[rustfmt::skip]
    let x = [
        0.2391767210787787, -3.107877927608233, 0.1902058197303053, 1.0269694819020583, -3.7377572746628815,
        4.9662881476224285, -0.09510290986515264, 1.9865152590489714,
    ];
    near(&run(Op::TridiagonalSolve {}, &[&lower, &diagonal, &upper, &b])[0], &[4, 1], &x);
}

#[test]
fn a_singular_tridiagonal_matrix_gives_nan_in_its_own_results() {
    // The second system of the batch has a solution.
    let lower = f64s(&[2, 2], &[0.0, 2.0, 0.0, 1.0]);
    let diagonal = f64s(&[2, 2], &[1.0, 2.0, 1.0, 2.0]);
    let upper = f64s(&[2, 2], &[1.0, 0.0, 0.0, 0.0]);
    let out = run(Op::TridiagonalSolve {}, &[&lower, &diagonal, &upper, &f64s(&[2, 2, 1], &[1.0; 4])]);
    let x = out[0].as_slice::<f64>().expect("f64");
    assert!(x[..2].iter().all(|x| x.is_nan()), "{x:?}");
    assert_eq!(x[2..], [1.0, 0.0]);
    let zero = f64s(&[1], &[0.0]);
    let out = run(Op::TridiagonalSolve {}, &[&zero, &zero, &zero, &f64s(&[1, 1], &[1.0])]);
    assert!(out[0].as_slice::<f64>().expect("f64")[0].is_nan());
}

/// The index of the nearest number in the list.
fn nearest(list: &[C], z: C) -> usize {
    let far = |w: &C| (w[0] - z[0]).hypot(w[1] - z[1]);
    (0..list.len()).min_by(|&i, &j| far(&list[i]).total_cmp(&far(&list[j]))).expect("one at least")
}

#[test]
fn eigenvalues_and_both_vectors_are_those_of_lapack() {
    let check = |a: &Literal, values: &[C], left: &[C], right: &[C]| {
        let n = values.len();
        let out = run(Op::Eig { left: true, right: true }, &[a]);
        let found = complex(&out[0]);
        // Each eigenvalue of LAPACK's is found once.
        let places: Vec<usize> = values.iter().map(|&z| nearest(&found, z)).collect();
        let taken: std::collections::BTreeSet<usize> = places.iter().copied().collect();
        assert_eq!(taken.len(), n, "{found:?}");
        for (which, wanted) in [(1, left), (2, right)] {
            let vectors = &matrices(&out[which])[0];
            let wanted = Matrix { m: n, n, at: wanted.to_vec() };
            // With a real largest element, only the sign is free.
            let ordered = Matrix::new(n, n, |i, j| {
                let v = |i: usize| vectors.get(i, places[j]);
                let along = |i: usize| v(i)[0] * wanted.get(i, j)[0] + v(i)[1] * wanted.get(i, j)[1];
                let sign = (0..n).map(along).sum::<f64>().signum();
                v(i).map(|x| x * sign)
            });
            ordered.is_near(&wanted, 1e-13);
        }
        let ordered = Matrix::new(1, n, |_, j| found[places[j]]);
        ordered.is_near(&Matrix { m: 1, n, at: values.to_vec() }, 1e-13);
    };
    #[rustfmt::skip]
    let a = f64s(&[4, 4], &[1., 2., 0., 3., -1., 1., 4., 0., 2., 0., -3., 1., 0., 5., 1., 2.]);
    #[rustfmt::skip]
    check(&a, &[
        [-2.428437173531405, 0.0], [-0.22160256614313611, 1.998141216809867],
        [-0.22160256614313611, -1.998141216809867], [3.8716423058176743, 0.0],
    ], &[
        [0.47755988402164906, 0.0], [0.29237147977991634, -0.24868641985575934],
        [0.29237147977991634, 0.24868641985575934], [0.08436758122796303, 0.0], [-0.09142431915903626, 0.0],
        [-0.499300390795518, 0.2804035357071996], [-0.499300390795518, -0.2804035357071996],
        [0.7607816792515063, 0.0], [-0.864354189063102, 0.0], [-0.6766863631682032, 0.0],
        [-0.6766863631682032, 0.0], [0.501527597372617, 0.0], [-0.1283354467347314, 0.0],
        [0.11709790822960335, 0.23050077027075874], [0.11709790822960335, -0.23050077027075874],
        [0.40319153863474266, 0.0],
    ], &[
        [0.1536234679876038, 0.0], [0.6033728789406099, 0.0], [0.6033728789406099, 0.0],
        [0.7309336459628544, 0.0], [0.6207487283907628, 0.0], [-0.28108097980229646, -0.2703882335792131],
        [-0.28108097980229646, 0.2703882335792131], [0.16176182479457413, 0.0], [-0.4936436369624091, 0.0],
        [0.3717539998040405, -0.05783313275224871], [0.3717539998040405, 0.05783313275224871],
        [0.29886393637730496, 0.0], [-0.5893952883856793, 0.0], [-0.05830663255014253, 0.5821335618916292],
        [-0.05830663255014253, -0.5821335618916292], [0.5918187769677812, 0.0],
    ]);
    #[rustfmt::skip]
    check(&c128s(&[2, 2], &Z), &[
        [1.7592776914238302, 2.0640341917611837], [-5.75927769142383, -0.06403419176118304],
    ], &[
        [0.8823290159430055, 0.0], [-0.5063630700604267, 0.12150595145236454],
        [0.2647581300291305, -0.3890997818150578], [0.8537170169562247, 0.0],
    ], &[
        [0.8537170169562246, 0.0], [-0.2647581300291304, -0.38909978181505783],
        [0.5063630700604268, 0.12150595145236451], [0.8823290159430055, 0.0],
    ]);
}

/// V·diag(λ).
fn scaled(v: &Matrix, values: &[C]) -> Matrix {
    let diagonal = Matrix::new(v.n, v.n, |i, j| if i == j { values[j] } else { [0.0; 2] });
    v.times(&diagonal)
}

/// Residuals and normalization of all results of eig.
fn check_eig(a: &Literal, tolerance: f64) -> Vec<Literal> {
    let out = run(Op::Eig { left: true, right: true }, &[a]);
    let values = vectors(&out[0]);
    for (((a, values), left), right) in
        matrices(a).iter().zip(&values).zip(matrices(&out[1])).zip(matrices(&out[2]))
    {
        let size = a.at.iter().flatten().fold(1.0f64, |m, x| m.max(x.abs()));
        let conjugated: Vec<C> = values.iter().map(|z| [z[0], -z[1]]).collect();
        let residual = |product: Matrix, scaled: Matrix| {
            let off = product.at.iter().flatten().zip(scaled.at.iter().flatten());
            let most = off.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(most <= tolerance * size, "{most:e} off");
        };
        residual(a.times(&right), scaled(&right, values));
        residual(a.adjoint().times(&left), scaled(&left, &conjugated));
        for v in [left, right] {
            for j in 0..v.n {
                let square = |i: usize| v.get(i, j)[0].powi(2) + v.get(i, j)[1].powi(2);
                assert!(((0..v.m).map(square).sum::<f64>() - 1.0).abs() < 4.0 * tolerance, "norm 1");
                let largest = (0..v.m).map(square).fold(0.0, f64::max);
                let real = (0..v.m).any(|i| v.get(i, j)[1] == 0.0 && square(i) > largest * (1.0 - tolerance));
                assert!(real, "the largest element is real: {:?}", v.at);
            }
        }
    }
    out
}

#[test]
fn eigenvectors_of_any_matrix_belong_to_their_values() {
    for (dtype, tolerance) in FIELDS {
        for n in [1, 2, 3, 5, 12, 40] {
            let a = sample(n, n, dtype, 19 * n as u64);
            let out = check_eig(&a, 4.0 * tolerance);
            let wide = if dtype.real() == DType::F64 { DType::C128 } else { DType::C64 };
            assert!(out.iter().all(|x| x.dtype() == wide));
            // Results that are not requested do not change the others.
            let right = run(Op::Eig { left: false, right: true }, &[&a]);
            assert_eq!((&right[0], &right[1]), (&out[0], &out[2]));
            let left = run(Op::Eig { left: true, right: false }, &[&a]);
            assert_eq!((&left[0], &left[1]), (&out[0], &out[1]));
            let neither = run(Op::Eig { left: false, right: false }, &[&a]);
            assert_eq!(neither.as_slice(), &out[..1]);
        }
    }
}

#[test]
fn eigenvalues_of_real_matrices_are_real_or_conjugate_pairs() {
    for n in [2, 3, 8, 25] {
        let out = check_eig(&sample(n, n, DType::F64, n as u64), 4e-13);
        for (values, v) in vectors(&out[0]).iter().zip(matrices(&out[2])) {
            let mut j = 0;
            while j < n {
                if values[j][1] == 0.0 {
                    assert!((0..n).all(|i| v.get(i, j)[1] == 0.0), "real vectors");
                    j += 1;
                    continue;
                }
                assert!(values[j][1] > 0.0 && values[j + 1] == [values[j][0], -values[j][1]], "{values:?}");
                assert!((0..n).all(|i| v.get(i, j + 1) == [v.get(i, j)[0], -v.get(i, j)[1]]));
                j += 2;
            }
        }
    }
}

#[test]
fn defective_and_symmetric_matrices_end() {
    let nilpotent = |n: usize| {
        let data: Vec<f64> = (0..n * n).map(|k| f64::from(u8::from(k / n + 1 == k % n))).collect();
        f64s(&[1, n, n], &data)
    };
    let rotation = |n: usize| {
        let data: Vec<f64> = (0..n * n).map(|k| f64::from(u8::from((k / n + 1) % n == k % n))).collect();
        f64s(&[1, n, n], &data)
    };
    for n in [1, 2, 3, 4, 7, 16] {
        check_eig(&nilpotent(n), 1e-13);
        check_eig(&rotation(n), 1e-13);
        check_eig(&f64s(&[1, n, n], &vec![0.0; n * n]), 1e-13);
        check_eig(&f64s(&[1, n, n], &vec![1.0; n * n]), 1e-12);
    }
    // The Jordan block of 2, perturbed by similarity, and a double eigenvalue with two vectors next to a pair.
    check_eig(&f64s(&[1, 3, 3], &[3.0, 1.0, 2.0, 0.0, 3.0, 5.0, 0.0, 0.0, 3.0]), 1e-13);
    check_eig(&f64s(&[1, 3, 3], &[5.0, 4.0, 2.0, 0.0, 1.0, -1.0, -1.0, -1.0, 3.0]), 1e-7);
    #[rustfmt::skip]
    check_eig(&f64s(&[1, 4, 4], &[2., 0., 1., 3., 0., 2., -1., 1., 0., 0., 0., 1., 0., 0., -1., 0.]), 1e-13);
    check_eig(&c128s(&[1, 2, 2], &[[0.0, 1.0], [1.0, 0.0], [0.0; 2], [0.0, 1.0]]), 1e-13);
}

#[test]
fn eigenvalues_of_matrices_of_any_size_keep_their_digits() {
    for size in [1e-300, 1e-160, 1e150, 1e300] {
        let out =
            run(Op::Eig { left: false, right: true }, &[&f64s(&[2, 2], &[0.0, size, -4.0 * size, 0.0])]);
        let values = complex(&out[0]);
        assert!((values[0][1] / size - 2.0).abs() < 1e-14, "{values:?}");
        assert_eq!(values[1], [values[0][0], -values[0][1]]);
    }
}

#[test]
fn what_is_not_finite_ends() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..9 {
            let mut data = [2.0, -1.0, 0.5, -1.0, 3.0, 0.25, 0.5, 0.25, 4.0];
            data[place] = bad;
            let operands = [f64s(&[3, 3], &data), c128s(&[3, 3], &data.map(|x| [1.0, x]))];
            for a in &operands {
                for result in run(Op::Eig { left: true, right: true }, &[a]) {
                    assert!(complex(&result).iter().flatten().all(|x| x.is_nan()));
                }
                run(Op::Geqp3 {}, &[a, &flags(&[3], &[0, 0, 1])]);
            }
            let part = |k: usize| f64s(&[3], &data[3 * k..3 * k + 3]);
            run(Op::TridiagonalSolve {}, &[&part(0), &part(1), &part(2), &operands[0]]);
        }
    }
}

#[test]
fn empty_matrices_have_empty_results() {
    for dims in [&[0, 0][..], &[0, 3, 3], &[2, 0, 0]] {
        let a = f64s(dims, &[]);
        for result in run(Op::Eig { left: true, right: true }, &[&a]) {
            assert!(result.is_empty());
        }
        let vector = f64s(&dims[..dims.len() - 1], &[]);
        run(Op::TridiagonalSolve {}, &[&vector, &vector, &vector, &a]);
    }
    // No row, and no column.
    let out = run(Op::Geqp3 {}, &[&f64s(&[0, 3], &[]), &flags(&[3], &[0, 0, 1])]);
    ints(&out[2], &[2, 1, 0]);
    run(Op::Geqp3 {}, &[&f64s(&[3, 0], &[]), &flags(&[0], &[])]);
    let c = f64s(&[2, 1], &[1.0, 2.0]);
    let out =
        run(Op::Ormqr { left_side: true, adjoint: true }, &[&f64s(&[2, 3], &[1.0; 6]), &f64s(&[0], &[]), &c]);
    near(&out[0], &[2, 1], &[1.0, 2.0]);
}

#[test]
fn symbols_become_sizes_of_results() {
    let n = Dim::dynamic("n");
    let shape = Shape::from_dims(&[Dim::dynamic("b"), n.clone(), n.clone()], DType::F64);
    let results = Op::Eig { left: false, right: true }.infer(std::slice::from_ref(&shape)).expect("a shape");
    assert_eq!(results[0], Shape::from_dims(&[Dim::dynamic("b"), n.clone()], DType::C128));
    let flags = Shape::from_dims(&[Dim::dynamic("b"), n.clone()], DType::I32);
    assert_eq!(Op::Geqp3 {}.infer(&[shape.clone(), flags]).expect("shapes").len(), 3);
    let vector = Shape::from_dims(&[Dim::dynamic("b"), n], DType::F64);
    let ormqr = Op::Ormqr { left_side: false, adjoint: true };
    assert_eq!(ormqr.infer(&[shape.clone(), vector.clone(), shape.clone()]).expect("a shape")[0], shape);
    let op = Op::TridiagonalSolve {};
    let results = op.infer(&[vector.clone(), vector.clone(), vector, shape.clone()]).expect("a shape");
    assert_eq!(results[0], shape);
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let f = |dims: &[usize]| Shape::new(dims, DType::F32);
    let ormqr = |left_side| Op::Ormqr { left_side, adjoint: false };
    let eig = Op::Eig { left: true, right: true };
    let cases: Vec<(Op, Vec<Shape>, &str)> = vec![
        (eig.clone(), vec![f(&[2, 3])], "a must be square in its last two axes, got f32[2,3]"),
        (eig, vec![Shape::new(&[2, 2], DType::F16)], "a has element type f16, expected f64, f32, c64, c128"),
        (
            Op::Geqp3 {},
            vec![f(&[2, 3]), f(&[3])],
            "leading must say for each column of a whether it comes first: expected i32[3] for a of f32[2,3], got f32[3]",
        ),
        (
            Op::TridiagonalSolve {},
            vec![f(&[2]), f(&[3]), f(&[3]), f(&[3, 1])],
            "lower must have the element type of b, its leading axes and as many elements as it has rows, f32[3] \
             for b of f32[3,1], got f32[2]",
        ),
        (
            ormqr(true),
            vec![f(&[4, 2]), f(&[2]), f(&[3, 4])],
            "c must have as many rows as a has rows with left_side = true, got f32[3,4] for a of f32[4,2]",
        ),
        (ormqr(false), vec![f(&[4, 2]), f(&[2]), f(&[4, 3])], "c must have as many columns as a has rows"),
        (ormqr(true), vec![f(&[4, 2]), f(&[3]), f(&[4, 3])], "a row and a column for each of taus"),
        (ormqr(true), vec![f(&[4, 2]), f(&[2, 2]), f(&[4, 3])], "the same element type and leading axes"),
        (ormqr(true), vec![f(&[4]), f(&[2]), f(&[4, 3])], "a and c must be matrices and taus vectors"),
    ];
    for (op, operands, wanted) in cases {
        let message = op.infer(&operands).expect_err("invalid").to_string();
        assert!(message.contains(wanted), "{message}\n  lacks: {wanted}");
    }
}
