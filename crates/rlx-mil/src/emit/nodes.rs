//! Selects the family that writes an op, node by node.

use super::attention;
use super::composite;
use super::contraction::{self, Transposed};
use super::indexing::{self, Windows};
use super::norms::{self, Statistics};
use super::quantized::Quantized;
use super::reduction;
use super::state::StateUpdates;
use super::value::{Held, Var, merged_sizes, sizes};
use super::writer::{Declined, ProgramWriter, Written};
use super::{
    blocks, control, elementwise, integers, intervals, pooling, quantized, recognized, recurrent, rounding,
    runs, shaping, sorting,
};
use rlx_ir::{DType, Graph, Literal, Node, NodeId, Op, Shape};

/// Writes the nodes of a graph with these values for its leaves, and returns its outputs. Nodes that cannot be written are added to the
/// writer's problems.
pub(super) fn graph(w: &mut ProgramWriter, graph: &Graph, leaves: &[Held]) -> Vec<Held> {
    with_states(w, graph, leaves, &StateUpdates::default())
}

/// Like [`graph`], for a graph in which some nodes are the next values of states.
pub(super) fn with_states(
    w: &mut ProgramWriter,
    graph: &Graph,
    leaves: &[Held],
    updates: &StateUpdates,
) -> Vec<Held> {
    watched(w, graph, leaves, updates, &mut |_, _| {})
}

/// Calls `problem` with each node that cannot be written, or that has a graph inside that cannot be, and the reason. For one result of
/// several, it is called with their node.
pub(super) fn declined(
    w: &mut ProgramWriter,
    graph: &Graph,
    leaves: &[Held],
    problem: &mut dyn FnMut(NodeId, &str),
) {
    watched(w, graph, leaves, &StateUpdates::default(), problem);
}

fn watched(
    w: &mut ProgramWriter,
    graph: &Graph,
    leaves: &[Held],
    updates: &StateUpdates,
    problem: &mut dyn FnMut(NodeId, &str),
) -> Vec<Held> {
    let mut values: Vec<Vec<Held>> = Vec::with_capacity(graph.nodes().len());
    let mut leaves = leaves.iter();
    let bounds = intervals::bounds(graph);
    for node in graph.nodes() {
        let before = w.problems.len();
        let mut written = match node.op() {
            Op::Input { .. } | Op::Param { .. } => leaves.next().cloned().into_iter().collect(),
            Op::Output { index } => {
                let results = node.inputs().first().map(|id| &values[id.index()]);
                results.and_then(|results| results.get(*index)).cloned().into_iter().collect()
            }
            _ => {
                let operand = |id: &rlx_ir::NodeId| values[id.index()].first().cloned();
                let operands: Vec<Held> = node.inputs().iter().filter_map(operand).collect();
                let types: Vec<DType> =
                    node.inputs().iter().map(|id| graph.node(*id).shape().dtype()).collect();
                match (node.op(), node.inputs()) {
                    (Op::OneHot { depth, .. }, &[ids]) if bounds.counts_to(ids, *depth) => {
                        composite::one_hot(w, &operands[0], *depth, node.shape()).unwrap_or_default()
                    }
                    (Op::RaggedDot { dtype }, &[_, _, sizes])
                        if matches!(node.shape().dtype(), DType::F32 | DType::F16)
                            && bounds.counts_to(sizes, usize::MAX) =>
                    {
                        let [x, matrices, sizes] = [&operands[0], &operands[1], &operands[2]];
                        one(w, node, |w| runs::ragged_dot(w, *dtype, [x, matrices, sizes], true))
                    }
                    _ => {
                        let sizes = sizes_in(node.op());
                        match node.inputs().iter().find_map(|id| sizes(graph.shape(*id)).err()) {
                            Some(declined) => left_out(w, node, declined.into()),
                            None => one(w, node, |w| op(w, node.op(), &operands, &types, node.results())),
                        }
                    }
                }
            }
        };
        if let Some(beyond) = bounds.beyond.get(&node.id()) {
            w.problems.push(beyond.clone());
        }
        if let Some(reason) = w.problems.get(before) {
            let owner = node.inputs().first().filter(|_| node.is_projection());
            problem(owner.copied().unwrap_or(node.id()), reason);
        }
        if let Some(value) = written.first_mut() {
            updates.write(w, node.id(), value);
        }
        values.push(written);
    }
    graph.outputs().iter().filter_map(|id| values[id.index()].first().cloned()).collect()
}

