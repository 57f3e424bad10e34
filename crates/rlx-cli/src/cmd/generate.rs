//! `rlx generate`: continues a text or answers a message with a language model.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use clap::builder::RangedU64ValueParser;
use rlx_chat::{Conversation, Json};
use rlx_driver::{Device, DeviceId};
use rlx_llm::CacheType;
use rlx_llm::generate::{FinishReason, GenerateOptions, Generated, Generator, Piece, SamplerKind, Sampling};
use rlx_tokenizer::Tokenizer;
use serde_json::{Value, json};

use crate::engine::llm::{AdapterArgs, LlmOptions, chat_tokens, text_tokens};
use crate::failure::{Failure, message};
use crate::output::Payload;
use crate::settings::Settings;
use crate::{signals, stdin, units};

/// Continue a text, or answer a message, with a language model
///
/// A single answer is printed as it is generated. With several prompts, answers are printed when all prompts of their
/// batch are done. Ctrl-C stops generating; the text generated so far is kept.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a .gguf file, a folder with config.json, safetensors and tokenizer.json, or a name on the hub
    /// [default: `tiny`, a small model built into rlx]
    #[arg(value_name = "MODEL")]
    model: Option<String>,

    /// The text to continue; with --chat, the message to answer. Can be repeated: several prompts are answered in
    /// parallel. Without this option, the prompt is read from standard input if something is piped to it, without the
    /// final line break
    #[arg(short, long, value_name = "TEXT")]
    prompt: Vec<String>,

    /// A file with more prompts, one JSON string per line; `-` is standard input
    #[arg(long, value_name = "FILE|-")]
    prompts: Option<PathBuf>,

    /// Number of prompts to answer in parallel
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    batch: usize,

    /// Number of tokens to generate [default: until the model ends the text or the context is full]
    #[arg(short = 'n', long, value_name = "N")]
    tokens: Option<usize>,

    /// Format the prompt with the model's chat template, as a user message
    #[arg(long)]
    chat: bool,

    /// With --chat: the system message
    #[arg(long, value_name = "TEXT", requires = "chat")]
    system: Option<String>,

    /// With --chat: additional template variables, as a JSON object
    #[arg(long, value_name = "JSON", requires = "chat")]
    template_variables: Option<String>,

    #[command(flatten)]
    sampling: SamplingArgs,

    /// Stop generating at this text; can be repeated
    #[arg(long, value_name = "TEXT")]
    stop: Vec<String>,

    /// Continue when the model would end the text
    #[arg(long)]
    ignore_end: bool,

    /// Print a JSON object for each answered prompt: text, tokens, why it ended, token counts and times
    #[arg(long)]
    json: bool,

    /// With --json: add the probability of each token, and of the N most likely tokens at its position
    #[arg(long, value_name = "N", requires = "json")]
    logprobs: Option<usize>,

    /// Save the model's state after the prompt to this file, and start from the state in it if it exists; a file from
    /// another model is an error
    #[arg(long, value_name = "FILE", conflicts_with = "prompts")]
    prompt_cache: Option<PathBuf>,

    #[command(flatten)]
    model_options: ModelArgs,
}

/// Options for opening the model.
#[derive(clap::Args)]
pub struct ModelArgs {
    /// Maximum tokens of prompt and answer together [default: what the model was made for, at most 4096]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(2..=1 << 24))]
    pub context: Option<usize>,

    /// Threads to use [default: RLX_NUM_THREADS, or one per core]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub threads: Option<usize>,

    /// The device to use, or two devices of which the second runs what the first does not (`tpu,cpu`); `rlx devices`
    /// lists them
    #[arg(long, value_name = "NAME", default_value_t = Device::Cpu.into())]
    pub device: DeviceId,

    /// The element type of the cache: f32, f16, bf16 or q8_0 [default: f32]
    #[arg(long, value_name = "TYPE", value_parser = cache_type)]
    pub cache_type: Option<CacheType>,

    #[command(flatten)]
    adapters: AdapterArgs,
}

fn cache_type(name: &str) -> Result<CacheType, String> {
    let known = || CacheType::ALL.map(CacheType::name).join(", ");
    CacheType::named(name).ok_or_else(|| format!("known types are {}", known()))
}

impl ModelArgs {
    /// These options, combined with the environment.
    pub fn options(&self, settings: &Settings) -> Result<LlmOptions, Failure> {
        Ok(LlmOptions {
            context: self.context,
            threads: self.threads.or(settings.threads),
            device: self.device,
            cache: self.cache_type,
            adapters: self.adapters.sources(settings)?,
            quiet: settings.quiet,
            notes: !settings.quiet,
            ..LlmOptions::default()
        })
    }
}

