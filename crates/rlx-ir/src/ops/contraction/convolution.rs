//! `convolution`: sums of products of a kernel and the part of a tensor that it covers as it moves over it.

use super::sums::{self, Number, Sums};
use crate::dim::Dim;
use crate::dtype::{DType, DTypeSet};
use crate::eval::{EvalCx, Value, for_each_index, linear};
use crate::op::{ConvolutionSpec, OpError};
use crate::ops::window::geometry::Geometry;
use crate::shape::{Shape, row_major_strides};
use std::convert::Infallible;

impl ConvolutionSpec {
    /// Returns how the kernel moves along the spatial axes.
    fn geometry(&self) -> Geometry<'_> {
        Geometry {
            strides: &self.strides,
            base_dilation: &self.lhs_dilation,
            window_dilation: &self.rhs_dilation,
            low: &self.low,
            high: &self.high,
        }
    }

    fn check_axes(&self, x: &Shape, kernel: &Shape) -> Result<(), OpError> {
        let spatial = self.strides.len();
        for (name, shape) in [("x", x), ("kernel", kernel)] {
            if shape.rank() != spatial + 2 {
                return Err(OpError::shape(format!(
                    "{name} must have {} axes, two and one for each of the {spatial} strides, got {shape}",
                    spatial + 2
                )));
            }
        }
        for (name, axes) in [("lhs", &self.x), ("rhs", &self.kernel), ("out", &self.out)] {
            let ordered = axes.ordered();
            if ordered.len() != spatial + 2 {
                return Err(OpError::attribute(format!(
                    "{name}_spatial_dims must have {spatial} items, one per stride, got {:?}",
                    axes.spatial
                )));
            }
            OpError::check_axes(&ordered, spatial + 2)
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

pub(crate) fn infer(
    x: &Shape,
    kernel: &Shape,
    spec: &ConvolutionSpec,
    dtype: Option<DType>,
) -> Result<Shape, OpError> {
    let (geometry, spatial) = (spec.geometry(), spec.strides.len());
    OpError::check_dtype("x", x.dtype(), DTypeSet::NUMBER)?;
    let dtype = super::result_dtype(x, kernel, dtype)?;
    spec.check_axes(x, kernel)?;
    geometry.check(spatial)?;
    if spec.reversal.len() != spatial {
        return Err(OpError::attribute(format!("reversal must have {spatial} items, one per stride")));
    }
    let mut dims = vec![Dim::Static(0); x.rank()];
    dims[spec.out.batch] = x.dim(spec.x.batch).floor_div(&Dim::Static(spec.batch_groups));
    dims[spec.out.feature] = kernel.dim(spec.kernel.batch).clone();
    for (i, &axis) in spec.out.spatial.iter().enumerate() {
        let (base, window) = (x.dim(spec.x.spatial[i]), kernel.dim(spec.kernel.spatial[i]));
        dims[axis] = geometry.places(i, base, window)?;
    }
    Ok(Shape::from_dims(&dims, dtype))
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    x: &Value,
    kernel: &Value,
    spec: &ConvolutionSpec,
    _: Option<DType>,
) -> Result<Value, OpError> {
    let kernel = reversed(kernel, &spec.kernel.spatial, &spec.reversal);
    let plan = ConvolutionSums { spec, x: x.dims(), kernel: kernel.dims(), out: &cx.dims() };
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
    spec: &'a ConvolutionSpec,
    x: &'a [usize],
    kernel: &'a [usize],
    out: &'a [usize],
}

impl Sums for ConvolutionSums<'_> {
    fn run<T: Number>(&self, x: &[T], kernel: &[T]) -> Vec<T> {
        let ConvolutionSpec { x: x_axes, kernel: k_axes, out: o_axes, feature_groups, batch_groups, .. } =
            self.spec;
        let geometry = self.spec.geometry();
        let [x_strides, k_strides, o_strides] = [self.x, self.kernel, self.out].map(row_major_strides);
        let (batches, features) = (self.out[o_axes.batch], self.out[o_axes.feature]);
        let inner = self.kernel[k_axes.feature];
        let mut out = vec![T::ZERO; self.out.iter().product()];
        let base = (x_axes.spatial_of(self.x), x_axes.spatial_of(&x_strides));
        let window = (k_axes.spatial_of(self.kernel), k_axes.spatial_of(&k_strides));
        let place_strides = o_axes.spatial_of(&o_strides);
        let mut taps = Vec::new();
        for_each_index(&o_axes.spatial_of(self.out), |place| {
            let mut add = |taps: &mut Vec<(usize, usize)>| {
                for feature in 0..features {
                    let x_features =
                        feature / (features / feature_groups) * inner * x_strides[x_axes.feature];
                    let first_batch = feature / (features / batch_groups) * batches;
                    for batch in 0..batches {
                        let x_start = (first_batch + batch) * x_strides[x_axes.batch] + x_features;
                        let k_start = feature * k_strides[k_axes.batch];
                        let at = batch * o_strides[o_axes.batch] + feature * o_strides[o_axes.feature];
                        let sum = &mut out[at + linear(place, &place_strides)];
                        for (x_tap, k_tap) in taps.iter() {
                            for i in 0..inner {
                                let a = x[x_start + x_tap + i * x_strides[x_axes.feature]];
                                let b = kernel[k_start + k_tap + i * k_strides[k_axes.feature]];
                                *sum = sum.add_product(a, b);
                            }
                        }
                    }
                }
                taps.clear();
            };
            let (base, window) = ((&*base.0, &*base.1), (&*window.0, &*window.1));
            let Ok(()) = geometry.each_tap(place, base, window, &mut |x_tap, k_tap| {
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
