//! Activations, losses and quantization, compared with PyTorch, NumPy and gguf.

mod composites_support;

use composites_support::*;
use rlx_ir::{Builder, DType, Graph, Literal, Op, QuantScheme, Shape, verify};

#[test]
fn activations_with_attributes_agree_with_pytorch() {
    let inf = f64::INFINITY;
    let x = f64s(&[10], &[-inf, -800.0, -1.5, -1e-9, -0.0, 0.0, 1e-9, 2.5, inf, f64::NAN]);
    let out = run_symbolic(&[x], &[10], |x| {
        vec![
            x[0].elu(0.7),
            x[0].leaky_relu(0.1),
            x[0].clip(Some(-1.0), Some(2.0)),
            x[0].clip(Some(-1.0), None),
        ]
    });
    for (got, name) in out.iter().zip(["elu", "leaky_relu", "clip", "clip/low"]) {
        check_golden(got, name);
    }
}

#[test]
fn stop_gradient_is_the_identity_and_integers_clip() {
    let x = i32s(&[4], &[i32::MIN, -3, 3, i32::MAX]);
    let out = run(std::slice::from_ref(&x), |x| vec![x[0].stop_gradient(), x[0].clip(Some(-2.0), Some(2.0))]);
    assert_eq!(out[0], x);
    assert_eq!(out[1], i32s(&[4], &[-2, -2, 2, 2]));
    let text = refusal(&[Shape::new(&[4], DType::I32)], |x| vec![x[0].clip(Some(0.5), None)]);
    assert!(text.contains("the limit 0.5 is not a value of element type i32"), "{text}");
}

#[test]
fn cross_entropy_agrees_with_pytorch() {
    let labels = [0, 3, 1, 2, 2, 0];
    let floats: Vec<f64> = labels.iter().map(|&l| f64::from(l)).collect();
    let inputs = [wave(&[2, 3, 4], 0), i32s(&[2, 3], &labels), f64s(&[2, 3], &floats), wave(&[2, 3, 4], 1)];
    let out = run_symbolic(&inputs, &[2, 3, 4], |x| {
        vec![x[0].softmax_cross_entropy(&x[1]), x[0].softmax_cross_entropy(&x[2]), x[0].mse(&x[3])]
    });
    check_golden(&out[0], "cross_entropy");
    assert_eq!(out[0], out[1]);
    check_golden(&out[2], "mse");
}

