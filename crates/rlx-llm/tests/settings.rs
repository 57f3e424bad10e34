//! Changes every setting of every family: the GGUF file exported from the folder computes the same logits, or the
//! setting is refused by name.
//!
//! No setting is dropped silently.

mod comparison;

use comparison::{Expected, error, open};
use rlx_gguf::{Array, Gguf, MetaType, MetaValue, QuantizeOptions, Recipe, convert};
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

/// How a setting is changed.
enum Change {
    /// Other values imply other shapes of weights, which is an error that names tensors.
    Shape,
    /// It has no effect here.
    None,
    /// The setting is set to each of these values.
    To(Vec<Value>),
}

/// Settings that sizes of weights depend on.
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

/// Rotary embeddings of each kind, as `transformers` writes them.
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
        json!({"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}),
        json!({"rope_type": "proportional", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}),
    ]
}

/// Returns the changes of a setting.
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

/// Copies a checkpoint with other settings.
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

    /// Exports the folder to a GGUF file and opens it.
    fn as_gguf(&self) -> Result<LanguageModel, LlmError> {
        let path = self.folder.path().join("model.gguf");
        GgufExport::default().write(self.folder.path())?.write(&path)?;
        open(&path, 1, 64)
    }
}

/// Returns the logits after each token of a text.
fn logits(mut model: LanguageModel, tokens: &[u32]) -> Vec<f32> {
    model.forward_all(&[tokens]).expect("runs").concat()
}

/// Returns the settings of the language model within those of a checkpoint.
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
        // Products with blocks round their inputs, and in another order of rows they round differently.
        if name.contains("mxfp4") || name.contains("multimodal") {
            continue;
        }
        let original = read(&checkpoint.join("config.json"));
        let tokens: Vec<u32> = Expected::load(&checkpoint).tokens[0].iter().copied().take(40).collect();
        let before = Changed::new(&checkpoint, &original);
        let unchanged = logits(before.open().expect("opens"), &tokens);
        // Some checkpoints have settings that GGUF cannot represent.
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
                            // A window or a list of layers needs another field.
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
    assert!(kept > 100 && refused > 50, "{kept} kept, {refused} refused, {not_run} not run at all");
}

/// Configurations as `transformers` writes them by default (scripts/llm_configs.py), and as models of the families
/// are published.
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

/// Settings of other models that change what is computed.
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

/// The fields of `GenerationConfig` of transformers 5.24.0, each with a value other than its default, and whether it
/// makes `generate` produce other tokens there (according to the class's documentation).
const GENERATION: &str = r#"{
  "told": {"temperature": 0.6, "top_k": 20, "top_p": 0.95, "min_p": 0.1, "typical_p": 0.9, "top_h": 0.4, "epsilon_cutoff": 1e-3, "eta_cutoff": 1e-3,
    "repetition_penalty": 1.1, "encoder_repetition_penalty": 1.1, "no_repeat_ngram_size": 3, "encoder_no_repeat_ngram_size": 3,
    "exponential_decay_length_penalty": [5, 1.1], "min_length": 5, "min_new_tokens": 5, "num_beams": 4, "penalty_alpha": 0.6, "dola_layers": "high",
    "guidance_scale": 1.5, "constraints": [1], "force_words_ids": [[1]], "bad_words_ids": [[1]], "suppress_tokens": [1], "begin_suppress_tokens": [1],
    "forced_bos_token_id": 1, "forced_eos_token_id": 1, "sequence_bias": [[[1], 2.0]], "stop_strings": ["x"], "token_healing": true,
    "watermarking_config": {"bias": 2.0}},
  "not": {"_from_model_config": true, "assistant_confidence_threshold": 0.5, "assistant_early_exit": 4, "assistant_ensemble_weight": 0.5,
    "assistant_lookbehind": 5, "bos_token_id": 1, "cache_config": {"a": 1}, "cache_implementation": "static", "compile_config": {"a": 1},
    "continuous_batching_config": {"a": 1}, "decoder_start_token_id": 1, "disable_compile": true, "diversity_penalty": 0.5, "do_sample": true,
    "early_stopping": true, "eos_token_id": [1, 2], "is_assistant": true, "length_penalty": 2.0, "low_memory": true, "max_cache_len": 100,
    "max_length": 4096, "max_matching_ngram_size": 3, "max_new_tokens": 100, "max_time": 10.0, "num_assistant_tokens": 5,
    "num_assistant_tokens_schedule": "constant", "num_beam_groups": 2, "num_return_sequences": 2, "output_attentions": true,
    "output_hidden_states": true, "output_logits": true, "output_scores": true, "pad_token_id": 0, "prefill_chunk_size": 512,
    "prompt_lookup_num_tokens": 5, "remove_invalid_values": true, "renormalize_logits": true, "return_dict_in_generate": true,
    "speculation_type": "mtp", "target_lookbehind": 5, "transformers_version": "5.24.0", "use_cache": false, "use_mtp": true},
  "neutral": {"temperature": 1.0, "top_k": 50, "top_p": 1, "repetition_penalty": 1.0, "num_beams": 1, "suppress_tokens": [], "stop_strings": null}
}"#;

