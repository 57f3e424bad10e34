//! Instances of one program for different sizes, and the lowered graphs that they are made from. Both lists are bounded;
//! what was used least recently goes first.

use rlx_compile::{Executable, Lowered};
use rlx_ir::Bindings;
use std::sync::{Mutex, PoisonError};

/// Instances that one compiled graph keeps: each has working memory.
const MAX_INSTANCES: usize = 16;
/// Lowered graphs that all clones share.
const MAX_LOWERED: usize = 64;

/// An executable for certain sizes.
pub(super) struct Instance {
    pub(super) bindings: Bindings,
    pub(super) executable: Box<dyn Executable>,
    /// Bytes of each input, once a run with them was found valid: the next one need not be checked again.
    pub(super) checked: Option<Vec<usize>>,
}

/// The instances, most recently used last.
#[derive(Default)]
pub(super) struct Instances(Vec<Instance>);

impl Instances {
    pub(super) fn current(&self) -> Option<&Instance> {
        self.0.last()
    }

    pub(super) fn current_mut(&mut self) -> Option<&mut Instance> {
        self.0.last_mut()
    }

    /// Makes the instance for these sizes the current one, if there is one.
    pub(super) fn select(&mut self, bindings: &Bindings) -> bool {
        let Some(at) = self.0.iter().rposition(|i| i.bindings == *bindings) else { return false };
        self.0[at..].rotate_left(1);
        true
    }

    /// Adds the instance for sizes that have none, as the current one.
    pub(super) fn push(&mut self, bindings: Bindings, executable: Box<dyn Executable>) {
        if self.0.len() >= MAX_INSTANCES {
            self.0.remove(0);
        }
        self.0.push(Instance { bindings, executable, checked: None });
    }

    /// Takes the current instance out.
    pub(super) fn pop(&mut self) -> Option<Instance> {
        self.0.pop()
    }

    /// Drops all but the current one.
    pub(super) fn keep_current(&mut self) {
        let current = self.0.pop();
        self.0.clear();
        self.0.extend(current);
    }

    /// Forgets which inputs were found valid.
    pub(super) fn uncheck(&mut self) {
        self.0.iter_mut().for_each(|i| i.checked = None);
    }
}

impl Clone for Instances {
    fn clone(&self) -> Self {
        let cloned = self.0.iter().map(|i| Instance {
            bindings: i.bindings.clone(),
            executable: i.executable.clone_box(),
            checked: i.checked.clone(),
        });
        Instances(cloned.collect())
    }
}

/// Lowered graphs by their sizes.
#[derive(Default)]
pub(super) struct LoweredCache(Mutex<Vec<(Bindings, Lowered)>>);

impl LoweredCache {
    /// The graph lowered for these sizes, by `lower` if it is not there. Others wait meanwhile: they may want the same.
    pub(super) fn get<E>(
        &self,
        bindings: &Bindings,
        lower: impl FnOnce() -> Result<Lowered, E>,
    ) -> Result<Lowered, E> {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = list.iter().rposition(|(b, _)| b == bindings) {
            list[at..].rotate_left(1);
        } else {
            let made = lower()?;
            if list.len() >= MAX_LOWERED {
                list.remove(0);
            }
            list.push((bindings.clone(), made));
        }
        // INVARIANT: the entry that was found or made is the last one.
        Ok(list[list.len() - 1].1.clone())
    }
}
