//! Tokenizers from `tokenizer.json`, with the `tokenizers` library.
//!
//! The library can find either all special tokens or none. Here, each part of a prompt says whether they count.
//! Everything after that (normalization, splitting into words, tokens, decoding) is done by the library.

pub(crate) mod learn;
mod settings;

use crate::added::{AddedToken, AddedTokens};
use crate::error::TokenizerError;
use crate::prompt::Prompt;
use crate::special::SpecialTokens;
use rlx_files::display::quoted;
use rlx_files::files::read_bounded;
use rlx_files::foreign;
use settings::TokenSettings;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use tokenizers::normalizer::Range;
use tokenizers::tokenizer::pre_tokenizer::Split;
use tokenizers::{
    Model, NormalizedString, Normalizer, OffsetReferential, OffsetType, PostProcessor, PreTokenizedString,
    PreTokenizer, Token,
};

/// The maximum size of a `tokenizer.json` that is read, in bytes.
const MAX_TOKENIZER: u64 = 256 << 20;

/// A tokenizer of the library.
#[derive(Clone, Debug)]
pub(crate) struct LibraryTokenizer {
    inner: tokenizers::Tokenizer,
    /// Added tokens that are found before a text is normalized, and those found after.
    added: [AddedTokens; 2],
    special: SpecialTokens,
    ends: [Vec<u32>; 2],
    len: usize,
}

impl LibraryTokenizer {
    pub(crate) fn load(folder: &Path) -> Result<Self, TokenizerError> {
        let path = folder.join("tokenizer.json");
        if !path.exists() {
            let reason = "the folder has no tokenizer.json".into();
            return Err(TokenizerError::Missing { path: folder.to_path_buf(), reason });
        }
        let bytes = read_bounded(&path, MAX_TOKENIZER)?;
        let settings = TokenSettings::load(folder)?;
        guarded(|| Self::new(&bytes, &settings)).map_err(|reason| match foreign::refused(&path, &bytes) {
            Some(foreign) => foreign.into(),
            None => not_a_tokenizer(path, &reason),
        })
    }

    pub(crate) fn from_json(text: &str, path: &Path) -> Result<Self, TokenizerError> {
        let settings = TokenSettings::default();
        guarded(|| Self::new(text.as_bytes(), &settings))
            .map_err(|reason| not_a_tokenizer(path.into(), &reason))
    }

    fn new(json: &[u8], settings: &TokenSettings) -> Result<Self, String> {
        let text = std::str::from_utf8(json).map_err(|e| e.to_string())?;
        let mut inner: tokenizers::Tokenizer = text.parse().map_err(|e: tokenizers::Error| e.to_string())?;
        inner.with_padding(None).with_truncation(None).map_err(|e| e.to_string())?;
        let added = [added_tokens(&inner, false)?, added_tokens(&inner, true)?];
        let largest = inner.get_vocab(true).into_values().max().ok_or("it has no tokens")?;
        let id = |name: &Option<String>| name.as_deref().and_then(|name| inner.token_to_id(name));
        let mut special = SpecialTokens {
            bos: id(&settings.bos),
            eos: id(&settings.eos),
            unknown: id(&settings.unknown),
            padding: id(&settings.padding),
            separator: id(&settings.separator),
            ends: Vec::new(),
        };
        special.find_ends(settings.ends.iter().copied().filter(|&id| id <= largest), |name| {
            added.iter().find_map(|tokens| tokens.special(name))
        });
        let ends = ends(&inner, settings, &special)?;
        Ok(LibraryTokenizer { inner, added, special, ends, len: largest as usize + 1 })
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn special(&self) -> &SpecialTokens {
        &self.special
    }

    pub(crate) fn ends(&self) -> [&[u32]; 2] {
        [&self.ends[0], &self.ends[1]]
    }

    pub(crate) fn special_id(&self, name: &str) -> Option<u32> {
        self.added.iter().find_map(|tokens| tokens.special(name))
    }

    pub(crate) fn special_names(&self) -> Vec<String> {
        self.added.iter().flat_map(AddedTokens::special_names).collect()
    }

    pub(crate) fn encode(&self, prompt: &Prompt, ids: &mut Vec<u32>) -> Result<(), TokenizerError> {
        let len = prompt.bytes().len();
        guarded(|| self.encode_guarded(prompt, ids)).map_err(|reason| TokenizerError::Text { len, reason })
    }

    fn encode_guarded(&self, prompt: &Prompt, ids: &mut Vec<u32>) -> Result<(), String> {
        let (text, content) = valid(prompt);
        let error = |e: tokenizers::Error| e.to_string();
        let [raw, normalized] = &self.added;
        let mut pieces = PreTokenizedString::from(text.as_str());
        pieces.split(|_, piece| Ok(cut(&piece, raw, &content))).map_err(error)?;
        if let Some(normalizer) = self.inner.get_normalizer() {
            pieces.normalize(|piece| normalizer.normalize(piece)).map_err(error)?;
        }
        pieces
            .split(|_, piece| Ok(cut_normalized(&piece, normalized, !content.is_empty())))
            .map_err(error)?;
        if let Some(words) = self.inner.get_pre_tokenizer() {
            words.pre_tokenize(&mut pieces).map_err(error)?;
        }
        let model = self.inner.get_model();
        pieces.tokenize(|word| model.tokenize(word.get())).map_err(error)?;
        for (_, _, tokens) in pieces.get_splits(OffsetReferential::Original, OffsetType::None) {
            ids.extend(tokens.iter().flatten().map(|token| token.id));
        }
        Ok(())
    }

    pub(crate) fn decode(&self, ids: &[u32], special: bool) -> Result<Vec<u8>, TokenizerError> {
        let decoded = guarded(|| self.inner.decode(ids, !special).map_err(|e| e.to_string()));
        decoded.map(String::into_bytes).map_err(|reason| TokenizerError::Text { len: ids.len(), reason })
    }
}

/// Returns the prompt as UTF-8 with U+FFFD for invalid bytes, and the ranges of its content in that text.
fn valid(prompt: &Prompt) -> (String, Vec<std::ops::Range<usize>>) {
    let bytes = prompt.bytes();
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (text.to_string(), prompt.content_ranges().to_vec());
    }
    let mut text = String::new();
    let mut at = 0;
    let content = prompt.content_ranges().iter().map(|range| {
        text.push_str(&String::from_utf8_lossy(&bytes[at..range.start]));
        let start = text.len();
        text.push_str(&String::from_utf8_lossy(&bytes[range.clone()]));
        at = range.end;
        start..text.len()
    });
    let content = content.collect();
    text.push_str(&String::from_utf8_lossy(&bytes[at..]));
    (text, content)
}

