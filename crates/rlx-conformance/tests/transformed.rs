//! Programs that JAX wrote, transformed here and in JAX. `scripts/transform_goldens.py` generates them from a grammar.
//! The text contains the function; each transform is ours, and runs on the evaluator and compiled for the CPU.

use rlx_autodiff::{
    Error, Options, VmapAxes, grad_with, hessian_with, jacfwd_with, jacrev_with, jvp_with, vmap,
};
use rlx_compile::CompileOptions;
use rlx_conformance::compare::read_f64;
use rlx_cpu::{CpuBackend, CpuOptions};
use rlx_exec::compile;
use rlx_ir::{Bindings, Builder, CheckpointPolicy, DType, Graph, Literal, Op, ReduceOp, Tensor, eval};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Program {
    name: String,
    kind: String,
    text: String,
    in_axes: Vec<Option<i64>>,
    outer_axes: Vec<Option<i64>>,
    tolerance: f64,
    inputs: Vec<Literal>,
    results: Vec<(Vec<usize>, Vec<f64>)>,
}

fn strings(value: &Value) -> String {
    value.as_str().expect("a string").to_string()
}

fn axes(value: &Value) -> Vec<Option<i64>> {
    value.as_array().expect("axes").iter().map(Value::as_i64).collect()
}

fn array(value: &Value) -> (Vec<usize>, Vec<f64>) {
    let list = |name: &str| value[name].as_array().expect("a list").clone();
    let dims = list("dims").iter().map(|n| n.as_u64().expect("a size") as usize).collect();
    (dims, list("data").iter().map(|x| x.as_f64().expect("a number")).collect())
}

fn literal((dims, data): (Vec<usize>, Vec<f64>), dtype: DType) -> Literal {
    match dtype {
        DType::F32 => Literal::new(&dims, &data.iter().map(|&x| x as f32).collect::<Vec<_>>()),
        _ => Literal::new(&dims, &data),
    }
    .expect("as many numbers as the shape has")
}

fn program(value: &Value) -> Program {
    let dtype = if value["dtype"] == "f32" { DType::F32 } else { DType::F64 };
    let arrays = |name: &str| value[name].as_array().expect("arrays").iter().map(array).collect::<Vec<_>>();
    Program {
        name: strings(&value["name"]),
        kind: strings(&value["kind"]),
        text: strings(&value["text"]),
        in_axes: axes(&value["in_axes"]),
        outer_axes: axes(&value["outer_axes"]),
        tolerance: value["tolerance"].as_f64().expect("a tolerance"),
        inputs: arrays("inputs").into_iter().map(|a| literal(a, dtype)).collect(),
        results: arrays("results"),
    }
}

fn programs() -> Vec<Program> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("goldens/transforms");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of goldens")
        .map(|f| f.expect("a file").path())
        .collect();
    files.sort();
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).expect("a readable file");
        let entries: Value = serde_json::from_str(&text).expect("JSON");
        entries.as_array().expect("programs").iter().map(program).collect::<Vec<_>>()
    };
    files.iter().flat_map(read).collect()
}

/// Adds the inputs of a graph to another builder.
fn inputs(builder: &Builder, graph: &Graph) -> Vec<Tensor> {
    graph.inputs().enumerate().map(|(i, n)| builder.input(format!("x{i}"), n.shape().clone())).collect()
}

/// Returns the sum of all results times fixed weights, like `total` in the script.
fn total(graph: &Graph) -> Graph {
    let b = Builder::new(graph.name());
    let inputs = inputs(&b, graph);
    let results = b.apply_many(Op::Call { body: graph.clone().into() }, &inputs.iter().collect::<Vec<_>>());
    let mut sum: Option<Tensor> = None;
    for y in results {
        let dims = y.shape().static_dims().expect("static sizes");
        let count: usize = dims.iter().product();
        let weights = (0..count).map(|i| 0.5 + 0.25 * (i * 7 % 5) as f64).collect();
        let terms = &y * b.constant(literal((dims, weights), y.dtype()));
        let term = terms.reduce(ReduceOp::Sum, &(0..terms.rank()).collect::<Vec<_>>(), false);
        sum = Some(sum.map_or(term.clone(), |s| s + term));
    }
    b.finish(&[&sum.expect("a result")]).expect("a valid sum")
}

fn checkpointed(graph: &Graph) -> Graph {
    let b = Builder::new(graph.name());
    let inputs = inputs(&b, graph);
    let op = Op::Checkpoint { body: graph.clone().into(), policy: CheckpointPolicy::Nothing };
    let results = b.apply_many(op, &inputs.iter().collect::<Vec<_>>());
    b.finish(&results.iter().collect::<Vec<_>>()).expect("a valid graph")
}

const BATCH: usize = 3;
const OUTER: usize = 2;

fn mapped(graph: &Graph, axes: &[Option<i64>], size: usize) -> Result<Graph, Error> {
    vmap(graph, &VmapAxes::new().in_axes(axes).size(size))
}

