//! Converts a graph of elementwise nodes to a list of instructions on values. An instruction says which code computes a node, and where its
//! operands come from. This module knows no registers and no tiles.

use crate::kernels::sizes;
use rlx_elementwise::compute_type::{ComputeType, register_form};
use rlx_elementwise::steps::{self, StepWriter};
use rlx_elementwise::tile::{Code, narrow};
use rlx_ir::eval::Scalar;
use rlx_ir::shape::row_major_strides;
use rlx_ir::{Activation, CompareOp, DType, Graph, Literal, Node, NodeId, Op};
use std::collections::HashMap;

/// Decompositions are never nested this deeply.
const MAX_DEPTH: usize = 8;

/// An operand of the program: its index in the list of operands, and what it contains.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OperandRef {
    pub(crate) operand: usize,
    pub(crate) dtype: DType,
    pub(crate) dims: Vec<usize>,
    /// Whether its elements are stored as registers hold them: narrow floats as f32.
    pub(crate) in_registers: bool,
}

/// A value of the program, by its index in [`ExprDag::values`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SsaValue(pub(crate) usize);

/// How a value is computed.
#[derive(Clone, Debug)]
pub(crate) enum Definition {
    /// An operand seen through strides, in elements, along the dimensions of the index space.
    Load { source: OperandRef, strides: Vec<usize> },
    /// One number for every index, in the form that a register holds.
    Constant { bytes: [u8; 16] },
    /// An instruction on earlier values.
    Apply { code: Code, args: Vec<SsaValue>, is_rounding: bool },
}

/// A program before registers are assigned.
pub(crate) struct ExprDag {
    /// The index space.
    pub(crate) dims: Vec<usize>,
    pub(crate) values: Vec<Definition>,
    pub(crate) compute_types: Vec<ComputeType>,
    /// The results.
    pub(crate) results: Vec<SsaValue>,
    pub(crate) dtypes: Vec<DType>,
}

/// What a node of the body represents.
#[derive(Clone)]
enum NodeValue {
    /// An operand, repeated and permuted: one stride per dimension of the node.
    View {
        source: OperandRef,
        strides: Vec<usize>,
    },
    /// A scalar constant, repeated.
    Number(Literal),
    Value(SsaValue),
}

impl ExprDag {
    /// Builds the program that computes `roots`, which are nodes over the index space `dims`, from the nodes in `sources`. Returns `None`
    /// if it contains a node that programs do not run.
    pub(crate) fn new(
        body: &Graph,
        roots: &[NodeId],
        sources: &HashMap<NodeId, OperandRef>,
        dims: &[usize],
    ) -> Option<ExprDag> {
        let mut builder =
            Builder { dims, values: Vec::new(), compute_types: Vec::new(), loads: HashMap::new() };
        let node_values = sources.iter().map(|(&id, source)| (id, view_of(source))).collect();
        let node_values = builder.run(body, roots, node_values, 0)?;
        let (mut results, mut dtypes) = (Vec::new(), Vec::new());
        for root in roots {
            let dtype = body.node(*root).shape().dtype();
            results.push(builder.value(node_values.get(root)?, dtype)?);
            dtypes.push(dtype);
        }
        Some(ExprDag {
            dims: dims.to_vec(),
            values: builder.values,
            compute_types: builder.compute_types,
            results,
            dtypes,
        })
    }

    /// Permutes the dimensions: dimension i becomes what was dimension `order[i]`.
    pub(crate) fn permute(&mut self, order: &[usize]) {
        let permuted = |list: &[usize]| order.iter().map(|&axis| list[axis]).collect();
        self.dims = permuted(&self.dims);
        for value in &mut self.values {
            if let Definition::Load { strides, .. } = value {
                *strides = permuted(strides);
            }
        }
    }
}

/// Returns whether programs read the node's value as they read operands: through strides, or as a number.
pub(crate) fn is_read(op: &Op) -> bool {
    match op {
        Op::Input { .. } | Op::BroadcastInDim { .. } => true,
        Op::Constant { value } => value.len() == 1,
        _ => false,
    }
}

