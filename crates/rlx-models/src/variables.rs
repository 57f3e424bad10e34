//! The environment variable of the model cache. The hub client also reads variables of other programs (`hub`).

use rlx_driver::env::switch;

rlx_driver::variables! {
    /// Never use the network or pip; a model that is not in the cache is an error. `--offline` and `HF_HUB_OFFLINE` do the same.
    pub OFFLINE: bool = "RLX_OFFLINE" { values: "0 | 1", parse: switch }
}
