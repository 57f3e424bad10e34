//! Imports the LAPACK routines that JAX calls on CPUs, such as `lapack_sgetrf_ffi`. Older names lack `_ffi`, and their
//! first operands are sizes and options.

use super::attributes::Fields;
use super::bodies;
use super::context::{ImportContext, Outcome, Problem, Val, many};
use rlx_ir::eval::Scalar;
use rlx_ir::{DType, Dim, Literal, NodeId, Op, ReduceOp, Shape, Tensor, TransposeOp, UnaryOp};

/// The result of a routine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Routine {
    Lu,
    Svd,
    Eigh,
    Cholesky,
    Triangular,
    Tridiagonal,
    Reflectors,
    PivotedReflectors,
    ReflectorProduct,
    ProductWithReflectors,
    Eig,
}

impl Routine {
    /// Returns the number of operands that are not scalars.
    fn operands(self) -> usize {
        match self {
            Routine::Triangular | Routine::ReflectorProduct | Routine::PivotedReflectors => 2,
            Routine::ProductWithReflectors => 3,
            Routine::Tridiagonal => 4,
            Routine::Lu | Routine::Svd | Routine::Eigh | Routine::Cholesky => 1,
            Routine::Reflectors | Routine::Eig => 1,
        }
    }

    /// Returns whether only calls in the present form are read, which have their options as attributes.
    fn is_new(self) -> bool {
        use Routine::*;
        matches!(self, Triangular | Tridiagonal | PivotedReflectors | ProductWithReflectors | Eig)
    }
}

/// Returns the routine's name without the letter of its type, or `None` if the target is not a routine.
fn name(target: &str) -> Option<&str> {
    let name = target.strip_prefix("lapack_").or(target.strip_prefix("blas_"))?;
    name.strip_suffix("_ffi").unwrap_or(name).strip_prefix(['s', 'd', 'c', 'z'])
}

/// Returns why a program that calls a routine that RLX does not have is refused, or `None` for other targets.
pub(super) fn refusal(target: &str) -> Option<Problem> {
    name(target).map(|name| {
        Problem::unsupported(format!(
            "`{target}` is LAPACK's routine {name}, which RLX does not have. Of `jax.lax.linalg` it has cholesky, eig, eigh, \
             householder_product, lu, ormqr, qr, svd, triangular_solve and tridiagonal_solve: write the program with those, \
             or leave this part out of the function that is lowered"
        ))
    })
}

/// Returns the routine that a call target names, or `None` if RLX does not have it.
pub(super) fn routine(target: &str) -> Option<Routine> {
    Some(match name(target)? {
        "getrf" => Routine::Lu,
        "gesdd" | "gesvd" => Routine::Svd,
        "syevd" | "heevd" => Routine::Eigh,
        "potrf" => Routine::Cholesky,
        "trsm" => Routine::Triangular,
        "gtsv" => Routine::Tridiagonal,
        "geqrf" => Routine::Reflectors,
        "geqp3" => Routine::PivotedReflectors,
        "orgqr" | "ungqr" => Routine::ReflectorProduct,
        "ormqr" | "unmqr" => Routine::ProductWithReflectors,
        "geev" => Routine::Eig,
        _ => return None,
    })
}

/// Adds the results of a routine.
pub(super) fn call(cx: &mut ImportContext<'_, '_>, routine: Routine) -> Outcome<Vec<Val>> {
    let all = tensors(cx)?;
    // Calls with the older names pass sizes and options as leading scalars.
    let args: Vec<NodeId> = all.iter().copied().filter(|&id| cx.rank(id) > 0).collect();
    let count = routine.operands();
    if args.len() != count {
        return Err(Problem::error(format!("takes {count} matrix operand(s), got {}", args.len())));
    }
    let options = Options { config: cx.fields().fields("mhlo.backend_config")?, all };
    if routine.is_new() && options.config.is_none() {
        return Err(Problem::unsupported(
            "RLX reads this routine only under its name with `_ffi`, with its options in `mhlo.backend_config`",
        ));
    }
    let mut results = match routine {
        Routine::Lu => lu(cx, args[0])?,
        Routine::Svd => svd(cx, args[0])?,
        Routine::Eigh => {
            let lower = options.letter(cx, "uplo", 0)? == b'L';
            let found = cx.add_all(Op::Eigh { lower }, &args)?;
            let info = none(cx, args[0])?;
            vec![found[1], found[0], info]
        }
        Routine::Cholesky => cholesky(cx, args[0], &options)?,
        Routine::Triangular => vec![triangular(cx, &args, &options)?],
        Routine::Tridiagonal => tridiagonal(cx, &args)?,
        Routine::Reflectors => cx.add_all(Op::Geqrf {}, &args)?,
        Routine::PivotedReflectors => pivoted(cx, &args)?,
        Routine::ProductWithReflectors => {
            let op = Op::Ormqr { left_side: options.flag("left")?, adjoint: options.flag("transpose")? };
            vec![cx.add(op, &args)?]
        }
        Routine::Eig => eig(cx, args[0], &options)?,
        Routine::ReflectorProduct => vec![cx.add(Op::HouseholderProduct {}, &args)?],
    };
    // Routines with the older names also return status information and work space. The contents of the work space are unspecified.
    for i in results.len()..cx.op.results.len() {
        let shape = cx.fixed(i)?;
        let zero = cx.integer(0, shape.dtype())?;
        results.push(cx.spread(zero, shape.dims())?);
    }
    results.truncate(cx.op.results.len());
    many(results)
}

