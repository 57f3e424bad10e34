//! Large graphs from construction to first run. Nothing is timed: at these sizes, a linear lookup or a copy of the graph per node takes
//! minutes.

use rlx_ir::{Builder, DType, Dim, Graph, Op, ScanOperands, Shape, Tensor};
use rlx_session::{CompileOptions, CompiledGraph, CpuOptions, Device, RuntimeError, Session};

const MANY: usize = 100_000;

fn session() -> Session {
    let options = CompileOptions::new().with_backend(CpuOptions::new().num_threads(1)).donate_handles(true);
    Session::new(Device::Cpu).with_options(options)
}

fn pair() -> Shape {
    Shape::new(&[2], DType::F32)
}

fn finish(b: Builder, outputs: &[Tensor]) -> Graph {
    b.finish(&outputs.iter().collect::<Vec<_>>()).expect("valid")
}

fn compiled(graph: Graph) -> CompiledGraph {
    session().try_compile(graph).expect("compiles")
}

#[test]
fn many_parameters_are_set_one_by_one() {
    let b = Builder::new("parameters");
    let x = b.input("x", pair());
    let mut row: Vec<Tensor> = (0..MANY).map(|i| &x * &b.param(format!("w{i}"), pair())).collect();
    while row.len() > 1 {
        row = row.chunks(2).map(|two| if let [a, b] = two { a + b } else { two[0].clone() }).collect();
    }
    let mut compiled = compiled(finish(b, &row));
    let clone = compiled.clone();
    for i in 0..MANY {
        compiled.try_set_param(&format!("w{i}"), &[1.0, 2.0]).expect("fits");
    }
    assert_eq!(compiled.try_run(&[("x", &[1.0, 0.5])]).expect("runs"), [[MANY as f32; 2]]);
    // When all are packed and read, setting them again is not more expensive.
    for i in 0..MANY {
        compiled.try_set_param(&format!("w{i}"), &[0.0, 1.0]).expect("fits");
    }
    assert_eq!(compiled.try_run(&[("x", &[1.0, 1.0])]).expect("runs"), [[0.0, MANY as f32]]);
    assert_eq!(clone.param("w7").expect("known"), None);
}

#[test]
fn many_inputs_outputs_and_states_find_each_other() {
    let b = Builder::new("states");
    let step = b.input("step", pair());
    let next: Vec<Tensor> = (0..MANY).map(|i| &b.input(format!("out{i}"), pair()) + &step).collect();
    let mut compiled = compiled(finish(b, &next));
    for i in 0..MANY {
        compiled.set_handle(&format!("out{i}"), &[i as f32, 0.0]).expect("fits");
    }
    for _ in 0..2 {
        let step: &[u8] = &[1.0f32, 2.0].map(f32::to_le_bytes).concat();
        compiled.run_kept(&[("step", step, DType::F32)]).expect("runs");
    }
    assert_eq!(
        compiled.output_bytes(MANY - 1),
        [(MANY - 1) as f32 + 2.0, 4.0].map(f32::to_le_bytes).concat()
    );
    let fresh = compiled.without_state().expect("a clone");
    assert!(fresh.handle("out0").is_err() && compiled.handle("out0").is_ok());
}

#[test]
fn many_symbols_are_solved_from_lengths() {
    let b = Builder::new("symbols");
    let name = |i: usize| Dim::dynamic(&format!("s{i}"));
    // Each symbol follows from the next one, so that the first inputs are solved last.
    let count = MANY / 4;
    let shape = |i: usize| {
        let dims = if i + 1 == count { vec![name(i)] } else { vec![name(i), name(i + 1)] };
        Shape::from_dims(&dims, DType::F32)
    };
    let parts: Vec<Tensor> = (0..count).map(|i| b.input(format!("x{i}"), shape(i))).collect();
    let flat: Vec<Tensor> = parts
        .iter()
        .map(|x| x.reduce(rlx_ir::ReduceOp::Sum, &(1..x.rank()).collect::<Vec<_>>(), false))
        .collect();
    let joined = b.apply(Op::Concatenate { axis: 0 }, &flat.iter().collect::<Vec<_>>());
    let mut compiled = compiled(finish(b, &[joined]));
    let names: Vec<String> = (0..count).map(|i| format!("x{i}")).collect();
    let inputs: Vec<(&str, &[f32])> = names.iter().map(|name| (name.as_str(), &[3.0][..])).collect();
    assert_eq!(compiled.try_run(&inputs).expect("runs"), [vec![3.0; count]]);
}

