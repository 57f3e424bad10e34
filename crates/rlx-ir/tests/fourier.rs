//! Fourier transforms: numbers from JAX, inverses, and rejected operands.

use rlx_ir::{Builder, DType, FftKind, Graph, Literal, Op, Shape, eval};

/// Evaluates one transform, after checking that its text form reads back equal.
fn run(kind: FftKind, lengths: &[usize], x: &Literal) -> Literal {
    let b = Builder::new("test");
    let y = b.input("x", x.shape().clone()).apply(Op::Fft { kind, lengths: lengths.to_vec() }, &[]);
    let graph = b.finish(&[&y]).expect("a valid graph");
    assert_eq!(Graph::parse(&graph.to_string()).expect("parses"), graph);
    eval(&graph, &[("x", x)]).expect("runs").remove(0)
}

/// A literal from numbers; for a complex type, each element takes two.
fn literal(dims: &[usize], dtype: DType, data: &[f64]) -> Literal {
    let bytes: Vec<u8> = match dtype {
        DType::F64 | DType::C128 => data.iter().flat_map(|x| x.to_le_bytes()).collect(),
        _ => data.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect(),
    };
    Literal::from_bytes(&Shape::new(dims, dtype), &bytes).expect("fits")
}

/// The numbers of a literal; a complex element gives two.
fn numbers(x: &Literal) -> Vec<f64> {
    match x.dtype() {
        DType::F32 => x.as_slice::<f32>().expect("f32").iter().map(|&v| f64::from(v)).collect(),
        DType::F64 => x.as_slice::<f64>().expect("f64").to_vec(),
        DType::C64 => x.as_slice::<[f32; 2]>().expect("c64").concat().into_iter().map(f64::from).collect(),
        _ => x.as_slice::<[f64; 2]>().expect("c128").concat(),
    }
}

#[track_caller]
fn near(got: &Literal, wanted: &[f64], tolerance: f64) {
    let got = numbers(got);
    assert_eq!(got.len(), wanted.len());
    for (g, w) in got.iter().zip(wanted) {
        assert!((g - w).abs() <= tolerance * w.abs().max(1.0), "{got:?} instead of {wanted:?}");
    }
}

/// Kind, lengths, type and dimensions of the operand, operand, dimensions of the result, result.
type Case<'a> = (FftKind, &'a [usize], DType, &'a [usize], &'a [f64], &'a [usize], &'a [f64]);

