//! Long texts in pieces. Where the tokens of a text are those of its pieces in a row, only its beginning needs to
//! be looked at, and memory is that of a piece.
//!
//! A cut is exact only after a character that ends a word whatever follows, for a tokenizer that normalises
//! character by character and treats words one by one. Everything else is tokenized whole.

use std::collections::HashSet;

use tokenizers::models::ModelWrapper;
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::{PreTokenizerWrapper, Tokenizer};

/// Length of the first piece and of the largest, in bytes. Pieces are longer where no cut is to be found.
pub(super) const FIRST_PIECE: usize = 4096;
const LARGEST_PIECE: usize = 1 << 16;

/// After which characters a text may be cut.
#[derive(Debug, Clone)]
pub(super) struct Cuts {
    /// ASCII punctuation stands alone.
    punctuation: bool,
    /// CJK ideographs stand alone.
    ideographs: bool,
    /// Characters of added tokens, which are found before words are.
    reserved: HashSet<char>,
}

impl Cuts {
    /// The cuts that are exact for this tokenizer, if any are.
    pub(super) fn of(tokenizer: &Tokenizer) -> Option<Self> {
        let added = tokenizer.get_added_tokens_decoder();
        // Whether a single-word token is found depends on the characters at its sides.
        if added.values().any(|token| token.single_word) {
            return None;
        }
        if !matches!(tokenizer.get_model(), ModelWrapper::WordPiece(_) | ModelWrapper::WordLevel(_)) {
            return None;
        }
        let normalizer = tokenizer.get_normalizer();
        if !normalizer.is_none_or(by_character) {
            return None;
        }
        let punctuation = match tokenizer.get_pre_tokenizer()? {
            PreTokenizerWrapper::BertPreTokenizer(_) => true,
            PreTokenizerWrapper::Whitespace(_) | PreTokenizerWrapper::WhitespaceSplit(_) => false,
            _ => return None,
        };
        let ideographs = normalizer.is_some_and(parts_ideographs);
        let reserved = added.values().flat_map(|token| token.content.chars()).collect();
        Some(Cuts { punctuation, ideographs, reserved })
    }

    fn may_follow(&self, c: char) -> bool {
        let ends_word = match c {
            // Other white space may be removed as a control character before words are found.
            ' ' | '\t' | '\n' | '\r' => true,
            '\u{4e00}'..='\u{9fff}' => self.ideographs,
            _ => self.punctuation && c.is_ascii_punctuation(),
        };
        ends_word && !self.reserved.contains(&c)
    }

    /// The pieces of `text`, in order; together they are the text.
    pub(super) fn pieces<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        let (mut rest, mut size) = (text, FIRST_PIECE);
        std::iter::from_fn(move || {
            let (piece, tail) = self.cut(rest, size);
            (rest, size) = (tail, (2 * size).min(LARGEST_PIECE));
            (!piece.is_empty()).then_some(piece)
        })
    }

    /// Cuts at the first place past `size` bytes.
    fn cut<'t>(&self, text: &'t str, size: usize) -> (&'t str, &'t str) {
        let start = (size..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        let (head, tail) = text.split_at(start);
        match tail.char_indices().find(|(_, c)| self.may_follow(*c)) {
            Some((at, c)) => text.split_at(head.len() + at + c.len_utf8()),
            None => (text, ""),
        }
    }
}

/// Whether the normaliser treats every character, or every mark with what it stands on, for itself.
fn by_character(normalizer: &NormalizerWrapper) -> bool {
    match normalizer {
        NormalizerWrapper::BertNormalizer(_) | NormalizerWrapper::Lowercase(_) => true,
        NormalizerWrapper::Sequence(steps) => AsRef::<[_]>::as_ref(steps).iter().all(by_character),
        _ => false,
    }
}

fn parts_ideographs(normalizer: &NormalizerWrapper) -> bool {
    match normalizer {
        NormalizerWrapper::BertNormalizer(n) => n.handle_chinese_chars,
        NormalizerWrapper::Sequence(steps) => AsRef::<[_]>::as_ref(steps).iter().any(parts_ideographs),
        _ => false,
    }
}
