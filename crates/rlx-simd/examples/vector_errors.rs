//! Measures the largest errors of the elementary functions of `f32`, compared with `f64`.
//!
//! `cargo run --release -p rlx-simd --example vector_errors [STEP]`
//!
//! Every STEPth value of `f32` is tried; by default all are.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::sync::Mutex;

use rlx_pool::Pool;
use rlx_simd::isa::{Cpu, Isa};
use rlx_simd::vector::Function;

const CHUNK: u64 = 1 << 16;

/// Returns the distance of `got` from `exact` in units of the last place of `exact`.
fn distance(got: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if !got.is_finite() || !rounded.is_finite() {
        let same = (got.is_nan() && rounded.is_nan()) || got == rounded;
        return if same { 0.0 } else { f64::INFINITY };
    }
    let magnitude = rounded.abs().max(f32::MIN_POSITIVE);
    let place = f64::from(f32::from_bits(magnitude.to_bits() & 0x7f80_0000)) * f64::from(f32::EPSILON);
    (f64::from(got) - exact).abs() / place
}

/// The largest error found, and where it occurred.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    error: f64,
    at: f32,
}

impl Worst {
    fn add(&mut self, error: f64, at: f32) {
        if error > self.error {
            *self = Worst { error, at };
        }
    }
}

fn measure(function: Function, cpus: &[Cpu], pool: &Pool, step: u64) -> Vec<Worst> {
    let worst = Mutex::new(vec![Worst::default(); cpus.len()]);
    let chunks = (1u64 << 32).div_ceil(CHUNK * step) as usize;
    pool.run(chunks, |task| {
        let first = task.index as u64 * CHUNK * step;
        let sources: Vec<f32> = (0..CHUNK)
            .map(|index| first + index * step)
            .take_while(|&bits| bits < 1 << 32)
            .map(|bits| f32::from_bits(bits as u32))
            .collect();
        let exact: Vec<f64> = sources.iter().map(|&x| function.of_f64(f64::from(x))).collect();
        let mut results = vec![0f32; sources.len()];
        for (which, &cpu) in cpus.iter().enumerate() {
            results.copy_from_slice(&sources);
            function.apply_f32_in_place(cpu, &mut results);
            let mut local = Worst::default();
            for ((&x, &got), &exact) in sources.iter().zip(&results).zip(&exact) {
                local.add(distance(got, exact), x);
            }
            if let Ok(mut worst) = worst.lock() {
                worst[which].add(local.error, local.at);
            }
        }
    });
    worst.into_inner().unwrap_or_default()
}

fn main() -> Result<(), Box<dyn Error>> {
    let step = std::env::args().nth(1).map_or(Ok(1), |text| text.parse::<u64>())?.max(1);
    let cpus = Isa::available().map(Cpu::with_isa).collect::<Result<Vec<_>, _>>()?;
    let pool = Pool::new(std::thread::available_parallelism().map_or(1, |n| n.get()))?;
    for function in Function::ALL {
        let worst = measure(function, &cpus, &pool, step);
        for (cpu, worst) in cpus.iter().zip(worst) {
            println!("{function:?} on {}: {:.3} ulp at {:e}", cpu.isa(), worst.error, worst.at);
        }
    }
    Ok(())
}
