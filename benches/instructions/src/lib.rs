//! Shared by the benchmarks: operands, and graphs compiled for one instruction set and one thread.
//!
//! A failure here is a mistake in a benchmark, so functions panic with a message.

pub use rlx_cpu::isa::Isa;

use rlx_exec::{Executable, compile};
use rlx_compile::CompileOptions;
use rlx_cpu::{CpuBackend, CpuOptions};
use rlx_ir::eval::Scalar;
use rlx_ir::{Bindings, DType, Graph, Literal, Shape};

/// A compiled graph with its operands. It has been run once, so that the extra work of a first run is not counted.
pub struct Program {
    executable: Box<dyn Executable>,
    operands: Vec<Literal>,
}

impl Program {
    /// Compiles a graph for one thread and this instruction set. `operands` are in the order of the graph's inputs.
    ///
    /// # Panics
    ///
    /// If the graph does not compile, the machine lacks the instructions, or the operands do not fit.
    pub fn new(isa: Isa, graph: &Graph, operands: Vec<Literal>) -> Program {
        let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(1).isa(isa));
        let compiled = compile(graph, &Bindings::new(), &CpuBackend, &options).expect("the graph compiles");
        let mut program = Program { executable: compiled.executable, operands };
        program.run();
        program
    }

    /// Runs the program.
    ///
    /// # Panics
    ///
    /// If the operands do not fit the graph.
    pub fn run(&mut self) {
        let bytes: Vec<&[u8]> = self.operands.iter().map(Literal::bytes).collect();
        self.executable.run_on_host(&bytes).expect("the operands fit");
    }
}

/// A program with numbers for all inputs of the graph.
///
/// # Panics
///
/// As [`Program::new`] does.
pub fn on_numbers(isa: Isa, graph: &Graph) -> Program {
    let operands = graph.inputs().map(|node| numbers(node.shape())).collect();
    Program::new(isa, graph, operands)
}

/// Numbers from 0.1 to 2.0 in this shape, the same each time. They are positive, so that their roots exist.
///
/// # Panics
///
/// If the shape has symbolic dimensions.
pub fn numbers(shape: &Shape) -> Literal {
    filled(shape, |i| Scalar::Float((i % 20 + 1) as f64 / 10.0))
}

/// Unsorted, repeating indices below `end`, the same each time.
///
/// # Panics
///
/// If the shape has symbolic dimensions.
pub fn indices(dims: &[usize], end: usize) -> Literal {
    filled(&Shape::new(dims, DType::I32), |i| Scalar::Int((i * 7919 % end / 2) as i128))
}

fn filled(shape: &Shape, element: impl Fn(usize) -> Scalar) -> Literal {
    let mut bytes = Vec::new();
    for i in 0..shape.num_elements().expect("a static shape") {
        element(i).write(shape.dtype(), &mut bytes);
    }
    Literal::from_bytes(shape, &bytes).expect("as many bytes as elements")
}

/// Defines the program of a family of benchmarks. For each name, it takes a function that prepares a `$prepared` for an
/// instruction set. Only `run` is counted, once with the baseline and once with AVX2, since Valgrind supports neither
/// AVX-512 nor AMX.
// The functions belong to the family that calls the macro, so `crate` is intended.
#[allow(clippy::crate_in_macro_def)]
#[macro_export]
macro_rules! counted {
    ($prepared:ident: $($name:ident),+ $(,)?) => {
        mod counted {
            use super::$prepared;
            use gungraun::prelude::*;
            use $crate::Isa;

            $(
                #[library_benchmark(setup = crate::$name)]
                #[bench::baseline(Isa::Baseline)]
                #[bench::avx2(Isa::Avx2)]
                fn $name(mut prepared: $prepared) -> $prepared {
                    prepared.run();
                    prepared
                }
            )+

            library_benchmark_group!(name = kernels, benchmarks = [$($name),+]);
        }

        use counted::kernels;
        use gungraun::main;

        main!(
            // Caches are not modeled: that takes time, and only instructions are compared.
            config = gungraun::LibraryBenchmarkConfig::default()
                .tool(gungraun::Callgrind::with_args(["--cache-sim=no"])),
            library_benchmark_groups = kernels
        );
    };
}
