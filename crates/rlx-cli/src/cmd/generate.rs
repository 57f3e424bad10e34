//! `rlx generate`: a language model goes on with a text, or answers a message.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use clap::builder::RangedU64ValueParser;
use rlx_chat::{Conversation, Json};
use rlx_llm::generate::{FinishReason, GenerateOptions, Generated, Piece, SamplerKind, Sampling};
use serde_json::{Value, json};

use crate::engine::llm::{LlmOptions, chat_tokens, text_tokens};
use crate::failure::Failure;
use crate::settings::Settings;
use crate::{signals, units};

/// Go on with a text, or answer a message, by a language model
///
/// The text is printed as it is generated. Ctrl-C ends it, and what there is is kept.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a .gguf file, or a folder with config.json, safetensors and tokenizer.json
    #[arg(value_name = "MODEL")]
    model: String,

    /// The text to go on with; with --chat, the message to answer
    #[arg(short, long, value_name = "TEXT")]
    prompt: String,

    /// Tokens to generate [default: until the model ends, or the context is full]
    #[arg(short = 'n', long, value_name = "N")]
    tokens: Option<usize>,

    /// Put the prompt into the model's chat template, as a message of the user
    #[arg(long)]
    chat: bool,

    /// With --chat: the message of the system
    #[arg(long, value_name = "TEXT", requires = "chat")]
    system: Option<String>,

    /// With --chat: further variables of the template, a JSON object
    #[arg(long, value_name = "JSON", requires = "chat")]
    template_variables: Option<String>,

    #[command(flatten)]
    sampling: SamplingArgs,

    /// A text that ends the answer; may be given again
    #[arg(long, value_name = "TEXT")]
    stop: Vec<String>,

    /// Go on where the model would end
    #[arg(long)]
    ignore_end: bool,

    /// Print one JSON object when all is done: text, tokens, why it ends, how many tokens and how long
    #[arg(long)]
    json: bool,

    /// With --json: the probability of each token, and of so many of the most likely ones in its place
    #[arg(long, value_name = "N", requires = "json")]
    logprobs: Option<usize>,

    #[command(flatten)]
    model_options: ModelArgs,
}

/// How the model is opened.
#[derive(clap::Args)]
pub struct ModelArgs {
    /// Tokens that prompt and answer may have together [default: what the model was made for, at most 4096]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(2..=1 << 24))]
    pub context: Option<usize>,

    /// Threads to use [default: RLX_NUM_THREADS, else one for each core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub threads: Option<usize>,
}

impl ModelArgs {
    /// These options, with what the environment says.
    pub fn options(&self, settings: &Settings) -> LlmOptions {
        LlmOptions { context: self.context, threads: self.threads.or(settings.env.num_threads), cache: None }
    }
}

/// How tokens are chosen.
#[derive(clap::Args)]
struct SamplingArgs {
    /// What logits are divided by; 0 for the most likely token
    #[arg(long, value_name = "T", default_value_t = Sampling::default().temperature)]
    temp: f64,

    /// How many tokens are considered; 0 for all
    #[arg(long, value_name = "N", default_value_t = Sampling::default().top_k)]
    top_k: usize,

    /// Consider the most likely tokens that have this probability together
    #[arg(long, value_name = "P", default_value_t = Sampling::default().top_p)]
    top_p: f64,

    /// Consider tokens with this share of the largest probability
    #[arg(long, value_name = "P", default_value_t = Sampling::default().min_p)]
    min_p: f64,

    /// Consider tokens that are about as surprising as the average, up to this probability together
    #[arg(long, value_name = "P", default_value_t = Sampling::default().typical_p)]
    typical_p: f64,

    /// What logits of tokens that were there are divided by
    #[arg(long, value_name = "X", default_value_t = Sampling::default().repetition_penalty)]
    repetition_penalty: f64,

    /// What is taken from a logit for each time that the token was there
    #[arg(long, value_name = "X", default_value_t = Sampling::default().frequency_penalty, allow_hyphen_values = true)]
    frequency_penalty: f64,

    /// What is taken from a logit if the token was there
    #[arg(long, value_name = "X", default_value_t = Sampling::default().presence_penalty, allow_hyphen_values = true)]
    presence_penalty: f64,

    /// How many of the last tokens the penalties count
    #[arg(long, value_name = "N", default_value_t = Sampling::default().penalty_window)]
    penalty_window: usize,

    /// What is added to the logit of a token, as ID=X; may be given again
    #[arg(long, value_name = "ID=X", value_parser = bias)]
    logit_bias: Vec<(u32, f32)>,

    /// The same seed draws the same tokens
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The samplers in the order in which they run, with commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = sampler)]
    samplers: Option<Vec<SamplerKind>>,
}

fn bias(text: &str) -> Result<(u32, f32), String> {
    let parts = text.split_once('=').and_then(|(id, x)| Some((id.parse().ok()?, x.parse().ok()?)));
    parts.ok_or_else(|| "expected ID=X, as 42=-1.5".into())
}

