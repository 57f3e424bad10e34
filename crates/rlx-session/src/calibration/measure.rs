//! Measures a device with programs that its backend compiles and runs like any other. This works for every backend, and includes the cost
//! of the runtime.

use crate::compiled::CompiledGraph;
use crate::error::RuntimeError;
use rlx_compile::{BackendError, CompileOptions, ParamBytes, Rates};
use rlx_driver::Env;
use rlx_exec::Backend;
use rlx_ir::{Builder, DType, Graph, ReduceOp, Shape, Tensor};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rows and columns of the matrices to multiply.
const MATRICES: [usize; 6] = [128, 256, 512, 1024, 2048, 4096];
/// Number of f32 elements to read: 4, 64 and 256 MiB. Only a device that is slow even with its caches stops at the first.
const PASSES: [usize; 3] = [1 << 20, 1 << 24, 1 << 26];
/// Columns of the tensors to read.
const COLUMNS: usize = 1 << 12;
/// Number of f32 elements of the input with which transfers to the device are timed: 16 MiB.
const INPUT: usize = 1 << 22;
/// Seconds of work after which a measurement is good enough; larger sizes are not tried.
const LONG_ENOUGH: f64 = 4e-3;
/// How long a program is run repeatedly; `RUNS` limits the number of runs.
const PATIENCE: Duration = Duration::from_millis(30);
const RUNS: std::ops::RangeInclusive<usize> = 3..=200;

/// Measures the rates of the backend's device, with programs compiled with the options of `env`.
pub(super) fn rates(backend: &Arc<dyn Backend>, env: &Env) -> Result<Rates, RuntimeError> {
    let mut options = CompileOptions::new();
    backend.apply_env(&mut options, env)?;
    let bench = Bench { backend, options };
    let run = bench.seconds(addition(), None, &[&[1.0]])?;
    let flops = sustained(&MATRICES, run, |n| {
        let numbers = Numbers::first(n * n);
        Ok((2.0 * (n as f64).powi(3), bench.seconds(product(n), Some(&numbers), &[])?))
    })?;
    let bytes = sustained(&PASSES, run, |count| {
        let numbers = Numbers::first(count);
        let read = bytes_of(count);
        let summed = bench.seconds(sums(count, OperandPlace::Parameter), Some(&numbers), &[])?;
        let doubled = bench.seconds(doubles(count), Some(&numbers), &[])?;
        // Neither measurement can exceed the bandwidth of the memory, and each has its own bottleneck: sums wait for one another, and what
        // is written may have to travel to a host with separate memory.
        Ok(if beyond(run, doubled) < 2.0 * beyond(run, summed) {
            (2.0 * read, doubled)
        } else {
            (read, summed)
        })
    })?;
    let numbers = Numbers::first(INPUT);
    let there = bench.seconds(sums(INPUT, OperandPlace::Parameter), Some(&numbers), &[])?;
    let brought = bench.seconds(sums(INPUT, OperandPlace::Input), None, &[&numbers.0])?;
    Ok(Rates { flops, bytes, transfer: bytes_of(INPUT) / beyond(there, brought), run })
}

fn bytes_of(numbers: usize) -> f64 {
    (numbers * size_of::<f32>()) as f64
}

/// Returns the seconds that a run took in addition to `others`. The result is at least 1 % of `seconds`, so that rates are finite.
fn beyond(others: f64, seconds: f64) -> f64 {
    (seconds - others).max(0.01 * seconds)
}

/// Returns the rate, work per second, at the first size whose runs take long enough.
fn sustained(
    sizes: &[usize],
    run: f64,
    measure: impl Fn(usize) -> Result<(f64, f64), RuntimeError>,
) -> Result<f64, RuntimeError> {
    let mut rate = 0.0;
    for &size in sizes {
        let (work, seconds) = measure(size)?;
        let working = beyond(run, seconds);
        rate = work / working;
        if working >= LONG_ENOUGH {
            break;
        }
    }
    Ok(rate)
}

/// Where the numbers are before a run.
#[derive(Clone, Copy)]
enum OperandPlace {
    /// On the device.
    Parameter,
    /// In the caller's memory.
    Input,
}

/// Returns a graph that computes x + x for one number.
fn addition() -> Graph {
    let b = Builder::new("calibrate_run");
    let x = b.input("x", Shape::new(&[1], DType::F32));
    finish(b, &(&x + &x))
}

/// Returns a graph that multiplies a matrix by itself and sums the product, so that little has to be transferred back.
fn product(n: usize) -> Graph {
    let b = Builder::new("calibrate_product");
    let x = b.param("x", Shape::new(&[n, n], DType::F32));
    finish(b, &x.matmul(&x).reduce(ReduceOp::Sum, &[1], false))
}

