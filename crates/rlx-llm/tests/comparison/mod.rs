//! Compares checkpoints made by scripts/llm_checkpoints.py and scripts/llm_gguf.py with the results of other
//! implementations.

use rlx_files::weights::Weights;
use rlx_llm::{AdapterSource, LanguageModel, LlmError, ModelOptions};
use rlx_session::{Device, Session};
use std::path::Path;

/// The result of a comparison.
#[derive(Debug)]
#[allow(dead_code)] // Who includes this file reads some of them.
pub struct Comparison {
    /// The number of positions that were compared.
    pub positions: usize,
    /// The maximum difference of logits, divided by the maximum logit.
    pub error: f32,
    /// Root mean squares of the differences from the logits of the model with all weights unpacked to f32: ours, and
    /// those of the other implementation.
    pub exact: Option<[f32; 2]>,
    /// The number of positions at which both have the same most likely token.
    pub same_best: usize,
    /// How many tokens of the greedy text agree from its beginning.
    pub greedy: usize,
    /// The number of tokens in the greedy text.
    pub greedy_tokens: usize,
    /// Of the tokens in the greedy text whose margins exceed the error of their logits, how many we would choose
    /// after the same text, and how many such tokens there are.
    pub clear: Option<[usize; 2]>,
}

/// The results of the reference for a checkpoint.
pub struct Expected {
    pub tokens: Vec<Vec<u32>>,
    pub logits: Vec<f32>,
    /// The same for the model with all numbers in f32.
    pub exact: Option<Vec<f32>>,
    pub greedy: Vec<u32>,
    /// For each token of the greedy text, whether its margin over the next best one exceeds twice the maximum error
    /// of its logits.
    pub is_clear: Option<Vec<bool>>,
}

impl Expected {
    /// Reads the results in a folder of safetensors, or next to a GGUF file.
    pub fn load(model: &Path) -> Expected {
        let path = if model.is_dir() {
            model.join("expected.safetensors")
        } else {
            model.with_extension("safetensors")
        };
        let file = Weights::read(&path).expect("what the script wrote");
        let ints = |name: &str| -> Vec<u32> {
            let bytes = file.tensor(name).expect("written").bytes();
            bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
        };
        let numbers = |name: &str| file.get(name).map(|values| values.to_f32().expect("f32").into_owned());
        let tokens = file.tensor("tokens").expect("written");
        let seq = tokens.shape()[1];
        Expected {
            tokens: ints("tokens").chunks(seq).map(<[u32]>::to_vec).collect(),
            logits: file.tensor("logits").expect("written").to_f32().expect("f32").into_owned(),
            exact: numbers("exact"),
            greedy: ints("greedy"),
            is_clear: numbers("margins").zip(numbers("errors")).map(|(margins, errors)| {
                margins.iter().zip(errors).map(|(margin, error)| *margin > 2.0 * error).collect()
            }),
        }
    }

    /// Returns the length of the longest text, in tokens.
    pub fn text_length(&self) -> usize {
        self.tokens.first().map_or(0, Vec::len) + self.greedy.len()
    }
}

/// Opens the model at `path` for `batch` sequences of up to `capacity` tokens.
#[allow(dead_code)] // Who includes this file uses one of the two.
pub fn open(path: &Path, batch: usize, capacity: usize) -> Result<LanguageModel, LlmError> {
    open_adapted(path, batch, capacity, &[])
}

/// Does the same with adapters.
pub fn open_adapted(
    path: &Path,
    batch: usize,
    capacity: usize,
    adapters: &[AdapterSource],
) -> Result<LanguageModel, LlmError> {
    let adapters = adapters.to_vec();
    let options = ModelOptions { batch, capacity: Some(capacity), adapters, ..ModelOptions::default() };
    LanguageModel::open(path, &Session::new(Device::Cpu), &options)
}

/// Returns the token with the largest logit.
pub fn best(logits: &[f32]) -> usize {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap_or_default()
}

