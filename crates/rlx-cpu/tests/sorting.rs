//! Compares sorts, largest elements and indices of extremes with the evaluator.

mod harness;

use harness::{EACH, SplitMix64, Tolerance, check, is_quick, literal, wild};
use rlx_ir::eval::Scalar;
use rlx_ir::{ArgOp, DType, DTypeSet, Graph, Literal, Op, SortOrder};

fn check_node(op: Op, operands: &[Literal]) {
    let mut graph = Graph::new("order");
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let shapes = operands.iter().zip(&names).map(|(x, name)| (name, x.shape().clone()));
    let inputs = shapes.map(|(name, shape)| graph.input(name, shape)).collect();
    let node = graph.try_add(op, inputs).unwrap();
    let count = graph.node(node).results().len();
    let outputs = match count {
        1 => vec![node],
        _ => (0..count).map(|index| graph.try_add(Op::Output { index }, vec![node]).unwrap()).collect(),
    };
    graph.set_outputs(outputs);
    let values: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(operands).collect();
    check(&graph, &values, Tolerance::Exact);
}

const SHAPES: [(&[usize], usize); 9] = [
    (&[1], 0),
    (&[37], 0),
    (&[5, 9], 1),
    (&[9, 5], 0),
    (&[3, 8, 4], 1),
    (&[0, 4], 1),
    (&[40, 90], 1),
    (&[90, 40], 0),
    (&[3, 7], 0),
];

fn shapes() -> impl Iterator<Item = (&'static [usize], usize)> {
    SHAPES.into_iter().filter(|(dims, _)| is_quick(dims))
}

#[test]
fn extremes_are_found() {
    let mut random = SplitMix64::new(1);
    for (dims, axis) in shapes() {
        for dtype in DTypeSet::REAL.or(DTypeSet::BOOL).iter().step_by(EACH) {
            for op in [ArgOp::Max, ArgOp::Min] {
                for index in [DType::I32, DType::U8, DType::I64] {
                    let few = literal(dims, dtype, |_| Scalar::Int(random.below(3) as i128 - 1));
                    check_node(Op::ArgReduce { op, axis, dtype: index }, &[few]);
                    let x = wild(dims, dtype, &mut random);
                    check_node(Op::ArgReduce { op, axis, dtype: index }, &[x]);
                }
            }
        }
    }
}

#[test]
fn the_largest_come_first() {
    let mut random = SplitMix64::new(2);
    let all = [&[1][..], &[37], &[5, 9], &[3, 2, 8], &[0, 4], &[60, 200], &[3, 7]];
    for dims in all.into_iter().filter(|dims| is_quick(dims)) {
        let last = dims[dims.len() - 1];
        for dtype in DTypeSet::REAL.or(DTypeSet::BOOL).iter().step_by(EACH) {
            for k in [0, 1, last / 2, last] {
                check_node(Op::TopK { k }, &[wild(dims, dtype, &mut random)]);
            }
        }
    }
}

#[test]
fn sorts_by_one_key_and_more() {
    let mut random = SplitMix64::new(3);
    for (dims, axis) in shapes().chain([(&[3, 0][..], 1)]) {
        for order in [SortOrder::Ascending, SortOrder::Descending] {
            for dtype in DType::ALL.into_iter().step_by(EACH) {
                let x = wild(dims, dtype, &mut random);
                check_node(Op::Sort { axis, order, num_keys: 1, stable: true }, std::slice::from_ref(&x));
                let few =
                    literal(dims, DType::F16, |_| Scalar::Float([0.0, -0.0, 1.0, f64::NAN][random.below(4)]));
                let tail = wild(dims, DType::I16, &mut random);
                for num_keys in 1..=3 {
                    let operands = [few.clone(), x.clone(), tail.clone()];
                    check_node(Op::Sort { axis, order, num_keys, stable: true }, &operands);
                }
            }
        }
    }
}
