//! Expands `scan` into a `while` over a counter.

use crate::build::Expression;
use rlx_ir::{Builder, DType, Dim, Graph, Op, OpError, Tensor};

/// A constant 0 of any type.
pub(crate) fn zero(b: &Builder, dtype: DType) -> Tensor {
    if dtype.int_range().is_some() { b.int(0, dtype) } else { b.scalar(0.0, dtype) }
}

/// `x[at]` along an axis, which stays with size 1; `at` is a scalar.
pub(crate) fn slice_at(x: &Tensor, axis: usize, at: &Tensor) -> Tensor {
    let zero = at.int_like(0);
    let starts: Vec<&Tensor> = (0..x.rank()).map(|i| if i == axis { at } else { &zero }).collect();
    let mut sizes = x.dims();
    sizes[axis] = Dim::Static(1);
    x.apply(Op::DynamicSlice { sizes }, &starts)
}

/// x with the slice at `at` along an axis replaced by `slice`, which has size 1 there.
pub(crate) fn with_slice_at(x: &Tensor, axis: usize, at: &Tensor, slice: &Tensor) -> Tensor {
    let zero = at.int_like(0);
    let starts = (0..x.rank()).map(|i| if i == axis { at } else { &zero });
    let others: Vec<&Tensor> = std::iter::once(slice).chain(starts).collect();
    x.apply(Op::DynamicUpdateSlice {}, &others)
}

/// Applies `body(i, carried)` for i = 0, 1, … while `i < limit`, a scalar of the surrounding graph.
pub(crate) fn counted(
    limit: &Tensor,
    init: &[Tensor],
    body: &dyn Fn(&Tensor, &[Tensor]) -> Vec<Tensor>,
) -> Vec<Tensor> {
    let b = limit.builder();
    let start = [limit.int_like(0), limit.clone()];
    let values = b.while_loop(
        &[&start[..], init].concat(),
        &|_, values| vec![values[0].less(&values[1])],
        &|_, values| {
            let next = body(&values[0], &values[2..]);
            [&[&values[0] + &values[0].int_like(1), values[1].clone()][..], &next].concat()
        },
    );
    values.into_iter().skip(2).collect()
}

/// The dimension as an i32 scalar of the graph under construction.
fn length_of(b: &Builder, length: &Dim) -> Tensor {
    match length.as_static() {
        Some(n) => b.int(i64::try_from(n).unwrap_or(i64::MAX), DType::I32),
        None => {
            let counted = b.int(0, DType::I32).broadcast_to(std::slice::from_ref(length));
            counted.apply(Op::DimSize { axis: 0 }, &[]).convert(DType::I32)
        }
    }
}

/// The loop over the leading axis of the last operands. All operands are carried, because the graphs of a loop capture nothing.
pub(crate) fn scan(
    values: &[Tensor],
    body: &Graph,
    length: &Dim,
    num_consts: usize,
    num_carry: usize,
    reverse: bool,
) -> Result<Vec<Tensor>, OpError> {
    let Some(b) = values.first().map(Tensor::builder) else {
        return Err(OpError::shape("a scan without operands has no graph to be expanded in"));
    };
    let xs = &values[num_consts + num_carry..];
    let length = xs.first().map_or(length.clone(), |x| x.dim(0));
    let stacked = body.output_shapes().into_iter().skip(num_carry).map(|slice| {
        let dims = [std::slice::from_ref(&length), slice.dims()].concat();
        zero(&b, slice.dtype()).broadcast_to(&dims)
    });
    if length == Dim::Static(0) {
        return Ok(values[num_consts..num_consts + num_carry].iter().cloned().chain(stacked).collect());
    }
    let init: Vec<Tensor> = values.iter().cloned().chain(stacked).collect();
    let count = length_of(&b, &length);
    let limited = [&[count.clone()][..], &init].concat();
    let step = |i: &Tensor, carried: &[Tensor]| {
        let (count, carried) = (&carried[0], &carried[1..]);
        let at = if reverse { count - i - count.int_like(1) } else { i.clone() };
        let (consts, rest) = carried.split_at(num_consts);
        let (carry, rest) = rest.split_at(num_carry);
        let (xs, ys) = rest.split_at(xs.len());
        let slices = xs.iter().map(|x| slice_at(x, 0, &at).squeeze(0));
        let args: Vec<Tensor> = consts.iter().chain(carry).cloned().chain(slices).collect();
        let made = i.builder().inline(body, &args).unwrap_or_default();
        let (next, new) = made.split_at(num_carry.min(made.len()));
        let written = ys.iter().zip(new).map(|(y, slice)| with_slice_at(y, 0, &at, &slice.unsqueeze(0)));
        let kept = std::iter::once(count).chain(consts).chain(next).chain(xs).cloned();
        kept.chain(written).collect()
    };
    let done = counted(&count, &limited, &step);
    let results = done.into_iter().skip(1 + num_consts);
    let (carry, rest): (Vec<_>, Vec<_>) = results.enumerate().partition(|(i, _)| *i < num_carry);
    let ys = rest.into_iter().skip(xs.len());
    Ok(carry.into_iter().chain(ys).map(|(_, value)| value).collect())
}
