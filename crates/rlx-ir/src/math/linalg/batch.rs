//! Factorizes or solves one matrix of a batch in memory that the caller provides, for the evaluator and for backends that work in
//! f64. Nothing here allocates.

use super::cholesky::cholesky_into;
use super::eig::{eig_into, eig_work};
use super::eigh::{eigh_into, eigh_work};
use super::lu::lu_in_place;
use super::pivoted_qr::geqp3_in_place;
use super::qr::{geqrf_in_place, householder_product_into, qr_into, qr_work};
use super::svd::{svd_into, svd_work};
use super::tridiagonal::tridiagonal_solve;
use super::{Complex64, Spectral, TriangularSolve, adjoint_into, triangular_solve};

/// An operation on a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Factorization {
    /// A = L Lᴴ from the lower triangle, or Uᴴ U from the upper one.
    Cholesky {
        /// Whether A is given by its lower triangle.
        lower: bool,
    },
    /// op(A) X = B or X op(A) = B. The sizes of the task are those of B.
    TriangularSolve(TriangularSolve),
    /// A X = B with tridiagonal A. The sizes of the task are those of B.
    TridiagonalSolve,
    /// P A = L U.
    Lu,
    /// A = Q R.
    Qr {
        /// Whether Q is square.
        full_matrices: bool,
    },
    /// A = Q R, packed as reflectors.
    Geqrf,
    /// A P = Q R, packed as reflectors.
    Geqp3,
    /// The first columns of a product of reflectors.
    HouseholderProduct {
        /// Number of reflectors.
        reflectors: usize,
    },
    /// A V = V diag(λ).
    Eigh {
        /// Whether the lower triangle is read.
        lower: bool,
    },
    /// A V = V diag(λ) and Uᴴ A = diag(λ) Uᴴ of any square matrix.
    Eig {
        /// Whether U is wanted.
        left: bool,
        /// Whether V is wanted.
        right: bool,
    },
    /// A = U diag(s) Vᴴ.
    Svd {
        /// Whether U and V are square.
        full_matrices: bool,
    },
}

/// Number of elements of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lengths {
    /// Elements of the field that the matrices are over.
    pub field: usize,
    /// Elements that are complex whatever the field is.
    pub complex: usize,
    /// Real numbers.
    pub real: usize,
    /// Indices.
    pub index: usize,
}

/// A factorization of `m × n` matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// What is done.
    pub factorization: Factorization,
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
}

