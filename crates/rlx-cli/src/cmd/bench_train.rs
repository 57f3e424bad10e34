//! `rlx bench train`: time, memory and losses of training steps.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rlx_driver::{Device, DeviceId};
use rlx_ir::math::random::SplitMix64;
use rlx_ir::{DType, Graph};
use rlx_models::gpt::{self, GptConfig};
use rlx_models::npy;
use rlx_models::weights::Weights;
use rlx_runtime::CpuOptions;
use rlx_train::{Optimizer, TrainConfig, TrainingSession};
use serde_json::json;

use super::bench::{Times, check_clock, peak_bytes, resident_bytes};
use crate::engine::Workload;
use crate::failure::Failure;
use crate::output;
use crate::training::task::{drawn, ids};

/// The measured model: a GPT of 14 million parameters, trained on 8 × 128 tokens per step.
pub const MODEL: GptConfig =
    GptConfig { vocab: 8192, layers: 6, width: 384, heads: 12, intermediate: 1536, context: 128 };
pub const BATCH: usize = 8;
pub const OPTIMIZER: Optimizer = Optimizer::AdamW { b1: 0.9, b2: 0.95, eps: 1e-8, weight_decay: 0.1 };
pub const RATE: f32 = 3e-4;
/// Steps before measuring starts.
pub const WARM_UP: usize = 2;
const FEWEST: usize = 3;

/// What is measured, and on what.
pub struct Options {
    pub threads: Option<usize>,
    pub device: DeviceId,
    pub seconds: u64,
    pub json: bool,
    pub weights: Option<PathBuf>,
    pub tokens: Option<PathBuf>,
    pub steps: Option<usize>,
}

impl Options {
    /// A training run on this device that starts from random parameters.
    pub fn on(device: DeviceId, threads: Option<usize>) -> Options {
        Options { threads, device, seconds: 5, json: false, weights: None, tokens: None, steps: None }
    }
}

/// A training run that advances step by step.
pub struct Step {
    session: TrainingSession,
    tokens: Tokens,
    done: usize,
}

impl Step {
    pub fn new(options: &Options) -> Result<Step, Failure> {
        let graph = gpt::loss_graph(&MODEL, BATCH, MODEL.context)?;
        let tokens = tokens(options.tokens.as_ref())?;
        Ok(Step { session: session(&graph, options)?, tokens, done: 0 })
    }

    /// Takes the next step and returns its loss.
    fn take(&mut self) -> Result<f32, Failure> {
        let (inputs, targets) = batch(&self.tokens, self.done);
        self.done += 1;
        let inputs = [("tokens", inputs.as_slice(), DType::I32), ("targets", targets.as_slice(), DType::I32)];
        Ok(self.session.step_typed(&inputs)?.loss)
    }
}

impl Workload for Step {
    fn run(&mut self) -> Result<(), Failure> {
        self.take().map(drop)
    }
}

/// Token ids, `[examples, BATCH, context + 1]`.
struct Tokens {
    ids: Vec<i32>,
    examples: usize,
}

/// The times of steps. There are none if all steps were taken before measuring starts.
fn speed(median: Option<f64>, best: Option<f64>) -> String {
    match median.zip(best) {
        Some((median, best)) => format!("median {median:.0} ms, best {best:.0} ms"),
        None => format!("not measured: the first {WARM_UP} steps are not counted, and no step followed them"),
    }
}