#[rustfmt::skip]
const CASES: &[Case<'static>] = &[
    (FftKind::Fft, &[6], DType::C128, &[6], &[1.0, 2.0, -1.0, 0.5, 3.0, -1.0, 0.0, 0.25, 2.0, 0.0, -1.0, -1.0], &[6], &[4.0, 0.75, -2.066987298107781, 1.1339745962155616, 1.6650635094610964, 3.8660254037844384, 8.0, 1.25, -2.6650635094610964, 2.1339745962155616, -2.9330127018922187, 2.8660254037844384]),
    (FftKind::Ifft, &[6], DType::C128, &[6], &[1.0, 2.0, -1.0, 0.5, 3.0, -1.0, 0.0, 0.25, 2.0, 0.0, -1.0, -1.0], &[6], &[0.6666666666666666, 0.125, -0.48883545031536985, 0.4776709006307397, -0.4441772515768494, 0.35566243270259357, 1.333333333333333, 0.20833333333333337, 0.2775105849101827, 0.6443375672974063, -0.34449788301796336, 0.18899576603592688]),
    (FftKind::Rfft, &[7], DType::F64, &[7], &[1.0, -2.0, 0.5, 3.0, 4.0, -1.5, 2.5], &[4], &[7.5, 0.0, -4.772516240431252, 2.002269585860045, 6.154137013935396, 4.473111600585293, -1.6316207735041437, 4.491067703146895]),
    (FftKind::Rfft, &[6], DType::F64, &[6], &[1.0, -2.0, 0.5, 3.0, 4.0, -1.5], &[4], &[5.0, 0.0, -6.0, 3.4641016151377544, 3.5, -2.598076211353316, 6.0, 0.0]),
    (FftKind::Irfft, &[7], DType::C128, &[4], &[1.0, 2.0, -1.0, 0.5, 3.0, -1.0, 0.0, 0.25], &[7], &[0.7142857142857142, -0.0901461050169307, -0.7732215698121156, 0.57969512668753, 1.2896981724431098, -0.35842738433128013, -0.36188395425602743]),
    (FftKind::Irfft, &[6], DType::C128, &[4], &[1.0, 2.0, -1.0, 0.5, 3.0, -1.0, 0.0, 0.25], &[6], &[0.8333333333333333, -0.35566243270259357, -0.5996793685588859, 1.5, 0.26634603522555267, -0.6443375672974063]),
    (FftKind::Rfft, &[3, 4], DType::F64, &[3, 4], &[-1.5, -0.5, 0.5, 1.5, 2.5, -1.5, -0.5, 0.5, 1.5, 2.5, -1.5, -0.5], &[3, 3], &[3.0, 0.0, 4.0, 1.0, -1.0, 0.0, -1.5, 0.8660254037844386, -0.6698729810778072, 2.5, -2.5, -4.330127018922193, -1.5, -0.8660254037844386, -9.330127018922193, 2.5, -2.5, 4.330127018922193]),
    (FftKind::Fft, &[2, 3], DType::C128, &[2, 3], &[1.0, 2.0, -1.0, 0.5, 3.0, -1.0, 0.0, 0.25, 2.0, 0.0, -1.0, -1.0], &[2, 3], &[4.0, 0.75, 1.6650635094610966, 3.8660254037844384, -2.6650635094610964, 2.1339745962155616, 2.0, 2.25, 0.9330127018922194, 7.56217782649107, 0.06698729810778059, -4.56217782649107]),
    (FftKind::Irfft, &[2, 4], DType::C128, &[2, 3], &[1.0, 2.0, -1.0, 0.5, 3.0, -1.0, 0.0, 0.25, 2.0, 0.0, -1.0, -1.0], &[2, 4], &[0.625, -0.25, 0.125, 0.0, -0.125, -0.5, 1.375, -0.25]),
    (FftKind::Irfft, &[2, 5], DType::C128, &[2, 3], &[1.0, 2.0, -1.0, 0.5, 3.0, -1.0, 0.0, 0.25, 2.0, 0.0, -1.0, -1.0], &[2, 5], &[0.7000000000000001, -0.0217949495875156, -0.37739773287231926, 0.5010045306222982, -0.3018118481624634, 0.30000000000000004, -0.8277294437544418, 0.7738452668956791, 0.8914023173541739, -0.6375181404954111]),
    (FftKind::Rfft, &[2, 3, 4], DType::F64, &[2, 3, 4], &[-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, -2.0, -1.0, 0.0], &[2, 3, 3], &[18.0, 0.0, 2.0, -2.0, 2.0, 0.0, -6.0, -8.660254037844386, -2.5621778264910704, 2.5621778264910704, -7.0, 0.0, -6.0, 8.660254037844386, 9.56217782649107, -9.56217782649107, -7.0, 0.0, -4.0, 0.0, -14.0, 0.0, 0.0, 0.0, -7.0, 0.0, -9.56217782649107, 4.43782217350893, 0.0, -12.12435565298214, -7.0, 0.0, 2.5621778264910704, 16.56217782649107, 0.0, 12.12435565298214]),
    (FftKind::Fft, &[2], DType::C128, &[3, 2], &[1.0, 2.0, -1.0, 0.5, 3.0, -1.0, 0.0, 0.25, 2.0, 0.0, -1.0, -1.0], &[3, 2], &[0.0, 2.5, 2.0, 1.5, 3.0, -0.75, 3.0, -1.25, 1.0, -1.0, 3.0, 1.0]),
];

#[test]
fn transforms_are_those_of_jax() {
    for &(kind, lengths, dtype, from, data, to, wanted) in CASES {
        let out = run(kind, lengths, &literal(from, dtype, data));
        assert_eq!(out.dims(), to, "{kind} {lengths:?}");
        near(&out, wanted, 1e-14);
        let single = if dtype == DType::F64 { DType::F32 } else { DType::C64 };
        near(&run(kind, lengths, &literal(from, single, data)), wanted, 1e-6);
    }
}

