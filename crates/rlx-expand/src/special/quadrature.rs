//! Tails of bell-shaped densities by Gauss–Legendre quadrature (DLMF 3.5.v), on panels that double in width away from the tail's
//! edge.

use super::by_type;
use crate::build::Expression;
use crate::looping::{counted, slice_at};
use rlx_ir::{DType, Literal, Tensor};

/// Nodes and weights on [0, 1], by Newton's method on the Legendre polynomial.
fn rule(nodes: usize) -> Vec<(f64, f64)> {
    let n = nodes as f64;
    let polynomial = |x: f64| {
        let (mut previous, mut current) = (1.0, x);
        for k in 2..=nodes {
            let k = k as f64;
            (previous, current) = (current, ((2.0 * k - 1.0) * x * current - (k - 1.0) * previous) / k);
        }
        (current, n * (x * current - previous) / (x * x - 1.0))
    };
    let root = |i: usize| {
        let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5)).cos();
        for _ in 0..8 {
            let (value, slope) = polynomial(x);
            x -= value / slope;
        }
        let slope = polynomial(x).1;
        ((x + 1.0) / 2.0, 1.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..nodes).map(root).collect()
}

/// Positions in units of the first panel, and their weights.
fn places(dtype: DType) -> Vec<(f64, f64)> {
    let (nodes, panels) = by_type(dtype, (10, 6), (20, 7));
    let mut all = Vec::new();
    let (mut start, mut width) = (0.0, 1.0);
    for panel in 0..panels {
        all.extend(rule(nodes).into_iter().map(|(x, w)| (start + width * x, width * w)));
        start += width;
        if panel > 0 {
            width *= 2.0;
        }
    }
    all
}

/// ∫₀^limit e^h(u) du for a concave h that decreases from h(0) = 0 by about one over `width`. `h` takes the position, and the
/// values of the surrounding graph that it needs.
pub(super) fn tail(
    width: &Tensor,
    limit: &Tensor,
    operands: &[Tensor],
    h: &dyn Fn(&Tensor, &[Tensor]) -> Tensor,
) -> Tensor {
    let (b, dtype) = (width.builder(), width.dtype());
    let places = places(dtype);
    let reach = by_type(dtype, 32.0, 64.0);
    let table = |list: Vec<f64>| match dtype {
        DType::F64 => Literal::new(&[list.len()], &list),
        _ => Literal::new(&[list.len()], &list.iter().map(|&x| x as f32).collect::<Vec<_>>()),
    };
    let constant = |list| match table(list) {
        Ok(literal) => b.constant(literal),
        Err(e) => b.error("quadrature", e.to_string()),
    };
    let at = constant(places.iter().map(|p| p.0).collect());
    let weights = constant(places.iter().map(|p| p.1).collect());
    let panel = (width * reach).minimum(limit) * (1.0 / reach);
    let count = b.int(places.len() as i64, DType::I32);
    let state = [&[at, weights, panel.clone(), panel.filled(0.0)][..], operands].concat();
    let done = counted(&count, &state, &|i, state| {
        let (fixed, operands) = state.split_at(4);
        let [at, weights, panel, sum] = fixed else { return Vec::new() };
        let of = |table: &Tensor| slice_at(table, 0, i).squeeze(0);
        let value = h(&(panel * of(at)), operands).exp();
        let next = [at.clone(), weights.clone(), panel.clone(), sum + value * of(weights)];
        [&next[..], operands].concat()
    });
    done.get(3).map_or(panel.clone(), |sum| sum * &panel)
}
