//! Measures how long graphs take to compile, and how long a program takes to adapt to another size.
//!
//! `cargo run --release -p rlx-models --example binding_speed [-- --threads N] [--seconds S] [--nodes]` prints
//! medians in milliseconds over many compilations and sizes, for the graph of all-MiniLM-L6-v2 and for a decoder with
//! the shape of Qwen3-0.6B and a key-value cache. With `--nodes`, it also measures chains, wide graphs and graphs
//! with many outputs of up to 100,000 nodes.
//!
//! `--graph minilm|decoder|chain|wide|outputs [--size NODES] --json` measures one graph and prints all times as a
//! JSON object. With `--load`, it measures the time from weights in a mapped file to the first result, and the memory
//! that they take.

#![allow(clippy::print_stdout)]

use rlx_flow::blocks::PoolKind;
use rlx_ir::op::kinds::Activation;
use rlx_ir::{AttentionOptions, Builder, DType, Dim, Graph, MaskKind, RopeStyle, Shape, Symbol, Tensor};
use rlx_models::bert::{BertConfig, sentence_graph};
use rlx_models::sentence::SentenceConfig;
use rlx_models::weights::{self, StoredType, Weights};
use rlx_session::{CompileOptions, CpuOptions, Device, Session, StoredTensor, device_memory};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Builds the graph of all-MiniLM-L6-v2 on `[batch, seq]` tokens.
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

/// Builds a decoder of 28 layers with width 1024, 16 query heads and 8 key heads of size 128, and gated feed-forward
/// parts of width 3072. It appends `seq` new tokens to a cache with 4096 rows, which is state.
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

/// Chains blocks of a product, a function and sums until the graph has at least `nodes` nodes.
fn chain(nodes: usize) -> Result<Graph> {
    let b = Builder::new("chain");
    let w = b.param("w", Shape::new(&[8, 8], DType::F32));
    let mut x = b.input("x", Shape::from_dims(&[Dim::dynamic("n"), Dim::Static(8)], DType::F32));
    for _ in 0..nodes / 4 {
        let y = x.matmul(&w).tanh();
        x = &y * &x + &y;
    }
    Ok(b.finish(&[&x])?)
}

/// Builds parallel branches of a product with separate weights and a function, summed in pairs, until the graph has
/// at least `nodes` nodes.
fn wide(nodes: usize) -> Result<Graph> {
    let b = Builder::new("wide");
    let x = b.input("x", Shape::from_dims(&[Dim::dynamic("n"), Dim::Static(8)], DType::F32));
    let weights = (0..nodes / 4).map(|i| b.param(format!("w{i}"), Shape::new(&[8, 8], DType::F32)));
    let mut row: Vec<Tensor> = weights.map(|w| x.matmul(&w).tanh()).collect();
    while row.len() > 1 {
        row = row.chunks(2).map(|pair| if let [a, b] = pair { a + b } else { pair[0].clone() }).collect();
    }
    Ok(b.finish(&row.iter().collect::<Vec<_>>())?)
}

/// Builds functions of sums with different constants, each of which is an output, until the graph has at least
/// `nodes` nodes.
fn outputs(nodes: usize) -> Result<Graph> {
    let b = Builder::new("outputs");
    let x = b.input("x", Shape::from_dims(&[Dim::dynamic("n"), Dim::Static(8)], DType::F32));
    let results: Vec<Tensor> = (0..nodes / 4).map(|i| (&x + &x.scalar_like(i as f64)).tanh()).collect();
    Ok(b.finish(&results.iter().collect::<Vec<_>>())?)
}

