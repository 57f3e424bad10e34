//! Reductions along axes, and running reductions.

use super::{Declined, Site, Step, arithmetic, movement, step};
use crate::launch::Launch;
use rlx_ir::{Op, ReduceOp};
use rlx_mlx_sys::{Binary, Combine, ElementType, MlxArray, MlxError, Slices, Unary};

/// A reduction of one type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reduction {
    kind: ReduceOp,
    code: Combine,
    /// The function of pairs, if MLX has no such reduction.
    by_pairs: Option<Binary>,
    element: ElementType,
}

/// Converts an identity element to a type.
fn extreme(cx: &Launch<'_>, element: ElementType, largest: bool) -> Result<MlxArray, MlxError> {
    if let Some((bits, signed)) = element.integer() {
        let all = u64::MAX >> (64 - bits);
        let top = if signed { all >> 1 } else { all };
        let value = if largest { top } else { if signed { !top } else { 0 } };
        return cx.astype(&cx.scalar(&value.to_le_bytes(), ElementType::U64)?, element);
    }
    if element == ElementType::Bool {
        return cx.scalar(&[u8::from(largest)], element);
    }
    let infinity = if largest { f32::INFINITY } else { f32::NEG_INFINITY };
    cx.astype(&cx.scalar(&infinity.to_le_bytes(), ElementType::F32)?, element)
}

impl Reduction {
    pub(super) fn new(kind: ReduceOp, element: ElementType) -> Result<Reduction, Declined> {
        let is_bool = element == ElementType::Bool;
        let code = match kind {
            ReduceOp::Sum => Combine::Sum,
            ReduceOp::Prod => Combine::Prod,
            ReduceOp::Max if is_bool => Combine::Any,
            ReduceOp::Min if is_bool => Combine::All,
            ReduceOp::Max => Combine::Max,
            ReduceOp::Min => Combine::Min,
            ReduceOp::And if is_bool => Combine::All,
            ReduceOp::Or if is_bool => Combine::Any,
            ReduceOp::LogSumExp => Combine::LogSumExp,
            ReduceOp::And if element.integer().is_some() => Combine::All,
            ReduceOp::Or if element.integer().is_some() => Combine::Any,
            kind => return Err(format!("MLX has no reduction by {kind} of {element:?}")),
        };
        if element == ElementType::C64 && !matches!(code, Combine::Sum | Combine::Prod) {
            return Err(format!("MLX has no reduction by {kind} of complex numbers"));
        }
        let by_pairs = match kind {
            ReduceOp::And if !is_bool => Some(Binary::BitwiseAnd),
            ReduceOp::Or if !is_bool => Some(Binary::BitwiseOr),
            _ => None,
        };
        Ok(Reduction { kind, code, by_pairs, element })
    }

    /// Returns the result for no elements.
    pub(super) fn identity(&self, cx: &Launch<'_>) -> Result<MlxArray, MlxError> {
        if self.by_pairs == Some(Binary::BitwiseAnd) {
            return cx.unary(Unary::BitwiseInvert, &movement::zero(cx, self.element)?);
        }
        match self.kind {
            ReduceOp::Prod => cx.astype(&cx.int(1)?, self.element),
            ReduceOp::Max | ReduceOp::LogSumExp => extreme(cx, self.element, false),
            ReduceOp::Min | ReduceOp::And => extreme(cx, self.element, true),
            ReduceOp::Sum | ReduceOp::Or | ReduceOp::Mean => movement::zero(cx, self.element),
        }
    }

    /// Returns whether rounding at each step would change results.
    fn is_narrow(&self) -> bool {
        matches!(self.element, ElementType::F16 | ElementType::BF16)
            && !matches!(self.code, Combine::Max | Combine::Min)
    }

    /// Returns whether MLX has no such reduction.
    pub(super) fn is_by_pairs(&self) -> bool {
        self.by_pairs.is_some()
    }

