//! Classes of characters as Python defines them.

/// Whether a character is white space for `str.isspace`, `strip`, `split` and `\s`.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// Whether a character ends a line for `str.splitlines`.
pub(crate) fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether `repr` prints a character unchanged.
pub(crate) fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return (' '..='~').contains(&c);
    }
    // After a letter, Rust's debug format only escapes characters that are not printable.
    let mut text = String::from("a");
    text.push(c);
    format!("{text:?}").len() == text.len() + 2
}

/// Writes the title case of a letter, which is nearly always its upper case.
pub(crate) fn title(c: char, out: &mut String) {
    match c {
        // Digraphs have a third form, with an upper and a lower case letter.
        '\u{1c4}'..='\u{1c6}' => out.push('\u{1c5}'),
        '\u{1c7}'..='\u{1c9}' => out.push('\u{1c8}'),
        '\u{1ca}'..='\u{1cc}' => out.push('\u{1cb}'),
        '\u{1f1}'..='\u{1f3}' => out.push('\u{1f2}'),
        c => {
            let mut upper = c.to_uppercase();
            out.extend(upper.next());
            upper.for_each(|rest| out.extend(rest.to_lowercase()));
        }
    }
}

/// Whether a letter has a case.
pub(crate) fn is_cased(c: char) -> bool {
    c.is_lowercase() || c.is_uppercase() || matches!(c, '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}')
}
