//! Runs a compiled graph: checks and converts inputs, binds sizes, returns outputs.

use super::CompiledGraph;
use crate::bind::{bind_lengths, bind_shape, check_bound};
use crate::error::RuntimeError;
use crate::inputs::{Conversion, ShortList, converted, to_f32s};
use crate::signature::{Named, check_dtype, check_length};
use crate::state::{Content, Place};
use rlx_compile::{BackendError, Budget};
use rlx_exec::{Arguments, Buffer, Queue, Value};
use rlx_ir::{Bindings, DType, Literal, Shape};
use std::borrow::Cow;

/// Where an output is after [`CompiledGraph::run_slots`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Offset from [`CompiledGraph::arena_ptr`] in bytes.
    pub offset: usize,
    /// Size in bytes.
    pub bytes: usize,
    /// Shape and element type.
    pub shape: Shape,
}

/// One value per input, `None` where a state buffer holds it.
pub(super) type Given<'a> = Vec<Option<Cow<'a, [u8]>>>;

impl CompiledGraph {
    /// Runs with inputs by name and returns one vector per output.
    ///
    /// # Panics
    /// Panics with the full message if [`try_run`](CompiledGraph::try_run) fails.
    pub fn run(&mut self, inputs: &[(&str, &[f32])]) -> Vec<Vec<f32>> {
        self.try_run(inputs).unwrap_or_else(|e| panic!("{e}"))
    }

    /// Runs with f32 inputs by name, which are converted to their declared element types, and returns each output converted to f32.
    /// Symbolic dimensions get their sizes from the inputs' lengths where those determine them.
    pub fn try_run(&mut self, inputs: &[(&str, &[f32])]) -> Result<Vec<Vec<f32>>, RuntimeError> {
        let given: Vec<(&str, &[u8], DType)> =
            inputs.iter().map(|(name, values)| (*name, bytemuck::cast_slice(values), DType::F32)).collect();
        self.execute(&given, Conversion::FromF32)?;
        self.outputs_f32()
    }

    /// Runs with inputs by name as little-endian bytes of their declared element types; returns each output's bytes
    /// and element type.
    pub fn run_typed(
        &mut self,
        inputs: &[(&str, &[u8], DType)],
    ) -> Result<Vec<(Vec<u8>, DType)>, RuntimeError> {
        self.execute(inputs, Conversion::None)?;
        self.check_copies(DType::size)?;
        let outputs = self.shared.signature.outputs.iter().enumerate();
        outputs.map(|(i, shape)| Ok((self.try_output_bytes(i)?.to_vec(), shape.dtype()))).collect()
    }

    /// Runs with inputs by name as little-endian bytes of their declared element types. The outputs are not copied: read them with
    /// [`output_bytes`](CompiledGraph::output_bytes).
    pub fn run_kept(&mut self, inputs: &[(&str, &[u8], DType)]) -> Result<(), RuntimeError> {
        self.execute(inputs, Conversion::None)
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
        self.execute_at(Some(&bindings), &given, Conversion::None)?;
        self.check_copies(DType::size)?;
        let outputs = self.shared.signature.outputs.iter().enumerate();
        let literal = |(i, shape): (usize, &Shape)| {
            Ok(Literal::from_bytes(&shape.eval(&self.bindings)?, self.try_output_bytes(i)?)?)
        };
        outputs.map(literal).collect()
    }

