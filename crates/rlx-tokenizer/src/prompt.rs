//! Prompts: text with parts that are scaffolding and parts that somebody wrote.

use std::ops::Range;

/// A text in which special tokens count in some parts and are plain text in the others. Both kinds are tokenized together, so that
/// ids are those of the text as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    text: Vec<u8>,
    /// Parts in which special tokens are text, in order.
    content: Vec<Range<usize>>,
}

impl Prompt {
    /// An empty prompt.
    pub fn new() -> Self {
        Prompt::default()
    }

    /// A prompt of scaffolding alone.
    pub fn scaffolding(text: impl AsRef<[u8]>) -> Self {
        let mut prompt = Prompt::new();
        prompt.push_scaffolding(text);
        prompt
    }

    /// A prompt of content alone.
    pub fn content(text: impl AsRef<[u8]>) -> Self {
        let mut prompt = Prompt::new();
        prompt.push_content(text);
        prompt
    }

    /// Appends text in which special tokens count.
    pub fn push_scaffolding(&mut self, text: impl AsRef<[u8]>) {
        self.text.extend_from_slice(text.as_ref());
    }

    /// Appends text in which special tokens are text.
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

    /// The text of all parts.
    pub fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// The parts in which special tokens are text, in order.
    pub fn content_ranges(&self) -> &[Range<usize>] {
        &self.content
    }
}
