//! Measures how long runs take to make MLX's graph, in each mode: for an encoder of MiniLM's size on one text of 16 tokens, and for one with
//! the same number of layers that is so small that computing it hardly affects the CPU's caches.
//! `cargo run --release -p rlx-mlx --example building`.

use rlx_compile::{CompileOptions, Param};
use rlx_exec::{Arguments, Backend, Instance, Value, lower};
use rlx_flow::Flow;
use rlx_flow::blocks::{EncoderConfig, embedding, encoder_layer, layer_norm};
use rlx_ir::{Activation, Bindings, DType, Graph, Literal};
use rlx_mlx::{MlxBackend, MlxEngine, MlxMode, MlxOptions};
use std::io::Write;
use std::sync::Arc;

/// Number of runs, of which the median is reported.
const RUNS: usize = 21;
const TOKENS: usize = 16;

/// An encoder of six layers of this width.
fn encoder(width: usize) -> Graph {
    let flow = Flow::new("encoder", DType::F32);
    let ids = flow.input("ids", &[1.into(), TOKENS.into()], DType::I32);
    let mask = flow.input("mask", &[1.into(), TOKENS.into()], DType::I32);
    let words = flow.block("words", |f| embedding(f, &ids, 80 * width, width));
    let mut x = flow.block("norm", |f| layer_norm(f, &words, width, 1e-12));
    let layer =
        EncoderConfig { width, heads: 12, intermediate: 4 * width, activation: Activation::Gelu, eps: 1e-12 };
    for i in 0..6 {
        x = flow.block(&format!("layer.{i}"), |f| encoder_layer(f, &x, Some(&mask), &layer));
    }
    flow.finish(&[&x]).expect("a valid graph")
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for width in [384, 24] {
        measure(width)?;
    }
    Ok(())
}

fn measure(width: usize) -> Result<(), Box<dyn std::error::Error>> {
    let (backend, graph) = (MlxBackend::new(), encoder(width));
    let ids = Literal::new(&[1, TOKENS], &[7i32; TOKENS])?;
    let mask = Literal::new(&[1, TOKENS], &[1i32; TOKENS])?;
    for mode in [MlxMode::Lazy, MlxMode::Compiled] {
        let options = CompileOptions::new().with_backend(MlxOptions::new().mode(mode));
        let queue = backend.queue(0)?;
        let mut program = backend.prepare(lower(&graph, &[], &backend, &options)?, &queue)?;
        program.bind(&Bindings::new())?;
        for (index, (_, shape)) in graph.named_params().enumerate() {
            let dims = shape.static_dims().unwrap_or_default();
            let count = dims.iter().product();
            let values: Vec<f32> = (0..count).map(|i| (i as f32 * 0.37).sin() * 0.05).collect();
            program.set_param(index, Param::new(Arc::new(Literal::new(&dims, &values)?)));
        }
        let mut times = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let inputs = [Value::Host(ids.bytes()), Value::Host(mask.bytes())];
            program.run(Arguments { inputs: &inputs, state: &mut [], outputs: &mut [] })?;
            program.wait()?;
            let own = program.as_any().downcast_ref::<Instance<MlxEngine>>().and_then(Instance::worker);
            times.push(own.map_or(0.0, |own| own.building_time().as_secs_f64() * 1e3));
        }
        times.sort_by(f64::total_cmp);
        let steps = program.describe();
        writeln!(
            std::io::stdout(),
            "width {width}, {mode}: {:.3} ms ({})",
            times[RUNS / 2],
            steps.lines().nth(1).unwrap_or_default()
        )?;
    }
    Ok(())
}
