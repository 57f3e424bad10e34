//! Converts lines of stored elements to the numbers that a kernel computes with, and back. There is one function per pair of types, which
//! is chosen when a kernel is prepared. This module knows no ops.

use crate::compute_type::{ComputeType, round_to_odd};
use crate::isa::Cpu;
use crate::simd::{Kernel, Simd};
use crate::tile::narrow::{self, Format};
use rlx_ir::DType;
use std::marker::PhantomData;

/// Elements to convert, and their positions on both sides.
#[derive(Clone, Copy)]
pub struct Line {
    /// The first one to read.
    pub src: *const u8,
    /// Bytes from one to the next.
    pub src_step: isize,
    /// Where the first one is written.
    pub dst: *mut u8,
    /// Bytes from one to the next.
    pub dst_step: isize,
    /// Number of elements.
    pub len: usize,
}

/// Converts a line.
///
/// # Safety
/// `src` and `dst` are valid for `len` elements of the function's types at these steps, at any alignment, and do not
/// overlap.
pub type LineFn = unsafe fn(Cpu, &Line);

/// The conversion of one element.
trait Change: 'static {
    type From: Copy;
    type To: Copy + Default;
    fn change(x: Self::From) -> Self::To;
}

/// Number of elements that the compiler converts together.
const BLOCK: usize = 16;

/// # Safety
/// As for [`LineFn`].
#[inline(always)]
unsafe fn convert<C: Change>(line: &Line) {
    let (from, to) = (size_of::<C::From>() as isize, size_of::<C::To>() as isize);
    let mut i = 0;
    // SAFETY: indices stay below `len`, for which the caller vouches.
    unsafe {
        if line.src_step == from && line.dst_step == to {
            let (src, dst) = (line.src.cast::<C::From>(), line.dst.cast::<C::To>());
            while i + BLOCK <= line.len {
                together::<C, BLOCK>(src.add(i), dst.add(i));
                i += BLOCK;
            }
            if i + BLOCK / 2 <= line.len {
                together::<C, { BLOCK / 2 }>(src.add(i), dst.add(i));
                i += BLOCK / 2;
            }
        }
        while i < line.len {
            let src = line.src.offset(i as isize * line.src_step).cast::<C::From>();
            let dst = line.dst.offset(i as isize * line.dst_step).cast::<C::To>();
            dst.write_unaligned(C::change(src.read_unaligned()));
            i += 1;
        }
    }
}

/// # Safety
/// Both are valid for `N` elements.
#[inline(always)]
unsafe fn together<C: Change, const N: usize>(src: *const C::From, dst: *mut C::To) {
    // SAFETY: the caller vouches for `N` elements on both sides, at any alignment.
    unsafe {
        let x = src.cast::<[C::From; N]>().read_unaligned();
        let mut y = [C::To::default(); N];
        for i in 0..N {
            y[i] = C::change(x[i]);
        }
        dst.cast::<[C::To; N]>().write_unaligned(y);
    }
}

/// The conversion, compiled once.
///
/// # Safety
/// As for [`LineFn`].
unsafe fn plain<C: Change>(_: Cpu, line: &Line) {
    // SAFETY: the caller vouches for the line, as `LineFn` asks.
    unsafe { convert::<C>(line) }
}

/// The conversion, compiled for each instruction set.
///
/// # Safety
/// As for [`LineFn`].
unsafe fn fast<C: Change>(cpu: Cpu, line: &Line) {
    struct Loop<'l, C>(&'l Line, PhantomData<C>);
    impl<C: Change> Kernel for Loop<'_, C> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, _: S) {
            // SAFETY: the caller of `fast` vouches for the line.
            unsafe { convert::<C>(self.0) }
        }
    }
    cpu.dispatch(Loop::<C>(line, PhantomData));
}

/// With Rust's `as`, which wraps integers and rounds floats to nearest, ties to even.
struct As<A, B>(PhantomData<(A, B)>);

macro_rules! as_casts {
    ($($from:ident: $($to:ident)*;)*) => {$($(
        impl Change for As<$from, $to> {
            type From = $from;
            type To = $to;

            #[inline(always)]
            fn change(x: $from) -> $to {
                x as $to
            }
        }
    )*)*};
}
as_casts! {
    f32: f32 f64;
    f64: f32 f64;
    i8: f32 f64 u8 u16 u32 u64;
    i16: f64 u8 u16 u32 u64;
    i32: f64 u8 u16 u32 u64;
    i64: f64 u8 u16 u32 u64;
    u8: f32 f64 u8 u16 u32 u64;
    u16: f64 u8 u16 u32 u64;
    u32: f64 u8 u16 u32 u64;
    u64: f64 u8 u16 u32 u64;
}

