//! Cases of branches, loops, and ops that contain other ops.

use super::indexing::scalar_body;
use crate::case::{Bound, Row};
use crate::data::Gen;
use rlx_ir::{
    BinaryOp, Builder, CheckpointPolicy, CompareOp, CustomOp, DType, Dim, FusionKind, Graph, Literal, Op,
    OpError, ReduceOp, Shape, SubGraph, Tensor, UnaryOp, register_custom,
};
use std::sync::{Arc, Once};

const SMALL: Gen = Gen::Ints(-4, 4);

/// Returns a graph of inputs of these shapes.
fn body(inputs: &[Shape], f: impl Fn(&[Tensor]) -> Vec<Tensor>) -> SubGraph {
    let builder = Builder::new("body");
    let inputs: Vec<Tensor> =
        inputs.iter().enumerate().map(|(i, s)| builder.input(format!("a{i}"), s.clone())).collect();
    let outputs = f(&inputs);
    // A body that does not accept the type makes an op that cannot be inferred, and so there is no case.
    builder.finish(&outputs.iter().collect::<Vec<_>>()).unwrap_or_else(|_| Graph::new("none")).into()
}

fn add(a: &Tensor, b: &Tensor) -> Tensor {
    a.binary(BinaryOp::Add, b)
}

pub(super) fn rows() -> Vec<Row> {
    register();
    let mut rows = vec![
        Row::new(Op::OptimizationBarrier {}).x(&[3, 5], Gen::Bits),
        Row::new(Op::OptimizationBarrier {}).x(&[9, 131], Gen::Bits),
        Row::new(Op::OptimizationBarrier {})
            .x(&[3, 5], Gen::Bits)
            .is(DType::I32, &[], Gen::Bits)
            .x(&[0], Gen::Bits),
    ];
    rows.extend(branches());
    rows.extend(loops());
    rows.extend(holders());
    rows
}

/// x + x, −x (or x if the type has no negation), and x·x, each with an additional scalar.
fn branch(which: usize, dtype: DType, sizes: &[usize]) -> SubGraph {
    let inputs = [Shape::new(sizes, dtype), Shape::new(&[], DType::I32)];
    body(&inputs, |x| {
        let signed = !matches!(dtype.class(), rlx_ir::Class::Bool | rlx_ir::Class::Unsigned);
        let y = match which {
            0 => add(&x[0], &x[0]),
            1 if signed => -&x[0],
            1 => x[0].clone(),
            _ => &x[0] * &x[0],
        };
        vec![y, x[1].binary(BinaryOp::Add, &x[1])]
    })
}

fn branches() -> Vec<Row> {
    let mut rows = Vec::new();
    for sizes in [&[3, 5][..], &[], &[0], &[9, 131]] {
        for pred in [&[0.0][..], &[1.0]] {
            let make = move |d| Op::If { then_branch: branch(0, d, sizes), else_branch: branch(1, d, sizes) };
            let row = Row::of(make).within(Bound::Exact).is(DType::Bool, &[], Gen::Values(pred));
            rows.push(row.x(sizes, SMALL).is(DType::I32, &[], SMALL));
        }
        for index in [&[0.0][..], &[1.0], &[2.0], &[3.0], &[-1.0], &[1e6]] {
            let make = move |d| Op::Case { branches: (0..3).map(|i| branch(i, d, sizes)).collect() };
            let row = Row::of(make).within(Bound::Exact).is(DType::I32, &[], Gen::Values(index));
            rows.push(row.x(sizes, SMALL).is(DType::I32, &[], SMALL));
        }
    }
    rows
}

/// Counts down to 0 and doubles x each time.
fn countdown(dtype: DType, sizes: &'static [usize]) -> Op {
    let inputs = [Shape::scalar(DType::I32), Shape::new(sizes, dtype)];
    let zero = |x: &Tensor| x.builder().int(0, DType::I32);
    Op::While {
        cond: body(&inputs, |x| vec![x[0].compare(CompareOp::Gt, &zero(&x[0]))]),
        body: body(&inputs, |x| vec![&x[0] - x[0].builder().int(1, DType::I32), add(&x[1], &x[1])]),
    }
}

/// carry ← carry·c + x, y = the carry before.
fn running(dtype: DType, sizes: &'static [usize], length: usize, reverse: bool) -> Op {
    let one = Shape::new(sizes, dtype);
    let body = body(&[one.clone(), one.clone(), one], |x| {
        vec![add(&x[1].binary(BinaryOp::Mul, &x[0]), &x[2]), x[1].clone()]
    });
    Op::Scan { body, length: Dim::Static(length), num_consts: 1, num_carry: 1, reverse }
}

