//! StableHLO on MLX: the programs of examples/jax, lowered by JAX and compared with what JAX computed, and programs that check themselves.

mod present;

use present::{MODES, OnMlx, session};
use rlx_conformance::Target;
use rlx_conformance::programs::{self, TestProgram};
use rlx_files::weights::Weights;
use rlx_ir::{DType, Literal, Shape};
use rlx_mlx::MlxMode;
use rlx_stablehlo::import;
use std::path::{Path, PathBuf};

/// A file of examples/jax.
fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/jax").join(name)
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The tensors of a file, by name.
fn tensors(path: &Path) -> Vec<(String, Literal)> {
    let weights = Weights::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let literal = |t: rlx_files::weights::TensorView<'_>| {
        let shape = Shape::new(t.shape(), t.dtype().expect("a type that the IR has"));
        (t.name().to_string(), Literal::from_bytes(&shape, t.bytes()).expect("as many bytes"))
    };
    weights.iter().map(literal).collect()
}

fn f32s(literal: &Literal) -> &[f32] {
    literal.as_slice().expect("f32")
}

/// Fails unless two values are equal; floats may differ by `tolerance` relative to the largest element that is wanted.
fn assert_agree(what: &str, got: &Literal, want: &Literal, tolerance: f32) {
    assert_eq!(got.shape(), want.shape(), "{what}");
    if want.dtype() != DType::F32 {
        assert_eq!(got, want, "{what}");
        return;
    }
    let allowed = tolerance * f32s(want).iter().fold(0.0, |most: f32, x| most.max(x.abs()));
    for (i, (got, want)) in f32s(got).iter().zip(f32s(want)).enumerate() {
        assert!(got == want || (got - want).abs() <= allowed, "{what}, element {i}: {got}, JAX has {want}");
    }
}

#[test]
fn programs_lowered_by_jax_give_what_jax_gives() {
    // A line is `PROGRAM : TOLERANCE`.
    let listed = text(&example("programs.txt"));
    let listed = listed.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let listed: Vec<(&str, &str)> = listed.filter_map(|line| line.split_once(" : ")).collect();
    assert!(listed.len() > 10, "{listed:?}");
    for mode in MODES {
        let Some(session) = session("programs_lowered_by_jax_give_what_jax_gives", mode) else { return };
        for (name, tolerance) in &listed {
            let tolerance: f32 = tolerance.parse().expect("a number");
            let program = import(&text(&example(&format!("{name}.mlir")))).expect("StableHLO");
            let inputs = tensors(&example(&format!("{name}.inputs.safetensors")));
            let inputs: Vec<(&str, &Literal)> =
                inputs.iter().map(|(name, value)| (name.as_str(), value)).collect();
            let mut compiled = session.try_compile(program.graph).expect("it compiles");
            let outputs = compiled.run_literals(&inputs).unwrap_or_else(|e| panic!("{name}, {mode}: {e}"));
            let wanted = tensors(&example(&format!("{name}.outputs.safetensors")));
            assert_eq!(outputs.len(), wanted.len(), "{name}");
            for (output, want) in &wanted {
                let number: usize =
                    output.strip_prefix("out").and_then(|n| n.parse().ok()).expect("a number");
                assert_agree(&format!("{name}, {mode}: {output}"), &outputs[number], want, tolerance);
            }
        }
    }
}

/// Programs whose results depend on the order in which elements are combined, which StableHLO leaves open: bodies that are not associative,
/// and a sum in bf16.
const ORDERED: [&str; 3] = ["any reducer", "regions that use constants from around", "reduce bfloat16"];

#[test]
fn programs_pass_their_own_checks() {
    let Some(session) = session("programs_pass_their_own_checks", MlxMode::Lazy) else { return };
    let target = OnMlx::new(session);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rlx-stablehlo/tests/data/programs.mlir");
    let all = text(&path);
    let program = |text: &str| TestProgram {
        name: text.lines().next().unwrap_or_default().trim_start_matches("// ").into(),
        text: text.into(),
    };
    let all = all.split("// -----\n").skip(1).map(program);
    let all: Vec<TestProgram> = all.filter(|p| !ORDERED.contains(&p.name.as_str())).collect();
    let targets: [&(dyn Target + Sync); 1] = [&target];
    let tally = programs::run(&all, &targets, 2);
    let total = tally.total();
    assert!(total.failed == 0 && total.passed > 600, "{tally}");
}
