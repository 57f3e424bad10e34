//! The shape-inferring front end: tensors with operators and methods, which build a graph.
//!
//! Composites are written with it, and so are models. **IR-5**: errors do not interrupt an expression. They are collected, with
//! the op, the model path and the shapes, and [`Builder::finish`] returns all of them.

mod operators;

use crate::dim::Dim;
use crate::dtype::{Class, DType};
use crate::eval::{Scalar, Value};
use crate::graph::Graph;
use crate::literal::Literal;
use crate::node::{Label, Node, NodeId};
use crate::op::kinds::*;
use crate::op::{Op, OpClass, OpError, Recent};
use crate::shape::{Shape, broadcast_dims};
use crate::verify::{Violation, Violations, verify};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;

struct Scope {
    graph: Graph,
    violations: Vec<Violation>,
    /// The first error as the op returned it, for the composite that is being expanded.
    first: Option<(String, OpError)>,
    /// Scalar constants, if each is to be made only once.
    splats: Option<Splats>,
    recent: Recent,
}

impl Scope {
    fn add(&mut self, op: Op, ids: Vec<NodeId>) -> Result<NodeId, OpError> {
        let Scope { graph, recent, .. } = self;
        let results = graph.infer_by(&op, &ids, |op, operands| recent.infer(op, operands))?;
        Ok(graph.push(recent.shared(op), ids, results))
    }
}

/// Scalar constants, and their repetitions to other shapes, by value.
#[derive(Default)]
struct Splats {
    scalars: HashMap<(DType, SplatNumber), NodeId>,
    repeated: HashMap<(NodeId, Vec<Dim>), NodeId>,
}

/// A number as the caller passed it, before rounding.
#[derive(PartialEq, Eq, Hash)]
enum SplatNumber {
    Float(u64),
    Int(i64),
}

/// Builds a graph from expressions on [`Tensor`]s.
#[derive(Clone)]
pub struct Builder {
    scope: Rc<RefCell<Scope>>,
}

/// A value of the graph under construction. Cloning is cheap. After an error in the expression that made it, a tensor is *void*:
/// ops on it do nothing, so that a mistake is reported only once.
#[derive(Clone)]
pub struct Tensor {
    scope: Rc<RefCell<Scope>>,
    node: Option<(NodeId, Shape)>,
}

impl Builder {
    /// A builder with an empty graph.
    pub fn new(name: impl Into<String>) -> Self {
        let (graph, recent) = (Graph::new(name), Recent::default());
        let scope = Scope { graph, violations: Vec::new(), first: None, splats: None, recent };
        Builder { scope: Rc::new(RefCell::new(scope)) }
    }

    /// Makes this builder create each scalar constant, and each repetition of one to a shape, only once. Useful for graphs whose
    /// formulas use the same numbers many times.
    pub fn sharing_constants(self) -> Self {
        self.scope.borrow_mut().splats.get_or_insert_default();
        self
    }

    /// The entry of a table of shared constants, which `make` makes if it is missing. Just calls `make` if constants are not
    /// shared.
    fn shared<K: Eq + Hash>(
        &self,
        table: impl Fn(&mut Splats) -> &mut HashMap<K, NodeId>,
        key: impl FnOnce() -> K,
        make: impl FnOnce() -> Tensor,
    ) -> Tensor {
        if self.scope.borrow().splats.is_none() {
            return make();
        }
        let key = key();
        let known =
            self.scope.borrow_mut().splats.as_mut().and_then(|splats| table(splats).get(&key).copied());
        if let Some(id) = known {
            return self.wrap(id);
        }
        let made = make();
        if let (Some(id), Some(splats)) = (made.id(), &mut self.scope.borrow_mut().splats) {
            table(splats).insert(key, id);
        }
        made
    }

    #[track_caller]
    fn wrap(&self, id: NodeId) -> Tensor {
        let shape = self.scope.borrow().graph.shape(id).clone();
        Tensor { scope: self.scope.clone(), node: Some((id, shape)) }
    }

