//! A segment as a graph of its own, and where its values come from.

use crate::divide::{Division, Side};
use rlx_compile::{Alias, is_free};
use rlx_ir::{Graph, Node, NodeId, Shape};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Where a segment's input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Origin {
    /// An input of the whole graph, by its number.
    Input(usize),
    /// What another segment gives.
    Value(NodeId),
}

/// A segment.
pub(crate) struct Segment {
    pub(crate) place: Side,
    /// The nodes of the whole graph that it computes, but for what is repeated.
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) graph: Graph,
    /// For each node of its graph the one of the whole graph.
    pub(crate) whole: Vec<NodeId>,
    /// For each of its inputs where it comes from.
    pub(crate) inputs: Vec<Origin>,
    /// For each of its parameters which one of the whole graph it is.
    pub(crate) params: Vec<usize>,
    /// For each of its outputs which node of the whole graph it is.
    pub(crate) outputs: Vec<NodeId>,
    /// The states that stay with it: for each its own alias pair, and which of the whole program's it is.
    pub(crate) states: Vec<(Alias, usize)>,
}

/// Whether a node is computed in each segment that reads it, if its operands are: it costs less than to hand it on.
pub(crate) fn is_repeated(node: &Node) -> bool {
    !node.is_projection() && (node.inputs().is_empty() || is_free(node))
}

/// The segments as graphs, but for those that nobody reads. `places` says which nodes are in one.
pub(crate) fn segments(graph: &Graph, places: &[Option<Side>], divisions: &[Division]) -> Vec<Segment> {
    let mut at: Vec<Option<usize>> = vec![None; graph.nodes().len()];
    for (number, division) in divisions.iter().enumerate() {
        division.nodes.iter().for_each(|id| at[id.index()] = Some(number));
    }
    // What is read elsewhere, and what the graph gives; of that the last segment on the host gives what is in none.
    let mut given: Vec<BTreeSet<NodeId>> = vec![BTreeSet::new(); divisions.len()];
    for node in graph.nodes() {
        for &input in node.inputs() {
            if let (Some(from), Some(to)) = (at[input.index()], at[node.id().index()])
                && from != to
            {
                given[from].insert(input);
            }
        }
    }
    let last = divisions.iter().rposition(|division| division.place == Side::Host).unwrap_or_default();
    for &output in graph.outputs() {
        let number = at[output.index()].unwrap_or(last);
        given.iter_mut().skip(number).take(1).for_each(|given| {
            given.insert(output);
        });
    }
    let numbered = |leaves: &mut dyn Iterator<Item = &Node>| -> HashMap<NodeId, usize> {
        leaves.enumerate().map(|(number, node)| (node.id(), number)).collect()
    };
    let (inputs, params) = (numbered(&mut graph.inputs()), numbered(&mut graph.params()));
    let names: HashSet<&str> = graph.nodes().iter().filter_map(Node::name).collect();
    divisions
        .iter()
        .zip(given)
        .filter(|(_, given)| !given.is_empty())
        .map(|(division, given)| {
            let outputs: Vec<NodeId> = given.into_iter().collect();
            let mut segment = Segment {
                place: division.place,
                nodes: division.nodes.clone(),
                graph: Graph::new(graph.name()),
                whole: Vec::new(),
                inputs: Vec::new(),
                params: Vec::new(),
                outputs,
                states: Vec::new(),
            };
            let mut copied: HashMap<NodeId, NodeId> = HashMap::new();
            for id in members(graph, places, division, &segment.outputs) {
                let node = graph.node(id);
                let is_member = at[id.index()].is_none_or(|number| divisions[number] == *division);
                let name = node.name().unwrap_or_default();
                let new = if let Some(&number) = inputs.get(&id) {
                    segment.inputs.push(Origin::Input(number));
                    segment.graph.input(name, node.shape().clone())
                } else if let Some(&number) = params.get(&id) {
                    segment.params.push(number);
                    segment.graph.param(name, node.shape().clone())
                } else if is_member {
                    let operands = node.inputs().iter().map(|id| copied[id]).collect();
                    segment.graph.set_label(node.label_arc().clone());
                    segment.graph.push(node.op_arc().clone(), operands, node.results().to_vec())
                } else {
                    segment.inputs.push(Origin::Value(id));
                    let mut name = format!("v{}", id.index());
                    while names.contains(name.as_str()) {
                        name.push('_');
                    }
                    segment.graph.input(name, node.shape().clone())
                };
                copied.insert(id, new);
                segment.whole.push(id);
            }
            segment.graph.set_label("");
            segment.graph.set_outputs(segment.outputs.iter().map(|id| copied[id]).collect());
            segment
        })
        .collect()
}

/// The nodes of a segment, what they read, and what of that is computed again, in graph order.
fn members(
    graph: &Graph,
    places: &[Option<Side>],
    division: &Division,
    outputs: &[NodeId],
) -> BTreeSet<NodeId> {
    let own: HashSet<NodeId> = division.nodes.iter().copied().collect();
    let mut found = BTreeSet::new();
    let mut open: Vec<NodeId> = division.nodes.iter().chain(outputs).copied().collect();
    while let Some(id) = open.pop() {
        // What another segment computes is only read.
        let is_computed = own.contains(&id) || places[id.index()].is_none();
        if found.insert(id) && is_computed {
            open.extend(graph.node(id).inputs());
        }
    }
    found
}

/// Leaves states with the segments that alone read and give them, if that is the device and it holds them.
pub(crate) fn keep_states(
    graph: &Graph,
    aliases: &[Alias],
    parts: &mut [Segment],
    holds: &dyn Fn(&Shape) -> bool,
) {
    for (pair, alias) in aliases.iter().enumerate() {
        let output = graph.outputs()[alias.output];
        let given = graph.outputs().iter().filter(|id| **id == output).count();
        let reads = |part: &Segment| part.inputs.iter().position(|from| *from == Origin::Input(alias.input));
        let is_read = parts.iter().any(|part| part.inputs.contains(&Origin::Value(output)));
        let mut readers = parts.iter_mut().filter(|part| reads(part).is_some());
        let (Some(part), None) = (readers.next(), readers.next()) else { continue };
        let places = (reads(part), part.outputs.iter().position(|id| *id == output));
        if let (Side::Device, (Some(input), Some(own)), 1, false) = (part.place, places, given, is_read)
            && holds(graph.shape(output))
        {
            part.states.push((Alias { input, output: own }, pair));
        }
    }
}

impl Segment {
    /// Bytes of the values that come in from elsewhere, and of those that are given.
    pub(crate) fn crossing(&self) -> (usize, usize) {
        let bytes = |shapes: Vec<Shape>| shapes.iter().filter_map(Shape::num_bytes).sum::<usize>();
        let kept = self.kept_bytes();
        (bytes(self.graph.input_shapes()) - kept, bytes(self.graph.output_shapes()) - kept)
    }

    /// Bytes of the states that stay with it.
    pub(crate) fn kept_bytes(&self) -> usize {
        let shapes = self.graph.output_shapes();
        self.states.iter().filter_map(|(alias, _)| shapes[alias.output].num_bytes()).sum()
    }
}
