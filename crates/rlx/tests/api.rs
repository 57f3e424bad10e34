//! The programs that users already have, as the design's `api.md` lists their forms.

use rlx::prelude::*;
use rlx::runtime::{dispatch_report_for_device, legalize_graph_for_device_with_options, supports_graph};

fn f32s(dims: &[usize]) -> Shape {
    Shape::new(dims, DType::F32)
}

/// A classifier with everything explicit: builders, shapes, reductions, a loss.
fn explicit() -> Graph {
    let mut g = Graph::new("explicit");
    let x = g.input("x", f32s(&[2, 4]));
    let labels = g.input("labels", f32s(&[2]));
    let w = g.param("w", f32s(&[4, 3]));
    let b = g.param("b", f32s(&[3]));
    let h = g.matmul(x, w, f32s(&[2, 3]));
    let h = g.binary(BinaryOp::Add, h, b, f32s(&[2, 3]));
    let h = g.activation(Activation::Gelu, h, f32s(&[2, 3]));
    let flat = g.reshape(h, vec![6], f32s(&[6]));
    let total = g.reduce(flat, ReduceOp::Sum, vec![0], false, f32s(&[]));
    let mean = g.reduce(h, ReduceOp::Mean, vec![1], true, f32s(&[2, 1]));
    let loss = g.softmax_cross_entropy_with_logits(h, labels);
    g.set_outputs(vec![loss, total, mean]);
    g
}

const W: [f32; 12] = [0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8, 0.9, -1.0, 1.1, 1.2];

fn compiled(device: Device) -> CompiledGraph {
    let mut compiled = Session::new(device).compile(explicit());
    compiled.set_param("w", &W);
    compiled.set_param("b", &[0.5, -0.5, 0.25]);
    compiled
}

#[test]
fn explicit_builders_compile_and_run() {
    let x = [1.0, 2.0, 3.0, 4.0, -1.0, 0.5, 0.25, 2.0];
    let out = compiled(Device::Cpu).run(&[("x", &x), ("labels", &[2.0, 0.0])]);
    // NumPy/SciPy: see scripts/api_reference.py.
    let expected: [&[f32]; 3] = [&[0.826_336_9, 3.160_789_3], &[18.237_515], &[4.598_577, 1.480_594_5]];
    for (got, want) in out.iter().zip(expected) {
        assert_eq!(got.len(), want.len());
        got.iter().zip(want).for_each(|(g, w)| assert!((g - w).abs() < 1e-4, "{out:?}"));
    }
}

#[test]
fn precision_sessions_stay_close_to_f32() {
    let x = [1.0, 2.0, 3.0, 4.0, -1.0, 0.5, 0.25, 2.0];
    let reference = compiled(Device::Cpu).run(&[("x", &x), ("labels", &[2.0, 0.0])]);
    for (precision, tolerance) in [(Precision::F32, 1e-6), (Precision::F16, 2e-2), (Precision::BF16, 1.5e-1)]
    {
        let mut c = Session::new_with_precision(Device::Cpu, precision).compile(explicit());
        c.set_param("w", &W);
        c.set_param("b", &[0.5, -0.5, 0.25]);
        let out = c.run(&[("x", &x), ("labels", &[2.0, 0.0])]);
        let pairs = out.iter().flatten().zip(reference.iter().flatten());
        pairs.for_each(|(a, b)| assert!((a - b).abs() < tolerance, "{precision:?}: {out:?} {reference:?}"));
    }
}

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
    // SAFETY: the slot lies in the arena, which nobody writes until the next run.
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
fn reports_and_policies() {
    let g = explicit();
    let report = dispatch_report_for_device(&g, Device::Cpu).expect("a report");
    assert!(report.is_supported());
    assert!(rlx::opt::format_dispatch_report(&report).starts_with("dispatch on cpu"));
    assert!(supports_graph(&g, Device::Cpu).expect("answers"));
    let opts = CompileOptions::new()
        .kernel_dispatch(KernelDispatchPolicy::PreferCommon)
        .force_common_kinds(vec![OpKind::Softmax]);
    let (legal, report) = legalize_graph_for_device_with_options(g, Device::Cpu, &opts).expect("legal");
    assert!(report.is_supported());
    let composite = |n: &Node| n.op().kind().class() == rlx::ir::OpClass::Composite;
    assert!(!legal.nodes().iter().any(composite), "{legal}");
    assert_eq!(pick_best_device(&explicit()).expect("the CPU"), Device::Cpu);
}

#[test]
fn symbolic_dims_compile_once_a_binding() {
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
    assert!(c.try_run(&[("x", &[1.0, 2.0, 3.0])]).is_err(), "three elements are no n × 2");
}

#[test]
fn named_fields_build_ops() {
    let mut g = Graph::new("pool");
    let x = g.input("x", f32s(&[1, 1, 4, 4]));
    let op =
        Op::Pool { kind: ReduceOp::Max, kernel_size: vec![2, 2], stride: vec![2, 2], padding: vec![0, 0] };
    let y = g.add_node(op, vec![x], f32s(&[1, 1, 2, 2]));
    g.set_outputs(vec![y]);
    let x: Vec<f32> = (0..16).map(|i| i as f32).collect();
    let out = Session::new(Device::Cpu).compile(g).run(&[("x", &x)]);
    assert_eq!(out, [[5.0, 7.0, 13.0, 15.0]]);
}

