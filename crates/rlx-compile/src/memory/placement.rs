//! Assigns offsets in an arena to blocks so that those alive at the same time do not overlap (PLAN-1).

use super::ALIGNMENT;
use crate::program::Storage;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// Up to this number of blocks, each is compared with all blocks that are alive at the same time, to find the best places.
const MANY_BLOCKS: usize = 4096;

/// One allocation: the bytes of a value and of its views.
pub(crate) struct Allocation {
    pub(crate) bytes: usize,
    /// Its place, if it is not in the arena.
    pub(crate) home: Option<Storage>,
    /// First and last step at which it is alive.
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) offset: usize,
    /// Whether it is a state buffer.
    pub(crate) is_state: bool,
    /// The last step that computed a result here in the place of an operand.
    pub(crate) taken: usize,
}

impl Allocation {
    pub(crate) fn new(bytes: usize, first: usize, last: usize) -> Allocation {
        Allocation { bytes, home: None, first, last, offset: 0, is_state: false, taken: usize::MAX }
    }
}

pub(crate) fn aligned(bytes: usize) -> usize {
    bytes.div_ceil(ALIGNMENT).saturating_mul(ALIGNMENT)
}

/// Assigns offsets to the blocks in `order`. Returns the total size, or `None` if it cannot be addressed. Steps are numbered up to
/// `end`; blocks may live longer.
pub(crate) fn place(blocks: &mut [Allocation], order: &mut [usize], end: usize) -> Option<usize> {
    if order.len() <= MANY_BLOCKS {
        place_largest_first(blocks, order, end)
    } else {
        place_in_order(blocks, order)
    }
}

/// Assigns offsets to the blocks of the arena, largest first. Each gets the lowest place that is free during its life.
fn place_largest_first(blocks: &mut [Allocation], order: &mut [usize], end: usize) -> Option<usize> {
    order.sort_unstable_by_key(|&i| (Reverse(blocks[i].bytes), blocks[i].first, i));
    let mut alive = Lifetimes::new(end + 1, order.len());
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut total = 0usize;
    for &i in order.iter() {
        let Allocation { bytes, first, last, .. } = blocks[i];
        let (size, last) = (aligned(bytes), last.min(end));
        taken.clear();
        alive.for_each_beside(first, last, |j| {
            // INVARIANT: the end was computed below without overflow.
            taken.push((blocks[j].offset, blocks[j].offset + aligned(blocks[j].bytes)));
        });
        taken.sort_unstable();
        let mut offset = 0usize;
        for &(start, end) in &taken {
            if offset.saturating_add(size) <= start {
                break;
            }
            offset = offset.max(end);
        }
        blocks[i].offset = offset;
        total = total.max(offset.checked_add(size)?);
        alive.insert(first, last, i);
    }
    (total <= isize::MAX as usize).then_some(total)
}

/// Blocks by the steps at which they are alive. This is a segment tree over the steps, in which a block is in the lists of the few
/// intervals that make up its life, together with a list of the blocks that begin at each step.
struct Lifetimes {
    steps: usize,
    /// For each interval of the tree, the last entry of its list. The interval of step `s` is `steps + s`; the parent of `n` is `n / 2`.
    covering: Vec<u32>,
    /// For each step, the last entry of its list.
    beginning: Vec<u32>,
    /// Blocks, each with the previous entry in its list; 0 ends a list.
    entries: Vec<(u32, u32)>,
}

impl Lifetimes {
    fn new(steps: usize, blocks: usize) -> Lifetimes {
        let mut entries = Vec::with_capacity(1 + 4 * blocks);
        entries.push((0, 0));
        Lifetimes { steps, covering: vec![0; 2 * steps], beginning: vec![0; steps], entries }
    }

    /// Adds a block that is alive from one step to another.
    fn insert(&mut self, first: usize, last: usize, block: usize) {
        // INVARIANT: no more than `MANY_BLOCKS` blocks are inserted, each a few dozen times.
        let add = |list: &mut u32, entries: &mut Vec<(u32, u32)>| {
            entries.push((block as u32, *list));
            *list = entries.len() as u32 - 1;
        };
        add(&mut self.beginning[first], &mut self.entries);
        let (mut from, mut to) = (first + self.steps, last + self.steps + 1);
        while from < to {
            if from % 2 == 1 {
                add(&mut self.covering[from], &mut self.entries);
                from += 1;
            }
            if to % 2 == 1 {
                to -= 1;
                add(&mut self.covering[to], &mut self.entries);
            }
            (from, to) = (from / 2, to / 2);
        }
    }

    /// Calls `visit` with each block that is alive at a step from `first` to `last`: the blocks alive at the first step, and the ones
    /// that begin later.
    fn for_each_beside(&self, first: usize, last: usize, mut visit: impl FnMut(usize)) {
        let mut list = |mut entry: u32| {
            while entry != 0 {
                let (block, before) = self.entries[entry as usize];
                visit(block as usize);
                entry = before;
            }
        };
        let mut interval = first + self.steps;
        while interval > 0 {
            list(self.covering[interval]);
            interval /= 2;
        }
        self.beginning[first + 1..=last].iter().for_each(|&entry| list(entry));
    }
}

