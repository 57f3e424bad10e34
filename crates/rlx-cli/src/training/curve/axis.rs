//! The axes of the loss curve: ranges, ticks and labels.

/// A range of values, linear or logarithmic.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Axis {
    pub low: f64,
    pub high: f64,
    pub log: bool,
}

/// A line across the plot, with its label.
#[derive(Clone, PartialEq, Debug)]
pub struct Tick {
    pub value: f64,
    pub label: String,
}

impl Axis {
    /// The position of a value, from 0 to 1. Values outside the range are moved to its nearest end.
    pub fn place(&self, value: f64) -> f64 {
        let on = |x: f64| if self.log { x.max(f64::MIN_POSITIVE).ln() } else { x };
        ((on(value) - on(self.low)) / (on(self.high) - on(self.low))).clamp(0.0, 1.0)
    }

    /// Ticks at round values, about `count` of them.
    pub fn ticks(&self, count: usize) -> Vec<Tick> {
        if self.log { self.decades(count) } else { self.steps(count, f64::MIN_POSITIVE) }
    }

    /// Like [`ticks`](Self::ticks), but only at whole numbers.
    pub fn whole_ticks(&self, count: usize) -> Vec<Tick> {
        self.steps(count, 1.0)
    }

    /// Multiples of 1, 2 or 5 times a power of ten: the smallest that gives at most `count` steps.
    fn steps(&self, count: usize, least: f64) -> Vec<Tick> {
        let rough = ((self.high - self.low) / count.max(1) as f64).max(least);
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough * 0.999);
        let step = step.unwrap_or(10.0 * power);
        let (first, last) = ((self.low / step - 1e-6).ceil(), (self.high / step + 1e-6).floor());
        let largest = self.low.abs().max(self.high.abs());
        // In a range that is too narrow, the labels of neighboring ticks would be equal.
        let several = (0.0..1000.0).contains(&(last - first)) && step > largest * 1e-12;
        let count = if several { (last - first) as usize + 1 } else { 0 };
        let values = (0..count).map(|i| (first + i as f64) * step);
        values.map(|value| Tick { value, label: label(value, step, largest) }).collect()
    }

    /// 1, 2 and 5 times powers of ten, or only as many powers of ten as fit.
    fn decades(&self, count: usize) -> Vec<Tick> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let within = |value: f64| value >= self.low * 0.999 && value <= self.high * 1.001;
        let of = |mantissas: &[f64], every: usize| -> Vec<f64> {
            let powers = (first..=last).filter(|p| p.rem_euclid(every as i32) == 0);
            let all = powers.flat_map(|p| mantissas.iter().map(move |m| m * 10f64.powi(p)));
            all.filter(|value| within(*value)).collect()
        };
        let finest = of(&[1.0, 2.0, 5.0], 1);
        let values = if finest.len() <= count + 2 {
            finest
        } else {
            let fewer = |every: &usize| of(&[1.0], *every).len() <= count + 2;
            of(&[1.0], (1..).find(fewer).unwrap_or(1))
        };
        values.into_iter().map(|value| Tick { value, label: label(value, value, value) }).collect()
    }
}

/// A multiple of `step`, with as many digits as needed next to values up to `largest`.
fn label(value: f64, step: f64, largest: f64) -> String {
    let digits = |step: f64| (-(step * 1.0001).log10().floor()).max(0.0) as usize;
    let text = match largest {
        _ if value == 0.0 => "0".to_string(),
        _ if step < 1e-5 || largest >= 1e10 => format!("{:e}", rounded(value)),
        l if l >= 1e7 => format!("{:.*} M", digits(step / 1e6), value / 1e6),
        l if l >= 1e4 => format!("{:.*} k", digits(step / 1e3), value / 1e3),
        _ => format!("{value:.*}", digits(step)),
    };
    text.replace('-', "−")
}

/// The value without rounding errors of the sums it comes from.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, log: bool) -> Vec<String> {
        Axis { low, high, log }.ticks(6).into_iter().map(|t| t.label).collect()
    }

    #[test]
    fn ticks_are_at_round_values_with_the_digits_they_need() {
        let cases: [(f64, f64, bool, &str); 11] = [
            (0.0, 2.3, false, "0 0.5 1.0 1.5 2.0"),
            (1.41, 1.57, false, "1.45 1.50 1.55"),
            (0.0, 800.0, false, "0 200 400 600 800"),
            (0.0, 24_000.0, false, "0 5 k 10 k 15 k 20 k"),
            (0.0, 12e6, false, "0 2 M 4 M 6 M 8 M 10 M 12 M"),
            (-1.0, 1.0, false, "−1.0 −0.5 0 0.5 1.0"),
            (1e-7, 5e-7, false, "1e−7 2e−7 3e−7 4e−7 5e−7"),
            (0.008, 2.5, true, "0.01 0.02 0.05 0.1 0.2 0.5 1 2"),
            (0.0009, 30.0, true, "0.001 0.01 0.1 1 10"),
            (1e-9, 3.0, true, "1e−8 1e−6 0.0001 0.01 1"),
            (1.0, 1.0 + 1e-15, false, ""),
        ];
        for (low, high, log, expected) in cases {
            let got = labels(low, high, log).join(" ");
            assert_eq!(got, expected, "{low} to {high}");
        }
        let whole: Vec<String> =
            Axis { low: 0.0, high: 3.0, log: false }.whole_ticks(8).into_iter().map(|t| t.label).collect();
        assert_eq!(whole, ["0", "1", "2", "3"]);
    }
}
