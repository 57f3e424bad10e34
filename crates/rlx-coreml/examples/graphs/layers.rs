//! Layers with biases, activations, norms, reductions.

use super::{Example, example, floats, number, with_values};
use rlx_coreml::Opset;
use rlx_ir::{
    Activation, BinaryOp, CompareOp, DType, DotDims, Literal, Op, ReduceOp, Tensor, UnaryOp, WindowSpec,
};

pub(super) fn all() -> Vec<Example> {
    [contractions(), activations(), reductions(), norms(), quantized(), recurrent()]
        .into_iter()
        .flatten()
        .collect()
}

fn contractions() -> Vec<Example> {
    vec![
        example("linear", "add", &[5, 8], &[&[12, 8], &[12]], |x, p| {
            let op = Op::DotGeneral { dims: DotDims::contracting(&[1], &[1]), dtype: None };
            let product = x.apply(op, &[&p[0]]);
            &product + p[1].broadcast_in_dim(&product.dims(), &[1])
        }),
        example("conv", "add", &[1, 3, 6, 6], &[&[12, 3, 3, 3], &[12]], |x, p| {
            let op = Op::Conv2d { stride: vec![1, 1], padding: vec![1, 1], dilation: vec![1, 1], groups: 1 };
            let y = x.apply(op, &[&p[0]]);
            &y + p[1].broadcast_in_dim(&y.dims(), &[1])
        }),
        example("conv_transpose", "add", &[2, 4, 5, 6], &[&[4, 3, 3, 2], &[3]], |x, p| {
            let y = x.apply(transposed(1), &[&p[0]]);
            &y + p[1].broadcast_in_dim(&y.dims(), &[1])
        }),
        example("conv_transpose", "add", &[2, 4, 5, 6], &[&[4, 3, 3, 2]], |x, p| {
            x.apply(transposed(2), &[&p[0]])
        }),
        example("einsum", "matmul", &[2, 5, 3, 4], &[&[2, 4, 3, 6]], |x, p| {
            let dims =
                DotDims { lhs_batch: vec![0, 2], rhs_batch: vec![0, 2], ..DotDims::contracting(&[3], &[1]) };
            let op = Op::DotGeneral { dims, dtype: None };
            x.apply(op, &[&p[0]]).transpose(&[0, 2, 1, 3])
        }),
    ]
}

/// Returns a transposed convolution with padding.
fn transposed(groups: usize) -> Op {
    Op::ConvTranspose2d {
        stride: vec![2, 3],
        padding: vec![1, 0],
        output_padding: vec![0, 0],
        dilation: vec![1, 2],
        groups,
    }
}

/// Returns whether x is not negative.
fn positive(x: &Tensor) -> Tensor {
    x.compare(CompareOp::Ge, &number(x, 0.0))
}

fn activations() -> Vec<Example> {
    let per_channel = |x: &Tensor, of: &Tensor| of.broadcast_in_dim(&x.dims(), &[1]);
    vec![
        example("prelu", "select", &[2, 12, 5, 3], &[&[12]], |x, p| {
            positive(x).select(x, &(x * per_channel(x, &p[0])))
        }),
        example("softplus_parametric", "softplus", &[2, 12, 5], &[&[12], &[12]], |x, p| {
            per_channel(x, &p[0]) * (x * per_channel(x, &p[1])).activation(Activation::Softplus)
        }),
        example("thresholded_relu", "select", &[3, 7], &[], |x, _| {
            x.compare(CompareOp::Ge, &number(x, 0.5)).select(x, &number(x, 0.0))
        }),
        example("clamped_relu", "select", &[3, 7], &[], |x, _| {
            positive(x).select(x, &(x * 0.25)).binary(BinaryOp::Min, &number(x, 1.25))
        }),
        example("sigmoid_hard", "clip", &[3, 7], &[], |x, _| {
            (x * 0.25 + 0.5).apply(Op::Clip { low: Some(0.0), high: Some(1.0) }, &[])
        }),
        example("linear_activation", "mul", &[3, 7], &[], |x, _| x * 0.25 + 0.5),
        example("clip", "maximum", &[3, 7], &[], |x, _| {
            x.apply(Op::Clip { low: Some(-0.5), high: Some(0.75) }, &[])
        }),
        example("threshold", "maximum", &[3, 7], &[], |x, _| {
            x.apply(Op::Clip { low: Some(-0.5), high: None }, &[])
        }),
        example("square", "mul", &[3, 7], &[], |x, _| x * x),
        example("softsign", "real_div", &[3, 7], &[], |x, _| x / (x.unary(UnaryOp::Abs) + 1.0)),
        example("scaled_tanh", "tanh", &[3, 7], &[], |x, _| (x * 0.5).unary(UnaryOp::Tanh) * 1.5),
        example("exp2", "pow", &[3, 7], &[], |x, _| number(x, 2.0).binary(BinaryOp::Pow, x)),
    ]
}

