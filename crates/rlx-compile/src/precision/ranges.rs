//! Computes the range of every value in a graph. Knows no precision.

use super::range::Range;
use rlx_ir::op::Access;
use rlx_ir::{
    Activation, BinaryOp, DType, FloatFormat, Graph, Literal, Node, NodeId, Op, OpClass, ReduceOp, Scalar,
    Shape, UnaryOp,
};

/// The assumed length of an axis with a size that is known only at run time.
const OPEN: usize = 1 << 16;

/// Maximum number of elements of a constant that are examined. Nothing is known about larger constants.
const MOST_LOOKED_AT: usize = 1 << 22;

/// Maximum number of elements of a constant for which the smallest numbers count. Larger constants are weights, and some weights are
/// close to 0.
const MOST_COUNTED: usize = 4096;

/// Computes the range of the first result of each node. Integers that `format` represents exactly are treated like other numbers.
pub(super) fn ranges(graph: &Graph, format: FloatFormat) -> Vec<Range> {
    Ranges { graph, format, known: Vec::with_capacity(graph.nodes().len()), given: Vec::new() }.all()
}

/// Limits a range to the numbers of a type. Integers beyond the range of the type wrap around, so they may be any number of it.
fn within(range: Range, dtype: DType) -> Range {
    let Some((least, most)) = dtype.int_range() else { return range };
    let (least, most) = (least as f64, most as f64);
    if range.low >= least && range.high <= most {
        return Range { whole: true, ..range };
    }
    Range { whole: true, ..Range::integers(least, most).of_order(1.0) }
}

/// Returns the range of unknown numbers of a type.
fn of_type(dtype: DType) -> Range {
    within(Range::DATA, dtype)
}

struct Ranges<'g> {
    graph: &'g Graph,
    format: FloatFormat,
    known: Vec<Range>,
    /// The ranges of the inputs, as far as they are known.
    given: Vec<Range>,
}

