//! Sums that groups share, states that lanes share, and orders of shared memory: what steps produce and refuse, and
//! wrong versions that are detected.

use super::groups::TILES;
use super::{DOUBLED, SUMS, gives, schedule};
use crate::interp::Interpreter;
use crate::lower::Launches;
use crate::schedule::apply_to_launch;
use crate::trial::{launches, run};
use expect_test::expect;
use rlx_ir::{Bindings, Literal, Shape, Symbol};

/// The largest element of each row and how often it occurs: integer states that are combined like those of a softmax.
const LARGEST: &str = "kernel largest(x: in i32[m,n], y: out i32[m], c: out i32[m]) {
  par i<m {
    %0: i32 = constant -128
    %1: i32 = constant 0
    %2: i32 = constant 1
    %3: i32, %4: i32 = reduce k<n {
      %5 = load x[i,k]
      give %5
    } from %0, %1 step (%6: i32, %7: i32, %8: i32) {
      %9 = max %6, %8
      %10: i32 = constant 0
      %11: i32 = constant 1
      %12 = compare %6, %9 {op = eq, total_order = false}
      %13 = select %12, %7, %10
      %14 = compare %8, %9 {op = eq, total_order = false}
      %15 = select %14, %11, %10
      %16 = add %13, %15
      give %9, %16
    } merge (%17: i32, %18: i32, %19: i32, %20: i32) {
      %21 = max %17, %19
      %22: i32 = constant 0
      %23 = compare %17, %21 {op = eq, total_order = false}
      %24 = select %23, %18, %22
      %25 = compare %19, %21 {op = eq, total_order = false}
      %26 = select %25, %20, %22
      %27 = add %24, %26
      give %21, %27
    }
    store y[i] = %3
    store c[i] = %4
  }
}";

/// A window of three positions, which extends past a row at both ends.
const WINDOW: &str = "kernel window(x: in f32[m,9], w: in f32[3], y: out f32[m,9]) {
  par i<m, j<9 {
    %0: f32 = constant 0.0
    %6: f32 = reduce k<3 {
      %1 = load x[i,j+k-1] where j+k-1>=0, -j-k+9>=0 else %0
      %2 = load w[k] where j+k-1>=0, -j-k+9>=0 else %0
      %3 = mul %1, %2
      give %3
    } from %0 step (%4: f32, %5: f32) {
      %7 = add %4, %5
      give %7
    } merge (%8: f32, %9: f32) {
      %10 = add %8, %9
      give %10
    }
    store y[i,j] = %6
  }
}";

/// A tile that lanes write by rows and read by columns.
const TURNED: &str = "kernel turned(x: in i32[32,32], y: out i32[32,32]) {
  par one<1 @group {
    array t: i32[32,32] in group
    par i<32 @lane, j<32 {
      %0 = load x[j,i]
      store t[j,i] = %0
    }
    barrier group
    par k<32 @lane, l<32 {
      %1 = load t[k,l]
      store y[l,k] = %1
    }
  }
}";

fn scheduled(whole: &Launches, steps: &str) -> Launches {
    let last = whole.launches.len() - 1;
    apply_to_launch(whole, last, &schedule(steps)).unwrap_or_else(|e| panic!("{e}"))
}

fn refuses(kernel: &str, steps: &str, why: &str) {
    let arguments = if kernel.contains("b: in") { "input 0, input 1, output 0" } else { "input 0, output 0" };
    let whole = launches(&[(arguments, kernel)], "");
    let error = apply_to_launch(&whole, 0, &schedule(steps)).expect_err(steps).to_string();
    assert!(error.contains(why), "{steps}: {error}");
}

