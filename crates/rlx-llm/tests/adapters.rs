//! LoRA adapters compared with PEFT: those of scripts/judge_lora.py, applied while the model runs and merged into its
//! weights, in both formats.

mod comparison;

use comparison::{Expected, compare_adapted, error, open, open_adapted};
use rlx_files::weights::{StoredType, Tensor, Weights, save};
use rlx_gguf::{Gguf, GgufWriter, MetaValue, TensorType};
use rlx_ir::DType;
use rlx_llm::export::MergedModel;
use rlx_llm::{AdapterError, AdapterSource, LlmError};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The checkpoints that have adapters.
const NAMES: [&str; 6] = ["llama", "llama_tied", "qwen2", "gemma3", "phi3", "gpt2"];

fn checkpoint(name: &str) -> PathBuf {
    folder("checkpoints").join(name)
}

fn adapter(name: &str) -> PathBuf {
    folder("adapters").join(name)
}

fn scaled(path: &Path, scale: f64) -> AdapterSource {
    AdapterSource { path: path.into(), scale }
}

/// Returns the logits of a model with adapters after the first text of `expected`.
fn logits(model: &Path, adapters: &[AdapterSource], expected: &Expected) -> Vec<f32> {
    let mut model =
        open_adapted(model, 1, 64, adapters).unwrap_or_else(|e| panic!("{}: {e}", model.display()));
    model.forward_all(&[&expected.tokens[0]]).expect("runs").concat()
}

fn first_text(expected: &Expected) -> &[f32] {
    &expected.logits[..expected.logits.len() / expected.tokens.len()]
}

#[test]
fn logits_and_greedy_texts_are_those_of_peft() {
    for name in NAMES {
        let seen = compare_adapted(&checkpoint(name), &[scaled(&adapter(name), 1.0)], &adapter(name));
        let seen = seen.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(seen.error < 1e-5, "{name}: {seen:?}");
        assert_eq!(seen.same_best, seen.positions, "{name}: {seen:?}");
        assert_eq!(seen.greedy, seen.greedy_tokens, "{name}: {seen:?}");
    }
}

#[test]
fn several_adapters_add_up() {
    let expected = Expected::load(&adapter("llama"));
    let (model, path) = (checkpoint("llama"), adapter("llama"));
    let plain = logits(&model, &[], &expected);
    assert!(error(&plain, first_text(&expected)) > 0.1, "the adapter changes nothing");
    let halves = [scaled(&path, 0.25), scaled(&path, 0.75)];
    let difference = error(&logits(&model, &halves, &expected), first_text(&expected));
    assert!(difference < 1e-5, "{difference}");
    let none = [scaled(&path, 1.5), scaled(&path, -1.5)];
    let difference = error(&logits(&model, &none, &expected), &plain);
    assert!(difference < 1e-4, "{difference}");
}

/// GGUF files have the rows of Llama's queries and keys in another order, and those of Phi and GPT-2 in joined
/// tensors. (They do not store how Gemma scales scores.) llama.cpp's converter made the GGUF adapters.
#[test]
fn adapters_of_either_format_fit_models_of_either_format() {
    let mut seen = Vec::new();
    for name in ["llama", "llama_tied", "qwen2", "phi3", "gpt2"] {
        let expected = Expected::load(&adapter(name));
        let models = [checkpoint(name), folder("gguf").join(format!("{name}-f16.gguf"))];
        let adapters = [adapter(name), adapter(name).join("adapter.gguf")];
        for model in models.iter().filter(|model| model.exists()) {
            for adapter in adapters.iter().filter(|adapter| adapter.exists()) {
                let found = logits(model, &[scaled(adapter, 1.0)], &expected);
                let difference = error(&found, first_text(&expected));
                assert!(difference < 1e-5, "{} on {}: {difference}", adapter.display(), model.display());
                seen.push((model.is_dir(), adapter.is_dir()));
            }
        }
    }
    let count = |pair| seen.iter().filter(|seen| **seen == pair).count();
    let pairs = [(true, true), (true, false), (false, true), (false, false)];
    assert_eq!(pairs.map(count), [5, 3, 4, 2]);
}

