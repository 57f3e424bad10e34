//! The dimension numbers of a product: which axes of its operands are paired, summed over, and kept.

use super::structure::structure;

structure! {
    /// Which axes of a product's operands correspond. The axes that are not listed are free.
    #[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
    flat DotDims {
        /// Batch axes of lhs.
        lhs_batch: Vec<usize>,
        /// Batch axes of rhs, in the same order.
        rhs_batch: Vec<usize>,
        /// Contracting axes of lhs.
        lhs_contract: Vec<usize>,
        /// Contracting axes of rhs, in the same order.
        rhs_contract: Vec<usize>,
    }
}

/// The axes of one operand of a product.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DotSide<'a> {
    /// Batch axes.
    pub batch: &'a [usize],
    /// Contracting axes.
    pub contract: &'a [usize],
}

impl DotDims {
    /// Returns the dimension numbers of sums over these axes of the operands, without batch axes.
    pub fn contracting(lhs: &[usize], rhs: &[usize]) -> DotDims {
        DotDims { lhs_contract: lhs.to_vec(), rhs_contract: rhs.to_vec(), ..DotDims::default() }
    }

    /// Returns the same with the first `count` axes of both operands as batch axes.
    pub fn batched(self, count: usize) -> DotDims {
        DotDims { lhs_batch: (0..count).collect(), rhs_batch: (0..count).collect(), ..self }
    }

    /// Returns the axes of lhs and those of rhs.
    pub fn sides(&self) -> [DotSide<'_>; 2] {
        [
            DotSide { batch: &self.lhs_batch, contract: &self.lhs_contract },
            DotSide { batch: &self.rhs_batch, contract: &self.rhs_contract },
        ]
    }

    /// Returns the free axes of operands of these ranks, which are the axes of the result after the batch axes.
    pub fn free(&self, lhs_rank: usize, rhs_rank: usize) -> [Vec<usize>; 2] {
        let [lhs, rhs] = self.sides();
        [lhs.free(lhs_rank), rhs.free(rhs_rank)]
    }
}

impl DotSide<'_> {
    /// Returns the axes of an operand of this rank that are neither batch nor contracting axes.
    pub fn free(&self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|axis| !self.batch.contains(axis) && !self.contract.contains(axis)).collect()
    }
}
