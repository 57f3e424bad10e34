//! `rlx perplexity`: how well a language model predicts a text.

use std::io;
use std::path::{Path, PathBuf};

use clap::builder::RangedU64ValueParser;
use rlx_gguf::ModelFiles;
use rlx_llm::LanguageModel;
use rlx_models::files::write_atomically;
use rlx_tokenizer::{Encode, Tokenizer};
use serde_json::json;

use super::divergence::{self, BaseReader, BaseWriter, Divergence};
use crate::engine::llm::{AdapterArgs, LlmOptions, ModelSource};
use crate::failure::Failure;
use crate::output;
use crate::settings::Settings;
use crate::stdin;

/// Measure how well a language model predicts a text
///
/// The text is split into windows of --window tokens. The second half of each window is predicted, each token from all
/// tokens before it in the window, as llama.cpp's tool of this name does. Perplexity is e to the power of the mean of
/// −ln p.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a .gguf file, a folder with config.json, safetensors and tokenizer.json, or a name on the hub
    /// [default: `tiny`, a small model built into rlx]
    #[arg(value_name = "MODEL")]
    model: Option<String>,

    /// The text, or `-` for standard input, which is also read if no file is given. A single argument that names a
    /// model is MODEL, and the text comes from standard input; otherwise it is FILE, measured with the built-in model
    #[arg(value_name = "FILE|-")]
    file: Option<PathBuf>,

    /// Tokens per window
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = RangedU64ValueParser::<usize>::new().range(4..=1 << 20))]
    window: usize,

    /// Windows to measure [default: all]
    #[arg(long, value_name = "N")]
    windows: Option<usize>,

    /// Write the model's probabilities for each token to a file, for --kl-divergence
    #[arg(long, value_name = "BASE", conflicts_with = "kl_divergence")]
    save_logits: Option<PathBuf>,

    /// Measure how far the model is from the one that wrote BASE (with --save-logits or llama.cpp's tool), on the
    /// tokens in BASE; FILE and --window are ignored
    #[arg(long, value_name = "BASE")]
    kl_divergence: Option<PathBuf>,

    /// Print a JSON object
    #[arg(long)]
    json: bool,

    /// Threads to use [default: RLX_NUM_THREADS, or one per core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,

    #[command(flatten)]
    adapters: AdapterArgs,
}

impl Args {
    /// Reads the text to measure.
    fn text(&self) -> Result<Vec<u8>, Failure> {
        let Some(file) = &self.file else {
            return stdin::piped("the text", LONGEST)?.ok_or_else(|| {
                let model = self.model.as_deref().map_or(String::new(), |model| format!(" {model}"));
                Failure::usage(format!(
                    "which text? `rlx perplexity{model} FILE` reads a file, `rlx perplexity{model} -` reads standard input"
                ))
            });
        };
        stdin::file(file, "the text", LONGEST)
    }

    /// Opens a model for windows of this many tokens.
    fn open(&self, files: &ModelFiles, window: usize, settings: &Settings) -> Result<LanguageModel, Failure> {
        let adapters = self.adapters.sources(settings)?;
        let quiet = settings.quiet || self.json;
        LlmOptions { adapters, quiet, ..LlmOptions::of_window(window, self.threads, settings) }.open(files)
    }
}

const EXAMPLES: &str = "\
Examples:
  rlx perplexity text.txt --window 256
  rlx perplexity model.gguf text.txt
  rlx perplexity model.gguf --window 256 < text.txt
  rlx perplexity model-f16.gguf text.txt --save-logits base.logits
  rlx perplexity model-q4_k_m.gguf text.txt --kl-divergence base.logits
  rlx perplexity ./qwen3 text.txt --lora ./adapter
  rlx perplexity ./qwen3 text.txt --window 1024 --windows 20 --json";

pub fn run(mut args: Args, settings: &Settings) -> Result<(), Failure> {
    if args.file.is_none() && args.model.as_ref().is_some_and(|name| !settings.means_model(name)) {
        args.file = args.model.take().map(PathBuf::from);
    }
    let source = settings.language_model(args.model.as_deref())?;
    if let Some(base) = &args.kl_divergence {
        return compare(&args, base, &source, settings);
    }
    let text = args.text()?;
    let files = source.open()?;
    let windows = windows(&Tokenizer::from_files(&files)?, &text, args.window, args.windows)?;
    let mut model = args.open(&files, args.window, settings)?;
    let mut sum = Sum::default();
    match &args.save_logits {
        None => sum.add_all(&mut model, &windows, settings, &mut |_| Ok(()))?,
        Some(base) => save(base, &mut model, &windows, &mut sum, settings)?,
    }
    let (perplexity, error) = sum.perplexity();
    let count = windows.len();
    output::report(
        args.json,
        &if args.json {
            let (tokens, window) = (sum.count, args.window);
            let report = json!({
                "perplexity": perplexity, "error": error, "tokens": tokens, "windows": count, "window": window,
            });
            format!("{report}\n")
        } else {
            format!("perplexity {perplexity:.4} ± {error:.4}, over {} tokens in {count} windows\n", sum.count)
        },
    )
}

