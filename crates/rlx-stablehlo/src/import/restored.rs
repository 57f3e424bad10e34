//! Restores functions that are written in primitives, because their derivative differs from that of the primitives. For
//! 1 / (1 + e^−x), the derivative of the primitives is NaN for very negative x, and that of max(x, 0) is a half at 0.
//!
//! A form is two expressions: the lowered one and the one that it becomes. They are equal except for rounding.

mod cones;
mod functions;
mod linear_algebra;

use super::context::{ImportContext, Outcome, Val};
use rlx_ir::pattern::{commutes, find};
use rlx_ir::rewrite::rewrite;
use rlx_ir::{Activation, BinaryOp, Builder, Graph, NodeId, Op, Shape, SubGraph, Tensor, UnaryOp};

pub(super) use functions::form_of;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::f64::consts::{LN_2, LOG2_E};

/// A function, described by its lowered form.
struct LoweredForm {
    /// Matches the last op of `lowered`. The search starts only at such ops.
    last: fn(&Op) -> bool,
    /// The number of tensors that it takes, all of one shape.
    tensors: usize,
    /// The number of scalars that it takes after those.
    scalars: usize,
    /// The expression to find.
    lowered: fn(&[Tensor]) -> Tensor,
    /// The expression that replaces it. If it is `None` the nodes stay as they are, and later rows do not use them.
    restored: Option<fn(&[Tensor]) -> Tensor>,
}

