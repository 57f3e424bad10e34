//! Imports elementwise functions, comparisons, selects and conversions.

use super::context::{ImportContext, Outcome, Problem, Rule, Val, one};
use super::narrow;
use rlx_ir::{BinaryOp, Class, CompareOp, DType, NodeId, Op, UnaryOp};

/// Returns the function of one tensor that an operation of StableHLO computes.
pub(super) fn unary_op(name: &str) -> Option<UnaryOp> {
    Some(match name {
        "abs" => UnaryOp::Abs,
        "cbrt" => UnaryOp::Cbrt,
        "ceil" => UnaryOp::Ceil,
        "cosine" => UnaryOp::Cos,
        "count_leading_zeros" => UnaryOp::Clz,
        "exponential" => UnaryOp::Exp,
        "exponential_minus_one" => UnaryOp::Expm1,
        "floor" => UnaryOp::Floor,
        "imag" => UnaryOp::Imag,
        "is_finite" => UnaryOp::IsFinite,
        "log" => UnaryOp::Log,
        "log_plus_one" => UnaryOp::Log1p,
        "logistic" => UnaryOp::Logistic,
        "negate" => UnaryOp::Neg,
        "not" => UnaryOp::Not,
        "popcnt" => UnaryOp::Popcnt,
        "real" => UnaryOp::Real,
        "round_nearest_afz" => UnaryOp::RoundAway,
        "round_nearest_even" => UnaryOp::RoundEven,
        "rsqrt" => UnaryOp::Rsqrt,
        "sign" => UnaryOp::Sign,
        "sine" => UnaryOp::Sin,
        "sqrt" => UnaryOp::Sqrt,
        "tan" => UnaryOp::Tan,
        "tanh" => UnaryOp::Tanh,
        _ => return None,
    })
}

/// Returns the function of two tensors that an operation of StableHLO computes.
pub(super) fn binary_op(name: &str) -> Option<BinaryOp> {
    Some(match name {
        "add" => BinaryOp::Add,
        "and" => BinaryOp::And,
        "atan2" => BinaryOp::Atan2,
        "complex" => BinaryOp::Complex,
        "divide" => BinaryOp::Div,
        "maximum" => BinaryOp::Max,
        "minimum" => BinaryOp::Min,
        "multiply" => BinaryOp::Mul,
        "or" => BinaryOp::Or,
        "power" => BinaryOp::Pow,
        "remainder" => BinaryOp::Rem,
        "shift_left" => BinaryOp::ShiftLeft,
        "shift_right_arithmetic" => BinaryOp::ShiftRightArithmetic,
        "shift_right_logical" => BinaryOp::ShiftRightLogical,
        "subtract" => BinaryOp::Sub,
        "xor" => BinaryOp::Xor,
        _ => return None,
    })
}

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    let short = name.strip_prefix("stablehlo.")?;
    if unary_op(short).is_some() {
        return Some(unary);
    }
    if binary_op(short).is_some() {
        return Some(binary);
    }
    Some(match short {
        "compare" => compare,
        "select" => select,
        "clamp" => clamp,
        "convert" => convert,
        "bitcast_convert" => bitcast,
        "reduce_precision" => reduce_precision,
        _ => return None,
    })
}

fn unary(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let op = unary_op(cx.name()).ok_or_else(|| Problem::error("is not a function of one tensor"))?;
    one(apply_unary(cx, op, x)?)
}

/// Adds a function of one tensor, with StableHLO's meaning on integers.
pub(super) fn apply_unary(cx: &mut ImportContext<'_, '_>, op: UnaryOp, x: NodeId) -> Outcome<NodeId> {
    cx.unary(op, x)
}

fn binary(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [a, b] = cx.operands()?;
    let op = binary_op(cx.name()).ok_or_else(|| Problem::error("is not a function of two tensors"))?;
    one(cx.binary(op, a, b)?)
}

/// Returns the comparison that a word names.
pub(super) fn direction(word: &str) -> Outcome<CompareOp> {
    Ok(match word {
        "EQ" => CompareOp::Eq,
        "NE" => CompareOp::Ne,
        "LT" => CompareOp::Lt,
        "LE" => CompareOp::Le,
        "GT" => CompareOp::Gt,
        "GE" => CompareOp::Ge,
        other => return Err(Problem::error(format!("`{other}` is not a comparison"))),
    })
}

