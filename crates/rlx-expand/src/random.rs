//! Expands Threefry-2x32, Philox-4x32 and XLA's generator into arithmetic on 32-bit words. Source: Salmon,
//! Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

use crate::build::Expression;
use rlx_ir::{DType, Dim, Op, OpError, RngAlgorithm, Shape, Tensor};

const ROTATIONS: [[i64; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
/// The word that makes Threefry's key schedule end in a parity (Skein's constant C240, truncated to 32 bits).
const PARITY: i64 = 0x1BD1_1BDA;

/// Encrypts the counter with the key, in twenty rounds.
pub(crate) fn threefry2x32(operands: &[Tensor]) -> Vec<Tensor> {
    let [k0, k1, x0, x1] = operands else { return Vec::new() };
    let keys = [k0.clone(), k1.clone(), k0.xor(k1).xor(&k0.int_like(PARITY))];
    let (mut x0, mut x1) = (x0 + k0, x1 + k1);
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            x0 = &x0 + &x1;
            x1 = x1.shl(rotation).or(&x1.shr(32 - rotation)).xor(&x0);
        }
        x0 = &x0 + &keys[(group + 1) % 3];
        x1 = &x1 + &keys[(group + 2) % 3];
        x1 = &x1 + &x1.int_like(group as i64 + 1);
    }
    vec![x0, x1]
}

/// The next state and the bits of XLA's generator.
pub(crate) fn rng_bits(
    state: &Tensor,
    algorithm: RngAlgorithm,
    shape: &Shape,
) -> Result<Vec<Tensor>, OpError> {
    let Some(dims) = shape.static_dims() else {
        return Err(OpError::shape(format!("the bits' shape {shape} is not static; bind its symbols first")));
    };
    match algorithm {
        RngAlgorithm::Threefry => threefry_bits(state, &dims, shape.dtype()),
        RngAlgorithm::Philox => philox_bits(state, &dims, shape.dtype()),
    }
}

/// A word of the state.
fn word(state: &Tensor, index: usize) -> Tensor {
    state.at(0, index)
}

/// The low and the high halves of 64-bit numbers.
fn halves(x: &Tensor) -> [Tensor; 2] {
    [x.convert(DType::U32), x.shr(32).convert(DType::U32)]
}

/// The 64-bit numbers with these low and high halves.
fn joined(low: &Tensor, high: &Tensor) -> Tensor {
    high.convert(DType::U64).shl(32).or(&low.convert(DType::U64))
}

/// Stacks tensors of the same shape along a new axis.
fn stack(words: &[Tensor], axis: usize) -> Result<Tensor, OpError> {
    let wide: Vec<Tensor> = words.iter().map(|w| w.unsqueeze(axis)).collect();
    let (first, rest) =
        wide.split_first().ok_or_else(|| OpError::shape("there is nothing to put side by side"))?;
    Ok(first.apply(Op::Concatenate { axis }, &rest.iter().collect::<Vec<_>>()))
}

/// The axis along which XLA pairs elements of narrow Threefry draws: the first axis of even size, otherwise the first of the
/// longest ones.
fn split_axis(dims: &[usize]) -> Option<usize> {
    let even = dims.iter().position(|d| d % 2 == 0);
    even.or_else(|| dims.iter().max().and_then(|longest| dims.iter().position(|d| d == longest)))
}

fn dims_of(sizes: &[usize]) -> Vec<Dim> {
    sizes.iter().map(|&n| Dim::Static(n)).collect()
}

/// 0, 1, 2, … in row-major order.
fn numbered(state: &Tensor, sizes: &[usize]) -> Tensor {
    let flat = Shape::new(&[sizes.iter().product()], DType::U64);
    state.builder().iota(flat, 0).reshape(&dims_of(sizes))
}

