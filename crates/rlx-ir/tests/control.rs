//! Branches, loops, calls and custom ops: numbers from JAX, text round trips, and the messages of wrong signatures.

use rlx_ir::{
    AlreadyRegistered, BinaryOp, Builder, CustomOp, DType, Dim, Graph, Literal, Op, OpError, ScanOperands,
    Shape, SubGraph, Tensor, eval, register_custom, verify,
};
use std::sync::Arc;

fn f32s(dims: &[usize], data: &[f32]) -> Literal {
    Literal::new(dims, data).expect("fits")
}

fn i32s(dims: &[usize], data: &[i32]) -> Literal {
    Literal::new(dims, data).expect("fits")
}

fn f32_shape(dims: &[usize]) -> Shape {
    Shape::new(dims, DType::F32)
}

/// Builds a graph with inputs x0, x1, …, checks that its text form reads back equal, and evaluates it.
fn run(args: &[&Literal], build: impl FnOnce(&Builder, &[Tensor]) -> Vec<Tensor>) -> Vec<Literal> {
    let b = Builder::new("test");
    let names: Vec<String> = (0..args.len()).map(|i| format!("x{i}")).collect();
    let inputs: Vec<Tensor> = names.iter().zip(args).map(|(n, a)| b.input(n, a.shape().clone())).collect();
    let outputs = build(&b, &inputs);
    let graph = b.finish(&outputs.iter().collect::<Vec<_>>()).expect("a valid graph");
    let text = graph.to_string();
    assert_eq!(Graph::parse(&text).expect("parses"), graph, "{text}");
    let named: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(args.iter().copied()).collect();
    eval(&graph, &named).expect("runs")
}

/// The errors in the graph that `build` makes.
fn problems(inputs: &[Shape], build: impl FnOnce(&Builder, &[Tensor]) -> Vec<Tensor>) -> String {
    let b = Builder::new("test");
    let inputs: Vec<Tensor> =
        inputs.iter().enumerate().map(|(i, s)| b.input(format!("x{i}"), s.clone())).collect();
    let outputs = build(&b, &inputs);
    b.finish(&outputs.iter().collect::<Vec<_>>()).expect_err("invalid").to_string()
}

fn sub_graph(inputs: &[Shape], build: impl FnOnce(&[Tensor]) -> Vec<Tensor>) -> SubGraph {
    let b = Builder::new("sub");
    let inputs: Vec<Tensor> =
        inputs.iter().enumerate().map(|(i, s)| b.input(format!("x{i}"), s.clone())).collect();
    let outputs = build(&inputs);
    SubGraph::new(b.finish(&outputs.iter().collect::<Vec<_>>()).expect("a valid graph"))
}

/// `[x] → [x]` that never returns.
fn forever(b: &Builder, args: &[Tensor]) -> Vec<Tensor> {
    let yes = |b: &Builder, _: &[Tensor]| vec![b.constant(Literal::from_bools(&[], &[true]).expect("fits"))];
    b.while_loop(args, &yes, &|_, args| args.to_vec())
}

#[track_caller]
fn close(got: &Literal, wanted: &[f32]) {
    let got = got.as_slice::<f32>().expect("f32");
    assert_eq!(got.len(), wanted.len());
    for (g, w) in got.iter().zip(wanted) {
        let same = (g.is_nan() && w.is_nan()) || (g - w).abs() <= 1e-6 * w.abs().max(1.0);
        assert!(same, "{got:?} instead of {wanted:?}");
    }
}

#[track_caller]
fn ints(got: &Literal, wanted: &[i32]) {
    assert_eq!(got.as_slice::<i32>().expect("i32"), wanted);
}

#[test]
fn a_conditional_runs_one_branch() {
    let x = f32s(&[3], &[1.5, -2.0, 0.25]);
    let y = f32s(&[3], &[4.0, 0.5, -1.0]);
    for (pred, wanted) in [(true, [3.989_98, -0.454_648_7, -0.247_403_96]), (false, [-2.5f32, -2.5, 1.25])] {
        let p = Literal::from_bools(&[], &[pred]).expect("fits");
        let out = run(&[&p, &x, &y], |b, t| {
            b.cond(&t[0], &t[1..], &|_, a| vec![a[0].sin() * &a[1]], &|_, a| vec![&a[0] - &a[1]])
        });
        close(&out[0], &wanted);
    }
}

