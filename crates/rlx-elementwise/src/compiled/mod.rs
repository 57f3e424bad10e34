//! Compiles runs of arithmetic on f32 or f64 to loops in machine code. That happens when a program is prepared.
//! A loop reads each operand once, and keeps what is in between in vector registers.
//!
//! This module owns what such a loop is ([`LoopSpec`]) and the memory of its code. `schedule` gives its values registers, and
//! `machine` writes the instructions. They know no program. On other processors, and where the system refuses memory that may be
//! executed, nothing is compiled, and programs run their instructions one after the other.

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

/// Pointers that a loop takes at most.
pub const MAX_STREAMS: usize = 24;

/// Steps that a loop takes at most: jumps over its code have 32 bits.
pub const MAX_STEPS: usize = 1 << 16;

/// Why a loop was not compiled.
#[derive(Debug, Error)]
pub enum LoopError {
    /// A step or a store names a value that is not computed before it.
    #[error("{what} {at} of the loop uses value {value}, before which there are {known} values")]
    Value {
        /// `step` or `store`.
        what: &'static str,
        /// Which one, from 0.
        at: usize,
        /// The value that it names.
        value: usize,
        /// How many values come before it.
        known: usize,
    },
    /// A source or a store names a pointer that the loop does not have.
    #[error("{what} {at} of the loop uses pointer {stream}; the loop has {streams}")]
    Stream {
        /// `source` or `store`.
        what: &'static str,
        /// Which one, from 0.
        at: usize,
        /// The pointer that it names.
        stream: usize,
        /// How many pointers there are.
        streams: usize,
    },
    /// It has more pointers than a loop takes.
    #[error("the loop has {0} pointers; at most {MAX_STREAMS} are possible")]
    TooManyStreams(usize),
    /// It has more steps than a loop takes.
    #[error("the loop has {0} steps; at most {MAX_STEPS} are possible")]
    TooManySteps(usize),
    /// It has more values at a time than the processor has registers, or more pointers that move.
    #[error("the loop needs more registers than the processor has; divide it")]
    TooLarge,
    /// There is no code for the processor.
    #[error("loops are not compiled for {0}")]
    Processor(&'static str),
    /// The system gives no memory that may be executed.
    #[error("there is no memory for the code of a loop: {0}")]
    Memory(std::io::Error),
}

impl LoopError {
    /// Whether parts of the loop may be compiled where the whole is not.
    pub fn is_size(&self) -> bool {
        matches!(self, LoopError::TooManyStreams(_) | LoopError::TooManySteps(_) | LoopError::TooLarge)
    }
}

/// What one step of a loop does to vectors.
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
    /// Bits in both, and in one alone.
    And,
    Xor,
}

/// A value of a loop that no step computes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LoopSource {
    /// One number, by its bits.
    Constant(u64),
    /// The first element behind a pointer.
    Uniform(usize),
    /// The elements behind a pointer.
    Moving(usize),
}

/// A loop: values are sources, and then the results of steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LoopSpec {
    /// Whether elements are f64, and not f32.
    pub is_double: bool,
    /// Its first values.
    pub sources: Vec<LoopSource>,
    /// What each step does to two earlier values; to the first alone where one is enough.
    pub steps: Vec<(Arithmetic, [usize; 2])>,
    /// Values that are stored, and the pointers to where.
    pub stores: Vec<(usize, usize)>,
    /// Pointers of the loop.
    pub streams: usize,
}

/// The loops that programs have, by what they are and for which instructions.
#[derive(Default)]
struct Known {
    loops: HashMap<(LoopSpec, Isa), Weak<MachineCode>>,
    /// How many there may be before those that no program has any more are forgotten.
    most: usize,
}

impl LoopSpec {
    /// Fails unless all that steps and stores name is there.
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

/// Compiles a loop for a processor, once for all programs that have it at a time: its memory is given back when the last of them goes.
///
/// # Errors
/// [`LoopError::Value`] and [`LoopError::Stream`] for a loop that names what it does not have; the others where a loop is not compiled for
/// the processor, or not as a whole.
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
