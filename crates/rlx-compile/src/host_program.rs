//! Executables of static programs whose values cross to the device as bytes in host memory. This module checks
//! what a run is given, brings it to the program, and puts results where they are wanted: it owns all of an
//! executable but its program.

use crate::backend::{Arguments, BackendError, Executable, Value};
use crate::budget::Budget;
use crate::buffer::{self, Buffer, HostBuffer};
use crate::device_outputs::{DeviceOutput, OutputPlaces};
use crate::lowered::{BindError, Lowered};
use crate::param::Param;
use crate::queue::Queue;
use rlx_ir::{Bindings, Shape};
use std::any::Any;
use std::sync::Arc;

/// A static program on bytes in host memory.
pub trait HostProgram: Send + Sync + 'static {
    /// Another instance with the same parameters, whose runs are put on `queue`.
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Self;

    /// Sets parameter `index`, in graph order.
    fn set_param(&mut self, index: usize, value: Param);

    /// Does what a first run would do before it runs, as far as the parameters are set.
    fn prepack(&mut self) -> Result<(), BackendError> {
        Ok(())
    }

    /// The numbers of the alias pairs whose states the program keeps where it likes, in buffers of its own kind; ascending.
    fn kept(&self) -> &[usize] {
        &[]
    }

    /// Runs on one value per input, in graph order, and writes one per output; lengths have been checked. `kept` has the buffers of the states that
    /// the program [keeps](HostProgram::kept), each of which is to hold the next value after the run. They come in as the program left them or
    /// from elsewhere, on the host or not, and may be shared. Their inputs and outputs are empty.
    fn run(
        &mut self,
        inputs: &[&[u8]],
        kept: &mut [Buffer],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), BackendError>;

    /// How it runs, in lines of text.
    fn describe(&self) -> String;
}

/// An input or output of the graph.
struct BorderSlot {
    shape: Shape,
    bytes: usize,
}

/// What all clones share.
struct Border {
    lowered: Lowered,
    inputs: Vec<BorderSlot>,
    outputs: Vec<BorderSlot>,
    /// For each output the alias pair that it updates.
    pairs: Vec<Option<usize>>,
    /// The alias pairs whose states the program keeps.
    kept: Vec<usize>,
    /// Where outputs lie in the arena: those that are no states.
    places: OutputPlaces,
}

/// The executable of a [`HostProgram`].
pub struct HostExecutable<P> {
    border: Arc<Border>,
    program: P,
    /// The outputs of the last run that were not written elsewhere.
    arena: Option<HostBuffer>,
    /// For each alias pair memory for the next value.
    next: Vec<HostBuffer>,
    /// For each output whether the last run left it in the arena.
    inside: Vec<bool>,
    /// The states that the last run left on the device, by their outputs. The next run lets go of them first: what a program keeps it
    /// changes in place where nobody else holds it.
    left: Vec<(usize, DeviceOutput)>,
}

impl<P: HostProgram> HostExecutable<P> {
    /// The executable of a program for a lowered graph of static sizes.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] where a size is a symbol, and [`BackendError::MemoryLimit`] where the outputs need more memory than
    /// programs may plan for.
    pub fn new(lowered: &Lowered, program: P) -> Result<HostExecutable<P>, BackendError> {
        if !lowered.is_static() {
            let symbols: Vec<String> = lowered.graph().symbols().iter().map(|s| format!("`{s}`")).collect();
            let message =
                format!("programs of this device have fixed sizes; without one: {}", symbols.join(", "));
            return Err(BackendError::Unsupported(message));
        }
        let too_large = || BackendError::Unsupported("a value has more bytes than there can be".into());
        let graph = lowered.graph();
        let mut pairs = vec![None; graph.outputs().len()];
        for (pair, alias) in lowered.aliases().iter().enumerate() {
            pairs[alias.output] = Some(pair);
        }
        let shapes = graph.output_shapes();
        let places = OutputPlaces::new(&shapes, |index| pairs[index].is_some())?;
        Budget::of(lowered.options()).take(places.total_bytes(), || "what the program gives".into())?;
        let slot = |shape: &Shape| Some(BorderSlot { shape: shape.clone(), bytes: shape.num_bytes()? });
        let outputs = shapes.iter().map(slot).collect::<Option<_>>().ok_or_else(too_large)?;
        let inputs = graph.inputs().map(|node| slot(node.shape())).collect::<Option<_>>();
        let inputs = inputs.ok_or_else(too_large)?;
        let kept = program.kept().to_vec();
        let border = Border { lowered: lowered.clone(), inputs, outputs, pairs, kept, places };
        Ok(Self::instance(Arc::new(border), program))
    }

