//! Random graphs compiled for the CPU: with passes on and off, on every instruction set, on one and two threads. This
//! is a short version of `cargo xtask conformance --random N`.

use rlx_conformance::random::Variant;
use rlx_conformance::random::campaign::{Exactness, Tally, run};
use rlx_cpu::isa::Isa;
use rlx_cpu::{CpuBackend, CpuOptions};

fn instruction_sets() -> Vec<Variant> {
    let variant = |isa: Isa| {
        Variant::new(isa.name(), move |options, threads| {
            options.backend.set(CpuOptions::new().isa(isa).num_threads(threads).split_always(true));
        })
    };
    Isa::available().map(variant).collect()
}

fn assert_passes(tally: &Tally) {
    assert!(tally.faults.is_empty(), "{tally}");
    assert!(tally.judged > 100 * tally.unjudged, "{tally}");
}

#[test]
fn random_graphs_agree_with_the_evaluator_and_do_not_depend_on_threads() {
    let tally = run(&CpuBackend, &instruction_sets(), Exactness::default(), 0, 700);
    assert_passes(&tally);
    // The graphs must contain what is to be tested.
    for kind in ["contraction", "elementwise", "norm", "reduction"] {
        assert!(tally.fusions.get(kind).is_some_and(|f| f.count > 5), "few fusions {kind}: {tally}");
    }
    assert!(tally.missing().len() < 10, "{tally}");
    assert!(tally.symbolic > 100, "{tally}");
}

#[test]
fn each_instruction_set_agrees_with_the_evaluator() {
    for (i, isa) in instruction_sets().into_iter().enumerate() {
        assert_passes(&run(&CpuBackend, &[isa], Exactness::default(), 1_000_000 * (i as u64 + 1), 60));
    }
}
