//! Tests attention over caches with some valid rows, in every mode: with lengths that are the same for all sequences, and with others.

mod present;

use present::{MODES, session};
use rlx_conformance::bound::{Freedom, Reference};
use rlx_conformance::compare::Agreement;
use rlx_conformance::stream::Stream;
use rlx_ir::{AttentionOptions, Builder, DType, Graph, Literal, MaskKind, Shape};

const CAPACITY: usize = 6;
const HEADS: usize = 4;
const KV_HEADS: usize = 2;
const WIDTH: usize = 8;

/// Appends keys and values to those of two sequences, and computes attention to all of them.
fn decoder(mask: MaskKind, queries: usize) -> Graph {
    let b = Builder::new("decoder");
    let input = |name: &str, dims: &[usize]| b.input(name, Shape::new(dims, DType::F32));
    let q = input("q", &[2, HEADS, queries, WIDTH]);
    let new = ["k", "v"].map(|name| input(name, &[2, KV_HEADS, queries, WIDTH]));
    let caches = ["keys", "values"].map(|name| input(name, &[2, KV_HEADS, CAPACITY, WIDTH]));
    let start = b.input("start", Shape::new(&[2], DType::I32));
    let rows = &start + b.int(queries as i64, DType::I32).broadcast_in_dim(&[2.into()], &[]);
    let [keys, values] = [0, 1].map(|i| caches[i].kv_append(&new[i], &start, 2));
    let window = (mask == MaskKind::SlidingWindow).then_some(2);
    let options = AttentionOptions {
        num_heads: Some(HEADS),
        num_kv_heads: Some(KV_HEADS),
        mask,
        window,
        ..AttentionOptions::default()
    };
    let out = q.attention_cached(&keys, &values, &rows, None, options);
    b.finish(&[&out]).expect("a valid graph")
}

/// A cache in which the rows after the first ones of each sequence are `behind`.
fn cache(seed: u64, start: [usize; 2], behind: f32) -> Literal {
    let mut stream = Stream::new(seed);
    let places = (0..2 * KV_HEADS * CAPACITY * WIDTH).map(|i| {
        let (sequence, row) = (i / (KV_HEADS * CAPACITY * WIDTH), i / WIDTH % CAPACITY);
        let value = stream.uniform(-1.0, 1.0) as f32;
        if row < start[sequence] { value } else { behind }
    });
    let values: Vec<f32> = places.collect();
    Literal::new(&[2, KV_HEADS, CAPACITY, WIDTH], &values).expect("as many numbers")
}

fn numbers(seed: u64, dims: &[usize]) -> Literal {
    let mut stream = Stream::new(seed);
    let values: Vec<f32> = (0..dims.iter().product()).map(|_| stream.uniform(-1.0, 1.0) as f32).collect();
    Literal::new(dims, &values).expect("as many numbers")
}

#[test]
fn rows_that_do_not_count_may_hold_anything() {
    for mode in MODES {
        let Some(session) = session("rows_that_do_not_count_may_hold_anything", mode) else { return };
        for mask in [MaskKind::None, MaskKind::Causal, MaskKind::SlidingWindow] {
            for (queries, start) in [(1, [3, 3]), (1, [0, 5]), (2, [4, 4]), (3, [1, 2]), (1, [0, 0])] {
                let graph = decoder(mask, queries);
                let q = numbers(1, &[2, HEADS, queries, WIDTH]);
                let [k, v] = [2, 3].map(|seed| numbers(seed, &[2, KV_HEADS, queries, WIDTH]));
                let at = Literal::new(&[2], &start.map(|s| s as i32)).expect("two numbers");
                let mut compiled = session.try_compile(graph.clone()).expect("it compiles");
                let mut run = |behind: f32| {
                    let [keys, values] = [4, 5].map(|seed| cache(seed, start, behind));
                    let inputs = [
                        ("q", &q),
                        ("k", &k),
                        ("v", &v),
                        ("keys", &keys),
                        ("values", &values),
                        ("start", &at),
                    ];
                    let outputs = compiled.run_literals(&inputs).expect("it runs");
                    if behind == 0.0 {
                        let reference = Reference::new(&graph, &inputs, Freedom::Contract, &|_| false);
                        let reference = reference.expect("a bound");
                        let what = format!("{mode} {mask} {queries} {start:?}");
                        reference
                            .check(&outputs, Agreement::AnyZeros)
                            .unwrap_or_else(|e| panic!("{what}: {e}"));
                    }
                    outputs
                };
                assert_eq!(run(0.0), run(f32::NAN), "{mode} {mask} {queries} {start:?}");
            }
        }
    }
}
