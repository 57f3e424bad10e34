//! Decides which side runs each node of a graph, and prepares the program in segments of a divided graph.

use crate::claims::{HybridClaims, is_leaf};
use crate::divide::{Division, Side, divide};
use crate::program::{Crossing, Destination, Given, HybridProgram, PreparedSegment, SegmentPlan};
use crate::segment::{Origin, Segment, is_repeated, keep_states, segments};
use crate::whole::WholeExecutable;
use rlx_compile::cost::estimate;
use rlx_compile::{
    Alias, BackendError, BindError, Budget, Claim, Claims, CompileOptions, Lowered, PrecisionPolicy, Rates,
};
use rlx_driver::Device;
use rlx_exec::{Backend, Executable, Queue, lower};
use rlx_ir::{Bindings, Graph, Node, NodeId, Shape};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Nodes that the device does not run although it claims their ops, with the reasons.
pub(crate) type Refused = HashMap<NodeId, String>;

/// Two backends and their claims. All programs of a hybrid backend share it.
pub(crate) struct BackendPair {
    pub(crate) first: Arc<dyn Backend>,
    pub(crate) second: Arc<dyn Backend>,
    pub(crate) claims: HybridClaims,
}

/// Which side runs each node of a graph, and why.
#[derive(Clone)]
pub(crate) struct Placement {
    places: Vec<Option<Side>>,
    /// The reasons for nodes on the host.
    reasons: HashMap<NodeId, String>,
    /// Whether the device runs the graph as a whole.
    pub(crate) is_whole: bool,
}

/// The reason for nodes that the device could run, but not as fast.
const MOVED: &str = "is cheaper on the host, next to its neighbors, than on the device";

/// The nodes that the device refuses in segments, by the nodes and outputs of the segment.
type CheckedSegments = HashMap<(Vec<NodeId>, Vec<NodeId>), Refused>;

/// Maximum number of rounds in which nodes move to the host.
const ROUNDS: usize = 8;

impl BackendPair {
    pub(crate) fn new(first: Arc<dyn Backend>, second: Arc<dyn Backend>) -> BackendPair {
        BackendPair { claims: HybridClaims::new(first.clone(), second.clone()), first, second }
    }

    /// Whether the device supports values of this static shape.
    fn has_values(&self, shape: &Shape) -> bool {
        self.first.claims().refused_type(shape.dtype()).is_none()
            && self.first.limits().is_none_or(|limits| limits.has_values(shape))
    }

    /// Returns the nodes of a graph of static sizes that the device does not run although it claims their ops.
    fn refused(&self, graph: &Graph) -> Refused {
        self.first.limits().map_or_else(Refused::new, |limits| limits.refused(graph))
    }

    /// Decides which side runs each node. The graph may have symbols if the device has no [limits](Backend::limits).
    pub(crate) fn placement(&self, graph: &Graph) -> Placement {
        let (places, reasons) = self.places(graph, &self.refused(graph));
        let is_whole = !places.contains(&Some(Side::Host)) && !self.has_foreign(graph, &places, &reasons);
        Placement { places, reasons, is_whole }
    }