/// Writes a node.
fn one(w: &mut ProgramWriter, node: &Node, write: impl FnOnce(&mut ProgramWriter) -> Written) -> Vec<Held> {
    let label = (!node.label().is_empty()).then(|| std::mem::replace(&mut w.label, node.label().into()));
    let written = write(w);
    if let Some(label) = label {
        w.label = label;
    }
    written.unwrap_or_else(|declined| left_out(w, node, declined))
}

/// Records why a node is not written, and returns placeholders for its results.
fn left_out(w: &mut ProgramWriter, node: &Node, declined: Declined) -> Vec<Held> {
    let at = node.at_label();
    w.problems.push(format!("`{}`{at}: {}", node.op().mnemonic(), declined.0));
    node.results().iter().map(placeholder).collect()
}

/// Returns a placeholder for a value that was not written. The program is then not returned.
pub(super) fn placeholder(shape: &Shape) -> Held {
    let (elem, dims) = merged_sizes(shape).unwrap_or((super::value::Elem::F32, Vec::new()));
    Held::whole(Var { name: "missing".into(), elem, dims, known: None })
}

/// Returns the sizes of an op's values in a program. Those of a reshape may have more axes in the graph.
pub(super) fn sizes_in(op: &Op) -> fn(&Shape) -> Result<(super::value::Elem, Vec<usize>), String> {
    if matches!(op, Op::Reshape { .. }) { merged_sizes } else { sizes }
}

/// Writes an op on values of these types.
pub(super) fn op(w: &mut ProgramWriter, op: &Op, x: &[Held], types: &[DType], results: &[Shape]) -> Written {
    let sizes = sizes_in(op);
    for shape in results {
        sizes(shape)?;
    }
    rounding::check(op, types, results)?;
    let are_booleans = results.iter().all(|shape| shape.dtype() == DType::Bool);
    if are_booleans && integers::counts_booleans(op) {
        return integers::as_numbers(w, x, |w, x| family(w, op, x, types, results));
    }
    let mut values = family(w, op, x, types, results)?;
    if integers::may_leave(op) {
        for (held, shape) in values.iter_mut().zip(results) {
            held.var = integers::wrapped(w, &held.var, shape.dtype());
        }
    }
    Ok(values)
}

