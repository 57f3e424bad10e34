//! Handles in the program's own memory: the same values as handles outside of it, each stored only once.

use rlx_compile::CompileOptions;
use rlx_driver::Device;
use rlx_ir::math::random::SplitMix64;
use rlx_ir::{Builder, DType, Dim, Graph, Shape, Tensor};
use rlx_session::{CompiledGraph, Session};

const N: usize = 20_000;

fn vector() -> Shape {
    Shape::new(&[N], DType::F32)
}

fn compiled(graph: &Graph, donate: bool) -> CompiledGraph {
    let session = Session::new(Device::Cpu).with_options(CompileOptions::new().donate_handles(donate));
    session.try_compile(graph.clone()).unwrap()
}

/// Returns a momentum update, with a loss that reads the parameter both before and after its update.
fn momentum() -> Graph {
    let b = Builder::new("momentum");
    let x = b.input("x", vector());
    let w = b.input("out1", vector());
    let m = b.input("out2", vector());
    let gradient = &w - &x;
    let next_m = &m * 0.9 + &gradient;
    let next_w = &w - &next_m * 0.1;
    let loss = (&gradient * &next_w).mean(&[0], false);
    b.finish(&[&loss, &next_w, &next_m]).unwrap()
}

/// Returns a graph with two values that are swapped, one that stays, one that another output repeats, and a constant one.
fn places() -> Graph {
    let b = Builder::new("places");
    let inputs: Vec<Tensor> = (0..5).map(|i| b.input(format!("out{i}"), vector())).collect();
    let five = b.scalar(5.0, DType::F32).broadcast_to(vector().dims());
    let sum = &inputs[0] + &inputs[1];
    b.finish(&[&inputs[1], &inputs[0], &inputs[2], &five, &sum, &inputs[3], &inputs[4]]).unwrap()
}

fn filled(value: f32) -> Vec<f32> {
    (0..N).map(|i| value + i as f32 * 1e-3).collect()
}

fn runs(graph: &Graph, donate: bool, handles: &[&str], inputs: &[(&str, &[f32])]) -> Vec<Vec<f32>> {
    let mut c = compiled(graph, donate);
    for (i, name) in handles.iter().enumerate() {
        c.set_handle(name, &filled(i as f32 + 1.0)).unwrap();
    }
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.extend(c.try_run(inputs).unwrap());
    }
    for name in handles {
        seen.push(bytemuck::cast_slice(&c.handle(name).unwrap()).to_vec());
    }
    seen
}

#[test]
fn values_inside_a_program_are_those_outside() {
    let x = filled(0.5);
    let names = ["out1", "out2"];
    let inputs: [(&str, &[f32]); 1] = [("x", &x)];
    assert_eq!(runs(&momentum(), true, &names, &inputs), runs(&momentum(), false, &names, &inputs));
    let names = ["out0", "out1", "out2", "out3", "out4"];
    assert_eq!(runs(&places(), true, &names, &[]), runs(&places(), false, &names, &[]));
}

/// Returns an Adam step that a flag can skip: one program updates all three values in their own memory.
fn adam() -> Graph {
    let b = Builder::new("adam");
    let flag = b.input("flag", Shape::new(&[], DType::Bool));
    let g = b.input("g", vector());
    let [w, m, v] = ["out0", "out1", "out2"].map(|name| b.input(name, vector()));
    let next_m = &m * 0.9 + &g * 0.1;
    let next_v = &v * 0.99 + &g * &g * 0.01;
    let next_w = &w - &next_m / (next_v.sqrt() + 1e-8);
    let flag = flag.broadcast_to(vector().dims());
    let chosen = [(&next_w, &w), (&next_m, &m), (&next_v, &v)].map(|(new, old)| flag.select(new, old));
    b.finish(&[&chosen[0], &chosen[1], &chosen[2]]).unwrap()
}

