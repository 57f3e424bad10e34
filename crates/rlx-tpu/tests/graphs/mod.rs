//! Models that tests run and compile.

#![allow(dead_code)]

use rlx_flow::Flow;
use rlx_flow::blocks::{EncoderConfig, embedding, encoder_layer, layer_norm, linear};
use rlx_ir::{Activation, DType, Dim, Graph};

/// Two linear layers with GELU between them: `x` is `f32[n,8]`.
pub fn two_layers() -> Graph {
    let flow = Flow::new("two_layers", DType::F32);
    let x = flow.input("x", &[Dim::dynamic("n"), 8.into()], DType::F32);
    let hidden = flow.block("first", |f| linear(f, &x, 8, 16)).gelu();
    let out = flow.block("second", |f| linear(f, &hidden, 16, 4));
    flow.finish(&[&out, &hidden]).expect("a valid graph")
}

/// An encoder as sentence embedders have it, small: embeddings, two layers with attention and a mask, mean of tokens.
pub fn encoder() -> Graph {
    let flow = Flow::new("encoder", DType::F32);
    let dims = [Dim::dynamic("batch"), Dim::dynamic("seq")];
    let ids = flow.input("ids", &dims, DType::I32);
    let mask = flow.input("mask", &dims, DType::I32);
    let words = flow.block("words", |f| embedding(f, &ids, 50, 32));
    let mut x = flow.block("norm", |f| layer_norm(f, &words, 32, 1e-12));
    let layer =
        EncoderConfig { width: 32, heads: 4, intermediate: 64, activation: Activation::Gelu, eps: 1e-12 };
    for i in 0..2 {
        x = flow.block(&format!("layer.{i}"), |f| encoder_layer(f, &x, Some(&mask), &layer));
    }
    flow.finish(&[&x]).expect("a valid graph")
}
