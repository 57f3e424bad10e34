//! The functions of jax.nn, lowered by JAX. Their values and gradients match JAX's, although lowering drops JAX's own
//! derivative rules.

use rlx_ir::{DType, Graph, Literal, eval};

/// A program, the points at which it is evaluated, and JAX's results there.
struct Case {
    name: String,
    dtype: DType,
    graph: Graph,
    at: Literal,
    value: Vec<f64>,
    slope: Vec<f64>,
}

/// The programs that scripts/activation_goldens.py writes.
fn cases() -> Vec<Case> {
    read(include_str!("data/activations.mlir"))
}

/// The programs that scripts/function_goldens.py writes.
fn functions() -> Vec<Case> {
    read(include_str!("data/functions.mlir"))
}

fn read(text: &str) -> Vec<Case> {
    let case = |(head, text): (&str, &str)| {
        let mut lines = head.lines();
        let mut line = || lines.next().unwrap().trim_start_matches("// ");
        let name = line().to_string();
        let dtype = match name.split_once(' ').unwrap().1 {
            "float32" => DType::F32,
            "float16" => DType::F16,
            "bfloat16" => DType::BF16,
            _ => DType::F64,
        };
        let mut numbers = || line().split(' ').map(|x| x.parse().unwrap()).collect::<Vec<f64>>();
        let graph = rlx_stablehlo::import(&format!("module {text}")).unwrap().graph;
        let shape = graph.inputs().next().unwrap().shape().clone();
        let at = numbers();
        let at = Literal::new(&[at.len()], &at).unwrap().convert(dtype).reshaped(&shape).unwrap();
        Case { name, dtype, graph, at, value: numbers(), slope: numbers() }
    };
    text.split("\n\n").filter_map(|part| part.split_once("module ")).map(case).collect()
}

impl Case {
    /// Reports where an output of a graph differs from JAX's. Points without a value, and results of JAX that are not finite, are skipped.
    fn differing(&self, graph: &Graph, output: usize, want: &[f64]) -> Vec<String> {
        let got = eval(graph, &[("arg0", &self.at)]).unwrap().swap_remove(output).convert(DType::F64);
        let (got, at) = (got.as_slice::<f64>().unwrap().to_vec(), self.at.convert(DType::F64));
        assert_eq!(got.len(), want.len(), "{}", self.name);
        // Four roundings of narrow types: a logistic function in primitives, as JAX writes it, is off by three at 6.
        let tolerance = match self.dtype {
            DType::F16 => 4.0 / 1024.0,
            DType::BF16 => 4.0 / 128.0,
            DType::F64 => 1e-14,
            _ => 1e-6,
        };
        let differs = |g: f64, w: f64| !(g == w || (g - w).abs() <= tolerance * w.abs().max(1.0));
        // Each result belongs to one argument, or to one row.
        let outside = |i: usize| want.len() == self.value.len() && self.value[i].is_nan();
        let pairs = got.iter().zip(want).enumerate();
        let differing = pairs.filter(|(i, (g, w))| w.is_finite() && !outside(*i) && differs(**g, **w));
        let at = at.as_slice::<f64>().unwrap();
        let told = |(i, (g, w)): (usize, (&f64, &f64))| {
            let place = if want.len() == at.len() { format!("at {}", at[i]) } else { format!("element {i}") };
            format!("{}: {place}: {g}, JAX has {w}", self.name)
        };
        differing.map(told).collect()
    }
}

