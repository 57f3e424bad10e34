//! Writes the first step of a training run as a graph, with its inputs in a second file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rlx_ir::{DType, Shape};
use rlx_models::files::write_atomically;
use rlx_models::weights::{StoredType, Tensor, save};
use rlx_stablehlo::ExportOptions;

use super::config::Config;
use super::{run, task};
use crate::failure::Failure;
use crate::program::{self, Language};
use crate::settings::Settings;

/// Writes both files, and returns the path of the second.
pub fn write(config: &Config, to: &Path, settings: &Settings) -> Result<PathBuf, Failure> {
    let mut task = task::open(config, settings)?;
    task.notes().iter().for_each(|note| settings.warn(note));
    let session = run::session(config, task.as_ref(), settings)?;
    let graph = session.step_graph()?;
    // Check that the format of the file can express the graph before anything is written.
    let text = program::text(Language::of(to)?, &graph, &ExportOptions::default())?;
    let mut given: BTreeMap<String, (DType, Vec<u8>)> = BTreeMap::new();
    let mut give = |name: &str, dtype, bytes: &[u8]| given.insert(name.to_string(), (dtype, bytes.to_vec()));
    for (name, bytes, dtype) in task.batch(session.steps()) {
        give(name, dtype, &bytes);
    }
    for saved in session.saved()? {
        give(saved.name, saved.shape.dtype(), &saved.bytes);
    }
    if let Some(scale) = session.loss_scale() {
        give("train.scale", DType::F32, &scale.scale.to_le_bytes());
        give("train.inverse", DType::F32, &scale.scale.recip().to_le_bytes());
    }
    let key: Vec<u8> = session.estimate_key().iter().flat_map(|k| k.to_le_bytes()).collect();
    give("hutchinson.key", DType::U32, &key);
    give("train.step", DType::I32, &i32::try_from(session.steps()).unwrap_or(i32::MAX).to_le_bytes());
    give("train.lr", DType::F32, &session.learning_rate()?.to_le_bytes());
    let inputs = graph.inputs().filter_map(|node| Some((node.name()?, node.shape())));
    let inputs: Vec<(&str, &Shape)> = inputs.chain(graph.named_params()).collect();
    let sizes: Vec<Vec<usize>> =
        inputs.iter().map(|(_, shape)| shape.static_dims().unwrap_or_default()).collect();
    let mut tensors = Vec::new();
    for ((name, _), shape) in inputs.into_iter().zip(&sizes) {
        let held = given.get(name).and_then(|(dtype, bytes)| Some((StoredType::of(*dtype)?, bytes)));
        let (stored, bytes) = held.ok_or_else(|| {
            Failure::Failed(format!("a .safetensors file cannot hold the input {name} of the step").into())
        })?;
        tensors.push(Tensor { name, stored, shape, bytes });
    }
    let beside = to.with_extension("safetensors");
    save(&beside, &tensors, &BTreeMap::new())?;
    write_atomically(to, |file| file.write_all(text.as_bytes()))?;
    Ok(beside)
}