#[test]
fn a_loop_carries_many_values() {
    let b = Builder::new("carries");
    let init: Vec<Tensor> = (0..MANY / 2).map(|i| b.input(format!("x{i}"), pair())).collect();
    let body = |_: &Builder, x: &[Tensor]| {
        let half = x.len() / 2;
        x.iter().enumerate().map(|(i, x)| if i < half { x.clone() } else { x + 1.0 }).collect()
    };
    let last = b.scan(ScanOperands { carry: &init, ..ScanOperands::default() }, 2usize, false, &body);
    let mut compiled = compiled(finish(b, &last));
    let names: Vec<String> = (0..MANY / 2).map(|i| format!("x{i}")).collect();
    let inputs: Vec<(&str, &[f32])> = names.iter().map(|name| (name.as_str(), &[0.5, 1.0][..])).collect();
    let out = compiled.try_run(&inputs).expect("runs");
    assert_eq!((&out[0][..], &out[MANY / 2 - 1][..]), (&[0.5, 1.0][..], &[2.5, 3.0][..]));
}

/// Returns nested loops, each with elementwise nodes that are fused.
fn nested(depth: usize) -> Result<Graph, String> {
    fn level(b: &Builder, x: &Tensor, depth: usize) -> Tensor {
        let y = (x + 1.0) * 0.5;
        if depth == 0 {
            return y;
        }
        let body = |b: &Builder, x: &[Tensor]| vec![level(b, &x[0], depth - 1)];
        b.scan(ScanOperands { carry: &[y], ..ScanOperands::default() }, 1usize, false, &body).remove(0)
    }
    let b = Builder::new("nested");
    let x = b.input("x", pair());
    let y = level(&b, &x, depth);
    b.finish(&[&y]).map_err(|e| e.to_string())
}

#[test]
fn loops_nest_to_the_limit_with_what_passes_put_inside() {
    let mut deepest = compiled(nested(rlx_ir::MAX_NESTING).expect("valid"));
    assert_eq!(deepest.try_run(&[("x", &[1.0, 1.0])]).expect("runs"), [[1.0, 1.0]]);
    let error = nested(rlx_ir::MAX_NESTING + 1).expect_err("too deep");
    assert!(error.contains("nests deeper than 32 levels"), "{error}");
}

#[test]
fn equal_fused_groups_have_one_body() {
    let b = Builder::new("blocks");
    let (x, w) =
        (b.input("x", Shape::new(&[2, 4], DType::F32)), b.param("w", Shape::new(&[4, 4], DType::F32)));
    let blocks = (0..MANY / 20).fold(x, |x, _| {
        let y = x.matmul(&w).tanh();
        &y * &x + &y
    });
    let compiled = compiled(finish(b, &[blocks]));
    let mut fused = 0;
    let mut bodies = std::collections::HashSet::new();
    for node in compiled.lowered_graph().nodes() {
        if let Op::Fusion { body, .. } = node.op() {
            fused += 1;
            bodies.insert(std::ptr::from_ref::<Graph>(body));
        }
    }
    assert!(fused >= MANY / 20 && bodies.len() <= 4, "{} bodies of {fused} groups", bodies.len());
}

#[test]
fn a_long_chain_ends_on_a_small_stack() {
    let chain = || {
        let b = Builder::new("chain");
        let x = b.input("x", pair());
        let y = (0..2 * MANY).fold(x.clone(), |y, i| if i % 2 == 0 { y.tanh() } else { &y * &x });
        let text = finish(b, &[y]).to_string();
        let graph = Graph::parse(&text).expect("parses");
        session().try_compile(graph)?.try_run(&[("x", &[0.0, 0.0])])
    };
    let small = std::thread::Builder::new().stack_size(512 << 10).spawn(chain).expect("a thread");
    let out: Result<Vec<Vec<f32>>, RuntimeError> = small.join().expect("no overflow");
    assert_eq!(out.expect("runs"), [[0.0, 0.0]]);
}
