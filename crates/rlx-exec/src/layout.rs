//! The inputs, parameters and outputs of a program at certain sizes, the places of outputs, and the checks before a run.

use crate::buffer::{Buffer, LINE};
use crate::executable::{Arguments, Value};
use rlx_compile::{Alias, BackendError, Param, Program};
use rlx_ir::{Graph, Shape};

/// An input, parameter or output of a program.
#[derive(Clone, Debug)]
struct Slot {
    shape: Shape,
    bytes: usize,
}

/// An output.
#[derive(Clone, Debug)]
struct OutputSlot {
    slot: Slot,
    /// Its offset in the working memory; `None` if it is elsewhere.
    offset: Option<usize>,
    /// The alias pair of the state that it updates.
    pair: Option<usize>,
}

/// The shapes of inputs, parameters and outputs at certain sizes, and the places of outputs in the working memory on the host.
#[derive(Clone, Debug)]
pub struct ProgramLayout {
    inputs: Vec<Slot>,
    /// For each input, the alias pair of the state that it reads.
    pairs: Vec<Option<usize>>,
    num_pairs: usize,
    params: Vec<Slot>,
    outputs: Vec<OutputSlot>,
    memory_bytes: usize,
}

impl Slot {
    fn of(shape: &Shape) -> Result<Slot, BackendError> {
        let bytes = shape.num_bytes().ok_or_else(|| no_size(shape))?;
        Ok(Slot { shape: shape.clone(), bytes })
    }

    /// Fails unless `bytes` has the length of the shape and, for engines that read it `in_place`, is aligned to the shape's elements.
    fn check(&self, what: impl Fn() -> String, bytes: &[u8], in_place: bool) -> Result<(), BackendError> {
        self.check_len(&what, bytes.len())?;
        let alignment = self.shape.dtype().size().min(8);
        if in_place && !bytes.is_empty() && bytes.as_ptr().align_offset(alignment) != 0 {
            return Err(BackendError::Argument(format!("{} must be aligned to {alignment} bytes", what())));
        }
        Ok(())
    }

    fn check_len(&self, what: impl Fn() -> String, got: usize) -> Result<(), BackendError> {
        if got == self.bytes {
            return Ok(());
        }
        let Slot { shape, bytes } = self;
        Err(BackendError::Argument(format!("{} is {shape}, which has {bytes} bytes; got {got}", what())))
    }
}

fn no_size(shape: &Shape) -> BackendError {
    BackendError::Unsupported(format!("{shape} has no static size, or more bytes than can be addressed"))
}

impl ProgramLayout {
    /// Returns the layout of a program with a memory plan.
    ///
    /// # Errors
    /// Returns [`BackendError::Unsupported`] if a value has more bytes than can be addressed.
    pub fn planned(program: &Program) -> Result<ProgramLayout, BackendError> {
        let graph = program.graph();
        let shape = |id| program.bound().node(id).shape();
        let inputs: Vec<&Shape> = graph.inputs().map(|node| shape(node.id())).collect();
        let params: Vec<&Shape> = graph.params().map(|node| shape(node.id())).collect();
        let outputs = (0..program.outputs.len()).map(|index| program.output_shape(index));
        let mut layout = ProgramLayout::new(&inputs, &params, outputs, program.aliases())?;
        for (output, offset) in layout.outputs.iter_mut().zip(&program.output_offsets) {
            output.offset = *offset;
        }
        layout.memory_bytes = program.arena_bytes;
        Ok(layout)
    }

    /// Returns the layout of a graph with static sizes. Outputs follow one another, each at the start of a cache line. With
    /// `states_elsewhere`, outputs that update states have no place.
    ///
    /// # Errors
    /// Returns [`BackendError::Unsupported`] if a shape has a symbol, or values have more bytes than can be addressed.
    pub fn of_graph(
        graph: &Graph,
        aliases: &[Alias],
        states_elsewhere: bool,
    ) -> Result<ProgramLayout, BackendError> {
        let inputs: Vec<&Shape> = graph.inputs().map(|node| node.shape()).collect();
        let params: Vec<&Shape> = graph.params().map(|node| node.shape()).collect();
        let shapes = graph.output_shapes();
        let mut layout = ProgramLayout::new(&inputs, &params, shapes.iter(), aliases)?;
        for OutputSlot { slot, offset, pair } in &mut layout.outputs {
            if states_elsewhere && pair.is_some() {
                continue;
            }
            *offset = Some(layout.memory_bytes);
            let next = slot.bytes.checked_next_multiple_of(LINE);
            let next = next.and_then(|bytes| layout.memory_bytes.checked_add(bytes));
            layout.memory_bytes = next.ok_or_else(|| no_size(&slot.shape))?;
        }
        Ok(layout)
    }

