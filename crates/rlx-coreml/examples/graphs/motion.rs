//! What moves elements: windows, bands, sequences, indices.

use super::{Example, example, floats, places, with_values};
use rlx_ir::{BinaryOp, CompareOp, Literal, Op};

pub(super) fn all() -> Vec<Example> {
    vec![
        example("sliding_windows", "gather", &[2, 9, 3], &[], |x, _| {
            let list: Vec<i32> = (0..3).flat_map(|window| (0..4).map(move |i| 2 * window + i)).collect();
            x.apply(Op::Take { axis: 1 }, &[&x.builder().constant(Literal::new(&[3, 4], &list).unwrap())])
        }),
        example("band_part", "select", &[2, 4, 6], &[], |x, _| {
            let below = places(x, 1).binary(BinaryOp::Sub, &places(x, 2));
            let inside = below.compare(CompareOp::Le, &below.scalar_like(1.0));
            let near = inside.select(x, &x.scalar_like(0.0));
            below.compare(CompareOp::Ge, &below.scalar_like(-2.0)).select(&near, &x.scalar_like(0.0))
        }),
        with_values(
            "reverse_sequence",
            "gather_along_axis",
            floats(0, &[3, 5, 2]),
            vec![Literal::new(&[3], &[2i32, 5, 0]).unwrap()],
            |x, p| {
                let lengths = p[0].broadcast_in_dim(&x.dims(), &[0]);
                let at = places(x, 1);
                let turned = lengths.binary(BinaryOp::Sub, &at).binary(BinaryOp::Sub, &at.scalar_like(1.0));
                let inside = at.compare(CompareOp::Lt, &lengths);
                x.apply(Op::GatherAxis { axis: 1 }, &[&inside.select(&turned, &at)])
            },
        ),
    ]
}
