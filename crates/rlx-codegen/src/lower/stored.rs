//! Which values of a group are stored in memory, and therefore get a separate launch.
//!
//! These are stored:
//!
//! - the results of whole ops, which separate launches compute, because their elements are not computed separately;
//! - values that a whole op reads more than once, or in an order of its own, unless they are already in memory because
//!   they are an input or a view of one;
//! - values that would be computed more than once, if that costs more than memory (see [`is_dear`]). The value that is
//!   stored is the last one before its elements are repeated, so that what follows a loop at the same indices is
//!   computed with it;
//! - values behind which the text of a kernel would grow without end (see [`Extent`]).
//!
//! Values that [`Rows`](super::rows::Rows) or [`Attention`](super::attention::Attention) compute are then removed
//! again: they are computed once per row, and nothing else needs them.
//!
//! All other values are computed where they are read. Values that several readers read at the same indices are computed
//! once there.

use super::rule::Rule;
use super::whole;
use rlx_ir::{Access, BinaryOp, Dim, Graph, Node, NodeId, Op, UnaryOp, Users};

/// How often an op reads each element of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reads {
    /// At most once.
    Once,
    /// At most once, but it is also computed at indices where it is not needed: loads have guards, but loops do not.
    Guarded,
    /// More than once, or in an order of its own.
    Often,
}

/// How often an op is assumed to read elements that it reads more than once, since sizes may be symbolic.
const OFTEN: u32 = 16;

/// The indices at which a value is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Indices {
    /// The indices of the outputs that have the same sizes as this one.
    Output(usize),
    /// The indices at which this node reads this operand.
    Operand(NodeId, usize),
    /// The indices of one of the parts into which this node is sliced, where each element belongs to one part.
    Part(NodeId),
    /// Various indices.
    Several,
}

/// What readers require of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Demand {
    at: Indices,
    /// How often an element is computed if the value is computed where it is read.
    times: u32,
    extent: Extent,
}

/// How much text lies between a value and the output of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Extent {
    /// The number of reshapes that its indices go through, each of which makes them several times longer.
    reshapes: u32,
    /// The number of indices at which it is read. It is written again for each of them.
    readers: u32,
    /// The number of nodes in a chain, because elements are written recursively.
    depth: u32,
}

impl Extent {
    fn is_endless(self) -> bool {
        self.reshapes > 3 || self.readers > 32 || self.depth > 100
    }
}

impl Demand {
    fn and(self, other: Demand) -> Demand {
        let (ours, theirs) = (self.extent, other.extent);
        let same = self.at == other.at && self.at != Indices::Several;
        let join = |a: u32, b: u32| if same { a.max(b) } else { a.saturating_add(b) };
        Demand {
            at: if same { self.at } else { Indices::Several },
            times: join(self.times, other.times),
            extent: Extent {
                reshapes: ours.reshapes.max(theirs.reshapes),
                readers: join(ours.readers, theirs.readers),
                depth: ours.depth.max(theirs.depth),
            },
        }
    }
}

/// Returns, for each node, whether its results are stored. Inputs are in memory anyway and do not count.
pub(super) fn stored(graph: &Graph) -> Vec<bool> {
    let (live, work, views) = (graph.live(), work(graph), views(graph));
    let (nodes, users) = (graph.nodes(), graph.users());
    let mut stored = vec![false; nodes.len()];
    let mut wanted = vec![false; nodes.len()];
    let mut demands: Vec<Option<Demand>> = vec![None; nodes.len()];
    let ask = |demands: &mut [Option<Demand>], id: NodeId, demand: Demand| {
        let old = &mut demands[id.index()];
        *old = Some(old.map_or(demand, |old| old.and(demand)));
    };
    for (i, &id) in graph.outputs().iter().enumerate() {
        let has_sizes = |&other: &NodeId| graph.shape(other).dims() == graph.shape(id).dims();
        let first = graph.outputs().iter().position(has_sizes).unwrap_or(i);
        ask(
            &mut demands,
            id,
            Demand {
                at: Indices::Output(first),
                times: 1,
                extent: Extent { readers: 1, ..Extent::default() },
            },
        );
    }
    for node in nodes.iter().rev().filter(|node| live[node.id().index()]) {
        let i = node.id().index();
        let Some(demand) = demands[i] else { continue };
        if let Some(id) = passed_on(graph, node) {
            ask(&mut demands, id, demand);
            continue;
        }
        let is_whole = whole::is_whole(node.op());
        let repeated = is_dear(demand.times, work[i]) && !moves(node);
        let is_computed = !matches!(Rule::of(node.op().kind()), Some(Rule::Leaf | Rule::None(_)));
        let endless = demand.extent.is_endless() && is_computed;
        stored[i] = is_whole || wanted[i] && !views[i] || repeated || endless;
        for (operand, &id) in node.inputs().iter().enumerate() {
            let reads = reads(graph, node, operand);
            wanted[id.index()] |= is_whole && reads == Reads::Often;
            let mut asked = asked(node, operand, demand, stored[i], reads);
            asked.extent.reshapes += u32::from(mixes(graph, node));
            asked.extent.depth += 1;
            if is_parted(graph, &users, id) {
                asked.at = Indices::Part(id);
            }
            ask(&mut demands, id, asked);
        }
    }
    stored
}

