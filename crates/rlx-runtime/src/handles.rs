//! Handles: values that stay with a program between runs. An input with a handle need not be given to a run; a handle
//! on an input named `out{i}` takes the value of output i after each run (the KV-cache pattern). A program that was compiled with
//! `donate_handles` holds such values in its own memory.

use std::collections::BTreeMap;

/// The handles of one instance, by input index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handles {
    values: BTreeMap<usize, Handle>,
}

/// One kept value.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    /// 8-byte words, so that every element type is aligned.
    words: Vec<u64>,
    bytes: usize,
    /// The value lies in the program's own memory; `words` is empty.
    inside: bool,
    /// The output that feeds it.
    pub(crate) fed_by: Option<usize>,
}

impl Handle {
    pub(crate) fn new(bytes: &[u8], fed_by: Option<usize>) -> Handle {
        let mut handle = Handle { words: Vec::new(), bytes: 0, inside: false, fed_by };
        handle.set(bytes);
        handle
    }

    /// A value that lies in the program's own memory.
    pub(crate) fn inside(bytes: usize, fed_by: Option<usize>) -> Handle {
        Handle { words: Vec::new(), bytes, inside: true, fed_by }
    }

    /// Replaces the value; allocates only where it grows.
    pub(crate) fn set(&mut self, bytes: &[u8]) {
        self.inside = false;
        self.words.resize(bytes.len().div_ceil(8), 0);
        self.bytes = bytes.len();
        bytemuck::cast_slice_mut::<u64, u8>(&mut self.words)[..bytes.len()].copy_from_slice(bytes);
    }

    /// The value as a run takes it: nothing where it lies in the program's own memory.
    pub(crate) fn bytes(&self) -> &[u8] {
        let held = if self.inside { 0 } else { self.bytes };
        &bytemuck::cast_slice::<u64, u8>(&self.words)[..held]
    }

    /// Size of the value in bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    /// Whether the value lies in the program's own memory.
    pub(crate) fn is_inside(&self) -> bool {
        self.inside
    }

    /// The program keeps the value from now on.
    pub(crate) fn moved_inside(&mut self) {
        self.inside = true;
        self.words = Vec::new();
    }
}

impl Handles {
    pub(crate) fn get(&self, input: usize) -> Option<&Handle> {
        self.values.get(&input)
    }

    pub(crate) fn insert(&mut self, input: usize, handle: Handle) {
        self.values.insert(input, handle);
    }

    pub(crate) fn remove(&mut self, input: usize) -> bool {
        self.values.remove(&input).is_some()
    }

    /// Drops the values that lie in the program's own memory: a failed run has left them undefined.
    pub(crate) fn drop_inside(&mut self) {
        self.values.retain(|_, handle| !handle.inside);
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&usize, &mut Handle)> {
        self.values.iter_mut()
    }
}
