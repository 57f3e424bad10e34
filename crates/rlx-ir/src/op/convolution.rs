//! The attributes of a convolution as one value, with the axes of each tensor together.

use super::Op;
use crate::dtype::DType;

/// The axes of one tensor of a convolution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConvolutionAxes<'a> {
    /// The batch axis; of a kernel, the axis of the features of the result.
    pub batch: usize,
    /// The feature axis; of a kernel, the axis of the features of x in one group.
    pub feature: usize,
    /// The spatial axes, in the order of those of x.
    pub spatial: &'a [usize],
}

impl ConvolutionAxes<'_> {
    /// The axes as `[batch, feature, spatial …]`.
    pub fn ordered(&self) -> Vec<usize> {
        [&[self.batch, self.feature], self.spatial].concat()
    }
}

/// The attributes of [`Op::Convolution`], which documents them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ConvolutionAttributes<'a> {
    /// Steps between positions of the kernel.
    pub strides: &'a [usize],
    /// Base dilation.
    pub lhs_dilation: &'a [usize],
    /// Window dilation.
    pub rhs_dilation: &'a [usize],
    /// Padding before each spatial axis.
    pub low: &'a [i64],
    /// Padding after each spatial axis.
    pub high: &'a [i64],
    /// Which spatial axes of the kernel are read backwards.
    pub reversal: &'a [bool],
    /// The axes of x.
    pub x: ConvolutionAxes<'a>,
    /// The axes of the kernel.
    pub kernel: ConvolutionAxes<'a>,
    /// The axes of the result.
    pub out: ConvolutionAxes<'a>,
    /// Number of groups that the features are split into.
    pub feature_groups: usize,
    /// Number of groups that the batch is split into.
    pub batch_groups: usize,
    /// Element type of products, sums and result, unless it is that of the operands.
    pub dtype: Option<DType>,
}

impl Op {
    /// The attributes of a convolution, if it is one.
    pub fn convolution(&self) -> Option<ConvolutionAttributes<'_>> {
        let Op::Convolution {
            strides,
            lhs_dilation,
            rhs_dilation,
            low,
            high,
            reversal,
            lhs_batch_dim,
            lhs_feature_dim,
            lhs_spatial_dims,
            rhs_in_dim,
            rhs_out_dim,
            rhs_spatial_dims,
            out_batch_dim,
            out_feature_dim,
            out_spatial_dims,
            feature_groups,
            batch_groups,
            dtype,
        } = self
        else {
            return None;
        };
        let axes = |batch: &usize, feature: &usize, spatial| ConvolutionAxes {
            batch: *batch,
            feature: *feature,
            spatial,
        };
        Some(ConvolutionAttributes {
            strides,
            lhs_dilation,
            rhs_dilation,
            low,
            high,
            reversal,
            x: axes(lhs_batch_dim, lhs_feature_dim, &lhs_spatial_dims[..]),
            kernel: axes(rhs_out_dim, rhs_in_dim, &rhs_spatial_dims[..]),
            out: axes(out_batch_dim, out_feature_dim, &out_spatial_dims[..]),
            feature_groups: *feature_groups,
            batch_groups: *batch_groups,
            dtype: *dtype,
        })
    }
}
