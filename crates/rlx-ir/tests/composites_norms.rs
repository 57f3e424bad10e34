//! Log-softmax and the normalizations, compared with PyTorch and JAX.

mod composites_support;

use composites_support::*;
use rlx_ir::{DType, Shape};

#[test]
fn log_softmax_and_logsumexp_agree_with_jax() {
    let x = wave(&[2, 3, 4], 0);
    let out = run_symbolic(&[x], &[2, 3, 4], |x| {
        vec![
            x[0].log_softmax(1),
            (&x[0] * 1000.0).log_softmax(2),
            x[0].logsumexp(&[1, 2], false),
            x[0].logsumexp(&[0], true),
        ]
    });
    for (got, name) in out.iter().zip(["log_softmax/1", "log_softmax/large", "logsumexp/12", "logsumexp/0k"])
    {
        check_golden(got, name);
    }
}

#[test]
fn logsumexp_keeps_infinities_and_nan() {
    let inf = f64::INFINITY;
    let rows = [-inf, -inf, -inf, -inf, 1.0, 2.0, inf, 1.0, 2.0, f64::NAN, 1.0, 2.0, 1e300, 1.0, -1e300];
    let out = run(&[f64s(&[5, 3], &rows), f64s(&[2, 0], &[])], |x| {
        vec![x[0].logsumexp(&[1], false), x[1].logsumexp(&[1], false)]
    });
    check_golden(&out[0], "logsumexp/special");
    assert_eq!(values(&out[1]), [-inf, -inf]);
}

#[test]
fn layer_and_rms_norm_agree_with_pytorch() {
    let inputs = [wave(&[2, 3, 4], 0), wave(&[3, 4], 1), wave(&[3, 4], 2), f64s(&[4], &wave_values(&[4], 1))];
    let out = run_symbolic(&inputs, &[2, 3, 4], |x| {
        vec![
            x[0].layer_norm(2, 1e-5, None, None),
            x[0].layer_norm(1, 1e-3, Some(&x[1]), Some(&x[2])),
            x[0].rms_norm(2, 1e-6, Some(&x[3])),
        ]
    });
    for (got, name) in out.iter().zip(["layer_norm/plain", "layer_norm/affine", "rms_norm/affine"]) {
        check_golden(got, name);
    }
}

#[test]
fn a_shift_without_a_scale_is_accepted() {
    let out = run(&[wave(&[2, 4], 0), wave(&[4], 2)], |x| {
        let plain = x[0].layer_norm(1, 1e-5, None, None);
        vec![x[0].layer_norm(1, 1e-5, None, Some(&x[1])), plain + &x[1]]
    });
    assert_eq!(out[0], out[1]);
}

#[test]
fn narrow_floats_take_their_statistics_in_f32() {
    let out = run(&[wave(&[2, 3, 4], 0)], |x| {
        let half = x[0].convert(DType::BF16);
        let large = (&x[0] * 400.0).convert(DType::F16);
        // The squares of ±750 overflow f16; their mean does not overflow f32.
        vec![half.layer_norm(2, 1e-5, None, None), large.rms_norm(2, 1e-6, None).convert(DType::F64)]
    });
    assert_eq!(out[0].dtype(), DType::BF16);
    let (dims, expected) = golden("layer_norm/bf16");
    assert_eq!((out[0].dims(), values(&out[0])), (dims, expected));
    let squares: f64 = values(&out[1]).iter().map(|y| y * y).sum();
    assert!((squares / 24.0 - 1.0).abs() < 1e-3, "{squares}");
}

#[test]
fn image_norms_agree_with_pytorch() {
    let (image, gamma, beta) = (wave(&[2, 4, 3, 2], 0), wave(&[4], 1), wave(&[4], 2));
    let variance = f64s(&[4], &wave_values(&[4], 4).iter().map(|x| x.abs() + 0.5).collect::<Vec<_>>());
    let inputs = [image, gamma, beta, wave(&[4], 3), variance];
    let out = run_symbolic(&inputs, &[2, 3, 4], |x| {
        let (gamma, beta) = (Some(&x[1]), Some(&x[2]));
        let [y, mean, variance] = x[0].batch_norm_training(1, 1e-5, &x[1], &x[2]);
        vec![
            x[0].layer_norm_2d(1e-6, gamma, beta),
            x[0].group_norm(2, 1e-5, gamma, beta),
            x[0].batch_norm(1, 1e-5, &x[1], &x[2], &x[3], &x[4]),
            y,
            mean,
            variance,
        ]
    });
    let names = [
        "layer_norm_2d",
        "group_norm",
        "batch_norm",
        "batch_norm_training/y",
        "batch_norm_training/mean",
        "batch_norm_training/variance",
    ];
    for (got, name) in out.iter().zip(names) {
        check_golden(got, name);
    }
}

#[test]
fn norms_refuse_what_does_not_fit() {
    let x = Shape::new(&[2, 6], DType::F32);
    let w = Shape::new(&[5], DType::F32);
    let text = refusal(&[x.clone(), w.clone()], |x| vec![x[0].layer_norm(1, 1e-5, Some(&x[1]), None)]);
    assert!(text.contains("gamma must be f32[6]") && text.contains("got f32[5]"), "{text}");
    let text = refusal(std::slice::from_ref(&x), |x| vec![x[0].group_norm(4, 1e-5, None, None)]);
    assert!(text.contains("groups = 4 does not divide 6 channels"), "{text}");
    let text = refusal(std::slice::from_ref(&x), |x| vec![x[0].rms_norm(1, f64::NAN, None)]);
    assert!(text.contains("eps must be a finite number"), "{text}");
    let text = refusal(&[x], |x| vec![x[0].rms_norm(2, 1e-5, None)]);
    assert!(text.contains("axis 2 is out of range"), "{text}");
    let text = refusal(&[Shape::new(&[2, 6], DType::I32)], |x| vec![x[0].log_softmax(1)]);
    assert!(text.contains("element type i32"), "{text}");
}
