//! Finds names that too many types share.

use super::{SHOWN, Source};
use std::collections::BTreeMap;

/// Maximum number of types that may share a name, not counting tests.
const MOST: usize = 5;
/// Files whose names come from a specification.
const FOREIGN: &[&str] = &["crates/rlx-mil/src/message.rs"];
/// Names that each subcommand uses for its arguments and options, by clap's convention.
const CONVENTIONS: &[&str] = &["Args", "Options"];

/// Prints the names shared by the most types.
#[allow(clippy::print_stdout)]
pub(crate) fn report(sources: &[Source]) {
    let mut names: Vec<(usize, &str)> =
        shared(sources).into_iter().map(|(name, at)| (at.len(), name)).collect();
    names.sort_unstable_by(|a, b| b.cmp(a));
    let list: Vec<String> = names.iter().take(SHOWN).map(|(count, name)| format!("{name} {count}")).collect();
    println!("Names of types (how many types share each): {}\n", list.join(", "));
}

/// A message for each name shared by more than [`MOST`] types.
pub(crate) fn broken(sources: &[Source]) -> Vec<String> {
    let too_many = shared(sources).into_iter().filter(|(_, at)| at.len() > MOST);
    too_many
        .map(|(name, at)| {
            format!("{} types are named `{name}`; say which is meant: {}", at.len(), at.join(", "))
        })
        .collect()
}

/// The files that define a type of each name.
fn shared(sources: &[Source]) -> BTreeMap<&str, Vec<&str>> {
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for source in sources.iter().filter(|s| !s.is_test() && !FOREIGN.contains(&s.path.as_str())) {
        for name in source.code().lines().filter_map(defined) {
            names.entry(name).or_default().push(&source.path);
        }
    }
    names.retain(|name, at| at.len() > 1 && !CONVENTIONS.contains(name));
    names
}

/// The name of the type whose definition begins on this line.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("pub").map_or(line, |rest| {
        rest.strip_prefix('(')
            .and_then(|rest| rest.split_once(')'))
            .map_or(rest, |(_, rest)| rest)
            .trim_start()
    });
    let rest = ["struct ", "enum ", "trait ", "union "].iter().find_map(|word| line.strip_prefix(word))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end]).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_too_many_types_share_are_found() {
        let files = MOST + 1;
        let text = "pub(crate) struct Plan<'a> {\n}\nenum Own {}\npub trait Args {}\n// struct Plan;\n";
        let source = |i: usize| Source {
            path: format!("crates/c{i}/src/lib.rs"),
            text: text.replace("Own", &format!("Own{i}")),
        };
        let sources: Vec<Source> = (0..files).map(source).collect();
        let broken = broken(&sources);
        assert_eq!(broken.len(), 1, "{broken:?}");
        assert!(broken[0].starts_with("6 types are named `Plan`"), "{broken:?}");
        assert!(super::broken(&sources[1..]).is_empty());
    }
}
