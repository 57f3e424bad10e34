//! Compares kernels of quantized blocks with the evaluator.

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
            // Any byte is possible, so scales are sometimes infinite or NaN.
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
        // Scales are ordinary numbers, because an infinite weight would hide every other.
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

/// Matrices without rows, without columns, and no rows to multiply, with and without weights that are known beforehand.
#[test]
fn products_of_nothing() {
    let scheme = QuantScheme::Q8_0;
    for (m, n, blocks) in [(2, 0, 1), (0, 3, 1), (2, 3, 0), (0, 0, 0)] {
        let x = literal(&[m, blocks * 32], DType::F32, |_| Scalar::Float(1.0));
        let weights = literal(&[n, blocks * 34], DType::U8, |_| Scalar::Int(1));
        let experts = literal(&[2, n, blocks * 34], DType::U8, |_| Scalar::Int(1));
        let lengths = literal(&[2], DType::I32, |run| Scalar::Int((run * m) as i128));
        for known in [false, true] {
            let b = Builder::new("nothing");
            let input = |name: &str, value: &Literal| match known && name != "x" && name != "lengths" {
                true => b.param(name, value.shape().clone()),
                false => b.input(name, value.shape().clone()),
            };
            let (x_, w, e, l) =
                (input("x", &x), input("w", &weights), input("e", &experts), input("lengths", &lengths));
            let results = [x_.dequant_matmul(&w, scheme), x_.rounded_dequant_grouped_matmul(&e, &l, scheme)];
            let graph = b.finish(&[&results[0], &results[1]]).unwrap();
            let values = [("x", &x), ("w", &weights), ("e", &experts), ("lengths", &lengths)];
            check(&graph, &values, Tolerance::Exact);
        }
    }
}