    fn new<'s>(
        inputs: &[&Shape],
        params: &[&Shape],
        outputs: impl Iterator<Item = &'s Shape>,
        aliases: &[Alias],
    ) -> Result<ProgramLayout, BackendError> {
        let slots = |shapes: &[&Shape]| shapes.iter().map(|shape| Slot::of(shape)).collect::<Result<_, _>>();
        let outputs =
            outputs.map(|shape| Ok(OutputSlot { slot: Slot::of(shape)?, offset: None, pair: None }));
        let mut outputs = outputs.collect::<Result<Vec<_>, BackendError>>()?;
        let mut pairs = vec![None; inputs.len()];
        for (pair, alias) in aliases.iter().enumerate() {
            // INVARIANT: the pairs of a lowered graph name existing inputs and outputs.
            (pairs[alias.input], outputs[alias.output].pair) = (Some(pair), Some(pair));
        }
        let (inputs, params) = (slots(inputs)?, slots(params)?);
        Ok(ProgramLayout { inputs, pairs, num_pairs: aliases.len(), params, outputs, memory_bytes: 0 })
    }

    /// Returns the shape of a parameter.
    pub fn param_shape(&self, index: usize) -> Option<&Shape> {
        self.params.get(index).map(|slot| &slot.shape)
    }

    /// Returns the shape of an input.
    pub fn input_shape(&self, index: usize) -> Option<&Shape> {
        self.inputs.get(index).map(|slot| &slot.shape)
    }

    /// Returns the size of an input in bytes, or 0 if there is no such input.
    pub fn input_bytes(&self, index: usize) -> usize {
        self.inputs.get(index).map_or(0, |slot| slot.bytes)
    }

    /// Returns the number of outputs.
    pub fn num_outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Returns the size of an output in bytes, or 0 if there is no such output.
    pub fn output_bytes(&self, index: usize) -> usize {
        self.outputs.get(index).map_or(0, |output| output.slot.bytes)
    }

    /// Returns the offset of an output in the working memory, or `None` if it is elsewhere.
    pub fn offset(&self, output: usize) -> Option<usize> {
        self.outputs.get(output)?.offset
    }

    /// Returns the alias pair of the state that an output updates, if it updates one.
    pub fn pair_of_output(&self, output: usize) -> Option<usize> {
        self.outputs.get(output)?.pair
    }

    /// Returns the size in bytes of the working memory on the host, which contains the outputs.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Fails unless the arguments of a run fit the program: the right number of them, each of the right length and, for engines that read
    /// them `in_place`, aligned to its elements. Messages take names from `graph`.
    ///
    /// # Errors
    /// Returns [`BackendError::Argument`].
    pub fn check(
        &self,
        graph: &Graph,
        arguments: &Arguments<'_, '_>,
        in_place: bool,
    ) -> Result<(), BackendError> {
        let got = (arguments.inputs.len(), arguments.state.len(), arguments.outputs.len());
        let (inputs, outputs) = (self.inputs.len(), self.outputs.len());
        if got.0 != inputs || got.1 != self.num_pairs || got.2 > outputs {
            return Err(BackendError::Argument(format!(
                "the program has {inputs} inputs, {} state buffers and {outputs} outputs; got {}, {} and {}",
                self.num_pairs, got.0, got.1, got.2
            )));
        }
        for (index, (slot, value)) in self.inputs.iter().zip(arguments.inputs).enumerate() {
            let what = || format!("input `{}`", input_name(graph, index));
            let buffer = match (value, self.pairs[index]) {
                (Value::State(given), Some(pair)) if *given == pair => &arguments.state[pair],
                (Value::State(_), _) | (_, Some(_)) => {
                    return Err(BackendError::Argument(format!(
                        "{} must be the state buffer of its alias pair, or no state buffer if it has no pair",
                        what()
                    )));
                }
                (Value::Host(bytes), None) => {
                    slot.check(what, bytes, in_place)?;
                    continue;
                }
                (Value::Buffer(buffer), None) => buffer,
            };
            match buffer {
                Buffer::Host(bytes) => slot.check(what, bytes, in_place)?,
                Buffer::Device(device) => slot.check_len(what, device.num_bytes())?,
            }
        }
        for (index, (output, place)) in self.outputs.iter().zip(&*arguments.outputs).enumerate() {
            let Some(place) = place else { continue };
            output.slot.check(|| format!("the memory for output {index}"), place, in_place)?;
        }
        Ok(())
    }

    /// Fails unless the parameters that are set fit the program. With `all`, also fails if one is not set. `value` returns the value of
    /// each, by its index in graph order.
    ///
    /// # Errors
    /// Returns [`BackendError::Argument`].
    pub fn check_params<'p>(
        &self,
        graph: &Graph,
        value: impl Fn(usize) -> Option<&'p Param>,
        all: bool,
        in_place: bool,
    ) -> Result<(), BackendError> {
        for (index, slot) in self.params.iter().enumerate() {
            let name = || graph.named_params().nth(index).map_or("", |(name, _)| name);
            let what = || format!("parameter `{}`", name());
            match value(index) {
                Some(value) => slot.check(what, value.bytes(), in_place)?,
                None if all => return Err(BackendError::Argument(format!("{} is not set", what()))),
                None => {}
            }
        }
        Ok(())
    }
}

fn input_name(graph: &Graph, index: usize) -> &str {
    graph.inputs().nth(index).and_then(|node| node.name()).unwrap_or_default()
}
