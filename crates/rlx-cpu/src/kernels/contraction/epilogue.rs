//! What is fused with a product or a convolution: conversions before it; bias, activation and residual after it. The order is the one in
//! which the blocked product applies them; chains in another order are refused.

use crate::gemm::{Activation, Join};
use rlx_ir::{BinaryOp, Dim, Graph, Node, NodeId, Op, UnaryOp};

/// A recognized chain. Operands are indices among the fusion's operands.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Chain {
    /// The two operands of the product, as they are stored.
    pub(crate) operands: [usize; 2],
    /// The `dot_general` or `convolution`.
    pub(crate) product: NodeId,
    /// The operand with one element per column, or per feature of a convolution.
    pub(crate) bias: Option<usize>,
    pub(crate) activation: Activation,
    pub(crate) residual: Option<(usize, Join)>,
}

/// Recognizes the chain of a fusion's body, if it is one that the blocked product can apply.
pub(crate) fn chain(body: &Graph) -> Option<Chain> {
    let is_product = |n: &&Node| matches!(n.op(), Op::DotGeneral { .. } | Op::Convolution { .. });
    let product = body.nodes().iter().find(is_product)?;
    let operands = [stored(body, product.inputs()[0])?, stored(body, product.inputs()[1])?];
    let mut chain = Chain { operands, ..Chain::bare(product.id()) };
    let mut last = product.id();
    for node in &body.nodes()[product.id().index() + 1..] {
        if matches!(node.op(), Op::BroadcastInDim { .. } | Op::Constant { .. } | Op::Input { .. }) {
            continue;
        }
        let others: Vec<NodeId> = node.inputs().iter().copied().filter(|&i| i != last).collect();
        match (node.op(), others.as_slice()) {
            (Op::Activation { kind }, []) => chain.activate(activation(*kind)?)?,
            (Op::Unary { op }, []) => chain.activate(unary(*op)?)?,
            (Op::Binary { op: BinaryOp::Add }, &[other]) => chain.add(body, product.id(), other)?,
            (Op::Binary { op: BinaryOp::Mul }, &[other]) => {
                chain.join(operand(body, other)?, Join::MultiplyAfter)?
            }
            _ => return None,
        }
        last = node.id();
    }
    (body.outputs() == [last]).then_some(chain)
}

impl Chain {
    /// Returns the chain of a product that nothing follows.
    pub(crate) fn bare(product: NodeId) -> Chain {
        let activation = Activation::Identity;
        Chain { operands: [0, 1], product, bias: None, activation, residual: None }
    }

    /// Returns whether nothing follows the product.
    pub(crate) fn is_bare(&self) -> bool {
        self.bias.is_none() && self.activation == Activation::Identity && self.residual.is_none()
    }

    /// Returns whether only the product reads its right-hand side.
    pub(crate) fn reads_rhs_once(&self) -> bool {
        let [lhs, rhs] = self.operands;
        lhs != rhs && self.bias != Some(rhs) && self.residual.is_none_or(|(operand, _)| operand != rhs)
    }

    fn activate(&mut self, activation: Activation) -> Option<()> {
        if self.activation != Activation::Identity {
            return None;
        }
        match &mut self.residual {
            None => {}
            Some((_, join @ Join::AddAfter)) => *join = Join::AddBefore,
            Some(_) => return None,
        }
        self.activation = activation;
        Some(())
    }

    fn add(&mut self, body: &Graph, product: NodeId, other: NodeId) -> Option<()> {
        if let Some(bias) = column_bias(body, product, other) {
            let first =
                self.bias.is_none() && self.activation == Activation::Identity && self.residual.is_none();
            return first.then(|| self.bias = Some(bias));
        }
        self.join(operand(body, other)?, Join::AddAfter)
    }

    fn join(&mut self, operand: usize, join: Join) -> Option<()> {
        self.residual.is_none().then(|| self.residual = Some((operand, join)))
    }
}

fn activation(kind: rlx_ir::Activation) -> Option<Activation> {
    if let Some(op) = kind.unary() {
        return unary(op);
    }
    Some(match kind {
        rlx_ir::Activation::Relu => Activation::Relu,
        rlx_ir::Activation::Gelu => Activation::Gelu,
        rlx_ir::Activation::GeluTanh => Activation::GeluTanh,
        rlx_ir::Activation::Silu => Activation::Silu,
        _ => return None,
    })
}

fn unary(op: UnaryOp) -> Option<Activation> {
    match op {
        UnaryOp::Tanh => Some(Activation::Tanh),
        UnaryOp::Logistic => Some(Activation::Sigmoid),
        _ => None,
    }
}

/// Returns which operand of the fusion the node is, possibly converted to a wider type.
fn stored(body: &Graph, id: NodeId) -> Option<usize> {
    match body.node(id).op() {
        Op::Convert { .. } => operand(body, body.node(id).inputs()[0]),
        _ => operand(body, id),
    }
}

/// Returns which operand of the fusion the node is.
fn operand(body: &Graph, id: NodeId) -> Option<usize> {
    body.inputs().position(|n| n.id() == id)
}

/// Returns the operand that is repeated along the rows of a product, or for all output positions of a convolution. It has one element for
/// each of the right-hand side's free elements.
fn column_bias(body: &Graph, product: NodeId, id: NodeId) -> Option<usize> {
    let node = body.node(id);
    let Op::BroadcastInDim { axes, .. } = node.op() else { return None };
    let source = node.inputs()[0];
    let out = body.shape(product);
    let along = match body.node(product).op() {
        Op::Convolution { spec, .. } => spec.out.feature..spec.out.feature + 1,
        _ => out.rank() - columns(body, product)?.len()..out.rank(),
    };
    let fits = axes.iter().copied().eq(along.clone()) && body.shape(source).dims() == &out.dims()[along];
    fits.then(|| operand(body, source)).flatten()
}

/// Returns the trailing dimensions of the product that come from its right-hand side.
fn columns(body: &Graph, product: NodeId) -> Option<&[Dim]> {
    let node = body.node(product);
    let Op::DotGeneral { dims, .. } = node.op() else { return None };
    let free = dims.sides()[1].free(body.shape(node.inputs()[1]).rank()).len();
    let dims = node.shape().dims();
    Some(&dims[dims.len() - free..])
}
