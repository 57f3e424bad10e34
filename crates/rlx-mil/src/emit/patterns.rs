//! Replaces groups of written operations by single operations that do the same, with one row per pattern.

use super::value::{Elem, Var};
use super::writer::{Arg, Const, Operation, WrittenBlock};
use std::collections::HashMap;
use std::sync::Arc;

/// The inputs of an operation.
type Inputs = Vec<(&'static str, Arg)>;

/// An operation that replaces another one and operations that it reads.
struct Pattern {
    /// The last of the replaced operations.
    last: &'static str,
    /// The replacing operation.
    by: &'static str,
    /// Returns the inputs of the replacing operation, if the others do the same.
    inputs: fn(&Seen<'_>, &Operation) -> Option<Inputs>,
}

/// The first matching pattern is applied; its result may be part of a later one.
const PATTERNS: [Pattern; 20] = [
    Pattern { last: "mul", by: "square", inputs: square },
    Pattern { last: "mul", by: "scaled_tanh", inputs: scaled_tanh },
    Pattern { last: "pow", by: "exp2", inputs: exp2 },
    Pattern { last: "real_div", by: "softsign", inputs: softsign },
    Pattern { last: "real_div", by: "inverse", inputs: inverse },
    Pattern { last: "add", by: "linear", inputs: linear },
    Pattern { last: "add", by: "conv", inputs: conv },
    Pattern { last: "add", by: "conv_transpose", inputs: conv_transpose },
    Pattern { last: "add", by: "linear_activation", inputs: linear_activation },
    Pattern { last: "minimum", by: "clamped_relu", inputs: clamped_relu },
    Pattern { last: "minimum", by: "sigmoid_hard", inputs: sigmoid_hard },
    Pattern { last: "minimum", by: "clip", inputs: clip },
    Pattern { last: "select", by: "thresholded_relu", inputs: thresholded_relu },
    Pattern { last: "select", by: "prelu", inputs: prelu },
    Pattern { last: "reduce_sum", by: "reduce_sum_square", inputs: |seen, op| reduced(seen, op, "square") },
    Pattern { last: "reduce_sum", by: "reduce_l1_norm", inputs: |seen, op| reduced(seen, op, "abs") },
    Pattern { last: "sqrt", by: "reduce_l2_norm", inputs: |seen, op| reduced(seen, op, "reduce_sum_square") },
    Pattern { last: "log", by: "reduce_log_sum", inputs: log_sum },
    Pattern { last: "cast", by: "identity", inputs: cast_back },
    Pattern { last: "concat", by: "stack", inputs: stack },
];

/// Applies the patterns in a block and in nested blocks.
pub(super) fn apply(block: &mut WrittenBlock) {
    let mut at = HashMap::new();
    let mut uses: HashMap<Arc<str>, usize> = HashMap::new();
    for (i, operation) in block.operations.iter().enumerate() {
        at.extend(operation.outputs.iter().map(|var| (var.name.clone(), i)));
        count(operation, &mut uses);
    }
    for var in &block.outputs {
        *uses.entry(var.name.clone()).or_default() += 1;
    }
    for i in 0..block.operations.len() {
        block.operations[i].blocks.iter_mut().for_each(apply);
        let seen = Seen { operations: &block.operations, at: &at, uses: &uses };
        let operation = &block.operations[i];
        let fits = |pattern: &Pattern| {
            let inputs = (pattern.last == operation.kind).then(|| (pattern.inputs)(&seen, operation));
            inputs.flatten().map(|inputs| (pattern.by, inputs))
        };
        if let Some((kind, inputs)) = PATTERNS.iter().find_map(fits) {
            block.operations[i].kind = kind;
            block.operations[i].inputs = inputs;
        }
    }
}

fn count(operation: &Operation, uses: &mut HashMap<Arc<str>, usize>) {
    for (_, arg) in &operation.inputs {
        if let Arg::Vars(names) = arg {
            names.iter().for_each(|name| *uses.entry(name.clone()).or_default() += 1);
        }
    }
    for block in &operation.blocks {
        block.outputs.iter().for_each(|var| *uses.entry(var.name.clone()).or_default() += 1);
        block.operations.iter().for_each(|operation| count(operation, uses));
    }
}

/// The operations of a block, by result.
struct Seen<'a> {
    operations: &'a [Operation],
    at: &'a HashMap<Arc<str>, usize>,
    uses: &'a HashMap<Arc<str>, usize>,
}

impl Seen<'_> {
    /// Returns the operation that computes a value, if it is in this block.
    fn from(&self, name: &str) -> Option<&Operation> {
        self.at.get(name).map(|&i| &self.operations[i])
    }

    fn made_by(&self, name: &str, kind: &str) -> Option<&Operation> {
        self.from(name).filter(|operation| operation.kind == kind)
    }

    fn var(&self, name: &str) -> Option<&Var> {
        self.from(name)?.outputs.iter().find(|var| *var.name == *name)
    }

    /// Returns a known float.
    fn number(&self, name: &str) -> Option<f64> {
        let var = self.made_by(name, "const")?.outputs.first()?;
        var.scalar().filter(|_| var.elem.is_float() && var.rank() == 0)
    }

    fn is(&self, name: &str, number: f64) -> bool {
        self.number(name) == Some(number)
    }

    /// Returns the known operand of a binary operation and the other one, which must have the sizes of the result.
    fn with_number<'o>(&self, operation: &'o Operation) -> Option<(&'o Arc<str>, &'o Arc<str>)> {
        let (x, y) = (input(operation, "x")?, input(operation, "y")?);
        let (x, number) = if self.number(y).is_some() { (x, y) } else { (y, x) };
        (self.number(number).is_some() && self.number(x).is_none()).then_some((x, number))
    }

    /// Returns a known vector, either as it is or followed by axes of size 1.
    fn vector(&self, name: &str, behind: usize) -> Option<Arc<str>> {
        let var = self.var(name)?;
        let source = match self.made_by(name, "reshape") {
            Some(reshape) => input(reshape, "x")?.clone(),
            None => var.name.clone(),
        };
        let vector = self.made_by(&source, "const")?.outputs.first()?;
        let front = var.rank().checked_sub(behind + 1)?;
        let is_placed = (0..var.rank()).all(|axis| axis == front || var.dims[axis] == 1);
        (vector.rank() == 1 && vector.dims[0] > 1 && is_placed && var.dims[front] == vector.dims[0])
            .then_some(source)
    }

    fn is_used_once(&self, name: &str) -> bool {
        self.uses.get(name) == Some(&1)
    }
}

