//! `cargo xtask conformance`: every op on every present device against the evaluator, and the matrix into the docs.

use crate::Outcome;
use rlx_conformance::{Args, Target, TargetError, run as judge};
use rlx_ir::{Graph, Literal};
use rlx_runtime::{Device, Session, available_devices};
use std::path::Path;

/// A device behind the runtime.
struct OnDevice(Device);

impl Target for OnDevice {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let failed = |e: rlx_runtime::RuntimeError| TargetError::Failed(e.to_string());
        let mut compiled = Session::new(self.0).try_compile(graph.clone()).map_err(failed)?;
        compiled.run_literals(inputs).map_err(failed)
    }
}

/// Runs the table, prints the report, and writes `docs/conformance.md` unless `--no-docs` is given.
#[allow(clippy::print_stdout)]
pub(crate) fn run(root: &Path, args: &[String]) -> Outcome {
    let devices: Vec<OnDevice> = available_devices().into_iter().map(OnDevice).collect();
    let targets: Vec<&dyn Target> = devices.iter().map(|d| d as &dyn Target).collect();
    let report = judge(&Args::default(), &targets);
    println!("{report}");
    if !args.iter().any(|a| a == "--no-docs") {
        write(&root.join("docs/conformance.md"), &report.markdown())?;
    }
    if report.failures().is_empty() {
        Ok(())
    } else {
        Err(format!("{} case(s) failed", report.failures().len()))
    }
}

/// Writes a file whole or not at all.
fn write(path: &Path, text: &str) -> Outcome {
    let temporary = path.with_extension("md.tmp");
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    std::fs::create_dir_all(path.parent().unwrap_or(path)).map_err(failed)?;
    std::fs::write(&temporary, text).map_err(failed)?;
    std::fs::rename(&temporary, path).map_err(failed)
}
