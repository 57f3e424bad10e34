//! A compiled graph: takes inputs by name, checks them, binds their sizes, runs, and returns outputs.

mod background;
mod range;
mod runs;
mod state;

pub use runs::Slot;

use crate::error::RuntimeError;
use crate::program_cache::read_or_lower;
use crate::signature::{Signature, check_dtype, check_length};
use crate::state::States;
use background::Pending;
use rlx_compile::pipeline::lower_verified;
use rlx_compile::{CompileOptions, DispatchReport, Lowered, Param, ParamBytes, StepInfo};
use rlx_driver::{Device, DeviceId, Topic};
use rlx_exec::{Backend, Executable, Queue, lower};
use rlx_ir::{Bindings, DType, DimError, Graph, Literal, Shape, Symbol, verify};
use rlx_pool::Process;
use std::collections::HashSet;
use std::sync::Arc;

/// The parts that all clones share.
struct Shared {
    graph: Graph,
    signature: Signature,
    symbols: Vec<Symbol>,
    /// For each output, whether it updates a state buffer.
    updating: Vec<bool>,
    backend: Arc<dyn Backend>,
    options: CompileOptions,
    lowered: Lowered,
}

/// A program that is ready to run with any sizes of its symbols; the lengths of the inputs determine the sizes.
///
/// ```
/// use rlx_ir::{Builder, DType, Dim, Shape};
/// use rlx_session::{Device, Session};
///
/// let b = Builder::new("sums");
/// let rows = b.input("rows", Shape::from_dims(&[Dim::dynamic("n"), 2.into()], DType::F32));
/// let weights = b.param("weights", Shape::new(&[2], DType::F32));
/// let graph = b.finish(&[&rows.matmul(&weights.reshape(&[2.into(), 1.into()]))]).unwrap();
///
/// let mut compiled = Session::new(Device::Cpu).try_compile(graph)?;
/// compiled.try_set_param("weights", &[1.0, 10.0])?;
/// assert_eq!(compiled.try_run(&[("rows", &[1., 2., 3., 4.])])?, [[21., 43.]]);
/// // Another size needs no compile; another thread has a clone.
/// let mut other = compiled.clone();
/// let run = std::thread::spawn(move || other.try_run(&[("rows", &[5., 6.])]));
/// assert_eq!(run.join().unwrap()?, [[65.]]);
/// # Ok::<(), rlx_session::RuntimeError>(())
/// ```
///
/// It is `Send` and `Sync`. A clone has its own working memory and a copy of the state, and shares the program, the parameters and their
/// packed forms, so a server can run one clone per thread. [`SharedGraph`](crate::SharedGraph) manages such clones.
pub struct CompiledGraph {
    shared: Arc<Shared>,
    /// The queue that orders its runs.
    queue: Arc<dyn Queue>,
    /// `None` while a background run has it.
    executable: Option<Box<dyn Executable>>,
    /// The sizes for which the program was last bound.
    bindings: Bindings,
    is_bound: bool,
    params: Vec<Option<Param>>,
    /// The sizes set by `bind_dims`.
    explicit: Bindings,
    states: States,
    /// The byte length of each input of the last run, if everything that a run needs was found valid.
    checked: Option<Vec<usize>>,
    pending: Option<Pending>,
    /// The process that compiled the program.
    process: Process,
}

