//! The configuration of a training run: a TOML file whose settings are the rows of the tables below. Every error names the
//! file, the line and the key.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use rlx_models::files::{open_regular, read_text};
use rlx_models::gpt::GptConfig;
use rlx_runtime::PrecisionPolicy;
use rlx_train::{Mask, Optimizer, Schedule, Setting as Kept};
use toml::de::DeValue;

use super::setting::{
    Change, Held, Places, Setting, SettingValue, Tables, named_values, settings, unexpected,
};
use super::{digits, notes, sizes};
use crate::engine::machine_memory;
use crate::failure::message;

/// Maximum size of a configuration, in bytes.
const MAX_CONFIG: u64 = 1 << 20;

/// A table of the configuration, or the part of it for one kind of model.
pub struct Section {
    pub table: &'static str,
    /// The kind of model that the settings are for, if they are only for one.
    pub kind: Option<&'static str>,
    pub about: &'static str,
    pub settings: &'static [Setting],
}

/// All settings.
pub const SECTIONS: &[Section] = &[
    Section { table: "model", kind: None, about: Kinds::ABOUT, settings: Kinds::SETTINGS },
    Section { table: "model", kind: Some("convnet"), about: Convnet::ABOUT, settings: Convnet::SETTINGS },
    Section { table: "model", kind: Some("gpt"), about: Gpt::ABOUT, settings: Gpt::SETTINGS },
    Section { table: "model", kind: Some("llm"), about: Llm::ABOUT, settings: Llm::SETTINGS },
    Section { table: "model", kind: Some("embedding"), about: Base::ABOUT, settings: Base::SETTINGS },
    Section { table: "data", kind: None, about: Data::ABOUT, settings: Data::SETTINGS },
    Section { table: "optimizer", kind: None, about: Update::ABOUT, settings: Update::SETTINGS },
    Section { table: "run", kind: None, about: Run::ABOUT, settings: Run::SETTINGS },
];

/// The model and its sizes.
#[derive(Clone, Debug)]
pub enum Model {
    Convnet(Convnet),
    Gpt(Gpt),
    Llm(Llm),
    Embedding(Base),
}

impl Model {
    /// The kind and sizes as text.
    pub fn identity(&self) -> String {
        format!("{self:?}")
    }
}

/// The kind of model to train.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Convnet,
    Gpt,
    Llm,
    Embedding,
}

named_values!(Kind:
    "convnet" => Kind::Convnet,
    "gpt" => Kind::Gpt,
    "llm" => Kind::Llm,
    "embedding" => Kind::Embedding,
);

settings! {
    /// The model to train.
    Kinds "model" {
        /// The kind of model. The other settings of this table depend on it.
        kind: Kind, (required), Any, "", Never;
    }
}

settings! {
    /// A convolutional classifier of square gray images.
    Convnet "model" {
        /// Channels of the first convolution.
        channels: usize, (required), AtLeast1, "channels", Never;
        /// Width of the hidden linear map.
        hidden: usize, (required), AtLeast1, "elements", Never;
    }
}

settings! {
    /// A decoder-only language model whose tokens are bytes.
    Gpt "model" {
        /// Number of layers.
        layers: usize, (required), AtLeast1, "layers", Never;
        /// Width of the residual stream.
        width: usize, (required), AtLeast1, "elements", Never;
        /// Number of heads; must divide `width`.
        heads: usize, (required), AtLeast1, "heads", Never;
        /// Length of one example.
        context: usize, (required), AtLeast1, "bytes", Never;
        /// Width inside the feed-forward parts.
        intermediate: usize, (or "4 × `width`"), AtLeast1, "elements", Never;
    }
}

impl Gpt {
    /// The model; its tokens are bytes.
    pub fn model(&self) -> GptConfig {
        let Gpt { layers, width, heads, context, intermediate } = *self;
        let intermediate = intermediate.unwrap_or(4 * width);
        GptConfig { vocab: 256, layers, width, heads, intermediate, context }
    }
}

settings! {
    /// A language model of a family that `rlx generate` supports. Its vocabulary is learned from the text;
    /// `<|endoftext|>` separates the texts in the file.
    Llm "model" {
        /// Family and sizes: a `config.json` as written by `transformers`, relative to the configuration.
        config: PathBuf, (required), Any, "", Never;
        /// Length of one example.
        context: usize, (required), AtLeast1, "tokens", Never;
    }
}

