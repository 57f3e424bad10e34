//! Custom calls, by the name of what they call.

use super::site::{Outcome, Problem, Rule, Site, Val, many};
use super::{checks, chlo, lapack, random, top_k, window};
use crate::composite::CUSTOM_PREFIX;
use crate::syntax::Attribute;
use rlx_ir::custom::find_custom;
use rlx_ir::{Graph, Op, Shape};

/// The rule of an operation of this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name {
        "stablehlo.custom_call" => custom_call,
        "sdy.sharding_constraint" | "sdy.reshard" => identity,
        _ => return None,
    })
}

/// The operands as they are: where values lie makes no difference to what they are.
fn identity(site: &mut Site<'_, '_>) -> Outcome<Vec<Val>> {
    Ok(site.args.clone())
}

fn custom_call(site: &mut Site<'_, '_>) -> Outcome<Vec<Val>> {
    let target = site.fields().need_word("call_target_name")?;
    if let Some(name) = target.strip_prefix("check.")
        && checks::comparison(name).is_some()
    {
        return checks::check(site);
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
            if site.args.len() == site.op.results.len() =>
        {
            return identity(site);
        }
        "shape_assertion" | "hlo_sharding" => return Ok(Vec::new()),
        "mhlo.topk" | "TopK" => return top_k::by_results(site),
        "stablehlo.dynamic_top_k" => return top_k::by_operand(site),
        "ApproxTopK" => return top_k::approximate(site),
        "stablehlo.dynamic_reduce_window" => return window::dynamic_reduce_window(site),
        "stablehlo.dynamic_rng_bit_generator" => return random::dynamic_bits(site),
        _ => {}
    }
    if let Some(rule) =
        target.strip_prefix("mhlo.").or(target.strip_prefix("chlo.")).and_then(chlo::find_named)
    {
        return rule(site);
    }
    if let Some(name) = target.strip_prefix(CUSTOM_PREFIX) {
        return brought_along(site, name);
    }
    if let Some(routine) = lapack::routine(target) {
        return lapack::call(site, routine);
    }
    Err(Problem::unsupported(format!("RLX does not know the call target `{target}`")))
}

impl Site<'_, '_> {
    /// The function that a custom call names, as a graph on values like these.
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

/// An op that the program brings along, of which its registered rule knows the results.
fn brought_along(site: &mut Site<'_, '_>, name: &str) -> Outcome<Vec<Val>> {
    let Some(rules) = find_custom(name) else {
        return Err(Problem::unsupported(format!(
            "no custom op `{name}` is registered; call `register_custom` before the program is read"
        )));
    };
    let config = site.fields().word("backend_config")?.unwrap_or_default().to_string();
    let args = site.tensors()?;
    let shapes: Vec<Shape> = args.iter().map(|&id| site.shape(id)).collect();
    let results = rules.infer(&config, &shapes)?;
    many(site.add_all(Op::Custom { name: name.into(), config, results }, &args)?)
}
