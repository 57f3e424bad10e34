//! Where `rlx embed` writes vectors: standard output, or a file that appears once it is complete.

use std::io::Write;
use std::path::{Path, PathBuf};

use rlx_ir::DType;
use rlx_models::files::{FileError, UnfinishedFile};
use rlx_models::npy;
use rlx_models::weights::{self, StoredType, Tensor};

use crate::failure::Failure;
use crate::output;

/// The name of the tensor in a .safetensors file.
const TENSOR: &str = "embeddings";

/// The format of a file of vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Jsonl,
    Npy,
    Safetensors,
}

/// A file for vectors. Its extension selects the format.
#[derive(Clone, Debug)]
pub struct VectorFile {
    path: PathBuf,
    format: Format,
}

/// Parses the name of a file for vectors.
pub fn vector_file(text: &str) -> Result<VectorFile, String> {
    let path = PathBuf::from(text);
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let format = match ending.as_str() {
        "jsonl" => Format::Jsonl,
        "npy" => Format::Npy,
        "safetensors" => Format::Safetensors,
        _ => {
            return Err("the name must end in .npy, .jsonl or .safetensors, which selects the format".into());
        }
    };
    Ok(VectorFile { path, format })
}

/// Takes vectors, in order.
pub enum Sink {
    /// One JSON array for each vector.
    Json(Box<dyn Write + Send>),
    /// Paragraphs for people to read.
    Summaries(Box<dyn Write + Send>),
    /// One JSON array for each vector, in a file.
    JsonFile(UnfinishedFile),
    /// A single array, written when all its rows are complete.
    Array { file: UnfinishedFile, to: VectorFile, width: usize, bytes: Vec<u8> },
}

impl Sink {
    /// Standard output.
    pub fn standard(json: bool) -> Self {
        let out = output::stream();
        if json { Sink::Json(out) } else { Sink::Summaries(out) }
    }

    /// The file `to`, for vectors of `width` numbers. Problems with its location are reported here, before anything is
    /// computed.
    pub fn create(to: &VectorFile, width: usize) -> Result<Self, FileError> {
        let file = UnfinishedFile::create(&to.path)?;
        Ok(match to.format {
            Format::Jsonl => Sink::JsonFile(file),
            Format::Npy | Format::Safetensors => {
                Sink::Array { file, to: to.clone(), width, bytes: Vec::new() }
            }
        })
    }

    /// Adds the vectors of some texts. Readers of the output see them at once, in whole lines.
    pub fn add(&mut self, texts: &[String], vectors: &[Vec<f32>]) -> Result<(), Failure> {
        let json = || vectors.iter().map(|vector| json_line(vector)).collect::<String>();
        let print = |out: &mut dyn Write, lines: String| {
            out.write_all(lines.as_bytes()).and_then(|()| out.flush()).map_err(Failure::output)
        };
        match self {
            Sink::Json(out) => print(out, json()),
            Sink::Summaries(out) => {
                print(out, texts.iter().zip(vectors).map(|(text, vector)| summary(text, vector)).collect())
            }
            Sink::JsonFile(file) => Ok(file.write(|out| out.write_all(json().as_bytes()))?),
            Sink::Array { bytes, .. } => {
                bytes.extend(vectors.iter().flatten().flat_map(|number| number.to_le_bytes()));
                Ok(())
            }
        }
    }

    /// Moves the finished file into place.
    pub fn finish(self) -> Result<(), Failure> {
        match self {
            Sink::Json(_) | Sink::Summaries(_) => Ok(()),
            Sink::JsonFile(file) => Ok(file.finish()?),
            Sink::Array { file, to, width, bytes } => {
                // The writer below has its own temporary file.
                drop(file);
                Ok(write_array(&to, &[bytes.len() / (4 * width.max(1)), width], &bytes)?)
            }
        }
    }
}

fn write_array(to: &VectorFile, shape: &[usize], bytes: &[u8]) -> Result<(), Failure> {
    let path: &Path = &to.path;
    match (to.format, StoredType::of(DType::F32)) {
        (Format::Safetensors, Some(stored)) => {
            let tensor = Tensor { name: TENSOR, stored, shape, bytes };
            Ok(weights::save(path, &[tensor], &Default::default())?)
        }
        _ => Ok(npy::write(path, DType::F32, shape, bytes)?),
    }
}

/// The shortest decimals that read back as the same `f32`.
fn json_line(vector: &[f32]) -> String {
    let mut line = String::with_capacity(vector.len() * 14);
    for (i, value) in vector.iter().enumerate() {
        line.push(if i == 0 { '[' } else { ',' });
        // Serializing a plain number cannot fail.
        line.push_str(&serde_json::to_string(value).unwrap_or_default());
    }
    line.push_str(if vector.is_empty() { "[]\n" } else { "]\n" });
    line
}

/// A vector as text: its length and its first numbers.
fn summary(text: &str, vector: &[f32]) -> String {
    let mut head: String = text.chars().take(60).collect();
    if head.len() < text.len() {
        head.push('…');
    }
    let length = vector.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>().sqrt();
    let first: Vec<String> = vector.iter().take(6).map(|v| format!("{v:.4}")).collect();
    let more = if vector.len() > first.len() { ", …" } else { "" };
    format!("{head:?}\n  {} numbers, length {length:.4}: {}{more}\n", vector.len(), first.join(", "))
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn numbers_read_back_as_the_same_f32() {
        let values = [0.1, -0.0, f32::MIN_POSITIVE / 8.0, 16_777_216.0, f32::MAX, 1.0 / 3.0];
        assert_eq!(json_line(&values), "[0.1,-0.0,1.469368e-39,16777216.0,3.4028235e+38,0.33333334]\n");
        let back: Vec<f32> = serde_json::from_str(&json_line(&values)).unwrap();
        assert!(back.iter().zip(&values).all(|(a, b)| a.to_bits() == b.to_bits()), "{back:?}");
        assert_eq!(json_line(&[f32::NAN, f32::INFINITY]), "[null,null]\n");
        assert_eq!(json_line(&[]), "[]\n");
    }

    #[test]
    fn people_get_a_summary() {
        let text = format!("{}\n", "é".repeat(90));
        let shown = summary(&text, &[0.6, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(shown.lines().count(), 2, "{shown}");
        assert!(shown.contains("7 numbers, length 1.0000: 0.6000, 0.8000") && shown.contains('…'), "{shown}");
    }

    #[test]
    fn the_name_of_a_file_says_its_format() {
        for (name, format) in
            [("a.jsonl", Format::Jsonl), ("b/c.NPY", Format::Npy), ("d.e.safetensors", Format::Safetensors)]
        {
            assert_eq!(vector_file(name).unwrap().format, format);
        }
        for name in ["a", "a.json", "", "npy", "a.npy/"] {
            assert_eq!(vector_file(name).is_ok(), name == "a.npy/", "{name}");
        }
    }

    #[test]
    fn a_closed_pipe_is_told_from_other_failures() {
        struct Closed(io::ErrorKind);
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(self.0.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let add = |kind| Sink::Json(Box::new(Closed(kind))).add(&["a".into()], &[vec![1.0]]);
        assert!(matches!(add(io::ErrorKind::BrokenPipe), Err(Failure::Closed)));
        assert!(matches!(add(io::ErrorKind::StorageFull), Err(Failure::Failed(_))));
    }
}
