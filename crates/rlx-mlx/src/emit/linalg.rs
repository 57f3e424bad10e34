//! Factorisations, which MLX computes on the CPU.

use super::{Declined, Site, Step, steps};
use crate::launch::Launch;
use rlx_ir::Op;
use rlx_mlx_sys::{Combine, ElementType, Factorisation, MlxArray, MlxError, Unary};

/// Whether MLX's factorisations take the operand: real matrices with elements.
fn takes(site: &Site<'_>) -> bool {
    site.x().element == ElementType::F32 && !site.x().is_empty()
}

/// Matrices of finite numbers; for others, with a mark, zeros: LAPACK need not end on them.
fn finite(cx: &Launch<'_>, x: &MlxArray) -> Result<(MlxArray, MlxArray), MlxError> {
    let rank = x.dims().len();
    let bad = cx.unary(Unary::LogicalNot, &cx.unary(Unary::IsFinite, x)?)?;
    let bad = cx.reduce(Combine::Any, &bad, &[rank - 2, rank - 1])?;
    let mut dims = bad.dims();
    dims.extend([1, 1]);
    let bad = cx.reshape(&bad, &dims)?;
    Ok((cx.select(&bad, &cx.number_like(0, x)?, x)?, bad))
}

/// NaN in place of what was made of the matrices with a mark.
fn marked(cx: &Launch<'_>, made: &MlxArray, bad: &MlxArray, drop: usize) -> Result<MlxArray, MlxError> {
    let nan = cx.astype(&cx.scalar(&f32::NAN.to_le_bytes(), ElementType::F32)?, made.element_type())?;
    let dims = bad.dims();
    let bad = cx.reshape(bad, &dims[..dims.len() - drop])?;
    cx.select(&bad, &nan, made)
}

pub(super) fn eigh(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Eigh { lower } = site.op else { return site.decline("here") };
    if !takes(site) {
        return site.decline("of these matrices");
    }
    let kind = if lower { Factorisation::EighLower } else { Factorisation::EighUpper };
    steps(move |cx, x| {
        let (x, bad) = finite(cx, x[0])?;
        let made = cx.factorise(kind, &x)?;
        let [values, vectors] = &made[..] else {
            return Err(MlxError::Failed("two results were expected".into()));
        };
        Ok(vec![marked(cx, values, &bad, 1)?, marked(cx, vectors, &bad, 0)?])
    })
}

pub(super) fn qr(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Qr { full_matrices } = site.op else { return site.decline("here") };
    let dims = &site.x().dims;
    let [rows, columns] = [dims[dims.len() - 2], dims[dims.len() - 1]];
    if !takes(site) || full_matrices && rows > columns || rows < columns {
        return site.decline("of these matrices");
    }
    steps(move |cx, x| cx.factorise(Factorisation::Qr, x[0]))
}

pub(super) fn svd(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Svd { full_matrices } = site.op else { return site.decline("here") };
    let dims = &site.x().dims;
    let square = dims[dims.len() - 2] == dims[dims.len() - 1];
    if !takes(site) || !(full_matrices || square) {
        return site.decline("of these matrices");
    }
    steps(move |cx, x| {
        let (x, bad) = finite(cx, x[0])?;
        let made = cx.factorise(Factorisation::Svd, &x)?;
        let [u, s, vt] = &made[..] else {
            return Err(MlxError::Failed("three results were expected".into()));
        };
        Ok(vec![marked(cx, u, &bad, 0)?, marked(cx, s, &bad, 1)?, marked(cx, vt, &bad, 0)?])
    })
}
