//! Compares branches and loops with the evaluator.

mod harness;

use harness::{SplitMix64, Tolerance, check, compare, literal, ordinary, run};
use rlx_compile::{CompileOptions, Precision};
use rlx_ir::eval::Scalar;
use rlx_ir::{BinaryOp, Builder, DType, Graph, Literal, Op, ScanOperands, Shape, SubGraph, Tensor};

const NARROW: Tolerance = Tolerance::Close { absolute: 1e-5, relative: 1e-5 };

/// A graph over inputs of these values.
fn graph_of(values: &[Literal], build: impl FnOnce(&Builder, &[Tensor]) -> Vec<Tensor>) -> Graph {
    let b = Builder::new("control");
    let inputs = values.iter().enumerate().map(|(i, v)| b.input(format!("x{i}"), v.shape().clone()));
    let inputs: Vec<Tensor> = inputs.collect();
    let outputs = build(&b, &inputs);
    b.finish(&outputs.iter().collect::<Vec<_>>()).unwrap()
}

fn check_on(
    values: &[Literal],
    tolerance: Tolerance,
    build: impl FnOnce(&Builder, &[Tensor]) -> Vec<Tensor>,
) {
    let graph = graph_of(values, build);
    let names: Vec<String> = (0..values.len()).map(|i| format!("x{i}")).collect();
    let values: Vec<(&str, &Literal)> = names.iter().map(String::as_str).zip(values).collect();
    check(&graph, &values, tolerance);
}

fn ints(values: &[i32]) -> Literal {
    literal(&[values.len()], DType::I32, |i| Scalar::Int(values[i].into()))
}

fn int(value: i32) -> Literal {
    literal(&[], DType::I32, |_| Scalar::Int(value.into()))
}

#[test]
fn a_branch_is_taken_by_a_boolean() {
    let mut random = SplitMix64::new(1);
    for pred in [0, 1] {
        for n in [0, 1, 7, 5000] {
            let pred = literal(&[], DType::Bool, |_| Scalar::Int(pred));
            let values =
                [pred, ordinary(&[n], DType::F32, &mut random), ordinary(&[n], DType::F32, &mut random)];
            check_on(&values, Tolerance::Exact, |b, t| {
                b.cond(
                    &t[0],
                    &t[1..],
                    &|_, x| vec![&(&x[0] * &x[1]) + &x[1], x[0].clone(), x[0].clone()],
                    &|b, x| {
                        vec![
                            -&x[0],
                            b.constant(literal(&[n], DType::F32, |i| Scalar::Float(i as f64))),
                            x[1].clone(),
                        ]
                    },
                )
            });
        }
    }
}

#[test]
fn an_index_outside_the_branches_takes_the_last() {
    let mut random = SplitMix64::new(2);
    for index in [i32::MIN, -1, 0, 1, 2, 3, i32::MAX] {
        let values = [int(index), ordinary(&[3, 5], DType::I64, &mut random)];
        check_on(&values, Tolerance::Exact, |b, t| {
            b.case(
                &t[0],
                &t[1..],
                &[&|_, x| vec![x[0].clone()], &|_, x| vec![&x[0] + &x[0]], &|_, x| vec![&x[0] * &x[0]]],
            )
        });
    }
}

#[test]
fn a_loop_runs_while_its_condition_holds() {
    let mut random = SplitMix64::new(3);
    // No steps, one, an even number, an odd number.
    for steps in [-1, 0, 1, 2, 3, 10] {
        let x = ordinary(&[6, 6], DType::F32, &mut random);
        let values = [int(steps), x.clone(), ordinary(&[6, 6], DType::F32, &mut random)];
        check_on(&values, NARROW, |b, t| {
            // A counter in place, a matrix that alternates, and one that does not change.
            b.while_loop(t, &|b, c| vec![c[0].greater(&b.int(0, DType::I32))], &|b, c| {
                vec![&c[0] - &b.int(1, DType::I32), c[1].matmul(&c[2]).tanh(), c[2].clone()]
            })
        });
    }
}

