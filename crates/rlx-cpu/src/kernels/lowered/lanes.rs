//! Integers that differ between the lanes of a tile, given by a start and a step, or by a list.

use std::ops::Range;

/// An integer per lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    pub(super) first: i64,
    pub(super) step: i64,
    /// The addend of each lane; null if there is only the step.
    pub(super) each: *const i64,
}

impl Lanes {
    /// Returns the same integer in every lane.
    pub(super) fn uniform(first: i64) -> Lanes {
        Lanes::steps(first, 0)
    }

    /// Returns evenly spaced integers.
    pub(super) fn steps(first: i64, step: i64) -> Lanes {
        Lanes { first, step, each: std::ptr::null() }
    }

    /// Returns whether there is no list.
    pub(super) fn is_affine(&self) -> bool {
        self.each.is_null()
    }

    /// Returns the integer of a lane.
    ///
    /// # Safety
    /// The list has the lane, if there is a list.
    #[inline(always)]
    pub(super) unsafe fn at(&self, lane: usize) -> i64 {
        if self.each.is_null() {
            return self.first.wrapping_add(self.step.wrapping_mul(lane as i64));
        }
        // SAFETY: the caller's promise.
        self.first.wrapping_add(unsafe { self.each.add(lane).read() })
    }

    /// Returns which of `len` lanes have integers of at least 0; `None` if only the list tells.
    pub(super) fn not_negative(&self, len: usize) -> Option<Range<usize>> {
        if !self.is_affine() {
            return None;
        }
        let (first, step, len) = (self.first, self.step, len as i64);
        let range = match step {
            0 if first >= 0 => 0..len,
            0 => 0..0,
            // From the first lane that is not below 0 to the last lane.
            _ if step > 0 => {
                let below = first.saturating_neg().max(0);
                below.div_euclid(step) + i64::from(below % step != 0)..len
            }
            _ if first < 0 => 0..0,
            _ => 0..(first / -step + 1).min(len),
        };
        Some(range.start.clamp(0, len) as usize..range.end.clamp(0, len) as usize)
    }

    /// Returns the largest of `len` integers, but at least 0.
    ///
    /// # Safety
    /// The list has that many, if there is a list.
    pub(super) unsafe fn largest(&self, len: usize) -> i64 {
        if self.is_affine() {
            // SAFETY: there is no list.
            return unsafe { self.at(0).max(self.at(len - 1)) }.max(0);
        }
        // SAFETY: the caller's promise.
        (0..len).map(|lane| unsafe { self.at(lane) }).fold(0, i64::max)
    }

    /// Describes a list of `len` integers, by a start and a step if possible.
    ///
    /// # Safety
    /// The list has that many, and at least one.
    pub(super) unsafe fn of(list: *const i64, len: usize) -> Lanes {
        // SAFETY: the caller's promise.
        let list = unsafe { std::slice::from_raw_parts(list, len) };
        let step = list.get(1).map_or(0, |second| second.wrapping_sub(list[0]));
        let is_affine = list.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step);
        if is_affine { Lanes::steps(list[0], step) } else { Lanes { first: 0, step: 0, each: list.as_ptr() } }
    }
}

/// Writes quotients of integers by a positive integer, rounded down, to `to`; returns their description.
///
/// # Safety
/// The list of `of` and `to` have `len` elements.
pub(super) unsafe fn quotients(of: Lanes, by: i64, len: usize, to: *mut i64) -> Lanes {
    if of.is_affine() && of.step == 0 {
        return Lanes::uniform(of.first.div_euclid(by));
    }
    // SAFETY: the caller's promise.
    unsafe {
        if of.is_affine() {
            // One division for all lanes; each lane continues from the previous one.
            let (whole, part) = (of.step.div_euclid(by), of.step.rem_euclid(by));
            let (mut quotient, mut rest) = (of.first.div_euclid(by), of.first.rem_euclid(by));
            for lane in 0..len {
                to.add(lane).write(quotient);
                rest += part;
                let carry = i64::from(rest >= by);
                rest -= by * carry;
                quotient += whole + carry;
            }
        } else {
            (0..len).for_each(|lane| to.add(lane).write(of.at(lane).div_euclid(by)));
        }
        Lanes::of(to, len)
    }
}

