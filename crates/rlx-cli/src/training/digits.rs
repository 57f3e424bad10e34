//! Classifying images of digits: lines of 64 grey values from 0 to 16 and the digit, as CSV in gzip.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use rlx_ir::{DType, Graph};
use rlx_models::convnet::{self, ConvnetConfig};
use rlx_train::{Order, TrainError, TrainingSession};

use super::task::{Input, Task, drawn, ids, views};
use crate::failure::Failure;

const SIZE: usize = 8;
const PIXELS: usize = SIZE * SIZE;
/// Every so many-th image is kept for the test.
const HELD_OUT: usize = 5;

/// A file that holds no digits.
#[derive(Debug, thiserror::Error)]
pub enum DigitsError {
    #[error("{path}: {source}", path = path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{path}:{line}: {problem}; a line is {PIXELS} numbers from 0 to 16 and a digit", path = path.display())]
    Line { path: PathBuf, line: usize, problem: String },
    #[error("{path}: {images} image(s) are too few for batches of {batch}", path = path.display())]
    TooFew { path: PathBuf, images: usize, batch: usize },
}

struct Image {
    pixels: [f32; PIXELS],
    digit: i32,
}

/// The task.
pub struct Digits {
    config: ConvnetConfig,
    batch: usize,
    train: Vec<Image>,
    test: Vec<Image>,
    order: Order,
}

impl Digits {
    pub fn open(
        path: &Path,
        channels: usize,
        hidden: usize,
        batch: usize,
        seed: u64,
    ) -> Result<Self, Failure> {
        let read = |source| DigitsError::Read { path: path.to_path_buf(), source };
        let mut text = String::new();
        let file = std::fs::File::open(path).map_err(read)?;
        GzDecoder::new(file).read_to_string(&mut text).map_err(read)?;
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (i, line) in text.lines().enumerate() {
            let image = parse(line).map_err(|problem| DigitsError::Line {
                path: path.to_path_buf(),
                line: i + 1,
                problem,
            })?;
            if i % HELD_OUT == HELD_OUT - 1 { test.push(image) } else { train.push(image) }
        }
        if test.is_empty() || train.len() < batch {
            return Err(DigitsError::TooFew { path: path.to_path_buf(), images: train.len(), batch }.into());
        }
        let config = ConvnetConfig { size: SIZE, channels, hidden, classes: 10 };
        let order = Order::new(seed, train.len());
        Ok(Digits { config, batch, train, test, order })
    }
}

fn parse(line: &str) -> Result<Image, String> {
    let numbers: Vec<f32> = line
        .split(',')
        .map(|n| n.trim().parse().map_err(|_| format!("{n:?} is not a number")))
        .collect::<Result<_, _>>()?;
    let [pixels @ .., digit] = &numbers[..] else { return Err("it is empty".into()) };
    let Ok(pixels) = <[f32; PIXELS]>::try_from(pixels) else {
        return Err(format!("it has {} numbers", numbers.len()));
    };
    if !(0.0..10.0).contains(digit) || pixels.iter().any(|p| !(0.0..=16.0).contains(p)) {
        return Err("a number is out of range".into());
    }
    Ok(Image { pixels: pixels.map(|p| p / 16.0), digit: *digit as i32 })
}

fn inputs<'a>(images: impl Iterator<Item = &'a Image> + Clone) -> Vec<Input> {
    let pixels = images.clone().flat_map(|i| i.pixels).flat_map(f32::to_le_bytes).collect();
    vec![("images", pixels, DType::F32), ("labels", ids(images.map(|i| i.digit)), DType::I32)]
}

impl Task for Digits {
    fn graph(&self) -> Result<Graph, Failure> {
        Ok(convnet::loss_graph(&self.config, self.batch)?)
    }

    fn initial(&self, graph: &Graph, seed: u64) -> Result<HashMap<String, Vec<f32>>, Failure> {
        Ok(drawn(graph, seed, convnet::initial))
    }

    fn batch(&mut self, step: u64) -> Vec<Input> {
        let chosen = self.order.batch(step, self.batch);
        inputs(chosen.iter().map(|&i| &self.train[i]))
    }

    fn evaluate(&mut self, session: &mut TrainingSession) -> Result<Vec<(&'static str, f64)>, TrainError> {
        let (mut right, mut loss) = (0usize, 0.0);
        let mut from = 0;
        while from < self.test.len() {
            // The graph takes whole batches: the last one is filled up, and what fills it is not counted.
            let counted = self.batch.min(self.test.len() - from);
            let batch = (from..from + self.batch).map(|i| &self.test[i % self.test.len()]);
            let given = inputs(batch.clone());
            let report = session.eval_typed(&views(&given))?;
            let logits = report.metrics.first().map(Vec::as_slice).unwrap_or_default();
            for (image, row) in batch.take(counted).zip(logits.chunks_exact(10)) {
                let best = (0..10).max_by(|a, b| row[*a].total_cmp(&row[*b]));
                right += usize::from(best == Some(image.digit as usize));
                let top = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let total: f32 = row.iter().map(|l| (l - top).exp()).sum();
                loss += f64::from(total.ln() + top - row[image.digit as usize]);
            }
            from += counted;
        }
        let count = self.test.len() as f64;
        Ok(vec![("test_loss", loss / count), ("test_accuracy", right as f64 / count)])
    }
}
