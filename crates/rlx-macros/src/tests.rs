//! Tests what the macro refuses: the message, and the code that it points at.

use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;

/// The message and the source text of the error.
fn refused(settings: &str, item: &str) -> (String, String) {
    let tokens = |text: &str| -> TokenStream { text.parse().unwrap() };
    let error = crate::expand(Some(&data()), tokens(settings), tokens(item)).unwrap_err();
    (error.to_string(), error.span().source_text().unwrap_or_default())
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

#[track_caller]
fn refuses(settings: &str, item: &str, message: &[&str], at: &str) {
    let (said, place) = refused(settings, item);
    for part in message {
        assert!(said.contains(part), "{said}\nneeds {part}");
    }
    assert_eq!(place, at, "{said}");
}

/// A model with one input and this body.
fn body(text: &str) -> String {
    format!("fn model(x: [[f32; 4]; 1]) -> [[f32; 2]; 1] {{ {text} }}")
}

#[test]
fn shapes_that_do_not_fit_are_reported_at_their_expression() {
    let item = body("let w = param::<[[f32; 2]; 5]>(\"w\"); let h = x.matmul(&w); h.relu()");
    refuses("", &item, &["`matmul`", "f32[1,4]", "f32[5,2]"], "x.matmul(&w)");
    let item = body("let y = x + constant([1.0, 2.0, 3.0]); y");
    refuses("", &item, &["f32[1,4] and f32[3] do not broadcast"], "x + constant([1.0, 2.0, 3.0])");
    refuses("", &body("x.softmax(2)"), &["`softmax`", "f32[1,4]"], "x.softmax(2)");
    refuses("", &body("x.reshape(&[3, 1])"), &["`reshape`"], "x.reshape(&[3, 1])");
    refuses(
        "",
        &body("op(\"cumulative {op = max, axis = 3, exclusive = false, reverse = false}\", &[&x])"),
        &["axis"],
        "op(\"cumulative {op = max, axis = 3, exclusive = false, reverse = false}\", &[&x])",
    );
}

#[test]
fn results_have_the_declared_shapes() {
    refuses("", &body("x.relu()"), &["this is f32[1,2], but the body returns f32[1,4]"], "[[f32; 2]; 1]");
    let item = "fn model(x: [f32; 4]) -> ([f32; 4], [f32; 4]) { x }";
    refuses("", item, &["2 result(s) are declared, but the body returns 1"], "{ x }");
    refuses("", "fn model(x: [f32; 4]) { x }", &["declare what the model returns"], "{ x }");
    refuses("", &body("3.0"), &["the model returns tensors, but this is the number 3.0"], "{ 3.0 }");
}

#[test]
fn what_the_language_lacks_is_said_with_what_it_has() {
    refuses(
        "",
        &body("x.frobnicate()"),
        &["no method `frobnicate`", "matmul", "softmax", "op("],
        "frobnicate",
    );
    refuses("", &body("frobnicate(&x)"), &["no function `frobnicate`", "param, scalar"], "frobnicate(&x)");
    refuses("", &body("y"), &["`y` is not an input, variable or size"], "y");
    refuses(
        "",
        &body("x * 2"),
        &["`mul` does not apply to a tensor f32[1,4] and the integer 2; write 2.0"],
        "x * 2",
    );
    refuses("", &body("x < x"), &["comparisons are methods"], "<");
    refuses("", &body("if true { x } else { x }"), &["`for` over ranges"], "if true { x } else { x }");
    refuses("", &body("x.softmax(1.5)"), &["`softmax(axis: integer from 0)`", "the number 1.5"], "softmax");
    refuses("", &body("x.softmax()"), &["takes 1 argument(s), got 0"], "softmax");
    refuses("", &body("for i in 0..100000 { x }"), &["at most 4096 iterations"], "0..100000");
    refuses("", "fn model(x: [f32; N]) -> [f32; 4] { x }", &["const BATCH: usize"], "N");
    refuses("", "fn model(x: [f16; 4]) -> [f32; 4] { x }", &["f32, f64, bool"], "f16");
    refuses("", "fn model<T>(x: [f32; 4]) -> [f32; 4] { x }", &["`const N: usize`"], "T");
    refuses("", "enum Model {}", &["on a function", "struct without fields"], "");
    refuses("", "struct Model;", &["name the file of the graph"], "Model");
}

#[test]
fn weights_are_checked() {
    let with = "weights = \"head.safetensors\"";
    refuses(with, &body("x.matmul(&param(\"v\"))"), &["has no tensor `v`", "`b`, `w`"], "param(\"v\")");
    let item = body("x.matmul(&param::<[[f32; 2]; 3]>(\"w\"))");
    refuses(
        with,
        &item,
        &["`w` is declared f32[3,2], but the weights have f32[4,2]"],
        "param::<[[f32; 2]; 3]>(\"w\")",
    );
    refuses("", &body("x.matmul(&param(\"w\"))"), &["the shape of `w` is not known"], "param(\"w\")");
    refuses("weights = \"none.safetensors\"", &body("x"), &["none.safetensors"], "\"none.safetensors\"");
    refuses("weights = \"head.rlx\"", &body("x"), &["head.rlx"], "\"head.rlx\"");
    refuses("wheights = \"a\"", &body("x"), &["`weights = \"FILE.safetensors\"`"], "wheights");
}

#[test]
fn graphs_of_files_are_checked() {
    refuses("\"broken.rlx\"", "struct Head;", &["broken.rlx", "matmul", "f32[5,2]"], "\"broken.rlx\"");
    refuses("\"none.rlx\"", "struct Head;", &["none.rlx"], "\"none.rlx\"");
    refuses("\"head.safetensors\"", "struct Head;", &[".rlx file"], "\"head.safetensors\"");
    let other = "\"other.rlx\", weights = \"head.safetensors\"";
    refuses(
        other,
        "struct Head;",
        &["`w` is declared f32[2,4], but the weights have f32[4,2]"],
        "\"other.rlx\"",
    );
    refuses("\"head.rlx\"", &body("x"), &["a function is itself the model"], "\"head.rlx\"");
}

#[cfg(not(feature = "stablehlo"))]
#[test]
fn stablehlo_without_its_feature_is_refused_with_what_to_do() {
    refuses(
        "\"head.mlir\"",
        "struct Head;",
        &["head.mlir", "feature `stablehlo`", "rlx convert"],
        "\"head.mlir\"",
    );
}

#[cfg(feature = "stablehlo")]
#[test]
fn broken_stablehlo_is_refused_with_its_line() {
    refuses("\"head.mlir\"", "struct Head;", &["head.mlir", "2:"], "\"head.mlir\"");
}

#[test]
fn nothing_of_the_body_is_left_in_the_program() {
    let item = body("let w = param::<[[f32; 2]; 4]>(\"w\"); for i in 0..2 { } x.matmul(&w).tanh()");
    let tokens = crate::expand(None, TokenStream::new(), item.parse().unwrap()).unwrap().to_string();
    assert!(tokens.contains("struct Model"), "{tokens}");
    assert!(tokens.contains("tanh"), "the text of the graph names the function");
    for front_end in ["matmul (", "tanh (", "Builder", "Tensor", "param ::"] {
        assert!(!tokens.contains(front_end), "{front_end}: {tokens}");
    }
}

#[cfg(not(feature = "ahead"))]
#[test]
fn ahead_without_its_feature_is_refused() {
    refuses("ahead", "fn model(x: [f32; 4]) -> [f32; 4] { x.relu() }", &["feature `ahead`"], "ahead");
}

#[cfg(feature = "ahead")]
#[test]
fn ahead_of_time_every_size_is_a_number_or_has_a_largest() {
    let open = "fn model<const N: usize>(x: [f32; N]) -> [f32; N] { x.relu() }";
    refuses("ahead", open, &["max(N = 128)", "these have none: `N`"], "model");
    refuses("ahead, max(M = 4)", open, &["no size `M`"], "M");
    refuses("max(N = 4)", open, &["`max` is for models"], "N");
    let item = body("let w = param::<[[f32; 2]; 4]>(\"w\"); x.matmul(&w)");
    refuses("ahead", &item, &["parameters without a value: w"], "model");
}

/// The output of a program with this body of `main`, after a model compiled with `ahead`.
#[cfg(feature = "ahead")]
fn printed(settings: &str, item: &str, main: &str) -> String {
    built(settings, item, main).unwrap_or_else(|why| panic!("{why}"))
}

/// Builds and runs the program with nothing but rustc, and returns its output, or why it does not build.
#[cfg(feature = "ahead")]
fn built(settings: &str, item: &str, main: &str) -> Result<String, String> {
    let [settings, item] = [settings, item].map(|text| text.parse::<TokenStream>().unwrap());
    let model = crate::expand(Some(&data()), settings, item).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [source, program] = ["main.rs", "main"].map(|name| folder.path().join(name));
    std::fs::write(&source, format!("{model}\nfn main() {{ {main} }}")).unwrap();
    let mut rustc = std::process::Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
    let built =
        rustc.args(["--edition=2024", "-Dwarnings", "-o"]).arg(&program).arg(&source).output().unwrap();
    if !built.status.success() {
        return Err(format!("{}\n{model}", String::from_utf8_lossy(&built.stderr)));
    }
    let ran = std::process::Command::new(program).output().unwrap();
    Ok(String::from_utf8(ran.stdout).unwrap())
}

#[cfg(feature = "ahead")]
#[test]
fn a_model_that_is_written_needs_nothing_to_run() {
    let item = "fn head(x: [[f32; 4]; 2]) -> [[f32; 2]; 2] { x.matmul(&param(\"w\")) + param(\"b\") }";
    let main = "let mut head = Head::new();
        println!(\"{:?}\", head.run(&[[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0]]));";
    // Computed by hand from the weights [[1, 2], [3, 4], [5, 6], [7, 8]] and [1, −1].
    assert_eq!(printed("weights = \"head.safetensors\", ahead", item, main), "[[51.0, 59.0], [8.0, 7.0]]\n");
    // Scalars, integers, booleans, and several results.
    let item = "fn parts(x: [[i32; 3]; 2], scale: i32) -> ([[i32; 3]; 2], i32, [bool; 3]) {
        let scaled = x * scale;
        let total = scaled.reduce(ReduceOp::Sum, &[0, 1], false);
        let above = scaled.reduce(ReduceOp::Max, &[0], false).greater(&total);
        (scaled, total, above)
    }";
    let main = "println!(\"{:?}\", Parts::new().run(&[[1, -5, 3], [2, 9, -8]], &2));";
    assert_eq!(printed("ahead", item, main), "([[2, -10, 6], [4, 18, -16]], 4, [false, true, true])\n");
}

#[cfg(feature = "ahead")]
#[test]
fn sizes_up_to_a_largest_are_those_of_the_arrays() {
    let item = "fn sums<const N: usize, const M: usize>(x: [[i32; M]; N]) -> ([i32; N], [[i32; N]; M]) {
        (x.reduce(ReduceOp::Sum, &[1], false), x.transpose(&[1, 0]))
    }";
    let main = "let mut sums = Sums::new();
        println!(\"{:?}\", sums.run(&[[1, 2, 3], [4, 5, 6]]));
        println!(\"{:?}\", sums.run(&[[7], [8], [9], [10]]));
        println!(\"{:?}\", sums.run(&[[0; 2]; 0]).1);";
    let text = printed("ahead, max(N = 4, M = 3)", item, main);
    let expected = "([6, 15], [[1, 4], [2, 5], [3, 6]])\n([7, 8, 9, 10], [[7, 8, 9, 10]])\n[[], []]\n";
    assert_eq!(text, expected);
    let large = built("ahead, max(N = 4, M = 2)", item, "Sums::new().run(&[[1, 2, 3], [4, 5, 6]]);");
    let why = large.expect_err("three columns are too many");
    assert!(why.contains("the program was not compiled for this `M`"), "{why}");
}
