//! Shared by the kernel tests: runs programs through the real pipeline and compares their results with the evaluator's.

#![allow(dead_code)]

use rlx_compile::{CompileOptions, Param};
use rlx_cpu::isa::Isa;
use rlx_cpu::{CpuBackend, CpuOptions};
use rlx_exec::compile;
use rlx_ir::eval::Scalar;
use rlx_ir::math::Complex64;
pub use rlx_ir::math::random::SplitMix64;
use rlx_ir::{Bindings, Builder, DType, Graph, Literal, Op, Shape, TransposeOp};
use std::sync::Arc;

/// How much a float may differ from the evaluator's.
#[derive(Clone, Copy, Debug)]
pub enum Tolerance {
    /// The same bits, except for which NaN it is.
    Exact,
    /// At most this many neighboring values of its own type apart.
    Ulps(u64),
    /// |difference| ≤ absolute + relative · |expected|.
    Close { absolute: f64, relative: f64 },
}

/// Returns whether operands of these sizes are also tested under Miri, which runs some of the tests and is a thousand times slower.
pub fn is_quick(dims: &[usize]) -> bool {
    !cfg!(miri) || (10..=40).contains(&dims.iter().product::<usize>())
}

/// One in this many element types is tested. Miri has no time for all of them, and for it they differ only in width.
pub const EACH: usize = if cfg!(miri) { 10 } else { 1 };

/// Returns a literal whose elements are a function of the linear index.
pub fn literal(dims: &[usize], dtype: DType, mut f: impl FnMut(usize) -> Scalar) -> Literal {
    let n: usize = dims.iter().product();
    let mut bytes = Vec::with_capacity(n * dtype.size());
    (0..n).for_each(|i| f(i).write(dtype, &mut bytes));
    Literal::from_bytes(&Shape::new(dims, dtype), &bytes).unwrap()
}

/// Returns ordinary numbers: floats in −4..4, or small integers.
pub fn ordinary(dims: &[usize], dtype: DType, random: &mut SplitMix64) -> Literal {
    literal(dims, dtype, |_| match () {
        () if dtype.is_complex() => {
            let z = Complex64::new(random.unit() * 8.0 - 4.0, random.unit() * 8.0 - 4.0);
            Scalar::Complex(z)
        }
        () if dtype.is_float() => Scalar::Float(random.unit() * 8.0 - 4.0),
        () => Scalar::Int((random.bits() % 19) as i128 - 9),
    })
}

/// Returns Hermitian matrices whose diagonals make them positive definite.
pub fn definite(dims: &[usize], dtype: DType, random: &mut SplitMix64) -> Literal {
    let n = dims[dims.len() - 1];
    let numbers: Vec<Complex64> =
        (0..n * n).map(|_| Complex64::new(random.unit() - 0.5, random.unit() - 0.5)).collect();
    literal(dims, dtype, |k| {
        let (i, j) = (k / n % n, k % n);
        let pair = numbers[i * n + j] + numbers[j * n + i].conj();
        let z = if i == j { Complex64::new(n as f64 + 1.0 + (k / (n * n)) as f64, 0.0) } else { pair };
        if dtype.is_complex() { Scalar::Complex(z) } else { Scalar::Float(z.re) }
    })
}

/// Returns form number `which` of the twelve forms of a triangular system.
pub fn triangular_system(which: usize, unit_diagonal: bool) -> (Op, bool) {
    let left_side = which.is_multiple_of(2);
    let op = Op::TriangularSolve {
        left_side,
        lower: (which / 2).is_multiple_of(2),
        unit_diagonal,
        transpose: [TransposeOp::None, TransposeOp::Transpose, TransposeOp::Adjoint][which % 3],
    };
    (op, left_side)
}

