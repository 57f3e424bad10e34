//! Why a matrix product cannot be planned or run.

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
    #[error("matrix product: {operand} has {got} elements, its shape and steps reach {needed}")]
    TooShort {
        /// Which operand.
        operand: &'static str,
        /// Elements needed.
        needed: usize,
        /// Elements given.
        got: usize,
    },
    /// Two elements of C share a place.
    #[error(
        "matrix product: rows or batches of C overlap; make each step at least the extent of what it steps over"
    )]
    OverlappingOutput,
    /// The packed matrix is not the one that the product was planned for.
    #[error(
        "matrix product: B was packed as {got_k}×{got_n} for {got_isa}, the product needs {k}×{n} for {isa}; pack it again"
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
        /// Instruction set packed for.
        got_isa: Isa,
    },
    /// B was planned as strided and given packed, or the other way round.
    #[error(
        "matrix product: B was planned as {planned} and given as {given}; plan and run with the same form"
    )]
    WrongForm {
        /// The form planned.
        planned: &'static str,
        /// The form given.
        given: &'static str,
    },
    /// A packed B differs from batch to batch.
    #[error("matrix product: a packed B is one matrix for all batches; make its batch steps 0")]
    BatchedPacked,
    /// The packed matrix does not fit into memory.
    #[error("matrix product: no memory to pack B of {k}×{n}")]
    OutOfMemory {
        /// Rows of B.
        k: usize,
        /// Columns of B.
        n: usize,
    },
    /// The scratch memory is too small.
    #[error("matrix product: {got} bytes of scratch memory, {needed} are needed")]
    ScratchTooSmall {
        /// Bytes needed.
        needed: usize,
        /// Bytes given.
        got: usize,
    },
    /// The pool has more threads than the product was planned for.
    #[error("matrix product: planned for {planned} threads, run on {got}; plan for as many")]
    TooManyThreads {
        /// Threads planned for.
        planned: usize,
        /// Threads of the pool.
        got: usize,
    },
}