/// Longest first: nodes that a form has found are skipped by the forms below it.
const FORMS: &[LoweredForm] = &[
    // JAX's logaddexp(x, 0), which softplus and log_sigmoid use.
    LoweredForm {
        last: is_select,
        tensors: 1,
        scalars: 0,
        lowered: |x| logaddexp(|| x[0].clone(), || zeros(&x[0])),
        restored: Some(|x| x[0].softplus()),
    },
    LoweredForm {
        last: is_select,
        tensors: 2,
        scalars: 0,
        lowered: |x| logaddexp(|| x[0].clone(), || x[1].clone()),
        restored: Some(|x| smooth_logaddexp(&x[0], &x[1])),
    },
    // With a number on either side, which is broadcast at each use.
    LoweredForm {
        last: is_select,
        tensors: 1,
        scalars: 1,
        lowered: |x| logaddexp(|| x[0].clone(), || x[1].broadcast_to(&x[0].dims())),
        restored: Some(|x| smooth_logaddexp(&x[0], &x[1].broadcast_to(&x[0].dims()))),
    },
    LoweredForm {
        last: is_select,
        tensors: 1,
        scalars: 1,
        lowered: |x| logaddexp(|| x[1].broadcast_to(&x[0].dims()), || x[0].clone()),
        restored: Some(|x| smooth_logaddexp(&x[1].broadcast_to(&x[0].dims()), &x[0])),
    },
    LoweredForm {
        last: is_select,
        tensors: 2,
        scalars: 0,
        lowered: |x| logaddexp2(&x[0], &x[1]),
        restored: Some(|x| smooth_logaddexp2(&x[0], &x[1])),
    },
    // JAX's x log x, which entr uses.
    LoweredForm {
        last: is_select,
        tensors: 1,
        scalars: 0,
        lowered: |x| xlogy(&x[0], &x[0], UnaryOp::Log),
        restored: Some(|x| own(x, |x| xlogy(&x[0], &x[0], UnaryOp::Log), |x, _| vec![(0, x[0].log() + 1.0)])),
    },
    LoweredForm {
        last: is_select,
        tensors: 2,
        scalars: 0,
        lowered: |x| xlogy(&x[0], &x[1], UnaryOp::Log),
        restored: Some(|x| own(x, |x| xlogy(&x[0], &x[1], UnaryOp::Log), |x, _| xlogy_slopes(&x[0], &x[1]))),
    },
    LoweredForm {
        last: is_select,
        tensors: 2,
        scalars: 0,
        lowered: |x| xlogy(&x[0], &x[1], UnaryOp::Log1p),
        restored: Some(|x| {
            own(x, |x| xlogy(&x[0], &x[1], UnaryOp::Log1p), |x, _| xlog1py_slopes(&x[0], &x[1]))
        }),
    },
    // With a number on either side.
    LoweredForm {
        last: is_select,
        tensors: 1,
        scalars: 1,
        lowered: |x| xlogy_of_number(&x[0], &x[1], UnaryOp::Log),
        restored: Some(|x| {
            own(x, |x| xlogy_of_number(&x[0], &x[1], UnaryOp::Log), |x, _| xlogy_slopes(&x[0], &x[1]))
        }),
    },
    LoweredForm {
        last: is_select,
        tensors: 1,
        scalars: 1,
        lowered: |x| number_logy(&x[0], &x[1], UnaryOp::Log),
        restored: Some(|x| {
            own(x, |x| number_logy(&x[0], &x[1], UnaryOp::Log), |x, _| swapped(xlogy_slopes(&x[1], &x[0])))
        }),
    },
    LoweredForm {
        last: is_select,
        tensors: 1,
        scalars: 1,
        lowered: |x| xlogy_of_number(&x[0], &x[1], UnaryOp::Log1p),
        restored: Some(|x| {
            own(x, |x| xlogy_of_number(&x[0], &x[1], UnaryOp::Log1p), |x, _| xlog1py_slopes(&x[0], &x[1]))
        }),
    },
    LoweredForm {
        last: is_select,
        tensors: 1,
        scalars: 1,
        lowered: |x| number_logy(&x[0], &x[1], UnaryOp::Log1p),
        restored: Some(|x| {
            own(
                x,
                |x| number_logy(&x[0], &x[1], UnaryOp::Log1p),
                |x, _| swapped(xlog1py_slopes(&x[1], &x[0])),
            )
        }),
    },
    // JAX's log1mexp, which switches branches at log 2.
    LoweredForm {
        last: is_select,
        tensors: 1,
        scalars: 1,
        lowered: |x| log1mexp(&x[0], &x[0], &x[0].less(&x[1].broadcast_to(&x[0].dims()))),
        restored: Some(|x| {
            own(
                x,
                |x| log1mexp(&x[0], &x[0], &x[0].less(&x[1].broadcast_to(&x[0].dims()))),
                |x, _| vec![(0, 1.0 / x[0].unary(UnaryOp::Expm1))],
            )
        }),
    },
    // RLX's own softplus.
    LoweredForm {
        last: |op| is_binary(op, BinaryOp::Add),
        tensors: 1,
        scalars: 0,
        lowered: |x| x[0].maximum(&zeros(&x[0])) + (-x[0].unary(UnaryOp::Abs)).exp().unary(UnaryOp::Log1p),
        restored: Some(|x| x[0].softplus()),
    },
    LoweredForm {
        last: |op| is_binary(op, BinaryOp::Div),
        tensors: 1,
        scalars: 0,
        lowered: |x| full(&x[0], 1.0) / (full(&x[0], 1.0) + (-&x[0]).exp()),
        restored: Some(|x| x[0].logistic()),
    },
    // JAX's logit, which has an infinite derivative at both ends.
    LoweredForm {
        last: |op| matches!(op, Op::Unary { op: UnaryOp::Log }),
        tensors: 1,
        scalars: 0,
        lowered: |x| (&x[0] / (full(&x[0], 1.0) - &x[0])).log(),
        restored: Some(|x| {
            own(
                x,
                |x| (&x[0] / (full(&x[0], 1.0) - &x[0])).log(),
                |x, _| vec![(0, 1.0 / (&x[0] * (full(&x[0], 1.0) - &x[0])))],
            )
        }),
    },
];

fn is_binary(op: &Op, wanted: BinaryOp) -> bool {
    matches!(op, Op::Binary { op } if *op == wanted)
}

fn is_select(op: &Op) -> bool {
    matches!(op, Op::Select { .. })
}

fn full(x: &Tensor, value: f64) -> Tensor {
    x.scalar_like(value).broadcast_to(&x.dims())
}

fn zeros(x: &Tensor) -> Tensor {
    full(x, 0.0)
}

/// log(e^a + e^b) as JAX writes it. If a − b is NaN, as for infinities of one sign, it is a + b. An operand that is one
/// number is broadcast separately for each use.
fn logaddexp(a: impl Fn() -> Tensor, b: impl Fn() -> Tensor) -> Tensor {
    let apart = a() - b();
    let sum = a().maximum(&b()) + (-apart.unary(UnaryOp::Abs)).exp().unary(UnaryOp::Log1p);
    apart.not_equal(&apart).select(&(a() + b()), &sum)
}

