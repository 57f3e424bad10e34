//! Models whose files contradict themselves, and models that compute values that are not finite: each is refused with
//! a sentence that names the problem.

mod comparison;

use comparison::tokenizer;
use rlx_files::weights::{Tensor, Weights, save};
use rlx_gguf::{Gguf, GgufWriter, ImportanceMatrix, MetaValue, TensorView};
use rlx_llm::generate::{GenerateError, GenerateOptions, Generator, Sampler, Sampling};
use rlx_llm::{ImportanceRun, LanguageModel, LlmError, ModelOptions, ModelSteps};
use rlx_session::{Device, Session};
use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn session() -> Session {
    Session::new(Device::Cpu)
}

fn open(path: &Path) -> Result<LanguageModel, LlmError> {
    LanguageModel::open(path, &session(), &ModelOptions { capacity: Some(64), ..ModelOptions::default() })
}

/// Makes a folder with changed settings and the weights of a checkpoint.
fn changed(name: &str, from: &str, to: &str) -> tempfile::TempDir {
    let source = tests().join("checkpoints").join(name);
    let folder = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(source.join("config.json")).expect("read");
    assert!(text.contains(from), "{name}: {from}");
    fs::write(folder.path().join("config.json"), text.replace(from, to)).expect("written");
    fs::copy(source.join("model.safetensors"), folder.path().join("model.safetensors")).expect("copied");
    folder
}

fn refusal<T>(opened: Result<T, LlmError>) -> String {
    opened.map(|_| ()).expect_err("refused").to_string()
}

/// Copies a file with one key changed.
fn with_key(from: &Gguf, key: &str, value: Option<MetaValue<'static>>, to: &Path) {
    let mut out = GgufWriter::new();
    for (name, old) in from.metadata().filter(|(name, _)| *name != key) {
        out.set(name, old);
    }
    value.into_iter().for_each(|value| out.set(key, value));
    let all: Vec<TensorView<'_>> = from.tensors().collect();
    for tensor in &all {
        out.tensor(tensor.name(), tensor.stored_type(), tensor.shape(), tensor.stored_bytes());
    }
    out.write(to).expect("written");
}

/// Integers that do not show in any tensor, by the ends of their keys: other values describe another model, which the
/// file may well contain.
const SHOWN_BY_NO_TENSOR: [&str; 15] = [
    ".context_length",
    ".expert_used_count",
    ".attention.sliding_window",
    ".rope.dimension_count",
    ".rope.scaling.original_context_length",
    // Other numbers of heads, or of groups of heads, need tensors of the same shapes.
    ".attention.head_count",
    ".attention.head_count_kv",
    ".ssm.group_count",
    // All layers are mixtures, and the width of experts has a separate key.
    "gpt-oss.feed_forward_length",
    "qwen2moe.feed_forward_length",
    "qwen3moe.feed_forward_length",
    // Not read.
    ".attention.value_length",
    ".full_attention_interval",
    ".rope.dimension_sections",
    ".file_type",
];

#[test]
fn counts_that_tensors_contradict_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("changed.gguf");
    let mut files: Vec<PathBuf> = fs::read_dir(tests().join("gguf"))
        .expect("listed")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "gguf"))
        .collect();
    files.sort();
    let (mut accepted, mut refused) = (BTreeSet::new(), BTreeSet::new());
    for path in files {
        let file = Gguf::open(&path).expect("what the script wrote");
        let architecture =
            file.get("general.architecture").expect("said").as_str().expect("text").to_string();
        let prefix = format!("{architecture}.");
        for (key, value) in file.metadata().filter(|(key, _)| key.starts_with(&prefix)) {
            let Some(number) = value.as_u64().filter(|number| *number > 0) else { continue };
            for other in [number - 1, number + 1, 2 * number, number / 2] {
                with_key(&file, key, Some(MetaValue::U32(other as u32)), &to);
                match open(&to) {
                    Ok(_) => accepted.insert(format!("{key} {number} {other} of {}", path.display())),
                    Err(_) => refused.insert(key.to_string()),
                };
            }
        }
    }
    let is_shown = |case: &&String| {
        let key = case.split(' ').next().unwrap_or_default();
        !SHOWN_BY_NO_TENSOR.iter().any(|end| key.ends_with(end)) || key == "gpt2.context_length"
    };
    let wrong: Vec<&String> = accepted.iter().filter(is_shown).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    for key in ["llama.block_count", "llama.vocab_size", "qwen3moe.expert_count", "gemma2.block_count"] {
        assert!(refused.contains(key), "{key}: {refused:?}");
    }
}

