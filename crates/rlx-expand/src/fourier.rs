//! Expands discrete Fourier transforms of any length into products with their matrices. A length is split into factors (Cooley
//! and Tukey; Golub & Van Loan, "Matrix Computations", 4th ed., section 1.4.1), and a large prime factor becomes a convolution
//! (Bluestein, "A linear filtering approach to the computation of the discrete Fourier transform", 1970).

use crate::build::Expression;
use rlx_ir::{BinaryOp, DType, Dim, DotDims, FftKind, Op, OpError, Shape, Tensor};
use std::f64::consts::TAU;

/// Up to this length, the transform is a single product with its matrix.
const DENSE: usize = 32;
/// Up to this length, so is the transform of a prime length.
const DENSE_PRIME: usize = 128;

fn complex(re: &Tensor, im: &Tensor) -> Tensor {
    re.binary(BinaryOp::Complex, im)
}

/// e^(−2πi·k/n) for integers k from 0 to n.
fn root_of_unity(k: &Tensor, n: usize, dtype: DType) -> Tensor {
    // Angles of more than half a turn are replaced by negative ones, so that angles stay small.
    let over = k.greater(&k.int_like((n / 2) as i64));
    let k = over.select(&(k - k.int_like(n as i64)), k);
    let angle = k.convert(dtype.real()) * (-TAU / n as f64);
    complex(&angle.cos(), &angle.sin())
}

/// A type that represents products of numbers below n, with 32 bits if possible.
fn number_type(n: usize) -> DType {
    if n <= 46_340 { DType::I32 } else { DType::I64 }
}

/// e^(−2πi·j·k/n) for j below `rows` and k below `columns`.
fn twiddles(like: &Tensor, rows: usize, columns: usize, n: usize) -> Tensor {
    let shape = Shape::new(&[rows, columns], number_type(n));
    let b = like.builder();
    let product = b.iota(shape.clone(), 0) * b.iota(shape, 1);
    root_of_unity(&(&product % product.int_like(n as i64)), n, like.dtype())
}

/// The largest factor of n up to [`DENSE`], other than 1.
fn factor(n: usize) -> Option<usize> {
    (2..=DENSE.min(n)).rev().find(|f| n.is_multiple_of(*f))
}

/// Splits the last axis in two.
fn parted(x: &Tensor, parts: [usize; 2]) -> Tensor {
    let mut dims = x.dims();
    dims.pop();
    dims.extend(parts.map(Dim::Static));
    x.reshape(&dims)
}

/// Merges the last two axes.
fn merged(x: &Tensor, n: usize) -> Tensor {
    let mut dims = x.dims();
    dims.truncate(dims.len() - 2);
    dims.push(Dim::Static(n));
    x.reshape(&dims)
}

/// The product of an axis of x with a matrix; the resulting axis is the last one.
fn contracted(x: &Tensor, axis: usize, matrix: &Tensor) -> Tensor {
    let product = Op::DotGeneral { dims: DotDims::contracting(&[axis], &[0]), dtype: None };
    x.apply(product, &[matrix])
}

/// The transform of complex numbers along the last axis, which has length n.
fn forward(x: &Tensor, n: usize) -> Tensor {
    let last = x.rank() - 1;
    if n <= 1 {
        return x.clone();
    }
    if n <= DENSE {
        return contracted(x, last, &twiddles(x, n, n, n));
    }
    let Some(first) = factor(n) else {
        return if n <= DENSE_PRIME { contracted(x, last, &twiddles(x, n, n, n)) } else { chirped(x, n) };
    };
    // With j = j₁·n₂ + j₂ and k = k₁ + n₁·k₂: transform over j₁, rotate by j₂·k₁, transform over j₂.
    let second = n / first;
    let inner = contracted(&parted(x, [first, second]), last, &twiddles(x, first, first, first));
    let turned = (inner * twiddles(x, second, first, n)).transpose_last();
    merged(&forward(&turned, second).transpose_last(), n)
}

