//! Cases of ops without tensor operands, and of dimension sizes.

use super::dims;
use crate::case::Row;
use crate::data::Gen;
use crate::stream::Stream;
use rlx_ir::{Op, Shape};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for sizes in [&[][..], &[0], &[5], &[2, 3], &[1031]] {
        rows.push(
            Row::of(move |dtype| {
                let shape = Shape::new(sizes, dtype);
                // INVARIANT: the shape is static.
                let value = Gen::Special.literal(&shape, &mut Stream::new(3)).expect("a static shape");
                Op::Constant { value }
            })
            .note(format!("{sizes:?}")),
        );
    }
    for (sizes, axis) in
        [(&[7][..], 0), (&[0], 0), (&[3, 5], 0), (&[3, 5], 1), (&[2, 0, 3], 2), (&[300], 0), (&[5, 257], 1)]
    {
        rows.push(
            Row::of(move |dtype| Op::Iota { shape: Shape::from_dims(&dims(sizes), dtype), axis })
                .note(format!("{sizes:?} axis {axis}")),
        );
    }
    for (sizes, axis) in [(&[4][..], 0), (&[3, 0, 5], 1), (&[3, 0, 5], 2), (&[9, 131], 1)] {
        rows.push(
            Row::new(Op::DimSize { axis }).note(format!("axis {axis}")).x(sizes, Gen::Uniform(-1.0, 1.0)),
        );
    }
    rows
}
