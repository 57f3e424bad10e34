//! What callers rely on besides values: which ops are expanded, errors, symbolic sizes, and lengths that the conformance table
//! does not have.

use crate::expanded::expand_all;
use rlx_expand::{expand, expand_graph};
use rlx_ir::{Builder, DType, Dim, FftKind, Literal, Op, ReduceOp, ScanOperands, Shape, SortOrder, UnaryOp};

fn f32s(dims: &[usize]) -> Shape {
    Shape::new(dims, DType::F32)
}

#[test]
fn simple_ops_and_composites_have_no_expansion() {
    for op in
        [Op::Unary { op: UnaryOp::Exp }, Op::Softmax { axis: 0 }, Op::Reshape { dims: vec![Dim::Static(3)] }]
    {
        assert!(expand_graph(&op, &[f32s(&[3])]).is_none(), "{op:?}");
    }
    // The conjugate of a real number is the number itself; that of a complex one is already simple.
    let op = Op::Unary { op: UnaryOp::Conj };
    assert!(expand_graph(&op, &[f32s(&[3])]).is_some());
    assert!(expand_graph(&op, &[Shape::new(&[3], DType::C64)]).is_none());
    assert!(expand_graph(&Op::Concatenate { axis: 0 }, &[]).is_none());
}

#[test]
fn operands_that_the_op_refuses_are_errors() {
    let sort = Op::Sort { axis: 3, order: SortOrder::Ascending, num_keys: 1, stable: true };
    let refused = [
        (sort, vec![f32s(&[3])], "axis 3"),
        (Op::Lu {}, vec![f32s(&[3])], "at least two axes"),
        (Op::Unary { op: UnaryOp::Erf }, vec![f32s(&[3]), f32s(&[3])], "operand"),
        (Op::TopK { k: 5 }, vec![f32s(&[3])], "k is 5"),
    ];
    for (op, shapes, what) in refused {
        let error = expand_graph(&op, &shapes).expect("an op with an expansion").expect_err("refused");
        assert!(error.to_string().contains(what), "{op:?}: {error}");
    }
}

#[test]
fn an_operand_that_stands_for_an_error_is_one() {
    let b = Builder::new("t");
    let x = b.input("x", f32s(&[3]));
    let void = x.reshape(&[Dim::Static(4)]);
    let made = expand(&Op::Unary { op: UnaryOp::Erf }, &[void]).expect("an expansion");
    assert!(made.is_err());
}

#[test]
fn sizes_that_an_expansion_needs_are_asked_for() {
    let n = Dim::dynamic("n");
    let x = Shape::from_dims(&[n.clone(), n], DType::F32);
    let cumulative = Op::Cumulative { op: ReduceOp::Sum, axis: 0, exclusive: false, reverse: false };
    for op in [cumulative, Op::Eigh { lower: true }] {
        let error = expand_graph(&op, std::slice::from_ref(&x)).expect("an expansion").expect_err("symbolic");
        assert!(error.to_string().contains("bind"), "{error}");
    }
}

#[test]
fn a_loop_over_slices_may_be_of_symbolic_length() {
    let n = Dim::dynamic("n");
    let b = Builder::new("running");
    let x = b.input("x", Shape::from_dims(&[n.clone(), Dim::Static(2)], DType::F32));
    let start = b.input("start", f32s(&[2]));
    let operands = ScanOperands {
        carry: std::slice::from_ref(&start),
        xs: std::slice::from_ref(&x),
        ..Default::default()
    };
    let results = b.scan(operands, n, true, &|_, values| {
        let sum = &values[0] + &values[1];
        vec![sum.clone(), sum]
    });
    let graph = b.finish(&results.iter().collect::<Vec<_>>()).expect("valid");
    let expanded = expand_all(&graph, 0).expect("expands");
    let x = Literal::new(&[3, 2], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]).expect("x");
    let start = Literal::new(&[2], &[10.0f32, 20.0]).expect("start");
    let given = [("x", &x), ("start", &start)];
    let want = rlx_ir::eval(&graph, &given).expect("runs");
    assert_eq!(rlx_ir::eval(&expanded, &given).expect("runs"), want);
    assert_eq!(want[0].as_slice::<f32>().expect("f32"), [19.0, 32.0]);
}

/// The largest difference between the expanded transform and the evaluator's, relative to the largest element.
fn transform_error(kind: FftKind, n: usize, dtype: DType) -> f64 {
    let b = Builder::new("fft");
    let length = if kind == FftKind::Irfft { n / 2 + 1 } else { n };
    let element = if kind == FftKind::Rfft { dtype.real() } else { dtype };
    let index = b.iota(Shape::new(&[length], DType::F64), 0);
    let wave = |f: f64| (&index * f).sin().convert(element.real());
    let x = if element.is_complex() {
        wave(1.7).binary(rlx_ir::BinaryOp::Complex, &wave(0.9))
    } else {
        wave(1.7)
    };
    let made = x.apply(Op::Fft { kind, lengths: vec![n] }, &[]);
    let graph = b.finish(&[&made]).expect("valid");
    let values = |graph| {
        let out = rlx_ir::eval(graph, &[]).expect("runs").swap_remove(0);
        let b = Builder::new("wide");
        let x = b.input("x", out.shape().clone());
        let graph = b.finish(&[&x.convert(DType::C128)]).expect("valid");
        let wide = rlx_ir::eval(&graph, &[("x", &out)]).expect("runs").swap_remove(0);
        let numbers: Vec<f64> =
            wide.bytes().chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("8"))).collect();
        numbers
    };
    let (want, got) = (values(&graph), values(&expand_all(&graph, 0).expect("expands")));
    let largest = want.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    want.iter().zip(&got).map(|(w, g)| (w - g).abs()).fold(0.0, f64::max) / largest
}

#[test]
fn transforms_of_large_prime_and_composite_lengths() {
    for kind in [FftKind::Fft, FftKind::Ifft, FftKind::Rfft, FftKind::Irfft] {
        // A large prime, twice a prime, a product of several factors, a power of two.
        for n in [257, 298, 630, 512] {
            for (dtype, eps) in [(DType::C64, f64::from(f32::EPSILON)), (DType::C128, f64::EPSILON)] {
                let error = transform_error(kind, n, dtype);
                assert!(error <= 8.0 * eps, "{kind} of {n} {dtype}: {} eps", error / eps);
            }
        }
    }
}
