//! Chat templates, which turn a conversation into a prompt.
//!
//! A [`ChatTemplate`] renders a [`Conversation`] as `transformers` does. Text written by people and tools is marked
//! in the [`Prompt`], so that special tokens in it remain plain text. A template is a program of unknown origin, so
//! rendering has limits on time and memory.
//!
//! This crate defines where templates are found, what they can call, and the one form in which they receive messages
//! and tools, which APIs express in different ways. It knows nothing about models. `scripts/judge_templates.py`
//! compares the prompts of every template in llama.cpp's sources with those of `transformers`;
//! `scripts/judge_template_language.py` does the same with 20,000 small templates.
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
