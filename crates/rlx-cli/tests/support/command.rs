//! The command, run in a folder on a text, with what the environment of the tests would add left out.

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
    // A command that fails early does not read it all.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}
