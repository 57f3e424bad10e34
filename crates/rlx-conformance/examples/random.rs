//! Runs random graphs on the CPU: `cargo run --release -p rlx-conformance --example random -- FIRST COUNT [ISA]`. Prints
//! what failed, and what occurred.

use rlx_conformance::random::campaign::run;
use rlx_cpu::CpuBackend;
use rlx_cpu::isa::Isa;
use std::io::Write;

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = args.iter().take(2).filter_map(|a| a.parse().ok()).collect();
    let &[first, count] = numbers.as_slice() else {
        return writeln!(std::io::stderr(), "usage: random FIRST COUNT [ISA]");
    };
    let isas = match args.get(2) {
        Some(isa) => vec![isa.clone()],
        None => Isa::available().map(|isa| isa.name().to_string()).collect(),
    };
    writeln!(std::io::stdout(), "{}", run(&CpuBackend, &isas, first, count))
}