#[test]
fn values_of_lowered_functions_are_those_of_jax() {
    let wrong: Vec<String> =
        cases().iter().flat_map(|case| case.differing(&case.graph, 1, &case.value)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn gradients_of_lowered_functions_are_those_of_jax() {
    let wrong = |case: &Case| {
        let slope = rlx_autodiff::grad(&case.graph, "arg0").unwrap();
        case.differing(&slope, 0, &case.slope)
    };
    let wrong: Vec<String> = cases().iter().flat_map(wrong).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns whether two numbers agree within the precision of a function that sums a series.
fn close(got: f64, want: f64) -> bool {
    got == want || got.is_nan() && want.is_nan() || (got - want).abs() <= 2e-5 * want.abs().max(1.0)
}

/// Also where the gradients are infinite.
#[test]
fn gradients_of_functions_with_rules_of_their_own_are_right() {
    let mut wrong = Vec::new();
    for case in functions() {
        for (kind, graph, output, want) in [
            ("value", case.graph.clone(), 1, &case.value),
            ("slope", rlx_autodiff::grad(&case.graph, "arg0").unwrap(), 0, &case.slope),
        ] {
            let got = eval(&graph, &[("arg0", &case.at)]).unwrap().swap_remove(output).convert(DType::F64);
            let pairs = got.as_slice::<f64>().unwrap().iter().zip(want).enumerate();
            let differing = pairs.filter(|(_, (g, w))| !close(**g, **w));
            wrong.extend(differing.map(|(i, (g, w))| format!("{} {kind} {i}: {g}, not {w}", case.name)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A function's own derivative survives export and import.
#[test]
fn rules_of_their_own_survive_a_round_trip() {
    for case in functions() {
        let text = rlx_stablehlo::export(&case.graph, &rlx_stablehlo::ExportOptions::default()).unwrap();
        let again = rlx_stablehlo::import(&text).unwrap().graph;
        let slope = |graph: &Graph| {
            let slope = rlx_autodiff::grad(graph, "arg0").unwrap();
            eval(&slope, &[("arg0", &case.at)]).unwrap().swap_remove(0).convert(DType::F64)
        };
        let (once, twice) = (slope(&case.graph), slope(&again));
        let [once, twice] = [&once, &twice].map(|x| x.as_slice::<f64>().unwrap());
        let same = once.iter().zip(twice).all(|(a, b)| close(*a, *b));
        assert!(same, "{}: {once:?}, read again {twice:?}", case.name);
    }
}

/// Imports a program of f32 and returns its graph as text.
fn imported(arguments: &str, result: &str, body: &str) -> String {
    let text = format!("func.func @main({arguments}) -> {result} {{\n{body}\n}}");
    rlx_stablehlo::import(&text).unwrap().graph.to_string()
}

#[test]
fn constants_of_any_form_are_seen_through() {
    let scalar = "%one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.negate %x : tensor<f32>
  %1 = stablehlo.exponential %0 : tensor<f32>
  %2 = stablehlo.add %1, %one : tensor<f32>
  %3 = stablehlo.divide %one, %2 : tensor<f32>
  return %3 : tensor<f32>";
    let whole = scalar.replace("tensor<f32>", "tensor<3xf32>");
    for (ty, body) in [("tensor<f32>", scalar), ("tensor<3xf32>", &whole)] {
        let graph = imported(&format!("%x: {ty}"), ty, body);
        assert!(graph.contains("= logistic %0") && !graph.contains("exp"), "{graph}");
    }
}

#[test]
fn functions_inside_branches_are_restored() {
    let graph = imported(
        "%p: tensor<i1>, %x: tensor<3xf32>",
        "tensor<3xf32>",
        r#"%0 = "stablehlo.if"(%p) ({
    %1 = func.call @relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
    stablehlo.return %1 : tensor<3xf32>
  }, {
    stablehlo.return %x : tensor<3xf32>
  }) : (tensor<i1>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @relu(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
  %0 = stablehlo.maximum %x, %zero : tensor<3xf32>
  return %0 : tensor<3xf32>"#,
    );
    assert!(graph.contains("relu") && !graph.contains("max "), "{graph}");
}

/// A function with one of these names that does something else is left as it is.
#[test]
fn a_function_is_not_known_by_its_name_alone() {
    let graph = imported(
        "%x: tensor<3xf32>",
        "tensor<3xf32>",
        "%0 = func.call @relu(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @relu(%x: tensor<3xf32>) -> tensor<3xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %0 = stablehlo.maximum %x, %one : tensor<3xf32>
  return %0 : tensor<3xf32>",
    );
    assert!(graph.contains("max ") && !graph.contains("relu"), "{graph}");
}

/// At a tie the derivative of an extreme is a half, whatever it is compared with. An integer has no derivative.
#[test]
fn what_only_looks_like_a_function_stays() {
    for (ty, zero, order) in [
        ("f32", "0.0", "%zero, %x"),
        ("f32", "0.0", "%x, %zero"),
        ("f32", "-0.0", "%x, %zero"),
        ("i32", "0", "%x, %zero"),
    ] {
        let body = format!(
            "%zero = stablehlo.constant dense<{zero}> : tensor<3x{ty}>
  %0 = stablehlo.maximum {order} : tensor<3x{ty}>
  return %0 : tensor<3x{ty}>"
        );
        let graph = imported(&format!("%x: tensor<3x{ty}>"), &format!("tensor<3x{ty}>"), &body);
        assert!(graph.contains("= max %"), "{graph}");
    }
}
