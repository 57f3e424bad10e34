//! Compares running reductions and moving windows with the evaluator. Sums and products round once, so that even floats agree bit for bit.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal, ordinary, wild};
use rlx_ir::eval::Scalar;
use rlx_ir::{
    BinaryOp, CompareOp, DType, Graph, Literal, Op, ReduceOp, Shape, SubGraph, UndilatedWindow, WindowSpec,
};

const REDUCERS: [ReduceOp; 6] =
    [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::And, ReduceOp::Or];

fn check_node(op: Op, operands: &[Literal], within: Tolerance) {
    let mut graph = Graph::new("windows");
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let shapes = operands.iter().zip(&names).map(|(x, name)| (name, x.shape().clone()));
    let inputs = shapes.map(|(name, shape)| graph.input(name, shape)).collect();
    let node = graph.try_add(op, inputs).expect("valid");
    let count = graph.node(node).results().len();
    let outputs = match count {
        1 => vec![node],
        _ => (0..count).map(|i| graph.try_add(Op::Output { index: i }, vec![node]).expect("valid")).collect(),
    };
    graph.set_outputs(outputs);
    let values: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(operands).collect();
    check(&graph, &values, within);
}

#[test]
fn running_reductions() {
    let mut random = SplitMix64::new(1);
    let shapes: [(&[usize], usize); 9] = [
        (&[1], 0),
        (&[301], 0),
        (&[5, 9], 1),
        (&[9, 5], 0),
        (&[3, 8, 4], 1),
        (&[0, 4], 1),
        (&[4, 0], 1),
        (&[20, 150], 0),
        (&[130, 70], 1),
    ];
    let ops = [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::LogSumExp];
    for (dims, axis) in shapes {
        for (i, op) in ops.into_iter().enumerate() {
            for dtype in op.accepts().iter() {
                for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
                    let op = Op::Cumulative { op, axis, exclusive, reverse };
                    let x = if i % 2 == 0 && exclusive == reverse {
                        ordinary(dims, dtype, &mut random)
                    } else {
                        wild(dims, dtype, &mut random)
                    };
                    check_node(op, &[x], Tolerance::Exact);
                }
            }
        }
    }
}

/// A window and how it moves.
#[derive(Clone, Copy)]
struct Case {
    x: &'static [usize],
    window: &'static [usize],
    strides: &'static [usize],
    base_dilation: &'static [usize],
    window_dilation: &'static [usize],
    low: &'static [i64],
    high: &'static [i64],
}

impl Case {
    fn spec(&self) -> WindowSpec {
        WindowSpec {
            window: self.window.to_vec(),
            strides: self.strides.to_vec(),
            base_dilation: self.base_dilation.to_vec(),
            window_dilation: self.window_dilation.to_vec(),
            low: self.low.to_vec(),
            high: self.high.to_vec(),
        }
    }
}

const IMAGE: Case = Case {
    x: &[2, 3, 9, 11],
    window: &[1, 1, 3, 2],
    strides: &[1, 1, 2, 2],
    base_dilation: &[1, 1, 1, 1],
    window_dilation: &[1, 1, 1, 1],
    low: &[0, 0, 0, 0],
    high: &[0, 0, 0, 0],
};

const LINE: Case = Case {
    x: &[70],
    window: &[3],
    strides: &[1],
    base_dilation: &[1],
    window_dilation: &[1],
    low: &[2],
    high: &[0],
};

const CASES: &[Case] = &[
    IMAGE,
    Case { low: &[0, 0, 1, 1], high: &[0, 0, 1, 0], strides: &[1, 1, 1, 1], ..IMAGE },
    Case { x: &[2, 7, 6, 40], window: &[1, 3, 2, 1], strides: &[1, 2, 2, 1], low: &[0, 1, 0, 0], ..IMAGE },
    Case { base_dilation: &[1, 2, 3, 2], window_dilation: &[1, 1, 2, 3], high: &[1, 2, 3, 4], ..IMAGE },
    Case { window: &[2, 2, 2, 2], low: &[-1, 0, -2, 1], high: &[2, -1, 3, -2], ..IMAGE },
    Case { x: &[2, 3, 0, 4], low: &[0, 0, 2, 1], high: &[0, 0, 3, 1], ..IMAGE },
    Case { window: &[1, 1, 10, 1], ..IMAGE },
    LINE,
    Case { x: &[160], window: &[160], low: &[159], ..LINE },
    Case { x: &[], window: &[], strides: &[], base_dilation: &[], window_dilation: &[], low: &[], high: &[] },
];

