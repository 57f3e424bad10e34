//! The text of kernels: a graph in its text form, and the text form of its launches.

use expect_test::{Expect, expect};
use rlx_codegen::lower;
use rlx_ir::Graph;

fn check(graph: &str, launches: Expect) {
    let graph = Graph::parse(graph).unwrap_or_else(|e| panic!("{e}"));
    launches.assert_eq(&lower(&graph).unwrap_or_else(|e| panic!("{e}")).to_string());
}

#[test]
fn a_softmax_of_rows() {
    check(
        r#"
        graph "softmax" {
          %0 = input {name = "x"} : f32[m,n]
          %1 = softmax %0 {axis = 1} : f32[m,n]
          return %1
        }"#,
        expect![[r#"
            launches {
              launch (input 0, output 0) kernel softmax(x0: in f32[m,n], y0: out f32[m,n]) {
                par _0<m {
                  %0: f32 = constant 0.0
                  %1: f32 = constant -inf
                  %37: f32, %38: f32 = reduce _1<n {
                    %36 = load x0[_0,_1]
                    give %36
                  } from %1, %0 step (%2: f32, %3: f32, %4: f32) {
                    %5: f32 = constant 1.0
                    %6 = sub %4, %2
                    %7 = abs %6
                    %8 = neg %7
                    %9 = exp %8
                    %10 = compare %4, %2 {op = eq, total_order = false}
                    %11 = select %10, %5, %9
                    %12 = add %3, %11
                    %13 = mul %3, %11
                    %14 = add %13, %5
                    %15 = compare %4, %2 {op = le, total_order = false}
                    %16 = select %15, %12, %14
                    %17 = max %2, %4
                    give %17, %16
                  } merge (%18: f32, %19: f32, %20: f32, %21: f32) {
                    %22 = max %18, %20
                    %23 = sub %18, %22
                    %24 = exp %23
                    %25: f32 = constant 1.0
                    %26 = compare %18, %22 {op = eq, total_order = false}
                    %27 = select %26, %25, %24
                    %28 = sub %20, %22
                    %29 = exp %28
                    %30: f32 = constant 1.0
                    %31 = compare %20, %22 {op = eq, total_order = false}
                    %32 = select %31, %30, %29
                    %33 = mul %19, %27
                    %34 = mul %21, %32
                    %35 = add %33, %34
                    give %22, %35
                  }
                  %39 = sub %37, %37
                  %40 = exp %39
                  %41 = mul %38, %40
                  %42: f32 = constant 0.0
                  %43 = compare %38, %42 {op = eq, total_order = false}
                  %44 = select %43, %38, %41
                  par _2<n {
                    %45 = load x0[_0,_2]
                    %46 = sub %45, %37
                    %47 = exp %46
                    %48 = div %47, %44
                    store y0[_0,_2] = %48
                  }
                }
              }
            }
        "#]],
    );
}

#[test]
fn a_convolution_loads_where_its_guard_holds() {
    check(
        r#"
        graph "convolution" {
          %0 = input {name = "x"} : f16[n,8,32,32]
          %1 = input {name = "w"} : f16[16,8,3,3]
          %2 = conv2d %0, %1 {stride = [2, 1], padding = [1, 0], dilation = [1, 1], groups = 1} : f16[n,16,16,30]
          return %2
        }"#,
        expect![[r#"
            launches {
              launch (input 0, input 1, output 0) kernel convolution(x0: in f16[n,8,32,32], x1: in f16[16,8,3,3], y0: out f16[n,16,16,30]) {
                par _0<n, _1<16, _2<16, _3<30 {
                  %0: f32 = constant 0.0
                  %13: f32 = reduce _4<3, _5<3, _6<8 {
                    %7: f16 = constant 0.0
                    %8 = load x0[_0,_6,2*_2+_4-1,_3+_5] where 2*_2+_4-1>=0 else %7
                    %9 = load x1[_1,_6,_4,_5] where 2*_2+_4-1>=0 else %7
                    %10 = convert %8 {dtype = f32}
                    %11 = convert %9 {dtype = f32}
                    %12 = mul %10, %11
                    give %12
                  } from %0 step (%1: f32, %2: f32) {
                    %3 = add %1, %2
                    give %3
                  } merge (%4: f32, %5: f32) {
                    %6 = add %4, %5
                    give %6
                  }
                  %14 = convert %13 {dtype = f16}
                  store y0[_0,_1,_2,_3] = %14
                }
              }
            }
        "#]],
    );
}

#[test]
fn rows_are_gathered_by_names() {
    check(
        r#"
        graph "rows" {
          %0 = input {name = "table"} : f32[v,64]
          %1 = input {name = "ids"} : i32[n]
          %2 = embedding %0, %1 : f32[n,64]
          %3 = add %2, %2 : f32[n,64]
          return %3
        }"#,
        expect![[r#"
            launches {
              launch (input 0, input 1, output 0) kernel rows(x0: in f32[v,64], x1: in i32[n], y0: out f32[n,64]) {
                par _0<n, _1<64 {
                  %0 = load x1[_0]
                  %1 = convert %0 {dtype = i64}
                  %2: i64 = constant 0
                  %3: i64 = index v-1
                  %4 = clamp %2, %1, %3
                  name _2<v = %4
                  %5: f32 = constant 0.0
                  %6 = load x0[_2,_1]
                  %7 = add %6, %6
                  store y0[_0,_1] = %7
                }
              }
            }
        "#]],
    );
}

#[test]
fn heads_are_split_by_quotients_of_one_axis() {
    check(
        r#"
        graph "heads" {
          %0 = input {name = "x"} : f32[b,s,48]
          %1 = reshape %0 {dims = [b, s, 6, 8]} : f32[b,s,6,8]
          %2 = transpose %1 {perm = [0, 2, 1, 3]} : f32[b,6,s,8]
          %3 = reshape %2 {dims = [6*b, 1, s, 8]} : f32[6*b,1,s,8]
          return %3
        }"#,
        expect![[r#"
            launches {
              launch (input 0, output 0) kernel heads(x0: in f32[b,s,48], y0: out f32[6*b,1,s,8]) {
                par _0<6*b, _1<1, _2<s, _3<8 {
                  %0 = load x0[floordiv(_0,6),_2,8*_0+_3-48*floordiv(_0,6)]
                  store y0[_0,_1,_2,_3] = %0
                }
              }
            }
        "#]],
    );
}

#[test]
fn packed_weights_are_unpacked_where_they_are_read() {
    check(
        r#"
        graph "packed" {
          %0 = input {name = "x"} : f32[m,64]
          %1 = input {name = "w"} : u8[n,36]
          %2 = dequant_matmul %0, %1 {scheme = q4_0, round_x = false} : f32[m,n]
          return %2
        }"#,
        expect![[r#"
            launches {
              launch (input 0, input 1, output 0) kernel packed(x0: in f32[m,64], x1: in u8[n,36], y0: out f32[m,n]) {
                par _0<m, _1<n {
                  %0: f32 = constant 0.0
                  %29: f32 = reduce _2<64 {
                    %7 = load x0[_0,_2]
                    %8 = load x1[_1,_2-16*floordiv(_2,16)+18*floordiv(_2,32)+2]
                    %9 = convert %8 {dtype = i32}
                    %10: i32 = index 4*floordiv(_2,16)-8*floordiv(_2,32)
                    %11 = shift_right_logical %9, %10
                    %12: i32 = constant 15
                    %13 = and %11, %12
                    %14: i32 = constant -8
                    %15 = add %13, %14
                    %16 = convert %15 {dtype = f32}
                    %17 = load x1[_1,18*floordiv(_2,32)]
                    %18 = convert %17 {dtype = i32}
                    %19 = load x1[_1,18*floordiv(_2,32)+1]
                    %20 = convert %19 {dtype = i32}
                    %21: i32 = constant 8
                    %22 = shift_left %20, %21
                    %23 = or %18, %22
                    %24 = convert %23 {dtype = u16}
                    %25: f16 = bitcast %24
                    %26 = convert %25 {dtype = f32}
                    %27 = mul %16, %26
                    %28 = mul %7, %27
                    give %28
                  } from %0 step (%1: f32, %2: f32) {
                    %3 = add %1, %2
                    give %3
                  } merge (%4: f32, %5: f32) {
                    %6 = add %4, %5
                    give %6
                  }
                  store y0[_0,_1] = %29
                }
              }
            }
        "#]],
    );
}

#[test]
fn what_has_no_kernel_says_why() {
    let refused = |graph: &str| {
        let graph = Graph::parse(graph).unwrap_or_else(|e| panic!("{e}"));
        lower(&graph).unwrap_err().to_string()
    };
    let error = refused(
        r#"
        graph "fourier" {
          %0 = input {name = "x"} : c64[8]
          %1 = fft %0 {kind = fft, lengths = [8]} : c64[8]
          return %1
        }"#,
    );
    let why = "a library computes it, or it is expanded to simpler ops first";
    assert_eq!(error, format!("`fft` is not lowered to a kernel: {why}"));
    let error = refused(
        r#"
        graph "loops" {
          %0 = input {name = "x"} : f32[8]
          %1 = input {name = "i"} : f32[]
          %2 = reduce_graph %0, %1 {body = graph "body" {
            %0 = input {name = "a"} : f32[]
            %1 = input {name = "x"} : f32[]
            %2 = broadcast_in_dim %1 {dims = [3], axes = []} : f32[3]
            %3 = reduce %2 {kind = sum, axes = [0]} : f32[]
            %4 = add %0, %3 : f32[]
            return %4
          }, axes = [0]} : f32[]
          return %2
        }"#,
    );
    let why = "its body is no function of scalars: it has a loop or loads from memory";
    assert_eq!(error, format!("`reduce_graph` is not lowered to a kernel: {why}"));
}
