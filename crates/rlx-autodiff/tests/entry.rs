//! The entry points: names, orders and errors of their results.

use rlx_autodiff::{VmapAxes, grad, hvp, jvp, linearize, pullback, value_and_grad, vjp, vmap};
use rlx_ir::{Builder, DType, Graph, Literal, Shape, eval};

fn product() -> Graph {
    let b = Builder::new("product");
    let x = b.input("x", Shape::scalar(DType::F64));
    let y = b.input("y", Shape::scalar(DType::F64));
    b.finish(&[&((&x * &y).sin() * &x)]).unwrap()
}

fn run(graph: &Graph, inputs: &[f64]) -> Vec<f64> {
    let names: Vec<String> = graph
        .inputs()
        .filter_map(|n| match n.op() {
            rlx_ir::Op::Input { name } => Some(name.clone()),
            _ => None,
        })
        .collect();
    let values: Vec<Literal> = inputs.iter().map(|&v| Literal::scalar(v)).collect();
    let pairs: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(&values).collect();
    eval(graph, &pairs).unwrap().iter().map(|l| l.as_slice::<f64>().unwrap()[0]).collect()
}

fn close(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len());
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= 1e-12 * w.abs().max(1.0), "{got:?} {want:?}");
    }
}

#[test]
fn first_and_second_derivatives_of_a_product() {
    let (x, y) = (0.7f64, 1.3f64);
    let (s, c) = (x * y).sin_cos();
    let (fx, fy) = (c * y * x + s, c * x * x);
    close(&run(&grad(&product(), ["x", "y"]).unwrap(), &[x, y]), &[fx, fy]);
    close(&run(&value_and_grad(&product(), ["y"]).unwrap(), &[x, y]), &[s * x, fy]);
    close(&run(&jvp(&product(), ["x", "y"]).unwrap(), &[x, y, 2.0, 3.0]), &[s * x, 2.0 * fx + 3.0 * fy]);
    close(&run(&vjp(&product(), ["x"]).unwrap(), &[x, y, 2.0]), &[s * x, 2.0 * fx]);
    let fxx = -s * y * y * x + 2.0 * c * y;
    close(&run(&hvp(&product(), ["x"]).unwrap(), &[x, y, 2.0]), &[2.0 * fxx]);
    let second = grad(&grad(&product(), ["x"]).unwrap(), ["x"]).unwrap();
    close(&run(&second, &[x, y]), &[fxx]);
}

#[test]
fn a_gradient_that_uses_the_value_does_not_give_it() {
    let b = Builder::new("exp");
    let x = b.input("x", Shape::scalar(DType::F64));
    let graph = b.finish(&[&x.exp()]).unwrap();
    close(&run(&grad(&graph, ["x"]).unwrap(), &[0.5]), &[0.5f64.exp()]);
}

#[test]
fn a_linearized_function_is_pushed_and_pulled_several_times() {
    let (x, y) = (0.7f64, 1.3f64);
    let c = (x * y).cos();
    let pushed = linearize(&product(), ["y"]).unwrap();
    let values = run(&pushed.forward, &[x, y]);
    assert_eq!(values.len(), 1 + pushed.residuals);
    for t in [1.0, -2.0] {
        let residuals = [&values[1..], &[t]].concat();
        close(&run(&pushed.linear, &residuals), &[t * c * x * x]);
        close(&run(&pullback(&product(), ["y"]).unwrap().linear, &residuals), &[t * c * x * x]);
    }
}

#[test]
fn a_mapped_function_is_applied_to_each_slice() {
    let mapped = vmap(&product(), &VmapAxes::new().size(3).in_axes([Some(0), None])).unwrap();
    let b = mapped.to_string();
    assert!(b.contains("f64[3]"), "{b}");
}

#[test]
fn a_mapped_function_of_no_stated_size_serves_any() {
    let mapped = vmap(&product(), &VmapAxes::new().in_axes([Some(0), None])).unwrap();
    assert_eq!(mapped.output_shapes(), [Shape::from_dims(&["batch".into()], DType::F64)]);
    assert_eq!(Graph::parse(&mapped.to_string()).unwrap(), mapped);
    let y = 1.3;
    for batch in [1, 3, 8] {
        let x: Vec<f64> = (0..batch).map(|i| 0.1 * i as f64 - 0.2).collect();
        let inputs = [Literal::new(&[batch], &x).unwrap(), Literal::scalar(y)];
        let got = eval(&mapped, &[("x", &inputs[0]), ("y", &inputs[1])]).unwrap();
        let want: Vec<f64> = x.iter().map(|x| (x * y).sin() * x).collect();
        close(got[0].as_slice().unwrap(), &want);
    }
}

#[test]
fn a_fresh_size_has_the_name_of_the_axis_and_is_not_one_that_the_graph_has() {
    let twice =
        vmap(&vmap(&product(), &VmapAxes::new()).unwrap(), &VmapAxes::new().in_axes([0, 1].map(Some)));
    let of = |names: [&str; 2]| Shape::from_dims(&names.map(Into::into), DType::F64);
    let twice = twice.unwrap();
    assert_eq!(twice.input_shapes(), [of(["batch2", "batch"]), of(["batch", "batch2"])]);
    assert_eq!(twice.output_shapes(), [of(["batch2", "batch"])]);
    let named = vmap(&product(), &VmapAxes::new().name("devices")).unwrap();
    assert_eq!(named.output_shapes(), [Shape::from_dims(&["devices".into()], DType::F64)]);
    let error = vmap(&product(), &VmapAxes::new().in_axes([None, None])).unwrap_err().to_string();
    assert!(error.contains("map one, or give the number of applications with `VmapAxes::size`"), "{error}");
}
