//! Expansions of ops that StableHLO cannot express directly. Most come from the crate `rlx-expand`; here are those that
//! only this format needs.
//!
//! Some replace an operation on element types for which StableHLO or XLA lacks it. Others correct an operation of XLA
//! that gives a different result for some operands; such an expansion contains the op itself, which is then written as
//! XLA's operation.

use super::form::has_own_derivative;
use super::{contraction, routines};
use crate::import::bodies;
use rlx_ir::{
    BinaryOp, Builder, Class, Combiner, CompareOp, DType, Dim, Graph, Op, OpError, ReduceOp, Shape, Tensor,
    UnaryOp,
};

/// Returns the expansion of an op, as a graph of its operands.
pub(super) fn expansion(op: &Op, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
    if has_own_derivative(op) {
        return Some(op.decompose(operands));
    }
    let builder = Builder::new(op.mnemonic());
    let named = operands.iter().enumerate();
    let inputs: Vec<Tensor> = named.map(|(i, s)| builder.input(format!("x{i}"), s.clone())).collect();
    let results = match own(op, operands) {
        Some(rule) => vec![rule(op, &inputs)],
        None if is_read_as_another(op, operands) => {
            builder.apply_many(op.clone(), &inputs.iter().collect::<Vec<_>>())
        }
        None => return rlx_expand::expand_graph(op, operands),
    };
    let graph = builder.finish(&results.iter().collect::<Vec<_>>());
    Some(graph.map_err(|violations| OpError::shape(violations.to_string())))
}

/// Returns whether the importer reads StableHLO's operation for the op as another op, which means the same or differs
/// only in rounding. This concerns reductions, updates and sorts by graphs that have a name.
pub(super) fn is_read_as_another(op: &Op, operands: &[Shape]) -> bool {
    let Some(dtype) = operands.first().map(Shape::dtype) else { return false };
    match op {
        Op::ReduceGraph { body, .. } => {
            bodies::reduction(body, dtype).is_some() || bodies::arg_reduction(body).is_some()
        }
        // In other ops a window sees its padding, which is the initial value.
        Op::ReduceWindowGraph { body, spec } => !spec.is_bare() || bodies::reduction(body, dtype).is_some(),
        // The windows of a running reduction each reach from one end of the axis.
        Op::ReduceWindow { spec, .. } => operands[0].dims().iter().enumerate().any(|(axis, dim)| {
            let reach = |pad: &[i64]| pad.get(axis).copied().unwrap_or(0).unsigned_abs() as usize;
            let size = spec.window.get(axis).copied().unwrap_or(0);
            size > 1 && dim.as_static() == Some(size) && reach(&spec.low) + reach(&spec.high) + 1 == size
        }),
        Op::DynamicSlice { sizes } => sizes.iter().any(|d| d.as_static().is_none()),
        Op::SortGraph { comparator, .. } => bodies::order(comparator).is_some(),
        Op::ScatterGraph { body, .. } => bodies::combiner(body).is_some(),
        _ => false,
    }
}

pub(super) type Rule = fn(&Op, &[Tensor]) -> Tensor;