    /// Adds a value that each run provides.
    #[track_caller]
    pub fn input(&self, name: impl Into<String>, shape: Shape) -> Tensor {
        let id = self.scope.borrow_mut().graph.input(name, shape);
        self.wrap(id)
    }

    /// Adds a value that is set once and kept between runs.
    #[track_caller]
    pub fn param(&self, name: impl Into<String>, shape: Shape) -> Tensor {
        let id = self.scope.borrow_mut().graph.param(name, shape);
        self.wrap(id)
    }

    /// Adds a constant.
    #[track_caller]
    pub fn constant(&self, value: Literal) -> Tensor {
        let id = self.scope.borrow_mut().graph.constant(value);
        self.wrap(id)
    }

    /// Adds a scalar constant, rounded to `dtype`.
    #[track_caller]
    pub fn scalar(&self, value: f64, dtype: DType) -> Tensor {
        let make = || self.constant_of(&Value::splat(Vec::new(), dtype, Scalar::Float(value)));
        self.shared(|splats| &mut splats.scalars, || (dtype, SplatNumber::Float(value.to_bits())), make)
    }

    /// Adds an integer scalar constant.
    #[track_caller]
    pub fn int(&self, value: i64, dtype: DType) -> Tensor {
        let make = || self.constant_of(&Value::splat(Vec::new(), dtype, Scalar::Int(i128::from(value))));
        self.shared(|splats| &mut splats.scalars, || (dtype, SplatNumber::Int(value)), make)
    }

    #[track_caller]
    fn constant_of(&self, value: &Value) -> Tensor {
        match value.to_literal() {
            Ok(literal) => self.constant(literal),
            Err(e) => self.fail("constant", OpError::attribute(e.to_string()), Vec::new()),
        }
    }

    /// 0, 1, 2, … along `axis`.
    #[track_caller]
    pub fn iota(&self, shape: Shape, axis: usize) -> Tensor {
        self.apply(Op::Iota { shape, axis }, &[])
    }

    /// Adds an op with one result.
    #[track_caller]
    pub fn apply(&self, op: Op, operands: &[&Tensor]) -> Tensor {
        self.apply_many(op, operands).into_iter().next().unwrap_or_else(|| self.void())
    }

    /// Adds an op and projects all its results. After an error, returns one void tensor.
    #[track_caller]
    pub fn apply_many(&self, op: Op, operands: &[&Tensor]) -> Vec<Tensor> {
        let Some(ids) = operands.iter().map(|t| t.node.as_ref().map(|n| n.0)).collect::<Option<Vec<_>>>()
        else {
            return vec![self.void()];
        };
        if let Some(index) = operands.iter().position(|t| !Rc::ptr_eq(&t.scope, &self.scope)) {
            let error = OpError::shape(self.foreign(index, operands[index]));
            return vec![self.fail(op.mnemonic(), error, Vec::new())];
        }
        let name = op.mnemonic();
        let added = self.scope.borrow_mut().add(op, ids);
        let id = match added {
            Ok(id) => id,
            Err(e) => return vec![self.fail(name, e, operands.iter().map(|t| t.shape()).collect())],
        };
        let results = self.scope.borrow().graph.node(id).results().len();
        if results == 1 {
            return vec![self.wrap(id)];
        }
        (0..results)
            .map(|index| {
                // INVARIANT: the projection of an existing result always infers.
                let shape = self.scope.borrow().graph.node(id).results()[index].clone();
                let id = self.scope.borrow_mut().graph.push(Op::Output { index }, vec![id], vec![shape]);
                self.wrap(id)
            })
            .collect()
    }

    /// [`Op::decompose`], which runs only once for consecutive equal ops.
    pub fn decompose(&self, op: &Op, operands: &[Shape]) -> Result<Arc<Graph>, OpError> {
        self.scope.borrow_mut().recent.decompose(op, operands)
    }