    /// Runs with values by name in buffers, on the host or on the device, and returns the outputs as buffers. They stay on the device, and
    /// can be inputs of the next run without a copy to the host.
    pub fn run_buffers(&mut self, inputs: &[(&str, &Buffer)]) -> Result<Vec<Buffer>, RuntimeError> {
        self.check_idle()?;
        let mut given: Vec<Option<&Buffer>> = vec![None; self.shared.signature.inputs.len()];
        for (name, buffer) in inputs {
            let index = self.shared.signature.input(name)?;
            if given[index].replace(*buffer).is_some() {
                return Err(RuntimeError::DuplicateInput((*name).into()));
            }
        }
        let has = |i: usize| given[i].is_some();
        self.check_given(has)?;
        let bindings = self.bindings_for(None, |i| given[i].map(Buffer::num_bytes))?;
        self.bind(&bindings)?;
        self.check_params(&bindings)?;
        for (input, buffer) in given.iter().enumerate() {
            if let (Some(buffer), true) = (buffer, self.states.is_aliased(input)) {
                let mut copy = vec![0; buffer.num_bytes()];
                buffer.read(&mut copy)?;
                self.states.set(input, None, &copy)?;
            }
        }
        let ran = self.launch(|i| given[i].map(Value::Buffer), &mut [])?;
        self.finish_run(ran)?;
        (0..self.shared.signature.outputs.len())
            .map(|output| match self.states.updated_by(output) {
                Some(buffer) => Ok(buffer.clone()),
                None => {
                    let mut buffer = Buffer::from_bytes(&[])?;
                    self.executable()?.store_output(output, &mut buffer)?;
                    Ok(buffer)
                }
            })
            .collect()
    }

    /// Runs with f32 inputs in order, and returns the offsets of the outputs from [`arena_ptr`](CompiledGraph::arena_ptr). Nothing is
    /// copied, and after the first run with these sizes, nothing is allocated except the returned list.
    ///
    /// # Errors
    /// Fails if the graph has an output that updates a state buffer in place: that output is not in the arena. Read it with
    /// [`output_bytes`](CompiledGraph::output_bytes).
    pub fn run_slots(&mut self, inputs: &[&[f32]]) -> Result<Vec<Slot>, RuntimeError> {
        self.run_in_place(inputs)?;
        self.executable_mut()?.fetch()?;
        let outputs = self.shared.signature.outputs.iter().enumerate();
        let slot = |(i, shape): (usize, &Shape)| {
            let outside =
                || BackendError::Argument(format!("output {i} is in a state buffer, not in the arena"));
            let offset = self.executable()?.output_offset(i).ok_or_else(outside)?;
            Ok(Slot { offset, bytes: self.try_output_bytes(i)?.len(), shape: shape.eval(&self.bindings)? })
        };
        outputs.map(slot).collect()
    }

    /// Runs with f32 inputs in order. The outputs stay in the working memory: read them with [`output_bytes`](CompiledGraph::output_bytes).
    /// A run with the same sizes as the previous one allocates nothing.
    pub fn run_in_place(&mut self, inputs: &[&[f32]]) -> Result<(), RuntimeError> {
        for (named, values) in self.shared.signature.inputs.iter().zip(inputs) {
            // Empty inputs mean state, of any type; all others must be f32.
            if !values.is_empty() {
                check_dtype(&named.name, named.shape.dtype(), DType::F32)?;
            }
        }
        let mut views = ShortList::of(inputs.iter().map(|values| bytemuck::cast_slice(values)), || &[][..]);
        self.run_positional(views.as_mut_slice(), &mut [])
    }

    /// Runs with the bytes of the inputs in order, each of its declared element type and aligned to it, and writes each output to the
    /// caller's memory, which must have exactly its size. An empty input means the state that it reads. Programs compute outputs in the
    /// caller's memory, without a copy; only outputs that update a state buffer are copied. A run with the same sizes as the previous one
    /// allocates nothing.
    pub fn run_into(&mut self, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) -> Result<(), RuntimeError> {
        let expected = self.shared.signature.outputs.len();
        if outputs.len() != expected {
            let got = outputs.len();
            return Err(BackendError::Argument(format!("the graph has {expected} outputs, got {got}")).into());
        }
        let mut views = ShortList::of(inputs.iter().copied(), || &[][..]);
        self.run_positional(views.as_mut_slice(), outputs)
    }

