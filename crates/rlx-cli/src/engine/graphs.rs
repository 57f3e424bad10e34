//! Runs, times and emits graphs from files and standard input.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rlx_ir::{Bindings, Dim, Graph, Shape, Symbol};
use rlx_models::display::list;
use rlx_runtime::{CompileOptions, CompiledGraph, Emitter, Param, ParamValues, RuntimeError, emit_to};
use rlx_stablehlo::Check;

use super::{Workload, compile};
use crate::arrays::{Array, Given, GivenValue};
use crate::compute::Compute;
use crate::failure::Failure;
use crate::program::{self, Program};

/// Values for the inputs and parameters of a graph.
pub struct Values {
    pub given: Vec<Given>,
    /// Sizes of symbolic dimensions.
    pub dims: Vec<(String, usize)>,
    /// The seed of random numbers for inputs and parameters without a value. Without a seed, a missing value is an error.
    pub fill: Option<u64>,
}

/// A compiled graph with values for its inputs and parameters.
pub struct GraphRun {
    path: PathBuf,
    compiled: CompiledGraph,
    compile_time: Duration,
    inputs: Vec<Array>,
    results: usize,
    checks: Vec<Check>,
}

impl GraphRun {
    /// Reads and compiles the graph in the file `path`.
    pub fn open(path: &Path, values: &Values, compute: &Compute) -> Result<Self, Failure> {
        let Program { graph, results, checks, .. } = program::read(path)?;
        let nodes: Vec<_> = graph.nodes().iter().filter_map(|n| Some((n.name()?, n.shape()))).collect();
        let mut placed = placed(&nodes, &values.given)?;
        complete(&mut placed, &nodes, values.fill)?;
        let (arrays, sizes) = arrays(placed, &values.dims)?;
        let start = Instant::now();
        let mut compiled = compile(graph, compute)?;
        let dims: Vec<(&str, usize)> = sizes.iter().map(|(symbol, size)| (symbol.name(), *size)).collect();
        compiled.bind_dims(&dims)?;
        let compile_time = start.elapsed();
        let mut inputs = Vec::new();
        for array in arrays {
            if compiled.params().any(|(name, _)| name == array.name) {
                compiled.set_param_typed(&array.name, array.value.bytes(), array.value.dtype())?;
            } else {
                inputs.push(array);
            }
        }
        Ok(GraphRun { path: path.to_path_buf(), compiled, compile_time, inputs, results, checks })
    }

    /// How long compiling for these sizes took.
    pub fn compile_time(&self) -> Duration {
        self.compile_time
    }

    /// Runs the graph once and returns its outputs. A graph does not name its outputs, so they are called `out0`,
    /// `out1`, …. Fails if the program checks itself and a check fails.
    pub fn outputs(&mut self) -> Result<Vec<Array>, Failure> {
        let inputs: Vec<_> = self.inputs.iter().map(|a| (a.name.as_str(), &a.value)).collect();
        let outputs = self.compiled.run_literals(&inputs)?;
        for check in &self.checks {
            let [got, expected] = [check.got, check.expected].map(|i| outputs.get(i));
            if let (Some(got), Some(expected)) = (got, expected) {
                let failed = |e| {
                    Failure::Failed(
                        format!("{}: a check of the program failed: {e}", self.path.display()).into(),
                    )
                };
                check.how.compare(got, expected).map_err(failed)?;
            }
        }
        let outputs = outputs.into_iter().take(self.results).enumerate();
        Ok(outputs.map(|(i, value)| Array { name: format!("out{i}"), value }).collect())
    }

    /// Runs the graph once, without copying its outputs.
    pub fn run_once(&mut self) -> Result<(), Failure> {
        let inputs: Vec<_> =
            self.inputs.iter().map(|a| (a.name.as_str(), a.value.bytes(), a.value.dtype())).collect();
        Ok(self.compiled.run_kept(&inputs)?)
    }
}

impl Workload for GraphRun {
    fn run(&mut self) -> Result<(), Failure> {
        self.run_once()
    }
}

/// A value, and the input or parameter that it is for.
struct Placed<'g> {
    name: &'g str,
    declared: &'g Shape,
    value: GivenValue,
}

/// Assigns values to inputs and parameters: by name first, then the others, in order, to those of `nodes` that have no
/// value by name.
fn placed<'g>(nodes: &[(&'g str, &'g Shape)], given: &[Given]) -> Result<Vec<Placed<'g>>, Failure> {
    let by_name: HashSet<&str> = given.iter().filter_map(|g| g.name.as_deref()).collect();
    let mut open = nodes.iter().filter(|(name, _)| !by_name.contains(name));
    let place = |g: &Given| {
        let &(name, declared) = match &g.name {
            Some(name) => nodes.iter().find(|(known, _)| known == name).ok_or_else(|| {
                let known: Vec<String> = nodes.iter().map(|(name, _)| format!("`{name}`")).collect();
                let (what, name) = ("input or parameter", name.clone());
                RuntimeError::UnknownName { what, name, known: known.join(", ") }
            })?,
            None => open.next().ok_or_else(|| too_many(nodes, given))?,
        };
        Ok(Placed { name, declared, value: g.value.clone() })
    };
    given.iter().map(place).collect()
}

