//! Attention without its scores in memory, compared with the evaluator.

mod support;

use rlx_codegen::judge::{judge, judge_launches};
use rlx_codegen::lower::{SM80, WEBGPU, lower_for};
use rlx_codegen::{Interpreter, lower};
use rlx_ir::{AttentionOptions, DType, Dim, Graph, Literal, MaskKind, Named, Op, Shape, Tensor, UnaryOp};

fn small(shape: &Shape, dims: &[usize]) -> Literal {
    let count = dims.iter().product();
    match shape.dtype() {
        DType::F32 => {
            let number = |i: usize| ((i * 5 + i * i * 3) % 19) as f32 / 8.0 - 1.0;
            Literal::new(dims, &(0..count).map(number).collect::<Vec<_>>()).unwrap()
        }
        DType::Bool => {
            Literal::from_bools(dims, &(0..count).map(|i| i % 3 != 1).collect::<Vec<_>>()).unwrap()
        }
        // More rows than there are, none, and some.
        _ => Literal::new(dims, &(0..count).map(|i| [3i32, 0, 9, 1][i % 4]).collect::<Vec<_>>()).unwrap(),
    }
}

/// The batch, query heads, key heads, queries, keys and the size of a head.
type Sizes = [usize; 6];

fn operands([batch, heads, kv_heads, queries, keys, d]: Sizes, rank3: bool) -> [Vec<usize>; 3] {
    let of = |heads: usize, rows: usize| match rank3 {
        true => vec![batch, rows, heads * d],
        false => vec![batch, heads, rows, d],
    };
    [of(heads, queries), of(kv_heads, keys), of(kv_heads, keys)]
}

/// The lowering of a group.
struct Judged {
    launches: usize,
    /// The number of reductions in the text.
    reductions: usize,
    /// The number of machines with groups of lanes for which it has tiles.
    tiled: usize,
}

/// Judges a group on small numbers, as it is lowered in general and for groups of lanes.
fn judged(group: &Graph, inputs: &[Vec<usize>]) -> Judged {
    let literals: Vec<Literal> =
        group.input_shapes().iter().zip(inputs).map(|(shape, dims)| small(shape, dims)).collect();
    let distance = judge(group, &literals.iter().collect::<Vec<_>>()).unwrap_or_else(|e| panic!("{e}"));
    assert!(distance < 16.0, "{distance} units in the last place\n{group}");
    let mut tiled = 0;
    for machine in [SM80, WEBGPU] {
        let launches = lower_for(group, &machine).unwrap();
        let refs = literals.iter().collect::<Vec<_>>();
        let distance = judge_launches(group, &launches, &refs, &Interpreter::default());
        let distance = distance.unwrap_or_else(|e| panic!("{e}\n{launches}"));
        assert!(distance < 16.0, "{distance} units in the last place on {}\n{launches}", machine.name);
        tiled += usize::from(launches.to_string().contains("dot "));
    }
    let launches = lower(group).unwrap();
    let reductions = launches.to_string().matches("= reduce ").count();
    Judged { launches: launches.launches.len(), reductions, tiled }
}

fn group(inputs: &[Shape], body: impl FnOnce(&[Tensor]) -> Tensor) -> Graph {
    support::group(inputs, |inputs| vec![body(inputs)])
}

/// Every kind of mask, and capped scores.
fn options() -> Vec<AttentionOptions> {
    let plain = AttentionOptions::default();
    let masked = |&mask: &MaskKind| AttentionOptions {
        mask,
        window: (mask == MaskKind::SlidingWindow).then_some(2),
        ..plain
    };
    let capped = AttentionOptions { scale: Some(0.3), softcap: Some(2.0), ..plain };
    MaskKind::VARIANTS.iter().map(masked).chain([capped]).collect()
}

/// Returns the shapes of a mask's values and of lengths, if there are any.
fn optional(
    [batch, heads, _, queries, keys, _]: Sizes,
    mask: MaskKind,
    with_lengths: bool,
) -> Vec<(Vec<usize>, DType)> {
    let values = match mask {
        MaskKind::Bias => Some((vec![1, heads, queries, keys], DType::F32)),
        MaskKind::Custom => Some((vec![1, 1, queries, keys], DType::Bool)),
        MaskKind::None | MaskKind::Causal | MaskKind::SlidingWindow => None,
    };
    values.into_iter().chain(with_lengths.then(|| (vec![batch], DType::I32))).collect()
}

/// Heads that share keys, or do not; few and many rows.
const SIZES: [Sizes; 4] = [[2, 2, 2, 5, 5, 4], [2, 4, 2, 3, 7, 3], [1, 3, 1, 1, 7, 2], [1, 2, 1, 17, 35, 3]];

/// Returns the options for operands of rank 3 or 4.
fn of_rank(options: AttentionOptions, [_, heads, kv_heads, ..]: Sizes, rank3: bool) -> AttentionOptions {
    let [num_heads, num_kv_heads] = [heads, kv_heads].map(|heads| rank3.then_some(heads));
    AttentionOptions { num_heads, num_kv_heads, ..options }
}