    /// Runs with inputs in order, without names or conversions.
    fn run_positional(
        &mut self,
        inputs: &mut [&[u8]],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let known = self.checked.as_ref();
        let is_known =
            known.is_some_and(|lengths| lengths.iter().copied().eq(inputs.iter().map(|v| v.len())));
        if !is_known || self.states.any_lost() {
            self.check_positional(inputs)?;
        }
        let is_set = |(input, bytes): (usize, &&[u8])| self.states.is_aliased(input) && !bytes.is_empty();
        let is_fed = |output| self.states.fed_by(output).is_some();
        if inputs.iter().enumerate().any(is_set) || (0..outputs.len()).any(is_fed) {
            // A refused run must leave the state unchanged, so everything that can be refused is checked first.
            self.check_places(outputs)?;
        }
        for (input, bytes) in inputs.iter().enumerate() {
            if self.states.is_aliased(input) && !bytes.is_empty() {
                self.states.set(input, None, bytes)?;
            }
        }
        let ran = {
            // The next value of a state is copied from the state buffer.
            let (updating, states) = (&self.shared.updating, &self.states);
            let wanted = outputs.iter_mut().enumerate().map(|(output, place)| {
                let is_state = updating[output] || states.fed_by(output).is_some();
                (!is_state).then_some(&mut **place)
            });
            let mut wanted = ShortList::of(wanted, || None);
            let given = |i: usize| (!inputs[i].is_empty()).then_some(Value::Host(inputs[i]));
            self.launch(given, wanted.as_mut_slice())?
        };
        let ran = ran.and_then(|()| self.wait_for_run());
        self.finish_run(ran)?;
        for (output, place) in outputs.iter_mut().enumerate() {
            if let Some(buffer) = self.states.updated_by(output).or_else(|| self.states.fed_by(output)) {
                buffer.read(place)?;
            }
        }
        Ok(())
    }

    /// Checks inputs in order, and binds the sizes that they determine.
    fn check_positional(&mut self, inputs: &[&[u8]]) -> Result<(), RuntimeError> {
        let expected = self.shared.signature.inputs.len();
        if inputs.len() != expected {
            return Err(RuntimeError::InputCount { expected, got: inputs.len() });
        }
        let given =
            |i: usize| (!inputs[i].is_empty() || self.states.get(i).is_none()).then_some(inputs[i].len());
        self.check_given(|i| given(i).is_some())?;
        let bindings = self.bindings_for(None, given)?;
        self.bind(&bindings)?;
        self.check_params(&bindings)?;
        self.checked = Some(inputs.iter().map(|bytes| bytes.len()).collect());
        Ok(())
    }

    /// Returns a pointer to the first byte of the working memory of the last run.
    pub fn arena_ptr(&self) -> *const u8 {
        self.executable.as_ref().map_or(std::ptr::null(), |executable| executable.arena().0)
    }

    /// Returns the size in bytes of the working memory, which runs of all sizes share. Parameters and state are not part of it.
    pub fn arena_bytes(&self) -> usize {
        self.executable.as_ref().map_or(0, |executable| executable.arena().1)
    }

    /// Returns the bytes of output `index` of the last run. The slice is empty before the first run, if the graph has no such output, and
    /// whenever [`try_output_bytes`](CompiledGraph::try_output_bytes) fails. Never panics.
    pub fn output_bytes(&self, index: usize) -> &[u8] {
        self.try_output_bytes(index).unwrap_or_default()
    }

    /// Returns the bytes of output `index` of the last run, downloaded if it is on a device. The slice is empty before the first run.
    ///
    /// # Errors
    /// Returns [`RuntimeError::UnknownOutput`] if the graph has no such output, and [`RuntimeError::Backend`] if the download fails.
    pub fn try_output_bytes(&self, index: usize) -> Result<&[u8], RuntimeError> {
        let count = self.shared.signature.outputs.len();
        if index >= count {
            return Err(RuntimeError::UnknownOutput { index, count });
        }
        match self.states.updated_by(index).and_then(Buffer::host) {
            Some(bytes) => Ok(bytes),
            None => Ok(self.executable()?.output(index)?),
        }
    }

    /// Fails if copies of all outputs of the last run, with the given number of bytes per element of a type, do not fit into the memory
    /// limit together with the working memory.
    fn check_copies(&self, element_bytes: impl Fn(DType) -> usize) -> Result<(), RuntimeError> {
        let mut bytes = 0usize;
        for (i, shape) in self.shared.signature.outputs.iter().enumerate() {
            let elements = self.try_output_bytes(i)?.len() / shape.dtype().size();
            bytes = bytes.saturating_add(elements.saturating_mul(element_bytes(shape.dtype())));
        }
        let budget = Budget::of(&self.shared.options);
        budget.take(self.arena_bytes(), || "the working memory".into())?;
        Ok(budget.check(bytes, || "copying the outputs".into())?)
    }

