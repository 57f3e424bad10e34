//! Sessions on the device of a plugin: graphs from RLX's front end through the compiler, the exporter and the plugin.

mod graphs;
mod plugins;

use graphs::{encoder, two_layers};
use rlx_compile::{CompileOptions, Param};
use rlx_conformance::bound::{Freedom, Reference};
use rlx_conformance::compare::Agreement;
use rlx_conformance::stream::Stream;
use rlx_exec::{Backend, Executable, Instance, lower};
use rlx_ir::{Bindings, Builder, DType, Graph, Literal, Shape, eval};
use rlx_session::{Buffer, CompiledGraph, Device, Session, register_backend};
use rlx_tpu::{PluginChoice, TpuBackend, TpuEngine};
use std::sync::{Arc, Once};

/// A session on the plugin that the environment names.
fn session(test: &str) -> Option<Session> {
    static REGISTERED: Once = Once::new();
    plugins::named(test)?;
    REGISTERED.call_once(|| register_backend(Arc::new(TpuBackend::new())));
    Some(Session::new(Device::Tpu))
}

fn f32s(stream: &mut Stream, dims: &[usize]) -> Literal {
    let values: Vec<f32> = (0..dims.iter().product()).map(|_| stream.uniform(-1.0, 1.0) as f32).collect();
    Literal::new(dims, &values).expect("as many values")
}

/// Values for every parameter, by name.
fn parameters(graph: &Graph) -> Vec<(String, Literal)> {
    let mut stream = Stream::new(3);
    let one = |(name, shape): (&str, &Shape)| {
        (name.to_string(), f32s(&mut stream, &shape.static_dims().expect("static")))
    };
    graph.named_params().map(one).collect()
}

fn set(compiled: &mut CompiledGraph, parameters: &[(String, Literal)]) {
    for (name, value) in parameters {
        compiled.set_param_typed(name, value.bytes(), value.dtype()).expect("a parameter");
    }
}

/// Fails unless the outputs are within the bounds that follow from the graph.
fn check(graph: &Graph, inputs: &[(&str, &Literal)], outputs: &[Literal]) {
    let reference = Reference::new(graph, inputs, Freedom::Contract, &|_| false).expect("a bound");
    reference.check(outputs, Agreement::AnyZeros).expect("within the bounds");
}

#[test]
fn a_graph_of_each_size_runs_with_one_set_of_parameters() {
    let Some(session) = session("a_graph_of_each_size_runs_with_one_set_of_parameters") else { return };
    let graph = two_layers();
    let parameters = parameters(&graph);
    let mut compiled = session.try_compile(graph.clone()).expect("it compiles");
    set(&mut compiled, &parameters);
    let mut stream = Stream::new(1);
    for n in [1usize, 3, 8, 3, 0] {
        let x = f32s(&mut stream, &[n, 8]);
        let outputs = compiled.run_literals(&[("x", &x)]).expect("it runs");
        let bound = graph.bind(&Bindings::from([("n".into(), n)]));
        let mut values: Vec<(&str, &Literal)> = vec![("x", &x)];
        values.extend(parameters.iter().map(|(name, value)| (name.as_str(), value)));
        check(&bound, &values, &outputs);
    }
}

#[test]
fn clones_run_on_several_threads() {
    let Some(session) = session("clones_run_on_several_threads") else { return };
    let graph = two_layers();
    let mut compiled = session.try_compile(graph.clone()).expect("it compiles");
    set(&mut compiled, &parameters(&graph));
    let x = f32s(&mut Stream::new(2), &[5, 8]);
    let expected = compiled.run_literals(&[("x", &x)]).expect("it runs");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let (mut clone, x, expected) = (compiled.clone(), &x, &expected);
            scope.spawn(move || {
                for _ in 0..25 {
                    assert_eq!(&clone.run_literals(&[("x", x)]).expect("it runs"), expected);
                }
            });
        }
    });
}

