//! Attention without its scores in memory, against the evaluator.

use rlx_codegen::judge::{judge, judge_launches};
use rlx_codegen::lower::{SM80, WEBGPU, lower_for};
use rlx_codegen::{Interpreter, lower};
use rlx_ir::{AttentionOptions, Builder, DType, Dim, Graph, Literal, MaskKind, Shape, Tensor, UnaryOp};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many lowered groups had tiles.
static TILED: AtomicUsize = AtomicUsize::new(0);

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
        // More rows than there are, none, some.
        _ => Literal::new(dims, &(0..count).map(|i| [3i32, 0, 9, 1][i % 4]).collect::<Vec<_>>()).unwrap(),
    }
}

/// Batch, query heads, key heads, queries, keys and the size of a head.
type Sizes = [usize; 6];

fn operands([batch, heads, kv_heads, queries, keys, d]: Sizes, rank3: bool) -> [Vec<usize>; 3] {
    let of = |heads: usize, rows: usize| match rank3 {
        true => vec![batch, rows, heads * d],
        false => vec![batch, heads, rows, d],
    };
    [of(heads, queries), of(kv_heads, keys), of(kv_heads, keys)]
}

/// Judges a group on small numbers; how many launches it has, and how many reductions are in their text.
fn judged(group: &Graph, inputs: &[Vec<usize>]) -> (usize, usize) {
    let literals: Vec<Literal> =
        group.input_shapes().iter().zip(inputs).map(|(shape, dims)| small(shape, dims)).collect();
    let distance = judge(group, &literals.iter().collect::<Vec<_>>()).unwrap_or_else(|e| panic!("{e}"));
    assert!(distance < 16.0, "{distance} units in the last place\n{group}");
    for machine in [SM80, WEBGPU] {
        let launches = lower_for(group, &machine).unwrap();
        let refs = literals.iter().collect::<Vec<_>>();
        let distance = judge_launches(group, &launches, &refs, &Interpreter::default());
        let distance = distance.unwrap_or_else(|e| panic!("{e}\n{launches}"));
        assert!(distance < 16.0, "{distance} units in the last place on {}\n{launches}", machine.name);
        TILED.fetch_add(usize::from(launches.to_string().contains("dot ")), Ordering::Relaxed);
    }
    let launches = lower(group).unwrap();
    (launches.launches.len(), launches.to_string().matches("= reduce ").count())
}

fn group(inputs: &[Shape], body: impl FnOnce(&[Tensor]) -> Tensor) -> Graph {
    let b = Builder::new("attention");
    let inputs = inputs.iter().enumerate();
    let inputs: Vec<Tensor> = inputs.map(|(i, shape)| b.input(format!("x{i}"), shape.clone())).collect();
    let result = body(&inputs);
    b.finish(&[&result]).unwrap()
}

#[test]
fn masks_caps_heads_and_lengths_are_one_pass_over_keys() {
    let plain = AttentionOptions::default();
    let options = [
        plain,
        AttentionOptions { mask: MaskKind::Causal, ..plain },
        AttentionOptions { mask: MaskKind::SlidingWindow, window: Some(2), ..plain },
        AttentionOptions { scale: Some(0.3), softcap: Some(2.0), ..plain },
        AttentionOptions { mask: MaskKind::Custom, ..plain },
        AttentionOptions { mask: MaskKind::Bias, ..plain },
    ];
    for sizes @ [batch, heads, kv_heads, queries, keys, _] in
        [[2, 2, 2, 5, 5, 4], [2, 4, 2, 3, 7, 3], [1, 3, 1, 1, 7, 2], [1, 2, 1, 17, 35, 3]]
    {
        for (options, rank3) in options.iter().flat_map(|o| [(o, false), (o, true)]) {
            for with_lengths in [false, true] {
                let mut dims = operands(sizes, rank3).to_vec();
                let mut types = vec![DType::F32; 3];
                if options.mask.takes_values() {
                    let is_bias = options.mask == MaskKind::Bias;
                    dims.push(vec![1, if is_bias { heads } else { 1 }, queries, keys]);
                    types.push(if is_bias { DType::F32 } else { DType::Bool });
                }
                if with_lengths {
                    dims.push(vec![batch]);
                    types.push(DType::I32);
                }
                let shapes: Vec<Shape> =
                    dims.iter().zip(types).map(|(dims, dtype)| Shape::new(dims, dtype)).collect();
                let heads = rank3.then_some((heads, kv_heads));
                let op = AttentionOptions {
                    num_heads: heads.map(|(heads, _)| heads),
                    num_kv_heads: heads.map(|(_, kv_heads)| kv_heads),
                    ..*options
                }
                .op();
                let group = group(&shapes, |x| x[0].apply(op, &x[1..].iter().collect::<Vec<_>>()));
                // The product of a query and a key; a second launch may bring the result into its layout.
                let (launches, reductions) = judged(&group, &dims);
                assert!(launches <= 2 && reductions == 1, "{group}\n{}", lower(&group).unwrap());
            }
        }
    }
    // On both machines, with all masks, heads and lengths.
    assert!(TILED.load(Ordering::Relaxed) >= 2 * 96, "{TILED:?}");
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
        assert_eq!(judged(&causal, &operands(sizes, false)), (2, 1), "{}", lower(&causal).unwrap());
    }
    let plain = group(&[of(2, &queries), of(2, &keys), of(2, &keys)], |x| {
        x[0].attention(&x[1], &x[2], None, AttentionOptions::default())
    });
    // Of no keys nothing is added up.
    assert_eq!(judged(&plain, &operands([1, 2, 2, 3, 0, 3], false)), (1, 1));
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
        judged(&group, &vec![vec![1, 2, 6, 4]; 2]).0
    };
    assert_eq!(of(|k| k.clone()), 1);
    assert_eq!(of(|k| k * 2.0), 1);
    assert_eq!(of(|k| &(&(&(k * k) + k) * k) + k), 2);
    assert_eq!(of(|k| k.unary(UnaryOp::Tanh)), 2);
}
