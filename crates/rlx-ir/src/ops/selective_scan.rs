//! The selective state space of Mamba (Gu and Dao, 2023).

use crate::dim::Dim;
use crate::op::kinds::ReduceOp;
use crate::op::{Op, OpError};
use crate::ops::control::build::ScanOperands;
use crate::ops::precision::check_float;
use crate::shape::Shape;
use crate::tensor::{Builder, Tensor};

/// y for x, from a zero state; see [`selective_scan_with_state`].
pub(crate) fn selective_scan(
    x: &Tensor,
    delta: &Tensor,
    a: &Tensor,
    b: &Tensor,
    c: &Tensor,
    skip: Option<&Tensor>,
) -> Result<Tensor, OpError> {
    let [y, _] = scanned([x, delta, a, b, c], None, skip)?;
    Ok(y)
}

/// Along the sequence, for each batch entry and channel, with a state h of n numbers: h ← e^(delta·a) ⊙ h + delta·x·b, y = h·c +
/// skip·x. x and delta are `[batch, seq, d]`, a is `[d, n]`, b and c are `[batch, seq, n]`, state is `[batch, d, n]`, and skip is
/// `[d]`. Results are y `[batch, seq, d]` and the last state, both in the type of x. Narrow floats are computed in f32.
pub(crate) fn selective_scan_with_state(
    ([x, delta, a, b, c, state], skip): ([&Tensor; 6], Option<&Tensor>),
) -> Result<[Tensor; 2], OpError> {
    scanned([x, delta, a, b, c], Some(state), skip)
}

fn scanned(
    [x, delta, a, b, c]: [&Tensor; 5],
    state: Option<&Tensor>,
    skip: Option<&Tensor>,
) -> Result<[Tensor; 2], OpError> {
    check_float("x", x)?;
    let (x_dims, a_dims) = (x.dims(), a.dims());
    let ([batch, seq, d], [_, n]) = (x_dims.as_slice(), a_dims.as_slice()) else {
        return Err(OpError::shape(format!(
            "x must be [batch, seq, d] and a [d, n], got {} and {}",
            x.shape(),
            a.shape()
        )));
    };
    let state_dims = [batch, d, n].map(Dim::clone);
    let check = |name: &str, t: &Tensor, dims: &[&Dim]| {
        let expected: Vec<Dim> = dims.iter().map(|&d| d.clone()).collect();
        OpError::check_same(
            name,
            &t.shape(),
            "an operand that fits x and a",
            &Shape::from_dims(&expected, x.dtype()),
        )
    };
    check("delta", delta, &[batch, seq, d])?;
    check("a", a, &[d, n])?;
    check("b", b, &[batch, seq, n])?;
    check("c", c, &[batch, seq, n])?;
    state.map_or(Ok(()), |t| check("state", t, &[batch, d, n]))?;
    skip.map_or(Ok(()), |t| check("skip", t, &[d]))?;

    let by_step = |t: &Tensor| t.widened().transpose(&[1, 0, 2]);
    let initial = match state {
        Some(state) => state.widened(),
        None => x.widened().scalar_like(0.0).broadcast_to(&state_dims),
    };
    let operands =
        ScanOperands { consts: &[a.widened()], carry: &[initial], xs: &[x, delta, b, c].map(by_step) };
    let results =
        x.builder().scan(operands, seq.clone(), false, &|_: &Builder, values| step(values, &state_dims));
    let [last, y] =
        <[Tensor; 2]>::try_from(results).map_err(|_| OpError::shape("the scan must return two results"))?;
    let y = y.transpose(&[1, 0, 2]);
    let y = match skip {
        Some(skip) => y + x.widened() * skip.widened(),
        None => y,
    };
    Ok([y, last].map(|t| t.convert(x.dtype())))
}

/// One step: maps (a, h, x, delta, b, c) to (next h, y).
fn step(values: &[Tensor], state_dims: &[Dim]) -> Vec<Tensor> {
    let [a, h, x, delta, b, c] = values else { return Vec::new() };
    let channels = |t: &Tensor| t.broadcast_in_dim(state_dims, &[0, 1]);
    let numbers = |t: &Tensor| t.broadcast_in_dim(state_dims, &[0, 2]);
    let decay = (channels(delta) * a.broadcast_in_dim(state_dims, &[1, 2])).exp();
    let next = decay * h + channels(&(delta * x)) * numbers(b);
    let y = (&next * numbers(c)).reduce(ReduceOp::Sum, &[2], false);
    vec![next, y]
}

impl Tensor {
    /// The selective state space applied to this sequence `[batch, seq, d]`, from a zero state.
    #[track_caller]
    pub fn selective_scan(
        &self,
        delta: &Tensor,
        a: &Tensor,
        b: &Tensor,
        c: &Tensor,
        skip: Option<&Tensor>,
    ) -> Tensor {
        let operands: Vec<&Tensor> = [delta, a, b, c].into_iter().chain(skip).collect();
        self.apply(Op::SelectiveScan {}, &operands)
    }
}
