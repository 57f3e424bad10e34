//! `rlx sample`: generates text with a model that `rlx train` trained.

use std::path::{Path, PathBuf};

use clap::builder::RangedU64ValueParser;
use rlx_ir::DType;
use rlx_ir::math::random::SplitMix64;
use rlx_runtime::{CompiledGraph, Device, Session};

use crate::failure::Failure;
use crate::output::Payload;
use crate::settings::Settings;
use crate::training::config::{Config, Model};
use crate::training::task;
use crate::training::trained::Trained;

/// Continue a text with a trained language model
///
/// The model is the result of `rlx train CONFIG` or, while training is still running, its last checkpoint. It sees as
/// many of the last bytes of the text as its context holds. The same seed gives the same text.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The configuration file that the model was trained with
    #[arg(value_name = "CONFIG")]
    config: PathBuf,

    /// The text to continue
    #[arg(value_name = "TEXT")]
    prompt: String,

    /// Use these parameters or this checkpoint instead of the result of the training run
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    /// Number of bytes to generate
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    bytes: usize,

    /// 0 always chooses the most likely byte, 1 draws from the model's own distribution
    #[arg(long, value_name = "T", default_value_t = 0.8)]
    temperature: f64,

    /// Choose only among the N most likely bytes
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=256))]
    top_k: Option<usize>,

    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

const EXAMPLES: &str = "\
Examples:
  rlx sample examples/training/text.toml \"It was \"
  rlx sample examples/training/text.toml \"It was \" --temperature 0 --bytes 100
  rlx sample examples/training/text.toml \"It was \" --top-k 20 --seed 7";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let config = Config::read(&args.config, None)?;
    let Model::Gpt(sizes) = &config.model else {
        return Err(Failure::usage(format!("{}: `model.kind` is not \"gpt\"", args.config.display())));
    };
    if args.prompt.is_empty() {
        return Err(Failure::usage("TEXT must not be empty: the model continues it"));
    }
    if !(args.temperature.is_finite() && args.temperature >= 0.0) {
        return Err(Failure::usage(format!(
            "--temperature {}: it must be a number that is not negative",
            args.temperature
        )));
    }
    let sizes = sizes.model();
    let (mut compiled, path) = compiled(&config, args.weights, settings)?;
    let choice = Choice { temperature: args.temperature, top: args.top_k.unwrap_or(sizes.vocab) };
    let mut random = SplitMix64::stream(args.seed, 0);
    let mut bytes = args.prompt.into_bytes();
    let mut out = Payload::open();
    out.add(&bytes).map_err(Failure::output)?;
    for _ in 0..args.bytes {
        let seen = &bytes[bytes.len().saturating_sub(sizes.context)..];
        // Attention is causal, so the padding after the text is not seen.
        let padded = seen.iter().copied().chain(std::iter::repeat(0)).take(sizes.context);
        let tokens = task::ids(padded.map(i32::from));
        compiled.run_kept(&[("tokens", &tokens, DType::I32)])?;
        let logits: &[f32] = bytemuck::cast_slice(compiled.output_bytes(0));
        let row = &logits[(seen.len() - 1) * sizes.vocab..][..sizes.vocab];
        if let Some(value) = row.iter().find(|logit| !logit.is_finite()) {
            return Err(not_finite(&compiled, &path, *value, bytes.len()));
        }
        let next = choice.make(row, &mut random);
        bytes.push(next);
        out.add(&[next]).map_err(Failure::output)?;
    }
    out.add(b"\n").map_err(Failure::output)
}

/// The error for logits that are not finite after this many bytes; it names the parameters that are not finite.
fn not_finite(compiled: &CompiledGraph, path: &Path, value: f32, bytes: usize) -> Failure {
    let is_broken = |name: &str| {
        let numbers = compiled.param(name).ok().flatten().unwrap_or_default();
        numbers.as_chunks().0.iter().any(|b| !f32::from_le_bytes(*b).is_finite())
    };
    let broken: Vec<String> = compiled
        .params()
        .map(|(name, _)| name)
        .filter(|name| is_broken(name))
        .take(3)
        .map(|name| format!("`{name}`"))
        .collect();
    let cause = match broken.join(", ") {
        names if names.is_empty() => "all parameters are finite, so intermediate values overflowed".into(),
        names => {
            format!("the parameters {names} are not finite: training diverged, or the file is damaged")
        }
    };
    Failure::Failed(format!("{}: logits are {value} at byte {bytes}: {cause}", path.display()).into())
}

/// The model with its trained parameters, and the file they come from.
fn compiled(
    config: &Config,
    weights: Option<PathBuf>,
    settings: &Settings,
) -> Result<(CompiledGraph, PathBuf), Failure> {
    let trained = match weights {
        Some(path) => Trained::open(path)?,
        None => Trained::find(config)?,
    };
    settings.say(|| format!("reading parameters from {}", trained.path.display()));
    let (graph, params) = trained.asked(&config.model)?;
    let mut compiled = Session::new(Device::Cpu).try_compile(graph)?;
    for (name, value) in params {
        compiled.try_set_param(&name, &value)?;
    }
    Ok((compiled, trained.path))
}

/// How to choose a byte from its logits.
struct Choice {
    temperature: f64,
    /// Number of most likely bytes to choose from.
    top: usize,
}

impl Choice {
    /// A byte drawn from softmax(logits / temperature), restricted to the most likely ones (Fan et al., 2018,
    /// <https://arxiv.org/abs/1805.04833>). Among equally likely bytes, the smaller one comes first.
    fn make(&self, logits: &[f32], random: &mut SplitMix64) -> u8 {
        let mut order: Vec<usize> = (0..logits.len()).collect();
        order.sort_by(|&a, &b| logits[b].total_cmp(&logits[a]));
        order.truncate(self.top.max(1));
        let best = order.first().copied().unwrap_or(0);
        if self.temperature == 0.0 {
            return best as u8;
        }
        let weight = |i: &usize| (f64::from(logits[*i] - logits[best]) / self.temperature).exp();
        let mut left = random.unit() * order.iter().map(weight).sum::<f64>();
        for byte in &order {
            left -= weight(byte);
            if left < 0.0 {
                return *byte as u8;
            }
        }
        best as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The share of each of four bytes in 20000 choices.
    fn shares(temperature: f64, top: usize) -> [f64; 4] {
        let logits = [0.0, 2.0, 1.0, -1.0];
        let mut random = SplitMix64::stream(3, 0);
        let mut counts = [0.0; 4];
        for _ in 0..20_000 {
            counts[usize::from(Choice { temperature, top }.make(&logits, &mut random))] += 1.0 / 20_000.0;
        }
        counts
    }

    #[test]
    fn bytes_are_chosen_as_often_as_their_probability_says() {
        // Softmax of the logits, of the halved logits, and of the two largest.
        let cases = [
            (1.0, 4, [0.0871, 0.6439, 0.2369, 0.0321]),
            (2.0, 4, [0.1673, 0.4549, 0.2763, 0.1015]),
            (1.0, 2, [0.0, 0.7311, 0.2689, 0.0]),
            (0.0, 4, [0.0, 1.0, 0.0, 0.0]),
            (1.0, 1, [0.0, 1.0, 0.0, 0.0]),
        ];
        for (temperature, top, expected) in cases {
            let got = shares(temperature, top);
            let apart = got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 0.012, "{temperature} {top}: {got:?}, expected {expected:?}");
        }
    }
}
