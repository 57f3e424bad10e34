//! Kernels of grouped products with quantized blocks (mixtures of experts): runs of rows, each with its own matrix.

use super::runs::Runs;
use super::{PrepareContext, missing};
use crate::exec::{LaunchContext, OpKernel, Packed, Packer, Packing, RunError};
use crate::isa::Cpu;
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::{DType, Op, QuantScheme, Shape};
use rlx_packed::{Blocks, PackedProduct, PackedWeights, Weights};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Runs of x `[m, depth]`, each multiplied by Wᵀ of its own W `[n, depth]` in blocks.
struct GroupedProduct {
    scheme: QuantScheme,
    runs: Runs,
    depth: usize,
    n: usize,
    cpu: Cpu,
    threads: usize,
}

/// Returns whether the products are computed from the bytes that x is rounded to.
pub(crate) fn claims(op: &Op, operands: &[Shape]) -> bool {
    let (Op::DequantGroupedMatMul { round_x: true, .. }, [x, ..]) = (op, operands) else { return false };
    x.dtype() == DType::F32
}

/// Prepares the kernel of products of runs with quantized blocks.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let &Op::DequantGroupedMatMul { scheme, .. } = cx.node.op() else { return missing(cx) };
    let (&[rows, depth], &[count, n, _]) = (&cx.dims(0)[..], &cx.dims(1)[..]) else { return missing(cx) };
    let runs = Runs { operand: 2, dtype: cx.operand(2).dtype(), count, rows };
    Ok(Box::new(GroupedProduct { scheme, runs, depth, n, cpu: cx.cpu, threads: cx.threads }))
}

impl GroupedProduct {
    fn product(&self, rows: usize) -> PackedProduct {
        PackedProduct::new(self.cpu, rows, self.depth, self.threads).for_blocks(self.scheme)
    }

    /// Returns the bytes of a matrix.
    fn matrix<'b>(&self, bytes: &'b [u8], run: usize) -> &'b [u8] {
        let each = bytes.len().checked_div(self.runs.count).unwrap_or(0);
        &bytes[run * each..][..each]
    }
}

impl OpKernel for GroupedProduct {
    fn needs(&self) -> Needs {
        // If runs overlap, rows are computed one at a time, and the sums of a row follow its scratch memory.
        let one = self.product(1).scratch_bytes().saturating_add(self.n.saturating_mul(size_of::<f32>()));
        let most = self.product(self.runs.rows).scratch_bytes();
        Needs { scratch_bytes: most.max(one), in_place: Vec::new() }
    }

    fn packings(&self) -> Vec<Packing> {
        let mut hasher = DefaultHasher::new();
        ("panels of each", self.scheme, self.n, self.runs.count).hash(&mut hasher);
        vec![Packing { operands: vec![1], key: hasher.finish(), replaces: true }]
    }

    fn pack(&self, _index: usize, operands: &[&[u8]], packer: &Packer<'_>) -> Option<Packed> {
        let bytes = operands.first()?;
        // Packs each matrix separately.
        let packed = |run: usize| {
            let matrix = self.matrix(bytes, run);
            PackedWeights::pack(self.cpu, self.scheme, matrix, self.n, packer.pool, |b| {
                packer.pages.zeroed(b)
            })
        };
        let all: Option<Vec<PackedWeights>> = (0..self.runs.count).map(packed).collect();
        Some(Arc::new(all?))
    }

    fn can_wait(&self, _index: usize) -> bool {
        true
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        if self.n == 0 {
            return Ok(());
        }
        let (cx, scratch) = cx.split_scratch::<u8>();
        let (pool, depth, n) = (cx.pool, self.depth, self.n);
        let packed = cx.packed::<Vec<PackedWeights>>(0);
        // SAFETY: operand 1 has that many bytes and does not overlap the result, because `needs` names no operand.
        let bytes = unsafe { std::slice::from_raw_parts(cx.input_ptr(1), cx.input::<u8>(1).len()) };
        let weights = |run: usize| match packed {
            Some(packed) => packed.get(run).map(Weights::Packed),
            None => Blocks::new(self.scheme, self.matrix(bytes, run), self.n).map(Weights::Blocks),
        };
        let (x, out) = (cx.input_ptr(0).cast::<f32>(), cx.output_ptr(0).cast::<f32>());
        // SAFETY: operand 0 and the result have f32 of these shapes and do not overlap, because `needs` names no operand. Nothing else here
        // borrows the result.
        let (x, out) = unsafe {
            let x = std::slice::from_raw_parts(x, self.runs.rows * depth);
            (x, std::slice::from_raw_parts_mut(out, self.runs.rows * n))
        };
        out.fill(0.0);
        let overlap = self.runs.overlap(&cx);
        for (run, rows) in self.runs.of(&cx) {
            if rows.is_empty() {
                continue;
            }
            let weights = weights(run).ok_or("weights must be whole rows of blocks")?;
            let x = &x[rows.start * depth..rows.end * depth];
            if !overlap {
                let out = &mut out[rows.start * n..rows.end * n];
                self.product(rows.len()).run(pool, x, weights, out, scratch).map_err(|e| e.to_string())?;
                continue;
            }
            let (sums, scratch) = scratch.split_at_mut(n * size_of::<f32>());
            let sums: &mut [f32] = bytemuck::try_cast_slice_mut(sums).map_err(|e| e.to_string())?;
            for (row, x) in rows.zip(x.chunks_exact(depth.max(1))) {
                self.product(1).run(pool, x, weights, sums, scratch).map_err(|e| e.to_string())?;
                out[row * n..][..n].iter_mut().zip(&*sums).for_each(|(out, sum)| *out += sum);
            }
        }
        Ok(())
    }
}