#[test]
fn parameters_are_on_the_device_once_for_all_clones() {
    let Some(path) = plugins::named("parameters_are_on_the_device_once_for_all_clones") else { return };
    let backend = TpuBackend::with_plugin(PluginChoice::File(path));
    let graph = two_layers().bind(&Bindings::from([("n".into(), 2)]));
    let compiled = rlx_exec::compile(&graph, &Bindings::new(), &backend, &CompileOptions::new());
    let mut first = compiled.expect("it compiles").executable;
    for (i, (_, value)) in parameters(&graph).into_iter().enumerate() {
        first.set_param(i, Param::new(Arc::new(value)));
    }
    let mut second = first.clone_on(&backend.queue(0).expect("a queue")).expect("a clone");
    let x = f32s(&mut Stream::new(4), &[2, 8]);
    first.run_on_host(&[x.bytes()]).expect("it runs");
    second.run_on_host(&[x.bytes()]).expect("it runs");
    let arrays = |executable: &dyn Executable| {
        let own = executable.as_any().downcast_ref::<Instance<TpuEngine>>().expect("a program of a plugin");
        own.packed().expect("it has run").identities()
    };
    assert_eq!(arrays(&*first).len(), 4);
    assert_eq!(arrays(&*first), arrays(&*second), "one array on the device a parameter");
    assert_eq!(first.output(0), second.output(0));

    second.set_param(0, Param::new(Arc::new(f32s(&mut Stream::new(9), &[8, 16]))));
    second.run_on_host(&[x.bytes()]).expect("it runs");
    assert_ne!(arrays(&*first)[0], arrays(&*second)[0], "a parameter that was set is this instance's own");
    assert_eq!(arrays(&*first)[1..], arrays(&*second)[1..]);
    assert_ne!(first.output(0), second.output(0));
}

#[test]
fn parameters_are_on_the_device_once_for_all_sizes() {
    let Some(path) = plugins::named("parameters_are_on_the_device_once_for_all_sizes") else { return };
    let backend: Arc<dyn Backend> = Arc::new(TpuBackend::with_plugin(PluginChoice::File(path)));
    let graph = two_layers();
    let lowered = lower(&graph, &[], &*backend, &CompileOptions::new()).expect("it lowers");
    let queue = backend.queue(0).expect("a queue");
    let mut program = backend.prepare(lowered, &queue).expect("for any size");
    for (i, (_, value)) in parameters(&graph).into_iter().enumerate() {
        program.set_param(i, Param::new(Arc::new(value)));
    }
    let mut arrays = Vec::new();
    for n in [2usize, 3, 2] {
        program.bind(&Bindings::from([("n".into(), n)])).expect("a size");
        program.run_on_host(&[f32s(&mut Stream::new(4), &[n, 8]).bytes()]).expect("it runs");
        let own = program.as_any().downcast_ref::<Instance<TpuEngine>>().expect("a program of a plugin");
        arrays.push(own.packed().expect("it has run").identities());
    }
    assert_eq!(arrays[0].len(), 4);
    assert!(arrays.iter().all(|of_size| *of_size == arrays[0]), "{arrays:?}");
}

#[test]
fn outputs_lie_in_the_working_memory() {
    let Some(session) = session("outputs_lie_in_the_working_memory") else { return };
    let b = Builder::new("g");
    let x = b.input("x", Shape::new(&[3], DType::F32));
    let graph = b.finish(&[&(&x + &x), &(&x * &x)]).expect("a valid graph");
    let mut compiled = session.try_compile(graph).expect("it compiles");
    let slots = compiled.run_slots(&[&[1.0, 2.0, 3.0]]).expect("it runs");
    assert_eq!(slots.iter().map(|s| (s.offset, s.bytes)).collect::<Vec<_>>(), [(0, 12), (64, 12)]);
    assert_eq!(compiled.arena_bytes(), 128);
    assert_eq!(compiled.output_bytes(1), bytemuck::cast_slice::<f32, u8>(&[1.0, 4.0, 9.0]));
}

#[test]
fn a_program_says_what_it_runs_on() {
    let Some(session) = session("a_program_says_what_it_runs_on") else { return };
    let b = Builder::new("g");
    let x = b.input("x", Shape::new(&[3], DType::F32));
    let graph = b.finish(&[&x.exp()]).expect("a valid graph");
    let text = session.try_compile(graph).expect("it compiles").describe().expect("a description");
    assert!(text.contains("device(s)") && text.contains("StableHLO: "), "{text}");
}

