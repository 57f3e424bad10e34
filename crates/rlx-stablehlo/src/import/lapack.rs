//! The LAPACK routines that JAX calls on CPUs, by the names of its foreign functions: `lapack_sgetrf_ffi`, and the older
//! names without `_ffi`, whose first operands are sizes and options.

use super::attributes::Fields;
use super::bodies;
use super::context::{ImportContext, Outcome, Problem, Val, many};
use rlx_ir::eval::Scalar;
use rlx_ir::{DType, Dim, NodeId, Op, ReduceOp, Shape, Tensor, TransposeOp};

/// What a routine computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Routine {
    Lu,
    Svd,
    Eigh,
    Cholesky,
    Triangular,
    Reflectors,
    ReflectorProduct,
}

/// The routine that a call target names; `None` where RLX has no such routine.
pub(super) fn routine(target: &str) -> Option<Routine> {
    let name = target.strip_prefix("lapack_").or(target.strip_prefix("blas_"))?;
    let name = name.strip_suffix("_ffi").unwrap_or(name);
    Some(match name.strip_prefix(['s', 'd', 'c', 'z'])? {
        "getrf" => Routine::Lu,
        "gesdd" | "gesvd" => Routine::Svd,
        "syevd" | "heevd" => Routine::Eigh,
        "potrf" => Routine::Cholesky,
        "trsm" => Routine::Triangular,
        "geqrf" => Routine::Reflectors,
        "orgqr" | "ungqr" => Routine::ReflectorProduct,
        _ => return None,
    })
}

/// Adds what a routine computes.
pub(super) fn call(cx: &mut ImportContext<'_, '_>, routine: Routine) -> Outcome<Vec<Val>> {
    let all = tensors(cx)?;
    // The older names take sizes and options as leading scalars.
    let args: Vec<NodeId> = all.iter().copied().filter(|&id| cx.rank(id) > 0).collect();
    let count = if matches!(routine, Routine::Triangular | Routine::ReflectorProduct) { 2 } else { 1 };
    if args.len() != count {
        return Err(Problem::error(format!("takes {count} matrix operand(s), got {}", args.len())));
    }
    let options = Options { config: cx.fields().fields("mhlo.backend_config")?, all };
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
        Routine::Reflectors => cx.add_all(Op::Geqrf {}, &args)?,
        Routine::ReflectorProduct => vec![cx.add(Op::HouseholderProduct {}, &args)?],
    };
    // The older names give information and work space too; nothing is said of what the latter hold.
    for i in results.len()..cx.op.results.len() {
        let shape = cx.fixed(i)?;
        let zero = cx.integer(0, shape.dtype())?;
        results.push(cx.spread(zero, shape.dims())?);
    }
    results.truncate(cx.op.results.len());
    many(results)
}

/// The operands, without those that state the shapes of results where sizes are open.
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
    /// A letter of the configuration, such as `L` for the lower triangle; of an older call, L and U for 1 and 0 of the
    /// operand at `position`.
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
}

/// The batch of a matrix.
fn batch(cx: &ImportContext<'_, '_>, a: NodeId) -> Vec<Dim> {
    let dims = cx.shape(a).dims().to_vec();
    dims[..dims.len().saturating_sub(2)].to_vec()
}

/// The information that nothing went wrong, for each matrix of a batch.
fn none(cx: &mut ImportContext<'_, '_>, a: NodeId) -> Outcome<NodeId> {
    let zero = cx.integer(0, DType::I32)?;
    let dims = batch(cx, a);
    cx.spread(zero, &dims)
}

/// The factors in one matrix, the exchanged rows from 1, and the place of the first zero on the diagonal of U, or 0.
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

/// The matrix that LAPACK overwrites, singular values, U, Vᴴ, information.
fn svd(cx: &mut ImportContext<'_, '_>, a: NodeId) -> Outcome<Vec<NodeId>> {
    // The option says what is computed, the declared sizes what there is room for: with neither U nor V asked for, their
    // results are declared all the same, and hold nothing of meaning.
    let mut full_matrices = true;
    for result in [2, 3] {
        let declared = cx.declared(result)?;
        full_matrices &= matches!(declared.dims.as_slice(), [.., m, n] if m == n);
    }
    let found = cx.add_all(Op::Svd { full_matrices }, &[a])?;
    let info = none(cx, a)?;
    Ok(vec![a, found[1], found[0], found[2], info])
}

/// The matrix with the factor in one triangle, and whether it was not positive definite: then the factor is NaN.
fn cholesky(cx: &mut ImportContext<'_, '_>, a: NodeId, options: &Options<'_>) -> Outcome<Vec<NodeId>> {
    let lower = options.letter(cx, "uplo", 0)? == b'L';
    let factor = cx.add(Op::Cholesky { lower }, &[a])?;
    cx.expand(&[factor, a], |b, x| {
        let (factor, a) = (&x[0], &x[1]);
        let rank = factor.rank();
        let failed = factor.not_equal(factor).reduce(ReduceOp::Or, &[rank - 2, rank - 1], false);
        let places = Shape::from_dims(&factor.dims(), DType::I32);
        let [rows, columns] = [rank - 2, rank - 1].map(|axis| b.iota(places.clone(), axis));
        let factored = if lower { rows.greater_equal(&columns) } else { columns.greater_equal(&rows) };
        vec![factored.select(factor, a), failed.convert(DType::I32)]
    })
}

fn triangular(cx: &mut ImportContext<'_, '_>, args: &[NodeId], options: &Options<'_>) -> Outcome<NodeId> {
    if options.config.is_none() {
        return Err(Problem::unsupported("RLX knows this routine by the name `lapack_…trsm_ffi` alone"));
    }
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
