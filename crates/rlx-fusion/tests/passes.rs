//! Fusion passes: text in, text out.

use expect_test::{Expect, expect};
use rlx_fusion::{
    Claim, Claims, ClaimsAll, fuse, fuse_contractions, fuse_elementwise, fuse_norms, fuse_reductions,
};
use rlx_ir::rewrite::remove_dead;
use rlx_ir::{DType, FusionKind, Graph, Op, Shape, verify};

fn graph(body: &str) -> Graph {
    let graph = Graph::parse(&format!("graph \"t\" {{\n{body}\n}}")).expect("the test's graph parses");
    verify(&graph).expect("the test's graph is valid");
    graph
}

fn check(pass: impl Fn(&Graph) -> Option<Graph>, body: &str, expected: Expect) {
    let text = match pass(&graph(body)).map(|g| remove_dead(&g)) {
        Some(after) => {
            verify(&after).expect("a pass gives a valid graph");
            after.to_string()
        }
        None => "unchanged\n".to_string(),
    };
    expected.assert_eq(&text);
}

const BIAS_GELU: &str = "%0 = input {name = \"x\"} : f32[2,4]
     %1 = param {name = \"w\"} : f32[4,3]
     %2 = param {name = \"b\"} : f32[3]
     %3 = dot_general %0, %1 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : f32[2,3]
     %4 = broadcast_in_dim %2 {dims = [2, 3], axes = [1]} : f32[2,3]
     %5 = add %3, %4 : f32[2,3]
     %6 = activation %5 {kind = gelu} : f32[2,3]
     return %6";

#[test]
fn bias_and_activation_join_the_contraction() {
    check(
        |g| fuse_contractions(g, &ClaimsAll),
        BIAS_GELU,
        expect![[r#"
        graph "t" {
          %0 = input {name = "x"} : f32[2,4]
          %1 = param {name = "w"} : f32[4,3]
          %2 = param {name = "b"} : f32[3]
          %3 = fusion %0, %1, %2 {kind = contraction, body = graph "fusion" {
            %0 = input {name = "x0"} : f32[2,4]
            %1 = input {name = "x1"} : f32[4,3]
            %2 = input {name = "x2"} : f32[3]
            %3 = dot_general %0, %1 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : f32[2,3]
            %4 = broadcast_in_dim %2 {dims = [2, 3], axes = [1]} : f32[2,3]
            %5 = add %3, %4 : f32[2,3]
            %6 = activation %5 {kind = gelu} : f32[2,3]
            return %6
          }} : f32[2,3]
          return %3
        }
    "#]],
    );
}

#[test]
fn parameters_are_widened_where_they_are_multiplied() {
    check(
        |g| fuse_contractions(g, &ClaimsAll),
        "%0 = input {name = \"x\"} : f32[2,4]
         %1 = param {name = \"w\"} : f16[3,4]
         %2 = param {name = \"v\"} : f64[3,4]
         %3 = convert %1 {dtype = f32} : f32[3,4]
         %4 = convert %2 {dtype = f32} : f32[3,4]
         %5 = dot_general %0, %3 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1], dtype = none} : f32[2,3]
         %6 = dot_general %0, %4 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1], dtype = none} : f32[2,3]
         return %5, %6",
        expect![[r#"
            graph "t" {
              %0 = input {name = "x"} : f32[2,4]
              %1 = param {name = "w"} : f16[3,4]
              %2 = param {name = "v"} : f64[3,4]
              %3 = convert %2 {dtype = f32} : f32[3,4]
              %4 = fusion %1, %0 {kind = contraction, body = graph "fusion" {
                %0 = input {name = "x0"} : f16[3,4]
                %1 = input {name = "x1"} : f32[2,4]
                %2 = convert %0 {dtype = f32} : f32[3,4]
                %3 = dot_general %1, %2 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1], dtype = none} : f32[2,3]
                return %3
              }} : f32[2,3]
              %5 = dot_general %0, %3 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1], dtype = none} : f32[2,3]
              return %4, %5
            }
        "#]],
    );
}

