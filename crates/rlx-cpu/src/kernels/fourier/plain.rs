//! The evaluator's transforms of lines in f64, for processors without vectors that `rustfft` has code for. The plain transforms of
//! `rustfft` would be an eighth of the code that is compiled for this crate.

use super::Real;
use rlx_ir::math::Complex64;
use rlx_ir::math::fft::Plan;
use rustfft::num_complex::Complex;
use rustfft::{Direction, Fft, FftDirection, Length};

/// An unscaled transform of one length in one direction.
pub(super) struct Plain {
    plan: Plan,
    n: usize,
    direction: FftDirection,
}

impl Plain {
    pub(super) fn new(n: usize, direction: FftDirection) -> Plain {
        Plain { plan: Plan::new(n), n, direction }
    }

    /// Returns the bytes of the tables for length `n`, and of the working memory of a transform.
    pub(super) fn bytes(n: usize) -> [usize; 2] {
        // Lengths that are not a power of two are transformed as convolutions of a padded length.
        let padded = n.saturating_mul(2).checked_next_power_of_two().unwrap_or(usize::MAX);
        let [tables, work] = if n.is_power_of_two() {
            [n / 2, n]
        } else {
            [n.saturating_add(padded).saturating_add(padded / 2), n.saturating_add(padded)]
        };
        [tables, work].map(|numbers| numbers.saturating_mul(size_of::<Complex64>()))
    }

    /// Transforms the lines in `from` to `to`, or those in `to` in place if there is no `from`.
    fn lines<T: Real>(&self, from: Option<&[Complex<T>]>, to: &mut [Complex<T>]) {
        let (mut line, mut work) = (vec![Complex64::ZERO; self.n], vec![Complex64::ZERO; self.plan.work()]);
        let inverse = self.direction == FftDirection::Inverse;
        // The inverse transform is the forward transform between two conjugations.
        let turned = |z: Complex64| if inverse { z.conj() } else { z };
        for (which, to) in to.chunks_exact_mut(self.n.max(1)).enumerate() {
            let source = from.map_or(&*to, |from| &from[which * self.n..][..self.n]);
            line.iter_mut()
                .zip(source)
                .for_each(|(z, x)| *z = turned(Complex64::new(x.re.wide(), x.im.wide())));
            self.plan.forward(&mut line, &mut work);
            for (to, &z) in to.iter_mut().zip(&line) {
                let z = turned(z);
                *to = Complex::new(T::rounded(z.re), T::rounded(z.im));
            }
        }
    }
}

impl Length for Plain {
    fn len(&self) -> usize {
        self.n
    }
}

impl Direction for Plain {
    fn fft_direction(&self) -> FftDirection {
        self.direction
    }
}

impl<T: Real> Fft<T> for Plain {
    fn process_with_scratch(&self, buffer: &mut [Complex<T>], _scratch: &mut [Complex<T>]) {
        self.lines(None, buffer);
    }

    fn process_outofplace_with_scratch(
        &self,
        input: &mut [Complex<T>],
        output: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) {
        self.process_immutable_with_scratch(input, output, scratch);
    }

    fn process_immutable_with_scratch(
        &self,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        _scratch: &mut [Complex<T>],
    ) {
        self.lines(Some(input), output);
    }

    fn get_inplace_scratch_len(&self) -> usize {
        0
    }

    fn get_outofplace_scratch_len(&self) -> usize {
        0
    }

    fn get_immutable_scratch_len(&self) -> usize {
        0
    }
}
