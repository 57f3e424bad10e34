//! Reads a tokenizer and checks it against the model next to it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::OnceLock;

use serde_json::Value;
use tokenizers::models::ModelWrapper;
use tokenizers::normalizers::{BertNormalizer, Lowercase, NormalizerWrapper, Sequence};
use tokenizers::{PostProcessor, Tokenizer};

use super::growth::Growth;
use super::trusted::{check_templates, check_text};
use super::{SentenceTokenizer, TokenizeError};
use crate::bert::BertConfig;
use crate::display::quoted;
use crate::fields::{ConfigError, Fields};
use crate::files::read_bounded;
use crate::foreign;
use crate::sentence::SentenceConfig;

/// The maximum size of a `tokenizer.json` that is read, in bytes.
const MAX_TOKENIZER: u64 = 64 << 20;
/// The maximum number of characters in a word that is split into tokens. The time for splitting is quadratic in the
/// length of the word.
const MAX_WORD: usize = 1000;

impl SentenceTokenizer {
    /// Reads `tokenizer.json` and `tokenizer_config.json` in the encoder's folder.
    ///
    /// The maximum input length is the one in the settings for sentences, or otherwise the smaller one of those of
    /// the tokenizer and of the encoder. Like sentence-transformers, it ignores truncation and padding in
    /// `tokenizer.json` itself.
    ///
    /// # Errors
    /// Returns a [`TokenizeError`] that names the file. It is also an error if the tokenizer's settings contradict
    /// each other or those of the encoder.
    pub fn load(encoder: &BertConfig, sentence: &SentenceConfig) -> Result<Self, TokenizeError> {
        let path = sentence.encoder.join("tokenizer.json");
        let bytes = read_bounded(&path, MAX_TOKENIZER)?;
        let mut inner = parse(&path, &bytes)?;
        let settings = Fields::load_if_present(&sentence.encoder.join("tokenizer_config.json"))?;
        if let Some(settings) = &settings {
            check_settings(&path, &inner, settings)?;
        }
        check_vocabulary(&path, &inner, encoder)?;
        if sentence.lowercase && !inner.get_normalizer().is_some_and(lowers) {
            lowercase_first(&mut inner).map_err(|reason| not_a_tokenizer(&path, reason))?;
        }
        let max_tokens = max_tokens(encoder, sentence, settings.as_ref())?;
        let special = inner.get_post_processor().map_or(0, |p| p.added_tokens(false));
        let growth = Growth::of(&inner).map_err(|reason| not_a_tokenizer(&path, reason))?;
        let tokenizer = SentenceTokenizer {
            cuts: OnceLock::new(),
            growth,
            inner,
            max_tokens,
            special,
            pad: encoder.pad_token as i32,
            token_types: encoder.token_types,
            vocab_size: encoder.vocab_size,
            prompt: sentence.prompt.clone(),
        };
        tokenizer.check_room()?;
        tokenizer.probe(&path)?;
        Ok(tokenizer)
    }

    /// Tokenizes a short text, so that a broken tokenizer fails when it is loaded.
    fn probe(&self, path: &Path) -> Result<(), TokenizeError> {
        for text in ["", "Probe: ü 語 🙂 123"] {
            let row = self.row(text).map_err(|e| e.to_string());
            row.map_err(|reason| not_a_tokenizer(path, reason))?;
        }
        Ok(())
    }
}

fn not_a_tokenizer(path: &Path, reason: String) -> TokenizeError {
    TokenizeError::NotATokenizer { path: path.to_path_buf(), reason: quoted(&reason) }
}

/// Catches panics. The library asserts some properties of a file instead of checking them, and a file must not end
/// the process.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err("the tokenizers library panicked on it".into()))
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Tokenizer, TokenizeError> {
    let parsed = guarded(|| {
        let text = std::str::from_utf8(bytes).map_err(|e| e.to_string())?;
        if text.trim().is_empty() {
            return Err("it is empty".into());
        }
        check_text(text)?;
        // `Tokenizer::from_bytes` is generic, and would be compiled once more here with all readers of its parts.
        let mut inner: Tokenizer = text.parse().map_err(|e: tokenizers::Error| e.to_string())?;
        inner.with_padding(None).with_truncation(None).map_err(|e| e.to_string())?;
        if let ModelWrapper::WordPiece(model) = inner.get_model()
            && model.max_input_chars_per_word > MAX_WORD
        {
            let said = model.max_input_chars_per_word;
            return Err(format!("max_input_chars_per_word = {said}: at most {MAX_WORD} is supported"));
        }
        check_templates(&serde_json::to_value(inner.get_post_processor()).map_err(|e| e.to_string())?)?;
        Ok(inner)
    });
    parsed.map_err(|reason| {
        foreign::refused(path, bytes).map_or_else(|| not_a_tokenizer(path, reason), TokenizeError::File)
    })
}

