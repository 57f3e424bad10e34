//! Recognizes norms, and functions with parameters per channel.

use super::form::Form;
use super::rows::Candidates;
use super::seen::Seen;
use rlx_ir::{Activation, BinaryOp, Op, OpKind, ReduceOp, UnaryOp};

/// x / (k + alpha / size · sum of squares)^beta
pub(super) fn local_response_norm(root: Seen<'_>) -> Candidates {
    let [x, below] = root.both(BinaryOp::Div)?;
    let below = below.through(OpKind::Convert).unwrap_or(below);
    let (base, beta) = below.with_number(BinaryOp::Pow)?;
    let (scaled, k) = base.with_number(BinaryOp::Add)?;
    let (sum, alpha) = scaled.with_number(BinaryOp::Mul)?;
    let Op::ReduceWindow { kind: ReduceOp::Sum, spec } = sum.op() else { return None };
    let size = *spec.window.get(1)?;
    let number = |n: f64| (n, x.dtype());
    let form = Form::of(&["x"])
        .with("size", size)
        .with("alpha", number(alpha * size as f64))
        .with("beta", number(beta))
        .with("k", number(k));
    Some(vec![(form, vec![x.id])])
}

/// x / sqrt(sum of squares along the last three axes + epsilon)
pub(super) fn l2_norm(root: Seen<'_>) -> Candidates {
    let [x, below] = root.both(BinaryOp::Div)?;
    // Norms of f16 are computed in f32.
    let below = below.through(OpKind::Convert).unwrap_or(below);
    let root_of = below.through(OpKind::BroadcastInDim).unwrap_or(below);
    if !matches!(root_of.op(), Op::Unary { op: UnaryOp::Sqrt }) {
        return None;
    }
    let (_, epsilon) = root_of.input(0)?.with_number(BinaryOp::Add)?;
    (x.dims()?.len() >= 3).then(|| vec![(Form::of(&["x"]).with("epsilon", (epsilon, x.dtype())), vec![x.id])])
}

/// alpha · softplus(beta · x), with one number per channel each
pub(super) fn softplus_parametric(root: Seen<'_>) -> Candidates {
    let [a, b] = root.both(BinaryOp::Mul)?;
    let is_softplus = |of: &Seen<'_>| matches!(of.op(), Op::Activation { kind: Activation::Softplus });
    let (soft, alpha) = if is_softplus(&a) { (a, b) } else { (b, a) };
    let [x, beta] = soft.through(OpKind::Activation).filter(|_| is_softplus(&soft))?.both(BinaryOp::Mul)?;
    let alpha = numbers(alpha)?;
    let (x, beta) = match numbers(beta) {
        Some(beta) => (x, beta),
        None => (beta, numbers(x)?),
    };
    let is_image = (3..=5).contains(&x.dims()?.len());
    is_image.then(|| vec![(Form::of(&["x", "alpha", "beta"]), vec![x.id, alpha.id, beta.id])])
}

/// Returns the vector in a value that repeats it.
fn numbers(of: Seen<'_>) -> Option<Seen<'_>> {
    of.through(OpKind::BroadcastInDim).filter(|of| of.dims().is_some_and(|dims| dims.len() == 1))
}