fn threefry_bits(state: &Tensor, sizes: &[usize], dtype: DType) -> Result<Vec<Tensor>, OpError> {
    // Narrow draws take two neighbors along an axis from each block.
    let axis = if dtype == DType::U64 { None } else { split_axis(sizes) };
    let mut blocks = sizes.to_vec();
    if let Some(axis) = axis {
        blocks[axis] = blocks[axis].div_ceil(2);
    }
    let counter = word(state, 1) + numbered(state, &blocks);
    let keys = halves(&word(state, 0)).map(|k| k.spread(&counter));
    let [low, high] = halves(&counter);
    let made = state.builder().apply_many(Op::Threefry2x32 {}, &[&keys[0], &keys[1], &low, &high]);
    let bits = match (axis, &made[..]) {
        (None, [low, high]) if dtype == DType::U64 => joined(low, high),
        (Some(axis), [_, _]) => {
            let mut paired = blocks.clone();
            paired[axis] *= 2;
            stack(&made, axis + 1)?.reshape(&dims_of(&paired)).slice_axis(axis, 0, sizes[axis]).convert(dtype)
        }
        _ => made[0].convert(dtype),
    };
    let drawn = state.int_like(blocks.iter().product::<usize>() as i64);
    Ok(vec![stack(&[word(state, 0), word(state, 1) + drawn], 0)?, bits])
}

/// The counter in a Philox state, low word first. In a state of two words, the key is also the high word.
fn philox_counter(state: &Tensor) -> [Tensor; 2] {
    let three = state.dim(0) == Dim::Static(3);
    [word(state, 1), word(state, if three { 2 } else { 0 })]
}

/// The sum of a 128-bit number and a 64-bit number.
fn advanced([low, high]: &[Tensor; 2], by: &Tensor) -> [Tensor; 2] {
    let sum = low + by;
    let carry = sum.less(by).convert(DType::U64);
    [sum, high + carry]
}

fn philox_bits(state: &Tensor, sizes: &[usize], dtype: DType) -> Result<Vec<Tensor>, OpError> {
    let count: usize = sizes.iter().product();
    let per_block = if dtype == DType::U64 { 2 } else { 4 };
    let blocks = count.div_ceil(per_block);
    let counter = philox_counter(state);
    let [low, high] = advanced(&counter, &numbered(state, &[blocks]));
    let [c0, c1] = halves(&low);
    let [c2, c3] = halves(&high);
    let [x0, x1, x2, x3] = philox4x32(halves(&word(state, 0)), [c0, c1, c2, c3]);
    let words = match dtype {
        DType::U64 => vec![joined(&x0, &x1), joined(&x2, &x3)],
        _ => [x0, x1, x2, x3].iter().map(|x| x.convert(dtype)).collect(),
    };
    let flat = stack(&words, 1)?.reshape(&[Dim::Static(blocks * per_block)]);
    let bits = flat.slice_axis(0, 0, count).reshape(&dims_of(sizes));
    let [low, high] = advanced(&counter, &state.int_like(blocks as i64));
    let mut next = vec![word(state, 0), low];
    if state.dim(0) == Dim::Static(3) {
        next.push(high);
    }
    Ok(vec![stack(&next, 0)?, bits])
}

/// The Philox block function with ten rounds.
fn philox4x32(mut key: [Tensor; 2], counter: [Tensor; 4]) -> [Tensor; 4] {
    const FACTORS: [i64; 2] = [0xD251_1F53, 0xCD9E_8D57];
    const WEYL: [i64; 2] = [0x9E37_79B9, 0xBB67_AE85];
    let mut x = counter;
    for _ in 0..10 {
        let product = |i: usize| {
            let wide = x[2 * i].convert(DType::U64);
            halves(&(&wide * &wide.int_like(FACTORS[i])))
        };
        let ([low0, high0], [low1, high1]) = (product(0), product(1));
        x = [high1.xor(&x[1]).xor(&key[0]), low1, high0.xor(&x[3]).xor(&key[1]), low0];
        key = [0, 1].map(|i| &key[i] + &key[i].int_like(WEYL[i]));
    }
    x
}
