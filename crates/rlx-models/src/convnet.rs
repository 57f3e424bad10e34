//! A small convolutional classifier of gray images (LeCun et al., 1998). It has two convolutions, then max pooling
//! and two linear layers.

use crate::gpt::Initial;
use rlx_flow::Flow;
use rlx_flow::blocks::linear_named;
use rlx_ir::{DType, Dim, Graph, Op, ReduceOp, Tensor, Violations};

/// The sizes of the classifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConvnetConfig {
    /// Height and width of an image; a multiple of 4.
    pub size: usize,
    /// Channels of the first convolution; the second one has twice as many.
    pub channels: usize,
    /// Width of the hidden linear map.
    pub hidden: usize,
    /// The number of classes.
    pub classes: usize,
}

/// Builds the graph of the mean cross-entropy and the logits. The inputs are `images` `f32[batch, 1, size, size]` and
/// `labels` `i32[batch]`.
pub fn loss_graph(config: &ConvnetConfig, batch: usize) -> Result<Graph, Violations> {
    let flow = Flow::new("convnet", DType::F32);
    let batch = Dim::from(batch);
    let images = images(&flow, config, &batch);
    let labels = flow.input("labels", &[batch], DType::I32);
    let logits = logits(&flow, config, &images);
    let loss = logits.softmax_cross_entropy(&labels).mean(&[0], false);
    flow.finish(&[&loss, &logits])
}

/// Builds the graph of the logits: input `images` `f32[batch, 1, size, size]`, output `f32[batch, classes]`, with a
/// symbolic `batch`.
pub fn logits_graph(config: &ConvnetConfig) -> Result<Graph, Violations> {
    let flow = Flow::new("convnet", DType::F32);
    let images = images(&flow, config, &Dim::dynamic("batch"));
    let logits = logits(&flow, config, &images);
    flow.finish(&[&logits])
}

fn images(flow: &Flow, config: &ConvnetConfig, batch: &Dim) -> Tensor {
    let size = Dim::from(config.size);
    flow.input("images", &[batch.clone(), Dim::from(1), size.clone(), size], DType::F32)
}

fn logits(flow: &Flow, config: &ConvnetConfig, images: &Tensor) -> Tensor {
    let (size, channels) = (config.size, config.channels);
    let x = conv(flow, "conv1", images, 1, channels);
    let x = pool(&conv(flow, "conv2", &x, channels, 2 * channels));
    let flat = 2 * channels * (size / 2) * (size / 2);
    let x = x.reshape(&[images.dim(0), Dim::from(flat)]);
    let x = linear_named(flow, "hidden", &x, flat, config.hidden).relu();
    linear_named(flow, "classes", &x, config.hidden, config.classes)
}

/// A 3×3 convolution that keeps the size, with bias and relu.
fn conv(flow: &Flow, name: &str, x: &Tensor, inputs: usize, outputs: usize) -> Tensor {
    flow.block(name, |flow| {
        let weight = flow.param("weight", &[outputs, inputs, 3, 3]);
        let bias = flow.param("bias", &[outputs]);
        let y = x.apply(same_3x3(), &[&weight, &bias]);
        y.relu()
    })
}

/// A 3×3 convolution with stride 1 and a border of zeros.
fn same_3x3() -> Op {
    Op::Conv2d { stride: vec![1, 1], padding: vec![1, 1], dilation: vec![1, 1], groups: 1 }
}

/// Max pooling over 2×2 windows.
fn pool(x: &Tensor) -> Tensor {
    let (kernel_size, stride, padding) = (vec![2, 2], vec![2, 2], vec![0, 0]);
    x.apply(Op::Pool { kind: ReduceOp::Max, kernel_size, stride, padding }, &[])
}

/// Returns how a parameter is initialized: with He's uniform distribution for weights before a relu (He et al.,
/// 2015).
pub fn initial(name: &str, dims: &[usize]) -> Initial {
    if name.ends_with("bias") {
        return Initial::Constant(0.0);
    }
    let fan_in: usize = dims.iter().skip(1).product();
    Initial::Uniform((6.0 / fan_in.max(1) as f64).sqrt())
}
