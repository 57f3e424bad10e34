//! Where values are stored while the emitted program runs. Memory is one array per element type, because safe Rust does
//! not read bytes of one type as another.
//!
//! Each array holds the parts of the planned arena that store its type, and nothing else.

use rlx_ir::Dim;
use std::collections::BTreeMap;

/// What a place is part of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Root {
    /// The caller's input.
    Input(usize),
    /// The caller's output.
    Output(usize),
    /// The bytes of weights and constants.
    Weights,
    /// The planned arena.
    Memory,
    /// Memory of each thread, for its arrays in a launch.
    Own,
}

/// Memory that holds a value: where the plan puts it, and how much of that the program uses at the sizes of a run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ArrayPlace {
    pub(crate) root: Root,
    /// The offset, in bytes.
    pub(crate) at: usize,
    /// The maximum number of bytes.
    pub(crate) bytes: usize,
    /// The number of elements.
    pub(crate) elements: Dim,
    /// The loops that move the place: the variable, and the number of elements per iteration.
    pub(crate) moves: Vec<(usize, Dim)>,
}

impl ArrayPlace {
    pub(crate) fn new(root: Root, at: usize, bytes: usize, elements: Dim) -> ArrayPlace {
        ArrayPlace { root, at, bytes, elements, moves: Vec::new() }
    }

    /// Returns an empty place.
    pub(crate) fn none(root: Root) -> ArrayPlace {
        ArrayPlace::new(root, 0, 0, Dim::Static(0))
    }

    /// Returns the slice of `elements` elements that iteration `variable` of a loop uses.
    pub(crate) fn slice(&self, variable: usize, bytes: usize, elements: Dim) -> ArrayPlace {
        let mut place = ArrayPlace { bytes, elements: elements.clone(), ..self.clone() };
        place.moves.push((variable, elements));
        place
    }
}

/// The arrays of the memory: for each element type, the parts of the arena that hold it.
#[derive(Default, Debug)]
pub(crate) struct Memory(BTreeMap<&'static str, Array>);

#[derive(Default, Debug)]
struct Array {
    element_bytes: usize,
    /// The start and end of each part, in order once they are merged.
    parts: Vec<(usize, usize)>,
}

impl Memory {
    /// Records that part of the arena holds elements of this type.
    pub(crate) fn holds(&mut self, element: &'static str, element_bytes: usize, at: usize, bytes: usize) {
        if bytes > 0 {
            let array = self.0.entry(element).or_default();
            array.element_bytes = element_bytes;
            array.parts.push((at, at + bytes));
        }
    }

    /// Merges overlapping parts. No part may be added afterwards.
    pub(crate) fn merge(&mut self) {
        for array in self.0.values_mut() {
            array.parts.sort_unstable();
            let mut merged: Vec<(usize, usize)> = Vec::new();
            for &(start, end) in &array.parts {
                match merged.last_mut() {
                    Some(last) if start <= last.1 => last.1 = last.1.max(end),
                    _ => merged.push((start, end)),
                }
            }
            array.parts = merged;
        }
    }

    /// Returns the index, in the array of its type, at which a part of the arena begins.
    pub(crate) fn element(&self, element: &str, at: usize) -> usize {
        let Some(array) = self.0.get(element) else { return 0 };
        let before = array.parts.iter().take_while(|(start, _)| *start <= at);
        let bytes: usize = before.map(|&(start, end)| end.min(at) - start).sum();
        bytes / array.element_bytes
    }

    /// Returns the element types with the length of each array, in elements.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = (&'static str, usize)> {
        self.0.iter().map(|(&element, array)| {
            let bytes: usize = array.parts.iter().map(|(start, end)| end - start).sum();
            (element, bytes / array.element_bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_has_what_its_type_needs() {
        let mut memory = Memory::default();
        memory.holds("f32", 4, 0, 64);
        memory.holds("i32", 4, 64, 8);
        memory.holds("f32", 4, 128, 64);
        memory.holds("f32", 4, 160, 40);
        memory.merge();
        assert_eq!(memory.arrays().collect::<Vec<_>>(), [("f32", 34), ("i32", 2)]);
        let places = [0, 32, 128, 160].map(|at| memory.element("f32", at));
        assert_eq!(places, [0, 8, 16, 24]);
        assert_eq!(memory.element("i32", 64), 0);
    }
}
