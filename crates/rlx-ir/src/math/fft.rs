//! Discrete Fourier transforms of any length, with StableHLO's four kinds over the last one to three axes.
//!
//! Lengths that are powers of two use the radix-2 decimation in time (Cooley and Tukey, 1965), short lengths the defining sum,
//! and all others Bluestein's chirp convolution (1970). Forward transforms are unscaled; inverse transforms divide by the length.

use super::complex::Complex64;
use std::f64::consts::TAU;

/// Below this, a length that is not a power of two is summed directly.
const DIRECT: usize = 32;

/// `e^{-2πi k/n}`, exact at multiples of an eighth turn and accurate to the last digit in between.
fn root_of_unity(k: usize, n: usize) -> Complex64 {
    let k = k % n;
    // Fold into the first eighth, where the sine and cosine of a rounded angle are accurate. u128 because 8k may not fit.
    let (k8, n8) = (8 * k as u128, n as u128);
    let octant = (k8 / n8) as u32;
    let folded = if octant.is_multiple_of(2) { k8 % n8 } else { n8 - k8 % n8 };
    let angle = TAU / 8.0 * (folded as f64 / n8 as f64);
    let (sin, cos) = libm::sincos(angle);
    let (c, s) = match octant {
        0 => (cos, sin),
        1 => (sin, cos),
        2 => (-sin, cos),
        3 => (-cos, sin),
        4 => (-cos, -sin),
        5 => (-sin, -cos),
        6 => (sin, -cos),
        _ => (cos, -sin),
    };
    Complex64::new(c, -s)
}

/// The precomputed tables of one transform length.
pub struct Plan {
    n: usize,
    method: Method,
}

enum Method {
    /// Half the roots of unity.
    Radix2(Vec<Complex64>),
    /// All roots of unity.
    Direct(Vec<Complex64>),
    Bluestein {
        /// `e^{-πi j²/n}`.
        chirp: Vec<Complex64>,
        /// The transform of the conjugate chirp, wrapped around the padded length.
        kernel: Vec<Complex64>,
        padded: Box<Plan>,
    },
}

impl Plan {
    /// Prepares transforms of length `n`. Length zero is allowed; its transforms do nothing.
    pub fn new(n: usize) -> Plan {
        let method = if n.is_power_of_two() {
            Method::Radix2((0..n / 2).map(|k| root_of_unity(k, n)).collect())
        } else if n < DIRECT {
            Method::Direct((0..n).map(|k| root_of_unity(k, n)).collect())
        } else {
            bluestein(n)
        };
        Plan { n, method }
    }

    /// Number of elements of working memory that a transform needs.
    pub fn work(&self) -> usize {
        match &self.method {
            Method::Radix2(_) => 0,
            Method::Direct(_) => self.n,
            Method::Bluestein { padded, .. } => padded.n,
        }
    }

    /// `X_k = Σ x_j e^{-2πi jk/n}`, in place. `data` has the plan's length, and `work` at least [`work`](Self::work) elements.
    pub fn forward(&self, data: &mut [Complex64], work: &mut [Complex64]) {
        match &self.method {
            Method::Radix2(roots) => radix2(data, roots),
            Method::Direct(roots) => {
                let term = |k: usize, j: usize| data[j] * roots[j * k % self.n];
                let sum = |k| (0..self.n).fold(Complex64::ZERO, |sum, j| sum + term(k, j));
                let result = &mut work[..self.n];
                result.iter_mut().enumerate().for_each(|(k, x)| *x = sum(k));
                data.copy_from_slice(result);
            }
            Method::Bluestein { chirp, kernel, padded } => {
                // jk = (j² + k² - (k-j)²) / 2 turns the sum into a convolution with a chirp. The padded length is a power of two,
                // which needs no working memory.
                let work = &mut work[..padded.n];
                work.fill(Complex64::ZERO);
                work.iter_mut().zip(data.iter().zip(chirp)).for_each(|(w, (x, c))| *w = *x * *c);
                padded.forward(work, &mut []);
                work.iter_mut().zip(kernel).for_each(|(w, k)| *w *= *k);
                padded.inverse(work, &mut []);
                data.iter_mut().zip(work.iter().zip(chirp)).for_each(|(x, (w, c))| *x = *w * *c);
            }
        }
    }

    /// `x_j = 1/n Σ X_k e^{2πi jk/n}`, in place. Arguments are as for [`forward`](Self::forward).
    pub fn inverse(&self, data: &mut [Complex64], work: &mut [Complex64]) {
        let factor = self.n as f64;
        data.iter_mut().for_each(|v| *v = v.conj());
        self.forward(data, work);
        data.iter_mut().for_each(|v| *v = Complex64::new(v.re / factor, -v.im / factor));
    }
}