/// Copies a GGUF file with all values converted to f32.
fn unpacked(from: &Path, to: &Path) {
    let file = Gguf::open(from).expect("opens");
    let mut writer = GgufWriter::new();
    file.metadata().for_each(|(key, value)| writer.set(key, value));
    for tensor in file.tensors() {
        let bytes: Vec<u8> = tensor.to_f32().expect("numbers").iter().flat_map(|x| x.to_le_bytes()).collect();
        writer.tensor(tensor.name(), TensorType::Plain(DType::F32), tensor.shape(), bytes);
    }
    writer.write(to).expect("written");
}

#[test]
fn merged_weights_give_what_the_adapter_gives() {
    for name in ["llama", "qwen2", "phi3"] {
        let temporary = tempfile::tempdir().expect("a folder");
        let [base, merged] = ["base.gguf", "merged.gguf"].map(|file| temporary.path().join(file));
        unpacked(&folder("gguf").join(format!("{name}-f16.gguf")), &base);
        let model = MergedModel::open(&base, &[scaled(&adapter(name), 1.0)]).expect("merges");
        model.gguf().expect("a GGUF file").write(&merged).expect("written");
        let expected = Expected::load(&adapter(name));
        let difference = error(&logits(&merged, &[], &expected), first_text(&expected));
        assert!(difference < 1e-5, "{name}: {difference}");
    }
}

/// GPT-2 stores projections transposed. Llama's weights are bf16, so rounding them leaves an error of 2⁻⁸.
#[test]
fn merged_folders_keep_names_and_types() {
    for name in ["llama", "gpt2", "gemma3"] {
        let temporary = tempfile::tempdir().expect("a folder");
        let file = temporary.path().join("model.safetensors");
        fs::copy(checkpoint(name).join("config.json"), temporary.path().join("config.json")).expect("copied");
        let model = MergedModel::open(&checkpoint(name), &[scaled(&adapter(name), 1.0)]).expect("merges");
        model.save(&file).expect("saved");
        let (before, after) =
            (Weights::open(&checkpoint(name)).expect("opens"), Weights::open(&file).expect("opens"));
        let about = |weights: &Weights| -> Vec<(String, StoredType, Vec<usize>)> {
            weights.iter().map(|t| (t.name().into(), t.stored_type(), t.shape().into())).collect()
        };
        assert_eq!(about(&before), about(&after), "{name}");
        let expected = Expected::load(&adapter(name));
        let difference = error(&logits(temporary.path(), &[], &expected), first_text(&expected));
        assert!(difference < 0.05, "{name}: {difference}");
    }
}

/// Makes an adapter for matrices with these names and dimensions, with factors of these ranks.
fn made_adapter(folder: &Path, pairs: &[(String, [usize; 2], usize)]) {
    fs::create_dir(folder).expect("made");
    fs::write(folder.join("adapter_config.json"), "{\"peft_type\": \"LORA\", \"lora_alpha\": 2}")
        .expect("written");
    let mut written: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
    for (number, (module, [rows, columns], rank)) in pairs.iter().enumerate() {
        for (letter, shape) in [("A", vec![*rank, *columns]), ("B", vec![*rows, *rank])] {
            let name = format!("base_model.model.model.{module}.lora_{letter}.weight");
            let values =
                (0..shape.iter().product::<usize>()).map(|i| ((i * 37 + number) % 19) as f32 / 19.0 - 0.5);
            written.push((name, shape, values.flat_map(f32::to_le_bytes).collect()));
        }
    }
    let stored = StoredType::of(DType::F32).expect("stored");
    let tensors: Vec<Tensor<'_>> =
        written.iter().map(|(name, shape, bytes)| Tensor { name, stored, shape, bytes }).collect();
    save(&folder.join("adapter_model.safetensors"), &tensors, &BTreeMap::new()).expect("saved");
}

