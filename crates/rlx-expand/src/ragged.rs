//! Expands `ragged_dot` into a loop over the matrices. Each step multiplies all rows, and adds those of the group to the result.
//! Infinities in the matrix of one group do not affect the rows of another.

use crate::build::Expression;
use crate::looping::{counted, slice_at, zero};
use rlx_ir::{CompareOp, DType, Dim, DotDims, Op, OpError, Tensor};

/// A sum that saturates instead of wrapping.
fn saturating_sum(a: &Tensor, b: &Tensor) -> Tensor {
    let sum = a + b;
    let zero = a.int_like(0);
    let (below, above) = (a.int_like(i64::MIN), a.int_like(i64::MAX));
    // A sum overflows only if both numbers have the same sign, and then it has the other sign.
    let negative = b.less(&zero);
    let wrapped = negative.select(&sum.compare(CompareOp::Gt, a), &sum.less(a));
    wrapped.select(&negative.select(&below, &above), &sum)
}

/// Sizes as i64. Unsigned ones beyond its range become its maximum, which is large enough.
fn sizes_of(group_sizes: &Tensor) -> Tensor {
    if group_sizes.dtype() != DType::U64 {
        return group_sizes.convert(DType::I64);
    }
    let most = group_sizes.int_like(i64::MAX);
    group_sizes.minimum(&most.spread(group_sizes)).convert(DType::I64)
}

/// `lhs` in groups of rows, times `rhs`.
pub(crate) fn ragged_dot(
    lhs: &Tensor,
    rhs: &Tensor,
    group_sizes: &Tensor,
    dtype: Option<DType>,
) -> Result<Vec<Tensor>, OpError> {
    let result = dtype.unwrap_or(lhs.dtype());
    let wide = match result {
        DType::F16 | DType::BF16 | DType::F8E4M3 | DType::F8E5M2 => DType::F32,
        _ => result,
    };
    let b = lhs.builder();
    let sums = zero(&b, wide).broadcast_to(&[lhs.dim(0), rhs.dim(2)]);
    if group_sizes.dim(0) == Dim::Static(0) {
        return Ok(vec![sums.convert(result)]);
    }
    let start = b.int(0, DType::I64);
    let product = Op::DotGeneral { dims: DotDims::contracting(&[1], &[0]), dtype: Some(wide) };
    let init = [lhs.clone(), rhs.clone(), sizes_of(group_sizes), start, sums];
    let done = counted(&group_sizes.extent(0), &init, &|group, carried| {
        let [lhs, rhs, sizes, start, sums] = carried else { return Vec::new() };
        let size = slice_at(sizes, 0, group).squeeze(0);
        let end = saturating_sum(start, &size);
        let row = sums.positions(0, DType::I64);
        let within = row.greater_equal(&start.spread(&row)).and(&row.less(&end.spread(&row)));
        let matrix = slice_at(rhs, 0, group).squeeze(0);
        let products = lhs.apply(product.clone(), &[&matrix]);
        let added = sums + within.select(&products, &zero(&sums.builder(), sums.dtype()).spread(sums));
        [lhs, rhs, sizes, &end, &added].map(Tensor::clone).to_vec()
    });
    Ok(done.into_iter().skip(4).map(|sums| sums.convert(result)).collect())
}
