//! Derivatives and vectorization.

use crate::{W, f32s};
use rlx::prelude::*;

/// Σ tanh(x·w)², whose derivatives are known in closed form.
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

    // The Hessian times a tangent, from central differences of the gradient.
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