fn view_of(source: &OperandRef) -> NodeValue {
    NodeValue::View { source: source.clone(), strides: row_major_strides(&source.dims) }
}

struct Builder<'a> {
    dims: &'a [usize],
    values: Vec<Definition>,
    compute_types: Vec<ComputeType>,
    /// Loads, by operand, element type and strides.
    loads: HashMap<(usize, DType, Vec<usize>), SsaValue>,
}

impl Builder<'_> {
    /// Computes what `roots` represent, and everything that they need, starting from the nodes in `known`.
    fn run(
        &mut self,
        body: &Graph,
        roots: &[NodeId],
        mut known: HashMap<NodeId, NodeValue>,
        depth: usize,
    ) -> Option<HashMap<NodeId, NodeValue>> {
        let mut wanted = vec![false; body.nodes().len()];
        roots.iter().for_each(|root| wanted[root.index()] = true);
        for node in body.nodes().iter().rev() {
            if wanted[node.id().index()] && !known.contains_key(&node.id()) {
                node.inputs().iter().for_each(|i| wanted[i.index()] = true);
            }
        }
        for node in body.nodes() {
            if wanted[node.id().index()] && !known.contains_key(&node.id()) {
                let node_value = self.node(body, node, &known, depth)?;
                known.insert(node.id(), node_value);
            }
        }
        Some(known)
    }

    fn node(
        &mut self,
        body: &Graph,
        node: &Node,
        known: &HashMap<NodeId, NodeValue>,
        depth: usize,
    ) -> Option<NodeValue> {
        match node.op() {
            Op::Constant { value } if value.len() == 1 => return Some(NodeValue::Number(value.clone())),
            Op::BroadcastInDim { axes, .. } => {
                let operand = node.inputs()[0];
                let repeated =
                    repeat(&known[&operand], &sizes(body.shape(operand)), &sizes(node.shape()), axes);
                return repeated;
            }
            _ => {}
        }
        if sizes(node.shape()) != self.dims {
            return None;
        }
        if let Some(op) = steps::total_order(node.op()) {
            let [a, b] = [node.inputs()[0], node.inputs()[1]];
            return self
                .compare_totally(op, [&known[&a], &known[&b]], body.shape(a).dtype())
                .map(NodeValue::Value);
        }
        let mut args = Vec::with_capacity(node.inputs().len());
        for &input in node.inputs() {
            args.push((self.value(&known[&input], body.shape(input).dtype())?, body.shape(input).dtype()));
        }
        if let Op::Activation { kind } = node.op() {
            return self.activation(*kind, node, body, &args, depth).map(NodeValue::Value);
        }
        steps::elementwise(self, node.op(), &args, node.shape().dtype()).map(NodeValue::Value)
    }

    /// Returns the value of a node over the whole index space.
    fn value(&mut self, node_value: &NodeValue, dtype: DType) -> Option<SsaValue> {
        match node_value {
            NodeValue::Value(id) => Some(*id),
            NodeValue::Number(literal) => {
                let bytes = register_form(Scalar::read(dtype, literal.bytes()), dtype);
                Some(self.push(Definition::Constant { bytes }, ComputeType::of(dtype)))
            }
            NodeValue::View { source, strides } => {
                if strides.len() != self.dims.len() {
                    return None;
                }
                Some(self.load(source, strides))
            }
        }
    }

    /// Returns the elements of an operand seen through strides. Each is loaded only once.
    fn load(&mut self, source: &OperandRef, strides: &[usize]) -> SsaValue {
        let key = (source.operand, source.dtype, strides.to_vec());
        if let Some(&id) = self.loads.get(&key) {
            return id;
        }
        let load = Definition::Load { source: source.clone(), strides: strides.to_vec() };
        let id = self.push(load, ComputeType::of(source.dtype));
        self.loads.insert(key, id);
        id
    }

    /// Returns the bits of a narrow float if they are stored. As a value of a program it would be widened, and a machine that widens need
    /// not preserve which NaN it is.
    fn pattern(&mut self, node_value: &NodeValue, dtype: DType) -> Option<SsaValue> {
        let bits = narrow::bits(dtype)?;
        match node_value {
            NodeValue::Number(literal) => {
                let bytes = register_form(Scalar::read(bits, literal.bytes()), bits);
                Some(self.push(Definition::Constant { bytes }, ComputeType::of(bits)))
            }
            NodeValue::View { source, strides }
                if !source.in_registers && strides.len() == self.dims.len() =>
            {
                Some(self.load(&OperandRef { dtype: bits, ..source.clone() }, strides))
            }
            _ => None,
        }
    }

    /// Compares by the total order: on bits if both operands have them stored, otherwise on registers.
    fn compare_totally(&mut self, op: CompareOp, of: [&NodeValue; 2], dtype: DType) -> Option<SsaValue> {
        let mut patterns = [None; 2];
        for (pattern, node_value) in patterns.iter_mut().zip(of) {
            *pattern = self.pattern(node_value, dtype);
        }
        let (ids, held) = match patterns {
            [Some(a), Some(b)] => ([a, b], narrow::bits(dtype).unwrap_or(dtype)),
            _ => {
                let mut ids = [SsaValue(0); 2];
                for ((id, pattern), node_value) in ids.iter_mut().zip(patterns).zip(of) {
                    *id = match (pattern, narrow::widen(dtype)) {
                        (Some(pattern), Some(code)) => self.step(code, &[pattern], dtype, false),
                        _ => self.value(node_value, dtype)?,
                    };
                }
                (ids, dtype)
            }
        };
        steps::compare_totally(self, op, ids, dtype, ComputeType::of(held))
    }

    fn push(&mut self, definition: Definition, compute: ComputeType) -> SsaValue {
        self.values.push(definition);
        self.compute_types.push(compute);
        SsaValue(self.values.len() - 1)
    }

    /// Uses one instruction in f32 if there is one, otherwise the decomposition.
    fn activation(
        &mut self,
        kind: Activation,
        node: &Node,
        body: &Graph,
        args: &[(SsaValue, DType)],
        depth: usize,
    ) -> Option<SsaValue> {
        let &(x, dtype) = args.first()?;
        if let Some(value) = steps::activation(self, kind, x, dtype) {
            return Some(value);
        }
        if depth == MAX_DEPTH {
            return None;
        }
        let shapes: Vec<_> = node.inputs().iter().map(|&i| body.shape(i).clone()).collect();
        let inner = node.op().decompose(&shapes).ok()?;
        let inputs = inner.nodes().iter().filter(|n| matches!(n.op(), Op::Input { .. }));
        let known = inputs.zip(args).map(|(n, arg)| (n.id(), NodeValue::Value(arg.0))).collect();
        let root = *inner.outputs().first()?;
        let node_values = self.run(&inner, &[root], known, depth + 1)?;
        self.value(node_values.get(&root)?, inner.node(root).shape().dtype())
    }
}

impl StepWriter for Builder<'_> {
    type Value = SsaValue;

    fn step(&mut self, code: Code, args: &[SsaValue], dtype: DType, is_rounding: bool) -> SsaValue {
        let apply = Definition::Apply { code, args: args.to_vec(), is_rounding };
        self.push(apply, ComputeType::of(dtype))
    }
}

/// Returns a node seen through a broadcast.
fn repeat(node_value: &NodeValue, from: &[usize], to: &[usize], axes: &[usize]) -> Option<NodeValue> {
    match node_value {
        NodeValue::Number(literal) => Some(NodeValue::Number(literal.clone())),
        NodeValue::View { source, strides } => {
            let mut repeated = vec![0; to.len()];
            for ((&stride, &size), &axis) in strides.iter().zip(from).zip(axes) {
                repeated[axis] = if size == 1 { 0 } else { stride };
            }
            Some(NodeValue::View { source: source.clone(), strides: repeated })
        }
        NodeValue::Value(id) => {
            let same = from == to && axes.iter().enumerate().all(|(i, &axis)| i == axis);
            same.then_some(NodeValue::Value(*id))
        }
    }
}
