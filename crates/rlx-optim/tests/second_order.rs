//! Updates under transforms: estimates of the Hessian's diagonal, and gradients through an update, compared with JAX.

mod support;

use rlx_ir::{Builder, DType, Graph, Literal, Op, ReduceOp, Shape, Tensor};
use rlx_optim::{Operands, Optimizer, Param, hutchinson};
use support::{Goldens, Runner, distance, literal, numbers};

fn f64s(dims: &[usize]) -> Shape {
    Shape::new(dims, DType::F64)
}

/// A loss of its parameters, or of inputs with their names.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Leaves {
    Inputs,
    Params,
}

impl Leaves {
    fn leaf(self, b: &Builder, name: &str, shape: Shape) -> Tensor {
        match self {
            Leaves::Inputs => b.input(name, shape),
            Leaves::Params => b.param(name, shape),
        }
    }
}

/// Returns ½·xᵀ·A·x for x from w and v, with A given.
fn quadratic(leaves: Leaves) -> Graph {
    let b = Builder::new("quadratic");
    let (w, v) = (leaves.leaf(&b, "w", f64s(&[2])), leaves.leaf(&b, "v", f64s(&[1, 1])));
    let a = b.input("a", f64s(&[3, 3]));
    let x = b.apply(Op::Concatenate { axis: 0 }, &[&w, &v.reshape(&[1usize.into()])]);
    let loss = (&x * a.matmul(&x.unsqueeze(1)).squeeze(1)).reduce(ReduceOp::Sum, &[0], false) * 0.5;
    b.finish(&[&loss]).unwrap()
}

fn estimate(graph: &Graph, a: &[f64; 9], key: u32) -> Vec<f64> {
    let values = [
        ("w", literal(&[2], &[0.3, -0.2], DType::F64)),
        ("v", literal(&[1, 1], &[1.5], DType::F64)),
        ("a", literal(&[3, 3], a, DType::F64)),
        ("hutchinson.key", Literal::new(&[2], &[0u32, key]).unwrap()),
    ];
    let values: Vec<(&str, &Literal)> = values.iter().map(|(n, l)| (*n, l)).collect();
    rlx_ir::eval(graph, &values).unwrap().iter().flat_map(numbers).collect()
}

#[test]
fn estimates_of_a_diagonal_hessian_are_exact() {
    for leaves in [Leaves::Inputs, Leaves::Params] {
        let graph = hutchinson(&quadratic(leaves), &["w", "v"]).unwrap();
        assert_eq!(graph.output_shapes(), [f64s(&[2]), f64s(&[1, 1])]);
        let diagonal = [2.0, 0.0, 0.0, 0.0, -3.0, 0.0, 0.0, 0.0, 0.5];
        assert_eq!(estimate(&graph, &diagonal, 7), [2.0, -3.0, 0.5], "{leaves:?}");
        // Parameters stay parameters, and the key comes last.
        let params = if leaves == Leaves::Params { 2 } else { 0 };
        assert_eq!(graph.params().count(), params);
        assert_eq!(graph.input_shapes().last(), Some(&Shape::new(&[2], DType::U32)));
    }
}

#[test]
fn estimates_of_any_hessian_have_its_diagonal_as_mean() {
    let graph = hutchinson(&quadratic(Leaves::Params), &["w", "v"]).unwrap();
    let a = [2.0, 1.0, -0.5, 1.0, -3.0, 0.25, -0.5, 0.25, 0.5];
    const DRAWS: u32 = 1000;
    let mut sum = [0.0; 3];
    let mut differ = false;
    for key in 0..DRAWS {
        let got = estimate(&graph, &a, key);
        differ |= got != [2.0, -3.0, 0.5];
        sum.iter_mut().zip(got).for_each(|(s, x)| *s += x);
    }
    assert!(differ, "off-diagonal elements show in single estimates");
    for (i, (s, expected)) in sum.iter().zip([2.0, -3.0, 0.5]).enumerate() {
        // The variance of element i is the sum of squares of its row without the diagonal.
        let variance: f64 = (0..3).filter(|j| *j != i).map(|j| a[3 * i + j] * a[3 * i + j]).sum();
        let bound = 5.0 * (variance / f64::from(DRAWS)).sqrt();
        let mean = s / f64::from(DRAWS);
        assert!((mean - expected).abs() < bound, "element {i}: {mean}, expected {expected} ± {bound}");
    }
}

/// Returns mean((tanh(x·w + b) − y)²), and the values of all operands.
fn with_bias(goldens: &Goldens) -> (Graph, Vec<(String, Literal)>) {
    let b = Builder::new("loss");
    let (x, y) = (b.input("x", f64s(&[4, 3])), b.input("y", f64s(&[4, 2])));
    let (w, bias) = (b.param("w", f64s(&[3, 2])), b.param("b", f64s(&[2])));
    let error = (x.matmul(&w) + &bias).tanh() - &y;
    let graph = b.finish(&[&(&error * &error).mean(&[0, 1], false)]).unwrap();
    let value = |name: &&str| {
        let (sizes, values) = goldens.tensor(name);
        (name.to_string(), literal(&sizes, &values, DType::F64))
    };
    (graph, ["x", "y", "w", "b"].iter().map(value).collect())
}

