//! The notes about third-party crates with unsafe code or a build script. Owns the format of
//! `dependencies.toml`.

use super::crates::Crate;
use serde::Deserialize;
use std::path::Path;

/// The file of notes.
pub(super) const FILE: &str = "dependencies.toml";

/// All notes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Notes {
    #[serde(rename = "crate", default)]
    entries: Vec<Entry>,
}

/// The notes about one version of a crate. A version is `major.minor`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    pub name: String,
    pub version: String,
    /// What it is used for.
    pub why: String,
    /// What its unsafe code is for.
    #[serde(rename = "unsafe")]
    pub unsafe_code: Option<String>,
    /// Which untrusted bytes reach that code.
    pub untrusted: Option<String>,
    /// What its build script does.
    pub build: Option<String>,
    pub read: Option<Read>,
}

/// How much of the unsafe code was reviewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Read {
    /// Every occurrence that is built here.
    Whole,
    /// The occurrences that the note names.
    Part,
    /// What it is for, but not whether it is correct.
    Skimmed,
}

impl Read {
    pub(super) fn name(self) -> &'static str {
        match self {
            Read::Whole => "whole",
            Read::Part => "part",
            Read::Skimmed => "skimmed",
        }
    }
}

/// Reads the file of notes.
pub(super) fn load(root: &Path) -> Result<Vec<Entry>, String> {
    let text = std::fs::read_to_string(root.join(FILE)).map_err(|e| format!("{FILE}: {e}"))?;
    parse(&text)
}

fn parse(text: &str) -> Result<Vec<Entry>, String> {
    let notes: Notes = toml::from_str(text).map_err(|e| format!("{FILE}: {e}"))?;
    Ok(notes.entries)
}

/// The entry of a crate.
pub(super) fn of<'a>(entries: &'a [Entry], found: &Crate) -> Option<&'a Entry> {
    entries.iter().find(|e| e.name == found.name && e.version == found.version)
}

/// A message for each crate without the entry that it needs, and for each entry without a crate.
pub(super) fn broken(entries: &[Entry], crates: &[Crate]) -> Vec<String> {
    let mut problems = Vec::new();
    let noted: Vec<&Crate> = crates.iter().filter(|c| c.is_noted()).collect();
    for found in &noted {
        match of(entries, found) {
            Some(entry) => problems.extend(incomplete(entry, found)),
            None => problems.push(missing(entries, found)),
        }
    }
    for (at, entry) in entries.iter().enumerate() {
        let Entry { name, version, .. } = entry;
        if entries[..at].iter().any(|e| e.name == *name && e.version == *version) {
            problems.push(format!("{name} {version} has two entries"));
        } else if !noted.iter().any(|c| c.name == *name) {
            let why = if crates.iter().any(|c| c.name == *name) {
                "has neither unsafe code nor a build script"
            } else {
                "is no longer built into `rlx`"
            };
            problems.push(format!("{name} {version} {why}: remove its entry"));
        } else if !noted.iter().any(|c| of(std::slice::from_ref(entry), c).is_some()) {
            problems.push(format!("{name} {version} is not the version that is built: review that one"));
        }
    }
    problems
}

fn missing(entries: &[Entry], found: &Crate) -> String {
    let Crate { name, version, .. } = found;
    let what = match (found.places > 0, found.build_script) {
        (true, true) => "unsafe code and a build script",
        (true, false) => "unsafe code",
        (false, _) => "a build script",
    };
    let others: Vec<&str> = entries.iter().filter(|e| e.name == *name).map(|e| e.version.as_str()).collect();
    if others.is_empty() {
        format!("{name} {version} has {what} and no entry")
    } else {
        format!("{name} {version} has {what} and no entry; there is one for {}", others.join(" and "))
    }
}

/// Messages about fields that an entry lacks, or should not have.
fn incomplete(entry: &Entry, found: &Crate) -> Vec<String> {
    let is_unsafe = found.places > 0;
    let fields = [
        ("unsafe", entry.unsafe_code.is_some(), is_unsafe),
        ("untrusted", entry.untrusted.is_some(), is_unsafe),
        ("read", entry.read.is_some(), is_unsafe),
        ("build", entry.build.is_some(), found.build_script),
    ];
    let (name, version) = (&entry.name, &entry.version);
    let message = |&(field, said, wanted): &(&str, bool, bool)| match (said, wanted) {
        (false, true) => Some(format!("{name} {version}: its entry needs `{field}`")),
        (true, false) => {
            Some(format!("{name} {version}: its entry has `{field}`, but the crate has no such code"))
        }
        _ => None,
    };
    fields.iter().filter_map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, version: &str, places: usize, build_script: bool) -> Crate {
        Crate { name: name.into(), version: version.into(), places, build_script, needed_by: Vec::new() }
    }

    fn entry(name: &str, version: &str, rest: &str) -> String {
        format!("[[crate]]\nname = \"{name}\"\nversion = \"{version}\"\nwhy = \"w\"\n{rest}\n")
    }

    const UNSAFE: &str = "unsafe = \"u\"\nuntrusted = \"no\"\nread = \"part\"";

    #[test]
    fn entries_that_fit_are_silent() {
        let text =
            entry("a", "1.2", UNSAFE) + &entry("a", "2.0", UNSAFE) + &entry("b", "0.3", "build = \"no\"");
        let crates = [
            found("a", "1.2", 1, false),
            found("a", "2.0", 9, false),
            found("b", "0.3", 0, true),
            found("c", "1.0", 0, false),
        ];
        assert_eq!(broken(&parse(&text).unwrap(), &crates), [""; 0]);
    }

    #[test]
    fn each_fault_names_its_crate() {
        let text = entry("old", "1.2", UNSAFE)
            + &entry("gone", "1.0", UNSAFE)
            + &entry("tame", "1.0", UNSAFE)
            + &entry("short", "1.0", UNSAFE)
            + &entry("long", "1.0", "build = \"no\"")
            + &entry("long", "1.0", "build = \"no\"");
        let crates = [
            found("new", "0.1", 1, true),
            found("old", "1.3", 1, false),
            found("tame", "1.0", 0, false),
            found("short", "1.0", 1, true),
            found("long", "1.0", 1, false),
        ];
        let expected = [
            "new 0.1 has unsafe code and a build script and no entry",
            "old 1.3 has unsafe code and no entry; there is one for 1.2",
            "short 1.0: its entry needs `build`",
            "long 1.0: its entry needs `unsafe`",
            "long 1.0: its entry needs `untrusted`",
            "long 1.0: its entry needs `read`",
            "long 1.0: its entry has `build`, but the crate has no such code",
            "old 1.2 is not the version that is built: review that one",
            "gone 1.0 is no longer built into `rlx`: remove its entry",
            "tame 1.0 has neither unsafe code nor a build script: remove its entry",
            "long 1.0 has two entries",
        ];
        assert_eq!(broken(&parse(&text).unwrap(), &crates), expected);
    }

    #[test]
    fn unknown_fields_are_refused() {
        assert!(parse(&entry("a", "1.0", "safe = \"yes\"")).is_err());
        assert!(parse(&entry("a", "1.0", "read = \"never\"")).is_err());
    }
}
