//! Fingerprints of the nodes between a value and those that it is computed from, ignoring shapes. Two programs have the
//! same fingerprint if they apply the same ops to the same constants, in the order in which the program lists them.
//!
//! Broadcasts and reshapes are skipped, so that a function of numbers has the same fingerprint on tensors of any shape.

use rlx_ir::{Builder, Graph, Named, Node, NodeId, Op, Tensor};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The 64-bit FNV-1a hash.
#[derive(Clone, Copy)]
struct Digest(u64);

impl Digest {
    fn new() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        self.bytes(&[0]);
    }
}

/// The number of nodes that the prefix of a fingerprint covers.
pub(super) const PREFIX: usize = 6;

/// A walk from a value towards the values that it is computed from, latest first.
pub(super) struct Walk<'g> {
    graph: &'g Graph,
    boundary: &'g [NodeId],
    open: BTreeSet<NodeId>,
    numbers: HashMap<NodeId, usize>,
    /// For each value, the broadcast or reshape of it that is used, or `None` if several are.
    uses: HashMap<NodeId, Option<NodeId>>,
    digest: Digest,
    /// The digest of the first nodes without their operands, which does not depend on whether arguments are constants.
    kinds: Digest,
    members: Vec<NodeId>,
    /// The constants that became part of the function, and how often they are used.
    constants: BTreeMap<NodeId, usize>,
}

impl<'g> Walk<'g> {
    /// Starts a walk that does not pass the values of `boundary`.
    pub(super) fn new(graph: &'g Graph, root: NodeId, boundary: &'g [NodeId]) -> Walk<'g> {
        let mut walk = Walk {
            graph,
            boundary,
            open: BTreeSet::new(),
            numbers: HashMap::new(),
            uses: HashMap::new(),
            digest: Digest::new(),
            kinds: Digest::new(),
            members: Vec::new(),
            constants: BTreeMap::new(),
        };
        walk.operand(root);
        walk
    }

    /// Returns the nodes that were passed.
    pub(super) fn members(&self) -> &[NodeId] {
        &self.members
    }

    /// Returns the values that the walk has reached, in the order in which it met them.
    pub(super) fn leaves(&self) -> Vec<NodeId> {
        let mut leaves: Vec<NodeId> = self.open.iter().copied().collect();
        leaves.sort_by_key(|id| self.numbers[id]);
        leaves
    }

    /// Returns the constants that became part of the function but are defined before all nodes that were passed, since
    /// they may be arguments. The most frequently used come first.
    pub(super) fn early_constants(&self) -> Vec<NodeId> {
        let Some(&first) = self.members.iter().min() else { return Vec::new() };
        let mut early: Vec<(NodeId, usize)> =
            self.constants.range(..first).map(|(&id, &uses)| (id, uses)).collect();
        early.sort_by_key(|&(id, uses)| (std::cmp::Reverse(uses), id));
        early.into_iter().map(|(id, _)| id).collect()
    }

    /// Returns the digest of the kinds of the first nodes.
    pub(super) fn prefix(&self) -> u64 {
        self.kinds.0
    }

    /// Returns the digest of the passed nodes as a function of the leaves.
    pub(super) fn number(&self) -> u64 {
        let mut digest = self.digest;
        for leaf in self.leaves() {
            digest.text(&self.numbers[&leaf].to_string());
        }
        digest.0
    }

    /// Passes the latest node. Returns `None` if the walk cannot continue because only inputs, parameters or the boundary are left.
    pub(super) fn step(&mut self) -> Option<()> {
        let id = self.open.iter().rev().copied().find(|id| !self.boundary.contains(id))?;
        let graph = self.graph;
        let node = graph.node(id);
        if matches!(node.op(), Op::Input { .. } | Op::Param { .. }) {
            return None;
        }
        self.open.remove(&id);
        self.members.push(id);
        describe(node, &mut self.digest);
        if self.members.len() <= PREFIX {
            describe(node, &mut self.kinds);
        }
        for operand in node.inputs() {
            self.operand(*operand);
        }
        Some(())
    }

    /// Returns the node through which a leaf is used, if there is only one: the leaf itself, or a broadcast or reshape of it.
    pub(super) fn used_as(&self, leaf: NodeId) -> Option<NodeId> {
        self.uses.get(&leaf).copied().flatten()
    }

    fn operand(&mut self, used: NodeId) {
        let mut id = used;
        while !self.boundary.contains(&id) && is_transparent(self.graph.node(id).op()) {
            id = self.graph.node(id).inputs()[0];
        }
        let node = self.graph.node(id);
        if !self.boundary.contains(&id) && constant(node, &mut self.digest) {
            *self.constants.entry(id).or_default() += 1;
            return;
        }
        let next = self.numbers.len();
        let number = *self.numbers.entry(id).or_insert(next);
        self.digest.text(&number.to_string());
        self.uses
            .entry(id)
            .and_modify(|known| *known = known.filter(|known| *known == used))
            .or_insert(Some(used));
        self.open.insert(id);
    }
}

