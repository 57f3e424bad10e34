//! GGUF vocabularies whose algorithm the `tokenizers` library implements: unigram models and WordPiece.

use crate::error::TokenizerError;
use serde_json::{Value, json};
use tokenizers::Tokenizer;

/// A tokenizer of the library, made from the keys of a file. It has no added tokens.
#[derive(Clone, Debug)]
pub(super) struct LibraryModel(Tokenizer);

/// The maximum number of characters in a word that WordPiece looks up; longer words are unknown.
const LONGEST_WORD: usize = 100;

impl LibraryModel {
    /// Makes a unigram model: the most likely sequence of pieces, each of which has a probability (`t5`).
    ///
    /// # Errors
    /// Returns the library's error about the parts.
    pub(super) fn unigram(
        pieces: Vec<(String, f64)>,
        unknown: Option<u32>,
        charsmap: Option<&[u8]>,
        space_prefix: bool,
        merges_spaces: bool,
    ) -> Result<Self, String> {
        let mut steps = Vec::new();
        steps.extend(charsmap.map(|map| json!({"type": "Precompiled", "precompiled_charsmap": base64(map)})));
        if merges_spaces {
            steps.push(json!({"type": "Strip", "strip_left": true, "strip_right": true}));
            steps.push(json!({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}));
        }
        let prepend = if space_prefix { "always" } else { "never" };
        LibraryModel::parse(json!({
            "normalizer": {"type": "Sequence", "normalizers": steps},
            "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": prepend, "split": true},
            "model": {"type": "Unigram", "unk_id": unknown, "vocab": pieces},
        }))
    }

    /// Makes a model that splits words into the longest pieces from their beginning (`bert`).
    ///
    /// # Errors
    /// Returns the library's error about the parts.
    pub(super) fn word_piece(
        pieces: serde_json::Map<String, Value>,
        unknown: &str,
        lowercase: bool,
        strip_accents: bool,
    ) -> Result<Self, String> {
        LibraryModel::parse(json!({
            "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                "strip_accents": strip_accents, "lowercase": lowercase},
            "pre_tokenizer": {"type": "BertPreTokenizer"},
            "model": {"type": "WordPiece", "unk_token": unknown, "continuing_subword_prefix": "##",
                "max_input_chars_per_word": LONGEST_WORD, "vocab": pieces},
        }))
    }

    fn parse(tokenizer: Value) -> Result<Self, String> {
        let parsed: Result<Tokenizer, _> = tokenizer.to_string().parse();
        parsed.map(LibraryModel).map_err(|e| e.to_string())
    }

    pub(super) fn encode(&self, text: &str, ids: &mut Vec<u32>) -> Result<(), TokenizerError> {
        let failed = |e: tokenizers::Error| TokenizerError::Text { len: text.len(), reason: e.to_string() };
        ids.extend(self.0.encode_fast(text, false).map_err(failed)?.get_ids());
        Ok(())
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = char::from(DIGITS[(bits >> (18 - 6 * i)) as usize & 63]);
            out.push(if i <= chunk.len() { digit } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn base_64_is_that_of_the_standard() {
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (len, expected) in expected.into_iter().enumerate() {
            assert_eq!(super::base64(&b"foobar"[..len]), expected);
        }
    }
}
