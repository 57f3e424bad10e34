//! The fallback for processors that no machine code is written for.

use super::{LoopError, LoopSpec, MAX_STREAMS};
use crate::isa::Cpu;

/// A loop as machine code, which none is.
#[derive(Debug)]
pub enum MachineCode {}

impl MachineCode {
    pub(super) fn new(_: &LoopSpec, cpu: Cpu) -> Result<MachineCode, LoopError> {
        Err(LoopError::Processor(cpu.isa().name()))
    }

    /// # Safety
    /// None is needed: there is no code.
    pub unsafe fn run(&self, _: &[*const u8; MAX_STREAMS], _: usize) {
        match *self {}
    }
}