/// Writes the indices along each of some axes, outermost first, for `len` indices starting at `at`. Passes their description to `give`.
///
/// # Safety
/// What `list` returns for each axis has `len` elements.
pub(super) unsafe fn axes(
    extents: &[usize],
    at: usize,
    len: usize,
    list: impl Fn(usize) -> *mut i64,
    mut give: impl FnMut(usize, Lanes),
) {
    let Some(&row) = extents.last() else { return };
    let (mut outer, inner) = (at / row, at % row);
    let is_row = inner + len <= row;
    // Number of lanes from one step of the axis to the next.
    let mut span = row;
    for axis in (0..extents.len()).rev() {
        let (extent, list) = (extents[axis], list(axis));
        let is_last = axis + 1 == extents.len();
        if is_row {
            let numbers = match is_last {
                true => Lanes::steps(inner as i64, 1),
                false => Lanes::uniform((outer % extent) as i64),
            };
            outer /= if is_last { 1 } else { extent };
            give(axis, numbers);
            continue;
        }
        let span_of = if is_last { 1 } else { span };
        let mut lane = 0;
        while lane < len {
            let index = at + lane;
            let number = (index / span_of % extent) as i64;
            let run = (span_of - index % span_of).min(len - lane);
            // SAFETY: the caller's promise.
            unsafe { (lane..lane + run).for_each(|lane| list.add(lane).write(number)) };
            lane += run;
        }
        if !is_last {
            span = span.saturating_mul(extent);
        }
        // SAFETY: all of them were written.
        give(axis, unsafe { Lanes::of(list, len) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_at_or_above_zero_are_found() {
        for first in -9..9 {
            for step in -3..4 {
                for len in 1..7 {
                    let lanes = Lanes::steps(first, step);
                    let range = lanes.not_negative(len).unwrap();
                    // SAFETY: there is no list.
                    let holds = |lane: &usize| unsafe { lanes.at(*lane) } >= 0;
                    let expected: Vec<usize> = (0..len).filter(holds).collect();
                    assert_eq!(range.collect::<Vec<_>>(), expected, "{first} {step} {len}");
                }
            }
        }
    }

    #[test]
    fn quotients_go_on_from_the_first() {
        let mut list = [0; 40];
        for (first, step) in [(-7, 3), (0, 1), (5, -2), (1, 12)] {
            for by in 1..6 {
                let of = Lanes::steps(first, step);
                // SAFETY: the list has as many elements.
                let got = unsafe { quotients(of, by, list.len(), list.as_mut_ptr()) };
                for lane in 0..list.len() {
                    // SAFETY: the lane is one of the list.
                    let (x, got) = unsafe { (of.at(lane), got.at(lane)) };
                    assert_eq!(got, x.div_euclid(by));
                }
            }
        }
    }

    #[test]
    fn axes_are_counted_in_rows_and_across_them() {
        let extents = [2, 3, 4];
        for at in 0..24 {
            for len in 1..=24 - at {
                let mut lists = [[0i64; 24]; 3];
                let starts = lists.each_mut().map(|list| list.as_mut_ptr());
                let check = |axis: usize, lanes: Lanes| {
                    for lane in 0..len {
                        let index = [(at + lane) / 12, (at + lane) / 4 % 3, (at + lane) % 4][axis];
                        // SAFETY: the lane is one of the list.
                        assert_eq!(unsafe { lanes.at(lane) }, index as i64, "{axis} {at} {len}");
                    }
                };
                // SAFETY: the lists have as many elements.
                unsafe { axes(&extents, at, len, |axis| starts[axis], check) };
            }
        }
    }
}
