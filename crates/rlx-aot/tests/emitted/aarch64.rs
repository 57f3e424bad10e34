//! The text for aarch64, wherever these tests run. It is type-checked if the standard library for it is installed, and
//! run if a linker and QEMU are too. `cargo xtask neon` insists on the run.

use crate::crates::{Example, run_with, rustc, succeeds, write_all};
use rlx_codegen::judge::difference;
use std::io::Write;
use std::path::Path;
use std::process::Command;

const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "aarch64-linux-gnu-gcc";
const EMULATOR: &str = "qemu-aarch64-static";

/// Writes to standard error what is skipped and why: the test harness captures the output of macros.
fn skipped(what: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {what} for {TARGET}: {why}");
}

fn has_standard_library() -> bool {
    let output = rustc().args(["--print", "target-libdir", "--target", TARGET]).output().unwrap();
    Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir()
}

fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Checks the examples on aarch64.
pub fn check(examples: &[Example]) {
    if !has_standard_library() {
        return skipped("checking crates", &format!("`rustup target add {TARGET}` installs its library"));
    }
    let folder = tempfile::tempdir().unwrap();
    let main = write_all(examples, folder.path());
    let mut compiler = rustc();
    compiler.args(["--edition=2024", "-Coverflow-checks=on", "--target", TARGET]);
    if !is_installed(LINKER) || !is_installed(EMULATOR) {
        skipped("running crates", &format!("{LINKER} or {EMULATOR} is not installed"));
        return succeeds(compiler.arg("--emit=metadata").arg(&main).current_dir(&folder));
    }
    let built = folder.path().join("program");
    // Static programs, so that QEMU needs no libraries of that system.
    compiler.arg(format!("-Clinker={LINKER}")).args(["-Ctarget-feature=+crt-static", "-o"]);
    succeeds(compiler.arg(&built).arg(&main));
    let mut emulator = Command::new(EMULATOR);
    for (example, results) in examples.iter().zip(run_with(emulator.arg(&built), folder.path(), examples)) {
        for (result, expected) in results.iter().zip(example.expected()) {
            // In units in the last place of the largest element, because the order of sums differs.
            let difference = difference(result, &expected);
            assert!(difference <= 8.0, "{difference}: {}", example.graph);
        }
    }
}
