//! Files of tensors (safetensors), and safe reading, writing and locking of files.
//!
//! Files are mapped or read whole, and written whole or not at all; folders too. Also here: locks between
//! processes, the user's cache folder, and how text from a file is shown in messages.
//!
//! This crate must not know models or optimizers: what the names in a file mean is for its reader to say.

pub mod blocks;
mod cache;
pub mod contents;
pub mod display;
pub mod files;
pub mod finite;
pub mod folders;
pub mod foreign;
pub mod lock;
#[allow(unsafe_code)]
mod mappings;
mod unfinished;
pub mod weights;

pub use cache::cache_dir;
