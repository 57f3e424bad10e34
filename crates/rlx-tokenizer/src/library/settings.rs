//! Reads what the files next to `tokenizer.json` say about special tokens.

use crate::error::TokenizerError;
use rlx_files::display::quoted;
use rlx_files::files::read_bounded;
use serde_json::Value;
use std::path::Path;

/// The maximum size of a settings file that is read, in bytes.
const MAX_SETTINGS: u64 = 64 << 20;
/// Classes of tokenizers whose beginning and end are decided by the settings, whatever `tokenizer.json` does.
const BUILT_BY_SETTINGS: &[&str] =
    &["LlamaTokenizer", "CodeLlamaTokenizer", "GemmaTokenizer", "CohereTokenizer"];

/// Special tokens by name, and ends by id.
#[derive(Debug, Default)]
pub(super) struct TokenSettings {
    pub(super) bos: Option<String>,
    pub(super) eos: Option<String>,
    pub(super) unknown: Option<String>,
    pub(super) padding: Option<String>,
    pub(super) separator: Option<String>,
    pub(super) add_bos: Option<bool>,
    pub(super) add_eos: Option<bool>,
    pub(super) ends: Vec<u32>,
}

impl TokenSettings {
    /// Reads the settings in a folder. Missing files are not an error.
    pub(super) fn load(folder: &Path) -> Result<Self, TokenizerError> {
        let map = json(&folder.join("special_tokens_map.json"))?;
        let config = json(&folder.join("tokenizer_config.json"))?;
        // A token is its text, or an object that contains the text.
        let name = |key: &str| {
            let value = config.get(key).filter(|value| !value.is_null()).or_else(|| map.get(key))?;
            Some(value.as_str().or_else(|| value["content"].as_str())?.to_string())
        };
        let class = config["tokenizer_class"].as_str().unwrap_or_default();
        let by_settings = BUILT_BY_SETTINGS.contains(&class.trim_end_matches("Fast"));
        let flag = |key: &str| config[key].as_bool().filter(|&flag| flag || by_settings);
        let mut ends = Vec::new();
        for file in ["generation_config.json", "config.json"] {
            let value = json(&folder.join(file))?;
            let text = &value["text_config"]["eos_token_id"];
            numbers(&value["eos_token_id"], &mut ends);
            numbers(text, &mut ends);
        }
        Ok(TokenSettings {
            bos: name("bos_token"),
            eos: name("eos_token"),
            unknown: name("unk_token"),
            padding: name("pad_token"),
            separator: name("sep_token"),
            add_bos: flag("add_bos_token"),
            add_eos: flag("add_eos_token"),
            ends,
        })
    }
}

fn json(path: &Path) -> Result<Value, TokenizerError> {
    if !path.exists() {
        return Ok(Value::Null);
    }
    let wrong = |e: serde_json::Error| TokenizerError::NotATokenizer {
        path: path.to_path_buf(),
        reason: quoted(&e.to_string()),
    };
    serde_json::from_slice(&read_bounded(path, MAX_SETTINGS)?).map_err(wrong)
}

/// Reads one number, or a list of numbers.
fn numbers(value: &Value, out: &mut Vec<u32>) {
    let many = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    out.extend(many.iter().filter_map(Value::as_u64).filter_map(|id| u32::try_from(id).ok()));
}
