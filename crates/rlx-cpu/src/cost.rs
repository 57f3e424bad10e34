//! The assumed speed of one core, for cost estimates.

use rlx_compile::Rates;

/// One core of a plain AVX2 machine. Inputs are read in place, so transfer to the device costs almost nothing.
pub(crate) const CORE: Rates = Rates { flops: 5e10, bytes: 1e10, transfer: 1e12, run: 1e-6 };
