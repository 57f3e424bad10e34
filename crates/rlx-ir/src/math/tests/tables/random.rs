//! Random bits, from JAX and XLA on the CPU. Made by `make_tables.py`.

use super::super::super::random::{Algorithm, BitWidth, BlockNumbering};

/// The key of all draws.
#[rustfmt::skip]
pub const KEY: &[u32] = &[
    0x13198a2e, 0x3707344,
];

/// `jax.random.bits(KEY)`: layout, width, values.
#[rustfmt::skip]
pub const DRAWS: &[(BlockNumbering, BitWidth, &[u64])] = &[
    (BlockNumbering::Partitionable, BitWidth::W8, &[]), (BlockNumbering::Partitionable, BitWidth::W8, &[0x73]),
    (BlockNumbering::Partitionable, BitWidth::W8, &[0x73, 0x1, 0x97, 0x4, 0x14]),
    (BlockNumbering::Partitionable, BitWidth::W8, &[0x73, 0x1, 0x97, 0x4, 0x14, 0x42, 0x6f, 0x37]),
    (BlockNumbering::Partitionable, BitWidth::W16, &[]), (BlockNumbering::Partitionable, BitWidth::W16, &[0x1073]),
    (BlockNumbering::Partitionable, BitWidth::W16, &[0x1073, 0xaa01, 0x4c97, 0x9a04, 0x9714]),
    (BlockNumbering::Partitionable, BitWidth::W16, &[0x1073, 0xaa01, 0x4c97, 0x9a04, 0x9714, 0x9542, 0x66f, 0xec37]),
    (BlockNumbering::Partitionable, BitWidth::W32, &[]), (BlockNumbering::Partitionable, BitWidth::W32, &[0x90101073]),
    (BlockNumbering::Partitionable, BitWidth::W32, &[0x90101073, 0xcbf4aa01, 0x70c84c97, 0x7bb09a04, 0x11d89714]),
    (BlockNumbering::Partitionable, BitWidth::W32, &[0x90101073, 0xcbf4aa01, 0x70c84c97, 0x7bb09a04, 0x11d89714, 0xb92d9542, 0x8c16066f, 0x5c89ec37]),
    (BlockNumbering::Partitionable, BitWidth::W64, &[]),
    (BlockNumbering::Partitionable, BitWidth::W64, &[0x41485429d158445a]),
    (BlockNumbering::Partitionable, BitWidth::W64, &[0x41485429d158445a, 0xd1d7b3101a231911, 0xfcaa3adc8c62764b, 0x8a474f9bf1f7d59f, 0x353ba3f324e334e7]),
    (BlockNumbering::Partitionable, BitWidth::W64, &[0x41485429d158445a, 0xd1d7b3101a231911, 0xfcaa3adc8c62764b, 0x8a474f9bf1f7d59f, 0x353ba3f324e334e7, 0xd26c4db96b41d8fb, 0x99deb00c15c8b663, 0x765042e5bece819]),
    (BlockNumbering::Original, BitWidth::W8, &[]), (BlockNumbering::Original, BitWidth::W8, &[0x29]),
    (BlockNumbering::Original, BitWidth::W8, &[0x10, 0xb3, 0xd7, 0xd1, 0x11]),
    (BlockNumbering::Original, BitWidth::W8, &[0x10, 0xb3, 0xd7, 0xd1, 0x11, 0x19, 0x23, 0x1a]),
    (BlockNumbering::Original, BitWidth::W16, &[]), (BlockNumbering::Original, BitWidth::W16, &[0x5429]),
    (BlockNumbering::Original, BitWidth::W16, &[0x3adc, 0xfcaa, 0x90d0, 0x916a, 0x764b]),
    (BlockNumbering::Original, BitWidth::W16, &[0x3adc, 0xfcaa, 0x67e7, 0xf79e, 0x764b, 0x8c62, 0xa320, 0xc346]),
    (BlockNumbering::Original, BitWidth::W32, &[]), (BlockNumbering::Original, BitWidth::W32, &[0x41485429]),
    (BlockNumbering::Original, BitWidth::W32, &[0x8a474f9b, 0xd8d4155a, 0x20a2094f, 0xf1f7d59f, 0xe6c36ced]),
    (BlockNumbering::Original, BitWidth::W32, &[0x353ba3f3, 0x67072f93, 0x600bef75, 0xadf6ff9a, 0x24e334e7, 0x142fc6bc, 0x6ecb78a0, 0xc7ad9192]),
    (BlockNumbering::Original, BitWidth::W64, &[]), (BlockNumbering::Original, BitWidth::W64, &[0xd1d7b3101a231911]),
    (BlockNumbering::Original, BitWidth::W64, &[0xd26c4db96b41d8fb, 0x3683802f9470cfe2, 0xa532874e33ee280a, 0xd8c4e6c566f9e702, 0x50e2f52614c57e41]),
    (BlockNumbering::Original, BitWidth::W64, &[0x19db24dfd488f5dd, 0xedf05ad9da147a76, 0x673a2a2a460972f3, 0xe306ca97289c211, 0x13539c60d8c652bb, 0x54a95782fca82a0c, 0xb7d9a73790075488, 0x17edb3c22a37835b]),
];

