#!/usr/bin/env python3
"""Writes each operation of StableHLO and CHLO in its short and its generic form, as MLIR prints them.

    python scripts/stablehlo_forms.py

Needs jax. Writes crates/rlx-stablehlo/tests/data/forms.txt, which tests/forms.rs reads: the two forms of a case must give
the same syntax tree. Fails if no case contains an operation of the two dialects, except for quantization.
"""

import re
from pathlib import Path

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import _chlo_ops_gen, _stablehlo_ops_gen

FORMS = Path(__file__).parent.parent / "crates" / "rlx-stablehlo" / "tests" / "data" / "forms.txt"

F = "tensor<2x3xf32>"
I = "tensor<2x3xi32>"
B = "tensor<2x3xi1>"
C = "tensor<2x3xcomplex<f32>>"
S = "tensor<f32>"


def function(arguments, body):
    """A function with this body, and arguments %a0, %a1, … of these types."""
    listed = ", ".join(f"%a{i}: {ty}" for i, ty in enumerate(arguments))
    return f"func.func @f({listed}) {{\n{body}\n  return\n}}"


def elementwise():
    unary = {
        F: "abs cbrt ceil cosine exponential exponential_minus_one floor log log_plus_one logistic negate "
        "round_nearest_afz round_nearest_even rsqrt sign sine sqrt tan tanh",
        I: "count_leading_zeros not popcnt",
    }
    binary = {
        F: "add atan2 divide maximum minimum multiply power remainder subtract",
        I: "and or xor shift_left shift_right_arithmetic shift_right_logical",
    }
    for ty, names in unary.items():
        yield ty, [f"%{n} = stablehlo.{n} %a0 : {ty}" for n in names.split()]
    for ty, names in binary.items():
        yield ty, [f"%{n} = stablehlo.{n} %a0, %a0 : {ty}" for n in names.split()]
    yield F, [
        f"%e = stablehlo.exponential %a0 {{result_accuracy = #stablehlo.result_accuracy<atol = 1.0e-5, ulps = 10, "
        f"mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}} : {F}",
        f"%h = stablehlo.tanh %a0 {{result_accuracy = #stablehlo.result_accuracy<mode = "
        f"#stablehlo.result_accuracy_mode<HIGHEST>>}} : {F}",
        f"%s = stablehlo.add %a0, %a0 {{mhlo.frontend_attributes = {{a = \"b\"}}, x.y, x.z = [1 : i32, -2.5, @f]}} : {F}",
    ]


def chlo_elementwise():
    unary = "_asin_acos_kernel acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf erf_inv erfc lgamma sinh square tan"
    for n in unary.split():
        ty = C if n == "_asin_acos_kernel" else F
        yield f"chlo.{n}", ty, f"%r = chlo.{n} %a0 : {ty} -> {ty}"
    for n in ["is_inf", "is_neg_inf", "is_pos_inf"]:
        yield f"chlo.{n}", F, f"%r = chlo.{n} %a0 : {F} -> {B}"
    for n in ["next_after", "polygamma", "zeta", "mulhi"]:
        ty = I if n == "mulhi" else F
        yield f"chlo.{n}", ty, f"%r = chlo.{n} %a0, %a0 : {ty}, {ty} -> {ty}"
    floats = "add atan2 divide maximum minimum multiply next_after polygamma power remainder subtract zeta"
    integers = "and or shift_left shift_right_arithmetic shift_right_logical xor"
    for ty, names in [(F, floats), (I, integers)]:
        for n in names.split():
            text = f"%r = chlo.broadcast_{n} %a0, %a0 {{broadcast_dimensions = array<i64: 0, 1>}} : ({ty}, {ty}) -> {ty}"
            yield f"chlo.broadcast_{n}", ty, text


