//! Checkpoints that scripts/llm_checkpoints.py and scripts/llm_gguf.py made, held against what other implementations made of them.

use rlx_files::weights::Weights;
use rlx_llm::{AdapterSource, LanguageModel, LlmError, ModelOptions};
use rlx_session::{Device, Session};
use std::path::Path;

/// What a comparison saw.
#[derive(Debug)]
#[allow(dead_code)] // Who includes this file reads some of them.
pub struct Comparison {
    /// Positions compared.
    pub positions: usize,
    /// The largest difference of logits, divided by the largest logit.
    pub error: f32,
    /// Root mean squares of the differences from the logits of a model whose numbers were unpacked to f32: ours, and those of what is
    /// compared with.
    pub exact: Option<[f32; 2]>,
    /// Positions at which the same token is the most likely one.
    pub same_best: usize,
    /// Tokens of the greedy text that are the same, from its beginning.
    pub greedy: usize,
    /// Tokens of it.
    pub greedy_tokens: usize,
    /// Of the tokens of it whose margins exceed what their logits were off by, how many we would choose behind the same text; and how many
    /// such tokens there are.
    pub clear: Option<[usize; 2]>,
}

/// What the reference made of a checkpoint.
pub struct Expected {
    pub tokens: Vec<Vec<u32>>,
    pub logits: Vec<f32>,
    /// Of the same model with all numbers in f32.
    pub exact: Option<Vec<f32>>,
    pub greedy: Vec<u32>,
    /// Whether each token of the greedy text was better than the next best by more than twice what any logit was off by.
    pub is_clear: Option<Vec<bool>>,
}

impl Expected {
    /// What lies in a folder of safetensors, or beside a GGUF file.
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

    /// Tokens of the longest text.
    pub fn text_length(&self) -> usize {
        self.tokens.first().map_or(0, Vec::len) + self.greedy.len()
    }
}

/// The model at `path`, for so many sequences of up to `capacity` tokens.
#[allow(dead_code)] // Who includes this file uses one of the two.
pub fn open(path: &Path, batch: usize, capacity: usize) -> Result<LanguageModel, LlmError> {
    open_adapted(path, batch, capacity, &[])
}

/// The same with adapters.
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

/// The token of the largest logit.
pub fn best(logits: &[f32]) -> usize {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap_or_default()
}

/// The largest difference, divided by the largest number of `b`.
pub fn error(a: &[f32], b: &[f32]) -> f32 {
    let largest = b.iter().fold(0f32, |m, x| m.max(x.abs()));
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    // Not a number is no agreement either.
    let most = differences.fold(0f32, |m, d| if d > m || d.is_nan() { d } else { m });
    if a.len() == b.len() { most / largest } else { f32::INFINITY }
}

/// The root mean square of the differences; all of them are numbers only if this is one.
fn distance(a: &[f32], b: &[f32]) -> f32 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum();
    if a.len() == b.len() { (squares / a.len() as f64).sqrt() as f32 } else { f32::INFINITY }
}

/// Holds a checkpoint against its expected logits and text.
#[allow(dead_code)] // Who includes this file uses one of the two.
pub fn compare(path: &Path) -> Result<Comparison, LlmError> {
    compare_adapted(path, &[], path)
}

/// Holds a checkpoint with adapters against the logits and the text that lie at `expected`.
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

/// A tokenizer for texts that nobody reads: a letter for each token.
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
