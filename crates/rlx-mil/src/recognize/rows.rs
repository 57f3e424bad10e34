//! The operations that are recognized, with one row each. Candidates are possible arguments of an operation, found by looking at the graph;
//! the operation's meaning decides whether they match.

use super::form::Form;
use super::seen::Seen;
use super::{images, norms, randoms, windows};
use crate::emit::Opset;
use rlx_ir::{NodeId, OpKind};

/// Possible arguments of an operation, with their operands.
pub(super) type Candidates = Option<Vec<(Form, Vec<NodeId>)>>;

/// An operation.
pub(super) struct OperationRow {
    pub(super) kind: &'static str,
    /// The first opset that has the operation, or that supports the required arguments.
    pub(super) since: Opset,
    /// The ops that may be its last node.
    pub(super) roots: &'static [OpKind],
    /// The arguments that must be constants.
    pub(super) constants: &'static [&'static str],
    pub(super) candidates: fn(Seen<'_>) -> Candidates,
}

/// Earlier rows take precedence.
pub(super) const ROWS: [OperationRow; 25] = [
    row("pixel_shuffle", Opset::Ios15, &[OpKind::Reshape], images::pixel_shuffle),
    row("pixel_unshuffle", Opset::Ios16, &[OpKind::Reshape], images::pixel_unshuffle),
    row("space_to_depth", Opset::Ios15, &[OpKind::Reshape], images::space_to_depth),
    row("depth_to_space", Opset::Ios15, &[OpKind::Reshape], images::depth_to_space),
    row("space_to_batch", Opset::Ios15, &[OpKind::Reshape], images::space_to_batch),
    row("batch_to_space", Opset::Ios15, &[OpKind::Reshape, OpKind::Slice], images::batch_to_space),
    row("upsample_nearest_neighbor", Opset::Ios15, &[OpKind::Reshape], images::upsample_nearest),
    row("resize_nearest_neighbor", Opset::Ios15, &[OpKind::Take], images::resize_nearest),
    row("upsample_bilinear", Opset::Ios16, &[OpKind::Binary], images::upsample_bilinear),
    row("resize_bilinear", Opset::Ios15, &[OpKind::Binary], images::resize_bilinear),
    row("resize", Opset::Ios17, &[OpKind::Binary, OpKind::Take], images::resize),
    row("resample", Opset::Ios15, &[OpKind::Binary, OpKind::Reshape, OpKind::Select], images::resample),
    row("affine", Opset::Ios15, &[OpKind::Binary], images::affine),
    row("local_response_norm", Opset::Ios15, &[OpKind::Binary], norms::local_response_norm),
    row("l2_norm", Opset::Ios15, &[OpKind::Binary], norms::l2_norm),
    row("l2_pool", Opset::Ios15, &[OpKind::Unary], windows::l2_pool),
    row("sliding_windows", Opset::Ios15, &[OpKind::Take], windows::sliding_windows),
    row("band_part", Opset::Ios15, &[OpKind::Select], windows::band_part),
    row("reverse_sequence", Opset::Ios15, &[OpKind::GatherAxis], windows::reverse_sequence),
    row("einsum", Opset::Ios15, &[OpKind::Transpose], windows::einsum),
    OperationRow {
        kind: "softplus_parametric",
        since: Opset::Ios15,
        roots: &[OpKind::Binary],
        constants: &["alpha", "beta"],
        candidates: norms::softplus_parametric,
    },
    row("random_uniform", Opset::Ios15, &[OpKind::RngUniform], randoms::uniform),
    row("random_normal", Opset::Ios15, &[OpKind::RngNormal, OpKind::Binary], randoms::normal),
    row("random_bernoulli", Opset::Ios15, &[OpKind::Convert], randoms::bernoulli),
    row("crop", Opset::Ios15, &[OpKind::Slice], images::crop),
];

const fn row(
    kind: &'static str,
    since: Opset,
    roots: &'static [OpKind],
    candidates: fn(Seen<'_>) -> Candidates,
) -> OperationRow {
    OperationRow { kind, since, roots, constants: &[], candidates }
}