#[test]
fn an_encoder_agrees_with_the_evaluator() {
    let Some(session) = session("an_encoder_agrees_with_the_evaluator") else { return };
    let graph = encoder();
    let parameters = parameters(&graph);
    let mut compiled = session.try_compile(graph.clone()).expect("it compiles");
    set(&mut compiled, &parameters);
    for (batch, seq) in [(1usize, 5usize), (3, 8)] {
        let ids: Vec<i32> = (0..batch * seq).map(|i| (i * 7 % 50) as i32).collect();
        let mask: Vec<i32> = (0..batch * seq).map(|i| i32::from(i % seq < seq - i / seq)).collect();
        let [ids, mask] = [ids, mask].map(|v| Literal::new(&[batch, seq], &v).expect("as many values"));
        let outputs = compiled.run_literals(&[("ids", &ids), ("mask", &mask)]).expect("it runs");
        let mut values: Vec<(&str, &Literal)> = vec![("ids", &ids), ("mask", &mask)];
        values.extend(parameters.iter().map(|(name, value)| (name.as_str(), value)));
        let expected = eval(&graph, &values).expect("the evaluator runs");
        let [got, want] = [&outputs[0], &expected[0]].map(|l| l.as_slice::<f32>().expect("f32").to_vec());
        let apart = got.iter().zip(&want).map(|(g, w)| (g - w).abs()).fold(0.0, f32::max);
        // Layer norm makes every element about 1: this is 20 roundings of f32.
        assert!(apart < 2.4e-6, "{apart:e}");
    }
}

/// A counter per element: its next value is `count + x`, and the other output is twice that.
fn counter() -> Graph {
    let b = Builder::new("counter");
    let shape = Shape::new(&[4], DType::F32);
    let (x, count) = (b.input("x", shape.clone()), b.input("count", shape));
    let next = &count + &x;
    b.finish(&[&(&next + &next), &next]).expect("a valid graph")
}

/// State is updated in place. If something else holds a value, that value does not change.
#[test]
fn state_on_the_device_is_updated_and_values_that_were_handed_out_stay() {
    let name = "state_on_the_device_is_updated_and_values_that_were_handed_out_stay";
    let Some(session) = session(name) else { return };
    let options = CompileOptions { state: vec![("count".into(), 1)], ..CompileOptions::new() };
    let mut compiled = session.with_options(options).try_compile(counter()).expect("it compiles");
    compiled.set_handle("count", &[0.0; 4]).expect("a state");
    let x = Buffer::from_bytes(bytemuck::cast_slice(&[1f32, 2.0, 3.0, 4.0])).expect("memory");
    let f32s = |buffer: &Buffer| {
        let mut values = [0f32; 4];
        buffer.read(bytemuck::cast_slice_mut(&mut values)).expect("a value");
        values
    };
    let mut handed_out = Vec::new();
    for run in 1..=5u8 {
        let mut outputs = compiled.run_buffers(&[("x", &x)]).expect("it runs");
        let expected = [1.0, 2.0, 3.0, 4.0].map(|v: f32| v * f32::from(run));
        assert_eq!(f32s(&outputs[1]), expected);
        assert_eq!(outputs[1].device(), Some(compiled.device_id()));
        // The value of every second run is kept, so that the next run finds the state shared.
        if run % 2 == 0 {
            handed_out.push((outputs.swap_remove(1), expected));
        }
    }
    let mut clone = compiled.clone();
    assert_eq!(clone.try_run(&[("x", &[1.0; 4])]).expect("it runs")[1], [6.0, 11.0, 16.0, 21.0]);
    assert_eq!(compiled.try_run(&[("x", &[0.0; 4])]).expect("it runs")[1], [5.0, 10.0, 15.0, 20.0]);
    for (buffer, expected) in &handed_out {
        assert_eq!(f32s(buffer), *expected);
    }
}

#[test]
fn a_device_that_is_not_there_is_named_with_those_that_are() {
    if session("a_device_that_is_not_there_is_named_with_those_that_are").is_none() {
        return;
    }
    let error = Session::new(Device::Tpu.ordinal(77)).try_compile(counter()).expect_err("no such device");
    assert!(error.to_string().starts_with("tpu:77 is not there: there "), "{error}");
}
