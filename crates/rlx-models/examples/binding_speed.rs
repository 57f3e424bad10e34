//! How long graphs take to compile, and how long a program takes to be ready for another size:
//! `cargo run --release -p rlx-models --example binding_speed [-- --threads N] [--nodes]`.
//!
//! Prints milliseconds, medians over many sizes, for the graph of all-MiniLM-L6-v2 and for a decoder of Qwen3-0.6B's shape with a
//! key-value cache; with `--nodes` also the time to compile chains of elementwise and contraction blocks of up to 100,000 nodes.

#![allow(clippy::print_stdout)]

use rlx_flow::blocks::PoolKind;
use rlx_ir::op::kinds::Activation;
use rlx_ir::{AttentionOptions, Builder, DType, Dim, Graph, MaskKind, RopeStyle, Shape, Tensor};
use rlx_models::bert::{BertConfig, sentence_graph};
use rlx_models::sentence::SentenceConfig;
use rlx_runtime::{CompileOptions, CpuOptions, Device, Session};
use std::error::Error;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The graph of all-MiniLM-L6-v2 on `[batch, seq]` tokens.
fn minilm() -> Result<Graph> {
    let encoder = BertConfig {
        vocab_size: 30_522,
        hidden_size: 384,
        layers: 6,
        heads: 12,
        intermediate_size: 1536,
        activation: Activation::Gelu,
        layer_norm_eps: 1e-12,
        max_positions: 512,
        token_types: 2,
        pad_token: 0,
    };
    let sentence = SentenceConfig {
        encoder: "".into(),
        pooling: vec![PoolKind::Mean],
        normalize: true,
        max_tokens: Some(256),
        lowercase: true,
        prompt: String::new(),
    };
    Ok(sentence_graph(&encoder, &sentence)?)
}

/// 28 layers of width 1024, 16 query and 8 key heads of size 128, gated feed-forward of 3072: `seq` new tokens after the rows of a
/// cache of 4096, which are state.
fn decoder() -> Result<Graph> {
    const CAPACITY: usize = 4096;
    let b = Builder::new("qwen3-0.6b");
    let f32s = |dims: &[usize]| Shape::new(dims, DType::F32);
    let seq = Dim::dynamic("seq");
    let tokens = b.input("tokens", Shape::from_dims(&[Dim::Static(1), seq.clone()], DType::I32));
    let past = b.input("past", Shape::new(&[], DType::I32));
    let angles = |name: &str| b.input(name, Shape::from_dims(&[seq.clone(), Dim::Static(64)], DType::F32));
    let (cos, sin) = (angles("cos"), angles("sin"));
    let mask =
        Shape::from_dims(&[Dim::Static(1), Dim::Static(1), seq.clone(), Dim::Static(CAPACITY)], DType::Bool);
    let mask = b.input("mask", mask);
    let table = b.param("embedding", f32s(&[151_936, 1024]));
    let mut x = table.embedding(&tokens);
    let mut outputs: Vec<Tensor> = Vec::new();
    for layer in 0..28 {
        let param = |name: &str, dims: &[usize]| b.param(format!("{layer}.{name}"), f32s(dims));
        let cache =
            |index: usize| b.input(format!("out{}", 1 + 2 * layer + index), f32s(&[1, 8, CAPACITY, 128]));
        let h = x.rms_norm(2, 1e-6, Some(&param("norm1", &[1024])));
        let heads = |name: &str, heads: usize| {
            let y = h.matmul(&param(name, &[1024, heads * 128]));
            let dims = [Dim::Static(1), seq.clone(), Dim::Static(heads), Dim::Static(128)];
            y.reshape(&dims).transpose(&[0, 2, 1, 3])
        };
        let normed = |t: Tensor, name: &str| {
            t.rms_norm(3, 1e-6, Some(&param(name, &[128]))).rope(&cos, &sin, RopeStyle::Halves, 2)
        };
        let (q, k) = (normed(heads("q", 16), "q_norm"), normed(heads("k", 8), "k_norm"));
        let v = heads("v", 8);
        let (keys, values) = (cache(0).kv_append(&k, &past, 2), cache(1).kv_append(&v, &past, 2));
        let options = AttentionOptions { mask: MaskKind::Custom, ..AttentionOptions::default() };
        let a = q.attention(&keys, &values, Some(&mask), options).transpose(&[0, 2, 1, 3]);
        let a = a.reshape(&[Dim::Static(1), seq.clone(), Dim::Static(2048)]);
        x = &x + &a.matmul(&param("o", &[2048, 1024]));
        let h = x.rms_norm(2, 1e-6, Some(&param("norm2", &[1024])));
        let gated = h.matmul(&param("gate", &[1024, 3072])).swiglu(&h.matmul(&param("up", &[1024, 3072])));
        x = &x + &gated.matmul(&param("down", &[3072, 1024]));
        outputs.extend([keys, values]);
    }
    let x = x.rms_norm(2, 1e-6, Some(&b.param("norm", f32s(&[1024]))));
    let logits = x.matmul(&table.transpose(&[1, 0]));
    outputs.insert(0, logits);
    Ok(b.finish(&outputs.iter().collect::<Vec<_>>())?)
}

