//! SentencePiece's byte-pair encoding: merges neighbors if the result is in the vocabulary, the best score first.
//! Text that is not a token is spelled in bytes.

use super::merge::{Symbol, merge};
use super::vocab::{SPACE, Vocab};
use std::ops::Range;

/// What is known about the vocabulary besides its tokens.
#[derive(Clone, Debug)]
pub(super) struct Spm {
    pub(super) unknown: Option<u32>,
}

impl Spm {
    /// Appends the tokens of a text, with a space before it if `prefix` is true.
    pub(super) fn encode(&self, text: &[u8], prefix: bool, vocab: &Vocab, ids: &mut Vec<u32>) {
        let text = unescaped(text, prefix);
        let number = |range: Range<usize>| (vocab.token(&text[range.clone()]).unwrap_or(u32::MAX), range);
        let pair = |left: &Symbol, right: &Symbol| {
            let id = vocab.token(&text[left.range().start..right.range().end])?;
            Some((rank(vocab.score(id)), id))
        };
        for symbol in merge(characters(&text).map(number), pair) {
            if (symbol.id as usize) < vocab.len() {
                ids.push(symbol.id);
            } else {
                let bytes = text[symbol.range()].iter();
                ids.extend(bytes.filter_map(|byte| vocab.byte(*byte).or(self.unknown)));
            }
        }
    }
}

/// Replaces the signs for spaces in a text by spaces: SentencePiece cannot distinguish them.
fn unescaped(text: &[u8], prefix: bool) -> Vec<u8> {
    let sign = SPACE.as_bytes();
    let mut out = Vec::with_capacity(text.len() + 1);
    out.extend(prefix.then_some(b' '));
    let mut rest = text;
    while let Some((first, others)) = rest.split_first() {
        match rest.strip_prefix(sign) {
            Some(after) => {
                out.push(b' ');
                rest = after;
            }
            None => {
                out.push(*first);
                rest = others;
            }
        }
    }
    out
}

/// Returns the characters of a text; invalid UTF-8 is returned byte by byte.
fn characters(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    let lengths = text
        .utf8_chunks()
        .flat_map(|chunk| chunk.valid().chars().map(char::len_utf8).chain(chunk.invalid().iter().map(|_| 1)));
    lengths.map(move |len| {
        at += len;
        at - len..at
    })
}

/// Returns a number that is smaller for higher scores.
fn rank(score: f32) -> u32 {
    // The bits of floats have the order of the floats once those of negative ones are inverted.
    let bits = score.to_bits();
    !(if bits >> 31 == 1 { !bits } else { bits | 1 << 31 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_scores_rank_first() {
        let scores = [f32::INFINITY, 3.5, 0.0, -0.0, -1.0, -1e30, f32::NEG_INFINITY];
        assert!(scores.windows(2).all(|pair| rank(pair[0]) < rank(pair[1])));
    }

    #[test]
    fn signs_are_spaces_and_characters_are_whole() {
        assert_eq!(unescaped("a▁b c".as_bytes(), true), b" a b c");
        let ranges: Vec<_> = characters("aé語😀\u{7}".as_bytes()).collect();
        assert_eq!(ranges, [0..1, 1..3, 3..6, 6..10, 10..11]);
        assert_eq!(characters(b"\x80\xE2\x82a").collect::<Vec<_>>(), [0..1, 1..2, 2..3, 3..4]);
    }
}
