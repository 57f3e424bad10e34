//! Reductions with named combiners and with sub-graphs. Expected values are from `jax.lax` on a CPU, or from Python's arithmetic
//! where the order of elements shows.

mod cases;

use cases::{Case, check, numbers, refused};
use rlx_ir::{
    Activation, Builder, Combiner, DType, Graph, Literal, Named, Op, ReduceOp, ScatterDims, Shape, eval,
};

#[test]
fn elements_combine_as_in_jax() {
    check(CASES);
}

#[test]
fn an_op_names_the_reductions_that_it_takes() {
    let one = |line: &str| format!("%x = input {{name = \"x\"}} : f32[1,1,4]\n%y = {line}\nreturn %y");
    let window = "window = [1, 1, 2], strides = [1, 1, 1], base_dilation = [1, 1, 1], window_dilation = [1, 1, 1], \
                  low = [0, 0, 0], high = [0, 0, 0]";
    let pool = "kernel_size = [2], stride = [1], padding = [0]";
    refused(&[
        (
            &one("reduce %x {kind = mean, axes = [2]} : f32[1,1]"),
            "one of sum, prod, max, min, and, or, got mean",
        ),
        (&one(&format!("reduce_window %x {{kind = logsumexp, {window}}} : f32[1,1,3]")), "got logsumexp"),
        (
            &one("cumulative %x {op = mean, axis = 2, exclusive = false, reverse = false} : f32[1,1,4]"),
            "one of sum, prod, max, min, logsumexp, got mean",
        ),
        (
            &one(&format!("pool %x {{kind = and, {pool}}} : f32[1,1,3]")),
            "one of sum, mean, max, min, prod, got and",
        ),
        (&one("all_reduce %x {op = mean, axis_name = \"i\"} : f32[1,1,4]"), "got mean"),
    ]);
    let mut graph = Graph::new("scatter");
    let x = graph.input("x", Shape::new(&[4], DType::I32));
    let at = graph.input("at", Shape::new(&[2, 1], DType::I32));
    let updates = graph.input("updates", Shape::new(&[2], DType::I32));
    let dims = ScatterDims {
        update_window_dims: Vec::new(),
        inserted_window_dims: vec![0],
        input_batching_dims: Vec::new(),
        scatter_indices_batching_dims: Vec::new(),
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
    };
    let combiner = Combiner::Reduce(ReduceOp::And);
    let y =
        graph.add_node(Op::Scatter { dims, combiner }, vec![x, at, updates], Shape::new(&[4], DType::I32));
    graph.set_outputs(vec![y]);
    let violations = rlx_ir::verify(&graph).unwrap_err().to_string();
    assert!(violations.contains("one of sum, prod, min, max, got and"), "{violations}");
}

#[test]
fn every_reduction_of_a_tensor_and_every_activation_has_a_definition() {
    let b = Builder::new("all");
    let x = b.constant(Literal::new(&[2], &[0.25f32, 0.5]).unwrap());
    let bits = b.constant(Literal::new(&[2], &[6i32, 3]).unwrap());
    let operand = |kind: ReduceOp| if kind.accepts().contains(DType::F32) { &x } else { &bits };
    let reduced = ReduceOp::VARIANTS.iter().map(|&kind| operand(kind).reduce(kind, &[0], false));
    let activated = Activation::VARIANTS.iter().map(|&kind| x.activation(kind));
    let results: Vec<_> = reduced.chain(activated).collect();
    let graph = b.finish(&results.iter().collect::<Vec<_>>()).expect("valid");
    let got = eval(&graph, &[]).expect("it runs");
    assert_eq!(got.len(), ReduceOp::VARIANTS.len() + Activation::VARIANTS.len());
    for (kind, got) in ReduceOp::VARIANTS.iter().zip(&got) {
        let wanted = match kind {
            ReduceOp::Sum => 0.75,
            ReduceOp::Prod => 0.125,
            ReduceOp::Max => 0.5,
            ReduceOp::Min => 0.25,
            ReduceOp::And => 2.0,
            ReduceOp::Or => 7.0,
            ReduceOp::Mean => 0.375,
            ReduceOp::LogSumExp => (0.25f64.exp() + 0.5f64.exp()).ln(),
        };
        let got = numbers(got)[0];
        assert!((got - wanted).abs() < 1e-6, "{kind}: {got}, not {wanted}");
    }
}

