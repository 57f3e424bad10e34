//! Tensors of mapped files as parameters, which are released from memory once they are packed.

use rlx_compile::ParamBytes;
use rlx_files::weights::{Weights, WeightsError};
use std::sync::Arc;

/// The bytes of a tensor as stored in a file, for [`set_param_shared`](crate::CompiledGraph::set_param_shared). Only the parts of a mapped
/// file that are read take memory, and those for which kernels have packed forms are released again.
pub struct StoredTensor {
    weights: Arc<Weights>,
    name: String,
}

impl StoredTensor {
    /// Opens the tensor of this name, or fails if there is none. The caller must compare its type with the parameter's.
    pub fn new(weights: Arc<Weights>, name: &str) -> Result<StoredTensor, WeightsError> {
        weights.tensor(name)?;
        Ok(StoredTensor { weights, name: name.into() })
    }
}

impl ParamBytes for StoredTensor {
    fn bytes(&self) -> &[u8] {
        self.weights.get(&self.name).map_or(&[], |tensor| tensor.bytes())
    }

    fn release(&self) {
        self.weights.release(&self.name);
    }
}
