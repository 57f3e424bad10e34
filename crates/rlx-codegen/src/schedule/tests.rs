//! Steps as text: the kernels that they produce, and what they refuse. `tests/schedules.rs` checks what they guarantee.

mod groups;
mod planted;
mod shared;
mod tiles;

use super::{Schedule, Step, apply, apply_to_launch};
use crate::kernel::Kernel;
use crate::trial::{launches, parsed};
use expect_test::{Expect, expect};

const DOUBLED: &str = "kernel doubled(x: in i32[m,n], y: out i32[m,n]) {
  par i<m, j<n {
    %0 = load x[i,j]
    %1 = add %0, %0
    store y[i,j] = %1
  }
}";

const SUMS: &str = "kernel sums(x: in i32[m,n], y: out i32[m]) {
  par i<m {
    %0: i32 = constant 0
    %2: i32 = reduce k<n {
      %1 = load x[i,k]
      give %1
    } from %0 step (%3: i32, %4: i32) {
      %5 = add %3, %4
      give %5
    } merge (%6: i32, %7: i32) {
      %8 = add %6, %7
      give %8
    }
    store y[i] = %2
  }
}";

const RUNNING: &str = "kernel running(x: in i32[5], y: out i32[5], z: out i32[]) {
  %0: i32 = constant 1
  %4: i32 = for k<5 reverse with %1: i32 = %0 {
    %2 = load x[k]
    %3 = sub %2, %1
    store y[k] = %3
    next %3
  }
  store z[] = %4
}";

const PRODUCT: &str = "kernel product(a: in i32[m,24], b: in i32[24], y: out i32[m]) {
  par i<m {
    %0: i32 = constant 0
    %8: i32 = for k0<3 with %1: i32 = %0 {
      %7: i32 = for k1<8 with %2: i32 = %1 {
        %3 = load a[i,8*k0+k1]
        %4 = load b[8*k0+k1]
        %5 = mul %3, %4
        %6 = add %2, %5
        next %6
      }
      next %7
    }
    store y[i] = %8
  }
}";

fn schedule(text: &str) -> Schedule {
    let schedule = Schedule::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(schedule.to_string(), text);
    schedule
}

fn gives(kernel: &str, steps: &str, expected: Expect) {
    let kernel = apply(&parsed(kernel), &schedule(steps)).unwrap_or_else(|e| panic!("{e}"));
    let text = kernel.to_string();
    assert_eq!(Kernel::parse(&text).as_ref(), Ok(&kernel));
    expected.assert_eq(&text);
}

