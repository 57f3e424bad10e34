//! One matrix of a batch factorised or solved into memory that is given: what the evaluator and backends that work in f64
//! share. Nothing here allocates.

use super::cholesky::cholesky_into;
use super::eigh::{eigh_into, eigh_work};
use super::lu::lu_in_place;
use super::qr::{geqrf_in_place, householder_product_into, qr_into, qr_work};
use super::svd::{svd_into, svd_work};
use super::{Field, TriangularSolve, adjoint_into, triangular_solve};

/// What is done to a matrix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Factorisation {
    /// A = L Lᴴ from the lower triangle, or Uᴴ U from the upper one.
    Cholesky {
        /// Which triangle.
        lower: bool,
    },
    /// op(A) X = B or X op(A) = B; the matrix whose sizes count is B.
    TriangularSolve(TriangularSolve),
    /// P A = L U.
    Lu,
    /// A = Q R.
    Qr {
        /// Q is square.
        full_matrices: bool,
    },
    /// A = Q R, packed as reflectors.
    Geqrf,
    /// The first columns of a product of reflectors.
    HouseholderProduct {
        /// How many there are.
        reflectors: usize,
    },
    /// A V = V diag(λ).
    Eigh {
        /// Which triangle is read.
        lower: bool,
    },
    /// A = U diag(s) Vᴴ.
    Svd {
        /// U and V are square.
        full_matrices: bool,
    },
}

/// Numbers of elements of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lengths {
    /// Of the field that the matrices are over.
    pub field: usize,
    /// Real numbers.
    pub real: usize,
    /// Indices.
    pub index: usize,
}

/// A factorisation of `m × n` matrices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Task {
    /// What is done.
    pub factorisation: Factorisation,
    /// Rows.
    pub m: usize,
    /// Columns.
    pub n: usize,
}

/// Where one matrix's operands and results are. Lists have the lengths that the task tells; what the task has none of is
/// empty.
pub struct Buffers<'a, T> {
    /// A, and B of a triangular system or the factors of reflectors.
    pub operands: [&'a [T]; 2],
    /// L; X; L and U in one; Q and R; the packed form and its factors; V; U and Vᴴ.
    pub field: [&'a mut [T]; 2],
    /// λ; s.
    pub real: &'a mut [f64],
    /// Pivots and permutation.
    pub index: [&'a mut [usize]; 2],
    /// Working memory: elements, reals and indices.
    pub work: (&'a mut [T], &'a mut [f64], &'a mut [usize]),
}

impl Task {
    /// Elements of the operands.
    pub fn operands(&self) -> [usize; 2] {
        let whole = self.m * self.n;
        match self.factorisation {
            Factorisation::TriangularSolve(options) => {
                let order = if options.left_side { self.m } else { self.n };
                [order * order, whole]
            }
            Factorisation::HouseholderProduct { reflectors } => [whole, reflectors],
            _ => [whole, 0],
        }
    }

    /// Elements of the results over the field.
    pub fn field(&self) -> [usize; 2] {
        let (m, n, least) = (self.m, self.n, self.m.min(self.n));
        match self.factorisation {
            Factorisation::Qr { full_matrices } => {
                let inner = if full_matrices { m } else { least };
                [m * inner, inner * n]
            }
            Factorisation::Geqrf => [m * n, least],
            Factorisation::Svd { full_matrices: true } => [m * m, n * n],
            Factorisation::Svd { full_matrices: false } => [m * least, least * n],
            _ => [m * n, 0],
        }
    }

    /// Elements of the real result.
    pub fn real(&self) -> usize {
        match self.factorisation {
            Factorisation::Eigh { .. } | Factorisation::Svd { .. } => self.m.min(self.n),
            _ => 0,
        }
    }

    /// Elements of the lists of indices.
    pub fn index(&self) -> [usize; 2] {
        if self.factorisation == Factorisation::Lu { [self.m.min(self.n), self.m] } else { [0, 0] }
    }

    /// The working memory that [`run`](Self::run) needs.
    pub fn work(&self) -> Lengths {
        let (m, n, least) = (self.m, self.n, self.m.min(self.n));
        match self.factorisation {
            Factorisation::Cholesky { lower: false } => Lengths { field: 2 * n * n, ..Lengths::default() },
            Factorisation::Cholesky { lower: true }
            | Factorisation::TriangularSolve(_)
            | Factorisation::Lu => Lengths::default(),
            Factorisation::Qr { full_matrices } => {
                Lengths { field: qr_work(m, n, if full_matrices { m } else { least }), ..Lengths::default() }
            }
            Factorisation::Geqrf | Factorisation::HouseholderProduct { .. } => {
                Lengths { field: m + n, ..Lengths::default() }
            }
            Factorisation::Eigh { .. } => Lengths { field: eigh_work(n), real: 2 * n, index: n },
            Factorisation::Svd { full_matrices } => {
                Lengths { field: svd_work(m, n, full_matrices), real: least, index: least }
            }
        }
    }

    /// Multiplications, about.
    pub fn flops(&self) -> u64 {
        let (m, n, least) = (self.m as u64, self.n as u64, self.m.min(self.n) as u64);
        let whole = m.saturating_mul(n).saturating_mul(least);
        whole.saturating_mul(match self.factorisation {
            Factorisation::Cholesky { .. } | Factorisation::TriangularSolve(_) | Factorisation::Lu => 1,
            Factorisation::Geqrf | Factorisation::HouseholderProduct { .. } => 2,
            Factorisation::Qr { .. } => 3,
            Factorisation::Eigh { .. } => 10,
            Factorisation::Svd { .. } => 40,
        })
    }

    /// Computes the results of one matrix.
    pub fn run<T: Field>(&self, buffers: Buffers<'_, T>) {
        let (m, n) = (self.m, self.n);
        let Buffers { operands: [a, b], field: [first, second], real, index: [pivots, permutation], work } =
            buffers;
        match self.factorisation {
            Factorisation::Cholesky { lower: true } => cholesky_into(a, n, first),
            Factorisation::Cholesky { lower: false } => {
                let (transposed, l) = work.0.split_at_mut(n * n);
                adjoint_into(a, n, n, transposed);
                cholesky_into(transposed, n, l);
                adjoint_into(l, n, n, first);
            }
            Factorisation::TriangularSolve(options) => {
                first.copy_from_slice(b);
                triangular_solve(a, first, m, n, options);
            }
            Factorisation::Lu => {
                first.copy_from_slice(a);
                lu_in_place(first, pivots, permutation, m, n);
            }
            Factorisation::Qr { full_matrices } => {
                let inner = if full_matrices { m } else { m.min(n) };
                qr_into(a, [m, n, inner], first, second, work.0);
            }
            Factorisation::Geqrf => {
                first.copy_from_slice(a);
                geqrf_in_place(first, second, m, n, work.0);
            }
            Factorisation::HouseholderProduct { .. } => {
                householder_product_into(a, b, [m, n, n], first, work.0);
            }
            Factorisation::Eigh { lower } => eigh_into(a, n, lower, real, first, work),
            Factorisation::Svd { full_matrices } => {
                svd_into(a, [m, n], full_matrices, (first, real, second), work);
            }
        }
    }
}
