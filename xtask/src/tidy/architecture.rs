//! Checks the size of ARCHITECTURE.md, and that its invariants and the citations of them in code match.

use super::Source;
use crate::map::ARCHITECTURE;
use std::collections::BTreeSet;
use std::path::Path;

/// Maximum size of the page in bytes.
const LARGEST: usize = 16 * 1024;
/// Maximum number of invariants on the page.
const MOST_INVARIANTS: usize = 25;
/// How an invariant is defined: `**IR-1**` at the beginning of a list item.
const DEFINITION: &str = "- **";

/// Messages about the page, and about sources and pages that cite it incorrectly.
pub(crate) fn broken(root: &Path, sources: &[Source]) -> Result<Vec<String>, String> {
    let read = |path: &str| std::fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"));
    let text = read(ARCHITECTURE)?;
    let mut pages = vec!["CONTRIBUTING.md".to_string(), "README.md".into()];
    let docs = std::fs::read_dir(root.join("docs")).map_err(|e| format!("docs: {e}"))?;
    let names = docs.flatten().map(|entry| format!("docs/{}", entry.file_name().to_string_lossy()));
    pages.extend(names.filter(|name| name.ends_with(".md")));
    pages.sort();
    let mut problems = Vec::from_iter(size(&text));
    problems.extend(invariants(&text, sources));
    let known = defined(&text);
    for page in pages {
        problems.extend(unknown(&page, &read(&page)?, &known));
    }
    Ok(problems)
}

fn size(text: &str) -> Option<String> {
    let bytes = text.len();
    (bytes > LARGEST).then(|| {
        format!("{ARCHITECTURE} has {bytes} bytes, {LARGEST} are allowed: move what concerns only one crate to that crate's docs")
    })
}

/// The names of invariants that the page defines, each once.
fn defined(text: &str) -> Vec<&str> {
    let begins = text.lines().filter_map(|line| line.strip_prefix(DEFINITION)?.split_once("**"));
    begins.map(|(name, _)| name).filter(|name| split(name).is_some()).collect()
}

/// A room and a number, as in `IR-1`.
fn split(name: &str) -> Option<(&str, u32)> {
    let (room, number) = name.split_once('-')?;
    let is_room = room.len() > 1 && room.chars().all(|c| c.is_ascii_uppercase());
    Some((room, number.parse().ok()?)).filter(|_| is_room)
}

/// A message if there are too many invariants, for each one that is defined twice or never cited, and for each citation
/// of one that does not exist.
fn invariants(text: &str, sources: &[Source]) -> Vec<String> {
    let names = defined(text);
    let mut problems = Vec::new();
    if names.len() > MOST_INVARIANTS {
        problems
            .push(format!("{ARCHITECTURE} has {} invariants, {MOST_INVARIANTS} are allowed", names.len()));
    }
    let mut cited = BTreeSet::new();
    // The tests of these checks cite invariants that do not exist.
    for source in sources.iter().filter(|s| !s.path.starts_with("xtask/")) {
        cited.extend(citations(&source.text, &names));
        problems.extend(unknown(&source.path, &source.text, &names));
    }
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            problems.push(format!("{ARCHITECTURE} defines {name} twice"));
        } else if !cited.contains(name) {
            problems.push(format!("{name} is not cited in code; name it where the code maintains it"));
        }
    }
    problems
}

/// A message for each invariant named in the text that the page does not define.
fn unknown(path: &str, text: &str, names: &[&str]) -> Vec<String> {
    let unknown: BTreeSet<&str> = citations(text, names).into_iter().filter(|c| !names.contains(c)).collect();
    unknown.into_iter().map(|c| format!("{path} cites {c}, which {ARCHITECTURE} does not define")).collect()
}

/// The words of a text that have the form of an invariant: a room that has invariants with any number, and any name
/// after the word “invariant”.
fn citations<'a>(text: &'a str, names: &[&str]) -> Vec<&'a str> {
    let rooms: BTreeSet<&str> = names.iter().filter_map(|name| split(name)).map(|(room, _)| room).collect();
    let mut found = Vec::new();
    for line in text.lines().filter(|line| line.contains('-')) {
        let mut after_word = false;
        for word in line.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
            if let Some((room, _)) = split(word)
                && (after_word || rooms.contains(room))
            {
                found.push(word);
            }
            if !word.is_empty() {
                after_word = word.eq_ignore_ascii_case("invariant");
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "# A\n\n- **IR-1** Operands come first.\n- **IR-2** Text is exact.\n- **Bold** is no name.\n";

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.into(), text: text.into() }
    }

    #[test]
    fn invariants_are_cited_and_exist() {
        let good =
            [source("a.rs", "//! Keeps invariant IR-1.\n"), source("b.rs", "// IR-2: exact. UTF-8.\n")];
        assert_eq!(invariants(PAGE, &good), [""; 0]);
        let bad = [source("a.rs", "// IR-1, IR-7\n// Invariant GEMM-1 is gone; AVX-512 is none.\n")];
        let expected = [
            "a.rs cites GEMM-1, which ARCHITECTURE.md does not define",
            "a.rs cites IR-7, which ARCHITECTURE.md does not define",
            "IR-2 is not cited in code; name it where the code maintains it",
        ];
        assert_eq!(invariants(PAGE, &bad), expected);
    }

    #[test]
    fn an_invariant_is_defined_once_and_there_are_few() {
        let twice = "- **IR-1** a\n- **IR-1** b\n";
        let sources = [source("a.rs", "// IR-1\n")];
        assert_eq!(invariants(twice, &sources), ["ARCHITECTURE.md defines IR-1 twice"]);
        let many: String = (1..=26).map(|n| format!("- **IR-{n}** x\n")).collect();
        let cited = [source("a.rs", &(1..=26).map(|n| format!("// IR-{n}\n")).collect::<String>())];
        assert_eq!(invariants(&many, &cited), ["ARCHITECTURE.md has 26 invariants, 25 are allowed"]);
    }

    #[test]
    fn the_page_is_small() {
        assert_eq!(size(&"x".repeat(LARGEST)), None);
        assert!(size(&"x".repeat(LARGEST + 1)).is_some());
    }
}
