//! Feed-forward parts.

use super::linear;
use crate::spec::FeedSpec;
use rlx_flow::Flow;
use rlx_ir::{Activation, Tensor};

/// The feed-forward part of x `[batch, seq, width]`.
pub(super) fn feed(flow: &Flow, x: &Tensor, width: usize, spec: &FeedSpec) -> Tensor {
    match *spec {
        FeedSpec::Gated { intermediate, activation, bias } => {
            let [gate, up] = ["gate", "up"].map(|name| linear(flow, name, x, (width, intermediate), bias));
            let inner = match activation {
                Activation::Silu => gate.swiglu(&up),
                other => gate.activation(other) * up,
            };
            linear(flow, "down", &inner, (intermediate, width), bias)
        }
        FeedSpec::Plain { intermediate, activation, bias } => {
            let inner = linear(flow, "up", x, (width, intermediate), bias).activation(activation);
            linear(flow, "down", &inner, (intermediate, width), bias)
        }
    }
}