#[test]
fn bad_calls_name_what_is_wrong() {
    let mut c = compiled(Device::Cpu);
    let x = [0.0; 8];
    let says = |result: Result<Vec<Vec<f32>>>, parts: &[&str]| {
        let message = result.expect_err("refused").to_string();
        parts.iter().for_each(|p| assert!(message.contains(p), "{message}"));
    };
    says(c.try_run(&[("y", &x)]), &["no input `y`", "`x`", "`labels`"]);
    says(c.try_run(&[("x", &x)]), &["missing", "labels"]);
    says(c.try_run(&[("x", &x), ("x", &x), ("labels", &[0.0; 2])]), &["`x`", "twice"]);
    says(c.try_run(&[("x", &x[..7]), ("labels", &[0.0; 2])]), &["`x`", "f32[2,4]", "8", "7"]);
    let fresh = Session::new(Device::Cpu).try_compile(explicit()).expect("compiles");
    says(fresh.clone().try_run(&[("x", &x), ("labels", &[0.0; 2])]), &["not set", "w, b"]);
    let message = c.try_set_param("v", &[1.0]).expect_err("unknown").to_string();
    assert!(message.contains("no parameter `v`"), "{message}");
    let message = Session::new(Device::Cuda).try_compile(explicit()).expect_err("absent").to_string();
    assert!(message.contains("cuda"), "{message}");
}

/// Σ tanh(x·w)², of which everything can be written down.
fn energy() -> Graph {
    let b = Builder::new("energy");
    let x = b.input("x", f32s(&[2, 4]));
    let w = b.param("w", f32s(&[4, 3]));
    let y = x.matmul(&w).tanh();
    b.finish(&[&(&y * &y).reduce(ReduceOp::Sum, &[0, 1], false)]).unwrap()
}

/// The energy and its gradient by w, in f64.
fn energy_and_gradient(x: &[f32], w: &[f32]) -> (f64, Vec<f64>) {
    let (mut total, mut gradient) = (0.0, vec![0.0; 12]);
    for row in x.chunks(4) {
        for j in 0..3 {
            let z: f64 = (0..4).map(|k| f64::from(row[k]) * f64::from(w[3 * k + j])).sum();
            let y = z.tanh();
            total += y * y;
            (0..4).for_each(|k| gradient[3 * k + j] += 2.0 * y * (1.0 - y * y) * f64::from(row[k]));
        }
    }
    (total, gradient)
}

fn near(got: &[f32], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    got.iter().zip(want).for_each(|(g, w)| assert!((f64::from(*g) - w).abs() < 1e-4, "{got:?} {want:?}"));
}

#[test]
fn transforms_give_graphs_that_run() {
    use rlx::autodiff::{VmapAxes, grad, hvp, jvp, vmap};
    let x = [0.3, -0.2, 0.5, 0.1, -0.4, 0.25, 0.15, -0.6];
    let run = |graph: Graph, inputs: &[(&str, &[f32])]| {
        let mut compiled = Session::new(Device::Cpu).compile(graph);
        compiled.set_param("w", &W);
        compiled.run(inputs)
    };
    let (value, gradient) = energy_and_gradient(&x, &W);
    near(&run(grad(&energy(), "w").unwrap(), &[("x", &x)])[0], &gradient);

    let tangent: Vec<f32> = (0..12).map(|i| 0.1 * i as f32 - 0.5).collect();
    let along: f64 = gradient.iter().zip(&tangent).map(|(g, t)| g * f64::from(*t)).sum();
    let pushed = run(jvp(&energy(), "w").unwrap(), &[("x", &x), ("w.tangent", &tangent)]);
    near(&[pushed[0][0], pushed[1][0]], &[value, along]);

    // The Hessian times a tangent, by central differences of the gradient.
    let step = 1e-3;
    let moved =
        |sign: f32| -> Vec<f32> { W.iter().zip(&tangent).map(|(w, t)| w + sign * step * t).collect() };
    let (up, down) = (energy_and_gradient(&x, &moved(1.0)).1, energy_and_gradient(&x, &moved(-1.0)).1);
    let curvature: Vec<f64> = up.iter().zip(&down).map(|(u, d)| (u - d) / (2.0 * f64::from(step))).collect();
    let product = run(hvp(&energy(), "w").unwrap(), &[("x", &x), ("w.tangent", &tangent)]);
    product[0].iter().zip(&curvature).for_each(|(g, w)| assert!((f64::from(*g) - w).abs() < 2e-3, "{g} {w}"));

    // A gradient for each of two batches.
    let twice = [x, x.map(|v| -0.5 * v)].concat();
    let each = run(vmap(&grad(&energy(), "w").unwrap(), &VmapAxes::new().size(2)).unwrap(), &[("x", &twice)]);
    let second = energy_and_gradient(&twice[8..], &W).1;
    near(&each[0], &[gradient, second].concat());
}
