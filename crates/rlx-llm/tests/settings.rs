//! Every setting of every family, changed: the GGUF file that is made of the folder computes the same logits, or the setting is refused by its
//! name. Nothing is dropped.

mod comparison;

use comparison::{Expected, error, open};
use rlx_llm::export::GgufExport;
use rlx_llm::families::{FAMILIES, unknown_settings};
use rlx_llm::{LanguageModel, LlmError};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};

type Config = Map<String, Value>;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn read(path: &Path) -> Config {
    let text = fs::read_to_string(path).expect("read");
    serde_json::from_str(&text).expect("an object")
}

/// What is done to a setting.
enum Change {
    /// Its other values give weights of other shapes, which is an error that names tensors.
    Shape,
    /// It has no effect here.
    None,
    /// It is set to each of these.
    To(Vec<Value>),
}

/// Settings by the sizes of weights.
const SHAPES: &[&str] = &[
    "conv_kernel",
    "head_dim",
    "hidden_size",
    "intermediate_size",
    "linear_conv_kernel_dim",
    "linear_key_head_dim",
    "linear_num_key_heads",
    "linear_num_value_heads",
    "linear_value_head_dim",
    "model_type",
    "moe_intermediate_size",
    "n_embd",
    "n_groups",
    "n_head",
    "n_layer",
    "n_positions",
    "num_attention_heads",
    "num_experts",
    "num_heads",
    "num_hidden_layers",
    "num_key_value_heads",
    "num_local_experts",
    "qkv_bias",
    "quantization_config",
    "shared_expert_intermediate_size",
    "state_size",
    "tie_word_embeddings",
    "use_bias",
    "use_conv_bias",
    "vocab_size",
];

