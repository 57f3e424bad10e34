//! Random elementwise nodes, with functions that are defined for their operands.

use super::state::{Facts, RandomValue, State};
use rlx_ir::{BinaryOp, CompareOp, DType, Op, UnaryOp};

/// Adds one elementwise node, with the broadcasts that it needs.
pub(super) fn add(s: &mut State) -> Option<()> {
    match s.stream.below(10) {
        0..4 => unary(s),
        4..8 => binary(s),
        8 => select(s),
        _ => convert(s),
    }
}

/// A function of one operand that is safe for it, with the interval of its values and whether it jumps.
#[derive(Clone, Copy)]
struct Choice {
    op: UnaryOp,
    range: (f64, f64),
    jumps: bool,
    grid: Option<i32>,
}

fn unary(s: &mut State) -> Option<()> {
    let x = s.choose(|_| true)?;
    let choices = if x.dtype.is_float() {
        float_functions(&x)
    } else if x.dtype.is_complex() {
        complex_functions(&x)
    } else {
        integer_functions(&x)
    };
    let fitting: Vec<Choice> = choices.into_iter().filter(|c| !c.jumps || x.certain()).collect();
    if fitting.is_empty() {
        return None;
    }
    let Choice { op, range, grid, .. } = *s.stream.pick(&fitting);
    s.apply(Op::Unary { op }, &[&x], range, grid).map(|_| ())
}

fn choice(op: UnaryOp, range: (f64, f64)) -> Choice {
    Choice { op, range, jumps: false, grid: None }
}

fn float_functions(x: &RandomValue) -> Vec<Choice> {
    use UnaryOp::*;
    let (a, b) = x.facts.range;
    let most = a.abs().max(b.abs());
    let grid = x.facts.grid;
    let least = if a > 0.0 { a } else { 0.0 };
    let jump = |op, range| Choice { op, range, jumps: true, grid: Some(0) };
    let mut list = vec![
        Choice { grid, ..choice(Neg, (-b, -a)) },
        Choice { grid, ..choice(Abs, (least, most)) },
        jump(Sign, (-1.0, 1.0)),
        jump(Floor, (a.floor(), b.floor())),
        jump(Ceil, (a.ceil(), b.ceil())),
        jump(RoundEven, (a.round_ties_even(), b.round_ties_even())),
        jump(RoundAway, (a.round(), b.round())),
        choice(Sin, (-1.0, 1.0)),
        choice(Cos, (-1.0, 1.0)),
        choice(Atan, (-1.6, 1.6)),
        choice(Asinh, (-most - 1.0, most + 1.0)),
        choice(Tanh, (-1.0, 1.0)),
        choice(Logistic, (0.0, 1.0)),
        choice(Erf, (-1.0, 1.0)),
        choice(Erfc, (0.0, 2.0)),
        choice(BesselI0e, (0.0, 1.0)),
        choice(BesselI1e, (-1.0, 1.0)),
    ];
    if b <= 6.0 {
        list.push(choice(Exp, (0.0, b.exp() * 1.1)));
        list.push(choice(Expm1, (-1.0, b.exp() * 1.1)));
    }
    if most <= 5.0 {
        list.push(choice(Sinh, (-most.exp(), most.exp())));
        list.push(choice(Cosh, (0.9, most.exp())));
    }
    if a >= 0.1 {
        let (low, high) = (a.ln() - 0.1, b.ln() + 0.1);
        list.push(choice(Log, (low, high)));
        list.push(choice(Sqrt, (a.sqrt() * 0.9, b.sqrt() * 1.1)));
        list.push(choice(Rsqrt, (0.9 / b.sqrt(), 1.1 / a.sqrt())));
        list.push(choice(Cbrt, (a.cbrt() * 0.9, b.cbrt() * 1.1)));
    }
    if a >= -0.75 {
        list.push(choice(Log1p, (a.ln_1p() - 0.1, b.ln_1p() + 0.1)));
    }
    if a >= 0.25 && b <= 20.0 {
        list.push(choice(Lgamma, (-0.2, 45.0)));
        list.push(choice(Digamma, (-5.0, 4.0)));
    }
    if most <= 0.9 {
        list.push(choice(Asin, (-1.3, 1.3)));
        list.push(choice(Acos, (0.3, 2.9)));
        list.push(choice(Atanh, (-1.6, 1.6)));
        list.push(choice(ErfInv, (-1.3, 1.3)));
    }
    if a >= 1.1 {
        list.push(choice(Acosh, (0.3, b.ln() + 1.0)));
    }
    if most <= 1.2 {
        list.push(choice(Tan, (-3.0, 3.0)));
    }
    list
}

