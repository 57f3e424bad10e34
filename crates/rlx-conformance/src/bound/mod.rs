//! What every correct implementation of a graph must compute: exact bits where nothing rounds, and an interval
//! elsewhere.
//!
//! The bound is a running error analysis (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, §3.3). The
//! graph is evaluated a second time in f64 (c128). Next to each value x, it computes a bound E for the difference
//! between x and the value that an implementation in the graph's own element types may have:
//!
//! - An elementwise f adds, for each operand, the largest |f(…, y, …) − f(x)| for y from xᵢ − Eᵢ to xᵢ + Eᵢ, and its
//!   own error (`ulps`). The maximum is at an end, except for functions that turn or have poles.
//! - A sum of n terms adds ΣEᵢ + n·u·Σ|xᵢ|, whatever its order. For types narrower than f32, u is that of f32.
//! - A rounded value that is converted to an integer is off by the number of steps that its interval crosses.
//! - Elements that are moved keep their bounds. Ops that select and order without arithmetic take the largest bound.
//!
//! A result passes if it lies between x − 2E and x + 2E rounded to its element type; the factor 2 covers the terms of
//! second order. An op that jumps (a comparison, a conversion to integers) passes a bound on only where the jump cannot
//! move. Elsewhere its bound is infinite, and the element is not judged ([`Verdict::unjudged`]).

mod allowance;
mod elementwise;
mod looping;
mod order;
mod rules;
mod sums;
mod ulps;

pub(crate) use rules::keeps_exact;

pub use allowance::Allowance;

use crate::compare::{Agreement, Mismatch, same_bits};
use crate::data::Limits;
use rlx_ir::eval::Scalar;
use rlx_ir::{
    Builder, Class, CompareOp, DType, Graph, Literal, Node, NodeId, Op, OpClass, ReduceOp, Shape, Tensor,
};

/// Why a graph has no bound.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BoundError {
    /// The analysis has no rule for an op with rounded operands.
    #[error("no error bound for `{op}` on rounded operands")]
    NoRule {
        /// The op.
        op: String,
    },
    /// The graph of values and bounds is not valid, or evaluating it failed.
    #[error("the error bound could not be evaluated: {0}")]
    Failed(String),
}

/// A value with its error bound.
#[derive(Clone)]
pub(crate) struct Shadow {
    /// The value: in the graph's own element type if it is exact, otherwise in f64, c128 or as a boolean. Integers that
    /// may be off are in f64.
    pub(crate) value: Tensor,
    /// `None` if every implementation must have exactly these bits. Otherwise the bound in f64, with the value's dimensions.
    pub(crate) error: Option<Tensor>,
}

/// The freedom that an implementation has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Freedom {
    /// Correctly rounded operations on exact operands have one result. Use this for a graph of one op.
    None,
    /// Adjacent operations on f32, f64 and complex numbers may be contracted (fused multiply-add, wider intermediates).
    /// Narrower types round after each operation.
    Contract,
    /// Every rounding counts, even if all implementations round in the same way. Bounds are distances from the result
    /// that is computed without rounding.
    Unrounded,
}

/// What is known about a node's rounding in addition to its op.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Known {
    /// Nothing.
    Nothing,
    /// The node does not round: exact operands give exact results.
    Exact,
    /// For exact operands, results are off by at most this many units of rounding of their largest magnitude.
    Norm(f64),
}

/// The expected outputs of a graph.
pub struct Reference {
    outputs: Vec<Expected>,
}

enum Expected {
    Exact(Literal),
    Near { evaluated: Literal, value: Literal, error: Literal },
}

/// The outcome of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Verdict {
    /// The number of elements that were compared.
    pub judged: usize,
    /// The number of elements for which every value would pass, because their bound is infinite or as wide as the element type.
    pub unjudged: usize,
}

impl Verdict {
    /// Counts all elements of these tensors as compared.
    pub(crate) fn whole<'a>(tensors: impl IntoIterator<Item = &'a Literal>) -> Verdict {
        Verdict { judged: tensors.into_iter().map(Literal::len).sum(), unjudged: 0 }
    }

    /// Counts one element as compared or not.
    pub(crate) fn count(&mut self, judged: bool) {
        if judged {
            self.judged += 1;
        } else {
            self.unjudged += 1;
        }
    }

    /// Returns the share of elements that were compared, which is 1 if there are none.
    pub fn share(self) -> f64 {
        match self.judged + self.unjudged {
            0 => 1.0,
            all => self.judged as f64 / all as f64,
        }
    }
}

