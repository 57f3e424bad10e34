//! Computations with complex numbers that have real results: spectra and filters.

use super::{Example, example};
use rlx_ir::{BinaryOp, DType, Dim, FftKind, Op, Tensor, UnaryOp};

fn fft(x: &Tensor, kind: FftKind, lengths: &[usize]) -> Tensor {
    x.apply(Op::Fft { kind, lengths: lengths.to_vec() }, &[])
}

fn complex(re: &Tensor, im: &Tensor) -> Tensor {
    re.binary(BinaryOp::Complex, im)
}

pub(super) fn all() -> Vec<Example> {
    [spectra(), filters()].into_iter().flatten().collect()
}

fn spectra() -> Vec<Example> {
    let power = |x: &Tensor, n: usize| {
        let size = fft(x, FftKind::Rfft, &[n]).abs() * (1.0 / n as f64);
        &size * &size
    };
    vec![
        example("matmul", "", &[3, 16], &[], move |x, _| power(x, 16)),
        // With a composite length, and with a prime one.
        example("matmul", "", &[2, 48], &[], move |x, _| power(x, 48)),
        example("matmul", "", &[2, 131], &[], move |x, _| power(x, 131)),
        // Frames of a signal, multiplied by a window.
        example("matmul", "", &[64], &[&[16]], move |x, p| {
            let frames: Vec<Tensor> =
                (0..7).map(|i| x.slice_axis(0, 8 * i, 8 * i + 16).unsqueeze(0)).collect();
            let frames =
                frames[0].apply(Op::Concatenate { axis: 0 }, &frames[1..].iter().collect::<Vec<_>>());
            power(&(&frames * p[0].broadcast_in_dim(&frames.dims(), &[1])), 16)
        }),
        example("concat", "", &[2, 3, 8], &[&[2, 3, 8]], |x, p| {
            let spectrum = fft(&complex(x, &p[0]), FftKind::Fft, &[3, 8]);
            spectrum.unary(UnaryOp::Real) + spectrum.unary(UnaryOp::Imag)
        }),
    ]
}

fn filters() -> Vec<Example> {
    let filtered = |x: &Tensor, re: &Tensor, im: &Tensor, n: usize| {
        let spectrum = fft(x, FftKind::Rfft, &[n]);
        let filter = complex(re, im).broadcast_in_dim(&spectrum.dims(), &[1]);
        fft(&(spectrum * filter), FftKind::Irfft, &[n])
    };
    vec![
        example("matmul", "", &[3, 24], &[&[13], &[13]], move |x, p| filtered(x, &p[0], &p[1], 24)),
        example("matmul", "", &[3, 25], &[&[13], &[13]], move |x, p| filtered(x, &p[0], &p[1], 25)),
        // A circular convolution by spectra, along two axes.
        example("matmul", "", &[2, 6, 10], &[&[6, 10]], |x, p| {
            let nothing = x.scalar_like(0.0).broadcast_to(&x.dims());
            let signal = fft(&complex(x, &nothing), FftKind::Fft, &[6, 10]);
            let kernel = p[0].broadcast_in_dim(&x.dims(), &[1, 2]);
            let kernel = fft(&complex(&kernel, &nothing), FftKind::Fft, &[6, 10]);
            fft(&(signal * kernel), FftKind::Ifft, &[6, 10]).unary(UnaryOp::Real) * (1.0 / 60.0)
        }),
        // A spectrum that is divided, selected from and concatenated.
        example("matmul", "", &[2, 16], &[], |x, _| {
            let spectrum = fft(x, FftKind::Rfft, &[16]);
            let size = spectrum.abs();
            let unit = &spectrum / complex(&(&size + 0.5), &size);
            let loud = size.greater(&size.scalar_like(1.0).broadcast_to(&size.dims()));
            let chosen = loud.select(&unit, &spectrum.unary(UnaryOp::Conj));
            let low = chosen.slice_axis(1, 0, 5);
            let op = Op::Pad { low: vec![0, 0], high: vec![0, 4], interior: vec![0, 0] };
            let padded = low.apply(op, &[&complex(&x.scalar_like(0.0), &x.scalar_like(0.0))]);
            fft(&padded, FftKind::Irfft, &[16]).reshape(&[2, 4, 4].map(Dim::Static)).convert(DType::F32)
        }),
    ]
}