#[test]
fn the_branch_not_taken_does_not_run() {
    let p = Literal::from_bools(&[], &[false]).expect("fits");
    let x = f32s(&[2], &[1.0, 2.0]);
    let out = run(&[&p, &x], |b, t| b.cond(&t[0], &t[1..], &forever, &|_, a| vec![&a[0] + 1.0]));
    close(&out[0], &[2.0, 3.0]);
    let index = i32s(&[], &[1]);
    let out =
        run(&[&index, &x], |b, t| b.case(&t[0], &t[1..], &[&forever, &|_, a| vec![&a[0] + 1.0], &forever]));
    close(&out[0], &[2.0, 3.0]);
}

#[test]
fn case_runs_the_last_branch_for_an_index_out_of_range() {
    for (index, wanted) in [(0, 1.0), (1, 10.0), (2, 100.0), (3, 100.0), (-1, 100.0), (i32::MIN, 100.0)] {
        let (i, x) = (i32s(&[], &[index]), f32s(&[], &[1.0]));
        let out = run(&[&i, &x], |b, t| {
            let branches: [rlx_ir::Body<'_>; 3] =
                [&|_, a| vec![a[0].clone()], &|_, a| vec![&a[0] * 10.0], &|_, a| vec![&a[0] * 100.0]];
            b.case(&t[0], &t[1..], &branches)
        });
        close(&out[0], &[wanted]);
    }
}

/// Square root by Newton's method: (step, guess, target).
fn newton(b: &Builder, init: &[Tensor]) -> Vec<Tensor> {
    b.while_loop(
        init,
        &|b, c| {
            let error = (&c[1] * &c[1] - &c[2]).abs();
            let more = c[0].less(&b.int(20, DType::I32));
            vec![more.and(&error.greater(&b.scalar(1e-3, DType::F32)))]
        },
        &|b, c| vec![&c[0] + b.int(1, DType::I32), (&c[1] + &c[2] / &c[1]) * 0.5, c[2].clone()],
    )
}

#[test]
fn while_carries_values_of_several_types() {
    let args = [i32s(&[], &[0]), f32s(&[], &[1.0]), f32s(&[], &[2.0])];
    let out = run(&[&args[0], &args[1], &args[2]], newton);
    ints(&out[0], &[3]);
    close(&out[1], &[1.414_215_7]);
    close(&out[2], &[2.0]);
}

#[test]
fn while_ends_on_nan() {
    let args = [i32s(&[], &[0]), f32s(&[], &[1.0]), f32s(&[], &[f32::NAN])];
    let out = run(&[&args[0], &args[1], &args[2]], newton);
    ints(&out[0], &[0]);
    close(&out[1], &[1.0]);
    close(&out[2], &[f32::NAN]);
}

/// (c; h, k; x, m) → (c·h + x, 2k + m; (c·h + x)·x, k), scanned.
fn recurrence(b: &Builder, t: &[Tensor], length: impl Into<Dim>, reverse: bool) -> Vec<Tensor> {
    let operands = ScanOperands { consts: &t[..1], carry: &t[1..3], xs: &t[3..] };
    b.scan(operands, length, reverse, &|b, t| {
        let h = &t[0] * &t[1] + &t[3];
        let k = &t[2] * b.int(2, DType::I32) + &t[4];
        vec![h.clone(), k, &h * &t[3], t[2].clone()]
    })
}

#[test]
fn scan_is_that_of_jax_in_both_directions() {
    let c = f32s(&[2], &[0.5, -1.0]);
    let (h, k) = (f32s(&[2], &[1.0, 1.0]), i32s(&[], &[7]));
    let (x, m) = (f32s(&[3, 2], &[1.0, 2.0, 3.0, -4.0, 0.5, 8.0]), i32s(&[3], &[1, 2, 3]));
    let args = [&c, &h, &k, &x, &m];
    let out = run(&args, |b, t| recurrence(b, t, 3, false));
    close(&out[0], &[2.375, 13.0]);
    ints(&out[1], &[67]);
    close(&out[2], &[1.5, 2.0, 11.25, 20.0, 1.1875, 104.0]);
    ints(&out[3], &[7, 15, 32]);
    let out = run(&args, |b, t| recurrence(b, t, 3, true));
    close(&out[0], &[2.75, 13.0]);
    ints(&out[1], &[73]);
    close(&out[2], &[2.75, 26.0, 10.5, 44.0, 0.5, 56.0]);
    ints(&out[3], &[36, 17, 7]);
}

#[test]
fn scan_of_no_step_returns_the_carry() {
    let c = f32s(&[2], &[0.5, -1.0]);
    let (h, k) = (f32s(&[2], &[1.0, 1.0]), i32s(&[], &[7]));
    let (x, m) = (f32s(&[0, 2], &[]), i32s(&[0], &[]));
    let out = run(&[&c, &h, &k, &x, &m], |b, t| recurrence(b, t, 0, false));
    close(&out[0], &[1.0, 1.0]);
    ints(&out[1], &[7]);
    assert_eq!(out[2].shape(), &f32_shape(&[0, 2]));
    assert_eq!(out[3].shape(), &Shape::new(&[0], DType::I32));
}

#[test]
fn scan_needs_neither_xs_nor_a_carry() {
    let one = i32s(&[], &[1]);
    let out = run(&[&one], |b, t| {
        b.scan(ScanOperands { carry: t, ..Default::default() }, 5, false, &|b, c| {
            vec![&c[0] * b.int(3, DType::I32) + b.int(1, DType::I32), c[0].clone()]
        })
    });
    ints(&out[0], &[364]);
    ints(&out[1], &[1, 4, 13, 40, 121]);
    let x = f32s(&[3, 2], &[1.0, 2.0, 3.0, -4.0, 0.5, 8.0]);
    let out = run(&[&x], |b, t| {
        b.scan(ScanOperands { xs: t, ..Default::default() }, 3, true, &|_, x| vec![x[0].exp()])
    });
    close(&out[0], &[2.718_281_7, 7.389_056, 20.085_537, 0.018_315_64, 1.648_721_2, 2_980.958]);
}

#[test]
fn slices_without_elements_scan() {
    let x = f32s(&[4, 0], &[]);
    let out = run(&[&x], |b, t| {
        b.scan(ScanOperands { xs: t, ..Default::default() }, 4, false, &|_, x| vec![&x[0] + 1.0])
    });
    assert_eq!(out[0].shape(), &f32_shape(&[4, 0]));
}

#[test]
fn scan_takes_its_length_from_a_symbol() {
    let b = Builder::new("symbolic");
    let n = Dim::dynamic("n");
    let c = b.input("c", f32_shape(&[2]));
    let h = b.input("h", f32_shape(&[2]));
    let k = b.input("k", Shape::scalar(DType::I32));
    let x = b.input("x", Shape::from_dims(&[n.clone(), 2.into()], DType::F32));
    let m = b.input("m", Shape::from_dims(std::slice::from_ref(&n), DType::I32));
    let out = recurrence(&b, &[c, h, k, x, m], n.clone(), false);
    assert_eq!(out[2].dims(), [n, Dim::Static(2)]);
    let graph = b.finish(&out.iter().collect::<Vec<_>>()).expect("valid");
    assert_eq!(Graph::parse(&graph.to_string()).expect("parses"), graph);
    let (c, h, k) = (f32s(&[2], &[0.5, -1.0]), f32s(&[2], &[1.0, 1.0]), i32s(&[], &[7]));
    let (x, m) = (f32s(&[2, 2], &[1.0, 2.0, 3.0, -4.0]), i32s(&[2], &[1, 2]));
    let out = eval(&graph, &[("c", &c), ("h", &h), ("k", &k), ("x", &x), ("m", &m)]).expect("runs");
    ints(&out[3], &[7, 15]);
    let m = i32s(&[3], &[1, 2, 3]);
    let error = eval(&graph, &[("c", &c), ("h", &h), ("k", &k), ("x", &x), ("m", &m)]).expect_err("n is 2");
    assert!(error.to_string().contains("`m` is declared i32[n], got i32[3]"), "{error}");
}

/// The number of Collatz steps from `n` to 1.
fn collatz(b: &Builder, n: &Tensor) -> Tensor {
    let int = |b: &Builder, v| b.int(v, DType::I32);
    let steps = b.while_loop(&[n.clone(), int(b, 0)], &|b, c| vec![c[0].greater(&int(b, 1))], &|b, c| {
        let even = (&c[0] % int(b, 2)).equal(&int(b, 0));
        let next = even.select(&(&c[0] / int(b, 2)), &(&c[0] * int(b, 3) + int(b, 1)));
        vec![next, &c[1] + int(b, 1)]
    });
    steps[1].clone()
}

#[test]
fn loops_nest_in_scans_in_branches() {
    let n = i32s(&[4], &[6, 7, 27, 1]);
    for (pred, total, each) in [(true, 135, [8, 16, 111, 0]), (false, 41, [12, 14, 54, 2])] {
        let p = Literal::from_bools(&[], &[pred]).expect("fits");
        let out = run(&[&p, &n], |b, t| {
            let on_true: rlx_ir::Body<'_> = &|b, v| {
                let zero = [b.int(0, DType::I32)];
                b.scan(ScanOperands { carry: &zero, xs: v, ..Default::default() }, 4, false, &|b, t| {
                    let steps = collatz(b, &t[1]);
                    vec![&t[0] + &steps, steps]
                })
            };
            b.cond(&t[0], &t[1..], on_true, &|b, v| {
                vec![v[0].reduce(rlx_ir::ReduceOp::Sum, &[0], false), &v[0] * b.int(2, DType::I32)]
            })
        });
        ints(&out[0], &[total]);
        ints(&out[1], &each);
    }
}

