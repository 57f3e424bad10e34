//! Random bits compared with JAX, XLA and the known answers of the Random123 distribution.

use super::super::random::*;
use super::tables::random as tables;

fn key() -> [u32; 2] {
    [tables::KEY[0], tables::KEY[1]]
}

#[test]
fn threefry_known_answers() {
    assert_eq!(threefry2x32([0, 0], [0, 0]), [0x6b200159, 0x99ba4efe]);
    assert_eq!(threefry2x32([!0, !0], [!0, !0]), [0x1cb996fc, 0xbb002be7]);
    let digits_of_pi = threefry2x32([0x13198a2e, 0x03707344], [0x243f6a88, 0x85a308d3]);
    assert_eq!(digits_of_pi, [0xc4923a9c, 0x483df7a0]);
}

#[test]
fn philox_known_answers() {
    assert_eq!(philox4x32([0; 2], [0; 4]), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
    assert_eq!(philox4x32([!0; 2], [!0; 4]), [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]);
    let digits_of_pi = philox4x32([0xa4093822, 0x299f31d0], [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344]);
    assert_eq!(digits_of_pi, [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]);
}

#[test]
fn keys_agree_with_jax() {
    let wide = |key: [u32; 2]| key.map(u64::from).to_vec();
    assert_eq!(wide(threefry_seed(0x0123_4567_89ab_cdef)), tables::SEEDED);
    assert_eq!(wide(threefry_fold_in(key(), 0xdead_beef)), tables::FOLDED);
    for (layout, _, want) in tables::SPLITS {
        let got: Vec<u64> = threefry_split(key(), 3, *layout).into_iter().flatten().map(u64::from).collect();
        assert_eq!(&got, want, "{layout:?}");
    }
}

#[test]
fn hash_of_an_odd_array_agrees_with_jax() {
    let counts: Vec<u32> = (0..7u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
    assert_eq!(threefry_hash(key(), &counts), tables::HASHED);
    assert!(threefry_hash(key(), &[]).is_empty());
}

#[test]
fn bits_agree_with_jax() {
    for (layout, width, want) in tables::DRAWS {
        assert_eq!(&threefry_bits(key(), want.len(), *width, *layout), want, "{layout:?} {width:?}");
    }
}

#[test]
fn generators_agree_with_xla() {
    for (algorithm, width, shape, state, bits) in tables::GENERATED {
        let got = rng_bit_generator(*algorithm, tables::STATE, shape, *width);
        let want = Generated { state: state.to_vec(), bits: bits.to_vec() };
        assert_eq!(got, Some(want), "{algorithm:?} {width:?} {shape:?}");
    }
}

#[test]
fn philox_carries_into_its_third_word() {
    let state = [tables::STATE[0], tables::STATE[1], 7];
    let got = rng_bit_generator(Algorithm::Philox, &state, &[5], BitWidth::W32);
    let want = Generated { state: tables::PHILOX_STATE.to_vec(), bits: tables::PHILOX_BITS.to_vec() };
    assert_eq!(got, Some(want));
}

#[test]
fn states_of_other_lengths_are_refused() {
    for (algorithm, lengths) in [(Algorithm::ThreeFry, [0, 1, 3]), (Algorithm::Philox, [0, 1, 4])] {
        for length in lengths {
            assert_eq!(rng_bit_generator(algorithm, &vec![0; length], &[2], BitWidth::W32), None);
        }
    }
}
