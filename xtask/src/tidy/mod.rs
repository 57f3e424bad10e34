//! `cargo xtask tidy`: reports the outliers of the code base, and fails if a rule is broken.

mod architecture;
mod duplicates;
mod functions;
mod names;
mod ops;
mod orphans;
mod paths;
mod prose;
mod rules;

use crate::{Outcome, map};
use std::path::{Path, PathBuf};

/// Number of rows in each list.
const SHOWN: usize = 8;

/// One source file.
pub(crate) struct Source {
    /// Relative to the workspace.
    pub path: String,
    pub text: String,
}

impl Source {
    /// Whether the file contains only tests.
    pub(crate) fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        self.path.contains("/tests/")
            || self.path.contains("/benches/")
            || self.path.contains("/examples/")
            || name == "tests.rs"
            || name.ends_with("_tests.rs")
    }

    /// The text before inline tests.
    pub(crate) fn code(&self) -> &str {
        let inline = |at: &usize| {
            let mut after = self.text[*at..].lines().skip(1).take_while(|l| l.starts_with(['#', 'm']));
            after.any(|l| l.starts_with("mod ") && l.ends_with('{'))
        };
        let tests = self.text.match_indices("#[cfg(test)]\n").map(|m| m.0).find(inline);
        tests.map_or(&self.text, |at| &self.text[..at])
    }
}

/// Prints the report and fails if a rule is broken.
#[allow(clippy::print_stdout)]
pub(crate) fn tidy(root: &Path) -> Outcome {
    let sources = sources(root)?;
    let total: usize = sources.iter().map(|s| s.text.lines().count()).sum();
    let tests: usize = sources.iter().filter(|s| s.is_test()).map(|s| s.text.lines().count()).sum();
    println!("{} Rust files, {total} lines ({tests} in test files)\n", sources.len());
    largest_files(&sources);
    functions::report(&sources);
    duplicates::report(&sources);
    ops::report(&sources);
    names::report(&sources);
    let mut broken = rules::broken(&sources);
    broken.extend(orphans::broken(&sources, &manifests(root)));
    broken.extend(names::broken(&sources));
    broken.extend(ops::broken(&sources));
    broken.extend(map::rooms::broken(map::rooms::ROOMS, &map::manifests(root)?));
    broken.extend(map::broken(root, &sources)?);
    broken.extend(architecture::broken(root, &sources)?);
    broken.extend(paths::broken(root, &sources)?);
    broken.extend(prose::broken(root, &sources)?);
    broken.extend(crate::debt::broken(root)?);
    if broken.is_empty() {
        println!("tidy: no rule of ARCHITECTURE.md is broken");
        return Ok(());
    }
    Err(format!("{} broken rule(s):\n  {}", broken.len(), broken.join("\n  ")))
}

#[allow(clippy::print_stdout)]
fn largest_files(sources: &[Source]) {
    let mut sizes: Vec<(usize, &str)> =
        sources.iter().map(|s| (s.text.lines().count(), s.path.as_str())).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    println!("Largest files (lines):");
    sizes.iter().take(SHOWN).for_each(|(lines, path)| println!("{lines:>7}  {path}"));
    println!();
}

/// The Rust files of the workspace, sorted by path.
pub(crate) fn sources(root: &Path) -> Result<Vec<Source>, String> {
    let mut paths = Vec::new();
    for folder in ["benches", "crates", "xtask", "fuzz"] {
        collect(&root.join(folder), "rs", &mut paths);
    }
    read(root, paths)
}

/// The files at these paths, sorted by path.
fn read(root: &Path, mut paths: Vec<PathBuf>) -> Result<Vec<Source>, String> {
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        Ok(Source { path: relative, text })
    };
    paths.into_iter().map(read).collect()
}

/// The manifests of the workspace, concatenated.
fn manifests(root: &Path) -> String {
    let mut paths = Vec::new();
    ["benches", "crates", "xtask", "fuzz"].iter().for_each(|f| collect(&root.join(f), "toml", &mut paths));
    paths.iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

/// The files with this extension, at any depth, except in build folders (`target`).
pub(crate) fn collect(folder: &Path, extension: &str, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            if path.file_name().is_none_or(|n| n != "target") {
                collect(&path, extension, out);
            }
        } else if path.extension().is_some_and(|e| e == extension) {
            out.push(path);
        }
    }
}
