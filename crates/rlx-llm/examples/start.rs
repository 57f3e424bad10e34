//! Measures how long it takes from opening a file to the first tokens.
//!
//! `cargo run --release -p rlx-llm --example start -- MODEL [THREADS [first]]`; with `first`, it stops after the
//! first token.

use rlx_driver::Device;
use rlx_llm::{LanguageModel, ModelOptions};
use rlx_session::{CompileOptions, CpuOptions, Session};
use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Tokens of the prompt.
const PROMPT: u32 = 16;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("missing argument; usage: MODEL [THREADS [first]]")?;
    let threads = arguments.next().map_or(Ok(1), |n| n.parse())?;
    let no_further = arguments.next().is_some();
    let session = Session::new(Device::Cpu)
        .with_options(CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads)));
    let options = ModelOptions { capacity: Some(128), ..ModelOptions::default() };
    let prompt: Vec<u32> = (0..PROMPT).map(|i| 100 + 7 * i).collect();
    let mut out = std::io::stdout().lock();
    for round in 1..=5 {
        let mut at = Instant::now();
        let mut milliseconds = || {
            let took = at.elapsed().as_secs_f64() * 1e3;
            at = Instant::now();
            took
        };
        let mut model = LanguageModel::open(Path::new(&path), &session, &options)?;
        let opened = milliseconds();
        model.forward(&[&prompt])?;
        let first = milliseconds();
        if no_further {
            writeln!(out, "{round}: opened {opened:.1} ms, first token {first:.1} ms")?;
            continue;
        }
        model.forward(&[&[7]])?;
        let (second, _) = (milliseconds(), model.forward(&[&[8]])?);
        let third = milliseconds();
        writeln!(
            out,
            "{round}: opened {opened:.1} ms, first token {first:.1} ms, second {second:.1} ms, third {third:.1} ms"
        )?;
    }
    Ok(())
}
