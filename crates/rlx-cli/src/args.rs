//! Defines the whole command line, except for the options of each command, which are in its file.

use std::ffi::{OsStr, OsString};

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::cmd::{
    bench, compile, completions, convert, coreml, devices, embed, emit, generate, imatrix, inspect,
    perplexity, profile, run, sample, tokenize, train, transform,
};

/// Compile and run machine-learning models.
///
/// RLX compiles models for this machine's processors and runs them. It reads and writes texts, arrays and weights as
/// JSON, .npy and .safetensors.
#[derive(Parser)]
#[command(name = "rlx", version, after_help = EXAMPLES, after_long_help = LONG_HELP, arg_required_else_help = true)]
pub struct Cli {
    /// Report each step on standard error
    #[arg(short, long, global = true)]
    pub verbose: bool,

    /// Print only errors on standard error: no progress, notes or warnings
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Never use the network or pip; a model that is not in the cache is an error
    #[arg(long, global = true)]
    pub offline: bool,

    /// Copy weight files into memory instead of mapping them. Use it for files that another process may change in the meantime
    #[arg(long, global = true)]
    pub no_mmap: bool,

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
  rlx embed --json < sentences.txt > out.jsonl  one JSON array per line
  rlx inspect minilm                            the contents of a model
  rlx run graph.rlx -i x=[1,2,3] -i w=random:0  the outputs of a graph
  rlx devices                                   the devices of this machine

`rlx help COMMAND` explains a command, with examples.";

const LONG_HELP: &str = "\
Examples:
  rlx embed \"The weather is lovely today.\"
      The embedding of a sentence. The model is fetched once, 91 MB, into the cache.
  rlx embed --json < sentences.txt > out.jsonl
      One JSON array of numbers per line, in the order of the lines.
  rlx inspect minilm
      The contents of a model: sizes, settings, tensors.
  rlx run graph.rlx -i x=[1,2,3] -i w=random:0
      The outputs of a graph.
  rlx devices
      The devices that RLX can use on this machine, and what is missing for the others.

Exit codes:
  0  done
  1  something failed; standard error says what
  2  the command line, or an environment variable, is wrong
On Unix, Ctrl-C ends the process with SIGINT (130 in the shell), and closing its output ends it with SIGPIPE (141).

Environment:
  RLX_CACHE_DIR    the folder for models and measurements (default: `rlx` in the user's cache directory)
  RLX_NUM_THREADS  number of threads, if --threads is not given
  RLX_NO_MMAP      with 1, copy weight files instead of mapping them, like --no-mmap
  RLX_OFFLINE      with 1, never use the network, like --offline; HF_HUB_OFFLINE does the same
  HF_ENDPOINT, HF_TOKEN, SSL_CERT_FILE
                   honored when a model is fetched from the Hugging Face hub

`rlx help COMMAND` explains a command, with examples.";

/// Reads the command line.
///
/// In every command, the value of an option may begin with a dash, as in `-p "- an item"`. A word that is an option of
/// the command itself is not taken as a value; otherwise an option whose value was forgotten would swallow the next
/// one. `--prompt=--json` passes such a word as a value.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    let mut command = with_any_values(Cli::command());
    if let Some((option, next)) = forgotten_value(&command, &words) {
        let text = format!(
            "a value is required for '{option}', and '{next}' is an option; write '{option}={next}' if it is the value"
        );
        return Err(command.error(ErrorKind::InvalidValue, text));
    }
    let matches = command.try_get_matches_from_mut(&words)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// The command and its subcommands, with every option accepting values that begin with a dash.
fn with_any_values(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| {
        let takes_text = !arg.is_positional() && takes_value(&arg);
        if takes_text { arg.allow_hyphen_values(true) } else { arg }
    });
    command.mut_subcommands(with_any_values)
}

fn takes_value(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Set | ArgAction::Append)
}

/// An option whose value is missing, and the option that would be taken as its value.
fn forgotten_value(command: &clap::Command, words: &[OsString]) -> Option<(String, String)> {
    let (mut command, mut words) = (command, words.iter().skip(1).peekable());
    let mut inherited: Vec<&Arg> = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            return None;
        }
        if let Some(below) = command.find_subcommand(word) {
            inherited.extend(command.get_arguments().filter(|arg| arg.is_global_set()));
            command = below;
            continue;
        }
        let named = |word: &OsStr| {
            let word = word.to_str()?;
            let is_it = |arg: &&Arg| {
                let long = arg.get_long().is_some_and(|long| word.strip_prefix("--") == Some(long));
                long || arg
                    .get_short()
                    .is_some_and(|short| word.strip_prefix('-') == Some(short.to_string().as_str()))
            };
            command.get_arguments().chain(inherited.iter().copied()).find(is_it)
        };
        if named(word).is_some_and(takes_value) {
            let next = words.next()?;
            if named(next).is_some() {
                return Some((word.to_string_lossy().into(), next.to_string_lossy().into()));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_holds_together() {
        Cli::command().debug_assert();
    }

    fn parsed(words: &[&str]) -> Result<Command, String> {
        let words = ["rlx"].iter().chain(words).map(OsString::from);
        parse(words).map(|cli| cli.command).map_err(|error| error.to_string())
    }

    #[test]
    fn values_may_begin_with_a_dash_and_options_are_no_values() {
        for words in [
            &["generate", "-p", "- an item", "--stop", "---", "--temp", "0"][..],
            &["generate", "--logit-bias", "3=-1", "--presence-penalty", "-0.5", "-p", "-5 + 3 ="],
            &["generate", "--prompt=--json", "--json"],
            &["run", "g.rlx", "-i", "-0.5", "-o", "-folder"],
            &["transform", "grad", "g.rlx", "-o", "-", "--wrt", "0"],
            &["tokenize", "model", "--json", "--", "-5"],
        ] {
            assert!(parsed(words).is_ok(), "{words:?}: {:?}", parsed(words).err());
        }
        for words in [
            &["generate", "-p", "--json"][..],
            &["generate", "-p", "-v"],
            &["run", "g.rlx", "-o", "--time", "3"],
            &["transform", "grad", "g.rlx", "--wrt", "-o", "-"],
        ] {
            let error = parsed(words).err().unwrap_or_default();
            assert!(error.contains("a value is required for '"), "{words:?}: {error}");
        }
        assert!(parsed(&["tokenize", "--jsno", "text"]).err().unwrap_or_default().contains("--jsno"));
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
