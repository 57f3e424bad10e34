//! Trains `embedding` models: fine-tunes a sentence encoder on pairs of texts that belong together. Examples are a
//! question and its answer, or two sentences with the same meaning. A fifth of the pairs, drawn at random from the
//! seed, is kept for validation.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use rlx_ir::{DType, Graph};
use rlx_models::bert::{INPUTS, contrastive_graph};
use rlx_models::files::read_text;
use rlx_models::model::{SentenceModel, copy_settings};
use rlx_models::tokenize::{SentenceTokenizer, TokenRow};
use rlx_train::{Order, TrainError, TrainingSession};
use serde::Deserialize;

use super::config::Base;
use super::notes;
use super::task::{Input, Task, ids, views};
use crate::failure::Failure;

/// One of this many pairs is kept for validation, but at least one batch.
const HELD_OUT: usize = 5;
/// Maximum size of a file of pairs, in bytes. All of their tokens are kept in memory.
const MAX_PAIRS: u64 = 1 << 30;
/// Maximum size of `config.json`, in bytes.
const MAX_CONFIG: u64 = 1 << 20;
/// Texts are padded to a multiple of this many tokens.
const WIDTH_STEP: usize = 8;

/// Why a file cannot be used as pairs.
#[derive(Debug, thiserror::Error)]
pub enum PairsError {
    #[error("{path}:{line}: {problem}", path = path.display())]
    Line { path: PathBuf, line: usize, problem: String },
    #[error(
        "{path}: {pairs} pair(s) are too few for batches of {batch}: at least one batch is needed for validation and one for training",
        path = path.display()
    )]
    TooFew { path: PathBuf, pairs: usize, batch: usize },
}

/// A line of JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    anchor: String,
    positive: String,
}

/// The tokens of an anchor and its positive.
type Pair = [TokenRow; 2];

/// The task.
pub struct Pairs {
    folder: PathBuf,
    model: SentenceModel,
    scale: f64,
    batch: usize,
    /// Tokens per text, including padding.
    width: usize,
    train: Vec<Pair>,
    validation: Vec<Pair>,
    order: Order,
    notes: Vec<String>,
}

impl Pairs {
    /// Reads the pairs in the file `path` for the model in `folder`.
    pub fn open(
        path: &Path,
        folder: PathBuf,
        mut model: SentenceModel,
        base: &Base,
        batch: usize,
        seed: u64,
    ) -> Result<Self, Failure> {
        let mut notes = notes::unheeded(
            "model.base",
            &read_text(&folder.join("config.json"), MAX_CONFIG).unwrap_or_default(),
        );
        if let Some(most) = base.max_tokens {
            let takes = model.tokenizer.max_tokens();
            if most > takes {
                notes.push(format!(
                    "`model.max_tokens` is {most}, but the model takes {takes}; texts are truncated there"
                ));
            }
            model.tokenizer = model.tokenizer.with_max_tokens(most)?;
        }
        let pairs = read(path, &model.tokenizer)?;
        let count = pairs.len();
        let held = (count / HELD_OUT).max(batch);
        if count < held + batch {
            return Err(PairsError::TooFew { path: path.to_path_buf(), pairs: count, batch }.into());
        }
        let longest = pairs.iter().flatten().map(|row| row.ids.len()).max().unwrap_or(0);
        let width = longest.next_multiple_of(WIDTH_STEP).min(model.tokenizer.max_tokens());
        let (train, validation) = divided(pairs, held, seed);
        notes.extend(repeats(&train, &validation));
        let cut = train.iter().chain(&validation).flatten().filter(|row| row.cut).count();
        if cut > 0 {
            let (of, most) = (2 * count, model.tokenizer.max_tokens());
            notes.push(format!(
                "`data.path`: {cut} of {of} texts have more than {most} tokens and are truncated"
            ));
        }
        let order = Order::new(seed, train.len());
        let scale = base.scale;
        Ok(Pairs { folder, model, scale, batch, width, train, validation, order, notes })
    }

    /// The inputs for a batch: the anchors, then their positives.
    fn inputs<'a>(&self, pairs: impl Iterator<Item = &'a Pair> + Clone) -> Vec<Input> {
        let side = |side: usize| pairs.clone().map(move |pair| pair[side].clone());
        let rows: Vec<TokenRow> = side(0).chain(side(1)).collect();
        let tokens = self.model.tokenizer.pack(&rows, self.width);
        let values = [tokens.ids, tokens.types, tokens.mask];
        INPUTS.into_iter().zip(values).map(|(name, v)| (name, ids(v.into_iter()), DType::I32)).collect()
    }
}