/// The same with min(a − b, b − a) instead of −|a − b|: at a = b the two extremes share the derivative, a half each.
/// The operand that is not selected stays finite, because its derivative would otherwise be NaN.
fn smooth_logaddexp(a: &Tensor, b: &Tensor) -> Tensor {
    let apart = a - b;
    let undefined = apart.not_equal(&apart);
    let apart = undefined.select(&zeros(a), &apart);
    let sum = a.maximum(b) + apart.minimum(&-&apart).exp().unary(UnaryOp::Log1p);
    undefined.select(&(a + b), &sum)
}

/// log₂(2^a + 2^b) as JAX writes it.
fn logaddexp2(a: &Tensor, b: &Tensor) -> Tensor {
    let apart = a - b;
    let small = (full(a, LN_2) * -apart.unary(UnaryOp::Abs)).exp().unary(UnaryOp::Log1p);
    let sum = a.maximum(b) + full(a, LOG2_E) * small;
    apart.not_equal(&apart).select(&(a + b), &sum)
}

/// The same, with the derivative shared at a = b, and finite where it is not selected.
fn smooth_logaddexp2(a: &Tensor, b: &Tensor) -> Tensor {
    let apart = a - b;
    let undefined = apart.not_equal(&apart);
    let apart = undefined.select(&zeros(a), &apart);
    let small = (full(a, LN_2) * apart.minimum(&-&apart)).exp().unary(UnaryOp::Log1p);
    undefined.select(&(a + b), &(a.maximum(b) + full(a, LOG2_E) * small))
}

/// x log y, or x log1p(y), and 0 where x is 0, as JAX writes it.
fn xlogy(x: &Tensor, y: &Tensor, logarithm: UnaryOp) -> Tensor {
    let defined = x.not_equal(&zeros(x)).or(&y.not_equal(y));
    defined.select(&(x * y.unary(logarithm)), &zeros(x))
}

/// The same, where y is one number.
fn xlogy_of_number(x: &Tensor, y: &Tensor, logarithm: UnaryOp) -> Tensor {
    let repeat = |y: Tensor| y.broadcast_to(&x.dims());
    let defined = x.not_equal(&zeros(x)).or(&repeat(y.not_equal(y)));
    defined.select(&(x * repeat(y.unary(logarithm))), &zeros(x))
}

/// The same, where x is one number.
fn number_logy(y: &Tensor, x: &Tensor, logarithm: UnaryOp) -> Tensor {
    let repeat = |x: Tensor| x.broadcast_to(&y.dims());
    let defined = repeat(x.not_equal(&zeros(x))).or(&y.not_equal(y));
    defined.select(&(repeat(x.clone()) * y.unary(logarithm)), &zeros(y))
}

fn xlogy_slopes(x: &Tensor, y: &Tensor) -> functions::Slopes {
    vec![(0, y.log()), (1, x / y)]
}

fn xlog1py_slopes(x: &Tensor, y: &Tensor) -> functions::Slopes {
    vec![(0, y.log1p()), (1, x / (y + 1.0))]
}

/// Returns the slopes for two arguments in the other order.
fn swapped(slopes: functions::Slopes) -> functions::Slopes {
    slopes.into_iter().map(|(by, slope)| (1 - by, slope)).collect()
}

/// Applies a function with its own derivatives to these values.
fn own(
    xs: &[Tensor],
    lowered: fn(&[Tensor]) -> Tensor,
    slopes: fn(&[Tensor], &Tensor) -> functions::Slopes,
) -> Tensor {
    let shapes: Vec<Shape> = xs.iter().map(Tensor::shape).collect();
    let function = functions::function_of(&shapes, lowered)
        .and_then(|forward| functions::with_slopes(&forward, &|at| Some(slopes(&at.xs, &at.y))))
        .and_then(|function| xs[0].builder().inline(&function, xs).ok()?.pop());
    // INVARIANT: the function is valid for the shapes that it was found for.
    function.unwrap_or_else(|| lowered(xs))
}

/// log(1 − e^−x): log(−expm1(−small)) where that is more accurate, and log1p(−e^−large) elsewhere.
fn log1mexp(small: &Tensor, large: &Tensor, is_small: &Tensor) -> Tensor {
    let below = (-(-small).unary(UnaryOp::Expm1)).log();
    is_small.select(&below, &(-(-large).exp()).unary(UnaryOp::Log1p))
}

/// Restores the functions that nodes of a graph, and of the graphs inside its ops, are lowered from.
/// [`import()`](crate::import()) does this to programs that are written in primitives.
pub fn restored(graph: Graph) -> Graph {
    restore(&graph).unwrap_or(graph)
}