#[test]
fn windows_combine_by_name() {
    let mut random = SplitMix64::new(2);
    for case in CASES {
        for kind in REDUCERS {
            for dtype in kind.accepts().iter() {
                let op = Op::ReduceWindow { kind, spec: case.spec() };
                check_node(op.clone(), &[ordinary(case.x, dtype, &mut random)], Tolerance::Exact);
                check_node(op, &[wild(case.x, dtype, &mut random)], Tolerance::Exact);
            }
        }
    }
}

/// A window that is long along at least one axis, however it moves.
#[derive(Clone)]
struct Long {
    x: Vec<usize>,
    spec: WindowSpec,
}

impl Long {
    /// Returns one that is long along axis `axis` of a tensor of this rank, and has only one tap along the others if it is to be still
    /// there.
    fn new(rank: usize, axis: usize, still: bool, random: &mut SplitMix64) -> Long {
        let mut pick = |from: usize, to: usize| from + random.below(to - from);
        let window: Vec<usize> = (0..rank)
            .map(|a| if a == axis { pick(48, 200) } else { pick(1, if still { 2 } else { 4 }) })
            .collect();
        let of = |a: usize, long: usize, other: usize| if a == axis { long } else { other };
        let x = (0..rank).map(|a| of(a, pick(40, 400), pick(0, 6))).collect();
        let strides = (0..rank).map(|a| of(a, pick(1, 4), if still { 1 } else { pick(1, 3) })).collect();
        let base_dilation =
            (0..rank).map(|a| of(a, pick(1, 3), if still { 1 } else { pick(1, 3) })).collect();
        let window_dilation = (0..rank).map(|a| of(a, pick(1, 4), pick(1, 3))).collect();
        let padding = |a: usize, n: usize| if a == axis { n as i64 - 20 } else { i64::from(!still) };
        let low = (0..rank).map(|a| padding(a, pick(0, 300))).collect();
        let high = (0..rank).map(|a| padding(a, pick(0, 300))).collect();
        Long { x, spec: WindowSpec { window, strides, base_dilation, window_dilation, low, high } }
    }

    fn named(&self, kind: ReduceOp) -> Op {
        Op::ReduceWindow { kind, spec: self.spec.clone() }
    }
}

/// Returns numbers whose sums and products are exact in any order.
fn exact(dims: &[usize], kind: ReduceOp, dtype: DType, random: &mut SplitMix64) -> Literal {
    match kind {
        ReduceOp::Sum => literal(dims, dtype, |_| Scalar::Int(random.below(9) as i128 - 4).convert(dtype)),
        ReduceOp::Prod => {
            let factors = [1, 1, 1, 1, 1, -1, -1, 2];
            literal(dims, dtype, |_| Scalar::Int(factors[random.below(8)]).convert(dtype))
        }
        _ => wild(dims, dtype, random),
    }
}

