//! Writes the elements of a group's values where they are read.

use super::rule::Rule;
use super::{
    LowerError, bits, contraction, elementwise, expanded, indexing, leaf, movement, reduction, windows,
};
use crate::build::Writer;
use crate::kernel::{BufferId, Guard, ScalarId};
use rlx_ir::{Dim, Graph, Node, NodeId, Op, Scalar, Shape};
use std::collections::HashMap;

/// Where the elements of a value are, if they are not computed where they are read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Source {
    /// In a buffer of the value's sizes.
    Buffer(BufferId),
    /// In a buffer that has only some of the value's axes: those along which the current row runs.
    Row(BufferId),
    /// The value has one element.
    Scalar(ScalarId),
}

/// Writes elements of a group's values.
pub struct Reader<'g> {
    graph: &'g Graph,
    /// Where the elements of each node's value are. `None` means that they are computed.
    sources: Vec<Option<Source>>,
    /// The axes of [`Source::Row`].
    row: Vec<usize>,
    /// The condition under which the current values are needed. Loads outside it are not executed.
    guard: Guard,
    /// The elements of nodes' results that have already been written, with the block of each.
    written: HashMap<(NodeId, Vec<Dim>, Vec<Dim>), (usize, Vec<ScalarId>)>,
}

impl<'g> Reader<'g> {
    /// Creates a reader of a group's values. Those with a source are taken from there.
    pub fn new(graph: &'g Graph, sources: Vec<Option<Source>>) -> Self {
        Reader { graph, sources, row: Vec::new(), guard: Guard::default(), written: HashMap::new() }
    }

    /// Writes the results of a graph of scalars, such as the body of a reduction, for these operands.
    pub fn applied(w: &mut Writer, body: &Graph, args: &[ScalarId]) -> Result<Vec<ScalarId>, LowerError> {
        let body = expanded(body)?;
        let mut sources = vec![None; body.nodes().len()];
        for (input, &arg) in body.inputs().zip(args) {
            sources[input.id().index()] = Some(Source::Scalar(arg));
        }
        let mut reader = Reader::new(&body, sources);
        body.outputs().iter().map(|&id| reader.element(w, id, &[])).collect()
    }

    /// Makes the elements of a value come from a buffer with only these of its axes. The other axes are fixed within the current row.
    pub(super) fn hold(&mut self, id: NodeId, buffer: BufferId, axes: &[usize]) {
        self.sources[id.index()] = Some(Source::Row(buffer));
        self.row = axes.to_vec();
    }

    /// Makes a scalar known as the element of a value at these indices.
    pub(super) fn found(&mut self, w: &Writer, id: NodeId, at: Vec<Dim>, scalar: ScalarId) {
        self.written.insert((id, at, self.guard.0.clone()), (w.innermost(), vec![scalar]));
    }

    /// Returns whether elements of a value are available instead of computed.
    pub(super) fn is_known(&self, id: NodeId) -> bool {
        self.sources[id.index()].is_some()
    }

    /// Returns the buffer that contains a value unchanged.
    pub(super) fn buffer_of(&self, id: NodeId) -> Option<BufferId> {
        match self.sources[id.index()] {
            Some(Source::Buffer(buffer)) => Some(buffer),
            _ => None,
        }
    }

    /// Does the same under a guard, which is the condition under which the value is needed.
    pub(super) fn found_where(
        &mut self,
        w: &Writer,
        (id, at): (NodeId, Vec<Dim>),
        guard: &Guard,
        scalar: ScalarId,
    ) {
        let guard = self.guard.clone().and(guard.clone());
        self.written.insert((id, at, guard.0), (w.innermost(), vec![scalar]));
    }

    /// Returns the value of all elements of a constant, if it is written where it is read.
    pub(super) fn constant(&self, id: NodeId) -> Option<Scalar> {
        if self.is_known(id) { None } else { leaf::known(self.graph.node(id)) }
    }

