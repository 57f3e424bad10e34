//! Factorizations and triangular systems of the matrices in the last two axes; leading axes are a batch. The algorithms for one
//! matrix are in [`crate::math::linalg`].

use crate::dim::Dim;
use crate::dtype::{DType, DTypeSet};
use crate::eval::{EvalCx, Value, sizes};
use crate::math::complex::Complex64;
use crate::math::linalg::batch::{Buffers, Factorization, Task, WorkMemory};
use crate::math::linalg::{Spectral, Transpose, TriangularSolve};
use crate::op::OpError;
use crate::op::kinds::TransposeOp;
use crate::shape::Shape;

/// The element types that LAPACK factorizes, and therefore JAX and XLA.
const FACTORIZED: DTypeSet = DTypeSet::of(&[DType::F32, DType::F64]).or(DTypeSet::COMPLEX);

/// The leading dimensions, the rows and the columns.
fn matrix<'a>(operand: &'static str, x: &'a Shape, set: DTypeSet) -> Result<(&'a [Dim], Dim, Dim), OpError> {
    OpError::check_dtype(operand, x.dtype(), set)?;
    match x.dims() {
        [batch @ .., m, n] => Ok((batch, m.clone(), n.clone())),
        _ => Err(OpError::shape(format!("{operand} must have at least two axes (a matrix), got {x}"))),
    }
}

/// The leading dimensions and the extent of square matrices.
fn square<'a>(operand: &'static str, x: &'a Shape, set: DTypeSet) -> Result<(&'a [Dim], Dim), OpError> {
    let (batch, m, n) = matrix(operand, x, set)?;
    if !m.compatible(&n) {
        return Err(OpError::shape(format!("{operand} must be square in its last two axes, got {x}")));
    }
    Ok((batch, if m.as_static().is_some() { m } else { n }))
}

impl TransposeOp {
    /// The form in which the matrix enters the equation.
    pub fn form(self) -> Transpose {
        match self {
            TransposeOp::None => Transpose::No,
            TransposeOp::Transpose => Transpose::Transpose,
            TransposeOp::Adjoint => Transpose::Adjoint,
        }
    }
}

/// A shape of batched vectors or matrices.
fn shape(batch: &[Dim], rest: &[&Dim], dtype: DType) -> Shape {
    let dims: Vec<Dim> = batch.iter().chain(rest.iter().copied()).cloned().collect();
    Shape::from_dims(&dims, dtype)
}

/// The smaller of two dimensions.
fn smaller(m: &Dim, n: &Dim) -> Dim {
    &(m + n) - &m.larger(n)
}

/// A real or complex number, as values store them.
trait MatrixElement: Spectral {
    fn of(x: &Value) -> Vec<Self>;
    fn value(shape: &Shape, data: Vec<Self>) -> Value;
}

impl MatrixElement for f64 {
    fn of(x: &Value) -> Vec<f64> {
        x.to_f64s()
    }
    fn value(shape: &Shape, data: Vec<f64>) -> Value {
        Value::floats(sizes(shape), shape.dtype(), data)
    }
}

impl MatrixElement for Complex64 {
    fn of(x: &Value) -> Vec<Complex64> {
        x.to_complexes()
    }
    fn value(shape: &Shape, data: Vec<Complex64>) -> Value {
        Value::complexes(sizes(shape), shape.dtype(), data)
    }
}

/// Applies `factorization` to each matrix of a batch. Does nothing if no result has an element, however many empty matrices there
/// are. The sizes of the task are those of B in a system of equations, otherwise those of A.
fn factorize(
    cx: &EvalCx<'_>,
    factorization: Factorization,
    operands: &[&Value],
) -> Result<Vec<Value>, OpError> {
    let [.., m, n] = *operands[factorization.sized()].dims() else {
        return Err(OpError::Eval("a matrix has two axes".into()));
    };
    let task = Task { factorization, m, n };
    let over_field = if operands[0].dtype().is_complex() { run_batch::<Complex64> } else { run_batch::<f64> };
    Ok(over_field(cx, &task, operands))
}

