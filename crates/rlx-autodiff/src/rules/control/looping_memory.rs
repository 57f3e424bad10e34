//! Reverse mode through a `while` of any number of steps, in memory that does not depend on that number.
//!
//! The loop records its carried values at every stride-th step. When all slots are used, the stride doubles, and every second
//! slot becomes free. So at most `outer` slots are used, and at least half of them once there are that many steps. In the
//! backward pass, the values of a segment between two recorded steps are recomputed and recorded in `inner` slots, and those
//! between two of these one step at a time. This is the scheme of Griewank & Walther, "Revolve" (2000), with two levels, and
//! without knowing the number of steps until the loop ends.

use super::looping::{While, in_order, inlined};
use super::parts::{duals, has_tangent, primals, tangents};
use super::scan::marked;
use crate::backward::transpose_graph;
use crate::error::Error;
use crate::forward::{Dual, Forward, JvpGraph, Mode};
use crate::options::Options;
use crate::trace;
use rlx_ir::{Builder, DType, Dim, Graph, Op, Shape, SubGraph, Tensor};

/// The type of counts of steps.
const COUNT: DType = DType::I64;

/// Number of carried values that are remembered on each level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// In the loop; an even number.
    outer: usize,
    /// In a segment that is run again.
    inner: usize,
}

impl Steps {
    /// Uses at most `slots` slots, and at least three.
    pub(super) fn of(slots: usize) -> Steps {
        let outer = (slots / 4 * 2).max(2);
        Steps { outer, inner: slots.saturating_sub(outer).max(1) }
    }
}

/// Slots for remembered values. There is one additional slot for values that are not to be remembered, so that each step writes
/// one slot and never copies the others.
fn slots(builder: &Builder, count: usize, shapes: &[Shape]) -> Vec<Tensor> {
    shapes.iter().map(|s| trace::zeros(builder, &trace::with_leading(s, &Dim::Static(count + 1)))).collect()
}

fn starts(index: &Tensor, rank: usize) -> Vec<Tensor> {
    let zero = index.builder().int(0, index.dtype());
    std::iter::once(index.clone()).chain(vec![zero; rank - 1]).collect()
}

/// Slot `index` of each list of slots.
fn read(slots: &[Tensor], index: &Tensor) -> Vec<Tensor> {
    let one = |slots: &Tensor| {
        let mut sizes = slots.dims();
        sizes[0] = Dim::Static(1);
        let starts = starts(index, sizes.len());
        let operands: Vec<&Tensor> = starts.iter().collect();
        slots.apply(Op::DynamicSlice { sizes }, &operands).squeeze(0)
    };
    slots.iter().map(one).collect()
}

/// The slots with slot `index` replaced.
fn write(slots: &[Tensor], index: &Tensor, values: &[Tensor]) -> Vec<Tensor> {
    let one = |(slots, value): (&Tensor, &Tensor)| {
        let starts = starts(index, slots.rank());
        let value = value.unsqueeze(0);
        let operands: Vec<&Tensor> = std::iter::once(&value).chain(&starts).collect();
        slots.apply(Op::DynamicUpdateSlice {}, &operands)
    };
    slots.iter().zip(values).map(one).collect()
}

fn int(like: &Tensor, value: usize) -> Tensor {
    like.builder().int(value as i64, COUNT)
}

/// Applies `body` to `carry` while `cond` is true. Both take `consts` first.
fn while_with(
    builder: &Builder,
    consts: &[Tensor],
    carry: &[Tensor],
    cond: &dyn Fn(&[Tensor], &[Tensor]) -> Tensor,
    body: &dyn Fn(&Builder, &[Tensor], &[Tensor]) -> Vec<Tensor>,
) -> Vec<Tensor> {
    let n = consts.len();
    let init = [consts, carry].concat();
    let cond = |_: &Builder, xs: &[Tensor]| vec![cond(&xs[..n], &xs[n..])];
    let body = |b: &Builder, xs: &[Tensor]| [&xs[..n], &body(b, &xs[..n], &xs[n..])].concat();
    let mut results = builder.while_loop(&init, &cond, &body);
    results.split_off(n.min(results.len()))
}

pub(super) fn remembered(
    cx: &Forward<'_>,
    looping: &While,
    steps: Steps,
    operands: &[Dual],
) -> Result<Vec<Dual>, Error> {
    let (dual, has) = looping.dual(has_tangent(operands), Mode::Linearize, cx.options)?;
    let init = primals(operands);
    let (results, record) = recorded(cx.builder, looping, steps, &init);
    let known = [init, record].concat();
    let moved = tangents(operands, &has);
    let shapes: Vec<Shape> = known.iter().chain(&moved).map(Tensor::shape).collect();
    let forward = pushed(looping, &has, known.len(), shapes, cx.options)?;
    let known_shapes: Vec<Shape> = known.iter().map(Tensor::shape).collect();
    let transpose = pulled(looping, &dual, &has, steps, known_shapes, cx.options)?;
    let op = Op::LinearCall {
        forward: SubGraph::new(forward),
        transpose: SubGraph::new(transpose),
        known: known.len(),
    };
    let of_results = cx.apply(&op, &[known, moved].concat());
    Ok(duals(&results, &has, of_results))
}

