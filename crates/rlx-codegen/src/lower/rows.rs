//! Lowers groups that normalize rows (softmax, norms, their gradients) to one launch. Such a group has reductions over
//! some axes, and values that depend on them along the same axes.
//!
//! Rows run in parallel. For each row, its single elements are computed once, in order. Values that several passes over
//! the row read are put into a local array, so that the row is loaded once. A row that is too long for that, or of
//! unknown length, is read in every pass. Two reductions, one of which needs the other, share a pass if possible (see
//! [`Pair`]).

use super::frame::Frame;
use super::movement::{flattened, unflattened};
use super::online::Pair;
use super::reduction::interleaved;
use super::rule::Rule;
use super::stored::own_work;
use super::{Argument, Launches, LowerError, Reader};
use crate::build::Writer;
use crate::kernel::{Block, BufferId, Place, ScalarId, Stmt};
use crate::visit::for_each_stmt;
use rlx_ir::{Dim, Graph, Node, NodeId, Op};
use std::collections::{BTreeSet, HashMap};

/// Rows up to this length are put into local arrays.
const SHORT: usize = 4096;
/// Functions with at least this much work are computed once for all passes.
const DEAR: u32 = 8;

/// Values that are computed row by row.
#[derive(Debug)]
pub(super) struct Rows<'g> {
    graph: &'g Graph,
    /// The index space that is reduced.
    dims: Vec<Dim>,
    /// The axes that are reduced, in ascending order.
    axes: Vec<usize>,
    /// What each row computes before its outputs, in order.
    stages: Vec<Stage>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// A value with one element per row.
    Scalar(NodeId),
    /// A value that is put into an array.
    Array(NodeId),
    /// The first reduction of a pair, together with what the second one needs.
    First(Pair),
    /// The second reduction of a pair.
    Second(Pair),
}

/// Returns the dimensions and axes of a reduction.
fn reduced(graph: &Graph, node: &Node) -> Option<(Vec<Dim>, Vec<usize>)> {
    let mut axes = match node.op() {
        Op::Reduce { axes, .. } | Op::ReduceGraph { axes, .. } => axes.clone(),
        Op::ArgReduce { axis, .. } => vec![*axis],
        _ => return None,
    };
    axes.sort_unstable();
    Some((graph.shape(node.inputs()[0]).dims().to_vec(), axes))
}

impl<'g> Rows<'g> {
    /// Returns the rows of a group in which values made of rows would be stored. Those values are then no longer stored.
    pub(super) fn of(graph: &'g Graph, stored: &mut [bool]) -> Option<Rows<'g>> {
        let mut spaces: Vec<(Vec<Dim>, Vec<usize>)> = Vec::new();
        for node in graph.nodes() {
            spaces.extend(reduced(graph, node).filter(|space| !spaces.contains(space)));
        }
        let rows = spaces.into_iter().map(|(dims, axes)| Rows { graph, dims, axes, stages: Vec::new() });
        rows.into_iter().find_map(|rows| rows.planned(stored))
    }

    /// Adds the stages, if everything that follows from the reductions is made of rows.
    fn planned(mut self, stored: &mut [bool]) -> Option<Rows<'g>> {
        let live = self.graph.live();
        let nodes: Vec<&Node> = self.graph.nodes().iter().filter(|node| live[node.id().index()]).collect();
        let mut behind = vec![false; live.len()];
        for node in &nodes {
            let follows = node.inputs().iter().any(|id| behind[id.index()]);
            behind[node.id().index()] = follows || self.reduces(node);
        }
        let is_behind = |node: &&&Node| behind[node.id().index()];
        let pays = nodes.iter().filter(is_behind).any(|node| stored[node.id().index()]);
        let fits = nodes.iter().filter(is_behind).all(|node| self.reduces(node) || !loops(node));
        let is_made = |&id: &NodeId| self.is_full(id) || self.is_scalar(id);
        if !pays || !fits || !self.are_many() || !self.graph.outputs().iter().all(is_made) {
            return None;
        }
        nodes.iter().filter(is_behind).for_each(|node| stored[node.id().index()] = false);
        let is_short = self.length().is_some_and(|n| n <= SHORT);
        let arrays = if is_short { self.arrays(&nodes, stored) } else { BTreeSet::new() };
        for node in nodes {
            let id = node.id();
            if arrays.contains(&id) {
                self.stages.push(Stage::Array(id));
            } else if behind[id.index()] && self.is_scalar(id) {
                let pair = if is_short { None } else { self.pair(id) };
                self.stages.push(pair.map_or(Stage::Scalar(id), Stage::Second));
            }
        }
        Some(self)
    }

    /// Returns the pair with this second reduction, and makes its first one part of the pair.
    fn pair(&mut self, second: NodeId) -> Option<Pair> {
        let alone = self.stages.iter().filter_map(|stage| match stage {
            Stage::Scalar(id) => Some(*id),
            _ => None,
        });
        let pair = Pair::of(self.graph, second, &self.axes, &alone.collect::<Vec<_>>())?;
        let first = self.stages.iter_mut().find(|stage| **stage == Stage::Scalar(pair.first))?;
        *first = Stage::First(pair);
        Some(pair)
    }