settings! {
    /// A sentence encoder, fine-tuned on pairs of texts.
    Base "model" {
        /// The model to fine-tune: its name, or its folder relative to the configuration.
        base: String, (required), Any, "", Never;
        /// Factor that cosines are multiplied by before they are compared.
        scale: f64, (default 20.0), Above0, "", Never;
        /// Maximum number of tokens to use of a text.
        max_tokens: usize, (or "the model's maximum"), AtLeast1, "tokens", Never;
    }
}

settings! {
    /// The training data.
    Data "data" {
        /// The file of examples, relative to the configuration. Images: lines of 64 gray values and the digit, as
        /// gzipped CSV. Text: any file. Pairs: two columns separated by a tab, or lines of JSON (`.jsonl`).
        path: PathBuf, (required), Any, "", Never;
        /// How to divide the images, in the order of the file: of each `test + validation + train` images, the first
        /// `test` are for the test, the next `validation` for validation, and the rest for training. Choose settings
        /// and parameters by validation; only `rlx train --test` uses the test images.
        split: Split, (or "`{ train = 3, validation = 1, test = 1 }`"), Any, "images", Never;
        /// Images are moved by up to this many pixels in each direction, differently each time that they are used for
        /// training.
        shift: usize, (or "0"), Any, "pixels", Said;
    }
}

settings! {
    /// How parameters are updated. Either `lr` or `schedule` must be given.
    Update "optimizer" {
        /// The optimizer, with the settings that differ from its defaults: `adamw(weight_decay=0.1)`.
        name: Optimizer, (required), Any, "", InPart;
        /// The learning rate of all steps.
        lr: f32, (or "given by `schedule`"), Above0, "", Said;
        /// The learning rate by step: `warmup_cosine(peak=0.001, warmup=100)`. A schedule without `steps` ends with the run.
        schedule: String, (or "`lr` at every step"), Any, "", Said;
        /// Maximum norm of all gradients together; larger gradients are scaled down to it.
        clip: f32, (or "not clipped"), Above0, "", Said;
        /// Which parameters the optimizer's `weight_decay` applies to: all of them, as in PyTorch and optax, or only
        /// those with two axes or more, which excludes biases and the scales of norms.
        decay: Decay, (default Decay::All), Any, "", Said;
    }
}

settings! {
    /// The steps, and what to save.
    Run "run" {
        /// Examples per step.
        batch: usize, (required), AtLeast1, "examples", Never;
        /// Number of steps. `rlx train --steps N` overrides it.
        steps: u64, (required), AtLeast1, "steps", Said;
        /// Seed for the initial values and the order of the examples.
        seed: u64, (default 0), Any, "", Never;
        /// The folder for checkpoints, metrics, curves and the result, relative to the configuration.
        dir: PathBuf, (required), Any, "", Free;
        /// Steps between checkpoints. The last step always writes one; with 0, only the last step does.
        checkpoint_every: u64, (default 100), Any, "steps", Said;
        /// Steps between measurements of the validation loss. It is always measured at the beginning and at the end;
        /// with 0, only then.
        evaluate_every: u64, (default 100), Any, "steps", Said;
        /// Which parameters are the result: those after the last step, or those with the lowest validation loss.
        choose: Choice, (default Choice::Last), Any, "", Said;
        /// Number of checkpoints to keep.
        keep: usize, (default 3), AtLeast1, "files", Said;
        /// Number of threads to compute with.
        threads: usize, (or "`RLX_NUM_THREADS`, or all cores"), AtLeast1, "threads", Said;
        /// The precision to compute in. Parameters and optimizer state stay in 32 bits. `mixed-f16` scales the loss.
        precision: PrecisionPolicy, (default PrecisionPolicy::Declared), Any, "", Never;
    }
}

/// Which parameters become the result of a training run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    Last,
    Best,
}

named_values!(Choice: "last" => Choice::Last, "best" => Choice::Best);

/// Which parameters weight decay applies to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decay {
    All,
    Matrices,
}

named_values!(Decay: "all" => Decay::All, "matrices" => Decay::Matrices);

impl Decay {
    pub fn mask(self) -> Mask {
        match self {
            Decay::All => Mask::All,
            Decay::Matrices => Mask::MinRank(2),
        }
    }
}

named_values!(PrecisionPolicy:
    "f32" => PrecisionPolicy::Declared,
    "bf16" => PrecisionPolicy::AlwaysBF16,
    "mixed-f16" => PrecisionPolicy::AutoMixed,
    "mixed-bf16" => PrecisionPolicy::AutoMixedBF16,
);

impl SettingValue for Optimizer {
    fn kind() -> String {
        "an optimizer".into()
    }
    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let text = value.as_str().ok_or_else(|| unexpected::<Self>(value))?;
        text.parse().map_err(|e| format!("is invalid: {e}"))
    }
    fn show(&self) -> String {
        format!("\"{self}\"")
    }
}