    /// The message for an operand of another builder: why it cannot be used, and what to do.
    fn foreign(&self, index: usize, operand: &Tensor) -> String {
        let other = operand.scope.try_borrow();
        let node = other.as_ref().ok().zip(operand.id()).map(|(scope, id)| scope.graph.node(id));
        let what = node.map_or_else(String::new, |node| match node.name() {
            Some(name) => format!(" ({name:?}, {})", node.shape()),
            None => format!(" (the `{}` {}, {})", node.op().mnemonic(), node.id(), node.shape()),
        });
        let outer = other.as_ref().map_or_else(|_| String::new(), |scope| scope.graph.name().to_string());
        format!(
            "operand {index}{what} belongs to another builder, which builds graph {:?}; this one builds {:?}. A closure that is transformed \
             or repeated builds a separate graph: pass it what it needs as one more operand, or make constants inside it with \
             `x.builder()`",
            outer,
            self.scope.borrow().graph.name()
        )
    }

    /// Runs `f` with the label extended by `part`, so that the nodes that it adds name their model block.
    pub fn scoped<R>(&self, part: &str, f: impl FnOnce() -> R) -> R {
        let outer = self.scope.borrow().graph.label().clone();
        let inner = if outer.is_empty() { part.to_string() } else { format!("{outer}.{part}") };
        self.scope.borrow_mut().graph.set_label(inner);
        let result = f();
        self.scope.borrow_mut().graph.set_label(outer);
        result
    }

    /// Runs `f` with this label on the nodes that it adds, unless the label is empty.
    pub fn labeled<R>(&self, label: &Label, f: impl FnOnce() -> R) -> R {
        if label.is_empty() {
            return f();
        }
        let outer = self.scope.borrow().graph.label().clone();
        self.scope.borrow_mut().graph.set_label(label.clone());
        let result = f();
        self.scope.borrow_mut().graph.set_label(outer);
        result
    }

    /// Adds a copy of a node of another graph on operands of the same shapes, and projects all its results. The shapes are not
    /// inferred again; [`Builder::finish`] checks them.
    #[track_caller]
    pub fn copy(&self, node: &Node, operands: &[Tensor]) -> Vec<Tensor> {
        let Some(ids) = operands.iter().map(Tensor::id).collect::<Option<Vec<_>>>() else {
            return vec![self.void(); node.results().len()];
        };
        let copied = |graph: &mut Graph| {
            let label =
                if node.label().is_empty() { graph.label().clone() } else { node.label_arc().clone() };
            let outer = std::mem::replace(graph.label_mut(), label);
            let id = graph.push(node.op_arc().clone(), ids, node.results().to_vec());
            *graph.label_mut() = outer;
            graph.project(id)
        };
        let ids = copied(&mut self.scope.borrow_mut().graph);
        ids.into_iter().map(|id| self.wrap(id)).collect()
    }

    /// Adds the nodes of `body` with its inputs replaced by `args`.
    #[track_caller]
    pub fn inline(&self, body: &Graph, args: &[Tensor]) -> Result<Vec<Tensor>, OpError> {
        check_args("body", body, args.iter().map(Tensor::shape))?;
        let Some(ids) = args.iter().map(Tensor::id).collect::<Option<Vec<_>>>() else {
            return Ok(vec![self.void(); body.outputs().len()]);
        };
        let outputs = self.scope.borrow_mut().graph.inline(body, &ids);
        Ok(outputs.into_iter().map(|id| self.wrap(id)).collect())
    }

    /// A void tensor, for an error that is already recorded.
    #[track_caller]
    pub(crate) fn void(&self) -> Tensor {
        Tensor { scope: self.scope.clone(), node: None }
    }

