//! Accumulation: what a reduction does with the elements of a tile, one set of functions per reduction and type. Floats
//! sum and multiply in f64 and are rounded once, as the evaluator does. The order of every sum follows from sizes
//! alone.

use crate::isa::Cpu;
use crate::simd::{Kernel, Simd};
use rlx_elementwise::compute_type::{
    Bit, C64, C128, ComputeElement, ComputeType, Narrow, is_narrow, with_compute_type,
};
use rlx_elementwise::tile::integers::Integer;
use rlx_elementwise::tile::{BLOCK, end_block};
use rlx_ir::{DType, ReduceOp};
use std::marker::PhantomData;

/// A reduction on one machine type.
pub(crate) trait Fold: 'static {
    type Item: ComputeElement;
    type Total: Copy + Send + Sync;
    const IDENTITY: Self::Total;
    fn step(total: Self::Total, x: Self::Item) -> Self::Total;
    fn merge(a: Self::Total, b: Self::Total) -> Self::Total;
    fn finish(total: Self::Total) -> Self::Item;
}

/// The operands of one call.
pub(crate) struct Call {
    pub(crate) cpu: Cpu,
    /// Running totals.
    pub(crate) totals: *mut u8,
    /// Elements, or totals to merge.
    pub(crate) src: *const u8,
    /// Results.
    pub(crate) dst: *mut u8,
    pub(crate) len: usize,
    /// Running totals in use, or rows.
    pub(crate) width: usize,
}

/// # Safety
/// The pointers that the function uses are valid for the elements that it says, and do not overlap.
pub(crate) type FoldFn = unsafe fn(&Call);

/// The functions of a reduction.
#[derive(Clone, Copy)]
pub(crate) struct FoldCode {
    /// Bytes of a running total.
    pub(crate) total_size: usize,
    /// About how long an element takes.
    pub(crate) picoseconds: u64,
    /// `dst[r]` = all of row r, for `width` rows of `len` elements.
    pub(crate) rows: FoldFn,
    /// `totals[..width]` = the identity.
    pub(crate) clear: FoldFn,
    /// `totals[i % width]` takes in `src[i]`, for `len` elements.
    pub(crate) columns: FoldFn,
    /// Merges `width` totals by halves until `len` are left, of which width is a power-of-two multiple.
    pub(crate) halve: FoldFn,
    /// `totals[i]` takes in the total `src[i]`, for `len` totals.
    pub(crate) merge: FoldFn,
    /// `dst[i]` = `totals[i]` as an element, for `len` totals.
    pub(crate) finish: FoldFn,
}

fn code<F: Fold>(picoseconds: u64) -> FoldCode {
    FoldCode {
        total_size: size_of::<F::Total>(),
        picoseconds,
        rows: rows::<F>,
        clear: clear::<F>,
        columns: columns::<F>,
        halve: halve::<F>,
        merge: merge::<F>,
        finish: finish::<F>,
    }
}

/// # Safety
/// As [`FoldFn`] says.
unsafe fn rows<F: Fold>(call: &Call) {
    struct Loop<'c, F>(&'c Call, PhantomData<F>);
    impl<F: Fold> Kernel for Loop<'_, F> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, _: S) {
            let Call { src, dst, len, width, .. } = *self.0;
            let (src, dst) = (src.cast::<F::Item>(), dst.cast::<F::Item>());
            for row in 0..width {
                // SAFETY: the caller of `rows` vouches for `width` rows of `len` elements and as many results.
                unsafe { dst.add(row).write(fold_row::<F>(src.add(row * len), len)) };
            }
        }
    }
    call.cpu.dispatch(Loop::<F>(call, PhantomData));
}

/// # Safety
/// `src` is valid for `len` elements.
#[inline(always)]
unsafe fn fold_row<F: Fold>(src: *const F::Item, len: usize) -> F::Item {
    let mut i = 0;
    let mut total = F::IDENTITY;
    // SAFETY: indices stay below `len`.
    unsafe {
        if len >= BLOCK {
            let mut totals = [F::IDENTITY; BLOCK];
            while i + BLOCK <= len {
                let block = src.add(i).cast::<[F::Item; BLOCK]>().read_unaligned();
                for k in 0..BLOCK {
                    totals[k] = F::step(totals[k], block[k]);
                }
                i += BLOCK;
                end_block();
            }
            // Keeps the narrowing sums below from deciding how wide the vectors above are.
            let mut totals = std::hint::black_box(totals);
            let mut width = BLOCK;
            while width > 1 {
                width /= 2;
                for k in 0..width {
                    totals[k] = F::merge(totals[k], totals[k + width]);
                }
            }
            total = totals[0];
        }
        while i < len {
            total = F::step(total, src.add(i).read_unaligned());
            i += 1;
        }
    }
    F::finish(total)
}

