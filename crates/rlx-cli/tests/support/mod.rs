//! Shared by the tests on JAX programs: where they are, and how to compare results.

use std::io::Write;
use std::path::{Path, PathBuf};

use rlx_models::weights::Weights;

/// The folder of the programs.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/jax")
}

/// Whether `RLX_PJRT_PLUGIN` names a plugin. If not, it prints that the test is skipped.
pub fn plugin(test: &str) -> bool {
    if std::env::var_os("RLX_PJRT_PLUGIN").is_some_and(|path| !path.is_empty()) {
        return true;
    }
    // Written to standard error directly, because output of macros in tests is captured.
    let mut stderr = std::io::stderr();
    let _ = writeln!(stderr, "skipped: {test}: RLX_PJRT_PLUGIN names no plugin; .ci/run installs one");
    false
}

/// The tensors in a file as numbers, by name. f32 and 32-bit integers are exact in f64.
pub fn tensors(path: &Path) -> Vec<(String, Vec<usize>, &'static str, Vec<f64>)> {
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

/// Fails unless two files have the same tensors. Floats may differ by `tolerance` relative to the largest element of
/// the expected tensor; integers and booleans must be equal.
pub fn assert_agree(name: &str, got: &Path, want: &Path, tolerance: f64) {
    let (got, want) = (tensors(got), tensors(want));
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
