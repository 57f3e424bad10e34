//! Contractions of f32 and f64 by the blocked product, with its epilogue; a right-hand side that does not change is packed
//! once.

use super::epilogue::Chain;
use super::layout::{MatrixOperand, Product, copy_permuted};
use crate::exec::{Cx, OpKernel, Packed, RunError};
use crate::gemm::{BatchDim, Element, Epilogue, Gemm, GemmShape, LhsAt, PackedB, RhsAt, RhsForm, Steps};
use crate::isa::Cpu;
use bytemuck::Pod;
use rlx_compile::BackendError;
use rlx_compile::memory::{ALIGNMENT, Needs};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// A planned contraction.
pub(crate) struct Blocked<E: Element> {
    product: Product,
    lhs_elements: usize,
    rhs_elements: usize,
    strided: Gemm<E>,
    /// For a right-hand side that was packed.
    packed: Option<Gemm<E>>,
    chain: Chain,
    cpu: Cpu,
}

fn steps(operand: &MatrixOperand) -> Steps {
    let strides = operand.strides();
    Steps { row: strides.row, col: strides.column }
}

fn shape(p: &Product, b: RhsForm) -> GemmShape {
    let batch = BatchDim {
        size: p.batch,
        a: p.lhs.strides().batch,
        b: p.rhs.strides().batch,
        c: p.m * p.n,
        residual: p.m * p.n,
    };
    GemmShape {
        m: p.m,
        n: p.n,
        k: p.k,
        a: steps(&p.lhs),
        b,
        c_row: p.n,
        batch: if p.batch == 1 { Vec::new() } else { vec![batch] },
    }
}

impl<E: Element + Pod> Blocked<E> {
    /// Plans a product; `constant` says whether the right-hand side keeps its value between runs.
    pub(crate) fn new(
        product: Product,
        elements: [usize; 2],
        chain: Chain,
        constant: bool,
        cpu: Cpu,
        threads: usize,
    ) -> Result<Self, BackendError> {
        let plan = |form| {
            Gemm::new(cpu, shape(&product, form), threads)
                .map_err(|e| BackendError::Unsupported(e.to_string()))
        };
        let strided = plan(RhsForm::Strided(steps(&product.rhs)))?;
        let packs = constant && product.batch == 1 && !product.rhs.is_permuted();
        let packed = if packs { Some(plan(RhsForm::Packed)?) } else { None };
        let [lhs_elements, rhs_elements] = elements;
        Ok(Blocked { product, lhs_elements, rhs_elements, strided, packed, chain, cpu })
    }

    /// Scratch bytes for the copies of permuted operands, each at a cache line's alignment.
    fn copies(&self) -> [usize; 2] {
        let bytes = |operand: &MatrixOperand, n: usize| {
            if operand.is_permuted() { (n * size_of::<E>()).next_multiple_of(ALIGNMENT) } else { 0 }
        };
        [bytes(&self.product.lhs, self.lhs_elements), bytes(&self.product.rhs, self.rhs_elements)]
    }
}

/// The operand's first element, after a copy to `scratch` if it is permuted.
fn arranged<E: Pod>(operand: &MatrixOperand, source: &[E], scratch: &mut [u8]) -> *const E {
    match operand {
        MatrixOperand::Strided(_) => source.as_ptr(),
        MatrixOperand::Permuted { sizes, strides, .. } => {
            let copy = &mut bytemuck::cast_slice_mut::<u8, E>(&mut scratch[..size_of_val(source)])[..];
            copy_permuted(source, sizes, strides, copy);
            copy.as_ptr()
        }
    }
}

impl<E: Element + Pod> OpKernel for Blocked<E> {
    fn needs(&self) -> Needs {
        let gemm = self.packed.as_ref().map_or(0, Gemm::scratch_bytes).max(self.strided.scratch_bytes());
        let [lhs, rhs] = self.copies();
        // The residual is read element by element before the result is written over it.
        let in_place = self.chain.residual.iter().map(|r| r.0).filter(|r| !self.chain.operands.contains(r));
        Needs { scratch_bytes: lhs + rhs + gemm, in_place: in_place.collect() }
    }

    fn packs(&self) -> Option<(usize, u64)> {
        let mut hasher = DefaultHasher::new();
        let steps = steps(&self.product.rhs);
        ("matrix", size_of::<E>(), self.product.k, self.product.n, steps.row, steps.col).hash(&mut hasher);
        (self.cpu.isa().name()).hash(&mut hasher);
        self.packed.as_ref().map(|_| (self.chain.operands[1], hasher.finish()))
    }

    fn pack(&self, bytes: &[u8]) -> Option<Packed> {
        let data: &[E] = bytemuck::try_cast_slice(bytes).ok()?;
        let (k, n) = (self.product.k, self.product.n);
        let packed = PackedB::pack(self.cpu, k, n, steps(&self.product.rhs), data).ok()?;
        Some(Arc::new(packed))
    }

    fn run(&self, cx: &Cx<'_>) -> Result<(), RunError> {
        let [lhs, rhs] = self.chain.operands;
        let (lhs_bytes, rhs_bytes) = self.copies().into();
        let (lhs_copy, rest) = cx.scratch::<u8>().split_at_mut(lhs_bytes);
        let (rhs_copy, scratch) = rest.split_at_mut(rhs_bytes);
        let a = arranged(&self.product.lhs, cx.input::<E>(lhs), lhs_copy);
        let bias = self.chain.bias.map(|i| cx.input::<E>(i));
        let mut epilogue = Epilogue::none().activation(self.chain.activation);
        if let Some(bias) = bias {
            epilogue = epilogue.column_bias(bias);
        }
        if let Some((residual, join)) = self.chain.residual {
            let start = cx.input_ptr(residual).cast::<E>();
            // SAFETY: the residual has the result's shape, and either is the result's place or does not overlap it.
            epilogue = unsafe { epilogue.residual_at(join, start, self.product.n) };
        }
        let c = cx.output_ptr(0).cast::<E>();
        let packed = cx.packed.and_then(|p| p.downcast_ref::<PackedB<E>>());
        let (gemm, b) = match (&self.packed, packed) {
            (Some(gemm), Some(b)) => (gemm, RhsAt::Packed(b)),
            _ => (&self.strided, RhsAt::Strided(arranged(&self.product.rhs, cx.input::<E>(rhs), rhs_copy))),
        };
        // SAFETY: operands and result have the sizes that the product was planned for, and the result overlaps
        // neither operand nor bias: only the residual is named in `needs`.
        unsafe { gemm.run_at(cx.pool, LhsAt::Strided(a), b, c, &epilogue, scratch) }
            .map_err(|e| e.to_string())
    }
}
