//! Compares attention with the evaluator: layouts, grouped heads, every mask and bias, and sizes around those of the blocks.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal, ordinary};
use rlx_compile::{CompileOptions, Decision};
use rlx_cpu::CpuBackend;
use rlx_exec::lower;
use rlx_ir::eval::Scalar;
use rlx_ir::op::kinds::MaskKind;
use rlx_ir::{AttentionOptions, Builder, DType, Dim, Graph, Literal, Op};

/// Results are means of values below 1. Scores are below 10 here and summed in f32, so their error of about 1e-6 is the relative error of a
/// weight.
const TOLERANCE: Tolerance = Tolerance::Close { absolute: 3e-6, relative: 1e-6 };

/// Sizes of an attention: batch, query heads, key heads, queries, keys, d of queries and keys, d of values.
#[derive(Clone, Copy)]
struct Sizes {
    batch: usize,
    heads: usize,
    kv_heads: usize,
    queries: usize,
    keys: usize,
    d: usize,
    dv: usize,
}

const SMALL: Sizes = Sizes { batch: 2, heads: 4, kv_heads: 2, queries: 9, keys: 21, d: 8, dv: 5 };

impl Sizes {
    fn operands(&self, rank: usize) -> [Vec<usize>; 3] {
        let of = |heads: usize, seq: usize, d: usize| match rank {
            3 => vec![self.batch, seq, heads * d],
            _ => vec![self.batch, heads, seq, d],
        };
        [
            of(self.heads, self.queries, self.d),
            of(self.kv_heads, self.keys, self.d),
            of(self.kv_heads, self.keys, self.dv),
        ]
    }
}

/// Attributes without numbers of heads, which follow from the sizes.
#[derive(Clone, Copy)]
struct Attributes {
    scale: Option<f64>,
    mask: MaskKind,
    window: Option<usize>,
    softcap: Option<f64>,
}

const PLAIN: Attributes = Attributes { scale: None, mask: MaskKind::None, window: None, softcap: None };

fn check_one(sizes: Sizes, rank: usize, attributes: Attributes, values: &[Literal], tolerance: Tolerance) {
    let Attributes { scale, mask, window, softcap } = attributes;
    let heads = (rank == 3).then_some(sizes.heads);
    let kv_heads = (rank == 3).then_some(sizes.kv_heads);
    let mut graph = Graph::new("attention");
    let names = ["q", "k", "v", "mask"];
    let named: Vec<(&str, &Literal)> = names.into_iter().zip(values).collect();
    let inputs = named.iter().map(|(name, value)| graph.input(*name, value.shape().clone())).collect();
    let options = AttentionOptions {
        num_heads: heads,
        num_kv_heads: kv_heads,
        scale,
        mask,
        window,
        softcap,
        kv_scheme: None,
    };
    let op = options.op();
    let node = graph.try_add(op, inputs).unwrap();
    graph.set_outputs(vec![node]);
    check(&graph, &named, tolerance);
}

/// Numbers in −1..1.
fn numbers(dims: &[usize], random: &mut SplitMix64) -> Literal {
    literal(dims, DType::F32, |_| Scalar::Float(random.unit() * 2.0 - 1.0))
}

fn operands(sizes: Sizes, rank: usize, random: &mut SplitMix64) -> Vec<Literal> {
    sizes.operands(rank).iter().map(|dims| numbers(dims, random)).collect()
}

fn check_sizes(sizes: Sizes, attributes: Attributes, random: &mut SplitMix64) {
    for rank in [3, 4] {
        let values = operands(sizes, rank, random);
        check_one(sizes, rank, attributes, &values, TOLERANCE);
    }
}

const POSITIONS: [Attributes; 4] = [
    PLAIN,
    Attributes { mask: MaskKind::Causal, ..PLAIN },
    Attributes { mask: MaskKind::SlidingWindow, window: Some(5), ..PLAIN },
    Attributes { mask: MaskKind::SlidingWindow, window: Some(1), ..PLAIN },
];

#[test]
fn every_size_with_masks_by_position() {
    let mut random = SplitMix64::new(1);
    let lengths = [(1, 1), (1, 16), (16, 1), (16, 16), (7, 3), (3, 70), (65, 65), (128, 128), (2, 300)];
    for (queries, keys) in lengths {
        for attributes in POSITIONS {
            check_sizes(Sizes { queries, keys, ..SMALL }, attributes, &mut random);
        }
    }
    let long = Sizes { batch: 1, heads: 2, kv_heads: 1, queries: 300, keys: 300, d: 20, dv: 20 };
    check_sizes(long, PLAIN, &mut random);
    check_sizes(long, POSITIONS[1], &mut random);
    check_sizes(Sizes { queries: 3, keys: 2100, ..long }, PLAIN, &mut random);
}

