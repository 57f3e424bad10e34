//! Fourier transforms.

use super::{Declined, Site, Step, step};
use rlx_ir::{FftKind, Op};
use rlx_mlx_sys::Fourier;

pub(super) fn fft(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Fft { kind, lengths } = site.op else { return site.decline("here") };
    let code = match kind {
        FftKind::Fft => Fourier::Fft,
        FftKind::Ifft => Fourier::Ifft,
        FftKind::Rfft => Fourier::Rfft,
        FftKind::Irfft => Fourier::Irfft,
    };
    let lengths = lengths.clone();
    let first = site.x().rank() - lengths.len();
    let axes: Vec<usize> = (first..site.x().rank()).collect();
    if lengths.contains(&0) {
        return site.decline("of no length");
    }
    step(move |cx, x| cx.fourier(code, x[0], &lengths, &axes))
}
