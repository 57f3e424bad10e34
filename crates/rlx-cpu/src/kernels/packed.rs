//! Kernels of products with quantized blocks, for which activations are rounded to bytes.

use super::{PrepareContext, missing};
use crate::exec::{LaunchContext, OpKernel, Packed, Packer, Packing, RunError};
use rlx_compile::BackendError;
use rlx_compile::memory::Needs;
use rlx_ir::{DType, Op, QuantScheme, Shape};
use rlx_packed::{Blocks, PackedProduct, PackedWeights, Weights};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// x `[rows, depth]` · Wᵀ with W `[n, depth]` in blocks.
struct ProductOfBlocks {
    scheme: QuantScheme,
    /// Number of rows of the weights.
    n: usize,
    product: PackedProduct,
}

/// Returns whether the product is computed from the bytes that x is rounded to.
pub(crate) fn claims(op: &Op, operands: &[Shape]) -> bool {
    let (Op::DequantMatMul { round_x: true, .. }, [x, _]) = (op, operands) else { return false };
    x.dtype() == DType::F32
}

/// Prepares the kernel of a product with quantized blocks.
pub(crate) fn prepare(cx: &PrepareContext<'_>) -> Result<Box<dyn OpKernel>, BackendError> {
    let &Op::DequantMatMul { scheme, .. } = cx.node.op() else { return missing(cx) };
    let (x, w) = (cx.dims(0), cx.dims(1));
    let (Some((&depth, lead)), &[n, _]) = (x.split_last(), &w[..]) else { return missing(cx) };
    let product = PackedProduct::new(cx.cpu, lead.iter().product(), depth, cx.threads).for_blocks(scheme);
    Ok(Box::new(ProductOfBlocks { scheme, n, product }))
}

impl OpKernel for ProductOfBlocks {
    fn needs(&self) -> Needs {
        Needs { scratch_bytes: self.product.scratch_bytes(), in_place: Vec::new() }
    }

    fn packings(&self) -> Vec<Packing> {
        let mut hasher = DefaultHasher::new();
        ("panels", self.scheme, self.n).hash(&mut hasher);
        vec![Packing { operands: vec![1], key: hasher.finish(), replaces: true }]
    }

    fn pack(&self, _index: usize, operands: &[&[u8]], packer: &Packer<'_>) -> Option<Packed> {
        Some(Arc::new(PackedWeights::pack(
            self.product.cpu(),
            self.scheme,
            operands.first()?,
            self.n,
            packer.pool,
            |bytes| packer.pages.zeroed(bytes),
        )?))
    }

    fn can_wait(&self, _index: usize) -> bool {
        true
    }

    fn run(&self, cx: &mut LaunchContext<'_>) -> Result<(), RunError> {
        if self.n == 0 {
            return Ok(());
        }
        let (mut cx, scratch) = cx.split_scratch::<u8>();
        let (pool, x) = (cx.pool, cx.input_ptr(0).cast::<f32>());
        // SAFETY: operand 0 has f32 of this shape and does not overlap the result, because `needs` names no operand.
        let x = unsafe { std::slice::from_raw_parts(x, cx.input::<f32>(0).len()) };
        let weights = match cx.packed::<PackedWeights>(0) {
            Some(weights) => Weights::Packed(weights),
            None => {
                // SAFETY: operand 1 has that many bytes and does not overlap the result, because `needs` names no operand.
                let bytes = unsafe { std::slice::from_raw_parts(cx.input_ptr(1), cx.input::<u8>(1).len()) };
                Blocks::new(self.scheme, bytes, self.n).ok_or("weights must be whole rows of blocks")?.into()
            }
        };
        let ran = self.product.run(pool, x, weights, cx.output::<f32>(0), scratch);
        ran.map_err(|e| e.to_string())
    }
}