    #[track_caller]
    fn fail(&self, op: &str, error: OpError, operands: Vec<Shape>) -> Tensor {
        let mut scope = self.scope.borrow_mut();
        let violation = Violation {
            node: None,
            op: op.to_string(),
            label: scope.graph.label().to_string(),
            operands,
            problem: error.to_string(),
            location: Some(Location::caller()),
        };
        scope.violations.push(violation);
        scope.first.get_or_insert((op.to_string(), error));
        Tensor { scope: self.scope.clone(), node: None }
    }

    /// Records an error that the program found itself, and returns a void tensor.
    #[track_caller]
    pub fn error(&self, op: &str, message: impl Into<String>) -> Tensor {
        self.fail(op, OpError::shape(message), Vec::new())
    }

    /// Returns the verified graph with these outputs, or every error in it (IR-5).
    pub fn finish(self, outputs: &[&Tensor]) -> Result<Graph, Violations> {
        self.sound()?;
        let mut graph = self.scope.borrow().graph.clone();
        graph.set_outputs(ids(outputs));
        verify(&graph)?;
        Ok(graph)
    }

    /// Returns the graph so far with these outputs, without nodes that no output needs and without a current label, or the errors
    /// so far. Transforms continue from such a graph. Each op was inferred when it was added; the other checks of [`verify`] run
    /// only in debug builds.
    pub fn intermediate(&self, outputs: &[&Tensor]) -> Result<Graph, Violations> {
        self.sound()?;
        let graph = self.scope.borrow().graph.live_part(ids(outputs));
        if cfg!(debug_assertions) {
            verify(&graph)?;
        }
        Ok(graph)
    }

    /// Fails if an expression failed.
    fn sound(&self) -> Result<(), Violations> {
        let scope = self.scope.borrow();
        match scope.violations.is_empty() {
            true => Ok(()),
            false => Err(Violations::new(scope.graph.name(), scope.violations.clone())),
        }
    }
}

/// The nodes of the tensors that are not void.
fn ids(tensors: &[&Tensor]) -> Vec<NodeId> {
    tensors.iter().filter_map(|tensor| tensor.id()).collect()
}

/// Fails unless `args` fit the inputs of a sub-graph, in order.
pub(crate) fn check_args(
    what: &str,
    body: &Graph,
    args: impl ExactSizeIterator<Item = Shape>,
) -> Result<(), OpError> {
    body.check_links().map_err(|e| OpError::shape(format!("{what} is not a graph: {e}")))?;
    let inputs = body.input_shapes();
    if inputs.len() != args.len() {
        return Err(OpError::shape(format!("{what} takes {} value(s), got {}", inputs.len(), args.len())));
    }
    for (i, (input, arg)) in inputs.iter().zip(args).enumerate() {
        if !input.compatible(&arg) {
            return Err(OpError::shape(format!("value {i} of {what} is declared {input}, got {arg}")));
        }
    }
    Ok(())
}

/// The shapes of a composite's results, which are those of its decomposition.
pub(crate) fn infer_composite(op: &Op, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
    Ok(op.decompose(operands)?.output_shapes())
}

impl Op {
    /// The graph that defines a composite: one input per operand, one output per result. Fails for a primitive or a leaf, which
    /// has no decomposition.
    pub fn decompose(&self, operands: &[Shape]) -> Result<Graph, OpError> {
        if self.kind().class() != OpClass::Composite {
            return Err(OpError::attribute(format!("`{}` has no decomposition", self.mnemonic())));
        }
        let builder = Builder::new(self.mnemonic());
        let inputs: Vec<Tensor> =
            operands.iter().enumerate().map(|(i, s)| builder.input(format!("x{i}"), s.clone())).collect();
        let results = self.expand(&inputs)?;
        // A composite without operands made its own builder, and built its graph with it.
        let mut scope = results.first().map_or(&builder.scope, |t| &t.scope).borrow_mut();
        if let Some((op, source)) = scope.first.take() {
            return Err(OpError::Inner { op, source: Box::new(source) });
        }
        let outputs: Option<Vec<NodeId>> = results.iter().map(|t| t.node.as_ref().map(|n| n.0)).collect();
        let outputs = outputs.ok_or_else(|| OpError::shape("the decomposition has no value"))?;
        scope.graph.set_outputs(outputs);
        check_sizes(&scope.graph)?;
        Ok(scope.graph.clone())
    }
}

