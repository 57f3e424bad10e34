//! Converts the vocabulary of a folder to keys of a GGUF file: from `tokenizer.model` if there is one, otherwise from
//! `tokenizer.json`.

use super::{pre_tokenizers, sentencepiece, special};
use crate::error::LlmError;
use crate::families::Keys;
use rlx_gguf::{Array, MetaType, MetaValue};
use rlx_models::fields::Fields;
use rlx_models::files::read_json;
use rlx_tokenizer::{TokenKind, Tokenizer};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::Path;

/// The maximum size of a tokenizer file that is read, in bytes.
const MAX_TOKENIZER: u64 = 256 << 20;
/// The maximum number of tokens, which is more than any vocabulary has.
const MOST_TOKENS: usize = 1 << 24;

/// The keys of a vocabulary.
pub(super) struct Vocabulary {
    pub(super) keys: Vec<(String, MetaValue<'static>)>,
    /// The number of rows of the token table that have tokens, if the other rows are dropped.
    pub(super) cut_to: Option<usize>,
}

/// One token.
pub(super) struct Token {
    pub(super) text: String,
    pub(super) score: f32,
    pub(super) kind: TokenKind,
}

/// The files of a tokenizer.
pub(super) struct TokenizerFiles<'a> {
    pub(super) folder: &'a Path,
    pub(super) config: &'a Fields,
    pub(super) tokenizer: Map<String, Value>,
    pub(super) settings: Map<String, Value>,
}

impl TokenizerFiles<'_> {
    pub(super) fn wrong(&self, problem: impl Into<String>) -> LlmError {
        LlmError::Export { path: self.folder.to_path_buf(), problem: problem.into() }
    }

    /// Returns the tokens that `tokenizer.json` lists outside of its vocabulary: id, text, and whether the token is
    /// special.
    pub(super) fn added(&self) -> impl Iterator<Item = (usize, &str, bool)> {
        let list = self.tokenizer.get("added_tokens").and_then(Value::as_array);
        list.into_iter().flatten().filter_map(|token| {
            let id = usize::try_from(token.get("id")?.as_u64()?).ok()?;
            let special = token.get("special").and_then(Value::as_bool).unwrap_or(false);
            Some((id, token.get("content")?.as_str()?, special))
        })
    }
}

/// Reads the vocabulary of the model in a folder.
pub(super) fn read(
    folder: &Path,
    config: &Fields,
    architecture: &str,
    pre: Option<&str>,
) -> Result<Vocabulary, LlmError> {
    let optional = |name: &str| {
        let path = folder.join(name);
        let there = path.is_file();
        there.then(|| read_json(&path, MAX_TOKENIZER)).transpose().map(Option::unwrap_or_default)
    };
    let (tokenizer, settings) = (optional("tokenizer.json"), optional("tokenizer_config.json"));
    let files = TokenizerFiles {
        folder,
        config,
        tokenizer: tokenizer.map_err(rlx_models::fields::ConfigError::from)?,
        settings: settings.map_err(rlx_models::fields::ConfigError::from)?,
    };
    let size = config.count_or("vocab_size", 1..=MOST_TOKENS)?;
    let model = folder.join("tokenizer.model");
    let byte_fallback = model_field(&files, "byte_fallback").and_then(Value::as_bool).unwrap_or(false);
    let (kind, tokens, merges) = if model.is_file() && !is_gpt2(&files) {
        let pieces = sentencepiece::pieces(&model)?;
        let added = if architecture == "phi3" { added_as_is } else { added };
        ("llama", with_added(pieces, size, &files, added), false)
    } else if !files.tokenizer.contains_key("model") {
        return Ok(Vocabulary { keys: none(size), cut_to: None });
    } else if byte_fallback {
        ("llama", escaped(&files, size)?, false)
    } else {
        ("gpt2", spelled(&files, size)?, true)
    };
    let mut keys = vec![("tokenizer.ggml.model".to_string(), kind.into())];
    let pre = match pre {
        Some(name) => name.to_string(),
        None if kind == "llama" => "default".into(),
        None => known_pre(&files)?,
    };
    keys.push(("tokenizer.ggml.pre".into(), pre.as_str().into()));
    put_tokens(&mut keys, &tokens, kind == "llama");
    if merges {
        keys.push((
            "tokenizer.ggml.merges".into(),
            Keys::texts(merges_of(&files).iter().map(String::as_str)),
        ));
    }
    special::put(&mut keys, &files, tokens.len());
    // Gemma's texts begin without a space; other tokenizers have a setting for it.
    let space = files.settings.get("add_prefix_space").and_then(Value::as_bool);
    let space = if architecture.starts_with("gemma") { Some(false) } else { space };
    if let (Some(space), "llama") = (space, kind) {
        keys.push(("tokenizer.ggml.add_space_prefix".into(), MetaValue::Bool(space)));
    }
    Ok(Vocabulary { keys, cut_to: (architecture == "gemma3").then(|| tokens_there(&files, &tokens)) })
}

