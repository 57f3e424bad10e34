//! Writes elementwise functions, comparisons, selects, and conversions between element types.

use super::broadcast::joint;
use super::integers;
use super::rounding::{self, Ends};
use super::value::{Elem, Held, Known, Var, sizes};
use super::writer::{Declined, ProgramWriter, Written};
use rlx_ir::{BinaryOp, CompareOp, DType, FloatFormat, Literal, Scalar, Shape, UnaryOp};

/// Returns the names of float functions in programs.
fn unary_name(op: UnaryOp) -> Option<&'static str> {
    Some(match op {
        UnaryOp::Abs => "abs",
        UnaryOp::Sign => "sign",
        UnaryOp::Floor => "floor",
        UnaryOp::Ceil => "ceil",
        UnaryOp::RoundEven => "round",
        UnaryOp::Exp => "exp",
        UnaryOp::Sqrt => "sqrt",
        UnaryOp::Sin => "sin",
        UnaryOp::Cos => "cos",
        UnaryOp::Tan => "tan",
        UnaryOp::Asin => "asin",
        UnaryOp::Acos => "acos",
        UnaryOp::Atan => "atan",
        UnaryOp::Sinh => "sinh",
        UnaryOp::Cosh => "cosh",
        UnaryOp::Tanh => "tanh",
        UnaryOp::Atanh => "atanh",
        UnaryOp::Logistic => "sigmoid",
        UnaryOp::Erf => "erf",
        _ => return None,
    })
}

impl ProgramWriter {
    /// Writes an elementwise operation on one value.
    pub(crate) fn map(&mut self, kind: &'static str, x: &Var) -> Var {
        self.op(kind, [("x", x.into())], x.elem, x.dims.clone())
    }

    /// Writes an operation on two values that broadcast.
    pub(crate) fn join(&mut self, kind: &'static str, x: &Var, y: &Var) -> Var {
        self.join_as(kind, x, y, x.elem)
    }

    fn join_as(&mut self, kind: &'static str, x: &Var, y: &Var, elem: Elem) -> Var {
        self.op(kind, [("x", x.into()), ("y", y.into())], elem, joint(&x.dims, &y.dims))
    }

    /// Writes an operation on a value and a number.
    pub(crate) fn with(&mut self, kind: &'static str, x: &Var, number: f64) -> Var {
        let number = self.scalar(number, x.elem);
        self.join(kind, x, &number)
    }

    /// Writes a comparison, or a logical operation on booleans.
    pub(crate) fn compare(&mut self, kind: &'static str, x: &Var, y: &Var) -> Var {
        self.join_as(kind, x, y, Elem::Bool)
    }

    /// Writes a comparison with a number.
    pub(crate) fn compare_with(&mut self, kind: &'static str, x: &Var, number: f64) -> Var {
        let number = self.scalar(number, x.elem);
        self.compare(kind, x, &number)
    }

    /// Writes a selection of `a` where `cond` is true, and `b` elsewhere.
    pub(crate) fn choose(&mut self, cond: &Var, a: &Var, b: &Var) -> Var {
        let dims = joint(&joint(&cond.dims, &a.dims), &b.dims);
        // The operation derives the sizes of the result from those of `a` and `b`.
        let wide = (joint(&a.dims, &b.dims) != dims)
            .then(|| self.full(&Held { var: a.clone(), dims: dims.clone() }));
        let a = wide.as_ref().unwrap_or(a);
        self.op("select", [("cond", cond.into()), ("a", a.into()), ("b", b.into())], a.elem, dims)
    }

    /// Converts a value to another element type. The caller must exclude NaN and floats that do not fit in the integers.
    pub(crate) fn cast(&mut self, x: &Var, elem: Elem) -> Var {
        if x.elem == elem {
            return x.clone();
        }
        match &x.known {
            Some(Known::Param { name, stored, packed }) if x.elem.is_float() && elem.is_float() => {
                let known = Known::Param { name: name.clone(), stored: *stored, packed: *packed };
                let like = name.to_string();
                return self.known(known, elem, x.dims.clone(), &like);
            }
            Some(Known::Literal(literal)) if x.elem.is_float() && elem.is_float() => {
                if let Some(literal) = converted(literal, elem) {
                    return self.known(Known::Literal(literal), elem, x.dims.clone(), "const");
                }
            }
            _ => {}
        }
        self.op("cast", [("x", x.into()), ("dtype", elem.name().into())], elem, x.dims.clone())
    }
}

