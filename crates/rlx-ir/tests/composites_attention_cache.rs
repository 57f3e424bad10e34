//! Attention over the first rows of caches, and appending to caches, compared with JAX.

mod composites_support;

use composites_support::*;
use rlx_ir::{AttentionOptions, DType, Dim, Literal, MaskKind, QuantScheme, Shape, Tensor};

const LENGTHS: [i32; 3] = [0, 5, 2];

fn qkv() -> [Literal; 3] {
    [wave(&[3, 4, 3, 2], 0), wave(&[3, 2, 5, 2], 1), wave(&[3, 2, 5, 2], 2)]
}

/// The same tensors with `value` in the rows of k and v that do not count.
fn poisoned(value: f64) -> [Literal; 3] {
    let [q, k, v] = qkv();
    let poison = |x: Literal| {
        let beyond = |i: usize| i / 2 % 5 >= LENGTHS[i / 20] as usize;
        let values = values(&x).into_iter().enumerate().map(|(i, x)| if beyond(i) { value } else { x });
        f64s(&x.dims(), &values.collect::<Vec<_>>())
    };
    [q, poison(k), poison(v)]
}

fn masked(mask: MaskKind) -> AttentionOptions {
    AttentionOptions { mask, ..Default::default() }
}

const WINDOW: AttentionOptions = AttentionOptions {
    num_heads: None,
    num_kv_heads: None,
    scale: None,
    mask: MaskKind::SlidingWindow,
    window: Some(2),
    softcap: None,
    kv_scheme: None,
};

/// All masks on q, k, v, lengths and a padding mask.
fn every_mask(x: &[Tensor]) -> Vec<Tensor> {
    let over = |mask_values, options| x[0].attention_cached(&x[1], &x[2], &x[3], mask_values, options);
    let keep = x[4].not_equal(&x[4].scalar_like(0.0));
    let bias = keep.select(&x[4].scalar_like(0.0), &x[4].scalar_like(f64::NEG_INFINITY));
    vec![
        over(None, Default::default()),
        over(None, masked(MaskKind::Causal)),
        over(None, WINDOW),
        over(Some(&keep), masked(MaskKind::Custom)),
        over(Some(&bias), masked(MaskKind::Bias)),
    ]
}

const NAMES: [&str; 5] = [
    "attention/lengths",
    "attention/lengths_causal",
    "attention/lengths_window",
    "attention/lengths_padding",
    "attention/lengths_padding",
];

fn padding() -> Literal {
    f64s(&[3, 5], &[1., 1., 1., 1., 1., 1., 0., 1., 1., 0., 0., 0., 1., 1., 1.])
}

#[test]
fn only_the_first_rows_of_each_sequence_count() {
    for value in [0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let [q, k, v] = poisoned(value);
        let inputs = [q, k, v, i32s(&[3], &LENGTHS), padding()];
        for (got, name) in run_symbolic(&inputs, &[3, 5], every_mask).iter().zip(NAMES) {
            check_golden(got, name);
        }
    }
}

#[test]
fn what_the_mask_says_of_other_rows_does_not_count() {
    let [q, k, v] = qkv();
    let odd: Vec<f64> =
        (0..15).map(|i| if i % 5 >= LENGTHS[i / 5] as usize { f64::NAN } else { 0.0 }).collect();
    let out = run(&[q, k, v, i32s(&[3], &LENGTHS), f64s(&[3, 5], &odd)], |x| {
        vec![x[0].attention_cached(&x[1], &x[2], &x[3], Some(&x[4]), masked(MaskKind::Bias))]
    });
    check_golden(&out[0], "attention/lengths");
}

