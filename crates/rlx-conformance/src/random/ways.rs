//! The ways in which one graph is compiled and run on a backend. Results may differ, within the error bound, between
//! variants of a backend (instruction sets) and with passes on and off. They must not differ between numbers of
//! threads.

use crate::case::{Inputs, borrowed};
use rlx_compile::{CompileOptions, KernelDispatchPolicy, Param};
use rlx_exec::{Backend, compile};
use rlx_ir::{Bindings, Graph, Literal};
use std::sync::Arc;

/// A variant of a backend: an instruction set.
#[derive(Clone)]
pub struct Variant {
    /// The name in reports.
    pub name: String,
    /// Sets the backend's options for the variant and for a number of threads. Even the smallest work must be divided
    /// between them, because most graphs are so small that one thread would do everything.
    pub apply: Arc<dyn Fn(&mut CompileOptions, usize) + Send + Sync>,
}

impl Variant {
    /// Creates a variant with this name.
    pub fn new(
        name: impl Into<String>,
        apply: impl Fn(&mut CompileOptions, usize) + Send + Sync + 'static,
    ) -> Variant {
        Variant { name: name.into(), apply: Arc::new(apply) }
    }
}

/// One way to compile, which runs with different numbers of threads share.
#[derive(Clone)]
pub struct Way {
    /// The name in reports.
    pub name: String,
    options: CompileOptions,
    variant: Option<Variant>,
}

/// The numbers of threads, between which no bit may change.
const THREADS: [usize; 2] = [1, 2];

impl Way {
    /// Returns the two ways for a seed: with and without passes. For every third graph of a variant composites are
    /// decomposed, which gives the passes more to group than kernels of whole composites do.
    pub fn of_seed(seed: u64, variants: &[Variant]) -> [Way; 2] {
        let sets = variants.len().max(1) as u64;
        let variant = variants.get((seed % sets) as usize);
        let common = seed / sets % 3 == 2;
        let dispatch =
            if common { KernelDispatchPolicy::PreferCommon } else { KernelDispatchPolicy::PreferNative };
        [true, false].map(|passes| {
            let mut options = CompileOptions::new().kernel_dispatch(dispatch);
            (options.simplify, options.fuse) = (passes, passes);
            let name = format!(
                "passes {}, {}, {}",
                if passes { "on" } else { "off" },
                variant.map_or("default variant", |variant| &variant.name),
                if common { "composites decomposed" } else { "composites whole" },
            );
            Way { name, options, variant: variant.cloned() }
        })
    }

    /// Returns whether the passes run.
    pub fn has_passes(&self) -> bool {
        self.options.fuse
    }

    /// Returns the numbers of threads to run on. Without a variant the number cannot be chosen, so there is only one run.
    pub fn threads(&self) -> &'static [usize] {
        if self.variant.is_some() { &THREADS } else { &THREADS[..1] }
    }

    /// Runs a graph on this many threads. Returns the outputs and the graph that was lowered.
    pub fn run(
        &self,
        backend: &dyn Backend,
        threads: usize,
        (graph, bindings): (&Graph, &Bindings),
        inputs: &Inputs,
    ) -> Result<(Vec<Literal>, Graph), String> {
        let mut options = self.options.clone();
        if let Some(variant) = &self.variant {
            (variant.apply)(&mut options, threads);
        }
        let compiled = compile(graph, bindings, backend, &options).map_err(|e| e.to_string())?;
        let bound = compiled.lowered.bind(bindings).map_err(|e| e.to_string())?;
        let (mut executable, lowered) = (compiled.executable, Graph::clone(&bound.graph()));
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
