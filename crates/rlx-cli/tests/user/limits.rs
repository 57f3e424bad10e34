//! Systems with few resources: no memory, no threads, a full disk, a clock that does not advance, and killed processes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{MODEL, at, command, inherit};

const GRAPH: &str =
    "graph \"g\" {\n  %0 = input {name = \"x\"} : f32[3]\n  %1 = neg %0 : f32[3]\n  return %1\n}";

/// The command, under limits that a shell sets.
fn limited(dir: &Path, limits: &str, args: &[&str]) -> Output {
    let inner = command(dir, args);
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("{limits}; exec \"$0\" \"$@\""))
        .arg(inner.get_program())
        .args(inner.get_args());
    inherit(&mut shell, &inner);
    shell.current_dir(dir).stdin(std::process::Stdio::null()).output().unwrap()
}

#[test]
fn little_memory_ends_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("g.rlx"), GRAPH).unwrap();
    fs::write(dir.path().join("text.txt"), "the quick brown fox ".repeat(200)).unwrap();
    // The system does not load a program that is larger than the limit.
    let program = fs::metadata(env!("CARGO_BIN_EXE_rlx")).unwrap().len() / 1000;
    for kilobytes in (program.max(48_000)..=200_000).step_by(19_000) {
        for args in [
            &["generate", "-p", "In the beginning", "-n", "2", "--context", "4000"][..],
            &["perplexity", "text.txt", "--window", "64"],
            &["convert", &at(MODEL), "o.safetensors"],
            &["run", "g.rlx", "-i", "[1,2,3]"],
        ] {
            let output = limited(dir.path(), &format!("ulimit -v {kilobytes}"), args);
            let said = String::from_utf8_lossy(&output.stderr);
            let code = output.status.code();
            assert!(matches!(code, Some(0 | 1)), "{kilobytes} kB, {args:?}: {:?} {said}", output.status);
            assert!(code == Some(0) || said.contains("rlx: "), "{kilobytes} kB, {args:?}: {said}");
        }
    }
}

#[test]
fn a_full_disk_is_an_error_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("g.rlx"), GRAPH).unwrap();
    for args in [
        &["--help"][..],
        &["--version"],
        &["help", "run"],
        &["devices"],
        &["devices", "--json"],
        &["train", "--settings"],
        &["run", "g.rlx", "-i", "[1,2,3]"],
        &["inspect", "g.rlx"],
        &["transform", "vmap", "g.rlx", "-o", "-"],
        &["generate", "-p", "x", "-n", "1"],
        &["tokenize", "x"],
        &["tokenize", "x", "--json"],
        &["inspect", &at(MODEL), "--json"],
    ] {
        if !Path::new("/dev/full").exists() {
            return;
        }
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = command(dir.path(), args).stdout(full).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("standard output"), "{args:?}: {said}");
    }
    // This process cannot write to files, so unfinished files are removed again.
    let before = fs::read_dir(dir.path()).unwrap().count();
    for args in [
        &["run", "g.rlx", "-i", "[1,2,3]", "-o", "a/b"][..],
        &["run", "g.rlx", "-i", "[1,2,3]", "-o", "a/b", "--format", "safetensors"],
        &["emit", "g.rlx", "-o", "a/b"],
        &["compile", "g.rlx", "-o", "a/b"],
        &["convert", "g.rlx", "o.mlir"],
        &["convert", "g.rlx", "o.mlpackage"],
    ] {
        let output = limited(dir.path(), "trap '' XFSZ; ulimit -f 0", args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && !said.is_empty(), "{args:?}: {said}");
        let left: Vec<_> =
            fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), before, "{args:?}: {left:?}");
    }
}

#[test]
fn what_a_killed_process_left_goes_with_the_next_one() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("g.rlx"), GRAPH).unwrap();
    let names = || {
        let mut names: Vec<_> = fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.retain(|name| name.starts_with(".rlx-"));
        names
    };
    let mut killed = false;
    for wait in 0..200 {
        let mut child = command(dir.path(), &["convert", &at(MODEL), "o.safetensors"]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(5 + wait));
        child.kill().unwrap();
        child.wait().unwrap();
        if !names().is_empty() {
            killed = true;
            break;
        }
    }
    assert!(killed, "no run was killed while it wrote");
    let done = command(dir.path(), &["convert", "g.rlx", "g.mlir"]).output().unwrap();
    assert!(done.status.success());
    assert_eq!(names(), [""; 0]);
}
