//! Sessions and runs: by name, typed, by slot, in the background; handles.

use crate::f32s;
use rlx::prelude::*;

#[test]
fn typed_values_slots_and_background_runs_agree() {
    let mut g = Graph::new("double");
    let x = g.input("x", f32s(&[3]));
    let y = g.binary(BinaryOp::Add, x, x, f32s(&[3]));
    g.set_outputs(vec![y]);
    let mut c = Session::new(Device::Cpu).compile(g);
    let x = [1.0f32, -2.5, 4.0];
    let bytes: Vec<u8> = x.iter().flat_map(|v| v.to_le_bytes()).collect();

    let plain = c.run(&[("x", &x)]);
    assert_eq!(plain, [[2.0, -5.0, 8.0]]);
    let typed = c.run_typed(&[("x", &bytes, DType::F32)]).expect("runs");
    assert_eq!(typed[0].1, DType::F32);
    let slots = c.run_slots(&[&x]).expect("runs");
    // SAFETY: the slot is in the arena, which is not written until the next run.
    let in_arena = unsafe { std::slice::from_raw_parts(c.arena_ptr().add(slots[0].offset), slots[0].bytes) };
    assert_eq!(typed[0].0, in_arena);
    c.commit_no_wait(&[("x", &x)]).expect("starts");
    assert!(c.try_run(&[("x", &x)]).is_err(), "a run while one is pending is refused");
    assert_eq!(c.sync_pending().expect("finishes"), plain);
}

#[test]
fn a_handle_feeds_an_output_back() {
    let mut g = Graph::new("counter");
    let step = g.input("step", f32s(&[1]));
    let state = g.input("out0", f32s(&[1]));
    let next = g.binary(BinaryOp::Add, state, step, f32s(&[1]));
    g.set_outputs(vec![next]);
    let mut c = Session::new(Device::Cpu).compile(g);
    c.set_handle("out0", &[10.0]).expect("an input");
    assert_eq!(c.run(&[("step", &[1.0])]), [[11.0]]);
    assert_eq!(c.run(&[("step", &[2.5])]), [[13.5]]);
}

#[test]
fn symbolic_dims_bind_to_any_size() {
    let mut g = Graph::new("dynamic");
    let x = g.input("x", Shape::from_dims(&[Dim::dynamic("n"), 2.into()], DType::F32));
    let y = g.reduce(x, ReduceOp::Mean, vec![0], false, f32s(&[2]));
    g.set_outputs(vec![y]);
    let mut c = Session::new(Device::Cpu).compile(g);
    assert_eq!(c.run(&[("x", &[1.0, 2.0, 3.0, 4.0])]), [[2.0, 3.0]]);
    assert_eq!(c.run(&[("x", &[5.0, 6.0])]), [[5.0, 6.0]]);
    let mut clone = c.clone();
    let thread = std::thread::spawn(move || clone.run(&[("x", &[1.0, 2.0, 3.0, 4.0])]));
    assert_eq!(thread.join().expect("a compiled graph is Send"), [[2.0, 3.0]]);
    assert!(c.try_run(&[("x", &[1.0, 2.0, 3.0])]).is_err(), "three elements do not fit n × 2");
}
