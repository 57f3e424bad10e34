//! Checks that paths named by pages and comments exist.

use super::Source;
use crate::map::ARCHITECTURE;
use std::collections::BTreeSet;
use std::path::Path;

/// Prefixes of paths that are always relative to the workspace. `rlx-ir/…` is short for `crates/rlx-ir/…`.
const FOLDERS: &[&str] = &["benches/", "crates/", "docs/", "fuzz/", "rlx-", "scripts/", "xtask/"];

/// A message for each path that does not exist, in ARCHITECTURE.md and in the comments of code.
pub(crate) fn broken(root: &Path, sources: &[Source]) -> Result<Vec<String>, String> {
    let exists = |path: &str| root.join(path).exists();
    let text =
        std::fs::read_to_string(root.join(ARCHITECTURE)).map_err(|e| format!("{ARCHITECTURE}: {e}"))?;
    let mut problems = missing(ARCHITECTURE, &text, |path| path.contains('/'), exists);
    for source in sources {
        let known = |path: &str| path.contains('/') && FOLDERS.iter().any(|folder| path.starts_with(folder));
        problems.extend(missing(&source.path, &comments(source.code()), known, exists));
    }
    Ok(problems)
}

/// The comments of code, one per line.
fn comments(code: &str) -> String {
    let lines = code.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// A message for each path in backquotes that satisfies `is_path` but does not exist.
fn missing(
    name: &str,
    text: &str,
    is_path: impl Fn(&str) -> bool,
    exists: impl Fn(&str) -> bool,
) -> Vec<String> {
    let plain = |code: &&str| code.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let found = |path: &&str| exists(path) || exists(&format!("crates/{path}"));
    let code = text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    let paths = code.filter(plain).filter(|path| !path.starts_with('/') && is_path(path));
    let missing: BTreeSet<&str> = paths.filter(|path| !found(path)).collect();
    missing.into_iter().map(|path| format!("{name} names `{path}`, which does not exist")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exists(path: &str) -> bool {
        ["crates/rlx-ir/src/verify.rs", "docs/map.md"].contains(&path)
    }

    #[test]
    fn paths_in_pages_exist() {
        let text = "`rlx-ir/src/verify.rs`, `docs/map.md`, `a/b.rs`, `x / y`, `/dev/null`, `Pass`, `cargo run -p a/b`";
        let missing = missing("PAGE.md", text, |path| path.contains('/'), exists);
        assert_eq!(missing, ["PAGE.md names `a/b.rs`, which does not exist"]);
    }

    #[test]
    fn only_comments_of_code_are_read() {
        let code =
            "//! See `docs/map.md`.\nlet x = \"`docs/none.md`\";\n    // By `scripts/gone.py`, `a/b`.\n";
        let known = |path: &str| FOLDERS.iter().any(|folder| path.starts_with(folder));
        let found = missing("a.rs", &comments(code), known, exists);
        assert_eq!(found, ["a.rs names `scripts/gone.py`, which does not exist"]);
    }
}