    /// Returns the shape of a value.
    pub fn shape(&self, id: NodeId) -> &'g Shape {
        self.graph.shape(id)
    }

    /// Returns the element of a value at these indices.
    pub fn element(&mut self, w: &mut Writer, id: NodeId, at: &[Dim]) -> Result<ScalarId, LowerError> {
        let node = self.graph.node(id);
        let (from, result) = match (self.sources[id.index()], node.op()) {
            (Some(Source::Scalar(scalar)), _) => return Ok(scalar),
            (None, Op::Output { index }) => (self.graph.node(node.inputs()[0]), *index),
            _ => (node, 0),
        };
        if let Op::OptimizationBarrier {} = from.op() {
            return self.element(w, from.inputs()[result], at);
        }
        let results = self.results(w, from, at)?;
        results.get(result).copied().ok_or(LowerError::unruled(from))
    }

    /// Returns the elements of all results of a node at these indices.
    fn results(&mut self, w: &mut Writer, node: &Node, at: &[Dim]) -> Result<Vec<ScalarId>, LowerError> {
        let key = (node.id(), at.to_vec(), self.guard.0.clone());
        if let Some((block, scalars)) = self.written.get(&key)
            && w.is_open(*block)
        {
            return Ok(scalars.clone());
        }
        at.iter().try_for_each(Dim::check).map_err(LowerError::Index)?;
        let block = w.innermost();
        let scalars = match self.sources[node.id().index()] {
            Some(Source::Buffer(buffer)) => vec![self.load(w, node, buffer, at)],
            Some(Source::Row(buffer)) => {
                let at: Vec<Dim> = self.row.iter().map(|&axis| at[axis].clone()).collect();
                vec![self.load(w, node, buffer, &at)]
            }
            Some(Source::Scalar(scalar)) => vec![scalar],
            None => self.computed(w, node, at)?,
        };
        self.written.insert(key, (block, scalars.clone()));
        Ok(scalars)
    }

    fn load(&self, w: &mut Writer, node: &Node, buffer: BufferId, at: &[Dim]) -> ScalarId {
        if self.guard.is_empty() {
            return w.load(buffer, at);
        }
        let zero = w.constant(node.shape().dtype(), Scalar::Int(0));
        w.load_guarded(buffer, at, self.guard.clone(), zero)
    }

    /// Returns the element at these indices where the guard holds, and `fill` elsewhere.
    pub fn element_where(
        &mut self,
        w: &mut Writer,
        id: NodeId,
        at: &[Dim],
        guard: Guard,
        fill: ScalarId,
    ) -> Result<ScalarId, LowerError> {
        let guard = w.unproven(guard);
        if guard.is_empty() {
            return self.element(w, id, at);
        }
        let inner = self.guard.clone().and(guard.clone());
        if let Some(Source::Buffer(buffer)) = self.sources[id.index()]
            && self.guard.is_empty()
        {
            return Ok(w.load_guarded(buffer, at, inner, fill));
        }
        let outer = std::mem::replace(&mut self.guard, inner);
        let element = self.element(w, id, at);
        self.guard = outer;
        let holds = w.holds(guard);
        Ok(w.select(holds, element?, fill))
    }

    /// Returns an integer scalar as an index: the value of rank 0, clamped to the range from 0 to `limit`, inclusive.
    pub fn start(&mut self, w: &mut Writer, id: NodeId, limit: &Dim) -> Result<Dim, LowerError> {
        let scalar = self.element(w, id, &[])?;
        Ok(w.clamped(scalar, &limit.offset(1)))
    }

    fn computed(&mut self, w: &mut Writer, node: &Node, at: &[Dim]) -> Result<Vec<ScalarId>, LowerError> {
        let one = |scalar: ScalarId| vec![scalar];
        let not_lowered = |why| Err(LowerError::NotLowered { op: node.op().mnemonic(), why });
        match Rule::of(node.op().kind()) {
            Some(Rule::Leaf) => leaf::element(self, w, node, at).map(one),
            Some(Rule::Elementwise) => elementwise::elements(self, w, node, at),
            Some(Rule::Movement) => movement::element(self, w, node, at).map(one),
            Some(Rule::Indexing) => indexing::element(self, w, node, at).map(one),
            Some(Rule::Bits) => bits::element(self, w, node, at).map(one),
            Some(Rule::Reduction) => reduction::elements(self, w, node, at),
            Some(Rule::Contraction) => contraction::element(self, w, node, at).map(one),
            Some(Rule::Window) => windows::elements(self, w, node, at),
            Some(Rule::Whole) => {
                not_lowered("its elements are not computed separately; it has its own launches")
            }
            Some(Rule::None(why)) => not_lowered(why),
            None => not_lowered("it is a composite, which is decomposed first"),
        }
    }
}
