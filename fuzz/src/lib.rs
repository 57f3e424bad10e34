//! Shared by fuzz targets: `graphs` takes an untrusted graph all the way, and `programs` mutates ML Programs as programs.

#[cfg(feature = "runs")]
pub mod graphs;
pub mod programs;
