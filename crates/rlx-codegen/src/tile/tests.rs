//! Tiles have the meaning of the loops that they are expanded to, and the table of instructions is right.

use super::expand;
use super::instr::ROWS;
use crate::interp::{FaultKind, Interpreter};
use crate::trial::{launches, parsed, run};
use rlx_ir::{Bindings, Dim, Literal, Symbol};
use std::collections::HashSet;

/// A product of 40 by 48 and 48 by 24 integers, computed by groups of 16 by 8 results with instructions.
const PRODUCT: &str = "kernel product(a: in i8[40,48], b: in i8[48,24], y: out i32[40,24]) {
  par i<3 @group, j<3 @group {
    array sum: i32[16,8] in subgroup
    array at: i8[16,32] in group
    array bt: i8[32,8] in group
    %0: i32 = constant 0
    %1: i8 = constant 0
    par w0<1 @subgroup, i0<16, j0<8 { store sum[i0,j0] = %0 }
    for k<2 {
      copy i1<16, k1<32 @lane { at[i1,k1] = a[16*i+i1,32*k+k1] where 39-16*i-i1>=0, 47-32*k-k1>=0 else %1 } slot k
      copy k2<32, j2<8 @lane { bt[k2,j2] = b[32*k+k2,8*j+j2] where 47-32*k-k2>=0 else %1 } slot k
      wait k
      barrier group
      par w3<1 @subgroup { instr mma_m16n8k32_i8(sum[0,0], at[0,0], bt[0,0]) }
      barrier group
    }
    par w4<1 @subgroup, i4<16, j4<8 {
      %2 = load sum[i4,j4]
      store y[16*i+i4,8*j+j4] = %2 where 39-16*i-i4>=0
    }
  }
}";

fn product(kernel: &str, interpreter: &Interpreter) -> Result<Vec<Literal>, FaultKind> {
    parsed(kernel);
    run(&launches(&[("input 0, input 1, output 0", kernel)], ""), &[], interpreter)
}

#[test]
fn tiles_mean_the_loops_that_they_are_written_as() {
    let plain = "kernel product(a: in i8[40,48], b: in i8[48,24], y: out i32[40,24]) {
      par i<40, j<24 {
        %0: i32 = constant 0
        %1: i32 = for k<48 with %2: i32 = %0 {
          %3 = load a[i,k] %4 = load b[k,j]
          %5 = convert %3 {dtype = i32} %6 = convert %4 {dtype = i32}
          %7 = mul %5, %6 %8 = add %2, %7
          next %8
        }
        store y[i,j] = %1
      } }";
    let expected = product(plain, &Interpreter::default()).unwrap();
    let late = Interpreter { late_copies: true, ..Interpreter::default() };
    let loops = expand(&parsed(PRODUCT)).unwrap().to_string();
    assert!(!["copy", "instr", "wait"].iter().any(|word| loops.contains(word)), "{loops}");
    for interpreter in [Interpreter::default(), late] {
        assert_eq!(product(PRODUCT, &interpreter).as_ref(), Ok(&expected));
        assert_eq!(product(&loops, &interpreter).as_ref(), Ok(&expected));
    }
    let dot = "par w3<1 @subgroup { dot i5<16, j5<8 over k5<32 { sum[i5,j5] += at[i5,k5] * bt[k5,j5] } }";
    let instr = "par w3<1 @subgroup { instr mma_m16n8k32_i8(sum[0,0], at[0,0], bt[0,0]) }";
    let dotted = PRODUCT.replace(instr, dot);
    assert_ne!(dotted, PRODUCT);
    assert_eq!(product(&dotted, &Interpreter::default()).as_ref(), Ok(&expected));
}

#[test]
fn faults_of_tiles_are_found() {
    let expected = product(PRODUCT, &Interpreter::default()).unwrap();
    let planted = [
        ("barrier group\n      par w3", "par w3"),
        ("barrier group\n    }", "}"),
        ("wait k\n", "wait 1-k\n"),
        ("slot k\n      copy k2", "slot 1\n      copy k2"),
        ("sum[0,0], at", "sum[0,1], at"),
        ("16*i+i1,32*k", "16*i+i1,16*k"),
        ("array sum: i32[16,8] in subgroup", "array sum: i32[16,8]"),
        ("par w4<1 @subgroup", "par w4<1"),
        ("47-32*k-k2>=0 else", "63-32*k-k2>=0 else"),
    ];
    for (right, wrong) in planted {
        let text = PRODUCT.replace(right, wrong);
        assert_ne!(text, PRODUCT, "{right}");
        let found = product(&text, &Interpreter::default());
        // If there is only one subgroup, registers of one lane are read by that lane.
        let is_harmless = right.starts_with("array sum");
        assert_eq!(found.as_ref() == Ok(&expected), is_harmless, "`{wrong}` is not found");
    }
}

#[test]
fn lanes_hold_every_element_of_an_operand_once() {
    for row in ROWS {
        let meaning = row.meaning();
        crate::verify(&meaning).unwrap_or_else(|e| panic!("{}: {e}", row.name));
        assert_eq!((&meaning.name[..], meaning.buffers.len()), (row.name, 3));
        for ((dtype, [rows, columns]), (layout, buffer)) in
            row.operands().into_iter().zip(row.layouts.iter().zip(&meaning.buffers))
        {
            assert_eq!(buffer.dtype, dtype);
            assert_eq!(buffer.extents, [rows, columns].map(|n| Dim::Static(n as usize)));
            let [row_of, column_of] = layout.element().unwrap();
            let mut seen = HashSet::new();
            for (lane, register) in (0..row.lanes).flat_map(|l| (0..layout.registers).map(move |r| (l, r))) {
                let known = [("l", lane), ("r", register)].map(|(name, n)| (Symbol::new(name), n as usize));
                let at = |dim: &Dim| dim.eval(&Bindings::from(known.clone())).unwrap() as u32;
                let (i, j) = (at(&row_of), at(&column_of));
                assert!(i < rows && j < columns && seen.insert((i, j)), "{}: {i}, {j}", row.name);
            }
            assert_eq!(seen.len() as u32, rows * columns, "{}", row.name);
        }
    }
}