fn run_batch<T: MatrixElement>(cx: &EvalCx<'_>, task: &Task, operands: &[&Value]) -> Vec<Value> {
    let sized = operands[task.factorization.sized()].dims();
    let wanted = cx.results().iter().any(|r| r.num_elements() != Some(0));
    let count: usize = if wanted { sized[..sized.len() - 2].iter().product() } else { 0 };
    let data: Vec<Vec<T>> = operands.iter().map(|x| T::of(x)).collect();
    let (lengths, work) = (task.operands(), task.work());
    let mut field = task.field().map(|n| vec![T::ZERO; n * count]);
    let mut complex = task.complex().map(|n| vec![Complex64::ZERO; n * count]);
    let mut real = vec![0.0; task.real() * count];
    let mut index = task.index().map(|n| vec![0; n * count]);
    let (mut work_field, mut work_complex) = (vec![T::ZERO; work.field], vec![Complex64::ZERO; work.complex]);
    let (mut work_real, mut work_index) = (vec![0.0; work.real], vec![0; work.index]);
    for i in 0..count {
        let operand = |which: usize| {
            let n = lengths[which];
            data.get(which).map_or(&[][..], |x| &x[i * n..(i + 1) * n])
        };
        let [first, second] = &mut field;
        let [values, left, right] = &mut complex;
        let [pivots, permutation] = &mut index;
        task.run(Buffers {
            operands: [0, 1, 2, 3].map(operand),
            field: [part(first, i, task.field()[0]), part(second, i, task.field()[1])],
            complex: [
                part(values, i, task.complex()[0]),
                part(left, i, task.complex()[1]),
                part(right, i, task.complex()[2]),
            ],
            real: part(&mut real, i, task.real()),
            index: [part(pivots, i, task.index()[0]), part(permutation, i, task.index()[1])],
            work: WorkMemory {
                field: &mut work_field,
                complex: &mut work_complex,
                real: &mut work_real,
                index: &mut work_index,
            },
        });
    }
    // Results come in the order U, s, Vᴴ; or λ, V; or λ, U, V; otherwise those over the field, then indices.
    let [first, second] = field;
    let [pivots, permutation] = index;
    let shapes = cx.results();
    match task.factorization {
        Factorization::Eigh { .. } => vec![f64::value(&shapes[0], real), T::value(&shapes[1], first)],
        Factorization::Eig { left, right } => {
            let wanted = [true, left, right];
            let lists = complex.into_iter().zip(wanted).filter(|(_, wanted)| *wanted);
            lists.zip(shapes).map(|((list, _), shape)| Complex64::value(shape, list)).collect()
        }
        Factorization::Svd { .. } => {
            vec![T::value(&shapes[0], first), f64::value(&shapes[1], real), T::value(&shapes[2], second)]
        }
        Factorization::Qr { .. } | Factorization::Geqrf => {
            vec![T::value(&shapes[0], first), T::value(&shapes[1], second)]
        }
        Factorization::Geqp3 => {
            let factors = [T::value(&shapes[0], first), T::value(&shapes[1], second)];
            factors.into_iter().chain([indices(&shapes[2], permutation)]).collect()
        }
        Factorization::Lu => {
            vec![T::value(&shapes[0], first), indices(&shapes[1], pivots), indices(&shapes[2], permutation)]
        }
        _ => vec![T::value(&shapes[0], first)],
    }
}

fn part<T>(list: &mut [T], i: usize, n: usize) -> &mut [T] {
    &mut list[i * n..(i + 1) * n]
}

fn indices(shape: &Shape, data: Vec<usize>) -> Value {
    Value::ints(sizes(shape), shape.dtype(), data.into_iter().map(|i| i as i128).collect())
}

/// A = L Lᴴ or Uᴴ U.
pub(crate) mod cholesky {
    use super::*;

    pub(crate) fn infer(a: &Shape, _lower: bool) -> Result<Shape, OpError> {
        let (batch, n) = square("a", a, FACTORIZED)?;
        Ok(shape(batch, &[&n, &n], a.dtype()))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, lower: bool) -> Result<Vec<Value>, OpError> {
        factorize(cx, Factorization::Cholesky { lower }, &[a])
    }
}

/// op(A) X = B or X op(A) = B.
pub(crate) mod triangular_solve {
    use super::*;
    use crate::ops::elementwise::merge;

