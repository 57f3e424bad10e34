//! Merges neighbors, the best pair first, in O(n log n) steps for any text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A stretch of text that is, or may become, a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    /// Its token, or a number that only merges know.
    pub(super) id: u32,
    start: usize,
    end: usize,
    previous: usize,
    next: usize,
}

/// Of a symbol that has no neighbor.
const NONE: usize = usize::MAX;

impl Symbol {
    /// Where it lies in the text.
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Merges neighbors as long as any can be. `pair` gives the rank of a pair, the smallest of which comes first, and what it becomes; of equal
/// ranks the leftmost comes first.
pub(super) fn merge(
    symbols: impl Iterator<Item = (u32, Range<usize>)>,
    pair: impl Fn(&Symbol, &Symbol) -> Option<(u32, u32)>,
) -> Vec<Symbol> {
    let list = symbols.enumerate().map(|(i, (id, range))| Symbol {
        id,
        start: range.start,
        end: range.end,
        previous: i.wrapping_sub(1),
        next: i + 1,
    });
    let mut list: Vec<Symbol> = list.collect();
    if let Some(last) = list.last_mut() {
        last.next = NONE;
    }
    // A candidate with the ends of its parts, by which it is known to be out of date.
    let mut heap = BinaryHeap::new();
    let candidate = |list: &[Symbol], left: usize, right: usize| {
        let (l, r) = (list.get(left)?, list.get(right)?);
        let (rank, id) = pair(l, r)?;
        Some(Reverse((rank, left, id, l.end, r.end)))
    };
    heap.extend((1..list.len()).filter_map(|i| candidate(&list, i - 1, i)));
    while let Some(Reverse((_, left, id, middle, end))) = heap.pop() {
        let right = list[left].next;
        if list[left].end != middle || list.get(right).is_none_or(|right| right.end != end) {
            continue;
        }
        let next = list[right].next;
        list[left] = Symbol { id, end, next, ..list[left] };
        // What was merged has no text, so that no candidate fits it any more.
        list[right].end = list[right].start;
        if let Some(next) = list.get_mut(next) {
            next.previous = left;
        }
        heap.extend(candidate(&list, list[left].previous, left));
        heap.extend(candidate(&list, left, next));
    }
    list.retain(|symbol| symbol.start < symbol.end);
    list
}