/// Returns the expansion that only this format needs, if there is one.
pub(super) fn own(op: &Op, operands: &[Shape]) -> Option<Rule> {
    let dtype = operands.first()?.dtype();
    let (complex, unsigned) = (dtype.is_complex(), dtype.class() == Class::Unsigned);
    Some(match op {
        Op::Unary { op: UnaryOp::Abs } if unsigned => |_, x| x[0].clone(),
        Op::Unary { op: UnaryOp::Conj } if !complex => |_, x| x[0].clone(),
        Op::Unary { op: UnaryOp::Sign } if unsigned => |_, x| is_set(&x[0]).convert(x[0].dtype()),
        Op::Unary { op: UnaryOp::IsFinite } if complex => |_, x| {
            let finite = |part: UnaryOp| x[0].unary(part).unary(UnaryOp::IsFinite);
            finite(UnaryOp::Real).and(&finite(UnaryOp::Imag))
        },
        Op::Unary { op: UnaryOp::Cbrt } if complex => complex_cbrt,
        // XLA for GPUs rounds and saturates after each of the operations that it composes these functions of.
        Op::Unary { op: UnaryOp::Erfc | UnaryOp::BesselI1e | UnaryOp::Logistic } if tiny(dtype) => widened,
        Op::Binary { op: BinaryOp::Pow } if dtype.class() == Class::Signed => signed_pow,
        Op::Binary { op: BinaryOp::Pow } if unsigned => |op, x| whole_pow(op, &x[0], &x[1]),
        Op::Binary { op: BinaryOp::Pow } if complex => complex_pow,
        Op::Binary { op: BinaryOp::Max | BinaryOp::Min } if complex => lexicographic,
        Op::Binary { op: BinaryOp::NextAfter } => |op, x| {
            // XLA returns the first operand if both are equal, which matters for zeros of different signs.
            x[0].equal(&x[1]).select(&x[1], &x[0].apply(op.clone(), &[&x[1]]))
        },
        // XLA's compiler for TPUs cannot clamp booleans.
        Op::Clamp {} if dtype == DType::Bool => |_, x| {
            let like = |limit: &Tensor| limit.broadcast_to(&x[1].dims());
            x[1].or(&like(&x[0])).and(&like(&x[2]))
        },
        Op::Convert { dtype: DType::Bool } if complex => {
            |_, x| is_set(&x[0].unary(UnaryOp::Real)).or(&is_set(&x[0].unary(UnaryOp::Imag)))
        }
        Op::Convert { dtype: to } if dtype == DType::F64 && narrow(*to) => narrowed,
        Op::BitcastConvert { dtype: to } if dtype != *to && (complex || to.is_complex()) => bitcast,
        // XLA keeps subnormal numbers of the operand's own type.
        Op::ReducePrecision { .. } if narrow(dtype) => widened,
        Op::Reduce { kind: ReduceOp::Sum | ReduceOp::Prod, .. } if narrow(dtype) => widened,
        Op::ReduceWindow { kind: ReduceOp::Sum | ReduceOp::Prod, .. } if narrow(dtype) => widened,
        Op::Scatter { combiner: Combiner::Reduce(ReduceOp::Sum | ReduceOp::Prod), .. } if narrow(dtype) => {
            widened
        }
        Op::Cholesky { .. } => cholesky,
        Op::DynamicSlice { .. } => one_start_type(operands.get(1..)?)?,
        Op::DynamicUpdateSlice {} => one_start_type(operands.get(2..)?)?,
        _ => return contraction::own(op, operands).or_else(|| routines::own(op, operands)),
    })
}

/// Returns whether XLA rounds sums of this type at each step.
pub(super) fn narrow(dtype: DType) -> bool {
    dtype.is_float() && dtype.size() < 4
}

/// Returns whether the type is a float of one byte.
fn tiny(dtype: DType) -> bool {
    dtype.is_float() && dtype.size() == 1
}

fn is_set(x: &Tensor) -> Tensor {
    x.not_equal(&x.scalar_like(0.0))
}

/// Computes the op in f32 and rounds once.
pub(super) fn widened(op: &Op, xs: &[Tensor]) -> Tensor {
    let dtype = xs[0].dtype();
    let wide = |x: &Tensor| if x.dtype() == dtype { x.convert(DType::F32) } else { x.clone() };
    let operands: Vec<Tensor> = xs.iter().map(wide).collect();
    operands[0].apply(op.clone(), &operands[1..].iter().collect::<Vec<_>>()).convert(dtype)
}

/// Computes e^(log(z) / 3), and 0 for 0.
fn complex_cbrt(_: &Op, xs: &[Tensor]) -> Tensor {
    let z = &xs[0];
    let root = (z.log() / z.scalar_like(3.0)).exp();
    is_set(z).select(&root, z)
}

/// Raises an integer to a power of at least 0. XLA uses only the last six bits of an exponent, so that the exponent is
/// processed six bits at a time: b^(64q + r) = (b^64)^q · b^r.
fn whole_pow(op: &Op, base: &Tensor, exponent: &Tensor) -> Tensor {
    let like = |value: i64| exponent.builder().int(value, exponent.dtype()).broadcast_to(&exponent.dims());
    let small = |base: &Tensor, exponent: &Tensor| base.apply(op.clone(), &[exponent]);
    let (mut base, mut rest) = (base.clone(), exponent.clone());
    let mut power = small(&base, &rest.and(&like(63)));
    for _ in 1..exponent.dtype().bits().div_ceil(6) {
        let half = small(&base, &like(32));
        base = &half * &half;
        rest = rest.binary(BinaryOp::ShiftRightLogical, &like(6));
        power = power * small(&base, &rest.and(&like(63)));
    }
    power
}