fn reductions() -> Vec<Example> {
    vec![
        example("reduce_sum_square", "reduce_sum", &[3, 7], &[], |x, _| {
            (x * x).reduce(ReduceOp::Sum, &[1], false)
        }),
        example("reduce_l2_norm", "sqrt", &[3, 7], &[], |x, _| {
            (x * x).reduce(ReduceOp::Sum, &[1], false).unary(UnaryOp::Sqrt)
        }),
        example("reduce_l1_norm", "abs", &[3, 7], &[], |x, _| {
            x.unary(UnaryOp::Abs).reduce(ReduceOp::Sum, &[1], false)
        }),
        example("l2_pool", "add", &[2, 3, 6, 8], &[], |x, _| {
            window(&(x * x), &[1, 1, 2, 3], &[1, 1, 2, 2]).unary(UnaryOp::Sqrt)
        }),
    ]
}

/// Returns sums in windows, without padding.
fn window(x: &Tensor, window: &[usize], strides: &[usize]) -> Tensor {
    let spec = WindowSpec { strides: strides.to_vec(), ..WindowSpec::plain(window) };
    x.apply(Op::ReduceWindow { kind: ReduceOp::Sum, spec }, &[])
}

fn norms() -> Vec<Example> {
    vec![
        example("batch_norm", "rsqrt", &[2, 12, 5], &[&[12], &[12], &[12], &[12]], |x, p| {
            // Large enough that no variance plus `eps` is below 0.
            let op = Op::BatchNorm { axis: 1, eps: 2.0 };
            x.apply(op, &[&p[0], &p[1], &p[2], &p[3]])
        }),
        example("l2_norm", "reduce_sum", &[2, 3, 4, 5], &[], |x, _| {
            let sum = (x * x).reduce(ReduceOp::Sum, &[1, 2, 3], true) + 1e-6;
            x / sum.unary(UnaryOp::Sqrt)
        }),
        example("local_response_norm", "pow", &[2, 6, 3, 4], &[], |x, _| {
            let pads = vec![0, 2, 0, 0];
            let spec = WindowSpec { low: pads.clone(), high: pads, ..WindowSpec::plain(&[1, 5, 1, 1]) };
            let sums = (x * x).apply(Op::ReduceWindow { kind: ReduceOp::Sum, spec }, &[]);
            x / (sums * 2e-5 + 2.0).binary(BinaryOp::Pow, &x.scalar_like(0.75))
        }),
    ]
}

fn quantized() -> Vec<Example> {
    let scale = || Literal::new(&[], &[0.0625f32]).unwrap();
    let along = || Literal::new(&[3], &[0.0625f32, 0.5, 0.03125]).unwrap();
    let zeros = |x: &Tensor| x.builder().constant(Literal::new(&[3], &[3i32, 128, 200]).unwrap());
    vec![
        with_values("quantize", "round", floats(0, &[2, 3, 4]), vec![scale()], |x, p| {
            x.quantize(&p[0], None, None, DType::I8).convert(DType::F32)
        })
        .since(Opset::Ios17),
        with_values("dequantize", "round", floats(0, &[2, 3, 4]), vec![scale()], |x, p| {
            x.quantize(&p[0], None, None, DType::I8).dequantize(&p[0], None, None)
        })
        .since(Opset::Ios17),
        with_values("dequantize", "round", floats(0, &[2, 3, 4]), vec![along()], move |x, p| {
            x.apply(Op::FakeQuantize { bits: 8, axis: Some(1), symmetric: false }, &[&p[0], &zeros(x)])
        })
        .since(Opset::Ios17),
    ]
}

/// Returns the sequence of states of nets with 3 inputs and 4 states per step.
fn recurrent() -> Vec<Example> {
    let state = |x: &Tensor| {
        number(&x.slice_axis(0, 0, 1).squeeze(0).slice_axis(1, 0, 1), 0.25)
            .broadcast_to(&[2.into(), 4.into()])
    };
    vec![
        example("lstm", "matmul", &[5, 2, 3], &[&[16, 3], &[16, 4], &[16]], move |x, p| {
            let (h, c) = (state(x), state(x));
            x.apply_many(Op::Lstm { reverse: false }, &[&h, &c, &p[0], &p[1], &p[2]])[0].clone()
        }),
        example("gru", "matmul", &[5, 2, 3], &[&[12, 3], &[12, 4], &[12]], move |x, p| {
            x.apply_many(Op::Gru { reverse: true }, &[&state(x), &p[0], &p[1], &p[2]])[0].clone()
        }),
        example("rnn", "matmul", &[5, 2, 3], &[&[4, 3], &[4, 4], &[4]], move |x, p| {
            let op = Op::Rnn { activation: Activation::Tanh, reverse: false };
            x.apply_many(op, &[&state(x), &p[0], &p[1], &p[2]])[0].clone()
        }),
    ]
}