impl Ranges<'_> {
    /// Returns the ranges of all nodes.
    fn all(mut self) -> Vec<Range> {
        let mut given = std::mem::take(&mut self.given).into_iter();
        for node in self.graph.nodes() {
            let given = if matches!(node.op(), Op::Input { .. }) { given.next() } else { None };
            let range = given.unwrap_or_else(|| self.of(node));
            self.known.push(within(range, node.shape().dtype()));
        }
        self.known
    }

    fn shape(&self, node: &Node, i: usize) -> Option<&Shape> {
        node.inputs().get(i).map(|&id| self.graph.shape(id))
    }

    /// Returns the number of elements of operand `i` along the given axes.
    fn count(&self, node: &Node, i: usize, axes: &[usize]) -> f64 {
        self.shape(node, i).map_or(1.0, |shape| elements(shape, axes))
    }

    fn of(&self, node: &Node) -> Range {
        let dtype = node.shape().dtype();
        let x = |i: usize| node.inputs().get(i).map_or(Range::DATA, |id| self.known[id.index()]);
        match node.op() {
            Op::Constant { value } => of_constant(value, self.format),
            Op::Iota { shape, axis } => counted(elements(shape, &[*axis])),
            Op::ArgReduce { axis, .. } => counted(self.count(node, 0, &[*axis])),
            Op::DimSize { axis } => {
                match self.shape(node, 0).and_then(|shape| shape.dims().get(*axis)?.as_static()) {
                    Some(n) => Range::integers(n as f64, n as f64),
                    None => of_type(dtype),
                }
            }
            Op::Output { index } => self.result(node, *index),
            Op::Unary { op } => unary(*op, x(0)),
            Op::Binary { op } => self.binary(node, *op),
            Op::Compare { .. } => Range::integers(0.0, 1.0),
            Op::Select {} => x(1).join(x(2)),
            Op::Clamp {} => x(1).max(x(0)).min(x(2)),
            Op::Convert { .. } => match self.shape(node, 0) {
                Some(from) if from.dtype().is_float() && !dtype.is_float() => of_type(dtype),
                _ => x(0),
            },
            Op::Reduce { kind, axes } => reduced(*kind, x(0), self.count(node, 0, axes)),
            Op::Cumulative { op, axis, .. } => {
                reduced(*op, x(0), self.count(node, 0, &[*axis])).join(x(0)).join(none())
            }
            Op::ReduceWindow { kind, spec } => {
                let count = spec.window.iter().map(|&n| n as f64).product();
                reduced(*kind, x(0), count).join(none())
            }
            Op::Activation { kind } => activation(*kind, x(0)),
            Op::Softmax { .. } => Range::between(0.0, 1.0),
            op => self.by_access(node, op),
        }
    }

    /// Derives the range from the op's row in the table: elements of operands, sums of products, or the decomposition.
    fn by_access(&self, node: &Node, op: &Op) -> Range {
        let kind = op.kind();
        let elements = || {
            let holds = |&(i, _): &(usize, &NodeId)| kind.is_linear_in(i);
            node.inputs().iter().enumerate().filter(holds).map(|(_, id)| self.known[id.index()])
        };
        let unknown = || of_type(node.shape().dtype());
        match kind.access() {
            Access::Movement => elements().reduce(Range::join).unwrap_or_else(unknown),
            // Positions outside the operand result in 0.
            Access::Indexed => {
                elements().reduce(Range::join).map_or_else(unknown, |range| range.join(none()))
            }
            Access::Contraction => self.product(node),
            _ if kind.class() == OpClass::Primitive => match op {
                Op::ReducePrecision { .. } => self.known[node.inputs()[0].index()],
                _ => unknown(),
            },
            Access::Elementwise | Access::Window | Access::Reduction => {
                self.decomposed(node).unwrap_or_else(unknown)
            }
            _ => unknown(),
        }
    }

    /// Returns the range of the first result of a composite, from its decomposition.
    fn decomposed(&self, node: &Node) -> Option<Range> {
        let shapes: Vec<Shape> = node.inputs().iter().map(|&id| self.graph.shape(id).clone()).collect();
        let graph = node.op().decompose(&shapes).ok()?;
        let given = node.inputs().iter().map(|id| self.known[id.index()]).collect();
        let known = Ranges { graph: &graph, format: self.format, known: Vec::new(), given }.all();
        graph.outputs().first().map(|output| known[output.index()])
    }

    /// Returns the range of one result of a node with several.
    fn result(&self, node: &Node, index: usize) -> Range {
        let Some(tuple) = node.inputs().first().map(|&id| self.graph.node(id)) else { return Range::DATA };
        let operand = |i: usize| tuple.inputs().get(i).map(|id| self.known[id.index()]);
        let range = match tuple.op() {
            op if op.kind().access() == Access::Movement => {
                operand(if tuple.inputs().len() > 1 { index } else { 0 })
            }
            _ => None,
        };
        range.unwrap_or_else(|| of_type(node.shape().dtype()))
    }

    fn binary(&self, node: &Node, op: BinaryOp) -> Range {
        let (a, b) = (node.inputs()[0], node.inputs()[1]);
        let (x, y) = (self.known[a.index()], self.known[b.index()]);
        match op {
            // A number close to 0 is only useful if it is added to something that is not negative.
            BinaryOp::Add if x.is_tiny(self.format) && !y.is_bounded() => y.max(none()).add(x),
            BinaryOp::Add if y.is_tiny(self.format) && !x.is_bounded() => x.max(none()).add(y),
            BinaryOp::Add => x.add(y),
            BinaryOp::Sub if self.is_maximum_of(b, a) => Range { high: 0.0, ..x.sub(y) },
            BinaryOp::Sub => x.sub(y),
            BinaryOp::Mul if a == b => x.squared(),
            BinaryOp::Mul => x.mul(y),
            BinaryOp::Div if node.shape().dtype().is_float() => x.div(y),
            BinaryOp::Rem => x.rem(y),
            BinaryOp::Pow if node.shape().dtype().is_float() => x.pow(y),
            BinaryOp::Max => x.max(y),
            BinaryOp::Min => x.min(y),
            BinaryOp::Atan2 => Range::between(-std::f64::consts::PI, std::f64::consts::PI),
            _ => within(Range::data(x.usual.max(y.usual)), node.shape().dtype()),
        }
    }

    /// Returns whether `id` is the maximum of `x` along axes, broadcast to the shape of `x`, so that x minus it is at most 0.
    fn is_maximum_of(&self, id: NodeId, x: NodeId) -> bool {
        let mut node = self.graph.node(id);
        loop {
            match node.op() {
                Op::Reduce { kind: ReduceOp::Max, .. } => return node.inputs() == [x],
                // JAX takes the maximum of the result and −inf once more.
                Op::Binary { op: BinaryOp::Max } => {
                    let bottom = |id: &&NodeId| self.known[id.index()].most() < f64::INFINITY;
                    let Some(other) = node.inputs().iter().find(|id| !bottom(id)) else { return false };
                    node = self.graph.node(*other);
                }
                op => match node.inputs() {
                    // Broadcast again. Other functions of the maximum may be less than it.
                    &[inner] if op.kind().access() == Access::Movement => {
                        node = self.graph.node(inner);
                    }
                    _ => return false,
                },
            }
        }
    }

    /// Returns the range of sums of products. Trained weights preserve the order of the values that they are applied to. Known weights
    /// determine how large their sums are. Sums of products of data grow with the square root of their length.
    fn product(&self, node: &Node) -> Range {
        let order = |i: usize| self.known[node.inputs()[i].index()].usual;
        let (a, b) = (node.inputs()[0], node.inputs()[1]);
        let usual = match (self.weights(a), self.weights(b)) {
            (None, None) => {
                let count = contracted(node.op(), self.graph.shape(a), self.graph.shape(b));
                let same = if a == b || node.shape().rank() == 0 { count } else { count.sqrt() };
                order(0) * order(1) * same
            }
            (Some(gain), _) => order(1) * gain,
            (None, Some(gain)) => order(0) * gain,
        };
        Range::data(usual)
    }

    /// Returns the factor by which weights multiply the order of values that they are applied to, or `None` for data.
    fn weights(&self, id: NodeId) -> Option<f64> {
        let node = self.graph.node(id);
        match node.op() {
            Op::Param { .. } => Some(1.0),
            Op::Constant { value } => Some(gain(value)),
            Op::Convert { .. } => self.weights(node.inputs()[0]),
            op => match node.inputs() {
                // The same weights in other positions, or repeated.
                &[inner] if op.kind().access() == Access::Movement && !node.is_projection() => {
                    let repeated = elements_of(node.shape()) / elements_of(self.graph.shape(inner)).max(1.0);
                    Some(self.weights(inner)? * repeated.clamp(1.0, OPEN as f64 * OPEN as f64))
                }
                _ => None,
            },
        }
    }
}

