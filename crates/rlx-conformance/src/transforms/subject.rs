//! What is checked about one case: its graph, a point, and the operands that it is differentiated by.

use super::point::{beside, evaluate, is_inexact, numbers, point, wide, widened};
use super::reasons;
use crate::bound::Verdict;
use crate::case::{Case, Judged, Row};
use crate::report::Outcome;
use rlx_autodiff::{Error, Options};
use rlx_ir::{DType, Graph, Literal, Op};

/// Larger operands of functions with loops as derivatives would only take longer.
const MOST_IN_LOOPS: usize = 64;

/// Returns whether the derivative of an elementwise function is a loop that accumulates sums or products.
fn through_loops(op: &Op) -> bool {
    use rlx_ir::BinaryOp::{Igamma, Igammac, Zeta};
    matches!(op, Op::Betainc {} | Op::Binary { op: Igamma | Igammac | Zeta })
}

/// A graph with values for its inputs.
#[derive(Clone)]
pub(super) struct At {
    pub(super) graph: Graph,
    pub(super) values: Vec<Literal>,
}

/// A case to differentiate.
pub(super) struct Subject<'a> {
    pub(super) case: &'a Case,
    pub(super) own: At,
    /// The same case in f64 or c128 at the same numbers, or `None` if an operand has a fixed narrower type.
    pub(super) shadow: Option<At>,
    /// The operands that have derivatives.
    pub(super) wrt: Vec<usize>,
}

/// The options of the transforms: the gradient of an output that does not depend on an operand is zero.
pub(super) fn options() -> Options {
    Options::new().allow_unused()
}

