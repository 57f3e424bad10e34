//! Packed blocks as arithmetic on their bytes.

use crate::build::Expression;
use rlx_ir::{DType, Dim, Op, OpError, QuantScheme, Tensor};

/// The f32 values of packed blocks along the last axis.
pub(crate) fn dequantize_blocks(bytes: &Tensor, scheme: QuantScheme) -> Result<Vec<Tensor>, OpError> {
    let last = bytes.rank() - 1;
    let mut dims = bytes.dims();
    let Some(row) = dims[last].as_static() else {
        return Err(OpError::shape(format!(
            "a row of {} has no size yet; bind its symbol first",
            bytes.shape()
        )));
    };
    let blocks = row / scheme.block_bytes();
    dims.splice(last.., [blocks, scheme.block_bytes()].map(Dim::Static));
    let packed = bytes.reshape(&dims);
    let axis = last + 1;
    let part = |from: usize, to: usize| packed.slice_axis(axis, from, to);
    let scale = part(0, 2).bitcast(DType::F16).convert(DType::F32).unsqueeze(axis);
    let quants = part(2, scheme.block_bytes());
    let levels = match scheme {
        QuantScheme::Q8_0 => quants.bitcast(DType::I8).convert(DType::F32),
        QuantScheme::Q4_0 => {
            // The low halves of all bytes come first, then the high ones.
            let (low, high) = (quants.and(&quants.int_like(15)), quants.shr(4));
            low.apply(Op::Concatenate { axis }, &[&high]).convert(DType::F32) - 8.0
        }
    };
    let values = scale.broadcast_to(&levels.dims()) * levels;
    dims.splice(last.., [Dim::Static(blocks * scheme.block_len())]);
    Ok(vec![values.reshape(&dims)])
}
