//! Outputs that a run left on a device, and their copies in host memory.

use crate::alias::Alias;
use crate::backend::{Arguments, BackendError};
use crate::buffer::{Buffer, DeviceBuffer, HostBuffer, LINE, downloaded};
use rlx_ir::Shape;
use std::sync::{Arc, OnceLock};

/// Where the outputs of a program lie in one piece of host memory, each at the start of a cache line.
#[derive(Clone, Debug, Default)]
pub struct OutputPlaces {
    places: Vec<OutputPlace>,
    end: usize,
}

#[derive(Clone, Copy, Debug)]
struct OutputPlace {
    offset: Option<usize>,
    bytes: usize,
}

impl OutputPlaces {
    /// Places for outputs of these shapes, but for those that lie `elsewhere`, by their numbers.
    ///
    /// # Errors
    /// [`BackendError::Unsupported`] where a size is a symbol, or all together have more bytes than there can be.
    pub fn new(shapes: &[Shape], elsewhere: impl Fn(usize) -> bool) -> Result<OutputPlaces, BackendError> {
        let mut all = OutputPlaces::default();
        for (index, shape) in shapes.iter().enumerate() {
            let none =
                || BackendError::Unsupported(format!("{shape} has no size, or more bytes than there can be"));
            let bytes = shape.num_bytes().ok_or_else(none)?;
            let offset = (!elsewhere(index)).then_some(all.end);
            if offset.is_some() {
                let next = bytes.checked_next_multiple_of(LINE).and_then(|bytes| all.end.checked_add(bytes));
                all.end = next.ok_or_else(none)?;
            }
            all.places.push(OutputPlace { offset, bytes });
        }
        Ok(all)
    }

    /// How many outputs there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The bytes of an output; 0 where there is no such.
    pub fn bytes(&self, index: usize) -> usize {
        self.places.get(index).map_or(0, |place| place.bytes)
    }

    /// Where an output begins, if it lies there.
    pub fn offset(&self, index: usize) -> Option<usize> {
        self.places.get(index)?.offset
    }

    /// The bytes of the whole piece of memory.
    pub fn total_bytes(&self) -> usize {
        self.end
    }
}

impl Arguments<'_, '_> {
    /// Fails unless there are as many inputs and state buffers as a program takes, and no more places than it has outputs.
    ///
    /// # Errors
    /// [`BackendError::Argument`].
    pub fn check_counts(&self, inputs: usize, pairs: usize, outputs: usize) -> Result<(), BackendError> {
        let got = (self.inputs.len(), self.state.len(), self.outputs.len());
        if got.0 == inputs && got.1 == pairs && got.2 <= outputs {
            return Ok(());
        }
        Err(BackendError::Argument(format!(
            "the program has {inputs} inputs, {pairs} state buffers and {outputs} outputs; got {}, {} and {}",
            got.0, got.1, got.2
        )))
    }
}

/// A value on a device, and its bytes on the host once somebody asks for them.
pub struct DeviceOutput {
    buffer: Arc<dyn DeviceBuffer>,
    host: OnceLock<HostBuffer>,
}

impl DeviceOutput {
    /// Of a value that a run left.
    pub fn new(buffer: Arc<dyn DeviceBuffer>) -> DeviceOutput {
        DeviceOutput { buffer, host: OnceLock::new() }
    }

    /// The value.
    pub fn buffer(&self) -> &Arc<dyn DeviceBuffer> {
        &self.buffer
    }

    /// Its bytes, copied to the host by the first who asks.
    ///
    /// # Errors
    /// Those of the device, and [`BackendError::OutOfMemory`].
    pub fn bytes(&self) -> Result<&[u8], BackendError> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let host = downloaded(&*self.buffer)?;
        // Whoever was faster has the same.
        Ok(self.host.get_or_init(|| host))
    }
}

/// The outputs of an executable's last run, all of which lie on a device until somebody reads them.
#[derive(Default)]
pub struct DeviceOutputs {
    outputs: Vec<DeviceOutput>,
    /// All of them in one piece of host memory, once somebody asked for that.
    arena: Option<HostBuffer>,
}

impl DeviceOutputs {
    /// Lets go of those of the run before.
    pub fn clear(&mut self) {
        *self = DeviceOutputs::default();
    }

    /// Takes what a run has made: states become the outputs that they are aliases of, and what the caller has a place for is copied there.
    ///
    /// # Errors
    /// Those of the device.
    pub fn set(
        &mut self,
        made: impl IntoIterator<Item = Arc<dyn DeviceBuffer>>,
        aliases: &[Alias],
        state: &mut [Buffer],
        places: &mut [Option<&mut [u8]>],
    ) -> Result<(), BackendError> {
        self.arena = None;
        self.outputs = made.into_iter().map(DeviceOutput::new).collect();
        for (alias, buffer) in aliases.iter().zip(state) {
            if let Some(output) = self.outputs.get(alias.output) {
                *buffer = Buffer::Device(output.buffer.clone());
            }
        }
        for (output, place) in self.outputs.iter().zip(places) {
            if let Some(place) = place {
                output.buffer.download(place)?;
            }
        }
        Ok(())
    }

