//! Matrix products, convolutions and attention by groups of lanes, for every machine of the table, compared with the
//! evaluator. Integers must match bit for bit, and floats within the error of sums in another order. Sizes are not
//! multiples of tiles.

use rlx_codegen::interp::FaultKind;
use rlx_codegen::judge::{JudgeError, difference, judge_launches, sizes as sizes_of};
use rlx_codegen::lower::{GPUS, Gpu, SM80, lower_for};
use rlx_codegen::tile::expand;
use rlx_codegen::{Interpreter, Launches, lower, verify_launches};
use rlx_conformance::cases;
use rlx_conformance::stream::Stream;
use rlx_ir::{
    Builder, ConvolutionSpec, DType, Dim, DotDims, Graph, Literal, Op, ReduceOp, Shape, Tensor, eval,
};

/// Returns literals of small integers for the inputs of a graph with static sizes.
fn inputs(graph: &Graph, stream: &mut Stream) -> Vec<Literal> {
    let literal = |shape: &Shape, stream: &mut Stream| {
        let dims = shape.static_dims().unwrap();
        let count: usize = dims.iter().product();
        let numbers: Vec<f32> = (0..count).map(|_| stream.integer(-4, 4) as f32).collect();
        Literal::new(&dims, &numbers).unwrap().convert(shape.dtype())
    };
    graph.inputs().map(|node| literal(node.shape(), stream)).collect()
}

fn named<'a>(graph: &'a Graph, inputs: &'a [Literal]) -> Vec<(&'a str, &'a Literal)> {
    graph.inputs().filter_map(|node| node.name()).zip(inputs).collect()
}

/// Returns how far launches are from the evaluator, with copies that arrive early and late.
fn distance(graph: &Graph, launches: &Launches, inputs: &[Literal], machine: &Gpu) -> f64 {
    let expected = eval(graph, &named(graph, inputs)).unwrap();
    let refs: Vec<&Literal> = inputs.iter().collect();
    let mut largest = 0.0f64;
    for late_copies in [false, true] {
        let interpreter = Interpreter { late_copies, subgroup: machine.subgroup, ..Interpreter::default() };
        let results = interpreter.run(launches, &sizes_of(graph, &refs), &refs, &graph.output_shapes());
        let results = results.unwrap_or_else(|e| panic!("on {}: {e}\n{launches}", machine.name));
        for (ours, theirs) in results.outputs.iter().zip(&expected) {
            largest = largest.max(difference(ours, theirs));
        }
    }
    largest
}

/// Lowers for each machine and compares, also after expanding tiles.
fn check(graph: &Graph, stream: &mut Stream, bound: f64) {
    let inputs = inputs(graph, stream);
    for machine in &GPUS {
        let launches = lower_for(graph, machine).unwrap();
        verify_launches(&launches).unwrap_or_else(|e| panic!("{e}\n{launches}"));
        let text = launches.to_string();
        let of_factor = graph.inputs().next().map(|node| node.shape().dtype());
        let instr = match (machine.name, of_factor) {
            ("sm_80", Some(DType::F16 | DType::BF16)) | ("cdna", Some(DType::F16)) => "instr ",
            _ => "dot ",
        };
        assert!(text.contains(instr), "{text}");
        let found = distance(graph, &launches, &inputs, machine);
        assert!(found <= bound, "on {}: {found}\n{launches}", machine.name);
        let mut loops = launches.clone();
        for launch in &mut loops.launches {
            launch.kernel = expand(&launch.kernel).unwrap();
        }
        assert_eq!(distance(graph, &loops, &inputs, machine), found, "on {}: {loops}", machine.name);
    }
}