/// The results of the loop, followed by the number of steps, the stride, the slot of each recorded step, and the slots.
fn recorded(builder: &Builder, looping: &While, steps: Steps, init: &[Tensor]) -> (Vec<Tensor>, Vec<Tensor>) {
    let fixed = looping.fixed();
    let varying: Vec<bool> = fixed.iter().map(|f| !f).collect();
    let (consts, carry) = (marked(init, &fixed), marked(init, &varying));
    let shapes: Vec<Shape> = carry.iter().map(Tensor::shape).collect();
    let n = carry.len();
    let places = builder.iota(Shape::new(&[steps.outer], COUNT), 0);
    let counts = [builder.int(0, COUNT), builder.int(1, COUNT), places];
    let all = [&carry[..], &counts, &slots(builder, steps.outer, &shapes)].concat();
    let cond = |consts: &[Tensor], xs: &[Tensor]| {
        let all = in_order(&fixed, consts, &xs[..n]);
        inlined(&xs[0].builder(), &looping.cond, &all).swap_remove(0)
    };
    let body = |b: &Builder, consts: &[Tensor], xs: &[Tensor]| {
        let (carry, rest) = xs.split_at(n);
        let (counts, slots) = rest.split_at(3);
        let count = &counts[0];
        let capacity = int(count, steps.outer);
        let full = count.equal(&(&counts[1] * capacity));
        let widened = b.cond(&full, &counts[1..], &widen, &|_, xs| xs.to_vec());
        let (stride, places) = (&widened[0], &widened[1]);
        let recorded = (count % stride).equal(&int(count, 0));
        let place = read(std::slice::from_ref(places), &(count / stride)).swap_remove(0);
        let place = recorded.select(&place, &int(count, steps.outer));
        let slots = write(slots, &place, carry);
        let next = marked(&inlined(b, &looping.body, &in_order(&fixed, consts, carry)), &varying);
        let counts = [count + &int(count, 1), stride.clone(), places.clone()];
        [&next[..], &counts, &slots].concat()
    };
    let mut last = while_with(builder, &consts, &all, &cond, &body);
    let record = last.split_off(n.min(last.len()));
    (in_order(&fixed, &consts, &last), record)
}

/// Doubles the stride. Every second recorded step keeps its slot, and the slots of the others become free for later steps.
fn widen(_: &Builder, xs: &[Tensor]) -> Vec<Tensor> {
    let (stride, places) = (&xs[0], &xs[1]);
    let every_second = |from: usize| {
        let limits = places.dims();
        places.apply(Op::Slice { starts: vec![Dim::Static(from)], limits, strides: vec![2] }, &[])
    };
    let places = every_second(0).apply(Op::Concatenate { axis: 0 }, &[&every_second(1)]);
    vec![stride * int(stride, 2), places]
}

/// The forward pass: the loop on values and tangents.
fn pushed(
    looping: &While,
    has: &[bool],
    known: usize,
    shapes: Vec<Shape>,
    options: &Options,
) -> Result<Graph, Error> {
    trace::graph("while", shapes, |builder, xs| {
        let mut tangents = xs[known..].iter();
        let dual = |(primal, has): (&Tensor, &bool)| Dual {
            primal: primal.clone(),
            tangent: has.then(|| tangents.next().cloned()).flatten(),
        };
        let operands: Vec<Dual> = xs.iter().zip(has).map(dual).collect();
        let op = Op::While { cond: looping.cond.clone(), body: looping.body.clone() };
        let results = Forward { builder, mode: Mode::Forward, options }.op(&op, &operands)?;
        let moved = results.iter().zip(has).filter(|(_, has)| **has);
        Ok(moved.map(|(d, _)| d.tangent_or_zeros()).collect())
    })
}

