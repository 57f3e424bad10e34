//! The chosen schedules. `tests/schedules.rs` checks that they compute the right numbers.

use super::product::{Tile, tile};
use super::{AVX2, AVX512, BASELINE, schedule};
use crate::kernel::Kernel;
use expect_test::expect;

#[test]
fn tiles_fit_the_registers() {
    let tiles = [(BASELINE, 16), (AVX2, 16), (AVX512, 16), (AVX512, 1), (AVX512, 128)];
    let text = tiles.map(|(machine, rows)| {
        let Tile { rows: tall, columns } = tile(&machine, rows, 384);
        format!("{} rows on {}: {tall} by {columns}\n", rows, machine.name)
    });
    expect![[r#"
        16 rows on baseline: 4 by 8
        16 rows on avx2: 4 by 16
        16 rows on avx512: 8 by 32
        1 rows on avx512: 1 by 32
        128 rows on avx512: 10 by 32
    "#]]
    .assert_eq(&text.concat());
}

#[test]
fn products_are_tiles_of_packed_panels() {
    let text = "kernel product(x: in f32[20,8], w: in f32[40,8], y: out f32[20,40]) {
        par i<20, j<40 {
          %0: f32 = constant 0.0
          %6: f32 = reduce k<8 { %1 = load x[i,k] %2 = load w[j,k] %3 = mul %1, %2 give %3 } from %0
            step (%4: f32, %5: f32) { %7 = add %4, %5 give %7 }
            merge (%8: f32, %9: f32) { %10 = add %8, %9 give %10 }
          store y[i,j] = %6
        }
      }";
    let kernel = Kernel::parse(text).unwrap();
    expect!["split j 32 peel -> outer0 inner0; split i 10 peel -> outer1 inner1; reorder outer0 outer1 inner1 inner0; interchange inner1 inner0; nest inner1_1; unroll inner1_1; reorder inner0_2 inner1_2; unroll inner1_2; contract k; vector inner0_2; nest inner1_3; unroll inner1_3; split i_1 1 peel -> outer12 inner12; reorder outer12 inner12 j_1; interchange inner12 j_1; nest inner12_1; unroll inner12_1; reorder j_1_2 inner12_2; unroll inner12_2; contract k_1; vector j_1_2; nest inner12_3; unroll inner12_3; pack w 0 40"].assert_eq(&schedule(&kernel, &AVX512, &|buffer| buffer.index() == 1).to_string());
}

#[test]
fn long_sums_are_chains() {
    let text = |k: usize| {
        format!(
            "kernel rows(x: in f32[{k},3], y: out f32[3]) {{
        par i<3 {{
          %0: f32 = constant 0.0
          %4: f32 = reduce k<{k} {{ %1 = load x[k,i] give %1 }} from %0
            step (%2: f32, %3: f32) {{ %5 = add %2, %3 give %5 }}
            merge (%6: f32, %7: f32) {{ %8 = add %6, %7 give %8 }}
          store y[i] = %4
        }}
      }}"
        )
    };
    let chosen = |text: String| schedule(&Kernel::parse(&text).unwrap(), &AVX512, &|_| false).to_string();
    assert!(!chosen(text(2048)).contains("chains"));
    assert!(chosen(text(4096)).contains("chains k 512 -> "));
    // The square root of the number of terms, if that is larger.
    assert!(chosen(text(4_000_000)).contains("chains k 2000 -> "));
    // Extremes do not round.
    assert!(!chosen(text(4096).replace("add", "max")).contains("chains"));
}
