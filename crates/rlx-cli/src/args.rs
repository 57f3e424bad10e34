//! The command line as a whole. Each command's options stand with the command.

use clap::{Parser, Subcommand};

use crate::cmd::{
    bench, compile, completions, convert, coreml, devices, embed, emit, generate, imatrix, inspect,
    perplexity, profile, run, sample, tokenize, train, transform,
};

/// Compile and run machine-learning models.
///
/// RLX turns models into programs for the processor at hand and runs them. Texts, arrays and weights go in and out
/// as JSON, .npy and .safetensors.
#[derive(Parser)]
#[command(name = "rlx", version, after_help = EXAMPLES, after_long_help = LONG_HELP, arg_required_else_help = true)]
pub struct Cli {
    /// Say on standard error what is being done
    #[arg(short, long, global = true)]
    pub verbose: bool,

    /// Say nothing on standard error but what went wrong: no progress, no notes, no warnings
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Fetch nothing, from the network or by pip: a model that is not in the cache is an error
    #[arg(long, global = true)]
    pub offline: bool,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    Embed(embed::Args),
    Devices(devices::Args),
    Generate(Box<generate::Args>),
    Imatrix(imatrix::Args),
    Inspect(inspect::Args),
    Run(run::Args),
    Convert(convert::Args),
    Transform(transform::Args),
    Emit(emit::Args),
    Compile(compile::Args),
    Coreml(coreml::Args),
    Bench(bench::Args),
    Perplexity(perplexity::Args),
    Profile(profile::Args),
    Tokenize(tokenize::Args),
    Train(train::Args),
    Sample(sample::Args),
    Completions(completions::Args),
}

const EXAMPLES: &str = "\
Examples:
  rlx embed \"The weather is lovely today.\"      the embedding of a sentence
  rlx embed --json < sentences.txt > out.jsonl  one JSON array for each line
  rlx inspect minilm                            what is in a model
  rlx run graph.rlx -i x=[1,2,3]                the values that a graph gives
  rlx devices                                   what this machine can run on

`rlx help COMMAND` explains a command, with examples.";

const LONG_HELP: &str = "\
Examples:
  rlx embed \"The weather is lovely today.\"
      The embedding of a sentence. The model is fetched once, 91 MB, into the cache.
  rlx embed --json < sentences.txt > out.jsonl
      One JSON array of numbers for each line, in the order of the lines.
  rlx inspect minilm
      What is in a model: sizes, settings, tensors.
  rlx run graph.rlx -i x=[1,2,3] -i w=random:0
      The values that a graph gives.
  rlx devices
      What this machine can run on, and what is missing for the rest.

Exit codes:
  0  done
  1  something failed; standard error says what
  2  the command line is wrong
On Unix, a process ends by SIGINT (130 in the shell) on Ctrl-C and by SIGPIPE (141) where nobody reads its output any more.

Environment:
  RLX_CACHE_DIR    where models and measurements are kept (default: `rlx` in the user's cache directory)
  RLX_NUM_THREADS  threads, where --threads does not say
  RLX_OFFLINE      with 1, fetch nothing, as --offline; HF_HUB_OFFLINE does the same
  HF_ENDPOINT, HF_TOKEN, SSL_CERT_FILE
                   honoured when a model is fetched from the Hugging Face hub

`rlx help COMMAND` explains a command, with examples.";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_option_and_command_is_documented() {
        let mut missing = Vec::new();
        let mut cli = Cli::command();
        cli.build();
        for command in cli.get_subcommands().filter(|c| c.get_name() != "help") {
            if command.get_about().is_none() || command.get_after_help().is_none() {
                missing.push(format!("{}: text or examples", command.get_name()));
            }
            let undocumented = command.get_arguments().filter(|a| a.get_help().is_none());
            missing.extend(undocumented.map(|a| format!("{}: {}", command.get_name(), a.get_id())));
        }
        assert!(missing.is_empty(), "{missing:?}");
    }
}
