//! Computes `RLX_BUILD_ID`, which lets the program cache tell apart programs of different compilers. It is a hash of the sources of every
//! RLX crate that the compiler consists of, the Rust compiler and the target.
//!
//! Sources are looked for next to this crate, where a checkout and vendored crates have them. Packages from a registry are stored elsewhere
//! and never change; there, the crates' own versions tell builds apart.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut crates = BTreeSet::new();
    collect(&here, &here, &mut crates);
    for folder in &crates {
        for part in ["Cargo.toml", "build.rs", "src"] {
            let path = folder.join(part);
            if path.exists() {
                println!("cargo:rerun-if-changed={}", path.display());
                hash.files(folder, &path);
            }
        }
    }
    let mut settings: Vec<(String, String)> = env::vars()
        .filter(|(name, _)| {
            name.starts_with("CARGO_FEATURE_") || name == "TARGET" || name == "CARGO_CFG_TARGET_FEATURE"
        })
        .collect();
    settings.sort();
    for (name, value) in settings {
        hash.add(name.as_bytes());
        hash.add(value.as_bytes());
    }
    let rustc = Command::new(env::var_os("RUSTC").unwrap_or("rustc".into())).arg("-vV").output();
    hash.add(&rustc.map(|output| output.stdout).unwrap_or_default());
    println!("cargo:rustc-env=RLX_BUILD_ID={:016x}", hash.0);
}

/// Collects the folder of a crate and the folders of the RLX crates that it depends on, as far as they are next to `here`.
fn collect(here: &Path, folder: &Path, crates: &mut BTreeSet<PathBuf>) {
    let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { return };
    if !folder.join("src").is_dir() || !crates.insert(folder.to_path_buf()) {
        return;
    }
    // Dev-dependencies are not part of the compiler.
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    for line in dependencies.split("\n[").next().unwrap_or_default().lines() {
        let Some(name) = line.split(['.', ' ', '=']).next().filter(|name| name.starts_with("rlx-")) else {
            continue;
        };
        // The features of other crates are not known here.
        let feature = name.trim_start_matches("rlx-").to_uppercase().replace('-', "_");
        let is_off = folder == here
            && line.contains("optional = true")
            && env::var_os(format!("CARGO_FEATURE_{feature}")).is_none();
        if let (false, Some(beside)) = (is_off, here.parent()) {
            collect(here, &beside.join(name), crates);
        }
    }
}

/// An FNV-1a hash.
struct Hash(u64);

impl Hash {
    /// Hashes the bytes and their number, so that the end of each part counts.
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Hashes a file, or all files below a folder, with their names relative to `root`.
    fn files(&mut self, root: &Path, path: &Path) {
        if let Ok(entries) = fs::read_dir(path) {
            let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            paths.sort();
            return paths.iter().for_each(|path| self.files(root, path));
        }
        let name = path.strip_prefix(root).unwrap_or(path);
        self.add(root.file_name().unwrap_or_default().to_string_lossy().as_bytes());
        self.add(name.to_string_lossy().replace('\\', "/").as_bytes());
        self.add(&fs::read(path).unwrap_or_default());
    }
}
