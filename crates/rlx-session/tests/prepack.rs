//! Packing before the first run: what is packed, how often, for which sizes, and which bytes are then released.
#![cfg(feature = "cpu")]

use rlx_compile::{BackendError, CompileOptions, PrecisionPolicy};
use rlx_cpu::custom::{
    CpuKernel, KernelContext, Packed, Packing, PreparedKernel, Threads, register_cpu_kernel,
};
use rlx_driver::Device;
use rlx_ir::{
    Builder, CustomOp, DType, Dim, Graph, Literal, Op, OpError, ScanOperands, Shape, Tensor, register_custom,
};
use rlx_session::{CompiledGraph, CpuOptions, ParamBytes, Session};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const K: usize = 6;
const N: usize = 4;

/// How often each config was packed.
static PACKED: Mutex<Option<HashMap<String, usize>>> = Mutex::new(None);

fn packed(config: &str) -> usize {
    PACKED.lock().unwrap().get_or_insert_default().get(config).copied().unwrap_or(0)
}

/// Multiplies x f32 `[m, K]` by w i8 `[K, N]` with an f32 scale per column. Its kernel only reads what it packed from weights and scales.
struct Scaled;

struct PreparedScaled {
    config: String,
    m: usize,
}

impl CustomOp for Scaled {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok(vec![Shape::from_dims(&[operands[0].dims()[0].clone(), Dim::Static(N)], DType::F32)])
    }
    fn eval(&self, _: &str, _: &[Literal]) -> Result<Vec<Literal>, OpError> {
        Err(OpError::Eval("the CPU has a kernel".into()))
    }
}

impl CpuKernel for Scaled {
    fn prepare(
        &self,
        config: &str,
        operands: &[Shape],
        _: &[Shape],
        _: usize,
    ) -> Result<Box<dyn PreparedKernel>, BackendError> {
        Ok(Box::new(PreparedScaled { config: config.into(), m: operands[0].static_dims().unwrap()[0] }))
    }
}

impl PreparedKernel for PreparedScaled {
    fn packings(&self) -> Vec<Packing> {
        let replaces = !self.config.contains("stay");
        let weights = Packing { operands: vec![1, 2], key: 1, replaces };
        match &*self.config {
            "few rows" if self.m > 3 => Vec::new(),
            "outside" => vec![Packing { operands: vec![1, 3], ..weights }],
            // The second packing has an operand that the first one also has.
            _ => vec![weights, Packing { operands: vec![2], key: 2, replaces }],
        }
    }

    fn pack(&self, index: usize, operands: &[&[u8]], threads: Threads<'_>) -> Option<Packed> {
        assert!(threads.count() > 0);
        *PACKED.lock().unwrap().get_or_insert_default().entry(self.config.clone()).or_default() += 1;
        let (&[weights, scales], 0) = (operands, index) else {
            let &[scales] = operands else { panic!("{} operands of packing {index}", operands.len()) };
            let sum: f32 = bytemuck::cast_slice::<u8, f32>(scales).iter().sum();
            return (!self.config.contains("unable")).then(|| Arc::new(sum) as Packed);
        };
        let (weights, scales): (&[i8], &[f32]) =
            (bytemuck::cast_slice(weights), bytemuck::cast_slice(scales));
        let wide: Vec<f32> = weights.iter().enumerate().map(|(i, &w)| f32::from(w) * scales[i % N]).collect();
        Some(Arc::new(wide))
    }

    fn run(&self, mut cx: KernelContext<'_>) -> Result<(), String> {
        let x: &[f32] = cx.operands.elements(0)?;
        assert!(cx.packed.get::<u8>(0).is_none() && cx.packed.get::<f32>(7).is_none());
        if self.packings().is_empty() {
            assert!(cx.packed.get::<Vec<f32>>(0).is_none());
            cx.results.elements::<f32>(0)?.fill(cx.operands.elements::<f32>(2)?[0]);
            return Ok(());
        }
        let wide = cx.packed.get::<Vec<f32>>(0).ok_or("the weights are not packed")?;
        if !self.config.contains("unable") {
            let sum: f32 = cx.operands.elements::<f32>(2)?.iter().sum();
            assert_eq!(cx.packed.get::<f32>(1), Some(&sum));
        }
        let y: &mut [f32] = cx.results.elements(0)?;
        for i in 0..self.m {
            for j in 0..N {
                y[i * N + j] = (0..K).map(|k| x[i * K + k] * wide[k * N + j]).sum();
            }
        }
        Ok(())
    }
}

