//! `cargo xtask conformance --random N [--seed S] [--isa NAME]`: N random graphs, each compiled for the CPU in every way
//! and held against the evaluator.

use crate::Outcome;
use rlx_conformance::random::campaign::{self, Tally};
use rlx_cpu::CpuBackend;
use rlx_cpu::isa::Isa;

/// Graphs between two lines of progress.
const BATCH: u64 = 1000;

/// Whether the arguments ask for random graphs.
pub(crate) fn wanted(args: &[String]) -> bool {
    args.iter().any(|a| a == "--random")
}

/// Runs them and prints what occurred and what failed.
#[allow(clippy::print_stdout, clippy::print_stderr)]
pub(crate) fn run(args: &[String]) -> Outcome {
    let count = number(args, "--random")?.ok_or("--random needs a number of graphs")?;
    let first = number(args, "--seed")?.unwrap_or(0);
    let isas = match value(args, "--isa") {
        Some(isa) => vec![isa.to_string()],
        None => Isa::available().map(|isa| isa.name().to_string()).collect(),
    };
    let mut tally = Tally::default();
    for start in (0..count).step_by(BATCH as usize) {
        let batch = BATCH.min(count - start);
        tally.merge(campaign::run(&CpuBackend, &isas, first + start, batch));
        eprintln!("{} of {count} graphs, {} failed", start + batch, tally.faults.len());
    }
    println!("instruction sets: {}\n{tally}", isas.join(", "));
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