/// Converts floats to another width.
fn converted(literal: &Literal, elem: Elem) -> Option<Literal> {
    let shape = literal.shape().with_dtype(elem.dtype());
    let bytes: Vec<u8> = match elem {
        Elem::F16 => literal
            .as_slice::<f32>()
            .ok()?
            .iter()
            .flat_map(|&x| half::f16::from_f32(x).to_le_bytes())
            .collect(),
        Elem::F32 => {
            literal.as_slice::<half::f16>().ok()?.iter().flat_map(|x| x.to_f32().to_le_bytes()).collect()
        }
        _ => return None,
    };
    Literal::from_bytes(&shape, &bytes).ok()
}

/// Returns the value with the sizes that it has in the graph.
fn held(var: Var, like: &Held) -> Vec<Held> {
    vec![Held { var, dims: like.dims.clone() }]
}

pub(super) fn unary(w: &mut ProgramWriter, op: UnaryOp, x: &Held) -> Written {
    let v = &x.var;
    let var = match (op, x.elem()) {
        (UnaryOp::Neg, Elem::F16 | Elem::F32 | Elem::I32) => w.with("mul", v, -1.0),
        (UnaryOp::Abs | UnaryOp::Sign, Elem::I32) => {
            let kind = if op == UnaryOp::Abs { "abs" } else { "sign" };
            w.map(kind, v)
        }
        (UnaryOp::Not, Elem::Bool) => w.map("logical_not", v),
        (UnaryOp::Not, Elem::I32) => {
            let all = w.scalar(-1.0, Elem::I32);
            w.join("sub", &all, v)
        }
        (UnaryOp::IsFinite, elem) if elem.is_float() => {
            let most = if elem == Elem::F16 { 65504.0 } else { f32::MAX.into() };
            let size = w.map("abs", v);
            w.compare_with("less_equal", &size, most)
        }
        // The operation adds this to x; 0 does not change it.
        (UnaryOp::Log | UnaryOp::Rsqrt, elem) if elem.is_float() => {
            let kind = if op == UnaryOp::Log { "log" } else { "rsqrt" };
            let epsilon = w.scalar(0.0, elem);
            w.op(kind, [("x", v.into()), ("epsilon", (&epsilon).into())], elem, v.dims.clone())
        }
        (UnaryOp::RoundAway, elem) if elem.is_float() => round_away(w, v),
        (UnaryOp::Real | UnaryOp::Conj, elem) if elem.is_float() => v.clone(),
        (op, elem) if elem.is_float() => match unary_name(op) {
            Some(kind) => w.map(kind, v),
            None => return Err(format!("programs have no {op}").into()),
        },
        (op, elem) => return Err(format!("programs have no {op} of {}", elem.name()).into()),
    };
    Ok(held(var, x))
}

/// Rounds to the nearest integer, ties away from zero.
fn round_away(w: &mut ProgramWriter, x: &Var) -> Var {
    let size = w.map("abs", x);
    let floor = w.map("floor", &size);
    let rest = w.join("sub", &size, &floor);
    let up = w.compare_with("greater_equal", &rest, 0.5);
    let next = w.with("add", &floor, 1.0);
    let size = w.choose(&up, &next, &floor);
    let sign = w.map("sign", x);
    w.join("mul", &size, &sign)
}

pub(super) fn binary(w: &mut ProgramWriter, op: BinaryOp, x: &Held, y: &Held) -> Written {
    let (a, b) = (&x.var, &y.var);
    let elem = x.elem();
    let is_number = elem != Elem::Bool;
    let var = match op {
        BinaryOp::Add if is_number => w.join("add", a, b),
        BinaryOp::Sub if is_number => w.join("sub", a, b),
        BinaryOp::Mul if is_number => w.join("mul", a, b),
        BinaryOp::Max if is_number => w.join("maximum", a, b),
        BinaryOp::Min if is_number => w.join("minimum", a, b),
        BinaryOp::Div if elem.is_float() => w.join("real_div", a, b),
        BinaryOp::Pow if elem.is_float() => w.join("pow", a, b),
        BinaryOp::Rem if elem.is_float() => float_rem(w, a, b),
        BinaryOp::Div if elem == Elem::I32 => int_div(w, a, b).0,
        BinaryOp::Rem if elem == Elem::I32 => int_div(w, a, b).1,
        BinaryOp::And | BinaryOp::Min if elem == Elem::Bool => w.compare("logical_and", a, b),
        BinaryOp::Or | BinaryOp::Max if elem == Elem::Bool => w.compare("logical_or", a, b),
        BinaryOp::Xor if elem == Elem::Bool => w.compare("logical_xor", a, b),
        _ => return Err(format!("programs have no {op} of {}", elem.name()).into()),
    };
    Ok(held(var, x))
}

