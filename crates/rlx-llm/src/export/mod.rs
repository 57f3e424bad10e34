//! Converts a folder of safetensors to a GGUF file with the names, row order, keys and tokenizer that llama.cpp
//! expects.
//!
//! What a graph is given and what a GGUF file holds are the same but for rows of several parameters in one tensor and the order of pairs: so
//! tensors are taken as a graph asks for them.

mod differences;
mod kept;
mod merged;
mod pre_tokenizers;
mod sentencepiece;
mod special;
mod tensors;
mod vocabulary;

pub(crate) use tensors::gguf_name;

pub use merged::MergedModel;

use crate::adapter::{AdapterSource, merged as checkpoint_with};
use crate::checkpoint::Checkpoint;
use crate::error::LlmError;
use crate::families::{FAMILIES, Family, Keys};
use rlx_gguf::{GgufWriter, MetaValue, Recipe, TensorType};
use rlx_ir::DType;
use std::path::Path;
use std::sync::Arc;

/// How a model is written.
#[derive(Clone, Default, Debug)]
pub struct GgufExport {
    /// The name of how texts are cut into words, where the tokenizer is not one that is known.
    pub pre: Option<String>,
    /// Adapters that become part of the weights.
    pub adapters: Vec<AdapterSource>,
}

/// A sentence for each setting of the model at `path`, a folder or a GGUF file, that nothing here knows: it has no effect on what is written
/// either.
///
/// # Errors
/// As [`LanguageModel::open`](crate::LanguageModel::open).
pub fn unknown_settings(path: &Path) -> Result<Vec<String>, LlmError> {
    Ok(Family::unknown_settings(path, &Checkpoint::open(path)?)?)
}

/// Whether a folder holds a language model that is written to GGUF.
pub fn is_model(folder: &Path) -> bool {
    Family::of_folder(folder).is_ok()
}

impl GgufExport {
    /// The file of the model in a folder with `config.json`, safetensors and a tokenizer. Matrices stay as they are stored, everything else
    /// is f32. Tensors are read as they are written.
    ///
    /// # Errors
    /// An [`LlmError`] that names the file, and what is wrong with it; [`LlmError::Export`] for a family that is not written, a tokenizer
    /// that GGUF files have no name for, and settings that they have no place for, each with its name and value.
    pub fn write(&self, folder: &Path) -> Result<GgufWriter<'static>, LlmError> {
        let (family, fields) = Family::of_folder(folder)?;
        let Some(form) = &family.gguf else {
            let written = FAMILIES.iter().filter(|family| family.gguf.is_some());
            let known: Vec<&str> = written.map(|family| family.name).collect();
            return Err(LlmError::Export {
                path: folder.to_path_buf(),
                problem: format!(
                    "the family {} is not written; those that are: {}",
                    family.name,
                    known.join(", ")
                ),
            });
        };
        let spec = family.spec(&fields)?;
        let vocabulary = vocabulary::read(folder, &fields, form.architecture, self.pre.as_deref())?;
        let checkpoint = Arc::new(checkpoint_with(folder, &self.adapters)?);
        let mut tensors = tensors::planned(&spec, &checkpoint, family.names(), form, vocabulary.cut_to)?;
        let keys = kept::keys(&spec, &fields, form, &mut tensors)?;
        let mut writer = GgufWriter::new();
        let Keys { list, tensors: divisors, .. } = keys;
        for (key, value) in list.into_iter().chain(general(folder)).chain(vocabulary.keys) {
            writer.set(key, value);
        }
        for (name, numbers) in divisors {
            let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
            writer.tensor(name, TensorType::Plain(DType::F32), &[numbers.len()], bytes);
        }
        tensors::add(&mut writer, &checkpoint, tensors);
        let usual = file_type(&writer);
        writer.set("general.file_type", MetaValue::U32(usual));
        writer.set("general.quantization_version", MetaValue::U32(2));
        Ok(writer)
    }
}

/// What files say of themselves.
fn general(folder: &Path) -> Vec<(String, MetaValue<'static>)> {
    let name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_str()?.to_string()));
    let mut list = vec![("general.type".to_string(), "model".into())];
    list.extend(name.map(|name| ("general.name".to_string(), name.as_str().into())));
    list
}

/// The number of the recipe that the types of matrices are those of.
fn file_type(writer: &GgufWriter<'_>) -> u32 {
    let matrices = || writer.tensors().filter(|(name, _, shape)| rlx_gguf::recipe::is_matrix(name, shape));
    if matrices().any(|(_, stored, _)| Recipe::MXFP4_MOE.usual() == stored) {
        return Recipe::MXFP4_MOE.file_type();
    }
    let is_plain = |stored: &TensorType| matches!(stored, TensorType::Plain(_));
    let plain = || matrices().map(|(_, stored, _)| stored).filter(is_plain);
    let all = |dtype| plain().all(|stored| stored == TensorType::Plain(dtype));
    let recipes = [Recipe::F32, Recipe::F16, Recipe::BF16];
    let found = recipes.into_iter().find(|recipe| matches!(recipe.usual(), TensorType::Plain(d) if all(d)));
    found.unwrap_or(Recipe::F16).file_type()
}
