//! Packed blocks, held against the evaluator.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal, ordinary};
use rlx_ir::eval::Scalar;
use rlx_ir::{Builder, DType, Literal, Named, QuantScheme, Shape};

#[test]
fn blocks_are_decoded() {
    let mut random = SplitMix64::new(1);
    for &scheme in QuantScheme::VARIANTS {
        for (rows, blocks) in [(1, 1), (0, 3), (3, 0), (5, 7), (64, 50)] {
            let dims = [rows, blocks * scheme.block_bytes()];
            // Any byte is possible: scales are infinite or NaN now and then.
            let bytes = literal(&dims, DType::U8, |_| Scalar::Int(random.below(256) as i128));
            let b = Builder::new("decode");
            let x = b.input("x", Shape::new(&dims, DType::U8));
            let graph = b.finish(&[&x.dequantize_blocks(scheme)]).unwrap();
            check(&graph, &[("x", &bytes)], Tolerance::Exact);
        }
    }
}

#[test]
fn products_with_packed_weights() {
    let mut random = SplitMix64::new(2);
    for &scheme in QuantScheme::VARIANTS {
        let (n, k) = (9, 2 * scheme.block_len());
        // Scales that are ordinary numbers: an infinite weight would hide every other.
        let values: Vec<f32> = ordinary(&[n, k], DType::F32, &mut random).as_slice().expect("f32").to_vec();
        let packed = scheme.quantize(&values, None).expect("finite values in whole blocks");
        let weights = Literal::new(&[n, 2 * scheme.block_bytes()], &packed).expect("packed rows");
        let x = ordinary(&[3, k], DType::F32, &mut random);
        let b = Builder::new("product");
        let (input, packed) = (b.input("x", x.shape().clone()), b.param("w", weights.shape().clone()));
        let graph = b.finish(&[&input.dequant_matmul(&packed, scheme)]).unwrap();
        let tolerance = Tolerance::Close { absolute: 1e-2, relative: 1e-5 };
        check(&graph, &[("x", &x), ("w", &weights)], tolerance);
    }
}