/// Measures, and writes the model's probabilities for each token.
fn save(
    base: &Path,
    model: &mut LanguageModel,
    windows: &[Vec<u32>],
    sum: &mut Sum,
    settings: &Settings,
) -> Result<(), Failure> {
    let mut failed = None;
    let written = write_atomically(base, |out| {
        let mut writer = BaseWriter::new(out, windows, model.spec().vocab)?;
        sum.add_all(model, windows, settings, &mut |logits| Ok(writer.add(logits)?)).map_err(|failure| {
            failed = Some(failure);
            io::ErrorKind::Other.into()
        })
    });
    match failed {
        Some(failure) => Err(failure),
        None => Ok(written?),
    }
}

/// Compares the model with the probabilities that another model gave for the same tokens.
fn compare(args: &Args, base: &Path, source: &ModelSource, settings: &Settings) -> Result<(), Failure> {
    let mut base = BaseReader::open(base)?;
    let windows: Vec<Vec<u32>> =
        base.windows.iter().take(args.windows.unwrap_or(usize::MAX)).cloned().collect();
    let window = windows.first().map_or(args.window, Vec::len);
    let mut model = args.open(&source.open()?, window, settings)?;
    let vocab = model.spec().vocab;
    base.check(vocab)?;
    let mut divergence = Divergence::default();
    for (i, window) in windows.iter().enumerate() {
        let logits = logits_of(&mut model, window)?;
        for (row, &token) in logits.chunks_exact(vocab).zip(&window[window.len() / 2 + 1..]) {
            divergence.add(row, &mut base, token)?;
        }
        settings.say(|| format!("{} of {} windows", i + 1, windows.len()));
    }
    let report = divergence.report();
    output::report(args.json, &if args.json { format!("{report}\n") } else { divergence::text(&report) })
}

/// The logits from the middle of a window on, except for the last token.
fn logits_of(model: &mut LanguageModel, window: &[u32]) -> Result<Vec<f32>, Failure> {
    model.reset()?;
    let vocab = model.spec().vocab;
    let mut logits = model.forward_all(&[window])?.pop().unwrap_or_default();
    logits.truncate((window.len() - 1) * vocab);
    Ok(logits.split_off(window.len() / 2 * vocab))
}

/// Maximum size of a text, in bytes.
pub const LONGEST: u64 = 16 << 30;

/// Splits a text into windows of `window` tokens, at most `most` of them. The first token of each window is the model's
/// begin-of-text token, if it has one.
pub fn windows(
    tokenizer: &Tokenizer,
    text: &[u8],
    window: usize,
    most: Option<usize>,
) -> Result<Vec<Vec<u32>>, Failure> {
    let tokens = tokenizer.encode(text, Encode::default())?;
    let bos = tokenizer.special().bos.filter(|_| tokenizer.adds_bos());
    let begun = |tokens: &[u32]| {
        let mut tokens = tokens.to_vec();
        tokens[0] = bos.unwrap_or(tokens[0]);
        tokens
    };
    let windows: Vec<Vec<u32>> =
        tokens.chunks_exact(window).take(most.unwrap_or(usize::MAX)).map(begun).collect();
    if windows.is_empty() {
        let have = tokens.len();
        return Err(Failure::Failed(
            format!("the text has {have} tokens: too few for a window of {window}").into(),
        ));
    }
    Ok(windows)
}

/// Sums of −ln p and of its square.
#[derive(Default)]
struct Sum {
    sum: f64,
    squares: f64,
    count: usize,
}

impl Sum {
    /// Adds all windows, and calls `each` with the logits of every predicted token.
    fn add_all(
        &mut self,
        model: &mut LanguageModel,
        windows: &[Vec<u32>],
        settings: &Settings,
        each: &mut dyn FnMut(&[f32]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let vocab = model.spec().vocab;
        for (i, window) in windows.iter().enumerate() {
            let logits = logits_of(model, window)?;
            for (row, &token) in logits.chunks_exact(vocab).zip(&window[window.len() / 2 + 1..]) {
                self.add(row, token);
                each(row)?;
            }
            let (done, all) = (i + 1, windows.len());
            settings.say(|| format!("{done} of {all} windows: perplexity {:.4}", self.perplexity().0));
        }
        Ok(())
    }

    /// Adds a token that these logits predict.
    fn add(&mut self, logits: &[f32], token: u32) {
        let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = logits.iter().map(|&x| f64::from(x - largest).exp()).sum();
        let surprise = sum.ln() - f64::from(logits[token as usize] - largest);
        self.sum += surprise;
        self.squares += surprise * surprise;
        self.count += 1;
    }

    /// The perplexity, and its standard error.
    fn perplexity(&self) -> (f64, f64) {
        let count = self.count.max(1) as f64;
        let mean = self.sum / count;
        let deviation = ((self.squares / count - mean * mean) / (count - 1.0).max(1.0)).max(0.0).sqrt();
        (mean.exp(), mean.exp() * deviation)
    }
}
