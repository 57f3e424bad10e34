//! Commands that call cargo.

use crate::Outcome;
use std::path::Path;
use std::process::Command;

/// Runs cargo in the workspace.
pub(crate) fn cargo(root: &Path, args: &[&str]) -> Outcome {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status =
        Command::new(cargo).args(args).current_dir(root).status().map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {} failed ({status})", args.join(" "))) }
}

/// Formatting, lints and tidy.
pub(crate) fn check(root: &Path) -> Outcome {
    cargo(root, &["fmt", "--all", "--check"])?;
    cargo(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    crate::tidy::tidy(root)
}

/// Every test of the workspace, doc tests included.
pub(crate) fn test(root: &Path, rest: &[String]) -> Outcome {
    let mut args = vec!["test", "--workspace"];
    args.extend(rest.iter().map(String::as_str));
    cargo(root, &args)
}

/// `rlx bench minilm` over the standard batch sizes, sequence lengths and thread counts, one JSON object a line.
pub(crate) fn bench(root: &Path, rest: &[String]) -> Outcome {
    for (batch, seq) in [("1", "16"), ("1", "128"), ("8", "128"), ("32", "128")] {
        for threads in ["1", "2"] {
            let mut args =
                vec!["run", "--quiet", "--release", "--package", "rlx-cli", "--", "bench", "minilm"];
            args.extend(["--batch", batch, "--seq", seq, "--threads", threads, "--json"]);
            args.extend(rest.iter().map(String::as_str));
            cargo(root, &args)?;
        }
    }
    Ok(())
}