impl std::ops::AddAssign for Verdict {
    fn add_assign(&mut self, other: Verdict) {
        self.judged += other.judged;
        self.unjudged += other.unjudged;
    }
}

impl Reference {
    /// Evaluates `graph` and its error bounds. `exact` returns whether a node of a float type is known not to round, so
    /// that exact operands give exact results.
    pub fn new(
        graph: &Graph,
        inputs: &[(&str, &Literal)],
        freedom: Freedom,
        exact: &dyn Fn(NodeId) -> bool,
    ) -> Result<Reference, BoundError> {
        let known = |id| if exact(id) { Known::Exact } else { Known::Nothing };
        Reference::with_known(graph, inputs, freedom, &known)
    }

    /// Evaluates `graph` and its error bounds, with what is known about each node.
    pub fn with_known(
        graph: &Graph,
        inputs: &[(&str, &Literal)],
        freedom: Freedom,
        known: &dyn Fn(NodeId) -> Known,
    ) -> Result<Reference, BoundError> {
        Reference::with_allowances(graph, inputs, freedom, known, &[])
    }

    /// Does the same for a target with less accurate functions.
    pub fn with_allowances(
        graph: &Graph,
        inputs: &[(&str, &Literal)],
        freedom: Freedom,
        known: &dyn Fn(NodeId) -> Known,
        allowances: &[Allowance],
    ) -> Result<Reference, BoundError> {
        let failed = |e: String| BoundError::Failed(e);
        let evaluated = rlx_ir::eval(graph, inputs).map_err(|e| failed(e.to_string()))?;
        let analysis = Analysis { builder: Builder::new("bound"), freedom, allowances: allowances.to_vec() };
        let shadows = analysis.graph(graph, &[], known)?;
        let shadows: Vec<&Shadow> = graph.outputs().iter().map(|o| &shadows[o.index()][0]).collect();
        let mut wanted = Vec::new();
        for shadow in shadows.iter() {
            if let Some(error) = &shadow.error {
                wanted.extend([&shadow.value, error]);
            }
        }
        let computed = if wanted.is_empty() {
            Vec::new()
        } else {
            let bounds = analysis.builder.finish(&wanted).map_err(|e| failed(e.to_string()))?;
            rlx_ir::eval(&bounds, inputs).map_err(|e| failed(e.to_string()))?
        };
        let mut computed = computed.into_iter();
        let outputs = shadows.iter().zip(evaluated).map(|(shadow, evaluated)| {
            match shadow.error.as_ref().and_then(|_| Some((computed.next()?, computed.next()?))) {
                Some((value, error)) => Expected::Near { evaluated, value, error },
                None => Expected::Exact(evaluated),
            }
        });
        Ok(Reference { outputs: outputs.collect() })
    }

    /// Compares the outputs of an implementation.
    pub fn check(&self, outputs: &[Literal], agreement: Agreement) -> Result<Verdict, Mismatch> {
        if outputs.len() != self.outputs.len() {
            return Err(Mismatch::count(outputs.len(), self.outputs.len()));
        }
        let mut verdict = Verdict::default();
        for (i, (got, expected)) in outputs.iter().zip(&self.outputs).enumerate() {
            match expected {
                Expected::Exact(want) => {
                    same_bits(got, want, agreement).map_err(|m| m.of_output(i))?;
                    verdict.judged += want.len();
                }
                Expected::Near { evaluated, value, error } => {
                    verdict += near(got, evaluated, value, error).map_err(|m| m.of_output(i))?;
                }
            }
        }
        Ok(verdict)
    }

    /// Returns the evaluator's outputs in the graph's own element types.
    pub fn evaluated(&self) -> Vec<&Literal> {
        self.outputs
            .iter()
            .map(|e| match e {
                Expected::Exact(literal) => literal,
                Expected::Near { evaluated, .. } => evaluated,
            })
            .collect()
    }

