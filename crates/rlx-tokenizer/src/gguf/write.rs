//! The keys of a GGUF file for a tokenizer that was learnt here.

use crate::error::TokenizerError;
use crate::gguf::vocab::TokenKind;
use crate::library::learn::TEXT_END;
use rlx_files::files::read_json;
use rlx_gguf::{Array, MetaType, MetaValue};
use serde_json::Value;
use std::path::Path;

/// Longest `tokenizer.json` that is read, in bytes.
const MAX_TOKENIZER: u64 = 64 << 20;

/// What a GGUF file says of the tokenizer in the file `tokenizer.json`, which [`learn_bpe`](crate::learn_bpe) made.
///
/// # Errors
/// [`TokenizerError::NotATokenizer`] for others: which words llama.cpp would cut a text into by them is not known.
pub fn gguf_keys(path: &Path) -> Result<Vec<(&'static str, MetaValue<'static>)>, TokenizerError> {
    let json: Value = read_json(path, MAX_TOKENIZER)?;
    let foreign = || TokenizerError::NotATokenizer {
        path: path.to_path_buf(),
        reason: "only byte pairs of GPT-2's words are written to GGUF".into(),
    };
    let words = &json["pre_tokenizer"];
    if words["type"] != "ByteLevel" || words["use_regex"] != true || !json["normalizer"].is_null() {
        return Err(foreign());
    }
    let vocab = json["model"]["vocab"].as_object().ok_or_else(foreign)?;
    let mut tokens: Vec<(u64, &str)> =
        vocab.iter().filter_map(|(token, id)| Some((id.as_u64()?, token.as_str()))).collect();
    tokens.sort_unstable();
    let merges = json["model"]["merges"].as_array().ok_or_else(foreign)?;
    let merge = |pair: &Value| Some(format!("{} {}", pair[0].as_str()?, pair[1].as_str()?));
    let merges: Vec<String> = merges.iter().map(merge).collect::<Option<_>>().ok_or_else(foreign)?;
    let end = tokens.iter().position(|(_, token)| *token == TEXT_END).ok_or_else(foreign)? as u32;
    let texts = |texts: &[&str]| {
        MetaValue::Array(Array::new(MetaType::Text, texts.iter().map(|text| MetaValue::from(*text))))
    };
    let kind = |id: u32| if id == end { TokenKind::Control } else { TokenKind::Normal } as i32;
    let kinds = (0..tokens.len() as u32).map(|id| MetaValue::I32(kind(id)));
    let names: Vec<&str> = tokens.iter().map(|(_, token)| *token).collect();
    let merges: Vec<&str> = merges.iter().map(String::as_str).collect();
    Ok(vec![
        ("tokenizer.ggml.model", "gpt2".into()),
        ("tokenizer.ggml.pre", "gpt-2".into()),
        ("tokenizer.ggml.tokens", texts(&names)),
        ("tokenizer.ggml.token_type", MetaValue::Array(Array::new(MetaType::I32, kinds))),
        ("tokenizer.ggml.merges", texts(&merges)),
        ("tokenizer.ggml.bos_token_id", MetaValue::U32(end)),
        ("tokenizer.ggml.eos_token_id", MetaValue::U32(end)),
        ("tokenizer.ggml.add_bos_token", MetaValue::Bool(true)),
    ])
}
