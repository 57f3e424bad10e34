//! Tracks integer tensors that are computed from sizes, so that shapes can be read from them. Programs with open sizes
//! compute shapes with operations on small integer tensors. For each such tensor this file keeps its elements as
//! expressions of the symbols.

use super::attributes::Fields;
use super::program::Importer;
use crate::syntax::Operation;
use rlx_ir::eval::Value;
use rlx_ir::{Class, DType, Dim, Literal, NodeId, Op, Symbol, Symbols};
use std::cmp::Ordering;
use std::sync::Arc;

/// The prefix of the names of symbols for integers that are not sizes of the program's inputs.
pub(super) const UNKNOWN: char = '?';

/// The maximum number of elements of a tensor that is tracked.
const MAX_ELEMENTS: usize = 64;

/// The maximum number of symbols and operations in an expression. Sizes are short, but a program can square one many times.
const MAX_WEIGHT: u32 = 64;

/// The elements of a small tensor, row-major.
pub(super) type Sizes = Arc<[Size]>;

/// An integer as an expression of symbols. Booleans are 0 and 1.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Size {
    pub(super) dim: Dim,
    weight: u32,
}

impl Size {
    fn new(dim: Dim) -> Self {
        let weight = u32::from(constant(&dim).is_none());
        Size { dim, weight }
    }

    fn known(value: i64) -> Self {
        Size::new(Dim::Static(0).offset(value))
    }

    /// Returns the value, if the expression contains no symbol.
    pub(super) fn value(&self) -> Option<i64> {
        constant(&self.dim)
    }
}

/// Returns the value of an expression without symbols.
pub(super) fn constant(dim: &Dim) -> Option<i64> {
    match dim {
        Dim::Static(n) => i64::try_from(*n).ok(),
        // A negative number is stored as an expression. Shifted up far enough, it becomes a size.
        Dim::Expr(_) => {
            let shift = 1i64 << 40;
            let shifted = dim.offset(shift).as_static()?;
            i64::try_from(shifted).ok()?.checked_sub(shift)
        }
        Dim::Dynamic(_) => None,
    }
}

/// Returns whether the expression contains a symbol that is not determined by any input.
pub(super) fn is_unknown(dim: &Dim) -> bool {
    let mut symbols = Symbols::default();
    dim.symbols(&mut symbols);
    symbols.into_vec().iter().any(|s| s.name().starts_with(UNKNOWN))
}

/// Records the elements of an operation's results.
pub(super) fn note(im: &mut Importer<'_>, op: &Operation, args: &[NodeId], results: &[NodeId]) {
    if &*op.name == "stablehlo.custom_call" {
        return note_assertion(im, op, args);
    }
    let &[result] = results else { return };
    let shape = im.scope.graph.shape(result);
    let integers = matches!(shape.dtype().class(), Class::Signed | Class::Unsigned | Class::Bool);
    let Some(count) = shape.num_elements().filter(|&n| n <= MAX_ELEMENTS) else { return };
    if !integers || im.scope.sizes.contains_key(&result) {
        return;
    }
    let dtype = shape.dtype();
    let mut sizes = infer(im, op, args, result).unwrap_or_default();
    let whole = sizes.len() == count && sizes.iter().all(|s| s.weight <= MAX_WEIGHT && fits(s, dtype));
    if !whole {
        if !im.open || dtype == DType::Bool {
            return;
        }
        sizes = (0..count).map(|_| Size::new(im.unknown())).collect();
    }
    im.scope.sizes.insert(result, sizes.into());
}

/// Returns whether a known value fits the type.
fn fits(size: &Size, dtype: DType) -> bool {
    let Some(value) = size.value() else { return true };
    let value = i128::from(value);
    let bits = dtype.bits().min(64);
    match dtype.class() {
        Class::Signed => (-(1i128 << (bits - 1))..1i128 << (bits - 1)).contains(&value),
        Class::Unsigned => (0..1i128 << bits).contains(&value),
        _ => (0..2).contains(&value),
    }
}

