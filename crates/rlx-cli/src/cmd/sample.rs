//! `rlx sample`: text from a language model that `rlx train` made.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use rlx_ir::{DType, Op};
use rlx_models::gpt;
use rlx_models::weights::Weights;
use rlx_runtime::{Device, Session};
use rlx_train::Random;

use crate::failure::Failure;
use crate::settings::Settings;
use crate::training::config::{Config, Model};
use crate::training::{task, text};

/// Let a trained language model go on with a text
///
/// The model is the one that `rlx train CONFIG` left. It sees the last bytes of the text, as many as its context has.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The configuration that the model was trained with
    #[arg(value_name = "CONFIG")]
    config: PathBuf,

    /// What the text begins with
    #[arg(value_name = "TEXT")]
    prompt: String,

    /// Bytes to add
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    bytes: usize,

    /// 0 for the likeliest byte each time, 1 for the model's own distribution
    #[arg(long, value_name = "T", default_value_t = 0.8)]
    temperature: f64,

    /// The seed of the choice
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

const EXAMPLES: &str = "\
Examples:
  rlx sample examples/training/text.toml \"It was \"
  rlx sample examples/training/text.toml \"It was \" --temperature 0 --bytes 100";

pub fn run(args: Args, _: &Settings) -> Result<(), Failure> {
    let config = Config::read(&args.config)?;
    if !matches!(config.file.model, Model::Gpt { .. }) {
        return Err(Failure::usage(format!("{}: `model.kind` is not \"gpt\"", args.config.display())));
    }
    if args.prompt.is_empty() || !(args.temperature.is_finite() && args.temperature >= 0.0) {
        return Err(Failure::usage("TEXT must not be empty, and the temperature not negative"));
    }
    let sizes = text::sizes(&config.file.model);
    let graph = gpt::logits_graph(&sizes, sizes.context)?;
    let weights = Weights::open(&config.beside(&config.file.run.dir).join("model.safetensors"))?;
    let mut compiled = Session::new(Device::Cpu).try_compile(graph.clone())?;
    for node in graph.params() {
        if let Op::Param { name } = node.op() {
            compiled.try_set_param(name, &weights.tensor(name)?.to_f32()?)?;
        }
    }
    let mut random = Random::new(args.seed, 0);
    let mut bytes = args.prompt.into_bytes();
    let mut out = io::stdout().lock();
    out.write_all(&bytes).map_err(Failure::output)?;
    for _ in 0..args.bytes {
        let seen = &bytes[bytes.len().saturating_sub(sizes.context)..];
        // What follows the text is not seen: attention is causal.
        let padded = seen.iter().copied().chain(std::iter::repeat(0)).take(sizes.context);
        let tokens = task::ids(padded.map(i32::from));
        compiled.run_kept(&[("tokens", &tokens, DType::I32)])?;
        let logits: &[f32] = bytemuck::cast_slice(compiled.output_bytes(0));
        let row = &logits[(seen.len() - 1) * sizes.vocab..][..sizes.vocab];
        let next = choose(row, args.temperature, &mut random);
        bytes.push(next);
        out.write_all(&[next]).and_then(|()| out.flush()).map_err(Failure::output)?;
    }
    out.write_all(b"\n").map_err(Failure::output)
}

/// A byte drawn from softmax(logits / temperature).
fn choose(logits: &[f32], temperature: f64, random: &mut Random) -> u8 {
    let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap_or(0);
    if temperature == 0.0 {
        return best as u8;
    }
    let weight = |l: &f32| (f64::from(l - logits[best]) / temperature).exp();
    let mut left = random.uniform() * logits.iter().map(weight).sum::<f64>();
    for (byte, logit) in logits.iter().enumerate() {
        left -= weight(logit);
        if left < 0.0 {
            return byte as u8;
        }
    }
    best as u8
}
