//! The packages of the repository: their manifests, dependencies, and files.

use super::sentence::first_sentence;
use crate::tidy::{Source, collect};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The fields of a `Cargo.toml` that the map needs.
pub(crate) struct Manifest {
    /// The package's name.
    pub name: String,
    /// The package's folder, relative to the workspace, with `/` at its end.
    pub folder: String,
    /// The packages that it is built from, including other packages of the repository. Dependencies of tests are not included.
    pub dependencies: BTreeSet<String>,
}

/// The manifests of all packages, sorted by folder.
pub(crate) fn manifests(root: &Path) -> Result<Vec<Manifest>, String> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in ["benches", "crates", "fuzz", "xtask"] {
        collect(&root.join(folder), "toml", &mut paths);
    }
    paths.retain(|path| path.ends_with("Cargo.toml"));
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let folder = path.parent().and_then(|p| p.strip_prefix(root).ok()).unwrap_or(&path);
        let folder = folder.to_string_lossy().replace('\\', "/") + "/";
        found.extend(Manifest::parse(folder, &text).map_err(|e| format!("{}: {e}", path.display()))?);
    }
    Ok(found)
}

impl Manifest {
    /// Parses a manifest; `None` for a workspace that is not a package itself.
    pub(super) fn parse(folder: String, text: &str) -> Result<Option<Manifest>, toml::de::Error> {
        let table: toml::Table = text.parse()?;
        let name = table.get("package").and_then(|p| p.get("name")).and_then(|n| n.as_str());
        let Some(name) = name else { return Ok(None) };
        let of = |table: &toml::Table| -> Vec<String> {
            let lists = ["dependencies", "build-dependencies"].iter().filter_map(|key| table.get(*key));
            lists.filter_map(toml::Value::as_table).flat_map(|list| list.keys().cloned()).collect()
        };
        let mut dependencies: BTreeSet<String> = of(&table).into_iter().collect();
        for target in table.get("target").and_then(toml::Value::as_table).into_iter().flat_map(|t| t.values())
        {
            dependencies.extend(target.as_table().into_iter().flat_map(of));
        }
        Ok(Some(Manifest { name: name.into(), folder, dependencies }))
    }
}

/// A package with its files.
pub(super) struct Package<'a> {
    pub manifest: &'a Manifest,
    /// The files that the map lists, sorted by path.
    pub files: Vec<File<'a>>,
    /// The other files (tests and examples), relative to the package's folder.
    pub counted: Vec<&'a str>,
}

/// A file that the map lists.
pub(super) struct File<'a> {
    /// Relative to the package's folder.
    pub path: &'a str,
    pub sentence: String,
}

impl<'a> Package<'a> {
    /// The packages with their files. A file belongs to the innermost package that contains it.
    pub(super) fn all(manifests: &'a [Manifest], sources: &'a [Source]) -> Vec<Package<'a>> {
        let mut packages: Vec<Package<'_>> = manifests
            .iter()
            .map(|manifest| Package { manifest, files: Vec::new(), counted: Vec::new() })
            .collect();
        for source in sources {
            let owner = packages.iter_mut().filter(|p| source.path.starts_with(&p.manifest.folder));
            let Some(owner) = owner.max_by_key(|p| p.manifest.folder.len()) else { continue };
            let path = &source.path[owner.manifest.folder.len()..];
            match first_sentence(&source.text) {
                Some(sentence) if !source.is_test() => owner.files.push(File { path, sentence }),
                _ => owner.counted.push(path),
            }
        }
        packages
    }

    /// A description of the package, from the docs of its library or program.
    pub(super) fn sentence(&self) -> &str {
        let roots = ["src/lib.rs", "src/main.rs"];
        let root = roots.iter().find_map(|root| self.files.iter().find(|f| f.path == *root));
        root.map_or("", |f| &f.sentence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_of_tests_do_not_count() {
        let text = "[package]\nname = \"a\"\n[dependencies]\nb = \"1\"\n[build-dependencies]\nc = \"1\"\n\
                    [dev-dependencies]\nd = \"1\"\n[target.'cfg(unix)'.dependencies]\ne = \"1\"\n";
        let manifest = Manifest::parse("crates/a/".into(), text).unwrap().unwrap();
        assert_eq!(manifest.dependencies.into_iter().collect::<Vec<_>>(), ["b", "c", "e"]);
        assert!(Manifest::parse("benches/".into(), "[workspace]\n").unwrap().is_none());
    }

    #[test]
    fn files_belong_to_the_innermost_package() {
        let manifest = |name: &str, folder: &str| Manifest {
            name: name.into(),
            folder: folder.into(),
            dependencies: BTreeSet::new(),
        };
        let manifests = [manifest("a", "crates/a/"), manifest("a-b", "crates/a/b/")];
        let source = |path: &str| Source { path: path.into(), text: format!("//! The file {path}.\n") };
        let sources =
            [source("crates/a/src/lib.rs"), source("crates/a/b/src/main.rs"), source("crates/a/tests/t.rs")];
        let packages = Package::all(&manifests, &sources);
        assert_eq!(packages[0].sentence(), "The file crates/a/src/lib.rs.");
        assert_eq!(packages[0].counted, ["tests/t.rs"]);
        assert_eq!(packages[1].files[0].path, "src/main.rs");
    }
}
