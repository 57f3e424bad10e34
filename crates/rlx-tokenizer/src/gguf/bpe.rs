//! Byte-pair encoding: merges pairs of bytes or characters within words, in the order in which they were learned.

use super::merge::merge;
use super::pre::PreTokenizer;
use super::vocab::{SPACE, Spelling, Vocab};
use std::borrow::Cow;
use std::collections::HashMap;

/// The merges of a vocabulary.
#[derive(Clone, Debug)]
pub(super) struct Bpe {
    pre: PreTokenizer,
    /// The rank of each pair, and what it is merged to.
    merges: HashMap<(u32, u32), (u32, u32)>,
    /// Texts that merges name but the vocabulary does not have. Their numbers follow those of the tokens.
    others: HashMap<Box<[u8]>, u32>,
}

/// The number of a piece of text that no merge names.
const NAMELESS: u32 = u32::MAX;

impl Bpe {
    /// # Errors
    /// Returns the first merge that is not two names separated by a space.
    pub(super) fn new<'m>(
        pre: PreTokenizer,
        merges: impl Iterator<Item = Cow<'m, [u8]>>,
        vocab: &Vocab,
    ) -> Result<Self, String> {
        let mut bpe = Bpe { pre, merges: HashMap::new(), others: HashMap::new() };
        for (rank, merge) in (0u32..).zip(merges) {
            let space = merge.iter().skip(1).position(|byte| *byte == b' ').map(|at| at + 1);
            let sides = space.map(|at| [&merge[..at], &merge[at + 1..]]);
            let read = |name: &[u8]| bpe.pre.spelling.read(name);
            let Some([Some(left), Some(right)]) = sides.map(|sides| sides.map(read)) else {
                return Err(format!("merge {rank} is not two names separated by a space"));
            };
            let whole = [&left[..], &right[..]].concat();
            let [left, right, whole] = [left, right, whole].map(|text| bpe.name(text, vocab));
            bpe.merges.entry((left, right)).or_insert((rank, whole));
        }
        Ok(bpe)
    }

    /// Returns the number of a text that a merge names.
    fn name(&mut self, text: Vec<u8>, vocab: &Vocab) -> u32 {
        let next = (vocab.len() + self.others.len()) as u32;
        vocab.token(&text).unwrap_or_else(|| *self.others.entry(text.into()).or_insert(next))
    }

    pub(super) fn encode(&self, text: &str, vocab: &Vocab, ids: &mut Vec<u32>) {
        let text = match self.pre.spelling {
            Spelling::Bytes => Cow::Borrowed(text),
            Spelling::Escaped => Cow::Owned(text.replace(SPACE, " ")),
        };
        self.pre.words(&text, &mut |word| self.encode_word(word, vocab, ids));
    }

    fn encode_word(&self, word: &str, vocab: &Vocab, ids: &mut Vec<u32>) {
        let whole = self.pre.whole_words || (self.pre.whole_breaks && word.bytes().all(|byte| byte == b'\n'));
        if let Some(id) = vocab.token(word.as_bytes()).filter(|_| whole) {
            ids.push(id);
            return;
        }
        let bytes = word.as_bytes();
        let number = |range: std::ops::Range<usize>| {
            let text = &bytes[range.clone()];
            let known = vocab.token(text).or_else(|| self.others.get(text).copied());
            (known.unwrap_or(NAMELESS), range)
        };
        let pair = |left: &super::merge::Symbol, right: &super::merge::Symbol| {
            self.merges.get(&(left.id, right.id)).copied()
        };
        let symbols = match self.pre.spelling {
            Spelling::Bytes => merge((0..bytes.len()).map(|i| number(i..i + 1)), pair),
            Spelling::Escaped => merge(word.char_indices().map(|(i, c)| number(i..i + c.len_utf8())), pair),
        };
        for symbol in symbols {
            if (symbol.id as usize) < vocab.len() {
                ids.push(symbol.id);
            } else {
                self.spell(&bytes[symbol.range()], vocab, ids);
            }
        }
    }

    /// Spells a text that is not a token in bytes. Bytes that the vocabulary does not have get no token, as in other
    /// implementations: in many vocabularies, the unknown token is the end of a sequence.
    fn spell(&self, text: &[u8], vocab: &Vocab, ids: &mut Vec<u32>) {
        let byte = |byte: &u8| match self.pre.spelling {
            Spelling::Bytes => vocab.token(&[*byte]),
            Spelling::Escaped => vocab.byte(*byte),
        };
        ids.extend(text.iter().filter_map(byte));
    }
}
