//! One operation that is being imported: its operands, its attributes, and the graph that its nodes are added to.

use super::attributes::Fields;
use super::program::Importer;
use super::types::Declared;
use crate::syntax::{Function, Operation, ValueId};
use rlx_ir::{BinaryOp, Builder, DType, Dim, Graph, Literal, NodeId, Op, OpError, Shape, Tensor, UnaryOp};
use std::collections::HashMap;

/// Why an operation cannot be imported.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Problem {
    pub(super) message: String,
    /// Whether the text is well formed, but RLX cannot express it.
    pub(super) unsupported: bool,
}

/// The result of importing something.
pub(super) type Outcome<T> = Result<T, Problem>;

impl Problem {
    /// Creates an error in the text.
    pub(super) fn error(message: impl Into<String>) -> Self {
        Problem { message: message.into(), unsupported: false }
    }

    /// Creates a report of something that RLX cannot express.
    pub(super) fn unsupported(message: impl Into<String>) -> Self {
        Problem { message: message.into(), unsupported: true }
    }
}

impl From<OpError> for Problem {
    fn from(error: OpError) -> Self {
        Problem::error(error.to_string())
    }
}

impl From<rlx_ir::LiteralError> for Problem {
    fn from(error: rlx_ir::LiteralError) -> Self {
        Problem::error(error.to_string())
    }
}

/// The meaning of a value of the text in the graph.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Val {
    /// A node with one result.
    Tensor(NodeId),
    /// Several values with one name.
    Tuple(Vec<Val>),
    /// Nothing: tokens order effects, and a graph has no effects.
    Token,
    /// Nothing, because its operation could not be imported.
    Void,
}

impl From<NodeId> for Val {
    fn from(id: NodeId) -> Self {
        Val::Tensor(id)
    }
}

/// The values that are visible in a block of a function.
pub(super) struct Frame<'m> {
    pub(super) function: &'m Function,
    pub(super) values: HashMap<ValueId, Val>,
}

/// Imports an operation and returns its results.
pub(super) type Rule = for<'a, 'm> fn(&mut ImportContext<'a, 'm>) -> Outcome<Vec<Val>>;

/// The operation that is being imported.
pub(super) struct ImportContext<'a, 'm> {
    pub(super) im: &'a mut Importer<'m>,
    pub(super) frame: &'a Frame<'m>,
    pub(super) op: &'m Operation,
    pub(super) args: Vec<Val>,
}

/// Returns one value as the results of an operation.
pub(super) fn one(id: NodeId) -> Outcome<Vec<Val>> {
    Ok(vec![Val::Tensor(id)])
}

/// Returns several values as the results of an operation.
pub(super) fn many(ids: Vec<NodeId>) -> Outcome<Vec<Val>> {
    Ok(ids.into_iter().map(Val::Tensor).collect())
}

