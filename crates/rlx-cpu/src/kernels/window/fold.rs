//! How named window reductions combine elements; running reductions use it too. Sums and products of floats stay in f64, so that results
//! are rounded once.

use crate::isa::Cpu;
use rlx_elementwise::compute_type::{C128, ComputeElement, ComputeType};
use rlx_elementwise::monoid::{And, Max, Min, Monoid, Or, Prod, Sum};
use rlx_elementwise::stored::{Line, LineFn, reader, writer};
use rlx_ir::eval::{Scalar, scalar};
use rlx_ir::{DType, ReduceOp};

/// A reduction whose elements are read as totals.
pub(crate) trait Fold: Monoid<Total: ComputeElement> + Send + Sync {
    /// The type of the numbers in a total; a complex total has two.
    const COMPUTE: ComputeType;
    const PARTS: usize = 1;
    /// Approximate time of a step.
    const PICOSECONDS: u64 = 300;

    /// Returns the total of nothing, where `x` is the total of nothing for the element type.
    fn identity(x: Scalar) -> Self::Total {
        Self::Total::from_scalar(x)
    }
}

/// How elements become totals, and totals become elements.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    read: LineFn,
    write: LineFn,
    /// Size of an element in bytes.
    pub(crate) size: usize,
}

impl Elements {
    /// Returns how elements of type `dtype` are read as totals of `F`, if those can hold them.
    pub(crate) fn new<F: Fold>(dtype: DType) -> Option<Elements> {
        let real = dtype.real();
        Some(Elements {
            read: reader(real, F::COMPUTE)?,
            write: writer(F::COMPUTE, real)?,
            size: dtype.size(),
        })
    }

    /// Reads elements that are `step` bytes apart as totals.
    ///
    /// # Safety
    /// `src` has `len` elements at this step, and `totals` has room for `len` totals.
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
            // SAFETY: the caller vouches for `len` elements at the step and for `len` totals; each part of an element corresponds to a part
            // of a total.
            unsafe { (self.read)(cpu, &line) };
        }
    }

    /// Writes totals as elements that are `step` bytes apart.
    ///
    /// # Safety
    /// `totals` has `len` totals, and `dst` has room for `len` elements at this step.
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
            // SAFETY: the caller vouches for `len` totals and for `len` elements at the step; each part of a total corresponds to a part of
            // an element.
            unsafe { (self.write)(cpu, &line) };
        }
    }
}

/// A function of the fold that a reduction and an element type determine.
pub(crate) trait Visit {
    type Output;
    /// `identity` is the total of nothing for elements of the type.
    fn visit<F: Fold>(self, identity: Scalar) -> Option<Self::Output>;
}

/// log(Σ e^x), in f64.
pub(crate) struct LogSumExp;

impl Monoid for LogSumExp {
    type Total = f64;
    const IDENTITY: f64 = f64::NEG_INFINITY;

    fn combine(a: f64, b: f64) -> f64 {
        scalar::log_add_exp(a, b)
    }
}

impl Fold for LogSumExp {
    const COMPUTE: ComputeType = ComputeType::F64;
    const PICOSECONDS: u64 = 40_000;

    /// The same for all types, because a type without infinities has NaN in its place.
    fn identity(_: Scalar) -> f64 {
        Self::IDENTITY
    }
}

macro_rules! folds {
    ($($t:ty, $compute:ident, $parts:literal: $($Fold:ident)*;)*) => {$($(
        impl Fold for $Fold<$t> {
            const COMPUTE: ComputeType = ComputeType::$compute;
            const PARTS: usize = $parts;
        }
    )*)*};
}
folds! {
    f64, F64, 1: Sum Prod Max Min;
    f32, F32, 1: Max Min;
    C128, F64, 2: Sum Prod;
    u8, U8, 1: Sum Prod Max Min And Or;
    u16, U16, 1: Sum Prod Max Min And Or;
    u32, U32, 1: Sum Prod Max Min And Or;
    u64, U64, 1: Sum Prod Max Min And Or;
    i8, U8, 1: Max Min;
    i16, U16, 1: Max Min;
    i32, U32, 1: Max Min;
    i64, U64, 1: Max Min;
}

/// Calls `visitor` with the fold of a reduction on elements of type `dtype`; returns `None` if there is none.
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
        ReduceOp::Sum if dtype.is_complex() => visitor.visit::<Sum<C128>>(identity),
        ReduceOp::Prod if dtype.is_complex() => visitor.visit::<Prod<C128>>(identity),
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
