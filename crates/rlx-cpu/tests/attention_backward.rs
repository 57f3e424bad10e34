//! Compares the derivative of attention with the evaluator: layouts, grouped heads, masks, and sizes around those of the blocks.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal};
use rlx_compile::CompileOptions;
use rlx_cpu::CpuBackend;
use rlx_exec::lower;
use rlx_ir::eval::Scalar;
use rlx_ir::op::kinds::MaskKind;
use rlx_ir::{AttentionOptions, Builder, DType, Graph, Literal, Op, Tensor};

/// Operands are below 1, and cotangents are sums of their products over up to 300 queries or keys, in f32.
const TOLERANCE: Tolerance = Tolerance::Close { absolute: 2e-5, relative: 1e-5 };

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

#[derive(Clone, Copy)]
struct Attributes {
    mask: MaskKind,
    window: Option<usize>,
    softcap: Option<f64>,
}

const PLAIN: Attributes = Attributes { mask: MaskKind::None, window: None, softcap: None };
const POSITIONS: [Attributes; 4] = [
    PLAIN,
    Attributes { mask: MaskKind::Causal, ..PLAIN },
    Attributes { mask: MaskKind::SlidingWindow, window: Some(5), ..PLAIN },
    Attributes { mask: MaskKind::Causal, window: None, softcap: Some(0.8) },
];

/// q, k, v and the cotangent of the result.
fn operands(s: Sizes, rank: usize, random: &mut SplitMix64) -> Vec<Literal> {
    let of = |heads: usize, seq: usize, d: usize| match rank {
        3 => vec![s.batch, seq, heads * d],
        _ => vec![s.batch, heads, seq, d],
    };
    let dims = [
        of(s.heads, s.queries, s.d),
        of(s.kv_heads, s.keys, s.d),
        of(s.kv_heads, s.keys, s.dv),
        of(s.heads, s.queries, s.dv),
    ];
    dims.iter().map(|dims| literal(dims, DType::F32, |_| Scalar::Float(random.unit() * 2.0 - 1.0))).collect()
}

const NAMES: [&str; 5] = ["q", "k", "v", "d_out", "mask"];

fn program(s: Sizes, rank: usize, a: Attributes, values: &[Literal]) -> Graph {
    let builder = Builder::new("attention_backward");
    let inputs: Vec<Tensor> =
        NAMES.iter().zip(values).map(|(name, x)| builder.input(*name, x.shape().clone())).collect();
    let options = AttentionOptions {
        num_heads: (rank == 3).then_some(s.heads),
        num_kv_heads: (rank == 3).then_some(s.kv_heads),
        mask: a.mask,
        window: a.window,
        softcap: a.softcap,
        ..AttentionOptions::default()
    };
    let op = Op::AttentionBackward { options: options.unpacked() };
    let given = builder.apply_many(op, &inputs.iter().collect::<Vec<_>>());
    builder.finish(&given.iter().collect::<Vec<_>>()).unwrap()
}

fn check_one(s: Sizes, rank: usize, a: Attributes, values: &[Literal]) {
    let named: Vec<(&str, &Literal)> = NAMES.into_iter().zip(values).collect();
    check(&program(s, rank, a, values), &named, TOLERANCE);
}

fn check_sizes(s: Sizes, a: Attributes, random: &mut SplitMix64) {
    for rank in [3, 4] {
        check_one(s, rank, a, &operands(s, rank, random));
    }
}

#[test]
fn every_size_with_masks_by_position() {
    let mut random = SplitMix64::new(1);
    for (queries, keys) in [(1, 1), (1, 16), (16, 1), (16, 16), (7, 3), (3, 70), (65, 65)] {
        for attributes in POSITIONS {
            check_sizes(Sizes { queries, keys, ..SMALL }, attributes, &mut random);
        }
    }
    let long = Sizes { batch: 1, heads: 2, kv_heads: 1, queries: 130, keys: 300, d: 20, dv: 20 };
    check_sizes(long, PLAIN, &mut random);
    check_sizes(long, POSITIONS[1], &mut random);
}

#[test]
fn every_head_size_and_grouping() {
    let mut random = SplitMix64::new(2);
    for d in [1, 16, 33, 64, 130] {
        check_sizes(Sizes { d, dv: d, ..SMALL }, PLAIN, &mut random);
        check_sizes(Sizes { d: 4, dv: d, ..SMALL }, POSITIONS[1], &mut random);
    }
    for (heads, kv_heads) in [(1, 1), (6, 2), (8, 1)] {
        check_sizes(Sizes { heads, kv_heads, ..SMALL }, POSITIONS[3], &mut random);
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
fn masks_of_every_form() {
    let mut random = SplitMix64::new(4);
    let s = SMALL;
    let forms = [vec![s.batch, 1, s.queries, s.keys], vec![1, s.heads, 1, s.keys], vec![s.batch, s.keys]];
    for rank in [3, 4] {
        for dims in &forms {
            for dtype in [DType::Bool, DType::F32] {
                let mut values = operands(s, rank, &mut random);
                values
                    .push(literal(dims, dtype, |_| Scalar::Float(f64::from(u8::from(random.unit() < 0.5)))));
                check_one(s, rank, Attributes { mask: MaskKind::Custom, ..PLAIN }, &values);
            }
        }
        // Queries that see nothing.
        let mut values = operands(s, rank, &mut random);
        values.push(literal(&[s.batch, s.keys], DType::Bool, |_| Scalar::Float(0.0)));
        check_one(s, rank, Attributes { mask: MaskKind::Custom, ..PLAIN }, &values);
    }
}

#[test]
fn a_derivative_is_one_kernel() {
    let program = program(SMALL, 4, PLAIN, &operands(SMALL, 4, &mut SplitMix64::new(5)));
    let lowered = lower(&program, &[], &CpuBackend, &CompileOptions::new()).unwrap();
    let is_kept = |node: &rlx_ir::Node| matches!(node.op(), Op::AttentionBackward { .. });
    assert!(lowered.graph().nodes().iter().any(is_kept));
}
