//! Compares the op `sample` with plain code over f64, which identifies tokens by their ids and does not use graphs.

use rlx_ir::{Builder, DType, Dim, Graph, Literal, LogitFilter, Op, Shape, eval};

const VOCAB: usize = 40;

/// Numbers in [0, 1).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f64 / (1u64 << 24) as f64
    }
}

/// Token and logit.
type Token = (usize, f64);

fn probabilities(tokens: &[Token]) -> Vec<f64> {
    let largest = tokens.iter().fold(f64::NEG_INFINITY, |m, t| m.max(t.1));
    let sum: f64 = tokens.iter().map(|t| (t.1 - largest).exp()).sum();
    tokens.iter().map(|t| (t.1 - largest).exp() / sum).collect()
}

/// The first tokens of an order whose probabilities add up to p, and how close a sum came to p.
fn nucleus(tokens: &[Token], order: &[usize], p: f64, margin: &mut f64) -> Vec<Token> {
    let probabilities = probabilities(tokens);
    let (mut sum, mut kept) = (0.0, Vec::new());
    for &at in order {
        *margin = margin.min((sum - p).abs());
        if sum >= p {
            break;
        }
        kept.push(tokens[at]);
        sum += probabilities[at];
    }
    kept
}

/// The tokens that a filter keeps.
fn filtered(
    mut tokens: Vec<Token>,
    filter: LogitFilter,
    counts: &[f64],
    bias: &[f64],
    margin: &mut f64,
) -> Vec<Token> {
    match filter {
        LogitFilter::Bias => tokens.iter_mut().for_each(|(id, x)| *x += bias[*id]),
        LogitFilter::Repetition(r) => tokens
            .iter_mut()
            .filter(|(id, _)| counts[*id] > 0.0)
            .for_each(|(_, x)| *x = if *x > 0.0 { *x / r } else { *x * r }),
        LogitFilter::Frequency(f) => tokens.iter_mut().for_each(|(id, x)| *x -= counts[*id] * f),
        LogitFilter::Presence(f) => {
            tokens.iter_mut().filter(|(id, _)| counts[*id] > 0.0).for_each(|(_, x)| *x -= f);
        }
        LogitFilter::TopK(k) => {
            tokens.sort_by(|a, b| b.1.total_cmp(&a.1));
            if let [.., last, next] = &tokens[..tokens.len().min(k + 1)] {
                *margin = margin.min(if tokens.len() > k { last.1 - next.1 } else { 1.0 });
            }
            tokens.truncate(k);
        }
        LogitFilter::TopP(p) => {
            tokens.sort_by(|a, b| b.1.total_cmp(&a.1));
            let order: Vec<usize> = (0..tokens.len()).collect();
            tokens = nucleus(&tokens, &order, p, margin);
        }
        LogitFilter::Typical(p) => {
            let logs: Vec<f64> = probabilities(&tokens).into_iter().map(f64::ln).collect();
            let entropy: f64 = -logs.iter().map(|l| l.exp() * l).sum::<f64>();
            let off = |at: usize| (-logs[at] - entropy).abs();
            let mut order: Vec<usize> = (0..tokens.len()).collect();
            order.sort_by(|&a, &b| off(a).total_cmp(&off(b)));
            order.windows(2).for_each(|w| *margin = margin.min(off(w[1]) - off(w[0])));
            tokens = nucleus(&tokens, &order, p, margin);
        }
        LogitFilter::MinP(share) => {
            let largest = tokens.iter().fold(f64::NEG_INFINITY, |m, t| m.max(t.1));
            let least = largest + share.ln();
            tokens.iter().for_each(|t| *margin = margin.min((t.1 - least).abs()));
            tokens.retain(|t| t.1 >= least);
        }
        LogitFilter::Temperature(t) => tokens.iter_mut().for_each(|(_, x)| *x /= t),
    }
    tokens
}

/// The op on logits `[2, VOCAB]`, with the noise that `categorical` draws for its candidates.
fn graph(filters: &[LogitFilter], greedy: bool) -> Graph {
    let b = Builder::new("sample");
    let logits = b.input("logits", Shape::new(&[2, VOCAB], DType::F32));
    let counts = b.input("counts", Shape::new(&[2, VOCAB], DType::F32));
    let bias = b.input("bias", Shape::new(&[VOCAB], DType::F32));
    let key = b.input("key", Shape::new(&[2], DType::U32));
    let [token, left, ids] = logits.sample(&key, Some(&counts), Some(&bias), filters, greedy);
    let low = b.scalar(f64::from(f32::MIN_POSITIVE), DType::F32);
    let uniform = key.apply(Op::RngUniform { shape: left.shape() }, &[&low]);
    let graph = b.finish(&[&token, &left, &ids, &uniform]).unwrap();
    assert_eq!(Graph::parse(&graph.to_string()).unwrap(), graph);
    graph
}