/// Returns numbers in which every bit pattern is possible and edge cases are frequent.
pub fn wild(dims: &[usize], dtype: DType, random: &mut SplitMix64) -> Literal {
    let n: usize = dims.iter().product();
    let mut bytes = Vec::with_capacity(n * dtype.size());
    for _ in 0..n {
        match random.below(4) {
            0 if dtype != DType::Bool => {
                for _ in 0..dtype.size() / dtype.real().size() {
                    let word = random.bits().to_le_bytes();
                    bytes.extend(&word[..dtype.real().size()]);
                }
            }
            1 => edge(dtype, random).write(dtype, &mut bytes),
            _ => ordinary(&[], dtype, random).bytes().iter().for_each(|&b| bytes.push(b)),
        }
    }
    Literal::from_bytes(&Shape::new(dims, dtype), &bytes).unwrap()
}

fn edge(dtype: DType, random: &mut SplitMix64) -> Scalar {
    const FLOATS: [f64; 24] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        88.0,
        -104.0,
        710.0,
        1e-40,
        -1e-40,
        1e-310,
        65504.0,
        65520.0,
        448.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        3.3895e38,
        16777217.0,
        -1e9,
    ];
    let mut float = || FLOATS[random.below(FLOATS.len())];
    if dtype.is_complex() {
        return Scalar::Complex(Complex64::new(float(), float()));
    }
    if dtype.is_float() {
        return Scalar::Float(float());
    }
    let (low, high) = dtype.int_range().unwrap_or((0, 1));
    let list = [low, low + 1, 0, 1, high - 1, high, i128::from(dtype.bits()), i128::from(dtype.bits()) - 1];
    Scalar::Int(list[random.below(list.len())])
}

/// Returns the ways in which a program is compiled: with and without fusion, on one thread and on two, and with plainer instructions.
pub fn ways() -> Vec<CompileOptions> {
    let mut list = Vec::new();
    for fuse in [false, true] {
        for threads in [1, 2] {
            // Small operands must be divided too.
            let cpu = CpuOptions::new().num_threads(threads).split_always(threads > 1);
            list.push(CompileOptions { fuse, ..CompileOptions::new().with_backend(cpu) });
        }
    }
    for isa in Isa::available().filter(|&isa| isa != Isa::detect()) {
        list.push(CompileOptions::new().with_backend(CpuOptions::new().num_threads(1).isa(isa)));
    }
    list
}

/// Returns the instruction set that the options request.
pub fn isa_of(options: &CompileOptions) -> Option<Isa> {
    options.backend.get::<CpuOptions>().and_then(|cpu| cpu.isa)
}

/// Runs a graph on the CPU. Values are those of inputs and parameters, by name.
pub fn run(graph: &Graph, values: &[(&str, &Literal)], options: &CompileOptions) -> Vec<Literal> {
    let find = |node: &rlx_ir::Node| values.iter().find(|v| Some(v.0) == node.name()).map(|v| v.1).unwrap();
    let mut executable = compile(graph, &Bindings::new(), &CpuBackend, options).unwrap().executable;
    for (i, node) in graph.params().enumerate() {
        executable.set_param(i, Param::new(Arc::new(find(node).clone())));
    }
    let inputs: Vec<Literal> = graph.inputs().map(|n| find(n).clone()).collect();
    let bytes: Vec<&[u8]> = inputs.iter().map(Literal::bytes).collect();
    executable.run_on_host(&bytes).unwrap();
    let first: Vec<Vec<u8>> =
        (0..graph.outputs().len()).map(|i| executable.output(i).unwrap().to_vec()).collect();
    // A second run finds the arena in the state in which the first left it.
    executable.run_on_host(&bytes).unwrap();
    for (i, bytes) in first.iter().enumerate() {
        assert!(executable.output(i).unwrap() == bytes, "the second run differs\n{graph}");
    }
    let shapes = graph.output_shapes();
    shapes.iter().zip(&first).map(|(s, b)| Literal::from_bytes(s, b).unwrap()).collect()
}