    /// Returns the outputs computed without rounding, except for the final rounding to their element types.
    pub fn rounded_once(&self) -> Vec<Literal> {
        let rounded = |e: &Expected| match e {
            Expected::Exact(literal) => literal.clone(),
            Expected::Near { evaluated, value, .. } => {
                let dtype = evaluated.dtype();
                let mut bytes = Vec::with_capacity(evaluated.bytes().len());
                (0..value.len()).for_each(|i| read(value, i).convert(dtype).write(dtype, &mut bytes));
                Literal::from_bytes(evaluated.shape(), &bytes).unwrap_or_else(|_| evaluated.clone())
            }
        };
        self.outputs.iter().map(rounded).collect()
    }

    /// Returns the error bound of each element of each output: 0 if it is exact, infinite if there is no bound.
    pub fn errors(&self) -> Vec<Vec<f64>> {
        let of = |e: &Expected| match e {
            Expected::Exact(literal) => vec![0.0; literal.len()],
            Expected::Near { error, .. } => (0..error.len()).map(|i| read(error, i).to_f64()).collect(),
        };
        self.outputs.iter().map(of).collect()
    }

    /// Returns the largest error bound among judged elements, relative to the magnitude of the element (or to 1 for smaller ones).
    pub fn looseness(&self) -> f64 {
        let mut worst = 0.0f64;
        for expected in &self.outputs {
            let Expected::Near { value, error, .. } = expected else { continue };
            for i in 0..value.len() {
                let (x, e) = (magnitude(read(value, i)), read(error, i).to_f64());
                if e.is_finite() && x.is_finite() {
                    worst = worst.max(e / x.max(1.0));
                }
            }
        }
        worst
    }
}

pub(crate) fn read(literal: &Literal, i: usize) -> Scalar {
    let dtype = literal.dtype();
    Scalar::read(dtype, &literal.bytes()[i * dtype.size()..])
}

fn magnitude(x: Scalar) -> f64 {
    match x {
        Scalar::Complex(z) => z.abs(),
        other => other.to_f64().abs(),
    }
}

/// Returns whether an element is within twice its bound of an oracle's value, or `None` if every value would be.
pub(crate) fn element_within(got: Scalar, want: Scalar, bound: f64, dtype: DType) -> Option<bool> {
    // The integer may come from a rounded number.
    let x = if dtype.is_int() { Scalar::Float(want.to_f64()) } else { want };
    inside(got, want, x, 2.0 * bound, dtype)
}

/// Fails at the first element outside its interval.
fn near(got: &Literal, evaluated: &Literal, value: &Literal, error: &Literal) -> Result<Verdict, Mismatch> {
    if got.shape() != evaluated.shape() {
        return Err(Mismatch::shape(got.shape(), evaluated.shape()));
    }
    let mut verdict = Verdict::default();
    for i in 0..got.len() {
        let (g, r) = (read(got, i), read(evaluated, i));
        let (x, e) = (read(value, i), read(error, i).to_f64());
        let inside = inside(g, r, x, 2.0 * e, got.dtype());
        if inside == Some(false) {
            return Err(Mismatch::element(i, got, format!("{g:?}"), format!("{x:?} ± {:e}", 2.0 * e)));
        }
        verdict.count(inside.is_some());
    }
    Ok(verdict)
}

/// Returns whether `got` is within `e` of `x`, or `None` if every value would be. `reference` is the evaluator's value,
/// which decides if x itself is not finite.
fn inside(got: Scalar, reference: Scalar, x: Scalar, e: f64, dtype: DType) -> Option<bool> {
    match (got, reference, x) {
        (Scalar::Float(g), Scalar::Float(r), Scalar::Float(x)) => inside_real(g, r, x, e, dtype),
        (Scalar::Complex(g), Scalar::Complex(r), Scalar::Complex(x)) => {
            if g.re.is_finite() && g.im.is_finite() && x.re.is_finite() && x.im.is_finite() && e.is_finite() {
                return Some((g - x).abs() <= e);
            }
            let part = dtype.real();
            match (inside_real(g.re, r.re, x.re, e, part), inside_real(g.im, r.im, x.im, e, part)) {
                (Some(a), Some(b)) => Some(a && b),
                _ => None,
            }
        }
        // Integers that a rounded value was converted to.
        (Scalar::Int(g), Scalar::Int(r), Scalar::Float(x)) => {
            e.is_finite().then(|| g == r || (g as f64 - x).abs() <= e)
        }
        // Booleans: an infinite bound marks a comparison that may go either way.
        (Scalar::Int(g), Scalar::Int(r), _) => (e == 0.0).then_some(g == r),
        _ => Some(false),
    }
}

