//! Reads patches of x (the part that is used for each output position) into the packed blocks of a product. A patch is a row of a matrix
//! `[positions of all images, terms]` that is never stored.

use super::{ConvPlan, Spatial};
use crate::gemm::{Element, Rows};
use crate::isa::Cpu;
use crate::kernels::contraction::number::Number;
use crate::kernels::contraction::view::Reading;
use crate::kernels::window::taps::Seen;
use rlx_elementwise::stored::Line;
use std::ops::Range;

/// The patches of x.
pub(crate) struct Patches<'a> {
    pub(super) plan: &'a ConvPlan,
    pub(super) cpu: Cpu,
    pub(super) start: *const u8,
    pub(super) reading: Reading,
    /// Whether the matrix is `[terms, positions]`.
    pub(super) turned: bool,
}

// SAFETY: x is only read.
unsafe impl Sync for Patches<'_> {}

/// Memory for a part of the matrix: numbers from position to position and from term to term.
#[derive(Clone, Copy)]
struct Target<E> {
    start: *mut E,
    place: usize,
    term: usize,
}

impl<E> Target<E> {
    fn at(&self, place: usize, term: usize) -> *mut E {
        self.start.wrapping_add(place * self.place + term * self.term)
    }
}

/// Calls `f` for each element that is used along these axes for one of their `places` positions, with the index of the tap and the position
/// of the element. Both continue from those of other axes.
fn each_seen(
    axes: &[Spatial],
    place: usize,
    places: usize,
    (tap, at): (usize, usize),
    f: &mut impl FnMut(usize, usize),
) {
    let Some((axis, rest)) = axes.split_first() else { return f(tap, at) };
    let below = places / axis.taps.places;
    let seen = axis.taps.of_place(place / below);
    for i in 0..seen.count {
        let tap = tap * axis.window + seen.start + i * seen.step;
        let at = at + (seen.element + i * seen.element_step) * axis.x;
        each_seen(rest, place % below, below, (tap, at), f);
    }
}