    /// Combines pairs.
    pub(super) fn pair(&self, cx: &Launch<'_>, a: &MlxArray, b: &MlxArray) -> Result<MlxArray, MlxError> {
        if let Some(code) = self.by_pairs {
            return cx.binary(code, a, b);
        }
        let code = match self.code {
            Combine::Sum => Binary::Add,
            Combine::Prod => Binary::Multiply,
            Combine::Max => Binary::Maximum,
            Combine::Min => Binary::Minimum,
            Combine::All => Binary::LogicalAnd,
            Combine::Any => Binary::LogicalOr,
            _ => Binary::LogAddExp,
        };
        match code {
            Binary::Multiply if self.element == ElementType::C64 => arithmetic::complex_product(cx, a, b),
            Binary::Maximum | Binary::Minimum if self.element.is_float() => {
                let made = cx.binary(code, a, b)?;
                arithmetic::of_zeros(cx, [a, b], &made, code == Binary::Minimum)
            }
            code => cx.binary(code, a, b),
        }
    }

    pub(super) fn apply(&self, cx: &Launch<'_>, x: &MlxArray, axes: &[usize]) -> Result<MlxArray, MlxError> {
        let dims = x.dims();
        let left =
            || (0..dims.len()).filter(|axis| !axes.contains(axis)).map(|axis| dims[axis]).collect::<Vec<_>>();
        if axes.is_empty() {
            return Ok(x.clone());
        }
        if x.is_empty() {
            return cx.full(&left(), &self.identity(cx)?);
        }
        if self.by_pairs.is_some() {
            return self.halved(cx, x, axes, &left());
        }
        let wide = if self.is_narrow() { cx.astype(x, ElementType::F32)? } else { x.clone() };
        cx.astype(&cx.reduce(self.code, &wide, axes)?, self.element)
    }
}

impl Reduction {
    /// Reduces by combining halves, one part of the elements at a time.
    fn halved(
        &self,
        cx: &Launch<'_>,
        x: &MlxArray,
        axes: &[usize],
        left: &[usize],
    ) -> Result<MlxArray, MlxError> {
        let dims = x.dims();
        let kept: Vec<usize> = (0..dims.len()).filter(|axis| !axes.contains(axis)).collect();
        let mut size: usize = axes.iter().map(|&axis| dims[axis]).product();
        let lines: usize = left.iter().product();
        let mut made = cx.reshape(&cx.transpose(x, &[&kept[..], axes].concat())?, &[lines, size])?;
        let part = |x: &MlxArray, start: usize, stop: usize| {
            cx.slice(x, &Slices { starts: vec![0, start], stops: vec![lines, stop], strides: vec![1, 1] })
        };
        while size > 1 {
            let half = size.div_ceil(2);
            let pairs = self.pair(cx, &part(&made, 0, size - half)?, &part(&made, half, size)?)?;
            made = match size % 2 {
                0 => pairs,
                _ => cx.concatenate(&[&pairs, &part(&made, size - half, half)?], 1)?,
            };
            size = half;
        }
        cx.reshape(&made, left)
    }
}

pub(super) fn reduce(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::Reduce { kind, axes } = site.op else { return site.decline("here") };
    let (reduction, axes) = (Reduction::new(*kind, site.x().element)?, axes.clone());
    step(move |cx, x| reduction.apply(cx, x[0], &axes))
}

pub(super) fn cumulative(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::Cumulative { op, axis, exclusive, reverse } = site.op else { return site.decline("here") };
    let reduction = Reduction::new(op, site.x().element)?;
    if site.x().element == ElementType::Bool {
        return site.decline("of booleans");
    }
    if op == ReduceOp::LogSumExp && site.x().element == ElementType::F64 {
        return site.decline("for f64 that is accurate enough");
    }
    let is_float = site.x().element.is_float();
    step(move |cx, x| {
        if x[0].is_empty() {
            return Ok(x[0].clone());
        }
        let wide = if reduction.is_narrow() { cx.astype(x[0], ElementType::F32)? } else { x[0].clone() };
        let made = cx.cumulative(reduction.code, &wide, axis, reverse, !exclusive)?;
        // In RLX, but not in MLX, every result after a NaN is NaN.
        let made = match reduction.code {
            Combine::Max | Combine::Min if is_float => {
                let nan = cx.astype(&cx.unary(Unary::IsNan, &wide)?, ElementType::I32)?;
                let so_far = cx.cumulative(Combine::Max, &nan, axis, reverse, !exclusive)?;
                let is_behind = cx.binary(Binary::Equal, &so_far, &cx.int(1)?)?;
                let nan = cx.scalar(&f32::NAN.to_le_bytes(), ElementType::F32)?;
                cx.select(&is_behind, &cx.astype(&nan, wide.element_type())?, &made)?
            }
            _ => made,
        };
        cx.astype(&made, reduction.element)
    })
}