#[test]
fn fewer_blocks_than_there_are_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("part.gguf");
    let file = Gguf::open(&tests().join("gguf/llama-f16.gguf")).expect("what the script wrote");
    with_key(&file, "llama.block_count", Some(MetaValue::U32(1)), &to);
    let message = "the weights do not fit the settings\n  9 that the settings do not use (they name fewer layers, experts or biases than \
                   the files have):\n    \"blk.1.attn_k.weight\"";
    for error in [
        refusal(open(&to)),
        refusal(ModelSteps::open(&to, None)),
        refusal(ImportanceRun::open(&to, &session(), 8)),
    ] {
        let lines: BTreeSet<&str> = error.lines().collect();
        assert!(message.lines().all(|line| lines.contains(line)), "{error}");
    }
    // The vocabulary size in the file, and that of its table.
    with_key(&file, "llama.vocab_size", Some(MetaValue::U32(63)), &to);
    let error = refusal(open(&to));
    assert!(error.contains("\"token_embd.weight\": expected [63, 24], found [64, 24]"), "{error}");
}

/// Layers that predict further tokens are allowed, as many as the file says.
#[test]
fn layers_that_predict_further_tokens_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("further.gguf");
    let file = Gguf::open(&tests().join("gguf/qwen35-f16.gguf")).expect("what the script wrote");
    let layers = file.get("qwen35.block_count").and_then(|count| count.as_u64()).expect("said");
    let write = |further: u64, tensors: u64| {
        let mut out = GgufWriter::new();
        file.metadata().for_each(|(key, value)| out.set(key, value));
        out.set("qwen35.nextn_predict_layers", MetaValue::U32(further as u32));
        out.set("qwen35.block_count", MetaValue::U32((layers + further) as u32));
        let all: Vec<TensorView<'_>> = file.tensors().collect();
        for tensor in &all {
            out.tensor(tensor.name(), tensor.stored_type(), tensor.shape(), tensor.stored_bytes());
        }
        for layer in layers..layers + tensors {
            out.tensor(
                format!("blk.{layer}.nextn.enorm.weight"),
                all[0].stored_type(),
                all[0].shape(),
                all[0].stored_bytes(),
            );
        }
        out.write(&to).expect("written");
        open(&to)
    };
    assert!(write(0, 0).is_ok() && write(1, 1).is_ok() && write(2, 2).is_ok());
    let error = refusal(write(1, 2));
    assert!(error.contains(&format!("\"blk.{}.nextn.enorm.weight\"", layers + 1)), "{error}");
    assert!(refusal(write(0, 1)).contains("nextn.enorm"));
}

#[test]
fn settings_that_make_no_use_of_tensors_are_refused() {
    let cases = [
        (
            "llama",
            "\"num_hidden_layers\": 2",
            "\"num_hidden_layers\": 1",
            "model.layers.1.self_attn.q_proj.weight",
        ),
        (
            "llama",
            "\"num_hidden_layers\": 2",
            "\"num_hidden_layers\": 0",
            "model.layers.0.self_attn.q_proj.weight",
        ),
        (
            "llama_tied",
            "\"attention_bias\": true",
            "\"attention_bias\": false",
            "model.layers.0.self_attn.q_proj.bias",
        ),
        ("qwen3_moe", "\"num_local_experts\": 6", "\"num_local_experts\": 5", "mlp.gate.weight"),
    ];
    for (name, from, to, tensor) in cases {
        let folder = changed(name, from, to);
        let error = refusal(open(folder.path()));
        assert!(
            error.contains("the weights do not fit the settings") && error.contains(tensor),
            "{name}: {error}"
        );
    }
}

