//! Finds source files that neither a `mod` declaration nor an `include_str!` reaches, since nothing checks them.

use super::Source;

/// A message for each file that is neither the root of a target nor declared as a module. `manifests` is the text of
/// the manifests, which may name roots.
pub(crate) fn broken(sources: &[Source], manifests: &str) -> Vec<String> {
    let orphans = sources.iter().filter(|s| !is_root(&s.path, manifests) && !is_declared(&s.path, sources));
    orphans.map(|s| format!("{}: no `mod` declaration reaches the file", s.path)).collect()
}

/// Whether cargo builds a target from the file.
fn is_root(path: &str, manifests: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let parent = folder.rsplit('/').next().unwrap_or_default();
    let in_sources = path.contains("/src/");
    let named =
        path.match_indices('/').any(|(at, _)| manifests.contains(&format!("\"{}\"", &path[at + 1..])));
    match name {
        "lib.rs" | "build.rs" => true,
        "main.rs" => parent == "src" || !in_sources,
        _ if parent == "bin" => true,
        _ => named || (!in_sources && matches!(parent, "tests" | "benches" | "examples" | "fuzz_targets")),
    }
}

fn is_declared(path: &str, sources: &[Source]) -> bool {
    let module = path.strip_suffix("/mod.rs").or_else(|| path.strip_suffix(".rs")).unwrap_or(path);
    let Some((folder, name)) = module.rsplit_once('/') else { return false };
    let file = path.rsplit('/').next().unwrap_or(path);
    let may_declare = |s: &Source| {
        let beside = s.path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        // The modules of a root are next to it, whatever its name is.
        s.path != path && (s.path == format!("{folder}.rs") || beside.is_some_and(|rest| !rest.contains('/')))
    };
    let declares = |s: &Source| {
        s.text.lines().any(|line| {
            let line = line.trim_start();
            let item =
                line.strip_prefix("pub ").or_else(|| line.split_once(") ").map(|p| p.1)).unwrap_or(line);
            item.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) == Some(name)
        })
    };
    let forms = ["/{}\"", "path = \"{}\"", "include_str!(\"{}\")", "include_bytes!(\"{}\")"];
    let names = forms.map(|form| form.replace("{}", file));
    let by_path = |s: &Source| names.iter().any(|name| s.text.contains(name));
    sources.iter().any(|s| (may_declare(s) && declares(s)) || (s.path != path && by_path(s)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_declaration_is_found() {
        let source = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
        let sources = [
            source("crates/a/src/lib.rs", "pub mod b;\npub(crate) mod c;\n// mod lost;\n"),
            source("crates/a/src/b.rs", "mod inner;\n"),
            source("crates/a/src/b/inner.rs", ""),
            source("crates/a/src/c/mod.rs", "const WRITTEN: &str = include_str!(\"support.rs\");\n"),
            source("crates/a/src/c/support.rs", ""),
            source("crates/a/src/lost.rs", ""),
            source("crates/a/src/c/forgotten.rs", ""),
            source("crates/a/tests/all.rs", "mod harness;\n"),
            source("crates/a/tests/harness/mod.rs", ""),
            source("crates/a/tests/unused/mod.rs", ""),
            source("benches/b/main_loop.rs", ""),
        ];
        let manifests = "[[bench]]\npath = \"main_loop.rs\"\n";
        let lost = ["src/lost.rs", "src/c/forgotten.rs", "tests/unused/mod.rs"];
        let expected = lost.map(|path| format!("crates/a/{path}: no `mod` declaration reaches the file"));
        assert_eq!(broken(&sources, manifests), expected);
    }
}