fn is_transparent(op: &Op) -> bool {
    matches!(op, Op::BroadcastInDim { .. } | Op::Reshape { .. })
}

/// Returns whether a node is a constant, and adds it to the digest: a single element if all are equal.
fn constant(node: &Node, digest: &mut Digest) -> bool {
    let Op::Constant { value } = node.op() else { return false };
    digest.text(&node.shape().dtype().to_string());
    let bytes = value.bytes();
    let size = bytes.len().checked_div(value.len()).unwrap_or(0);
    let one = &bytes[..size];
    digest.bytes(if size > 0 && bytes.chunks_exact(size).all(|other| other == one) { one } else { bytes });
    true
}

/// Adds the op of a node to the digest, ignoring shapes.
fn describe(node: &Node, digest: &mut Digest) {
    let op = node.op();
    digest.text(op.mnemonic());
    match op {
        Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Compare { .. }
        | Op::Convert { .. }
        | Op::BitcastConvert { .. }
        | Op::Output { .. } => digest.text(&op.attributes_text()),
        Op::Reduce { kind, .. } => digest.text(kind.name()),
        _ => op.for_each_graph(&mut |body| describe_graph(body, digest)),
    }
    node.results().iter().for_each(|shape| digest.text(&shape.dtype().to_string()));
}

fn describe_graph(graph: &Graph, digest: &mut Digest) {
    let mut numbers: HashMap<NodeId, usize> = HashMap::new();
    let refer = |id: NodeId, numbers: &HashMap<NodeId, usize>, digest: &mut Digest| {
        let mut id = id;
        while is_transparent(graph.node(id).op()) {
            id = graph.node(id).inputs()[0];
        }
        if !constant(graph.node(id), digest) {
            digest.text(&numbers.get(&id).copied().unwrap_or_default().to_string());
        }
    };
    for node in graph.nodes() {
        if is_transparent(node.op()) || matches!(node.op(), Op::Constant { .. }) {
            continue;
        }
        numbers.insert(node.id(), numbers.len());
        describe(node, digest);
        for operand in node.inputs() {
            refer(*operand, &numbers, digest);
        }
    }
    for output in graph.outputs() {
        refer(*output, &numbers, digest);
    }
}

/// Returns the graph from `leaves` to a value.
pub(super) fn extracted(graph: &Graph, root: NodeId, leaves: &[NodeId]) -> Option<Graph> {
    let (mut nodes, mut open) = (BTreeSet::new(), vec![root]);
    let known: HashSet<NodeId> = leaves.iter().copied().collect();
    while let Some(id) = open.pop() {
        if !known.contains(&id) && nodes.insert(id) {
            open.extend(graph.node(id).inputs());
        }
    }
    let builder = Builder::new("forward");
    let mut values: HashMap<NodeId, Vec<Tensor>> = HashMap::new();
    for (i, leaf) in leaves.iter().enumerate() {
        values.insert(*leaf, vec![builder.input(format!("x{i}"), graph.shape(*leaf).clone())]);
    }
    for id in nodes {
        let node = graph.node(id);
        let results = match node.op() {
            Op::Input { .. } | Op::Param { .. } => return None,
            Op::Output { index } => vec![values.get(&node.inputs()[0])?.get(*index)?.clone()],
            _ => {
                let operands: Option<Vec<Tensor>> =
                    node.inputs().iter().map(|i| values.get(i)?.first().cloned()).collect();
                builder.copy(node, &operands?)
            }
        };
        values.insert(id, results);
    }
    builder.finish(&[values.get(&root)?.first()?]).ok()
}