/// Returns the keys of a model without a vocabulary.
fn none(size: Option<usize>) -> Vec<(String, MetaValue<'static>)> {
    let size = size.map(|size| ("tokenizer.ggml.vocab_size".to_string(), MetaValue::U32(size as u32)));
    std::iter::once(("tokenizer.ggml.model".to_string(), "none".into())).chain(size).collect()
}

fn model_field<'f>(files: &'f TokenizerFiles<'_>, field: &str) -> Option<&'f Value> {
    files.tokenizer.get("model")?.get(field)
}

/// Whether the tokenizer is GPT-2's, although the folder also has a `tokenizer.model`. Phi-4 has the file of another
/// tokenizer next to its own.
fn is_gpt2(files: &TokenizerFiles<'_>) -> bool {
    files.settings.get("tokenizer_class").and_then(Value::as_str) == Some("GPT2Tokenizer")
}

fn put_tokens(keys: &mut Vec<(String, MetaValue<'static>)>, tokens: &[Token], scores: bool) {
    keys.push(("tokenizer.ggml.tokens".into(), Keys::texts(tokens.iter().map(|token| token.text.as_str()))));
    if scores {
        let scores = tokens.iter().map(|token| MetaValue::F32(token.score));
        keys.push(("tokenizer.ggml.scores".into(), MetaValue::Array(Array::new(MetaType::F32, scores))));
    }
    let kinds = tokens.iter().map(|token| MetaValue::I32(token.kind as i32));
    keys.push(("tokenizer.ggml.token_type".into(), MetaValue::Array(Array::new(MetaType::I32, kinds))));
}

/// Returns how many tokens have a name.
fn tokens_there(files: &TokenizerFiles<'_>, tokens: &[Token]) -> usize {
    match model_field(files, "vocab").and_then(Value::as_object) {
        Some(vocab) if !files.folder.join("tokenizer.model").is_file() => vocab.len() + files.added().count(),
        _ => tokens.len(),
    }
}

/// Returns `size` placeholder tokens, one for each embedding; named tokens then replace them.
fn placeholders(size: usize, score: f32) -> Vec<Token> {
    let token = |i| Token { text: format!("[PAD{i}]"), score, kind: TokenKind::Unused };
    (0..size).map(token).collect()
}

/// Returns the tokens of SentencePiece, with the added tokens.
fn with_added(
    pieces: Vec<Token>,
    size: Option<usize>,
    files: &TokenizerFiles<'_>,
    added: fn(&str, bool) -> Token,
) -> Vec<Token> {
    let mut tokens = placeholders(size.unwrap_or(pieces.len()), -10_000.0);
    tokens.iter_mut().zip(pieces).for_each(|(token, piece)| *token = piece);
    let mut put = |id: usize, text: &str, special: bool| {
        if let Some(token) = tokens.get_mut(id) {
            *token = added(text, special);
        }
    };
    let settings = files.settings.get("added_tokens_decoder").and_then(Value::as_object);
    for (id, token) in settings.into_iter().flatten() {
        let special = token.get("special").and_then(Value::as_bool).unwrap_or(false);
        if let (Ok(id), Some(text)) = (id.parse(), token.get("content").and_then(Value::as_str)) {
            put(id, text, special);
        }
    }
    if settings.is_none() {
        files.added().for_each(|(id, text, special)| put(id, text, special));
    }
    tokens
}

/// Returns an added token in the way that Phi-3's files do it: the text is kept as it is spelled, and only the flag
/// makes it special.
fn added_as_is(text: &str, special: bool) -> Token {
    let kind = if special { TokenKind::Control } else { TokenKind::UserDefined };
    Token { text: text.to_string(), score: -1000.0, kind }
}

/// Returns an added token.
fn added(text: &str, special: bool) -> Token {
    let kind = if special || looks_special(text) { TokenKind::Control } else { TokenKind::UserDefined };
    // The text of an ordinary token is spelled with plain spaces.
    let text = if kind == TokenKind::Control { text.to_string() } else { text.replace('▁', " ") };
    Token { text, score: -1000.0, kind }
}

/// Whether a token is a control token by its looks: some files do not mark such tokens as special.
fn looks_special(text: &str) -> bool {
    let between = |start: &str, end: &str| text.starts_with(start) && text.ends_with(end);
    ["<pad>", "<mask>", "<2mass>", "[@BOS@]"].contains(&text)
        || between("<|", "|>")
        || between("<｜", "｜>")
        || between("<unused", ">")
}

/// Returns the tokens of `tokenizer.json` in the order of their ids, including added ones.
fn listed(files: &TokenizerFiles<'_>, size: Option<usize>) -> Result<Vec<Token>, LlmError> {
    let vocab = model_field(files, "vocab").and_then(Value::as_object);
    let vocab = vocab.ok_or_else(|| files.wrong("tokenizer.json has no byte-pair vocabulary"))?;
    let ids = || vocab.values().filter_map(Value::as_u64).chain(files.added().map(|(id, ..)| id as u64));
    let least = ids().max().map_or(0, |most| most as usize + 1);
    let size = size.unwrap_or(least);
    if least > size {
        return Err(files.wrong(format!("tokenizer.json names token {}, but there are {size}", least - 1)));
    }
    let mut tokens = placeholders(size, -1000.0);
    for (text, id) in vocab {
        if let Some(token) = id.as_u64().and_then(|id| tokens.get_mut(id as usize)) {
            *token = Token { text: text.clone(), score: -1000.0, kind: TokenKind::Normal };
        }
    }
    for (id, text, special) in files.added() {
        tokens[id] = added(text, special);
    }
    Ok(tokens)
}

/// Returns tokens that are spelled in bytes.
fn spelled(files: &TokenizerFiles<'_>, size: Option<usize>) -> Result<Vec<Token>, LlmError> {
    let kind = model_field(files, "type").and_then(Value::as_str).unwrap_or("BPE");
    if kind != "BPE" {
        return Err(files.wrong(format!("vocabularies of the kind {kind} cannot be written to GGUF")));
    }
    listed(files, size)
}

/// Returns SentencePiece tokens that are stored in `tokenizer.json`. Pairs are merged by score: the earlier a pair
/// was learned, the higher its score.
fn escaped(files: &TokenizerFiles<'_>, size: Option<usize>) -> Result<Vec<Token>, LlmError> {
    let mut tokens = listed(files, size)?;
    let rank = |(i, merge): (usize, String)| (merge.replacen(' ', "", 1), i);
    let mut ranks: HashMap<String, usize> = HashMap::new();
    for (text, i) in merges_of(files).into_iter().enumerate().map(rank) {
        ranks.entry(text).or_insert(i);
    }
    let unknown = model_field(files, "unk_token").and_then(Value::as_str);
    for token in &mut tokens {
        if Some(token.text.as_str()) == unknown {
            token.kind = TokenKind::Unknown;
        } else if token.kind == TokenKind::Normal {
            let is_byte = token.text.len() == 6 && token.text.starts_with("<0x") && token.text.ends_with('>');
            token.kind = if is_byte { TokenKind::Byte } else { TokenKind::Normal };
            token.score = ranks.get(&token.text).map_or(0.0, |&rank| -(rank as f32));
        }
    }
    Ok(tokens)
}

/// Returns the merges as two halves separated by a space; spaces inside of the halves are spelled as `Ġ`.
fn merges_of(files: &TokenizerFiles<'_>) -> Vec<String> {
    let list = model_field(files, "merges").and_then(Value::as_array);
    let merge = |merge: &Value| match merge {
        Value::String(text) => Some(text.clone()),
        Value::Array(pair) => {
            let half = |i: usize| Some(pair.get(i)?.as_str()?.replace(' ', "Ġ"));
            Some(format!("{} {}", half(0)?, half(1)?))
        }
        _ => None,
    };
    list.into_iter().flatten().filter_map(merge).collect()
}

fn known_pre(files: &TokenizerFiles<'_>) -> Result<String, LlmError> {
    let tokenizer = Tokenizer::open(files.folder).map_err(|e| files.wrong(e.to_string()))?;
    match pre_tokenizers::name(&tokenizer).map_err(|e| files.wrong(e.to_string()))? {
        Ok(name) => Ok(name.into()),
        Err(hash) => Err(files.wrong(format!(
            "the way its tokenizer splits texts into words is not recognized (its ids of the test text have the hash {hash}); if it is one of \
             {}, name it with --pre",
            rlx_tokenizer::pre_tokenizer_names().join(", ")
        ))),
    }
}
