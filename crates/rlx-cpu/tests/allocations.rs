//! A steady-state run allocates nothing on the heap (CPU-2), and windows use no memory that grows with the number of elements that they
//! see.

mod harness;

use harness::{SplitMix64, literal, ordinary};
use rlx_compile::{CompileOptions, Param};
use rlx_conformance::{Case, cases};
use rlx_cpu::{CpuBackend, CpuOptions};
use rlx_exec::{Arguments, Value, compile};
use rlx_ir::eval::Scalar;
use rlx_ir::{
    AttentionOptions, Bindings, Builder, ConvolutionSpec, DType, Graph, Literal, Op, ReduceOp, ScanOperands,
    Shape, SubGraph, Tensor, UndilatedWindow, WindowSpec,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Ops whose kernels still allocate. Entries that are no longer true must be removed.
const ALLOCATING: &[&str] = &["custom"];

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
/// Bytes that are allocated now, and the maximum so far.
static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn hold(bytes: usize) {
    MOST.fetch_max(HELD.fetch_add(bytes, Ordering::Relaxed) + bytes, Ordering::Relaxed);
}

// SAFETY: this is the system's allocator with counters.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        hold(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        hold(size);
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the minimum number of allocations of a run after the first two: other threads that start or end sometimes allocate, but not in
/// every run. Fails if the graph does not compile or run.
fn allocations(graph: &Graph, values: &[&[u8]], threads: usize) -> Result<usize, String> {
    let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(threads));
    let compiled = compile(graph, &Bindings::new(), &CpuBackend, &options).map_err(|e| e.to_string())?;
    let mut executable = compiled.executable;
    for (index, node) in graph.params().enumerate() {
        let dims = node.shape().static_dims().unwrap_or_default();
        let value = ordinary(&dims, node.shape().dtype(), &mut SplitMix64::new(3));
        executable.set_param(index, Param::new(Arc::new(value)));
    }
    executable.prepack().map_err(|e| e.to_string())?;
    let inputs: Vec<Value<'_>> = values.iter().map(|bytes| Value::Host(bytes)).collect();
    let mut run = || {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let arguments = Arguments { inputs: &inputs, state: &mut [], outputs: &mut [] };
        executable.run(arguments).map_err(|e| e.to_string())?;
        Ok::<_, String>(ALLOCATIONS.load(Ordering::Relaxed) - before)
    };
    run()?;
    run()?;
    let mut fewest = usize::MAX;
    for _ in 0..5 {
        fewest = fewest.min(run()?);
        if fewest == 0 {
            break;
        }
    }
    Ok(fewest)
}

fn check(name: &str, values: &[Literal], build: impl Fn(&Builder, &[Tensor]) -> Vec<Tensor>) {
    let b = Builder::new(name);
    let inputs = values.iter().enumerate().map(|(i, v)| b.input(format!("x{i}"), v.shape().clone()));
    let inputs: Vec<Tensor> = inputs.collect();
    let outputs = build(&b, &inputs);
    let graph = b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap();
    let bytes: Vec<&[u8]> = values.iter().map(Literal::bytes).collect();
    for threads in [1, 2] {
        assert_eq!(allocations(&graph, &bytes, threads), Ok(0), "{name} on {threads} thread(s)");
    }
}

/// A handful of rows and element types of every op in the conformance table.
fn check_every_op() {
    let mut by_op: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases::all() {
        by_op.entry(case.kind().to_string()).or_default().push(case);
    }
    let mut allocating = BTreeMap::new();
    for (op, cases) in &by_op {
        for case in cases.iter().step_by(cases.len().div_ceil(6)) {
            let (graph, inputs) = (case.graph(), case.inputs());
            let bytes: Vec<&[u8]> = inputs.iter().map(|(_, literal)| literal.bytes()).collect();
            for threads in [1, 2] {
                if allocations(&graph, &bytes, threads) != Ok(0) {
                    let found = allocations(&graph, &bytes, threads);
                    allocating.insert(op.clone(), format!("{}: {found:?} on {threads} thread(s)", case.name));
                }
            }
        }
    }
    let ops: Vec<&str> = allocating.keys().map(String::as_str).collect();
    assert_eq!(ops, ALLOCATING, "{allocating:#?}");
}

