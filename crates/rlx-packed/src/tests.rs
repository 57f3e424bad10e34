//! Compares products with the numbers that the blocks represent, in exact arithmetic.

use crate::{Blocks, PackedProduct, PackedWeights};
use rlx_driver::HostBuffer;
use rlx_pool::Pool;
use rlx_quant::QuantScheme;
use rlx_simd::isa::{Cpu, Isa};

/// Returns pseudo-random numbers between −1 and 1.
pub(crate) fn numbers(seed: u64, len: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

/// Returns the bytes of quantized numbers.
fn quantized(scheme: QuantScheme, rows: usize, depth: usize) -> Vec<u8> {
    scheme.quantize(&numbers(depth as u64, rows * depth), None).unwrap()
}

/// Returns X after quantizing activations: bytes times the factor of each.
fn activations(x: &[f32]) -> Vec<f64> {
    x.chunks(32)
        .flat_map(|group| {
            let largest = group.iter().fold(0f32, |m, x| m.max(x.abs()));
            let (inverse, factor) = (127.0 / largest, largest / 127.0);
            group.iter().map(move |x| f64::from((x * inverse).round_ties_even()) * f64::from(factor))
        })
        .collect()
}

/// Returns the result, with any bits in scratch memory.
fn run(isa: Isa, x: &[f32], weights: &PackedWeights, rows: usize, threads: usize) -> Vec<f32> {
    let pool = Pool::eager(threads).unwrap();
    let product = PackedProduct::new(Cpu::with_isa(isa).unwrap(), rows, weights.depth(), threads);
    let mut out = vec![f32::NAN; rows * weights.rows()];
    product.run(&pool, x, weights, &mut out, &mut vec![0xff; product.scratch_bytes()]).unwrap();
    out
}

/// Returns the result with weights as they are stored in a file.
fn run_blocks(isa: Isa, x: &[f32], weights: Blocks<'_>, rows: usize, threads: usize) -> Vec<f32> {
    let pool = Pool::eager(threads).unwrap();
    let product = PackedProduct::new(Cpu::with_isa(isa).unwrap(), rows, weights.depth(), threads);
    let product = product.for_blocks(weights.scheme());
    let mut out = vec![f32::NAN; rows * weights.rows()];
    product.run(&pool, x, weights, &mut out, &mut vec![0xff; product.scratch_bytes()]).unwrap();
    out
}

#[test]
fn products_are_those_of_the_numbers() {
    let pool = Pool::new(1).unwrap();
    let mut count = 0;
    for &scheme in QuantScheme::ALL {
        for (rows, n, blocks) in [(1, 1, 1), (7, 37, 3), (13, 48, 5)] {
            let depth = blocks * scheme.block_len();
            let bytes = quantized(scheme, n, depth);
            let weights =
                PackedWeights::pack(Cpu::detect(), scheme, &bytes, n, &pool, HostBuffer::zeroed).unwrap();
            let mut w = vec![0f32; n * depth];
            scheme.dequantize(&bytes, &mut w);
            let x = numbers(rows as u64 + 100, rows * depth);
            let exact = activations(&x);
            let mut first: Option<Vec<f32>> = None;
            for isa in Isa::available() {
                let got = run(isa, &x, &weights, rows, 2);
                let in_file = Blocks::new(scheme, &bytes, n).unwrap();
                assert_eq!(run_blocks(isa, &x, in_file, rows, 3), got, "{scheme} {}", isa.name());
                for (i, &got) in got.iter().enumerate() {
                    let (row, column) = (&exact[i / n * depth..][..depth], &w[i % n * depth..][..depth]);
                    let pairs = row.iter().zip(column).map(|(x, w)| x * f64::from(*w));
                    let (sum, size) = pairs.fold((0.0, 0.0), |(s, a), p| (s + p, a + p.abs()));
                    let room = 4e-7 * (size + 1e-30) * (blocks * 8) as f64;
                    assert!(
                        (f64::from(got) - sum).abs() <= room,
                        "{scheme} {}: {got}, not {sum}",
                        isa.name()
                    );
                }
                // Instruction sets that round a multiply-add once agree bit for bit.
                if isa != Isa::Baseline {
                    assert!(first.get_or_insert_with(|| got.clone()) == &got, "{scheme} {}", isa.name());
                }
            }
            count += 1;
        }
    }
    assert_eq!(count, 3 * 27);
}

#[test]
fn rows_are_the_same_alone_and_among_others() {
    let pool = Pool::new(1).unwrap();
    for &scheme in QuantScheme::ALL {
        let (rows, n, depth) = (9, 40, 768);
        let bytes = quantized(scheme, n, depth);
        let weights =
            PackedWeights::pack(Cpu::detect(), scheme, &bytes, n, &pool, HostBuffer::zeroed).unwrap();
        let in_file = Blocks::new(scheme, &bytes, n).unwrap();
        let x = numbers(5, rows * depth);
        for isa in Isa::available() {
            let whole = run(isa, &x, &weights, rows, 1);
            for row in 0..rows {
                let alone = run(isa, &x[row * depth..][..depth], &weights, 1, 3);
                assert_eq!(whole[row * n..][..n], alone, "{scheme} {} row {row}", isa.name());
                let unpacked = run_blocks(isa, &x[row * depth..][..depth], in_file, 1, 2);
                assert_eq!(unpacked, alone, "{scheme} {} row {row} of blocks", isa.name());
            }
        }
    }
}

/// Rows longer than a span, with products of one sign and nearly one size.
#[test]
fn long_rows_are_as_exact_as_short_ones() {
    let pool = Pool::new(1).unwrap();
    let (rows, n, depth) = (3, 17, 258 * 256);
    for scheme in [QuantScheme::Q8_0, QuantScheme::Q4_0, QuantScheme::Q4_K, QuantScheme::Q6_K] {
        let numbers: Vec<f32> = (0..n * depth).map(|at| [0.05, 0.1][at % 2]).collect();
        let bytes = scheme.quantize(&numbers, None).unwrap();
        let weights =
            PackedWeights::pack(Cpu::detect(), scheme, &bytes, n, &pool, HostBuffer::zeroed).unwrap();
        let mut w = vec![0f32; n * depth];
        scheme.dequantize(&bytes, &mut w);
        let x: Vec<f32> = (0..rows * depth).map(|at| [0.7, 0.3, 1.1][at / depth]).collect();
        let exact = activations(&x);
        for isa in Isa::available() {
            let got = run(isa, &x, &weights, rows, 2);
            for (i, &got) in got.iter().enumerate() {
                let (row, column) = (&exact[i / n * depth..][..depth], &w[i % n * depth..][..depth]);
                let sum: f64 = row.iter().zip(column).map(|(x, w)| x * f64::from(*w)).sum();
                let error = (f64::from(got) / sum - 1.0).abs();
                assert!(
                    error <= 130.0 * 2f64.powi(-24),
                    "{scheme} {}: {got}, not {sum}: {error:e}",
                    isa.name()
                );
            }
            let in_file = Blocks::new(scheme, &bytes, n).unwrap();
            for row in 0..rows {
                let x = &x[row * depth..][..depth];
                let alone = run(isa, x, &weights, 1, 2);
                assert_eq!(got[row * n..][..n], alone, "{scheme} {} row {row}", isa.name());
                assert_eq!(run_blocks(isa, x, in_file, 1, 1), alone, "{scheme} {} row {row}", isa.name());
            }
        }
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let pool = Pool::new(1).unwrap();
    let bytes = quantized(QuantScheme::Q4_0, 2, 64);
    assert!(
        PackedWeights::pack(Cpu::detect(), QuantScheme::Q4_0, &bytes[1..], 2, &pool, HostBuffer::zeroed)
            .is_none()
    );
    assert!(
        PackedWeights::pack(Cpu::detect(), QuantScheme::Q4_0, &bytes, 0, &pool, HostBuffer::zeroed).is_none()
    );
    let weights =
        PackedWeights::pack(Cpu::detect(), QuantScheme::Q4_0, &bytes, 2, &pool, HostBuffer::zeroed).unwrap();
    let product = PackedProduct::new(Cpu::detect(), 1, 64, 1);
    let mut scratch = vec![0; product.scratch_bytes()];
    let error = product.run(&pool, &[0.0; 63], &weights, &mut [0.0; 2], &mut scratch).unwrap_err();
    assert_eq!(error.to_string(), "a product with packed weights needs 64 elements of x, but got 63");
    assert!(product.run(&pool, &[0.0; 64], &weights, &mut [0.0; 1], &mut scratch).is_err());
    assert!(
        PackedProduct::new(Cpu::detect(), 1, 32, 1)
            .run(&pool, &[0.0; 64], &weights, &mut [0.0; 2], &mut scratch)
            .is_err()
    );
    let blocks = Blocks::new(QuantScheme::Q4_0, &bytes, 2).unwrap();
    let error = product.run(&pool, &[0.0; 64], blocks, &mut [0.0; 2], &mut scratch).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a product with packed weights needs 576 elements of scratch memory for a panel, but got 0"
    );
}
