//! The table of ops that MLX has, with a line per op. An op without a line is decomposed or expanded before it comes
//! here.
//!
//! To add an op, add a line here, such as `(OpKind::Softmax, composite::softmax)`, and a function from a node to
//! a step in the file of the op's family.

use super::{
    ArrayType, Declined, Emit, Site, Step, attention, composite, contraction, control, convolution,
    elementwise, folds, fourier, indexing, linalg, movement, packed, reduction, rope, shaping, sorting, step,
    types, windows,
};
use rlx_ir::{Bindings, Op, OpKind, Shape};

/// The function that emits each op.
const TABLE: &[(OpKind, Emit)] = &[
    (OpKind::Constant, shaping::leaf),
    (OpKind::Iota, shaping::iota),
    (OpKind::DimSize, shaping::dim_size),
    (OpKind::Unary, elementwise::unary),
    (OpKind::Binary, elementwise::binary),
    (OpKind::Compare, elementwise::compare),
    (OpKind::Select, elementwise::select),
    (OpKind::Clamp, elementwise::clamp),
    (OpKind::Convert, types::convert),
    (OpKind::BitcastConvert, types::bitcast_convert),
    (OpKind::ReducePrecision, types::reduce_precision),
    (OpKind::Reshape, shaping::reshape),
    (OpKind::Transpose, shaping::transpose),
    (OpKind::BroadcastInDim, shaping::broadcast_in_dim),
    (OpKind::Slice, shaping::slice),
    (OpKind::Pad, movement::pad),
    (OpKind::Concatenate, shaping::concatenate),
    (OpKind::Reverse, shaping::reverse),
    (OpKind::DynamicSlice, movement::dynamic_slice),
    (OpKind::DynamicUpdateSlice, movement::dynamic_update_slice),
    (OpKind::Gather, indexing::gather),
    (OpKind::Scatter, indexing::scatter),
    (OpKind::ScatterGraph, folds::scatter_graph),
    (OpKind::Sort, sorting::sort),
    (OpKind::SortGraph, folds::sort_graph),
    (OpKind::TopK, sorting::top_k),
    (OpKind::ArgReduce, sorting::argreduce),
    (OpKind::DotGeneral, contraction::dot_general),
    (OpKind::Convolution, convolution::convolution),
    (OpKind::RaggedDot, contraction::ragged_dot),
    (OpKind::Reduce, reduction::reduce),
    (OpKind::ReduceGraph, folds::reduce_graph),
    (OpKind::ReduceWindow, windows::reduce_window),
    (OpKind::ReduceWindowGraph, folds::reduce_window_graph),
    (OpKind::SelectAndScatter, folds::select_and_scatter),
    (OpKind::Cumulative, reduction::cumulative),
    (OpKind::Eigh, linalg::eigh),
    (OpKind::Qr, linalg::qr),
    (OpKind::Svd, linalg::svd),
    (OpKind::Fft, fourier::fft),
    (OpKind::OptimizationBarrier, shaping::optimization_barrier),
    (OpKind::If, control::conditional),
    (OpKind::Case, control::case),
    (OpKind::While, control::while_loop),
    (OpKind::Scan, control::scan),
    (OpKind::Custom, control::custom),
    (OpKind::Softmax, composite::softmax),
    (OpKind::LogSumExp, composite::logsumexp),
    (OpKind::LayerNorm, composite::layer_norm),
    (OpKind::RmsNorm, composite::rms_norm),
    (OpKind::Attention, attention::attention),
    (OpKind::Rope, rope::rope),
    (OpKind::KvAppend, movement::kv_append),
    (OpKind::Take, indexing::take),
    (OpKind::Embedding, indexing::embedding),
    (OpKind::GatherAxis, indexing::gather_axis),
    (OpKind::DequantMatMul, packed::dequant_matmul),
    (OpKind::DequantGroupedMatMul, packed::dequant_grouped_matmul),
];

/// Returns the step of a node, or why it cannot be expressed in MLX.
pub(crate) fn emit(site: &Site<'_>) -> Result<Step, Declined> {
    let kind = site.op.kind();
    let Some((_, of_table)) = TABLE.iter().find(|(row, _)| *row == kind) else {
        return Err(format!("MLX has no `{}`", site.op.mnemonic()));
    };
    let step = of_table(site)?;
    // Results without elements need no computation.
    if !site.results.is_empty() && site.results.iter().all(ArrayType::is_empty) && !site.claiming {
        return empty(site.results.clone());
    }
    Ok(step)
}

/// Makes results without elements.
fn empty(results: Vec<ArrayType>) -> Result<Step, Declined> {
    Ok(Box::new(move |cx, _| {
        let one = |result: &ArrayType| cx.full(&result.dims, &movement::zero(cx, result.element)?);
        Ok(results.iter().map(one).collect::<Result<_, _>>()?)
    }))
}

/// The size assumed for a symbol if claims are asked for before sizes are known.
const ANY_SIZE: usize = 8;

/// Returns why an op cannot be expressed in MLX, or `None` if it can. Sizes may be symbols.
pub(crate) fn declined(op: &Op, operands: &[Shape], results: &[Shape]) -> Option<Declined> {
    let mut bindings = Bindings::new();
    operands.iter().chain(results).flat_map(Shape::symbols).for_each(|symbol| {
        bindings.insert(symbol, ANY_SIZE);
    });
    let bound = |shapes: &[Shape]| {
        shapes.iter().map(|shape| ArrayType::of(&shape.bind(&bindings))).collect::<Result<Vec<_>, _>>()
    };
    let mut at_sizes = op.clone();
    if !bindings.is_empty() {
        at_sizes.bind(&bindings);
    }
    let (operands, results) = match (bound(operands), bound(results)) {
        (Ok(operands), Ok(results)) => (operands, results),
        (Err(why), _) | (_, Err(why)) => return Some(why),
    };
    let constants = vec![None; operands.len()];
    emit(&Site {
        op: &at_sizes,
        operands,
        results,
        constants,
        claiming: true,
        packed: false,
        angles: None,
        mlx: None,
    })
    .err()
}

/// A step that never runs. It is the answer to a claim of an op with graphs inside, which are asked for separately.
pub(super) fn claimed() -> Result<Step, Declined> {
    step(|_, _| Err(rlx_mlx_sys::MlxError::Argument("a claim is no program".into())))
}
