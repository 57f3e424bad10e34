//! Goldens: values that JAX, NumPy, SciPy or mpmath computed (`scripts/goldens.py`), one file per family. Owns the file
//! format and the comparison.
//!
//! A golden of a primitive is compared within JAX's tolerance. A golden of a composite is the value without any
//! rounding except the last. It is compared within the error bound that is derived for the decomposition with every
//! rounding counted ([`Freedom::Unrounded`]); elements with an infinite bound are not judged. Random numbers are drawn
//! in their own type.
//!
//! A file consists of the magic `RLXGOLD1`; the number of entries as u32; for each entry, sorted by key, the key (u64),
//! the oracle (u32, an index into [`ORACLES`]) and the number of data bytes (u32); then the data of all entries. The
//! data of an entry are the elements of the case's outputs, little-endian in the outputs' element types. For outputs
//! with more than [`WHOLE`] elements only those in [`sample`] are stored. All numbers are little-endian. The key is a
//! hash of the case's graph and inputs, so that a golden only judges what it was computed for.

use crate::bound::{Freedom, Known, Reference, Verdict, element_within, read};
use crate::case::{Bound, Case, Inputs, Zeros, borrowed};
use crate::compare::{Agreement, Mismatch, agrees, jax_tolerance};
use crate::data::Limits;
use rlx_ir::eval::Scalar;
use rlx_ir::{Graph, Literal, OpClass, OpKind};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The programs that computed goldens.
pub const ORACLES: [&str; 4] = ["jax", "numpy", "scipy", "mpmath"];

/// Outputs with at most this many elements are stored whole.
pub const WHOLE: usize = 256;

const MAGIC: &[u8; 8] = b"RLXGOLD1";

/// Why the goldens could not be read.
#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    /// The file could not be read.
    #[error("{path}: {source}; make the goldens with scripts/goldens.py")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file does not have the right format.
    #[error("{path} is not a file of goldens, or is cut off")]
    Malformed {
        /// The file.
        path: PathBuf,
    },
}

/// One expectation.
#[derive(Clone, Debug)]
pub struct Golden {
    /// The program that computed it.
    pub oracle: &'static str,
    data: Vec<u8>,
}

/// The goldens of one family.
#[derive(Debug, Default)]
pub struct Goldens {
    entries: BTreeMap<u64, Golden>,
}

/// Returns the directory of the committed goldens.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("goldens")
}

/// Returns the indices of the elements that a golden stores for an output of `n` elements: all, or every `stride`-th
/// and the last. The stride is odd, so that all columns of a matrix are covered.
pub fn sample(n: usize) -> Vec<usize> {
    if n <= WHOLE {
        return (0..n).collect();
    }
    let mut indices: Vec<usize> = (0..n).step_by((n / 64) | 1).collect();
    if indices.last() != Some(&(n - 1)) {
        indices.push(n - 1);
    }
    indices
}

impl Goldens {
    /// Reads the file of a family.
    pub fn load(directory: &Path, family: &str) -> Result<Goldens, GoldenError> {
        let path = directory.join(format!("{family}.bin"));
        let bytes =
            std::fs::read(&path).map_err(|source| GoldenError::Read { path: path.clone(), source })?;
        Goldens::parse(&bytes).ok_or(GoldenError::Malformed { path })
    }

    fn parse(bytes: &[u8]) -> Option<Goldens> {
        let u32_at = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
        let u64_at = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
        if bytes.get(..8)? != MAGIC {
            return None;
        }
        let count = u32_at(8)? as usize;
        let mut data = 12usize.checked_add(count.checked_mul(16)?)?;
        let mut entries = BTreeMap::new();
        for i in 0..count {
            let at = 12 + 16 * i;
            let (key, oracle, length) = (u64_at(at)?, u32_at(at + 8)? as usize, u32_at(at + 12)? as usize);
            let end = data.checked_add(length)?;
            entries
                .insert(key, Golden { oracle: ORACLES.get(oracle)?, data: bytes.get(data..end)?.to_vec() });
            data = end;
        }
        (data == bytes.len()).then_some(Goldens { entries })
    }

    /// Returns the golden of a case, by its key.
    pub fn get(&self, key: u64) -> Option<&Golden> {
        self.entries.get(&key)
    }

