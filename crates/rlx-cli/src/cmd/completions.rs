//! `rlx completions`: scripts that let a shell complete our command line.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::failure::Failure;
use crate::output;

/// Print a script that teaches a shell to complete rlx commands
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell
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
