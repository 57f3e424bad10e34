//! Reads and writes importance matrices: for each column of each matrix, the sum of squares of its inputs. There are
//! two formats, both from llama.cpp: GGUF, which is also written, and an older one, which is only read.

use crate::MAGIC;
use crate::error::GgufError;
use crate::file::Gguf;
use crate::tensor::TensorType;
use crate::value::{Array, MetaType, MetaValue};
use crate::write::GgufWriter;
use rlx_files::contents::{Access, Contents};
use rlx_files::foreign;
use rlx_ir::DType;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The suffixes of a matrix's name in its two tensors.
const SUMS: &str = ".in_sum2";
const COUNTS: &str = ".counts";
const DATASETS: &str = "imatrix.datasets";
const CHUNKS: &str = "imatrix.chunk_count";
const CHUNK_SIZE: &str = "imatrix.chunk_size";

/// Sums of squares of the inputs of matrices over the tokens of a text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ImportanceMatrix {
    /// The names of the texts.
    pub datasets: Vec<String>,
    /// The number of chunks of text that were read.
    pub chunks: u32,
    /// The number of tokens in a chunk.
    pub chunk_size: u32,
    entries: BTreeMap<String, ImportanceEntry>,
}

/// The sums of one tensor.
#[derive(Clone, PartialEq, Debug, Default)]
struct ImportanceEntry {
    /// The sum of squares for each matrix of the tensor and each of its columns.
    sums: Vec<f32>,
    /// The number of rows that each matrix was multiplied with.
    counts: Vec<f32>,
}

impl ImportanceMatrix {
    /// Reads an importance matrix in either format.
    ///
    /// # Errors
    /// Returns [`GgufError::Importance`] if the file is in neither format, and the errors of [`Gguf::open`].
    pub fn open(path: &Path) -> Result<ImportanceMatrix, GgufError> {
        let contents = Contents::open(path, Access::Map)?;
        let bytes = contents.as_slice();
        let wrong = |problem: String| GgufError::Importance { path: path.to_path_buf(), problem };
        if bytes.starts_with(&MAGIC) {
            return from_gguf(&Gguf::open(path)?).map_err(wrong);
        }
        from_old(bytes).ok_or_else(|| {
            if let Some(foreign) = foreign::refused(path, bytes) {
                return foreign.into();
            }
            wrong("it is neither a GGUF file nor a complete importance matrix in the older format".into())
        })
    }

    /// Adds sums of squares for each matrix of a tensor and each of its columns. `counts` has the number of rows for
    /// each matrix.
    pub fn add(&mut self, tensor: &str, sums: &[f32], counts: &[f32]) {
        if !self.entries.contains_key(tensor) {
            let empty = ImportanceEntry { sums: vec![0.0; sums.len()], counts: vec![0.0; counts.len()] };
            self.entries.insert(tensor.to_string(), empty);
        }
        let Some(entry) = self.entries.get_mut(tensor) else { return };
        entry.sums.iter_mut().zip(sums).for_each(|(sum, x)| *sum += x);
        entry.counts.iter_mut().zip(counts).for_each(|(count, n)| *count += n);
    }

    /// Returns the names of the tensors.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Returns the mean square of the inputs of each column of a tensor, for one matrix after the other, or 1 for a
    /// matrix that had no inputs.
    pub fn weights(&self, tensor: &str) -> Option<Vec<f32>> {
        let entry = self.entries.get(tensor)?;
        let columns = entry.sums.len().checked_div(entry.counts.len())?;
        let mean = |(sums, &count): (&[f32], &f32)| {
            let seen = count > 0.0;
            sums.iter().map(|sum| if seen { sum / count } else { 1.0 }).collect::<Vec<f32>>()
        };
        Some(entry.sums.chunks(columns.max(1)).zip(&entry.counts).flat_map(mean).collect())
    }

    /// Returns a tensor and the index of a matrix in it that had no inputs, if there is one.
    pub fn unseen(&self) -> Option<(&str, usize)> {
        let unseen = |entry: &ImportanceEntry| entry.counts.iter().position(|&count| count == 0.0);
        self.entries.iter().find_map(|(name, entry)| Some((name.as_str(), unseen(entry)?)))
    }