/// How the images are divided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    pub train: usize,
    pub validation: usize,
    pub test: usize,
}

impl SettingValue for Split {
    fn kind() -> String {
        "`{ train = N, validation = N, test = N }`".into()
    }
    fn read(value: &DeValue<'_>) -> Result<Self, String> {
        let DeValue::Table(table) = value else { return Err(unexpected::<Self>(value)) };
        let mut split = Split { train: 0, validation: 0, test: 0 };
        for (name, share) in table {
            let place = match name.get_ref().as_ref() {
                "train" => &mut split.train,
                "validation" => &mut split.validation,
                "test" => &mut split.test,
                other => return Err(format!("has a share `{other}`; it must be {}", Self::kind())),
            };
            *place = usize::read(share.get_ref()).map_err(|e| format!("has a share that {e}"))?;
        }
        let shares = [split.train, split.validation, split.test];
        if shares.contains(&0) {
            return Err("needs shares of at least 1 for `train`, `validation` and `test`".into());
        }
        if shares.iter().any(|share| *share > 1_000_000) {
            return Err("has a share above 1000000".into());
        }
        Ok(split)
    }
    fn show(&self) -> String {
        let Split { train, validation, test } = self;
        format!("{{ train = {train}, validation = {validation}, test = {test} }}")
    }
}

/// What an example is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Train,
    Validation,
    Test,
}

impl Split {
    /// What the example at position `at` of the file is used for.
    pub fn part(&self, at: usize) -> Part {
        match at % (self.train + self.validation + self.test).max(1) {
            i if i < self.test => Part::Test,
            i if i < self.test + self.validation => Part::Validation,
            _ => Part::Train,
        }
    }
}

/// A checked configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// The configuration file.
    pub path: PathBuf,
    pub model: Model,
    pub data: Data,
    pub optimizer: Update,
    pub run: Run,
    pub schedule: Schedule,
    /// Notes about settings that are allowed but may be mistakes.
    pub notes: Vec<String>,
    held: Vec<Held>,
    places: Places,
}

/// Why a configuration is invalid.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("the configuration {0}")]
    Read(String),
    /// The file is not valid TOML.
    #[error("{path}: {source}", path = path.display())]
    Syntax { path: PathBuf, source: Box<toml::de::Error> },
    /// A setting has an invalid value, does not exist or is missing, or names a file that cannot be read.
    #[error("{path}{}: `{key}` {problem}", line.map(|line| format!(":{line}")).unwrap_or_default(), path = path.display())]
    Value { path: PathBuf, line: Option<usize>, key: String, problem: String },
}

impl Config {
    /// Reads and checks a configuration. `steps` overrides its number of steps.
    pub fn read(path: &Path, steps: Option<u64>) -> Result<Config, ConfigError> {
        let text = read_text(path, MAX_CONFIG).map_err(|e| ConfigError::Read(one_line(&e)))?;
        if text.trim().is_empty() {
            return Err(ConfigError::Read(format!("{}: it is empty", path.display())));
        }
        Self::parse(path, &text, steps)
    }