#[test]
fn inverses_give_back_sequences_of_any_length() {
    for n in [1, 2, 3, 8, 31, 32, 37, 64, 97, 100, 210] {
        let wave = |i: usize| (i as f64 * 0.7).sin() + 0.1 * i as f64;
        let real: Vec<f64> = (0..2 * n).map(wave).collect();
        let x = literal(&[2, n], DType::F64, &real);
        let spectrum = run(FftKind::Rfft, &[n], &x);
        assert_eq!(spectrum.dims(), [2, n / 2 + 1]);
        near(&run(FftKind::Irfft, &[n], &spectrum), &real, 1e-13);
        let complex: Vec<f64> = (0..4 * n).map(wave).collect();
        let z = literal(&[2, n], DType::C128, &complex);
        near(&run(FftKind::Ifft, &[2, n], &run(FftKind::Fft, &[2, n], &z)), &complex, 1e-13);
    }
}

/// Kind, lengths, type and dimensions of the operand, dimensions of the result.
type EmptyCase = (FftKind, &'static [usize], DType, &'static [usize], &'static [usize]);

#[test]
fn empty_axes_give_empty_results() {
    let cases: [EmptyCase; 7] = [
        (FftKind::Fft, &[0], DType::C128, &[0], &[0]),
        (FftKind::Rfft, &[0], DType::F64, &[0], &[0]),
        (FftKind::Irfft, &[0], DType::C128, &[0], &[0]),
        (FftKind::Rfft, &[0, 4], DType::F32, &[2, 0, 4], &[2, 0, 3]),
        (FftKind::Irfft, &[0, 4], DType::C64, &[0, 3], &[0, 4]),
        (FftKind::Rfft, &[4, 0], DType::F64, &[4, 0], &[4, 0]),
        (FftKind::Rfft, &[3], DType::F64, &[0, 3], &[0, 2]),
    ];
    for (kind, lengths, dtype, from, to) in cases {
        assert_eq!(run(kind, lengths, &literal(from, dtype, &[])).dims(), to, "{kind} {lengths:?}");
    }
}

#[test]
fn not_a_number_spreads_and_terminates() {
    for n in [4, 5, 40] {
        let mut data = vec![1.0; n];
        data[1] = f64::NAN;
        let out = run(FftKind::Rfft, &[n], &literal(&[n], DType::F64, &data));
        assert!(numbers(&out)[0].is_nan());
    }
}

#[test]
fn symbolic_axes_may_lead_or_match() {
    let shape = |dims: &[rlx_ir::Dim]| Shape::from_dims(dims, DType::F32);
    let rfft = |n| Op::Fft { kind: FftKind::Rfft, lengths: vec![n] };
    let out = rfft(8).infer(&[shape(&["batch".into(), 8.into()])]).expect("valid");
    assert_eq!(out[0].to_string(), "c64[batch,5]");
    let out = rfft(8).infer(&[shape(&["n".into()])]).expect("n may be 8");
    assert_eq!(out[0].to_string(), "c64[5]");
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let cases: [(FftKind, &[usize], Shape, &str); 8] = [
        (FftKind::Fft, &[4], Shape::new(&[4], DType::F32), "x has element type f32, expected c64, c128"),
        (FftKind::Rfft, &[4], Shape::new(&[4], DType::C64), "x has element type c64, expected f64, f32"),
        (FftKind::Rfft, &[4], Shape::new(&[4], DType::F16), "x has element type f16"),
        (FftKind::Fft, &[], Shape::new(&[4], DType::C64), "needs one, two or three lengths, got []"),
        (
            FftKind::Fft,
            &[1, 1, 1, 1],
            Shape::new(&[1, 1, 1, 1], DType::C64),
            "needs one, two or three lengths",
        ),
        (
            FftKind::Fft,
            &[2, 4],
            Shape::new(&[4], DType::C64),
            "x must have an axis for each of [2, 4], got c64[4]",
        ),
        (
            FftKind::Rfft,
            &[2, 3],
            Shape::new(&[2, 4], DType::F32),
            "rfft of lengths [2, 3] takes f32[2,3], got f32[2,4]",
        ),
        (FftKind::Irfft, &[6], Shape::new(&[6], DType::C64), "irfft of lengths [6] takes c64[4], got c64[6]"),
    ];
    for (kind, lengths, x, wanted) in cases {
        let op = Op::Fft { kind, lengths: lengths.to_vec() };
        let message = op.infer(&[x]).expect_err("invalid").to_string();
        assert!(message.contains(wanted), "{message}\n  lacks: {wanted}");
    }
}