/// A graph over scalars of these types.
fn scalars(types: &[DType], build: impl FnOnce(&Builder, &[Tensor]) -> Vec<Tensor>) -> SubGraph {
    let b = Builder::new("body");
    let inputs = types.iter().enumerate().map(|(i, &d)| b.input(format!("x{i}"), Shape::scalar(d)));
    let inputs: Vec<Tensor> = inputs.collect();
    let outputs = build(&b, &inputs);
    SubGraph::new(b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap())
}

/// Returns the maximum number of bytes that were allocated at the same time while `f` ran, in excess of those before.
fn most_bytes(f: impl FnOnce()) -> usize {
    let before = HELD.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    f();
    MOST.load(Ordering::Relaxed).saturating_sub(before)
}

/// Windows of thousands of elements over lines of 100,000 use a few megabytes; a table of what they see would take at least hundreds.
fn check_bytes_of_windows() {
    const N: usize = 100_000;
    let f32s = |dims: &[usize]| literal(dims, DType::F32, |i| Scalar::Float((i % 7) as f64));
    let moved = |window: usize, low: i64, high: i64, kind| Op::ReduceWindow {
        kind,
        spec: WindowSpec { low: vec![low], high: vec![high], ..WindowSpec::plain(&[window]) },
    };
    let pair = [DType::F32; 2];
    let larger = scalars(&pair, |_, x| vec![x[0].maximum(&x[1])]);
    let by_graph = Op::ReduceWindowGraph {
        body: scalars(&pair, |_, x| vec![x[0].maximum(&x[1]).abs()]),
        spec: WindowSpec { strides: vec![2], ..WindowSpec::plain(&[3000]) },
    };
    let select = Op::SelectAndScatter {
        select: scalars(&pair, |_, x| vec![x[0].greater_equal(&x[1])]),
        scatter: larger,
        spec: UndilatedWindow::new(vec![2000], vec![1000], vec![0], vec![0]),
    };
    let convolution = |feature_groups: usize| {
        let spec = ConvolutionSpec {
            low: vec![499],
            high: vec![500],
            reversal: vec![true],
            feature_groups,
            ..ConvolutionSpec::plain(1)
        };
        Op::Convolution { spec, dtype: None }
    };
    let line = || f32s(&[N]);
    let cases = [
        (moved(500, 0, 0, ReduceOp::Sum), vec![line()]),
        (moved(9000, 4000, 5000, ReduceOp::Max), vec![line()]),
        (moved(N, N as i64 - 1, 0, ReduceOp::Sum), vec![line()]),
        (moved(20, 0, 0, ReduceOp::Max), vec![line()]),
        (by_graph, vec![line(), f32s(&[])]),
        (select, vec![line(), f32s(&[(N - 2000) / 1000 + 1]), f32s(&[])]),
        (convolution(1), vec![f32s(&[1, 1, N]), f32s(&[1, 1, 1000])]),
        (convolution(1), vec![f32s(&[1, 1, N / 4]), f32s(&[3, 1, 1000])]),
        (convolution(2), vec![f32s(&[1, 2, N / 2]), f32s(&[2, 1, 1000])]),
    ];
    for (op, operands) in cases {
        let b = Builder::new(op.mnemonic());
        let inputs = operands.iter().enumerate().map(|(i, v)| b.input(format!("x{i}"), v.shape().clone()));
        let inputs: Vec<Tensor> = inputs.collect();
        let y = inputs[0].apply(op, &inputs[1..].iter().collect::<Vec<_>>());
        let graph = b.finish(&[&y]).unwrap();
        let bytes: Vec<&[u8]> = operands.iter().map(Literal::bytes).collect();
        let most = most_bytes(|| assert!(allocations(&graph, &bytes, 2).is_ok(), "{graph}"));
        assert!(most < 8 << 20, "{most} bytes\n{graph}");
    }
    // The evaluator stores numbers of its own width, and no list of what is seen.
    let x = line();
    let b = Builder::new("evaluated");
    let y = b.input("x", x.shape().clone()).apply(moved(N, 0, 3, ReduceOp::Sum), &[]);
    let graph = b.finish(&[&y]).unwrap();
    let most = most_bytes(|| assert_eq!(rlx_ir::eval(&graph, &[("x", &x)]).unwrap()[0].dims(), [4]));
    assert!(most < 4 << 20, "{most} bytes");
}

