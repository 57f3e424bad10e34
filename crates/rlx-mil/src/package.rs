//! Packages: folders `NAME.mlpackage` with a manifest, a model and its weights. This module does not interpret models or weights.
//!
//! ```text
//! Manifest.json                                  the items of the package, by identifier, and which of them is the model
//! Data/com.apple.CoreML/model.mlmodel            the model, a protobuf message
//! Data/com.apple.CoreML/weights/weight.bin       its weights, by name "@model_path/weights/weight.bin"
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use rlx_files::contents::{Access, Contents};
use rlx_files::display::{list, quoted};
use rlx_files::files::{FileError, no_folder, read_json};
use rlx_files::folders::UnfinishedFolder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::blob::{BlobError, BlobFile, Blobs};

/// The name of the weights file in programs of packages that RLX writes.
pub const WEIGHTS: &str = "@model_path/weights/weight.bin";

/// Maximum size of a protobuf message, and so of a model, in bytes.
pub const MAX_MODEL_BYTES: u64 = i32::MAX as u64;

const MANIFEST: &str = "Manifest.json";
/// Maximum size of a manifest that is read, in bytes.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;
/// The version of manifests.
const VERSION: &str = "1.0.0";
/// The folder that paths in a manifest are relative to.
const DATA: &str = "Data";
/// The prefix of weights files' names in programs, which means the folder of the model.
const MODEL_PATH: &str = "@model_path";
/// Maximum depth of weights files below the folder of the model.
const MAX_DEPTH: usize = 3;

/// Why a folder is not a package that can be read, or cannot become one.
#[derive(Debug, Error)]
pub enum PackageError {
    /// A file or folder could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The folder has no manifest.
    #[error("{}: not a package: it has no Manifest.json", path.display())]
    NoManifest {
        /// The folder.
        path: PathBuf,
    },
    /// The version of the manifest is not known.
    #[error("{}: its manifest has the version {version}; only {VERSION} can be read", path.display())]
    Version {
        /// The package.
        path: PathBuf,
        /// The version, quoted.
        version: String,
    },
    /// The manifest does not identify the model among its items.
    #[error("{}: its manifest does not identify the model: rootModelIdentifier {named}, the items are [{items}]", path.display())]
    NoModel {
        /// The package.
        path: PathBuf,
        /// The identifier in the manifest, quoted.
        named: String,
        /// The identifiers of the items, quoted.
        items: String,
    },
    /// The path of an item leads outside of the package.
    #[error("{}: the path {at} of item {item} leads outside of the package", path.display())]
    Outside {
        /// The package.
        path: PathBuf,
        /// The name of the item, quoted.
        item: String,
        /// Its path, quoted.
        at: String,
    },
    /// An item is missing.
    #[error(
        "{}: the package is incomplete: item {item} is missing at {at}. Copy it again, with its empty folders", path.display()
    )]
    Incomplete {
        /// The package.
        path: PathBuf,
        /// The name of the item, quoted.
        item: String,
        /// Where it should be.
        at: PathBuf,
    },
    /// The model is larger than a protobuf message can be.
    #[error("{}: the model has {bytes} bytes, but protobuf messages have at most {MAX_MODEL_BYTES}: store large constants in the weights file", path.display())]
    ModelTooLarge {
        /// The package.
        path: PathBuf,
        /// The size of the model in bytes.
        bytes: u64,
    },
    /// The package does not have these weights.
    #[error("{}: it has no weights {name}; it has [{found}]", path.display())]
    NoWeights {
        /// The package.
        path: PathBuf,
        /// The requested name, quoted.
        name: String,
        /// The names that exist, quoted.
        found: String,
    },
    /// A weights file cannot be read.
    #[error("{}: weights {name}", path.display())]
    Weights {
        /// The package.
        path: PathBuf,
        /// Its name in programs, quoted.
        name: String,
        /// The cause.
        #[source]
        source: BlobError,
    },
    /// A folder that is not a package has the name of the package.
    #[error("{}: this folder is not a package, so it is not replaced. Choose another name, or remove it", path.display())]
    InTheWay {
        /// The folder.
        path: PathBuf,
    },
}

