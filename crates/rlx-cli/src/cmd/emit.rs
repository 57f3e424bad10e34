//! `rlx emit`: writes a program for a target on another machine, as a folder of files.

use std::path::PathBuf;

use clap::ValueEnum;
use rlx_runtime::{Emitter, TextEmitter};

use crate::arrays::{self, Binding};
use crate::engine;
use crate::failure::Failure;
use crate::settings::Settings;

/// Write a graph as a program for a target on another machine
///
/// The graph is lowered to operations that the target supports, and written with its parameters to a new folder, either
/// completely or not at all. If the target cannot express something, the command lists it.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The graph: a .rlx or .mlir file, or `-` for standard input
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,

    /// A parameter: numbers (0.7, [1,2]), random:SEED or a file. Can be repeated. A .safetensors file without a name
    /// sets every parameter that it has a tensor for
    #[arg(long = "param", short = 'p', value_name = "[NAME=]VALUE|FILE", value_parser = arrays::binding)]
    params: Vec<Binding>,

    /// The target of the program
    #[arg(long, value_enum, default_value_t = Target::Text)]
    target: Target,

    /// The folder to write; it must be new or empty
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Target {
    /// The lowered graph, its dispatch report and its parameters, for people and tests to read
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
    settings.say(|| format!("{} parameter values given", params.len()));
    engine::emit_graph(args.target.emitter(), &args.graph, &params, &args.output)?;
    settings.say(|| format!("{} written", args.output.display()));
    Ok(())
}
