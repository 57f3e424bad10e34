//! Samplers compared with the distributions that scripts/sampling_goldens.py computed.

use rlx_llm::generate::{Sampler, SamplerKind, Sampling};
use rlx_session::{Device, Session};

const GOLDENS: &str = include_str!("sampling.txt");

/// Settings that switch all samplers off.
fn off() -> Sampling {
    Sampling { temperature: 1.0, top_k: 0, top_p: 1.0, min_p: 0.0, ..Sampling::default() }
}

/// Parses a line of the goldens: the settings, and the earlier tokens.
fn settings(line: &str) -> (Sampling, Vec<u32>) {
    let (mut sampling, mut history) = (off(), Vec::new());
    for (name, value) in line.split(' ').filter_map(|setting| setting.split_once('=')) {
        let number: f64 = value.parse().unwrap_or(f64::NAN);
        match name {
            "temperature" => sampling.temperature = number,
            "top_k" => sampling.top_k = number as usize,
            "top_p" => sampling.top_p = number,
            "min_p" => sampling.min_p = number,
            "typical_p" => sampling.typical_p = number,
            "repetition_penalty" => sampling.repetition_penalty = number,
            "frequency_penalty" => sampling.frequency_penalty = number,
            "top_n_sigma" => sampling.top_n_sigma = number,
            "xtc_probability" => sampling.xtc_probability = number,
            "xtc_threshold" => sampling.xtc_threshold = number,
            "mirostat_tau" => sampling.mirostat_tau = number,
            "dry_multiplier" => sampling.dry_multiplier = number,
            "dry_base" => sampling.dry_base = number,
            "dry_allowed_length" => sampling.dry_allowed_length = number as usize,
            "dry_breakers" => sampling.dry_breakers = vec![number as u32],
            "presence_penalty" => sampling.presence_penalty = number,
            "order" => sampling.order = value.split(',').map(|n| SamplerKind::named(n).unwrap()).collect(),
            "history" => history = value.split(',').map(|id| id.parse().unwrap()).collect(),
            other => panic!("{other}"),
        }
    }
    (sampling, history)
}

fn sampler(sampling: &Sampling, vocab: usize) -> Sampler {
    Sampler::new(sampling, vocab, &Session::new(Device::Cpu)).unwrap()
}

#[test]
fn distributions_are_those_of_transformers_and_llama_cpp() {
    let lines: Vec<&str> = GOLDENS.lines().collect();
    assert!(lines.len() > 60);
    for case in lines.chunks(3) {
        let (sampling, history) = settings(case[0]);
        let logits: Vec<f32> = case[1].split(' ').map(|x| x.parse().unwrap()).collect();
        let expected: Vec<(u32, f64)> = case[2]
            .split(' ')
            .map(|x| x.split_once(':').unwrap())
            .map(|(i, p)| (i.parse().unwrap(), p.parse().unwrap()))
            .collect();
        let mut sampler = sampler(&sampling, logits.len());
        history.iter().for_each(|&token| sampler.accept(token));
        let token = sampler.sample(&logits).unwrap();
        let mut found = sampler.distribution().unwrap();
        found.sort_by_key(|(id, _)| *id);
        let close = found.len() == expected.len()
            && found.iter().zip(&expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-5);
        assert!(close, "{}\n{found:?}\n{expected:?}", case[0]);
        assert!(expected.iter().any(|(id, _)| *id == token), "{}: {token}", case[0]);
    }
}

#[test]
fn draws_follow_the_distribution_and_the_seed() {
    let logits = [0.0f32, 1.0, 2.0, f32::NEG_INFINITY];
    let draw = |seed: u64| {
        let mut sampler = sampler(&Sampling { seed, ..off() }, logits.len());
        (0..2000).map(|_| sampler.sample(&logits).unwrap()).collect::<Vec<u32>>()
    };
    let drawn = draw(7);
    assert_eq!(drawn, draw(7));
    assert_ne!(drawn, draw(8));
    assert_ne!(drawn, draw(7 | 1 << 40));
    // Shares of softmax(0, 1, 2), within five standard deviations.
    for (id, share) in [(0, 0.0900f64), (1, 0.2447), (2, 0.6652), (3, 0.0)] {
        let count = drawn.iter().filter(|&&token| token == id).count() as f64;
        let deviation = (2000.0 * share * (1.0 - share)).sqrt();
        assert!((count - 2000.0 * share).abs() <= 5.0 * deviation, "{id}: {count}");
    }
}

