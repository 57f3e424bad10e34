//! Chat templates: they turn a conversation into a prompt.
//!
//! A [`ChatTemplate`] renders a [`Conversation`] as `transformers` does. What people and tools wrote is marked
//! in the [`Prompt`], so that special tokens in it stay text. A template is a program of unknown origin, so
//! rendering is bounded in time and memory.
//!
//! This crate owns where templates are found, what they may call, and the form in which they get what APIs
//! express in several ways. It knows no models. `scripts/judge_templates.py` renders every template in
//! llama.cpp's sources here and there; `scripts/judge_template_language.py` does the same with 20,000 small
//! ones.
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
