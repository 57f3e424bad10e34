//! Transforms of large graphs. Nothing is timed, but at these sizes a look-up that visits all nodes takes minutes.

use rlx_autodiff::{VmapAxes, Wrt, grad, jvp, linearize, vmap};
use rlx_ir::{Builder, DType, Graph, Op, ReduceOp, Shape, Tensor};

const MANY: usize = 60_000;

fn finish(b: Builder, y: &Tensor) -> Graph {
    b.finish(&[&y.reduce(ReduceOp::Sum, &[0], false)]).expect("valid")
}

/// Functions and products, one after the other.
fn chain(nodes: usize) -> Graph {
    let b = Builder::new("chain");
    let x = b.input("x", Shape::new(&[4], DType::F32));
    let y = (0..nodes / 2).fold(x.clone(), |y, _| &y.tanh() * &x);
    finish(b, &y)
}

fn constants(graph: &Graph) -> usize {
    graph.nodes().iter().filter(|node| matches!(node.op(), Op::Constant { .. })).count()
}

#[test]
fn a_gradient_grows_as_its_function_does() {
    let [small, large] = [chain(MANY / 10), chain(MANY)].map(|graph| grad(&graph, "x").expect("a gradient"));
    // Per function and product: both of these, three nodes of the derivative, three products and a sum.
    let per_pair = (large.nodes().len() - small.nodes().len()) as f64 / (MANY as f64 * 0.9 / 2.0);
    assert!(per_pair <= 9.0, "{per_pair}");
    // For the seed and the derivatives, however many of those there are.
    assert_eq!((constants(&small), constants(&large)), (2, 2));
}

#[test]
fn other_transforms_grow_as_their_function_does() {
    let graph = chain(MANY);
    let nodes = |graph: &Graph| graph.nodes().len();
    let forward = jvp(&graph, "x").expect("a derivative");
    assert!(nodes(&forward) <= nodes(&graph) * 9 / 2 + 20, "{}", nodes(&forward));
    let mapped = vmap(&graph, &VmapAxes::new().size(3)).expect("a mapped graph");
    assert!(nodes(&mapped) <= nodes(&graph) + 10, "{}", nodes(&mapped));
    // Thousands of residuals, each of which is looked up where it is read.
    let at = linearize(&graph, "x").expect("a linear function");
    assert!(at.residuals >= MANY && nodes(&at.linear) <= 3 * nodes(&graph) + 10, "{}", nodes(&at.linear));
}

#[test]
fn many_parameters_have_their_gradients() {
    let b = Builder::new("parameters");
    let shape = Shape::new(&[4], DType::F32);
    let x = b.input("x", shape.clone());
    // The gradients of half of them are zero everywhere, which is not the same as being unused.
    let parts = (0..MANY).map(|i| {
        let w = b.param(format!("w{i}"), shape.clone());
        if i % 2 == 0 { w } else { w.unary(rlx_ir::UnaryOp::Floor) }
    });
    let sum = parts.collect::<Vec<_>>().into_iter().fold(x, |sum, w| &sum * &w);
    let graph = finish(b, &sum);
    let all = grad(&graph, Wrt::params(&graph)).expect("gradients");
    assert_eq!(all.outputs().len(), MANY);
    let error = grad(&graph, ["w1", "w3", "w1"]).expect_err("twice").to_string();
    assert!(error.contains("`w1` is named twice"), "{error}");
}
