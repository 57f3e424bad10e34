//! Fusion passes: text in, text out.

use expect_test::{Expect, expect};
use rlx_fusion::{Claims, ClaimsAll, fuse, fuse_contractions, fuse_elementwise, fuse_norms, fuse_reductions};
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

/// A parameter and its momentum, updated unless a flag says otherwise: the momentum is read by its own selection and by the
/// parameter's update, and all of it is one pass over memory. What a node outside reads stays apart.
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
                return %7, %8
              }} : (f32[2,3], f32[2,3])
              %5 = output %4 {index = 0} : f32[2,3]
              %6 = output %4 {index = 1} : f32[2,3]
              %7 = exp %3 : f32[2,3]
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

/// A backend whose kernels hold so many nodes.
struct Holds(usize);

impl Claims for Holds {
    fn native(&self, op: &Op, operands: &[Shape], results: &[Shape]) -> bool {
        ClaimsAll.native(op, operands, results)
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

/// How many ops each group of a pass holds, and how many nodes the graph has then.
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
    // The product, the broadcast and the sum; the activation stays behind it.
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
    // Without what stands before it there is room for one behind it.
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