/// Returns a graph by name, and a function from n to the n-th set of sizes for its symbols.
fn graph_of(name: &str, nodes: usize) -> Result<(Graph, fn(usize) -> Vec<(&'static str, usize)>)> {
    Ok(match name {
        "minilm" => (minilm()?, |n| vec![("batch", 1), ("seq", 8 * n)]),
        "decoder" => (decoder()?, |n| vec![("seq", n)]),
        "chain" => (chain(nodes)?, |n| vec![("n", n)]),
        "wide" => (wide(nodes)?, |n| vec![("n", n)]),
        "outputs" => (outputs(nodes)?, |n| vec![("n", n)]),
        _ => {
            return Err(format!(
                "unknown graph `{name}`; known are minilm, decoder, chain, wide and outputs"
            )
            .into());
        }
    })
}

/// The measurements of a graph: times in milliseconds, memory in bytes.
struct Found {
    nodes: usize,
    compile: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    further: Vec<f64>,
    /// The working memory at the first and at the last size.
    arena_bytes: [usize; 2],
}

/// The number of sizes that each compiled graph is bound to.
const SIZES: usize = 20;

fn measure(name: &str, nodes: usize, threads: usize, seconds: f64) -> Result<Found> {
    let (graph, dims) = graph_of(name, nodes)?;
    let options =
        CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads)).donate_handles(true);
    let session = Session::new(Device::Cpu).with_options(options);
    let mut found = Found {
        nodes: graph.nodes().len(),
        compile: Vec::new(),
        first: Vec::new(),
        second: Vec::new(),
        further: Vec::new(),
        arena_bytes: [0; 2],
    };
    let begin = Instant::now();
    while found.compile.len() < 3 || begin.elapsed().as_secs_f64() < seconds {
        let milliseconds = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
        let owned = graph.clone();
        let start = Instant::now();
        let mut compiled = session.try_compile(owned)?;
        found.compile.push(milliseconds(start));
        for n in 0..SIZES {
            let start = Instant::now();
            compiled.bind_dims(&dims(n + 3))?;
            let times = [&mut found.first, &mut found.second, &mut found.further];
            times[n.min(2)].push(milliseconds(start));
            if n == 0 || n == SIZES - 1 {
                found.arena_bytes[n.min(1)] = planned_bytes(&compiled.describe()?)?;
            }
        }
    }
    Ok(found)
}

/// Reads the size of the arena, which is at the beginning of the memory plan.
fn planned_bytes(description: &str) -> Result<usize> {
    let (_, after) = description.split_once("\narena ").ok_or("no memory plan")?;
    let number = after.split(' ').next().ok_or("no number")?;
    Ok(number.parse()?)
}

/// Prints how long a graph takes from weights in a mapped file, whose pages are already in memory, to the first
/// result and then per run, and how much of the process's memory the file and the program take.
fn load(name: &str, nodes: usize, threads: usize) -> Result<()> {
    let (graph, dims) = graph_of(name, nodes)?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("model.safetensors");
    let options =
        CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads)).donate_handles(true);
    let mut compiled = Session::new(Device::Cpu).with_options(options).try_compile(graph)?;
    let params: Vec<(String, Vec<usize>)> = compiled
        .params()
        .map(|(name, shape)| (name.to_string(), shape.static_dims().unwrap_or_default()))
        .collect();
    let largest = params.iter().map(|(_, dims)| dims.iter().product::<usize>()).max().unwrap_or(0);
    let numbers: Vec<u8> =
        (0..largest).flat_map(|i| ((i % 251) as f32 * 1e-4 - 0.0125).to_le_bytes()).collect();
    let stored = StoredType::from_tag("F32").ok_or("no f32")?;
    let tensors = params.iter().map(|(name, dims)| {
        let bytes = &numbers[..dims.iter().product::<usize>() * 4];
        weights::Tensor { name, stored, shape: dims, bytes }
    });
    weights::save(&path, &tensors.collect::<Vec<_>>(), &Default::default())?;
    drop(numbers);

    let sizes = dims(4).into_iter().map(|(name, size)| (Symbol::new(name), size)).collect();
    let shapes: Result<Vec<_>> =
        compiled.inputs().map(|(name, shape)| Ok((name.to_string(), shape.eval(&sizes)?))).collect();
    let zeros: Vec<_> = shapes?
        .into_iter()
        .map(|(name, shape)| (name, vec![0; shape.num_bytes().unwrap_or(0)], shape.dtype()))
        .collect();
    let all: Vec<(&str, &[u8], DType)> =
        zeros.iter().map(|(n, bytes, d)| (n.as_str(), &bytes[..], *d)).collect();
    let fresh: Vec<_> = all.iter().copied().filter(|(name, ..)| !name.starts_with("out")).collect();
    let milliseconds = |start: Instant| start.elapsed().as_secs_f64() * 1e3;
    let start = Instant::now();
    let weights = Arc::new(Weights::open(&path)?);
    for (name, _) in &params {
        compiled.set_param_shared(name, Arc::new(StoredTensor::new(weights.clone(), name)?))?;
    }
    compiled.bind_dims(&dims(4))?;
    let set = milliseconds(start);
    let start = Instant::now();
    compiled.try_prepack()?;
    let prepack = milliseconds(start);
    let start = Instant::now();
    compiled.run_kept(&all)?;
    let first = milliseconds(start);
    let mut runs = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        compiled.run_kept(&fresh)?;
        runs.push(milliseconds(start));
    }
    let maps = std::fs::read_to_string("/proc/self/smaps")?;
    let of_file = maps.split_once(&path.display().to_string()).ok_or("the file is not mapped")?.1;
    let resident =
        of_file.split_once("Rss:").and_then(|(_, rest)| rest.split_once("kB")).ok_or("no size")?.0.trim();
    let buffers = device_memory(Device::Cpu).map_or(0, |memory| memory.in_use) >> 10;
    println!(
        "{name} | {threads} threads | set {set:.1} ms | prepack {prepack:.1} ms | first run {first:.1} ms | run {:.2} ms | of the file in \
         memory {resident} KiB of {} | buffers {buffers} KiB",
        median(&runs),
        std::fs::metadata(&path)?.len() >> 10
    );
    Ok(())
}

