//! Measures the limits of the processor: fused multiply-adds from registers, and memory bandwidth.

mod arithmetic;
mod memory;

use arithmetic::Isa;
use memory::{Memory, Traffic};
use peer_protocol::{Case, Peer, Problem, Value, json, serve};
use std::path::Path;

enum Work {
    Arithmetic(Isa),
    Traffic(Box<Memory>, Traffic),
}

struct Limits {
    threads: usize,
    work: Work,
}

impl Peer for Limits {
    /// For cases that are not limits themselves, this measures the peak that the case is compared with.
    fn prepare(&mut self, case: &Case, _: &Path) -> Result<(Value, Vec<f32>), Problem> {
        let best = Isa::best().ok_or("this program knows no FMA instructions of this processor")?;
        let (work, facts) = match (case.kind(), case.text("what")) {
            ("limit", "fma-avx512") => arithmetic(Isa::Avx512, self.threads)?,
            ("limit", "fma-avx2") => arithmetic(Isa::Avx2, self.threads)?,
            ("limit", what) => {
                let traffic = Traffic::of(what).ok_or_else(|| format!("{what} is not a limit"))?;
                let memory = Box::new(Memory::new(self.threads));
                let gb = memory.bytes(traffic) / 1e9;
                (Work::Traffic(memory, traffic), json!({ "gb": gb }))
            }
            _ => arithmetic(best, self.threads)?,
        };
        self.work = work;
        self.run()?;
        Ok((facts, Vec::new()))
    }

    fn run(&mut self) -> Result<(), Problem> {
        match &mut self.work {
            Work::Arithmetic(isa) => arithmetic::run(*isa, self.threads),
            Work::Traffic(memory, traffic) => memory.run(*traffic),
        }
        Ok(())
    }
}

fn arithmetic(isa: Isa, threads: usize) -> Result<(Work, Value), Problem> {
    if !isa.present() {
        return Err(format!("this processor has no {}", isa.name()).into());
    }
    let gflop = isa.flops() * threads as f64 / 1e9;
    Ok((Work::Arithmetic(isa), json!({ "gflop": gflop, "isa": isa.name() })))
}

fn main() {
    let make = |threads| Ok(Limits { threads, work: Work::Arithmetic(Isa::Avx2) });
    serve("limits", "FMA from registers; arrays of 512 MiB", make);
}
