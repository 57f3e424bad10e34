//! Compares the probabilities of a model with those of another model from a file of llama.cpp's `llama-perplexity`. The
//! file has the tokens of all windows and, for each predicted token, the logarithms of all probabilities in 16 bits.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use rlx_models::files::open_regular;
use serde_json::{Value, json};

use crate::failure::Failure;

const MAGIC: &[u8; 8] = b"_logits_";
/// Logits further below the largest than this are not distinguished.
const RANGE: f32 = 16.0;
/// An upper bound on windows, tokens per window and vocabulary size, beyond any real file.
const MOST: u32 = 1 << 28;

/// Writes a model's probabilities to a file.
pub struct BaseWriter<'w> {
    out: &'w mut dyn Write,
}

impl<'w> BaseWriter<'w> {
    /// Writes the header, with the tokens of all windows.
    pub fn new(out: &'w mut dyn Write, windows: &[Vec<u32>], vocab: usize) -> std::io::Result<Self> {
        let window = windows.first().map_or(0, Vec::len);
        out.write_all(MAGIC)?;
        for number in [window, vocab, windows.len()] {
            out.write_all(&(number as u32).to_le_bytes())?;
        }
        for token in windows.iter().flatten() {
            out.write_all(&token.to_le_bytes())?;
        }
        Ok(BaseWriter { out })
    }

    /// Adds the logits that a model gives for the next token.
    pub fn add(&mut self, logits: &[f32]) -> std::io::Result<()> {
        let (largest, log_sum) = normalizer(logits);
        let smallest = logits.iter().copied().fold(f32::INFINITY, f32::min).max(largest - RANGE);
        let scale = (largest - smallest) / 65535.0;
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        self.out.write_all(&scale.to_le_bytes())?;
        self.out.write_all(&(smallest - largest - log_sum).to_le_bytes())?;
        let steps = logits.iter().map(|x| ((x - smallest) * inverse).max(0.0).round_ties_even() as u16);
        let odd = (!logits.len().is_multiple_of(2)).then_some(0);
        steps.chain(odd).try_for_each(|step| self.out.write_all(&step.to_le_bytes()))
    }
}

/// The largest logit, and the logarithm of the sum of e to the power of each logit minus the largest.
fn normalizer(logits: &[f32]) -> (f32, f32) {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits.iter().map(|&x| f64::from(x - largest).exp()).sum();
    (largest, sum.ln() as f32)
}

/// Reads the probabilities in a file.
pub struct BaseReader {
    path: PathBuf,
    input: BufReader<File>,
    vocab: usize,
    /// The tokens of each window.
    pub windows: Vec<Vec<u32>>,
}

impl BaseReader {
    /// Reads the header, up to the probabilities.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let wrong = |problem: String| Failure::Failed(format!("{}: {problem}", path.display()).into());
        let mut input = BufReader::new(open_regular(path)?.0);
        let (mut magic, mut numbers) = ([0; 8], [[0; 4]; 3]);
        let short = |_| wrong("it is truncated".into());
        input.read_exact(&mut magic).map_err(short)?;
        if &magic != MAGIC {
            return Err(wrong(
                "it does not have a model's probabilities; make such a file with --save-logits".into(),
            ));
        }
        numbers.iter_mut().try_for_each(|number| input.read_exact(number)).map_err(short)?;
        let [window, vocab, count] = numbers.map(u32::from_le_bytes);
        let length = input.get_ref().metadata().map_or(0, |file| file.len());
        if !(4..MOST).contains(&window) || u64::from(window) * u64::from(count) * 4 > length {
            return Err(wrong(format!(
                "its header promises {count} windows of {window} tokens, but the file is too short for them"
            )));
        }
        let mut windows = Vec::new();
        for _ in 0..count {
            let mut bytes = vec![0; 4 * window as usize];
            input.read_exact(&mut bytes).map_err(short)?;
            windows.push(bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect());
        }
        Ok(BaseReader { path: path.to_path_buf(), input, vocab: vocab as usize, windows })
    }

    /// Fails if the file's vocabulary size differs from the model's.
    pub fn check(&self, vocab: usize) -> Result<(), Failure> {
        let known = |window: &Vec<u32>| window.iter().all(|&token| (token as usize) < vocab);
        if self.vocab == vocab && self.windows.iter().all(known) {
            return Ok(());
        }
        let theirs = self.vocab;
        Err(Failure::Failed(
            format!("the probabilities are for a vocabulary of {theirs} tokens, but the model has {vocab}")
                .into(),
        ))
    }

    /// The logarithms of the probabilities of the next token.
    fn next(&mut self) -> std::io::Result<Vec<f32>> {
        let mut bytes = vec![0; 8 + 2 * self.vocab.next_multiple_of(2)];
        self.input.read_exact(&mut bytes)?;
        let (numbers, steps) = bytes.split_at(8);
        let [scale, least] = [0, 4]
            .map(|at| f32::from_le_bytes([numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]]));
        if !(scale.is_finite() && least.is_finite()) {
            let problem = format!("{}: it has probabilities that are not numbers", self.path.display());
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, problem));
        }
        let steps = steps.as_chunks().0.iter().take(self.vocab);
        Ok(steps.map(|step| scale * f32::from(u16::from_le_bytes(*step)) + least).collect())
    }
}