    pub(crate) fn infer(
        a: &Shape,
        b: &Shape,
        left_side: bool,
        _lower: bool,
        _unit_diagonal: bool,
        _transpose: TransposeOp,
    ) -> Result<Shape, OpError> {
        let solved = FACTORIZED.or(DTypeSet::of(&[DType::F16, DType::BF16]));
        let (batch, order) = square("a", a, solved)?;
        let (_, m, n) = matrix("b", b, solved)?;
        let (side, extent) = if left_side { ("rows", &m) } else { ("columns", &n) };
        if !order.compatible(extent) {
            return Err(OpError::shape(format!(
                "b must have as many {side} as a, got {b} for a of {a} with left_side = {left_side}"
            )));
        }
        let known = if left_side {
            shape(batch, &[&order, &n], a.dtype())
        } else {
            shape(batch, &[&m, &order], a.dtype())
        };
        if !known.compatible(b) {
            return Err(OpError::shape(format!(
                "a and b must have the same element type and leading axes, got {a} and {b}"
            )));
        }
        Ok(merge(b, &known))
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        a: &Value,
        b: &Value,
        left_side: bool,
        lower: bool,
        unit_diagonal: bool,
        transpose: TransposeOp,
    ) -> Result<Vec<Value>, OpError> {
        let options = TriangularSolve { left_side, lower, unit_diagonal, transpose: transpose.form() };
        factorize(cx, Factorization::TriangularSolve(options), &[a, b])
    }
}

/// A X = B for tridiagonal A.
pub(crate) mod tridiagonal_solve {
    use super::*;
    use crate::ops::elementwise::merge;

    pub(crate) fn infer(lower: &Shape, diagonal: &Shape, upper: &Shape, b: &Shape) -> Result<Shape, OpError> {
        let (batch, n, columns) = matrix("b", b, FACTORIZED)?;
        let of_diagonal = shape(batch, &[&n], b.dtype());
        let mut known = of_diagonal.clone();
        for (name, given) in [("lower", lower), ("diagonal", diagonal), ("upper", upper)] {
            if !of_diagonal.compatible(given) {
                return Err(OpError::shape(format!(
                    "{name} must have the element type of b, its leading axes and as many elements as it has rows, \
                     {of_diagonal} for b of {b}, got {given}"
                )));
            }
            known = merge(&known, given);
        }
        let dims: Vec<Dim> = known.dims().iter().cloned().chain([columns]).collect();
        Ok(Shape::from_dims(&dims, b.dtype()))
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        lower: &Value,
        diagonal: &Value,
        upper: &Value,
        b: &Value,
    ) -> Result<Vec<Value>, OpError> {
        factorize(cx, Factorization::TridiagonalSolve, &[lower, diagonal, upper, b])
    }
}

/// P A = L U.
pub(crate) mod lu {
    use super::*;

    pub(crate) fn infer(a: &Shape) -> Result<[Shape; 3], OpError> {
        let (batch, m, n) = matrix("a", a, FACTORIZED)?;
        let pivots = shape(batch, &[&smaller(&m, &n)], DType::I32);
        Ok([a.clone(), pivots, shape(batch, &[&m], DType::I32)])
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value) -> Result<Vec<Value>, OpError> {
        factorize(cx, Factorization::Lu, &[a])
    }
}

/// A = Q R.
pub(crate) mod qr {
    use super::*;

    pub(crate) fn infer(a: &Shape, full_matrices: bool) -> Result<[Shape; 2], OpError> {
        let (batch, m, n) = matrix("a", a, FACTORIZED)?;
        let inner = if full_matrices { m.clone() } else { smaller(&m, &n) };
        Ok([shape(batch, &[&m, &inner], a.dtype()), shape(batch, &[&inner, &n], a.dtype())])
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, full_matrices: bool) -> Result<Vec<Value>, OpError> {
        factorize(cx, Factorization::Qr { full_matrices }, &[a])
    }
}

/// A = Q R, packed.
pub(crate) mod geqrf {
    use super::*;

    pub(crate) fn infer(a: &Shape) -> Result<[Shape; 2], OpError> {
        let (batch, m, n) = matrix("a", a, FACTORIZED)?;
        Ok([a.clone(), shape(batch, &[&smaller(&m, &n)], a.dtype())])
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value) -> Result<Vec<Value>, OpError> {
        factorize(cx, Factorization::Geqrf, &[a])
    }
}