/// The pairs for training, in order, and `held` others drawn at random, since files may be sorted, or repeat themselves
/// every few lines.
fn divided<T>(pairs: Vec<T>, held: usize, seed: u64) -> (Vec<T>, Vec<T>) {
    // A different seed than that of the order in which pairs are trained on.
    let drawn = Order::new(!seed, pairs.len()).batch(0, held);
    let place: HashMap<usize, usize> = drawn.into_iter().enumerate().map(|(place, i)| (i, place)).collect();
    let (mut train, mut validation) = (Vec::new(), Vec::new());
    for (i, pair) in pairs.into_iter().enumerate() {
        match place.get(&i) {
            Some(place) => validation.push((place, pair)),
            None => train.push(pair),
        }
    }
    validation.sort_by_key(|(place, _)| **place);
    (train, validation.into_iter().map(|(_, pair)| pair).collect())
}

/// A note about texts that occur more than once, compared by the tokens that the model sees.
fn repeats(train: &[Pair], validation: &[Pair]) -> Option<String> {
    let mut pairs: HashMap<[&[i32]; 2], usize> = HashMap::new();
    let mut texts: HashMap<&[i32], usize> = HashMap::new();
    let all = || train.iter().chain(validation);
    for [anchor, positive] in all() {
        *pairs.entry([&anchor.ids, &positive.ids]).or_default() += 1;
        *texts.entry(&anchor.ids).or_default() += 1;
        if positive.ids != anchor.ids {
            *texts.entry(&positive.ids).or_default() += 1;
        }
    }
    let count = all().count();
    let (again, several) = (count - pairs.len(), texts.values().filter(|n| **n > 1).count());
    if several == 0 {
        return None;
    }
    let trained: HashSet<&[i32]> = train.iter().flatten().map(|row| row.ids.as_slice()).collect();
    let known = validation.iter().filter(|pair| pair.iter().any(|row| trained.contains(row.ids.as_slice())));
    Some(format!(
        "`data.path`: {several} text(s) occur in more than one of {count} pairs, and {again} pair(s) repeat an earlier one. A text that occurs twice \
         in a batch counts as a wrong answer to itself. {} of {} validation pairs have a text that is also trained on",
        known.count(),
        validation.len()
    ))
}

/// Reads pairs from lines of JSON (`.jsonl`), or from two columns separated by a tab.
fn read(path: &Path, tokenizer: &SentenceTokenizer) -> Result<Vec<Pair>, Failure> {
    let text = read_text(path, MAX_PAIRS)?;
    let json = path.extension().is_some_and(|e| e == "jsonl");
    let mut pairs = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |problem| PairsError::Line { path: path.to_path_buf(), line: i + 1, problem };
        let (anchor, positive) = if json { of_json(line) } else { of_columns(line) }.map_err(wrong)?;
        pairs.push([tokenizer.row(&anchor)?, tokenizer.row(&positive)?]);
    }
    Ok(pairs)
}

fn of_json(line: &str) -> Result<(String, String), String> {
    let shape = r#"a line is {"anchor": "…", "positive": "…"}"#;
    let Line { anchor, positive } = serde_json::from_str(line).map_err(|e| format!("{e}; {shape}"))?;
    Ok((anchor, positive))
}

fn of_columns(line: &str) -> Result<(String, String), String> {
    let columns: Vec<&str> = line.split('\t').collect();
    match columns[..] {
        [anchor, positive] => Ok((anchor.to_string(), positive.to_string())),
        _ => {
            let found = columns.len();
            Err(format!("it has {found} column(s); a line is an anchor and its positive, separated by a tab"))
        }
    }
}

impl Task for Pairs {
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn graph(&self) -> Result<Graph, Failure> {
        let SentenceModel { encoder, sentence, .. } = &self.model;
        Ok(contrastive_graph(encoder, sentence, (self.batch, self.width), self.scale)?)
    }

    fn initial(&self, _: &Graph, _: u64) -> Result<HashMap<String, Vec<f32>>, Failure> {
        Ok(self.model.values()?)
    }