    /// Returns whether a node is one of the reductions.
    fn reduces(&self, node: &Node) -> bool {
        reduced(self.graph, node).is_some_and(|(dims, axes)| dims == self.dims && axes == self.axes)
    }

    /// Returns whether a node broadcasts a row's single elements along the row.
    fn repeats(&self, node: &Node) -> bool {
        let Op::BroadcastInDim { dims, axes } = node.op() else { return false };
        let from = node.inputs()[0];
        let in_place = |(dim, axis): (&Dim, &usize)| *dim == Dim::Static(1) || !self.axes.contains(axis);
        let own = self.graph.shape(from).dims().iter().zip(axes).all(in_place);
        *dims == self.dims && self.is_scalar(from) && axes.is_sorted() && own
    }

    /// Returns the number of elements of a row.
    fn length(&self) -> Option<usize> {
        self.axes.iter().try_fold(1usize, |length, &axis| length.checked_mul(self.dims[axis].as_static()?))
    }

    /// Returns whether there are rows to run in parallel, or so few elements that it does not matter.
    fn are_many(&self) -> bool {
        let is_one = self.kept().iter().all(|dim| *dim == Dim::Static(1));
        !self.axes.is_empty() && (!is_one || self.length().is_some_and(|n| n <= SHORT))
    }

    /// Returns the extents of the axes that count rows.
    fn kept(&self) -> Vec<Dim> {
        let axes = self.dims.iter().enumerate().filter(|(axis, _)| !self.axes.contains(axis));
        axes.map(|(_, dim)| dim.clone()).collect()
    }

    /// Returns the extents of a row.
    fn extents(&self) -> Vec<Dim> {
        self.axes.iter().map(|&axis| self.dims[axis].clone()).collect()
    }

    /// Returns whether a value has as many elements per row as the value that is reduced.
    fn is_full(&self, id: NodeId) -> bool {
        let dims = self.graph.shape(id).dims();
        dims == self.dims || Dim::product(dims.iter().cloned()) == Dim::product(self.dims.iter().cloned())
    }

    /// Returns whether a value has one element per row: it lacks the reduced axes, or has them with size 1.
    fn is_scalar(&self, id: NodeId) -> bool {
        let dims = self.graph.shape(id).dims();
        let mut ones = self.dims.clone();
        self.axes.iter().for_each(|&axis| ones[axis] = Dim::Static(1));
        dims != self.dims && (dims == self.kept() || dims == ones)
    }

    /// Returns the values that several passes over a row read, and that are loaded or expensive to compute.
    fn arrays(&self, nodes: &[&Node], stored: &[bool]) -> BTreeSet<NodeId> {
        let mut arrays = BTreeSet::new();
        // The passes that read a value: those of reductions and arrays, identified by their node, and that of the outputs.
        let mut passes: Vec<BTreeSet<Option<NodeId>>> = vec![BTreeSet::new(); self.graph.nodes().len()];
        for id in self.graph.outputs().iter().filter(|id| !self.is_scalar(**id)) {
            passes[id.index()].insert(None);
        }
        // Values that are also read at indices of another row, or elsewhere in the row, cannot be in the row's array.
        let mut in_place = vec![true; self.graph.nodes().len()];
        for node in nodes.iter().rev() {
            let id = node.id();
            let is_worth_it =
                is_loaded(self.graph, id, stored) || own_work(node.op()) >= DEAR && !loops(node);
            let is_own = in_place[id.index()] && self.graph.shape(id).dims() == self.dims;
            if passes[id.index()].len() > 1 && is_own && is_worth_it {
                arrays.insert(id);
            }
            let keeps =
                in_place[id.index()] && (self.reduces(node) || self.repeats(node) || keeps_place(node));
            node.inputs().iter().for_each(|x| in_place[x.index()] &= keeps);
            let reads = match self.reduces(node) || arrays.contains(&id) || self.is_scalar(id) {
                true => BTreeSet::from([Some(id)]),
                false => passes[id.index()].clone(),
            };
            node.inputs().iter().for_each(|x| passes[x.index()].extend(&reads));
        }
        arrays
    }

    /// Adds the launch that computes these outputs.
    pub(super) fn lower(
        &self,
        frame: &mut Frame<'_>,
        outputs: &[(NodeId, Argument)],
    ) -> Result<(), LowerError> {
        let ids: Vec<NodeId> = outputs.iter().map(|&(id, _)| id).collect();
        let writes: Vec<(Argument, Place)> = outputs.iter().map(|&(_, to)| (to, Place::Out)).collect();
        frame.launch(&ids, &writes, |w, reader, buffers| {
            w.par(&self.kept(), |w, row| {
                let mut states = HashMap::new();
                for &stage in &self.stages {
                    self.stage(w, reader, stage, (row, &mut states))?;
                }
                self.outputs(w, reader, row, (&ids, buffers))
            })
        })
    }

