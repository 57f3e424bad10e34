//! CoreML packages on the command line: written, shown, linted, refused.

#[path = "support/command.rs"]
mod command;

use std::fs;
use std::path::Path;

use command::rlx;
use serde_json::Value;

fn stdout(dir: &Path, args: &[&str]) -> String {
    let output = rlx(dir, args, "");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Checks that the command fails with `code` and a message that contains all of `says`, and leaves no package.
fn fails(dir: &Path, args: &[&str], code: i32, says: &[&str]) {
    let output = rlx(dir, args, "");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
    for part in says {
        assert!(text.contains(part), "{args:?}: {text}\nneeds {part}");
    }
    let packages = fs::read_dir(dir).unwrap().filter(|entry| {
        entry.as_ref().is_ok_and(|entry| entry.file_name().to_string_lossy().contains("mlpackage"))
    });
    assert_eq!(packages.count(), 0, "{args:?}");
}

/// x · w, for any number of rows.
const LAYER: &str = r#"graph "layer" {
  %0 = input {name = "x"} : f32[rows,16]
  %1 = param {name = "w"} : f32[16,8]
  %2 = matmul %0, %1 : f32[rows,8]
  %3 = activation %2 {kind = gelu} : f32[rows,8]
  return %3
}
"#;

/// The spectrum of x. Programs have no spectrum of complex numbers.
const COMPLEX: &str = r#"graph "spectrum" {
  %0 = input {name = "x"} : c64[8]
  return %0
}
"#;

#[test]
fn a_graph_becomes_a_package_that_can_be_shown_and_linted() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("layer.rlx"), LAYER).unwrap();
    let convert = ["convert", "layer.rlx", "-o", "layer.mlpackage", "-p", "w=random:1", "--dim", "rows=3"];
    stdout(dir.path(), &[&convert[..], &["--precision", "f16", "--target", "macos13"]].concat());
    let shown = stdout(dir.path(), &["inspect", "layer.mlpackage"]);
    for part in
        ["specification  7", "x: f32[3,16]", "out0: f32[3,8]", "CoreML6", "gelu ×1", "1 × fp16, 256 bytes"]
    {
        assert!(shown.contains(part), "{shown}\nneeds {part}");
    }
    let report: Value =
        serde_json::from_str(&stdout(dir.path(), &["coreml", "lint", "layer.mlpackage", "--json"])).unwrap();
    assert_eq!(report["main"]["counts"]["neural engine"], 3, "{report}");
    // Anything that can become a package can also be linted, and a package is replaced as a whole.
    let text = stdout(dir.path(), &["coreml", "lint", "layer.rlx", "-p", "w=random:1", "--dim", "rows=3"]);
    assert!(text.contains("convert with --precision f16"), "{text}");
    stdout(dir.path(), &convert);
    let shown = stdout(dir.path(), &["inspect", "layer.mlpackage"]);
    assert!(shown.contains("1 × fp32, 512 bytes") && shown.contains("specification  8"), "{shown}");
    // The package reads back as the same graph, with its constants next to it.
    stdout(dir.path(), &["convert", "layer.mlpackage", "-o", "back.rlx"]);
    let x = ["-i", "x=random:2"];
    let own =
        stdout(dir.path(), &[&["run", "layer.rlx", "-i", "w=random:1", "--dim", "rows=3"], &x[..]].concat());
    let back = stdout(dir.path(), &[&["run", "back.rlx", "-i", "back.safetensors"], &x[..]].concat());
    assert_eq!(own, back);
}

#[test]
fn what_cannot_become_a_package_is_said_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("layer.rlx"), LAYER).unwrap();
    fs::write(dir.path().join("spectrum.rlx"), COMPLEX).unwrap();
    let to = ["-o", "it.mlpackage"];
    let layer = |rest: &[&'static str]| [&["convert", "layer.rlx"], &to[..], rest].concat();
    fails(dir.path(), &layer(&["-p", "w=random:1"]), 2, &["--dim rows=SIZE"]);
    fails(dir.path(), &layer(&["-p", "w=random:1", "--dim", "lines=2"]), 2, &["lines"]);
    fails(dir.path(), &layer(&["--dim", "rows=3"]), 1, &["`w`"]);
    fails(dir.path(), &layer(&["--dim", "rows=3", "--target", "ios9"]), 2, &["ios15 to ios18"]);
    fails(dir.path(), &[&["convert", "spectrum.rlx"], &to[..]].concat(), 1, &["x", "c64"]);
}

