//! The built-in model end to end, compared with the results of transformers for the same file
//! (scripts/tiny_goldens.py).

use rlx_files::weights::Weights;
use rlx_gguf::{Gguf, GgufWriter, ModelFiles, TensorType};
use rlx_ir::DType;
use rlx_llm::generate::{FinishReason, GenerateOptions, Generator, Sampling};
use rlx_llm::{CacheType, LanguageModel, ModelOptions};
use rlx_session::{Device, Session};
use rlx_tokenizer::{Encode, Prompt, Tokenizer};
use std::ops::ControlFlow;
use std::path::Path;

fn file() -> Gguf {
    Gguf::from_bytes(rlx_tiny_model::GGUF.to_vec(), Path::new("tiny.gguf")).unwrap()
}

/// The same with all numbers in f32.
fn unpacked() -> Gguf {
    let file = file();
    let mut writer = GgufWriter::new();
    file.metadata().for_each(|(key, value)| writer.set(key, value));
    for tensor in file.tensors() {
        let bytes: Vec<u8> = tensor.to_f32().unwrap().iter().flat_map(|x| x.to_le_bytes()).collect();
        writer.tensor(tensor.name(), TensorType::Plain(DType::F32), tensor.shape(), bytes);
    }
    Gguf::from_bytes(writer.to_bytes().unwrap(), Path::new("unpacked.gguf")).unwrap()
}

fn open(file: Gguf, options: &ModelOptions) -> LanguageModel {
    LanguageModel::from_gguf(file, &Session::new(Device::Cpu), options).unwrap()
}

fn generator(options: &ModelOptions) -> Generator {
    let tokenizer = Tokenizer::from_gguf(&file()).unwrap();
    Generator::new(open(file(), options), tokenizer, Session::new(Device::Cpu))
}

struct Expected {
    tokens: Vec<u32>,
    prompt: Vec<u32>,
    greedy: Vec<u32>,
    logits: Vec<f32>,
}

fn expected() -> Expected {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tiny/expected.safetensors");
    let file = Weights::read(&path).unwrap();
    let ints = |name: &str| -> Vec<u32> {
        file.tensor(name).unwrap().bytes().as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
    };
    let logits = file.tensor("logits").unwrap().to_f32().unwrap().into_owned();
    Expected { tokens: ints("tokens"), prompt: ints("prompt"), greedy: ints("greedy"), logits }
}

/// Returns the maximum difference, divided by the maximum value.
fn error(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let most = expected.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    found.iter().zip(expected).fold(0.0f32, |most, (a, b)| most.max((a - b).abs())) / most
}

#[test]
fn logits_are_those_of_transformers() {
    let Expected { tokens, logits, .. } = expected();
    let mut exact = open(unpacked(), &ModelOptions::default());
    let positions = logits.len() / exact.spec().vocab;
    let found = exact.forward_all(&[&tokens[..positions]]).unwrap().remove(0);
    assert!(error(&found, &logits) < 1e-4, "{}", error(&found, &logits));
    // Products with blocks round their inputs to bytes.
    let found =
        open(file(), &ModelOptions::default()).forward_all(&[&tokens[..positions]]).unwrap().remove(0);
    assert!(error(&found, &logits) < 0.03, "{}", error(&found, &logits));
}

#[test]
fn tokens_are_those_of_transformers_and_text_comes_back() {
    let text = include_str!("tiny/held_out.txt");
    let tokenizer = Tokenizer::from_gguf(&file()).unwrap();
    let tokens = tokenizer.encode(text, Encode { ends: true, special: false }).unwrap();
    assert_eq!(tokens, expected().tokens);
    assert_eq!(tokenizer.decode(&tokens, false).unwrap(), text.as_bytes());
    assert_eq!(tokenizer.encode_start(&Prompt::content("")).unwrap(), [0]);
}

