//! Packages: folders `NAME.mlpackage` of a manifest, a model and its weights. Knows neither what the model says
//! nor what weights hold.
//!
//! ```text
//! Manifest.json                                  what is in the package, by identifiers; which of it is the model
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

/// The name by which programs call the weights of the packages that we write.
pub const WEIGHTS: &str = "@model_path/weights/weight.bin";

/// The most bytes that a protobuf message has, and so a model.
pub const MAX_MODEL_BYTES: u64 = i32::MAX as u64;

const MANIFEST: &str = "Manifest.json";
/// The most bytes of a manifest that is read.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;
/// The version of manifests.
const VERSION: &str = "1.0.0";
/// What paths of a manifest lead from.
const DATA: &str = "Data";
/// What the names of weights in programs lead from: the folder of the model.
const MODEL_PATH: &str = "@model_path";
/// How deep below the folder of the model weights are looked for.
const MAX_DEPTH: usize = 3;

/// Why a folder is no package that can be read, or cannot become one.
#[derive(Debug, Error)]
pub enum PackageError {
    /// A file or folder could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A folder without a manifest.
    #[error("{}: no package: there is no Manifest.json in it", path.display())]
    NoManifest {
        /// The folder.
        path: PathBuf,
    },
    /// A manifest of a version that is not known.
    #[error("{}: its manifest has the version {version}; only {VERSION} can be read", path.display())]
    Version {
        /// The package.
        path: PathBuf,
        /// The version, quoted.
        version: String,
    },
    /// A manifest that does not say which item is the model.
    #[error("{}: its manifest does not say which item is the model: rootModelIdentifier {named}, and the items are [{items}]", path.display())]
    NoModel {
        /// The package.
        path: PathBuf,
        /// What the manifest says, quoted.
        named: String,
        /// The identifiers of the items, quoted.
        items: String,
    },
    /// An item that would lie outside of the package.
    #[error("{}: the path {at} of item {item} does not stay inside of the package", path.display())]
    Outside {
        /// The package.
        path: PathBuf,
        /// The name of the item, quoted.
        item: String,
        /// Its path, quoted.
        at: String,
    },
    /// An item that is not there.
    #[error(
        "{}: the package is not complete: item {item} is not at {at}. Copy it again, with its empty folders", path.display()
    )]
    Incomplete {
        /// The package.
        path: PathBuf,
        /// The name of the item, quoted.
        item: String,
        /// Where it should be.
        at: PathBuf,
    },
    /// A model of more bytes than a protobuf message has.
    #[error("{}: the model has {bytes} bytes, and protobuf messages at most {MAX_MODEL_BYTES}: large constants belong into the file of weights", path.display())]
    ModelTooLarge {
        /// The package.
        path: PathBuf,
        /// The bytes of the model.
        bytes: u64,
    },
    /// Weights that are not in the package.
    #[error("{}: there are no weights {name} in it; there are [{found}]", path.display())]
    NoWeights {
        /// The package.
        path: PathBuf,
        /// The name that was asked for, quoted.
        name: String,
        /// The names of those that there are, quoted.
        found: String,
    },
    /// A file of weights that cannot be read.
    #[error("{}: weights {name}", path.display())]
    Weights {
        /// The package.
        path: PathBuf,
        /// Its name in programs, quoted.
        name: String,
        /// What is wrong with it.
        #[source]
        source: BlobError,
    },
    /// A folder that is no package is in the way of one.
    #[error("{}: this folder is no package, so that it is not replaced by one. Choose another name, or remove it", path.display())]
    InTheWay {
        /// The folder.
        path: PathBuf,
    },
}

/// What is in a package.
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

    /// Where the item is, from the folder of the package on.
    fn at(&self) -> Option<PathBuf> {
        let path = Path::new(&self.path);
        let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        (plain && !self.path.is_empty()).then(|| Path::new(DATA).join(path))
    }
}

/// A package that is read. Its files are mapped: see [`rlx_files::contents`] for what that means.
#[derive(Debug)]
pub struct Package {
    path: PathBuf,
    model: Contents,
    weights: BTreeMap<String, Contents>,
}

impl Package {
    /// Writes a package, which is there whole or not at all; one that has the name is replaced. The same model and weights give the same bytes.
    /// `blobs` are what the model calls [`WEIGHTS`]; where there are none, the package has no such file.
    ///
    /// # Errors
    /// [`PackageError::ModelTooLarge`] and [`PackageError::InTheWay`]; [`PackageError::File`] as of [`UnfinishedFolder`], also where a function
    /// that makes a blob fails.
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

    /// The package in a folder.
    ///
    /// # Errors
    /// Any [`PackageError`] but those of writing and of single weights.
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

    /// The model: a protobuf message.
    pub fn model(&self) -> &[u8] {
        self.model.as_slice()
    }

    /// The names of the files of weights, as programs call them, in order.
    pub fn weight_files(&self) -> impl Iterator<Item = &str> {
        self.weights.keys().map(String::as_str)
    }

    /// The file of weights that programs call by a name, such as [`WEIGHTS`].
    ///
    /// # Errors
    /// [`PackageError::NoWeights`] and [`PackageError::Weights`].
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

    /// Where the model of the package at `path` is, from the folder on. All items are inside and there.
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

/// Whether a package may take the place of what is at a path: nothing, an empty folder, or a package.
fn may_replace(path: &Path) -> Result<(), PackageError> {
    match fs::read_dir(path) {
        Ok(mut entries) => {
            let manifest = || read_json::<Manifest>(&path.join(MANIFEST), MAX_MANIFEST_BYTES);
            if entries.next().is_some() && manifest().is_err() {
                return Err(PackageError::InTheWay { path: path.to_path_buf() });
            }
            Ok(())
        }
        // Whoever makes the folder says what is wrong with these.
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(()),
        Err(e) => Err(FileError::io(path, "listing it", e).into()),
    }
}

/// The files of weights in a folder and in those inside, by their names in programs. What is no `.bin` file is none of them.
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
        // Programs name files in UTF-8.
        let Some(last) = path.file_name().and_then(|last| last.to_str()) else { continue };
        let name = format!("{name}/{last}");
        // Links to files are followed, for packages in caches have them; those to folders may lead in circles.
        let is_folder = entry.file_type().map_err(failed)?.is_dir();
        if is_folder && depth > 0 {
            find_weights(&path, &name, depth - 1, found)?;
        } else if path.is_file() && path.extension().is_some_and(|extension| extension == "bin") {
            found.insert(name, Contents::open(&path, Access::Map)?);
        }
    }
    Ok(())
}

/// A UUID of version 8 (RFC 9562) that says what was hashed.
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