/// Settings in the files next to `config.json` are also read, harmless, refused or reported.
#[test]
fn settings_beside_the_configuration_are_known_refused_or_told() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(tests().join("checkpoints/llama/config.json"), folder.path().join("config.json"))
        .expect("copied");
    let of = |file: &str, settings: Value| {
        let path = folder.path().join(file);
        fs::write(&path, settings.to_string()).expect("written");
        let told = unknown_settings(folder.path()).map_err(|e| e.to_string());
        fs::remove_file(&path).expect("removed");
        told
    };
    let all: Value = serde_json::from_str(GENERATION).expect("JSON");
    let fields = |group: &str| all[group].as_object().expect("an object").clone();
    for (key, value) in fields("told") {
        let told = of("generation_config.json", json!({ &key: value })).expect(&key);
        assert!(
            told.len() == 1 && told[0].contains(&format!("{key} = {value}: no effect here; the sampling")),
            "{told:?}"
        );
    }
    for (key, value) in fields("not").into_iter().chain(fields("neutral")) {
        assert_eq!(of("generation_config.json", json!({ &key: value })).as_deref(), Ok(&[][..]), "{key}");
    }
    // As in Qwen3's file: one sentence for all of them.
    let told = of(
        "generation_config.json",
        json!({"do_sample": true, "temperature": 0.6, "top_k": 20, "eos_token_id": 1}),
    );
    let told = told.expect("loads");
    assert!(
        told.len() == 1 && told[0].contains("json: temperature = 0.6, top_k = 20: no effect"),
        "{told:?}"
    );

    // As published with tokenizers of the families: those of Llama 3, Qwen3, Gemma 2, Phi-3 and GPT-2.
    let ordinary = json!({
        "add_bos_token": true, "add_eos_token": false, "add_prefix_space": false, "added_tokens_decoder": {"0": {"content": "<s>", "special": true}},
        "additional_special_tokens": ["<|im_start|>"], "bos_token": "<s>", "chat_template": "{{ messages }}",
        "clean_up_tokenization_spaces": false, "eos_token": {"content": "</s>"}, "errors": "replace", "extra_special_tokens": {},
        "legacy": false, "model_input_names": ["input_ids", "attention_mask"], "model_max_length": 131072, "pad_token": null,
        "padding_side": "left", "sp_model_kwargs": {}, "spaces_between_special_tokens": false, "split_special_tokens": false,
        "tokenizer_class": "PreTrainedTokenizerFast", "unk_token": null, "use_default_system_prompt": false, "backend": "tokenizers",
        "is_local": false
    });
    assert_eq!(of("tokenizer_config.json", ordinary).as_deref(), Ok(&[][..]));
    let told = of("tokenizer_config.json", json!({"clean_up_tokenization_spaces": true})).expect("loads");
    assert!(told[0].contains("clean_up_tokenization_spaces = true: no effect here"), "{told:?}");
    let error = of("tokenizer_config.json", json!({"split_special_tokens": true})).expect_err("refused");
    assert!(error.contains("tokenizer_config.json: split_special_tokens = true: "), "{error}");
    for file in ["tokenizer_config.json", "generation_config.json"] {
        let told = of(file, json!({"a_new_setting": [1, 2]})).expect("loads");
        let sentence = format!(
            "{file}: a_new_setting = [1,2]: the family llama does not know this setting; it has no effect"
        );
        assert!(told.len() == 1 && told[0].ends_with(&sentence), "{told:?}");
        assert!(of(file, json!([1])).expect_err("no object").contains(file));
    }
}

