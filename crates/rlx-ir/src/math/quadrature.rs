//! Tail integrals of log-concave functions by Gauss–Legendre quadrature (DLMF 3.5.v).
//!
//! For large parameters the incomplete gamma and beta functions are tails of bell-shaped densities. The integrand is positive and
//! decreases steadily away from the edge of the tail, so a plain composite rule computes the tail relative to the density at its
//! edge, uniformly up to the largest parameters.

const NODES: usize = 24;
const PANELS: usize = 6;

/// `∫₀^∞ e^{h(u)} du` for a concave, non-increasing `h` with `h(0) = 0`; `limit` bounds the support.
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
        for (node, weight) in RULE {
            let u = panel * (p as f64 + (node + 1.0) / 2.0);
            sum += weight * libm::exp(h(u));
        }
    }
    sum * panel / 2.0
}

/// Nodes and weights on `[-1, 1]`.
static RULE: [(f64, f64); NODES] = legendre_rule();

/// The rule by Newton's method on the Legendre polynomial, whose roots are symmetric.
const fn legendre_rule() -> [(f64, f64); NODES] {
    let mut rule = [(0.0, 0.0); NODES];
    let mut i = 0;
    while i < NODES.div_ceil(2) {
        let mut x = near_cosine(core::f64::consts::PI * (i as f64 + 0.75) / (NODES as f64 + 0.5));
        let mut round = 0;
        while round < 8 {
            let (value, slope) = legendre(x);
            x -= value / slope;
            round += 1;
        }
        let (_, slope) = legendre(x);
        let weight = 2.0 / ((1.0 - x * x) * slope * slope);
        rule[i] = (x, weight);
        rule[NODES - 1 - i] = (-x, weight);
        i += 1;
    }
    rule
}

/// The cosine from 0 to π/2, to three digits (Bhāskara).
const fn near_cosine(x: f64) -> f64 {
    let square = core::f64::consts::PI * core::f64::consts::PI;
    (square - 4.0 * x * x) / (square + x * x)
}

/// The Legendre polynomial of degree [`NODES`] and its derivative (DLMF 18.9.1, 18.9.17).
const fn legendre(x: f64) -> (f64, f64) {
    let (mut previous, mut current) = (1.0, x);
    let mut degree = 2;
    while degree <= NODES {
        let k = degree as f64;
        (previous, current) = (current, ((2.0 * k - 1.0) * x * current - (k - 1.0) * previous) / k);
        degree += 1;
    }
    (current, NODES as f64 * (x * current - previous) / (x * x - 1.0))
}
