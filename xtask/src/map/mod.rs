//! `cargo xtask map`: generates the pages that say where things are from the sources. These are docs/map.md, with the
//! first sentence of every file, and the parts of ARCHITECTURE.md between markers.

mod architecture;
mod crates;
mod page;
pub(crate) mod rooms;
mod sentence;

use crate::Outcome;
use crate::tidy::{Source, sources};
use crate::write::write;
use crates::Package;
use sentence::first_sentence;
use std::path::Path;

pub(crate) use architecture::ARCHITECTURE;
pub(crate) use crates::manifests;

/// The page with one line per file, relative to the workspace.
const MAP: &str = "docs/map.md";
/// Maximum length of a first sentence in characters, so that it fits on a line of the map.
const LONGEST_SENTENCE: usize = 160;

/// Writes both pages. With `--check`, it writes nothing and fails if a page is out of date.
#[allow(clippy::print_stdout)]
pub(crate) fn map(root: &Path, args: &[String]) -> Outcome {
    let check = match args {
        [] => false,
        [only] if only == "--check" => true,
        _ => return Err(format!("`map {}`: `--check` is its only argument", args.join(" "))),
    };
    let sources = sources(root)?;
    let missing = sentences_missing(&sources);
    if !missing.is_empty() {
        return Err(format!("{} file(s) cannot be listed:\n  {}", missing.len(), missing.join("\n  ")));
    }
    if check {
        let stale = stale(root, &sources)?;
        return if stale.is_empty() { Ok(()) } else { Err(stale.join("\n  ")) };
    }
    for (path, text) in pages(root, &sources)? {
        write(&root.join(path), &text)?;
    }
    println!("map: {} files in {MAP}, and the layers in {ARCHITECTURE}", sources.len());
    Ok(())
}

/// A message for every file whose first sentence is missing or too long, and for every page that is out of date.
pub(crate) fn broken(root: &Path, sources: &[Source]) -> Result<Vec<String>, String> {
    let mut problems = sentences_missing(sources);
    if problems.is_empty() {
        problems = stale(root, sources)?;
    }
    Ok(problems)
}

/// A message for each page that differs from what [`map()`] writes.
fn stale(root: &Path, sources: &[Source]) -> Result<Vec<String>, String> {
    Ok(differing(&pages(root, sources)?, |path| std::fs::read_to_string(root.join(path)).ok()))
}

/// A message for each page whose text differs from what `read` returns.
fn differing(pages: &[(&str, String)], read: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let stale = pages.iter().filter(|(path, text)| read(path).as_ref() != Some(text));
    stale.map(|(path, _)| format!("{path} is not up to date: run `cargo xtask map`")).collect()
}

/// The pages as they should be, by path.
fn pages(root: &Path, sources: &[Source]) -> Result<[(&'static str, String); 2], String> {
    let manifests = manifests(root)?;
    let packages = Package::all(&manifests, sources);
    let path = root.join(ARCHITECTURE);
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let text = architecture::with_parts(&text, &manifests, &packages)?;
    Ok([(MAP, page::text(&packages)), (ARCHITECTURE, text)])
}

/// A message for each file that the map cannot list on one line. Tests and examples are only counted, but need a first
/// sentence as well.
fn sentences_missing(sources: &[Source]) -> Vec<String> {
    let message = |source: &Source| {
        let Some(sentence) = first_sentence(&source.text) else {
            return Some(format!(
                "{}: the docs of the module (`//!`) do not begin with a sentence",
                source.path
            ));
        };
        let length = sentence.chars().count();
        (length > LONGEST_SENTENCE && !source.is_test()).then(|| {
            format!(
                "{}: the first sentence of its docs has {length} characters, {LONGEST_SENTENCE} are allowed",
                source.path
            )
        })
    };
    sources.iter().filter_map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.into(), text: text.into() }
    }

    #[test]
    fn pages_that_differ_are_stale() {
        let pages = [(MAP, "map\n".to_string()), (ARCHITECTURE, "architecture\n".into())];
        let found = |path: &str| pages.iter().find(|(p, _)| *p == path).map(|(_, text)| text.clone());
        assert_eq!(differing(&pages, found), [""; 0]);
        let expected = [
            "docs/map.md is not up to date: run `cargo xtask map`",
            "ARCHITECTURE.md is not up to date: run `cargo xtask map`",
        ];
        assert_eq!(differing(&pages, |_| None), expected);
        assert_eq!(differing(&pages, |path| Some(found(path)? + "\n")), expected);
    }

    #[test]
    fn files_without_a_short_first_sentence_are_found() {
        let long = format!("//! {}.\n", "word ".repeat(60));
        let sources = [
            source("crates/a/src/lib.rs", "//! A crate.\n"),
            source("crates/a/src/b.rs", "//! No end\n"),
            source("crates/a/src/c.rs", "fn c() {}\n"),
            source("crates/a/src/d.rs", &long),
            source("crates/a/tests/e.rs", &long),
        ];
        let problems = sentences_missing(&sources);
        assert_eq!(problems.len(), 3, "{problems:?}");
        assert!(problems[0].starts_with("crates/a/src/b.rs: "));
        assert!(problems[1].starts_with("crates/a/src/c.rs: "));
        assert!(problems[2].contains("301 characters"), "{}", problems[2]);
    }
}
