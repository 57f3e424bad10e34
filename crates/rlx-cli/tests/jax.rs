//! The programs of examples/jax, lowered by JAX, run by `rlx` and held against what JAX computed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use rlx_models::weights::Weights;

/// The programs, with the largest difference that is allowed in an output, relative to its largest element. Integers and
/// booleans must be equal.
const PROGRAMS: [(&str, f64); 10] = [
    ("conv_net", 1e-6),
    ("fft_convolution", 1e-6),
    ("mlp_step", 1e-6),
    ("newton_while", 1e-6),
    ("particles", 1e-5),
    ("qr_least_squares", 1e-5),
    ("rnn_scan", 1e-6),
    ("sort_top_k", 0.0),
    ("threefry_sampler", 1e-6),
    ("transformer_block", 1e-5),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/jax")
}

/// The tensors of a file as numbers, by name: f32 and integers of 32 bits are exact in f64.
fn tensors(path: &Path) -> Vec<(String, Vec<usize>, &'static str, Vec<f64>)> {
    let weights = Weights::open(path).unwrap();
    let tensor = |t: rlx_models::weights::TensorView<'_>| {
        let words = t.bytes().chunks_exact(4).map(|b| <[u8; 4]>::try_from(b).unwrap());
        let tag = t.stored_type().tag();
        let numbers = match tag {
            "F32" => words.map(|w| f64::from(f32::from_le_bytes(w))).collect(),
            "I32" => words.map(|w| f64::from(i32::from_le_bytes(w))).collect(),
            "U32" => words.map(|w| f64::from(u32::from_le_bytes(w))).collect(),
            other => panic!("{other} is not expected here"),
        };
        (t.name().to_string(), t.shape().to_vec(), tag, numbers)
    };
    let mut all: Vec<_> = weights.iter().map(tensor).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn programs_lowered_by_jax_give_what_jax_gives() {
    agree_with_jax("cpu");
}

/// Imported, exported again, and run by XLA behind the plugin that `RLX_PJRT_PLUGIN` names.
#[test]
fn and_so_they_do_through_a_pjrt_plugin() {
    let test = "and_so_they_do_through_a_pjrt_plugin";
    if rlx_driver::Env::read().unwrap().pjrt_plugin.is_some() {
        return agree_with_jax("tpu");
    }
    // On standard error itself: what tests print with macros is held back.
    writeln!(std::io::stderr(), "skipped: {test}: RLX_PJRT_PLUGIN names no plugin; .ci/run installs one")
        .unwrap();
}

fn agree_with_jax(device: &str) {
    let results = tempfile::tempdir().unwrap();
    for (name, tolerance) in PROGRAMS {
        let file = |kind: &str| folder().join(format!("{name}.{kind}"));
        let out = results.path().join(name);
        let output = Command::new(env!("CARGO_BIN_EXE_rlx"))
            .arg("run")
            .arg(file("mlir"))
            .arg("--input")
            .arg(file("inputs.safetensors"))
            .args(["--device", device, "--format", "safetensors", "--output"])
            .arg(&out)
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let (got, want) = (tensors(&out.join("outputs.safetensors")), tensors(&file("outputs.safetensors")));
        assert_eq!(got.len(), want.len(), "{name}");
        for (got, want) in got.iter().zip(&want) {
            let what = format!("{name}: {}", want.0);
            assert_eq!((&got.0, &got.1, got.2), (&want.0, &want.1, want.2), "{what}");
            let largest = want.3.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let allowed = if want.2 == "F32" { tolerance * largest } else { 0.0 };
            for (i, (g, w)) in got.3.iter().zip(&want.3).enumerate() {
                let difference = (g - w).abs();
                assert!(g == w || difference <= allowed, "{what}, element {i}: {g}, JAX has {w}");
            }
        }
    }
}

#[test]
fn every_program_of_the_folder_is_run() {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "mlir"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, PROGRAMS.map(|(name, _)| name));
}