/// Splits a piece of text into the added tokens in it and the text in between.
fn cut(piece: &NormalizedString, added: &AddedTokens, content: &[std::ops::Range<usize>]) -> Vec<Split> {
    let parts = added.parts(piece.get().as_bytes(), content);
    let split = |part: crate::added::TextPart| {
        let text = piece.slice(Range::Normalized(part.range))?;
        let tokens = part.token.map(|id| {
            let (value, len) = (text.get().to_string(), text.get().len());
            vec![Token::new(id, value, (0, len))]
        });
        Some((text, tokens).into())
    };
    parts.into_iter().filter_map(split).collect()
}

/// Does the same as [`cut`] for tokens that are found in normalized text. If any part of a prompt is content, special
/// tokens among them never count, since the positions of content are not known after normalization.
fn cut_normalized(piece: &NormalizedString, added: &AddedTokens, any_content: bool) -> Vec<Split> {
    let all = 0..piece.get().len();
    cut(piece, added, if any_content { std::slice::from_ref(&all) } else { &[] })
}

/// Catches panics. The library asserts some properties of a file instead of checking them, and a file must not end
/// the process.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err("the tokenizers library panicked on it".into()))
}

fn not_a_tokenizer(path: PathBuf, reason: &str) -> TokenizerError {
    TokenizerError::NotATokenizer { path, reason: quoted(reason) }
}

/// Returns the added tokens that are found in normalized text, or those that are found in the original text.
fn added_tokens(inner: &tokenizers::Tokenizer, normalized: bool) -> Result<AddedTokens, String> {
    let mut tokens = Vec::new();
    for (id, token) in inner.get_added_tokens_decoder() {
        if token.normalized != normalized {
            continue;
        }
        let mut text = NormalizedString::from(token.content.as_str());
        if let Some(normalizer) = inner.get_normalizer().filter(|_| normalized) {
            normalizer.normalize(&mut text).map_err(|e| e.to_string())?;
        }
        tokens.push(AddedToken {
            id,
            text: text.get().as_bytes().to_vec(),
            special: token.special,
            strips: [token.lstrip, token.rstrip],
            whole_word: token.single_word,
        });
    }
    tokens.sort_by_key(|token| token.id);
    AddedTokens::new(tokens)
}

/// Returns the tokens at both ends of a sequence: those that the library adds, and the beginning and the end that
/// settings ask for.
fn ends(
    inner: &tokenizers::Tokenizer,
    settings: &TokenSettings,
    special: &SpecialTokens,
) -> Result<[Vec<u32>; 2], String> {
    const PROBE: &str = "x";
    let mut ends = [Vec::new(), Vec::new()];
    if let Some(processor) = inner.get_post_processor() {
        let alone = inner.encode_fast(PROBE, false).map_err(|e| e.to_string())?;
        let count = alone.len();
        let whole = processor.process(alone, None, true).map_err(|e| e.to_string())?;
        let mask = whole.get_special_tokens_mask();
        let front = mask.iter().take_while(|&&special| special == 1).count().min(whole.len() - count);
        ends = [whole.get_ids()[..front].to_vec(), whole.get_ids()[front + count..].to_vec()];
    }
    let [front, back] = &mut ends;
    match (settings.add_bos, special.bos) {
        (Some(true), Some(bos)) if front.first() != Some(&bos) => front.insert(0, bos),
        (Some(false), Some(bos)) => front.retain(|id| *id != bos),
        _ => {}
    }
    match (settings.add_eos, special.eos) {
        (Some(true), Some(eos)) if back.last() != Some(&eos) => back.push(eos),
        (Some(false), Some(eos)) => back.retain(|id| *id != eos),
        _ => {}
    }
    Ok(ends)
}