/// From a stored boolean to 0 or 1.
struct FromBool<B>(PhantomData<B>);
/// To a stored boolean, which is whether the number is nonzero.
struct ToBool<A>(PhantomData<A>);
/// From a float that holds an integer to an integer of the same number of bits.
struct ToBits<A, B>(PhantomData<(A, B)>);

macro_rules! booleans {
    ($($t:ident)*) => {$(
        impl Change for FromBool<$t> {
            type From = u8;
            type To = $t;

            #[inline(always)]
            fn change(x: u8) -> $t {
                u8::from(x != 0) as $t
            }
        }

        impl Change for ToBool<$t> {
            type From = $t;
            type To = u8;

            #[inline(always)]
            fn change(x: $t) -> u8 {
                u8::from(x != 0 as $t)
            }
        }
    )*};
}
booleans!(f32 f64 u8 u16 u32 u64);

macro_rules! to_bits {
    ($($from:ident: $($to:ident)*;)*) => {$($(
        impl Change for ToBits<$from, $to> {
            type From = $from;
            type To = $to;

            #[inline(always)]
            fn change(x: $from) -> $to {
                x as i64 as $to
            }
        }
    )*)*};
}
to_bits! {
    f32: u8 u16 u32 u64;
    f64: u8 u16 u32 u64;
}

/// From a narrow float, exactly.
struct Decode<F, B>(PhantomData<(F, B)>);
/// To a narrow float, rounded once.
struct Encode<F, A>(PhantomData<(F, A)>);

macro_rules! decodes {
    ($($t:ident)*) => {$(
        impl<F: Format> Change for Decode<F, $t> {
            type From = F::Bits;
            type To = $t;

            #[inline(always)]
            fn change(x: F::Bits) -> $t {
                narrow::decode::<F>(x.into()).into()
            }
        }
    )*};
}
decodes!(f32 f64);

macro_rules! encodes {
    ($($t:ident |$x:ident| $single:expr;)*) => {$(
        impl<F: Format> Change for Encode<F, $t> {
            type From = $t;
            type To = F::Bits;

            #[inline(always)]
            fn change($x: $t) -> F::Bits {
                F::bits(narrow::encode::<F>($single))
            }
        }
    )*};
}
encodes! {
    f32 |x| x;
    f64 |x| round_to_odd(x);
}

/// Returns the function that reads elements of type `from` as numbers of type `to`: every real type as f64, floats up to f32 and integers
/// of 8 bits as f32, and integers as unsigned integers of any width, wrapped. Returns `None` for other pairs.
pub fn reader(from: DType, to: ComputeType) -> Option<LineFn> {
    let narrow: Option<LineFn> = match to {
        ComputeType::F32 => narrow::by_format!(from, F => fast::<Decode<F, f32>> as LineFn),
        ComputeType::F64 => narrow::by_format!(from, F => fast::<Decode<F, f64>> as LineFn),
        _ => None,
    };
    if narrow.is_some() {
        return narrow;
    }
    macro_rules! integers {
        ($to:ident) => {
            match from {
                DType::Bool => plain::<FromBool<$to>>,
                DType::I8 => plain::<As<i8, $to>>,
                DType::I16 => plain::<As<i16, $to>>,
                DType::I32 => plain::<As<i32, $to>>,
                DType::I64 => plain::<As<i64, $to>>,
                DType::U8 => plain::<As<u8, $to>>,
                DType::U16 => plain::<As<u16, $to>>,
                DType::U32 => plain::<As<u32, $to>>,
                DType::U64 => plain::<As<u64, $to>>,
                _ => return None,
            }
        };
    }
    Some(match (from, to) {
        (DType::F32, ComputeType::F32) => fast::<As<f32, f32>>,
        (DType::I8, ComputeType::F32) => fast::<As<i8, f32>>,
        (DType::U8, ComputeType::F32) => fast::<As<u8, f32>>,
        (DType::Bool, ComputeType::F32) => fast::<FromBool<f32>>,
        (DType::F32, ComputeType::F64) => fast::<As<f32, f64>>,
        (DType::F64, ComputeType::F64) => fast::<As<f64, f64>>,
        (_, ComputeType::F64) => integers!(f64),
        (_, ComputeType::U8) => integers!(u8),
        (_, ComputeType::U16) => integers!(u16),
        (_, ComputeType::U32) => integers!(u32),
        (_, ComputeType::U64) => integers!(u64),
        _ => return None,
    })
}