#[test]
fn tokens_and_candidates_are_those_of_plain_code() {
    use LogitFilter::{Bias, Frequency, MinP, Presence, Repetition, Temperature, TopK, TopP, Typical};
    let lists: [&[LogitFilter]; 8] = [
        &[],
        &[TopK(5)],
        &[TopP(0.7)],
        &[Typical(0.6)],
        &[MinP(0.2), Temperature(0.5)],
        &[
            Bias,
            Repetition(1.5),
            Frequency(0.3),
            Presence(0.4),
            TopK(20),
            Typical(0.9),
            TopP(0.9),
            MinP(0.05),
        ],
        &[Temperature(2.0), TopP(0.8), Bias, Repetition(0.8), TopK(7), MinP(0.1), Temperature(0.7)],
        &[Typical(0.95), TopK(100), Frequency(-0.2)],
    ];
    let (mut numbers, mut judged) = (Numbers(1), 0);
    for (list, greedy) in lists.into_iter().flat_map(|list| [(list, false), (list, true)]) {
        let graph = graph(list, greedy);
        for draw in 0..150u32 {
            let mut values = |n: usize, f: &dyn Fn(f64) -> f64| -> Vec<f32> {
                (0..n).map(|_| f(numbers.next()) as f32).collect()
            };
            let logits = values(2 * VOCAB, &|x| x * 8.0 - 4.0);
            let counts = values(2 * VOCAB, &|x| (x * 5.0 - 2.0).floor().max(0.0));
            let bias = values(VOCAB, &|x| x - 0.5);
            let literal = |dims: &[usize], data: &[f32]| Literal::new(dims, data).unwrap();
            let out = eval(
                &graph,
                &[
                    ("logits", &literal(&[2, VOCAB], &logits)),
                    ("counts", &literal(&[2, VOCAB], &counts)),
                    ("bias", &literal(&[VOCAB], &bias)),
                    ("key", &Literal::new(&[2], &[7u32, draw]).unwrap()),
                ],
            )
            .unwrap();
            let wide = |x: &[f32]| -> Vec<f64> { x.iter().map(|&x| f64::from(x)).collect() };
            let n = out[1].dims()[1];
            for row in 0..2 {
                let part = row * VOCAB..(row + 1) * VOCAB;
                let all = wide(&logits[part.clone()]).into_iter().enumerate().collect();
                let mut margin = f64::INFINITY;
                let want = list.iter().fold(all, |tokens, &filter| {
                    filtered(tokens, filter, &wide(&counts[part.clone()]), &wide(&bias), &mut margin)
                });
                if margin < 1e-5 {
                    continue;
                }
                let at = row * n..(row + 1) * n;
                let left = &out[1].as_slice::<f32>().unwrap()[at.clone()];
                let ids = &out[2].as_slice::<i32>().unwrap()[at.clone()];
                let uniform = &out[3].as_slice::<f32>().unwrap()[at];
                let mut got: Vec<(usize, f64, f64)> = Vec::new();
                for ((&id, &x), &u) in ids.iter().zip(left).zip(uniform) {
                    if x > f32::NEG_INFINITY {
                        got.push((id as usize, f64::from(x), -(-f64::from(u).ln()).ln()));
                    }
                }
                let mut sorted = (got.clone(), want);
                sorted.0.sort_by_key(|t| t.0);
                sorted.1.sort_by_key(|t| t.0);
                assert_eq!(sorted.0.len(), sorted.1.len(), "{list:?}");
                for (g, w) in sorted.0.iter().zip(&sorted.1) {
                    assert!(g.0 == w.0 && (g.1 - w.1).abs() < 1e-5, "{list:?}: {g:?}, {w:?}");
                }
                let score = |t: &(usize, f64, f64)| t.1 + if greedy { 0.0 } else { t.2 };
                got.sort_by(|a, b| score(b).total_cmp(&score(a)));
                let clear = got.len() == 1 || score(&got[0]) - score(&got[1]) > 1e-5;
                assert!(!clear || out[0].as_slice::<i32>().unwrap()[row] as usize == got[0].0, "{list:?}");
                judged += usize::from(clear);
            }
        }
    }
    assert!(judged > 4000, "{judged}");
}