/// Blocks of a product, a bias, a function and a sum, until there are so many nodes.
fn chain(nodes: usize) -> Result<Graph> {
    let b = Builder::new("chain");
    let shape = Shape::from_dims(&[Dim::dynamic("n"), Dim::Static(8)], DType::F32);
    let w = b.param("w", Shape::new(&[8, 8], DType::F32));
    let mut x = b.input("x", shape);
    for _ in 0..nodes / 4 {
        let y = x.matmul(&w).tanh();
        x = &y * &x + &y;
    }
    Ok(b.finish(&[&x])?)
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Milliseconds to compile, to bind the first size, and to bind others, of a graph with the symbol that `dims` binds.
fn times(
    graph: &Graph,
    threads: usize,
    dims: impl Fn(usize) -> Vec<(&'static str, usize)>,
) -> Result<[f64; 3]> {
    let options =
        CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads)).donate_handles(true);
    let session = Session::new(Device::Cpu).with_options(options);
    let (mut compile, mut first, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..5 {
        let milliseconds = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
        let owned = graph.clone();
        let start = Instant::now();
        let mut compiled = session.try_compile(owned)?;
        compile.push(milliseconds(start));
        for n in 0..20 {
            let start = Instant::now();
            compiled.bind_dims(&dims(n + 3))?;
            if n == 0 { first.push(milliseconds(start)) } else { others.push(milliseconds(start)) }
        }
    }
    Ok([compile, first, others].map(median))
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let after = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let threads = after("--threads").map_or(Ok(1), |n| n.parse())?;
    println!("graph | nodes | compile, ms | first size, ms | each other size, ms");
    let graph = minilm()?;
    let [compile, first, other] = times(&graph, threads, |n| vec![("batch", 1), ("seq", 8 * n)])?;
    println!("MiniLM | {} | {compile:.3} | {first:.3} | {other:.3}", graph.nodes().len());
    let graph = decoder()?;
    let [compile, first, other] = times(&graph, threads, |n| vec![("seq", n)])?;
    println!(
        "decoder of Qwen3-0.6B's shape | {} | {compile:.3} | {first:.3} | {other:.3}",
        graph.nodes().len()
    );
    if args.iter().any(|arg| arg == "--nodes") {
        for nodes in [1_000, 3_000, 10_000, 30_000, 100_000] {
            let graph = chain(nodes)?;
            let [compile, first, other] = times(&graph, threads, |n| vec![("n", n)])?;
            println!("chain | {} | {compile:.1} | {first:.1} | {other:.1}", graph.nodes().len());
        }
    }
    Ok(())
}
