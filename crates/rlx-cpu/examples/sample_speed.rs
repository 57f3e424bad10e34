//! Measures draws of tokens by vocabulary and filters: microseconds per row of the op `sample`, and of the steps that it consists of.
//!
//! `cargo run --release -p rlx-cpu --example sample_speed`

#![allow(clippy::print_stdout)]

use rlx_compile::CompileOptions;
use rlx_cpu::{CpuBackend, CpuOptions};
use rlx_exec::compile;
use rlx_ir::LogitFilter::{Frequency, MinP, Presence, Repetition, Temperature, TopK, TopP, Typical};
use rlx_ir::math::random::SplitMix64;
use rlx_ir::{Bindings, Builder, Candidates, DType, Literal, LogitFilter, Shape};
use std::time::{Duration, Instant};

const LISTS: [(&str, &[LogitFilter]); 7] = [
    ("top_k, top_p, min_p, temperature", &[TopK(40), TopP(0.95), MinP(0.05), Temperature(0.8)]),
    (
        "the same after penalties",
        &[Repetition(1.1), Frequency(0.1), Presence(0.1), TopK(40), TopP(0.95), MinP(0.05), Temperature(0.8)],
    ),
    (
        "the same with typical behind top_k",
        &[TopK(40), Typical(0.95), TopP(0.95), MinP(0.05), Temperature(0.8)],
    ),
    ("top_p, temperature", &[TopP(0.95), Temperature(0.8)]),
    ("typical, temperature", &[Typical(0.95), Temperature(0.8)]),
    ("min_p, temperature", &[MinP(0.05), Temperature(0.8)]),
    ("temperature", &[Temperature(0.8)]),
];

/// Returns the microseconds per row of the best of many runs.
fn measure(
    vocab: usize,
    rows: usize,
    filters: &[LogitFilter],
    by_steps: bool,
    threads: usize,
    scale: f64,
) -> f64 {
    let b = Builder::new("speed");
    let vector = |name: &str| b.input(name, Shape::new(&[rows, vocab], DType::F32));
    let key = b.input("key", Shape::new(&[2], DType::U32));
    let (logits, counts) = (vector("logits"), vector("counts"));
    let outputs = if by_steps {
        let all = Candidates::new(&logits).unwrap();
        let left = filters.iter().fold(all, |left, f| left.filtered(*f, Some(&counts), None).unwrap());
        left.results(Some(&key))
    } else {
        logits.sample(&key, Some(&counts), None, filters, false)
    };
    let graph = b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap();
    let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads));
    let mut executable = compile(&graph, &Bindings::new(), &CpuBackend, &options).unwrap().executable;
    let mut random = SplitMix64::new(1);
    // Normally distributed, approximately like the logits of models.
    let mut normal =
        || scale * (-2.0 * (1.0 - random.unit()).ln()).sqrt() * (random.unit() * std::f64::consts::TAU).cos();
    let logits: Vec<f32> = (0..rows * vocab).map(|_| normal() as f32).collect();
    let counts: Vec<f32> = (0..rows * vocab).map(|i| (i % 50 == 0).into()).collect();
    let dims = [rows, vocab];
    let values = [Literal::new(&[2], &[1u32, 2]), Literal::new(&dims, &logits), Literal::new(&dims, &counts)];
    let values = values.map(Result::unwrap);
    let bytes: Vec<&[u8]> = values.iter().map(Literal::bytes).collect();
    let (mut best, start, mut runs) = (f64::INFINITY, Instant::now(), 0);
    while runs < 5 || start.elapsed() < Duration::from_millis(300) {
        let before = Instant::now();
        executable.run_on_host(&bytes).unwrap();
        best = best.min(before.elapsed().as_secs_f64());
        runs += 1;
    }
    best * 1e6 / rows as f64
}

fn main() {
    // Standard deviations of logits. Models that are certain have a few tokens at 4 deviations and more.
    for scale in [3.0, 1.0] {
        for vocab in [32_000, 151_936] {
            println!(
                "\nµs per row, {vocab} tokens, logits ± {scale}: the op, the steps; the op on 8 rows with 1 and 2 threads"
            );
            for (name, filters) in LISTS {
                let one = measure(vocab, 1, filters, false, 1, scale);
                let steps = measure(vocab, 1, filters, true, 1, scale);
                let [rows, shared] = [1, 2].map(|threads| measure(vocab, 8, filters, false, threads, scale));
                println!("{name:>36} {one:9.1} {steps:9.1}   {rows:9.1} {shared:9.1}");
            }
        }
    }
}
