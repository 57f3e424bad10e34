//! A segment as a separate graph, and the sources of its values.

use crate::divide::{Division, Side};
use rlx_compile::{Alias, is_free};
use rlx_ir::{Graph, Node, NodeId, Shape};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Where a segment's input comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Origin {
    /// The input of the whole graph with this number.
    Input(usize),
    /// A value from another segment.
    Value(NodeId),
}

/// A segment.
pub(crate) struct Segment {
    pub(crate) place: Side,
    /// The nodes of the whole graph that it computes, without repeated ones.
    pub(crate) nodes: Vec<NodeId>,
    pub(crate) graph: Graph,
    /// For each node of its graph, the node of the whole graph.
    pub(crate) whole: Vec<NodeId>,
    /// The source of each input.
    pub(crate) inputs: Vec<Origin>,
    /// For each parameter, its index among the parameters of the whole graph.
    pub(crate) params: Vec<usize>,
    /// For each output, the node of the whole graph.
    pub(crate) outputs: Vec<NodeId>,
    /// The states that stay in it: the alias pair within the segment, and the index of the pair in the whole program.
    pub(crate) states: Vec<(Alias, usize)>,
}

/// Whether a node is computed in each segment that reads it, provided that its operands are. This costs less than passing the value on.
pub(crate) fn is_repeated(node: &Node) -> bool {
    !node.is_projection() && (node.inputs().is_empty() || is_free(node))
}

/// Returns the segments as graphs, without those that nothing reads. `places` says which nodes belong to a segment.
pub(crate) fn segments(graph: &Graph, places: &[Option<Side>], divisions: &[Division]) -> Vec<Segment> {
    let mut at: Vec<Option<usize>> = vec![None; graph.nodes().len()];
    for (number, division) in divisions.iter().enumerate() {
        division.nodes.iter().for_each(|id| at[id.index()] = Some(number));
    }
    // The values that other segments read, and the outputs of the graph. The last segment on the host returns outputs that belong to none.
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

/// Returns the nodes of a segment, the values they read, and the nodes that are computed again, in graph order.
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
        // Values that another segment computes are only read.
        let is_computed = own.contains(&id) || places[id.index()].is_none();
        if found.insert(id) && is_computed {
            open.extend(graph.node(id).inputs());
        }
    }
    found
}

/// Keeps a state in the segment that alone reads and updates it, if the segment is on the device and the device holds the state.
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
    /// Returns the bytes that come in from elsewhere, and the bytes that are returned.
    pub(crate) fn crossing(&self) -> (usize, usize) {
        let bytes = |shapes: Vec<Shape>| shapes.iter().filter_map(Shape::num_bytes).sum::<usize>();
        let kept = self.kept_bytes();
        (bytes(self.graph.input_shapes()) - kept, bytes(self.graph.output_shapes()) - kept)
    }

    /// Returns the bytes of the states that stay in it.
    pub(crate) fn kept_bytes(&self) -> usize {
        let shapes = self.graph.output_shapes();
        self.states.iter().filter_map(|(alias, _)| shapes[alias.output].num_bytes()).sum()
    }
}
