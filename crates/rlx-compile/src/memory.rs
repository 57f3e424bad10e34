//! Memory planning: gives every value of a scheduled graph a place in one arena, so that values that are never alive
//! together share bytes, views share their source's, and kernels that allow it write over an operand.

use crate::alias::Alias;
use crate::program::{Buffer, Program, Step, Storage, Work};
use rlx_ir::{Graph, Node, NodeId, Op};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

/// Offsets are multiples of this: a cache line, and the widest vector.
pub const ALIGNMENT: usize = 64;

/// Up to so many blocks every pair is compared to find the best places.
const MANY_BLOCKS: usize = 4096;

/// What a kernel asks of the plan.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// Scratch bytes while the step runs.
    pub scratch_bytes: usize,
    /// Operands that a result of as many bytes may overwrite, best first; of several results each another.
    pub in_place: Vec<usize>,
}

/// Why a graph cannot be planned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// A shape has no static size.
    #[error("{0} `{1}` has no static size; bind every dimension before planning")]
    Dynamic(NodeId, &'static str),
    /// The program needs more memory than can be addressed.
    #[error("the program needs more memory than can be addressed")]
    TooLarge,
}

/// Whether the node's only result is its operand's bytes.
pub(crate) fn is_view(node: &Node) -> bool {
    matches!(node.op(), Op::Reshape { .. } | Op::Output { .. })
}

/// One allocation: the bytes of a value and of its views.
struct Block {
    bytes: usize,
    /// Where it lies, if that is not the arena.
    home: Option<Storage>,
    /// First and last step at which it is alive.
    first: usize,
    last: usize,
    offset: usize,
}

/// Plans a static graph whose nodes are in execution order. `needs` tells what the kernel of a node asks for.
pub fn plan(graph: &Arc<Graph>, needs: &mut dyn FnMut(&Node) -> Needs) -> Result<Program, PlanError> {
    planned(graph, needs, None, &[])
}

/// [`plan`] with outputs that update state buffers, which inputs read: they end there, in place where a chain of in-place kernels
/// leads from one to the other after all other uses, else by a copy at the end. The pairs fit the graph (see
/// [`check_aliases`](crate::alias::check_aliases)).
pub fn plan_aliased(
    graph: &Arc<Graph>,
    needs: &mut dyn FnMut(&Node) -> Needs,
    aliases: &[Alias],
) -> Result<Program, PlanError> {
    planned(graph, needs, None, aliases)
}

/// Plans the graph inside a node, which is scheduled like any other. Its outputs lie where the node's kernel says, at
/// [`Storage::Output`]. The inputs that `donated` names may be overwritten once they are dead: an output that a chain of
/// in-place kernels makes of one of them lies there, at [`Storage::Input`].
pub fn plan_nested(
    graph: &Arc<Graph>,
    needs: &mut dyn FnMut(&Node) -> Needs,
    donated: &[usize],
) -> Result<Program, PlanError> {
    planned(graph, needs, Some(donated), &[])
}

fn planned(
    graph: &Arc<Graph>,
    needs: &mut dyn FnMut(&Node) -> Needs,
    nested: Option<&[usize]>,
    aliases: &[Alias],
) -> Result<Program, PlanError> {
    let mut planner = Planner {
        graph,
        nested,
        aliases,
        aliased: Vec::new(),
        buffers: Vec::new(),
        first_buffer: Vec::with_capacity(graph.nodes().len()),
        block_of: Vec::new(),
        blocks: Vec::new(),
        steps: Vec::new(),
        last_use: last_uses(graph),
    };
    planner.steps(needs)?;
    planner.finish()
}

/// For each node the index of the last node that uses it or a view of it; outputs are used at the end.
fn last_uses(graph: &Graph) -> Vec<usize> {
    let n = graph.nodes().len();
    let mut last = vec![0; n];
    graph.outputs().iter().for_each(|o| last[o.index()] = usize::MAX);
    for node in graph.nodes().iter().rev() {
        let i = node.id().index();
        let until = if is_view(node) { last[i].max(i) } else { i };
        for input in node.inputs() {
            last[input.index()] = last[input.index()].max(until);
        }
    }
    last
}

struct Planner<'g> {
    graph: &'g Arc<Graph>,
    /// Of a nested graph the donated inputs.
    nested: Option<&'g [usize]>,
    aliases: &'g [Alias],
    /// The alias pairs with the blocks of their inputs.
    aliased: Vec<(Alias, usize)>,
    buffers: Vec<Buffer>,
    /// For each node the index of its first result's buffer.
    first_buffer: Vec<usize>,
    /// For each buffer its block, where it lies in the arena.
    block_of: Vec<Option<usize>>,
    blocks: Vec<Block>,
    steps: Vec<(Step, Option<usize>)>,
    last_use: Vec<usize>,
}

