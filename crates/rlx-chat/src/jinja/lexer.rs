//! Splits a template into tokens, with Jinja's rules for white space.

use super::error::{Error, Result};
use super::unicode::is_space;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Tok {
    /// Text outside of tags.
    Data(String),
    VariableBegin,
    VariableEnd,
    BlockBegin,
    BlockEnd,
    Name(String),
    Text(String),
    Int(i128),
    Float(f64),
    Op(&'static str),
    End,
}

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) tok: Tok,
    pub(crate) line: u32,
}

/// The maximum number of tokens in a template.
const MOST_TOKENS: usize = 1 << 18;

/// Operators, each before those that are prefixes of it.
const OPERATORS: [&str; 28] = [
    "**", "//", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<",
    "=", ".", ":", "|", ",", ";", "}}", "%}",
];

pub(crate) fn tokens(source: &str) -> Result<Vec<Token>> {
    let mut text = source.replace("\r\n", "\n").replace('\r', "\n");
    if text.ends_with('\n') {
        text.pop();
    }
    let mut lexer = Lexer { text: &text, at: 0, line: 1, line_starting: true, tokens: Vec::new() };
    lexer.root()?;
    lexer.push(Tok::End)?;
    Ok(lexer.tokens)
}

struct Lexer<'s> {
    text: &'s str,
    at: usize,
    line: u32,
    /// Whether the last character that was read ended a line.
    line_starting: bool,
    tokens: Vec<Token>,
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        &self.text[self.at..]
    }

    fn push(&mut self, tok: Tok) -> Result<()> {
        if self.tokens.len() >= MOST_TOKENS {
            return Err(Error::syntax(self.line, format!("the template has more than {MOST_TOKENS} tokens")));
        }
        self.tokens.push(Token { tok, line: self.line });
        Ok(())
    }

    /// Skips bytes and counts lines.
    fn advance(&mut self, bytes: usize) {
        let passed = &self.text[self.at..self.at + bytes];
        self.line += passed.bytes().filter(|&b| b == b'\n').count() as u32;
        self.line_starting = passed.ends_with('\n');
        self.at += bytes;
    }

    fn root(&mut self) -> Result<()> {
        while !self.rest().is_empty() {
            let rest = self.rest();
            let begin = rest
                .match_indices('{')
                .map(|(at, _)| at)
                .find(|at| matches!(rest.as_bytes().get(at + 1), Some(b'%' | b'{' | b'#')));
            let Some(begin) = begin else {
                self.push(Tok::Data(rest.into()))?;
                self.advance(rest.len());
                break;
            };
            let kind = rest.as_bytes()[begin + 1];
            let sign = rest[begin + 2..].bytes().next().filter(|b| matches!(b, b'-' | b'+'));
            self.data(begin, sign, kind != b'{')?;
            let raw = if kind == b'%' { raw_begin(self.rest()) } else { None };
            if let Some(length) = raw {
                self.advance(length);
                self.raw()?;
                continue;
            }
            self.advance(2 + usize::from(sign.is_some()));
            match kind {
                b'#' => self.comment()?,
                b'%' => {
                    self.push(Tok::BlockBegin)?;
                    self.inside("%}")?;
                }
                _ => {
                    self.push(Tok::VariableBegin)?;
                    self.inside("}}")?;
                }
            }
        }
        Ok(())
    }

    /// Emits the text before a tag, without the white space that belongs to the tag.
    fn data(&mut self, length: usize, sign: Option<u8>, block: bool) -> Result<()> {
        let text = &self.rest()[..length];
        let kept = match sign {
            Some(b'-') => text.trim_end_matches(is_space),
            Some(_) => text,
            None if block => {
                let start = text.rfind('\n').map_or(0, |at| at + 1);
                let strip = (start > 0 || self.line_starting) && text[start..].chars().all(is_space);
                if strip { &text[..start] } else { text }
            }
            None => text,
        };
        if !kept.is_empty() {
            self.push(Tok::Data(kept.into()))?;
        }
        self.advance(length);
        Ok(())
    }

    fn comment(&mut self) -> Result<()> {
        let rest = self.rest();
        if rest.is_empty() {
            return Ok(());
        }
        let Some(end) = rest.find("#}") else {
            return Err(Error::syntax(self.line, "a comment is not closed"));
        };
        let sign = rest[..end].bytes().next_back();
        self.advance(end + 2);
        self.after_tag(sign);
        Ok(())
    }

    /// Skips the white space that belongs to the end of a block or comment.
    fn after_tag(&mut self, sign: Option<u8>) {
        let rest = self.rest();
        match sign {
            Some(b'-') => self.skip_space(),
            Some(b'+') => {}
            _ if rest.starts_with('\n') => self.advance(1),
            _ => {}
        }
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        let space = rest.len() - rest.trim_start_matches(is_space).len();
        if space > 0 {
            self.advance(space);
        }
    }

    fn raw(&mut self) -> Result<()> {
        let mut from = 0;
        if self.rest().is_empty() {
            return Ok(());
        }
        loop {
            let rest = self.rest();
            let Some(begin) = rest[from..].find("{%").map(|at| at + from) else {
                return Err(Error::syntax(self.line, "`raw` is not closed by `endraw`"));
            };
            let Some((sign, length)) = raw_end(&rest[begin..]) else {
                from = begin + 2;
                continue;
            };
            self.data(begin, sign, true)?;
            let tag = &self.rest()[..length];
            let end_sign = tag.bytes().nth_back(2);
            self.advance(length);
            self.after_tag(end_sign);
            return Ok(());
        }
    }

    /// Reads the tokens of a tag.
    fn inside(&mut self, end: &'static str) -> Result<()> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            let rest = self.rest();
            let Some(first) = rest.chars().next() else {
                return Err(Error::syntax(self.line, format!("a tag is not closed by `{end}`")));
            };
            if open.is_empty() {
                let signed = matches!(first, '-' | '+') && rest[1..].starts_with(end);
                let allowed = signed && (first == '-' || end == "%}");
                if allowed || rest.starts_with(end) {
                    let tok = if end == "%}" { Tok::BlockEnd } else { Tok::VariableEnd };
                    self.push(tok)?;
                    self.advance(2 + usize::from(allowed));
                    let sign = allowed.then_some(first as u8);
                    if end == "%}" {
                        self.after_tag(sign);
                    } else if allowed {
                        self.skip_space();
                    }
                    return Ok(());
                }
            }
            if is_space(first) {
                self.skip_space();
            } else if first.is_ascii_digit() {
                self.number()?;
            } else if is_word(first) {
                let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let name = &rest[..length];
                if !name.starts_with(|c: char| c == '_' || c.is_alphabetic()) {
                    return Err(Error::syntax(
                        self.line,
                        "a name begins with a character that is not allowed in names",
                    ));
                }
                self.push(Tok::Name(name.into()))?;
                self.advance(length);
            } else if matches!(first, '\'' | '"') {
                self.string(first)?;
            } else {
                self.operator(&mut open)?;
            }
        }
    }

    fn operator(&mut self, open: &mut Vec<u8>) -> Result<()> {
        let rest = self.rest();
        // The last two are ends of tags, not operators.
        let found = OPERATORS[..26].iter().find(|op| rest.starts_with(**op));
        let Some(op) = found else {
            let c: String = rest.chars().take(1).collect();
            return Err(Error::syntax(self.line, format!("unexpected character {c:?}")));
        };
        match op.as_bytes()[0] {
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            close @ (b')' | b']' | b'}') if open.pop() != Some(close) => {
                return Err(Error::syntax(self.line, format!("unexpected `{op}`")));
            }
            _ => {}
        }
        self.push(Tok::Op(op))?;
        self.advance(op.len());
        Ok(())
    }

    fn number(&mut self) -> Result<()> {
        let bytes = self.rest().as_bytes();
        let after_dot = self.at > 0 && self.text.as_bytes()[self.at - 1] == b'.';
        let (length, float) = number(bytes, !after_dot);
        let digits = self.rest()[..length].replace('_', "");
        let too_large = || Error::syntax(self.line, "a number is too large");
        let tok = if float {
            Tok::Float(digits.parse().map_err(|_| too_large())?)
        } else {
            let (radix, digits) = match digits.as_bytes().get(1).map(u8::to_ascii_lowercase) {
                Some(b'x') => (16, &digits[2..]),
                Some(b'o') => (8, &digits[2..]),
                Some(b'b') => (2, &digits[2..]),
                _ => (10, &digits[..]),
            };
            Tok::Int(i128::from_str_radix(digits, radix).map_err(|_| too_large())?)
        };
        self.push(tok)?;
        self.advance(length);
        Ok(())
    }

    fn string(&mut self, quote: char) -> Result<()> {
        let rest = self.rest();
        let mut chars = rest[1..].char_indices();
        let mut end = None;
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => drop(chars.next()),
                c if c == quote => {
                    end = Some(at + 1);
                    break;
                }
                _ => {}
            }
        }
        let Some(end) = end else {
            return Err(Error::syntax(self.line, "a string is not closed"));
        };
        let text = unescape(&rest[1..end]).map_err(|why| Error::syntax(self.line, why))?;
        self.push(Tok::Text(text))?;
        self.advance(end + 1);
        Ok(())
    }
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Returns the length of `{% raw %}` at the beginning of a text.
fn raw_begin(text: &str) -> Option<usize> {
    let rest = after_word(text, "raw")?;
    let end = match rest.strip_prefix('-') {
        Some(rest) => rest.strip_prefix("%}")?.trim_start_matches(is_space),
        None => rest.strip_prefix("%}")?,
    };
    Some(text.len() - end.len())
}