/// The contents of a package.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Manifest {
    file_format_version: String,
    #[serde(default)]
    item_info_entries: BTreeMap<String, Item>,
    root_model_identifier: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Item {
    #[serde(default)]
    author: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    name: String,
    path: String,
}

impl Item {
    fn new(description: &str, name: &str) -> Item {
        let author = "com.apple.CoreML";
        let path = format!("{author}/{name}");
        Item { author: author.into(), description: description.into(), name: name.into(), path }
    }

    /// Returns the path of the item, relative to the folder of the package.
    fn at(&self) -> Option<PathBuf> {
        let path = Path::new(&self.path);
        let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        (plain && !self.path.is_empty()).then(|| Path::new(DATA).join(path))
    }
}

/// An opened package. Its files are mapped: see [`rlx_files::contents`] for what that means.
#[derive(Debug)]
pub struct Package {
    path: PathBuf,
    model: Contents,
    weights: BTreeMap<String, Contents>,
}

impl Package {
    /// Writes a package, which appears complete or not at all. An existing package with this name is replaced. The same model and weights
    /// always give the same bytes. `blobs` are the weights that the model calls [`WEIGHTS`]; if there are none, the package has no weights
    /// file.
    ///
    /// # Errors
    /// Returns [`PackageError::ModelTooLarge`], [`PackageError::InTheWay`], or [`PackageError::File`] for errors of [`UnfinishedFolder`]
    /// and if a function that computes a blob fails.
    pub fn write(path: &Path, model: &[u8], blobs: &Blobs<'_>) -> Result<(), PackageError> {
        let bytes = model.len() as u64;
        if bytes > MAX_MODEL_BYTES {
            return Err(PackageError::ModelTooLarge { path: path.to_path_buf(), bytes });
        }
        may_replace(path)?;
        let hash = Sha256::new().chain_update(Sha256::digest(model)).chain_update(blobs.hash());
        let id = |role: &str| identifier(hash.clone().chain_update(role).finalize().into());
        let model_item = Item::new("CoreML Model Specification", "model.mlmodel");
        let weights_item = Item::new("CoreML Model Weights", "weights");
        let mut package = UnfinishedFolder::create(path)?;
        package.write(&format!("{DATA}/{}", model_item.path), |out| out.write_all(model))?;
        if !blobs.is_empty() {
            let name = format!("{DATA}/{}/weight.bin", weights_item.path);
            package.write(&name, |out| blobs.write_to(out))?;
        }
        let mut items = BTreeMap::from([(id("model"), model_item)]);
        if !blobs.is_empty() {
            items.insert(id("weights"), weights_item);
        }
        let manifest = Manifest {
            file_format_version: VERSION.into(),
            item_info_entries: items,
            root_model_identifier: Some(id("model")),
        };
        package.write(MANIFEST, |out| manifest.write(out))?;
        Ok(package.finish()?)
    }

    /// Opens the package in a folder.
    ///
    /// # Errors
    /// Returns any [`PackageError`] except those of writing and of single weights files.
    pub fn open(path: &Path) -> Result<Package, PackageError> {
        let owned = path.to_path_buf();
        if let Some(error) = no_folder(path) {
            return Err(error.into());
        }
        fs::metadata(path).map_err(|e| FileError::io(path, "looking at it", e))?;
        let manifest: Manifest =
            read_json(&path.join(MANIFEST), MAX_MANIFEST_BYTES).map_err(|error| match error {
                FileError::Missing { .. } => PackageError::NoManifest { path: owned.clone() },
                error => error.into(),
            })?;
        let at = path.join(manifest.model(path)?);
        let model = Contents::open(&at, Access::Map)?;
        let bytes = model.as_slice().len() as u64;
        if bytes > MAX_MODEL_BYTES {
            return Err(PackageError::ModelTooLarge { path: owned, bytes });
        }
        let mut weights = BTreeMap::new();
        find_weights(at.parent().unwrap_or(path), MODEL_PATH, MAX_DEPTH, &mut weights)?;
        Ok(Package { path: owned, model, weights })
    }

    /// Returns the model, which is a protobuf message.
    pub fn model(&self) -> &[u8] {
        self.model.as_slice()
    }

