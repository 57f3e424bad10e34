//! Computes which elements a moving window sees along an axis; convolutions and window reductions share it. The places at which a tap sees
//! an element are evenly spaced, and so are these elements, and so are the taps that see an element at one place. No cost here grows with
//! the window, because only the first few taps are stored.

use rlx_ir::WindowSpec;
use rlx_ir::shape::row_major_strides;

/// A window along an axis.
#[derive(Clone, Copy)]
pub(crate) struct Moves {
    /// Number of elements that the window moves over, and number of taps in the window.
    pub(crate) base: usize,
    pub(crate) window: usize,
    /// Number of places of the window.
    pub(crate) places: usize,
    /// Distance between places.
    pub(crate) stride: usize,
    /// Base dilation and window dilation.
    pub(crate) base_dilation: usize,
    pub(crate) window_dilation: usize,
    /// Padding before the elements.
    pub(crate) low: i64,
}

impl Moves {
    /// A window of one tap over one element.
    pub(crate) const STILL: Moves =
        Moves { base: 1, window: 1, places: 1, stride: 1, base_dilation: 1, window_dilation: 1, low: 0 };
}

/// The places at which a tap sees an element, or the taps that see one at a place, and the elements that they see.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Seen {
    /// The first place or tap, and the distance to the next one.
    pub(crate) start: usize,
    pub(crate) step: usize,
    /// The element that is seen there, and the distance to the next one.
    pub(crate) element: usize,
    pub(crate) element_step: usize,
    pub(crate) count: usize,
}

impl Seen {
    /// Restricts it to the places or taps in `range`.
    #[inline]
    pub(crate) fn within(&self, range: std::ops::Range<usize>) -> Seen {
        let last = self.start + self.count.saturating_sub(1) * self.step;
        if range.start <= self.start && last < range.end {
            return *self;
        }
        let step = self.step.max(1);
        let skipped = |at: usize| {
            let gap = at.saturating_sub(self.start);
            (if step == 1 { gap } else { gap.div_ceil(step) }).min(self.count)
        };
        let (start, end) = (skipped(range.start), skipped(range.end.max(range.start)));
        Seen {
            start: self.start + start * step,
            element: self.element + start * self.element_step,
            count: end - start,
            ..*self
        }
    }
}

/// Number of taps whose places are stored. For short windows they are needed so often that it matters.
const FEW: usize = 32;

/// An axis with a window: the positions of its taps and the elements that they see.
#[derive(Clone, Debug)]
pub(crate) struct Taps {
    pub(crate) places: usize,
    pub(crate) window: usize,
    /// How places and how taps meet elements.
    by_place: Meeting,
    by_tap: Meeting,
    low: i128,
    /// One past the last element, among elements that are `dilation` apart.
    end: i128,
    dilation: i128,
    /// Whether all positions fit into 64 bits.
    is_narrow: bool,
    /// The places of the first taps.
    few: Vec<Seen>,
    /// All that is needed if elements and taps are not dilated.
    plain: Option<Plain>,
}

/// A window without gaps over contiguous elements, with numbers of 64 bits.
#[derive(Clone, Copy, Debug)]
struct Plain {
    stride: i64,
    low: i64,
    base: i64,
    window: i64,
}

impl Plain {
    #[inline(always)]
    fn of_place(&self, place: usize) -> Seen {
        let start = place as i64 * self.stride - self.low;
        let (first, end) = ((-start).max(0), (self.base - start).min(self.window));
        if first >= end {
            return Seen::default();
        }
        Seen {
            start: first as usize,
            step: 1,
            element: (start + first) as usize,
            element_step: 1,
            count: (end - first) as usize,
        }
    }
}

/// How steps of some length meet elements that are some distance apart.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    step: i128,
    /// The greatest common divisor of the step and the distance, and the number of steps after which an element is met again.
    common: i128,
    period: i128,
    /// The inverse of `step / common` modulo the period.
    inverse: i128,
}

impl Meeting {
    fn new(step: i128, dilation: i128) -> Meeting {
        let (common, factor) = bezout(step, dilation);
        let period = dilation / common;
        Meeting { step, common, period, inverse: factor.rem_euclid(period) }
    }
}

