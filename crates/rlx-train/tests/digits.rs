//! A convolutional classifier learns handwritten digits; every fifth image is kept for the test.

use flate2::read::GzDecoder;
use rlx_ir::{DType, Op};
use rlx_models::convnet::{ConvnetConfig, initial, loss_graph};
use rlx_models::gpt::Initial;
use rlx_train::{Mask, Optimizer, Order, Random, Schedule, TrainConfig, TrainingSession};
use std::collections::HashMap;
use std::io::Read;

const CONFIG: ConvnetConfig = ConvnetConfig { size: 8, channels: 8, hidden: 64, classes: 10 };
const BATCH: usize = 32;
const STEPS: usize = 400;

/// Grey values from 0 to 1, and the digit.
type Image = ([f32; 64], i32);

/// What is trained on, and what is kept.
fn images() -> (Vec<Image>, Vec<Image>) {
    let mut text = String::new();
    let file = &include_bytes!("data/digits.csv.gz")[..];
    GzDecoder::new(file).read_to_string(&mut text).expect("text");
    let image = |line: &str| {
        let numbers: Vec<f32> = line.split(',').map(|n| n.parse().expect("a number")).collect();
        (std::array::from_fn(|i| numbers[i] / 16.0), numbers[64] as i32)
    };
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for (i, line) in text.lines().enumerate() {
        if i % 5 == 4 { test.push(image(line)) } else { train.push(image(line)) }
    }
    (train, test)
}

fn inputs(images: &[&Image]) -> [(&'static str, Vec<u8>, DType); 2] {
    let pixels = images.iter().flat_map(|i| i.0).flat_map(f32::to_le_bytes).collect();
    let labels = images.iter().flat_map(|i| i.1.to_le_bytes()).collect();
    [("images", pixels, DType::F32), ("labels", labels, DType::I32)]
}

fn views<'a>(inputs: &'a [(&'static str, Vec<u8>, DType)]) -> Vec<(&'a str, &'a [u8], DType)> {
    inputs.iter().map(|(name, bytes, dtype)| (*name, bytes.as_slice(), *dtype)).collect()
}

fn session() -> TrainingSession {
    let graph = loss_graph(&CONFIG, BATCH).expect("valid");
    let mut init: HashMap<String, Vec<f32>> = HashMap::new();
    for (stream, node) in graph.params().enumerate() {
        let Op::Param { name } = node.op() else { continue };
        let dims = node.shape().static_dims().expect("static");
        let mut random = Random::new(1, stream as u64);
        let draw = |_| match initial(name, &dims) {
            Initial::Constant(value) => value as f32,
            Initial::Normal(size) => (random.normal() * size) as f32,
            Initial::Uniform(limit) => ((2.0 * random.uniform() - 1.0) * limit) as f32,
        };
        init.insert(name.clone(), (0..dims.iter().product()).map(draw).collect());
    }
    let names: Vec<String> = init.keys().cloned().collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let config = TrainConfig { lr: 0.0, optimizer: Optimizer::adamw() };
    TrainingSession::new(graph, &names, init, config)
        .with_fused_optimizer()
        .with_decay_mask(Mask::MinRank(2))
        .with_schedule(Schedule::warmup_cosine(0.006, 20, STEPS))
}

#[test]
fn digits_are_learnt_to_98_percent() {
    let (train, test) = images();
    let mut session = session();
    let mut order = Order::new(1, train.len());
    for step in 0..STEPS {
        let chosen: Vec<&Image> = order.batch(step as u64, BATCH).into_iter().map(|i| &train[i]).collect();
        session.step_typed(&views(&inputs(&chosen))).expect("a step");
    }
    let mut right = 0;
    for from in (0..test.len()).step_by(BATCH) {
        // The graph takes whole batches: what fills the last one is not counted.
        let batch: Vec<&Image> = (from..from + BATCH).map(|i| &test[i % test.len()]).collect();
        let report = session.eval_typed(&views(&inputs(&batch))).expect("an evaluation");
        let counted = BATCH.min(test.len() - from);
        for (image, row) in batch.iter().take(counted).zip(report.metrics[0].chunks_exact(10)) {
            let best = (0..10).max_by(|&a, &b| row[a].total_cmp(&row[b]));
            right += usize::from(best == Some(image.1 as usize));
        }
    }
    let accuracy = right as f64 / test.len() as f64;
    assert!(accuracy >= 0.98, "{right} of {}", test.len());
}