#[test]
fn long_windows_combine_by_name() {
    let mut random = SplitMix64::new(5);
    let mut list: Vec<(Long, ReduceOp, DType)> = Vec::new();
    for (i, kind) in REDUCERS.into_iter().enumerate() {
        for (j, dtype) in kind.accepts().iter().enumerate() {
            for (rank, axis) in [(1, 0), (2, 1), (2, 0), (3, 1)] {
                list.push((Long::new(rank, axis, (i + j) % 2 == 0, &mut random), kind, dtype));
            }
        }
    }
    // Segments of a block, more lanes than are processed together, and more rows than are read at a time.
    let plain = |x: &[usize], window: &[usize]| Long { x: x.to_vec(), spec: WindowSpec::plain(window) };
    let padded = |n: usize, window: usize, low: i64, high: i64| Long {
        x: vec![n],
        spec: WindowSpec { low: vec![low], high: vec![high], ..WindowSpec::plain(&[window]) },
    };
    let strided =
        Long { x: vec![20_000], spec: WindowSpec { strides: vec![1500], ..WindowSpec::plain(&[9000]) } };
    for kind in [ReduceOp::Sum, ReduceOp::Max] {
        list.push((plain(&[4000], &[1700]), kind, DType::F32));
        list.push((plain(&[3000, 2], &[900, 1]), kind, DType::BF16));
        list.push((plain(&[150, 130], &[60, 1]), kind, DType::F32));
        list.push((padded(3000, 3000, 2999, 0), kind, DType::I32));
        list.push((padded(3000, 3500, 0, 3500), kind, DType::F32));
        list.push((strided.clone(), kind, DType::F32));
        list.push((padded(60, 70, 500, 700), kind, DType::F64));
    }
    for (long, kind, dtype) in list {
        // Which zero a part of a complex product is depends on the order of its factors.
        let within = match kind {
            ReduceOp::Prod if dtype.is_complex() => Tolerance::Close { absolute: 0.0, relative: 0.0 },
            _ => Tolerance::Exact,
        };
        check_node(long.named(kind), &[exact(&long.x, kind, dtype, &mut random)], within);
    }
}

#[test]
fn long_windows_of_any_floats_round_once() {
    let mut random = SplitMix64::new(6);
    for (rank, axis) in [(1, 0), (2, 1), (2, 0), (3, 1)] {
        for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64] {
            let long = Long::new(rank, axis, false, &mut random);
            let within = match dtype {
                // Sums of numbers below 4 in f64, in another order.
                DType::F64 => Tolerance::Close { absolute: 1e-11, relative: 0.0 },
                _ => Tolerance::Ulps(1),
            };
            check_node(long.named(ReduceOp::Sum), &[ordinary(&long.x, dtype, &mut random)], within);
        }
    }
}

/// A graph over scalars of these types.
fn body(
    types: &[DType],
    make: impl FnOnce(&mut Graph, &[rlx_ir::NodeId]) -> Vec<rlx_ir::NodeId>,
) -> SubGraph {
    let mut g = Graph::new("body");
    let inputs: Vec<_> =
        types.iter().enumerate().map(|(i, &t)| g.input(format!("v{i}"), Shape::scalar(t))).collect();
    let outputs = make(&mut g, &inputs);
    g.set_outputs(outputs);
    SubGraph::new(g)
}

fn binary(g: &mut Graph, op: BinaryOp, a: rlx_ir::NodeId, b: rlx_ir::NodeId) -> rlx_ir::NodeId {
    g.try_add(Op::Binary { op }, vec![a, b]).expect("valid")
}

/// Combines pairs: keeps the pair with the larger first element, or the first pair if they are equal.
fn argmax_body(dtype: DType, place: DType) -> SubGraph {
    body(&[dtype, place, dtype, place], |g, v| {
        let op = Op::Compare { op: CompareOp::Ge, total_order: false };
        let stays = g.try_add(op, vec![v[0], v[2]]).expect("valid");
        let mut pick = |a, b| g.try_add(Op::Select {}, vec![stays, a, b]).expect("valid");
        vec![pick(v[0], v[2]), pick(v[1], v[3])]
    })
}

#[test]
fn windows_combine_by_a_graph() {
    let mut random = SplitMix64::new(3);
    for case in CASES {
        for dtype in [DType::F32, DType::BF16, DType::I16] {
            let place = DType::I32;
            let op = Op::ReduceWindowGraph { body: argmax_body(dtype, place), spec: case.spec() };
            let operands = [
                ordinary(case.x, dtype, &mut random),
                literal(case.x, place, |i| Scalar::Int(i as i128)),
                literal(&[], dtype, |_| Scalar::Int(-100).convert(dtype)),
                literal(&[], place, |_| Scalar::Int(-1)),
            ];
            check_node(op, &operands, Tolerance::Exact);
        }
    }
}