    /// Checks the text of a configuration.
    pub fn parse(path: &Path, text: &str, steps: Option<u64>) -> Result<Config, ConfigError> {
        let number = steps.map(|steps| steps.to_string());
        let set =
            number.as_deref().and_then(|text| Some(("run.steps", DeValue::parse(text).ok()?.into_inner())));
        let mut tables = Tables::parse(path, text, BTreeMap::from_iter(set))?;
        let kind = Kinds::read(&mut tables)?.kind;
        tables.check_known(kind.show().trim_matches('"'))?;
        let model = match kind {
            Kind::Convnet => Model::Convnet(Convnet::read(&mut tables)?),
            Kind::Gpt => Model::Gpt(Gpt::read(&mut tables)?),
            Kind::Llm => Model::Llm(Llm::read(&mut tables)?),
            Kind::Embedding => Model::Embedding(Base::read(&mut tables)?),
        };
        let data = Data::read(&mut tables)?;
        let optimizer = Update::read(&mut tables)?;
        let run = Run::read(&mut tables)?;
        let Tables { places, held, .. } = tables;
        sizes::check(&model, &run, machine_memory(), &places)?;
        if let Model::Gpt(Gpt { width, heads, .. }) = &model
            && !width.is_multiple_of(*heads)
        {
            let problem = format!("is {heads}; it must divide `width`, {width}");
            return Err(places.refuse("model.heads", problem));
        }
        if let Some(shift) = data.shift.filter(|&shift| kind == Kind::Convnet && shift >= digits::SIZE) {
            let (size, most) = (digits::SIZE, digits::SIZE - 1);
            let problem =
                format!("is {shift}; the images are {size} × {size} pixels, so 0 to {most} is allowed");
            return Err(places.refuse("data.shift", problem));
        }
        if kind != Kind::Convnet {
            let given = [("data.split", data.split.is_some()), ("data.shift", data.shift.is_some())];
            if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
                return Err(places.refuse(key, "is only for images"));
            }
        }
        let steps = usize::try_from(run.steps).unwrap_or(usize::MAX);
        let schedule = match (optimizer.lr, &optimizer.schedule) {
            (Some(lr), None) => Schedule::constant(f64::from(lr)),
            (None, Some(text)) => Schedule::of_training(text, steps)
                .map_err(|e| places.refuse("optimizer.schedule", format!("is invalid: {e}")))?,
            (Some(_), Some(_)) => {
                return Err(
                    places.refuse("optimizer.lr", "and `optimizer.schedule` are both given; remove one")
                );
            }
            (None, None) => {
                let problem = "or `optimizer.schedule` must be given, to set the learning rate: `lr = 0.001`";
                return Err(places.refuse("optimizer.lr", problem));
            }
        };
        if let Some(problem) = notes::unusable(&schedule, run.steps) {
            return Err(places.refuse("optimizer.schedule", problem));
        }
        let notes = notes::of(&optimizer, &run, &schedule);
        Ok(Config { path: path.to_path_buf(), model, data, optimizer, run, schedule, notes, held, places })
    }

    /// Resolves a path in the configuration, relative to the configuration's folder.
    pub fn beside(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new(".")).join(path)
    }

    /// The error for an invalid setting.
    pub fn refuse(&self, key: &str, problem: impl Into<String>) -> ConfigError {
        self.places.refuse(key, problem)
    }

    /// The error for a setting that names a file, folder or model that cannot be used.
    pub fn refuse_file(&self, key: &str, error: &(dyn Error + 'static)) -> ConfigError {
        self.refuse(key, format!("cannot be used: {}", one_line(error)))
    }

    /// The path of a file that a setting names.
    ///
    /// # Errors
    ///
    /// The file does not exist, is not a file, cannot be opened, or is empty.
    pub fn file(&self, key: &str, path: &Path) -> Result<PathBuf, ConfigError> {
        let path = self.beside(path);
        match open_regular(&path) {
            Ok((_, 0)) => Err(self.refuse(key, format!("cannot be used: {}: it is empty", path.display()))),
            Ok(_) => Ok(path),
            Err(error) => Err(self.refuse_file(key, &error)),
        }
    }

    /// The settings that checkpoints store, with their current values.
    pub fn kept(&self) -> Vec<Kept> {
        let mut kept = Vec::new();
        for (row, value) in &self.held {
            let fixed = row.change == Change::Never;
            match row.change {
                Change::Free => {}
                Change::Never | Change::Said => {
                    kept.push(Kept { name: row.key(), value: value.clone(), fixed })
                }
                Change::InPart => {
                    let optimizer = &self.optimizer.name;
                    kept.push(Kept { name: row.key(), value: Some(optimizer.name().into()), fixed: true });
                    kept.extend(optimizer.settings().into_iter().map(|(name, value)| {
                        let name = format!("{}({name})", row.key());
                        Kept { name, value: Some(value), fixed: false }
                    }));
                }
            }
        }
        kept
    }
}

