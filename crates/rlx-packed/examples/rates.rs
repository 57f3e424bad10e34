//! How fast products of each format are: `cargo run --release -p rlx-packed --example rates [THREADS]`.

use rlx_packed::{PackedProduct, PackedWeights, takes};
use rlx_pool::Pool;
use rlx_quant::QuantScheme;
use rlx_simd::isa::{Cpu, Isa};
use std::io::Write;
use std::time::Instant;

fn main() {
    let threads = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    let pool = Pool::new(threads).expect("threads");
    let (n, k) = (3072, 1024);
    // Some rows of numbers, again and again: quantising takes longer than what is timed.
    let values: Vec<f32> = (0..16 * k).map(|i| ((i * 7919 % 1009) as f32 / 504.0) - 1.0).collect();
    let mut out = std::io::stdout().lock();
    for &scheme in QuantScheme::ALL.iter().filter(|&&scheme| takes(scheme)) {
        let bytes = scheme.quantize(&values, None).expect("finite numbers").repeat(n / 16);
        let begin = Instant::now();
        // Enough matrices that none is in a cache when its turn comes.
        let copies = 64;
        let weights = PackedWeights::pack(scheme, &bytes, n, &pool).expect("whole blocks");
        let packing = begin.elapsed().as_secs_f64();
        let many: Vec<PackedWeights> = (0..copies)
            .map(|_| PackedWeights::pack(scheme, &bytes, n, &pool).expect("whole blocks"))
            .collect();
        for isa in Isa::available().filter(|&isa| isa != Isa::Baseline && isa != Isa::Amx) {
            let cpu = Cpu::with_isa(isa).expect("available");
            let mut figures = Vec::new();
            for rows in [1, 512] {
                let product = PackedProduct::new(cpu, rows, k, threads);
                let x = vec![0.5f32; rows * k];
                let mut y = vec![0f32; rows * n];
                let mut scratch = vec![0u8; product.scratch_bytes()];
                let mut best = f64::INFINITY;
                for _ in 0..5 {
                    let begin = Instant::now();
                    let used: &[PackedWeights] =
                        if rows == 1 { &many } else { std::slice::from_ref(&weights) };
                    for weights in used {
                        product.run(&pool, &x, weights, &mut y, &mut scratch).expect("fits");
                    }
                    best = best.min(begin.elapsed().as_secs_f64() / used.len() as f64);
                }
                figures.push(match rows {
                    1 => format!(
                        "{:6.2} GB/s {:6.2} G weights/s",
                        bytes.len() as f64 / best / 1e9,
                        (n * k) as f64 / best / 1e9
                    ),
                    _ => format!("{:7.1} GFLOP/s", 2.0 * (rows * n * k) as f64 / best / 1e9),
                });
            }
            let name = scheme.name();
            writeln!(
                out,
                "{name:8} {:7} one row {}   512 rows {}   packing {:.2} GB/s",
                isa.name(),
                figures[0],
                figures[1],
                bytes.len() as f64 / packing / 1e9
            )
            .expect("output");
        }
    }
}