/// How tokens are chosen.
#[derive(clap::Args)]
struct SamplingArgs {
    /// Divide logits by this; 0 always chooses the most likely token
    #[arg(long, value_name = "T", default_value_t = Sampling::default().temperature)]
    temp: f64,

    /// Consider the N most likely tokens; 0 considers all
    #[arg(long, value_name = "N", default_value_t = Sampling::default().top_k)]
    top_k: usize,

    /// Consider the most likely tokens that reach this probability together
    #[arg(long, value_name = "P", default_value_t = Sampling::default().top_p)]
    top_p: f64,

    /// Consider tokens with at least this fraction of the largest probability
    #[arg(long, value_name = "P", default_value_t = Sampling::default().min_p)]
    min_p: f64,

    /// Consider tokens that are about as surprising as the average, until they reach this probability together
    #[arg(long, value_name = "P", default_value_t = Sampling::default().typical_p)]
    typical_p: f64,

    /// Divide the logits of tokens that occurred before by this
    #[arg(long, value_name = "X", default_value_t = Sampling::default().repetition_penalty)]
    repetition_penalty: f64,

    /// Subtract this from a token's logit for each time that it occurred before
    #[arg(long, value_name = "X", default_value_t = Sampling::default().frequency_penalty, allow_hyphen_values = true)]
    frequency_penalty: f64,

    /// Subtract this from a token's logit if it occurred before
    #[arg(long, value_name = "X", default_value_t = Sampling::default().presence_penalty, allow_hyphen_values = true)]
    presence_penalty: f64,

    /// Number of recent tokens that the penalties count
    #[arg(long, value_name = "N", default_value_t = Sampling::default().penalty_window)]
    penalty_window: usize,

    /// Scale of the DRY penalty on tokens that would continue a repetition; 0 turns it off
    #[arg(long, value_name = "X", default_value_t = Sampling::default().dry_multiplier)]
    dry_multiplier: f64,

    /// Factor by which the DRY penalty grows with each token of the repetition
    #[arg(long, value_name = "X", default_value_t = Sampling::default().dry_base)]
    dry_base: f64,

    /// Repetitions shorter than this many tokens are not penalized
    #[arg(long, value_name = "N", default_value_t = Sampling::default().dry_allowed_length)]
    dry_allowed_length: usize,

    /// Number of recent tokens that DRY looks at; 0 looks at all
    #[arg(long, value_name = "N", default_value_t = Sampling::default().dry_window)]
    dry_window: usize,

    /// A text that repetitions do not extend across; it covers all tokens that contain it. Can be repeated [default: a
    /// new line, `:`, `"` and `*`]
    #[arg(long, value_name = "TEXT")]
    dry_breaker: Vec<String>,

    /// Consider tokens whose logit is at most this many standard deviations below the largest; 0 considers all
    #[arg(long, value_name = "N", default_value_t = Sampling::default().top_n_sigma)]
    top_n_sigma: f64,

    /// Probability of dropping all likely tokens except the least likely of them; 0 turns it off
    #[arg(long, value_name = "P", default_value_t = Sampling::default().xtc_probability)]
    xtc_probability: f64,

    /// Tokens with at least this probability count as likely for XTC
    #[arg(long, value_name = "P", default_value_t = Sampling::default().xtc_threshold)]
    xtc_threshold: f64,

    /// Target surprise in bits per token for Mirostat; 0 turns it off
    #[arg(long, value_name = "X", default_value_t = Sampling::default().mirostat_tau)]
    mirostat_tau: f64,

    /// Learning rate of Mirostat
    #[arg(long, value_name = "X", default_value_t = Sampling::default().mirostat_eta)]
    mirostat_eta: f64,

    /// Add X to the logit of token ID; can be repeated
    #[arg(long, value_name = "ID=X", value_parser = bias)]
    logit_bias: Vec<(u32, f32)>,

    /// Random seed; the same seed draws the same tokens
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// The samplers to run, in order, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = sampler)]
    samplers: Option<Vec<SamplerKind>>,
}

/// A setting out of range, reported under the name of its option.
fn wrong_setting(problem: String) -> Failure {
    let option = |name: &str| match name {
        "temperature" => "--temp".into(),
        other => format!("--{}", other.replace('_', "-")),
    };
    Failure::usage(match problem.split_once(" = ") {
        Some((name, rest)) => format!("{} {rest}", option(name)),
        None => problem,
    })
}

fn bias(text: &str) -> Result<(u32, f32), String> {
    let parts = text.split_once('=').and_then(|(id, x)| Some((id.parse().ok()?, x.parse().ok()?)));
    let (id, x): (u32, f32) = parts.ok_or("expected ID=X, such as 42=-1.5")?;
    if x.is_nan() {
        return Err("the bias is NaN; give a number, or -inf to forbid the token".into());
    }
    Ok((id, x))
}

