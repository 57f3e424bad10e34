//! Runs the command in a folder with the given standard input, without the environment variables of the tests.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub fn rlx(dir: &Path, args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rlx"))
        .env("RLX_PROGRAM_CACHE", "0")
        .env_remove("RLX_VERBOSE")
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that fails early does not read all of it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}
