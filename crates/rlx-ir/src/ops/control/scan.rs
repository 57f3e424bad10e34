//! `scan`: the loop over the leading axis of its operands.

use crate::dim::Dim;
use crate::eval::{EvalCx, Scalar, Value, sizes};
use crate::graph::Graph;
use crate::op::OpError;
use crate::ops::control::signature::{agree, check};
use crate::shape::Shape;

/// Consts, carry and xs.
type Roles<'a, T> = (&'a [T], &'a [T], &'a [T]);

/// The operands by role. The numbers are attributes, so they are checked here.
fn split<T>(values: &[T], num_consts: usize, num_carry: usize) -> Result<Roles<'_, T>, OpError> {
    let error = || {
        OpError::attribute(format!(
            "num_consts = {num_consts} and num_carry = {num_carry} ask for more than the {} operand(s)",
            values.len()
        ))
    };
    let (consts, rest) = values.split_at_checked(num_consts).ok_or_else(error)?;
    let (carry, xs) = rest.split_at_checked(num_carry).ok_or_else(error)?;
    Ok((consts, carry, xs))
}

/// The shape of one slice of each x, and the length, which is static if any of its sources is.
fn slices(xs: &[Shape], length: &Dim) -> Result<(Vec<Shape>, Dim), OpError> {
    let mut known = length.clone();
    let mut out = Vec::with_capacity(xs.len());
    for (i, x) in xs.iter().enumerate() {
        let fits = x.dims().first().is_some_and(|d| d.compatible(&known));
        if !fits {
            return Err(OpError::shape(format!(
                "x {i} is {x}; its first axis must have the size of the scan, {known}"
            )));
        }
        if known.as_static().is_none() && x.dim(0).as_static().is_some() {
            known = x.dim(0).clone();
        }
        out.push(x.without_axes(&[0]));
    }
    Ok((out, known))
}

pub(crate) fn infer(
    values: &[Shape],
    body: &Graph,
    length: &Dim,
    num_consts: usize,
    num_carry: usize,
    _reverse: bool,
) -> Result<Vec<Shape>, OpError> {
    let (consts, carry, xs) = split(values, num_consts, num_carry)?;
    let (slices, length) = slices(xs, length)?;
    let given = check("body", body, &[consts, carry, &slices].concat())?;
    let Some((next, ys)) = given.split_at_checked(num_carry) else {
        return Err(OpError::shape(format!(
            "body returns {} value(s), fewer than the {num_carry} carried ones",
            given.len()
        )));
    };
    let mut results = agree("body", next, "the carried values", carry)?;
    results.extend(ys.iter().map(|y| y.with_dims([std::slice::from_ref(&length), y.dims()].concat())));
    Ok(results)
}

pub(crate) fn eval(
    cx: &EvalCx<'_>,
    values: &[Value],
    body: &Graph,
    length: &Dim,
    num_consts: usize,
    num_carry: usize,
    reverse: bool,
) -> Result<Vec<Value>, OpError> {
    let (consts, init, xs) = split(values, num_consts, num_carry)?;
    let length = length.as_static().ok_or_else(|| OpError::Eval("the length has no size".into()))?;
    let mut carry = init.to_vec();
    let stacked = &cx.results()[num_carry..];
    let empty = |s: &Shape| Value::splat(sizes(s), s.dtype(), Scalar::Int(0));
    let mut ys: Vec<Value> = stacked.iter().map(empty).collect();
    for step in 0..length {
        let at = if reverse { length - 1 - step } else { step };
        let slices: Vec<Value> = xs.iter().map(|x| slice_at(x, at)).collect();
        let mut given = cx.call(body, &[consts, &carry, &slices].concat())?;
        for (y, slice) in ys.iter_mut().zip(given.split_off(num_carry)) {
            (0..slice.len()).for_each(|i| y.set_from(at * slice.len() + i, &slice, i));
        }
        carry = given;
    }
    carry.extend(ys);
    Ok(carry)
}

/// `x[at]`.
fn slice_at(x: &Value, at: usize) -> Value {
    let dims = &x.dims()[1..];
    let size: usize = dims.iter().product();
    let mut i = at * size;
    x.pick(dims, |_| {
        i += 1;
        i - 1
    })
}