#[test]
fn signatures_that_do_not_fit_are_named() {
    let reduce = |operands: &str, init: &str, body: &str| {
        format!(
            "%x = input {{name = \"x\"}} : f32[4]\n%i = input {{name = \"i\"}} : {init}\n%y = reduce_graph {operands} \
             {{body = graph \"b\" {{ {body} }}, axes = [0]}} : f32[]\nreturn %y"
        )
    };
    let first = "%a = input {name = \"a\"} : f32[] %b = input {name = \"b\"} : f32[] return %a";
    let vector = "%a = input {name = \"a\"} : f32[] %b = input {name = \"b\"} : f32[4] return %a";
    let both = "%a = input {name = \"a\"} : f32[] %b = input {name = \"b\"} : f32[] return %a, %b";
    let wider = "%a = input {name = \"a\"} : f32[] %b = input {name = \"b\"} : f32[] %c = convert %a {dtype = f64} : \
                 f64[] return %c";
    refused(&[
        (&reduce("%x", "f32[]", first), "takes n tensors and n initial values"),
        (
            &reduce("%x, %i", "f64[]", first),
            "an initial value and an element of its tensor must have the same shape",
        ),
        (
            &reduce("%x, %i", "f32[4]", first),
            "an initial value and an element of its tensor must have the same shape",
        ),
        (&reduce("%x, %i", "f32[]", vector), "value 1 of body is declared f32[4], got f32[]"),
        (&reduce("%x, %i", "f32[]", both), "body must return 1 value(s), returns 2"),
        (&reduce("%x, %i", "f32[]", wider), "result 0 of body must be f32[], is f64[]"),
    ]);
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case {
        name: "argmax of rows by two tensors",
        body: r#"
  %v = constant {value = f32[2,4] [1.0, 5.0, 2.0, 5.0, 0.0, -1.0, -1.0, 7.0]} : f32[2,4]
  %ix = constant {value = i32[2,4] [0, 1, 2, 3, 4, 5, 6, 7]} : i32[2,4]
  %v0 = constant {value = f32[] [-inf]} : f32[]
  %i0 = constant {value = i32[] [-1]} : i32[]
  %t = reduce_graph %v, %ix, %v0, %i0 {body = graph "argmax" {
    %av = input {name = "av"} : f32[]
    %ai = input {name = "ai"} : i32[]
    %bv = input {name = "bv"} : f32[]
    %bi = input {name = "bi"} : i32[]
    %t = compare %bv, %av {op = gt, total_order = false} : bool[]
    %v = select %t, %bv, %av : f32[]
    %i = select %t, %bi, %ai : i32[]
    return %v, %i
  }, axes = [1]} : (f32[2], i32[2])
  %r0 = output %t {index = 0} : f32[2]
  %r1 = output %t {index = 1} : i32[2]
  return %r0, %r1"#,
        gives: &[
            "f32[2] [5.0, 7.0]",
            "i32[2] [1, 7]",
        ],
    },
    Case {
        name: "argmax of all",
        body: r#"
  %v = constant {value = f32[2,4] [1.0, 5.0, 2.0, 5.0, 0.0, -1.0, -1.0, 7.0]} : f32[2,4]
  %ix = constant {value = i32[2,4] [0, 1, 2, 3, 4, 5, 6, 7]} : i32[2,4]
  %v0 = constant {value = f32[] [-inf]} : f32[]
  %i0 = constant {value = i32[] [-1]} : i32[]
  %t = reduce_graph %v, %ix, %v0, %i0 {body = graph "argmax" {
    %av = input {name = "av"} : f32[]
    %ai = input {name = "ai"} : i32[]
    %bv = input {name = "bv"} : f32[]
    %bi = input {name = "bi"} : i32[]
    %t = compare %bv, %av {op = gt, total_order = false} : bool[]
    %v = select %t, %bv, %av : f32[]
    %i = select %t, %bi, %ai : i32[]
    return %v, %i
  }, axes = [0, 1]} : (f32[], i32[])
  %r0 = output %t {index = 0} : f32[]
  %r1 = output %t {index = 1} : i32[]
  return %r0, %r1"#,
        gives: &[
            "f32[] [7.0]",
            "i32[] [7]",
        ],
    },
    Case {
        name: "nothing to combine leaves the initial value",
        body: r#"
  %x = constant {value = i32[2,0] []} : i32[2,0]
  %i = constant {value = i32[] [7]} : i32[]
  %r = reduce_graph %x, %i {body = graph "xor" {
    %a = input {name = "a"} : i32[]
    %b = input {name = "b"} : i32[]
    %c = xor %a, %b : i32[]
    return %c
  }, axes = [1]} : i32[2]
  return %r"#,
        gives: &[
            "i32[2] [7, 7]",
        ],
    },
    Case {
        name: "xor over outer axes",
        body: r#"
  %x = constant {value = i32[2,3,2] [0, 37, 74, 111, 148, 185, 222, 259, 296, 333, 370, 407]} : i32[2,3,2]
  %i = constant {value = i32[] [0]} : i32[]
  %r = reduce_graph %x, %i {body = graph "xor" {
    %a = input {name = "a"} : i32[]
    %b = input {name = "b"} : i32[]
    %c = xor %a, %b : i32[]
    return %c
  }, axes = [0, 2]} : i32[3]
  return %r"#,
        gives: &[
            "i32[3] [504, 64, 200]",
        ],
    },
    Case {
        name: "row-major order, left to right",
        body: r#"
  %x = constant {value = f32[2,2] [1.0, 2.0, 3.0, 4.0]} : f32[2,2]
  %i = constant {value = f32[] [10.0]} : f32[]
  %r = reduce_graph %x, %i {body = graph "halve" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %h = constant {value = f32[] [0.5]} : f32[]
    %m = mul %a, %h : f32[]
    %s = add %m, %b : f32[]
    return %s
  }, axes = [0, 1]} : f32[]
  return %r"#,
        gives: &[
            "f32[] [6.75]",
        ],
    },
    Case {
        name: "no axis combines each element with the initial value",
        body: r#"
  %x = constant {value = f32[2] [1.0, 2.0]} : f32[2]
  %i = constant {value = f32[] [10.0]} : f32[]
  %r = reduce_graph %x, %i {body = graph "halve" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %h = constant {value = f32[] [0.5]} : f32[]
    %m = mul %a, %h : f32[]
    %s = add %m, %b : f32[]
    return %s
  }, axes = []} : f32[2]
  return %r"#,
        gives: &[
            "f32[2] [6.0, 7.0]",
        ],
    },
    Case {
        name: "reduce: sum of columns",
        body: r#"
  %x = constant {value = f32[3,4] [0.25, 1.031, 0.161, -0.586, -1.341, -1.402, 0.503, 0.99, -0.164, -1.074, 0.873, -1.28]} : f32[3,4]
  %r = reduce %x {kind = sum, axes = [0]} : f32[4]
  return %r"#,
        gives: &[
            "f32[4] [-1.255, -1.4449999, 1.5370001, -0.876]",
        ],
    },
    Case {
        name: "reduce: product of integers wraps",
        body: r#"
  %x = constant {value = u8[3] [100, 3, 7]} : u8[3]
  %r = reduce %x {kind = prod, axes = [0]} : u8[]
  return %r"#,
        gives: &[
            "u8[] [52]",
        ],
    },
    Case {
        name: "reduce: maximum with NaN and zeros",
        body: r#"
  %x = constant {value = f64[3,2] [-0.0, 0.0, nan, 1.0, -5.0, -inf]} : f64[3,2]
  %r = reduce %x {kind = max, axes = [1]} : f64[3]
  return %r"#,
        gives: &[
            "f64[3] [0.0, nan, -5.0]",
        ],
    },
    Case {
        name: "reduce: minimum of nothing",
        body: r#"
  %x = constant {value = i16[0,2] []} : i16[0,2]
  %r = reduce %x {kind = min, axes = [0]} : i16[2]
  return %r"#,
        gives: &[
            "i16[2] [32767, 32767]",
        ],
    },
    Case {
        name: "reduce: and of booleans",
        body: r#"
  %x = constant {value = bool[2,2] [true, false, true, true]} : bool[2,2]
  %r = reduce %x {kind = and, axes = [1]} : bool[2]
  return %r"#,
        gives: &[
            "bool[2] [false, true]",
        ],
    },
    Case {
        name: "reduce: or",
        body: r#"
  %x = constant {value = u32[3] [1, 6, 8]} : u32[3]
  %r = reduce %x {kind = or, axes = [0]} : u32[]
  return %r"#,
        gives: &[
            "u32[] [15]",
        ],
    },
    Case {
        name: "reduce: complex product",
        body: r#"
  %x = constant {value = c64[3] [(1.0, 1.0), (2.0, -1.0), (0.0, 3.0)]} : c64[3]
  %r = reduce %x {kind = prod, axes = [0]} : c64[]
  return %r"#,
        gives: &[
            "c64[] [(-3.0, 9.0)]",
        ],
    },
];
