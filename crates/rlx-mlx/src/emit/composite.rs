//! Composites that MLX has as one operation.

use super::{Declined, Site, Step, step};
use crate::launch::Launch;
use rlx_ir::Op;
use rlx_mlx_sys::{Combine, ElementType, MlxArray, MlxError};

fn is_float(site: &Site<'_>) -> bool {
    site.operands.iter().all(|operand| operand.element == site.x().element)
        && matches!(site.x().element, ElementType::F32 | ElementType::F16 | ElementType::BF16)
}

pub(super) fn softmax(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Softmax { axis } = site.op else { return site.decline("here") };
    if !is_float(site) {
        return site.decline(&format!("of {:?}", site.x().element));
    }
    step(move |cx, x| cx.softmax(x[0], axis, true))
}

pub(super) fn logsumexp(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::LogSumExp { axes, .. } = site.op else { return site.decline("here") };
    if site.x().element != ElementType::F32 || site.x().is_empty() || axes.is_empty() {
        return site.decline("for this type, or for empty arrays");
    }
    let (axes, dims) = (axes.clone(), site.result().dims.clone());
    step(move |cx, x| cx.reshape(&cx.reduce(Combine::LogSumExp, x[0], &axes)?, &dims))
}

/// Returns x with these sizes in f32, the type in which norms are computed.
fn wide(cx: &Launch<'_>, x: &MlxArray, dims: &[usize]) -> Result<MlxArray, MlxError> {
    let x = if x.element_type() == ElementType::F32 { x.clone() } else { cx.astype(x, ElementType::F32)? };
    if x.dims() == dims { Ok(x) } else { cx.reshape(&x, dims) }
}

/// Converts an f32 result to the type of x.
fn narrowed(cx: &Launch<'_>, made: &MlxArray, x: &MlxArray, dims: &[usize]) -> Result<MlxArray, MlxError> {
    let element = x.element_type();
    let made = if element == ElementType::F32 { made.clone() } else { cx.astype(made, element)? };
    if made.dims() == dims { Ok(made) } else { cx.reshape(&made, dims) }
}

/// Merges all axes from the given one on into a single axis of rows.
fn rows(dims: &[usize], axis: usize) -> Vec<usize> {
    let mut merged = dims[..axis].to_vec();
    merged.push(dims[axis..].iter().product());
    merged
}

pub(super) fn layer_norm(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::LayerNorm { axis, eps } = site.op else { return site.decline("here") };
    if !is_float(site) || site.x().is_empty() {
        return site.decline("for this type, or for empty arrays");
    }
    let (merged, dims) = (rows(&site.x().dims, axis), site.x().dims.clone());
    let width = merged[axis];
    step(move |cx, x| {
        let vector = |x: &&MlxArray| wide(cx, x, &[width]);
        let gamma = x.get(1).map(vector).transpose()?;
        let beta = x.get(2).map(vector).transpose()?;
        let made = cx.layer_norm(&wide(cx, x[0], &merged)?, gamma.as_ref(), beta.as_ref(), eps as f32)?;
        narrowed(cx, &made, x[0], &dims)
    })
}

pub(super) fn rms_norm(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::RmsNorm { axis, eps } = site.op else { return site.decline("here") };
    if !is_float(site) || site.x().is_empty() {
        return site.decline("for this type, or for empty arrays");
    }
    let (merged, dims) = (rows(&site.x().dims, axis), site.x().dims.clone());
    let width = merged[axis];
    step(move |cx, x| {
        let gamma = x.get(1).map(|gamma| wide(cx, gamma, &[width])).transpose()?;
        let made = cx.rms_norm(&wide(cx, x[0], &merged)?, gamma.as_ref(), eps as f32)?;
        narrowed(cx, &made, x[0], &dims)
    })
}
