//! A compiled graph: takes inputs by name, checks them, runs an instance for their sizes, and gives outputs.

use crate::bind::{bind_lengths, bind_shape, check_bound};
use crate::error::RuntimeError;
use crate::handles::{Handle, Handles, feeding_output};
use crate::inputs::{Conversion, InputList, converted, to_f32s};
use crate::pending::Pending;
use crate::signature::{Named, Signature, check_dtype, check_length};
use rlx_compile::backend::ParamBytes;
use rlx_compile::pipeline::lower;
use rlx_compile::{Backend, CompileOptions, DispatchReport, Executable, Lowered};
use rlx_driver::Device;
use rlx_ir::{Bindings, DType, Graph, Literal, Shape, Symbol, verify};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Instances that one compiled graph keeps for different sizes; the least recently used one goes first.
const MAX_INSTANCES: usize = 16;

/// What all clones share.
struct Shared {
    graph: Graph,
    signature: Signature,
    symbols: Vec<Symbol>,
    backend: Arc<dyn Backend>,
    options: CompileOptions,
    lowered: Mutex<HashMap<Bindings, Lowered>>,
}

/// A program ready to run. It is `Send`; a clone has working memory of its own and shares the parameters and what was
/// packed from them, so that a server can run one on each thread.
pub struct CompiledGraph {
    shared: Arc<Shared>,
    /// Most recently used last.
    instances: Vec<(Bindings, Box<dyn Executable>)>,
    params: Vec<Option<Arc<dyn ParamBytes>>>,
    explicit: Bindings,
    handles: Handles,
    pending: Option<Pending>,
}