/// Returns the sign and the length of `{% endraw %}` at the beginning of a text.
fn raw_end(text: &str) -> Option<(Option<u8>, usize)> {
    let rest = after_word(text, "endraw")?;
    let end = rest.strip_prefix(['-', '+']).unwrap_or(rest).strip_prefix("%}")?;
    let sign = text.as_bytes().get(2).copied().filter(|b| matches!(b, b'-' | b'+'));
    Some((sign, text.len() - end.len()))
}

fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix("{%")?;
    let rest = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    Some(rest.trim_start_matches(is_space).strip_prefix(word)?.trim_start_matches(is_space))
}

/// Returns the length of digits, which may be separated by `_`.
fn digits(bytes: &[u8], is_digit: impl Fn(u8) -> bool) -> usize {
    let mut length = 0;
    loop {
        let next = length + usize::from(length > 0 && bytes.get(length) == Some(&b'_'));
        match bytes.get(next) {
            Some(&b) if is_digit(b) => length = next + 1,
            _ => return length,
        }
    }
}

/// Returns the length of a number, and whether it is a float.
fn number(bytes: &[u8], float: bool) -> (usize, bool) {
    let decimal = |from: usize| digits(&bytes[from.min(bytes.len())..], |b| b.is_ascii_digit());
    let whole = decimal(0);
    if float {
        let mut length = whole;
        if bytes.get(length) == Some(&b'.') && decimal(length + 1) > 0 {
            length += 1 + decimal(length + 1);
        }
        if matches!(bytes.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            let exponent = decimal(length + 1 + sign);
            if exponent > 0 {
                length += 1 + sign + exponent;
            }
        }
        if length > whole {
            return (length, true);
        }
    }
    let radix = |is_digit: fn(u8) -> bool| {
        let after = usize::from(bytes.get(2) == Some(&b'_'));
        let found = digits(&bytes[(2 + after).min(bytes.len())..], is_digit);
        if found > 0 { 2 + after + found } else { 1 }
    };
    let length = match (bytes[0], bytes.get(1).map(u8::to_ascii_lowercase)) {
        (b'0', Some(b'x')) => radix(|b| b.is_ascii_hexdigit()),
        (b'0', Some(b'o')) => radix(|b| matches!(b, b'0'..=b'7')),
        (b'0', Some(b'b')) => radix(|b| matches!(b, b'0' | b'1')),
        (b'0', _) => digits(bytes, |b| b == b'0'),
        _ => whole,
    };
    (length, false)
}

/// Returns the value of a string literal, with Python's escapes.
fn unescape(text: &str) -> std::result::Result<String, &'static str> {
    if !text.contains('\\') {
        return Ok(text.into());
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let Some(c) = after.chars().next() else { return Err("a string ends in a backslash") };
        let mut used = c.len_utf8();
        match c {
            '\n' => {}
            '\\' | '\'' | '"' => out.push(c),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'v' => out.push('\u{b}'),
            '0'..='7' => {
                used = after.bytes().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
                out.extend(u32::from_str_radix(&after[..used], 8).ok().and_then(char::from_u32));
            }
            'x' | 'u' | 'U' => {
                let digits = match c {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                used = 1 + digits;
                let code = after.get(1..used).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
                let code = code.and_then(|hex| u32::from_str_radix(hex, 16).ok());
                out.push(code.and_then(char::from_u32).ok_or("an escape in a string is not a character")?);
            }
            'N' => return Err("escapes by the names of characters are not supported"),
            other => out.extend(['\\', other]),
        }
        rest = &after[used..];
    }
    out.push_str(rest);
    Ok(out)
}