pub fn run(options: &Options) -> Result<(), Failure> {
    let start = resident_bytes();
    let mut step = Step::new(options)?;
    let (mut losses, mut times) = (Vec::new(), Vec::new());
    let begin = Instant::now();
    let limit = Duration::from_secs(options.seconds);
    loop {
        let done = losses.len();
        let enough = match options.steps {
            Some(steps) => done >= steps,
            None => times.len() >= FEWEST && begin.elapsed() >= limit,
        };
        if enough {
            break;
        }
        let at = Instant::now();
        losses.push(step.take()?);
        if options.steps.is_none() {
            check_clock(losses.len(), begin)?;
        }
        if done >= WARM_UP {
            times.push(at.elapsed().as_secs_f64() * 1e3);
        }
    }
    let times = (!times.is_empty()).then(|| Times::new(times));
    let [median, best] = [0.5, 0.0].map(|q| times.as_ref().map(|times| times.quantile(q)));
    let peak = peak_bytes();
    let over = peak.zip(start).map(|(peak, start)| peak.saturating_sub(start));
    let text = if options.json {
        let report = json!({
            "model": "train", "device": options.device.to_string(), "threads": options.threads, "steps": losses.len(),
            "median_ms": median, "best_ms": best,
            "peak_bytes": peak, "peak_over_start_bytes": over, "program_bytes": step.session.memory_bytes(),
            "path": step.session.update_path().name(), "losses": losses,
        });
        format!("{report}\n")
    } else {
        let mib = |bytes: Option<u64>| {
            bytes.map_or("unknown".into(), |b| format!("{:.0} MiB", b as f64 / 1048576.0))
        };
        format!(
            "training step, {} steps\n  {}\n  peak memory {}, {} more than at the start\n  loss {:.4} to {:.4}\n",
            losses.len(),
            speed(median, best),
            mib(peak),
            mib(over),
            losses.first().unwrap_or(&f32::NAN),
            losses.last().unwrap_or(&f32::NAN)
        )
    };
    output::report(options.json, &text)
}

/// The initial parameters: the values in the file, or random ones.
pub fn starts(graph: &Graph, options: &Options) -> Result<HashMap<String, Vec<f32>>, Failure> {
    let Some(path) = &options.weights else {
        return Ok(drawn(graph, 0, |name, _| gpt::initial(name, &MODEL)));
    };
    let weights = Weights::open(path)?;
    let value = |name: &str| Ok((name.to_string(), weights.tensor(name)?.to_f32()?.into_owned()));
    graph.named_params().map(|(name, _)| value(name)).collect()
}

/// The kind of a device. It must be the first of its kind, which is the one that a training session uses.
fn first(device: DeviceId) -> Result<Device, Failure> {
    match device.ordinal {
        0 => Ok(device.device),
        _ => Err(Failure::usage(format!("--device {device}: training runs on the first device of a kind"))),
    }
}

fn session(graph: &Graph, options: &Options) -> Result<TrainingSession, Failure> {
    let values = starts(graph, options)?;
    let names: Vec<&str> = graph.named_params().map(|(name, _)| name).collect();
    let config = TrainConfig { lr: RATE, optimizer: OPTIMIZER };
    let session = TrainingSession::try_new_on(graph.clone(), &names, values, config, first(options.device)?)?;
    let session = session.with_fused_optimizer();
    Ok(match options.threads {
        Some(threads) => session.with_backend_options(CpuOptions::new().num_threads(threads)),
        None => session,
    })
}

fn tokens(path: Option<&PathBuf>) -> Result<Tokens, Failure> {
    let row = BATCH * (MODEL.context + 1);
    let Some(path) = path else {
        let mut random = SplitMix64::stream(1, 0);
        let ids = (0..4 * row).map(|_| random.below(MODEL.vocab) as i32).collect();
        return Ok(Tokens { ids, examples: 4 });
    };
    let array = npy::read(path)?;
    let expected = [BATCH, MODEL.context + 1];
    if array.dtype != DType::I32 || array.shape.len() != 3 || array.shape[1..] != expected {
        let problem = format!("{}: expected int32 tokens of shape [examples, 8, 129]", path.display());
        return Err(Failure::usage(problem));
    }
    let ids: Vec<i32> = array.bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b)).collect();
    let examples = ids.len() / row;
    if examples == 0 || ids.iter().any(|id| !(0..MODEL.vocab as i32).contains(id)) {
        return Err(Failure::usage(format!("{}: tokens must be 0 to {}", path.display(), MODEL.vocab - 1)));
    }
    Ok(Tokens { ids, examples })
}

/// The tokens of a step, and the token that follows each.
fn batch(tokens: &Tokens, step: usize) -> (Vec<u8>, Vec<u8>) {
    let length = MODEL.context + 1;
    let rows = &tokens.ids[step % tokens.examples * BATCH * length..][..BATCH * length];
    let part =
        |from: usize| ids(rows.chunks_exact(length).flat_map(|r| r[from..from + length - 1].iter().copied()));
    (part(0), part(1))
}
