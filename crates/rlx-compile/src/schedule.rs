//! Scheduling: finds an execution order with a low peak of live bytes.

use crate::alias::Alias;
use crate::memory::is_view;
use crate::structure::Role;
use rlx_ir::{Bindings, Dim, Graph, NodeId, Op, Shape, Symbols};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The assumed size of symbols when orders are compared. No order is best for all sizes.
const NOMINAL: usize = 128;

/// Reorders the nodes of a graph if that lowers the peak: it compares the graph's own order with a greedy one by bytes freed. State
/// buffers of alias pairs count, so that a value that takes the place of one is computed after its last use.
pub fn schedule(graph: Graph, aliases: &[Alias]) -> Graph {
    let own: Vec<usize> = (0..graph.nodes().len()).collect();
    let sizes = Sizes::new(&graph, aliases);
    let greedy = greedy_order(&graph, &sizes);
    let better = sizes.peak(&graph, &greedy) < sizes.peak(&graph, &own);
    if !better {
        return graph;
    }
    let order: Vec<NodeId> = greedy.into_iter().map(NodeId::new).collect();
    graph.reordered(&order)
}

/// The bytes in the arena of each node's results.
struct Sizes(Vec<usize>);

impl Sizes {
    fn new(graph: &Graph, aliases: &[Alias]) -> Sizes {
        let mut inputs = 0;
        let mut is_state = vec![false; graph.inputs().count()];
        // INVARIANT: alias pairs that do not fit the graph were refused before.
        aliases.iter().for_each(|a| is_state[a.input] = true);
        let mut nominal = Bindings::new();
        let mut size = |node: &rlx_ir::Node| {
            let in_arena = match Role::of(node.op()) {
                Role::Input => {
                    inputs += 1;
                    is_state[inputs - 1]
                }
                // Not in the arena, or in the place of another value.
                Role::Param | Role::Constant | Role::View => false,
                Role::Kernel => true,
            };
            if !in_arena {
                return 0;
            }
            node.results().iter().map(|s| nominal_bytes(s, &mut nominal)).fold(0, usize::saturating_add)
        };
        Sizes(graph.nodes().iter().map(&mut size).collect())
    }

    /// Returns the maximum number of live bytes if the nodes run in this order.
    fn peak(&self, graph: &Graph, order: &[usize]) -> usize {
        let mut uses = Uses::new(graph);
        let (mut live, mut peak) = (0usize, 0usize);
        for &i in order {
            live = live.saturating_add(self.0[i]);
            peak = peak.max(live);
            live = live.saturating_sub(uses.freed_by(i, self));
            uses.run(i, |_| ());
        }
        peak
    }
}

/// Returns the bytes of a shape with its symbols bound to [`NOMINAL`]. `nominal` collects these bindings.
fn nominal_bytes(shape: &Shape, nominal: &mut Bindings) -> usize {
    if let Some(bytes) = shape.num_bytes() {
        return bytes;
    }
    let mut symbols = Symbols::default();
    shape.dims().iter().for_each(|dim| dim.symbols(&mut symbols));
    for symbol in symbols.into_vec() {
        nominal.entry(symbol).or_insert(NOMINAL);
    }
    let size = |dim: &Dim| dim.eval(nominal).unwrap_or(NOMINAL);
    shape.dims().iter().map(size).fold(shape.dtype().size(), usize::saturating_mul)
}

/// The nodes that will still read the bytes of each node, directly or through views.
struct Uses {
    /// For each node, the nodes that own the bytes it reads, each once. A view's bytes belong to its source.
    reads: Vec<usize>,
    /// For each node, the start of its entries in `reads`, followed by the length of `reads`.
    first: Vec<usize>,
    /// For each node, how many nodes that have not run read its bytes. An output counts as one more read, at the end.
    left: Vec<usize>,
    /// For each node, the sum of the indices of these readers. If only one is left, this is its index.
    sum: Vec<usize>,
}

