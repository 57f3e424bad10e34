//! Merges adjacent symbols, the best pair first, in O(n log n) steps for any text.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// A piece of text that is, or may become, a token.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    /// Its token, or a number that only merges use.
    pub(super) id: u32,
    start: usize,
    end: usize,
    previous: usize,
    next: usize,
}

/// The index of a missing neighbor.
const NONE: usize = usize::MAX;

impl Symbol {
    /// Returns its range in the text.
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Merges adjacent symbols for as long as possible. `pair` returns the rank of a pair and what it is merged to. The
/// smallest rank is merged first; of equal ranks, the leftmost.
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
    // A candidate includes the ends of its parts, which show whether it is out of date.
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
        // A symbol that was merged into its neighbor becomes empty, so that no candidate matches it any more.
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
