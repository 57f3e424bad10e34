//! Places the values of one graph in its arena.

use super::PlanError;
use super::classes::{Classes, OfClass};
use super::placement::{self, Allocation};
use crate::program::{Storage, Work};
use crate::structure::{FOREVER, Role, Structure};
use rlx_ir::{Node, NodeId};
use std::collections::HashSet;

/// Whether the node's only result is its operand's bytes.
pub(crate) fn is_view(node: &Node) -> bool {
    Role::of(node.op()) == Role::View
}

/// One value of a graph, relative to where the graph is used: inputs and outputs are those of the graph, and the arena is its own.
#[derive(Clone, Copy)]
pub(super) struct PlannedBuffer {
    pub(super) bytes: usize,
    pub(super) storage: Storage,
}

/// One step of a graph.
pub(super) struct PlannedStep {
    pub(super) work: Work,
    /// Offset of the scratch memory in the arena of the graph.
    pub(super) scratch: usize,
    pub(super) scratch_bytes: usize,
}

/// The memory plan of a graph.
pub(super) struct GraphPlan {
    /// All values: those of the nodes, in order, then copies.
    pub(super) buffers: Vec<PlannedBuffer>,
    pub(super) steps: Vec<PlannedStep>,
    /// The buffers of the outputs.
    pub(super) outputs: Vec<usize>,
    pub(super) output_offsets: Vec<Option<usize>>,
    pub(super) arena_bytes: usize,
    pub(super) unshared_bytes: usize,
}

/// Plans the values of a graph. In a nested graph, the caller determines the places of the outputs, and the inputs that it donates may be
/// overwritten once they are dead: if a chain of in-place kernels makes an output from one of them, the output is in its place.
pub(super) fn plan(classes: &Classes, donated: Option<&[usize]>) -> Result<GraphPlan, PlanError> {
    let structure = &*classes.bound.structure;
    let mut planner = Planner {
        classes,
        structure,
        donated: donated.map(|donated| donated.iter().copied().collect()),
        state_blocks: Vec::with_capacity(structure.aliases.len()),
        buffers: Vec::with_capacity(structure.num_values()),
        block_of: Vec::with_capacity(structure.num_values()),
        blocks: Vec::new(),
        steps: Vec::with_capacity(structure.graph.nodes().len()),
    };
    planner.steps();
    planner.finish()
}

struct Planner<'b> {
    classes: &'b Classes,
    structure: &'b Structure,
    /// The donated inputs of a nested graph; `None` if the graph is not nested.
    donated: Option<HashSet<usize>>,
    /// For each alias pair, the block of its input.
    state_blocks: Vec<usize>,
    buffers: Vec<PlannedBuffer>,
    /// For each buffer, its block, if it has one.
    block_of: Vec<Option<usize>>,
    blocks: Vec<Allocation>,
    /// The steps. `scratch` is the index of a block until blocks have offsets.
    steps: Vec<PlannedStep>,
}

