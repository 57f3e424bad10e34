//! docs/kernels.md shows what is actually printed.

use rlx_codegen::Kernel;
use rlx_codegen::lower;
use rlx_codegen::lower::{WEBGPU, lower_for};
use rlx_codegen::print::rust;
use rlx_codegen::schedule::tasks::tasks;
use rlx_codegen::tile::expand;
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

#[test]
fn the_page_shows_tiles_of_a_product() {
    let page = include_str!("../../../docs/kernels.md");
    let text = include_str!("../../../examples/product.rlx");
    let graph = Graph::parse(text).expect("the example parses");
    let launches = lower_for(&graph, &WEBGPU).expect("the example is lowered");
    let loops = expand(&launches.launches[0].kernel).expect("tiles are loops").to_string();
    let mut between_barriers = loops.split("barrier group");
    let dot = between_barriers.find(|part| part.contains("mul ")).expect("loops multiply");
    for part in [text.trim(), launches.to_string().trim(), dot.trim()] {
        assert!(page.contains(part), "docs/kernels.md lacks what is printed now:\n{part}");
    }
}

#[test]
fn the_page_shows_tasks_of_a_kernel() {
    let page = include_str!("../../../docs/kernels.md");
    let begin = page.find("kernel rows(").expect("the page has a kernel in tiles");
    let text = &page[begin..begin + page[begin..].find("```").expect("it ends")];
    let tasks = tasks(&Kernel::parse(text).expect("it parses")).expect("it has tasks").kernel.to_string();
    assert!(page.contains(tasks.trim()), "docs/kernels.md lacks what is printed now:\n{tasks}");
}
