//! Transforms between real sequences and the first half of their coefficients.
//!
//! A sequence of even length is treated as half as many complex numbers. Their transform is then separated into those of the even and the
//! odd elements (Press et al., "Numerical Recipes", 3rd ed., section 12.3). A sequence of odd length is transformed as complex numbers.

use super::{Real, plan};
use crate::isa::Cpu;
use rustfft::Fft;
use rustfft::num_complex::Complex;
use std::f64::consts::TAU;
use std::sync::Arc;

pub(super) struct Half<T: Real> {
    n: usize,
    inverse: bool,
    fft: Arc<dyn Fft<T>>,
    /// `e^{-2πi k/n}` for k up to n/4, for even n.
    roots: Vec<Complex<T>>,
}

/// For sequences of length `n`, returns the length of the complex transform and the number of roots of unity that are stored.
pub(super) fn tables(n: usize) -> [usize; 2] {
    if n.is_multiple_of(2) { [n / 2, n / 4 + 1] } else { [n, 0] }
}

impl<T: Real> Half<T> {
    pub(super) fn new(cpu: Cpu, n: usize, inverse: bool) -> Half<T> {
        let [transform, roots] = tables(n);
        let root = |k: usize| {
            let (sin, cos) = (TAU * (k as f64 / n as f64)).sin_cos();
            Complex::new(T::rounded(cos), T::rounded(-sin))
        };
        Half { n, inverse, fft: plan(cpu, transform, inverse), roots: (0..roots).map(root).collect() }
    }

    /// Number of elements in the list that a line is copied to, and in the working memory of the transform.
    pub(super) fn work(&self) -> [usize; 2] {
        match (self.n.is_multiple_of(2), self.inverse) {
            (false, _) => [self.n, self.fft.get_inplace_scratch_len()],
            (true, false) => [0, self.fft.get_immutable_scratch_len()],
            (true, true) => [self.n / 2, self.fft.get_inplace_scratch_len()],
        }
    }

    /// Transforms line `which`; results are multiplied by `factor`.
    ///
    /// # Safety
    /// `from` and `to` hold lines one after the other, aligned to their elements: n real numbers on one side, n / 2 + 1 complex numbers on
    /// the other. No other task writes this line. The lists have the lengths that [`work`](Self::work) returns.
    pub(super) unsafe fn line(
        &self,
        from: *const u8,
        to: *mut u8,
        which: usize,
        factor: Option<T>,
        [list, work]: [&mut [Complex<T>]; 2],
    ) {
        let half = self.n / 2 + 1;
        // SAFETY: the caller's promise; the two sides are separate memory.
        unsafe {
            if self.inverse {
                let from = std::slice::from_raw_parts(from.cast::<Complex<T>>().add(which * half), half);
                let to = std::slice::from_raw_parts_mut(to.cast::<T>().add(which * self.n), self.n);
                self.to_reals(from, to, factor.unwrap_or_else(T::one), list, work);
            } else {
                let from = std::slice::from_raw_parts(from.cast::<T>().add(which * self.n), self.n);
                let to = std::slice::from_raw_parts_mut(to.cast::<Complex<T>>().add(which * half), half);
                self.to_coefficients(from, to, list, work);
            }
        }
    }

    fn to_coefficients(
        &self,
        from: &[T],
        to: &mut [Complex<T>],
        list: &mut [Complex<T>],
        work: &mut [Complex<T>],
    ) {
        if !self.n.is_multiple_of(2) {
            list.iter_mut().zip(from).for_each(|(z, &x)| *z = Complex::new(x, T::zero()));
            self.fft.process_with_scratch(list, work);
            to.copy_from_slice(&list[..to.len()]);
            return;
        }
        let h = self.n / 2;
        // SAFETY: a complex number is two real ones, the real part first, and requires no larger alignment.
        let pairs = unsafe { std::slice::from_raw_parts(from.as_ptr().cast::<Complex<T>>(), h) };
        self.fft.process_immutable_with_scratch(pairs, &mut to[..h], work);
        let first = to[0];
        to[0] = Complex::new(first.re + first.im, T::zero());
        to[h] = Complex::new(first.re - first.im, T::zero());
        let half = T::rounded(0.5);
        for k in 1..=h / 2 {
            let (x, y) = (to[k], to[h - k].conj());
            let even = (x + y).scale(half);
            let odd = (x - y).scale(half);
            // Multiplied by -i and by the root.
            let turned = Complex::new(odd.im, -odd.re) * self.roots[k];
            to[k] = even + turned;
            to[h - k] = (even - turned).conj();
        }
    }

    /// Ignores the imaginary parts of those coefficients that must be real (the first, and for even n the last).
    fn to_reals(
        &self,
        from: &[Complex<T>],
        to: &mut [T],
        factor: T,
        list: &mut [Complex<T>],
        work: &mut [Complex<T>],
    ) {
        let h = self.n / 2;
        if !self.n.is_multiple_of(2) {
            list[0] = Complex::new(from[0].re, T::zero());
            for k in 1..=h {
                list[k] = from[k];
                list[self.n - k] = from[k].conj();
            }
            self.fft.process_with_scratch(list, work);
            to.iter_mut().zip(list).for_each(|(x, z)| *x = z.re * factor);
            return;
        }
        list[0] = Complex::new(from[0].re + from[h].re, from[0].re - from[h].re);
        for k in 1..=h / 2 {
            let (x, y) = (from[k], from[h - k].conj());
            let odd = (x - y) * self.roots[k].conj();
            let turned = Complex::new(-odd.im, odd.re);
            list[k] = x + y + turned;
            list[h - k] = (x + y - turned).conj();
        }
        self.fft.process_with_scratch(list, work);
        for (pair, z) in to.chunks_exact_mut(2).zip(list) {
            pair[0] = z.re * factor;
            pair[1] = z.im * factor;
        }
    }
}
