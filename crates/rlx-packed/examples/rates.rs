//! Measures how fast weights of each format are packed, and how fast products with them are.
//!
//! `cargo run --release -p rlx-packed --example rates [THREADS [packing]]`; with `packing`, products are left out.

use rlx_driver::HostBuffer;
use rlx_packed::{Blocks, PackedProduct, PackedWeights};
use rlx_pool::Pool;
use rlx_quant::QuantScheme;
use rlx_simd::isa::{Cpu, Isa};
use std::io::Write;
use std::time::Instant;

/// Number of rows of a matrix, and of values in a row.
const N: usize = 3072;
const K: usize = 1024;

fn main() {
    let threads = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    let with_products = std::env::args().nth(2).is_none();
    let pool = Pool::new(threads).expect("threads");
    // A few rows of numbers, repeated, because quantizing takes longer than what is measured.
    let values: Vec<f32> = (0..16 * K).map(|i| ((i * 7919 % 1009) as f32 / 504.0) - 1.0).collect();
    let mut out = std::io::stdout().lock();
    for &scheme in QuantScheme::ALL {
        let bytes = scheme.quantize(&values, None).expect("finite numbers").repeat(N / 16);
        for isa in Isa::available().filter(|&isa| isa != Isa::Baseline && isa != Isa::Amx) {
            let cpu = Cpu::with_isa(isa).expect("available");
            let pack = || {
                PackedWeights::pack(cpu, scheme, &bytes, N, &pool, HostBuffer::zeroed).expect("whole blocks")
            };
            let rate = bytes.len() as f64 / best_seconds(9, || drop(pack())) / 1e9;
            let name = scheme.name();
            write!(out, "{name:8} {:7} packing {rate:5.2} GB/s", isa.name()).expect("output");
            let at_once = bytes.len() as f64 / from_file(cpu, threads, &pool, scheme, &bytes) / 1e9;
            write!(out, "   one row with weights as in a file {at_once:5.2} GB/s").expect("output");
            if with_products {
                // Enough matrices that none is in a cache when it is used.
                let many: Vec<PackedWeights> = (0..64).map(|_| pack()).collect();
                let one = seconds(cpu, 1, threads, &pool, &many);
                let gigabytes = bytes.len() as f64 / one / 1e9;
                let weights = (N * K) as f64 / one / 1e9;
                let rows = 512;
                let flops =
                    2.0 * (rows * N * K) as f64 / seconds(cpu, rows, threads, &pool, &many[..1]) / 1e9;
                let one = format!("one row {gigabytes:6.2} GB/s {weights:6.2} G weights/s");
                write!(out, "   {one}   {rows} rows {flops:7.1} GFLOP/s").expect("output");
            }
            writeln!(out).expect("output");
        }
    }
}

/// Returns the seconds of a product of `rows` rows, with changing weights.
fn seconds(cpu: Cpu, rows: usize, threads: usize, pool: &Pool, weights: &[PackedWeights]) -> f64 {
    let product = PackedProduct::new(cpu, rows, K, threads);
    let x = vec![0.5f32; rows * K];
    let mut y = vec![0f32; rows * N];
    let mut scratch = vec![0u8; product.scratch_bytes()];
    let all = best_seconds(5, || {
        for weights in weights {
            product.run(pool, &x, weights, &mut y, &mut scratch).expect("fits");
        }
    });
    all / weights.len() as f64
}

/// Returns the seconds of a product of one row with weights as they are stored in a file.
fn from_file(cpu: Cpu, threads: usize, pool: &Pool, scheme: QuantScheme, bytes: &[u8]) -> f64 {
    let product = PackedProduct::new(cpu, 1, K, threads).for_blocks(scheme);
    let blocks = Blocks::new(scheme, bytes, N).expect("whole blocks");
    let (x, mut y) = (vec![0.5f32; K], vec![0f32; N]);
    let mut scratch = vec![0u8; product.scratch_bytes()];
    best_seconds(9, || product.run(pool, &x, blocks, &mut y, &mut scratch).expect("fits"))
}

/// Returns the shortest of several times.
fn best_seconds(rounds: usize, mut run: impl FnMut()) -> f64 {
    let times = (0..rounds).map(|_| {
        let begin = Instant::now();
        run();
        begin.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}
