//! Attention and rotary embeddings, compared with PyTorch and NumPy.

mod composites_support;

use composites_support::*;
use rlx_ir::{AttentionOptions, DType, Literal, MaskKind, Op, RopeStyle, Shape};

fn qkv() -> [Literal; 3] {
    [wave(&[2, 4, 3, 2], 0), wave(&[2, 4, 5, 2], 1), wave(&[2, 4, 5, 3], 2)]
}

fn masked(mask: MaskKind) -> AttentionOptions {
    AttentionOptions { mask, ..Default::default() }
}

#[test]
fn plain_and_scaled_attention_agree_with_pytorch() {
    let out = run_symbolic(&qkv(), &[2, 3, 4, 5], |x| {
        let scaled = AttentionOptions { scale: Some(0.3), ..Default::default() };
        vec![
            x[0].attention(&x[1], &x[2], None, Default::default()),
            x[0].attention(&x[1], &x[2], None, scaled),
        ]
    });
    check_golden(&out[0], "attention/plain");
    check_golden(&out[1], "attention/scale");
}

#[test]
fn grouped_queries_share_keys_and_values() {
    let inputs = [wave(&[2, 4, 3, 2], 0), wave(&[2, 2, 5, 2], 1), wave(&[2, 2, 5, 3], 2)];
    let out =
        run_symbolic(&inputs, &[3, 5], |x| vec![x[0].attention(&x[1], &x[2], None, Default::default())]);
    check_golden(&out[0], "attention/grouped");
}

#[test]
fn operands_of_rank_three_are_split_into_heads() {
    let inputs = [wave(&[2, 3, 8], 0), wave(&[2, 5, 4], 1), wave(&[2, 5, 4], 2)];
    let options = AttentionOptions { num_heads: Some(4), num_kv_heads: Some(2), ..Default::default() };
    let out = run_symbolic(&inputs, &[2, 3, 5], |x| vec![x[0].attention(&x[1], &x[2], None, options)]);
    check_golden(&out[0], "attention/rank3");
}

#[test]
fn causal_masks_align_at_the_end() {
    let out = run_symbolic(&qkv(), &[2, 3, 4, 5], |x| {
        let window =
            AttentionOptions { window: Some(2), softcap: Some(1.5), ..masked(MaskKind::SlidingWindow) };
        vec![
            x[0].attention(&x[1], &x[2], None, masked(MaskKind::Causal)),
            x[0].attention(&x[1], &x[2], None, window),
        ]
    });
    check_golden(&out[0], "attention/causal");
    check_golden(&out[1], "attention/window");
}

#[test]
fn queries_before_every_key_give_zeros() {
    let inputs = [wave(&[1, 2, 5, 2], 0), wave(&[1, 2, 3, 2], 1), wave(&[1, 2, 3, 2], 2)];
    let out = run_symbolic(&inputs, &[3, 5], |x| {
        vec![x[0].attention(&x[1], &x[2], None, masked(MaskKind::Causal))]
    });
    check_golden(&out[0], "attention/long_queries");
    assert_eq!(values(&out[0])[..4], [0.0; 4]);
}

#[test]
fn masks_and_biases_repeat_to_the_scores() {
    let [q, k, v] = qkv();
    let padding: [bool; 10] = [true, true, false, true, false, false, false, false, false, false];
    let padding = Literal::from_bools(&[2, 5], &padding).expect("fits");
    let out = run_symbolic(&[q, k, v, padding, wave(&[1, 4, 3, 5], 5)], &[2, 3, 4, 5], |x| {
        let numeric = x[3].convert(DType::F32);
        vec![
            x[0].attention(&x[1], &x[2], Some(&x[3]), masked(MaskKind::Custom)),
            x[0].attention(&x[1], &x[2], Some(&numeric), masked(MaskKind::Custom)),
            x[0].attention(&x[1], &x[2], Some(&x[4]), masked(MaskKind::Bias)),
        ]
    });
    check_golden(&out[0], "attention/padding");
    assert_eq!(out[0], out[1]);
    check_golden(&out[2], "attention/bias");
}

#[test]
fn a_bias_of_minus_infinity_masks() {
    let [q, k, v] = qkv();
    let bias: Vec<f64> =
        (0..10).map(|i| if [2, 4].contains(&i) || i > 4 { f64::NEG_INFINITY } else { 0.0 }).collect();
    let out = run(&[q, k, v, f64s(&[2, 5], &bias)], |x| {
        vec![x[0].attention(&x[1], &x[2], Some(&x[3]), masked(MaskKind::Bias))]
    });
    check_golden(&out[0], "attention/padding");
}

