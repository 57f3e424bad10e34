//! Writes gradients of pooling: the element that a window selected gets the source's element for that window.

use super::elementwise::float;
use super::nodes::graph;
use super::value::{Held, Var};
use super::writer::{Declined, ProgramWriter, Written};
use rlx_ir::{BinaryOp, Graph, Op, WindowSpec};

/// Maximum number of elements of a window, which are processed separately.
const MOST_IN_WINDOW: usize = 64;

/// Whether a graph adds its two inputs.
fn adds(graph: &Graph) -> bool {
    let &[output] = graph.outputs() else { return false };
    let inputs: Vec<_> = graph.inputs().map(|node| node.id()).collect();
    let node = graph.node(output);
    let are_both = inputs.len() == 2 && inputs.iter().all(|id| node.inputs().contains(id));
    are_both && matches!(node.op(), Op::Binary { op: BinaryOp::Add })
}

/// Evaluates whether each element of one value stays selected in comparison with the other's. `select` is a graph on scalars, written for
/// all elements at once.
fn stays(w: &mut ProgramWriter, select: &Graph, value: &Var, seen: &Var) -> Result<Var, Declined> {
    let is_pointwise = |op: &Op| {
        matches!(
            op,
            Op::Input { .. } | Op::Unary { .. } | Op::Binary { .. } | Op::Compare { .. } | Op::Convert { .. }
        )
    };
    if !select.nodes().iter().all(|node| is_pointwise(node.op())) {
        return Err("windows must select by a comparison".into());
    }
    let problems = w.problems.len();
    let stays = graph(w, select, &[Held::whole(value.clone()), Held::whole(seen.clone())]);
    let written = stays.first().filter(|stays| w.problems.len() == problems && stays.var.dims == seen.dims);
    Ok(written.ok_or("windows must select by a comparison")?.var.clone())
}

/// Returns the offsets of the window's elements from the first one.
fn offsets(sizes: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for &size in sizes {
        all = all.iter().flat_map(|at| (0..size).map(move |i| [&at[..], &[i]].concat())).collect();
    }
    all
}

pub(super) fn select_and_scatter(
    w: &mut ProgramWriter,
    select: &Graph,
    scatter: &Graph,
    spec: &WindowSpec,
    [x, source, init]: [&Held; 3],
) -> Written {
    let elem = float(x, "selections")?;
    if !adds(scatter) {
        return Err("selected elements must be summed".into());
    }
    if spec.taps() > MOST_IN_WINDOW {
        return Err(format!("windows of more than {MOST_IN_WINDOW} elements are not supported").into());
    }
    let (x, source, init) = (w.full(x), w.full(source), w.reshape(&init.var, &[]));
    // For each axis, the distance from the first window to the last.
    let spans: Vec<usize> =
        source.dims.iter().zip(&spec.strides).map(|(&count, stride)| (count - 1) * stride + 1).collect();
    let offsets = offsets(&spec.window);
    let mut best: Option<(Var, Var)> = None;
    for (i, offset) in offsets.iter().enumerate() {
        let limits: Vec<usize> = offset.iter().zip(&spans).map(|(at, span)| at + span).collect();
        if limits.iter().zip(&x.dims).any(|(limit, size)| limit > size) {
            return Err("a window is larger than the operand".into());
        }
        let seen = w.slice(&x, offset, &limits, &spec.strides);
        let number = w.filled(i as f64, super::value::Elem::I32, &vec![1; x.rank()]);
        best = Some(match best {
            None => (seen, number),
            Some((value, chosen)) => {
                let stays = stays(w, select, &value, &seen)?;
                (w.choose(&stays, &value, &seen), w.choose(&stays, &chosen, &number))
            }
        });
    }
    let (_, chosen) = best.ok_or("a window has no elements")?;
    let zero = w.scalar(0.0, elem);
    let mut total = w.full(&Held { var: init, dims: x.dims.clone() });
    for (i, offset) in offsets.iter().enumerate() {
        let here = w.compare_with("equal", &chosen, i as f64);
        let mut part = w.choose(&here, &source, &zero);
        for (axis, stride) in spec.strides.iter().enumerate() {
            part = w.spread(&part, &zero, axis, stride - 1)?;
        }
        let high: Vec<usize> =
            (0..x.rank()).map(|axis| x.dims[axis] - offset[axis] - part.dims[axis]).collect();
        let part = w.pad(&part, &zero, offset, &high);
        total = w.join("add", &total, &part);
    }
    Ok(vec![Held::whole(total)])
}
