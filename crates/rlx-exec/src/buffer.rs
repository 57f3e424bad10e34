//! Values in memory: on the host, or on a device in the backend's own form.
//!
//! - [`Buffer`] holds one value, in host memory ([`HostBuffer`]) or as the backend's own [`DeviceBuffer`].
//! - `Param` holds the bytes of a parameter and their owner, who is asked once.
//! - `Arguments` are what a run reads and writes: inputs (host bytes, buffers, states), state buffers, and
//!   places for outputs.
//! - `Executable` holds everything else: the arena, packed weights, and outputs until the next run.
//!
//! A run checks the number, length and alignment of inputs, parameters, states and places of outputs. The CPU
//! copies and allocates nothing: outputs are computed in the caller's memory or in the arena. An asynchronous
//! device starts a run and returns; parameters, states and outputs stay there as arrays and are downloaded when
//! they are read. A state array that nothing else holds is donated to the run, which writes the next value over
//! it.

pub use rlx_driver::{HostBuffer, LINE};

use rlx_compile::BackendError;
use rlx_driver::DeviceId;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// A value in the memory of a device. It does not change; a backend tells its own kind by `as_any`.
pub trait DeviceBuffer: Send + Sync {
    /// The device.
    fn device(&self) -> DeviceId;

    /// Size of the value in bytes, as the host sees it.
    fn num_bytes(&self) -> usize;

    /// Waits until the value is there, and copies it to the host. `into` has [`num_bytes`](Self::num_bytes) bytes.
    fn download(&self, into: &mut [u8]) -> Result<(), BackendError>;

    /// The value as its own type.
    fn as_any(&self) -> &dyn Any;
}

/// The bytes of a value on a device, copied to the host.
///
/// # Errors
/// Those of the device, and [`BackendError::OutOfMemory`].
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
    /// A copy of bytes in host memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Buffer, BackendError> {
        Ok(Buffer::Host(HostBuffer::from_bytes(bytes)?))
    }

    /// Size of the value in bytes.
    pub fn num_bytes(&self) -> usize {
        match self {
            Buffer::Host(host) => host.len(),
            Buffer::Device(device) => device.num_bytes(),
        }
    }

    /// The device in whose memory it lies; none for host memory.
    pub fn device(&self) -> Option<DeviceId> {
        match self {
            Buffer::Host(_) => None,
            Buffer::Device(device) => Some(device.device()),
        }
    }

    /// The bytes, where they lie in host memory.
    pub fn host(&self) -> Option<&[u8]> {
        match self {
            Buffer::Host(host) => Some(host),
            Buffer::Device(_) => None,
        }
    }

    /// Copies the value to `into`, which has its size.
    pub fn read(&self, into: &mut [u8]) -> Result<(), BackendError> {
        let (expected, got) = (self.num_bytes(), into.len());
        if expected != got {
            return Err(BackendError::Argument(format!(
                "a value of {expected} bytes does not go into {got}"
            )));
        }
        match self {
            Buffer::Host(host) => into.copy_from_slice(host),
            Buffer::Device(device) => device.download(into)?,
        }
        Ok(())
    }

    /// The value in host memory, to be written: it is downloaded first where it lies on a device.
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

    /// Replaces the value by a copy of `bytes`. Memory is allocated only where the size changes.
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