/// Writes the remainder with the sign of x. The remainder of magnitudes is exact.
fn float_rem(w: &mut ProgramWriter, x: &Var, y: &Var) -> Var {
    let (a, b) = (w.map("abs", x), w.map("abs", y));
    let size = w.join("mod", &a, &b);
    let negative = w.compare_with("less", x, 0.0);
    let minus = w.with("mul", &size, -1.0);
    let rest = w.choose(&negative, &minus, &size);
    // A zero gets the sign of x.
    let none = w.compare_with("equal", &size, 0.0);
    let zero = w.with("mul", x, 0.0);
    w.choose(&none, &zero, &rest)
}

/// Writes quotient and remainder of integers, rounded toward zero; for a divisor of 0, they are −1 and x.
fn int_div(w: &mut ProgramWriter, x: &Var, y: &Var) -> (Var, Var) {
    let by_zero = w.compare_with("equal", y, 0.0);
    let (one, zero) = (w.scalar(1.0, Elem::I32), w.scalar(0.0, Elem::I32));
    let divisor = w.choose(&by_zero, &one, y);
    let floor = w.join("floor_div", x, &divisor);
    let product = w.join("mul", &floor, &divisor);
    let rest = w.join("sub", x, &product);
    // The floor is one too low if the signs differ and the remainder is not zero.
    let inexact = w.compare_with("not_equal", &rest, 0.0);
    let (minus_x, minus_y) = (w.compare_with("less", x, 0.0), w.compare_with("less", y, 0.0));
    let differ = w.compare("logical_xor", &minus_x, &minus_y);
    let low = w.compare("logical_and", &inexact, &differ);
    let up = w.choose(&low, &one, &zero);
    let quotient = w.join("add", &floor, &up);
    let product = w.join("mul", &quotient, &divisor);
    let rest = w.join("sub", x, &product);
    let all = w.scalar(-1.0, Elem::I32);
    (w.choose(&by_zero, &all, &quotient), w.choose(&by_zero, x, &rest))
}

pub(super) fn comparison(
    w: &mut ProgramWriter,
    op: CompareOp,
    total_order: bool,
    x: &Held,
    y: &Held,
) -> Written {
    if total_order && x.elem().is_float() {
        return Err("programs have no total order of floats".into());
    }
    let kind = match op {
        CompareOp::Eq => "equal",
        CompareOp::Ne => "not_equal",
        CompareOp::Lt => "less",
        CompareOp::Le => "less_equal",
        CompareOp::Gt => "greater",
        CompareOp::Ge => "greater_equal",
    };
    let (mut a, mut b) = (x.var.clone(), y.var.clone());
    if x.elem() == Elem::Bool {
        (a, b) = (w.cast(&a, Elem::I32), w.cast(&b, Elem::I32));
    }
    Ok(held(w.compare(kind, &a, &b), x))
}

pub(super) fn select(w: &mut ProgramWriter, cond: &Held, a: &Held, b: &Held) -> Written {
    Ok(held(w.choose(&cond.var, &a.var, &b.var), a))
}

pub(super) fn clamp(w: &mut ProgramWriter, low: &Held, x: &Held, high: &Held) -> Written {
    if x.elem() == Elem::Bool {
        return Err("programs cannot clamp booleans".into());
    }
    let above = w.join("maximum", &x.var, &low.var);
    Ok(held(w.join("minimum", &above, &high.var), x))
}

pub(super) fn convert(w: &mut ProgramWriter, x: &Held, result: &Shape) -> Written {
    let (elem, _) = sizes(result)?;
    let var = match (x.elem(), elem) {
        (Elem::F16 | Elem::F32, Elem::I32) => {
            let numbers = w.compare("equal", &x.var, &x.var);
            let zero = w.scalar(0.0, x.elem());
            let number = w.choose(&numbers, &x.var, &zero);
            match integers::narrow(result.dtype()) {
                Some((least, most)) => {
                    let wide = w.cast(&number, Elem::F32);
                    let above = w.with("maximum", &wide, least as f64);
                    let inside = w.with("minimum", &above, most as f64);
                    w.cast(&inside, Elem::I32)
                }
                None => whole(w, &number),
            }
        }
        (Elem::F16 | Elem::F32 | Elem::I32, Elem::Bool) => w.compare_with("not_equal", &x.var, 0.0),
        (_, Elem::F32) => {
            let wide = w.cast(&x.var, Elem::F32);
            rounding::rounded_to(w, &wide, result.dtype())
        }
        (_, elem) => {
            let held = w.cast(&x.var, elem);
            integers::wrapped(w, &held, result.dtype())
        }
    };
    Ok(held(var, x))
}

