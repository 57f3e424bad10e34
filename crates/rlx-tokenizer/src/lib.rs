//! Tokenizers of language models, which convert text to token ids and back.
//!
//! A [`Tokenizer`] is made from a folder with `tokenizer.json` or from the metadata of a GGUF file. [`TextStream`]
//! returns text as tokens arrive, and never a part of a character.
//!
//! **TOKEN-1**: special tokens in a text are plain text unless the caller asks for them, so nobody can end a turn by
//! writing the token that ends turns. A [`Prompt`] says which of its parts are scaffolding and which are content.
//! Both are still tokenized together, so the ids are those of the whole text.
//!
//! The ids are those of the programs that models were trained with: the `tokenizers` library for `tokenizer.json`,
//! and llama.cpp for GGUF. `scripts/judge_tokenizers.py` compares all vocabularies in llama.cpp's sources, and small
//! ones that it trains, with both programs on 10,000 difficult texts.
//!
//! This crate knows nothing about models, templates or sampling.

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
