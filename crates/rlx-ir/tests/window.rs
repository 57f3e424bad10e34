//! Window reductions, select-and-scatter and running reductions. Expected values are from `jax.lax` on a CPU.

mod cases;

use cases::{Case, check, refused};
use rlx_ir::{DType, Dim, Graph, Literal, Op, ReduceOp, Shape, WindowSpec, eval};

#[test]
fn windows_see_what_they_see_in_jax() {
    check(CASES);
}

fn window(strides: &str, base: &str, low: &str, sizes: &str) -> String {
    format!(
        "%x = input {{name = \"x\"}} : f32[4]\n%y = reduce_window %x {{kind = sum, window = {sizes}, strides = {strides}, \
         base_dilation = {base}, window_dilation = [1], low = {low}, high = [0]}} : f32[4]\nreturn %y"
    )
}

fn select(result: &str, source: &str) -> String {
    let two = "%a = input {name = \"a\"} : f32[] %b = input {name = \"b\"} : f32[]";
    let less = "%c = compare %a, %b {op = lt, total_order = false} : bool[]";
    format!(
        "%x = input {{name = \"x\"}} : f32[4]\n%s = input {{name = \"s\"}} : {source}\n%i = input {{name = \"i\"}} : \
         f32[]\n%y = select_and_scatter %x, %s, %i {{select = graph \"s\" {{ {two} {less} return {result} }}, scatter = \
         graph \"a\" {{ {two} return %b }}, window = [2], strides = [2], low = [0], high = [0]}} : f32[4]\nreturn %y"
    )
}

#[test]
fn wrong_windows_and_graphs_are_named() {
    refused(&[
        (&window("[1, 1]", "[1]", "[0]", "[1]"), "must each have 1 items"),
        (&window("[0]", "[1]", "[0]", "[1]"), "the stride of axis 0 is 0"),
        (&window("[1]", "[0]", "[0]", "[1]"), "the base dilation of axis 0 is 0"),
        (&window("[1]", "[1]", "[0]", "[0]"), "the window along axis 0 is empty"),
        (&window("[1]", "[1]", "[0]", "[1, 1]"), "window must have 1 items"),
        (&window("[1]", "[1]", "[2]", "[1]"), "is declared f32[4], but these operands give f32[6]"),
        (&window("[1]", "[18446744073709551615]", "[0]", "[1]"), "overflows"),
        (&select("%a", "f32[2]"), "result 0 of select must be bool[], is f32[]"),
        (
            &select("%c", "f32[3]"),
            "source and the places of the window must have the same shape, got f32[3] and f32[2]",
        ),
        (
            "%x = input {name = \"x\"} : bool[4]\n%y = cumulative %x {op = sum, axis = 0, exclusive = false, reverse = \
             false} : bool[4]\nreturn %y",
            "element type bool",
        ),
    ]);
}

/// A sum over windows of three of a tensor with a size that is bound when it runs.
fn moving_sum(strides: usize, base_dilation: usize, padding: i64) -> Graph {
    let mut g = Graph::new("moving_sum");
    let x = g.input("x", Shape::from_dims(&["n".into()], DType::F32));
    let spec = WindowSpec {
        strides: vec![strides],
        base_dilation: vec![base_dilation],
        low: vec![padding],
        high: vec![padding],
        ..WindowSpec::plain(&[3])
    };
    let op = Op::ReduceWindow { kind: ReduceOp::Sum, spec };
    let y = g.try_add(op, vec![x]).expect("fits");
    g.set_outputs(vec![y]);
    g
}

