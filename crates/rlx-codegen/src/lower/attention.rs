//! Lowers attention to one pass over the keys, without scores in memory (Dao et al., "FlashAttention", 2022).
//! Everything that makes the scores is part of the group: masks, biases, caps and lengths.
//!
//! The pattern is Σⱼ (eⱼ / t)·vⱼ with eⱼ = e^(sⱼ − shift), where t and the shift may depend on the maximum of s and the
//! sum of e. Rows of the result run in parallel. Each keeps the maximum so far, and the sum and the products relative
//! to it.

use super::frame::Frame;
use super::movement::reshaped;
use super::online::{Pair, is_same_along, ratio};
use super::rule::Rule;
use super::stored::own_work;
use super::{Argument, LowerError, Reader};
use crate::build::Writer;
use crate::kernel::{BufferId, Guard, Place, ScalarId};
use rlx_ir::{BinaryOp, Dim, Graph, Node, NodeId, Op, Scalar, UnaryOp};
use std::collections::BTreeSet;

/// The maximum number of keys that are summed in one chain.
const SHORT: usize = 2048;
/// The minimum number of keys in a run.
const RUN: usize = 1024;

/// One product with normalized exponentials.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Attention {
    /// The product.
    pub(super) product: NodeId,
    /// The maximum of the scores (the pair's x), and the sum of exponentials.
    pub(super) pair: Pair,
    /// The divisor of the exponentials.
    divisor: NodeId,
    /// The leading dimensions (all except the summed one) of the product's left operand, of the value that it is a
    /// reshape of, and so on to the weights.
    leads: Vec<Vec<Dim>>,
}

impl Attention {
    /// Finds all attentions of a group. Values that are only made for one are no longer stored, but its product is.
    pub(super) fn all(graph: &Graph, stored: &mut [bool]) -> Vec<Attention> {
        let live = graph.live();
        let products = graph.nodes().iter().filter(|node| live[node.id().index()]);
        let mut found = Vec::new();
        for attention in products.filter_map(|node| Attention::of(graph, node)) {
            let inside = attention.inside(graph, &live);
            if inside.contains(&attention.pair.first) && inside.contains(&attention.pair.second) {
                inside.iter().for_each(|id| stored[id.index()] = false);
                stored[attention.product.index()] = true;
                attention.read_in_place(graph, &live, inside, stored);
                found.push(attention);
            }
        }
        found
    }

    fn of(graph: &Graph, node: &Node) -> Option<Attention> {
        let Op::DotGeneral { dims, .. } = node.op() else { return None };
        let keys = graph.shape(node.inputs()[0]).dims().last()?.clone();
        let mut weights = graph.node(node.inputs()[0]);
        let mut leads = vec![lead(weights)?];
        while let Op::Reshape { .. } | Op::Convert { .. } = weights.op() {
            weights = graph.node(weights.inputs()[0]);
            if weights.shape().dims().last() != Some(&keys) {
                return None;
            }
            leads.push(lead(weights)?);
        }
        let last = weights.shape().rank() - 1;
        let is_last = dims.lhs_contract[..] == [graph.shape(node.inputs()[0]).rank() - 1]
            && dims.rhs_contract.len() == 1;
        let (Op::Binary { op: BinaryOp::Div }, &[exponentials, divisor]) = (weights.op(), weights.inputs())
        else {
            return None;
        };
        let along =
            |id: &NodeId| matches!(graph.node(*id).op(), Op::Reduce { axes, .. } if axes[..] == [last]);
        let reductions: Vec<NodeId> = graph.nodes().iter().map(Node::id).filter(along).collect();
        let is_sum = |id: &NodeId| graph.node(*id).inputs()[0] == exponentials;
        let second = reductions.iter().copied().find(is_sum)?;
        let pair = Pair::of(graph, second, &[last], &reductions)?;
        let fits = is_last && pair.is_exponential() && is_same_along(graph, graph.node(divisor), &[last]);
        fits.then_some(Attention { product: node.id(), pair, divisor, leads })
    }

