//! Reads and writes weights in safetensors files: one file, or several with an index.
//!
//! This module owns the format and conversion to `f32`. It must not know models: which names a model needs is up to
//! the module of that model. [`Weights::open`] maps the files into memory; see [`crate::contents`] for what that
//! means.

mod error;
mod header;
mod save;
mod shards;
mod stored;
mod view;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::contents::{Access, Contents};
use crate::display::quoted;
use crate::foreign;
pub use error::WeightsError;
pub use header::HeaderError;
pub use save::{PlannedTensor, Tensor, WriteTensor, save, save_made};
pub use stored::StoredType;
pub use view::TensorView;

/// The tensors of one or more safetensors files, by name.
#[derive(Debug)]
pub struct Weights {
    files: Vec<WeightsFile>,
    tensors: BTreeMap<String, Entry>,
    metadata: BTreeMap<String, String>,
}

#[derive(Debug)]
struct WeightsFile {
    path: PathBuf,
    contents: Contents,
}

#[derive(Debug)]
struct Entry {
    file: usize,
    stored: StoredType,
    shape: Box<[usize]>,
    bytes: Range<usize>,
}

impl Weights {
    /// Opens weights and maps the files into memory; see [`crate::contents`] for what that means.
    ///
    /// `path` is a safetensors file, an index (`*.json`) that names several, or a folder that contains
    /// `model.safetensors` or `model.safetensors.index.json`.
    ///
    /// # Errors
    /// Returns a [`WeightsError`] that names the file and the problem.
    pub fn open(path: &Path) -> Result<Self, WeightsError> {
        Self::load(path, Access::Map)
    }

    /// Opens weights like [`Weights::open`], but copies the files into memory.
    ///
    /// # Errors
    /// The same as [`Weights::open`].
    pub fn read(path: &Path) -> Result<Self, WeightsError> {
        Self::load(path, Access::Read)
    }

    /// Reads the weights in a safetensors file that is already in memory. `path` is only used in messages.
    ///
    /// # Errors
    /// Returns [`WeightsError::Header`].
    pub fn from_bytes(bytes: Vec<u8>, path: &Path) -> Result<Self, WeightsError> {
        let mut weights = Self::empty();
        weights.add(WeightsFile { path: path.to_path_buf(), contents: Contents::Owned(bytes) })?;
        Ok(weights)
    }

    fn empty() -> Self {
        Weights { files: Vec::new(), tensors: BTreeMap::new(), metadata: BTreeMap::new() }
    }

    fn load(path: &Path, access: Access) -> Result<Self, WeightsError> {
        if path.is_dir() {
            return Self::load(&find_in_folder(path)?, access);
        }
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) {
            return shards::load(path, access);
        }
        let mut weights = Self::empty();
        weights.add(WeightsFile::open(path, access)?)?;
        Ok(weights)
    }

    /// Adds a file. The caller makes sure that no other file has the same names.
    fn add(&mut self, source: WeightsFile) -> Result<(), WeightsError> {
        let header = header::parse(source.contents.as_slice()).map_err(|problem| {
            let foreign = foreign::refused(&source.path, source.contents.as_slice()).map(WeightsError::File);
            foreign.unwrap_or_else(|| WeightsError::Header { path: source.path.clone(), problem })
        })?;
        let file = self.files.len();
        self.files.push(source);
        self.metadata.extend(header.metadata);
        self.tensors.extend(
            header
                .entries
                .into_iter()
                .map(|e| (e.name, Entry { file, stored: e.stored, shape: e.shape.into(), bytes: e.bytes })),
        );
        Ok(())
    }

    /// Returns the tensor with this name, if there is one.
    pub fn get(&self, name: &str) -> Option<TensorView<'_>> {
        let (name, entry) = self.tensors.get_key_value(name)?;
        Some(self.view(name, entry))
    }

    /// Returns the tensor with this name.
    ///
    /// # Errors
    /// Returns [`WeightsError::NoSuchTensor`] if there is none.
    pub fn tensor(&self, name: &str) -> Result<TensorView<'_>, WeightsError> {
        self.get(name).ok_or_else(|| WeightsError::NoSuchTensor { tensor: quoted(name) })
    }

    /// Returns the memory of a tensor in a mapped file, and of everything else on its pages, to the system. Reading
    /// them later reads the file again. Does nothing if the bytes are only in memory, on systems without such a call,
    /// and if there is no such tensor.
    pub fn release(&self, name: &str) {
        if let Some(Entry { file, bytes, .. }) = self.tensors.get(name) {
            self.files[*file].contents.release(bytes.clone());
        }
    }

    /// Iterates over all tensors by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = TensorView<'_>> {
        self.tensors.iter().map(|(name, entry)| self.view(name, entry))
    }

    fn view<'a>(&'a self, name: &'a str, entry: &'a Entry) -> TensorView<'a> {
        // The header of each file was checked against its length, and the bytes are immutable from then on.
        let bytes = &self.files[entry.file].contents.as_slice()[entry.bytes.clone()];
        TensorView { name, stored: entry.stored, shape: &entry.shape, bytes }
    }

    /// Returns the number of tensors.
    pub fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Whether there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.tensors.is_empty()
    }

    /// Returns the text that the files contain about themselves.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// Returns the paths of the files, in the order in which they were opened.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.files.iter().map(|f| f.path.as_path())
    }
}

impl WeightsFile {
    fn open(path: &Path, access: Access) -> Result<Self, WeightsError> {
        Ok(WeightsFile { path: path.to_path_buf(), contents: Contents::open(path, access)? })
    }
}

fn find_in_folder(dir: &Path) -> Result<PathBuf, WeightsError> {
    for name in ["model.safetensors", "model.safetensors.index.json"] {
        let path = dir.join(name);
        if path.symlink_metadata().is_ok() {
            return Ok(path);
        }
    }
    let hint = if dir.join("pytorch_model.bin").exists() {
        "; it has a pytorch_model.bin: save the model again as safetensors (`save_pretrained` does)"
    } else {
        ""
    };
    Err(WeightsError::NoWeights { dir: dir.to_path_buf(), hint })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
