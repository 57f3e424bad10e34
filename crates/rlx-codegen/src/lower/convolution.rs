//! Elements of convolutions: sums of products of a kernel and of what it sees of x, which are guarded loads.

use super::contraction::{Products, Spaces, factors_where};
use super::windows::Motion;
use super::{LowerError, Lowered, Reader};
use crate::build::Writer;
use crate::kernel::Guard;
use rlx_ir::{Dim, Graph, Node, Op};

pub(super) fn element(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    let Op::Convolution { rhs_in_dim, rhs_spatial_dims, .. } = node.op() else {
        return Err(LowerError::unruled(node));
    };
    let (x, kernel) = (node.inputs()[0], node.inputs()[1]);
    let (base, window) = (reader.shape(x), reader.shape(kernel));
    let extents: Vec<Dim> =
        rhs_spatial_dims.iter().chain([rhs_in_dim]).map(|&axis| window.dim(axis).clone()).collect();
    let products = Products::new(base.dtype(), node.shape().dtype());
    products.total(w, &extents, |w, inner| {
        let factor = place(node, (base.dims(), window.dims()), at, inner).ok_or(LowerError::unruled(node))?;
        factors_where(reader, w, [(x, factor.x), (kernel, factor.kernel)], &factor.guard)
    })
}

/// As a product of matrices: rows are places of the window, batches the groups of features, and sums run over the window and features.
pub(super) fn spaces(graph: &Graph, node: &Node) -> Option<Spaces> {
    let Op::Convolution {
        out_batch_dim,
        out_feature_dim,
        out_spatial_dims,
        feature_groups,
        batch_groups,
        rhs_in_dim,
        rhs_spatial_dims,
        ..
    } = node.op()
    else {
        return None;
    };
    let (window, out) = (graph.shape(node.inputs()[1]), node.shape());
    let groups = Dim::Static(feature_groups * batch_groups);
    let rows = [std::slice::from_ref(out_batch_dim), out_spatial_dims].concat();
    Some(Spaces {
        columns: vec![out.dim(*out_feature_dim).floor_div(&groups)],
        batch: vec![groups],
        rows: rows.iter().map(|&axis| out.dim(axis).clone()).collect(),
        inner: rhs_spatial_dims.iter().chain([rhs_in_dim]).map(|&axis| window.dim(axis).clone()).collect(),
    })
}

/// The indices of the result in these spaces.
pub(super) fn result(
    node: &Node,
    batch: &[Dim],
    row: &[Dim],
    (column, columns): (&[Dim], &[Dim]),
) -> Option<Vec<Dim>> {
    let Op::Convolution { out_batch_dim, out_feature_dim, out_spatial_dims, .. } = node.op() else {
        return None;
    };
    let mut at = vec![Dim::Static(0); node.shape().rank()];
    at[*out_batch_dim] = row[0].clone();
    out_spatial_dims.iter().zip(&row[1..]).for_each(|(&axis, index)| at[axis] = index.clone());
    at[*out_feature_dim] = &(&batch[0] * &columns[0]) + &column[0];
    Some(at)
}

/// Where the two factors of a product are.
pub(super) struct Factor {
    pub(super) x: Vec<Dim>,
    pub(super) kernel: Vec<Dim>,
    /// Where x is not padding.
    pub(super) guard: Guard,
}

/// The factors for an element of the result; `inner` are the taps of the kernel along its spatial axes, then the feature of the group.
pub(super) fn place(
    node: &Node,
    (base, window): (&[Dim], &[Dim]),
    at: &[Dim],
    inner: &[Dim],
) -> Option<Factor> {
    let Op::Convolution {
        out_batch_dim,
        out_feature_dim,
        out_spatial_dims,
        feature_groups,
        batch_groups,
        strides,
        lhs_dilation,
        rhs_dilation,
        low,
        reversal,
        lhs_batch_dim,
        lhs_feature_dim,
        lhs_spatial_dims,
        rhs_in_dim,
        rhs_out_dim,
        rhs_spatial_dims,
        high: _,
        dtype: _,
    } = node.op()
    else {
        return None;
    };
    let (taps, feature) = inner.split_at(strides.len());
    let feature = feature.first()?;
    let out = &at[*out_feature_dim];
    let mut x = vec![Dim::Static(0); base.len()];
    let mut kernel = vec![Dim::Static(0); window.len()];
    kernel[*rhs_out_dim] = out.clone();
    kernel[*rhs_in_dim] = feature.clone();
    // Output features are in runs, one per group.
    let features = &window[*rhs_out_dim];
    x[*lhs_feature_dim] = &(&group(out, features, *feature_groups) * &window[*rhs_in_dim]) + feature;
    let batches = &node.shape().dims()[*out_batch_dim];
    x[*lhs_batch_dim] = &(&group(out, features, *batch_groups) * batches) + &at[*out_batch_dim];
    let mut guard = Guard::default();
    for (i, tap) in taps.iter().enumerate() {
        let (x_axis, kernel_axis) = (lhs_spatial_dims[i], rhs_spatial_dims[i]);
        let motion = Motion {
            stride: strides[i],
            base_dilation: lhs_dilation[i],
            window_dilation: rhs_dilation[i],
            low: low[i],
        };
        let (index, seen) = motion.seen(&at[out_spatial_dims[i]], tap, &base[x_axis]);
        x[x_axis] = index;
        guard = guard.and(seen);
        kernel[kernel_axis] = if reversal[i] { (&window[kernel_axis] - tap).offset(-1) } else { tap.clone() };
    }
    Some(Factor { x, kernel, guard })
}

/// The group of an output feature.
fn group(feature: &Dim, features: &Dim, groups: usize) -> Dim {
    match features.as_static() {
        _ if groups == 1 => Dim::Static(0),
        // No feature is in no group.
        Some(0) => Dim::Static(0),
        _ => feature.floor_div(&features.floor_div(&Dim::Static(groups))),
    }
}
