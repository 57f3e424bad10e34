//! Kernels that decode quantized blocks.

use super::{PrepareContext, Way, missing, num_bytes, packed, packed_groups};
use crate::exec::{LaunchContext, OpKernel, RunError};
use crate::kernels::elementwise::{BYTE_PICOSECONDS, threads};
use rlx_compile::BackendError;
use rlx_ir::{Op, OpKind, QuantScheme};
use std::ops::Range;

struct Decode {
    scheme: QuantScheme,
    blocks: usize,
}

/// Returns how an op of the family is handled.
pub(super) const fn way(kind: OpKind) -> Option<Way> {
    use OpKind::*;
    Some(match kind {
        DequantizeBlocks => Way::Kernel(prepare),
        DequantMatMul => Way::Claiming(packed::prepare, packed::claims),
        DequantGroupedMatMul => Way::Claiming(packed_groups::prepare, packed_groups::claims),
        _ => return None,
    })
}

/// Prepares the kernel that unpacks blocks.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let &Op::DequantizeBlocks { scheme } = cx.node.op() else { return missing(cx) };
    let blocks = num_bytes(cx.operand(0)) / scheme.block_bytes();
    Ok(Box::new(Decode { scheme, blocks }))
}

impl OpKernel for Decode {
    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        let (from, to) = (self.scheme.block_bytes(), self.scheme.block_len());
        let picoseconds = (from + to * size_of::<f32>()) as u64 * BYTE_PICOSECONDS + 10_000;
        let nanoseconds = (self.blocks as u64).saturating_mul(picoseconds) / 1_000;
        let body = |cx: &LaunchContext<'_>, range: Range<usize>, _: *mut u8| {
            let bytes = &cx.input::<u8>(0)[range.start * from..range.end * from];
            // SAFETY: the blocks of the range have these values, and no other range writes them.
            let values = unsafe {
                let first = cx.output_ptr(0).cast::<f32>().add(range.start * to);
                std::slice::from_raw_parts_mut(first, range.len() * to)
            };
            let pairs = bytes.chunks_exact(from).zip(values.chunks_exact_mut(to));
            pairs.for_each(|(bytes, values)| decode(self.scheme, bytes, values));
        };
        // SAFETY: each value belongs to one range, which alone writes it.
        unsafe { threads::for_ranges(cx, 0, nanoseconds, self.blocks, 16, body) };
        Ok(())
    }
}

/// Decodes a block. The most common formats use loops that the compiler vectorizes; their blocks begin with the scale, which is an f16.
fn decode(scheme: QuantScheme, block: &[u8], values: &mut [f32]) {
    let Some((&scale, quants)) = block.split_first_chunk::<2>() else { return };
    let scale = half::f16::from_le_bytes(scale).to_f32();
    match scheme {
        QuantScheme::Q8_0 => {
            for (value, &quant) in values.iter_mut().zip(quants) {
                *value = scale * f32::from(quant.cast_signed());
            }
        }
        QuantScheme::Q4_0 => {
            // A byte contains one number of the first half of the block and one of the second.
            let (first, second) = values.split_at_mut(quants.len().min(values.len()));
            for ((low, high), &pair) in first.iter_mut().zip(second).zip(quants) {
                *low = scale * f32::from((pair & 15).cast_signed() - 8);
                *high = scale * f32::from((pair >> 4).cast_signed() - 8);
            }
        }
        _ => scheme.decode_block(block, values),
    }
}