    /// Returns what is computed only for the product, from the products of the scores on. An operand that is broadcast stays outside.
    fn inside(&self, graph: &Graph, live: &[bool]) -> BTreeSet<NodeId> {
        let users = graph.users();
        let mut follows = vec![false; live.len()];
        for node in graph.nodes() {
            let follows_one = node.inputs().iter().any(|id| follows[id.index()]);
            follows[node.id().index()] = node.id() == self.pair.first || follows_one;
        }
        let mut inside = BTreeSet::from([self.product]);
        for node in graph.nodes()[..self.product.index()].iter().rev().filter(|node| live[node.id().index()])
        {
            let id = node.id();
            let takes = |user: &&NodeId| {
                let user = graph.node(**user);
                match user.op() {
                    Op::DotGeneral { .. } => user.id() == self.product && user.inputs()[1] != id,
                    Op::BroadcastInDim { .. } => follows[id.index()],
                    _ => true,
                }
            };
            let of = || users.of(id).iter().filter(|user| live[user.index()]);
            let is_only_for_it = of().all(|user| inside.contains(user)) && !users.is_output(id);
            let is_made = match Rule::of(node.op().kind()) {
                Some(Rule::Elementwise | Rule::Movement) => true,
                Some(Rule::Reduction) => id == self.pair.first || id == self.pair.second,
                Some(Rule::Contraction) => matches!(node.op(), Op::DotGeneral { .. }),
                _ => false,
            };
            if is_made && is_only_for_it && of().any(|user| takes(&user)) {
                inside.insert(id);
            }
        }
        inside.remove(&self.product);
        inside
    }

    /// Stops storing operands of the products that are made only for this attention, if they are views of memory or are
    /// one or two functions away from it (a narrow cache in which only the first rows count). Each key is read by all
    /// queries.
    fn read_in_place(&self, graph: &Graph, live: &[bool], inside: BTreeSet<NodeId>, stored: &mut [bool]) {
        let users = graph.users();
        let count = |id: &NodeId| graph.shape(*id).num_elements_dim();
        let mut alone = inside;
        alone.insert(self.product);
        let products = alone.iter().map(|id| graph.node(*id));
        let products = products.filter(|node| matches!(node.op(), Op::DotGeneral { .. }));
        let sizes: Vec<Dim> = products.flat_map(|node| node.inputs().iter().map(count)).collect();
        let before = &graph.nodes()[..self.product.index()];
        let rule = |node: &Node| Rule::of(node.op().kind());
        for node in before.iter().rev() {
            let mut of = users.of(node.id()).iter().filter(|user| live[user.index()]);
            let is_made = matches!(rule(node), Some(Rule::Elementwise | Rule::Movement));
            if is_made && of.all(|user| alone.contains(user)) && !users.is_output(node.id()) {
                alone.insert(node.id());
            }
        }
        // The number of functions of whole operands that each value takes. `None` means too many, or other ops.
        let mut functions: Vec<Option<usize>> = vec![None; stored.len()];
        for node in before {
            let id = node.id();
            let operands =
                || node.inputs().iter().map(|x| functions[x.index()]).try_fold(0, |n, x| Some(n.max(x?)));
            let own = match rule(node) {
                Some(Rule::Leaf) => Some(0),
                Some(Rule::Movement) => operands(),
                Some(Rule::Elementwise) if own_work(node.op()) <= 1 => {
                    operands().map(|n| n + usize::from(sizes.contains(&count(&id)))).filter(|n| *n <= 2)
                }
                _ => None,
            };
            stored[id.index()] &= own.is_none() || !alone.contains(&id);
            let is_loaded = stored[id.index()] || matches!(node.op(), Op::Input { .. });
            functions[id.index()] = if is_loaded { Some(0) } else { own };
        }
    }

    /// Adds the launch that stores the product.
    pub(super) fn lower(&self, frame: &mut Frame<'_>, node: &Node, to: Argument) -> Result<(), LowerError> {
        let values = node.inputs()[1];
        let reads = [self.pair.x, self.pair.shift, self.divisor, values];
        let rows = self.leads[0].len();
        let (row_extents, free) = node.shape().dims().split_at(rows);
        let pass = OnePass { attention: self, node, free };
        let tiled = frame.tiled_attention(&pass);
        frame.launch(&reads, &[(to, Place::Out)], |w, reader, buffers| match tiled {
            Some(tiled) => tiled.lower(w, reader, buffers[0]),
            None => w.par(row_extents, |w, row| pass.row(w, reader, row, buffers[0])),
        })
    }
}

/// Returns the length of the runs whose sums are added if there are so many keys that one chain would lose too much
/// precision. It is about the square root of their number.
fn run_of(keys: &Dim) -> Option<Dim> {
    match keys.as_static() {
        Some(..=SHORT) => None,
        Some(count) => Some(Dim::Static(count.isqrt().max(RUN))),
        None => Some(Dim::Static(RUN)),
    }
}