/// The error for more unnamed arrays than inputs and parameters without a value.
fn too_many(nodes: &[(&str, &Shape)], given: &[Given]) -> Failure {
    let s = |count: usize| if count == 1 { "" } else { "s" };
    let named =
        nodes.iter().filter(|(name, _)| given.iter().any(|g| g.name.as_deref() == Some(name))).count();
    let unnamed = given.iter().filter(|g| g.name.is_none()).count();
    let known: Vec<String> = nodes.iter().map(|(name, shape)| format!("{name} ({shape})")).collect();
    let known = if known.is_empty() { String::new() } else { format!(": {}", list(known.iter())) };
    let left = nodes.len() - named;
    let (all, besides) = match named {
        0 => (String::new(), String::new()),
        _ => (format!("{left} of "), format!(", {named} of them by name")),
    };
    Failure::usage(format!(
        "{unnamed} array{} without a name, and {all}{} input{} and parameter{} of the graph{besides}{known}. JAX removes unused \
         arguments of a function; use `jax.jit(f, keep_unused=True)` to keep them",
        s(unnamed),
        nodes.len(),
        s(nodes.len()),
        s(nodes.len()),
    ))
}

/// Adds random numbers for missing values; without a seed, missing values are an error.
fn complete<'g>(
    placed: &mut Vec<Placed<'g>>,
    nodes: &[(&'g str, &'g Shape)],
    fill: Option<u64>,
) -> Result<(), Failure> {
    let known: HashSet<&str> = placed.iter().map(|p| p.name).collect();
    let missing: Vec<_> = nodes.iter().filter(|(name, _)| !known.contains(name)).collect();
    if let (None, false) = (fill, missing.is_empty()) {
        let list: Vec<String> = missing.iter().map(|(name, shape)| format!("{name} ({shape})")).collect();
        let text = format!(
            "no value for {}; give each one with --input NAME=NUMBERS, NAME=random:SEED or NAME=FILE",
            list.join(", ")
        );
        return Err(Failure::Failed(text.into()));
    }
    // Each input has a separate stream; otherwise, two inputs of the same shape would be equal.
    let first = fill.unwrap_or(0);
    placed.extend(missing.into_iter().zip(0..).map(|(&(name, declared), number)| {
        let value = GivenValue::Random(first.wrapping_add(number));
        Placed { name, declared, value }
    }));
    Ok(())
}

/// The values as arrays, and the sizes of symbolic dimensions. Random values come last, because the other values may
/// determine their sizes.
fn arrays(mut placed: Vec<Placed<'_>>, dims: &[(String, usize)]) -> Result<(Vec<Array>, Bindings), Failure> {
    let mut sizes: Bindings = dims.iter().map(|(name, size)| (Symbol::new(name), *size)).collect();
    placed.sort_by_key(|p| matches!(p.value, GivenValue::Random(_)));
    let array = |Placed { name, declared, value }: Placed<'_>| {
        let value = value.for_input(name, declared, &sizes)?;
        check_shape(name, declared, value.shape())?;
        // Contradictions between sizes are found when the graph runs.
        for (dim, size) in declared.dims().iter().zip(value.dims()) {
            if let Dim::Dynamic(symbol) = dim {
                sizes.entry(symbol.clone()).or_insert(size);
            }
        }
        Ok(Array { name: name.into(), value })
    };
    let arrays: Vec<Array> = placed.into_iter().map(array).collect::<Result<_, Failure>>()?;
    Ok((arrays, sizes))
}

fn check_shape(name: &str, declared: &Shape, given: &Shape) -> Result<(), Failure> {
    if declared.compatible(given) {
        return Ok(());
    }
    let text = format!("{name:?} is declared as {declared}, but got {given}");
    Err(Failure::Failed(text.into()))
}

/// Writes the graph in the file `path`, with its parameters, to the new folder `into` as a program for another target.
pub fn emit_graph(emitter: &dyn Emitter, path: &Path, params: &[Given], into: &Path) -> Result<(), Failure> {
    let graph = program::read(path)?.graph;
    let values = param_values(&graph, params)?;
    Ok(emit_to(emitter, &graph, &values, &CompileOptions::new(), into)?)
}

/// The parameters of a graph, from the given values.
pub(super) fn param_values(graph: &Graph, params: &[Given]) -> Result<ParamValues, Failure> {
    let nodes: Vec<_> = graph.named_params().collect();
    let mut values = ParamValues::new();
    for Array { name, value } in arrays(placed(&nodes, params)?, &[])?.0 {
        values.insert(name, Param::new(Arc::new(value)));
    }
    Ok(values)
}
