//! Prepares an executable: decides which side runs each node, and prepares the parts on each side.

use crate::claims::{HybridClaims, is_leaf};
use crate::divide::{Division, Side, divide};
use crate::program::{Crossing, Destination, Given, HybridProgram, PreparedSegment, SegmentPlan};
use crate::segment::{Origin, Segment, is_repeated, keep_states, segments};
use rlx_compile::cost::estimate;
use rlx_compile::{
    Alias, BackendError, Budget, Claim, Claims, CompileOptions, Lowered, PrecisionPolicy, Rates,
};
use rlx_exec::{Backend, Executable, HostEngine, HostProgram, Instance, Queue, lower};
use rlx_ir::{Graph, Node, NodeId, Shape};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Nodes that the device does not run although it claims their ops, with the reasons.
pub type Refused = HashMap<NodeId, String>;

/// Prepares executables for a device that does not run every graph as a whole.
pub struct HybridBackend<'a, D, H> {
    /// The claims of the device and the host together.
    pub claims: &'a HybridClaims<D, H>,
    /// The measured or assumed rates of the device.
    pub rates: Rates,
    /// The host.
    pub host: &'a dyn Backend,
    /// Whether the device supports values of this shape.
    pub holds: &'a dyn Fn(&Shape) -> bool,
    /// Whether the device can keep a state of this shape between runs.
    pub keeps: &'a dyn Fn(&Shape) -> bool,
    /// Returns the nodes of a graph that the device does not run although it claims their ops.
    pub refused: &'a dyn Fn(&Graph) -> Refused,
    /// Makes the program of a graph that the device can run completely.
    pub prepare: &'a dyn Fn(Lowered) -> Result<Box<dyn HostProgram>, BackendError>,
}

/// The reason for nodes that the device could run, but not as fast.
const MOVED: &str = "is cheaper on the host, next to its neighbors, than on the device";

/// The nodes that the device refuses in segments, by the nodes and outputs of the segment.
type CheckedSegments = HashMap<(Vec<NodeId>, Vec<NodeId>), Refused>;

/// Maximum number of rounds in which nodes move to the host.
const ROUNDS: usize = 8;

