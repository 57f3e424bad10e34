//! Parses locations, from which only names are kept: `loc("encoder.layer0")`.

use super::aliases::LocationName;
use super::cursor::{Parsed, Parser};
use super::lexer::{Token, unescape};
use std::sync::Arc;

/// The maximum length of a chain of aliases that is followed.
const MAX_HOPS: usize = 64;

impl<'a> Parser<'a> {
    /// Reads every `#name = loc(…)` at the start of a line, because operations use them before they are defined. Other
    /// lines are left to the reading that follows.
    pub(super) fn find_locations(&mut self) {
        let text = self.lexer.text();
        let starts = text.match_indices("\n#").map(|(i, _)| i + 1);
        // Where the last reading stopped, so that no part of the text is read twice.
        let mut reached = 0;
        for start in text.starts_with('#').then_some(0).into_iter().chain(starts) {
            // The `=` must be near the start of the line: text before a distant `=` is not a name.
            if start < reached {
                continue;
            }
            let Some(equals) = text.as_bytes()[start..].iter().take(256).position(|&b| b == b'=') else {
                continue;
            };
            let value = text[start + equals + 1..].trim_start();
            if !value.strip_prefix("loc").is_some_and(|v| v.trim_start().starts_with('(')) {
                continue;
            }
            self.jump(start);
            if let Token::Hash(name) = self.token {
                let _ = self.attribute_alias(name);
            }
            reached = self.start;
        }
        self.rewind();
    }

    /// Reads `loc(…)` if it comes next. Returns the name, which may be empty.
    pub(super) fn label(&mut self) -> Parsed<Arc<str>> {
        if self.token != Token::Word("loc") {
            return Ok(Arc::default());
        }
        let mut place = self.location()?;
        for _ in 0..MAX_HOPS {
            match place {
                LocationName::Named(name) => return Ok(name),
                LocationName::Unnamed => break,
                LocationName::Alias(name) => {
                    place = self.aliases.locations.get(name).cloned().unwrap_or(LocationName::Unnamed);
                }
            }
        }
        Ok(Arc::default())
    }

    /// Reads `loc(…)`.
    pub(super) fn location(&mut self) -> Parsed<LocationName<'a>> {
        self.expect_word("loc")?;
        self.expect('(')?;
        let place = self.place()?;
        self.expect(')')?;
        Ok(place)
    }

    fn place(&mut self) -> Parsed<LocationName<'a>> {
        self.nested(|p| match p.token {
            Token::Hash(name) => {
                p.advance();
                if p.token == Token::Mark('<') && p.start == p.end {
                    p.skip_balanced()?;
                    return Ok(LocationName::Unnamed);
                }
                Ok(LocationName::Alias(name))
            }
            Token::Text(text) => {
                p.advance();
                p.named_or_file(text)
            }
            Token::Word("callsite") => {
                p.advance();
                p.expect('(')?;
                let callee = p.place()?;
                p.expect_word("at")?;
                let caller = p.place()?;
                p.expect(')')?;
                Ok(if matches!(callee, LocationName::Unnamed) { caller } else { callee })
            }
            Token::Word("fused") => {
                p.advance();
                if p.token == Token::Mark('<') {
                    p.skip_balanced()?;
                }
                p.expect('[')?;
                let mut first = LocationName::Unnamed;
                p.list_until(']', |p| {
                    // A name says more than an alias, which may refer to a file.
                    let place = p.place()?;
                    first = match (&first, &place) {
                        (LocationName::Unnamed, _) | (LocationName::Alias(_), LocationName::Named(_)) => {
                            place
                        }
                        _ => return Ok(()),
                    };
                    Ok(())
                })?;
                Ok(first)
            }
            Token::Word("unknown") => {
                p.advance();
                Ok(LocationName::Unnamed)
            }
            Token::Word("loc") => p.location(),
            _ => p.expected("a location"),
        })
    }

    /// Reads the rest after the string of a location: a file's line and column, or the location that has the name.
    fn named_or_file(&mut self, text: &str) -> Parsed<LocationName<'a>> {
        if self.token == Token::Mark(':') {
            while matches!(self.token, Token::Mark(':') | Token::Number(_) | Token::Word("to")) {
                self.advance();
            }
            return Ok(LocationName::Unnamed);
        }
        if self.eat('(') {
            self.place()?;
            self.expect(')')?;
        }
        Ok(LocationName::Named(unescape(text).into()))
    }
}
