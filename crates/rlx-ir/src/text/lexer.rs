//! Tokens of the text form, with their positions.

/// One token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// A name: letters, digits, `_`, `.`, starting with a letter or `_`.
    Word(&'a str),
    /// `%` and a name.
    Value(&'a str),
    /// A number as written, including its sign.
    Number(&'a str),
    /// A quoted string, unescaped.
    Text(String),
    /// Any other single character.
    Mark(char),
    /// The end of the text.
    End,
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word(w) => write!(f, "`{w}`"),
            Token::Value(v) => write!(f, "`%{v}`"),
            Token::Number(n) => write!(f, "`{n}`"),
            Token::Text(t) => write!(f, "the string {t:?}"),
            Token::Mark(c) => write!(f, "`{c}`"),
            Token::End => f.write_str("the end of the text"),
        }
    }
}

pub(super) struct Lexer<'a> {
    text: &'a str,
    position: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Lexer { text, position: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.position += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return;
            }
            self.position += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// Consumes and returns the longest prefix of the rest whose characters all satisfy `keep`.
    fn run(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.position += length;
        &rest[..length]
    }

    /// The next token, or a message, with the byte offset where the token starts.
    pub(super) fn next(&mut self) -> (usize, Result<Token<'a>, String>) {
        self.skip_blank();
        let start = self.position;
        (start, self.token())
    }

    fn token(&mut self) -> Result<Token<'a>, String> {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        let second = rest[first.len_utf8()..].chars().next();
        if first.is_ascii_alphabetic() || first == '_' {
            return Ok(Token::Word(self.run(word)));
        }
        if first.is_ascii_digit() || (first == '-' && second.is_some_and(|c| c.is_ascii_digit())) {
            return Ok(Token::Number(self.number()));
        }
        self.position += first.len_utf8();
        match first {
            '%' => Ok(Token::Value(self.run(word))),
            '"' => self.string(),
            other => Ok(Token::Mark(other)),
        }
    }

    fn number(&mut self) -> &'a str {
        let start = self.position;
        self.position += usize::from(self.rest().starts_with('-'));
        loop {
            self.run(|c| c.is_ascii_alphanumeric() || c == '.');
            let so_far = &self.text[start..self.position];
            let hex = so_far.trim_start_matches('-').starts_with("0x");
            let signed_exponent = !hex && so_far.ends_with(['e', 'E']) && self.rest().starts_with(['-', '+']);
            if !signed_exponent {
                return so_far;
            }
            self.position += 1;
        }
    }

    fn string(&mut self) -> Result<Token<'a>, String> {
        let mut out = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.position += i + 1;
                    return Ok(Token::Text(out));
                }
                '\\' => {
                    let Some((_, escape)) = chars.next() else { break };
                    match escape {
                        'n' => out.push('\n'),
                        'r' => out.push('\r'),
                        't' => out.push('\t'),
                        '0' => out.push('\0'),
                        '"' | '\\' | '\'' => out.push(escape),
                        'u' => out.push(unicode_escape(&mut chars)?),
                        other => return Err(format!("unknown escape `\\{other}` in a string")),
                    }
                }
                other => out.push(other),
            }
        }
        self.position = self.text.len();
        Err("a string is not closed".into())
    }
}

/// Reads the `{hex}` that follows `\u`.
fn unicode_escape(chars: &mut std::str::CharIndices<'_>) -> Result<char, String> {
    let malformed = || "a unicode escape is written \\u{hex digits}".to_string();
    if chars.next().map(|c| c.1) != Some('{') {
        return Err(malformed());
    }
    let mut code = 0u32;
    loop {
        match chars.next().map(|c| c.1) {
            Some('}') => return char::from_u32(code).ok_or_else(malformed),
            Some(digit) => {
                let digit = digit.to_digit(16).ok_or_else(malformed)?;
                code = code.checked_mul(16).and_then(|c| c.checked_add(digit)).ok_or_else(malformed)?;
            }
            None => return Err(malformed()),
        }
    }
}