fn median(all: &[f64]) -> f64 {
    let mut all = all.to_vec();
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

fn json(found: &Found) -> String {
    let Found { nodes, compile, first, second, further, arena_bytes } = found;
    format!(
        "{{\"nodes\": {nodes}, \"compile_ms\": {compile:?}, \"first_ms\": {first:?}, \"second_ms\": {second:?}, \
         \"further_ms\": {further:?}, \"arena_bytes\": {arena_bytes:?}}}"
    )
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().collect();
    let after = |name: &str| args.iter().position(|arg| arg == name).and_then(|at| args.get(at + 1));
    let given = |name: &str| args.iter().any(|arg| arg == name);
    let threads = after("--threads").map_or(Ok(1), |n| n.parse())?;
    let seconds = after("--seconds").map_or(Ok(1.0), |n| n.parse())?;
    if let Some(name) = after("--graph") {
        let nodes = after("--size").map_or(Ok(1_000), |n| n.parse())?;
        if given("--load") {
            return load(name, nodes, threads);
        }
        let found = measure(name, nodes, threads, seconds)?;
        if given("--json") {
            println!("{}", json(&found));
            return Ok(());
        }
        println!("{}", row(name, &found));
        return Ok(());
    }
    println!("graph | nodes | compile, ms | first size | second size | further sizes | arena, bytes");
    for name in ["minilm", "decoder"] {
        println!("{}", row(name, &measure(name, 0, threads, seconds)?));
    }
    if given("--nodes") {
        for (name, nodes) in ["chain", "wide", "outputs"].into_iter().flat_map(|g| NODES.map(|n| (g, n))) {
            println!("{}", row(name, &measure(name, nodes, threads, seconds)?));
        }
    }
    Ok(())
}

/// The sizes of these graphs.
const NODES: [usize; 5] = [1_000, 3_000, 10_000, 30_000, 100_000];

fn row(name: &str, found: &Found) -> String {
    let Found { nodes, compile, first, second, further, arena_bytes: [least, most] } = found;
    let [compile, first, second, further] = [compile, first, second, further].map(|times| median(times));
    format!("{name} | {nodes} | {compile:.2} | {first:.3} | {second:.3} | {further:.3} | {least} to {most}")
}
