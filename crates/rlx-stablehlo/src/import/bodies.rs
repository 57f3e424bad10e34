//! Recognizes regions over single elements that compute a named function: combiners, extremes, orders.

use rlx_ir::eval::{Scalar, Value, scalar};
use rlx_ir::{
    ArgOp, BinaryOp, Combiner, CompareOp, DType, Graph, Named, Node, NodeId, Op, ReduceOp, SortOrder, UnaryOp,
};

/// The maximum length of an expression that is examined, in characters. All known expressions are shorter.
const MAX_TEXT: usize = 4096;

/// Returns the function that a graph applies to its two inputs, in either order, if that function is commutative.
pub(super) fn symmetric(body: &Graph) -> Option<BinaryOp> {
    let inputs: Vec<NodeId> = body.inputs().map(Node::id).collect();
    let (&[a, b], &[output]) = (inputs.as_slice(), body.outputs()) else { return None };
    let result = body.node(output);
    let Op::Binary { op } = result.op() else { return None };
    let operands = result.inputs();
    (super::indexing::commutes(*op) && (operands == [a, b] || operands == [b, a])).then_some(*op)
}

/// Returns the named reduction that a graph computes, if it accepts elements of this type.
pub(crate) fn reduction(body: &Graph, dtype: DType) -> Option<ReduceOp> {
    ReduceOp::from_binary(symmetric(body)?).filter(|kind| kind.accepts().contains(dtype))
}

/// Returns the combiner of an old value and an update that a graph computes.
pub(crate) fn combiner(body: &Graph) -> Option<Combiner> {
    let update = body.inputs().nth(1).map(Node::id);
    if body.inputs().count() == 2 && body.outputs().first().copied() == update {
        return Some(Combiner::Set);
    }
    let op = symmetric(body)?;
    Combiner::VARIANTS.iter().copied().find(|c| c.binary() == Some(op))
}

/// Returns whether a type is a float of fewer than 32 bits.
pub(super) fn is_narrow(dtype: DType) -> bool {
    dtype.is_float() && dtype.size() < 4
}

/// Returns a graph on single elements with its narrow floats as f32, so that a reduction with it is rounded only once.
/// XLA does not let long sums stall either: it computes in f32 where processors lack arithmetic in narrow types, and
/// sums in trees where they have it. Returns `None` if nothing is rounded, or if an op depends on how numbers are
/// stored.
pub(super) fn in_f32(body: &Graph) -> Option<Graph> {
    let rounds = |node: &Node| {
        matches!(node.op(), Op::Binary { op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div })
            && is_narrow(node.shape().dtype())
    };
    if body.nodes().iter().any(rounds) { retyped(body) } else { None }
}

/// Returns a graph on single elements with its narrow floats as f32, or `None` if an op depends on how numbers are stored.
fn retyped(body: &Graph) -> Option<Graph> {
    let wide = |dtype: DType| if is_narrow(dtype) { DType::F32 } else { dtype };
    let mut graph = Graph::new(body.name());
    let mut ids: Vec<NodeId> = Vec::with_capacity(body.nodes().len());
    for node in body.nodes() {
        let inputs = node.inputs().iter().map(|input| ids[input.index()]).collect();
        let op = match node.op() {
            Op::Input { name } => {
                ids.push(graph.input(name.clone(), node.shape().with_dtype(wide(node.shape().dtype()))));
                continue;
            }
            Op::Constant { value } => Op::Constant { value: value.convert(wide(value.dtype())) },
            Op::Convert { dtype } => Op::Convert { dtype: wide(*dtype) },
            op @ (Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Select {}
            | Op::Clamp {}
            | Op::Reshape { .. }
            | Op::BroadcastInDim { .. }) => op.clone(),
            _ => return None,
        };
        ids.push(graph.try_add(op, inputs).ok()?);
    }
    graph.set_outputs(body.outputs().iter().map(|output| ids[output.index()]).collect());
    Some(graph)
}