#[test]
fn carried_values_that_change_places() {
    for steps in 0..6 {
        let values = [int(steps), ints(&[1, 2, 3]), ints(&[10, 20, 30]), ints(&[7, 8, 9])];
        check_on(&values, Tolerance::Exact, |b, t| {
            let positive = |b: &Builder, c: &[Tensor]| vec![c[0].greater(&b.int(0, DType::I32))];
            let swap = b.while_loop(t, &positive, &|b, c| {
                vec![&c[0] - &b.int(1, DType::I32), c[2].clone(), c[3].clone(), c[1].clone()]
            });
            let fibonacci = b.while_loop(&t[..3], &positive, &|b, c| {
                vec![&c[0] - &b.int(1, DType::I32), c[2].clone(), &c[1] + &c[2]]
            });
            // The sum overwrites one operand and is needed by the other result too.
            let both = b.while_loop(&t[..3], &positive, &|b, c| {
                let sum = &c[1] + &c[2];
                vec![&c[0] - &b.int(1, DType::I32), sum.clone(), &sum * &c[1]]
            });
            [swap, fibonacci, both].concat()
        });
    }
}

#[test]
fn a_loop_that_gives_back_what_it_was_given() {
    let values = [int(3), ints(&[4, 5])];
    check_on(&values, Tolerance::Exact, |b, t| {
        let mut out = b.while_loop(t, &|b, c| vec![c[0].less(&b.int(0, DType::I32))], &|_, c| c.to_vec());
        out.extend(b.scan(ScanOperands { carry: t, ..Default::default() }, 4, false, &|_, c| c.to_vec()));
        out
    });
}

#[test]
fn one_element_of_a_large_carried_value_is_written_in_place() {
    let mut random = SplitMix64::new(4);
    let values = [ordinary(&[40, 9], DType::F32, &mut random), ordinary(&[17, 9], DType::F32, &mut random)];
    check_on(&values, Tolerance::Exact, |b, t| {
        let start = b.int(0, DType::I32);
        let operands = ScanOperands { carry: &[start, t[0].clone()], xs: &t[1..], ..Default::default() };
        b.scan(operands, 17, false, &|b, c| {
            let zero = b.int(0, DType::I32);
            let row = c[2].unsqueeze(0);
            let next = c[1].apply(Op::DynamicUpdateSlice {}, &[&row, &c[0], &zero]);
            vec![&c[0] + &b.int(3, DType::I32), next, c[0].clone()]
        })
    });
}

#[test]
fn a_scan_slices_and_stacks() {
    let mut random = SplitMix64::new(5);
    for length in [0, 1, 2, 5, 64] {
        for reverse in [false, true] {
            for batch in [1, 3] {
                // Small enough that the steps do not magnify rounding errors.
                let weights = literal(&[4, 4], DType::F32, |_| Scalar::Float(random.unit() * 0.4 - 0.2));
                let values = [
                    weights,
                    ordinary(&[batch, 4], DType::F32, &mut random),
                    ordinary(&[length, batch, 4], DType::F32, &mut random),
                    ordinary(&[length], DType::I8, &mut random),
                ];
                check_on(&values, NARROW, |b, t| {
                    let operands = ScanOperands { consts: &t[..1], carry: &t[1..2], xs: &t[2..] };
                    b.scan(operands, length, reverse, &|_, t| {
                        let h = (&t[1].matmul(&t[0]) + &t[2]).tanh();
                        // The same value carried and stacked, an operand stacked, a scalar stacked.
                        vec![h.clone(), h, t[1].clone(), t[3].clone(), t[2].clone()]
                    })
                });
            }
        }
    }
}

#[test]
fn loops_in_loops_and_branches() {
    let mut random = SplitMix64::new(6);
    let values = [int(5), ordinary(&[8, 33], DType::F64, &mut random)];
    check_on(&values, NARROW, |b, t| {
        b.while_loop(t, &|b, c| vec![c[0].greater(&b.int(0, DType::I32))], &|b, c| {
            let init = b.constant(literal(&[33], DType::F64, |i| Scalar::Float(i as f64 / 33.0)));
            let operands = ScanOperands { carry: &[init], xs: &c[1..], ..Default::default() };
            let inner = b.scan(operands, 8, true, &|_, t| {
                let next = (&t[0] + &t[1]).sin();
                vec![next.clone(), &next * &t[1]]
            });
            let odd = c[0].apply(Op::Binary { op: BinaryOp::And }, &[&b.int(1, DType::I32)]);
            let x = b.cond(
                &odd.equal(&b.int(1, DType::I32)),
                &[inner[1].clone()],
                &|_, x| vec![x[0].cos()],
                &|b, x| {
                    let steps = b.int(3, DType::I32);
                    let looped = b.while_loop(
                        &[steps, x[0].clone()],
                        &|b, c| vec![c[0].greater(&b.int(0, DType::I32))],
                        &|b, c| vec![&c[0] - &b.int(1, DType::I32), &c[1] * 0.5],
                    );
                    vec![looped[1].clone()]
                },
            );
            vec![&c[0] - &b.int(1, DType::I32), x[0].clone()]
        })
    });
}