/// Keys of a GGUF file, as llama.cpp's loaders read them (src/models of llama.cpp in llama-cpp-python 0.3.36): keys
/// that change the model are read or refused, and unknown ones are reported.
#[test]
fn keys_of_gguf_files_are_read_or_refused_or_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.gguf");
    let opened = |name: &str, key: &str, value: MetaValue<'static>| {
        let file = Gguf::open(&tests().join("gguf").join(name)).expect("sound");
        let mut writer = convert::from_gguf(&file);
        writer.set(key, value);
        writer.write(&path).expect("written");
        open(&path, 1, 64)
    };
    for (name, key, value) in [
        ("llama-f16.gguf", "llama.attention.scale", MetaValue::F32(0.5)),
        ("llama-f16.gguf", "llama.logit_scale", MetaValue::F32(8.0)),
        ("llama-f16.gguf", "llama.residual_scale", MetaValue::F32(0.22)),
        ("llama-f16.gguf", "llama.attention.causal", MetaValue::Bool(false)),
        ("llama_yarn-f16.gguf", "llama.rope.scaling.yarn_ext_factor", MetaValue::F32(0.5)),
        ("qwen3-f16.gguf", "qwen3.attention.value_length", MetaValue::U32(4)),
        ("qwen3_moe-f16.gguf", "qwen3moe.expert_weights_norm", MetaValue::Bool(false)),
        ("qwen2_moe-f16.gguf", "qwen2moe.expert_weights_scale", MetaValue::F32(2.5)),
    ] {
        let error = opened(name, key, value).err().unwrap_or_else(|| panic!("{key} is accepted")).to_string();
        assert!(error.contains(&format!("{key} = ")), "{error}");
    }
    let neutral = opened("llama-f16.gguf", "llama.logit_scale", MetaValue::F32(1.0)).expect("opens");
    assert!(neutral.unknown_settings().is_empty(), "{:?}", neutral.unknown_settings());
    let told = opened("llama-f16.gguf", "llama.a_new_key", MetaValue::U32(3)).expect("opens");
    assert!(told.unknown_settings()[0].contains("llama.a_new_key = 3"), "{:?}", told.unknown_settings());
    // A list says which layers attend to a window; a number n says that every n-th layer does not.
    let windows = |model: &LanguageModel| -> Vec<bool> {
        let attention = |layer: &rlx_llm::spec::LayerSpec| match &layer.mixer {
            rlx_llm::spec::MixerSpec::Attention(attention) => attention.window.is_some(),
            _ => false,
        };
        model.spec().layers.iter().map(attention).collect()
    };
    let list = Array::new(MetaType::Bool, [false, true].into_iter().map(MetaValue::Bool));
    let key = "gemma2.attention.sliding_window_pattern";
    let turned = opened("gemma2-f16.gguf", key, MetaValue::Array(list)).expect("opens");
    assert_eq!(windows(&turned), [false, true]);
    // Files from llama.cpp's converter have no unknown keys.
    for entry in fs::read_dir(tests().join("gguf")).expect("listed") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "gguf") {
            let model = open(&path, 1, 64).expect("opens");
            assert!(
                model.unknown_settings().is_empty(),
                "{}: {:?}",
                path.display(),
                model.unknown_settings()
            );
        }
    }
}

/// YaRN's magnitude in llama.cpp is (1 + 0.1 ln s) · attn_factor, and with a multiplier m of the logarithm (1 + 0.1 ln s) / (1 + 0.1 m ln s).
#[test]
fn magnitudes_of_yarn_are_llama_cpps() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.gguf");
    let magnitude = |keys: &[(&str, f32)]| {
        let file = Gguf::open(&tests().join("gguf/llama_yarn-f16.gguf")).expect("sound");
        let mut writer = convert::from_gguf(&file);
        for (key, value) in keys {
            writer.set(format!("llama.rope.scaling.{key}"), MetaValue::F32(*value));
        }
        writer.write(&path).expect("written");
        open(&path, 1, 64).expect("opens").spec().ropes[0].magnitude
    };
    let usual = 1.0 + 0.1 * 4f64.ln();
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} is not {b}");
    near(magnitude(&[]), usual);
    near(magnitude(&[("attn_factor", 0.5)]), 0.5 * usual);
    near(magnitude(&[("yarn_log_multiplier", 0.5)]), usual / (1.0 + 0.05 * 4f64.ln()));
}

/// Weights that are not finite stop every writer except a copy in full precision.
#[test]
fn weights_that_are_not_finite_are_not_written() {
    let checkpoint = tests().join("checkpoints/llama");
    let config = read(&checkpoint.join("config.json"));
    let changed = Changed::new(&checkpoint, &config);
    let path = changed.folder.path().join("model.safetensors");
    // Tensors of the checkpoint are bf16: its largest numbers do not fit in f16, and 0x7fc0 is NaN.
    for (bits, fits, text) in [(0x7f7fu16, true, "3.38"), (0x7fc0, false, "NaN")] {
        let mut bytes = fs::read(checkpoint.join("model.safetensors")).expect("read");
        let header = u64::from_le_bytes(bytes[..8].try_into().expect("eight")) as usize;
        let tensors: Value = serde_json::from_slice(&bytes[8..8 + header]).expect("a header");
        let at =
            tensors["model.layers.0.self_attn.v_proj.weight"]["data_offsets"][0].as_u64().expect("a place");
        bytes[8 + header + at as usize..][..2].copy_from_slice(&bits.to_le_bytes());
        fs::write(&path, bytes).expect("written");
        let export = || GgufExport::default().write(changed.folder.path()).expect("planned");
        let to = changed.folder.path().join("model.gguf");
        assert_eq!(export().write(&to).is_ok(), fits);
        for recipe in [Recipe::F16, Recipe::Q8_0, Recipe::Q4_0] {
            let quantized = export().quantized(&QuantizeOptions::new(recipe), None).expect("planned");
            let error = quantized.write(&to).expect_err("refused").to_string();
            assert!(error.contains("blk.0.attn_v.weight") && error.contains("value 0 is "), "{error}");
            assert!(error.contains(text), "{error}");
        }
    }
}
