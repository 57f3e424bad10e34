//! `cargo xtask miri`: runs the tests that Miri can interpret, to find undefined behavior: aliasing references,
//! out-of-bounds reads, and data races. Kernels run on the portable vectors, because Miri does not interpret
//! processor-specific code.

use crate::Outcome;
use crate::checks::version;
use std::path::Path;
use std::process::Command;

/// The tests to run, as arguments of `cargo miri test`. Unsafe code is in `rlx-cpu` and its kernel crates, in the
/// buffers of `rlx-driver`, and in the parameters of `rlx-compile`, which the tests of `rlx-session` reach; `rlx-ir`
/// has none. Tests that draw many numbers are left out, since Miri is about a thousand times slower than the processor.
const TESTS: &[&[&str]] = &[
    &["--package", "rlx-compile", "--lib", "--", "param::"],
    &["--package", "rlx-exec", "--lib", "--", "queue::"],
    &["--package", "rlx-driver", "--lib", "--", "buffer::"],
    &["--package", "rlx-pool"],
    &["--package", "rlx-session", "--test", "sound"],
    &["--package", "rlx-cpu", "--lib", "--", "exec::", "memory::", "kernels::limits", "kernels::control"],
    &["--package", "rlx-cpu", "--test", "custom", "--test", "random", "--test", "sorting"],
];

/// Runs the tests. `rest` has arguments of `cargo miri test` that replace the default selection.
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
        // Isolated tests could not query the time or the number of cores. Kernels keep addresses in scratch memory.
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
