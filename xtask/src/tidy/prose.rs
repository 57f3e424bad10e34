//! Checks the spelling of prose and names, and finds phrases that have a plainer form.

use super::{Source, collect, read};
use std::path::Path;

/// This file, which names what it looks for.
const OWN: &str = "xtask/src/tidy/prose.rs";
/// Folders whose pages and scripts are checked. The pages at the root are checked as well.
const FOLDERS: &[&str] = &["benches", "crates", "docs", "examples", "fuzz", "scripts", "xtask"];

/// Parts of British spellings, with the American ones. They are also found inside words and identifiers.
const SPELLINGS: &[(&str, &str)] = &[
    ("artefact", "artifact"),
    ("behaviour", "behavior"),
    ("cancelled", "canceled"),
    ("cancelling", "canceling"),
    ("canonicalis", "canonicaliz"),
    ("centre", "center"),
    ("colour", "color"),
    ("factoris", "factoriz"),
    ("favour", "favor"),
    ("initialis", "initializ"),
    ("labelled", "labeled"),
    ("labelling", "labeling"),
    ("legalis", "legaliz"),
    ("maximis", "maximiz"),
    ("minimis", "minimiz"),
    ("modelled", "modeled"),
    ("modelling", "modeling"),
    ("neighbour", "neighbor"),
    ("normalis", "normaliz"),
    // Not `optimis`, which "optimistic" contains.
    ("optimisa", "optimiza"),
    ("optimise", "optimize"),
    ("optimisi", "optimizi"),
    ("quantis", "quantiz"),
    ("recognis", "recogniz"),
    ("serialis", "serializ"),
    ("synchronis", "synchroniz"),
    ("tokenis", "tokeniz"),
    ("vectoris", "vectoriz"),
];

/// Phrases with a plainer form, and that form. They are found only as whole words, not in names.
const PHRASES: &[(&str, &str)] = &[
    ("are none of", "are not"),
    ("foretell", "predict"),
    ("foretold", "predicted"),
    ("given away", "passed on"),
    ("go on with", "continue"),
    ("goes on with", "continues"),
    ("held against", "compared with"),
    ("hereby", "so"),
    ("is none of", "is not"),
    ("knows not", "does not know"),
    ("laid out anew", "rearranged"),
    ("lies beside", "is next to"),
    ("so many times", "n times"),
    ("stands beside", "is next to"),
    ("stands behind", "follows"),
    ("thereby", "so"),
];

/// A message for each spelling and phrase in the sources, the pages and the scripts.
pub(crate) fn broken(root: &Path, sources: &[Source]) -> Result<Vec<String>, String> {
    let pages = pages(root)?;
    let checked = sources.iter().chain(&pages).filter(|source| source.path != OWN);
    Ok(checked.flat_map(|source| faults(&source.path, &source.text)).collect())
}

/// The pages and scripts of the repository, sorted by path.
fn pages(root: &Path) -> Result<Vec<Source>, String> {
    let mut paths = Vec::new();
    for folder in FOLDERS {
        collect(&root.join(folder), "md", &mut paths);
        collect(&root.join(folder), "py", &mut paths);
    }
    let entries = std::fs::read_dir(root).map_err(|e| format!("{}: {e}", root.display()))?;
    let files = entries.flatten().map(|entry| entry.path());
    paths.extend(files.filter(|path| path.extension().is_some_and(|e| e == "md")));
    read(root, paths)
}

/// A message for each spelling and phrase in a text.
fn faults(path: &str, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        let spellings = SPELLINGS.iter().filter(|(part, _)| line.contains(part));
        let phrases = PHRASES.iter().filter(|(phrase, _)| has_words(&line, phrase));
        for (found, instead) in spellings.chain(phrases) {
            problems.push(format!("{path}:{}: `{found}`: write `{instead}`", at + 1));
        }
    }
    problems
}

/// Whether a line contains these words, and not only as parts of longer words or names.
fn has_words(line: &str, words: &str) -> bool {
    let is_inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(words).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + words.len()..]);
        !is_inside(before.chars().next_back()) && !is_inside(after.chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn british_spellings_are_found_in_prose_and_in_names() {
        let text = "/// Recognises a Colour.\nfn quantised() {}\n/// An optimistic color.\n";
        let expected = [
            "a.rs:1: `colour`: write `color`",
            "a.rs:1: `recognis`: write `recogniz`",
            "a.rs:2: `quantis`: write `quantiz`",
        ];
        assert_eq!(faults("a.rs", text), expected);
    }

    #[test]
    fn phrases_are_found_as_whole_words() {
        let text = "This queue is none of tpu.\nAn axis none of them has.\nIt is none often.\n\
                    Held against X.\nfn foretold_text() {}\n";
        let expected =
            ["a.md:1: `is none of`: write `is not`", "a.md:4: `held against`: write `compared with`"];
        assert_eq!(faults("a.md", text), expected);
    }
}