fn sampler(name: &str) -> Result<SamplerKind, String> {
    let known = || SamplerKind::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    SamplerKind::named(name).ok_or_else(|| format!("known samplers are {}", known()))
}

impl SamplingArgs {
    fn sampling(self, tokenizer: &Tokenizer) -> Result<Sampling, Failure> {
        let breakers = match self.dry_breaker.is_empty() {
            true => BREAKERS.map(String::from).to_vec(),
            false => self.dry_breaker,
        };
        let dry_breakers =
            if self.dry_multiplier > 0.0 { tokens_with(tokenizer, &breakers)? } else { Vec::new() };
        Ok(Sampling {
            dry_multiplier: self.dry_multiplier,
            dry_base: self.dry_base,
            dry_allowed_length: self.dry_allowed_length,
            dry_window: self.dry_window,
            dry_breakers,
            top_n_sigma: self.top_n_sigma,
            xtc_probability: self.xtc_probability,
            xtc_threshold: self.xtc_threshold,
            mirostat_tau: self.mirostat_tau,
            mirostat_eta: self.mirostat_eta,
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
        })
    }
}

/// Texts that repetitions do not extend across.
const BREAKERS: [&str; 4] = ["\n", ":", "\"", "*"];

/// The tokens whose text contains one of these parts.
fn tokens_with(tokenizer: &Tokenizer, parts: &[String]) -> Result<Vec<u32>, Failure> {
    let mut found = Vec::new();
    for id in 0..tokenizer.len() as u32 {
        let text = tokenizer.decode(&[id], true)?;
        let text = String::from_utf8_lossy(&text);
        if parts.iter().any(|part| text.contains(part.as_str())) {
            found.push(id);
        }
    }
    Ok(found)
}

/// Maximum size of a file of prompts, in bytes.
const MAX_PROMPTS: u64 = 1 << 30;

const EXAMPLES: &str = "\
Examples:
  rlx generate -p \"In the beginning\"
  echo \"In the beginning\" | rlx generate -n 20
  rlx generate -p \"And he said\" -p \"In those days\" -n 20 --json
  rlx generate model.gguf -p \"Once upon a time\" -n 100
  rlx generate ./qwen3 --chat -p \"What is a tensor?\" --temp 0
  rlx generate ./qwen3 --lora ./adapter --lora other.gguf:0.5 -p \"Once upon a time\"
  rlx generate model.gguf -p \"1, 2, 3,\" -n 20 --temp 0 --json --logprobs 3

Samplers run in this order, which --samplers changes: bias, penalties, dry, top_n_sigma, top_k, typical, top_p, min_p, xtc,
temperature, mirostat.";

