//! Orders of elements in the memory of a group that make lanes use different banks when they access several elements at
//! the same time.

use rlx_ir::ParseError;
use rlx_ir::text::Parser;
use std::fmt;

/// Permutes row-major positions by combining the bits from `to` on, by exclusive or, with the same number of bits from
/// `from` on. The permutation is its own inverse, and elements stay in their block of 2^(to + bits).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Swizzle {
    /// The number of bits.
    pub bits: u32,
    /// The first bit that is combined with others. It is at least `to + bits`.
    pub from: u32,
    /// The first bit that changes.
    pub to: u32,
}

/// The number of bits of a position.
const WIDEST: u32 = 31;

impl fmt::Display for Swizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} from {} to {}", self.bits, self.from, self.to)
    }
}

impl Swizzle {
    /// Reads the [displayed](fmt::Display) form.
    pub(crate) fn read(p: &mut Parser<'_>) -> Result<Swizzle, ParseError> {
        let bits = p.integer()?;
        let mut behind = |word: &str| match p.eat_word(word) {
            true => p.integer(),
            false => p.expected(&format!("`{word}` and the number of a bit")),
        };
        Ok(Swizzle { bits, from: behind("from")?, to: behind("to")? })
    }

    /// Returns the position of the element with this number.
    pub fn place(self, place: usize) -> usize {
        place ^ (((place >> self.from) & ((1 << self.bits) - 1)) << self.to)
    }

    /// Returns why arrays with this number of elements cannot have this order.
    pub fn problem(self, elements: Option<usize>) -> Option<String> {
        let Swizzle { bits, from, to } = self;
        let ends = (from.checked_add(bits), to.checked_add(bits));
        let (Some(..=WIDEST), Some(end @ ..=WIDEST)) = ends else {
            return Some(format!("positions have only {WIDEST} bits"));
        };
        if bits == 0 || from < end {
            return Some(format!("{bits} bits from {from} are not above those from {to}"));
        }
        match elements {
            Some(elements) if elements.is_multiple_of(1 << end) => None,
            Some(elements) => Some(format!("{elements} elements are not a multiple of {}", 1u32 << end)),
            None => Some("its sizes are not static".into()),
        }
    }
}

/// Memory that returns one word per bank at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Banks {
    /// The number of banks.
    pub count: u32,
    /// The number of bytes of a word.
    pub bytes: u32,
}

impl Banks {
    /// Returns how many additional turns it takes to access elements of a size at these positions, in bytes. There are
    /// as many turns as one bank has different words that are accessed. Elements of several words take several turns by
    /// themselves.
    pub fn conflicts(self, places: &[u64], size: u64) -> u64 {
        let (count, bytes) = (u64::from(self.count.max(1)), u64::from(self.bytes.max(1)));
        let mut words: Vec<u64> =
            places.iter().flat_map(|place| place / bytes..=(place + size.max(1) - 1) / bytes).collect();
        words.sort_unstable();
        words.dedup();
        words.sort_unstable_by_key(|word| word % count);
        let turns = words.chunk_by(|a, b| a % count == b % count).map(|bank| bank.len() as u64).max();
        turns.unwrap_or(0).saturating_sub(size.div_ceil(bytes).max(1))
    }
}

/// 32 banks of 4 bytes (CUDA C++ Programming Guide, "Shared memory"; AMD, "CDNA3 instruction set architecture", local data share).
pub const BANKS: Banks = Banks { count: 32, bytes: 4 };

#[cfg(test)]
mod tests {
    use super::{BANKS, Swizzle};

    #[test]
    fn every_place_is_taken_once() {
        let swizzle = Swizzle { bits: 2, from: 6, to: 3 };
        assert_eq!(swizzle.problem(Some(256)), None);
        let mut places: Vec<usize> = (0..256).map(|place| swizzle.place(place)).collect();
        assert!((0..256).all(|place| swizzle.place(places[place]) == place));
        places.sort_unstable();
        assert_eq!(places, (0..256).collect::<Vec<_>>());
    }

    #[test]
    fn lanes_down_a_column_find_different_banks() {
        let swizzle = Swizzle { bits: 5, from: 5, to: 0 };
        let down = |place: &dyn Fn(usize) -> usize| -> Vec<u64> {
            (0..32).map(|row| 4 * place(32 * row) as u64).collect()
        };
        assert_eq!(BANKS.conflicts(&down(&|place| place), 4), 31);
        assert_eq!(BANKS.conflicts(&down(&|place| swizzle.place(place)), 4), 0);
        // Eight bytes for each of 32 lanes take two turns, which is not a conflict.
        let pairs: Vec<u64> = (0..32).map(|lane| 8 * lane).collect();
        assert_eq!(BANKS.conflicts(&pairs, 8), 0);
    }
}
