//! Opens a model in one GGUF file or in several.

use crate::cursor::Cursor;
use crate::error::{GgufError, Problem};
use crate::header::{self, Header, TensorEntry};
use crate::split;
use crate::tensor::TensorView;
use crate::value::MetaValue;
use rlx_files::contents::{Access, Contents};
use rlx_files::display::quoted;
use rlx_files::foreign;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A GGUF file, or all parts of a model that was split. The metadata are those of the first part. A clone shares the
/// open file.
#[derive(Clone, Debug)]
pub struct Gguf {
    parts: Arc<[GgufPart]>,
    /// Indices of part and tensor, in the order of names.
    by_name: Arc<[(u32, u32)]>,
}

/// One file.
#[derive(Debug)]
pub(crate) struct GgufPart {
    pub(crate) path: PathBuf,
    contents: Contents,
    pub(crate) header: Header,
}

impl GgufPart {
    pub(crate) fn open(path: &Path, access: Access) -> Result<GgufPart, GgufError> {
        GgufPart::new(path, Contents::open(path, access)?)
    }

    fn new(path: &Path, contents: Contents) -> Result<GgufPart, GgufError> {
        let header = header::parse(contents.as_slice()).map_err(|problem| {
            let is_other = matches!(problem.problem, Problem::Magic(_)) || contents.as_slice().is_empty();
            let foreign = foreign::refused(path, contents.as_slice()).filter(|_| is_other);
            foreign.map_or_else(|| GgufError::Format { path: path.to_path_buf(), problem }, GgufError::File)
        })?;
        Ok(GgufPart { path: path.to_path_buf(), contents, header })
    }

    /// Returns text that was checked to be UTF-8.
    fn text(&self, range: std::ops::Range<usize>) -> &str {
        std::str::from_utf8(&self.contents.as_slice()[range]).unwrap_or_default()
    }

    /// Iterates over keys and values in the order of the file.
    pub(crate) fn metadata(&self) -> impl Iterator<Item = (&str, MetaValue<'_>)> {
        self.header.keys.iter().filter_map(|entry| {
            let mut cursor = Cursor::new(self.contents.as_slice(), self.header.encoding);
            // The header was parsed completely, so this cannot fail.
            cursor.take(entry.value).ok()?;
            Some((self.text(entry.key.clone()), MetaValue::read_typed(&mut cursor).ok()?))
        })
    }

    pub(crate) fn get(&self, key: &str) -> Option<MetaValue<'_>> {
        let found = self.header.keys.iter().find(|entry| self.text(entry.key.clone()) == key)?;
        let mut cursor = Cursor::new(self.contents.as_slice(), self.header.encoding);
        cursor.take(found.value).ok()?;
        MetaValue::read_typed(&mut cursor).ok()
    }

    fn view<'a>(&'a self, entry: &'a TensorEntry) -> TensorView<'a> {
        TensorView {
            name: self.text(entry.name.clone()),
            stored: entry.stored,
            shape: &entry.shape,
            bytes: &self.contents.as_slice()[entry.bytes.clone()],
            big_endian: self.header.encoding.big_endian,
        }
    }
}

impl Gguf {
    /// Opens a file and maps it into memory; see [`rlx_files::contents`] for what that means. Opening any part of a
    /// split model opens all parts.
    ///
    /// # Errors
    /// Returns a [`GgufError`] that names the file, the position in it, and the problem.
    pub fn open(path: &Path) -> Result<Self, GgufError> {
        Self::from_parts(split::open(path, Access::Map)?)
    }

    /// Opens a file like [`Gguf::open`], but copies it into memory.
    ///
    /// # Errors
    /// The same as [`Gguf::open`].
    pub fn read(path: &Path) -> Result<Self, GgufError> {
        Self::from_parts(split::open(path, Access::Read)?)
    }

    /// Opens a file that is already in memory. `path` is only used in messages.
    ///
    /// # Errors
    /// The same as [`Gguf::open`].
    pub fn from_bytes(bytes: Vec<u8>, path: &Path) -> Result<Self, GgufError> {
        let part = GgufPart::new(path, Contents::Owned(bytes))?;
        Self::from_parts(split::alone(part)?)
    }

    fn from_parts(parts: Vec<GgufPart>) -> Result<Self, GgufError> {
        let each = |(part, file): (usize, &GgufPart)| {
            (0..file.header.tensors.len()).map(move |tensor| (part as u32, tensor as u32)).collect::<Vec<_>>()
        };
        let mut by_name: Vec<(u32, u32)> = parts.iter().enumerate().flat_map(each).collect();
        let mut file = Gguf { parts: parts.into(), by_name: Arc::default() };
        by_name.sort_by(|&a, &b| file.at(a).name().cmp(file.at(b).name()));
        if let Some(pair) = by_name.windows(2).find(|pair| file.at(pair[0]).name() == file.at(pair[1]).name())
        {
            let (name, first) = (quoted(file.at(pair[1]).name()), &file.parts[pair[0].0 as usize]);
            return Err(GgufError::Parts {
                path: file.parts[pair[1].0 as usize].path.clone(),
                problem: format!("it has the tensor {name}, but so does {}", first.path.display()),
            });
        }
        file.by_name = by_name.into();
        Ok(file)
    }

    fn at(&self, (part, tensor): (u32, u32)) -> TensorView<'_> {
        let part = &self.parts[part as usize];
        part.view(&part.header.tensors[tensor as usize])
    }

    /// Returns the version of the format.
    pub fn version(&self) -> u32 {
        self.parts.first().map_or(0, |part| part.header.version)
    }

    /// Whether the most significant byte of numbers comes first.
    pub fn is_big_endian(&self) -> bool {
        self.parts.first().is_some_and(|part| part.header.encoding.big_endian)
    }

    /// Returns the alignment: the offsets of tensors are multiples of it.
    pub fn alignment(&self) -> usize {
        self.parts.first().map_or(crate::DEFAULT_ALIGNMENT, |part| part.header.alignment)
    }

    /// Returns the paths of the files, in the order of the parts.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.parts.iter().map(|part| part.path.as_path())
    }

    /// Iterates over keys and values in the order of the file.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, MetaValue<'_>)> {
        self.parts.iter().take(1).flat_map(GgufPart::metadata)
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<MetaValue<'_>> {
        self.parts.first()?.get(key)
    }

    /// Returns the number of tensors.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there are no tensors.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// Iterates over all tensors in the order of the files.
    pub fn tensors(&self) -> impl Iterator<Item = TensorView<'_>> {
        self.parts.iter().flat_map(|part| part.header.tensors.iter().map(|entry| part.view(entry)))
    }

    /// Returns the tensor with this name, if there is one.
    pub fn tensor(&self, name: &str) -> Option<TensorView<'_>> {
        let found = self.by_name.binary_search_by(|&place| self.at(place).name().cmp(name)).ok()?;
        Some(self.at(self.by_name[found]))
    }

    /// Returns the memory of a tensor's bytes to the system, like [`Contents::release`].
    pub fn release(&self, name: &str) {
        let found = self.by_name.binary_search_by(|&place| self.at(place).name().cmp(name));
        if let Some(&(part, tensor)) = found.ok().and_then(|at| self.by_name.get(at)) {
            let part = &self.parts[part as usize];
            part.contents.release(part.header.tensors[tensor as usize].bytes.clone());
        }
    }
}