impl Taps {
    pub(crate) fn new(moves: &Moves) -> Taps {
        let window = if moves.places == 0 { 0 } else { moves.window };
        // If there is only one thing, the distance between things is irrelevant, however large it is. Ignoring it keeps the products below
        // small.
        let among = |count: usize, distance: usize| if count <= 1 { 1 } else { distance.max(1) as i128 };
        let dilation = among(moves.base, moves.base_dilation);
        let mut taps = Taps {
            places: moves.places,
            window,
            by_place: Meeting::new(among(moves.places, moves.stride), dilation),
            by_tap: Meeting::new(among(window, moves.window_dilation), dilation),
            low: i128::from(moves.low),
            end: moves.base as i128 * dilation,
            dilation,
            is_narrow: false,
            few: Vec::new(),
            plain: None,
        };
        let reach = taps.position(moves.places, window) + taps.by_place.step + taps.by_tap.step;
        let farthest = reach.max(taps.end) + 2 * taps.low.abs();
        taps.is_narrow = farthest < i128::from(i64::MAX) && dilation <= i128::from(i32::MAX);
        if taps.is_narrow && dilation == 1 && taps.by_tap.step == 1 {
            taps.plain = Some(Plain {
                stride: taps.by_place.step as i64,
                low: moves.low,
                base: moves.base as i64,
                window: window as i64,
            });
        }
        taps.few = (0..window.min(FEW)).map(|tap| taps.of_tap(tap)).collect();
        taps
    }

    /// Returns the places at which a tap sees an element.
    #[inline]
    pub(crate) fn of_tap(&self, tap: usize) -> Seen {
        match self.few.get(tap) {
            Some(seen) => *seen,
            None => self.met(&self.by_place, self.places, self.position(0, tap)),
        }
    }

    /// Returns the places at which each tap sees an element, if the window is so short that they are stored.
    #[inline]
    pub(crate) fn of_each_tap(&self) -> Option<&[Seen]> {
        (self.window == self.few.len()).then_some(&self.few)
    }

    /// Returns the taps that see an element at a place.
    #[inline]
    pub(crate) fn of_place(&self, place: usize) -> Seen {
        match &self.plain {
            Some(plain) => plain.of_place(place),
            None => self.met(&self.by_tap, self.window, self.position(place, 0)),
        }
    }

    /// Returns the taps that are between the first and the last element at any of these places; all others see nothing there.
    pub(super) fn near(&self, places: std::ops::Range<usize>) -> std::ops::Range<usize> {
        if places.is_empty() {
            return 0..0;
        }
        let step = self.by_tap.step;
        let up_to = |position: i128| {
            let taps = if position <= 0 { 0 } else { (position + step - 1) / step };
            taps.min(self.window as i128) as usize
        };
        up_to(-self.position(places.end - 1, 0))..up_to(self.end - self.position(places.start, 0))
    }

    /// Returns the position, among the dilated elements, of a tap at a place.
    #[inline]
    pub(crate) fn position(&self, place: usize, tap: usize) -> i128 {
        place as i128 * self.by_place.step + tap as i128 * self.by_tap.step - self.low
    }

    /// Returns the stride and the distance between taps, if elements are not dilated and both fit a `usize`.
    pub(crate) fn undilated(&self) -> Option<(usize, usize)> {
        let number = |n: i128| usize::try_from(n).ok();
        if self.dilation == 1 { Some((number(self.by_place.step)?, number(self.by_tap.step)?)) } else { None }
    }

    /// Returns what the taps would see if the window began at a position of the dilated elements and had `window` taps.
    pub(super) fn seen_from(&self, start: usize, window: usize) -> Seen {
        self.met(&self.by_tap, window, start as i128)
    }

    /// Returns which of `count` positions that are `step` apart, starting at `start`, have an element. Only for elements that are not
    /// dilated.
    #[inline]
    pub(crate) fn along(&self, start: i128, step: usize, count: usize) -> Seen {
        self.met(&Meeting { step: step as i128, common: 1, period: 1, inverse: 0 }, count, start)
    }

    /// Returns whether every tap sees an element at every place.
    pub(crate) fn see_all(&self) -> bool {
        let last = |count: usize, steps: &Meeting| (count as i128 - 1) * steps.step;
        let reach = last(self.places, &self.by_place) + last(self.window, &self.by_tap) - self.low;
        let on_elements =
            [self.by_place.step, self.by_tap.step, self.low].iter().all(|n| n % self.dilation == 0);
        self.window == 0 || self.low <= 0 && reach < self.end && on_elements
    }

    /// Returns whether each place sees exactly the element with its own index.
    pub(super) fn is_still(&self) -> bool {
        let plain = self.by_place.step == 1 && self.dilation == 1 && self.low == 0;
        self.window == 1 && plain && self.end == self.places as i128
    }