#[test]
fn labels_that_are_no_class_give_nan_and_masked_logits_do_not() {
    let logits = f64s(&[4, 2], &[0.0, f64::NEG_INFINITY, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    let out = run(&[logits, f64s(&[4], &[0.0, 2.0, -1.0, 0.5])], |x| vec![x[0].softmax_cross_entropy(&x[1])]);
    check(&out[0], (vec![4], vec![0.0, f64::NAN, f64::NAN, f64::NAN]), 0.0);
}

#[test]
fn the_graph_builder_infers_the_loss_and_leaves_errors_to_the_verifier() {
    let mut g = Graph::new("loss");
    let logits = g.input("logits", Shape::new(&[2, 3], DType::F32));
    let labels = g.input("labels", Shape::new(&[2], DType::F32));
    let loss = g.softmax_cross_entropy_with_logits(logits, labels);
    let wrong = g.softmax_cross_entropy_with_logits(labels, logits);
    g.set_outputs(vec![loss]);
    assert_eq!(g.shape(loss), &Shape::new(&[2], DType::F32));
    let text = verify(&g).expect_err("one node is wrong").to_string();
    assert!(text.contains("labels must have the dimensions of logits f32[2] without the last"), "{text}");
    let _ = wrong;
    let nowhere = Graph::new("empty").softmax_cross_entropy_with_logits(labels, loss);
    assert_eq!(nowhere.index(), 0);
}

#[test]
fn quantization_agrees_with_numpy_and_pytorch() {
    let stored: Vec<u8> = (0..15).map(|i| (i * 17) as u8).collect();
    let inputs = [
        wave(&[3, 5], 0),
        f64s(&[], &[0.25]),
        i32s(&[], &[3]),
        f64s(&[3], &[0.25, 0.1, 0.03]),
        i32s(&[3], &[3, -7, 100]),
        Literal::new(&[3, 5], &stored).expect("fits"),
        f64s(&[5], &[0.25, 0.1, 0.3, 0.5, 0.125]),
        i32s(&[5], &[8, 7, 3, 15, 0]),
    ];
    let out = run_symbolic(&inputs, &[3, 5], |x| {
        let fake = |axis, symmetric| Op::FakeQuantize { bits: 4, axis, symmetric };
        let single: Vec<_> = x.iter().map(|t| t.convert(DType::F32)).collect();
        vec![
            x[0].quantize(&x[1], Some(&x[2]), None, DType::I8),
            x[0].quantize(&x[3], Some(&x[4]), Some(0), DType::U8),
            x[5].dequantize(&x[3], Some(&x[4]), Some(0)),
            single[0].apply(fake(Some(0), true), &[&single[3]]),
            single[0].apply(fake(Some(1), false), &[&single[6], &x[7]]),
        ]
    });
    assert_eq!([out[0].dtype(), out[1].dtype(), out[2].dtype()], [DType::I8, DType::U8, DType::F64]);
    for (got, name) in out[..3].iter().zip(["quantize/i8", "quantize/u8_axis", "dequantize"]) {
        check_golden(got, name);
    }
    check(&out[3], golden("fake_quantize/symmetric"), 1e-7);
    check(&out[4], golden("fake_quantize/affine"), 1e-7);
}

#[test]
fn quantization_saturates_and_has_a_place_for_nan() {
    let inf = f64::INFINITY;
    let inputs = [f64s(&[4], &[-inf, inf, f64::NAN, 0.5]), f64s(&[], &[1.0])];
    let out = run(&inputs, |x| {
        vec![x[0].quantize(&x[1], None, None, DType::I8), x[0].quantize(&x[1], None, None, DType::F8E4M3)]
    });
    assert_eq!(values(&out[0]), [-128.0, 127.0, 0.0, 0.0]);
    check(&out[1], (vec![4], vec![-448.0, 448.0, f64::NAN, 0.5]), 0.0);
}

/// Packed blocks as `composites.py` makes them: two rows of two.
fn packed(width: usize) -> Literal {
    let mut bytes: Vec<u8> = (0..4 * width).map(|i| ((i * 37 + 11) % 256) as u8).collect();
    for (block, scale) in bytes.chunks_mut(width).zip([0.5f32, -0.0625, 3.140625, 6e-8]) {
        block[..2].copy_from_slice(&half::f16::from_f32(scale).to_le_bytes());
    }
    Literal::new(&[2, 2 * width], &bytes).expect("fits")
}

#[test]
fn block_formats_decode_as_gguf_does() {
    for (scheme, name) in [(QuantScheme::Q8_0, "q8_0"), (QuantScheme::Q4_0, "q4_0")] {
        let inputs = [packed(scheme.block_bytes()), wave(&[3, 64], 0)];
        let out = run_symbolic(&inputs, &[3, 64, 2 * scheme.block_bytes()], |x| {
            vec![x[0].dequantize_blocks(scheme), x[1].dequant_matmul(&x[0], scheme)]
        });
        check(&out[0], golden(&format!("dequantize_blocks/{name}")), 0.0);
        check_golden(&out[1], &format!("dequant_matmul/{name}"));
    }
    let bytes = Shape::new(&[2, 35], DType::U8);
    let text = refusal(&[bytes], |x| vec![x[0].dequantize_blocks(QuantScheme::Q8_0)]);
    assert!(text.contains("a row of 35 bytes is not a whole number of q8_0 blocks of 34 bytes"), "{text}");
}

#[test]
fn lora_matmul_agrees_with_numpy() {
    let inputs = [wave(&[2, 4], 0), wave(&[4, 3], 1), wave(&[4, 2], 2), wave(&[2, 3], 3)];
    let out = run_symbolic(&inputs, &[2, 3, 4], |x| vec![x[0].lora_matmul(&x[1], &x[2], &x[3], 8.0)]);
    check_golden(&out[0], "lora_matmul");
}

#[test]
fn methods_on_void_tensors_stay_void() {
    let b = Builder::new("void");
    let x = b.input("x", Shape::new(&[2, 3], DType::F32));
    let void = x.softmax(5);
    let scale = b.scalar(1.0, DType::F32);
    let all = [
        void.layer_norm(1, 1e-5, Some(&scale), None),
        void.rms_norm(4, 1e-5, None),
        void.log_softmax(3),
        void.attention(&void, &void, None, Default::default()),
        void.embedding(&void),
        void.gather(&void, 2),
        void.roll(&[1], &[3]),
        void.split(2, &[3.into()])[0].clone(),
        void.softmax_cross_entropy(&void),
        void.quantize(&scale, None, Some(1), DType::I8),
        void.batch_norm_training(1, 1e-5, &void, &void)[2].clone(),
    ];
    assert!(all.iter().all(|t| t.id().is_none()));
    let violations = b.finish(&all.iter().collect::<Vec<_>>()).expect_err("one mistake");
    assert_eq!(violations.list().len(), 1, "{violations}");
}
