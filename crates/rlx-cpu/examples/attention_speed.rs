//! Measures the speed of attention and layer normalization, as compiled programs of one op.
//!
//! `cargo run --release -p rlx-cpu --example attention_speed [THREADS]`
//!
//! Each line gives the best and the median of repeated runs. For attention, both products count as operations; for normalizations, the
//! bytes of operand and result count.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use rlx_compile::CompileOptions;
use rlx_cpu::{CpuBackend, CpuOptions};
use rlx_exec::compile;
use rlx_ir::op::kinds::MaskKind;
use rlx_ir::{AttentionOptions, Bindings, DType, Graph, Op, Shape};

const RUNS: usize = 300;

/// Returns the times of runs of one op on operands of these sizes, in seconds, in ascending order.
fn times(op: Op, operands: &[&[usize]], options: &CompileOptions) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut graph = Graph::new("speed");
    let mut bytes = Vec::new();
    let mut inputs = Vec::new();
    for (i, dims) in operands.iter().enumerate() {
        inputs.push(graph.input(format!("x{i}"), Shape::new(dims, DType::F32)));
        let count: usize = dims.iter().product();
        bytes.push((0..count).flat_map(|j| ((j % 19) as f32 / 9.5 - 1.0).to_le_bytes()).collect::<Vec<u8>>());
    }
    let node = graph.try_add(op, inputs)?;
    graph.set_outputs(vec![node]);
    let mut executable = compile(&graph, &Bindings::new(), &CpuBackend, options)?.executable;
    let bytes: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        executable.run_on_host(&bytes)?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

fn report(name: &str, work: f64, unit: &str, times: &[f64]) {
    let (best, median) = (times[0], times[times.len() / 2]);
    let rate = |seconds: f64| work / seconds / 1e9;
    println!(
        "{name:36} best {:9.1} µs {:7.1} {unit}   median {:9.1} µs {:7.1} {unit}",
        best * 1e6,
        rate(best),
        median * 1e6,
        rate(median)
    );
}

fn main() -> Result<(), Box<dyn Error>> {
    let threads = std::env::args().nth(1).map_or(Ok(1), |text| text.parse())?;
    let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads));
    for (batch, queries, keys, d) in
        [(1, 128, 128, 32), (8, 128, 128, 32), (1, 1024, 1024, 64), (1, 1, 2048, 64)]
    {
        for mask in [MaskKind::None, MaskKind::Causal] {
            let heads = 12;
            let op = AttentionOptions { num_heads: Some(heads), mask, ..AttentionOptions::default() }.op();
            let (q, k) = ([batch, queries, heads * d], [batch, keys, heads * d]);
            let work = 4 * batch * heads * queries * keys * d;
            let name = format!("attention {batch}x{heads}x{queries}x{keys}x{d} {mask}");
            report(&name, work as f64, "GFLOP/s", &times(op, &[&q, &k, &k], &options)?);
        }
    }
    for (rows, row) in [(128, 384), (1024, 384)] {
        let dims: [&[usize]; 3] = [&[rows, row], &[row], &[row]];
        let bytes = (2 * rows * row * 4) as f64;
        let layer = times(Op::LayerNorm { axis: 1, eps: 1e-5 }, &dims, &options)?;
        report(&format!("layer_norm {rows}x{row}"), bytes, "GB/s", &layer);
        let softmax = times(Op::Softmax { axis: 1 }, &dims[..1], &options)?;
        report(&format!("softmax {rows}x{row}"), bytes, "GB/s", &softmax);
    }
    Ok(())
}
