//! Finds parts of a schedule that no step of a training run reaches.

use super::Schedule;

/// Maximum number of steps with compared rates; longer runs are sampled at equal distances.
const COMPARED: usize = 100_000;

impl Schedule {
    /// Returns the steps, counted from 0, whose learning rates represent those of a run of `steps` steps: all of them, or 100,000 at
    /// equal distances, including the first and the last.
    pub fn sampled(steps: usize) -> impl Iterator<Item = u64> + Clone {
        let count = steps.min(COMPARED);
        let last = steps.saturating_sub(1) as u128;
        (0..count).map(move |i| (i as u128 * last / (count.max(2) - 1) as u128) as u64)
    }

    /// Describes, in one sentence each, the parts of the schedule that a run of `steps` steps never reaches: a warmup that is longer,
    /// parts that begin later, and settings other than the default that do not change any learning rate.
    ///
    /// # Errors
    /// Fails if a setting is missing or out of range.
    pub fn unreached(&self, steps: usize) -> Result<Vec<String>, crate::Error> {
        self.check()?;
        let mut found = Vec::new();
        if let Schedule::Join { phases } = self {
            for (schedule, begin, end) in phases.spans() {
                let of = schedule.name();
                if begin >= steps {
                    found.push(format!("`{of}` begins at step {begin}, after the last of {steps} steps"));
                    continue;
                }
                let inner = schedule.unreached(end.unwrap_or(steps).min(steps) - begin)?;
                found.extend(inner.into_iter().map(|text| format!("`{of}` from step {begin} on: {text}")));
            }
            return Ok(found);
        }
        if let Some((warmup, peak)) = self.warmup().filter(|(warmup, _)| *warmup >= steps) {
            found.push(format!(
                "the warmup of {warmup} steps does not end within {steps} steps: the peak, {peak:?}, is never reached"
            ));
            // Anything after the warmup is not reached either.
            return Ok(found);
        }
        if let Schedule::Piecewise { factors, .. } = self {
            let later = factors.iter().filter(|(at, _)| *at >= steps);
            found.extend(later.map(|(at, factor)| {
                format!("the factor {factor:?} at step {at} comes after the last of {steps} steps")
            }));
        }
        let unused: Vec<String> =
            self.given().filter(|name| self.is_unused(name, steps)).map(|n| format!("`{n}`")).collect();
        if !unused.is_empty() {
            found.push(format!("no learning rate of {steps} steps depends on {}", unused.join(", ")));
        }
        Ok(found)
    }

    /// Returns the number of steps up to the maximum rate, and that rate.
    fn warmup(&self) -> Option<(usize, f64)> {
        match *self {
            Schedule::WarmupCosine { warmup, peak, .. } | Schedule::InverseSqrt { warmup, peak } => {
                Some((warmup, peak))
            }
            Schedule::OneCycle { peak, steps, start, .. }
            | Schedule::LinearOneCycle { peak, steps, start, .. } => {
                Some(((start * steps as f64) as usize, peak))
            }
            _ => None,
        }
        .filter(|(warmup, _)| *warmup > 0)
    }

    /// Returns the settings with a value other than the default.
    fn given(&self) -> impl Iterator<Item = &'static str> + use<> {
        let defaults = Schedule::by_name(self.name()).map(|s| s.settings()).unwrap_or_default();
        let own = self.settings().into_iter().zip(defaults);
        own.filter(|(own, default)| own.1 != default.1).map(|(own, _)| own.0)
    }

    /// Whether a slightly different value of a number gives the same rates.
    fn is_unused(&self, setting: &str, steps: usize) -> bool {
        let value = self.settings().into_iter().find(|s| s.0 == setting).map(|s| s.1).unwrap_or_default();
        let near: Vec<String> = if let Ok(value) = value.parse::<usize>() {
            vec![value.saturating_add(1).to_string(), value.saturating_sub(1).to_string()]
        } else if let Ok(value) = value.parse::<f64>() {
            vec![format!("{:?}", value * 1.01), format!("{:?}", value * 0.99)]
        } else if let Ok(value) = value.parse::<bool>() {
            vec![(!value).to_string()]
        } else {
            return false;
        };
        let others = near.into_iter().filter_map(|text| {
            let mut other = self.clone();
            other.set(setting, &text).ok()?;
            other.check().ok().map(|()| other)
        });
        let others: Vec<Schedule> = others.filter(|other| other != self).collect();
        let same = |other: &Schedule| {
            Self::sampled(steps)
                .all(|step| self.formula(&(step as f64)).to_bits() == other.formula(&(step as f64)).to_bits())
        };
        !others.is_empty() && others.iter().all(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_step_comes_to_is_said() {
        let said =
            |text: &str, steps: usize| Schedule::of_training(text, steps).unwrap().unreached(steps).unwrap();
        let none = [
            "constant(value=0.1)",
            "linear(from=0.1, to=0.2)",
            "polynomial(from=1, power=2, begin=3)",
            "cosine(from=1, to=0.1, exponent=2)",
            "warmup_cosine(from=0.01, peak=0.1, warmup=10, exponent=0.5)",
            "exponential(from=1, rate=0.5, steps=10, staircase=true)",
            "piecewise(from=1, factors=5:0.1 29:0.5)",
            "one_cycle(peak=1, start=0.5, div=10, final_div=100)",
            "linear_one_cycle(peak=1, end=0.7)",
            "inverse_sqrt(peak=1, warmup=5)",
            "join(phases=linear(to=0.1) until 10 then constant(value=0.1))",
        ];
        for text in none {
            assert_eq!(said(text, 30), Vec::<String>::new(), "{text}");
        }
        let peak = "the warmup of 100 steps does not end within 30 steps: the peak, 0.1, is never reached";
        let cases: [(&str, &[&str]); 8] = [
            ("warmup_cosine(peak=0.1, warmup=100)", &[peak]),
            ("warmup_cosine(peak=0.1, warmup=100, to=0.01)", &[peak]),
            ("inverse_sqrt(peak=0.1, warmup=100)", &[peak]),
            ("one_cycle(peak=0.1, steps=1000, start=0.1)", &[peak]),
            (
                "linear(from=0.1, to=0.2, begin=30)",
                &["no learning rate of 30 steps depends on `to`, `steps`, `begin`"],
            ),
            (
                "exponential(from=1, rate=0.5, steps=10, begin=40)",
                &["no learning rate of 30 steps depends on `rate`, `steps`, `begin`"],
            ),
            (
                "piecewise(from=1, factors=5:0.1 30:0.5)",
                &["the factor 0.5 at step 30 comes after the last of 30 steps"],
            ),
            (
                "join(phases=warmup_cosine(peak=0.1, warmup=100, steps=200) until 30 then constant(value=1))",
                &[
                    "`warmup_cosine` from step 0 on: the warmup of 100 steps does not end within 30 steps: the peak, 0.1, is never reached",
                    "`constant` begins at step 30, after the last of 30 steps",
                ],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(said(text, 30), expected, "{text}");
        }
    }

    #[test]
    fn sampled_steps_have_both_ends() {
        assert_eq!(Schedule::sampled(0).count(), 0);
        assert_eq!(Schedule::sampled(1).collect::<Vec<_>>(), [0]);
        assert_eq!(Schedule::sampled(5).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        let many: Vec<u64> = Schedule::sampled(usize::MAX).collect();
        assert_eq!((many.len(), many[0], many[99_999]), (100_000, 0, u64::MAX - 1));
    }
}
