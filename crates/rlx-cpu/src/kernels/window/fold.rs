//! What reductions by name do with an element: the running totals of a reduction, and how elements become totals. Sums and
//! products of floats stay in f64, for their results to be rounded once.

use crate::isa::Cpu;
use rlx_elementwise::compute_type::ComputeType;
use rlx_elementwise::stored::{Line, LineFn, reader, writer};
use rlx_ir::eval::{Scalar, scalar};
use rlx_ir::{DType, ReduceOp};
use std::marker::PhantomData;

/// A reduction on one kind of totals.
pub(crate) trait Fold: Send + Sync + 'static {
    /// A total, and an element as one.
    type Total: Copy + Send + Sync + 'static;
    /// The numbers that a total consists of: two for complex ones.
    const COMPUTE: ComputeType;
    const PARTS: usize = 1;
    /// About how long a step takes.
    const PICOSECONDS: u64 = 300;

    /// The total of no elements.
    fn identity(x: Scalar) -> Self::Total;

    fn step(total: Self::Total, x: Self::Total) -> Self::Total;
}

/// How elements become totals and totals elements.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    read: LineFn,
    write: LineFn,
    /// Bytes of an element.
    pub(crate) size: usize,
}

impl Elements {
    /// Elements of type `dtype` as totals of `F`, if those can hold them.
    pub(crate) fn new<F: Fold>(dtype: DType) -> Option<Elements> {
        let real = dtype.real();
        Some(Elements {
            read: reader(real, F::COMPUTE)?,
            write: writer(F::COMPUTE, real)?,
            size: dtype.size(),
        })
    }

    /// Reads elements `step` bytes apart as totals.
    ///
    /// # Safety
    /// `src` has `len` elements at this step, and `totals` room for as many.
    pub(crate) unsafe fn read<F: Fold>(
        &self,
        cpu: Cpu,
        src: *const u8,
        step: isize,
        totals: *mut F::Total,
        len: usize,
    ) {
        let total = size_of::<F::Total>();
        for part in 0..F::PARTS {
            let line = Line {
                src: src.wrapping_add(part * self.size / F::PARTS),
                src_step: step,
                dst: totals.cast::<u8>().wrapping_add(part * total / F::PARTS),
                dst_step: total as isize,
                len,
            };
            // SAFETY: the caller vouches for `len` elements at the step and for as many totals; each part of an
            // element has a part of a total.
            unsafe { (self.read)(cpu, &line) };
        }
    }

    /// Writes totals as elements `step` bytes apart.
    ///
    /// # Safety
    /// `totals` has `len` totals, and `dst` room for as many elements at this step.
    pub(crate) unsafe fn write<F: Fold>(
        &self,
        cpu: Cpu,
        totals: *const F::Total,
        dst: *mut u8,
        step: isize,
        len: usize,
    ) {
        let total = size_of::<F::Total>();
        for part in 0..F::PARTS {
            let line = Line {
                src: totals.cast::<u8>().wrapping_add(part * total / F::PARTS),
                src_step: total as isize,
                dst: dst.wrapping_add(part * self.size / F::PARTS),
                dst_step: step,
                len,
            };
            // SAFETY: the caller vouches for `len` totals and for as many elements at the step; each part of a total
            // has a part of an element.
            unsafe { (self.write)(cpu, &line) };
        }
    }
}

/// What is done with the fold that a reduction and an element type choose.
pub(crate) trait Visit {
    type Output;
    fn visit<F: Fold>(self, identity: Scalar) -> Option<Self::Output>;
}

struct Sum<T>(PhantomData<T>);
struct Prod<T>(PhantomData<T>);
struct Max<T>(PhantomData<T>);
struct Min<T>(PhantomData<T>);
struct And<T>(PhantomData<T>);
struct Or<T>(PhantomData<T>);
/// log(Σ e^x), in f64.
pub(crate) struct LogSumExp;

macro_rules! folds {
    ($($Fold:ident<$t:ty> $compute:ident |$identity:ident| $start:expr, |$a:ident, $b:ident| $step:expr;)*) => {$(
        impl Fold for $Fold<$t> {
            type Total = $t;
            const COMPUTE: ComputeType = ComputeType::$compute;

            #[inline(always)]
            fn identity($identity: Scalar) -> $t {
                $start
            }

            #[inline(always)]
            fn step($a: $t, $b: $t) -> $t {
                $step
            }
        }
    )*};
}

folds! {
    Sum<f64> F64 |x| x.to_f64(), |a, b| a + b;
    Prod<f64> F64 |x| x.to_f64(), |a, b| a * b;
    Max<f64> F64 |x| x.to_f64(), |a, b| larger64(a, b);
    Min<f64> F64 |x| x.to_f64(), |a, b| -larger64(-a, -b);
    Max<f32> F32 |x| x.to_f64() as f32, |a, b| larger32(a, b);
    Min<f32> F32 |x| x.to_f64() as f32, |a, b| -larger32(-a, -b);
}

