//! The configuration of a training: a TOML file. Every error names the file, the line and the key.

use std::path::{Path, PathBuf};

use rlx_models::gpt::GptConfig;
use rlx_runtime::PrecisionPolicy;
use rlx_train::{Optimizer, Schedule};
use serde::Deserialize;
use toml::Spanned;

/// A configuration, as it was written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub model: Model,
    pub data: Data,
    pub optimizer: OptimizerTable,
    pub run: Run,
}

/// The model and its sizes.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Model {
    /// A convolutional classifier of square grey images.
    Convnet {
        /// Channels of the first convolution.
        channels: usize,
        /// Width of the hidden linear map.
        hidden: usize,
    },
    /// A decoder-only language model of bytes.
    Gpt(Gpt),
    /// An encoder of sentences that is fine-tuned on pairs.
    Embedding(Base),
}

impl Model {
    /// Its kind and sizes.
    pub fn identity(&self) -> String {
        format!("{self:?}")
    }

    /// The first value that it cannot have: its key, and what is wrong.
    fn problem(&self) -> Option<(&'static str, String)> {
        let positive = |key, value| (value == 0).then(|| (key, "is 0; it must be at least 1".to_string()));
        match self {
            Model::Convnet { channels, hidden } => {
                positive("model.channels", *channels).or_else(|| positive("model.hidden", *hidden))
            }
            Model::Gpt(Gpt { layers, width, heads, context, intermediate }) => {
                let sizes = [
                    ("model.layers", *layers),
                    ("model.width", *width),
                    ("model.heads", *heads),
                    ("model.context", *context),
                    ("model.intermediate", intermediate.unwrap_or(1)),
                ];
                let divides = *heads > 0 && width.is_multiple_of(*heads);
                let uneven = || ("model.heads", format!("is {heads}; it must divide `width`, {width}"));
                sizes.into_iter().find_map(|(key, size)| positive(key, size)).or((!divides).then(uneven))
            }
            Model::Embedding(Base { scale, .. }) => {
                let good = scale.is_finite() && *scale > 0.0;
                (!good).then(|| ("model.scale", format!("is {scale}; it must be above 0")))
            }
        }
    }
}

/// Sizes of a language model.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gpt {
    /// Layers.
    pub layers: usize,
    /// Width of the residual stream.
    pub width: usize,
    /// Heads; they divide the width.
    pub heads: usize,
    /// Bytes of one example.
    pub context: usize,
    /// Width inside the feed-forward parts; 4 × width by default.
    pub intermediate: Option<usize>,
}

impl Gpt {
    /// The model; its tokens are bytes.
    pub fn model(&self) -> GptConfig {
        let Gpt { layers, width, heads, context, intermediate } = *self;
        let intermediate = intermediate.unwrap_or(4 * width);
        GptConfig { vocab: 256, layers, width, heads, intermediate, context }
    }
}

/// The model that fine-tuning starts from.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// Its name, or its folder relative to the configuration.
    pub base: String,
    /// What cosines are multiplied with before they are compared.
    #[serde(default = "twenty")]
    pub scale: f64,
    /// Tokens of a text that are looked at; those that the model takes by default.
    pub max_tokens: Option<usize>,
}

fn twenty() -> f64 {
    20.0
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Data {
    /// The file, relative to the configuration.
    pub path: PathBuf,
    /// Which examples are for what, where a task lets one choose.
    pub split: Option<Spanned<Split>>,
    /// Images are moved by up to so many pixels each way, another time each time that they are trained on.
    pub shift: Option<Spanned<usize>>,
}

/// Of every so many examples, as they lie in the file: the first are for the test, the next for validation, the others are trained on.
/// Settings and parameters are chosen by validation; the test is for `rlx train --test` alone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    pub train: usize,
    pub validation: usize,
    pub test: usize,
}

/// What an example is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Train,
    Validation,
    Test,
}

