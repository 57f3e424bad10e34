//! Imports convolutions.

use super::context::{ImportContext, Outcome, Problem, Rule, Val, one};
use super::contraction::aligned;
use rlx_ir::{ConvolutionAxes, ConvolutionSpec, NodeId, Op};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    (name == "stablehlo.convolution").then_some(convolution as Rule)
}

fn convolution(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x, kernel] = cx.operands()?;
    let spatial = cx.rank(x).saturating_sub(2);
    let [low, high] = cx.fields().padding("padding", spatial)?;
    one(convolve(cx, x, kernel, low, high)?)
}

/// Adds a convolution with this padding of the spatial axes.
pub(super) fn convolve(
    cx: &mut ImportContext<'_, '_>,
    x: NodeId,
    kernel: NodeId,
    low: Vec<i64>,
    high: Vec<i64>,
) -> Outcome<NodeId> {
    let Some(spatial) = cx.rank(x).checked_sub(2) else {
        return Err(Problem::error("the first operand needs an axis for the batch and one for the features"));
    };
    let (fields, declared) = (cx.fields(), cx.declared(0)?);
    let dims = fields.need_fields("dimension_numbers")?;
    let reversal = fields.ints_or("window_reversal", spatial, 0)?;
    let (x, kernel, dtype) = aligned(cx, x, kernel, declared.dtype)?;
    let axes = |batch: &str, feature: &str, spatial: &str| -> Outcome<ConvolutionAxes> {
        Ok(ConvolutionAxes {
            batch: dims.need_size(batch)?,
            feature: dims.need_size(feature)?,
            spatial: dims.axes(spatial)?,
        })
    };
    let spec = ConvolutionSpec {
        strides: fields.sizes_or("window_strides", spatial, 1)?,
        lhs_dilation: fields.sizes_or("lhs_dilation", spatial, 1)?,
        rhs_dilation: fields.sizes_or("rhs_dilation", spatial, 1)?,
        low,
        high,
        reversal: reversal.into_iter().map(|r| r != 0).collect(),
        x: axes("input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions")?,
        kernel: axes(
            "kernel_output_feature_dimension",
            "kernel_input_feature_dimension",
            "kernel_spatial_dimensions",
        )?,
        out: axes("output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions")?,
        feature_groups: fields.size_or("feature_group_count", 1)?,
        batch_groups: fields.size_or("batch_group_count", 1)?,
    };
    cx.add(Op::Convolution { spec, dtype }, &[x, kernel])
}
