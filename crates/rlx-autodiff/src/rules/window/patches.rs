//! The elements in a window at each of its positions, as a tensor, for window reductions that do not have a derivative of their
//! own.

use crate::trace;
use rlx_ir::{BinaryOp, DType, Dim, Op, Shape, Tensor, WindowSpec};

/// The elements in windows: axis 0 runs over the taps in row-major order, the other axes over the positions.
pub(super) struct Patches {
    /// The elements; arbitrary where a tap is on padding or a gap.
    pub(super) elements: Vec<Tensor>,
    /// Whether each tap is on an element.
    pub(super) seen: Tensor,
}

/// The elements of tensors of the same dimensions in a window at positions of these dimensions.
pub(super) fn patches(xs: &[Tensor], spec: &WindowSpec, places: &[Dim]) -> Patches {
    let rank = places.len();
    let builder = xs[0].builder();
    let mut elements = xs.to_vec();
    let sizes = spec.window.iter().map(|&n| Dim::Static(n));
    let all: Vec<Dim> = sizes.chain(places.iter().cloned()).collect();
    let mut seen = builder.int(1, DType::Bool).broadcast_to(&all);
    for axis in (0..rank).rev() {
        let along = taps(xs, spec, axis, &places[axis]);
        // Each axis becomes two: its taps, then its positions.
        elements = elements.iter().map(|x| x.take(&along.at, axis)).collect();
        seen = seen.and(&along.seen.broadcast_in_dim(&all, &[axis, rank + axis]));
    }
    let order: Vec<usize> = (0..rank).map(|a| 2 * a).chain((0..rank).map(|a| 2 * a + 1)).collect();
    let count = spec.window.iter().fold(Dim::Static(1), |n, &size| &n * size);
    let dims = [std::slice::from_ref(&count), places].concat();
    Patches {
        elements: elements.iter().map(|x| x.transpose(&order).reshape(&dims)).collect(),
        seen: seen.reshape(&dims),
    }
}

/// Along one axis, for each tap and position, the index of the element, and whether there is one.
struct Taps {
    at: Tensor,
    seen: Tensor,
}

fn taps(xs: &[Tensor], spec: &WindowSpec, axis: usize, places: &Dim) -> Taps {
    let builder = xs[0].builder();
    let dtype = DType::I64;
    let shape = Shape::from_dims(&[Dim::Static(spec.window[axis]), places.clone()], dtype);
    let number = |n: usize| builder.int(i64::try_from(n).unwrap_or(i64::MAX), dtype);
    let place = builder.iota(shape.clone(), 1) * number(spec.strides[axis]);
    let tap = builder.iota(shape, 0) * number(spec.window_dilation[axis]);
    let offset = place + tap - builder.int(spec.low[axis], dtype);
    let dilation = number(spec.base_dilation[axis]);
    let extent = trace::size(&builder, &xs[0].dim(axis)) * &dilation;
    let zero = builder.int(0, dtype);
    let on_element = offset.binary(BinaryOp::Rem, &dilation).equal(&zero);
    let seen = offset.greater_equal(&zero).and(&offset.less(&extent)).and(&on_element);
    Taps { at: seen.select(&(offset / dilation), &zero), seen }
}

impl Patches {
    /// The elements of one tensor, with a scalar where there is none.
    pub(super) fn filled(&self, which: usize, with: &Tensor) -> Tensor {
        self.seen.select(&self.elements[which], &with.broadcast_to(&self.elements[which].dims()))
    }
}

/// The positions of a window over a tensor, which are the dimensions of the result of `op`.
pub(super) fn places(op: &Op, shapes: &[Shape]) -> Result<Vec<Dim>, rlx_ir::OpError> {
    Ok(op.infer(shapes)?.first().map(|s| s.dims().to_vec()).unwrap_or_default())
}