pub fn run(args: Args, settings: &Settings) -> Result<(), Failure> {
    let source = settings.language_model(args.model.as_deref()).map_err(|failure| match failure {
        Failure::Failed(error) if args.prompt.is_empty() && args.prompts.is_none() => {
            Failure::Failed(format!("{}\nTo continue a text, use -p TEXT", message(error.as_ref())).into())
        }
        other => other,
    })?;
    let texts = prompts(&args)?;
    let model_options = args.model_options.options(settings)?;
    let llm_options = LlmOptions {
        batch: texts.len().min(args.batch),
        quiet: settings.quiet || args.json,
        ..model_options
    };
    let files = source.open()?;
    let mut generator = llm_options.generator(&files)?;
    let templates = args.chat.then(|| source.templates(&files)).transpose()?;
    let tokens = |text: &String| match &templates {
        Some(templates) => chat_tokens(templates, generator.tokenizer(), &conversation(&args, text)?),
        None => text_tokens(generator.tokenizer(), text, true),
    };
    let prompts: Vec<Vec<u32>> = texts.iter().map(tokens).collect::<Result<_, _>>()?;
    settings.say(|| {
        let lengths: Vec<String> = prompts.iter().map(|prompt| prompt.len().to_string()).collect();
        format!("{} tokens in the prompt", lengths.join(", "))
    });
    let sampling = args.sampling.sampling(generator.tokenizer())?;
    // The model checks whether tokens are in its vocabulary.
    sampling.check(usize::MAX).map_err(wrong_setting)?;
    let options = GenerateOptions {
        max_tokens: args.tokens,
        sampling,
        stop: args.stop,
        ignore_ends: args.ignore_end,
        logprobs: args.logprobs,
        ..GenerateOptions::default()
    };
    let stop = signals::interrupted()?;
    if let Some(path) = &args.prompt_cache {
        let [prompt] = &prompts[..] else {
            return Err(Failure::usage("--prompt-cache is for one prompt"));
        };
        use_cache(&mut generator, prompt, path, &options, settings)?;
    }
    // Only a single answer can be printed while it is generated; several would be mixed.
    let streams = prompts.len() == 1 && !args.json;
    let mut out = Payload::open();
    for (group, prompts) in prompts.chunks(args.batch).enumerate() {
        let mut broken = None;
        let given: Vec<&[u32]> = prompts.iter().map(Vec::as_slice).collect();
        let answers = generator.generate_all(&given, &options, &mut |_, piece| {
            if let (Piece::Text(text), true) = (piece, streams)
                && let Err(error) = out.add(text.as_bytes())
            {
                broken = Some(error);
                return ControlFlow::Break(());
            }
            if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if let Some(error) = broken {
            return Err(Failure::output(error));
        }
        for (i, (answer, prompt)) in answers.iter().zip(prompts).enumerate() {
            let number = group * args.batch + i;
            let text = match (args.json, streams) {
                (true, _) => report(answer, number, prompt.len()).to_string(),
                (false, true) => String::new(),
                (false, false) => format!("[{}] {}", number + 1, answer.text),
            };
            out.add(format!("{text}\n").as_bytes()).map_err(Failure::output)?;
            settings.say(|| speed(answer, prompt.len()));
        }
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(())
}

/// Restores what the file `path` has of a prompt's state, and writes the file if that is not the whole prompt.
fn use_cache(
    generator: &mut Generator,
    prompt: &[u32],
    path: &Path,
    options: &GenerateOptions,
    settings: &Settings,
) -> Result<(), Failure> {
    if path.exists() {
        let tokens = generator.restore(path)?;
        settings.say(|| format!("{}: {tokens} tokens", path.display()));
    }
    if generator.cached(prompt) + 1 < prompt.len() {
        generator.store(prompt, options.chunk, path, &mut |_| ControlFlow::Continue(()))?;
    }
    Ok(())
}

/// The prompts to answer; one empty text if none were given.
fn prompts(args: &Args) -> Result<Vec<String>, Failure> {
    let mut prompts = args.prompt.clone();
    if let Some(path) = &args.prompts {
        for (i, line) in stdin::text_file(path, "the prompts", MAX_PROMPTS)?
            .lines()
            .enumerate()
            .filter(|(_, l)| !l.trim().is_empty())
        {
            let wrong = |e| format!("{}:{}: {e}; a line is a JSON string", path.display(), i + 1);
            prompts.push(serde_json::from_str(line).map_err(|e| Failure::Failed(wrong(e).into()))?);
        }
        if prompts.is_empty() {
            return Err(Failure::Failed(format!("{}: it contains no prompts", path.display()).into()));
        }
    }
    if prompts.is_empty() {
        let piped = stdin::piped_text("the prompt", MAX_PROMPTS)?;
        if piped.is_none() && args.chat {
            return Err(Failure::usage(
                "--chat: which message? Give it with -p TEXT, or pipe it to standard input",
            ));
        }
        prompts.push(piped.unwrap_or_default());
    }
    Ok(prompts)
}

fn conversation(args: &Args, prompt: &str) -> Result<Conversation, Failure> {
    let mut conversation = Conversation::ask(prompt);
    if let Some(system) = &args.system {
        let fields = [("role", "system"), ("content", system.as_str())];
        let fields = fields.map(|(key, value)| (key.to_string(), Json::from(value)));
        conversation.messages.insert(0, Json::Object(fields.to_vec()));
    }
    if let Some(text) = &args.template_variables {
        match Json::parse(text) {
            Ok(Json::Object(variables)) => conversation.variables = variables,
            _ => return Err(Failure::usage("--template-variables is not a JSON object")),
        }
    }
    Ok(conversation)
}

fn report(generated: &Generated, number: usize, prompt: usize) -> Value {
    let (finish, stop) = match &generated.finish {
        FinishReason::End => ("end", None),
        FinishReason::Stop(text) => ("stop", Some(text)),
        FinishReason::Length => ("length", None),
        FinishReason::Canceled => ("canceled", None),
    };
    let logprobs: Vec<Value> = generated
        .logprobs
        .iter()
        .zip(&generated.tokens)
        // JSON has no infinities, so a probability of 0 has no logarithm here.
        .map(|(p, id)| json!({"id": id, "logprob": p.logprob.is_finite().then_some(p.logprob), "top": p.top}))
        .collect();
    let [prefill, decode] = generated.times.map(|time| time.as_secs_f64() * 1e3);
    let mut report = json!({
        "index": number, "text": generated.text, "tokens": generated.tokens, "finish": finish, "stop": stop,
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