impl<'m> ImportContext<'_, 'm> {
    /// Returns the name without its dialect.
    pub(super) fn name(&self) -> &'m str {
        let op = self.op;
        op.name.split_once('.').map_or(&*op.name, |(_, name)| name)
    }

    /// Returns the attributes.
    pub(super) fn fields(&self) -> Fields<'m> {
        Fields(&self.op.attributes)
    }

    /// Returns operand `i`, which must be a tensor.
    pub(super) fn tensor(&self, i: usize) -> Outcome<NodeId> {
        match self.args.get(i) {
            Some(Val::Tensor(id)) => Ok(*id),
            Some(_) => Err(Problem::error(format!("operand {i} is not a tensor"))),
            None => Err(Problem::error(format!("operand {i} is missing; there are {}", self.args.len()))),
        }
    }

    /// Returns all operands, which must be tensors.
    pub(super) fn tensors(&self) -> Outcome<Vec<NodeId>> {
        (0..self.args.len()).map(|i| self.tensor(i)).collect()
    }

    /// Returns all operands, which must be `N` tensors.
    pub(super) fn operands<const N: usize>(&self) -> Outcome<[NodeId; N]> {
        let ids = self.tensors()?;
        let got = ids.len();
        ids.try_into().map_err(|_| Problem::error(format!("takes {N} operand(s), got {got}")))
    }

    /// Returns the shape of a value.
    pub(super) fn shape(&self, id: NodeId) -> Shape {
        self.im.scope.graph.shape(id).clone()
    }

    /// Returns the element type of a value.
    pub(super) fn dtype(&self, id: NodeId) -> DType {
        self.im.scope.graph.shape(id).dtype()
    }

    /// Returns the rank of a value.
    pub(super) fn rank(&self, id: NodeId) -> usize {
        self.im.scope.graph.shape(id).rank()
    }

    /// Returns the declared type of result `i`.
    pub(super) fn declared(&self, i: usize) -> Outcome<Declared> {
        match self.op.results.get(i) {
            Some(&id) => Declared::of(&self.frame.function.value(id).ty),
            None => Err(Problem::error(format!("has only {} result(s)", self.op.results.len()))),
        }
    }

    /// Returns the declared shape of result `i`, in which every size must be declared.
    pub(super) fn fixed(&self, i: usize) -> Outcome<Shape> {
        let declared = self.declared(i)?;
        declared
            .fixed()
            .ok_or_else(|| Problem::error(format!("the sizes of its result {declared} must be declared")))
    }

    /// Adds an op with one result.
    pub(super) fn add(&mut self, op: Op, inputs: &[NodeId]) -> Outcome<NodeId> {
        self.im.scope.add(op, inputs)
    }

    /// Adds an op and projects its results.
    pub(super) fn add_all(&mut self, op: Op, inputs: &[NodeId]) -> Outcome<Vec<NodeId>> {
        self.im.scope.add_all(op, inputs)
    }

    /// Adds an elementwise function of one operand.
    pub(super) fn unary(&mut self, op: UnaryOp, x: NodeId) -> Outcome<NodeId> {
        self.add(Op::Unary { op }, &[x])
    }

    /// Adds an elementwise function of two operands.
    pub(super) fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> Outcome<NodeId> {
        self.add(Op::Binary { op }, &[a, b])
    }

    /// Adds a conversion if it is needed.
    pub(super) fn convert(&mut self, x: NodeId, dtype: DType) -> Outcome<NodeId> {
        if self.dtype(x) == dtype { Ok(x) } else { self.add(Op::Convert { dtype }, &[x]) }
    }

    /// Adds a reshape if it is needed.
    pub(super) fn reshape(&mut self, x: NodeId, dims: &[Dim]) -> Outcome<NodeId> {
        if self.shape(x).dims() == dims { Ok(x) } else { self.add(Op::Reshape { dims: dims.to_vec() }, &[x]) }
    }

    /// Broadcasts a scalar to these sizes if needed.
    pub(super) fn spread(&mut self, scalar: NodeId, dims: &[Dim]) -> Outcome<NodeId> {
        if self.shape(scalar).dims() == dims {
            return Ok(scalar);
        }
        self.add(Op::BroadcastInDim { dims: dims.to_vec(), axes: Vec::new() }, &[scalar])
    }

    /// Adds a constant.
    pub(super) fn literal(&mut self, value: Literal) -> Outcome<NodeId> {
        self.add(Op::Constant { value }, &[])
    }

    /// Adds a scalar constant, converted to `dtype`.
    pub(super) fn number(&mut self, value: f64, dtype: DType) -> Outcome<NodeId> {
        self.literal(Literal::scalar(value).convert(dtype))
    }

    /// Adds an integer scalar constant, converted to `dtype`.
    pub(super) fn integer(&mut self, value: i64, dtype: DType) -> Outcome<NodeId> {
        self.literal(Literal::scalar(value).convert(dtype))
    }

    /// Adds what `build` computes from these values as tensors.
    pub(super) fn expand(
        &mut self,
        args: &[NodeId],
        build: impl FnOnce(&Builder, &[Tensor]) -> Vec<Tensor>,
    ) -> Outcome<Vec<NodeId>> {
        let builder = Builder::new("expansion");
        let named = args.iter().enumerate().map(|(i, &id)| builder.input(format!("x{i}"), self.shape(id)));
        let inputs: Vec<Tensor> = named.collect();
        let results = build(&builder, &inputs);
        let graph = builder.finish(&results.iter().collect::<Vec<_>>());
        match graph {
            Ok(graph) => Ok(self.inline(&graph, args)),
            Err(violations) => {
                let problems: Vec<&str> = violations.list().iter().map(|v| v.problem.as_str()).collect();
                Err(Problem::error(problems.join("; ")))
            }
        }
    }

    /// Adds the nodes of a valid graph, applied to these values.
    pub(super) fn inline(&mut self, graph: &Graph, args: &[NodeId]) -> Vec<NodeId> {
        self.im.scope.inline(graph, args)
    }
}
