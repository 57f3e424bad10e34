//! Chooses the point at which a case is differentiated, and the directions. Values at which no difference can be taken
//! are replaced by ordinary numbers. All steps from a point along a direction are exact in f64.

use crate::bound::read;
use crate::case::{Case, Inputs};
use crate::stream::{FNV_START, Stream, fnv1a};
use rlx_ir::eval::Scalar;
use rlx_ir::math::Complex64;
use rlx_ir::{Activation, Class, DType, Literal, Op, OpKind, Shape, UnaryOp};

/// Larger numbers are replaced, so that steps of one length suit all elements.
const LARGEST: f64 = 1e4;
const SMALLEST: f64 = 1e-4;
/// The numbers of a point are multiples of this, and directions multiples of 1/8, so that steps along a direction do not round.
const GRID: f64 = 1.0 / (1u64 << 30) as f64;

/// Returns whether values of this type have derivatives.
pub(super) fn is_inexact(dtype: DType) -> bool {
    matches!(dtype.class(), Class::Float | Class::Complex)
}

/// Returns f64, or c128 for complex types.
pub(super) fn wide(dtype: DType) -> DType {
    if dtype.is_complex() { DType::C128 } else { DType::F64 }
}

/// Returns the operands of a case, made ordinary.
pub(super) fn point(case: &Case) -> Vec<Literal> {
    let mut stream = Stream::new(fnv1a(FNV_START, case.name.as_bytes())).split(77);
    let zeros = !singular_at_zero(&case.op);
    case.inputs().iter().map(|(_, x)| ordinary(x, zeros, &mut stream)).collect()
}

/// Returns whether a function of one number has no finite derivative at 0.
fn singular_at_zero(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary { op: UnaryOp::Log | UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Cbrt }
            | Op::Activation {
                kind: Activation::Log | Activation::Sqrt | Activation::Rsqrt | Activation::Recip
            }
    )
}

fn ordinary(x: &Literal, zeros: bool, stream: &mut Stream) -> Literal {
    let dtype = x.dtype();
    if !is_inexact(dtype) {
        return x.clone();
    }
    let mut part = |x: f64| {
        let fits = (x == 0.0 && zeros) || (x.abs() <= LARGEST && x.abs() >= SMALLEST);
        let x = if fits { x } else { stream.integer(2, 16) as f64 / 8.0 };
        (x / GRID).round() * GRID
    };
    from_scalars(x.shape(), |i| match read(x, i) {
        Scalar::Complex(z) => Scalar::Complex(Complex64 { re: part(z.re), im: part(z.im) }),
        other => Scalar::Float(part(other.to_f64())),
    })
}

/// Moves the operands of `wrt` by different parts of 1/2, so that no two elements are equal and none is 0 or an
/// integer. There, functions with ties and kinks in their cases are smooth. Matrices that are factorized get a heavy
/// diagonal.
pub(super) fn beside(case: &Case, values: &[Literal], wrt: &[usize]) -> Vec<Literal> {
    let mut stream = Stream::new(fnv1a(FNV_START, case.name.as_bytes())).split(78);
    // Two parts per element, because a complex number has two.
    let parts = 2 * wrt.iter().map(|&i| values[i].len()).sum::<usize>();
    let mut order = stream.permutation(parts).into_iter();
    let mut moved = values.to_vec();
    for &i in wrt {
        let mut part = |x: f64| {
            let along = (order.next().unwrap_or(0) as f64 + 0.5) / parts as f64;
            ((x + along / 2.0) / GRID).round() * GRID
        };
        let weight = |k: usize| if case.family == "linalg" { diagonal(&values[i], k) } else { 0.0 };
        moved[i] = from_scalars(values[i].shape(), |k| match read(&values[i], k) {
            Scalar::Complex(z) => Scalar::Complex(Complex64 { re: part(z.re) + weight(k), im: part(z.im) }),
            other => Scalar::Float(part(other.to_f64()) + weight(k)),
        });
    }
    moved
}

/// Returns what is added to element `k` of a matrix to separate eigenvalues and make pivots distinct: twice the order
/// plus 2, 4, … along the diagonal.
fn diagonal(matrix: &Literal, k: usize) -> f64 {
    match matrix.dims()[..] {
        [.., rows, columns] if k / columns % rows == k % columns => 2.0 * (columns + k % columns + 1) as f64,
        _ => 0.0,
    }
}

