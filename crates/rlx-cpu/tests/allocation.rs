//! Runs after the first allocate nothing on the heap, whichever op, on any thread.

use rlx_compile::CompileOptions;
use rlx_compile::pipeline::compile;
use rlx_conformance::{Case, cases};
use rlx_cpu::CpuBackend;
use rlx_ir::Bindings;
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Ops whose kernels still allocate. A line that is no longer true must go.
const ALLOCATING: &[&str] = &[];

/// The system's allocator, which counts what is asked of it.
struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract.
        unsafe { System.realloc(start, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of the third run of a case; `None` where the case is not one that runs.
fn allocations(case: &Case, threads: usize) -> Option<usize> {
    let (graph, inputs) = (case.graph(), case.inputs());
    let options = CompileOptions::new().num_threads(threads);
    let mut executable = compile(&graph, &Bindings::new(), &CpuBackend, &options).ok()?.executable;
    let bytes: Vec<&[u8]> = inputs.iter().map(|(_, literal)| literal.bytes()).collect();
    executable.run(&bytes).ok()?;
    executable.run(&bytes).ok()?;
    let before = COUNT.load(Ordering::Relaxed);
    executable.run(&bytes).ok()?;
    Some(COUNT.load(Ordering::Relaxed) - before)
}

#[test]
fn steady_runs_allocate_nothing() {
    let mut by_op: BTreeMap<String, Vec<Case>> = BTreeMap::new();
    for case in cases::all() {
        by_op.entry(case.kind().to_string()).or_default().push(case);
    }
    let mut found = BTreeMap::new();
    let mut ran = BTreeSet::new();
    for (op, cases) in &by_op {
        // A handful of the op's rows and types, spread over the list.
        let step = cases.len().div_ceil(6);
        for case in cases.iter().step_by(step) {
            for threads in [1, 2] {
                let Some(count) = allocations(case, threads) else { continue };
                ran.insert(op.clone());
                if count > 0 {
                    found.insert(op.clone(), format!("{}: {count} with {threads} thread(s)", case.name));
                }
            }
        }
    }
    let named: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(named, ALLOCATING, "{found:#?}");
    let idle: Vec<&String> = by_op.keys().filter(|op| !ran.contains(*op)).collect();
    assert!(idle.is_empty(), "no case of these ran: {idle:?}");
}