#[test]
fn symbolic_sizes_agree_with_static_ones_down_to_none() {
    let same = moving_sum(1, 1, 1);
    assert_eq!(same.output_shapes(), [Shape::from_dims(&[Dim::dynamic("n")], DType::F32)]);
    for (strides, base_dilation, padding) in
        [(1, 1, 1), (1, 1, 0), (2, 1, 0), (2, 3, 0), (3, 2, 1), (2, 1, -1)]
    {
        let graph = moving_sum(strides, base_dilation, padding);
        for n in 0..8 {
            let x = Literal::new(&[n], &vec![1f32; n]).expect("fits");
            let out = eval(&graph, &[("x", &x)]).expect("runs");
            let laid_out = if n == 0 { 0 } else { (n - 1) * base_dilation + 1 };
            let length = laid_out as i64 + 2 * padding;
            let places = (0..length).step_by(strides).filter(|start| start + 3 <= length).count();
            assert_eq!(out[0].dims(), [places], "{n} elements, {strides}, {base_dilation}, {padding}");
        }
    }
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    Case {
        name: "sum, strided and padded",
        body: r#"
  %x = constant {value = f32[5,4] [0.126, -0.132, 0.64, 0.105, -0.536, 0.362, 1.304, 0.947, -0.704, -1.265, -0.623, 0.041, -2.325, -0.219, -1.246, -0.732, -0.544, -0.316, 0.412, 1.043]} : f32[5,4]
  %r = reduce_window %x {kind = sum, window = [2, 3], strides = [2, 1], base_dilation = [1, 1], window_dilation = [1, 1], low = [1, 1], high = [0, 1]} : f32[3,4]
  return %r"#,
        gives: &[
            "f32[3,4] [-0.0059999973, 0.634, 0.61300004, 0.745, -2.1430001, -1.462, 0.7659999, 1.6689999, -3.4040003, -4.238, -1.0580001, -0.523]",
        ],
    },
    Case {
        name: "sum, a window longer than the tensor",
        body: r#"
  %x = constant {value = i32[4] [1, 2, 3, 4]} : i32[4]
  %r = reduce_window %x {kind = sum, window = [6], strides = [1], base_dilation = [1], window_dilation = [1], low = [5], high = [1]} : i32[5]
  return %r"#,
        gives: &[
            "i32[5] [1, 3, 6, 10, 10]",
        ],
    },
    Case {
        name: "maximum with NaN",
        body: r#"
  %x = constant {value = f32[6] [1.0, nan, -3.0, -0.0, 0.0, 2.0]} : f32[6]
  %r = reduce_window %x {kind = max, window = [2], strides = [1], base_dilation = [1], window_dilation = [1], low = [1], high = [1]} : f32[7]
  return %r"#,
        gives: &[
            "f32[7] [1.0, nan, nan, -0.0, 0.0, 2.0, 2.0]",
        ],
    },
    Case {
        name: "minimum of integers, dilated window",
        body: r#"
  %x = constant {value = i32[6] [5, -2, 7, 1, 0, 9]} : i32[6]
  %r = reduce_window %x {kind = min, window = [3], strides = [1], base_dilation = [1], window_dilation = [2], low = [0], high = [0]} : i32[2]
  return %r"#,
        gives: &[
            "i32[2] [0, -2]",
        ],
    },
    Case {
        name: "product, dilated base",
        body: r#"
  %x = constant {value = u8[3] [2, 3, 4]} : u8[3]
  %r = reduce_window %x {kind = prod, window = [3], strides = [1], base_dilation = [2], window_dilation = [1], low = [2], high = [1]} : u8[6]
  return %r"#,
        gives: &[
            "u8[6] [2, 2, 6, 3, 12, 4]",
        ],
    },
    Case {
        name: "and, windows of padding alone",
        body: r#"
  %x = constant {value = i8[2] [6, 3]} : i8[2]
  %r = reduce_window %x {kind = and, window = [1], strides = [1], base_dilation = [1], window_dilation = [1], low = [1], high = [2]} : i8[5]
  return %r"#,
        gives: &[
            "i8[5] [-1, 6, 3, -1, -1]",
        ],
    },
    Case {
        name: "or of booleans, negative padding",
        body: r#"
  %x = constant {value = bool[4] [true, false, false, true]} : bool[4]
  %r = reduce_window %x {kind = or, window = [2], strides = [1], base_dilation = [1], window_dilation = [1], low = [-1], high = [-1]} : bool[1]
  return %r"#,
        gives: &[
            "bool[1] [false]",
        ],
    },
    Case {
        name: "a window that does not fit",
        body: r#"
  %x = constant {value = f64[2,3] [-0.129, 1.366, -0.665, 0.352, 0.903, 0.094]} : f64[2,3]
  %r = reduce_window %x {kind = sum, window = [3, 2], strides = [1, 1], base_dilation = [1, 1], window_dilation = [1, 1], low = [0, 0], high = [0, 0]} : f64[0,2]
  return %r"#,
        gives: &[
            "f64[0,2] []",
        ],
    },
    Case {
        name: "nothing to see",
        body: r#"
  %x = constant {value = f32[0] []} : f32[0]
  %r = reduce_window %x {kind = max, window = [2], strides = [1], base_dilation = [1], window_dilation = [1], low = [1], high = [2]} : f32[2]
  return %r"#,
        gives: &[
            "f32[2] [-inf, -inf]",
        ],
    },
    Case {
        name: "complex sum",
        body: r#"
  %x = constant {value = c64[4] [(-0.743, -1.01), (-0.922, -0.209), (-0.458, -0.159), (0.22, 0.541)]} : c64[4]
  %r = reduce_window %x {kind = sum, window = [2], strides = [2], base_dilation = [1], window_dilation = [1], low = [0], high = [0]} : c64[2]
  return %r"#,
        gives: &[
            "c64[2] [(-1.665, -1.219), (-0.238, 0.38200003)]",
        ],
    },
    Case {
        name: "all at once",
        body: r#"
  %x = constant {value = f64[2,3,2,2] [0.215, 0.355, -0.654, -0.13, 0.784, 1.493, -1.259, 1.514, 1.346, 0.781, 0.264, -0.314, 1.458, 1.96, 1.802, 1.315, 0.357, -1.208, -0.004, 0.656, -1.288, 0.395, 0.43, 0.696]} : f64[2,3,2,2]
  %r = reduce_window %x {kind = max, window = [1, 2, 2, 2], strides = [1, 1, 2, 1], base_dilation = [1, 2, 1, 1], window_dilation = [1, 2, 1, 1], low = [0, 2, 0, -1], high = [0, 1, 1, 2]} : f64[2,6,1,2]
  return %r"#,
        gives: &[
            "f64[2,6,1,2] [0.355, -inf, -inf, -inf, 1.514, -inf, -inf, -inf, 1.514, -inf, -inf, -inf, 1.96, -inf, -inf, -inf, 1.96, -inf, -inf, -inf, 0.696, -inf, -inf, -inf]",
        ],
    },
    Case {
        name: "wrapping sum",
        body: r#"
  %x = constant {value = i8[3] [100, 100, 100]} : i8[3]
  %r = reduce_window %x {kind = sum, window = [3], strides = [1], base_dilation = [1], window_dilation = [1], low = [0], high = [0]} : i8[1]
  return %r"#,
        gives: &[
            "i8[1] [44]",
        ],
    },
    Case {
        name: "a graph: order and padding are visible",
        body: r#"
  %x = constant {value = f32[3] [1.0, 2.0, 3.0]} : f32[3]
  %i = constant {value = f32[] [10.0]} : f32[]
  %r = reduce_window_graph %x, %i {body = graph "halve" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %h = constant {value = f32[] [0.5]} : f32[]
    %m = mul %a, %h : f32[]
    %s = add %m, %b : f32[]
    return %s
  }, window = [3], strides = [1], base_dilation = [1], window_dilation = [1], low = [1], high = [2]} : f32[4]
  return %r"#,
        gives: &[
            "f32[4] [5.0, 5.5, 6.5, 8.0]",
        ],
    },
    Case {
        name: "a graph: gaps are not seen",
        body: r#"
  %x = constant {value = f32[3] [1.0, 2.0, 3.0]} : f32[3]
  %i = constant {value = f32[] [10.0]} : f32[]
  %r = reduce_window_graph %x, %i {body = graph "halve" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %h = constant {value = f32[] [0.5]} : f32[]
    %m = mul %a, %h : f32[]
    %s = add %m, %b : f32[]
    return %s
  }, window = [3], strides = [1], base_dilation = [2], window_dilation = [1], low = [1], high = [2]} : f32[6]
  return %r"#,
        gives: &[
            "f32[6] [6.0, 5.0, 7.0, 6.5, 8.0, 8.0]",
        ],
    },
    Case {
        name: "a graph: two tensors",
        body: r#"
  %v = constant {value = f32[2,4] [1.0, 5.0, 2.0, 5.0, 0.0, -1.0, -1.0, 7.0]} : f32[2,4]
  %ix = constant {value = i32[2,4] [0, 1, 2, 3, 4, 5, 6, 7]} : i32[2,4]
  %v0 = constant {value = f32[] [-inf]} : f32[]
  %i0 = constant {value = i32[] [-1]} : i32[]
  %t = reduce_window_graph %v, %ix, %v0, %i0 {body = graph "argmax" {
    %av = input {name = "av"} : f32[]
    %ai = input {name = "ai"} : i32[]
    %bv = input {name = "bv"} : f32[]
    %bi = input {name = "bi"} : i32[]
    %t = compare %bv, %av {op = gt, total_order = false} : bool[]
    %v = select %t, %bv, %av : f32[]
    %i = select %t, %bi, %ai : i32[]
    return %v, %i
  }, window = [1, 3], strides = [1, 1], base_dilation = [1, 1], window_dilation = [1, 1], low = [0, 1], high = [0, 1]} : (f32[2,4], i32[2,4])
  %r0 = output %t {index = 0} : f32[2,4]
  %r1 = output %t {index = 1} : i32[2,4]
  return %r0, %r1"#,
        gives: &[
            "f32[2,4] [5.0, 5.0, 5.0, 5.0, 0.0, 0.0, 7.0, 7.0]",
            "i32[2,4] [1, 1, 1, 3, 4, 4, 7, 7]",
        ],
    },
    Case {
        name: "select and scatter: overlapping windows",
        body: r#"
  %x = constant {value = f32[5] [1.0, 5.0, 2.0, 5.0, 0.0]} : f32[5]
  %s = constant {value = f32[3] [10.0, 20.0, 30.0]} : f32[3]
  %i = constant {value = f32[] [0.0]} : f32[]
  %r = select_and_scatter %x, %s, %i {select = graph "select" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %c = compare %a, %b {op = ge, total_order = false} : bool[]
    return %c
  }, scatter = graph "add" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %c = add %a, %b : f32[]
    return %c
  }, window = [3], strides = [2], low = [1], high = [1]} : f32[5]
  return %r"#,
        gives: &[
            "f32[5] [0.0, 30.0, 0.0, 30.0, 0.0]",
        ],
    },
    Case {
        name: "select and scatter: the later of equals",
        body: r#"
  %x = constant {value = f32[5] [1.0, 5.0, 2.0, 5.0, 0.0]} : f32[5]
  %s = constant {value = f32[3] [10.0, 20.0, 30.0]} : f32[3]
  %i = constant {value = f32[] [0.0]} : f32[]
  %r = select_and_scatter %x, %s, %i {select = graph "select" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %c = compare %a, %b {op = gt, total_order = false} : bool[]
    return %c
  }, scatter = graph "add" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %c = add %a, %b : f32[]
    return %c
  }, window = [3], strides = [2], low = [1], high = [1]} : f32[5]
  return %r"#,
        gives: &[
            "f32[5] [0.0, 10.0, 0.0, 50.0, 0.0]",
        ],
    },
    Case {
        name: "select and scatter: windows of padding alone, an initial value",
        body: r#"
  %x = constant {value = f32[5] [1.0, 5.0, 2.0, 5.0, 0.0]} : f32[5]
  %s = constant {value = f32[4] [10.0, 20.0, 30.0, 40.0]} : f32[4]
  %i = constant {value = f32[] [1.5]} : f32[]
  %r = select_and_scatter %x, %s, %i {select = graph "select" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %c = compare %a, %b {op = ge, total_order = false} : bool[]
    return %c
  }, scatter = graph "add" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %c = add %a, %b : f32[]
    return %c
  }, window = [2], strides = [3], low = [4], high = [3]} : f32[5]
  return %r"#,
        gives: &[
            "f32[5] [21.5, 1.5, 1.5, 31.5, 1.5]",
        ],
    },
    Case {
        name: "select and scatter: planes",
        body: r#"
  %x = constant {value = f32[1,4,4,1] [-1.184, -0.662, -0.436, -1.17, 1.739, -0.496, 0.329, -0.259, 1.583, 1.32, 0.633, -2.204, 0.052, 0.684, 1.004, -0.618]} : f32[1,4,4,1]
  %s = constant {value = f32[1,2,2,1] [1.822, -1.32, -0.662, 0.935]} : f32[1,2,2,1]
  %i = constant {value = f32[] [0.0]} : f32[]
  %r = select_and_scatter %x, %s, %i {select = graph "select" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %c = compare %a, %b {op = ge, total_order = false} : bool[]
    return %c
  }, scatter = graph "add" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %c = add %a, %b : f32[]
    return %c
  }, window = [1, 2, 2, 1], strides = [1, 2, 2, 1], low = [0, 0, 0, 0], high = [0, 0, 0, 0]} : f32[1,4,4,1]
  return %r"#,
        gives: &[
            "f32[1,4,4,1] [0.0, 0.0, 0.0, 0.0, 1.822, 0.0, -1.32, 0.0, -0.662, 0.0, 0.0, 0.0, 0.0, 0.0, 0.935, 0.0]",
        ],
    },
    Case {
        name: "select and scatter: the smallest",
        body: r#"
  %x = constant {value = f32[2,5] [0.049, 2.002, 0.189, -0.633, -0.378, -1.091, -1.278, 0.63, 0.581, 1.295]} : f32[2,5]
  %s = constant {value = f32[2,3] [-0.755, 1.689, -0.287, 1.574, -0.433, -0.735]} : f32[2,3]
  %i = constant {value = f32[] [0.0]} : f32[]
  %r = select_and_scatter %x, %s, %i {select = graph "select" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %c = compare %a, %b {op = le, total_order = false} : bool[]
    return %c
  }, scatter = graph "add" {
    %a = input {name = "a"} : f32[]
    %b = input {name = "b"} : f32[]
    %c = add %a, %b : f32[]
    return %c
  }, window = [1, 3], strides = [1, 1], low = [0, 0], high = [0, 0]} : f32[2,5]
  return %r"#,
        gives: &[
            "f32[2,5] [-0.755, 0.0, 0.0, 1.402, 0.0, 0.0, 1.141, 0.0, -0.735, 0.0]",
        ],
    },
    Case {
        name: "cumulative sum: rows",
        body: r#"
  %x = constant {value = f32[2,3] [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]} : f32[2,3]
  %r = cumulative %x {op = sum, axis = 1, exclusive = false, reverse = false} : f32[2,3]
  return %r"#,
        gives: &[
            "f32[2,3] [0.5, 2.0, 4.5, 3.5, 8.0, 13.5]",
        ],
    },
    Case {
        name: "cumulative sum: columns, reverse",
        body: r#"
  %x = constant {value = i64[2,3] [0, 1, 2, 3, 4, 5]} : i64[2,3]
  %r = cumulative %x {op = sum, axis = 0, exclusive = false, reverse = true} : i64[2,3]
  return %r"#,
        gives: &[
            "i64[2,3] [3, 5, 7, 3, 4, 5]",
        ],
    },
    Case {
        name: "cumulative sum: exclusive",
        body: r#"
  %x = constant {value = i8[4] [100, 100, 100, 3]} : i8[4]
  %r = cumulative %x {op = sum, axis = 0, exclusive = true, reverse = false} : i8[4]
  return %r"#,
        gives: &[
            "i8[4] [0, 100, -56, 44]",
        ],
    },
    Case {
        name: "cumulative prod: exclusive and reverse",
        body: r#"
  %x = constant {value = f64[4] [2.0, 3.0, 0.5, 4.0]} : f64[4]
  %r = cumulative %x {op = prod, axis = 0, exclusive = true, reverse = true} : f64[4]
  return %r"#,
        gives: &[
            "f64[4] [6.0, 2.0, 4.0, 1.0]",
        ],
    },
    Case {
        name: "cumulative max: NaN stays",
        body: r#"
  %x = constant {value = f32[4] [-0.0, 0.0, nan, 3.0]} : f32[4]
  %r = cumulative %x {op = max, axis = 0, exclusive = false, reverse = false} : f32[4]
  return %r"#,
        gives: &[
            "f32[4] [-0.0, 0.0, nan, nan]",
        ],
    },
    Case {
        name: "cumulative min: exclusive of integers",
        body: r#"
  %x = constant {value = i16[1,3] [3, -1, 7]} : i16[1,3]
  %r = cumulative %x {op = min, axis = 1, exclusive = true, reverse = false} : i16[1,3]
  return %r"#,
        gives: &[
            "i16[1,3] [32767, 3, -1]",
        ],
    },
    Case {
        name: "cumulative logsumexp: infinities",
        body: r#"
  %x = constant {value = f64[6] [-inf, 1.0, 2.0, inf, 3.0, -inf]} : f64[6]
  %r = cumulative %x {op = logsumexp, axis = 0, exclusive = false, reverse = false} : f64[6]
  return %r"#,
        gives: &[
            "f64[6] [-inf, 1.0, 2.3132616875182226, inf, inf, inf]",
        ],
    },
    Case {
        name: "cumulative logsumexp: large values, reverse, exclusive",
        body: r#"
  %x = constant {value = f64[4] [1000.0, 1000.0, -5.0, 900.0]} : f64[4]
  %r = cumulative %x {op = logsumexp, axis = 0, exclusive = true, reverse = true} : f64[4]
  return %r"#,
        gives: &[
            "f64[4] [1000.0, 900.0, 900.0, -inf]",
        ],
    },
    Case {
        name: "cumulative prod: complex",
        body: r#"
  %x = constant {value = c128[3] [(1.0, 1.0), (2.0, -1.0), (0.0, 1.0)]} : c128[3]
  %r = cumulative %x {op = prod, axis = 0, exclusive = false, reverse = false} : c128[3]
  return %r"#,
        gives: &[
            "c128[3] [(1.0, 1.0), (3.0, 1.0), (-1.0, 3.0)]",
        ],
    },
    Case {
        name: "cumulative sum: each result of f16 rounds once (NumPy in f64)",
        body: r#"
  %x = constant {value = f16[4] [1.0, 2048.0, 1.0, 1.0]} : f16[4]
  %r = cumulative %x {op = sum, axis = 0, exclusive = false, reverse = false} : f16[4]
  return %r"#,
        gives: &[
            "f16[4] [1.0, 2048.0, 2050.0, 2052.0]",
        ],
    },
    Case {
        name: "cumulative sum: nothing",
        body: r#"
  %x = constant {value = u32[0,2] []} : u32[0,2]
  %r = cumulative %x {op = sum, axis = 0, exclusive = false, reverse = false} : u32[0,2]
  return %r"#,
        gives: &[
            "u32[0,2] []",
        ],
    },
];
