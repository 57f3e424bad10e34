//! Compares ops that only move elements with the evaluator.

mod harness;

use harness::{SplitMix64, Tolerance, check, literal, wild};
use rlx_ir::eval::Scalar;
use rlx_ir::{BinaryOp, Builder, DType, DTypeSet, Dim, Graph, Literal, Op, Shape};

fn dims_of(sizes: &[usize]) -> Vec<Dim> {
    sizes.iter().map(|&n| Dim::Static(n)).collect()
}

/// Returns a graph of one node on operands x0, x1, ….
fn node(op: Op, operands: &[Shape]) -> Graph {
    let mut graph = Graph::new("move");
    let inputs = operands.iter().enumerate().map(|(i, s)| graph.input(format!("x{i}"), s.clone())).collect();
    let node = graph.try_add(op, inputs).unwrap();
    let count = graph.node(node).results().len();
    let outputs = match count {
        1 => vec![node],
        _ => (0..count).map(|index| graph.try_add(Op::Output { index }, vec![node]).unwrap()).collect(),
    };
    graph.set_outputs(outputs);
    graph
}

fn check_node(op: Op, operands: &[Literal]) {
    let shapes: Vec<Shape> = operands.iter().map(|x| x.shape().clone()).collect();
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let values: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(operands).collect();
    check(&node(op, &shapes), &values, Tolerance::Exact);
}

/// Checks an op on an arbitrary operand of these sizes: of every type if it is small, otherwise of one type of each size.
fn check_moved(sizes: &[usize], op: Op) {
    let mut random = SplitMix64::new(sizes.iter().sum::<usize>() as u64);
    let large = sizes.iter().product::<usize>() > 2000;
    let some = [DType::U8, DType::BF16, DType::F32, DType::C64, DType::C128];
    let types = if large { &some[..] } else { &DType::ALL[..] };
    for &dtype in types {
        check_node(op.clone(), &[wild(sizes, dtype, &mut random)]);
    }
}

#[test]
fn transposes() {
    let cases: [(&[usize], &[usize]); 12] = [
        (&[], &[]),
        (&[5], &[0]),
        (&[3, 7], &[1, 0]),
        (&[0, 7], &[1, 0]),
        (&[2, 3, 5], &[2, 0, 1]),
        (&[2, 3, 5, 4], &[0, 2, 1, 3]),
        (&[2, 1, 5, 4], &[3, 1, 2, 0]),
        (&[64, 128], &[1, 0]),
        (&[67, 131], &[1, 0]),
        (&[3, 33, 70], &[0, 2, 1]),
        (&[3, 33, 70], &[2, 1, 0]),
        (&[4, 30, 6, 32], &[0, 2, 1, 3]),
    ];
    for (sizes, perm) in cases {
        check_moved(sizes, Op::Transpose { perm: perm.to_vec() });
    }
}

#[test]
fn broadcasts() {
    let cases: [(&[usize], &[usize], &[usize]); 9] = [
        (&[], &[3, 5], &[]),
        (&[5], &[3, 5], &[1]),
        (&[3], &[3, 5], &[0]),
        (&[3, 1], &[3, 5], &[0, 1]),
        (&[3, 5], &[5, 2, 3], &[2, 0]),
        (&[1, 4], &[0, 4], &[0, 1]),
        (&[2, 3, 1], &[2, 4, 3, 7], &[0, 2, 3]),
        (&[300], &[200, 300], &[1]),
        (&[300], &[300, 200], &[0]),
    ];
    for (sizes, out, axes) in cases {
        check_moved(sizes, Op::BroadcastInDim { dims: dims_of(out), axes: axes.to_vec() });
    }
}

#[test]
fn slices_and_reversals() {
    let cases: [(&[usize], &[usize], &[usize], &[usize]); 8] = [
        (&[7], &[2], &[7], &[2]),
        (&[7], &[7], &[7], &[3]),
        (&[4, 6], &[1, 2], &[3, 5], &[1, 1]),
        (&[4, 6], &[0, 1], &[4, 6], &[1, 100]),
        (&[4, 6, 5], &[1, 0, 0], &[4, 6, 5], &[2, 1, 1]),
        (&[4, 6, 5], &[1, 0, 1], &[4, 6, 5], &[2, 3, 2]),
        (&[0, 4], &[0, 1], &[0, 3], &[1, 1]),
        (&[200, 300], &[10, 5], &[190, 290], &[1, 1]),
    ];
    for (sizes, starts, limits, strides) in cases {
        let op = Op::Slice { starts: dims_of(starts), limits: dims_of(limits), strides: strides.to_vec() };
        check_moved(sizes, op);
    }
    let cases: [(&[usize], &[usize]); 7] = [
        (&[7], &[0]),
        (&[3, 5], &[0]),
        (&[3, 5], &[1]),
        (&[3, 5, 2], &[2, 0]),
        (&[3, 0], &[0, 1]),
        (&[5], &[]),
        (&[150, 200], &[0, 1]),
    ];
    for (sizes, axes) in cases {
        check_moved(sizes, Op::Reverse { axes: axes.to_vec() });
    }
}

