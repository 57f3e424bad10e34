//! The programs of examples/jax, lowered by JAX, run by `rlx` and held against what JAX computed.

mod support;

use std::process::Command;

use support::{assert_agree, examples, plugin};

/// The programs, with the largest difference that is allowed in an output, relative to its largest element. Integers and
/// booleans must be equal.
const PROGRAMS: [(&str, f64); 11] = [
    ("conv_net", 1e-6),
    ("fft_convolution", 1e-6),
    ("mlp_step", 1e-6),
    ("newton_while", 1e-6),
    ("particles", 1e-5),
    ("pendulum", 1e-6),
    ("qr_least_squares", 1e-5),
    ("rnn_scan", 1e-6),
    ("sort_top_k", 0.0),
    ("threefry_sampler", 1e-6),
    ("transformer_block", 1e-5),
];

#[test]
fn programs_lowered_by_jax_give_what_jax_gives() {
    agree_with_jax("cpu");
}

/// Imported, exported again, and run by XLA behind the plugin that `RLX_PJRT_PLUGIN` names.
#[test]
fn and_so_they_do_through_a_pjrt_plugin() {
    if plugin("and_so_they_do_through_a_pjrt_plugin") {
        agree_with_jax("tpu");
    }
}

fn agree_with_jax(device: &str) {
    let results = tempfile::tempdir().unwrap();
    for (name, tolerance) in PROGRAMS {
        let file = |kind: &str| examples().join(format!("{name}.{kind}"));
        let out = results.path().join(name);
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
        assert_agree(name, &out.join("outputs.safetensors"), &file("outputs.safetensors"), tolerance);
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
    assert_eq!(names, PROGRAMS.map(|(name, _)| name));
}