#[test]
fn every_head_size_and_grouping() {
    let mut random = SplitMix64::new(2);
    for d in [1, 3, 16, 31, 32, 33, 64, 80, 130] {
        check_sizes(Sizes { d, dv: d, ..SMALL }, PLAIN, &mut random);
        check_sizes(Sizes { d: 4, dv: d, ..SMALL }, POSITIONS[1], &mut random);
    }
    for (heads, kv_heads) in [(1, 1), (3, 3), (6, 2), (8, 1)] {
        for attributes in POSITIONS {
            check_sizes(Sizes { heads, kv_heads, ..SMALL }, attributes, &mut random);
        }
    }
}

#[test]
fn nothing_to_do() {
    let mut random = SplitMix64::new(3);
    let none = [
        Sizes { batch: 0, ..SMALL },
        Sizes { queries: 0, ..SMALL },
        Sizes { keys: 0, ..SMALL },
        Sizes { dv: 0, ..SMALL },
    ];
    for sizes in none {
        check_sizes(sizes, PLAIN, &mut random);
        check_sizes(sizes, POSITIONS[1], &mut random);
    }
}

#[test]
fn scale_and_soft_cap() {
    let mut random = SplitMix64::new(4);
    for scale in [Some(0.25), Some(-1.0), Some(0.0), None] {
        for softcap in [None, Some(1.5), Some(30.0)] {
            for attributes in POSITIONS {
                check_sizes(SMALL, Attributes { scale, softcap, ..attributes }, &mut random);
            }
        }
    }
}

/// Returns the sizes of masks and biases that can be broadcast to the scores.
fn shapes(sizes: Sizes) -> Vec<Vec<usize>> {
    let Sizes { batch, heads, queries, keys, .. } = sizes;
    let mut list = vec![vec![], vec![keys], vec![batch, keys], vec![1, keys], vec![1, queries, keys]];
    for choice in 0..16 {
        let own = [batch, heads, queries, keys];
        list.push((0..4).map(|axis| if choice >> axis & 1 == 1 { own[axis] } else { 1 }).collect());
    }
    list
}

#[test]
fn masks_of_every_type_and_shape() {
    let mut random = SplitMix64::new(5);
    let types = [
        DType::Bool,
        DType::F32,
        DType::I64,
        DType::U8,
        DType::I16,
        DType::I32,
        DType::F16,
        DType::BF16,
        DType::F64,
        DType::F8E4M3,
        DType::C64,
    ];
    for (i, dims) in shapes(SMALL).into_iter().enumerate() {
        for dtype in [types[i % types.len()], DType::Bool, DType::F32] {
            let mut values = operands(SMALL, 3 + i % 2, &mut random);
            let mask = literal(&dims, dtype, |_| {
                let word = [0.0, -0.0, 1.0, 0.0, -2.0][random.below(5)];
                match dtype {
                    DType::C64 => Scalar::Complex(rlx_ir::math::Complex64::new(0.0, word)),
                    _ if dtype.is_float() => Scalar::Float(word),
                    DType::Bool => Scalar::Int(i128::from(word == 1.0)),
                    _ => Scalar::Int(if word == 1.0 { 1 << (dtype.bits() - 2) } else { 0 }),
                }
            });
            values.push(mask);
            let attributes = Attributes { mask: MaskKind::Custom, ..PLAIN };
            check_one(SMALL, 3 + i % 2, attributes, &values, TOLERANCE);
        }
    }
}

#[test]
fn biases_of_every_shape() {
    let mut random = SplitMix64::new(6);
    for (i, dims) in shapes(SMALL).into_iter().enumerate() {
        let mut values = operands(SMALL, 4, &mut random);
        values.push(literal(&dims, DType::F32, |_| match random.below(4) {
            0 => Scalar::Float(f64::NEG_INFINITY),
            _ => Scalar::Float(random.unit() * 4.0 - 2.0),
        }));
        let softcap = (i % 2 == 0).then_some(3.0);
        let attributes = Attributes { mask: MaskKind::Bias, softcap, ..PLAIN };
        check_one(SMALL, 4, attributes, &values, TOLERANCE);
    }
    let mut values = operands(SMALL, 4, &mut random);
    values.push(ordinary(&[2, 21], DType::F64, &mut random));
    check_one(SMALL, 4, Attributes { mask: MaskKind::Bias, ..PLAIN }, &values, TOLERANCE);
}

