//! Returns text as tokens arrive, in whole characters and with the same spaces as in the whole text.

use crate::error::TokenizerError;
use crate::tokenizer::Tokenizer;

/// Returns the text that each token adds. Incomplete characters are held back until they are complete, or until
/// [`finish`](Self::finish).
#[derive(Debug)]
pub struct TextStream<'t> {
    tokenizer: &'t Tokenizer,
    special: bool,
    /// The last tokens: some whose text was already returned, which determine the spaces after them, and those whose
    /// text was not.
    ids: Vec<u32>,
    /// How many of them were already returned.
    given: usize,
}

/// The maximum number of bytes in a character.
const LONGEST: usize = 4;

impl<'t> TextStream<'t> {
    pub(crate) fn new(tokenizer: &'t Tokenizer, special: bool) -> Self {
        TextStream { tokenizer, special, ids: Vec::new(), given: 0 }
    }

    /// Returns the number of tokens in the vocabulary.
    pub fn tokens(&self) -> usize {
        self.tokenizer.len()
    }

    /// Adds a token and returns the text that it completes, which is often empty.
    ///
    /// # Errors
    /// Returns [`TokenizerError::OutOfRange`]; the stream is then unchanged.
    pub fn push(&mut self, id: u32) -> Result<String, TokenizerError> {
        self.tokenizer.decode(&[id], self.special)?;
        self.ids.push(id);
        let text = self.pending()?;
        if holds(&text) {
            return Ok(String::new());
        }
        // At least one returned token is kept, so that the next one is not treated as the first of a text.
        self.ids.drain(..self.given);
        self.given = self.ids.len();
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Returns the text that was held back, with U+FFFD for incomplete characters.
    ///
    /// # Errors
    /// The same as [`Self::push`].
    pub fn finish(mut self) -> Result<String, TokenizerError> {
        let text = self.pending()?;
        self.ids.clear();
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Returns the text that has not been returned yet.
    fn pending(&self) -> Result<Vec<u8>, TokenizerError> {
        let before = self.tokenizer.decode(&self.ids[..self.given], self.special)?;
        let mut all = self.tokenizer.decode(&self.ids, self.special)?;
        Ok(all.split_off(before.len().min(all.len())))
    }
}

/// Whether a text is empty or ends in bytes that may still become a character: the beginning of one, or the U+FFFD
/// that the library returns for such bytes.
fn holds(text: &[u8]) -> bool {
    if text.is_empty() || text.ends_with("\u{FFFD}".as_bytes()) {
        return true;
    }
    let tail = &text[text.len().saturating_sub(LONGEST - 1)..];
    let start = tail.iter().rposition(|byte| byte & 0xC0 == 0xC0);
    start.is_some_and(|at| std::str::from_utf8(&tail[at..]).is_err_and(|e| e.error_len().is_none()))
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn only_the_beginning_of_a_character_is_held() {
        for held in [&b""[..], b"a\xE2", b"\xE2\x82", b"\xF0\x9F\x98", b"x\xC3", "\u{FFFD}".as_bytes()] {
            assert!(holds(held), "{held:?}");
        }
        for given in [&b"a"[..], "€".as_bytes(), "😀".as_bytes(), b"\x80", b"\xFF", b"\xE2a"] {
            assert!(!holds(given), "{given:?}");
        }
    }
}
