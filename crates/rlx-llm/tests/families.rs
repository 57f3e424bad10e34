//! Every family compared with the reference implementation, and runs of one model compared with each other.

mod comparison;

use comparison::{Expected, compare};
use rlx_llm::families::FAMILIES;
use rlx_llm::{LanguageModel, LlmError, ModelOptions};
use rlx_session::{Device, Session};
use std::fs;
use std::path::{Path, PathBuf};

fn open(path: &Path, batch: usize) -> Result<LanguageModel, LlmError> {
    comparison::open(path, batch, 128)
}

fn checkpoints() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/checkpoints");
    let mut list: Vec<PathBuf> =
        fs::read_dir(folder).expect("listed").map(|e| e.expect("an entry").path()).collect();
    list.sort();
    list
}

/// Products with blocks round their inputs. How well they do is tested against llama.cpp, which rounds too
/// (tests/gguf.rs).
const IN_BLOCKS: &str = "gpt_oss_mxfp4";

#[test]
fn logits_and_greedy_texts_are_the_references() {
    for folder in checkpoints().into_iter().filter(|folder| !folder.ends_with(IN_BLOCKS)) {
        let seen = compare(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        assert!(seen.error < 1e-5, "{}: {seen:?}", folder.display());
        assert_eq!(seen.same_best, seen.positions, "{}: {seen:?}", folder.display());
        assert_eq!(seen.greedy, seen.greedy_tokens, "{}: {seen:?}", folder.display());
    }
}

#[test]
fn every_family_has_a_checkpoint() {
    let settings = checkpoints()
        .iter()
        .map(|f| fs::read_to_string(f.join("config.json")).expect("read"))
        .collect::<Vec<_>>();
    for family in FAMILIES {
        let name = format!("\"model_type\": \"{}\"", family.name);
        assert!(settings.iter().any(|text| text.contains(&name)), "{}", family.name);
    }
}

/// Returns the logits after all of `tokens`, in runs of these lengths.
fn in_chunks(model: &mut LanguageModel, tokens: &[u32], lengths: &[usize]) -> Vec<f32> {
    model.reset().expect("memory");
    let mut at = 0;
    let mut all = Vec::new();
    for &n in lengths {
        all.extend(model.forward_all(&[&tokens[at..at + n]]).expect("runs").concat());
        at += n;
    }
    assert_eq!(at, tokens.len());
    all
}

/// Whether two lists of logits have the same bits.
fn agree(a: &[f32], b: &[f32]) -> bool {
    a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
}

#[test]
fn chunks_and_batches_give_the_same_logits() {
    for folder in &checkpoints() {
        let tokens = Expected::load(folder).tokens;
        let n = tokens[0].len();
        let mut one = open(folder, 1).expect("opens");
        let whole = in_chunks(&mut one, &tokens[0], &[n]);
        for lengths in [vec![1; n], vec![n - 3, 1, 2], vec![7, n - 7]] {
            assert!(
                agree(&in_chunks(&mut one, &tokens[0], &lengths), &whole),
                "{}: {lengths:?}",
                folder.display()
            );
        }
        // Next to a longer and a shorter sequence.
        let mut two = open(folder, 2).expect("opens");
        for other in [&tokens[1][..], &tokens[1][..5]] {
            two.reset().expect("memory");
            let both = two.forward_all(&[&tokens[0], other]).expect("runs");
            assert!(agree(&both[0], &whole), "{}: beside {} tokens", folder.display(), other.len());
            // The shorter one continues where it stopped.
            let mut alone = in_chunks(&mut one, other, &[other.len()]);
            assert!(agree(&both[1], &alone));
            let next = two.forward(&[&tokens[0][..1], &tokens[0][1..2]]).expect("runs");
            alone = one.forward(&[&tokens[0][1..2]]).expect("runs").concat();
            assert!(agree(&next[1], &alone), "{}", folder.display());
        }
    }
}

#[test]
fn what_does_not_fit_is_said_before_anything_runs() {
    let folder = checkpoints().into_iter().find(|f| f.ends_with("llama")).expect("there");
    let mut model = open(&folder, 1).expect("opens");
    assert!(matches!(
        model.forward(&[&[1; 129]]),
        Err(LlmError::Full { tokens: 129, used: 0, capacity: 128 })
    ));
    let options = ModelOptions { memory: Some(100_000), capacity: Some(1024), ..ModelOptions::default() };
    let error = LanguageModel::open(&folder, &Session::new(Device::Cpu), &options).err().expect("too little");
    let error = error.to_string();
    assert!(error.contains("but only 97 KiB are available"), "{error}");
    model.forward(&[&[1; 120]]).expect("fits");
    let error = model.forward(&[&[1; 9]]).expect_err("9 more do not").to_string();
    assert_eq!(error, "9 tokens do not fit into the context: its capacity is 128, and 120 are in use");
    model.forward(&[&[1; 8]]).expect("fits");
    assert!(matches!(model.forward(&[&[64]]), Err(LlmError::Token { token: 64, vocab: 64 })));
    assert!(matches!(model.forward(&[&[1], &[1]]), Err(LlmError::Batch { expected: 1, found: 2 })));
}

#[test]
fn unknown_families_and_missing_tensors_are_named() {
    let source = checkpoints().into_iter().find(|f| f.ends_with("llama")).expect("there");
    let folder = tempfile::tempdir().expect("a folder");
    let write = |from: &str, to: &str| {
        let text = fs::read_to_string(source.join("config.json")).expect("read").replace(from, to);
        fs::write(folder.path().join("config.json"), text).expect("written");
        match open(folder.path(), 1) {
            Ok(_) => panic!("{to} is accepted"),
            Err(error) => error.to_string(),
        }
    };
    fs::copy(source.join("model.safetensors"), folder.path().join("model.safetensors")).expect("copied");
    let error = write("\"model_type\": \"llama\"", "\"model_type\": \"mamba9\"");
    assert!(error.contains("mamba9") && error.contains("qwen3"), "{error}");
    let error = write("\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3");
    assert!(error.contains("9 missing") && error.contains("model.layers.2.mlp.gate_proj.weight"), "{error}");
    let error = write("\"intermediate_size\": 36", "\"intermediate_size\": 40");
    assert!(error.contains("expected [40, 24], found [36, 24]"), "{error}");
    let error = write("\"rope_type\": \"default\"", "\"rope_type\": \"spiral\"");
    assert!(error.contains("spiral"), "{error}");
    let error =
        write("\"vocab_size\"", "\"quantization_config\": {\"quant_method\": \"mxfp4\"}, \"vocab_size\"");
    assert!(error.contains("quantization_config"), "{error}");
}

/// GPT-OSS is published in MXFP4; weights in any other quantized format of another library are refused.
#[test]
fn experts_in_other_blocks_are_refused() {
    let source = checkpoints().into_iter().find(|f| f.ends_with(IN_BLOCKS)).expect("there");
    assert!(open(&source, 1).is_ok());
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(source.join("model.safetensors"), folder.path().join("model.safetensors")).expect("copied");
    let text = fs::read_to_string(source.join("config.json")).expect("read");
    fs::write(folder.path().join("config.json"), text.replace("\"mxfp4\"", "\"fp8\"")).expect("written");
    let error = open(folder.path(), 1).err().expect("refused").to_string();
    assert!(error.contains("quantization_config"), "{error}");
}
