//! Assigns numbers to keys, with equal numbers for equal keys, so that passes can find equal nodes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;

/// Keys, numbered in the order in which they first occurred, and stored contiguously.
#[derive(Default)]
pub(crate) struct Interner {
    bytes: Vec<u8>,
    /// For each key, the end of its bytes.
    ends: Vec<usize>,
    /// The last key with each hash.
    last: HashMap<u64, u32>,
    /// For each key, the previous one with the same hash.
    before: Vec<Option<u32>>,
}

impl Interner {
    /// Creates an empty interner with room for `keys` keys.
    pub(crate) fn with_capacity(keys: usize) -> Interner {
        let mut interner = Interner::default();
        interner.last.reserve(keys);
        interner.ends.reserve(keys);
        interner.before.reserve(keys);
        interner
    }

    /// Returns the number of a key. A key that has not occurred before gets the next number.
    pub(crate) fn number(&mut self, key: &[u8]) -> u32 {
        let hash = self.last.hasher().hash_one(key);
        let next = self.ends.len() as u32;
        let before = match self.last.entry(hash) {
            Entry::Vacant(vacant) => {
                vacant.insert(next);
                None
            }
            Entry::Occupied(mut last) => {
                let mut known = Some(*last.get());
                while let Some(number) = known {
                    let end = self.ends[number as usize];
                    let start = number.checked_sub(1).map_or(0, |i| self.ends[i as usize]);
                    if self.bytes[start..end] == *key {
                        return number;
                    }
                    known = self.before[number as usize];
                }
                Some(last.insert(next))
            }
        };
        self.before.push(before);
        self.bytes.extend(key);
        self.ends.push(self.bytes.len());
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_have_one_number() {
        let mut interner = Interner::with_capacity(2);
        let keys: [&[u8]; 6] = [b"a", b"", b"ab", b"a", b"b", b""];
        assert_eq!(keys.map(|key| interner.number(key)), [0, 1, 2, 0, 3, 1]);
    }
}