fn scaled(x: &Tensor, w: &Tensor, s: &Tensor, config: &str) -> Tensor {
    // Another test may have been first.
    let _ = register_custom("prepack_scaled", Arc::new(Scaled));
    let _ = register_cpu_kernel("prepack_scaled", Arc::new(Scaled));
    let results = Scaled.infer(config, &[x.shape()]).unwrap();
    let op = Op::Custom { name: "prepack_scaled".into(), config: config.into(), results };
    x.builder().apply_many(op, &[x, w, s]).remove(0)
}

/// Returns a graph with `m` rows, which may be a symbol.
fn scaled_graph(config: &str) -> Graph {
    let b = Builder::new("scaled");
    let x = b.input("x", Shape::from_dims(&[Dim::dynamic("m"), Dim::Static(K)], DType::F32));
    let w = b.param("w", Shape::new(&[K, N], DType::I8));
    let s = b.param("s", Shape::new(&[N], DType::F32));
    b.finish(&[&scaled(&x, &w, &s, config)]).unwrap()
}

fn compiled(graph: Graph, threads: usize) -> CompiledGraph {
    let options =
        CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads).split_always(true));
    Session::new(Device::Cpu).with_options(options).try_compile(graph).unwrap()
}

fn weights(first: i8) -> Vec<u8> {
    (0..K * N).map(|i| first.wrapping_add(i as i8) as u8).collect()
}

fn numbers(count: usize, step: f32) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * step).sin()).collect()
}

fn set(program: &mut CompiledGraph, first: i8, scale: f32) {
    program.set_param_typed("w", &weights(first), DType::I8).unwrap();
    program.try_set_param("s", &[scale; N]).unwrap();
}

fn expected(x: &[f32], first: i8, scale: f32) -> Vec<f32> {
    let wide: Vec<f32> = weights(first).iter().map(|&w| f32::from(w as i8) * scale).collect();
    let one = |i: usize| (0..K).map(|k| x[i / N * K + k] * wide[k * N + i % N]).sum();
    (0..x.len() / K * N).map(one).collect()
}

#[test]
fn a_packing_of_several_operands_is_made_once_for_all_sizes_and_clones() {
    let mut program = compiled(scaled_graph("once"), 2);
    set(&mut program, 3, 0.5);
    let early = program.clone();
    program.bind_dims(&[("m", 2)]).unwrap();
    program.try_prepack().unwrap();
    assert_eq!(packed("once"), 2, "one of weights and scales, one of scales");
    program.try_prepack().unwrap();
    program.bind_dims(&[]).unwrap();
    for mut instance in [program.clone(), early, program] {
        for m in [1, 2, 5] {
            let x = numbers(m * K, 0.7);
            assert_eq!(instance.try_run(&[("x", &x)]).unwrap(), [expected(&x, 3, 0.5)]);
        }
        instance.try_prepack().unwrap();
    }
    assert_eq!(packed("once"), 2);
}

#[test]
fn what_is_not_within_the_limit_is_not_packed() {
    // 64 bytes are planned for a row of results; weights and scales have 40 bytes, and scales alone 16.
    for (config, limit, made) in
        [("limit: none", 64, 0), ("limit: one", 64 + 20, 1), ("limit: both", 64 + 56, 2)]
    {
        let options = CompileOptions::new().memory_limit(limit);
        let session = Session::new(Device::Cpu).with_options(options);
        let mut program = session.try_compile(scaled_graph(config)).unwrap();
        set(&mut program, 3, 0.5);
        program.bind_dims(&[("m", 1)]).unwrap();
        program.try_prepack().unwrap();
        assert_eq!(packed(config), made, "{config}");
    }
}

