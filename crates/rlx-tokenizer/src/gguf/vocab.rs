//! The tokens of a vocabulary: names, text, and kinds.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The kind of a token, with ggml's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A piece of text.
    Normal = 1,
    /// The token for text that has no tokens.
    Unknown = 2,
    /// Scaffolding, not text.
    Control = 3,
    /// A piece of text that is searched for before all others.
    UserDefined = 4,
    /// An id without a token.
    Unused = 5,
    /// A byte.
    Byte = 6,
}

impl TokenKind {
    const ALL: [Self; 6] =
        [Self::Normal, Self::Unknown, Self::Control, Self::UserDefined, Self::Unused, Self::Byte];

    /// Returns the kind with this number.
    pub fn of(number: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u64 == number)
    }

    /// Whether the token is not text.
    pub(super) fn is_special(self) -> bool {
        matches!(self, TokenKind::Control | TokenKind::Unknown)
    }
}

/// How the name of a normal token encodes its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spelling {
    /// One character for each byte, as in GPT-2.
    Bytes,
    /// The text itself, with `▁` for spaces.
    Escaped,
}

impl Spelling {
    /// Decodes the text from a name.
    pub(super) fn read(self, name: &[u8]) -> Option<Vec<u8>> {
        let name = std::str::from_utf8(name).ok()?;
        match self {
            Spelling::Bytes => name.chars().map(byte_of_char).collect(),
            Spelling::Escaped => Some(name.replace(SPACE, " ").into_bytes()),
        }
    }
}

/// The sign for a space in names of tokens.
pub(super) const SPACE: &str = "▁";

/// Tokens by id and by text.
#[derive(Clone, Debug)]
pub(super) struct Vocab {
    kinds: Vec<TokenKind>,
    scores: Vec<f32>,
    /// The texts of all tokens, concatenated, and where each of them ends.
    pieces: Vec<u8>,
    ends: Vec<usize>,
    /// Tokens that can result from text, by their text. If several have the same text, the first one counts.
    by_piece: HashMap<Box<[u8]>, u32>,
    bytes: Box<[Option<u32>; 256]>,
    longest: usize,
}

impl Vocab {
    pub(super) fn new(
        names: &[Vec<u8>],
        kinds: Vec<TokenKind>,
        scores: Vec<f32>,
        spelling: Spelling,
    ) -> Self {
        let mut vocab = Vocab {
            kinds,
            scores,
            pieces: Vec::new(),
            ends: Vec::new(),
            by_piece: HashMap::with_capacity(names.len()),
            bytes: Box::new([None; 256]),
            longest: 0,
        };
        for (name, id) in names.iter().zip(0u32..) {
            let kind = vocab.kind(id);
            let piece = piece(name, kind, spelling);
            if kind == TokenKind::Byte
                && let [byte] = piece[..]
            {
                vocab.bytes[usize::from(byte)].get_or_insert(id);
            }
            if matches!(kind, TokenKind::Normal | TokenKind::UserDefined | TokenKind::Unused) {
                // If a name cannot be decoded, no text becomes this token.
                if let Some(text) = spelling.read(name) {
                    vocab.longest = vocab.longest.max(text.len());
                    vocab.by_piece.entry(text.into()).or_insert(id);
                }
            }
            vocab.pieces.extend(piece);
            vocab.ends.push(vocab.pieces.len());
        }
        vocab
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn kind(&self, id: u32) -> TokenKind {
        self.kinds[id as usize]
    }

    pub(super) fn score(&self, id: u32) -> f32 {
        self.scores[id as usize]
    }

    /// Returns the text of a token.
    pub(super) fn piece(&self, id: u32) -> &[u8] {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.pieces[start..self.ends[id]]
    }

    /// Returns the token of a text.
    pub(super) fn token(&self, piece: &[u8]) -> Option<u32> {
        if piece.len() > self.longest {
            return None;
        }
        self.by_piece.get(piece).copied()
    }

    /// Returns the token of a byte.
    pub(super) fn byte(&self, byte: u8) -> Option<u32> {
        self.bytes[usize::from(byte)]
    }
}

/// Returns the text of a token.
fn piece(name: &[u8], kind: TokenKind, spelling: Spelling) -> Vec<u8> {
    let text = || std::str::from_utf8(name).ok();
    let found = match kind {
        TokenKind::Byte => text().and_then(byte_of_name).map(|byte| vec![byte]),
        TokenKind::Control | TokenKind::Unknown => None,
        TokenKind::UserDefined if spelling == Spelling::Bytes => None,
        TokenKind::Normal | TokenKind::Unused | TokenKind::UserDefined => spelling.read(name),
    };
    found.unwrap_or_else(|| name.to_vec())
}

/// Returns the byte of a name such as `<0x0A>`.
fn byte_of_name(name: &str) -> Option<u8> {
    let digits = name.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

/// Returns the byte that a character stands for: printable bytes of Latin 1 stand for themselves, and the others are
/// mapped to U+0100 and following, in order.
fn byte_of_char(c: char) -> Option<u8> {
    static OTHERS: LazyLock<Vec<u8>> =
        LazyLock::new(|| (0..=255).filter(|byte| !is_own_sign(*byte)).collect());
    match u32::from(c) {
        code @ 0..=0xFF => u8::try_from(code).ok().filter(|byte| is_own_sign(*byte)),
        code => OTHERS.get(usize::try_from(code - 0x100).ok()?).copied(),
    }
}

fn is_own_sign(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_signs_of_bytes() {
        assert_eq!(Spelling::Bytes.read("ĠaĊ".as_bytes()), Some(b" a\n".to_vec()));
        assert_eq!(Spelling::Bytes.read("Ã©Ń".as_bytes()), Some(vec![0xC3, 0xA9, 0xAD]));
        assert_eq!(Spelling::Bytes.read(b" "), None);
        assert_eq!(Spelling::Bytes.read("語".as_bytes()), None);
        assert_eq!(byte_of_name("<0xfF>"), Some(255));
        assert_eq!(byte_of_name("<0x1>"), None);
    }
}
