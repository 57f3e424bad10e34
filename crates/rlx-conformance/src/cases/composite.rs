//! Composites: a decomposition gives their meaning, so the evaluator runs that; a backend that claims one is held to it.

use crate::case::Row;
use crate::data::Gen;
use rlx_ir::{Activation, DType, DTypeSet, Named, Op};

const PRIMARY: DTypeSet = DTypeSet::of(&[DType::F64, DType::F32, DType::F16, DType::BF16]);

pub(super) fn rows() -> Vec<Row> {
    let mut rows = activations();
    rows.extend(matmuls());
    for (sizes, axis) in [(&[7][..], 0), (&[3, 11], 1), (&[3, 11], 0), (&[2, 0], 0), (&[2, 3, 1], 2), (&[2, 3, 4], 1)] {
        let softmax = || Row::new(Op::Softmax { axis }).note(format!("axis {axis}"));
        rows.push(softmax().x(sizes, Gen::Uniform(-6.0, 6.0)));
        rows.push(softmax().only(PRIMARY).x(sizes, Gen::Uniform(-300.0, 300.0)));
        for keep_dims in [false, true] {
            let mean = Op::Mean { axes: vec![axis], keep_dims };
            rows.push(Row::new(mean).note(format!("axis {axis} {keep_dims}")).x(sizes, Gen::Uniform(0.25, 4.0)));
        }
    }
    rows.push(Row::new(Op::Softmax { axis: 1 }).only(PRIMARY).x(&[65, 257], Gen::Uniform(-6.0, 6.0)));
    rows.push(Row::new(Op::Mean { axes: vec![0, 2], keep_dims: false }).x(&[3, 4, 5], Gen::Uniform(0.25, 4.0)));
    rows
}

fn activations() -> Vec<Row> {
    let mut rows = Vec::new();
    for &kind in Activation::VARIANTS {
        let row = || Row::new(Op::Activation { kind }).note(kind.name());
        // Each function on the part of its domain where it is not singular.
        let data = match kind {
            Activation::Log | Activation::Sqrt | Activation::Rsqrt => Gen::Uniform(0.1, 9.0),
            Activation::Recip => Gen::Uniform(0.5, 9.0),
            Activation::Tan => Gen::Uniform(-1.4, 1.4),
            _ => Gen::Uniform(-6.0, 6.0),
        };
        for sizes in [&[3, 11][..], &[2, 0], &[]] {
            rows.push(row().x(sizes, data));
        }
        rows.push(row().only(PRIMARY).x(&[257, 129], data));
        rows.push(row().only(PRIMARY).x(&[10], Gen::Values(&[0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY])));
    }
    rows
}

fn matmuls() -> Vec<Row> {
    let shapes: [(&[usize], &[usize]); 9] = [
        (&[3, 5], &[5, 7]),
        (&[5], &[5, 3]),
        (&[3, 5], &[5]),
        (&[5], &[5]),
        (&[2, 3, 5], &[5, 4]),
        (&[2, 3, 5], &[2, 5, 4]),
        (&[3, 1, 2, 5], &[4, 5, 2]),
        (&[2, 0], &[0, 3]),
        (&[0, 4], &[4, 3]),
    ];
    let row = || Row::new(Op::Matmul {}).any_zero();
    let mut rows: Vec<Row> = shapes
        .into_iter()
        .map(|(lhs, rhs)| row().x(lhs, Gen::Quarters(-2, 2)).x(rhs, Gen::Quarters(-2, 2)))
        .collect();
    rows.push(row().only(PRIMARY).x(&[65, 129], Gen::Uniform(-1.0, 1.0)).x(&[129, 67], Gen::Uniform(-1.0, 1.0)));
    rows
}