#[test]
fn instances_that_run_at_once_wait_for_what_another_packs() {
    let mut program = compiled(scaled_graph("at once"), 3);
    set(&mut program, 1, 2.0);
    let x = numbers(3 * K, 0.3);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            let (mut instance, x) = (program.clone(), &x);
            scope.spawn(move || {
                assert_eq!(instance.try_run(&[("x", x)]).unwrap(), [expected(x, 1, 2.0)]);
            });
        }
    });
    assert_eq!(packed("at once"), 2);
}

#[test]
fn a_parameter_that_is_set_again_is_packed_again() {
    let mut program = compiled(scaled_graph("again"), 2);
    program.bind_dims(&[("m", 1)]).unwrap();
    program.try_prepack().unwrap();
    assert_eq!(packed("again"), 0, "nothing is set");
    program.try_set_param("s", &[0.5; N]).unwrap();
    program.try_prepack().unwrap();
    assert_eq!(packed("again"), 1, "the weights are not set");
    set(&mut program, 3, 0.5);
    program.try_prepack().unwrap();
    assert_eq!(packed("again"), 3);
    let mut old = program.clone();
    program.set_param_typed("w", &weights(-7), DType::I8).unwrap();
    program.try_prepack().unwrap();
    assert_eq!(packed("again"), 4, "the sum of the scales is as before");
    let x = numbers(K, 0.9);
    assert_eq!(program.try_run(&[("x", &x)]).unwrap(), [expected(&x, -7, 0.5)]);
    assert_eq!(old.try_run(&[("x", &x)]).unwrap(), [expected(&x, 3, 0.5)]);
    assert_eq!(packed("again"), 4);
}

#[test]
fn what_cannot_be_packed_is_an_error_that_says_why() {
    let mut program = compiled(scaled_graph("error"), 1);
    set(&mut program, 0, 1.0);
    let error = program.try_prepack().unwrap_err().to_string();
    assert!(error.contains('m'), "{error}");
    let error = compiled(scaled_graph("outside"), 1).bind_dims(&[("m", 1)]).unwrap_err().to_string();
    assert!(error.contains("operand 3") && error.contains("has only 3"), "{error}");

    let b = Builder::new("sum");
    let shape = Shape::from_dims(&[Dim::dynamic("n")], DType::F32);
    let y = &b.input("x", shape.clone()) + &b.param("w", shape);
    let mut program = compiled(b.finish(&[&y]).unwrap(), 1);
    program.try_set_param("w", &[1.0; 3]).unwrap();
    program.bind_dims(&[("n", 4)]).unwrap();
    let error = program.try_prepack().unwrap_err().to_string();
    assert!(error.contains("`w`"), "{error}");
}

/// Returns the results of a stack of layers, the last of which has more than half of all weights.
fn layers(policy: PrecisionPolicy, threads: usize, prepack: bool) -> Vec<f32> {
    const SIZES: [usize; 5] = [33, 70, 41, 64, 301];
    let b = Builder::new("layers");
    let mut y = b.input("x", Shape::new(&[5, SIZES[0]], DType::F32));
    for (i, size) in SIZES.windows(2).enumerate() {
        y = y.matmul(&b.param(format!("w{i}"), Shape::new(size, DType::F32))).tanh();
    }
    let cpu = CpuOptions::new().num_threads(threads).split_always(true);
    let options = CompileOptions::new().precision(policy).with_backend(cpu);
    let session = Session::new(Device::Cpu).with_options(options);
    let mut program = session.try_compile(b.finish(&[&y]).unwrap()).unwrap();
    for (i, size) in SIZES.windows(2).enumerate() {
        program.try_set_param(&format!("w{i}"), &numbers(size[0] * size[1], 0.37 + i as f32)).unwrap();
    }
    if prepack {
        program.try_prepack().unwrap();
    }
    program.try_run(&[("x", &numbers(5 * SIZES[0], 0.7))]).unwrap().remove(0)
}

#[test]
fn packing_on_several_threads_gives_the_same_bits() {
    for policy in [PrecisionPolicy::Declared, PrecisionPolicy::WeightsF16, PrecisionPolicy::WeightsBF16] {
        let one = layers(policy, 1, false);
        for threads in [1, 2, 4] {
            assert_eq!(layers(policy, threads, true), one);
            assert_eq!(layers(policy, threads, false), one);
        }
    }
}

