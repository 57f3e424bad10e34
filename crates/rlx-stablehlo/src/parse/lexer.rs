//! Tokens of MLIR text, with their positions.

use crate::diagnostics::Position;

/// One token. Names do not include the character that marks their kind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// A bare name: letters, digits, `_`, `.`, `$`.
    Word(&'a str),
    /// `%name`
    Value(&'a str),
    /// `@name`
    Symbol(&'a str),
    /// `^name`
    Label(&'a str),
    /// `#name`
    Hash(&'a str),
    /// `!name`
    Bang(&'a str),
    /// A number without its sign.
    Number(&'a str),
    /// A string with its escapes.
    Text(&'a str),
    /// `->`
    Arrow,
    /// Any other single character.
    Mark(char),
    /// The end of the text.
    End,
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word(w) | Token::Number(w) => write!(f, "`{w}`"),
            Token::Value(v) => write!(f, "`%{v}`"),
            Token::Symbol(s) => write!(f, "`@{s}`"),
            Token::Label(l) => write!(f, "`^{l}`"),
            Token::Hash(h) => write!(f, "`#{h}`"),
            Token::Bang(b) => write!(f, "`!{b}`"),
            Token::Text(t) if t.chars().nth(40).is_some() => f.write_str("a string"),
            Token::Text(t) => write!(f, "the string \"{t}\""),
            Token::Arrow => f.write_str("`->`"),
            Token::Mark(c) => write!(f, "`{c}`"),
            Token::End => f.write_str("the end of the text"),
        }
    }
}

/// Splits a text into tokens, starting anywhere.
pub(super) struct Lexer<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lexer { text, offset: 0 }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the byte after the last token.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// Continues at a byte that starts a character.
    pub(super) fn go_to(&mut self, offset: usize) {
        self.offset = offset;
    }

    /// Returns the unread text.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    /// Skips white space and comments.
    pub(super) fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.offset += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.offset += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// Consumes the longest prefix of the rest whose bytes all satisfy `keep`.
    fn run(&mut self, keep: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.bytes().position(|b| !keep(b)).unwrap_or(rest.len());
        self.offset += length;
        &rest[..length]
    }

    /// Returns the byte where the next token starts, and the token or an error message.
    pub(super) fn next(&mut self) -> (usize, Result<Token<'a>, &'static str>) {
        self.skip_blank();
        (self.offset, self.token())
    }

    fn token(&mut self) -> Result<Token<'a>, &'static str> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        if first.is_ascii_alphabetic() || first == '_' {
            return Ok(Token::Word(
                self.run(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.')),
            ));
        }
        if first.is_ascii_digit() {
            return Ok(Token::Number(self.number()));
        }
        self.offset += first.len_utf8();
        let prefixed: fn(&'a str) -> Token<'a> = match first {
            '%' => Token::Value,
            '@' if !self.rest().starts_with('"') => Token::Symbol,
            '^' => Token::Label,
            '#' => Token::Hash,
            '!' => Token::Bang,
            '"' => return self.string(),
            '-' if self.rest().starts_with('>') => {
                self.offset += 1;
                return Ok(Token::Arrow);
            }
            other => return Ok(Token::Mark(other)),
        };
        let name = self.suffix();
        if name.is_empty() { Ok(Token::Mark(first)) } else { Ok(prefixed(name)) }
    }

    /// Reads a name after its leading character: a number, or letters, digits and `$._-`.
    fn suffix(&mut self) -> &'a str {
        if self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            return self.run(|b| b.is_ascii_digit());
        }
        let rest = self.rest();
        let name = self.run(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.' | b'-'));
        // An arrow may follow a name without a blank.
        if name.ends_with('-') && self.rest().starts_with('>') {
            self.offset -= 1;
            return &rest[..name.len() - 1];
        }
        name
    }

    /// Reads digits; `0x` and hexadecimal digits; or digits, a point, digits and an exponent.
    fn number(&mut self) -> &'a str {
        let start = self.offset;
        let rest = self.rest().as_bytes();
        if rest.starts_with(b"0x") && rest.get(2).is_some_and(u8::is_ascii_hexdigit) {
            self.offset += 2;
            self.run(|b| b.is_ascii_hexdigit());
            return &self.text[start..self.offset];
        }
        self.run(|b| b.is_ascii_digit());
        if self.rest().starts_with('.') {
            self.offset += 1;
            self.run(|b| b.is_ascii_digit());
            let exponent = self.rest().as_bytes();
            let signed = usize::from(matches!(exponent.get(1), Some(b'+' | b'-')));
            if matches!(exponent.first(), Some(b'e' | b'E'))
                && exponent.get(1 + signed).is_some_and(u8::is_ascii_digit)
            {
                self.offset += 1 + signed;
                self.run(|b| b.is_ascii_digit());
            }
        }
        &self.text[start..self.offset]
    }

    fn string(&mut self) -> Result<Token<'a>, &'static str> {
        let rest = self.rest();
        let mut escaped = false;
        for (i, byte) in rest.bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    self.offset += i + 1;
                    return Ok(Token::Text(&rest[..i]));
                }
                b'\n' => break,
                _ => {}
            }
        }
        self.offset = self.text.len();
        Err("a string is not closed on the line where it starts")
    }
}

/// Resolves the escapes of a string: `\n`, `\t`, `\"`, `\\`, and `\` with two hexadecimal digits for a byte. Bytes that
/// are not UTF-8 become U+FFFD.
pub(super) fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_string();
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let mut ahead = bytes.clone();
        let hex = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
        match (hex(ahead.next()), hex(ahead.next())) {
            (Some(high), Some(low)) => {
                out.push((high * 16 + low) as u8);
                bytes = ahead;
            }
            _ => match bytes.next() {
                Some(b'n') => out.push(b'\n'),
                Some(b't') => out.push(b'\t'),
                Some(other) => out.push(other),
                None => {}
            },
        }
    }
    match String::from_utf8(out) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

/// Converts bytes to lines and columns. Fast if positions are requested in the order of the text.
#[derive(Default)]
pub(super) struct Places {
    offset: usize,
    at: Option<Position>,
}

impl Places {
    /// Returns the position of a byte that starts a character.
    pub(super) fn position(&mut self, text: &str, offset: usize) -> Position {
        let start = Position { line: 1, column: 1 };
        let (from, mut at) = match self.at {
            Some(at) if self.offset <= offset => (self.offset, at),
            _ => (0, start),
        };
        let passed = &text[from..offset];
        match passed.rfind('\n') {
            Some(end) => {
                at.line += passed.bytes().filter(|&b| b == b'\n').count() as u32;
                at.column = 1 + passed[end + 1..].chars().count() as u32;
            }
            None => at.column += passed.chars().count() as u32,
        }
        (self.offset, self.at) = (offset, Some(at));
        at
    }
}
