//! Properties of the syntax tree that MLIR's two printed forms do not show.

use rlx_ir::DType;
use rlx_stablehlo::parse;
use rlx_stablehlo::syntax::{Attribute, Dense, ElementType, Function, Module, Operation, Type};

fn module(text: &str) -> Module {
    parse(text).unwrap_or_else(|e| panic!("{e}"))
}

/// Parses a function with this body.
fn function(arguments: &str, body: &str) -> Function {
    let mut module = module(&format!("func.func @f({arguments}) {{\n{body}\nreturn\n}}"));
    module.functions.remove(0)
}

fn operations(function: &Function) -> &[Operation] {
    &function.body.as_ref().expect("the function has a body").operations
}

fn dense(literal: &str) -> Dense {
    let function = function("", &format!("%0 = stablehlo.constant {literal}"));
    match operations(&function)[0].attributes.get("value") {
        Some(Attribute::Dense(dense)) => dense.clone(),
        other => panic!("{literal} is {other:?}"),
    }
}

fn f32s(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

#[test]
fn constants_have_the_bytes_of_tensors() {
    let floats = dense("dense<[[1.0, -2.5], [0x7FC00001, 3.0e+2]]> : tensor<2x2xf32>");
    let mut bytes = f32s(&[1.0, -2.5]);
    bytes.extend(0x7FC0_0001u32.to_le_bytes());
    bytes.extend(300f32.to_le_bytes());
    assert_eq!(floats.bytes, bytes);
    assert_eq!((floats.dims, floats.splat), (vec![2, 2], false));
    assert_eq!(floats.element, ElementType::Known(DType::F32));

    assert_eq!(dense("dense<[-1, 255, 0x7F]> : tensor<3xi8>").bytes, [255, 255, 127]);
    assert_eq!(
        dense("dense<[(1.0, -2.0), (0x40400000, 4.0)]> : tensor<2xcomplex<f32>>").bytes,
        f32s(&[1., -2., 3., 4.])
    );
    assert_eq!(dense("dense<[true, false]> : tensor<2xi1>").bytes, [1, 0]);
    assert_eq!(
        dense("dense<[1, 0]> : tensor<2xindex>").bytes,
        [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    );
    assert_eq!(dense("dense<[1.0, 0.5]> : tensor<2xbf16>").bytes, [0x80, 0x3f, 0x00, 0x3f]);
    assert_eq!(dense("dense<[448.0, 1.0]> : tensor<2xf8E4M3FN>").bytes, [0x7e, 0x38]);
}

#[test]
fn equal_elements_are_stored_once() {
    let splat = dense("dense<7> : tensor<100000x100000xi32>");
    assert_eq!((splat.bytes, splat.splat), (vec![7, 0, 0, 0], true));
    let listed = dense("dense<[[2.0], [2.0]]> : tensor<2x1xf32>");
    assert_eq!((listed.bytes, listed.splat), (f32s(&[2.0]), true));
    let signed = dense("dense<[0.0, -0.0]> : tensor<2xf32>");
    assert_eq!((signed.bytes, signed.splat), (f32s(&[0.0, -0.0]), false));
    for empty in ["dense<> : tensor<0x3xf32>", "dense<[]> : tensor<0xf32>", "dense<1.0> : tensor<0xf32>"] {
        let empty = dense(empty);
        assert_eq!((empty.bytes, empty.splat), (vec![], false));
    }
}

#[test]
fn strings_hold_elements_in_hexadecimal() {
    assert_eq!(dense("dense<\"0x0000803F00000040\"> : tensor<2xf32>").bytes, f32s(&[1.0, 2.0]));
    let splat = dense("dense<\"0x0000803F\"> : tensor<5xf32>");
    assert_eq!((splat.bytes, splat.splat), (f32s(&[1.0]), true));
    // A byte for each boolean, or a bit, starting with the lowest bit of the first byte.
    assert_eq!(dense("dense<\"0x0100FF\"> : tensor<3xi1>").bytes, [1, 0, 1]);
    assert_eq!(dense("dense<\"0x0502\"> : tensor<10xi1>").bytes, [1, 0, 1, 0, 0, 0, 0, 0, 0, 1]);
    let all = dense("dense<\"0xFF\"> : tensor<10xi1>");
    assert_eq!((all.bytes, all.splat), (vec![1], true));
}

#[test]
fn elements_of_narrow_types_are_held_in_wider_ones() {
    let held = |values: &[f32]| {
        values.iter().flat_map(|&v| half::f16::from_f32(v).to_le_bytes()).collect::<Vec<_>>()
    };
    assert_eq!(dense("dense<[1, -2, 15]> : tensor<3xi4>").bytes, [1, 0xFE, 0xFF]);
    assert_eq!(dense("dense<\"0x010F08\"> : tensor<3xi4>").bytes, [1, 0xFF, 0xF8]);
    assert_eq!(dense("dense<\"0x0103\"> : tensor<2xui2>").bytes, [1, 3]);
    // MLIR writes 2^-10 as 9.7e-04.
    let floats = dense("dense<[1.0, 9.7e-04, -240.0, 0x7F]> : tensor<4xf8E4M3FNUZ>");
    assert_eq!(floats.bytes, held(&[1.0, 0.000_976_562_5, -240.0, 240.0]));
    assert_eq!(dense("dense<\"0x4041\"> : tensor<2xf8E4M3FNUZ>").bytes, held(&[1.0, 1.125]));
    let nan = dense("dense<0x80> : tensor<4xf8E4M3FNUZ>");
    assert!(nan.splat && half::f16::from_le_bytes([nan.bytes[0], nan.bytes[1]]).is_nan());
    for (text, says) in [
        ("dense<16> : tensor<1xi4>", "16 is out of the range of i4"),
        ("dense<-9> : tensor<1xi4>", "-9 is out of the range of i4"),
        ("dense<-1> : tensor<1xui4>", "-1 is out of the range of ui4"),
        ("dense<0x100> : tensor<1xf8E5M2FNUZ>", "`0x100` has more bits than f8E5M2FNUZ"),
        ("dense<\"0x0102\"> : tensor<3xi4>", "2 bytes where the type has 3"),
    ] {
        let problem = parse(&format!("module attributes {{a = {text}}} {{}}")).unwrap_err().to_string();
        assert!(problem.contains(says), "{text}: {problem}");
    }
}

#[test]
fn types_that_are_not_known_are_kept_as_written() {
    let many_bits = dense("dense<[1, -2]> : tensor<2xi128>");
    assert_eq!((many_bits.bytes, many_bits.element), (vec![], ElementType::Other("i128".into())));

    let quantized = "tensor<2x!quant.uniform<i8:f32, 5.0e-01:3>>";
    let function = function(
        "%a: tensor<2xf32>",
        &format!(
            "%0 = stablehlo.uniform_quantize %a : (tensor<2xf32>) -> {quantized}
             %1 = stablehlo.uniform_dequantize %0 : ({quantized}) -> tensor<2xf32>"
        ),
    );
    let element = ElementType::Other("!quant.uniform<i8:f32, 5.0e-01:3>".into());
    assert_eq!(function.values[1].ty, Type::Tensor { dims: vec![Some(2)], element });
    assert_eq!(function.values[1].ty.to_string(), quantized);

    let bounded = module("func.func private @f(tensor<?x2xf32,  #stablehlo.bounds< 3, // at most\n ? >>)");
    let written = "tensor<?x2xf32, #stablehlo.bounds<3, ?>>";
    assert_eq!(bounded.functions[0].arguments[0].ty, Type::Other(written.into()));
}

#[test]
fn labels_are_the_names_of_locations() {
    let module = module(
        r#"
#loc = loc(unknown)
#loc1 = loc("x")
module {
  func.func @main(%a: tensor<f32> loc(#loc1), %b: tensor<f32> loc("y")) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<f32> loc(#loc5)
    %1 = stablehlo.add %0, %b : tensor<f32> loc("direct"(#loc2))
    %2 = stablehlo.add %1, %b : tensor<f32> loc(callsite(#loc4 at #loc2))
    %3 = stablehlo.add %2, %b : tensor<f32> loc(fused<"meta">[#loc2, "fused"])
    %4 = stablehlo.add %3, %b : tensor<f32> loc("file.py":3:4 to :5:6)
    %5 = stablehlo.add %4, %b : tensor<f32> loc(#absent)
    %6 = stablehlo.add %5, %b : tensor<f32>
    return %6 : tensor<f32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc2 = loc("file.py":1:2)
#loc3 = loc("deep"(#loc2))
#loc4 = loc("layer/add"(callsite(#loc3 at #loc2)))
#loc5 = loc(#loc4)
"#,
    );
    let main = &module.functions[0];
    let of_arguments: Vec<&str> = main.arguments.iter().map(|a| &*a.label).collect();
    assert_eq!(of_arguments, ["x", "y"]);
    let labels: Vec<&str> = operations(main).iter().map(|o| &*o.label).collect();
    assert_eq!(labels, ["layer/add", "direct", "layer/add", "fused", "", "", "", ""]);
}

#[test]
fn locations_in_a_circle_have_no_name() {
    let text = "#a = loc(#b)\n#b = loc(#a)\nfunc.func @f() {\n  return loc(#a)\n}";
    assert_eq!(&*operations(&module(text).functions[0])[0].label, "");
}

#[test]
fn values_have_names_types_and_places() {
    let function = function(
        "%x: tensor<2xf32>",
        "  %0:2 = \"foo.pair\"(%x) : (tensor<2xf32>) -> (tensor<f32>, i32)\n  \"foo.use\"(%0#1, %0) : (i32, tensor<f32>) -> ()",
    );
    let values: Vec<String> =
        function.values.iter().map(|v| format!("{} {} {}", v.name, v.ty, v.at)).collect();
    assert_eq!(values, ["x tensor<2xf32> 1:14", "0#0 tensor<f32> 2:3", "0#1 i32 2:3"]);
    let uses = &operations(&function)[1];
    assert_eq!((uses.operands[0].0, uses.operands[1].0), (2, 1));
    assert_eq!(uses.at.to_string(), "3:3");
}

#[test]
fn aliases_stand_for_attributes_and_types() {
    let module = module(
        "!word = i32
         !pair = tuple<tensor<2xf32>, !word>
         #high = #stablehlo<precision HIGH>
         #list = [1, #high]
         func.func private @f(!pair, tensor<4x!word>) attributes {a = #list}",
    );
    let function = &module.functions[0];
    assert_eq!(function.arguments[0].ty.to_string(), "tuple<tensor<2xf32>, i32>");
    assert_eq!(function.arguments[1].ty.to_string(), "tensor<4xi32>");
    let high = Attribute::Enum("precision".into(), "HIGH".into());
    let one = Attribute::Int(1, Type::Element(ElementType::Known(DType::I64)));
    assert_eq!(function.attributes.get("a"), Some(&Attribute::Array(vec![one, high])));
}

#[test]
fn convolution_axes_have_the_names_of_the_specification() {
    let function = function(
        "%a: tensor<1x4x8x3xf32>, %b: tensor<5x3x3x3xf32>",
        "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 1, 0, f]x[o, 0, 1, i]->[f, b, 0, 1], window = {} \
         {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : \
         (tensor<1x4x8x3xf32>, tensor<5x3x3x3xf32>) -> tensor<5x1x6x2xf32>",
    );
    let Some(Attribute::Struct(name, fields)) = operations(&function)[0].attributes.get("dimension_numbers")
    else {
        panic!("no dimension numbers");
    };
    assert_eq!(name, "stablehlo.conv");
    let axis = |name: &str| match fields.get(name) {
        Some(Attribute::Int(axis, _)) => *axis,
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!((axis("input_batch_dimension"), axis("input_feature_dimension")), (0, 3));
    assert_eq!((axis("kernel_input_feature_dimension"), axis("kernel_output_feature_dimension")), (3, 0));
    assert_eq!((axis("output_batch_dimension"), axis("output_feature_dimension")), (1, 0));
    let axes = |name: &str| fields.get(name).cloned();
    assert_eq!(axes("input_spatial_dimensions"), Some(Attribute::Integers(vec![2, 1])));
    assert_eq!(axes("kernel_spatial_dimensions"), Some(Attribute::Integers(vec![1, 2])));
    assert_eq!(axes("output_spatial_dimensions"), Some(Attribute::Integers(vec![2, 3])));
}

#[test]
fn checks_are_operations_without_results() {
    let function = function(
        "%a: tensor<2xf32>",
        "check.expect_eq %a, %a : tensor<2xf32>
         check.expect_almost_eq %a, %a, tolerance = 1.0e-3 : tensor<2xf32>
         check.expect_eq_const %a, dense<[1.0, 2.0]> : tensor<2xf32>
         check.expect_almost_eq_const %a, dense<1.0> : tensor<2xf32>
         check.expect_close %a, %a, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>",
    );
    let said: Vec<String> = operations(&function)[..5]
        .iter()
        .map(|o| {
            let names: Vec<&str> = o.attributes.0.iter().map(|(n, _)| n.as_str()).collect();
            format!("{} {} {}", o.name, o.operands.len(), names.join(" "))
        })
        .collect();
    assert_eq!(
        said,
        [
            "check.expect_eq 2 ",
            "check.expect_almost_eq 2 tolerance",
            "check.expect_eq_const 1 value",
            "check.expect_almost_eq_const 1 value",
            "check.expect_close 2 max_ulp_difference min_ulp_difference",
        ]
    );
}

#[test]
fn regions_see_the_values_around_them_and_keep_their_own() {
    let function = function(
        "%a: tensor<i1>, %b: tensor<f32>",
        "%0 = \"stablehlo.if\"(%a) ({
           %1 = stablehlo.negate %b : tensor<f32>
           stablehlo.return %1 : tensor<f32>
         }, {
           %1 = stablehlo.abs %b : tensor<f32>
           stablehlo.return %1 : tensor<f32>
         }) : (tensor<i1>) -> tensor<f32>
         %1 = stablehlo.add %0, %b : tensor<f32>",
    );
    let regions = &operations(&function)[0].regions;
    assert_eq!(regions.len(), 2);
    assert_ne!(regions[0].operations[0].results, regions[1].operations[0].results);
    assert_eq!(regions[1].operations[0].operands, [function.arguments[1].value.expect("a body")]);
}

#[test]
fn integers_are_what_their_type_holds() {
    let text = "module attributes {a = 255 : i8, b = 0x7F : i8, c = -1 : i1, d = 255 : ui8, e = 300 : i4} {}";
    let attributes = module(text).attributes;
    let int = |name: &str| match attributes.get(name) {
        Some(Attribute::Int(value, _)) => *value,
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!((int("a"), int("b"), int("d"), int("e")), (-1, 127, 255, 300));
    assert_eq!(attributes.get("c"), Some(&Attribute::Bool(true)));
    let refused = parse("module attributes {a = 300 : i8} {}").expect_err("300 is not an i8").to_string();
    assert_eq!(refused, "1:24: 300 is out of the range of i8");
}

#[test]
fn further_ways_to_write_a_form() {
    let function = function(
        "%a: tensor<2x3xf32>",
        "%0:2 = chlo.top_k(%a, k = 1, is_stable = false) : tensor<2x3xf32> -> (tensor<2x1xf32>, tensor<2x1xi32>)
         %1 = stablehlo.transpose %a, dims = array<i64: 1, 0> : (tensor<2x3xf32>) -> tensor<3x2xf32>
         %2 = stablehlo.compare #stablehlo<comparison_direction LT>, %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
         %3 = stablehlo.constant() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32> // generic after the bare name
         %4 = stablehlo.add %a,%a:tensor< 2 x 3 x f32 >
         %5 = \"foo.x\"() {n = #stablehlo.gather<offset_dims = [0], index_vector_dim = 1,>} : () -> i32",
    );
    let attribute = |i: usize, name: &str| operations(&function)[i].attributes.get(name).cloned();
    assert_eq!(attribute(0, "is_stable"), Some(Attribute::Bool(false)));
    assert_eq!(attribute(1, "permutation"), Some(Attribute::Integers(vec![1, 0])));
    assert_eq!(
        attribute(2, "comparison_direction"),
        Some(Attribute::Enum("comparison_direction".into(), "LT".into()))
    );
    assert!(matches!(attribute(3, "value"), Some(Attribute::Dense(_))));
    assert!(matches!(attribute(5, "n"), Some(Attribute::Struct(_, fields)) if fields.0.len() == 2));
    assert_eq!(operations(&function).len(), 7);
}