impl CompiledGraph {
    pub(crate) fn new(
        graph: Graph,
        backend: Arc<dyn Backend>,
        options: CompileOptions,
        queue: Arc<dyn Queue>,
    ) -> Result<CompiledGraph, RuntimeError> {
        verify(&graph).map_err(rlx_compile::CompileError::from)?;
        let signature = Signature::of(&graph);
        let aliases = signature.aliases(&options)?;
        let cache = options.program_cache.as_deref().filter(|_| !options.prints());
        let lowered = match cache {
            Some(folder) => read_or_lower(folder, &graph, &aliases, &*backend, &options)?,
            None => lower_verified(&graph, &aliases, backend.device().name(), backend.claims(), &options)?,
        };
        if let Some(report) = lowered.report().filter(|_| options.print_report) {
            rlx_driver::report(Topic::Dispatch, &rlx_compile::format_dispatch_report(report));
        }
        let (lowered, executable) = match backend.prepare(lowered.clone(), &queue) {
            // A file from an earlier compile may have been changed into a program that no backend prepares.
            Err(_) if cache.is_some() && lowered.report().is_none() => {
                let (device, claims) = (backend.device(), backend.claims());
                let lowered = lower_verified(&graph, &aliases, device.name(), claims, &options)?;
                let executable = backend.prepare(lowered.clone(), &queue)?;
                (lowered, executable)
            }
            prepared => (lowered, prepared?),
        };
        let (symbols, params) = (graph.symbols(), vec![None; signature.params.len()]);
        let states = States::new(&aliases)?;
        let mut updating = vec![false; signature.outputs.len()];
        // INVARIANT: pairs with an unknown output were refused above.
        aliases.iter().for_each(|alias| updating[alias.output] = true);
        let mut compiled = CompiledGraph {
            shared: Arc::new(Shared { graph, signature, symbols, updating, backend, options, lowered }),
            queue,
            executable: Some(executable),
            bindings: Bindings::new(),
            is_bound: false,
            params,
            explicit: Bindings::new(),
            states,
            checked: None,
            pending: None,
            process: Process::watched(),
        };
        if compiled.shared.symbols.is_empty() {
            compiled.bind(&Bindings::new())?;
        }
        Ok(compiled)
    }

    /// Returns the graph that was compiled.
    pub fn graph(&self) -> &Graph {
        &self.shared.graph
    }

    /// Returns the kind of device that the program runs on.
    pub fn device(&self) -> Device {
        self.shared.backend.device()
    }

    /// Returns the device that the program runs on, with its number.
    pub fn device_id(&self) -> DeviceId {
        self.queue.device()
    }

    /// Returns the queue that runs are submitted to.
    pub fn queue(&self) -> &Arc<dyn Queue> {
        &self.queue
    }

