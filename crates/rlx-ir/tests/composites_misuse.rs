//! Composites with operands and attributes that mostly do not fit. Each is rejected with an error or runs; nothing panics.

use rlx_ir::math::random::SplitMix64;
use rlx_ir::{
    Activation, AttentionOptions, Builder, DType, Dim, Graph, Literal, MaskKind, Op, QuantScheme, ReduceOp,
    RopeStyle, Shape, eval,
};

fn ops() -> Vec<(Op, usize)> {
    let two = |a: usize, b: usize| vec![a, b];
    let attention = |num_heads, mask, window| {
        AttentionOptions { num_heads, mask, window, softcap: Some(2.0), ..AttentionOptions::default() }.op()
    };
    let mut all = vec![
        (Op::SelectiveScan {}, 5),
        (Op::SelectiveScanWithState {}, 6),
        (Op::Lstm { reverse: true }, 5),
        (Op::Gru { reverse: false }, 4),
        (Op::Rnn { activation: Activation::Relu, reverse: false }, 5),
        (Op::LoraMatMul { alpha: 1.0 }, 4),
        (attention(None, MaskKind::Causal, None), 3),
        (attention(Some(2), MaskKind::SlidingWindow, Some(1)), 3),
        (attention(Some(0), MaskKind::None, None), 3),
        (attention(None, MaskKind::Custom, None), 4),
        (attention(Some(1), MaskKind::Bias, None), 4),
        (Op::Embedding {}, 2),
        (Op::SoftmaxCrossEntropy {}, 2),
        (Op::Mse {}, 2),
        (Op::DenseSolve {}, 2),
        (Op::BatchedDenseSolve {}, 2),
        (Op::Swiglu {}, 2),
        (Op::LayerNorm2d { eps: 0.0 }, 3),
        (Op::OneHot { depth: 0, dtype: DType::Bool }, 1),
        (Op::StopGradient {}, 1),
        (Op::Elu { alpha: -1.0 }, 1),
        (Op::LeakyRelu { slope: f64::NAN }, 1),
        (Op::Clip { low: Some(1.0), high: Some(-1.0) }, 1),
        (Op::Expand { dims: vec![2.into(), 3.into(), 4.into()] }, 1),
        (Op::LogSumExp { axes: vec![0, 2, 0], keep_dims: true }, 1),
        (Op::LogSumExp { axes: Vec::new(), keep_dims: false }, 1),
        (Op::Tile { repeats: vec![2, 0, 3] }, 1),
        (Op::Tile { repeats: vec![usize::MAX, 2] }, 1),
        (Op::Roll { shifts: vec![i64::MIN, i64::MAX], axes: vec![1, 0] }, 1),
        (Op::FakeQuantize { bits: 16, axis: Some(0), symmetric: false }, 3),
        (Op::FakeQuantize { bits: 40, axis: None, symmetric: true }, 2),
        (Op::DequantMatMul { scheme: QuantScheme::Q8_0, round_x: true }, 2),
        (Op::DequantGroupedMatMul { scheme: QuantScheme::Q4_K, round_x: false }, 3),
        (Op::Pool { kind: ReduceOp::Mean, kernel_size: two(2, 2), stride: two(1, 3), padding: two(5, 0) }, 1),
        (
            Op::Pool {
                kind: ReduceOp::Max,
                kernel_size: vec![1],
                stride: vec![1],
                padding: vec![usize::MAX],
            },
            1,
        ),
        (Op::Conv2d { stride: two(1, 2), padding: two(1, 9), dilation: two(1, 1), groups: 2 }, 3),
        (Op::Conv2d { stride: two(0, 1), padding: two(0, 0), dilation: vec![], groups: 1 }, 2),
    ];
    for (padding, groups) in [(0, 1), (9, 2), (usize::MAX, 7)] {
        let [stride, padding, output_padding, dilation] = [two(2, 1), two(padding, 0), two(0, 3), two(1, 2)];
        all.push((Op::ConvTranspose2d { stride, padding, output_padding, dilation, groups }, 2));
    }
    for axis in [0, 1, 3] {
        all.extend([
            (Op::LogSoftmax { axis }, 1),
            (Op::LayerNorm { axis, eps: 1e-5 }, 2),
            (Op::RmsNorm { axis, eps: 0.0 }, 2),
            (Op::GroupNorm { groups: axis, eps: 1e-5 }, 2),
            (Op::BatchNorm { axis, eps: 1e-5 }, 5),
            (Op::BatchNormTraining { axis, eps: 1e-5 }, 3),
            (Op::Rope { style: RopeStyle::Interleaved, rotary_dims: None, seq_axis: axis }, 3),
            (Op::Rope { style: RopeStyle::Halves, rotary_dims: Some(2), seq_axis: axis }, 3),
            (Op::Take { axis }, 2),
            (Op::GatherAxis { axis }, 2),
            (Op::ScatterAdd { axis }, 3),
            (Op::KvAppend { axis }, 3),
            (Op::Cumsum { axis }, 1),
            (Op::Narrow { axis, start: 1.into(), length: Dim::dynamic("n") }, 1),
            (Op::Narrow { axis, start: 1.into(), length: usize::MAX.into() }, 1),
            (Op::Split { axis, sizes: vec![1.into(), Dim::dynamic("n")] }, 1),
            (Op::Split { axis, sizes: vec![] }, 1),
            (Op::Quantize { axis: Some(axis), dtype: DType::F8E4M3 }, 2),
            (Op::Dequantize { axis: None }, 3),
        ]);
    }
    all
}