#[test]
fn several_values_are_updated_in_place_by_one_program() {
    let mut c = compiled(&adam(), true);
    let starts = [filled(1.0), filled(0.5), filled(2.0)];
    for (name, start) in ["out0", "out1", "out2"].iter().zip(&starts) {
        c.set_handle(name, start).unwrap();
    }
    let g = filled(0.25);
    let after = |flag: bool, c: &mut CompiledGraph| {
        c.run_typed(&[("flag", &[u8::from(flag)], DType::Bool), ("g", bytemuck::cast_slice(&g), DType::F32)])
            .unwrap();
        ["out0", "out1", "out2"]
            .map(|name| bytemuck::cast_slice::<u8, f32>(&c.handle(name).unwrap()).to_vec())
    };
    assert_eq!(after(false, &mut c), starts);
    let got = after(true, &mut c);
    for i in (0..N).step_by(37) {
        let [w, m, v] = [0, 1, 2].map(|k| f64::from(starts[k][i]));
        let g = f64::from(g[i]);
        let (m, v) = (m * 0.9 + g * 0.1, v * 0.99 + g * g * 0.01);
        for (k, expected) in [w - m / (v.sqrt() + 1e-8), m, v].into_iter().enumerate() {
            assert!((f64::from(got[k][i]) - expected).abs() <= 1e-6 * expected.abs(), "{k} {i}");
        }
    }
    // The three values are state: the arena has no room for one of them.
    assert!(c.arena_bytes() < N * 4, "{}", c.arena_bytes());
}

#[test]
fn a_value_is_updated_in_place() {
    let mut c = compiled(&momentum(), true);
    c.set_handle("out1", &filled(1.0)).unwrap();
    c.set_handle("out2", &filled(0.0)).unwrap();
    c.try_run(&[("x", &filled(0.0))]).unwrap();
    // The gradient and scratch memory, but no second parameter or momentum.
    let (one, two) = (N * 4, 2 * N * 4);
    assert!((one..two).contains(&c.arena_bytes()), "{} of {one}", c.arena_bytes());
}

#[test]
fn a_clone_goes_on_by_itself() {
    let x = filled(0.25);
    let mut first = compiled(&momentum(), true);
    first.set_handle("out1", &filled(1.0)).unwrap();
    first.set_handle("out2", &filled(0.0)).unwrap();
    first.try_run(&[("x", &x)]).unwrap();
    let mut second = first.clone();
    let after_two = first.try_run(&[("x", &x)]).unwrap();
    first.try_run(&[("x", &x)]).unwrap();
    assert_eq!(second.try_run(&[("x", &x)]).unwrap(), after_two);
}

#[test]
fn a_value_can_be_set_read_and_given_again() {
    let x = filled(0.25);
    let mut c = compiled(&momentum(), true);
    assert!(c.try_run(&[("x", &x)]).unwrap_err().to_string().contains("out1"));
    c.set_handle("out1", &filled(1.0)).unwrap();
    c.set_handle("out2", &filled(0.0)).unwrap();
    let once = c.try_run(&[("x", &x)]).unwrap();
    assert_eq!(bytemuck::cast_slice::<u8, f32>(&c.handle("out1").unwrap()), &once[1][..]);
    c.set_handle("out1", &filled(1.0)).unwrap();
    c.set_handle("out2", &filled(0.0)).unwrap();
    assert_eq!(c.try_run(&[("x", &x)]).unwrap(), once);
    // A given value replaces the stored one.
    let given = c.try_run(&[("x", &x), ("out1", &filled(1.0)), ("out2", &filled(0.0))]).unwrap();
    assert_eq!(given, once);
}

