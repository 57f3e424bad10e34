//! Reads a model in several safetensors files: their index, and whether it is correct.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};

use serde::Deserialize;

use super::{Access, Weights, WeightsError, WeightsFile};
use crate::display::{list, quoted};
use crate::files::read_json;

/// The maximum size of an index that is read, in bytes.
const MAX_INDEX: u64 = 100_000_000;

/// `model.safetensors.index.json`. Its `metadata` (the total size) contains nothing that the files do not.
#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

/// Opens every file that the index at `path` names, and checks that each tensor is where the index says.
pub(super) fn load(path: &Path, access: Access) -> Result<Weights, WeightsError> {
    let index: Index = read_json(path, MAX_INDEX)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let names: BTreeSet<&str> = index.weight_map.values().map(String::as_str).collect();
    if let Some(bad) = names.iter().find(|name| !is_plain_name(name)) {
        return Err(WeightsError::ShardName { path: path.to_path_buf(), file: quoted(bad) });
    }
    let mut weights = Weights::empty();
    let mut problems = Vec::new();
    for name in names {
        let before = weights.tensors.len();
        let mut one = Weights::empty();
        one.add(WeightsFile::open(&folder.join(name), access)?)?;
        compare(&index, name, &one, &mut problems);
        let added = one.tensors.len();
        weights.merge(one);
        if weights.tensors.len() != before + added {
            problems.push(format!("{} has tensors that another file also has", quoted(name)));
        }
    }
    if problems.is_empty() {
        return Ok(weights);
    }
    let details = list(problems.iter());
    Err(WeightsError::ShardMismatch { path: path.to_path_buf(), details })
}

/// Records every tensor that the index places in `file` but that is not there, and every tensor that is there but not
/// in the index.
fn compare(index: &Index, file: &str, held: &Weights, problems: &mut Vec<String>) {
    for (tensor, _) in index.weight_map.iter().filter(|(_, f)| f.as_str() == file) {
        if !held.tensors.contains_key(tensor) {
            problems.push(format!("{} is not in {}", quoted(tensor), quoted(file)));
        }
    }
    for tensor in held.tensors.keys() {
        if index.weight_map.get(tensor).is_none_or(|f| f != file) {
            problems.push(format!("{} in {} is not listed there", quoted(tensor), quoted(file)));
        }
    }
}

/// Whether `name` is a plain file name without folders.
fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!(parts.next(), Some(Component::Normal(part)) if part.to_str() == Some(name))
        && parts.next().is_none()
}

impl Weights {
    fn merge(&mut self, other: Weights) {
        let base = self.files.len();
        self.files.extend(other.files);
        self.metadata.extend(other.metadata);
        for (name, mut entry) in other.tensors {
            entry.file += base;
            self.tensors.insert(name, entry);
        }
    }
}
