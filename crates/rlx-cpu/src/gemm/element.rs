//! The elements that matrices are made of.

use crate::simd::{F32Vector, Scalar, Simd, Vector};
use crate::vector::{self, Function};

use super::Activation;
use super::buffer::Zeroed;

/// A 16-bit float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// bfloat16.
    Bf16,
    /// IEEE half precision.
    F16,
}

/// An element type of matrix products: `f32` or `f64`.
pub trait Element: Scalar + Zeroed + std::ops::Add<Output = Self> {
    /// The vector of this element.
    type Vec<S: Simd>: Vector<Elem = Self, Token = S>;

    /// Applies an activation to a vector.
    fn activate<S: Simd>(token: S, activation: Activation, x: Self::Vec<S>) -> Self::Vec<S>;

    /// Reads a vector of 16-bit floats, exactly.
    ///
    /// # Safety
    /// `source` is valid for reads of as many elements as `Self::Vec<S>` has lanes.
    unsafe fn load_narrow<S: Simd>(token: S, form: Narrow, source: *const u16) -> Self::Vec<S>;
}

impl Element for f32 {
    type Vec<S: Simd> = S::F32;

    #[inline(always)]
    fn activate<S: Simd>(_token: S, activation: Activation, x: S::F32) -> S::F32 {
        match activation {
            Activation::Identity => x,
            Activation::Relu => relu(x),
            Activation::Gelu => vector::gelu(x),
            Activation::GeluTanh => vector::gelu_tanh(x),
            Activation::Silu => vector::silu(x),
            Activation::Tanh => vector::tanh(x),
            Activation::Sigmoid => vector::sigmoid(x),
        }
    }

    #[inline(always)]
    unsafe fn load_narrow<S: Simd>(token: S, form: Narrow, source: *const u16) -> S::F32 {
        // SAFETY: passed on from the caller.
        unsafe {
            match form {
                Narrow::Bf16 => S::F32::load_bf16(token, source),
                Narrow::F16 => S::F32::load_f16(token, source),
            }
        }
    }
}

impl Element for f64 {
    type Vec<S: Simd> = S::F64;

    #[inline(always)]
    fn activate<S: Simd>(_token: S, activation: Activation, x: S::F64) -> S::F64 {
        let of = |function: Function| x.map_lanes(|x| function.of_f64(x));
        match activation {
            Activation::Identity => x,
            Activation::Relu => relu(x),
            Activation::Gelu => of(Function::Gelu),
            Activation::GeluTanh => of(Function::GeluTanh),
            Activation::Silu => of(Function::Silu),
            Activation::Tanh => of(Function::Tanh),
            Activation::Sigmoid => of(Function::Sigmoid),
        }
    }

    #[inline(always)]
    unsafe fn load_narrow<S: Simd>(token: S, form: Narrow, source: *const u16) -> S::F64 {
        let mut lanes = [0f64; crate::simd::MAX_LANES];
        for (index, lane) in lanes.iter_mut().enumerate().take(S::F64::LANES) {
            // SAFETY: the caller vouches for that many elements.
            let bits = unsafe { *source.add(index) };
            *lane = match form {
                Narrow::Bf16 => half::bf16::from_bits(bits).to_f64(),
                Narrow::F16 => half::f16::from_bits(bits).to_f64(),
            };
        }
        // SAFETY: an array of `MAX_LANES` elements.
        unsafe { S::F64::load(token, lanes.as_ptr()) }
    }
}

/// The positive part; NaN stays.
#[inline(always)]
fn relu<V: Vector>(x: V) -> V {
    // `max` returns its argument where either is NaN.
    x.lit(V::Elem::ZERO).max(x)
}
