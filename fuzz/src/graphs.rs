//! Takes an untrusted graph all the way: compiles it, prepares it, runs it within a budget, and compares the results
//! with the evaluator.

use rlx_compile::{CompileOptions, cost};
use rlx_conformance::bound::{Freedom, Reference};
use rlx_conformance::compare::Agreement;
use rlx_conformance::data::Gen;
use rlx_conformance::stream::Stream;
use rlx_cpu::CpuOptions;
use rlx_ir::{Bindings, Graph, Literal, Node, Op};
use rlx_session::{Device, Session};

/// The memory that a program may plan for, in bytes.
const MEMORY: u64 = 256 << 20;
/// Maximum number of nodes to compile, including those of graphs inside nodes.
const MAX_NODES: usize = 400;
/// Maximum number of elements of all values, and of operations, to run: far less than a second.
const MAX_ELEMENTS: usize = 1 << 16;
const MAX_FLOPS: f64 = 1e7;
/// Maximum number of elements of all values to check against the evaluator.
const MAX_JUDGED: usize = 1 << 11;
/// The size of every symbol.
const SIZE: usize = 3;

/// Takes a verified graph all the way. Errors are allowed; panics, aborts, results with other shapes, and differences
/// that rounding cannot explain are not.
pub fn run(graph: &Graph) {
    if nodes(graph) > MAX_NODES {
        return;
    }
    let options =
        CompileOptions::new().memory_limit(MEMORY).with_backend(CpuOptions::new().num_threads(1));
    let session = Session::new(Device::Cpu);
    let Ok(mut compiled) = session.try_compile_with_options(graph.clone(), &options) else { return };
    let bindings: Bindings = graph.symbols().into_iter().map(|symbol| (symbol, SIZE)).collect();
    let bound = graph.bind(&bindings);
    let Some(elements) = elements(&bound).filter(|&elements| elements <= MAX_ELEMENTS) else { return };
    let flops: f64 = bound.nodes().iter().map(|node| cost::counts(&bound, node).flops).sum();
    if flops > MAX_FLOPS || repeats(&bound) {
        return;
    }
    let mut stream = Stream::new(1);
    let mut values: Vec<(String, Literal)> = Vec::new();
    for node in bound.nodes() {
        let (Op::Input { name } | Op::Param { name }) = node.op() else { continue };
        let Ok(value) = Gen::Uniform(-2.0, 2.0).literal(node.shape(), &mut stream) else { return };
        values.push((name.clone(), value));
    }
    for (name, value) in &values {
        let is_param = graph.params().any(|node| node.name() == Some(name));
        if is_param && compiled.set_param_typed(name, value.bytes(), value.dtype()).is_err() {
            return;
        }
    }
    let all: Vec<(&str, &Literal)> = values.iter().map(|(name, value)| (name.as_str(), value)).collect();
    let inputs: Vec<(&str, &Literal)> =
        all.iter().copied().filter(|(name, _)| graph.inputs().any(|node| node.name() == Some(name))).collect();
    let Ok(outputs) = compiled.run_literals(&inputs) else { return };
    for (output, shape) in outputs.iter().zip(bound.output_shapes()) {
        assert_eq!(*output.shape(), shape);
    }
    if elements > MAX_JUDGED {
        return;
    }
    let Ok(reference) = Reference::new(&bound, &all, Freedom::Contract, &|_| false) else { return };
    if let Err(mismatch) = reference.check(&outputs, Agreement::AnyZeros) {
        panic!("{mismatch}\n{bound}");
    }
}

/// The number of nodes of a graph, including those inside its ops.
fn nodes(graph: &Graph) -> usize {
    let mut count = graph.nodes().len();
    graph.nodes().iter().for_each(|node| node.op().for_each_graph(&mut |body| count += nodes(body)));
    count
}

/// The number of elements of all values; `None` if a size is unknown.
fn elements(graph: &Graph) -> Option<usize> {
    let mut sum = 0usize;
    for node in graph.nodes() {
        for shape in node.results() {
            sum = sum.checked_add(shape.num_elements()?)?;
        }
        let mut inside = Some(0);
        node.op().for_each_graph(&mut |body| {
            inside = inside.and_then(|sum: usize| sum.checked_add(elements(body)?));
        });
        sum = sum.checked_add(inside?)?;
    }
    Some(sum)
}

/// Whether a loop's iterations depend on values, or are more than a run may take.
fn repeats(graph: &Graph) -> bool {
    let often = |node: &Node| match node.op() {
        Op::While { .. } => true,
        Op::Scan { length, .. } => length.as_static().is_none_or(|length| length > 64),
        _ => false,
    };
    graph.nodes().iter().any(|node| {
        let mut found = often(node);
        node.op().for_each_graph(&mut |body| found |= repeats(body));
        found
    })
}