/// Fails if the size in bytes of an intermediate value overflows, although those of the operands and results do not.
fn check_sizes(body: &Graph) -> Result<(), OpError> {
    for node in body.nodes() {
        let overflowing =
            node.results().iter().find(|shape| shape.is_static() && shape.num_bytes().is_none());
        if let Some(shape) = overflowing {
            let source = OpError::shape(format!("the size of its result {shape} overflows"));
            return Err(OpError::Inner { op: node.op().mnemonic().into(), source: Box::new(source) });
        }
    }
    Ok(())
}

impl Tensor {
    /// The builder that this tensor belongs to.
    pub fn builder(&self) -> Builder {
        Builder { scope: self.scope.clone() }
    }

    /// The node, unless the tensor is void.
    pub fn id(&self) -> Option<NodeId> {
        self.node.as_ref().map(|n| n.0)
    }

    /// The shape; that of an f32 scalar if the tensor is void.
    pub fn shape(&self) -> Shape {
        self.node.as_ref().map_or_else(|| Shape::scalar(DType::F32), |n| n.1.clone())
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.shape().dtype()
    }

    /// SplatNumber of axes.
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// The dimensions.
    pub fn dims(&self) -> Vec<Dim> {
        self.shape().dims().to_vec()
    }

    /// Dimension `axis`. If there is no such axis, records an error and returns 1.
    #[track_caller]
    pub fn dim(&self, axis: usize) -> Dim {
        match self.shape().dims().get(axis) {
            Some(dim) => dim.clone(),
            None => {
                if self.node.is_some() {
                    self.builder().error("dim", format!("axis {axis} is out of range for {}", self.shape()));
                }
                Dim::Static(1)
            }
        }
    }

    /// Adds an op whose first operand is this tensor.
    #[track_caller]
    pub fn apply(&self, op: Op, others: &[&Tensor]) -> Tensor {
        self.apply_many(op, others).swap_remove(0)
    }

    /// Adds an op whose first operand is this tensor, and projects all its results. After an error, returns one void tensor.
    #[track_caller]
    pub fn apply_many(&self, op: Op, others: &[&Tensor]) -> Vec<Tensor> {
        let operands: Vec<&Tensor> = std::iter::once(self).chain(others.iter().copied()).collect();
        self.builder().apply_many(op, &operands)
    }

    /// A scalar of this tensor's element type.
    #[track_caller]
    pub fn scalar_like(&self, value: f64) -> Tensor {
        if self.node.is_none() {
            return self.clone();
        }
        self.builder().scalar(value, self.dtype())
    }

    /// An elementwise function.
    #[track_caller]
    pub fn unary(&self, op: UnaryOp) -> Tensor {
        self.apply(Op::Unary { op }, &[])
    }

    /// An elementwise function of two tensors, broadcast as in NumPy.
    #[track_caller]
    pub fn binary(&self, op: BinaryOp, rhs: &Tensor) -> Tensor {
        let (a, b) = self.broadcast_with(rhs);
        a.apply(Op::Binary { op }, &[&b])
    }

    /// An elementwise comparison, broadcast as in NumPy.
    #[track_caller]
    pub fn compare(&self, op: CompareOp, rhs: &Tensor) -> Tensor {
        let (a, b) = self.broadcast_with(rhs);
        a.apply(Op::Compare { op, total_order: false }, &[&b])
    }