fn complex_functions(x: &RandomValue) -> Vec<Choice> {
    use UnaryOp::*;
    let most = x.facts.range.1;
    let grid = x.facts.grid;
    let mut list = vec![
        Choice { grid, ..choice(Neg, (0.0, most)) },
        Choice { grid, ..choice(Conj, (0.0, most)) },
        Choice { grid, ..choice(Real, (-most, most)) },
        Choice { grid, ..choice(Imag, (-most, most)) },
        choice(Abs, (0.0, most * 1.1)),
    ];
    if most <= 3.0 {
        list.push(choice(Exp, (0.0, most.exp() * 1.1)));
        list.push(choice(Sin, (0.0, most.exp() * 1.1)));
        list.push(choice(Cosh, (0.0, most.exp() * 1.1)));
    }
    list
}

fn integer_functions(x: &RandomValue) -> Vec<Choice> {
    use UnaryOp::*;
    let (a, b) = x.facts.range;
    let most = a.abs().max(b.abs());
    if x.dtype == DType::Bool {
        return vec![choice(Not, (0.0, 1.0))];
    }
    vec![
        choice(Neg, (-b, -a)),
        choice(Abs, (0.0, most)),
        choice(Sign, (-1.0, 1.0)),
        choice(Not, (-b - 1.0, -a - 1.0)),
        choice(Popcnt, (0.0, 64.0)),
        choice(Clz, (0.0, 64.0)),
    ]
}

/// Returns an operand of the same type as `a`, broadcast to its dimensions. Adds one if there is none.
pub(super) fn partner(
    s: &mut State,
    a: &RandomValue,
    fits: impl Fn(&RandomValue) -> bool,
) -> Option<RandomValue> {
    let repeats = |v: &RandomValue| {
        v.rank() <= a.rank() && v.dims.iter().rev().zip(a.dims.iter().rev()).all(|(x, y)| x == y || *x == 1)
    };
    let found = s.choose(|v| v.dtype == a.dtype && repeats(v) && fits(v));
    let b = match found {
        Some(b) => b,
        None => {
            let dims: Vec<usize> = if s.stream.one_in(2) { a.dims.clone() } else { Vec::new() };
            let place = s.add_input(a.dtype, &dims);
            let b = s.values[place].clone();
            if !fits(&b) {
                return None;
            }
            b
        }
    };
    s.broadcast(&b, &a.dims)
}

fn corners(a: (f64, f64), b: (f64, f64), f: impl Fn(f64, f64) -> f64) -> (f64, f64) {
    let all = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
    (all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(f64::NEG_INFINITY, f64::max))
}

fn binary(s: &mut State) -> Option<()> {
    let a = s.choose(|_| true)?;
    if a.dtype.is_float() {
        float_binary(s, &a)
    } else if a.dtype.is_complex() {
        complex_binary(s, &a)
    } else {
        integer_binary(s, &a)
    }
}

fn finer(a: &RandomValue, b: &RandomValue) -> Option<i32> {
    Some(a.facts.grid?.max(b.facts.grid?))
}

fn float_binary(s: &mut State, a: &RandomValue) -> Option<()> {
    use BinaryOp::*;
    let op = *s.stream.pick(&[Add, Add, Sub, Mul, Mul, Div, Div, Max, Min, Pow, Atan2, Rem, Complex]);
    let of = a.facts.range;
    // The condition on the second operand under which the function is smooth and bounded.
    let apart = |v: &RandomValue| v.facts.range.0 >= 0.25 || v.facts.range.1 <= -0.25;
    let certain = a.certain();
    let b = match op {
        Div => partner(s, a, apart)?,
        Rem if certain => partner(s, a, |v| v.certain() && apart(v))?,
        Pow if of.0 >= 0.25 && of.1 <= 6.0 => {
            partner(s, a, |v| v.facts.range.0 >= -3.0 && v.facts.range.1 <= 3.0)?
        }
        Atan2 => partner(s, a, |v| v.facts.range.0 >= 0.1)?,
        Complex if !matches!(a.dtype, DType::F32 | DType::F64) => return None,
        Rem | Pow => return None,
        _ => partner(s, a, |_| true)?,
    };
    let by = b.facts.range;
    let most = |r: (f64, f64)| r.0.abs().max(r.1.abs());
    let (range, grid) = match op {
        Add => ((of.0 + by.0, of.1 + by.1), finer(a, &b)),
        Sub => ((of.0 - by.1, of.1 - by.0), finer(a, &b)),
        Mul => (corners(of, by, |x, y| x * y), a.facts.grid.zip(b.facts.grid).map(|(x, y)| x + y)),
        Div => (corners(of, by, |x, y| x / y), None),
        Max => ((of.0.max(by.0), of.1.max(by.1)), finer(a, &b)),
        Min => ((of.0.min(by.0), of.1.min(by.1)), finer(a, &b)),
        Pow => ((0.0, 6f64.max(1.0 / of.0).powi(3)), None),
        Atan2 => ((-1.6, 1.6), None),
        Rem => ((of.0.min(0.0), of.1.max(0.0)), finer(a, &b)),
        _ => ((0.0, most(of).hypot(most(by))), finer(a, &b)),
    };
    s.apply(Op::Binary { op }, &[a, &b], range, grid).map(|_| ())
}

