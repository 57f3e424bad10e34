//! `convolution`: sums of products of a kernel and the part of a tensor that it covers as it moves over it.

use super::sums::{self, Number, Sums};
use crate::dim::Dim;
use crate::dtype::{DType, DTypeSet};
use crate::eval::{EvalCx, Value, for_each_index, linear};
use crate::op::OpError;
use crate::ops::window::geometry::Geometry;
use crate::shape::{Shape, row_major_strides};
use std::convert::Infallible;

/// The roles of the axes of the operands and of the result.
struct ConvolutionAxes<'a> {
    x: Roles<'a>,
    kernel: Roles<'a>,
    out: Roles<'a>,
    feature_groups: usize,
    batch_groups: usize,
}

/// The axes of one tensor.
#[derive(Clone, Copy)]
struct Roles<'a> {
    /// The batch axis; of the kernel, the axis of its output features.
    batch: usize,
    /// The feature axis; of the kernel, the axis of its input features.
    feature: usize,
    spatial: &'a [usize],
}

impl<'a> Roles<'a> {
    fn new(batch: usize, feature: usize, spatial: &'a [usize]) -> Self {
        Roles { batch, feature, spatial }
    }

    /// The spatial entries of a list with one entry per axis.
    fn spatial_of<T: Clone>(&self, list: &[T]) -> Vec<T> {
        self.spatial.iter().map(|&axis| list[axis].clone()).collect()
    }
}

impl ConvolutionAxes<'_> {
    fn check(&self, x: &Shape, kernel: &Shape, spatial: usize) -> Result<(), OpError> {
        for (name, shape) in [("x", x), ("kernel", kernel)] {
            if shape.rank() != spatial + 2 {
                return Err(OpError::shape(format!(
                    "{name} must have {} axes, two and one for each of the {spatial} strides, got {shape}",
                    spatial + 2
                )));
            }
        }
        for (name, roles) in [("lhs", self.x), ("rhs", self.kernel), ("out", self.out)] {
            let axes = [&[roles.batch, roles.feature], roles.spatial].concat();
            if axes.len() != spatial + 2 {
                return Err(OpError::attribute(format!(
                    "{name}_spatial_dims must have {spatial} items, one per stride, got {:?}",
                    roles.spatial
                )));
            }
            OpError::check_axes(&axes, spatial + 2)
                .map_err(|e| OpError::attribute(format!("dimension numbers of {name}: {e}")))?;
        }
        self.check_groups(x, kernel)
    }

    fn check_groups(&self, x: &Shape, kernel: &Shape) -> Result<(), OpError> {
        let (features, batches) = (self.feature_groups, self.batch_groups);
        if features == 0 || batches == 0 || (features > 1 && batches > 1) {
            return Err(OpError::attribute(format!(
                "feature_groups and batch_groups must be at least 1, and one of them must be 1, got {features} and {batches}"
            )));
        }
        let (own, wanted) = (x.dim(self.x.feature), kernel.dim(self.kernel.feature) * features);
        if !own.compatible(&wanted) {
            return Err(OpError::shape(format!(
                "x {x} has {own} features, kernel {kernel} with {features} feature group(s) takes {wanted}"
            )));
        }
        let divides = |what: &str, dim: &Dim, groups: usize| match dim.as_static() {
            Some(n) if n % groups != 0 => {
                Err(OpError::shape(format!("{groups} groups do not divide the {n} {what}")))
            }
            _ => Ok(()),
        };
        divides("output features of the kernel", kernel.dim(self.kernel.batch), features.max(batches))?;
        divides("batches of x", x.dim(self.x.batch), batches)
    }
}

#[expect(clippy::too_many_arguments, reason = "a rule takes the attributes of its row one by one")]
pub(crate) fn infer(
    x: &Shape,
    kernel: &Shape,
    strides: &[usize],
    lhs_dilation: &[usize],
    rhs_dilation: &[usize],
    low: &[i64],
    high: &[i64],
    reversal: &[bool],
    lhs_batch_dim: usize,
    lhs_feature_dim: usize,
    lhs_spatial_dims: &[usize],
    rhs_in_dim: usize,
    rhs_out_dim: usize,
    rhs_spatial_dims: &[usize],
    out_batch_dim: usize,
    out_feature_dim: usize,
    out_spatial_dims: &[usize],
    feature_groups: usize,
    batch_groups: usize,
    dtype: Option<DType>,
) -> Result<Shape, OpError> {
    let layout = ConvolutionAxes {
        x: Roles::new(lhs_batch_dim, lhs_feature_dim, lhs_spatial_dims),
        kernel: Roles::new(rhs_out_dim, rhs_in_dim, rhs_spatial_dims),
        out: Roles::new(out_batch_dim, out_feature_dim, out_spatial_dims),
        feature_groups,
        batch_groups,
    };
    let geometry =
        Geometry { strides, base_dilation: lhs_dilation, window_dilation: rhs_dilation, low, high };
    OpError::check_dtype("x", x.dtype(), DTypeSet::NUMBER)?;
    let dtype = super::result_dtype(x, kernel, dtype)?;
    layout.check(x, kernel, strides.len())?;
    geometry.check(strides.len())?;
    if reversal.len() != strides.len() {
        return Err(OpError::attribute(format!(
            "reversal must have {} items, one per stride",
            strides.len()
        )));
    }
    let mut dims = vec![Dim::Static(0); x.rank()];
    dims[out_batch_dim] = x.dim(lhs_batch_dim).floor_div(&Dim::Static(batch_groups));
    dims[out_feature_dim] = kernel.dim(rhs_out_dim).clone();
    for (i, &axis) in out_spatial_dims.iter().enumerate() {
        dims[axis] = geometry.places(i, x.dim(lhs_spatial_dims[i]), kernel.dim(rhs_spatial_dims[i]))?;
    }
    Ok(Shape::from_dims(&dims, dtype))
}

