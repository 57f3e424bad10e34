//! The fallback for processors without a machine code generator.

use super::{LoopError, LoopSpec, MAX_STREAMS};
use crate::isa::Cpu;

/// A loop as machine code. There are none.
#[derive(Debug)]
pub enum MachineCode {}

impl MachineCode {
    pub(super) fn new(_: &LoopSpec, cpu: Cpu) -> Result<MachineCode, LoopError> {
        Err(LoopError::Processor(cpu.isa().name()))
    }

    /// # Safety
    /// There are no requirements, because there is no code.
    pub unsafe fn run(&self, _: &[*const u8; MAX_STREAMS], _: usize) {
        match *self {}
    }
}