    /// Returns the names and declared shapes of the inputs, in order.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, &Shape)> {
        self.shared.signature.inputs.iter().map(|n| (n.name.as_str(), &n.shape))
    }

    /// Returns the names and declared shapes of the parameters, in order.
    pub fn params(&self) -> impl Iterator<Item = (&str, &Shape)> {
        self.shared.signature.params.iter().map(|n| (n.name.as_str(), &n.shape))
    }

    /// Returns the declared shapes of the outputs, in order.
    pub fn outputs(&self) -> &[Shape] {
        &self.shared.signature.outputs
    }

    fn input_name(&self, index: usize) -> &str {
        &self.shared.signature.inputs[index].name
    }

    fn no_program(&self) -> RuntimeError {
        RuntimeError::Pending(
            "the program is lost with the background run that was using it; compile the graph again",
        )
    }

    fn executable(&self) -> Result<&dyn Executable, RuntimeError> {
        self.executable.as_deref().ok_or_else(|| self.no_program())
    }

    fn executable_mut(&mut self) -> Result<&mut Box<dyn Executable>, RuntimeError> {
        match &mut self.executable {
            Some(executable) => Ok(executable),
            None => Err(RuntimeError::Pending(
                "the program is lost with the background run that was using it; compile the graph again",
            )),
        }
    }

    /// Creates a new instance after a background run that took the program and did not return it. The state that the run was updating stays
    /// lost.
    fn forget_program(&mut self) {
        self.uncheck();
        self.is_bound = false;
        let shared = &self.shared;
        if let Ok(mut fresh) = shared.backend.prepare(shared.lowered.clone(), &self.queue) {
            for (index, value) in self.params.iter().enumerate() {
                value.iter().for_each(|value| fresh.set_param(index, value.clone()));
            }
            self.executable = Some(fresh);
        }
    }

    /// Sets the sizes for the following runs, and checks the parameters against them.
    fn bind(&mut self, bindings: &Bindings) -> Result<(), RuntimeError> {
        if self.is_bound && self.bindings == *bindings {
            return Ok(());
        }
        self.executable_mut()?.bind(bindings)?;
        self.bindings.clone_from(bindings);
        self.is_bound = true;
        self.uncheck();
        Ok(())
    }

    /// Binds the sizes set by `bind_dims`, if no run has bound any.
    fn bind_some(&mut self) -> Result<(), RuntimeError> {
        if self.is_bound { Ok(()) } else { self.bind(&self.explicit.clone()) }
    }

    fn uncheck(&mut self) {
        self.checked = None;
    }

    /// Returns how each node runs. A program that was read from disk has no report, so its graph is lowered again to make one.
    pub fn dispatch_report(&self) -> Result<DispatchReport, RuntimeError> {
        let Shared { graph, backend, options, lowered, .. } = &*self.shared;
        if let Some(report) = lowered.report() {
            return Ok(report.clone());
        }
        let lowered = lower(graph, lowered.aliases(), &**backend, options)?;
        Ok(lowered.report().cloned().unwrap_or_default())
    }

    /// Returns the fused graph, with its symbols.
    pub fn lowered_graph(&self) -> &Graph {
        self.shared.lowered.graph()
    }

    /// Returns the steps of a run in order, at the sizes last bound or run; none if the backend does not know them.
    pub fn steps(&mut self) -> Result<Vec<StepInfo>, RuntimeError> {
        self.bind_some()?;
        Ok(self.executable()?.steps())
    }

    /// Describes the threads, instruction set and working memory, for the sizes last bound or run.
    pub fn describe(&mut self) -> Result<String, RuntimeError> {
        self.bind_some()?;
        Ok(self.executable()?.describe())
    }

    // ---- dimensions ----------------------------------------------------------------------------------------

    /// Binds symbolic dimensions for the following runs. An empty list removes earlier bindings.
    pub fn bind_dims(&mut self, dims: &[(&str, usize)]) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let explicit: Bindings = dims.iter().map(|(name, size)| (Symbol::new(name), *size)).collect();
        let known: HashSet<&Symbol> = self.shared.symbols.iter().collect();
        if let Some(unknown) = explicit.keys().find(|s| !known.contains(s)) {
            let known: Vec<String> = self.shared.symbols.iter().map(|s| format!("`{s}`")).collect();
            let name = unknown.name().to_string();
            let known =
                if known.is_empty() { "no dimension without a size".into() } else { known.join(", ") };
            return Err(RuntimeError::UnknownName { what: "dimension", name, known });
        }
        if explicit.len() == self.shared.symbols.len() {
            self.bind(&explicit)?;
        }
        self.explicit = explicit;
        self.uncheck();
        Ok(())
    }

    // ---- parameters ----------------------------------------------------------------------------------------

    /// Sets a parameter from f32 values.
    ///
    /// # Panics
    /// Panics with the full message if [`try_set_param`](CompiledGraph::try_set_param) fails.
    pub fn set_param(&mut self, name: &str, values: &[f32]) {
        self.try_set_param(name, values).unwrap_or_else(|e| panic!("{e}"));
    }

    /// Sets a parameter from f32 values, which are converted to its element type.
    pub fn try_set_param(&mut self, name: &str, values: &[f32]) -> Result<(), RuntimeError> {
        self.set_param_typed(name, bytemuck::cast_slice(values), DType::F32)
    }

    /// Sets a parameter from the little-endian bytes of elements of `dtype`, which are converted to the parameter's element type if both
    /// are floats. If its shape has unbound symbols, the length is checked when the graph runs.
    pub fn set_param_typed(&mut self, name: &str, bytes: &[u8], dtype: DType) -> Result<(), RuntimeError> {
        let index = self.shared.signature.param(name)?;
        let declared = self.shared.signature.params[index].shape.dtype();
        let shape = self.param_shape(index, bytes.len() / dtype.size())?;
        check_length(name, &shape.with_dtype(dtype), bytes.len())?;
        if dtype != declared && !(dtype.is_float() && (declared.is_float() || dtype == DType::F32)) {
            check_dtype(name, declared, dtype)?;
        }
        let literal = Literal::from_bytes(&shape.with_dtype(dtype), bytes)?;
        self.place_param(index, Param::new(Arc::new(literal.convert(declared))))
    }

    /// Sets a parameter without a copy, to bytes owned elsewhere (such as a mapped file). They are little-endian elements of the
    /// parameter's type, aligned to it. The owner is asked for them once, in this call.
    pub fn set_param_shared(&mut self, name: &str, value: Arc<dyn ParamBytes>) -> Result<(), RuntimeError> {
        let index = self.shared.signature.param(name)?;
        let dtype = self.shared.signature.params[index].shape.dtype();
        let value = Param::new(value);
        let bytes = value.bytes();
        let shape = self.param_shape(index, bytes.len() / dtype.size())?;
        check_length(name, &shape, bytes.len())?;
        if bytes.as_ptr().align_offset(dtype.size().min(8)) != 0 || dtype == DType::Bool {
            return self.set_param_typed(name, bytes, dtype);
        }
        self.place_param(index, value)
    }

    /// Returns the shape of a value of `elements` elements for a parameter: the declared shape or, if that has unbound symbols, a list of
    /// `elements`.
    fn param_shape(&self, index: usize, elements: usize) -> Result<Shape, RuntimeError> {
        let declared = &self.shared.signature.params[index].shape;
        match declared.eval(&self.explicit) {
            Err(DimError::Unbound(_)) => Ok(Shape::new(&[elements], declared.dtype())),
            shape => Ok(shape?),
        }
    }

    fn place_param(&mut self, index: usize, value: Param) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let Shared { signature, lowered, options, .. } = &*self.shared;
        if signature.params[index].shape.dtype() == DType::F32 {
            range::check(&signature.params[index].name, &value, lowered.graph(), options.precision)?;
        }
        self.executable_mut()?.set_param(index, value.clone());
        self.params[index] = Some(value);
        self.uncheck();
        Ok(())
    }

    /// Packs the parameters that have been set.
    ///
    /// # Panics
    /// Panics with the full message if [`try_prepack`](CompiledGraph::try_prepack) fails.
    pub fn prepack(&mut self) {
        self.try_prepack().unwrap_or_else(|e| panic!("{e}"));
    }

    /// Converts the parameters that have been set to the forms in which kernels read them, on all threads, so that the first run does not
    /// have to. The forms are those for the sizes last bound or run, and usually serve all other sizes as well. If nothing reads the
    /// original bytes of a parameter afterwards, their memory in a mapped file is released; [`param`](CompiledGraph::param) reads them from
    /// the file again. Clones share the packed forms.
    ///
    /// # Errors
    /// Fails if the graph has symbols and no sizes are bound yet: bind some with [`bind_dims`](CompiledGraph::bind_dims).
    pub fn try_prepack(&mut self) -> Result<(), RuntimeError> {
        self.check_idle()?;
        self.bind_some()?;
        Ok(self.executable_mut()?.prepack()?)
    }

    /// Returns the value of a parameter, if it was set.
    pub fn param(&self, name: &str) -> Result<Option<&[u8]>, RuntimeError> {
        let index = self.shared.signature.param(name)?;
        Ok(self.params[index].as_ref().map(Param::bytes))
    }

    /// Fails unless all parameters are set, with the number of elements that their shapes have at these sizes.
    fn check_params(&self, bindings: &Bindings) -> Result<(), RuntimeError> {
        let names = self.shared.signature.params.iter().zip(&self.params).filter(|(_, v)| v.is_none());
        let unset: Vec<&str> = names.map(|(n, _)| n.name.as_str()).collect();
        if !unset.is_empty() {
            return Err(RuntimeError::UnsetParams(unset.join(", ")));
        }
        for (named, value) in self.shared.signature.params.iter().zip(&self.params) {
            let bytes = value.as_ref().map_or(0, |value| value.bytes().len());
            match named.shape.num_bytes() {
                Some(expected) if expected == bytes => {}
                _ => check_length(&named.name, &named.shape.eval(bindings)?, bytes)?,
            }
        }
        Ok(())
    }
}

impl Clone for CompiledGraph {
    /// Returns another instance with its own working memory and queue, which starts with a copy of the state. A pending background run
    /// stays with the original. Its program and the state that it updates cannot be copied in the meantime, so the clone's state counts as
    /// lost.
    fn clone(&self) -> Self {
        // If the device has no more queues, the runs of the clone and the original share one order.
        let ordinal = self.queue.device().ordinal;
        let queue = self.shared.backend.queue(ordinal).unwrap_or_else(|_| self.queue.clone());
        let mut clone = CompiledGraph {
            shared: self.shared.clone(),
            executable: self.executable.as_ref().and_then(|executable| executable.clone_on(&queue).ok()),
            queue,
            bindings: self.bindings.clone(),
            is_bound: self.is_bound,
            params: self.params.clone(),
            explicit: self.explicit.clone(),
            states: self.states.clone(),
            checked: None,
            pending: None,
            process: self.process,
        };
        if clone.executable.is_none() {
            clone.forget_program();
        }
        clone
    }
}

impl std::fmt::Debug for CompiledGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CompiledGraph({:?} on {})", self.shared.graph.name(), self.device_id())
    }
}
