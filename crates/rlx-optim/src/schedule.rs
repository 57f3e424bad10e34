//! Learning rates as functions of the step: each is one formula, which is both computed on the host and built as a graph.

mod number;
mod phases;
mod reach;

use crate::error::Error;
use crate::setting::table;
use number::Number;
pub use phases::{Phases, Steps};
use rlx_ir::{DType, Tensor};
use std::f64::consts::PI;

table! {
    /// A learning rate that depends on the step, which is the number of updates made before.
    ///
    /// In text form, a schedule is `constant(value=0.1)` or `warmup_cosine(peak=0.001, warmup=100, steps=1000)`; settings without a default
    /// are required.
    #[derive(Clone, PartialEq, Debug)]
    Schedule "schedule", pub(self) constructors {
        /// The same value at every step.
        "constant" Constant default_constant {
            /// The learning rate.
            value: f64 = f64::NAN, Finite;
        }
        /// A straight line from one value to another, and then constant.
        "linear" Linear default_linear {
            /// The first value.
            from: f64 = 0.0, Finite;
            /// The last value.
            to: f64 = f64::NAN, Finite;
            /// Number of steps from one to the other.
            steps: usize = 0, Count;
            /// The step at which the line begins.
            begin: usize = 0, NotNegative;
        }
        /// (from − to)·(1 − step/steps)^power + to.
        "polynomial" Polynomial default_polynomial {
            /// The first value.
            from: f64 = f64::NAN, Finite;
            /// The last value.
            to: f64 = 0.0, Finite;
            /// The exponent.
            power: f64 = 1.0, NotNegative;
            /// Number of steps from one to the other.
            steps: usize = 0, Count;
            /// The step at which the curve begins.
            begin: usize = 0, NotNegative;
        }
        /// (from − to)·((1 + cos(π·step/steps))/2)^exponent + to. (Loshchilov, Hutter 2016, <https://arxiv.org/abs/1608.03983>.)
        "cosine" Cosine default_cosine {
            /// The first value.
            from: f64 = f64::NAN, Finite;
            /// The last value.
            to: f64 = 0.0, Finite;
            /// Number of steps from one to the other.
            steps: usize = 0, Count;
            /// Exponent of the cosine.
            exponent: f64 = 1.0, NotNegative;
        }
        /// A straight line up to the peak, then down along a cosine.
        "warmup_cosine" WarmupCosine default_warmup_cosine {
            /// The first value.
            from: f64 = 0.0, Finite;
            /// The value after the warmup.
            peak: f64 = f64::NAN, Finite;
            /// The last value.
            to: f64 = 0.0, Finite;
            /// Number of steps of the warmup.
            warmup: usize = 0, NotNegative;
            /// Number of steps in total, including the warmup.
            steps: usize = 0, Count;
            /// Exponent of the cosine.
            exponent: f64 = 1.0, NotNegative;
        }
        /// from·rate^(step/steps).
        "exponential" Exponential default_exponential {
            /// The first value.
            from: f64 = f64::NAN, Finite;
            /// The factor per `steps` steps.
            rate: f64 = f64::NAN, Positive;
            /// The number of steps that the factor is for.
            steps: usize = 0, Count;
            /// The step at which the decay begins.
            begin: usize = 0, NotNegative;
            /// Whether the exponent is rounded down to an integer.
            staircase: bool = false, Finite;
            /// Limit of the curve: the minimum if the rate is below 1, otherwise the maximum. 0 with a rate below 1 means no limit.
            end: f64 = 0.0, NotNegative;
        }
        /// Constant between the given steps; each step multiplies the value by a factor.
        "piecewise" Piecewise default_piecewise {
            /// The first value.
            from: f64 = f64::NAN, Finite;
            /// Steps and factors, as `100:0.5 200:0.1`.
            factors: Steps = Steps::new(), Sound;
        }
        /// Up to the peak and then down far below the first value, along cosines. (Smith, Topin 2017, <https://arxiv.org/abs/1708.07120>;
        /// settings as in PyTorch.)
        "one_cycle" OneCycle default_one_cycle {
            /// The peak.
            peak: f64 = f64::NAN, Finite;
            /// Number of steps in total.
            steps: usize = 0, Count;
            /// Share of the steps in which the rate increases.
            start: f64 = 0.3, Decay;
            /// The peak divided by the first value.
            div: f64 = 25.0, Positive;
            /// The first value divided by the last.
            final_div: f64 = 1e4, Positive;
        }
        /// Up, down and then far down, along straight lines.
        "linear_one_cycle" LinearOneCycle default_linear_one_cycle {
            /// The peak.
            peak: f64 = f64::NAN, Finite;
            /// Number of steps in total.
            steps: usize = 0, Count;
            /// Share of the steps in which the rate increases.
            start: f64 = 0.3, Decay;
            /// Share of the steps after which the first value is reached again.
            end: f64 = 0.85, Decay;
            /// The peak divided by the first value.
            div: f64 = 25.0, Positive;
            /// The first value divided by the last.
            final_div: f64 = 1e4, Positive;
        }
        /// A straight line from 0 to the peak, then peak·√(warmup/step). (Vaswani et al. 2017, <https://arxiv.org/abs/1706.03762>.)
        "inverse_sqrt" InverseSqrt default_inverse_sqrt {
            /// The value after the warmup.
            peak: f64 = f64::NAN, Finite;
            /// Number of steps of the warmup.
            warmup: usize = 0, Count;
        }
        /// Schedules in sequence, each of which counts its steps from its own start.
        "join" Join default_join {
            /// The schedules with the steps at which they end, as `linear(to=0.1, steps=10) until 10 then constant(value=0.1)`.
            phases: Phases = Phases::none(), Sound;
        }
    }
}

