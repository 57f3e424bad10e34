//! Compares models that are written in Rust when this test is compiled with the same graphs, embedded and compiled when
//! it runs.

use rlx::macros::{Device, rlx_model};

/// The network of examples/embedded.
#[rlx_model(weights = "../../../examples/embedded/xor.safetensors")]
fn embedded(x: [[f32; 2]; 4]) -> [[f32; 2]; 4] {
    let h = (x.matmul(&param("up.weight")) + param("up.bias")).tanh();
    (h.matmul(&param("down.weight")) + param("down.bias")).softmax(1)
}

#[rlx_model(weights = "../../../examples/embedded/xor.safetensors", ahead)]
fn written(x: [[f32; 2]; 4]) -> [[f32; 2]; 4] {
    let h = (x.matmul(&param("up.weight")) + param("up.bias")).tanh();
    (h.matmul(&param("down.weight")) + param("down.bias")).softmax(1)
}

/// Integers, booleans, scalars, and several results.
#[rlx_model]
fn embedded_parts(x: [[i32; 3]; 2], scale: i32) -> ([[i32; 3]; 2], i32, [bool; 3]) {
    let scaled = x * scale;
    let total = scaled.reduce(ReduceOp::Sum, &[0, 1], false);
    let positive = scaled.reduce(ReduceOp::Max, &[0], false).greater(&total);
    (scaled, total, positive)
}

#[rlx_model(ahead)]
fn written_parts(x: [[i32; 3]; 2], scale: i32) -> ([[i32; 3]; 2], i32, [bool; 3]) {
    let scaled = x * scale;
    let total = scaled.reduce(ReduceOp::Sum, &[0, 1], false);
    let positive = scaled.reduce(ReduceOp::Max, &[0], false).greater(&total);
    (scaled, total, positive)
}

#[test]
fn a_written_network_gives_what_the_embedded_one_gives() {
    let x = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.25], [-1.5, 1.0]];
    let expected = Embedded::new(Device::Cpu).unwrap().run(&x).unwrap();
    let mut written = Written::new();
    for _ in 0..2 {
        let got = written.run(&x);
        for (got, expected) in got.as_flattened().iter().zip(expected.as_flattened()) {
            // Probabilities; sums and functions round in a different order.
            assert!((got - expected).abs() <= 4.0 * f32::EPSILON, "{got} {expected}");
        }
    }
}

#[test]
fn integers_are_equal() {
    let x = [[1, -2, i32::MAX], [7, 40, -3]];
    let expected = EmbeddedParts::new(Device::Cpu).unwrap().run(&x, &-3).unwrap();
    assert_eq!(WrittenParts::new().run(&x, &-3), expected);
}