    /// Returns the names of the weights files in programs, in order.
    pub fn weight_files(&self) -> impl Iterator<Item = &str> {
        self.weights.keys().map(String::as_str)
    }

    /// Returns the weights file with a name in programs, such as [`WEIGHTS`].
    ///
    /// # Errors
    /// Returns [`PackageError::NoWeights`] or [`PackageError::Weights`].
    pub fn weights(&self, name: &str) -> Result<BlobFile<'_>, PackageError> {
        let path = || self.path.clone();
        let Some(contents) = self.weights.get(name) else {
            let found: Vec<String> = self.weight_files().map(quoted).collect();
            let found = list(found.iter());
            return Err(PackageError::NoWeights { path: path(), name: quoted(name), found });
        };
        let failed = |source| PackageError::Weights { path: path(), name: quoted(name), source };
        BlobFile::open(contents.as_slice()).map_err(failed)
    }
}

impl Manifest {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let format = serde_json::ser::PrettyFormatter::with_indent(b"    ");
        self.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, format))?;
        out.write_all(b"\n")
    }

    /// Returns the path of the model of the package at `path`, relative to the folder. All items must exist and be inside it.
    fn model(&self, path: &Path) -> Result<PathBuf, PackageError> {
        let owned = || path.to_path_buf();
        if self.file_format_version != VERSION {
            let version = quoted(&self.file_format_version);
            return Err(PackageError::Version { path: owned(), version });
        }
        let mut model = None;
        for (id, item) in &self.item_info_entries {
            let name = || quoted(&item.name);
            let outside = || PackageError::Outside { path: owned(), item: name(), at: quoted(&item.path) };
            let at = item.at().ok_or_else(outside)?;
            if !path.join(&at).exists() {
                return Err(PackageError::Incomplete { path: owned(), item: name(), at });
            }
            if Some(id) == self.root_model_identifier.as_ref() {
                model = Some(at);
            }
        }
        model.ok_or_else(|| {
            let named = self.root_model_identifier.as_deref();
            let named = named.map_or("is missing".into(), |id| format!("is {}", quoted(id)));
            let items: Vec<String> = self.item_info_entries.keys().map(|id| quoted(id)).collect();
            PackageError::NoModel { path: owned(), named, items: list(items.iter()) }
        })
    }
}

/// Checks that a package may replace whatever is at a path: nothing, an empty folder, or a package.
fn may_replace(path: &Path) -> Result<(), PackageError> {
    match fs::read_dir(path) {
        Ok(mut entries) => {
            let manifest = || read_json::<Manifest>(&path.join(MANIFEST), MAX_MANIFEST_BYTES);
            if entries.next().is_some() && manifest().is_err() {
                return Err(PackageError::InTheWay { path: path.to_path_buf() });
            }
            Ok(())
        }
        // Creating the folder reports these.
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(()),
        Err(e) => Err(FileError::io(path, "listing it", e).into()),
    }
}

/// Finds the weights files in a folder and its subfolders, by their names in programs. Files other than `.bin` are ignored.
fn find_weights(
    folder: &Path,
    name: &str,
    depth: usize,
    found: &mut BTreeMap<String, Contents>,
) -> Result<(), FileError> {
    let failed = |e| FileError::io(folder, "listing it", e);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        // Programs use UTF-8 for file names.
        let Some(last) = path.file_name().and_then(|last| last.to_str()) else { continue };
        let name = format!("{name}/{last}");
        // Links to files are followed, because packages in caches have them; links to folders may form cycles.
        let is_folder = entry.file_type().map_err(failed)?.is_dir();
        if is_folder && depth > 0 {
            find_weights(&path, &name, depth - 1, found)?;
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "bin") {
            found.insert(name, Contents::open(&path, Access::Map)?);
        }
    }
    Ok(())
}

/// Returns a version 8 UUID (RFC 9562) that is derived from a hash.
fn identifier(hash: [u8; 32]) -> String {
    let mut bytes: [u8; 16] = std::array::from_fn(|i| hash[i]);
    bytes[6] = bytes[6] & 0x0F | 0x80;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let mut text = String::new();
    for (i, byte) in bytes.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}
