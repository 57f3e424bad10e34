//! Notes about settings that have less effect than they seem to, and about runs that would train nothing.

use rlx_train::Schedule;
use serde_json::Value;

use super::config::{Choice, Decay, Run, Update};
use crate::units::three_digits;

/// Notes about a configuration before it is trained.
pub fn of(optimizer: &Update, run: &Run, schedule: &Schedule) -> Vec<String> {
    let steps = usize::try_from(run.steps).unwrap_or(usize::MAX);
    let mut notes: Vec<String> = length(schedule, steps).into_iter().collect();
    if !moves(schedule, steps) {
        notes.push(format!(
            "`optimizer.schedule` gives the rate 0 at each of {steps} step(s), so nothing is trained"
        ));
    }
    let unreached = schedule.unreached(steps).unwrap_or_default();
    notes.extend(unreached.into_iter().map(|text| format!("`optimizer.schedule`: {text}")));
    let decays = optimizer.name.has_weight_decay();
    if optimizer.decay == Decay::Matrices && !decays {
        let name = optimizer.name.name();
        notes.push(format!("`optimizer.decay` changes nothing: {name} has no weight decay here"));
    }
    let evaluations = run.steps.checked_div(run.evaluate_every).unwrap_or(0);
    if run.choose == Choice::Best && evaluations <= 1 {
        notes.push(
            "`run.choose = \"best\"` has one evaluation to choose from, the one after the last step; lower `run.evaluate_every`"
                .into(),
        );
    }
    notes
}

/// Whether the learning rate of any step is above 0.
fn moves(schedule: &Schedule, steps: usize) -> bool {
    Schedule::sampled(steps).any(|step| schedule.at(step).is_ok_and(|rate| rate as f32 > 0.0))
}

/// What is wrong with the learning rates of a run: one is negative or not finite, or all are 0, even in a much
/// longer run.
pub fn unusable(schedule: &Schedule, steps: u64) -> Option<String> {
    let steps = usize::try_from(steps).unwrap_or(usize::MAX);
    for step in Schedule::sampled(steps) {
        let rate = schedule.at(step).unwrap_or(f64::NAN) as f32;
        if !rate.is_finite() || rate < 0.0 {
            return Some(format!(
                "gives the rate {rate} at step {step}; rates must be finite and not negative"
            ));
        }
    }
    // Trying a single step of a warmup from 0 is not a mistake.
    let moves = moves(schedule, steps) || moves(schedule, steps.saturating_mul(1000));
    (!moves).then(|| format!("gives the rate 0 at each of {steps} steps, so nothing would be trained"))
}

/// A note about a schedule that does not end with the run of `steps` steps.
fn length(schedule: &Schedule, steps: usize) -> Option<String> {
    let length = schedule.length().filter(|length| *length != steps)?;
    let rate = |step: usize| three_digits_or_zero(schedule.at(step as u64).unwrap_or(0.0));
    let ends = format!("the schedule of the learning rate ends after {length} steps, the run after {steps}");
    Some(
        match length < steps {
            true => format!("{ends}: the rate is {} from then on", rate(length)),
            false => format!("{ends}: the last rate is {}", rate(steps.saturating_sub(1))),
        } + "; a schedule without `steps` ends with the run",
    )
}

fn three_digits_or_zero(rate: f64) -> String {
    if rate == 0.0 { "0".into() } else { three_digits(rate) }
}

/// Notes about the settings in the text of a model's `config.json`, named by `key`, that training ignores: dropout rates.
pub fn unheeded(key: &str, config: &str) -> Vec<String> {
    let Ok(Value::Object(fields)) = serde_json::from_str(config) else { return Vec::new() };
    let drops = fields
        .iter()
        .filter(|(name, value)| name.contains("drop") && value.as_f64().is_some_and(|share| share > 0.0));
    let list: Vec<String> = drops.map(|(name, value)| format!("`{name}` {value}")).collect();
    if list.is_empty() {
        return Vec::new();
    }
    vec![format!("`{key}`: its config.json has {}; training does not use dropout", list.join(", "))]
}

