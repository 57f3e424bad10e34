//! Special functions of f32 and f64 numbers in arithmetic and elementary functions, in the element type itself. Each module states
//! its formulas by their numbers in the NIST Digital Library of Mathematical Functions (DLMF).

pub(crate) mod bessel;
pub(crate) mod beta;
mod chebyshev;
pub(crate) mod error;
pub(crate) mod gamma;
pub(crate) mod incomplete;
mod quadrature;
pub(crate) mod zeta;

use crate::build::Expression;
use rlx_ir::{Builder, DType, Reducer, Tensor};

/// The distance from 1 to the next larger number.
fn epsilon(dtype: DType) -> f64 {
    if dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) }
}

/// One of two numbers, by the precision of the type.
fn by_type<T>(dtype: DType, single: T, double: T) -> T {
    if dtype == DType::F64 { double } else { single }
}

/// NaN in the shape of x.
fn nan(x: &Tensor) -> Tensor {
    x.filled(f64::NAN)
}

/// Repeats `step(n, state)` for n = 1, 2, … while it asks for more, at most `limit` times. A step gives the next state and, as a
/// boolean of every element, whether that one is not done.
fn iterate(
    state: &[Tensor],
    limit: i64,
    step: &dyn Fn(&Tensor, &[Tensor]) -> (Vec<Tensor>, Tensor),
) -> Vec<Tensor> {
    let Some(first) = state.first() else { return Vec::new() };
    let (b, dtype) = (first.builder(), first.dtype());
    let control = [b.scalar(1.0, dtype), b.int(1, DType::Bool)];
    let more = |values: &[Tensor]| values[0].less_equal(&values[0].scalar_like(limit as f64)).and(&values[1]);
    let body = |_: &Builder, values: &[Tensor]| {
        let (next, unfinished) = step(&values[0], &values[2..]);
        let axes: Vec<usize> = (0..unfinished.rank()).collect();
        let control = [&values[0] + 1.0, unfinished.reduce(Reducer::Or, &axes, false)];
        [&control[..], &next].concat()
    };
    let done = b.while_loop(&[&control[..], state].concat(), &|_, values| vec![more(values)], &body);
    done.into_iter().skip(2).collect()
}