    /// Returns each output of the last run converted to f32.
    pub(super) fn outputs_f32(&self) -> Result<Vec<Vec<f32>>, RuntimeError> {
        // Outputs of other types are copied before they are converted.
        self.check_copies(|dtype| {
            DType::F32.size() + if dtype == DType::F32 { 0 } else { DType::F32.size() + dtype.size() }
        })?;
        let one = |(i, shape): (usize, &Shape)| {
            let (bytes, dtype) = (self.try_output_bytes(i)?, shape.dtype());
            if dtype == DType::F32 {
                return Ok(to_f32s(bytes));
            }
            let flat = Shape::new(&[bytes.len() / dtype.size()], dtype);
            Ok(to_f32s(Literal::from_bytes(&flat, bytes)?.convert(DType::F32).bytes()))
        };
        self.shared.signature.outputs.iter().enumerate().map(one).collect()
    }

    pub(super) fn check_idle(&self) -> Result<(), RuntimeError> {
        self.check_process()?;
        if self.pending.is_some() {
            return Err(RuntimeError::Pending("a background run is pending; call `sync_pending` first"));
        }
        Ok(())
    }

    /// Checks and converts the inputs, and runs the program with them.
    fn execute(
        &mut self,
        given: &[(&str, &[u8], DType)],
        conversion: Conversion,
    ) -> Result<(), RuntimeError> {
        self.execute_at(None, given, conversion)
    }

    /// Like [`execute`](Self::execute), but with the sizes in `explicit`, if given, in place of those of `bind_dims`.
    fn execute_at(
        &mut self,
        explicit: Option<&Bindings>,
        given: &[(&str, &[u8], DType)],
        conversion: Conversion,
    ) -> Result<(), RuntimeError> {
        self.check_idle()?;
        let values = self.gather(given, conversion)?;
        self.prepare_run(explicit, &values)?;
        self.start(&values)?;
        let ran = self.wait_for_run();
        self.finish_run(ran)
    }

    /// Binds the sizes of a run, checks everything that it needs, and stores inputs that are state.
    pub(super) fn prepare_run(
        &mut self,
        explicit: Option<&Bindings>,
        values: &Given<'_>,
    ) -> Result<(), RuntimeError> {
        let bindings = self.bindings_for(explicit, |i| values[i].as_deref().map(<[u8]>::len))?;
        self.bind(&bindings)?;
        self.check_params(&bindings)?;
        for (input, value) in values.iter().enumerate() {
            if let (Some(bytes), true) = (value, self.states.is_aliased(input)) {
                self.states.set(input, None, bytes)?;
            }
        }
        Ok(())
    }

    /// Fails if the caller's memory for an output does not have its size.
    fn check_places(&self, outputs: &[&mut [u8]]) -> Result<(), RuntimeError> {
        for (i, (shape, place)) in self.shared.signature.outputs.iter().zip(outputs).enumerate() {
            let (shape, got) = (shape.eval(&self.bindings)?, place.len());
            if shape.num_bytes() != Some(got) {
                return Err(BackendError::Argument(format!(
                    "output {i} is {shape}, got memory of {got} bytes"
                ))
                .into());
            }
        }
        Ok(())
    }

    /// Waits for other work on the queue, which a run on this thread would otherwise overtake.
    fn wait_in_order(&self) -> Result<(), RuntimeError> {
        Ok(self.queue.host().map_or(Ok(()), |queue| queue.wait())?)
    }

