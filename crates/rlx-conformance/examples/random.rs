//! Runs random graphs on the CPU: `cargo run --release -p rlx-conformance --example random -- FIRST COUNT [ISA]`.
//! Prints failures and statistics.

use rlx_compile::CompileOptions;
use rlx_conformance::random::{
    Variant,
    campaign::{Exactness, run},
};
use rlx_cpu::isa::Isa;
use rlx_cpu::{CpuBackend, CpuOptions};
use std::io::Write;
use std::sync::Arc;

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = args.iter().take(2).filter_map(|a| a.parse().ok()).collect();
    let &[first, count] = numbers.as_slice() else {
        return writeln!(std::io::stderr(), "usage: random FIRST COUNT [ISA]");
    };
    let isas: Vec<Isa> = match args.get(2).map(|name| name.parse()) {
        Some(Ok(isa)) => vec![isa],
        Some(Err(error)) => return writeln!(std::io::stderr(), "{error}"),
        None => Isa::available().collect(),
    };
    let variants: Vec<Variant> = isas.into_iter().map(variant).collect();
    writeln!(std::io::stdout(), "{}", run(&CpuBackend, &variants, Exactness::default(), first, count))
}

fn variant(isa: Isa) -> Variant {
    let apply = move |options: &mut CompileOptions, threads: usize| {
        options.backend.set(CpuOptions::new().isa(isa).num_threads(threads).split_always(true));
    };
    Variant { name: isa.name().into(), apply: Arc::new(apply) }
}
