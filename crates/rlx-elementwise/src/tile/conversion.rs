//! Conversions between element types by the rules of the `convert` op. Floats to integers truncate and saturate, NaN gives 0, integers
//! wrap, and a number to a boolean is whether it is nonzero.

use super::{Code, Each1, Map1, TileFn, fast, plain};
use crate::compute_type::{
    Bit, C64, C128, ComputeElement, ComputeType, Narrow, is_narrow, round_to_odd, with_compute_type,
};
use rlx_ir::DType;
use std::marker::PhantomData;

/// A conversion to `B`.
trait Cast<B> {
    fn cast(self) -> B;
}

/// To the type of the map's result.
struct To<B>(PhantomData<B>);

impl<A: Cast<B>, B: ComputeElement> Map1<A> for To<B> {
    type Result = B;
    #[inline(always)]
    fn apply(a: A) -> B {
        a.cast()
    }
}

macro_rules! casts {
    ($($from:ident as $($to:ident),*;)*) => {$($(
        impl Cast<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to {
                self as $to
            }
        }
    )*)*};
}
casts! {
    f32 as f32, f64, i8, i16, i32, i64, u8, u16, u32, u64;
    f64 as f32, f64, i8, i16, i32, i64, u8, u16, u32, u64;
    i8 as f32, f64, i8, i16, i32, i64, u8, u16, u32, u64;
    i16 as f32, f64, i8, i16, i32, i64, u8, u16, u32, u64;
    i32 as f32, f64, i8, i16, i32, i64, u8, u16, u32, u64;
    i64 as f64, i8, i16, i32, i64, u8, u16, u32, u64;
    u8 as f32, f64, i8, i16, i32, i64, u8, u16, u32, u64;
    u16 as f32, f64, i8, i16, i32, i64, u8, u16, u32, u64;
    u32 as f32, f64, i8, i16, i32, i64, u8, u16, u32, u64;
    u64 as f64, i8, i16, i32, i64, u8, u16, u32, u64;
}

macro_rules! through_f64 {
    ($($from:ident),*) => {$(
        // The evaluator first rounds a wide integer to f64.
        impl Cast<f32> for $from {
            #[inline(always)]
            fn cast(self) -> f32 {
                self as f64 as f32
            }
        }
    )*};
}
through_f64!(i64, u64);

macro_rules! real {
    ($($t:ident),*) => {$(
        impl Cast<Bit> for $t {
            #[inline(always)]
            fn cast(self) -> Bit {
                Bit(u8::from(self != 0 as $t))
            }
        }

        impl Cast<$t> for Bit {
            #[inline(always)]
            fn cast(self) -> $t {
                self.0 as $t
            }
        }

        impl Cast<Narrow> for $t {
            #[inline(always)]
            fn cast(self) -> Narrow {
                Narrow(round_to_odd(self as f64))
            }
        }

        impl Cast<C64> for $t {
            #[inline(always)]
            fn cast(self) -> C64 {
                [Cast::<f32>::cast(self), 0.0]
            }
        }

        impl Cast<C128> for $t {
            #[inline(always)]
            fn cast(self) -> C128 {
                [Cast::<f64>::cast(self), 0.0]
            }
        }

        impl Cast<$t> for C64 {
            #[inline(always)]
            fn cast(self) -> $t {
                self[0].cast()
            }
        }

        impl Cast<$t> for C128 {
            #[inline(always)]
            fn cast(self) -> $t {
                self[0].cast()
            }
        }
    )*};
}
real!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! complex {
    ($($from:ident [$part:ident] -> $($to:ident [$to_part:ident]),*;)*) => {$(
        impl Cast<Bit> for $from {
            #[inline(always)]
            fn cast(self) -> Bit {
                Bit(u8::from(self[0] != 0.0 || self[1] != 0.0))
            }
        }

        impl Cast<Narrow> for $from {
            #[inline(always)]
            fn cast(self) -> Narrow {
                self[0].cast()
            }
        }

        impl Cast<$from> for Bit {
            #[inline(always)]
            fn cast(self) -> $from {
                [self.0 as $part, 0.0]
            }
        }

        $(impl Cast<$to> for $from {
            #[inline(always)]
            fn cast(self) -> $to {
                [self[0] as $to_part, self[1] as $to_part]
            }
        })*
    )*};
}
complex! {
    C64 [f32] -> C64 [f32], C128 [f64];
    C128 [f64] -> C64 [f32], C128 [f64];
}

