//! Lowers elements of `convolution` to sums of products of the kernel with guarded loads of x.

use super::contraction::{Products, Spaces, factors_where};
use super::windows::Motion;
use super::{LowerError, Lowered, Reader};
use crate::build::Writer;
use crate::kernel::Guard;
use rlx_ir::{Dim, Graph, Node, Op};

pub(super) fn element(reader: &mut Reader<'_>, w: &mut Writer, node: &Node, at: &[Dim]) -> Lowered {
    let Op::Convolution { spec, .. } = node.op() else { return Err(LowerError::unruled(node)) };
    let taps = &spec.kernel;
    let (x, kernel) = (node.inputs()[0], node.inputs()[1]);
    let (base, window) = (reader.shape(x), reader.shape(kernel));
    let extents: Vec<Dim> =
        taps.spatial.iter().chain([&taps.feature]).map(|&axis| window.dim(axis).clone()).collect();
    let products = Products::new(base.dtype(), node.shape().dtype());
    products.total(w, &extents, |w, inner| {
        let factor = place(node, (base.dims(), window.dims()), at, inner).ok_or(LowerError::unruled(node))?;
        factors_where(reader, w, [(x, factor.x), (kernel, factor.kernel)], &factor.guard)
    })
}

/// Describes a convolution as a matrix product: rows are positions of the window, batches are feature groups, and sums
/// run over the window and the features.
pub(super) fn spaces(graph: &Graph, node: &Node) -> Option<Spaces> {
    let Op::Convolution { spec: how, .. } = node.op() else { return None };
    let (window, out) = (graph.shape(node.inputs()[1]), node.shape());
    let groups = Dim::Static(how.groups());
    let rows = [&[how.out.batch], &how.out.spatial[..]].concat();
    Some(Spaces {
        columns: vec![out.dim(how.out.feature).floor_div(&groups)],
        batch: vec![groups],
        rows: rows.iter().map(|&axis| out.dim(axis).clone()).collect(),
        inner: how
            .kernel
            .spatial
            .iter()
            .chain([&how.kernel.feature])
            .map(|&axis| window.dim(axis).clone())
            .collect(),
    })
}

/// Returns the indices of the result for positions in these spaces.
pub(super) fn result(
    node: &Node,
    batch: &[Dim],
    row: &[Dim],
    (column, columns): (&[Dim], &[Dim]),
) -> Option<Vec<Dim>> {
    let Op::Convolution { spec, .. } = node.op() else { return None };
    let out = &spec.out;
    let mut at = vec![Dim::Static(0); node.shape().rank()];
    at[out.batch] = row[0].clone();
    out.spatial.iter().zip(&row[1..]).for_each(|(&axis, index)| at[axis] = index.clone());
    at[out.feature] = &(&batch[0] * &columns[0]) + &column[0];
    Some(at)
}

/// The positions of the two factors of a product.
pub(super) struct Factor {
    pub(super) x: Vec<Dim>,
    pub(super) kernel: Vec<Dim>,
    /// The condition under which x is not padding.
    pub(super) guard: Guard,
}

/// Returns the factors for an element of the result. `inner` are the taps of the kernel along its spatial axes,
/// followed by the feature of the group.
pub(super) fn place(
    node: &Node,
    (base, window): (&[Dim], &[Dim]),
    at: &[Dim],
    inner: &[Dim],
) -> Option<Factor> {
    let Op::Convolution { spec: how, .. } = node.op() else { return None };
    let (taps, feature) = inner.split_at(how.strides.len());
    let feature = feature.first()?;
    let out = &at[how.out.feature];
    let mut x = vec![Dim::Static(0); base.len()];
    let mut kernel = vec![Dim::Static(0); window.len()];
    kernel[how.kernel.batch] = out.clone();
    kernel[how.kernel.feature] = feature.clone();
    // The output features of each group are consecutive.
    let features = &window[how.kernel.batch];
    x[how.x.feature] = &(&group(out, features, how.feature_groups) * &window[how.kernel.feature]) + feature;
    let batches = &node.shape().dims()[how.out.batch];
    x[how.x.batch] = &(&group(out, features, how.batch_groups) * batches) + &at[how.out.batch];
    let mut guard = Guard::default();
    for (i, tap) in taps.iter().enumerate() {
        let (x_axis, kernel_axis) = (how.x.spatial[i], how.kernel.spatial[i]);
        let motion = Motion {
            stride: how.strides[i],
            base_dilation: how.lhs_dilation[i],
            window_dilation: how.rhs_dilation[i],
            low: how.low[i],
        };
        let (index, seen) = motion.seen(&at[how.out.spatial[i]], tap, &base[x_axis]);
        x[x_axis] = index;
        guard = guard.and(seen);
        kernel[kernel_axis] =
            if how.reversal[i] { (&window[kernel_axis] - tap).offset(-1) } else { tap.clone() };
    }
    Some(Factor { x, kernel, guard })
}

/// Returns the group of an output feature.
fn group(feature: &Dim, features: &Dim, groups: usize) -> Dim {
    match features.as_static() {
        _ if groups == 1 => Dim::Static(0),
        // Without features, the group does not matter.
        Some(0) => Dim::Static(0),
        _ => feature.floor_div(&features.floor_div(&Dim::Static(groups))),
    }
}
