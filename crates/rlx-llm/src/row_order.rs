//! The order of rows of queries and keys: the two of a pair that turns together are neighbours, or half a head apart.

use crate::families::Param;
use crate::spec::{DecoderSpec, MixerSpec};

/// The heads of queries or keys that a parameter makes; 0 for others.
pub(crate) fn heads(spec: &DecoderSpec, param: &Param<'_>) -> usize {
    let layer = param.layer.and_then(|layer| layer.parse::<usize>().ok());
    let Some(MixerSpec::Attention(attention)) = layer.and_then(|i| spec.layers.get(i)).map(|l| &l.mixer)
    else {
        return 0;
    };
    match param.part {
        "attention.query" => attention.heads,
        "attention.key" => attention.kv_heads,
        _ => 0,
    }
}

/// Rows i and i + n/2 of each head of n rows as rows 2i and 2i + 1; a row is `of_row` elements.
pub(crate) fn neighbours<T: Copy>(rows: &[T], heads: usize, of_row: usize) -> Vec<T> {
    reordered(rows, heads, of_row, |half, i| i / 2 + half * (i % 2))
}

/// The other way round.
pub(crate) fn halves<T: Copy>(rows: &[T], heads: usize, of_row: usize) -> Vec<T> {
    reordered(rows, heads, of_row, |half, i| 2 * (i % half) + i / half)
}

/// The rows of each head of an even number of rows, those that `from` says of half that number and the place of a row.
fn reordered<T: Copy>(
    rows: &[T],
    heads: usize,
    of_row: usize,
    from: impl Fn(usize, usize) -> usize,
) -> Vec<T> {
    let head = rows.len() / heads.max(1);
    let half = head / of_row.max(1) / 2;
    let mut out = Vec::with_capacity(rows.len());
    for head in rows.chunks_exact(head.max(1)) {
        for i in 0..2 * half {
            out.extend_from_slice(&head[from(half, i) * of_row..][..of_row]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_become_neighbours_and_halves_again() {
        let rows: Vec<u8> = (0..24).collect();
        let near = neighbours(&rows, 2, 2);
        assert_eq!(near[..12], [0, 1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11]);
        assert_eq!(halves(&near, 2, 2), rows);
    }
}
