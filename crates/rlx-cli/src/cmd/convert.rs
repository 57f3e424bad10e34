//! `rlx convert`: a graph from one language into the other.

use std::path::PathBuf;

use rlx_stablehlo::ExportOptions;

use crate::failure::Failure;
use crate::program;
use crate::settings::Settings;

/// Convert a graph between .rlx and StableHLO (.mlir)
///
/// The extensions say which is which. In StableHLO composites are decomposed; its `main` takes inputs and parameters in the
/// order of the graph. What StableHLO has no way to say, or RLX has not, is listed whole, and nothing is written.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The graph to read, a .rlx or .mlir file, or `-` for standard input
    #[arg(value_name = "FROM")]
    from: PathBuf,

    /// The file to write, .rlx or .mlir
    #[arg(value_name = "TO")]
    to: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  rlx convert model.rlx model.mlir
  rlx convert step.mlir step.rlx";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    // A name that nothing can be written to is known before anything is read.
    program::Language::of(&args.to)?;
    let read = program::read(&args.from)?;
    settings.say(|| format!("{} nodes read", read.graph.nodes().len()));
    program::write(&args.to, &read.graph, &ExportOptions::default())?;
    settings.say(|| format!("{} written", args.to.display()));
    Ok(())
}
