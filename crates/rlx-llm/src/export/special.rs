//! Writes the special tokens of a model and its chat template as keys of a GGUF file.

use super::vocabulary::TokenizerFiles;
use crate::families::Keys;
use rlx_gguf::MetaValue;
use rlx_models::files::read_text;
use serde_json::{Map, Value};

/// Special tokens: their names in settings and in GGUF files.
const TOKENS: [(&str, &str); 7] = [
    ("bos", "bos"),
    ("eos", "eos"),
    ("unk", "unknown"),
    // The key is misspelled in all files.
    ("sep", "seperator"),
    ("pad", "padding"),
    ("cls", "cls"),
    ("mask", "mask"),
];

/// The maximum size of a chat template that is read, in bytes.
const MAX_TEMPLATE: u64 = 1 << 20;

/// Adds the special tokens named by `tokenizer.json`, its settings and `config.json`.
pub(super) fn put(keys: &mut Vec<(String, MetaValue<'static>)>, files: &TokenizerFiles<'_>, tokens: usize) {
    let adds = Adds::of(files);
    for (name, key) in TOKENS {
        let text = text_of(&files.settings, name);
        let added = text.and_then(|text| files.added().find(|(_, known, _)| *known == text));
        let stated = files.config.get(&format!("{name}_token_id")).and_then(Value::as_u64);
        let id = added.map(|(id, ..)| id as u64).or(stated).filter(|&id| id < tokens as u64);
        if let Some(id) = id {
            keys.push((format!("tokenizer.ggml.{key}_token_id"), MetaValue::U32(id as u32)));
        }
        if let Some(add) = adds.get(name).or_else(|| flag(&files.settings, &format!("add_{name}_token"))) {
            keys.push((format!("tokenizer.ggml.add_{name}_token"), MetaValue::Bool(add)));
        }
    }
    put_template(keys, files);
}

fn flag(settings: &Map<String, Value>, name: &str) -> Option<bool> {
    settings.get(name).and_then(Value::as_bool)
}

/// Returns the text of a special token, in the old or the new form of settings.
fn text_of<'s>(settings: &'s Map<String, Value>, name: &str) -> Option<&'s str> {
    let value = settings.get(&format!("{name}_token"))?;
    value.as_str().or_else(|| value.get("content")?.as_str())
}

/// Whether tokens are added at the ends of texts, as far as the post-processor says.
#[derive(Default)]
struct Adds {
    bos: Option<bool>,
    eos: Option<bool>,
}

impl Adds {
    fn of(files: &TokenizerFiles<'_>) -> Adds {
        let mut adds = Adds::default();
        let Some(processor) = files.tokenizer.get("post_processor").filter(|p| p.is_object()) else {
            return adds;
        };
        let alone = std::slice::from_ref(processor);
        let list = processor.get("processors").and_then(Value::as_array).map_or(alone, Vec::as_slice);
        for processor in list {
            match processor.get("type").and_then(Value::as_str) {
                Some("ByteLevel") => {
                    adds.bos.get_or_insert(false);
                    adds.eos.get_or_insert(false);
                }
                Some("TemplateProcessing") => adds.template(processor, files),
                _ => {}
            }
        }
        adds
    }

    /// Reads which special tokens the template of a single text begins and ends with.
    fn template(&mut self, processor: &Value, files: &TokenizerFiles<'_>) {
        let single = processor.get("single").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if single.len() < 2 {
            return;
        }
        let special =
            |part: Option<&Value>| part?.get("SpecialToken")?.get("id")?.as_str().map(str::to_string);
        if let Some(first) = special(single.first()) {
            let known = [text_of(&files.settings, "bos"), text_of(&files.settings, "cls")];
            self.bos = Some(known.contains(&Some(&first)) || known == [None, None]);
        }
        if let Some(last) = special(single.last()) {
            let known = text_of(&files.settings, "eos").or(text_of(&files.settings, "sep"));
            self.eos = Some(known.is_none_or(|known| known == last));
        }
    }

    fn get(&self, name: &str) -> Option<bool> {
        match name {
            "bos" => self.bos,
            "eos" => self.eos,
            _ => None,
        }
    }
}

/// Adds the chat template, or several named ones, one of which is the default.
fn put_template(keys: &mut Vec<(String, MetaValue<'static>)>, files: &TokenizerFiles<'_>) {
    let path = files.folder.join("chat_template.jinja");
    let file = read_text(&path, MAX_TEMPLATE).ok().map(Value::String);
    let template = files.settings.get("chat_template").cloned().or(file);
    match template {
        Some(Value::String(text)) => keys.push(("tokenizer.chat_template".into(), text.as_str().into())),
        Some(Value::Array(list)) => {
            let mut names = Vec::new();
            for entry in &list {
                let field = |name: &str| entry.get(name).and_then(Value::as_str);
                let (Some(name), Some(text)) = (field("name"), field("template")) else { continue };
                if name == "default" {
                    keys.push(("tokenizer.chat_template".into(), text.into()));
                } else {
                    keys.push((format!("tokenizer.chat_template.{name}"), text.into()));
                    names.push(name);
                }
            }
            if !names.is_empty() {
                keys.push(("tokenizer.chat_templates".into(), Keys::texts(names)));
            }
        }
        _ => {}
    }
}
