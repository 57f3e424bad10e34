//! A compiled graph: takes inputs by name, checks them, runs an instance for their sizes, and gives outputs.

mod background;
mod instances;
mod kept;
mod runs;

pub use runs::Slot;

use crate::error::RuntimeError;
use crate::handles::Handles;
use crate::pending::Pending;
use crate::program_cache::read_or_lower;
use crate::signature::{Signature, check_dtype, check_length};
use instances::{Instances, LoweredCache};
use rlx_compile::backend::ParamBytes;
use rlx_compile::pipeline::lower;
use rlx_compile::{Backend, CompileOptions, DispatchReport, Lowered};
use rlx_driver::Device;
use rlx_ir::{Bindings, DType, Graph, Literal, Shape, Symbol, verify};
use std::sync::Arc;

/// What all clones share.
struct Shared {
    graph: Graph,
    signature: Signature,
    symbols: Vec<Symbol>,
    backend: Arc<dyn Backend>,
    options: CompileOptions,
    lowered: LoweredCache,
}

/// A program ready to run. It is `Send`; a clone has working memory of its own and shares the parameters and what was
/// packed from them, so that a server can run one on each thread.
pub struct CompiledGraph {
    shared: Arc<Shared>,
    instances: Instances,
    params: Vec<Option<Arc<dyn ParamBytes>>>,
    explicit: Bindings,
    handles: Handles,
    pending: Option<Pending>,
}

impl CompiledGraph {
    pub(crate) fn new(
        graph: Graph,
        backend: Arc<dyn Backend>,
        options: CompileOptions,
    ) -> Result<CompiledGraph, RuntimeError> {
        verify(&graph).map_err(rlx_compile::CompileError::from)?;
        let signature = Signature::of(&graph);
        let symbols = graph.symbols();
        let params = vec![None; signature.params.len()];
        let shared = Shared { graph, signature, symbols, backend, options, lowered: LoweredCache::default() };
        let mut compiled = CompiledGraph {
            shared: Arc::new(shared),
            instances: Instances::default(),
            params,
            explicit: Bindings::new(),
            handles: Handles::default(),
            pending: None,
        };
        if compiled.shared.symbols.is_empty() {
            compiled.instance(&Bindings::new())?;
        } else {
            // What no size can change is reported now.
            let shared = &compiled.shared;
            let claims = shared.backend.claims();
            rlx_compile::legalize(&shared.graph, shared.backend.device().name(), claims, &shared.options)
                .map_err(rlx_compile::CompileError::from)?;
        }
        Ok(compiled)
    }

    /// The graph that was compiled.
    pub fn graph(&self) -> &Graph {
        &self.shared.graph
    }

    /// The device that it runs on.
    pub fn device(&self) -> Device {
        self.shared.backend.device()
    }

