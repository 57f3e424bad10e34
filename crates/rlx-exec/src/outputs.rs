//! Outputs of the last run of an instance: in its working memory on the host, or on a device until somebody reads them.

use crate::buffer::{Buffer, DeviceBuffer, HostBuffer, downloaded};
use crate::layout::Layout;
use rlx_compile::BackendError;
use std::sync::{Arc, OnceLock};

/// A value on a device, and its bytes on the host once somebody asks for them.
struct DeviceOutput {
    buffer: Arc<dyn DeviceBuffer>,
    host: OnceLock<HostBuffer>,
}

impl DeviceOutput {
    /// The bytes, copied to the host by the first who asks.
    fn bytes(&self) -> Result<&[u8], BackendError> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let host = downloaded(&*self.buffer)?;
        // Whoever was faster has the same.
        Ok(self.host.get_or_init(|| host))
    }
}

/// What a run leaves on a device.
pub(crate) struct DeviceOutputs<'a>(&'a mut [Option<DeviceOutput>]);

impl DeviceOutputs<'_> {
    /// Leaves output `index` there.
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
    /// For each output whether the last run left it in the working memory.
    inside: Vec<bool>,
    /// For each output what the last run left on a device.
    on_device: Vec<Option<DeviceOutput>>,
}

impl Outputs {
    /// No outputs yet, of `count`.
    pub(crate) fn new(count: usize) -> Outputs {
        let on_device = (0..count).map(|_| None).collect();
        Outputs { memory: None, inside: vec![false; count], on_device }
    }

    /// Forgets the last run, and working memory of another size.
    pub(crate) fn forget(&mut self, bytes: Option<usize>) {
        self.inside.fill(false);
        self.on_device.fill_with(|| None);
        if self.memory.as_ref().map(|memory| memory.len()) != bytes {
            self.memory = None;
        }
    }

    /// Forgets the last run before the next: what it left on a device may be given up to that. Working memory of `bytes` bytes is
    /// allocated if the run needs it, and outputs for which `is_inside` holds are in it after the run.
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

    /// The working memory on the host, and what a run leaves on a device.
    pub(crate) fn parts(&mut self) -> (&mut [u8], DeviceOutputs<'_>) {
        let memory = self.memory.as_mut().map_or(&mut [][..], |memory| &mut memory[..]);
        (memory, DeviceOutputs(&mut self.on_device))
    }

    /// The bytes of an output; none where there is no such.
    pub(crate) fn output(&self, layout: &Layout, index: usize) -> Result<&[u8], BackendError> {
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

    /// Puts an output into a buffer; one on a device stays there.
    pub(crate) fn store(&self, layout: &Layout, index: usize, into: &mut Buffer) -> Result<(), BackendError> {
        match self.on_device.get(index) {
            Some(Some(output)) => *into = Buffer::Device(output.buffer.clone()),
            _ => into.write(self.output(layout, index)?)?,
        }
        Ok(())
    }

    /// Copies all outputs on a device to their places in the working memory.
    pub(crate) fn fetch(&mut self, layout: &Layout) -> Result<(), BackendError> {
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

    /// Where the working memory begins, and its length.
    pub(crate) fn memory(&self) -> (*const u8, usize) {
        self.memory.as_ref().map_or((std::ptr::null(), 0), |memory| (memory.as_ptr(), memory.len()))
    }
}
