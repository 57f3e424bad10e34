//! `rlx bench`: how long a model takes on a batch of one size, or a training step.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::builder::RangedU64ValueParser;
use serde_json::json;

use super::{bench_train, bench_update};
use crate::compute::Compute;
use crate::engine::{self, Workload};
use crate::failure::Failure;
use crate::settings::Settings;

/// Runs before measuring begins.
const WARM_UP: usize = 3;

/// The batch that a model is measured on, and where.
#[derive(clap::Args)]
pub struct BatchArgs {
    /// Texts in the batch
    #[arg(long, value_name = "B", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=65536))]
    pub batch: usize,

    /// Tokens in each text
    #[arg(long, value_name = "S", default_value_t = 128, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_048_576))]
    pub seq: usize,

    #[command(flatten)]
    pub compute: Compute,
}

/// Measure how long a model takes on a batch of one size
///
/// Runs the encoder on a full batch (no padding) again and again, after a few runs that are not counted. Tokenizing,
/// loading and compiling are not part of the time.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a name, or the folder it lies in; or `train`, a step of a GPT of 14 million parameters on 8 × 128 tokens; or `update`, what
    /// AdamW takes of that step
    #[arg(value_name = "minilm|DIR|train|update")]
    model: String,

    #[command(flatten)]
    batch: BatchArgs,

    /// Seconds to measure for; at least ten runs are measured however long they take
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = RangedU64ValueParser::<u64>::new().range(0..=3600))]
    seconds: u64,

    /// With `train` and `update`: start from the parameters in this safetensors file
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    /// With `train`: learn these tokens, int32 [examples, 8, 129] in an .npy file
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,

    /// With `train` and `update`: take so many steps, however long they take
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    steps: Option<usize>,

    /// Print one JSON object with median_ms, p90_ms, p99_ms, gflops, peak_bytes, and what was measured
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rlx bench minilm --batch 8 --seq 128 --threads 2
  rlx bench minilm --batch 32 --seq 128 --json
  rlx bench train --threads 2 --json

gflops counts the matrix products at the median time; peak_bytes is the most memory that this process has had.";

/// Times of equal runs, in milliseconds.
pub struct Times {
    sorted: Vec<f64>,
}

impl Times {
    /// Needs at least one time.
    pub fn new(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Times { sorted: times }
    }

    /// The time that the share `q` of the runs does not exceed, between neighbours by a straight line.
    pub fn quantile(&self, q: f64) -> f64 {
        let last = self.sorted.len().saturating_sub(1);
        let at = q.clamp(0.0, 1.0) * last as f64;
        let (low, high) = (at.floor() as usize, at.ceil() as usize);
        match (self.sorted.get(low), self.sorted.get(high)) {
            (Some(a), Some(b)) => a + (b - a) * at.fract(),
            _ => f64::NAN,
        }
    }
}

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let BatchArgs { batch, seq, compute } = &args.batch;
    let threads = compute.threads.or(settings.env.num_threads);
    if args.model == "train" || args.model == "update" {
        let Args { seconds, json, weights, tokens, steps, .. } = args;
        let options = bench_train::Options { threads, seconds, json, weights, tokens, steps };
        let is_step = args.model == "train";
        return if is_step { bench_train::run(&options) } else { bench_update::run(&options) };
    }
    let dir = settings.model(&args.model)?;
    let (mut workload, flops) = engine::open_workload(&dir, *batch, *seq, compute)?;
    let times = measure(workload.as_mut(), Duration::from_secs(args.seconds))?;
    let runs = times.sorted.len();
    let (median, p90, p99) = (times.quantile(0.5), times.quantile(0.9), times.quantile(0.99));
    let gflops = flops as f64 / (median * 1e6);
    let peak = peak_bytes();
    let text = if args.json {
        let report = json!({
            "model": args.model, "batch": batch, "seq": seq, "threads": threads, "runs": runs,
            "median_ms": median, "p90_ms": p90, "p99_ms": p99, "gflops": gflops, "peak_bytes": peak,
        });
        format!("{report}\n")
    } else {
        let peak = peak.map_or("unknown".into(), |b| format!("{:.1} MB", b as f64 / 1e6));
        format!(
            "{} batch {batch} × {seq} tokens, {runs} runs\n  median {median:.3} ms, 90 % {p90:.3} ms, 99 % {p99:.3} ms\n  \
             {gflops:.1} GFLOP/s, most memory {peak}\n",
            args.model
        )
    };
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::output)
}

fn measure(workload: &mut dyn Workload, limit: Duration) -> Result<Times, Failure> {
    const FEWEST: usize = 10;
    for _ in 0..WARM_UP {
        workload.run()?;
    }
    let begin = Instant::now();
    let mut times = Vec::new();
    while times.len() < FEWEST || begin.elapsed() < limit {
        let start = Instant::now();
        workload.run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(Times::new(times))
}

/// The most memory that this process has had, where the system says.
pub fn peak_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// The memory that this process has now, where the system says.
pub fn resident_bytes() -> Option<u64> {
    status_bytes("VmRSS:")
}

fn status_bytes(key: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix(key))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kb| kb * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_neighbours() {
        let times = Times::new(vec![4.0, 1.0, 3.0, 2.0]);
        assert_eq!((times.quantile(0.0), times.quantile(0.5), times.quantile(1.0)), (1.0, 2.5, 4.0));
        assert!((times.quantile(0.9) - 3.7).abs() < 1e-12);
        assert_eq!(Times::new(vec![7.0]).quantile(0.99), 7.0);
    }

    #[test]
    fn a_slow_workload_is_still_measured_ten_times() {
        struct Counter(usize);
        impl Workload for Counter {
            fn run(&mut self) -> Result<(), Failure> {
                self.0 += 1;
                Ok(())
            }
        }
        let mut counter = Counter(0);
        assert_eq!(measure(&mut counter, Duration::ZERO).unwrap().sorted.len(), 10);
        assert_eq!(counter.0, 10 + WARM_UP);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_peak_is_known_on_linux() {
        assert!(peak_bytes().unwrap() > 100_000);
    }
}
