//! Recognizes by its first bytes what a file is when it is not of the expected kind. It does not read any format.

use std::io::Read;
use std::path::Path;

use crate::files::{FileError, open_regular};

/// How many bytes are enough to recognize a file.
const ENOUGH: usize = 512;

/// Returns what a file with these bytes is, and what to do, if it is of a kind that is often mistaken for a model, an
/// array or a graph.
pub fn what_is(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(ENOUGH)];
    let begins = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, what)| *what);
    begins.or_else(|| {
        let text =
            String::from_utf8_lossy(head).trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
        TEXTS.iter().find(|(begin, _)| text.starts_with(begin)).map(|(_, what)| *what)
    })
}

/// Returns [`FileError::Foreign`] if the bytes are those of another kind of file.
pub fn refused(path: &Path, bytes: &[u8]) -> Option<FileError> {
    let path = path.to_path_buf();
    if bytes.is_empty() {
        return Some(FileError::Empty { path });
    }
    what_is(bytes).map(|what| FileError::Foreign { path, what })
}

/// Does the same as [`refused`], with the first bytes of the file at `path`.
pub fn refused_file(path: &Path) -> Option<FileError> {
    let (file, _) = open_regular(path).ok()?;
    let mut head = Vec::new();
    file.take(ENOUGH as u64).read_to_end(&mut head).ok()?;
    refused(path, &head)
}

/// Binary files by their first bytes. This is only checked after the actual reader has refused a file.
const MAGIC: &[(&[u8], &str)] = &[
    (
        b"PK\x03\x04",
        "a zip archive, such as a .npz file of several arrays, PyTorch's .pt, or a .whl: unpack it, and use its arrays as .npy or .safetensors files",
    ),
    (b"\x1f\x8b", "compressed by gzip: unpack it with `gzip -d`"),
    (b"\xfd7zXZ\0", "compressed by xz: unpack it with `xz -d`"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd: unpack it with `zstd -d`"),
    (b"BZh", "compressed by bzip2: unpack it with `bzip2 -d`"),
    (
        b"\x80\x02",
        "a Python pickle, which may run code and is never read: save it as .safetensors (`safetensors.torch.save_file`) or .npy",
    ),
    (
        b"\x80\x03",
        "a Python pickle, which may run code and is never read: save it as .safetensors (`safetensors.torch.save_file`) or .npy",
    ),
    (
        b"\x80\x04",
        "a Python pickle, which may run code and is never read: save it as .safetensors (`safetensors.torch.save_file`) or .npy",
    ),
    (
        b"\x80\x05",
        "a Python pickle, which may run code and is never read: save it as .safetensors (`safetensors.torch.save_file`) or .npy",
    ),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file: save its arrays as .npy or .safetensors"),
    (b"\x93NUMPY", "a NumPy array, whose name ends in .npy"),
    (b"GGUF", "a GGUF file, whose name ends in .gguf"),
    (b"ML\xefR", "MLIR bytecode: in JAX, write `jax.jit(f).lower(…).as_text()` into a .mlir file"),
    (b"\x7fELF", "a program or library"),
    (b"%PDF", "a PDF document"),
];

/// Text files by their beginning in lower case.
const TEXTS: &[(&str, &str)] = &[
    (
        "version https://git-lfs.github.com/spec/",
        "a Git LFS pointer instead of the file: fetch the file itself with `git lfs pull`, or download it",
    ),
    ("<!doctype html", "an HTML page, which a server sends if it refuses a file: download the file itself"),
    ("<html", "an HTML page, which a server sends if it refuses a file: download the file itself"),
    ("<?xml", "XML, which a server sends if it refuses a file: download the file itself"),
    ("{\"error\"", "an error message from a server: download the file itself"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_often_taken_for_a_model_is_named() {
        for (bytes, says) in [
            (&b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"[..], "git lfs pull"),
            (b"\n <!DOCTYPE html><html><body>404</body></html>", "HTML"),
            (b"<html>", "HTML"),
            (b"PK\x03\x04\x14\0", ".npz"),
            (b"\x80\x04\x95", "pickle"),
            (b"\x1f\x8b\x08", "gzip -d"),
        ] {
            assert!(what_is(bytes).is_some_and(|what| what.contains(says)), "{says}");
        }
        for none in [&b""[..], b"{\"model_type\": \"bert\"}", b"graph \"g\" {", b"\x40\0\0\0\0\0\0\0{}"] {
            assert_eq!(what_is(none), None);
        }
        let error = refused(Path::new("a.npy"), b"<html>").expect("refused").to_string();
        assert!(error.starts_with("a.npy: this is an HTML page"), "{error}");
        assert_eq!(refused(Path::new("a.npy"), b"").expect("refused").to_string(), "a.npy: it is empty");
    }
}
