//! Functions that come in primitives, restored: where a program has what a function is lowered to, it gets the op back whose derivative
//! is that of the function. Their primitives have another one: 1 / (1 + e^−x) gives NaN for a large −x, and max(x, 0) a half at 0.
//!
//! A form is two expressions, what is written and what it becomes. They are equal but for rounding.

use rlx_ir::pattern::{commutes, find};
use rlx_ir::rewrite::rewrite;
use rlx_ir::{Activation, BinaryOp, Builder, Graph, NodeId, Op, Shape, SubGraph, Tensor, UnaryOp};
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

/// A function, by what it is lowered to.
struct LoweredForm {
    /// The last op of `lowered`: elsewhere nothing is looked for.
    last: fn(&Op) -> bool,
    /// How many tensors it takes, all of one shape.
    tensors: usize,
    /// How many scalars it takes, after those.
    scalars: usize,
    /// What is looked for.
    lowered: fn(&[Tensor]) -> Tensor,
    /// What it becomes. Without it the nodes stay as they are, and are no part of what later rows look for.
    restored: Option<fn(&[Tensor]) -> Tensor>,
}

/// Longest first: what a form has found is not looked at by those below.
const FORMS: &[LoweredForm] = &[
    // JAX: logaddexp(x, 0), of which softplus and log_sigmoid are made.
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
    // JAX: log1mexp, with log 2 between its branches; the one that is not taken gets log 2, where it is finite.
    LoweredForm {
        last: is_select,
        tensors: 1,
        scalars: 1,
        lowered: |x| log1mexp(&x[0], &x[0], &x[0].less(&x[1].broadcast_to(&x[0].dims()))),
        restored: Some(|x| {
            let middle = x[1].broadcast_to(&x[0].dims());
            let small = x[0].less(&middle);
            log1mexp(&small.select(&x[0], &middle), &small.select(&middle, &x[0]), &small)
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
    LoweredForm {
        last: |op| is_binary(op, BinaryOp::Min),
        tensors: 1,
        scalars: 0,
        lowered: |x| x[0].maximum(&zeros(&x[0])).minimum(&full(&x[0], 6.0)),
        restored: Some(|x| x[0].activation(Activation::Relu6)),
    },
    // CELU: its halves at 0 add up to the whole.
    LoweredForm {
        last: |op| is_binary(op, BinaryOp::Add),
        tensors: 1,
        scalars: 2,
        lowered: |x| {
            let scale = |i: usize| x[i].broadcast_to(&x[0].dims());
            let below = (x[0].minimum(&zeros(&x[0])) / scale(2)).unary(UnaryOp::Expm1);
            x[0].maximum(&zeros(&x[0])) + scale(1) * below
        },
        restored: None,
    },
    // Not max(0, x), which is what JAX makes of `clip`: its derivative at 0 is a half.
    LoweredForm {
        last: |op| is_binary(op, BinaryOp::Max),
        tensors: 1,
        scalars: 0,
        lowered: |x| x[0].maximum(&zeros(&x[0])),
        restored: Some(|x| x[0].relu()),
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

/// log(e^a + e^b) as JAX has it: where a − b is NaN, of infinities of one sign, it is a + b. An operand that is one number is broadcast
/// anew for each use.
fn logaddexp(a: impl Fn() -> Tensor, b: impl Fn() -> Tensor) -> Tensor {
    let apart = a() - b();
    let sum = a().maximum(&b()) + (-apart.unary(UnaryOp::Abs)).exp().unary(UnaryOp::Log1p);
    apart.not_equal(&apart).select(&(a() + b()), &sum)
}

/// The same with min(a − b, b − a) for −|a − b|: at a = b the derivatives of both extremes are shared, and so a half each. What is
/// not selected stays finite, or its derivative would be NaN.
fn smooth_logaddexp(a: &Tensor, b: &Tensor) -> Tensor {
    let apart = a - b;
    let undefined = apart.not_equal(&apart);
    let apart = undefined.select(&zeros(a), &apart);
    let sum = a.maximum(b) + apart.minimum(&-&apart).exp().unary(UnaryOp::Log1p);
    undefined.select(&(a + b), &sum)
}

/// log(1 − e^−x): log(−expm1(−small)) where that is the better one, else log1p(−e^−large).
fn log1mexp(small: &Tensor, large: &Tensor, is_small: &Tensor) -> Tensor {
    let below = (-(-small).unary(UnaryOp::Expm1)).log();
    is_small.select(&below, &(-(-large).exp()).unary(UnaryOp::Log1p))
}

/// The graph with the functions that its nodes, and those of graphs inside ops, are lowered from: what [`import()`](crate::import())
/// makes of a program in primitives.
pub fn restored(graph: Graph) -> Graph {
    restore(&graph).unwrap_or(graph)
}

/// The graph with what was found in it; none where nothing was.
fn restore(graph: &Graph) -> Option<Graph> {
    let mut search = Search { known: HashMap::new(), taken: HashSet::new(), found: HashMap::new() };
    for (form, index) in FORMS.iter().zip(0..) {
        search.find(graph, form, index);
    }
    let rewritten = rewrite::<Infallible>(graph, |rw, node, inputs| {
        if let Some((body, operands)) = search.found.get(&node.id()) {
            let operands: Vec<NodeId> = operands.iter().map(|&id| rw.mapped(id)).collect();
            return Ok(Some(rw.graph().inline(body, &operands)));
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

/// What was found so far.
struct Search {
    /// Both expressions of a form, by its number, as graphs on operands of a shape.
    known: HashMap<(usize, Shape), Option<(Graph, Option<SubGraph>)>>,
    /// Nodes that are parts of what was found.
    taken: HashSet<NodeId>,
    /// What a node becomes, on these operands.
    found: HashMap<NodeId, (SubGraph, Vec<NodeId>)>,
}

impl Search {
    fn find(&mut self, graph: &Graph, form: &LoweredForm, index: usize) {
        // Extremes do not commute here: the order of their operands says which function it was.
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

/// Both expressions of a form; none where they have no value of this shape.
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