#[expect(clippy::too_many_arguments, reason = "a rule takes the attributes of its row one by one")]
pub(crate) fn eval(
    cx: &EvalCx<'_>,
    x: &Value,
    kernel: &Value,
    strides: &[usize],
    lhs_dilation: &[usize],
    rhs_dilation: &[usize],
    low: &[i64],
    high: &[i64],
    reversal: &[bool],
    lhs_batch_dim: usize,
    lhs_feature_dim: usize,
    lhs_spatial_dims: &[usize],
    rhs_in_dim: usize,
    rhs_out_dim: usize,
    rhs_spatial_dims: &[usize],
    out_batch_dim: usize,
    out_feature_dim: usize,
    out_spatial_dims: &[usize],
    feature_groups: usize,
    batch_groups: usize,
    _: Option<DType>,
) -> Result<Value, OpError> {
    let layout = ConvolutionAxes {
        x: Roles::new(lhs_batch_dim, lhs_feature_dim, lhs_spatial_dims),
        kernel: Roles::new(rhs_out_dim, rhs_in_dim, rhs_spatial_dims),
        out: Roles::new(out_batch_dim, out_feature_dim, out_spatial_dims),
        feature_groups,
        batch_groups,
    };
    let geometry =
        Geometry { strides, base_dilation: lhs_dilation, window_dilation: rhs_dilation, low, high };
    let kernel = reversed(kernel, rhs_spatial_dims, reversal);
    let plan = ConvolutionSums { layout, geometry, x: x.dims(), kernel: kernel.dims(), out: &cx.dims() };
    Ok(sums::eval(cx, x, &kernel, &plan))
}

/// The kernel, reversed along some of its spatial axes.
fn reversed(kernel: &Value, spatial: &[usize], reversal: &[bool]) -> Value {
    let dims = kernel.dims();
    let strides = row_major_strides(dims);
    let backwards = |axis: usize| spatial.iter().zip(reversal).any(|(&a, &reverse)| reverse && a == axis);
    let backwards: Vec<bool> = (0..dims.len()).map(backwards).collect();
    kernel.pick(dims, |index| {
        let at = |a: usize| if backwards[a] { dims[a] - 1 - index[a] } else { index[a] };
        (0..dims.len()).map(|a| at(a) * strides[a]).sum()
    })
}

/// Number of taps that are computed at a time, for all features and batches.
const TAPS: usize = 1024;

struct ConvolutionSums<'a> {
    layout: ConvolutionAxes<'a>,
    geometry: Geometry<'a>,
    x: &'a [usize],
    kernel: &'a [usize],
    out: &'a [usize],
}

impl Sums for ConvolutionSums<'_> {
    fn run<T: Number>(&self, x: &[T], kernel: &[T]) -> Vec<T> {
        let ConvolutionAxes { x: x_roles, kernel: k_roles, out: o_roles, feature_groups, batch_groups } =
            self.layout;
        let [x_strides, k_strides, o_strides] = [self.x, self.kernel, self.out].map(row_major_strides);
        let (batches, features) = (self.out[o_roles.batch], self.out[o_roles.feature]);
        let inner = self.kernel[k_roles.feature];
        let mut out = vec![T::ZERO; self.out.iter().product()];
        let base = (x_roles.spatial_of(self.x), x_roles.spatial_of(&x_strides));
        let window = (k_roles.spatial_of(self.kernel), k_roles.spatial_of(&k_strides));
        let place_strides = o_roles.spatial_of(&o_strides);
        let mut taps = Vec::new();
        for_each_index(&o_roles.spatial_of(self.out), |place| {
            let mut add = |taps: &mut Vec<(usize, usize)>| {
                for feature in 0..features {
                    let x_features =
                        feature / (features / feature_groups) * inner * x_strides[x_roles.feature];
                    let first_batch = feature / (features / batch_groups) * batches;
                    for batch in 0..batches {
                        let x_start = (first_batch + batch) * x_strides[x_roles.batch] + x_features;
                        let k_start = feature * k_strides[k_roles.batch];
                        let at = batch * o_strides[o_roles.batch] + feature * o_strides[o_roles.feature];
                        let sum = &mut out[at + linear(place, &place_strides)];
                        for (x_tap, k_tap) in taps.iter() {
                            for i in 0..inner {
                                let a = x[x_start + x_tap + i * x_strides[x_roles.feature]];
                                let b = kernel[k_start + k_tap + i * k_strides[k_roles.feature]];
                                *sum = sum.add_product(a, b);
                            }
                        }
                    }
                }
                taps.clear();
            };
            let (base, window) = ((&*base.0, &*base.1), (&*window.0, &*window.1));
            let Ok(()) = self.geometry.each_tap(place, base, window, &mut |x_tap, k_tap| {
                taps.push((x_tap, k_tap));
                if taps.len() == TAPS {
                    add(&mut taps);
                }
                Ok::<(), Infallible>(())
            });
            add(&mut taps);
        });
        out
    }
}
