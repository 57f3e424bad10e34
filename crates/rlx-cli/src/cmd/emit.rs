//! `rlx emit`: writes a program for a target that runs elsewhere, as a folder of files.

use std::path::PathBuf;

use clap::ValueEnum;
use rlx_runtime::{Emitter, TextEmitter};

use crate::arrays::{self, Binding};
use crate::engine;
use crate::failure::Failure;
use crate::settings::Settings;

/// Write a graph as a program for a target that runs elsewhere
///
/// The graph is lowered to what the target has, and written with its parameters to a new folder, whole or not at all. What the target
/// cannot say is listed.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The graph, a .rlx or .mlir file, or `-` for standard input
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,

    /// A parameter: numbers (0.7, [1,2]), random:SEED or a file; may be given again. A .safetensors file without a name gives
    /// every tensor in it
    #[arg(long = "param", short = 'p', value_name = "[NAME=]VALUE|FILE", value_parser = arrays::binding)]
    params: Vec<Binding>,

    /// What the program is written for
    #[arg(long, value_enum, default_value_t = Target::Text)]
    target: Target,

    /// The folder to write, which must not exist yet or be empty
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// The lowered graph, its dispatch report and its parameters, to be read by people and by tests
    Text,
}

impl Target {
    fn emitter(self) -> &'static dyn Emitter {
        match self {
            Target::Text => &TextEmitter,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  rlx emit model.rlx --param weights.safetensors --output program
  rlx emit layer.mlir -p w=w.npy -p b=b.npy -o program";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let params = arrays::read_all(&args.params)?;
    settings.say(|| format!("{} values given", params.len()));
    engine::emit_graph(args.target.emitter(), &args.graph, &params, &args.output)?;
    settings.say(|| format!("{} written", args.output.display()));
    Ok(())
}
