//! What the importer refuses, all at once and with positions, and programs with open sizes.

use expect_test::expect;
use rlx_ir::{Literal, eval};
use rlx_stablehlo::import;

fn refused(text: &str) -> String {
    import(text).map(|i| i.graph.to_string()).expect_err("the program is refused").to_string()
}

#[test]
fn everything_that_is_wrong_or_unsupported_is_reported_at_once() {
    let text = r#"func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = "stablehlo.custom_call"(%x) <{call_target_name = "foo_sgeev_ffi"}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.transpose"(%0) <{permutation = array<i64: 0, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = "foo.bar"(%1) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %3 = func.call @self(%2) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %4 = "stablehlo.concatenate"(%3, %3) <{dimension = 0 : i64}> : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %4 : tensor<3x2xf32>
}
func.func private @self(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %0 = func.call @self(%x) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}"#;
    expect![[r#"
        2:8: `stablehlo.custom_call`: RLX does not know the call target `foo_sgeev_ffi`
        3:8: `stablehlo.transpose`: axis 0 is listed twice in [0, 0]
        4:8: `foo.bar`: RLX does not know this operation, or cannot express it
        6:8: `stablehlo.concatenate`: is declared as tensor<3x2xf32>, but the operands give tensor<6x2xf32>
        10:8: `func.call`: `self` calls itself, directly or through others"#]]
    .assert_eq(&refused(text));
}

#[test]
fn routines_of_lapack_that_are_missing_are_named() {
    for (target, routine) in
        [("lapack_sgees_ffi", "gees"), ("lapack_zgehrd_ffi", "gehrd"), ("lapack_dsytrd_ffi", "sytrd")]
    {
        let problem = refused(&format!(
            r#"func.func @main(%x: tensor<3x3xf64>) -> tensor<3x3xf64> {{
  %0 = "stablehlo.custom_call"(%x) <{{call_target_name = "{target}"}}> : (tensor<3x3xf64>) -> tensor<3x3xf64>
  return %0 : tensor<3x3xf64>
}}"#
        ));
        let named = format!("`{target}` is LAPACK's routine {routine}, which RLX does not have");
        for says in ["2:", &named, "eigh", "leave this part out of the function that is lowered"] {
            assert!(problem.contains(says), "{problem}\nlacks {says}");
        }
    }
}

#[test]
fn calls_of_lapack_in_forms_before_its_present_one_are_named() {
    let text = r#"func.func @main(%x: tensor<3x3xf64>) -> tensor<3xcomplex<f64>> {
  %0 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_dgeev"}> : (tensor<3x3xf64>) -> tensor<3xcomplex<f64>>
  return %0 : tensor<3xcomplex<f64>>
}"#;
    assert!(refused(text).contains("only under its name with `_ffi`"), "{}", refused(text));
}

#[test]
fn eigenvalues_are_read_with_open_sizes() {
    let text = r#"func.func @main(%x: tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  %0:5 = "stablehlo.custom_call"(%x) <{call_target_name = "lapack_dgeev_ffi"}> {mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8}}
    : (tensor<?x?xf64>) -> (tensor<?xf64>, tensor<?xf64>, tensor<?x?xcomplex<f64>>, tensor<?x?xcomplex<f64>>, tensor<i32>)
  return %0#0, %0#1 : tensor<?xf64>, tensor<?xf64>
}"#;
    let graph = import(text).expect("sizes follow from the input").graph;
    for n in [0usize, 1, 3] {
        // n times the identity, with a rotation by 90 degrees in the last two rows.
        let mut data: Vec<f64> = (0..n * n).map(|k| if k / n == k % n { n as f64 } else { 0.0 }).collect();
        if n == 3 {
            (data[4], data[5], data[7], data[8]) = (0.0, -1.0, 1.0, 0.0);
        }
        let x = Literal::new(&[n, n], &data).expect("n² elements");
        let outputs = eval(&graph, &[("x", &x)]).expect("the sizes fit");
        let mut parts: Vec<[f64; 2]> = Vec::new();
        for (re, im) in outputs[0].as_slice().expect("f64").iter().zip(outputs[1].as_slice().expect("f64")) {
            parts.push([*re, *im]);
        }
        parts.sort_by(|a, b| a[1].total_cmp(&b[1]));
        let wanted = match n {
            0 => vec![],
            1 => vec![[1.0, 0.0]],
            _ => vec![[0.0, -1.0], [3.0, 0.0], [0.0, 1.0]],
        };
        assert_eq!(parts, wanted);
    }
}

#[test]
fn calls_back_into_python_are_named() {
    let text = r#"func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  return %x : tensor<2xf32>
}"#;
    let problem = refused(text);
    for says in ["2:", "`xla_ffi_python_cpu_callback`", "`jax.debug.print`", "leave it out"] {
        assert!(problem.contains(says), "{problem}\nlacks {says}");
    }
}