#[test]
fn a_call_is_its_body() {
    let body = sub_graph(&[f32_shape(&[2]), f32_shape(&[2])], |t| vec![&t[0] * &t[1], &t[0] - &t[1]]);
    let (x, y) = (f32s(&[2], &[3.0, 4.0]), f32s(&[2], &[2.0, 0.5]));
    let out = run(&[&x, &y], |b, t| b.call(&body, t));
    close(&out[0], &[6.0, 2.0]);
    close(&out[1], &[1.0, 3.5]);
}

#[test]
fn a_call_needs_no_argument() {
    let b = Builder::new("sub");
    let five = b.scalar(5.0, DType::F32);
    let body = b.finish(&[&five]).expect("valid");
    let out = run(&[], |b, _| b.call(&body, &[]));
    close(&out[0], &[5.0]);
}

#[test]
fn wrong_signatures_name_the_graph_the_value_and_the_shapes() {
    let pred = Shape::scalar(DType::Bool);
    let x = f32_shape(&[3]);
    let cases: Vec<(String, &str)> = vec![
        (
            problems(&[x.clone(), x.clone()], |b, t| {
                b.cond(&t[0], &t[1..], &|_, a| vec![a[0].clone()], &|_, a| vec![a[0].clone()])
            }),
            "pred has element type f32, expected bool",
        ),
        (
            problems(&[Shape::new(&[3], DType::Bool), x.clone()], |b, t| {
                b.cond(&t[0], &t[1..], &|_, a| vec![a[0].clone()], &|_, a| vec![a[0].clone()])
            }),
            "pred must be a scalar, got bool[3]; for a choice per element use select",
        ),
        (
            problems(&[pred.clone(), x.clone()], |b, t| {
                b.cond(&t[0], &t[1..], &|_, a| vec![a[0].clone()], &|_, a| {
                    vec![a[0].reduce(rlx_ir::ReduceOp::Sum, &[0], false)]
                })
            }),
            "value 0 of else_branch is f32[], that of then_branch is f32[3]; they must have the same shape",
        ),
        (
            problems(&[pred.clone(), x.clone()], |b, t| {
                b.cond(&t[0], &t[1..], &|_, a| vec![a[0].clone()], &|_, a| vec![a[0].clone(), a[0].clone()])
            }),
            "else_branch returns 2 value(s), but then_branch has 1; the numbers must be equal",
        ),
        (
            problems(&[Shape::scalar(DType::I64), x.clone()], |b, t| {
                b.case(&t[0], &t[1..], &[&|_, a| vec![a[0].clone()]])
            }),
            "index has element type i64, expected i32",
        ),
        (
            problems(&[Shape::scalar(DType::I32), x.clone()], |b, t| b.case(&t[0], &t[1..], &[])),
            "needs at least one branch",
        ),
        (
            problems(std::slice::from_ref(&x), |b, t| {
                b.while_loop(t, &|_, a| vec![a[0].greater(&a[0])], &|_, a| vec![a[0].clone()])
            }),
            "cond must return one boolean scalar, returns (bool[3])",
        ),
        (
            problems(&[], |b, _| b.while_loop(&[], &|b, _| vec![b.scalar(0.0, DType::F32)], &|_, _| vec![])),
            "has no output",
        ),
        (
            problems(std::slice::from_ref(&x), |b, t| {
                b.scan(ScanOperands { xs: t, ..Default::default() }, 4, false, &|_, x| vec![x[0].clone()])
            }),
            "x 0 is f32[3]; its first axis must have the size of the scan, 4",
        ),
        (
            problems(std::slice::from_ref(&x), |b, t| {
                b.scan(ScanOperands { carry: t, ..Default::default() }, 4, false, &|_, c| {
                    vec![c[0].convert(DType::F64)]
                })
            }),
            "value 0 of body is f64[3], that of the carried values is f32[3]; they must have the same shape",
        ),
        (
            problems(std::slice::from_ref(&x), |b, t| {
                let outer = t[0].clone();
                b.while_loop(t, &|b, _| vec![b.scalar(0.0, DType::F32)], &move |_, a| vec![&a[0] + &outer])
            }),
            "operand 1 (\"x0\", f32[3]) belongs to another builder",
        ),
    ];
    for (message, wanted) in cases {
        assert!(message.contains(wanted), "{message}\n  lacks: {wanted}");
    }
}

