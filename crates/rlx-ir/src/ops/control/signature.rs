//! Checks of the inputs and outputs of the graph inside an op.

use crate::graph::Graph;
use crate::op::OpError;
use crate::ops::elementwise::merge;
use crate::shape::Shape;
use crate::tensor::check_args;

/// The shapes of the results of `body` on these values. Fails unless `body` accepts them.
pub(crate) fn check(what: &str, body: &Graph, args: &[Shape]) -> Result<Vec<Shape>, OpError> {
    check_args(what, body, args.iter().cloned())?;
    if body.outputs().is_empty() {
        return Err(OpError::shape(format!("{what} has no result; name at least one output")));
    }
    Ok(body.output_shapes())
}

/// The more specific shape of each pair. Fails unless the lists are compatible.
pub(crate) fn agree(
    got_what: &str,
    got: &[Shape],
    wanted_what: &str,
    wanted: &[Shape],
) -> Result<Vec<Shape>, OpError> {
    if got.len() != wanted.len() {
        return Err(OpError::shape(format!(
            "{got_what} returns {} value(s), but {wanted_what} has {}; the numbers must be equal",
            got.len(),
            wanted.len()
        )));
    }
    let pairs = got.iter().zip(wanted).enumerate();
    pairs
        .map(|(i, (g, w))| {
            if g.compatible(w) {
                return Ok(merge(w, g));
            }
            Err(OpError::shape(format!(
                "value {i} of {got_what} is {g}, that of {wanted_what} is {w}; they must have the same shape"
            )))
        })
        .collect()
}

/// Fails unless `rule` takes (args…, results…, a derivative of each of `from`) and returns a derivative of each of `to`.
pub(crate) fn check_rule(
    what: &str,
    rule: &Graph,
    args: &[Shape],
    results: &[Shape],
    from: &[Shape],
    to: &[Shape],
) -> Result<(), OpError> {
    let differentiable = |shapes: &[Shape]| -> Vec<Shape> {
        shapes.iter().filter(|s| s.dtype().is_float() || s.dtype().is_complex()).cloned().collect()
    };
    let given = check(what, rule, &[args, results, &differentiable(from)].concat())?;
    let (wanted, whose) =
        (differentiable(to), if what == "jvp" { "the list of results" } else { "the list of arguments" });
    agree(what, &given, &format!("{whose} that have derivatives"), &wanted).map(|_| ())
}
