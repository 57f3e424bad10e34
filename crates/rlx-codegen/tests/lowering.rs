//! What kernels look like: a graph in its text form, and the text form of its launches.

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
                  %0: f32 = constant -inf
                  %8: f32 = reduce _1<n {
                    %7 = load x0[_0,_1]
                    give %7
                  } from %0 step (%1: f32, %2: f32) {
                    %3 = max %1, %2
                    give %3
                  } merge (%4: f32, %5: f32) {
                    %6 = max %4, %5
                    give %6
                  }
                  %9: f32 = constant 0.0
                  %19: f32 = reduce _2<n {
                    %16 = load x0[_0,_2]
                    %17 = sub %16, %8
                    %18 = exp %17
                    give %18
                  } from %9 step (%10: f32, %11: f32) {
                    %12 = add %10, %11
                    give %12
                  } merge (%13: f32, %14: f32) {
                    %15 = add %13, %14
                    give %15
                  }
                  par _3<n {
                    %20 = load x0[_0,_3]
                    %21 = sub %20, %8
                    %22 = exp %21
                    %23 = div %22, %19
                    store y0[_0,_3] = %23
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
          %2 = dequant_matmul %0, %1 {scheme = q4_0} : f32[m,n]
          return %2
        }"#,
        expect![[r#"
            launches {
              launch (input 0, input 1, output 0) kernel packed(x0: in f32[m,64], x1: in u8[n,36], y0: out f32[m,n]) {
                par _0<m, _1<n {
                  %0: f32 = constant 0.0
                  %27: f32 = reduce _2<64 {
                    %7 = load x0[_0,_2]
                    %8 = load x1[_1,18*floordiv(_2,32)]
                    %9 = load x1[_1,18*floordiv(_2,32)+1]
                    %10 = convert %8 {dtype = u16}
                    %11 = convert %9 {dtype = u16}
                    %12: u16 = constant 8
                    %13 = shift_left %11, %12
                    %14 = or %10, %13
                    %15: f16 = bitcast %14
                    %16 = convert %15 {dtype = f32}
                    %17 = load x1[_1,_2-16*floordiv(_2,16)+18*floordiv(_2,32)+2]
                    %18: u8 = index 4*floordiv(_2,16)-8*floordiv(_2,32)
                    %19 = shift_right_logical %17, %18
                    %20: u8 = constant 15
                    %21 = and %19, %20
                    %22 = convert %21 {dtype = f32}
                    %23: f32 = constant 8.0
                    %24 = sub %22, %23
                    %25 = mul %16, %24
                    %26 = mul %7, %25
                    give %26
                  } from %0 step (%1: f32, %2: f32) {
                    %3 = add %1, %2
                    give %3
                  } merge (%4: f32, %5: f32) {
                    %6 = add %4, %5
                    give %6
                  }
                  store y0[_0,_1] = %27
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
    let why = "a library computes it, or it is expanded to simpler ops before";
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
