//! Tests the passes of the compiler: text in, text out.

use expect_test::{Expect, expect};
use rlx_compile::memory::{Needs, plan};
use rlx_compile::patterns::recognize_patterns;
use rlx_compile::precision::apply_precision;
use rlx_compile::schedule::{peak_bytes, schedule};
use rlx_compile::simplify::{
    fold_constants, merge_common_subexpressions, name_bodies, simplify, simplify_algebra,
};
use rlx_compile::{
    ClaimsAll, ClaimsNone, CompileOptions, Decision, PrecisionPolicy, format_dispatch_report, legalize,
};
use rlx_ir::rewrite::remove_dead;
use rlx_ir::{DType, Graph, Op, OpKind, Shape, verify};
use std::sync::Arc;

/// Parses and verifies a graph written as lines of nodes and a `return`.
fn graph(body: &str) -> Graph {
    let graph = Graph::parse(&format!("graph \"t\" {{\n{body}\n}}")).expect("the test's graph parses");
    verify(&graph).expect("the test's graph is valid");
    graph
}

/// Runs a pass and compares the nodes of its result.
fn check(pass: impl Fn(&Graph) -> Option<Graph>, body: &str, expected: Expect) {
    let after = pass(&graph(body));
    let text = match &after {
        Some(after) => {
            verify(after).expect("a pass gives a valid graph");
            let text = after.to_string();
            text.lines().skip(1).take_while(|l| *l != "}").map(|l| format!("{}\n", l.trim_start())).collect()
        }
        None => "unchanged\n".to_string(),
    };
    expected.assert_eq(&text);
}

