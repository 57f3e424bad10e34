//! What fuzz targets share: `graphs` takes a graph of unknown origin the whole way, `programs` changes ML
//! Programs as programs.

#[cfg(feature = "runs")]
pub mod graphs;
pub mod programs;
