//! Files of tensors (safetensors), and safe reading, writing and locking of files.
//!
//! Files are mapped or read as a whole, and files and folders are written completely or not at all. This crate also
//! has locks between processes, the user's cache folder, and formatting of text from files for messages.
//!
//! It must not know models or optimizers: what the names in a file mean is up to its reader.

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
pub mod variables;
pub mod weights;

pub use cache::{CacheDir, cache_dir};
