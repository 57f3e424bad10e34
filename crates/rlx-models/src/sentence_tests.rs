//! Model folders as sentence-transformers writes them, old and new, and folders that need unsupported features.

use std::fs;

use tempfile::TempDir;

use super::*;

/// Makes a folder with these files.
fn folder(files: &[(&str, Value)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, value) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    }
    dir
}

fn modules(kinds: &[(&str, &str)]) -> Value {
    let rows = kinds.iter().enumerate();
    rows.map(|(i, (path, kind))| json!({"idx": i, "name": i.to_string(), "path": path, "type": kind}))
        .collect()
}

fn usual() -> Vec<(&'static str, Value)> {
    vec![
        (
            "modules.json",
            modules(&[
                ("", "sentence_transformers.models.Transformer"),
                ("1_Pooling", "sentence_transformers.models.Pooling"),
                ("2_Normalize", "sentence_transformers.models.Normalize"),
            ]),
        ),
        (
            "1_Pooling/config.json",
            json!({
                "word_embedding_dimension": 384, "pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true,
                "pooling_mode_max_tokens": false, "pooling_mode_mean_sqrt_len_tokens": false
            }),
        ),
        ("sentence_bert_config.json", json!({"max_seq_length": 256, "do_lower_case": false})),
        ("config_sentence_transformers.json", json!({"__version__": {"pytorch": "1.8.1"}})),
    ]
}

/// Makes the folder of [`usual`] with one file replaced.
fn with(name: &'static str, value: Value) -> TempDir {
    let mut files = usual();
    files.retain(|(n, _)| *n != name);
    files.push((name, value));
    folder(&files)
}

#[test]
fn an_old_folder_is_read() {
    let dir = folder(&usual());
    let config = SentenceConfig::load(dir.path()).unwrap();
    assert_eq!(
        config,
        SentenceConfig {
            encoder: dir.path().to_path_buf(),
            pooling: vec![PoolKind::Mean],
            normalize: true,
            max_tokens: Some(256),
            lowercase: false,
            prompt: String::new(),
        }
    );
    assert_eq!(config.output_size(384), 384);
}

#[test]
fn a_new_folder_is_read() {
    let dir = folder(&[
        (
            "modules.json",
            modules(&[
                ("0_Transformer", "sentence_transformers.base.modules.transformer.Transformer"),
                ("1_Pooling", "sentence_transformers.sentence_transformer.modules.pooling.Pooling"),
                ("2_Normalize", "sentence_transformers.base.modules.normalize.Normalize"),
            ]),
        ),
        (
            "1_Pooling/config.json",
            json!({
                "embedding_dimension": 384, "pooling_mode": ["lasttoken", "cls"], "include_prompt": true
            }),
        ),
        (
            "2_Normalize/config.json",
            json!({
                "module_input_name": "sentence_embedding", "module_output_name": "sentence_embedding"
            }),
        ),
        (
            "0_Transformer/sentence_bert_config.json",
            json!({
                "transformer_task": "feature-extraction", "module_output_name": "token_embeddings",
                "modality_config": {"text": {"method": "forward", "method_output_name": "last_hidden_state"}}
            }),
        ),
        (
            "config_sentence_transformers.json",
            json!({
                "model_type": "SentenceTransformer", "default_prompt_name": "query",
                "prompts": {"query": "query: ", "document": ""}, "similarity_fn_name": "cosine"
            }),
        ),
    ]);
    let config = SentenceConfig::load(dir.path()).unwrap();
    assert_eq!(config.encoder, dir.path().join("0_Transformer"));
    assert_eq!(config.pooling, [PoolKind::LastToken, PoolKind::Cls]);
    assert_eq!((config.prompt.as_str(), config.max_tokens, config.output_size(10)), ("query: ", None, 20));
}

#[test]
fn a_bare_encoder_has_mean_pooling_and_no_norm() {
    let config = SentenceConfig::load(folder(&[]).path()).unwrap();
    assert_eq!((config.pooling.as_slice(), config.normalize), ([PoolKind::Mean].as_slice(), false));
}

#[test]
fn several_flags_are_joined_in_a_fixed_order() {
    let dir = with(
        "1_Pooling/config.json",
        json!({"pooling_mode_max_tokens": true, "pooling_mode_cls_token": true}),
    );
    assert_eq!(SentenceConfig::load(dir.path()).unwrap().pooling, [PoolKind::Cls, PoolKind::Max]);
}

