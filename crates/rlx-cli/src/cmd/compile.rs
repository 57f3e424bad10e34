//! `rlx compile`: compiles a model or a graph to a Rust crate.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use rlx_aot::{RustEmitter, Weights};
use rlx_runtime::PrecisionPolicy;

use crate::arrays::{self, Binding};
use crate::compute;
use crate::engine::Ahead;
use crate::failure::Failure;
use crate::models::Takes;
use crate::program;
use crate::settings::Settings;
use crate::training::config::Config;
use crate::training::trained::Trained;

/// Compile a model or a graph ahead of time, to a Rust crate
///
/// The crate has one function, from inputs to outputs, and does not depend on RLX. It allocates its memory once, and
/// nothing while it runs. Every symbolic dimension needs a size (--dim) or a maximum (--max); with a maximum, the crate
/// takes the size from the lengths of its inputs. If the graph has parts that cannot be expressed in Rust, the command
/// lists them and writes nothing.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A model: a name, a folder, or the .toml file that `rlx train` trained it with. Or a graph: a .rlx or .mlir file,
    /// or `-` for standard input
    #[arg(value_name = "MODEL|GRAPH")]
    target: String,

    /// The folder to write; it must be new or empty
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,

    /// A parameter of a graph: numbers (0.7, [1,2]), random:SEED or a file. Can be repeated. A .safetensors file
    /// without a name sets every parameter that it has a tensor for
    #[arg(long = "param", short = 'p', value_name = "[NAME=]VALUE|FILE", value_parser = arrays::binding)]
    params: Vec<Binding>,

    /// Size of a symbolic dimension; can be repeated [default for models: batch=1, seq=128]
    #[arg(long = "dim", value_name = "NAME=SIZE", value_parser = arrays::dim)]
    dims: Vec<(String, usize)>,

    /// Maximum size of a symbolic dimension; the crate accepts any size up to it. Can be repeated
    #[arg(long = "max", value_name = "NAME=SIZE", value_parser = arrays::dim)]
    largest: Vec<(String, usize)>,

    /// The types to compute with, or to store weights in
    #[arg(long, value_name = "NAME", default_value = "declared", value_parser = compute::precision())]
    dtype: PrecisionPolicy,

    /// Write a crate for machines without the standard library: its memory is part of the model struct, and float
    /// functions come from the `libm` crate
    #[arg(long)]
    no_std: bool,

    /// Where the program gets its weights from
    #[arg(long, value_enum, default_value_t = WeightsPlace::Embedded)]
    weights: WeightsPlace,
}

#[derive(Clone, Copy, ValueEnum)]
enum WeightsPlace {
    /// Embedded in the program
    Embedded,
    /// Passed to the program: the bytes of the file weights.bin
    Passed,
}

const EXAMPLES: &str = "\
Examples:
  rlx compile minilm --dim batch=1 --dim seq=64 -o minilm-crate
  rlx compile minilm --max batch=8 --max seq=256 -o minilm-crate
  rlx compile examples/training/digits.toml --no-std -o digits
  rlx compile layer.mlir -p w=w.npy -p b=b.npy -o layer
  rlx compile graph.rlx --dim n=8 --no-std -o graph";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let path = Path::new(&args.target);
    let weights = match args.weights {
        WeightsPlace::Embedded => Weights::Embedded,
        WeightsPlace::Passed => Weights::Passed,
    };
    let emitter =
        RustEmitter { no_std: args.no_std, weights, threads: !args.no_std, ..RustEmitter::default() };
    if args.dtype.held().is_some() {
        let text = "a crate stores weights in the type it computes with: --dtype mixed-f16 for the weights of products in f16, f16 for all of them";
        return Err(Failure::usage(text));
    }
    let is_graph = program::is_graph(path);
    if !is_graph && !args.params.is_empty() {
        let text = format!("{} is a model, which has its own weights; --param is for graphs", args.target);
        return Err(Failure::usage(text));
    }
    let usual_dims: &[_] = if is_graph { &[] } else { &[("batch", 1), ("seq", 128)] };
    let ahead = Ahead {
        emitter,
        dims: &args.dims,
        largest: &args.largest,
        usual_dims,
        precision: args.dtype,
        into: &args.output,
    };
    if is_graph {
        ahead.graph(path, &arrays::read_all(&args.params)?)?;
    } else if path.extension().is_some_and(|extension| extension == "toml") {
        let config = Config::read(path, None)?;
        let trained = Trained::find(&config)?;
        settings.say(|| format!("reading parameters from {}", trained.path.display()));
        let (graph, params) = trained.asked(&config.model)?;
        ahead.model(&graph, params)?;
    } else {
        ahead.encoder(&settings.model_path(&args.target, Takes::ENCODER_OR_GRAPH)?)?;
    }
    settings.say(|| format!("{} written", args.output.display()));
    Ok(())
}