#[test]
fn a_product_that_is_also_read_elsewhere_stays() {
    check(
        |g| fuse_contractions(g, &ClaimsAll),
        "%0 = input {name = \"x\"} : f32[2,2]
         %1 = dot_general %0, %0 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : f32[2,2]
         %2 = exp %1 : f32[2,2]
         return %1, %2",
        expect![[r#"
            unchanged
        "#]],
    );
}

#[test]
fn elementwise_chains_become_one_program() {
    check(
        |g| fuse_elementwise(g, &ClaimsAll),
        "%0 = input {name = \"x\"} : f32[2,3]
         %1 = input {name = \"s\"} : f32[3]
         %2 = constant {value = f32[] [0.5]} : f32[]
         %3 = broadcast_in_dim %2 {dims = [2, 3], axes = []} : f32[2,3]
         %4 = broadcast_in_dim %1 {dims = [2, 3], axes = [1]} : f32[2,3]
         %5 = mul %0, %3 : f32[2,3]
         %6 = add %5, %4 : f32[2,3]
         %7 = tanh %6 : f32[2,3]
         return %7",
        expect![[r#"
            graph "t" {
              %0 = input {name = "x"} : f32[2,3]
              %1 = input {name = "s"} : f32[3]
              %2 = fusion %1, %0 {kind = elementwise, body = graph "fusion" {
                %0 = input {name = "x0"} : f32[3]
                %1 = input {name = "x1"} : f32[2,3]
                %2 = constant {value = f32[] [0.5]} : f32[]
                %3 = broadcast_in_dim %2 {dims = [2, 3], axes = []} : f32[2,3]
                %4 = broadcast_in_dim %0 {dims = [2, 3], axes = [1]} : f32[2,3]
                %5 = mul %1, %3 : f32[2,3]
                %6 = add %5, %4 : f32[2,3]
                %7 = tanh %6 : f32[2,3]
                return %7
              }} : f32[2,3]
              return %2
            }
        "#]],
    );
}

/// A parameter and its momentum, updated unless a flag says otherwise. The momentum is read by its own selection and by the
/// parameter's update. All of it is one pass over memory, together with the nodes that read it.
#[test]
fn outputs_that_share_operands_are_one_program() {
    check(
        |g| fuse_elementwise(g, &ClaimsAll),
        "%0 = input {name = \"flag\"} : bool[]
         %1 = input {name = \"w\"} : f32[2,3]
         %2 = input {name = \"m\"} : f32[2,3]
         %3 = input {name = \"g\"} : f32[2,3]
         %4 = add %2, %3 : f32[2,3]
         %5 = sub %1, %4 : f32[2,3]
         %6 = broadcast_in_dim %0 {dims = [2, 3], axes = []} : bool[2,3]
         %7 = select %6, %5, %1 : f32[2,3]
         %8 = select %6, %4, %2 : f32[2,3]
         %9 = exp %3 : f32[2,3]
         %10 = reverse %9 {axes = [0]} : f32[2,3]
         return %7, %8, %9, %10",
        expect![[r#"
            graph "t" {
              %0 = input {name = "flag"} : bool[]
              %1 = input {name = "w"} : f32[2,3]
              %2 = input {name = "m"} : f32[2,3]
              %3 = input {name = "g"} : f32[2,3]
              %4 = fusion %2, %3, %1, %0 {kind = elementwise, body = graph "fusion" {
                %0 = input {name = "x0"} : f32[2,3]
                %1 = input {name = "x1"} : f32[2,3]
                %2 = input {name = "x2"} : f32[2,3]
                %3 = input {name = "x3"} : bool[]
                %4 = add %0, %1 : f32[2,3]
                %5 = sub %2, %4 : f32[2,3]
                %6 = broadcast_in_dim %3 {dims = [2, 3], axes = []} : bool[2,3]
                %7 = select %6, %5, %2 : f32[2,3]
                %8 = select %6, %4, %0 : f32[2,3]
                %9 = exp %1 : f32[2,3]
                return %7, %8, %9
              }} : (f32[2,3], f32[2,3], f32[2,3])
              %5 = output %4 {index = 0} : f32[2,3]
              %6 = output %4 {index = 1} : f32[2,3]
              %7 = output %4 {index = 2} : f32[2,3]
              %8 = reverse %7 {axes = [0]} : f32[2,3]
              return %5, %6, %7, %8
            }
        "#]],
    );
}

#[test]
fn producers_and_consumers_join_a_reduction() {
    check(
        |g| fuse_reductions(g, &ClaimsAll),
        "%0 = input {name = \"x\"} : f32[2,3]
         %1 = mul %0, %0 : f32[2,3]
         %2 = reduce %1 {kind = sum, axes = [1]} : f32[2]
         %3 = sqrt %2 : f32[2]
         return %3",
        expect![[r#"
            graph "t" {
              %0 = input {name = "x"} : f32[2,3]
              %1 = fusion %0 {kind = reduction, body = graph "fusion" {
                %0 = input {name = "x0"} : f32[2,3]
                %1 = mul %0, %0 : f32[2,3]
                %2 = reduce %1 {kind = sum, axes = [1]} : f32[2]
                %3 = sqrt %2 : f32[2]
                return %3
              }} : f32[2]
              return %1
            }
        "#]],
    );
}

#[test]
fn a_residual_joins_its_norm() {
    check(
        |g| fuse_norms(g, &ClaimsAll),
        "%0 = input {name = \"x\"} : f32[2,4]
         %1 = input {name = \"r\"} : f32[2,4]
         %2 = add %0, %1 : f32[2,4]
         %3 = layer_norm %2 {axis = 1, eps = 1e-5} : f32[2,4]
         return %3",
        expect![[r#"
            graph "t" {
              %0 = input {name = "x"} : f32[2,4]
              %1 = input {name = "r"} : f32[2,4]
              %2 = fusion %0, %1 {kind = norm, body = graph "fusion" {
                %0 = input {name = "x0"} : f32[2,4]
                %1 = input {name = "x1"} : f32[2,4]
                %2 = add %0, %1 : f32[2,4]
                %3 = layer_norm %2 {axis = 1, eps = 1e-5} : f32[2,4]
                return %3
              }} : f32[2,4]
              return %2
            }
        "#]],
    );
}

#[test]
fn fusing_twice_changes_nothing() {
    let once = fuse(graph(BIAS_GELU), &ClaimsAll);
    assert_eq!(fuse(once.clone(), &ClaimsAll), once);
}

#[test]
fn a_group_may_read_one_of_several_results() {
    check(
        |g| fuse_elementwise(g, &ClaimsAll),
        "%0 = input {name = \"x\"} : f32[4]
         %1 = top_k %0 {k = 2} : (f32[2], i32[2])
         %2 = output %1 {index = 0} : f32[2]
         %3 = output %1 {index = 1} : i32[2]
         %4 = abs %2 : f32[2]
         %5 = neg %4 : f32[2]
         return %5, %3",
        expect![[r#"
            graph "t" {
              %0 = input {name = "x"} : f32[4]
              %1 = top_k %0 {k = 2} : (f32[2], i32[2])
              %2 = output %1 {index = 0} : f32[2]
              %3 = output %1 {index = 1} : i32[2]
              %4 = fusion %2 {kind = elementwise, body = graph "fusion" {
                %0 = input {name = "x0"} : f32[2]
                %1 = abs %0 : f32[2]
                %2 = neg %1 : f32[2]
                return %2
              }} : f32[2]
              return %4, %3
            }
        "#]],
    );
}

/// A backend with kernels of at most this many nodes.
struct Holds(usize);

impl Claims for Holds {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        ClaimsAll.claim(op, operands, results)
    }

    fn fuses(&self, kind: FusionKind) -> bool {
        ClaimsAll.fuses(kind)
    }

    fn accepts(&self, _: FusionKind, body: &Graph) -> bool {
        body.nodes().iter().filter(|node| !matches!(node.op(), Op::Input { .. })).count() <= self.0
    }

    fn elementwise(&self, op: &Op, dtype: DType) -> bool {
        ClaimsAll.elementwise(op, dtype)
    }
}

/// The number of ops in each group of a pass, and the number of nodes in the graph afterwards.
fn held(pass: impl Fn(&Graph) -> Option<Graph>, body: &str) -> (Vec<usize>, usize) {
    let before = graph(body);
    let after = pass(&before).map_or(before, |g| remove_dead(&g));
    verify(&after).expect("a pass gives a valid graph");
    let members = |body: &Graph| body.nodes().iter().filter(|n| !matches!(n.op(), Op::Input { .. })).count();
    let groups = after.nodes().iter().filter_map(|node| match node.op() {
        Op::Fusion { body, .. } => Some(members(body)),
        _ => None,
    });
    (groups.collect(), after.nodes().len())
}

#[test]
fn the_epilogue_ends_where_the_backend_ends() {
    let holding = |n: usize| held(|g| fuse_contractions(g, &Holds(n)), BIAS_GELU);
    assert_eq!(holding(4), (vec![4], 4));
    // The product, the broadcast and the sum; the activation stays outside.
    assert_eq!(holding(3), (vec![3], 5));
    assert_eq!(holding(2), (vec![], 7));
}

#[test]
fn a_reduction_gives_up_what_stands_behind_it_first() {
    let body = "%0 = input {name = \"x\"} : f32[4,8]
         %1 = exp %0 : f32[4,8]
         %2 = sin %1 : f32[4,8]
         %3 = reduce %2 {kind = sum, axes = [1]} : f32[4]
         %4 = neg %3 : f32[4]
         %5 = tanh %4 : f32[4]
         return %5";
    let holding = |n: usize| held(|g| fuse_reductions(g, &Holds(n)), body);
    assert_eq!(holding(5), (vec![5], 2));
    assert_eq!(holding(4), (vec![4], 3));
    assert_eq!(holding(3), (vec![3], 4));
    // Without the nodes before it, there is room for one after it.
    assert_eq!(holding(2), (vec![2], 5));
    assert_eq!(holding(1), (vec![], 6));
}

#[test]
fn refused_programs_stay_nodes() {
    let body = "%0 = input {name = \"x\"} : f32[4]
         %1 = exp %0 : f32[4]
         %2 = sin %1 : f32[4]
         %3 = neg %0 : f32[4]
         return %2, %3";
    assert_eq!(held(|g| fuse_elementwise(g, &Holds(3)), body).0, [3]);
    assert_eq!(held(|g| fuse_elementwise(g, &Holds(2)), body).0, [2]);
    assert_eq!(held(|g| fuse_elementwise(g, &Holds(1)), body), (vec![], 4));
}

#[test]
fn a_value_that_is_read_later_is_a_result() {
    check(
        |g| fuse_elementwise(g, &ClaimsAll),
        "%0 = input {name = \"x\"} : f32[4,4]
         %1 = add %0, %0 : f32[4,4]
         %2 = tanh %1 : f32[4,4]
         %3 = dot_general %2, %1 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : f32[4,4]
         return %3",
        expect![[r#"
            graph "t" {
              %0 = input {name = "x"} : f32[4,4]
              %1 = fusion %0 {kind = elementwise, body = graph "fusion" {
                %0 = input {name = "x0"} : f32[4,4]
                %1 = add %0, %0 : f32[4,4]
                %2 = tanh %1 : f32[4,4]
                return %1, %2
              }} : (f32[4,4], f32[4,4])
              %2 = output %1 {index = 0} : f32[4,4]
              %3 = output %1 {index = 1} : f32[4,4]
              %4 = dot_general %3, %2 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : f32[4,4]
              return %4
            }
        "#]],
    );
}

#[test]
fn a_value_that_is_read_before_the_last_member_stays() {
    let body = "%0 = input {name = \"x\"} : f32[4,4]
         %1 = add %0, %0 : f32[4,4]
         %2 = dot_general %1, %1 {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [0], dtype = none} : f32[4,4]
         %3 = mul %1, %2 : f32[4,4]
         %4 = tanh %3 : f32[4,4]
         return %4";
    assert_eq!(held(|g| fuse_elementwise(g, &ClaimsAll), body), (vec![2], 4));
}

/// The pass includes nodes that move elements, and the nodes that compute those elements, because each element is read once.
#[test]
fn movement_joins_its_readers() {
    check(
        |g| fuse_elementwise(g, &ClaimsAll),
        "%0 = input {name = \"x\"} : f32[4,6]
         %1 = input {name = \"y\"} : f32[6,2]
         %2 = exp %0 : f32[4,6]
         %3 = slice %2 {starts = [0, 1], limits = [4, 3], strides = [1, 1]} : f32[4,2]
         %4 = transpose %1 {perm = [1, 0]} : f32[2,6]
         %5 = reverse %4 {axes = [1]} : f32[2,6]
         %6 = constant {value = f32[] [0.5]} : f32[]
         %7 = pad %5, %6 {low = [0, 0], high = [2, -4], interior = [0, 0]} : f32[4,2]
         %8 = add %3, %7 : f32[4,2]
         %9 = sin %1 : f32[6,2]
         %10 = neg %1 : f32[6,2]
         %11 = concatenate %9, %10 {axis = 1} : f32[6,4]
         %12 = slice %11 {starts = [0, 0], limits = [4, 2], strides = [1, 1]} : f32[4,2]
         %13 = mul %8, %12 : f32[4,2]
         return %13",
        expect![[r#"
            graph "t" {
              %0 = input {name = "x"} : f32[4,6]
              %1 = input {name = "y"} : f32[6,2]
              %2 = fusion %0, %1 {kind = elementwise, body = graph "fusion" {
                %0 = input {name = "x0"} : f32[4,6]
                %1 = input {name = "x1"} : f32[6,2]
                %2 = exp %0 : f32[4,6]
                %3 = slice %2 {starts = [0, 1], limits = [4, 3], strides = [1, 1]} : f32[4,2]
                %4 = transpose %1 {perm = [1, 0]} : f32[2,6]
                %5 = reverse %4 {axes = [1]} : f32[2,6]
                %6 = constant {value = f32[] [0.5]} : f32[]
                %7 = pad %5, %6 {low = [0, 0], high = [2, -4], interior = [0, 0]} : f32[4,2]
                %8 = add %3, %7 : f32[4,2]
                %9 = sin %1 : f32[6,2]
                %10 = neg %1 : f32[6,2]
                %11 = concatenate %9, %10 {axis = 1} : f32[6,4]
                %12 = slice %11 {starts = [0, 0], limits = [4, 2], strides = [1, 1]} : f32[4,2]
                %13 = mul %8, %12 : f32[4,2]
                return %13
              }} : f32[4,2]
              return %2
            }
        "#]],
    );
}

#[test]
fn a_reshape_joins_where_it_splits_axes() {
    let of = |from: &str, to: &str, dims: &str| {
        let body = format!(
            "%0 = input {{name = \"x\"}} : f32[{from}]
             %1 = exp %0 : f32[{from}]
             %2 = reshape %1 {{dims = [{dims}]}} : f32[{to}]
             %3 = neg %2 : f32[{to}]
             return %3"
        );
        held(|g| fuse_elementwise(g, &ClaimsAll), &body).0
    };
    assert_eq!(of("n,6", "n,2,3", "n, 2, 3"), [3]);
    assert_eq!(of("4", "4,1", "4, 1"), [3]);
    assert_eq!(of("2,3", "6", "6"), [0; 0]);
}

/// The table stays outside, because its rows may be read more than once. So do values that others read, too.
#[test]
fn rows_that_are_gathered_join_their_reader() {
    check(
        |g| fuse_elementwise(g, &ClaimsAll),
        "%0 = param {name = \"table\"} : f32[9,4]
         %1 = input {name = \"ids\"} : i32[3,1]
         %2 = input {name = \"x\"} : f32[3,4]
         %3 = exp %0 : f32[9,4]
         %4 = gather %3, %1 {offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 4]} : f32[3,4]
         %5 = add %4, %2 : f32[3,4]
         %6 = reverse %2 {axes = [0]} : f32[3,4]
         %7 = mul %5, %6 : f32[3,4]
         return %6, %7",
        expect![[r#"
            graph "t" {
              %0 = param {name = "table"} : f32[9,4]
              %1 = input {name = "ids"} : i32[3,1]
              %2 = input {name = "x"} : f32[3,4]
              %3 = exp %0 : f32[9,4]
              %4 = reverse %2 {axes = [0]} : f32[3,4]
              %5 = fusion %3, %1, %2, %4 {kind = elementwise, body = graph "fusion" {
                %0 = input {name = "x0"} : f32[9,4]
                %1 = input {name = "x1"} : i32[3,1]
                %2 = input {name = "x2"} : f32[3,4]
                %3 = input {name = "x3"} : f32[3,4]
                %4 = gather %0, %1 {offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 4]} : f32[3,4]
                %5 = add %4, %2 : f32[3,4]
                %6 = mul %5, %3 : f32[3,4]
                return %6
              }} : f32[3,4]
              return %4, %5
            }
        "#]],
    );
}

/// A backend that does not support some ops in its groups.
struct Lacks(&'static [&'static str]);

impl Claims for Lacks {
    fn claim(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> Claim {
        ClaimsAll.claim(op, operands, results)
    }

    fn fuses(&self, kind: FusionKind) -> bool {
        ClaimsAll.fuses(kind)
    }

    fn accepts(&self, _: FusionKind, body: &Graph) -> bool {
        !body.nodes().iter().any(|node| self.0.contains(&node.op().mnemonic()))
    }

    fn elementwise(&self, op: &Op, dtype: DType) -> bool {
        ClaimsAll.elementwise(op, dtype)
    }
}

#[test]
fn movement_that_is_refused_is_left_out() {
    let body = "%0 = input {name = \"x\"} : f32[4,4]
         %1 = exp %0 : f32[4,4]
         %2 = transpose %1 {perm = [1, 0]} : f32[4,4]
         %3 = tanh %0 : f32[4,4]
         %4 = reverse %3 {axes = [1]} : f32[4,4]
         %5 = add %2, %4 : f32[4,4]
         return %5";
    let lacking = |ops| held(|g| fuse_elementwise(g, &Lacks(ops)), body).0;
    assert_eq!(lacking(&[]), [5]);
    assert_eq!(lacking(&["transpose"]), [3]);
    // The movement, without the nodes that compute its operand.
    assert_eq!(lacking(&["tanh"]), [4]);
    assert_eq!(lacking(&["transpose", "reverse"]), [0; 0]);
}

/// Reductions along any axes, with operands of the reduced elements and of the result; the elements and their sum are read
/// outside.
#[test]
fn reductions_have_results_beside_their_own() {
    check(
        |g| fuse_reductions(g, &ClaimsAll),
        "%0 = input {name = \"x\"} : f32[2,3,4]
         %1 = input {name = \"r\"} : f32[3]
         %2 = mul %0, %0 : f32[2,3,4]
         %3 = reduce %2 {kind = sum, axes = [0, 2]} : f32[3]
         %4 = add %3, %1 : f32[3]
         %5 = sqrt %4 : f32[3]
         %6 = sort %3 {axis = 0, order = ascending, num_keys = 1, stable = true} : f32[3]
         return %2, %5, %6",
        expect![[r#"
            graph "t" {
              %0 = input {name = "x"} : f32[2,3,4]
              %1 = input {name = "r"} : f32[3]
              %2 = fusion %0, %1 {kind = reduction, body = graph "fusion" {
                %0 = input {name = "x0"} : f32[2,3,4]
                %1 = input {name = "x1"} : f32[3]
                %2 = mul %0, %0 : f32[2,3,4]
                %3 = reduce %2 {kind = sum, axes = [0, 2]} : f32[3]
                %4 = add %3, %1 : f32[3]
                %5 = sqrt %4 : f32[3]
                return %2, %3, %5
              }} : (f32[2,3,4], f32[3], f32[3])
              %3 = output %2 {index = 0} : f32[2,3,4]
              %4 = output %2 {index = 1} : f32[3]
              %5 = output %2 {index = 2} : f32[3]
              %6 = sort %4 {axis = 0, order = ascending, num_keys = 1, stable = true} : f32[3]
              return %3, %5, %6
            }
        "#]],
    );
}

/// The rows are read again, together with their reduction.
#[test]
fn a_normalization_is_one_group() {
    check(
        |g| fuse_reductions(g, &ClaimsAll),
        "%0 = input {name = \"x\"} : f32[2,n]
         %1 = reduce %0 {kind = max, axes = [1]} : f32[2]
         %2 = reshape %1 {dims = [2, 1]} : f32[2,1]
         %3 = broadcast_in_dim %2 {dims = [2, n], axes = [0, 1]} : f32[2,n]
         %4 = sub %0, %3 : f32[2,n]
         %5 = exp %4 : f32[2,n]
         %6 = reduce %5 {kind = sum, axes = [1]} : f32[2]
         %7 = broadcast_in_dim %6 {dims = [2, n], axes = [0]} : f32[2,n]
         %8 = div %5, %7 : f32[2,n]
         return %8",
        expect![[r#"
            graph "t" {
              %0 = input {name = "x"} : f32[2,n]
              %1 = fusion %0 {kind = reduction, body = graph "fusion" {
                %0 = input {name = "x0"} : f32[2,n]
                %1 = reduce %0 {kind = max, axes = [1]} : f32[2]
                %2 = reshape %1 {dims = [2, 1]} : f32[2,1]
                %3 = broadcast_in_dim %2 {dims = [2, n], axes = [0, 1]} : f32[2,n]
                %4 = sub %0, %3 : f32[2,n]
                %5 = exp %4 : f32[2,n]
                %6 = reduce %5 {kind = sum, axes = [1]} : f32[2]
                %7 = broadcast_in_dim %6 {dims = [2, n], axes = [0]} : f32[2,n]
                %8 = div %5, %7 : f32[2,n]
                return %8
              }} : f32[2,n]
              return %1
            }
        "#]],
    );
}

#[test]
fn a_normalization_that_is_refused_becomes_its_reductions() {
    let body = "%0 = input {name = \"x\"} : f32[2,n]
         %1 = exp %0 : f32[2,n]
         %2 = reduce %1 {kind = sum, axes = [1]} : f32[2]
         %3 = neg %2 : f32[2]
         %4 = broadcast_in_dim %3 {dims = [2, n], axes = [0]} : f32[2,n]
         %5 = mul %0, %4 : f32[2,n]
         return %5";
    assert_eq!(held(|g| fuse_reductions(g, &ClaimsAll), body).0, [5]);
    assert_eq!(held(|g| fuse_reductions(g, &Lacks(&["broadcast_in_dim"])), body).0, [3]);
    assert_eq!(held(|g| fuse_reductions(g, &Lacks(&["broadcast_in_dim", "exp"])), body).0, [2]);
}

/// A value that is repeated along rows, but does not come from a reduction of them, stays outside, so that the group keeps the
/// rest.
#[test]
fn numbers_of_rows_that_are_not_reduced_stay() {
    let body = "%0 = input {name = \"x\"} : f32[4,8]
         %1 = input {name = \"s\"} : f32[4]
         %2 = exp %1 : f32[4]
         %3 = broadcast_in_dim %2 {dims = [4, 8], axes = [0]} : f32[4,8]
         %4 = mul %0, %3 : f32[4,8]
         %5 = reduce %4 {kind = sum, axes = [1]} : f32[4]
         return %5";
    // The product, the reduction and the broadcast.
    assert_eq!(held(|g| fuse_reductions(g, &ClaimsAll), body), (vec![3], 4));
}
