//! The order of rows and columns in GGUF files, where it differs from that of safetensors.

use crate::families::Param;
use crate::spec::{DecoderSpec, MixerSpec};

/// The order of a family's rows in GGUF files, compared with safetensors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowOrder {
    /// The same order.
    Same,
    /// In queries and keys, the two rows of a rotary pair are adjacent instead of half a head apart.
    Neighbors,
    /// In linear attention, the first value head of each key head comes first, then the second of each, and so on.
    Tiled,
}

/// A permutation of rows or columns. The first `lead` rows stay. The rows after them form groups of `outer` × `inner`
/// runs of `unit` rows. Each group is transposed: first come the first runs of each outer index, then the second
/// ones, and so on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reordering {
    of_columns: bool,
    lead: usize,
    outer: usize,
    inner: usize,
    unit: usize,
}

impl RowOrder {
    /// Returns the order of a parameter's rows in a GGUF file, if it differs.
    pub(crate) fn of(self, spec: &DecoderSpec, param: &Param<'_>) -> Option<Reordering> {
        let layer = spec.layers.get(param.layer?.parse::<usize>().ok()?)?;
        match (self, &layer.mixer) {
            (RowOrder::Neighbors, MixerSpec::Attention(attention)) => {
                let is_turned = ["attention.query", "attention.key"].contains(&param.part);
                let half = attention.head_size / 2;
                is_turned.then_some(Reordering { of_columns: false, lead: 0, outer: 2, inner: half, unit: 1 })
            }
            (RowOrder::Tiled, MixerSpec::DeltaNet(delta)) => {
                let (outer, inner) = (delta.key_heads, delta.value_heads / delta.key_heads.max(1));
                let keys = 2 * delta.key_heads * delta.key_size;
                let (lead, unit) = match param.part {
                    "delta.mixed" | "delta.conv" => (keys, delta.value_size),
                    "delta.gate" | "delta.output" => (0, delta.value_size),
                    "delta.beta" | "delta.alpha" | "delta.step" | "delta.decay" => (0, 1),
                    _ => return None,
                };
                Some(Reordering { of_columns: param.part == "delta.output", lead, outer, inner, unit })
            }
            _ => None,
        }
    }
}

impl Reordering {
    /// Returns the order that undoes this one.
    pub(crate) fn inverse(self) -> Reordering {
        Reordering { outer: self.inner, inner: self.outer, ..self }
    }

    /// Whether the columns are permuted, not the rows.
    pub(crate) fn is_of_columns(&self) -> bool {
        self.of_columns
    }

    /// Permutes a matrix. Each row has `of_row` elements, and each column index stands for `of_column` elements.
    pub(crate) fn apply<T: Copy>(&self, matrix: &[T], of_row: usize, of_column: usize) -> Vec<T> {
        if !self.of_columns {
            return self.reordered(matrix, of_row);
        }
        matrix.chunks(of_row.max(1)).flat_map(|row| self.reordered(row, of_column)).collect()
    }

    /// Permutes rows of `of_row` elements.
    fn reordered<T: Copy>(&self, rows: &[T], of_row: usize) -> Vec<T> {
        let unit = self.unit * of_row;
        let (lead, rest) = rows.split_at(rows.len().min(self.lead * of_row));
        let mut out = Vec::with_capacity(rows.len());
        out.extend_from_slice(lead);
        let all = rest.chunks_exact((self.outer * self.inner * unit).max(1));
        let left = all.remainder();
        for run in all {
            for i in 0..self.inner {
                for j in 0..self.outer {
                    out.extend_from_slice(&run[(j * self.inner + i) * unit..][..unit]);
                }
            }
        }
        out.extend_from_slice(left);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_neighbors_and_halves_again() {
        let rows: Vec<u8> = (0..24).collect();
        let order = Reordering { of_columns: false, lead: 0, outer: 2, inner: 3, unit: 1 };
        let near = order.apply(&rows, 2, 1);
        assert_eq!(near[..12], [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11]);
        assert_eq!(order.inverse().apply(&near, 2, 1), rows);
    }

    #[test]
    fn columns_of_each_row_change_places_behind_the_first() {
        let order = Reordering { of_columns: true, lead: 2, outer: 2, inner: 2, unit: 1 };
        let rows: Vec<u8> = (0..12).collect();
        let tiled = order.apply(&rows, 6, 1);
        assert_eq!(tiled, [0, 1, 2, 4, 3, 5, 6, 7, 8, 10, 9, 11]);
        assert_eq!(order.inverse().apply(&tiled, 6, 1), rows);
    }
}
