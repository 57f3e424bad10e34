//! Tokenizers of language models: text to token ids and back.
//!
//! A [`Tokenizer`] is made from a folder with `tokenizer.json` or from the metadata of a GGUF file. Special tokens in a text are text unless
//! somebody asks for them, so that nobody ends a turn by writing how turns end; a [`Prompt`] says which parts of it are scaffolding.
//! [`TextStream`] gives text as tokens arrive, and never half a character.
//!
//! Owns which ids a text has, as the programs that models were trained with give them: the `tokenizers` library for `tokenizer.json`,
//! llama.cpp for GGUF. Knows nothing of models, templates or sampling.

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