#[test]
fn a_body_is_compiled_like_the_graph_around_it() {
    let x = ordinary(&[16, 32], DType::F32, &mut SplitMix64::new(7));
    // A composite that is decomposed, constants that fold, an elementwise chain that fuses.
    check_on(&[x], NARROW, |b, t| {
        b.scan(ScanOperands { carry: t, ..Default::default() }, 3, false, &|b, t| {
            let two = &b.scalar(1.0, DType::F32) + &b.scalar(1.0, DType::F32);
            vec![&(&t[0].softmax(1) * &two) + &t[0].gelu()]
        })
    });
    let graph = graph_of(&[ordinary(&[16], DType::F32, &mut SplitMix64::new(8))], |b, t| {
        b.scan(ScanOperands { carry: t, ..Default::default() }, 3, false, &|_, t| {
            vec![(&(&t[0] * &t[0]) + &t[0]).tanh()]
        })
    });
    let lowered = rlx_exec::lower(&graph, &[], &rlx_cpu::CpuBackend, &CompileOptions::new());
    let text = lowered.unwrap().graph().to_string();
    assert!(text.contains("fusion"), "{text}");
}

#[test]
fn a_body_takes_the_precision_of_the_program() {
    let x = ordinary(&[16, 32], DType::F32, &mut SplitMix64::new(9));
    let graph = graph_of(std::slice::from_ref(&x), |b, t| {
        b.scan(ScanOperands { carry: t, ..Default::default() }, 2, false, &|_, t| vec![t[0].tanh()])
    });
    let exact = run(&graph, &[("x0", &x)], &CompileOptions::new());
    let coarse = run(&graph, &[("x0", &x)], &CompileOptions::new().precision(Precision::BF16.into()));
    assert!(exact != coarse);
    compare(&coarse[0], &exact[0], Tolerance::Close { absolute: 0.02, relative: 0.02 }).unwrap();
}

#[test]
fn recurrent_layers() {
    let mut random = SplitMix64::new(10);
    for (seq, batch, input, hidden) in [(1, 1, 1, 1), (7, 1, 12, 16), (5, 3, 4, 9), (0, 2, 3, 4)] {
        for reverse in [false, true] {
            let mut value = |dims: &[usize]| ordinary(dims, DType::F32, &mut random);
            let (x, h, c) = (value(&[seq, batch, input]), value(&[batch, hidden]), value(&[batch, hidden]));
            let weights = [
                value(&[4 * hidden, input]),
                value(&[4 * hidden, hidden]),
                value(&[4 * hidden]),
                value(&[4 * hidden]),
            ];
            let [w_ih, w_hh, b_ih, b_hh] = weights;
            check_on(
                &[x, h, c, w_ih, w_hh, b_ih, b_hh],
                Tolerance::Close { absolute: 1e-4, relative: 1e-4 },
                |_, t| t[0].apply_many(Op::Lstm { reverse }, &t[1..].iter().collect::<Vec<_>>()),
            );
        }
    }
}