/// Returns the graph with the functions that were found in it, or `None` if there were none.
fn restore(graph: &Graph) -> Option<Graph> {
    let mut search = Search { known: HashMap::new(), taken: HashSet::new(), found: HashMap::new() };
    search.find_functions(graph);
    for (form, index) in FORMS.iter().zip(0..) {
        search.find(graph, form, index);
    }
    let bounds = neighbors_as_bounds(graph);
    let rewritten = rewrite::<Infallible>(graph, |rw, node, inputs| {
        if let Some((body, operands)) = search.found.get(&node.id()) {
            let operands: Vec<NodeId> = operands.iter().map(|&id| rw.mapped(id)).collect();
            return Ok(Some(rw.graph().inline(body, &operands)));
        }
        // A function with its own derivative has already been restored.
        if matches!(node.op(), Op::CustomFn { .. }) {
            return Ok(None);
        }
        if bounds.contains(&node.id()) {
            let shapes: Vec<Shape> = node.inputs().iter().map(|&id| graph.shape(id).clone()).collect();
            let bound = functions::function_of(&shapes, |x| {
                x[0].stop_gradient().binary(BinaryOp::NextAfter, &x[1].stop_gradient())
            });
            return Ok(bound.map(|bound| rw.graph().inline(&SubGraph::new(bound), inputs)));
        }
        let mut bodies = Vec::new();
        node.op().for_each_graph(&mut |body| bodies.push(restore(body)));
        if bodies.iter().all(Option::is_none) {
            return Ok(None);
        }
        let (mut op, mut bodies) = (node.op().clone(), bodies.into_iter());
        op.for_each_graph_mut(&mut |body| {
            if let Some(changed) = bodies.next().flatten() {
                *body = SubGraph::new(changed);
            }
        });
        let id = rw.graph().push(op, inputs.to_vec(), node.results().to_vec());
        Ok(Some(rw.graph().project(id)))
    });
    let Ok(rewritten) = rewritten;
    let mut rewritten = rewritten?;
    rewritten.remove_dead();
    Some(rewritten)
}

/// Finds results of `nextafter` that bound a range. JAX has no derivative of `nextafter`: when it clamps truncated
/// samples to such a bound it stops the gradient, but lowering drops that.
fn neighbors_as_bounds(graph: &Graph) -> HashSet<NodeId> {
    let neighbor = |mut id: NodeId| {
        while let Op::BroadcastInDim { .. } = graph.node(id).op() {
            id = graph.node(id).inputs()[0];
        }
        is_binary(graph.node(id).op(), BinaryOp::NextAfter).then_some(id)
    };
    let is_range = |op: &Op| is_binary(op, BinaryOp::Max) || is_binary(op, BinaryOp::Min);
    let ranges = graph.nodes().iter().filter(|node| is_range(node.op()));
    ranges.flat_map(|node| node.inputs().iter().filter_map(|&id| neighbor(id))).collect()
}

/// The state of the search.
struct Search {
    /// Both expressions of a form for operands of a shape, as graphs, keyed by the number of the form.
    known: HashMap<(usize, Shape), Option<(Graph, Option<SubGraph>)>>,
    /// Nodes that belong to a function that was found.
    taken: HashSet<NodeId>,
    /// The replacement of each node, and its operands.
    found: HashMap<NodeId, (SubGraph, Vec<NodeId>)>,
}

impl Search {
    /// Finds functions with their own derivatives. The search starts at the end, so that the largest are found first.
    fn find_functions(&mut self, graph: &Graph) {
        for node in graph.nodes().iter().rev() {
            if self.taken.contains(&node.id()) {
                continue;
            }
            if let Some(found) = functions::find(graph, node.id()) {
                self.taken.extend(found.members);
                self.found.insert(node.id(), (found.function, found.operands));
            }
        }
    }

    fn find(&mut self, graph: &Graph, form: &LoweredForm, index: usize) {
        // Extremes do not commute here: the order of their operands tells which function it was.
        let exchanged =
            |op: &Op| commutes(op) && !is_binary(op, BinaryOp::Max) && !is_binary(op, BinaryOp::Min);
        for node in graph.nodes() {
            let (id, shape) = (node.id(), node.shape());
            if !(form.last)(node.op()) || !shape.dtype().is_float() || self.taken.contains(&id) {
                continue;
            }
            let known = self.known.entry((index, shape.clone())).or_insert_with(|| expressions(form, shape));
            let Some((lowered, restored)) = known else { continue };
            let Some(found) = find(graph, lowered, id, exchanged) else { continue };
            let members = found.members.iter().filter(|&&member| {
                let op = graph.node(member).op();
                !matches!(op, Op::Constant { .. } | Op::BroadcastInDim { .. })
            });
            self.taken.extend(members);
            if let Some(restored) = restored {
                self.found.insert(id, (restored.clone(), found.operands));
            }
        }
    }
}