impl Planner<'_> {
    fn push_buffer(
        &mut self,
        node: &Node,
        result: usize,
        storage: Storage,
        block: Option<usize>,
    ) -> Result<usize, PlanError> {
        let shape = node.results()[result].clone();
        let bytes = shape.num_bytes().ok_or(PlanError::Dynamic(node.id(), node.op().mnemonic()))?;
        self.buffers.push(Buffer { node: node.id(), result, shape, bytes, storage });
        self.block_of.push(block);
        Ok(self.buffers.len() - 1)
    }

    fn new_block(&mut self, bytes: usize, first: usize, last: usize) -> usize {
        self.blocks.push(Block { bytes, home: None, first, last, offset: 0 });
        self.blocks.len() - 1
    }

    fn steps(&mut self, needs: &mut dyn FnMut(&Node) -> Needs) -> Result<(), PlanError> {
        let (mut inputs, mut params) = (0, 0);
        for node in self.graph.nodes() {
            self.first_buffer.push(self.buffers.len());
            let storage = match node.op() {
                Op::Input { .. } => {
                    inputs += 1;
                    Storage::Input(inputs - 1)
                }
                Op::Param { .. } => {
                    params += 1;
                    Storage::Param(params - 1)
                }
                Op::Constant { .. } => Storage::Constant(node.id()),
                _ if is_view(node) => {
                    self.view(node)?;
                    continue;
                }
                _ => {
                    let needs = needs(node);
                    self.kernel(node, &needs)?;
                    continue;
                }
            };
            let buffer = self.push_buffer(node, 0, storage, None)?;
            if let Storage::Input(input) = storage {
                self.donate(input, buffer, self.last_use[node.id().index()]);
            }
        }
        Ok(())
    }

    /// Gives an input that may be overwritten a block: its own memory, outside the arena.
    fn donate(&mut self, input: usize, buffer: usize, last: usize) {
        let alias = self.aliases.iter().find(|alias| alias.input == input);
        let donated = self.nested.is_some_and(|donated| donated.contains(&input));
        if alias.is_none() && !donated {
            return;
        }
        let block = self.new_block(self.buffers[buffer].bytes, 0, last);
        self.blocks[block].home = Some(Storage::Input(input));
        self.block_of[buffer] = Some(block);
        self.aliased.extend(alias.map(|alias| (*alias, block)));
    }

    fn view(&mut self, node: &Node) -> Result<(), PlanError> {
        let result = if let Op::Output { index } = node.op() { *index } else { 0 };
        let source = self.first_buffer[node.inputs()[0].index()] + result;
        let (storage, block) = (self.buffers[source].storage, self.block_of[source]);
        self.push_buffer(node, 0, storage, block)?;
        Ok(())
    }

    fn kernel(&mut self, node: &Node, needs: &Needs) -> Result<(), PlanError> {
        let now = node.id().index();
        let inputs: Vec<usize> = node.inputs().iter().map(|i| self.first_buffer[i.index()]).collect();
        let mut outputs = Vec::with_capacity(node.results().len());
        let mut taken = Vec::new();
        for result in 0..node.results().len() {
            // Results of a tuple node that nobody projects are written all the same.
            let last = self.last_use[now].max(now);
            let bytes = node.results()[result]
                .num_bytes()
                .ok_or(PlanError::Dynamic(node.id(), node.op().mnemonic()))?;
            let reused = self.in_place_block(node, result, needs, bytes, &inputs, &taken);
            let block = match reused {
                Some(block) => {
                    taken.push(block);
                    self.blocks[block].last = last;
                    block
                }
                None => self.new_block(bytes, now, last),
            };
            outputs.push(self.push_buffer(node, result, Storage::Arena(0), Some(block))?);
        }
        let scratch_block = (needs.scratch_bytes > 0).then(|| self.new_block(needs.scratch_bytes, now, now));
        let step = Step {
            work: Work::Kernel(node.id()),
            inputs,
            outputs,
            scratch: 0,
            scratch_bytes: needs.scratch_bytes,
        };
        self.steps.push((step, scratch_block));
        Ok(())
    }

    /// The block of an operand that dies here and that the kernel may overwrite: if there is a choice, the one that the result
    /// is to end in.
    fn in_place_block(
        &self,
        node: &Node,
        result: usize,
        needs: &Needs,
        bytes: usize,
        inputs: &[usize],
        taken: &[usize],
    ) -> Option<usize> {
        let now = node.id().index();
        let free = needs.in_place.iter().filter_map(|&operand| {
            let block = self.block_of[*inputs.get(operand)?]?;
            let once = inputs.iter().filter(|&&i| self.block_of[i] == Some(block)).count() == 1;
            let fits = self.buffers[inputs[operand]].bytes == bytes && self.blocks[block].bytes == bytes;
            (once && fits && self.blocks[block].last == now && !taken.contains(&block)).then_some(block)
        });
        let free: Vec<usize> = free.collect();
        let place = self.aliased_block(|alias| {
            let output = self.graph.node(self.graph.outputs()[alias.output]);
            match output.op() {
                Op::Output { index } => output.inputs() == [node.id()] && *index == result,
                _ => output.id() == node.id(),
            }
        });
        let own = free.iter().find(|&&block| Some(block) == place);
        // What another result is to end in is left to it.
        let other = || free.iter().find(|&&block| !self.is_aliased(Some(block)) || node.results().len() == 1);
        own.copied().or_else(|| other().copied())
    }

    /// Gives each output bytes of its own: it is not the caller's buffer, a parameter, another output or another state buffer.
    /// Outputs that update a state buffer end there.
    fn outputs(&mut self) -> Result<Vec<usize>, PlanError> {
        let mut outputs: Vec<usize> = Vec::with_capacity(self.graph.outputs().len());
        let mut late: Vec<(usize, usize)> = Vec::new();
        for (index, output) in self.graph.outputs().iter().enumerate() {
            let source = self.first_buffer[output.index()];
            let home = Some(Storage::Output(index));
            let place = self.aliased_block(|alias| alias.output == index);
            let block = self.block_of[source];
            if place.is_some() && block == place {
                outputs.push(source);
                continue;
            }
            let elsewhere = block.is_some() && self.is_aliased(block);
            if place.is_some() && !elsewhere {
                late.push((index, source));
                outputs.push(source);
                continue;
            }
            let shared = outputs.iter().any(|&o: &usize| self.block_of[o] == block);
            if let (Some(block), false) = (block, shared || elsewhere) {
                self.blocks[block].home = self.blocks[block].home.or(home);
                outputs.push(source);
                continue;
            }
            let copy = self.copied(*output, source, None)?;
            if place.is_some() {
                late.push((index, copy));
            } else if let Some(block) = self.block_of[copy] {
                self.blocks[block].home = home;
            }
            outputs.push(copy);
        }
        for (index, source) in late {
            let place = self.aliased_block(|alias| alias.output == index);
            outputs[index] = self.copied(self.graph.outputs()[index], source, place)?;
        }
        Ok(outputs)
    }

    /// The state buffer of the first alias pair that `is` names.
    fn aliased_block(&self, is: impl Fn(&Alias) -> bool) -> Option<usize> {
        self.aliased.iter().find(|(alias, _)| is(alias)).map(|(_, block)| *block)
    }

    fn is_aliased(&self, block: Option<usize>) -> bool {
        self.aliased.iter().any(|(_, of_state)| Some(*of_state) == block)
    }

    /// A copy of a value after the last kernel, in a block or in one of its own.
    fn copied(&mut self, output: NodeId, source: usize, block: Option<usize>) -> Result<usize, PlanError> {
        let bytes = self.buffers[source].bytes;
        let end = self.graph.nodes().len();
        let block = block.unwrap_or_else(|| self.new_block(bytes, end, usize::MAX));
        let node = self.graph.node(output);
        let copy = self.push_buffer(node, 0, Storage::Arena(0), Some(block))?;
        let (inputs, outputs) = (vec![source], vec![copy]);
        let step = Step { work: Work::Copy, inputs, outputs, scratch: 0, scratch_bytes: 0 };
        self.steps.push((step, None));
        Ok(copy)
    }

    fn finish(mut self) -> Result<Program, PlanError> {
        let outputs = self.outputs()?;
        // Whoever runs a nested program says where its outputs lie; those of others have a place in the arena, which counts where
        // nobody does.
        let in_arena = |block: &Block| match block.home {
            None => true,
            Some(Storage::Output(_)) => self.nested.is_none(),
            Some(_) => false,
        };
        let mut placed: Vec<usize> = (0..self.blocks.len()).filter(|&i| in_arena(&self.blocks[i])).collect();
        let unshared = placed.iter().map(|&i| aligned(self.blocks[i].bytes)).fold(0, usize::saturating_add);
        let place = if placed.len() <= MANY_BLOCKS { place } else { place_in_order };
        let arena_bytes = place(&mut self.blocks, &mut placed).ok_or(PlanError::TooLarge)?;
        let mut output_offsets = vec![None; outputs.len()];
        for (buffer, block) in self.buffers.iter_mut().zip(&self.block_of) {
            let Some(block) = block.map(|block| &self.blocks[block]) else { continue };
            buffer.storage = block.home.unwrap_or(Storage::Arena(block.offset));
            if let (Storage::Output(index), None) = (buffer.storage, self.nested) {
                output_offsets[index] = Some(block.offset);
            }
        }
        let steps = self.steps.into_iter().map(|(mut step, scratch)| {
            step.scratch = scratch.map_or(0, |b| self.blocks[b].offset);
            step
        });
        let steps = steps.collect();
        Ok(Program {
            graph: self.graph.clone(),
            buffers: self.buffers,
            steps,
            aliases: self.aliased.into_iter().map(|(alias, _)| alias).collect(),
            outputs,
            output_offsets,
            arena_bytes,
            unshared_bytes: unshared,
        })
    }
}