impl Split {
    /// What the example at a place of the file is for; everything is trained on if there are no shares.
    pub fn part(&self, at: usize) -> Part {
        match at % (self.train + self.validation + self.test).max(1) {
            i if i < self.test => Part::Test,
            i if i < self.test + self.validation => Part::Validation,
            _ => Part::Train,
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimizerTable {
    /// `adamw`, or with settings `adamw(weight_decay=0.1)`.
    pub name: Spanned<String>,
    /// The learning rate; or a schedule in its place.
    pub lr: Option<Spanned<f32>>,
    /// `warmup_cosine(peak=0.001, warmup=100, steps=1000)` and the like.
    pub schedule: Option<Spanned<String>>,
    /// The largest norm of all gradients together.
    pub clip: Option<Spanned<f32>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub batch: Spanned<usize>,
    pub steps: Spanned<u64>,
    #[serde(default)]
    pub seed: u64,
    /// The folder of checkpoints, metrics and curves, relative to the configuration.
    pub dir: PathBuf,
    #[serde(default = "hundred")]
    pub checkpoint_every: u64,
    #[serde(default = "hundred")]
    pub evaluate_every: u64,
    /// Which parameters are the result.
    #[serde(default)]
    pub choose: Choice,
    /// How many checkpoints stay.
    #[serde(default = "three")]
    pub keep: usize,
    pub threads: Option<usize>,
    /// `f32`, `bf16`, `mixed-f16` or `mixed-bf16`.
    pub precision: Option<Spanned<String>>,
}

/// Which parameters are the result of a training.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Choice {
    /// Those after the last step.
    #[default]
    Last,
    /// Those of the evaluation with the lowest loss.
    Best,
}

fn hundred() -> u64 {
    100
}

fn three() -> usize {
    3
}

/// A checked configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file that it is from.
    pub path: PathBuf,
    pub file: File,
    pub optimizer: Optimizer,
    pub schedule: Schedule,
    pub precision: PrecisionPolicy,
    /// Stands for everything that must be the same for a training to go on.
    pub identity: String,
}

/// Why a configuration is refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {source}", path = path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// It is not TOML, has unknown keys, or a value of a wrong type.
    #[error("{path}: {source}", path = path.display())]
    Syntax { path: PathBuf, source: Box<toml::de::Error> },
    /// A value that it cannot have.
    #[error("{path}:{line}: `{key}` {problem}", path = path.display())]
    Value { path: PathBuf, line: usize, key: &'static str, problem: String },
}

impl Config {
    /// Reads and checks a configuration.
    pub fn read(path: &Path) -> Result<Config, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Read { path: path.to_path_buf(), source })?;
        Self::parse(path, &text)
    }

    /// Checks the text of a configuration.
    pub fn parse(path: &Path, text: &str) -> Result<Config, ConfigError> {
        let file: File = toml::from_str(text)
            .map_err(|source| ConfigError::Syntax { path: path.to_path_buf(), source: Box::new(source) })?;
        let wrong = |at: std::ops::Range<usize>, key, problem: String| ConfigError::Value {
            path: path.to_path_buf(),
            line: 1 + text[..at.start.min(text.len())].matches('\n').count(),
            key,
            problem,
        };
        let name = &file.optimizer.name;
        let optimizer: Optimizer = match name.get_ref().parse() {
            Ok(optimizer) => optimizer,
            Err(e) => return Err(wrong(name.span(), "optimizer.name", format!("is refused: {e}"))),
        };
        for (key, value) in
            [("optimizer.lr", file.optimizer.lr.as_ref()), ("optimizer.clip", file.optimizer.clip.as_ref())]
        {
            if let Some(value) = value.filter(|v| !(v.get_ref().is_finite() && *v.get_ref() > 0.0)) {
                return Err(wrong(value.span(), key, format!("is {}; it must be above 0", value.get_ref())));
            }
        }
        let schedule = match (&file.optimizer.lr, &file.optimizer.schedule) {
            (Some(lr), None) => Schedule::constant(f64::from(*lr.get_ref())),
            (None, Some(text)) => match text.get_ref().parse::<Schedule>().and_then(|s| s.at(0).map(|_| s)) {
                Ok(schedule) => schedule,
                Err(e) => return Err(wrong(text.span(), "optimizer.schedule", format!("is refused: {e}"))),
            },
            _ => {
                let problem = "or `optimizer.schedule` must be given, and not both".to_string();
                return Err(wrong(name.span(), "optimizer.lr", problem));
            }
        };
        let run = &file.run;
        if *run.batch.get_ref() == 0 {
            return Err(wrong(run.batch.span(), "run.batch", "is 0; it must be at least 1".into()));
        }
        if *run.steps.get_ref() == 0 {
            return Err(wrong(run.steps.span(), "run.steps", "is 0; it must be at least 1".into()));
        }
        let precision = match &run.precision {
            None => PrecisionPolicy::Declared,
            Some(text) => match text.get_ref().as_str() {
                "f32" => PrecisionPolicy::Declared,
                "bf16" => PrecisionPolicy::AlwaysBF16,
                "mixed-f16" => PrecisionPolicy::AutoMixed,
                "mixed-bf16" => PrecisionPolicy::AutoMixedBF16,
                other => {
                    let problem = format!("is {other:?}; it must be f32, bf16, mixed-f16 or mixed-bf16");
                    return Err(wrong(text.span(), "run.precision", problem));
                }
            },
        };
        if let Some((key, problem)) = file.model.problem() {
            let at = place(text, key.trim_start_matches("model."));
            return Err(wrong(at..at, key, problem));
        }
        if let Some(split) = &file.data.split {
            let Split { train, validation, test } = *split.get_ref();
            let problem = match file.model {
                Model::Gpt(_) | Model::Embedding(_) => "is for images",
                Model::Convnet { .. } if train == 0 || validation == 0 || test == 0 => {
                    "needs shares of at least 1 for `train`, `validation` and `test`"
                }
                Model::Convnet { .. } if [train, validation, test].iter().any(|s| *s > 1_000_000) => {
                    "has a share above 1000000"
                }
                Model::Convnet { .. } => "",
            };
            if !problem.is_empty() {
                return Err(wrong(split.span(), "data.split", problem.into()));
            }
        }
        if let (Some(shift), Model::Gpt(_) | Model::Embedding(_)) = (&file.data.shift, &file.model) {
            return Err(wrong(shift.span(), "data.shift", "is for images".into()));
        }
        let clip = file.optimizer.clip.as_ref().map(|c| *c.get_ref());
        let identity = format!(
            "{} {:?} {:?} {:?} {optimizer} {schedule} {clip:?} {precision:?} batch {} seed {}",
            file.model.identity(),
            file.data.path,
            file.data.split.as_ref().map(Spanned::get_ref),
            file.data.shift.as_ref().map(Spanned::get_ref),
            run.batch.get_ref(),
            run.seed
        );
        Ok(Config { path: path.to_path_buf(), file, optimizer, schedule, precision, identity })
    }

    /// A path of the configuration, from where the configuration lies.
    pub fn beside(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new(".")).join(path)
    }
}

