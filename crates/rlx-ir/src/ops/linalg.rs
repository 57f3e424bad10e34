//! Factorisations and triangular systems of the matrices in the last two axes; leading axes are a batch. What happens
//! to one matrix stands in [`crate::math::linalg`].

use crate::dim::Dim;
use crate::dtype::{DType, DTypeSet};
use crate::eval::{EvalCx, Value, sizes};
use crate::math::complex::Complex64;
use crate::math::linalg::Field;
use crate::op::OpError;
use crate::shape::Shape;

/// What LAPACK factorises, and so JAX and XLA.
const FACTORISED: DTypeSet = DTypeSet::of(&[DType::F32, DType::F64]).or(DTypeSet::COMPLEX);

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

/// A shape of batched vectors or matrices.
fn shape(batch: &[Dim], rest: &[&Dim], dtype: DType) -> Shape {
    let dims: Vec<Dim> = batch.iter().chain(rest.iter().copied()).cloned().collect();
    Shape::from_dims(&dims, dtype)
}

/// The smaller of two dimensions.
fn smaller(m: &Dim, n: &Dim) -> Dim {
    &(m + n) - &m.larger(n)
}

/// Real or complex numbers as values hold them.
trait Element: Field {
    fn of(x: &Value) -> Vec<Self>;
    fn value(shape: &Shape, data: Vec<Self>) -> Value;
}

impl Element for f64 {
    fn of(x: &Value) -> Vec<f64> {
        x.to_f64s()
    }
    fn value(shape: &Shape, data: Vec<f64>) -> Value {
        Value::floats(sizes(shape), shape.dtype(), data)
    }
}

impl Element for Complex64 {
    fn of(x: &Value) -> Vec<Complex64> {
        x.to_complexes()
    }
    fn value(shape: &Shape, data: Vec<Complex64>) -> Value {
        Value::complexes(sizes(shape), shape.dtype(), data)
    }
}

/// Calls a function that is generic in the field for the field of an element type.
macro_rules! over_field {
    ($dtype:expr, $f:ident($($arg:expr),* $(,)?)) => {
        if $dtype.is_complex() { $f::<Complex64>($($arg),*) } else { $f::<f64>($($arg),*) }
    };
}

/// The matrices of a batch, one after the other.
struct Batch<T> {
    data: Vec<T>,
    m: usize,
    n: usize,
    count: usize,
}

impl<T: Element> Batch<T> {
    /// The matrices of `x`; none if no result has an element, however many empty matrices there are.
    fn new(cx: &EvalCx<'_>, x: &Value) -> Self {
        let (batch, matrix) = x.dims().split_at(x.dims().len() - 2);
        let wanted = cx.results().iter().any(|r| r.num_elements() != Some(0));
        let count = if wanted { batch.iter().product() } else { 0 };
        Batch { data: T::of(x), m: matrix[0], n: matrix[1], count }
    }

    fn iter(&self) -> impl Iterator<Item = &[T]> {
        let size = self.m * self.n;
        (0..self.count).map(move |i| &self.data[i * size..(i + 1) * size])
    }
}

/// The conjugate transpose of an `m × n` matrix.
fn adjoint<T: Field>(a: &[T], m: usize, n: usize) -> Vec<T> {
    (0..m * n).map(|k| a[k % m * n + k / m].conj()).collect()
}

/// The Hermitian matrix whose lower triangle is the one that is to be read.
fn lower_of<T: Field>(a: &[T], n: usize, lower: bool) -> Vec<T> {
    if lower { a.to_vec() } else { adjoint(a, n, n) }
}

fn indices(shape: &Shape, data: Vec<usize>) -> Value {
    Value::ints(sizes(shape), shape.dtype(), data.into_iter().map(|i| i as i128).collect())
}

/// A = L Lᴴ or Uᴴ U.
pub(crate) mod cholesky {
    use super::*;
    use crate::math::linalg;

    pub(crate) fn infer(a: &Shape, _lower: bool) -> Result<Shape, OpError> {
        let (batch, n) = square("a", a, FACTORISED)?;
        Ok(shape(batch, &[&n, &n], a.dtype()))
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, lower: bool) -> Result<Value, OpError> {
        Ok(over_field!(a.dtype(), factorise(cx, a, lower)))
    }

    fn factorise<T: Element>(cx: &EvalCx<'_>, a: &Value, lower: bool) -> Value {
        let batch = Batch::<T>::new(cx, a);
        let n = batch.n;
        let one = |a: &[T]| {
            let mut l = linalg::cholesky(&lower_of(a, n, lower), n);
            // A failed factorisation is NaN in its triangle; the other one is zero all the same.
            (0..n * n).filter(|k| k / n < k % n).for_each(|k| l[k] = T::ZERO);
            if lower { l } else { adjoint(&l, n, n) }
        };
        T::value(cx.out(), batch.iter().flat_map(one).collect())
    }
}

/// op(A) X = B or X op(A) = B.
pub(crate) mod triangular_solve {
    use super::*;
    use crate::math::linalg::{self, Transpose};
    use crate::op::kinds::TransposeOp;
    use crate::ops::elementwise::merge;

