//! Runs of one program with many sizes, on many threads, and without allocations.

use rlx_driver::Device;
use rlx_ir::{Builder, DType, Graph, Shape};
use rlx_session::{CompileOptions, CompiledGraph, CpuOptions, Session};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting what this thread allocates. (`rlx-cpu` counts the pool's threads.)
struct Counting;

// SAFETY: every call is forwarded to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller upholds the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: the caller upholds the contract.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns `softmax(x·w)` for any number of rows.
fn program(rows: &str) -> Graph {
    let b = Builder::new("program");
    let x = b.input("x", Shape::from_dims(&[rows.into(), 3.into()], DType::F32));
    let w = b.param("w", Shape::new(&[3, 2], DType::F32));
    b.finish(&[&x.matmul(&w).softmax(1)]).expect("valid")
}

fn compiled() -> CompiledGraph {
    let session = Session::new(Device::Cpu)
        .with_options(CompileOptions::new().with_backend(CpuOptions::new().num_threads(2)));
    let mut compiled = session.try_compile(program("rows")).expect("compiles");
    compiled.try_set_param("w", &[1.0, 0.0, 0.0, 1.0, 0.5, 0.5]).expect("fits");
    compiled
}

fn values(rows: usize) -> Vec<f32> {
    (0..rows * 3).map(|i| (i % 7) as f32 - 3.0).collect()
}

#[test]
fn many_sizes_come_and_go() {
    let mut all = compiled();
    let expected: Vec<_> = (1..=40).map(|rows| compiled().run(&[("x", &values(rows))])).collect();
    // More sizes than are kept, forward and backward.
    for rows in (1..=40).chain((1..=40).rev()) {
        assert_eq!(all.run(&[("x", &values(rows))]), expected[rows - 1], "{rows} rows");
    }
}

#[test]
fn a_new_parameter_holds_for_every_size() {
    let mut c = compiled();
    let before = [c.run(&[("x", &values(2))]), c.run(&[("x", &values(5))])];
    c.set_param("w", &[0.0, 1.0, 1.0, 0.0, 0.5, 0.5]);
    let swap = |rows: &[f32]| rows.chunks(2).flat_map(|r| [r[1], r[0]]).collect::<Vec<_>>();
    assert_eq!(c.run(&[("x", &values(2))])[0], swap(&before[0][0]));
    assert_eq!(c.run(&[("x", &values(5))])[0], swap(&before[1][0]));
}

#[test]
fn clones_on_threads_agree_and_keep_their_own_parameters() {
    let mut c = compiled();
    let expected = c.run(&[("x", &values(9))]);
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let mut clone = c.clone();
            std::thread::spawn(move || (0..50).map(|_| clone.run(&[("x", &values(9))])).collect::<Vec<_>>())
        })
        .collect();
    c.set_param("w", &[0.0; 6]);
    for worker in workers {
        assert!(worker.join().expect("no panic").iter().all(|out| *out == expected));
    }
    assert_eq!(c.run(&[("x", &values(1))]), [[0.5, 0.5]]);
}

#[test]
fn runs_in_place_allocate_nothing() {
    let mut c = compiled();
    for rows in [3, 64] {
        let x = values(rows);
        c.run_in_place(&[&x]).expect("runs");
        c.run_in_place(&[&x]).expect("runs");
        let before = COUNT.with(Cell::get);
        c.run_in_place(&[&x]).expect("runs");
        assert_eq!(COUNT.with(Cell::get), before, "{rows} rows");
        assert_eq!(c.output_bytes(0), bytemuck::cast_slice::<f32, u8>(&c.clone().run(&[("x", &x)])[0]));
    }
}

#[test]
fn what_was_found_valid_is_checked_again_when_it_changes() {
    let mut c = compiled();
    let x = values(4);
    c.run_in_place(&[&x]).expect("runs");
    assert!(c.run_in_place(&[&x[..11]]).is_err(), "eleven elements are not rows of three");
    assert!(c.run_in_place(&[]).is_err() && c.run_in_place(&[&x, &x]).is_err());
    c.bind_dims(&[("rows", 2)]).expect("known");
    let message = c.run_in_place(&[&x]).expect_err("bound to other sizes").to_string();
    assert!(message.contains("`x`") && message.contains("f32[2,3]"), "{message}");
    c.bind_dims(&[]).expect("forgets");
    c.run_in_place(&[&x]).expect("runs");
}

#[test]
fn an_output_that_is_not_there_is_an_error() {
    let mut c = compiled();
    for ran in [false, true] {
        for index in [1, 7, usize::MAX] {
            let message = c.try_output_bytes(index).expect_err("one output").to_string();
            assert_eq!(message, format!("the graph has no output {index}; it has 1, counted from 0"));
            assert!(c.output_bytes(index).is_empty(), "{ran}");
        }
        c.try_run(&[("x", &values(4))]).expect("runs");
    }
    let threads = CompileOptions::new().with_backend(CpuOptions::new().num_threads(usize::MAX));
    let graph = Builder::new("g");
    let x = graph.input("x", Shape::new(&[2], DType::F32));
    let graph = graph.finish(&[&x]).expect("a graph");
    let session = Session::new(Device::Cpu).with_options(threads);
    let message = session.try_compile(graph).map(drop).expect_err("too many threads").to_string();
    assert!(message.contains("at most 4096 threads, but 18446744073709551615 were requested"), "{message}");
}
