//! `rlx compile`: rustc builds the crates that it writes, and their results equal those of `rlx run`.

#[path = "support/command.rs"]
mod command;

use command::rlx;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const GRAPH: &str = include_str!("../../../examples/softmax.rlx");

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Builds the crate in a folder as a library, and a program that uses it; returns what the program prints.
fn run(dir: &Path, main: &str) -> String {
    let rustc = |args: &[&str]| {
        let built = Command::new("rustc").args(["--edition=2024", "-O"]).args(args).current_dir(dir).output();
        let built = built.unwrap();
        assert!(built.status.success(), "{}", stderr(&built));
    };
    rustc(&["--crate-type=lib", "--crate-name=softmax", "made/src/lib.rs"]);
    fs::write(dir.join("main.rs"), main).unwrap();
    rustc(&["--extern", "softmax=libsoftmax.rlib", "main.rs"]);
    let done = Command::new(dir.join("main")).output().unwrap();
    assert!(done.status.success(), "{}", stderr(&done));
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn a_graph_becomes_a_crate_that_computes_it() {
    let dir = tempfile::tempdir().unwrap();
    let dims = ["--dim", "rows=2", "--dim", "n=3"];
    let made = rlx(dir.path(), &[&["compile", "-", "-o", "made"], &dims[..]].concat(), GRAPH);
    assert!(made.status.success(), "{}", stderr(&made));
    let main = "fn main() {
        let mut results = [0.0; 6];
        let mut model = softmax::Model::new();
        model.run(&[1.0, 2.0, 3.0, -1.0, 0.0, 50.0], &[0.5, 0.0, -0.5], &mut results).unwrap();
        // e^1.5, e^2, e^2.5 and a number that is negligible compared with e^49.5.
        let sum: f32 = [1.5f32, 2.0, 2.5].iter().map(|x| x.exp()).sum();
        for (x, y) in [1.5f32, 2.0, 2.5].iter().zip(results) {
            assert!((x.exp() / sum - y).abs() < 1e-6);
        }
        assert_eq!(results[5], 1.0);
        println!(\"{}\", model.run(&[0.0; 5], &[0.0; 3], &mut results).unwrap_err());
    }";
    assert_eq!(run(dir.path(), main), "`x` needs 6 elements, got 5\n");
}

#[test]
fn a_crate_of_largest_sizes_runs_at_all_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let made = rlx(dir.path(), &["compile", "-", "-o", "made", "--max", "rows=4", "--max", "n=40"], GRAPH);
    assert!(made.status.success(), "{}", stderr(&made));
    let main = "fn main() {
        let mut model = softmax::Model::new();
        for (rows, n) in [(4, 40), (1, 1), (3, 7), (0, 5)] {
            let mut results = vec![0.0; rows * n];
            model.run(&vec![0.5; rows * n], &vec![1.0; n], &mut results).unwrap();
            assert!(results.iter().all(|y| (y * n as f32 - 1.0).abs() < 1e-6));
        }
        println!(\"{}\", model.run(&[0.0; 12], &[0.0; 5], &mut [0.0; 12]).unwrap_err());
        println!(\"{}\", model.run(&[0.0; 41], &[0.0; 41], &mut [0.0; 41]).unwrap_err());
    }";
    let said =
        "`x` has 12 elements, which no value of `rows` gives\n`n` is 41, but must be between 0 and 40\n";
    assert_eq!(run(dir.path(), main), said);
}

#[test]
fn what_cannot_be_compiled_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let unbound = rlx(dir.path(), &["compile", "-", "-o", "made", "--dim", "rows=2"], GRAPH);
    assert_eq!(unbound.status.code(), Some(2));
    assert!(stderr(&unbound).contains("--dim n=SIZE or --max n=SIZE"), "{}", stderr(&unbound));
    let both = ["compile", "-", "-o", "made", "--dim", "rows=2", "--max", "rows=3", "--dim", "n=2"];
    assert!(stderr(&rlx(dir.path(), &both, GRAPH)).contains("rows needs either a size (--dim) or a maximum"));
    fs::create_dir(dir.path().join("mine")).unwrap();
    fs::write(dir.path().join("mine/notes.txt"), "kept").unwrap();
    let dims = ["--dim", "rows=2", "--dim", "n=3"];
    let refused = rlx(dir.path(), &[&["compile", "-", "-o", "mine"], &dims[..]].concat(), GRAPH);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("mine is a folder with files in it"), "{}", stderr(&refused));
    assert_eq!(fs::read_to_string(dir.path().join("mine/notes.txt")).unwrap(), "kept");
    let file = rlx(dir.path(), &[&["compile", "-", "-o", "mine/notes.txt"], &dims[..]].concat(), GRAPH);
    assert!(stderr(&file).contains("mine/notes.txt is a file"), "{}", stderr(&file));
    assert_eq!(fs::read_to_string(dir.path().join("mine/notes.txt")).unwrap(), "kept");
    assert!(!dir.path().join("made").exists());
}