    /// Returns the keys of all goldens.
    pub fn keys(&self) -> impl Iterator<Item = u64> + '_ {
        self.entries.keys().copied()
    }

    /// Returns the number of goldens.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no goldens.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Golden {
    /// Compares the outputs of a case: integers and booleans exactly, floats within JAX's tolerance or, for a
    /// composite, within its derived bound. Returns how many elements were judged.
    pub fn check(
        &self,
        case: &Case,
        graph: &Graph,
        inputs: &Inputs,
        outputs: &[Literal],
    ) -> Result<Verdict, Mismatch> {
        let agreement = match case.zeros {
            Zeros::Signed => Agreement::SignedZeros,
            Zeros::Unsigned => Agreement::AnyZeros,
        };
        let bounds = bounds(case, graph, inputs).map_err(Mismatch::new)?;
        let mut verdict = Verdict::default();
        let mut rest = self.data.as_slice();
        for (number, output) in outputs.iter().enumerate() {
            let (dtype, indices) = (output.dtype(), sample(output.len()));
            let length = indices.len() * dtype.size();
            let Some((own, more)) = rest.split_at_checked(length) else {
                return Err(Mismatch::new(format!(
                    "the golden has {} bytes left for {}, which needs {length}",
                    rest.len(),
                    output.shape()
                ))
                .of_output(number));
            };
            rest = more;
            if let Bound::Norm(_) = case.bound {
                let want = own.chunks_exact(dtype.size()).map(|bytes| Scalar::read(dtype, bytes));
                within_factorization_tolerance(output, &indices, want).map_err(|m| m.of_output(number))?;
                verdict.judged += indices.len();
                continue;
            }
            let tolerance = jax_tolerance(dtype);
            for (want, &i) in own.chunks_exact(dtype.size()).zip(&indices) {
                let (got, want) = (read(output, i), Scalar::read(dtype, want));
                let inside = match bounds.as_ref().map(|b| b[number][i]) {
                    None => Some(agrees(got, want, tolerance, agreement)),
                    Some(0.0) => Some(agrees(got, want, 0.0, agreement)),
                    Some(bound) => element_within(got, want, bound, dtype),
                };
                if inside == Some(false) {
                    let bound = bounds.as_ref().map_or(tolerance, |b| b[number][i]);
                    let want = format!("{want:?} ± {bound:e} ({})", self.oracle);
                    return Err(Mismatch::element(i, output, format!("{got:?}"), want).of_output(number));
                }
                verdict.count(inside.is_some());
            }
        }
        if rest.is_empty() {
            Ok(verdict)
        } else {
            Err(Mismatch::new("the golden has more elements than the outputs"))
        }
    }
}

/// Returns how far each element of each output of a composite may be from the exact value, or `None` for primitives and
/// for cases that are judged as a whole.
fn bounds(case: &Case, graph: &Graph, inputs: &Inputs) -> Result<Option<Vec<Vec<f64>>>, String> {
    if case.kind().class() != OpClass::Composite || case.bound != Bound::Derived {
        return Ok(None);
    }
    let known = |_| Known::Nothing;
    // Random numbers are defined by the roundings of their own type, which the oracle makes too.
    let drawn =
        matches!(case.kind(), OpKind::RngUniform | OpKind::RngNormal | OpKind::Categorical | OpKind::Sample);
    let freedom = if drawn { Freedom::Contract } else { Freedom::Unrounded };
    let reference = Reference::with_known(graph, &borrowed(inputs), freedom, &known);
    Ok(Some(reference.map_err(|e| e.to_string())?.errors()))
}

/// JAX judges factorizations by their norm (`testEigh` in its `tests/linalg_test.py`): ‖difference‖ / ((n + 1)·eps)
/// below 5 for orthogonality and below 30 for the rest, with matrices of norm about n. The limit here is 5, times the
/// norm of the golden if that is above 1. Integers (pivots) must be equal.
fn within_factorization_tolerance(
    output: &Literal,
    indices: &[usize],
    want: impl Iterator<Item = Scalar>,
) -> Result<(), Mismatch> {
    let dtype = output.dtype();
    let n = output.dims().last().copied().unwrap_or(1) as f64;
    let (mut difference, mut norm) = (0.0, 0.0);
    for (want, &i) in want.zip(indices) {
        let got = read(output, i);
        let (apart, size) = match (got, want) {
            (Scalar::Float(g), Scalar::Float(w)) if g.is_finite() && w.is_finite() => {
                ((g - w).abs(), w.abs())
            }
            (Scalar::Complex(g), Scalar::Complex(w)) if (g - w).abs().is_finite() => ((g - w).abs(), w.abs()),
            _ if agrees(got, want, 0.0, Agreement::AnyZeros) => (0.0, 0.0),
            _ => return Err(Mismatch::element(i, output, format!("{got:?}"), format!("{want:?}"))),
        };
        difference += apart * apart;
        norm += size * size;
    }
    let (difference, norm) = (f64::sqrt(difference), f64::sqrt(norm));
    let tolerance = 5.0 * (n + 1.0) * Limits::of(dtype).epsilon() * norm.max(1.0);
    if difference <= tolerance {
        return Ok(());
    }
    Err(Mismatch::new(format!(
        "the norm of the difference is {difference:e}, expected at most {tolerance:e}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_cut_off_or_too_long_is_refused() {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(7u64.to_le_bytes());
        bytes.extend(0u32.to_le_bytes());
        bytes.extend(4u32.to_le_bytes());
        bytes.extend([1, 2, 3, 4]);
        assert_eq!(Goldens::parse(&bytes).map(|g| g.len()), Some(1));
        for n in 0..bytes.len() {
            assert!(Goldens::parse(&bytes[..n]).is_none(), "{n}");
        }
        bytes.push(0);
        assert!(Goldens::parse(&bytes).is_none());
    }

    #[test]
    fn a_sample_holds_both_ends() {
        assert_eq!(sample(256).len(), 256);
        let indices = sample(33153);
        assert!(indices.len() < 70 && indices[0] == 0 && indices.last() == Some(&33152));
    }
}