/// Returns the operands, without those that give the shapes of results with open sizes.
fn tensors(cx: &ImportContext<'_, '_>) -> Outcome<Vec<NodeId>> {
    let shapes = cx.fields().axes("indices_of_shape_operands")?;
    Ok(cx.tensors()?.into_iter().enumerate().filter(|(i, _)| !shapes.contains(i)).map(|(_, id)| id).collect())
}

/// The options of a call.
struct Options<'m> {
    config: Option<Fields<'m>>,
    all: Vec<NodeId>,
}

impl Options<'_> {
    /// Returns a letter of the configuration, such as `L` for the lower triangle. In an older call, 1 and 0 in the
    /// operand at `position` mean L and U.
    fn letter(&self, cx: &ImportContext<'_, '_>, name: &str, position: usize) -> Outcome<u8> {
        if let Some(value) = self.config.and_then(|c| c.int(name).transpose()) {
            return u8::try_from(value?)
                .map_err(|_| Problem::error(format!("option `{name}` is not a letter")));
        }
        let operand = self.all.get(position).filter(|&&id| cx.rank(id) == 0);
        match operand.and_then(|&id| bodies::constant(&cx.im.scope.graph, id)) {
            Some(Scalar::Int(0)) => Ok(b'U'),
            Some(Scalar::Int(1)) => Ok(b'L'),
            Some(Scalar::Int(letter)) => Ok(u8::try_from(letter).unwrap_or(0)),
            _ => Err(Problem::error(format!("option `{name}` is missing"))),
        }
    }

    /// Returns a flag of the configuration.
    fn flag(&self, name: &str) -> Outcome<bool> {
        self.config.map_or(Ok(false), |config| config.flag(name))
    }
}

/// Returns the batch dimensions of a matrix.
fn batch(cx: &ImportContext<'_, '_>, a: NodeId) -> Vec<Dim> {
    let dims = cx.shape(a).dims().to_vec();
    dims[..dims.len().saturating_sub(2)].to_vec()
}

/// Adds the status "no error" for each matrix of a batch.
fn none(cx: &mut ImportContext<'_, '_>, a: NodeId) -> Outcome<NodeId> {
    let zero = cx.integer(0, DType::I32)?;
    let dims = batch(cx, a);
    cx.spread(zero, &dims)
}

/// Returns the factors in one matrix, the row exchanges counted from 1, and the position of the first zero on the diagonal of U, or 0.
fn lu(cx: &mut ImportContext<'_, '_>, a: NodeId) -> Outcome<Vec<NodeId>> {
    let found = cx.add_all(Op::Lu {}, &[a])?;
    cx.expand(&[found[0], found[1]], |b, x| {
        let (factors, pivots) = (&x[0], &x[1]);
        let rank = factors.rank();
        let shape = Shape::from_dims(&factors.dims(), DType::I32);
        let rows: Tensor = b.iota(shape.clone(), rank - 2);
        let columns = b.iota(shape, rank - 1);
        let zero = factors.equal(&factors.scalar_like(0.0)).and(&rows.equal(&columns));
        let largest = b.int(i64::from(i32::MAX), DType::I32);
        let one = b.int(1, DType::I32);
        let places = zero.select(&(&rows + &one), &largest);
        let first = places.reduce(ReduceOp::Min, &[rank - 2, rank - 1], false);
        let info = first.equal(&largest).select(&b.int(0, DType::I32), &first);
        vec![factors.clone(), pivots + &one, info]
    })
}