impl Schedule {
    /// Returns the same value at every step.
    pub const fn constant(value: f64) -> Schedule {
        Schedule::Constant { value }
    }

    /// Returns a straight line over `steps` steps.
    pub const fn linear(from: f64, to: f64, steps: usize) -> Schedule {
        Schedule::Linear { from, to, steps, begin: 0 }
    }

    /// Returns a cosine from a value to 0.
    pub const fn cosine(from: f64, steps: usize) -> Schedule {
        Schedule::Cosine { from, to: 0.0, steps, exponent: 1.0 }
    }

    /// Returns a straight line from 0 to the peak, then a cosine to 0; `steps` includes both.
    pub const fn warmup_cosine(peak: f64, warmup: usize, steps: usize) -> Schedule {
        Schedule::WarmupCosine { from: 0.0, peak, to: 0.0, warmup, steps, exponent: 1.0 }
    }

    /// Returns a schedule that multiplies the value by `rate` every `steps` steps.
    pub const fn exponential(from: f64, rate: f64, steps: usize) -> Schedule {
        Schedule::Exponential { from, rate, steps, begin: 0, staircase: false, end: 0.0 }
    }

    /// Returns a straight line from 0 to the peak, then the inverse square root of the step.
    pub const fn inverse_sqrt(peak: f64, warmup: usize) -> Schedule {
        Schedule::InverseSqrt { peak, warmup }
    }

    /// Returns a schedule that goes up to the peak and down along cosines.
    pub const fn one_cycle(peak: f64, steps: usize) -> Schedule {
        Schedule::OneCycle { peak, steps, start: 0.3, div: 25.0, final_div: 1e4 }
    }

    /// Returns the schedules in sequence. `boundaries` has the steps at which the next one begins: increasing, and one fewer than
    /// schedules.
    pub fn join(schedules: Vec<Schedule>, boundaries: Vec<usize>) -> Schedule {
        Schedule::Join { phases: Phases::new(schedules, boundaries) }
    }

    /// Returns the schedule that a text describes, for a run of `steps` steps. If the text omits a length (`steps` of schedules that
    /// end), the schedule ends with the run; in a join, it ends where the next one begins.
    ///
    /// ```
    /// use rlx_optim::Schedule;
    ///
    /// let schedule = Schedule::of_training("warmup_cosine(peak=0.001, warmup=100)", 1000)?;
    /// assert_eq!(schedule, Schedule::warmup_cosine(0.001, 100, 1000));
    /// # Ok::<(), rlx_optim::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the text is not a schedule, or a setting is missing or out of range.
    pub fn of_training(text: &str, steps: usize) -> Result<Schedule, Error> {
        let mut schedule = Schedule::parse_given(text)?;
        schedule.end_at(steps);
        schedule.check()?;
        Ok(schedule)
    }

    /// Sets the length of a schedule without one, so that it ends after `end` steps.
    fn end_at(&mut self, end: usize) {
        match self {
            Schedule::Linear { steps: steps @ 0, begin, .. }
            | Schedule::Polynomial { steps: steps @ 0, begin, .. } => {
                *steps = end.saturating_sub(*begin).max(1)
            }
            Schedule::Cosine { steps: steps @ 0, .. }
            | Schedule::WarmupCosine { steps: steps @ 0, .. }
            | Schedule::OneCycle { steps: steps @ 0, .. }
            | Schedule::LinearOneCycle { steps: steps @ 0, .. } => *steps = end,
            Schedule::Join { phases } => phases.end_at(end),
            _ => {}
        }
    }

    /// Returns the number of steps after which the learning rate is constant, or `None` for schedules that continue or end at a step of
    /// their own.
    pub fn length(&self) -> Option<usize> {
        match self {
            Schedule::Linear { steps, begin, .. } | Schedule::Polynomial { steps, begin, .. } => {
                Some(begin.saturating_add(*steps))
            }
            Schedule::Cosine { steps, .. }
            | Schedule::WarmupCosine { steps, .. }
            | Schedule::OneCycle { steps, .. }
            | Schedule::LinearOneCycle { steps, .. } => Some(*steps),
            Schedule::Join { phases } => phases.length(),
            Schedule::Constant { .. }
            | Schedule::Exponential { .. }
            | Schedule::Piecewise { .. }
            | Schedule::InverseSqrt { .. } => None,
        }
    }

