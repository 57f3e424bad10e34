//! Scheduling: an execution order with a low peak of live bytes.

use crate::kept::Kept;
use crate::memory::is_view;
use rlx_ir::{Graph, NodeId, Op};

/// The graph with its nodes in the order of lowest peak that was found: its own, or greedy by bytes freed. Kept inputs are
/// memory of the program, which their last use frees for what takes their place.
pub fn schedule(graph: &Graph, kept: &[Kept]) -> Graph {
    let own: Vec<usize> = (0..graph.nodes().len()).collect();
    let sizes = Sizes::new(graph, kept);
    let greedy = greedy_order(graph, &sizes);
    if sizes.peak(graph, &greedy) < sizes.peak(graph, &own) {
        reordered(graph, &greedy)
    } else {
        graph.clone()
    }
}

/// The bytes of the arena that each node's results take.
struct Sizes(Vec<usize>);

impl Sizes {
    fn new(graph: &Graph, kept: &[Kept]) -> Sizes {
        let mut inputs = 0;
        let mut size = |node: &rlx_ir::Node| {
            let in_arena = match node.op() {
                Op::Input { .. } => {
                    inputs += 1;
                    kept.iter().any(|k| k.input == inputs - 1)
                }
                // Not in the arena, or another value's bytes.
                Op::Param { .. } | Op::Constant { .. } | Op::Reshape { .. } | Op::Output { .. } => false,
                _ => true,
            };
            let bytes = node.results().iter().filter_map(|s| s.num_bytes()).fold(0, usize::saturating_add);
            if in_arena { bytes } else { 0 }
        };
        Sizes(graph.nodes().iter().map(&mut size).collect())
    }

    /// The largest number of live bytes when the nodes run in this order.
    fn peak(&self, graph: &Graph, order: &[usize]) -> usize {
        let mut uses = Uses::new(graph);
        let (mut live, mut peak) = (0usize, 0usize);
        for &i in order {
            live = live.saturating_add(self.0[i]);
            peak = peak.max(live);
            let freed = uses.freed_by(graph, i).map(|owner| self.0[owner]).fold(0, usize::saturating_add);
            live = live.saturating_sub(freed);
            uses.run(graph, i);
        }
        peak
    }
}

/// How often the bytes of each node will still be read, through views or directly.
struct Uses {
    /// For each node the one whose bytes it is: a view's source, otherwise itself.
    owner: Vec<usize>,
    /// By owner: uses by nodes that have not run and are no views, and views that have not run.
    left: Vec<usize>,
}

impl Uses {
    fn new(graph: &Graph) -> Uses {
        let mut owner: Vec<usize> = Vec::with_capacity(graph.nodes().len());
        for node in graph.nodes() {
            let own = node.id().index();
            owner.push(if is_view(node) { owner[node.inputs()[0].index()] } else { own });
        }
        let mut left = vec![0; graph.nodes().len()];
        // A view is a use until it has run; then its own uses stand for it, which are counted from the start.
        graph.nodes().iter().flat_map(|n| n.inputs()).for_each(|i| left[owner[i.index()]] += 1);
        graph.outputs().iter().for_each(|o| left[owner[o.index()]] += 1);
        Uses { owner, left }
    }

    /// The nodes whose bytes nothing reads any more after node `i`.
    fn freed_by<'a>(&'a self, graph: &'a Graph, i: usize) -> impl Iterator<Item = usize> + 'a {
        let inputs = graph.nodes()[i].inputs();
        let owners = inputs.iter().map(|x| self.owner[x.index()]);
        distinct(inputs).map(|x| self.owner[x.index()]).enumerate().filter_map(move |(at, owner)| {
            let first = !distinct(inputs).take(at).any(|x| self.owner[x.index()] == owner);
            (first && owners.clone().filter(|&o| o == owner).count() == self.left[owner]).then_some(owner)
        })
    }

    /// Node `i` has run.
    fn run(&mut self, graph: &Graph, i: usize) {
        for input in graph.nodes()[i].inputs() {
            self.left[self.owner[input.index()]] -= 1;
        }
    }
}

/// The largest number of live bytes when the nodes run in this order.
pub fn peak_bytes(graph: &Graph, order: &[usize]) -> usize {
    Sizes::new(graph, &[]).peak(graph, order)
}

/// Of the nodes that can run, always the one that frees most (allocates least); ties in the graph's own order.
fn greedy_order(graph: &Graph, sizes: &Sizes) -> Vec<usize> {
    let n = graph.nodes().len();
    let mut uses = Uses::new(graph);
    let mut waiting: Vec<usize> = graph.nodes().iter().map(|node| distinct(node.inputs()).count()).collect();
    let users = graph.users();
    // Leaves keep their order: it is the program's signature.
    let is_leaf = |i: usize| matches!(graph.nodes()[i].op(), Op::Input { .. } | Op::Param { .. });
    let mut order: Vec<usize> = (0..n).filter(|&i| is_leaf(i)).collect();
    let mut ready: Vec<usize> = (0..n).filter(|&i| !is_leaf(i) && waiting[i] == 0).collect();
    let release = |i: usize, waiting: &mut Vec<usize>, ready: &mut Vec<usize>| {
        for user in distinct(&users[i]) {
            waiting[user.index()] -= 1;
            if waiting[user.index()] == 0 {
                ready.push(user.index());
            }
        }
    };
    for leaf in order.clone() {
        release(leaf, &mut waiting, &mut ready);
    }
    while !ready.is_empty() {
        let cost = |i: usize| {
            let freed = uses.freed_by(graph, i).map(|owner| sizes.0[owner]).fold(0, usize::saturating_add);
            (sizes.0[i] as i128 - freed as i128, i)
        };
        // INVARIANT: the loop runs only while a node is ready.
        let Some(best) = (0..ready.len()).min_by_key(|&k| cost(ready[k])) else { break };
        let i = ready.swap_remove(best);
        order.push(i);
        uses.run(graph, i);
        release(i, &mut waiting, &mut ready);
    }
    order
}

/// The ids without repetition.
fn distinct(ids: &[NodeId]) -> impl Iterator<Item = NodeId> + '_ {
    ids.iter().enumerate().filter(|(i, id)| !ids[..*i].contains(id)).map(|(_, id)| *id)
}

fn reordered(graph: &Graph, order: &[usize]) -> Graph {
    let mut new = Graph::new(graph.name());
    let mut map = vec![NodeId::new(0); graph.nodes().len()];
    for &i in order {
        let node = &graph.nodes()[i];
        let inputs = node.inputs().iter().map(|x| map[x.index()]).collect();
        map[i] = new.push_copy(node, inputs);
    }
    new.set_outputs(graph.outputs().iter().map(|o| map[o.index()]).collect());
    new
}
