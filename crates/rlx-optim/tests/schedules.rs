//! Schedules on the host and as graphs, compared with optax.

mod support;

use rlx_ir::{Builder, DType, Graph, Literal, Shape};
use rlx_optim::Schedule;
use support::{Goldens, Runner, numbers};

fn cases(goldens: &Goldens) -> Vec<(String, Schedule, Vec<f64>)> {
    let cases = goldens.about("cases");
    let case = |(i, case): (usize, &serde_json::Value)| {
        let text = case["schedule"].as_str().unwrap();
        (text.to_string(), text.parse().unwrap(), goldens.tensor(&format!("case{i}")).1)
    };
    cases.as_array().unwrap().iter().enumerate().map(case).collect()
}

/// Compares numbers, relative to the largest learning rate.
fn assert_close(what: &str, got: &[f64], expected: &[f64], bound: f64) {
    let peak = expected.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    assert_eq!(got.len(), expected.len());
    for (i, (a, b)) in got.iter().zip(expected).enumerate() {
        let near = if b.is_finite() { (a - b).abs() <= bound * peak.min(1e300) } else { a == b };
        assert!(near, "{what}: value {i} is {a}, expected {b}");
    }
}

#[test]
fn on_the_host_they_are_those_of_optax() {
    let goldens = Goldens::open("schedules.safetensors");
    let steps = goldens.tensor("steps").1;
    let cases = cases(&goldens);
    for name in Schedule::NAMES {
        assert!(cases.iter().any(|(_, s, _)| s.name() == *name), "no golden of {name}");
    }
    for (text, schedule, expected) in cases {
        let got: Vec<f64> = steps.iter().map(|&t| schedule.at(t as u64).unwrap()).collect();
        assert_close(&text, &got, &expected, 1e-14);
        assert_eq!(schedule.to_string().parse::<Schedule>().unwrap(), schedule);
    }
}

fn graph(schedules: &[Schedule], dtype: DType) -> Graph {
    let b = Builder::new("schedules");
    let step = b.input("step", Shape::scalar(DType::I32));
    let values: Vec<_> = schedules.iter().map(|s| s.expression(&step, dtype).unwrap()).collect();
    b.finish(&values.iter().collect::<Vec<_>>()).unwrap()
}

fn judge(dtype: DType, bound: f64, runner: impl Fn(&Graph) -> Runner) {
    let goldens = Goldens::open("schedules.safetensors");
    let steps = goldens.tensor("steps").1;
    let cases = cases(&goldens);
    let schedules: Vec<Schedule> = cases.iter().map(|c| c.1.clone()).collect();
    let mut runner = runner(&graph(&schedules, dtype));
    let mut got = vec![Vec::new(); cases.len()];
    for &step in &steps {
        let outputs = runner.run(&[("step".into(), Literal::scalar(step as i32))]);
        outputs.iter().zip(&mut got).for_each(|(o, list)| list.push(numbers(o)[0]));
    }
    for ((text, _, expected), got) in cases.iter().zip(&got) {
        // Unlimited growth overflows f32, and before that its exponent determines the digits.
        let finite = expected.iter().take_while(|x| x.abs() < 1.0).count();
        assert_close(text, &got[..finite], &expected[..finite], bound);
    }
}

#[test]
fn as_graphs_they_are_those_of_optax() {
    judge(DType::F64, 1e-14, |graph| Runner::Evaluator(graph.clone()));
    judge(DType::F32, 3e-7, |graph| Runner::Evaluator(graph.clone()));
    judge(DType::F64, 1e-14, |graph| Runner::compiled(graph, 1));
    judge(DType::F32, 3e-7, |graph| Runner::compiled(graph, 1));
}

#[test]
fn wrong_schedules_say_what_is_wrong() {
    let deep = (0..200).fold("constant(value=1)".to_string(), |s, _| format!("join(phases={s})"));
    let cases = [
        ("cosine", "`from` is not given or NaN, but must be a number, finite"),
        ("cosine(from=NaN)", "`from` is NaN, but must be finite"),
        ("cosine(from=0.1)", "`steps` is 0, but must be at least 1"),
        ("cosine(from=0.1, steps=0)", "`steps` is 0, but must be at least 1"),
        ("cosine(from=0.1, steps=-1)", "`steps` is \"-1\", but must be a whole number"),
        ("warm", "there is no schedule \"warm\"; there are constant, linear"),
        ("join", "`phases` is \"\", but must be schedules as in"),
        ("join(phases=constant(value=1) until 3)", "`phases`"),
        ("join(phases=constant(value=1) until 3 then constant)", "`phases` is"),
        ("piecewise(from=1, factors=3)", "`factors` is \"3\", but must be steps with factors"),
        (&deep, "nested at most 16 deep"),
    ];
    for (text, expected) in cases {
        let message = text.parse::<Schedule>().unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
    assert!(Schedule::join(vec![Schedule::constant(0.1)], vec![3]).at(0).is_err());
    let b = Builder::new("g");
    let x = b.input("x", Shape::new(&[2], DType::I32));
    assert!(Schedule::constant(0.1).expression(&x, DType::F32).is_err());
}

#[test]
fn an_open_length_is_that_of_the_training() {
    let cases = [
        ("warmup_cosine(peak=0.1, warmup=20)", "warmup_cosine(peak=0.1, warmup=20, steps=300)", Some(300)),
        ("warmup_cosine(peak=0.1, steps=80)", "warmup_cosine(peak=0.1, steps=80)", Some(80)),
        ("linear(to=0.1, begin=50)", "linear(to=0.1, begin=50, steps=250)", Some(300)),
        ("polynomial(from=1)", "polynomial(from=1, steps=300)", Some(300)),
        ("cosine(from=1)", "cosine(from=1, steps=300)", Some(300)),
        ("one_cycle(peak=1)", "one_cycle(peak=1, steps=300)", Some(300)),
        ("linear_one_cycle(peak=1)", "linear_one_cycle(peak=1, steps=300)", Some(300)),
        ("constant(value=1)", "constant(value=1)", None),
        ("inverse_sqrt(peak=1, warmup=9)", "inverse_sqrt(peak=1, warmup=9)", None),
        (
            "join(phases=linear(to=1) until 10 then cosine(from=1))",
            "join(phases=linear(to=1, steps=10) until 10 then cosine(from=1, steps=290))",
            Some(300),
        ),
    ];
    for (open, closed, length) in cases {
        let schedule = Schedule::of_training(open, 300).unwrap();
        assert_eq!(schedule, closed.parse().unwrap(), "{open}");
        assert_eq!(schedule.length(), length, "{open}");
    }
    // An explicit length of 0 is not an open one, and the unit of a decay is not a length.
    for text in ["cosine(from=1, steps=0)", "exponential(from=1, rate=0.5)", "cosine()"] {
        assert!(Schedule::of_training(text, 300).is_err(), "{text}");
    }
}
