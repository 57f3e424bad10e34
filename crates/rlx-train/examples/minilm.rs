//! Fine-tunes MiniLM on a batch of pairs, and writes the values that `scripts/finetune_minilm.py` compares with PyTorch.
//!
//!     cargo run --release -p rlx-train --example minilm -- PAIRS.tsv STEPS OUT.safetensors
//!
//! Writes the gradient of every parameter to OUT, under the parameter's name, and prints the loss before each step.

#[path = "../tests/support/minilm.rs"]
mod minilm;

use minilm::Batch;
use rlx_ir::DType;
use rlx_models::weights::{StoredType, Tensor, save};
use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [pairs, steps, out] = &args[..] else {
        return Err("usage: minilm PAIRS.tsv STEPS OUT.safetensors".into());
    };
    let batch = Batch::new(&std::fs::read_to_string(pairs)?)?;
    let (loss, gradients) = batch.gradients()?;
    let stored = StoredType::of(DType::F32).ok_or("safetensors files can store f32")?;
    let flat: Vec<[usize; 1]> = gradients.iter().map(|g| [g.len()]).collect();
    let tensor = |((name, values), shape): ((&String, &Vec<f32>), &[usize; 1])| {
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        (name.clone(), shape.to_vec(), bytes)
    };
    let owned: Vec<_> = batch.names.iter().zip(&gradients).zip(&flat).map(tensor).collect();
    let tensors: Vec<Tensor<'_>> =
        owned.iter().map(|(name, shape, bytes)| Tensor { name, stored, shape, bytes }).collect();
    save(Path::new(out), &tensors, &BTreeMap::from([("loss".into(), loss.to_string())]))?;
    let losses: Vec<String> = batch.train(steps.parse()?)?.iter().map(|loss| format!("{loss}\n")).collect();
    Ok(std::io::stdout().write_all(losses.concat().as_bytes())?)
}
