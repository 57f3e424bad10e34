//! Assumed speed of one core, for cost estimates.

use rlx_compile::Rates;

/// One core of a plain AVX2 machine. Inputs are read where they are: the way to the device is next to nothing.
pub(crate) const CORE: Rates = Rates { flops: 5e10, bytes: 1e10, transfer: 1e12, run: 1e-6 };
