//! The StableHLO text of graphs. XLA accepts such texts: `cargo xtask conformance --jaxlib PYTHON` runs similar ones.

use expect_test::{Expect, expect};
use rlx_ir::{Builder, DType, Graph, Op, OpKind, ReduceOp, Shape, SubGraph, Tensor};
use rlx_stablehlo::{ExportOptions, export, has_form};

fn check(graph: &Graph, expected: Expect) {
    let text = export(graph, &ExportOptions::default()).unwrap_or_else(|e| format!("refused:\n{e}\n"));
    expected.assert_eq(&text);
}

fn f32s(dims: &[usize]) -> Shape {
    Shape::new(dims, DType::F32)
}

#[test]
fn inputs_and_parameters_are_arguments_and_labels_are_locations() {
    let b = Builder::new("layer");
    let x = b.input("x", f32s(&[2, 4]));
    let w = b.param("layer.w", f32s(&[4, 3]));
    let odd = b.input("0 bias", f32s(&[2, 3]));
    let y = b.scoped("dense", || &x.matmul(&w) + &odd);
    check(
        &b.finish(&[&y]).expect("a valid graph"),
        expect![[r#"
        module @layer {
          func.func public @main(%x: tensor<2x4xf32>, %layer.w: tensor<4x3xf32> {rlx.param}, %arg2: tensor<2x3xf32> {rlx.name = "0 bias"}) -> (tensor<2x3xf32>) {
            %0 = stablehlo.dot_general %x, %layer.w, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32> loc("dense")
            %1 = stablehlo.add %0, %arg2 : tensor<2x3xf32> loc("dense")
            return %1 : tensor<2x3xf32>
          }
        }
    "#]],
    );
}

#[test]
fn ops_without_a_form_are_composites_of_what_they_expand_to() {
    let b = Builder::new("running");
    let x = b.input("x", Shape::new(&[3], DType::I32));
    let op = Op::Cumulative { op: ReduceOp::Sum, axis: 0, exclusive: false, reverse: false };
    let y = x.apply(op, &[]);
    let graph = b.finish(&[&y]).expect("a valid graph");
    check(
        &graph,
        expect![[r#"
        module @running {
          func.func public @main(%x: tensor<3xi32>) -> (tensor<3xi32>) {
            %0 = stablehlo.composite "rlx.cumulative" %x {composite_attributes = {attributes = "{op = sum, axis = 0, exclusive = false, reverse = false}"}, decomposition = @rlx.cumulative, version = 1 : i32} : (tensor<3xi32>) -> tensor<3xi32>
            return %0 : tensor<3xi32>
          }
          func.func private @rlx.cumulative(%arg0: tensor<3xi32>) -> tensor<3xi32> {
            %0 = stablehlo.constant dense<0> : tensor<i32>
            %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<3xi32>
            %2 = stablehlo.add %arg0, %1 : tensor<3xi32>
            %3 = stablehlo.pad %2, %0, low = [1], high = [-1], interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
            %4 = stablehlo.add %3, %2 : tensor<3xi32>
            %5 = stablehlo.pad %4, %0, low = [2], high = [-2], interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
            %6 = stablehlo.add %5, %4 : tensor<3xi32>
            return %6 : tensor<3xi32>
          }
        }
    "#]],
    );
    let inline = export(&graph, &ExportOptions::default().with_inline_expansions(true)).expect("it expands");
    assert!(!inline.contains("composite") && !inline.contains("private"), "{inline}");
}

#[test]
fn branches_are_functions_with_the_same_arguments() {
    let branch = |make: fn(&Tensor) -> Tensor| {
        let b = Builder::new("branch");
        let x = b.input("x", f32s(&[2]));
        SubGraph::new(b.finish(&[&make(&x)]).expect("a valid graph"))
    };
    let b = Builder::new("choice");
    let pred = b.input("pred", Shape::scalar(DType::Bool));
    let x = b.input("x", f32s(&[2]));
    let op = Op::If { then_branch: branch(|x| x.exp()), else_branch: branch(|x| x.abs()) };
    let y = pred.apply(op, &[&x]);
    check(
        &b.finish(&[&y]).expect("a valid graph"),
        expect![[r#"
        module @choice {
          func.func public @main(%pred: tensor<i1>, %x: tensor<2xf32>) -> (tensor<2xf32>) {
            %2 = "stablehlo.if"(%pred) ({
              %0 = func.call @then(%x) : (tensor<2xf32>) -> tensor<2xf32>
              stablehlo.return %0 : tensor<2xf32>
            }, {
              %1 = func.call @else(%x) : (tensor<2xf32>) -> tensor<2xf32>
              stablehlo.return %1 : tensor<2xf32>
            }) : (tensor<i1>) -> tensor<2xf32>
            return %2 : tensor<2xf32>
          }
          func.func private @then(%arg0: tensor<2xf32>) -> tensor<2xf32> {
            %0 = stablehlo.exponential %arg0 : tensor<2xf32>
            return %0 : tensor<2xf32>
          }
          func.func private @else(%arg0: tensor<2xf32>) -> tensor<2xf32> {
            %0 = stablehlo.abs %arg0 : tensor<2xf32>
            return %0 : tensor<2xf32>
          }
        }
    "#]],
    );
}

#[test]
fn symbolic_sizes_are_computed_and_asserted() {
    let b = Builder::new("mean");
    let x = b.input("x", Shape::from_dims(&["n".into(), 2.into()], DType::F32));
    let y = b.input("y", Shape::from_dims(&["n".into(), 2.into()], DType::F32));
    let sum = &x + &y;
    let centered = &sum - &sum.reduce(rlx_ir::ReduceOp::Sum, &[0], false);
    check(
        &b.finish(&[&centered]).expect("a valid graph"),
        expect![[r#"
        module @mean {
          func.func public @main(%x: tensor<?x2xf32> {rlx.dims = "n,2"}, %y: tensor<?x2xf32> {rlx.dims = "n,2"}) -> (tensor<?x2xf32>) {
            %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
            %1 = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>
            %2 = stablehlo.compare EQ, %1, %0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.custom_call @shape_assertion(%2, %1, %0) {api_version = 2 : i32, error_message = "dimension 0 of y is {0}, but `n` is {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
            %3 = stablehlo.add %x, %y : tensor<?x2xf32>
            %4 = stablehlo.constant dense<0.0> : tensor<f32>
            %5 = stablehlo.reduce(%3 init: %4) applies stablehlo.add across dimensions = [0] : (tensor<?x2xf32>, tensor<f32>) -> tensor<2xf32>
            %6 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
            %7 = stablehlo.constant dense<2> : tensor<i32>
            %8 = stablehlo.reshape %7 : (tensor<i32>) -> tensor<1xi32>
            %9 = stablehlo.concatenate %6, %8, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
            %10 = stablehlo.dynamic_broadcast_in_dim %5, %9, dims = [1] : (tensor<2xf32>, tensor<2xi32>) -> tensor<?x2xf32>
            %11 = stablehlo.subtract %3, %10 : tensor<?x2xf32>
            return %11 : tensor<?x2xf32>
          }
        }
    "#]],
    );
}

#[test]
fn everything_that_cannot_be_written_is_listed() {
    let b = Builder::new("open");
    let x = b.input("x", Shape::from_dims(&["n".into(), "n".into()], DType::F32));
    let running =
        x.apply(Op::Cumulative { op: ReduceOp::Max, axis: 0, exclusive: false, reverse: false }, &[]);
    let factors = running.apply_many(Op::Qr { full_matrices: false }, &[]);
    let graph = b.finish(&[&factors[0], &factors[1]]).expect("a valid graph");
    let error = export(&graph, &ExportOptions::default()).expect_err("both ops need the size");
    assert_eq!(error.0.len(), 2, "{error}");
}

#[test]
fn a_form_is_claimed_for_what_stablehlo_names() {
    let x = f32s(&[3]);
    let has = |op: Op| has_form(&op, std::slice::from_ref(&x), std::slice::from_ref(&x));
    assert!(has(Op::Unary { op: rlx_ir::UnaryOp::Erf }));
    assert!(!has(Op::Unary { op: rlx_ir::UnaryOp::BesselI0e }));
    assert!(!has(Op::Softmax { axis: 0 }), "{} is a composite", OpKind::Softmax);
}