/// Runs a graph in every way and compares the results with the evaluator's. Results must not depend on the number of threads.
pub fn check(graph: &Graph, values: &[(&str, &Literal)], tolerance: Tolerance) {
    let expected = rlx_ir::eval(graph, values).unwrap();
    let mut by_fusion: Vec<((bool, Option<Isa>), Vec<Literal>)> = Vec::new();
    for options in ways() {
        let got = run(graph, values, &options);
        for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
            if let Err(message) = compare(got, expected, tolerance) {
                let way = format!("fuse {}, {:?}", options.fuse, options.backend);
                panic!(
                    "output {i}, {way}: {message}\n{graph}\noperands {:?}",
                    values.iter().map(|v| v.1.shape().to_string()).collect::<Vec<_>>()
                );
            }
        }
        let way = (options.fuse, isa_of(&options));
        match by_fusion.iter().find(|b| b.0 == way) {
            Some((_, other)) => {
                assert!(*other == got, "the result depends on the number of threads\n{graph}")
            }
            None => by_fusion.push((way, got)),
        }
    }
}

/// Finds the first element that differs too much.
pub fn compare(got: &Literal, expected: &Literal, tolerance: Tolerance) -> Result<(), String> {
    assert_eq!(got.shape(), expected.shape());
    let (dtype, size) = (got.dtype(), got.dtype().size());
    let pairs = got.bytes().chunks_exact(size).zip(expected.bytes().chunks_exact(size));
    for (i, (g, e)) in pairs.enumerate() {
        if g == e {
            continue;
        }
        let (a, b) = (Scalar::read(dtype, g), Scalar::read(dtype, e));
        let fits = match (a, b) {
            (Scalar::Float(a), Scalar::Float(b)) => near(a, b, dtype, tolerance),
            (Scalar::Complex(a), Scalar::Complex(b)) => {
                near(a.re, b.re, dtype.real(), tolerance) && near(a.im, b.im, dtype.real(), tolerance)
            }
            _ => false,
        };
        if !fits {
            return Err(format!("element {i} of {} is {a:?}, expected {b:?}", got.shape()));
        }
    }
    Ok(())
}

fn near(a: f64, b: f64, dtype: DType, tolerance: Tolerance) -> bool {
    if a.is_nan() || b.is_nan() {
        return a.is_nan() && b.is_nan();
    }
    match tolerance {
        Tolerance::Exact => a.to_bits() == b.to_bits(),
        Tolerance::Ulps(ulps) => ordered(a, dtype).abs_diff(ordered(b, dtype)) <= ulps,
        Tolerance::Close { absolute, relative } => a == b || (a - b).abs() <= absolute + relative * b.abs(),
    }
}

/// Returns a number that grows by one from each value of the type to the next.
fn ordered(x: f64, dtype: DType) -> i64 {
    let mut bytes = Vec::new();
    Scalar::Float(x.abs()).write(dtype, &mut bytes);
    let magnitude = bytes.iter().rev().fold(0i64, |word, &byte| word << 8 | i64::from(byte));
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

/// Compares one op on these operands with the evaluator, bit for bit.
pub fn check_node(op: Op, operands: &[Literal]) {
    check_node_within(op, operands, Tolerance::Exact);
}

/// Compares one op on these operands with the evaluator.
pub fn check_node_within(op: Op, operands: &[Literal], tolerance: Tolerance) {
    let b = Builder::new(op.mnemonic());
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let inputs: Vec<_> = names.iter().zip(operands).map(|(n, x)| b.input(n, x.shape().clone())).collect();
    let outputs = b.apply_many(op, &inputs.iter().collect::<Vec<_>>());
    let graph = b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap();
    let values: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(operands).collect();
    check(&graph, &values, tolerance);
}

/// The CPU backend on this many threads. If there are several, even the smallest work is divided among them.
pub struct OnThreads(pub usize);

impl rlx_conformance::Target for OnThreads {
    fn name(&self) -> &str {
        if self.0 == 1 { "one thread" } else { "several threads" }
    }

    fn run(
        &self,
        graph: &Graph,
        inputs: &[(&str, &Literal)],
    ) -> Result<Vec<Literal>, rlx_conformance::TargetError> {
        let threads = CpuOptions::new().num_threads(self.0).split_always(self.0 > 1);
        Ok(run(graph, inputs, &CompileOptions::new().with_backend(threads)))
    }
}