/// GGUF files have the heads of linear attention in another order: rows of matrices that produce heads, and columns
/// of those that read them.
#[test]
fn adapters_of_linear_attention_fit_models_of_either_format() {
    let temporary = tempfile::tempdir().expect("a folder");
    let lora = temporary.path().join("lora");
    let parts =
        [("in_proj_qkv", [64, 24]), ("in_proj_z", [32, 24]), ("in_proj_a", [4, 24]), ("out_proj", [24, 32])];
    let pairs = parts.map(|(part, dims)| (format!("layers.1.linear_attn.{part}"), dims, 2));
    made_adapter(&lora, &pairs);
    let expected = Expected::load(&checkpoint("qwen35"));
    let adapters = [scaled(&lora, 1.0)];
    let of_folder = logits(&checkpoint("qwen35"), &adapters, &expected);
    assert!(error(&of_folder, first_text(&expected)) > 0.01, "the adapter changes nothing");
    let difference = error(&logits(&folder("gguf/qwen35-f16.gguf"), &adapters, &expected), &of_folder);
    assert!(difference < 1e-5, "{difference}");
}

/// Adapters of single experts, which differ in rank and skip some experts, applied to stacks of all experts and
/// merged into them.
#[test]
fn adapters_of_single_experts_run_as_they_are_merged() {
    let temporary = tempfile::tempdir().expect("a folder");
    let [base, merged, lora] = ["base.gguf", "merged.gguf", "lora"].map(|name| temporary.path().join(name));
    unpacked(&folder("gguf/qwen3_moe-f16.gguf"), &base);
    let file = Gguf::open(&base).expect("opens");
    let experts = [
        ("gate_proj", "ffn_gate_exps", 0, 1),
        ("gate_proj", "ffn_gate_exps", 3, 2),
        ("down_proj", "ffn_down_exps", 2, 3),
    ];
    let pairs = experts.map(|(ours, theirs, expert, rank)| {
        let stack = file.tensor(&format!("blk.1.{theirs}.weight")).expect("there").shape().to_vec();
        (format!("layers.1.mlp.experts.{expert}.{ours}"), [stack[1], stack[2]], rank)
    });
    made_adapter(&lora, &pairs);
    let model = MergedModel::open(&base, &[scaled(&lora, 1.0)]).expect("merges");
    model.gguf().expect("a GGUF file").write(&merged).expect("written");
    let expected = Expected::load(&adapter("llama"));
    let [plain, beside] =
        [vec![], vec![scaled(&lora, 1.0)]].map(|adapters| logits(&base, &adapters, &expected));
    assert!(error(&plain, &beside) > 0.01, "the adapter changes nothing");
    let difference = error(&logits(&merged, &[], &expected), &beside);
    assert!(difference < 1e-5, "{difference}");
}

/// Blocks that change become f16; others stay.
#[test]
fn blocks_that_change_become_f16() {
    let temporary = tempfile::tempdir().expect("a folder");
    let merged = temporary.path().join("merged.gguf");
    let base = fs::read_dir(folder("gguf")).expect("listed").map(|e| e.expect("an entry").path());
    let base = base.filter(|path| path.extension().is_some_and(|e| e == "gguf"));
    let blocks = |file: &Gguf| -> Vec<(String, TensorType)> {
        file.tensors().map(|t| (t.name().to_string(), t.stored_type())).collect()
    };
    let mut seen = 0;
    for path in
        base.filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("llama_tied-q")))
    {
        let source = narrow_adapter(&path, temporary.path());
        let model = MergedModel::open(&path, &[scaled(&source, 1.0)]).expect("merges");
        model.gguf().expect("a GGUF file").write(&merged).expect("written");
        let (before, after) = (Gguf::open(&path).expect("opens"), Gguf::open(&merged).expect("opens"));
        for ((name, from), (_, to)) in blocks(&before).into_iter().zip(blocks(&after)) {
            let changed = name == "blk.0.attn_v.weight";
            assert_eq!(to, if changed { TensorType::Plain(DType::F16) } else { from }, "{name}");
        }
        seen += 1;
    }
    assert!(seen > 0, "there is no such file");
}

