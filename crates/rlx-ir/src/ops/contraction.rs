//! Primitives that sum products.

/// Sums of products over contracting axes.
pub(crate) mod dot_general {
    use crate::dtype::{Class, DType, DTypeSet};
    use crate::eval::{EvalCx, Value, for_each_index, linear};
    use crate::math::complex::Complex64;
    use crate::op::OpError;
    use crate::shape::{Shape, row_major_strides};

    pub(crate) fn infer(
        lhs: &Shape,
        rhs: &Shape,
        lhs_batch: &[usize],
        rhs_batch: &[usize],
        lhs_contract: &[usize],
        rhs_contract: &[usize],
        dtype: Option<DType>,
    ) -> Result<Shape, OpError> {
        let lhs_special = [lhs_batch, lhs_contract].concat();
        let rhs_special = [rhs_batch, rhs_contract].concat();
        OpError::check_axes(&lhs_special, lhs.rank())?;
        OpError::check_axes(&rhs_special, rhs.rank())?;
        if lhs_batch.len() != rhs_batch.len() || lhs_contract.len() != rhs_contract.len() {
            return Err(OpError::attribute("lhs and rhs must list as many batch and contracting axes"));
        }
        if lhs.dtype() != rhs.dtype() {
            return Err(OpError::shape(format!(
                "lhs is {}, rhs is {}; convert one",
                lhs.dtype(),
                rhs.dtype()
            )));
        }
        OpError::check_dtype("lhs", lhs.dtype(), DTypeSet::ALL)?;
        for (&l, &r) in lhs_special.iter().zip(&rhs_special) {
            if !lhs.dim(l).compatible(rhs.dim(r)) {
                return Err(OpError::shape(format!(
                    "axis {l} of lhs has size {}, axis {r} of rhs has size {}",
                    lhs.dim(l),
                    rhs.dim(r)
                )));
            }
        }
        let mut dims: Vec<_> = lhs_batch.iter().map(|&a| lhs.dim(a).clone()).collect();
        dims.extend_from_slice(lhs.without_axes(&lhs_special).dims());
        dims.extend_from_slice(rhs.without_axes(&rhs_special).dims());
        Ok(Shape::from_dims(&dims, dtype.unwrap_or(lhs.dtype())))
    }

    /// The sizes and strides of the listed axes.
    fn axes_of(x: &Value, axes: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let strides = row_major_strides(x.dims());
        (axes.iter().map(|&a| x.dims()[a]).collect(), axes.iter().map(|&a| strides[a]).collect())
    }

    fn offsets(sizes: &[usize], strides: &[usize]) -> Vec<usize> {
        let mut out = Vec::new();
        for_each_index(sizes, |index| out.push(linear(index, strides)));
        out
    }

    fn free_axes(rank: usize, batch: &[usize], contract: &[usize]) -> Vec<usize> {
        (0..rank).filter(|a| !batch.contains(a) && !contract.contains(a)).collect()
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        lhs: &Value,
        rhs: &Value,
        lhs_batch: &[usize],
        rhs_batch: &[usize],
        lhs_contract: &[usize],
        rhs_contract: &[usize],
        _: Option<DType>,
    ) -> Result<Value, OpError> {
        let plan = |x: &Value, axes: &[usize]| {
            let (sizes, strides) = axes_of(x, axes);
            offsets(&sizes, &strides)
        };
        let batches: Vec<(usize, usize)> =
            plan(lhs, lhs_batch).into_iter().zip(plan(rhs, rhs_batch)).collect();
        let rows = plan(lhs, &free_axes(lhs.dims().len(), lhs_batch, lhs_contract));
        let columns = plan(rhs, &free_axes(rhs.dims().len(), rhs_batch, rhs_contract));
        let inner: Vec<(usize, usize)> =
            plan(lhs, lhs_contract).into_iter().zip(plan(rhs, rhs_contract)).collect();
        let places = || {
            batches
                .iter()
                .flat_map(|b| rows.iter().flat_map(move |r| [(b.0 + r, b.1)]).collect::<Vec<_>>())
                .flat_map(|(l, r)| columns.iter().map(move |c| (l, r + c)))
        };
        let out = cx.out().dtype();
        let dims = cx.dims();
        Ok(match out.class() {
            Class::Float => {
                let (a, b) = (lhs.to_f64s(), rhs.to_f64s());
                let sum = |(l, r): (usize, usize)| {
                    inner.iter().map(|(i, j)| a[l + i] * b[r + j]).sum::<f64>() + 0.0
                };
                Value::floats(dims, out, places().map(sum).collect())
            }
            Class::Complex => {
                let (a, b) = (lhs.to_complexes(), rhs.to_complexes());
                let zero = Complex64 { re: 0.0, im: 0.0 };
                let sum =
                    |(l, r): (usize, usize)| inner.iter().fold(zero, |s, (i, j)| s + a[l + i] * b[r + j]);
                Value::complexes(dims, out, places().map(sum).collect())
            }
            Class::Bool => {
                let (a, b) = (lhs.to_ints(), rhs.to_ints());
                let any = |(l, r): (usize, usize)| inner.iter().any(|(i, j)| a[l + i] != 0 && b[r + j] != 0);
                Value::ints(dims, out, places().map(|p| i128::from(any(p))).collect())
            }
            Class::Signed | Class::Unsigned => {
                let (a, b) = (lhs.to_ints(), rhs.to_ints());
                let sum = |(l, r): (usize, usize)| {
                    inner.iter().fold(0i128, |s, (i, j)| s.wrapping_add(a[l + i].wrapping_mul(b[r + j])))
                };
                Value::ints(dims, out, places().map(sum).collect())
            }
        })
    }
}
