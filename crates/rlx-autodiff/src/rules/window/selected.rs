//! The element that each window selects, as its row-major position in the tensor. Tangents are read there, and cotangents added
//! there: a single description of selection for every padding and dilation, which both modes share.

use crate::error::Error;
use crate::rules::pointwise;
use crate::trace;
use rlx_ir::{Builder, Combiner, DType, Dim, Graph, Op, ReduceOp, ScatterDims, Tensor, WindowSpec};

/// The elements that windows over a tensor select.
pub(super) struct Selected {
    /// The selected position for each position of the window; past the last element if the window contains none.
    at: Tensor,
    /// Dimensions of the tensor.
    dims: Vec<Dim>,
}

/// The elements that windows select. `select` says of two elements whether the first one, in row-major order, stays selected.
pub(super) fn selected(
    builder: &Builder,
    x: &Tensor,
    spec: &WindowSpec,
    select: &Graph,
) -> Result<Selected, Error> {
    let shape = x.shape();
    let count = shape.num_elements_dim();
    let position = trace::position_type(&count);
    let nowhere = if position == DType::I32 { i64::from(i32::MAX) } else { i64::MAX };
    let numbers = rlx_ir::Shape::from_dims(&[count], position);
    let positions = builder.iota(numbers, 0).reshape(shape.dims());
    let types = [x.dtype(), position, x.dtype(), position];
    let body = pointwise::body("selected", &types, |b, args| {
        let [a, i, c, j] = args else { return Ok(Vec::new()) };
        let none = b.int(nowhere, position);
        let asked = |first: &Tensor, second: &Tensor| {
            Ok::<_, Error>(b.inline(select, &[first.clone(), second.clone()])?.swap_remove(0))
        };
        // Of two elements, `select` is asked about the one that comes first in the tensor, so the order of combining does not
        // matter.
        let stays = i.less(j).select(&asked(a, c)?, &asked(c, a)?.logical_not());
        let stays = i.not_equal(&none).and(&stays.or(&j.equal(&none)));
        Ok(vec![stays.select(a, c), stays.select(i, j)])
    })?;
    let inits = [x.scalar_like(0.0), builder.int(nowhere, position)];
    let reduce = Op::ReduceWindowGraph { body, spec: spec.clone() };
    let results = x.apply_many(reduce, &[&positions, &inits[0], &inits[1]]);
    let at = results.get(1).cloned().unwrap_or_else(|| results[0].clone());
    Ok(Selected { at, dims: shape.dims().to_vec() })
}

impl Selected {
    fn count(&self) -> Dim {
        self.dims.iter().fold(Dim::Static(1), |n, d| &n * d)
    }

    /// The selected elements of a tensor; 0 where a window contains none.
    pub(super) fn read(&self, x: &Tensor) -> Tensor {
        if self.dims.contains(&Dim::Static(0)) {
            return x.scalar_like(0.0).broadcast_to(&self.at.dims());
        }
        let builder = x.builder();
        let flat = x.reshape(&[self.count()]);
        let read = flat.take(&self.at, 0);
        let last = trace::size(&builder, &self.count()).convert(self.at.dtype());
        self.at.less(&last).select(&read, &trace::zeros_like(&read))
    }

    /// The dimension numbers of elements of a flat tensor at scalar positions.
    pub(super) fn numbers(&self) -> ScatterDims {
        ScatterDims {
            inserted_window_dims: vec![0],
            scatter_dims_to_operand_dims: vec![0],
            index_vector_dim: self.at.rank(),
            ..ScatterDims::default()
        }
    }

    /// A tensor of the dimensions of the one selected from, with a source combined with the selected elements by `scatter`.
    pub(super) fn write(
        &self,
        into: &Tensor,
        source: &Tensor,
        scatter: impl FnOnce(ScatterDims) -> Op,
    ) -> Tensor {
        let flat = into.reshape(&[self.count()]);
        flat.apply(scatter(self.numbers()), &[&self.at, source]).reshape(&self.dims)
    }

    /// A tensor with a source added to the selected elements.
    pub(super) fn add(&self, into: &Tensor, source: &Tensor) -> Tensor {
        self.write(into, source, |dims| Op::Scatter { dims, combiner: Combiner::Reduce(ReduceOp::Sum) })
    }
}
