//! Shared by the tests on a whole model: a model that is small enough to create for each test, and the command itself.

#[path = "command.rs"]
mod command;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

use rlx_ir::math::random::SplitMix64;
use rlx_models::weights::{StoredType, Tensor, save};
use serde_json::{Value, json};
use tempfile::TempDir;

const WORDS: [&str; 8] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "hello", "world", "##s", "a"];
pub const HIDDEN: usize = 8;
pub const WIDE: usize = 16;
const POSITIONS: usize = 12;

pub fn rlx(args: &[&str], input: &str) -> Output {
    command::rlx(Path::new("."), args, input)
}

/// The output of the command, which must succeed and print nothing on standard error.
pub fn text(args: &[&str], input: &str) -> String {
    let output = rlx(args, input);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

pub fn vectors(text: &str) -> Vec<Vec<f32>> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn tokenizer() -> Value {
    let vocab: serde_json::Map<_, _> =
        WORDS.iter().enumerate().map(|(i, w)| (w.to_string(), json!(i))).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "decoder": null,
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                       "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": vocab}
    })
}

/// Names and shapes of a BERT encoder with one layer.
fn shapes(positions: usize) -> Vec<(String, Vec<usize>)> {
    let mut all = vec![
        ("embeddings.word_embeddings.weight".to_string(), vec![WORDS.len(), HIDDEN]),
        ("embeddings.position_embeddings.weight".into(), vec![positions, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".into(), vec![2, HIDDEN]),
    ];
    let layer = "encoder.layer.0";
    for part in
        ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"]
    {
        all.push((format!("{layer}.{part}.weight"), vec![HIDDEN, HIDDEN]));
        all.push((format!("{layer}.{part}.bias"), vec![HIDDEN]));
    }
    all.push((format!("{layer}.intermediate.dense.weight"), vec![WIDE, HIDDEN]));
    all.push((format!("{layer}.intermediate.dense.bias"), vec![WIDE]));
    all.push((format!("{layer}.output.dense.weight"), vec![HIDDEN, WIDE]));
    all.push((format!("{layer}.output.dense.bias"), vec![HIDDEN]));
    let norms =
        ["embeddings", &format!("{layer}.attention.output"), &format!("{layer}.output")].map(String::from);
    for norm in norms {
        all.push((format!("{norm}.LayerNorm.weight"), vec![HIDDEN]));
        all.push((format!("{norm}.LayerNorm.bias"), vec![HIDDEN]));
    }
    all
}

/// A model with weights between -1 and 1, stored as `f32`.
pub fn model() -> TempDir {
    model_with(POSITIONS)
}

/// The same, for texts of up to this many tokens.
pub fn model_with(positions: usize) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let config = json!({
        "model_type": "bert", "vocab_size": WORDS.len(), "hidden_size": HIDDEN, "num_hidden_layers": 1,
        "num_attention_heads": 2, "intermediate_size": WIDE, "max_position_embeddings": positions,
        "type_vocab_size": 2, "hidden_act": "gelu"
    });
    let module = |path: &str, kind: &str| json!({"path": path, "type": format!("sentence_transformers.models.{kind}")});
    let modules = json!([module("", "Transformer"), module("p", "Pooling"), module("n", "Normalize")]);
    fs::create_dir(dir.path().join("p")).unwrap();
    let files = [
        ("config.json", config),
        ("tokenizer.json", tokenizer()),
        ("modules.json", modules),
        ("p/config.json", json!({"pooling_mode": "mean"})),
    ];
    for (name, value) in files {
        fs::write(dir.path().join(name), value.to_string()).unwrap();
    }
    let (mut random, stored) = (SplitMix64::new(1), StoredType::from_tag("F32").unwrap());
    let mut next = || (random.bits() >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
    let shapes = shapes(positions);
    let bytes: Vec<Vec<u8>> = shapes
        .iter()
        .map(|(_, shape)| (0..shape.iter().product()).flat_map(|_| next().to_le_bytes()).collect())
        .collect();
    let tensors: Vec<_> = shapes
        .iter()
        .zip(&bytes)
        .map(|((name, shape), bytes)| Tensor { name, stored, shape, bytes })
        .collect();
    save(&dir.path().join("model.safetensors"), &tensors, &BTreeMap::new()).unwrap();
    dir
}

pub fn path(dir: &TempDir) -> &str {
    dir.path().to_str().unwrap()
}