impl Uses {
    fn new(graph: &Graph) -> Uses {
        let n = graph.nodes().len();
        let mut owner: Vec<usize> = Vec::with_capacity(n);
        for node in graph.nodes() {
            let own = node.id().index();
            owner.push(if is_view(node) { owner[node.inputs()[0].index()] } else { own });
        }
        let (mut left, mut sum) = (vec![0; n], vec![0; n]);
        let (mut reads, mut first, mut owners) = (Vec::new(), Vec::with_capacity(n + 1), Vec::new());
        for node in graph.nodes() {
            owners.clear();
            owners.extend(node.inputs().iter().map(|x| owner[x.index()]));
            owners.sort_unstable();
            owners.dedup();
            for &o in &owners {
                left[o] += 1;
                sum[o] += node.id().index();
            }
            first.push(reads.len());
            reads.extend(&owners);
        }
        first.push(reads.len());
        graph.outputs().iter().for_each(|o| left[owner[o.index()]] += 1);
        Uses { reads, first, left, sum }
    }

    /// Returns how many bytes nothing reads any more after node `i`.
    fn freed_by(&self, i: usize, sizes: &Sizes) -> usize {
        let last =
            self.reads[self.first[i]..self.first[i + 1]].iter().filter(|&&owner| self.left[owner] == 1);
        last.map(|&owner| sizes.0[owner]).fold(0, usize::saturating_add)
    }

    /// Records that node `i` has run. Calls `last` with each node that is now the only remaining reader of some bytes.
    fn run(&mut self, i: usize, mut last: impl FnMut(usize)) {
        for &owner in &self.reads[self.first[i]..self.first[i + 1]] {
            self.left[owner] -= 1;
            self.sum[owner] -= i;
            // If the remaining read is that of an output, there is no such node.
            if self.left[owner] == 1 && self.sum[owner] > 0 {
                last(self.sum[owner]);
            }
        }
    }
}

/// Returns the maximum number of live bytes if the nodes run in this order.
pub fn peak_bytes(graph: &Graph, order: &[usize]) -> usize {
    Sizes::new(graph, &[]).peak(graph, order)
}

/// Returns the order that always runs the ready node that frees most (or allocates least). Ties are resolved by the graph's own order.
fn greedy_order(graph: &Graph, sizes: &Sizes) -> Vec<usize> {
    let n = graph.nodes().len();
    let mut uses = Uses::new(graph);
    let users = graph.users();
    // Counted once per use, as in `users`.
    let mut waiting: Vec<usize> = graph.nodes().iter().map(|node| node.inputs().len()).collect();
    let cost = |i: usize, uses: &Uses| sizes.0[i] as i128 - uses.freed_by(i, sizes) as i128;
    // Leaves keep their order, because it is the program's signature.
    let is_leaf = |i: usize| matches!(graph.nodes()[i].op(), Op::Input { .. } | Op::Param { .. });
    let mut order: Vec<usize> = (0..n).filter(|&i| is_leaf(i)).collect();
    let mut done = vec![false; n];
    order.iter().for_each(|&i| done[i] = true);
    // If the cost of a node falls, it is queued again. Its older entry is skipped once the node is done.
    let mut ready: BinaryHeap<Reverse<(i128, usize)>> = BinaryHeap::new();
    for i in (0..n).filter(|&i| !done[i] && waiting[i] == 0) {
        ready.push(Reverse((cost(i, &uses), i)));
    }
    let release = |i: usize, waiting: &mut [usize], uses: &Uses, ready: &mut BinaryHeap<_>| {
        for user in users.of(NodeId::new(i)).iter().map(|user| user.index()) {
            waiting[user] -= 1;
            if waiting[user] == 0 {
                ready.push(Reverse((cost(user, uses), user)));
            }
        }
    };
    for &leaf in &order {
        release(leaf, &mut waiting, &uses, &mut ready);
    }
    let mut cheaper = Vec::new();
    while let Some(Reverse((_, i))) = ready.pop() {
        if std::mem::replace(&mut done[i], true) {
            continue;
        }
        order.push(i);
        uses.run(i, |last| cheaper.push(last));
        release(i, &mut waiting, &uses, &mut ready);
        for last in cheaper.drain(..).filter(|&last| !done[last] && waiting[last] == 0) {
            ready.push(Reverse((cost(last, &uses), last)));
        }
    }
    order
}