/// Returns the matrix that LAPACK overwrites, the singular values, U, Vᴴ, and the status.
fn svd(cx: &mut ImportContext<'_, '_>, a: NodeId) -> Outcome<Vec<NodeId>> {
    // The option says what is computed, the declared sizes what there is room for. If neither U nor V is requested,
    // they are declared anyway, with unspecified contents.
    let mut full_matrices = true;
    for result in [2, 3] {
        let declared = cx.declared(result)?;
        full_matrices &= matches!(declared.dims.as_slice(), [.., m, n] if m == n);
    }
    let found = cx.add_all(Op::Svd { full_matrices }, &[a])?;
    let info = none(cx, a)?;
    Ok(vec![a, found[1], found[0], found[2], info])
}

/// Returns the matrix with the factor in one triangle, and whether it was not positive definite, in which case the factor is NaN.
fn cholesky(cx: &mut ImportContext<'_, '_>, a: NodeId, options: &Options<'_>) -> Outcome<Vec<NodeId>> {
    let lower = options.letter(cx, "uplo", 0)? == b'L';
    let factor = cx.add(Op::Cholesky { lower }, &[a])?;
    cx.expand(&[factor, a], |b, x| {
        let (factor, a) = (&x[0], &x[1]);
        let rank = factor.rank();
        let failed = any_nan(factor, 2);
        let places = Shape::from_dims(&factor.dims(), DType::I32);
        let [rows, columns] = [rank - 2, rank - 1].map(|axis| b.iota(places.clone(), axis));
        let factored = if lower { rows.greater_equal(&columns) } else { columns.greater_equal(&rows) };
        vec![factored.select(factor, a), failed]
    })
}

fn triangular(cx: &mut ImportContext<'_, '_>, args: &[NodeId], options: &Options<'_>) -> Outcome<NodeId> {
    let transpose = match options.letter(cx, "trans_x", 2)? {
        b'T' => TransposeOp::Transpose,
        b'C' => TransposeOp::Adjoint,
        _ => TransposeOp::None,
    };
    let op = Op::TriangularSolve {
        left_side: options.letter(cx, "side", 0)? == b'L',
        lower: options.letter(cx, "uplo", 1)? == b'L',
        unit_diagonal: options.letter(cx, "diag", 4)? == b'U',
        transpose,
    };
    cx.add(op, args)
}

/// Returns the diagonals, which LAPACK overwrites with a factorization, the solution, and whether there is none, in which case it is NaN.
fn tridiagonal(cx: &mut ImportContext<'_, '_>, args: &[NodeId]) -> Outcome<Vec<NodeId>> {
    let x = cx.add(Op::TridiagonalSolve {}, args)?;
    let info = cx.expand(&[x], |_, x| vec![any_nan(&x[0], 2)])?;
    Ok([&args[..3], &[x], &info].concat())
}

/// Returns the packed factorization, the column permutation counted from 1, and the factors.
fn pivoted(cx: &mut ImportContext<'_, '_>, args: &[NodeId]) -> Outcome<Vec<NodeId>> {
    let found = cx.add_all(Op::Geqp3 {}, args)?;
    let columns = cx.expand(&[found[2]], |b, x| vec![&x[0] + &b.int(1, DType::I32)])?;
    Ok(vec![found[0], columns[0], found[1]])
}

/// Returns the eigenvalues (for real matrices their real and imaginary parts separately), the eigenvectors, and whether
/// the iteration converged; otherwise the results are NaN. Eigenvectors that are not requested are declared anyway,
/// with unspecified contents.
fn eig(cx: &mut ImportContext<'_, '_>, a: NodeId, options: &Options<'_>) -> Outcome<Vec<NodeId>> {
    let left = options.letter(cx, "compute_left", 0)? == b'V';
    let right = options.letter(cx, "compute_right", 0)? == b'V';
    let found = cx.add_all(Op::Eig { left, right }, &[a])?;
    let values = found[0];
    let mut results = if cx.shape(a).dtype().is_complex() {
        vec![values]
    } else {
        vec![cx.unary(UnaryOp::Real, values)?, cx.unary(UnaryOp::Imag, values)?]
    };
    let mut vectors = found.into_iter().skip(1);
    for wanted in [left, right] {
        let list = if wanted { vectors.next() } else { None };
        results.push(match list {
            Some(list) => list,
            None => {
                let zero = cx.literal(Literal::scalar(0.0f64).convert(cx.shape(values).dtype()))?;
                let dims = cx.shape(a).dims().to_vec();
                cx.spread(zero, &dims)?
            }
        });
    }
    results.extend(cx.expand(&[values], |_, x| vec![any_nan(&x[0], 1)])?);
    Ok(results)
}

/// Returns 1 if an element of the last axes is NaN, and 0 otherwise.
fn any_nan(x: &Tensor, axes: usize) -> Tensor {
    let axes: Vec<usize> = (x.rank().saturating_sub(axes)..x.rank()).collect();
    x.not_equal(x).reduce(ReduceOp::Or, &axes, false).convert(DType::I32)
}