impl Patches<'_> {
    fn source(&self, group: usize, image: usize) -> usize {
        group * self.plan.x_group + image * self.plan.x_image
    }

    /// Reads elements of x; reads both parts of complex elements.
    ///
    /// # Safety
    /// `len` elements starting at `from`, `step` apart, lie in x, and `to` has room for them `to_step` numbers apart.
    unsafe fn copy<E>(&self, from: usize, step: usize, to: *mut E, to_step: usize, len: usize) {
        let size = self.reading.size;
        let line = Line {
            src: self.start.wrapping_add(from * size),
            src_step: (step * size) as isize,
            dst: to.cast(),
            dst_step: (to_step * size_of::<E>()) as isize,
            len,
        };
        // SAFETY: the caller vouches that the elements are in x and that their numbers have room in the target; imaginary parts are next to
        // real ones on both sides.
        unsafe {
            (self.reading.read)(self.cpu, &line);
            if let (Some(offset), 2) = (self.reading.imaginary, self.plan.parts()) {
                let (src, dst) = (line.src.add(offset), to.add(1).cast());
                (self.reading.read)(self.cpu, &Line { src, dst, ..line });
            }
        }
    }

    /// Returns the term of a tap and feature.
    fn term(&self, tap: usize, feature: usize) -> usize {
        let (by_tap, by_feature) = self.term_steps();
        tap * by_tap + feature * by_feature
    }

    fn term_steps(&self) -> (usize, usize) {
        if self.plan.by_feature { (1, self.plan.taps) } else { (self.plan.inner, 1) }
    }

    /// Returns the features of a tap whose terms are within a range.
    fn features_of(&self, tap: usize, terms: &Range<usize>) -> Range<usize> {
        let (first, step) = (self.term(tap, 0), self.term_steps().1);
        let before = |term: usize| {
            let terms = term.saturating_sub(first);
            (if step == 1 { terms } else { terms.div_ceil(step) }).min(self.plan.inner)
        };
        before(terms.start)..before(terms.end)
    }

    /// Returns the taps and features that include those of a range of terms.
    fn within(&self, terms: &Range<usize>) -> (Range<usize>, Range<usize>) {
        let by_feature = self.plan.by_feature;
        let (outer, inner) = match by_feature {
            true => (self.plan.inner, self.plan.taps),
            false => (self.plan.taps, self.plan.inner),
        };
        let (first, last) = (terms.start / inner, terms.end.saturating_sub(1) / inner);
        let within = if first == last { terms.start % inner..(terms.end - 1) % inner + 1 } else { 0..inner };
        let outer = first..(last + 1).min(outer);
        if by_feature { (within, outer) } else { (outer, within) }
    }

    /// Reads one output position after the other. Reads either the features of each tap or the taps along the last axis for each feature,
    /// whichever are more.
    ///
    /// # Safety
    /// The part lies in the matrix of a group; `target` contains zeros and has room for it.
    unsafe fn by_places<E: Number>(
        &self,
        group: usize,
        places: Range<usize>,
        terms: Range<usize>,
        target: Target<E>,
    ) {
        let plan = self.plan;
        let Some((last, outer)) = plan.spatial.split_last() else { return };
        if terms.is_empty() || plan.taps == 0 || plan.inner == 0 {
            return;
        }
        let (taps, features) = self.within(&terms);
        let (tap_step, feature_step) = self.term_steps();
        let by_taps = last.window > plan.inner;
        for (number, place) in places.enumerate() {
            let start = self.source(group, place / plan.places);
            let place = place % plan.places;
            let seen = last.taps.of_place(place % last.taps.places);
            // Copies evenly spaced terms, as far as they belong to the part.
            let copy = |run: Seen| {
                let run = run.within(terms.clone());
                if run.count > 0 {
                    let to = target.at(number, run.start - terms.start);
                    // SAFETY: the elements lie in x, and the terms and position belong to the part that the caller vouches for.
                    unsafe {
                        self.copy(run.element, run.element_step, to, run.step * target.term, run.count)
                    };
                }
            };
            let lines = plan.places / last.taps.places;
            each_seen(outer, place / last.taps.places, lines, (0, start), &mut |above, at| {
                let first = above * last.window;
                if first >= taps.end || first + last.window <= taps.start {
                    return;
                }
                if by_taps {
                    for feature in features.clone() {
                        copy(Seen {
                            start: self.term(first + seen.start, feature),
                            step: tap_step * seen.step,
                            element: at + feature * plan.x_feature + seen.element * last.x,
                            element_step: seen.element_step * last.x,
                            count: seen.count,
                        });
                    }
                    return;
                }
                for i in 0..seen.count {
                    let tap = first + seen.start + i * seen.step;
                    if taps.contains(&tap) {
                        copy(Seen {
                            start: self.term(tap, 0),
                            step: feature_step,
                            element: at + (seen.element + i * seen.element_step) * last.x,
                            element_step: plan.x_feature,
                            count: plan.inner,
                        });
                    }
                }
            });
        }
    }

    /// Reads one line of positions along the last axis after the other: the elements that each tap uses there, feature by feature.
    ///
    /// # Safety
    /// As for [`by_places`](Patches::by_places).
    unsafe fn by_lines<E: Number>(
        &self,
        group: usize,
        places: Range<usize>,
        terms: Range<usize>,
        target: Target<E>,
    ) {
        let plan = self.plan;
        let Some((last, outer)) = plan.spatial.split_last() else { return };
        if terms.is_empty() || plan.taps == 0 || plan.inner == 0 {
            return;
        }
        let (width, lines) = (last.taps.places, plan.places / last.taps.places.max(1));
        let (taps, _) = self.within(&terms);
        let term_step = self.term_steps().1 * target.term;
        let mut place = places.start;
        while place < places.end {
            let (line, from) = (place / width, place % width);
            let to = width.min(from + places.end - place);
            let start = self.source(group, line / lines);
            each_seen(outer, line % lines, lines, (0, start), &mut |above, at| {
                let first = above * last.window;
                let own = taps.start.max(first)..taps.end.min(first + last.window);
                for tap in own {
                    let part = last.taps.of_tap(tap - first).within(from..to);
                    if part.count == 0 {
                        continue;
                    }
                    let number = place - places.start + part.start - from;
                    let at = at + part.element * last.x;
                    let (step, place_step) = (part.element_step * last.x, part.step * target.place);
                    let features = self.features_of(tap, &terms);
                    let first = self.term(tap, features.start).saturating_sub(terms.start);
                    let mut to = target.at(number, first);
                    for feature in features {
                        // SAFETY: the taps' positions lie in x, and the terms and positions belong to the part that the caller vouches for.
                        unsafe { self.copy(at + feature * plan.x_feature, step, to, place_step, part.count) };
                        to = to.wrapping_add(term_step);
                    }
                }
            });
            place += to - from;
        }
    }

    /// # Safety
    /// As [`Rows::read`] says.
    unsafe fn numbers<E: Number>(
        &self,
        group: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        target: *mut E,
        step: usize,
    ) {
        let parts = self.plan.parts();
        if self.plan.is_padded() || self.reading.imaginary.is_none() && parts == 2 {
            for row in 0..rows.len() {
                for column in 0..columns.len() {
                    // SAFETY: the caller vouches for the part.
                    unsafe { target.add(row * step + column).write(E::ZERO) };
                }
            }
        }
        // SAFETY: the caller vouches that the part lies in the matrix and that `target` has room for it. A row of pairs has as many numbers
        // as terms have parts.
        unsafe {
            if self.turned {
                self.by_lines(group, columns, rows, Target { start: target, place: 1, term: step });
            } else {
                let terms = columns.start / parts..columns.end / parts;
                self.by_places(group, rows, terms, Target { start: target, place: step, term: parts });
            }
        }
    }
}

impl<E: Element + Number> Rows<E> for Patches<'_> {
    unsafe fn read(
        &self,
        batch: usize,
        rows: Range<usize>,
        columns: Range<usize>,
        target: *mut E,
        step: usize,
    ) {
        // SAFETY: the caller vouches that the part lies in the matrix and that `target` has room for it.
        unsafe { self.numbers(batch, rows, columns, target, step) }
    }
}
