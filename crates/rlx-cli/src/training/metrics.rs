//! The metrics of a training run: one JSON object per step, and the same as CSV. Steps that are repeated after an
//! interruption replace their earlier lines; all other lines stay unchanged, byte for byte.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use rlx_models::files::{FileError, read_text, write_unsynced};
use rlx_train::StepReport;
use serde_json::{Map, Value, json};

use super::curve::Series;
use super::task::Numbers;

/// The metrics of a step besides its loss.
pub const OF_STEP: [&str; 3] = ["grad_norm", "learning_rate", "ms"];

/// The open files.
pub struct Metrics {
    jsonl: (PathBuf, File),
    csv: (PathBuf, File),
    columns: Vec<&'static str>,
    /// The name of the loss in evaluations.
    validated: &'static str,
    /// Training losses so far, including those before an interruption.
    pub training: Series,
    /// Validation losses so far.
    pub validation: Series,
}

impl Metrics {
    /// Opens `metrics.jsonl` and `metrics.csv` in a folder, and drops the rows of steps after `step`. `measures` are
    /// the names of the numbers of an evaluation, a loss first.
    pub fn open(dir: &Path, step: u64, measures: &[&'static str]) -> Result<Metrics, FileError> {
        let columns = [&["step", "loss"], measures, &OF_STEP].concat();
        let jsonl = dir.join("metrics.jsonl");
        let rows = kept(&jsonl, step)?;
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        let mut table = format!("{}\n", columns.join(","));
        rows.iter().for_each(|row| table.push_str(&row.csv_line(&columns)));
        let validated = measures.first().copied().unwrap_or_default();
        let (jsonl, csv) = (begun(jsonl, &text)?, begun(dir.join("metrics.csv"), &table)?);
        let (training, validation) = (Series::new(), Series::new());
        let mut metrics = Metrics { jsonl, csv, columns, validated, training, validation };
        rows.iter().for_each(|row| metrics.draw(row));
        Ok(metrics)
    }

    /// Writes the report of a step, and the evaluation after it if there was one. Before the first step, there is no report.
    pub fn write(
        &mut self,
        at: u64,
        report: Option<(&StepReport, f64)>,
        numbers: &Numbers,
    ) -> Result<(), FileError> {
        let mut row = Map::from_iter([("step".to_string(), json!(at))]);
        if let Some((report, ms)) = report {
            row.extend([
                ("loss".to_string(), number(report.loss)),
                ("grad_norm".to_string(), number(report.grad_norm)),
                ("learning_rate".to_string(), number(report.learning_rate)),
                ("ms".to_string(), json!(ms)),
                ("skipped".to_string(), json!(report.skipped)),
            ]);
        }
        row.extend(numbers.iter().map(|(name, value)| (name.to_string(), json!(value))));
        let row = MetricsRow(Value::Object(row).to_string());
        // Each line is written in one piece, so that concurrent readers see only whole lines.
        for ((path, file), line) in
            [(&mut self.jsonl, format!("{row}\n")), (&mut self.csv, row.csv_line(&self.columns))]
        {
            file.write_all(line.as_bytes()).map_err(|e| FileError::io(path, "writing it", e))?;
        }
        self.draw(&row);
        Ok(())
    }

    /// Adds the losses of a row to the curves.
    fn draw(&mut self, row: &MetricsRow) {
        // JSON has no infinities: `null` means a loss that is not finite.
        let point = |name| Some((row.step()?, row.cell(name)?.parse().unwrap_or(f64::NAN)));
        self.training.extend(point("loss"));
        self.validation.extend(point(self.validated));
    }
}

/// A row as written: a JSON object of numbers, booleans and `null`. Numbers are kept as text, since `serde_json` may
/// read a number as a neighboring one.
struct MetricsRow(String);

impl MetricsRow {
    /// Parses a line; `None` if it is incomplete.
    fn of_line(line: &str) -> Option<MetricsRow> {
        let row: Map<String, Value> = serde_json::from_str(line).ok()?;
        let is_flat = row.values().all(|v| v.is_number() || v.is_boolean() || v.is_null());
        is_flat.then(|| MetricsRow(line.to_string()))
    }

    /// The text of a cell.
    fn cell(&self, column: &str) -> Option<&str> {
        // No value contains quotes, so a name in quotes is a key.
        let (_, rest) = self.0.split_once(&format!("\"{column}\""))?;
        let value = rest.trim_start().strip_prefix(':')?;
        Some(value.split([',', '}']).next()?.trim())
    }

    fn step(&self) -> Option<u64> {
        self.cell("step")?.parse().ok()
    }

