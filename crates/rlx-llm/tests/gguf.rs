//! GGUF files compared with llama.cpp, and with the checkpoints that they were converted from.

mod comparison;

use comparison::{Expected, compare, error, open};
use rlx_gguf::{Array, Gguf, GgufWriter, MetaType, MetaValue};
use rlx_llm::LlmError;
use rlx_llm::families::FAMILIES;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The files and the format of each one.
fn files() -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder("gguf")).expect("listed").map(|e| e.expect("an entry").path());
    let mut list: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "gguf")).collect();
    list.sort();
    let format = |path: &PathBuf| {
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        stem.rsplit_once('-').expect("NAME-FORMAT").1.to_string()
    };
    list.into_iter().map(|path| (path.clone(), format(&path))).collect()
}

/// llama.cpp computes GELU with an f16 table, which leaves an error of 2⁻¹¹ in each layer.
fn has_gelu(path: &Path) -> bool {
    ["gemma", "gpt2"].iter().any(|name| path.file_name().expect("a name").to_string_lossy().starts_with(name))
}

/// llama.cpp rotates by the length that it was started with; we use the length of the text, like the reference.
const TURNS_OTHERWISE: &str = "phi3_long-f16.gguf";

#[test]
fn plain_numbers_give_what_llama_cpp_computes() {
    let plain = |(path, format): &&(PathBuf, String)| format == "f16" && !path.ends_with(TURNS_OTHERWISE);
    for (path, _) in files().iter().filter(plain) {
        let seen = compare(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let bound = if has_gelu(path) { 5e-3 } else { 2e-5 };
        let [ours, _] = seen.exact.expect("the script wrote it");
        assert!(ours < bound, "{}: {seen:?}", path.display());
        // llama.cpp rounds the inputs of f16 products, which can decide between two close tokens.
        let [same, tokens] = seen.clear.unwrap_or([seen.greedy, seen.greedy_tokens]);
        assert!(same == tokens && 2 * tokens > seen.greedy_tokens, "{}: {seen:?}", path.display());
    }
}

/// Both round the inputs of products with blocks to bytes.
#[test]
fn products_with_blocks_are_as_exact_as_those_of_llama_cpp() {
    for (path, _) in files().iter().filter(|(_, format)| format != "f16") {
        let seen = compare(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let [ours, theirs] = seen.exact.expect("the script wrote it");
        assert!(ours <= theirs, "{}: {seen:?}", path.display());
        let [same, clear] = seen.clear.expect("the script wrote it");
        assert!(same == clear && clear > 0, "{}: {seen:?}", path.display());
    }
}

/// The safetensors and the GGUF file of a model give the same logits, up to the last bits.
#[test]
fn both_formats_of_a_checkpoint_are_the_same_model() {
    for (path, format) in files().iter().filter(|(_, format)| format.ends_with("f16")) {
        let name = path.file_stem().expect("a name").to_string_lossy().replace(&format!("-{format}"), "");
        let source = folder("checkpoints").join(&name);
        let copy = tempfile::tempdir().expect("a folder");
        fs::copy(source.join("model.safetensors"), copy.path().join("model.safetensors")).expect("copied");
        // GGUF files do not store how Gemma scales scores: by the size of a head.
        let settings = fs::read_to_string(source.join("config.json")).expect("read");
        let line = settings.lines().find(|line| line.contains("query_pre_attn_scalar"));
        let settings =
            line.map_or(settings.clone(), |line| settings.replace(line, "\"query_pre_attn_scalar\": 8,"));
        fs::write(copy.path().join("config.json"), settings).expect("written");

        let tokens = Expected::load(path).tokens;
        let logits = |path: &Path| {
            let mut model = open(path, 1, 64).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            model.forward_all(&[&tokens[0]]).expect("runs").concat()
        };
        let difference = error(&logits(path), &logits(copy.path()));
        assert!(difference < 1e-6, "{name}: {difference}");
    }
}

#[test]
fn every_architecture_has_a_file() {
    let architectures: Vec<String> = files()
        .iter()
        .map(|(path, _)| {
            let file = Gguf::open(path).expect("opens");
            file.get("general.architecture").expect("stated").as_str().expect("text").to_string()
        })
        .collect();
    for form in FAMILIES.iter().filter_map(|family| family.gguf.as_ref()) {
        let is_judged = architectures.iter().any(|name| name == form.architecture);
        assert!(is_judged, "{}", form.architecture);
    }
}

/// Files of Qwen3.5 count layers that predict further tokens as ordinary layers.
#[test]
fn layers_that_predict_further_tokens_are_left_out() {
    let path = folder("gguf").join("qwen35-f16.gguf");
    let file = Gguf::open(&path).expect("opens");
    let tokens = Expected::load(&path).tokens;
    let logits = |path: &Path| {
        let mut model = open(path, 1, 64).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(model.spec().layers.len(), 4);
        model.forward_all(&[&tokens[0]]).expect("runs").concat()
    };
    let mut writer = GgufWriter::new();
    for (name, old) in file.metadata() {
        let kinds = [true, true, true, false, false].map(MetaValue::Bool);
        let value = match name {
            "qwen35.block_count" => MetaValue::U32(5),
            "qwen35.attention.recurrent_layers" => MetaValue::Array(Array::new(MetaType::Bool, kinds)),
            _ => old,
        };
        writer.set(name, value);
    }
    writer.set("qwen35.nextn_predict_layers", MetaValue::U32(1));
    for tensor in file.tensors() {
        writer.tensor(tensor.name(), tensor.stored_type(), tensor.shape(), tensor.bytes().into_owned());
    }
    let copy = tempfile::tempdir().expect("a folder");
    let further = copy.path().join("further.gguf");
    writer.write(&further).expect("written");
    assert_eq!(logits(&further), logits(&path));
    writer.set("qwen35.attention.recurrent_layers", MetaValue::U32(3));
    writer.write(&further).expect("written");
    let error = open(&further, 1, 64).err().expect("refused").to_string();
    assert!(error.contains("qwen35.attention.recurrent_layers"), "{error}");
}

/// Returns the error of a copy of the llama file with another value for `key` (or without it), and without the tensor
/// `less`.
fn changed(key: &str, value: Option<MetaValue<'_>>, less: &str) -> String {
    let file = Gguf::open(&folder("gguf").join("llama-f16.gguf")).expect("opens");
    let mut writer = GgufWriter::new();
    for (name, old) in file.metadata() {
        if name != key {
            writer.set(name, old);
        }
    }
    if let Some(value) = value {
        writer.set(key, value);
    }
    for tensor in file.tensors().filter(|tensor| tensor.name() != less) {
        writer.tensor(tensor.name(), tensor.stored_type(), tensor.shape(), tensor.bytes().into_owned());
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("changed.gguf");
    writer.write(&path).expect("written");
    match open(&path, 1, 64) {
        Ok(_) => panic!("{key} without {less} is accepted"),
        Err(error @ (LlmError::Config(_) | LlmError::Misfit(_) | LlmError::Gguf(_))) => error.to_string(),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn errors_name_keys_and_tensors_of_the_file() {
    let error = changed("general.architecture", Some("mamba9".into()), "");
    assert!(error.contains("general.architecture = \"mamba9\"") && error.contains("qwen3"), "{error}");
    let error = changed("llama.embedding_length", None, "");
    assert!(error.contains("the field llama.embedding_length is missing"), "{error}");
    let error = changed("llama.feed_forward_length", Some(MetaValue::U32(40)), "");
    assert!(error.contains("\"blk.0.ffn_gate.weight\": expected [40, 24], found [36, 24]"), "{error}");
    let error = changed("llama.rope.scaling.type", None, "blk.1.attn_k.weight");
    assert!(error.contains("1 missing") && error.contains("blk.1.attn_k.weight"), "{error}");
    let error = changed("llama.attention.head_count", Some(MetaValue::F32(f32::NAN)), "");
    assert!(error.contains("llama.attention.head_count"), "{error}");
    let error = changed("llama.attention.head_count", Some(MetaValue::U32(0)), "");
    assert!(error.contains("llama.attention.head_count"), "{error}");
    let error = changed("llama.expert_count", Some(MetaValue::U32(4)), "");
    assert!(error.contains("llama.expert_count = 4"), "{error}");
}