#[test]
fn a_scan_with_wrong_counts_is_refused() {
    let body = sub_graph(&[f32_shape(&[2])], |t| vec![t[0].clone()]);
    let scan = |num_consts, num_carry| Op::Scan {
        body: body.clone(),
        length: 3.into(),
        num_consts,
        num_carry,
        reverse: false,
    };
    let operands = [f32_shape(&[2])];
    assert!(scan(0, 1).infer(&operands).is_ok());
    for (op, wanted) in [
        (scan(usize::MAX, 1), "ask for more than the 1 operand(s)"),
        (scan(1, 1), "ask for more than the 1 operand(s)"),
        (scan(0, 0), "x 0 is f32[2]; its first axis must have the size of the scan, 3"),
    ] {
        let message = op.infer(&operands).expect_err("invalid").to_string();
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn sub_graphs_with_broken_links_are_refused_without_a_panic() {
    let mut dangling = Graph::new("dangling");
    dangling.input("x", f32_shape(&[2]));
    dangling.set_outputs(vec![rlx_ir::NodeId::new(99)]);
    let mut cyclic = Graph::new("cyclic");
    let y = cyclic.input("x", f32_shape(&[2]));
    let later = rlx_ir::NodeId::new(7);
    let z = cyclic.add_node(Op::Binary { op: BinaryOp::Add }, vec![y, later], f32_shape(&[2]));
    cyclic.set_outputs(vec![z]);
    for broken in [dangling, cyclic] {
        let sub = SubGraph::new(broken);
        let good = sub_graph(&[f32_shape(&[2])], |t| vec![t[0].clone()]);
        let ops = [
            Op::If { then_branch: good.clone(), else_branch: sub.clone() },
            Op::Call { body: sub.clone() },
            Op::While { cond: sub.clone(), body: good.clone() },
            Op::Case { branches: vec![sub.clone()] },
            Op::CustomFn { forward: good.clone(), jvp: None, vjp: Some(sub.clone()) },
        ];
        for op in ops {
            let mut g = Graph::new("outer");
            let p = g.input("p", Shape::scalar(DType::Bool));
            let i = g.input("i", Shape::scalar(DType::I32));
            let x = g.input("x", f32_shape(&[2]));
            let inputs = match op {
                Op::If { .. } => vec![p, x],
                Op::Case { .. } => vec![i, x],
                _ => vec![x],
            };
            assert!(g.try_add(op.clone(), inputs.clone()).is_err());
            let node = g.add_node(op, inputs, f32_shape(&[2]));
            g.set_outputs(vec![node]);
            assert!(verify(&g).is_err());
        }
    }
}

#[test]
fn dimensions_that_nothing_binds_are_an_error() {
    let body = sub_graph(&[Shape::from_dims(&["k".into()], DType::F32)], |t| vec![&t[0] + 1.0]);
    let mut g = Graph::new("outer");
    let x = g.input("x", f32_shape(&[2]));
    let y = g.try_add(Op::Call { body }, vec![x]).expect("k may be 2");
    g.set_outputs(vec![y]);
    let x = f32s(&[2], &[1.0, 2.0]);
    let error = eval(&g, &[("x", &x)]).expect_err("k has no size");
    assert!(error.to_string().contains("dimension `k` is not bound"), "{error}");
}

#[test]
fn a_dimension_that_comes_out_negative_is_an_error() {
    let b = Builder::new("negative");
    let n = Dim::dynamic("n");
    let x = b.input("x", Shape::from_dims(std::slice::from_ref(&n), DType::F32));
    let y = b.iota(Shape::from_dims(&[n.offset(-3)], DType::F32), 0);
    let graph = b.finish(&[&x, &y]).expect("valid");
    let ok = eval(&graph, &[("x", &f32s(&[4], &[0.0; 4]))]).expect("n − 3 = 1");
    close(&ok[1], &[0.0]);
    let error = eval(&graph, &[("x", &f32s(&[2], &[0.0; 2]))]).expect_err("n − 3 = −1");
    assert!(error.to_string().contains("no valid size"), "{error}");
}

#[test]
fn symbols_are_bound_inside_sub_graphs() {
    let n = Dim::dynamic("n");
    let shape = Shape::from_dims(std::slice::from_ref(&n), DType::F32);
    let b = Builder::new("outer");
    let x = b.input("x", shape.clone());
    let p = b.input("p", Shape::scalar(DType::Bool));
    let out = b.cond(&p, &[x], &|b, t| vec![&t[0] + b.iota(shape.clone(), 0)], &|_, t| vec![t[0].clone()]);
    let graph = b.finish(&[&out[0]]).expect("valid");
    let yes = Literal::from_bools(&[], &[true]).expect("fits");
    let out = eval(&graph, &[("x", &f32s(&[3], &[1.0; 3])), ("p", &yes)]).expect("runs");
    close(&out[0], &[1.0, 2.0, 3.0]);
}

/// Repeats the first axis as many times as `config` says.
struct Repeat;

impl CustomOp for Repeat {
    fn infer(&self, config: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        let times: usize =
            config.parse().map_err(|_| OpError::attribute(format!("`{config}` is not a count")))?;
        let [x] = operands else { return Err(OpError::shape("repeat takes one operand")) };
        let dims: Vec<Dim> = x.dims().iter().map(|d| d * times).collect();
        Ok(vec![x.with_dims(dims)])
    }

    fn eval(&self, config: &str, operands: &[Literal]) -> Result<Vec<Literal>, OpError> {
        let shapes: Vec<Shape> = operands.iter().map(|o| o.shape().clone()).collect();
        let shape = self.infer(config, &shapes)?.remove(0);
        let times: usize = config.parse().map_err(|_| OpError::attribute("not a count"))?;
        let bytes = operands[0].bytes().repeat(times);
        Ok(vec![Literal::from_bytes(&shape, &bytes).map_err(|e| OpError::Eval(e.to_string()))?])
    }
}

/// Infers one shape and returns another.
struct Liar;

impl CustomOp for Liar {
    fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, OpError> {
        Ok(operands.to_vec())
    }

    fn eval(&self, _: &str, _: &[Literal]) -> Result<Vec<Literal>, OpError> {
        Ok(vec![Literal::scalar(1.0f64)])
    }
}

fn custom(name: &str, config: &str, results: &[Shape]) -> Op {
    Op::Custom { name: name.into(), config: config.into(), results: results.to_vec() }
}

#[test]
fn custom_ops_follow_their_registered_rules() {
    register_custom("test.repeat", Arc::new(Repeat)).expect("the name is free");
    let again = register_custom("test.repeat", Arc::new(Repeat)).expect_err("the name is taken");
    assert_eq!(again, AlreadyRegistered("test.repeat".into()));
    let x = f32s(&[2], &[1.0, 2.0]);
    let op = custom("test.repeat", "3", &[f32_shape(&[6])]);
    let out = run(&[&x], |_, t| vec![t[0].apply(op.clone(), &[])]);
    close(&out[0], &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);

    let message = problems(&[f32_shape(&[4])], |_, t| vec![t[0].apply(op.clone(), &[])]);
    assert!(message.contains("value 0 of the shape rule of `test.repeat` is f32[12]"), "{message}");
    let op = custom("test.repeat", "many", &[f32_shape(&[6])]);
    let message = problems(&[f32_shape(&[2])], |_, t| vec![t[0].apply(op.clone(), &[])]);
    assert!(message.contains("`many` is not a count"), "{message}");
}

#[test]
fn an_unregistered_custom_op_is_an_error_of_the_verifier() {
    let op = custom("test.nowhere", "", &[f32_shape(&[2])]);
    let mut g = Graph::new("g");
    let x = g.input("x", f32_shape(&[2]));
    let y = g.add_node(op, vec![x], f32_shape(&[2]));
    g.set_outputs(vec![y]);
    let message = verify(&g).expect_err("unregistered").to_string();
    assert!(message.contains("no custom op `test.nowhere` is registered"), "{message}");
    assert!(message.contains("call `register_custom`"), "{message}");
}

#[test]
fn a_custom_op_that_breaks_its_word_is_an_error() {
    register_custom("test.liar", Arc::new(Liar)).expect("the name is free");
    let b = Builder::new("g");
    let x = b.input("x", f32_shape(&[2]));
    let y = x.apply(custom("test.liar", "", &[f32_shape(&[2])]), &[]);
    let graph = b.finish(&[&y]).expect("valid");
    let error = eval(&graph, &[("x", &f32s(&[2], &[1.0, 2.0]))]).expect_err("f64 is not f32").to_string();
    assert!(error.contains("the evaluation of `test.liar` is f64[]"), "{error}");
}

#[test]
fn custom_functions_run_their_forward_graph_and_check_their_rules() {
    let (x, n) = (f32_shape(&[2]), Shape::scalar(DType::I32));
    let args = [x.clone(), n.clone()];
    let forward = sub_graph(&args, |t| vec![t[0].exp(), &t[1] + &t[1]]);
    // (x, n, y, m, ẋ) → ẏ and (x, n, y, m, ȳ) → x̄: integers have no derivative.
    let seen = [x.clone(), n.clone(), x.clone(), n.clone(), x.clone()];
    let rule = sub_graph(&seen, |t| vec![&t[2] * &t[4]]);
    let op = Op::CustomFn { forward: forward.clone(), jvp: Some(rule.clone()), vjp: Some(rule.clone()) };
    let (xs, ns) = (f32s(&[2], &[0.0, 1.0]), i32s(&[], &[4]));
    let out = run(&[&xs, &ns], |_, t| t[0].apply_many(op.clone(), &[&t[1]]));
    close(&out[0], &[1.0, 2.718_281_7]);
    ints(&out[1], &[8]);

    let plain = Op::CustomFn { forward: forward.clone(), jvp: None, vjp: None };
    assert_eq!(run(&[&xs, &ns], |_, t| t[0].apply_many(plain.clone(), &[&t[1]])), out);

    let two = sub_graph(&seen, |t| vec![t[4].clone(), t[4].clone()]);
    let short = sub_graph(&args, |t| vec![t[0].clone()]);
    for (jvp, vjp, wanted) in [
        (Some(two.clone()), None, "returns 2 value(s), but the list of results that have derivatives has 1"),
        (None, Some(two), "vjp returns 2 value(s), but the list of arguments that have derivatives has 1"),
        (Some(short), None, "jvp takes 2 value(s), got 5"),
    ] {
        let op = Op::CustomFn { forward: forward.clone(), jvp, vjp };
        let message = op.infer(&args).expect_err("invalid").to_string();
        assert!(message.contains(wanted), "{message}");
    }
}
