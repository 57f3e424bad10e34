//! MiniLM fine-tuned on pairs of sentences, compared with PyTorch in float64: the gradient of every parameter, and the losses of three
//! steps. The weights are downloaded once, as by a user's first command.

#[path = "support/minilm.rs"]
mod minilm;

use minilm::Batch;
use rlx_ir::math::random::SplitMix64;
use std::collections::BTreeMap;

const PAIRS: &str = include_str!("minilm_pairs.tsv");
/// From `scripts/finetune_minilm.py --save`: the loss, the losses, and for each gradient its norm and its products with random sign
/// vectors.
const GOLDEN: &str = include_str!("minilm_golden.txt");
/// Maximum error of a gradient, relative to its norm.
const LIMIT: f64 = 2e-5;

fn golden() -> BTreeMap<&'static str, Vec<f64>> {
    let numbers = |line: &'static str| {
        let mut words = line.split(' ');
        let name = words.next().expect("a name");
        (name, words.map(|w| w.parse().expect("a number")).collect())
    };
    GOLDEN.lines().filter(|l| !l.starts_with('#')).map(numbers).collect()
}

/// Returns the product with the signs of stream `probe` of the seed `index`.
fn product(gradient: &[f32], index: usize, probe: usize) -> f64 {
    let mut random = SplitMix64::stream(index as u64, probe as u64);
    gradient.iter().map(|&g| if random.bits() >> 63 == 1 { f64::from(g) } else { -f64::from(g) }).sum()
}

fn norm(values: &[f32]) -> f64 {
    values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn every_gradient_and_the_losses_are_those_of_pytorch() {
    let golden = golden();
    let batch =
        Batch::new(PAIRS).expect("the default model is needed: from the hub, from PyPI by pip, or cached");
    let (loss, gradients) = batch.gradients().expect("gradients");
    assert!((f64::from(loss) - golden["loss"][0]).abs() <= 1e-5, "{loss}, PyTorch has {}", golden["loss"][0]);
    assert_eq!(gradients.len(), 101);
    assert_eq!(golden.len(), gradients.len() + 2);
    for (index, (name, gradient)) in batch.names.iter().zip(&gradients).enumerate() {
        let expected = &golden[name.as_str()];
        // A number added to all keys does not change attention weights: the gradient is 0, and the computed value is only rounding. It is
        // compared with the gradient of the keys' weight.
        let unmoved = name.ends_with("attention.self.key.bias");
        let scale = match unmoved {
            true => golden[name.replace("key.bias", "key.weight").as_str()][0],
            false => expected[0],
        };
        assert!(scale > 1e-4, "{name}: nothing to compare with");
        let got = norm(gradient);
        assert!(
            (got - expected[0]).abs() <= LIMIT * scale,
            "{name}: norm {got}, PyTorch has {}",
            expected[0]
        );
        // An error e adds e·signs, with a magnitude of about |e|.
        for (probe, want) in expected[1..].iter().enumerate() {
            let got = product(gradient, index, probe);
            assert!((got - want).abs() <= LIMIT * scale, "{name}, probe {probe}: {got}, PyTorch has {want}");
        }
    }
    // The script takes ten.
    let losses = batch.train(3).expect("three steps");
    let expected = &golden["losses"];
    for (step, (got, want)) in losses.iter().zip(expected).enumerate() {
        let apart = (f64::from(*got) - want).abs();
        assert!(apart <= 1e-4, "step {step}: {got}, PyTorch has {want}");
    }
    assert!(losses[2] < 0.5 * losses[0], "nothing was learnt");
}
