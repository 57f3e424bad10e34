//! The text of printed functions. `tests/printed_rust.rs` checks that they compute the right numbers.

use super::{Math, function, support};
use crate::kernel::Kernel;
use crate::print::{PrintError, PrintedFunction};
use rlx_ir::{DType, Dim};

fn printed(text: &str) -> PrintedFunction {
    function(&Kernel::parse(text).unwrap(), "kernel").unwrap()
}

#[test]
fn loops_reductions_and_guards_are_rust_as_one_would_write_it() {
    let function = printed(
        "kernel k(x: in f16[m,n], y: out f16[m]) {
           par _0<m {
             %0: f32 = constant -inf
             %6: f32 = reduce _1<n {
               %1 = load x[_0,_1]
               %2 = convert %1 {dtype = f32}
               give %2
             } from %0 step (%3: f32, %4: f32) {
               %5 = max %3, %4
               give %5
             } merge (%7: f32, %8: f32) {
               %9 = max %7, %8
               give %9
             }
             %10: f16 = constant 0.5
             %11 = load x[_0-1,n-1] where _0-1>=0 else %10
             %12 = convert %6 {dtype = f16}
             %13 = mul %11, %12
             store y[_0] = %13 where n-2>=0
           }
         }",
    );
    expect_test::expect![[r#"
        #[allow(unused, unconditional_panic, arithmetic_overflow, clippy::all)]
        pub fn kernel(x: &[u16], y: &mut [u16], m: usize, n: usize) {
            let m = m as isize;
            let n = n as isize;
            for _0 in 0..m {
                let v0: f32 = f32::NEG_INFINITY;
                let mut v6: f32 = v0;
                let x_part_0 = rt::part(x, (_0 * n) as usize, n as usize);
                for _1 in 0..n {
                    let v1: f32 = rt::F16.load(u64::from(x_part_0[_1 as usize]));
                    let v2: f32 = v1;
                    let v3: f32 = v6;
                    let v4: f32 = v2;
                    let v5: f32 = rt::Float::max(v3, v4);
                    v6 = v5;
                }
                let v10: f32 = 0.5;
                let v11: f32 = if _0 - 1 >= 0 { rt::F16.load(u64::from(x[(_0 * n - 1) as usize])) } else { v10 };
                let v12: f32 = rt::F16.round(f64::from(v6));
                let v13: f32 = rt::F16.round(f64::from(v11 * v12));
                if n - 2 >= 0 { y[_0 as usize] = rt::F16.store(v13) as u16; }
            }
        }
    "#]].assert_eq(&function.text);
    assert_eq!(function.sizes.iter().map(|s| s.name()).collect::<Vec<_>>(), ["m", "n"]);
}

#[test]
fn loops_carry_scalars_in_variables() {
    let function = printed(
        "kernel k(x: in i32[8], y: out i32[8]) {
           %0: i32 = constant 0
           array t: i32[8]
           %4: i32, %6: i32 = for i<8 reverse with %1: i32 = %0, %5: i32 = %0 {
             %2 = load x[i]
             %3 = add %1, %2
             store t[i] = %3
             next %3, %1
           }
           %7: bool = compare %4, %6 {op = lt, total_order = false}
           %8: i32 = if %7 { give %4 } else { %9 = div %6, %4 give %9 }
           name k<8 = %8
           %10: i32 = while with %11: i32 = %8 at most 8 {
             %12 = compare %11, %0 {op = gt, total_order = false}
             again %12
           } do {
             %13 = sub %11, %8
             next %13
           }
           par j<8 { %14 = load t[floordiv(j+k,2)] %15 = max %14, %10 store y[j] = %15 }
         }",
    );
    expect_test::expect![[r#"
        #[allow(unused, unconditional_panic, arithmetic_overflow, clippy::all)]
        pub fn kernel(x: &[i32], y: &mut [i32]) {
            let v0: i32 = 0;
            let mut t: [i32; 8] = [0; 8];
            let mut v1: i32 = v0;
            let mut v5: i32 = v0;
            let x_part_0 = rt::part(x, 0, 8);
            for i in (0..8isize).rev() {
                let v2: i32 = x_part_0[i as usize];
                let v3: i32 = v1.wrapping_add(v2);
                t[i as usize] = v3;
                (v1, v5) = (v3, v1);
            }
            let v4: i32 = v1;
            let v6: i32 = v5;
            let v7: bool = v4 < v6;
            let v8 = if v7 {
                v4
            } else {
                let v9: i32 = rt::Int::div(v6, v4);
                v9
            };
            let k = v8 as isize;
            let mut v11: i32 = v8;
            for _ in 0..8isize {
                let v12: bool = v11 > v0;
                if !v12 { break; }
                let v13: i32 = v11.wrapping_sub(v8);
                v11 = v13;
            }
            let v10: i32 = v11;
            let y_part_1 = rt::part_mut(y, 0, 8);
            for j in 0..8isize {
                let v14: i32 = t[(((j + k) / 2)) as usize];
                let v15: i32 = v14.max(v10);
                y_part_1[j as usize] = v15;
            }
        }
    "#]]
    .assert_eq(&function.text);
}

#[test]
fn the_caller_makes_large_arrays() {
    let function = printed(
        "kernel k(y: out bf16[n]) {
           array t: bf16[2,n] array s: f32[2000]
           %0: bf16 = constant 1.0 %1: f32 = constant 2.0
           par i<n { store t[1,i] = %0 store s[0] = %1 %2 = load t[1,i] store y[i] = %2 }
         }",
    );
    assert!(
        function.text.contains("pub fn kernel(y: &mut [u16], t: &mut [u16], s: &mut [f32], n: usize) {"),
        "{}",
        function.text
    );
    let scratch: Vec<(DType, Vec<Dim>)> =
        function.scratch.into_iter().map(|scratch| (scratch.dtype, scratch.extents)).collect();
    assert_eq!(scratch[0], (DType::BF16, vec![Dim::Static(2), Dim::dynamic("n")]));
    assert_eq!(scratch[1], (DType::F32, vec![Dim::Static(2000)]));
}

#[test]
fn names_that_are_words_of_rust_or_of_scalars_are_others() {
    let function = printed(
        "kernel k(\"fn\": in f32[\"while\"], v0: out f32[\"while\"]) {
           par \"a b\"<\"while\" { %0 = load \"fn\"[\"a b\"] store v0[\"a b\"] = %0 }
         }",
    );
    assert!(
        function.text.contains("pub fn kernel(fn_1: &[f32], v0_1: &mut [f32], while_1: usize) {"),
        "{}",
        function.text
    );
}