#[test]
fn narrow_operands_keep_scores_in_f32() {
    let out = run(&qkv(), |x| {
        let half: Vec<_> = x.iter().map(|t| t.convert(DType::BF16)).collect();
        vec![half[0].attention(&half[1], &half[2], None, Default::default())]
    });
    assert_eq!(out[0].dtype(), DType::BF16);
    // One rounding of the weights and one of the result: 2 · 2⁻⁹, relative to values below 2.
    check(&out[0], golden("attention/plain"), 8e-3);
}

#[test]
fn attention_refuses_what_does_not_fit() {
    let shape = |dims: &[usize]| Shape::new(dims, DType::F32);
    let (q, k) = (shape(&[1, 4, 3, 2]), shape(&[1, 3, 5, 2]));
    let plain = AttentionOptions::default();
    let text = refusal(&[q.clone(), k], |x| vec![x[0].attention(&x[1], &x[1], None, plain)]);
    assert!(text.contains("4 query heads are not a multiple of 3"), "{text}");
    let text = refusal(&[shape(&[1, 3, 8])], |x| vec![x[0].attention(&x[0], &x[0], None, plain)]);
    assert!(text.contains("need num_heads"), "{text}");
    let text = refusal(std::slice::from_ref(&q), |x| {
        vec![x[0].attention(&x[0], &x[0], None, masked(MaskKind::Bias))]
    });
    assert!(text.contains("`bias` needs a fourth operand"), "{text}");
    let text = refusal(std::slice::from_ref(&q), |x| {
        vec![x[0].attention(&x[0], &x[0], None, masked(MaskKind::SlidingWindow))]
    });
    assert!(text.contains("needs a window"), "{text}");
    let text = refusal(&[q, shape(&[3, 7])], |x| {
        vec![x[0].attention(&x[0], &x[0], Some(&x[1]), masked(MaskKind::Custom))]
    });
    assert!(text.contains("does not broadcast to the scores f32[1,4,3,3]"), "{text}");
}

#[test]
fn rope_agrees_with_numpy() {
    let angle = wave_values(&[3, 4], 1);
    let (cos, sin): (Vec<f64>, Vec<f64>) = angle.iter().map(|a| (a.cos(), a.sin())).unzip();
    let first_two = |t: &[f64]| t.chunks(4).flat_map(|row| row[..2].to_vec()).collect::<Vec<_>>();
    let inputs = [
        wave(&[2, 3, 2, 8], 0),
        f64s(&[3, 4], &cos),
        f64s(&[3, 4], &sin),
        f64s(&[3, 2], &first_two(&cos)),
        f64s(&[3, 2], &first_two(&sin)),
    ];
    let out = run_symbolic(&inputs, &[3], |x| {
        let partial = Op::Rope { style: RopeStyle::Interleaved, rotary_dims: Some(4), seq_axis: 1 };
        vec![
            x[0].rope(&x[1], &x[2], RopeStyle::Halves, 1),
            x[0].rope(&x[1], &x[2], RopeStyle::Interleaved, 1),
            x[0].apply(partial, &[&x[3], &x[4]]),
        ]
    });
    for (got, name) in out.iter().zip(["rope/halves", "rope/interleaved", "rope/partial"]) {
        check_golden(got, name);
    }
}

#[test]
fn rope_takes_angles_of_each_batch() {
    let angle = wave_values(&[2, 3, 4], 1);
    let table = |f: fn(f64) -> f64| f64s(&[2, 3, 4], &angle.iter().map(|&a| f(a)).collect::<Vec<_>>());
    let out = run_symbolic(&[wave(&[2, 3, 2, 8], 0), table(f64::cos), table(f64::sin)], &[3, 4], |x| {
        vec![x[0].transpose(&[0, 2, 1, 3]).rope(&x[1], &x[2], RopeStyle::Halves, 2)]
    });
    check_golden(&out[0], "rope/batched");
}

#[test]
fn rope_refuses_what_does_not_fit() {
    let (x, table) = (Shape::new(&[2, 3, 8], DType::F32), Shape::new(&[3, 3], DType::F32));
    let text = refusal(&[x.clone(), table], |x| vec![x[0].rope(&x[1], &x[1], RopeStyle::Halves, 1)]);
    assert!(text.contains("[3, 4]") && text.contains("got f32[3,3]"), "{text}");
    let text = refusal(&[x], |x| {
        let op = Op::Rope { style: RopeStyle::Halves, rotary_dims: Some(3), seq_axis: 1 };
        vec![x[0].apply(op, &[&x[0], &x[0]])]
    });
    assert!(text.contains("rotary_dims = 3 must be even"), "{text}");
}
