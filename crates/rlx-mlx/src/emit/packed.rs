//! Products with weights in packed blocks, which stay packed in MLX's layout. Other packed operands of products
//! are unpacked first.

use super::contraction::{by_number, runs};
use super::prepared::{Preparation, Prepared};
use super::{ArrayType, Declined, Site, Step, movement, step};
use crate::launch::Launch;
use crate::packing::Packing;
use rlx_compile::{Claim, Claims};
use rlx_ir::{Op, QuantScheme, Shape};
use rlx_mlx_sys::{Binary, Combine, ElementType, MlxArray, MlxError, PackedWeights, Slices, Unary};

/// Number of values of x that are rounded to multiples of the same number.
const ROUNDED: usize = 32;

/// Returns how the packed parameter of an op is packed for MLX, and which operand it is. Returns `None` if MLX has no such product.
pub(crate) fn packing_of(op: &Op, weights: &[usize]) -> Option<(usize, Packing)> {
    let (operand, scheme) = match op {
        Op::DequantMatMul { .. } | Op::DequantGroupedMatMul { .. } => op.unpacks()?,
        _ => return None,
    };
    let packing = Packing::of(scheme)?;
    packing.values(*weights.last()?)?;
    Some((operand, packing))
}

/// How x is prepared for the product: in f32, rounded if requested, with zeros between parts if the weights have them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Activations {
    /// Number of values in a part of a block of weights.
    part: usize,
    /// Number of weight codes per value.
    spread: usize,
    rounds: bool,
}

impl Activations {
    fn of(packing: Packing, rounds: bool) -> Activations {
        let spread = packing.spread();
        Activations { part: packing.group / spread, spread, rounds }
    }

    /// Prepares x.
    pub(super) fn result(self, x: &ArrayType) -> ArrayType {
        let mut dims = x.dims.clone();
        dims.last_mut().into_iter().for_each(|last| *last *= self.spread);
        ArrayType { dims, element: ElementType::F32 }
    }

    pub(super) fn made(self, cx: &Launch<'_>, x: &MlxArray) -> Result<MlxArray, MlxError> {
        let x =
            if x.element_type() == ElementType::F32 { x.clone() } else { cx.astype(x, ElementType::F32)? };
        let x = if self.rounds { rounded(cx, &x)? } else { x };
        if self.spread == 1 {
            return Ok(x);
        }
        let dims = x.dims();
        let (lead, last) = dims.split_at(dims.len() - 1);
        let mut parts = lead.to_vec();
        parts.extend([last[0] / self.part, self.part]);
        let mut zeros = vec![0; parts.len()];
        zeros[parts.len() - 1] = self.part * (self.spread - 1);
        let low = vec![0; parts.len()];
        let wide = cx.pad(&cx.reshape(&x, &parts)?, &low, &zeros, &movement::zero(cx, ElementType::F32)?)?;
        cx.reshape(&wide, &[lead, &[last[0] * self.spread]].concat())
    }
}

/// Returns how the activations of a product with packed weights are prepared, or `None` if they are multiplied unchanged.
pub(super) fn prepared(site: &Site<'_>) -> Option<Prepared> {
    let (Op::DequantMatMul { scheme, round_x } | Op::DequantGroupedMatMul { scheme, round_x }) = site.op
    else {
        return None;
    };
    let activations = Activations::of(Packing::of(*scheme)?, *round_x);
    let as_they_are = site.x().element == ElementType::F32 && !round_x && activations.spread == 1;
    (site.packed && !as_they_are)
        .then_some(Prepared { operand: Some(0), preparation: Preparation::Activations(activations) })
}

/// Rounds each group of values along the last axis of x to multiples of their maximum magnitude / 127, as `dequant_matmul` defines it.
/// If a group is not finite, its step is ∞ or NaN, so that all its values become NaN.
fn rounded(cx: &Launch<'_>, x: &MlxArray) -> Result<MlxArray, MlxError> {
    let dims = x.dims();
    let (lead, last) = dims.split_at(dims.len() - 1);
    let grouped = cx.reshape(x, &[lead, &[last[0] / ROUNDED, ROUNDED]].concat())?;
    let largest = cx.reduce_keeping(Combine::Max, &cx.unary(Unary::Abs, &grouped)?, &[dims.len()])?;
    let number = |value: f32| cx.scalar(&value.to_le_bytes(), ElementType::F32);
    let (levels, zero) = (number(127.0)?, number(0.0)?);
    let is_some = cx.binary(Binary::Greater, &largest, &zero)?;
    let inverse = cx.select(&is_some, &cx.binary(Binary::Divide, &levels, &largest)?, &zero)?;
    let step = cx.binary(Binary::Divide, &largest, &levels)?;
    let whole = cx.unary(Unary::Round, &cx.binary(Binary::Multiply, &grouped, &inverse)?)?;
    cx.reshape(&cx.binary(Binary::Multiply, &whole, &step)?, &dims)
}

