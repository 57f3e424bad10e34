//! Steps for groups of lanes: the kernels that they produce, what they refuse, and that wrong versions of them are
//! detected.

use super::{DOUBLED, PRODUCT, RUNNING, SUMS, gives, schedule};
use crate::interp::Interpreter;
use crate::kernel::Kernel;
use crate::lower::Launches;
use crate::schedule::apply;
use crate::trial::{launches, parsed, run};
use expect_test::expect;

/// Rows in an array, where each sum is stored with the row's largest element: two loops over one array.
const ROWS: &str = "kernel rows(x: in i32[m,24], y: out i32[m,24]) {
  par i<m @group {
    array t: i32[24]
    par j<24 {
      %0 = load x[i,j]
      store t[j] = %0
    }
    par k<24 {
      %1 = load t[23-k]
      store y[i,k] = %1
    }
  }
}";

/// A product with 16 by 8 results per group, computed with tiles.
pub(super) const TILES: &str = "kernel tiles(a: in i8[m,d], b: in i8[d,n], y: out i32[m,n]) {
  par mo<floordiv(m+15,16) @group, no<floordiv(n+7,8) @group {
    array sum: i32[16,8] in subgroup
    %0: i32 = constant 0
    par w0<1 @subgroup, i0<16, j0<8 {
      store sum[i0,j0] = %0
    }
    for ko<floordiv(d+31,32) {
      %1: i8 = constant 0
      array at: i8[16,32] in group
      copy i1<16, k1<32 @lane { at[i1,k1] = a[16*mo+i1,32*ko+k1] where m-16*mo-i1-1>=0, d-32*ko-k1-1>=0 else %1 }
      array bt: i8[32,8] in group
      copy k2<32 @lane, j2<8 { bt[k2,j2] = b[32*ko+k2,8*no+j2] where d-32*ko-k2-1>=0, n-8*no-j2-1>=0 else %1 }
      barrier group
      par w<1 @subgroup {
        dot i<16, j<8 over kk<32 { sum[i,j] += at[i,kk] * bt[kk,j] }
      }
      barrier group
    }
    par w4<1 @subgroup, i4<16, j4<8 {
      %2 = holds (m-16*mo-i4-1>=0, n-8*no-j4-1>=0)
      if %2 {
        %3 = load sum[i4,j4]
        store y[16*mo+i4,8*no+j4] = %3
      }
    }
  }
}";

