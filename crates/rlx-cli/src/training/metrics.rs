//! The metrics of a training: one JSON object per step, and the same as CSV. Lines that a training writes again after it was interrupted
//! take the place of the earlier ones.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use rlx_models::files::{FileError, write_unsynced};
use rlx_train::StepReport;
use serde_json::{Map, Value, json};

use super::curve::Series;
use super::task::Numbers;

/// What a step tells beside its loss.
pub const OF_STEP: [&str; 3] = ["grad_norm", "learning_rate", "ms"];

/// The open files.
pub struct Metrics {
    jsonl: (PathBuf, File),
    csv: (PathBuf, File),
    columns: Vec<&'static str>,
    /// The name of the loss in evaluations.
    validated: &'static str,
    /// Losses so far, those of an interrupted training included.
    pub training: Series,
    /// Those of the evaluations.
    pub validation: Series,
}

impl Metrics {
    /// Opens `metrics.jsonl` and `metrics.csv` in a folder, and drops what is said of steps after `step`. `measures` are the numbers
    /// of an evaluation, a loss first.
    pub fn open(dir: &Path, step: u64, measures: &[&'static str]) -> Result<Metrics, FileError> {
        let columns = [&["step", "loss"], measures, &OF_STEP].concat();
        let jsonl = dir.join("metrics.jsonl");
        let rows = kept(&jsonl, step)?;
        let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
        let mut table = format!("{}\n", columns.join(","));
        rows.iter().for_each(|row| table.push_str(&csv_line(&columns, row)));
        let validated = measures.first().copied().unwrap_or_default();
        let (jsonl, csv) = (begun(jsonl, &text)?, begun(dir.join("metrics.csv"), &table)?);
        let (training, validation) = (Series::new(), Series::new());
        let mut metrics = Metrics { jsonl, csv, columns, validated, training, validation };
        rows.iter().for_each(|row| metrics.draw(row));
        Ok(metrics)
    }

    /// Writes what a step told, and the evaluation after it if there was one. Before the first step there is no report.
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
        let row = Value::Object(row);
        // A line is written in one piece, so that whoever reads along sees whole ones.
        for ((path, file), line) in
            [(&mut self.jsonl, format!("{row}\n")), (&mut self.csv, csv_line(&self.columns, &row))]
        {
            file.write_all(line.as_bytes()).map_err(|e| FileError::io(path, "writing it", e))?;
        }
        self.draw(&row);
        Ok(())
    }

    /// Adds the losses of a row to the curves.
    fn draw(&mut self, row: &Value) {
        // JSON has no infinities: `null` stands for a loss that is not finite.
        let point = |name| Some((row["step"].as_u64()?, row.get(name)?.as_f64().unwrap_or(f64::NAN)));
        self.training.extend(point("loss"));
        self.validation.extend(point(self.validated));
    }
}

/// The shortest number that is the same in f32.
fn number(value: f32) -> Value {
    json!(value.to_string().parse::<f64>().unwrap_or(f64::NAN))
}

fn csv_line(columns: &[&str], row: &Value) -> String {
    let cell = |column: &&str| match &row[*column] {
        Value::Null => String::new(),
        value => value.to_string(),
    };
    format!("{}\n", columns.iter().map(cell).collect::<Vec<_>>().join(","))
}

/// A file with a text, open for more.
fn begun(path: PathBuf, text: &str) -> Result<(PathBuf, File), FileError> {
    write_unsynced(&path, |file| file.write_all(text.as_bytes()))?;
    let file = OpenOptions::new().append(true).open(&path);
    let file = file.map_err(|e| FileError::io(&path, "writing it", e))?;
    Ok((path, file))
}

/// The rows of a file that are of steps up to `step`; none if training starts anew. A line that was cut off is of a step that is taken
/// again.
fn kept(path: &Path, step: u64) -> Result<Vec<Value>, FileError> {
    if step == 0 || !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).map_err(|e| FileError::io(path, "reading it", e))?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let rows = whole.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    Ok(rows.filter(|row| row["step"].as_u64().is_some_and(|at| at <= step)).collect())
}
