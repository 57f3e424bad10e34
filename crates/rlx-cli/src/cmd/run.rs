//! `rlx run`: runs a graph on values from the command line and from files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::builder::RangedU64ValueParser;

use super::bench::{Times, milliseconds};
use crate::arrays::{self, Array, Format, Source};
use crate::compute::Compute;
use crate::engine::{GraphRun, Values};
use crate::failure::Failure;
use crate::settings::Settings;
use crate::{output, stdin, units};

/// Run a graph and print its outputs
///
/// The graph is a file in RLX's text form (.rlx) or StableHLO as JAX writes it (.mlir); `-` reads either from standard input.
///
/// Each input and parameter takes numbers, random numbers or an array from a file. Numbers are a single number or
/// nested lists in brackets, and take the element type of the input. random:SEED fills the input with random numbers
/// that depend only on the seed: floats from the standard normal distribution, integers from 0 to 9. A file is a .npy
/// file, or a .safetensors file, from which the tensor with the input's name, or the only tensor, is read. A value
/// without a name goes to the first input or parameter that has no value yet; a .safetensors file without a name sets
/// every input that it has a tensor for. If the name of a file is a number, write it with its folder: ./1.
///
/// A StableHLO program that checks itself fails if one of its checks fails.
///
/// Outputs are printed as NumPy prints arrays; with --output they are also written to a folder.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The graph: a .rlx or .mlir file, or `-` for standard input
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,

    #[command(flatten)]
    values: InputArgs,

    /// Print every element of large arrays instead of only the first and last ones
    #[arg(long)]
    full: bool,

    /// Run N more times, and print the time of compiling, of the first run, and the median of the other runs
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    time: Option<usize>,

    /// Folder to write the outputs to; created if it does not exist
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,

    /// File format of outputs: one .npy file each, or a single outputs.safetensors
    #[arg(long, value_enum, default_value_t = Format::Npy)]
    format: Format,

    #[command(flatten)]
    compute: Compute,
}

/// Values for inputs and parameters, for every command that runs a graph.
#[derive(clap::Args)]
pub struct InputArgs {
    /// A value for an input or parameter: numbers (0.7, [[1,2],[3,4]]), random:SEED or a file, `-` for a file on
    /// standard input; can be repeated
    #[arg(long = "input", short = 'i', value_name = "[NAME=]VALUE|FILE", value_parser = arrays::binding)]
    inputs: Vec<arrays::Binding>,

    /// Size of a symbolic dimension that no input determines; can be repeated
    #[arg(long = "dim", value_name = "NAME=SIZE", value_parser = arrays::dim)]
    dims: Vec<(String, usize)>,
}

impl InputArgs {
    /// Reads the values for the graph in this file.
    pub fn read(self, graph: &Path) -> Result<Values, Failure> {
        let of_stdin = |binding: &arrays::Binding| matches!(&binding.source, Source::File(path) if stdin::is_meant(path));
        if stdin::is_meant(graph) && self.inputs.iter().any(of_stdin) {
            return Err(Failure::usage("only one file can be `-`, standard input, and the graph already is"));
        }
        Ok(Values { given: arrays::read_all(&self.inputs)?, dims: self.dims, fill: None })
    }

    /// Whether no values were given.
    pub fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.dims.is_empty()
    }
}

const EXAMPLES: &str = "\
Examples:
  rlx run examples/hello.rlx -i x=[1,2,3] -i w=[0.5,-1,0.25]
  rlx run examples/hello.rlx -i x=[1,2,3] -i w=random:0 --time 100
  rlx run step.mlir --input weights.npy --input batch.npy --output results
  rlx run model.rlx --input weights.safetensors --input x=x.npy --full
  rlx transform grad loss.rlx --wrt w --output - | rlx run - -i x=x.npy -i w=random:0 -i b=random:1";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let values = args.values.read(&args.graph)?;
    settings.say(|| format!("{} values given", values.given.len()));
    let mut graph = GraphRun::open(&args.graph, &values, &args.compute.on_device(settings))?;
    let start = Instant::now();
    let outputs = graph.outputs()?;
    let first = start.elapsed();
    let mut text = String::new();
    for Array { name, value } in &outputs {
        let _ = writeln!(text, "{name}: {}\n{}", value.shape(), arrays::text(value, args.full));
    }
    if let Some(dir) = &args.output {
        arrays::write_all(dir, args.format, &outputs)?;
        settings.say(|| format!("{} arrays written to {}", outputs.len(), dir.display()));
    }
    if let Some(runs) = args.time {
        text += &timed(&mut graph, first, runs)?;
    }
    output::print(&text)
}

/// The times of compiling, of the first run, and of the other runs.
fn timed(graph: &mut GraphRun, first: Duration, runs: usize) -> Result<String, Failure> {
    let mut times = Vec::with_capacity(runs.min(1 << 16));
    for _ in 0..runs {
        let start = Instant::now();
        graph.run_once()?;
        times.push(milliseconds(start.elapsed()));
    }
    let median = Duration::from_secs_f64(Times::new(times).quantile(0.5) / 1e3);
    let s = if runs == 1 { "" } else { "s" };
    let [compile, first, median] = [graph.compile_time(), first, median].map(units::duration);
    Ok(format!("compile    {compile}\nfirst run  {first}\nmedian     {median} of {runs} further run{s}\n"))
}