fn infer(im: &Importer<'_>, op: &Operation, args: &[NodeId], result: NodeId) -> Option<Vec<Size>> {
    let graph = &im.scope.graph;
    let sizes = |i: usize| args.get(i).and_then(|id| im.scope.sizes.get(id)).map(|s| s.to_vec());
    let each = |f: &dyn Fn(&Size, &Size) -> Option<Size>| -> Option<Vec<Size>> {
        sizes(0)?.iter().zip(&sizes(1)?).map(|(a, b)| f(a, b)).collect()
    };
    let name = op.name.split_once('.')?.1;
    match name {
        "constant" => match graph.node(result).op() {
            Op::Constant { value } => literal(value),
            _ => None,
        },
        "get_dimension_size" => {
            let axis = Fields(&op.attributes).need_size("dimension").ok()?;
            Some(vec![Size::new(graph.shape(*args.first()?).dims().get(axis)?.clone())])
        }
        "convert" | "reshape" | "dynamic_reshape" | "optimization_barrier" => sizes(0),
        "broadcast_in_dim" | "dynamic_broadcast_in_dim" => {
            let (from, count) = (sizes(0)?, graph.shape(result).num_elements()?);
            let axes = Fields(&op.attributes).axes("broadcast_dimensions").ok()?;
            match from.as_slice() {
                [one] => Some(vec![one.clone(); count]),
                _ => (from.len() == count && axes.is_sorted()).then_some(from),
            }
        }
        "concatenate" => {
            let axis = Fields(&op.attributes).need_size("dimension").ok()?;
            let before = graph.shape(result).dims().get(..axis)?;
            let parts = (0..args.len()).map(sizes).collect::<Option<Vec<_>>>()?;
            before.iter().all(|d| *d == Dim::Static(1)).then(|| parts.concat())
        }
        "slice" if graph.shape(result).rank() == 1 => {
            let fields = Fields(&op.attributes);
            let (start, limit) =
                (*fields.axes("start_indices").ok()?.first()?, *fields.axes("limit_indices").ok()?.first()?);
            let step = *fields.axes("strides").ok()?.first().unwrap_or(&1);
            Some(sizes(0)?.get(start..limit)?.iter().step_by(step.max(1)).cloned().collect())
        }
        "add" => each(&|a, b| joined(&a.dim + &b.dim, a, b)),
        "subtract" => each(&|a, b| joined(&a.dim - &b.dim, a, b)),
        "multiply" => each(&|a, b| {
            let weight =
                a.weight.max(1).saturating_mul(b.weight.max(1)).saturating_add(a.weight.min(b.weight).min(1));
            (weight <= MAX_WEIGHT).then(|| Size {
                dim: &a.dim * &b.dim,
                weight: if a.weight + b.weight == 0 { 0 } else { weight },
            })
        }),
        "divide" => each(&divide),
        "remainder" => each(&|a, b| {
            let quotient = divide(a, b)?;
            joined(&a.dim - &(&quotient.dim * &b.dim), a, b)
        }),
        "maximum" => each(&|a, b| largest(a, b)),
        "minimum" => each(&|a, b| smallest(a, b)),
        "clamp" => {
            let (low, x, high) = (sizes(0)?, sizes(1)?, sizes(2)?);
            let at = |list: &[Size], i: usize| list.get(i).or(list.first()).cloned();
            (0..x.len()).map(|i| smallest(&largest(&at(&low, i)?, &x[i])?, &at(&high, i)?)).collect()
        }
        "negate" => sizes(0)?.iter().map(|a| joined(&Dim::Static(0) - &a.dim, a, a)).collect(),
        "sign" => sizes(0)?.iter().map(|a| sign(&a.dim).map(|o| Size::known(o as i64))).collect(),
        "abs" => sizes(0)?
            .into_iter()
            .map(|a| matches!(sign(&a.dim)?, Ordering::Greater | Ordering::Equal).then_some(a))
            .collect(),
        "compare" => {
            let direction = Fields(&op.attributes).word("comparison_direction").ok()??;
            each(&|a, b| compare(direction, a, b).map(|holds| Size::known(i64::from(holds))))
        }
        "and" | "or" | "xor" | "not" if graph.shape(result).dtype() == DType::Bool => {
            logic(name, &sizes(0), &sizes(1))
        }
        "select" => {
            let (pred, on_true, on_false) = (sizes(0), sizes(1)?, sizes(2)?);
            let choose = |i: usize| -> Option<Size> {
                if on_true.get(i)? == on_false.get(i)? {
                    return Some(on_true[i].clone());
                }
                let pred = pred.as_ref()?;
                let chosen = pred.get(i).or(pred.first())?.value()? != 0;
                Some(if chosen { on_true[i].clone() } else { on_false[i].clone() })
            };
            (0..on_true.len()).map(choose).collect()
        }
        _ => None,
    }
}

fn literal(value: &Literal) -> Option<Vec<Size>> {
    let ints = Value::from_literal(value).to_ints();
    ints.into_iter()
        .map(|n| i64::try_from(n).ok().filter(|n| n.unsigned_abs() < 1 << 40).map(Size::known))
        .collect()
}

fn joined(dim: Dim, a: &Size, b: &Size) -> Option<Size> {
    let weight = if constant(&dim).is_some() { 0 } else { a.weight.saturating_add(b.weight) };
    (weight <= MAX_WEIGHT).then_some(Size { dim, weight })
}

