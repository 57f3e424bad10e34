//! Draws of tokens: compares the kernel of `sample` with the steps that the op consists of, on the CPU, and with the evaluator.

mod harness;

use harness::{OnThreads, SplitMix64, literal, run, ways};
use rlx_ir::LogitFilter::{Bias, Frequency, MinP, Presence, Repetition, Temperature, TopK, TopP, Typical};
use rlx_ir::eval::Scalar;
use rlx_ir::{Builder, Candidates, DType, Graph, Literal, LogitFilter, Op, Shape, Tensor, eval};

const LISTS: [&[LogitFilter]; 20] = [
    &[],
    &[TopK(1)],
    &[TopK(40)],
    &[TopP(0.0)],
    &[TopP(0.7)],
    &[TopP(0.999)],
    &[Typical(0.3)],
    &[Typical(0.95)],
    &[MinP(0.05)],
    &[MinP(1.0)],
    &[MinP(0.0), Temperature(0.7)],
    &[Temperature(1.3)],
    &[TopK(40), TopP(0.95), MinP(0.05), Temperature(0.8)],
    &[Bias, Repetition(1.5), Frequency(0.3), Presence(0.4), TopK(40), Typical(0.9), TopP(0.9), MinP(0.05)],
    &[Temperature(2.0), TopP(0.8), Bias, Repetition(0.8), TopK(7), MinP(0.1), Temperature(0.7)],
    &[Typical(0.95), TopK(100), Frequency(-0.2)],
    &[MinP(0.02), Typical(0.9), MinP(0.1), TopP(0.8)],
    &[TopK(30), TopK(20), Bias, TopK(25), TopK(10)],
    &[TopK(20), Frequency(0.5), MinP(0.3), Typical(0.8), Presence(-0.5), TopP(0.9)],
    &[TopP(0.9), TopK(1_000_000), Repetition(1.1), TopP(0.9)],
];

/// Returns the operands of the graphs, in order.
fn operands(b: &Builder, dims: &[usize]) -> [Tensor; 4] {
    let vocab = &dims[dims.len() - 1..];
    [
        b.input("key", Shape::new(&[2], DType::U32)),
        b.input("logits", Shape::new(dims, DType::F32)),
        b.input("counts", Shape::new(dims, DType::F32)),
        b.input("bias", Shape::new(vocab, DType::F32)),
    ]
}

/// Returns the op, and the steps that it consists of.
fn graphs(dims: &[usize], filters: &[LogitFilter], greedy: bool) -> [Graph; 2] {
    let b = Builder::new("op");
    let [key, logits, counts, bias] = operands(&b, dims);
    let op = logits.sample(&key, Some(&counts), Some(&bias), filters, greedy);
    let op = b.finish(&op.iter().collect::<Vec<_>>()).unwrap();
    let b = Builder::new("steps");
    let [key, logits, counts, bias] = operands(&b, dims);
    let all = Candidates::new(&logits).unwrap();
    let left = filters.iter().fold(all, |left, f| left.filtered(*f, Some(&counts), Some(&bias)).unwrap());
    let steps = left.results((!greedy).then_some(&key));
    // Both graphs have the same inputs, whatever filters read.
    [op, b.finish(&steps.iter().collect::<Vec<_>>()).unwrap()]
}

fn numbers(dims: &[usize], mut f: impl FnMut() -> f64) -> Literal {
    literal(dims, DType::F32, |_| Scalar::Float(f()))
}

/// Returns whether a filter sums the probabilities of the whole vocabulary.
fn is_of_all(filters: &[LogitFilter]) -> bool {
    let adds_up = filters.iter().position(|f| matches!(f, TopP(_) | Typical(_)));
    let narrows = filters.iter().position(|f| matches!(f, TopK(_)));
    adds_up.is_some_and(|at| narrows.is_none_or(|narrows| at < narrows))
}