/// # Safety
/// As [`FoldFn`] says.
unsafe fn clear<F: Fold>(call: &Call) {
    for i in 0..call.width {
        // SAFETY: the caller vouches for `width` totals.
        unsafe { call.totals.cast::<F::Total>().add(i).write(F::IDENTITY) };
    }
}

/// # Safety
/// As [`FoldFn`] says.
unsafe fn columns<F: Fold>(call: &Call) {
    struct Loop<'c, F>(&'c Call, PhantomData<F>);
    impl<F: Fold> Kernel for Loop<'_, F> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, _: S) {
            let Call { totals, src, len, width, .. } = *self.0;
            let (totals, src) = (totals.cast::<F::Total>(), src.cast::<F::Item>());
            let mut at = 0;
            while at < len {
                let count = width.min(len - at);
                // SAFETY: the caller of `columns` vouches for `width` totals and `len` elements.
                unsafe { fold_columns::<F>(totals, src.add(at), count) };
                at += count;
            }
        }
    }
    call.cpu.dispatch(Loop::<F>(call, PhantomData));
}

/// # Safety
/// Both are valid for `count` values.
#[inline(always)]
unsafe fn fold_columns<F: Fold>(totals: *mut F::Total, src: *const F::Item, count: usize) {
    let mut i = 0;
    // SAFETY: indices stay below `count`.
    unsafe {
        while i + BLOCK <= count {
            let mut block = totals.add(i).cast::<[F::Total; BLOCK]>().read();
            let x = src.add(i).cast::<[F::Item; BLOCK]>().read_unaligned();
            for k in 0..BLOCK {
                block[k] = F::step(block[k], x[k]);
            }
            totals.add(i).cast::<[F::Total; BLOCK]>().write(block);
            i += BLOCK;
            end_block();
        }
        while i < count {
            let total = totals.add(i);
            total.write(F::step(total.read(), src.add(i).read_unaligned()));
            i += 1;
        }
    }
}

/// # Safety
/// As [`FoldFn`] says.
unsafe fn halve<F: Fold>(call: &Call) {
    let totals = call.totals.cast::<F::Total>();
    let mut width = call.width;
    while width > call.len {
        width /= 2;
        for i in 0..width {
            // SAFETY: the caller vouches for `width` totals, of which these are halves.
            unsafe { totals.add(i).write(F::merge(totals.add(i).read(), totals.add(i + width).read())) };
        }
    }
}

/// # Safety
/// As [`FoldFn`] says.
unsafe fn merge<F: Fold>(call: &Call) {
    let (totals, src) = (call.totals.cast::<F::Total>(), call.src.cast::<F::Total>());
    for i in 0..call.len {
        // SAFETY: the caller vouches for `len` totals on either side.
        unsafe { totals.add(i).write(F::merge(totals.add(i).read(), src.add(i).read())) };
    }
}

/// # Safety
/// As [`FoldFn`] says.
unsafe fn finish<F: Fold>(call: &Call) {
    for i in 0..call.len {
        // SAFETY: the caller vouches for `len` totals and results.
        unsafe {
            let total = call.totals.cast::<F::Total>().add(i).read();
            call.dst.cast::<F::Item>().add(i).write(F::finish(total));
        }
    }
}

struct Sum<T>(PhantomData<T>);
struct Prod<T>(PhantomData<T>);
struct Max<T>(PhantomData<T>);
struct Min<T>(PhantomData<T>);
struct And<T>(PhantomData<T>);
struct Or<T>(PhantomData<T>);

macro_rules! float_folds {
    ($($t:ty: |$x:ident| $widen:expr, |$total:ident| $narrow:expr;)*) => {$(
        float_folds!(@fold Sum, $t, 0.0, +, |$x| $widen, |$total| $narrow);
        float_folds!(@fold Prod, $t, 1.0, *, |$x| $widen, |$total| $narrow);
    )*};
    (@fold $Fold:ident, $t:ty, $identity:literal, $op:tt, |$x:ident| $widen:expr, |$total:ident| $narrow:expr) => {
        impl Fold for $Fold<$t> {
            type Item = $t;
            type Total = f64;
            const IDENTITY: f64 = $identity;

            #[inline(always)]
            fn step(total: f64, $x: $t) -> f64 {
                total $op $widen
            }

            #[inline(always)]
            fn merge(a: f64, b: f64) -> f64 {
                a $op b
            }

            #[inline(always)]
            fn finish($total: f64) -> $t {
                $narrow
            }
        }
    };
}
float_folds! {
    f32: |x| f64::from(x), |total| total as f32;
    f64: |x| x, |total| total;
    Narrow: |x| f64::from(x.0), |total| Narrow::from_scalar(rlx_ir::eval::Scalar::Float(total));
}