    fn instance(border: Arc<Border>, program: P) -> HostExecutable<P> {
        let inside = vec![false; border.outputs.len()];
        HostExecutable { border, program, arena: None, next: Vec::new(), inside, left: Vec::new() }
    }

    /// The program.
    pub fn program(&self) -> &P {
        &self.program
    }
}

impl Border {
    /// Fails unless the arguments are what the program takes.
    fn check(&self, arguments: &Arguments<'_, '_>) -> Result<(), BackendError> {
        arguments.check_counts(self.inputs.len(), self.lowered.aliases().len(), self.outputs.len())?;
        let wrong = |what: &str, index: usize, slot: &BorderSlot, got: usize| {
            let (shape, bytes) = (&slot.shape, slot.bytes);
            BackendError::Argument(format!("{what} {index} is {shape}, which has {bytes} bytes; got {got}"))
        };
        for (index, (slot, value)) in self.inputs.iter().zip(arguments.inputs).enumerate() {
            let got = match value {
                Value::Host(bytes) => bytes.len(),
                Value::Buffer(buffer) => buffer.num_bytes(),
                Value::State(pair) => arguments.state.get(*pair).map_or(0, Buffer::num_bytes),
            };
            if got != slot.bytes {
                return Err(wrong("input", index, slot, got));
            }
        }
        for (index, (slot, place)) in self.outputs.iter().zip(&*arguments.outputs).enumerate() {
            if let Some(place) = place.as_ref().filter(|place| place.len() != slot.bytes) {
                return Err(wrong("output", index, slot, place.len()));
            }
        }
        Ok(())
    }

    /// The alias pair of an input whose state the program keeps.
    fn kept_of(&self, input: usize) -> Option<usize> {
        self.kept.iter().copied().find(|&pair| self.lowered.aliases()[pair].input == input)
    }

