//! The results of an op as an array, for methods that know how many there are.

use crate::op::Op;
use crate::tensor::Tensor;

impl Tensor {
    /// Adds an op whose first operand is this tensor, and returns its `N` results. After an error, all are void.
    #[track_caller]
    pub(crate) fn apply_array<const N: usize>(&self, op: Op, others: &[&Tensor]) -> [Tensor; N] {
        let results = self.apply_many(op, others);
        // After an error there is one void tensor.
        std::array::from_fn(|i| results.get(i).unwrap_or(&results[0]).clone())
    }
}
