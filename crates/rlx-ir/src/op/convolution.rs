//! The attributes of a convolution as one value, with the axes of each tensor together.

use super::structure::structure;

/// The axes of one tensor of a convolution.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ConvolutionAxes {
    /// The batch axis; of a kernel, the axis of the features of the result.
    pub batch: usize,
    /// The feature axis; of a kernel, the axis of the features of x in one group.
    pub feature: usize,
    /// The spatial axes, in the order of those of x.
    pub spatial: Vec<usize>,
}

impl ConvolutionAxes {
    /// Returns the axes of a tensor `[batch, feature, spatial …]` with this many spatial axes.
    pub fn leading(spatial: usize) -> ConvolutionAxes {
        ConvolutionAxes { batch: 0, feature: 1, spatial: (2..2 + spatial).collect() }
    }

    /// Returns the axes that are listed as `[batch, feature, spatial …]`.
    ///
    /// # Panics
    /// If there are fewer than two.
    pub fn from_ordered(axes: &[usize]) -> ConvolutionAxes {
        ConvolutionAxes { batch: axes[0], feature: axes[1], spatial: axes[2..].to_vec() }
    }

    /// Returns the axes as `[batch, feature, spatial …]`.
    pub fn ordered(&self) -> Vec<usize> {
        [&[self.batch, self.feature], &self.spatial[..]].concat()
    }

    /// Returns the axes with batch and feature exchanged.
    pub fn exchanged(&self) -> ConvolutionAxes {
        ConvolutionAxes { batch: self.feature, feature: self.batch, spatial: self.spatial.clone() }
    }

    /// Returns the entries of a list, which has one per axis of the tensor, for the spatial axes.
    pub fn spatial_of<T: Clone>(&self, list: &[T]) -> Vec<T> {
        self.spatial.iter().map(|&axis| list[axis].clone()).collect()
    }
}

structure! {
    /// How the kernel of a convolution moves over x, which axes of x, the kernel and the result correspond, and the groups.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    flat ConvolutionSpec {
        /// Steps between positions of the kernel, one per spatial axis, at least 1.
        strides: Vec<usize>,
        /// Base dilation: the distance between elements of x, with zeros in the gaps; at least 1.
        lhs_dilation: Vec<usize>,
        /// Window dilation: the distance between elements of the kernel; at least 1.
        rhs_dilation: Vec<usize>,
        /// Zeros added before each spatial axis; a negative number removes elements.
        low: Vec<i64>,
        /// Zeros added after each spatial axis; a negative number removes elements.
        high: Vec<i64>,
        /// Which spatial axes of the kernel are read backwards.
        reversal: Vec<bool>,
        /// The axes of x.
        x: ConvolutionAxes as {
            /// The batch axis of x.
            lhs_batch_dim = batch,
            /// The feature axis of x.
            lhs_feature_dim = feature,
            /// The spatial axes of x.
            lhs_spatial_dims = spatial,
        },
        /// The axes of the kernel.
        kernel: ConvolutionAxes as {
            /// The axis of the kernel for the features of x in one group.
            rhs_in_dim = feature,
            /// The axis of the kernel for the features of the result.
            rhs_out_dim = batch,
            /// The spatial axes of the kernel, in the order of those of x.
            rhs_spatial_dims = spatial,
        },
        /// The axes of the result.
        out: ConvolutionAxes as {
            /// The batch axis of the result.
            out_batch_dim = batch,
            /// The feature axis of the result.
            out_feature_dim = feature,
            /// The spatial axes of the result, in the order of those of x.
            out_spatial_dims = spatial,
        },
        /// Number of groups that the features are split into.
        feature_groups: usize,
        /// Number of groups that the batch is split into; must be 1 unless `feature_groups` is 1.
        batch_groups: usize,
    }
}

impl ConvolutionSpec {
    /// Returns the cross-correlation of x `[batch, feature, spatial …]` with a kernel `[out, in, spatial …]`, without padding,
    /// dilation and groups, whose result is `[batch, out, spatial …]`.
    pub fn plain(spatial: usize) -> ConvolutionSpec {
        let axes = ConvolutionAxes::leading(spatial);
        ConvolutionSpec {
            strides: vec![1; spatial],
            lhs_dilation: vec![1; spatial],
            rhs_dilation: vec![1; spatial],
            low: vec![0; spatial],
            high: vec![0; spatial],
            reversal: vec![false; spatial],
            x: axes.clone(),
            kernel: axes.clone(),
            out: axes,
            feature_groups: 1,
            batch_groups: 1,
        }
    }

    /// Returns the same convolution for x `[batch, spatial …, feature]`, a kernel `[spatial …, in, out]` and a result with the layout
    /// of x.
    pub fn channels_last(self) -> ConvolutionSpec {
        let n = self.strides.len();
        let image = ConvolutionAxes { batch: 0, feature: n + 1, spatial: (1..=n).collect() };
        let kernel = ConvolutionAxes { batch: n + 1, feature: n, spatial: (0..n).collect() };
        ConvolutionSpec { x: image.clone(), kernel, out: image, ..self }
    }

    /// Returns the number of groups, of features or of the batch.
    pub fn groups(&self) -> usize {
        self.feature_groups.max(self.batch_groups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::{Op, OpKind};

    #[test]
    fn parts_of_fields_are_attributes_under_their_own_names() {
        let spec = ConvolutionSpec { low: vec![-1], ..ConvolutionSpec::plain(1).channels_last() };
        let op = Op::Convolution { spec, dtype: None };
        let text = "{strides = [1], lhs_dilation = [1], rhs_dilation = [1], low = [-1], high = [0], reversal = [false], \
                    lhs_batch_dim = 0, lhs_feature_dim = 2, lhs_spatial_dims = [1], rhs_in_dim = 1, rhs_out_dim = 2, \
                    rhs_spatial_dims = [0], out_batch_dim = 0, out_feature_dim = 2, out_spatial_dims = [1], \
                    feature_groups = 1, batch_groups = 1, dtype = none}";
        assert_eq!(op.attributes_text(), text);
        assert_eq!(Op::from_text("convolution", text).expect("reads what was written"), op);
        let described = OpKind::Convolution.attributes();
        let names: Vec<&str> = text
            .trim_matches(['{', '}'])
            .split(", ")
            .map(|one| one.split(' ').next().unwrap_or(""))
            .collect();
        assert_eq!(described.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names);
        assert!(described.iter().all(|(_, doc)| doc.ends_with('.')));
    }
}
