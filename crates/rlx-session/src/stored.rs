//! Tensors of mapped files as parameters, which leave memory once they are packed.

use rlx_compile::ParamBytes;
use rlx_files::weights::{Weights, WeightsError};
use std::sync::Arc;

/// The bytes of a tensor as they lie in files, for [`set_param_shared`](crate::CompiledGraph::set_param_shared): of mapped files only
/// those are in memory that somebody reads, and those of which kernels have forms of their own leave it again.
pub struct StoredTensor {
    weights: Arc<Weights>,
    name: String,
}

impl StoredTensor {
    /// The tensor of this name; an error if there is none. Its type is for the caller to compare with the parameter's.
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
