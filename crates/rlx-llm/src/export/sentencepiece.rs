//! Reads the vocabulary of a `tokenizer.model`.
//!
//! The file is a message in the encoding of Protocol Buffers (<https://protobuf.dev/programming-guides/encoding/>).
//! Its field 1 is repeated and has a piece's text (1), score (2) and kind (3).

use super::vocabulary::Token;
use crate::error::LlmError;
use rlx_models::fields::ConfigError;
use rlx_models::files::read_bounded;
use rlx_tokenizer::TokenKind;
use std::path::Path;

/// The maximum size of a file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Reads the pieces of a file.
pub(super) fn pieces(path: &Path) -> Result<Vec<Token>, LlmError> {
    let wrong = |problem: String| LlmError::Export { path: path.to_path_buf(), problem };
    let bytes = read_bounded(path, MAX_FILE).map_err(ConfigError::from)?;
    model(&bytes)
        .filter(|pieces| !pieces.is_empty())
        .ok_or_else(|| wrong("not a SentencePiece vocabulary".into()))
}

fn model(bytes: &[u8]) -> Option<Vec<Token>> {
    let mut rest = Message(bytes);
    let mut pieces = Vec::new();
    while !rest.0.is_empty() {
        if let (1, Field::Bytes(piece)) = rest.field()? {
            pieces.push(self::piece(piece)?);
        }
    }
    Some(pieces)
}

fn piece(bytes: &[u8]) -> Option<Token> {
    let mut rest = Message(bytes);
    let mut token = Token { text: String::new(), score: 0.0, kind: TokenKind::Normal };
    while !rest.0.is_empty() {
        match rest.field()? {
            (1, Field::Bytes(text)) => token.text = String::from_utf8(text.to_vec()).ok()?,
            (2, Field::Four(bits)) => token.score = f32::from_bits(bits),
            (3, Field::Number(kind)) => token.kind = TokenKind::of(kind).unwrap_or(TokenKind::Normal),
            _ => {}
        }
    }
    Some(token)
}

/// The rest of a message.
struct Message<'a>(&'a [u8]);

/// The value of a field.
enum Field<'a> {
    Number(u64),
    Four(u32),
    Eight,
    Bytes(&'a [u8]),
}

impl<'a> Message<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(first)
    }

    /// Reads a variable-length integer: seven bits per byte, the least significant first.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?.first().copied()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    /// Reads the next field: its number and its value.
    fn field(&mut self) -> Option<(u64, Field<'a>)> {
        let tag = self.number()?;
        let value = match tag & 7 {
            0 => Field::Number(self.number()?),
            1 => self.take(8).map(|_| Field::Eight)?,
            2 => {
                let length = usize::try_from(self.number()?).ok()?;
                Field::Bytes(self.take(length)?)
            }
            5 => Field::Four(u32::from_le_bytes(*self.take(4)?.first_chunk()?)),
            _ => return None,
        };
        Some((tag >> 3, value))
    }
}
