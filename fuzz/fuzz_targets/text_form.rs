//! Any text is refused with an error, or parses to a graph that prints and parses to itself and goes the whole
//! way. It verifies or lists what is wrong, and nothing panics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rlx_ir::{Graph, verify};

fuzz_target!(|text: &str| {
    let Ok(graph) = Graph::parse(text) else { return };
    let printed = graph.to_string();
    let again = Graph::parse(&printed).expect("what was printed parses");
    // Literal floats may be NaN, which is unequal to itself as an attribute: the text decides.
    assert_eq!(again.to_string(), printed);
    if verify(&graph).is_ok() {
        rlx_fuzz::graphs::run(&graph);
    }
});