#[test]
fn operands_of_rank_three_are_caches_too() {
    let [q, k, v] = poisoned(f64::NAN);
    let inputs = [q, k, v, i32s(&[3], &LENGTHS)];
    let out = run_symbolic(&inputs, &[5], |x| {
        let merged = |x: &Tensor, seq: usize, width: usize| {
            let seq = x.dim(2).as_static().map_or_else(|| x.dim(2), |_| Dim::Static(seq));
            x.transpose(&[0, 2, 1, 3]).reshape(&[3.into(), seq, width.into()])
        };
        let options =
            AttentionOptions { num_heads: Some(4), num_kv_heads: Some(2), ..masked(MaskKind::Causal) };
        let (k, v) = (merged(&x[1], 5, 4), merged(&x[2], 5, 4));
        let out = merged(&x[0], 3, 8).attention_cached(&k, &v, &x[3], None, options);
        let split = out.reshape(&[3, 3, 4, 2].map(Dim::Static));
        vec![split.transpose(&[0, 2, 1, 3])]
    });
    check_golden(&out[0], "attention/lengths_causal");
}

#[test]
fn lengths_are_limited_to_the_capacity() {
    let same = [
        Literal::new(&[3], &[-7i8, 100, 2]).expect("fits"),
        Literal::new(&[3], &[i64::MIN, i64::MAX, 2]).expect("fits"),
        Literal::new(&[3], &[0u64, u64::MAX, 2]).expect("fits"),
        Literal::new(&[3], &[0u32, u32::MAX, 2]).expect("fits"),
    ];
    for lengths in same {
        let [q, k, v] = qkv();
        let out = run(&[q, k, v, lengths], |x| {
            vec![x[0].attention_cached(&x[1], &x[2], &x[3], None, masked(MaskKind::Causal))]
        });
        check_golden(&out[0], "attention/lengths_causal");
    }
}

#[test]
fn one_length_may_count_for_all_sequences() {
    let [q, k, v] = qkv();
    let out = run_symbolic(&[q, k, v, i32s(&[], &[2]), i32s(&[3], &[2; 3])], &[3, 5], |x| {
        let over = |n: &Tensor| x[0].attention_cached(&x[1], &x[2], n, None, masked(MaskKind::Causal));
        let first = x[1].slice_axis(2, 0, 2);
        let cut = x[0].attention(&first, &x[2].slice_axis(2, 0, 2), None, masked(MaskKind::Causal));
        vec![over(&x[3]), over(&x[4]), cut]
    });
    assert_eq!(out[0], out[1]);
    check(&out[0], (out[2].dims(), values(&out[2])), 1e-15);
}

#[test]
fn keys_and_values_may_be_stored_in_narrower_floats() {
    let [q, k, v] = poisoned(f64::NAN);
    for (of_k, of_v) in [(DType::F16, DType::F16), (DType::BF16, DType::BF16), (DType::F16, DType::F32)] {
        let out = run(&[q.clone(), k.clone(), v.clone(), i32s(&[3], &LENGTHS)], |x| {
            let (k, v) = (x[1].convert(of_k), x[2].convert(of_v));
            let over = |q: &Tensor| q.attention_cached(&k, &v, &x[3], None, masked(MaskKind::Causal));
            // These numbers are exact in every type.
            vec![over(&x[0]), over(&x[0].convert(DType::F32)), over(&x[0].convert(DType::BF16))]
        });
        let types: Vec<DType> = out.iter().map(Literal::dtype).collect();
        assert_eq!(types, [DType::F64, DType::F32, DType::BF16]);
        check_golden(&out[0], "attention/lengths_causal");
        check(&out[1], golden("attention/lengths_causal"), 1e-6);
        // Only the result is rounded, to 8 bits.
        check(&out[2], golden("attention/lengths_causal"), 2f64.powi(-8));
    }
}