/// Returns the function that writes numbers of type `from` as elements of type `to`: f64 as every real type, f32 as every real type except
/// f64, and unsigned integers as integers of their width. Floats are rounded once; when written as integers they must be integral and below
/// 2⁶³, and they wrap. Returns `None` for other pairs.
pub fn writer(from: ComputeType, to: DType) -> Option<LineFn> {
    let narrow: Option<LineFn> = match from {
        ComputeType::F32 => narrow::by_format!(to, F => fast::<Encode<F, f32>> as LineFn),
        ComputeType::F64 => narrow::by_format!(to, F => fast::<Encode<F, f64>> as LineFn),
        _ => None,
    };
    if narrow.is_some() {
        return narrow;
    }
    macro_rules! integers {
        ($from:ident) => {
            match (to, to.size()) {
                (DType::Bool, _) => plain::<ToBool<$from>>,
                (_, 1) => plain::<ToBits<$from, u8>>,
                (_, 2) => plain::<ToBits<$from, u16>>,
                (_, 4) => plain::<ToBits<$from, u32>>,
                _ => plain::<ToBits<$from, u64>>,
            }
        };
    }
    let integer = to.is_int() || to == DType::Bool;
    Some(match (from, to) {
        (ComputeType::F32, DType::F32) => fast::<As<f32, f32>>,
        (ComputeType::F64, DType::F32) => fast::<As<f64, f32>>,
        (ComputeType::F64, DType::F64) => fast::<As<f64, f64>>,
        (ComputeType::F32, _) if integer => integers!(f32),
        (ComputeType::F64, _) if integer => integers!(f64),
        (ComputeType::U8, DType::Bool) => plain::<ToBool<u8>>,
        (ComputeType::U8, _) if to.is_int() && to.size() == 1 => plain::<As<u8, u8>>,
        (ComputeType::U16, _) if to.is_int() && to.size() == 2 => plain::<As<u16, u16>>,
        (ComputeType::U32, _) if to.is_int() && to.size() == 4 => plain::<As<u32, u32>>,
        (ComputeType::U64, _) if to.is_int() && to.size() == 8 => plain::<As<u64, u64>>,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Isa;
    use rlx_ir::eval::Scalar;

    /// Returns what a function computes from a line, which must be the same with every instruction set.
    fn run(f: LineFn, src: &[u8], from: usize, to: usize, stride: usize) -> Vec<u8> {
        let len = src.len().div_ceil(from).div_ceil(stride);
        let with = |isa: Isa| {
            let mut dst = vec![0u8; len * to];
            let line = Line {
                src: src.as_ptr(),
                src_step: (from * stride) as isize,
                dst: dst.as_mut_ptr(),
                dst_step: to as isize,
                len,
            };
            // SAFETY: the vectors hold the elements.
            unsafe { f(Cpu::with_isa(isa).unwrap(), &line) };
            dst
        };
        let plain = with(Isa::Baseline);
        for isa in Isa::available() {
            assert_eq!(with(isa), plain, "{}", isa.name());
        }
        plain
    }

    /// Returns integers from −200 to 200, or from 0 if f64 cannot hold what they wrap to; for floats, sixteenths of them.
    fn elements(dtype: DType) -> Vec<u8> {
        let mut bytes = Vec::new();
        for i in if dtype == DType::U64 { 0..400 } else { -200..200 } {
            let x = if dtype.is_float() { Scalar::Float(f64::from(i) / 16.0) } else { Scalar::Int(i.into()) };
            x.write(dtype, &mut bytes);
        }
        bytes
    }

    #[test]
    fn elements_are_read_and_written_as_the_evaluator_does() {
        let kinds = [
            (ComputeType::F32, DType::F32),
            (ComputeType::F64, DType::F64),
            (ComputeType::U8, DType::U8),
            (ComputeType::U16, DType::U16),
            (ComputeType::U32, DType::U32),
            (ComputeType::U64, DType::U64),
        ];
        let mut pairs = 0;
        for dtype in DType::ALL.into_iter().filter(|d| !d.is_complex()) {
            let src = elements(dtype);
            for (compute, number) in kinds {
                for stride in [1, 3] {
                    let Some(read) = reader(dtype, compute) else { continue };
                    let got = run(read, &src, dtype.size(), number.size(), stride);
                    let mut expected = Vec::new();
                    for x in src.chunks(dtype.size()).step_by(stride) {
                        Scalar::read(dtype, x).write(number, &mut expected);
                    }
                    assert!(got == expected, "{dtype} as {number}");
                    let Some(write) = writer(compute, dtype) else { continue };
                    let back = run(write, &got, number.size(), dtype.size(), 1);
                    let again: Vec<u8> =
                        src.chunks(dtype.size()).step_by(stride).flatten().copied().collect();
                    assert!(back == again, "{number} as {dtype}");
                    pairs += 1;
                }
            }
        }
        // f64 holds all 15 real types, f32 holds floats up to itself and integers of 8 bits, and each width holds its integers; one byte
        // also holds booleans.
        assert_eq!(pairs / 2, 15 + 5 + 3 + 9);
    }
}