/// Returns the value that a result of a barrier passes on.
pub(super) fn passed_on(graph: &Graph, node: &Node) -> Option<NodeId> {
    let Op::Output { index } = node.op() else { return None };
    let barrier = graph.node(node.inputs()[0]);
    matches!(barrier.op(), Op::OptimizationBarrier {}).then(|| barrier.inputs()[*index])
}

/// Returns whether a value is read only by disjoint slices, such as the halves of a gated product.
fn is_parted(graph: &Graph, users: &Users, id: NodeId) -> bool {
    let slice = |user: &NodeId| match graph.node(*user).op() {
        Op::Slice { starts, limits, .. } => Some((starts, limits)),
        _ => None,
    };
    let Some(slices) = users.of(id).iter().map(slice).collect::<Option<Vec<_>>>() else { return false };
    let ends_before = |limit: &Dim, start: &Dim| {
        limit == start
            || limit.as_static().zip(start.as_static()).is_some_and(|(limit, start)| limit <= start)
    };
    let apart = |(starts, limits): &(&Vec<Dim>, &Vec<Dim>), (others, ends): &(&Vec<Dim>, &Vec<Dim>)| {
        let mut axes = 0..starts.len();
        axes.any(|axis| ends_before(&limits[axis], &others[axis]) || ends_before(&ends[axis], &starts[axis]))
    };
    let all = (0..slices.len()).all(|i| slices[i + 1..].iter().all(|other| apart(&slices[i], other)));
    slices.len() > 1 && all && !users.is_output(id)
}

/// Returns what a node with this demand requires of an operand.
fn asked(node: &Node, operand: usize, demand: Demand, stored: bool, reads: Reads) -> Demand {
    let same = matches!(node.op(), Op::Output { .. } | Op::OptimizationBarrier {})
        || Rule::of(node.op().kind()) == Some(Rule::Elementwise);
    let own = match node.op() {
        // Elements that are combined together are read together.
        Op::ReduceGraph { .. } | Op::ReduceWindowGraph { .. } if 2 * operand < node.inputs().len() => 0,
        _ if same => 0,
        _ => operand,
    };
    let anew = Extent { readers: 1, ..Extent::default() };
    let (times, extent) = if stored { (1, anew) } else { (demand.times, demand.extent) };
    let at = if same && !stored { demand.at } else { Indices::Operand(node.id(), own) };
    match reads {
        Reads::Once => Demand { at, times, extent },
        Reads::Guarded => Demand { at, times: times.saturating_mul(2), extent },
        Reads::Often => Demand { at, times: times.saturating_mul(OFTEN), extent },
    }
}

/// Returns whether computing an element this often, with this much work, takes longer than writing it to memory and
/// reading it back. A product repeats a few cheap functions, two readers a dozen expensive ones.
fn is_dear(times: u32, work: u32) -> bool {
    times.saturating_sub(1).saturating_mul(work) > 48
}

/// Returns how much work an element takes, in units of simple functions such as an addition: that of the most expensive
/// operand plus that of the node itself.
fn work(graph: &Graph) -> Vec<u32> {
    let mut work = vec![0u32; graph.nodes().len()];
    for node in graph.nodes() {
        let inputs = node.inputs().iter().enumerate();
        // An operand that is repeated and expensive will be in memory.
        let operands = inputs.map(|(operand, id)| match (reads(graph, node, operand), work[id.index()]) {
            (Reads::Often, work) if is_dear(OFTEN, work) => 0,
            (_, work) => work,
        });
        let operands = operands.max().unwrap_or(0);
        work[node.id().index()] = match Rule::of(node.op().kind()) {
            // These are in memory.
            Some(Rule::Leaf | Rule::Whole | Rule::None(_)) | None => 0,
            Some(Rule::Reduction | Rule::Contraction | Rule::Window) => 1000,
            Some(Rule::Movement) => operands,
            Some(Rule::Elementwise) => operands.saturating_add(own_work(node.op())),
            Some(Rule::Indexing) => operands.saturating_add(1),
            Some(Rule::Bits) => operands.saturating_add(2),
        };
    }
    work
}

