//! Runs many random graphs on a backend, compiled in every way, and compares them with the evaluator.
//!
//! Runs with different numbers of threads are compared with each other. A tally counts what occurred.

use super::symbolic::lifted;
use super::ways::{Variant, Way};
use super::{RandomGraph, generate};
use crate::bound::{Allowance, Reference, Verdict};
use crate::compare::Agreement;
use crate::subnormal::unflushed;
use rlx_compile::{CompileOptions, KernelDispatchPolicy, LegalizeError, legalize};
use rlx_exec::Backend;
use rlx_ir::{Access, Bindings, DType, Graph, Literal, Named, Node, Op, OpKind};
use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A graph for which a backend gave wrong results.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The seed of the graph.
    pub seed: u64,
    /// How it was compiled, and what was wrong.
    pub problem: String,
    /// The graph in its text form.
    pub graph: String,
}

/// The statistics and failures of a campaign.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The number of graphs that were generated.
    pub graphs: usize,
    /// The number of runs of compiled programs.
    pub runs: usize,
    /// The number of graphs that were also compiled with a symbolic size.
    pub symbolic: usize,
    /// The number of graphs that the backend reports as unsupported.
    pub unsupported: usize,
    /// The number of elements that were compared.
    pub judged: usize,
    /// The number of elements without a finite bound.
    pub unjudged: usize,
    /// The number of nodes by name, including those of sub-graphs.
    pub ops: BTreeMap<&'static str, usize>,
    /// The number of results of nodes by element type.
    pub dtypes: BTreeMap<DType, usize>,
    /// The fused nodes by kind.
    pub fusions: BTreeMap<&'static str, Fused>,
    /// The failures.
    pub faults: Vec<Fault>,
    kinds: BTreeMap<OpKind, usize>,
    /// The largest relative error bound of each graph.
    looseness: Vec<f64>,
}

/// Statistics of the fused nodes of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fused {
    /// How many there are.
    pub count: usize,
    /// How many nodes they were made of.
    pub nodes: usize,
    /// How many have several results.
    pub several: usize,
    /// How many read elements from other positions.
    pub moving: usize,
}

/// How accurate a backend is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exactness<'a> {
    /// The allowed errors of its functions.
    pub allowances: &'a [Allowance],
    /// Whether it flushes subnormal numbers to zero.
    pub flushes_subnormals: bool,
}

/// Runs the graphs of `count` seeds starting at `first`, with each of the backend's variants in turn.
pub fn run(
    backend: &dyn Backend,
    variants: &[Variant],
    exactness: Exactness<'_>,
    first: u64,
    count: u64,
) -> Tally {
    let mut tally = Tally::default();
    for seed in first..first.saturating_add(count) {
        let random = match catch_unwind(|| generate(seed)) {
            Ok(random) => random,
            Err(panic) => {
                let problem = format!("the generator panicked: {}", message(&*panic));
                tally.faults.push(Fault { seed, problem, graph: String::new() });
                continue;
            }
        };
        tally.graphs += 1;
        tally.count(&random.graph);
        let outcome =
            catch_unwind(AssertUnwindSafe(|| one(&mut tally, backend, variants, exactness, &random)));
        let problem = match outcome {
            Ok(Ok(())) => continue,
            Ok(Err(problem)) => problem,
            Err(panic) => format!("panicked: {}", message(&*panic)),
        };
        tally.faults.push(Fault { seed, problem, graph: random.graph.to_string() });
    }
    tally
}

fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default()
}

/// Runs one graph in every way, up to the first problem.
fn one(
    tally: &mut Tally,
    backend: &dyn Backend,
    variants: &[Variant],
    exactness: Exactness<'_>,
    random: &RandomGraph,
) -> Result<(), String> {
    let reference = random.reference(exactness.allowances).map_err(|e| e.to_string())?;
    tally.looseness.push(reference.looseness());
    let of_static = (random.graph.clone(), Bindings::new());
    // Some ops are only expressed by others if sizes are known.
    let symbolic = lifted(&random.graph).filter(|(graph, _)| supported(backend, graph));
    tally.symbolic += usize::from(symbolic.is_some());
    if !supported(backend, &random.graph) {
        tally.unsupported += 1;
        return Ok(());
    }
    for way in Way::of_seed(random.seed, variants) {
        // With the passes on, the symbolic graph is used instead of the static one.
        let (graph, bindings) = symbolic.as_ref().filter(|_| way.has_passes()).unwrap_or(&of_static);
        let mut first: Option<Vec<Literal>> = None;
        for &threads in way.threads() {
            let name = |problem: String| format!("{}, {threads} thread(s): {problem}", way.name);
            let (outputs, lowered) =
                way.run(backend, threads, (graph, bindings), &random.inputs).map_err(name)?;
            tally.runs += 1;
            match &first {
                None => {
                    tally.count_fusions(&lowered);
                    tally.add(check(&reference, &outputs, exactness).map_err(name)?);
                    first = Some(outputs);
                }
                Some(first) => same_bytes(first, &outputs).map_err(name)?,
            }
        }
    }
    Ok(())
}

/// Returns whether a backend claims that it can run a graph, both with composites whole and with composites decomposed.
fn supported(backend: &dyn Backend, graph: &Graph) -> bool {
    let device = backend.device();
    [KernelDispatchPolicy::PreferNative, KernelDispatchPolicy::PreferCommon].into_iter().all(|dispatch| {
        let options = CompileOptions::new().kernel_dispatch(dispatch);
        let legal = legalize(graph, device.name(), backend.claims(), &options);
        !matches!(legal, Err(LegalizeError::Unsupported(_)))
    })
}

