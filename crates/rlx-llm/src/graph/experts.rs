//! Mixtures of experts: the rows of tokens are grouped by expert, so that all experts are one ragged product.

use super::feed::feed;
use super::part::ModelPart;
use crate::spec::{ExpertGate, ExpertWeights, ExpertsSpec, FeedSpec};
use rlx_ir::{Activation, CompareOp, DType, Dim, Op, ReduceOp, Shape, SortOrder, Tensor};

/// Returns the mixture for x `[batch, seq, width]`.
pub(super) fn experts(part: &ModelPart<'_>, x: &Tensor, width: usize, spec: &ExpertsSpec) -> Tensor {
    let tokens = &x.dim(0) * &x.dim(1);
    let rows = x.reshape(&[tokens.clone(), width.into()]);
    let scores = part.linear("router", &rows, (width, spec.count), spec.bias);
    let (weights, chosen) = choose(&scores, spec);
    let routes = Routes::new(&chosen, spec);

    let own = part.block("experts", |part| {
        let sorted = rows.take(&routes.tokens, 0);
        let product = |name: &str, x: &Tensor, (inputs, outputs): (usize, usize)| {
            part.block(name, |part| {
                let product = part.stack(spec.count, outputs, inputs).project_runs(x, &routes.sizes);
                if spec.bias {
                    product + part.vector("bias", &[spec.count, outputs]).take(&routes.experts, 0)
                } else {
                    product
                }
            })
        };
        let [gate, up] = ["gate", "up"].map(|name| product(name, &sorted, (width, spec.intermediate)));
        product("down", &between(gate, up, spec.gate), (spec.intermediate, width))
    });
    let of_tokens = own.take(&routes.back, 0).reshape(&[tokens, spec.used.into(), width.into()]);
    let weights = weights.broadcast_in_dim(&of_tokens.dims(), &[0, 1]);
    let mut sum = (of_tokens * weights).reduce(ReduceOp::Sum, &[1], false);
    if let Some(intermediate) = spec.shared {
        let gated = FeedSpec::Gated { intermediate, activation: Activation::Silu, bias: false };
        let of_all = part.block("shared", |part| feed(part, &rows, width, &gated));
        let share = part.linear("shared_gate", &rows, (width, 1), false).activation(Activation::Sigmoid);
        sum = sum + of_all * share.broadcast_in_dim(&rows.dims(), &[0, 1]);
    }
    sum.reshape(&x.dims())
}

/// Returns the experts `[tokens, used]` that each row of scores `[tokens, count]` uses, and their weights.
fn choose(scores: &Tensor, spec: &ExpertsSpec) -> (Tensor, Tensor) {
    let best = |scores: &Tensor| scores.top_k(spec.used);
    match spec.weights {
        ExpertWeights::OfUsed => {
            let (scores, chosen) = best(scores);
            (scores.softmax(1), chosen)
        }
        ExpertWeights::OfAll => best(&scores.softmax(1)),
        ExpertWeights::Renormalized => {
            let (weights, chosen) = best(&scores.softmax(1));
            let sum = weights.reduce(ReduceOp::Sum, &[1], true);
            (&weights / &sum.broadcast_in_dim(&weights.dims(), &[0, 1]), chosen)
        }
    }
}

/// The assignment of rows to experts.
struct Routes {
    /// The token of each row. Rows are sorted by expert.
    tokens: Tensor,
    /// The expert of each row.
    experts: Tensor,
    /// The number of rows of each expert.
    sizes: Tensor,
    /// The positions of the first token's rows, then those of the second token, and so on.
    back: Tensor,
}

impl Routes {
    /// Computes the routes for tokens that use the experts `[tokens, used]`.
    fn new(chosen: &Tensor, spec: &ExpertsSpec) -> Routes {
        let rows = &chosen.dim(0) * spec.used;
        let flat = chosen.reshape(std::slice::from_ref(&rows));
        let numbers = flat.builder().iota(Shape::from_dims(std::slice::from_ref(&rows), DType::I32), 0);
        let sorted = |key: &Tensor| {
            let sort = Op::Sort { axis: 0, order: SortOrder::Ascending, num_keys: 1, stable: true };
            let mut both = key.apply_many(sort, &[&numbers]);
            let order = both.pop().unwrap_or_else(|| key.clone());
            (both.pop().unwrap_or_else(|| key.clone()), order)
        };
        let (experts, order) = sorted(&flat);
        let (_, back) = sorted(&order);
        let dims = [rows, Dim::Static(spec.count)];
        let all = flat.builder().iota(Shape::from_dims(&dims, DType::I32), 1);
        let is_own = flat.broadcast_in_dim(&dims, &[0]).compare(CompareOp::Eq, &all);
        let sizes = is_own.convert(DType::I32).reduce(ReduceOp::Sum, &[0], false);
        let used = flat.builder().int(spec.used as i64, DType::I32);
        Routes { tokens: order / used, experts, sizes, back }
    }
}

/// Computes what is between the projections of an expert.
fn between(gate: Tensor, up: Tensor, kind: ExpertGate) -> Tensor {
    match kind {
        ExpertGate::Swiglu => gate.swiglu(&up),
        ExpertGate::Clamped { alpha, limit } => {
            let gate = gate.minimum(&gate.scalar_like(limit));
            let up = up.minimum(&up.scalar_like(limit)).maximum(&up.scalar_like(-limit));
            let open = (&gate * alpha).activation(Activation::Sigmoid);
            gate * open * (up + 1.0)
        }
    }
}
