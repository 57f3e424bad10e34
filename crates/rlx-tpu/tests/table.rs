//! Runs cases of the conformance table with a plugin: for each primitive, the first case in a few element types, and all
//! cases of ops with text that guards against differences of XLA. `cargo xtask conformance --device tpu` runs the
//! whole table.

mod plugins;

use rlx_conformance::{Outcome, Target, TargetError, cases, judge};
use rlx_ir::{DType, Graph, Literal, OpClass, OpKind};
use rlx_session::{Device, Session, register_backend};
use rlx_tpu::TpuBackend;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Ops that XLA computes less accurately than backends should. The whole table judges them by the rows of
/// `xtask/src/allowances.rs`.
const ALLOWED: &[&str] = &["cbrt", "asin"];

/// The plugin that the environment names.
struct Plugin;

impl Target for Plugin {
    fn name(&self) -> &str {
        "plugin"
    }

    fn flushes_subnormals(&self) -> bool {
        true
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let failed = |e: rlx_session::RuntimeError| TargetError::Failed(e.to_string());
        let mut compiled = Session::new(Device::Tpu).try_compile(graph.clone()).map_err(failed)?;
        compiled.run_literals(inputs).map_err(failed)
    }
}

/// Returns all problems with the wanted cases, and the number of these cases.
fn failures(wanted: impl FnMut(&&rlx_conformance::Case) -> bool) -> (Vec<String>, usize) {
    register_backend(Arc::new(TpuBackend::new()));
    let all = cases::all();
    let cases: Vec<_> = all.iter().filter(wanted).collect();
    let judged = cases.iter().map(|case| (case, judge(&Plugin, case, 0)));
    let failed = judged.filter_map(|(case, outcome)| match outcome {
        Outcome::Passed => None,
        outcome => Some(format!("{}: {outcome:?}", case.name)),
    });
    (failed.collect(), cases.len())
}

#[test]
fn every_primitive_agrees_with_the_evaluator() {
    if plugins::named("every_primitive_agrees_with_the_evaluator").is_none() {
        return;
    }
    let mut seen = BTreeSet::new();
    let (failures, count) = failures(|case| {
        // The code of custom ops is in this process.
        let primitive = case.kind().class() == OpClass::Primitive && case.kind() != OpKind::Custom;
        let judged = primitive && !ALLOWED.contains(&case.op.mnemonic());
        let dtypes = [DType::F32, DType::BF16, DType::I32, DType::C64];
        judged && dtypes.contains(&case.dtype) && seen.insert((case.op.mnemonic(), case.dtype))
    });
    assert!(count > 200, "{count} cases");
    assert!(failures.is_empty(), "{} of {count} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn what_xla_does_otherwise_is_guarded() {
    if plugins::named("what_xla_does_otherwise_is_guarded").is_none() {
        return;
    }
    let ops = ["cholesky", "reduce_precision", "clamp", "zeta", "polygamma"];
    let (failures, count) = failures(|case| ops.contains(&case.op.mnemonic()));
    assert!(count > 100, "{count} cases");
    assert!(failures.is_empty(), "{} of {count} failed:\n{}", failures.len(), failures.join("\n"));
}