/// Returns the element of a constant that consists of one element or repeats one.
pub(super) fn constant(graph: &Graph, id: NodeId) -> Option<Scalar> {
    let node = graph.node(id);
    match node.op() {
        Op::Constant { value } if value.len() == 1 => Some(Value::from_literal(value).get(0)),
        Op::BroadcastInDim { .. } | Op::Reshape { .. } => constant(graph, *node.inputs().first()?),
        _ => None,
    }
}

/// Returns whether the value is the reduction's identity.
pub(super) fn is_identity(graph: &Graph, id: NodeId, kind: ReduceOp) -> bool {
    let dtype = graph.shape(id).dtype();
    let Some(identity) = scalar::identity(kind, dtype) else { return false };
    match (constant(graph, id), identity.convert(dtype)) {
        (Some(Scalar::Float(a)), Scalar::Float(b)) => a.to_bits() == b.to_bits(),
        (Some(a), b) => a == b,
        (None, _) => false,
    }
}

/// Writes expressions in a canonical form, so that they can be compared.
struct Writer<'g> {
    graph: &'g Graph,
    inputs: Vec<NodeId>,
    left: usize,
}

impl Writer<'_> {
    fn write(&mut self, id: NodeId) -> Option<String> {
        let node = self.graph.node(id);
        let args: Vec<String> = match node.op() {
            Op::Input { .. } => {
                let at = self.inputs.iter().position(|&i| i == id)?;
                return Some(format!("x{at}"));
            }
            _ => node.inputs().iter().map(|&i| self.write(i)).collect::<Option<_>>()?,
        };
        let text = match (node.op(), args.as_slice()) {
            (Op::Constant { value }, []) if value.len() == 1 => match Value::from_literal(value).get(0) {
                Scalar::Float(x) if x.is_nan() => "nan".into(),
                Scalar::Float(x) => format!("{x:?}"),
                Scalar::Int(n) => n.to_string(),
                Scalar::Complex(_) => return None,
            },
            (Op::Unary { op: op @ (UnaryOp::Real | UnaryOp::Imag | UnaryOp::Not) }, [x]) => {
                format!("{op}({x})")
            }
            (Op::Unary { op }, [x]) if float_ops(*op) => format!("{op}({x})"),
            (Op::Binary { op }, [a, b]) if super::indexing::commutes(*op) => sorted(op.name(), a, b),
            (Op::Binary { op: BinaryOp::Sub }, [a, b]) => format!("sub({a},{b})"),
            (Op::Compare { op, total_order }, [a, b]) => {
                let total = if *total_order { "_total" } else { "" };
                match op {
                    CompareOp::Gt => format!("lt{total}({b},{a})"),
                    CompareOp::Ge => format!("le{total}({b},{a})"),
                    CompareOp::Eq | CompareOp::Ne => sorted(&format!("{op}{total}"), a, b),
                    _ => format!("{op}{total}({a},{b})"),
                }
            }
            (Op::Select {}, [p, t, f]) => format!("select({p},{t},{f})"),
            _ => return None,
        };
        self.left = self.left.checked_sub(text.len())?;
        Some(text)
    }
}

/// The float functions that occur in known forms.
fn float_ops(op: UnaryOp) -> bool {
    matches!(op, UnaryOp::Abs | UnaryOp::Neg | UnaryOp::Exp | UnaryOp::Log1p)
}

fn sorted(name: &str, a: &str, b: &str) -> String {
    if a <= b { format!("{name}({a},{b})") } else { format!("{name}({b},{a})") }
}

/// Writes the outputs of a graph. Returns `None` if one is too long or uses ops that do not occur in known forms.
fn written(body: &Graph) -> Option<Vec<String>> {
    let inputs = body.inputs().map(Node::id).collect();
    let mut writer = Writer { graph: body, inputs, left: MAX_TEXT };
    body.outputs().iter().map(|&o| writer.write(o)).collect()
}

