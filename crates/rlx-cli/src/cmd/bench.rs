//! `rlx bench`: times a model on full batches of one size, a graph, or a training step.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::builder::RangedU64ValueParser;
use rlx_runtime::PrecisionPolicy;
use serde_json::json;

use super::run::InputArgs;
use super::{bench_llm, bench_train, bench_update};
use crate::compute::Compute;
use crate::engine::llm::AdapterArgs;
use crate::engine::{self, GraphRun, Workload};
use crate::failure::Failure;
use crate::models::Takes;
use crate::settings::Settings;
use crate::{output, program, units};

/// Runs before measuring starts.
const WARM_UP: usize = 3;

/// The input sizes of a benchmark, and the device it runs on.
#[derive(clap::Args)]
pub struct WorkloadArgs {
    /// Texts in the batch, for models [default: 1]
    #[arg(long, value_name = "B", value_parser = RangedU64ValueParser::<usize>::new().range(1..=65536))]
    batch: Option<usize>,

    /// Tokens per text, for models [default: 128]
    #[arg(long, value_name = "S", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_048_576))]
    seq: Option<usize>,

    #[command(flatten)]
    inputs: InputArgs,

    #[command(flatten)]
    pub compute: Compute,
}

impl WorkloadArgs {
    /// The requested number of threads.
    pub fn threads(&self, settings: &Settings) -> Option<usize> {
        self.compute.threads.or(settings.threads)
    }

    /// Opens the graph or model with this name.
    pub fn open(self, name: &str, settings: &Settings) -> Result<Measured, Failure> {
        let WorkloadArgs { batch, seq, inputs, compute } = self;
        let compute = compute.on_device(settings);
        let path = Path::new(name);
        if program::is_graph(path) {
            if batch.is_some() || seq.is_some() {
                return Err(Failure::usage(format!(
                    "{name} is a graph: --batch and --seq are for models; --input and --dim say its sizes"
                )));
            }
            let mut values = inputs.read(path)?;
            values.fill = Some(0);
            let mut graph = GraphRun::open(path, &values, &compute)?;
            let flops = engine::recorded_flops(&mut graph)?;
            return Ok(Measured { workload: Box::new(graph), flops, size: None });
        }
        if !inputs.is_empty() {
            return Err(Failure::usage(format!(
                "{name} is a model: --input and --dim are for graphs; --batch and --seq say its sizes"
            )));
        }
        let (batch, seq) = (batch.unwrap_or(1), seq.unwrap_or(128));
        let (workload, flops) = engine::open_workload(
            &settings.model_path(name, Takes::ENCODER_OR_GRAPH)?,
            batch,
            seq,
            &compute,
        )?;
        Ok(Measured { workload, flops: Some(flops as f64), size: Some((batch, seq)) })
    }
}

/// A workload, and what is known about it.
pub struct Measured {
    pub workload: Box<dyn Workload>,
    /// Floating point operations per run, if known.
    flops: Option<f64>,
    /// The number of texts and the tokens per text, for a model.
    size: Option<(usize, usize)>,
}

/// Measure how long a model or a graph takes
///
/// Runs the encoder of a model on a full batch (no padding), or a graph as `rlx run` does, repeatedly after a few
/// warm-up runs. The time does not include tokenizing, loading or compiling. Inputs and parameters of a graph that
/// --input does not set are random.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What to measure: a model (a name or a folder), a graph (a .rlx or .mlir file, or `-` for standard input),
    /// `train` (a training step of a GPT with 14 million parameters on 8 × 128 tokens), `update` (the AdamW update of
    /// that step), or `llm` (a language model)
    #[arg(value_name = "minilm|DIR|GRAPH|train|update|llm")]
    model: String,

    /// With `llm`: the language model, a .gguf file or a folder [default: the small one built into rlx]
    #[arg(value_name = "MODEL")]
    language_model: Option<String>,

    /// With `llm`: number of prompt tokens to read at once
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1 << 20))]
    pp: usize,

    /// With `llm`: number of tokens to generate after them
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1 << 20))]
    tg: usize,

    /// With `llm`: number of tokens already in the cache, as in a long conversation
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = RangedU64ValueParser::<usize>::new().range(0..=1 << 20))]
    depth: usize,

    /// With `llm`: rounds to run; the median is reported
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    rounds: usize,

    #[command(flatten)]
    adapters: AdapterArgs,

    #[command(flatten)]
    workload: WorkloadArgs,

    /// Seconds to measure for; at least ten runs are always measured
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = RangedU64ValueParser::<u64>::new().range(0..=3600))]
    seconds: u64,

    /// With `train` and `update`: initial parameters, a safetensors file
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    /// With `train`: tokens to train on, int32 [examples, 8, 129] in a .npy file
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,

    /// With `train` and `update`: number of steps, regardless of the time they take
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    steps: Option<usize>,

    /// Print a JSON object with median_ms, p90_ms, p99_ms, gflops, peak_bytes, and what was measured
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  rlx bench minilm --batch 8 --seq 128 --threads 2
  rlx bench minilm --batch 32 --seq 128 --json
  rlx bench step.mlir --input batch.npy --device tpu
  rlx bench train --threads 2 --json
  rlx bench llm model.gguf --pp 512 --tg 128 --threads 2 --json

