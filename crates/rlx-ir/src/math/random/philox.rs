//! Philox-4x32 with ten rounds.

/// The Philox-4x32-10 block function: encrypts the counter with the key.
#[inline(always)]
pub fn philox4x32(key: [u32; 2], counter: [u32; 4]) -> [u32; 4] {
    let (mut key, mut x) = (key, counter);
    for _ in 0..10 {
        let first = u64::from(x[0]) * 0xD251_1F53;
        let second = u64::from(x[2]) * 0xCD9E_8D57;
        x = [
            (second >> 32) as u32 ^ x[1] ^ key[0],
            second as u32,
            (first >> 32) as u32 ^ x[3] ^ key[1],
            first as u32,
        ];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    x
}
