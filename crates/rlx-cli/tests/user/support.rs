//! Runs the command, and locates the files that it is run on.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of the repository, as an argument.
pub fn at(path: &str) -> String {
    root().join(path).to_str().unwrap().to_string()
}

/// The file of a small language model.
pub const MODEL: &str = "crates/rlx-tiny-model/tiny.gguf";

/// The command in a folder, with a separate cache and without the environment variables of the tests.
pub fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rlx"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("RLX_") {
            command.env_remove(name);
        }
    }
    command.env("RLX_CACHE_DIR", dir.join("cache")).env("RLX_OFFLINE", "1").env("RLX_PROGRAM_CACHE", "0");
    command.env("RLX_NUM_THREADS", "2").args(args).current_dir(dir);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Gives a command the environment of another one.
pub fn inherit(to: &mut Command, from: &Command) {
    for (name, value) in from.get_envs() {
        match value {
            Some(value) => to.env(name, value),
            None => to.env_remove(name),
        };
    }
}

/// The output of a command with this text on standard input.
pub fn run(dir: &Path, args: &[&str], input: &str) -> Output {
    let mut child = command(dir, args).stdin(Stdio::piped()).spawn().unwrap();
    // A command that fails early does not read all of it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// The output of a command that must succeed.
pub fn printed(dir: &Path, args: &[&str], input: &str) -> String {
    let output = run(dir, args, input);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The message of a command that must fail with this exit code.
pub fn refused(dir: &Path, args: &[&str], code: i32) -> String {
    let output = command(dir, args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
    assert!(!said.contains("internal error") && !said.contains("panicked"), "{args:?}: {said}");
    said
}
