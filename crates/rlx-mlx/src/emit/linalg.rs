//! Factorizations, which MLX computes on the CPU.

use super::{Declined, Site, Step, steps};
use rlx_ir::Op;
use rlx_mlx_sys::{ElementType, Factorization};

/// Whether MLX's factorizations take the operand: real matrices with elements.
fn takes(site: &Site<'_>) -> bool {
    site.x().element == ElementType::F32 && !site.x().is_empty()
}

pub(super) fn eigh(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Eigh { lower } = site.op else { return site.decline("here") };
    if !takes(site) {
        return site.decline("of these matrices");
    }
    let kind = if lower { Factorization::EighLower } else { Factorization::EighUpper };
    steps(move |cx, x| cx.factorize(kind, x[0]))
}

pub(super) fn qr(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Qr { full_matrices } = site.op else { return site.decline("here") };
    let dims = &site.x().dims;
    let [rows, columns] = [dims[dims.len() - 2], dims[dims.len() - 1]];
    if !takes(site) || full_matrices && rows > columns || rows < columns {
        return site.decline("of these matrices");
    }
    steps(move |cx, x| cx.factorize(Factorization::Qr, x[0]))
}

pub(super) fn svd(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Svd { full_matrices } = site.op else { return site.decline("here") };
    let dims = &site.x().dims;
    let square = dims[dims.len() - 2] == dims[dims.len() - 1];
    if !takes(site) || !(full_matrices || square) {
        return site.decline("of these matrices");
    }
    steps(move |cx, x| cx.factorize(Factorization::Svd, x[0]))
}
