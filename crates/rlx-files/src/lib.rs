//! Files of tensors: safetensors in and out, how files and folders are read and written, locks between processes, where the
//! user's cache is, and how foreign text is shown in messages.
//!
//! Must not know models or optimisers: what the names in a file mean is the business of who wrote it.

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
