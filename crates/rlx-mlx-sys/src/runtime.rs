//! Devices, streams and memory.

use crate::codes::Kind;
use crate::error::{LoadError, MlxError};
use crate::ffi::RawStream;
use crate::load::Mlx;
use std::sync::{Mutex, PoisonError};

/// What MLX says of a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceText {
    /// Its name.
    pub name: String,
    /// Its memory in bytes, where that is known.
    pub memory: Option<u64>,
}

/// Memory of MLX's arrays in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryUse {
    /// In use.
    pub active: u64,
    /// The most that was in use.
    pub peak: u64,
    /// Free, and kept for arrays to come.
    pub cached: u64,
}

/// A queue of work on a device. MLX never ends one, so that those that are dropped are used again.
#[derive(Debug)]
pub struct Stream {
    mlx: Mlx,
    raw: RawStream,
}

/// Streams that nobody uses.
static IDLE: Mutex<Vec<RawStream>> = Mutex::new(Vec::new());

impl Stream {
    pub(crate) fn raw(&self) -> RawStream {
        self.raw
    }

    /// The MLX that it is of.
    pub fn mlx(&self) -> Mlx {
        self.mlx
    }

    /// The kind of its device.
    pub fn kind(&self) -> Kind {
        if self.raw.kind == Kind::Gpu.code() { Kind::Gpu } else { Kind::Cpu }
    }

    /// Waits for all work that was put on it. Other threads go on.
    pub fn wait(&self) -> Result<(), MlxError> {
        self.mlx.check_process()?;
        // SAFETY: the stream was made by this library.
        self.mlx.checked(unsafe { (self.mlx.table().stream_wait)(self.raw) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(self.raw);
    }
}

impl Mlx {
    /// How many devices there are of a kind.
    pub fn device_count(&self, kind: Kind) -> usize {
        let mut count = 0;
        // SAFETY: the number is written behind a pointer that lives.
        let status = unsafe { (self.table().device_count)(kind.code(), &raw mut count) };
        if self.checked(status).is_ok() { usize::try_from(count).unwrap_or(0) } else { 0 }
    }

    /// The kind of device to use where none is named: a GPU where there is one.
    pub fn default_kind(&self) -> Kind {
        if self.device_count(Kind::Gpu) > 0 { Kind::Gpu } else { Kind::Cpu }
    }

    /// Fails where there is no device of a kind.
    pub fn check_kind(&self, kind: Kind) -> Result<(), LoadError> {
        let name = match kind {
            Kind::Cpu => "CPU",
            Kind::Gpu => "GPU",
        };
        let version = self.version();
        if self.device_count(kind) > 0 { Ok(()) } else { Err(LoadError::NoDevice { version, kind: name }) }
    }

    /// What a device is.
    pub fn device(&self, kind: Kind, ordinal: usize) -> Result<DeviceText, MlxError> {
        let (mut line, mut memory) = ([0u8; 256], 0u64);
        let ordinal = i32::try_from(ordinal).map_err(|_| MlxError::TooLarge(ordinal))?;
        // SAFETY: text is cut to the capacity, and both pointers live.
        let status = unsafe {
            let line = line.as_mut_ptr().cast();
            (self.table().device_info)(kind.code(), ordinal, line, 256, &raw mut memory)
        };
        self.checked(status)?;
        let end = line.iter().position(|&byte| byte == 0).unwrap_or(line.len());
        let name = String::from_utf8_lossy(&line[..end]).into_owned();
        Ok(DeviceText { name, memory: (memory > 0).then_some(memory) })
    }

    /// A stream of a device, which any thread may use.
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
        // SAFETY: the stream is written behind a pointer that lives.
        self.checked(unsafe { (self.table().stream_new)(kind.code(), ordinal, &raw mut raw) })?;
        Ok(Stream { mlx: *self, raw })
    }

    /// Memory of the arrays in this process.
    pub fn memory(&self) -> Result<MemoryUse, MlxError> {
        let (mut active, mut peak, mut cached) = (0, 0, 0);
        // SAFETY: the numbers are written behind pointers that live.
        let status = unsafe { (self.table().memory_use)(&raw mut active, &raw mut peak, &raw mut cached) };
        self.checked(status)?;
        Ok(MemoryUse { active, peak, cached })
    }

    /// The most memory that arrays of this process may have, in bytes: a limit that MLX keeps to as far as it can. Gives the limit before.
    pub fn limit_memory(&self, bytes: u64) -> Result<u64, MlxError> {
        let mut before = 0;
        // SAFETY: a number is passed, and one is written behind a pointer that lives.
        self.checked(unsafe { (self.table().set_memory_limit)(bytes, &raw mut before) })?;
        Ok(before)
    }

    /// The most free memory that is kept for arrays to come, in bytes. Gives the limit before.
    pub fn limit_cache(&self, bytes: u64) -> Result<u64, MlxError> {
        let mut before = 0;
        // SAFETY: a number is passed, and one is written behind a pointer that lives.
        self.checked(unsafe { (self.table().set_cache_limit)(bytes, &raw mut before) })?;
        Ok(before)
    }

    /// The most memory that stays resident on a GPU of Apple's, in bytes.
    pub fn limit_wired(&self, bytes: u64) -> Result<(), MlxError> {
        // SAFETY: a number is passed.
        self.checked(unsafe { (self.table().set_wired_limit)(bytes) })
    }

    /// Whether compiled functions have kernels of their own. On a CPU MLX makes these with the compiler of the system, which takes a second
    /// each.
    pub fn set_fusing(&self, on: bool) -> Result<(), MlxError> {
        // SAFETY: a number is passed.
        self.checked(unsafe { (self.table().set_fusing)(i32::from(on)) })
    }

    /// Gives free memory that is kept back to the system.
    pub fn clear_cache(&self) -> Result<(), MlxError> {
        // SAFETY: nothing is passed.
        self.checked(unsafe { (self.table().clear_cache)() })
    }
}