    /// Returns the importance matrix as a GGUF file.
    pub fn to_gguf(&self) -> GgufWriter<'_> {
        let mut writer = GgufWriter::new();
        let datasets = self.datasets.iter().map(|name| MetaValue::from(name.as_str()));
        writer.set("general.type", "imatrix".into());
        writer.set(DATASETS, MetaValue::Array(Array::new(MetaType::Text, datasets)));
        writer.set(CHUNKS, MetaValue::U32(self.chunks));
        writer.set(CHUNK_SIZE, MetaValue::U32(self.chunk_size));
        let bytes = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        for (name, entry) in &self.entries {
            let matrices = entry.counts.len();
            let columns = entry.sums.len() / matrices.max(1);
            writer.tensor(format!("{name}{SUMS}"), F32, &[matrices, columns], bytes(&entry.sums));
            writer.tensor(format!("{name}{COUNTS}"), F32, &[matrices, 1], bytes(&entry.counts));
        }
        writer
    }
}

const F32: TensorType = TensorType::Plain(DType::F32);

fn from_gguf(file: &Gguf) -> Result<ImportanceMatrix, String> {
    let number = |key: &str| file.get(key).and_then(|v| v.as_u64()).and_then(|n| u32::try_from(n).ok());
    let mut matrix = ImportanceMatrix {
        chunks: number(CHUNKS).unwrap_or(0),
        chunk_size: number(CHUNK_SIZE).unwrap_or(0),
        ..ImportanceMatrix::default()
    };
    if let Some(names) = file.get(DATASETS).as_ref().and_then(MetaValue::as_array) {
        matrix.datasets = names.iter().filter_map(|name| name.as_str().map(str::to_string)).collect();
    }
    let names: BTreeSet<&str> = file
        .tensors()
        .filter_map(|t| t.name().strip_suffix(SUMS).or_else(|| t.name().strip_suffix(COUNTS)))
        .collect();
    if names.is_empty() {
        return Err(format!("it has no tensor whose name ends in {SUMS}, so it is not an importance matrix"));
    }
    for name in names {
        let numbers = |suffix: &str| {
            let tensor = file.tensor(&format!("{name}{suffix}"));
            let tensor = tensor.ok_or_else(|| format!("it has no tensor {name}{suffix}"))?;
            if tensor.stored_type() != F32 {
                return Err(format!("{name}{suffix} is {}, not f32", tensor.stored_type()));
            }
            tensor.to_f32().map_err(|e| e.to_string())
        };
        let entry = ImportanceEntry { sums: numbers(SUMS)?, counts: numbers(COUNTS)? };
        let whole = !entry.counts.is_empty() && entry.sums.len().is_multiple_of(entry.counts.len());
        let sound = entry.sums.iter().chain(&entry.counts).all(|x| x.is_finite() && *x >= 0.0);
        if !whole || !sound {
            return Err(format!("the numbers of {name} are not sums of squares and counts"));
        }
        matrix.entries.insert(name.to_string(), entry);
    }
    Ok(matrix)
}

/// Parses the older format: entries of name, number of runs, and sums over runs of means over tokens; then the number
/// of chunks, and the name of the text.
fn from_old(bytes: &[u8]) -> Option<ImportanceMatrix> {
    let mut rest = bytes;
    let mut matrix = ImportanceMatrix::default();
    let entries = length(&mut rest).filter(|&n| n > 0)?;
    for _ in 0..entries {
        let name = text(&mut rest)?;
        let (runs, values) = (length(&mut rest)?, length(&mut rest).filter(|&n| n > 0)?);
        let numbers = taken(&mut rest, values.checked_mul(4)?)?;
        let sums: Vec<f32> = numbers.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        if !sums.iter().all(|x| x.is_finite() && *x >= 0.0) {
            return None;
        }
        // If no runs were counted, the sums are already means.
        matrix.entries.insert(name, ImportanceEntry { sums, counts: vec![runs.max(1) as f32] });
    }
    if !rest.is_empty() {
        matrix.chunks = length(&mut rest)? as u32;
        matrix.datasets.extend(text(&mut rest).filter(|name| !name.is_empty()));
    }
    Some(matrix)
}

fn taken<'a>(rest: &mut &'a [u8], bytes: usize) -> Option<&'a [u8]> {
    let (first, behind) = rest.split_at_checked(bytes)?;
    *rest = behind;
    Some(first)
}

fn length(rest: &mut &[u8]) -> Option<usize> {
    let bytes = taken(rest, 4)?.first_chunk()?;
    usize::try_from(i32::from_le_bytes(*bytes)).ok()
}

fn text(rest: &mut &[u8]) -> Option<String> {
    let bytes = length(rest)?;
    Some(String::from_utf8_lossy(taken(rest, bytes)?).into_owned())
}
