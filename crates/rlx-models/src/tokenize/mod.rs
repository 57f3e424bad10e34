//! Converts texts to tokens: applies a `tokenizer.json` with the `tokenizers` library, truncates to the model's input
//! length, and builds batches.
//!
//! This module guarantees that every id has an embedding, and that the time and memory for a text only depend on the
//! part of it that the model reads. It knows nothing about tensors beyond rows of numbers.

mod divide;
mod growth;
mod load;
mod trusted;

use std::path::PathBuf;
use std::sync::OnceLock;

use thiserror::Error;
use tokenizers::{
    Encoding, PaddingParams, PaddingStrategy, Tokenizer, TruncationDirection, TruncationParams,
};

use crate::fields::ConfigError;
use crate::files::FileError;
use divide::{Cuts, FIRST_PIECE};
use growth::Growth;

/// Why a tokenizer cannot be used, or cannot tokenize a text.
#[derive(Debug, Error)]
pub enum TokenizeError {
    /// A file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A setting cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// `tokenizer.json` is not a tokenizer.
    #[error("{}: not a tokenizer: {reason}", path.display())]
    NotATokenizer {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The tokenizer belongs to another model.
    #[error(
        "{}: the tokenizer does not fit the model: it has the token {token} with the id {id}, but config.json \
         says vocab_size = {vocab_size}",
        path.display()
    )]
    Vocabulary {
        /// The file.
        path: PathBuf,
        /// The token with the largest id, quoted.
        token: String,
        /// Its id.
        id: u32,
        /// Number of tokens that have an embedding.
        vocab_size: usize,
    },
    /// The special tokens leave no room for a text.
    #[error(
        "the longest input is {max_tokens} tokens, but the tokenizer itself adds {special} to every text"
    )]
    NoRoom {
        /// The maximum length of an input, in tokens.
        max_tokens: usize,
        /// Tokens that are added to every text.
        special: usize,
    },
    /// The tokenizer cannot be written.
    #[error("the tokenizer cannot be written: {reason}")]
    Unwritten {
        /// Why.
        reason: String,
    },
    /// The tokenizer failed on a text.
    #[error("the tokenizer failed on a text of {len} bytes: {reason}")]
    Text {
        /// The length of the text, in bytes.
        len: usize,
        /// Why.
        reason: String,
    },
}

/// The tokenizer of a sentence model.
#[derive(Debug, Clone)]
pub struct SentenceTokenizer {
    inner: Tokenizer,
    max_tokens: usize,
    /// The number of tokens that the tokenizer adds to every text.
    special: usize,
    pad: i32,
    token_types: usize,
    vocab_size: usize,
    prompt: String,
    /// Where long texts may be cut; determined when the first long text arrives.
    cuts: OnceLock<Option<Cuts>>,
    /// How much the tokenizer lengthens a text.
    growth: Growth,
}

/// The tokens of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// The ids of the tokens; not empty, and below `vocab_size`.
    pub ids: Vec<i32>,
    /// Their types, below `type_vocab_size`.
    pub types: Vec<i32>,
    /// Whether the text was truncated because it has more tokens than the model can read.
    pub cut: bool,
}

/// Texts as rows of a matrix, padded to the longest one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenBatch {
    /// The number of texts.
    pub rows: usize,
    /// The number of tokens of the longest text.
    pub width: usize,
    /// `[rows, width]`: the tokens, then the padding token.
    pub ids: Vec<i32>,
    /// `[rows, width]`: the types, then 0.
    pub types: Vec<i32>,
    /// `[rows, width]`: 1 for a token, 0 for padding.
    pub mask: Vec<i32>,
}

impl SentenceTokenizer {
    /// Returns the maximum length of an input, in tokens, including those that the tokenizer adds. Longer texts are
    /// truncated at their end.
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// Returns the tokenizer with its maximum input length reduced to `max_tokens`, if that is less than the current
    /// one.
    ///
    /// # Errors
    /// Returns [`TokenizeError::NoRoom`] if there would be no room for tokens of a text.
    pub fn with_max_tokens(mut self, max_tokens: usize) -> Result<Self, TokenizeError> {
        self.max_tokens = self.max_tokens.min(max_tokens);
        self.check_room()?;
        Ok(self)
    }

    /// Fails unless there is room for at least one token besides the special ones: a model that sees nothing of a
    /// text is a mistake.
    fn check_room(&self) -> Result<(), TokenizeError> {
        let (max_tokens, special) = (self.max_tokens, self.special);
        if max_tokens > special { Ok(()) } else { Err(TokenizeError::NoRoom { max_tokens, special }) }
    }