CASES = {
    "complex": (
        [F, C],
        f"""
  %0 = stablehlo.complex %a0, %a0 : {C}
  %1 = stablehlo.real %a1 : ({C}) -> {F}
  %2 = stablehlo.imag %a1 : ({C}) -> {F}
  %3 = stablehlo.abs %a1 : ({C}) -> {F}
  %4 = stablehlo.constant dense<(1.0, -2.0)> : tensor<2xcomplex<f64>>
  %5 = stablehlo.constant dense<[(0.5, 0x7FC00000), (-1.0, 0.0)]> : tensor<2xcomplex<f32>>""",
    ),
    "types": (
        [F, I, "tensor<?x3xf32>", "tensor<f8E4M3FN>", "tensor<0x2xui8>"],
        f"""
  %0 = stablehlo.convert %a0 : ({F}) -> tensor<2x3xbf16>
  %1 = stablehlo.is_finite %a0 : ({F}) -> {B}
  %2 = stablehlo.bitcast_convert %a1 : ({I}) -> {F}
  %3 = stablehlo.add %a2, %a2 : tensor<?x3xf32>
  %4 = stablehlo.convert %a3 : (tensor<f8E4M3FN>) -> tensor<f8E5M2>
  %5 = stablehlo.reduce_precision %a0, format = e5m10 : {F}
  %6 = stablehlo.reduce_precision %a0, format = e8m0 {{x.y = 1 : i8}} : {F}
  %7 = stablehlo.add %a4, %a4 : tensor<0x2xui8>""",
    ),
    "constants": (
        [],
        """
  %0 = stablehlo.constant dense<[[1.0, 2.5, -0.0], [1.0e-30, 0x7F800000, 0xFFC00001]]> : tensor<2x3xf32>
  %1 = stablehlo.constant dense<7> : tensor<1000x1000xi32>
  %2 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %3 = stablehlo.constant dense<> : tensor<0x2xf32>
  %4 = stablehlo.constant dense<[-128, 127, -1]> : tensor<3xi8>
  %5 = stablehlo.constant dense<[0, 18446744073709551615]> : tensor<2xui64>
  %6 = stablehlo.constant dense<"0x0000803F0000004000004040"> : tensor<3xf32>
  %7 = stablehlo.constant dense<[0.1, 65504.0, 1.0e10]> : tensor<3xf16>
  %8 = stablehlo.constant dense<[0.1, 3.0e38]> : tensor<2xbf16>
  %9 = stablehlo.constant dense<[0.1, 448.0, 1.0]> : tensor<3xf8E4M3FN>
  %10 = stablehlo.constant dense<[1, -2, 7]> : tensor<3xi4>
  %11 = stablehlo.constant {x.y = dense<[[1], [2]]> : tensor<2x1xindex>} dense<0.1> : tensor<f64>
  %12 = chlo.constant dense<1.0> : tensor<2xf32>""",
    ),
    "compare and select": (
        [F, B, "tensor<i1>", C],
        f"""
  %0 = stablehlo.compare EQ, %a0, %a0 : ({F}, {F}) -> {B}
  %1 = stablehlo.compare LT, %a0, %a0, TOTALORDER : ({F}, {F}) -> {B}
  %2 = stablehlo.select %a1, %a0, %a0 : {B}, {F}
  %3 = stablehlo.select %a2, %a0, %a0 : tensor<i1>, {F}
  %4 = stablehlo.select %a2, %a0, %a0 : (tensor<i1>, {F}, {F}) -> tensor<?x3xf32>
  %5 = stablehlo.clamp %a0, %a0, %a0 : {F}
  %6 = chlo.broadcast_compare %a0, %a0 {{comparison_direction = #chlo<comparison_direction NE>, compare_type = #chlo<comparison_type FLOAT>}} : ({F}, {F}) -> {B}
  %7 = chlo.broadcast_select %a2, %a0, %a0 : (tensor<i1>, {F}, {F}) -> {F}
  %8 = chlo.broadcast_complex %a0, %a0 : ({F}, {F}) -> {C}
  %9 = "chlo.constant_like"(%a0) {{value = 1.5 : f32}} : ({F}) -> {F}""",
    ),
    "clamp": (
        [F, S],
        f"  %0 = stablehlo.clamp %a1, %a0, %a1 : ({S}, {F}, {S}) -> {F}",
    ),
    "shapes": (
        [F, S, "tensor<3xi32>", "tensor<i32>", "tensor<2xi64>"],
        f"""
  %0 = stablehlo.broadcast_in_dim %a2, dims = [1] : (tensor<3xi32>) -> {I}
  %1 = stablehlo.broadcast_in_dim %a1, dims = [] : ({S}) -> {F}
  %2 = stablehlo.broadcast %a1, sizes = [2, 3] : ({S}) -> {F}
  %3 = stablehlo.reshape %a0 : ({F}) -> tensor<6xf32>
  %4 = stablehlo.transpose %a0, dims = [1, 0] : ({F}) -> tensor<3x2xf32>
  %5 = stablehlo.reverse %a0, dims = [0, 1] : {F}
  %6 = stablehlo.concatenate %a0, %a0, dim = 1 : ({F}, {F}) -> tensor<2x6xf32>
  %7 = stablehlo.slice %a0 [0:1, 0:3:2] : ({F}) -> tensor<1x2xf32>
  %8 = stablehlo.slice %a1 [] : ({S}) -> {S}
  %9 = stablehlo.pad %a0, %a1, low = [0, -1], high = [1, 2], interior = [0, 3] : ({F}, {S}) -> tensor<3x10xf32>
  %10 = stablehlo.iota dim = 1 : {F}
  %11 = stablehlo.dynamic_slice %a0, %a3, %a3, sizes = [1, 2] : ({F}, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %12 = stablehlo.dynamic_update_slice %a0, %11, %a3, %a3 : ({F}, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> {F}
  %13 = stablehlo.get_dimension_size %a0, dim = 1 : ({F}) -> tensor<i32>
  %14 = stablehlo.concatenate %a0, dim = 0 : ({F}) -> {F}""",
    ),
    "dynamic shapes": (
        [F, S, "tensor<2xi64>", "tensor<i32>", "tensor<?x3xf32>"],
        f"""
  %0 = stablehlo.dynamic_iota %a2, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  %1 = stablehlo.dynamic_broadcast_in_dim %a1, %a2, dims = [] : ({S}, tensor<2xi64>) -> tensor<?x?xf32>
  %2 = stablehlo.dynamic_broadcast_in_dim %a0, %a2, dims = [0, 1] {{known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>}} : ({F}, tensor<2xi64>) -> tensor<?x?xf32>
  %3 = stablehlo.dynamic_reshape %a0, %a2 : ({F}, tensor<2xi64>) -> tensor<?x?xf32>
  %4 = stablehlo.dynamic_pad %a0, %a1, %a2, %a2, %a2 : ({F}, {S}, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %5 = stablehlo.real_dynamic_slice %a0, %a2, %a2, %a2 : ({F}, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %6 = stablehlo.set_dimension_size %a0, %a3, dim = 0 : ({F}, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<2, ?>>
  %7 = "stablehlo.dynamic_gather"(%a0, %a2, %a2) {{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [0, 1]>, indices_are_sorted = true}} : ({F}, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>""",
    ),
    "products": (
        ["tensor<2x3x4xf32>", "tensor<2x4x5xf32>", "tensor<4xf32>"],
        """
  %0 = stablehlo.dot_general %a0, %a1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = stablehlo.dot_general %a0, %a2, contracting_dims = [2] x [0], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  %2 = stablehlo.dot_general %a2, %a2, contracting_dims = [] x [], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.dot_general %a2, %a2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> {x.y} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %4 = stablehlo.dot %a2, %a2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %5 = stablehlo.dot %a2, %a2, precision = [DEFAULT, HIGH] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %6 = stablehlo.einsum %a0, %a1, config = "bij,bjk->bik" : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %7 = stablehlo.unary_einsum %a2, config = "a->" : (tensor<4xf32>) -> tensor<f32>""",
    ),
    "ragged_dot": (
        ["tensor<11x5xf32>", "tensor<3x5x7xf32>", "tensor<3xi64>"],
        """
  %0 = "chlo.ragged_dot"(%a0, %a1, %a2) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<11x7xf32>""",
    ),
    "convolutions": (
        ["tensor<1x8x8x4xf32>", "tensor<3x3x2x6xf32>", "tensor<2x2xi64>", "tensor<2x3xf32>"],
        """
  %0 = stablehlo.convolution(%a0, %a1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 0], [0, 2]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x3x15x6xf32>
  %1 = stablehlo.convolution(%a0, %a1) dim_numbers = [b, 1, 0, f]x[0, 1, i, o]->[f, 0, b, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<6x6x1x6xf32>
  %2 = stablehlo.convolution(%a0, %a1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<1x8x8x6xf32>
  %3 = "stablehlo.dynamic_conv"(%a0, %a1, %a2) {dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64, batch_group_count = 1 : i64, window_strides = array<i64: 1, 1>, window_reversal = array<i1: false, true>} : (tensor<1x8x8x4xf32>, tensor<3x3x2x6xf32>, tensor<2x2xi64>) -> tensor<1x?x?x6xf32>
  %4 = stablehlo.convolution(%a3, %a3) dim_numbers = [b, f]x[o, i]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>""",
    ),
    "gather and scatter": (
        [F, "tensor<2x1xi32>", "tensor<2x3xi32>"],
        f"""
  %0 = "stablehlo.gather"(%a0, %a1) {{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = false}} : ({F}, tensor<2x1xi32>) -> {F}
  %1 = "stablehlo.gather"(%a0, %a1) {{dimension_numbers = #stablehlo.gather<operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], collapsed_slice_dims = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}} : ({F}, tensor<2x1xi32>) -> tensor<2xf32>
  %2:2 = "stablehlo.scatter"(%a0, %a2, %a1, %a0, %a2) ({{
  ^bb0(%x: {S}, %y: tensor<i32>, %u: {S}, %v: tensor<i32>):
    %s = stablehlo.add %x, %u : {S}
    stablehlo.return %s, %v : {S}, tensor<i32>
  }}) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = true, unique_indices = false}} : ({F}, {I}, tensor<2x1xi32>, {F}, {I}) -> ({F}, {I})
  %3 = stablehlo.add %2#0, %a0 : {F}
  %4 = "stablehlo.torch_index_select"(%a0, %a1) {{dim = 0 : i64, batch_dims = 0 : i64}} : ({F}, tensor<2x1xi32>) -> tensor<2x1x3xf32>""",
    ),
    "reduce": (
        [F, S, I, "tensor<i32>"],
        f"""
  %0 = stablehlo.reduce(%a0 init: %a1) applies stablehlo.add across dimensions = [0] : ({F}, {S}) -> tensor<3xf32>
  %1 = stablehlo.reduce(%a0 init: %a1) applies stablehlo.maximum across dimensions = [0, 1] {{x.y = 1 : i32}} : ({F}, {S}) -> {S}
  %2 = stablehlo.reduce(%a0 init: %a1) across dimensions = [1] : ({F}, {S}) -> tensor<2xf32>
    reducer(%x: {S}, %y: {S}) {{
    %m = stablehlo.multiply %y, %x : {S}
    stablehlo.return %m : {S}
  }}
  %3:2 = stablehlo.reduce(%a0 init: %a1), (%a2 init: %a3) across dimensions = [1] : ({F}, {I}, {S}, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    reducer(%x: {S}, %y: {S}) (%i: tensor<i32>, %j: tensor<i32>) {{
    %m = stablehlo.minimum %x, %y : {S}
    %n = stablehlo.maximum %i, %j : tensor<i32>
    stablehlo.return %m, %n : {S}, tensor<i32>
  }}
  %4 = stablehlo.reduce(%a2 init: %a3) applies stablehlo.xor across dimensions = [] : ({I}, tensor<i32>) -> {I}
  %5 = stablehlo.add %3#0, %2 : tensor<2xf32>""",
    ),
    "windows": (
        [F, S],
        f"""
  %0 = "stablehlo.reduce_window"(%a0, %a1) ({{
  ^bb0(%x: {S}, %y: {S}):
    %s = stablehlo.add %x, %y : {S}
    stablehlo.return %s : {S}
  }}) {{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 2>, base_dilations = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}} : ({F}, {S}) -> tensor<2x2xf32>
  %1 = "stablehlo.select_and_scatter"(%a0, %0, %a1) ({{
  ^bb0(%x: {S}, %y: {S}):
    %c = stablehlo.compare GE, %x, %y, FLOAT : ({S}, {S}) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}, {{
  ^bb0(%x: {S}, %y: {S}):
    %s = stablehlo.add %x, %y : {S}
    stablehlo.return %s : {S}
  }}) {{window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 2>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>}} : ({F}, tensor<2x2xf32>, {S}) -> {F}
  %2 = "stablehlo.map"(%a0) ({{
  ^bb0(%x: {S}):
    %s = stablehlo.sine %x : {S}
    stablehlo.return %s : {S}
  }}) {{dimensions = array<i64: 0, 1>}} : ({F}) -> {F}""",
    ),
    "sort": (
        [F, I],
        f"""
  %0:2 = "stablehlo.sort"(%a0, %a1) ({{
  ^bb0(%x: {S}, %y: {S}, %i: tensor<i32>, %j: tensor<i32>):
    %c = stablehlo.compare LT, %x, %y, TOTALORDER : ({S}, {S}) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }}) {{dimension = 1 : i64, is_stable = true}} : ({F}, {I}) -> ({F}, {I})
  %1:2 = chlo.top_k(%a0, k = 2) : {F} -> (tensor<2x2xf32>, tensor<2x2xi32>)""",
    ),
    "while": (
        ["tensor<i32>", F],
        f"""
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %a0, %x = %a1) : tensor<i32>, {F} attributes {{x.y = "z"}}
  cond {{
    %c = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %n = stablehlo.add %i, %one : tensor<i32>
    %inner = stablehlo.while(%k = %n) : tensor<i32> cond {{
      %c = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }} do {{
      stablehlo.return %k : tensor<i32>
    }}
    stablehlo.return %inner, %x : tensor<i32>, {F}
  }}
  %1 = stablehlo.negate %0#1 : {F}
  stablehlo.while() cond {{
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    stablehlo.return
  }}""",
    ),
    "branches": (
        ["tensor<i1>", "tensor<i32>", F],
        f"""
  %0 = "stablehlo.if"(%a0) ({{
    stablehlo.return %a2 : {F}
  }}, {{
    %n = stablehlo.negate %a2 : {F}
    stablehlo.return %n : {F}
  }}) : (tensor<i1>) -> {F}
  %1:2 = "stablehlo.case"(%a1) ({{
    stablehlo.return %a2, %0 : {F}, {F}
  }}, {{
    stablehlo.return %0, %a2 : {F}, {F}
  }}, {{
    stablehlo.return %0, %0 : {F}, {F}
  }}) : (tensor<i32>) -> ({F}, {F})
  %2 = stablehlo.add %1#1, %1#0 : {F}""",
    ),
    "scan": (
        ["tensor<4x3xf32>", "tensor<3xf32>"],
        """
  %0:2 = chlo.scan(%a0) inits (%a1) dimension=0 attributes {is_reverse = true, is_associative = false} {
  ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>):
    %s = stablehlo.add %x, %c : tensor<3xf32>
    stablehlo.return %s, %s : tensor<3xf32>, tensor<3xf32>
  } : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)""",
    ),
    "linear algebra": (
        ["tensor<3x3xf32>", "tensor<4xcomplex<f32>>"],
        """
  %0 = stablehlo.cholesky %a0, lower = true : tensor<3x3xf32>
  %1 = stablehlo.cholesky %a0 : tensor<3x3xf32>
  %2 = "stablehlo.triangular_solve"(%0, %a0) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %3 = stablehlo.fft %a1, type = IFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>""",
    ),
    "random": (
        [S, "tensor<2xi64>", "tensor<2xui64>"],
        f"""
  %0 = stablehlo.rng %a0, %a0, %a1, distribution = NORMAL : ({S}, {S}, tensor<2xi64>) -> tensor<?x?xf32>
  %1, %2 = stablehlo.rng_bit_generator %a2, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8xui32>)""",
    ),
    "batch_norm": (
        ["tensor<2x2x3xf32>", "tensor<3xf32>"],
        """
  %0 = "stablehlo.batch_norm_inference"(%a0, %a1, %a1, %a1, %a1) {epsilon = 1.0e-3 : f32, feature_index = 2 : i64} : (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x2x3xf32>
  %1:3 = "stablehlo.batch_norm_training"(%a0, %a1, %a1) {epsilon = 0.0 : f32, feature_index = 2 : i64} : (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %2:3 = "stablehlo.batch_norm_grad"(%a0, %a1, %a1, %a1, %a0) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x2x3xf32>) -> (tensor<2x2x3xf32>, tensor<3xf32>, tensor<3xf32>)""",
    ),
    "custom_call": (
        [F],
        f"""
  %0 = stablehlo.custom_call @Sharding(%a0) {{mhlo.sharding = "\\08\\03\\1A\\02"}} : ({F}) -> {F}
  %1:2 = stablehlo.custom_call @"a name"(%a0, %a0) {{api_version = 4 : i32, backend_config = {{a = 1 : i64, b = [true, 2.0 : f32]}}, has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], called_computations = [@f]}} : ({F}, {F}) -> ({F}, {S})
  stablehlo.custom_call @check.expect_eq(%a0, %0) {{api_version = 2 : i32, backend_config = "{{\\22k\\22: 1}}"}} : ({F}, {F}) -> ()
  %2 = stablehlo.custom_call @aliased(%a0) {{output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}} : ({F}) -> {F}""",
    ),
    "tuples and barriers": (
        [F, S],
        f"""
  %0 = stablehlo.tuple %a0, %a1 : tuple<{F}, {S}>
  %1 = stablehlo.get_tuple_element %0[1] : (tuple<{F}, {S}>) -> {S}
  %2:2 = stablehlo.optimization_barrier %a0, %a1 : {F}, {S}
  stablehlo.optimization_barrier ()
  %3 = stablehlo.tuple %0, %1 {{x.y}} : tuple<tuple<{F}, {S}>, {S}>
  %4 = stablehlo.tuple  : tuple<>""",
    ),
    "tokens": (
        [F],
        f"""
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %0, %0 : !stablehlo.token
  %2 = stablehlo.after_all  : !stablehlo.token
  %3:2 = "stablehlo.infeed"(%1) {{infeed_config = "", layout = [[0, 1]]}} : (!stablehlo.token) -> ({F}, !stablehlo.token)
  %4 = "stablehlo.outfeed"(%a0, %3#1) {{outfeed_config = ""}} : ({F}, !stablehlo.token) -> !stablehlo.token
  %5 = "stablehlo.send"(%a0, %4) {{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}} : ({F}, !stablehlo.token) -> !stablehlo.token
  %6:2 = "stablehlo.recv"(%5) {{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}} : (!stablehlo.token) -> ({F}, !stablehlo.token)""",
    ),
    "collectives": (
        ["tensor<4x4xf32>", S],
        f"""
  %0 = stablehlo.replica_id : tensor<ui32>
  %1 = stablehlo.partition_id : tensor<ui32>
  %2 = "stablehlo.all_gather"(%a0) {{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, use_global_device_ids}} : (tensor<4x4xf32>) -> tensor<4x8xf32>
  %3 = "stablehlo.all_reduce"(%a0) ({{
  ^bb0(%x: {S}, %y: {S}):
    %s = stablehlo.add %x, %y : {S}
    stablehlo.return %s : {S}
  }}) {{replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = "stablehlo.reduce_scatter"(%a0) ({{
  ^bb0(%x: {S}, %y: {S}):
    %s = stablehlo.add %x, %y : {S}
    stablehlo.return %s : {S}
  }}) {{scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %5 = "stablehlo.all_to_all"(%a0) {{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<4x4xf32>) -> tensor<8x2xf32>
  %6 = "stablehlo.collective_permute"(%a0) {{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = "stablehlo.collective_broadcast"(%a0) {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %8 = "stablehlo.cross-replica-sum"(%a0) {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %9 = "stablehlo.async_start"(%a0) ({{
  ^bb0(%x: tensor<4x4xf32>):
    %r = "stablehlo.all_gather"(%x) {{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<4x4xf32>) -> tensor<4x8xf32>
    stablehlo.return %r : tensor<4x8xf32>
  }}) : (tensor<4x4xf32>) -> !stablehlo.future<tensor<4x8xf32>>
  %10 = "stablehlo.async_done"(%9) : (!stablehlo.future<tensor<4x8xf32>>) -> tensor<4x8xf32>""",
    ),
}

