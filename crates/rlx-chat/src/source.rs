//! Finds templates: `chat_template.jinja`, `tokenizer_config.json`, or the metadata of a GGUF file.

use crate::error::ChatError;
use crate::json::Json;
use rlx_files::display::quoted;
use rlx_files::files::read_bounded;
use rlx_gguf::{Gguf, MetaValue, ModelFiles};
use std::path::{Path, PathBuf};

/// The maximum size in bytes of a template and of a settings file.
const MAX_TEMPLATE: u64 = 1 << 20;
const MAX_SETTINGS: u64 = 64 << 20;
/// The names of the template that is used by default, and of the one for conversations with tools.
const DEFAULT: &str = "default";
const TOOLS: &str = "tool_use";

/// The templates of a model, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplateSet {
    path: PathBuf,
    templates: Vec<(String, String)>,
}

impl TemplateSet {
    /// Reads the templates of a model whose files are open.
    ///
    /// # Errors
    /// Fails if a file cannot be read. A model without templates is not an error until one is requested.
    pub fn from_files(files: &ModelFiles) -> Result<TemplateSet, ChatError> {
        match files.gguf() {
            Some(file) => Ok(of_gguf(file, files.path())),
            None => of_folder(files.path()),
        }
    }

    /// Returns the template with this name. Without a name, it is the one for conversations with tools if there are
    /// tools, and otherwise the default.
    ///
    /// # Errors
    /// Returns [`ChatError::NoTemplate`] or [`ChatError::UnknownTemplate`].
    pub fn choose(&self, name: Option<&str>, tools: bool) -> Result<&str, ChatError> {
        let find = |name: &str| self.templates.iter().find(|(n, _)| n == name).map(|(_, text)| text.as_str());
        if let Some(name) = name {
            let known = self.templates.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
            return find(name).ok_or_else(|| ChatError::UnknownTemplate { name: quoted(name), known });
        }
        let found = find(TOOLS).filter(|_| tools).or_else(|| find(DEFAULT));
        found.ok_or_else(|| ChatError::NoTemplate { path: self.path.clone() })
    }

    fn set(&mut self, name: &str, text: &str) {
        self.templates.retain(|(n, _)| n != name);
        self.templates.push((name.into(), text.into()));
    }
}

/// Reads the templates of the model at a path: a folder or a GGUF file.
///
/// # Errors
/// Fails if a file cannot be read. A model without templates is not an error until one is requested.
pub fn templates(path: &Path) -> Result<TemplateSet, ChatError> {
    TemplateSet::from_files(&ModelFiles::open(path)?)
}

fn of_folder(folder: &Path) -> Result<TemplateSet, ChatError> {
    let mut set = TemplateSet { path: folder.to_path_buf(), templates: Vec::new() };
    for file in ["tokenizer_config.json", "chat_template.json"] {
        let path = folder.join(file);
        if !path.exists() {
            continue;
        }
        let wrong =
            |e: serde_json::Error| ChatError::Settings { path: path.clone(), reason: quoted(&e.to_string()) };
        let json: Json = serde_json::from_slice(&read_bounded(&path, MAX_SETTINGS)?).map_err(wrong)?;
        match json.get("chat_template") {
            Some(Json::Text(text)) => set.set(DEFAULT, text),
            Some(Json::List(list)) => {
                for entry in list {
                    let part = |key: &str| entry.get(key).and_then(Json::as_str);
                    if let (Some(name), Some(text)) = (part("name"), part("template")) {
                        set.set(name, text);
                    }
                }
            }
            _ => {}
        }
    }
    let mut files = vec![(DEFAULT.to_string(), folder.join("chat_template.jinja"))];
    let more = std::fs::read_dir(folder.join("additional_chat_templates")).into_iter().flatten().flatten();
    files.extend(more.filter_map(|entry| {
        let path = entry.path();
        let name = path.file_stem()?.to_str()?.to_string();
        path.extension().is_some_and(|e| e == "jinja").then_some((name, path))
    }));
    files.sort();
    for (name, path) in files.into_iter().filter(|(_, path)| path.exists()) {
        let text = String::from_utf8(read_bounded(&path, MAX_TEMPLATE)?);
        let text = text.map_err(|e| ChatError::Settings { path, reason: e.to_string() })?;
        set.set(&name, &text);
    }
    Ok(set)
}

fn of_gguf(file: &Gguf, path: &Path) -> TemplateSet {
    const KEY: &str = "tokenizer.chat_template";
    let mut set = TemplateSet { path: path.to_path_buf(), templates: Vec::new() };
    for (key, value) in file.metadata() {
        let Some(name) = key.strip_prefix(KEY) else { continue };
        let MetaValue::Text(text) = value else { continue };
        let text = String::from_utf8_lossy(&text);
        match name.strip_prefix('.') {
            Some(name) => set.set(name, &text),
            None if name.is_empty() => set.set(DEFAULT, &text),
            None => {}
        }
    }
    set
}
