//! Measures the speed of matrix products next to the machine's multiply-add peak.
//!
//! `cargo run --release -p rlx-gemm --example gemm_speed [SECONDS_PER_LINE] [ISA]`
//!
//! Peak and products run in turns, in short bursts, so that a machine that is shared or changes its clock affects both alike. Each line
//! gives the best and the median burst in GFLOP/s, and the best as a percentage of the best burst of the peak with the same number of
//! threads.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use rlx_gemm::{Activation, Epilogue, Gemm, GemmShape, Narrow, PackedB, Rhs, RhsForm, Steps};
use rlx_pool::Pool;
use rlx_simd::isa::{Cpu, Isa};
use rlx_simd::simd::{Kernel, Simd, Vector};

/// Multiply-adds in registers only.
struct Peak {
    rounds: usize,
}

const CHAINS: usize = 12;

impl Kernel for Peak {
    /// The number of floating-point operations done.
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self, token: S) -> usize {
        let factor = S::F32::splat(token, black_box(1.0));
        let mut chains = [S::F32::splat(token, black_box(0.5)); CHAINS];
        for _ in 0..self.rounds {
            for chain in &mut chains {
                *chain = factor.mul_add(factor, *chain);
            }
        }
        for chain in chains {
            black_box(chain.to_array());
        }
        2 * CHAINS * S::F32::LANES * self.rounds
    }
}

/// Rates of repeated bursts, in GFLOP/s.
#[derive(Default)]
struct Rates(Vec<f64>);

impl Rates {
    fn add(&mut self, flops: usize, time: Duration) {
        self.0.push(flops as f64 / time.as_nanos() as f64);
    }

    fn best(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

fn peak_burst(cpu: Cpu, pool: &Pool, rates: &mut Rates) {
    let flops = cpu.dispatch(Peak { rounds: 0x1000 }) / 0x1000 * 0x10000 * pool.threads();
    let start = Instant::now();
    pool.run(pool.threads(), |_| {
        black_box(cpu.dispatch(Peak { rounds: 0x10000 }));
    });
    rates.add(flops, start.elapsed());
}

/// How B is given.
#[derive(Clone, Copy, Debug)]
enum Form {
    Packed,
    PackedBf16,
    RowMajor,
    Transposed,
}

struct Case {
    m: usize,
    k: usize,
    n: usize,
    form: Form,
    activation: Activation,
}

fn measure(cpu: Cpu, threads: usize, case: &Case, seconds: f64) -> Result<(), Box<dyn Error>> {
    let Case { m, n, k, form, activation } = *case;
    let pool = Pool::new(threads)?;
    let a: Vec<f32> = (0..m * k).map(|i| (i % 13) as f32 * 0.1 - 0.6).collect();
    let b: Vec<f32> = (0..k * n).map(|i| (i % 11) as f32 * 0.1 - 0.5).collect();
    let narrow: Vec<u16> = b.iter().map(|x| (x.to_bits() >> 16) as u16).collect();
    let bias = vec![0.1f32; n];
    let mut c = vec![0f32; m * n];
    let steps = match form {
        Form::Transposed => Steps { row: 1, col: k },
        _ => Steps::row_major(n),
    };
    let packed = match form {
        Form::PackedBf16 => PackedB::pack_narrow(&pool, cpu, k, n, steps, Narrow::Bf16, &narrow)?,
        _ => PackedB::pack(&pool, cpu, k, n, steps, &b)?,
    };
    let (b_form, rhs) = match form {
        Form::Packed | Form::PackedBf16 => (RhsForm::Packed, Rhs::Packed(&packed)),
        Form::RowMajor | Form::Transposed => (RhsForm::Strided(steps), Rhs::Strided(&b)),
    };
    let gemm = Gemm::new(cpu, GemmShape { b: b_form, ..GemmShape::row_major(m, n, k) }, threads)?;
    let mut scratch = vec![0u8; gemm.scratch_bytes()];
    let epilogue = match activation {
        Activation::Identity => Epilogue::none(),
        _ => Epilogue::none().column_bias(&bias).activation(activation),
    };
    // Bursts of about a millisecond.
    let flops = 2 * m * n * k;
    let repeat = (100_000_000 / flops).max(1);
    let (mut peak, mut rates) = (Rates::default(), Rates::default());
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    while Instant::now() < end {
        peak_burst(cpu, &pool, &mut peak);
        let start = Instant::now();
        for _ in 0..repeat {
            gemm.run(&pool, &a, rhs, &mut c, &epilogue, &mut scratch)?;
        }
        rates.add(flops * repeat, start.elapsed());
    }
    println!(
        "{:8} {threads} thread{} {m:>5}×{k}×{n} {form:?} {activation:?}: best {:.1}, median {:.1}; peak {:.1}, median {:.1}; {:.0} %",
        cpu.isa().name(),
        if threads == 1 { " " } else { "s" },
        rates.best(),
        rates.median(),
        peak.best(),
        peak.median(),
        100.0 * rates.best() / peak.best(),
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().map_or(Ok(1.0), |text| text.parse())?;
    let isa = arguments.next().map_or(Ok(Isa::detect()), |text| text.parse())?;
    let cpu = Cpu::with_isa(isa)?;
    let case = |m, k, n, form| Case { m, k, n, form, activation: Activation::Identity };
    let cases = [
        case(1024, 1024, 1024, Form::Packed),
        case(1024, 1024, 1024, Form::RowMajor),
        case(1024, 1024, 1024, Form::Transposed),
        case(128, 384, 1536, Form::Packed),
        case(128, 1536, 384, Form::Packed),
        case(128, 384, 384, Form::Packed),
        case(128, 384, 1536, Form::PackedBf16),
        Case { activation: Activation::Gelu, ..case(128, 384, 1536, Form::Packed) },
        case(1024, 384, 1536, Form::Packed),
        case(16, 384, 1536, Form::Packed),
        case(16, 384, 1536, Form::PackedBf16),
        case(1, 384, 1536, Form::Packed),
        case(1, 384, 1536, Form::PackedBf16),
        case(1, 4096, 4096, Form::Packed),
        case(4, 4096, 4096, Form::Packed),
        case(128, 32, 128, Form::Transposed),
    ];
    for case in &cases {
        for threads in [1, 2] {
            measure(cpu, threads, case, seconds)?;
        }
    }
    Ok(())
}
