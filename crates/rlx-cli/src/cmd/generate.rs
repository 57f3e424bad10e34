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

/// Go on with a text, or answer a message, by a language model
///
/// The text is printed as it is generated; of several prompts, each text when all that run beside it are done. Ctrl-C ends it, and what there
/// is is kept.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The model: a .gguf file, a folder with config.json, safetensors and tokenizer.json, or a name of the hub [default: `tiny`, a small
    /// one in this program]
    #[arg(value_name = "MODEL")]
    model: Option<String>,

    /// The text to continue; with --chat, the message to answer. May be given again: several are answered side by side. Where none is given,
    /// it is what is piped to standard input, without the line break at its end
    #[arg(short, long, value_name = "TEXT")]
    prompt: Vec<String>,

    /// A file of further prompts, one JSON string per line; `-` is standard input
    #[arg(long, value_name = "FILE|-")]
    prompts: Option<PathBuf>,

    /// Prompts that are answered side by side
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    batch: usize,

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

    /// Print one JSON object for each prompt when it is answered: text, tokens, why it ends, how many tokens and how long
    #[arg(long)]
    json: bool,

    /// With --json: the probability of each token, and of so many of the most likely ones in its place
    #[arg(long, value_name = "N", requires = "json")]
    logprobs: Option<usize>,

    /// Keep what the model knows after the prompt in this file, and begin with what is in it; a file of another model is an error
    #[arg(long, value_name = "FILE", conflicts_with = "prompts")]
    prompt_cache: Option<PathBuf>,

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

    /// The device to use; `rlx devices` lists them
    #[arg(long, value_name = "NAME", default_value_t = Device::Cpu.into())]
    pub device: DeviceId,

    /// The type of the numbers in the cache: f32, f16, bf16 or q8_0 [default: f32]
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
    /// These options, with what the environment says.
    pub fn options(&self, settings: &Settings) -> Result<LlmOptions, Failure> {
        Ok(LlmOptions {
            context: self.context,
            threads: self.threads.or(settings.env.num_threads),
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

    /// What DRY takes from the logit of a token that goes on with a repetition; 0 for nothing
    #[arg(long, value_name = "X", default_value_t = Sampling::default().dry_multiplier)]
    dry_multiplier: f64,

    /// By what that grows with each token of the repetition
    #[arg(long, value_name = "X", default_value_t = Sampling::default().dry_base)]
    dry_base: f64,

    /// Repetitions of fewer tokens are let be
    #[arg(long, value_name = "N", default_value_t = Sampling::default().dry_allowed_length)]
    dry_allowed_length: usize,

    /// How many of the last tokens DRY looks at; 0 for all
    #[arg(long, value_name = "N", default_value_t = Sampling::default().dry_window)]
    dry_window: usize,

    /// A text across which no repetition goes on: tokens that have it; may be given again [default: a new line, `:`, `"` and `*`]
    #[arg(long, value_name = "TEXT")]
    dry_breaker: Vec<String>,

    /// Consider tokens whose logit is at most so many standard deviations below the largest; 0 for all
    #[arg(long, value_name = "N", default_value_t = Sampling::default().top_n_sigma)]
    top_n_sigma: f64,

    /// How often all but the least likely one of the likely tokens are left out; 0 for never
    #[arg(long, value_name = "P", default_value_t = Sampling::default().xtc_probability)]
    xtc_probability: f64,

    /// The probability of likely tokens
    #[arg(long, value_name = "P", default_value_t = Sampling::default().xtc_threshold)]
    xtc_threshold: f64,

    /// The surprise of tokens in bits that Mirostat aims at; 0 for none
    #[arg(long, value_name = "X", default_value_t = Sampling::default().mirostat_tau)]
    mirostat_tau: f64,

    /// How fast Mirostat learns
    #[arg(long, value_name = "X", default_value_t = Sampling::default().mirostat_eta)]
    mirostat_eta: f64,

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

/// A setting out of its range, by the name of its option.
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
    let (id, x): (u32, f32) = parts.ok_or("expected ID=X, as 42=-1.5")?;
    if x.is_nan() {
        return Err("the bias is NaN; a number is needed, and -inf forbids the token".into());
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

/// Texts across which no repetition goes on.
const BREAKERS: [&str; 4] = ["\n", ":", "\"", "*"];

/// The tokens whose text has one of these in it.
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

/// Longest file of prompts that is read, in bytes.
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
        Failure::Failed(error) if args.prompt.is_empty() && args.prompts.is_none() => Failure::Failed(
            format!("{}\nA text to continue is given by -p TEXT", message(error.as_ref())).into(),
        ),
        other => other,
    })?;
    let texts = prompts(&args)?;
    let model_options = args.model_options.options(settings)?;
    let llm_options = LlmOptions {
        batch: texts.len().min(args.batch),
        quiet: settings.quiet || args.json,
        ..model_options
    };
    let mut generator = llm_options.generator(&source)?;
    let tokens = |text: &String| match args.chat {
        true => chat_tokens(&source, generator.tokenizer(), &conversation(&args, text)?),
        false => text_tokens(generator.tokenizer(), text, true),
    };
    let prompts: Vec<Vec<u32>> = texts.iter().map(tokens).collect::<Result<_, _>>()?;
    settings.say(|| {
        let lengths: Vec<String> = prompts.iter().map(|prompt| prompt.len().to_string()).collect();
        format!("{} tokens in the prompt", lengths.join(", "))
    });
    let sampling = args.sampling.sampling(generator.tokenizer())?;
    // Whether a token is in the vocabulary is for the model to say.
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
    // One text is shown as it comes; several cannot be, without mixing them.
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

/// Takes over what the file `path` knows of a prompt, and writes the file where that is not all.
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

/// What is to be answered: an empty text where nothing was given.
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
            return Err(Failure::Failed(format!("{}: there is no prompt in it", path.display()).into()));
        }
    }
    if prompts.is_empty() {
        let piped = stdin::piped_text("the prompt", MAX_PROMPTS)?;
        if piped.is_none() && args.chat {
            return Err(Failure::usage(
                "--chat: which message? Give it by -p TEXT, or pipe it to standard input",
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
            _ => return Err(Failure::usage("--template-variables is no JSON object")),
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
        // What cannot be has no logarithm that JSON could write.
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
