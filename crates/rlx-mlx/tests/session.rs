//! Tests sessions on MLX: sizes, states, threads, modes, and errors.

mod present;

use present::{MODES, session};
use rlx_compile::Param;
use rlx_conformance::bound::{Freedom, Reference};
use rlx_conformance::compare::Agreement;
use rlx_conformance::stream::Stream;
use rlx_exec::{Arguments, Backend, Instance, Value, lower};
use rlx_flow::Flow;
use rlx_flow::blocks::linear;
use rlx_ir::custom::{CustomOp, register_custom};
use rlx_ir::{Bindings, Builder, DType, Dim, Graph, Literal, Op, OpError, Shape};
use rlx_mlx::{MlxBackend, MlxEngine, MlxExecutable, MlxMode, MlxOptions};
use rlx_session::{Buffer, CompileOptions, CompiledGraph, Device, Session};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Two linear layers with GELU between them: `x` is `f32[n,8]`.
fn two_layers() -> Graph {
    let flow = Flow::new("two_layers", DType::F32);
    let x = flow.input("x", &[Dim::dynamic("n"), 8.into()], DType::F32);
    let hidden = flow.block("first", |f| linear(f, &x, 8, 16)).gelu();
    let out = flow.block("second", |f| linear(f, &hidden, 16, 4));
    flow.finish(&[&out, &hidden]).expect("a valid graph")
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

fn compiled(session: &Session, graph: &Graph) -> CompiledGraph {
    let mut compiled = session.try_compile(graph.clone()).expect("it compiles");
    for (name, value) in parameters(graph) {
        compiled.set_param_typed(&name, value.bytes(), value.dtype()).expect("a parameter");
    }
    compiled
}

/// GELU uses MLX's error function, which has an error of 3.5e-7.
fn near(got: &[Literal], wanted: &[Literal]) {
    for (got, wanted) in got.iter().zip(wanted) {
        let [got, wanted] = [got, wanted].map(|l| l.as_slice::<f32>().expect("f32").to_vec());
        let apart = got.iter().zip(&wanted).map(|(g, w)| (g - w).abs()).fold(0.0, f32::max);
        assert!(got.len() == wanted.len() && apart < 4e-6, "{apart:e}");
    }
}

#[test]
fn a_graph_of_each_size_runs_with_one_set_of_parameters() {
    for mode in MODES {
        let Some(session) = session("a_graph_of_each_size_runs_with_one_set_of_parameters", mode) else {
            return;
        };
        let graph = two_layers();
        let mut compiled = compiled(&session, &graph);
        let mut stream = Stream::new(1);
        for n in [1usize, 3, 8, 3, 0] {
            let x = f32s(&mut stream, &[n, 8]);
            let outputs = compiled.run_literals(&[("x", &x)]).expect("it runs");
            let bound = graph.bind(&Bindings::from([("n".into(), n)]));
            let parameters = parameters(&graph);
            let mut values: Vec<(&str, &Literal)> = vec![("x", &x)];
            values.extend(parameters.iter().map(|(name, value)| (name.as_str(), value)));
            near(&outputs, &rlx_ir::eval(&bound, &values).expect("the evaluator runs"));
        }
    }
}

#[test]
fn clones_run_on_several_threads_and_are_dropped_in_any_order() {
    for mode in MODES {
        let name = "clones_run_on_several_threads_and_are_dropped_in_any_order";
        let Some(session) = session(name, mode) else { return };
        let graph = two_layers();
        let mut first = compiled(&session, &graph);
        let x = f32s(&mut Stream::new(2), &[5, 8]);
        let expected = first.run_literals(&[("x", &x)]).expect("it runs");
        let clones: Vec<CompiledGraph> = (0..4).map(|_| first.clone()).collect();
        std::thread::scope(|scope| {
            for mut clone in clones {
                let (x, expected) = (&x, &expected);
                scope.spawn(move || {
                    for _ in 0..10 {
                        assert_eq!(&clone.run_literals(&[("x", x)]).expect("it runs"), expected);
                    }
                });
            }
        });
        let mut second = compiled(&session, &graph);
        drop(session);
        assert_eq!(second.run_literals(&[("x", &x)]).expect("it runs"), expected);
        assert_eq!(first.run_literals(&[("x", &x)]).expect("it runs"), expected);
        drop(first);
        assert_eq!(second.run_literals(&[("x", &x)]).expect("it runs"), expected);
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

/// State stays in MLX arrays. If something else holds a value, that value does not change.
#[test]
fn state_is_updated_and_values_that_were_handed_out_stay() {
    for mode in MODES {
        let Some(session) = session("state_is_updated_and_values_that_were_handed_out_stay", mode) else {
            return;
        };
        let options = CompileOptions { state: vec![("count".into(), 1)], ..session.options().clone() };
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
}

/// Returns its operand, counts calls, and fails for a negative number.
struct Counted;

static COUNT: AtomicUsize = AtomicUsize::new(0);

impl CustomOp for Counted {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok(operands.to_vec())
    }

    fn eval(&self, _: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError> {
        COUNT.fetch_add(1, Ordering::Relaxed);
        match operands[0].as_slice::<f32>() {
            Ok(values) if values.iter().any(|v| *v < 0.0) => Err(OpError::shape("a negative number")),
            _ => Ok(operands.to_vec()),
        }
    }
}

fn counted(x: &rlx_ir::Tensor) -> rlx_ir::Tensor {
    let op = Op::Custom { name: "mlx.counted".into(), config: String::new(), results: vec![x.shape()] };
    x.apply(op, &[])
}

#[test]
fn only_the_branch_that_is_taken_runs_and_a_failure_names_its_op() {
    let Some(session) = session("only_the_branch_that_is_taken_runs", MlxMode::Lazy) else { return };
    register_custom("mlx.counted", Arc::new(Counted)).expect("the first of this name");
    let branch = |counts: bool| {
        let b = Builder::new("branch");
        let x = b.input("x", Shape::new(&[2], DType::F32));
        let y = if counts { counted(&x) } else { &x + &x };
        b.finish(&[&y]).expect("a valid graph")
    };
    let b = Builder::new("g");
    let pred = b.input("pred", Shape::new(&[], DType::Bool));
    let x = b.input("x", Shape::new(&[2], DType::F32));
    let op = Op::If { then_branch: branch(true).into(), else_branch: branch(false).into() };
    let graph = b.finish(&[&pred.apply(op, &[&x])]).expect("a valid graph");
    let mut compiled = session.try_compile(graph).expect("it compiles");
    let run = |compiled: &mut CompiledGraph, pred: bool, x: [f32; 2]| {
        let pred = Literal::from_bools(&[], &[pred]).expect("a boolean");
        let x = Literal::new(&[2], &x).expect("two numbers");
        compiled.run_literals(&[("pred", &pred), ("x", &x)])
    };
    let doubled = run(&mut compiled, false, [1.0, 2.0]).expect("it runs");
    assert_eq!(
        (doubled[0].as_slice::<f32>().expect("f32"), COUNT.load(Ordering::Relaxed)),
        (&[2.0, 4.0][..], 0)
    );
    let same = run(&mut compiled, true, [1.0, 2.0]).expect("it runs");
    assert_eq!(
        (same[0].as_slice::<f32>().expect("f32"), COUNT.load(Ordering::Relaxed)),
        (&[1.0, 2.0][..], 1)
    );
    let error = run(&mut compiled, true, [-1.0, 2.0]).expect_err("it fails").to_string();
    assert!(
        error.contains("`custom`") && error.contains("(f32[2])") && error.contains("a negative number"),
        "{error}"
    );
}

#[test]
fn a_program_that_needs_more_memory_than_it_may_is_refused() {
    let Some(session) = session("a_program_that_needs_more_memory_than_it_may_is_refused", MlxMode::Lazy)
    else {
        return;
    };
    let b = Builder::new("large");
    let x = b.input("x", Shape::new(&[1], DType::F32));
    let wide = x.broadcast_to(&[Dim::Static(1 << 20)]).exp();
    let graph = b.finish(&[&wide]).expect("a valid graph");
    let options = session.options().clone().memory_limit(1 << 20);
    let error =
        session.with_options(options).try_compile(graph).and_then(|mut g| g.try_run(&[("x", &[1.0])]));
    let error = error.expect_err("4 MiB of 1").to_string();
    assert!(error.contains("`exp`") && error.contains("may plan for"), "{error}");
}

#[test]
fn types_that_mlx_has_not_are_refused_by_name() {
    let Some(session) = session("types_that_mlx_has_not_are_refused_by_name", MlxMode::Lazy) else { return };
    let b = Builder::new("narrow");
    let x = b.input("x", Shape::new(&[2], DType::F8E4M3));
    let graph = b.finish(&[&x]).expect("a valid graph");
    let error = session.try_compile(graph).expect_err("no such type").to_string();
    assert!(error.contains("MLX has no arrays of f8e4m3"), "{error}");
}

#[test]
fn a_graph_runs_without_a_session_in_each_mode() {
    if session("a_graph_runs_without_a_session_in_each_mode", MlxMode::Lazy).is_none() {
        return;
    }
    let graph = two_layers().bind(&Bindings::from([("n".into(), 2)]));
    let x = f32s(&mut Stream::new(5), &[2, 8]);
    let mut first: Option<Vec<Literal>> = None;
    for mode in MODES {
        let mut executable = MlxExecutable::compile_with_mode(graph.clone(), mode);
        for (name, value) in parameters(&graph) {
            executable.set_param(&name, value).expect("a parameter");
        }
        let error = executable.run(&[]).expect_err("no input").to_string();
        assert_eq!(error, "input `x` is not given");
        let narrow = f32s(&mut Stream::new(5), &[2]);
        let error = executable.run(&[("x", &narrow)]).expect_err("another shape").to_string();
        assert_eq!(error, "input `x` is f32[2,8], got f32[2]");
        for _ in 0..2 {
            let outputs = executable.run(&[("x", &x)]).expect("it runs");
            near(&outputs, first.get_or_insert(outputs.clone()));
        }
        assert!(executable.describe().contains(&format!(", {mode}\n")), "{}", executable.describe());
    }
}

fn int(like: &rlx_ir::Tensor, value: i64) -> rlx_ir::Tensor {
    like.builder().int(value, DType::I32)
}

#[test]
fn loops_end_when_they_do() {
    for mode in MODES {
        let Some(session) = session("loops_end_when_they_do", mode) else { return };
        let b = Builder::new("g");
        let n = b.input("n", Shape::new(&[], DType::I32));
        let cond = {
            let b = Builder::new("cond");
            let [n, _] =
                [b.input("n", Shape::new(&[], DType::I32)), b.input("steps", Shape::new(&[], DType::I32))];
            b.finish(&[&n.compare(rlx_ir::CompareOp::Gt, &int(&n, 1))]).expect("a valid graph")
        };
        let body = {
            let b = Builder::new("body");
            let [n, steps] =
                [b.input("n", Shape::new(&[], DType::I32)), b.input("steps", Shape::new(&[], DType::I32))];
            let half = &n / &int(&n, 2);
            let even = n
                .apply(Op::Binary { op: rlx_ir::BinaryOp::Rem }, &[&int(&n, 2)])
                .compare(rlx_ir::CompareOp::Eq, &int(&n, 0));
            let next = even.select(&half, &(&(&n * &int(&n, 3)) + &int(&n, 1)));
            b.finish(&[&next, &(&steps + &int(&steps, 1))]).expect("a valid graph")
        };
        let zero = b.int(0, DType::I32);
        let ends = n.apply_many(Op::While { cond: cond.into(), body: body.into() }, &[&zero]);
        let graph = b.finish(&[&ends[1]]).expect("a valid graph");
        let mut compiled = session.try_compile(graph).expect("it compiles");
        for (n, steps) in [(1, 0), (6, 8), (27, 111)] {
            let n = Literal::new(&[], &[n]).expect("a number");
            let outputs = compiled.run_literals(&[("n", &n)]).expect("it runs");
            assert_eq!(outputs[0].as_slice::<i32>().expect("i32"), [steps]);
        }
    }
}

#[test]
fn a_device_that_is_not_there_is_named_with_those_that_are() {
    if session("a_device_that_is_not_there_is_named_with_those_that_are", MlxMode::Lazy).is_none() {
        return;
    }
    let error = Session::new(Device::Mlx.ordinal(77)).try_compile(counter()).expect_err("no such device");
    assert!(error.to_string().starts_with("mlx:77 is not there: there "), "{error}");
}

/// The bounds of the graph hold if it uses none of the functions that MLX computes less accurately.
#[test]
fn products_and_sums_are_within_their_bounds() {
    let Some(session) = session("products_and_sums_are_within_their_bounds", MlxMode::Lazy) else { return };
    let b = Builder::new("g");
    let x = b.input("x", Shape::new(&[17, 33], DType::F32));
    let y = x.matmul(&x.transpose(&[1, 0])).softmax(1).mean(&[0], false);
    let graph = b.finish(&[&y]).expect("a valid graph");
    let x = f32s(&mut Stream::new(8), &[17, 33]);
    let outputs = session.try_compile(graph.clone()).expect("it compiles").run_literals(&[("x", &x)]);
    let reference = Reference::new(&graph, &[("x", &x)], Freedom::Contract, &|_| false).expect("a bound");
    reference.check(&outputs.expect("it runs"), Agreement::AnyZeros).expect("within the bounds");
}

#[test]
fn functions_of_sizes_that_are_gone_go_with_them() {
    if session("functions_of_sizes_that_are_gone_go_with_them", MlxMode::Compiled).is_none() {
        return;
    }
    let (backend, graph) = (MlxBackend::new(), two_layers());
    let options = CompileOptions::new().with_backend(MlxOptions::new().mode(MlxMode::Compiled));
    let queue = backend.queue(0).expect("a queue");
    let lowered = lower(&graph, &[], &backend, &options).expect("a graph of simpler ops");
    let mut program = backend.prepare(lowered, &queue).expect("a program");
    for (index, (_, value)) in parameters(&graph).into_iter().enumerate() {
        program.set_param(index, Param::new(Arc::new(value)));
    }
    let mut run = |n: usize| {
        program.bind(&Bindings::from([("n".into(), n)])).expect("a size");
        let x = f32s(&mut Stream::new(n as u64), &[n, 8]);
        let inputs = [Value::Host(x.bytes())];
        program.run(Arguments { inputs: &inputs, state: &mut [], outputs: &mut [] }).expect("it runs");
        let own = program.as_any().downcast_ref::<Instance<MlxEngine>>().expect("a program of MLX");
        own.worker().expect("it is bound").compiled_functions()
    };
    assert_eq!([run(1), run(1), run(2)], [1, 1, 2]);
    // Functions are kept only for the sizes that a cache of programs keeps.
    let most = (3..200).map(&mut run).max().expect("some");
    assert!((64..=66).contains(&most), "{most}");
}

/// A chain of 600 steps, of which some are outputs; an input, a parameter and a constant are read all along it.
fn chain() -> Graph {
    let b = Builder::new("chain");
    let shape = || Shape::new(&[3, 5], DType::F32);
    let (x, w) = (b.input("x", shape()), b.param("w", shape()));
    let c = b.constant(Literal::new(&[3, 5], &[0.3f32; 15]).expect("fifteen numbers"));
    // The same array as the constant, made in the first part.
    let held = c.apply(Op::OptimizationBarrier {}, &[]);
    let (mut y, mut outputs) = (&x * &held, Vec::new());
    for i in 0..200 {
        y = (&y * &w + &x).sin();
        if i > 190 {
            y = &y + &c * &held;
        }
        if i % 90 == 7 {
            outputs.push(y.clone());
        }
    }
    outputs.push(y);
    b.finish(&outputs.iter().collect::<Vec<_>>()).expect("a valid graph")
}

#[test]
fn a_long_graph_runs_in_parts() {
    let graph = chain();
    let (x, w) = (f32s(&mut Stream::new(1), &[3, 5]), f32s(&mut Stream::new(2), &[3, 5]));
    let mut first: Option<Vec<Literal>> = None;
    for mode in MODES {
        if session("a_long_graph_runs_in_parts", mode).is_none() {
            return;
        }
        let mut executable = MlxExecutable::compile_with_mode(graph.clone(), mode);
        executable.set_param("w", w.clone()).expect("a parameter");
        for _ in 0..2 {
            let outputs = executable.run(&[("x", &x)]).expect("it runs");
            assert_eq!(outputs.len(), 4);
            assert_eq!(&outputs, first.get_or_insert(outputs.clone()), "{mode}");
        }
    }
}