/// An error and its causes as one line.
pub fn one_line(error: &(dyn Error + 'static)) -> String {
    message(error).replace("\n  because: ", ": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = include_str!("../../../../examples/training/text.toml");
    const DIGITS: &str = include_str!("../../../../examples/training/digits.toml");

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(Path::new("c.toml"), text, None)
    }

    fn refused(from: &str, to: &str) -> String {
        assert!(GOOD.contains(from));
        parse(&GOOD.replace(from, to)).expect_err("refused").to_string()
    }

    #[test]
    fn errors_name_file_line_and_key() {
        assert!(parse(GOOD).is_ok());
        let cases = [
            ("heads = 4", "heads = 5", "c.toml:6: `model.heads` is 5; it must divide `width`, 128"),
            ("context = 128", "context = 0", "c.toml:7: `model.context` is 0; it must be at least 1"),
            (
                "clip = 1.0",
                "clip = -1.0",
                "c.toml:15: `optimizer.clip` is -1; it must be above 0 (without it: not clipped)",
            ),
            (
                "clip = 1.0",
                "lr = 1.0",
                "c.toml:15: `optimizer.lr` and `optimizer.schedule` are both given; remove one",
            ),
            (
                "batch = 16",
                "batch = \"many\"",
                "c.toml:19: `run.batch` is \"many\"; it must be a whole number",
            ),
            ("seed = 1", "seed = -1", "c.toml:21: `run.seed` is -1; it must be a whole number"),
            (
                "seed = 1",
                "precision = \"f64\"",
                "c.toml:21: `run.precision` is \"f64\"; it must be `\"f32\"`, `\"bf16\"`, ",
            ),
            (
                "kind = \"gpt\"",
                "kind = \"lstm\"",
                "c.toml:3: `model.kind` is \"lstm\"; it must be `\"convnet\"`, `\"gpt\"`, `\"llm\"` or",
            ),
            (
                "path = \"text.txt\"",
                "",
                "c.toml:9: `data.path` is missing; it must be a path: The file of examples",
            ),
            (
                "warmup_cosine(",
                "warm_cosine(",
                "c.toml:14: `optimizer.schedule` is invalid: there is no schedule \"warm_cosine\"",
            ),
            (
                "adamw(b2=0.95",
                "adamx(b2=0.95",
                "c.toml:13: `optimizer.name` is invalid: there is no optimizer \"adamx\"",
            ),
        ];
        for (from, to, expected) in cases {
            let error = refused(from, to);
            assert!(error.starts_with(expected) && !error.contains('\n'), "{error}\n{expected}");
        }
        let error = refused("[run]", "run]");
        assert!(error.starts_with("c.toml: ") && error.contains("line 18"), "{error}");
    }

    #[test]
    fn an_unknown_setting_names_the_nearest() {
        let cases = [
            (
                "seed = 1",
                "sead = 1",
                "c.toml:21: `run.sead` is not a setting; the nearest is `run.seed` (known are batch, steps, ",
            ),
            (
                "clip = 1.0",
                "clipping = 1.0",
                "c.toml:15: `optimizer.clipping` is not a setting; the nearest is `optimizer.clip` ",
            ),
            ("seed = 1", "lr = 1", "c.toml:21: `run.lr` is not a setting; `lr` belongs in [optimizer]"),
            // Before what is then missing.
            (
                "layers = 4",
                "layer = 4",
                "c.toml:4: `model.layer` is not a setting; the nearest is `model.layers` ",
            ),
            ("[run]", "[rum]", "c.toml:18: `rum` is not a table; the nearest is [run] "),
            (
                "heads = 4",
                "heads = 4\nchannels = 3",
                "c.toml:7: `model.channels` is a setting of `kind = \"convnet\"`; the model here is of `kind = \"gpt\"`",
            ),
        ];
        for (from, to, expected) in cases {
            let error = refused(from, to);
            assert!(error.starts_with(expected), "{error}\n{expected}");
        }
    }

    #[test]
    fn an_open_schedule_is_as_long_as_the_run() {
        let lengths = |text: &str, steps| {
            let config = Config::parse(Path::new("c.toml"), text, steps).expect("a configuration");
            (config.schedule.length(), config.run.steps, config.notes)
        };
        assert_eq!(lengths(GOOD, None), (Some(1000), 1000, vec![]));
        assert_eq!(lengths(GOOD, Some(1600)), (Some(1600), 1600, vec![]));
        let closed = GOOD.replace("warmup=50)", "warmup=50, steps=1000)");
        assert_eq!(lengths(&closed, None), (Some(1000), 1000, vec![]));
        let note = |steps| lengths(&closed, Some(steps)).2.concat();
        assert_eq!(
            note(1600),
            "the schedule of the learning rate ends after 1000 steps, the run after 1600: the rate is 0 from then on; a schedule \
             without `steps` ends with the run"
        );
        assert!(note(525).contains("the run after 525: the last rate is 0.00100;"), "{}", note(525));
    }

    #[test]
    fn every_setting_of_the_page_is_one_that_is_read() {
        let read = |text: &str| {
            let config = parse(text).expect("a configuration");
            config.held.iter().map(|(row, _)| row.key()).collect::<std::collections::BTreeSet<_>>()
        };
        let embedding = include_str!("../../../../examples/training/minilm.toml");
        let llm = include_str!("../../../rlx-tiny-model/train.toml");
        let read = [GOOD, DIGITS, embedding, llm]
            .map(read)
            .into_iter()
            .flatten()
            .collect::<std::collections::BTreeSet<_>>();
        let known = SECTIONS.iter().flat_map(|s| s.settings).map(Setting::key).collect();
        assert_eq!(read, known);
    }
}
