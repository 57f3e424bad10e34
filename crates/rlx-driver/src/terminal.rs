//! Escapes text before it is written to a terminal. Names, labels and messages may come from files, and a terminal
//! interprets control characters in them: they can change its title, its colors and earlier output.

use std::borrow::Cow;
use std::io::{self, Write};

/// Replaces everything that a terminal would interpret with escapes: control characters other than line breaks and
/// tabs, and the characters that change the direction of text (<https://trojansource.codes>).
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_obeyed(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

fn is_obeyed(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && c != '\n' && c != '\t')
}

/// Writes requested text, such as a report, to standard error, escaped. Failures are ignored, since there is nowhere
/// left to report them.
pub fn report(text: &str) {
    let _ = io::stderr().lock().write_all(escaped(text).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        let hostile = "a\u{1b}]0;title\u{7}b\r\u{9b}31m\u{202e}c\u{7f}";
        assert_eq!(escaped(hostile), "a\\u{1b}]0;title\\u{7}b\\u{d}\\u{9b}31m\\u{202e}c\\u{7f}");
        assert!(matches!(escaped("é\t→\n"), Cow::Borrowed("é\t→\n")));
    }
}