/// Returns all dimensions except the last.
fn lead(node: &Node) -> Option<Vec<Dim>> {
    Some(node.shape().dims().split_last()?.1.to_vec())
}

/// The launch of one product.
pub(super) struct OnePass<'a> {
    pub(super) attention: &'a Attention,
    pub(super) node: &'a Node,
    /// The extents of a row of the result.
    pub(super) free: &'a [Dim],
}

impl OnePass<'_> {
    /// Computes a row of the result as a sum over all keys.
    fn row(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        row: &[Dim],
        to: BufferId,
    ) -> Result<(), LowerError> {
        let pair = self.attention.pair;
        let shape = reader.shape(pair.x);
        let dtype = shape.dtype();
        let keys = &shape.dims()[shape.rank() - 1];
        let at = [&self.lead(w, row)[..], &[Dim::Static(0)]].concat();
        let sums = w.array(dtype, self.free);
        let zero = w.constant(dtype, Scalar::Int(0));
        self.clear(w, sums, zero)?;
        let lowest = w.constant(dtype, Scalar::Float(f64::NEG_INFINITY));
        // The maximum of no scores and the sum of no exponentials.
        let nothing = [lowest, zero];
        let state = match run_of(keys) {
            None => self.run(w, reader, (row, &Dim::Static(0), keys), (sums, &nothing))?,
            Some(length) => {
                let of_run = w.array(dtype, self.free);
                let runs = (keys + &length).offset(-1).floor_div(&length);
                w.repeat(&runs, false, &nothing, |w, run, so_far| {
                    let first = run * &length;
                    let left = keys - &first;
                    let count = &(&length + &left) - &length.larger(&left);
                    self.clear(w, of_run, zero)?;
                    let state = self.run(w, reader, (row, &first, &count), (of_run, &nothing))?;
                    let largest = w.binary(BinaryOp::Max, so_far[0], state[0]);
                    let (old, new) = (ratio(w, so_far[0], largest), ratio(w, state[0], largest));
                    self.join(w, (sums, old), new, |w, free| Ok(w.load(of_run, free)))?;
                    let (old, new) =
                        (w.binary(BinaryOp::Mul, so_far[1], old), w.binary(BinaryOp::Mul, state[1], new));
                    Ok::<_, LowerError>(vec![largest, w.binary(BinaryOp::Add, old, new)])
                })?
            }
        };
        let factor = self.factor(w, reader, &at, &state)?;
        w.par(self.free, |w, free| {
            let sum = w.load(sums, free);
            self.store_product(w, (row, free), (sum, factor, keys), to);
            Ok(())
        })
    }

    /// Adds the values of a run of keys to `sums`, relative to the maximum of their scores. Returns that maximum and
    /// the sum of exponentials.
    fn run(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        (row, first, count): (&[Dim], &Dim, &Dim),
        (sums, nothing): (BufferId, &[ScalarId]),
    ) -> Result<Vec<ScalarId>, LowerError> {
        let pair = self.attention.pair;
        let dtype = reader.shape(pair.x).dtype();
        let lead = self.lead(w, row);
        w.repeat(count, false, nothing, |w, key, state| {
            let key = &(first + key);
            let score = reader.element(w, pair.x, &[&lead[..], std::slice::from_ref(key)].concat())?;
            let largest = w.binary(BinaryOp::Max, state[0], score);
            let (old, new) = (ratio(w, state[0], largest), ratio(w, score, largest));
            self.join(w, (sums, old), new, |w, free| {
                let value = reader.element(w, self.node.inputs()[1], &self.value(row, key, free))?;
                Ok(w.convert(value, dtype))
            })?;
            let sum = w.binary(BinaryOp::Mul, state[1], old);
            Ok(vec![largest, w.binary(BinaryOp::Add, sum, new)])
        })
    }

    /// Multiplies sums by `old`, and adds `new` times the corresponding value to each.
    fn join(
        &self,
        w: &mut Writer,
        (sums, old): (BufferId, ScalarId),
        new: ScalarId,
        mut value: impl FnMut(&mut Writer, &[Dim]) -> Result<ScalarId, LowerError>,
    ) -> Result<(), LowerError> {
        w.par(self.free, |w, free| {
            let value = value(w, free)?;
            let so_far = w.load(sums, free);
            let (so_far, more) = (w.binary(BinaryOp::Mul, so_far, old), w.binary(BinaryOp::Mul, new, value));
            let sum = w.binary(BinaryOp::Add, so_far, more);
            w.store(sums, free, sum);
            Ok(())
        })
    }

    fn clear(&self, w: &mut Writer, sums: BufferId, zero: ScalarId) -> Result<(), LowerError> {
        w.par(self.free, |w, free| {
            w.store(sums, free, zero);
            Ok(())
        })
    }

    /// Returns whether the rows of the result are those of the scores, in the same order.
    pub(super) fn is_plain(&self) -> bool {
        let Op::DotGeneral { dims, .. } = self.node.op() else { return false };
        dims.lhs_batch.iter().copied().eq(0..dims.lhs_batch.len())
            && self.attention.leads.iter().all(|lead| lead[..] == *self.rows())
    }

    /// Returns the extents that count rows of the result.
    pub(super) fn rows(&self) -> &[Dim] {
        &self.node.shape().dims()[..self.node.shape().rank() - self.free.len()]
    }

    /// Stores an element of a row, given its sum of products and the state of the row.
    pub(super) fn store(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        (row, free): (&[Dim], &[Dim]),
        (sum, state): (ScalarId, &[ScalarId]),
        to: BufferId,
    ) -> Result<(), LowerError> {
        let shape = reader.shape(self.attention.pair.x);
        let keys = &shape.dims()[shape.rank() - 1];
        let at = [&self.lead(w, row)[..], &[Dim::Static(0)]].concat();
        let factor = self.factor(w, reader, &at, state)?;
        self.store_product(w, (row, free), (sum, factor, keys), to);
        Ok(())
    }

    fn store_product(
        &self,
        w: &mut Writer,
        (row, free): (&[Dim], &[Dim]),
        (sum, factor, keys): (ScalarId, ScalarId, &Dim),
        to: BufferId,
    ) {
        let result = w.binary(BinaryOp::Mul, sum, factor);
        let result = match keys.as_static() {
            Some(1..) => result,
            // Without keys, nothing was added.
            _ => {
                let is_none = w.holds(Guard(vec![&Dim::Static(0) - keys]));
                w.select(is_none, sum, result)
            }
        };
        let result = w.convert(result, self.node.shape().dtype());
        w.store(to, &[row, free].concat(), result);
    }

    /// Returns the factor by which products relative to the maximum are multiplied in the end.
    fn factor(
        &self,
        w: &mut Writer,
        reader: &mut Reader<'_>,
        at: &[Dim],
        state: &[ScalarId],
    ) -> Result<ScalarId, LowerError> {
        let pair = self.attention.pair;
        let row = at[..at.len() - 1].to_vec();
        reader.found(w, pair.first, row.clone(), state[0]);
        let shift = reader.element(w, pair.shift, at)?;
        let second = pair.second(w, state, shift);
        reader.found(w, pair.second, row, second);
        let divisor = reader.element(w, self.attention.divisor, at)?;
        let above = w.binary(BinaryOp::Sub, state[0], shift);
        let factor = w.unary(UnaryOp::Exp, above);
        Ok(w.binary(BinaryOp::Div, factor, divisor))
    }

    /// Returns the indices of a row's scores, without that of the key.
    pub(super) fn lead(&self, w: &Writer, row: &[Dim]) -> Vec<Dim> {
        let Op::DotGeneral { dims, .. } = self.node.op() else { return row.to_vec() };
        let batch = &dims.lhs_batch;
        let mut free = row[batch.len()..].iter();
        let index = |axis: usize| match batch.iter().position(|&a| a == axis) {
            Some(place) => Some(&row[place]),
            None => free.next(),
        };
        let lead: Vec<Dim> = (0..row.len()).map_while(index).cloned().collect();
        let steps = self.attention.leads.windows(2);
        steps.fold(lead, |at, pair| reshaped(w, &at, &pair[0], &pair[1]))
    }

    /// Returns the indices of a value, for a row, a key, and an element of the row's result.
    pub(super) fn value(&self, row: &[Dim], key: &Dim, free: &[Dim]) -> Vec<Dim> {
        let Op::DotGeneral { dims, .. } = self.node.op() else { return Vec::new() };
        let [_, axes] = dims.sides();
        let mut free = free.iter();
        let index = |axis: usize| match axes.batch.iter().position(|&a| a == axis) {
            Some(place) => Some(&row[place]),
            None if axes.contract.contains(&axis) => Some(key),
            None => free.next(),
        };
        (0..axes.batch.len() + 1 + self.free.len()).map_while(index).cloned().collect()
    }
}
