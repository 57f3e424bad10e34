//! Graphs on the command line: values as inputs and outputs, timing and profiles.

#[path = "support/command.rs"]
mod command;

use std::fs;
use std::path::Path;

use command::rlx;
use serde_json::Value;

fn stdout(dir: &Path, args: &[&str], input: &str) -> String {
    let output = rlx(dir, args, input);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Checks that the command fails with `code` and a message that contains all of `says`.
fn fails(dir: &Path, args: &[&str], input: &str, code: i32, says: &[&str]) {
    let output = rlx(dir, args, input);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    for part in says {
        assert!(text.contains(part), "{args:?}: {text}\nneeds {part}");
    }
    assert!(output.stdout.is_empty(), "{args:?}");
}

/// 2·x + w, for any number of rows of x.
const AFFINE: &str = r#"graph "affine" {
  %0 = input {name = "x"} : f32[rows,2]
  %1 = param {name = "w"} : f32[rows,2]
  %2 = add %0, %0 : f32[rows,2]
  %3 = add %2, %1 : f32[rows,2]
  return %3
}
"#;

const SINE: &str =
    "graph \"sine\" {\n  %0 = input {name = \"x\"} : f32[]\n  %1 = sin %0 : f32[]\n  return %1\n}\n";

/// The same, as JAX would write it.
const SINE_MLIR: &str = r#"// a comment
module @sine {
  func.func public @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.sine %x : tensor<f32>
    return %0 : tensor<f32>
  }
}
"#;

#[test]
fn numbers_go_in_and_values_come_out() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("sine.rlx"), SINE).unwrap();
    fs::write(dir.join("affine.rlx"), AFFINE).unwrap();
    // sin 0.5 = 0.4794255386…
    assert_eq!(stdout(dir, &["run", "sine.rlx", "-i", "x=0.5"], ""), "out0: f32[]\n0.47942555\n");
    let args = ["run", "affine.rlx", "-i", "x=[[1,2],[3,4.5]]", "-i", "[[0.25,0],[0,-100]]"];
    assert_eq!(stdout(dir, &args, ""), "out0: f32[2,2]\n[[  2.25   4.  ]\n [  6.   -91.  ]]\n");
    for (wrong, says) in [
        ("x=[1,2]", "\"x\" is declared as f32[rows,2], but got f32[2]"),
        ("x=[[1,2,3]]", "\"x\" is declared as f32[rows,2], but got f32[1,3]"),
        ("x=[[1,1e40]]", "the value for \"x\": 1e40 is not a valid f32"),
        ("y=1", "no input or parameter `y`; it has `x`, `w`"),
        ("x=random:0", "--dim rows=SIZE"),
        ("x=x.npy", "x.npy"),
    ] {
        fails(dir, &["run", "affine.rlx", "-i", wrong, "-i", "w=random:1"], "", 1, &[says]);
    }
    fails(
        dir,
        &["run", "affine.rlx"],
        "",
        1,
        &["no value for x (f32[rows,2]), w (f32[rows,2])", "random:SEED"],
    );
    fails(dir, &["run", "affine.rlx", "-i", "x=[[1],[2,3]]"], "", 2, &["have 1 and 2 elements"]);
    fails(dir, &["run", "affine.rlx", "-i", "x=random:one"], "", 2, &["random:SEED needs a whole number"]);
}

#[test]
fn random_values_follow_from_their_seed_and_take_their_sizes_from_other_inputs() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("affine.rlx"), AFFINE).unwrap();
    let run =
        |w: &str, extra: &[&str]| stdout(dir, &[&["run", "affine.rlx", "-i", w][..], extra].concat(), "");
    let x = ["-i", "x=[[0,0],[0,0],[0,0]]"];
    let first = run("w=random:1", &x);
    assert!(first.starts_with("out0: f32[3,2]\n[["), "{first}");
    assert_eq!(run("w=random:1", &x), first);
    assert_ne!(run("w=random:2", &x), first);
    let shape = run("w=random:1", &["-i", "x=random:2", "--dim", "rows=4"]);
    assert!(shape.starts_with("out0: f32[4,2]\n"), "{shape}");
    fails(dir, &["run", "affine.rlx", "-i", "w=[[1,2]]", x[0], x[1]], "", 1, &["f32[3,2]"]);
    fails(
        dir,
        &["run", "affine.rlx", "-i", "random:0", "-i", "random:1", "--dim", "row=4"],
        "",
        1,
        &["rows=SIZE"],
    );
}

