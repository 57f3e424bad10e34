//! Models embedded in this test compute the same as JAX with the same weights.

use rlx::macros::{Device, rlx_model};
use rlx::prelude::*;

/// The network of examples/embedded.
#[rlx_model(weights = "../../../examples/embedded/xor.safetensors")]
fn xor<const BATCH: usize>(x: [[f32; 2]; BATCH]) -> [[f32; 2]; BATCH] {
    let h = (x.matmul(&param("up.weight")) + param("up.bias")).tanh();
    (h.matmul(&param("down.weight")) + param("down.bias")).softmax(1)
}

/// A tensor in a file that JAX wrote for the examples.
fn tensor(file: &str, name: &str) -> Vec<f32> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(file);
    let bytes = std::fs::read(path).unwrap();
    let file = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let tensor = file.tensor(name).unwrap();
    tensor.data().chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// The inputs that JAX was given, and its results.
fn expected() -> [Vec<[f32; 2]>; 2] {
    ["x", "y"].map(|name| tensor("embedded/xor.expected.safetensors", name).as_chunks::<2>().0.to_vec())
}

#[test]
fn an_embedded_network_gives_what_jax_gave_at_any_batch() {
    let [x, y] = expected();
    let mut model = Xor::new(Device::Cpu).unwrap();
    let all: [[f32; 2]; 4] = x.clone().try_into().unwrap();
    for (got, want) in model.run(&all).unwrap().iter().zip(&y) {
        for (g, w) in got.iter().zip(want) {
            assert!((g - w).abs() <= 1e-6, "{got:?} {want:?}");
        }
    }
    for (x, want) in x.into_iter().zip(&y) {
        let [got] = model.run(&[x]).unwrap();
        assert!((got[1] - want[1]).abs() <= 1e-6, "{got:?} {want:?}");
    }
}

#[test]
fn what_is_embedded_is_the_text_of_the_graph() {
    let graph = Graph::parse(Xor::PROGRAM).unwrap();
    assert_eq!(graph.to_string(), Xor::PROGRAM);
    assert_eq!(graph.name(), "xor");
    assert_eq!(graph.params().count(), 4);
    assert_eq!(Xor::EMBEDDED.params.len(), 4);
}

#[rlx_model("../../rlx-macros/tests/data/head.rlx")]
struct Head;

#[test]
fn a_graph_of_a_file_runs_with_parameters_set_at_run_time() {
    let mut head = Head::new(Device::Cpu).unwrap();
    let error = head.run(&[[0.0; 4]]).unwrap_err().to_string();
    assert!(error.contains("parameter(s) not set"), "{error}");
    head.compiled().try_set_param("w", &[1., 2., 3., 4., 5., 6., 7., 8.]).unwrap();
    head.compiled().try_set_param("b", &[0.5, -0.5]).unwrap();
    let got = head.run(&[[1., 2., 3., 4.], [0., 0., 0., 1.]]).unwrap();
    assert_eq!(got, [[50.5, 59.5], [7.5, 7.5]]);
}

#[rlx_model("../../rlx-macros/tests/data/head.rlx", weights = "../../rlx-macros/tests/data/head.safetensors")]
struct Weighted;

#[test]
fn a_graph_of_a_file_runs_with_the_weights_of_another() {
    let mut head = Weighted::new(Device::Cpu).unwrap();
    assert_eq!(head.run(&[[1., 2., 3., 4.]]).unwrap(), [[51.0, 59.0]]);
}

/// Programs as JAX lowers them: a loop, scalars, and several results.
#[rlx_model("../../../examples/jax/newton_while.mlir")]
struct Newton;

#[rlx_model("../../../examples/jax/pendulum.mlir")]
struct Pendulum;

#[rlx_model("../../../examples/jax/particles.mlir")]
struct Particles;

/// Fails unless the numbers match a result of JAX, up to this fraction of the largest.
fn assert_jax(program: &str, result: &str, got: &[f32], tolerance: f32) {
    let want = tensor(&format!("jax/{program}.outputs.safetensors"), result);
    assert_eq!(got.len(), want.len(), "{program} {result}");
    let largest = want.iter().fold(0.0f32, |m, w| m.max(w.abs()));
    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
        assert!((g - w).abs() <= tolerance * largest, "{program} {result} {i}: {g}, JAX has {w}");
    }
}

#[test]
fn programs_of_jax_are_embedded() {
    let given = |program: &str, name: &str| tensor(&format!("jax/{program}.inputs.safetensors"), name);
    let starts: [f32; 12] = given("newton_while", "arg0").try_into().unwrap();
    let roots: [f32; 12] = Newton::new(Device::Cpu).unwrap().run(&starts).unwrap();
    assert_jax("newton_while", "out0", &roots, 1e-6);

    let [angle, friction] = ["arg0", "arg1"].map(|name| given("pendulum", name)[0]);
    let energy: f32 = Pendulum::new(Device::Cpu).unwrap().run(&angle, &friction).unwrap();
    assert_jax("pendulum", "out0", &[energy], 1e-6);

    let places = |name: &str| -> [[f32; 3]; 40] {
        given("particles", name).as_chunks::<3>().0.to_vec().try_into().unwrap()
    };
    let masses: [f32; 40] = given("particles", "arg2").try_into().unwrap();
    let mut model = Particles::new(Device::Cpu).unwrap();
    let (positions, velocities) = model.run(&places("arg0"), &places("arg1"), &masses).unwrap();
    assert_jax("particles", "out0", positions.as_flattened(), 1e-5);
    assert_jax("particles", "out1", velocities.as_flattened(), 1e-5);
    // The text form is embedded, so the program does not need a reader of StableHLO.
    assert!(Graph::parse(Particles::PROGRAM).is_ok());
}

/// Every part of the language that no other test covers.
#[rlx_model]
fn parts(
    x: [[f32; 4]; 2],
    ids: [i32; 3],
    keep: [bool; 4],
) -> ([[f32; 4]; 2], [[f32; 4]; 3], [f32; 2], [i32; 3]) {
    let mut h = -x / 2.0;
    for i in 0..2 {
        let name = format!("scale.{i}");
        h = &h * &param::<[f32; 4]>(name);
    }
    h += 1.0;
    let zero = scalar(0.0, DType::F32);
    let kept = keep.select(&h, &zero);
    let rows = kept.take(&ids, 0);
    let [left, right] = x.split(1, &[2, 2]);
    let sums = (left.reduce(ReduceOp::Sum, &[1], false), right.mean(&[1], false));
    let running = op("cumulative {op = sum, axis = 0, exclusive = false, reverse = false}", &[&ids]);
    (kept, rows, { sums.0 - sums.1 }, running + iota([3], 0, DType::I32))
}

#[test]
fn the_parts_of_the_language_mean_what_they_mean_in_rust() {
    let mut model = Parts::new(Device::Cpu).unwrap();
    model.compiled().try_set_param("scale.0", &[1., 2., 3., 4.]).unwrap();
    model.compiled().try_set_param("scale.1", &[1., 1., 10., 1.]).unwrap();
    let x = [[2., 4., 6., 8.], [1., 0., -1., 3.]];
    let (kept, rows, sums, running) = model.run(&x, &[1, 0, 1], &[true, true, true, false]).unwrap();
    assert_eq!(kept, [[0., -3., -89., 0.], [0.5, 1., 16., 0.]]);
    assert_eq!(rows, [kept[1], kept[0], kept[1]]);
    assert_eq!(sums, [6. - 7., 1. - 1.]);
    assert_eq!(running, [1, 2, 4]);
}
