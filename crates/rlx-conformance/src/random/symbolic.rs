//! Replaces one size of a static graph with a symbol, so that binding symbols is tested too.

use rlx_ir::{Bindings, Dim, Graph, NodeId, Op, Shape, Symbols, verify};
use std::collections::BTreeMap;

/// Returns the graph with the symbol `n` in place of a size of its inputs, and the value to bind it to. Returns `None`
/// if that size also means something else somewhere, so that the rules refuse the symbol.
pub fn lifted(graph: &Graph) -> Option<(Graph, Bindings)> {
    sizes(graph).into_iter().find_map(|size| lift(graph, size))
}

/// Returns the sizes of inputs and parameters that a symbol may replace, the most frequent first.
fn sizes(graph: &Graph) -> Vec<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for node in graph.inputs().chain(graph.params()) {
        let sizes = node.shape().dims().iter().filter_map(Dim::as_static);
        sizes.filter(|&n| n > 1).for_each(|n| *counts.entry(n).or_default() += 1);
    }
    let mut list: Vec<(usize, usize)> = counts.into_iter().collect();
    list.sort_by_key(|&(n, count)| (std::cmp::Reverse(count), n));
    list.into_iter().map(|(n, _)| n).collect()
}

fn lift(graph: &Graph, size: usize) -> Option<(Graph, Bindings)> {
    let n = Dim::dynamic("n");
    let mut lifted = Graph::new(graph.name());
    for node in graph.nodes() {
        let inputs: Vec<NodeId> = node.inputs().to_vec();
        let id = match node.op() {
            Op::Input { name } => lifted.input(name, shape_with(node.shape(), size, &n)),
            Op::Param { name } => lifted.param(name, shape_with(node.shape(), size, &n)),
            Op::Output { .. } => {
                let Op::Output { index } = node.op() else { return None };
                let result = lifted.node(inputs[0]).results()[*index].clone();
                lifted.push(node.op().clone(), inputs, vec![result])
            }
            op => {
                let (op, results) = [with_symbol(op, size, &n), op.clone()].into_iter().find_map(|op| {
                    let results = lifted.infer(&op, &inputs).ok()?;
                    fits(&results, node.results(), size).then_some((op, results))
                })?;
                lifted.push(op, inputs, results)
            }
        };
        if id != node.id() {
            return None;
        }
    }
    lifted.set_outputs(graph.outputs().to_vec());
    let bindings: Bindings = lifted.symbols().into_iter().map(|symbol| (symbol, size)).collect();
    (!bindings.is_empty() && verify(&lifted).is_ok()).then_some((lifted, bindings))
}

fn shape_with(shape: &Shape, size: usize, n: &Dim) -> Shape {
    shape.with_dims(shape.dims().iter().map(|d| replaced(d, size, n)).collect())
}

/// Replaces a dimension that is a multiple of the size with the same multiple of the symbol.
fn replaced(dim: &Dim, size: usize, n: &Dim) -> Dim {
    match dim.as_static() {
        Some(d) if d == size => n.clone(),
        Some(d) if d > size && d % size == 0 => n.clone() * Dim::Static(d / size),
        _ => dim.clone(),
    }
}

/// Returns whether the shapes match once the symbol is bound.
fn fits(results: &[Shape], wanted: &[Shape], size: usize) -> bool {
    let mut symbols = Symbols::default();
    results.iter().flat_map(Shape::dims).for_each(|d| d.symbols(&mut symbols));
    let bindings: Bindings = symbols.into_vec().into_iter().map(|s| (s, size)).collect();
    let bound = results.iter().map(|s| s.eval(&bindings).ok());
    bound.eq(wanted.iter().map(|s| Some(s.clone())))
}

/// Returns the op with the symbol for its sizes. Numbers that bound a slice or count steps stay numbers.
fn with_symbol(op: &Op, size: usize, n: &Dim) -> Op {
    let list = |dims: &[Dim]| -> Vec<Dim> { dims.iter().map(|d| replaced(d, size, n)).collect() };
    match op {
        Op::Reshape { dims } => Op::Reshape { dims: list(dims) },
        Op::BroadcastInDim { dims, axes } => Op::BroadcastInDim { dims: list(dims), axes: axes.clone() },
        Op::Expand { dims } => Op::Expand { dims: list(dims) },
        Op::Iota { shape, axis } => Op::Iota { shape: shape_with(shape, size, n), axis: *axis },
        Op::Slice { starts, limits, strides } => {
            Op::Slice { starts: starts.clone(), limits: list(limits), strides: strides.clone() }
        }
        Op::DynamicSlice { sizes } => Op::DynamicSlice { sizes: list(sizes) },
        Op::Gather { dims, slice_sizes } => Op::Gather { dims: dims.clone(), slice_sizes: list(slice_sizes) },
        Op::Scan { length, .. } => {
            let mut op = op.clone();
            if let Op::Scan { length: own, .. } = &mut op {
                *own = replaced(length, size, n);
            }
            op
        }
        _ => op.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::lifted;
    use crate::random::generate;

    #[test]
    fn many_graphs_have_a_symbol_and_are_themselves_once_it_is_bound() {
        let mut count = 0;
        for seed in 0..300 {
            let random = generate(seed);
            let Some((graph, bindings)) = lifted(&random.graph) else { continue };
            count += 1;
            assert_eq!(graph.bind(&bindings).output_shapes(), random.graph.output_shapes(), "seed {seed}");
        }
        assert!(count > 60, "only {count} of 300 graphs have a symbol");
    }
}
