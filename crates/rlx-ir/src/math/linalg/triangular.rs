//! Triangular systems by substitution (Golub & Van Loan, section 3.1), with StableHLO's options.

use super::Field;

/// The form in which the matrix enters the equation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Transpose {
    /// The matrix itself.
    No,
    /// Its transpose.
    Transpose,
    /// Its conjugate transpose.
    Adjoint,
}

/// The attributes of StableHLO's `triangular_solve`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TriangularSolve {
    /// Solve `op(A) X = B` if true, `X op(A) = B` otherwise.
    pub left_side: bool,
    /// Read the lower triangle of `A` if true, the upper one otherwise. The other triangle is ignored.
    pub lower: bool,
    /// Treat the diagonal of `A` as ones without reading it.
    pub unit_diagonal: bool,
    /// The form of `A` in the equation.
    pub transpose: Transpose,
}

/// Solves for `X` in place of `b`, an `m × n` matrix. `a` is square, of extent `m` if on the left side and `n` if on the right.
///
/// A zero on the diagonal gives the infinities and NaN of a division by zero.
pub fn triangular_solve<T: Field>(a: &[T], b: &mut [T], m: usize, n: usize, options: TriangularSolve) {
    let order = if options.left_side { m } else { n };
    // op(A)[i][j], reading only the given triangle.
    let entry = |i: usize, j: usize| match options.transpose {
        Transpose::No => a[i * order + j],
        Transpose::Transpose => a[j * order + i],
        Transpose::Adjoint => a[j * order + i].conj(),
    };
    let op_lower = options.lower == (options.transpose == Transpose::No);
    // X op(A) = B is op(A)ᵀ Xᵀ = Bᵀ: the unknowns run along the columns of B, and the coefficients are read transposed.
    let (systems, unknown_stride, system_stride) = if options.left_side { (n, n, 1) } else { (m, 1, n) };
    let coefficient = |i: usize, j: usize| if options.left_side { entry(i, j) } else { entry(j, i) };
    let forward = op_lower == options.left_side;
    for system in 0..systems {
        for step in 0..order {
            let i = if forward { step } else { order - 1 - step };
            let known = if forward { 0..i } else { i + 1..order };
            let mut value = b[system * system_stride + i * unknown_stride];
            for j in known {
                value -= coefficient(i, j) * b[system * system_stride + j * unknown_stride];
            }
            if !options.unit_diagonal {
                value = value / coefficient(i, i);
            }
            b[system * system_stride + i * unknown_stride] = value;
        }
    }
}