#[test]
fn masks_caps_heads_and_lengths_are_one_pass_over_keys() {
    let mut tiled = 0;
    for (sizes, options) in SIZES.into_iter().flat_map(|s| options().into_iter().map(move |o| (s, o))) {
        for (rank3, with_lengths) in [(false, false), (false, true), (true, false), (true, true)] {
            let operands = operands(sizes, rank3).map(|dims| (dims, DType::F32));
            let more = optional(sizes, options.mask, with_lengths);
            let (dims, types): (Vec<_>, Vec<_>) = operands.into_iter().chain(more).unzip();
            let shapes: Vec<Shape> =
                dims.iter().zip(types).map(|(dims, dtype)| Shape::new(dims, dtype)).collect();
            let op = of_rank(options, sizes, rank3).op();
            let group = group(&shapes, |x| x[0].apply(op, &x[1..].iter().collect::<Vec<_>>()));
            // The product of a query and a key. A second launch may bring the result into its layout.
            let judged = judged(&group, &dims);
            let is_one_pass = judged.launches <= 2 && judged.reductions == 1;
            assert!(is_one_pass, "{group}\n{}", lower(&group).unwrap());
            tiled += judged.tiled;
        }
    }
    // On both machines, with all masks, heads and lengths.
    assert!(tiled >= 2 * 96, "{tiled}");
}

#[test]
fn gradients_with_masks_and_shared_heads_are_made_of_tiles() {
    for (sizes, options) in SIZES.into_iter().flat_map(|s| options().into_iter().map(move |o| (s, o))) {
        for (rank3, with_lengths) in [(false, false), (true, true)] {
            let [q, k, v] = operands(sizes, rank3);
            let operands = [q.clone(), k, v, q].map(|dims| (dims, DType::F32));
            let more = optional(sizes, options.mask, with_lengths);
            let (dims, types): (Vec<_>, Vec<_>) = operands.into_iter().chain(more).unzip();
            let shapes: Vec<Shape> =
                dims.iter().zip(types).map(|(dims, dtype)| Shape::new(dims, dtype)).collect();
            let options = of_rank(options, sizes, rank3).unpacked();
            let op = Op::AttentionBackward { options };
            let group = support::group(&shapes, |x| x[0].apply_many(op, &x[1..].iter().collect::<Vec<_>>()));
            let tiled = judged(&group, &dims).tiled;
            assert_eq!(tiled, 2, "{group}");
        }
    }
}

#[test]
fn sizes_of_attention_may_be_symbols() {
    let (batch, queries, keys) = (Dim::dynamic("b"), Dim::dynamic("q"), Dim::dynamic("k"));
    let of = |heads: usize, rows: &Dim| {
        Shape::from_dims(&[batch.clone(), Dim::Static(heads), rows.clone(), Dim::Static(3)], DType::F32)
    };
    let options = AttentionOptions { mask: MaskKind::Causal, ..AttentionOptions::default() };
    let causal = group(&[of(4, &queries), of(2, &keys), of(2, &keys)], |x| {
        x[0].attention(&x[1], &x[2], None, options).unary(UnaryOp::Tanh)
    });
    for sizes in
        [[1, 4, 2, 5, 5, 3], [2, 4, 2, 1, 9, 3], [2, 4, 2, 0, 3, 3], [1, 4, 2, 6, 2, 3], [1, 4, 2, 19, 70, 3]]
    {
        let Judged { launches, reductions, .. } = judged(&causal, &operands(sizes, false));
        assert_eq!((launches, reductions), (2, 1), "{}", lower(&causal).unwrap());
    }
    let plain = group(&[of(2, &queries), of(2, &keys), of(2, &keys)], |x| {
        x[0].attention(&x[1], &x[2], None, AttentionOptions::default())
    });
    // Without keys, nothing is added.
    let Judged { launches, reductions, .. } = judged(&plain, &operands([1, 2, 2, 3, 0, 3], false));
    assert_eq!((launches, reductions), (1, 1));
}

#[test]
fn weights_that_others_read_are_computed_for_them_too() {
    let shape = Shape::new(&[4, 5], DType::F32);
    let both = group(&[shape.clone(), shape], |x| {
        let weights = x[0].matmul(&x[1].transpose(&[1, 0])).softmax(1);
        weights.matmul(&x[1]).transpose(&[1, 0]).matmul(&weights)
    });
    judged(&both, &[vec![4, 5], vec![4, 5]]);
    let twice = group(&[Shape::new(&[4, 5], DType::F32)], |x| {
        let weights = x[0].matmul(&x[0].transpose(&[1, 0])).softmax(1);
        weights.matmul(&weights)
    });
    judged(&twice, &[vec![4, 5]]);
}

#[test]
fn keys_that_take_more_than_a_function_or_two_are_computed_once() {
    let shape = Shape::new(&[1, 2, 6, 4], DType::F32);
    let attend = |x: &[Tensor], keys: &Tensor| x[0].attention(keys, &x[1], None, AttentionOptions::default());
    let of = |body: fn(&Tensor) -> Tensor| {
        let group = group(&[shape.clone(), shape.clone()], |x| attend(x, &body(&x[1])));
        judged(&group, &vec![vec![1, 2, 6, 4]; 2]).launches
    };
    assert_eq!(of(|k| k.clone()), 1);
    assert_eq!(of(|k| k * 2.0), 1);
    assert_eq!(of(|k| &(&(&(k * k) + k) * k) + k), 2);
    assert_eq!(of(|k| k.unary(UnaryOp::Tanh)), 2);
}