#[test]
fn an_exact_split_needs_a_fact() {
    let stated = DOUBLED.replace(") {", ") facts n%16==0 {");
    gives(
        &stated,
        "split j 8 exact -> j0 j1; vector j1",
        expect![[r#"
        kernel doubled(x: in i32[m,n], y: out i32[m,n]) facts n%16==0 {
          par i<m, j0<floordiv(n,8), j1<8 @vector {
            %0 = load x[i,8*j0+j1]
            %1 = add %0, %0
            store y[i,8*j0+j1] = %1
          }
        }
    "#]],
    );
}

#[test]
fn a_guarded_split_runs_the_body_where_the_index_exists() {
    gives(
        DOUBLED,
        "split j 8 guard -> j0 j1; reorder j1 i; bind j0 group",
        expect![[r#"
        kernel doubled(x: in i32[m,n], y: out i32[m,n]) {
          par j1<8, j0<floordiv(n+7,8) @group, i<m {
            %0 = holds (-8*j0-j1+n-1>=0)
            if %0 {
              %1 = load x[i,8*j0+j1]
              %2 = add %1, %1
              store y[i,8*j0+j1] = %2
            }
          }
        }
    "#]],
    );
}

#[test]
fn a_peeled_split_has_a_loop_for_the_rest() {
    gives(
        DOUBLED,
        "split i 4 peel -> i0 i1",
        expect![[r#"
        kernel doubled(x: in i32[m,n], y: out i32[m,n]) {
          par i0<floordiv(m,4), i1<4, j<n {
            %0 = load x[4*i0+i1,j]
            %1 = add %0, %0
            store y[4*i0+i1,j] = %1
          }
          par i_1<m-4*floordiv(m,4), j_1<n {
            %2 = load x[i_1+4*floordiv(m,4),j_1]
            %3 = add %2, %2
            store y[i_1+4*floordiv(m,4),j_1] = %3
          }
        }
    "#]],
    );
}

#[test]
fn ordered_loops_hand_on_what_they_carry() {
    gives(
        RUNNING,
        "split k 2 guard -> a b",
        expect![[r#"
        kernel running(x: in i32[5], y: out i32[5], z: out i32[]) {
          %0: i32 = constant 1
          %2: i32 = for a<3 reverse with %1: i32 = %0 {
            %4: i32 = for b<2 reverse with %3: i32 = %1 {
              %5 = holds (-2*a-b+4>=0)
              %6: i32 = if %5 {
                %7 = load x[2*a+b]
                %8 = sub %7, %3
                store y[2*a+b] = %8
                give %8
              } else {
                give %3
              }
              next %6
            }
            next %4
          }
          store z[] = %2
        }
    "#]],
    );
    gives(
        RUNNING,
        "split k 2 peel -> a b",
        expect![[r#"
        kernel running(x: in i32[5], y: out i32[5], z: out i32[]) {
          %0: i32 = constant 1
          %2: i32 = for k_1<1 reverse with %1: i32 = %0 {
            %3 = load x[k_1+4]
            %4 = sub %3, %1
            store y[k_1+4] = %4
            next %4
          }
          %6: i32 = for a<2 reverse with %5: i32 = %2 {
            %8: i32 = for b<2 reverse with %7: i32 = %5 {
              %9 = load x[2*a+b]
              %10 = sub %9, %7
              store y[2*a+b] = %10
              next %10
            }
            next %8
          }
          store z[] = %6
        }
    "#]],
    );
    gives(
        RUNNING,
        "split k 2 peel -> a b; unroll b; unroll k_1",
        expect![[r#"
        kernel running(x: in i32[5], y: out i32[5], z: out i32[]) {
          %0: i32 = constant 1
          %1 = load x[4]
          %2 = sub %1, %0
          store y[4] = %2
          %4: i32 = for a<2 reverse with %3: i32 = %2 {
            %5 = load x[2*a+1]
            %6 = sub %5, %3
            store y[2*a+1] = %6
            %7 = load x[2*a]
            %8 = sub %7, %6
            store y[2*a] = %8
            next %8
          }
          store z[] = %4
        }
    "#]],
    );
}

#[test]
fn fused_axes_are_quotient_and_rest() {
    gives(
        DOUBLED,
        "fuse i j -> f; split f 4 guard -> f0 f1",
        expect![[r#"
        kernel doubled(x: in i32[m,n], y: out i32[m,n]) {
          par f0<floordiv(m*n+3,4), f1<4 {
            %0 = holds (-4*f0-f1+m*n-1>=0)
            if %0 {
              %1 = load x[floordiv(4*f0+f1,n),4*f0+f1-n*floordiv(4*f0+f1,n)]
              %2 = add %1, %1
              store y[floordiv(4*f0+f1,n),4*f0+f1-n*floordiv(4*f0+f1,n)] = %2
            }
          }
        }
    "#]],
    );
}

#[test]
fn a_region_of_an_input_is_copied_before_the_loop_that_reads_it() {
    gives(
        PRODUCT,
        "stage a at k1 -> row; stage b at k0 -> weights",
        expect![[r#"
        kernel product(a: in i32[m,24], b: in i32[24], y: out i32[m]) {
          par i<m {
            %0: i32 = constant 0
            array weights: i32[24]
            par copy_3<24 {
              %1 = load b[copy_3]
              store weights[copy_3] = %1
            }
            %3: i32 = for k0<3 with %2: i32 = %0 {
              array row: i32[1,8]
              par copy_1<1, copy_2<8 {
                %4: i32 = constant 0
                %5 = load a[copy_1+i,copy_2+8*k0] where -copy_1-i+m-1>=0 else %4
                store row[copy_1,copy_2] = %5
              }
              %7: i32 = for k1<8 with %6: i32 = %2 {
                %8 = load row[0,k1]
                %9 = load weights[8*k0+k1]
                %10 = mul %8, %9
                %11 = add %6, %10
                next %11
              }
              next %7
            }
            store y[i] = %3
          }
        }
    "#]],
    );
}

#[test]
fn parts_are_merged() {
    gives(
        SUMS,
        "bind i group; parts k 64 -> k0 k1; place parts group; bind k0 lane",
        expect![[r#"
            kernel sums(x: in i32[m,n], y: out i32[m]) {
              par i<m @group {
                %0: i32 = constant 0
                array parts: i32[floordiv(n+63,64)] in group
                barrier group
                par k0<floordiv(n+63,64) @lane {
                  %5: i32 = reduce k1<-64*k0+n-max(64,-64*k0+n)+64 {
                    %6 = load x[i,64*k0+k1]
                    give %6
                  } from %0 step (%1: i32, %2: i32) {
                    %7 = add %1, %2
                    give %7
                  } merge (%3: i32, %4: i32) {
                    %8 = add %3, %4
                    give %8
                  }
                  store parts[k0] = %5
                }
                barrier group
                %13: i32 = reduce k0_1<floordiv(n+63,64) {
                  %14 = load parts[k0_1]
                  give %14
                } from %0 step (%9: i32, %10: i32) {
                  %15 = add %9, %10
                  give %15
                } merge (%11: i32, %12: i32) {
                  %16 = add %11, %12
                  give %16
                }
                store y[i] = %13
              }
            }
        "#]],
    );
}

#[test]
fn states_of_parts_lie_between_launches() {
    let launches = launches(&[("input 0, output 0", SUMS)], "");
    let two = apply_to_launch(&launches, 0, &schedule("launches k 64 -> k0 k1")).unwrap();
    expect![[r#"
        launches {
          temporary i32[m,floordiv(n+63,64)]
          launch (input 0, temporary 0) kernel sums_parts(x: in i32[m,n], state0: out i32[m,floordiv(n+63,64)]) {
            par i<m, k0<floordiv(n+63,64) {
              %0: i32 = constant 0
              %5: i32 = reduce k1<-64*k0+n-max(64,-64*k0+n)+64 {
                %6 = load x[i,64*k0+k1]
                give %6
              } from %0 step (%1: i32, %2: i32) {
                %7 = add %1, %2
                give %7
              } merge (%3: i32, %4: i32) {
                %8 = add %3, %4
                give %8
              }
              store state0[i,k0] = %5
            }
          }
          launch (output 0, temporary 0) kernel sums(y: out i32[m], state0: in i32[m,floordiv(n+63,64)]) {
            par i<m {
              %0: i32 = constant 0
              %5: i32 = reduce k0<floordiv(n+63,64) {
                %6 = load state0[i,k0]
                give %6
              } from %0 step (%1: i32, %2: i32) {
                %7 = add %1, %2
                give %7
              } merge (%3: i32, %4: i32) {
                %8 = add %3, %4
                give %8
              }
              store y[i] = %5
            }
          }
        }
    "#]].assert_eq(&two.to_string());
}

#[test]
fn an_output_is_written_over_a_temporary() {
    let first = DOUBLED.replace("doubled", "first");
    let both = [("input 0, temporary 0", &first[..]), ("temporary 0, output 0", DOUBLED)];
    let launches = launches(&both, "temporary i32[m,n]");
    let one = apply_to_launch(&launches, 1, &schedule("inplace y x")).unwrap();
    expect![[r#"
        launches {
          launch (input 0, output 0) kernel first(x: in i32[m,n], y: out i32[m,n]) {
            par i<m, j<n {
              %0 = load x[i,j]
              %1 = add %0, %0
              store y[i,j] = %1
            }
          }
          launch (output 0) kernel doubled(y: inout i32[m,n]) {
            par i<m, j<n {
              %0 = load y[i,j]
              %1 = add %0, %0
              store y[i,j] = %1
            }
          }
        }
    "#]]
    .assert_eq(&one.to_string());
}

#[test]
fn a_step_that_does_not_fit_says_why() {
    let sums = SUMS.replace("add", "sub");
    let marked = DOUBLED.replace("j<n", "j<n @lane");
    let rows = [
        (DOUBLED, "split z 8 guard -> a b"),
        (DOUBLED, "split j 8 exact -> a b"),
        (DOUBLED, "split j 0 guard -> a b"),
        (DOUBLED, "split j 8 guard -> m b"),
        (&marked, "split j 8 guard -> a b"),
        (DOUBLED, "fuse j i -> f"),
        (RUNNING, "fuse k k -> f"),
        (DOUBLED, "reorder i k"),
        (DOUBLED, "reorder i i"),
        (RUNNING, "reorder k"),
        (DOUBLED, "unroll i"),
        (DOUBLED, "vector i"),
        (SUMS, "bind k lane"),
        (SUMS, "split k 8 guard -> a b"),
        (DOUBLED, "stage y at i -> t"),
        (RUNNING, "stage x at k -> y"),
        (DOUBLED, "parts i 8 -> a b"),
        (&sums, "split i 8 guard -> a b; launches k 8 -> c d"),
        (DOUBLED, "inplace y x"),
    ];
    let refusals = rows.map(|(kernel, steps)| {
        let steps = schedule(steps);
        match apply(&parsed(kernel), &steps) {
            Ok(kernel) => format!("{steps} gives {kernel}"),
            Err(error) => format!("{error}\n"),
        }
    });
    expect![[r#"
        step 0, `split z 8 guard -> a b`, on `doubled`: no loop has an axis `z`
        step 0, `split j 8 exact -> a b`, on `doubled`: n is not known to be a multiple of 8; state the fact, or say `guard` or `peel`
        step 0, `split j 0 guard -> a b`, on `doubled`: a part needs at least one index
        step 0, `split j 8 guard -> m b`, on `doubled`: the name `m` is taken; give the new axis another name
        step 0, `split j 8 guard -> a b`, on `doubled`: `j` is bound to `lane`; bind axes after they have their final form
        step 0, `fuse j i -> f`, on `doubled`: `i` does not follow `j` in its loop; reorder them first
        step 0, `fuse k k -> f`, on `running`: `k` is the axis of an ordered loop; it cannot be fused
        step 0, `reorder i k`, on `doubled`: `k` is not an axis of the loop of `i`
        step 0, `reorder i i`, on `doubled`: `i` is named twice
        step 0, `reorder k`, on `running`: `k` is the only axis of an ordered loop
        step 0, `unroll i`, on `doubled`: `i` runs m times, which is not static; split it first
        step 0, `vector i`, on `doubled`: `i` is not the last axis of its loop; reorder them first
        step 0, `bind k lane`, on `sums`: `k` is not an axis of a parallel loop; only those can be bound
        step 0, `split k 8 guard -> a b`, on `sums`: `k` is the axis of a reduction, which cannot have a `guard` tail; use `parts`
        step 0, `stage y at i -> t`, on `doubled`: `y` is not an input of the kernel
        step 0, `stage x at k -> y`, on `running`: the name `y` is taken; give the array another name
        step 0, `parts i 8 -> a b`, on `doubled`: `i` is not an axis of a reduction
        step 1, `launches k 8 -> c d`, on `sums`: it changes the arguments of a launch; apply it to launches
        step 0, `inplace y x`, on `doubled`: it changes the arguments of a launch; apply it to launches
    "#]].assert_eq(&refusals.concat());
}

#[test]
fn launches_refuse_what_would_be_read_later() {
    let shifted = DOUBLED.replace("load x[i,j]", "load x[m-i-1,j]");
    let twice = [
        ("input 0, temporary 0", DOUBLED),
        ("temporary 0, output 0", DOUBLED),
        ("temporary 0, output 1", DOUBLED),
    ];
    let elsewhere = [("input 0, temporary 0", DOUBLED), ("temporary 0, output 0", &shifted)];
    let rows = [
        (launches(&twice, "temporary i32[m,n]"), 1, "inplace y x"),
        (launches(&twice, "temporary i32[m,n]"), 0, "inplace y x"),
        (launches(&elsewhere, "temporary i32[m,n]"), 1, "inplace y x"),
        (launches(&elsewhere, "temporary i32[m,n]"), 2, "vector j"),
        (launches(&[("input 0, output 0", SUMS)], ""), 0, "launches k 8 -> a b; vector i"),
        (launches(&[("input 0, output 0", SUMS)], ""), 0, "launches i 8 -> a b"),
    ];
    let refusals =
        rows.map(|(launches, which, steps)| match apply_to_launch(&launches, which, &schedule(steps)) {
            Ok(launches) => format!("{steps} gives {launches}"),
            Err(error) => format!("{error}\n"),
        });
    expect![[r#"
        step 0, `inplace y x`, on `doubled`: a later launch reads `temporary 0`, which is passed as `x`
        step 0, `inplace y x`, on `doubled`: `x` is passed as `input 0`; only temporaries can be overwritten
        step 0, `inplace y x`, on `doubled`: `x` is read elsewhere than right before `y` is written there
        there are 2 launches, so there is no launch 2
        step 0, `launches k 8 -> a b`, on `sums`: it leaves two kernels; schedule each of them separately
        step 0, `launches i 8 -> a b`, on `sums`: no reduction directly in the kernel's parallel loop has an axis `i`
    "#]].assert_eq(&refusals.concat());
}

#[test]
fn examples_in_the_table_are_texts_of_their_steps() {
    for (name, example) in Step::EXAMPLES {
        let one = schedule(&format!("{name} {example}"));
        let names: Vec<&str> = one.0.iter().map(Step::name).collect();
        assert_eq!(names, [*name], "{one}");
    }
}

#[test]
fn errors_of_the_text_form_say_what_was_expected() {
    let texts =
        ["halve i", "split i", "split i 8 half -> a b", "split i 8 guard a", "bind i core", "vector i j"];
    let errors = texts.map(|text| format!("{}\n", Schedule::parse(text).unwrap_err()));
    expect![[r#"
        line 1, column 1: expected one of the steps split, fuse, reorder, divide, clip, unroll, nest, interchange, contract, stage, place, swizzle, tree, pipeline, tensorise, parts, chains, lanes, launches, pack, unpack, inplace, bind, vector, found `halve`
        line 1, column 8: expected an integer, found the end of the text
        line 1, column 11: expected `exact`, `guard` or `peel`, found `half`
        line 1, column 17: expected `-`, found `a`
        line 1, column 8: expected `none`, `thread`, `group`, `subgroup`, `lane`, `vector` or `unit`, found `core`
        line 1, column 10: expected the end of the text, found `j`
    "#]].assert_eq(&errors.concat());
    assert_eq!(Schedule::parse(""), Ok(Schedule::default()));
}
