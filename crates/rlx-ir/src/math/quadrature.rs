//! Tail integrals of log-concave functions by Gauss–Legendre quadrature (DLMF 3.5.v).
//!
//! For large parameters the incomplete gamma and beta functions are tails of bell-shaped densities. The
//! integrand falls steadily away from the tail's edge and all of it is positive, so a plain composite rule
//! gives the tail relative to the density at its edge, uniformly up to the largest parameters.

use std::sync::OnceLock;

const NODES: usize = 24;
const PANELS: usize = 6;

/// `∫₀^∞ e^{h(u)} du` for a concave `h` with `h(0) = 0` that never rises (`limit` bounds the support).
///
/// `first` is a width over which `h` changes by about one.
pub(super) fn decaying_tail(first: f64, limit: f64, h: impl Fn(f64) -> f64) -> f64 {
    let mut width = first.min(limit);
    while width < limit && h(width) > -40.0 {
        width = (width * 1.5).min(limit);
    }
    let panel = width / PANELS as f64;
    let mut sum = 0.0;
    for p in 0..PANELS {
        for (node, weight) in legendre_rule() {
            let u = panel * (p as f64 + (node + 1.0) / 2.0);
            sum += weight * libm::exp(h(u));
        }
    }
    sum * panel / 2.0
}

/// Nodes and weights on `[-1, 1]`, by Newton's method on the Legendre polynomial.
fn legendre_rule() -> &'static [(f64, f64)] {
    static RULE: OnceLock<Vec<(f64, f64)>> = OnceLock::new();
    RULE.get_or_init(|| {
        let n = NODES as f64;
        let rule = |i: usize| {
            let mut x = libm::cos(std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5));
            for _ in 0..8 {
                let (value, slope) = legendre(x);
                x -= value / slope;
            }
            let (_, slope) = legendre(x);
            (x, 2.0 / ((1.0 - x * x) * slope * slope))
        };
        (0..NODES).map(rule).collect()
    })
}

/// The Legendre polynomial of degree [`NODES`] and its derivative (DLMF 18.9.1, 18.9.17).
fn legendre(x: f64) -> (f64, f64) {
    let (mut previous, mut current) = (1.0, x);
    for k in 2..=NODES {
        let k = k as f64;
        (previous, current) = (current, ((2.0 * k - 1.0) * x * current - (k - 1.0) * previous) / k);
    }
    (current, NODES as f64 * (x * current - previous) / (x * x - 1.0))
}
