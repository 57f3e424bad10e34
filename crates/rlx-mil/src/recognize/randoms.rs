//! Recognizes random numbers with a constant key, which becomes the seed of CoreML's generator.

use super::form::{Form, Setting};
use super::rows::Candidates;
use super::seen::Seen;
use rlx_ir::{BinaryOp, CompareOp, Op, OpKind};

/// Returns the form of a draw of numbers with a key, which must be (0, seed).
fn drawn(of: Seen<'_>) -> Option<Form> {
    let key = of.input(0)?.literal()?.bytes();
    let [high, low] = *key.as_chunks::<4>().0 else { return None };
    let seed = i32::try_from(u32::from_le_bytes(low)).ok()?;
    (high == [0; 4])
        .then(|| Form::of(&[]).with("seed", Setting::Int(seed)))
        .and_then(|form| Some(form.with("shape", &of.dims()?[..])))
}

pub(super) fn uniform(root: Seen<'_>) -> Candidates {
    let limit = |i: usize, default: f64| root.input(i).map_or(Some(default), Seen::number);
    let number = |n: f64| (n, root.dtype());
    let form = drawn(root)?.with("low", number(limit(1, 0.0)?)).with("high", number(limit(2, 1.0)?));
    Some(vec![(form, Vec::new())])
}

pub(super) fn normal(root: Seen<'_>) -> Candidates {
    let (scaled, mean) = root.with_number(BinaryOp::Add).unwrap_or((root, 0.0));
    let (draws, deviation) = scaled.with_number(BinaryOp::Mul).unwrap_or((scaled, 1.0));
    draws.through(OpKind::RngNormal)?;
    let number = |n: f64| (n, root.dtype());
    Some(vec![(drawn(draws)?.with("mean", number(mean)).with("stddev", number(deviation)), Vec::new())])
}

pub(super) fn bernoulli(root: Seen<'_>) -> Candidates {
    let choice = root.input(0)?;
    let Op::Compare { op: CompareOp::Lt, .. } = choice.op() else { return None };
    let draws = choice.input(0)?;
    draws.through(OpKind::RngUniform)?;
    let form = drawn(draws)?.with("prob", (choice.input(1)?.number()?, root.dtype()));
    Some(vec![(form, Vec::new())])
}
