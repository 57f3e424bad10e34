//! Every optimizer, step by step, compared with optax and PyTorch, in the evaluator and compiled.

mod support;

use rlx_ir::{Builder, DType, Graph, Literal, Shape, Tensor};
use rlx_optim::{MatrixLayout, Operands, Optimizer, Param};
use serde_json::Value;
use support::{Goldens, Runner, distance, literal, numbers};

/// Names of the parameters, in goldens and graphs.
const NAMES: [&str; 5] = ["wide", "tall", "vector", "scalar", "cube"];

/// One case of the goldens.
struct Case {
    key: String,
    optimizer: Optimizer,
    what: String,
    options: Value,
}

fn cases(goldens: &Goldens) -> Vec<Case> {
    let cases = goldens.about("cases");
    let case = |(i, case): (usize, &Value)| {
        let text = case["optimizer"].as_str().unwrap();
        let what = format!("{text} {} by {}", case["options"], case["judge"]);
        let optimizer = text.parse().unwrap();
        Case { key: format!("case{i}"), optimizer, what, options: case["options"].clone() }
    };
    cases.as_array().unwrap().iter().enumerate().map(case).collect()
}

impl Case {
    fn params(&self, goldens: &Goldens, dtype: DType) -> Vec<Param> {
        let param = |name: &&str| {
            let shape = Shape::new(&goldens.tensor(&format!("params.{name}")).0, dtype);
            let min_rank = self.options["decay_min_rank"].as_u64().unwrap_or(0) as usize;
            let factor = self.options["lr_factor"][name].as_f64().unwrap_or(1.0);
            let decays = shape.rank() >= min_rank;
            let is_out_in = self.options["layout"] == "out_in";
            let layout = if is_out_in { MatrixLayout::OutIn } else { MatrixLayout::InOut };
            Param::new(*name, shape).with_decay(decays).with_lr_factor(factor).with_layout(layout)
        };
        NAMES.iter().map(param).collect()
    }

    fn estimates_at(&self, step: usize) -> bool {
        self.options["hessian_interval"].as_u64().is_some_and(|k| (step as u64).is_multiple_of(k))
    }
}

/// Returns the update of these parameters, with or without estimates of the Hessian's diagonal.
fn graph(optimizer: &Optimizer, params: &[Param], hessian: bool) -> Graph {
    let b = Builder::new("update");
    let step = b.input("step", Shape::scalar(DType::I32));
    let learning_rate = b.input("lr", Shape::scalar(DType::F32));
    let mut outputs = Vec::new();
    for param in params {
        let name = param.name();
        let parameter = b.input(name, param.shape().clone());
        let gradient = b.input(format!("{name}.grad"), param.shape().clone());
        let estimate = hessian.then(|| b.input(format!("{name}.hessian"), param.shape().clone()));
        let slots = optimizer.slots(param).unwrap();
        let state: Vec<Tensor> =
            slots.iter().map(|s| b.input(format!("{name}.{}", s.name), s.shape.clone())).collect();
        let operands = Operands {
            parameter: &parameter,
            gradient: &gradient,
            state: &state,
            step: &step,
            learning_rate: &learning_rate,
            hessian: estimate.as_ref(),
        };
        let updated = optimizer.update(param, &operands).unwrap();
        outputs.push(updated.parameter);
        outputs.extend(updated.state);
    }
    b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap()
}

/// Runs all steps and calls `visit` with the step and the results: for each parameter, its new value and then its state.
fn run(
    goldens: &Goldens,
    case: &Case,
    params: &[Param],
    runner: impl Fn(&Graph) -> Runner,
    mut visit: impl FnMut(usize, &[Literal]),
) {
    let dtype = params[0].shape().dtype();
    let sizes = |p: &Param| p.shape().static_dims().unwrap();
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for param in params {
        let value = goldens.tensor(&format!("params.{}", param.name())).1;
        let value = literal(&sizes(param), &value, dtype);
        for slot in case.optimizer.slots(param).unwrap() {
            values.push(slot.initial_value(&value).unwrap());
            names.push(format!("{}.{}", param.name(), slot.name));
        }
        let at = names.len() - case.optimizer.slots(param).unwrap().len();
        values.insert(at, value);
        names.insert(at, param.name().to_string());
    }
    let mut plain = runner(&graph(&case.optimizer, params, false));
    let mut estimating = runner(&graph(&case.optimizer, params, true));
    let lr = Literal::scalar(goldens.about("lr").as_f64().unwrap() as f32);
    for step in 0..goldens.about("steps").as_u64().unwrap() as usize {
        let mut inputs: Vec<(String, Literal)> = names.iter().cloned().zip(values.iter().cloned()).collect();
        inputs.push(("step".into(), Literal::scalar(step as i32)));
        inputs.push(("lr".into(), lr.clone()));
        for param in params {
            for (ours, theirs) in [("grad", "grads"), ("hessian", "hessians")] {
                let value = goldens.at(&format!("{theirs}.{}", param.name()), step);
                inputs.push((format!("{}.{ours}", param.name()), literal(&sizes(param), &value, dtype)));
            }
        }
        let runner = if case.estimates_at(step) { &mut estimating } else { &mut plain };
        values = runner.run(&inputs);
        visit(step, &values);
    }
}

