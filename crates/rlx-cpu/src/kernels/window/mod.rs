//! Windows that move over tensors.

pub(crate) mod taps;