#[test]
fn an_array_of_a_group_stands_between_barriers() {
    gives(
        ROWS,
        "place t group; bind j lane; split k 12 exact -> k0 k1; bind k1 lane",
        expect![[r#"
        kernel rows(x: in i32[m,24], y: out i32[m,24]) {
          par i<m @group {
            array t: i32[24] in group
            barrier group
            par j<24 @lane {
              %0 = load x[i,j]
              store t[j] = %0
            }
            barrier group
            par k0<2, k1<12 @lane {
              %1 = load t[-12*k0-k1+23]
              store y[i,12*k0+k1] = %1
            }
            barrier group
          }
        }
    "#]],
    );
}

#[test]
fn an_array_returns_to_registers_where_each_element_is_of_one_lane() {
    let own = ROWS.replace("t[23-k]", "t[k]");
    let steps =
        "place t group; split j 4 exact -> j0 j1; split k 4 exact -> k0 k1; bind j0 lane; bind k0 lane";
    gives(
        &own,
        &format!("{steps}; place t lane"),
        expect![[r#"
        kernel rows(x: in i32[m,24], y: out i32[m,24]) {
          par i<m @group {
            array t: i32[24]
            barrier group
            par j0<6 @lane, j1<4 {
              %0 = load x[i,4*j0+j1]
              store t[4*j0+j1] = %0
            }
            barrier group
            par k0<6 @lane, k1<4 {
              %1 = load t[4*k0+k1]
              store y[i,4*k0+k1] = %1
            }
            barrier group
          }
        }
    "#]],
    );
    refuses(
        ROWS,
        &format!("{steps}; place t lane"),
        "`t` cannot stay in registers: a loop does not give each",
    );
    let other = steps.replace("split k 4", "split k 3");
    refuses(&own, &format!("{other}; place t lane"), "loops give an element to different ones");
    let half = steps.replace("; bind k0 lane", "");
    refuses(&own, &format!("{half}; place t lane"), "all lanes together access it too");
    // One lane writes it, and all read it.
    let one = "bind i group; stage a at k1 by 1 -> t; place t lane";
    refuses(
        &PRODUCT.replace("[m,24]", "[24]").replace("a[i,", "a["),
        one,
        "all lanes together access it too",
    );
}

#[test]
fn lanes_fill_what_they_share() {
    gives(
        PRODUCT,
        "bind i group; stage a at k1 by 4 -> t",
        expect![[r#"
        kernel product(a: in i32[m,24], b: in i32[24], y: out i32[m]) {
          par i<m @group {
            %0: i32 = constant 0
            %2: i32 = for k0<3 with %1: i32 = %0 {
              array t: i32[1,8] in group
              %3: i32 = constant 0
              copy lane_1<4 @lane, turn_1<2 { t[floordiv(lane_1+4*turn_1,8),lane_1+4*turn_1-8*floordiv(lane_1+4*turn_1,8)] = a[i+floordiv(lane_1+4*turn_1,8),8*k0+lane_1+4*turn_1-8*floordiv(lane_1+4*turn_1,8)] where -i+m-floordiv(lane_1+4*turn_1,8)-1>=0 else %3 }
              barrier group
              %5: i32 = for k1<8 with %4: i32 = %1 {
                %6 = load t[0,k1]
                %7 = load b[8*k0+k1]
                %8 = mul %6, %7
                %9 = add %4, %8
                next %9
              }
              barrier group
              next %5
            }
            store y[i] = %2
          }
        }
    "#]],
    );
}

#[test]
fn lanes_merge_their_states_as_a_tree() {
    gives(
        SUMS,
        "bind i group; tree k 6 -> l t",
        expect![[r#"
        kernel sums(x: in i32[m,n], y: out i32[m]) {
          par i<m @group {
            %0: i32 = constant 0
            array states: i32[6] in group
            barrier group
            par l<6 @lane {
              %5: i32 = reduce t<-l+floordiv(5*l+n+5,6) {
                %6 = load x[i,l+6*t]
                give %6
              } from %0 step (%1: i32, %2: i32) {
                %7 = add %1, %2
                give %7
              } merge (%3: i32, %4: i32) {
                %8 = add %3, %4
                give %8
              }
              store states[l] = %5
            }
            barrier group
            par l_1<3 @lane {
              %9 = load states[2*l_1]
              %10 = load states[2*l_1+1]
              %11 = add %9, %10
              store states[2*l_1] = %11
            }
            barrier group
            par l_2<1 @lane {
              %12 = load states[4*l_2]
              %13 = load states[4*l_2+2]
              %14 = add %12, %13
              store states[4*l_2] = %14
            }
            barrier group
            par l_3<1 @lane {
              %15 = load states[8*l_3]
              %16 = load states[8*l_3+4]
              %17 = add %15, %16
              store states[8*l_3] = %17
            }
            barrier group
            %18 = load states[0]
            barrier group
            store y[i] = %18
          }
        }
    "#]],
    );
}

#[test]
fn copies_run_ahead_of_what_reads_them() {
    gives(
        TILES,
        "pipeline ko 2",
        expect![[r#"
        kernel tiles(a: in i8[m,d], b: in i8[d,n], y: out i32[m,n]) {
          par mo<floordiv(m+15,16) @group, no<floordiv(n+7,8) @group {
            array sum: i32[16,8] in subgroup
            %0: i32 = constant 0
            par w0<1 @subgroup, i0<16, j0<8 {
              store sum[i0,j0] = %0
            }
            %1: i8 = constant 0
            array at: i8[2,16,32] in group
            array bt: i8[2,32,8] in group
            %2 = holds (floordiv(d+31,32)-1>=0)
            if %2 {
              copy i1_1<16, k1_1<32 @lane { at[0,i1_1,k1_1] = a[i1_1+16*mo,k1_1] where -i1_1+m-16*mo-1>=0, d-k1_1-1>=0 else %1 } slot 0
              copy k2_1<32 @lane, j2_1<8 { bt[0,k2_1,j2_1] = b[k2_1,j2_1+8*no] where d-k2_1-1>=0, -j2_1+n-8*no-1>=0 else %1 } slot 0
            }
            for ko<floordiv(d+31,32) {
              %3 = holds (-ko+floordiv(d+31,32)-2>=0)
              if %3 {
                copy i1_2<16, k1_2<32 @lane { at[ko-2*floordiv(ko+1,2)+1,i1_2,k1_2] = a[i1_2+16*mo,k1_2+32*ko+32] where -i1_2+m-16*mo-1>=0, d-k1_2-32*ko-33>=0 else %1 } slot ko-2*floordiv(ko+1,2)+1
                copy k2_2<32 @lane, j2_2<8 { bt[ko-2*floordiv(ko+1,2)+1,k2_2,j2_2] = b[k2_2+32*ko+32,j2_2+8*no] where d-k2_2-32*ko-33>=0, -j2_2+n-8*no-1>=0 else %1 } slot ko-2*floordiv(ko+1,2)+1
              }
              wait ko-2*floordiv(ko,2)
              barrier group
              par w<1 @subgroup {
                dot i<16, j<8 over kk<32 { sum[i,j] += at[ko-2*floordiv(ko,2),i,kk] * bt[ko-2*floordiv(ko,2),kk,j] }
              }
              barrier group
            }
            par w4<1 @subgroup, i4<16, j4<8 {
              %4 = holds (-i4+m-16*mo-1>=0, -j4+n-8*no-1>=0)
              if %4 {
                %5 = load sum[i4,j4]
                store y[i4+16*mo,j4+8*no] = %5
              }
            }
          }
        }
    "#]],
    );
}

#[test]
fn contractions_are_instructions() {
    gives(
        TILES,
        "tensorise i mma_m16n8k32_i8 -> ti tj tk; unroll tk",
        expect![[r#"
        kernel tiles(a: in i8[m,d], b: in i8[d,n], y: out i32[m,n]) {
          par mo<floordiv(m+15,16) @group, no<floordiv(n+7,8) @group {
            array sum: i32[16,8] in subgroup
            %0: i32 = constant 0
            par w0<1 @subgroup, i0<16, j0<8 {
              store sum[i0,j0] = %0
            }
            for ko<floordiv(d+31,32) {
              %1: i8 = constant 0
              array at: i8[16,32] in group
              copy i1<16, k1<32 @lane { at[i1,k1] = a[i1+16*mo,k1+32*ko] where -i1+m-16*mo-1>=0, d-k1-32*ko-1>=0 else %1 }
              array bt: i8[32,8] in group
              copy k2<32 @lane, j2<8 { bt[k2,j2] = b[k2+32*ko,j2+8*no] where d-k2-32*ko-1>=0, -j2+n-8*no-1>=0 else %1 }
              barrier group
              par w<1 @subgroup {
                par ti<1, tj<1 {
                  instr mma_m16n8k32_i8(sum[16*ti,8*tj], at[16*ti,0], bt[0,8*tj])
                }
              }
              barrier group
            }
            par w4<1 @subgroup, i4<16, j4<8 {
              %2 = holds (-i4+m-16*mo-1>=0, -j4+n-8*no-1>=0)
              if %2 {
                %3 = load sum[i4,j4]
                store y[i4+16*mo,j4+8*no] = %3
              }
            }
          }
        }
    "#]],
    );
}

fn refuses(kernel: &str, steps: &str, why: &str) {
    let error = apply(&parsed(kernel), &schedule(steps)).unwrap_err().to_string();
    assert!(error.contains(why), "{steps}: {error}");
}

#[test]
fn steps_say_why_they_do_not_fit() {
    refuses(
        ROWS,
        "bind j lane",
        "`t` is held by lanes, and others may have written it; place it in `group` first",
    );
    refuses(ROWS, "place t group; bind j lane; bind k group", "groups cannot be inside groups");
    refuses(
        ROWS,
        "place t group; bind j lane; bind i none",
        "all lanes of a group synchronize inside the loop of `i`",
    );
    refuses(ROWS, "place t group; bind j lane; bind j subgroup; place t lane", "does not give each element");
    refuses(ROWS, "place u group", "the kernel makes no array `u`");
    refuses(
        ROWS,
        "place t group; bind j lane; place t subgroup",
        "loops over `t` are already spread over lanes",
    );
    refuses(&ROWS.replace(" @group", ""), "place t group; bind j lane", "bind that to `group` first");
    refuses(&ROWS.replace(" @group", " @lane"), "place t group", "`t` is made in a loop of lanes");
    refuses(
        &ROWS.replace(" @group", ""),
        "bind k lane; bind i lane",
        "parts of one group; `i` has other ones",
    );
    refuses(DOUBLED, "bind i lane; bind j subgroup", "another axis of it is already bound");
    let around = ROWS.replace("  par i<m @group {\n    array t: i32[24]", "  array t: i32[24]\n  par i<m {");
    refuses(&around, "bind i group", "`t` is made outside the loop of `i`, but groups share no array");
    refuses(PRODUCT, "stage a at k1 by 4 -> t", "bind that to `group` first");
    refuses(PRODUCT, "bind i group; stage a at k1 by 0 -> t", "a group needs at least one lane");
    refuses(SUMS, "tree k 6 -> l t", "bind that to `group` first");
    refuses(SUMS, "bind i lane; tree k 6 -> l t", "run by single lanes, which cannot meet at barriers");
    refuses(SUMS, "bind i group; tree k 0 -> l t", "a group has 1 to 1024 lanes, not 0");
    refuses(SUMS, "tree i 6 -> l t", "`i` is not an axis of a reduction");
    refuses(TILES, "pipeline ko 1", "a pipeline has 2 to 8 slots, not 1");
    refuses(TILES, "pipeline mo 2", "`mo` is not an axis of a loop that counts upwards");
    refuses(RUNNING, "pipeline k 2", "`k` is not an axis of a loop that counts upwards");
    refuses(&RUNNING.replace(" reverse", ""), "pipeline k 2", "does not begin with copies of inputs");
    let written = "barrier group\n      store at[0,0] = %1\n      barrier group\n      par w<1";
    refuses(
        &TILES.replace("barrier group\n      par w<1", written),
        "pipeline ko 2",
        "writes `at` after the copies",
    );
    let around = TILES
        .replace("      array at: i8[16,32] in group\n", "")
        .replace("    array sum", "    array at: i8[16,32] in group\n    array sum");
    refuses(&around, "pipeline ko 2", "the loop of `ko` copies to an array that is made outside it");
    let names = "-> ti tj tk";
    refuses(TILES, &format!("tensorise i wmma {names}"), "no machine has an instruction `wmma`");
    refuses(
        TILES,
        &format!("tensorise mo mma_m16n8k32_i8 {names}"),
        "no contraction of tiles has an axis `mo`",
    );
    refuses(TILES, &format!("tensorise i mma_m16n8k16_f16 {names}"), "`sum` has type i32, but");
    let steps = format!("tensorise i mma_m16n8k32_i8 {names}");
    refuses(
        &TILES.replace("dot i<16", "dot i<8"),
        &steps,
        "`i` has 8 indices, but `mma_m16n8k32_i8` takes 16",
    );
    refuses(
        &TILES.replace("dot i<16", "dot i<16 @subgroup").replace("w<1 @subgroup", "w<1"),
        &steps,
        "`i` is already bound",
    );
    refuses(
        &TILES.replace("sum[i,j]", "sum[j,i]"),
        &steps,
        "the last two axes of `sum` are not the rows and columns",
    );
    // One factor is filled with something else than 0, and 0 times infinity is NaN.
    let filled = TILES.replace("array bt", "%4: i8 = constant 1 array bt").replacen(
        "n-8*no-j2-1>=0 else %1",
        "n-8*no-j2-1>=0 else %4",
        1,
    );
    refuses(&filled, &steps, "`bt` is not known to be 0 where it extends past the data; fill it with 0");
    let lane = TILES.replace("in subgroup", "in group");
    refuses(&lane, &steps, "the sum of an instruction must be in `subgroup`");
}

/// A kernel, a schedule, the part of the resulting text that is replaced, and its replacement.
type Planted<'a> = (&'a str, &'a str, &'a str, &'a str);

#[test]
fn wrong_versions_of_steps_are_found() {
    let own = ROWS.replace("t[23-k]", "t[k]");
    let shared = "place t group; bind j lane; bind k lane";
    let kept = "place t group; split j 4 exact -> j0 j1; split k 4 exact -> k0 k1; bind j0 lane; bind k0 lane; place t lane";
    let tree = "bind i group; tree k 6 -> l t";
    let staged = "bind i group; stage a at k1 by 4 -> t";
    let piped = "pipeline ko 2";
    let instr = "tensorise i mma_m16n8k32_i8 -> ti tj tk";
    let planted: &[Planted<'_>] = &[
        // An array that lanes share, without the barrier between writing and reading, or in registers.
        (ROWS, shared, "barrier group\n    par k", "par k"),
        (ROWS, shared, "in group", "in lane"),
        // Registers that another lane reads.
        (&own, kept, "load t[4*k0+k1]", "load t[23-4*k0-k1]"),
        // A copy that begins elsewhere, leaves out elements, or is not complete when it is read.
        (
            PRODUCT,
            staged,
            "a[i+floordiv(lane_1+4*turn_1,8),8*k0+lane_1",
            "a[i+floordiv(lane_1+4*turn_1,8),lane_1",
        ),
        (PRODUCT, staged, "turn_1<2", "turn_1<1"),
        (PRODUCT, staged, "}\n      barrier group", "}"),
        // States of only some lanes, in another order, or before they are there; and an array that is written while it is read.
        (SUMS, tree, "l_1<3", "l_1<2"),
        (SUMS, tree, "load states[4*l_2+2]", "load states[4*l_2+1]"),
        (SUMS, tree, "barrier group\n    par l_1", "par l_1"),
        (SUMS, tree, "barrier group\n    par l_2", "par l_2"),
        (SUMS, tree, "t<-l+floordiv(5*l+n+5,6)", "t<floordiv(n+5,6)"),
        // A read that is too early, a slot that is overwritten, copies for the wrong iteration, and missing copies for the last one.
        (TILES, piped, "wait ko-2*floordiv(ko,2)\n", "wait 1-ko+2*floordiv(ko,2)\n"),
        (TILES, piped, "barrier group\n      par w<1", "par w<1"),
        (TILES, piped, "      barrier group\n    }", "    }"),
        (TILES, piped, "a[i1_2+16*mo,k1_2+32*ko+32]", "a[i1_2+16*mo,k1_2+32*ko]"),
        (TILES, piped, "holds (-ko+floordiv(d+31,32)-2>=0)", "holds (-ko+floordiv(d+31,32)-3>=0)"),
        // Instructions that overlap, or too few of them.
        (TILES, instr, "bt[32*tk,8*tj]", "bt[32*tk,8*tj+1]"),
        (TILES, instr, "tk<1", "tk<0"),
    ];
    // Sizes that no tile divides.
    let run = |launches: &Launches, late_copies: bool| {
        let interpreter = Interpreter { late_copies, ..Interpreter::default() };
        run(launches, &[("m", 19), ("n", 11), ("d", 70)], &interpreter)
    };
    let mut missed = Vec::new();
    for &(kernel, steps, right, wrong) in planted {
        let arguments = match kernel {
            ROWS | SUMS => "input 0, output 0",
            _ if kernel == own => "input 0, output 0",
            _ => "input 0, input 1, output 0",
        };
        let whole = launches(&[(arguments, kernel)], "");
        let expected = run(&whole, false).unwrap();
        let scheduled = apply(&parsed(kernel), &schedule(steps)).unwrap_or_else(|e| panic!("{e}"));
        let with = |kernel: Kernel| {
            let mut launches = whole.clone();
            launches.launches[0].kernel = kernel;
            [false, true].map(|late| run(&launches, late))
        };
        let right_ones = with(scheduled.clone());
        assert!(
            right_ones.iter().all(|found| found.as_ref() == Ok(&expected)),
            "{steps}: {right_ones:?}\n{scheduled}"
        );
        let text = scheduled.to_string();
        if !text.contains(right) {
            missed.push(format!("{steps}: no `{right}` in {text}"));
            continue;
        }
        let mutant = Kernel::parse(&text.replace(right, wrong)).unwrap_or_else(|e| panic!("{e}"));
        if with(mutant.clone()).iter().all(|found| found.as_ref() == Ok(&expected)) {
            missed.push(format!("{steps}: `{wrong}` is not found in {mutant}"));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