#[test]
fn estimates_for_parameters_are_signs_times_the_hessian_of_jax_times_signs() {
    let goldens = Goldens::open("hessian.safetensors");
    let hessian = goldens.tensor("hessian").1;
    let (graph, values) = with_bias(&goldens);
    let graph = hutchinson(&graph, &["w", "b"]).unwrap();
    const N: usize = 8;
    let of_signs = |bits: u32| -> Vec<f64> {
        let sign = |i: usize| if bits >> i & 1 == 1 { -1.0 } else { 1.0 };
        (0..N).map(|i| (0..N).map(|j| sign(i) * hessian[N * i + j] * sign(j)).sum()).collect()
    };
    const DRAWS: u32 = 400;
    let (mut sum, mut seen) = ([0.0; N], std::collections::HashSet::new());
    for key in 0..DRAWS {
        let key = Literal::new(&[2], &[1u32, key]).unwrap();
        let mut given: Vec<(&str, &Literal)> = values.iter().map(|(n, l)| (n.as_str(), l)).collect();
        given.push(("hutchinson.key", &key));
        let outputs = rlx_ir::eval(&graph, &given).unwrap();
        let got: Vec<f64> = outputs.iter().flat_map(numbers).collect();
        // The signs that were drawn are unknown. Negating all signs gives the same estimate, and so does negating those of one column of w
        // and its bias.
        let found = (0..1 << (N - 1)).find(|bits| distance(&got, &of_signs(*bits)) < 1e-12);
        seen.insert(found.unwrap_or_else(|| panic!("no signs give {got:?}")));
        sum.iter_mut().zip(got).for_each(|(s, x)| *s += x);
    }
    // In 400 draws, each of the 64 is missed with probability e⁻⁶.
    assert!(seen.len() > 60, "{} of 64 distinct choices of signs were drawn", seen.len());
    for (i, s) in sum.iter().enumerate() {
        let variance: f64 = (0..N).filter(|j| *j != i).map(|j| hessian[N * i + j].powi(2)).sum();
        let bound = 5.0 * (variance / f64::from(DRAWS)).sqrt();
        let (mean, expected) = (s / f64::from(DRAWS), hessian[N * i + i]);
        assert!((mean - expected).abs() < bound, "element {i}: {mean}, JAX has {expected} ± {bound}");
    }
}

/// Returns mean((tanh(x·w) − y)²).
fn loss() -> Graph {
    let b = Builder::new("loss");
    let (x, w, y) = (b.input("x", f64s(&[4, 3])), b.input("w", f64s(&[3, 2])), b.input("y", f64s(&[4, 2])));
    let error = x.matmul(&w).tanh() - &y;
    b.finish(&[&(&error * &error).mean(&[0, 1], false)]).unwrap()
}

/// Returns the loss after one update.
fn unrolled(optimizer: &Optimizer) -> Graph {
    let loss = loss();
    let gradient = rlx_autodiff::grad(&loss, "w").unwrap();
    let param = Param::new("w", f64s(&[3, 2]));
    let b = Builder::new("unrolled");
    let (x, w, y) = (b.input("x", f64s(&[4, 3])), b.input("w", f64s(&[3, 2])), b.input("y", f64s(&[4, 2])));
    let lr = b.input("lr", f64s(&[]));
    let state: Vec<Tensor> =
        optimizer.slots(&param).unwrap().iter().map(|s| b.input(s.name, s.shape.clone())).collect();
    let g = b.inline(&gradient, &[x.clone(), w.clone(), y.clone()]).unwrap();
    let operands = Operands {
        parameter: &w,
        gradient: &g[0],
        state: &state,
        step: &b.int(2, DType::I32),
        learning_rate: &lr,
        hessian: None,
    };
    let updated = optimizer.update(&param, &operands).unwrap();
    let after = b.inline(&loss, &[x, updated.parameter, y]).unwrap();
    b.finish(&[&after[0]]).unwrap()
}

#[test]
fn gradients_through_an_update_are_those_of_jax() {
    let goldens = Goldens::open("meta.safetensors");
    let cases = goldens.about("cases");
    for (i, text) in cases.as_array().unwrap().iter().enumerate() {
        let optimizer: Optimizer = text.as_str().unwrap().parse().unwrap();
        let graph = rlx_autodiff::value_and_grad(&unrolled(&optimizer), ["w", "lr"]).unwrap();
        let inputs: Vec<(String, Literal)> = ["x", "w", "y", "lr", "momentum", "m", "v"]
            .iter()
            .map(|name| {
                let (sizes, values) = goldens.tensor(name);
                (name.to_string(), literal(&sizes, &values, DType::F64))
            })
            .collect();
        for (what, got) in ["loss", "by_w", "by_lr"].iter().zip(Runner::Evaluator(graph).run(&inputs)) {
            let expected = goldens.tensor(&format!("case{i}.{what}")).1;
            let off = distance(&numbers(&got), &expected);
            assert!(off < 1e-12, "{text} {what}: off by {off:.2e}");
        }
    }
}
