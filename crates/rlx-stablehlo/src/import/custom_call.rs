//! Imports custom calls by the name of their target.

use super::context::{ImportContext, Outcome, Problem, Rule, Val, many};
use super::{checks, chlo, lapack, random, top_k, window};
use crate::composite::CUSTOM_PREFIX;
use crate::syntax::Attribute;
use rlx_ir::custom::find_custom;
use rlx_ir::{Graph, Op, Shape};

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.custom_call" => custom_call,
        "sdy.sharding_constraint" | "sdy.reshard" => identity,
        _ => return None,
    })
}

/// Returns the operands unchanged: the placement of values does not change them.
fn identity(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    Ok(cx.args.clone())
}

fn custom_call(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    let target = cx.fields().need_word("call_target_name")?;
    if let Some(name) = target.strip_prefix("check.")
        && checks::comparison(name).is_some()
    {
        return checks::check(cx);
    }
    match target {
        "Sharding"
        | "SPMDFullToShardShape"
        | "SPMDShardToFullShape"
        | "annotate_device_placement"
        | "MoveToHost"
        | "MoveToDevice"
        | "LayoutConstraint"
        | "xla.sdy.FuncResultSharding"
        | "xla.sdy.GlobalToLocalShape"
        | "xla.sdy.LocalToGlobalShape"
            if cx.args.len() == cx.op.results.len() =>
        {
            return identity(cx);
        }
        "shape_assertion" | "hlo_sharding" => return Ok(Vec::new()),
        "mhlo.topk" | "TopK" => return top_k::by_results(cx),
        "stablehlo.dynamic_top_k" => return top_k::by_operand(cx),
        "ApproxTopK" => return top_k::approximate(cx),
        "stablehlo.dynamic_reduce_window" => return window::dynamic_reduce_window(cx),
        "stablehlo.dynamic_rng_bit_generator" => return random::dynamic_bits(cx),
        _ => {}
    }
    if let Some(rule) =
        target.strip_prefix("mhlo.").or(target.strip_prefix("chlo.")).and_then(chlo::find_named)
    {
        return rule(cx);
    }
    if let Some(name) = target.strip_prefix(CUSTOM_PREFIX) {
        return brought_along(cx, name);
    }
    if let Some(routine) = lapack::routine(target) {
        return lapack::call(cx, routine);
    }
    if target.contains("python_cpu_callback") || target.contains("python_gpu_callback") {
        return Err(Problem::unsupported(format!(
            "`{target}` calls back into Python, as `jax.debug.print`, `jax.debug.callback`, `jax.pure_callback` and `io_callback` do, but there is \
             no Python when RLX runs the program; leave it out of the function that is lowered"
        )));
    }
    Err(lapack::refusal(target)
        .unwrap_or_else(|| Problem::unsupported(format!("RLX does not know the call target `{target}`"))))
}

impl ImportContext<'_, '_> {
    /// Returns the function that a custom call names, as a graph on values like these.
    pub(super) fn called(&mut self, args: &[Val]) -> Outcome<Graph> {
        match self.op.attributes.get("called_computations") {
            Some(Attribute::Array(list)) => match list.as_slice() {
                [Attribute::Symbol(name)] => self.function(name, args),
                _ => Err(Problem::error("called_computations must name one function")),
            },
            _ => Err(Problem::error("attribute `called_computations` is missing")),
        }
    }
}

/// Imports a custom op of the program. Its registered rule gives the results.
fn brought_along(cx: &mut ImportContext<'_, '_>, name: &str) -> Outcome<Vec<Val>> {
    let Some(rules) = find_custom(name) else {
        return Err(Problem::unsupported(format!(
            "no custom op `{name}` is registered; call `register_custom` before reading the program"
        )));
    };
    let config = cx.fields().word("backend_config")?.unwrap_or_default().to_string();
    let args = cx.tensors()?;
    let shapes: Vec<Shape> = args.iter().map(|&id| cx.shape(id)).collect();
    let results = rules.infer(&config, &shapes)?;
    many(cx.add_all(Op::Custom { name: name.into(), config, results }, &args)?)
}