/// `jax.random.split(KEY, 3)`: layout, words of the three keys.
#[rustfmt::skip]
pub const SPLITS: &[(BlockNumbering, BitWidth, &[u64])] = &[
   
    (BlockNumbering::Original, BitWidth::W32, &[0x8a474f9b, 0xd8d4155a, 0xe604c4d5, 0xf1f7d59f, 0xe6c36ced, 0x1928702e]),
    (BlockNumbering::Partitionable, BitWidth::W32, &[0x41485429, 0xd158445a, 0xd1d7b310, 0x1a231911, 0xfcaa3adc, 0x8c62764b]),
];

/// `jax.random.fold_in(KEY, 0xdeadbeef)`.
#[rustfmt::skip]
pub const FOLDED: &[u64] = &[
    0x51a211ec, 0xbe48c64a,
];

/// `jax.random.key(0x123456789abcdef)`.
#[rustfmt::skip]
pub const SEEDED: &[u64] = &[
    0x1234567, 0x89abcdef,
];

/// `threefry_2x32(KEY, [0, 1, …, 6] * 0x9e3779b9)`.
#[rustfmt::skip]
pub const HASHED: &[u32] = &[
    0x884ee929, 0x9e32f840, 0xe7fa0b13, 0x96dcab0d, 0x92b9e184, 0xb1479fb3, 0x61c6ec20,
];

/// The state given to the generators.
#[rustfmt::skip]
pub const STATE: &[u64] = &[
    0x123456789abcdef0, 0xfffffffffffffffe,
];