#[test]
fn constants_fold_by_the_evaluator() {
    check(
        fold_constants,
        "%0 = constant {value = i32[3] [1, 2, 3]} : i32[3]
         %1 = constant {value = i32[3] [10, 20, 30]} : i32[3]
         %2 = add %0, %1 : i32[3]
         return %2",
        expect![[r#"
            %0 = constant {value = i32[3] [1, 2, 3]} : i32[3]
            %1 = constant {value = i32[3] [10, 20, 30]} : i32[3]
            %2 = constant {value = i32[3] [11, 22, 33]} : i32[3]
            return %2
        "#]],
    );
}

#[test]
fn a_repeated_scalar_stays_a_broadcast() {
    check(
        fold_constants,
        "%0 = constant {value = f32[] [2.0]} : f32[]
         %1 = broadcast_in_dim %0 {dims = [4096], axes = []} : f32[4096]
         return %1",
        expect![[r#"
            unchanged
        "#]],
    );
}

#[test]
fn small_results_of_many_nodes_are_folded_up_to_a_limit() {
    let mut graph = Graph::new("iotas");
    let shape = Shape::new(&[1024], DType::F64);
    let nodes = 3000;
    let outputs =
        (0..nodes).map(|_| graph.try_add(Op::Iota { shape: shape.clone(), axis: 0 }, vec![]).unwrap());
    let outputs = outputs.collect();
    graph.set_outputs(outputs);
    let folded = fold_constants(&graph).unwrap();
    let constants = folded.nodes().iter().filter(|node| matches!(node.op(), Op::Constant { .. })).count();
    assert_eq!(constants, (16 << 20) / (8 * 1024), "of {nodes} nodes");
}

#[test]
fn graphs_over_elements_get_the_name_they_have() {
    check(
        |g| name_bodies(g).map(|g| remove_dead(&g)),
        "%0 = input {name = \"x\"} : i32[4,5]
         %1 = input {name = \"first\"} : i32[]
         %2 = reduce_graph %0, %1 {body = graph \"b\" {
           %0 = input {name = \"a\"} : i32[]
           %1 = input {name = \"b\"} : i32[]
           %2 = max %1, %0 : i32[]
           return %2
         }, axes = [1]} : i32[4]
         %3 = sort_graph %2 {axis = 0, stable = true, comparator = graph \"c\" {
           %0 = input {name = \"a\"} : i32[]
           %1 = input {name = \"b\"} : i32[]
           %2 = compare %0, %1 {op = gt, total_order = false} : bool[]
           return %2
         }} : i32[4]
         return %3",
        expect![[r#"
            %0 = input {name = "x"} : i32[4,5]
            %1 = input {name = "first"} : i32[]
            %2 = reduce %0 {kind = max, axes = [1]} : i32[4]
            %3 = broadcast_in_dim %1 {dims = [4], axes = []} : i32[4]
            %4 = max %3, %2 : i32[4]
            %5 = sort %4 {axis = 0, order = descending, num_keys = 1, stable = true} : i32[4]
            return %5
        "#]],
    );
}

#[test]
fn windows_of_all_elements_up_to_their_place_are_running_reductions() {
    let window = |size: usize, low: i64, high: i64| {
        format!(
            "%0 = input {{name = \"x\"}} : f32[2,5]
             %1 = reduce_window %0 {{kind = sum, window = [1, {size}], strides = [1, 1], base_dilation = [1, 1], \
             window_dilation = [1, 1], low = [0, {low}], high = [0, {high}]}} : f32[2,5]
             return %1"
        )
    };
    let named = |text: &str| name_bodies(&graph(text)).map(|g| remove_dead(&g).to_string());
    for (size, low, high, exclusive, reverse) in [
        (5, 4, 0, false, false),
        (9, 8, 0, false, false),
        (5, 0, 4, false, true),
        (5, 5, -1, true, false),
        (7, -1, 7, true, true),
    ] {
        let text = named(&window(size, low, high)).expect("it is one");
        let wanted =
            format!("cumulative %0 {{op = sum, axis = 1, exclusive = {exclusive}, reverse = {reverse}}}");
        assert!(text.contains(&wanted), "{text}");
    }
    for (size, low, high) in [(4, 3, 0), (5, 3, 1), (5, 2, 2), (3, 3, -1)] {
        assert_eq!(named(&window(size, low, high)), None, "{size}, {low}, {high}");
    }
}

#[test]
fn identities_that_are_exact_go() {
    check(
        |g| simplify_algebra(g).map(|g| remove_dead(&g)),
        "%0 = input {name = \"x\"} : f32[2,3]
         %1 = constant {value = f32[] [1.0]} : f32[]
         %2 = broadcast_in_dim %1 {dims = [2, 3], axes = []} : f32[2,3]
         %3 = mul %0, %2 : f32[2,3]
         %4 = transpose %3 {perm = [1, 0]} : f32[3,2]
         %5 = transpose %4 {perm = [1, 0]} : f32[2,3]
         %6 = neg %5 : f32[2,3]
         %7 = neg %6 : f32[2,3]
         return %7",
        expect![[r#"
            %0 = input {name = "x"} : f32[2,3]
            %1 = transpose %0 {perm = [0, 1]} : f32[2,3]
            return %1
        "#]],
    );
}

#[test]
fn adding_zero_to_a_float_stays() {
    // −0 + 0 is 0, so the sum is not x.
    check(
        simplify_algebra,
        "%0 = input {name = \"x\"} : f32[]
         %1 = constant {value = f32[] [0.0]} : f32[]
         %2 = add %0, %1 : f32[]
         return %2",
        expect![[r#"
            unchanged
        "#]],
    );
}

#[test]
fn adding_zero_to_an_integer_goes() {
    check(
        |g| simplify_algebra(g).map(|g| remove_dead(&g)),
        "%0 = input {name = \"x\"} : i8[]
         %1 = constant {value = i8[] [0]} : i8[]
         %2 = add %0, %1 : i8[]
         return %2",
        expect![[r#"
            %0 = input {name = "x"} : i8[]
            return %0
        "#]],
    );
}

#[test]
fn equal_expressions_merge_and_signed_zeros_do_not() {
    check(
        |g| merge_common_subexpressions(g).map(|g| remove_dead(&g)),
        "%0 = input {name = \"x\"} : f32[4]
         %1 = exp %0 : f32[4]
         %2 = exp %0 : f32[4]
         %3 = elu %0 {alpha = 0.0} : f32[4]
         %4 = elu %0 {alpha = -0.0} : f32[4]
         %5 = mul %1, %2 : f32[4]
         %6 = mul %3, %4 : f32[4]
         return %5, %6",
        expect![[r#"
            %0 = input {name = "x"} : f32[4]
            %1 = exp %0 : f32[4]
            %2 = elu %0 {alpha = 0.0} : f32[4]
            %3 = elu %0 {alpha = -0.0} : f32[4]
            %4 = mul %1, %1 : f32[4]
            %5 = mul %2, %3 : f32[4]
            return %4, %5
        "#]],
    );
}

#[test]
fn dead_nodes_go_and_the_signature_stays() {
    check(
        |g| Some(remove_dead(g)),
        "%0 = input {name = \"x\"} : f32[4]
         %1 = input {name = \"unused\"} : f32[4]
         %2 = exp %1 : f32[4]
         %3 = neg %0 : f32[4]
         return %3",
        expect![[r#"
            %0 = input {name = "x"} : f32[4]
            %1 = input {name = "unused"} : f32[4]
            %2 = neg %0 : f32[4]
            return %2
        "#]],
    );
}

#[test]
fn simplification_runs_to_the_end() {
    check(
        |g| Some(simplify(g.clone())),
        "%0 = input {name = \"x\"} : f32[2]
         %1 = constant {value = f32[] [3.0]} : f32[]
         %2 = constant {value = f32[] [2.0]} : f32[]
         %3 = sub %1, %2 : f32[]
         %4 = broadcast_in_dim %3 {dims = [2], axes = []} : f32[2]
         %5 = mul %0, %4 : f32[2]
         %6 = reshape %5 {dims = [1, 2]} : f32[1,2]
         %7 = reshape %6 {dims = [2]} : f32[2]
         return %7",
        expect![[r#"
            %0 = input {name = "x"} : f32[2]
            return %0
        "#]],
    );
}

const SOFTMAX: &str = "%0 = input {name = \"x\"} : f32[2,3] @ \"head\"
     %1 = softmax %0 {axis = 1} : f32[2,3] @ \"head\"
     return %1";

#[test]
fn an_unclaimed_composite_becomes_common_ir() {
    let options = CompileOptions::new();
    check(
        |g| legalize(g, "null", &ClaimsNone, &options).ok().map(|r| r.0),
        SOFTMAX,
        expect![[r#"
            %0 = input {name = "x"} : f32[2,3] @ "head"
            %1 = reduce %0 {kind = max, axes = [1]} : f32[2] @ "head"
            %2 = reshape %1 {dims = [2, 1]} : f32[2,1] @ "head"
            %3 = broadcast_in_dim %2 {dims = [2, 3], axes = [0, 1]} : f32[2,3] @ "head"
            %4 = sub %0, %3 : f32[2,3] @ "head"
            %5 = exp %4 : f32[2,3] @ "head"
            %6 = reduce %5 {kind = sum, axes = [1]} : f32[2] @ "head"
            %7 = reshape %6 {dims = [2, 1]} : f32[2,1] @ "head"
            %8 = broadcast_in_dim %7 {dims = [2, 3], axes = [0, 1]} : f32[2,3] @ "head"
            %9 = div %5, %8 : f32[2,3] @ "head"
            return %9
        "#]],
    );
}

#[test]
fn the_report_says_how_each_node_runs() {
    let options = CompileOptions::new();
    let (_, report) = legalize(&graph(SOFTMAX), "null", &ClaimsNone, &options).expect("legal");
    expect![[r#"
        dispatch on null: 9 native, 1 common IR, 0 rewritten, 0 unsupported
          broadcast_in_dim         native       ×2
          div                      native       ×1
          exp                      native       ×1
          reduce                   native       ×2
          reshape                  native       ×2
          softmax                  common IR    ×1
          sub                      native       ×1
    "#]]
    .assert_eq(&format_dispatch_report(&report));
    let (_, report) = legalize(&graph(SOFTMAX), "all", &ClaimsAll, &options).expect("legal");
    expect![[r#"
        dispatch on all: 1 native, 0 common IR, 0 rewritten, 0 unsupported
          softmax                  native       ×1
    "#]]
    .assert_eq(&format_dispatch_report(&report));
    let forced = options.force_common_kinds(vec![OpKind::Softmax]);
    let (legal, _) = legalize(&graph(SOFTMAX), "all", &ClaimsAll, &forced).expect("legal");
    assert!(legal.nodes().iter().all(|n| n.op().kind() != OpKind::Softmax), "{legal}");
}

const LINEAR: &str = "%0 = input {name = \"x\"} : f32[2,4]
     %1 = param {name = \"w\"} : f32[4,3]
     %2 = matmul %0, %1 : f32[2,3]
     %3 = exp %2 : f32[2,3]
     return %3";

#[test]
fn half_precision_keeps_the_signature() {
    check(
        |g| apply_precision(g, PrecisionPolicy::AlwaysF16).ok().flatten(),
        LINEAR,
        expect![[r#"
        %0 = input {name = "x"} : f32[2,4]
        %1 = param {name = "w"} : f32[4,3]
        %2 = convert %0 {dtype = f16} : f16[2,4]
        %3 = convert %1 {dtype = f16} : f16[4,3]
        %4 = matmul %2, %3 : f16[2,3]
        %5 = convert %4 {dtype = f32} : f32[2,3]
        %6 = exp %5 : f32[2,3]
        return %6
    "#]],
    );
}

#[test]
fn mixed_precision_narrows_contractions_alone() {
    let options = CompileOptions::new();
    let legal = |g: &Graph| legalize(g, "null", &ClaimsNone, &options).map(|r| r.0).expect("legal");
    check(
        |g| apply_precision(&legal(g), PrecisionPolicy::AutoMixed).ok().flatten(),
        LINEAR,
        expect![[r#"
        %0 = input {name = "x"} : f32[2,4]
        %1 = param {name = "w"} : f32[4,3]
        %2 = convert %0 {dtype = f16} : f16[2,4]
        %3 = convert %1 {dtype = f16} : f16[4,3]
        %4 = dot_general %2, %3 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = f32} : f32[2,3]
        %5 = exp %4 : f32[2,3]
        return %5
    "#]],
    );
}

#[test]
fn mixed_precision_narrows_contractions_inside_loops() {
    check(
        |g| apply_precision(g, PrecisionPolicy::AutoMixedBF16).ok().flatten(),
        "%0 = input {name = \"c\"} : f32[2,2]
         %1 = input {name = \"w\"} : f32[5,2,2]
         %2 = scan %0, %1 {body = graph \"step\" {
             %0 = input {name = \"c\"} : f32[2,2]
             %1 = input {name = \"w\"} : f32[2,2]
             %2 = dot_general %0, %1 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : f32[2,2]
             return %2
         }, length = 5, num_consts = 0, num_carry = 1, reverse = false} : f32[2,2]
         return %2",
        expect![[r#"
            %0 = input {name = "c"} : f32[2,2]
            %1 = input {name = "w"} : f32[5,2,2]
            %2 = scan %0, %1 {body = graph "step" {
            %0 = input {name = "c"} : f32[2,2]
            %1 = input {name = "w"} : f32[2,2]
            %2 = convert %0 {dtype = bf16} : bf16[2,2]
            %3 = convert %1 {dtype = bf16} : bf16[2,2]
            %4 = dot_general %2, %3 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = f32} : f32[2,2]
            return %4
            }, length = 5, num_consts = 0, num_carry = 1, reverse = false} : f32[2,2]
            return %2
        "#]],
    );
}

/// The graph in primitives, as another system would write it.
fn in_primitives(graph: &Graph) -> Graph {
    simplify(legalize(graph, "null", &ClaimsNone, &CompileOptions::new()).expect("legal").0)
}

fn recognized(graph: &Graph) -> Option<Graph> {
    let (found, entries) = recognize_patterns(&in_primitives(graph), &ClaimsAll, &CompileOptions::new())?;
    assert!(entries.iter().all(|e| e.decision == Decision::Rewritten));
    Some(found)
}

#[test]
fn rows_in_primitives_are_recognized() {
    check(
        recognized,
        "%0 = input {name = \"x\"} : f32[4,3]
         %1 = input {name = \"g\"} : f32[3]
         %2 = input {name = \"b\"} : f32[3]
         %3 = layer_norm %0, %1, %2 {axis = 1, eps = 1e-5} : f32[4,3]
         %4 = softmax %3 {axis = 0} : f32[4,3]
         %5 = log_softmax %4 {axis = 1} : f32[4,3]
         %6 = rms_norm %5, %1 {axis = 1, eps = 1e-6} : f32[4,3]
         return %6",
        expect![[r#"
            %0 = input {name = "x"} : f32[4,3]
            %1 = input {name = "g"} : f32[3]
            %2 = input {name = "b"} : f32[3]
            %3 = layer_norm %0, %1, %2 {axis = 1, eps = 9.999999747378752e-6} : f32[4,3]
            %4 = softmax %3 {axis = 0} : f32[4,3]
            %5 = log_softmax %4 {axis = 1} : f32[4,3]
            %6 = rms_norm %5, %1 {axis = 1, eps = 9.999999974752427e-7} : f32[4,3]
            return %6
        "#]],
    );
}

#[test]
fn attention_in_primitives_is_recognized() {
    let heads = "num_heads = 2, num_kv_heads = 2, scale = 0.5, mask = none, window = none, softcap = none, kv_scheme = none";
    for (attributes, kv) in [(heads, 6), (&heads.replace("kv_heads = 2", "kv_heads = 1"), 3)] {
        let text = format!(
            "%0 = input {{name = \"q\"}} : f32[1,4,6]
             %1 = input {{name = \"k\"}} : f32[1,5,{kv}]
             %2 = input {{name = \"v\"}} : f32[1,5,{kv}]
             %3 = attention %0, %1, %2 {{{attributes}}} : f32[1,4,6]
             return %3"
        );
        let original = graph(&text);
        assert_eq!(recognized(&original).expect("found").to_string(), original.to_string());
    }
}

#[test]
fn attention_by_hand_is_recognized() {
    check(
        recognized,
        "%0 = input {name = \"q\"} : f32[1,2,4,3]
         %1 = input {name = \"k\"} : f32[1,2,5,3]
         %2 = input {name = \"v\"} : f32[1,2,5,3]
         %3 = transpose %1 {perm = [0, 1, 3, 2]} : f32[1,2,3,5]
         %4 = matmul %0, %3 : f32[1,2,4,5]
         %5 = constant {value = f32[] [0.5]} : f32[]
         %6 = broadcast_in_dim %5 {dims = [1, 2, 4, 5], axes = []} : f32[1,2,4,5]
         %7 = mul %6, %4 : f32[1,2,4,5]
         %8 = softmax %7 {axis = 3} : f32[1,2,4,5]
         %9 = matmul %8, %2 : f32[1,2,4,3]
         return %9",
        expect![[r#"
            %0 = input {name = "q"} : f32[1,2,4,3]
            %1 = input {name = "k"} : f32[1,2,5,3]
            %2 = input {name = "v"} : f32[1,2,5,3]
            %3 = attention %0, %1, %2 {num_heads = none, num_kv_heads = none, scale = 0.5, mask = none, window = none, softcap = none, kv_scheme = none} : f32[1,2,4,3]
            return %3
        "#]],
    );
}

#[test]
fn what_is_no_pattern_stays() {
    // The maximum of another axis; weights that are read elsewhere too.
    for text in [
        "%0 = input {name = \"x\"} : f32[3,3]
         %1 = reduce %0 {kind = max, axes = [0]} : f32[3]
         %2 = broadcast_in_dim %1 {dims = [3, 3], axes = [1]} : f32[3,3]
         %3 = sub %0, %2 : f32[3,3]
         %4 = exp %3 : f32[3,3]
         %5 = reduce %4 {kind = sum, axes = [1]} : f32[3]
         %6 = broadcast_in_dim %5 {dims = [3, 3], axes = [0]} : f32[3,3]
         %7 = div %4, %6 : f32[3,3]
         return %7",
        "%0 = input {name = \"x\"} : f32[3,3]
         %1 = reduce %0 {kind = max, axes = [1]} : f32[3]
         %2 = broadcast_in_dim %1 {dims = [3, 3], axes = [0]} : f32[3,3]
         %3 = sub %0, %2 : f32[3,3]
         %4 = exp %3 : f32[3,3]
         %5 = reduce %4 {kind = sum, axes = [1]} : f32[3]
         %6 = broadcast_in_dim %5 {dims = [3, 3], axes = [0]} : f32[3,3]
         %7 = div %4, %6 : f32[3,3]
         return %7, %4",
    ] {
        check(
            recognized,
            text,
            expect![[r#"
            unchanged
        "#]],
        );
    }
}

#[test]
fn contractions_take_transposed_operands_as_they_are() {
    check(
        simplify_algebra,
        "%0 = input {name = \"x\"} : f32[2,4]
         %1 = param {name = \"w\"} : f32[3,4]
         %2 = transpose %1 {perm = [1, 0]} : f32[4,3]
         %3 = dot_general %0, %2 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : f32[2,3]
         return %3",
        expect![[r#"
            %0 = input {name = "x"} : f32[2,4]
            %1 = param {name = "w"} : f32[3,4]
            %2 = transpose %1 {perm = [1, 0]} : f32[4,3]
            %3 = dot_general %0, %1 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1], dtype = none} : f32[2,3]
            return %3
        "#]],
    );
    check(
        simplify_algebra,
        "%0 = input {name = \"x\"} : f32[2,5,4]
         %1 = input {name = \"y\"} : f32[4]
         %2 = transpose %0 {perm = [1, 0, 2]} : f32[5,2,4]
         %3 = dot_general %2, %1 {lhs_batch = [], rhs_batch = [], lhs_contract = [2], rhs_contract = [0], dtype = none} : f32[5,2]
         return %3",
        expect![[r#"
            unchanged
        "#]],
    );
}

/// Two wide branches that meet: running one after the other needs less memory than both at once.
const BRANCHES: &str = "%0 = input {name = \"x\"} : f32[4]
     %1 = broadcast_in_dim %0 {dims = [64, 4], axes = [1]} : f32[64,4]
     %2 = broadcast_in_dim %0 {dims = [64, 4], axes = [1]} : f32[64,4]
     %3 = exp %1 : f32[64,4]
     %4 = log %2 : f32[64,4]
     %5 = reduce %3 {kind = sum, axes = [0]} : f32[4]
     %6 = reduce %4 {kind = sum, axes = [0]} : f32[4]
     %7 = add %5, %6 : f32[4]
     return %7";

#[test]
fn the_schedule_runs_one_branch_after_the_other() {
    check(
        |g| Some(schedule(g.clone(), &[])),
        BRANCHES,
        expect![[r#"
        %0 = input {name = "x"} : f32[4]
        %1 = broadcast_in_dim %0 {dims = [64, 4], axes = [1]} : f32[64,4]
        %2 = exp %1 : f32[64,4]
        %3 = reduce %2 {kind = sum, axes = [0]} : f32[4]
        %4 = broadcast_in_dim %0 {dims = [64, 4], axes = [1]} : f32[64,4]
        %5 = log %4 : f32[64,4]
        %6 = reduce %5 {kind = sum, axes = [0]} : f32[4]
        %7 = add %3, %6 : f32[4]
        return %7
    "#]],
    );
    let g = graph(BRANCHES);
    let own: Vec<usize> = (0..g.nodes().len()).collect();
    assert!(peak_bytes(&schedule(g.clone(), &[]), &own) < peak_bytes(&g, &own));
}

#[test]
fn the_plan_reuses_memory_and_writes_in_place() {
    let in_place = |n: &rlx_ir::Node| match n.op() {
        rlx_ir::Op::Unary { .. } => Needs { scratch_bytes: 0, in_place: vec![0] },
        rlx_ir::Op::Reduce { .. } => Needs { scratch_bytes: 100, in_place: Vec::new() },
        _ => Needs::default(),
    };
    let program = plan(&Arc::new(schedule(graph(BRANCHES), &[])), &mut { in_place }).expect("plans");
    expect![[r#"
        arena 1280 bytes (2496 bytes without reuse), 7 steps
          %1 broadcast_in_dim: input 0 -> [0+1024]
          %2 exp: [0+1024] -> [0+1024]
          %3 reduce: [0+1024] -> [1152+16] scratch [1024+100]
          %4 broadcast_in_dim: input 0 -> [0+1024]
          %5 log: [0+1024] -> [0+1024]
          %6 reduce: [0+1024] -> [1216+16] scratch [1024+100]
          %7 add: [1152+16], [1216+16] -> [0+16]
    "#]]
    .assert_eq(&program.plan_text());
}

#[test]
fn outputs_have_bytes_of_their_own() {
    let text = "%0 = input {name = \"x\"} : f32[4]
         %1 = neg %0 : f32[4]
         return %0, %1, %1";
    let program = plan(&Arc::new(graph(text)), &mut |_| Needs::default()).expect("plans");
    expect![[r#"
        arena 192 bytes (192 bytes without reuse), 3 steps
          %1 neg: input 0 -> [0+16]
          copy: input 0 -> [64+16]
          copy: [0+16] -> [128+16]
    "#]]
    .assert_eq(&program.plan_text());
}

/// A backend that lacks some ops.
struct Without(&'static [OpKind]);

impl rlx_compile::Claims for Without {
    fn claim(&self, op: &rlx_ir::Op, _: &[rlx_ir::Shape], _: &[rlx_ir::Shape]) -> rlx_compile::Claim {
        let is_composite = op.kind().class() == rlx_ir::OpClass::Composite;
        rlx_compile::Claim::native(!is_composite && !self.0.contains(&op.kind()))
    }
}

#[test]
fn primitives_that_a_backend_lacks_are_rewritten() {
    let lacking = Without(&[OpKind::TopK]);
    let options = CompileOptions::new();
    check(
        |g| legalize(g, "test", &lacking, &options).ok().map(|r| r.0),
        "%0 = input {name = \"x\"} : f32[8]
         %1 = top_k %0 {k = 3} : (f32[3], i32[3])
         %2 = output %1 {index = 1} : i32[3]
         return %2",
        expect![[r#"
            %0 = input {name = "x"} : f32[8]
            %1 = iota {shape = i32[8], axis = 0} : i32[8]
            %2 = sort_graph %0, %1 {axis = 0, stable = true, comparator = graph "comparator" {
            %0 = input {name = "x0"} : f32[]
            %1 = input {name = "x1"} : f32[]
            %2 = input {name = "x2"} : i32[]
            %3 = input {name = "x3"} : i32[]
            %4 = compare %0, %1 {op = gt, total_order = true} : bool[]
            return %4
            }} : (f32[8], i32[8])
            %3 = output %2 {index = 1} : i32[8]
            %4 = slice %3 {starts = [0], limits = [3], strides = [1]} : i32[3]
            return %4
        "#]],
    );
}

#[test]
fn what_an_expansion_consists_of_is_rewritten_too() {
    let program = graph(
        "%0 = input {name = \"x\"} : f32[4]
         %1 = input {name = \"c\"} : f32[]
         %2 = scan %1, %0 {body = graph \"body\" {
             %0 = input {name = \"c\"} : f32[]
             %1 = input {name = \"x\"} : f32[]
             %2 = add %0, %1 : f32[]
             return %2, %2
           }, length = 4, num_consts = 0, num_carry = 1, reverse = false} : (f32[], f32[4])
         %3 = output %2 {index = 1} : f32[4]
         %4 = sort %3 {axis = 0, order = descending, num_keys = 1, stable = true} : f32[4]
         return %4",
    );
    let lacking = Without(&[OpKind::Scan, OpKind::Sort]);
    let (legal, report) = legalize(&program, "test", &lacking, &CompileOptions::new()).expect("legal");
    verify(&legal).expect("valid");
    assert!(legal.nodes().iter().all(|n| !matches!(n.op().kind(), OpKind::Scan | OpKind::Sort)));
    assert_eq!(report.count(Decision::Rewritten), 2);
    let x = rlx_ir::Literal::new(&[4], &[1.0f32, -2.0, 4.0, 0.5]).expect("x");
    let c = rlx_ir::Literal::scalar(0.5f32);
    let sorted = rlx_ir::eval(&legal, &[("x", &x), ("c", &c)]).expect("runs");
    assert_eq!(sorted[0].as_slice::<f32>().expect("f32"), [4.0, 3.5, 1.5, -0.5]);

    // The backend also lacks the loop that a scan is expanded into. The report lists it below the scan.
    let bare = Without(&[OpKind::Scan, OpKind::Sort, OpKind::While]);
    let error = legalize(&program, "test", &bare, &CompileOptions::new()).expect_err("no loops");
    let text = error.to_string();
    assert!(
        text.contains("unsupported: `while`") && text.contains("scan") && text.contains("rewritten"),
        "{text}"
    );
}

#[test]
fn programs_of_many_values_reuse_memory_too() {
    // Every value has a different size, and lives until the value three steps later has read it.
    let mut text = String::from("%0 = input {name = \"x\"} : f32[8]\n");
    let mut next = 1;
    let mut shapes = Vec::new();
    for i in 0..6000usize {
        let size = 8 * (1 + i % 7);
        let scalar = next;
        text += &format!(
            "%{scalar} = reduce %{} {{kind = max, axes = [0]}} : f32[]\n",
            if i < 3 { 0 } else { shapes[i - 3] }
        );
        text += &format!(
            "%{} = broadcast_in_dim %{scalar} {{dims = [{size}], axes = []}} : f32[{size}]\n",
            next + 1
        );
        shapes.push(next + 1);
        next += 2;
    }
    text += &format!("return %{}", shapes[5999]);
    let graph = Arc::new(graph(&text));
    let program = plan(&graph, &mut |_| Needs::default()).expect("plans");
    assert!(program.unshared_bytes > 6000 * 128 && program.arena_bytes < 2048, "{}", program.arena_bytes);
    // No two values that are alive at a step overlap.
    let mut last = vec![0; program.buffers().len()];
    let steps = || program.steps.iter().enumerate();
    steps().for_each(|(s, step)| program.operands(step).iter().for_each(|&b| last[b] = s));
    program.outputs.iter().for_each(|&b| last[b] = usize::MAX);
    let place = |b: usize| match program.buffers()[b].place.fixed()? {
        rlx_compile::Storage::Arena(at) => Some((at, at + program.buffers()[b].bytes)),
        rlx_compile::Storage::Output(i) => {
            program.output_offsets[i].map(|at| (at, at + program.buffers()[b].bytes))
        }
        _ => None,
    };
    let mut alive: Vec<usize> = Vec::new();
    for (s, step) in steps() {
        alive.retain(|&b| last[b] >= s);
        for b in program.results(step) {
            let (from, to) = place(b).expect("in the arena");
            assert!(alive.iter().filter_map(|&a| place(a)).all(|(f, t)| t <= from || to <= f), "step {s}");
            alive.push(b);
        }
    }
}
