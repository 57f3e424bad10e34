//! Escapes names and other text from files before they are written into code, messages or terminals.
//!
//! The name of a graph, parameter, symbol or tensor is data chosen by the author of a file. All code that writes text
//! passes such names through a function of this crate, so that a name cannot end a comment, a string or a line and be
//! read as code.
//!
//! | text | function |
//! |---|---|
//! | identifiers of Rust, C, MLIR, ML Programs, WGSL | [`identifier`], [`words`] |
//! | line comments of any language | [`comment`] |
//! | code in Markdown, as in doc comments | [`markdown_code`] |
//! | strings of MLIR | [`mlir_string`] |
//! | strings of Graphviz | [`graphviz_string`] |
//! | text and attributes of XML, SVG and HTML | [`xml`] |
//! | messages | [`one_line`], [`printable`] |
//! | output of programs on terminals | [`terminal`] |

use std::borrow::Cow;
use std::fmt::Write;

/// Maximum characters of a name to keep in an identifier. File systems allow 255 bytes for the files that compilers
/// make from one.
pub const IDENTIFIER_CHARACTERS: usize = 100;

/// Maximum characters of a name to keep in a comment.
const COMMENT_CHARACTERS: usize = 120;

/// Replaces every character with `_`, except for ASCII letters, digits, `_` and those that `also` allows. The result
/// may be empty, begin with a digit, or be a reserved word.
pub fn words(name: &str, also: impl Fn(char) -> bool) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || c == '_' || also(c) { c } else { '_' };
    name.chars().map(kept).collect()
}

/// An ASCII identifier made from the name: at most [`IDENTIFIER_CHARACTERS`] characters plus the prefix, consisting of
/// letters, digits and `_`. Each run of other characters becomes one `_`, and none is left at the end, following the
/// naming rules of Rust and C. The identifier begins with `prefix` if the name begins with a digit or has no letters or
/// digits. Different names may yield the same identifier, and it may be a reserved word; callers must resolve both
/// cases.
pub fn identifier(name: &str, prefix: char) -> String {
    let mut text = String::new();
    for c in words(name, |_| false).chars().take(IDENTIFIER_CHARACTERS) {
        if c != '_' || !text.ends_with('_') {
            text.push(c);
        }
    }
    text.truncate(text.trim_end_matches('_').len());
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, prefix);
    }
    text
}

/// Whether a character is shown as an escape: it controls a terminal or the direction of text, ends a line, or is
/// invisible without being part of words, unlike the joiners of Persian and emoji.
fn is_hidden(c: char) -> bool {
    let marks =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{206f}');
    let others = matches!(c, '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e0fff}');
    c.is_control() || marks || others
}

/// Appends a character as a Rust escape.
fn push_escape(out: &mut String, c: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\\' => out.push_str("\\\\"),
        c => out.extend(c.escape_unicode()),
    }
}

/// The text on one line: control characters, line ends, and characters that change the direction of text become Rust
/// escapes, and backslashes are doubled.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) || c == '\\')
}

/// The text with its line breaks and tabs, but with all other control characters as Rust escapes, so that terminals
/// only display it.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, |c| c != '\n' && c != '\t' && is_hidden(c))
}

/// The text with everything that a terminal would interpret as escapes: control characters other than line breaks and
/// tabs, which can change its title, its colors and earlier output, and characters that change the direction of text
/// (<https://trojansource.codes>). Unlike [`printable`], it keeps invisible characters, which emoji contain.
pub fn terminal(text: &str) -> Cow<'_, str> {
    let is_interpreted = |c: char| {
        let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || (c.is_control() && c != '\n' && c != '\t')
    };
    if !text.contains(is_interpreted) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_interpreted(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_escaped(c) { push_escape(&mut out, c) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// The first characters of a text, and whether it is longer.
fn shortened(text: &str) -> (&str, bool) {
    match text.char_indices().nth(COMMENT_CHARACTERS) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

/// The text for a line comment: on one line, with at most 120 characters and a `…`. It cannot end a block comment
/// either: `*/` becomes `*\u{2f}`, and `/*` becomes `/\u{2a}`.
pub fn comment(text: &str) -> String {
    let (text, more) = shortened(text);
    let line = one_line(text).replace("*/", "*\\u{2f}").replace("/*", "/\\u{2a}");
    if more { line + "…" } else { line }
}

/// The text as Markdown code, with its backticks, for doc comments: on one line, with at most 120 characters and a `…`.
/// Backticks in the text become escapes, and so do `<` and `&`, which some Markdown readers treat as HTML.
pub fn markdown_code(text: &str) -> String {
    let mut line = comment(text);
    for (character, escape) in [("`", "\\u{60}"), ("<", "\\u{3c}"), ("&", "\\u{26}")] {
        line = line.replace(character, escape);
    }
    // Markdown drops spaces at the ends of code, and empty code is not code.
    if line.trim().is_empty() { "`\"\"`".into() } else { format!("`{line}`") }
}

/// The text as an MLIR string, with its quotes. Bytes that are not printable ASCII become two hexadecimal digits ([MLIR
/// language reference](https://mlir.llvm.org/docs/LangRef/)).
pub fn mlir_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=b'~' => out.push(char::from(byte)),
            // INVARIANT: writing to a String cannot fail.
            other => drop(write!(out, "\\{other:02X}")),
        }
    }
    out.push('"');
    out
}

