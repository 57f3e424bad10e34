//! An instance of a program: its host memory, and parameters shared with its clones.

use super::arena::Arena;
use super::params::Param;
use super::program::{Argument, Program, Source};
use super::{failed, failed_with};
use crate::api::{Buffer, Client};
use rlx_compile::backend::ParamBytes;
use rlx_compile::{BackendError, Executable, InputBytes, Lowered};
use std::any::Any;
use std::sync::Arc;

/// A program on a device of a PJRT plugin. The program is compiled once for all clones; a value of a parameter is copied
/// to the device once for all clones and sizes.
pub struct TpuExecutable {
    program: Arc<Program>,
    params: Vec<Option<Arc<Param>>>,
    /// For each argument its array, if it is a parameter; filled before the first run and after a parameter changes.
    held: Option<Vec<Option<Arc<Buffer>>>>,
    arena: Result<Arena, BackendError>,
    /// Whether the memory holds the outputs of a run.
    ran: bool,
}

impl TpuExecutable {
    /// Compiles a lowered graph.
    pub(crate) fn new(client: &Client, lowered: &Lowered) -> Result<TpuExecutable, BackendError> {
        let params = vec![None; lowered.graph.params().count()];
        Ok(Self::instance(Arc::new(Program::new(client, lowered)?), params))
    }

    fn instance(program: Arc<Program>, params: Vec<Option<Arc<Param>>>) -> TpuExecutable {
        let arena = Arena::new(program.arena_bytes);
        TpuExecutable { program, params, held: None, arena, ran: false }
    }

    /// For each parameter that is on the device the identity of its array: instances that share it have the same.
    pub fn parameter_arrays(&self) -> Vec<usize> {
        let held = self.held.iter().flatten().flatten();
        held.map(|buffer| Arc::as_ptr(buffer).addr()).collect()
    }

    /// Copies parameters to the device where they are not there yet.
    fn hold(&mut self) -> Result<(), BackendError> {
        if self.held.is_some() {
            return Ok(());
        }
        let one = |argument: &Argument| {
            let Source::Param(index) = argument.source else { return Ok(None) };
            let Some(param) = self.params.get(index).and_then(Option::as_ref) else {
                return Err(BackendError::Unsupported(format!("parameter {index} is not set")));
            };
            param.buffer(&self.program.client, argument.dtype, &argument.dims).map(Some)
        };
        self.held = Some(self.program.arguments.iter().map(one).collect::<Result<_, _>>()?);
        Ok(())
    }

    /// The inputs on the device, in the order of the arguments; nothing for parameters.
    fn upload(&self, inputs: &[InputBytes<'_>]) -> Result<Vec<Option<Buffer>>, BackendError> {
        let client = &self.program.client;
        let one = |argument: &Argument| {
            let Source::Input(index) = argument.source else { return Ok(None) };
            let Some(bytes) = inputs.get(index) else {
                return Err(BackendError::Unsupported(format!("input {index} is not given")));
            };
            let uploaded = client.upload(0, argument.dtype, &argument.dims, bytes);
            uploaded.map(Some).map_err(failed_with(bytes.len()))
        };
        self.program.arguments.iter().map(one).collect()
    }
}

impl Executable for TpuExecutable {
    fn clone_box(&self) -> Box<dyn Executable> {
        let mut clone = Self::instance(self.program.clone(), self.params.clone());
        clone.held = self.held.clone();
        Box::new(clone)
    }

    fn with_lowered(&self, lowered: Lowered) -> Result<Box<dyn Executable>, BackendError> {
        let program = Program::new(&self.program.client, &lowered)?;
        Ok(Box::new(Self::instance(Arc::new(program), self.params.clone())))
    }

    fn set_param(&mut self, index: usize, value: Arc<dyn ParamBytes>) {
        if let Some(param) = self.params.get_mut(index) {
            *param = Some(Arc::new(Param::new(value)));
        }
        self.held = None;
    }

    fn run(&mut self, inputs: &[InputBytes<'_>]) -> Result<(), BackendError> {
        self.ran = false;
        self.hold()?;
        let uploaded = self.upload(inputs)?;
        let held = self.held.as_deref().unwrap_or_default();
        let arguments: Vec<&Buffer> =
            held.iter().zip(&uploaded).filter_map(|(held, new)| held.as_deref().or(new.as_ref())).collect();
        let results = self.program.loaded.execute(&arguments).map_err(failed)?;
        let arena = self.arena.as_mut().map_err(|e| e.clone())?.bytes_mut();
        for (result, slot) in results.iter().zip(&self.program.slots) {
            result.download(&mut arena[slot.offset..slot.offset + slot.bytes]).map_err(failed)?;
        }
        self.ran = true;
        Ok(())
    }

    fn output(&self, index: usize) -> &[u8] {
        match (&self.arena, self.program.slots.get(index)) {
            (Ok(arena), Some(slot)) if self.ran => &arena.bytes()[slot.offset..slot.offset + slot.bytes],
            _ => &[],
        }
    }

    fn arena(&self) -> (*const u8, usize) {
        let bytes = self.arena.as_ref().map_or(&[][..], Arena::bytes);
        (bytes.as_ptr(), bytes.len())
    }

    fn output_offset(&self, index: usize) -> usize {
        self.program.slots.get(index).map_or(0, |slot| slot.offset)
    }

    fn describe(&self) -> String {
        let Program { client, loaded, text_bytes, arena_bytes, .. } = &*self.program;
        let device = client.device(0).map_or_else(|e| e.to_string(), |d| d.kind);
        let mut text = format!(
            "{} ({device}), {} device(s)\nStableHLO: {text_bytes} bytes\noutputs on the host: {arena_bytes} bytes\n",
            client.platform(),
            client.device_count(),
        );
        let estimate = loaded.estimate();
        let sizes =
            [("machine code", estimate.code_bytes), ("scratch on the device", estimate.scratch_bytes)];
        for (what, bytes) in sizes {
            text.extend(bytes.map(|b| format!("{what}: {b} bytes\n")));
        }
        text.extend(estimate.counts.iter().map(|(name, value)| format!("{name}: {value}\n")));
        text
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