/// A P = Q R, packed.
pub(crate) mod geqp3 {
    use super::*;

    pub(crate) fn infer(a: &Shape, leading: &Shape) -> Result<[Shape; 3], OpError> {
        let (batch, m, n) = matrix("a", a, FACTORIZED)?;
        let columns = shape(batch, &[&n], DType::I32);
        if !columns.compatible(leading) {
            return Err(OpError::shape(format!(
                "leading must say for each column of a whether it comes first: expected {columns} for a of {a}, got {leading}"
            )));
        }
        Ok([a.clone(), shape(batch, &[&smaller(&m, &n)], a.dtype()), columns])
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, leading: &Value) -> Result<Vec<Value>, OpError> {
        factorize(cx, Factorization::Geqp3, &[a, leading])
    }
}

/// H₀ H₁ …
pub(crate) mod householder_product {
    use super::*;

    pub(crate) fn infer(a: &Shape, taus: &Shape) -> Result<Shape, OpError> {
        let (batch, m, n) = matrix("a", a, FACTORIZED)?;
        let k = match taus.dims() {
            [.., k] => k.clone(),
            [] => return Err(OpError::shape(format!("taus must have at least one axis, got {taus}"))),
        };
        if !shape(batch, &[&k], a.dtype()).compatible(taus) {
            return Err(OpError::shape(format!(
                "a and taus must have the same element type and leading axes, got {a} and {taus}"
            )));
        }
        let sizes = [m.as_static(), n.as_static(), k.as_static()];
        let exceeds =
            |small: Option<usize>, large: Option<usize>| small.zip(large).is_some_and(|(s, l)| s > l);
        if exceeds(sizes[1], sizes[0]) || exceeds(sizes[2], sizes[1]) || exceeds(sizes[2], sizes[0]) {
            return Err(OpError::shape(format!(
                "a must have at least as many rows as columns, and a column for each of taus, got {a} and {taus}"
            )));
        }
        Ok(a.clone())
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, taus: &Value) -> Result<Vec<Value>, OpError> {
        let reflectors = taus.dims().last().copied().unwrap_or(0);
        factorize(cx, Factorization::HouseholderProduct { reflectors }, &[a, taus])
    }
}

/// A V = V diag(λ).
pub(crate) mod eigh {
    use super::*;

    pub(crate) fn infer(a: &Shape, _lower: bool) -> Result<[Shape; 2], OpError> {
        let (batch, n) = square("a", a, FACTORIZED)?;
        Ok([shape(batch, &[&n], a.dtype().real()), shape(batch, &[&n, &n], a.dtype())])
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, lower: bool) -> Result<Vec<Value>, OpError> {
        factorize(cx, Factorization::Eigh { lower }, &[a])
    }
}

/// A V = V diag(λ) and Uᴴ A = diag(λ) Uᴴ.
pub(crate) mod eig {
    use super::*;

    pub(crate) fn infer(a: &Shape, left: bool, right: bool) -> Result<Vec<Shape>, OpError> {
        let (batch, n) = square("a", a, FACTORIZED)?;
        let dtype = if a.dtype().real() == DType::F64 { DType::C128 } else { DType::C64 };
        let vectors = usize::from(left) + usize::from(right);
        let mut results = vec![shape(batch, &[&n], dtype)];
        results.resize(1 + vectors, shape(batch, &[&n, &n], dtype));
        Ok(results)
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, left: bool, right: bool) -> Result<Vec<Value>, OpError> {
        factorize(cx, Factorization::Eig { left, right }, &[a])
    }
}

/// A = U diag(s) Vᴴ.
pub(crate) mod svd {
    use super::*;

    pub(crate) fn infer(a: &Shape, full_matrices: bool) -> Result<[Shape; 3], OpError> {
        let (batch, m, n) = matrix("a", a, FACTORIZED)?;
        let least = smaller(&m, &n);
        let (left, right) = if full_matrices { (&m, &n) } else { (&least, &least) };
        Ok([
            shape(batch, &[&m, left], a.dtype()),
            shape(batch, &[&least], a.dtype().real()),
            shape(batch, &[right, &n], a.dtype()),
        ])
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, full_matrices: bool) -> Result<Vec<Value>, OpError> {
        factorize(cx, Factorization::Svd { full_matrices }, &[a])
    }
}