/// Writes an op as if the types of its results were those that store them.
fn family(w: &mut ProgramWriter, op: &Op, x: &[Held], types: &[DType], results: &[Shape]) -> Written {
    match (op, x) {
        (Op::Constant { value }, _) => elementwise::constant(w, value),
        (Op::Iota { shape, axis }, _) => elementwise::iota(w, shape, *axis),
        (Op::Unary { op }, [x]) => elementwise::unary(w, *op, x),
        (Op::Binary { op }, [x, y]) => elementwise::binary(w, *op, x, y),
        (Op::Compare { op, total_order }, [x, y]) => elementwise::comparison(w, *op, *total_order, x, y),
        (Op::Select {}, [cond, a, b]) => elementwise::select(w, cond, a, b),
        (Op::Clamp {}, [low, x, high]) => elementwise::clamp(w, low, x, high),
        (Op::Convert { .. }, [x]) => elementwise::convert(w, x, &results[0]),
        (Op::ReducePrecision { exponent_bits, mantissa_bits }, [x]) => {
            elementwise::reduce_precision(w, x, *exponent_bits, *mantissa_bits)
        }
        (Op::Reshape { .. }, [x]) => shaping::reshape(w, x, &results[0]),
        (Op::Transpose { perm }, [x]) => shaping::transpose(w, x, perm),
        (Op::BroadcastInDim { axes, .. }, [x]) => shaping::broadcast_in_dim(w, x, axes, &results[0]),
        (Op::Slice { starts, limits, strides }, [x]) => {
            shaping::slice(w, x, starts, limits, strides, &results[0])
        }
        (Op::Pad { low, high, interior }, [x, value]) => shaping::pad(w, x, value, low, high, interior),
        (Op::Concatenate { axis }, xs) => shaping::concatenate(w, xs, *axis),
        (Op::Reverse { axes }, [x]) => shaping::reverse(w, x, axes),
        (Op::OptimizationBarrier {}, xs) => Ok(xs.to_vec()),
        (Op::DynamicSlice { sizes }, [x, starts @ ..]) => indexing::dynamic_slice(w, x, starts, sizes),
        (Op::DynamicUpdateSlice {}, [x, update, starts @ ..]) => {
            indexing::dynamic_update_slice(w, x, update, starts)
        }
        (Op::Gather { dims, slice_sizes }, [x, indices]) => {
            let windows = Windows { axes: dims.windows(), sizes: shaping::known_sizes(slice_sizes)? };
            indexing::gather(w, x, indices, &windows, &results[0])
        }
        (Op::Scatter { dims, combiner }, [x, indices, updates]) => {
            indexing::scatter(w, dims, *combiner, x, indices, updates)
        }
        (Op::Sort { axis, order, num_keys, .. }, xs) => sorting::sort(w, *axis, *order, *num_keys, xs),
        (Op::TopK { k }, [x]) => sorting::top_k(w, *k, x, results),
        (Op::ArgReduce { op, axis, dtype }, [x]) => sorting::argreduce(w, *op, *axis, *dtype, x),
        (Op::DotGeneral { dims, dtype }, [x, y]) => contraction::dot_general(w, dims, *dtype, x, y),
        (Op::RaggedDot { dtype }, [x, matrices, sizes]) => {
            runs::ragged_dot(w, *dtype, [x, matrices, sizes], false)
        }
        (Op::Convolution { spec, dtype }, [x, kernel]) => {
            contraction::convolution(w, spec, *dtype, x, kernel)
        }
        (Op::Reduce { kind, axes }, [x]) => reduction::reduce(w, *kind, axes, x),
        (Op::ReduceWindow { kind, spec }, [x]) => reduction::reduce_window(w, *kind, spec, x, &results[0]),
        (Op::SelectAndScatter { select, scatter, spec }, [x, source, init]) if !spec.is_padded() => {
            pooling::select_and_scatter(w, select, scatter, spec, [x, source, init])
        }
        (Op::Cumulative { op, axis, exclusive, reverse }, [x]) => {
            reduction::cumulative(w, *op, *axis, *exclusive, *reverse, x)
        }
        (Op::If { then_branch, else_branch }, [pred, args @ ..]) => {
            control::conditional(w, then_branch, else_branch, pred, args)
        }
        (Op::Case { branches }, [index, args @ ..]) => control::case(w, branches, index, args),
        (Op::While { cond, body }, init) => control::while_loop(w, cond, body, init),
        (op, x) => composites(w, op, x, types, results),
    }
}

