//! The pipeline: the passes in their order, with the verifier between them in debug builds.

use crate::alias::{Alias, AliasError, check_aliases};
use crate::backend::{Backend, BackendError, Executable};
use crate::bodies::{is_control, map_bodies};
use crate::dispatch::DispatchReport;
use crate::emit::EmitError;
use crate::legalize::{LegalizeError, legalize};
use crate::lowered::{BindError, Lowered};
use crate::options::CompileOptions;
use crate::patterns::recognize_patterns;
use crate::precision::apply_precision;
use crate::schedule::schedule;
use crate::simplify::simplify;
use rlx_fusion::Claims;
use rlx_ir::{Bindings, Graph, OpError, Violations, verify};
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
    /// A target that runs elsewhere cannot say the program.
    #[error(transparent)]
    Emit(#[from] EmitError),
}

/// A compiled program.
pub struct Compiled {
    /// What was lowered.
    pub lowered: Lowered,
    /// The first instance, bound to the sizes that the graph was compiled with.
    pub executable: Box<dyn Executable>,
}

/// Lowers `graph`, whose sizes may be symbols, for a backend's claims. `aliases` are the outputs that update state buffers.
pub fn lower(
    graph: &Graph,
    aliases: &[Alias],
    backend: &dyn Backend,
    options: &CompileOptions,
) -> Result<Lowered, CompileError> {
    lower_for(graph, aliases, backend.device().name(), backend.claims(), options)
}

/// [`lower`] for the claims of any target, which dispatch reports call `target`.
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

/// [`lower_for`] of a graph that the verifier has accepted.
pub fn lower_verified(
    graph: &Graph,
    aliases: &[Alias],
    target: &str,
    claims: &dyn Claims,
    options: &CompileOptions,
) -> Result<Lowered, CompileError> {
    check(graph, "the caller");
    check_aliases(graph, aliases)?;
    let precise = |graph: &Graph| {
        let precise = apply_precision(graph, options.precision).map_err(CompileError::Precision)?;
        precise.iter().for_each(|precise| check(precise, "precision"));
        Ok::<_, CompileError>(precise)
    };
    let legal = |graph: &Graph| {
        let (legal, report) = legalize(graph, target, claims, options)?;
        check(&legal, "legalize");
        Ok::<_, CompileError>((legal, report))
    };
    let (graph, mut report) = if options.precision.is_mixed() {
        let (graph, report) = legal(graph)?;
        let precise = precise(&graph)?;
        (legal(&precise.unwrap_or(graph))?.0, report)
    } else {
        legal(precise(graph)?.as_ref().unwrap_or(graph))?
    };
    let graph = optimize(graph, claims, options, true, &mut report);
    let graph = schedule(graph, aliases);
    check(&graph, "schedule");
    Ok(Lowered::new(graph, aliases, options, Some(report))?)
}

/// Simplifies and fuses a legal graph, and before it the graphs inside its nodes, which are also scheduled. What describes single
/// elements is not fused: kernels take it apart themselves.
fn optimize(
    graph: Graph,
    claims: &dyn Claims,
    options: &CompileOptions,
    fuses: bool,
    report: &mut DispatchReport,
) -> Graph {
    let inner = map_bodies(&graph, |op, body| {
        let body = optimize(body.clone(), claims, options, fuses && is_control(op), report);
        let body = schedule(body, &[]);
        check(&body, "schedule");
        Ok::<_, Infallible>(body)
    });
    let mut graph = inner.unwrap_or_default().unwrap_or(graph);
    if options.simplify {
        graph = simplify(graph);
        check(&graph, "simplify");
    }
    if options.fuse && fuses {
        if let Some((found, entries)) = recognize_patterns(&graph, claims, options) {
            check(&found, "patterns");
            report.entries.extend(entries);
            graph = found;
        }
        graph = rlx_fusion::fuse(graph, claims);
        check(&graph, "fuse");
    }
    graph
}

/// Compiles `graph`, and binds it to these sizes. Where the backend's claims ask for static sizes there is no binding it to others:
/// [`prepare`](crate::prepare) makes what can be.
pub fn compile(
    graph: &Graph,
    bindings: &Bindings,
    backend: &dyn Backend,
    options: &CompileOptions,
) -> Result<Compiled, CompileError> {
    let lowered = lower(graph, &[], backend, options)?;
    let prepared =
        if lowered.needs_static_sizes(backend.claims()) { lowered.at(bindings)? } else { lowered.clone() };
    let mut executable = backend.prepare(prepared, &backend.queue(0)?)?;
    executable.bind(bindings)?;
    Ok(Compiled { lowered, executable })
}

/// In debug builds the result of each pass is verified: a violation is a fault of the pass, not of the program.
fn check(graph: &Graph, pass: &str) {
    if cfg!(debug_assertions)
        && let Err(violations) = verify(graph)
    {
        panic!("pass `{pass}` made an invalid graph: {violations}\n{graph}");
    }
}