#[test]
fn greedy_is_the_first_of_the_most_likely() {
    let mut greedy = sampler(&Sampling::greedy(), 4);
    assert_eq!(greedy.sample(&[1.0, 3.0, 3.0, -1.0]).unwrap(), 1);
    let bias = Sampling { bias: vec![(3, 10.0), (1, f32::NEG_INFINITY)], ..Sampling::greedy() };
    assert_eq!(sampler(&bias, 4).sample(&[1.0, 3.0, 3.0, -1.0]).unwrap(), 3);
    // Penalties also apply to greedy choice, but only within the window.
    let penalties = Sampling { presence_penalty: 5.0, penalty_window: 2, top_k: 0, ..Sampling::greedy() };
    let mut sampler = sampler(&penalties, 4);
    let drawn: Vec<u32> = (0..5).map(|_| sampler.sample(&[1.0, 3.0, 2.0, -9.0]).unwrap()).collect();
    assert_eq!(drawn, [1, 2, 0, 1, 2]);
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let refused = |sampling: Sampling| sampling.check(4).unwrap_err();
    assert!(refused(Sampling { top_p: 1.5, ..off() }).contains("top_p = 1.5"));
    assert!(refused(Sampling { temperature: f64::NAN, ..off() }).contains("temperature"));
    assert!(refused(Sampling { bias: vec![(4, 1.0)], ..off() }).contains("token 4"));
}

#[test]
fn xtc_leaves_likely_tokens_out_as_often_as_it_is_told() {
    let logits = [3.0f32, 2.9, 0.0, -1.0];
    let sampling = Sampling { xtc_probability: 0.3, xtc_threshold: 0.2, ..off() };
    let mut sampler = sampler(&sampling, logits.len());
    let left_out = (0..2000)
        .filter(|_| {
            sampler.sample(&logits).unwrap();
            sampler.distribution().unwrap().iter().all(|(id, _)| *id != 0)
        })
        .count() as f64;
    assert!((left_out - 600.0).abs() < 5.0 * (2000.0f64 * 0.3 * 0.7).sqrt(), "{left_out}");
}

#[test]
fn mirostat_arrives_at_its_surprise() {
    // Zipf's law over 2,000 tokens, which has a surprise of 7.1 bits when drawn.
    let logits: Vec<f32> = (1..=2000).map(|i| -(i as f32).ln()).collect();
    for tau in [2.0, 4.0] {
        let sampling = Sampling { mirostat_tau: tau, ..off() };
        let mut sampler = sampler(&sampling, logits.len());
        let mut total = 0.0;
        for i in 0..1500 {
            let token = sampler.sample(&logits).unwrap();
            let p = sampler.distribution().unwrap().into_iter().find(|(id, _)| *id == token).unwrap().1;
            total += if i >= 500 { -p.log2() } else { 0.0 };
        }
        assert!((total / 1000.0 - tau).abs() < 0.15, "{tau}: {}", total / 1000.0);
    }
}

/// The op `sample` agrees with the same filters as separate steps around one that the op does not have and that keeps
/// all tokens.
#[test]
fn the_op_and_the_steps_draw_the_same_tokens() {
    use SamplerKind::{Bias, MinP, Penalties, Temperature, TopK, TopNSigma, TopP, Typical};
    let vocab = 97;
    let on = Sampling {
        temperature: 1.3,
        top_k: 60,
        top_p: 0.97,
        min_p: 0.01,
        typical_p: 0.95,
        repetition_penalty: 1.2,
        frequency_penalty: 0.1,
        presence_penalty: 0.3,
        bias: vec![(3, 1.5), (90, f32::NEG_INFINITY)],
        seed: 11,
        ..off()
    };
    let orders = [
        vec![Bias, Penalties, TopK, Typical, TopP, MinP, Temperature],
        vec![Temperature, MinP, TopP, Bias, Penalties, TopK],
        vec![Typical, Temperature, TopK],
        vec![TopP],
        vec![],
    ];
    let mut state = 5u32;
    for (order, temperature) in orders.into_iter().flat_map(|order| [(order.clone(), 1.3), (order, 0.0)]) {
        let op = Sampling { order, temperature, ..on.clone() };
        let steps =
            Sampling { order: [&[TopNSigma], op.order.as_slice()].concat(), top_n_sigma: 1e6, ..op.clone() };
        let (mut op, mut steps) = (sampler(&op, vocab), sampler(&steps, vocab));
        let mut different = std::collections::BTreeSet::new();
        for draw in 0..400 {
            let logits: Vec<f32> = (0..vocab)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 8) as f32 / (1 << 22) as f32 - 2.0
                })
                .collect();
            let token = op.sample(&logits).unwrap();
            assert_eq!(token, steps.sample(&logits).unwrap(), "draw {draw}");
            assert_eq!(op.distribution().unwrap(), steps.distribution().unwrap(), "draw {draw}");
            different.insert(token);
        }
        assert!(different.len() > 20, "{different:?}");
    }
}
