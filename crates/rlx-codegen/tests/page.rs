//! docs/kernels.md shows what is printed.

use rlx_codegen::lower;
use rlx_codegen::print::rust;
use rlx_ir::Graph;

#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../../docs/kernels.md");
    let text = include_str!("../../../examples/softmax.rlx");
    let launches = lower(&Graph::parse(text).expect("the example parses")).expect("the example is lowered");
    let printed = rust::function(&launches.launches[0].kernel, "kernel").expect("Rust has every function");
    for part in [text.trim(), launches.to_string().trim(), printed.text.trim()] {
        assert!(page.contains(part), "docs/kernels.md lacks what is printed now:\n{part}");
    }
}
