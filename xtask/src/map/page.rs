//! Generates docs/map.md: packages by room, folders as nested lists, one line per file.

use super::crates::{File, Package};
use super::rooms::ROOMS;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The text of the page.
pub(super) fn text(packages: &[Package<'_>]) -> String {
    let mut page = String::from(
        "\
# Map of the code

Every source file with the first sentence of its documentation, written by `cargo xtask map`. [ARCHITECTURE.md](../ARCHITECTURE.md)
says how the crates work together. Crates are listed from the bottom up: each uses only crates above it on this page.
",
    );
    let mut rest: Vec<&Package<'_>> = packages.iter().collect();
    for room in ROOMS {
        let _ = write!(page, "\n## {}\n", capitalized(room.name));
        for name in room.crates() {
            if let Some(at) = rest.iter().position(|p| p.manifest.name == name) {
                page.push_str(&package(rest.remove(at)));
            }
        }
    }
    page.push_str("\n## Outside the workspace\n");
    rest.into_iter().for_each(|p| page.push_str(&package(p)));
    page
}

fn capitalized(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A package: its description, its files, and its tests and examples.
fn package(package: &Package<'_>) -> String {
    let folder = package.manifest.folder.trim_end_matches('/');
    let mut tree = Folder::default();
    for file in &package.files {
        tree.add(file.path.strip_prefix("src/").unwrap_or(file.path), file);
    }
    let mut list = String::new();
    tree.print(0, &mut list);
    for (folder, what) in counted(&package.counted) {
        let _ = writeln!(list, "- `{folder}/`: {what}");
    }
    let parts = [package.sentence().to_string(), list.trim_end().to_string()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("\n### [`{}`](../{folder})\n\n{}\n", package.manifest.name, parts.join("\n\n"))
}

/// The files of a folder, and its subfolders.
#[derive(Default)]
struct Folder<'a> {
    files: BTreeMap<&'a str, &'a File<'a>>,
    folders: BTreeMap<&'a str, Folder<'a>>,
}

impl<'a> Folder<'a> {
    fn add(&mut self, path: &'a str, file: &'a File<'a>) {
        match path.split_once('/') {
            Some((folder, rest)) => self.folders.entry(folder).or_default().add(rest, file),
            None => {
                self.files.insert(path, file);
            }
        }
    }

    /// Prints the files first, then the folders. A folder has the sentence of its `mod.rs`, or of the file with its
    /// name next to it.
    fn print(&self, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        let module = |name: &str| name.strip_suffix(".rs").is_some_and(|n| self.folders.contains_key(n));
        let own = |name: &str| matches!(name, "mod.rs" | "lib.rs") || (name == "main.rs" && depth == 0);
        for (name, file) in self.files.iter().filter(|(name, _)| !own(name) && !module(name)) {
            let _ = writeln!(out, "{indent}- `{name}`: {}", file.sentence);
        }
        for (name, folder) in &self.folders {
            let beside = format!("{name}.rs");
            let (label, file) = match self.files.get(beside.as_str()) {
                Some(file) => (format!("`{beside}`, `{name}/`"), Some(file)),
                None => (format!("`{name}/`"), folder.files.get("mod.rs")),
            };
            let _ = match file {
                Some(file) => writeln!(out, "{indent}- {label}: {}", file.sentence),
                None => writeln!(out, "{indent}- {label}"),
            };
            folder.print(depth + 1, out);
        }
    }
}

/// The files that are not listed, by folder of the package: programs by name, other files by count.
fn counted<'a>(paths: &[&'a str]) -> BTreeMap<&'a str, String> {
    let mut folders: BTreeMap<&str, (Vec<&str>, usize)> = BTreeMap::new();
    for path in paths {
        let (top, rest) = path.split_once('/').unwrap_or((".", path));
        let (programs, others) = folders.entry(top).or_default();
        let name = rest.strip_suffix("/main.rs").or_else(|| rest.strip_suffix(".rs")).unwrap_or(rest);
        if top != "src" && !name.contains('/') { programs.push(name) } else { *others += 1 }
    }
    let files = |n: usize| if n == 1 { "1 file".into() } else { format!("{n} files") };
    let what = |top: &str, (programs, others): (Vec<&str>, usize)| {
        let mut parts: Vec<String> = programs.iter().map(|name| format!("`{name}`")).collect();
        match (top, others) {
            (_, 0) => {}
            ("src", n) => parts.push(format!("{} of unit tests", files(n))),
            (_, n) => parts.push(format!("{} in folders", files(n))),
        }
        parts.join(", ")
    };
    folders.into_iter().map(|(top, found)| (top, what(top, found))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::crates::Manifest;
    use super::*;

    #[test]
    fn folders_are_nested_and_tests_are_counted() {
        let manifest =
            Manifest { name: "a".into(), folder: "crates/a/".into(), dependencies: Default::default() };
        let file = |path: &'static str, sentence: &str| File { path, sentence: sentence.into() };
        let files = vec![
            file("build.rs", "Finds it."),
            file("src/dim.rs", "Sizes."),
            file("src/dim/limits.rs", "Limits."),
            file("src/lib.rs", "A crate."),
            file("src/ops/add.rs", "Sums."),
            file("src/ops/mod.rs", "Ops."),
        ];
        let counted = vec!["examples/show.rs", "src/dim/tests.rs", "tests/all.rs", "tests/all/one.rs"];
        let text = package(&Package { manifest: &manifest, files, counted });
        let expected = "
### [`a`](../crates/a)

A crate.

- `build.rs`: Finds it.
- `dim.rs`, `dim/`: Sizes.
  - `limits.rs`: Limits.
- `ops/`: Ops.
  - `add.rs`: Sums.
- `examples/`: `show`
- `src/`: 1 file of unit tests
- `tests/`: `all`, 1 file in folders
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_package_without_files_is_a_sentence() {
        let manifest =
            Manifest { name: "a".into(), folder: "crates/a/".into(), dependencies: Default::default() };
        let files = vec![File { path: "src/lib.rs", sentence: "A crate.".into() }];
        let text = package(&Package { manifest: &manifest, files, counted: Vec::new() });
        assert_eq!(text, "\n### [`a`](../crates/a)\n\nA crate.\n");
    }
}
