//! Lowers products whose factors contain other products, such as the gradients of attention, to nested tiles.
//!
//! A tile of the inner product is computed where the outer one reads it, so the values between them, one for each query
//! and key, are never in memory.

use super::machine::Tiling;
use super::product::{MatrixProduct, Position};
use super::{Element, Tiled};
use crate::build::Writer;
use crate::kernel::{BufferId, ScalarId, Space};
use crate::lower::contraction::{along_last, spaces};
use crate::lower::rule::Rule;
use crate::lower::{LowerError, Reader};
use rlx_ir::{Dim, Graph, Node, NodeId, Op};
use std::collections::BTreeSet;

/// The maximum number of columns of an outer product. One tile has all of them, so that inner products are computed once.
const WIDEST: usize = 128;
/// The number of summands of inner products at a time.
const INNER: usize = 16;

/// Returns the products that a value is computed from, element by element at the same indices, and all nodes between them.
fn chain(
    graph: &Graph,
    id: NodeId,
    is_in_memory: &dyn Fn(NodeId) -> bool,
) -> (Vec<NodeId>, BTreeSet<NodeId>) {
    let dims = graph.shape(id).dims();
    let (mut left, mut roots, mut between) = (vec![id], Vec::new(), BTreeSet::new());
    while let Some(id) = left.pop() {
        let node = graph.node(id);
        if graph.shape(id).dims() != dims || is_in_memory(id) || between.contains(&id) {
            continue;
        }
        match Rule::of(node.op().kind()) {
            Some(Rule::Contraction) if is_matrix(graph, node) => roots.push(id),
            Some(Rule::Elementwise) => left.extend(node.inputs()),
            _ => continue,
        }
        between.insert(id);
    }
    (roots, between)
}

/// Returns whether a node is a matrix product with one axis of rows and one of columns.
fn is_matrix(graph: &Graph, node: &Node) -> bool {
    let product = MatrixProduct::of(graph, node);
    spaces(graph, node).is_some()
        && product.is_some_and(|product| product.rows.len() == 1 && product.columns.len() == 1)
}

/// Stops storing values that are computed from products only for other products, and for sums over their rows, which
/// make one pass over them.
pub(in crate::lower) fn recompute(graph: &Graph, stored: &mut [bool]) {
    let (live, users) = (graph.live(), graph.users());
    let is_outer = |node: &Node| {
        let columns = MatrixProduct::of(graph, node).map(|product| product.columns);
        let narrow = |dims: &[Dim]| {
            dims.iter()
                .try_fold(1usize, |n, dim| n.checked_mul(dim.as_static()?))
                .is_some_and(|n| n <= WIDEST)
        };
        is_matrix(graph, node) && columns.is_some_and(|columns| narrow(&columns))
    };
    let mut between = BTreeSet::new();
    for node in graph.nodes().iter().filter(|node| live[node.id().index()] && is_outer(node)) {
        for which in [0, 1].into_iter().filter(|&which| along_last(node, which).is_some()) {
            let (roots, chain) = chain(graph, node.inputs()[which], &|_| false);
            if !roots.is_empty() {
                between.extend(chain);
            }
        }
    }
    // Values that others read are stored as before. This may also concern the values that they are computed from.
    loop {
        let is_read = |id: &NodeId| {
            let reads = |user: &NodeId| {
                let node = graph.node(*user);
                let last = graph.shape(*id).rank() - 1;
                let sums = matches!(node.op(), Op::Reduce { axes, .. } if axes[..] == [last]);
                between.contains(user) && Rule::of(node.op().kind()) == Some(Rule::Elementwise)
                    || sums
                    || is_outer(node)
            };
            let mut of = users.of(*id).iter().filter(|user| live[user.index()]);
            of.all(reads) && !users.is_output(*id)
        };
        let kept: BTreeSet<NodeId> = between.iter().copied().filter(is_read).collect();
        if kept.len() == between.len() {
            break;
        }
        between = kept;
    }
    between.iter().for_each(|id| stored[id.index()] = false);
}

impl<'g> Tiled<'g> {
    /// Fills the tile of a factor that is computed from products. Returns false if there are none, or if lanes cannot
    /// share their tiles evenly.
    pub(super) fn staged_products(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'g>,
        begin: &Position,
        (which, tile): (usize, BufferId),
    ) -> Result<bool, LowerError> {
        let graph = self.product.graph;
        let Some(along_last) = along_last(self.product.node, which) else { return Ok(false) };
        let (roots, _) = chain(graph, self.product.node.inputs()[which], &|id| reader.is_known(id));
        let [tall, wide, deep] = self.tiling.tile;
        // In the order of the inner products, rows first.
        let (free, first) = if which == 0 { (tall, &begin.row) } else { (wide, &begin.column) };
        let (sizes, corner) = match along_last {
            true => ([free, deep], [first, &begin.inner]),
            false => ([deep, free], [&begin.inner, first]),
        };
        let Some(lanes) = spread(self.tiling.all_lanes(), sizes).filter(|_| !roots.is_empty()) else {
            return Ok(false);
        };
        let tiling = Tiling { tile: [sizes[0], sizes[1], INNER], lanes, instr: None, parts: 1 };
        let mut sums = Vec::new();
        let mut of = None;
        for id in roots {
            let Some(product) = MatrixProduct::of(graph, graph.node(id)) else { return Ok(false) };
            let inner = Tiled { product, tiling };
            let sum = w.array_in(Space::Lane, inner.product.accumulator(), &sizes.map(Dim::Static));
            let begin = Position {
                batch: begin.batch.clone(),
                row: corner[0].clone(),
                column: corner[1].clone(),
                inner: Dim::Static(0),
            };
            inner.summed(w, reader, &begin, (sum, None))?;
            sums.push((id, sum));
            of = Some(inner);
        }
        let Some(inner) = of else { return Ok(false) };
        // In tiles of factors, the summed axis is the last or the first.
        let is_turned = along_last == (which == 1);
        let zero = w.constant(self.product.factor(), rlx_ir::Scalar::Int(0));
        inner.over_tile(w, |w, [i, j]| {
            let at = if is_turned { [j.clone(), i.clone()] } else { [i.clone(), j.clone()] };
            let Element { node, at: from, guard } = self.element(w, begin, which, &at)?;
            let guard = w.unproven(guard);
            for &(id, sum) in &sums {
                let total: ScalarId = w.load(sum, &[i.clone(), j.clone()]);
                let total = w.convert(total, graph.shape(id).dtype());
                reader.found_where(w, (id, from.clone()), &guard, total);
            }
            let value = reader.element_where(w, node, &from, guard, zero)?;
            w.store(tile, &at, value);
            Ok(())
        })?;
        Ok(true)
    }
}

/// Distributes lanes over the rows and columns of a tile of these sizes, so that each has the same number of elements.
fn spread(lanes: usize, [rows, columns]: [usize; 2]) -> Option<[usize; 2]> {
    let shares = |&across: &usize| {
        let down = lanes / across;
        lanes.is_multiple_of(across) && rows.is_multiple_of(down) && columns.is_multiple_of(across)
    };
    [16, 8, 32, 4, 64, 128].into_iter().find(shares).map(|across| [lanes / across, across])
}
