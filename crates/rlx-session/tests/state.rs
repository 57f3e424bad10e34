//! State: one buffer per value that persists between runs of any sizes, whether or not it is updated in place.

use rlx_ir::{Builder, DType, Graph, Literal, Shape};
use rlx_session::{Buffer, CompileOptions, CompiledGraph, Device, Session};

/// Returns y = x + sum(state), state' = state + sum(x), with one symbolic size and a state of fixed size.
fn running(donate: bool) -> CompiledGraph {
    let text = "\
graph \"running\" {
  %0 = input {name = \"x\"} : f32[n]
  %1 = input {name = \"out1\"} : f32[4]
  %2 = reduce %1 {kind = sum, axes = [0]} : f32[]
  %3 = broadcast_in_dim %2 {dims = [n], axes = []} : f32[n]
  %4 = add %0, %3 : f32[n]
  %5 = reduce %0 {kind = sum, axes = [0]} : f32[]
  %6 = broadcast_in_dim %5 {dims = [4], axes = []} : f32[4]
  %7 = add %1, %6 : f32[4]
  return %4, %7
}
";
    let graph = Graph::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let options = CompileOptions::new().donate_handles(donate);
    Session::new(Device::Cpu).with_options(options).try_compile(graph).unwrap()
}

#[test]
fn state_is_one_value_for_runs_of_all_sizes() {
    for donate in [false, true] {
        let mut program = running(donate);
        program.set_handle("out1", &[1.0; 4]).unwrap();
        let mut state = 1.0;
        for n in [2usize, 3, 2, 4] {
            let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
            let y = program.try_run(&[("x", &x)]).unwrap();
            let expected: Vec<f32> = x.iter().map(|x| x + 4.0 * state).collect();
            state += x.iter().sum::<f32>();
            assert_eq!(y[0], expected, "donated: {donate}, n = {n}");
            assert_eq!(y[1], [state; 4], "donated: {donate}, n = {n}");
        }
    }
}

#[test]
fn state_outlives_more_sizes_than_are_kept_ready() {
    let mut program = running(true);
    program.set_handle("out1", &[0.0; 4]).unwrap();
    let mut state = 0.0;
    for n in (1..200usize).chain(1..30) {
        let y = program.try_run(&[("x", &vec![1.0; n])]).unwrap();
        assert_eq!(y[0], vec![1.0 + 4.0 * state; n]);
        state += n as f32;
        assert_eq!(y[1], [state; 4]);
    }
    let kept: &[u8] = &program.handle("out1").unwrap();
    assert_eq!(bytemuck::cast_slice::<u8, f32>(kept), [state; 4]);
}

#[test]
fn sizes_share_one_arena_of_the_largest_in_use() {
    let mut program = running(true);
    program.set_handle("out1", &[0.0; 4]).unwrap();
    let mut arena = |n: usize| {
        program.try_run(&[("x", &vec![1.0; n])]).unwrap();
        (program.arena_ptr(), program.arena_bytes())
    };
    let large = arena(100_000);
    assert!(large.1 >= 400_000);
    assert_eq!(arena(10), large);
    assert_eq!(arena(50_000), large);
    // When the large size is no longer among the prepared ones, its memory is freed.
    let small = (1..20).map(&mut arena).last().unwrap();
    assert!(small.1 < 4096, "{}", small.1);
}

#[test]
fn a_pair_can_be_named_instead_of_following_a_naming_rule() {
    let text = "\
graph \"counter\" {
  %0 = input {name = \"x\"} : f32[2]
  %1 = input {name = \"total\"} : f32[2]
  %2 = add %0, %1 : f32[2]
  return %2
}
";
    let graph = Graph::parse(text).unwrap();
    let compiled = |name: &str, output| {
        let options = CompileOptions::new().state(name, output);
        Session::new(Device::Cpu).with_options(options).try_compile(graph.clone())
    };
    let mut counter = compiled("total", 0).unwrap();
    counter.set_handle("total", &[0.0, 10.0]).unwrap();
    for i in 1..5 {
        assert_eq!(counter.try_run(&[("x", &[1.0, 1.0])]).unwrap(), [[i as f32, 10.0 + i as f32]]);
    }
    assert!(compiled("total", 1).unwrap_err().to_string().contains("output 1"));
    assert!(compiled("sum", 0).unwrap_err().to_string().contains("`sum`"));
}

/// Returns a cache [1, 4, 2] that a run does not change.
fn cache() -> CompiledGraph {
    let text = "\
graph \"cache\" {
  %0 = input {name = \"x\"} : f32[]
  %1 = input {name = \"out0\"} : f32[1,4,2]
  %2 = broadcast_in_dim %0 {dims = [1,4,2], axes = []} : f32[1,4,2]
  %3 = mul %1, %2 : f32[1,4,2]
  return %3
}
";
    let options = CompileOptions::new().donate_handles(true);
    Session::new(Device::Cpu).with_options(options).try_compile(Graph::parse(text).unwrap()).unwrap()
}

fn rows(values: std::ops::Range<i32>, dims: &[usize]) -> Literal {
    Literal::new(dims, &values.map(|i| i as f32).collect::<Vec<_>>()).unwrap()
}

#[test]
fn rows_of_state_are_read_and_written() {
    let mut cache = cache();
    assert!(cache.read_state("out0", &[0, 0, 0], &[1, 1, 1]).is_err(), "it has no value yet");
    cache.set_handle("out0", &[0.0; 8]).unwrap();
    cache.write_state("out0", &[0, 1, 0], &rows(1..5, &[1, 2, 2])).unwrap();
    cache.write_state("out0", &[0, 3, 1], &rows(9..10, &[1, 1, 1])).unwrap();
    assert_eq!(cache.try_run(&[("x", &[2.0])]).unwrap(), [[0., 0., 2., 4., 6., 8., 0., 18.]]);
    assert_eq!(
        cache.read_state("out0", &[0, 2, 0], &[1, 2, 1]).unwrap(),
        Literal::new(&[1, 2, 1], &[6.0f32, 0.0]).unwrap()
    );
    assert_eq!(cache.read_state("out0", &[0, 2, 0], &[1, 0, 2]).unwrap().len(), 0);
    for (starts, sizes) in
        [(vec![0, 3, 0], vec![1, 2, 2]), (vec![0, 0], vec![1, 1]), (vec![0, usize::MAX, 0], vec![1, 2, 1])]
    {
        assert!(cache.read_state("out0", &starts, &sizes).is_err(), "{starts:?} {sizes:?}");
    }
    assert!(cache.write_state("out0", &[0, 3, 0], &rows(0..4, &[1, 2, 2])).is_err());
}

#[test]
fn state_is_saved_and_restored() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("state.safetensors");
    let mut first = running(true);
    first.set_handle("out1", &[3.0; 4]).unwrap();
    first.try_run(&[("x", &[1.0, 2.0])]).unwrap();
    first.save_state(&path).unwrap();
    let mut second = running(true);
    second.restore_state(&path).unwrap();
    assert_eq!(second.try_run(&[("x", &[1.0])]).unwrap(), first.try_run(&[("x", &[1.0])]).unwrap());
    assert!(cache().restore_state(&path).is_err(), "another program's state");
    std::fs::write(&path, b"nothing").unwrap();
    let before = second.state().unwrap();
    assert!(second.restore_state(&path).is_err());
    assert_eq!(second.state().unwrap(), before);
}

#[test]
fn a_clone_has_a_copy_of_the_state_or_none() {
    let mut first = running(true);
    first.set_handle("out1", &[1.0; 4]).unwrap();
    let mut copy = first.clone();
    let mut fresh = first.without_state().unwrap();
    assert_eq!(first.try_run(&[("x", &[1.0])]).unwrap(), copy.try_run(&[("x", &[1.0])]).unwrap());
    first.try_run(&[("x", &[1.0])]).unwrap();
    assert_eq!(copy.try_run(&[("x", &[0.0])]).unwrap()[1], [2.0; 4]);
    assert!(fresh.try_run(&[("x", &[1.0])]).unwrap_err().to_string().contains("out1"));
}

#[test]
fn background_runs_use_and_update_the_state() {
    for donate in [false, true] {
        let mut program = running(donate);
        program.set_handle("out1", &[1.0; 4]).unwrap();
        for n in [1usize, 3, 2] {
            program.commit_no_wait(&[("x", &vec![1.0; n])]).unwrap();
            assert!(program.handle("out1").is_err(), "the run has it");
            program.sync_pending().unwrap();
        }
        assert_eq!(bytemuck::cast_slice::<u8, f32>(&program.handle("out1").unwrap()), [7.0; 4]);
    }
}

#[test]
fn runs_write_outputs_to_the_callers_memory() {
    let mut program = running(true);
    program.set_handle("out1", &[1.0; 4]).unwrap();
    for n in [2usize, 5, 2] {
        let (x, mut y, mut state) = (vec![0.5f32; n], vec![0f32; n], [0f32; 4]);
        let before = bytemuck::cast_slice::<u8, f32>(&program.handle("out1").unwrap())[0];
        let outputs: &mut [&mut [u8]] =
            &mut [bytemuck::cast_slice_mut(&mut y), bytemuck::cast_slice_mut(&mut state)];
        program.run_into(&[bytemuck::cast_slice(&x), &[]], outputs).unwrap();
        assert_eq!(y, vec![0.5 + 4.0 * before; n]);
        assert_eq!(state, [before + 0.5 * n as f32; 4]);
    }
    let mut short = [0u8; 4];
    let error = program.run_into(&[&[0; 8], &[]], &mut [&mut short, &mut [0u8; 16]]).unwrap_err();
    assert!(error.to_string().contains("output 0"), "{error}");
    assert!(program.run_into(&[&[0; 8], &[]], &mut []).is_err());
    let mut memory = [0u64; 5];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut memory);
    let (odd, rest) = bytes[1..].split_at_mut(8);
    assert!(program.run_into(&[&[0; 8], &[]], &mut [odd, &mut rest[7..23]]).is_err(), "not aligned");
}

#[test]
fn values_in_buffers_go_from_run_to_run() {
    let mut program = running(false);
    let x = Buffer::from_bytes(bytemuck::cast_slice(&[1.0f32, 2.0])).unwrap();
    let mut state = Buffer::from_bytes(&[0; 16]).unwrap();
    for i in 1..4 {
        let mut outputs = program.run_buffers(&[("x", &x), ("out1", &state)]).unwrap();
        state = outputs.pop().unwrap();
        let mut bytes = vec![0; state.num_bytes()];
        state.read(&mut bytes).unwrap();
        assert_eq!(to_f32s(&bytes), [3.0 * i as f32; 4]);
    }
}

fn to_f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

#[test]
fn states_may_be_named_in_another_order_than_their_inputs() {
    let b = Builder::new("two");
    let (x, y) = (b.input("x", Shape::new(&[2], DType::F32)), b.input("y", Shape::new(&[2], DType::F32)));
    let graph = b.finish(&[&(&x + 1.0), &(&y * 2.0)]).expect("valid");
    let options = CompileOptions::new().state("y", 1).state("x", 0);
    let mut compiled = Session::new(Device::Cpu).with_options(options).try_compile(graph).expect("compiles");
    compiled.set_handle("x", &[0.0, 5.0]).expect("fits");
    compiled.set_handle("y", &[1.0, 3.0]).expect("fits");
    assert_eq!(compiled.try_run(&[]).expect("runs"), [[1.0, 6.0], [2.0, 6.0]]);
}

/// Returns a list that each run appends x to, and the sum of the list with x.
fn growing() -> CompiledGraph {
    let text = "\
graph \"growing\" {
  %0 = input {name = \"out0\"} : f32[n]
  %1 = input {name = \"x\"} : f32[2]
  %2 = concatenate %0, %1 {axis = 0} : f32[n+2]
  %3 = reduce %2 {kind = sum, axes = [0]} : f32[]
  return %2, %3
}
";
    let mut program = Session::new(Device::Cpu).try_compile(Graph::parse(text).unwrap()).unwrap();
    program.set_handle("out0", &[1.0]).unwrap();
    program
}

#[test]
fn a_fed_state_grows_in_runs_of_every_kind() {
    const STEPS: usize = 40;
    let x = |step: usize| [step as f32, 0.5];
    let mut programs: Vec<CompiledGraph> = (0..5).map(|_| growing()).collect();
    let mut held = vec![1.0f32];
    for step in 0..STEPS {
        let x = x(step);
        held.extend(x);
        let sum: f32 = held.iter().sum();
        let [named, in_place, slots, into, buffers] = &mut programs[..] else { panic!("five") };
        assert_eq!(named.try_run(&[("x", &x)]).unwrap(), [held.clone(), vec![sum]], "step {step}");
        in_place.run_in_place(&[&[], &x]).unwrap_or_else(|e| panic!("step {step}: {e}"));
        assert_eq!(in_place.output_bytes(1), sum.to_le_bytes());
        let places = slots.run_slots(&[&[], &x]).unwrap_or_else(|e| panic!("step {step}: {e}"));
        assert_eq!(places[0].shape, Shape::new(&[held.len()], DType::F32));
        let (mut list, mut total) = (vec![0f32; held.len()], [0f32]);
        let bytes: Vec<u8> = x.iter().flat_map(|x| x.to_le_bytes()).collect();
        let outputs: &mut [&mut [u8]] =
            &mut [bytemuck::cast_slice_mut(&mut list), bytemuck::cast_slice_mut(&mut total)];
        let aligned = bytemuck::cast_slice(&x);
        assert_eq!(aligned, bytes);
        into.run_into(&[&[], aligned], outputs).unwrap_or_else(|e| panic!("step {step}: {e}"));
        assert_eq!((list, total), (held.clone(), [sum]));
        let given = Buffer::from_bytes(aligned).unwrap();
        buffers.run_buffers(&[("x", &given)]).unwrap_or_else(|e| panic!("step {step}: {e}"));
        for program in &mut programs {
            let state = program.handle("out0").unwrap();
            assert_eq!(bytemuck::cast_slice::<u8, f32>(&state), held, "step {step}");
        }
    }
    // A state that is set with another size or cleared changes the sizes of the next run too.
    for program in &mut programs {
        program.set_handle("out0", &[3.0, 4.0]).unwrap();
        program.run_in_place(&[&[], &[1.0, 2.0]]).unwrap();
        assert_eq!(program.output_bytes(1), 10f32.to_le_bytes());
    }
}
