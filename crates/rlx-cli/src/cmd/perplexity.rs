//! `rlx perplexity`: how well a language model foretells a text.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use rlx_llm::LanguageModel;
use rlx_tokenizer::Encode;
use serde_json::json;

use crate::engine::llm::LlmOptions;
use crate::failure::Failure;
use crate::settings::Settings;

/// Measure how well a language model foretells a text
///
/// The text is cut into windows of --window tokens. Of each window the second half is foretold, each token from all of the window in front of it, as
/// llama.cpp's tool of this name does. Perplexity is e to the average of −ln p.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, allow_missing_positional = true)]
pub struct Args {
    /// The model: a .gguf file, or a folder with config.json, safetensors and tokenizer.json [default: a small one in this program]
    #[arg(value_name = "MODEL")]
    model: Option<String>,

    /// The text
    #[arg(value_name = "FILE", required = true)]
    file: PathBuf,

    /// Tokens of a window
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = RangedU64ValueParser::<usize>::new().range(4..=1 << 20))]
    window: usize,

    /// Windows to measure [default: all]
    #[arg(long, value_name = "N")]
    windows: Option<usize>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Threads to use [default: RLX_NUM_THREADS, else one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
}

const EXAMPLES: &str = "\
Examples:
  rlx perplexity text.txt --window 256
  rlx perplexity model.gguf text.txt
  rlx perplexity ./qwen3 text.txt --window 1024 --windows 20 --json";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let source = settings.language_model(args.model.as_deref())?;
    let text = std::fs::read(&args.file)?;
    let tokenizer = source.tokenizer()?;
    let tokens = tokenizer.encode(&text, Encode::default())?;
    let bos = tokenizer.special().bos.filter(|_| tokenizer.adds_bos());
    let windows: Vec<Vec<u32>> = tokens
        .chunks_exact(args.window)
        .take(args.windows.unwrap_or(usize::MAX))
        .map(|window| {
            // The first token of each window is the one that begins texts, where there is one.
            let mut window = window.to_vec();
            window[0] = bos.unwrap_or(window[0]);
            window
        })
        .collect();
    if windows.is_empty() {
        let (have, window) = (tokens.len(), args.window);
        return Err(Failure::Failed(
            format!("the text has {have} tokens: too few for a window of {window}").into(),
        ));
    }
    let options = LlmOptions {
        context: Some(args.window),
        threads: args.threads.or(settings.env.num_threads),
        ..LlmOptions::default()
    };
    let mut model = options.open(&source)?;
    let mut sum = Sum::default();
    for (i, window) in windows.iter().enumerate() {
        sum.add(&mut model, window)?;
        settings
            .say(|| format!("{} of {} windows: perplexity {:.4}", i + 1, windows.len(), sum.perplexity().0));
    }
    let (perplexity, error) = sum.perplexity();
    let mut out = io::stdout().lock();
    let written = if args.json {
        let report = json!({
            "perplexity": perplexity, "error": error, "tokens": sum.count, "windows": windows.len(), "window": args.window,
        });
        writeln!(out, "{report}")
    } else {
        writeln!(
            out,
            "perplexity {perplexity:.4} ± {error:.4}, over {} tokens in {} windows",
            sum.count,
            windows.len()
        )
    };
    written.map_err(Failure::output)
}

/// Sums of −ln p and of its square.
#[derive(Default)]
struct Sum {
    sum: f64,
    squares: f64,
    count: usize,
}

impl Sum {
    /// Adds the tokens of the second half of a window.
    fn add(&mut self, model: &mut LanguageModel, window: &[u32]) -> Result<(), Failure> {
        model.reset()?;
        let vocab = model.spec().vocab;
        let logits = model.forward_all(&[window])?.pop().unwrap_or_default();
        for i in window.len() / 2..window.len() - 1 {
            let row = &logits[i * vocab..][..vocab];
            let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f64 = row.iter().map(|&x| f64::from(x - largest).exp()).sum();
            let surprise = sum.ln() - f64::from(row[window[i + 1] as usize] - largest);
            self.sum += surprise;
            self.squares += surprise * surprise;
            self.count += 1;
        }
        Ok(())
    }

    /// The perplexity, and its standard error.
    fn perplexity(&self) -> (f64, f64) {
        let count = self.count.max(1) as f64;
        let mean = self.sum / count;
        let deviation = ((self.squares / count - mean * mean) / (count - 1.0).max(1.0)).max(0.0).sqrt();
        (mean.exp(), mean.exp() * deviation)
    }
}