/// Returns the work of an elementwise function.
pub(super) fn own_work(op: &Op) -> u32 {
    use BinaryOp::{
        Add, And, Complex, Max, Min, Mul, Or, ShiftLeft, ShiftRightArithmetic, ShiftRightLogical,
    };
    use BinaryOp::{Sub, Xor};
    use UnaryOp::{
        Abs, Ceil, Clz, Conj, Floor, Imag, IsFinite, Neg, Not, Popcnt, Real, RoundAway, RoundEven,
    };
    use UnaryOp::{Sign, Sqrt};
    match op {
        Op::Unary {
            op:
                Neg | Abs | Sign | Floor | Ceil | RoundEven | RoundAway | Sqrt | IsFinite | Not | Popcnt | Clz
                | Real | Imag | Conj,
        }
        | Op::Binary {
            op:
                Add | Sub | Mul | Max | Min | And | Or | Xor | ShiftLeft | ShiftRightArithmetic
                | ShiftRightLogical | Complex,
        }
        | Op::Compare { .. }
        | Op::Select {}
        | Op::Clamp {}
        | Op::Convert { .. } => 1,
        Op::Threefry2x32 {} => 100,
        _ => 8,
    }
}

/// Returns whether the op only moves elements. The value that it moves is stored in its place.
fn moves(node: &Node) -> bool {
    Rule::of(node.op().kind()) == Some(Rule::Movement)
}

/// Returns whether indices of the result become quotients and remainders.
fn mixes(graph: &Graph, node: &Node) -> bool {
    let many = |dims: &[Dim]| dims.iter().filter(|dim| **dim != Dim::Static(1)).cloned().collect::<Vec<_>>();
    matches!(node.op(), Op::Reshape { .. })
        && many(node.shape().dims()) != many(graph.shape(node.inputs()[0]).dims())
}

/// Returns, for each node, whether its elements are in memory or almost free to compute, at any indices.
fn views(graph: &Graph) -> Vec<bool> {
    let mut views = vec![false; graph.nodes().len()];
    for node in graph.nodes() {
        views[node.id().index()] = match node.op() {
            Op::Input { .. } | Op::Constant { .. } | Op::Iota { .. } => true,
            op if whole::is_whole(op) => true,
            _ => moves(node) && node.inputs().iter().all(|x| views[x.index()]),
        };
    }
    views
}

/// Returns how often a node reads each element of this operand.
fn reads(graph: &Graph, node: &Node, operand: usize) -> Reads {
    let is_first = operand == 0;
    let once = match node.op() {
        op if whole::is_whole(op) => return whole::reads(op, operand, node.inputs().len()),
        Op::BroadcastInDim { dims, .. } => graph.shape(node.inputs()[0]).dims() == dims,
        Op::Pad { .. } if is_first => return Reads::Guarded,
        Op::Concatenate { .. } if node.inputs().len() > 1 => return Reads::Guarded,
        Op::DynamicUpdateSlice {} if operand < 2 => return Reads::Guarded,
        Op::DynamicSlice { .. } => is_first,
        Op::Reduce { .. } | Op::ArgReduce { .. } | Op::BitcastConvert { .. } => true,
        Op::ReduceGraph { .. } => 2 * operand < node.inputs().len(),
        Op::ReduceWindow { spec, .. }
            if spec.window.iter().zip(&spec.strides).all(|(size, by)| size <= by) =>
        {
            return Reads::Guarded;
        }
        Op::DotGeneral { dims, .. } => {
            // Each element of an operand is combined with the free axes of the other.
            let (other, axes) = if is_first { (1, dims.sides()[1]) } else { (0, dims.sides()[0]) };
            let other = graph.shape(node.inputs()[other]);
            axes.free(other.rank()).iter().all(|&axis| *other.dim(axis) == Dim::Static(1))
        }
        // At most this many elements are read, even if some of them repeatedly.
        Op::Gather { .. } if is_first => {
            let elements = |shape: &rlx_ir::Shape| shape.num_elements();
            elements(node.shape()).zip(elements(graph.shape(node.inputs()[0]))).is_some_and(|(a, b)| a <= b)
        }
        op => matches!(op.kind().access(), Access::Elementwise | Access::Movement),
    };
    if once { Reads::Once } else { Reads::Often }
}
