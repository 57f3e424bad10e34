//! Prints the kernels of a graph, as text and as Rust: `cargo run -p rlx-codegen --example kernels -- GRAPH.rlx`. A
//! second argument names a machine. For one with groups of lanes (`webgpu`) it prints the tiled kernels, and the loops
//! that the tiles stand for. For a processor (`avx512`) it prints the schedules that are chosen for it, and the
//! scheduled kernels.

#![allow(clippy::print_stdout)]

use rlx_codegen::lower::{GPUS, lower_for};
use rlx_codegen::print::rust;
use rlx_codegen::schedule::choose::{MACHINES, choose, schedule};
use rlx_codegen::{lower, tile};
use rlx_ir::Graph;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which graph? Give the path of a .rlx file")?;
    let graph = Graph::parse(&std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?)?;
    rlx_ir::verify(&graph)?;
    if let Some(name) = std::env::args().nth(2) {
        if let Some(machine) = MACHINES.iter().find(|machine| machine.name == name) {
            let launches = lower(&graph)?;
            for launch in &launches.launches {
                println!(
                    "schedule {}: {}\n",
                    launch.kernel.name,
                    schedule(&launch.kernel, machine, &|_| false)
                );
            }
            println!("{}", choose(&launches, machine, &|_| false)?);
            return Ok(());
        }
        let known = GPUS.map(|machine| machine.name).into_iter().chain(MACHINES.map(|machine| machine.name));
        let known = known.collect::<Vec<_>>().join(", ");
        let machine = GPUS.iter().find(|machine| machine.name == name);
        let machine =
            machine.ok_or_else(|| format!("there is no machine {name}; known machines: {known}"))?;
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
