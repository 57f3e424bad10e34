//! Derivatives through control flow and functions with rules of their own, compared with JAX (scripts/control_goldens.py): first
//! and second derivatives in every order of modes, and over a batch.

mod programs;

use programs::{SHAPES, deep_with, named, ruled, with_rule};
use rlx_autodiff::{
    Options, ScanMemory, VmapAxes, WhileMemory, custom_vjp, grad_with, hvp_with, jvp_with, vjp_with,
    vmap_with,
};
use rlx_ir::eval::Value;
use rlx_ir::{CheckpointPolicy, DType, Graph, Literal, Op, eval};

const WRT: [&str; 3] = ["w", "c", "xs"];

/// The inputs of a point, or tangents for them.
fn values(point: usize, seed: usize) -> Vec<Vec<f64>> {
    let one = |(j, dims): (usize, &&[usize])| {
        let number = |i: usize| ((i * 7 + (seed + 3 * point + j) * 5) % 23) as f64 / 16.0 - 11.0 / 16.0;
        (0..dims.iter().product()).map(number).collect()
    };
    SHAPES.iter().enumerate().map(one).collect()
}

fn run(graph: &Graph, inputs: &[Vec<f64>]) -> Vec<f64> {
    let literal = |(node, values): (&rlx_ir::Node, &Vec<f64>)| {
        let dims = node.shape().static_dims().unwrap();
        Value::floats(dims, DType::F64, values.clone()).to_literal().unwrap()
    };
    let literals: Vec<Literal> = graph.inputs().zip(inputs).map(literal).collect();
    let name = |node: &rlx_ir::Node| match node.op() {
        Op::Input { name } => name.clone(),
        other => panic!("{other:?}"),
    };
    let names: Vec<String> = graph.inputs().map(name).collect();
    let pairs: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(&literals).collect();
    let results = eval(graph, &pairs).unwrap_or_else(|e| panic!("{e}\n{graph}"));
    results.iter().flat_map(|l| Value::from_literal(l).to_f64s()).collect()
}

#[track_caller]
fn close(what: &str, got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{what}");
    let scale = want.iter().fold(1.0f64, |m, w| m.max(w.abs()));
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= 1e-11 * scale, "{what}: {got:?}, not {want:?}");
    }
}

/// The results of JAX for a function at a point.
struct Golden {
    value: Vec<f64>,
    gradient: Vec<f64>,
    pushed: Vec<f64>,
    product: Vec<f64>,
    transposed: Vec<f64>,
}

fn goldens(function: &str) -> Vec<Golden> {
    let numbers = |field: &str| field.split_whitespace().map(|n| n.parse().unwrap()).collect::<Vec<f64>>();
    let of = |line: &str| {
        let fields: Vec<&str> = line.split('|').collect();
        let [name, fields @ ..] = &fields[..] else { return None };
        let (name, _) = name.trim().split_once(' ')?;
        let [value, gradient, pushed, product, transposed] = fields else { return None };
        (name == function).then(|| Golden {
            value: numbers(value),
            gradient: numbers(gradient),
            pushed: numbers(pushed),
            product: numbers(product),
            transposed: numbers(transposed),
        })
    };
    let points: Vec<Golden> = include_str!("goldens/control.txt").lines().filter_map(of).collect();
    assert_eq!(points.len(), 3, "{function}");
    points
}

fn check(function: &str, graph: &Graph, options: &Options) {
    let options = &options.clone().allow_unused();
    let points = goldens(function);
    let gradient = grad_with(graph, WRT, options).unwrap_or_else(|e| panic!("{function}: {e}"));
    let pushed = jvp_with(graph, WRT, options).unwrap();
    let forward_reverse = hvp_with(graph, WRT, options).unwrap();
    let reverse_reverse = vjp_with(&gradient, WRT, options).unwrap();
    let reverse_forward = grad_with(&pushed, WRT, &options.clone().loss(1)).unwrap();
    for (p, golden) in points.iter().enumerate() {
        let (x, t) = (values(p, 0), values(p, 40));
        let with_t = [x.clone(), t].concat();
        let what = |transform: &str| format!("{transform} of {function} at {p}");
        close(&what("value"), &run(graph, &x), &golden.value);
        close(&what("gradient"), &run(&gradient, &x), &golden.gradient);
        close(&what("jvp"), &run(&pushed, &with_t)[1..], &golden.pushed);
        close(&what("hvp"), &run(&forward_reverse, &with_t), &golden.product);
        let reversed = run(&reverse_reverse, &with_t);
        close(&what("reverse over reverse"), &reversed[reversed.len() / 2..], &golden.transposed);
        close(&what("reverse over forward"), &run(&reverse_forward, &with_t), &golden.transposed);
    }
}

/// The values of several points along a new leading axis.
fn stacked(points: &[Vec<Vec<f64>>]) -> Vec<Vec<f64>> {
    (0..points[0].len()).map(|j| points.iter().flat_map(|p| p[j].clone()).collect()).collect()
}

/// Regroups the results of several points by output instead of by point.
fn by_output(points: &[Vec<f64>], sizes: &[usize]) -> Vec<f64> {
    let mut out = Vec::new();
    let mut at = 0;
    for size in sizes {
        points.iter().for_each(|p| out.extend(&p[at..at + size]));
        at += size;
    }
    out
}