#[test]
fn arithmetic_in_narrow_types_is_refused_by_their_name() {
    let text = r#"func.func @main(%x: tensor<2xi4>, %y: tensor<2xf8E4M3FNUZ>) -> tensor<2xi4> {
  %0 = stablehlo.add %x, %x : tensor<2xi4>
  %1 = stablehlo.exponential %y : tensor<2xf8E4M3FNUZ>
  %2 = stablehlo.convert %y : (tensor<2xf8E4M3FNUZ>) -> tensor<2xi4>
  %3 = "stablehlo.concatenate"(%x) <{dimension = 0 : i64}> : (tensor<2xi4>) -> tensor<2xi2>
  return %0 : tensor<2xi4>
}"#;
    expect![[r#"
        2:8: `stablehlo.add`: RLX has no arithmetic in `i4`; convert the operands to i8 first, and the result back
        3:8: `stablehlo.exponential`: RLX has no arithmetic in `f8E4M3FNUZ`; convert the operands to f16 first, and the result back
        5:8: `stablehlo.concatenate`: returns values of type `i2`, which no operand has"#]]
    .assert_eq(&refused(text));
}

#[test]
fn one_program_runs_at_several_sizes_and_asserted_sizes_are_one_symbol() {
    let text = r#"func.func @main(%x: tensor<?x3xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %m, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same) {has_side_effect = true} : (tensor<i1>) -> ()
  %three = stablehlo.constant dense<3> : tensor<i32>
  %nm = stablehlo.multiply %n, %three : tensor<i32>
  %shape = stablehlo.reshape %nm : (tensor<i32>) -> tensor<1xi32>
  %flat = stablehlo.dynamic_reshape %x, %shape : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>
  %f = stablehlo.convert %m : (tensor<i32>) -> tensor<f32>
  %b = stablehlo.dynamic_broadcast_in_dim %f, %shape, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %r = stablehlo.add %flat, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}"#;
    let graph = import(text).expect("sizes follow from the inputs").graph;
    let shapes: Vec<String> = graph.input_shapes().iter().map(ToString::to_string).collect();
    assert_eq!(shapes, ["f32[x_0,3]", "f32[x_0]"]);
    for n in [1usize, 4] {
        let data: Vec<f32> = (0..3 * n).map(|i| i as f32).collect();
        let x = Literal::new(&[n, 3], &data).expect("3·n elements");
        let y = Literal::new(&[n], &data[..n]).expect("n elements");
        let outputs = eval(&graph, &[("x", &x), ("y", &y)]).expect("the sizes fit");
        let expected: Vec<f32> = data.iter().map(|v| v + n as f32).collect();
        assert_eq!(outputs[0].as_slice::<f32>().expect("floats"), expected);
    }
}

/// `cumlogsumexp` of JAX: a window of all elements so far, combined with what JAX lowers `logaddexp` to.
#[test]
fn sums_of_exponentials_so_far_are_a_running_reduction() {
    let text = |padding: &str| {
        format!(
            r#"func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {{
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %cst) <{{base_dilations = array<i64: 1>, padding = dense<[{padding}]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 6>, window_strides = array<i64: 1>}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    %2 = stablehlo.subtract %a, %b : tensor<f32>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.add %a, %b : tensor<f32>
    %5 = stablehlo.abs %2 : tensor<f32>
    %6 = stablehlo.negate %5 : tensor<f32>
    %7 = stablehlo.exponential %6 : tensor<f32>
    %8 = stablehlo.log_plus_one %7 : tensor<f32>
    %9 = stablehlo.add %1, %8 : tensor<f32>
    %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>
    stablehlo.return %10 : tensor<f32>
  }}) : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}}"#
        )
    };
    let inf = f32::INFINITY;
    let x = Literal::new(&[6], &[1.0, 1000.0, -inf, 0.5, 1000.0, inf]).expect("fits");
    let forward = [1.0, 1000.0, 1000.0, 1000.0, 1000.0 + 2f32.ln(), inf];
    for (padding, reverse, expected) in [("[5, 0]", false, forward), ("[0, 5]", true, [inf; 6])] {
        let graph = import(&text(padding)).expect("it imports").graph;
        let wanted = format!("{{op = logsumexp, axis = 0, exclusive = false, reverse = {reverse}}}");
        assert!(graph.to_string().contains(&wanted), "{graph}");
        let y = eval(&graph, &[("x", &x)]).expect("runs");
        assert_eq!(y[0], Literal::new(&[6], &expected).expect("fits"));
    }
    // Windows that end elsewhere are not a running reduction.
    let graph = import(&text("[4, 1]")).expect("it imports").graph;
    assert!(graph.to_string().contains("reduce_window_graph"), "{graph}");
}