    pub(crate) fn infer(
        a: &Shape,
        b: &Shape,
        left_side: bool,
        _lower: bool,
        _unit_diagonal: bool,
        _transpose: TransposeOp,
    ) -> Result<Shape, OpError> {
        let solved = FACTORISED.or(DTypeSet::of(&[DType::F16, DType::BF16]));
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
                "a and b must have one element type and the same leading axes, got {a} and {b}"
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
    ) -> Result<Value, OpError> {
        let transpose = match transpose {
            TransposeOp::None => Transpose::No,
            TransposeOp::Transpose => Transpose::Transpose,
            TransposeOp::Adjoint => Transpose::Adjoint,
        };
        let options = linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose };
        Ok(over_field!(a.dtype(), solve(cx, a, b, options)))
    }

    fn solve<T: Element>(cx: &EvalCx<'_>, a: &Value, b: &Value, options: linalg::TriangularSolve) -> Value {
        let (a, b) = (Batch::<T>::new(cx, a), Batch::<T>::new(cx, b));
        let one = |(a, rhs): (&[T], &[T])| {
            let mut x = rhs.to_vec();
            linalg::triangular_solve(a, &mut x, b.m, b.n, options);
            x
        };
        T::value(cx.out(), a.iter().zip(b.iter()).flat_map(one).collect())
    }
}

/// P A = L U.
pub(crate) mod lu {
    use super::*;
    use crate::math::linalg;

    pub(crate) fn infer(a: &Shape) -> Result<[Shape; 3], OpError> {
        let (batch, m, n) = matrix("a", a, FACTORISED)?;
        let pivots = shape(batch, &[&smaller(&m, &n)], DType::I32);
        Ok([a.clone(), pivots, shape(batch, &[&m], DType::I32)])
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value) -> Result<[Value; 3], OpError> {
        Ok(over_field!(a.dtype(), factorise(cx, a)))
    }

    fn factorise<T: Element>(cx: &EvalCx<'_>, a: &Value) -> [Value; 3] {
        let batch = Batch::<T>::new(cx, a);
        let (mut packed, mut pivots, mut permutation) = (Vec::new(), Vec::new(), Vec::new());
        for a in batch.iter() {
            let one = linalg::lu(a, batch.m, batch.n);
            packed.extend(one.lu);
            pivots.extend(one.pivots);
            permutation.extend(one.permutation);
        }
        let shapes = cx.results();
        [T::value(&shapes[0], packed), indices(&shapes[1], pivots), indices(&shapes[2], permutation)]
    }
}

/// A = Q R.
pub(crate) mod qr {
    use super::*;
    use crate::math::linalg;

    pub(crate) fn infer(a: &Shape, full_matrices: bool) -> Result<[Shape; 2], OpError> {
        let (batch, m, n) = matrix("a", a, FACTORISED)?;
        let inner = if full_matrices { m.clone() } else { smaller(&m, &n) };
        Ok([shape(batch, &[&m, &inner], a.dtype()), shape(batch, &[&inner, &n], a.dtype())])
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, full_matrices: bool) -> Result<[Value; 2], OpError> {
        Ok(over_field!(a.dtype(), factorise(cx, a, full_matrices)))
    }

    fn factorise<T: Element>(cx: &EvalCx<'_>, a: &Value, full_matrices: bool) -> [Value; 2] {
        let batch = Batch::<T>::new(cx, a);
        let (mut qs, mut rs) = (Vec::new(), Vec::new());
        for a in batch.iter() {
            let (q, r) = linalg::qr(a, batch.m, batch.n, full_matrices);
            qs.extend(q);
            rs.extend(r);
        }
        let shapes = cx.results();
        [T::value(&shapes[0], qs), T::value(&shapes[1], rs)]
    }
}

/// A V = V diag(λ).
pub(crate) mod eigh {
    use super::*;
    use crate::math::linalg;

    pub(crate) fn infer(a: &Shape, _lower: bool) -> Result<[Shape; 2], OpError> {
        let (batch, n) = square("a", a, FACTORISED)?;
        Ok([shape(batch, &[&n], a.dtype().real()), shape(batch, &[&n, &n], a.dtype())])
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, lower: bool) -> Result<[Value; 2], OpError> {
        Ok(over_field!(a.dtype(), factorise(cx, a, lower)))
    }

    fn factorise<T: Element>(cx: &EvalCx<'_>, a: &Value, lower: bool) -> [Value; 2] {
        let batch = Batch::<T>::new(cx, a);
        let (mut values, mut vectors) = (Vec::new(), Vec::new());
        for a in batch.iter() {
            let one = linalg::eigh(&lower_of(a, batch.n, lower), batch.n);
            values.extend(one.values);
            vectors.extend(one.vectors);
        }
        let shapes = cx.results();
        [f64::value(&shapes[0], values), T::value(&shapes[1], vectors)]
    }
}

/// A = U diag(s) Vᴴ.
pub(crate) mod svd {
    use super::*;
    use crate::math::linalg;

    pub(crate) fn infer(a: &Shape, full_matrices: bool) -> Result<[Shape; 3], OpError> {
        let (batch, m, n) = matrix("a", a, FACTORISED)?;
        let least = smaller(&m, &n);
        let (left, right) = if full_matrices { (&m, &n) } else { (&least, &least) };
        Ok([
            shape(batch, &[&m, left], a.dtype()),
            shape(batch, &[&least], a.dtype().real()),
            shape(batch, &[right, &n], a.dtype()),
        ])
    }

    pub(crate) fn eval(cx: &EvalCx<'_>, a: &Value, full_matrices: bool) -> Result<[Value; 3], OpError> {
        Ok(over_field!(a.dtype(), factorise(cx, a, full_matrices)))
    }

    fn factorise<T: Element>(cx: &EvalCx<'_>, a: &Value, full_matrices: bool) -> [Value; 3] {
        let batch = Batch::<T>::new(cx, a);
        let (mut us, mut singular, mut vts) = (Vec::new(), Vec::new(), Vec::new());
        for a in batch.iter() {
            let one = linalg::svd(a, batch.m, batch.n, full_matrices);
            us.extend(one.u);
            singular.extend(one.s);
            vts.extend(one.vh);
        }
        let shapes = cx.results();
        [T::value(&shapes[0], us), f64::value(&shapes[1], singular), T::value(&shapes[2], vts)]
    }
}
