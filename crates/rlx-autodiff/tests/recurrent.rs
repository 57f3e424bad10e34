//! Composites that are loops, through their decompositions: tangents compared with differences, cotangents with tangents, and
//! batches of derivatives with each derivative alone.

use rlx_autodiff::{VmapAxes, jvp, vjp, vmap};
use rlx_ir::eval::Value;
use rlx_ir::{Activation, Builder, DType, Graph, Literal, Op, Shape, Tensor, eval};

fn program(op: Op, shapes: &[&[usize]]) -> Graph {
    let b = Builder::new("program");
    let input = |(i, s): (usize, &&[usize])| b.input(format!("x{i}"), Shape::new(s, DType::F64));
    let xs: Vec<Tensor> = shapes.iter().enumerate().map(input).collect();
    let results = b.apply_many(op, &xs.iter().collect::<Vec<_>>());
    b.finish(&results.iter().collect::<Vec<_>>()).unwrap()
}

fn programs() -> Vec<Graph> {
    let mut all = Vec::new();
    for reverse in [false, true] {
        let rnn = Op::Rnn { activation: Activation::Tanh, reverse };
        all.push(program(rnn, &[&[3, 2, 2], &[2, 3], &[3, 2], &[3, 3]]));
        all.push(program(Op::Lstm { reverse }, &[&[3, 2, 2], &[2, 3], &[2, 3], &[12, 2], &[12, 3]]));
        all.push(program(Op::Gru { reverse }, &[&[3, 2, 2], &[2, 3], &[9, 2], &[9, 3]]));
    }
    all.push(program(Op::SelectiveScan {}, &[&[2, 3, 4], &[2, 3, 4], &[4, 2], &[2, 3, 2], &[2, 3, 2]]));
    all
}

/// Numbers for these shapes, one list each.
fn filled(shapes: &[Shape], seed: usize) -> Vec<Vec<f64>> {
    let one = |(j, s): (usize, &Shape)| {
        let number = |i: usize| ((i * 7 + (seed + j) * 5) % 23) as f64 / 16.0 - 11.0 / 16.0;
        (0..s.num_elements().unwrap()).map(number).collect()
    };
    shapes.iter().enumerate().map(one).collect()
}

fn run(graph: &Graph, inputs: &[Vec<f64>]) -> Vec<Vec<f64>> {
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
    results.iter().map(|l| Value::from_literal(l).to_f64s()).collect()
}

fn dot(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    a.concat().iter().zip(b.concat()).map(|(x, y)| x * y).sum()
}

#[test]
fn tangents_are_differences_and_cotangents_their_transposes() {
    for graph in programs() {
        let wrt: Vec<usize> = (0..graph.inputs().count()).collect();
        let n = graph.outputs().len();
        let (x, v) = (filled(&graph.input_shapes(), 0), filled(&graph.input_shapes(), 30));
        let u = filled(&graph.output_shapes(), 60);
        let jv = run(&jvp(&graph, &wrt[..]).unwrap(), &[x.clone(), v.clone()].concat()).split_off(n);
        let step = 1e-5;
        let moved = |sign: f64| {
            let along = |(x, v): (&Vec<f64>, &Vec<f64>)| {
                x.iter().zip(v).map(|(x, v)| x + sign * step * v).collect::<Vec<f64>>()
            };
            run(&graph, &x.iter().zip(&v).map(along).collect::<Vec<_>>()).concat()
        };
        for (t, (a, b)) in jv.concat().iter().zip(moved(1.0).iter().zip(moved(-1.0))) {
            assert!((t - (a - b) / (2.0 * step)).abs() < 1e-8, "{graph}");
        }
        let ju = run(&vjp(&graph, &wrt[..]).unwrap(), &[x, u.clone()].concat()).split_off(n);
        let (left, right) = (dot(&jv, &u), dot(&v, &ju));
        assert!((left - right).abs() <= 1e-12 * left.abs().max(1.0), "{left} {right}\n{graph}");
    }
}

#[test]
fn batches_of_derivatives_are_those_of_each() {
    for graph in programs() {
        let wrt: Vec<usize> = (0..graph.inputs().count()).collect();
        let pulled = vjp(&graph, &wrt[..]).unwrap();
        let points = [filled(&pulled.input_shapes(), 0), filled(&pulled.input_shapes(), 9)];
        let stacked = |p: &[Vec<Vec<f64>>]| -> Vec<Vec<f64>> {
            (0..p[0].len()).map(|j| p.iter().flat_map(|x| x[j].clone()).collect()).collect()
        };
        let each: Vec<Vec<Vec<f64>>> = points.iter().map(|p| run(&pulled, p)).collect();
        let want = stacked(&each).concat();
        let mapped = vmap(&pulled, &VmapAxes::new().size(2)).unwrap();
        for (g, w) in run(&mapped, &stacked(&points)).concat().iter().zip(want) {
            assert!((g - w).abs() <= 1e-12 * w.abs().max(1.0), "{graph}");
        }
    }
}
