//! From a graph of elementwise nodes to a list of instructions on values: which code computes each node, and where
//! its operands come from. Knows no registers and no tiles.

use super::compute_type::{Bit, ComputeElement, ComputeType, is_narrow, with_compute_type};
use super::tile::{
    Code, Extra, arithmetic, comparison, conversion, doubles, evaluator, functions, integers, narrow,
};
use crate::kernels::sizes;
use rlx_ir::eval::Scalar;
use rlx_ir::shape::row_major_strides;
use rlx_ir::{Activation, BinaryOp, CompareOp, DType, Graph, Literal, Node, NodeId, Op, UnaryOp};
use std::collections::HashMap;

/// Decompositions inside decompositions end long before this depth.
const MAX_DEPTH: usize = 8;

/// An operand of the program: where it lies in the list of operands, and what it holds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OperandRef {
    pub(crate) operand: usize,
    pub(crate) dtype: DType,
    pub(crate) dims: Vec<usize>,
    /// Whether its elements are stored as registers hold them, narrow floats as f32.
    pub(crate) in_registers: bool,
}

/// A value of the program, by its place in [`ExprDag::values`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SsaValue(pub(crate) usize);

/// How a value comes to be.
#[derive(Clone, Debug)]
pub(crate) enum Definition {
    /// An operand seen through strides, in elements, on the dimensions of the index space.
    Load { source: OperandRef, strides: Vec<usize> },
    /// One number for every index, as a register holds it.
    Constant { bytes: [u8; 16] },
    /// An instruction on earlier values.
    Apply { code: Code, args: Vec<SsaValue>, is_rounding: bool },
}

/// A program before it has registers.
pub(crate) struct ExprDag {
    /// The index space.
    pub(crate) dims: Vec<usize>,
    pub(crate) values: Vec<Definition>,
    pub(crate) compute_types: Vec<ComputeType>,
    /// The results.
    pub(crate) results: Vec<SsaValue>,
    pub(crate) dtypes: Vec<DType>,
}

/// What a node of the body stands for.
#[derive(Clone)]
enum NodeValue {
    /// An operand repeated and permuted: a stride per dimension of the node.
    View {
        source: OperandRef,
        strides: Vec<usize>,
    },
    /// A scalar constant repeated.
    Number(Literal),
    Value(SsaValue),
}

impl ExprDag {
    /// The program that computes `roots`, nodes over the index space `dims`, from the nodes in `sources`. `None` if
    /// it holds a node that programs do not run.
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

    /// Runs over the dimensions in another order: dimension i is what `order[i]` was.
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

/// The code of a step, the values that it reads, and what its result is held as.
pub(crate) type AppliedStep = (Code, Vec<SsaValue>, ComputeType);

/// The steps that compute an op on values of these types, which are the first ones, and the value of the result. `None` if it is none
/// that programs run.
pub(crate) fn applied(op: &Op, types: &[DType], result: DType) -> Option<(Vec<AppliedStep>, SsaValue)> {
    let mut builder =
        Builder { dims: &[], values: Vec::new(), compute_types: Vec::new(), loads: HashMap::new() };
    let given = Definition::Constant { bytes: [0; 16] };
    let args: Vec<(SsaValue, DType)> =
        types.iter().map(|&dtype| (builder.push(given.clone(), ComputeType::of(dtype)), dtype)).collect();
    let value = match op {
        // A machine that widens need not keep which NaN a narrow float is.
        Op::Compare { total_order: true, .. } if is_narrow(types[0]) => return None,
        Op::Compare { op, total_order: true } => {
            let [a, b] = [0, 1].map(|i| NodeValue::Value(SsaValue(i)));
            builder.compare_totally(*op, [&a, &b], types[0])?
        }
        _ => builder.elementwise(op, &args, result)?,
    };
    let steps = builder.values.into_iter().zip(builder.compute_types).skip(types.len());
    let steps = steps.map(|(value, compute)| match value {
        Definition::Apply { code, args, .. } => Some((code, args, compute)),
        _ => None,
    });
    Some((steps.collect::<Option<_>>()?, value))
}

/// Whether programs read the node's value as they do operands: through strides, or as a number.
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
    /// By operand, element type and strides.
    loads: HashMap<(usize, DType, Vec<usize>), SsaValue>,
}

