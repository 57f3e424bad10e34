//! Assumed speed of a platform's devices, and the cost of starting a run.

use rlx_compile::Rates;

/// Bytes a second between host and device.
const TRANSFER: f64 = 1e10;
/// Seconds of the call.
const CALL: f64 = 1e-4;

/// The devices of a plugin whose platform has this name. A plugin for the host's own processor is taken to be half as fast as the
/// CPU backend, and so is not preferred to it without being named or measured.
pub(crate) fn rates(platform: &str) -> Rates {
    let (flops, bytes) = match platform {
        "tpu" => (5e13, 8e11),
        "cpu" => (2.5e10, 5e9),
        _ => (1e13, 5e11),
    };
    Rates { flops, bytes, transfer: TRANSFER, run: CALL }
}
