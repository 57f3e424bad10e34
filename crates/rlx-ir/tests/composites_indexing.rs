//! Indexing and rearranging composites, compared with NumPy, JAX and PyTorch.

mod composites_support;

use composites_support::*;
use rlx_ir::{DType, Dim, Literal, Shape};

#[test]
fn embedding_and_take_agree_with_numpy() {
    let inputs = [
        wave(&[4, 3], 0),
        i32s(&[2, 3], &[0, 3, 1, 2, 2, 0]),
        wave(&[3, 4, 2], 0),
        Literal::new(&[3, 2], &[3u8, 0, 1, 1, 2, 3]).expect("fits"),
    ];
    let out = run_symbolic(&inputs, &[2, 3, 4], |x| vec![x[0].embedding(&x[1]), x[2].take(&x[3], 1)]);
    check_golden(&out[0], "embedding");
    check_golden(&out[1], "take");
}

#[test]
fn indices_outside_move_to_the_nearest_end() {
    let inputs = [wave(&[3, 2], 0), i32s(&[2], &[-1, 7]), i32s(&[3, 1], &[-5, 9, 1])];
    let out = run(&inputs, |x| vec![x[0].embedding(&x[1]), x[0].gather(&x[2], 1)]);
    let x = wave_values(&[3, 2], 0);
    assert_eq!(values(&out[0]), [x[0], x[1], x[4], x[5]]);
    assert_eq!(values(&out[1]), [x[0], x[3], x[5]]);
}

#[test]
fn an_empty_table_and_no_ids_are_not_an_error() {
    let inputs = [f64s(&[0, 2], &[]), i32s(&[0], &[]), wave(&[3, 2], 0)];
    let out = run(&inputs, |x| vec![x[0].embedding(&x[1]), x[2].take(&x[1], 1), x[1].one_hot(3, DType::F64)]);
    assert_eq!(out.iter().map(Literal::dims).collect::<Vec<_>>(), [[0, 2], [3, 0], [0, 3]]);
}

#[test]
fn gather_and_scatter_add_agree_with_numpy_and_pytorch() {
    let rows = wave_values(&[3, 4, 2], 0).chunks(2).take(8).map(|pair| pair[0]).collect::<Vec<_>>();
    let inputs = [
        f64s(&[2, 4], &rows),
        i32s(&[2, 4], &[0, 2, 1, 1, 2, 2, 0, 1]),
        wave(&[3, 4, 2], 0),
        i32s(&[3], &[2, 0, 2]),
        wave(&[3, 3, 2], 1),
        wave(&[2, 4], 0),
        i32s(&[2, 4], &[1, 0, 1, 3, 3, 3, 3, 0]),
        wave(&[2, 4], 1),
    ];
    let out = run_symbolic(&inputs, &[2, 3, 4], |x| {
        vec![x[0].gather(&x[1], 1), x[2].scatter_add(1, &x[3], &x[4]), x[5].scatter_add(1, &x[6], &x[7])]
    });
    for (got, name) in out.iter().zip(["gather_axis", "scatter_add/slices", "scatter_add/elements"]) {
        check_golden(got, name);
    }
}

#[test]
fn updates_outside_add_nothing() {
    let inputs = [wave(&[3], 0), i32s(&[2], &[-1, 3]), wave(&[2], 1)];
    let out = run(&inputs, |x| vec![x[0].scatter_add(0, &x[1], &x[2])]);
    assert_eq!(out[0], inputs[0]);
}

#[test]
fn one_hot_agrees_with_jax_and_does_not_wrap() {
    let narrow = Literal::new(&[1], &[3u8]).expect("fits");
    let out = run_symbolic(&[i32s(&[2, 2], &[2, 0, 3, -1]), narrow], &[2], |x| {
        vec![x[0].one_hot(3, DType::F64), x[1].one_hot(300, DType::F64)]
    });
    check_golden(&out[0], "one_hot");
    assert_eq!(values(&out[1]).iter().sum::<f64>(), 1.0);
}

#[test]
fn tile_and_roll_agree_with_numpy() {
    let out = run_symbolic(&[wave(&[2, 3], 0), wave(&[3, 4, 2], 0)], &[2, 3, 4], |x| {
        vec![x[0].tile(&[2]), x[0].tile(&[2, 1, 3]), x[1].roll(&[1, -5, 4], &[0, 1, 2])]
    });
    for (got, name) in out.iter().zip(["tile/short", "tile/long", "roll"]) {
        check_golden(got, name);
    }
    let out = run_symbolic(&[f64s(&[0, 2], &[])], &[0], |x| vec![x[0].roll(&[3], &[0]), x[0].tile(&[0, 2])]);
    assert_eq!((out[0].dims(), out[1].dims()), (vec![0, 2], vec![0, 4]));
}

#[test]
fn expand_narrow_and_split_pick_what_they_say() {
    let out = run_symbolic(&[wave(&[5, 1], 0)], &[5], |x| {
        let expanded = x[0].expand(&[2.into(), x[0].dim(0), 3.into()]);
        let narrowed = x[0].narrow(0, 1, &x[0].dim(0) - 2);
        let mut parts = x[0].split(0, &[2.into(), &x[0].dim(0) - 2]);
        parts.extend([expanded, narrowed]);
        parts
    });
    let x = wave_values(&[5, 1], 0);
    assert_eq!(values(&out[0]), x[..2]);
    assert_eq!(values(&out[1]), x[2..]);
    assert_eq!(out[2].dims(), [2, 5, 3]);
    assert_eq!(values(&out[2])[15 + 4], x[1]);
    assert_eq!(values(&out[3]), x[1..4]);
}

#[test]
fn kv_append_writes_at_the_position_or_moves_back() {
    let inputs = [wave(&[2, 5, 2], 0), wave(&[2, 2, 2], 1), i32s(&[], &[2]), i32s(&[], &[4])];
    let out = run_symbolic(&inputs, &[2, 5], |x| {
        vec![x[0].kv_append(&x[1], &x[2], 1), x[0].kv_append(&x[1], &x[3], 1)]
    });
    check_golden(&out[0], "kv_append/inside");
    check_golden(&out[1], "kv_append/clamped");
}

#[test]
fn what_does_not_fit_is_refused() {
    let two = [Shape::new(&[4, 3], DType::F32), Shape::new(&[2], DType::I32)];
    let cases: [(&str, String); 7] = [
        ("the table must be [rows, d]", refusal(&two, |x| vec![x[1].embedding(&x[1])])),
        (
            "indices i32[2] must have the dimensions of x f32[4,3]",
            refusal(&two, |x| vec![x[0].gather(&x[1], 1)]),
        ),
        ("updates must be f32[2,3]", refusal(&two, |x| vec![x[0].scatter_add(0, &x[1], &x[0])])),
        ("the sizes add up to 5", refusal(&two, |x| vec![x[0].split(0, &[2.into(), 3.into()])[0].clone()])),
        ("got 1 shifts for 2 axes", refusal(&two, |x| vec![x[0].roll(&[1], &[0, 1])])),
        ("is not inside axis 0 of size 4", refusal(&two, |x| vec![x[0].narrow(0, 2, Dim::Static(3))])),
        ("new i32[2] must have the element type", refusal(&two, |x| vec![x[0].kv_append(&x[1], &x[1], 0)])),
    ];
    for (expected, text) in cases {
        assert!(text.contains(expected), "{text}");
    }
}
