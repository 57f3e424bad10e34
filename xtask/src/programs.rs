//! `cargo xtask conformance stablehlo --dir DIR [--device NAME]`: runs StableHLO programs that check themselves on the
//! evaluator, the CPU and another device.

use crate::Outcome;
use crate::conformance::OnDevice;
use rlx_conformance::programs::{TestProgram, run as judge};
use rlx_conformance::{Evaluator, Target};
use rlx_session::{CompileOptions, CpuOptions, Device, Isa};
use std::path::{Path, PathBuf};

/// Runs the programs and prints the results.
#[allow(clippy::print_stdout)]
pub(crate) fn run(args: &[String]) -> Outcome {
    let (dir, device) = match args {
        [flag, dir] if flag == "--dir" => (dir, None),
        [flag, dir, also, name] if flag == "--dir" && also == "--device" => {
            (dir, Some(name.parse::<Device>().map_err(|e| format!("--device: {e}"))?))
        }
        _ => return Err("conformance stablehlo takes --dir DIR [--device NAME]".into()),
    };
    let programs = read(Path::new(dir))?;
    // Programs run in parallel, each on one thread, and without fused multiply-adds: the implementations that computed
    // the expected values do not use them, and where large terms cancel, the choice between one rounding and two
    // decides. The conformance table checks the other instruction sets against the evaluator.
    let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(1).isa(Isa::Baseline));
    let cpu = OnDevice { device: Device::Cpu, options };
    let other = device.map(|device| OnDevice { device, options: CompileOptions::new() });
    let mut targets: Vec<&(dyn Target + Sync)> = vec![&Evaluator, &cpu];
    targets.extend(other.as_ref().map(|other| other as &(dyn Target + Sync)));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let tally = judge(&programs, &targets, threads);
    print!("{tally}");
    match tally.total().failed {
        0 => Ok(()),
        failed => Err(format!("{failed} failed")),
    }
}

/// The `.mlir` files of a folder, sorted by name.
fn read(dir: &Path) -> Result<Vec<TestProgram>, String> {
    let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let entries = std::fs::read_dir(dir).map_err(|e| failed(dir, e))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "mlir"));
    paths.sort();
    if paths.is_empty() {
        return Err(format!("{}: no .mlir file is in this folder", dir.display()));
    }
    let program = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).map_err(|e| failed(path, e))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(TestProgram { name, text })
    };
    paths.iter().map(program).collect()
}