/// Statistics over tokens.
#[derive(Default)]
pub struct Divergence {
    own: Vec<f64>,
    base: Vec<f64>,
    divergences: Vec<f64>,
    changes: Vec<f64>,
    same_top: usize,
}

impl Divergence {
    /// Adds a token: the model's logits are compared with the next ones in the file. `token` is the actual next token.
    pub fn add(&mut self, logits: &[f32], base: &mut BaseReader, token: u32) -> std::io::Result<()> {
        let theirs = base.next()?;
        let (largest, log_sum) = normalizer(logits);
        let log_p = |i: usize| f64::from(logits[i] - largest - log_sum);
        let divergence: f64 = theirs
            .iter()
            .enumerate()
            .filter(|(_, log_q)| **log_q > -RANGE)
            .map(|(i, &log_q)| f64::from(log_q).exp() * (f64::from(log_q) - log_p(i)))
            .sum();
        let (own, theirs_of_token) = (log_p(token as usize), f64::from(theirs[token as usize]));
        self.own.push(-own);
        self.base.push(-theirs_of_token);
        self.divergences.push(divergence);
        self.changes.push(own.exp() - theirs_of_token.exp());
        self.same_top += usize::from(top(logits) == top(&theirs));
        Ok(())
    }

    /// Returns the means with their standard errors, and the percentiles, by name.
    pub fn report(mut self) -> Value {
        let count = self.own.len().max(1) as f64;
        let ratios: Vec<f64> = self.own.iter().zip(&self.base).map(|(own, base)| own - base).collect();
        let squares: Vec<f64> = self.changes.iter().map(|change| change * change).collect();
        let [own, base, ratio] = [&self.own, &self.base, &ratios].map(|list| mean(list));
        let (divergence, change, square) = (mean(&self.divergences), mean(&self.changes), mean(&squares));
        let root = square.0.sqrt();
        let same = self.same_top as f64 / count;
        self.divergences.sort_by(f64::total_cmp);
        self.changes.sort_by(f64::total_cmp);
        let both = |(mean, error): (f64, f64)| json!([mean, error]);
        let shares = [1.0, 0.999, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.01, 0.001, 0.0];
        let percentiles = |sorted: &[f64]| -> Vec<Value> {
            shares.iter().map(|&share| json!([100.0 * share, percentile(sorted, share)])).collect()
        };
        json!({
            "tokens": self.own.len(),
            "perplexity": [own.0.exp(), own.0.exp() * own.1],
            "base_perplexity": [base.0.exp(), base.0.exp() * base.1],
            "ln_ratio": both(ratio),
            "kl_divergence": both(divergence),
            "kl_divergence_percentiles": percentiles(&self.divergences),
            "change_of_p": both(change),
            "change_of_p_percentiles": percentiles(&self.changes),
            "root_mean_square_change_of_p": [root, if root > 0.0 { 0.5 / root * square.1 } else { 0.0 }],
            "same_top": [same, (same * (1.0 - same) / (count - 1.0).max(1.0)).sqrt()],
        })
    }
}

/// The index of the largest number; the first if there are several.
fn top(numbers: &[f32]) -> usize {
    (1..numbers.len()).fold(0, |best, i| if numbers[i] > numbers[best] { i } else { best })
}

/// The mean and its standard error.
fn mean(list: &[f64]) -> (f64, f64) {
    let count = list.len().max(1) as f64;
    let mean = list.iter().sum::<f64>() / count;
    let variance = list.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / count;
    (mean, (variance / (count - 1.0).max(1.0)).sqrt())
}

/// The number below which a `share` of the sorted list lies, interpolated linearly.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let at = share * sorted.len().saturating_sub(1) as f64;
    let (below, part) = (at.floor() as usize, at.fract());
    let number = |i: usize| sorted.get(i).or(sorted.last()).copied().unwrap_or_default();
    number(below) * (1.0 - part) + number(below + 1) * part
}

/// The report as text.
pub fn text(report: &Value) -> String {
    let pair = |name: &str, factor: f64| {
        let number = |i: usize| factor * report[name][i].as_f64().unwrap_or_default();
        format!("{:.6} ± {:.6}", number(0), number(1))
    };
    let mut out = format!(
        "perplexity           {}\nof the base          {}\nln of their ratio    {}\nKL divergence        {}\n\
         change of p, %       {}\n  its root mean square {}\nsame top token, %    {}\n\n{:>10}  {:>14}  {:>14}\n",
        pair("perplexity", 1.0),
        pair("base_perplexity", 1.0),
        pair("ln_ratio", 1.0),
        pair("kl_divergence", 1.0),
        pair("change_of_p", 100.0),
        pair("root_mean_square_change_of_p", 100.0),
        pair("same_top", 100.0),
        "percentile",
        "KL divergence",
        "change of p, %",
    );
    let list = |name: &str| report[name].as_array().cloned().unwrap_or_default();
    for (divergence, change) in list("kl_divergence_percentiles").iter().zip(list("change_of_p_percentiles"))
    {
        let number = |value: &Value, i: usize| value[i].as_f64().unwrap_or_default();
        let (share, change) = (number(divergence, 0), 100.0 * number(&change, 1));
        out += &format!("{share:>10}  {:>14.6}  {change:>14.4}\n", number(divergence, 1));
    }
    out
}