/// Returns the position of each parameter among the outputs.
fn places(case: &Case, params: &[Param]) -> Vec<usize> {
    let mut at = 0;
    let mut place = |p: &Param| {
        let own = at;
        at += 1 + case.optimizer.slots(p).unwrap().len();
        own
    };
    params.iter().map(&mut place).collect()
}

/// Returns the largest distance of any parameter from the golden at any step.
fn worst(goldens: &Goldens, case: &Case, dtype: DType, runner: impl Fn(&Graph) -> Runner) -> (f64, String) {
    let params = case.params(goldens, dtype);
    let places = places(case, &params);
    let mut worst = (0.0, String::new());
    run(goldens, case, &params, runner, |step, values| {
        for (param, &place) in params.iter().zip(&places) {
            let expected = goldens.at(&format!("{}.{}", case.key, param.name()), step);
            let off = distance(&numbers(&values[place]), &expected);
            if off > worst.0 {
                worst = (off, format!("{} at step {step}", param.name()));
            }
        }
    });
    worst
}

fn judge(dtype: DType, bound: f64, runner: impl Fn(&Graph) -> Runner) {
    let goldens = Goldens::open("optimizers.safetensors");
    let cases = cases(&goldens);
    assert!(goldens.about("steps").as_u64().unwrap() >= 20);
    for name in Optimizer::NAMES {
        assert!(cases.iter().any(|c| c.optimizer.name() == *name), "no golden of {name}");
    }
    let mut wrong = Vec::new();
    for case in &cases {
        let (off, place) = worst(&goldens, case, dtype, &runner);
        if off > bound {
            wrong.push(format!("{}: {place}: off by {off:.2e}", case.what));
        }
    }
    assert!(wrong.is_empty(), "bound {bound:.1e}:\n{}", wrong.join("\n"));
}

#[test]
fn in_f64_the_evaluator_agrees_with_optax_and_pytorch() {
    judge(DType::F64, 1e-14, |graph| Runner::Evaluator(graph.clone()));
}

#[test]
fn in_f32_the_evaluator_agrees_with_optax_and_pytorch() {
    judge(DType::F32, 1e-6, |graph| Runner::Evaluator(graph.clone()));
}

#[test]
fn compiled_in_f32_it_agrees_with_optax_and_pytorch() {
    judge(DType::F32, 1e-6, |graph| Runner::compiled(graph, 1));
}

#[test]
fn compiled_in_f64_it_agrees_with_optax_and_pytorch() {
    judge(DType::F64, 1e-14, |graph| Runner::compiled(graph, 2));
}

#[test]
fn narrow_parameters_follow_their_f32_copies() {
    let goldens = Goldens::open("optimizers.safetensors");
    for case in cases(&goldens).iter().filter(|c| matches!(c.optimizer, Optimizer::AdamW { .. })) {
        let params = case.params(&goldens, DType::BF16);
        let places = places(case, &params);
        let mut moved = 0;
        run(
            &goldens,
            case,
            &params,
            |graph| Runner::compiled(graph, 1),
            |step, values| {
                for (param, &place) in params.iter().zip(&places) {
                    let slots = case.optimizer.slots(param).unwrap();
                    let (narrow, master) = (&values[place], &values[place + slots.len()]);
                    let rounded: Vec<f64> =
                        numbers(master).iter().map(|&x| half::bf16::from_f64(x).to_f64()).collect();
                    assert_eq!(numbers(narrow), rounded, "{} {} at step {step}", case.what, param.name());
                    moved += usize::from(numbers(master) != rounded);
                    // Parameters and gradients are rounded to 8 bits only before the first step.
                    let expected = goldens.at(&format!("{}.{}", case.key, param.name()), step);
                    assert!(distance(&numbers(master), &expected) < 1e-2);
                }
            },
        );
        assert!(moved > 0, "the copies hold more than the parameters");
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let goldens = Goldens::open("optimizers.safetensors");
    let params = [
        Param::new("matrix", Shape::new(&[300, 257], DType::F32)),
        Param::new("vector", Shape::new(&[70001], DType::F32)),
    ];
    for case in cases(&goldens) {
        let graph = graph(&case.optimizer, &params, true);
        let value = |(i, shape): (usize, Shape)| {
            let sizes = shape.static_dims().unwrap();
            let count = sizes.iter().product::<usize>() as u64;
            let number = |k: u64| ((k * 2654435761 + 97 * i as u64) % 20011) as f64 / 10000.0 - 1.0;
            // Means of squares are not negative.
            let values: Vec<f64> =
                (0..count).map(|k| if i % 2 == 0 { number(k) } else { number(k).abs() }).collect();
            match shape.dtype() {
                DType::I32 => Literal::scalar(3i32),
                dtype => literal(&sizes, &values, dtype),
            }
        };
        let names = graph.inputs().map(|n| match n.op() {
            rlx_ir::Op::Input { name } => name.clone(),
            _ => unreachable!(),
        });
        let values = graph.input_shapes().into_iter().enumerate().map(value);
        let inputs: Vec<(String, Literal)> = names.zip(values).collect();
        let one = Runner::compiled(&graph, 1).run(&inputs);
        let two = Runner::compiled(&graph, 2).run(&inputs);
        assert!(one == two, "{}", case.what);
    }
}