/// Converts numbers to integers, with saturation.
fn whole(w: &mut ProgramWriter, x: &Var) -> Var {
    if x.elem == Elem::F16 {
        // Infinities are the only f16 values that do not fit in the integers.
        let wide = w.cast(x, Elem::F32);
        return whole(w, &wide);
    }
    // The largest f32 that fits in i32.
    let most = f64::from(i32::MAX - 127);
    let inside = w.with("minimum", x, most);
    let inside = w.with("maximum", &inside, i32::MIN.into());
    let number =
        w.op("cast", [("x", (&inside).into()), ("dtype", "int32".into())], Elem::I32, x.dims.clone());
    let above = w.compare_with("greater", x, most);
    let limit = w.scalar(i32::MAX.into(), Elem::I32);
    w.choose(&above, &limit, &number)
}

/// Rounds to a narrower float and back. Values that are subnormal in it become 0.
pub(super) fn reduce_precision(
    w: &mut ProgramWriter,
    x: &Held,
    exponent_bits: u32,
    mantissa_bits: u32,
) -> Written {
    let elem = float(x, "rounding")?;
    if exponent_bits > FloatFormat::F32.exponent_bits && mantissa_bits >= FloatFormat::F32.mantissa_bits {
        return Ok(held(x.var.clone(), x));
    }
    if mantissa_bits == 0 {
        return Err("programs cannot round to a float without a mantissa".into());
    }
    let format = FloatFormat {
        exponent_bits: exponent_bits.min(FloatFormat::F32.exponent_bits),
        mantissa_bits: mantissa_bits.min(FloatFormat::F32.mantissa_bits),
        has_infinity: true,
    };
    let wide = w.cast(&x.var, Elem::F32);
    let ends = Ends { has_infinity: true, has_subnormals: false };
    let near = rounding::rounded(w, &wide, format, ends);
    Ok(held(w.cast(&near, elem), x))
}

/// Writes a constant of the graph.
pub(super) fn constant(w: &mut ProgramWriter, value: &Literal) -> Written {
    sizes(value.shape())?;
    let splat = splat(value);
    let var = match splat {
        Some(scalar) => {
            let literal = Literal::from_bytes(&Shape::scalar(value.dtype()), scalar);
            w.literal(literal.map_err(|e| Declined(e.to_string()))?)?
        }
        None => w.literal(value.clone())?,
    };
    Ok(vec![Held { var, dims: value.dims() }])
}

/// Returns the bytes of an element, if all elements are the same.
fn splat(value: &Literal) -> Option<&[u8]> {
    let size = value.dtype().size();
    let (first, bytes) = (value.bytes().get(..size)?, value.bytes());
    bytes.chunks_exact(size).all(|element| element == first).then_some(first)
}

/// Writes 0, 1, 2, … along an axis.
pub(super) fn iota(w: &mut ProgramWriter, shape: &Shape, axis: usize) -> Written {
    let (elem, dims) = sizes(shape)?;
    let mut along = vec![1; dims.len()];
    let Some(&count) = dims.get(axis) else { return Err("the axis does not exist".into()) };
    along[axis] = count;
    let along = along[axis..].to_vec();
    if elem == Elem::Bool {
        return Err("programs cannot count in booleans".into());
    }
    let mut bytes = Vec::with_capacity(count * elem.dtype().size());
    for n in 0..count {
        Scalar::Int(n as i128).convert(shape.dtype()).convert(elem.dtype()).write(elem.dtype(), &mut bytes);
    }
    let shape = Shape::new(&along, elem.dtype());
    let literal = Literal::from_bytes(&shape, &bytes).map_err(|e| Declined(e.to_string()))?;
    Ok(vec![Held { var: w.literal(literal)?, dims }])
}

/// Returns the element type of a float, or fails with a message about `what`.
pub(super) fn float(x: &Held, what: &str) -> Result<Elem, Declined> {
    match x.elem() {
        elem if elem.is_float() => Ok(elem),
        elem => Err(format!("programs have no {what} of {}", elem.name()).into()),
    }
}

/// Returns the element type in programs for one of graphs.
pub(super) fn elem_of(dtype: DType) -> Result<Elem, Declined> {
    Elem::holding(dtype).ok_or_else(|| format!("programs have no values of {dtype}").into())
}
