//! Expands special functions of f32 and f64 into arithmetic and elementary functions, in the element type itself. Each module
//! cites its formulas by their numbers in the NIST Digital Library of Mathematical Functions (DLMF).

pub(crate) mod bessel;
pub(crate) mod beta;
mod chebyshev;
pub(crate) mod error;
pub(crate) mod gamma;
pub(crate) mod incomplete;
mod quadrature;
pub(crate) mod zeta;

use crate::build::{Expression, unsigned};
use rlx_ir::{Builder, DType, ReduceOp, Tensor};

/// The distance from 1 to the next larger number.
fn epsilon(dtype: DType) -> f64 {
    if dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) }
}

/// One of two values, depending on the precision of the type.
fn by_type<T>(dtype: DType, single: T, double: T) -> T {
    if dtype == DType::F64 { double } else { single }
}

/// A number as the sum of its leading bits and the rest. Products of two such halves are exact. Uses a mask, which no compiler
/// simplifies as arithmetic.
fn leading_and_rest(x: &Tensor) -> [Tensor; 2] {
    let (width, kept) = if x.dtype() == DType::F64 { (64, !((1i64 << 27) - 1)) } else { (32, 0xFFFF_F000) };
    let bits = x.bitcast(unsigned(width));
    let leading = bits.and(&bits.int_like(kept).spread(&bits)).bitcast(x.dtype());
    let rest = x - &leading;
    [leading, rest]
}

/// NaN in the shape of x.
fn nan(x: &Tensor) -> Tensor {
    x.filled(f64::NAN)
}

/// Repeats `step(n, state)` for n = 1, 2, … until every element is done, at most `limit` times. A step returns the next state,
/// and for each element whether there is more to do. An element that is done does not change any more: the factors 1 ± ε of
/// further steps would move it.
fn iterate(
    state: &[Tensor],
    limit: i64,
    step: &dyn Fn(&Tensor, &[Tensor]) -> (Vec<Tensor>, Tensor),
) -> Vec<Tensor> {
    let Some(first) = state.first() else { return Vec::new() };
    let (b, dtype) = (first.builder(), first.dtype());
    let active = b.int(1, DType::Bool).spread(first);
    let control = [b.scalar(1.0, dtype), b.int(1, DType::Bool), active];
    let more = |values: &[Tensor]| values[0].less_equal(&values[0].scalar_like(limit as f64)).and(&values[1]);
    let body = |_: &Builder, values: &[Tensor]| {
        let (control, state) = values.split_at(3);
        let [n, _, active] = control else { return Vec::new() };
        let (next, unfinished) = step(n, state);
        let kept = next
            .iter()
            .zip(state)
            .map(|(next, now)| if next.id() == now.id() { now.clone() } else { active.select(next, now) });
        let active = active.and(&unfinished);
        let axes: Vec<usize> = (0..active.rank()).collect();
        let any = active.reduce(ReduceOp::Or, &axes, false);
        [n + 1.0, any, active].into_iter().chain(kept).collect()
    };
    let done = b.while_loop(&[&control[..], state].concat(), &|_, values| vec![more(values)], &body);
    done.into_iter().skip(3).collect()
}
