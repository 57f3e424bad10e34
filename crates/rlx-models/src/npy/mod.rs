//! Reads and writes arrays in `.npy` files, the format of NumPy
//! (<https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>).
//!
//! Reads versions 1 to 3, row-major and column-major order, and either byte order, and returns row-major
//! little-endian bytes. Writes version 1. Memory is bounded by the length of the file: the sizes that a header claims
//! are compared with it before anything is allocated.

mod header;

use std::io::Read;
use std::path::{Path, PathBuf};

use rlx_ir::DType;
use thiserror::Error;

use crate::display::shape as show_shape;
use crate::files::{FileError, open_regular, write_atomically};
use crate::foreign;
use header::{Descr, Header};
pub use header::{MAGIC, NpyHeaderError};

/// An array in row-major, little-endian form. Each `bool` is one byte that is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NpyArray {
    /// The element type.
    pub dtype: DType,
    /// The shape; empty for a scalar.
    pub shape: Vec<usize>,
    /// The elements.
    pub bytes: Vec<u8>,
}

/// Why an array could not be read or written.
#[derive(Debug, Error)]
pub enum NpyError {
    /// The file itself could not be opened, read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The header does not follow the format.
    #[error("{}: not a valid .npy file", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        problem: NpyHeaderError,
    },
    /// The length of the data differs from the one that the header implies.
    #[error("{}: {dtype} {shape} needs {needed} bytes of data, but the file has {present}", path.display())]
    WrongSize {
        /// The file.
        path: PathBuf,
        /// The element type of the header.
        dtype: DType,
        /// The shape of the header.
        shape: String,
        /// The number of bytes that type and shape need.
        needed: u64,
        /// The number of bytes after the header.
        present: u64,
    },
    /// The format does not have the element type.
    #[error("{}: .npy has no element type {dtype}; convert to f32, or save as .safetensors", path.display())]
    NoSuchType {
        /// The file.
        path: PathBuf,
        /// The element type to be written.
        dtype: DType,
    },
    /// The number of bytes does not match the shape.
    #[error("{}: {dtype} {shape} cannot be written from {given} bytes", path.display())]
    WrongBytes {
        /// The file.
        path: PathBuf,
        /// The element type.
        dtype: DType,
        /// The shape.
        shape: String,
        /// The number of bytes that were passed.
        given: usize,
    },
}

/// Reads an array.
///
/// # Errors
/// Returns an [`NpyError`] that names the file and the problem. Structured, text, date and object arrays are not
/// supported.
pub fn read(path: &Path) -> Result<NpyArray, NpyError> {
    let (file, len) = open_regular(path)?;
    read_from(file, len, path).map_err(|error| match error {
        NpyError::Header { problem: NpyHeaderError::Magic | NpyHeaderError::Truncated, .. } => {
            foreign::refused_file(path).map_or(error, NpyError::File)
        }
        other => other,
    })
}

/// Reads an array from the bytes of a file. `path` is only used in messages.
///
/// # Errors
/// The same as [`read`].
pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<NpyArray, NpyError> {
    read_from(bytes, bytes.len() as u64, path).map_err(|error| match error {
        NpyError::Header { problem: NpyHeaderError::Magic | NpyHeaderError::Truncated, .. } => {
            foreign::refused(path, bytes).map_or(error, NpyError::File)
        }
        other => other,
    })
}

/// Reads an array from a stream of `len` bytes. `path` is only used in messages.
fn read_from(mut input: impl Read, len: u64, path: &Path) -> Result<NpyArray, NpyError> {
    let fail = |problem| NpyError::Header { path: path.to_path_buf(), problem };
    let io = |e| NpyError::from(FileError::io(path, "reading it", e));
    let (header, read) = header::read(&mut input, len).map_err(|e| match e {
        header::ReadError::Io(e) => io(e),
        header::ReadError::Header(problem) => fail(problem),
    })?;
    let Header { descr, fortran_order, shape } = header;
    let needed = byte_len(descr.dtype, &shape).ok_or_else(|| fail(NpyHeaderError::SizeOverflow))?;
    let present = len - read;
    let wrong_size = |present| NpyError::WrongSize {
        path: path.to_path_buf(),
        dtype: descr.dtype,
        shape: show_shape(&shape),
        needed,
        present,
    };
    if needed != present {
        return Err(wrong_size(present));
    }
    let mut bytes = vec![0; needed as usize];
    input.read_exact(&mut bytes).map_err(|e| match e.kind() {
        // The file was shortened since its length was determined.
        std::io::ErrorKind::UnexpectedEof => wrong_size(0),
        _ => io(e),
    })?;
    normalize(&descr, &mut bytes);
    if fortran_order && shape.len() > 1 {
        bytes = row_major(&bytes, &shape, descr.dtype.size());
    }
    Ok(NpyArray { dtype: descr.dtype, shape, bytes })
}

/// Returns the number of bytes of an array, or `None` if it does not fit in 64 bits or in this machine's address
/// space.
fn byte_len(dtype: DType, shape: &[usize]) -> Option<u64> {
    let bytes = shape.iter().try_fold(dtype.size(), |n, d| n.checked_mul(*d))?;
    isize::try_from(bytes).ok().map(|n| n as u64)
}

/// Converts elements to little-endian, and booleans to 0 or 1.
fn normalize(descr: &Descr, bytes: &mut [u8]) {
    if descr.dtype == DType::Bool {
        bytes.iter_mut().for_each(|b| *b = u8::from(*b != 0));
    } else if descr.big_endian {
        // The two parts of a complex number are swapped separately.
        bytes.chunks_exact_mut(descr.dtype.real().size()).for_each(<[u8]>::reverse);
    }
}

/// Converts column-major data to row-major data.
fn row_major(columns: &[u8], shape: &[usize], size: usize) -> Vec<u8> {
    let mut rows = Vec::with_capacity(columns.len());
    let mut index = vec![0; shape.len()];
    let strides: Vec<usize> = shape
        .iter()
        .scan(size, |stride, dim| {
            let this = *stride;
            *stride *= dim;
            Some(this)
        })
        .collect();
    let mut offset = 0;
    while rows.len() < columns.len() {
        rows.extend_from_slice(&columns[offset..offset + size]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            offset += strides[axis];
            if index[axis] < shape[axis] {
                break;
            }
            offset -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    rows
}

/// Writes an array, completely or not at all. `bytes` are row-major and little-endian.
///
/// # Errors
/// Returns [`NpyError::NoSuchType`] for `bf16` and the 8-bit floats, which the format does not have;
/// [`NpyError::WrongBytes`]; [`NpyError::Header`] for more dimensions than the format allows; and [`NpyError::File`].
pub fn write(path: &Path, dtype: DType, shape: &[usize], bytes: &[u8]) -> Result<(), NpyError> {
    let Some(descr) = header::descr_of(dtype) else {
        return Err(NpyError::NoSuchType { path: path.to_path_buf(), dtype });
    };
    if shape.len() > header::MAX_RANK {
        let problem = NpyHeaderError::Rank { rank: shape.len() };
        return Err(NpyError::Header { path: path.to_path_buf(), problem });
    }
    if byte_len(dtype, shape) != Some(bytes.len() as u64) {
        return Err(NpyError::WrongBytes {
            path: path.to_path_buf(),
            dtype,
            shape: show_shape(shape),
            given: bytes.len(),
        });
    }
    write_atomically(path, |out| {
        out.write_all(&header::encode(&descr, shape))?;
        out.write_all(bytes)
    })?;
    Ok(())
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