fn inside_real(got: f64, reference: f64, x: f64, e: f64, dtype: DType) -> Option<bool> {
    let same = got == reference || (got.is_nan() && reference.is_nan());
    if !x.is_finite() {
        // If the exact result is not finite, every other result must be the same. Where rounding decides whether the
        // result is a number at all, nothing is judged.
        return if x.is_nan() && e == f64::INFINITY { None } else { Some(same) };
    }
    if !e.is_finite() {
        return None;
    }
    let round = |x: f64| Scalar::Float(x).convert(dtype).to_f64();
    let ends = [round(x - e), round(x + e)];
    // A format without infinities overflows to NaN.
    if ends.iter().all(|x| x.is_nan()) && x.abs() > e {
        return Some(got.is_nan());
    }
    let nan_as = |x: f64, y: f64| if x.is_nan() { y } else { x };
    let (low, high) = (nan_as(ends[0], f64::NEG_INFINITY), nan_as(ends[1], f64::INFINITY));
    let overflows = low.is_infinite() || high.is_infinite();
    let fits = if got.is_nan() { dtype == DType::F8E4M3 && overflows } else { low <= got && got <= high };
    // If the interval contains all numbers of the type, only a NaN can be wrong.
    let decides = low != f64::NEG_INFINITY || high != f64::INFINITY || !(same || fits);
    decides.then_some(same || fits)
}

/// Builds the graph of values and bounds.
pub(crate) struct Analysis {
    pub(crate) builder: Builder,
    pub(crate) freedom: Freedom,
    pub(crate) allowances: Vec<Allowance>,
}

impl Analysis {
    /// Returns the shadows of all results of all nodes. Inputs become `args`, or inputs of the same name if there are none.
    pub(crate) fn graph(
        &self,
        graph: &Graph,
        args: &[Shadow],
        known: &dyn Fn(NodeId) -> Known,
    ) -> Result<Vec<Vec<Shadow>>, BoundError> {
        let live = graph.live();
        let mut shadows: Vec<Vec<Shadow>> = Vec::with_capacity(graph.nodes().len());
        let mut next_arg = args.iter();
        for node in graph.nodes() {
            let made = match node.op() {
                Op::Input { name } | Op::Param { name } => match next_arg.next() {
                    Some(arg) => vec![arg.clone()],
                    None => vec![self.exact(self.builder.input(name.clone(), node.shape().clone()))],
                },
                _ if !live[node.id().index()] => Vec::new(),
                Op::Output { index } => vec![shadows[node.inputs()[0].index()][*index].clone()],
                _ => {
                    let operands: Vec<Shadow> =
                        node.inputs().iter().map(|i| shadows[i.index()][0].clone()).collect();
                    let rounded = operands.iter().any(|t| t.error.is_some());
                    let extreme = if rounded { order::is_extreme(graph, node, &shadows) } else { None };
                    match extreme {
                        Some(shadow) => vec![shadow],
                        None => self.node(graph, node, &operands, known(node.id()))?,
                    }
                }
            };
            shadows.push(made);
        }
        Ok(shadows)
    }

    fn node(
        &self,
        graph: &Graph,
        node: &Node,
        operands: &[Shadow],
        known: Known,
    ) -> Result<Vec<Shadow>, BoundError> {
        let all_exact = operands.iter().all(|t| t.error.is_none());
        let op = node.op();
        let shapes: Vec<Shape> = node.inputs().iter().map(|&i| graph.shape(i).clone()).collect();
        let own = || {
            let values: Vec<&Tensor> = operands.iter().map(|t| &t.value).collect();
            self.builder.apply_many(op.clone(), &values).into_iter()
        };
        if let (true, Known::Norm(units)) = (all_exact, known) {
            return Ok(own().map(|value| normwise(value, units)).collect());
        }
        let keeps = || rules::keeps_exact(op, &shapes, node.results(), self.freedom, &self.allowances);
        if all_exact && (known == Known::Exact || keeps()) {
            return Ok(own().map(|value| self.exact(value)).collect());
        }
        if let Op::Constant { value } = op {
            return Ok(own().map(|tensor| rounded_constant(tensor, value)).collect());
        }
        if op.kind().class() == OpClass::Composite {
            let body = op.decompose(&shapes).map_err(|e| BoundError::Failed(e.to_string()))?;
            let shadows = self.graph(&body, operands, &|_| Known::Nothing)?;
            return Ok(body.outputs().iter().map(|o| shadows[o.index()][0].clone()).collect());
        }
        let dtypes: Vec<DType> = shapes.iter().map(Shape::dtype).collect();
        rules::rounded(self, node, operands, &dtypes)
    }

