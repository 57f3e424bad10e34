//! Rotary position embeddings: the angles are computed once per run for all layers that share them.

use crate::spec::{DecoderSpec, RopeSpec};
use rlx_ir::{DType, Literal, Op, RopeStyle, Shape, Tensor};

/// Returns the name of the input with the frequencies of rotary embedding `i`, `f32[batch,pairs]`, which exists if
/// they change with the length of a text.
fn input_name(i: usize) -> String {
    format!("angles.{i}")
}

/// Returns the inputs of a run that depend on the lengths of its sequences, as f32 in little-endian bytes: the
/// frequencies for each sequence, for each rotary embedding whose angles change with the length.
pub(crate) fn angle_inputs(spec: &DecoderSpec, lengths: &[usize]) -> Vec<(String, Vec<u8>)> {
    let stretched = spec.ropes.iter().enumerate().filter(|(_, rope)| rope.stretch.is_some());
    stretched
        .map(|(i, rope)| {
            let of_sequence = |&length: &usize| rope.of_length(length).into_owned();
            let numbers = lengths.iter().flat_map(of_sequence);
            (input_name(i), numbers.flat_map(|f| (f as f32).to_le_bytes()).collect())
        })
        .collect()
}

/// The cosines and sines for a run.
pub(super) struct Rotation {
    /// `[batch, seq, pairs]` each.
    cos: Tensor,
    sin: Tensor,
    style: RopeStyle,
    rotary_dims: usize,
}

impl Rotation {
    /// Returns rotation `number` of a decoder at the positions `i32[batch, seq]`. The texts have `length` tokens; if
    /// that is unknown and the angles depend on it, an input provides the frequencies.
    pub(super) fn new(number: usize, spec: &RopeSpec, positions: &Tensor, length: Option<usize>) -> Rotation {
        let dims = [positions.dims(), vec![spec.frequencies.len().into()]].concat();
        let frequencies = match length {
            None if spec.stretch.is_some() => {
                let shape = Shape::from_dims(&[dims[0].clone(), dims[2].clone()], DType::F32);
                positions.builder().input(input_name(number), shape).broadcast_in_dim(&dims, &[0, 2])
            }
            length => {
                let values: Vec<f32> =
                    spec.of_length(length.unwrap_or(0)).iter().map(|&f| f as f32).collect();
                constant(positions, &[values.len()], &values).broadcast_in_dim(&dims, &[2])
            }
        };
        let angles = positions.convert(DType::F32).broadcast_in_dim(&dims, &[0, 1]) * frequencies;
        let scaled = |x: Tensor| if spec.magnitude == 1.0 { x } else { x * spec.magnitude };
        Rotation::of(spec, scaled(angles.cos()), scaled(angles.sin()))
    }

    /// Returns the rotation at positions that are looked up in tables of `rows` rows. This is for programs that
    /// compute in f16, which cannot represent the angles of late positions. The angles are those of a text of `rows`
    /// tokens, and all texts that fit share them.
    pub(super) fn tabled(spec: &RopeSpec, positions: &Tensor, rows: usize) -> Rotation {
        let frequencies = spec.of_length(rows);
        let table = |function: fn(f64) -> f64| {
            let angle = |row: usize, f: &f64| f64::from(row as f32 * *f as f32);
            let of_row = |row: usize| {
                frequencies.iter().map(move |f| (function(angle(row, f)) * spec.magnitude) as f32)
            };
            let values: Vec<f32> = (0..rows).flat_map(of_row).collect();
            constant(positions, &[rows, frequencies.len()], &values).embedding(positions)
        };
        Rotation::of(spec, table(f64::cos), table(f64::sin))
    }

    fn of(spec: &RopeSpec, cos: Tensor, sin: Tensor) -> Rotation {
        Rotation { cos, sin, style: spec.style, rotary_dims: spec.rotary_dims() }
    }

    /// Rotates x `[batch, heads, seq, head]`.
    pub(super) fn turn(&self, x: &Tensor) -> Tensor {
        let op = Op::Rope { style: self.style, rotary_dims: Some(self.rotary_dims), seq_axis: 2 };
        x.apply(op, &[&self.cos, &self.sin])
    }
}

fn constant(like: &Tensor, dims: &[usize], values: &[f32]) -> Tensor {
    // INVARIANT: the number of values is the product of the dimensions.
    like.builder().constant(Literal::new(dims, values).unwrap_or_else(|_| Literal::scalar(0.0f32)))
}
