//! Commands that call cargo.

use crate::Outcome;
use std::path::Path;
use std::process::Command;

/// Runs cargo in the workspace.
pub(crate) fn cargo(root: &Path, args: &[&str]) -> Outcome {
    cargo_with(root, args, &[])
}

/// Runs cargo in the workspace with these environment variables.
fn cargo_with(root: &Path, args: &[&str], variables: &[(&str, &str)]) -> Outcome {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(args).current_dir(root).envs(variables.iter().copied());
    let status = command.status().map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("cargo {} failed ({status})", args.join(" "))) }
}

/// Formatting, lints, links of the docs, and tidy.
pub(crate) fn check(root: &Path) -> Outcome {
    cargo(root, &["fmt", "--all", "--check"])?;
    cargo(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    cargo_with(root, &["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])?;
    crate::tidy::tidy(root)
}

/// Every test of the workspace, doc tests included.
pub(crate) fn test(root: &Path, rest: &[String]) -> Outcome {
    let mut args = vec!["test", "--workspace"];
    args.extend(rest.iter().map(String::as_str));
    cargo(root, &args)
}

/// The kernels' tests built for aarch64 and run by QEMU. Static programs: QEMU then needs no libraries of that system.
pub(crate) fn neon(root: &Path, rest: &[String]) -> Outcome {
    let mut args = vec!["test", "--target", "aarch64-unknown-linux-gnu", "--package", "rlx-cpu"];
    args.extend(rest.iter().map(String::as_str));
    if rest.is_empty() {
        args.extend([
            "--lib",
            "--test",
            "attention",
            "--test",
            "contraction",
            "--test",
            "norm",
            "--test",
            "reduce",
        ]);
    }
    let variables = [
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc"),
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", "qemu-aarch64-static -cpu max"),
        ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "-C target-feature=+crt-static"),
    ];
    cargo_with(root, &args, &variables)
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