#[test]
fn draws_are_as_frequent_as_they_are_likely() {
    let b = Builder::new("often");
    let logits = b.constant(Literal::new(&[4], &[1.0f32, 3.0, 2.0, 0.0]).unwrap());
    let key = b.input("key", Shape::new(&[2], DType::U32));
    let [token, ..] = logits.sample(&key, None, None, &[LogitFilter::TopK(2)], false);
    let graph = b.finish(&[&token]).unwrap();
    let mut often = [0; 4];
    for draw in 0..4000u32 {
        let out = eval(&graph, &[("key", &Literal::new(&[2], &[3u32, draw]).unwrap())]).unwrap();
        often[out[0].as_slice::<i32>().unwrap()[0] as usize] += 1;
    }
    // Token 1 has 1/(1 + e⁻¹) = 0.7311 of the probability: 2924 of 4000, with a standard deviation of 28.
    assert!(often[0] == 0 && often[3] == 0 && (often[1] - 2924i32).abs() < 5 * 28, "{often:?}");
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let f = |dims: &[usize]| Shape::new(dims, DType::F32);
    let key = || Shape::new(&[2], DType::U32);
    let mut symbolic = f(&[2, 8]);
    symbolic = symbolic.with_dims([Dim::Static(2), Dim::dynamic("n")].to_vec());
    let cases: Vec<(LogitFilter, Vec<Shape>, &str)> = vec![
        (LogitFilter::TopK(0), vec![key(), f(&[8])], "the filter top_k is set to 0"),
        (
            LogitFilter::TopP(1.5),
            vec![key(), f(&[8])],
            "the filter top_p is set to 1.5; it has to be from 0 to 1",
        ),
        (LogitFilter::MinP(f64::NAN), vec![key(), f(&[8])], "the filter min_p is set to NaN"),
        (LogitFilter::Temperature(0.0), vec![key(), f(&[8])], "the filter temperature is set to 0"),
        (LogitFilter::Presence(1.0), vec![key(), f(&[8])], "the filter presence needs the operand counts"),
        (LogitFilter::Bias, vec![key(), f(&[8]), f(&[8])], "the filter bias needs the operand bias"),
        (
            LogitFilter::Bias,
            vec![key(), f(&[3, 8]), f(&[3, 8]), f(&[3, 8])],
            "bias and an operand that fits the logits",
        ),
        (
            LogitFilter::Presence(1.0),
            vec![key(), f(&[3, 8]), f(&[8])],
            "counts and an operand that fits the logits",
        ),
        (LogitFilter::TopK(1), vec![f(&[2]), f(&[8])], "a key must be u32[2], got f32[2]"),
        (LogitFilter::TopK(1), vec![key(), f(&[])], "a vocabulary of a size that is known"),
        (LogitFilter::TopK(1), vec![key(), f(&[3, 0])], "a vocabulary of a size that is known"),
        (LogitFilter::TopK(1), vec![key(), symbolic], "a vocabulary of a size that is known"),
        (LogitFilter::TopK(1), vec![key(), Shape::new(&[8], DType::I32)], "logits has element type i32"),
        (
            LogitFilter::TopK(1),
            vec![key(), f(&[8]), Shape::new(&[8], DType::Bool)],
            "counts has element type bool",
        ),
    ];
    for (filter, operands, wanted) in cases {
        let message = Op::Sample { filters: vec![filter], greedy: false }
            .infer(&operands)
            .expect_err(wanted)
            .to_string();
        assert!(message.contains(wanted), "{message}\n  lacks: {wanted}");
    }
    // A batch of unknown size is accepted everywhere.
    let texts = f(&[1, 8]).with_dims([Dim::dynamic("n"), Dim::Static(8)].to_vec());
    let filters = vec![LogitFilter::TopK(3), LogitFilter::TopP(0.9)];
    let results = Op::Sample { filters, greedy: false }.infer(&[key(), texts]).unwrap();
    assert_eq!(
        results.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["i32[n]", "f32[n,3]", "i32[n,3]"]
    );
}

#[test]
fn text_that_names_no_filter_is_refused() {
    assert!(Op::from_text("sample", "{filters = [[top_k, 4], [bias]], greedy = false}").is_ok());
    for bad in ["[[top_k]]", "[[bias, 1]]", "[[nucleus, 0.5]]", "[top_k]"] {
        let text = format!("{{filters = {bad}, greedy = false}}");
        assert!(Op::from_text("sample", &text).is_err(), "{bad}");
    }
}
