//! Imports gather and scatter.

use super::bodies;
use super::context::{ImportContext, Outcome, Problem, Rule, Val, many, one};
use rlx_ir::{BinaryOp, Dim, GatherDims, NodeId, Op, ScatterDims, Shape, SubGraph};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.gather" => gather,
        "stablehlo.scatter" => scatter,
        "stablehlo.torch_index_select" => torch_index_select,
        _ => return None,
    })
}

fn gather(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, indices] = cx.operands()?;
    let sizes = cx.fields().axes("slice_sizes")?.into_iter().map(Dim::Static).collect();
    one(gather_with(cx, x, indices, sizes)?)
}

/// Adds a gather of windows of these sizes.
pub(super) fn gather_with(
    cx: &mut ImportContext<'_, '_>,
    x: NodeId,
    indices: NodeId,
    slice_sizes: Vec<Dim>,
) -> Outcome<NodeId> {
    let fields = cx.fields().need_fields("dimension_numbers")?;
    let op = Op::Gather {
        dims: GatherDims {
            offset_dims: fields.axes("offset_dims")?,
            collapsed_slice_dims: fields.axes("collapsed_slice_dims")?,
            operand_batching_dims: fields.axes("operand_batching_dims")?,
            start_indices_batching_dims: fields.axes("start_indices_batching_dims")?,
            start_index_map: fields.axes("start_index_map")?,
            index_vector_dim: fields.size_or("index_vector_dim", 0)?,
        },
        slice_sizes,
    };
    cx.add(op, &[x, indices])
}

fn scatter(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let args = cx.tensors()?;
    let fields = cx.fields().need_fields("scatter_dimension_numbers")?;
    let dims = ScatterDims {
        update_window_dims: fields.axes("update_window_dims")?,
        inserted_window_dims: fields.axes("inserted_window_dims")?,
        input_batching_dims: fields.axes("input_batching_dims")?,
        scatter_indices_batching_dims: fields.axes("scatter_indices_batching_dims")?,
        scatter_dims_to_operand_dims: fields.axes("scatter_dims_to_operand_dims")?,
        index_vector_dim: fields.size_or("index_vector_dim", 0)?,
    };
    let count = args.len() / 2;
    if args.len() != 2 * count + 1 || count == 0 {
        return Err(Problem::error(format!(
            "takes n tensors, indices and n updates, which is an odd number of operands; got {}",
            args.len()
        )));
    }
    let elements: Vec<Shape> = args[..count].iter().map(|&x| Shape::scalar(cx.dtype(x))).collect();
    let body = cx.scalar_body(0, [elements.clone(), elements].concat())?;
    if let ([x, _, _], Some(combiner)) = (args.as_slice(), bodies::combiner(&body))
        && combiner.accepts().contains(cx.dtype(*x))
    {
        return one(cx.add(Op::Scatter { dims, combiner }, &args)?);
    }
    many(cx.add_all(Op::ScatterGraph { dims, body: SubGraph::new(body) }, &args)?)
}

/// Imports slices of x along an axis, by indices that share leading axes with it.
fn torch_index_select(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, index] = cx.operands()?;
    let axis = cx.fields().need_size("dim")?;
    let batch = cx.fields().need_size("batch_dims")?;
    let (shape, index_shape) = (cx.shape(x), cx.shape(index));
    if axis >= shape.rank() || batch > axis || batch > index_shape.rank() {
        return Err(Problem::error(format!(
            "dim {axis} and batch_dims {batch} do not fit {shape} and {index_shape}"
        )));
    }
    let slice_sizes = shape.dims().iter().enumerate();
    let op = Op::Gather {
        dims: GatherDims::slices(axis, batch, shape.rank(), index_shape.rank()),
        slice_sizes: slice_sizes
            .map(|(i, d)| if i < batch || i == axis { Dim::Static(1) } else { d.clone() })
            .collect(),
    };
    one(cx.add(op, &[x, index])?)
}

/// Returns whether a function is commutative.
pub(super) fn commutes(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Add
            | BinaryOp::Mul
            | BinaryOp::Max
            | BinaryOp::Min
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
    )
}
