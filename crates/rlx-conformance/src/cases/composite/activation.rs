//! Cases of activations.

use super::PRIMARY;
use crate::case::{Bound, Row};
use crate::data::Gen;
use rlx_ir::{Activation, DTypeSet, Named, Op};

const WIDE: Gen = Gen::Uniform(-6.0, 6.0);
const LIMITS: Gen = Gen::Values(&[0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY]);

const VANISHING: &str = "at −inf the result is −inf times a zero that may be rounded";

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for &kind in Activation::VARIANTS {
        let row = || Row::new(Op::Activation { kind }).note(kind.name());
        // Each function is tried on the part of its domain where it is not singular.
        let data = match kind {
            Activation::Log | Activation::Sqrt | Activation::Rsqrt => Gen::Uniform(0.1, 9.0),
            Activation::Recip => Gen::Uniform(0.5, 9.0),
            Activation::Tan => Gen::Uniform(-1.4, 1.4),
            _ => WIDE,
        };
        for sizes in [&[3, 11][..], &[2, 0], &[]] {
            rows.extend(bounded(
                matches!(kind, Activation::HardSwish | Activation::HardSigmoid),
                row,
                sizes,
                data,
            ));
        }
        rows.push(row().only(PRIMARY).x(&[257, 129], data));
        let limits = row().only(PRIMARY).x(&[10], LIMITS);
        let product =
            matches!(kind, Activation::Gelu | Activation::GeluTanh | Activation::Silu | Activation::Mish);
        rows.push(if product { limits.judged(PRIMARY, 0.8, VANISHING) } else { limits });
    }
    let others = [
        ("1.5", Op::Elu { alpha: 1.5 }),
        ("0.1", Op::LeakyRelu { slope: 0.1 }),
        ("both", Op::Clip { low: Some(-1.0), high: Some(2.0) }),
        ("low", Op::Clip { low: Some(0.0), high: None }),
        ("none", Op::Clip { low: None, high: None }),
        ("", Op::StopGradient {}),
    ];
    for (note, op) in others {
        let row = || Row::new(op.clone()).note(note);
        for sizes in [&[3, 11][..], &[2, 0], &[]] {
            rows.push(row().x(sizes, WIDE));
        }
        rows.push(row().only(PRIMARY).x(&[10], LIMITS));
    }
    let swiglu = || Row::new(Op::Swiglu {});
    rows.push(swiglu().x(&[3, 11], WIDE).x(&[3, 11], WIDE));
    rows.push(swiglu().x(&[2, 0], WIDE).x(&[2, 0], WIDE));
    rows.push(swiglu().only(PRIMARY).x(&[65, 129], WIDE).x(&[65, 129], WIDE));
    rows
}

/// Functions of complex numbers that compare them jump, so no error bound can be derived on rounded values.
fn bounded(orders: bool, row: impl Fn() -> Row, sizes: &[usize], data: Gen) -> Vec<Row> {
    if !orders {
        return vec![row().x(sizes, data)];
    }
    let others = DTypeSet::REAL.or(DTypeSet::BOOL);
    vec![
        row().only(others).x(sizes, data),
        row().only(DTypeSet::COMPLEX).within(Bound::Norm(8.0)).x(sizes, data),
    ]
}