/// Where an output lies in the working memory after [`CompiledGraph::run_slots`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Offset from [`CompiledGraph::arena_ptr`] in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub bytes: usize,
    /// Shape and element type.
    pub shape: Shape,
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
        let shared = Shared { graph, signature, symbols, backend, options, lowered: Mutex::default() };
        let mut compiled = CompiledGraph {
            shared: Arc::new(shared),
            instances: Vec::new(),
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
        let mut cache = self.shared.lowered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = cache.get(bindings) {
            return Ok(found.clone());
        }
        let made = lower(&self.shared.graph, bindings, &*self.shared.backend, &self.shared.options)?;
        if self.shared.options.print_report {
            print_report(&made.report);
        }
        cache.insert(bindings.clone(), made.clone());
        Ok(made)
    }

    /// Makes the instance for these sizes the most recently used one, compiling it if there is none.
    fn instance(&mut self, bindings: &Bindings) -> Result<(), RuntimeError> {
        if self.instances.last().is_some_and(|i| i.0 == *bindings) {
            return Ok(());
        }
        if let Some(at) = self.instances.iter().position(|i| i.0 == *bindings) {
            let found = self.instances.remove(at);
            self.instances.push(found);
            return Ok(());
        }
        let lowered = self.lowered(bindings)?;
        let executable = match self.instances.last() {
            Some((_, other)) => other.with_lowered(lowered)?,
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
        if self.instances.len() >= MAX_INSTANCES {
            self.instances.remove(0);
        }
        self.instances.push((bindings.clone(), executable));
        Ok(())
    }

    /// The dispatch report for the sizes last bound or run (or of the static graph).
    pub fn dispatch_report(&self) -> Result<DispatchReport, RuntimeError> {
        Ok(self.lowered(&self.current_bindings())?.report)
    }

    /// The fused graph, as it runs for the sizes last bound or run.
    pub fn lowered_graph(&self) -> Result<Graph, RuntimeError> {
        Ok(self.lowered(&self.current_bindings())?.graph)
    }

    fn current_bindings(&self) -> Bindings {
        self.instances.last().map_or_else(|| self.explicit.clone(), |i| i.0.clone())
    }

    /// Threads, instruction set and memory plan for the sizes last bound or run, as text.
    pub fn describe(&mut self) -> Result<String, RuntimeError> {
        let bindings = self.current_bindings();
        self.instance(&bindings)?;
        Ok(self.instances.last().map_or_else(String::new, |i| i.1.describe()))
    }

    // ---- dimensions ----------------------------------------------------------------------------------------

    /// Binds symbolic dimensions for the runs that follow, and compiles for them if they are all bound. An empty list
    /// forgets earlier bindings.
    pub fn bind_dims(&mut self, dims: &[(&str, usize)]) -> Result<(), RuntimeError> {
        self.explicit = dims.iter().map(|(name, size)| (Symbol::new(name), *size)).collect();
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
        if self.instances.len() > 1 {
            let last = self.instances.pop();
            self.instances.clear();
            self.instances.extend(last);
        }
        if let Some((_, executable)) = self.instances.last_mut() {
            executable.set_param(index, value.clone());
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

    // ---- runs ----------------------------------------------------------------------------------------------

    /// Runs with inputs by name and returns one vector an output.
    ///
    /// # Panics
    /// With the full message where [`try_run`](CompiledGraph::try_run) fails.
    pub fn run(&mut self, inputs: &[(&str, &[f32])]) -> Vec<Vec<f32>> {
        self.try_run(inputs).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Runs with f32 inputs by name, converted to their declared element types, and returns each output converted to
    /// f32. Symbolic dimensions take their sizes from the lengths where those determine them.
    pub fn try_run(&mut self, inputs: &[(&str, &[f32])]) -> Result<Vec<Vec<f32>>, RuntimeError> {
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, values)| (*name, bytemuck::cast_slice(values), DType::F32)).collect();
        self.execute(&given, Conversion::FromF32)?;
        Ok((0..self.shared.signature.outputs.len()).map(|i| self.output_f32(i)).collect())
    }

    /// Runs with inputs by name as little-endian bytes of their declared element types; returns each output's bytes
    /// and element type.
    pub fn run_typed(
        &mut self,
        inputs: &[(&str, &[u8], DType)],
    ) -> Result<Vec<(Vec<u8>, DType)>, RuntimeError> {
        self.execute(inputs, Conversion::None)?;
        let outputs = self.shared.signature.outputs.iter().enumerate();
        Ok(outputs.map(|(i, shape)| (self.output_bytes(i).to_vec(), shape.dtype())).collect())
    }

    /// Runs with tensors by name; their shapes bind symbolic dimensions.
    pub fn run_literals(&mut self, inputs: &[(&str, &Literal)]) -> Result<Vec<Literal>, RuntimeError> {
        let mut bindings = self.explicit.clone();
        for (name, literal) in inputs {
            let input = &self.shared.signature.inputs[self.shared.signature.input(name)?];
            bind_shape(&mut bindings, input, literal.shape())?;
        }
        for (name, literal) in inputs {
            let input = &self.shared.signature.inputs[self.shared.signature.input(name)?];
            check_bound(&bindings, input, literal.shape())?;
        }
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, l)| (*name, l.bytes(), l.dtype())).collect();
        let outer = std::mem::replace(&mut self.explicit, bindings);
        let result = self.execute(&given, Conversion::None);
        self.explicit = outer;
        result?;
        let bindings = self.current_bindings();
        let outputs = self.shared.signature.outputs.iter().enumerate();
        outputs
            .map(|(i, shape)| Ok(Literal::from_bytes(&shape.eval(&bindings)?, self.output_bytes(i))?))
            .collect()
    }

    /// Runs with f32 inputs in order, and returns where the outputs lie behind [`arena_ptr`](CompiledGraph::arena_ptr).
    /// Nothing is copied, and after the first run with these sizes nothing is allocated but the returned list.
    pub fn run_slots(&mut self, inputs: &[&[f32]]) -> Result<Vec<Slot>, RuntimeError> {
        self.run_in_place(inputs)?;
        let bindings = self.current_bindings();
        let Some((_, executable)) = self.instances.last() else { return Ok(Vec::new()) };
        let outputs = self.shared.signature.outputs.iter().enumerate();
        outputs
            .map(|(i, shape)| {
                let (offset, bytes) = (executable.output_offset(i), executable.output(i).len());
                Ok(Slot { offset, bytes, shape: shape.eval(&bindings)? })
            })
            .collect()
    }

    /// Runs with f32 inputs in order; the outputs stay in the working memory, where
    /// [`output_bytes`](CompiledGraph::output_bytes) shows them. A run with the sizes of the run before allocates
    /// nothing.
    pub fn run_in_place(&mut self, inputs: &[&[f32]]) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let expected = self.shared.signature.inputs.len();
        if inputs.len() != expected {
            return Err(RuntimeError::InputCount { expected, got: inputs.len() });
        }
        if self.shared.symbols.is_empty() {
            self.instance(&Bindings::new())?;
        } else {
            let named: Vec<(&Named, usize)> =
                self.shared.signature.inputs.iter().zip(inputs).map(|(n, v)| (n, v.len())).collect();
            let mut bindings = self.explicit.clone();
            bind_lengths(&mut bindings, &named, &self.shared.symbols)?;
            self.instance(&bindings)?;
        }
        self.check_params()?;
        let Some((bindings, executable)) = self.instances.last_mut() else { return Ok(()) };
        let mut views = InputList::new();
        for (input, values) in self.shared.signature.inputs.iter().zip(inputs) {
            check_dtype(&input.name, input.shape.dtype(), DType::F32)?;
            if input.shape.is_static() {
                check_length(&input.name, &input.shape, size_of_val(*values))?;
            } else {
                check_length(&input.name, &input.shape.eval(bindings)?, size_of_val(*values))?;
            }
            views.push(bytemuck::cast_slice(values));
        }
        executable.run(views.as_slice())?;
        Ok(())
    }

    /// The first byte of the working memory of the last run.
    pub fn arena_ptr(&self) -> *const u8 {
        self.instances.last().map_or(std::ptr::null(), |i| i.1.arena().0)
    }

    /// Size of the working memory of the last run in bytes; parameters are not part of it.
    pub fn arena_bytes(&self) -> usize {
        self.instances.last().map_or(0, |i| i.1.arena().1)
    }

    /// The bytes of output `index` of the last run; none before the first run.
    pub fn output_bytes(&self, index: usize) -> &[u8] {
        self.instances.last().map_or(&[], |i| i.1.output(index))
    }

    fn output_f32(&self, index: usize) -> Vec<f32> {
        let (bytes, dtype) = (self.output_bytes(index), self.shared.signature.outputs[index].dtype());
        if dtype == DType::F32 {
            return to_f32s(bytes);
        }
        let shape = Shape::new(&[bytes.len() / dtype.size()], dtype);
        let literal = Literal::from_bytes(&shape, bytes).map(|l| l.convert(DType::F32));
        // INVARIANT: the shape was made from the number of bytes.
        literal.map_or_else(|_| Vec::new(), |l| to_f32s(l.bytes()))
    }

    fn check_idle(&self) -> Result<(), RuntimeError> {
        if self.pending.is_some() {
            return Err(RuntimeError::Pending("a background run is pending; call `sync_pending` first"));
        }
        Ok(())
    }

    /// Checks and converts the inputs and runs them.
    fn execute(
        &mut self,
        given: &[(&str, &[u8], DType)],
        conversion: Conversion,
    ) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let values = self.gather(given, conversion)?;
        let bindings = self.bindings_for(&values)?;
        self.instance(&bindings)?;
        self.check_params()?;
        let Some((_, executable)) = self.instances.last_mut() else { return Ok(()) };
        let views: Vec<&[u8]> = values
            .iter()
            .enumerate()
            .map(|(i, v)| v.as_deref().or_else(|| self.handles.get(i).map(Handle::bytes)).unwrap_or(&[]))
            .collect();
        executable.run(&views)?;
        self.feed_handles();
        Ok(())
    }

    /// One value an input, `None` where a handle holds it.
    fn gather<'a>(
        &self,
        given: &[(&str, &'a [u8], DType)],
        conversion: Conversion,
    ) -> Result<Vec<Option<Cow<'a, [u8]>>>, RuntimeError> {
        let signature = &self.shared.signature;
        let mut values: Vec<Option<Cow<'a, [u8]>>> = vec![None; signature.inputs.len()];
        for (name, bytes, dtype) in given {
            let index = signature.input(name)?;
            if values[index].is_some() {
                return Err(RuntimeError::DuplicateInput((*name).into()));
            }
            let declared = signature.inputs[index].shape.dtype();
            if bytes.len() % dtype.size() != 0 {
                let (name, bytes) = ((*name).into(), bytes.len());
                return Err(RuntimeError::PartialElement { name, bytes, dtype: *dtype });
            }
            values[index] = Some(match conversion {
                Conversion::FromF32 if declared != *dtype => Cow::Owned(converted(bytes, *dtype, declared)?),
                _ => {
                    check_dtype(name, declared, *dtype)?;
                    // Kernels read whole elements and take booleans as 0 or 1.
                    let aligned = bytes.as_ptr().align_offset(dtype.size().min(8)) == 0;
                    if aligned && *dtype != DType::Bool {
                        Cow::Borrowed(*bytes)
                    } else {
                        Cow::Owned(converted(bytes, *dtype, *dtype)?)
                    }
                }
            });
        }
        let missing: Vec<&str> = (0..values.len())
            .filter(|&i| values[i].is_none() && self.handles.get(i).is_none())
            .map(|i| signature.inputs[i].name.as_str())
            .collect();
        if missing.is_empty() { Ok(values) } else { Err(RuntimeError::MissingInputs(missing.join(", "))) }
    }

    fn bindings_for(&self, values: &[Option<Cow<'_, [u8]>>]) -> Result<Bindings, RuntimeError> {
        let inputs = &self.shared.signature.inputs;
        let length = |i: usize| {
            values[i].as_deref().or_else(|| self.handles.get(i).map(Handle::bytes)).map_or(0, <[u8]>::len)
        };
        let mut bindings = self.explicit.clone();
        if !self.shared.symbols.is_empty() {
            let lengths: Vec<(&Named, usize)> =
                inputs.iter().enumerate().map(|(i, n)| (n, length(i) / n.shape.dtype().size())).collect();
            bind_lengths(&mut bindings, &lengths, &self.shared.symbols)?;
        }
        for (i, input) in inputs.iter().enumerate() {
            check_length(&input.name, &input.shape.eval(&bindings)?, length(i))?;
        }
        Ok(bindings)
    }

    // ---- handles -------------------------------------------------------------------------------------------

    /// Keeps a value for input `name` between runs, which then need not be given it. If the name is `out{i}`, output i
    /// replaces the value after each run.
    pub fn set_handle(&mut self, name: &str, values: &[f32]) -> Result<(), RuntimeError> {
        self.set_handle_typed(name, bytemuck::cast_slice(values), DType::F32)
    }

    /// [`set_handle`](CompiledGraph::set_handle) for any element type.
    pub fn set_handle_typed(&mut self, name: &str, bytes: &[u8], dtype: DType) -> Result<(), RuntimeError> {
        let index = self.shared.signature.input(name)?;
        check_dtype(name, self.shared.signature.inputs[index].shape.dtype(), dtype)?;
        let fed_by = feeding_output(name).filter(|&o| o < self.shared.signature.outputs.len());
        if let Some(output) = fed_by {
            check_dtype(name, dtype, self.shared.signature.outputs[output].dtype())?;
        }
        if !bytes.len().is_multiple_of(dtype.size()) {
            return Err(RuntimeError::PartialElement { name: name.into(), bytes: bytes.len(), dtype });
        }
        self.handles.insert(index, Handle::new(bytes, fed_by));
        Ok(())
    }

    /// The bytes that a handle holds.
    pub fn handle(&self, name: &str) -> Result<&[u8], RuntimeError> {
        let index = self.shared.signature.input(name)?;
        self.handles.get(index).map(Handle::bytes).ok_or_else(|| self.no_handle(name))
    }

    /// Drops a handle; runs must give the input again.
    pub fn clear_handle(&mut self, name: &str) -> Result<(), RuntimeError> {
        let index = self.shared.signature.input(name)?;
        if self.handles.remove(index) { Ok(()) } else { Err(self.no_handle(name)) }
    }

    fn no_handle(&self, name: &str) -> RuntimeError {
        RuntimeError::UnknownName { what: "handle", name: name.into(), known: "see `set_handle`".into() }
    }

    fn feed_handles(&mut self) {
        let Some((_, executable)) = self.instances.last() else { return };
        for (_, handle) in self.handles.iter_mut() {
            if let Some(output) = handle.fed_by {
                handle.set(executable.output(output));
            }
        }
    }

    // ---- background runs -----------------------------------------------------------------------------------

    /// Starts a run in the background and returns at once. The inputs are copied.
    pub fn commit_no_wait(&mut self, inputs: &[(&str, &[f32])]) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, values)| (*name, bytemuck::cast_slice(values), DType::F32)).collect();
        let values = self.gather(&given, Conversion::FromF32)?;
        let bindings = self.bindings_for(&values)?;
        self.instance(&bindings)?;
        self.check_params()?;
        let copies = values.iter().enumerate().map(|(i, v)| {
            let bytes = v.as_deref().or_else(|| self.handles.get(i).map(Handle::bytes)).unwrap_or(&[]);
            let mut words = vec![0u64; bytes.len().div_ceil(8)];
            bytemuck::cast_slice_mut::<u64, u8>(&mut words)[..bytes.len()].copy_from_slice(bytes);
            (words, bytes.len())
        });
        let copies = copies.collect();
        let Some((bindings, executable)) = self.instances.pop() else { return Ok(()) };
        self.pending = Some(Pending::start(bindings, executable, copies)?);
        Ok(())
    }

    /// Waits for the run that [`commit_no_wait`](CompiledGraph::commit_no_wait) started and returns its outputs.
    pub fn sync_pending(&mut self) -> Result<Vec<Vec<f32>>, RuntimeError> {
        let pending = self.pending.take();
        let pending =
            pending.ok_or(RuntimeError::Pending("no background run is pending; call `commit_no_wait`"))?;
        let (bindings, executable, result) = pending.wait()?;
        self.instances.push((bindings, executable));
        result?;
        self.feed_handles();
        Ok((0..self.shared.signature.outputs.len()).map(|i| self.output_f32(i)).collect())
    }
}

impl Clone for CompiledGraph {
    fn clone(&self) -> Self {
        let instances = self.instances.iter().map(|(b, e)| (b.clone(), e.clone_box())).collect();
        CompiledGraph {
            shared: self.shared.clone(),
            instances,
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