    /// The bytes of an output; none where there is no such.
    ///
    /// # Errors
    /// Those of the device, and [`BackendError::OutOfMemory`].
    pub fn output(&self, index: usize) -> Result<&[u8], BackendError> {
        self.outputs.get(index).map_or(Ok(&[]), DeviceOutput::bytes)
    }

    /// Puts an output into a buffer, where it stays on the device.
    ///
    /// # Errors
    /// [`BackendError::OutOfMemory`] where there is no such output and memory for nothing.
    pub fn store(&self, index: usize, into: &mut Buffer) -> Result<(), BackendError> {
        *into = match self.outputs.get(index) {
            Some(output) => Buffer::Device(output.buffer.clone()),
            None => Buffer::from_bytes(&[])?,
        };
        Ok(())
    }

    /// Copies all of them into one piece of host memory.
    ///
    /// # Errors
    /// Those of the device, and [`BackendError::OutOfMemory`].
    pub fn fetch(&mut self, places: &OutputPlaces) -> Result<(), BackendError> {
        let mut arena = HostBuffer::zeroed(places.total_bytes())?;
        for (index, output) in self.outputs.iter().enumerate() {
            let Some(offset) = places.offset(index) else { continue };
            output.buffer.download(&mut arena[offset..offset + places.bytes(index)])?;
        }
        self.arena = Some(arena);
        Ok(())
    }

    /// Where that piece of memory begins, and its length; nothing where nobody asked for it.
    pub fn arena(&self) -> (*const u8, usize) {
        self.arena.as_ref().map_or((std::ptr::null(), 0), |arena| (arena.as_ptr(), arena.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_driver::{Device, DeviceId};
    use rlx_ir::DType;
    use std::any::Any;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Bytes that count how often they are copied.
    #[derive(Debug)]
    struct Counted(Vec<u8>, AtomicUsize);

    impl DeviceBuffer for Counted {
        fn device(&self) -> DeviceId {
            Device::Cpu.ordinal(0)
        }

        fn num_bytes(&self) -> usize {
            self.0.len()
        }

        fn download(&self, into: &mut [u8]) -> Result<(), BackendError> {
            self.1.fetch_add(1, Ordering::Relaxed);
            into.copy_from_slice(&self.0);
            Ok(())
        }

        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    fn counted(bytes: &[u8]) -> Arc<Counted> {
        Arc::new(Counted(bytes.to_vec(), AtomicUsize::new(0)))
    }

    #[test]
    fn outputs_are_copied_when_they_are_asked_for_and_once() {
        let shapes = [Shape::new(&[3], DType::U8), Shape::new(&[2], DType::U8), Shape::new(&[1], DType::U8)];
        let places = OutputPlaces::new(&shapes, |index| index == 1).expect("places");
        assert_eq!((places.offset(0), places.offset(1), places.offset(2)), (Some(0), None, Some(LINE)));
        assert_eq!((places.total_bytes(), places.bytes(1), places.bytes(7)), (2 * LINE, 2, 0));

        let made = [counted(&[1, 2, 3]), counted(&[4, 5]), counted(&[6])];
        let all = made.iter().map(|value| value.clone() as Arc<dyn DeviceBuffer>);
        let aliases = [Alias { input: 0, output: 1 }];
        let mut state = [Buffer::from_bytes(&[9, 9]).expect("a buffer")];
        let (mut outputs, mut place) = (DeviceOutputs::default(), [0u8; 1]);
        outputs.set(all, &aliases, &mut state, &mut [None, None, Some(&mut place)]).expect("outputs");
        assert_eq!((place, made[2].1.load(Ordering::Relaxed)), ([6], 1));
        assert!(matches!(&state[0], Buffer::Device(value) if value.num_bytes() == 2));
        assert_eq!(outputs.output(0).expect("bytes"), [1, 2, 3]);
        assert_eq!(outputs.output(0).expect("bytes"), [1, 2, 3]);
        assert_eq!(made[0].1.load(Ordering::Relaxed), 1);
        assert_eq!(outputs.output(3).expect("nothing"), [0u8; 0]);
        assert!(outputs.arena().0.is_null());
        outputs.fetch(&places).expect("all");
        assert_eq!(outputs.arena().1, 2 * LINE);
        outputs.clear();
        assert_eq!(outputs.output(0).expect("nothing"), [0u8; 0]);
    }

    #[test]
    fn what_has_no_size_is_refused() {
        let huge = Shape::new(&[1 << 62, 1 << 3], DType::F32);
        assert!(matches!(OutputPlaces::new(&[huge], |_| false), Err(BackendError::Unsupported(_))));
    }
}
