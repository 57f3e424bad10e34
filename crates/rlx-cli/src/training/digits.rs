//! Classifying images of digits: lines of 64 grey values from 0 to 16 and the digit, as CSV in gzip.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use rlx_ir::math::random::SplitMix64;
use rlx_ir::{DType, Graph};
use rlx_models::convnet::{self, ConvnetConfig};
use rlx_models::files::{FileError, open_regular, read_all, text_of};
use rlx_train::{Order, TrainError, TrainingSession};

use super::config::{Data, Part, Split};
use super::task::{Input, Numbers, Task, drawn, ids, views};
use crate::failure::Failure;

pub const SIZE: usize = 8;
const PIXELS: usize = SIZE * SIZE;
/// Longest list of images that is read, in bytes once unpacked.
const MAX_DIGITS: u64 = 1 << 30;
/// The shares of a configuration without any.
const SPLIT: Split = Split { train: 3, validation: 1, test: 1 };

/// A file that holds no digits.
#[derive(Debug, thiserror::Error)]
pub enum DigitsError {
    #[error("{path}: it is not CSV in gzip: {problem}", path = path.display())]
    Gzip { path: PathBuf, problem: String },
    #[error("{path}:{line}: {problem}; a line is {PIXELS} numbers from 0 to 16 and a digit", path = path.display())]
    Line { path: PathBuf, line: usize, problem: String },
    #[error(
        "{path}: {train} image(s) to train on, {validation} for validation and {test} for the test are too few for batches of {batch}",
        path = path.display()
    )]
    TooFew { path: PathBuf, train: usize, validation: usize, test: usize, batch: usize },
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
    validation: Vec<Image>,
    test: Vec<Image>,
    order: Order,
    seed: u64,
    /// By how many pixels images are moved at most.
    shift: usize,
}

/// The classifier.
pub fn model(channels: usize, hidden: usize) -> ConvnetConfig {
    ConvnetConfig { size: SIZE, channels, hidden, classes: 10 }
}

impl Digits {
    pub fn open(
        path: &Path,
        config: ConvnetConfig,
        batch: usize,
        seed: u64,
        data: &Data,
    ) -> Result<Self, Failure> {
        let (file, _) = open_regular(path)?;
        let unpacked = read_all(path, GzDecoder::new(file), 0, MAX_DIGITS).map_err(|error| match error {
            FileError::Io { path, source, .. } => {
                DigitsError::Gzip { path, problem: source.to_string() }.into()
            }
            other => Failure::from(other),
        })?;
        let text = text_of(path, unpacked)?;
        let split = data.split.unwrap_or(SPLIT);
        let shift = data.shift.unwrap_or(0);
        let (mut train, mut validation, mut test) = (Vec::new(), Vec::new(), Vec::new());
        for (i, line) in text.lines().enumerate() {
            let image = parse(line).map_err(|problem| DigitsError::Line {
                path: path.to_path_buf(),
                line: i + 1,
                problem,
            })?;
            match split.part(i) {
                Part::Train => train.push(image),
                Part::Validation => validation.push(image),
                Part::Test => test.push(image),
            }
        }
        if test.is_empty() || validation.is_empty() || train.len() < batch {
            let (train, validation, test) = (train.len(), validation.len(), test.len());
            let path = path.to_path_buf();
            return Err(DigitsError::TooFew { path, train, validation, test, batch }.into());
        }
        let order = Order::new(seed, train.len());
        Ok(Digits { config, batch, train, validation, test, order, seed, shift })
    }
}

/// The image moved by up to `most` pixels each way; what comes in from outside is empty.
fn moved(image: &Image, most: usize, random: &mut SplitMix64) -> Image {
    let most = most.min(SIZE);
    let [down, right] = [0; 2].map(|_: i32| random.below(2 * most + 1));
    let mut pixels = [0.0; PIXELS];
    for (at, pixel) in pixels.iter_mut().enumerate() {
        // Where the pixel comes from, counted from `most` before the image.
        let (y, x) = (at / SIZE + down, at % SIZE + right);
        let inside = most..most + SIZE;
        if inside.contains(&y) && inside.contains(&x) {
            *pixel = image.pixels[(y - most) * SIZE + x - most];
        }
    }
    Image { pixels, digit: image.digit }
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
        let mut random = SplitMix64::stream(!self.seed, step);
        let chosen = self.order.batch(step, self.batch);
        let images: Vec<Image> =
            chosen.iter().map(|&i| moved(&self.train[i], self.shift, &mut random)).collect();
        inputs(images.iter())
    }

    fn measures(&self) -> &'static [&'static str] {
        &["validation_loss", "validation_accuracy"]
    }

    fn evaluate(&mut self, session: &mut TrainingSession) -> Result<Numbers, TrainError> {
        let (loss, accuracy) = measured(&self.validation, self.batch, session)?;
        Ok(vec![("validation_loss", loss), ("validation_accuracy", accuracy)])
    }

    fn has_test(&self) -> bool {
        true
    }

    fn test(&mut self, session: &mut TrainingSession) -> Result<Numbers, TrainError> {
        let (loss, accuracy) = measured(&self.test, self.batch, session)?;
        Ok(vec![("test_loss", loss), ("test_accuracy", accuracy)])
    }
}

/// The mean cross-entropy, and the share of images that are classified right.
fn measured(images: &[Image], size: usize, session: &mut TrainingSession) -> Result<(f64, f64), TrainError> {
    let (mut right, mut loss) = (0usize, 0.0);
    for from in (0..images.len()).step_by(size) {
        // The graph takes whole batches: the last one is filled up, and what fills it is not counted.
        let counted = size.min(images.len() - from);
        let batch = (from..from + size).map(|i| &images[i % images.len()]);
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
    }
    let count = images.len() as f64;
    Ok((loss / count, right as f64 / count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_moved_by_at_most_so_many_pixels() {
        let mut pixels = [0.0; PIXELS];
        pixels[3 * SIZE + 4] = 1.0;
        let image = Image { pixels, digit: 7 };
        let mut random = SplitMix64::stream(1, 0);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..300 {
            let moved = moved(&image, 1, &mut random);
            assert_eq!((moved.pixels.iter().sum::<f32>(), moved.digit), (1.0, 7));
            seen.extend(moved.pixels.iter().position(|p| *p == 1.0));
        }
        let around = (2..5).flat_map(|y| (3..6).map(move |x| y * SIZE + x));
        assert!(seen.into_iter().eq(around));
        assert_eq!(moved(&image, 0, &mut random).pixels, pixels);
        // What leaves the image is gone.
        let corner = Image { pixels: std::array::from_fn(|i| f32::from(i == 0)), digit: 0 };
        assert!((0..100).any(|_| moved(&corner, 1, &mut random).pixels == [0.0; PIXELS]));
    }
}