    /// Returns the learning rate of a step.
    ///
    /// # Errors
    /// Fails if a setting is missing or out of range.
    pub fn at(&self, step: u64) -> Result<f64, Error> {
        self.check()?;
        Ok(self.formula(&(step as f64)))
    }

    /// Returns the learning rate of a step (an integer scalar) as an expression, computed in `dtype`: f32, or f64 if the device supports
    /// it.
    ///
    /// # Errors
    /// Fails if a setting is missing or out of range, or the type is not a float.
    pub fn expression(&self, step: &Tensor, dtype: DType) -> Result<Tensor, Error> {
        self.check()?;
        let wrong = |operand: &str, expected: &str| Error::Operand {
            name: self.name().into(),
            operand: operand.into(),
            expected: expected.into(),
            got: step.shape(),
        };
        if !step.shape().is_scalar() || !step.dtype().is_int() {
            return Err(wrong("the step number", "an integer scalar"));
        }
        if !matches!(dtype, DType::F32 | DType::F64) {
            return Err(wrong("the step number", "to be used in f32 or f64"));
        }
        Ok(self.formula(&step.convert(dtype)))
    }

    fn formula<N: Number>(&self, step: &N) -> N {
        match self {
            Schedule::Constant { value } => step.of(*value),
            Schedule::Linear { from, to, steps, begin } => polynomial(step, *from, *to, 1.0, *steps, *begin),
            Schedule::Polynomial { from, to, power, steps, begin } => {
                polynomial(step, *from, *to, *power, *steps, *begin)
            }
            Schedule::Cosine { from, to, steps, exponent } => cosine(step, *from, *to, *steps, *exponent),
            Schedule::WarmupCosine { from, peak, to, warmup, steps, exponent } => {
                let falling = step.clone() - *warmup as f64;
                let down = cosine(&falling, *peak, *to, steps.saturating_sub(*warmup).max(1), *exponent);
                if *warmup == 0 {
                    return down;
                }
                step.if_below(*warmup as f64, polynomial(step, *from, *peak, 1.0, *warmup, 0), down)
            }
            Schedule::Exponential { from, rate, steps, begin, staircase, end } => {
                let past = step.clone() - *begin as f64;
                let exponent = past.clone() / *steps as f64;
                let exponent = if *staircase { exponent.floor() } else { exponent };
                let decayed = past.if_below(0.5, step.of(*from), exponent.power_of(*rate) * *from);
                match *rate < 1.0 {
                    true => decayed.at_least(*end),
                    false if *end > 0.0 => decayed.at_most(*end),
                    false => decayed,
                }
            }
            Schedule::Piecewise { from, factors } => {
                factors.iter().fold(step.of(*from), |value, (at, factor)| {
                    step.if_below(at as f64, value.clone(), value * factor)
                })
            }
            Schedule::OneCycle { peak, steps, start, div, final_div } => {
                let first = peak / div;
                let up = (start * *steps as f64) as usize;
                interpolated(step, &[(0, first), (up, *peak), (*steps, first / final_div)], true)
            }
            Schedule::LinearOneCycle { peak, steps, start, end, div, final_div } => {
                let share = |s: &f64| (s * *steps as f64) as usize;
                let first = peak / div;
                let points =
                    [(0, first), (share(start), *peak), (share(end), first), (*steps, first / final_div)];
                interpolated(step, &points, false)
            }
            Schedule::InverseSqrt { peak, warmup } => {
                let after = (step.clone().at_least(*warmup as f64) / *warmup as f64).power(-0.5) * *peak;
                step.if_below(*warmup as f64, step.clone() / *warmup as f64 * *peak, after)
            }
            Schedule::Join { phases } => phases.formula(step),
        }
    }
}

fn polynomial<N: Number>(step: &N, from: f64, to: f64, power: f64, steps: usize, begin: usize) -> N {
    let past = (step.clone() - begin as f64).at_least(0.0).at_most(steps as f64);
    let left = past / -(steps as f64) + 1.0;
    let left = if power == 1.0 { left } else { left.power(power) };
    left * (from - to) + to
}

fn cosine<N: Number>(step: &N, from: f64, to: f64, steps: usize, exponent: f64) -> N {
    let wave = (step.clone().at_most(steps as f64) * PI / steps as f64).cos() * 0.5 + 0.5;
    let wave = if exponent == 1.0 { wave } else { wave.power(exponent) };
    wave * (from - to) + to
}

/// Interpolates between the points (step, value) around a step, with straight lines or half waves. After the last point, the value is
/// constant.
fn interpolated<N: Number>(step: &N, points: &[(usize, f64)], waves: bool) -> N {
    let mut value = step.of(points.last().map_or(0.0, |p| p.1));
    for pair in points.windows(2).rev() {
        let ((begin, from), (end, to)) = (pair[0], pair[1]);
        let share = (step.clone() - begin as f64) / end.saturating_sub(begin).max(1) as f64;
        let between = match waves {
            true => ((share * PI).cos() + 1.0) * ((from - to) / 2.0) + to,
            false => share * (to - from) + from,
        };
        value = step.if_below(end as f64, between, value);
    }
    value
}