/// A mask over more keys than one run of values has, for blocks of several heads.
#[test]
fn long_padding_masks() {
    let mut random = SplitMix64::new(7);
    let sizes = Sizes { batch: 2, heads: 2, kv_heads: 1, queries: 40, keys: 290, d: 16, dv: 16 };
    let mut values = operands(sizes, 3, &mut random);
    let keys = sizes.keys;
    values.push(literal(&[2, keys], DType::I64, |i| {
        Scalar::Int(i128::from(i % keys < 200 - 100 * (i / keys)))
    }));
    check_one(sizes, 3, Attributes { mask: MaskKind::Custom, ..PLAIN }, &values, TOLERANCE);
}

#[test]
fn nan_and_infinities_reach_what_attends_to_them() {
    let mut random = SplitMix64::new(8);
    let biases = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for odd in biases {
        let mut values = operands(SMALL, 4, &mut random);
        // One row of ordinary numbers and a special one, one of the special one only, and one of −∞ and a special one.
        values.push(literal(&[1, 9, 21], DType::F32, |i| match (i / 21, i % 21) {
            (2, 4) | (5, _) | (7, 20) => Scalar::Float(odd),
            (7, _) => Scalar::Float(f64::NEG_INFINITY),
            _ => Scalar::Float(random.unit()),
        }));
        check_one(SMALL, 4, Attributes { mask: MaskKind::Bias, ..PLAIN }, &values, TOLERANCE);
    }
    for odd in biases {
        for operand in 0..3 {
            let mut values = operands(SMALL, 4, &mut random);
            let dims = &SMALL.operands(4)[operand];
            values[operand] =
                literal(dims, DType::F32, |i| Scalar::Float(if i == 3 { odd } else { random.unit() }));
            check_one(SMALL, 4, PLAIN, &values, TOLERANCE);
        }
    }
}

#[test]
fn other_types_are_decomposed() {
    let mut random = SplitMix64::new(9);
    for dtype in [DType::F64, DType::BF16] {
        let values: Vec<Literal> = SMALL
            .operands(4)
            .iter()
            .map(|dims| literal(dims, dtype, |_| Scalar::Float(random.unit() * 2.0 - 1.0)))
            .collect();
        let tolerance =
            if dtype == DType::F64 { TOLERANCE } else { Tolerance::Close { absolute: 8e-3, relative: 8e-3 } };
        check_one(SMALL, 4, PLAIN, &values, tolerance);
    }
}

#[test]
fn attention_in_primitives_runs_as_attention() {
    let mut random = SplitMix64::new(11);
    let Sizes { batch, heads, queries, keys, d, .. } = SMALL;
    let q = ordinary(&[batch, queries, heads * d], DType::F32, &mut random);
    let k = ordinary(&[batch, keys, heads * d], DType::F32, &mut random);
    let v = ordinary(&[batch, keys, heads * d], DType::F32, &mut random);
    let b = Builder::new("by hand");
    let of_heads = |name: &str, value: &Literal, seq: usize| {
        let x = b.input(name, value.shape().clone());
        x.reshape(&[batch, seq, heads, d].map(Dim::Static)).transpose(&[0, 2, 1, 3])
    };
    let (hq, hk, hv) = (of_heads("q", &q, queries), of_heads("k", &k, keys), of_heads("v", &v, keys));
    let weights = (hq.matmul(&hk.transpose(&[0, 1, 3, 2])) * 0.125).softmax(3);
    let merged = weights.matmul(&hv).transpose(&[0, 2, 1, 3]);
    let graph = b.finish(&[&merged.reshape(&[batch, queries, heads * d].map(Dim::Static))]).unwrap();

    let lowered = lower(&graph, &[], &CpuBackend, &CompileOptions::new()).unwrap();
    assert!(
        lowered.graph().nodes().iter().any(|n| matches!(n.op(), Op::Attention { .. })),
        "{}",
        lowered.graph()
    );
    assert_eq!(lowered.report().map(|r| r.count(Decision::Rewritten)), Some(1));
    check(&graph, &[("q", &q), ("k", &k), ("v", &v)], TOLERANCE);
}
