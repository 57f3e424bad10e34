//! Runs composites through the evaluator, with static and with symbolic dimensions, and compares with the goldens
//! that `goldens/composites.py` writes.

#![allow(dead_code)] // Each test file uses some of it.

use rlx_ir::{Builder, DType, Dim, Graph, Literal, Shape, Tensor, Violations, eval};

const GOLDENS: &str = include_str!("../goldens/composites.txt");

/// Exact in every float type except f8; the same function as in `composites.py`.
pub fn wave(dims: &[usize], seed: i64) -> Literal {
    Literal::new(dims, &wave_values(dims, seed)).expect("fits")
}

pub fn wave_values(dims: &[usize], seed: i64) -> Vec<f64> {
    let n = dims.iter().product::<usize>() as i64;
    (0..n).map(|i| ((i * i * 5 + i * 7 + seed * 11) % 31 - 15) as f64 / 8.0).collect()
}

pub fn f64s(dims: &[usize], values: &[f64]) -> Literal {
    Literal::new(dims, values).expect("fits")
}

pub fn i32s(dims: &[usize], values: &[i32]) -> Literal {
    Literal::new(dims, values).expect("fits")
}

/// The dimensions and values of a golden.
pub fn golden(name: &str) -> (Vec<usize>, Vec<f64>) {
    let line = GOLDENS
        .lines()
        .find(|line| line.split(' ').next() == Some(name))
        .unwrap_or_else(|| panic!("no golden `{name}`"));
    let mut words = line.split(' ').skip(1);
    let dims = words.next().expect("dims");
    let dims =
        if dims == "-" { Vec::new() } else { dims.split('x').map(|d| d.parse().expect("a size")).collect() };
    (dims, words.map(|w| w.parse().expect("a number")).collect())
}

/// The elements of any real tensor.
pub fn values(x: &Literal) -> Vec<f64> {
    let b = Builder::new("to f64");
    let y = b.input("x", x.shape().clone()).convert(DType::F64);
    let graph = b.finish(&[&y]).expect("valid");
    eval(&graph, &[("x", x)]).expect("runs")[0].as_slice::<f64>().expect("f64").to_vec()
}

fn build(shapes: &[Shape], f: &impl Fn(&[Tensor]) -> Vec<Tensor>) -> Result<Graph, Violations> {
    let b = Builder::new("case");
    let inputs: Vec<Tensor> =
        shapes.iter().enumerate().map(|(i, s)| b.input(format!("x{i}"), s.clone())).collect();
    let outputs = f(&inputs);
    b.finish(&outputs.iter().collect::<Vec<_>>())
}

fn run_graph(graph: &Graph, inputs: &[Literal]) -> Vec<Literal> {
    let text = graph.to_string();
    assert_eq!(&Graph::parse(&text).expect("the text form parses"), graph, "{text}");
    let names: Vec<String> = (0..inputs.len()).map(|i| format!("x{i}")).collect();
    let given: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(inputs).collect();
    eval(graph, &given).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The results for these inputs, with static dimensions.
pub fn run(inputs: &[Literal], f: impl Fn(&[Tensor]) -> Vec<Tensor>) -> Vec<Literal> {
    let shapes: Vec<Shape> = inputs.iter().map(|x| x.shape().clone()).collect();
    run_graph(&build(&shapes, &f).unwrap_or_else(|e| panic!("{e}")), inputs)
}

/// The results for these inputs, which must be the same if every size in `symbolic` is a symbol.
pub fn run_symbolic(
    inputs: &[Literal],
    symbolic: &[usize],
    f: impl Fn(&[Tensor]) -> Vec<Tensor>,
) -> Vec<Literal> {
    let expected = run(inputs, &f);
    let dim = |n: usize| if symbolic.contains(&n) { Dim::dynamic(&format!("n{n}")) } else { n.into() };
    let shape = |x: &Literal| Shape::from_dims(&x.dims().into_iter().map(dim).collect::<Vec<_>>(), x.dtype());
    let shapes: Vec<Shape> = inputs.iter().map(shape).collect();
    let graph = build(&shapes, &f).unwrap_or_else(|e| panic!("with symbolic dimensions: {e}"));
    assert_eq!(run_graph(&graph, inputs), expected, "symbolic dimensions change the result");
    expected
}

/// The builder's message about a program that is wrong.
pub fn refusal(shapes: &[Shape], f: impl Fn(&[Tensor]) -> Vec<Tensor>) -> String {
    build(shapes, &f).expect_err("the program is not valid").to_string()
}

/// Fails unless dimensions are equal and each value is within `tolerance`, absolute and relative; NaN equals NaN.
pub fn check(got: &Literal, (dims, expected): (Vec<usize>, Vec<f64>), tolerance: f64) {
    assert_eq!(got.dims(), dims);
    let got = values(got);
    for (i, (a, b)) in got.iter().zip(&expected).enumerate() {
        let close = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * (1.0 + b.abs());
        assert!(close, "element {i}: got {a}, expected {b}\n{got:?}\n{expected:?}");
    }
}

/// [`check`] against a golden in double precision.
pub fn check_golden(got: &Literal, name: &str) {
    check(got, golden(name), 1e-12);
}
