//! The skeleton of a backend runs the conformance table and keeps the promises that all instances make.

#[path = "../examples/skeleton/main.rs"]
#[allow(dead_code)]
mod example;

use example::backend::Skeleton;
use rlx_compile::{Alias, BackendError, CompileOptions, Param};
use rlx_conformance::{Outcome, cases, judge};
use rlx_exec::{Arguments, Backend, Buffer, Executable, Value, lower};
use rlx_ir::{Bindings, Builder, DType, Dim, Graph, Literal, Shape};
use std::sync::Arc;

/// One in this many cases is judged. `cargo run -p rlx-exec --example skeleton` judges all.
const SHARE: usize = 16;

#[test]
fn the_table_runs_on_the_skeleton() {
    let all = cases::all();
    let mut problems = Vec::new();
    for case in all.iter().step_by(SHARE) {
        match judge(&Skeleton, case, 0) {
            Outcome::Passed | Outcome::NotApplicable(_) => {}
            outcome => problems.push(format!("{}: {outcome:?}", case.name)),
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// `total' = total + w · x`, with an output of twice that.
fn sums() -> Graph {
    let b = Builder::new("sums");
    let shape = || Shape::from_dims(&[Dim::dynamic("n")], DType::F32);
    let (x, total, w) =
        (b.input("x", shape()), b.input("total", shape()), b.param("w", Shape::scalar(DType::F32)));
    let next = &total + &(&x * &w.broadcast_to(&[Dim::dynamic("n")]));
    b.finish(&[&next, &(&next * 2.0)]).expect("a valid graph")
}

fn prepared() -> Box<dyn Executable> {
    let queue = Skeleton.queue(0).expect("a queue");
    let aliases = [Alias { input: 1, output: 0 }];
    let lowered = lower(&sums(), &aliases, &Skeleton, &CompileOptions::new()).expect("it lowers");
    Skeleton.prepare(lowered, &queue).expect("it is prepared")
}

fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn w(value: f32) -> Param {
    Param::new(Arc::new(Literal::new(&[], &[value]).expect("a number")))
}

/// Runs at the current sizes and returns the second output.
fn run(executable: &mut dyn Executable, x: &[u8], state: &mut [Buffer]) -> Result<Vec<u8>, BackendError> {
    let inputs = [Value::Host(x), Value::State(0)];
    executable.run(Arguments { inputs: &inputs, state, outputs: &mut [] })?;
    executable.wait()?;
    Ok(executable.output(1)?.to_vec())
}

#[test]
fn a_run_that_is_refused_leaves_the_state_and_names_what_is_wrong() {
    let mut executable = prepared();
    let (x, mut state) = (bytes(&[1.0, 2.0]), [Buffer::from_bytes(&bytes(&[3.0, 4.0])).expect("a buffer")]);
    let refused = |executable: &mut dyn Executable, x: &[u8], state: &mut [Buffer]| {
        let error = run(executable, x, state).expect_err("a refusal");
        assert!(error.is_refusal(), "{error}");
        error.to_string()
    };
    assert!(refused(&mut *executable, &x, &mut state).contains("not bound to sizes"));
    executable.bind(&Bindings::from([("n".into(), 2)])).expect("sizes");
    assert!(refused(&mut *executable, &x, &mut state).contains("parameter `w` is not set"));
    executable.set_param(0, w(10.0));
    let message = refused(&mut *executable, &x[..4], &mut state);
    assert!(message.contains("input `x` is f32[2], which has 8 bytes; got 4"), "{message}");
    let message = refused(&mut *executable, &x, &mut []);
    assert!(message.contains("2 inputs, 1 state buffers and 2 outputs; got 2, 0 and 0"), "{message}");
    assert_eq!(state[0].host(), Some(&bytes(&[3.0, 4.0])[..]));
    assert_eq!(run(&mut *executable, &x, &mut state).expect("it runs"), bytes(&[26.0, 48.0]));
}

#[test]
fn clones_share_parameters_until_one_is_set_and_states_stay_on_the_device() {
    let mut first = prepared();
    first.bind(&Bindings::from([("n".into(), 1)])).expect("sizes");
    first.set_param(0, w(1.0));
    let mut second = first.clone_on(&Skeleton.queue(0).expect("a queue")).expect("a clone");
    second.set_param(0, w(5.0));
    let one = bytes(&[1.0]);
    let zero = || [Buffer::from_bytes(&bytes(&[0.0])).expect("a buffer")];
    let (mut a, mut b) = (zero(), zero());
    for step in 1..=3 {
        assert_eq!(run(&mut *first, &one, &mut a).expect("it runs"), bytes(&[2.0 * step as f32]));
        assert_eq!(run(&mut *second, &one, &mut b).expect("it runs"), bytes(&[10.0 * step as f32]));
    }
    assert!(a[0].device().is_some(), "it was not brought to the host");
    let mut place = [0; 4];
    a[0].read(&mut place).expect("its bytes");
    assert_eq!(place, 3f32.to_le_bytes());
    // Other sizes share the parameters of the instance, but not the outputs of the last run.
    second.bind(&Bindings::from([("n".into(), 3)])).expect("sizes");
    assert_eq!(second.output(1).expect("nothing"), [0u8; 0]);
    let mut wide = [Buffer::from_bytes(&bytes(&[0.0; 3])).expect("a buffer")];
    let x = bytes(&[1.0, 2.0, 3.0]);
    assert_eq!(run(&mut *second, &x, &mut wide).expect("it runs"), bytes(&[10.0, 20.0, 30.0]));
}

#[test]
fn outputs_are_downloaded_when_they_are_asked_for() {
    let mut executable = prepared();
    executable.bind(&Bindings::from([("n".into(), 1)])).expect("sizes");
    executable.set_param(0, w(2.0));
    let (x, mut state) = (bytes(&[3.0]), [Buffer::from_bytes(&bytes(&[1.0])).expect("a buffer")]);
    let (mut next, mut twice) = ([0; 4], [0; 4]);
    let inputs = [Value::Host(&x), Value::State(0)];
    let outputs = &mut [Some(&mut next[..]), Some(&mut twice[..])];
    executable.run(Arguments { inputs: &inputs, state: &mut state, outputs }).expect("it runs");
    assert_eq!((next, twice), (7f32.to_le_bytes(), 14f32.to_le_bytes()));
    assert!(executable.arena().0.is_null());
    executable.fetch().expect("all outputs");
    let (start, bytes) = executable.arena();
    assert!(!start.is_null() && executable.output_offset(1).expect("a place") + 4 <= bytes);
}
