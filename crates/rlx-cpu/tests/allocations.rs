//! A steady-state run allocates nothing on the heap.

mod harness;

use harness::{Random, literal, ordinary};
use rlx_compile::{CompileOptions, compile};
use rlx_cpu::CpuBackend;
use rlx_ir::eval::Scalar;
use rlx_ir::{Bindings, Builder, DType, Literal, ScanOperands, Tensor};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator, counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Compiles, runs twice to warm up, and fails if further runs allocate.
fn check(name: &str, values: &[Literal], build: impl Fn(&Builder, &[Tensor]) -> Vec<Tensor>) {
    for threads in [1, 2] {
        let b = Builder::new(name);
        let inputs = values.iter().enumerate().map(|(i, v)| b.input(format!("x{i}"), v.shape().clone()));
        let inputs: Vec<Tensor> = inputs.collect();
        let outputs = build(&b, &inputs);
        let graph = b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap();
        let options = CompileOptions::new().num_threads(threads);
        let mut executable = compile(&graph, &Bindings::new(), &CpuBackend, &options).unwrap().executable;
        let bytes: Vec<&[u8]> = values.iter().map(Literal::bytes).collect();
        (0..2).for_each(|_| executable.run(&bytes).unwrap());
        // Threads that start or end beside us allocate now and then, but not each time.
        let fewest = (0..5).map(|_| {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            executable.run(&bytes).unwrap();
            ALLOCATIONS.load(Ordering::Relaxed) - before
        });
        assert_eq!(fewest.min(), Some(0), "{name} allocates in each run on {threads} thread(s)");
    }
}

fn int(value: i128) -> Literal {
    literal(&[], DType::I32, |_| Scalar::Int(value))
}

// One test: others in this process would be counted too.
#[test]
fn runs_allocate_nothing() {
    let mut random = Random(1);
    let x = ordinary(&[33, 65], DType::F32, &mut random);
    let w = ordinary(&[65, 65], DType::F32, &mut random);
    check("while", &[int(9), x.clone(), w.clone()], |_, t| {
        let b = t[0].builder();
        b.while_loop(t, &|b, c| vec![c[0].greater(&b.int(0, DType::I32))], &|b, c| {
            vec![&c[0] - &b.int(1, DType::I32), c[1].matmul(&c[2]).tanh(), c[2].clone()]
        })
    });
    check("scan", &[w.clone(), x.clone()], |b, t| {
        let init = b.constant(ordinary(&[1, 65], DType::F32, &mut Random(2)));
        let operands = ScanOperands { consts: &t[..1], carry: &[init], xs: &t[1..] };
        b.scan(operands, 33, true, &|_, t| {
            let h = (&t[1].matmul(&t[0]) + &t[2]).tanh();
            vec![h.clone(), h.softmax(1)]
        })
    });
    check("case", &[int(1), x.clone()], |b, t| {
        b.case(&t[0], &t[1..], &[&|_, x| vec![x[0].clone()], &|_, x| vec![x[0].exp()]])
    });
}