/// Returns a graph that doubles each number and writes the results to other memory.
fn doubles(count: usize) -> Graph {
    let b = Builder::new("calibrate_doubles");
    let x = b.param("x", Shape::new(&[count / COLUMNS, COLUMNS], DType::F32));
    finish(b, &(&x + &x))
}

/// Returns a graph that sums numbers over columns.
fn sums(count: usize, source: OperandPlace) -> Graph {
    let b = Builder::new("calibrate_sums");
    let shape = Shape::new(&[count / COLUMNS, COLUMNS], DType::F32);
    let x = match source {
        OperandPlace::Parameter => b.param("x", shape),
        OperandPlace::Input => b.input("x", shape),
    };
    finish(b, &x.reduce(ReduceOp::Sum, &[1], false))
}

fn finish(b: Builder, output: &Tensor) -> Graph {
    // INVARIANT: the shapes and types of the graphs above are valid.
    b.finish(&[output]).expect("a graph of this file")
}

/// Numbers of moderate size. Zeros and subnormal numbers would take some devices less or more time.
struct Numbers(Vec<f32>);

impl Numbers {
    fn first(count: usize) -> Arc<Self> {
        Arc::new(Numbers((0..count).map(|i| 0.25 + (i % 16) as f32 / 64.0).collect()))
    }
}

impl ParamBytes for Numbers {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

/// A backend, and the options that all measured programs are compiled with.
struct Bench<'a> {
    backend: &'a Arc<dyn Backend>,
    options: CompileOptions,
}

impl Bench<'_> {
    /// Returns the seconds of the shortest run: anything else that the machine does only makes runs longer.
    fn seconds(
        &self,
        graph: Graph,
        parameter: Option<&Arc<Numbers>>,
        inputs: &[&[f32]],
    ) -> Result<f64, RuntimeError> {
        let mut program =
            CompiledGraph::new(graph, self.backend.clone(), self.options.clone(), self.backend.queue(0)?)?;
        if let Some(numbers) = parameter {
            program.set_param_shared("x", numbers.clone())?;
        }
        // The first run moves the parameters to the device.
        program.run_in_place(inputs)?;
        let (start, mut shortest, mut runs) = (Instant::now(), Duration::MAX, 0);
        while runs < *RUNS.start() || (runs < *RUNS.end() && start.elapsed() < PATIENCE) {
            let began = Instant::now();
            program.run_in_place(inputs)?;
            shortest = shortest.min(began.elapsed());
            runs += 1;
        }
        // Any clock that runs advances within hundreds of runs.
        if runs == *RUNS.end() && start.elapsed().is_zero() {
            let text = "the clock of this machine does not advance, so nothing can be measured";
            return Err(BackendError::Unsupported(text.into()).into());
        }
        // A coarse clock may show no time for a short run.
        Ok(shortest.as_secs_f64().max(1e-9))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_until_a_run_takes_long_enough() {
        let measured = |run: f64, per_second: f64| {
            let tried = std::cell::RefCell::new(Vec::new());
            let rate = sustained(&[1, 10, 100], run, |size| {
                tried.borrow_mut().push(size);
                Ok((size as f64, run + size as f64 / per_second))
            });
            (rate.unwrap(), tried.into_inner())
        };
        let rows: [(f64, &[usize]); 3] = [(1e2, &[1]), (1e3, &[1, 10]), (1e5, &[1, 10, 100])];
        for (rate, sizes) in rows {
            // The time that every run takes does not count as work, however long it is.
            for run in [1e-4, 1e-2] {
                let (found, tried) = measured(run, rate);
                assert!((found / rate - 1.0).abs() < 1e-6, "{found} for {rate}, {run}");
                assert_eq!(tried, sizes, "{rate}, {run}");
            }
        }
    }

    #[test]
    fn what_takes_no_longer_than_nothing_still_has_a_rate() {
        assert_eq!(beyond(2.0, 5.0), 3.0);
        assert_eq!(beyond(5.0, 5.0), 0.05);
        assert_eq!(beyond(7.0, 5.0), 0.05);
    }

    #[cfg(feature = "cpu")]
    #[test]
    fn the_cpu_is_measured_in_sound_figures() {
        let backend: Arc<dyn Backend> = Arc::new(rlx_cpu::CpuBackend);
        let rates = rates(&backend, &Env::default()).unwrap();
        assert!(rates.are_sound(), "{rates:?}");
        // From the slowest machine that this could be built on to the fastest, including tests without optimization.
        assert!((1e7..1e15).contains(&rates.flops) && (1e7..1e14).contains(&rates.bytes), "{rates:?}");
        assert!(rates.run < 0.1, "{rates:?}");
    }
}