/// Where a line begins that sets a key.
fn place(text: &str, key: &str) -> usize {
    let sets =
        |line: &str| line.trim_start().strip_prefix(key).is_some_and(|l| l.trim_start().starts_with('='));
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if sets(line) {
            return at;
        }
        at += line.len();
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = include_str!("../../../../examples/training/text.toml");

    fn refused(from: &str, to: &str) -> String {
        assert!(GOOD.contains(from));
        Config::parse(Path::new("c.toml"), &GOOD.replace(from, to)).expect_err("refused").to_string()
    }

    #[test]
    fn errors_name_file_line_and_key() {
        assert!(Config::parse(Path::new("c.toml"), GOOD).is_ok());
        assert_eq!(
            refused("heads = 4", "heads = 5"),
            "c.toml:6: `model.heads` is 5; it must divide `width`, 128"
        );
        assert_eq!(
            refused("context = 128", "context = 0"),
            "c.toml:7: `model.context` is 0; it must be at least 1"
        );
        let error = refused("clip = 1.0", "clip = -1.0");
        assert_eq!(error, "c.toml:15: `optimizer.clip` is -1; it must be above 0");
        let error = refused("clip = 1.0", "lr = 1.0");
        assert_eq!(error, "c.toml:13: `optimizer.lr` or `optimizer.schedule` must be given, and not both");
        let error = refused("warmup_cosine(", "warm_cosine(");
        assert!(
            error.starts_with("c.toml:14: `optimizer.schedule` is refused") && error.contains("warm_cosine")
        );
        let error = refused("adamw(b2=0.95", "adamx(b2=0.95");
        assert!(
            error.starts_with("c.toml:13: `optimizer.name` is refused") && error.contains("adamx"),
            "{error}"
        );
        let error = refused("seed = 1", "sead = 1");
        assert!(
            error.starts_with("c.toml: ") && error.contains("line 20") && error.contains("sead"),
            "{error}"
        );
        let error = refused("batch = 16", "batch = \"many\"");
        assert!(error.contains("line 18") && error.contains("batch"), "{error}");
    }
}
