//! A small network that is part of the program: it is built, checked and embedded with its weights when this file is compiled.
//!
//!     cargo run -p rlx --example embedded

use std::io::Write;

use rlx::macros::{Device, rlx_model};

/// The exclusive or of two numbers, as the probabilities of 0 and 1.
#[rlx_model(weights = "xor.safetensors")]
fn xor<const BATCH: usize>(x: [[f32; 2]; BATCH]) -> [[f32; 2]; BATCH] {
    let h = (x.matmul(&param("up.weight")) + param("up.bias")).tanh();
    (h.matmul(&param("down.weight")) + param("down.bias")).softmax(1)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut model = Xor::new(Device::Cpu)?;
    let inputs = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let outputs = model.run(&inputs)?;
    let mut out = std::io::stdout().lock();
    for ([a, b], [_, one]) in inputs.iter().zip(outputs) {
        writeln!(out, "{a} xor {b}: 1 with probability {one:.4}")?;
    }
    Ok(())
}