/// Returns the maximum difference, divided by the maximum of `b`.
pub fn error(a: &[f32], b: &[f32]) -> f32 {
    let largest = b.iter().fold(0f32, |m, x| m.max(x.abs()));
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    // NaN counts as a difference.
    let most = differences.fold(0f32, |m, d| if d > m || d.is_nan() { d } else { m });
    if a.len() == b.len() { most / largest } else { f32::INFINITY }
}

/// Returns the root mean square of the differences. It is a number only if all of them are.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum();
    if a.len() == b.len() { (squares / a.len() as f64).sqrt() as f32 } else { f32::INFINITY }
}

/// Compares a checkpoint with its expected logits and text.
#[allow(dead_code)] // Who includes this file uses one of the two.
pub fn compare(path: &Path) -> Result<Comparison, LlmError> {
    compare_adapted(path, &[], path)
}

/// Compares a checkpoint with adapters with the logits and the text at `expected`.
pub fn compare_adapted(
    path: &Path,
    adapters: &[AdapterSource],
    expected: &Path,
) -> Result<Comparison, LlmError> {
    let expected = Expected::load(expected);
    let mut model = open_adapted(path, expected.tokens.len(), expected.text_length(), adapters)?;
    let vocab = model.spec().vocab;
    let tokens: Vec<&[u32]> = expected.tokens.iter().map(Vec::as_slice).collect();
    let logits = model.forward_all(&tokens)?.concat();
    let same_best =
        logits.chunks(vocab).zip(expected.logits.chunks(vocab)).filter(|(a, b)| best(a) == best(b));

    let mut one = open_adapted(path, 1, expected.text_length(), adapters)?;
    let mut next = one.forward(&[&expected.tokens[0]])?.pop().unwrap_or_default();
    let mut greedy = 0;
    for &token in &expected.greedy {
        let ours = best(&next) as u32;
        if ours != token {
            break;
        }
        greedy += 1;
        next = one.forward(&[&[ours]])?.pop().unwrap_or_default();
    }
    let clear = expected.is_clear.map(|is_clear| -> Result<[usize; 2], LlmError> {
        one.reset()?;
        let text = [&expected.tokens[0][..], &expected.greedy].concat();
        let logits = one.forward_all(&[&text])?.concat();
        let steps = logits.chunks(vocab).skip(expected.tokens[0].len() - 1).zip(&expected.greedy);
        let own = steps
            .zip(is_clear)
            .filter(|(_, is_clear)| *is_clear)
            .map(|((logits, token), _)| best(logits) as u32 == *token);
        let own: Vec<bool> = own.collect();
        Ok([own.iter().filter(|same| **same).count(), own.len()])
    });
    Ok(Comparison {
        positions: logits.len() / vocab,
        error: error(&logits, &expected.logits),
        exact: expected.exact.map(|exact| [distance(&logits, &exact), distance(&expected.logits, &exact)]),
        same_best: same_best.count(),
        greedy,
        greedy_tokens: expected.greedy.len(),
        clear: clear.transpose()?,
    })
}

/// A tokenizer for texts that nobody reads: one letter per token.
#[allow(dead_code)] // Who includes this file may need none.
pub fn tokenizer() -> rlx_tokenizer::Tokenizer {
    let vocab: Vec<String> =
        (0..64).map(|i| format!("{:?}: {i}", char::from(48 + i as u8).to_string())).collect();
    let text = format!(
        "{{\"version\": \"1.0\", \"added_tokens\": [], \"normalizer\": null, \"pre_tokenizer\": null, \"post_processor\": null, \"decoder\": null, \
         \"model\": {{\"type\": \"BPE\", \"vocab\": {{{}}}, \"merges\": []}}}}",
        vocab.join(", ")
    );
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("tokenizer.json"), text).expect("written");
    rlx_tokenizer::Tokenizer::open(folder.path()).expect("a tokenizer")
}