    /// Returns the distance between places.
    pub(super) fn stride(&self) -> i128 {
        self.by_place.step
    }

    /// Returns the distance between taps.
    pub(super) fn window_dilation(&self) -> i128 {
        self.by_tap.step
    }

    /// Returns the distance between elements.
    #[cfg(test)]
    pub(super) fn dilation(&self) -> usize {
        self.dilation as usize
    }

    /// Returns the padding before the elements.
    pub(super) fn low(&self) -> i128 {
        self.low
    }

    /// Returns the number of positions of the dilated elements, from the first to the last.
    #[inline]
    pub(crate) fn positions(&self) -> i128 {
        (self.end - self.dilation + 1).max(0)
    }

    /// Returns approximately the maximum number of elements that any place sees.
    pub(super) fn most(&self) -> usize {
        let on_base = (self.positions() + self.by_tap.step - 1) / self.by_tap.step;
        ((on_base.min(self.window as i128) + self.by_tap.period - 1) / self.by_tap.period) as usize
    }
}

macro_rules! met {
    ($name:ident $n:ident $product:ident) => {
        /// Returns which of `limit` steps, starting at position `start`, meet elements.
        fn $name(&self, steps: &Meeting, limit: usize, start: $n) -> Seen {
            let [step, common, period] = [steps.step, steps.common, steps.period].map(|n| n as $n);
            let left = self.end as $n - 1 - start;
            if limit == 0 || left < 0 {
                return Seen::default();
            }
            // Division is slow, and most divisors are 1.
            let divided = |n: $n, by: $n| if by == 1 { n } else { n / by };
            // The first step at or after the first element, and the last step before the end.
            let mut first = if start >= 0 { 0 } else { divided(step - 1 - start, step) };
            let last = divided(left, step).min(limit as $n - 1);
            if common > 1 && start % common != 0 {
                return Seen::default();
            }
            if period > 1 {
                let towards = divided(-start, common).rem_euclid(period);
                let meets = (towards as $product * steps.inverse as $product % period as $product) as $n;
                first += (meets - first).rem_euclid(period);
            }
            if first > last {
                return Seen::default();
            }
            Seen {
                start: first as usize,
                step: period as usize,
                element: divided(first * step + start, self.dilation as $n) as usize,
                element_step: divided(step, common) as usize,
                count: divided(last - first, period) as usize + 1,
            }
        }
    };
}

impl Taps {
    met! { met_wide i128 u128 }
    met! { met_narrow i64 u64 }

    fn met(&self, steps: &Meeting, limit: usize, start: i128) -> Seen {
        match i64::try_from(start) {
            Ok(start) if self.is_narrow => self.met_narrow(steps, limit, start),
            _ => self.met_wide(steps, limit, start),
        }
    }
}

/// Returns the greatest common divisor of two positive numbers, and the factor by which `a` must be multiplied to equal it modulo `b`.
pub(super) fn bezout(a: i128, b: i128) -> (i128, i128) {
    let (mut pair, mut factors) = ((a, b), (1, 0));
    while pair.1 != 0 {
        let quotient = pair.0 / pair.1;
        pair = (pair.1, pair.0 - quotient * pair.1);
        factors = (factors.1, factors.0 - quotient * factors.1);
    }
    (pair.0, factors.0)
}

/// A window over all axes of a row-major tensor.
pub(crate) struct Grid {
    /// Each axis, with the tensor's stride in elements. Neighboring axes along which nothing moves are merged, and there is at least one
    /// axis.
    pub(crate) axes: Vec<(Taps, usize)>,
    /// Number of places of the window, and of elements of the tensor.
    pub(crate) places: usize,
    pub(crate) elements: usize,
}

impl Grid {
    /// Creates the grid of a window over x with these numbers of places.
    pub(crate) fn new(x: &[usize], spec: &WindowSpec, places: &[usize]) -> Grid {
        let x_strides = row_major_strides(x);
        let mut axes: Vec<(Taps, usize)> = Vec::new();
        for a in 0..x.len() {
            let moves = Moves {
                base: x[a],
                window: spec.window[a],
                places: places[a],
                stride: spec.strides[a],
                base_dilation: spec.base_dilation[a],
                window_dilation: spec.window_dilation[a],
                low: spec.low[a],
            };
            let taps = Taps::new(&moves);
            match axes.last_mut() {
                _ if taps.is_still() && taps.places == 1 => {}
                Some((before, stride)) if before.is_still() && taps.is_still() => {
                    let count = before.places * taps.places;
                    *before = Taps::new(&Moves { base: count, places: count, ..Moves::STILL });
                    *stride = x_strides[a];
                }
                _ => axes.push((taps, x_strides[a])),
            }
        }
        if axes.is_empty() {
            axes.push((Taps::new(&Moves::STILL), 1));
        }
        Grid { axes, places: places.iter().product(), elements: x.iter().product() }
    }