# jaxlib lacks the dialect of quantized types, so it prints neither.
UNPRINTED = {"stablehlo.uniform_quantize", "stablehlo.uniform_dequantize"}

# Whole modules, for syntax outside of function bodies.
MODULES = {
    "functions": f"""
module @program attributes {{mhlo.num_partitions = 1 : i32, x.list = [1, "two", @main, unit, i32, {{a = false}}]}} {{
  func.func public @main(%x: {F} {{jax.buffer_donor = true}} loc("x"), %y: {S}) -> ({F} {{jax.result_info = "out"}}, {S}) attributes {{x.y = 1 : i64}} {{
    %0:2 = call @callee(%x, %y) : ({F}, {S}) -> ({F}, {S})
    %1 = func.call @declared(%0#1) {{x.y = array<f32: 1.0, 2.5>}} : ({S}) -> {S}
    %2 = stablehlo.composite "my.op" %0#0 {{composite_attributes = {{n = 1 : i64}}, decomposition = @scaled, version = 1 : i32}} : ({F}) -> {F}
    return %2, %1 : {F}, {S}
  }}
  func.func private @callee(%x: {F}, %y: {S}) -> ({F}, {S}) {{
    return %x, %y : {F}, {S}
  }}
  func.func private @scaled(%x: {F}) -> {F} {{
    return %x : {F}
  }}
  func.func private @declared({S} {{x.y = 2 : i8}}) -> ({S} {{x.z = "r"}})
  func.func @nothing() {{
    return
  }}
}}""",
    "nested modules": f"""
module @outer {{
  builtin.module @inner {{
    func.func @main(%x: {F}) -> {F} {{
      return %x : {F}
    }}
  }}
}}""",
    "sharding": f"""
module @sharded {{
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%x: tensor<8x4xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}}) -> tensor<8x4xf32> {{
    %0 = sdy.sharding_constraint %x <@mesh, [{{"x", ?}}, {{}}]> : tensor<8x4xf32>
    %1 = sdy.reshard %0 <@mesh, [{{}}, {{"y"}}]> : tensor<8x4xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{{"x"}}, {{}}]>] out_shardings=[<@mesh, [{{"x"}}, {{}}]>] manual_axes={{"x", "y"}} (%b: tensor<4x4xf32>) {{
      %3 = stablehlo.add %b, %b : tensor<4x4xf32>
      sdy.return %3 : tensor<4x4xf32>
    }} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }}
}}""",
    "attributes": """
#map = affine_map<(d0, d1) -> (d1, d0)>
module attributes {x.a = #map, x.b = dense<[[1.0, 2.0]]> : tensor<1x2xf64>, x.c = 0x7FF0000000000000 : f64, x.d = -5 : i8,
  x.e = "a\\22b\\5C\\0A", x.f = array<i32>, x.g = tensor<2x?xf32>, x.h = (tensor<f32>) -> (), x.i = #stablehlo<precision HIGH>,
  x.j = 1.5e+02 : bf16, x.k = @a::@b, x.l = dense<true> : vector<4xi1>, x.m = loc("here"), x.n = 3 : ui8, x.o = none,
  x.p = 170141183460469231731687303715884105727 : i128, x.q = tuple<i32, complex<f64>>, x.r = tensor<*xf32>, x.s = 4 : index} {
}""",
}


