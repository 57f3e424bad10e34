//! Matrices of a model together with the updates that adapters add to them.

use super::part::Matrix;
use rlx_flow::blocks::contract_last;
use rlx_ir::{Op, Tensor};

/// Returns the names of the matrices A and B whose product B·A is added to the parameter `name`.
pub(crate) fn low_rank_names(name: &str) -> [String; 2] {
    ["lora_a", "lora_b"].map(|matrix| format!("{}.{matrix}", name.strip_suffix(".weight").unwrap_or(name)))
}

/// A matrix `[outputs, inputs]` and an optional update B·A. Products use both.
pub(super) struct AdaptedMatrix {
    pub(super) base: Matrix,
    pub(super) low_rank: Option<LowRank>,
}

/// A `[rank, inputs]` and B `[outputs, rank]`, or stacks of them, in f32.
pub(super) struct LowRank {
    pub(super) a: Tensor,
    pub(super) b: Tensor,
}

impl AdaptedMatrix {
    /// Computes x · (W + B·A)ᵀ.
    pub(super) fn project(&self, x: &Tensor) -> Tensor {
        let add = |LowRank { a, b }: &LowRank| contract_last(&contract_last(x, a), b);
        self.added(self.base.project(x), add)
    }

    /// For a stack: multiplies each run of rows of x `[rows, inputs]` by its own matrix; `sizes` has the lengths of
    /// the runs.
    pub(super) fn project_runs(&self, x: &Tensor, sizes: &Tensor) -> Tensor {
        let through = |x: &Tensor, matrices: &Tensor| {
            x.apply(Op::RaggedDot { dtype: None }, &[&matrices.transpose_last(), sizes])
        };
        self.added(self.base.project_runs(x, sizes), |LowRank { a, b }| through(&through(x, a), b))
    }

    /// Returns the rows selected by `ids`.
    pub(super) fn rows(&self, ids: &Tensor) -> Tensor {
        let add = |LowRank { a, b }: &LowRank| contract_last(&b.embedding(ids), &a.transpose_last());
        self.added(self.base.rows(ids), add)
    }

    fn added(&self, base: Tensor, add: impl FnOnce(&LowRank) -> Tensor) -> Tensor {
        match &self.low_rank {
            Some(low_rank) => base + add(low_rank),
            None => base,
        }
    }
}
