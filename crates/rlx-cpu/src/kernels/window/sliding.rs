//! Divides an axis into blocks as long as the window, which neighboring windows share. A window is then the end of one block and the
//! beginning of the next, and each element is combined only a few times, however long the window is. No element is ever subtracted again,
//! so sums do not lose precision.
//!
//! If taps are apart, they fall on every n-th position only. These positions form a separate line, in which the window has no gaps.

use super::taps::{Taps, bezout};
use std::ops::Range;

/// Windows that see fewer elements than this are combined tap by tap.
const LONG: usize = 48;

/// An axis that is divided into blocks.
pub(super) struct Sliding {
    /// Number of taps.
    window: i128,
    /// Number of positions of elements, of lines among them, and of blocks in the longest line.
    positions: i128,
    pub(super) lines: usize,
    pub(super) blocks: usize,
    /// For a line: the distance between its places, how far the window moves from one of them to the next, and numbers with which the first
    /// place is found.
    place_step: i128,
    advance: i128,
    inverse: i128,
    common: i128,
    stride: i128,
    low: i128,
    places: i128,
}

/// A block of a line, and the places whose windows begin in it. Positions are counted along the line.
#[derive(Clone, Debug)]
pub(super) struct WindowBlock {
    /// Where the line begins on the axis, and its number of positions.
    pub(super) origin: usize,
    pub(super) len: usize,
    pub(super) range: Range<usize>,
    /// Places whose windows begin at or before the start of the line, so that what they see starts with the block.
    pub(super) early: Places,
    /// The other places.
    pub(super) late: Places,
}

/// Evenly spaced places of the axis, and the positions that each sees: `begin..end` for the first place, and `advance` further for each
/// next place, as far as they are on the line.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) first: usize,
    pub(super) step: usize,
    pub(super) count: usize,
    begin: i128,
    end: i128,
    advance: i128,
    len: i128,
}

impl Places {
    /// Returns the positions that the `i`-th place sees.
    pub(super) fn sees(&self, i: usize) -> Range<usize> {
        let moved = i as i128 * self.advance;
        let on_line = |at: i128| (at + moved).clamp(0, self.len) as usize;
        on_line(self.begin)..on_line(self.end)
    }

    /// Returns how many of them begin before a position.
    pub(super) fn before(&self, position: usize) -> usize {
        let begun = (position as i128 - self.begin + self.advance - 1) / self.advance;
        begun.clamp(0, self.count as i128) as usize
    }

    /// Returns how far the window moves from place to place.
    pub(super) fn advance(&self) -> usize {
        self.advance as usize
    }

    /// Returns the distance from a position to the end of what the `i`-th place would see on a line that is long enough.
    pub(super) fn end_after(&self, i: usize, position: usize) -> isize {
        (self.end + i as i128 * self.advance - position as i128) as isize
    }

    /// Returns the index on the axis of the `i`-th place.
    pub(super) fn place(&self, i: usize) -> usize {
        self.first + i * self.step
    }
}

impl Sliding {
    /// Divides an axis into blocks if that pays, where a step of sliding takes as long as `cost` tap-by-tap steps.
    pub(super) fn new(taps: &Taps, cost: usize) -> Option<Sliding> {
        let (window, positions, places) = (taps.window as i128, taps.positions(), taps.places as i128);
        let apart = taps.window_dilation();
        let by_taps = taps.most() as i128 * places;
        let by_sliding = (3 * positions + 2 * places) * cost as i128;
        if taps.most() < LONG || by_taps < by_sliding || apart > positions || positions > isize::MAX as i128 {
            return None;
        }
        let (common, factor) = bezout(taps.stride(), apart);
        let longest = (positions + apart - 1) / apart;
        Some(Sliding {
            window,
            positions,
            lines: usize::try_from(apart).ok()?,
            blocks: usize::try_from((longest + window - 1) / window).ok()?.max(1),
            place_step: apart / common,
            advance: taps.stride() / common,
            inverse: factor.rem_euclid(apart / common),
            common,
            stride: taps.stride(),
            low: taps.low(),
            places,
        })
    }

    /// Returns the length of the longest block.
    pub(super) fn block_len(&self) -> usize {
        let longest = (self.positions + self.lines as i128 - 1) / self.lines as i128;
        self.window.min(longest).max(1) as usize
    }

