//! Sums of narrow floats in programs are accumulated in a wider type and rounded once. XLA's reductions on a CPU do not
//! stall either (`jax.lax.reduce` and JAX's gradients of biases, JAX 0.10.2: 1,000 ones give 1000, not 256).

use rlx_ir::{DType, eval};
use rlx_stablehlo::import;

/// Returns the first element of a program's result, with `T` replaced by an element type.
fn first(program: &str, dtype: &str) -> f32 {
    let text = program.replace('T', dtype);
    let graph = import(&text).unwrap_or_else(|e| panic!("{text}\n{e}")).graph;
    let outputs = eval(&graph, &[]).unwrap_or_else(|e| panic!("{text}\n{e}"));
    outputs[0].convert(DType::F32).as_slice::<f32>().expect("f32")[0]
}

/// Programs that sum 1,000 ones in different ways.
const PROGRAMS: [(&str, &str); 7] = [
    (
        "a sum",
        r#"func.func @main() -> tensor<T> {
  %x = stablehlo.constant dense<1.0> : tensor<1000xT>
  %zero = stablehlo.constant dense<0.0> : tensor<T>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000xT>, tensor<T>) -> tensor<T>
  return %0 : tensor<T>
}"#,
    ),
    (
        "a sum along the first of two axes",
        r#"func.func @main() -> tensor<3xT> {
  %x = stablehlo.constant dense<1.0> : tensor<1000x3xT>
  %zero = stablehlo.constant dense<0.0> : tensor<T>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000x3xT>, tensor<T>) -> tensor<3xT>
  return %0 : tensor<3xT>
}"#,
    ),
    (
        "a region that is not a sum alone",
        r#"func.func @main() -> tensor<T> {
  %x = stablehlo.constant dense<1.0> : tensor<1000xT>
  %zero = stablehlo.constant dense<0.0> : tensor<T>
  %0 = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<T>, %b: tensor<T>):
    %one = stablehlo.constant dense<1.0> : tensor<T>
    %1 = stablehlo.multiply %b, %one : tensor<T>
    %2 = stablehlo.add %a, %1 : tensor<T>
    stablehlo.return %2 : tensor<T>
  }) : (tensor<1000xT>, tensor<T>) -> tensor<T>
  return %0 : tensor<T>
}"#,
    ),
    (
        "two sums at once",
        r#"func.func @main() -> (tensor<T>, tensor<T>) {
  %x = stablehlo.constant dense<1.0> : tensor<1000xT>
  %zero = stablehlo.constant dense<0.0> : tensor<T>
  %0:2 = "stablehlo.reduce"(%x, %x, %zero, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<T>, %b: tensor<T>, %c: tensor<T>, %d: tensor<T>):
    %1 = stablehlo.add %a, %c : tensor<T>
    %2 = stablehlo.add %b, %d : tensor<T>
    stablehlo.return %1, %2 : tensor<T>, tensor<T>
  }) : (tensor<1000xT>, tensor<1000xT>, tensor<T>, tensor<T>) -> (tensor<T>, tensor<T>)
  return %0#0, %0#1 : tensor<T>, tensor<T>
}"#,
    ),
    (
        "a window",
        r#"func.func @main() -> tensor<1xT> {
  %x = stablehlo.constant dense<1.0> : tensor<1000xT>
  %zero = stablehlo.constant dense<0.0> : tensor<T>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1000>}> ({
  ^bb0(%a: tensor<T>, %b: tensor<T>):
    %1 = stablehlo.add %a, %b : tensor<T>
    stablehlo.return %1 : tensor<T>
  }) : (tensor<1000xT>, tensor<T>) -> tensor<1xT>
  return %0 : tensor<1xT>
}"#,
    ),
    (
        "updates of one place",
        r#"func.func @main() -> tensor<2xT> {
  %x = stablehlo.constant dense<0.0> : tensor<2xT>
  %u = stablehlo.constant dense<1.0> : tensor<1000xT>
  %i = stablehlo.constant dense<0> : tensor<1000x1xi32>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<T>, %b: tensor<T>):
    %1 = stablehlo.add %a, %b : tensor<T>
    stablehlo.return %1 : tensor<T>
  }) : (tensor<2xT>, tensor<1000x1xi32>, tensor<1000xT>) -> tensor<2xT>
  return %0 : tensor<2xT>
}"#,
    ),
    (
        "a product of vectors",
        r#"func.func @main() -> tensor<T> {
  %x = stablehlo.constant dense<1.0> : tensor<1000xT>
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<1000xT>, tensor<1000xT>) -> tensor<T>
  return %0 : tensor<T>
}"#,
    ),
];

#[test]
fn a_thousand_ones_are_a_thousand() {
    for (what, program) in PROGRAMS {
        for dtype in ["bf16", "f16", "f32"] {
            assert_eq!(first(program, dtype), 1000.0, "{what} of {dtype}");
        }
    }
}

#[test]
fn extremes_and_what_reads_bits_keep_their_type() {
    let largest = r#"func.func @main() -> tensor<T> {
  %x = stablehlo.constant dense<[1.0, 3.0, 2.0]> : tensor<3xT>
  %low = stablehlo.constant dense<-4.0> : tensor<T>
  %0 = "stablehlo.reduce"(%x, %low) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<T>, %b: tensor<T>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<T>, tensor<T>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<T>
    stablehlo.return %2 : tensor<T>
  }) : (tensor<3xT>, tensor<T>) -> tensor<T>
  return %0 : tensor<T>
}"#;
    let graph = import(&largest.replace('T', "bf16")).expect("a program").graph;
    assert!(!graph.to_string().contains("f32"), "nothing rounds, so nothing is widened:\n{graph}");
    assert_eq!(first(largest, "bf16"), 3.0);
}
