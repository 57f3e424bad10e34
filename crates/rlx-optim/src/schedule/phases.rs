//! The lists in schedules: factors at steps, and schedules in sequence.

use super::{Number, Schedule};
use crate::setting::Setting;

/// Steps, each with a factor, in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Steps(Vec<(usize, f64)>);

impl Steps {
    /// Returns an empty list.
    pub const fn new() -> Steps {
        Steps(Vec::new())
    }

    /// Returns the steps and their factors.
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.0.iter().copied()
    }
}

impl From<Vec<(usize, f64)>> for Steps {
    fn from(mut steps: Vec<(usize, f64)>) -> Steps {
        steps.sort_by_key(|s| s.0);
        Steps(steps)
    }
}

impl Setting for Steps {
    const WHAT: &'static str = "steps with factors, as in `100:0.5 200:0.1`";

    fn parse(text: &str) -> Option<Steps> {
        let pair = |part: &str| {
            let (step, factor) = part.split_once(':')?;
            Some((step.parse().ok()?, factor.parse().ok()?))
        };
        Some(Steps::from(text.split_whitespace().map(pair).collect::<Option<Vec<(usize, f64)>>>()?))
    }

    fn print(&self) -> String {
        self.iter().map(|(step, factor)| format!("{step}:{factor:?}")).collect::<Vec<_>>().join(" ")
    }

    fn number(&self) -> f64 {
        self.iter().map(|(_, factor)| factor).sum()
    }
}

/// Schedules in sequence, with the steps at which they end.
#[derive(Clone, PartialEq, Debug)]
pub struct Phases {
    schedules: Vec<Schedule>,
    boundaries: Vec<usize>,
}

/// Maximum nesting of joins, which are parsed and built recursively.
const MAX_NESTING: usize = 16;

impl Phases {
    pub(super) const fn none() -> Phases {
        Phases { schedules: Vec::new(), boundaries: Vec::new() }
    }

    /// Creates a sequence of schedules. `boundaries` has the steps at which all but the last end: increasing, and one fewer than schedules.
    pub fn new(schedules: Vec<Schedule>, boundaries: Vec<usize>) -> Phases {
        Phases { schedules, boundaries }
    }

    /// Sets missing lengths so that each schedule ends where the next one begins, and the last one at `end`.
    pub(super) fn end_at(&mut self, end: usize) {
        let begins = [0].into_iter().chain(self.boundaries.iter().copied());
        let ends = self.boundaries.iter().copied().chain([end]);
        for (schedule, (begin, end)) in self.schedules.iter_mut().zip(begins.zip(ends)) {
            schedule.end_at(end.saturating_sub(begin));
        }
    }

    /// Returns the schedules, each with the step at which it begins and the step at which the next one begins.
    pub(super) fn spans(&self) -> impl Iterator<Item = (&Schedule, usize, Option<usize>)> {
        let begins = [0].into_iter().chain(self.boundaries.iter().copied());
        let ends = self.boundaries.iter().copied().map(Some).chain([None]);
        self.schedules.iter().zip(begins.zip(ends)).map(|(schedule, (begin, end))| (schedule, begin, end))
    }

    /// Returns the number of steps after which the last schedule is constant.
    pub(super) fn length(&self) -> Option<usize> {
        Some(self.boundaries.last().unwrap_or(&0).saturating_add(self.schedules.last()?.length()?))
    }

    /// Returns how deep joins are nested in these schedules.
    fn depth(&self) -> usize {
        let inner = |s: &Schedule| if let Schedule::Join { phases } = s { phases.depth() } else { 0 };
        1 + self.schedules.iter().map(inner).max().unwrap_or(0)
    }

    pub(super) fn formula<N: Number>(&self, step: &N) -> N {
        let mut schedules = self.schedules.iter();
        // INVARIANT: `check` rejects a join without schedules.
        let first = schedules.next().map_or_else(|| step.of(f64::NAN), |s| s.formula(step));
        self.boundaries.iter().zip(schedules).fold(first, |value, (&at, schedule)| {
            step.if_below(at as f64, value, schedule.formula(&(step.clone() - at as f64)))
        })
    }
}

impl Setting for Phases {
    const WHAT: &'static str = "schedules as in `linear(to=0.1, steps=10) until 10 then constant(value=0.1)`, nested at most 16 deep";

    fn parse(text: &str) -> Option<Phases> {
        let (mut schedules, mut boundaries) = (Vec::new(), Vec::new());
        for part in apart(text)? {
            match part.rsplit_once(" until ").filter(|(_, step)| !step.contains(')')) {
                Some((schedule, step)) => {
                    schedules.push(Schedule::parse_given(schedule).ok()?);
                    boundaries.push(step.trim().parse().ok()?);
                }
                None => schedules.push(Schedule::parse_given(part).ok()?),
            }
        }
        Some(Phases { schedules, boundaries })
    }

    fn print(&self) -> String {
        let phase = |(i, schedule): (usize, &Schedule)| match self.boundaries.get(i) {
            Some(at) => format!("{schedule} until {at}"),
            None => schedule.to_string(),
        };
        self.schedules.iter().enumerate().map(phase).collect::<Vec<_>>().join(" then ")
    }

    fn number(&self) -> f64 {
        let counts = self.schedules.len() == self.boundaries.len() + 1;
        let rising = self.boundaries.windows(2).all(|w| w[0] <= w[1]);
        let sound = counts && rising && self.depth() <= MAX_NESTING;
        if sound && self.schedules.iter().all(|s| s.check().is_ok()) { 0.0 } else { f64::NAN }
    }
}

/// Splits a text at each `then` outside of parentheses. Returns `None` if parentheses nest too deep or do not match.
fn apart(text: &str) -> Option<Vec<&str>> {
    const THEN: &str = " then ";
    let (mut depth, mut start, mut parts) = (0usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            ' ' if depth == 0 && at >= start && text[at..].starts_with(THEN) => {
                parts.push(&text[start..at]);
                start = at + THEN.len();
            }
            _ => {}
        }
        if depth > 2 * MAX_NESTING {
            return None;
        }
    }
    parts.push(&text[start..]);
    Some(parts)
}
