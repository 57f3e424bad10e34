//! A packed weight in each op that takes one.

use crate::example::DIMS;
use rlx_ir::{Builder, DType, Graph, QuantScheme, Shape};

/// x · wᵀ, x · wᵀ with x rounded, and rows of w.
pub fn uses(scheme: QuantScheme, is_param: bool) -> Graph {
    let b = Builder::new("uses");
    let row = DIMS[1] / scheme.block_len() * scheme.block_bytes();
    let shape = Shape::new(&[DIMS[0], row], DType::U8);
    let w = if is_param { b.param("w", shape) } else { b.input("w", shape) };
    let x = b.input("x", Shape::new(&[3, DIMS[1]], DType::F32));
    let ids = b.input("ids", Shape::new(&[2, 2], DType::I32));
    let outputs = [
        x.dequant_matmul(&w, scheme),
        x.rounded_dequant_matmul(&w, scheme),
        w.embedding(&ids).dequantize_blocks(scheme),
    ];
    b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap()
}
