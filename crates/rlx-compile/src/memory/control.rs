//! Plans the graphs inside a branch or a loop. Their values are in the scratch memory of its step, at the start of which all of its graphs
//! share their memory.

use super::classes::{Classes, Context};
use super::placement::aligned;
use super::values::{self, GraphPlan};
use super::{Class, Kernels, PlanError};
use crate::lowered::Bound;
use crate::program::Storage;
use rlx_ir::{DType, Dim, Graph, NodeId, Op};
use std::collections::HashSet;
use std::sync::Arc;

/// A graph inside a node, planned.
pub(super) struct Planned {
    pub(super) classes: Classes,
    pub(super) values: GraphPlan,
}

/// How a loop carries a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Carry {
    /// The body returns its input.
    Same,
    /// The body overwrites its input.
    InPlace,
    /// The body writes elsewhere. This is the offset of a second place in the scratch memory.
    Elsewhere(usize),
}

/// A planned branch or loop.
pub(super) struct Control {
    pub(super) kind: ControlKind,
    pub(super) scratch_bytes: usize,
}

pub(super) enum ControlKind {
    If([Planned; 2]),
    Case(Vec<Planned>),
    While {
        condition: Planned,
        /// The offset of the result of the condition in the scratch memory.
        again: usize,
        body: LoopBody,
    },
    Scan {
        length: Dim,
        reverse: bool,
        body: LoopBody,
    },
}

/// The body of a loop. Its inputs are constants of the loop, then carried values, then slices.
pub(super) struct LoopBody {
    pub(super) planned: Planned,
    /// The number of constants.
    pub(super) first: usize,
    pub(super) carried: Vec<Carry>,
    /// The carried values that the body writes, in the order of its outputs. The outputs after them are slices.
    pub(super) written: Vec<usize>,
}

impl Control {
    /// Plans the graphs inside a node. `bytes` lists the maximum number of bytes of each of its results.
    pub(super) fn plan<K: Kernels>(
        class: Class<'_>,
        bytes: &[usize],
        cx: &mut Context<'_, K>,
    ) -> Result<Control, K::Error> {
        let mut places = ScratchPlaces::default();
        let kind = match class.node.op() {
            Op::If { then_branch, else_branch } => {
                ControlKind::If([places.branch(then_branch, cx)?, places.branch(else_branch, cx)?])
            }
            Op::Case { branches } => {
                let planned = branches.iter().map(|branch| places.branch(branch, cx));
                ControlKind::Case(planned.collect::<Result<_, K::Error>>()?)
            }
            Op::While { cond, body } => {
                let condition = places.branch(cond, cx)?;
                let body = LoopBody::plan(class, (body, 0, bytes), &mut places, cx)?;
                let again = places.take(DType::Bool.size());
                ControlKind::While { condition, again, body }
            }
            Op::Scan { body, length, num_consts, num_carry, reverse } => {
                let body = LoopBody::plan(class, (body, *num_consts, &bytes[..*num_carry]), &mut places, cx)?;
                ControlKind::Scan { length: length.clone(), reverse: *reverse, body }
            }
            // INVARIANT: only control flow is planned here.
            op => return Err(PlanError::Dynamic(class.node.id(), op.mnemonic()).into()),
        };
        Ok(Control { kind, scratch_bytes: places.bytes })
    }
}

/// ScratchPlaces in the scratch memory of a step, one after another.
#[derive(Default)]
struct ScratchPlaces {
    bytes: usize,
}

impl ScratchPlaces {
    fn take(&mut self, bytes: usize) -> usize {
        let at = self.bytes;
        self.bytes = at.saturating_add(aligned(bytes));
        at
    }

    /// Plans a graph that begins at the start of the scratch memory. Everything else is placed after all graphs.
    fn branch<K: Kernels>(&mut self, graph: &Graph, cx: &mut Context<'_, K>) -> Result<Planned, K::Error> {
        let planned = Planned::new(graph.clone(), &[], &[], cx)?;
        self.bytes = self.bytes.max(aligned(planned.values.arena_bytes));
        Ok(planned)
    }
}

impl Planned {
    /// Plans a graph. `pairs` lists inputs, each with the output that takes its place. If possible, the output of a pair is computed in the
    /// memory of its input, which is then overwritten. The inputs `fixed`, in order, have the same value in all runs.
    fn new<K: Kernels>(
        graph: Graph,
        pairs: &[(usize, usize)],
        fixed: &[NodeId],
        cx: &mut Context<'_, K>,
    ) -> Result<Planned, K::Error> {
        let classes = Classes::prepared(&Bound::unclassified(&Arc::new(graph)), fixed, cx)?;
        let mut donated: Vec<usize> = pairs.iter().map(|pair| pair.0).collect();
        loop {
            let values = values::plan(&classes, Some(&donated))?;
            let were: HashSet<usize> = donated.iter().copied().collect();
            let in_place = pairs.iter().filter(|pair| were.contains(&pair.0) && values.overwrites(**pair));
            let in_place: Vec<usize> = in_place.map(|pair| pair.0).collect();
            // An input that its own output does not overwrite must keep its value.
            if in_place.len() == donated.len() {
                return Ok(Planned { classes, values });
            }
            donated = in_place;
        }
    }
}

impl GraphPlan {
    /// Returns whether an output is computed in the memory of an input.
    fn overwrites(&self, (input, output): (usize, usize)) -> bool {
        self.buffers[self.outputs[output]].storage == Storage::Input(input)
    }
}

impl LoopBody {
    /// Plans the body of a loop, which takes `first` constants, then a carried value for each of `carried`, whose bytes these are.
    fn plan<K: Kernels>(
        class: Class<'_>,
        (graph, first, carried): (&Graph, usize, &[usize]),
        places: &mut ScratchPlaces,
        cx: &mut Context<'_, K>,
    ) -> Result<LoopBody, K::Error> {
        let inputs: Vec<NodeId> = graph.inputs().map(|node| node.id()).collect();
        let count = carried.len();
        let is_same = |i: usize| graph.outputs().get(i) == inputs.get(first + i);
        let written: Vec<usize> = (0..count).filter(|&i| !is_same(i)).collect();
        let mut reduced = graph.clone();
        let outputs = graph.outputs().iter().enumerate();
        reduced.set_outputs(outputs.filter(|(i, _)| *i >= count || !is_same(*i)).map(|(_, &o)| o).collect());
        let pairs: Vec<(usize, usize)> =
            written.iter().enumerate().map(|(output, &value)| (first + value, output)).collect();
        let stays = |&i: &usize| {
            let same = i < first || (i < first + count && is_same(i - first));
            same && class.is_fixed(class.node.inputs()[i])
        };
        let fixed: Vec<NodeId> = (0..inputs.len()).filter(stays).map(|i| inputs[i]).collect();
        let planned = Planned::new(reduced, &pairs, &fixed, cx)?;
        places.bytes = places.bytes.max(aligned(planned.values.arena_bytes));
        let mut next = pairs.iter().peekable();
        // Pairs are in the order of their inputs.
        let carry = |(i, &bytes): (usize, &usize)| match next.next_if(|pair| pair.0 == first + i) {
            None => Carry::Same,
            Some(&pair) if planned.values.overwrites(pair) => Carry::InPlace,
            Some(_) => Carry::Elsewhere(places.take(bytes)),
        };
        let carried = carried.iter().enumerate().map(carry).collect();
        Ok(LoopBody { planned, first, carried, written })
    }
}
