//! Convolutions, pooling, recurrent layers, the selective scan and linear systems, compared with PyTorch and NumPy.

mod composites_support;

use composites_support::*;
use rlx_ir::{Activation, ConvOptions, DType, Literal, Op, RecurrentWeights, ReduceOp, Shape};

#[test]
fn convolutions_agree_with_pytorch() {
    let inputs = [
        wave(&[2, 4, 5, 6], 0),
        wave(&[3, 4, 2, 2], 1),
        wave(&[6, 2, 3, 2], 1),
        wave(&[6], 2),
        wave(&[4, 1, 3, 3], 1),
    ];
    let out = run_symbolic(&inputs, &[5], |x| {
        let all = ConvOptions {
            stride: [2, 1],
            padding: [1, 2],
            dilation: [1, 2],
            groups: 2,
            ..Default::default()
        };
        let depthwise = ConvOptions { padding: [1, 1], groups: 4, ..Default::default() };
        vec![
            x[0].conv2d(&x[1], None, Default::default()),
            x[0].conv2d(&x[2], Some(&x[3]), all),
            x[0].conv2d(&x[4], None, depthwise),
        ]
    });
    for (got, name) in out.iter().zip(["conv2d/plain", "conv2d/all", "conv2d/depthwise"]) {
        check_golden(got, name);
    }
}

#[test]
fn transposed_convolutions_agree_with_pytorch() {
    let inputs = [wave(&[2, 4, 5, 6], 0), wave(&[4, 3, 3, 2], 1), wave(&[6], 2)];
    let out = run_symbolic(&inputs, &[5], |x| {
        let all = ConvOptions {
            stride: [2, 3],
            padding: [1, 2],
            output_padding: [1, 0],
            dilation: [2, 1],
            groups: 2,
        };
        vec![
            x[0].conv_transpose2d(&x[1], None, Default::default()),
            x[0].conv_transpose2d(&x[1], Some(&x[2]), all),
        ]
    });
    check_golden(&out[0], "conv_transpose2d/plain");
    check_golden(&out[1], "conv_transpose2d/all");
}

#[test]
fn pooling_agrees_with_pytorch() {
    let image = wave_values(&[2, 4, 5, 6], 0);
    let cut = |rows: usize| image.chunks(30).flat_map(|c| c[..rows * 6].to_vec()).collect::<Vec<_>>();
    let inputs = [wave(&[2, 4, 5, 6], 0), f64s(&[2, 4, 2, 2, 6], &cut(4)), f64s(&[2, 4, 6], &cut(1))];
    let out = run_symbolic(&inputs, &[4, 5, 6], |x| {
        let image = |kind| x[0].pool(kind, &[3, 2], &[2, 1], &[1, 1]);
        let line = |kind| x[2].pool(kind, &[3], &[2], &[0]);
        vec![
            image(ReduceOp::Max),
            image(ReduceOp::Mean),
            x[1].pool(ReduceOp::Mean, &[2, 1, 3], &[1, 1, 2], &[0, 0, 0]).narrow(2, 0, 1),
            line(ReduceOp::Sum),
            line(ReduceOp::Min),
            line(ReduceOp::Prod),
        ]
    });
    let names = ["pool/max", "pool/mean", "pool/mean3", "pool/sum1", "pool/min1", "pool/prod1"];
    for (got, name) in out.iter().zip(names) {
        check_golden(got, name);
    }
}

#[test]
fn integers_pool_but_have_no_mean() {
    let out = run(&[i32s(&[1, 1, 4], &[3, -1, 7, 2])], |x| vec![x[0].pool(ReduceOp::Max, &[2], &[2], &[0])]);
    assert_eq!(out[0], i32s(&[1, 1, 2], &[3, 7]));
    let shape = Shape::new(&[1, 1, 4], DType::I32);
    let text = refusal(&[shape], |x| vec![x[0].pool(ReduceOp::Mean, &[2], &[2], &[0])]);
    assert!(text.contains("element type i32"), "{text}");
}

fn weights(gates: usize) -> [Literal; 4] {
    let rows = gates * 2;
    [wave(&[rows, 3], 3), wave(&[rows, 2], 4), wave(&[rows], 5), wave(&[rows], 6)]
}

#[test]
fn recurrent_layers_agree_with_pytorch() {
    let states = || [wave(&[4, 2, 3], 0), wave(&[2, 2], 1), wave(&[2, 2], 2)];
    let inputs: Vec<Literal> =
        states().into_iter().chain(weights(1)).chain(weights(4)).chain(weights(3)).collect();
    let out = run_symbolic(&inputs, &[4], |x| {
        let weights = |i: usize, biased: bool| RecurrentWeights {
            w_ih: &x[i],
            w_hh: &x[i + 1],
            b_ih: biased.then_some(&x[i + 2]),
            b_hh: biased.then_some(&x[i + 3]),
        };
        let mut all = x[0].rnn(&x[1], weights(3, true), Activation::Tanh, false).to_vec();
        all.extend(x[0].lstm(&x[1], &x[2], weights(7, true), false));
        all.extend(x[0].lstm(&x[1], &x[2], weights(7, false), true));
        all.extend(x[0].gru(&x[1], weights(11, true), false));
        all
    });
    let names = ["rnn/tanh/y", "rnn/tanh/h"].into_iter();
    let names = names.chain(["lstm/forward/y", "lstm/forward/h", "lstm/forward/c"]);
    let names =
        names.chain(["lstm/reverse/y", "lstm/reverse/h", "lstm/reverse/c", "gru/forward/y", "gru/forward/h"]);
    assert_eq!(out.len(), 10);
    for (got, name) in out.iter().zip(names) {
        check_golden(got, name);
    }
}

