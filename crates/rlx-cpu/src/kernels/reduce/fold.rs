//! How a reduction combines the elements of a tile, with one set of functions per reduction and type. Sums and products of floats are
//! computed in f64 and rounded once, as in the evaluator. The order of every sum depends only on sizes.

use crate::isa::Cpu;
use crate::simd::{Kernel, Simd};
use rlx_elementwise::compute_type::{
    Bit, C64, C128, ComputeElement, ComputeType, Narrow, is_narrow, with_compute_type,
};
use rlx_elementwise::monoid::{And, Max, Min, Monoid, Or, Order32, Order64, Prod, Sum};
use rlx_elementwise::tile::{BLOCK, end_block};
use rlx_ir::{DType, ReduceOp};
use std::marker::PhantomData;

/// A reduction on one machine type: how its elements become totals, and how totals become elements.
pub(crate) trait Fold: 'static {
    type Item: ComputeElement;
    type Totals: Monoid;
    fn widen(x: Self::Item) -> Total<Self>;
    fn finish(total: Total<Self>) -> Self::Item;
}

/// A running total.
type Total<F> = <<F as Fold>::Totals as Monoid>::Total;

/// Returns a total combined with another element.
#[inline(always)]
fn step<F: Fold>(total: Total<F>, x: F::Item) -> Total<F> {
    F::Totals::combine(total, F::widen(x))
}

/// The operands of one call.
pub(crate) struct Call {
    pub(crate) cpu: Cpu,
    /// The running totals.
    pub(crate) totals: *mut u8,
    /// The elements, or totals to merge.
    pub(crate) src: *const u8,
    /// The results.
    pub(crate) dst: *mut u8,
    pub(crate) len: usize,
    /// Number of running totals in use, or of rows.
    pub(crate) width: usize,
}

/// # Safety
/// The pointers that the function uses are valid for the elements that its description states, and do not overlap.
pub(crate) type FoldFn = unsafe fn(&Call);

/// The functions of a reduction.
#[derive(Clone, Copy)]
pub(crate) struct FoldCode {
    /// Size of a running total in bytes.
    pub(crate) total_size: usize,
    /// Approximate time per element.
    pub(crate) picoseconds: u64,
    /// Sets `dst[r]` to all of row r combined, for `width` rows of `len` elements.
    pub(crate) rows: FoldFn,
    /// Sets `totals[..width]` to the identity.
    pub(crate) clear: FoldFn,
    /// Combines `totals[i % width]` with `src[i]`, for `len` elements.
    pub(crate) columns: FoldFn,
    /// Merges `width` totals by halves until `len` are left; `width` is `len` times a power of two.
    pub(crate) halve: FoldFn,
    /// Combines `totals[i]` with the total `src[i]`, for `len` totals.
    pub(crate) merge: FoldFn,
    /// Sets `dst[i]` to `totals[i]` as an element, for `len` totals.
    pub(crate) finish: FoldFn,
}