#[test]
fn weights_that_stay_may_be_packed_and_change_between_runs() {
    let mut random = SplitMix64::new(12);
    let b = Builder::new("weights");
    let (x, w) =
        (b.input("x", Shape::new(&[5, 3, 40], DType::F32)), b.param("w", Shape::new(&[40, 40], DType::F32)));
    let bias = b.constant(ordinary(&[40, 40], DType::F32, &mut random));
    let h = b.constant(ordinary(&[3, 40], DType::F32, &mut random));
    let operands =
        ScanOperands { consts: &[w.clone(), bias.clone()], carry: std::slice::from_ref(&h), xs: &[x] };
    let scanned = b.scan(operands, 5, false, &|_, t| {
        let h = (&(&t[2].matmul(&t[0]) + &t[2].matmul(&t[1].transpose_last())) + &t[3]).tanh();
        vec![&h * 0.1, h]
    });
    // A loop passes its weights on unchanged; a loop inside it does not know that they do not change.
    let looped = b.while_loop(
        &[b.int(3, DType::I32), h, w],
        &|b, c| vec![c[0].greater(&b.int(0, DType::I32))],
        &|b, c| {
            let operands = ScanOperands { consts: &c[2..], carry: &c[1..2], ..Default::default() };
            let inner = b.scan(operands, 2, false, &|_, t| vec![&t[1].matmul(&t[0]).tanh() * 0.1]);
            vec![&c[0] - &b.int(1, DType::I32), &inner[0].matmul(&c[2]) * 0.1, c[2].clone()]
        },
    );
    let graph = b.finish(&[&scanned[0], &scanned[1], &looped[1]]).unwrap();
    let x = ordinary(&[5, 3, 40], DType::F32, &mut random);
    let weights = [0, 1].map(|_| ordinary(&[40, 40], DType::F32, &mut random));
    for w in &weights {
        check(&graph, &[("x", &x), ("w", w)], Tolerance::Close { absolute: 1e-4, relative: 1e-4 });
    }
    let compiled =
        rlx_exec::compile(&graph, &rlx_ir::Bindings::new(), &rlx_cpu::CpuBackend, &CompileOptions::new());
    let mut executable = compiled.unwrap().executable;
    for w in &weights {
        executable.set_param(0, rlx_compile::Param::new(std::sync::Arc::new(w.clone())));
        executable.run_on_host(&[x.bytes()]).unwrap();
        let expected = run(&graph, &[("x", &x), ("w", w)], &CompileOptions::new());
        (0..3).for_each(|i| assert!(executable.output(i).unwrap() == expected[i].bytes()));
    }
}

#[test]
fn a_failure_inside_names_its_node() {
    struct Fails;
    impl rlx_ir::CustomOp for Fails {
        fn infer(&self, _: &str, operands: &[Shape]) -> Result<Vec<Shape>, rlx_ir::OpError> {
            Ok(operands.to_vec())
        }
        fn eval(&self, _: &str, _: &[Literal]) -> Result<Vec<Literal>, rlx_ir::OpError> {
            Err(rlx_ir::OpError::Eval("not today".into()))
        }
    }
    rlx_ir::register_custom("fails_in_a_loop", std::sync::Arc::new(Fails)).unwrap();
    let x = ordinary(&[3], DType::F32, &mut SplitMix64::new(11));
    let graph = graph_of(std::slice::from_ref(&x), |b, t| {
        b.scan(ScanOperands { carry: t, ..Default::default() }, 2, false, &|_, t| {
            let op = Op::Custom {
                name: "fails_in_a_loop".into(),
                config: String::new(),
                results: vec![Shape::new(&[3], DType::F32)],
            };
            vec![t[0].apply(op, &[])]
        })
    });
    let options = CompileOptions::new();
    let compiled = rlx_exec::compile(&graph, &rlx_ir::Bindings::new(), &rlx_cpu::CpuBackend, &options);
    let error = compiled.unwrap().executable.run_on_host(&[x.bytes()]).unwrap_err().to_string();
    for part in ["scan", "custom", "not today"] {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn a_loop_on_constants_is_not_run_by_the_compiler() {
    let zero = Literal::scalar(0i32);
    let mut inner = Graph::new("cond");
    inner.input("x0", Shape::scalar(DType::I32));
    let always = inner.constant(literal(&[], DType::Bool, |_| Scalar::Int(1)));
    inner.set_outputs(vec![always]);
    let mut body = Graph::new("body");
    let x = body.input("x0", Shape::scalar(DType::I32));
    let one = body.constant(Literal::scalar(1i32));
    let next = body.try_add(Op::Binary { op: BinaryOp::Add }, vec![x, one]).unwrap();
    body.set_outputs(vec![next]);
    let mut graph = Graph::new("endless");
    let init = graph.constant(zero);
    let op = Op::While { cond: SubGraph::new(inner), body: SubGraph::new(body) };
    let endless = graph.try_add(op, vec![init]).unwrap();
    graph.set_outputs(vec![endless]);
    let options = CompileOptions::new();
    assert!(rlx_exec::compile(&graph, &rlx_ir::Bindings::new(), &rlx_cpu::CpuBackend, &options).is_ok());
}