#[test]
fn pooling_for_an_encoder_of_another_width_is_named() {
    for field in ["word_embedding_dimension", "embedding_dimension"] {
        let dir = with("1_Pooling/config.json", json!({"pooling_mode": "mean", field: 768}));
        check_width(dir.path(), 768).unwrap();
        let error = check_width(dir.path(), 384).unwrap_err().to_string();
        let expected =
            format!("1_Pooling/config.json: {field} = 768: the encoder's vectors have 384 elements");
        assert!(error.contains(&expected), "{error}");
        for value in [json!(0), json!("384"), json!(384.5), json!(-384)] {
            let dir = with("1_Pooling/config.json", json!({"pooling_mode": "mean", field: value}));
            assert!(check_width(dir.path(), 384).is_err());
        }
    }
    check_width(folder(&[]).path(), 384).unwrap();
}

#[test]
fn what_is_not_supported_is_named() {
    const TRANSFORMER: &str = "sentence_transformers.models.Transformer";
    const POOLING: &str = "sentence_transformers.models.Pooling";
    let dense = "sentence_transformers.models.Dense";
    let pooling = |value| ("1_Pooling/config.json", value);
    let encoder = |value| ("sentence_bert_config.json", value);
    let all = |kinds: &[(&str, &str)]| ("modules.json", modules(kinds));
    let rows = vec![
        (all(&[("", TRANSFORMER), ("1_Pooling", POOLING), ("2", dense)]), "models.Dense\": modules must be"),
        (all(&[("", TRANSFORMER)]), "1 modules: a Transformer and a Pooling"),
        (all(&[]), "0 modules"),
        (all(&[("1_Pooling", POOLING), ("", TRANSFORMER)]), "modules must be"),
        (all(&[("", "evil.Transformer"), ("1_Pooling", POOLING)]), "type = \"evil.Transformer\""),
        (all(&[("", TRANSFORMER), ("../elsewhere", POOLING)]), "inside the folder of the model"),
        (all(&[("/etc", TRANSFORMER), ("1_Pooling", POOLING)]), "inside the folder of the model"),
        (("modules.json", json!([{"path": "", "type": TRANSFORMER, "kwargs": ["x"]}])), "\"kwargs\""),
        (("modules.json", json!({})), "not the expected JSON"),
        (pooling(json!({"pooling_mode": "median"})), "pooling_mode = \"median\": expected one or more"),
        (pooling(json!({"pooling_mode": []})), "one or more"),
        (
            pooling(json!({"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": false})),
            "config.json: pooling_mode_cls_token = false: every mode is switched off; one of pooling_mode_cls_token",
        ),
        (pooling(json!({"pooling_mode_mean_tokens": null})), "pooling_mode_mean_tokens = null: every mode"),
        (
            pooling(json!({"pooling_mode": "mean", "pooling_mode_cls_token": true})),
            "pooling_mode_cls_token = true: pooling_mode does not name cls",
        ),
        (pooling(json!({"include_prompt": false})), "include_prompt = false"),
        (pooling(json!({"pooling_mode_new_tokens": true})), "pooling_mode_new_tokens = true: unknown"),
        (pooling(json!({"pooling_mode_cls_token": "yes"})), "true or false"),
        (encoder(json!({"max_seq_length": 0})), "max_seq_length = 0: expected an integer from 1"),
        (encoder(json!({"query_length": 32})), "query_length = 32: unknown setting"),
        (encoder(json!({"transformer_task": "fill-mask"})), "only feature-extraction"),
        (("2_Normalize/config.json", json!({"module_input_name": "token_embeddings"})), "module_input_name"),
        (
            ("config_sentence_transformers.json", json!({"model_type": "CrossEncoder"})),
            "only sentence models",
        ),
        (
            ("config_sentence_transformers.json", json!({"default_prompt_name": "q"})),
            "does not contain a text with that name",
        ),
    ];
    for ((name, value), says) in rows {
        let dir = with(name, value);
        let error = SentenceConfig::load(dir.path()).expect_err(says);
        let text = error.to_string();
        assert!(text.contains(says) && text.contains(name), "{text}\nneeds {says} and {name}");
    }
}

#[test]
fn a_folder_of_pooling_that_is_missing_is_an_error() {
    let dir = folder(&usual()[..1]);
    assert!(SentenceConfig::load(dir.path()).unwrap_err().to_string().contains("no such file"));
}
