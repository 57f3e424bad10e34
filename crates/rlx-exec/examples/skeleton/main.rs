//! Runs the conformance table on the skeleton of a backend: `cargo run --release -p rlx-exec --example skeleton -- [FAMILY…]`.

pub mod backend;

use backend::Skeleton;
use rlx_compile::{CompileOptions, Param};
use rlx_conformance::{Args, Target, TargetError};
use rlx_exec::compile;
use rlx_ir::{Bindings, Graph, Literal, Node, Shape};
use std::io::Write;
use std::sync::Arc;

impl Target for Skeleton {
    fn name(&self) -> &str {
        "skeleton"
    }

    fn run(&self, graph: &Graph, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, TargetError> {
        let failed = |e: &dyn std::error::Error| TargetError::Failed(e.to_string());
        let compiled =
            compile(graph, &Bindings::new(), self, &CompileOptions::new()).map_err(|e| failed(&e))?;
        let mut executable = compiled.executable;
        let value = |node: &Node| inputs.iter().find(|(name, _)| Some(*name) == node.name()).map(|(_, v)| *v);
        for (index, value) in graph.params().map(value).enumerate() {
            value.iter().for_each(|&value| executable.set_param(index, Param::new(Arc::new(value.clone()))));
        }
        let given: Vec<&[u8]> = graph.inputs().filter_map(value).map(Literal::bytes).collect();
        executable.run_on_host(&given).map_err(|e| failed(&e))?;
        let output = |(index, shape): (usize, &Shape)| {
            let bytes = executable.output(index).map_err(|e| failed(&e))?;
            Literal::from_bytes(shape, bytes).map_err(|e| failed(&e))
        };
        graph.output_shapes().iter().enumerate().map(output).collect()
    }
}

fn main() -> std::io::Result<()> {
    let args = Args { families: std::env::args().skip(1).collect(), ..Args::default() };
    let report = rlx_conformance::run(&args, &[&Skeleton]);
    write!(std::io::stdout(), "{report}")
}
