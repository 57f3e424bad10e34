//! The steps that make tiles of products.

use super::{DOUBLED, RUNNING, SUMS, gives, schedule};
use crate::schedule::{apply, apply_to_launch};
use crate::trial::{launches, parsed};
use expect_test::expect;

/// Rows times columns, followed by another operation.
pub(super) const MATMUL: &str = "kernel matmul(x: in f32[m,4], w: in f32[4,n], y: out f32[m,n]) {
  par i<m, j<n {
    %0: f32 = constant 0.0
    %6: f32 = reduce k<4 {
      %1 = load x[i,k]
      %2 = load w[k,j]
      %3 = mul %1, %2
      give %3
    } from %0 step (%4: f32, %5: f32) {
      %7 = add %4, %5
      give %7
    } merge (%8: f32, %9: f32) {
      %10 = add %8, %9
      give %10
    }
    %11 = neg %6
    store y[i,j] = %11
  }
}";

#[test]
fn an_interchanged_reduction_runs_around_the_axes() {
    gives(
        MATMUL,
        "split j 2 peel -> a b; interchange b; contract k; unroll b_2",
        expect![[r#"
            kernel matmul(x: in f32[m,4], w: in f32[4,n], y: out f32[m,n]) {
              par i<m, a<floordiv(n,2) {
                array sums: f32[2]
                par b_1<2 {
                  %0: f32 = constant 0.0
                  store sums[b_1] = %0
                }
                for k<4 {
                  %1 = load x[i,k]
                  %2 = load w[k,2*a]
                  %3 = load sums[0]
                  %4 = fma %1, %2, %3
                  store sums[0] = %4
                  %5 = load x[i,k]
                  %6 = load w[k,2*a+1]
                  %7 = load sums[1]
                  %8 = fma %5, %6, %7
                  store sums[1] = %8
                }
                par b_3<2 {
                  %9 = load sums[b_3]
                  %10 = neg %9
                  store y[i,2*a+b_3] = %10
                }
              }
              par i_1<m, j_1<n-2*floordiv(n,2) {
                %11: f32 = constant 0.0
                %16: f32 = reduce k_1<4 {
                  %17 = load x[i_1,k_1]
                  %18 = load w[k_1,j_1+2*floordiv(n,2)]
                  %19 = mul %17, %18
                  give %19
                } from %11 step (%12: f32, %13: f32) {
                  %20 = add %12, %13
                  give %20
                } merge (%14: f32, %15: f32) {
                  %21 = add %14, %15
                  give %21
                }
                %22 = neg %16
                store y[i_1,j_1+2*floordiv(n,2)] = %22
              }
            }
        "#]],
    );
}

#[test]
fn what_a_loop_hands_on_lies_in_an_array() {
    let rows = "kernel rows(x: in i32[3,5], y: out i32[3,5], z: out i32[3]) {
      par i<3 {
        %0: i32 = constant 1
        %5 = load x[i,0]
        array t: i32[5]
        %4: i32 = for k<5 reverse with %1: i32 = %0 {
          %2 = load x[i,k]
          %3 = sub %2, %1
          store t[k] = %3
          next %3
        }
        par j<5 { %6 = load t[j] %7 = add %6, %5 store y[i,j] = %7 }
        store z[i] = %4
      }
    }";
    gives(
        rows,
        "interchange i",
        expect![[r#"
        kernel rows(x: in i32[3,5], y: out i32[3,5], z: out i32[3]) {
          array t: i32[5,3]
          array carried: i32[3]
          array held: i32[3]
          par i_1<3 {
            %0: i32 = constant 1
            %1 = load x[i_1,0]
            store carried[i_1] = %0
            store held[i_1] = %1
          }
          for k<5 reverse {
            par i_2<3 {
              %2 = load carried[i_2]
              %3 = load x[i_2,k]
              %4 = sub %3, %2
              store t[k,i_2] = %4
              store carried[i_2] = %4
            }
          }
          array held_1: i32[3]
          par i_3<3 {
            %5 = load carried[i_3]
            store held_1[i_3] = %5
          }
          par j<5, i_4<3 {
            %6 = load held[i_4]
            %7 = load t[j,i_4]
            %8 = add %7, %6
            store y[i_4,j] = %8
          }
          par i_5<3 {
            %9 = load held_1[i_5]
            store z[i_5] = %9
          }
        }
    "#]],
    );
}

#[test]
fn nested_axes_are_a_loop_of_their_own() {
    let static_rows = DOUBLED.replace("[m,n]", "[2,n]").replace("i<m", "i<2");
    gives(
        &static_rows,
        "nest i; unroll i",
        expect![[r#"
        kernel doubled(x: in i32[2,n], y: out i32[2,n]) {
          par j_1<n {
            %0 = load x[0,j_1]
            %1 = add %0, %0
            store y[0,j_1] = %1
          }
          par j_2<n {
            %2 = load x[1,j_2]
            %3 = add %2, %2
            store y[1,j_2] = %3
          }
        }
    "#]],
    );
}

#[test]
fn lanes_take_turns() {
    let stated = SUMS.replace(") {\n  par", ") facts n%4==0 {\n  par");
    gives(
        &stated,
        "lanes k 4 -> a b; interchange b",
        expect![[r#"
        kernel sums(x: in i32[m,n], y: out i32[m]) facts n%4==0 {
          par i<m {
            %0: i32 = constant 0
            array parts: i32[4]
            array sums: i32[4]
            par b_2<4 {
              store sums[b_2] = %0
            }
            for a<floordiv(n,4) {
              par b_3<4 {
                %1 = load x[i,4*a+b_3]
                %2 = load sums[b_3]
                %3 = add %2, %1
                store sums[b_3] = %3
              }
            }
            par b_4<4 {
              %4 = load sums[b_4]
              store parts[b_4] = %4
            }
            %9: i32 = reduce b_1<4 {
              %10 = load parts[b_1]
              give %10
            } from %0 step (%5: i32, %6: i32) {
              %11 = add %5, %6
              give %11
            } merge (%7: i32, %8: i32) {
              %12 = add %7, %8
              give %12
            }
            store y[i] = %9
          }
        }
    "#]],
    );
}

#[test]
fn what_no_lane_takes_is_merged_last() {
    gives(
        SUMS,
        "lanes k 4 -> a b",
        expect![[r#"
        kernel sums(x: in i32[m,n], y: out i32[m]) {
          par i<m {
            %0: i32 = constant 0
            array parts: i32[4]
            par b<4 {
              %5: i32 = reduce a<floordiv(n,4) {
                %6 = load x[i,4*a+b]
                give %6
              } from %0 step (%1: i32, %2: i32) {
                %7 = add %1, %2
                give %7
              } merge (%3: i32, %4: i32) {
                %8 = add %3, %4
                give %8
              }
              store parts[b] = %5
            }
            %13: i32 = reduce b_1<4 {
              %14 = load parts[b_1]
              give %14
            } from %0 step (%9: i32, %10: i32) {
              %15 = add %9, %10
              give %15
            } merge (%11: i32, %12: i32) {
              %16 = add %11, %12
              give %16
            }
            %21: i32 = reduce k_1<n-4*floordiv(n,4) {
              %22 = load x[i,k_1+4*floordiv(n,4)]
              give %22
            } from %0 step (%17: i32, %18: i32) {
              %23 = add %17, %18
              give %23
            } merge (%19: i32, %20: i32) {
              %24 = add %19, %20
              give %24
            }
            %25 = add %13, %21
            store y[i] = %25
          }
        }
    "#]],
    );
}

#[test]
fn an_output_in_blocks_is_put_in_its_place() {
    let text = "kernel k(x: in f32[2,24], y: out f32[2,24]) {
      par i<2, a<3, b<8 { %0 = load x[i,8*a+b] store y[i,8*a+b] = %0 }
    }";
    let one = launches(&[("input 0, output 0", text)], "");
    expect![[r#"
        launches {
          temporary f32[3,2,8]
          launch (input 0, temporary 0) kernel k(x: in f32[2,24], y: out f32[3,2,8]) {
            par i<2, a<3, b<8 {
              %0 = load x[i,8*a+b]
              store y[a,i,b] = %0
            }
          }
          launch (temporary 0, output 0) kernel unpack(x: in f32[3,2,8], y: out f32[2,24]) {
            par _0<3, _1<2, _2<8 {
              %0 = load x[_0,_1,_2]
              store y[_1,8*_0+_2] = %0
            }
          }
        }
    "#]]
    .assert_eq(&apply_to_launch(&one, 0, &schedule("unpack y 1 8")).unwrap().to_string());
    let refused = ["unpack x 1 8", "unpack y 2 8", "unpack y 1 7", "unpack y 1 0"];
    let refused = refused.map(|step| format!("{}\n", apply_to_launch(&one, 0, &schedule(step)).unwrap_err()));
    expect![[r#"
        step 0, `unpack x 1 8`, on `k`: `x` is not an output of the kernel
        step 0, `unpack y 2 8`, on `k`: `y` has 2 axes
        step 0, `unpack y 1 7`, on `k`: 24 is not known to be a multiple of 7
        step 0, `unpack y 1 0`, on `k`: a block needs at least one index
    "#]]
    .assert_eq(&refused.concat());
}

#[test]
fn a_packed_input_lies_in_blocks() {
    let matmul = launches(&[("input 0, input 1, output 0", MATMUL)], "");
    let packed = apply_to_launch(&matmul, 0, &schedule("split j 8 peel -> a b; pack w 1 8")).unwrap();
    expect![[r#"
        launches {
          temporary f32[floordiv(n+7,8),4,8]
          launch (input 1, temporary 0) kernel pack(x: in f32[4,n], y: out f32[floordiv(n+7,8),4,8]) {
            par _0<floordiv(n+7,8), _1<4, _2<8 {
              %0: f32 = constant 0.0
              %1 = load x[_1,8*_0+_2] where -8*_0-_2+n-1>=0 else %0
              store y[_0,_1,_2] = %1
            }
          }
          launch (input 0, temporary 0, output 0) kernel matmul(x: in f32[m,4], w: in f32[floordiv(n+7,8),4,8], y: out f32[m,n]) {
            par i<m, a<floordiv(n,8), b<8 {
              %0: f32 = constant 0.0
              %5: f32 = reduce k<4 {
                %6 = load x[i,k]
                %7 = load w[a,k,b]
                %8 = mul %6, %7
                give %8
              } from %0 step (%1: f32, %2: f32) {
                %9 = add %1, %2
                give %9
              } merge (%3: f32, %4: f32) {
                %10 = add %3, %4
                give %10
              }
              %11 = neg %5
              store y[i,8*a+b] = %11
            }
            par i_1<m, j_1<n-8*floordiv(n,8) {
              %12: f32 = constant 0.0
              %17: f32 = reduce k_1<4 {
                %18 = load x[i_1,k_1]
                %19 = load w[floordiv(n,8),k_1,j_1]
                %20 = mul %18, %19
                give %20
              } from %12 step (%13: f32, %14: f32) {
                %21 = add %13, %14
                give %21
              } merge (%15: f32, %16: f32) {
                %22 = add %15, %16
                give %22
              }
              %23 = neg %17
              store y[i_1,j_1+8*floordiv(n,8)] = %23
            }
          }
        }
    "#]].assert_eq(&packed.to_string());
}

#[test]
fn tiles_are_refused_where_they_would_be_something_else() {
    let named = "kernel k(x: in i32[4], y: out i32[4]) {
      par i<4 { %0 = load x[i] name s<4 = %0 par j<1 { %1 = load x[s] store y[i] = %1 } }
    }";
    let rows = [
        (DOUBLED, "nest j"),
        (RUNNING, "nest k"),
        (DOUBLED, "interchange i"),
        (RUNNING, "interchange k"),
        (named, "interchange i"),
        (DOUBLED, "contract j"),
        (SUMS, "contract k"),
        (SUMS, "lanes k 0 -> a b"),
        (DOUBLED, "lanes i 4 -> a b"),
        (DOUBLED, "pack x 0 8"),
        (DOUBLED, "unpack y 0 8"),
    ];
    let refusals = rows.map(|(kernel, steps)| match apply(&parsed(kernel), &schedule(steps)) {
        Ok(kernel) => format!("{steps} gives {kernel}"),
        Err(error) => format!("{error}\n"),
    });
    expect![[r#"
        step 0, `nest j`, on `doubled`: no axis follows `j` in its loop
        step 0, `nest k`, on `running`: `k` is not an axis of a parallel loop
        step 0, `interchange i`, on `doubled`: the axes from `i` on are different ones; reorder them first
        step 0, `interchange k`, on `running`: `k` is not an axis of a parallel loop
        step 0, `interchange i`, on `k`: outside its loops the body names a scalar, `s`
        step 0, `contract j`, on `doubled`: the loop of `j` adds no product of f32 or f64 to anything
        step 0, `contract k`, on `sums`: the loop of `k` adds no product of f32 or f64 to anything
        step 0, `lanes k 0 -> a b`, on `sums`: at least one lane is needed
        step 0, `lanes i 4 -> a b`, on `doubled`: `i` is not an axis of a reduction
        step 0, `pack x 0 8`, on `doubled`: it changes the arguments of a launch; apply it to launches
        step 0, `unpack y 0 8`, on `doubled`: it changes the arguments of a launch; apply it to launches
    "#]]
    .assert_eq(&refusals.concat());
}
