//! Fourier transforms.

use super::Rules;

pub(super) const FFT: Rules = super::UNWRITTEN;
