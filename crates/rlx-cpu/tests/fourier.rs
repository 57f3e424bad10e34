//! Compares Fourier transforms with the evaluator's, which are computed in f64 with other algorithms.

mod harness;

use harness::{SplitMix64, Tolerance, check_node_within, ordinary, wild};
use rlx_ir::{DType, FftKind, Op};

/// Compares a transform of the last axes with the evaluator, within the error of a fast algorithm in the element type's precision: about
/// log2(n) roundings of numbers of the size of the result (Higham 2002, section 24.1).
fn check(kind: FftKind, dims: &[usize], lengths: &[usize], dtype: DType, random: &mut SplitMix64) {
    let n = lengths.iter().product::<usize>().max(1) as f64;
    let unit = if dtype.real() == DType::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    // Elements have magnitudes of up to 4 and are independent of each other.
    let size = match kind {
        FftKind::Fft | FftKind::Rfft => 4.0 * n.sqrt(),
        FftKind::Ifft | FftKind::Irfft => 4.0 / n.sqrt(),
    };
    let tolerance = Tolerance::Close { absolute: 2.0 * unit * (1.0 + n.log2()) * size, relative: 0.0 };
    let op = Op::Fft { kind, lengths: lengths.to_vec() };
    check_node_within(op, &[ordinary(dims, dtype, random)], tolerance);
}

/// Returns the sizes of a half spectrum.
fn half(dims: &[usize]) -> Vec<usize> {
    let mut half = dims.to_vec();
    if let Some(last) = half.last_mut() {
        *last = if *last == 0 { 0 } else { *last / 2 + 1 };
    }
    half
}

#[test]
fn transforms_of_any_length() {
    let mut random = SplitMix64::new(4);
    let lengths: [&[usize]; 21] = [
        &[0],
        &[1],
        &[2],
        &[3],
        &[4],
        &[5],
        &[6],
        &[8],
        &[31],
        &[37],
        &[100],
        &[1000],
        &[1021],
        &[1024],
        &[4, 6],
        &[5, 1, 7],
        &[6, 5, 4],
        &[3, 2, 11],
        &[33, 64],
        &[1, 2],
        &[2, 1],
    ];
    for (i, lengths) in lengths.into_iter().enumerate() {
        let batch = [&[][..], &[3], &[2, 2]][i % 3];
        let whole = [batch, lengths].concat();
        for (real, complex) in [(DType::F32, DType::C64), (DType::F64, DType::C128)] {
            check(FftKind::Fft, &whole, lengths, complex, &mut random);
            check(FftKind::Ifft, &whole, lengths, complex, &mut random);
            check(FftKind::Rfft, &whole, lengths, real, &mut random);
            check(FftKind::Irfft, &half(&whole), lengths, complex, &mut random);
        }
    }
}

#[test]
fn many_lines_and_none() {
    let mut random = SplitMix64::new(5);
    // Enough lines for several threads, along both axes; and no lines at all.
    for dims in [&[300, 50][..], &[0, 4, 4], &[4, 0, 4]] {
        let lengths = &dims[dims.len() - 2..];
        check(FftKind::Fft, dims, lengths, DType::C64, &mut random);
        check(FftKind::Rfft, dims, lengths, DType::F64, &mut random);
        check(FftKind::Irfft, &half(dims), lengths, DType::C128, &mut random);
    }
}

/// Which coefficients an infinity makes infinite and which it makes NaN depends on the algorithm; that none stays finite does not.
#[test]
fn what_is_not_finite_does_not_stay_in_its_line() {
    use rlx_compile::CompileOptions;
    use rlx_ir::{Builder, Literal};
    let mut random = SplitMix64::new(6);
    for n in [2, 7, 12, 30, 64] {
        let mut x = ordinary(&[3, n], DType::C128, &mut random).bytes().to_vec();
        x[(n + n / 2) * 16..][..8].copy_from_slice(&f64::NAN.to_le_bytes());
        let x = Literal::from_bytes(&rlx_ir::Shape::new(&[3, n], DType::C128), &x).unwrap();
        let b = Builder::new("fft");
        let input = b.input("x", x.shape().clone());
        let y = input.apply(Op::Fft { kind: FftKind::Fft, lengths: vec![n] }, &[]);
        let graph = b.finish(&[&y]).unwrap();
        let y = harness::run(&graph, &[("x", &x)], &CompileOptions::new()).remove(0);
        for (i, z) in y.bytes().chunks_exact(16).enumerate() {
            let re = f64::from_le_bytes(z[..8].try_into().unwrap());
            assert_eq!(re.is_nan(), i / n == 1, "length {n}, element {i}");
        }
    }
    // With any bits, nothing panics.
    for n in [2, 7, 12, 30, 64] {
        let b = Builder::new("fft");
        let x = wild(&[3, n], DType::F32, &mut random);
        let input = b.input("x", x.shape().clone());
        let y = input.apply(Op::Fft { kind: FftKind::Rfft, lengths: vec![n] }, &[]);
        let graph = b.finish(&[&y]).unwrap();
        harness::run(&graph, &[("x", &x)], &CompileOptions::new());
    }
}
