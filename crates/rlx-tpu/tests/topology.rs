//! Tests compiling with libtpu for TPUs that are not present.

mod graphs;
mod plugins;

use rlx_compile::CompileOptions;
use rlx_conformance::cases;
use rlx_exec::lower;
use rlx_ir::{Bindings, DType, Graph, OpClass, OpKind};
use rlx_tpu::TpuBackend;
use rlx_tpu::pjrt::{Code, PjrtError, Topology};
use std::collections::BTreeSet;

const EXPONENTIAL: &str = "\
module {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.exponential %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
";

#[test]
fn tpus_of_each_kind_are_described() {
    let Some(plugin) = plugins::libtpu("tpus_of_each_kind_are_described") else { return };
    // Name, number of devices, kind.
    for (name, count, kind) in [
        ("v4:2x2x1", 8, "TPU v4"),
        ("v5e:2x2", 4, "TPU v5 lite"),
        ("v5p:2x2x1", 4, "TPU v5"),
        ("v6e:1x1", 1, "TPU v6 lite"),
    ] {
        let topology = Topology::new(&plugin, name).unwrap();
        let devices = topology.devices().unwrap();
        assert_eq!(topology.platform().unwrap(), "tpu");
        assert_eq!((devices.len(), devices[0].kind.as_str()), (count, kind), "{name}");
    }
}

#[test]
fn a_name_that_is_no_topology_is_an_error() {
    let Some(plugin) = plugins::libtpu("a_name_that_is_no_topology_is_an_error") else { return };
    for name in ["nonsense", "v99:2x2"] {
        let error = Topology::new(&plugin, name).map(|_| ()).unwrap_err();
        assert_eq!(error.code(), Some(Code::InvalidArgument), "{error}");
    }
}

#[test]
fn a_program_compiles_for_a_tpu_that_is_not_there() {
    let Some(plugin) = plugins::libtpu("a_program_compiles_for_a_tpu_that_is_not_there") else { return };
    let program = rlx_tpu::compile_for_topology(plugin.path(), "v5e:2x2", EXPONENTIAL).unwrap();
    let estimate = program.estimate();
    assert!(estimate.code_bytes > Some(0), "{estimate:?}");
    assert!(estimate.counts.iter().any(|(name, _)| name == "transcendentals"), "{estimate:?}");
    assert!(program.serialize().unwrap().len() > 1000);
}

#[test]
fn a_program_that_does_not_parse_does_not_compile() {
    let Some(plugin) = plugins::libtpu("a_program_that_does_not_parse_does_not_compile") else { return };
    let error = rlx_tpu::compile_for_topology(plugin.path(), "v5e:2x2", "module {").map(|_| ()).unwrap_err();
    assert!(error.code().is_some(), "{error}");
}

/// Compiles a graph with static sizes in the same way as the backend.
fn compile(topology: &Topology, graph: &Graph) -> Result<(), String> {
    let lowered = lower(graph, &[], &TpuBackend::new(), &CompileOptions::new());
    let text = rlx_tpu::stablehlo(lowered.map_err(|e| e.to_string())?.graph()).map_err(|e| e.to_string())?;
    let program = topology.compile(&text).map_err(|e: PjrtError| format!("{e}\n{text}"))?;
    program.serialize().map(|_| ()).map_err(|e| e.to_string())
}

#[test]
fn models_compile_for_a_tpu_that_is_not_there() {
    let Some(plugin) = plugins::libtpu("models_compile_for_a_tpu_that_is_not_there") else { return };
    let topology = Topology::new(&plugin, "v5e:2x2").unwrap();
    let layers = graphs::two_layers().bind(&Bindings::from([("n".into(), 32)]));
    compile(&topology, &layers).unwrap();
    let encoder = graphs::encoder().bind(&Bindings::from([("batch".into(), 2), ("seq".into(), 16)]));
    compile(&topology, &encoder).unwrap();
}

/// The code of custom ops is in this process.
const NOT_THERE: &[OpKind] = &[OpKind::Custom];

#[test]
fn every_primitive_compiles_for_a_tpu_that_is_not_there() {
    let Some(plugin) = plugins::libtpu("every_primitive_compiles_for_a_tpu_that_is_not_there") else {
        return;
    };
    let topology = Topology::new(&plugin, "v5e:2x2").unwrap();
    let mut seen = BTreeSet::new();
    let mut failures = Vec::new();
    let wanted = [DType::F32, DType::I32, DType::Bool, DType::U32, DType::C64];
    for case in cases::all() {
        let name = case.op.mnemonic();
        let primitive = case.kind().class() == OpClass::Primitive && !NOT_THERE.contains(&case.kind());
        if primitive
            && wanted.contains(&case.dtype)
            && seen.insert((name, case.dtype))
            && let Err(problem) = compile(&topology, &case.graph())
        {
            failures.push(format!("{}: {problem}", case.name));
        }
    }
    assert!(seen.len() > 100, "{} of the table", seen.len());
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}
