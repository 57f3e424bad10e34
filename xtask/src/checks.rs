//! Commands that call cargo: `check`, `test` and `bench`.

use crate::Outcome;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs cargo in the workspace.
pub(crate) fn cargo(root: &Path, args: &[&str]) -> Outcome {
    cargo_with(root, args, &[])
}

/// Runs cargo in the workspace with these environment variables.
pub(crate) fn cargo_with(root: &Path, args: &[&str], variables: &[(&str, &str)]) -> Outcome {
    let mut command = cargo_command(root);
    command.args(args).envs(variables.iter().copied());
    let status = command.status().map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {} failed ({status})", args.join(" "))) }
}

/// The cargo that runs this program, in the given folder.
pub(crate) fn cargo_command(folder: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(folder);
    command
}

/// The compiler that cargo chooses in the given folder.
pub(crate) fn rustc(folder: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.current_dir(folder);
    command
}

/// The folder for build outputs.
pub(crate) fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir))
}

/// The first line that a program prints for `--version`; `None` if it does not run.
pub(crate) fn version(command: &mut Command) -> Option<String> {
    let output = command.arg("--version").output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).lines().next()?.trim().to_string())
}

/// Checks formatting, lints, links in the docs, tidy, and the notes about dependencies.
pub(crate) fn check(root: &Path) -> Outcome {
    cargo(root, &["fmt", "--all", "--check"])?;
    cargo(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    let ahead = ["--package", "rlx-macros", "--features", "ahead", "--all-targets"];
    cargo(root, &[&["clippy"], &ahead[..], &["--", "-D", "warnings"]].concat())?;
    cargo_with(root, &["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    crate::tidy::tidy(root)?;
    crate::dependencies::dependencies(root, &["--check".into()])
}

/// Runs every test of the workspace, including doc tests, and the tests of models that are compiled ahead of time,
/// whose feature is off by default.
pub(crate) fn test(root: &Path, rest: &[String]) -> Outcome {
    let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
    cargo(root, &[&["test", "--workspace"], &rest[..]].concat())?;
    cargo(root, &[&["test", "--package", "rlx-macros", "--features", "ahead"], &rest[..]].concat())
}

/// Runs `rlx bench minilm` over the standard batch sizes, sequence lengths and thread counts, and prints one JSON
/// object per line.
pub(crate) fn bench(root: &Path, rest: &[String]) -> Outcome {
    for (batch, seq) in [("1", "16"), ("1", "128"), ("8", "128"), ("32", "128")] {
        for threads in ["1", "2"] {
            let mut args =
                vec!["run", "--quiet", "--release", "--package", "rlx-cli", "--", "bench", "minilm"];
            args.extend(["--batch", batch, "--seq", seq, "--threads", threads, "--json"]);
            args.extend(rest.iter().map(String::as_str));
            cargo(root, &args)?;
        }
    }
    Ok(())
}
