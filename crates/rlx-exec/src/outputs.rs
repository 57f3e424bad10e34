//! Outputs of an instance's last run: in its working memory on the host, or on a device until they are read.

use crate::buffer::{Buffer, DeviceBuffer, HostBuffer, downloaded};
use crate::layout::ProgramLayout;
use rlx_compile::BackendError;
use std::sync::{Arc, OnceLock};

/// A value on a device, with its bytes on the host once they have been read.
struct DeviceOutput {
    buffer: Arc<dyn DeviceBuffer>,
    host: OnceLock<HostBuffer>,
}

impl DeviceOutput {
    /// Returns the bytes, which the first call copies to the host.
    fn bytes(&self) -> Result<&[u8], BackendError> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let host = downloaded(&*self.buffer)?;
        // If another thread was faster, its copy is the same.
        Ok(self.host.get_or_init(|| host))
    }
}

/// The outputs that a run leaves on a device.
pub(crate) struct DeviceOutputs<'a>(&'a mut [Option<DeviceOutput>]);

impl DeviceOutputs<'_> {
    /// Leaves output `index` on the device.
    pub(crate) fn set(&mut self, index: usize, buffer: Arc<dyn DeviceBuffer>) {
        if let Some(output) = self.0.get_mut(index) {
            *output = Some(DeviceOutput { buffer, host: OnceLock::new() });
        }
    }
}

/// Where the outputs of the last run are.
pub(crate) struct Outputs {
    /// The working memory on the host.
    memory: Option<HostBuffer>,
    /// For each output, whether the last run left it in the working memory.
    inside: Vec<bool>,
    /// For each output, the value that the last run left on a device.
    on_device: Vec<Option<DeviceOutput>>,
}

impl Outputs {
    /// Creates an empty list for `count` outputs.
    pub(crate) fn new(count: usize) -> Outputs {
        let on_device = (0..count).map(|_| None).collect();
        Outputs { memory: None, inside: vec![false; count], on_device }
    }

    /// Forgets the last run, and drops working memory that does not have this size.
    pub(crate) fn forget(&mut self, bytes: Option<usize>) {
        self.inside.fill(false);
        self.on_device.fill_with(|| None);
        if self.memory.as_ref().map(|memory| memory.len()) != bytes {
            self.memory = None;
        }
    }

    /// Forgets the last run before the next one, to which its outputs on a device may be donated. Allocates `bytes` bytes of working
    /// memory if they are needed. After the run, the outputs for which `is_inside` holds are in that memory.
    pub(crate) fn begin(
        &mut self,
        bytes: Option<usize>,
        is_inside: impl Fn(usize) -> bool,
    ) -> Result<(), BackendError> {
        self.forget(bytes);
        for (index, inside) in self.inside.iter_mut().enumerate() {
            *inside = is_inside(index);
        }
        if let (Some(bytes), None) = (bytes, &self.memory) {
            self.memory = Some(HostBuffer::zeroed(bytes)?);
        }
        Ok(())
    }

    /// Returns the working memory on the host, and the list of outputs on a device.
    pub(crate) fn parts(&mut self) -> (&mut [u8], DeviceOutputs<'_>) {
        let memory = self.memory.as_mut().map_or(&mut [][..], |memory| &mut memory[..]);
        (memory, DeviceOutputs(&mut self.on_device))
    }

    /// Returns the bytes of an output. The slice is empty if the last run left none here.
    pub(crate) fn output(&self, layout: &ProgramLayout, index: usize) -> Result<&[u8], BackendError> {
        if let Some(Some(output)) = self.on_device.get(index) {
            return output.bytes();
        }
        let (Some(true), Some(offset), Some(memory)) =
            (self.inside.get(index), layout.offset(index), &self.memory)
        else {
            return Ok(&[]);
        };
        let end = offset.checked_add(layout.output_bytes(index));
        Ok(end.and_then(|end| memory.get(offset..end)).unwrap_or_default())
    }

    /// Stores an output in a buffer. An output on a device stays there.
    pub(crate) fn store(
        &self,
        layout: &ProgramLayout,
        index: usize,
        into: &mut Buffer,
    ) -> Result<(), BackendError> {
        match self.on_device.get(index) {
            Some(Some(output)) => *into = Buffer::Device(output.buffer.clone()),
            _ => into.write(self.output(layout, index)?)?,
        }
        Ok(())
    }

    /// Copies all outputs from a device to their places in the working memory.
    pub(crate) fn fetch(&mut self, layout: &ProgramLayout) -> Result<(), BackendError> {
        if self.on_device.iter().all(Option::is_none) {
            return Ok(());
        }
        let memory = match &mut self.memory {
            Some(memory) if memory.len() >= layout.memory_bytes() => memory,
            memory => memory.insert(HostBuffer::zeroed(layout.memory_bytes())?),
        };
        for (index, output) in self.on_device.iter().enumerate() {
            let (Some(output), Some(offset)) = (output, layout.offset(index)) else { continue };
            output.buffer.download(&mut memory[offset..offset + layout.output_bytes(index)])?;
        }
        Ok(())
    }

    /// Returns the start of the working memory, and its length in bytes.
    pub(crate) fn memory(&self) -> (*const u8, usize) {
        self.memory.as_ref().map_or((std::ptr::null(), 0), |memory| (memory.as_ptr(), memory.len()))
    }
}