/// Corrects powers of 0, for which XLA returns NaN for most exponents. The result is 1 for exponent 0, 0 for exponents
/// with a positive real part, and otherwise NaN.
fn complex_pow(op: &Op, xs: &[Tensor]) -> Tensor {
    let (base, exponent) = (&xs[0], &xs[1]);
    let like = |value: f64| base.scalar_like(value).broadcast_to(&base.dims());
    let real = exponent.unary(UnaryOp::Real);
    let positive = real.greater(&real.scalar_like(0.0));
    let nan = real.scalar_like(f64::NAN).broadcast_to(&real.dims());
    let nan = nan.binary(BinaryOp::Complex, &nan);
    let of_zero = is_set(exponent).select(&positive.select(&like(0.0), &nan), &like(1.0));
    is_set(base).select(&base.apply(op.clone(), &[exponent]), &of_zero)
}

/// Returns 0 for negative exponents, except for the bases 1 and −1.
fn signed_pow(op: &Op, xs: &[Tensor]) -> Tensor {
    let (base, exponent) = (&xs[0], &xs[1]);
    let like = |value: i64| exponent.builder().int(value, exponent.dtype()).broadcast_to(&exponent.dims());
    let (zero, one, minus_one) = (like(0), like(1), like(-1));
    let negative = exponent.less(&zero);
    let power = whole_pow(op, base, &negative.select(&zero, exponent));
    let odd = exponent.and(&one).equal(&one);
    let reciprocal = base.equal(&minus_one).select(&odd.select(&minus_one, &one), &zero);
    negative.select(&base.equal(&one).select(&one, &reciprocal), &power)
}

/// Returns the operand that comes first or last, ordered by the real and then the imaginary part. An operand with a NaN wins.
fn lexicographic(op: &Op, xs: &[Tensor]) -> Tensor {
    let (a, b) = (&xs[0], &xs[1]);
    let strict = if matches!(op, Op::Binary { op: BinaryOp::Max }) { CompareOp::Gt } else { CompareOp::Lt };
    let loose = if strict == CompareOp::Gt { CompareOp::Ge } else { CompareOp::Le };
    let part = |z: &Tensor, part: UnaryOp| z.unary(part);
    let (a_re, b_re) = (part(a, UnaryOp::Real), part(b, UnaryOp::Real));
    let (a_im, b_im) = (part(a, UnaryOp::Imag), part(b, UnaryOp::Imag));
    let tied = a_re.equal(&b_re).and(&a_im.compare(loose, &b_im));
    let chosen = a_re.compare(strict, &b_re).or(&tied).select(a, b);
    let nan = |re: &Tensor, im: &Tensor| re.not_equal(re).or(&im.not_equal(im));
    nan(&a_re, &a_im).select(a, &nan(&b_re, &b_im).select(b, &chosen))
}

/// Converts f64 to a type below f32. XLA rounds twice, via f32. To give the same result as rounding once, the first
/// rounding here is to odd: toward zero, with the last bit set if anything was lost (Boldo and Melquiond, "When double
/// rounding is odd", 2005).
fn narrowed(op: &Op, xs: &[Tensor]) -> Tensor {
    let x = &xs[0];
    let near = x.convert(DType::F32);
    let back = near.convert(DType::F64);
    let bits = near.apply(Op::BitcastConvert { dtype: DType::U32 }, &[]);
    let one = bits.scalar_like(1.0);
    let down = back.abs().greater(&x.abs()).select(&(&bits - &one), &bits);
    let odd = down.or(&one).apply(Op::BitcastConvert { dtype: DType::F32 }, &[]);
    // A NaN differs from itself and stays as it is.
    let lost = back.not_equal(x).and(&x.equal(x));
    lost.select(&odd, &near).apply(op.clone(), &[])
}

