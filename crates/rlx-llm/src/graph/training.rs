//! The loss by which a decoder is trained.

use super::part::ModelPart;
use super::{DecoderRun, logits};
use crate::spec::DecoderSpec;
use rlx_flow::Flow;
use rlx_ir::{Builder, DType, Graph, Shape, Violations};

/// The mean cross-entropy of the next tokens: inputs `tokens` and `targets`, `i32[batch,seq]` each; output 0 is the loss. Parameters are
/// f32 and have the names of [`decoder_graph`](super::decoder_graph); sequences begin with their first token.
///
/// # Errors
/// A list of what is wrong with the sizes.
pub fn training_graph(spec: &DecoderSpec, batch: usize, seq: usize) -> Result<Graph, Violations> {
    let flow = Flow::new("decoder", DType::F32);
    let run = DecoderRun::whole(flow.builder(), batch, seq);
    let targets = flow.builder().input("targets", Shape::new(&[batch, seq], DType::I32));
    let (logits, _) = logits(&ModelPart::new(flow.clone(), &DType::F32), spec, &run);
    flow.finish(&[&logits.softmax_cross_entropy(&targets).mean(&[0, 1], false)])
}

impl DecoderRun {
    /// Sequences from their first token to their last, with logits after each.
    fn whole(builder: &Builder, batch: usize, seq: usize) -> DecoderRun {
        let shape = Shape::new(&[batch, seq], DType::I32);
        let tokens = builder.input("tokens", shape.clone());
        let positions = builder.iota(shape, 1);
        let count = builder.int(seq as i64, DType::I32).broadcast_to(&[batch.into()]);
        DecoderRun { tokens, positions, count, wanted: None, past: None, table: None, length: Some(seq) }
    }
}