fn loops() -> Vec<Row> {
    let mut rows = Vec::new();
    for sizes in [&[3][..], &[], &[2, 0], &[5, 131]] {
        for start in [&[5.0][..], &[0.0], &[-3.0]] {
            let row = Row::of(move |d| countdown(d, sizes)).within(Bound::Exact).is(
                DType::I32,
                &[],
                Gen::Values(start),
            );
            rows.push(row.x(sizes, Gen::Ints(-2, 2)));
        }
        for (length, reverse) in [(5, false), (5, true), (0, false), (1, true)] {
            let stacked = [&[length][..], sizes].concat();
            let row = Row::of(move |d| running(d, sizes, length, reverse)).note(format!("reverse {reverse}"));
            let row =
                row.any_zero().within(Bound::Exact).x(sizes, Gen::Ints(-1, 1)).x(sizes, Gen::Ints(-2, 2));
            rows.push(row.x(&stacked, Gen::Ints(-2, 2)));
        }
    }
    // A loop with only constants and a carry, and one with only slices.
    let counting = |d: DType| Op::Scan {
        body: scalar_body(d, 2, |x| vec![add(&x[1], &x[0])]),
        length: Dim::Static(7),
        num_consts: 1,
        num_carry: 1,
        reverse: false,
    };
    rows.push(
        Row::of(counting)
            .within(Bound::Exact)
            .note("no slices")
            .x(&[], Gen::Ints(1, 1))
            .x(&[], Gen::Ints(0, 1)),
    );
    let mapping = |d: DType| Op::Scan {
        body: body(&[Shape::new(&[3], d)], |x| vec![add(&x[0], &x[0])]),
        length: Dim::Static(4),
        num_consts: 0,
        num_carry: 0,
        reverse: true,
    };
    rows.push(Row::of(mapping).within(Bound::Exact).note("only slices").x(&[4, 3], SMALL));
    rows
}

/// e^(a + b), and its sum along axis 1: two results of one body.
fn exp_and_sum(dtype: DType) -> SubGraph {
    let input = Shape::new(&[3, 5], dtype);
    body(&[input.clone(), input], |x| {
        let e = add(&x[0], &x[1]).unary(UnaryOp::Exp);
        let sum = e.reduce(ReduceOp::Sum, &[1], false);
        vec![e, sum]
    })
}

/// A product with a known factor, which is its own transpose.
fn scaled(dtype: DType) -> SubGraph {
    let input = Shape::new(&[3, 5], dtype);
    body(&[input.clone(), input], |x| vec![x[0].binary(BinaryOp::Mul, &x[1])])
}

fn holders() -> Vec<Row> {
    let data = Gen::Uniform(-1.0, 1.0);
    let two = |row: Row| row.x(&[3, 5], data).x(&[3, 5], data);
    let fusion = |kind| Row::of(move |d| Op::Fusion { kind, body: exp_and_sum(d) }).note(format!("{kind}"));
    let custom = |sizes: &'static [usize]| {
        Row::of(move |d| Op::Custom {
            name: REVERSED.into(),
            config: String::new(),
            results: vec![Shape::new(sizes, d)],
        })
        .x(sizes, Gen::Bits)
    };
    vec![
        two(fusion(FusionKind::Reduction)),
        two(Row::of(|d| Op::Call { body: exp_and_sum(d) })),
        two(Row::of(|d| Op::CustomFn { forward: exp_and_sum(d), jvp: None, vjp: None })),
        two(Row::of(|d| Op::Checkpoint { body: exp_and_sum(d), policy: CheckpointPolicy::Nothing })),
        two(Row::of(|d| Op::LinearCall { forward: scaled(d), transpose: scaled(d), known: 1 })),
        custom(&[7]),
        custom(&[2, 3]),
        custom(&[0]),
        custom(&[9, 131]),
    ]
}

/// The name of the custom op that the table registers.
const REVERSED: &str = "conformance.reversed";

/// Reverses all elements.
struct Reversed;

impl CustomOp for Reversed {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        match operands {
            [x] => Ok(vec![x.clone()]),
            _ => Err(OpError::shape(format!("takes one operand, got {}", operands.len()))),
        }
    }

    fn eval(&self, _: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError> {
        let Some(x) = operands.first() else { return Err(OpError::shape("takes one operand, got none")) };
        let bytes: Vec<u8> = x.bytes().chunks_exact(x.dtype().size()).rev().flatten().copied().collect();
        Literal::from_bytes(x.shape(), &bytes).map(|y| vec![y]).map_err(|e| OpError::Eval(e.to_string()))
    }

    fn jvp(&self, _: &str, operands: &[Shape]) -> Option<Result<Graph, OpError>> {
        let x = operands.first()?;
        Some(reversed(&[x.clone(), x.clone(), x.clone()], (0..x.rank()).collect()))
    }

    fn batch(&self, _: &str, operands: &[Shape], _: &[bool], size: &Dim) -> Option<Result<Graph, OpError>> {
        let x = operands.first()?;
        let dims = [std::slice::from_ref(size), x.dims()].concat();
        Some(reversed(&[x.with_dims(dims)], (1..=x.rank()).collect()))
    }
}

/// Returns a graph that reverses the last of these inputs along axes.
fn reversed(inputs: &[Shape], axes: Vec<usize>) -> Result<Graph, OpError> {
    let builder = Builder::new("reversed");
    let inputs: Vec<Tensor> =
        inputs.iter().enumerate().map(|(i, s)| builder.input(format!("x{i}"), s.clone())).collect();
    let last = inputs.last().map(|x| x.apply(Op::Reverse { axes }, &[]));
    builder.finish(&last.iter().collect::<Vec<_>>()).map_err(|e| OpError::shape(e.to_string()))
}

fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A program that has already registered the name keeps its own rules, and the cases test those.
        let _ = register_custom(REVERSED, Arc::new(Reversed));
    });
}
