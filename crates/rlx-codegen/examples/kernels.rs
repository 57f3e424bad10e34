//! The kernels of a graph, as text and as Rust: `cargo run -p rlx-codegen --example kernels -- GRAPH.rlx`. With the name of a machine whose
//! lanes work in groups (`webgpu`) behind it: its kernels in tiles, and as the loops that they stand for.

#![allow(clippy::print_stdout)]

use rlx_codegen::lower::{GPUS, lower_for};
use rlx_codegen::print::rust;
use rlx_codegen::{lower, tile};
use rlx_ir::Graph;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which graph? Give the path of a .rlx file")?;
    let graph = Graph::parse(&std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?)?;
    rlx_ir::verify(&graph)?;
    if let Some(name) = std::env::args().nth(2) {
        let known = GPUS.map(|machine| machine.name).join(", ");
        let machine = GPUS.iter().find(|machine| machine.name == name);
        let machine = machine.ok_or_else(|| format!("no machine is called {name}; there are {known}"))?;
        let launches = lower_for(&graph, machine)?;
        println!("{launches}");
        for launch in &launches.launches {
            println!("{}", tile::expand(&launch.kernel)?);
        }
        return Ok(());
    }
    let launches = lower(&graph)?;
    println!("{launches}");
    for launch in &launches.launches {
        println!("{}", rust::function(&launch.kernel, "kernel")?.text);
    }
    Ok(())
}
