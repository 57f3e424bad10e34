//! `cargo xtask conformance --random N`: compiles random graphs in every way and compares the results with the
//! evaluator. Options: `--seed S`, `--isa NAME`, `--device interpreter|mlx`.

use crate::Outcome;
use crate::allowances::MLX_CPU;
use rlx_codegen::Interpreter;
use rlx_conformance::random::Variant;
use rlx_conformance::random::campaign::{self, Exactness, Tally};
use rlx_cpu::isa::Isa;
use rlx_cpu::{CpuBackend, CpuOptions};
use rlx_interpreter::InterpreterBackend;
use rlx_mlx::{MlxBackend, MlxMode, MlxOptions};
use rlx_session::{Backend, Device};

/// Number of graphs between two lines of progress.
const BATCH: u64 = 1000;

/// Whether the arguments ask for random graphs.
pub(crate) fn wanted(args: &[String]) -> bool {
    args.iter().any(|a| a == "--random")
}

/// The CPU with one instruction set.
fn variant(isa: Isa) -> Variant {
    Variant::new(isa.name(), move |options, threads| {
        options.backend.set(CpuOptions::new().isa(isa).num_threads(threads).split_always(true));
    })
}

/// Two interpreters: one reduces all elements in sequence, the other merges the states of a few elements each.
fn interpreters() -> Vec<Variant> {
    let variant = |name: &str, elements_per_part: Option<u64>| {
        Variant::new(name, move |options, _| {
            options.backend.set(Interpreter { elements_per_part, ..Interpreter::default() });
        })
    };
    vec![variant("reductions in a row", None), variant("reductions in parts of 3", Some(3))]
}

/// The requested backend, with its variants.
fn asked(args: &[String]) -> Result<(Box<dyn Backend>, Vec<Variant>), String> {
    match value(args, "--device").map(str::parse) {
        None | Some(Ok(Device::Cpu)) => {
            let isas: Vec<Isa> = match value(args, "--isa") {
                Some(isa) => vec![isa.parse().map_err(|e| format!("--isa: {e}"))?],
                None => Isa::available().collect(),
            };
            Ok((Box::new(CpuBackend), isas.into_iter().map(variant).collect()))
        }
        Some(Ok(Device::Interpreter)) => Ok((Box::new(InterpreterBackend), interpreters())),
        Some(Ok(Device::Mlx)) => {
            let modes = [MlxMode::Lazy, MlxMode::Compiled, MlxMode::Eager];
            let variant = |mode: MlxMode| {
                Variant::new(mode.to_string(), move |options, _| {
                    options.backend.set(MlxOptions::new().mode(mode))
                })
            };
            Ok((Box::new(MlxBackend::new()), modes.map(variant).to_vec()))
        }
        Some(Ok(device)) => Err(format!("--random runs on cpu, interpreter or mlx, not on {device}")),
        Some(Err(e)) => Err(format!("--device: {e}")),
    }
}

/// Runs the graphs, and prints which ops occurred and what failed.
#[allow(clippy::print_stdout, clippy::print_stderr)]
pub(crate) fn run(args: &[String]) -> Outcome {
    let count = number(args, "--random")?.ok_or("--random needs a number of graphs")?;
    let first = number(args, "--seed")?.unwrap_or(0);
    let (backend, variants) = asked(args)?;
    let exactness = match backend.device() {
        Device::Mlx => Exactness { allowances: &MLX_CPU, flushes_subnormals: true },
        _ => Exactness::default(),
    };
    let mut tally = Tally::default();
    for start in (0..count).step_by(BATCH as usize) {
        let batch = BATCH.min(count - start);
        tally.merge(campaign::run(&*backend, &variants, exactness, first + start, batch));
        eprintln!("{} of {count} graphs, {} failed", start + batch, tally.faults.len());
    }
    let names: Vec<&str> = variants.iter().map(|variant| variant.name.as_str()).collect();
    println!("{}: {}\n{tally}", backend.device(), names.join(", "));
    if tally.faults.is_empty() { Ok(()) } else { Err(format!("{} graph(s) failed", tally.faults.len())) }
}

fn value<'a>(args: &'a [String], name: &str) -> Option<&'a str> {
    let at = args.iter().position(|a| a == name)?;
    args.get(at + 1).map(String::as_str)
}

fn number(args: &[String], name: &str) -> Result<Option<u64>, String> {
    let parsed = value(args, name).map(|text| text.parse().map_err(|e| format!("{name} {text}: {e}")));
    parsed.transpose()
}
