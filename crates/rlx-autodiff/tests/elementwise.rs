//! Derivatives of functions of numbers compared with JAX at delicate points (`scripts/elementwise_goldens.py`), in forward and in
//! reverse mode.

use rlx_autodiff::{jvp, vjp};
use rlx_ir::eval::Value;
use rlx_ir::math::Complex64;
use rlx_ir::{
    Activation, BinaryOp, Builder, DType, Graph, Literal, Named, Op, QuantScheme, Shape, Tensor, UnaryOp,
    eval,
};

struct Case {
    name: String,
    dtype: DType,
    fields: Vec<Vec<f64>>,
}

fn cases() -> Vec<Case> {
    let parse = |line: &str| {
        let mut fields = line.split('|').map(str::trim);
        let (name, dtype) = fields.next().unwrap().split_once(' ').unwrap();
        let dtype = if dtype == "complex128" { DType::C128 } else { DType::F64 };
        let numbers = |field: &str| field.split_whitespace().map(|n| n.parse().unwrap()).collect();
        Case { name: name.into(), dtype, fields: fields.map(numbers).collect() }
    };
    include_str!("goldens/elementwise.txt").lines().map(parse).collect()
}

fn op(name: &str) -> Op {
    if let Some(kind) = name.strip_prefix("activation.") {
        return Op::Activation { kind: Activation::from_name(kind).unwrap() };
    }
    let unary = UnaryOp::from_name(name).map(|op| Op::Unary { op });
    let binary = || BinaryOp::from_name(name).map(|op| Op::Binary { op });
    unary.or_else(binary).unwrap_or_else(|| match name {
        "clamp" => Op::Clamp {},
        "betainc" => Op::Betainc {},
        other => panic!("no op {other}"),
    })
}

/// The function of its operands `x0`, `x1`, …
fn program(op: &Op, operands: usize, shape: &Shape) -> Graph {
    let b = Builder::new("case");
    let xs: Vec<Tensor> = (0..operands).map(|i| b.input(format!("x{i}"), shape.clone())).collect();
    let y = b.apply(op.clone(), &xs.iter().collect::<Vec<_>>());
    b.finish(&[&y]).unwrap()
}

fn literal(numbers: &[f64], dtype: DType) -> Literal {
    let value = match dtype.is_complex() {
        true => {
            let pairs: Vec<Complex64> = numbers.chunks(2).map(|c| Complex64::new(c[0], c[1])).collect();
            Value::complexes(vec![pairs.len()], dtype, pairs)
        }
        false => Value::floats(vec![numbers.len()], dtype, numbers.to_vec()),
    };
    value.to_literal().unwrap()
}

fn numbers(literal: &Literal) -> Vec<f64> {
    let value = Value::from_literal(literal);
    match literal.dtype().is_complex() {
        true => value.to_complexes().iter().flat_map(|z| [z.re, z.im]).collect(),
        false => value.to_f64s(),
    }
}