/// Rotary embeddings of each kind, as `transformers` has them.
fn ropes() -> Vec<Value> {
    let yarn = json!({"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 16});
    let with = |fields: Value| {
        let mut all = yarn.as_object().expect("an object").clone();
        all.extend(fields.as_object().expect("an object").clone());
        Value::Object(all)
    };
    vec![
        json!({"rope_type": "default", "rope_theta": 5000.0}),
        json!({"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}),
        json!({"rope_type": "linear", "rope_theta": 10000.0, "factor": 3.0}),
        json!({"rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 16}),
        yarn.clone(),
        with(json!({"truncate": false})),
        with(json!({"mscale": 0.707, "mscale_all_dim": 0.5})),
        with(json!({"attention_factor": 0.8})),
        with(json!({"beta_fast": 16.0, "beta_slow": 2.0})),
        json!({"rope_type": "longrope", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 64,
               "short_factor": [1.0, 1.1, 1.3, 2.0], "long_factor": [1.0, 2.0, 3.0, 5.0]}),
        with(json!({"extrapolation_factor": 0.5})),
    ]
}

/// What a setting is changed to.
fn change(key: &str, value: &Value) -> Change {
    let activations = ["gelu", "gelu_pytorch_tanh", "relu", "silu", "sigmoid"].map(Value::from).to_vec();
    match key {
        _ if SHAPES.contains(&key) => Change::Shape,
        "hidden_act" | "hidden_activation" | "activation_function" => Change::To(activations),
        "rope_parameters" => {
            let both = |rope: Value| json!({"full_attention": rope, "sliding_attention": {"rope_type": "default", "rope_theta": 5000.0}});
            let is_of_kinds = value.get("full_attention").is_some();
            Change::To(ropes().into_iter().map(|rope| if is_of_kinds { both(rope) } else { rope }).collect())
        }
        "sliding_window" => Change::To(vec![json!(5), json!(3), Value::Null]),
        "layer_types" => {
            let list = value.as_array().expect("a list");
            let all = |kind: &str| vec![json!(kind); list.len()].into();
            let turned = list.iter().rev().cloned().collect::<Vec<_>>().into();
            Change::To(vec![turned, all("full_attention"), all("sliding_attention"), all("linear_attention")])
        }
        "no_rope_layers" => Change::To(vec![json!([1, 0, 1, 0]), json!([1, 1, 1, 1]), json!([0, 0, 0, 0])]),
        "mlp_only_layers" => Change::To(vec![json!([0])]),
        "decoder_sparse_step" => Change::To(vec![json!(2)]),
        "num_experts_per_tok" => Change::To(vec![json!(1)]),
        "max_window_layers" => Change::To(vec![json!(0), json!(1)]),
        "query_pre_attn_scalar" => Change::To(vec![json!(5), json!(8), json!(100)]),
        "attn_logit_softcapping" | "final_logit_softcapping" => Change::To(vec![Value::Null, json!(2.0)]),
        "swiglu_limit" | "swiglu_alpha" => Change::To(vec![json!(0.5), json!(3.0)]),
        "rms_norm_eps" | "layer_norm_epsilon" => Change::To(vec![json!(0.01)]),
        "max_position_embeddings" => Change::To(vec![json!(256)]),
        "partial_rotary_factor" => Change::To(vec![json!(0.5), json!(1.0)]),
        "time_step_limit" => Change::To(vec![json!([0.0, 0.05])]),
        "use_bidirectional_attention"
        | "use_sliding_window"
        | "attention_bias"
        | "mlp_bias"
        | "norm_topk_prob"
        | "add_cross_attention"
        | "scale_attn_by_inverse_layer_idx"
        | "scale_attn_weights" => Change::To(vec![Value::Bool(!value.as_bool().unwrap_or(false))]),
        "n_inner" => Change::Shape,
        _ => Change::None,
    }
}

/// A copy of a checkpoint with other settings.
struct Changed {
    folder: tempfile::TempDir,
}

impl Changed {
    fn new(checkpoint: &Path, config: &Config) -> Changed {
        let folder = tempfile::tempdir().expect("a folder");
        fs::copy(checkpoint.join("model.safetensors"), folder.path().join("model.safetensors"))
            .expect("copied");
        let text = Value::Object(config.clone()).to_string();
        fs::write(folder.path().join("config.json"), text).expect("written");
        Changed { folder }
    }

    fn open(&self) -> Result<LanguageModel, LlmError> {
        open(self.folder.path(), 1, 64)
    }

    /// The model in the GGUF file that is made of it.
    fn as_gguf(&self) -> Result<LanguageModel, LlmError> {
        let path = self.folder.path().join("model.gguf");
        GgufExport::default().write(self.folder.path())?.write(&path)?;
        open(&path, 1, 64)
    }
}

/// The logits after each token of a text.
fn logits(mut model: LanguageModel, tokens: &[u32]) -> Vec<f32> {
    model.forward_all(&[tokens]).expect("runs").concat()
}

/// The settings of the language model in those of a checkpoint.
fn text_part(config: &mut Config) -> &mut Config {
    if config.contains_key("text_config") {
        return config.get_mut("text_config").and_then(Value::as_object_mut).expect("an object");
    }
    config
}

#[test]
fn every_setting_is_kept_in_gguf_or_refused_by_name() {
    let (mut kept, mut refused, mut not_run) = (0, 0, 0);
    let mut folders: Vec<PathBuf> = fs::read_dir(tests().join("checkpoints"))
        .expect("listed")
        .map(|e| e.expect("an entry").path())
        .collect();
    folders.sort();
    for checkpoint in folders {
        let name = checkpoint.file_name().expect("a name").to_string_lossy().into_owned();
        // Products with blocks round what they multiply, in another order of rows another way.
        if name.contains("mxfp4") || name.contains("multimodal") {
            continue;
        }
        let original = read(&checkpoint.join("config.json"));
        let tokens: Vec<u32> = Expected::load(&checkpoint).tokens[0].iter().copied().take(40).collect();
        let before = Changed::new(&checkpoint, &original);
        let unchanged = logits(before.open().expect("opens"), &tokens);
        // Some checkpoints are made of settings that GGUF has no place for.
        let first_problem = match before.as_gguf() {
            Err(LlmError::Export { problem, .. }) => Some(problem),
            other => other.map(|_| None).unwrap_or_else(|e| panic!("{name}: {e}")),
        };
        assert_eq!(first_problem.is_some(), name.ends_with("_window"), "{name}: {first_problem:?}");
        for (key, value) in text_part(&mut original.clone()).iter() {
            let values = match change(key, value) {
                Change::Shape => continue,
                Change::None => {
                    let known = matches!(
                        value,
                        Value::Number(_) | Value::String(_) | Value::Bool(_) | Value::Null | Value::Array(_)
                    );
                    assert!(known, "{name}: {key} has a value of a new kind");
                    continue;
                }
                Change::To(values) => values.into_iter().filter(|other| other != value),
            };
            for other in values {
                let mut config = original.clone();
                text_part(&mut config).insert(key.clone(), other.clone());
                let what = format!("{name}: {key} = {other}");
                let changed = Changed::new(&checkpoint, &config);
                let model = match changed.open() {
                    Ok(model) => model,
                    Err(error) => {
                        let text = error.to_string();
                        let is_named = text.contains(key.as_str())
                            || matches!(error, LlmError::Misfit(_))
                            // What a window or a list of layers asks for is another field.
                            || ["sliding_window", "layer_types", "mrope"].iter().any(|field| text.contains(field));
                        assert!(is_named, "{what}: {text}");
                        not_run += 1;
                        continue;
                    }
                };
                let of_folder = logits(model, &tokens);
                match changed.as_gguf() {
                    Ok(model) => {
                        let off = error(&logits(model, &tokens), &of_folder);
                        let moved = error(&unchanged, &of_folder);
                        assert!(
                            off < 2e-5,
                            "{what}: the file is off by {off}, the setting moves logits by {moved}"
                        );
                        kept += 1;
                    }
                    Err(LlmError::Export { problem, .. }) => {
                        let is_named = problem.contains(key.as_str()) || first_problem.is_some();
                        assert!(is_named, "{what}: {problem}");
                        refused += 1;
                    }
                    Err(error) => panic!("{what}: {error}"),
                }
            }
        }
    }
    println!("{kept} kept, {refused} refused, {not_run} not run at all");
    assert!(kept > 100 && refused > 50, "{kept} kept, {refused} refused");
}

/// Configurations as `transformers` writes them by default (scripts/llm_configs.py), and as models of the families are published.
#[test]
fn ordinary_settings_of_every_family_are_all_known() {
    let mut families = Vec::new();
    for entry in fs::read_dir(tests().join("configs")).expect("listed") {
        let path = entry.expect("an entry").path();
        let folder = tempfile::tempdir().expect("a folder");
        fs::copy(&path, folder.path().join("config.json")).expect("copied");
        let unknown = unknown_settings(folder.path()).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(unknown.is_empty(), "{}: {unknown:?}", path.display());
        families.push(text_part(&mut read(&path))["model_type"].as_str().expect("text").to_string());
    }
    for family in FAMILIES {
        assert!(families.iter().any(|name| name == family.name), "{}", family.name);
    }
}

/// Settings that other models have, and that change what is computed.
#[test]
fn settings_that_nothing_here_reads_are_refused_or_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = read(&tests().join("checkpoints/llama/config.json"));
    let with = |key: &str, value: Value| {
        let mut config = base.clone();
        config.insert(key.into(), value);
        fs::write(folder.path().join("config.json"), Value::Object(config).to_string()).expect("written");
        unknown_settings(folder.path()).map_err(|e| e.to_string())
    };
    for (key, value) in [
        ("use_qk_norm", json!(true)),
        ("residual_multiplier", json!(0.22)),
        ("logits_scaling", json!(8.0)),
        ("is_causal", json!(false)),
        ("use_bidirectional_attention", json!(true)),
        ("attention_chunk_size", json!(64)),
        ("auto_map", json!({"AutoModel": "x.Y"})),
        ("partial_rotary_factor", json!(0.5)),
        ("rope_scaling", json!({"rope_type": "linear", "factor": 2.0})),
    ] {
        let error = with(key, value.clone()).expect_err(key);
        assert!(error.contains(&format!("config.json: {key} = {value}: ")), "{error}");
    }
    let inner = json!({"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "alpha": 1000.0, "original_max_position_embeddings": 64});
    let error = with("rope_parameters", inner).expect_err("alpha");
    assert!(error.contains("rope_parameters") && error.contains("alpha = 1000"), "{error}");
    for (key, value) in
        [("residual_multiplier", json!(1)), ("use_qk_norm", json!(false)), ("logits_scaling", Value::Null)]
    {
        assert_eq!(with(key, value).as_deref(), Ok(&[][..]), "{key}");
    }
    let told = with("a_new_setting", json!(3)).expect("loads");
    assert_eq!(told.len(), 1);
    assert!(
        told[0].ends_with(
            "config.json: a_new_setting = 3: the family llama does not know this setting; it has no effect"
        ),
        "{told:?}"
    );
}