/// A product, with ops that compute its left factor and ops that follow it.
fn product(dtype: DType, [batch, rows, inner, columns]: [usize; 4], stream: &mut Stream) -> Graph {
    let b = Builder::new("product");
    let x = b.input("x", Shape::new(&[batch, rows, inner], dtype));
    let y = b.input("y", Shape::new(&[batch, inner, columns], dtype));
    let bias = b.input("bias", Shape::new(&[columns], dtype));
    let left = if stream.one_in(2) { &x + &x } else { x };
    let product = left.matmul(&y);
    let dims: Vec<Dim> = product.shape().dims().to_vec();
    let result = match stream.below(3) {
        0 => product,
        1 => &product + &bias.broadcast_to(&dims),
        _ => (&product + &bias.broadcast_to(&dims)).maximum(&product.scalar_like(0.0)),
    };
    b.finish(&[&result]).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn products_of_any_size_give_what_the_evaluator_gives() {
    let mut stream = Stream::new(11);
    for dtype in [DType::I32, DType::F32, DType::F16, DType::BF16, DType::I8, DType::F64] {
        for _ in 0..3 {
            let sizes =
                [1 + stream.below(2), 2 + stream.below(70), 1 + stream.below(50), 2 + stream.below(40)];
            let graph = product(dtype, sizes, &mut stream);
            check(&graph, &mut stream, 0.0);
        }
    }
}

/// Few results of long sums: groups share a sum, and a second launch adds the partial sums.
#[test]
fn long_sums_are_split_between_groups() {
    let mut stream = Stream::new(12);
    for dtype in [DType::I32, DType::F32, DType::F16] {
        let sizes = [1, 2 + stream.below(7), 3000 + stream.below(600), 2 + stream.below(9)];
        let graph = product(dtype, sizes, &mut stream);
        for machine in &GPUS {
            let text = lower_for(&graph, machine).unwrap().to_string();
            assert!(text.contains("_parts"), "on {}: {text}", machine.name);
        }
        check(&graph, &mut stream, 0.0);
    }
}

/// A sum over rows that are divided into tiles is not worth a separate launch.
#[test]
fn short_sums_stay_whole() {
    let graph = product(DType::F32, [1, 512, 256, 512], &mut Stream::new(1));
    for machine in &GPUS {
        assert_eq!(lower_for(&graph, machine).unwrap().launches.len(), 1);
    }
}

#[test]
fn sums_of_no_elements_are_zero() {
    let mut stream = Stream::new(3);
    check(&product(DType::F32, [1, 9, 0, 7], &mut stream), &mut stream, 0.0);
}

/// A convolution over two axes, with padding, strides, dilations and groups.
fn convolution(dtype: DType, stream: &mut Stream) -> Graph {
    let groups = *stream.pick(&[1, 1, 2]);
    let (features, out) = (groups * (1 + stream.below(3)), groups * (2 + stream.below(8)));
    let window = [1 + stream.below(3), 1 + stream.below(3)];
    let b = Builder::new("convolution");
    let x = b.input("x", Shape::new(&[2, features, 6 + stream.below(5), 7], dtype));
    let kernel = b.input("kernel", Shape::new(&[out, features / groups, window[0], window[1]], dtype));
    let spec = ConvolutionSpec {
        strides: vec![1 + stream.below(2), 1],
        low: vec![stream.below(2) as i64, stream.below(3) as i64],
        high: vec![stream.below(2) as i64, 1],
        lhs_dilation: vec![1, 1 + stream.below(2)],
        rhs_dilation: vec![1 + stream.below(2), 1],
        reversal: vec![false, stream.one_in(2)],
        feature_groups: groups,
        ..ConvolutionSpec::plain(2)
    };
    let op = Op::Convolution { spec, dtype: None };
    let result: Tensor = x.apply(op, &[&kernel]);
    b.finish(&[&result.maximum(&result.scalar_like(0.0))]).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn convolutions_are_products_too() {
    let mut stream = Stream::new(5);
    for dtype in [DType::I32, DType::F32, DType::F16] {
        (0..3).for_each(|_| check(&convolution(dtype, &mut stream), &mut stream, 0.0));
    }
}

/// Padding adds nothing to a sum, whatever the kernel contains there, although 0 times infinity is NaN.
#[test]
fn padding_adds_nothing_even_beside_infinity() {
    let mut stream = Stream::new(8);
    for _ in 0..4 {
        let graph = convolution(DType::F32, &mut stream);
        let mut inputs = inputs(&graph, &mut stream);
        let mut kernel: Vec<f32> = inputs[1].as_slice().unwrap().to_vec();
        let place = stream.below(kernel.len());
        kernel[place] = f32::INFINITY;
        inputs[1] = Literal::new(&inputs[1].dims(), &kernel).unwrap();
        for machine in &GPUS {
            let launches = lower_for(&graph, machine).unwrap();
            assert_eq!(distance(&graph, &launches, &inputs, machine), 0.0, "{launches}");
        }
    }
}

/// The gradients of attention with respect to queries, keys and values, written explicitly (Dao et al.,
/// "FlashAttention", 2022, algorithm 4) from the result, the divisors of the rows of exponentials, and the gradient of
/// the result.
fn gradients([batch, queries, keys, d]: [usize; 4], causal: bool) -> Graph {
    let b = Builder::new("gradients");
    let of = |name: &str, rows: usize| b.input(name, Shape::new(&[batch, rows, d], DType::F32));
    let (q, k, v) = (of("q", queries), of("k", keys), of("v", keys));
    let (result, gradient) = (of("result", queries), of("gradient", queries));
    let normalizer = b.input("normalizer", Shape::new(&[batch, queries, 1], DType::F32));
    let scores = &q.matmul(&k.transpose(&[0, 2, 1])) * 0.5;
    let dims = scores.shape().dims().to_vec();
    let scores = match causal {
        true => {
            let count = |axis| b.iota(Shape::new(&[batch, queries, keys], DType::I32), axis);
            let seen = count(2).compare(rlx_ir::CompareOp::Le, &count(1));
            seen.select(&scores, &scores.scalar_like(f64::NEG_INFINITY))
        }
        false => scores,
    };
    let weights = (&scores - &normalizer.broadcast_to(&dims)).unary(rlx_ir::UnaryOp::Exp);
    let shares = (&gradient * &result).reduce(rlx_ir::ReduceOp::Sum, &[2], true);
    let of_weights = gradient.matmul(&v.transpose(&[0, 2, 1]));
    let of_scores = &weights * &(&of_weights - &shares.broadcast_to(&dims));
    let dq = &of_scores.matmul(&k) * 0.5;
    // Products over the rows of their left factors.
    let over_rows = |left: &Tensor, right: &Tensor| {
        let dims = DotDims::contracting(&[1], &[1]).batched(1);
        let op = Op::DotGeneral { dims, dtype: None };
        left.apply(op, &[right])
    };
    let dk = &over_rows(&of_scores, &q) * 0.5;
    let dv = over_rows(&weights, &gradient);
    b.finish(&[&dq, &dk, &dv]).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn gradients_of_attention_keep_no_scores() {
    let mut stream = Stream::new(21);
    for (sizes, causal) in [([2, 19, 37, 5], false), ([1, 40, 23, 8], true), ([1, 7, 7, 3], true)] {
        let graph = gradients(sizes, causal);
        let inputs: Vec<Literal> = graph
            .inputs()
            .map(|node| {
                let dims = node.shape().static_dims().unwrap();
                let shift = if node.name() == Some("normalizer") { 3.0 } else { 0.0 };
                let numbers =
                    (0..dims.iter().product::<usize>()).map(|_| stream.integer(-8, 8) as f32 / 8.0 + shift);
                Literal::new(&dims, &numbers.collect::<Vec<f32>>()).unwrap()
            })
            .collect();
        for machine in &GPUS {
            let launches = lower_for(&graph, machine).unwrap();
            let found = distance(&graph, &launches, &inputs, machine);
            assert!(found < 16.0, "{found} units in the last place on {}\n{launches}", machine.name);
            let [_, queries, keys, _] = sizes;
            let is_scores = |t: &rlx_codegen::lower::Temporary| {
                let size = Dim::product(t.extents.iter().cloned()).as_static();
                size.is_some_and(|size| size >= queries * keys)
            };
            assert!(!launches.temporaries.iter().any(is_scores), "{launches}");
        }
    }
}

/// Compares bank conflicts of tiles in the chosen order with those of tiles in rows.
#[test]
fn tiles_lie_where_lanes_find_them_in_different_banks() {
    let mut fewer = 0;
    for (dtype, sizes) in [
        (DType::F32, [1, 64, 40, 64]),
        (DType::F32, [1, 128, 64, 128]),
        (DType::I32, [1, 33, 32, 47]),
        (DType::F64, [1, 32, 32, 32]),
    ] {
        let mut stream = Stream::new(4);
        let graph = product(dtype, sizes, &mut stream);
        let inputs = inputs(&graph, &mut stream);
        let refs: Vec<&Literal> = inputs.iter().collect();
        for machine in &GPUS {
            let launches = lower_for(&graph, machine).unwrap();
            let mut plain = launches.clone();
            let buffers = plain.launches.iter_mut().flat_map(|launch| &mut launch.kernel.buffers);
            buffers.for_each(|buffer| buffer.swizzle = None);
            let run = |launches: &Launches| {
                let interpreter = Interpreter {
                    subgroup: machine.subgroup,
                    banks: machine.banks,
                    ..Interpreter::default()
                };
                interpreter.run(launches, &sizes_of(&graph, &refs), &refs, &graph.output_shapes()).unwrap()
            };
            let (ours, rows) = (run(&launches), run(&plain));
            assert_eq!(ours.outputs, rows.outputs, "{launches}");
            let [ours, rows] = [ours, rows].map(|run| run.counts.bank_conflicts);
            assert!(ours <= rows, "on {}: {ours} in place of {rows}\n{launches}", machine.name);
            assert!(launches != plain || ours == rows);
            fewer += usize::from(2 * ours <= rows && rows > 0);
        }
    }
    assert!(fewer >= 8, "{fewer} of 16 have half the conflicts");
}

/// A reduction of rows of this length, and ops that follow it.
fn rows(length: usize, kind: usize) -> Graph {
    let b = Builder::new("rows");
    let dtype = if kind < 2 { DType::F32 } else { DType::I32 };
    let x = b.input("x", Shape::new(&[3, length], dtype));
    let result = match kind {
        0 => x.softmax(1),
        1 => {
            let mean = &x.reduce(ReduceOp::Sum, &[1], true) * (1.0 / length as f64);
            &x - &mean.broadcast_to(x.shape().dims())
        }
        2 => x.reduce(ReduceOp::Sum, &[1], false),
        _ => x.reduce(ReduceOp::Max, &[1], false),
    };
    b.finish(&[&result]).unwrap_or_else(|e| panic!("{e}"))
}

/// Rows of any length, by groups of lanes. Integers match bit for bit.
#[test]
fn rows_are_shared_by_the_lanes_of_groups() {
    let mut stream = Stream::new(31);
    for (length, kind) in [64, 100, 777, 5000].into_iter().flat_map(|length| (0..4).map(move |k| (length, k)))
    {
        let graph = rows(length, kind);
        let inputs = inputs(&graph, &mut stream);
        for machine in &GPUS {
            let launches = lower_for(&graph, machine).unwrap();
            let by_lanes = launches.to_string().contains("@lane");
            assert_eq!(by_lanes, length >= 2 * machine.subgroup as usize, "{launches}");
            let found = distance(&graph, &launches, &inputs, machine);
            assert!(found <= if kind < 2 { 8.0 } else { 0.0 }, "{found} on {}\n{launches}", machine.name);
        }
    }
}

/// Cases of the conformance table that become tiles, in every type, are no further from the evaluator than without tiles.
#[test]
fn cases_of_the_table_are_as_near_with_tiles_as_without() {
    let mut tiled = 0;
    let run = Interpreter { statements: 1 << 18, ..Interpreter::default() };
    for case in cases::all() {
        let graph = case.graph();
        let (Ok(plain), Ok(launches)) = (lower(&graph), lower_for(&graph, &SM80)) else { continue };
        let text = launches.to_string();
        if !text.contains("dot ") && !text.contains("instr ") {
            continue;
        }
        let inputs = case.inputs();
        let inputs: Vec<&Literal> = inputs.iter().map(|(_, value)| value).collect();
        let of = |launches: &Launches| judge_launches(&graph, launches, &inputs, &run);
        let (Ok(before), after) = (of(&plain), of(&launches)) else { continue };
        match after {
            Ok(after) => assert!(after <= 4.0 * before + 8.0, "{}: {before}, {after}\n{text}", case.name),
            Err(JudgeError::Fault(fault)) if matches!(fault.kind, FaultKind::TooLong { .. }) => continue,
            Err(error) => panic!("{}: {error}\n{text}", case.name),
        }
        tiled += 1;
    }
    assert!(tiled > 100, "{tiled}");
}
