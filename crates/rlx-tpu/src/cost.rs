//! Assumed speeds of a platform's devices, and the cost of starting a run.

use rlx_compile::Rates;

/// Bytes per second between host and device.
const TRANSFER: f64 = 1e10;
/// Seconds per call.
const CALL: f64 = 1e-4;

/// Returns the rates for devices of the platform with this name. A plugin for the host's own CPU is assumed to be half as fast as the
/// CPU backend, so it is not preferred to that backend unless it is named or measured.
pub(crate) fn rates(platform: &str) -> Rates {
    let (flops, bytes) = match platform {
        "tpu" => (5e13, 8e11),
        "cpu" => (2.5e10, 5e9),
        _ => (1e13, 5e11),
    };
    Rates { flops, bytes, transfer: TRANSFER, run: CALL }
}