impl Builder<'_> {
    /// What `roots` stand for, computed from their operands, which `known` ends, and of what they are computed from.
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
        if let Op::Compare { op, total_order: true } = node.op() {
            let [a, b] = [node.inputs()[0], node.inputs()[1]];
            return self
                .compare_totally(*op, [&known[&a], &known[&b]], body.shape(a).dtype())
                .map(NodeValue::Value);
        }
        let mut args = Vec::with_capacity(node.inputs().len());
        for &input in node.inputs() {
            args.push((self.value(&known[&input], body.shape(input).dtype())?, body.shape(input).dtype()));
        }
        if let Op::Activation { kind } = node.op() {
            return self.activation(*kind, node, body, &args, depth).map(NodeValue::Value);
        }
        self.elementwise(node.op(), &args, node.shape().dtype()).map(NodeValue::Value)
    }

    /// The value of a node over the whole index space.
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

    /// The elements of an operand seen through strides, loaded once.
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

    /// The bits of a narrow float where they are stored: as a value of a program it is widened, and a machine that
    /// widens need not keep which NaN it is.
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

    /// A comparison by the total order: of bits where both operands have them stored, else of registers.
    fn compare_totally(&mut self, op: CompareOp, of: [&NodeValue; 2], dtype: DType) -> Option<SsaValue> {
        let mut patterns = [None; 2];
        for (pattern, node_value) in patterns.iter_mut().zip(of) {
            *pattern = self.pattern(node_value, dtype);
        }
        let (ids, compute) = match patterns {
            [Some(a), Some(b)] => {
                ([a, b], narrow::bits(dtype).map_or(ComputeType::of(dtype), ComputeType::of))
            }
            _ => {
                let mut ids = [SsaValue(0); 2];
                for ((id, pattern), node_value) in ids.iter_mut().zip(patterns).zip(of) {
                    *id = match (pattern, narrow::widen(dtype)) {
                        (Some(pattern), Some(code)) => self.apply(code, &[pattern], dtype),
                        _ => self.value(node_value, dtype)?,
                    };
                }
                (ids, ComputeType::of(dtype))
            }
        };
        let compare = if dtype.is_float() { comparison::compare_totally } else { comparison::compare };
        let (code, swapped) = compare(op, compute)?;
        let [a, b] = ids;
        let args = if swapped { [b, a] } else { [a, b] };
        Some(self.apply(code, &args, DType::Bool))
    }

    fn push(&mut self, definition: Definition, compute: ComputeType) -> SsaValue {
        self.values.push(definition);
        self.compute_types.push(compute);
        SsaValue(self.values.len() - 1)
    }

    fn apply(&mut self, code: Code, args: &[SsaValue], dtype: DType) -> SsaValue {
        self.push(Definition::Apply { code, args: args.to_vec(), is_rounding: false }, ComputeType::of(dtype))
    }

    /// The value rounded to `dtype`, if that is narrower than its register.
    fn rounded(&mut self, value: SsaValue, dtype: DType) -> SsaValue {
        match narrow::round(dtype) {
            Some(code) => {
                let apply = Definition::Apply { code, args: vec![value], is_rounding: true };
                self.push(apply, ComputeType::of(dtype))
            }
            None => value,
        }
    }

    fn elementwise(&mut self, op: &Op, args: &[(SsaValue, DType)], result: DType) -> Option<SsaValue> {
        let ids: Vec<SsaValue> = args.iter().map(|a| a.0).collect();
        let dtype = args.first()?.1;
        Some(match op {
            Op::Unary { op } => self.unary(*op, ids[0], dtype),
            Op::Binary { op } => self.binary(*op, ids[0], ids[1], dtype),
            Op::Compare { op, .. } => {
                let (code, swapped) = comparison::compare(*op, ComputeType::of(dtype))?;
                let args = if swapped { [ids[1], ids[0]] } else { [ids[0], ids[1]] };
                self.apply(code, &args, DType::Bool)
            }
            Op::Select {} => self.apply(comparison::select(ComputeType::of(result)), &ids, result),
            Op::Clamp {} => {
                let raised = self.binary(BinaryOp::Max, ids[1], ids[0], dtype);
                self.binary(BinaryOp::Min, raised, ids[2], dtype)
            }
            Op::Betainc {} => {
                let value = self.apply(evaluator::betainc_of(dtype), &ids, dtype);
                self.rounded(value, dtype)
            }
            Op::Convert { dtype: to } => self.convert(ids[0], dtype, *to),
            Op::ReducePrecision { exponent_bits, mantissa_bits } => {
                let code = evaluator::reduce_precision(*exponent_bits, *mantissa_bits, dtype);
                let value = self.apply(code, &ids, dtype);
                self.rounded(value, dtype)
            }
            _ => return None,
        })
    }

    fn unary(&mut self, op: UnaryOp, x: SsaValue, dtype: DType) -> SsaValue {
        use UnaryOp::{Conj, Imag, IsFinite, Not, Real};
        let (compute, result) = (ComputeType::of(dtype), op.result(dtype));
        let code = match op {
            Real | Conj if dtype.is_float() => return x,
            Real | Imag if dtype.is_complex() => arithmetic::complex_part(op, compute),
            IsFinite => comparison::is_finite(compute),
            Not if dtype == DType::Bool => Some(arithmetic::negation()),
            _ if dtype.is_int() => integers::unary(op, compute),
            _ => None,
        };
        if let Some(code) = code {
            return self.apply(code, &[x], result);
        }
        if dtype.is_float() {
            return self.float_unary(op, x, dtype);
        }
        self.apply(evaluator::unary(op, dtype), &[x], result)
    }

    fn float_unary(&mut self, op: UnaryOp, x: SsaValue, dtype: DType) -> SsaValue {
        if let Some((code, exact)) = arithmetic::float_unary(op, ComputeType::of(dtype)) {
            let value = self.apply(code, &[x], dtype);
            return if exact { value } else { self.rounded(value, dtype) };
        }
        if dtype == DType::F64
            && let Some(code) = doubles::unary(op)
        {
            return self.apply(code, &[x], dtype);
        }
        match functions::unary(op).filter(|_| dtype != DType::F64) {
            Some(code) => {
                let approximate = self.apply(code, &[x], dtype);
                match narrow::round_checked(dtype, Extra::Unary(op, dtype)) {
                    Some(code) => self.apply(code, &[approximate, x], dtype),
                    None => approximate,
                }
            }
            None => {
                let value = self.apply(evaluator::unary(op, dtype), &[x], dtype);
                self.rounded(value, dtype)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, a: SsaValue, b: SsaValue, dtype: DType) -> SsaValue {
        let (compute, result) = (ComputeType::of(dtype), op.result(dtype));
        if dtype.is_float() && op != BinaryOp::Complex {
            let (code, exact) = arithmetic::float_binary(op, compute)
                .unwrap_or_else(|| (evaluator::binary(op, dtype), false));
            let value = self.apply(code, &[a, b], dtype);
            return if exact { value } else { self.rounded(value, dtype) };
        }
        let code = match dtype {
            DType::Bool => arithmetic::bool_binary(op),
            _ if op == BinaryOp::Complex => arithmetic::complex_of(compute),
            _ if dtype.is_complex() => arithmetic::complex_binary(op, compute),
            _ => integers::binary(op, compute),
        };
        let code = code.unwrap_or_else(|| evaluator::binary(op, dtype));
        self.apply(code, &[a, b], result)
    }

    fn convert(&mut self, x: SsaValue, from: DType, to: DType) -> SsaValue {
        if from == to {
            return x;
        }
        let value = match conversion::convert(from, to) {
            Some(code) => self.apply(code, &[x], to),
            None => x,
        };
        // From a narrower operand of a format inside the new one nothing is left to round, but that costs little.
        self.rounded(value, to)
    }

    /// One instruction in f32 where there is one, otherwise the decomposition.
    fn activation(
        &mut self,
        kind: Activation,
        node: &Node,
        body: &Graph,
        args: &[(SsaValue, DType)],
        depth: usize,
    ) -> Option<SsaValue> {
        let &(x, dtype) = args.first()?;
        if dtype == DType::F32
            && let Some(code) = functions::activation(kind)
        {
            return Some(self.apply(code, &[x], dtype));
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

/// A node seen through a broadcast.
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

/// A number as a register of type `dtype` holds it.
pub(crate) fn register_form(x: Scalar, dtype: DType) -> [u8; 16] {
    fn bytes<T: ComputeElement + bytemuck::NoUninit>(x: Scalar) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&T::from_scalar(x)));
        bytes
    }
    let x = x.convert(dtype);
    if is_narrow(dtype) {
        return bytes::<f32>(x);
    }
    with_compute_type!(ComputeType::of(dtype), [F32 F64 I8 I16 I32 I64 U8 U16 U32 U64 C64 C128],
    T => bytes::<T>(x), else {
        let mut bytes = [0; 16];
        bytes[0] = Bit::from_scalar(x).0;
        bytes
    })
}
