//! Parameters: their values, and their arrays on the device, which instances share.

use super::failed_with;
use crate::api::{Client, PjrtBuffer};
use rlx_compile::{BackendError, Param};
use rlx_ir::DType;
use std::sync::{Arc, Mutex, PoisonError};

/// The value of one parameter. Instances that were cloned from each other hold the same one, whatever sizes they are
/// for, so that its array is copied to the device once.
pub(super) struct UploadedParam {
    value: Param,
    /// By sizes: a parameter of symbolic sizes may be asked for under several.
    uploaded: Mutex<Vec<(Vec<usize>, Arc<PjrtBuffer>)>>,
}

impl UploadedParam {
    pub(super) fn new(value: Param) -> UploadedParam {
        UploadedParam { value, uploaded: Mutex::default() }
    }

    /// The array on the device. Others that ask meanwhile wait, and get the same.
    pub(super) fn buffer(
        &self,
        client: &Client,
        ordinal: usize,
        dtype: DType,
        dims: &[usize],
    ) -> Result<Arc<PjrtBuffer>, BackendError> {
        // A panic leaves the list whole: entries are pushed last.
        let mut uploaded = self.uploaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, buffer)) = uploaded.iter().find(|(of, _)| of == dims) {
            return Ok(buffer.clone());
        }
        let bytes = self.value.bytes();
        let buffer = client.upload(ordinal, dtype, dims, bytes).map_err(failed_with(bytes.len()))?;
        let buffer = Arc::new(buffer);
        uploaded.push((dims.to_vec(), buffer.clone()));
        Ok(buffer)
    }
}