fn int(value: i128) -> Literal {
    literal(&[], DType::I32, |_| Scalar::Int(value))
}

// A single test, because allocations of others in this process would be counted too.
#[test]
fn runs_allocate_nothing() {
    check_bytes_of_windows();
    check_every_op();
    let mut random = SplitMix64::new(1);
    let x = ordinary(&[33, 65], DType::F32, &mut random);
    let w = ordinary(&[65, 65], DType::F32, &mut random);
    check("while", &[int(9), x.clone(), w.clone()], |_, t| {
        let b = t[0].builder();
        b.while_loop(t, &|b, c| vec![c[0].greater(&b.int(0, DType::I32))], &|b, c| {
            vec![&c[0] - &b.int(1, DType::I32), c[1].matmul(&c[2]).tanh(), c[2].clone()]
        })
    });
    check("scan", &[w.clone(), x.clone()], |b, t| {
        let init = b.constant(ordinary(&[1, 65], DType::F32, &mut SplitMix64::new(2)));
        let operands = ScanOperands { consts: &t[..1], carry: &[init], xs: &t[1..] };
        b.scan(operands, 33, true, &|_, t| {
            let h = (&t[1].matmul(&t[0]) + &t[2]).tanh();
            vec![h.clone(), h.softmax(1)]
        })
    });
    check("reduce_graph", std::slice::from_ref(&x), |b, t| {
        let body =
            scalars(&[DType::F32; 2], |b, x| vec![x[0].maximum(&(&x[1] * &b.scalar(0.5, DType::F32)))]);
        let init = b.scalar(-100.0, DType::F32);
        [vec![0], vec![1], vec![0, 1]]
            .into_iter()
            .map(|axes| t[0].apply(Op::ReduceGraph { body: body.clone(), axes }, &[&init]))
            .collect()
    });
    check("sort_graph", std::slice::from_ref(&x), |_, t| {
        let comparator = scalars(&[DType::F32; 2], |_, x| vec![x[0].greater(&x[1])]);
        vec![t[0].apply(Op::SortGraph { axis: 1, stable: true, comparator }, &[])]
    });
    check("packed weights", std::slice::from_ref(&x), |b, t| {
        let w = b.param("w", w.shape().clone());
        let x = t[0].matmul(&w).tanh();
        let operands = ScanOperands { consts: &[w], carry: &[x], ..ScanOperands::default() };
        b.scan(operands, 3, false, &|_, t| vec![t[1].matmul(&t[0]).tanh()])
    });
    for (queries, stored) in [(1, DType::F32), (1, DType::F16), (12, DType::BF16)] {
        let q = ordinary(&[2, 4, queries, 32], DType::F32, &mut random);
        let k = ordinary(&[2, 2, 1100, 32], stored, &mut random);
        let lengths = literal(&[2], DType::I32, |i| Scalar::Int([1030, 7][i]));
        let new = ordinary(&[2, 2, 1, 32], stored, &mut random);
        check("attention over a cache", &[q, k.clone(), k, lengths, new], |_, t| {
            let k = t[1].kv_append(&t[4], &t[3], 2);
            vec![t[0].attention_cached(&k, &t[2], &t[3], None, AttentionOptions::default())]
        });
    }
    check("case", &[int(1), x.clone()], |b, t| {
        b.case(&t[0], &t[1..], &[&|_, x| vec![x[0].clone()], &|_, x| vec![x[0].exp()]])
    });
}