#[test]
fn what_is_no_package_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let package = dir.path().join("it.mlpackage");
    let said = |args: &[&str], says: &[&str]| {
        let output = rlx(dir.path(), args, "");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {text}");
        assert!(says.iter().all(|part| text.contains(part)), "{args:?}: {text}");
    };
    said(&["inspect", "it.mlpackage"], &["it.mlpackage"]);
    fs::create_dir(&package).unwrap();
    said(&["inspect", "it.mlpackage"], &["Manifest.json"]);
    fs::write(package.join("Manifest.json"), "{}").unwrap();
    said(&["coreml", "lint", "it.mlpackage"], &["Manifest.json"]);
}

/// A sum that is kept between runs.
const SUM: &str = r#"graph "sum" {
  %0 = input {name = "x"} : f16[1,64]
  %1 = input {name = "sum"} : f16[1,64]
  %2 = param {name = "w"} : f16[64,64]
  %3 = matmul %0, %2 : f16[1,64]
  %4 = add %1, %3 : f16[1,64]
  return %4, %3
}
"#;

#[test]
fn graphs_become_functions_with_states_and_weights_become_small() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("sum.rlx"), SUM).unwrap();
    let both = ["--function", "first=sum.rlx", "--function", "second=sum.rlx", "-p", "w=random:1"];
    let to = ["-o", "both.mlpackage"];
    let fails = |args: &[&str], code: i32, says: &[&str]| fails(dir.path(), args, code, says);
    fails(&[&["convert"], &both[..], &to].concat(), 1, &["packages have several functions from iOS 18 on"]);
    let newest = ["--target", "ios18", "--state", "sum=0"];
    let lost = [&["convert"], &both[..], &to, &["--target", "ios18", "--state", "sun=0"]].concat();
    fails(&lost, 2, &["--state sun: no graph has an input of this name"]);
    let recipe = [&["convert"], &both[..], &to, &newest, &["--quantize", "q4_k_m"]].concat();
    fails(&recipe, 2, &["that is a recipe for .gguf files"]);
    fails(&["convert", "sum.rlx", "-o", "sum.gguf", "--quantize", "palette4"], 1, &[]);
    let all = [&["convert"], &both[..], &to, &newest, &["--quantize", "sparse1"]].concat();
    fails(&all, 2, &["sparse1", "sparse0.5 zeroes the smaller half"]);
    fails(&["convert", "sum.rlx", "-o", "sum.gguf", "--quantize", "sparse0.5"], 1, &[]);
    stdout(dir.path(), &[&["convert"], &both[..], &to, &newest, &["--quantize", "q4_0"]].concat());
    let shown = stdout(dir.path(), &["inspect", "both.mlpackage"]);
    for part in [
        "function       first",
        "function       second",
        "x, sum (state)",
        "write_state ×1",
        "1 × int4, 2048 bytes",
    ] {
        assert!(shown.contains(part), "{shown}\nneeds {part}");
    }
    stdout(dir.path(), &[&["convert"], &both[..], &to, &newest, &["--quantize", "palette2"]].concat());
    let shown = stdout(dir.path(), &["inspect", "both.mlpackage"]);
    assert!(
        shown.contains("1 × uint2, 1024 bytes") && shown.contains("constexpr_lut_to_dense ×1"),
        "{shown}"
    );
    // Half of the numbers are zeros, and a mask says where they are.
    stdout(
        dir.path(),
        &[&["convert"], &both[..], &to, &newest, &["--quantize", "sparse0.5+palette4"]].concat(),
    );
    let shown = stdout(dir.path(), &["inspect", "both.mlpackage"]);
    for part in [
        "constexpr_lut_to_sparse ×1, constexpr_sparse_to_dense ×1",
        "1 × uint1, 512 bytes",
        "1 × uint4, 1024 bytes",
    ] {
        assert!(shown.contains(part), "{shown}\nneeds {part}");
    }
}
