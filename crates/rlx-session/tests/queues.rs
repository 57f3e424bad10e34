//! The order of runs: queues of one and of several programs, and background runs.
#![cfg(feature = "cpu")]

use rlx_ir::{Builder, DType, Graph, Shape};
use rlx_session::{CompileOptions, CompiledGraph, Device, HostQueue, Queue, Session, device_memory};
use std::sync::Arc;
use std::sync::mpsc::channel;

/// Returns a sum that persists: `next = sum + x`.
fn counter() -> Graph {
    let b = Builder::new("counter");
    let shape = Shape::from_dims(&["n".into()], DType::F32);
    let (x, sum) = (b.input("x", shape.clone()), b.input("sum", shape));
    b.finish(&[&(&sum + &x)]).unwrap()
}

fn program(session: Session) -> CompiledGraph {
    let options = CompileOptions { state: vec![("sum".into(), 0)], ..CompileOptions::new() };
    let mut program = session.with_options(options).try_compile(counter()).unwrap();
    program.set_handle("sum", &[0.0; 3]).unwrap();
    program
}

/// Submits a job that ends when the sender is used.
fn blocked(queue: &dyn Queue) -> std::sync::mpsc::Sender<()> {
    let (sender, receiver) = channel::<()>();
    queue.host().unwrap().submit(Box::new(move || receiver.recv().unwrap())).unwrap();
    sender
}

#[test]
fn a_run_in_the_background_waits_for_what_is_before_it_on_its_queue() {
    let queue: Arc<dyn Queue> = Arc::new(HostQueue::new(Device::Cpu));
    let mut waiting = program(Session::new(Device::Cpu).with_queue(queue.clone()));
    let mut other = program(Session::new(Device::Cpu));
    let unblock = blocked(&*queue);
    waiting.commit_no_wait(&[("x", &[1.0, 2.0, 3.0])]).unwrap();
    // A program with its own queue is not delayed, and neither is a clone.
    assert_eq!(other.run(&[("x", &[1.0; 3])]), [[1.0; 3]]);
    assert_eq!(other.clone().run(&[("x", &[1.0; 3])]), [[2.0; 3]]);
    unblock.send(()).unwrap();
    assert_eq!(waiting.sync_pending().unwrap(), [[1.0, 2.0, 3.0]]);
    assert_eq!(waiting.run(&[("x", &[1.0; 3])]), [[2.0, 3.0, 4.0]]);
}

#[test]
fn a_run_on_a_shared_queue_does_not_overtake_those_before_it() {
    let queue: Arc<dyn Queue> = Arc::new(HostQueue::new(Device::Cpu));
    let session = Session::new(Device::Cpu).with_queue(queue.clone());
    let (mut first, mut second) = (program(session.clone()), program(session));
    let unblock = blocked(&*queue);
    first.commit_no_wait(&[("x", &[1.0; 3])]).unwrap();
    let (done, order) = channel();
    std::thread::scope(|scope| {
        let sent = done.clone();
        let run = scope.spawn(move || {
            let result = second.run(&[("x", &[5.0; 3])]);
            sent.send("second").unwrap();
            result
        });
        queue.host().unwrap().submit(Box::new(move || done.send("behind the first").unwrap())).unwrap();
        unblock.send(()).unwrap();
        assert_eq!(run.join().unwrap(), [[5.0; 3]]);
    });
    assert_eq!(order.iter().next(), Some("behind the first"));
    assert_eq!(first.sync_pending().unwrap(), [[1.0; 3]]);
}

#[test]
fn many_runs_in_the_background_use_one_thread() {
    let mut program = program(Session::new(Device::Cpu));
    for run in 1..=200u8 {
        program.commit_no_wait(&[("x", &[1.0; 3])]).unwrap();
        assert_eq!(program.sync_pending().unwrap(), [[f32::from(run); 3]]);
    }
    program.queue().wait().unwrap();
}

#[test]
fn memory_in_use_is_that_of_programs_and_their_state() {
    let n = 1 << 20;
    let mut program = program(Session::new(Device::Cpu));
    program.set_handle("sum", &vec![1.0; n]).unwrap();
    program.run(&[("x", &vec![1.0; n])]);
    let with = device_memory(Device::Cpu).unwrap();
    assert!(with.in_use >= 4 << 20 && with.peak.unwrap() >= with.in_use, "{with:?}");
    let clones: Vec<CompiledGraph> = (0..8).map(|_| program.clone()).collect();
    let more = device_memory(Device::Cpu).unwrap();
    // Tests in parallel use at most a few megabytes.
    assert!(more.in_use >= with.in_use + (24 << 20), "{with:?}, then {more:?}");
    drop(clones);
    let after = device_memory(Device::Cpu).unwrap();
    assert!(after.in_use + (24 << 20) <= more.in_use, "{more:?}, then {after:?}");
    assert!(after.peak >= more.peak);
}

#[test]
fn a_processor_has_one_number() {
    let refused = |session: Session| session.try_compile(counter()).unwrap_err().to_string();
    let second = Device::Cpu.ordinal(1);
    assert_eq!(refused(Session::new(second)), "cpu:1 is not there: there is only `cpu`");
    let queue: Arc<dyn Queue> = Arc::new(HostQueue::new(second));
    assert_eq!(
        refused(Session::new(Device::Cpu).with_queue(queue)),
        "the queue belongs to device `cpu:1`; this session runs on `cpu`"
    );
}
