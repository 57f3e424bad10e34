//! Assigns registers to the values of a loop, and orders its loads, arithmetic and stores. It knows the number of registers, but no
//! instruction set.

use super::{Arithmetic, LoopSource, LoopSpec};

/// Maximum number of pointers that move along with the elements; each has its own register.
pub(super) const MAX_MOVING: usize = 12;

/// What the loop does to registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Action {
    /// Reads elements from a moving pointer.
    Load { to: u8, stream: usize },
    /// Computes `arithmetic` of two registers; `to` is neither of them.
    Compute { arithmetic: Arithmetic, to: u8, of: [u8; 2] },
    /// Writes elements to a moving pointer.
    Store { from: u8, stream: usize },
}

/// A loop with assigned registers.
#[derive(Debug)]
pub(super) struct Schedule {
    /// Registers that are filled before the loop begins, and the sources of their values.
    pub(super) lasting: Vec<(u8, LoopSource)>,
    /// The loop. It reads everything before it stores anything, because stored elements may overlap those that are read.
    pub(super) actions: Vec<Action>,
    /// The pointers that move along with the elements.
    pub(super) moving: Vec<usize>,
}

/// Returns the schedule of a loop for this many registers, or `None` if they are too few or too many pointers move.
pub(super) fn schedule(spec: &LoopSpec, registers: u8) -> Option<Schedule> {
    let mut free: Vec<u8> = (0..registers).rev().collect();
    let mut places: Vec<Option<u8>> = vec![None; spec.sources.len() + spec.steps.len()];
    let (mut lasting, mut actions, mut moving) = (Vec::new(), Vec::new(), Vec::new());
    let mut last_use = last_uses(spec);
    for (value, &source) in spec.sources.iter().enumerate() {
        match source {
            LoopSource::Moving(stream) => moving.push(stream),
            LoopSource::Constant(_) | LoopSource::Uniform(_) => {
                let register = free.pop()?;
                places[value] = Some(register);
                last_use[value] = None;
                lasting.push((register, source));
            }
        }
    }
    for (i, &(arithmetic, args)) in spec.steps.iter().enumerate() {
        let mut of = [0; 2];
        for (register, arg) in of.iter_mut().zip(args) {
            if let (None, Some(&LoopSource::Moving(stream))) = (places[arg], spec.sources.get(arg)) {
                let to = free.pop()?;
                actions.push(Action::Load { to, stream });
                places[arg] = Some(to);
            }
            *register = places[arg]?;
        }
        let to = free.pop()?;
        actions.push(Action::Compute { arithmetic, to, of });
        places[spec.sources.len() + i] = Some(to);
        for arg in args {
            if last_use[arg] == Some(i) {
                free.extend(places[arg].take());
            }
        }
    }
    // Values that are stored as they are read: copies.
    for &(value, _) in &spec.stores {
        if let (None, Some(&LoopSource::Moving(stream))) = (places[value], spec.sources.get(value)) {
            let to = free.pop()?;
            actions.push(Action::Load { to, stream });
            places[value] = Some(to);
        }
    }
    for &(value, stream) in &spec.stores {
        actions.push(Action::Store { from: places[value]?, stream });
        moving.push(stream);
    }
    (moving.len() <= MAX_MOVING).then_some(Schedule { lasting, actions, moving })
}

/// Returns the last step that uses each value, or `None` for values whose registers stay in use.
fn last_uses(spec: &LoopSpec) -> Vec<Option<usize>> {
    let mut last_use = vec![None; spec.sources.len() + spec.steps.len()];
    for (i, &(_, args)) in spec.steps.iter().enumerate() {
        args.iter().for_each(|&arg| last_use[arg] = Some(i));
    }
    spec.stores.iter().for_each(|&(value, _)| last_use[value] = None);
    last_use
}
