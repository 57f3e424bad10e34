//! Clipping and sums of gradients compared with optax.

mod support;

use rlx_ir::{Builder, DType, Graph, Literal, Shape, Tensor};
use rlx_optim::{accumulate, average, clip_by_global_norm, clip_by_value, global_norm};
use support::{Goldens, Runner, distance, literal, numbers};

const NAMES: [&str; 5] = ["wide", "tall", "vector", "scalar", "cube"];

fn inputs(b: &Builder, goldens: &Goldens, dtype: DType, suffix: &str) -> Vec<Tensor> {
    let shape = |name: &str| Shape::new(&goldens.tensor(&format!("norm.{name}")).0[1..], dtype);
    NAMES.iter().map(|name| b.input(format!("{name}{suffix}"), shape(name))).collect()
}

fn gradients(goldens: &Goldens, step: usize, dtype: DType, suffix: &str) -> Vec<(String, Literal)> {
    let optimizers = Goldens::open("optimizers.safetensors");
    let value = |name: &str| {
        let sizes = goldens.tensor(&format!("norm.{name}")).0[1..].to_vec();
        literal(&sizes, &optimizers.at(&format!("grads.{name}"), step), dtype)
    };
    NAMES.iter().map(|name| (format!("{name}{suffix}"), value(name))).collect()
}

/// Returns a graph of the norm, then the gradients clipped together, then each clipped by value.
fn limits(goldens: &Goldens, dtype: DType) -> Graph {
    let b = Builder::new("limits");
    let grads = inputs(&b, goldens, dtype, "");
    let mut outputs = vec![global_norm(&grads).unwrap()];
    outputs.extend(clip_by_global_norm(&grads, goldens.about("max_norm").as_f64().unwrap()));
    let limit = goldens.about("limit").as_f64().unwrap();
    outputs.extend(grads.iter().map(|g| clip_by_value(g, limit)));
    b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap()
}

fn judge(dtype: DType, bound: f64, runner: impl Fn(&Graph) -> Runner) {
    let goldens = Goldens::open("clipping.safetensors");
    let norms = goldens.tensor("global_norm").1;
    let max_norm = goldens.about("max_norm").as_f64().unwrap();
    let below = norms.iter().filter(|n| **n < max_norm).count();
    assert!(below > 0 && below < norms.len(), "some are clipped, some are not");
    let mut runner = runner(&limits(&goldens, dtype));
    for (step, norm) in norms.iter().enumerate() {
        let outputs = runner.run(&gradients(&goldens, step, dtype, ""));
        assert!((numbers(&outputs[0])[0] - norm).abs() <= bound * norm.max(1.0), "step {step}");
        for (i, name) in NAMES.iter().enumerate() {
            for (what, at) in [("norm", 1 + i), ("value", 1 + NAMES.len() + i)] {
                let expected = goldens.at(&format!("{what}.{name}"), step);
                let off = distance(&numbers(&outputs[at]), &expected);
                assert!(off <= bound, "{what} of {name} at step {step}: off by {off:.2e}");
            }
        }
    }
}

#[test]
fn limits_are_those_of_optax() {
    judge(DType::F64, 1e-14, |graph| Runner::Evaluator(graph.clone()));
    judge(DType::F32, 5e-7, |graph| Runner::Evaluator(graph.clone()));
    judge(DType::F32, 5e-7, |graph| Runner::compiled(graph, 1));
}

#[test]
fn sums_over_batches_give_their_means() {
    let goldens = Goldens::open("clipping.safetensors");
    let count = goldens.about("mean_of").as_u64().unwrap() as usize;
    for (dtype, bound) in [(DType::F64, 1e-14), (DType::F32, 5e-7)] {
        let b = Builder::new("mean");
        let batches: Vec<Vec<Tensor>> =
            (0..count).map(|i| inputs(&b, &goldens, dtype, &format!(".{i}"))).collect();
        let number = b.input("count", Shape::scalar(DType::I32));
        let mean = |p: usize| {
            let sum = batches[1..].iter().fold(batches[0][p].clone(), |sum, g| accumulate(&sum, &g[p]));
            average(&sum, &number)
        };
        let means: Vec<Tensor> = (0..NAMES.len()).map(mean).collect();
        let graph = b.finish(&means.iter().collect::<Vec<_>>()).unwrap();
        let mut values: Vec<(String, Literal)> =
            (0..count).flat_map(|i| gradients(&goldens, i, dtype, &format!(".{i}"))).collect();
        values.push(("count".into(), Literal::scalar(count as i32)));
        for (name, got) in NAMES.iter().zip(Runner::Evaluator(graph).run(&values)) {
            let off = distance(&numbers(&got), &goldens.tensor(&format!("mean.{name}")).1);
            assert!(off <= bound, "{name}: off by {off:.2e}");
        }
    }
}

#[test]
fn what_is_no_number_stays_so() {
    let b = Builder::new("nan");
    let g = b.input("g", Shape::new(&[3], DType::F32));
    let clipped = clip_by_global_norm(std::slice::from_ref(&g), 1.0);
    let graph = b.finish(&[&clipped[0], &clip_by_value(&g, 1.0)]).unwrap();
    let value = Literal::new(&[3], &[f32::NAN, 2.0, -0.5]).unwrap();
    let outputs = rlx_ir::eval(&graph, &[("g", &value)]).unwrap();
    assert!(
        numbers(&outputs[0]).iter().all(|x| x.is_nan()),
        "a norm that is NaN makes everything NaN, as in optax"
    );
    assert!(numbers(&outputs[1])[0].is_nan());
    assert_eq!(numbers(&outputs[1])[1..], [1.0, -0.5]);
    assert!(clip_by_global_norm(&[], 1.0).is_empty());
}
