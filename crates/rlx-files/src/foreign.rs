//! Says what a file is, by its first bytes, when it is not of the expected kind. Reads no format.

use std::io::Read;
use std::path::Path;

use crate::files::{FileError, open_regular};

/// Bytes that tell what a file is.
const ENOUGH: usize = 512;

/// What the file with these bytes is, and what to do, if it is one that is often taken for a model, an array or a graph.
pub fn what_is(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(ENOUGH)];
    let begins = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, what)| *what);
    begins.or_else(|| {
        let text =
            String::from_utf8_lossy(head).trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
        TEXTS.iter().find(|(begin, _)| text.starts_with(begin)).map(|(_, what)| *what)
    })
}

/// [`FileError::Foreign`] for a file whose bytes are those of another kind of file.
pub fn refused(path: &Path, bytes: &[u8]) -> Option<FileError> {
    let path = path.to_path_buf();
    if bytes.is_empty() {
        return Some(FileError::Empty { path });
    }
    what_is(bytes).map(|what| FileError::Foreign { path, what })
}

/// As [`refused`], by the first bytes of the file at `path`.
pub fn refused_file(path: &Path) -> Option<FileError> {
    let (file, _) = open_regular(path).ok()?;
    let mut head = Vec::new();
    file.take(ENOUGH as u64).read_to_end(&mut head).ok()?;
    refused(path, &head)
}

/// Binary files, by the bytes that they begin with. What a reader takes is not asked here.
const MAGIC: &[(&[u8], &str)] = &[
    (
        b"PK\x03\x04",
        "a zip archive, such as a .npz file of several arrays, PyTorch's .pt, or a .whl: unpack it, and give its arrays as .npy or .safetensors files",
    ),
    (b"\x1f\x8b", "compressed by gzip: unpack it by `gzip -d`"),
    (b"\xfd7zXZ\0", "compressed by xz: unpack it by `xz -d`"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd: unpack it by `zstd -d`"),
    (b"BZh", "compressed by bzip2: unpack it by `bzip2 -d`"),
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

/// Texts, by how they begin in small letters.
const TEXTS: &[(&str, &str)] = &[
    (
        "version https://git-lfs.github.com/spec/",
        "a pointer of Git LFS, which stands for the file: fetch the file itself by `git lfs pull`, or download it",
    ),
    (
        "<!doctype html",
        "an HTML page, as a server sends it instead of a file that it does not give: download the file itself",
    ),
    (
        "<html",
        "an HTML page, as a server sends it instead of a file that it does not give: download the file itself",
    ),
    ("<?xml", "XML, as a server sends it instead of a file that it does not give: download the file itself"),
    ("{\"error\"", "a server's message of an error: download the file itself"),
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
