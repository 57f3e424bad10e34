//! Runs the evaluator on random graphs: `cargo run --release -p rlx-conformance --example random -- FIRST COUNT`. Prints what failed, and
//! how tight the bounds were.

use rlx_conformance::Evaluator;
use rlx_conformance::random::generate;
use std::io::Write;

fn main() -> std::io::Result<()> {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let &[first, count] = numbers.as_slice() else {
        return writeln!(std::io::stderr(), "usage: random FIRST COUNT");
    };
    let mut out = std::io::stdout();
    let (mut judged, mut unjudged, mut failed, mut loose) = (0, 0, 0, Vec::new());
    for seed in first..first + count {
        let random = generate(seed);
        let reference = match random.reference() {
            Ok(reference) => reference,
            Err(e) => {
                failed += 1;
                writeln!(out, "seed {seed}: {e}")?;
                continue;
            }
        };
        match random.check(&Evaluator, &reference) {
            Ok(verdict) => {
                judged += verdict.judged;
                unjudged += verdict.unjudged;
            }
            Err(e) => {
                failed += 1;
                writeln!(out, "{e}")?;
            }
        }
        loose.push(reference.looseness());
    }
    loose.sort_by(f64::total_cmp);
    let quantile = |q: f64| loose.get((q * (loose.len() as f64 - 1.0)) as usize).copied().unwrap_or(0.0);
    writeln!(out, "{judged} elements judged, {unjudged} not, {failed} graphs failed")?;
    writeln!(
        out,
        "largest relative bound of a graph: median {:.1e}, 90 % {:.1e}, 99 % {:.1e}",
        quantile(0.5),
        quantile(0.9),
        quantile(0.99)
    )
}