impl Cast<Narrow> for Bit {
    #[inline(always)]
    fn cast(self) -> Narrow {
        Narrow(f32::from(self.0))
    }
}

impl Cast<Bit> for Bit {
    #[inline(always)]
    fn cast(self) -> Bit {
        self
    }
}

fn from_compute_type<B: ComputeElement>(compute: ComputeType) -> Code
where
    f32: Cast<B>,
    f64: Cast<B>,
    i8: Cast<B>,
    i16: Cast<B>,
    i32: Cast<B>,
    i64: Cast<B>,
    u8: Cast<B>,
    u16: Cast<B>,
    u32: Cast<B>,
    u64: Cast<B>,
    Bit: Cast<B>,
    C64: Cast<B>,
    C128: Cast<B>,
{
    let run: TileFn = with_compute_type!(compute, [F32 F64 I8 I16 I32 I64 U8 U16 U32 U64 Bool C64],
        T => plain::<Each1<T, To<B>>>, else plain::<Each1<C128, To<B>>>);
    Code::new(run, 300)
}

/// Returns the conversion from `from` to `to`, unless registers hold both in the same way. A narrow result must still be rounded.
pub fn convert(from: DType, to: DType) -> Option<Code> {
    let (source, target) = (ComputeType::of(from), ComputeType::of(to));
    if source == target {
        return None;
    }
    // The conversions that models use most have code of their own.
    let frequent: Option<TileFn> = match (source, target) {
        (ComputeType::I32, ComputeType::F32) => Some(fast::<Each1<i32, To<f32>>>),
        (ComputeType::I64, ComputeType::I32) => Some(fast::<Each1<i64, To<i32>>>),
        (ComputeType::I32, ComputeType::I64) => Some(fast::<Each1<i32, To<i64>>>),
        (ComputeType::Bool, ComputeType::F32) => Some(fast::<Each1<Bit, To<f32>>>),
        (ComputeType::U8, ComputeType::F32) => Some(fast::<Each1<u8, To<f32>>>),
        (ComputeType::F32, ComputeType::F64) => Some(fast::<Each1<f32, To<f64>>>),
        (ComputeType::F64, ComputeType::F32) => Some(fast::<Each1<f64, To<f32>>>),
        _ => None,
    };
    if is_narrow(to) {
        return Some(from_compute_type::<Narrow>(source));
    }
    if let Some(run) = frequent {
        return Some(Code::new(run, 60));
    }
    Some(match target {
        ComputeType::F32 => from_compute_type::<f32>(source),
        ComputeType::F64 => from_compute_type::<f64>(source),
        ComputeType::I8 => from_compute_type::<i8>(source),
        ComputeType::I16 => from_compute_type::<i16>(source),
        ComputeType::I32 => from_compute_type::<i32>(source),
        ComputeType::I64 => from_compute_type::<i64>(source),
        ComputeType::U8 => from_compute_type::<u8>(source),
        ComputeType::U16 => from_compute_type::<u16>(source),
        ComputeType::U32 => from_compute_type::<u32>(source),
        ComputeType::U64 => from_compute_type::<u64>(source),
        ComputeType::Bool => from_compute_type::<Bit>(source),
        ComputeType::C64 => from_compute_type::<C64>(source),
        ComputeType::C128 => from_compute_type::<C128>(source),
    })
}
