//! `cargo xtask miri`: runs the tests that Miri can interpret, to find undefined behavior. That is references
//! that alias, reads past an end, races. Kernels run on the portable vectors, because Miri interprets no code
//! for particular processors.

use crate::Outcome;
use crate::checks::version;
use std::path::Path;
use std::process::Command;

/// What is run: arguments of `cargo miri test`. Unsafe code is in `rlx-cpu` and the crates of its kernels, in the buffers of
/// `rlx-driver`, and in the parameters of `rlx-compile`, which the tests of `rlx-session` reach; `rlx-ir` has none. Left out are tests that draw many numbers: Miri is about a thousand times slower
/// than the processor.
const TESTS: &[&[&str]] = &[
    &["--package", "rlx-compile", "--lib", "--", "param::", "queue::"],
    &["--package", "rlx-driver", "--lib", "--", "buffer::"],
    &["--package", "rlx-pool"],
    &["--package", "rlx-session", "--test", "sound"],
    &["--package", "rlx-cpu", "--lib", "--", "exec::", "memory::", "kernels::limits", "kernels::control"],
    &["--package", "rlx-cpu", "--test", "custom", "--test", "random", "--test", "sorting"],
];

/// Runs the tests; `rest` are arguments of `cargo miri test` in place of the usual choice.
pub(crate) fn miri(root: &Path, rest: &[String]) -> Outcome {
    let cargo = || {
        let mut command = Command::new("rustup");
        command.args(["run", "nightly", "cargo", "miri"]).current_dir(root);
        command
    };
    if version(&mut cargo()).is_none() {
        return Err("Miri is not installed: `rustup component add miri rust-src --toolchain nightly`".into());
    }
    let run = |args: &[&str]| {
        // Isolated tests could not ask for the time or for the number of cores. Kernels keep addresses in scratch memory.
        let flags = "-Zmiri-disable-isolation -Zmiri-permissive-provenance";
        let status = cargo().arg("test").args(args).env("MIRIFLAGS", flags).status();
        let status = status.map_err(|e| format!("rustup: {e}"))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("cargo miri test {} failed ({status})", args.join(" ")))
        }
    };
    if !rest.is_empty() {
        return run(&rest.iter().map(String::as_str).collect::<Vec<_>>());
    }
    TESTS.iter().try_for_each(|args| run(args))
}