fn compare(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [a, b] = cx.operands()?;
    let fields = cx.fields();
    let op = direction(fields.need_word("comparison_direction")?)?;
    let dtype = cx.dtype(a);
    let total_order = match fields.word("compare_type")? {
        Some("TOTALORDER") => dtype.is_float(),
        Some("FLOAT" | "SIGNED" | "UNSIGNED" | "NOTYPE") | None => false,
        Some(other) => return Err(Problem::error(format!("`{other}` is not a kind of comparison"))),
    };
    one(cx.add(Op::Compare { op, total_order }, &[a, b])?)
}

fn select(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [pred, on_true, on_false] = cx.operands()?;
    let dims = cx.shape(on_true).dims().to_vec();
    let pred = if cx.rank(pred) == 0 { cx.spread(pred, &dims)? } else { pred };
    let on_false = if marks_branch(cx, pred) { cx.add(Op::StopGradient {}, &[on_false])? } else { on_false };
    one(cx.add(Op::Select {}, &[pred, on_true, on_false])?)
}

/// Returns whether a select with the same value on both sides is what lowering leaves of JAX's
/// `select(index == branch, x, stop_gradient(x))`. JAX writes that for the operands of a batched branch, so that rows
/// of other branches get no derivative.
fn marks_branch(cx: &ImportContext<'_, '_>, pred: NodeId) -> bool {
    let [_, on_true, on_false] = cx.op.operands.as_slice() else { return false };
    let graph = &cx.im.scope.graph;
    let mut pred = graph.node(pred);
    while matches!(pred.op(), Op::BroadcastInDim { .. }) {
        pred = graph.node(pred.inputs()[0]);
    }
    let by_index = matches!(pred.op(), Op::Compare { op: CompareOp::Eq, .. })
        && matches!(graph.shape(pred.inputs()[0]).dtype().class(), Class::Signed | Class::Unsigned);
    on_true == on_false && by_index
}

fn clamp(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [low, x, high] = cx.operands()?;
    let dims = cx.shape(x).dims().to_vec();
    let mut bounds = [low, high];
    for bound in &mut bounds {
        if cx.rank(*bound) == 0 {
            *bound = cx.spread(*bound, &dims)?;
        }
    }
    if cx.dtype(x).is_complex() {
        // RLX clamps real numbers only. The extremes of complex numbers compare the real, then the imaginary part.
        let raised = cx.add(Op::Binary { op: BinaryOp::Max }, &[x, bounds[0]])?;
        return one(cx.add(Op::Binary { op: BinaryOp::Min }, &[raised, bounds[1]])?);
    }
    one(cx.add(Op::Clamp {}, &[bounds[0], x, bounds[1]])?)
}

fn convert(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let dtype = cx.declared(0)?.dtype;
    let function = cx.frame.function;
    let [from, to] = [&cx.op.operands, &cx.op.results]
        .map(|ids| ids.first().and_then(|&id| narrow::narrow(&function.value(id).ty)));
    if let Some(to) = to
        && from != Some(to)
    {
        return one(narrow::convert(cx, x, to)?);
    }
    // Sizes are i64 in RLX and i32 in StableHLO. Converting one back to i64 gives the size itself.
    let graph = &cx.im.scope.graph;
    if let (DType::I64, Op::Convert { dtype: DType::I32 }, &[size]) =
        (dtype, graph.node(x).op(), graph.node(x).inputs())
        && matches!(graph.node(size).op(), Op::DimSize { .. })
    {
        return one(size);
    }
    one(cx.convert(x, dtype)?)
}

fn bitcast(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let dtype = cx.declared(0)?.dtype;
    if cx.dtype(x) == dtype {
        return one(x);
    }
    // A boolean is one byte with the value 0 or 1.
    let x = if cx.dtype(x) == DType::Bool { cx.convert(x, DType::U8)? } else { x };
    if dtype == DType::Bool {
        return Err(Problem::unsupported(
            "RLX does not reinterpret the bits of numbers as booleans; compare the number with 0",
        ));
    }
    one(if cx.dtype(x) == dtype { x } else { cx.add(Op::BitcastConvert { dtype }, &[x])? })
}

fn reduce_precision(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let [x] = cx.operands()?;
    let bits = |name: &str| -> Outcome<u32> {
        let size = cx.fields().need_size(name)?;
        u32::try_from(size).map_err(|_| Problem::error(format!("attribute `{name}` is too large")))
    };
    let (exponent_bits, mantissa_bits) = (bits("exponent_bits")?, bits("mantissa_bits")?);
    one(cx.add(Op::ReducePrecision { exponent_bits, mantissa_bits }, &[x])?)
}
