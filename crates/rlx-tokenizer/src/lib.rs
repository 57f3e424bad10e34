//! Tokenizers of language models: text to token ids and back.
//!
//! A [`Tokenizer`] is made from a folder with `tokenizer.json` or from the metadata of a GGUF file.
//! [`TextStream`] gives text as tokens arrive, and never half a character.
//!
//! **TOKEN-1**: special tokens in a text are text unless the caller asks for them, so nobody can end a turn by
//! writing the token that ends turns. A [`Prompt`] says which of its parts are scaffolding and which are
//! content. Both are tokenized together all the same, so the ids are those of the whole text.
//!
//! Ids are those of the programs that models were trained with: the `tokenizers` library for `tokenizer.json`,
//! llama.cpp for GGUF. `scripts/judge_tokenizers.py` compares all vocabularies in llama.cpp's sources, and
//! small ones that it trains, with both on 10,000 hard texts.
//!
//! This crate knows no models, templates or sampling.

mod added;
mod error;
mod gguf;
mod library;
mod prompt;
mod special;
mod stream;
mod tokenizer;

pub use error::TokenizerError;
pub use gguf::pre::names as pre_tokenizer_names;
pub use gguf::vocab::TokenKind;
pub use library::learn::{TEXT_END, learn_bpe};
pub use prompt::Prompt;
pub use special::SpecialTokens;
pub use stream::TextStream;
pub use tokenizer::{Encode, Tokenizer};
