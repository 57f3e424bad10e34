//! Values in memory: on the host, or on a device in the backend's own form.
//!
//! - [`Buffer`] holds one value, in host memory ([`HostBuffer`]) or as the backend's own [`DeviceBuffer`].
//! - `Param` holds the bytes of a parameter and their owner, which is asked for them once.
//! - `Arguments` lists everything that a run reads and writes: inputs (host bytes, buffers, states), state buffers, and
//!   memory for outputs.
//! - `Executable` holds everything else: the arena, packed weights, and outputs until the next run.
//!
//! A run checks the number, length and alignment of inputs, parameters, states and the memory for outputs. The CPU
//! copies and allocates nothing: it computes outputs in the caller's memory or in the arena. An asynchronous
//! device starts a run and returns. Parameters, states and outputs stay on the device as arrays and are downloaded when
//! they are read. If nothing else holds a state array, it is donated to the run, which writes the next value over it.

pub use rlx_driver::{HostBuffer, LINE};

use rlx_compile::BackendError;
use rlx_driver::DeviceId;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// An immutable value in the memory of a device. A backend recognizes its own buffers with `as_any`.
pub trait DeviceBuffer: Send + Sync {
    /// Returns the device.
    fn device(&self) -> DeviceId;

    /// Returns the size of the value in bytes, as the host sees it.
    fn num_bytes(&self) -> usize;

    /// Waits until the value is ready, and copies it to the host. `into` must have [`num_bytes`](Self::num_bytes) bytes.
    fn download(&self, into: &mut [u8]) -> Result<(), BackendError>;

    /// Returns the value as its own type.
    fn as_any(&self) -> &dyn Any;
}

/// Copies a value from a device to the host.
///
/// # Errors
/// Returns the device's errors, and [`BackendError::OutOfMemory`].
pub fn downloaded(value: &dyn DeviceBuffer) -> Result<HostBuffer, BackendError> {
    let mut bytes = HostBuffer::zeroed(value.num_bytes())?;
    value.download(&mut bytes)?;
    Ok(bytes)
}

/// One value: row-major little-endian elements in host memory, or on a device.
#[derive(Clone)]
pub enum Buffer {
    /// In host memory.
    Host(HostBuffer),
    /// On a device. Cloning shares it.
    Device(Arc<dyn DeviceBuffer>),
}

impl Buffer {
    /// Creates a buffer in host memory with a copy of `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Result<Buffer, BackendError> {
        Ok(Buffer::Host(HostBuffer::from_bytes(bytes)?))
    }

    /// Returns the size of the value in bytes.
    pub fn num_bytes(&self) -> usize {
        match self {
            Buffer::Host(host) => host.len(),
            Buffer::Device(device) => device.num_bytes(),
        }
    }

    /// Returns the device that holds the value, or `None` if it is in host memory.
    pub fn device(&self) -> Option<DeviceId> {
        match self {
            Buffer::Host(_) => None,
            Buffer::Device(device) => Some(device.device()),
        }
    }

    /// Returns the bytes, or `None` if the value is on a device.
    pub fn host(&self) -> Option<&[u8]> {
        match self {
            Buffer::Host(host) => Some(host),
            Buffer::Device(_) => None,
        }
    }

    /// Copies the value to `into`, which must have its size.
    pub fn read(&self, into: &mut [u8]) -> Result<(), BackendError> {
        let (expected, got) = (self.num_bytes(), into.len());
        if expected != got {
            return Err(BackendError::Argument(format!(
                "cannot read a value of {expected} bytes into {got} bytes"
            )));
        }
        match self {
            Buffer::Host(host) => into.copy_from_slice(host),
            Buffer::Device(device) => device.download(into)?,
        }
        Ok(())
    }

    /// Returns the value in host memory for writing. If it is on a device, it is downloaded first.
    pub fn host_mut(&mut self) -> Result<&mut HostBuffer, BackendError> {
        if let Buffer::Device(device) = self {
            let mut host = HostBuffer::zeroed(device.num_bytes())?;
            device.download(&mut host)?;
            *self = Buffer::Host(host);
        }
        match self {
            Buffer::Host(host) => Ok(host),
            Buffer::Device(_) => Err(BackendError::Argument("a value on a device is not on the host".into())),
        }
    }

    /// Replaces the value with a copy of `bytes`. Memory is allocated only if the size changes or the value is on a device.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), BackendError> {
        match self {
            Buffer::Host(host) if host.len() == bytes.len() => host.copy_from_slice(bytes),
            _ => *self = Buffer::from_bytes(bytes)?,
        }
        Ok(())
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.device().map_or_else(|| "the host".into(), |device| device.to_string());
        write!(f, "Buffer({} bytes on {place})", self.num_bytes())
    }
}