#[test]
fn large_outputs_are_elided_unless_they_are_asked_for_in_full() {
    let dir = tempfile::tempdir().unwrap();
    let graph = "graph \"i\" {\n  %0 = iota {shape = i32[1001], axis = 0} : i32[1001]\n  return %0\n}\n";
    let elided = stdout(dir.path(), &["run", "-"], graph);
    assert_eq!(elided, "out0: i32[1001]\n[   0    1    2 ...  998  999 1000]\n");
    let full = stdout(dir.path(), &["run", "-", "--full"], graph);
    let numbers = full.split_once('\n').unwrap().1.replace(['[', ']'], " ");
    let numbers: Vec<usize> = numbers.split_whitespace().map(|n| n.parse().unwrap()).collect();
    assert_eq!(numbers, (0..=1000).collect::<Vec<_>>());
    assert!(full.lines().all(|line| line.len() <= 75), "{full}");
}

#[test]
fn graphs_come_from_standard_input_in_both_languages() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for graph in [SINE, SINE_MLIR] {
        assert_eq!(stdout(dir, &["run", "-", "-i", "0.5"], graph), "out0: f32[]\n0.47942555\n");
        let gradient = stdout(dir, &["transform", "grad", "-", "--wrt", "0", "--output", "-"], graph);
        // cos 0.5 = 0.8775825618…
        assert_eq!(stdout(dir, &["run", "-", "-i", "0.5"], &gradient), "out0: f32[]\n0.87758255\n");
        assert!(stdout(dir, &["inspect", "-"], graph).contains("sin"));
    }
    fails(dir, &["run", "-"], " \n", 1, &["standard input", "empty"]);
    fails(dir, &["run", "-"], "graph \"x\" {\n  oops\n}", 1, &["standard input", "2"]);
    fails(dir, &["run", "-"], "hello", 1, &["standard input:1"]);
}

#[test]
fn times_are_told_when_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let text = stdout(dir.path(), &["run", "-", "-i", "0.5", "--time", "3"], SINE);
    let times: Vec<&str> = text.lines().skip(2).collect();
    let [compile, first, median] = times[..] else { panic!("{text}") };
    for (line, name) in [(compile, "compile "), (first, "first run "), (median, "median ")] {
        let time = line.strip_prefix(name).unwrap_or_else(|| panic!("{text}")).trim_start();
        let (number, unit) = time.split_once(' ').unwrap();
        let unit = unit.split(' ').next().unwrap();
        assert!(number.parse::<f64>().unwrap() > 0.0, "{text}");
        assert!(["ns", "µs", "ms", "s"].contains(&unit), "{text}");
    }
    assert!(median.ends_with(" of 3 further runs"), "{text}");
    fails(dir.path(), &["run", "-", "--time", "0"], SINE, 2, &["--time"]);
    // The sizes of an input with two symbols do not follow from its length.
    let graph = AFFINE.replace("rows,2", "rows,columns");
    let text =
        stdout(dir.path(), &["run", "-", "-i", "[[1,2,3]]", "-i", "w=random:0", "--time", "2"], &graph);
    assert!(text.starts_with("out0: f32[1,3]\n") && text.ends_with(" of 2 further runs\n"), "{text}");
    fails(dir.path(), &["bench", "-", "--dim", "rows=2"], &graph, 1, &["--dim columns=SIZE"]);
}

#[test]
fn graphs_are_measured_and_profiled_with_random_numbers_where_nothing_is_given() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let graph = "graph \"g\" {\n  %0 = input {name = \"x\"} : f32[8,4]\n  %1 = param {name = \"w\"} : f32[4,2]\n  \
                 %2 = matmul %0, %1 : f32[8,2]\n  return %2\n}\n";
    fs::write(dir.join("g.rlx"), graph).unwrap();
    let report = stdout(dir, &["bench", "g.rlx", "--seconds", "0", "--json"], "");
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(
        (&report["model"], &report["batch"], report["runs"].as_u64()),
        (&"g.rlx".into(), &Value::Null, Some(10))
    );
    // 2 · 8 · 4 · 2 operations.
    let flops = report["gflops"].as_f64().unwrap() * report["median_ms"].as_f64().unwrap() * 1e6;
    assert!((flops - 128.0).abs() < 1e-6, "{report}");
    let table =
        stdout(dir, &["profile", "-", "--input", "w=[[1,2],[3,4],[5,6],[7,8]]", "--runs", "2"], graph);
    assert!(table.contains("in 1 steps") && table.contains("(f32[8,4], f32[4,2]) → f32[8,2]"), "{table}");
    for command in ["bench", "profile"] {
        fails(dir, &[command, "g.rlx", "--batch", "2"], "", 2, &["g.rlx is a graph", "--batch"]);
        fails(dir, &[command, "minilm", "-i", "x=1"], "", 2, &["minilm is a model", "--input"]);
        fails(
            dir,
            &[command, "g.rlx", "-i", "x=1"],
            "",
            1,
            &["\"x\" is declared as f32[8,4], but got f32[]"],
        );
    }
}