/// Extremes of floats are found among integers in the same order: −0 is below 0, and a NaN is put beyond every number.
macro_rules! extreme_folds {
    ($($Fold:ident $t:ident $bits:ident $nan:expr, $identity:expr, $best:ident;)*) => {$(
        impl Fold for $Fold<$t> {
            type Item = $t;
            type Total = $bits;
            const IDENTITY: $bits = $bits::ordered($identity);

            #[inline(always)]
            fn step(best: $bits, x: $t) -> $bits {
                best.$best($bits::ordered(if x.is_nan() { $nan } else { x }))
            }

            #[inline(always)]
            fn merge(a: $bits, b: $bits) -> $bits {
                a.$best(b)
            }

            #[inline(always)]
            fn finish(best: $bits) -> $t {
                best.value()
            }
        }
    )*};
}
extreme_folds! {
    Max f32 Order32 f32::from_bits(0x7fc0_0000), f32::NEG_INFINITY, max;
    Max f64 Order64 f64::from_bits(0x7ff8 << 48), f64::NEG_INFINITY, max;
    Min f32 Order32 f32::from_bits(0xffc0_0000), f32::INFINITY, min;
    Min f64 Order64 f64::from_bits(0xfff8 << 48), f64::INFINITY, min;
}

macro_rules! orders {
    ($($Order:ident $t:ident $int:ident $uint:ident;)*) => {$(
        /// A float as an integer of the same place in order.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        struct $Order($int);

        impl $Order {
            #[inline(always)]
            const fn ordered(x: $t) -> $Order {
                $Order(Self::flip(x.to_bits() as $int))
            }

            #[inline(always)]
            fn value(self) -> $t {
                $t::from_bits(Self::flip(self.0) as $uint)
            }

            /// Reverses the order of the negative numbers.
            #[inline(always)]
            const fn flip(bits: $int) -> $int {
                bits ^ ((bits >> ($int::BITS - 1)) & $int::MAX)
            }
        }
    )*};
}
orders! {
    Order32 f32 i32 u32;
    Order64 f64 i64 u64;
}

/// Integers with what reductions begin with.
pub(crate) trait Wrapping: Integer {
    const ZERO: Self;
    const ONE: Self;
    const ONES: Self;
    const LOWEST: Self;
    const HIGHEST: Self;
}

macro_rules! wrapping {
    ($($t:ident),*) => {$(
        impl Wrapping for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const ONES: Self = !0;
            const LOWEST: Self = $t::MIN;
            const HIGHEST: Self = $t::MAX;
        }
    )*};
}
wrapping!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! integer_folds {
    ($($Fold:ident $identity:ident $method:ident;)*) => {$(
        impl<T: Wrapping> Fold for $Fold<Int<T>> {
            type Item = T;
            type Total = T;
            const IDENTITY: T = T::$identity;

            #[inline(always)]
            fn step(total: T, x: T) -> T {
                total.$method(x)
            }

            #[inline(always)]
            fn merge(a: T, b: T) -> T {
                a.$method(b)
            }

            #[inline(always)]
            fn finish(total: T) -> T {
                total
            }
        }
    )*};
}

/// Sets the integers apart from the other types.
struct Int<T>(PhantomData<T>);

integer_folds! {
    Sum ZERO sum;
    Prod ONE product;
    Max LOWEST max;
    Min HIGHEST min;
    And ONES both;
    Or ZERO either;
}

macro_rules! bit_folds {
    ($($Fold:ident $identity:literal $op:tt;)*) => {$(
        impl Fold for $Fold<Bit> {
            type Item = Bit;
            type Total = Bit;
            const IDENTITY: Bit = Bit($identity);

            #[inline(always)]
            fn step(total: Bit, x: Bit) -> Bit {
                Bit(total.0 $op x.0)
            }

            #[inline(always)]
            fn merge(a: Bit, b: Bit) -> Bit {
                Bit(a.0 $op b.0)
            }

            #[inline(always)]
            fn finish(total: Bit) -> Bit {
                total
            }
        }
    )*};
}
bit_folds! {
    And 1 &;
    Or 0 |;
}