fn check(reference: &Reference, outputs: &[Literal], exactness: Exactness<'_>) -> Result<Verdict, String> {
    let wanted = reference.evaluated();
    let unflushed: Vec<Literal> = match exactness.flushes_subnormals {
        true => outputs.iter().zip(wanted).map(|(got, want)| unflushed(got, want)).collect(),
        false => Vec::new(),
    };
    let outputs = if exactness.flushes_subnormals { &unflushed } else { outputs };
    // A sum of zeros of both signs may have either sign.
    reference.check(outputs, Agreement::AnyZeros).map_err(|m| m.to_string())
}

fn same_bytes(one: &[Literal], two: &[Literal]) -> Result<(), String> {
    match one.iter().zip(two).position(|(a, b)| a.bytes() != b.bytes()) {
        Some(i) => Err(format!("output {i} differs in its bits from the run on one thread")),
        None => Ok(()),
    }
}

impl Tally {
    fn add(&mut self, verdict: Verdict) {
        self.judged += verdict.judged;
        self.unjudged += verdict.unjudged;
    }

    fn count(&mut self, graph: &Graph) {
        for node in graph.nodes() {
            *self.kinds.entry(node.op().kind()).or_default() += 1;
            *self.ops.entry(node.op().mnemonic()).or_default() += 1;
            for result in node.results() {
                *self.dtypes.entry(result.dtype()).or_default() += 1;
            }
            node.op().for_each_graph(&mut |sub| self.count(sub));
        }
    }

    fn count_fusions(&mut self, graph: &Graph) {
        for node in graph.nodes() {
            if let Op::Fusion { kind, body } = node.op() {
                let moves = |node: &Node| {
                    let access = node.op().kind().access();
                    matches!(access, Access::Movement | Access::Indexed)
                        && !matches!(node.op(), Op::BroadcastInDim { .. })
                };
                let fused = self.fusions.entry(kind.name()).or_default();
                fused.count += 1;
                fused.nodes += body.nodes().len() - body.inputs().count();
                fused.several += usize::from(body.outputs().len() > 1);
                fused.moving += usize::from(body.nodes().iter().any(moves));
            }
        }
    }

    /// Returns the kinds of ops that no graph used.
    pub fn missing(&self) -> Vec<&'static str> {
        OpKind::ALL.iter().filter(|k| !self.kinds.contains_key(k)).map(|k| k.name()).collect()
    }

    /// Adds the results of another campaign.
    pub fn merge(&mut self, other: Tally) {
        self.graphs += other.graphs;
        self.runs += other.runs;
        self.symbolic += other.symbolic;
        self.unsupported += other.unsupported;
        self.judged += other.judged;
        self.unjudged += other.unjudged;
        other.ops.into_iter().for_each(|(op, n)| *self.ops.entry(op).or_default() += n);
        other.kinds.into_iter().for_each(|(kind, n)| *self.kinds.entry(kind).or_default() += n);
        other.dtypes.into_iter().for_each(|(dtype, n)| *self.dtypes.entry(dtype).or_default() += n);
        for (kind, other) in other.fusions {
            let fused = self.fusions.entry(kind).or_default();
            fused.count += other.count;
            fused.nodes += other.nodes;
            fused.several += other.several;
            fused.moving += other.moving;
        }
        self.faults.extend(other.faults);
        self.looseness.extend(other.looseness);
    }

    /// Returns the largest relative error bound that this share of the graphs does not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.looseness.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get((share * (sorted.len() as f64 - 1.0)) as usize).copied().unwrap_or(0.0)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fault in &self.faults {
            writeln!(f, "seed {}: {}\n{}", fault.seed, fault.problem, fault.graph)?;
        }
        writeln!(
            f,
            "{} graphs ({} also with a symbolic size, {} unsupported), {} runs: {} elements compared, {} without a finite \
             bound",
            self.graphs, self.symbolic, self.unsupported, self.runs, self.judged, self.unjudged
        )?;
        let [half, most, nearly_all] = [0.5, 0.9, 0.99].map(|share| self.quantile(share));
        writeln!(
            f,
            "largest relative error bound of a graph: median {half:.1e}, 90 % {most:.1e}, 99 % {nearly_all:.1e}"
        )?;
        let mut ops: Vec<_> = self.ops.iter().collect();
        ops.sort_by_key(|&(name, &count)| (std::cmp::Reverse(count), *name));
        let list = ops.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ");
        writeln!(f, "ops: {list}")?;
        writeln!(f, "ops that did not occur: {}", self.missing().join(", "))?;
        let list = self.dtypes.iter().map(|(dtype, count)| format!("{dtype} {count}")).collect::<Vec<_>>();
        writeln!(f, "element types: {}", list.join(", "))?;
        for (kind, Fused { count, nodes, several, moving }) in &self.fusions {
            let size = *nodes as f64 / (*count).max(1) as f64;
            writeln!(
                f,
                "fusion {kind}: {count}, of {size:.1} nodes each, {several} with several results, {moving} that move elements"
            )?;
        }
        write!(f, "{} graph(s) failed", self.faults.len())
    }
}
