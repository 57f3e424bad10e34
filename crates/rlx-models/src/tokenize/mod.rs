//! Text to tokens: `tokenizer.json` by the `tokenizers` library, truncated to the model's longest input, in
//! batches. Owns the bounds (every id has an embedding, the time and memory that a text takes are those of its
//! beginning); knows nothing of tensors beyond rows of numbers.

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

/// Why there is no tokenizer, or why it cannot take a text.
#[derive(Debug, Error)]
pub enum TokenizeError {
    /// A file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A setting cannot be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// `tokenizer.json` is not one.
    #[error("{}: not a tokenizer: {reason}", path.display())]
    NotATokenizer {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The tokenizer is of another model.
    #[error(
        "{}: the tokenizer does not fit the model: it has the token {token} with the number {id}, and config.json \
         says vocab_size = {vocab_size}",
        path.display()
    )]
    Vocabulary {
        /// The file.
        path: PathBuf,
        /// The token with the largest number, quoted.
        token: String,
        /// Its number.
        id: u32,
        /// Number of tokens that have an embedding.
        vocab_size: usize,
    },
    /// Not even the special tokens fit.
    #[error(
        "the longest input is {max_tokens} tokens, and the tokenizer itself adds {special} to every text"
    )]
    NoRoom {
        /// Longest input in tokens.
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
    /// The tokenizer refused a text.
    #[error("the tokenizer failed on a text of {len} bytes: {reason}")]
    Text {
        /// Length of the text.
        len: usize,
        /// Why.
        reason: String,
    },
}

/// The tokenizer of a model of sentences.
#[derive(Debug, Clone)]
pub struct SentenceTokenizer {
    inner: Tokenizer,
    max_tokens: usize,
    /// Tokens that the tokenizer adds to every text.
    special: usize,
    pad: i32,
    token_types: usize,
    vocab_size: usize,
    prompt: String,
    /// Where long texts may be cut, once there was one.
    cuts: OnceLock<Option<Cuts>>,
    /// How much it makes of a text.
    growth: Growth,
}

/// The tokens of one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenRow {
    /// Numbers of the tokens; not empty, and below `vocab_size`.
    pub ids: Vec<i32>,
    /// Their types; below `type_vocab_size`.
    pub types: Vec<i32>,
    /// Whether the text has more tokens than the model takes, so that its end is left out.
    pub cut: bool,
}

/// Texts as the rows of a matrix, filled up to the longest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenBatch {
    /// Number of texts.
    pub rows: usize,
    /// Tokens of the longest.
    pub width: usize,
    /// `[rows, width]`: the tokens, then the padding token.
    pub ids: Vec<i32>,
    /// `[rows, width]`: the types, then 0.
    pub types: Vec<i32>,
    /// `[rows, width]`: 1 for a token, 0 for padding.
    pub mask: Vec<i32>,
}

impl SentenceTokenizer {
    /// Longest input in tokens, with those that the tokenizer adds itself. Longer texts are cut at their end.
    pub fn max_tokens(&self) -> usize {
        self.max_tokens
    }

    /// The tokenizer for inputs of at most so many tokens, where that is less than it takes now.
    ///
    /// # Errors
    /// [`TokenizeError::NoRoom`] where no token of a text would be left.
    pub fn with_max_tokens(mut self, max_tokens: usize) -> Result<Self, TokenizeError> {
        self.max_tokens = self.max_tokens.min(max_tokens);
        self.check_room()?;
        Ok(self)
    }

    /// One more than the special tokens: a model of which no text is seen is a mistake.
    fn check_room(&self) -> Result<(), TokenizeError> {
        let (max_tokens, special) = (self.max_tokens, self.special);
        if max_tokens > special { Ok(()) } else { Err(TokenizeError::NoRoom { max_tokens, special }) }
    }

    /// The tokens of one text. The empty text has tokens too: those that are added to every text.
    ///
    /// # Errors
    /// [`TokenizeError::Text`].
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
        self.checked(&row, cut).ok_or_else(|| fail("it made tokens that the model does not have".into()))
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

    /// Tokens of a text itself that the model takes.
    fn room(&self) -> usize {
        self.max_tokens - self.special
    }

    /// The tokens of the text itself; for a long text those of its beginning, more than are used where there are more.
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

    /// The tokens of several texts as one batch.
    ///
    /// # Errors
    /// As [`row`](Self::row).
    pub fn batch<T: AsRef<str>>(&self, texts: &[T]) -> Result<TokenBatch, TokenizeError> {
        let rows = texts.iter().map(|t| self.row(t.as_ref())).collect::<Result<Vec<_>, _>>()?;
        Ok(self.pack(&rows, 0))
    }

    /// The text of a `tokenizer.json` by which the `tokenizers` library alone gives each text `width` tokens: the prompt is not part of it,
    /// long texts are cut at their end, and short ones are filled up.
    ///
    /// # Errors
    /// [`TokenizeError::Unwritten`]; [`TokenizeError::NoRoom`] where `width` leaves none for a text.
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

    /// What stands before every text.
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    /// Rows as one batch, as wide as the longest and at least `width`.
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
