//! Generates the page of third-party crates with unsafe code or a build script.

use super::crates::{Crate, TARGET};
use super::notes::{self, Entry, FILE};
use std::fmt::Write as _;

/// The page, relative to the workspace.
pub(super) const PAGE: &str = "docs/dependencies.md";

/// The text of the page.
pub(super) fn text(entries: &[Entry], crates: &[Crate]) -> String {
    let count = |wanted: fn(&&Crate) -> bool| crates.iter().filter(wanted).count();
    let mut page = format!(
        "\
# Dependencies with unsafe code or build scripts

Written by `cargo xtask dependencies` from {FILE}, where the notes are, and from the sources of the
crates. It lists what the `rlx` command is built from on {TARGET} with default features, except for
its own crates: {} third-party crates. {} of them use `unsafe` somewhere, {} have a build script; the others
have neither and are listed at the end.

- **unsafe** is the number of occurrences of the word in a crate's code, including code for other processors
  and systems.
- **read** says how much of the unsafe code that is built here was reviewed: `whole` is every occurrence,
  `part` those that the note names, `skimmed` only what the code is for. Whether skimmed code is correct is
  left to the crate's maintainers.
- **untrusted** says which untrusted bytes reach the unsafe code: those that security.md calls not trusted,
  and the answers of servers.
- **build script** says what the build script does. All were read in full, and none uses the network. In
  autocfg, cc and version_check, which some of them call, only the programs that they run were checked:
  compilers and their tools.

| crate | version | unsafe | read | untrusted | build script | needed by | note |
|---|---|---|---|---|---|---|---|
",
        crates.len(),
        count(|c| c.places > 0),
        count(|c| c.build_script),
    );
    for found in crates.iter().filter(|c| c.is_noted()) {
        if let Some(entry) = notes::of(entries, found) {
            page.push_str(&row(entry, found));
        }
    }
    let rest: Vec<String> =
        crates.iter().filter(|c| !c.is_noted()).map(|c| format!("{} {}", c.name, c.version)).collect();
    let _ = writeln!(page, "\nNeither unsafe code nor a build script: {}.", rest.join(", "));
    page
}

fn row(entry: &Entry, found: &Crate) -> String {
    let or_none = |text: &Option<String>| text.as_deref().map_or_else(|| "–".into(), cell);
    let note = match &entry.unsafe_code {
        Some(what) => format!("{}. Unsafe: {}", cell(&entry.why), cell(what)),
        None => cell(&entry.why),
    };
    format!(
        "| `{}` | {} | {} | {} | {} | {} | {} | {note} |\n",
        found.name,
        found.version,
        found.places,
        entry.read.map_or("–", |read| read.name()),
        or_none(&entry.untrusted),
        or_none(&entry.build),
        found.needed_by.join(", "),
    )
}

/// The text on one line, without characters that end a table cell.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// Whether two pages are equal except for the counts of `unsafe`, which patch releases of crates change.
pub(super) fn alike(a: &str, b: &str) -> bool {
    a.lines().map(uncounted).eq(b.lines().map(uncounted))
}

/// The line without its count.
fn uncounted(line: &str) -> String {
    let mut cells: Vec<&str> = line.split(" | ").collect();
    if line.starts_with("| `")
        && let Some(count) = cells.get_mut(2)
    {
        *count = "";
    }
    cells.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(places: usize, note: &str) -> String {
        let found = Crate {
            name: "a".into(),
            version: "1.2".into(),
            places,
            build_script: false,
            needed_by: vec!["b".into()],
        };
        let entry = Entry {
            name: "a".into(),
            version: "1.2".into(),
            why: note.into(),
            unsafe_code: Some("u".into()),
            untrusted: Some("no".into()),
            build: None,
            read: Some(notes::Read::Part),
        };
        text(&[entry], &[found])
    }

    #[test]
    fn only_counts_may_differ() {
        assert!(pages(1, "x").contains("| `a` | 1.2 | 1 | part | no | – | b | x. Unsafe: u |\n"));
        assert!(alike(&pages(1, "x"), &pages(22, "x")));
        assert!(!alike(&pages(1, "x"), &pages(1, "y")));
        assert!(!alike(&pages(1, "x"), ""));
    }
}
