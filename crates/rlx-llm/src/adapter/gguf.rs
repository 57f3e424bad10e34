//! Reads adapters from GGUF files in the form of llama.cpp's converter: tensors `NAME.lora_a` and `NAME.lora_b` for
//! the tensor `NAME` of a model.

use super::{Adapter, AdapterError, AdapterFormat, Factor, Pair};
use crate::error::LlmError;
use rlx_gguf::{Gguf, TensorView};
use std::collections::BTreeMap;
use std::path::Path;

const A: &str = ".lora_a";
const B: &str = ".lora_b";
/// The numerator of the scale, which is alpha / rank.
const ALPHA: &str = "adapter.lora.alpha";
/// The token table. Its A has one row per token.
const TABLE: &str = "token_embd.weight";

fn factor(tensor: TensorView<'_>) -> Result<Factor, LlmError> {
    Ok(Factor { tensor: tensor.name().into(), shape: tensor.shape().to_vec(), values: tensor.to_f32()? })
}

pub(super) fn open(path: &Path, scale: f64) -> Result<Adapter, LlmError> {
    let file = Gguf::open(path)?;
    let text = |key: &str| file.get(key).and_then(|value| value.as_str().map(str::to_string));
    let unusable = |problem: String| Err(AdapterError::unusable(path, problem).into());
    match text("general.type").as_deref() {
        Some("adapter") => {}
        _ => {
            return unusable(
                "not an adapter: general.type is not \"adapter\"; to run a model, name it without --lora"
                    .into(),
            );
        }
    }
    if text("adapter.type").as_deref() != Some("lora") {
        return unusable("adapter.type is not \"lora\", the only kind of adapter that is supported".into());
    }
    if file.get("adapter.alora.invocation_tokens").is_some() {
        return unusable(
            "activated adapters, which take effect after certain tokens, are not supported".into(),
        );
    }
    let alpha = file.get(ALPHA).and_then(|value| value.as_f64()).filter(|alpha| alpha.is_finite());
    let Some(alpha) = alpha else { return unusable(format!("{ALPHA} is missing or not a number")) };

    let mut pairs = BTreeMap::new();
    for tensor in file.tensors() {
        let name = tensor.name();
        if let Some(target) = name.strip_suffix(A) {
            let twin = format!("{target}{B}");
            let Some(other) = file.tensor(&twin) else {
                return Err(AdapterError::tensor(path, name, format!("{twin} is missing")).into());
            };
            let (a, b) = (factor(tensor)?, factor(other)?);
            // For a table, the file's A is [tokens, rank] and its B is [width, rank].
            let (a, b) = if target == TABLE { (b.transposed(), a) } else { (a, b) };
            let mut pair = Pair { a, b };
            let rank = pair.rank(path)?;
            // An alpha of 0 means that the adapter has no alpha.
            let own = if alpha == 0.0 { 1.0 } else { alpha / rank as f64 };
            pair.b = pair.b.scaled(own * scale);
            pairs.insert(target.to_string(), pair);
        } else if let Some(target) = name.strip_suffix(B) {
            if file.tensor(&format!("{target}{A}")).is_none() {
                return Err(AdapterError::tensor(path, name, format!("{target}{A} is missing")).into());
            }
        } else {
            return Err(
                AdapterError::tensor(path, name, format!("adapter tensors must end in {A} or {B}")).into()
            );
        }
    }
    if pairs.is_empty() {
        return unusable("it has no tensors".into());
    }
    let (format, architecture) = (AdapterFormat::Gguf, text("general.architecture"));
    let (copies, unknown_settings) = Default::default();
    Ok(Adapter { path: path.into(), format, architecture, pairs, copies, unknown_settings })
}