/// Counts how often its bytes are released.
struct Counted(Vec<f32>, AtomicUsize);

impl ParamBytes for Counted {
    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
    fn release(&self) {
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

impl Counted {
    fn set(program: &mut CompiledGraph, name: &str, count: usize) -> Arc<Counted> {
        let counted = Arc::new(Counted(numbers(count, 0.3), AtomicUsize::new(0)));
        program.set_param_shared(name, counted.clone()).unwrap();
        counted
    }
    fn released(&self) -> usize {
        self.1.load(Ordering::Relaxed)
    }
}

/// Returns how often the parameter `w` `[8, 8]` of a graph on x `[8, 8]` is released by two calls of `prepack` and two runs.
fn releases(build: impl FnOnce(&Tensor, &Tensor) -> Tensor) -> usize {
    let (b, shape) = (Builder::new("releases"), Shape::new(&[8, 8], DType::F32));
    let (x, w) = (b.input("x", shape.clone()), b.param("w", shape));
    let mut program = compiled(b.finish(&[&build(&x, &w)]).unwrap(), 2);
    let w = Counted::set(&mut program, "w", 64);
    program.try_prepack().unwrap();
    program.try_prepack().unwrap();
    let x = numbers(64, 0.9);
    program.try_run(&[("x", &x)]).unwrap();
    program.clone().try_run(&[("x", &x)]).unwrap();
    assert_eq!(program.param("w").unwrap().unwrap().len(), 256);
    w.released()
}

#[test]
fn only_parameters_that_nothing_reads_are_released() {
    assert_eq!(releases(|x, w| x.matmul(w)), 1);
    assert_eq!(releases(|x, w| x.matmul(w).tanh().matmul(w)), 1, "two products share what is packed");
    assert_eq!(releases(|x, w| x.matmul(w).matmul(&w.transpose(&[1, 0]))), 2, "each form reads the bytes");
    assert_eq!(releases(|x, w| &x.matmul(w) + w), 0);
    assert_eq!(releases(|x, w| w.matmul(w).matmul(x)), 0, "it is on the left as well");
    let scan = |x: &Tensor, w: &Tensor, in_body: fn(&Tensor, &Tensor) -> Tensor| {
        let operands = ScanOperands {
            consts: std::slice::from_ref(w),
            carry: std::slice::from_ref(x),
            ..Default::default()
        };
        x.builder().scan(operands, 3, false, &|_, t| vec![in_body(&t[1], &t[0])]).remove(0)
    };
    assert_eq!(releases(|x, w| scan(x, w, |x, w| x.matmul(w))), 1);
    assert_eq!(releases(|x, w| scan(x, w, |x, w| &x.matmul(w) + w)), 0);
    assert_eq!(releases(|x, w| scan(x, w, |x, w| x.matmul(w)).matmul(w)), 1);
    assert_eq!(releases(|x, w| &scan(x, w, |x, w| x.matmul(w)) + w), 0);
    let carried = |x: &Tensor, w: &Tensor| {
        let carry = [x.clone(), w.clone()];
        let operands = ScanOperands { carry: &carry, ..Default::default() };
        x.builder().scan(operands, 3, false, &|_, t| vec![t[0].matmul(&t[1]), t[1].clone()])
    };
    assert_eq!(releases(|x, w| carried(x, w).remove(0)), 0, "the loop copies what it carries to its results");
}

#[test]
fn a_kernel_says_whether_its_packing_replaces_the_operands() {
    for (config, expected) in [("replace", [2, 1]), ("stay", [0, 0]), ("unable", [1, 1])] {
        let mut program = compiled(scaled_graph(config), 2);
        program.set_param_typed("w", &weights(1), DType::I8).unwrap();
        let scales = Counted::set(&mut program, "s", N);
        program.bind_dims(&[("m", 1)]).unwrap();
        program.try_prepack().unwrap();
        let first = scales.released();
        // With other weights, the packing of both reads the scales again.
        program.set_param_typed("w", &weights(2), DType::I8).unwrap();
        program.try_prepack().unwrap();
        assert_eq!([first, scales.released() - first], expected, "{config}");
        assert!(program.try_run(&[("x", &[1.0; K])]).is_ok());
    }
}

/// If a program reads a parameter as it is, the parameter also stays in memory for programs of other sizes.
#[test]
fn what_one_size_reads_is_not_released_by_another() {
    let mut program = compiled(scaled_graph("few rows"), 2);
    let scales = Counted::set(&mut program, "s", N);
    let mut prepacked = |m: usize| {
        program.set_param_typed("w", &weights(m as i8), DType::I8).unwrap();
        program.bind_dims(&[("m", m)]).unwrap();
        program.try_prepack().unwrap();
        assert!(program.try_run(&[("x", &numbers(m * K, 0.7))]).is_ok());
        scales.released()
    };
    assert_eq!([1, 2, 5, 3].map(&mut prepacked), [2, 3, 3, 3]);
}

#[test]
fn a_constant_is_packed_once_for_all_sizes() {
    let b = Builder::new("constant");
    let x = b.input("x", Shape::from_dims(&[Dim::dynamic("m"), Dim::Static(K)], DType::F32));
    let w = b.constant(Literal::from_bytes(&Shape::new(&[K, N], DType::I8), &weights(5)).unwrap());
    let s = b.constant(Literal::new(&[N], &[0.25f32; N]).unwrap());
    let mut program = compiled(b.finish(&[&scaled(&x, &w, &s, "constant")]).unwrap(), 2);
    for m in [1, 4, 2] {
        let x = numbers(m * K, 0.7);
        assert_eq!(program.try_run(&[("x", &x)]).unwrap(), [expected(&x, 5, 0.25)]);
    }
    assert_eq!(packed("constant"), 2);
}

/// Returns bytes as f32 numbers.
fn as_floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&four| f32::from_ne_bytes(four)).collect()
}