/// Functions that JAX lowers to private functions of the same name. Only the name tells them apart, since
/// `maximum(x, 0)` is lowered to the same ops.
const RELU: LoweredForm = LoweredForm {
    last: |op| is_binary(op, BinaryOp::Max),
    tensors: 1,
    scalars: 0,
    lowered: |x| x[0].maximum(&zeros(&x[0])),
    restored: Some(|x| x[0].relu()),
};
const RELU6: LoweredForm = LoweredForm {
    last: |op| is_binary(op, BinaryOp::Min),
    tensors: 1,
    scalars: 0,
    lowered: |x| x[0].maximum(&zeros(&x[0])).minimum(&full(&x[0], 6.0)),
    restored: Some(|x| x[0].activation(Activation::Relu6)),
};

/// Returns the results of a private function that JAX gives its own derivative, or `None` for any other. Only the body
/// is examined, not the arguments, so that constant arguments remain arguments.
pub(super) fn called(cx: &mut ImportContext<'_, '_>, callee: &str) -> Outcome<Option<Vec<Val>>> {
    // JAX numbers functions of the same name.
    let stem = callee.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = if stem.len() < callee.len() { stem.strip_suffix('_').unwrap_or(callee) } else { callee };
    let restore: fn(&Graph, NodeId, &[NodeId]) -> Option<SubGraph> = match stem {
        "relu" => |graph, root, arguments| named(graph, &RELU, root, arguments),
        "relu6" => |graph, root, arguments| named(graph, &RELU6, root, arguments),
        "expi" | "expn" | "hyp1f1" | "hyp2f1" => functions::find_between,
        "_gamma" => functions::find_gamma_sampler,
        "det" => linear_algebra::determinant,
        "_pinv" => linear_algebra::pseudo_inverse,
        _ => return Ok(None),
    };
    let Ok(arguments) = cx.tensors().map_err(drop) else { return Ok(None) };
    if !cx.im.restores {
        return Ok(None);
    }
    // The body is examined in primitives, because `expi` calls `expn`.
    cx.im.restores = false;
    let graph = cx.function(callee, &cx.args.clone());
    cx.im.restores = true;
    let graph = graph?;
    let inputs: Vec<NodeId> = graph.inputs().map(rlx_ir::Node::id).collect();
    let function = match graph.outputs() {
        &[root] if inputs.len() == arguments.len() => restore(&graph, root, &inputs),
        _ => None,
    };
    let inlined = function.map(|function| cx.inline(&function, &arguments));
    Ok(inlined.map(|results| results.into_iter().map(Val::Tensor).collect()))
}

/// Returns what a function of one argument becomes, if the node has this form.
fn named(graph: &Graph, form: &LoweredForm, root: NodeId, arguments: &[NodeId]) -> Option<SubGraph> {
    let (lowered, restored) = expressions(form, graph.shape(root))?;
    let found = find(graph, &lowered, root, |_| false)?;
    restored.filter(|_| found.operands == arguments && graph.shape(root).dtype().is_float())
}

/// Returns both expressions of a form, or `None` if they are not defined for this shape.
fn expressions(form: &LoweredForm, shape: &Shape) -> Option<(Graph, Option<SubGraph>)> {
    let scalar = Shape::scalar(shape.dtype());
    let graph = |expression: fn(&[Tensor]) -> Tensor| {
        let builder = Builder::new("");
        let shapes = [(form.tensors, shape), (form.scalars, &scalar)];
        let shapes = shapes.into_iter().flat_map(|(count, shape)| std::iter::repeat_n(shape, count));
        let inputs: Vec<Tensor> =
            shapes.enumerate().map(|(i, shape)| builder.input(format!("x{i}"), shape.clone())).collect();
        let result = expression(&inputs);
        builder.finish(&[&result]).ok()
    };
    let restored = match form.restored {
        Some(expression) => Some(SubGraph::new(graph(expression)?)),
        None => None,
    };
    Some((graph(form.lowered)?, restored))
}