    /// Broadcasts both tensors to the same shape, as in NumPy: axes are aligned at the end, and axes of size 1 repeat.
    #[track_caller]
    pub fn broadcast_with(&self, other: &Tensor) -> (Tensor, Tensor) {
        if self.node.is_none() || other.node.is_none() {
            return (self.clone(), other.clone());
        }
        let (a, b) = (self.shape(), other.shape());
        if a.dims() == b.dims() {
            return (self.clone(), other.clone());
        }
        match broadcast_dims(a.dims(), b.dims()) {
            Some(dims) => (self.broadcast_to(&dims), other.broadcast_to(&dims)),
            None => {
                let message = format!("shapes {a} and {b} do not broadcast");
                let void = self.builder().fail("broadcast", OpError::Shape(message), vec![a, b]);
                (void.clone(), void)
            }
        }
    }

    /// Broadcasts the tensor to these dimensions: axes are aligned at the end, and axes of size 1 repeat.
    #[track_caller]
    pub fn broadcast_to(&self, dims: &[Dim]) -> Tensor {
        let own = self.shape();
        let Some((id, _)) = self.node.as_ref().filter(|_| own.dims() != dims) else { return self.clone() };
        if own.rank() > dims.len() {
            let message = format!("{own} does not broadcast to rank {}", dims.len());
            return self.builder().error("broadcast", message);
        }
        let axes = (dims.len() - own.rank()..dims.len()).collect();
        let make = || self.apply(Op::BroadcastInDim { dims: dims.to_vec(), axes }, &[]);
        if !own.is_scalar() {
            return make();
        }
        self.builder().shared(|splats| &mut splats.repeated, || (*id, dims.to_vec()), make)
    }

    /// Broadcasts the tensor to these dimensions, with its axes placed at `axes`.
    #[track_caller]
    pub fn broadcast_in_dim(&self, dims: &[Dim], axes: &[usize]) -> Tensor {
        self.apply(Op::BroadcastInDim { dims: dims.to_vec(), axes: axes.to_vec() }, &[])
    }

    /// The same elements, in row-major order, with other dimensions.
    #[track_caller]
    pub fn reshape(&self, dims: &[Dim]) -> Tensor {
        if self.shape().dims() == dims {
            return self.clone();
        }
        self.apply(Op::Reshape { dims: dims.to_vec() }, &[])
    }

    /// Inserts an axis of size 1 before `axis`.
    #[track_caller]
    pub fn unsqueeze(&self, axis: usize) -> Tensor {
        let mut dims = self.dims();
        dims.insert(axis.min(dims.len()), Dim::Static(1));
        self.reshape(&dims)
    }

    /// Removes `axis`, which must have size 1.
    #[track_caller]
    pub fn squeeze(&self, axis: usize) -> Tensor {
        let shape = self.shape();
        self.reshape(shape.without_axes(&[axis]).dims())
    }

    /// Permutes the axes: axis i of the result is axis `perm[i]`.
    #[track_caller]
    pub fn transpose(&self, perm: &[usize]) -> Tensor {
        if perm.iter().enumerate().all(|(i, &p)| i == p) && perm.len() == self.rank() {
            return self.clone();
        }
        self.apply(Op::Transpose { perm: perm.to_vec() }, &[])
    }

    /// Exchanges the last two axes.
    #[track_caller]
    pub fn transpose_last(&self) -> Tensor {
        let mut perm: Vec<usize> = (0..self.rank()).collect();
        let n = perm.len();
        if n >= 2 {
            perm.swap(n - 1, n - 2);
        }
        self.transpose(&perm)
    }

    /// Elements `start..limit` along an axis.
    #[track_caller]
    pub fn slice_axis(&self, axis: usize, start: impl Into<Dim>, limit: impl Into<Dim>) -> Tensor {
        let dims = self.dims();
        let mut starts = vec![Dim::Static(0); dims.len()];
        let mut limits = dims.clone();
        if axis >= dims.len() {
            self.dim(axis);
            return self.builder().void();
        }
        starts[axis] = start.into();
        limits[axis] = limit.into();
        let strides = vec![1; dims.len()];
        self.apply(Op::Slice { starts, limits, strides }, &[])
    }

