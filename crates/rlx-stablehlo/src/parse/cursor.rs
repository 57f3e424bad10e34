//! The parser's position in the text: looks at tokens, consumes them, and reports errors.

use super::aliases::Aliases;
use super::lexer::{Lexer, Places, Token, unescape};
use super::scopes::Scope;
use crate::diagnostics::{Diagnostic, Diagnostics, Position};

/// The maximum nesting depth of regions, attributes, types and locations.
const MAX_DEPTH: usize = 64;

/// The maximum number of unsupported operations that are listed.
const MAX_LISTED: usize = 100;

/// The result of a grammar rule.
pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Reads one text.
pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) token: Token<'a>,
    /// The byte where the current token starts.
    pub(super) start: usize,
    /// The byte where the previous token ended.
    pub(super) end: usize,
    places: Places,
    depth: usize,
    /// An error of the lexer. The next error reports it instead of its own message.
    lexical: Option<&'static str>,
    listed: Vec<Diagnostic>,
    pub(super) aliases: Aliases<'a>,
    pub(super) scope: Scope<'a>,
}

/// A token to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark<'a> {
    token: Token<'a>,
    start: usize,
    end: usize,
    next: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut parser = Parser {
            lexer: Lexer::new(text),
            token: Token::End,
            start: 0,
            end: 0,
            places: Places::default(),
            depth: 0,
            lexical: None,
            listed: Vec::new(),
            aliases: Aliases::new(text.len()),
            scope: Scope::default(),
        };
        parser.rewind();
        parser
    }

    /// Starts again at the first token.
    pub(super) fn rewind(&mut self) {
        self.places = Places::default();
        self.jump(0);
        self.end = 0;
    }

    /// Makes the first token from `offset` on the current one.
    pub(super) fn jump(&mut self, offset: usize) {
        self.lexer.go_to(offset);
        self.lexical = None;
        self.advance();
    }

    pub(super) fn mark(&self) -> Mark<'a> {
        Mark { token: self.token, start: self.start, end: self.end, next: self.lexer.offset() }
    }

    pub(super) fn return_to(&mut self, mark: Mark<'a>) {
        (self.token, self.start, self.end) = (mark.token, mark.start, mark.end);
        self.lexer.go_to(mark.next);
        self.lexical = None;
    }

    /// Consumes the current token.
    pub(super) fn advance(&mut self) -> Token<'a> {
        self.end = self.lexer.offset();
        let (start, token) = self.lexer.next();
        self.start = start;
        let token = token.unwrap_or_else(|message| {
            self.lexical = Some(message);
            Token::End
        });
        std::mem::replace(&mut self.token, token)
    }

    /// Returns the text from `start` to the end of the previous token, without unnecessary blanks.
    pub(super) fn written(&self, start: usize) -> String {
        compact(&self.lexer.text()[start..self.end])
    }

    /// Returns the position of the current token.
    pub(super) fn here(&mut self) -> Position {
        self.position(self.start)
    }

    pub(super) fn position(&mut self, offset: usize) -> Position {
        self.places.position(self.lexer.text(), offset)
    }

    /// Reports an error at the current token.
    pub(super) fn error<T>(&mut self, message: impl Into<String>) -> Parsed<T> {
        let message = self.lexical.map_or_else(|| message.into(), str::to_string);
        self.error_at(self.start, message)
    }

    /// Reports an error at a byte.
    pub(super) fn error_at<T>(&mut self, offset: usize, message: impl Into<String>) -> Parsed<T> {
        let at = self.position(offset);
        error_in(at, message)
    }

    /// Reports at the current token that the text is well formed but not supported.
    pub(super) fn unsupported<T>(&mut self, message: impl Into<String>) -> Parsed<T> {
        self.error(message)
            .map_err(|error: Box<Diagnostic>| Box::new(Diagnostic { unsupported: true, ..*error }))
    }

    pub(super) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let found = self.token;
        self.error(format!("expected {what}, found {found}"))
    }

    /// Returns whether the lexer stopped at an invalid token.
    pub(super) fn failed(&self) -> bool {
        self.lexical.is_some()
    }

    /// Lists an unsupported operation. Reading continues after it.
    pub(super) fn list(&mut self, diagnostic: Diagnostic) {
        if self.listed.len() <= MAX_LISTED {
            self.listed.push(diagnostic);
        }
    }

    /// Returns whether anything is listed, in which case no module is returned.
    pub(super) fn has_listed(&self) -> bool {
        !self.listed.is_empty()
    }

    /// Returns everything that is listed, and the error that ended reading.
    pub(super) fn into_diagnostics(mut self, error: Option<Diagnostic>) -> Diagnostics {
        if self.listed.len() > MAX_LISTED
            && let Some(last) = self.listed.last_mut()
        {
            last.operation.clear();
            last.message =
                format!("more than {MAX_LISTED} operations are not supported; the rest are not listed");
        }
        self.listed.extend(error);
        Diagnostics(self.listed)
    }

    /// Reads something that may contain itself.
    pub(super) fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.error(format!("nested more than {MAX_DEPTH} deep"));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Consumes `mark` if it comes next.
    pub(super) fn eat(&mut self, mark: char) -> bool {
        let found = self.token == Token::Mark(mark);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes `mark`, or fails.
    pub(super) fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    /// Consumes `->`, or fails.
    pub(super) fn arrow(&mut self) -> Parsed<()> {
        if self.token != Token::Arrow {
            return self.expected("`->`");
        }
        self.advance();
        Ok(())
    }

    /// Consumes `word` if it comes next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.token == Token::Word(word);
        if found {
            self.advance();
        }
        found
    }

    /// Consumes `word`, or fails.
    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// Consumes `word =`, or fails.
    pub(super) fn key(&mut self, word: &str) -> Parsed<()> {
        self.expect_word(word)?;
        self.expect('=')
    }

    /// Consumes any word.
    pub(super) fn word(&mut self, what: &str) -> Parsed<&'a str> {
        let Token::Word(word) = self.token else { return self.expected(what) };
        self.advance();
        Ok(word)
    }

    /// Consumes a string.
    pub(super) fn string(&mut self) -> Parsed<String> {
        let Token::Text(text) = self.token else { return self.expected("a string") };
        self.advance();
        Ok(unescape(text))
    }

    /// Consumes `@name` or `@"name"`.
    pub(super) fn symbol(&mut self) -> Parsed<String> {
        if let Token::Symbol(name) = self.token {
            self.advance();
            return Ok(name.to_string());
        }
        if self.eat('@') { self.string() } else { self.expected("a name with `@`") }
    }

    /// Reads items separated by commas up to `close`, which is consumed.
    pub(super) fn list_until(
        &mut self,
        close: char,
        mut item: impl FnMut(&mut Self) -> Parsed<()>,
    ) -> Parsed<()> {
        if self.eat(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.eat(close) {
                return Ok(());
            }
            if !self.eat(',') {
                return self.expected(&format!("`,` or `{close}`"));
            }
        }
    }

    /// Consumes an opening bracket and everything up to the one that closes it.
    pub(super) fn skip_balanced(&mut self) -> Parsed<()> {
        let from = self.start;
        let mut open = 0usize;
        loop {
            match self.advance() {
                Token::Mark('<' | '(' | '[' | '{') => open += 1,
                Token::Mark('>' | ')' | ']' | '}') => open = open.saturating_sub(1),
                Token::End if self.lexical.is_some() => return self.error(""),
                Token::End => return self.error_at(from, "a bracket is not closed"),
                _ => {}
            }
            if open == 0 {
                return Ok(());
            }
        }
    }
}

/// Reports an error at a position.
pub(super) fn error_in<T>(at: Position, message: impl Into<String>) -> Parsed<T> {
    let message = message.into();
    Err(Box::new(Diagnostic { at, operation: String::new(), message, unsupported: false }))
}

/// Removes comments from a piece of text, and blanks except between words, inside strings and after commas.
fn compact(text: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '"' | '?');
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped, mut blank) = (false, false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if quoted {
            out.push(c);
            quoted = c != '"' || escaped;
            escaped = c == '\\' && !escaped;
            continue;
        }
        if c == '/' && chars.peek() == Some(&'/') {
            blank = true;
            chars.by_ref().find(|&c| c == '\n');
            continue;
        }
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if out.ends_with(',') || (blank && word(c) && out.ends_with(word)) {
            out.push(' ');
        }
        out.push(c);
        quoted = c == '"';
        blank = false;
    }
    out
}
