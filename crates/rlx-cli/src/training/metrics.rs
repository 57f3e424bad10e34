//! The metrics of a training: one JSON object per line, and the same as CSV. Lines that a training writes again after it was interrupted
//! take the place of the earlier ones.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use rlx_train::StepReport;
use serde_json::{Map, Value, json};

/// The loss of a step, for the curve.
pub type Point = (u64, f64);

/// The open files.
pub struct Metrics {
    jsonl: File,
    csv: File,
    /// Losses so far, those of an interrupted training included.
    pub losses: Vec<Point>,
}

const COLUMNS: [&str; 5] = ["step", "loss", "grad_norm", "learning_rate", "ms"];

impl Metrics {
    /// Opens `metrics.jsonl` and `metrics.csv` in a folder, and drops what is said of steps after `step`.
    pub fn open(dir: &Path, step: u64) -> io::Result<Metrics> {
        let (jsonl_path, csv_path) = (dir.join("metrics.jsonl"), dir.join("metrics.csv"));
        let mut losses = Vec::new();
        // A line that was cut off, or is of a later step, is of a step that is taken again.
        let step_of_json = |line: &str| serde_json::from_str::<Value>(line).ok()?["step"].as_u64();
        let lines = kept(&jsonl_path, step, &step_of_json)?;
        for value in lines.iter().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            losses.extend(value["step"].as_u64().zip(value["loss"].as_f64()));
        }
        let rows = kept(&csv_path, step, &|line| {
            let columns: Vec<&str> = line.split(',').collect();
            if columns.len() == COLUMNS.len() { columns[0].parse().ok() } else { None }
        })?;
        let (mut jsonl, mut csv) = (File::create(&jsonl_path)?, File::create(&csv_path)?);
        writeln!(csv, "{}", COLUMNS.join(","))?;
        lines.iter().try_for_each(|line| writeln!(jsonl, "{line}"))?;
        rows.iter().try_for_each(|line| writeln!(csv, "{line}"))?;
        Ok(Metrics { jsonl, csv, losses })
    }

    /// Writes what a step told.
    pub fn step(&mut self, report: &StepReport, at: u64, ms: f64) -> io::Result<()> {
        let loss = f64::from(report.loss);
        let line = json!({
            "step": at, "loss": loss, "grad_norm": report.grad_norm, "learning_rate": report.learning_rate, "ms": ms,
            "skipped": report.skipped,
        });
        writeln!(self.jsonl, "{line}")?;
        writeln!(self.csv, "{}", COLUMNS.map(|c| line[c].to_string()).join(","))?;
        self.losses.push((at, loss));
        Ok(())
    }

    /// Writes an evaluation.
    pub fn evaluation(&mut self, at: u64, numbers: &[(&'static str, f64)]) -> io::Result<()> {
        let mut line = Map::new();
        line.insert("step".into(), at.into());
        line.extend(numbers.iter().map(|(name, value)| (name.to_string(), json!(value))));
        writeln!(self.jsonl, "{}", Value::Object(line))
    }
}

/// The whole lines of a file that are of steps up to `step`; none if training starts anew.
fn kept(path: &Path, step: u64, step_of: &dyn Fn(&str) -> Option<u64>) -> io::Result<Vec<String>> {
    if step == 0 || !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path)?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let is_kept = |line: &&str| step_of(line).is_some_and(|at| at <= step);
    Ok(whole.lines().filter(is_kept).map(str::to_string).collect())
}
