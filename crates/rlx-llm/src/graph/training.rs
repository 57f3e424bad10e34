//! The loss for training a decoder.

use super::part::ModelPart;
use super::{DecoderRun, logits};
use crate::spec::DecoderSpec;
use rlx_flow::Flow;
use rlx_ir::{Builder, DType, Graph, Shape, Violations};

/// Builds the graph of the mean cross-entropy of the next tokens. The inputs are `tokens` and `targets`,
/// `i32[batch,seq]` each; output 0 is the loss. Parameters are f32 and have the same names as in
/// [`decoder_graph`](super::decoder_graph). Each sequence begins with its first token.
///
/// # Errors
/// Returns the list of problems with the sizes.
pub fn training_graph(spec: &DecoderSpec, batch: usize, seq: usize) -> Result<Graph, Violations> {
    let flow = Flow::new("decoder", DType::F32);
    let run = DecoderRun::whole(flow.builder(), batch, seq);
    let targets = flow.builder().input("targets", Shape::new(&[batch, seq], DType::I32));
    let (logits, _) = logits(&ModelPart::new(flow.clone(), &DType::F32), spec, &run);
    flow.finish(&[&logits.softmax_cross_entropy(&targets).mean(&[0, 1], false)])
}

impl DecoderRun {
    /// Describes a run over complete sequences, with logits after each token.
    fn whole(builder: &Builder, batch: usize, seq: usize) -> DecoderRun {
        let shape = Shape::new(&[batch, seq], DType::I32);
        let tokens = builder.input("tokens", shape.clone());
        let positions = builder.iota(shape, 1);
        let count = builder.int(seq as i64, DType::I32).broadcast_to(&[batch.into()]);
        DecoderRun { tokens, positions, count, wanted: None, past: None, table: None, length: Some(seq) }
    }
}