def main():
    cases = {}
    for number, (ty, lines) in enumerate(elementwise()):
        cases[f"elementwise {number}"] = function([ty], "\n".join("  " + line for line in lines))
    for name, ty, line in chlo_elementwise():
        cases[name] = function([ty], "  " + line)
    for name, (arguments, body) in CASES.items():
        cases[name] = function(arguments, body.lstrip("\n"))
    cases.update({name: text.lstrip("\n") for name, text in MODULES.items()})

    out, generic_forms = [], ""
    with mlir.make_ir_context(), ir.Location.unknown():
        for name, text in cases.items():
            try:
                module = ir.Module.parse(text)
            except Exception as error:
                raise SystemExit(f"{name}: {error}") from error
            # From the short form, since it omits attributes with default values.
            module = ir.Module.parse(str(module))
            generic = module.operation.get_asm(print_generic_op_form=True)
            generic_forms += generic
            out.append(f"==== {name}\n{str(module).strip()}\n==== generic\n{generic.strip()}\n")

    for dialect in (_stablehlo_ops_gen, _chlo_ops_gen):
        for value in vars(dialect).values():
            operation = getattr(value, "OPERATION_NAME", None)
            if operation in UNPRINTED:
                continue
            if operation and not re.search(f'"{re.escape(operation)}"', generic_forms):
                raise SystemExit(f"no case has {operation}")
    FORMS.parent.mkdir(parents=True, exist_ok=True)
    FORMS.write_text("\n".join(out))
    print(f"{len(cases)} cases")


if __name__ == "__main__":
    main()