#[cfg(unix)]
#[test]
fn a_tokenizer_and_models_share_a_file_that_is_opened_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("tiny.gguf");
    std::fs::write(&path, rlx_tiny_model::GGUF).unwrap();
    let files = ModelFiles::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let text = include_str!("tiny/held_out.txt");
    let tokenizer = Tokenizer::from_files(&files).unwrap();
    assert_eq!(tokenizer.encode(text, Encode { ends: true, special: false }).unwrap(), expected().tokens);
    let (session, options) = (Session::new(Device::Cpu), ModelOptions::default());
    let logits = |mut model: LanguageModel| model.forward(&[&expected().prompt]).unwrap();
    let own = logits(open(file(), &options));
    for _ in 0..2 {
        assert_eq!(logits(LanguageModel::from_files(&files, &session, &options).unwrap()), own);
    }
}

#[test]
fn greedy_text_is_that_of_transformers() {
    let Expected { prompt, greedy, .. } = expected();
    let mut model = open(unpacked(), &ModelOptions::default());
    let mut logits = model.forward(&[&prompt]).unwrap().remove(0);
    for (i, &token) in greedy.iter().enumerate() {
        let best = (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap();
        assert_eq!(best as u32, token, "token {i}");
        logits = model.forward(&[&[token]]).unwrap().remove(0);
    }
}

#[test]
fn a_text_that_it_never_saw_is_foretold() {
    let tokens = expected().tokens;
    let window = &tokens[..256];
    let mut model = open(file(), &ModelOptions::default());
    let vocab = model.spec().vocab;
    let logits = model.forward_all(&[window]).unwrap().remove(0);
    let surprise = |i: usize| {
        let row = &logits[i * vocab..][..vocab];
        let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let sum: f64 = row.iter().map(|x| f64::from(x - largest).exp()).sum();
        sum.ln() - f64::from(row[window[i + 1] as usize] - largest)
    };
    let perplexity = ((128..255).map(surprise).sum::<f64>() / 127.0).exp();
    // A model that only knows how often tokens occur has several hundred.
    assert!(perplexity < BOUND, "{perplexity}");
}

/// The maximum perplexity of a model that is not broken.
const BOUND: f64 = 32.0;

#[test]
fn texts_side_by_side_are_those_of_each_alone() {
    let texts = ["In the beginning", "And the LORD said unto Moses, ", ""];
    let options = GenerateOptions {
        max_tokens: Some(24),
        sampling: Sampling { seed: 5, ..Sampling::default() },
        logprobs: Some(1),
        ..GenerateOptions::default()
    };
    let mut together = generator(&ModelOptions { batch: 3, ..ModelOptions::default() });
    let prompts = texts.map(|text| together.tokenizer().encode_start(&Prompt::content(text)).unwrap());
    let given: Vec<&[u32]> = prompts.iter().map(Vec::as_slice).collect();
    let all = together.generate_all(&given, &options, &mut |_, _| ControlFlow::Continue(())).unwrap();
    let mut alone = generator(&ModelOptions::default());
    for (prompt, found) in given.iter().zip(&all) {
        let one = alone.generate(prompt, &options, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!((&found.text, &found.logprobs), (&one.text, &one.logprobs));
        assert!(matches!(found.finish, FinishReason::Length | FinishReason::End));
    }
}

#[test]
fn caches_of_narrower_numbers_change_logits_by_no_more_than_they_round() {
    let Expected { tokens, .. } = expected();
    let logits = |cache| {
        let mut model = open(unpacked(), &ModelOptions { cache, ..ModelOptions::default() });
        let (head, rest) = tokens[..64].split_at(40);
        model.forward(&[head]).unwrap();
        rest.iter().flat_map(|&token| model.forward(&[&[token]]).unwrap().remove(0)).collect::<Vec<f32>>()
    };
    let exact = logits(CacheType::F32);
    // Half a unit of the last place of f16, bf16, and of 127 steps, through four layers of attention.
    for (cache, bound) in [(CacheType::F16, 1e-3), (CacheType::Bf16, 1e-2), (CacheType::Q8_0, 1e-2)] {
        let found = error(&logits(cache), &exact);
        assert!(found > 0.0 && found < bound, "{}: {found}", cache.name());
    }
}