/// Returns the packed weights among the operands, which start at the second one.
fn weights<'a>(packing: Packing, x: &[&'a MlxArray]) -> PackedWeights<'a> {
    let biases = packing.mode() == c"affine";
    PackedWeights {
        words: x[1],
        scales: x[2],
        biases: biases.then(|| x[3]),
        group: packing.group,
        bits: packing.bits,
        mode: packing.mode(),
    }
}

pub(super) fn dequant_matmul(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::DequantMatMul { scheme, .. } = site.op else { return site.decline("here") };
    check(site, scheme)?;
    if site.claiming || !site.packed {
        return unpacked(site);
    }
    let packing = Packing::of(scheme).ok_or("this format is not packed")?;
    let result = site.result().clone();
    step(move |cx, x| {
        let made = cx.quantized_matmul(x[0], weights(packing, x))?;
        let made = cx.reshape(&made, &result.dims)?;
        if result.element == ElementType::F32 { Ok(made) } else { cx.astype(&made, result.element) }
    })
}

pub(super) fn dequant_grouped_matmul(site: &Site<'_>) -> Result<Step, Declined> {
    let &Op::DequantGroupedMatMul { scheme, .. } = site.op else { return site.decline("here") };
    check(site, scheme)?;
    if site.claiming || !site.packed {
        return unpacked(site);
    }
    let packing = Packing::of(scheme).ok_or("this format is not packed")?;
    let result = site.result().clone();
    let [rows, columns] = result.dims[..] else { return site.decline("of these shapes") };
    let sizes = 1 + packing.arrays();
    step(move |cx, x| {
        let runs = runs(cx, x[sizes], rows)?;
        let (wide, w) = (x[0], weights(packing, x));
        let inner = wide.dims()[1];
        let product = |a: &MlxArray, numbers: &MlxArray| cx.gather_qmm(a, w, numbers, true);
        let made = if let Some(made) = by_number(cx, wide, &runs, columns, product)? {
            made
        } else {
            let mut total = cx.full(&[rows, columns], &movement::zero(cx, ElementType::F32)?)?;
            for (number, &(first, last)) in runs.iter().enumerate().filter(|(_, (first, last))| first < last)
            {
                let part = Slices { starts: vec![first, 0], stops: vec![last, inner], strides: vec![1, 1] };
                let a = cx.reshape(&cx.slice(wide, &part)?, &[last - first, 1, inner])?;
                let which = cx.full(&[last - first], &cx.int(number as i32)?)?;
                let made = cx.reshape(&cx.gather_qmm(&a, w, &which, true)?, &[last - first, columns])?;
                let (low, high) = ([first, 0], [rows - last, 0]);
                let made = cx.pad(&made, &low, &high, &movement::zero(cx, ElementType::F32)?)?;
                total = cx.binary(Binary::Add, &total, &made)?;
            }
            total
        };
        if result.element == ElementType::F32 { Ok(made) } else { cx.astype(&made, result.element) }
    })
}

/// Fails unless the op can run as a product with packed weights.
fn check(site: &Site<'_>, scheme: QuantScheme) -> Result<(), Declined> {
    let floats = matches!(site.x().element, ElementType::F32 | ElementType::F16 | ElementType::BF16);
    match packing_of(site.op, &site.operands[1].dims) {
        Some(_) if floats && !site.x().is_empty() && !site.operands[1].is_empty() => Ok(()),
        _ => Err(format!("MLX has no products with {scheme} of these shapes")),
    }
}

/// Claims that exclude ops that unpack.
struct WithoutPacked;

impl Claims for WithoutPacked {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        match op.unpacks() {
            Some(_) => Claim::No(None),
            None => Claim::unless(super::declined(op, operands, results)),
        }
    }
}

/// Runs the op's definition, for weights that are not a parameter.
fn unpacked(site: &Site<'_>) -> Result<Step, Declined> {
    if site.claiming { super::table::claimed() } else { super::defined(site, &WithoutPacked) }
}

/// The element type of the codes of packed weights.
pub(crate) const WORDS: ElementType = ElementType::U32;

/// Returns the type of the scales of a packing.
pub(crate) fn scale_type(packing: Packing) -> ElementType {
    if packing.mode() == c"affine" { ElementType::F32 } else { ElementType::U8 }
}