    fn batch(&mut self, step: u64) -> Vec<Input> {
        let chosen = self.order.batch(step, self.batch);
        self.inputs(chosen.iter().map(|&i| &self.train[i]))
    }

    fn measures(&self) -> &'static [&'static str] {
        &["validation_loss", "validation_accuracy"]
    }

    fn evaluate(&mut self, session: &mut TrainingSession) -> Result<Vec<(&'static str, f64)>, TrainError> {
        let (mut right, mut loss) = (0usize, 0.0);
        // Only whole batches: the difficulty of a choice depends on how many texts there are to choose from.
        let batches = self.validation.chunks_exact(self.batch);
        let count = batches.len() as f64;
        for batch in batches {
            let report = session.eval_typed(&views(&self.inputs(batch.iter())))?;
            loss += f64::from(report.loss);
            let cosines = report.metrics.first().map(Vec::as_slice).unwrap_or_default();
            let nearest = |row: &[f32]| (0..row.len()).max_by(|a, b| row[*a].total_cmp(&row[*b]));
            let rows = cosines.chunks_exact(self.batch).enumerate();
            right += rows.filter(|(i, row)| nearest(row) == Some(*i)).count();
        }
        let found = right as f64 / (count * self.batch as f64);
        Ok(vec![("validation_loss", loss / count), ("validation_accuracy", found)])
    }

    /// A folder that `rlx embed --model` can load.
    fn target(&self, dir: &Path) -> Result<PathBuf, Failure> {
        Ok(copy_settings(&self.folder, &dir.join("model"))?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(ids: &[i32]) -> TokenRow {
        TokenRow { ids: ids.to_vec(), types: vec![0; ids.len()], cut: false }
    }

    #[test]
    fn pairs_for_validation_are_drawn() {
        let all = |seed| divided((0..1000).collect::<Vec<usize>>(), 200, seed);
        let (train, validation) = all(1);
        assert_eq!((train.len(), validation.len()), (800, 200));
        assert!(train.is_sorted() && !validation.is_sorted());
        let mut both: Vec<usize> = train.iter().chain(&validation).copied().collect();
        both.sort_unstable();
        assert!(both.into_iter().eq(0..1000));
        // Validation has every line of a file that repeats itself: 200 draws miss one of 20 lines with a probability of 4e-5.
        for period in [5, 10, 20] {
            let seen: HashSet<usize> = validation.iter().map(|i| i % period).collect();
            assert_eq!(seen.len(), period);
        }
        assert_eq!(all(1), (train, validation.clone()));
        assert_ne!(all(2).1, validation);
    }

    #[test]
    fn texts_that_repeat_are_said() {
        let pairs =
            |ids: &[[i32; 2]]| ids.iter().map(|pair| pair.map(|id| row(&[id]))).collect::<Vec<Pair>>();
        assert_eq!(repeats(&pairs(&[[1, 2], [3, 4]]), &pairs(&[[5, 6], [7, 7]])), None);
        let said = repeats(&pairs(&[[1, 2], [3, 4], [1, 2]]), &pairs(&[[5, 2], [6, 7]])).unwrap();
        assert!(
            said.starts_with(
                "`data.path`: 2 text(s) occur in more than one of 5 pairs, and 1 pair(s) repeat"
            ),
            "{said}"
        );
        assert!(said.ends_with(" 1 of 2 validation pairs have a text that is also trained on"), "{said}");
    }

    #[test]
    fn lines_that_are_no_pairs_say_what_a_line_is() {
        assert_eq!(of_columns("a b\tc").unwrap(), ("a b".into(), "c".into()));
        assert!(of_columns("a b").unwrap_err().starts_with("it has 1 column(s)"));
        assert!(of_columns("a\tb\tc").unwrap_err().starts_with("it has 3 column(s)"));
        assert_eq!(of_json(r#"{"anchor": "a", "positive": "b\tc"}"#).unwrap(), ("a".into(), "b\tc".into()));
        assert_eq!(of_json(r#"["a", "b"]"#).unwrap(), ("a".into(), "b".into()));
        for line in ["a\tb", r#"{"anchor": "a"}"#, r#"{"anchor": "a", "positive": "b", "negative": "c"}"#] {
            let error = of_json(line).unwrap_err();
            assert!(error.contains("a line is {\"anchor\""), "{error}");
        }
    }
}
