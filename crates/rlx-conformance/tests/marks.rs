//! The marks of ops in the op table, compared with their meaning.

use rlx_conformance::Case;
use rlx_conformance::case::{Inputs, borrowed};
use rlx_conformance::cases::all;
use rlx_ir::{DType, Literal, Op, OpKind, eval};
use std::collections::BTreeSet;

fn floats(literal: &Literal) -> Vec<f32> {
    literal.bytes().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// Returns the inputs, with the marked operands doubled.
fn doubled(case: &Case, inputs: &Inputs, is_marked: impl Fn(usize) -> bool) -> Inputs {
    let twice = |(i, (name, literal)): (usize, &(String, Literal))| {
        let literal = match literal.dtype() {
            DType::F32 if is_marked(i) => {
                let values: Vec<f32> = floats(literal).iter().map(|x| 2.0 * x).collect();
                Literal::new(&literal.dims(), &values).expect("as many values")
            }
            _ => literal.clone(),
        };
        (name.clone(), literal)
    };
    assert_eq!(inputs.len(), case.operands().len());
    inputs.iter().enumerate().map(twice).collect()
}

/// Returns whether doubling the marked operands doubles the results, to the bit. A power of two does not round.
fn doubles(case: &Case, is_marked: impl Fn(usize) -> bool) -> bool {
    let graph = case.graph();
    let inputs = case.inputs();
    let run = |inputs: &Inputs| eval(&graph, &borrowed(inputs)).expect("the table's cases run");
    let (once, twice) = (run(&inputs), run(&doubled(case, &inputs, is_marked)));
    // If the double is too large or too small for its type, nothing is checked.
    let is_plain = |x: f32| x == 0.0 || x.is_finite() && x.abs() > 1e-30;
    let agree = |(x, y): (f32, f32)| !is_plain(2.0 * x) || 2.0 * x == y || !y.is_finite();
    once.iter()
        .zip(&twice)
        .filter(|(x, _)| x.dtype() == DType::F32)
        .all(|(x, y)| floats(x).into_iter().zip(floats(y)).all(agree))
}

#[test]
fn ops_are_linear_in_the_operands_that_are_marked() {
    // This op rounds to fewer digits than f32 has, and to a smaller exponent range.
    let rounds = |op: &Op| matches!(op, Op::ReducePrecision { .. });
    let mut seen: BTreeSet<OpKind> = BTreeSet::new();
    for case in all().iter().filter(|case| case.dtype == DType::F32 && !rounds(&case.op)) {
        let kind = case.kind();
        if kind.is_linear() {
            assert!(doubles(case, |i| kind.is_linear_in(i)), "{}", case.name);
            seen.insert(kind);
        }
    }
    assert!(seen.len() > 25, "few ops are marked: {seen:?}");
}

/// The check detects a wrong mark.
#[test]
fn an_op_that_is_not_linear_is_found() {
    let of =
        |kind: OpKind| all().into_iter().filter(move |case| case.kind() == kind && case.dtype == DType::F32);
    assert!(of(OpKind::Softmax).any(|case| !doubles(&case, |_| true)));
    assert!(
        of(OpKind::DotGeneral).any(|case| !doubles(&case, |_| true)),
        "it is linear in one operand at a time"
    );
}
