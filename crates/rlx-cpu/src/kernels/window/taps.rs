//! What a moving window sees along one axis, worked out once: for each of its taps the places at which it sees an element,
//! which lie evenly, and the elements, which lie evenly too. Shared by convolutions and reductions of windows.

use rlx_ir::shape::row_major_strides;

/// A window along an axis.
#[derive(Clone, Copy)]
pub(crate) struct Moves {
    /// Elements that the window moves over, and taps of the window.
    pub(crate) base: usize,
    pub(crate) window: usize,
    /// Places of the window.
    pub(crate) places: usize,
    /// Steps between places.
    pub(crate) stride: usize,
    /// Base dilation and window dilation.
    pub(crate) base_dilation: usize,
    pub(crate) window_dilation: usize,
    /// Padding before the elements.
    pub(crate) low: i64,
}

/// The places at which a tap sees something, and what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) first_place: usize,
    pub(crate) place_step: usize,
    /// The element seen at the first place, and how many further on it is at the next.
    pub(crate) first: usize,
    pub(crate) step: usize,
    pub(crate) count: usize,
}

impl Seen {
    /// The part at places of `range`.
    pub(crate) fn within(&self, range: std::ops::Range<usize>) -> Seen {
        let step = self.place_step.max(1);
        let skipped = |place: usize| place.saturating_sub(self.first_place).div_ceil(step).min(self.count);
        let (start, end) = (skipped(range.start), skipped(range.end.max(range.start)));
        Seen {
            first_place: self.first_place + start * step,
            first: self.first + start * self.step,
            count: end - start,
            ..*self
        }
    }
}

/// An axis with its taps.
#[derive(Clone, Debug)]
pub(crate) struct Taps {
    pub(crate) places: usize,
    /// What each tap sees.
    pub(crate) seen: Vec<Seen>,
    /// For each place, tap by tap, the element seen, or `UNSEEN`.
    elements: Vec<usize>,
}

const UNSEEN: usize = usize::MAX;

impl Taps {
    pub(crate) fn new(moves: &Moves) -> Taps {
        let window = if moves.places == 0 { 0 } else { moves.window };
        let seen: Vec<Seen> = (0..window).map(|tap| moves.seen(tap)).collect();
        let mut elements = vec![UNSEEN; moves.places * window];
        for (tap, seen) in seen.iter().enumerate() {
            for i in 0..seen.count {
                elements[(seen.first_place + i * seen.place_step) * window + tap] =
                    seen.first + i * seen.step;
            }
        }
        Taps { places: moves.places, seen, elements }
    }

    /// The element that a tap sees at a place, if any.
    #[inline]
    pub(crate) fn element(&self, place: usize, tap: usize) -> Option<usize> {
        let element = self.elements[place * self.seen.len() + tap];
        (element != UNSEEN).then_some(element)
    }

    /// Whether every tap sees an element at every place.
    pub(crate) fn see_all(&self) -> bool {
        self.seen.iter().all(|s| s.count == self.places)
    }
}

impl Moves {
    fn seen(&self, tap: usize) -> Seen {
        let [stride, base_dilation] = [self.stride, self.base_dilation].map(|n| n.max(1) as i128);
        // At place p the tap is at p·stride + shift in the dilated base.
        let shift = (tap as i128).saturating_mul(self.window_dilation as i128) - i128::from(self.low);
        let hits = |place: i128| (place * stride + shift).rem_euclid(base_dilation) == 0;
        let period = base_dilation / gcd(stride, base_dilation);
        let places = self.places as i128;
        let Some(residue) = (0..period.min(places)).find(|&place| hits(place)) else {
            return Seen::default();
        };
        let end = (self.base as i128).saturating_mul(base_dilation);
        // The first place at or past the base's beginning, and the last before its end.
        let from = (-shift).max(0);
        let first = (from + stride - 1) / stride;
        let first = residue.max(first + (residue - first).rem_euclid(period));
        let last = (end - 1 - shift).div_euclid(stride).min(places - 1);
        if first > last {
            return Seen::default();
        }
        Seen {
            first_place: first as usize,
            place_step: period as usize,
            first: ((first * stride + shift) / base_dilation) as usize,
            step: (stride * period / base_dilation) as usize,
            count: ((last - first) / period + 1) as usize,
        }
    }
}

/// A window over all axes of a row-major tensor.
pub(crate) struct Grid {
    /// Each axis, with the tensor's stride in elements.
    pub(crate) axes: Vec<(Taps, usize)>,
    /// Places of the window, and elements of the tensor.
    pub(crate) places: usize,
    pub(crate) elements: usize,
}

impl Grid {
    /// The window's sizes and places; strides, dilation of the tensor and of the window; and padding.
    pub(crate) fn new(
        x: &[usize],
        window: &[usize],
        places: &[usize],
        [strides, base_dilation, window_dilation]: [&[usize]; 3],
        low: &[i64],
    ) -> Grid {
        let x_strides = row_major_strides(x);
        let axis = |a: usize| {
            let moves = Moves {
                base: x[a],
                window: window[a],
                places: places[a],
                stride: strides[a],
                base_dilation: base_dilation[a],
                window_dilation: window_dilation[a],
                low: low[a],
            };
            (Taps::new(&moves), x_strides[a])
        };
        Grid {
            axes: (0..x.len()).map(axis).collect(),
            places: places.iter().product(),
            elements: x.iter().product(),
        }
    }

    /// How many taps a window has.
    pub(crate) fn taps(&self) -> usize {
        self.axes.iter().map(|(taps, _)| taps.seen.len()).product()
    }

    /// Calls `f` with the position of each element that is seen from a place, in the order of the taps.
    pub(crate) fn each_seen<E>(
        &self,
        place: usize,
        f: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        each_seen(&self.axes, place, self.places, 0, f)
    }
}

/// Calls `f` with the position of each element that is seen along these axes, which have `places` places together, from
/// one of them; `at` is the position along other axes.
pub(crate) fn each_seen<E>(
    axes: &[(Taps, usize)],
    place: usize,
    places: usize,
    at: usize,
    f: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    let Some(((taps, stride), rest)) = axes.split_first() else { return f(at) };
    let below = places / taps.places;
    for tap in 0..taps.seen.len() {
        if let Some(element) = taps.element(place / below, tap) {
            each_seen(rest, place % below, below, at + element * stride, f)?;
        }
    }
    Ok(())
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taps_see_what_the_definition_says() {
        let mut some = 0;
        for base in [0, 1, 2, 5, 9] {
            for window in [1, 2, 3, 5] {
                for (stride, base_dilation, window_dilation) in
                    [(1, 1, 1), (2, 1, 1), (1, 2, 1), (3, 2, 2), (2, 4, 3), (4, 2, 1), (2, 3, 5)]
                {
                    for low in [-3i64, -1, 0, 1, 4] {
                        let moves =
                            Moves { base, window, places: 7, stride, base_dilation, window_dilation, low };
                        let taps = Taps::new(&moves);
                        for place in 0..moves.places {
                            for tap in 0..window {
                                let at = (place * stride + tap * window_dilation) as i64 - low;
                                let (dilation, end) = (base_dilation as i64, (base * base_dilation) as i64);
                                let expected = ((0..end).contains(&at) && at % dilation == 0)
                                    .then(|| (at / dilation) as usize);
                                assert_eq!(taps.element(place, tap), expected);
                                some += usize::from(expected.is_some());
                                let seen = taps.seen[tap].within(place..place + 1);
                                assert_eq!((seen.count == 1).then_some(seen.first), expected);
                            }
                        }
                    }
                }
            }
        }
        assert!(some > 1000);
    }
}
