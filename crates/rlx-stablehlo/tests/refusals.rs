//! Errors in texts: their positions and messages.

use expect_test::{Expect, expect};
use rlx_stablehlo::{Diagnostics, parse};

fn refused(text: &str) -> Diagnostics {
    parse(text).expect_err("the text is wrong")
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&refused(text).to_string());
}

/// Returns a function whose body starts in line 2.
fn body(text: &str) -> String {
    format!("func.func @f(%a: tensor<2xf32>, %i: tensor<i32>) {{\n{text}\n  return\n}}")
}

#[test]
fn values() {
    let texts = [
        "  %0 = stablehlo.add %a, %b : tensor<2xf32>",
        "  %a = stablehlo.negate %a : tensor<2xf32>",
        "  %0 = stablehlo.add %a, %i : tensor<2xf32>",
        "  %0 = stablehlo.add %a, %a : (tensor<2xf32>) -> tensor<2xf32>",
        "  %0:3 = \"foo.x\"() : () -> (i32, i32)",
        "  %0:2 = \"foo.x\"() : () -> (i32, i32)\n  \"foo.y\"(%0#2) : (i32) -> ()",
        "  %0 = stablehlo.while(%x = %i) : tensor<i32> cond {\n    stablehlo.return %x : tensor<i32>\n  } do {\n  }\n  \"foo.y\"(%x) : (tensor<i32>) -> ()",
    ];
    let all: Vec<String> = texts.iter().map(|t| refused(&body(t)).to_string()).collect();
    expect![[r#"
        2:26: `stablehlo.add`: `%b` is not defined here
        2:3: `stablehlo.negate`: `%a` is already defined at 1:14
        2:26: `stablehlo.add`: `%i` is tensor<i32>, used as tensor<2xf32>
        3:3: `stablehlo.add`: 2 operands, but types for 1
        2:10: `foo.x`: the operation has 2 results, but names 3
        3:11: `foo.y`: `%0` has 2 results, so there is no #2
        6:11: `foo.y`: `%x` is not defined here"#]]
    .assert_eq(&all.join("\n"));
}

#[test]
fn functions_see_no_values_of_others() {
    check(
        "func.func @f(%a: tensor<f32>) {\n  return\n}\nfunc.func @g() {\n  return %a : tensor<f32>\n}",
        expect!["5:10: `func.return`: `%a` is not defined here"],
    );
    check(
        "func.func @f() {\n  return\n}\nfunc.func private @f()",
        expect!["4:19: `@f` is already defined at 1:11"],
    );
}

#[test]
fn constants() {
    let literals = [
        "dense<[1.0, 2.0]> : tensor<3xf32>",
        "dense<[[1.0], [2.0, 3.0]]> : tensor<2x1xf32>",
        "dense<[1.0, [2.0]]> : tensor<2xf32>",
        "dense<[1, 2]> : tensor<2xf32>",
        "dense<[1.5]> : tensor<1xi32>",
        "dense<300> : tensor<1xi8>",
        "dense<-1> : tensor<1xui8>",
        "dense<0x1FFFFFFFF> : tensor<f32>",
        "dense<(1.0)> : tensor<complex<f32>>",
        "dense<\"0x00\"> : tensor<2xf32>",
        "dense<\"0xZZ\"> : tensor<1xi8>",
        "dense<true> : tensor<2xi32>",
        "dense<1.0> : tensor<?xf32>",
        "dense<1.0> : tensor<4294967296x4294967296xf32>",
        "dense<1.0> : tensor<99999999999999999999xf32>",
        "dense<> : tensor<2xf32>",
        "dense<1.0 : tensor<2xf32>",
        "dense_resource<big> : tensor<2xf32>",
    ];
    let all: Vec<String> = literals
        .iter()
        .map(|l| refused(&body(&format!("  %0 = stablehlo.constant {l}"))).to_string())
        .collect();
    expect![[r#"
        2:33: `stablehlo.constant`: a list of 2 where the type says 3
        2:41: `stablehlo.constant`: a list of 2 where the type says 1
        2:39: `stablehlo.constant`: expected an element of type f32, found `[`
        2:34: `stablehlo.constant`: `1` is an integer; write `1.0` for a float
        2:34: `stablehlo.constant`: `1.5` is not an integer
        2:33: `stablehlo.constant`: 300 is out of the range of i8
        2:33: `stablehlo.constant`: -1 is out of the range of ui8
        2:33: `stablehlo.constant`: `0x1FFFFFFFF` has more bits than f32
        2:37: `stablehlo.constant`: expected `,`, found `)`
        2:33: `stablehlo.constant`: 1 bytes where the type has 8
        2:33: `stablehlo.constant`: elements in a string must be hexadecimal
        2:33: `stablehlo.constant`: expected an element of type i32, found `true`
        2:27: `stablehlo.constant`: a constant must have a static shape, not tensor<?xf32>
        2:40: `stablehlo.constant`: the tensor has too many elements
        2:47: `stablehlo.constant`: the size 99999999999999999999 is too large
        2:33: `stablehlo.constant`: expected elements, found `>`
        3:3: `stablehlo.constant`: expected `:`, found `return`
        2:27: `stablehlo.constant`: the elements of a `dense_resource` are outside the text; print the module with its constants"#]].assert_eq(&all.join("\n"));
}

#[test]
fn every_operation_without_a_reading_is_listed() {
    let text = body(
        "  %c = arith.constant 5 : index
  %s = shape.shape_of %a : tensor<2xf32> -> tensor<1xindex>
  %t:2 = foo.region %a {
    %x = foo.inner %a {y = 1} : tensor<2xf32>
  } cond {
    z.w
  } : tensor<2xf32>
  %0 = stablehlo.add %t#1, %a : tensor<2xf32>
  %1 = stablehlo.sort %0 : tensor<2xf32>
  %2 = stablehlo.tuple %1, %c : tuple<tensor<2xf32>, index>",
    );
    check(
        &text,
        expect![[r#"
        2:8: `arith.constant`: not an operation that RLX reads
        3:8: `shape.shape_of`: not an operation that RLX reads
        4:10: `foo.region`: not an operation that RLX reads
        10:8: `stablehlo.sort`: no known short form; write the operation in generic form, in quotes"#]],
    );
    assert!(refused(&text).all_unsupported());
}

#[test]
fn a_mistake_ends_the_list() {
    let text = body("  foo.one %a\n  %0 = stablehlo.add %a, : tensor<2xf32>\n  foo.two %a");
    check(
        &text,
        expect![[r#"
        2:3: `foo.one`: not an operation that RLX reads
        3:26: `stablehlo.add`: expected a value, found `:`"#]],
    );
    assert!(!refused(&text).all_unsupported());
}

#[test]
fn long_lists_end() {
    let all = refused(&body(&"  foo.one %a\n".repeat(1000)));
    assert_eq!(all.0.len(), 101);
    assert_eq!(
        all.0[100].to_string(),
        "102:3: more than 100 operations are not supported; the rest are not listed"
    );
}

#[test]
fn text_that_is_no_module() {
    let texts = [
        "module {",
        "module }",
        "func.func @f(",
        "func.func @f(%a: tensor<2xf32) {}",
        "func.func @f(%a: tensor<2xq32>) {}",
        "func.func @f(tensor<f32>) { return }",
        "func.func @f() { return } }",
        "func.func @f() {\n  \"foo.x\"() {a = \"open} : () -> ()\n}",
        "func.func @f() {\n  \"foo.x\"() {a = 1, a = 2} : () -> ()\n}",
        "func.func @f() {\n  \"foo.x\"() {a = #b} : () -> ()\n}",
        "func.func @f() {\n  \"foo.x\"()[^bb1] : () -> ()\n^bb1:\n}",
        "func.func @f() {\n^bb0:\n  return\n^bb1:\n  return\n}",
        "func.func @f() {\n  %0 = stablehlo.constant sparse<0> : tensor<f32>\n}",
        "\"func.func\"() ({\n}) : () -> ()",
        "\"func.func\"() <{sym_name = \"f\", function_type = (i32) -> ()}> ({\n^bb0(%a: i64):\n}) : () -> ()",
        "{-# dialect_resources",
        "module { é }",
        "// é\n/",
    ];
    let all: Vec<String> = texts.iter().map(|t| refused(t).to_string()).collect();
    expect![[r#"
        1:9: expected `}`, found the end of the text
        1:8: expected `{`, found `}`
        1:14: expected a type, found the end of the text
        1:30: expected `>`, found `)`
        1:27: expected a type, found `q32`
        1:27: the function has a body, so each of its arguments needs a name
        1:27: expected a module or a function, found `}`
        2:18: `foo.x`: a string is not closed on the line where it starts
        2:21: `foo.x`: the attribute `a` is given twice
        2:18: `foo.x`: `#b` is not defined
        2:12: `foo.x`: operations that end a block by jumping to another are not supported
        2:1: regions of several blocks are not supported: `^bb0`
        3:1: `stablehlo.constant`: expected the elements of a constant, found `}`
        1:1: the function has no `sym_name`
        1:1: the arguments of the body do not match the `function_type`
        1:1: `{-#` is not closed
        1:10: expected a function, found `é`
        2:1: expected a function, found `/`"#]]
    .assert_eq(&all.join("\n"));
}

#[test]
fn what_is_mlir_but_not_read_is_no_mistake() {
    for text in [
        body("  %0 = stablehlo.constant dense_resource<big> : tensor<2xf32>"),
        body("  \"cf.br\"()[^bb1] : () -> ()\n^bb1:"),
        body("  cf.br ^bb1(%a : tensor<2xf32>)\n^bb1(%b: tensor<2xf32>):"),
        body("  foo.x\n"),
    ] {
        assert!(refused(&text).all_unsupported(), "{text}");
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = |open: &str, close: &str| {
        format!(
            "func.func private @f() attributes {{a = {}1{}}}",
            open.repeat(100_000),
            close.repeat(100_000)
        )
    };
    for text in [
        deep("[", "]"),
        deep("{b = ", "}"),
        deep("tuple<", ">"),
        deep("() -> ", ""),
        format!("func.func @f() {{ return loc({}", "callsite(".repeat(100_000)),
        format!("func.func @f() {{ {}", "\"foo.x\"() ({ ".repeat(100_000)),
        "module { ".repeat(100_000),
        format!("func.func private @f({}f32", "tensor<2x".repeat(100_000)),
        format!("func.func private @f({}f32", "complex<".repeat(100_000)),
    ] {
        let message = refused(&text).to_string();
        assert!(message.contains("nested more than 64 deep") || message.contains("expected"), "{message}");
    }
}

#[test]
fn aliases_of_aliases_are_bounded() {
    let mut text = String::from("#a0 = [1, 1]\n!t0 = tuple<i32, i32>\n");
    for i in 1..60 {
        text.push_str(&format!("#a{i} = [#a{0}, #a{0}]\n!t{i} = tuple<!t{0}, !t{0}>\n", i - 1));
    }
    let message = refused(&text).to_string();
    assert!(message.contains("aliases expand to more than"), "{message}");
}
