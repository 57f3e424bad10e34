//! Reads adapters from folders written by PEFT.

use super::{Adapter, AdapterError, AdapterFormat, Factor, Pair};
use crate::error::LlmError;
use rlx_files::weights::Weights;
use rlx_models::fields::{ConfigError, Fields};
use rlx_models::known::KnownFields;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The files in a folder.
const CONFIG: &str = "adapter_config.json";
pub(super) const WEIGHTS: &str = "adapter_model.safetensors";
/// The prefix of module names.
const PREFIX: &str = "base_model.model.";
/// The suffixes of module names.
const A: &str = ".lora_A.weight";
const B: &str = ".lora_B.weight";
const TABLE_A: &str = ".lora_embedding_A";
const TABLE_B: &str = ".lora_embedding_B";
const COPY: &str = ".base_layer.weight";

/// Settings under which an adapter computes something else: the field, and why it is refused.
const REFUSED: [(&str, &str); 14] = [
    ("use_dora", "DoRA, which scales each row of the sum, is not supported; merge the adapter with PEFT"),
    ("lora_bias", "biases of B are not supported"),
    ("modules_to_save", "completely replaced modules are not supported; merge the adapter with PEFT"),
    (
        "trainable_token_indices",
        "replaced rows of the token table are not supported; merge the adapter with PEFT",
    ),
    (
        "target_parameters",
        "adapters of parameters outside of modules are not supported; merge the adapter with PEFT",
    ),
    ("layer_replication", "layers that are used more than once are not supported"),
    ("alora_invocation_tokens", "adapters that take effect after certain tokens are not supported"),
    ("use_qalora", "QALoRA is not supported; merge the adapter with PEFT"),
    ("use_bdlora", "BD-LoRA is not supported; merge the adapter with PEFT"),
    ("arrow_config", "routing between adapters is not supported"),
    ("kasa_config", "KaSA is not supported; merge the adapter with PEFT"),
    (
        "ensure_weight_tying",
        "an adapter of a token table that is also the output projection is not supported; merge the adapter with PEFT",
    ),
    ("monteclora_config", "MonteCLoRA is not supported; merge the adapter with PEFT"),
    ("megatron_config", "Megatron adapters are not supported"),
];

/// Initialization methods that also change the weights of the model.
const CHANGES_WEIGHTS: [&str; 5] = ["pissa", "olora", "corda", "loftq", "lora_ga"];

pub(super) fn open(folder: &Path, scale: f64) -> Result<Adapter, LlmError> {
    let config = folder.join(CONFIG);
    if !config.is_file() {
        let problem = format!("this folder has no {CONFIG}; to run a model, name it without --lora");
        return Err(AdapterError::unusable(folder, problem).into());
    }
    let settings = LoraScales::read(&config)?;
    let path = folder.join(WEIGHTS);
    if !path.is_file() {
        let problem = match folder.join("adapter_model.bin").is_file() {
            true => format!(
                "{WEIGHTS} is missing, and adapter_model.bin is not a safe format to read; save the adapter again with PEFT"
            ),
            false => format!("this folder has no {WEIGHTS}"),
        };
        return Err(AdapterError::unusable(folder, problem).into());
    }
    let weights = Weights::open(&path)?;
    let mut adapter = Adapter {
        path: folder.into(),
        format: AdapterFormat::Peft,
        architecture: None,
        pairs: BTreeMap::new(),
        copies: BTreeMap::new(),
        unknown_settings: settings.unknown.clone(),
    };
    for tensor in weights.iter() {
        let name = tensor.name();
        let wrong = |problem: String| Err(AdapterError::tensor(&path, name, problem).into());
        let Some(place) = name.strip_prefix(PREFIX) else {
            return wrong(format!("adapter tensors must begin with {PREFIX}"));
        };
        let kinds = [(A, B), (TABLE_A, TABLE_B), (B, A), (TABLE_B, TABLE_A)];
        let of = |end: &str| kinds.iter().find(|kind| kind.0 == end).map(|kind| kind.1);
        let ends = kinds.iter().map(|kind| kind.0).chain([COPY]);
        let Some((module, end)) = ends.into_iter().find_map(|end| Some((place.strip_suffix(end)?, end)))
        else {
            return wrong(refusal(place));
        };
        let target = format!("{module}.weight");
        let Some(other) = of(end) else {
            adapter.copies.insert(target, factor(&weights, name)?);
            continue;
        };
        let twin = format!("{PREFIX}{module}{other}");
        if weights.get(&twin).is_none() {
            return wrong(format!("{twin} is missing"));
        }
        if end == A || end == TABLE_A {
            let (a, b) = (factor(&weights, name)?, factor(&weights, &twin)?);
            // For a table, A is [rank, tokens] and B is [width, rank]: their product is the transposed table.
            let (a, b) = if end == A { (a, b) } else { (b.transposed(), a.transposed()) };
            let mut pair = Pair { a, b };
            let rank = pair.rank(&path)?;
            pair.b = pair.b.scaled(settings.scale(module, rank) * scale);
            if adapter.pairs.insert(target, pair).is_some() {
                return wrong("its module also has other matrices".into());
            }
        }
    }
    if adapter.pairs.is_empty() {
        return Err(AdapterError::unusable(&path, "it has no tensors").into());
    }
    Ok(adapter)
}

