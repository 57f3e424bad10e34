//! Loads operands into registers: contiguous, repeated or strided, widening narrow formats.

use super::narrow::{self, Format};
use super::{Body, Call, Code, Each1, Extra, Map1, fast};
use crate::compute_type::{Bit, C128, ComputeElement, ComputeType};
use crate::simd::{F32Vector, Simd, Vector};
use rlx_ir::DType;
use std::marker::PhantomData;

/// How stored elements become register elements.
trait Read: 'static {
    type Stored: ComputeElement;
    type Map: Map1<Self::Stored>;

    /// Reads contiguous elements.
    ///
    /// # Safety
    /// As for [`TileFn`](super::TileFn).
    #[inline(always)]
    unsafe fn neighbors<S: Simd>(token: S, call: &Call) {
        // SAFETY: the caller vouches for the operands.
        unsafe { Each1::<Self::Stored, Self::Map>::run(token, call) }
    }
}

/// Elements that registers hold as they are stored.
struct Same<T>(PhantomData<T>);

impl<T: ComputeElement> Map1<T> for Same<T> {
    type Result = T;
    #[inline(always)]
    fn apply(x: T) -> T {
        x
    }
}

impl<T: ComputeElement> Read for Same<T> {
    type Stored = T;
    type Map = Same<T>;
}

/// Booleans, where everything nonzero is 1.
struct Truth;

impl Map1<u8> for Truth {
    type Result = Bit;
    #[inline(always)]
    fn apply(x: u8) -> Bit {
        Bit(u8::from(x != 0))
    }
}

impl Read for Truth {
    type Stored = u8;
    type Map = Truth;
}

impl<F: Format> Read for narrow::Widen<F> {
    type Stored = F::Bits;
    type Map = Self;

    #[inline(always)]
    unsafe fn neighbors<S: Simd>(token: S, call: &Call) {
        let (dst, src) = (call.dst.cast::<f32>(), call.src[0].cast::<u16>());
        let lanes = S::F32::LANES;
        let mut i = 0;
        if F::MANTISSA > 3 {
            // SAFETY: the formats with longer mantissas have two bytes; indices stay below `len`.
            unsafe {
                while i + lanes <= call.len {
                    let x = if F::EXPONENT == 8 {
                        S::F32::load_bf16(token, src.add(i))
                    } else {
                        S::F32::load_f16(token, src.add(i))
                    };
                    x.store(dst.add(i));
                    i += lanes;
                }
            }
        }
        // SAFETY: these are the remaining elements of the tile.
        unsafe {
            let rest = Call {
                dst: call.dst.add(i * size_of::<f32>()),
                src: [call.src[0].add(i * size_of::<F::Bits>()); 3],
                len: call.len - i,
                ..*call
            };
            Each1::<F::Bits, Self>::run(token, &rest);
        }
    }
}

/// Reads elements at a stride.
struct Load<R>(PhantomData<R>);

impl<R: Read> Body for Load<R> {
    #[inline(always)]
    unsafe fn run<S: Simd>(token: S, call: &Call) {
        let Extra::Stride(stride) = call.extra else { return };
        let (dst, src) =
            (call.dst.cast::<<R::Map as Map1<R::Stored>>::Result>(), call.src[0].cast::<R::Stored>());
        // SAFETY: the caller vouches for `len` elements at this stride.
        unsafe {
            match stride {
                1 => R::neighbors(token, call),
                0 if call.len == 0 => {}
                0 => {
                    let x = R::Map::apply(src.read_unaligned());
                    for i in 0..call.len {
                        dst.add(i).write(x);
                    }
                }
                _ => {
                    for i in 0..call.len {
                        dst.add(i).write(R::Map::apply(src.add(i * stride).read_unaligned()));
                    }
                }
            }
        }
    }
}

/// Reads stored elements of `dtype`; each call gives the stride.
pub fn load(dtype: DType) -> Code {
    if let Some(code) = narrow_load(dtype) {
        return code;
    }
    match (dtype, ComputeType::of(dtype).size()) {
        (DType::Bool, _) => Code::new(fast::<Load<Truth>>, 20),
        (_, size) => load_size(size),
    }
}

/// Reads elements of this size unchanged.
pub fn load_size(size: usize) -> Code {
    match size {
        1 => Code::new(fast::<Load<Same<u8>>>, 20),
        2 => Code::new(fast::<Load<Same<u16>>>, 40),
        4 => Code::new(fast::<Load<Same<u32>>>, 60),
        8 => Code::new(fast::<Load<Same<u64>>>, 100),
        _ => Code::new(fast::<Load<Same<C128>>>, 300),
    }
}

fn narrow_load(dtype: DType) -> Option<Code> {
    narrow::by_format!(dtype, F => Code::new(fast::<Load<narrow::Widen<F>>>, 60))
}