    /// Returns the number of taps of a window.
    pub(crate) fn taps(&self) -> usize {
        self.axes.iter().map(|(taps, _)| taps.window).product()
    }

    /// Returns approximately how many elements all places together see.
    pub(crate) fn seen(&self) -> u64 {
        let most = self.axes.iter().map(|(taps, _)| taps.most() as u64);
        most.fold(self.places as u64, u64::saturating_mul)
    }

    /// Calls `f` with the position of each element that a place sees, in the order of the taps.
    pub(crate) fn each_seen<E>(
        &self,
        place: usize,
        f: &mut impl FnMut(usize) -> Result<(), E>,
    ) -> Result<(), E> {
        each_seen(&self.axes, place, self.places, 0, f)
    }
}

/// Calls `f` with the position of each element that one of `places` places sees along these axes; `at` is the position along other axes.
pub(crate) fn each_seen<E>(
    axes: &[(Taps, usize)],
    place: usize,
    places: usize,
    at: usize,
    f: &mut impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    let Some(((taps, stride), rest)) = axes.split_first() else { return f(at) };
    let below = places / taps.places;
    let seen = taps.of_place(place / below);
    for i in 0..seen.count {
        let element = seen.element + i * seen.element_step;
        each_seen(rest, place % below, below, at + element * stride, f)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taps_see_what_the_definition_says() {
        let mut some = 0;
        for base in [0, 1, 2, 5, 9] {
            for window in [1, 2, 3, 5, 12] {
                for (stride, base_dilation, window_dilation) in
                    [(1, 1, 1), (2, 1, 1), (1, 2, 1), (3, 2, 2), (2, 4, 3), (4, 2, 1), (2, 3, 5), (6, 4, 10)]
                {
                    for low in [-3i64, -1, 0, 1, 4] {
                        let moves =
                            Moves { base, window, places: 7, stride, base_dilation, window_dilation, low };
                        some += check(&moves);
                    }
                }
            }
        }
        assert!(some > 1000);
    }

    /// Compares a window with the definition; returns how many taps see an element.
    fn check(moves: &Moves) -> usize {
        let taps = Taps::new(moves);
        let (mut some, mut most) = (0, 0);
        for place in 0..moves.places {
            let mut here = 0;
            for tap in 0..moves.window {
                let at = (place * moves.stride + tap * moves.window_dilation) as i64 - moves.low;
                let (dilation, end) = (moves.base_dilation as i64, (moves.base * moves.base_dilation) as i64);
                let expected =
                    ((0..end).contains(&at) && at % dilation == 0).then(|| (at / dilation) as usize);
                let of_tap = taps.of_tap(tap).within(place..place + 1);
                assert_eq!((of_tap.count == 1).then_some(of_tap.element), expected);
                let of_place = taps.of_place(place).within(tap..tap + 1);
                assert_eq!((of_place.count == 1).then_some(of_place.element), expected);
                here += usize::from(expected.is_some());
            }
            (some, most) = (some + here, most.max(here));
        }
        assert!(most <= taps.most());
        assert_eq!(taps.see_all(), some == moves.places * moves.window);
        some
    }

    #[test]
    fn distances_past_all_sizes_are_those_of_one_thing() {
        let far = Moves { base: 2, window: 2, places: 2, stride: 1 << 63, low: 0, ..Moves::STILL };
        let far = Moves { base_dilation: 1 << 63, window_dilation: 1 << 63, ..far };
        let taps = Taps::new(&far);
        assert_eq!(taps.of_place(0).count, 2);
        assert_eq!(taps.of_place(1), Seen { element: 1, element_step: 1, step: 1, count: 1, start: 0 });
        let alone = Moves { base: 1, window: 1, places: 1, stride: usize::MAX, ..far };
        let alone = Moves { base_dilation: usize::MAX, window_dilation: usize::MAX, ..alone };
        assert_eq!(Taps::new(&alone).of_place(0).count, 1);
    }
}
