//! Writes branches, loops, barriers and custom ops.

use super::writer::{EmittedValue, Writer, names, signature, symbol, types};
use crate::composite::CUSTOM_PREFIX;
use rlx_escape::mlir_string;
use rlx_ir::{Op, Shape, SubGraph};

/// Writes the op's line and the functions that it calls.
pub(super) fn write(
    w: &mut Writer<'_, '_>,
    op: &Op,
    xs: &[EmittedValue],
    results: &[Shape],
) -> Option<Vec<EmittedValue>> {
    let text = match op {
        Op::OptimizationBarrier {} => format!("stablehlo.optimization_barrier {} : {}", names(xs), types(xs)),
        Op::If { then_branch, else_branch } => {
            let (pred, args) = xs.split_first()?;
            let regions = [branch(w, "then", then_branch, args), branch(w, "else", else_branch, args)];
            let signature = signature(std::slice::from_ref(pred), results);
            format!("\"stablehlo.if\"({}) ({}) : {signature}", pred.name, regions.join(", "))
        }
        Op::Case { branches } => {
            let (index, args) = xs.split_first()?;
            let regions: Vec<String> = branches.iter().map(|b| branch(w, "branch", b, args)).collect();
            let signature = signature(std::slice::from_ref(index), results);
            format!("\"stablehlo.case\"({}) ({}) : {signature}", index.name, regions.join(", "))
        }
        Op::While { cond, body } => {
            let (cond, body) = (w.region(cond), w.region(body));
            format!("\"stablehlo.while\"({}) ({cond}, {body}) : {}", names(xs), signature(xs, results))
        }
        Op::Custom { name, config, .. } => format!(
            "stablehlo.custom_call {}({}) {{backend_config = {}}} : {}",
            symbol(&format!("{CUSTOM_PREFIX}{name}")),
            names(xs),
            mlir_string(config),
            signature(xs, results)
        ),
        _ => return None,
    };
    Some(w.line(results, &text))
}

/// Writes the region of a branch as the call of a separate function, so that the order of the arguments is kept.
fn branch(w: &mut Writer<'_, '_>, name: &str, body: &SubGraph, args: &[EmittedValue]) -> String {
    let function = w.module.private_function(name, body, None);
    let results = body.output_shapes();
    w.braces("", |w| {
        w.line(&results, &format!("func.call @{function}({}) : {}", names(args), signature(args, &results)))
    })
}