fn complex_binary(s: &mut State, a: &RandomValue) -> Option<()> {
    let op = *s.stream.pick(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]);
    let b = partner(s, a, |_| true)?;
    let (m, n) = (a.facts.range.1, b.facts.range.1);
    let sum = a.facts.grid.zip(b.facts.grid).map(|(x, y)| x + y);
    let (most, grid) = if op == BinaryOp::Mul { (m * n, sum) } else { (m + n, finer(a, &b)) };
    s.apply(Op::Binary { op }, &[a, &b], (0.0, most), grid).map(|_| ())
}

fn integer_binary(s: &mut State, a: &RandomValue) -> Option<()> {
    use BinaryOp::*;
    let op = if a.dtype == DType::Bool {
        *s.stream.pick(&[Add, Mul, Max, Min, And, Or, Xor])
    } else {
        let list = [
            Add,
            Sub,
            Mul,
            Div,
            Rem,
            Pow,
            Max,
            Min,
            And,
            Or,
            Xor,
            ShiftLeft,
            ShiftRightArithmetic,
            ShiftRightLogical,
        ];
        *s.stream.pick(&list)
    };
    let b = partner(s, a, |_| true)?;
    let (of, by) = (a.facts.range, b.facts.range);
    let range = match op {
        Add => (of.0 + by.0, of.1 + by.1),
        Sub => (of.0 - by.1, of.1 - by.0),
        Mul => corners(of, by, |x, y| x * y),
        Max => (of.0.max(by.0), of.1.max(by.1)),
        Min => (of.0.min(by.0), of.1.min(by.1)),
        _ => Facts::of_integers(a.dtype).range,
    };
    s.apply(Op::Binary { op }, &[a, &b], range, Some(0)).map(|_| ())
}

/// Returns a boolean of these dimensions: an existing one, or a comparison of two certain values.
pub(super) fn predicate(s: &mut State, dims: &[usize]) -> Option<RandomValue> {
    if s.stream.one_in(2)
        && let Some(p) = s.choose(|v| v.dtype == DType::Bool && v.dims == dims)
    {
        return Some(p);
    }
    let a = match s.choose(|v| v.certain() && !v.dtype.is_complex() && v.dims == dims) {
        Some(a) => a,
        None => {
            let place = s.add_input(DType::F32, dims);
            s.values[place].clone()
        }
    };
    let b = partner(s, &a, RandomValue::certain)?;
    let op = *s.stream.pick(&[
        CompareOp::Eq,
        CompareOp::Ne,
        CompareOp::Lt,
        CompareOp::Le,
        CompareOp::Gt,
        CompareOp::Ge,
    ]);
    // The total order distinguishes zeros of both signs, which arithmetic leaves open.
    let total_order = s.stream.one_in(4) && a.facts.raw && b.facts.raw;
    s.apply(Op::Compare { op, total_order }, &[&a, &b], (0.0, 1.0), Some(0))
}

fn select(s: &mut State) -> Option<()> {
    let a = s.choose(|_| true)?;
    let b = partner(s, &a, |_| true)?;
    let (of, by) = (a.facts.range, b.facts.range);
    if s.stream.one_in(3) && !a.dtype.is_complex() {
        let high = partner(s, &a, |_| true)?;
        let top = high.facts.range;
        let range = (of.0.max(by.0).min(top.0), of.1.max(by.1).min(top.1));
        let grid = finer(&a, &b).zip(high.facts.grid).map(|(x, y)| x.max(y));
        return s.apply(Op::Clamp {}, &[&b, &a, &high], range, grid).map(|_| ());
    }
    let pred = predicate(s, &a.dims)?;
    let range = (of.0.min(by.0), of.1.max(by.1));
    s.apply(Op::Select {}, &[&pred, &a, &b], range, finer(&a, &b)).map(|_| ())
}

fn convert(s: &mut State) -> Option<()> {
    let x = s.choose(|_| true)?;
    let dtype = s.dtype();
    let (from, to) = (x.dtype, dtype);
    let jumps = !(to.is_float() || to.is_complex());
    if jumps && !x.certain() {
        return None;
    }
    if x.facts.raw && from.is_float() && to.is_int() && from.size() == to.size() {
        let range = Facts::of_integers(to).range;
        return s.apply(Op::BitcastConvert { dtype }, &[&x], range, Some(0)).map(|_| ());
    }
    let (a, b) = x.facts.range;
    let most = a.abs().max(b.abs());
    let range = match (from.is_complex(), to.is_complex()) {
        (true, false) => (-most, most),
        (false, true) => (0.0, most),
        _ => (a, b),
    };
    s.apply(Op::Convert { dtype }, &[&x], range, x.facts.grid).map(|_| ())
}