    pub(crate) fn exact(&self, value: Tensor) -> Shadow {
        Shadow { value, error: None }
    }
}

/// Returns numbers as their type represents them: rounded, unless they have so few digits that every type represents them.
fn rounded_constant(tensor: Tensor, value: &Literal) -> Shadow {
    let dtype = value.dtype();
    let short = |x: Scalar| x.convert(DType::F8E5M2).to_f64() == x.to_f64();
    if !dtype.is_float() || (0..value.len()).all(|i| short(read(value, i))) {
        return Shadow { value: tensor, error: None };
    }
    let wide = tensor.convert(DType::F64);
    let error = rounding(&wide.abs(), dtype, 1.0);
    Shadow { value: wide, error: Some(error) }
}

/// Returns a value that is off by `units` units of rounding of its largest finite magnitude. Such a unit is twice
/// [`unit`], because [`Reference::check`] doubles the bound. Integers are exact.
fn normwise(value: Tensor, units: f64) -> Shadow {
    if !matches!(value.dtype().class(), Class::Float | Class::Complex) {
        return Shadow { value, error: None };
    }
    let error = units * unit(value.dtype());
    let shadow = Shadow { value, error: None };
    let (magnitude, axes) = (shadow.magnitude(), (0..shadow.value.rank()).collect::<Vec<_>>());
    let zero = magnitude.scalar_like(0.0);
    let finite =
        magnitude.compare(CompareOp::Lt, &magnitude.scalar_like(f64::INFINITY)).select(&magnitude, &zero);
    let largest = finite.reduce(ReduceOp::Max, &axes, false).maximum(&zero);
    let error = (largest * error).broadcast_to(&magnitude.dims());
    Shadow { value: shadow.wide(), error: Some(error) }
}

impl Shadow {
    /// Returns the value in f64 or c128. Booleans and integers become f64.
    pub(crate) fn wide(&self) -> Tensor {
        match self.value.dtype().class() {
            Class::Complex => self.value.convert(DType::C128),
            _ => self.value.convert(DType::F64),
        }
    }

    /// Returns the bound, which is zero where the value is exact.
    pub(crate) fn error(&self) -> Tensor {
        match &self.error {
            Some(error) => error.clone(),
            None => self.value.builder().scalar(0.0, DType::F64).broadcast_to(&self.value.dims()),
        }
    }

    /// Returns |value| in f64.
    pub(crate) fn magnitude(&self) -> Tensor {
        self.wide().abs()
    }
}

/// Returns the unit of rounding of an element type: half the distance from 1 to the next number.
pub(crate) fn unit(dtype: DType) -> f64 {
    Limits::of(dtype).epsilon() / 2.0
}

/// Returns the unit of rounding of sums. Types narrower than f32 are summed at least in f32.
pub(crate) fn sum_unit(dtype: DType) -> f64 {
    unit(dtype).min(unit(DType::F32))
}

/// Returns |x|·u of the element type plus the error of underflow. Infinities and NaN are not rounded.
pub(crate) fn rounding(magnitude: &Tensor, dtype: DType, units: f64) -> Tensor {
    let zero = magnitude.scalar_like(0.0);
    if units == 0.0 {
        return zero.broadcast_to(&magnitude.dims());
    }
    let error = magnitude * (units * unit(dtype)) + units * Limits::of(dtype).min_subnormal;
    magnitude.compare(CompareOp::Lt, &magnitude.scalar_like(f64::INFINITY)).select(&error, &zero)
}

/// Returns |a − b|: 0 if both are the same infinity or NaN, infinite if one of them is NaN.
pub(crate) fn distance(a: &Tensor, b: &Tensor) -> Tensor {
    let apart = (a - b).abs();
    let [a_nan, b_nan] = [a, b].map(|x| x.not_equal(x));
    let apart = a_nan.not_equal(&b_nan).select(&apart.scalar_like(f64::INFINITY), &apart);
    a.equal(b).or(&a_nan.and(&b_nan)).select(&apart.scalar_like(0.0), &apart)
}
