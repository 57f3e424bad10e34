//! How fast a model reads and writes: `cargo run --release -p rlx-llm --example speed -- MODEL THREADS [PROMPT] [TOKENS]`.

use rlx_llm::{LanguageModel, ModelOptions};
use rlx_session::{CompileOptions, CpuOptions, Device, Session};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default| args.get(i).and_then(|n| n.parse().ok()).unwrap_or(default);
    let (threads, prompt, tokens) = (number(1, 1), number(2, 512), number(3, 32));
    let path = args.first().ok_or("a model")?;
    let session = Session::new(Device::Cpu)
        .with_options(CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads)));
    let begin = Instant::now();
    let options = ModelOptions { capacity: Some(1024), ..ModelOptions::default() };
    let mut model = LanguageModel::open(Path::new(path), &session, &options)?;
    let opened = begin.elapsed();
    model.forward(&[&[1]])?;
    let load = begin.elapsed();
    let vocab = model.spec().vocab;
    let ids: Vec<u32> = (0..prompt).map(|i| (i * 7919 % vocab.min(150_000)) as u32).collect();
    model.forward(&[&ids[..64]])?;
    model.reset()?;
    let begin = Instant::now();
    model.forward(&[&ids])?;
    let read = begin.elapsed().as_secs_f64();
    model.forward(&[&[1]])?;
    let begin = Instant::now();
    for i in 0..tokens {
        model.forward(&[&[(i * 31 + 5) as u32]])?;
    }
    let wrote = begin.elapsed().as_secs_f64();
    writeln!(
        std::io::stdout(),
        "rlx threads {threads}: open {opened:?}, first token {load:?}, pp {:.1} tok/s, tg {:.1} tok/s",
        prompt as f64 / read,
        tokens as f64 / wrote
    )?;
    Ok(())
}
