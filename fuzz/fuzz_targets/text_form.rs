//! Any text is refused with an error, or parses to a graph that prints and parses to itself, compiles and runs. The
//! graph verifies, or the errors are listed, and nothing panics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rlx_ir::{Graph, verify};

fuzz_target!(|text: &str| {
    let Ok(graph) = Graph::parse(text) else { return };
    let printed = graph.to_string();
    let again = Graph::parse(&printed).expect("what was printed parses");
    // Literal floats may be NaN, which as an attribute is not equal to itself, so the text is compared.
    assert_eq!(again.to_string(), printed);
    if verify(&graph).is_ok() {
        rlx_fuzz::graphs::run(&graph);
    }
});
