//! `cargo xtask neon`: runs the tests of the CPU kernels, built for aarch64, in QEMU, as well as crates that `rlx
//! compile` writes.

use crate::checks::{cargo, cargo_with, version};
use crate::{Outcome, checks};
use std::path::Path;
use std::process::Command;

const TARGET: &str = "aarch64-unknown-linux-gnu";
const COMPILER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64-static";

/// The crates that contain NEON code, or run it.
const PACKAGES: &[&str] = &["rlx-cpu", "rlx-elementwise", "rlx-gemm", "rlx-pool", "rlx-simd"];

/// The test programs that run by default: those of kernels with their own NEON code. They take a few minutes; `--tests`
/// runs all test programs.
const TESTS: &[&str] =
    &["attention", "attention_backward", "contraction", "elementwise", "indexing", "isa", "norm", "reduce"];

/// Runs the tests. `rest` has arguments of `cargo test` that replace the default selection, except for `--no-fail-fast`
/// and `--no-run`, which are added to it.
pub(crate) fn neon(root: &Path, rest: &[String]) -> Outcome {
    check_tools(root)?;
    let mut args = vec!["test", "--target", TARGET];
    args.extend(PACKAGES.iter().flat_map(|package| ["--package", package]));
    args.extend(rest.iter().map(String::as_str));
    if rest.iter().all(|arg| ["--no-fail-fast", "--no-run"].contains(&arg.as_str())) {
        args.push("--lib");
        args.extend(TESTS.iter().flat_map(|test| ["--test", test]));
    }
    // Static programs, so that QEMU does not need the libraries of that system.
    let runner = format!("{EMULATOR} -cpu max");
    let variables = [
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", COMPILER),
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", &runner),
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "-C target-feature=+crt-static"),
    ];
    cargo_with(root, &args, &variables)?;
    cargo(root, &["test", "--package", "rlx-aot", "--test", "emitted", "aarch64"])
}

/// An error message for the first missing tool.
fn check_tools(root: &Path) -> Outcome {
    for (program, package) in [(COMPILER, "gcc-aarch64-linux-gnu"), (EMULATOR, "qemu-user-static")] {
        if version(&mut Command::new(program)).is_none() {
            return Err(format!("{program} is not installed: it is in Debian's package {package}"));
        }
    }
    let mut rustc = checks::rustc(root);
    let libraries = rustc.args(["--print", "target-libdir", "--target", TARGET]).output();
    let libraries = libraries.map_err(|e| format!("rustc: {e}"))?;
    let folder = String::from_utf8_lossy(&libraries.stdout);
    if Path::new(folder.trim()).is_dir() {
        Ok(())
    } else {
        Err(format!("the standard library for {TARGET} is not installed: `rustup target add {TARGET}`"))
    }
}