macro_rules! larger {
    ($($name:ident $t:ident)*) => {$(
        /// The larger; NaN if either is; 0 above −0.
        #[inline(always)]
        fn $name(a: $t, b: $t) -> $t {
            let first = a > b || (a == b && b.is_sign_negative());
            let larger = if first { a } else { b };
            if a.is_nan() { a } else { larger }
        }
    )*};
}
larger!(larger32 f32 larger64 f64);

fn integer(x: Scalar) -> i128 {
    match x {
        Scalar::Int(x) => x,
        other => other.to_f64() as i128,
    }
}

macro_rules! integers {
    ($($t:ident $compute:ident;)*) => {folds! {$(
        Sum<$t> $compute |x| integer(x) as $t, |a, b| a.wrapping_add(b);
        Prod<$t> $compute |x| integer(x) as $t, |a, b| a.wrapping_mul(b);
        And<$t> $compute |x| integer(x) as $t, |a, b| a & b;
        Or<$t> $compute |x| integer(x) as $t, |a, b| a | b;
    )*}};
}
integers! { u8 U8; u16 U16; u32 U32; u64 U64; }

macro_rules! ordered {
    ($($t:ident $compute:ident;)*) => {folds! {$(
        Max<$t> $compute |x| integer(x) as $t, |a, b| a.max(b);
        Min<$t> $compute |x| integer(x) as $t, |a, b| a.min(b);
    )*}};
}
ordered! { u8 U8; u16 U16; u32 U32; u64 U64; i8 U8; i16 U16; i32 U32; i64 U64; }

macro_rules! complexes {
    ($($Fold:ident |$a:ident, $b:ident| $step:expr;)*) => {$(
        impl Fold for $Fold<[f64; 2]> {
            type Total = [f64; 2];
            const COMPUTE: ComputeType = ComputeType::F64;
            const PARTS: usize = 2;

            fn identity(x: Scalar) -> [f64; 2] {
                match x {
                    Scalar::Complex(z) => [z.re, z.im],
                    other => [other.to_f64(), 0.0],
                }
            }

            #[inline(always)]
            fn step($a: [f64; 2], $b: [f64; 2]) -> [f64; 2] {
                $step
            }
        }
    )*};
}
complexes! {
    Sum |a, b| [a[0] + b[0], a[1] + b[1]];
    Prod |a, b| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]];
}

impl Fold for LogSumExp {
    type Total = f64;
    const COMPUTE: ComputeType = ComputeType::F64;
    const PICOSECONDS: u64 = 40_000;

    fn identity(_: Scalar) -> f64 {
        f64::NEG_INFINITY
    }

    fn step(a: f64, b: f64) -> f64 {
        scalar::log_add_exp(a, b)
    }
}

/// Visits the fold of a reduction on elements of type `dtype`; `None` where there is none.
pub(crate) fn visit<V: Visit>(kind: ReduceOp, dtype: DType, visitor: V) -> Option<V::Output> {
    let identity = scalar::identity(kind, dtype)?;
    macro_rules! by_width {
        ($Fold:ident) => {
            match dtype.size() {
                1 => visitor.visit::<$Fold<u8>>(identity),
                2 => visitor.visit::<$Fold<u16>>(identity),
                4 => visitor.visit::<$Fold<u32>>(identity),
                _ => visitor.visit::<$Fold<u64>>(identity),
            }
        };
    }
    macro_rules! by_type {
        ($Fold:ident) => {
            match dtype {
                DType::F64 => visitor.visit::<$Fold<f64>>(identity),
                _ if dtype.is_float() => visitor.visit::<$Fold<f32>>(identity),
                DType::I8 => visitor.visit::<$Fold<i8>>(identity),
                DType::I16 => visitor.visit::<$Fold<i16>>(identity),
                DType::I32 => visitor.visit::<$Fold<i32>>(identity),
                DType::I64 => visitor.visit::<$Fold<i64>>(identity),
                _ => by_width!($Fold),
            }
        };
    }
    if !kind.accepts().contains(dtype) {
        return None;
    }
    match kind {
        ReduceOp::Sum if dtype.is_complex() => visitor.visit::<Sum<[f64; 2]>>(identity),
        ReduceOp::Prod if dtype.is_complex() => visitor.visit::<Prod<[f64; 2]>>(identity),
        ReduceOp::Sum if dtype.is_float() => visitor.visit::<Sum<f64>>(identity),
        ReduceOp::Prod if dtype.is_float() => visitor.visit::<Prod<f64>>(identity),
        ReduceOp::Sum => by_width!(Sum),
        ReduceOp::Prod => by_width!(Prod),
        ReduceOp::Max => by_type!(Max),
        ReduceOp::Min => by_type!(Min),
        ReduceOp::And => by_width!(And),
        ReduceOp::Or => by_width!(Or),
        ReduceOp::LogSumExp => visitor.visit::<LogSumExp>(identity),
        ReduceOp::Mean => None,
    }
}
