//! Whether CoreML itself can update the parameters.

use rlx_ir::{Graph, Op};
use rlx_optim::Optimizer;
use rlx_session::Device;
use std::fmt;

/// Whether CoreML's `MLUpdateTask` can perform a session's updates, and if not, all reasons.
///
/// `MLUpdateTask` retrains marked layers of a model on the device. It supports only convolutions and inner products of the older
/// neural-network format, with SGD or Adam, and a mean squared error or cross-entropy as the loss.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum MlUpdateEligibility {
    /// It can perform the updates.
    Eligible,
    /// It cannot perform the updates.
    #[non_exhaustive]
    Unsupported {
        /// All reasons, in one sentence.
        reason: String,
        /// The separate reasons; at least one.
        reasons: Vec<String>,
    },
}

impl MlUpdateEligibility {
    /// Whether it can perform the updates.
    pub fn is_eligible(&self) -> bool {
        *self == MlUpdateEligibility::Eligible
    }

    pub(crate) fn of(graph: &Graph, optimizer: &Optimizer, device: Device) -> Self {
        let mut reasons = Vec::new();
        if device.first() != Device::Ane {
            reasons.push(format!("the session is on {device}, not on {}", Device::Ane));
        }
        if !cfg!(target_vendor = "apple") {
            reasons.push("this program was not built for an Apple system".into());
        }
        if !matches!(optimizer, Optimizer::Sgd { .. } | Optimizer::Adam { .. }) {
            reasons.push(format!("its optimizers are SGD and Adam, the session's is {}", optimizer.name()));
        }
        let mut foreign: Vec<&str> =
            graph.nodes().iter().map(|n| n.op()).filter(|op| !layered(op)).map(Op::mnemonic).collect();
        foreign.sort_unstable();
        foreign.dedup();
        if !foreign.is_empty() {
            reasons.push(format!("it does not differentiate {}", foreign.join(", ")));
        }
        reasons.push(
            "the CoreML backend writes ML programs, and only the older neural-network format can be updated"
                .into(),
        );
        MlUpdateEligibility::Unsupported { reason: reasons.join("; "), reasons }
    }
}

/// Whether updatable models have a layer for the op.
fn layered(op: &Op) -> bool {
    matches!(
        op,
        Op::Input { .. }
            | Op::Param { .. }
            | Op::Constant { .. }
            | Op::Output { .. }
            | Op::Matmul { .. }
            | Op::DotGeneral { .. }
            | Op::Conv2d { .. }
            | Op::Convolution { .. }
            | Op::Reshape { .. }
            | Op::BroadcastInDim { .. }
            | Op::Binary { .. }
            | Op::Activation { .. }
            | Op::Softmax { .. }
            | Op::SoftmaxCrossEntropy { .. }
            | Op::Mse { .. }
    )
}

impl fmt::Display for MlUpdateEligibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MlUpdateEligibility::Eligible => f.write_str("eligible for MLUpdateTask"),
            MlUpdateEligibility::Unsupported { reason, .. } => {
                write!(f, "not eligible for MLUpdateTask: {reason}")
            }
        }
    }
}