    /// Runs the program, or starts a run, which `wait` completes: all runs on the calling thread come here. `given` returns the caller's
    /// value of an input, and `outputs` are the places for outputs. The state counts as lost until [`finish_run`](Self::finish_run).
    fn launch<'v>(
        &mut self,
        given: impl Fn(usize) -> Option<Value<'v>>,
        outputs: &mut [Option<&mut [u8]>],
    ) -> Result<Result<(), BackendError>, RuntimeError> {
        self.wait_in_order()?;
        let places = (0..self.shared.signature.inputs.len()).map(|i| self.states.place(i));
        let mut places = ShortList::of(places, || Place::Given);
        let Some(program) = &mut self.executable else { return Err(self.no_program()) };
        let (state, fed) = self.states.begin();
        let values = places.as_mut_slice().iter().enumerate().map(|(i, place)| place.value(given(i), fed));
        let mut values = ShortList::of(values, || Value::Host(&[]));
        Ok(program.run(Arguments { inputs: values.as_mut_slice(), state, outputs }))
    }

    /// Waits for the run that was launched.
    fn wait_for_run(&mut self) -> Result<(), BackendError> {
        let program = self.executable.as_mut();
        program.map_or(Ok(()), |program| program.wait()).map_err(|error| error.after_begin("run"))
    }

    /// Launches a run on values by the numbers of their inputs.
    pub(super) fn start(&mut self, values: &Given<'_>) -> Result<(), RuntimeError> {
        let ran = self.launch(|i| values[i].as_deref().map(Value::Host), &mut [])?;
        if ran.is_ok() { Ok(()) } else { self.finish_run(ran) }
    }

    /// Updates the state after a run. If a run panics and this is never called, the state that it updates is lost.
    pub(super) fn finish_run(&mut self, ran: Result<(), BackendError>) -> Result<(), RuntimeError> {
        match &ran {
            Ok(()) => {
                self.states.updated();
                let CompiledGraph { executable, states, checked, .. } = self;
                if let Some(executable) = executable {
                    states.feed(|output, buffer| {
                        let bytes = buffer.num_bytes();
                        let stored = executable.store_output(output, buffer);
                        // The next run may have other sizes even with the same inputs.
                        if buffer.num_bytes() != bytes {
                            *checked = None;
                        }
                        stored
                    })?;
                }
            }
            Err(error) if error.is_refusal() => self.states.refused(),
            Err(_) => {}
        }
        Ok(ran?)
    }

    /// Returns one value per input, `None` for those in a state buffer.
    pub(super) fn gather<'a>(
        &self,
        given: &[(&str, &'a [u8], DType)],
        conversion: Conversion,
    ) -> Result<Given<'a>, RuntimeError> {
        let signature = &self.shared.signature;
        let mut values: Given<'a> = vec![None; signature.inputs.len()];
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
                    // Kernels read whole elements, and expect booleans to be 0 or 1.
                    let aligned = bytes.as_ptr().align_offset(dtype.size().min(8)) == 0;
                    if aligned && *dtype != DType::Bool {
                        Cow::Borrowed(*bytes)
                    } else {
                        Cow::Owned(converted(bytes, *dtype, *dtype)?)
                    }
                }
            });
        }
        self.check_given(|i| values[i].is_some())?;
        Ok(values)
    }

    /// Fails unless each input is given or has a state.
    fn check_given(&self, given: impl Fn(usize) -> bool) -> Result<(), RuntimeError> {
        let mut missing = Vec::new();
        for input in 0..self.shared.signature.inputs.len() {
            match self.states.get(input) {
                _ if given(input) => {}
                None => missing.push(self.input_name(input)),
                Some((state, _)) if state.content == Content::Lost => {
                    return Err(RuntimeError::StateLost(self.input_name(input).into()));
                }
                Some(_) => {}
            }
        }
        if missing.is_empty() { Ok(()) } else { Err(RuntimeError::MissingInputs(missing.join(", "))) }
    }

    /// Returns the sizes of a run, from the bytes of each given input and of the state of the others.
    fn bindings_for(
        &self,
        explicit: Option<&Bindings>,
        given: impl Fn(usize) -> Option<usize>,
    ) -> Result<Bindings, RuntimeError> {
        let inputs = &self.shared.signature.inputs;
        let length =
            |i: usize| given(i).unwrap_or_else(|| self.states.get(i).map_or(0, |(_, b)| b.num_bytes()));
        let mut bindings = explicit.unwrap_or(&self.explicit).clone();
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
}
