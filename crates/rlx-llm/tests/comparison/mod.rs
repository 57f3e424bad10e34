//! Checkpoints that scripts/llm_checkpoints.py made, held against what the reference implementation made of them.

use rlx_files::weights::Weights;
use rlx_llm::{LanguageModel, LlmError, ModelOptions};
use rlx_session::{Device, Session};
use std::path::Path;

/// What a comparison saw.
#[derive(Debug)]
pub struct Comparison {
    /// Positions compared.
    pub positions: usize,
    /// The largest difference of logits, divided by the largest logit.
    pub error: f32,
    /// Positions at which the same token is the most likely one.
    pub same_best: usize,
    /// Tokens of the greedy text that are the same, from its beginning.
    pub greedy: usize,
    /// Tokens of it.
    pub greedy_tokens: usize,
}

/// What the reference made of a checkpoint.
pub struct Expected {
    pub tokens: Vec<Vec<u32>>,
    pub logits: Vec<f32>,
    pub greedy: Vec<u32>,
}

impl Expected {
    pub fn load(folder: &Path) -> Expected {
        let file = Weights::read(&folder.join("expected.safetensors")).expect("what the script wrote");
        let ints = |name: &str| -> Vec<u32> {
            let bytes = file.tensor(name).expect("written").bytes();
            bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
        };
        let tokens = file.tensor("tokens").expect("written");
        let seq = tokens.shape()[1];
        Expected {
            tokens: ints("tokens").chunks(seq).map(<[u32]>::to_vec).collect(),
            logits: file.tensor("logits").expect("written").to_f32().expect("f32").into_owned(),
            greedy: ints("greedy"),
        }
    }
}

/// The model in a folder, for two sequences or one.
pub fn open(folder: &Path, batch: usize) -> Result<LanguageModel, LlmError> {
    let options = ModelOptions { batch, capacity: Some(128), ..ModelOptions::default() };
    LanguageModel::open(folder, &Session::new(Device::Cpu), &options)
}

/// The token of the largest logit.
pub fn best(logits: &[f32]) -> usize {
    (0..logits.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b])).unwrap_or_default()
}

/// Holds a checkpoint against its expected logits and text.
pub fn compare(folder: &Path) -> Result<Comparison, LlmError> {
    let expected = Expected::load(folder);
    let mut model = open(folder, expected.tokens.len())?;
    let vocab = model.spec().vocab;
    let tokens: Vec<&[u32]> = expected.tokens.iter().map(Vec::as_slice).collect();
    let logits = model.forward(&tokens)?.concat();
    let largest = expected.logits.iter().fold(0f32, |m, x| m.max(x.abs()));
    let differences = logits.iter().zip(&expected.logits).map(|(a, b)| (a - b).abs());
    let error = differences.fold(0f32, f32::max) / largest;
    let same_best =
        logits.chunks(vocab).zip(expected.logits.chunks(vocab)).filter(|(a, b)| best(a) == best(b));

    let mut one = open(folder, 1)?;
    let mut next = one.forward(&[&expected.tokens[0]])?.pop().unwrap_or_default();
    let mut greedy = 0;
    for &token in &expected.greedy {
        let ours = best(&next[next.len() - vocab..]) as u32;
        if ours != token {
            break;
        }
        greedy += 1;
        next = one.forward(&[&[ours]])?.pop().unwrap_or_default();
    }
    Ok(Comparison {
        positions: logits.len() / vocab,
        error: if logits.len() == expected.logits.len() { error } else { f32::INFINITY },
        same_best: same_best.count(),
        greedy,
        greedy_tokens: expected.greedy.len(),
    })
}
