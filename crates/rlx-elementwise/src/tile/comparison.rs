//! Comparisons, selects, and plain copies.

use super::{BLOCK, Body, Call, Code, Each1, Each2, Map1, Map2, end_block, fast, plain};
use crate::compute_type::{Bit, C64, C128, ComputeElement, ComputeType, with_compute_type};
use crate::simd::Simd;
use rlx_ir::CompareOp;
use std::marker::PhantomData;

macro_rules! comparisons {
    ($($Name:ident $operator:tt $bound:ident;)*) => {$(
        struct $Name;
        impl<T: ComputeElement + $bound> Map2<T> for $Name {
            type Result = Bit;
            #[inline(always)]
            fn apply(a: T, b: T) -> Bit {
                Bit(u8::from(a $operator b))
            }
        }
    )*};
}

comparisons! {
    Equal == PartialEq;
    Unequal != PartialEq;
    Less < PartialOrd;
    LessOrEqual <= PartialOrd;
}

/// Returns the code of a comparison, and whether its operands must be swapped.
pub(crate) fn compare(op: CompareOp, compute: ComputeType) -> Option<(Code, bool)> {
    let swapped = matches!(op, CompareOp::Gt | CompareOp::Ge);
    let code = match op {
        CompareOp::Eq => with_compute_type!(compute, [F32 F64 I8 I16 I32 I64 U8 U16 U32 U64 Bool],
            T => Code::new(fast::<Each2<T, Equal>>, 30), else return complex_equality(op, compute)),
        CompareOp::Ne => with_compute_type!(compute, [F32 F64 I8 I16 I32 I64 U8 U16 U32 U64 Bool],
            T => Code::new(fast::<Each2<T, Unequal>>, 30), else return complex_equality(op, compute)),
        CompareOp::Lt | CompareOp::Gt => {
            with_compute_type!(compute, [F32 F64 I8 I16 I32 I64 U8 U16 U32 U64 Bool],
            T => Code::new(fast::<Each2<T, Less>>, 30), else return None)
        }
        CompareOp::Le | CompareOp::Ge => {
            with_compute_type!(compute, [F32 F64 I8 I16 I32 I64 U8 U16 U32 U64 Bool],
            T => Code::new(fast::<Each2<T, LessOrEqual>>, 30), else return None)
        }
    };
    Some((code, swapped))
}

/// A float, or the bits of one, as an integer in the total order. For negative floats, larger magnitudes are lower.
trait SignMagnitude: ComputeElement {
    type Key: Ord;
    fn key(self) -> Self::Key;
}

macro_rules! sign_magnitudes {
    ($($t:ty: |$x:ident| $bits:expr, $unsigned:ident, $signed:ident;)*) => {$(
        impl SignMagnitude for $t {
            type Key = $signed;
            #[inline(always)]
            fn key(self) -> $signed {
                let $x = self;
                let bits = $bits as $signed;
                bits ^ ((bits >> ($signed::BITS - 1)) as $unsigned >> 1) as $signed
            }
        }
    )*};
}
sign_magnitudes! {
    u8: |x| x, u8, i8;
    u16: |x| x, u16, i16;
    f32: |x| x.to_bits(), u32, i32;
    f64: |x| x.to_bits(), u64, i64;
}

/// A comparison of keys.
struct Totally<M>(PhantomData<M>);

macro_rules! total_comparisons {
    ($($Name:ident $operator:tt;)*) => {$(
        impl<T: SignMagnitude> Map2<T> for Totally<$Name> {
            type Result = Bit;
            #[inline(always)]
            fn apply(a: T, b: T) -> Bit {
                Bit(u8::from(a.key() $operator b.key()))
            }
        }
    )*};
}
total_comparisons! {
    Equal ==;
    Unequal !=;
    Less <;
    LessOrEqual <=;
}

/// Returns the code of a comparison by the total order of floats, or of the bits of narrow ones, and whether its operands must be swapped.
pub(crate) fn compare_totally(op: CompareOp, compute: ComputeType) -> Option<(Code, bool)> {
    let swapped = matches!(op, CompareOp::Gt | CompareOp::Ge);
    let code = match op {
        CompareOp::Eq => with_compute_type!(compute, [F32 F64 U8 U16],
            T => Code::new(fast::<Each2<T, Totally<Equal>>>, 50), else return None),
        CompareOp::Ne => with_compute_type!(compute, [F32 F64 U8 U16],
            T => Code::new(fast::<Each2<T, Totally<Unequal>>>, 50), else return None),
        CompareOp::Lt | CompareOp::Gt => with_compute_type!(compute, [F32 F64 U8 U16],
            T => Code::new(fast::<Each2<T, Totally<Less>>>, 50), else return None),
        CompareOp::Le | CompareOp::Ge => with_compute_type!(compute, [F32 F64 U8 U16],
            T => Code::new(fast::<Each2<T, Totally<LessOrEqual>>>, 50), else return None),
    };
    Some((code, swapped))
}

