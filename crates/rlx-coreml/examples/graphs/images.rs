//! Images of other sizes, and blocks of elements as channels or images.

use super::{Example, example, floats, with_values};
use rlx_coreml::Opset;
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Literal, Op, Tensor, UnaryOp};

pub(super) fn all() -> Vec<Example> {
    [blocks(), sizes()].into_iter().flatten().collect()
}

fn dims(list: &[usize]) -> Vec<Dim> {
    list.iter().map(|&n| Dim::Static(n)).collect()
}

/// Rearranges elements in blocks: a reshape, a transpose and a reshape.
fn moved(x: &Tensor, split: &[usize], perm: &[usize], whole: &[usize]) -> Tensor {
    x.reshape(&dims(split)).transpose(perm).reshape(&dims(whole))
}

fn blocks() -> Vec<Example> {
    vec![
        example("pixel_shuffle", "transpose", &[2, 12, 3, 5], &[], |x, _| {
            moved(x, &[2, 3, 2, 2, 3, 5], &[0, 1, 4, 2, 5, 3], &[2, 3, 6, 10])
        }),
        example("pixel_unshuffle", "transpose", &[2, 3, 6, 10], &[], |x, _| {
            moved(x, &[2, 3, 3, 2, 5, 2], &[0, 1, 3, 5, 2, 4], &[2, 12, 3, 5])
        })
        .since(Opset::Ios16),
        example("depth_to_space", "transpose", &[2, 12, 3, 5], &[], |x, _| {
            moved(x, &[2, 2, 2, 3, 3, 5], &[0, 3, 4, 1, 5, 2], &[2, 3, 6, 10])
        }),
        example("space_to_depth", "transpose", &[2, 3, 6, 10], &[], |x, _| {
            moved(x, &[2, 3, 3, 2, 5, 2], &[0, 3, 5, 1, 2, 4], &[2, 12, 3, 5])
        }),
        example("space_to_batch", "transpose", &[2, 3, 5, 8], &[], |x, _| {
            let low = vec![0, 0, 1, 0];
            let op = Op::Pad { low, high: vec![0, 0, 0, 2], interior: vec![0; 4] };
            let padded = x.apply(op, &[&x.scalar_like(0.0)]);
            moved(&padded, &[2, 3, 3, 2, 2, 5], &[3, 5, 0, 1, 2, 4], &[20, 3, 3, 2])
        }),
        example("batch_to_space", "transpose", &[12, 3, 4, 5], &[], |x, _| {
            let whole = moved(x, &[2, 3, 2, 3, 4, 5], &[2, 3, 4, 0, 5, 1], &[2, 3, 8, 15]);
            whole.slice_axis(2, 1, 8).slice_axis(3, 2, 14)
        }),
        example("crop", "slice_by_index", &[2, 3, 6, 10], &[], |x, _| {
            x.slice_axis(2, 1, 5).slice_axis(3, 2, 9)
        }),
    ]
}

/// Interpolates along an axis between the elements before and after each position, by the distance from the first.
fn between(x: &Tensor, axis: usize, places: &[f64]) -> Tensor {
    let last = x.dim(axis).as_static().unwrap() as i32 - 1;
    let taken = |list: Vec<i32>| {
        let list = x.builder().constant(Literal::new(&[list.len()], &list).unwrap());
        x.apply(Op::Take { axis }, &[&list])
    };
    let before = taken(places.iter().map(|place| *place as i32).collect());
    let after = taken(places.iter().map(|place| (*place as i32 + 1).min(last)).collect());
    let rest: Vec<f32> = places.iter().map(|place| place.fract() as f32).collect();
    let rest = x.builder().constant(Literal::new(&[rest.len()], &rest).unwrap());
    let rest = rest.broadcast_in_dim(&before.dims(), &[axis]);
    before.binary(BinaryOp::Add, &after.binary(BinaryOp::Sub, &before).binary(BinaryOp::Mul, &rest))
}

/// Returns positions for a larger axis, with aligned ends.
fn aligned(from: usize, to: usize) -> Vec<f64> {
    (0..to).map(|i| i as f64 * (from as f64 - 1.0) / (to as f64 - 1.0)).collect()
}

/// Returns positions for another axis, with aligned centers.
fn middles(from: usize, to: usize) -> Vec<f64> {
    let place = |i: usize| ((i as f64 + 0.5) * from as f64 / to as f64 - 0.5).clamp(0.0, from as f64 - 1.0);
    (0..to).map(place).collect()
}

