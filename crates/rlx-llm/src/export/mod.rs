//! Converts a folder of safetensors to a GGUF file with the names, row order, keys and tokenizer that llama.cpp
//! expects.
//!
//! The tensors of a GGUF file are the parameters of the graph, except that one tensor may hold the rows of several
//! parameters and that the rows of rotary pairs may be ordered differently. Tensors are therefore found in the way
//! that a graph asks for them.

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
use rlx_gguf::{GgufWriter, MetaValue, ModelFiles, Recipe, TensorType};
use rlx_ir::DType;
use std::path::Path;
use std::sync::Arc;

/// Options for writing a model to GGUF.
#[derive(Clone, Default, Debug)]
pub struct GgufExport {
    /// The name of the pre-tokenizer, which splits texts into words, if the tokenizer is not a known one.
    pub pre: Option<String>,
    /// Adapters to merge into the weights.
    pub adapters: Vec<AdapterSource>,
}

/// Returns a sentence for each setting of the model at `path`, a folder or a GGUF file, that is not recognized and
/// therefore has no effect on what is written.
///
/// # Errors
/// The same as [`LanguageModel::open`](crate::LanguageModel::open).
pub fn unknown_settings(path: &Path) -> Result<Vec<String>, LlmError> {
    Ok(Family::unknown_settings(path, &Checkpoint::new(&ModelFiles::open(path)?)?)?)
}

/// Whether a folder contains a language model of a known family.
pub fn is_model(folder: &Path) -> bool {
    Family::of_folder(folder).is_ok()
}

impl GgufExport {
    /// Returns the GGUF file for the model in a folder with `config.json`, safetensors and a tokenizer. Matrices keep
    /// their types; everything else becomes f32. Tensors are read as the file is written.
    ///
    /// # Errors
    /// Returns an [`LlmError`] that names the file and the problem, and [`LlmError::Export`] for a family that cannot
    /// be written, a tokenizer without a name in GGUF, and settings that GGUF cannot represent, each with its name
    /// and value.
    pub fn write(&self, folder: &Path) -> Result<GgufWriter<'static>, LlmError> {
        let (family, fields) = Family::of_folder(folder)?;
        let Some(form) = &family.gguf else {
            let written = FAMILIES.iter().filter(|family| family.gguf.is_some());
            let known: Vec<&str> = written.map(|family| family.name).collect();
            return Err(LlmError::Export {
                path: folder.to_path_buf(),
                problem: format!(
                    "the family {} cannot be written to GGUF; supported families: {}",
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

/// Returns the keys `general.*`.
fn general(folder: &Path) -> Vec<(String, MetaValue<'static>)> {
    let name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_str()?.to_string()));
    let mut list = vec![("general.type".to_string(), "model".into())];
    list.extend(name.map(|name| ("general.name".to_string(), name.as_str().into())));
    list
}

/// Returns the number of the recipe that matches the types of the matrices.
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
