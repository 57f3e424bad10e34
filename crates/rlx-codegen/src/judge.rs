//! Compares lowered groups with the evaluator, for tests of lowering rules.

use crate::interp::{Fault, Interpreter, Results};
use crate::lower::{Launches, LowerError, lower};
use rlx_ir::eval::Value;
use rlx_ir::{Bindings, Class, Dim, EvalError, FloatFormat, Graph, Literal, Scalar, eval};

/// Why a group could not be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The group has no lowering.
    #[error(transparent)]
    Lower(#[from] LowerError),
    /// A kernel has a fault.
    #[error(transparent)]
    Fault(#[from] Box<Fault>),
    /// The evaluator does not run the group.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

/// Runs the kernels of a group on these inputs.
pub fn interpret(group: &Graph, inputs: &[&Literal]) -> Result<Results, JudgeError> {
    let launches = lower(group)?;
    let sizes = sizes(group, inputs);
    Ok(Interpreter::default().run(&launches, &sizes, inputs, &group.output_shapes())?)
}

/// Returns the sizes of the symbols in a group's inputs.
pub fn sizes(group: &Graph, inputs: &[&Literal]) -> Bindings {
    let mut sizes = Bindings::new();
    for (node, input) in group.inputs().zip(inputs) {
        for (dim, size) in node.shape().dims().iter().zip(input.dims()) {
            if let Dim::Dynamic(symbol) = dim {
                sizes.entry(symbol.clone()).or_insert(size);
            }
        }
    }
    sizes
}

/// Returns how far the kernels of a group are from the evaluator: the maximum [`difference`] of an output.
pub fn judge(group: &Graph, inputs: &[&Literal]) -> Result<f64, JudgeError> {
    judge_launches(group, &lower(group)?, inputs, &Interpreter::default())
}

/// Does the same for launches that a group was lowered to.
pub fn judge_launches(
    group: &Graph,
    launches: &Launches,
    inputs: &[&Literal],
    interpreter: &Interpreter,
) -> Result<f64, JudgeError> {
    let names: Vec<&str> = group.inputs().filter_map(|node| node.name()).collect();
    let named: Vec<(&str, &Literal)> = names.into_iter().zip(inputs.iter().copied()).collect();
    let expected = eval(group, &named)?;
    let results = interpreter.run(launches, &sizes(group, inputs), inputs, &group.output_shapes())?;
    Ok(results
        .outputs
        .iter()
        .zip(&expected)
        .map(|(ours, theirs)| difference(ours, theirs))
        .fold(0.0, f64::max))
}

/// Returns how far a literal is from another. The result is 0 if they are equal (all NaNs are equal, and so are zeros
/// of both signs), and infinity if shapes, integers, infinities or NaNs differ. Otherwise it is the maximum distance of
/// two elements, in units in the last place of the largest finite element of `theirs`.
pub fn difference(ours: &Literal, theirs: &Literal) -> f64 {
    if ours.shape() != theirs.shape() {
        return f64::INFINITY;
    }
    let dtype = theirs.dtype();
    if !matches!(dtype.class(), Class::Float | Class::Complex) {
        return if ours.bytes() == theirs.bytes() { 0.0 } else { f64::INFINITY };
    }
    let (ours, theirs) = (parts(ours), parts(theirs));
    let digits = FloatFormat::of(dtype.real()).map_or(52, |format| format.mantissa_bits);
    let largest = theirs.iter().map(|x| x.abs()).filter(|x| x.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
    let unit = largest * 2f64.powi(-(digits as i32));
    let distance = |(&a, &b): (&f64, &f64)| match (a.is_finite(), b.is_finite()) {
        (true, true) => (a - b).abs() / unit,
        _ if a == b || (a.is_nan() && b.is_nan()) => 0.0,
        _ => f64::INFINITY,
    };
    ours.iter().zip(&theirs).map(distance).fold(0.0, f64::max)
}

/// Returns the elements as numbers, with both parts of complex numbers.
fn parts(literal: &Literal) -> Vec<f64> {
    let value = Value::from_literal(literal);
    let parts = |scalar: Scalar| match scalar {
        Scalar::Complex(z) => vec![z.re, z.im],
        other => vec![other.to_f64()],
    };
    value.scalars().flat_map(parts).collect()
}