    /// Returns a block of a line; `None` past the line's last block.
    pub(super) fn block(&self, line: usize, block: usize) -> Option<WindowBlock> {
        let (line, apart) = (line as i128, self.lines as i128);
        let len = ((self.positions - line + apart - 1) / apart).max(0);
        let size = self.window.min(len).max(1);
        let blocks = ((len + size - 1) / size).max(1);
        let block = block as i128;
        // The windows of these places begin on this line: place · stride = line + low, modulo the distance between taps.
        let towards = line + self.low;
        if block >= blocks || towards % self.common != 0 {
            return None;
        }
        let first = (towards / self.common).rem_euclid(self.place_step) * self.inverse % self.place_step;
        let count = ((self.places - first + self.place_step - 1) / self.place_step).max(0);
        let begin = (first * self.stride - self.low - line) / apart;
        // How many of them begin before a position.
        let before = |at: i128| ((at - begin + self.advance - 1) / self.advance).clamp(0, count);
        let range = block * size..((block + 1) * size).min(len);
        let last = if block + 1 == blocks { count } else { before(range.end) };
        let late = before(range.start.max(1));
        let places = |from: i128, to: i128| Places {
            first: (first + from * self.place_step) as usize,
            step: self.place_step as usize,
            count: (to - from).max(0) as usize,
            begin: begin + from * self.advance,
            end: begin + from * self.advance + self.window,
            advance: self.advance,
            len,
        };
        Some(WindowBlock {
            origin: line as usize,
            len: len as usize,
            range: range.start as usize..range.end as usize,
            early: places(0, if block == 0 { late } else { 0 }),
            late: places(late, last),
        })
    }

    /// Returns the approximate number of elements that are combined, which does not depend on the window.
    pub(super) fn steps(&self) -> u64 {
        u64::try_from(3 * self.positions + 2 * self.places).unwrap_or(u64::MAX)
    }
}

/// A block that is divided into segments. The suffixes of one segment at a time are stored, and of each segment what comes after it.
#[derive(Clone, Copy)]
pub(super) struct Segments {
    /// Number of positions in a segment, and of segments in the longest block.
    pub(super) len: usize,
    pub(super) count: usize,
}

impl Segments {
    /// Chooses about as many segments as each has positions.
    pub(super) fn new(block: usize) -> Segments {
        let len = if block <= 512 { block } else { block.isqrt() + 1 };
        Segments { len, count: block.div_ceil(len) }
    }

    /// Returns the segments from position `from` of a block on, first to last.
    pub(super) fn of(
        self,
        block: &Range<usize>,
        from: usize,
    ) -> impl DoubleEndedIterator<Item = Range<usize>> {
        let (start, end, len) = (block.start, block.end, self.len);
        let first = (from.max(start) - start) / len;
        let count = (end - start).div_ceil(len);
        (first..count).map(move |i| start + i * len..end.min(start + (i + 1) * len))
    }
}

#[cfg(test)]
mod tests {
    use super::super::taps::Moves;
    use super::*;

    /// Checks that what each place sees consists of blocks: the end of one and the beginning of the next.
    #[test]
    fn blocks_and_segments_make_up_windows() {
        let (mut tried, mut crossed) = (0, 0);
        for base in [48, 50, 97, 300] {
            for (window, stride, base_dilation, window_dilation) in [
                (48, 1, 1, 1),
                (60, 3, 1, 1),
                (100, 1, 1, 1),
                (96, 1, 2, 1),
                (400, 2, 1, 1),
                (50, 1, 1, 2),
                (50, 4, 1, 6),
                (150, 3, 2, 2),
            ] {
                for low in [-5, 0, 7, 399] {
                    let places = (base * base_dilation + 500) / stride;
                    let moves = Moves { base, window, places, stride, base_dilation, window_dilation, low };
                    let taps = Taps::new(&moves);
                    let Some(sliding) = Sliding::new(&taps, 0) else { continue };
                    tried += 1;
                    crossed += check(&taps, &sliding);
                }
            }
        }
        assert!(tried > 60 && crossed > 1000, "{tried} {crossed}");
    }

    /// Checks an axis; returns how many windows lie in two blocks.
    fn check(taps: &Taps, sliding: &Sliding) -> usize {
        let mut seen = vec![0; taps.places];
        let mut crossed = 0;
        for (line, number) in (0..sliding.lines).flat_map(|l| (0..sliding.blocks).map(move |b| (l, b))) {
            let Some(block) = sliding.block(line, number) else { continue };
            assert!(block.range.len() <= sliding.block_len());
            for (places, early) in [(&block.early, true), (&block.late, false)] {
                for i in 0..places.count {
                    let (place, range) = (places.place(i), places.sees(i));
                    seen[place] += 1;
                    let expected = taps.of_place(place);
                    let dilation = taps.dilation();
                    let elements: Vec<usize> = range
                        .clone()
                        .map(|j| block.origin + j * sliding.lines)
                        .filter(|at| at % dilation == 0)
                        .map(|at| at / dilation)
                        .collect();
                    let wanted: Vec<usize> =
                        (0..expected.count).map(|i| expected.element + i * expected.element_step).collect();
                    assert_eq!(elements, wanted, "place {place}");
                    if early {
                        assert!(range.is_empty() || range.start == 0 && range.end <= block.range.end);
                    } else if !range.is_empty() {
                        assert!(block.range.contains(&range.start) && range.end >= block.range.end);
                        assert!(range.end <= block.range.end + block.range.len());
                        crossed += usize::from(range.end > block.range.end);
                    }
                }
            }
            let segments = Segments { len: 7, count: 0 };
            let covered: Vec<usize> = segments.of(&block.range, block.range.start).flatten().collect();
            assert_eq!(covered, block.range.collect::<Vec<_>>());
        }
        assert!(seen.iter().all(|&n| n == 1), "each place must come once");
        crossed
    }
}
