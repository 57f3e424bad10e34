//! Finds tokens in a text before it is split into words: special tokens, and tokens that were added to a vocabulary.
//!
//! Special tokens are only searched for in scaffolding (TOKEN-1).

use aho_corasick::{AhoCorasick, Anchored, Input, MatchKind, StartKind};
use regex_automata::meta::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// An added token.
#[derive(Clone, Debug)]
pub(crate) struct AddedToken {
    pub(crate) id: u32,
    /// The text to search for.
    pub(crate) text: Vec<u8>,
    /// Whether it is part of the scaffolding. In content, it is plain text.
    pub(crate) special: bool,
    /// Whether it includes the spaces before it, and those after it.
    pub(crate) strips: [bool; 2],
    /// Whether it is only found between word boundaries.
    pub(crate) whole_word: bool,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextPart {
    pub(crate) range: Range<usize>,
    /// The token, or `None` for text.
    pub(crate) token: Option<u32>,
}

/// Finds added tokens.
#[derive(Clone, Debug)]
pub(crate) struct AddedTokens {
    tokens: Vec<AddedToken>,
    matcher: Option<AhoCorasick>,
}

impl AddedTokens {
    /// # Errors
    /// Returns the matcher's error if there are too many tokens.
    pub(crate) fn new(mut tokens: Vec<AddedToken>) -> Result<Self, String> {
        tokens.retain(|token| !token.text.is_empty());
        let matcher = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .start_kind(StartKind::Unanchored)
            .build(tokens.iter().map(|token| &token.text));
        let matcher = if tokens.is_empty() { None } else { Some(matcher.map_err(|e| e.to_string())?) };
        Ok(AddedTokens { tokens, matcher })
    }

    /// Splits a text at the tokens in it, from left to right, preferring the longest. A special token is only found
    /// if no part of it is in `content`.
    pub(crate) fn parts(&self, text: &[u8], content: &[Range<usize>]) -> Vec<TextPart> {
        let mut parts = Vec::new();
        let (mut from, mut done) = (0, 0);
        while let Some((token, range)) = self.next(text, from) {
            let inside = content.get(content.partition_point(|part| part.end <= range.start));
            let counts = !token.special || inside.is_none_or(|part| part.start >= range.end);
            if !counts || (token.whole_word && !is_whole_word(text, &range)) {
                from = range.start + 1;
                continue;
            }
            let before = if token.strips[0] { trim_end(text, done..range.start) } else { range.start };
            if done < before {
                parts.push(TextPart { range: done..before, token: None });
            }
            done = range.end;
            while token.strips[1] && text.get(done).is_some_and(u8::is_ascii_whitespace) {
                done += 1;
            }
            parts.push(TextPart { range, token: Some(token.id) });
            from = done;
        }
        if done < text.len() {
            parts.push(TextPart { range: done..text.len(), token: None });
        }
        parts
    }

    fn next(&self, text: &[u8], from: usize) -> Option<(&AddedToken, Range<usize>)> {
        let input = Input::new(text).span(from..text.len()).anchored(Anchored::No);
        let found = self.matcher.as_ref()?.find(input)?;
        Some((&self.tokens[found.pattern().as_usize()], found.range()))
    }

    /// Returns the names of special tokens.
    pub(crate) fn special_names(&self) -> impl Iterator<Item = String> + '_ {
        let special = self.tokens.iter().filter(|token| token.special);
        special.filter_map(|token| String::from_utf8(token.text.clone()).ok())
    }

    /// Returns the id of a special token by name.
    pub(crate) fn special(&self, name: &str) -> Option<u32> {
        self.tokens.iter().find(|token| token.special && token.text == name.as_bytes()).map(|token| token.id)
    }
}

fn trim_end(text: &[u8], range: Range<usize>) -> usize {
    range.start + text[range].trim_ascii_end().len()
}

/// Whether no character of a word is next to the range.
fn is_whole_word(text: &[u8], range: &Range<usize>) -> bool {
    static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\w").ok());
    let word = |c: char| WORD.as_ref().is_some_and(|word| word.is_match(c.encode_utf8(&mut [0; 4]) as &str));
    let before = String::from_utf8_lossy(&text[range.start.saturating_sub(4)..range.start]);
    let after = String::from_utf8_lossy(&text[range.end..text.len().min(range.end + 4)]);
    !before.chars().next_back().is_some_and(word) && !after.chars().next().is_some_and(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(id: u32, text: &str, special: bool) -> AddedToken {
        AddedToken { id, text: text.into(), special, strips: [false; 2], whole_word: false }
    }

    fn found(tokens: Vec<AddedToken>, text: &str, content: &[Range<usize>]) -> Vec<(String, Option<u32>)> {
        let parts = AddedTokens::new(tokens).unwrap().parts(text.as_bytes(), content);
        parts.into_iter().map(|part| (text[part.range].to_string(), part.token)).collect()
    }

    #[test]
    fn special_tokens_in_content_are_text() {
        let tokens = || vec![token(7, "<e>", true), token(8, "<u>", false)];
        let text = "a<e><u><e>";
        let expected = [("a", None), ("<e>", Some(7)), ("<u>", Some(8)), ("<e>", Some(7))]
            .map(|(t, id)| (t.to_string(), id));
        assert_eq!(found(tokens(), text, &[]), expected);
        let expected =
            [("a<e>", None), ("<u>", Some(8)), ("<e>", Some(7))].map(|(t, id)| (t.to_string(), id));
        assert_eq!(found(tokens(), text, std::slice::from_ref(&(0..5))), expected);
        // A token that only begins in content is not a token either.
        let expected = [("a<e>", None), ("<u>", Some(8)), ("<e>", None)].map(|(t, id)| (t.to_string(), id));
        assert_eq!(found(tokens(), text, &[0..2, 9..10]), expected);
    }

    #[test]
    fn tokens_take_spaces_and_heed_words_where_they_say_so() {
        let mut mask = token(1, "<m>", true);
        mask.strips = [true, true];
        let parts = found(vec![mask], "a  <m> \n b", &[]);
        assert_eq!(parts, [("a".to_string(), None), ("<m>".into(), Some(1)), ("b".into(), None)]);
        let mut word = token(2, "ab", false);
        word.whole_word = true;
        let ids = |text: &str| found(vec![word.clone()], text, &[]).iter().filter_map(|p| p.1).count();
        assert_eq!([ids("ab"), ids("xab"), ids("abé"), ids("-ab-")], [1, 0, 0, 1]);
    }
}
