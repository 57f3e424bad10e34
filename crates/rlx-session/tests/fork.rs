//! Programs in a child of `fork`, which has none of its parent's other threads: they run or report why they cannot, and never hang.

#![cfg(all(unix, not(miri), feature = "cpu"))]

use rlx_ir::{Builder, DType, Dim, Shape};
use rlx_session::{
    CompileOptions, CompiledGraph, CpuOptions, Device, HostQueue, Queue, RuntimeError, Session, SharedGraph,
};
use std::ffi::{c_int, c_uint};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

/// Forks and waits for `child`. Fails if the child panics, and if it hangs, in which case a signal kills it.
fn in_a_child(child: impl FnOnce()) {
    unsafe extern "C" {
        fn fork() -> c_int;
        fn alarm(seconds: c_uint) -> c_uint;
        fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
        fn _exit(status: c_int) -> !;
    }
    // SAFETY: the child leaves through `_exit`, whatever `child` does.
    let status = unsafe {
        match fork() {
            0 => {
                alarm(30);
                let panicked = catch_unwind(AssertUnwindSafe(child)).is_err();
                _exit(c_int::from(panicked))
            }
            pid => {
                let mut status = -1;
                assert_eq!(waitpid(pid, &mut status, 0), pid);
                status
            }
        }
    };
    assert_eq!(status, 0, "the child panicked (256) or hung (14)");
}

/// Forks affect the whole process: tests take turns, so that no other test is in the middle of printing.
static TURN: Mutex<()> = Mutex::new(());

/// Returns a program for x + sum, with the sum as a state that it updates in place.
fn program(queue: &Arc<HostQueue>) -> CompiledGraph {
    let b = Builder::new("sums");
    let shape = Shape::from_dims(&[Dim::dynamic("n")], DType::F32);
    let (x, sum) = (b.input("x", shape.clone()), b.input("sum", shape));
    let graph = b.finish(&[&(&x + &sum)]).unwrap();
    let options = CompileOptions::new().state("sum", 0).with_backend(CpuOptions::new().num_threads(3));
    let session = Session::new(Device::Cpu).with_options(options).with_queue(queue.clone());
    let mut program = session.try_compile(graph).unwrap();
    program.set_handle("sum", &[1.0; 3]).unwrap();
    program
}

#[test]
fn a_run_of_the_parent_is_an_error_in_the_child() {
    let _turn = TURN.lock().unwrap();
    let queue = Arc::new(HostQueue::new(Device::Cpu));
    // The run has begun in the parent, or it waits for a job that the parent continues.
    for behind in [false, true] {
        let mut program = program(&queue);
        let (go, wait) = channel::<()>();
        if behind {
            queue.submit(Box::new(move || wait.recv().unwrap_or_default())).unwrap();
        }
        program.commit_no_wait(&[("x", &[1.0; 3])]).unwrap();
        let mut program = Some(program);
        in_a_child(|| {
            let mut program = program.take().unwrap();
            // Nothing is left to wait for.
            queue.wait().unwrap();
            let error = program.sync_pending().unwrap_err();
            assert!(matches!(error, RuntimeError::Forked { .. }), "{error}");
            assert!(error.to_string().contains("the background run on cpu"), "{error}");
            let error = program.try_run(&[("x", &[1.0; 3])]).unwrap_err();
            assert_eq!(error, RuntimeError::StateLost("sum".into()));
            // It continues from a new state, also in the background.
            program.set_handle("sum", &[10.0; 3]).unwrap();
            assert_eq!(program.try_run(&[("x", &[1.0; 3])]).unwrap(), [[11.0; 3]]);
            program.commit_no_wait(&[("x", &[1.0; 3])]).unwrap();
            assert_eq!(program.sync_pending().unwrap(), [[12.0; 3]]);
            drop(program);
        });
        drop(go);
        assert_eq!(program.unwrap().sync_pending().unwrap(), [[2.0; 3]], "the parent's run goes on");
    }
}

/// A child that drops a program with a pending run, its clone, or the queue, does not wait for the run.
#[test]
fn children_drop_what_is_pending() {
    let _turn = TURN.lock().unwrap();
    let queue = Arc::new(HostQueue::new(Device::Cpu));
    let mut program = program(&queue);
    let (go, wait) = channel::<()>();
    queue.submit(Box::new(move || wait.recv().unwrap_or_default())).unwrap();
    program.commit_no_wait(&[("x", &[1.0; 3])]).unwrap();
    let (mut program, mut queue) = (Some(program), Some(queue));
    in_a_child(|| {
        let clone = program.as_ref().unwrap().clone();
        drop(program.take());
        assert_eq!(clone.handle("sum").unwrap_err(), RuntimeError::StateLost("sum".into()));
        drop(clone);
        drop(queue.take());
    });
    in_a_child(|| {
        drop(queue.take());
        drop(program.take());
    });
    drop(go);
    assert_eq!(program.unwrap().sync_pending().unwrap(), [[2.0; 3]]);
}

/// Forks while other threads compile, bind sizes, run, submit work and wait for it: locks that they held are free in the child.
#[test]
fn a_fork_meets_no_lock_that_is_held() {
    let _turn = TURN.lock().unwrap();
    let queue = Arc::new(HostQueue::new(Device::Cpu));
    let shared = {
        let b = Builder::new("double");
        let x = b.input("x", Shape::from_dims(&[Dim::dynamic("n")], DType::F32));
        let graph = b.finish(&[&(&(&x + &x) * &x)]).unwrap();
        SharedGraph::new(Session::new(Device::Cpu).try_compile(graph).unwrap()).unwrap()
    };
    let busy = AtomicBool::new(true);
    let work = |round: usize, queue: &Arc<HostQueue>| {
        let n = 1 + round % 50;
        let y = shared.try_run(&[("x", &vec![3.0; n])]).unwrap();
        assert_eq!(y, [vec![18.0; n]]);
        let mut program = program(queue);
        program.commit_no_wait(&[("x", &[1.0; 3])]).unwrap();
        assert_eq!(program.sync_pending().unwrap(), [[2.0; 3]]);
        assert_eq!(program.try_run(&[("x", &[1.0; 3])]).unwrap(), [[3.0; 3]]);
        queue.wait().unwrap();
    };
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (busy, work, queue) = (&busy, &work, &queue);
            scope.spawn(move || {
                for round in 0.. {
                    if !busy.load(Ordering::Relaxed) {
                        break;
                    }
                    work(round + 7 * thread, queue);
                }
            });
        }
        for round in 0..60 {
            in_a_child(|| (0..3).for_each(|i| work(round + i, &queue)));
        }
        busy.store(false, Ordering::Relaxed);
    });
}
