//! Imports the checks that a program makes of itself, which are the operations of the `check` dialect.

use super::Comparison;
use super::constants::dense_constant;
use super::context::{ImportContext, Outcome, Problem, Rule, Val};
use crate::syntax::Attribute;

/// The default maximum distance of `expect_close`, in representable values.
const MAX_ULP: u64 = 3;

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    comparison(name.strip_prefix("check.")?).map(|_| check as Rule)
}

/// Returns how the check with this name compares.
pub(super) fn comparison(name: &str) -> Option<Comparison> {
    Some(match name {
        "expect_eq" | "expect_eq_const" => Comparison::Equal,
        "expect_close" => Comparison::Close { max_ulp: MAX_ULP },
        "expect_almost_eq" | "expect_almost_eq_const" => Comparison::AlmostEqual,
        _ => return None,
    })
}

/// Imports the comparison of a computed value with the expected one, which is an operand or an attribute.
pub(super) fn check(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let target = cx.fields().word("call_target_name").ok().flatten().unwrap_or(&cx.op.name);
    let name = target.strip_prefix("check.").unwrap_or(target);
    let mut how =
        comparison(name).ok_or_else(|| Problem::unsupported(format!("there is no check `{name}`")))?;
    if let (Comparison::Close { max_ulp }, Some(given)) = (&mut how, cx.fields().int("max_ulp_difference")?) {
        *max_ulp =
            u64::try_from(given).map_err(|_| Problem::error("max_ulp_difference must not be negative"))?;
    }
    let got = cx.tensor(0)?;
    let expected = match cx.op.attributes.get("value") {
        Some(Attribute::Dense(dense)) if cx.args.len() == 1 => dense_constant(cx, dense)?,
        _ => cx.tensor(1)?,
    };
    let (a, b) = (cx.shape(got), cx.shape(expected));
    if !a.compatible(&b) {
        return Err(Problem::error(format!("compares {a} with {b}, whose shapes differ")));
    }
    cx.im.check(how, got, expected)?;
    Ok(Vec::new())
}