    /// The values of inputs that are not where the program reads them, brought there.
    fn copies(
        &self,
        inputs: &[Value<'_>],
        state: &[Buffer],
    ) -> Result<Vec<Option<HostBuffer>>, BackendError> {
        let copy = |(index, value): (usize, &Value<'_>)| match value {
            _ if self.kept_of(index).is_some() => Ok(None),
            // What a program keeps is its own while it runs.
            Value::State(pair) if self.kept.contains(pair) => {
                let mut bytes = HostBuffer::zeroed(state[*pair].num_bytes())?;
                state[*pair].read(&mut bytes)?;
                Ok(Some(bytes))
            }
            value => downloaded(value, state),
        };
        inputs.iter().enumerate().map(copy).collect()
    }

    /// Takes the states that the program keeps out of those of a run.
    fn take_kept(&self, inputs: &[Value<'_>], state: &mut [Buffer]) -> Result<Vec<Buffer>, BackendError> {
        for &pair in &self.kept {
            // What is given in place of a state is its value.
            match inputs[self.lowered.aliases()[pair].input] {
                Value::Host(bytes) => state[pair].write(bytes)?,
                Value::Buffer(buffer) => state[pair] = buffer.clone(),
                Value::State(of) if of != pair => state[pair] = state[of].clone(),
                Value::State(_) => {}
            }
        }
        let empty = || Ok(Buffer::Host(HostBuffer::zeroed(0)?));
        let mut kept: Vec<Buffer> = self.kept.iter().map(|_| empty()).collect::<Result<_, BackendError>>()?;
        self.swap_kept(&mut kept, state);
        Ok(kept)
    }

    fn swap_kept(&self, kept: &mut [Buffer], state: &mut [Buffer]) {
        self.kept.iter().zip(kept).for_each(|(&pair, kept)| std::mem::swap(&mut state[pair], kept));
    }
}

/// The value of an input where it lies on a device, brought to the host.
fn downloaded(value: &Value<'_>, state: &[Buffer]) -> Result<Option<HostBuffer>, BackendError> {
    let buffer = match value {
        Value::Host(_) => None,
        Value::Buffer(buffer) => Some(*buffer),
        Value::State(pair) => state.get(*pair),
    };
    let Some(Buffer::Device(device)) = buffer else { return Ok(None) };
    buffer::downloaded(&**device).map(Some)
}

impl<P: HostProgram> Executable for HostExecutable<P> {
    fn clone_on(&self, queue: &Arc<dyn Queue>) -> Box<dyn Executable> {
        Box::new(Self::instance(self.border.clone(), self.program.clone_on(queue)))
    }

    fn set_param(&mut self, index: usize, value: Param) {
        self.program.set_param(index, value);
    }

    /// The program is static: it is the same at all sizes.
    fn bind(&mut self, _: &Bindings) -> Result<(), BindError> {
        Ok(())
    }

    fn prepack(&mut self) -> Result<(), BackendError> {
        self.program.prepack()
    }

    fn run(&mut self, arguments: Arguments<'_, '_>) -> Result<(), BackendError> {
        let border = self.border.clone();
        border.check(&arguments)?;
        self.left.clear();
        let Arguments { inputs, state, outputs } = arguments;
        let copies = border.copies(inputs, state)?;
        let arena = match &mut self.arena {
            Some(arena) => arena,
            none => none.insert(HostBuffer::zeroed(border.places.total_bytes())?),
        };
        for alias in border.lowered.aliases().iter().skip(self.next.len()) {
            let is_kept = border.kept.contains(&self.next.len());
            let bytes = if is_kept { 0 } else { border.outputs[alias.output].bytes };
            self.next.push(HostBuffer::zeroed(bytes)?);
        }
        let mut kept = border.take_kept(inputs, state)?;
        let result = {
            let given: Vec<&[u8]> = inputs
                .iter()
                .zip(&copies)
                .enumerate()
                .map(|(index, (value, copy))| match (value, copy) {
                    (_, Some(copy)) => &copy[..],
                    (_, None) if border.kept_of(index).is_some() => &[],
                    (Value::Host(bytes), None) => bytes,
                    (Value::Buffer(buffer), None) => buffer.host().unwrap_or_default(),
                    (Value::State(pair), None) => state[*pair].host().unwrap_or_default(),
                })
                .collect();
            let mut places: Vec<&mut [u8]> = Vec::with_capacity(border.outputs.len());
            let mut next: Vec<Option<&mut HostBuffer>> = self.next.iter_mut().map(Some).collect();
            let (mut left, mut at) = (&mut arena[..], 0);
            let mut wanted = outputs.iter_mut();
            for (index, slot) in border.outputs.iter().enumerate() {
                let place = wanted.next().and_then(Option::as_deref_mut);
                let pair = border.pairs[index];
                self.inside[index] = place.is_none() && pair.is_none();
                match (pair.and_then(|pair| next[pair].take()), place) {
                    (Some(next), _) => places.push(&mut next[..]),
                    (None, Some(place)) => places.push(place),
                    (None, None) => {
                        let offset = border.places.offset(index).unwrap_or(at);
                        let (_, rest) = std::mem::take(&mut left).split_at_mut(offset - at);
                        let (place, rest) = rest.split_at_mut(slot.bytes);
                        (left, at) = (rest, offset + slot.bytes);
                        places.push(place);
                    }
                }
            }
            self.program.run(&given, &mut kept, &mut places)
        };
        border.swap_kept(&mut kept, state);
        result?;
        let begun = |error: BackendError| error.after_begin("program");
        for (pair, (alias, next)) in border.lowered.aliases().iter().zip(&mut self.next).enumerate() {
            if border.kept.contains(&pair) {
                if let Some(Some(place)) = outputs.get_mut(alias.output) {
                    state[pair].read(place).map_err(begun)?;
                }
                if let Buffer::Device(buffer) = &state[pair] {
                    self.left.push((alias.output, DeviceOutput::new(buffer.clone())));
                }
                continue;
            }
            if let Some(Some(place)) = outputs.get_mut(alias.output) {
                place.copy_from_slice(next);
            }
            std::mem::swap(state[pair].host_mut().map_err(begun)?, next);
        }
        Ok(())
    }

    fn output(&self, index: usize) -> Result<&[u8], BackendError> {
        if let Some((_, left)) = self.left.iter().find(|(output, _)| *output == index) {
            return left.bytes();
        }
        let places = &self.border.places;
        let (Some(true), Some(offset), Some(arena)) =
            (self.inside.get(index), places.offset(index), &self.arena)
        else {
            return Ok(&[]);
        };
        Ok(&arena[offset..offset + places.bytes(index)])
    }

    fn arena(&self) -> (*const u8, usize) {
        self.arena.as_ref().map_or((std::ptr::null(), 0), |arena| (arena.as_ptr(), arena.len()))
    }

    fn output_offset(&self, index: usize) -> Option<usize> {
        self.border.places.offset(index)
    }

    fn describe(&self) -> String {
        self.program.describe()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