    /// Names and declared shapes of the inputs, in order.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, &Shape)> {
        self.shared.signature.inputs.iter().map(|n| (n.name.as_str(), &n.shape))
    }

    /// Names and declared shapes of the parameters, in order.
    pub fn params(&self) -> impl Iterator<Item = (&str, &Shape)> {
        self.shared.signature.params.iter().map(|n| (n.name.as_str(), &n.shape))
    }

    /// Declared shapes of the outputs, in order.
    pub fn outputs(&self) -> &[Shape] {
        &self.shared.signature.outputs
    }

    fn lowered(&self, bindings: &Bindings) -> Result<Lowered, RuntimeError> {
        let Shared { graph, backend, options, .. } = &*self.shared;
        self.shared.lowered.get(bindings, || {
            let cache = options.program_cache.as_deref().filter(|_| !options.print_report);
            let made = match cache {
                Some(folder) => read_or_lower(folder, graph, bindings, &**backend, options)?,
                None => lower(graph, bindings, &**backend, options)?,
            };
            if let Some(report) = made.report.as_ref().filter(|_| options.print_report) {
                print_report(report);
            }
            Ok(made)
        })
    }

    /// Makes the instance for these sizes the current one, compiling it if there is none.
    fn instance(&mut self, bindings: &Bindings) -> Result<(), RuntimeError> {
        if self.instances.select(bindings) {
            return Ok(());
        }
        let lowered = self.lowered(bindings)?;
        let executable = match self.instances.current() {
            Some(other) => other.executable.with_lowered(lowered)?,
            None => {
                let mut first = self.shared.backend.prepare(lowered)?;
                for (i, value) in self.params.iter().enumerate() {
                    if let Some(value) = value {
                        first.set_param(i, value.clone());
                    }
                }
                first
            }
        };
        self.instances.push(bindings.clone(), executable);
        Ok(())
    }

    /// The dispatch report for the sizes last bound or run (or of the static graph). A program that was read from disk has none: it is
    /// lowered for it.
    pub fn dispatch_report(&self) -> Result<DispatchReport, RuntimeError> {
        let bindings = self.current_bindings();
        if let Some(report) = self.lowered(&bindings)?.report {
            return Ok(report);
        }
        let Shared { graph, backend, options, .. } = &*self.shared;
        Ok(lower(graph, &bindings, &**backend, options)?.report.unwrap_or_default())
    }

    /// The fused graph, as it runs for the sizes last bound or run.
    pub fn lowered_graph(&self) -> Result<Graph, RuntimeError> {
        Ok(self.lowered(&self.current_bindings())?.graph)
    }

    fn current_bindings(&self) -> Bindings {
        self.instances.current().map_or_else(|| self.explicit.clone(), |i| i.bindings.clone())
    }

    /// Threads, instruction set and memory plan for the sizes last bound or run, as text.
    pub fn describe(&mut self) -> Result<String, RuntimeError> {
        let bindings = self.current_bindings();
        self.instance(&bindings)?;
        Ok(self.instances.current().map_or_else(String::new, |i| i.executable.describe()))
    }

    // ---- dimensions ----------------------------------------------------------------------------------------

    /// Binds symbolic dimensions for the runs that follow, and compiles for them if they are all bound. An empty list
    /// forgets earlier bindings.
    pub fn bind_dims(&mut self, dims: &[(&str, usize)]) -> Result<(), RuntimeError> {
        self.explicit = dims.iter().map(|(name, size)| (Symbol::new(name), *size)).collect();
        self.instances.uncheck();
        let known: Vec<String> = self.shared.symbols.iter().map(|s| format!("`{s}`")).collect();
        if let Some(unknown) = self.explicit.keys().find(|s| !self.shared.symbols.contains(s)) {
            let name = unknown.name().to_string();
            return Err(RuntimeError::UnknownName { what: "dimension", name, known: known.join(", ") });
        }
        if self.explicit.len() == self.shared.symbols.len() {
            let bindings = self.explicit.clone();
            self.instance(&bindings)?;
        }
        Ok(())
    }

    // ---- parameters ----------------------------------------------------------------------------------------

    /// Sets a parameter.
    ///
    /// # Panics
    /// With the full message where [`try_set_param`](CompiledGraph::try_set_param) fails.
    pub fn set_param(&mut self, name: &str, values: &[f32]) {
        self.try_set_param(name, values).unwrap_or_else(|e| panic!("{e}"));
    }

    /// Sets a parameter from f32 values, converted to its element type.
    pub fn try_set_param(&mut self, name: &str, values: &[f32]) -> Result<(), RuntimeError> {
        self.set_param_typed(name, bytemuck::cast_slice(values), DType::F32)
    }

    /// Sets a parameter from the little-endian bytes of elements of `dtype`, converted to its element type if both are
    /// floats.
    pub fn set_param_typed(&mut self, name: &str, bytes: &[u8], dtype: DType) -> Result<(), RuntimeError> {
        let index = self.shared.signature.param(name)?;
        let param = &self.shared.signature.params[index];
        let shape = param.shape.eval(&self.explicit)?;
        check_length(name, &shape.with_dtype(dtype), bytes.len())?;
        if dtype != shape.dtype() && !(dtype.is_float() && (shape.dtype().is_float() || dtype == DType::F32))
        {
            check_dtype(name, shape.dtype(), dtype)?;
        }
        let literal = Literal::from_bytes(&shape.with_dtype(dtype), bytes)?;
        self.place_param(index, Arc::new(literal.convert(shape.dtype())));
        Ok(())
    }

    /// Sets a parameter to bytes that somebody else holds (a mapped file), without a copy. They are little-endian
    /// elements of the parameter's type, aligned to it, and must not change.
    pub fn set_param_shared(&mut self, name: &str, value: Arc<dyn ParamBytes>) -> Result<(), RuntimeError> {
        let index = self.shared.signature.param(name)?;
        let shape = self.shared.signature.params[index].shape.eval(&self.explicit)?;
        check_length(name, &shape, value.bytes().len())?;
        if value.bytes().as_ptr().align_offset(shape.dtype().size().min(8)) != 0
            || shape.dtype() == DType::Bool
        {
            return self.set_param_typed(name, value.bytes(), shape.dtype());
        }
        self.place_param(index, value);
        Ok(())
    }

    fn place_param(&mut self, index: usize, value: Arc<dyn ParamBytes>) {
        // Other sizes are instantiated again from the one that is kept, so that all share one set of parameters.
        self.instances.keep_current();
        if let Some(current) = self.instances.current_mut() {
            current.executable.set_param(index, value.clone());
        }
        self.params[index] = Some(value);
    }

    /// The value of a parameter, if it was set.
    pub fn param(&self, name: &str) -> Result<Option<&[u8]>, RuntimeError> {
        let index = self.shared.signature.param(name)?;
        Ok(self.params[index].as_ref().map(|p| p.bytes()))
    }

    fn check_params(&self) -> Result<(), RuntimeError> {
        let names = self.shared.signature.params.iter().zip(&self.params).filter(|(_, v)| v.is_none());
        let unset: Vec<&str> = names.map(|(n, _)| n.name.as_str()).collect();
        if unset.is_empty() { Ok(()) } else { Err(RuntimeError::UnsetParams(unset.join(", "))) }
    }
}

impl Clone for CompiledGraph {
    fn clone(&self) -> Self {
        CompiledGraph {
            shared: self.shared.clone(),
            instances: self.instances.clone(),
            params: self.params.clone(),
            explicit: self.explicit.clone(),
            handles: self.handles.clone(),
            pending: None,
        }
    }
}

impl std::fmt::Debug for CompiledGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CompiledGraph({:?} on {})", self.shared.graph.name(), self.device())
    }
}

/// Prints the dispatch report that the caller asked for.
#[allow(clippy::print_stderr)]
fn print_report(report: &DispatchReport) {
    eprint!("{}", rlx_compile::format_dispatch_report(report));
}