/// Assigns offsets to the blocks of the arena in the order of their first steps. Each gets the smallest gap that it fits in. This is for
/// programs with so many blocks that comparing all pairs of them ([`place_largest_first`]) would take too long.
fn place_in_order(blocks: &mut [Allocation], order: &mut [usize]) -> Option<usize> {
    order.sort_by_key(|&i| (blocks[i].first, Reverse(blocks[i].bytes), i));
    let mut gaps = Gaps::default();
    // The blocks that are alive, by their last steps.
    let mut ends: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    for &i in order.iter() {
        while let Some(&Reverse((last, j))) = ends.peek().filter(|Reverse((last, _))| *last < blocks[i].first)
        {
            debug_assert_eq!(last, blocks[j].last);
            ends.pop();
            gaps.free(blocks[j].offset, aligned(blocks[j].bytes));
        }
        blocks[i].offset = gaps.take(aligned(blocks[i].bytes))?;
        ends.push(Reverse((blocks[i].last, i)));
    }
    (gaps.total <= isize::MAX as usize).then_some(gaps.total)
}

/// The free pieces of an arena that grows at its end.
#[derive(Default)]
struct Gaps {
    /// Start and size of each free piece. No two of them touch.
    by_start: BTreeMap<usize, usize>,
    /// The same pieces by size.
    by_size: BTreeSet<(usize, usize)>,
    total: usize,
}

impl Gaps {
    fn insert(&mut self, start: usize, size: usize) {
        self.by_start.insert(start, size);
        self.by_size.insert((size, start));
    }

    fn remove(&mut self, start: usize, size: usize) {
        self.by_start.remove(&start);
        self.by_size.remove(&(size, start));
    }

    /// Takes `size` free bytes and returns their offset, or `None` if the arena would be too large.
    fn take(&mut self, size: usize) -> Option<usize> {
        if size == 0 {
            return Some(0);
        }
        if let Some(&(found, start)) = self.by_size.range((size, 0)..).next() {
            self.remove(start, found);
            if found > size {
                self.insert(start + size, found - size);
            }
            return Some(start);
        }
        // A free piece at the end of the arena is extended.
        let last = self.by_start.iter().next_back().map(|(&start, &free)| (start, free));
        let start = match last.filter(|(start, free)| start + free == self.total) {
            Some((start, free)) => {
                self.remove(start, free);
                start
            }
            None => self.total,
        };
        self.total = start.checked_add(size)?;
        Some(start)
    }

    /// Returns bytes to the arena.
    fn free(&mut self, mut start: usize, mut size: usize) {
        if size == 0 {
            return;
        }
        if let Some((&before, &free)) = self.by_start.range(..start).next_back()
            && before + free == start
        {
            self.remove(before, free);
            (start, size) = (before, size + free);
        }
        if let Some(&free) = self.by_start.get(&(start + size)) {
            self.remove(start + size, free);
            size += free;
        }
        self.insert(start, size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_ir::math::random::SplitMix64;

    fn blocks(seed: u64, count: usize, end: usize) -> Vec<Allocation> {
        let mut random = SplitMix64::new(seed);
        let block = |_| {
            let first = random.below(end + 1);
            let last = if random.below(8) == 0 { usize::MAX } else { (first + random.below(9)).min(end) };
            Allocation::new(random.below(12) * 40, first, last)
        };
        (0..count).map(block).collect()
    }

    #[test]
    fn blocks_beside_each_other_do_not_overlap() {
        type Way = fn(&mut [Allocation], &mut [usize], usize) -> Option<usize>;
        let in_order: Way = |blocks, order, _| place_in_order(blocks, order);
        for (way, seed) in
            [place_largest_first as Way, in_order].into_iter().flat_map(|w| (0..40).map(move |s| (w, s)))
        {
            let end = [1, 6, 37, 64][seed as usize % 4];
            let mut blocks = blocks(seed, 90, end);
            let mut order: Vec<usize> = (0..blocks.len()).collect();
            let total = way(&mut blocks, &mut order, end).unwrap();
            let range = |b: &Allocation| b.offset..b.offset + aligned(b.bytes);
            for (i, a) in blocks.iter().enumerate() {
                assert!(range(a).end <= total && a.offset.is_multiple_of(ALIGNMENT));
                for b in blocks[..i].iter().filter(|b| a.first <= b.last && b.first <= a.last) {
                    let apart = range(a).end <= range(b).start || range(b).end <= range(a).start;
                    assert!(
                        apart || a.bytes == 0 || b.bytes == 0,
                        "seed {seed}: {:?} {:?}",
                        range(a),
                        range(b)
                    );
                }
            }
        }
    }

    #[test]
    fn lifetimes_find_each_block_once() {
        for seed in 0..40 {
            let end = [0, 5, 33, 100][seed as usize % 4];
            let blocks = blocks(seed, 60, end);
            let mut alive = Lifetimes::new(end + 1, blocks.len());
            for (i, block) in blocks.iter().enumerate() {
                let last = block.last.min(end);
                let mut found = Vec::new();
                alive.for_each_beside(block.first, last, |j| found.push(j));
                found.sort_unstable();
                let is_beside = |j: &usize| blocks[*j].first <= last && block.first <= blocks[*j].last;
                assert_eq!(found, (0..i).filter(is_beside).collect::<Vec<_>>());
                alive.insert(block.first, last, i);
            }
        }
    }

    #[test]
    fn what_cannot_be_addressed_has_no_place() {
        let huge = || Allocation::new(isize::MAX as usize - 63, 0, 3);
        assert_eq!(place(&mut [huge(), huge()], &mut [0, 1], 3), None);
        assert_eq!(place_in_order(&mut [huge(), huge(), huge()], &mut [0, 1, 2]), None);
    }
}
