//! Quotes, escapes and shortens text from a file so that it can be shown in a message. All untrusted text in errors
//! goes through here.

use std::fmt;

/// The maximum length of foreign text in a message, in characters.
const LONGEST: usize = 120;
/// The maximum number of items of a list in a message.
const LONGEST_LIST: usize = 12;

/// Formats foreign text for a message: quoted, with control characters escaped, and truncated to `LONGEST`
/// characters.
pub fn quoted(text: &str) -> String {
    let mut head: String = text.chars().take(LONGEST).collect();
    let cut = head.len() < text.len();
    if cut {
        head.push('…');
    }
    format!("{head:?}")
}

/// Formats a shape for a message: `[2, 3]`, with the end left out if it is very long.
pub fn shape<D: fmt::Display>(dims: &[D]) -> String {
    format!("[{}]", list(dims.iter()))
}

/// Joins items with commas, and counts those beyond `LONGEST_LIST` instead of listing them.
pub fn list<D: fmt::Display>(items: impl ExactSizeIterator<Item = D>) -> String {
    let total = items.len();
    let mut out = String::new();
    for (i, item) in items.take(LONGEST_LIST).enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        out.push_str(&item.to_string());
    }
    if total > LONGEST_LIST {
        out.push_str(&format!(", … {} more", total - LONGEST_LIST));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_escaped_and_cut() {
        assert_eq!(quoted("a\u{1b}[31mb"), r#""a\u{1b}[31mb""#);
        let long = quoted(&"é".repeat(5000));
        assert!(long.chars().count() < 130, "{}", long.chars().count());
        assert!(long.ends_with("…\""));
    }

    #[test]
    fn long_lists_end_in_a_count() {
        assert_eq!(shape(&[2, 3]), "[2, 3]");
        assert_eq!(
            list((0..15).map(|i| i * 10)),
            "0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, … 3 more"
        );
    }
}