/// Completes the coefficients of a real sequence from its first `n / 2 + 1`. The imaginary parts of coefficients that must be
/// real (the first, and for even `n` the middle one) are ignored.
pub fn complete_half(line: &mut [Complex64]) {
    let n = line.len();
    for k in [0, n / 2] {
        if 2 * k % n.max(1) == 0 && n > 0 {
            line[k] = Complex64::from(line[k].re);
        }
    }
    (n / 2 + 1..n).for_each(|k| line[k] = line[n - k].conj());
}

fn bluestein(n: usize) -> Method {
    // j² mod 2n keeps the angle small; the chirp has period 2n in j².
    let square = |j: usize| ((j as u128 * j as u128) % (2 * n as u128)) as usize;
    let chirp: Vec<Complex64> = (0..n).map(|j| root_of_unity(square(j), 2 * n)).collect();
    let padded = Plan::new((2 * n - 1).next_power_of_two());
    let mut kernel = vec![Complex64::ZERO; padded.n];
    for (j, c) in chirp.iter().enumerate() {
        kernel[j] = c.conj();
        kernel[(padded.n - j) % padded.n] = c.conj();
    }
    padded.forward(&mut kernel, &mut []);
    Method::Bluestein { chirp, kernel, padded: Box::new(padded) }
}

/// The in-place radix-2 transform; `roots` are the first half of the roots of unity.
fn radix2(data: &mut [Complex64], roots: &[Complex64]) {
    let n = data.len();
    if n < 2 {
        return;
    }
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            data.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        let stride = n / (2 * half);
        for block in data.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                let turned = *b * roots[k * stride];
                (*a, *b) = (*a + turned, *a - turned);
            }
        }
        half *= 2;
    }
}

/// Transforms along one axis of a row-major array, in place.
fn along_axis(data: &mut [Complex64], shape: &[usize], axis: usize, inverse: bool) {
    let n = shape[axis];
    if n == 0 || data.is_empty() {
        return;
    }
    let plan = Plan::new(n);
    let stride: usize = shape[axis + 1..].iter().product();
    let (mut line, mut work) = (vec![Complex64::ZERO; n], vec![Complex64::ZERO; plan.work()]);
    for block in data.chunks_exact_mut(n * stride) {
        for offset in 0..stride {
            (0..n).for_each(|k| line[k] = block[offset + k * stride]);
            if inverse {
                plan.inverse(&mut line, &mut work)
            } else {
                plan.forward(&mut line, &mut work)
            }
            (0..n).for_each(|k| block[offset + k * stride] = line[k]);
        }
    }
}

/// StableHLO's FFT and IFFT over the last `axes` axes of a row-major array of the given shape, in place.
pub fn fft(data: &mut [Complex64], shape: &[usize], axes: usize, inverse: bool) {
    for axis in shape.len() - axes..shape.len() {
        along_axis(data, shape, axis, inverse);
    }
}

/// StableHLO's RFFT over the last `axes` axes: the last axis of `n` reals becomes `n / 2 + 1` coefficients. The other half would
/// be their conjugates.
pub fn rfft(data: &[f64], shape: &[usize], axes: usize) -> Vec<Complex64> {
    let (n, half) = half_extent(shape);
    let plan = Plan::new(n);
    let (mut result, mut work) = (Vec::new(), vec![Complex64::ZERO; plan.work()]);
    for row in data.chunks_exact(n.max(1)) {
        let mut line: Vec<Complex64> = row.iter().map(|v| Complex64::from(*v)).collect();
        plan.forward(&mut line, &mut work);
        result.extend_from_slice(&line[..half]);
    }
    let mut half_shape = shape.to_vec();
    half_shape[shape.len() - 1] = half;
    for axis in shape.len() - axes..shape.len() - 1 {
        along_axis(&mut result, &half_shape, axis, false);
    }
    result
}

/// StableHLO's IRFFT over the last `axes` axes: maps coefficients whose last axis has `n / 2 + 1` entries to reals of the
/// given *output* shape, whose last extent is `n`.
///
/// Ignores the same imaginary parts as [`complete_half`].
pub fn irfft(data: &[Complex64], shape: &[usize], axes: usize) -> Vec<f64> {
    let (n, half) = half_extent(shape);
    if n == 0 {
        return Vec::new();
    }
    let mut half_shape = shape.to_vec();
    half_shape[shape.len() - 1] = half;
    let mut data = data.to_vec();
    for axis in shape.len() - axes..shape.len() - 1 {
        along_axis(&mut data, &half_shape, axis, true);
    }
    let plan = Plan::new(n);
    let mut result = Vec::new();
    let (mut line, mut work) = (vec![Complex64::ZERO; n], vec![Complex64::ZERO; plan.work()]);
    for row in data.chunks_exact(half) {
        line[..half].copy_from_slice(row);
        complete_half(&mut line);
        plan.inverse(&mut line, &mut work);
        result.extend(line.iter().map(|v| v.re));
    }
    result
}

/// The last extent, and the number of coefficients of a real transform of that length.
fn half_extent(shape: &[usize]) -> (usize, usize) {
    let n = shape.last().copied().unwrap_or(0);
    (n, if n == 0 { 0 } else { n / 2 + 1 })
}