/// Divides, if truncating division is known to equal flooring division.
fn divide(a: &Size, b: &Size) -> Option<Size> {
    let positive = sign(&b.dim) == Some(Ordering::Greater);
    let not_negative = matches!(sign(&a.dim), Some(Ordering::Greater | Ordering::Equal));
    if let (Some(a), Some(b)) = (a.value(), b.value()) {
        return a.checked_div(b).map(Size::known);
    }
    if positive && not_negative { joined(a.dim.floor_div(&b.dim), a, b) } else { None }
}

fn largest(a: &Size, b: &Size) -> Option<Size> {
    match sign(&(&a.dim - &b.dim)) {
        Some(Ordering::Less) => Some(b.clone()),
        Some(_) => Some(a.clone()),
        None if is_unknown(&a.dim) || is_unknown(&b.dim) => None,
        None => joined(a.dim.larger(&b.dim), a, b),
    }
}

fn smallest(a: &Size, b: &Size) -> Option<Size> {
    match sign(&(&a.dim - &b.dim)) {
        Some(Ordering::Less) => Some(a.clone()),
        Some(_) => Some(b.clone()),
        None if is_unknown(&a.dim) || is_unknown(&b.dim) => None,
        None => joined(&(&a.dim + &b.dim) - &a.dim.larger(&b.dim), a, b),
    }
}

/// Returns the sign of a constant, or `Greater` if the expression is at least 1 for all sizes of at least 1.
fn sign(dim: &Dim) -> Option<Ordering> {
    if let Some(value) = constant(dim) {
        return Some(value.cmp(&0));
    }
    let least = |s: &Symbol| (!s.name().starts_with(UNKNOWN)).then_some(1);
    if dim.at_least(&least)? >= 1 {
        return Some(Ordering::Greater);
    }
    None
}

fn compare(direction: &str, a: &Size, b: &Size) -> Option<bool> {
    let order = sign(&(&a.dim - &b.dim)).or_else(|| sign(&(&b.dim - &a.dim)).map(Ordering::reverse))?;
    Some(match direction {
        "EQ" => order.is_eq(),
        "NE" => order.is_ne(),
        "LT" => order.is_lt(),
        "LE" => order.is_le(),
        "GT" => order.is_gt(),
        "GE" => order.is_ge(),
        _ => return None,
    })
}

/// Computes logic on single booleans. One operand may decide the result alone.
fn logic(name: &str, a: &Option<Vec<Size>>, b: &Option<Vec<Size>>) -> Option<Vec<Size>> {
    let only = |sizes: &Option<Vec<Size>>| match sizes.as_deref() {
        Some([one]) => one.value().map(|v| v != 0),
        _ => None,
    };
    let holds = match (name, only(a), only(b)) {
        ("and", Some(false), _) | ("and", _, Some(false)) => false,
        ("or", Some(true), _) | ("or", _, Some(true)) => true,
        ("not", Some(a), _) => !a,
        ("and", Some(a), Some(b)) => a && b,
        ("or", Some(a), Some(b)) => a || b,
        ("xor", Some(a), Some(b)) => a != b,
        _ => return None,
    };
    Some(vec![Size::known(i64::from(holds))])
}

/// Records the equality of sizes that an assertion states.
fn note_assertion(im: &mut Importer<'_>, op: &Operation, args: &[NodeId]) {
    if Fields(&op.attributes).word("call_target_name") != Ok(Some("shape_assertion")) || im.regions > 0 {
        return;
    }
    let Some(&holds) = args.first() else { return };
    let graph = &im.scope.graph;
    let node = graph.node(holds);
    if !matches!(node.op(), Op::Compare { op: rlx_ir::CompareOp::Eq, .. }) {
        return;
    }
    let side = |i: usize| match im.scope.sizes.get(&node.inputs()[i]).map(|s| s.to_vec()).as_deref() {
        Some([one]) => Some(one.dim.clone()),
        _ => None,
    };
    let (Some(a), Some(b)) = (side(0), side(1)) else { return };
    if is_unknown(&a) || is_unknown(&b) || a == b {
        return;
    }
    // The symbol that is replaced by the other side must not occur in it.
    let lone = |s: &Dim, other: &Dim| match s {
        Dim::Dynamic(symbol) => {
            let mut symbols = Symbols::default();
            other.symbols(&mut symbols);
            (!symbols.contains(symbol)).then(|| symbol.clone())
        }
        _ => None,
    };
    match (lone(&a, &b), lone(&b, &a)) {
        (Some(symbol), _) => im.assert_equal(symbol, b),
        (None, Some(symbol)) => im.assert_equal(symbol, a),
        _ => {}
    }
}
