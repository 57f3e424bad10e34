//! `rlx convert`: a graph from one language into the other, and files of tensors from one format into the other.

use std::path::{Path, PathBuf};

use rlx_gguf::{Gguf, convert};
use rlx_ir::QuantScheme;
use rlx_models::weights::Weights;
use rlx_stablehlo::ExportOptions;

use crate::failure::Failure;
use crate::program;
use crate::settings::Settings;

/// Convert a graph between .rlx and StableHLO (.mlir), or tensors between .safetensors and .gguf
///
/// The extensions say which is which. In StableHLO composites are decomposed; its `main` takes inputs and parameters in the
/// order of the graph. What StableHLO has no way to say, or RLX has not, is listed whole, and nothing is written. Tensors keep their names. In
/// .safetensors quantised blocks become f32.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file to read: a .rlx or .mlir file, `-` for a graph on standard input, a .safetensors file, its .json index or a folder with
    /// one, or a .gguf file
    #[arg(value_name = "FROM")]
    from: PathBuf,

    /// The file to write: .rlx, .mlir, .safetensors or .gguf
    #[arg(value_name = "TO")]
    to: PathBuf,

    /// Quantise matrices of floats as they are written to a .gguf file, in a block format by the name that ggml gives it, for example q8_0,
    /// q4_0 or q4_K; rows that are no whole number of blocks in q8_0, and what has one dimension not at all
    #[arg(long, value_name = "FORMAT")]
    quantize: Option<QuantScheme>,
}

const EXAMPLES: &str = "\
Examples:
  rlx convert model.rlx model.mlir
  rlx convert step.mlir step.rlx
  rlx convert model.safetensors model.gguf --quantize q8_0
  rlx convert model.gguf model.safetensors";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    match extension(&args.to).as_str() {
        "gguf" => to_gguf(&args)?,
        _ if args.quantize.is_some() => {
            return Err(Failure::usage("--quantize is for a .gguf file that is written"));
        }
        "safetensors" => convert::to_safetensors(&Gguf::open(&args.from)?, &args.to)?,
        _ => {
            // A name that nothing can be written to is known before anything is read.
            program::Language::of(&args.to)?;
            let read = program::read(&args.from)?;
            settings.say(|| format!("{} nodes read", read.graph.nodes().len()));
            program::write(&args.to, &read.graph, &ExportOptions::default())?;
        }
    }
    settings.say(|| format!("{} written", args.to.display()));
    Ok(())
}

fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

fn to_gguf(args: &Args) -> Result<(), Failure> {
    if extension(&args.from) == "gguf" {
        return Ok(convert::requantized(&Gguf::open(&args.from)?, args.quantize)?.write(&args.to)?);
    }
    Ok(convert::from_safetensors(&Weights::open(&args.from)?, args.quantize)?.write(&args.to)?)
}
