//! Reads texts to embed, from the command line or line by line from a stream.

use std::io::{self, BufRead, Read};
use std::vec;

use thiserror::Error;

/// Maximum length of a line, in bytes.
const MAX_LINE: u64 = 256 << 20;

/// Why a line cannot be used as a text. Lines are counted from 1, bytes within a line from 0.
#[derive(Debug, Error)]
pub enum InputError {
    #[error("line {line} cannot be read")]
    Read {
        line: u64,
        #[source]
        source: io::Error,
    },
    #[error("line {line} is not UTF-8: invalid byte {at} (0x{byte:02x})")]
    NotUtf8 { line: u64, at: usize, byte: u8 },
    #[error("line {line} is not a JSON string, as --json-input requires")]
    NotJson {
        line: u64,
        #[source]
        source: serde_json::Error,
    },
    #[error("line {line} is longer than {MAX_LINE} bytes")]
    TooLong { line: u64 },
    #[error("internal error: the thread that reads texts has panicked; please report it as a bug in rlx")]
    Reader,
}

/// Texts, in order.
pub enum Texts<R> {
    Given(vec::IntoIter<String>),
    Lines { stream: R, line: u64, json: bool },
}

impl<R: BufRead> Texts<R> {
    /// The lines of a stream; with `json`, each is a JSON string.
    pub fn lines(stream: R, json: bool) -> Self {
        Texts::Lines { stream, line: 0, json }
    }
}

impl<R: BufRead> Iterator for Texts<R> {
    type Item = Result<String, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Texts::Given(texts) => texts.next().map(Ok),
            Texts::Lines { stream, line, json } => {
                *line += 1;
                next_line(stream, *line, *json).transpose()
            }
        }
    }
}

fn next_line(stream: &mut impl BufRead, line: u64, json: bool) -> Result<Option<String>, InputError> {
    let mut bytes = Vec::new();
    let read = stream.take(MAX_LINE + 1).read_until(b'\n', &mut bytes);
    if read.map_err(|source| InputError::Read { line, source })? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
    }
    if bytes.len() as u64 > MAX_LINE {
        return Err(InputError::TooLong { line });
    }
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        InputError::NotUtf8 { line, at, byte: e.as_bytes().get(at).copied().unwrap_or_default() }
    })?;
    if json {
        return serde_json::from_str(&text).map(Some).map_err(|source| InputError::NotJson { line, source });
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], json: bool) -> Result<Vec<String>, InputError> {
        Texts::lines(bytes, json).collect()
    }

    #[test]
    fn every_line_is_a_text_the_empty_ones_too() {
        assert_eq!(all(b"a\n\nb\r\n c \0\rd", false).unwrap(), ["a", "", "b", " c \0\rd"]);
        assert_eq!(all(b"", false).unwrap(), [""; 0]);
        assert_eq!(all(b"\n", false).unwrap(), [""]);
    }

    #[test]
    fn json_strings_may_hold_anything() {
        assert_eq!(
            all(b"\"a\\nb\"\n\"\"\n \"\\u0000\\ud83d\\ude42\" \r\n", true).unwrap(),
            ["a\nb", "", "\0🙂"]
        );
        for bad in ["", "a", "3", "\"a", "\"\\ud800\"", "\"a\" \"b\"", "[\"a\"]"] {
            let error = all(format!("\"ok\"\n{bad}\n").as_bytes(), true).unwrap_err();
            assert!(matches!(error, InputError::NotJson { line: 2, .. }), "{bad}: {error}");
        }
    }

    #[test]
    fn bytes_that_are_not_utf8_are_placed() {
        let error = all(b"fine\nab\xffc\n", false).unwrap_err();
        assert_eq!(error.to_string(), "line 2 is not UTF-8: invalid byte 2 (0xff)");
        let error = all("é".as_bytes().split_at(1).0, false).unwrap_err();
        assert!(matches!(error, InputError::NotUtf8 { line: 1, at: 0, byte: 0xc3 }), "{error}");
    }
}
