//! What a program takes and gives at certain sizes, where its outputs lie, and the checks of a run against that.

use crate::buffer::{Buffer, LINE};
use crate::executable::{Arguments, Value};
use rlx_compile::{Alias, BackendError, Param, Program};
use rlx_ir::{Graph, Shape};

/// A value that crosses the border of a program.
#[derive(Clone, Debug)]
struct Slot {
    shape: Shape,
    bytes: usize,
}

/// An output.
#[derive(Clone, Debug)]
struct OutputSlot {
    slot: Slot,
    /// Where it lies in the working memory, unless it lies elsewhere.
    offset: Option<usize>,
    /// The alias pair whose state it updates.
    pair: Option<usize>,
}

/// The shapes of inputs, parameters and outputs at certain sizes, and where outputs lie in the working memory on the host.
#[derive(Clone, Debug)]
pub struct Layout {
    inputs: Vec<Slot>,
    /// For each input the alias pair whose state it is.
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

    /// Fails unless the bytes are as many as the shape has and, for engines that read them `in_place`, aligned to its elements.
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
    BackendError::Unsupported(format!("{shape} has no size, or more bytes than there can be"))
}

impl Layout {
    /// The layout of a program whose memory was planned.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] for a value that has more bytes than there can be.
    pub fn planned(program: &Program) -> Result<Layout, BackendError> {
        let graph = program.graph();
        let shape = |id| program.bound.node(id).shape();
        let inputs: Vec<&Shape> = graph.inputs().map(|node| shape(node.id())).collect();
        let params: Vec<&Shape> = graph.params().map(|node| shape(node.id())).collect();
        let outputs = (0..program.outputs.len()).map(|index| program.output_shape(index));
        let mut layout = Layout::new(&inputs, &params, outputs, program.aliases())?;
        for (output, offset) in layout.outputs.iter_mut().zip(&program.output_offsets) {
            output.offset = *offset;
        }
        layout.memory_bytes = program.arena_bytes;
        Ok(layout)
    }

    /// The layout of a graph of static sizes whose outputs lie one after the other, each at the start of a cache line. Outputs that
    /// update states have no place if `states_elsewhere`.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] for a shape with a symbol, and for values that have more bytes than there can be.
    pub fn of_graph(
        graph: &Graph,
        aliases: &[Alias],
        states_elsewhere: bool,
    ) -> Result<Layout, BackendError> {
        let inputs: Vec<&Shape> = graph.inputs().map(|node| node.shape()).collect();
        let params: Vec<&Shape> = graph.params().map(|node| node.shape()).collect();
        let shapes = graph.output_shapes();
        let mut layout = Layout::new(&inputs, &params, shapes.iter(), aliases)?;
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
    ) -> Result<Layout, BackendError> {
        let slots = |shapes: &[&Shape]| shapes.iter().map(|shape| Slot::of(shape)).collect::<Result<_, _>>();
        let outputs =
            outputs.map(|shape| Ok(OutputSlot { slot: Slot::of(shape)?, offset: None, pair: None }));
        let mut outputs = outputs.collect::<Result<Vec<_>, BackendError>>()?;
        let mut pairs = vec![None; inputs.len()];
        for (pair, alias) in aliases.iter().enumerate() {
            // INVARIANT: the pairs of a lowered graph name inputs and outputs that it has.
            (pairs[alias.input], outputs[alias.output].pair) = (Some(pair), Some(pair));
        }
        let (inputs, params) = (slots(inputs)?, slots(params)?);
        Ok(Layout { inputs, pairs, num_pairs: aliases.len(), params, outputs, memory_bytes: 0 })
    }

    /// The number of inputs.
    pub fn num_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// The shape of a parameter.
    pub fn param_shape(&self, index: usize) -> Option<&Shape> {
        self.params.get(index).map(|slot| &slot.shape)
    }

    /// The shape of an input.
    pub fn input_shape(&self, index: usize) -> Option<&Shape> {
        self.inputs.get(index).map(|slot| &slot.shape)
    }

    /// Size of an input in bytes.
    pub fn input_bytes(&self, index: usize) -> usize {
        self.inputs.get(index).map_or(0, |slot| slot.bytes)
    }

    /// The number of outputs.
    pub fn num_outputs(&self) -> usize {
        self.outputs.len()
    }

    /// Size of an output in bytes.
    pub fn output_bytes(&self, index: usize) -> usize {
        self.outputs.get(index).map_or(0, |output| output.slot.bytes)
    }

    /// Offset of an output in the working memory; none for one that lies elsewhere.
    pub fn offset(&self, output: usize) -> Option<usize> {
        self.outputs.get(output)?.offset
    }

    /// The alias pair whose state an output updates.
    pub fn pair_of_output(&self, output: usize) -> Option<usize> {
        self.outputs.get(output)?.pair
    }

    /// Size in bytes of the working memory on the host, in which outputs lie.
    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Fails unless the arguments of a run are what the program takes: as many, each of the right length and, for engines that read them
    /// `in_place`, aligned to its elements. `graph` has the names for messages.
    ///
    /// # Errors
    /// [`BackendError::Argument`].
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
                        "{} must be the state buffer of its alias pair, and no other input may be one",
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
            output.slot.check(|| format!("the place of output {index}"), place, in_place)?;
        }
        Ok(())
    }

    /// Fails unless the parameters that are set fit the program, and are all set if they have to be. `value` gives that of each, in
    /// graph order.
    ///
    /// # Errors
    /// [`BackendError::Argument`].
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