/// With j·k = (j² + k² − (k − j)²)/2, the transform is a convolution with a chirp, at a length that has many factors.
fn chirped(x: &Tensor, n: usize) -> Tensor {
    let (b, last) = (x.builder(), x.rank() - 1);
    let length = (2 * n - 1).next_power_of_two();
    let number = b.iota(Shape::new(&[n], number_type(n)), 0);
    let square = &number * &number;
    let chirp = root_of_unity(&(&square % square.int_like(2 * n as i64)), 2 * n, x.dtype());
    let zero = x.scalar_like(0.0);
    let padded = |x: &Tensor, low: usize, high: usize| {
        let axis = x.rank() - 1;
        let at = |n: usize| {
            let mut list = vec![0; x.rank()];
            list[axis] = n as i64;
            list
        };
        x.apply(Op::Pad { low: at(low), high: at(high), interior: vec![0; x.rank()] }, &[&zero])
    };
    // The chirp at 0, 1, …, and from the end at −1, −2, ….
    let back = chirp.conj();
    let mirrored = back.slice_axis(0, 1, n).apply(Op::Reverse { axes: vec![0] }, &[]);
    let kernel = padded(&back, 0, length - n) + padded(&mirrored, length - n + 1, 0);
    let signal = padded(&(x * &chirp), 0, length - n);
    let product = forward(&signal, length) * forward(&kernel, length);
    inverse(&product, length).slice_axis(last, 0, n) * chirp
}

/// The inverse transform, by conjugation, divided by the length.
fn inverse(x: &Tensor, n: usize) -> Tensor {
    forward(&x.conj(), n).conj() * (1.0 / n as f64)
}

/// Applies `transform` along another axis.
fn along(x: &Tensor, axis: usize, transform: impl Fn(&Tensor) -> Tensor) -> Tensor {
    let mut perm: Vec<usize> = (0..x.rank()).collect();
    perm.swap(axis, x.rank() - 1);
    transform(&x.transpose(&perm)).transpose(&perm)
}

/// A spectrum of length n from its first half; the rest are conjugates in reverse order. Ignores imaginary parts that no real
/// signal can have.
fn whole_spectrum(x: &Tensor, n: usize) -> Tensor {
    let last = x.rank() - 1;
    let kept = n.div_ceil(2);
    let real = |from: usize, to: usize| {
        let re = x.slice_axis(last, from, to).re();
        complex(&re, &re.filled(0.0))
    };
    let inside = x.slice_axis(last, 1, kept.max(1));
    let mirrored = inside.apply(Op::Reverse { axes: vec![last] }, &[]).conj();
    let mut parts = vec![real(0, 1), inside];
    if n.is_multiple_of(2) {
        parts.push(real(n / 2, n / 2 + 1));
    }
    parts.push(mirrored);
    parts[0].apply(Op::Concatenate { axis: last }, &parts[1..].iter().collect::<Vec<_>>())
}

/// Transforms over the last axes.
pub(crate) fn fft(x: &Tensor, kind: FftKind, lengths: &[usize]) -> Result<Vec<Tensor>, OpError> {
    let (first, last) = (x.rank() - lengths.len(), x.rank() - 1);
    let Some(&n) = lengths.last() else {
        return Err(OpError::attribute("a transform needs at least one length"));
    };
    let outer = |x: Tensor, transform: fn(&Tensor, usize) -> Tensor| {
        let axes = lengths[..lengths.len() - 1].iter().enumerate();
        axes.fold(x, |x, (i, &n)| along(&x, first + i, |x| transform(x, n)))
    };
    Ok(vec![match kind {
        FftKind::Fft => outer(forward(x, n), forward),
        FftKind::Ifft => outer(inverse(x, n), inverse),
        FftKind::Rfft => {
            let whole = forward(&complex(x, &x.filled(0.0)), n);
            outer(whole.slice_axis(last, 0, n / 2 + 1), forward)
        }
        FftKind::Irfft => {
            let spectrum = outer(x.clone(), inverse);
            inverse(&whole_spectrum(&spectrum, n), n).re()
        }
    }])
}
