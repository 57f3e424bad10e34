//! Kernels of slices at offsets that are operands.

use super::strided::StridedCopy;
use super::{axes, byte_strides};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::{PrepareContext, num_bytes};
use rlx_compile::memory::Needs;
use rlx_ir::{DType, Op};

/// The offset along one axis: a scalar operand, clamped so that the slice lies inside.
struct Start {
    operand: usize,
    dtype: DType,
    last: usize,
    /// Distance in bytes between neighbors along the axis.
    stride: isize,
}

impl Start {
    fn bytes(&self, cx: &LaunchContext<'_>) -> isize {
        // SAFETY: the operand is a scalar of this type.
        let at = unsafe { read_index(self.dtype, cx.input_ptr(self.operand)) };
        at.clamp(0, self.last as i64) as isize * self.stride
    }
}

/// Reads an integer of any type. Values above the range of i64 become its maximum.
///
/// # Safety
/// `at` points to an element of type `dtype`.
pub(crate) unsafe fn read_index(dtype: DType, at: *const u8) -> i64 {
    // SAFETY: the caller's promise; no alignment is assumed.
    unsafe {
        match dtype {
            DType::I8 => i64::from(at.cast::<i8>().read_unaligned()),
            DType::I16 => i64::from(at.cast::<i16>().read_unaligned()),
            DType::I32 => i64::from(at.cast::<i32>().read_unaligned()),
            DType::U8 | DType::Bool => i64::from(at.read()),
            DType::U16 => i64::from(at.cast::<u16>().read_unaligned()),
            DType::U32 => i64::from(at.cast::<u32>().read_unaligned()),
            DType::U64 => i64::try_from(at.cast::<u64>().read_unaligned()).unwrap_or(i64::MAX),
            // INVARIANT: inference accepts only integers, and the last of them is i64.
            _ => at.cast::<i64>().read_unaligned(),
        }
    }
}

struct Slice {
    copy: StridedCopy,
    starts: Vec<Start>,
}

struct Update {
    whole: StridedCopy,
    copy: StridedCopy,
    starts: Vec<Start>,
}

/// Prepares the kernel of a dynamic slice or update.
pub(super) fn prepare(cx: &PrepareContext<'_>) -> Box<dyn OpKernel> {
    let size = cx.node.shape().dtype().size();
    let outer = cx.dims(0);
    let own = byte_strides(&outer, size);
    let is_update = matches!(cx.node.op(), Op::DynamicUpdateSlice { .. });
    let inner = if is_update { cx.dims(1) } else { cx.out_dims() };
    let first = 1 + usize::from(is_update);
    let start = |axis: usize| Start {
        operand: first + axis,
        dtype: cx.operand(first + axis).dtype(),
        last: outer[axis].saturating_sub(inner[axis]),
        stride: own[axis],
    };
    let starts = (0..outer.len()).map(start).collect();
    let dense = byte_strides(&inner, size);
    if is_update {
        let whole = StridedCopy::plain(num_bytes(cx.operand(0)));
        Box::new(Update { whole, copy: StridedCopy::new(size, &axes(&inner, &dense, &own)), starts })
    } else {
        Box::new(Slice { copy: StridedCopy::new(size, &axes(&inner, &own, &dense)), starts })
    }
}

impl OpKernel for Slice {
    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let from = self.starts.iter().map(|s| s.bytes(cx)).sum();
        // SAFETY: the offsets keep the slice inside the operand.
        unsafe { self.copy.share(cx, 0, 0, from, 0) };
        Ok(())
    }
}

impl OpKernel for Update {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: 0, in_place: vec![0] }
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let to = self.starts.iter().map(|s| s.bytes(cx)).sum();
        // SAFETY: operand 0 and the result have one shape, and are the same memory or do not overlap; the offsets keep the slice inside the
        // result, which no other operand overlaps.
        unsafe {
            if cx.input_ptr(0) != cx.output_ptr(0).cast_const() {
                self.whole.share(cx, 0, 0, 0, 0);
            }
            self.copy.share(cx, 1, 0, 0, to);
        }
        Ok(())
    }
}
