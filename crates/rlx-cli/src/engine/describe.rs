//! Describes how the compiler treats a graph: blocks, dispatch, memory and steps.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use rlx_ir::Graph;
use rlx_models::bert;
use rlx_models::model::SentenceModel;
use rlx_runtime::profile::StepInfo;
use rlx_runtime::{CompiledGraph, Decision, DispatchReport, format_dispatch_report};

use super::compile;
use crate::compute::Compute;
use crate::failure::Failure;
use crate::{graph, program, units};

/// Maximum number of kinds of steps to list.
const KINDS: usize = 12;

/// What to include in a description.
pub struct Describe<'a> {
    /// Print the graph in Graphviz format instead of text.
    pub dot: bool,
    /// List every tensor.
    pub tensors: bool,
    /// List every step with the memory of its values, and every line of the dispatch report.
    pub steps: bool,
    /// Known sizes of symbolic dimensions.
    pub dims: &'a [(String, usize)],
    pub compute: &'a Compute,
}

/// Describes how the compiler treats the graph in the file `path`.
pub fn describe_graph(path: &Path, wanted: &Describe<'_>) -> Result<String, Failure> {
    describe(program::read(path)?.graph, wanted)
}

/// Describes how the compiler treats the graph of `model`.
pub fn describe_model(model: &SentenceModel, wanted: &Describe<'_>) -> Result<String, Failure> {
    describe(bert::sentence_graph(&model.encoder, &model.sentence)?, wanted)
}

fn describe(graph: Graph, wanted: &Describe<'_>) -> Result<String, Failure> {
    if wanted.dot {
        return Ok(graph::dot(&graph));
    }
    let mut text = graph::summary(&graph, wanted.tensors);
    let mut compiled = compile(graph, wanted.compute)?;
    let symbols: Vec<String> = compiled.graph().symbols().iter().map(|s| s.name().to_string()).collect();
    // A size for a dimension that the graph does not have is only an error if the user named the dimension.
    let dims: Vec<(&str, usize)> = wanted.dims.iter().map(|(name, size)| (name.as_str(), *size)).collect();
    compiled.bind_dims(&dims)?;
    let open: Vec<&String> = symbols.iter().filter(|s| !dims.iter().any(|(name, _)| name == s)).collect();
    if !open.is_empty() {
        let open: Vec<String> = open.iter().map(|s| format!("--dim {s}=SIZE")).collect();
        text.push_str(&format!("\nThe plan needs the size of every dimension: {}\n", open.join(" ")));
        return Ok(text);
    }
    let sizes: Vec<String> = dims.iter().map(|(name, size)| format!("{name} = {size}")).collect();
    let sizes = if sizes.is_empty() { String::new() } else { format!(" with {}", sizes.join(", ")) };
    text.push_str(&format!("\nOn {}{sizes}\n", wanted.compute.device));
    text.push_str(&prepared(&mut compiled, wanted.steps)?);
    Ok(text)
}

/// How the graph runs on its device: dispatch, memory and steps. With `all`, every step is listed.
fn prepared(compiled: &mut CompiledGraph, all: bool) -> Result<String, Failure> {
    let report = compiled.dispatch_report()?;
    let memory = compiled.describe()?;
    let steps = compiled.steps()?;
    if all {
        return Ok(format!(
            "{}\n{}\n{}",
            format_dispatch_report(&report),
            memory.trim_end(),
            each_step(&steps)
        ));
    }
    let indented: Vec<String> =
        units::in_text(memory.trim_end()).lines().map(|l| format!("  {l}\n")).collect();
    Ok(format!("  {}\n{}{}", dispatch(&report), indented.concat(), kinds_of_steps(&steps)))
}

/// The totals of a dispatch report, with the ops that have no kernels of their own.
fn dispatch(report: &DispatchReport) -> String {
    let of = |decision: Decision| {
        let mut ops: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in report.entries.iter().filter(|e| e.decision == decision && decision != Decision::Native)
        {
            *ops.entry(entry.op).or_default() += 1;
        }
        let ops: Vec<String> = ops.iter().map(|(op, count)| format!("{op} ×{count}")).collect();
        let ops = if ops.is_empty() { String::new() } else { format!(" ({})", ops.join(", ")) };
        (report.count(decision) > 0).then(|| format!("{} {}{ops}", report.count(decision), decision.name()))
    };
    format!("dispatch: {}", Decision::ALL.into_iter().filter_map(of).collect::<Vec<_>>().join(", "))
}

/// One line per kind of step, named as in `rlx profile`, those with the most computation first: how many steps there
/// are, and what they compute and move in total.
fn kinds_of_steps(steps: &[StepInfo]) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let mut kinds: BTreeMap<(&str, &str), (usize, f64, f64)> = BTreeMap::new();
    for StepInfo { op, shapes, counts, .. } in steps {
        let (count, flops, bytes) = kinds.entry((op, shapes)).or_default();
        *count += 1;
        *flops += counts.flops;
        *bytes += counts.bytes;
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by(|a, b| (b.1.1, b.1.2).partial_cmp(&(a.1.1, a.1.2)).unwrap_or(std::cmp::Ordering::Equal));
    let mut text = format!("\n  {:>4}  {:>9}  {:>11}  step\n", "×", "FLOP", "moved");
    for ((op, shapes), (count, flops, bytes)) in kinds.iter().take(KINDS) {
        let (flops, bytes) = (units::count(*flops as usize), units::bytes(*bytes as usize));
        let _ = writeln!(text, "  {count:>4}  {flops:>9}  {bytes:>11}  {op} {shapes}");
    }
    if kinds.len() > KINDS {
        let _ = writeln!(text, "  … {} more kinds of steps; --steps lists every step", kinds.len() - KINDS);
    }
    text
}

/// One line per step, in order: name, shapes, block, and where its values are in memory.
fn each_step(steps: &[StepInfo]) -> String {
    let mut text = String::new();
    for (number, StepInfo { op, label, shapes, memory, .. }) in steps.iter().enumerate() {
        let label = if label.is_empty() { String::new() } else { format!(" @ {}", graph::shortened(label)) };
        let _ = writeln!(text, "{number:>4}  {op} {shapes}{label}\n        {memory}");
    }
    text
}