/// The operands and results of one matrix. Slices have the lengths that the task gives; those that the task does not use are
/// empty.
pub struct Buffers<'a, T> {
    /// A, followed by B of a triangular system, the factors of reflectors, or the flags of the leading columns; or the lower,
    /// main and upper diagonals of a tridiagonal system, followed by B.
    pub operands: [&'a [T]; 4],
    /// L; X; L and U in one matrix; Q and R; the packed form and its factors; V; or U and Vᴴ.
    pub field: [&'a mut [T]; 2],
    /// λ, U and V of `Eig`.
    pub complex: [&'a mut [Complex64]; 3],
    /// λ of `Eigh`, or s.
    pub real: &'a mut [f64],
    /// Pivots and permutation.
    pub index: [&'a mut [usize]; 2],
    /// Working memory.
    pub work: WorkMemory<'a, T>,
}

/// Working memory of each kind.
pub struct WorkMemory<'a, T> {
    /// Elements of the field.
    pub field: &'a mut [T],
    /// Complex numbers.
    pub complex: &'a mut [Complex64],
    /// Real numbers.
    pub real: &'a mut [f64],
    /// Indices.
    pub index: &'a mut [usize],
}

impl Factorization {
    /// The index of the operand whose sizes are those of the task.
    pub fn sized(&self) -> usize {
        match self {
            Factorization::TriangularSolve(_) => 1,
            Factorization::TridiagonalSolve => 3,
            _ => 0,
        }
    }
}

impl Task {
    /// Number of elements of each operand.
    pub fn operands(&self) -> [usize; 4] {
        let whole = self.m * self.n;
        match self.factorization {
            Factorization::TriangularSolve(options) => {
                let order = if options.left_side { self.m } else { self.n };
                [order * order, whole, 0, 0]
            }
            Factorization::TridiagonalSolve => [self.m, self.m, self.m, whole],
            Factorization::HouseholderProduct { reflectors } => [whole, reflectors, 0, 0],
            Factorization::Geqp3 => [whole, self.n, 0, 0],
            _ => [whole, 0, 0, 0],
        }
    }

    /// Number of elements of each result over the field.
    pub fn field(&self) -> [usize; 2] {
        let (m, n, least) = (self.m, self.n, self.m.min(self.n));
        match self.factorization {
            Factorization::Qr { full_matrices } => {
                let inner = if full_matrices { m } else { least };
                [m * inner, inner * n]
            }
            Factorization::Geqrf | Factorization::Geqp3 => [m * n, least],
            Factorization::Eig { .. } => [0, 0],
            Factorization::Svd { full_matrices: true } => [m * m, n * n],
            Factorization::Svd { full_matrices: false } => [m * least, least * n],
            _ => [m * n, 0],
        }
    }

    /// Number of elements of each result that is complex whatever the field is.
    pub fn complex(&self) -> [usize; 3] {
        let vectors = |wanted: bool| if wanted { self.n * self.n } else { 0 };
        match self.factorization {
            Factorization::Eig { left, right } => [self.n, vectors(left), vectors(right)],
            _ => [0, 0, 0],
        }
    }

    /// Number of elements of the real result.
    pub fn real(&self) -> usize {
        match self.factorization {
            Factorization::Eigh { .. } | Factorization::Svd { .. } => self.m.min(self.n),
            _ => 0,
        }
    }

    /// Number of elements of each list of indices.
    pub fn index(&self) -> [usize; 2] {
        match self.factorization {
            Factorization::Lu => [self.m.min(self.n), self.m],
            Factorization::Geqp3 => [0, self.n],
            _ => [0, 0],
        }
    }

    /// The working memory that [`run`](Self::run) needs.
    pub fn work(&self) -> Lengths {
        let (m, n, least) = (self.m, self.n, self.m.min(self.n));
        match self.factorization {
            Factorization::Cholesky { lower: false } => Lengths { field: 2 * n * n, ..Lengths::default() },
            Factorization::Cholesky { lower: true }
            | Factorization::TriangularSolve(_)
            | Factorization::Lu => Lengths::default(),
            Factorization::Qr { full_matrices } => {
                Lengths { field: qr_work(m, n, if full_matrices { m } else { least }), ..Lengths::default() }
            }
            Factorization::Geqrf | Factorization::Geqp3 | Factorization::HouseholderProduct { .. } => {
                Lengths { field: m + n, ..Lengths::default() }
            }
            Factorization::TridiagonalSolve => Lengths { field: 3 * m, ..Lengths::default() },
            Factorization::Eigh { .. } => {
                Lengths { field: eigh_work(n), real: 2 * n, index: n, ..Lengths::default() }
            }
            Factorization::Eig { .. } => {
                let (field, complex) = eig_work(n);
                Lengths { field, complex, ..Lengths::default() }
            }
            Factorization::Svd { full_matrices } => {
                let field = svd_work(m, n, full_matrices);
                Lengths { field, real: least, index: least, ..Lengths::default() }
            }
        }
    }

    /// Approximate number of multiplications.
    pub fn flops(&self) -> u64 {
        let (m, n, least) = (self.m as u64, self.n as u64, self.m.min(self.n) as u64);
        let steps = if self.factorization == Factorization::TridiagonalSolve { 1 } else { least };
        let whole = m.saturating_mul(n).saturating_mul(steps);
        whole.saturating_mul(match self.factorization {
            Factorization::Cholesky { .. } | Factorization::TriangularSolve(_) | Factorization::Lu => 1,
            Factorization::Geqrf | Factorization::HouseholderProduct { .. } => 2,
            Factorization::Qr { .. } | Factorization::Geqp3 => 3,
            Factorization::TridiagonalSolve => 5,
            Factorization::Eig { .. } => 25,
            Factorization::Eigh { .. } => 10,
            Factorization::Svd { .. } => 40,
        })
    }

    /// Computes the results of one matrix.
    pub fn run<T: Spectral>(&self, buffers: Buffers<'_, T>) {
        let (m, n) = (self.m, self.n);
        let Buffers { operands: [a, b, upper, right], field: [first, second], complex, real, index, work } =
            buffers;
        let [pivots, permutation] = index;
        match self.factorization {
            Factorization::Cholesky { lower: true } => cholesky_into(a, n, first),
            Factorization::Cholesky { lower: false } => {
                let (transposed, l) = work.field.split_at_mut(n * n);
                adjoint_into(a, n, n, transposed);
                cholesky_into(transposed, n, l);
                adjoint_into(l, n, n, first);
            }
            Factorization::TriangularSolve(options) => {
                first.copy_from_slice(b);
                triangular_solve(a, first, m, n, options);
            }
            Factorization::TridiagonalSolve => {
                first.copy_from_slice(right);
                tridiagonal_solve([a, b, upper], first, m, n, work.field);
            }
            Factorization::Lu => {
                first.copy_from_slice(a);
                lu_in_place(first, pivots, permutation, m, n);
            }
            Factorization::Qr { full_matrices } => {
                let inner = if full_matrices { m } else { m.min(n) };
                qr_into(a, [m, n, inner], first, second, work.field);
            }
            Factorization::Geqrf => {
                first.copy_from_slice(a);
                geqrf_in_place(first, second, m, n, work.field);
            }
            Factorization::Geqp3 => {
                first.copy_from_slice(a);
                geqp3_in_place(first, b, (second, permutation), [m, n], work.field);
            }
            Factorization::HouseholderProduct { .. } => {
                householder_product_into(a, b, [m, n, n], first, work.field);
            }
            Factorization::Eigh { lower } => {
                eigh_into(a, n, lower, real, first, (work.field, work.real, work.index));
            }
            Factorization::Eig { .. } => eig_into(a, n, complex, (work.field, work.complex)),
            Factorization::Svd { full_matrices } => {
                let work = (work.field, work.real, work.index);
                svd_into(a, [m, n], full_matrices, (first, real, second), work);
            }
        }
    }
}