impl Planner<'_> {
    fn push_buffer(&mut self, bytes: usize, storage: Storage, block: Option<usize>) -> usize {
        self.buffers.push(PlannedBuffer { bytes, storage });
        self.block_of.push(block);
        self.buffers.len() - 1
    }

    fn new_block(&mut self, bytes: usize, first: usize, last: usize) -> usize {
        self.blocks.push(Allocation::new(bytes, first, last));
        self.blocks.len() - 1
    }

    fn steps(&mut self) {
        let (mut inputs, mut params) = (0, 0);
        for (at, &role) in self.structure.roles.iter().enumerate() {
            let node = NodeId::new(at);
            let storage = match role {
                Role::Input => {
                    inputs += 1;
                    Storage::Input(inputs - 1)
                }
                Role::Param => {
                    params += 1;
                    Storage::Param(params - 1)
                }
                Role::Constant => Storage::Constant(self.classes.graph, node),
                Role::View => {
                    let source = self.structure.operands_of(node)[0];
                    let PlannedBuffer { bytes, storage } = self.buffers[source];
                    self.push_buffer(bytes, storage, self.block_of[source]);
                    continue;
                }
                Role::Kernel => {
                    self.kernel(node);
                    continue;
                }
            };
            let bytes = self.classes.of(node).bytes[0];
            let buffer = self.push_buffer(bytes, storage, None);
            if let Storage::Input(input) = storage {
                self.donate(input, buffer, self.structure.last_use[at]);
            }
        }
    }

    /// Creates a block for an input that may be overwritten. The block is the input's own memory, outside the arena.
    fn donate(&mut self, input: usize, buffer: usize, last: usize) {
        // Pairs are in the order of their inputs.
        let next = self.structure.aliases.get(self.state_blocks.len());
        let is_state = next.is_some_and(|alias| alias.input == input);
        if !is_state && !self.donated.as_ref().is_some_and(|donated| donated.contains(&input)) {
            return;
        }
        let block = self.new_block(self.buffers[buffer].bytes, 0, last);
        self.blocks[block].home = Some(Storage::Input(input));
        self.blocks[block].is_state = is_state;
        self.block_of[buffer] = Some(block);
        if is_state {
            self.state_blocks.push(block);
        }
    }

    fn kernel(&mut self, node: NodeId) {
        let now = node.index();
        // Results of a tuple node are written even if nothing projects them.
        let last = self.structure.last_use[now].max(now);
        let OfClass { bytes: results, needs, .. } = self.classes.of(node);
        for (result, &bytes) in results.iter().enumerate() {
            let block = match self.in_place_block(node, result) {
                Some(block) => {
                    self.blocks[block].last = last;
                    self.blocks[block].taken = now;
                    block
                }
                None => self.new_block(bytes, now, last),
            };
            self.push_buffer(bytes, Storage::Arena(0), Some(block));
        }
        let scratch_bytes = needs.scratch_bytes;
        let scratch = if scratch_bytes > 0 { self.new_block(scratch_bytes, now, now) } else { 0 };
        self.steps.push(PlannedStep { work: Work::Node(node), scratch, scratch_bytes });
    }

    /// Returns the block of an operand that dies here and that the kernel may overwrite. If there is a choice, this is the block that the
    /// result should end up in.
    fn in_place_block(&self, node: NodeId, result: usize) -> Option<usize> {
        let OfClass { bytes, needs, .. } = self.classes.of(node);
        if needs.in_place.is_empty() {
            return None;
        }
        let (now, bytes, single) = (node.index(), bytes[result], bytes.len() == 1);
        let operands = self.structure.operands_of(node);
        let free = |operand: &usize| {
            let value = *operands.get(*operand)?;
            let block = self.block_of[value]?;
            let once = operands.iter().filter(|&&other| self.block_of[other] == Some(block)).count() == 1;
            let Allocation { bytes: of_block, last, taken, .. } = self.blocks[block];
            let fits = self.buffers[value].bytes == bytes && of_block == bytes;
            // A block that an earlier result has taken is not free.
            (once && fits && last == now && taken != now).then_some(block)
        };
        let place = self.structure.updated_by(self.structure.first_value(node) + result);
        // The state buffer's input may come later.
        let place = place.and_then(|alias| self.state_blocks.get(alias).copied());
        let own = || needs.in_place.iter().filter_map(free).find(|&block| Some(block) == place);
        // A block that another result should end up in is left to that result.
        let other = || needs.in_place.iter().filter_map(free).find(|&b| single || !self.blocks[b].is_state);
        place.and_then(|_| own()).or_else(other)
    }

    /// Gives each output its own bytes, so that it does not share the caller's buffer, a parameter, another output or another state
    /// buffer. Outputs that update a state buffer end up there.
    fn outputs(&mut self) -> Vec<usize> {
        let nodes = self.structure.graph.outputs();
        let mut places = vec![None; nodes.len()];
        for (alias, &block) in self.structure.aliases.iter().zip(&self.state_blocks) {
            places[alias.output] = Some(block);
        }
        let mut outputs: Vec<usize> = Vec::with_capacity(nodes.len());
        let mut late: Vec<(usize, usize, usize)> = Vec::new();
        let mut is_output = vec![false; self.blocks.len()];
        for (index, (&node, &place)) in nodes.iter().zip(&places).enumerate() {
            let source = self.structure.first_value(node);
            let home = Some(Storage::Output(index));
            let block = self.block_of[source];
            let elsewhere = block.is_some_and(|block| self.blocks[block].is_state);
            let output = match (place, block) {
                (Some(place), Some(block)) if place == block => source,
                (Some(place), _) if !elsewhere => {
                    late.push((index, source, place));
                    source
                }
                (_, Some(block)) if !elsewhere && !is_output[block] => {
                    self.blocks[block].home = self.blocks[block].home.or(home);
                    source
                }
                _ => {
                    let copy = self.copied(source, None);
                    match (place, self.block_of[copy]) {
                        (Some(place), _) => late.push((index, copy, place)),
                        (None, Some(block)) => self.blocks[block].home = home,
                        (None, None) => {}
                    }
                    copy
                }
            };
            if let Some(is_output) = self.block_of[output].and_then(|block| is_output.get_mut(block)) {
                *is_output = true;
            }
            outputs.push(output);
        }
        for (index, source, place) in late {
            outputs[index] = self.copied(source, Some(place));
        }
        outputs
    }

    /// Copies a value after the last kernel, to the given block or to a new one.
    fn copied(&mut self, from: usize, block: Option<usize>) -> usize {
        let bytes = self.buffers[from].bytes;
        let end = self.structure.graph.nodes().len();
        let block = block.unwrap_or_else(|| self.new_block(bytes, end, FOREVER));
        let to = self.push_buffer(bytes, Storage::Arena(0), Some(block));
        self.steps.push(PlannedStep { work: Work::Copy { from, to }, scratch: 0, scratch_bytes: 0 });
        to
    }

    fn finish(mut self) -> Result<GraphPlan, PlanError> {
        let outputs = self.outputs();
        // The caller of a nested program determines the places of its outputs. Outputs of other programs also have a place in the arena,
        // for callers that give no memory.
        let in_arena = |block: &Allocation| match block.home {
            None => true,
            Some(Storage::Output(_)) => self.donated.is_none(),
            Some(_) => false,
        };
        let mut placed: Vec<usize> = (0..self.blocks.len()).filter(|&i| in_arena(&self.blocks[i])).collect();
        let unshared =
            placed.iter().map(|&i| placement::aligned(self.blocks[i].bytes)).fold(0, usize::saturating_add);
        let end = self.structure.graph.nodes().len();
        let arena_bytes = placement::place(&mut self.blocks, &mut placed, end).ok_or(PlanError::TooLarge)?;
        let mut output_offsets = vec![None; outputs.len()];
        for (buffer, block) in self.buffers.iter_mut().zip(&self.block_of) {
            let Some(block) = block.map(|block| &self.blocks[block]) else { continue };
            buffer.storage = block.home.unwrap_or(Storage::Arena(block.offset));
            if let (Storage::Output(index), None) = (buffer.storage, &self.donated) {
                output_offsets[index] = Some(block.offset);
            }
        }
        for step in self.steps.iter_mut().filter(|step| step.scratch_bytes > 0) {
            step.scratch = self.blocks[step.scratch].offset;
        }
        Ok(GraphPlan {
            buffers: self.buffers,
            steps: self.steps,
            outputs,
            output_offsets,
            arena_bytes,
            unshared_bytes: unshared,
        })
    }
}
