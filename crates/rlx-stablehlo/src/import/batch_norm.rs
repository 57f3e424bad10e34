//! Imports batch normalization and its gradient.

use super::context::{ImportContext, Outcome, Rule, Val, many};
use rlx_ir::{Op, ReduceOp, Tensor};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.batch_norm_inference" => inference,
        "stablehlo.batch_norm_training" => training,
        "stablehlo.batch_norm_grad" => grad,
        _ => return None,
    })
}

fn inference(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let args = cx.operands::<5>()?;
    let (axis, eps) = (cx.fields().need_size("feature_index")?, cx.fields().need_float("epsilon")?);
    many(cx.add_all(Op::BatchNorm { axis, eps }, &args)?)
}

fn training(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let args = cx.operands::<3>()?;
    let (axis, eps) = (cx.fields().need_size("feature_index")?, cx.fields().need_float("epsilon")?);
    many(cx.add_all(Op::BatchNormTraining { axis, eps }, &args)?)
}

/// Computes the gradients of x, scale and offset from x, scale, the statistics and the gradient of the result. With x̂
/// the normalized x, g the gradient and n the number of elements of a feature, they are scale/σ · (g − Σg/n −
/// x̂·Σ(g·x̂)/n), Σ(g·x̂) and Σg (Ioffe and Szegedy, 2015, section 3).
fn grad(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let args = cx.operands::<5>()?;
    let (axis, eps) = (cx.fields().need_size("feature_index")?, cx.fields().need_float("epsilon")?);
    many(cx.expand(&args, |_, x| {
        let [x, scale, mean, variance, g] = x else { return Vec::new() };
        let (dims, rank) = (x.dims(), x.rank());
        let others: Vec<usize> = (0..rank).filter(|&a| a != axis).collect();
        let along = |t: &Tensor| t.broadcast_in_dim(&dims, &[axis]);
        let sum = |t: &Tensor| t.reduce(ReduceOp::Sum, &others, false);
        let count = x.count(&others);
        let deviation = (variance + eps).sqrt();
        let normal = (x - along(mean)) / along(&deviation);
        let (of_scale, of_offset) = (sum(&(g * &normal)), sum(g));
        let rest = g - along(&(&of_offset / &count)) - normal * along(&(&of_scale / &count));
        vec![along(&(scale / &deviation)) * rest, of_scale, of_offset]
    })?)
}
