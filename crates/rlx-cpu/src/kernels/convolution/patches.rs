//! The part of x that each place sees, as the row of a matrix `[places of all images, terms]` that is never written down:
//! parts of it are read into the packed blocks of a product.

use super::{ConvPlan, Spatial};
use crate::gemm::{Element, Rows};
use crate::isa::Cpu;
use crate::kernels::contraction::number::Number;
use crate::kernels::contraction::view::Reading;
use crate::kernels::stored::Line;
use std::ops::Range;

/// The patches of x.
pub(crate) struct Patches<'a> {
    pub(super) plan: &'a ConvPlan,
    pub(super) cpu: Cpu,
    pub(super) start: *const u8,
    pub(super) reading: Reading,
    /// Whether the matrix is `[terms, places]`.
    pub(super) turned: bool,
}

// SAFETY: x is only read.
unsafe impl Sync for Patches<'_> {}

/// A part of the matrix in memory: numbers from place to place and from term to term.
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

/// The element of x that a tap sees at a place, both counted over all of these axes; its offset along them.
fn seen(axes: &[Spatial], mut place: usize, mut tap: usize) -> Option<usize> {
    let mut at = 0;
    for axis in axes.iter().rev() {
        let (places, taps) = (axis.taps.places, axis.taps.seen.len());
        at += axis.taps.element(place % places, tap % taps)? * axis.x;
        place /= places;
        tap /= taps;
    }
    Some(at)
}

impl Patches<'_> {
    fn source(&self, group: usize, image: usize) -> usize {
        group * self.plan.x_group + image * self.plan.x_image
    }

    /// Reads elements of x; of complex ones both parts.
    ///
    /// # Safety
    /// `len` elements from `from` on, `step` apart, lie in x, and `to` has room for them `to_step` numbers apart.
    unsafe fn copy<E>(&self, from: usize, step: usize, to: *mut E, to_step: usize, len: usize) {
        let size = self.reading.size;
        let line = Line {
            src: self.start.wrapping_add(from * size),
            src_step: (step * size) as isize,
            dst: to.cast(),
            dst_step: (to_step * size_of::<E>()) as isize,
            len,
        };
        // SAFETY: the caller vouches that the elements are in x and that their numbers have room in the target;
        // imaginary parts lie beside real ones on either side.
        unsafe {
            (self.reading.read)(self.cpu, &line);
            if let (Some(offset), 2) = (self.reading.imaginary, self.plan.parts()) {
                let (src, dst) = (line.src.add(offset), to.add(1).cast());
                (self.reading.read)(self.cpu, &Line { src, dst, ..line });
            }
        }
    }

    /// The features of x that a range of terms takes of a tap, and the first's term.
    fn features_of(&self, tap: usize, terms: &Range<usize>) -> (Range<usize>, usize) {
        let (inner, taps) = (self.plan.inner, self.plan.taps);
        if self.plan.by_feature() {
            let first = |term: usize| term.saturating_sub(tap).div_ceil(taps).min(inner);
            let range = first(terms.start)..first(terms.end);
            (range.clone(), range.start * taps + tap)
        } else {
            let first = |term: usize| term.saturating_sub(tap * inner).min(inner);
            let range = first(terms.start)..first(terms.end);
            (range.clone(), tap * inner + range.start)
        }
    }

    /// Reads a place after the other: what each tap sees, feature by feature.
    ///
    /// # Safety
    /// The part lies in the matrix of a group, and `target`, all zeros, has room for it.
    unsafe fn by_places<E: Number>(
        &self,
        group: usize,
        places: Range<usize>,
        terms: Range<usize>,
        target: Target<E>,
    ) {
        let plan = self.plan;
        let term_step = if plan.by_feature() { plan.taps } else { 1 };
        for (number, place) in places.enumerate() {
            let start = self.source(group, place / plan.places);
            for tap in 0..plan.taps {
                let (features, term) = self.features_of(tap, &terms);
                let Some(at) = seen(&plan.spatial, place % plan.places, tap).filter(|_| !features.is_empty())
                else {
                    continue;
                };
                let to = target.at(number, term - terms.start);
                let from = start + at + features.start * plan.x_feature;
                // SAFETY: `seen` gives a place that lies in x, and the term and place are of the part that the caller
                // vouches for.
                unsafe { self.copy(from, plan.x_feature, to, term_step * target.term, features.len()) };
            }
        }
    }

    /// Reads a line of places along the last axis after the other: what each tap sees there, feature by feature.
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
        let (width, last_taps) = (last.taps.places, last.taps.seen.len());
        let term_step = if plan.by_feature() { plan.taps } else { 1 };
        let mut place = places.start;
        while place < places.end {
            let (line, from) = (place / width, place % width);
            let to = width.min(from + places.end - place);
            let (image, line) = (line / (plan.places / width), line % (plan.places / width));
            let start = self.source(group, image);
            for tap in 0..plan.taps {
                let (features, term) = self.features_of(tap, &terms);
                let part = last.taps.seen[tap % last_taps].within(from..to);
                let Some(above) = seen(outer, line, tap / last_taps).filter(|_| part.count > 0) else {
                    continue;
                };
                let first = place - places.start + part.first_place - from;
                let at = start + above + part.first * last.x;
                for (i, feature) in features.enumerate() {
                    let to = target.at(first, term - terms.start + i * term_step);
                    let from = at + feature * plan.x_feature;
                    // SAFETY: the taps' places lie in x, and the terms and places are of the part that the caller
                    // vouches for.
                    unsafe {
                        self.copy(from, part.step * last.x, to, part.place_step * target.place, part.count);
                    }
                }
            }
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
        // SAFETY: the caller vouches that the part lies in the matrix and that `target` has room for it. A row of
        // pairs has as many numbers as terms have parts.
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