impl<'a> Subject<'a> {
    /// Returns the case, or why there is nothing to differentiate.
    pub(super) fn new(row: &Row, case: &'a Case) -> Result<Subject<'a>, Outcome> {
        let graph = case.graph();
        if matches!(case.op, Op::BitcastConvert { .. }) {
            return Err(not_applicable("bits have no derivative; their tangents are zero by definition"));
        }
        if !graph.output_shapes().iter().any(|s| is_inexact(s.dtype())) {
            return Err(not_applicable("results are integers or booleans, which have no derivative"));
        }
        if through_loops(&case.op) && case.operands().iter().any(|s| s.num_elements() > Some(MOST_IN_LOOPS)) {
            return Err(skipped(
                "a large size of a function whose derivative is a loop; smaller sizes are checked",
            ));
        }
        let values = point(case);
        let inexact: Vec<usize> = (0..values.len()).filter(|&i| is_inexact(values[i].dtype())).collect();
        if inexact.is_empty() {
            return Err(not_applicable("no operand has floats or complex numbers"));
        }
        let results = evaluate(&graph, &values).map_err(Outcome::Failed)?;
        let mut elements = results.iter().filter(|y| is_inexact(y.dtype())).flat_map(numbers).peekable();
        if elements.peek().is_some() && elements.all(|y| !(y.re.is_finite() && y.im.is_finite())) {
            return Err(not_applicable("the function has no finite value at the points of this row"));
        }
        let wrt = differentiable(&graph, &inexact, case.op.mnemonic())?;
        let shadow = shadow(row, case, &values);
        Ok(Subject { case, own: At { graph, values }, shadow, wrt })
    }

    /// Returns whether the case itself only computes in f64 or c128.
    pub(super) fn is_wide(&self) -> bool {
        let inexact = |d: &DType| is_inexact(*d);
        let inputs = self.own.values.iter().map(Literal::dtype).filter(inexact);
        let outputs = self.own.graph.output_shapes().into_iter().map(|s| s.dtype());
        inputs.chain(outputs.filter(inexact)).all(|d| d == wide(d))
    }

    /// Returns the outcome of a check. It also fails if it judged less than required, unless that is debt.
    fn outcome(&self, check: &str, judged: Result<Verdict, String>) -> Outcome {
        let least = reasons::judged(&self.case.name, check);
        match judged {
            Err(message) => Outcome::Failed(message),
            Ok(Verdict { judged: 0, unjudged: 1.. }) if least.least == 0.0 => skipped(least.reason),
            // In f64, the two products of a case are a single number.
            Ok(Verdict { judged: 0, unjudged: 1 }) if check == "vjp" && self.is_wide() => skipped(INFINITE),
            Ok(Verdict { judged: 0, unjudged: 0 }) if self.has_elements() => skipped(INFINITE),
            Ok(verdict) => least.enough(verdict).map_or_else(Outcome::Failed, |()| Outcome::Passed),
        }
    }

    /// Returns what `compare` judges at the point of the case. If ties, kinks and poles leave too much unjudged there,
    /// it is also run next to them: nothing may be wrong at either point, and the one where more is judged counts.
    pub(super) fn at_either_point(
        &self,
        check: &str,
        compare: impl Fn(&Subject<'_>) -> Result<Verdict, String>,
    ) -> Outcome {
        let judged = compare(self).and_then(|own| {
            let enough = Judged::TABLE.enough(own).is_ok() && (own.judged > 0 || !self.has_elements());
            if enough {
                return Ok(own);
            }
            let moved = compare(&self.beside())?;
            Ok(if moved.judged > own.judged { moved } else { own })
        });
        self.outcome(check, judged)
    }

    /// Returns the same case with operands without ties.
    fn beside(&self) -> Subject<'a> {
        let values = beside(self.case, &self.own.values, &self.wrt);
        let at = |graph: &Graph, values| At { graph: graph.clone(), values };
        let shadow = self.shadow.as_ref().map(|t| at(&t.graph, values.iter().map(widened).collect()));
        Subject { case: self.case, own: at(&self.own.graph, values), shadow, wrt: self.wrt.clone() }
    }

    /// Returns whether there are derivatives, that is, elements in the operands and results.
    fn has_elements(&self) -> bool {
        let some = |s: &rlx_ir::Shape| is_inexact(s.dtype()) && s.num_elements() != Some(0);
        self.own.graph.output_shapes().iter().any(some) && self.shapes().iter().any(some)
    }

    /// Returns the shapes of the operands that the case is differentiated by.
    pub(super) fn shapes(&self) -> Vec<rlx_ir::Shape> {
        self.wrt.iter().map(|&i| self.own.values[i].shape().clone()).collect()
    }
}

const INFINITE: &str = "a derivative at the points of this row is not finite";

/// Reports a check that should be made at some time.
pub(super) fn skipped(why: &str) -> Outcome {
    Outcome::Skipped(why.to_string())
}

/// Reports a check that does not make sense for the case.
pub(super) fn not_applicable(why: &str) -> Outcome {
    Outcome::NotApplicable(why.to_string())
}

/// Returns the operands that the op can be differentiated by. An op may refuse some for a reason that is on the list.
fn differentiable(graph: &Graph, inexact: &[usize], op: &str) -> Result<Vec<usize>, Outcome> {
    let by = |wrt: &[usize]| rlx_autodiff::jvp_with(graph, wrt, &options());
    match by(inexact) {
        Ok(_) => Ok(inexact.to_vec()),
        Err(Error::NoRule { why, .. }) => {
            let Some(refusal) = reasons::stated(op, &why) else {
                return Err(Outcome::Failed(format!("no derivative: {why}")));
            };
            let rest: Vec<usize> = inexact.iter().copied().filter(|&i| by(&[i]).is_ok()).collect();
            match (rest.is_empty(), refusal.missing) {
                (true, true) => Err(skipped(&why)),
                (true, false) => Err(not_applicable(&why)),
                (false, _) => Ok(rest),
            }
        }
        Err(e) => Err(Outcome::Failed(e.to_string())),
    }
}

/// Returns the row's case in f64 or c128 at the same numbers.
fn shadow(row: &Row, case: &Case, values: &[Literal]) -> Option<At> {
    let shadow = row.of_type(case.family, wide(case.dtype))?;
    let graph = shadow.graph();
    let values: Vec<Literal> = values.iter().map(widened).collect();
    let fits = graph.inputs().map(|n| n.shape().clone()).eq(values.iter().map(|v| v.shape().clone()));
    fits.then_some(At { graph, values })
}