macro_rules! complex_folds {
    ($($part:ident)*) => {$(
        complex_folds!(@fold Sum, $part, [0.0, 0.0], |a, b| [a[0] + b[0], a[1] + b[1]]);
        complex_folds!(@fold Prod, $part, [1.0, 0.0], |a, b| [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]);
    )*};
    (@fold $Fold:ident, $part:ident, $identity:expr, |$a:ident, $b:ident| $value:expr) => {
        impl Fold for $Fold<[$part; 2]> {
            type Item = [$part; 2];
            type Total = C128;
            const IDENTITY: C128 = $identity;

            #[inline(always)]
            fn step($a: C128, x: [$part; 2]) -> C128 {
                let $b = [f64::from(x[0]), f64::from(x[1])];
                $value
            }

            #[inline(always)]
            fn merge($a: C128, $b: C128) -> C128 {
                $value
            }

            #[inline(always)]
            fn finish(total: C128) -> [$part; 2] {
                [total[0] as $part, total[1] as $part]
            }
        }
    };
}
complex_folds!(f32 f64);

/// The code of an integer reduction by exact type, or by width for those that do not mind the sign.
macro_rules! integers {
    ($Fold:ident, $compute:expr) => {
        with_compute_type!($compute, [I8 I16 I32 I64 U8 U16 U32 U64], T => Some(code::<$Fold<Int<T>>>(60)), else None)
    };
    ($Fold:ident, width $compute:expr) => {
        with_compute_type!($compute.unsigned(), [U8 U16 U32 U64], T => Some(code::<$Fold<Int<T>>>(60)), else None)
    };
}

/// The functions of `reduction` on registers that hold elements of `dtype`; `None` where the reduction does not take the
/// type. Narrow sums and products still have to be rounded.
pub(crate) fn fold_of(reduction: ReduceOp, dtype: DType) -> Option<FoldCode> {
    let compute = ComputeType::of(dtype);
    match (reduction, compute) {
        (ReduceOp::Sum, ComputeType::F32) if is_narrow(dtype) => Some(code::<Sum<Narrow>>(60)),
        (ReduceOp::Prod, ComputeType::F32) if is_narrow(dtype) => Some(code::<Prod<Narrow>>(60)),
        (ReduceOp::Sum, ComputeType::F32) => Some(code::<Sum<f32>>(60)),
        (ReduceOp::Sum, ComputeType::F64) => Some(code::<Sum<f64>>(60)),
        (ReduceOp::Sum, ComputeType::C64) => Some(code::<Sum<C64>>(500)),
        (ReduceOp::Sum, ComputeType::C128) => Some(code::<Sum<C128>>(500)),
        (ReduceOp::Sum, _) => integers!(Sum, width compute),
        (ReduceOp::Prod, ComputeType::F32) => Some(code::<Prod<f32>>(60)),
        (ReduceOp::Prod, ComputeType::F64) => Some(code::<Prod<f64>>(60)),
        (ReduceOp::Prod, ComputeType::C64) => Some(code::<Prod<C64>>(1_000)),
        (ReduceOp::Prod, ComputeType::C128) => Some(code::<Prod<C128>>(1_000)),
        (ReduceOp::Prod, _) => integers!(Prod, width compute),
        (ReduceOp::Max, ComputeType::F32) => Some(code::<Max<f32>>(60)),
        (ReduceOp::Max, ComputeType::F64) => Some(code::<Max<f64>>(60)),
        (ReduceOp::Max | ReduceOp::Or, ComputeType::Bool) => Some(code::<Or<Bit>>(20)),
        (ReduceOp::Max, _) => integers!(Max, compute),
        (ReduceOp::Min, ComputeType::F32) => Some(code::<Min<f32>>(60)),
        (ReduceOp::Min, ComputeType::F64) => Some(code::<Min<f64>>(60)),
        (ReduceOp::Min | ReduceOp::And, ComputeType::Bool) => Some(code::<And<Bit>>(20)),
        (ReduceOp::Min, _) => integers!(Min, compute),
        (ReduceOp::And, _) => integers!(And, width compute),
        (ReduceOp::Or, _) => integers!(Or, width compute),
        (ReduceOp::Mean | ReduceOp::LogSumExp, _) => None,
    }
}
