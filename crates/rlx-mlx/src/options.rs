//! Options of the device `mlx`.

use crate::launch::MlxMode;

/// Options that only MLX reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MlxOptions {
    /// When MLX computes; lazily by default.
    pub mode: Option<MlxMode>,
}

impl MlxOptions {
    /// Returns the default options.
    pub fn new() -> MlxOptions {
        MlxOptions::default()
    }

    /// Sets the mode.
    pub fn mode(mut self, mode: MlxMode) -> MlxOptions {
        self.mode = Some(mode);
        self
    }
}
