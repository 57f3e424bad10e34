//! Prompts: text that consists of scaffolding and of parts that somebody wrote.

use std::ops::Range;

/// A text in which special tokens count in some parts and are plain text in the others. Both kinds of parts are
/// tokenized together, so that the ids are those of the whole text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    text: Vec<u8>,
    /// The parts in which special tokens are plain text, in order.
    content: Vec<Range<usize>>,
}

impl Prompt {
    /// Creates an empty prompt.
    pub fn new() -> Self {
        Prompt::default()
    }

    /// Creates a prompt that is only scaffolding.
    pub fn scaffolding(text: impl AsRef<[u8]>) -> Self {
        let mut prompt = Prompt::new();
        prompt.push_scaffolding(text);
        prompt
    }

    /// Creates a prompt that is only content.
    pub fn content(text: impl AsRef<[u8]>) -> Self {
        let mut prompt = Prompt::new();
        prompt.push_content(text);
        prompt
    }

    /// Appends text in which special tokens count.
    pub fn push_scaffolding(&mut self, text: impl AsRef<[u8]>) {
        self.text.extend_from_slice(text.as_ref());
    }

    /// Appends text in which special tokens are plain text.
    pub fn push_content(&mut self, text: impl AsRef<[u8]>) {
        let start = self.text.len();
        self.text.extend_from_slice(text.as_ref());
        if start == self.text.len() {
            return;
        }
        match self.content.last_mut() {
            Some(last) if last.end == start => last.end = self.text.len(),
            _ => self.content.push(start..self.text.len()),
        }
    }

    /// Returns the text of all parts.
    pub fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// Returns the parts in which special tokens are plain text, in order.
    pub fn content_ranges(&self) -> &[Range<usize>] {
        &self.content
    }
}
