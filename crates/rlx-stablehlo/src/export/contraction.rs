//! Writes products that are summed over axes, and convolutions.

use super::expansion::Rule;
use super::writer::{EmittedValue, list, names, signature};
use rlx_ir::{ConvolutionAxes, ConvolutionSpec, DType, Dim, Op, Shape};
use std::fmt::Write;

/// Returns the text after the `=`. Products of f32 request full precision, because accelerators may otherwise round the factors.
pub(super) fn text(op: &Op, xs: &[EmittedValue], results: &[Shape]) -> Option<String> {
    let wide = xs.iter().any(|x| matches!(x.shape.dtype(), DType::F32 | DType::C64));
    match op {
        Op::DotGeneral { dims, .. } => {
            let mut text = format!("stablehlo.dot_general {}", names(xs));
            let pair = |lhs: &[usize], rhs: &[usize]| format!("{} x {}", list(lhs), list(rhs));
            // INVARIANT: writing to a String does not fail.
            if !dims.lhs_batch.is_empty() {
                let _ = write!(text, ", batching_dims = {}", pair(&dims.lhs_batch, &dims.rhs_batch));
            }
            let _ = write!(text, ", contracting_dims = {}", pair(&dims.lhs_contract, &dims.rhs_contract));
            if wide {
                text.push_str(", precision = [HIGHEST, HIGHEST]");
            }
            Some(format!("{text} : {}", signature(xs, results)))
        }
        Op::Convolution { spec: of, .. } => {
            let pads: Vec<String> = of.low.iter().zip(&of.high).map(|(l, h)| format!("[{l}, {h}]")).collect();
            let precision = if wide {
                ", precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]"
            } else {
                ""
            };
            let (numbers, groups) = convolution_numbers(of);
            Some(format!(
                "stablehlo.convolution({}) dim_numbers = {numbers}, window = {{stride = {}, pad = [{}], lhs_dilate = {}, \
                 rhs_dilate = {}, reverse = {}}} {{{groups}{precision}}} : {}",
                names(xs),
                list(&of.strides),
                pads.join(", "),
                list(&of.lhs_dilation),
                list(&of.rhs_dilation),
                list(&of.reversal),
                signature(xs, results)
            ))
        }
        _ => None,
    }
}

/// Returns the expansion of products that XLA for GPUs does not sum in their accumulator type: it sums f32 in f32, and
/// for 8-bit integers it doubles sums whose number of terms is not a multiple of four (seen with the plugin of JAX
/// 0.11.2 on an H200, and in JAX itself).
pub(super) fn own(op: &Op, operands: &[Shape]) -> Option<Rule> {
    let (Op::DotGeneral { dims, dtype: Some(to) }, [lhs, ..]) = (op, operands) else {
        return None;
    };
    let size = |&axis: &usize| lhs.dims().get(axis).and_then(Dim::as_static);
    let is_other = match lhs.dtype() {
        DType::F32 => *to == DType::F64,
        DType::C64 => *to == DType::C128,
        DType::I8 | DType::U8 => {
            let count =
                dims.lhs_contract.iter().map(size).try_fold(1usize, |count, size| count.checked_mul(size?));
            to.size() > 1 && count.is_none_or(|count| !count.is_multiple_of(4))
        }
        _ => false,
    };
    is_other.then_some(|op, x| {
        let to = x[0].apply(op.clone(), &[&x[1]]).dtype();
        x[0].convert(to).apply(op.clone(), &[&x[1].convert(to)])
    })
}

/// Returns `[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]` and the numbers of groups.
fn convolution_numbers(of: &ConvolutionSpec) -> (String, String) {
    let (lhs, rhs, out) = (axes(["b", "f"], &of.x), axes(["o", "i"], &of.kernel), axes(["b", "f"], &of.out));
    let groups = format!(
        "batch_group_count = {} : i64, feature_group_count = {} : i64",
        of.batch_groups, of.feature_groups
    );
    (format!("{lhs}x{rhs}->{out}"), groups)
}

/// Returns `[b, f, 0, 1]`: what each axis is, with names for the batch and the features.
fn axes([batch, feature]: [&str; 2], of: &ConvolutionAxes) -> String {
    let mut items = vec![(of.batch, batch.to_string()), (of.feature, feature.to_string())];
    items.extend(of.spatial.iter().enumerate().map(|(i, &axis)| (axis, i.to_string())));
    items.sort();
    format!("[{}]", items.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(", "))
}
