//! Finds the BLAS library that the chosen feature names, or reports what was searched for, where, and what to do.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A library and the ways to find it.
struct Library {
    name: &'static str,
    feature: &'static str,
    /// Its name for the linker.
    link: &'static str,
    /// The environment variable that names its folder. If it is set, only that folder is searched.
    variable: &'static str,
    /// Folders to search within that folder.
    within: &'static [&'static str],
    /// Its name for pkg-config.
    #[cfg_attr(not(any(feature = "openblas", feature = "mkl")), allow(dead_code))]
    package: &'static str,
    /// Folders to search otherwise.
    folders: &'static [&'static str],
    /// What to install.
    install: &'static str,
}

const LIBRARIES: [Library; 2] = [
    Library {
        name: "OpenBLAS",
        feature: "openblas",
        link: "openblas",
        variable: "RLX_OPENBLAS_DIR",
        within: &["", "lib", "lib64"],
        package: "openblas",
        folders: &[
            "/usr/lib/{arch}-linux-gnu",
            "/usr/lib64",
            "/usr/lib",
            "/usr/local/lib",
            "/opt/homebrew/opt/openblas/lib",
            "/usr/local/opt/openblas/lib",
        ],
        install: "install OpenBLAS with its development files (Debian, Ubuntu: libopenblas-dev; Fedora: openblas-devel; \
                  Homebrew: openblas)",
    },
    Library {
        name: "MKL",
        feature: "mkl",
        link: "mkl_rt",
        variable: "MKLROOT",
        within: &["lib", "lib/intel64", "Library/lib", ""],
        package: "mkl-sdl",
        folders: &["/opt/intel/oneapi/mkl/latest/lib", "/usr/lib/{arch}-linux-gnu", "/usr/lib64"],
        install: "install Intel oneAPI MKL and source its setvars.sh, or use `pip install mkl-devel` and the prefix of that \
                  Python",
    },
];

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=build.rs");
    let chosen: Vec<&str> =
        ["openblas", "mkl", "accelerate"].into_iter().filter(|feature| has(feature)).collect();
    let found = match chosen.as_slice() {
        [] => Ok(()),
        ["accelerate"] => accelerate(),
        [feature] => LIBRARIES.iter().filter(|l| l.feature == *feature).try_for_each(find),
        several => Err(vec![format!(
            "the features {} exclude each other; choose one",
            several.iter().map(|f| format!("`blas-{f}`")).collect::<Vec<_>>().join(" and ")
        )]),
    };
    let Err(lines) = found else { return ExitCode::SUCCESS };
    for line in lines {
        println!("cargo::error={line}");
    }
    ExitCode::FAILURE
}

fn has(feature: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase())).is_some()
}

/// Returns what Cargo reports about the target; empty if it reports nothing.
fn target(what: &str) -> String {
    env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default()
}

fn accelerate() -> Result<(), Vec<String>> {
    if target("VENDOR") != "apple" {
        return Err(vec![format!(
            "feature `blas-accelerate`: Accelerate is part of Apple's systems, and the target is {}; choose \
             `blas-openblas` or `blas-mkl`, or none",
            env::var("TARGET").unwrap_or_default()
        )]);
    }
    println!("cargo::rustc-link-lib=framework=Accelerate");
    Ok(())
}

fn find(library: &Library) -> Result<(), Vec<String>> {
    println!("cargo::rerun-if-env-changed={}", library.variable);
    let files = file_names(library.link);
    let mut looked = Vec::new();
    if let Some(root) = env::var_os(library.variable).filter(|root| !root.is_empty()) {
        let root = PathBuf::from(root);
        looked.push(format!("{} is {}", library.variable, root.display()));
        let folders = library.within.iter().map(|within| root.join(within));
        return look(library, &files, folders, &mut looked);
    }
    looked.push(format!("{} is not set", library.variable));
    match by_pkg_config(library) {
        Ok(()) => return Ok(()),
        Err(reason) => looked.push(reason),
    }
    // The folders of this machine do not contain libraries for another one.
    let native = env::var_os("HOST") == env::var_os("TARGET");
    let folders = library.folders.iter().filter(|_| native);
    let folders = folders.map(|folder| PathBuf::from(folder.replace("{arch}", &target("ARCH"))));
    look(library, &files, folders, &mut looked)
}

#[cfg(any(feature = "openblas", feature = "mkl"))]
fn by_pkg_config(library: &Library) -> Result<(), String> {
    let found = pkg_config::Config::new().probe(library.package);
    found.map(|_| ()).map_err(|e| {
        let text = e.to_string();
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it failed");
        format!("pkg-config {}: {}", library.package, line.trim())
    })
}

#[cfg(not(any(feature = "openblas", feature = "mkl")))]
fn by_pkg_config(_library: &Library) -> Result<(), String> {
    Err("pkg-config was not asked".to_owned())
}

/// Returns the names of the files that a linker takes the library from, the preferred one first.
fn file_names(link: &str) -> Vec<String> {
    match (target("OS").as_str(), target("VENDOR").as_str()) {
        ("windows", _) => vec![format!("{link}.lib"), format!("lib{link}.lib"), format!("lib{link}.dll.a")],
        (_, "apple") => vec![format!("lib{link}.dylib")],
        _ => vec![format!("lib{link}.so")],
    }
}

fn look(
    library: &Library,
    files: &[String],
    folders: impl Iterator<Item = PathBuf>,
    looked: &mut Vec<String>,
) -> Result<(), Vec<String>> {
    let mut searched = Vec::new();
    for folder in folders {
        if let Some(file) = files.iter().find(|file| folder.join(file).exists()).cloned() {
            link(library, &folder, &file, &files[0]);
            return Ok(());
        }
        if let Some(file) = numbered(&folder, &files[0]) {
            link(library, &folder, &file, &files[0]);
            return Ok(());
        }
        searched.push(folder.display().to_string());
    }
    if !searched.is_empty() {
        looked.push(format!("no {} in {}", files.join(" or "), searched.join(", ")));
    }
    let Library { name, feature, install, variable, .. } = library;
    Err(vec![
        format!(
            "feature `blas-{feature}`: the shared library of {name} could not be found ({})",
            looked.join("; ")
        ),
        format!("{install}, or set {variable} to its folder"),
    ])
}

/// Returns the library whose name ends with its version, which is the only one in Python's packages.
fn numbered(folder: &Path, usual: &str) -> Option<String> {
    let stem = usual.strip_suffix(".so")?;
    let names =
        std::fs::read_dir(folder).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let version = |name: &String| {
        let number = name.strip_prefix(stem)?.strip_prefix(".so.")?;
        number.chars().all(|c| c.is_ascii_digit()).then(|| number.parse::<u32>().ok())?
    };
    names.filter_map(|name| Some((version(&name)?, name))).max().map(|(_, name)| name)
}

fn link(library: &Library, folder: &Path, file: &str, usual: &str) {
    println!("cargo::rustc-link-search=native={}", folder.display());
    if file == usual {
        println!("cargo::rustc-link-lib=dylib={}", library.link);
    } else {
        println!("cargo::rustc-link-lib=dylib:+verbatim={file}");
    }
}
