//! Rows have the same bits alone and among others, whatever the lengths and however far a row sees; and both are close to sums in f64.

use rlx_attention::{Attention, Places, Steps, Storage, Visible};
use rlx_pool::Pool;
use rlx_simd::isa::{Cpu, Isa};

/// Pseudo-random numbers between −1 and 1.
fn numbers(seed: u32, len: usize) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1u32 << 23) as f32 - 1.0
    };
    (0..len).map(|_| next()).collect()
}

struct Given {
    d: usize,
    q: Vec<f32>,
    k: Vec<f32>,
    v: Vec<f32>,
}

impl Given {
    /// Computes the attention of `rows` queries, starting at row `first`, to the first `keys` keys.
    fn run(&self, isa: Isa, first: usize, rows: usize, keys: usize, visible: Visible) -> Vec<f32> {
        let d = self.d;
        let steps = |len: usize| Steps { batch: len * d, head: len * d, seq: d };
        let plan = Attention {
            batch: 1,
            kv_heads: 1,
            group: 1,
            seq_q: rows,
            seq_k: keys,
            is_limited: false,
            d,
            dv: d,
            q: steps(rows),
            k: steps(keys),
            v: steps(keys),
            k_storage: Storage::Single,
            v_storage: Storage::Single,
            out: steps(rows),
            scale: 0.3,
            softcap: None,
            visible,
            operand: None,
        };
        let (cpu, pool) = (Cpu::with_isa(isa).unwrap(), Pool::new(2).unwrap());
        let mut scratch = vec![0xffu8; plan.scratch_bytes(cpu, 2) + 64];
        let from = scratch.as_ptr().align_offset(64);
        let mut out = vec![f32::NAN; rows * d];
        let places = Places {
            q: self.q[first * d..].as_ptr(),
            k: self.k.as_ptr().cast(),
            v: self.v.as_ptr().cast(),
            operand: std::ptr::null(),
            out: out.as_mut_ptr(),
        };
        assert!(self.q.len() >= (first + rows) * d && self.k.len() >= keys * d && self.v.len() >= keys * d);
        // SAFETY: the operands have the rows, of f32, and the result has room for them; scratch memory begins on a cache line.
        unsafe { plan.run(cpu, &pool, places, &|_| keys, &mut scratch[from..]).unwrap() };
        out
    }

    /// Computes a row of the result in f64.
    fn expected(&self, row: usize, keys: std::ops::Range<usize>) -> Vec<f64> {
        let d = self.d;
        let of = |x: &[f32], at: usize, i: usize| f64::from(x[at * d + i]);
        let dot = |key: usize| (0..d).map(|i| of(&self.q, row, i) * of(&self.k, key, i)).sum::<f64>();
        let scores: Vec<f64> = keys.clone().map(|key| f64::from(0.3f32) * dot(key)).collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
        let total: f64 = weights.iter().sum();
        let value =
            |i: usize| weights.iter().zip(keys.clone()).map(|(w, key)| w * of(&self.v, key, i)).sum::<f64>();
        (0..d).map(|i| value(i) / total).collect()
    }
}

#[test]
fn a_row_has_the_same_bits_alone_and_among_others() {
    for (d, keys, window) in [(8, 2600, None), (300, 700, None), (64, 2100, Some(600)), (520, 530, Some(70))]
    {
        let rows = 20;
        let given = Given { d, q: numbers(1, rows * d), k: numbers(2, keys * d), v: numbers(3, keys * d) };
        for isa in Isa::available() {
            let together = given.run(isa, 0, rows, keys, Visible::Causal { window });
            for row in [0, 1, 7, 19] {
                let seen = keys - rows + row + 1;
                let alone = given.run(isa, row, 1, seen, Visible::Causal { window });
                let among = &together[row * d..][..d];
                assert_eq!(among, alone, "{} d {d}, row {row}", isa.name());
                let first = window.map_or(0, |window| seen.saturating_sub(window));
                for (i, (got, right)) in alone.iter().zip(given.expected(row, first..seen)).enumerate() {
                    let error = (f64::from(*got) - right).abs();
                    assert!(
                        error <= 2e-5,
                        "{} d {d}, row {row}, element {i}: {got}, not {right}",
                        isa.name()
                    );
                }
            }
        }
    }
}

/// More keys than one stretch has. Windows begin and end anywhere among them.
#[test]
fn a_row_among_very_many_keys_has_the_same_bits_alone_and_among_others() {
    let (d, keys, rows) = (4, 140_000, 20);
    let given = Given { d, q: numbers(1, rows * d), k: numbers(2, keys * d), v: numbers(3, keys * d) };
    for window in [None, Some(75_000), Some(140_000 - 131_072 + 10)] {
        let together = given.run(Isa::detect(), 0, rows, keys, Visible::Causal { window });
        for row in [0, 9, 19] {
            let seen = keys - rows + row + 1;
            let alone = given.run(Isa::detect(), row, 1, seen, Visible::Causal { window });
            assert_eq!(together[row * d..][..d], alone, "row {row}, window {window:?}");
            let first = window.map_or(0, |window| seen.saturating_sub(window));
            for (got, right) in alone.iter().zip(given.expected(row, first..seen)) {
                assert!((f64::from(*got) - right).abs() <= 1e-6, "row {row}: {got}, not {right}");
            }
        }
    }
}

/// Equal weights of equal values, whose rounding errors all have the same sign: plain sums of runs are off by 1e-4.
#[test]
fn means_of_very_many_values_are_as_exact_as_of_few() {
    let (d, keys) = (4, 1_500_000);
    let given = Given { d, q: vec![0.1; 20 * d], k: vec![0.1; keys * d], v: vec![0.7; keys * d] };
    for (isa, rows) in Isa::available().map(|isa| (isa, 1)).chain([(Isa::detect(), 9)]) {
        for x in given.run(isa, 0, rows, keys, Visible::All) {
            let error = (f64::from(x) / f64::from(0.7f32) - 1.0).abs();
            // The bound in docs/cpu.md for the sum of values and for the sum of weights.
            assert!(error <= 2e-5, "{} {rows} rows: {x}: {error:e}", isa.name());
        }
    }
}
