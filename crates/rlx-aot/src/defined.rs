//! Finds the sizes for which a graph is defined, by asking the shape rules of its nodes.
//!
//! A shape rule accepts a symbol if some size fits. So the rules are asked again at every size up to the maximum, or at
//! a sample where there are too many, and the program refuses sizes below the first at which every node is defined.

use crate::bounds::Bounds;
use rlx_ir::{Access, Bindings, Graph, Node, Op, OpClass, Shape, Symbol, Symbols};
use std::collections::HashSet;

/// The maximum number of combinations of sizes that are tried for one node.
const TRIED: usize = 4096;
/// The number of sizes that are tried for each symbol when all of them would be too many.
const OF_EACH: usize = 24;

/// Returns the bounds between which a graph is defined. Sizes inside these bounds at which it is not defined are added to `problems`.
pub(crate) fn defined(graph: &Graph, largest: Bounds, problems: &mut Vec<String>) -> Bounds {
    let mut nodes = Nodes { seen: HashSet::new(), found: Vec::new() };
    nodes.collect(graph);
    // Nodes that depend on one symbol come first: they raise its minimum, and the others then only have to be defined from there on.
    nodes.found.sort_by_key(|node| node.symbols.len());
    nodes.found.iter().fold(largest, |bounds, node| node.bounded(bounds, problems))
}

/// A node whose rule may refuse sizes.
struct Conditional<'g> {
    op: &'g Op,
    operands: Vec<Shape>,
    results: &'g [Shape],
    symbols: Vec<Symbol>,
}

/// The conditional nodes of a graph and of the graphs inside it, each once.
struct Nodes<'g> {
    seen: HashSet<String>,
    found: Vec<Conditional<'g>>,
}

impl<'g> Nodes<'g> {
    fn collect(&mut self, graph: &'g Graph) {
        for node in graph.nodes() {
            node.op().for_each_graph(&mut |body| self.collect(body));
            let operands: Vec<Shape> =
                node.inputs().iter().map(|&input| graph.shape(input).clone()).collect();
            let symbols = symbols(node, &operands);
            let is_same = node.op().kind().access() == Access::Elementwise
                && operands.iter().all(|operand| operand.dims() == node.shape().dims());
            // A node that takes one of several results has no shape rule.
            let is_part = node.inputs().iter().any(|&input| graph.node(input).is_tuple());
            let is_defined = symbols.is_empty() || is_same || is_part;
            if !is_defined && self.seen.insert(format!("{:?} {operands:?} {:?}", node.op(), node.results())) {
                self.found.push(Conditional { op: node.op(), operands, results: node.results(), symbols });
            }
        }
    }
}

fn symbols(node: &Node, operands: &[Shape]) -> Vec<Symbol> {
    let mut symbols = Symbols::default();
    operands.iter().chain(node.results()).flat_map(Shape::dims).for_each(|dim| dim.symbols(&mut symbols));
    node.op().for_each_dim(&mut |dim| dim.symbols(&mut symbols));
    symbols.into_vec()
}

impl Conditional<'_> {
    /// Returns the bounds between which the node is defined.
    fn bounded(&self, bounds: Bounds, problems: &mut Vec<String>) -> Bounds {
        let wrong: Vec<(Vec<usize>, String)> = self
            .tried(&bounds)
            .into_iter()
            .filter_map(|sizes| self.refused(&sizes).map(|why| (sizes, why)))
            .collect();
        let Some((sizes, why)) = wrong.last() else { return bounds };
        // If all refused sizes lie below one size of one symbol, that size becomes the symbol's minimum.
        let least = self.symbols.iter().enumerate().find_map(|(number, symbol)| {
            let (least, most) = bounds.range(symbol);
            let end = wrong.iter().map(|(sizes, _)| sizes[number] + 1).max()?;
            let below: HashSet<usize> = wrong.iter().map(|(sizes, _)| sizes[number]).collect();
            (end <= most && below.len() == end - least).then(|| bounds.from(symbol, end))
        });
        least.unwrap_or_else(|| {
            let sizes: Vec<String> =
                self.symbols.iter().zip(sizes).map(|(symbol, size)| format!("{symbol} = {size}")).collect();
            let op = self.op.mnemonic();
            problems.push(format!("`{op}` is not defined for all sizes: with {}, {why}", sizes.join(", ")));
            bounds
        })
    }

    /// Returns the combinations of sizes to try.
    fn tried(&self, bounds: &Bounds) -> Vec<Vec<usize>> {
        let ranges: Vec<(usize, usize)> = self.symbols.iter().map(|symbol| bounds.range(symbol)).collect();
        let all = ranges.iter().fold(1usize, |all, (least, most)| all.saturating_mul(most - least + 1));
        let of_each = |&(least, most): &(usize, usize)| -> Vec<usize> {
            if all <= TRIED || most - least < OF_EACH {
                return (least..=most).collect();
            }
            // The first sizes, then sizes that grow by half up to the last.
            let growing = std::iter::successors(Some(OF_EACH / 2), |size| Some(size + size / 2));
            let growing = growing.map(|size| least + size).take_while(|&size| size < most);
            (least..least + OF_EACH / 2).chain(growing).chain([most]).collect()
        };
        let sizes = ranges.iter().map(of_each);
        sizes.fold(vec![Vec::new()], |known, sizes| {
            let with = |known: &Vec<usize>| -> Vec<Vec<usize>> {
                sizes.iter().map(|&size| [&known[..], &[size]].concat()).collect()
            };
            known.iter().flat_map(with).collect()
        })
    }

    /// Returns why the node is not defined at these sizes, or `None` if it is.
    fn refused(&self, sizes: &[usize]) -> Option<String> {
        let sizes: Bindings = self.symbols.iter().cloned().zip(sizes.iter().copied()).collect();
        let eval =
            |shapes: &[Shape]| shapes.iter().map(|shape| shape.eval(&sizes)).collect::<Result<Vec<_>, _>>();
        let (operands, results) = match (eval(&self.operands), eval(self.results)) {
            (Ok(operands), Ok(results)) => (operands, results),
            (Err(error), _) | (_, Err(error)) => return Some(error.to_string()),
        };
        // Leaves accept any shape, and the members of a group are checked themselves.
        if self.operands.is_empty() || self.op.kind().class() == OpClass::Composite {
            return None;
        }
        let mut op = self.op.clone();
        op.bind(&sizes);
        match op.infer(&operands) {
            Err(error) => Some(error.to_string()),
            Ok(inferred) if inferred == results => None,
            Ok(inferred) => {
                let text =
                    |shapes: &[Shape]| shapes.iter().map(Shape::to_string).collect::<Vec<_>>().join(", ");
                Some(format!("its shape rule gives {}, not {}", text(&inferred), text(&results)))
            }
        }
    }
}
