//! Extracts the first sentence of a module's docs.

/// Words that end in a period inside a sentence.
const ABBREVIATIONS: &[&str] = &["al", "cf", "ed", "e.g", "i.e", "vs"];

/// The first sentence of a file's `//!` docs, on one line and without links to code; `None` if there is none.
pub(super) fn first_sentence(text: &str) -> Option<String> {
    let lines = text.lines().map(str::trim).skip_while(|l| l.is_empty() || l.starts_with("#!["));
    let docs = lines.map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let paragraph: Vec<&str> = docs.take_while(|line| !line.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    let end = end(&paragraph)?;
    Some(without_links(&paragraph[..end]))
}

/// The end of the first sentence of a paragraph. Punctuation inside code or parentheses does not end it.
fn end(paragraph: &str) -> Option<usize> {
    let (mut in_code, mut depth) = (false, 0_usize);
    for (at, c) in paragraph.char_indices() {
        match c {
            '`' => in_code = !in_code,
            '(' if !in_code => depth += 1,
            ')' if !in_code => depth = depth.saturating_sub(1),
            '.' | '!' | '?' if !in_code && depth == 0 => {
                let after = &paragraph[at + 1..];
                let begins = |rest: &str| rest.starts_with(|c: char| !c.is_lowercase());
                let closed = after.is_empty() || after.strip_prefix(' ').is_some_and(begins);
                if closed && !is_abbreviated(&paragraph[..at]) {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether the text before a period ends with an abbreviation or an initial.
fn is_abbreviated(before: &str) -> bool {
    let word = before.rsplit([' ', '(']).next().unwrap_or_default();
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase);
    initial || ABBREVIATIONS.contains(&word)
}

/// Replaces ``[`Name`](path)`` and ``[`Name`]`` by `` `Name` ``; links to the web stay.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let Some(close) = rest[open..].find(']').map(|at| open + at) else { break };
        let (label, after) = (&rest[open + 1..close], &rest[close + 1..]);
        let target = after.strip_prefix('(').and_then(|t| link_end(t).map(|end| (&t[..end], &t[end + 1..])));
        let in_code = rest[..open].matches('`').count() % 2 == 1;
        match target {
            _ if in_code => {
                out.push_str(&rest[..=close]);
                rest = after;
            }
            Some((path, after)) if !path.starts_with("http") => {
                out.push_str(&rest[..open]);
                out.push_str(label);
                rest = after;
            }
            None if label.starts_with('`') => {
                out.push_str(&rest[..open]);
                out.push_str(label);
                rest = after;
            }
            _ => {
                out.push_str(&rest[..=close]);
                rest = after;
            }
        }
    }
    out + rest
}

/// The end of a link's target: the matching closing parenthesis.
fn link_end(target: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in target.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_at_the_first_mark_that_ends_one() {
        let first = |text: &str| first_sentence(text).unwrap_or_default();
        assert_eq!(first("//! Sums of\n//! products. More.\n\nfn f() {}"), "Sums of products.");
        assert_eq!(first("#![no_main]\n//! Any bytes.\n"), "Any bytes.");
        assert_eq!(
            first("//! LU (Golub et al. 4th ed., 3.4) in 0.81 s. M"),
            "LU (Golub et al. 4th ed., 3.4) in 0.81 s."
        );
        assert_eq!(first("//! By M. Gu et al. in `a. B` form. Next"), "By M. Gu et al. in `a. B` form.");
        assert_eq!(first("//! Is it? Yes."), "Is it?");
        assert_eq!(first("//! The file `.mil`. `x` is next."), "The file `.mil`.");
    }

    #[test]
    fn a_paragraph_without_an_end_is_no_sentence() {
        assert_eq!(first_sentence("//! A list:\n//!\n//! - one.\n"), None);
        assert_eq!(first_sentence("use std::fmt;\n//! Late.\n"), None);
        assert_eq!(first_sentence(""), None);
    }

    #[test]
    fn links_to_code_lose_their_targets() {
        let text = "//! [`Graph`]s by [`verify`](crate::verify()), `a[i]`, [ggml](https://ggml.ai).";
        assert_eq!(
            first_sentence(text).as_deref(),
            Some("`Graph`s by `verify`, `a[i]`, [ggml](https://ggml.ai).")
        );
    }
}