/// The number 0.
fn none() -> Range {
    Range { usual: 0.0, ..Range::integers(0.0, 0.0) }
}

/// Integers from 0 up to, but not including, this number.
fn counted(count: f64) -> Range {
    Range::integers(0.0, (count - 1.0).max(0.0))
}

fn elements(shape: &Shape, axes: &[usize]) -> f64 {
    let size = |&axis: &usize| shape.dims().get(axis).map_or(1, |dim| dim.as_static().unwrap_or(OPEN));
    axes.iter().map(|axis| size(axis) as f64).product()
}

fn elements_of(shape: &Shape) -> f64 {
    elements(shape, &(0..shape.rank()).collect::<Vec<_>>())
}

/// Returns how many products are added for each number.
pub(super) fn contracted(op: &Op, lhs: &Shape, rhs: &Shape) -> f64 {
    match op {
        Op::DotGeneral { dims, .. } => elements(lhs, &dims.lhs_contract),
        // The kernel, without the axis of its outputs.
        Op::Convolution { .. } => {
            elements_of(rhs)
                / rhs.dims().iter().map(|dim| dim.as_static().unwrap_or(1)).max().unwrap_or(1).max(1) as f64
        }
        _ => lhs.rank().checked_sub(1).map_or(1.0, |last| elements(lhs, &[last])),
    }
}

/// Returns the function of single numbers that an op applies.
pub(super) fn function(op: &Op) -> Option<UnaryOp> {
    match op {
        Op::Unary { op } => Some(*op),
        Op::Activation { kind } => kind.unary(),
        _ => None,
    }
}

/// Whether an op adds or multiplies many numbers into one.
pub(super) fn is_sum(op: &Op) -> bool {
    let adds = |kind: &ReduceOp| {
        matches!(kind, ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod | ReduceOp::LogSumExp)
    };
    match op {
        Op::Reduce { kind, axes } => adds(kind) && !axes.is_empty(),
        Op::Cumulative { op, .. } => adds(op),
        Op::Cumsum { .. } | Op::ScatterAdd { .. } | Op::Scatter { .. } => true,
        _ => false,
    }
}

/// Returns the finite numbers of a real constant, or `None` if it is complex or too large.
fn numbers(value: &Literal) -> Option<impl Iterator<Item = f64>> {
    let dtype = value.dtype();
    if value.len() > MOST_LOOKED_AT || dtype.is_complex() {
        return None;
    }
    let number = move |bytes: &[u8]| Scalar::read(dtype, bytes).to_f64();
    Some(value.bytes().chunks_exact(dtype.size().max(1)).map(number).filter(|x| x.is_finite()))
}

fn of_constant(value: &Literal, format: FloatFormat) -> Range {
    let Some(numbers) = numbers(value) else { return of_type(value.dtype()) };
    let (mut low, mut high, mut whole, mut exact) = (f64::INFINITY, f64::NEG_INFINITY, true, true);
    // Integers with no more digits than the format has are exact in it, within its range.
    let digits = f64::from(1u32 << (format.mantissa_bits + 1));
    for x in numbers {
        (low, high) = (low.min(x), high.max(x));
        whole &= x.fract() == 0.0;
        exact &= x == 0.0 || (x / (x.abs().log2().floor().exp2()) * digits / 2.0).fract() == 0.0;
    }
    if low > high {
        return none();
    }
    if value.len() > MOST_COUNTED {
        // Weights that are close to 0 may become 0.
        (low, high) = (low.min(0.0), high.max(0.0));
    }
    Range { whole: whole && !(exact && value.dtype().is_float()), ..Range::between(low, high) }
}