fn code<F: Fold>(picoseconds: u64) -> FoldCode {
    FoldCode {
        total_size: size_of::<Total<F>>(),
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
/// As for [`FoldFn`].
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
    let mut total = F::Totals::IDENTITY;
    // SAFETY: indices stay below `len`.
    unsafe {
        if len >= BLOCK {
            let mut totals = [F::Totals::IDENTITY; BLOCK];
            while i + BLOCK <= len {
                let block = src.add(i).cast::<[F::Item; BLOCK]>().read_unaligned();
                for k in 0..BLOCK {
                    totals[k] = step::<F>(totals[k], block[k]);
                }
                i += BLOCK;
                end_block();
            }
            // Keeps the narrowing sums below from determining the width of the vectors above.
            let mut totals = std::hint::black_box(totals);
            let mut width = BLOCK;
            while width > 1 {
                width /= 2;
                for k in 0..width {
                    totals[k] = F::Totals::combine(totals[k], totals[k + width]);
                }
            }
            total = totals[0];
        }
        while i < len {
            total = step::<F>(total, src.add(i).read_unaligned());
            i += 1;
        }
    }
    F::finish(total)
}

/// # Safety
/// As for [`FoldFn`].
unsafe fn clear<F: Fold>(call: &Call) {
    for i in 0..call.width {
        // SAFETY: the caller vouches for `width` totals.
        unsafe { call.totals.cast::<Total<F>>().add(i).write(F::Totals::IDENTITY) };
    }
}

/// # Safety
/// As for [`FoldFn`].
unsafe fn columns<F: Fold>(call: &Call) {
    struct Loop<'c, F>(&'c Call, PhantomData<F>);
    impl<F: Fold> Kernel for Loop<'_, F> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, _: S) {
            let Call { totals, src, len, width, .. } = *self.0;
            let (totals, src) = (totals.cast::<Total<F>>(), src.cast::<F::Item>());
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
unsafe fn fold_columns<F: Fold>(totals: *mut Total<F>, src: *const F::Item, count: usize) {
    let mut i = 0;
    // SAFETY: indices stay below `count`.
    unsafe {
        while i + BLOCK <= count {
            let mut block = totals.add(i).cast::<[Total<F>; BLOCK]>().read();
            let x = src.add(i).cast::<[F::Item; BLOCK]>().read_unaligned();
            for k in 0..BLOCK {
                block[k] = step::<F>(block[k], x[k]);
            }
            totals.add(i).cast::<[Total<F>; BLOCK]>().write(block);
            i += BLOCK;
            end_block();
        }
        while i < count {
            let total = totals.add(i);
            total.write(step::<F>(total.read(), src.add(i).read_unaligned()));
            i += 1;
        }
    }
}

/// # Safety
/// As for [`FoldFn`].
unsafe fn halve<F: Fold>(call: &Call) {
    let totals = call.totals.cast::<Total<F>>();
    let mut width = call.width;
    while width > call.len {
        width /= 2;
        for i in 0..width {
            // SAFETY: the caller vouches for `width` totals, and these are halves of them.
            unsafe {
                totals.add(i).write(F::Totals::combine(totals.add(i).read(), totals.add(i + width).read()))
            };
        }
    }
}

/// # Safety
/// As for [`FoldFn`].
unsafe fn merge<F: Fold>(call: &Call) {
    let (totals, src) = (call.totals.cast::<Total<F>>(), call.src.cast::<Total<F>>());
    for i in 0..call.len {
        // SAFETY: the caller vouches for `len` totals on both sides.
        unsafe { totals.add(i).write(F::Totals::combine(totals.add(i).read(), src.add(i).read())) };
    }
}

/// # Safety
/// As for [`FoldFn`].
unsafe fn finish<F: Fold>(call: &Call) {
    for i in 0..call.len {
        // SAFETY: the caller vouches for `len` totals and results.
        unsafe {
            let total = call.totals.cast::<Total<F>>().add(i).read();
            call.dst.cast::<F::Item>().add(i).write(F::finish(total));
        }
    }
}

/// Elements that are themselves totals.
struct Whole<M>(PhantomData<M>);

impl<M: Monoid<Total: ComputeElement>> Fold for Whole<M> {
    type Item = M::Total;
    type Totals = M;

    #[inline(always)]
    fn widen(x: M::Total) -> M::Total {
        x
    }

    #[inline(always)]
    fn finish(total: M::Total) -> M::Total {
        total
    }
}

/// Elements with totals of another type.
struct Widened<M, T>(PhantomData<(M, T)>);

macro_rules! widened {
    ($($Monoid:ident<$total:ty> of $t:ty: |$x:ident| $widen:expr, |$y:ident| $narrow:expr;)*) => {$(
        impl Fold for Widened<$Monoid<$total>, $t> {
            type Item = $t;
            type Totals = $Monoid<$total>;

            #[inline(always)]
            fn widen($x: $t) -> $total {
                $widen
            }

            #[inline(always)]
            fn finish($y: $total) -> $t {
                $narrow
            }
        }
    )*};
}

macro_rules! sums {
    ($($total:ty, $t:ty: |$x:ident| $widen:expr, |$y:ident| $narrow:expr;)*) => {widened! {$(
        Sum<$total> of $t: |$x| $widen, |$y| $narrow;
        Prod<$total> of $t: |$x| $widen, |$y| $narrow;
    )*}};
}
sums! {
    f64, f32: |x| f64::from(x), |total| total as f32;
    f64, Narrow: |x| f64::from(x.0), |total| Narrow::from_scalar(rlx_ir::eval::Scalar::Float(total));
    C128, C64: |x| [f64::from(x[0]), f64::from(x[1])], |total| [total[0] as f32, total[1] as f32];
}

// Extremes of floats are found among integers in the same order. A NaN is placed beyond every number.
widened! {
    Max<Order32> of f32: |x| Order32::new(if x.is_nan() { f32::from_bits(0x7fc0_0000) } else { x }), |best| best.value();
    Min<Order32> of f32: |x| Order32::new(if x.is_nan() { f32::from_bits(0xffc0_0000) } else { x }), |best| best.value();
    Max<Order64> of f64: |x| Order64::new(if x.is_nan() { f64::from_bits(0x7ff8 << 48) } else { x }), |best| best.value();
    Min<Order64> of f64: |x| Order64::new(if x.is_nan() { f64::from_bits(0xfff8 << 48) } else { x }), |best| best.value();
}

/// The code of an integer reduction for the exact type, or by width for reductions that do not depend on the sign.
macro_rules! integers {
    ($Fold:ident, $compute:expr) => {
        with_compute_type!($compute, [I8 I16 I32 I64 U8 U16 U32 U64], T => Some(code::<Whole<$Fold<T>>>(60)), else None)
    };
    ($Fold:ident, width $compute:expr) => {
        with_compute_type!($compute.unsigned(), [U8 U16 U32 U64], T => Some(code::<Whole<$Fold<T>>>(60)), else None)
    };
}

/// Returns the functions of `reduction` on registers that hold elements of `dtype`; `None` if the reduction does not accept the type.
/// Narrow sums and products must still be rounded.
pub(crate) fn fold_of(reduction: ReduceOp, dtype: DType) -> Option<FoldCode> {
    let compute = ComputeType::of(dtype);
    match (reduction, compute) {
        (ReduceOp::Sum, ComputeType::F32) if is_narrow(dtype) => Some(code::<Widened<Sum<f64>, Narrow>>(60)),
        (ReduceOp::Prod, ComputeType::F32) if is_narrow(dtype) => {
            Some(code::<Widened<Prod<f64>, Narrow>>(60))
        }
        (ReduceOp::Sum, ComputeType::F32) => Some(code::<Widened<Sum<f64>, f32>>(60)),
        (ReduceOp::Sum, ComputeType::F64) => Some(code::<Whole<Sum<f64>>>(60)),
        (ReduceOp::Sum, ComputeType::C64) => Some(code::<Widened<Sum<C128>, C64>>(500)),
        (ReduceOp::Sum, ComputeType::C128) => Some(code::<Whole<Sum<C128>>>(500)),
        (ReduceOp::Sum, _) => integers!(Sum, width compute),
        (ReduceOp::Prod, ComputeType::F32) => Some(code::<Widened<Prod<f64>, f32>>(60)),
        (ReduceOp::Prod, ComputeType::F64) => Some(code::<Whole<Prod<f64>>>(60)),
        (ReduceOp::Prod, ComputeType::C64) => Some(code::<Widened<Prod<C128>, C64>>(1_000)),
        (ReduceOp::Prod, ComputeType::C128) => Some(code::<Whole<Prod<C128>>>(1_000)),
        (ReduceOp::Prod, _) => integers!(Prod, width compute),
        (ReduceOp::Max, ComputeType::F32) => Some(code::<Widened<Max<Order32>, f32>>(60)),
        (ReduceOp::Max, ComputeType::F64) => Some(code::<Widened<Max<Order64>, f64>>(60)),
        (ReduceOp::Max | ReduceOp::Or, ComputeType::Bool) => Some(code::<Whole<Or<Bit>>>(20)),
        (ReduceOp::Max, _) => integers!(Max, compute),
        (ReduceOp::Min, ComputeType::F32) => Some(code::<Widened<Min<Order32>, f32>>(60)),
        (ReduceOp::Min, ComputeType::F64) => Some(code::<Widened<Min<Order64>, f64>>(60)),
        (ReduceOp::Min | ReduceOp::And, ComputeType::Bool) => Some(code::<Whole<And<Bit>>>(20)),
        (ReduceOp::Min, _) => integers!(Min, compute),
        (ReduceOp::And, _) => integers!(And, width compute),
        (ReduceOp::Or, _) => integers!(Or, width compute),
        (ReduceOp::Mean | ReduceOp::LogSumExp, _) => None,
    }
}