fn aligned(bytes: usize) -> usize {
    bytes.div_ceil(ALIGNMENT).saturating_mul(ALIGNMENT)
}

/// Gives the blocks of the arena offsets, largest first, at the lowest place that is free while each lives; returns the total.
fn place(blocks: &mut [Block], order: &mut [usize]) -> Option<usize> {
    order.sort_by_key(|&i| (Reverse(blocks[i].bytes), blocks[i].first, i));
    let mut placed: Vec<Placed> = Vec::with_capacity(order.len());
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut total = 0usize;
    for &i in order.iter() {
        let Block { bytes, first, last, .. } = blocks[i];
        let size = aligned(bytes);
        taken.clear();
        let beside = placed.iter().filter(|p| p.first <= last && first <= p.last);
        taken.extend(beside.map(|p| (p.offset, p.end)));
        taken.sort_unstable();
        let mut offset = 0usize;
        for &(start, end) in &taken {
            if offset.saturating_add(size) <= start {
                break;
            }
            offset = offset.max(end);
        }
        blocks[i].offset = offset;
        let end = offset.checked_add(size)?;
        total = total.max(end);
        placed.push(Placed { first, last, offset, end });
    }
    (total <= isize::MAX as usize).then_some(total)
}

/// A block that has its place.
struct Placed {
    first: usize,
    last: usize,
    offset: usize,
    end: usize,
}