/// The backward pass: from the initial values, the record and cotangents of the results to those of the initial values.
fn pulled(
    looping: &While,
    dual: &JvpGraph,
    has: &[bool],
    steps: Steps,
    known: Vec<Shape>,
    options: &Options,
) -> Result<Graph, Error> {
    let count = has.len();
    let tangents = has.iter().filter(|h| **h).count();
    let marks = |first: usize| [vec![false; first], vec![true; tangents]].concat();
    let linear = marks(count);
    let Some(step) = transpose_graph(&dual.graph, &linear, &marks(count), &linear, options)? else {
        return Err(Error::no_rule("transpose", "nothing that it carries has a derivative"));
    };
    let segment = Segment { looping, fixed: looping.fixed(), step: &step.graph, inner: steps.inner };
    let first = known.len();
    let cotangents = looping.shapes().into_iter().zip(has).filter(|(_, h)| **h).map(|(s, _)| s);
    let shapes: Vec<Shape> = known.into_iter().chain(cotangents).collect();
    trace::graph("while.transpose", shapes, |builder, xs| {
        let (known, cotangents) = xs.split_at(first);
        let (init, record) = known.split_at(count);
        // Consts of the loop over segments: values that the body only reads, the stride, the slot of each step, and the slots.
        let fixed = marked(init, &segment.fixed);
        let consts = [&fixed[..], &record[1..]].concat();
        let carry = [&record[..1], cotangents].concat();
        let more = |_: &[Tensor], xs: &[Tensor]| xs[0].compare(rlx_ir::CompareOp::Gt, &int(&xs[0], 0));
        let body = |b: &Builder, consts: &[Tensor], xs: &[Tensor]| {
            let (fixed, record) = consts.split_at(fixed.len());
            let (stride, places, slots) = (&record[0], &record[1], &record[2..]);
            let (left, cotangents) = (&xs[0], &xs[1..]);
            let index = (left - &int(left, 1)) / stride;
            let start = &index * stride;
            let place = read(std::slice::from_ref(places), &index).swap_remove(0);
            let values = read(slots, &place);
            let given = segment.pull(b, fixed, &values, &(left - &start), cotangents);
            [vec![start], given].concat()
        };
        Ok(while_with(builder, &consts, &carry, &more, &body).split_off(1))
    })
}

/// A segment between two recorded steps.
struct Segment<'a> {
    looping: &'a While,
    fixed: Vec<bool>,
    /// From (carried values…, cotangents of the next ones…) to their cotangents.
    step: &'a Graph,
    inner: usize,
}

impl Segment<'_> {
    /// Advances the carried values that vary by one step.
    fn advance(&self, builder: &Builder, fixed: &[Tensor], values: &[Tensor]) -> Vec<Tensor> {
        let next = inlined(builder, &self.looping.body, &in_order(&self.fixed, fixed, values));
        let varying: Vec<bool> = self.fixed.iter().map(|f| !f).collect();
        marked(&next, &varying)
    }

    /// Pulls cotangents `length` steps back, to where the carried values were `values`.
    fn pull(
        &self,
        builder: &Builder,
        fixed: &[Tensor],
        values: &[Tensor],
        length: &Tensor,
        cotangents: &[Tensor],
    ) -> Vec<Tensor> {
        let n = fixed.len();
        let less = |a: &Tensor, b: &Tensor| a.compare(rlx_ir::CompareOp::Lt, b);
        let shapes: Vec<Shape> = values.iter().map(Tensor::shape).collect();
        let stride = (length + &int(length, self.inner - 1)) / int(length, self.inner);

        // Run the segment again, and record.
        let consts = [fixed, &[length.clone(), stride.clone()]].concat();
        let carry = [&[int(length, 0)], values, &slots(builder, self.inner, &shapes)].concat();
        let more = |consts: &[Tensor], xs: &[Tensor]| less(&xs[0], &consts[n]);
        let record = |b: &Builder, consts: &[Tensor], xs: &[Tensor]| {
            let (at, stride) = (&xs[0], &consts[n + 1]);
            let (values, slots) = xs[1..].split_at(shapes.len());
            let recorded = (at % stride).equal(&int(at, 0));
            let place = recorded.select(&(at / stride), &int(at, self.inner));
            let slots = write(slots, &place, values);
            let next = self.advance(b, &consts[..n], values);
            [vec![at + &int(at, 1)], next, slots].concat()
        };
        let recorded = while_with(builder, &consts, &carry, &more, &record);
        let slots = recorded.get(1 + shapes.len()..).unwrap_or_default();

        // Go backward one step at a time, computing each step from the last recorded values before it.
        let consts = [fixed, &[stride], slots].concat();
        let carry = [std::slice::from_ref(length), cotangents].concat();
        let more = |_: &[Tensor], xs: &[Tensor]| less(&int(&xs[0], 0), &xs[0]);
        let back = |b: &Builder, consts: &[Tensor], xs: &[Tensor]| {
            let (fixed, stride, slots) = (&consts[..n], &consts[n], &consts[n + 1..]);
            let at = &xs[0] - &int(&xs[0], 1);
            let values = read(slots, &(&at / stride));
            let again = [&[&at % stride], &values[..]].concat();
            let more = |_: &[Tensor], xs: &[Tensor]| less(&int(&xs[0], 0), &xs[0]);
            let forth = |b: &Builder, fixed: &[Tensor], xs: &[Tensor]| {
                [vec![&xs[0] - &int(&xs[0], 1)], self.advance(b, fixed, &xs[1..])].concat()
            };
            let values = while_with(b, fixed, &again, &more, &forth);
            let values = values.get(1..).unwrap_or_default();
            let all = in_order(&self.fixed, fixed, values);
            [vec![at], inlined(b, self.step, &[&all[..], &xs[1..]].concat())].concat()
        };
        while_with(builder, &consts, &carry, &more, &back).split_off(1)
    }
}