#[test]
fn one_bias_alone_is_enough() {
    let inputs: Vec<Literal> =
        [wave(&[4, 2, 3], 0), wave(&[2, 2], 1)].into_iter().chain(weights(1)).collect();
    let out = run(&inputs, |x| {
        let weights = |b_ih, b_hh| RecurrentWeights { w_ih: &x[2], w_hh: &x[3], b_ih, b_hh };
        let last = |w| x[0].rnn(&x[1], w, Activation::Tanh, false)[1].clone();
        vec![last(weights(Some(&x[4]), None)), last(weights(None, Some(&x[4])))]
    });
    check(&out[0], (vec![2, 2], values(&out[1])), 1e-12);
}

#[test]
fn the_selective_scan_agrees_with_numpy() {
    let absolute = |dims: &[usize], seed, factor: f64| {
        f64s(dims, &wave_values(dims, seed).iter().map(|x| x.abs() * factor).collect::<Vec<_>>())
    };
    let inputs = [
        wave(&[2, 4, 3], 0),
        absolute(&[2, 4, 3], 1, 0.25),
        absolute(&[3, 2], 2, -1.0),
        wave(&[2, 4, 2], 3),
        wave(&[2, 4, 2], 4),
        wave(&[3], 5),
        wave(&[2, 3, 2], 6),
    ];
    let out = run_symbolic(&inputs, &[2, 3, 4], |x| {
        let with_state = [&x[1], &x[2], &x[3], &x[4], &x[6], &x[5]];
        let mut all = x[0].apply_many(Op::SelectiveScanWithState {}, &with_state);
        all.push(x[0].selective_scan(&x[1], &x[2], &x[3], &x[4], Some(&x[5])));
        all
    });
    let names = ["selective_scan/state/y", "selective_scan/state/h", "selective_scan/zero/y"];
    for (got, name) in out.iter().zip(names) {
        check_golden(got, name);
    }
}

#[test]
fn linear_systems_agree_with_numpy() {
    let mut a = wave_values(&[2, 3, 3], 0);
    (0..2).for_each(|m| (0..3).for_each(|i| a[9 * m + 3 * i + 2 - i] += 2.0));
    let b = wave_values(&[2, 3, 2], 1);
    let first = |n: usize| b[..n].iter().step_by(2).copied().collect::<Vec<_>>();
    let inputs = [
        f64s(&[3, 3], &a[..9]),
        f64s(&[3], &first(6)),
        f64s(&[3, 2], &b[..6]),
        f64s(&[2, 3, 3], &a),
        f64s(&[2, 3], &first(12)),
        f64s(&[2, 3, 2], &b),
    ];
    let out = run_symbolic(&inputs, &[2, 3], |x| {
        vec![
            x[0].dense_solve(&x[1]),
            x[0].dense_solve(&x[2]),
            x[3].batched_dense_solve(&x[4]),
            x[3].batched_dense_solve(&x[5]),
        ]
    });
    let names = [
        "dense_solve/vector",
        "dense_solve/matrix",
        "batched_dense_solve/vector",
        "batched_dense_solve/matrix",
    ];
    for (got, name) in out.iter().zip(names) {
        check_golden(got, name);
    }
}

#[test]
fn running_sums_and_gates_agree_with_numpy_and_pytorch() {
    let inputs = [wave(&[2, 3, 4], 0), wave(&[2, 4], 0), wave(&[2, 4], 1)];
    let out = run_symbolic(&inputs, &[2, 3, 4], |x| vec![x[0].cumsum(1), x[1].swiglu(&x[2])]);
    check_golden(&out[0], "cumsum");
    check_golden(&out[1], "swiglu");
}

#[test]
fn layers_refuse_what_does_not_fit() {
    let shape = |dims: &[usize]| Shape::new(dims, DType::F32);
    let two = [shape(&[1, 4, 5, 6]), shape(&[6, 2, 3, 3])];
    let conv = |groups| ConvOptions { groups, ..Default::default() };
    let cases = [
        ("groups must be at least 1", refusal(&two, |x| vec![x[0].conv2d(&x[1], None, conv(0))])),
        ("bias must be f32[6]", refusal(&two, |x| vec![x[0].conv2d(&x[1], Some(&x[1]), conv(2))])),
        (
            "groups = 3 does not divide 1 channels",
            refusal(&two, |x| vec![x[0].conv_transpose2d(&x[0], None, conv(3))]),
        ),
        ("must each have 2 items", refusal(&two, |x| vec![x[0].pool(ReduceOp::Max, &[2], &[2, 2], &[0, 0])])),
        ("at least 1", refusal(&two, |x| vec![x[0].pool(ReduceOp::Max, &[2, 2], &[2, 0], &[0, 0])])),
        ("a must be [n, n]", refusal(&two, |x| vec![x[0].dense_solve(&x[1])])),
        ("a must be [..., n, n]", refusal(&two, |x| vec![x[0].batched_dense_solve(&x[1])])),
        (
            "x must be [batch, seq, d]",
            refusal(&two, |x| vec![x[0].selective_scan(&x[1], &x[1], &x[1], &x[1], None)]),
        ),
        (
            "x must be [seq, batch, in]",
            refusal(&two, |x| vec![x[0].apply(Op::Gru { reverse: false }, &[&x[1], &x[1], &x[1]])]),
        ),
    ];
    for (expected, text) in cases {
        assert!(text.contains(expected), "{text}");
    }
}
