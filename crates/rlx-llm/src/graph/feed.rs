//! Feed-forward layers.

use super::experts::experts;
use super::part::ModelPart;
use crate::spec::FeedSpec;
use rlx_ir::{Activation, Tensor};

/// Returns the feed-forward part for x `[…, width]`. Experts need x to be `[batch, seq, width]`.
pub(super) fn feed(part: &ModelPart<'_>, x: &Tensor, width: usize, spec: &FeedSpec) -> Tensor {
    match *spec {
        FeedSpec::Experts(ref spec) => experts(part, x, width, spec),
        FeedSpec::Gated { intermediate, activation, bias } => {
            let [gate, up] = ["gate", "up"].map(|name| part.linear(name, x, (width, intermediate), bias));
            let inner = match activation {
                Activation::Silu => gate.swiglu(&up),
                other => gate.activation(other) * up,
            };
            part.linear("down", &inner, (intermediate, width), bias)
        }
        FeedSpec::Plain { intermediate, activation, bias } => {
            let inner = part.linear("up", x, (width, intermediate), bias).activation(activation);
            part.linear("down", &inner, (intermediate, width), bias)
        }
    }
}