    /// Returns the tokens of one text. Even the empty text has tokens: those that are added to every text.
    ///
    /// # Errors
    /// Returns [`TokenizeError::Text`].
    pub fn row(&self, text: &str) -> Result<TokenRow, TokenizeError> {
        let whole;
        let text = if self.prompt.is_empty() {
            text
        } else {
            whole = format!("{}{text}", self.prompt);
            &whole
        };
        let fail = |reason: String| TokenizeError::Text { len: text.len(), reason };
        let (row, cut) = load::guarded(|| {
            let mut content = self.content(text)?;
            let cut = content.len() > self.room();
            content.truncate(self.room(), 0, TruncationDirection::Right);
            content.take_overflowing();
            let row = self.inner.post_process(content, None, true).map_err(|e| e.to_string())?;
            Ok((row, cut))
        })
        .map_err(fail)?;
        self.checked(&row, cut).ok_or_else(|| fail("it produced tokens that the model does not have".into()))
    }

    fn checked(&self, row: &Encoding, cut: bool) -> Option<TokenRow> {
        let within = |values: &[u32], bound: usize| {
            let known = values.iter().all(|v| (*v as usize) < bound);
            known.then(|| values.iter().map(|v| *v as i32).collect::<Vec<_>>())
        };
        let ids = within(row.get_ids(), self.vocab_size)?;
        let types = within(row.get_type_ids(), self.token_types)?;
        (!ids.is_empty() && ids.len() == types.len()).then_some(TokenRow { ids, types, cut })
    }

    /// Returns how many of a text's own tokens the model can read.
    fn room(&self) -> usize {
        self.max_tokens - self.special
    }

    /// Returns the tokens of the text itself. For a long text, these are the tokens of its beginning, more than the
    /// model can read if there are more.
    fn content(&self, text: &str) -> Result<Encoding, String> {
        let encode = |piece: &str| {
            self.growth.check(piece)?;
            self.inner.encode_fast(piece, false).map_err(|e| e.to_string())
        };
        if text.len() <= FIRST_PIECE {
            return encode(text);
        }
        let Some(cuts) = self.cuts.get_or_init(|| Cuts::of(&self.inner)) else { return encode(text) };
        let mut content = Encoding::default();
        for piece in cuts.pieces(&self.inner, text) {
            content.merge_with(encode(&piece)?, false);
            if content.len() > self.room() {
                break;
            }
        }
        Ok(content)
    }

    /// Returns the tokens of several texts as one batch.
    ///
    /// # Errors
    /// The same as [`row`](Self::row).
    pub fn batch<T: AsRef<str>>(&self, texts: &[T]) -> Result<TokenBatch, TokenizeError> {
        let rows = texts.iter().map(|t| self.row(t.as_ref())).collect::<Result<Vec<_>, _>>()?;
        Ok(self.pack(&rows, 0))
    }

    /// Returns a `tokenizer.json` with which the `tokenizers` library produces `width` tokens for each text, without
    /// further options. It does not include the prompt; long texts are truncated at their end, and short ones are
    /// padded.
    ///
    /// # Errors
    /// Returns [`TokenizeError::Unwritten`], or [`TokenizeError::NoRoom`] if `width` leaves no room for a text.
    pub fn to_json(&self, width: usize) -> Result<String, TokenizeError> {
        let unwritten = |e: tokenizers::Error| TokenizeError::Unwritten { reason: e.to_string() };
        let max_length = self.clone().with_max_tokens(width)?.max_tokens;
        let mut inner = self.inner.clone();
        inner
            .with_truncation(Some(TruncationParams { max_length, ..TruncationParams::default() }))
            .map_err(unwritten)?;
        let pad_id = self.pad.unsigned_abs();
        let pad_token = inner.id_to_token(pad_id).unwrap_or_default();
        let strategy = PaddingStrategy::Fixed(width);
        inner.with_padding(Some(PaddingParams { strategy, pad_id, pad_token, ..PaddingParams::default() }));
        inner.to_string(false).map_err(unwritten)
    }

    /// Returns the text that is put before every input.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Combines rows into one batch, as wide as the longest row and at least `width`.
    pub fn pack(&self, rows: &[TokenRow], width: usize) -> TokenBatch {
        let width = rows.iter().map(|r| r.ids.len()).max().unwrap_or(0).max(width);
        let mut batch = TokenBatch { rows: rows.len(), width, ids: vec![], types: vec![], mask: vec![] };
        for (i, row) in rows.iter().enumerate() {
            let end = (i + 1) * width;
            batch.ids.extend(&row.ids);
            batch.ids.resize(end, self.pad);
            batch.types.extend(&row.types);
            batch.types.resize(end, 0);
            batch.mask.resize(i * width + row.ids.len(), 1);
            batch.mask.resize(end, 0);
        }
        batch
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