/// Checks that every token has an embedding.
fn check_vocabulary(path: &Path, inner: &Tokenizer, encoder: &BertConfig) -> Result<(), TokenizeError> {
    let largest = inner.get_vocab(true).into_iter().max_by_key(|(_, id)| *id);
    match largest {
        Some((token, id)) if id as usize >= encoder.vocab_size => Err(TokenizeError::Vocabulary {
            path: path.to_path_buf(),
            token: quoted(&token),
            id,
            vocab_size: encoder.vocab_size,
        }),
        _ => Ok(()),
    }
}

/// Checks that settings next to the tokenizer that would change its result agree with it.
fn check_settings(path: &Path, inner: &Tokenizer, f: &Fields) -> Result<(), ConfigError> {
    for field in ["padding_side", "truncation_side"] {
        f.only(field, &serde_json::json!("right"), "only the right side is supported")?;
    }
    let class = f.text("tokenizer_class")?.unwrap_or("BertTokenizer");
    let (true, Some(NormalizerWrapper::BertNormalizer(own))) =
        (matches!(class, "BertTokenizer" | "BertTokenizerFast"), inner.get_normalizer())
    else {
        return Ok(());
    };
    // The Python class builds its normalizer from these three settings and ignores the one in the file.
    let chinese = f.flag("tokenize_chinese_chars")?.unwrap_or(true);
    let lower = f.flag("do_lower_case")?.unwrap_or(true);
    let stated = BertNormalizer::new(true, chinese, f.flag("strip_accents")?, lower);
    let effects = |n: &BertNormalizer| {
        (n.clean_text, n.handle_chinese_chars, n.strip_accents.unwrap_or(n.lowercase), n.lowercase)
    };
    if effects(own) == effects(&stated) {
        return Ok(());
    }
    Err(ConfigError::Contradiction {
        path: path.to_path_buf(),
        other: f.path().to_path_buf(),
        problem: format!(
            "the normalizer is {own:?}; do_lower_case, strip_accents and tokenize_chinese_chars make it {stated:?}"
        ),
    })
}

fn max_tokens(
    encoder: &BertConfig,
    sentence: &SentenceConfig,
    settings: Option<&Fields>,
) -> Result<usize, ConfigError> {
    if let Some(max) = sentence.max_tokens {
        if max <= encoder.max_positions {
            return Ok(max);
        }
        let path = sentence.encoder.join("sentence_bert_config.json");
        let f = Fields::load(&path)?;
        let problem = format!("config.json says max_position_embeddings = {}", encoder.max_positions);
        return Err(f.wrong("max_seq_length", problem));
    }
    // "No limit" is written as a number close to 1e30.
    let stated = settings.and_then(|f| f.get("model_max_length")).and_then(Value::as_f64);
    Ok(stated.map_or(encoder.max_positions, |max| (max as usize).min(encoder.max_positions)))
}

fn lowers(normalizer: &NormalizerWrapper) -> bool {
    match normalizer {
        NormalizerWrapper::Lowercase(_) => true,
        NormalizerWrapper::BertNormalizer(n) => n.lowercase,
        NormalizerWrapper::Sequence(s) => AsRef::<[_]>::as_ref(s).iter().any(lowers),
        _ => false,
    }
}

fn lowercase_first(inner: &mut Tokenizer) -> Result<(), String> {
    let mut steps = vec![NormalizerWrapper::Lowercase(Lowercase)];
    steps.extend(inner.get_normalizer().cloned());
    inner.with_normalizer(Some(Sequence::new(steps))).map_err(|e| e.to_string())?;
    Ok(())
}