/// `lax.rng_bit_generator(STATE)`: algorithm, width, shape, new state, values.
#[rustfmt::skip]
pub const GENERATED: &[(Algorithm, BitWidth, &[usize], &[u64], &[u64])] = &[
    (Algorithm::ThreeFry, BitWidth::W8, &[], &[0x123456789abcdef0, 0xffffffffffffffff], &[0x7a]),
    (Algorithm::ThreeFry, BitWidth::W8, &[5], &[0x123456789abcdef0, 0x1], &[0x7a, 0x2c, 0xa7, 0xca, 0x3d]),
    (Algorithm::ThreeFry, BitWidth::W8, &[3, 4], &[0x123456789abcdef0, 0x4], &[0x7a, 0x2c, 0xa7, 0xca, 0x3d, 0xf9, 0xfc, 0xae, 0x86, 0x8d, 0x68, 0xa]),
    (Algorithm::ThreeFry, BitWidth::W8, &[3, 5], &[0x123456789abcdef0, 0x7], &[0x7a, 0x2c, 0xa7, 0xca, 0x3d, 0xfc, 0xae, 0x86, 0x8d, 0x68, 0x15, 0xb9, 0x2, 0x1c, 0x86]),
    (Algorithm::ThreeFry, BitWidth::W8, &[2, 3, 2], &[0x123456789abcdef0, 0x4], &[0x7a, 0xa7, 0x3d, 0xfc, 0x86, 0x68, 0x2c, 0xca, 0xf9, 0xae, 0x8d, 0xa]),
    (Algorithm::ThreeFry, BitWidth::W8, &[3, 1, 3], &[0x123456789abcdef0, 0x4], &[0x7a, 0xa7, 0x3d, 0x2c, 0xca, 0xf9, 0xfc, 0x86, 0x68]),
    (Algorithm::ThreeFry, BitWidth::W8, &[0, 3], &[0x123456789abcdef0, 0xfffffffffffffffe], &[]),
    (Algorithm::ThreeFry, BitWidth::W16, &[], &[0x123456789abcdef0, 0xffffffffffffffff], &[0x507a]),
    (Algorithm::ThreeFry, BitWidth::W16, &[5], &[0x123456789abcdef0, 0x1], &[0x507a, 0xe72c, 0x7ba7, 0xaaca, 0x803d]),
    (Algorithm::ThreeFry, BitWidth::W16, &[3, 4], &[0x123456789abcdef0, 0x4], &[0x507a, 0xe72c, 0x7ba7, 0xaaca, 0x803d, 0x80f9, 0xdefc, 0xd0ae, 0x5786, 0xdd8d, 0x168, 0x850a]),
    (Algorithm::ThreeFry, BitWidth::W16, &[3, 5], &[0x123456789abcdef0, 0x7], &[0x507a, 0xe72c, 0x7ba7, 0xaaca, 0x803d, 0xdefc, 0xd0ae, 0x5786, 0xdd8d, 0x168, 0x15, 0x9cb9, 0x1b02, 0x7d1c, 0xe486]),
    (Algorithm::ThreeFry, BitWidth::W16, &[2, 3, 2], &[0x123456789abcdef0, 0x4], &[0x507a, 0x7ba7, 0x803d, 0xdefc, 0x5786, 0x168, 0xe72c, 0xaaca, 0x80f9, 0xd0ae, 0xdd8d, 0x850a]),
    (Algorithm::ThreeFry, BitWidth::W16, &[3, 1, 3], &[0x123456789abcdef0, 0x4], &[0x507a, 0x7ba7, 0x803d, 0xe72c, 0xaaca, 0x80f9, 0xdefc, 0x5786, 0x168]),
    (Algorithm::ThreeFry, BitWidth::W16, &[0, 3], &[0x123456789abcdef0, 0xfffffffffffffffe], &[]),
    (Algorithm::ThreeFry, BitWidth::W32, &[], &[0x123456789abcdef0, 0xffffffffffffffff], &[0x3c3b507a]),
    (Algorithm::ThreeFry, BitWidth::W32, &[5], &[0x123456789abcdef0, 0x1], &[0x3c3b507a, 0x7093e72c, 0xa4317ba7, 0x21f1aaca, 0x5eff803d]),
    (Algorithm::ThreeFry, BitWidth::W32, &[3, 4], &[0x123456789abcdef0, 0x4], &[0x3c3b507a, 0x7093e72c, 0xa4317ba7, 0x21f1aaca, 0x5eff803d, 0x4ce380f9, 0x394bdefc, 0x64dfd0ae, 0x523f5786, 0x4028dd8d, 0x553d0168, 0xe364850a]),
    (Algorithm::ThreeFry, BitWidth::W32, &[3, 5], &[0x123456789abcdef0, 0x7], &[0x3c3b507a, 0x7093e72c, 0xa4317ba7, 0x21f1aaca, 0x5eff803d, 0x394bdefc, 0x64dfd0ae, 0x523f5786, 0x4028dd8d, 0x553d0168, 0x1f390015, 0xf9d09cb9, 0x81171b02, 0x41fa7d1c, 0x8393e486]),
    (Algorithm::ThreeFry, BitWidth::W32, &[2, 3, 2], &[0x123456789abcdef0, 0x4], &[0x3c3b507a, 0xa4317ba7, 0x5eff803d, 0x394bdefc, 0x523f5786, 0x553d0168, 0x7093e72c, 0x21f1aaca, 0x4ce380f9, 0x64dfd0ae, 0x4028dd8d, 0xe364850a]),
    (Algorithm::ThreeFry, BitWidth::W32, &[3, 1, 3], &[0x123456789abcdef0, 0x4], &[0x3c3b507a, 0xa4317ba7, 0x5eff803d, 0x7093e72c, 0x21f1aaca, 0x4ce380f9, 0x394bdefc, 0x523f5786, 0x553d0168]),
    (Algorithm::ThreeFry, BitWidth::W32, &[0, 3], &[0x123456789abcdef0, 0xfffffffffffffffe], &[]),
    (Algorithm::ThreeFry, BitWidth::W64, &[], &[0x123456789abcdef0, 0xffffffffffffffff], &[0x7093e72c3c3b507a]),
    (Algorithm::ThreeFry, BitWidth::W64, &[5], &[0x123456789abcdef0, 0x3], &[0x7093e72c3c3b507a, 0x21f1aacaa4317ba7, 0x4ce380f95eff803d, 0x64dfd0ae394bdefc, 0x4028dd8d523f5786]),
    (Algorithm::ThreeFry, BitWidth::W64, &[3, 4], &[0x123456789abcdef0, 0xa], &[0x7093e72c3c3b507a, 0x21f1aacaa4317ba7, 0x4ce380f95eff803d, 0x64dfd0ae394bdefc, 0x4028dd8d523f5786, 0xe364850a553d0168, 0xf9d09cb91f390015, 0x41fa7d1c81171b02, 0x81ca82968393e486, 0x99c674f750b8a089, 0x3c1c80baa655f33a, 0x5eabc3cc892e0991]),
    (Algorithm::ThreeFry, BitWidth::W64, &[3, 5], &[0x123456789abcdef0, 0xd], &[0x7093e72c3c3b507a, 0x21f1aacaa4317ba7, 0x4ce380f95eff803d, 0x64dfd0ae394bdefc, 0x4028dd8d523f5786, 0xe364850a553d0168, 0xf9d09cb91f390015, 0x41fa7d1c81171b02, 0x81ca82968393e486, 0x99c674f750b8a089, 0x3c1c80baa655f33a, 0x5eabc3cc892e0991, 0xe7850cd6d66a7f8f, 0xbea117dc4397f4c8, 0x22eb21b19fdd824e]),
    (Algorithm::ThreeFry, BitWidth::W64, &[2, 3, 2], &[0x123456789abcdef0, 0xa], &[0x7093e72c3c3b507a, 0x21f1aacaa4317ba7, 0x4ce380f95eff803d, 0x64dfd0ae394bdefc, 0x4028dd8d523f5786, 0xe364850a553d0168, 0xf9d09cb91f390015, 0x41fa7d1c81171b02, 0x81ca82968393e486, 0x99c674f750b8a089, 0x3c1c80baa655f33a, 0x5eabc3cc892e0991]),
    (Algorithm::ThreeFry, BitWidth::W64, &[3, 1, 3], &[0x123456789abcdef0, 0x7], &[0x7093e72c3c3b507a, 0x21f1aacaa4317ba7, 0x4ce380f95eff803d, 0x64dfd0ae394bdefc, 0x4028dd8d523f5786, 0xe364850a553d0168, 0xf9d09cb91f390015, 0x41fa7d1c81171b02, 0x81ca82968393e486]),
    (Algorithm::ThreeFry, BitWidth::W64, &[0, 3], &[0x123456789abcdef0, 0xfffffffffffffffe], &[]),
    (Algorithm::Philox, BitWidth::W8, &[], &[0x123456789abcdef0, 0xffffffffffffffff], &[0xff]),
    (Algorithm::Philox, BitWidth::W8, &[5], &[0x123456789abcdef0, 0x0], &[0xff, 0xa1, 0xb7, 0xa7, 0x1e]),
    (Algorithm::Philox, BitWidth::W8, &[3, 4], &[0x123456789abcdef0, 0x1], &[0xff, 0xa1, 0xb7, 0xa7, 0x1e, 0xc, 0xda, 0x26, 0xf3, 0x6, 0xfe, 0xfe]),
    (Algorithm::Philox, BitWidth::W8, &[3, 5], &[0x123456789abcdef0, 0x2], &[0xff, 0xa1, 0xb7, 0xa7, 0x1e, 0xc, 0xda, 0x26, 0xf3, 0x6, 0xfe, 0xfe, 0x36, 0xc0, 0xe3]),
    (Algorithm::Philox, BitWidth::W8, &[2, 3, 2], &[0x123456789abcdef0, 0x1], &[0xff, 0xa1, 0xb7, 0xa7, 0x1e, 0xc, 0xda, 0x26, 0xf3, 0x6, 0xfe, 0xfe]),
    (Algorithm::Philox, BitWidth::W8, &[3, 1, 3], &[0x123456789abcdef0, 0x1], &[0xff, 0xa1, 0xb7, 0xa7, 0x1e, 0xc, 0xda, 0x26, 0xf3]),
    (Algorithm::Philox, BitWidth::W8, &[0, 3], &[0x123456789abcdef0, 0xfffffffffffffffe], &[]),
    (Algorithm::Philox, BitWidth::W16, &[], &[0x123456789abcdef0, 0xffffffffffffffff], &[0x56ff]),
    (Algorithm::Philox, BitWidth::W16, &[5], &[0x123456789abcdef0, 0x0], &[0x56ff, 0xd4a1, 0xdbb7, 0xd7a7, 0xdf1e]),
    (Algorithm::Philox, BitWidth::W16, &[3, 4], &[0x123456789abcdef0, 0x1], &[0x56ff, 0xd4a1, 0xdbb7, 0xd7a7, 0xdf1e, 0x590c, 0xe9da, 0xb26, 0x8cf3, 0xdc06, 0x31fe, 0x65fe]),
    (Algorithm::Philox, BitWidth::W16, &[3, 5], &[0x123456789abcdef0, 0x2], &[0x56ff, 0xd4a1, 0xdbb7, 0xd7a7, 0xdf1e, 0x590c, 0xe9da, 0xb26, 0x8cf3, 0xdc06, 0x31fe, 0x65fe, 0x1036, 0x32c0, 0xaee3]),
    (Algorithm::Philox, BitWidth::W16, &[2, 3, 2], &[0x123456789abcdef0, 0x1], &[0x56ff, 0xd4a1, 0xdbb7, 0xd7a7, 0xdf1e, 0x590c, 0xe9da, 0xb26, 0x8cf3, 0xdc06, 0x31fe, 0x65fe]),
    (Algorithm::Philox, BitWidth::W16, &[3, 1, 3], &[0x123456789abcdef0, 0x1], &[0x56ff, 0xd4a1, 0xdbb7, 0xd7a7, 0xdf1e, 0x590c, 0xe9da, 0xb26, 0x8cf3]),
    (Algorithm::Philox, BitWidth::W16, &[0, 3], &[0x123456789abcdef0, 0xfffffffffffffffe], &[]),
    (Algorithm::Philox, BitWidth::W32, &[], &[0x123456789abcdef0, 0xffffffffffffffff], &[0xbbd856ff]),
    (Algorithm::Philox, BitWidth::W32, &[5], &[0x123456789abcdef0, 0x0], &[0xbbd856ff, 0xb795d4a1, 0x9db4dbb7, 0xb129d7a7, 0x583ddf1e]),
    (Algorithm::Philox, BitWidth::W32, &[3, 4], &[0x123456789abcdef0, 0x1], &[0xbbd856ff, 0xb795d4a1, 0x9db4dbb7, 0xb129d7a7, 0x583ddf1e, 0xb3bb590c, 0xea99e9da, 0x40230b26, 0x102d8cf3, 0x2012dc06, 0xe29031fe, 0xb33c65fe]),
    (Algorithm::Philox, BitWidth::W32, &[3, 5], &[0x123456789abcdef0, 0x2], &[0xbbd856ff, 0xb795d4a1, 0x9db4dbb7, 0xb129d7a7, 0x583ddf1e, 0xb3bb590c, 0xea99e9da, 0x40230b26, 0x102d8cf3, 0x2012dc06, 0xe29031fe, 0xb33c65fe, 0x99f81036, 0xaa1b32c0, 0x142aaee3]),
    (Algorithm::Philox, BitWidth::W32, &[2, 3, 2], &[0x123456789abcdef0, 0x1], &[0xbbd856ff, 0xb795d4a1, 0x9db4dbb7, 0xb129d7a7, 0x583ddf1e, 0xb3bb590c, 0xea99e9da, 0x40230b26, 0x102d8cf3, 0x2012dc06, 0xe29031fe, 0xb33c65fe]),
    (Algorithm::Philox, BitWidth::W32, &[3, 1, 3], &[0x123456789abcdef0, 0x1], &[0xbbd856ff, 0xb795d4a1, 0x9db4dbb7, 0xb129d7a7, 0x583ddf1e, 0xb3bb590c, 0xea99e9da, 0x40230b26, 0x102d8cf3]),
    (Algorithm::Philox, BitWidth::W32, &[0, 3], &[0x123456789abcdef0, 0xfffffffffffffffe], &[]),
    (Algorithm::Philox, BitWidth::W64, &[], &[0x123456789abcdef0, 0xffffffffffffffff], &[0xb795d4a1bbd856ff]),
    (Algorithm::Philox, BitWidth::W64, &[5], &[0x123456789abcdef0, 0x1], &[0xb795d4a1bbd856ff, 0xb129d7a79db4dbb7, 0xb3bb590c583ddf1e, 0x40230b26ea99e9da, 0x2012dc06102d8cf3]),
    (Algorithm::Philox, BitWidth::W64, &[3, 4], &[0x123456789abcdef0, 0x4], &[0xb795d4a1bbd856ff, 0xb129d7a79db4dbb7, 0xb3bb590c583ddf1e, 0x40230b26ea99e9da, 0x2012dc06102d8cf3, 0xb33c65fee29031fe, 0xaa1b32c099f81036, 0x4fb082da142aaee3, 0x208b66bc7bc0295, 0xcb85b10c1835d848, 0xd3c3b1cc51921628, 0x11ccaa92779c1614]),
    (Algorithm::Philox, BitWidth::W64, &[3, 5], &[0x123456789abcdef0, 0x6], &[0xb795d4a1bbd856ff, 0xb129d7a79db4dbb7, 0xb3bb590c583ddf1e, 0x40230b26ea99e9da, 0x2012dc06102d8cf3, 0xb33c65fee29031fe, 0xaa1b32c099f81036, 0x4fb082da142aaee3, 0x208b66bc7bc0295, 0xcb85b10c1835d848, 0xd3c3b1cc51921628, 0x11ccaa92779c1614, 0xf2053a7e1e1a2fb, 0xece907e9de01422d, 0xf7ac32cacff89c33]),
    (Algorithm::Philox, BitWidth::W64, &[2, 3, 2], &[0x123456789abcdef0, 0x4], &[0xb795d4a1bbd856ff, 0xb129d7a79db4dbb7, 0xb3bb590c583ddf1e, 0x40230b26ea99e9da, 0x2012dc06102d8cf3, 0xb33c65fee29031fe, 0xaa1b32c099f81036, 0x4fb082da142aaee3, 0x208b66bc7bc0295, 0xcb85b10c1835d848, 0xd3c3b1cc51921628, 0x11ccaa92779c1614]),
    (Algorithm::Philox, BitWidth::W64, &[3, 1, 3], &[0x123456789abcdef0, 0x3], &[0xb795d4a1bbd856ff, 0xb129d7a79db4dbb7, 0xb3bb590c583ddf1e, 0x40230b26ea99e9da, 0x2012dc06102d8cf3, 0xb33c65fee29031fe, 0xaa1b32c099f81036, 0x4fb082da142aaee3, 0x208b66bc7bc0295]),
    (Algorithm::Philox, BitWidth::W64, &[0, 3], &[0x123456789abcdef0, 0xfffffffffffffffe], &[]),
];

/// The new state for Philox from STATE and a third word of 7, u32[5].
#[rustfmt::skip]
pub const PHILOX_STATE: &[u64] = &[
    0x123456789abcdef0, 0x0, 0x8,
];

/// The values drawn with it.
#[rustfmt::skip]
pub const PHILOX_BITS: &[u64] = &[
    0x25c9b2d0, 0xca6f05a, 0x644f27d0, 0x1837c7f2, 0x53e97e3,
];
