//! The errors of planning and running matrix products.

use thiserror::Error;

use rlx_simd::isa::Isa;

/// Why a matrix product cannot be planned or run. `A` is m×k, `B` is k×n, `C` is m×n.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GemmError {
    /// A size or an offset does not fit the address space.
    #[error("matrix product: the extent of {operand} at m={m} n={n} k={k} overflows the address space")]
    Overflow {
        /// Which operand.
        operand: &'static str,
        /// Rows of C.
        m: usize,
        /// Columns of C.
        n: usize,
        /// Columns of A.
        k: usize,
    },
    /// A slice ends before the last element that the shape reaches.
    #[error("matrix product: {operand} has {got} elements, but its shape and steps need {needed}")]
    TooShort {
        /// Which operand.
        operand: &'static str,
        /// Elements needed.
        needed: usize,
        /// Elements given.
        got: usize,
    },
    /// Two elements of C have the same address.
    #[error(
        "matrix product: rows or batches of C overlap; make each step at least the extent of what it steps over"
    )]
    OverlappingOutput,
    /// The packed matrix does not match what the product was planned for.
    #[error(
        "matrix product: B was packed as {got_k}×{got_n} for {got_isa}, but the product needs {k}×{n} for {isa}; pack it again"
    )]
    PackedMismatch {
        /// Rows needed.
        k: usize,
        /// Columns needed.
        n: usize,
        /// Instruction set of the product.
        isa: Isa,
        /// Rows packed.
        got_k: usize,
        /// Columns packed.
        got_n: usize,
        /// Instruction set that B was packed for.
        got_isa: Isa,
    },
    /// B was planned as strided and given as packed, or vice versa.
    #[error(
        "matrix product: B was planned as {planned} but given as {given}; plan and run with the same form"
    )]
    WrongForm {
        /// The form that the product was planned for.
        planned: &'static str,
        /// The form that the run was given.
        given: &'static str,
    },
    /// A packed B is not the same for all batches.
    #[error("matrix product: a packed B must be the same for all batches; set its batch steps to 0")]
    BatchedPacked,
    /// There is not enough memory for the packed matrix.
    #[error("matrix product: not enough memory to pack B of {k}×{n}")]
    OutOfMemory {
        /// Rows of B.
        k: usize,
        /// Columns of B.
        n: usize,
    },
    /// The scratch memory is too small.
    #[error("matrix product: scratch memory has {got} bytes, but {needed} are needed")]
    ScratchTooSmall {
        /// Bytes needed.
        needed: usize,
        /// Bytes given.
        got: usize,
    },
    /// The pool has more threads than the product was planned for.
    #[error("matrix product: planned for {planned} threads but run on {got}; plan for all of them")]
    TooManyThreads {
        /// Number of threads planned for.
        planned: usize,
        /// Number of threads of the pool.
        got: usize,
    },
}
