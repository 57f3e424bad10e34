//! Block formats of quantised numbers, as ggml defines them: one row per format in `scheme`, with its name, its size, how a value is
//! decoded (`decode`) and how a block is quantised (`quantize`).
//!
//! A format is decoded by one function over an [`arithmetic::PackedBlock`]: run on bytes it gives numbers, on tensors a graph, on scalars of a
//! kernel a kernel. So nobody else writes down how a format lays out its bits. Knows no tensors, files or devices.

pub mod arithmetic;
mod decode;
mod endian;
mod grids;
mod levels;
mod palette;
mod quantize;
mod scheme;

pub use levels::{LevelForm, Leveled, Levels};
pub use palette::{nearest, palette};
pub use quantize::QuantizeError;
pub use scheme::{Format, QuantScheme, UnknownScheme, formats};
