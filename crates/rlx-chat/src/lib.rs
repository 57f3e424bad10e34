//! Chat templates: messages to prompts.
//!
//! A [`ChatTemplate`] renders a [`Conversation`] as `transformers` does. What people and tools wrote is marked in the [`Prompt`], so that special
//! tokens in it stay text. A template is a program from somewhere else: rendering one is bounded in time and memory.
//!
//! Owns where templates are found, what they may call, and in which form they are given what APIs say in several. Knows nothing of models.
//!
//! [`Prompt`]: rlx_tokenizer::Prompt

mod content;
mod conversation;
mod error;
mod jinja;
mod json;
mod probe;
mod source;
mod template;

pub use conversation::Conversation;
pub use error::ChatError;
pub use jinja::{Limits, Usage};
pub use json::Json;
pub use source::{TemplateSet, templates};
pub use template::{ChatTemplate, TokenNames};
