//! Inputs of a run as arrays on a device: uploaded, shared with other holders, or donated to the run.

use crate::buffer::{Buffer, DeviceBuffer, downloaded};
use crate::engine::ProgramRun;
use crate::executable::Value;
use rlx_compile::BackendError;
use std::marker::PhantomData;
use std::sync::Arc;

/// An input of a run on the device.
pub struct Operand<A> {
    source: OperandSource<A>,
    is_donated: bool,
}

enum OperandSource<A> {
    Uploaded(A),
    Given(Arc<dyn DeviceBuffer>, PhantomData<A>),
}

impl<A: DeviceBuffer + 'static> Operand<A> {
    /// Returns the array.
    pub fn array(&self) -> &A {
        match &self.source {
            OperandSource::Uploaded(array) => array,
            OperandSource::Given(buffer, _) => match buffer.as_any().downcast_ref() {
                Some(array) => array,
                // INVARIANT: `operands` only keeps buffers of this type.
                None => unreachable!("the type was checked when the operand was made"),
            },
        }
    }

    /// Returns whether the run may write over the array, because it is a state that nothing else holds.
    pub fn is_donated(&self) -> bool {
        self.is_donated
    }
}

impl ProgramRun<'_, '_> {
    /// Returns the inputs as arrays of type `A`, in order. Values in other kinds of buffer, and arrays that `accepts` rejects for an input,
    /// are uploaded. The states are then donated to the run, which has [begun](ProgramRun::begin): state buffers are empty until the run
    /// [leaves](ProgramRun::leave) their next values.
    ///
    /// # Errors
    /// Returns errors of `upload`, errors of downloading a value from another device, and [`BackendError::OutOfMemory`]. The state is then
    /// unchanged.
    pub fn operands<A: DeviceBuffer + 'static>(
        &mut self,
        upload: impl Fn(usize, &[u8]) -> Result<A, BackendError>,
        accepts: impl Fn(usize, &A) -> bool,
    ) -> Result<Vec<Operand<A>>, BackendError> {
        let uploaded = |index: usize, bytes: &[u8]| -> Result<Operand<A>, BackendError> {
            Ok(Operand { source: OperandSource::Uploaded(upload(index, bytes)?), is_donated: false })
        };
        let of_buffer = |index: usize, buffer: &Buffer| match buffer {
            Buffer::Host(bytes) => uploaded(index, bytes),
            Buffer::Device(device) => match device.as_any().downcast_ref::<A>() {
                Some(array) if accepts(index, array) => Ok(Operand {
                    source: OperandSource::Given(device.clone(), PhantomData),
                    is_donated: false,
                }),
                _ => uploaded(index, &downloaded(&**device)?),
            },
        };
        let mut operands = Vec::with_capacity(self.inputs.len());
        for (index, value) in self.inputs.iter().enumerate() {
            operands.push(match value {
                Value::Host(bytes) => uploaded(index, bytes)?,
                Value::Buffer(buffer) => of_buffer(index, buffer)?,
                // INVARIANT: the layout has checked that this state exists.
                Value::State(pair) => of_buffer(index, &self.state[*pair])?,
            });
        }
        let empty = self.state.iter().map(|_| Buffer::from_bytes(&[])).collect::<Result<Vec<_>, _>>()?;
        self.begin();
        self.state.iter_mut().zip(empty).for_each(|(state, empty)| *state = empty);
        for (operand, value) in operands.iter_mut().zip(self.inputs) {
            let is_alone = match &operand.source {
                OperandSource::Given(buffer, _) => Arc::strong_count(buffer) == 1,
                OperandSource::Uploaded(_) => true,
            };
            operand.is_donated = is_alone && matches!(value, Value::State(_));
        }
        Ok(operands)
    }
}