#[cfg(test)]
mod tests {
    use super::super::config::Config;
    use super::*;
    use std::path::Path;

    const DIGITS: &str = include_str!("../../../../examples/training/digits.toml");

    fn parse(replaced: &[(&str, &str)]) -> Result<Config, String> {
        let mut text = DIGITS.to_string();
        for (from, to) in replaced {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        Config::parse(Path::new("c.toml"), &text, None).map_err(|e| e.to_string())
    }

    const SCHEDULE: &str = "schedule = \"warmup_cosine(peak=0.008, warmup=20)\"";
    const NAME: &str = "name = \"adamw(weight_decay=0.01)\"";

    #[test]
    fn settings_that_do_nothing_are_named() {
        assert_eq!(parse(&[]).unwrap().notes, Vec::<String>::new());
        let cases = [
            (
                SCHEDULE,
                "schedule = \"warmup_cosine(peak=0.008, warmup=900)\"",
                "`optimizer.schedule`: the warmup of 900 steps does not end within 800 steps",
            ),
            (
                SCHEDULE,
                "schedule = \"piecewise(from=0.1, factors=800:0.1)\"",
                "`optimizer.schedule`: the factor 0.1 at step 800 comes after the last of 800 steps",
            ),
            (
                NAME,
                "name = \"sgd(momentum=0.9)\"",
                "`optimizer.decay` changes nothing: sgd has no weight decay here",
            ),
            (
                NAME,
                "name = \"adamw(weight_decay=0)\"",
                "`optimizer.decay` changes nothing: adamw has no weight decay here",
            ),
            (
                "evaluate_every = 50",
                "evaluate_every = 0",
                "`run.choose = \"best\"` has one evaluation to choose from",
            ),
            (
                "evaluate_every = 50",
                "evaluate_every = 800",
                "`run.choose = \"best\"` has one evaluation to choose from",
            ),
        ];
        for (from, to, expected) in cases {
            let notes = parse(&[(from, to)]).unwrap().notes;
            assert!(notes.len() == 1 && notes[0].starts_with(expected), "{notes:?}\n{expected}");
        }
    }

    #[test]
    fn rates_that_train_nothing_are_refused() {
        let cases = [
            ("constant(value=0)", "gives the rate 0 at each of 800 steps, so nothing would be trained"),
            (
                "warmup_cosine(peak=0, warmup=5)",
                "gives the rate 0 at each of 800 steps, so nothing would be trained",
            ),
            ("constant(value=1e-60)", "gives the rate 0 at each of 800 steps"),
            ("linear(from=0.1, to=-0.1)", "gives the rate -0.00"),
            ("constant(value=1e60)", "gives the rate inf at step 0; rates must be finite and not negative"),
            ("exponential(from=1, rate=inf, steps=1)", "gives the rate inf at step 1"),
        ];
        for (schedule, expected) in cases {
            let error = parse(&[(SCHEDULE, &format!("schedule = \"{schedule}\""))]).expect_err("refused");
            let expected = format!("c.toml:17: `optimizer.schedule` {expected}");
            assert!(error.starts_with(&expected), "{error}\n{expected}");
        }
        for (clip, said) in [("inf", "inf"), ("nan", "NaN"), ("1e39", "inf")] {
            let error = parse(&[(NAME, &format!("{NAME}\nclip = {clip}"))]).expect_err("refused");
            let expected = format!(
                "`optimizer.clip` is {said}; it must be a finite number above 0 (without it: not clipped)"
            );
            assert!(error.ends_with(&expected), "{error}\n{expected}");
        }
    }

    #[test]
    fn dropout_is_named() {
        let said = |text: &str| unheeded("model.config", text);
        assert_eq!(
            said(
                r#"{"attention_dropout": 0.1, "hidden_dropout_prob": 0, "resid_pdrop": 0.5, "hidden_size": 3}"#
            ),
            [
                "`model.config`: its config.json has `attention_dropout` 0.1, `resid_pdrop` 0.5; training does not use dropout"
            ]
        );
        assert!(said(r#"{"attention_dropout": 0.0, "classifier_dropout": null}"#).is_empty());
    }
}
