//! Merge sorts along a line, from runs of one element to the whole line, in about log₂ n passes.
//!
//! The elements stay in place and their indices are sorted, so that any number of operands can be moved in the same
//! order.

use crate::build::Writer;
use crate::kernel::{BufferId, Guard, ScalarId};
use crate::lower::LowerError;
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Scalar};

/// Lines up to this length are sorted in local memory.
const SHORT: usize = 4096;
/// An upper bound for the number of passes over a line of any length.
const PASSES: usize = 64;

/// Returns whether the element at one index comes before the element at another.
pub(super) type Before<'a> = &'a mut dyn FnMut(&mut Writer, &Dim, &Dim) -> Result<ScalarId, LowerError>;

/// How two sorted runs are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Merge {
    /// Each element finds its position with a search in the other run, all in parallel. Requires an order.
    ByRank,
    /// One element after another. Gives some permutation even if the comparator is not an order.
    InTurn,
}

/// Two copies of the indices of a line's elements, which each pass moves from one to the other.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    /// Has the extents `[2, lines…, n]`, or `[2, n]` if it is local.
    buffer: BufferId,
    line: Vec<Dim>,
    length: Dim,
}

/// Returns the integer type that counts positions of a line.
pub(super) fn counter(length: &Dim) -> DType {
    if length.as_static().is_some_and(|n| n < 1 << 30) { DType::I32 } else { DType::I64 }
}

/// Returns whether the indices of a line are in local memory, so that they need no temporary.
pub(super) fn is_local(length: &Dim) -> bool {
    length.as_static().is_some_and(|n| n <= SHORT)
}

impl Numbers {
    /// Creates the numbers of the line at these indices, in a buffer that contains them in order on both sides, or in
    /// local memory if there is none.
    pub(super) fn new(
        w: &mut Writer,
        buffer: Option<BufferId>,
        line: &[Dim],
        length: &Dim,
    ) -> Result<Numbers, LowerError> {
        let length = length.clone();
        if let Some(buffer) = buffer {
            return Ok(Numbers { buffer, line: line.to_vec(), length });
        }
        let buffer = w.array(counter(&length), &[Dim::Static(2), length.clone()]);
        w.par(std::slice::from_ref(&length), |w, at| {
            let number = w.index(counter(&length), &at[0]);
            w.store(buffer, &[Dim::Static(0), at[0].clone()], number);
            Ok::<(), LowerError>(())
        })?;
        Ok(Numbers { buffer, line: Vec::new(), length })
    }

    fn at(&self, side: &Dim, index: &Dim) -> Vec<Dim> {
        [std::slice::from_ref(side), &self.line, std::slice::from_ref(index)].concat()
    }

    /// Returns the number at a position as an index.
    pub(super) fn load(&self, w: &mut Writer, side: &Dim, index: &Dim) -> Dim {
        let number = w.load(self.buffer, &self.at(side, index));
        w.named(number, &self.length)
    }

    /// Sorts the line stably. Returns the side that contains the result.
    pub(super) fn sort(&self, w: &mut Writer, merge: Merge, before: Before<'_>) -> Result<Dim, LowerError> {
        let counter = counter(&self.length);
        let first = [w.constant(counter, Scalar::Int(1)), w.constant(counter, Scalar::Int(0))];
        let unsorted = |w: &mut Writer, carried: &[ScalarId]| {
            let length = w.index(counter, &self.length);
            Ok(w.compare(CompareOp::Lt, carried[0], length))
        };
        let last = w.repeat_while(&self.passes(), &first, unsorted, |w, carried| {
            let (width, side) = (carried[0], w.named(carried[1], &Dim::Static(2)));
            match merge {
                Merge::ByRank => self.merge_by_rank(w, width, &side, before)?,
                Merge::InTurn => self.merge_in_turn(w, width, &side, before)?,
            }
            let other = w.index(counter, &(&Dim::Static(1) - &side));
            Ok::<_, LowerError>(vec![w.binary(BinaryOp::Add, width, width), other])
        })?;
        Ok(w.named(last[1], &Dim::Static(2)))
    }

    /// Returns how often runs can double before they are as long as the line.
    fn passes(&self) -> Dim {
        let exactly = |n: usize| (usize::BITS - n.saturating_sub(1).leading_zeros()) as usize;
        Dim::Static(self.length.as_static().map_or(PASSES, exactly))
    }