/// The text as a string of Graphviz's DOT language, with its quotes; line breaks become those of labels. Backslashes
/// are doubled, since Graphviz replaces `\N`, `\G` and others in labels
/// ([escString](https://graphviz.org/docs/attr-types/escString/)), and control characters become escapes.
pub fn graphviz_string(text: &str) -> String {
    let shown = printable(text);
    // The backslashes of escapes from `printable` are doubled as well. `&` begins HTML entities.
    let escaped = shown.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

/// The text for XML, SVG and HTML, between tags and in attributes with either kind of quotes. Characters that XML 1.0
/// does not allow ([section 2.2](https://www.w3.org/TR/xml/#charsets)) become Rust escapes.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that end a comment, string, line, tag or block, or control a terminal.
    const HOSTILE: &[&str] = &[
        "",
        " ",
        "`",
        "```",
        "x`\n//!\n//! ```\n//! std::fs::write(\"pwned\", \"\").unwrap();\n//! ```\n//! `",
        "*/ int main() {} /*",
        "\" \\\" \\",
        "a\rb\u{85}c\u{2028}d\u{2029}e\u{b}f\u{c}g",
        "\u{1b}]0;title\u{7}\u{9b}31m",
        "\u{202e}reversed\u{2066}",
        "<script>alert('1')</script>&amp;",
        "\0\u{7f}\u{fffe}\u{ad}\u{200b}",
        "\\N\\G\\u{60}",
        "fn",
        "9 lives",
        "Füße 足",
    ];

    #[test]
    fn what_a_terminal_interprets_is_escaped() {
        let hostile = "a\u{1b}]0;title\u{7}b\r\u{9b}31m\u{202e}c\u{7f}";
        assert_eq!(terminal(hostile), "a\\u{1b}]0;title\\u{7}b\\u{d}\\u{9b}31m\\u{202e}c\\u{7f}");
        assert!(matches!(terminal("é\t→\n\u{1f3f4}\u{e0067}"), Cow::Borrowed(_)));
    }

    #[test]
    fn nothing_hidden_is_left() {
        for name in HOSTILE {
            for text in [one_line(name).into_owned(), comment(name), markdown_code(name), mlir_string(name)] {
                assert!(!text.chars().any(is_hidden), "{text:?}");
            }
            let lines = printable(name);
            assert!(!lines.chars().any(|c| is_hidden(c) && c != '\n' && c != '\t'), "{lines:?}");
        }
    }

    #[test]
    fn comments_and_code_stay_open() {
        for name in HOSTILE {
            let text = comment(name);
            assert!(!text.contains("*/") && !text.contains("/*"), "{text}");
            let code = markdown_code(name);
            assert!(code.matches('`').count() == 2 && !code.contains('<'), "{code}");
        }
        assert_eq!(comment("a\nb"), "a\\nb");
        assert_eq!(markdown_code("Llama"), "`Llama`");
        assert_eq!(comment(&"é".repeat(1000)).chars().count(), COMMENT_CHARACTERS + 1);
    }

    #[test]
    fn different_text_is_shown_differently() {
        assert_ne!(one_line("a\nb"), one_line("a\\nb"));
        assert_eq!(one_line("it's \"plain\""), "it's \"plain\"");
    }

    #[test]
    fn identifiers_are_identifiers() {
        for name in HOSTILE.iter().copied().chain([&"x".repeat(10_000)[..]]) {
            let text = identifier(name, 'n');
            assert!(text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'), "{text}");
            assert!(text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{text}");
            assert!(!text.contains("__") && !text.ends_with('_'), "{text}");
            assert!(text.len() <= IDENTIFIER_CHARACTERS + 1, "{text}");
        }
        assert_eq!(identifier("model.layers.0", 'n'), "model_layers_0");
        assert_eq!(identifier("2d", 'n'), "n2d");
        assert_eq!(words("a.b-c", |c| c == '.'), "a.b_c");
    }

    #[test]
    fn strings_end_where_they_are_closed() {
        for name in HOSTILE {
            for text in [mlir_string(name), graphviz_string(name)] {
                let inside = &text[1..text.len() - 1];
                let mut escaped = false;
                for c in inside.chars() {
                    assert!(escaped || c != '"', "{text}");
                    escaped = !escaped && c == '\\';
                }
                assert!(!escaped, "{text}");
            }
            let text = xml(name);
            assert!(!text.contains(['<', '>', '"', '\'']), "{text}");
        }
        assert_eq!(mlir_string("a\"\n"), "\"a\\\"\\0A\"");
        assert_eq!(graphviz_string("a\nb\u{1b}"), "\"a\\nb\\\\u{1b}\"");
        assert_eq!(xml("a<b & 'c'"), "a&lt;b &amp; &#39;c&#39;");
    }
}