/// Returns a direction: multiples of 1/8 between −1 and 1, none of them zero. It is the same for all types of one class.
pub(super) fn direction(shape: &Shape, stream: &mut Stream) -> Literal {
    let mut part = || stream.integer(1, 8) as f64 / if stream.one_in(2) { 8.0 } else { -8.0 };
    from_scalars(shape, |_| match shape.dtype().is_complex() {
        true => Scalar::Complex(Complex64 { re: part(), im: part() }),
        false => Scalar::Float(part()),
    })
}

/// Returns directions for the operands of a case. For factorizations of symmetric matrices they are symmetric, because
/// such ops read only half of a matrix.
pub(super) fn directions(case: &Case, shapes: &[Shape], label: u64) -> Vec<Literal> {
    let name = case.name.replace(case.dtype.name(), "");
    let mut stream = Stream::new(fnv1a(FNV_START, name.as_bytes())).split(label);
    let symmetric = matches!(case.kind(), OpKind::Cholesky | OpKind::Eigh);
    let make = |shape: &Shape| {
        let v = direction(shape, &mut stream);
        if symmetric && is_square(shape) { symmetrised(&v) } else { v }
    };
    shapes.iter().map(make).collect()
}

fn is_square(shape: &Shape) -> bool {
    let dims = shape.static_dims().unwrap_or_default();
    matches!(dims[..], [.., rows, columns] if rows == columns)
}

/// Returns the lower triangle and its conjugate above, with a real diagonal.
fn symmetrised(v: &Literal) -> Literal {
    let n = v.dims().last().copied().unwrap_or(1).max(1);
    from_scalars(v.shape(), |i| {
        let (matrix, row, column) = (i / (n * n), i / n % n, i % n);
        match read(v, matrix * n * n + row.max(column) * n + row.min(column)) {
            Scalar::Complex(z) if row == column => Scalar::Complex(Complex64 { re: z.re, im: 0.0 }),
            Scalar::Complex(z) if row < column => Scalar::Complex(Complex64 { re: z.re, im: -z.im }),
            other => other,
        }
    })
}

/// x + t·v in f64.
pub(super) fn step(x: &Literal, v: &Literal, t: f64) -> Literal {
    from_scalars(x.shape(), |i| match (read(x, i), read(v, i)) {
        (Scalar::Complex(x), Scalar::Complex(v)) => {
            Scalar::Complex(Complex64 { re: x.re + t * v.re, im: x.im + t * v.im })
        }
        (x, v) => Scalar::Float(x.to_f64() + t * v.to_f64()),
    })
}

/// Converts numbers to f64 or c128. Integers stay as they are.
pub(super) fn widened(x: &Literal) -> Literal {
    match is_inexact(x.dtype()) {
        true => from_scalars(&x.shape().with_dtype(wide(x.dtype())), |i| read(x, i)),
        false => x.clone(),
    }
}

/// Makes a tensor from elements, rounded to its type.
pub(super) fn from_scalars(shape: &Shape, mut element: impl FnMut(usize) -> Scalar) -> Literal {
    let dtype = shape.dtype();
    let n = shape.num_elements().unwrap_or(0);
    let mut bytes = Vec::with_capacity(n * dtype.size());
    (0..n).for_each(|i| element(i).convert(dtype).write(dtype, &mut bytes));
    // INVARIANT: the bytes are those of the elements of the static shape.
    Literal::from_bytes(shape, &bytes).expect("the elements of the shape")
}

/// Returns the elements as complex numbers.
pub(super) fn numbers(x: &Literal) -> Vec<Complex64> {
    let number = |i| match read(x, i) {
        Scalar::Complex(z) => z,
        other => Complex64 { re: other.to_f64(), im: 0.0 },
    };
    (0..x.len()).map(number).collect()
}

/// Pairs values with the names of a graph's inputs.
pub(super) fn named(graph: &rlx_ir::Graph, values: &[Literal]) -> Result<Inputs, String> {
    let names: Vec<&str> = graph
        .inputs()
        .filter_map(|n| match n.op() {
            rlx_ir::Op::Input { name } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    if names.len() != values.len() {
        return Err(format!("the graph has inputs {names:?}, not {} of them", values.len()));
    }
    for (node, value) in graph.inputs().zip(values) {
        if node.shape() != value.shape() {
            return Err(format!("an input of {} where {} is expected", node.shape(), value.shape()));
        }
    }
    Ok(names.iter().map(|n| n.to_string()).zip(values.iter().cloned()).collect())
}

/// Returns the evaluator's results on values in the order of the inputs.
pub(super) fn evaluate(graph: &rlx_ir::Graph, values: &[Literal]) -> Result<Vec<Literal>, String> {
    let inputs = named(graph, values)?;
    rlx_ir::eval(graph, &crate::case::borrowed(&inputs)).map_err(|e| e.to_string())
}
