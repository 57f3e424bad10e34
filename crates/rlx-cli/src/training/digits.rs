//! Trains `convnet` models, which classify images of digits. A line of the data has 64 gray values from 0 to 16 and the
//! digit, as gzipped CSV.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use rlx_ir::math::random::SplitMix64;
use rlx_ir::{DType, Graph};
use rlx_models::convnet::{self, ConvnetConfig};
use rlx_models::files::open_regular;
use rlx_train::{Order, TrainError, TrainingSession};

use super::config::{Data, Part, Split};
use super::task::{Input, Numbers, Task, drawn, ids, views};
use crate::failure::Failure;

pub const SIZE: usize = 8;
const PIXELS: usize = SIZE * SIZE;
/// Maximum size of a list of images once unpacked, in bytes. For small files, the limit is [`MAX_UNPACKED`] times the
/// size of the file, but at least [`SMALL`]. Gray values unpack to five to ten times their size.
const MAX_DIGITS: u64 = 1 << 30;
const MAX_UNPACKED: u64 = 32;
const SMALL: u64 = 16 << 20;
/// Maximum length of a line, in bytes.
const MAX_LINE: u64 = 4096;
/// How images are divided by default.
const SPLIT: Split = Split { train: 3, validation: 1, test: 1 };

/// Why a file cannot be used as images of digits.
#[derive(Debug, thiserror::Error)]
pub enum DigitsError {
    #[error("{path}: it is not CSV in gzip: {problem}", path = path.display())]
    Gzip { path: PathBuf, problem: String },
    #[error("{path}: it unpacks to more than {limit} bytes, from {len}; that is too large for a list of images", path = path.display())]
    Unpacked { path: PathBuf, len: u64, limit: u64 },
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
    /// Maximum number of pixels that images are moved by.
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
        let split = data.split.unwrap_or(SPLIT);
        let shift = data.shift.unwrap_or(0);
        let (mut train, mut validation, mut test) = (Vec::new(), Vec::new(), Vec::new());
        for (i, image) in read(path)?.into_iter().enumerate() {
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

/// Reads the images of a file line by line, so the unpacked data is never in memory as a whole.
fn read(path: &Path) -> Result<Vec<Image>, Failure> {
    let (file, len) = open_regular(path)?;
    let limit = len.saturating_mul(MAX_UNPACKED).clamp(SMALL, MAX_DIGITS);
    // Reading one byte past the limit shows that the limit is exceeded.
    let mut unpacked = BufReader::new(MultiGzDecoder::new(file).take(limit + 1));
    let mut images = Vec::new();
    let (mut line, mut total) = (Vec::new(), 0);
    loop {
        line.clear();
        let read = unpacked.by_ref().take(MAX_LINE + 1).read_until(b'\n', &mut line);
        let read =
            read.map_err(|e| DigitsError::Gzip { path: path.to_path_buf(), problem: e.to_string() })?;
        total += read as u64;
        if total > limit {
            return Err(DigitsError::Unpacked { path: path.to_path_buf(), len, limit }.into());
        }
        if read == 0 {
            return Ok(images);
        }
        let image = match std::str::from_utf8(line.strip_suffix(b"\n").unwrap_or(&line)) {
            _ if read as u64 > MAX_LINE => Err(format!("it is longer than {MAX_LINE} bytes")),
            Err(_) => Err("it is not UTF-8".into()),
            Ok(text) => parse(text),
        };
        let wrong = |problem| DigitsError::Line { path: path.to_path_buf(), line: images.len() + 1, problem };
        images.push(image.map_err(wrong)?);
    }
}

/// The image moved by up to `most` pixels in each direction; pixels from outside are 0.
fn moved(image: &Image, most: usize, random: &mut SplitMix64) -> Image {
    let most = most.min(SIZE);
    let [down, right] = [0; 2].map(|_: i32| random.below(2 * most + 1));
    let mut pixels = [0.0; PIXELS];
    for (at, pixel) in pixels.iter_mut().enumerate() {
        // Where the pixel comes from, shifted by `most`.
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
    fn notes(&self) -> Vec<String> {
        let parts = [
            ("to train on", &self.train),
            ("for validation", &self.validation),
            ("for the test", &self.test),
        ];
        let absent = |(what, images): (&str, &Vec<Image>)| {
            let absent: Vec<String> =
                (0..10).filter(|d| images.iter().all(|i| i.digit != *d)).map(|d| d.to_string()).collect();
            let digits = absent.join(", ");
            (!absent.is_empty()).then(|| {
                format!("`data.split`: no image {what} has the digit {digits}; images are divided by their place in the file")
            })
        };
        parts.into_iter().filter_map(absent).collect()
    }

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

/// The mean cross-entropy, and the fraction of images that are classified correctly.
fn measured(images: &[Image], size: usize, session: &mut TrainingSession) -> Result<(f64, f64), TrainError> {
    let (mut right, mut loss) = (0usize, 0.0);
    for from in (0..images.len()).step_by(size) {
        // The graph takes whole batches: the last one is filled with other images, which are not counted.
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

    fn packed(parts: &[&[u8]]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("digits.csv.gz");
        let mut bytes = Vec::new();
        for part in parts {
            let mut packed = flate2::read::GzEncoder::new(*part, flate2::Compression::fast());
            packed.read_to_end(&mut bytes).unwrap();
        }
        std::fs::write(&path, bytes).unwrap();
        (dir, path)
    }

    fn problem(parts: &[&[u8]]) -> String {
        let (_dir, path) = packed(parts);
        let Err(Failure::Failed(error)) = read(&path) else { panic!("it is read") };
        error.to_string()
    }

    #[test]
    fn what_unpacks_to_much_more_than_it_is_ends_early() {
        let line = "0,".repeat(PIXELS) + "3\n";
        // A run of zeros is not a line, and too many lines are refused.
        let error = problem(&[&vec![0; 50 << 20]]);
        assert!(error.contains(":1: it is longer than 4096 bytes; a line is 64 numbers"), "{error}");
        let many = line.repeat((20 << 20) / line.len());
        let error = problem(&[many.as_bytes()]);
        assert!(error.contains("it unpacks to more than 16777216 bytes, from "), "{error}");
        // A file that was gzipped twice is refused as well.
        let (_dir, inner) = packed(&[line.as_bytes()]);
        assert!(problem(&[&std::fs::read(inner).unwrap()]).contains(":1: it "));
        assert!(problem(&[b"\xff\n"]).contains(":1: it is not UTF-8"));
        assert!(problem(&[b"1,2\n"]).contains(":1: it has 2 numbers"));
        // Concatenated gzip files are read to the end.
        let (_dir, path) = packed(&[line.as_bytes(), line.trim_end().as_bytes()]);
        assert_eq!(read(&path).map_err(|_| "it is not a list").unwrap().len(), 2);
    }

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
        // Pixels that leave the image are lost.
        let corner = Image { pixels: std::array::from_fn(|i| f32::from(i == 0)), digit: 0 };
        assert!((0..100).any(|_| moved(&corner, 1, &mut random).pixels == [0.0; PIXELS]));
    }
}
