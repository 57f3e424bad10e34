//! `rlx completions`: shell completion scripts.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Failure;
use crate::output;

/// Print a script that adds completion of rlx commands to a shell
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell to write the script for
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  rlx completions bash > ~/.local/share/bash-completion/completions/rlx
  rlx completions zsh > \"${fpath[1]}/_rlx\"
  rlx completions fish > ~/.config/fish/completions/rlx.fish";

pub fn run(args: Args) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "rlx", &mut script);
    output::payload(&script)
}