    /// Merges pairs of runs of this width. Each element goes after those before it in its own run and those of the
    /// other run that come before it. For an element of the right run, these include equal elements of the left run.
    fn merge_by_rank(
        &self,
        w: &mut Writer,
        width: ScalarId,
        side: &Dim,
        before: Before<'_>,
    ) -> Result<(), LowerError> {
        let counter = counter(&self.length);
        w.par(std::slice::from_ref(&self.length), |w, at| {
            let own = self.load(w, side, &at[0]);
            let place = w.index(counter, &at[0]);
            let length = w.index(counter, &self.length);
            let two = w.constant(counter, Scalar::Int(2));
            let double = w.binary(BinaryOp::Mul, two, width);
            let pair = w.binary(BinaryOp::Div, place, double);
            let start = w.binary(BinaryOp::Mul, pair, double);
            let middle = w.binary(BinaryOp::Add, start, width);
            let is_left = w.compare(CompareOp::Lt, place, middle);
            let end = w.binary(BinaryOp::Add, start, double);
            let (middle, end) =
                (w.binary(BinaryOp::Min, middle, length), w.binary(BinaryOp::Min, end, length));
            let low = w.select(is_left, middle, start);
            let high = w.select(is_left, end, middle);
            let unsure = |w: &mut Writer, ends: &[ScalarId]| Ok(w.compare(CompareOp::Lt, ends[0], ends[1]));
            let found = w.repeat_while(&self.passes().offset(1), &[low, high], unsure, |w, ends| {
                let sum = w.binary(BinaryOp::Add, ends[0], ends[1]);
                let probe = w.binary(BinaryOp::Div, sum, two);
                let probe_at = w.named(probe, &self.length);
                let other = self.load(w, side, &probe_at);
                let right_first = before(w, &other, &own)?;
                let own_first = before(w, &own, &other)?;
                let left_first = w.unary(rlx_ir::UnaryOp::Not, own_first);
                let goes_first = w.select(is_left, right_first, left_first);
                let one = w.constant(counter, Scalar::Int(1));
                let behind = w.binary(BinaryOp::Add, probe, one);
                let ends = [w.select(goes_first, behind, ends[0]), w.select(goes_first, ends[1], probe)];
                Ok::<_, LowerError>(ends.to_vec())
            })?;
            // The position in the own run is counted from its start, and the rank from that of the other.
            let both = w.binary(BinaryOp::Add, place, found[0]);
            let to = w.binary(BinaryOp::Sub, both, middle);
            let to = w.named(to, &self.length);
            let number = w.index(counter, &own);
            w.store(self.buffer, &self.at(&(&Dim::Static(1) - side), &to), number);
            Ok(())
        })
    }

    /// Merges pairs of runs of this width in parallel, each from its first element to its last.
    fn merge_in_turn(
        &self,
        w: &mut Writer,
        width: ScalarId,
        side: &Dim,
        before: Before<'_>,
    ) -> Result<(), LowerError> {
        let counter = counter(&self.length);
        let run = w.named(width, &self.length);
        let double = &run * 2;
        let pairs = (&self.length + &double).offset(-1).floor_div(&double);
        w.par(&[pairs], |w, pair| {
            let start = &pair[0] * &double;
            let length = w.index(counter, &self.length);
            let ends = [w.index(counter, &(&start + &run)), w.index(counter, &(&start + &double))];
            let ends = ends.map(|end| w.binary(BinaryOp::Min, end, length));
            let first = [w.index(counter, &start), ends[0]];
            w.repeat(&double, false, &first, |w, index, next| {
                let to = &start + index;
                // After the end of a run, any element is loaded in place of the missing one.
                let last = w.index(counter, &self.length.offset(-1));
                let numbers = [next[0], next[1]].map(|place| {
                    let place = w.binary(BinaryOp::Min, place, last);
                    let place = w.named(place, &self.length);
                    self.load(w, side, &place)
                });
                let left_is_over = w.compare(CompareOp::Ge, next[0], ends[0]);
                let right_is_there = w.compare(CompareOp::Lt, next[1], ends[1]);
                let right_first = before(w, &numbers[1], &numbers[0])?;
                let right = w.binary(BinaryOp::Or, left_is_over, right_first);
                let right = w.binary(BinaryOp::And, right, right_is_there);
                let numbers = numbers.map(|number| w.index(counter, &number));
                let number = w.select(right, numbers[1], numbers[0]);
                let exists = Guard(vec![(&self.length - &to).offset(-1)]);
                w.store_guarded(self.buffer, &self.at(&(&Dim::Static(1) - side), &to), exists, number);
                let step = [w.unary(rlx_ir::UnaryOp::Not, right), right].map(|step| w.convert(step, counter));
                Ok::<_, LowerError>(vec![
                    w.binary(BinaryOp::Add, next[0], step[0]),
                    w.binary(BinaryOp::Add, next[1], step[1]),
                ])
            })?;
            Ok(())
        })
    }
}
