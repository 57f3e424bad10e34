//! Compiles runs of arithmetic on f32 or f64 to loops in machine code when a program is prepared. A loop reads each operand once and keeps
//! intermediate values in vector registers.
//!
//! This module owns the specification of such a loop ([`LoopSpec`]) and the memory of its code. `schedule` assigns registers to its values,
//! and `machine` writes the instructions. They know nothing of programs. On other processors, and if the system refuses executable memory,
//! nothing is compiled, and programs run their instructions one after the other.

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod schedule;

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[path = "nothing.rs"]
mod machine;
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[path = "x86_64.rs"]
mod machine;

use crate::isa::{Cpu, Isa};
pub use machine::MachineCode;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use thiserror::Error;

/// Maximum number of pointers of a loop.
pub const MAX_STREAMS: usize = 24;

/// Maximum number of steps of a loop, because jumps over its code have 32 bits.
pub const MAX_STEPS: usize = 1 << 16;

/// Why a loop was not compiled.
#[derive(Debug, Error)]
pub enum LoopError {
    /// A step or a store uses a value that is not computed before it.
    #[error("{what} {at} of the loop uses value {value}, but only {known} values come before it")]
    Value {
        /// `step` or `store`.
        what: &'static str,
        /// Its index, from 0.
        at: usize,
        /// The value that it uses.
        value: usize,
        /// Number of values that come before it.
        known: usize,
    },
    /// A source or a store uses a pointer that the loop does not have.
    #[error("{what} {at} of the loop uses pointer {stream}, but the loop has {streams} pointers")]
    Stream {
        /// `source` or `store`.
        what: &'static str,
        /// Its index, from 0.
        at: usize,
        /// The pointer that it uses.
        stream: usize,
        /// Number of pointers of the loop.
        streams: usize,
    },
    /// The loop has too many pointers.
    #[error("the loop has {0} pointers, but can have at most {MAX_STREAMS}")]
    TooManyStreams(usize),
    /// The loop has too many steps.
    #[error("the loop has {0} steps, but can have at most {MAX_STEPS}")]
    TooManySteps(usize),
    /// The loop has more values at a time, or more moving pointers, than the processor has registers.
    #[error("the loop needs more registers than the processor has; divide the loop")]
    TooLarge,
    /// There is no code for this processor.
    #[error("loops cannot be compiled for {0}")]
    Processor(&'static str),
    /// The system refuses executable memory.
    #[error("cannot allocate memory for the code of a loop: {0}")]
    Memory(std::io::Error),
}

impl LoopError {
    /// Returns whether parts of the loop may compile although the whole loop does not.
    pub fn is_size(&self) -> bool {
        matches!(self, LoopError::TooManyStreams(_) | LoopError::TooManySteps(_) | LoopError::TooLarge)
    }
}

/// What one step of a loop computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // The names say it.
pub enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    /// IEEE 754-2019 `maximum` and `minimum`.
    Maximum,
    Minimum,
    /// The bits set in both, and the bits set in exactly one.
    And,
    Xor,
}

/// A value of a loop that is not computed by a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LoopSource {
    /// A constant, given by its bits.
    Constant(u64),
    /// The first element at a pointer.
    Uniform(usize),
    /// The successive elements at a pointer.
    Moving(usize),
}

/// A loop. Its values are first the sources and then the results of steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LoopSpec {
    /// Whether elements are f64 rather than f32.
    pub is_double: bool,
    /// The first values of the loop.
    pub sources: Vec<LoopSource>,
    /// What each step computes, and the two earlier values that it uses. A step with one operand uses only the first.
    pub steps: Vec<(Arithmetic, [usize; 2])>,
    /// The values that are stored, and the pointers that they are stored to.
    pub stores: Vec<(usize, usize)>,
    /// Number of pointers of the loop.
    pub streams: usize,
}

/// The loops that programs use, by specification and instruction set.
#[derive(Default)]
struct Known {
    loops: HashMap<(LoopSpec, Isa), Weak<MachineCode>>,
    /// How many loops there may be before those that no program uses any more are removed.
    most: usize,
}

impl LoopSpec {
    /// Checks that everything that steps and stores use exists.
    fn check(&self) -> Result<(), LoopError> {
        if self.streams > MAX_STREAMS {
            return Err(LoopError::TooManyStreams(self.streams));
        }
        if self.steps.len() > MAX_STEPS {
            return Err(LoopError::TooManySteps(self.steps.len()));
        }
        let stream = |what, at, stream| match stream < self.streams {
            true => Ok(()),
            false => Err(LoopError::Stream { what, at, stream, streams: self.streams }),
        };
        let value = |what, at, value, known| match value < known {
            true => Ok(()),
            false => Err(LoopError::Value { what, at, value, known }),
        };
        for (at, source) in self.sources.iter().enumerate() {
            match *source {
                LoopSource::Constant(_) => {}
                LoopSource::Uniform(pointer) | LoopSource::Moving(pointer) => stream("source", at, pointer)?,
            }
        }
        for (at, (_, args)) in self.steps.iter().enumerate() {
            args.iter().try_for_each(|&arg| value("step", at, arg, self.sources.len() + at))?;
        }
        for (at, &(stored, pointer)) in self.stores.iter().enumerate() {
            value("store", at, stored, self.sources.len() + self.steps.len())?;
            stream("store", at, pointer)?;
        }
        Ok(())
    }
}

/// Compiles a loop for a processor, once for all programs that use it at the same time. Its memory is freed when the last of them is
/// dropped.
///
/// # Errors
/// [`LoopError::Value`] and [`LoopError::Stream`] if the loop uses something that it does not have; the other errors if the loop is not
/// compiled for the processor, or not as a whole.
pub fn compile(spec: &LoopSpec, cpu: Cpu) -> Result<Arc<MachineCode>, LoopError> {
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    spec.check()?;
    let key = (spec.clone(), cpu.isa());
    let mut known = rlx_pool::lock(&KNOWN);
    let known = known.get_or_insert_default();
    if let Some(code) = known.loops.get(&key).and_then(Weak::upgrade) {
        return Ok(code);
    }
    let code = Arc::new(MachineCode::new(spec, cpu)?);
    if known.loops.len() >= known.most {
        known.loops.retain(|_, code| code.strong_count() > 0);
        known.most = 2 * known.loops.len() + 64;
    }
    known.loops.insert(key, Arc::downgrade(&code));
    Ok(code)
}

#[cfg(test)]
mod tests;
