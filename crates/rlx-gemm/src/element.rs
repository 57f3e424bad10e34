//! The element types of matrices.

use rlx_simd::simd::{F32Vector, MAX_LANES, Scalar, Simd, Vector};
use rlx_simd::vector::{self, Function};

use super::Activation;
use super::buffer::Zeroed;
use super::compiled::Compiled;
use super::plan::MAX_K_PART;
use super::tile::{self, K_RUN, Tile};

/// A 16-bit float.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// bfloat16.
    Bf16,
    /// IEEE half precision.
    F16,
}

/// An element type of matrix products: `f32` or `f64`.
pub trait Element: Scalar + Zeroed + Compiled + std::ops::Add<Output = Self> {
    /// The vector of this element.
    type Vec<S: Simd>: Vector<Elem = Self, Token = S>;

    /// Elements of K that one chain of multiply-adds sums: whole runs of [`K_RUN`].
    const CHAIN: usize;

    /// Applies an activation to a vector.
    fn activate<S: Simd>(token: S, activation: Activation, x: Self::Vec<S>) -> Self::Vec<S>;

    /// Widens 16-bit floats, exactly.
    ///
    /// # Safety
    /// `source` and `target` are valid for `len` elements, a multiple of the lanes of `Self::Vec<S>`.
    unsafe fn widen<S: Simd>(token: S, form: Narrow, source: *const u16, len: usize, target: *mut Self);

    /// Writes the lanes of a vector of `f32`, exactly.
    ///
    /// # Safety
    /// `target` is valid for as many elements as the vector has lanes.
    unsafe fn store_wide<V: F32Vector>(x: V, target: *mut Self);

    /// The maximum number of rows of a tile whose columns may be 16-bit floats, widened in registers; 0 if there is no such tile.
    const MOST_NARROW_ROWS: usize;

    /// Computes a tile of `rows` rows and `vectors` vectors whose columns are 16-bit floats.
    ///
    /// # Safety
    /// `1 <= rows <= S::TILE_ROWS.min(Self::MOST_NARROW_ROWS)`, `1 <= vectors <= S::TILE_VECTORS`, and the pointers of `tile` are valid for
    /// what it describes.
    unsafe fn narrow_tile<S: Simd>(
        token: S,
        form: Narrow,
        rows: usize,
        vectors: usize,
        tile: &Tile<Self, u16>,
    );
}

impl Element for f32 {
    type Vec<S: Simd> = S::F32;

    const CHAIN: usize = K_RUN;

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
    unsafe fn widen<S: Simd>(token: S, form: Narrow, source: *const u16, len: usize, target: *mut f32) {
        for at in (0..len).step_by(S::F32::LANES) {
            token.prefetch(source.wrapping_add(at).wrapping_byte_add(STREAM_AHEAD));
            // SAFETY: `at < len`, and the caller vouches that `source` and `target` hold `len` elements, a whole number of vectors.
            unsafe { load_narrow(token, form, source.add(at)).store(target.add(at)) };
        }
    }

    #[inline(always)]
    unsafe fn store_wide<V: F32Vector>(x: V, target: *mut f32) {
        // SAFETY: the requirements are those of this function, which the caller vouches for.
        unsafe { x.store(target) };
    }

    const MOST_NARROW_ROWS: usize = tile::MOST_NARROW_ROWS;

    #[inline(always)]
    unsafe fn narrow_tile<S: Simd>(
        token: S,
        form: Narrow,
        rows: usize,
        vectors: usize,
        tile: &Tile<f32, u16>,
    ) {
        // SAFETY: the requirements are those of this function, which the caller vouches for.
        unsafe {
            match form {
                Narrow::F16 => tile::compute::<S, S::F32, tile::F16, false>(token, rows, vectors, tile),
                Narrow::Bf16 => tile::compute::<S, S::F32, tile::Bf16, false>(token, rows, vectors, tile),
            }
        }
    }
}

impl Element for f64 {
    type Vec<S: Simd> = S::F64;

    // Its errors are at most 2⁻⁴² of the terms, and a sum of exact products in no more than one part is that of a plain loop.
    const CHAIN: usize = MAX_K_PART;

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
    unsafe fn widen<S: Simd>(token: S, form: Narrow, source: *const u16, len: usize, target: *mut f64) {
        let (whole, lanes) = (len - len % S::F32::LANES, S::F64::LANES);
        // SAFETY: `at < len`, and the caller vouches for `len` elements; a vector of f32 becomes two of f64, and at the end only one of
        // them may be left.
        unsafe {
            for at in (0..whole).step_by(S::F32::LANES) {
                token.prefetch(source.wrapping_add(at).wrapping_byte_add(STREAM_AHEAD));
                let (low, high) = load_narrow(token, form, source.add(at)).widen();
                low.store(target.add(at));
                high.store(target.add(at + lanes));
            }
            if whole < len {
                let mut rest = [0u16; MAX_LANES];
                std::ptr::copy_nonoverlapping(source.add(whole), rest.as_mut_ptr(), len - whole);
                load_narrow(token, form, rest.as_ptr()).widen().0.store(target.add(whole));
            }
        }
    }

    #[inline(always)]
    unsafe fn store_wide<V: F32Vector>(x: V, target: *mut f64) {
        let (low, high) = x.widen();
        // SAFETY: the caller vouches for as many elements as the two vectors have.
        unsafe {
            low.store(target);
            high.store(target.add(V::LANES / 2));
        }
    }

    const MOST_NARROW_ROWS: usize = 0;

    #[inline(always)]
    unsafe fn narrow_tile<S: Simd>(_: S, _: Narrow, rows: usize, _: usize, _: &Tile<f64, u16>) {
        debug_assert!(false, "there is no tile of {rows} rows for 16-bit floats");
    }
}

/// Distance in bytes between what is read and what is prefetched when a matrix is streamed.
pub(super) const STREAM_AHEAD: usize = 4096;

/// Reads a vector of 16-bit floats, exactly.
///
/// # Safety
/// `source` is valid for reads of a vector's lanes.
#[inline(always)]
unsafe fn load_narrow<S: Simd>(token: S, form: Narrow, source: *const u16) -> S::F32 {
    // SAFETY: the caller vouches that a vector's lanes can be read.
    unsafe {
        match form {
            Narrow::Bf16 => S::F32::load_bf16(token, source),
            Narrow::F16 => S::F32::load_f16(token, source),
        }
    }
}

/// The positive part; NaN stays NaN.
#[inline(always)]
fn relu<V: Vector>(x: V) -> V {
    // `max` returns its argument if either is NaN.
    x.lit(V::Elem::ZERO).max(x)
}