fn sampler(name: &str) -> Result<SamplerKind, String> {
    let known = || SamplerKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    SamplerKind::named(name).ok_or_else(|| format!("known samplers are {}", known()))
}

impl SamplingArgs {
    fn sampling(self) -> Sampling {
        Sampling {
            temperature: self.temp,
            top_k: self.top_k,
            top_p: self.top_p,
            min_p: self.min_p,
            typical_p: self.typical_p,
            repetition_penalty: self.repetition_penalty,
            frequency_penalty: self.frequency_penalty,
            presence_penalty: self.presence_penalty,
            penalty_window: self.penalty_window,
            bias: self.logit_bias,
            seed: self.seed,
            order: self.samplers.unwrap_or_else(|| SamplerKind::ALL.to_vec()),
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  rlx generate model.gguf -p \"Once upon a time\" -n 100
  rlx generate ./qwen3 --chat -p \"What is a tensor?\" --temp 0
  rlx generate model.gguf -p \"1, 2, 3,\" -n 20 --temp 0 --json --logprobs 3

Samplers run in this order, which --samplers changes: bias, penalties, top_k, typical, top_p, min_p, temperature.";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let path = settings.language_model(&args.model)?;
    let mut generator = args.model_options.options(settings).generator(&path)?;
    let conversation = if args.chat { Some(conversation(&args)?) } else { None };
    let prompt = match conversation {
        Some(conversation) => chat_tokens(&path, generator.tokenizer(), &conversation)?,
        None => text_tokens(generator.tokenizer(), &args.prompt, true)?,
    };
    settings.say(|| format!("{} tokens in the prompt", prompt.len()));
    let options = GenerateOptions {
        max_tokens: args.tokens,
        sampling: args.sampling.sampling(),
        stop: args.stop,
        ignore_ends: args.ignore_end,
        logprobs: args.logprobs,
        ..GenerateOptions::default()
    };
    let stop = signals::interrupted()?;
    let mut out = io::stdout().lock();
    let mut broken = None;
    let generated = generator.generate(&prompt, &options, &mut |piece| {
        if let (Piece::Text(text), false) = (piece, args.json)
            && let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush())
        {
            broken = Some(error);
            return ControlFlow::Break(());
        }
        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    if let Some(error) = broken {
        return Err(Failure::output(error));
    }
    let end = if args.json { report(&generated, prompt.len()).to_string() } else { String::new() };
    writeln!(out, "{end}").map_err(Failure::output)?;
    settings.say(|| speed(&generated, prompt.len()));
    Ok(())
}

fn conversation(args: &Args) -> Result<Conversation, Failure> {
    let mut conversation = Conversation::ask(&args.prompt);
    if let Some(system) = &args.system {
        let fields = [("role", "system"), ("content", system.as_str())];
        let fields = fields.map(|(key, value)| (key.to_string(), Json::from(value)));
        conversation.messages.insert(0, Json::Object(fields.to_vec()));
    }
    if let Some(text) = &args.template_variables {
        match Json::parse(text) {
            Ok(Json::Object(variables)) => conversation.variables = variables,
            _ => return Err(Failure::usage("--template-variables is no JSON object")),
        }
    }
    Ok(conversation)
}

fn report(generated: &Generated, prompt: usize) -> Value {
    let (finish, stop) = match &generated.finish {
        FinishReason::End => ("end", None),
        FinishReason::Stop(text) => ("stop", Some(text)),
        FinishReason::Length => ("length", None),
        FinishReason::Cancelled => ("cancelled", None),
    };
    let logprobs: Vec<Value> = generated
        .logprobs
        .iter()
        .zip(&generated.tokens)
        // What cannot be has no logarithm that JSON could write.
        .map(|(p, id)| json!({"id": id, "logprob": p.logprob.is_finite().then_some(p.logprob), "top": p.top}))
        .collect();
    let [prefill, decode] = generated.times.map(|time| time.as_secs_f64() * 1e3);
    let mut report = json!({
        "text": generated.text, "tokens": generated.tokens, "finish": finish, "stop": stop,
        "prompt_tokens": prompt, "cached_tokens": generated.cached, "prompt_ms": prefill, "generate_ms": decode,
    });
    if !logprobs.is_empty() {
        report["logprobs"] = logprobs.into();
    }
    report
}

fn speed(generated: &Generated, prompt: usize) -> String {
    let rate =
        |tokens: usize, seconds: f64| units::three_digits(tokens as f64 / seconds.max(f64::MIN_POSITIVE));
    let [prefill, decode] = generated.times.map(|time| time.as_secs_f64());
    format!(
        "{} tokens of the prompt at {}/s, {} tokens at {}/s",
        prompt - generated.cached,
        rate(prompt - generated.cached, prefill),
        generated.tokens.len(),
        rate(generated.tokens.len(), decode)
    )
}