fn run(graph: &Graph, values: &[Literal]) -> Vec<Vec<f64>> {
    let names: Vec<String> = graph
        .inputs()
        .map(|n| match n.op() {
            Op::Input { name } => name.clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    let pairs: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(values).collect();
    eval(graph, &pairs).unwrap().iter().map(numbers).collect()
}

fn close(what: &str, got: &[f64], want: &[f64], tolerance: f64) -> Result<(), String> {
    let scale = want.iter().fold(0.0f64, |m, w| m.max(w.abs())).max(1e-3);
    let near = |g: f64, w: f64| g == w || (g - w).abs() <= tolerance * w.abs().max(0.01 * scale);
    match got.len() == want.len() && got.iter().zip(want).all(|(&g, &w)| near(g, w)) {
        true => Ok(()),
        false => Err(format!("{what}:\n  got  {got:?}\n  want {want:?}")),
    }
}

/// Both modes at one element type.
fn check(case: &Case, dtype: DType, tolerance: f64) -> Result<(), String> {
    let n = (case.fields.len() - 2) / 3;
    let (operands, rest) = case.fields.split_at(n);
    let (tangents, rest) = rest.split_at(n);
    let (tangent, cotangent, cotangents) = (&rest[0], &rest[1], &rest[2..]);
    let op = op(&case.name);
    let width = if dtype.is_complex() { 2 } else { 1 };
    let shape = Shape::new(&[operands[0].len() / width], dtype);
    let graph = program(&op, n, &shape);
    let is_zero = |i: &usize| tangents[*i].iter().all(|&t| t == 0.0);
    let active: Vec<usize> = (0..n).filter(|i| !is_zero(i)).collect();
    let what = |mode: &str| format!("{mode} of {} {dtype}", case.name);
    let primals: Vec<Literal> = operands.iter().map(|x| literal(x, dtype)).collect();
    let of_active = active.iter().map(|&i| literal(&tangents[i], dtype));
    let forward = jvp(&graph, active.clone()).map_err(|e| format!("{}: {e}", what("jvp")))?;
    let got = run(&forward, &primals.iter().cloned().chain(of_active).collect::<Vec<_>>());
    close(&what("jvp"), &got[1], tangent, tolerance)?;
    let result = graph.output_shapes()[0].dtype();
    let backward = vjp(&graph, active.clone()).map_err(|e| format!("{}: {e}", what("vjp")))?;
    let seed = [literal(cotangent, result)];
    let got = run(&backward, &primals.iter().cloned().chain(seed).collect::<Vec<_>>());
    for (got, &i) in got[1..].iter().zip(&active) {
        close(&what("vjp"), got, &cotangents[i], tolerance)?;
    }
    Ok(())
}

#[test]
fn derivatives_are_those_of_jax() {
    let results = cases().into_iter().flat_map(|case| {
        let narrow = if case.dtype.is_complex() { DType::C64 } else { DType::F32 };
        // Differentiated through expansions, at whole numbers from both sides. The error is of order ε^⅔, times the curvature.
        let by_expansion = ["igamma", "igammac", "betainc"].contains(&case.name.as_str());
        let tolerance = if by_expansion { [1e-9, 1e-3] } else { [1e-11, 1e-4] };
        [check(&case, case.dtype, tolerance[0]), check(&case, narrow, tolerance[1])]
    });
    let wrong: Vec<String> = results.filter_map(Result::err).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Numbers and derivatives of `torch.fake_quantize_per_tensor_affine(x, 0.5, 3, 0, 15)` (PyTorch 2.15): values that round to a
/// limit are inside.
#[test]
fn what_is_quantized_to_a_limit_keeps_its_derivative() {
    let b = Builder::new("quantized");
    let x = b.input("x", Shape::new(&[8], DType::F32));
    let (scale, zero) = (b.scalar(0.5, DType::F32), b.scalar(3.0, DType::F32));
    let y = b.apply(Op::FakeQuantize { bits: 4, axis: None, symmetric: false }, &[&x, &scale, &zero]);
    let graph = vjp(&b.finish(&[&y]).unwrap(), [0]).unwrap();
    let x = literal(&[-2.0, -1.5, -1.7, 6.0, 6.2, 6.3, 0.1, -1.8], DType::F32);
    let got = run(&graph, &[x, literal(&[1.0; 8], DType::F32)]);
    assert_eq!(got[0], [-1.5, -1.5, -1.5, 6.0, 6.0, 6.0, 0.0, -1.5]);
    assert_eq!(got[1], [0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0]);
}

/// The derivative of the rounding of x to bytes is the identity, by definition, so cotangents are those of the product without
/// rounding.
#[test]
fn what_is_rounded_to_bytes_keeps_its_derivative() {
    let cotangents = |round_x: bool| {
        let b = Builder::new("rounded");
        let x = b.input("x", Shape::new(&[1, 32], DType::F32));
        let w = b.input("w", Shape::new(&[3, 34], DType::U8));
        let y = b.apply(Op::DequantMatMul { scheme: QuantScheme::Q8_0, round_x }, &[&x, &w]);
        let graph = vjp(&b.finish(&[&y]).unwrap(), [0]).unwrap();
        // Each row has a scale of 0.5 as f16, and 32 numbers.
        let row = |r: u8| [0, 0x38].into_iter().chain((0..32).map(move |i| (7 * i + 11 * r) % 100));
        let weights: Vec<u8> = (0..3).flat_map(row).collect();
        let x: Vec<f32> = (0..32).map(|i| (i as f32 - 15.3) / 7.0).collect();
        let values = [
            Literal::new(&[1, 32], &x).unwrap(),
            Literal::new(&[3, 34], &weights).unwrap(),
            Literal::new(&[1, 3], &[1f32, -2.0, 0.25]).unwrap(),
        ];
        let names: Vec<&str> = graph.inputs().filter_map(|node| node.name()).collect();
        let inputs: Vec<(&str, &Literal)> = names.into_iter().zip(&values).collect();
        eval(&graph, &inputs).unwrap()
    };
    let (rounded, plain) = (cotangents(true), cotangents(false));
    assert_ne!(rounded[0].bytes(), plain[0].bytes());
    // Multiplying and dividing by a scale rounds the last digit.
    let [rounded, plain] = [&rounded[1], &plain[1]].map(|literal| literal.as_slice::<f32>().unwrap());
    assert!(rounded.iter().zip(plain).all(|(a, b)| (a - b).abs() <= 4.0 * f32::EPSILON * b.abs()));
}