/// XLA leaves open what the other triangle contains, and which elements are NaN if the matrix is not positive definite.
fn cholesky(op: &Op, xs: &[Tensor]) -> Tensor {
    let lower = matches!(op, Op::Cholesky { lower: true });
    let factor = xs[0].apply(op.clone(), &[]);
    let (dims, rank, dtype) = (factor.dims(), factor.rank(), factor.dtype());
    let count = |axis: usize| factor.builder().iota(Shape::from_dims(&dims, DType::I32), axis);
    let (row, column) = (count(rank - 2), count(rank - 1));
    let triangle = if lower { row.greater_equal(&column) } else { row.less_equal(&column) };
    let zero = factor.scalar_like(0.0);
    let part = triangle.select(&factor, &zero);
    let real = part.unary(UnaryOp::Real);
    let definite = real.equal(&real).reduce(ReduceOp::And, &[rank - 2, rank - 1], true);
    let nan = factor.builder().scalar(f64::NAN, dtype.real());
    let nan = if dtype.is_complex() { nan.binary(BinaryOp::Complex, &nan) } else { nan };
    definite.broadcast_to(&dims).select(&part, &triangle.select(&nan, &zero))
}

/// Treats a complex number as its two parts, one after the other.
fn bitcast(op: &Op, xs: &[Tensor]) -> Tensor {
    let Op::BitcastConvert { dtype: to } = op else { return xs[0].clone() };
    let as_type = |x: &Tensor, dtype: DType| match x.dtype() == dtype {
        true => x.clone(),
        false => x.apply(Op::BitcastConvert { dtype }, &[]),
    };
    let x = if xs[0].dtype().is_complex() { parts(&xs[0]) } else { xs[0].clone() };
    let (size, wanted) = (x.dtype().size(), to.real().size());
    let (from_complex, to_complex) = (xs[0].dtype().is_complex(), to.is_complex());
    // When a narrower type becomes the parts of a complex one, the last axis holds the bytes of both parts.
    let split = to_complex && !from_complex && size < wanted;
    let x = if split {
        let dims = x.dims();
        let leading = &dims[..dims.len().saturating_sub(1)];
        x.reshape(&[leading, &[Dim::Static(2), Dim::Static(wanted / size)]].concat())
    } else {
        x
    };
    let y = as_type(&x, to.real());
    if to_complex {
        return joined(&y);
    }
    if from_complex && size > wanted {
        let dims = y.dims();
        let leading = &dims[..dims.len().saturating_sub(2)];
        return y.reshape(&[leading, &[Dim::Static(2 * size / wanted)]].concat());
    }
    y
}

/// Splits numbers into their real and imaginary parts along a new last axis.
fn parts(z: &Tensor) -> Tensor {
    let axis = z.rank();
    let part = |part: UnaryOp| z.unary(part).unsqueeze(axis);
    part(UnaryOp::Real).apply(Op::Concatenate { axis }, &[&part(UnaryOp::Imag)])
}

/// Joins the parts along the last axis to complex numbers.
fn joined(x: &Tensor) -> Tensor {
    let axis = x.rank().saturating_sub(1);
    let part = |i: usize| x.slice_axis(axis, i, i + 1).squeeze(axis);
    part(0).binary(BinaryOp::Complex, &part(1))
}

/// Start offsets of different types are each clamped to the axis in their own type and converted to i64.
fn one_start_type(starts: &[Shape]) -> Option<Rule> {
    let several = starts.windows(2).any(|pair| pair[0].dtype() != pair[1].dtype());
    several.then_some(|op, xs| {
        let count = xs[0].rank();
        let (others, starts) = xs[1..].split_at(xs.len() - 1 - count);
        let as_i64 = |start: &Tensor| {
            if start.dtype() != DType::U64 {
                return start.convert(DType::I64);
            }
            start.minimum(&start.builder().int(i64::MAX, DType::U64)).convert(DType::I64)
        };
        let starts: Vec<Tensor> = starts.iter().map(as_i64).collect();
        let operands: Vec<&Tensor> = others.iter().chain(&starts).collect();
        xs[0].apply(op.clone(), &operands)
    })
}