/// Returns the maximum sum of the weights of an output, or their root mean square times the square root of their number, whichever is more.
fn gain(value: &Literal) -> f64 {
    let Some(numbers) = numbers(value) else { return 1.0 };
    let (mut sum, mut squares) = (0.0, 0.0);
    for x in numbers {
        sum += x;
        squares += x * x;
    }
    // All outputs are treated alike here. Their axis may be the longest one.
    let longest = value.shape().dims().iter().map(|dim| dim.as_static().unwrap_or(1)).max().unwrap_or(1);
    let outputs =
        if value.shape().rank() > 1 { (value.len() / longest.max(1)).min(longest).max(1) } else { 1 };
    let gain = f64::max(f64::abs(sum) / outputs as f64, f64::sqrt(squares / outputs as f64));
    gain.max(1.0)
}

fn reduced(op: ReduceOp, x: Range, count: f64) -> Range {
    match op {
        ReduceOp::Sum => x.sum(count),
        ReduceOp::Max | ReduceOp::Min => x,
        ReduceOp::Mean => Range { whole: false, ..x },
        ReduceOp::LogSumExp => Range::data(x.usual.max(1.0) + count.ln()),
        ReduceOp::Prod if x.most() <= 1.0 => Range::between(if x.low < 0.0 { -1.0 } else { 0.0 }, 1.0),
        ReduceOp::Prod => Range::data((count.min(64.0)).exp2()),
        ReduceOp::And | ReduceOp::Or => Range::integers(x.low.min(0.0), x.high.max(1.0)),
    }
}

pub(super) fn unary(op: UnaryOp, x: Range) -> Range {
    use std::f64::consts::{FRAC_PI_2, PI};
    match op {
        UnaryOp::Neg => x.neg(),
        UnaryOp::Abs => x.abs(),
        UnaryOp::Sign => Range::integers(-1.0, 1.0),
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::RoundEven | UnaryOp::RoundAway => {
            Range { whole: true, low: x.low.floor(), high: x.high.ceil(), ..x }
        }
        UnaryOp::Exp => x.exp(),
        UnaryOp::Expm1 => x.exp().sub(Range::between(1.0, 1.0)),
        UnaryOp::Log => x.ln(),
        UnaryOp::Log1p => Range { whole: false, ..x.add(Range::between(1.0, 1.0)) }.ln(),
        UnaryOp::Sqrt => x.sqrt(),
        UnaryOp::Rsqrt => x.rsqrt(),
        UnaryOp::Cbrt => x.rising(f64::cbrt).of_order(x.usual.cbrt()),
        UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tanh | UnaryOp::Erf => Range::between(-1.0, 1.0),
        UnaryOp::Asin | UnaryOp::Atan => Range::between(-FRAC_PI_2, FRAC_PI_2),
        UnaryOp::Acos => Range::between(0.0, PI),
        UnaryOp::Logistic => Range::between(0.0, 1.0),
        UnaryOp::Erfc => Range::between(0.0, 2.0),
        UnaryOp::Sinh | UnaryOp::Cosh => {
            let most = x.abs().exp();
            Range { low: -most.high, ..most }
        }
        UnaryOp::Lgamma => Range::data(x.usual * 16.0),
        UnaryOp::IsFinite => Range::integers(0.0, 1.0),
        UnaryOp::Real | UnaryOp::Conj => x,
        _ => Range::data(x.usual),
    }
}

fn activation(kind: Activation, x: Range) -> Range {
    if let Some(op) = kind.unary() {
        return unary(op, x);
    }
    let zero = Range { usual: 0.0, ..Range::between(0.0, 0.0) };
    let positive = x.max(zero);
    match kind {
        Activation::Relu => positive,
        Activation::Relu6 => positive.min(Range::between(6.0, 6.0)),
        // Their minimum values are −0.17, −0.28 and −0.38.
        Activation::Gelu
        | Activation::GeluTanh
        | Activation::Silu
        | Activation::Mish
        | Activation::HardSwish => Range { low: -0.5, whole: false, ..positive },
        Activation::Elu => Range { low: -1.0, whole: false, ..positive },
        Activation::Softplus => {
            Range { low: 0.0, high: f64::INFINITY, usual: x.usual.max(1.0), whole: false }
        }
        Activation::HardSigmoid => Range::between(0.0, 1.0),
        Activation::Square => x.squared(),
        Activation::Recip => Range::between(1.0, 1.0).div(x),
        _ => Range::data(x.usual),
    }
}