    /// Returns whether the last launch computes each reduction once per row, so that rows are worthwhile.
    pub(super) fn are_once(&self, launches: &Launches) -> bool {
        let reductions = self.stages.iter().filter(|stage| match stage {
            Stage::Scalar(id) => self.reduces(self.graph.node(*id)),
            Stage::First(_) => true,
            Stage::Array(_) | Stage::Second(_) => false,
        });
        launches.launches.last().is_some_and(|launch| reduces_in(&launch.kernel.body) == reductions.count())
    }

    fn stage(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        stage: Stage,
        (row, states): (&[Dim], &mut HashMap<NodeId, Vec<ScalarId>>),
    ) -> Result<(), LowerError> {
        match stage {
            Stage::Scalar(id) => {
                reader.element(w, id, &self.place(id, row))?;
            }
            Stage::Array(id) => {
                let extents = self.extents();
                let array = w.array(self.graph.shape(id).dtype(), &extents);
                w.par(&extents, |w, inner| {
                    let element = reader.element(w, id, &interleaved(row, &self.axes, inner))?;
                    w.store(array, inner, element);
                    Ok::<(), LowerError>(())
                })?;
                reader.hold(id, array, &self.axes);
            }
            Stage::First(pair) => {
                let combiner = pair.combiner(w, self.graph.shape(pair.x).dtype())?;
                let state = w.reduce(&self.extents(), combiner, |w, inner| {
                    Ok::<_, LowerError>(vec![reader.element(
                        w,
                        pair.x,
                        &interleaved(row, &self.axes, inner),
                    )?])
                })?;
                reader.found(w, pair.first, self.place(pair.first, row), state[0]);
                states.insert(pair.first, state);
            }
            Stage::Second(pair) => {
                let anywhere = vec![Dim::Static(0); self.axes.len()];
                let shift = reader.element(w, pair.shift, &interleaved(row, &self.axes, &anywhere))?;
                // INVARIANT of the plan: the first reduction of a pair comes before the second.
                let Some(state) = states.remove(&pair.first) else { return Ok(()) };
                let second = pair.second(w, &state, shift);
                reader.found(w, pair.second, self.place(pair.second, row), second);
            }
        }
        Ok(())
    }

    fn outputs(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        row: &[Dim],
        (ids, buffers): (&[NodeId], &[BufferId]),
    ) -> Result<(), LowerError> {
        let outputs = ids.iter().copied().zip(buffers.iter().copied());
        let (scalars, full): (Vec<_>, Vec<_>) = outputs.partition(|&(id, _)| self.is_scalar(id));
        for (id, buffer) in scalars {
            let at = self.place(id, row);
            let element = reader.element(w, id, &at)?;
            w.store(buffer, &at, element);
        }
        if full.is_empty() {
            return Ok(());
        }
        w.par(&self.extents(), |w, inner| {
            let at = interleaved(row, &self.axes, inner);
            for &(id, buffer) in &full {
                let dims = self.graph.shape(id).dims();
                let at = match dims == self.dims {
                    true => at.clone(),
                    false => unflattened(w, &flattened(&at, &self.dims), dims),
                };
                let element = reader.element(w, id, &at)?;
                w.store(buffer, &at, element);
            }
            Ok(())
        })
    }

    /// Returns the indices of a row's element of a value.
    fn place(&self, id: NodeId, row: &[Dim]) -> Vec<Dim> {
        match self.graph.shape(id).rank() == row.len() {
            true => row.to_vec(),
            false => interleaved(row, &self.axes, &vec![Dim::Static(0); self.axes.len()]),
        }
    }
}

/// Returns whether an element needs a loop, separate launches, or elements at indices that are values.
fn loops(node: &Node) -> bool {
    match Rule::of(node.op().kind()) {
        Some(Rule::Leaf | Rule::Elementwise | Rule::Movement | Rule::Bits) => false,
        Some(Rule::Reduction | Rule::Contraction | Rule::Window | Rule::Indexing) => true,
        Some(Rule::Whole | Rule::None(_)) | None => true,
    }
}

/// Returns whether the node reads the elements of its operands in the order of its own.
fn keeps_place(node: &Node) -> bool {
    Rule::of(node.op().kind()) == Some(Rule::Elementwise)
        || matches!(node.op(), Op::Output { .. } | Op::Reshape { .. })
}

/// Returns whether each element of a value is loaded from memory.
fn is_loaded(graph: &Graph, id: NodeId, stored: &[bool]) -> bool {
    let node = graph.node(id);
    match node.op() {
        Op::Input { .. } => true,
        _ if stored[id.index()] => true,
        Op::Output { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Reverse { .. } => is_loaded(graph, node.inputs()[0], stored),
        _ => false,
    }
}

/// Returns the number of reductions in the text of a block.
fn reduces_in(block: &Block) -> usize {
    let mut count = 0;
    for_each_stmt(block, &mut |stmt| count += usize::from(matches!(stmt, Stmt::Reduce { .. })));
    count
}