/// Writes a composite.
fn composites(w: &mut ProgramWriter, op: &Op, x: &[Held], types: &[DType], results: &[Shape]) -> Written {
    if let (Some((0, scheme)), [x]) = (op.unpacks(), x) {
        return blocks::unpacked(w, scheme, x, &results[0]);
    }
    if let Some(size) = x.first().and_then(|x| intervals::size_of(op, &x.dims)) {
        // Sizes fit in 32 bits: `sizes` has checked them.
        return Ok(vec![Held::whole(w.literal(Literal::scalar(size as i32))?)]);
    }
    match (op, x) {
        (Op::Activation { kind }, [x]) => composite::activation(w, *kind, x),
        (Op::Elu { alpha }, [x]) => composite::elu(w, *alpha, x),
        (Op::LeakyRelu { slope }, [x]) => composite::leaky_relu(w, *slope, x),
        (Op::Clip { low, high }, [x]) => composite::clip(w, *low, *high, x),
        (Op::StopGradient {}, [x]) => Ok(vec![x.clone()]),
        (Op::Softmax { axis }, [x]) => composite::softmax(w, *axis, x),
        (Op::LayerNorm { axis, eps }, [x, rest @ ..]) => {
            composite::layer_norm(w, *axis, *eps, x, rest.first(), rest.get(1))
        }
        (Op::Matmul {}, [x, y]) => composite::matmul(w, x, y),
        (Op::Expand { dims }, [x]) => composite::expand(dims, x),
        (Op::Split { axis, sizes }, [x]) => shaping::split(w, *axis, sizes, x, results),
        (Op::OneHot { depth, .. }, [ids]) => composite::class_places(w, ids, *depth, &results[0]),
        (Op::Tile { repeats }, [x]) => shaping::tile(w, repeats, x, &results[0]),
        (Op::GatherAxis { axis }, [x, indices]) => indexing::gather_axis(w, *axis, x, indices),
        (Op::BatchNorm { axis, eps }, [x, gamma, beta, mean, variance]) => {
            let statistics = Statistics { gamma, beta, mean, variance };
            norms::batch_norm(w, *axis, *eps, x, &statistics)
        }
        (Op::GroupNorm { groups, eps }, [x, rest @ ..]) => {
            norms::group_norm(w, *groups, *eps, x, rest.first(), rest.get(1))
        }
        (Op::Mean { axes, keep_dims }, [x]) => reduction::mean(w, axes, *keep_dims, x),
        (Op::LogSumExp { axes, keep_dims }, [x]) => reduction::logsumexp(w, axes, *keep_dims, x),
        (Op::Attention { options }, [q, k, v, rest @ ..]) if options.kv_scheme.is_none() => {
            let (values, rows) = options.mask.operands(&rest.iter().collect::<Vec<_>>());
            attention::attention(w, options, [q, k, v], values, rows)
        }
        (Op::Pool { kind, kernel_size, stride, padding }, [x]) => {
            composite::pool(w, *kind, kernel_size, stride, padding, x)
        }
        (
            Op::ConvTranspose2d { stride, padding, output_padding, dilation, groups },
            [x, weight, rest @ ..],
        ) if *groups > 1 => {
            let of = Transposed {
                strides: stride.clone(),
                dilations: dilation.clone(),
                cut: padding.iter().map(|&n| (n as i64, n as i64)).collect(),
                groups: *groups,
            };
            contraction::conv_transpose2d(w, of, output_padding, [x, weight], rest.first())
        }
        (Op::Lstm { reverse }, x) => net(w, x, 2, *reverse, recurrent::lstm),
        (Op::Gru { reverse }, x) => net(w, x, 1, *reverse, recurrent::gru),
        (Op::Rnn { activation, reverse }, x) => {
            net(w, x, 1, *reverse, |w, net| recurrent::rnn(w, *activation, net))
        }
        (Op::Quantize { axis, dtype }, [x, scale, rest @ ..]) => {
            quantized::quantize(w, *dtype, x, Quantized { axis: *axis, scale, zero: rest.first() })
        }
        (Op::Dequantize { axis }, [x, scale, rest @ ..]) => {
            quantized::dequantize(w, types[0], x, Quantized { axis: *axis, scale, zero: rest.first() })
        }
        (Op::FakeQuantize { bits: 8, axis, symmetric: false }, [x, scale, rest @ ..]) => {
            quantized::fake_quantize(w, x, Quantized { axis: *axis, scale, zero: rest.first() })
        }
        (Op::Categorical { axis }, [key, logits]) if w.own_random => {
            composite::categorical(w, *axis, key, logits)
        }
        (Op::Custom { name, config, .. }, x) => recognized::operation(w, name, config, x, results),
        (op, _) => Err(format!("programs have no {}", op.mnemonic()).into()),
    }
}

/// Writes a recurrent net with this number of states.
fn net(
    w: &mut ProgramWriter,
    x: &[Held],
    states: usize,
    reverse: bool,
    write: impl FnOnce(&mut ProgramWriter, &recurrent::Recurrent<'_>) -> Written,
) -> Written {
    let net = recurrent::operands(x, states, reverse).ok_or("operands of a recurrent net are missing")?;
    write(w, &net)
}
