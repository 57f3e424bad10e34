//! Loops of arithmetic, compiled to machine code when a program is prepared: a run of instructions on f32 or f64 becomes one loop that
//! reads each operand once and holds what lies between in vector registers.
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
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

/// Pointers that a loop takes at most.
pub const MAX_STREAMS: usize = 24;

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

/// Compiles a loop for a processor, once for all programs that have it at a time: its memory is given back when the last of them goes.
/// `None` where that cannot be done: the loop has more values at a time than registers, more pointers, or the processor is another one.
pub fn compile(spec: &LoopSpec, cpu: Cpu) -> Option<Arc<MachineCode>> {
    static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);
    if spec.streams > MAX_STREAMS {
        return None;
    }
    let key = (spec.clone(), cpu.isa());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(code) = known.loops.get(&key).and_then(Weak::upgrade) {
        return Some(code);
    }
    let code = Arc::new(MachineCode::new(spec, cpu)?);
    if known.loops.len() >= known.most {
        known.loops.retain(|_, code| code.strong_count() > 0);
        known.most = 2 * known.loops.len() + 64;
    }
    known.loops.insert(key, Arc::downgrade(&code));
    Some(code)
}

#[cfg(test)]
mod tests;
