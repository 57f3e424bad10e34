//! StableHLO on the command line: run, converted, inspected, refused.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use rlx_ir::{DType, Graph};
use rlx_models::npy;

fn rlx(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rlx"))
        .env("RLX_PROGRAM_CACHE", "0")
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// a + 2·b, for any batch size.
const ADD: &str = r#"module @axpy {
  func.func public @main(%a: tensor<?x2xf32>, %b: tensor<2xf32>) -> tensor<?x2xf32> {
    %two = stablehlo.constant dense<2.0> : tensor<2xf32>
    %twice = stablehlo.multiply %b, %two : tensor<2xf32>
    %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %w = stablehlo.constant dense<2> : tensor<1xi32>
    %dims = stablehlo.concatenate %n1, %w, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %rows = stablehlo.dynamic_broadcast_in_dim %twice, %dims, dims = [1] : (tensor<2xf32>, tensor<2xi32>) -> tensor<?x2xf32>
    %sum = stablehlo.add %a, %rows : tensor<?x2xf32>
    return %sum : tensor<?x2xf32>
  }
}
"#;

fn write(dir: &Path, name: &str, shape: &[usize], numbers: &[f32]) {
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    npy::write(&dir.join(name), DType::F32, shape, &bytes).unwrap();
}

fn numbers(path: &Path) -> Vec<f32> {
    let array = npy::read(path).unwrap();
    array.bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn a_program_runs_on_arrays_by_position_and_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("add.mlir"), ADD).unwrap();
    write(dir, "a.npy", &[3, 2], &[1., 2., 3., 4., 5., 6.]);
    write(dir, "b.npy", &[2], &[10., 20.]);
    for inputs in [&["-i", "a.npy", "-i", "b.npy"], &["-i", "b=b.npy", "-i", "a.npy"]] {
        let output = rlx(dir, &[&["run", "add.mlir", "-o", "out"][..], inputs].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(numbers(&dir.join("out/out0.npy")), [21., 42., 23., 44., 25., 46.]);
    }
    let output = rlx(dir, &["run", "add.mlir", "-i", "a.npy", "-i", "b.npy", "-i", "a.npy"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("3 arrays without a name, and 2 inputs and parameters of the graph"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_graph_goes_to_stablehlo_and_back() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("add.mlir"), ADD).unwrap();
    for [from, to] in [["add.mlir", "add.rlx"], ["add.rlx", "again.mlir"], ["again.mlir", "again.rlx"]] {
        let output = rlx(dir, &["convert", from, to]);
        assert!(output.status.success(), "{from}: {}", stderr(&output));
    }
    let graph = |name: &str| Graph::parse(&fs::read_to_string(dir.join(name)).unwrap()).unwrap();
    assert_eq!(graph("add.rlx"), graph("again.rlx"));
    let output = rlx(dir, &["inspect", "again.mlir"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"b\" f32[2]"), "{output:?}");
    let output = rlx(dir, &["convert", "add.mlir", "add.onnx"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("add.onnx: a graph is a .rlx file"), "{}", stderr(&output));
}

#[test]
fn everything_unsupported_is_listed_with_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  \
                %0 = stablehlo.custom_call @mystery(%x) : (tensor<4xf32>) -> tensor<4xf32>\n  \
                %1 = stablehlo.custom_call @riddle(%0) : (tensor<4xf32>) -> tensor<4xf32>\n  \
                return %1 : tensor<4xf32>\n}\n";
    fs::write(dir.join("odd.mlir"), text).unwrap();
    let output = rlx(dir, &["convert", "odd.mlir", "odd.rlx"]);
    let message = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{message}");
    for part in ["odd.mlir:2:8: ", "mystery", "odd.mlir:3:8: ", "riddle"] {
        assert!(message.contains(part), "{message}");
    }
    assert!(!dir.join("odd.rlx").exists());
}

#[test]
fn a_check_that_does_not_hold_is_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let program = |expected: &str| {
        format!(
            "func.func @main() -> tensor<2xf32> {{\n  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n  \
             %y = stablehlo.add %x, %x : tensor<2xf32>\n  %e = stablehlo.constant dense<{expected}> : tensor<2xf32>\n  \
             stablehlo.custom_call @check.expect_eq(%y, %e) {{has_side_effect = true}} : (tensor<2xf32>, tensor<2xf32>) \
             -> ()\n  return %y : tensor<2xf32>\n}}\n"
        )
    };
    fs::write(dir.join("right.mlir"), program("[2.0, 4.0]")).unwrap();
    fs::write(dir.join("wrong.mlir"), program("[2.0, 5.0]")).unwrap();
    let output = rlx(dir, &["run", "right.mlir"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "out0: f32[2]\n[2. 4.]\n", "{}", stderr(&output));
    let output = rlx(dir, &["run", "wrong.mlir"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("element 1 of f32[2]: got Float(4.0), expected Float(5.0)"),
        "{}",
        stderr(&output)
    );
}