    /// Makes the program in segments of a lowered graph of static sizes. `options` are those of the segments. Segments on the device run on
    /// `queue`, a queue of the pair.
    pub(crate) fn divided(
        self: &Arc<Self>,
        lowered: &Lowered,
        placement: Placement,
        options: &CompileOptions,
        queue: &Arc<dyn Queue>,
    ) -> Result<HybridProgram, BackendError> {
        let Placement { mut places, mut reasons, .. } = placement;
        let graph = lowered.graph();
        let mut checked = HashMap::new();
        let mut rounds = 0;
        let parts = loop {
            let mut divisions = divide(graph, &places);
            if divisions.iter().all(|division| division.place == Side::Device) {
                divisions.push(Division { place: Side::Host, nodes: Vec::new() });
            }
            let parts = self.segments(lowered, &places, &divisions);
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
        self.program(lowered, parts, &reasons, (options, queue))
    }

    /// Whether there is an input or output that the device does not support. An input may be one even if it is only returned unchanged.
    fn has_foreign(&self, graph: &Graph, places: &[Option<Side>], reasons: &HashMap<NodeId, String>) -> bool {
        let is_foreign = |id: NodeId| {
            places[id.index()].is_none() && (reasons.contains_key(&id) || !self.has_values(graph.shape(id)))
        };
        graph.inputs().map(Node::id).chain(graph.outputs().iter().copied()).any(is_foreign)
    }

    /// Returns the segments, each with the states that stay in it.
    fn segments(&self, lowered: &Lowered, places: &[Option<Side>], divisions: &[Division]) -> Vec<Segment> {
        let mut parts = segments(lowered.graph(), places, divisions);
        let keeps = |shape: &Shape| self.first.limits().is_none_or(|limits| limits.keeps_state(shape));
        keep_states(lowered.graph(), lowered.aliases(), &mut parts, &keeps);
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
        let (device, host) = (self.first.rates(), self.second.rates());
        let host = match self.second.device() {
            // Nothing is transferred, and there is no separate run.
            Device::Cpu => Rates { transfer: f64::MAX, run: f64::MIN_POSITIVE, ..host },
            _ => host,
        };
        let mut refused = Refused::new();
        for part in parts.iter().filter(|part| part.place == Side::Device) {
            let key = (part.nodes.clone(), part.outputs.clone());
            let of_part = checked.entry(key).or_insert_with(|| {
                let of_part = self.refused(&part.graph).into_iter();
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
                let stays = 2.0 * part.kept_bytes() as f64 / device.transfer;
                (cost(&host), cost(&device) - stays, part)
            })
            .collect();
        seconds.sort_by(|a, b| b.0.total_cmp(&a.0));
        let moved = seconds.iter().skip(1).filter(|(host, device, _)| host <= device);
        moved.flat_map(|(.., part)| part.nodes.iter().map(|id| (*id, MOVED.to_string()))).collect()
    }

    fn program(
        self: &Arc<Self>,
        lowered: &Lowered,
        parts: Vec<Segment>,
        reasons: &HashMap<NodeId, String>,
        (options, queue): (&CompileOptions, &Arc<dyn Queue>),
    ) -> Result<HybridProgram, BackendError> {
        let graph = lowered.graph();
        let host_queue = self.second.queue(0)?;
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
            let executable = self.part(part, options, queue, &host_queue)?;
            prepared.push(PreparedSegment { place, executable, layout: Arc::new(layout) });
        }
        let crossing = Arc::new(Crossing { values, copies, kept });
        Ok(HybridProgram { parts: prepared, crossing, host_queue, values: Vec::new() })
    }

    fn part(
        self: &Arc<Self>,
        part: Segment,
        options: &CompileOptions,
        queue: &Arc<dyn Queue>,
        host_queue: &Arc<dyn Queue>,
    ) -> Result<Box<dyn Executable>, BackendError> {
        let unsupported = |e: &dyn std::error::Error| BackendError::Unsupported(e.to_string());
        let mut executable: Box<dyn Executable> = match part.place {
            Side::Device => {
                let aliases: Vec<Alias> = part.states.iter().map(|(alias, _)| *alias).collect();
                let lowered = Lowered::new(part.graph, &aliases, options, None);
                let lowered = lowered.map_err(|e| unsupported(&e))?;
                Box::new(WholeExecutable::new(self, lowered, queue)?)
            }
            Side::Host => {
                let lowered = lower(&part.graph, &[], &*self.second, options).map_err(|e| unsupported(&e))?;
                self.second.prepare(lowered, host_queue)?
            }
        };
        executable.bind(&Bindings::new()).map_err(bind_error)?;
        Ok(executable)
    }
}

/// Returns the options for a part of a lowered graph, which already has its final types.
pub(crate) fn of_lowered(options: &CompileOptions) -> CompileOptions {
    CompileOptions { precision: PrecisionPolicy::Declared, ..options.clone() }
}

/// Converts an error of binding static sizes.
pub(crate) fn bind_error(error: BindError) -> BackendError {
    match error {
        BindError::Backend(error) => error,
        error => BackendError::Unsupported(error.to_string()),
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
