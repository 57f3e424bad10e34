//! Imports collectives over a single replica and partition, which change nothing.

use super::attributes::Fields;
use super::context::{ImportContext, Outcome, Problem, Rule, Val, many, one};
use rlx_ir::DType;

/// Returns the rule that imports the operation `name`, if it belongs to this family.
pub(super) fn find(name: &str) -> Option<Rule> {
    Some(match name.strip_prefix("stablehlo.")? {
        "all_reduce" | "all_gather" | "reduce_scatter" | "all_to_all" | "cross-replica-sum" => alone,
        "collective_permute" | "collective_broadcast" => received,
        "partition_id" | "replica_id" => index,
        _ => return None,
    })
}

/// Fails unless the program runs in one replica and one partition.
fn check_alone(cx: &ImportContext<'_, '_>) -> Outcome<()> {
    let module = Fields(&cx.im.module.attributes);
    for (name, what) in [("mhlo.num_replicas", "replicas"), ("mhlo.num_partitions", "partitions")] {
        if let Some(count) = module.int(name)?
            && count > 1
        {
            return Err(Problem::unsupported(format!(
                "the module runs in {count} {what}; RLX runs programs in one"
            )));
        }
    }
    Ok(())
}

/// Imports a collective whose group consists of one process, which returns its operands.
fn alone(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    check_alone(cx)?;
    let groups = cx.fields().ints("replica_groups")?.unwrap_or_default();
    let members = groups.iter().filter(|&&member| member >= 0).count();
    if members > 1 {
        return Err(Problem::unsupported(format!(
            "replica_groups names {members} processes; RLX runs programs in one"
        )));
    }
    many(cx.tensors()?)
}

/// Imports a transfer: the value that the process receives from itself, or zeros if nothing is sent.
fn received(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    check_alone(cx)?;
    let [x] = cx.operands()?;
    let list = match cx.fields().ints("source_target_pairs")? {
        Some(pairs) => pairs,
        None => cx.fields().ints("replica_groups")?.unwrap_or_default(),
    };
    if list.iter().any(|&process| process > 0) {
        return Err(Problem::unsupported("names processes other than 0; RLX runs programs in one process"));
    }
    if !list.is_empty() {
        return one(x);
    }
    let shape = cx.shape(x);
    let zero = cx.integer(0, shape.dtype())?;
    one(cx.spread(zero, shape.dims())?)
}

fn index(cx: &mut ImportContext<'_, '_>) -> Outcome<Vec<Val>> {
    check_alone(cx)?;
    one(cx.integer(0, DType::U32)?)
}
