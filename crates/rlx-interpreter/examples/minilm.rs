//! Computes the vector of a text with kernels, element by element, and with the CPU backend, and prints how long each took.
//!
//!     cargo run -p rlx-interpreter --example minilm -- MODEL-FOLDER "The weather is lovely today."

use rlx_interpreter::InterpreterBackend;
use rlx_models::embedder::{EmbedderOptions, SentenceEmbedder};
use rlx_models::model::SentenceModel;
use rlx_session::{CompileOptions, Device, register_backend};
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let [folder, text] = &std::env::args().skip(1).collect::<Vec<_>>()[..] else {
        return Err("name the folder of a model, and a text".into());
    };
    register_backend(Arc::new(InterpreterBackend));
    let mut out = std::io::stdout().lock();
    let mut vectors = Vec::new();
    for device in [Device::Cpu, Device::Interpreter] {
        let options = EmbedderOptions { device: device.into(), compile: CompileOptions::new(), batch: 1 };
        let embedder = SentenceEmbedder::new(SentenceModel::load(Path::new(folder))?, &options)?;
        let start = Instant::now();
        vectors.extend(embedder.embed(&[text])?);
        writeln!(out, "{device}: {:.1} s", start.elapsed().as_secs_f64())?;
    }
    let product =
        |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
    let [a, b] = &vectors[..] else { return Err("there are no two vectors".into()) };
    let cosine = product(a, b) / (product(a, a) * product(b, b)).sqrt();
    let largest = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    writeln!(out, "cosine {cosine:.9}, largest difference {largest:.1e}")?;
    Ok(())
}
