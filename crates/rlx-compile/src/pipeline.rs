//! The pipeline: the passes in order, with the verifier between them in debug builds.

use crate::alias::{Alias, AliasError, check_aliases};
use crate::bodies::map_bodies;
use crate::dispatch::{Decision, DispatchEntry, DispatchReport};
use crate::emit::EmitError;
use crate::error::BackendError;
use crate::legalize::{LegalizeError, legalize};
use crate::lowered::{BindError, Lowered};
use crate::options::CompileOptions;
use crate::pass::Pass;
use crate::passes::{Passes, check};
use crate::patterns::recognize_patterns;
use crate::precision::apply_precision;
use crate::schedule::schedule;
use crate::simplify::simplify;
use rlx_driver::Topic;
use rlx_fusion::Claims;
use rlx_ir::{Graph, OpError, Violations, verify};
use std::convert::Infallible;

/// Why a graph did not compile.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum CompileError {
    /// The graph is not valid.
    #[error(transparent)]
    Invalid(#[from] Violations),
    /// The alias pairs do not fit the graph.
    #[error(transparent)]
    Alias(#[from] AliasError),
    /// The sizes do not fit the graph.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The backend cannot run some nodes.
    #[error(transparent)]
    Legalize(#[from] LegalizeError),
    /// The precision policy cannot be applied.
    #[error("precision: {0}")]
    Precision(OpError),
    /// The backend failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The program could not be emitted for a target that runs elsewhere.
    #[error(transparent)]
    Emit(#[from] EmitError),
}

/// Lowers `graph` for the claims of a target, which dispatch reports call `target`. The graph may have symbols. `aliases` lists the
/// outputs that update state buffers.
pub fn lower_for(
    graph: &Graph,
    aliases: &[Alias],
    target: &str,
    claims: &dyn Claims,
    options: &CompileOptions,
) -> Result<Lowered, CompileError> {
    verify(graph)?;
    lower_verified(graph, aliases, target, claims, options)
}

/// Like [`lower_for`], for a graph that has already been verified.
pub fn lower_verified(
    graph: &Graph,
    aliases: &[Alias],
    target: &str,
    claims: &dyn Claims,
    options: &CompileOptions,
) -> Result<Lowered, CompileError> {
    lower_watched(graph, aliases, (target, claims), options, &rlx_driver::report)
}

/// Like [`lower_verified`], but passes the graphs and times that the options ask for to `watch`.
fn lower_watched(
    graph: &Graph,
    aliases: &[Alias],
    (target, claims): (&str, &dyn Claims),
    options: &CompileOptions,
    watch: &dyn Fn(Topic, &str),
) -> Result<Lowered, CompileError> {
    check(graph, "the caller");
    check_aliases(graph, aliases)?;
    let passes = Passes::new(options, watch);
    let precise = |graph: &Graph| {
        let running = passes.begin(Pass::Precision, graph);
        let precise = apply_precision(graph, options.precision).map_err(CompileError::Precision)?;
        passes.end(running, precise.as_ref());
        Ok::<_, CompileError>(precise)
    };
    let legal = |graph: &Graph| {
        let running = passes.begin(Pass::Legalize, graph);
        let (legal, report) = legalize(graph, target, claims, options)?;
        passes.end(running, Some(&legal));
        Ok::<_, CompileError>((legal, report))
    };
    let rewrites = claims.rewrites();
    let recognized = |graph: &Graph| rewrites.and_then(|own| own.recognize(graph));
    let opened = rewrites.and_then(|own| own.opened(graph));
    let graph = opened.as_ref().unwrap_or(graph);
    let (graph, mut report) = if options.precision.is_mixed() {
        let (graph, report) = legal(recognized(graph).as_ref().unwrap_or(graph))?;
        let precise = precise(&graph)?;
        let (graph, mut precise_report) = legal(&precise.unwrap_or(graph))?;
        // The report describes the graph that runs. Entries of nodes that were replaced come from the first round, which replaced them.
        let is_replaced =
            |entry: &DispatchEntry| matches!(entry.decision, Decision::CommonIr | Decision::Rewritten);
        let replaced: Vec<DispatchEntry> = report.entries.into_iter().filter(is_replaced).collect();
        precise_report.entries.splice(0..0, replaced);
        (graph, precise_report)
    } else {
        let precise = precise(graph)?;
        let graph = precise.as_ref().unwrap_or(graph);
        legal(recognized(graph).as_ref().unwrap_or(graph))?
    };
    let graph = Optimizer { claims, options, passes: &passes, report: &mut report }.optimize(graph, true);
    let graph = passes.run(Pass::Schedule, graph, |graph| schedule(graph, aliases));
    if options.print_times {
        passes.report_times();
    }
    Ok(Lowered::new(graph, aliases, options, Some(report))?)
}

/// Runs the passes that make a legal graph faster.
struct Optimizer<'a> {
    claims: &'a dyn Claims,
    options: &'a CompileOptions,
    passes: &'a Passes<'a>,
    report: &'a mut DispatchReport,
}

impl Optimizer<'_> {
    /// Simplifies and fuses a graph. Does the same for the graphs inside its nodes first, and schedules them. Graphs over single
    /// elements are not fused, because kernels process their nodes themselves.
    fn optimize(&mut self, graph: Graph, fuses: bool) -> Graph {
        let Optimizer { claims, options, passes, .. } = *self;
        let inner = map_bodies(&graph, |op, body| {
            let body = self.optimize(body.clone(), fuses && op.is_control());
            Ok::<_, Infallible>(passes.run(Pass::Schedule, body, |body| schedule(body, &[])))
        });
        let mut graph = inner.unwrap_or_default().unwrap_or(graph);
        if options.simplify {
            graph = passes.run(Pass::Simplify, graph, simplify);
        }
        if options.fuse && fuses {
            let running = passes.begin(Pass::Patterns, &graph);
            let found = recognize_patterns(&graph, claims, options);
            passes.end(running, found.as_ref().map(|(found, _)| found));
            if let Some((found, entries)) = found {
                self.report.entries.extend(entries);
                graph = found;
            }
            graph = passes.run(Pass::Fuse, graph, |graph| rlx_fusion::fuse(graph, claims));
            self.report.add_fusions(&graph);
        }
        graph
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_fusion::claims::ClaimsAll;
    use rlx_ir::{Builder, DType, Shape};
    use std::cell::RefCell;

    /// What is reported about lowering `x · 1 + x`.
    fn reported(print: Option<&str>, times: bool) -> String {
        let b = Builder::new("watched");
        let x = b.input("x", Shape::new(&[3], DType::F32));
        let graph = b.finish(&[&(&(&x * 1.0) + &x)]).unwrap();
        let mut options = CompileOptions::new();
        (options.print_ir, options.print_times) = (print.map(|text| text.parse().unwrap()), times);
        let text = RefCell::new(String::new());
        let watch = |topic: Topic, part: &str| {
            assert_eq!(topic, if part.starts_with("passes: ") { Topic::Times } else { Topic::Graph });
            text.borrow_mut().push_str(part);
        };
        lower_watched(&graph, &[], ("test", &ClaimsAll), &options, &watch).unwrap();
        text.into_inner()
    }

    #[test]
    fn graphs_are_reported_around_the_passes_that_are_asked_for() {
        assert_eq!(reported(None, false), "");
        let before = reported(Some("before"), false);
        for pass in Pass::ALL {
            assert_eq!(before.matches(&format!("// before {pass}\n")).count(), 1, "{before}");
        }
        let simplified = reported(Some("changed:simplify"), false);
        assert_eq!(simplified.matches("//").count(), 1, "{simplified}");
        assert!(simplified.starts_with("// after simplify\ngraph \"watched\""), "{simplified}");
        assert!(!simplified.contains(" mul "), "the product with one is gone: {simplified}");
        assert_eq!(reported(Some("changed:precision"), false), "");
        assert_eq!(reported(Some("after:precision"), false), "// precision changed nothing\n");
    }

    #[test]
    fn times_name_every_pass() {
        let line = reported(None, true);
        assert!(line.starts_with("passes: precision ") && line.ends_with(" ms\n"), "{line}");
        assert!(Pass::ALL.iter().all(|pass| line.contains(pass.name())), "{line}");
    }
}
