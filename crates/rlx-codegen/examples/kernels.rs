//! The kernels of a graph, as text and as Rust: `cargo run -p rlx-codegen --example kernels -- GRAPH.rlx`

#![allow(clippy::print_stdout)]

use rlx_codegen::lower;
use rlx_codegen::print::rust;
use rlx_ir::Graph;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which graph? Give the path of a .rlx file")?;
    let graph = Graph::parse(&std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?)?;
    rlx_ir::verify(&graph)?;
    let launches = lower(&graph)?;
    println!("{launches}");
    for launch in &launches.launches {
        println!("{}", rust::function(&launch.kernel, "kernel")?.text);
    }
    Ok(())
}