/// Returns the value for an input of an operation.
fn input<'o>(operation: &'o Operation, place: &str) -> Option<&'o Arc<str>> {
    operation.inputs.iter().find(|(at, _)| *at == place).and_then(|(_, arg)| match arg {
        Arg::Vars(names) if names.len() == 1 => names.first(),
        _ => None,
    })
}

fn given(names: &[(&'static str, &Arc<str>)]) -> Option<Inputs> {
    Some(names.iter().map(|(place, name)| (*place, Arg::Vars(vec![(*name).clone()]))).collect())
}

/// x · x
fn square(_: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let (x, y) = (input(operation, "x")?, input(operation, "y")?);
    (x == y && operation.outputs[0].elem.is_float()).then(|| given(&[("x", x)])).flatten()
}

/// alpha · tanh(beta · x)
fn scaled_tanh(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let (bent, alpha) = seen.with_number(operation)?;
    let tanh = seen.made_by(bent, "tanh")?;
    let (x, beta) = seen.with_number(seen.made_by(input(tanh, "x")?, "mul")?)?;
    given(&[("x", x), ("alpha", alpha), ("beta", beta)])
}

/// 2 to the power of x
fn exp2(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let (two, x) = (input(operation, "x")?, input(operation, "y")?);
    (seen.is(two, 2.0) && seen.number(x).is_none()).then(|| given(&[("x", x)])).flatten()
}

/// x / (|x| + 1)
fn softsign(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let (x, below) = (input(operation, "x")?, input(operation, "y")?);
    let (size, one) = seen.with_number(seen.made_by(below, "add")?)?;
    let abs = seen.made_by(size, "abs")?;
    (seen.is(one, 1.0) && input(abs, "x")? == x).then(|| given(&[("x", x)])).flatten()
}

/// 1 / x
fn inverse(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let (one, x) = (input(operation, "x")?, input(operation, "y")?);
    if !seen.is(one, 1.0) || seen.number(x).is_some() {
        return None;
    }
    // The operation adds epsilon to x; 0 does not change it.
    let mut inputs = given(&[("x", x)])?;
    inputs.push(("epsilon", Arg::Constant(Const::Float(0.0, operation.outputs[0].elem))));
    Some(inputs)
}

/// A product and a known vector as its bias
fn linear(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    with_bias(seen, operation, "linear", 0)
}

/// A convolution and one number per feature as its bias
fn conv(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    with_bias(seen, operation, "conv", operation.outputs[0].rank().checked_sub(2)?)
}

/// A transposed convolution and one number per feature as its bias
fn conv_transpose(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    with_bias(seen, operation, "conv_transpose", operation.outputs[0].rank().checked_sub(2)?)
}

fn with_bias(seen: &Seen<'_>, operation: &Operation, kind: &str, behind: usize) -> Option<Inputs> {
    let (x, y) = (input(operation, "x")?, input(operation, "y")?);
    let (product, bias) = if seen.made_by(x, kind).is_some() { (x, y) } else { (y, x) };
    let made = seen.made_by(product, kind).filter(|made| input(made, "bias").is_none())?;
    let (result, dims) = (&operation.outputs[0], &made.outputs[0].dims);
    let bias = seen.vector(bias, behind)?;
    let fits = seen.is_used_once(product) && result.dims == *dims && seen.var(&bias)?.elem == result.elem;
    let features = dims[dims.len().checked_sub(behind + 1)?];
    (fits && seen.var(&bias)?.dims == [features]).then(|| {
        let mut inputs: Inputs = made.inputs.clone();
        inputs.push(("bias", Arg::Vars(vec![bias])));
        inputs
    })
}

/// alpha · x + beta
fn linear_activation(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let (product, beta) = seen.with_number(operation)?;
    let (x, alpha) = seen.with_number(seen.made_by(product, "mul")?)?;
    (operation.outputs[0].elem == Elem::F32 && seen.is_used_once(product))
        .then(|| given(&[("x", x), ("alpha", alpha), ("beta", beta)]))
        .flatten()
}

/// min(x where it is not negative, else alpha · x; beta)
fn clamped_relu(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let (bent, beta) = seen.with_number(operation)?;
    let select = seen.made_by(bent, "select")?;
    let x = not_below(seen, select, |zero| zero == 0.0)?.0;
    let (same, alpha) = seen.with_number(seen.made_by(input(select, "b")?, "mul")?)?;
    (same == x).then(|| given(&[("x", x), ("alpha", alpha), ("beta", beta)])).flatten()
}

/// Returns the value that a selection takes if it is not below a number, and that number.
fn not_below<'o>(
    seen: &'o Seen<'_>,
    select: &'o Operation,
    of: impl FnOnce(f64) -> bool,
) -> Option<(&'o Arc<str>, &'o Arc<str>)> {
    let compare = seen.made_by(input(select, "cond")?, "greater_equal")?;
    let (x, limit) = (input(compare, "x")?, input(compare, "y")?);
    (input(select, "a")? == x && of(seen.number(limit)?)).then_some((x, limit))
}

/// x between two numbers
fn clip(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let (above, high) = seen.with_number(operation)?;
    let (x, low) = seen.with_number(seen.made_by(above, "maximum")?)?;
    (seen.number(low)? <= seen.number(high)?)
        .then(|| given(&[("x", x), ("alpha", low), ("beta", high)]))
        .flatten()
}

/// alpha · x + beta between 0 and 1
fn sigmoid_hard(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let (above, one) = seen.with_number(operation)?;
    let (line, zero) = seen.with_number(seen.made_by(above, "maximum")?)?;
    let line = seen.made_by(line, "linear_activation")?;
    let parts = [("x", input(line, "x")?), ("alpha", input(line, "alpha")?), ("beta", input(line, "beta")?)];
    (seen.is(one, 1.0) && seen.is(zero, 0.0)).then(|| given(&parts)).flatten()
}

/// x where it is not below alpha, else 0
fn thresholded_relu(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let (x, alpha) = not_below(seen, operation, |_| true)?;
    seen.is(input(operation, "b")?, 0.0).then(|| given(&[("x", x), ("alpha", alpha)])).flatten()
}

/// x where it is not negative, else x times one number per channel. For ranks other than those of images, coremltools only accepts a single
/// number
fn prelu(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let x = not_below(seen, operation, |zero| zero == 0.0)?.0;
    let product = seen.made_by(input(operation, "b")?, "mul")?;
    let (a, b) = (input(product, "x")?, input(product, "y")?);
    let slopes = if a == x { b } else { a };
    let rank = operation.outputs[0].rank();
    let alpha = seen.vector(slopes, (rank == 4).then_some(2)?)?;
    let fits = (a == x || b == x) && seen.var(&alpha)?.dims == [operation.outputs[0].dims[1]];
    fits.then(|| given(&[("x", x), ("alpha", &alpha)])).flatten()
}

/// A reduction of another operation's result on x
fn reduced(seen: &Seen<'_>, operation: &Operation, inner: &str) -> Option<Inputs> {
    let inner = seen.made_by(input(operation, "x")?, inner)?;
    if !operation.outputs[0].elem.is_float() {
        return None;
    }
    // The axes are inputs of the reduction, which is either the outer or the inner operation.
    let outer = operation.inputs.len() > 1;
    let mut inputs = if outer { operation.inputs.clone() } else { inner.inputs.clone() };
    let x = input(inner, "x")?;
    inputs
        .iter_mut()
        .filter(|(place, _)| *place == "x")
        .for_each(|(_, arg)| *arg = Arg::Vars(vec![x.clone()]));
    Some(inputs)
}

/// The logarithm of a sum
fn log_sum(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let sum = seen.made_by(input(operation, "x")?, "reduce_sum")?;
    (seen.is(input(operation, "epsilon")?, 0.0) && sum.outputs[0].elem.is_float()).then(|| sum.inputs.clone())
}

/// An 8-bit value converted to a wider integer and back
fn cast_back(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let wider = seen.made_by(input(operation, "x")?, "cast")?;
    let x = input(wider, "x")?;
    let elem = operation.outputs[0].elem;
    let fits = matches!(elem, Elem::I8 | Elem::U8)
        && wider.outputs[0].elem == Elem::I32
        && seen.var(x)?.elem == elem;
    fits.then(|| given(&[("x", x)])).flatten()
}

/// Scalars along a new axis. Stacks of larger values are not replaced: coremltools cannot load those in which it knows only some of the
/// values
fn stack(seen: &Seen<'_>, operation: &Operation) -> Option<Inputs> {
    let parts = operation.inputs.iter().find(|(place, _)| *place == "values");
    let Some((_, Arg::Vars(parts))) = parts else { return None };
    let axis = operation.inputs.iter().find(|(place, _)| *place == "axis");
    let Some((_, Arg::Constant(Const::Int(axis)))) = axis else { return None };
    let mut sources = Vec::new();
    for part in parts {
        let source = from_reshape(seen, part)?;
        if seen.var(source)?.rank() > 0 || seen.var(part)?.rank() != 1 {
            return None;
        }
        sources.push(source.clone());
    }
    Some(vec![("values", Arg::Vars(sources)), ("axis", Arg::Constant(Const::Int(*axis)))])
}

/// Returns the operand of the reshape that computes a value.
fn from_reshape<'s>(seen: &'s Seen<'_>, name: &str) -> Option<&'s Arc<str>> {
    let made = seen.from(name).filter(|made| matches!(made.kind, "reshape" | "expand_dims"))?;
    input(made, "x")
}