/// Returns values of the operands; `logit` draws the logits.
fn values(dims: &[usize], random: &mut SplitMix64, logit: fn(&mut SplitMix64) -> f64) -> [Literal; 4] {
    let key = Literal::new(&[2], &[random.bits() as u32, random.bits() as u32]).unwrap();
    let logits = numbers(dims, || logit(random));
    let counts = numbers(dims, || (random.unit() * 5.0 - 3.0).floor().max(0.0));
    let bias = numbers(&dims[dims.len() - 1..], || random.unit() * 2.0 - 1.0);
    [key, logits, counts, bias]
}

fn named(values: &[Literal; 4]) -> Vec<(&'static str, &Literal)> {
    ["key", "logits", "counts", "bias"].into_iter().zip(values).collect()
}

/// Far apart, so that results do not depend on rounding.
fn peaked(random: &mut SplitMix64) -> f64 {
    -(1.0 - random.unit()).ln() * 2.0
}

fn flat(random: &mut SplitMix64) -> f64 {
    random.unit()
}

fn equal_or_out(random: &mut SplitMix64) -> f64 {
    [f64::NEG_INFINITY, 0.0, -0.0, 1.0, 1.0, 4.0][random.below(6)]
}

fn all_out(_: &mut SplitMix64) -> f64 {
    f64::NEG_INFINITY
}

fn not_a_number(random: &mut SplitMix64) -> f64 {
    if random.below(5) == 0 { f64::NAN } else { random.unit() }
}

