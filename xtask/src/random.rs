//! `cargo xtask conformance --random N [--seed S] [--isa NAME]`: N random graphs, each compiled for the CPU in every way
//! and held against the evaluator.

use crate::Outcome;
use rlx_conformance::random::Variant;
use rlx_conformance::random::campaign::{self, Tally};
use rlx_cpu::isa::Isa;
use rlx_cpu::{CpuBackend, CpuOptions};

/// Graphs between two lines of progress.
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

/// Runs them and prints what occurred and what failed.
#[allow(clippy::print_stdout, clippy::print_stderr)]
pub(crate) fn run(args: &[String]) -> Outcome {
    let count = number(args, "--random")?.ok_or("--random needs a number of graphs")?;
    let first = number(args, "--seed")?.unwrap_or(0);
    let isas: Vec<Isa> = match value(args, "--isa") {
        Some(isa) => vec![isa.parse().map_err(|e| format!("--isa: {e}"))?],
        None => Isa::available().collect(),
    };
    let variants: Vec<Variant> = isas.iter().copied().map(variant).collect();
    let mut tally = Tally::default();
    for start in (0..count).step_by(BATCH as usize) {
        let batch = BATCH.min(count - start);
        tally.merge(campaign::run(&CpuBackend, &variants, first + start, batch));
        eprintln!("{} of {count} graphs, {} failed", start + batch, tally.faults.len());
    }
    let names: Vec<&str> = isas.iter().map(|isa| isa.name()).collect();
    println!("instruction sets: {}\n{tally}", names.join(", "));
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
