//! `rlx profile`: shows where the time of a model, a graph or a training step goes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use rlx_models::files::write_atomically;
use rlx_runtime::profile::{Recording, Span};
use serde_json::json;

use super::bench::WorkloadArgs;
use super::bench_train;
use crate::engine::Workload;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::{output, units};

/// Warm-up runs, which are not recorded.
const WARM_UP: usize = 2;

/// Show where the time of a model, a graph or a training step goes
///
/// Runs the program a few times, then records one span per step. Prints how long each kind of step took, with the
/// operations and bytes per second computed from its shapes, and writes a trace for Perfetto (https://ui.perfetto.dev)
/// or chrome://tracing. Inputs and parameters of a graph that --input does not set are random.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What to profile: a model (a name or a folder), a graph (a .rlx or .mlir file, or `-` for standard input), or
    /// `train` (a training step of a GPT with 14 million parameters on 8 × 128 tokens)
    #[arg(value_name = "minilm|DIR|GRAPH|train")]
    model: String,

    #[command(flatten)]
    workload: WorkloadArgs,

    /// Number of runs to record
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    runs: usize,

    /// Number of kinds of steps to print, slowest first
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,

    /// File to write the trace to
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  rlx profile minilm --batch 8 --seq 128 --threads 1
  rlx profile step.mlir --input batch.npy
  rlx profile train --threads 2 --output trace.json";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let mut workload: Box<dyn Workload> = match args.model.as_str() {
        "train" => {
            let threads = args.workload.threads(settings);
            let options = bench_train::Options::on(args.workload.compute.device, threads);
            Box::new(bench_train::Step::new(&options)?)
        }
        name => args.workload.open(name, settings)?.workload,
    };
    for _ in 0..WARM_UP {
        workload.run()?;
    }
    let Some(recording) = Recording::start() else {
        return Err(Failure::Failed("another recording is already running in this process".into()));
    };
    for _ in 0..args.runs {
        workload.run()?;
    }
    let spans = recording.finish();
    if spans.is_empty() {
        return Err(Failure::Failed("the device does not record steps; use --device cpu".into()));
    }
    let mut text = table(&spans, args.runs, args.top);
    if let Some(path) = &args.output {
        let trace = serde_json::to_vec(&trace(&spans)).map_err(|e| Failure::Failed(e.to_string().into()))?;
        write_atomically(path, |file| file.write_all(&trace))?;
        text += &format!("trace of {} steps in {}\n", spans.len(), path.display());
    }
    output::print(&text)
}

/// Steps with the same op and shapes.
#[derive(Default)]
struct Kind {
    count: usize,
    took: Duration,
    flops: f64,
    bytes: f64,
}

/// One line per kind of step, per run.
fn table(spans: &[Span], runs: usize, top: usize) -> String {
    let mut kinds: HashMap<(&str, &str), Kind> = HashMap::new();
    for span in spans {
        let kind = kinds.entry((&span.op, &span.shapes)).or_default();
        kind.count += 1;
        kind.took += span.took;
        kind.flops += span.counts.flops;
        kind.bytes += span.counts.bytes;
    }
    let total: Duration = kinds.values().map(|k| k.took).sum();
    let flops: f64 = kinds.values().map(|k| k.flops).sum();
    let seconds = total.as_secs_f64().max(f64::MIN_POSITIVE);
    let mut out = format!(
        "{:.3} ms per run in {} steps, {} GFLOP/s\n\n{:>9} {:>6} {:>5} {:>8} {:>7}  step\n",
        seconds * 1e3 / runs as f64,
        spans.len() / runs,
        units::three_digits(flops / seconds / 1e9),
        "ms",
        "%",
        "×",
        "GFLOP/s",
        "GB/s"
    );
    let mut sorted: Vec<_> = kinds.into_iter().collect();
    sorted.sort_by_key(|(name, kind)| (std::cmp::Reverse(kind.took), *name));
    for ((op, shapes), kind) in sorted.iter().take(top) {
        let own = kind.took.as_secs_f64().max(f64::MIN_POSITIVE);
        out += &format!(
            "{:>9.3} {:>6.1} {:>5} {:>8.1} {:>7.1}  {op} {shapes}\n",
            own * 1e3 / runs as f64,
            100.0 * own / seconds,
            kind.count / runs,
            kind.flops / own / 1e9,
            kind.bytes / own / 1e9,
        );
    }
    out
}

/// The spans in the trace event format: complete events, in microseconds.
fn trace(spans: &[Span]) -> serde_json::Value {
    let event = |span: &Span| {
        let seconds = span.took.as_secs_f64().max(1e-9);
        let path =
            if span.label.is_empty() { span.op.clone() } else { format!("{} ({})", span.op, span.label) };
        json!({
            "name": path, "cat": span.op, "ph": "X", "pid": 1, "tid": 1,
            "ts": span.start.as_secs_f64() * 1e6, "dur": span.took.as_secs_f64() * 1e6,
            "args": {
                "shapes": span.shapes, "flops": span.counts.flops, "bytes": span.counts.bytes,
                "GFLOP/s": span.counts.flops / seconds / 1e9, "GB/s": span.counts.bytes / seconds / 1e9,
            },
        })
    };
    json!({ "displayTimeUnit": "ms", "traceEvents": spans.iter().map(event).collect::<Vec<_>>() })
}