fn factor(weights: &Weights, name: &str) -> Result<Factor, LlmError> {
    let tensor = weights.tensor(name)?;
    Ok(Factor { tensor: name.into(), shape: tensor.shape().to_vec(), values: tensor.to_f32()?.into_owned() })
}

/// Returns why a tensor is refused.
fn refusal(place: &str) -> String {
    match place {
        _ if place.contains("lora_magnitude_vector") => {
            "it belongs to DoRA, which is not supported; merge the adapter with PEFT"
        }
        _ if place.ends_with(".lora_B.bias") => "biases of B are not supported",
        _ if place.ends_with(".bias") => {
            "biases that replace the model's biases are not supported; merge the adapter with PEFT"
        }
        _ => "not a matrix of a LoRA adapter; weights that replace the model's weights are not supported",
    }
    .into()
}

/// The scales that the settings define.
struct LoraScales {
    alpha: f64,
    /// Whether the scale is alpha / √rank.
    by_root: bool,
    /// Modules with a different alpha: the end of the name or, after `^`, the whole name.
    alphas: Vec<(String, f64)>,
    /// Notes about settings that are not recognized.
    unknown: Vec<String>,
}

/// Settings that do not matter once an adapter is trained. The rank is known from the matrices, and the modules from
/// their names.
const KNOWN: KnownFields = KnownFields {
    harmless: &[
        "alora_invocation_string",
        "auto_mapping",
        "base_model_name_or_path",
        "corda_config",
        "eva_config",
        "exclude_modules",
        "fan_in_fan_out",
        "inference_mode",
        "init_lora_weights",
        "layers_pattern",
        "layers_to_transform",
        "loftq_config",
        "lora_dropout",
        "lora_ga_config",
        "megatron_core",
        "peft_version",
        "qalora_group_size",
        "r",
        "rank_pattern",
        "revision",
        "runtime_config",
        "target_modules",
        "task_type",
    ],
    refused: &[],
};

impl LoraScales {
    fn read(path: &Path) -> Result<LoraScales, ConfigError> {
        let fields = Fields::load(path)?;
        match fields.text("peft_type")? {
            Some("LORA") => {}
            Some(_) => {
                return Err(fields.wrong("peft_type", "only adapters of the type LORA are supported"));
            }
            None => return Err(fields.missing("peft_type")),
        }
        for (field, problem) in REFUSED {
            fields.absent(field, problem)?;
        }
        fields.only(
            "bias",
            &json!("none"),
            "trained biases are not supported; merge the adapter with PEFT",
        )?;
        let initial = fields.get("init_lora_weights").and_then(Value::as_str).unwrap_or_default();
        if CHANGES_WEIGHTS.iter().any(|kind| initial.to_ascii_lowercase().starts_with(kind)) {
            let problem = "this initialization also changes the weights of the model; save the adapter with PEFT's \
                           path_initial_model_for_weight_conversion";
            return Err(fields.wrong("init_lora_weights", problem));
        }
        let number = |field: &str, value: &Value| match value.as_f64().filter(|x| x.is_finite()) {
            Some(number) => Ok(number),
            None => Err(fields.wrong(field, "expected a number")),
        };
        let alpha = fields.get("lora_alpha").ok_or_else(|| fields.missing("lora_alpha"))?;
        let alpha = number("lora_alpha", alpha)?;
        let mut alphas = Vec::new();
        if let Some(pattern) = fields.get("alpha_pattern") {
            let object =
                pattern.as_object().ok_or_else(|| fields.wrong("alpha_pattern", "expected an object"))?;
            for (key, value) in object {
                let plain = key.replace("\\.", ".");
                let is_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
                if plain.is_empty() || !plain.strip_prefix('^').unwrap_or(&plain).chars().all(is_name) {
                    let problem = "only module names are supported here, not other regular expressions";
                    return Err(fields.wrong("alpha_pattern", problem));
                }
                alphas.push((plain, number("alpha_pattern", value)?));
            }
        }
        let by_root = fields.flag("use_rslora")?.unwrap_or(false);
        KNOWN.check(&fields)?;
        Ok(LoraScales { alpha, by_root, alphas, unknown: KNOWN.unknown(&fields, "LoRA") })
    }

    /// Returns the factor of B·A for a module.
    fn scale(&self, module: &str, rank: usize) -> f64 {
        let is = |key: &str| match key.strip_prefix('^') {
            Some(whole) => module == whole,
            None => module.strip_suffix(key).is_some_and(|front| front.is_empty() || front.ends_with('.')),
        };
        let own = self.alphas.iter().find(|(key, _)| is(key)).map(|(_, alpha)| *alpha);
        let rank = rank as f64;
        own.unwrap_or(self.alpha) / if self.by_root { rank.sqrt() } else { rank }
    }
}
