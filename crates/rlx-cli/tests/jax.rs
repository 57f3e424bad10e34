//! The programs of examples/jax, lowered by JAX and run by `rlx`, compared with JAX's results.

mod support;

use std::process::Command;

use support::{assert_agree, examples, plugin};

/// The programs in examples/jax/programs.txt, each with its tolerance.
fn programs() -> Vec<(String, f64)> {
    let text = std::fs::read_to_string(examples().join("programs.txt")).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let program = |line: &str| {
        let (name, tolerance) = line.split_once(" : ").unwrap();
        (name.to_string(), tolerance.parse().unwrap())
    };
    lines.map(program).collect()
}

#[test]
fn programs_lowered_by_jax_give_what_jax_gives() {
    agree_with_jax("cpu");
}

/// The programs, imported, exported again, and run by XLA through the plugin that `RLX_PJRT_PLUGIN` names.
#[test]
fn and_so_they_do_through_a_pjrt_plugin() {
    if plugin("and_so_they_do_through_a_pjrt_plugin") {
        agree_with_jax("tpu");
    }
}

fn agree_with_jax(device: &str) {
    let results = tempfile::tempdir().unwrap();
    for (name, tolerance) in programs() {
        let file = |kind: &str| examples().join(format!("{name}.{kind}"));
        let out = results.path().join(&name);
        let output = Command::new(env!("CARGO_BIN_EXE_rlx"))
            .env("RLX_PROGRAM_CACHE", "0")
            .arg("run")
            .arg(file("mlir"))
            .arg("--input")
            .arg(file("inputs.safetensors"))
            .args(["--device", device, "--format", "safetensors", "--output"])
            .arg(&out)
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert_agree(&name, &out.join("outputs.safetensors"), &file("outputs.safetensors"), tolerance);
    }
}

#[test]
fn every_program_of_the_folder_is_run() {
    let mut names: Vec<String> = std::fs::read_dir(examples())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "mlir"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let listed: Vec<String> = programs().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, listed);
}