#[test]
fn the_kernel_draws_what_the_steps_draw() {
    let mut random = SplitMix64::new(1);
    let sizes: [&[usize]; 6] = [&[1], &[23], &[3, 97], &[2, 2, 64], &[2, 5000], &[1, 40_000]];
    for (i, dims) in sizes.into_iter().enumerate() {
        for (filters, greedy) in LISTS.iter().flat_map(|list| [(list, false), (list, true)]) {
            let [op, steps] = graphs(dims, filters, greedy);
            for logit in [peaked, flat] {
                let values = values(dims, &mut random, logit);
                let ways = ways();
                // Sums over that many tokens have larger rounding errors than the probability of one token.
                if i == 5 && is_of_all(filters) {
                    continue;
                }
                let want = run(&steps, &named(&values), &ways[0]);
                // The largest sizes take long in the debug build.
                for options in if i < 4 { &ways[..] } else { &ways[2..4] } {
                    let got = run(&op, &named(&values), options);
                    for (which, (got, want)) in got.iter().zip(&want).enumerate() {
                        let same = got.bytes() == want.bytes();
                        assert!(same, "{which} of {filters:?}, greedy {greedy}, {dims:?}\n{got:?}\n{want:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn equal_logits_infinities_and_numbers_that_are_none_go_as_in_the_steps() {
    let mut random = SplitMix64::new(2);
    for (filters, greedy) in LISTS.iter().flat_map(|list| [(list, false), (list, true)]) {
        // No nucleus ends where the probabilities of equal candidates add up to p.
        let [op, steps] = graphs(&[3, 211], filters, greedy);
        for logit in [equal_or_out, all_out, not_a_number] {
            let values = values(&[3, 211], &mut random, logit);
            for options in ways() {
                let [got, want] = [&op, &steps].map(|graph| run(graph, &named(&values), &options));
                assert_eq!(got[0].bytes(), want[0].bytes(), "{filters:?}, greedy {greedy}");
                assert_eq!(got[2].bytes(), want[2].bytes(), "{filters:?}, greedy {greedy}");
            }
        }
    }
}

#[test]
fn the_kernel_draws_what_the_evaluator_draws() {
    let mut random = SplitMix64::new(3);
    for (filters, greedy) in LISTS.iter().flat_map(|list| [(list, false), (list, true)]) {
        let [op, _] = graphs(&[2, 150], filters, greedy);
        let values = values(&[2, 150], &mut random, peaked);
        let want = eval(&op, &named(&values)).unwrap();
        let got = run(&op, &named(&values), &ways()[0]);
        assert_eq!(got[0].bytes(), want[0].bytes(), "{filters:?}, greedy {greedy}");
        assert_eq!(got[2].bytes(), want[2].bytes(), "{filters:?}, greedy {greedy}");
    }
}

/// Of many tokens, those are kept, in order, that together have the probability.
#[test]
fn what_is_kept_of_many_tokens_has_the_probability_together() {
    let (dims, mut random, mut kept) = ([40_000], SplitMix64::new(5), Vec::new());
    for (p, logit) in
        [0.1, 0.5, 0.9, 0.999].into_iter().flat_map(|p| [(p, peaked as fn(&mut _) -> _), (p, flat)])
    {
        let values = values(&dims, &mut random, logit);
        let logits: Vec<f64> = values[1].as_slice::<f32>().unwrap().iter().map(|&x| f64::from(x)).collect();
        let sum: f64 = logits.iter().map(|x| x.exp()).sum();
        let share = |id: usize| logits[id].exp() / sum;
        let entropy: f64 = -(0..dims[0]).map(|id| share(id) * share(id).ln()).sum::<f64>();
        for (filter, rank) in [
            (TopP(p), &(|id: usize| logits[id]) as &dyn Fn(usize) -> f64),
            (Typical(p), &|id: usize| -(-share(id).ln() - entropy).abs()),
        ] {
            let [op, _] = graphs(&dims, &[filter], true);
            let found = run(&op, &named(&values), &ways()[2]);
            let ids = found[2].as_slice::<i32>().unwrap();
            let len = ids.iter().position(|&id| id < 0).unwrap_or(dims[0]);
            let ids: Vec<usize> = ids[..len].iter().map(|&id| id as usize).collect();
            // Sums of that many f32 round the entropy.
            let behind = ids.windows(2).map(|pair| rank(pair[1]) - rank(pair[0])).fold(0.0, f64::max);
            assert!(behind < 5e-5, "{filter:?}: {behind}");
            let mass: f64 = ids.iter().map(|&id| share(id)).sum();
            let last = ids.last().map_or(0.0, |&id| share(id));
            assert!(mass > p - 2e-5 && mass - last < p + 2e-5, "{filter:?}: {mass}");
            kept.push(len);
        }
    }
    // Few and many are kept: those that are examined first, and more.
    assert!(kept.iter().any(|&n| n < 256) && kept.iter().any(|&n| (256..4096).contains(&n)), "{kept:?}");
    assert!(kept.iter().any(|&n| n > 30_000), "{kept:?}");
}

#[test]
fn the_rows_of_the_table() {
    let args = rlx_conformance::Args { ops: vec!["sample".into()], more_seeds: 3, ..Default::default() };
    let report = rlx_conformance::run(&args, &[&OnThreads(1), &OnThreads(2)]);
    assert!(report.failures().is_empty(), "{report}");
    assert!(report.total().passed > 300, "{report}");
}

/// Operands that no filter reads may have any dimensions.
#[test]
fn operands_that_no_filter_reads_are_not_read() {
    let b = Builder::new("unread");
    let [key, logits, ..] = operands(&b, &[2, 8]);
    let few = b.input("few", Shape::new(&[1], DType::F32));
    let op = Op::Sample { filters: vec![TopK(2)], greedy: true };
    let outputs = b.apply_many(op, &[&key, &logits, &few, &few]);
    let graph = b.finish(&[&outputs[0]]).unwrap();
    let [key, logits, counts, bias] = values(&[2, 8], &mut SplitMix64::new(4), peaked);
    let few = Literal::new(&[1], &[0f32]).unwrap();
    let given = [("key", &key), ("logits", &logits), ("few", &few), ("counts", &counts), ("bias", &bias)];
    let found = run(&graph, &given, &ways()[0]);
    let want = eval(&graph, &given).unwrap();
    assert_eq!(found[0].bytes(), want[0].bytes());
}