/// Makes a GGUF adapter of rank 1 for the values of the first layer of a file.
fn narrow_adapter(model: &Path, folder: &Path) -> PathBuf {
    let file = Gguf::open(model).expect("opens");
    let shape = file.tensor("blk.0.attn_v.weight").expect("there").shape().to_vec();
    let mut writer = GgufWriter::new();
    writer.set("general.type", "adapter".into());
    writer.set("general.architecture", "llama".into());
    writer.set("adapter.type", "lora".into());
    writer.set("adapter.lora.alpha", MetaValue::F32(1.0));
    let ones = |count: usize| vec![1f32; count].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let f32 = TensorType::Plain(DType::F32);
    writer.tensor("blk.0.attn_v.weight.lora_a", f32, &[1, shape[1]], ones(shape[1]));
    writer.tensor("blk.0.attn_v.weight.lora_b", f32, &[shape[0], 1], ones(shape[0]));
    let path = folder.join("narrow.gguf");
    writer.write(&path).expect("written");
    path
}

/// Returns the error of the adapter for the checkpoint `llama` after changing its settings and tensors.
fn refused(model: &Path, settings: (&str, &str), rename: impl Fn(&str) -> String, width: usize) -> String {
    let copy = tempfile::tempdir().expect("a folder");
    let text = fs::read_to_string(adapter("llama").join("adapter_config.json")).expect("read");
    let changed = text.replace(settings.0, settings.1);
    assert!(settings.0.is_empty() || changed != text, "{settings:?}");
    fs::write(copy.path().join("adapter_config.json"), changed).expect("written");
    let weights = Weights::open(&adapter("llama").join("adapter_model.safetensors")).expect("opens");
    let renamed: Vec<String> = weights.iter().map(|tensor| rename(tensor.name())).collect();
    let shapes: Vec<Vec<usize>> = weights
        .iter()
        .map(|t| {
            if t.name().contains("layers.0.self_attn.q_proj.lora_A") {
                vec![3, width]
            } else {
                t.shape().to_vec()
            }
        })
        .collect();
    let tensors: Vec<Tensor<'_>> = weights
        .iter()
        .zip(&renamed)
        .zip(&shapes)
        .map(|((tensor, name), shape)| {
            let bytes = &tensor.bytes()[..4 * shape.iter().product::<usize>()];
            Tensor { name, stored: tensor.stored_type(), shape, bytes }
        })
        .collect();
    save(&copy.path().join("adapter_model.safetensors"), &tensors, &BTreeMap::new()).expect("saved");
    match open_adapted(model, 1, 64, &[scaled(copy.path(), 1.0)]) {
        Ok(_) => panic!("{settings:?} is accepted"),
        Err(error @ (LlmError::Adapter(_) | LlmError::Config(_))) => error.to_string(),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn what_an_adapter_cannot_say_is_refused_by_name() {
    let model = checkpoint("llama");
    let same = |name: &str| name.to_string();
    for (from, to, says) in [
        ("\"use_dora\": false", "\"use_dora\": true", "DoRA"),
        ("\"bias\": \"none\"", "\"bias\": \"all\"", "bias = \"all\""),
        ("\"modules_to_save\": null", "\"modules_to_save\": [\"lm_head\"]", "modules_to_save"),
        ("\"peft_type\": \"LORA\"", "\"peft_type\": \"IA3\"", "peft_type = \"IA3\""),
        ("\"lora_alpha\": 6", "\"lora_alpha\": null", "lora_alpha"),
        ("\"init_lora_weights\": true", "\"init_lora_weights\": \"pissa_niter_4\"", "init_lora_weights"),
        ("\"alpha_pattern\": {}", "\"alpha_pattern\": {\"(q|k)_proj\": 2}", "alpha_pattern"),
    ] {
        let error = refused(&model, (from, to), same, 24);
        assert!(error.contains(says), "{to}: {error}");
    }
}

#[test]
fn an_adapter_of_another_model_is_refused_with_all_that_differs() {
    let same = |name: &str| name.to_string();
    let error = refused(&checkpoint("llama"), ("", ""), same, 20);
    assert!(error.contains("q_proj.lora_A.weight\": expected [3, 24], found [3, 20]"), "{error}");
    let error =
        refused(&checkpoint("llama"), ("", ""), |name| name.replace("mlp.up_proj", "mlp.wide_proj"), 24);
    assert!(error.contains("2 for tensors that are not matrices of the model"), "{error}");
    assert!(error.contains("\"model.layers.1.mlp.wide_proj.weight\""), "{error}");
    let magnitude =
        |name: &str| name.replace("1.mlp.up_proj.lora_B.weight", "1.mlp.up_proj.lora_magnitude_vector");
    let error = refused(&checkpoint("llama"), ("", ""), magnitude, 24);
    assert!(error.contains("is missing") && error.contains("up_proj.lora_B.weight"), "{error}");
    let both = |name: &str| match name.contains("1.mlp.up_proj") {
        true => name.replace("lora_A.weight", "bias").replace("lora_B.weight", "lora_magnitude_vector"),
        false => name.into(),
    };
    let error = refused(&checkpoint("llama"), ("", ""), both, 24);
    assert!(error.contains("biases that replace the model's biases"), "{error}");
    let error = refused(&checkpoint("mamba2"), ("", ""), same, 24);
    assert!(error.contains("14 for tensors that are not matrices of the model"), "{error}");
    let error = refused(&checkpoint("mistral_window"), ("", ""), same, 24);
    assert!(error.contains(": expected ["), "{error}");
}

#[test]
fn what_is_no_adapter_is_refused() {
    let refused = |path: PathBuf| match open_adapted(&checkpoint("llama"), 1, 64, &[scaled(&path, 1.0)]) {
        Ok(_) => panic!("{} is accepted", path.display()),
        Err(error @ LlmError::Adapter(_)) => error.to_string(),
        Err(other) => panic!("{other}"),
    };
    assert!(refused(checkpoint("llama")).contains("adapter_config.json"));
    assert!(refused(folder("gguf/llama-f16.gguf")).contains("general.type"));
    assert!(refused(folder("nothing")).contains("no such file or folder"));
    assert!(refused(folder("adapters.rs")).contains("a folder written by PEFT"));
    let error = open_adapted(&checkpoint("llama"), 1, 64, &[scaled(&adapter("llama"), f64::NAN)]).err();
    assert!(matches!(error, Some(LlmError::Adapter(e)) if matches!(*e, AdapterError::Scale { .. })));
    let temporary = tempfile::tempdir().expect("a folder");
    let narrow = narrow_adapter(&folder("gguf/llama-f16.gguf"), temporary.path());
    let error = open_adapted(&checkpoint("qwen2"), 1, 64, &[scaled(&narrow, 1.0)]).err().expect("refused");
    assert!(error.to_string().contains("an adapter for \"llama\", but the model is \"qwen2\""), "{error}");
}

/// One tensor is both the token table and the output projection, but the adapter changes only one of them.
#[test]
fn an_adapter_of_a_tied_table_is_not_merged() {
    let merged = MergedModel::open(&checkpoint("llama_tied"), &[scaled(&adapter("llama_tied"), 1.0)]);
    let error = merged.err().expect("refused").to_string();
    assert!(error.contains("tokens.weight cannot be merged"), "{error}");
    assert!(open(&checkpoint("llama_tied"), 1, 64).is_ok());
}
