//! Threefry-2x32 with twenty rounds, and the functions of `jax.random` that draw keys and bits with it.

use super::BitWidth;

/// A key: two words, the high one first.
pub type Key = [u32; 2];

/// How a draw or a split numbers its blocks.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BlockNumbering {
    /// One block per element, numbered by a 64-bit index: `jax_threefry_partitionable`, JAX's default.
    Partitionable,
    /// All words as one array of counters that is hashed in two halves: JAX's older scheme.
    Original,
}

const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];

/// The Threefry-2x32 block function: encrypts the counter with the key.
pub fn threefry2x32(key: Key, counter: [u32; 2]) -> [u32; 2] {
    let [[low], [high]] = threefry2x32_lanes(key.map(|k| [k]), counter.map(|c| [c]));
    [low, high]
}

/// [`threefry2x32`] of `L` keys and counters side by side, for code that is compiled to vectors.
#[inline(always)]
pub fn threefry2x32_lanes<const L: usize>(key: [[u32; L]; 2], counter: [[u32; L]; 2]) -> [[u32; L]; 2] {
    let [k0, k1] = key;
    let schedule = [k0, k1, std::array::from_fn(|l| k0[l] ^ k1[l] ^ 0x1BD1_1BDA)];
    let add = |x: &mut [u32; L], y: &[u32; L]| (0..L).for_each(|l| x[l] = x[l].wrapping_add(y[l]));
    let [mut x0, mut x1] = counter;
    add(&mut x0, &k0);
    add(&mut x1, &k1);
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            add(&mut x0, &x1);
            (0..L).for_each(|l| x1[l] = x1[l].rotate_left(rotation) ^ x0[l]);
        }
        add(&mut x0, &schedule[(group + 1) % 3]);
        add(&mut x1, &schedule[(group + 2) % 3]);
        add(&mut x1, &[group as u32 + 1; L]);
    }
    [x0, x1]
}

/// `threefry_2x32(key, counts)` of JAX: the first half of the array is paired with the second half. An array of odd length is
/// padded with a zero, whose result is dropped.
pub fn threefry_hash(key: Key, counts: &[u32]) -> Vec<u32> {
    let half = counts.len().div_ceil(2);
    let (mut low, mut high) = (Vec::with_capacity(2 * half), Vec::with_capacity(half));
    for i in 0..half {
        let [a, b] = threefry2x32(key, [counts[i], counts.get(half + i).copied().unwrap_or(0)]);
        low.push(a);
        high.push(b);
    }
    low.append(&mut high);
    low.truncate(counts.len());
    low
}

/// The key of a 64-bit seed (`jax.random.key`).
pub fn threefry_seed(seed: u64) -> Key {
    [(seed >> 32) as u32, seed as u32]
}

/// A key from a key and a number (`jax.random.fold_in`).
pub fn threefry_fold_in(key: Key, data: u32) -> Key {
    threefry2x32(key, [0, data])
}

/// The two words of a 64-bit counter, the high one first.
fn words(counter: u64) -> [u32; 2] {
    threefry_seed(counter)
}

/// Splits a key into `count` keys (`jax.random.split`).
pub fn threefry_split(key: Key, count: usize, layout: BlockNumbering) -> Vec<Key> {
    match layout {
        BlockNumbering::Partitionable => (0..count as u64).map(|i| threefry2x32(key, words(i))).collect(),
        BlockNumbering::Original => {
            let hashed = hash_of_iota(key, 2 * count);
            hashed.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()
        }
    }
}

/// The hash of `0, 1, …`. Counters wrap, but no array in memory is large enough for that.
fn hash_of_iota(key: Key, count: usize) -> Vec<u32> {
    let counts: Vec<u32> = (0..count).map(|i| i as u32).collect();
    threefry_hash(key, &counts)
}

/// `count` random integers of the given width, in the low bits of each (`jax.random.bits`).
pub fn threefry_bits(key: Key, count: usize, width: BitWidth, layout: BlockNumbering) -> Vec<u64> {
    match layout {
        BlockNumbering::Partitionable => {
            let element = |i: u64| {
                let [high, low] = threefry2x32(key, words(i));
                if width == BitWidth::W64 {
                    u64::from(high) << 32 | u64::from(low)
                } else {
                    width.truncate(u64::from(high ^ low))
                }
            };
            (0..count as u64).map(element).collect()
        }
        BlockNumbering::Original => original_bits(key, count, width),
    }
}

/// Words from one hashed array: 64-bit values take their high halves from its first half; narrow values are successive parts of
/// each word, low bits first.
fn original_bits(key: Key, count: usize, width: BitWidth) -> Vec<u64> {
    let bits = width.bits() as usize;
    let hashed = hash_of_iota(key, (bits * count).div_ceil(32));
    if width == BitWidth::W64 {
        let (high, low) = hashed.split_at(count);
        return high.iter().zip(low).map(|(h, l)| u64::from(*h) << 32 | u64::from(*l)).collect();
    }
    let per_word = 32 / bits;
    (0..count).map(|i| width.truncate(u64::from(hashed[i / per_word]) >> (bits * (i % per_word)))).collect()
}