/// Returns the transform with this name.
fn transformed(p: &Program, graph: &Graph) -> Result<Graph, Error> {
    let options = Options::new().allow_unused();
    let both = [0usize, 1];
    let grad = |g: &Graph| grad_with(&total(g), both, &options);
    match p.kind.as_str() {
        "grad_vmap" => grad(&mapped(graph, &p.in_axes, BATCH)?),
        "vmap_grad" => mapped(&grad(graph)?, &p.in_axes, BATCH),
        "vmap_vmap" => mapped(&mapped(graph, &p.in_axes, BATCH)?, &p.outer_axes, OUTER),
        "vmap_while" | "vmap_if" => mapped(graph, &p.in_axes, BATCH),
        "jvp_grad" => {
            let mut dual = jvp_with(&grad(graph)?, both, &options)?;
            dual.set_outputs(dual.outputs()[both.len()..].to_vec());
            Ok(rlx_ir::rewrite::remove_dead(&dual))
        }
        "grad_grad" => grad(&grad(graph)?),
        "grad_scan" | "grad_while" => grad(graph),
        "hessian" => hessian_with(&total(graph), 0usize, &options),
        "jacfwd" => jacfwd_with(graph, both, &options),
        "jacrev" => jacrev_with(graph, both, &options),
        "checkpoint" => grad(&checkpointed(graph)),
        other => panic!("{other} is not a kind of transform"),
    }
}

fn by_name<'a>(graph: &'a Graph, values: &'a [Literal]) -> Vec<(&'a str, &'a Literal)> {
    let name = |n: &'a rlx_ir::Node| match n.op() {
        Op::Input { name } => name.as_str(),
        _ => "",
    };
    graph.inputs().map(name).zip(values).collect()
}

fn compiled(graph: &Graph, values: &[Literal]) -> Result<Vec<Literal>, String> {
    let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(1));
    let compiled =
        compile(graph, &Bindings::new(), &CpuBackend, &options).map_err(|e| format!("compiling: {e}"))?;
    let mut executable = compiled.executable;
    let operands: Vec<&[u8]> = values.iter().map(Literal::bytes).collect();
    executable.run_on_host(&operands).map_err(|e| e.to_string())?;
    let shapes = compiled.lowered.graph().output_shapes();
    let output = |(i, shape)| {
        let bytes = executable.output(i).map_err(|e| e.to_string())?;
        Literal::from_bytes(shape, bytes).map_err(|e| e.to_string())
    };
    shapes.iter().enumerate().map(output).collect()
}

/// Fails unless results are within the tolerance of the largest one.
fn compare(way: &str, p: &Program, got: &[Literal]) -> Result<(), String> {
    if got.len() != p.results.len() {
        return Err(format!("{way}: {} results, JAX has {}", got.len(), p.results.len()));
    }
    let largest = p.results.iter().flat_map(|r| &r.1).fold(0.0f64, |m, x| m.max(x.abs()));
    for (n, (got, (dims, want))) in got.iter().zip(&p.results).enumerate() {
        if got.dims() != *dims {
            return Err(format!("{way}: result {n} is {}, in JAX {dims:?}", got.shape()));
        }
        for (i, (g, w)) in read_f64(got).into_iter().zip(want).enumerate() {
            let apart = (g - w).abs();
            let bound = p.tolerance * largest;
            // A NaN is not within any bound.
            if !matches!(apart.partial_cmp(&bound), Some(order) if order.is_le()) {
                return Err(format!("{way}: result {n}, element {i}: got {g}, JAX has {w} ± {bound:e}"));
            }
        }
    }
    Ok(())
}

fn judge(p: &Program) -> Result<(), String> {
    let imported = rlx_stablehlo::import(&p.text).map_err(|e| format!("importing: {e}"))?;
    let graph = transformed(p, &imported.graph).map_err(|e| e.to_string())?;
    let evaluated = eval(&graph, &by_name(&graph, &p.inputs)).map_err(|e| e.to_string())?;
    compare("evaluator", p, &evaluated)?;
    compare("CPU", p, &compiled(&graph, &p.inputs)?)
}

#[test]
fn transforms_of_generated_programs_agree_with_jax() {
    let programs = programs();
    let (next, faults) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let worker = || {
        while let Some(p) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let judged = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| judge(p)));
            let outcome = judged.unwrap_or_else(|_| Err("it panicked".into()));
            if let Err(message) = outcome {
                faults.lock().expect("no worker panics").push(format!("{}: {message}", p.name));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|s| (0..threads).for_each(|_| drop(s.spawn(worker))));
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    programs.iter().for_each(|p| *kinds.entry(&p.kind).or_default() += 1);
    let mut faults = faults.into_inner().expect("no worker panicked");
    faults.sort();
    assert!(faults.is_empty(), "{} of {} failed:\n{}", faults.len(), programs.len(), faults.join("\n"));
    assert!(programs.len() >= 300, "{}", programs.len());
    assert!(kinds.len() >= 13 && kinds.values().all(|n| *n >= 20), "{kinds:?}");
}
