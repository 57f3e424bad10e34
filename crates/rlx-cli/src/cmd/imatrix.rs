//! `rlx imatrix`: measures how much each column of a model's matrices matters, for quantization.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use rlx_gguf::{ImportanceMatrix, ModelFiles};
use rlx_llm::ImportanceRun;
use rlx_tokenizer::Tokenizer;

use super::perplexity::{LONGEST, windows};
use crate::engine::llm::LlmOptions;
use crate::failure::Failure;
use crate::models::Takes;
use crate::settings::Settings;
use crate::stdin;

/// Measure how much each column of a language model's matrices matters
///
/// The text is split into windows of --window tokens, as for `rlx perplexity`. For each matrix of a layer, the squares
/// of its inputs are summed per column, separately for each expert, and written to a .gguf file that `rlx convert
/// --imatrix` and llama.cpp can read.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a .gguf file, a folder with config.json, safetensors and tokenizer.json, or a name on the hub
    #[arg(value_name = "MODEL")]
    model: String,

    /// The text, similar to what the model will read and write; `-` is standard input
    #[arg(value_name = "FILE|-")]
    file: PathBuf,

    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Tokens per window
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = RangedU64ValueParser::<usize>::new().range(4..=1 << 20))]
    window: usize,

    /// Windows to read [default: all]
    #[arg(long, value_name = "N")]
    windows: Option<usize>,

    /// Add to the sums of an existing importance matrix
    #[arg(long, value_name = "FILE")]
    add_to: Option<PathBuf>,

    /// Threads to use [default: RLX_NUM_THREADS, or one per core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
}

const EXAMPLES: &str = "\
Examples:
  rlx imatrix model-f16.gguf text.txt -o imatrix.gguf
  rlx convert model-f16.gguf -o model-iq2_m.gguf --quantize iq2_m --imatrix imatrix.gguf";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let path = settings.model_path(&args.model, Takes::LANGUAGE_FILE)?;
    let text = stdin::file(&args.file, "the text", LONGEST)?;
    let files = ModelFiles::open(&path)?;
    let windows = windows(&Tokenizer::from_files(&files)?, &text, args.window, args.windows)?;
    let mut matrix = match &args.add_to {
        Some(path) => ImportanceMatrix::open(path)?,
        None => ImportanceMatrix::default(),
    };
    let options = LlmOptions::of_window(args.window, args.threads, settings);
    let mut run = ImportanceRun::from_files(&files, &options.session(), args.window)?;
    for (i, window) in windows.iter().enumerate() {
        run.add(window, &mut matrix)?;
        settings.say(|| format!("{} of {} windows", i + 1, windows.len()));
    }
    matrix.chunks += windows.len() as u32;
    matrix.chunk_size = args.window as u32;
    matrix.datasets.push(args.file.display().to_string());
    if let Some((tensor, expert)) = matrix.unseen() {
        settings.warn(&format!("no token used expert {expert} of {tensor}; use a longer text"));
    }
    Ok(matrix.to_gguf().write(&args.output)?)
}
