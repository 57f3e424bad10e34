//! Options of the device `mlx`.

use crate::launch::MlxMode;

/// Options that MLX alone reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MlxOptions {
    /// When MLX computes; lazily where nothing is said.
    pub mode: Option<MlxMode>,
}

impl MlxOptions {
    /// The defaults.
    pub fn new() -> MlxOptions {
        MlxOptions::default()
    }

    /// These options with a mode.
    pub fn mode(mut self, mode: MlxMode) -> MlxOptions {
        self.mode = Some(mode);
        self
    }
}