fn shapes() -> Vec<Shape> {
    let n = || Dim::dynamic("n");
    let mut all: Vec<Shape> = [
        &[][..],
        &[0],
        &[4],
        &[2, 4],
        &[4, 2],
        &[4, 4],
        &[2, 1, 4],
        &[2, 2, 4],
        &[2, 2, 2, 4],
        &[1, 0, 2, 4],
        &[2, 1, 2, 2],
        &[1, 2, 1, 2, 2],
    ]
    .iter()
    .map(|dims| Shape::new(dims, DType::F32))
    .collect();
    all.push(Shape::from_dims(&[n(), 4.into()], DType::F32));
    all.push(Shape::from_dims(&[2.into(), n(), 4.into()], DType::F32));
    all.push(Shape::from_dims(&[2.into(), 2.into(), n(), 4.into()], DType::F32));
    all.push(Shape::new(&[2], DType::I32));
    all.push(Shape::new(&[], DType::I64));
    all.push(Shape::new(&[4, 34], DType::U8));
    all.push(Shape::new(&[2, 4], DType::BF16));
    all.push(Shape::new(&[4], DType::Bool));
    all
}

/// The graph of one op on these operands, if the op accepts them.
fn graph(op: Op, operands: &[&Shape]) -> Option<Graph> {
    let mut g = Graph::new("misuse");
    let inputs = operands.iter().enumerate().map(|(i, &s)| g.input(format!("x{i}"), s.clone())).collect();
    let node = g.try_add(op, inputs).ok()?;
    let tuple = g.node(node).is_tuple();
    let output = if tuple { g.try_add(Op::Output { index: 0 }, vec![node]).ok()? } else { node };
    g.set_outputs(vec![output]);
    Some(g)
}

/// Runs the graph on ones, with 3 for the symbol. A graph that is accepted with static shapes must run; a symbol may turn out not
/// to fit.
fn run(graph: &Graph) -> bool {
    let ones = |s: &Shape| {
        let dims: Vec<usize> = s.dims().iter().map(|d| d.as_static().unwrap_or(3)).collect();
        let b = Builder::new("ones");
        let dims_of: Vec<Dim> = dims.iter().map(|&n| n.into()).collect();
        let one = b.int(1, s.dtype()).broadcast_to(&dims_of);
        eval(&b.finish(&[&one]).expect("valid"), &[]).expect("runs").swap_remove(0)
    };
    let values: Vec<Literal> = graph.input_shapes().iter().map(ones).collect();
    let names: Vec<String> = (0..values.len()).map(|i| format!("x{i}")).collect();
    let given: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(&values).collect();
    let outcome = eval(graph, &given);
    let fixed = graph.nodes().iter().flat_map(|node| node.results()).all(Shape::is_static);
    assert!(!fixed || outcome.is_ok(), "{graph}{:?}", outcome.err());
    outcome.is_ok()
}

#[test]
fn nothing_panics() {
    let shapes = shapes();
    let mut random = SplitMix64::new(1);
    let mut next = |n: usize| random.below(n);
    let (mut accepted, mut ran) = (0, 0);
    for (op, operands) in ops() {
        let tries = if operands == 1 { shapes.len() } else { 2000 };
        for i in 0..tries {
            let chosen: Vec<&Shape> =
                (0..operands).map(|_| &shapes[if operands == 1 { i } else { next(shapes.len()) }]).collect();
            if let Some(graph) = graph(op.clone(), &chosen) {
                accepted += 1;
                ran += usize::from(run(&graph));
            }
        }
    }
    assert!(ran > 1000, "only {ran} of {accepted} programs that were accepted ran");
}
