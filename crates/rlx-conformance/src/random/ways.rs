//! The ways in which one graph is compiled and run on a backend. Results may differ between instruction sets and with
//! passes on and off, within the error bound; between numbers of threads they may not differ at all.

use crate::case::{Inputs, borrowed};
use rlx_compile::pipeline::compile;
use rlx_compile::{Backend, CompileOptions, KernelDispatchPolicy, Param};
use rlx_ir::{Bindings, Graph, Literal};
use std::sync::Arc;

/// One way to compile: what the numbers of threads share.
#[derive(Clone, Debug)]
pub struct Way {
    /// What reports call it.
    pub name: String,
    options: CompileOptions,
}

/// Numbers of threads between which no bit may change.
pub const THREADS: [usize; 2] = [1, 2];

impl Way {
    /// Passes on; on every third graph of an instruction set composites are decomposed, which gives the passes more
    /// to group than kernels of whole composites leave. Passes off.
    pub fn of_seed(seed: u64, isas: &[String]) -> [Way; 2] {
        let sets = isas.len().max(1) as u64;
        let isa = isas.get((seed % sets) as usize).cloned();
        let common = seed / sets % 3 == 2;
        let dispatch =
            if common { KernelDispatchPolicy::PreferCommon } else { KernelDispatchPolicy::PreferNative };
        [true, false].map(|passes| {
            let mut options = CompileOptions::new().kernel_dispatch(dispatch);
            (options.simplify, options.fuse) = (passes, passes);
            options.cpu_isa.clone_from(&isa);
            let name = format!(
                "passes {}, {}, {}",
                if passes { "on" } else { "off" },
                isa.as_deref().unwrap_or("default instruction set"),
                if common { "composites decomposed" } else { "composites whole" },
            );
            Way { name, options }
        })
    }

    /// Whether the passes run.
    pub fn has_passes(&self) -> bool {
        self.options.fuse
    }

    /// The outputs on this many threads, and the graph that was lowered.
    pub fn run(
        &self,
        backend: &dyn Backend,
        threads: usize,
        (graph, bindings): (&Graph, &Bindings),
        inputs: &Inputs,
    ) -> Result<(Vec<Literal>, Graph), String> {
        let mut options = self.options.clone().num_threads(threads);
        // Most graphs are so small that one thread would do all of their work.
        options.split_always = true;
        let compiled = compile(graph, bindings, backend, &options).map_err(|e| e.to_string())?;
        let bound = compiled.lowered.bind(bindings).map_err(|e| e.to_string())?;
        let (mut executable, lowered) = (compiled.executable, Graph::clone(&bound.graph));
        let values = borrowed(inputs);
        let value = |node: &rlx_ir::Node| {
            let name = node.name().ok_or("no name")?;
            values.iter().find(|v| v.0 == name).map(|v| v.1).ok_or_else(|| format!("no value for {name}"))
        };
        for (i, node) in graph.params().enumerate() {
            executable.set_param(i, Param::new(Arc::new(value(node)?.clone())));
        }
        let operands: Vec<&[u8]> =
            graph.inputs().map(|n| value(n).map(Literal::bytes)).collect::<Result<_, _>>()?;
        executable.run_on_host(&operands).map_err(|e| e.to_string())?;
        let shapes = lowered.output_shapes();
        let outputs = shapes.iter().enumerate().map(|(i, shape)| {
            let bytes = executable.output(i).map_err(|e| e.to_string())?;
            Literal::from_bytes(shape, bytes).map_err(|e| e.to_string())
        });
        Ok((outputs.collect::<Result<_, _>>()?, lowered))
    }
}
