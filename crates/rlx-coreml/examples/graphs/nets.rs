//! Whole nets: recurrent, convolutional, with attention, a mixture of experts, and a training step.

use super::{Example, example, floats, number};
use rlx_autodiff::value_and_grad;
use rlx_coreml::Opset;
use rlx_ir::{Activation, AttentionOptions, Builder, DType, Literal, Op, ReduceOp, Shape, Tensor};

pub(super) fn all() -> Vec<Example> {
    vec![recurrent(), residual(), encoder(), experts(), training()]
}

/// Multiplies x `[…, i]` by the transpose of weights `[o, i]`, and adds a bias.
fn linear(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor {
    let y = x.matmul(&weight.transpose_last());
    let (y, bias) = y.broadcast_with(bias);
    y + bias
}

/// Returns two LSTMs in sequence, and the logits of the last step. Weights are small, so that nothing saturates.
fn recurrent() -> Example {
    let small = |x: &Tensor| x * 0.25;
    let sizes: [&[usize]; 8] = [&[24, 5], &[24, 6], &[24], &[24, 6], &[24, 6], &[24], &[10, 6], &[10]];
    example("lstm", "while_loop", &[7, 3, 5], &sizes, move |x, p| {
        let zero = x.builder().constant(floats(4, &[3, 6]));
        let layer = |x: &Tensor, p: &[Tensor]| {
            x.apply_many(Op::Lstm { reverse: false }, &[&zero, &zero, &p[0], &p[1], &p[2]])[0].clone()
        };
        let last = layer(&layer(x, &p[..3]), &p[3..6]).slice_axis(0, 6, 7).squeeze(0);
        linear(&small(&last), &p[6], &p[7]).softmax(1)
    })
}

/// Returns two blocks of convolutions and norms with a residual path, pooled to logits.
fn residual() -> Example {
    let mut sizes: Vec<&[usize]> = vec![&[8, 3, 3, 3]];
    for _ in 0..4 {
        sizes.extend([&[8, 8, 3, 3][..], &[8], &[8], &[8]]);
    }
    sizes.extend([&[10, 8][..], &[10]]);
    example("conv", "rsqrt", &[2, 3, 12, 12], &sizes, |x, p| {
        let conv = |x: &Tensor, w: &Tensor, stride: usize| {
            let stride = vec![stride; 2];
            x.apply(Op::Conv2d { stride, padding: vec![1, 1], dilation: vec![1, 1], groups: 1 }, &[w])
        };
        let mut y = conv(x, &(&p[0] * 0.25), 2).activation(Activation::Relu);
        for block in p[1..17].chunks(8) {
            let around = y.clone();
            for layer in block.chunks(4) {
                let norm = Op::BatchNorm { axis: 1, eps: 2.0 };
                let spread = y.builder().constant(Literal::new(&[8], &[1.5f32; 8]).unwrap());
                y = conv(&y, &layer[0], 1).apply(norm, &[&layer[1], &layer[2], &layer[3], &spread]);
                y = (y * 0.25).activation(Activation::Relu);
            }
            y = y + around;
        }
        let pool = Op::Pool {
            kind: ReduceOp::Max,
            kernel_size: vec![2, 2],
            stride: vec![2, 2],
            padding: vec![0, 0],
        };
        linear(&y.apply(pool, &[]).mean(&[2, 3], false), &p[17], &p[18])
    })
}

/// Returns an encoder layer: attention with heads, and a two-layer net, each after a norm.
fn encoder() -> Example {
    let sizes: [&[usize]; 12] =
        [&[12], &[12], &[36, 12], &[36], &[12, 12], &[12], &[12], &[12], &[24, 12], &[24], &[12, 24], &[12]];
    example("layer_norm", "while_loop", &[2, 5, 12], &sizes, |x, p| {
        let norm = |x: &Tensor, p: &[Tensor]| x.apply(Op::LayerNorm { axis: 2, eps: 1e-5 }, &[&p[0], &p[1]]);
        let all = linear(&norm(x, &p[..2]), &p[2], &p[3]);
        let part = |n: usize| all.slice_axis(2, 12 * n, 12 * (n + 1));
        let op = AttentionOptions { num_heads: Some(3), ..AttentionOptions::default() }.op();
        let x = x + linear(&part(0).apply(op, &[&part(1), &part(2)]), &p[4], &p[5]);
        let inner = linear(&norm(&x, &p[6..8]), &p[8], &p[9]).activation(Activation::Gelu);
        x + linear(&inner, &p[10], &p[11])
    })
}

/// Returns a mixture of experts: a layer selects two of four experts for each row, with weights.
fn experts() -> Example {
    example("topk", "while_loop", &[6, 8], &[&[4, 8], &[4], &[4, 8, 16], &[4, 16, 8]], |x, p| {
        let chosen = linear(x, &p[0], &p[1]).apply_many(Op::TopK { k: 2 }, &[]);
        let weights = chosen[0].softmax(1);
        // [rows, 2, experts] times the weights is how much each row uses each expert.
        let places = chosen[1].one_hot(4, DType::F32);
        let share =
            (&places * weights.unsqueeze(2).broadcast_to(&places.dims())).reduce(ReduceOp::Sum, &[1], false);
        let inner = x.unsqueeze(0).matmul(&p[2]).activation(Activation::Silu);
        let outer = inner.matmul(&p[3]);
        let share = share.transpose(&[1, 0]).unsqueeze(2).broadcast_to(&outer.dims());
        (outer * share).reduce(ReduceOp::Sum, &[0], false)
    })
}

/// Returns a training step of a convolutional net for digits: gradients and update as one graph, with weights that are inputs.
fn training() -> Example {
    let sizes: [(&str, &[usize]); 4] = [("k", &[6, 1, 3, 3]), ("b", &[6]), ("w", &[10, 96]), ("c", &[10])];
    let builder = Builder::new("loss");
    let x = builder.input("x", Shape::new(&[8, 1, 10, 10], DType::F32));
    let labels = builder.input("labels", Shape::new(&[8], DType::I32));
    let p = sizes.map(|(name, dims)| builder.input(name, Shape::new(dims, DType::F32)));
    let conv = Op::Conv2d { stride: vec![1, 1], padding: vec![0, 0], dilation: vec![1, 1], groups: 1 };
    let y = x.apply(conv, &[&p[0]]);
    let y = (&y + p[1].broadcast_in_dim(&y.dims(), &[1])).activation(Activation::Relu);
    let pool =
        Op::Pool { kind: ReduceOp::Max, kernel_size: vec![2, 2], stride: vec![2, 2], padding: vec![0, 0] };
    let rows = y.apply(pool, &[]).reshape(&[8.into(), 96.into()]);
    let logits = linear(&rows, &(&p[2] * 0.125), &p[3]);
    let loss = logits.apply(Op::SoftmaxCrossEntropy {}, &[&labels]).mean(&[0], false);
    let loss = builder.finish(&[&loss]).unwrap();
    let names = sizes.map(|(name, _)| name);
    let gradients = value_and_grad(&loss, names).unwrap();
    let builder = Builder::new("step");
    let args: Vec<Tensor> =
        gradients.inputs().map(|node| builder.input(node.name().unwrap(), node.shape().clone())).collect();
    let results = builder.inline(&gradients, &args).unwrap();
    let place = |name: &str| gradients.inputs().position(|node| node.name() == Some(name)).unwrap();
    let stepped = names.iter().zip(&results[1..]).map(|(name, gradient)| {
        let weight = &args[place(name)];
        weight - gradient * number(gradient, 0.125)
    });
    let outputs: Vec<Tensor> = std::iter::once(results[0].clone()).chain(stepped).collect();
    let graph = builder.finish(&outputs.iter().collect::<Vec<_>>()).unwrap();
    let mut values = vec![
        ("x".to_string(), floats(0, &[8, 1, 10, 10])),
        ("labels".to_string(), Literal::new(&[8], &[3i32, 1, 4, 1, 5, 9, 2, 6]).unwrap()),
    ];
    values.extend(sizes.iter().enumerate().map(|(i, (name, dims))| (name.to_string(), floats(i + 1, dims))));
    Example { kind: "matmul", gone: "while_loop", since: Opset::Ios15, graph, values }
}