/// Returns a cache that grows by each run's input, and the cached values: the size of the state depends on the binding.
#[test]
fn a_handle_has_the_size_that_was_stored_whatever_is_bound() {
    for donate in [false, true] {
        let b = Builder::new("grows");
        let n = Dim::dynamic("n");
        let kept = b.input("out0", Shape::from_dims(std::slice::from_ref(&n), DType::F32));
        let x = b.input("x", Shape::from_dims(&[n], DType::F32));
        let graph = b.finish(&[&(&kept + &x)]).unwrap();
        let mut c = compiled(&graph, donate);
        let handle = |c: &CompiledGraph| bytemuck::cast_slice::<u8, f32>(&c.handle("out0").unwrap()).to_vec();
        for sizes in [[4, 100_000], [100_000, 4]] {
            c.bind_dims(&[("n", sizes[0])]).unwrap();
            c.set_handle("out0", &vec![1.0; sizes[0]]).unwrap();
            assert_eq!(c.handle("out0").unwrap().len(), 4 * sizes[0]);
            c.try_run(&[("x", &vec![1.0; sizes[0]])]).unwrap();
            assert_eq!(handle(&c), vec![2.0; sizes[0]], "donated {donate}");
            // After rebinding, the state is what was stored until a run stores another value, and no run reads it with another size.
            c.bind_dims(&[("n", sizes[1])]).unwrap();
            assert_eq!(handle(&c), vec![2.0; sizes[0]], "donated {donate}");
            let refused = c.try_run(&[("x", &vec![1.0; sizes[1]])]);
            assert!(refused.is_err(), "donated {donate}: a state of {} elements for {}", sizes[0], sizes[1]);
            assert_eq!(handle(&c), vec![2.0; sizes[0]], "donated {donate}, after a refused run");
            c.set_handle("out0", &vec![5.0; sizes[1]]).unwrap();
            assert_eq!(handle(&c), vec![5.0; sizes[1]], "donated {donate}");
            c.try_run(&[("x", &vec![1.0; sizes[1]])]).unwrap();
            assert_eq!(handle(&c), vec![6.0; sizes[1]], "donated {donate}");
            let mut clone = c.clone();
            assert_eq!(handle(&clone), vec![6.0; sizes[1]], "donated {donate}");
            clone.bind_dims(&[("n", sizes[0])]).unwrap();
            assert_eq!(handle(&clone), vec![6.0; sizes[1]], "donated {donate}");
        }
    }
}

#[test]
fn handles_inside_and_outside_agree_after_any_sequence_of_calls() {
    let b = Builder::new("sequence");
    let n = Dim::dynamic("n");
    let [kept, x] =
        ["out0", "x"].map(|name| b.input(name, Shape::from_dims(std::slice::from_ref(&n), DType::F32)));
    let graph = b.finish(&[&(&kept + &x), &(&kept * &x)]).unwrap();
    let mut random = SplitMix64::new(11);
    for _ in 0..60 {
        let mut both = [true, false].map(|donate| compiled(&graph, donate));
        // Only a donated handle begins with a value that a run was given.
        both.iter_mut().for_each(|c| c.set_handle("out0", &[1.0; 4]).unwrap());
        for step in 0..12 {
            let call = random.below(7);
            let [one, two] = [0; 2].map(|_| [4, 5, 1000][random.below(3)]);
            let (given, x) = (vec![step as f32; one], vec![0.5; two]);
            let results = both.each_mut().map(|c| {
                let out = match call {
                    0 => c.set_handle("out0", &given).map(|()| Vec::new()),
                    1 => c.bind_dims(&[("n", one)]).map(|()| Vec::new()),
                    2 => c.bind_dims(&[]).map(|()| Vec::new()),
                    3 => c.try_run(&[("x", &x), ("out0", &given)]),
                    4 => {
                        *c = c.clone();
                        c.try_run(&[("x", &given), ("out0", &given)])
                    }
                    5 => {
                        // Memory of another size for the second output is refused, even if everything else is right.
                        let given: &[u8] = bytemuck::cast_slice(&given);
                        let (mut right, mut wrong) = (vec![0; given.len()], vec![0; given.len() + 4]);
                        let ran = c.run_into(&[given, given], &mut [&mut right, &mut wrong]);
                        assert!(ran.is_err());
                        Ok(Vec::new())
                    }
                    _ => c.try_run(&[("x", &x)]),
                };
                (
                    out.map_err(|e| e.to_string()),
                    c.handle("out0").map(|h| h.to_vec()).map_err(|e| e.to_string()),
                )
            });
            assert_eq!(results[0], results[1], "step {step}, call {call}, {one} and {two} elements");
        }
    }
}