const SIZES: [usize; 3] = [1, 3, 12];

/// Values, gradients of a batch, batches of gradients, and gradients with respect to what the batch shares.
fn check_batch(function: &str, graph: &Graph, options: &Options) {
    let options = &options.clone().allow_unused();
    let points = goldens(function);
    let inputs: Vec<Vec<Vec<f64>>> = (0..points.len()).map(|p| values(p, 0)).collect();
    let each = VmapAxes::new().size(points.len());
    let mapped = vmap_with(graph, &each, options).unwrap();
    let all: Vec<f64> = points.iter().map(|g| g.value[0]).collect();
    close(&format!("values of a batch of {function}"), &run(&mapped, &stacked(&inputs)), &all);

    let gradients: Vec<Vec<f64>> = points.iter().map(|g| g.gradient.clone()).collect();
    let want = by_output(&gradients, &SIZES);
    let gradient = grad_with(graph, WRT, options).unwrap();
    let of_gradients = vmap_with(&gradient, &each, options).unwrap();
    close(&format!("batch of gradients of {function}"), &run(&of_gradients, &stacked(&inputs)), &want);

    let of_batch = vjp_with(&mapped, WRT, options).unwrap();
    let cotangents = [1.0, -2.0, 0.5];
    let scaled = |(g, ct): (&Vec<f64>, f64)| g.iter().map(|x| x * ct).collect();
    let scaled: Vec<Vec<f64>> = gradients.iter().zip(cotangents).map(scaled).collect();
    let mut batch = stacked(&inputs);
    batch.push(cotangents.to_vec());
    let got = run(&of_batch, &batch);
    close(&format!("gradient of a batch of {function}"), &got[points.len()..], &by_output(&scaled, &SIZES));

    for shared in 0..3 {
        let mut axes = vec![Some(0); 3];
        axes[shared] = None;
        let axes = each.clone().in_axes(axes);
        let of_batch = vjp_with(&vmap_with(graph, &axes, options).unwrap(), WRT, options).unwrap();
        let mut same = inputs.clone();
        same.iter_mut().for_each(|p| p[shared] = inputs[0][shared].clone());
        let mut want: Vec<Vec<f64>> = vec![Vec::new(); 3];
        for (p, ct) in same.iter().zip(cotangents) {
            let mut own = run(&gradient, p).into_iter().map(|x| x * ct);
            for (j, size) in SIZES.iter().enumerate() {
                let part: Vec<f64> = own.by_ref().take(*size).collect();
                if j == shared && !want[j].is_empty() {
                    want[j].iter_mut().zip(part).for_each(|(w, x)| *w += x);
                } else {
                    want[j].extend(part);
                }
            }
        }
        let mut batch = stacked(&same);
        batch[shared] = inputs[0][shared].clone();
        batch.push(cotangents.to_vec());
        let got = run(&of_batch, &batch);
        let what = format!("gradient of a batch of {function} that shares {}", WRT[shared]);
        close(&what, &got[points.len()..], &want.concat());
    }
}

fn check_all(functions: &[&str], options: &Options) {
    for function in functions {
        check(function, &named(function), options);
        check_batch(function, &named(function), options);
    }
}

const SCANS: [&str; 5] = ["scan", "scan_reverse", "scan_map", "scan_empty", "scan_nested"];

#[test]
fn scans() {
    check_all(&SCANS, &Options::new());
}

#[test]
fn scans_that_keep_less() {
    for memory in [ScanMemory::Carries, ScanMemory::Segments] {
        check_all(&SCANS, &Options::new().scan_memory(memory));
    }
}

#[test]
fn branches() {
    check_all(&["branch", "case", "branch_in_scan", "scan_in_branch"], &Options::new());
}

#[test]
fn loops_that_remember_some_steps() {
    for slots in [0, 5, 64] {
        let options = Options::new().while_memory(WhileMemory::Checkpoints(slots));
        check_all(&["loop", "loop_counted", "loop_in_scan"], &options);
    }
}

#[test]
fn loops_of_bounded_length() {
    let options = Options::new().while_memory(WhileMemory::Bounded(13));
    check_all(&["loop", "loop_counted", "loop_in_scan"], &options);
    check_all(&["loop"], &options.scan_memory(ScanMemory::Segments));
}

#[test]
fn checkpoints_change_no_result() {
    check_all(&["deep"], &Options::new());
    use CheckpointPolicy::{Dots, DotsWithoutBatch, Everything, Nothing};
    for policy in [Nothing, Dots, DotsWithoutBatch, Everything] {
        check("deep", &deep_with(policy), &Options::new());
        check_batch("deep", &deep_with(policy), &Options::new());
    }
}

#[test]
fn rules_of_the_program() {
    check_all(&["custom_jvp", "custom_in_scan"], &Options::new());
    let (forward, _, vjp) = ruled();
    let rule = custom_vjp(&forward, &vjp).unwrap();
    for function in ["custom_jvp", "custom_in_scan"] {
        check(function, &with_rule(function, &rule), &Options::new());
        check_batch(function, &with_rule(function, &rule), &Options::new());
    }
}