fn complex_equality(op: CompareOp, compute: ComputeType) -> Option<(Code, bool)> {
    let code = match (op, compute) {
        (CompareOp::Eq, ComputeType::C64) => Code::new(plain::<Each2<C64, Equal>>, 500),
        (CompareOp::Eq, ComputeType::C128) => Code::new(plain::<Each2<C128, Equal>>, 500),
        (CompareOp::Ne, ComputeType::C64) => Code::new(plain::<Each2<C64, Unequal>>, 500),
        (CompareOp::Ne, ComputeType::C128) => Code::new(plain::<Each2<C128, Unequal>>, 500),
        _ => return None,
    };
    Some((code, false))
}

struct Finite;

macro_rules! finite {
    ($($t:ty: |$x:ident| $value:expr;)*) => {$(
        impl Map1<$t> for Finite {
            type Result = Bit;
            #[inline(always)]
            fn apply($x: $t) -> Bit {
                Bit(u8::from($value))
            }
        }
    )*};
}
finite! {
    f32: |x| x.is_finite();
    f64: |x| x.is_finite();
    C64: |z| z[0].is_finite() & z[1].is_finite();
    C128: |z| z[0].is_finite() & z[1].is_finite();
}

/// Whether numbers are finite.
pub(crate) fn is_finite(compute: ComputeType) -> Option<Code> {
    with_compute_type!(compute, [F32 F64 C64 C128], T => Some(Code::new(fast::<Each1<T, Finite>>, 50)), else None)
}

/// Elements of `T` chosen by booleans: operands (pred, on true, on false).
struct Choose<T>(PhantomData<T>);

impl<T: ComputeElement> Body for Choose<T> {
    #[inline(always)]
    unsafe fn run<S: Simd>(_: S, call: &Call) {
        let (dst, p) = (call.dst.cast::<T>(), call.src[0]);
        let (t, f) = (call.src[1].cast::<T>(), call.src[2].cast::<T>());
        let mut i = 0;
        // SAFETY: indices stay below `len`, for which the caller vouches.
        unsafe {
            while i + BLOCK <= call.len {
                let p = p.add(i).cast::<[u8; BLOCK]>().read_unaligned();
                let t = t.add(i).cast::<[T; BLOCK]>().read_unaligned();
                let f = f.add(i).cast::<[T; BLOCK]>().read_unaligned();
                let mut r = [T::default(); BLOCK];
                for k in 0..BLOCK {
                    r[k] = if p[k] != 0 { t[k] } else { f[k] };
                }
                dst.add(i).cast::<[T; BLOCK]>().write_unaligned(r);
                i += BLOCK;
                end_block();
            }
            while i < call.len {
                let source = if *p.add(i) != 0 { t } else { f };
                dst.add(i).write_unaligned(source.add(i).read_unaligned());
                i += 1;
                end_block();
            }
        }
    }
}

/// Selects between elements of this size.
pub fn select(compute: ComputeType) -> Code {
    match compute.size() {
        1 => Code::new(fast::<Choose<u8>>, 20),
        2 => Code::new(fast::<Choose<u16>>, 30),
        4 => Code::new(fast::<Choose<u32>>, 40),
        8 => Code::new(fast::<Choose<u64>>, 80),
        _ => Code::new(fast::<Choose<C128>>, 500),
    }
}

/// # Safety
/// As for [`TileFn`](super::TileFn), for elements of `SIZE` bytes.
unsafe fn copy_tile<const SIZE: usize>(call: &Call) {
    // SAFETY: the caller vouches for `len` elements; they may be the same ones.
    unsafe { std::ptr::copy(call.src[0], call.dst, call.len * SIZE) }
}

/// Copies elements of this size.
pub fn copy(size: usize) -> Code {
    match size {
        1 => Code::new(copy_tile::<1>, 20),
        2 => Code::new(copy_tile::<2>, 40),
        4 => Code::new(copy_tile::<4>, 80),
        8 => Code::new(copy_tile::<8>, 160),
        _ => Code::new(copy_tile::<16>, 320),
    }
}
