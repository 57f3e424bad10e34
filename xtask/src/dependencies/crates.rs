//! The third-party crates that the `rlx` command is built from, as cargo lists them for one target.

use super::unsafety;
use crate::checks::cargo_command;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The target for which crates are listed.
pub(super) const TARGET: &str = "x86_64-unknown-linux-gnu";
/// The package of the command.
const PACKAGE: &str = "rlx-cli";

/// A third-party crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Crate {
    pub name: String,
    /// `major.minor`.
    pub version: String,
    /// Number of occurrences of `unsafe` in its code.
    pub places: usize,
    pub build_script: bool,
    /// The packages that depend on it directly.
    pub needed_by: Vec<String>,
}

impl Crate {
    /// Whether it needs a note.
    pub(super) fn is_noted(&self) -> bool {
        self.places > 0 || self.build_script
    }
}

/// The fields of the output of `cargo metadata` that are needed here.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    source: Option<String>,
    targets: Vec<BuildTarget>,
}

#[derive(Deserialize)]
struct BuildTarget {
    kind: Vec<String>,
    src_path: std::path::PathBuf,
}

impl BuildTarget {
    fn is(&self, kinds: &[&str]) -> bool {
        self.kind.iter().any(|k| kinds.contains(&k.as_str()))
    }
}

/// Name and full version of a package, with the names of the packages that depend on it directly.
type Needed = BTreeMap<(String, String), BTreeSet<String>>;

/// The third-party crates, sorted by name and version.
pub(super) fn list(root: &Path) -> Result<Vec<Crate>, String> {
    let tree = cargo(
        root,
        &["tree", "--package", PACKAGE, "--target", TARGET, "--edges", "normal,build", "--prefix", "depth"],
    )?;
    let mut needed = parse_tree(&tree)?;
    let text = cargo(root, &["metadata", "--format-version", "1", "--filter-platform", TARGET])?;
    let metadata: Metadata = serde_json::from_str(&text).map_err(|e| format!("cargo metadata: {e}"))?;
    let mut crates = Vec::new();
    for package in metadata.packages.into_iter().filter(|p| p.source.is_some()) {
        if let Some(by) = needed.remove(&(package.name.clone(), package.version.clone())) {
            crates.push(look(package, by)?);
        }
    }
    crates.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(crates)
}

fn look(package: Package, needed_by: BTreeSet<String>) -> Result<Crate, String> {
    let code = package.targets.iter().find(|t| t.is(&["lib", "rlib", "proc-macro"]));
    let folder = code.and_then(|t| t.src_path.parent());
    Ok(Crate {
        places: folder.map_or(Ok(0), unsafety::in_folder)?,
        build_script: package.targets.iter().any(|t| t.is(&["custom-build"])),
        version: minor(&package.version).to_string(),
        name: package.name,
        needed_by: needed_by.into_iter().collect(),
    })
}

/// `major.minor` of a version.
fn minor(version: &str) -> &str {
    let end = version.match_indices('.').nth(1).map_or(version.len(), |(at, _)| at);
    &version[..end]
}

/// Reads lines such as `2syn v3.0.9 (proc-macro) (*)`, where the number is the depth.
fn parse_tree(tree: &str) -> Result<Needed, String> {
    let mut needed = Needed::new();
    let mut above: Vec<&str> = Vec::new();
    for line in tree.lines().filter(|l| !l.is_empty()) {
        let (depth, name, version) =
            parse_line(line).ok_or_else(|| format!("cargo tree: `{line}` names no depth and package"))?;
        above.truncate(depth);
        let by = needed.entry((name.into(), version.into())).or_default();
        by.extend(above.last().map(|above| above.to_string()));
        above.push(name);
    }
    Ok(needed)
}

fn parse_line(line: &str) -> Option<(usize, &str, &str)> {
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let mut words = line[digits..].split_whitespace();
    Some((line[..digits].parse().ok()?, words.next()?, words.next()?.strip_prefix('v')?))
}

/// The output of cargo.
fn cargo(root: &Path, args: &[&str]) -> Result<String, String> {
    let output =
        cargo_command(root).args(args).arg("--locked").output().map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo {}: {}", args[0], String::from_utf8_lossy(&output.stderr).trim()));
    }
    String::from_utf8(output.stdout).map_err(|e| format!("cargo {}: {e}", args[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_says_what_needs_what() {
        let tree = "0a v0.1.0 (/somewhere/a)\n1b v2.0.9 (proc-macro)\n2c v1.2.3+spec-4\n\
                    1c v1.2.3+spec-4 (*)\n1d v0.1.0\n";
        let needed = parse_tree(tree).unwrap();
        let by = |name: &str, version: &str| -> Vec<&str> {
            needed[&(name.into(), version.into())].iter().map(String::as_str).collect()
        };
        assert_eq!(by("a", "0.1.0"), [""; 0]);
        assert_eq!(by("b", "2.0.9"), ["a"]);
        assert_eq!(by("c", "1.2.3+spec-4"), ["a", "b"]);
        assert_eq!(by("d", "0.1.0"), ["a"]);
        assert!(parse_tree("[build-dependencies]").is_err());
    }

    #[test]
    fn a_version_is_cut_after_its_second_number() {
        assert_eq!(["1.2.3", "0.9.12+spec-1.1.0", "1"].map(minor), ["1.2", "0.9", "1"]);
    }
}
