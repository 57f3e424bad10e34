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
        let pairs = spec.frequencies.len();
        let dims = [positions.dims(), vec![pairs.into()]].concat();
        let numbers = |values: &[f64]| {
            let values: Vec<f32> = values.iter().map(|&f| f as f32).collect();
            let constant = Literal::new(&[values.len()], &values);
            // INVARIANT: the list is as long as its only dimension says.
            let constant = constant.unwrap_or_else(|_| Literal::scalar(0.0f32));
            positions.builder().constant(constant).broadcast_in_dim(&dims, &[2])
        };
        let mut frequencies = numbers(&spec.frequencies);
        if let Some((threshold, long)) = &spec.long {
            // All positions of a run turn alike, by where its longest sequence ends.
            let end = positions.reduce(rlx_ir::ReduceOp::Max, &[0, 1], false);
            let most = positions.builder().int(*threshold as i64, DType::I32);
            let is_long = end.compare(CompareOp::Ge, &most).broadcast_in_dim(&dims, &[]);
            frequencies = is_long.select(&numbers(long), &frequencies);
        }
        let angles = positions.convert(DType::F32).broadcast_in_dim(&dims, &[0, 1]) * frequencies;
        let scaled = |x: Tensor| if spec.magnitude == 1.0 { x } else { x * spec.magnitude };
        Rotation {
            cos: scaled(angles.cos()),
            sin: scaled(angles.sin()),
            style: spec.style,
            rotary_dims: spec.rotary_dims(),
        }
    }

    /// x `[batch, heads, seq, head]`, turned.
    pub(super) fn turn(&self, x: &Tensor) -> Tensor {
        let op = Op::Rope { style: self.style, rotary_dims: Some(self.rotary_dims), seq_axis: 2 };
        x.apply(op, &[&self.cos, &self.sin])
    }
}
