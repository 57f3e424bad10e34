//! Finds the longest functions by indentation: a function ends at a closing brace in its own column.

use super::{SHOWN, Source};

/// A function and its location.
pub(crate) struct Function<'a> {
    pub lines: usize,
    pub path: &'a str,
    pub line: usize,
    pub name: String,
    pub in_tests: bool,
}

/// Every function of the sources.
pub(crate) fn functions(sources: &[Source]) -> Vec<Function<'_>> {
    sources.iter().flat_map(of_file).collect()
}

fn of_file(source: &Source) -> Vec<Function<'_>> {
    let lines: Vec<&str> = source.text.lines().collect();
    let tests_from = source.code().lines().count();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        // Declared without a body, or with a body on the same line.
        let short = line.ends_with(';') || line.ends_with('}');
        let Some(name) = function_name(line).filter(|_| !short) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let close = format!("{indent}}}");
        let Some(length) = lines[at..].iter().position(|l| *l == close) else { continue };
        found.push(Function {
            lines: length + 1,
            path: &source.path,
            line: at + 1,
            name,
            in_tests: source.is_test() || at >= tests_from,
        });
    }
    found
}

fn function_name(line: &str) -> Option<String> {
    let trimmed = line.trim_start();
    let at = if trimmed.starts_with("fn ") { 0 } else { trimmed.find(" fn ")? + 1 };
    let is_modifier = |word: &str| {
        matches!(word, "const" | "async" | "unsafe" | "extern" | "\"C\"" | "default")
            || word.starts_with("pub")
    };
    if !trimmed[..at].split_whitespace().all(is_modifier) {
        return None;
    }
    let name: String = trimmed[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

#[allow(clippy::print_stdout)]
pub(crate) fn report(sources: &[Source]) {
    let mut all = functions(sources);
    all.sort_by_key(|f| std::cmp::Reverse(f.lines));
    println!("Longest functions (lines):");
    for f in all.iter().take(SHOWN) {
        println!("{:>7}  {}:{} {}", f.lines, f.path, f.line, f.name);
    }
    println!();
}
