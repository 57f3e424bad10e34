//! Elements of the values of a group, written where they are read.

use super::{LowerError, elementwise, expanded, movement};
use crate::build::Writer;
use crate::kernel::{BufferId, Guard, ScalarId};
use rlx_ir::{DType, Dim, Graph, Node, NodeId, Op, OpClass, Scalar, Shape};
use std::collections::HashMap;

/// Where the elements of a value are that are not computed where they are read.
#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    /// In a buffer of the value's sizes.
    Buffer(BufferId),
    /// The value has one element.
    Scalar(ScalarId),
}

/// Writes elements of a group's values.
pub struct Reader<'g> {
    graph: &'g Graph,
    /// Where the elements of a node's value are; `None`: they are computed.
    sources: Vec<Option<Source>>,
    /// Where the values under way are needed; loads that would be outside are not made.
    guard: Guard,
    /// Elements that are written already, and in which block.
    written: HashMap<(NodeId, Vec<Dim>, Vec<Dim>), (usize, ScalarId)>,
}

impl<'g> Reader<'g> {
    /// Of a group's values, of which those that have sources come from there.
    pub fn new(graph: &'g Graph, sources: Vec<Option<Source>>) -> Self {
        Reader { graph, sources, guard: Guard::default(), written: HashMap::new() }
    }

    /// The results of a graph of scalars, such as the body of a reduction, on these operands.
    pub fn applied(w: &mut Writer, body: &Graph, args: &[ScalarId]) -> Result<Vec<ScalarId>, LowerError> {
        let body = expanded(body)?;
        let mut sources = vec![None; body.nodes().len()];
        for (input, &arg) in body.inputs().zip(args) {
            sources[input.id().index()] = Some(Source::Scalar(arg));
        }
        let mut reader = Reader::new(&body, sources);
        body.outputs().iter().map(|&id| reader.element(w, id, &[])).collect()
    }

    /// The shape of a value.
    pub fn shape(&self, id: NodeId) -> &'g Shape {
        self.graph.shape(id)
    }

    /// The element of a value at these indices.
    pub fn element(&mut self, w: &mut Writer, id: NodeId, at: &[Dim]) -> Result<ScalarId, LowerError> {
        let key = (id, at.to_vec(), self.guard.0.clone());
        if let Some(&(block, scalar)) = self.written.get(&key)
            && w.is_open(block)
        {
            return Ok(scalar);
        }
        let scalar = match self.sources[id.index()] {
            Some(Source::Buffer(buffer)) if self.guard.is_empty() => w.load(buffer, at),
            Some(Source::Buffer(buffer)) => {
                let zero = w.constant(self.shape(id).dtype(), Scalar::Int(0));
                w.load_guarded(buffer, at, self.guard.clone(), zero)
            }
            Some(Source::Scalar(scalar)) => scalar,
            None => self.computed(w, self.graph.node(id), at)?,
        };
        self.written.insert(key, (w.innermost(), scalar));
        Ok(scalar)
    }

    /// The element at these indices where the guard holds, and `fill` elsewhere.
    pub fn element_where(
        &mut self,
        w: &mut Writer,
        id: NodeId,
        at: &[Dim],
        guard: Guard,
        fill: ScalarId,
    ) -> Result<ScalarId, LowerError> {
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

    /// An integer scalar as an index: the value of rank 0, moved into 0 to `limit` (both included).
    pub fn start(&mut self, w: &mut Writer, id: NodeId, limit: &Dim) -> Result<Dim, LowerError> {
        let scalar = self.element(w, id, &[])?;
        Ok(w.clamped(scalar, &limit.offset(1)))
    }

    fn computed(&mut self, w: &mut Writer, node: &Node, at: &[Dim]) -> Result<ScalarId, LowerError> {
        let shape = node.shape();
        match node.op() {
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Select {}
            | Op::Clamp {}
            | Op::Betainc {}
            | Op::Convert { .. }
            | Op::ReducePrecision { .. } => elementwise::element(self, w, node, at),
            Op::Constant { value } if value.len() == 1 => {
                let scalar = Scalar::read(value.dtype(), value.bytes());
                Ok(w.constant(shape.dtype(), scalar))
            }
            Op::Iota { axis, .. } => {
                let count = w.index(DType::I64, &at[*axis]);
                Ok(w.convert(count, shape.dtype()))
            }
            Op::Reshape { .. }
            | Op::Transpose { .. }
            | Op::BroadcastInDim { .. }
            | Op::Slice { .. }
            | Op::Pad { .. }
            | Op::Concatenate { .. }
            | Op::Reverse { .. } => movement::element(self, w, node, at),
            op => Err(LowerError::NotLowered {
                op: op.mnemonic(),
                why: match op.kind().class() {
                    OpClass::Composite => "it is a composite, which is decomposed before",
                    _ => "there is no rule for its elements",
                },
            }),
        }
    }
}