    /// Converts to another element type.
    #[track_caller]
    pub fn convert(&self, dtype: DType) -> Tensor {
        if self.dtype() == dtype { self.clone() } else { self.apply(Op::Convert { dtype }, &[]) }
    }

    /// Combines elements along axes, which disappear, or stay with size 1 if `keep_dims`.
    #[track_caller]
    pub fn reduce(&self, kind: ReduceOp, axes: &[usize], keep_dims: bool) -> Tensor {
        let reduced = match kind {
            ReduceOp::Mean => return self.mean(axes, keep_dims),
            ReduceOp::LogSumExp => {
                return self.apply(Op::LogSumExp { axes: axes.to_vec(), keep_dims }, &[]);
            }
            kind => self.apply(Op::Reduce { kind, axes: axes.to_vec() }, &[]),
        };
        if !keep_dims || reduced.node.is_none() {
            return reduced;
        }
        let mut dims = self.dims();
        axes.iter().for_each(|&a| dims[a] = Dim::Static(1));
        reduced.reshape(&dims)
    }

    /// The number of elements along axes, as a scalar of this element type, whether or not the sizes are static.
    #[track_caller]
    pub fn count(&self, axes: &[usize]) -> Tensor {
        let shape = self.shape();
        let sizes: Option<Vec<usize>> =
            axes.iter().map(|&a| shape.dims().get(a).and_then(Dim::as_static)).collect();
        match sizes {
            Some(sizes) => self.scalar_like(sizes.iter().map(|&n| n as f64).product()),
            None => axes
                .iter()
                .map(|&axis| self.apply(Op::DimSize { axis }, &[]).convert(self.dtype()))
                .reduce(|a, b| a * b)
                .unwrap_or_else(|| self.scalar_like(1.0)),
        }
    }

    /// `on_true` where this boolean tensor is true, `on_false` elsewhere. All three broadcast as in NumPy.
    #[track_caller]
    pub fn select(&self, on_true: &Tensor, on_false: &Tensor) -> Tensor {
        let (t, f) = on_true.broadcast_with(on_false);
        let (p, t) = self.broadcast_with(&t);
        let (_, f) = p.broadcast_with(&f);
        p.apply(Op::Select {}, &[&t, &f])
    }

    /// A named elementwise function.
    #[track_caller]
    pub fn activation(&self, kind: Activation) -> Tensor {
        self.apply(Op::Activation { kind }, &[])
    }

    /// Matrix product over the last two axes; leading axes broadcast as in NumPy.
    #[track_caller]
    pub fn matmul(&self, rhs: &Tensor) -> Tensor {
        self.apply(Op::Matmul {}, &[rhs])
    }

    /// e^x / Σ e^x along an axis.
    #[track_caller]
    pub fn softmax(&self, axis: usize) -> Tensor {
        self.apply(Op::Softmax { axis }, &[])
    }

    /// Arithmetic mean along axes.
    #[track_caller]
    pub fn mean(&self, axes: &[usize], keep_dims: bool) -> Tensor {
        self.apply(Op::Mean { axes: axes.to_vec(), keep_dims }, &[])
    }
}

impl std::fmt::Debug for Tensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.node {
            Some((id, shape)) => write!(f, "{id}: {shape}"),
            None => f.write_str("void"),
        }
    }
}

/// Fails unless `x` has a type that can represent fractions, which decompositions that divide need.
pub(crate) fn check_inexact(x: &Tensor) -> Result<(), OpError> {
    match x.dtype().class() {
        Class::Float | Class::Complex => Ok(()),
        _ => Err(OpError::DType {
            operand: "x",
            got: x.dtype(),
            expected: "a floating point type; convert the operand first".into(),
        }),
    }
}