gflops is computed from the median time. It counts the matrix products of a model, or the steps of a graph if the device records them.
peak_bytes is the peak memory of this process.";

/// The times of repeated runs, in milliseconds.
pub struct Times {
    sorted: Vec<f64>,
}

impl Times {
    /// `times` must not be empty.
    pub fn new(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        Times { sorted: times }
    }

    /// The time that a share `q` of the runs does not exceed, interpolated linearly.
    ///
    /// NaN if there are no times.
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
    let threads = args.workload.threads(settings);
    if ["train", "update", "llm"].contains(&args.model.as_str())
        && args.workload.compute.precision != PrecisionPolicy::Declared
    {
        return Err(Failure::usage(format!(
            "--precision: `rlx bench {}` computes with the declared types",
            args.model
        )));
    }
    if args.model == "train" || args.model == "update" {
        let Args { seconds, json, weights, tokens, steps, .. } = args;
        let device = args.workload.compute.device;
        let options = bench_train::Options { threads, device, seconds, json, weights, tokens, steps };
        let is_step = args.model == "train";
        return if is_step { bench_train::run(&options) } else { bench_update::run(&options) };
    }
    if args.model == "llm" {
        let device = args.workload.compute.device;
        let adapters = args.adapters.sources(settings)?;
        let Args { language_model: model, pp, tg, depth, rounds, json, .. } = args;
        let options = bench_llm::Options { model, pp, tg, depth, threads, device, rounds, json, adapters };
        return bench_llm::run(&options, settings);
    }
    if let Some(extra) = args.language_model {
        return Err(Failure::usage(format!("{extra}: a second name is for `rlx bench llm`")));
    }
    let Measured { mut workload, flops, size } = args.workload.open(&args.model, settings)?;
    let times = measure(workload.as_mut(), Duration::from_secs(args.seconds))?;
    let runs = times.sorted.len();
    let (median, p90, p99) = (times.quantile(0.5), times.quantile(0.9), times.quantile(0.99));
    let gflops = flops.map(|flops| flops / (median * 1e6));
    let peak = peak_bytes();
    let text = if args.json {
        let (batch, seq) = size.unzip();
        let report = json!({
            "model": args.model, "batch": batch, "seq": seq, "threads": threads, "runs": runs,
            "median_ms": median, "p90_ms": p90, "p99_ms": p99, "gflops": gflops, "peak_bytes": peak,
        });
        format!("{report}\n")
    } else {
        let [median, p90, p99] =
            [median, p90, p99].map(|ms| units::duration(Duration::from_secs_f64(ms / 1e3)));
        let peak = peak.map_or("unknown".into(), |b| format!("{:.1} MB", b as f64 / 1e6));
        let size = size.map_or(String::new(), |(batch, seq)| format!(" batch {batch} × {seq} tokens"));
        let gflops =
            gflops.map_or(String::new(), |gflops| format!("{} GFLOP/s, ", units::three_digits(gflops)));
        format!(
            "{}{size}, {runs} runs\n  median {median}, 90 % {p90}, 99 % {p99}\n  \
             {gflops}peak memory {peak}\n",
            args.model
        )
    };
    output::report(args.json, &text)
}

/// A duration in milliseconds, as [`Times`] takes it.
pub fn milliseconds(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

/// Fails if this many runs took no time at all. A loop that waits for time to pass would never end.
pub fn check_clock(runs: usize, begin: Instant) -> Result<(), Failure> {
    const MANY: usize = 1000;
    if runs < MANY || !begin.elapsed().is_zero() {
        return Ok(());
    }
    Err(Failure::Failed("the clock of this machine does not advance, so nothing can be measured".into()))
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
        times.push(milliseconds(start.elapsed()));
        check_clock(times.len(), begin)?;
    }
    Ok(Times::new(times))
}

/// The peak memory of this process, if the system reports it.
pub fn peak_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// The current memory of this process, if the system reports it.
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
    fn quantiles_lie_between_neighbors() {
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
