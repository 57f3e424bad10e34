//! Cases of composites. The evaluator runs the decomposition and is judged by a golden. A backend that claims a
//! composite must agree with the evaluator.

mod activation;
mod attention;
mod contraction;
mod movement;
mod network;
mod norm;

use crate::case::Row;
use rlx_ir::{DType, DTypeSet};

/// The types in which models are computed.
const PRIMARY: DTypeSet = DTypeSet::of(&[DType::F64, DType::F32, DType::F16, DType::BF16]);

/// 8-bit floats: each composite has a small row of them, and large ones would show nothing new.
const EIGHT_BITS: DTypeSet = DTypeSet::of(&[DType::F8E4M3, DType::F8E5M2]);

pub(super) fn rows() -> Vec<Row> {
    [
        activation::rows(),
        attention::rows(),
        contraction::rows(),
        movement::rows(),
        network::rows(),
        norm::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
