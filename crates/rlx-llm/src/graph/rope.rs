//! Rotary position embeddings: angles once per run, for all layers that turn alike.

use crate::spec::RopeSpec;
use rlx_ir::{CompareOp, DType, Literal, Op, RopeStyle, Tensor};

/// The cosines and sines of a run.
pub(super) struct Rotation {
    /// `[batch, seq, pairs]` each.
    cos: Tensor,
    sin: Tensor,
    style: RopeStyle,
    rotary_dims: usize,
}

impl Rotation {
    /// Of these positions `i32[batch, seq]`.
    pub(super) fn new(spec: &RopeSpec, positions: &Tensor) -> Rotation {
        let dims = [positions.dims(), vec![spec.frequencies.len().into()]].concat();
        let numbers = |values: &[f64]| {
            let values: Vec<f32> = values.iter().map(|&f| f as f32).collect();
            constant(positions, &[values.len()], &values).broadcast_in_dim(&dims, &[2])
        };
        let mut frequencies = numbers(&spec.frequencies);
        if let Some((threshold, long)) = &spec.long {
            let is_long = is_long(positions, *threshold).broadcast_in_dim(&dims, &[]);
            frequencies = is_long.select(&numbers(long), &frequencies);
        }
        let angles = positions.convert(DType::F32).broadcast_in_dim(&dims, &[0, 1]) * frequencies;
        let scaled = |x: Tensor| if spec.magnitude == 1.0 { x } else { x * spec.magnitude };
        Rotation::of(spec, scaled(angles.cos()), scaled(angles.sin()))
    }

    /// The same, looked up in tables of so many positions: for programs that compute in f16, which has no angles of late positions.
    pub(super) fn tabled(spec: &RopeSpec, positions: &Tensor, rows: usize) -> Rotation {
        let table = |frequencies: &[f64], function: fn(f64) -> f64| {
            let angle = |row: usize, f: &f64| f64::from(row as f32 * *f as f32);
            let of_row = |row: usize| {
                frequencies.iter().map(move |f| (function(angle(row, f)) * spec.magnitude) as f32)
            };
            let values: Vec<f32> = (0..rows).flat_map(of_row).collect();
            constant(positions, &[rows, frequencies.len()], &values).embedding(positions)
        };
        let looked_up = |function: fn(f64) -> f64| {
            let near = table(&spec.frequencies, function);
            let Some((threshold, long)) = &spec.long else { return near };
            let is_long = is_long(positions, *threshold).broadcast_in_dim(&near.dims(), &[]);
            is_long.select(&table(long, function), &near)
        };
        Rotation::of(spec, looked_up(f64::cos), looked_up(f64::sin))
    }

    fn of(spec: &RopeSpec, cos: Tensor, sin: Tensor) -> Rotation {
        Rotation { cos, sin, style: spec.style, rotary_dims: spec.rotary_dims() }
    }

    /// x `[batch, heads, seq, head]`, turned.
    pub(super) fn turn(&self, x: &Tensor) -> Tensor {
        let op = Op::Rope { style: self.style, rotary_dims: Some(self.rotary_dims), seq_axis: 2 };
        x.apply(op, &[&self.cos, &self.sin])
    }
}

/// Whether all positions of a run turn as those of long sequences do: by where its longest sequence ends.
fn is_long(positions: &Tensor, threshold: usize) -> Tensor {
    let end = positions.reduce(rlx_ir::ReduceOp::Max, &[0, 1], false);
    end.compare(CompareOp::Ge, &positions.builder().int(threshold as i64, DType::I32))
}

fn constant(like: &Tensor, dims: &[usize], values: &[f32]) -> Tensor {
    // INVARIANT: there are as many numbers as the dimensions say.
    like.builder().constant(Literal::new(dims, values).unwrap_or_else(|_| Literal::scalar(0.0f32)))
}
