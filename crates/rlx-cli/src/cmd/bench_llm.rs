//! `rlx bench llm`: how fast a language model reads a prompt and generates text.

use std::time::Instant;

use rlx_driver::DeviceId;
use rlx_llm::AdapterSource;
use serde_json::json;

use super::bench::{Times, milliseconds, peak_bytes};
use crate::engine::llm::LlmOptions;
use crate::failure::Failure;
use crate::output;
use crate::settings::Settings;

/// What is measured.
pub struct Options {
    /// `None` for the model built into rlx.
    pub model: Option<String>,
    pub pp: usize,
    pub tg: usize,
    /// Tokens already in the cache.
    pub depth: usize,
    pub threads: Option<usize>,
    pub device: DeviceId,
    pub rounds: usize,
    pub json: bool,
    pub adapters: Vec<AdapterSource>,
}

/// Tokens to read at once before measuring starts.
const CHUNK: usize = 512;
/// Warm-up rounds, which are not counted.
const WARM_UP: usize = 1;

pub fn run(options: &Options, settings: &Settings) -> Result<(), Failure> {
    let source = settings.language_model(options.model.as_deref())?;
    let name = options.model.as_deref().unwrap_or("the model built into rlx");
    let (pp, tg, depth) = (options.pp, options.tg, options.depth);
    let context = Some(depth + pp + tg);
    let llm = LlmOptions {
        context,
        threads: options.threads,
        device: options.device,
        adapters: options.adapters.clone(),
        quiet: settings.quiet || options.json,
        notes: !settings.quiet,
        ..LlmOptions::default()
    };
    let begin = Instant::now();
    let mut model = llm.open(&source.open()?)?;
    let load = milliseconds(begin.elapsed());
    let vocab = model.spec().vocab as u32;
    // The choice of tokens does not affect the time.
    let some = |count: usize| (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761) % vocab).collect();
    let (before, prompt): (Vec<u32>, Vec<u32>) = (some(depth), some(pp));
    let (mut reading, mut writing) = (Vec::new(), Vec::new());
    for round in 0..options.rounds + WARM_UP {
        model.reset()?;
        for chunk in before.chunks(CHUNK) {
            model.forward(&[chunk])?;
        }
        let begin = Instant::now();
        model.forward(&[&prompt])?;
        let read = begin.elapsed();
        let begin = Instant::now();
        for i in 0..tg as u32 {
            model.forward(&[&[i % vocab]])?;
        }
        if round >= WARM_UP {
            reading.push(milliseconds(read));
            writing.push(milliseconds(begin.elapsed()));
        }
    }
    let rate = |tokens: usize, times: Vec<f64>| tokens as f64 / Times::new(times).quantile(0.5) * 1e3;
    let (pp_tok_s, tg_tok_s, peak) = (rate(pp, reading), rate(tg, writing), peak_bytes());
    let text = if options.json {
        let report = json!({
            "model": name, "threads": options.threads, "pp": pp, "tg": tg, "depth": depth, "rounds": options.rounds,
            "pp_tok_s": pp_tok_s, "tg_tok_s": tg_tok_s, "load_ms": load, "peak_bytes": peak,
        });
        format!("{report}\n")
    } else {
        let peak = peak.map_or("unknown".into(), |b| format!("{:.1} MB", b as f64 / 1e6));
        format!(
            "{name}\n  after {depth} tokens, reading {pp} tokens {pp_tok_s:.1}/s, writing {tg} tokens {tg_tok_s:.1}/s\n  loaded in {load:.0} ms, peak memory {peak}\n",
        )
    };
    output::report(options.json, &text)
}