#[test]
fn groups_share_the_sums_of_tiles() {
    let whole = launches(&[("input 0, input 1, output 0", TILES)], "");
    expect![[r#"
        launches {
          temporary i32[floordiv(m+15,16),floordiv(n+7,8),floordiv(floordiv(d+31,32)+1,2),16,8]
          launch (input 0, input 1, temporary 0) kernel tiles_parts(a: in i8[m,d], b: in i8[d,n], state0: out i32[floordiv(m+15,16),floordiv(n+7,8),floordiv(floordiv(d+31,32)+1,2),16,8]) {
            par mo<floordiv(m+15,16) @group, no<floordiv(n+7,8) @group, part<floordiv(floordiv(d+31,32)+1,2) @group {
              array sum: i32[16,8] in subgroup
              %0: i32 = constant 0
              par w0<1 @subgroup, i0<16, j0<8 {
                store sum[i0,j0] = %0
              }
              for k<-2*part+floordiv(d+31,32)-max(2,-2*part+floordiv(d+31,32))+2 {
                %1: i8 = constant 0
                array at: i8[16,32] in group
                copy i1<16, k1<32 @lane { at[i1,k1] = a[i1+16*mo,32*k+k1+64*part] where -i1+m-16*mo-1>=0, d-32*k-k1-64*part-1>=0 else %1 }
                array bt: i8[32,8] in group
                copy k2<32 @lane, j2<8 { bt[k2,j2] = b[32*k+k2+64*part,j2+8*no] where d-32*k-k2-64*part-1>=0, -j2+n-8*no-1>=0 else %1 }
                barrier group
                par w<1 @subgroup {
                  dot i<16, j<8 over kk<32 { sum[i,j] += at[i,kk] * bt[kk,j] }
                }
                barrier group
              }
              par w0_1<1 @subgroup, i0_1<16, j0_1<8 {
                %2 = load sum[i0_1,j0_1]
                store state0[mo,no,part,i0_1,j0_1] = %2
              }
            }
          }
          launch (output 0, temporary 0) kernel tiles(y: out i32[m,n], state0: in i32[floordiv(m+15,16),floordiv(n+7,8),floordiv(floordiv(d+31,32)+1,2),16,8]) {
            par mo<floordiv(m+15,16) @group, no<floordiv(n+7,8) @group {
              array sum: i32[16,8] in subgroup
              %0: i32 = constant 0
              par w0<1 @subgroup, i0<16, j0<8 {
                %5: i32 = reduce part_1<floordiv(floordiv(d+31,32)+1,2) {
                  %6 = load state0[mo,no,part_1,i0,j0]
                  give %6
                } from %0 step (%1: i32, %2: i32) {
                  %7 = add %1, %2
                  give %7
                } merge (%3: i32, %4: i32) {
                  %8 = add %3, %4
                  give %8
                }
                store sum[i0,j0] = %5
              }
              par w4<1 @subgroup, i4<16, j4<8 {
                %9 = holds (-i4+m-16*mo-1>=0, -j4+n-8*no-1>=0)
                if %9 {
                  %10 = load sum[i4,j4]
                  store y[i4+16*mo,j4+8*no] = %10
                }
              }
            }
          }
        }
    "#]].assert_eq(&scheduled(&whole, "launches ko 2 -> part k").to_string());
}

#[test]
fn loops_that_do_more_than_add_are_not_split() {
    let step = "launches ko 2 -> part k";
    refuses(TILES, "launches ko 0 -> part k", "a part needs at least one iteration");
    refuses(
        &TILES.replace("constant 0\n    par w0", "constant 1\n    par w0"),
        step,
        "does more than fill a tile with 0",
    );
    let early = "for ko<floordiv(d+31,32) {\n      par e<1 { %4: i32 = constant 7 store sum[0,0] = %4 }";
    refuses(
        &TILES.replace("for ko<floordiv(d+31,32) {", early),
        step,
        "does more to `sum` than add products",
    );
    let other =
        "array other: i32[4] in subgroup\n    par o<1 @subgroup, o1<4 { store other[o1] = %0 }\n    for ko";
    refuses(&TILES.replace("for ko", other), step, "adds nothing to `other`");
    refuses(&TILES.replace("in subgroup", "in group"), step, "`sum` is not held by lanes or subgroups");
}

#[test]
fn lanes_share_states_of_several_scalars() {
    gives(
        LARGEST,
        "lanes k 4 -> a b; interchange b",
        expect![[r#"
        kernel largest(x: in i32[m,n], y: out i32[m], c: out i32[m]) {
          par i<m {
            %0: i32 = constant -128
            %1: i32 = constant 0
            %2: i32 = constant 1
            array parts: i32[4]
            array parts_1: i32[4]
            array sums: i32[4]
            array sums_1: i32[4]
            par b_2<4 {
              store sums[b_2] = %0
              store sums_1[b_2] = %1
            }
            for a<floordiv(n,4) {
              par b_3<4 {
                %3: i32 = constant 0
                %4: i32 = constant 1
                %5 = load x[i,4*a+b_3]
                %6 = load sums[b_3]
                %7 = load sums_1[b_3]
                %8 = max %6, %5
                %9 = compare %6, %8 {op = eq, total_order = false}
                %10 = select %9, %7, %3
                %11 = compare %5, %8 {op = eq, total_order = false}
                %12 = select %11, %4, %3
                %13 = add %10, %12
                store sums[b_3] = %8
                store sums_1[b_3] = %13
              }
            }
            par b_4<4 {
              %14 = load sums[b_4]
              %15 = load sums_1[b_4]
              store parts[b_4] = %14
              store parts_1[b_4] = %15
            }
            %24: i32, %25: i32 = reduce b_1<4 {
              %26 = load parts[b_1]
              %27 = load parts_1[b_1]
              give %26, %27
            } from %0, %1 step (%16: i32, %17: i32, %18: i32, %19: i32) {
              %28 = max %16, %18
              %29: i32 = constant 0
              %30 = compare %16, %28 {op = eq, total_order = false}
              %31 = select %30, %17, %29
              %32 = compare %18, %28 {op = eq, total_order = false}
              %33 = select %32, %19, %29
              %34 = add %31, %33
              give %28, %34
            } merge (%20: i32, %21: i32, %22: i32, %23: i32) {
              %35 = max %20, %22
              %36: i32 = constant 0
              %37 = compare %20, %35 {op = eq, total_order = false}
              %38 = select %37, %21, %36
              %39 = compare %22, %35 {op = eq, total_order = false}
              %40 = select %39, %23, %36
              %41 = add %38, %40
              give %35, %41
            }
            %49: i32, %50: i32 = reduce k_1<n-4*floordiv(n,4) {
              %51 = load x[i,k_1+4*floordiv(n,4)]
              give %51
            } from %0, %1 step (%42: i32, %43: i32, %44: i32) {
              %52 = max %42, %44
              %53: i32 = constant 0
              %54: i32 = constant 1
              %55 = compare %42, %52 {op = eq, total_order = false}
              %56 = select %55, %43, %53
              %57 = compare %44, %52 {op = eq, total_order = false}
              %58 = select %57, %54, %53
              %59 = add %56, %58
              give %52, %59
            } merge (%45: i32, %46: i32, %47: i32, %48: i32) {
              %60 = max %45, %47
              %61: i32 = constant 0
              %62 = compare %45, %60 {op = eq, total_order = false}
              %63 = select %62, %46, %61
              %64 = compare %47, %60 {op = eq, total_order = false}
              %65 = select %64, %48, %61
              %66 = add %63, %65
              give %60, %66
            }
            %67 = max %24, %49
            %68: i32 = constant 0
            %69 = compare %24, %67 {op = eq, total_order = false}
            %70 = select %69, %25, %68
            %71 = compare %49, %67 {op = eq, total_order = false}
            %72 = select %71, %50, %68
            %73 = add %70, %72
            store y[i] = %67
            store c[i] = %73
          }
        }
    "#]],
    );
}

#[test]
fn a_combiner_that_tells_the_first_from_the_second_keeps_the_order() {
    let first = SUMS.replace("%8 = add %6, %7", "%8 = sub %6, %7");
    refuses(&first, "lanes k 4 -> a b", "the combiner is not known to commute");
    // States that are only exchanged in part.
    let other = LARGEST.replace("%26 = select %25, %20, %22", "%26 = select %25, %18, %22");
    refuses(
        &other.replace(", c: out i32[m]", "").replace("store c[i] = %4", ""),
        "lanes k 4 -> a b",
        "known to commute",
    );
}

#[test]
fn places_at_borders_have_loops_of_their_own() {
    gives(
        WINDOW,
        "divide j 1 1 -> mid; clip k_1; clip k_3",
        expect![[r#"
        kernel window(x: in f32[m,9], w: in f32[3], y: out f32[m,9]) {
          par i_1<m {
            %0: f32 = constant 0.0
            %5: f32 = reduce k_1<2 {
              %6 = load x[i_1,k_1]
              %7 = load w[k_1+1]
              %8 = mul %6, %7
              give %8
            } from %0 step (%1: f32, %2: f32) {
              %9 = add %1, %2
              give %9
            } merge (%3: f32, %4: f32) {
              %10 = add %3, %4
              give %10
            }
            store y[i_1,0] = %5
          }
          par i_2<m, mid<7 {
            %11: f32 = constant 0.0
            %16: f32 = reduce k_2<3 {
              %17 = load x[i_2,k_2+mid]
              %18 = load w[k_2]
              %19 = mul %17, %18
              give %19
            } from %11 step (%12: f32, %13: f32) {
              %20 = add %12, %13
              give %20
            } merge (%14: f32, %15: f32) {
              %21 = add %14, %15
              give %21
            }
            store y[i_2,mid+1] = %16
          }
          par i_3<m {
            %22: f32 = constant 0.0
            %27: f32 = reduce k_3<2 {
              %28 = load x[i_3,k_3+7]
              %29 = load w[k_3]
              %30 = mul %28, %29
              give %30
            } from %22 step (%23: f32, %24: f32) {
              %31 = add %23, %24
              give %31
            } merge (%25: f32, %26: f32) {
              %32 = add %25, %26
              give %32
            }
            store y[i_3,8] = %27
          }
        }
    "#]],
    );
}

#[test]
fn sums_are_clipped_where_nothing_is_left_out() {
    let one = WINDOW.replace("load w[k] where j+k-1>=0, -j-k+9>=0 else %0", "load w[k]");
    for (kernel, steps, why) in [
        (WINDOW, "divide j 5 5 -> mid", "`j` has 9 indices, which are not known to be 5 and 5 more"),
        (WINDOW, "divide j 60 5 -> mid", "at most 64 indices can have separate loops"),
        (WINDOW, "divide k 1 1 -> mid", "`k` is not an axis of a parallel loop"),
        (WINDOW, "vector j; divide j 1 1 -> mid", "bound to `vector`"),
        (WINDOW, "clip j", "`j` is not an axis of a reduction"),
        (WINDOW, "clip k", "no common guard of both factors bounds `k` by numbers"),
        (&one, "divide j 1 1 -> mid; clip k_1", "no common guard of both factors"),
        (&WINDOW.replace("constant 0.0", "constant -0.0"), "clip k", "is not a sum that starts with 0"),
        (&WINDOW.replace("add %4, %5", "max %4, %5"), "clip k", "is not a sum that starts with 0"),
    ] {
        let whole = launches(&[("input 0, input 1, output 0", kernel)], "");
        let error = apply_to_launch(&whole, 0, &schedule(steps)).expect_err(steps).to_string();
        assert!(error.contains(why), "{steps}: {error}");
    }
}

#[test]
fn orders_have_a_place_for_each_element() {
    refuses(DOUBLED, "swizzle t 1 from 1 to 0", "the kernel makes no array `t`");
    refuses(&TURNED.replace(" in group", ""), "swizzle t 1 from 1 to 0", "is not in `group`");
    refuses(TURNED, "swizzle t 2 from 1 to 0", "2 bits from 1 are not above those from 0");
    refuses(TURNED, "swizzle t 0 from 1 to 0", "0 bits from 1");
    refuses(TURNED, "swizzle t 4294967295 from 1 to 1", "positions have only 31 bits");
    refuses(
        &TURNED.replace("t: i32[32,32]", "t: i32[32,33]"),
        "swizzle t 5 from 6 to 1",
        "1056 elements are not a multiple of 64",
    );
    refuses(
        &TILES.replace("at: i8[16,32]", "at: i8[m,32]"),
        "swizzle at 1 from 1 to 0",
        "its sizes are not static",
    );
}

#[test]
fn lanes_that_read_columns_wait_for_no_bank() {
    let whole = launches(&[("input 0, output 0", TURNED)], "");
    let numbers = Literal::new(&[32, 32], &(0..1024).collect::<Vec<i32>>()).unwrap();
    let conflicts = |launches: &Launches| {
        let shapes = [Shape::new(&[32, 32], rlx_ir::DType::I32)];
        let results = Interpreter::default().run(launches, &Bindings::new(), &[&numbers], &shapes).unwrap();
        (results.outputs, results.counts.bank_conflicts)
    };
    let (outputs, plain) = conflicts(&whole);
    assert_eq!(plain, 31 * 32);
    assert_eq!(conflicts(&scheduled(&whole, "swizzle t 5 from 5 to 0")), (outputs.clone(), 0));
    assert_eq!(conflicts(&scheduled(&whole, "swizzle t 3 from 5 to 0")), (outputs, 3 * 32));
}

/// Launches, a schedule of the last one, the part of the resulting text that is replaced, and its replacement.
type Planted<'a> = (&'a Launches, &'a str, &'a str, &'a str);

#[test]
fn wrong_versions_of_these_steps_are_found() {
    let tiles = launches(&[("input 0, input 1, output 0", TILES)], "");
    let largest = launches(&[("input 0, output 0, output 1", LARGEST)], "");
    let turned = launches(&[("input 0, output 0", TURNED)], "");
    let window = launches(&[("input 0, input 1, output 0", WINDOW)], "");
    let borders = "divide j 1 1 -> mid; clip k_1; clip k_3";
    let (split, lanes, tree) =
        ("launches ko 2 -> part k", "lanes k 4 -> a b", "bind i group; tree k 4 -> l t");
    let planted: &[Planted<'_>] = &[
        // Parts that overlap or are too short, and a partial sum that is left out, is counted for all, or is elsewhere.
        (&tiles, split, "a[i1+16*mo,32*k+k1+64*part]", "a[i1+16*mo,32*k+k1+32*part]"),
        (&tiles, split, "for k<-2*part+floordiv(d+31,32)-max(2,-2*part+floordiv(d+31,32))+2", "for k<1"),
        (&tiles, split, "reduce part_1<floordiv(floordiv(d+31,32)+1,2)", "reduce part_1<1"),
        (&tiles, split, "load state0[mo,no,part_1,i0,j0]", "load state0[mo,no,0,i0,j0]"),
        (&tiles, split, "store state0[mo,no,part,i0_1,j0_1]", "store state0[mo,no,part,i0_1,7-j0_1]"),
        // Lanes that read the same or are not merged, and a state with a scalar that belongs to another lane or is read too early.
        (&largest, lanes, "load x[i,4*a+b]", "load x[i,4*a]"),
        (&largest, lanes, "reduce b_1<4", "reduce b_1<3"),
        (&largest, tree, "load states[2*l_1+1]", "load states[2*l_1]"),
        (&largest, tree, "barrier group\n      par l_1", "par l_1"),
        (&largest, tree, "load x[i,l+4*t]", "load x[i,t]"),
        // A position that is left out or wrong, and a sum that begins too late or is too long.
        (&window, borders, "mid<7", "mid<6"),
        (&window, borders, "store y[i_3,8]", "store y[i_3,7]"),
        (&window, borders, "reduce k_1<2", "reduce k_1<1"),
        (&window, borders, "load x[i_1,k_1]", "load x[i_1,k_1+1]"),
        // An order with two elements in one position.
        (&turned, "swizzle t 5 from 5 to 0", "swizzle 5 from 5 to 0", "swizzle 5 from 4 to 0"),
    ];
    let sizes = [("m", 19), ("n", 11), ("d", 170)];
    let run = |launches: &Launches| {
        let named: Vec<Symbol> =
            launches.launches.iter().flat_map(|l| crate::print::sizes(&l.kernel)).collect();
        let sizes: Vec<_> =
            sizes.into_iter().filter(|(name, _)| named.contains(&Symbol::new(name))).collect();
        run(launches, &sizes, &Interpreter::default())
    };
    for &(whole, steps, right, wrong) in planted {
        let (expected, scheduled) = (run(whole).unwrap(), scheduled(whole, steps));
        assert_eq!(run(&scheduled).as_ref(), Ok(&expected), "{steps}");
        let text = scheduled.to_string();
        assert!(text.contains(right), "{steps}: no `{right}` in {text}");
        let mutant = Launches::parse(&text.replace(right, wrong)).unwrap_or_else(|e| panic!("{e}"));
        assert_ne!(run(&mutant).as_ref(), Ok(&expected), "{steps}: `{wrong}` is not found\n{mutant}");
    }
}
