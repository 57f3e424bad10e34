//! `rlx train`: trains a model from a configuration file.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::settings::Settings;
use crate::training::config::Config;
use crate::training::{page, run, step};
use crate::{output, signals};

/// Train a model from a configuration file
///
/// Continues from the last checkpoint if there is one. Writes checkpoints, metrics.jsonl and metrics.csv, the loss
/// curves loss.svg and loss.png and, at the end, model.safetensors to the folder of the run. Ctrl-C saves a checkpoint
/// and stops. Settings that changed since the checkpoint are reported; if a change would make it a different run, it is
/// an error.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The configuration file, in TOML
    #[arg(value_name = "CONFIG", required_unless_present = "settings")]
    config: Option<PathBuf>,

    /// Start over: remove earlier checkpoints of the run
    #[arg(long)]
    fresh: bool,

    /// Number of steps, overriding `steps` in [run]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,

    /// Print every setting of the configuration with its type, default and meaning
    #[arg(long, exclusive = true)]
    settings: bool,

    /// Evaluate the result on the test examples, which must not be used to choose anything
    #[arg(long)]
    test: bool,

    /// Write the graph of the first step to this file, .rlx or .mlir, and its inputs next to it (.safetensors), without
    /// training
    #[arg(long, value_name = "FILE", conflicts_with_all = ["fresh", "steps", "test"])]
    graph: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  rlx train examples/training/digits.toml
  rlx train examples/training/digits.toml --fresh
  rlx train examples/training/digits.toml --steps 1600
  rlx train examples/training/digits.toml --test
  rlx train examples/training/digits.toml --graph step.rlx
  rlx train --settings";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    // Without a configuration, the settings were requested.
    let Some(config) = &args.config else {
        return output::print(&page::page());
    };
    let config = Config::read(config, args.steps)?;
    config.notes.iter().for_each(|note| settings.warn(note));
    if let Some(path) = &args.graph {
        let beside = step::write(&config, path, settings)?;
        settings.say(|| format!("{} written, its inputs {}", path.display(), beside.display()));
        return Ok(());
    }
    let stop = signals::interrupted()?;
    let outcome = run::train(&config, run::Wanted { fresh: args.fresh, test: args.test }, settings, &stop)?;
    let end = if outcome.interrupted { "stopped after" } else { "done:" };
    let text = format!(
        "{end} {} step(s){}\nparameters: {}\n",
        outcome.step,
        run::listed(&outcome.numbers),
        outcome.params.display()
    );
    output::print(&text)
}