/// Longer code would contain something that is not about Rust.
#[test]
fn the_table_is_short() {
    let files = ["mod", "scalars", "statements", "support"];
    let texts = files.map(|name| std::fs::read_to_string(format!("src/print/rust/{name}.rs")).unwrap());
    let lines: usize = texts.iter().map(|text| text.lines().count()).sum();
    assert!(lines <= 600, "{lines} lines");
}

#[test]
fn what_has_no_text_is_an_error() {
    let kernel = Kernel::parse(
        "kernel k(x: in f32[], y: out f32[]) { %0 = load x[] %1: f32 = cholesky %0 {lower = true} }",
    );
    let error = function(&kernel.unwrap(), "kernel").unwrap_err();
    assert_eq!(error, PrintError::Op { kernel: "k".into(), op: "cholesky", language: "Rust" });
}

#[test]
fn arrays_whose_sizes_only_the_kernel_knows_are_an_error() {
    let text = "kernel k(y: out f32[n]) {
        par i<n { array t: f32[i+1] %0: f32 = constant 1.0 store t[i] = %0 store y[i] = %0 }
    }";
    let error = function(&Kernel::parse(text).unwrap(), "kernel").unwrap_err();
    assert_eq!(error, PrintError::Array { kernel: "k".into(), array: "t".into() });
}

#[test]
fn the_support_module_has_what_is_called() {
    let has = |text: &str, part: &str| support(text, Math::Std).contains(part);
    assert!(!has("v0 + v1", "pub mod special"));
    assert!(
        has("rt::special::zeta(v0, v1)", "pub mod special")
            && !has("rt::special::zeta(v0, v1)", "fn load_c64")
    );
    assert!(
        has("rt::complex::load_c64(x)", "fn load_c64") && has("rt::complex::load_c64(x)", "pub mod special")
    );
    assert!(support("", Math::Libm).contains("pub use ::libm;"));
}