/// A checkpoint with one number of a tensor replaced.
fn with_number(name: &str, tensor: &str, number: u16) -> tempfile::TempDir {
    let folder = changed(name, "{", "{");
    let path = folder.path().join("model.safetensors");
    let weights = Weights::read(&path).expect("what the script wrote");
    let change = |view: rlx_files::weights::TensorView<'_>| {
        let mut bytes = view.bytes().to_vec();
        if view.name() == tensor {
            bytes[..2].copy_from_slice(&number.to_le_bytes());
        }
        (view.name().to_string(), view.stored_type(), view.shape().to_vec(), bytes)
    };
    assert!(weights.get(tensor).is_some(), "{tensor}");
    let all: Vec<_> = weights.iter().map(change).collect();
    let tensors: Vec<Tensor<'_>> = all
        .iter()
        .map(|(name, stored, shape, bytes)| Tensor { name, stored: *stored, shape, bytes })
        .collect();
    save(&path, &tensors, weights.metadata()).expect("written");
    folder
}

/// A bf16 NaN; the others are ∞ and −∞.
const NAN: u16 = 0x7FC0;

const QUERY: &str = "model.layers.0.self_attn.q_proj.weight";

#[test]
fn models_that_give_no_numbers_are_named_with_the_cause() {
    for number in [NAN, 0x7F80, 0xFF80] {
        let folder = with_number("llama", QUERY, number);
        let mut model = open(folder.path()).expect("opens");
        let error = model.forward(&[&[3, 4, 5]]).expect_err("no numbers").to_string();
        let cause = format!("the weights of \"{QUERY}\" are not finite");
        let place = folder.path().display().to_string();
        assert!(
            error.starts_with(&place) && error.contains("at token 3") && error.contains(&cause),
            "{error}"
        );
        model.reset().expect("memory");
        let error = refusal(model.forward_all(&[&[3, 4, 5]]));
        assert!(error.contains("logits are NaN at token 1: "), "{error}");
        let mut run = ImportanceRun::open(&tests().join("checkpoints/llama"), &session(), 8).expect("opens");
        let mut matrix = ImportanceMatrix::default();
        run.add(&[1, 2, 3], &mut matrix).expect("numbers");
        let seen = matrix.clone();
        run = ImportanceRun::open(folder.path(), &session(), 8).expect("opens");
        let error = refusal(run.add(&[1, 2, 3], &mut matrix));
        assert!(error.contains(&cause) && error.contains("in a window of 3 tokens"), "{error}");
        // The window was not added.
        assert_eq!(format!("{matrix:?}"), format!("{seen:?}"));
    }
    // NaN in a token table only affects texts with that token.
    let table = "model.embed_tokens.weight";
    let folder = with_number("llama", table, NAN);
    let mut model = open(folder.path()).expect("opens");
    model.forward(&[&[3, 4, 5]]).expect("numbers");
    model.forward(&[&[6]]).expect("numbers");
    let error = refusal(model.forward(&[&[0]]));
    assert!(error.contains("logits are NaN at token 5: ") && error.contains(table), "{error}");
}

#[test]
fn generators_stop_and_samplers_draw_from_nothing_that_is_no_number() {
    let folder = with_number("llama", QUERY, NAN);
    let mut generator = Generator::new(open(folder.path()).expect("opens"), tokenizer(), session());
    let answer = generator.generate(&[1, 2], &GenerateOptions::default(), &mut |_| ControlFlow::Continue(()));
    assert!(matches!(answer, Err(GenerateError::Model(LlmError::NotFinite { .. }))), "{answer:?}");
    let mut sampler = Sampler::new(&Sampling::default(), 3, &session()).expect("valid");
    for value in [f32::NAN, f32::INFINITY] {
        let error = refusal(sampler.sample(&[0.0, value, 1.0]));
        assert_eq!(error, format!("cannot draw a token: the logit of token 1 is {value}"));
    }
    assert_eq!(sampler.sample(&[f32::NEG_INFINITY, 1.0, f32::NEG_INFINITY]).expect("one token"), 1);
}
