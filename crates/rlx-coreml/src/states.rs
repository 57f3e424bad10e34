//! States that stay with the model: device buffers that a run changes in place if nothing else refers to them.

use crate::engine::{EngineError, LoadedModel, ModelState};
use crate::loading::failed;
use rlx_compile::BackendError;
use rlx_driver::{Device, DeviceId};
use rlx_exec::Buffer;
use rlx_exec::buffer::{DeviceBuffer, HostBuffer};
use rlx_mil::emit::Feature;
use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

/// A loaded model, with its states in the program's order.
pub(crate) struct StatefulModel {
    pub(crate) model: Mutex<Box<dyn LoadedModel>>,
    pub(crate) states: Vec<Feature>,
}

/// The values of all states of a model, which the model treats as one object.
pub(crate) struct StateSet {
    model: Arc<StatefulModel>,
    values: Mutex<Box<dyn ModelState>>,
}

/// The buffer of one state in a set.
struct KeptBuffer {
    set: Arc<StateSet>,
    name: String,
    bytes: usize,
}

impl DeviceBuffer for KeptBuffer {
    fn device(&self) -> DeviceId {
        Device::Ane.into()
    }

    fn num_bytes(&self) -> usize {
        self.bytes
    }

    fn download(&self, into: &mut [u8]) -> Result<(), BackendError> {
        self.set.with(|values| values.read(&self.name, into))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl StateSet {
    /// Calls `f` with the values. If it panics, the values remain as they are: a failed run may leave them half updated anyway.
    fn with<R>(
        &self,
        f: impl FnOnce(&mut dyn ModelState) -> Result<R, EngineError>,
    ) -> Result<R, BackendError> {
        f(&mut **self.values.lock().unwrap_or_else(PoisonError::into_inner)).map_err(failed)
    }

    /// Returns a set with the values of these buffers, for a run to change. If the buffers are all the references to one set of the same
    /// model, it is that set; otherwise it is a new one with copies.
    pub(crate) fn of(kept: &[Buffer], model: &Arc<StatefulModel>) -> Result<Arc<StateSet>, BackendError> {
        let sets: Vec<Option<&Arc<StateSet>>> =
            kept.iter().zip(&model.states).map(|(buffer, state)| own(buffer, state, model)).collect();
        let is_whole = |set: &&&Arc<StateSet>| {
            let here = sets.iter().flatten().filter(|other| Arc::ptr_eq(other, set));
            here.count() == Arc::strong_count(set)
        };
        let set = match sets.iter().flatten().find(is_whole) {
            Some(&set) => set.clone(),
            None => {
                let values = model.model.lock().unwrap_or_else(PoisonError::into_inner).new_state();
                let values = Mutex::new(values.map_err(failed)?);
                Arc::new(StateSet { model: model.clone(), values })
            }
        };
        for ((buffer, state), own) in kept.iter().zip(&model.states).zip(sets) {
            if own.is_some_and(|own| Arc::ptr_eq(own, &set)) {
                continue;
            }
            match buffer {
                Buffer::Host(host) => set.with(|values| values.write(&state.name, host))?,
                Buffer::Device(device) => {
                    let mut host = HostBuffer::zeroed(device.num_bytes())?;
                    device.download(&mut host)?;
                    set.with(|values| values.write(&state.name, &host))?;
                }
            }
        }
        Ok(set)
    }

    /// Runs the model on these values.
    pub(crate) fn run(
        &self,
        f: impl FnOnce(&mut dyn LoadedModel, &mut dyn ModelState) -> Result<(), EngineError>,
    ) -> Result<(), BackendError> {
        let mut model = self.model.model.lock().unwrap_or_else(PoisonError::into_inner);
        self.with(|values| f(&mut **model, values))
    }

    /// Makes the buffers refer to this set.
    pub(crate) fn keep(self: &Arc<StateSet>, kept: &mut [Buffer]) {
        for (buffer, state) in kept.iter_mut().zip(&self.model.states) {
            if own(buffer, state, &self.model).is_none_or(|own| !Arc::ptr_eq(own, self)) {
                let (name, bytes) = (state.name.clone(), buffer.num_bytes());
                *buffer = Buffer::Device(Arc::new(KeptBuffer { set: self.clone(), name, bytes }));
            }
        }
    }
}

/// Returns the set that a buffer belongs to, if nothing else owns the buffer and it is this state of this model.
fn own<'b>(buffer: &'b Buffer, state: &Feature, model: &Arc<StatefulModel>) -> Option<&'b Arc<StateSet>> {
    let Buffer::Device(device) = buffer else { return None };
    let kept = device.as_any().downcast_ref::<KeptBuffer>()?;
    let is_own =
        Arc::strong_count(device) == 1 && kept.name == state.name && Arc::ptr_eq(&kept.set.model, model);
    is_own.then_some(&kept.set)
}
