//! Counts the occurrences of `unsafe` in Rust code, except in comments, literals and names of lints.

use std::path::Path;

/// Folders of a crate that are not built into its dependents.
const BESIDE: &[&str] = &["tests", "benches", "examples", "target"];

/// The number of occurrences in the Rust files in a folder, without `build.rs`.
pub(super) fn in_folder(folder: &Path) -> Result<usize, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut places = 0;
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if path.is_dir() && !BESIDE.contains(&name) {
            places += in_folder(&path)?;
        } else if name.ends_with(".rs") && name != "build.rs" {
            let bytes = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            places += in_code(&bytes);
        }
    }
    Ok(places)
}

/// The number of occurrences in the text of a file.
pub(super) fn in_code(mut code: &[u8]) -> usize {
    let mut places = 0;
    while let Some(&first) = code.first() {
        let length = match first {
            b'/' if code.starts_with(b"//") => line(code),
            b'/' if code.starts_with(b"/*") => block(code),
            b'"' => string(code),
            b'\'' => character(code),
            _ if is_word(first) => {
                let length = code.iter().take_while(|&&b| is_word(b)).count();
                let (word, rest) = code.split_at(length);
                places += usize::from(word == b"unsafe");
                length + if matches!(word, b"r" | b"br" | b"cr") { raw(rest) } else { 0 }
            }
            _ => 1,
        };
        code = &code[length.min(code.len())..];
    }
    places
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn line(code: &[u8]) -> usize {
    code.iter().take_while(|&&b| b != b'\n').count()
}

/// The length of a comment between `/*` and `*/`, which nest.
fn block(code: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < code.len() {
        match &code[at..] {
            [b'/', b'*', ..] => (at, depth) = (at + 2, depth + 1),
            [b'*', b'/', ..] => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn string(code: &[u8]) -> usize {
    let mut at = 1;
    while at < code.len() && code[at] != b'"' {
        at += if code[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// The length of the rest of a raw string, from the character after its `r`; 0 if it is not one.
fn raw(code: &[u8]) -> usize {
    let hashes = code.iter().take_while(|&&b| b == b'#').count();
    if code.get(hashes) != Some(&b'"') {
        return 0;
    }
    let end: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let inner = &code[hashes + 1..];
    let length = inner.windows(end.len()).position(|w| w == end).unwrap_or(inner.len());
    hashes + 1 + length + end.len()
}

/// The length of a character literal; 1 if the quote begins a lifetime.
fn character(code: &[u8]) -> usize {
    match code {
        [_, b'\\', _, rest @ ..] => 3 + rest.iter().take_while(|&&b| b != b'\'').count() + 1,
        // A character takes up to four bytes. No quote follows a lifetime of one letter.
        _ => (2..=5)
            .find(|&end| code.get(end) == Some(&b'\''))
            .filter(|&end| one(&code[1..end]))
            .map_or(1, |end| end + 1),
    }
}

/// Whether these bytes are a single character.
fn one(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| text.chars().count() == 1)
}

#[cfg(test)]
mod tests {
    use super::in_code;

    #[test]
    fn code_counts_and_nothing_else() {
        let counted =
            ["unsafe {}", "a(unsafe{b})", "unsafe fn f<'a>() {}", "#[unsafe(no_mangle)]", "'\\'' unsafe"];
        for code in counted.into_iter().chain(["'\"' unsafe \"", "'ü' unsafe", "f::<'a, 'b>(unsafe { g() })"])
        {
            assert_eq!(in_code(code.as_bytes()), 1, "{code}");
        }
        let not =
            ["// unsafe", "/* /* unsafe */ unsafe */", "\"unsafe\"", "\"\\\" unsafe\"", "r#\"\" unsafe\"#"];
        for code in
            not.into_iter().chain(["#![forbid(unsafe_code)]", "not_unsafe", "br\"\\\" + \"unsafe\"", ""])
        {
            assert_eq!(in_code(code.as_bytes()), 0, "{code}");
        }
        assert_eq!(in_code(b"unsafe // unsafe\nunsafe /* \" */ unsafe \"*/ unsafe"), 3);
    }
}
