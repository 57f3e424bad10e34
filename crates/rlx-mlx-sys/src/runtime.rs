//! Devices, streams and memory.

use crate::codes::Kind;
use crate::error::{LoadError, MlxError};
use crate::ffi::RawStream;
use crate::load::Mlx;
use std::sync::{Mutex, PoisonError};

/// A description of a device, from MLX.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceText {
    /// Its name.
    pub name: String,
    /// Its memory in bytes, if known.
    pub memory: Option<u64>,
}

/// The memory of MLX's arrays, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryUse {
    /// In use.
    pub active: u64,
    /// The maximum that was in use.
    pub peak: u64,
    /// Free, and cached for future arrays.
    pub cached: u64,
}

/// A queue of work on a device. MLX never destroys a stream, so dropped streams are reused.
#[derive(Debug)]
pub struct Stream {
    mlx: Mlx,
    raw: RawStream,
}

/// Streams that are not in use.
static IDLE: Mutex<Vec<RawStream>> = Mutex::new(Vec::new());

impl Stream {
    pub(crate) fn raw(&self) -> RawStream {
        self.raw
    }

    /// Returns the MLX that it belongs to.
    pub fn mlx(&self) -> Mlx {
        self.mlx
    }

    /// Returns the kind of its device.
    pub fn kind(&self) -> Kind {
        if self.raw.kind == Kind::Gpu.code() { Kind::Gpu } else { Kind::Cpu }
    }

    /// Waits for all work submitted to it. Other threads continue.
    pub fn wait(&self) -> Result<(), MlxError> {
        self.mlx.check_process()?;
        // SAFETY: this library made the stream.
        self.mlx.checked(unsafe { (self.mlx.table().stream_wait)(self.raw) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self.raw);
    }
}

impl Mlx {
    /// Returns the number of devices of a kind.
    pub fn device_count(&self, kind: Kind) -> usize {
        let mut count = 0;
        // SAFETY: the number is written through a pointer that lives.
        let status = unsafe { (self.table().device_count)(kind.code(), &raw mut count) };
        if self.checked(status).is_ok() { usize::try_from(count).unwrap_or(0) } else { 0 }
    }

    /// Returns the kind of device to use by default: a GPU if there is one.
    pub fn default_kind(&self) -> Kind {
        if self.device_count(Kind::Gpu) > 0 { Kind::Gpu } else { Kind::Cpu }
    }

    /// Fails if there is no device of this kind.
    pub fn check_kind(&self, kind: Kind) -> Result<(), LoadError> {
        let name = match kind {
            Kind::Cpu => "CPU",
            Kind::Gpu => "GPU",
        };
        let version = self.version();
        if self.device_count(kind) > 0 { Ok(()) } else { Err(LoadError::NoDevice { version, kind: name }) }
    }

    /// Describes a device.
    pub fn device(&self, kind: Kind, ordinal: usize) -> Result<DeviceText, MlxError> {
        let (mut line, mut memory) = ([0u8; 256], 0u64);
        let ordinal = i32::try_from(ordinal).map_err(|_| MlxError::TooLarge(ordinal))?;
        // SAFETY: text is truncated to the capacity, and both pointers live.
        let status = unsafe {
            let line = line.as_mut_ptr().cast();
            (self.table().device_info)(kind.code(), ordinal, line, 256, &raw mut memory)
        };
        self.checked(status)?;
        let end = line.iter().position(|&byte| byte == 0).unwrap_or(line.len());
        let name = String::from_utf8_lossy(&line[..end]).into_owned();
        Ok(DeviceText { name, memory: (memory > 0).then_some(memory) })
    }

    /// Returns a stream of a device, which any thread may use.
    pub fn stream(&self, kind: Kind, ordinal: usize) -> Result<Stream, MlxError> {
        self.check_process()?;
        let ordinal = i32::try_from(ordinal).map_err(|_| MlxError::TooLarge(ordinal))?;
        let mut idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = idle.iter().position(|raw| raw.kind == kind.code() && raw.ordinal == ordinal) {
            return Ok(Stream { mlx: *self, raw: idle.swap_remove(at) });
        }
        drop(idle);
        let mut raw = RawStream { index: 0, kind: kind.code(), ordinal };
        let _one = self.exclusive();
        // SAFETY: the stream is written through a pointer that lives.
        self.checked(unsafe { (self.table().stream_new)(kind.code(), ordinal, &raw mut raw) })?;
        Ok(Stream { mlx: *self, raw })
    }

    /// Returns the memory of the arrays in this process.
    pub fn memory(&self) -> Result<MemoryUse, MlxError> {
        let (mut active, mut peak, mut cached) = (0, 0, 0);
        // SAFETY: the numbers are written through pointers that live.
        let status = unsafe { (self.table().memory_use)(&raw mut active, &raw mut peak, &raw mut cached) };
        self.checked(status)?;
        Ok(MemoryUse { active, peak, cached })
    }

    /// Sets the maximum memory of this process's arrays in bytes, which MLX observes as far as it can. Returns the previous limit.
    pub fn limit_memory(&self, bytes: u64) -> Result<u64, MlxError> {
        let mut before = 0;
        // SAFETY: a number is passed, and one is written through a pointer that lives.
        self.checked(unsafe { (self.table().set_memory_limit)(bytes, &raw mut before) })?;
        Ok(before)
    }

    /// Sets the maximum free memory that is cached for future arrays, in bytes. Returns the previous limit.
    pub fn limit_cache(&self, bytes: u64) -> Result<u64, MlxError> {
        let mut before = 0;
        // SAFETY: a number is passed, and one is written through a pointer that lives.
        self.checked(unsafe { (self.table().set_cache_limit)(bytes, &raw mut before) })?;
        Ok(before)
    }

    /// Sets the maximum memory that stays resident on an Apple GPU, in bytes.
    pub fn limit_wired(&self, bytes: u64) -> Result<(), MlxError> {
        // SAFETY: a number is passed.
        self.checked(unsafe { (self.table().set_wired_limit)(bytes) })
    }

    /// Sets whether compiled functions have their own kernels. On a CPU, MLX compiles these with the system's compiler, which takes a
    /// second each.
    pub fn set_fusing(&self, on: bool) -> Result<(), MlxError> {
        // SAFETY: a number is passed.
        self.checked(unsafe { (self.table().set_fusing)(i32::from(on)) })
    }

    /// Returns cached free memory to the system.
    pub fn clear_cache(&self) -> Result<(), MlxError> {
        // SAFETY: there are no arguments.
        self.checked(unsafe { (self.table().clear_cache)() })
    }
}