#[test]
fn keys_and_values_may_be_packed() {
    for (scheme, name) in [(QuantScheme::Q8_0, "attention/q8_0"), (QuantScheme::Q4_0, "attention/q4_0")] {
        let width = scheme.block_bytes();
        let packed = |seed: usize| {
            let mut bytes: Vec<u8> = (0..30 * width).map(|i| ((i * 37 + 11 + seed) % 256) as u8).collect();
            for (i, block) in bytes.chunks_mut(width).enumerate() {
                // (1 … 7) / 64 as f16.
                let scale = [0x2400u16, 0x2800, 0x2a00, 0x2c00, 0x2d00, 0x2e00, 0x2f00][(i + seed) % 7];
                block[..2].copy_from_slice(&scale.to_le_bytes());
            }
            Literal::new(&[3, 2, 5, width], &bytes).expect("fits")
        };
        let q: Vec<f64> = wave_values(&[3, 4, 3, 32], 0).iter().map(|x| x / 8.0).collect();
        let inputs = [f64s(&[3, 4, 3, 32], &q), packed(1), packed(2), i32s(&[3], &LENGTHS)];
        let options = AttentionOptions { kv_scheme: Some(scheme), ..masked(MaskKind::Causal) };
        let out = run_symbolic(&inputs, &[3, 5], |x| {
            vec![x[0].attention_cached(&x[1], &x[2], &x[3], None, options)]
        });
        check_golden(&out[0], name);
    }
}

#[test]
fn appending_writes_at_the_position_of_each_sequence() {
    let inputs = [wave(&[2, 5, 2], 0), wave(&[2, 2, 2], 1), i32s(&[2], &[0, 3]), i32s(&[2], &[-2, 4])];
    let out = run_symbolic(&inputs, &[2, 5], |x| {
        vec![x[0].kv_append(&x[1], &x[2], 1), x[0].kv_append(&x[1], &x[3], 1)]
    });
    check_golden(&out[0], "kv_append/each_inside");
    check_golden(&out[1], "kv_append/each_clamped");
    // 300 does not fit the type of these positions.
    let narrow = Literal::new(&[2], &[-2i8, 127]).expect("fits");
    let wide = Literal::new(&[2], &[u64::MIN, u64::MAX]).expect("fits");
    let out = run(&[wave(&[2, 300, 2], 0), wave(&[2, 200, 2], 1), narrow, wide], |x| {
        vec![x[0].kv_append(&x[1], &x[2], 1), x[0].kv_append(&x[1], &x[3], 1)]
    });
    assert_eq!(out[0], out[1]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let q = Shape::new(&[3, 4, 3, 2], DType::F32);
    let shapes = |len: Shape| [q.clone(), len];
    let plain = AttentionOptions::default();
    let over = |len: Shape, options| {
        refusal(&shapes(len), |x| vec![x[0].attention_cached(&x[0], &x[0], &x[1], None, options)])
    };
    let text = over(Shape::new(&[2], DType::I32), plain);
    assert!(text.contains("one length for each of the 3 sequences, got i32[2]"), "{text}");
    let text = over(Shape::new(&[3, 1], DType::I32), plain);
    assert!(text.contains("kv_len must be a scalar or"), "{text}");
    let text = over(Shape::new(&[3], DType::F32), plain);
    assert!(text.contains("takes no mask or bias tensor, and only kv_len"), "{text}");
    let packed = AttentionOptions { kv_scheme: Some(QuantScheme::Q8_0), ..plain };
    let text = over(Shape::new(&[3], DType::I32), packed);
    assert!(text.contains("bytes has element type f32, expected u8"), "{text}");
    let cache =
        [Shape::new(&[2, 5, 2], DType::F32), Shape::new(&[2], DType::I32), Shape::new(&[3], DType::I32)];
    let text = refusal(&cache, |x| vec![x[0].kv_append(&x[0], &x[2], 1)]);
    assert!(text.contains("one for each entry of axis 0 of the cache f32[2,5,2], got i32[3]"), "{text}");
    let text = refusal(&cache, |x| vec![x[0].kv_append(&x[0], &x[1], 0)]);
    assert!(text.contains("where axis 0 is not the first"), "{text}");
}