/// Returns the running reduction that a graph computes, if it accepts elements of this type: a named function, or the
/// sum of exponentials as JAX writes `logaddexp`.
pub(super) fn running(body: &Graph, dtype: DType) -> Option<ReduceOp> {
    if let Some(kind) = reduction(body, dtype) {
        return ReduceOp::RUNNING.contains(&kind).then_some(kind);
    }
    let difference = "sub(x0,x1)";
    let small = format!("log1p(exp(neg(abs({difference}))))");
    let sum = sorted("add", &sorted("max", "x0", "x1"), &small);
    let infinite = sorted("ne", difference, difference);
    let form = format!("select({infinite},{},{sum})", sorted("add", "x0", "x1"));
    let is_sum = dtype.is_float() && written(body)? == [form];
    is_sum.then_some(ReduceOp::LogSumExp)
}

/// Returns which extreme a graph on (value, index) so far and (value, index) of an element looks for, where the first
/// of equal elements and the first NaN win. JAX writes `argmax` and `argmin` as this reduction.
pub(crate) fn arg_reduction(body: &Graph) -> Option<ArgOp> {
    let written = written(body)?;
    let dtype = body.inputs().next()?.shape().dtype();
    for (op, better) in [(ArgOp::Max, "lt(x2,x0)"), (ArgOp::Min, "lt(x0,x2)")] {
        let pick = if dtype.is_float() { sorted("or", better, "ne(x0,x0)") } else { better.to_string() };
        let equal = sorted("and", "eq(x0,x2)", "lt(x1,x3)");
        let value = format!("select({pick},x0,x2)");
        let index = format!("select({},x1,x3)", sorted("or", &pick, &equal));
        if written == [value, index] {
            return Some(op);
        }
    }
    None
}

/// Returns the named order of a comparator of (an element and another of the first tensor, of the second, …), and the
/// number of tensors that are sort keys.
pub(crate) fn order(comparator: &Graph) -> Option<(SortOrder, usize)> {
    let written = written(comparator)?;
    let [text] = written.as_slice() else { return None };
    let dtypes: Vec<DType> = comparator.inputs().step_by(2).map(|n| n.shape().dtype()).collect();
    (1..=dtypes.len().min(8)).find_map(|keys| {
        let order = [(SortOrder::Ascending, 0), (SortOrder::Descending, 1)];
        let found = order.into_iter().find(|(_, first)| lexicographic(&dtypes[..keys], *first) == *text)?;
        Some((found.0, keys))
    })
}

/// Returns the order of a comparator that is `<` or `>` of its first two inputs.
pub(super) fn plain_order(comparator: &Graph) -> Option<SortOrder> {
    match written(comparator)?.as_slice() {
        [text] if text == "lt(x0,x1)" => Some(SortOrder::Ascending),
        [text] if text == "lt(x1,x0)" => Some(SortOrder::Descending),
        _ => None,
    }
}

/// Returns the comparator that JAX writes for these keys: −0 counts as 0, all NaNs are equal, then the total order applies.
fn lexicographic(dtypes: &[DType], first: usize) -> String {
    let mut pairs = Vec::new();
    for (i, dtype) in dtypes.iter().enumerate() {
        let [a, b] = [2 * i + first, 2 * i + 1 - first].map(|i| format!("x{i}"));
        if dtype.is_float() {
            pairs.push((canonical(&a), canonical(&b), "_total"));
        } else if dtype.is_complex() {
            for part in ["real", "imag"] {
                let [a, b] = [&a, &b].map(|x| canonical(&format!("{part}({x})")));
                pairs.push((a, b, "_total"));
            }
        } else {
            pairs.push((a, b, ""));
        }
    }
    let mut text = String::new();
    for (a, b, total) in pairs.iter().rev() {
        let less = format!("lt{total}({a},{b})");
        text = if text.is_empty() {
            less
        } else {
            let equal = sorted(&format!("eq{total}"), a, b);
            sorted("or", &less, &sorted("and", &equal, &text))
        };
    }
    text
}

fn canonical(x: &str) -> String {
    let zero = sorted("eq", x, "0.0");
    format!("select(ne({x},{x}),nan,select({zero},0.0,{x}))")
}