/// Gives the blocks of the arena offsets in the order of their first steps, each in the smallest gap that it fits in: for programs
/// with so many blocks that [`place`], which compares all pairs, would take long.
fn place_in_order(blocks: &mut [Block], order: &mut [usize]) -> Option<usize> {
    order.sort_by_key(|&i| (blocks[i].first, Reverse(blocks[i].bytes), i));
    let mut gaps = Gaps::default();
    // The blocks that are alive, by their last steps.
    let mut ends: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    for &i in order.iter() {
        while let Some(&Reverse((last, j))) = ends.peek().filter(|Reverse((last, _))| *last < blocks[i].first)
        {
            debug_assert_eq!(last, blocks[j].last);
            ends.pop();
            gaps.free(blocks[j].offset, aligned(blocks[j].bytes));
        }
        blocks[i].offset = gaps.take(aligned(blocks[i].bytes))?;
        ends.push(Reverse((blocks[i].last, i)));
    }
    (gaps.total <= isize::MAX as usize).then_some(gaps.total)
}

/// The free pieces of an arena that grows at its end.
#[derive(Default)]
struct Gaps {
    /// Start and size of each piece; no two touch.
    by_start: BTreeMap<usize, usize>,
    /// The same by size.
    by_size: BTreeSet<(usize, usize)>,
    total: usize,
}

impl Gaps {
    fn insert(&mut self, start: usize, size: usize) {
        self.by_start.insert(start, size);
        self.by_size.insert((size, start));
    }

    fn remove(&mut self, start: usize, size: usize) {
        self.by_start.remove(&start);
        self.by_size.remove(&(size, start));
    }

    /// The offset of so many bytes, which are no longer free; `None` where the arena would be too large.
    fn take(&mut self, size: usize) -> Option<usize> {
        if size == 0 {
            return Some(0);
        }
        if let Some(&(found, start)) = self.by_size.range((size, 0)..).next() {
            self.remove(start, found);
            if found > size {
                self.insert(start + size, found - size);
            }
            return Some(start);
        }
        // A piece at the end grows with the arena.
        let last = self.by_start.iter().next_back().map(|(&start, &free)| (start, free));
        let start = match last.filter(|(start, free)| start + free == self.total) {
            Some((start, free)) => {
                self.remove(start, free);
                start
            }
            None => self.total,
        };
        self.total = start.checked_add(size)?;
        Some(start)
    }

    /// Gives bytes back.
    fn free(&mut self, mut start: usize, mut size: usize) {
        if size == 0 {
            return;
        }
        if let Some((&before, &free)) = self.by_start.range(..start).next_back()
            && before + free == start
        {
            self.remove(before, free);
            (start, size) = (before, size + free);
        }
        if let Some(&free) = self.by_start.get(&(start + size)) {
            self.remove(start + size, free);
            size += free;
        }
        self.insert(start, size);
    }
}
