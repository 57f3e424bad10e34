//! Tokenizers from the metadata of a GGUF file, with the same results as in llama.cpp.

mod bpe;
mod library;
mod load;
mod merge;
pub(crate) mod pre;
mod spm;
pub(crate) mod vocab;

use crate::added::AddedTokens;
use crate::error::TokenizerError;
use crate::prompt::Prompt;
use crate::special::SpecialTokens;
use bpe::Bpe;
use library::LibraryModel;
use spm::Spm;
use std::borrow::Cow;
use vocab::Vocab;

/// The tokenizer of a GGUF file.
#[derive(Clone, Debug)]
pub(crate) struct GgufTokenizer {
    vocab: Vocab,
    added: AddedTokens,
    algorithm: Algorithm,
    special: SpecialTokens,
    ends: [Vec<u32>; 2],
    /// Whether an additional space is put before a text.
    space_prefix: bool,
}

/// How text between special tokens is split into tokens.
#[derive(Clone, Debug)]
enum Algorithm {
    /// Merges pairs in the order in which they were learned (`gpt2`).
    Bpe(Box<Bpe>),
    /// SentencePiece: merges pairs by the score of the result (`llama`).
    Spm(Spm),
    /// Models that the `tokenizers` library implements: the most likely sequence of pieces (`t5`), and the longest
    /// pieces of words (`bert`).
    Library(Box<LibraryModel>),
}

impl GgufTokenizer {
    pub(crate) fn len(&self) -> usize {
        self.vocab.len()
    }

    pub(crate) fn special(&self) -> &SpecialTokens {
        &self.special
    }

    pub(crate) fn ends(&self) -> [&[u32]; 2] {
        [&self.ends[0], &self.ends[1]]
    }

    pub(crate) fn special_id(&self, name: &str) -> Option<u32> {
        self.added.special(name)
    }

    pub(crate) fn special_names(&self) -> Vec<String> {
        self.added.special_names().collect()
    }

    pub(crate) fn encode(&self, prompt: &Prompt, ids: &mut Vec<u32>) -> Result<(), TokenizerError> {
        let text = prompt.bytes();
        // Text after a special token is treated like the beginning of a text.
        let mut begins = true;
        for part in self.added.parts(text, prompt.content_ranges()) {
            if let Some(id) = part.token {
                ids.push(id);
                begins = true;
                continue;
            }
            let piece = &text[part.range];
            match &self.algorithm {
                Algorithm::Bpe(bpe) => bpe.encode(&valid(piece), &self.vocab, ids),
                Algorithm::Spm(spm) => spm.encode(piece, self.space_prefix && begins, &self.vocab, ids),
                Algorithm::Library(model) => model.encode(&valid(piece), ids)?,
            }
            begins = false;
        }
        Ok(())
    }

    pub(crate) fn decode(&self, ids: &[u32], special: bool) -> Vec<u8> {
        let mut text = Vec::new();
        for (i, &id) in ids.iter().enumerate() {
            if !special && self.vocab.kind(id).is_special() {
                continue;
            }
            let piece = self.vocab.piece(id);
            // The additional space before a text is not part of it.
            let begins = i == 0
                || (i == 1 && Some(ids[0]) == self.special.bos && self.ends[0].first() == Some(&ids[0]));
            let cut = begins && self.space_prefix && !self.vocab.kind(id).is_special();
            text.extend_from_slice(piece.strip_prefix(b" ").filter(|_| cut).unwrap_or(piece));
        }
        text
    }
}

/// Returns the text as UTF-8 with U+FFFD for each invalid byte, as in llama.cpp.
fn valid(text: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(text) {
        Ok(text) => text.into(),
        Err(_) => {
            let chunks = text.utf8_chunks();
            chunks
                .map(|c| c.valid().to_string() + &"\u{FFFD}".repeat(c.invalid().len()))
                .collect::<String>()
                .into()
        }
    }
}