fn sizes() -> Vec<Example> {
    let taken = |x: &Tensor, axis: usize, from: usize, to: usize| {
        let list: Vec<i32> = (0..to).map(|i| (i * from / to) as i32).collect();
        x.apply(Op::Take { axis }, &[&x.builder().constant(Literal::new(&[to], &list).unwrap())])
    };
    vec![
        example("upsample_nearest_neighbor", "tile", &[2, 3, 4, 5], &[], |x, _| {
            x.broadcast_in_dim(&dims(&[2, 3, 4, 2, 5, 3]), &[0, 1, 2, 4]).reshape(&dims(&[2, 3, 8, 15]))
        }),
        example("resize_nearest_neighbor", "gather", &[2, 3, 4, 5], &[], move |x, _| {
            taken(&taken(x, 2, 4, 7), 3, 5, 3)
        }),
        example("upsample_bilinear", "gather", &[2, 3, 4, 5], &[], |x, _| {
            between(&between(x, 2, &aligned(4, 8)), 3, &aligned(5, 15))
        })
        .since(Opset::Ios16),
        example("resize_bilinear", "gather", &[2, 3, 4, 5], &[], |x, _| {
            between(&between(x, 2, &middles(4, 7)), 3, &middles(5, 9))
        }),
        example("resize", "gather", &[2, 3, 4, 5], &[], |x, _| {
            between(&between(&between(x, 1, &middles(3, 5)), 2, &middles(4, 7)), 3, &middles(5, 9))
        })
        .since(Opset::Ios17),
        with_values(
            "resample",
            "gather_along_axis",
            floats(0, &[2, 3, 4, 5]),
            vec![floats(3, &[2, 3, 6, 2])],
            sampled,
        ),
        with_values(
            "affine",
            "gather_along_axis",
            floats(0, &[2, 3, 4, 5]),
            vec![Literal::new(&[1, 6], &[0.75f32, 0.25, 0.125, -0.5, 1.0, 0.25]).unwrap()],
            transformed,
        ),
    ]
}

/// Samples an image at positions (x, y).
fn sampled(x: &Tensor, p: &[Tensor]) -> Tensor {
    let axis = |n: usize| p[0].slice_axis(3, n, n + 1).squeeze(3);
    around(x, &axis(1), &axis(0))
}

/// Samples an image at the positions to which a matrix `[1, 6]` maps those of the result between −1 and 1.
fn transformed(x: &Tensor, p: &[Tensor]) -> Tensor {
    let (high, wide) = (3, 6);
    let grid = dims(&[2, high, wide]);
    let steps = |count: usize, axis: usize| {
        let places: Vec<f32> =
            (0..count).map(|i| (2.0 * i as f64 / (count as f64 - 1.0) - 1.0) as f32).collect();
        x.builder().constant(Literal::new(&[count], &places).unwrap()).broadcast_in_dim(&grid, &[axis])
    };
    let (across, down) = (steps(wide, 2), steps(high, 1));
    let item = |n: usize| {
        p[0].slice_axis(1, n, n + 1).reshape(&dims(&[1])).reshape(&[]).broadcast_in_dim(&grid, &[])
    };
    let line = |n: usize| &(&item(n) * &across) + &(&item(n + 1) * &down) + &item(n + 2);
    let place = |x: &Tensor, size: f64| (x + 1.0) * 0.5 * (size - 1.0) - 0.0;
    around(x, &place(&line(3), 4.0), &place(&line(0), 5.0))
}

/// Interpolates an image between the elements around each position; elements outside are 0.
fn around(x: &Tensor, rows: &Tensor, columns: &Tensor) -> Tensor {
    let [batch, channels, height, width] = x.shape().static_dims().unwrap()[..] else { panic!("no image") };
    let [_, high, wide] = rows.shape().static_dims().unwrap()[..] else { panic!("no places") };
    let flat = x.reshape(&dims(&[batch, channels, height * width]));
    let at = |row: &Tensor, column: &Tensor| {
        let inside = |x: &Tensor, size: usize| {
            x.binary(BinaryOp::Max, &x.scalar_like(0.0))
                .binary(BinaryOp::Min, &x.scalar_like(size as f64 - 1.0))
        };
        let (inner_row, inner_column) = (inside(row, height), inside(column, width));
        let whole = |x: &Tensor| x.convert(DType::I32);
        let line = whole(&inner_row).binary(BinaryOp::Mul, &whole(&inner_row).scalar_like(width as f64));
        let place = line.binary(BinaryOp::Add, &whole(&inner_column)).reshape(&dims(&[batch, high * wide]));
        let place = place.broadcast_in_dim(&dims(&[batch, channels, high * wide]), &[0, 2]);
        let found =
            flat.apply(Op::GatherAxis { axis: 2 }, &[&place]).reshape(&dims(&[batch, channels, high, wide]));
        let same = |a: &Tensor, b: &Tensor| a.compare(CompareOp::Eq, b);
        let there = same(row, &inner_row).binary(BinaryOp::And, &same(column, &inner_column));
        there.broadcast_in_dim(&found.dims(), &[0, 2, 3]).select(&found, &found.scalar_like(0.0))
    };
    let (top, left) = (rows.unary(UnaryOp::Floor), columns.unary(UnaryOp::Floor));
    let next = |x: &Tensor| x.binary(BinaryOp::Add, &x.scalar_like(1.0));
    let (bottom, right) = (next(&top), next(&left));
    let corners = [at(&top, &left), at(&top, &right), at(&bottom, &left), at(&bottom, &right)];
    let rest = |x: &Tensor, low: &Tensor| {
        x.binary(BinaryOp::Sub, low).broadcast_in_dim(&corners[0].dims(), &[0, 2, 3])
    };
    let (down, along) = (rest(rows, &top), rest(columns, &left));
    let mix = |a: &Tensor, b: &Tensor, by: &Tensor| {
        a.binary(BinaryOp::Add, &b.binary(BinaryOp::Sub, a).binary(BinaryOp::Mul, by))
    };
    mix(&mix(&corners[0], &corners[1], &along), &mix(&corners[2], &corners[3], &along), &down)
}
