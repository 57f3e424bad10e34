//! Any text as StableHLO is refused with an error that has a location, or becomes a graph that verifies, compiles and runs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rlx_stablehlo::import;

fuzz_target!(|text: &str| {
    match import(text) {
        Ok(imported) => {
            rlx_ir::verify(&imported.graph).expect("an imported graph verifies");
            rlx_fuzz::graphs::run(&imported.graph);
        }
        Err(diagnostics) => assert!(diagnostics.0.iter().all(|d| d.at.line >= 1 && d.at.column >= 1)),
    }
});
