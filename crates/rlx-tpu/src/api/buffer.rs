//! Arrays on a device.

use super::client::{Client, nothing};
use super::error::PjrtError;
use super::event::Event;
use super::types;
use crate::ffi::{
    Args, BufferDestroy, BufferDimensions, BufferElementType, BufferIsDeleted, BufferOnDeviceSize,
    BufferToHostBuffer, ClientBufferFromHostBuffer, MemoryLayout, RawBuffer,
};
use rlx_ir::DType;
use std::ptr::NonNull;

/// `PJRT_HostBufferSemantics_kImmutableOnlyDuringCall`: the plugin copies before it returns.
const DURING_CALL: i32 = 0;

/// An array on a device.
pub struct PjrtBuffer {
    client: Client,
    /// The number of its device.
    device: usize,
    raw: NonNull<RawBuffer>,
    /// The bytes that are counted for it.
    counted: u64,
}

// SAFETY: an array of PJRT may be used from any thread, and from several at once, and nothing here changes it.
unsafe impl Send for PjrtBuffer {}
// SAFETY: PJRT allows reading an array from several threads at once, and nothing here changes it.
unsafe impl Sync for PjrtBuffer {}

impl PjrtBuffer {
    /// Wraps the array behind a pointer that a call returned. `bytes` is the size of its elements if known. Otherwise the plugin is asked
    /// for it, which a run should not do for each of its results.
    ///
    /// # Safety
    /// `raw` must be an array of this client on device number `device` that nothing else frees.
    pub(super) unsafe fn of(
        client: &Client,
        device: usize,
        raw: NonNull<RawBuffer>,
        bytes: Option<usize>,
    ) -> PjrtBuffer {
        let mut buffer = PjrtBuffer { client: client.clone(), device, raw, counted: 0 };
        let bytes = bytes.or_else(|| buffer.device_bytes().ok());
        buffer.counted = bytes.map_or(0, |bytes| bytes as u64);
        client.count(device, buffer.counted);
        buffer
    }

    pub(super) fn upload(
        client: &Client,
        device: usize,
        dtype: DType,
        dims: &[usize],
        bytes: &[u8],
    ) -> Result<PjrtBuffer, PjrtError> {
        let wanted = dims.iter().try_fold(dtype.size(), |n, &d| n.checked_mul(d));
        if wanted != Some(bytes.len()) {
            let message = format!("{} bytes do not make {dims:?} elements of {dtype}", bytes.len());
            return Err(PjrtError::Argument(message));
        }
        let dims: Vec<i64> = dims.iter().map(|&d| d as i64).collect();
        let mut args = ClientBufferFromHostBuffer::zeroed();
        args.client = client.raw();
        args.data = bytes.as_ptr().cast();
        args.r#type = types::number(dtype);
        args.dims = dims.as_ptr();
        args.num_dims = dims.len();
        args.host_buffer_semantics = DURING_CALL;
        args.device = client.raw_device(device)?;
        // SAFETY: client and device are alive. There are as many bytes as the plugin reads during the call, dense and
        // row-major because no strides are given.
        unsafe { client.call(&mut args)? };
        // SAFETY: the event belongs to this call. The bytes are already copied, so nothing waits for it.
        drop(unsafe { Event::of(client.plugin(), args.done_with_host_buffer) });
        let raw = NonNull::new(args.buffer).ok_or_else(|| nothing(ClientBufferFromHostBuffer::FUNCTION))?;
        // SAFETY: the plugin made it for us.
        Ok(unsafe { PjrtBuffer::of(client, device, raw, Some(bytes.len())) })
    }

    /// Returns the connection that the array belongs to.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns the number of the device that holds the array.
    pub fn device(&self) -> usize {
        self.device
    }

    /// Returns whether its memory was donated to a run that wrote over it.
    pub fn is_deleted(&self) -> Result<bool, PjrtError> {
        let mut args = BufferIsDeleted::zeroed();
        args.buffer = self.raw.as_ptr();
        // SAFETY: the array lives.
        unsafe { self.client.call(&mut args)? };
        Ok(args.is_deleted)
    }

    /// Returns the element type, or an error if RLX does not have the type.
    pub fn dtype(&self) -> Result<DType, PjrtError> {
        let mut args = BufferElementType::zeroed();
        args.buffer = self.raw.as_ptr();
        // SAFETY: the array lives.
        unsafe { self.client.call(&mut args)? };
        let unknown = || PjrtError::Argument(format!("RLX lacks the element type {} of PJRT", args.r#type));
        types::dtype(args.r#type).ok_or_else(unknown)
    }

    /// The sizes.
    pub fn dims(&self) -> Result<Vec<usize>, PjrtError> {
        let mut args = BufferDimensions::zeroed();
        args.buffer = self.raw.as_ptr();
        // SAFETY: the array lives.
        unsafe { self.client.call(&mut args)? };
        let at = |i| {
            // SAFETY: the plugin returned this number of sizes, which live as long as the array.
            usize::try_from(unsafe { args.dims.add(i).read() }).unwrap_or(0)
        };
        Ok((0..args.num_dims).map(at).collect())
    }

    /// Returns the number of bytes that it occupies on the device.
    pub fn device_bytes(&self) -> Result<usize, PjrtError> {
        let mut args = BufferOnDeviceSize::zeroed();
        args.buffer = self.raw.as_ptr();
        // SAFETY: the array lives.
        unsafe { self.client.call(&mut args)? };
        Ok(args.on_device_size_in_bytes)
    }

    /// Waits for the elements and copies them to the host, row-major and little-endian. `into` must have exactly their size.
    pub fn download(&self, into: &mut [u8]) -> Result<(), PjrtError> {
        let dims = self.dims()?;
        let wanted = dims.iter().product::<usize>() * self.dtype()?.size();
        if wanted != into.len() {
            let message = format!("an array of {wanted} bytes does not go into {}", into.len());
            return Err(PjrtError::Argument(message));
        }
        let minor_to_major: Vec<i64> = (0..dims.len() as i64).rev().collect();
        let mut layout = MemoryLayout::zeroed();
        layout.tiled.struct_size = crate::ffi::TiledLayout::SIZE;
        layout.tiled.minor_to_major = minor_to_major.as_ptr();
        layout.tiled.minor_to_major_size = minor_to_major.len();
        let mut args = BufferToHostBuffer::zeroed();
        args.src = self.raw.as_ptr();
        args.host_layout = &raw mut layout;
        args.dst = into.as_mut_ptr().cast();
        args.dst_size = into.len();
        // SAFETY: the array is alive. The plugin writes as many bytes as the array has, until the event is ready. This function
        // waits for the event.
        unsafe {
            self.client.call(&mut args)?;
            Event::of(self.client.plugin(), args.event).map_or(Ok(()), |event| event.wait())
        }
    }

    pub(super) fn raw(&self) -> *mut RawBuffer {
        self.raw.as_ptr()
    }
}

impl Drop for PjrtBuffer {
    fn drop(&mut self) {
        self.client.discount(self.device, self.counted);
        let mut args = BufferDestroy::zeroed();
        args.buffer = self.raw.as_ptr();
        // SAFETY: the array is freed once, here; the plugin keeps its memory until work on it is done.
        let _ = unsafe { self.client.call(&mut args) };
    }
}