#[test]
fn long_windows_combine_by_a_graph() {
    let mut random = SplitMix64::new(7);
    for (rank, axis) in [(1, 0), (2, 1), (2, 0), (3, 1), (1, 0), (3, 0)] {
        for (dtype, still) in [(DType::F32, true), (DType::BF16, true), (DType::I16, false)] {
            let mut long = Long::new(rank, axis, still, &mut random);
            if still {
                long.spec.base_dilation[axis] = 1;
            }
            let place = DType::I32;
            let op = Op::ReduceWindowGraph { body: argmax_body(dtype, place), spec: long.spec.clone() };
            let operands = [
                literal(&long.x, dtype, |_| Scalar::Int(random.below(50) as i128).convert(dtype)),
                literal(&long.x, place, |i| Scalar::Int(i as i128)),
                literal(&[], dtype, |_| Scalar::Int(-100).convert(dtype)),
                literal(&[], place, |_| Scalar::Int(-1)),
            ];
            check_node(op, &operands, Tolerance::Exact);
        }
    }
}

/// A body for which the order matters: the first of what it combines, and the last.
#[test]
fn long_windows_keep_the_order_of_what_they_see() {
    let dtype = DType::I32;
    let ends = body(&[dtype; 4], |g, v| {
        let none = g.constant(literal(&[], dtype, |_| Scalar::Int(-1)));
        let mut or = |a, b| {
            let op = Op::Compare { op: CompareOp::Eq, total_order: false };
            let is_none = g.try_add(op, vec![a, none]).expect("valid");
            g.try_add(Op::Select {}, vec![is_none, b, a]).expect("valid")
        };
        vec![or(v[0], v[2]), or(v[3], v[1])]
    });
    for (n, window, low, high, stride) in
        [(500, 60, 0, 0, 1), (700, 600, 599, 0, 1), (2000, 700, 30, 900, 3), (300, 400, 350, 399, 1)]
    {
        let spec = WindowSpec {
            strides: vec![stride],
            low: vec![low],
            high: vec![high],
            ..WindowSpec::plain(&[window])
        };
        let op = Op::ReduceWindowGraph { body: ends.clone(), spec };
        let numbers = literal(&[n], dtype, |i| Scalar::Int(i as i128));
        let none = literal(&[], dtype, |_| Scalar::Int(-1));
        check_node(op, &[numbers.clone(), numbers, none.clone(), none], Tolerance::Exact);
    }
}

#[test]
fn values_go_back_to_what_windows_select() {
    let mut random = SplitMix64::new(4);
    let plain = |case: &&Case| case.base_dilation.iter().chain(case.window_dilation).all(|&n| n == 1);
    for case in CASES.iter().filter(plain) {
        for dtype in [DType::F32, DType::F16, DType::F64, DType::I8, DType::U32] {
            for (compare, combine) in [
                (CompareOp::Ge, BinaryOp::Add),
                (CompareOp::Lt, BinaryOp::Add),
                (CompareOp::Gt, BinaryOp::Max),
            ] {
                let select = body(&[dtype; 2], |g, v| {
                    let op = Op::Compare { op: compare, total_order: false };
                    vec![g.try_add(op, v.to_vec()).expect("valid")]
                });
                let scatter = body(&[dtype; 2], |g, v| vec![binary(g, combine, v[0], v[1])]);
                let places = places(case);
                let spec = UndilatedWindow::from_spec(case.spec()).expect("not dilated");
                let op = Op::SelectAndScatter { select, scatter, spec };
                let few = |dims: &[usize], random: &mut SplitMix64| {
                    literal(dims, dtype, |_| Scalar::Int(random.below(4) as i128).convert(dtype))
                };
                let init = literal(&[], dtype, |_| Scalar::Int(3).convert(dtype));
                for x in [few(case.x, &mut random), wild(case.x, dtype, &mut random)] {
                    let operands = [x, ordinary(&places, dtype, &mut random), init.clone()];
                    check_node(op.clone(), &operands, Tolerance::Exact);
                }
            }
        }
    }
}

/// Returns the number of places of the window along each axis.
fn places(case: &Case) -> Vec<usize> {
    let along = |a: usize| {
        let padded = case.x[a] as i64 + case.low[a] + case.high[a];
        let slack = padded - case.window[a] as i64;
        if slack < 0 { 0 } else { slack as usize / case.strides[a] + 1 }
    };
    (0..case.x.len()).map(along).collect()
}