#[test]
fn padding_adds_and_removes() {
    let cases: [(&[usize], &[i64], &[i64], &[usize]); 12] = [
        (&[5], &[2], &[3], &[0]),
        (&[5], &[2], &[3], &[2]),
        (&[5], &[-2], &[-1], &[0]),
        (&[5], &[-2], &[-4], &[3]),
        (&[5], &[-3], &[1], &[1]),
        (&[5], &[-5], &[9], &[0]),
        (&[5], &[-7], &[9], &[0]),
        (&[5], &[-5], &[0], &[0]),
        (&[0, 3], &[2, 1], &[1, -1], &[4, 0]),
        (&[3, 4], &[1, -1], &[0, 2], &[1, 0]),
        (&[2, 3, 4], &[0, 0, 0], &[0, 0, 0], &[0, 0, 0]),
        (&[100, 120], &[3, 5], &[2, 1], &[0, 1]),
    ];
    let mut random = SplitMix64::new(3);
    for (sizes, low, high, interior) in cases {
        for dtype in DType::ALL {
            let op = Op::Pad { low: low.to_vec(), high: high.to_vec(), interior: interior.to_vec() };
            check_node(op, &[wild(sizes, dtype, &mut random), wild(&[], dtype, &mut random)]);
        }
    }
}

#[test]
fn concatenations() {
    let cases: [(&[&[usize]], usize); 6] = [
        (&[&[3]], 0),
        (&[&[3], &[0], &[4]], 0),
        (&[&[2, 3], &[2, 1], &[2, 4]], 1),
        (&[&[2, 3], &[1, 3]], 0),
        (&[&[2, 3, 4], &[2, 5, 4]], 1),
        (&[&[100, 150], &[100, 50]], 1),
    ];
    let mut random = SplitMix64::new(4);
    for (operands, axis) in cases {
        for dtype in DType::ALL {
            let operands: Vec<Literal> = operands.iter().map(|s| wild(s, dtype, &mut random)).collect();
            check_node(Op::Concatenate { axis }, &operands);
        }
    }
}

fn start(dtype: DType, at: i128) -> Literal {
    literal(&[], dtype, |_| Scalar::Int(at))
}

#[test]
fn boxes_at_run_time_offsets_are_moved_inside() {
    let cases: [(&[usize], &[usize]); 7] = [
        (&[7], &[3]),
        (&[7], &[7]),
        (&[7], &[0]),
        (&[4, 6], &[2, 3]),
        (&[4, 6], &[1, 6]),
        (&[0, 5], &[0, 2]),
        (&[90, 400], &[60, 350]),
    ];
    let mut random = SplitMix64::new(5);
    for (sizes, part) in cases {
        let types = if sizes.len() > 1 {
            &[DType::U8, DType::F16, DType::F32, DType::C128][..]
        } else {
            &DType::ALL[..]
        };
        for &dtype in types {
            for (index, at) in [
                (DType::I32, 1),
                (DType::I64, i128::from(i64::MIN)),
                (DType::U64, i128::from(u64::MAX)),
                (DType::U8, 2),
                (DType::I8, -1),
            ] {
                let x = wild(sizes, dtype, &mut random);
                let update = wild(part, dtype, &mut random);
                let starts: Vec<Literal> = sizes.iter().map(|_| start(index, at)).collect();
                let operands = [vec![x.clone()], starts.clone()].concat();
                check_node(Op::DynamicSlice { sizes: dims_of(part) }, &operands);
                let operands = [vec![x, update], starts].concat();
                check_node(Op::DynamicUpdateSlice {}, &operands);
            }
        }
    }
}

/// Updates of a value that is not used again and of one that is.
#[test]
fn updates_in_place_leave_other_uses_alone() {
    let mut random = SplitMix64::new(6);
    for kept in [false, true] {
        let builder = Builder::new("cache");
        let x = builder.input("x0", Shape::new(&[8, 5], DType::F32));
        let update = builder.input("x1", Shape::new(&[2, 5], DType::F32));
        let at = builder.input("x2", Shape::scalar(DType::I32));
        let value = x.binary(BinaryOp::Mul, &x);
        let zero = builder.int(0, DType::I32);
        let once = value.apply(Op::DynamicUpdateSlice {}, &[&update, &at, &zero]);
        let twice = once.apply(Op::DynamicUpdateSlice {}, &[&update, &zero, &at]);
        let graph =
            if kept { builder.finish(&[&twice, &value, &once]) } else { builder.finish(&[&twice]) }.unwrap();
        let operands = [
            wild(&[8, 5], DType::F32, &mut random),
            wild(&[2, 5], DType::F32, &mut random),
            start(DType::I32, 4),
        ];
        let values = [("x0", &operands[0]), ("x1", &operands[1]), ("x2", &operands[2])];
        check(&graph, &values, Tolerance::Exact);
    }
}

#[test]
fn counting_and_barriers() {
    let cases: [(&[usize], usize); 6] =
        [(&[5], 0), (&[3, 4], 0), (&[3, 4], 1), (&[2, 3, 4], 1), (&[0, 4], 1), (&[300, 100], 0)];
    for (sizes, axis) in cases {
        for dtype in DTypeSet::NUMBER.iter() {
            check_node(Op::Iota { shape: Shape::new(sizes, dtype), axis }, &[]);
        }
    }
    let mut random = SplitMix64::new(7);
    for sizes in [&[][..], &[3, 5], &[0], &[70_000]] {
        let x = wild(sizes, DType::F32, &mut random);
        let y = wild(&[2, 9], DType::C128, &mut random);
        check_node(Op::OptimizationBarrier {}, &[x.clone(), y.clone()]);
        check_node(Op::OptimizationBarrier {}, &[x]);
    }
}
