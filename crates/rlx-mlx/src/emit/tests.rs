//! Loads MLX for the tests of this crate.

use rlx_mlx_sys::Mlx;
use std::io::Write;

/// Returns MLX for a test. Without MLX, it reports that the test is skipped.
pub(super) fn mlx_for(test: &str) -> Option<Mlx> {
    let loaded = Mlx::load(None);
    if let Err(reason) = &loaded {
        writeln!(std::io::stderr(), "skipped: {test}: {reason}").expect("standard error");
    }
    loaded.ok()
}
