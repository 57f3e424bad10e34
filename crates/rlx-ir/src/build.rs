//! Builders with explicit output shapes, for programs that state every shape. They never fail: the verifier reports what does not
//! fit when the graph is compiled. Operands broadcast as in NumPy if the stated shape requires it.

use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::Graph;
use crate::node::NodeId;
use crate::op::Op;
use crate::op::kinds::{Activation, BinaryOp, CompareOp, ReduceOp};
use crate::shape::Shape;

impl Graph {
    /// Matrix product: `[…, m, k]` · `[…, k, n]` → `[…, m, n]`.
    pub fn matmul(&mut self, a: NodeId, b: NodeId, shape: Shape) -> NodeId {
        self.add_node(Op::Matmul {}, vec![a, b], shape)
    }

    /// An elementwise function of two tensors, each broadcast to `shape` if it is smaller.
    pub fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId, shape: Shape) -> NodeId {
        let (a, b) = (self.broadcast_operand(a, shape.dims()), self.broadcast_operand(b, shape.dims()));
        self.add_node(Op::Binary { op }, vec![a, b], shape)
    }

    /// A comparison; `shape` is boolean.
    pub fn compare(&mut self, op: CompareOp, a: NodeId, b: NodeId, shape: Shape) -> NodeId {
        let (a, b) = (self.broadcast_operand(a, shape.dims()), self.broadcast_operand(b, shape.dims()));
        self.add_node(Op::Compare { op, total_order: false }, vec![a, b], shape)
    }

    /// A named elementwise function.
    pub fn activation(&mut self, kind: Activation, x: NodeId, shape: Shape) -> NodeId {
        self.add_node(Op::Activation { kind }, vec![x], shape)
    }

    /// A reduction along axes, which are kept with size 1 if `keep_dim`.
    pub fn reduce(
        &mut self,
        x: NodeId,
        kind: ReduceOp,
        axes: Vec<usize>,
        keep_dim: bool,
        shape: Shape,
    ) -> NodeId {
        match kind {
            ReduceOp::Mean => return self.add_node(Op::Mean { axes, keep_dims: keep_dim }, vec![x], shape),
            ReduceOp::LogSumExp => {
                return self.add_node(Op::LogSumExp { axes, keep_dims: keep_dim }, vec![x], shape);
            }
            _ => {}
        }
        if !keep_dim {
            return self.add_node(Op::Reduce { kind, axes }, vec![x], shape);
        }
        let reduced = shape.without_axes(&axes);
        let reduced = self.add_node(Op::Reduce { kind, axes }, vec![x], reduced);
        self.add_node(Op::Reshape { dims: shape.dims().to_vec() }, vec![reduced], shape)
    }

    /// The same elements, in row-major order, with other dimensions. A negative entry of `dims` takes the dimension that `shape`
    /// states for that axis.
    pub fn reshape(&mut self, x: NodeId, dims: Vec<i64>, shape: Shape) -> NodeId {
        let stated = |i: usize| shape.dims().get(i).cloned().unwrap_or(Dim::Static(1));
        let dims =
            dims.iter().enumerate().map(|(i, &d)| usize::try_from(d).map_or_else(|_| stated(i), Dim::Static));
        self.add_node(Op::Reshape { dims: dims.collect() }, vec![x], shape)
    }

    /// e^x / Σ e^x along an axis.
    pub fn softmax(&mut self, x: NodeId, axis: usize, shape: Shape) -> NodeId {
        self.add_node(Op::Softmax { axis }, vec![x], shape)
    }

    /// `−log softmax(logits)[label]` over the last axis, one loss per row, for logits `[…, classes]` and labels `[…]`. Labels are
    /// class ids; floats are accepted.
    pub fn softmax_cross_entropy_with_logits(&mut self, logits: NodeId, labels: NodeId) -> NodeId {
        let shape = self.get(logits).map_or(Shape::scalar(DType::F32), |n| {
            n.shape().without_axes(&[n.shape().rank().saturating_sub(1)])
        });
        self.add_node(Op::SoftmaxCrossEntropy {}, vec![logits, labels], shape)
    }

    /// Permutes the axes.
    pub fn transpose(&mut self, x: NodeId, perm: Vec<usize>, shape: Shape) -> NodeId {
        self.add_node(Op::Transpose { perm }, vec![x], shape)
    }

    /// `x` broadcast to `dims` where NumPy's rules allow it, otherwise `x` itself, which the verifier will report.
    fn broadcast_operand(&mut self, x: NodeId, dims: &[Dim]) -> NodeId {
        let Some(node) = self.get(x) else { return x };
        let own = node.shape();
        if own.dims() == dims || own.rank() > dims.len() {
            return x;
        }
        let axes = (dims.len() - own.rank()..dims.len()).collect();
        self.try_add(Op::BroadcastInDim { dims: dims.to_vec(), axes }, vec![x]).unwrap_or(x)
    }
}