    fn csv_line(&self, columns: &[&str]) -> String {
        let cell = |column: &&str| self.cell(column).filter(|text| *text != "null").unwrap_or_default();
        format!("{}\n", columns.iter().map(cell).collect::<Vec<_>>().join(","))
    }
}

impl fmt::Display for MetricsRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The shortest decimal that reads back as the same f32.
fn number(value: f32) -> Value {
    json!(value.to_string().parse::<f64>().unwrap_or(f64::NAN))
}

/// Maximum size of a file of metrics to read: some hundred bytes for each of ten million steps.
pub const MAX_METRICS_BYTES: u64 = 4 << 30;

/// Creates a file with this text, and opens it for appending.
fn begun(path: PathBuf, text: &str) -> Result<(PathBuf, File), FileError> {
    write_unsynced(&path, |file| file.write_all(text.as_bytes()))?;
    let file = OpenOptions::new().append(true).open(&path);
    let file = file.map_err(|e| FileError::io(&path, "writing it", e))?;
    Ok((path, file))
}

/// The rows of a file up to `step`; none if training starts over. An incomplete line belongs to a step that will be repeated.
fn kept(path: &Path, step: u64) -> Result<Vec<MetricsRow>, FileError> {
    if step == 0 || !path.exists() {
        return Ok(Vec::new());
    }
    let text = read_text(path, MAX_METRICS_BYTES)?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let rows = whole.lines().filter_map(MetricsRow::of_line);
    Ok(rows.filter(|row| row.step().is_some_and(|at| at <= step)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rlx_train::{StepKind, UpdatePath};
    use std::fs;

    #[cfg(unix)]
    #[test]
    fn rows_of_a_pipe_are_not_waited_for() {
        let dir = tempfile::tempdir().expect("a folder");
        let pipe = dir.path().join("metrics.jsonl");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        assert!(matches!(kept(&pipe, 1), Err(FileError::NotRegular { kind: "a FIFO", .. })));
    }

    fn report(loss: f32) -> StepReport {
        let (path, kind) = (UpdatePath::Gradient, StepKind::Fused);
        let (learning_rate, grad_norm, loss_scale) = (1e-3, loss * 0.7, 1.0);
        let metrics = Vec::new();
        StepReport {
            loss,
            path,
            kind,
            batches: 1,
            step: 1,
            learning_rate,
            grad_norm,
            skipped: false,
            loss_scale,
            metrics,
        }
    }

    #[test]
    fn rows_that_are_kept_stay_as_they_were_written() {
        let measures = ["validation_loss", "validation_accuracy"];
        // serde_json reads some of 20,000 such numbers as a neighboring number.
        let number = |i: u64| 1.0 / (3.0 + i as f64 * 1.37);
        let rows = 3000;
        let write = |metrics: &mut Metrics, from: u64| {
            for at in from..=rows {
                let numbers = vec![(measures[0], number(at)), (measures[1], number(at) * 1e-3)];
                let report = report(number(at) as f32);
                let of_step = (at > 0).then_some((&report, 0.1 * at as f64));
                metrics.write(at, of_step, &numbers).unwrap();
            }
        };
        let read =
            |dir: &Path| ["metrics.jsonl", "metrics.csv"].map(|f| fs::read_to_string(dir.join(f)).unwrap());
        let [whole, parts] = [0, 1].map(|_| tempfile::tempdir().unwrap());
        let mut metrics = Metrics::open(whole.path(), 0, &measures).unwrap();
        write(&mut metrics, 0);
        let mut broken = Metrics::open(parts.path(), 0, &measures).unwrap();
        write(&mut broken, 0);
        for step in [2500, 1000, 1] {
            broken = Metrics::open(parts.path(), step, &measures).unwrap();
            write(&mut broken, step + 1);
        }
        assert_eq!(read(parts.path()), read(whole.path()));
        assert_eq!((broken.training, broken.validation), (metrics.training, metrics.validation));
    }

    #[test]
    fn cells_are_found_by_their_names() {
        let row = MetricsRow::of_line(
            r#"{"grad_norm":0.25,"loss":null,"skipped":false,"step":7,"validation_loss":1e-3}"#,
        );
        let row = row.expect("a row");
        assert_eq!(
            (row.cell("loss"), row.cell("validation_loss"), row.step()),
            (Some("null"), Some("1e-3"), Some(7))
        );
        assert_eq!(row.csv_line(&["step", "loss", "validation_loss", "ms"]), "7,,1e-3,\n");
        for line in ["", "{\"step\":1", "[1]", r#"{"step": "a \"loss\": 1"}"#] {
            assert!(MetricsRow::of_line(line).is_none(), "{line}");
        }
    }
}