/// Returns the bits of the results of three runs, and how often the weights were released before the second and before the third run.
fn runs_with_weights(
    w: &Shape,
    bytes: &[u8],
    product: impl FnOnce(&Tensor, &Tensor) -> Tensor,
) -> [usize; 2] {
    let b = Builder::new("waits");
    let x = b.input("x", Shape::new(&[7, 64], DType::F32));
    let y = product(&x, &b.param("w", w.clone()));
    let mut program = compiled(b.finish(&[&y]).unwrap(), 2);
    let weights = Arc::new(Counted(as_floats(bytes), AtomicUsize::new(0)));
    program.set_param_shared("w", weights.clone()).unwrap();
    let x = numbers(7 * 64, 0.9);
    let first = program.try_run(&[("x", &x)]).unwrap();
    let before_second = weights.released();
    // A run of one instance counts for the others too.
    let mut second = program.clone();
    assert_eq!(second.try_run(&[("x", &x)]).unwrap(), first);
    let before_third = weights.released();
    assert_eq!(program.try_run(&[("x", &x)]).unwrap(), first);
    assert_eq!(weights.released(), before_third);
    [before_second, before_third]
}

#[test]
fn weights_that_are_read_where_they_lie_as_fast_are_packed_by_the_second_run() {
    let values = numbers(64 * 40, 0.37);
    let halves: Vec<half::f16> = values.iter().map(|&x| half::f16::from_f32(x)).collect();
    let shape = Shape::new(&[40, 64], DType::F16);
    let released = runs_with_weights(&shape, bytemuck::cast_slice(&halves), |x, w| {
        x.matmul(&w.convert(DType::F32).transpose(&[1, 0]))
    });
    assert_eq!(released, [0, 2], "before it is packed, for the first run has read it, and behind it");
    let scheme = rlx_ir::QuantScheme::Q8_0;
    let blocks = scheme.quantize(&values, None).unwrap();
    let shape = Shape::new(&[40, blocks.len() / 40], DType::U8);
    let released = runs_with_weights(&shape, &blocks, |x, w| x.rounded_dequant_matmul(w, scheme));
    assert_eq!(released, [0, 2], "before it is packed, for the first run has read it, and behind it");
    // Others are packed before they run.
    let shape = Shape::new(&[64, 40], DType::F32);
    let released = runs_with_weights(&shape, bytemuck::cast_slice(&values), |x, w| x.matmul(w));
    assert_eq!(released, [1, 1]);
}