impl<D: Claims, H: Claims> HybridBackend<'_, D, H> {
    /// Makes the program of a lowered graph of static sizes: the device's own if the device runs everything, otherwise one in segments.
    pub fn prepare(&self, lowered: Lowered) -> Result<Box<dyn HostProgram>, BackendError> {
        let graph = lowered.graph();
        let (mut places, mut reasons) = self.places(graph, &(self.refused)(graph));
        let is_divided =
            self.foreign(graph, &places, &reasons).is_some() || places.contains(&Some(Side::Host));
        if !lowered.is_static() || !is_divided {
            return (self.prepare)(lowered);
        }
        let mut checked = HashMap::new();
        let mut rounds = 0;
        let parts = loop {
            let mut divisions = divide(graph, &places);
            if divisions.iter().all(|division| division.place == Side::Device) {
                divisions.push(Division { place: Side::Host, nodes: Vec::new() });
            }
            let parts = self.segments(&lowered, &places, &divisions);
            let moved = self.moved(&parts, &places, &mut checked);
            if moved.is_empty() || rounds == ROUNDS {
                break parts;
            }
            for (id, reason) in moved {
                places[id.index()] = Some(Side::Host);
                reasons.insert(id, reason);
            }
            rounds += 1;
        };
        Ok(Box::new(self.program(&lowered, parts, &reasons)?))
    }

    /// Returns why the device does not run a graph of static sizes as a whole, if it does not.
    pub fn why_divided(&self, graph: &Graph) -> Option<String> {
        let (places, reasons) = self.places(graph, &(self.refused)(graph));
        let on_host = graph.nodes().iter().find(|node| places[node.id().index()] == Some(Side::Host));
        if let Some(node) = on_host {
            let reason = reasons.get(&node.id()).map_or("", String::as_str);
            return Some(format!("`{}`: {reason}", node.op().mnemonic()));
        }
        let foreign = self.foreign(graph, &places, &reasons)?;
        Some(format!("the device does not support values that are {}", graph.shape(foreign)))
    }

    /// Returns an input or output that the device does not support. An input may be one even if it is only returned unchanged.
    fn foreign(
        &self,
        graph: &Graph,
        places: &[Option<Side>],
        reasons: &HashMap<NodeId, String>,
    ) -> Option<NodeId> {
        let is_foreign = |id: &NodeId| {
            places[id.index()].is_none() && (reasons.contains_key(id) || !(self.holds)(graph.shape(*id)))
        };
        let inputs: Vec<NodeId> = graph.inputs().map(Node::id).collect();
        inputs.iter().chain(graph.outputs()).copied().find(is_foreign)
    }

    /// Returns the segments, each with the states that stay in it.
    fn segments(&self, lowered: &Lowered, places: &[Option<Side>], divisions: &[Division]) -> Vec<Segment> {
        let mut parts = segments(lowered.graph(), places, divisions);
        keep_states(lowered.graph(), lowered.aliases(), &mut parts, self.keeps);
        parts
    }

    /// Returns the place of each node, and the reasons for nodes on the host.
    fn places(&self, graph: &Graph, refused: &Refused) -> (Vec<Option<Side>>, HashMap<NodeId, String>) {
        let mut places: Vec<Option<Side>> = Vec::with_capacity(graph.nodes().len());
        let mut reasons = HashMap::new();
        for node in graph.nodes() {
            let repeated =
                is_repeated(node) && node.inputs().iter().all(|id: &NodeId| places[id.index()].is_none());
            if node.is_projection() {
                places.push(node.inputs().first().and_then(|id| places[id.index()]));
                continue;
            }
            let operands: Vec<Shape> = node.inputs().iter().map(|&id| graph.shape(id).clone()).collect();
            // A node that reads a value which the device cannot make runs on the same side as that value.
            let unplaced = node.inputs().iter().filter(|id| places[id.index()].is_none());
            let why = match self.claims.claim(node.op(), &operands, node.results()) {
                Claim::Host(why) => Some(why),
                Claim::Native | Claim::No(_) => None,
            };
            let why = why.or_else(|| refused.get(&node.id()).cloned());
            let why = why.or_else(|| unplaced.into_iter().find_map(|id| reasons.get(id)).cloned());
            let side = if why.is_some() { Side::Host } else { Side::Device };
            reasons.extend(why.map(|why| (node.id(), why)));
            let place = (!is_leaf(node.op()) && !repeated).then_some(side);
            places.push(place);
        }
        (places, reasons)
    }

    /// Returns the nodes that should move to the host. These are the nodes that the device refuses in its segments, where less is known
    /// about values that come from elsewhere. If there are none, they are the segments that would take longer on the device than on the
    /// host, except for the largest.
    fn moved(&self, parts: &[Segment], places: &[Option<Side>], checked: &mut CheckedSegments) -> Refused {
        let host = self.host.rates();
        // On the host, nothing is transferred, and there is no separate run.
        let host = Rates { transfer: f64::MAX, run: f64::MIN_POSITIVE, ..host };
        let mut refused = Refused::new();
        for part in parts.iter().filter(|part| part.place == Side::Device) {
            let key = (part.nodes.clone(), part.outputs.clone());
            let of_part = checked.entry(key).or_insert_with(|| {
                let of_part = (self.refused)(&part.graph).into_iter();
                of_part.map(|(id, reason)| (part.whole[id.index()], reason)).collect()
            });
            refused.extend(of_part.clone());
        }
        refused.retain(|id, _| places[id.index()] == Some(Side::Device));
        if !refused.is_empty() {
            return refused;
        }
        let on_device = parts.iter().filter(|part| part.place == Side::Device);
        let mut seconds: Vec<(f64, f64, &Segment)> = on_device
            .map(|part| {
                let cost = |rates: &Rates| estimate(&part.graph, rates).seconds;
                let stays = 2.0 * part.kept_bytes() as f64 / self.rates.transfer;
                (cost(&host), cost(&self.rates) - stays, part)
            })
            .collect();
        seconds.sort_by(|a, b| b.0.total_cmp(&a.0));
        let moved = seconds.iter().skip(1).filter(|(host, device, _)| host <= device);
        moved.flat_map(|(.., part)| part.nodes.iter().map(|id| (*id, MOVED.to_string()))).collect()
    }

    fn program(
        &self,
        lowered: &Lowered,
        parts: Vec<Segment>,
        reasons: &HashMap<NodeId, String>,
    ) -> Result<HybridProgram, BackendError> {
        let graph = lowered.graph();
        let host_queue = self.host.queue(0)?;
        // An output that no other part reads, and that the graph returns once, is written directly to its destination.
        let mut crossing: HashMap<NodeId, usize> = HashMap::new();
        let mut values = Vec::new();
        let mut read: Vec<NodeId> = Vec::new();
        for part in &parts {
            read.extend(part.inputs.iter().filter_map(|source| match source {
                Origin::Value(id) => Some(*id),
                Origin::Input(_) => None,
            }));
        }
        let mut places_of: HashMap<NodeId, Vec<usize>> = HashMap::new();
        for (index, &id) in graph.outputs().iter().enumerate() {
            places_of.entry(id).or_default().push(index);
        }
        let several = places_of.iter().filter(|(_, places)| places.len() > 1).map(|(id, _)| *id);
        read.extend(several);
        read.sort();
        read.dedup();
        let budget = Budget::of(lowered.options());
        for id in read {
            let bytes = graph.shape(id).num_bytes().unwrap_or(usize::MAX);
            budget.take(bytes, || format!("a value of {} between segments", graph.shape(id)))?;
            crossing.insert(id, values.len());
            values.push(bytes);
        }
        let mut copies = Vec::new();
        for (id, places) in &places_of {
            if let Some(&value) = crossing.get(id) {
                copies.extend(places.iter().map(|&place| (value, place)));
            }
        }
        let crossing_of = |id: &NodeId| crossing.get(id).copied();
        let mut kept: Vec<usize> =
            parts.iter().flat_map(|part| &part.states).map(|(_, pair)| *pair).collect();
        kept.sort_unstable();
        let mut prepared = Vec::with_capacity(parts.len());
        for part in parts {
            let own = |of: &dyn Fn(&Alias) -> bool| part.states.iter().position(|(alias, _)| of(alias));
            let inputs = part.inputs.iter().enumerate();
            let inputs = inputs.map(|(i, source)| match (own(&|alias| alias.input == i), source) {
                (Some(state), _) => Given::State(state),
                (None, Origin::Input(index)) => Given::Input(*index),
                // INVARIANT: every value that a part reads from another one is in `crossing`.
                (None, Origin::Value(id)) => Given::Value(crossing_of(id).unwrap_or_default()),
            });
            let outputs = part.outputs.iter().enumerate();
            let outputs = outputs.map(|(i, id)| match (crossing_of(id), places_of.get(id)) {
                _ if own(&|alias| alias.output == i).is_some() => Destination::State,
                (None, Some(places)) if places.len() == 1 => Destination::Output(places[0]),
                (value, _) => Destination::Value(value.unwrap_or_default()),
            });
            let layout = SegmentPlan {
                inputs: inputs.collect(),
                params: part.params.clone(),
                outputs: outputs.collect(),
                states: part.states.iter().filter_map(|(_, pair)| kept.binary_search(pair).ok()).collect(),
                summary: summary(graph, &part, reasons),
            };
            let place = part.place;
            let executable = self.part(part, lowered.options(), &host_queue)?;
            prepared.push(PreparedSegment { place, executable, layout: Arc::new(layout) });
        }
        let crossing = Arc::new(Crossing { values, copies, kept });
        Ok(HybridProgram { parts: prepared, crossing, host_queue, values: Vec::new() })
    }

    fn part(
        &self,
        part: Segment,
        options: &CompileOptions,
        host_queue: &Arc<dyn Queue>,
    ) -> Result<Box<dyn Executable>, BackendError> {
        let unsupported = |e: &dyn std::error::Error| BackendError::Unsupported(e.to_string());
        // The lowered graph already has its final types.
        let options = CompileOptions { precision: PrecisionPolicy::Declared, ..options.clone() };
        let mut executable: Box<dyn Executable> = match part.place {
            Side::Device => {
                let aliases: Vec<Alias> = part.states.iter().map(|(alias, _)| *alias).collect();
                let lowered = Lowered::new(part.graph, &aliases, &options, None);
                let lowered = lowered.map_err(|e| unsupported(&e))?;
                let engine = HostEngine::of("the device", (self.prepare)(lowered.clone())?);
                Box::new(Instance::new(engine, lowered, self.claims, host_queue)?)
            }
            Side::Host => {
                let lowered = lower(&part.graph, &[], self.host, &options).map_err(|e| unsupported(&e))?;
                self.host.prepare(lowered, host_queue)?
            }
        };
        executable.bind(&Default::default()).map_err(|e| unsupported(&e))?;
        Ok(executable)
    }
}

/// Describes a part: its place, its number of nodes, the bytes that cross, and the reasons.
fn summary(graph: &Graph, part: &Segment, reasons: &HashMap<NodeId, String>) -> String {
    let place = match part.place {
        Side::Device => "on the device",
        Side::Host => "on the host",
    };
    let (given, gives) = part.crossing();
    let count = part.nodes.len();
    let mut text = format!("{place}: {count} nodes, {given} bytes in, {gives} bytes out");
    let mut why: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for id in &part.nodes {
        if let Some(reason) = reasons.get(id) {
            *why.entry((graph.node(*id).op().mnemonic(), reason)).or_default() += 1;
        }
    }
    for ((op, reason), count) in why {
        text.push_str(&format!("\n   `{op}` ×{count}: {reason}"));
    }
    text
}
