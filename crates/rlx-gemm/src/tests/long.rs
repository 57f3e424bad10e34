//! Sums over a long K have errors that do not grow with it.

use super::*;

/// Compares sums of K equal products, whose rounding errors all have the same sign, with the exact sums.
fn long<E: Element>(cpu: Cpu, bound: f64, k: usize, form: Option<Narrow>) {
    let pool = Pool::new(2).unwrap();
    // A quarter of the rows and columns have another number, so that a result in the wrong place is noticed.
    let number = |at: usize| if at.is_multiple_of(4) { 0.7 } else { 0.1 };
    for (m, n) in [(1, 3), (5, 40), (17, 2)] {
        let a: Vec<E> = (0..m * k).map(|at| E::from_f64(number(at / k))).collect();
        let b: Vec<E> = (0..k * n).map(|at| E::from_f64(number(at / k))).collect();
        let narrow: Vec<u16> = b.iter().map(|x| half::bf16::from_f64(x.to_f64()).to_bits()).collect();
        let steps = Steps { row: 1, col: k };
        let mut c = vec![E::ZERO; m * n];
        match form {
            Some(form) => {
                let packed = PackedB::pack_narrow(&pool, cpu, k, n, steps, form, &narrow).unwrap();
                let shape = GemmShape::with_packed(m, n, k);
                run(cpu, 2, &shape, &a, Rhs::Packed(&packed), &mut c, &Epilogue::none());
            }
            None => {
                let shape = GemmShape { b: RhsForm::Strided(steps), ..GemmShape::row_major(m, n, k) };
                run(cpu, 2, &shape, &a, Rhs::Strided(&b), &mut c, &Epilogue::none());
            }
        }
        for (at, &x) in c.iter().enumerate() {
            let b = E::from_f64(number(at % n)).to_f64();
            let b = if form.is_some() { half::bf16::from_f64(b).to_f64() } else { b };
            let expected = E::from_f64(number(at / n)).to_f64() * b * k as f64;
            let error = (x.to_f64() / expected - 1.0).abs();
            assert!(
                error <= bound,
                "{} {m}×{n}×{k} [{at}]: {x:?}, expected {expected}: {error:e}",
                cpu.isa()
            );
        }
    }
}

#[test]
fn long_sums_are_as_exact_as_short_ones() {
    for cpu in cpus() {
        // The bound in docs/cpu.md, which one chain of that many terms exceeds.
        for k in [20_000, 300_001] {
            long::<f32>(cpu, 266.0 * 2f64.powi(-24), k, None);
            long::<f32>(cpu, 266.0 * 2f64.powi(-24), k, Some(Narrow::Bf16));
        }
        long::<f64>(cpu, 2050.0 * 2f64.powi(-53), 100_003, None);
    }
}

#[test]
fn long_sums_that_overflow_are_infinite() {
    for cpu in cpus() {
        let k = 10_000;
        let (a, b) = (vec![1e30f32; k], vec![2e8f32; k]);
        let mut c = [0f32];
        let shape = GemmShape::row_major(1, 1, k);
        run(cpu, 1, &shape, &a, Rhs::Strided(&b), &mut c, &Epilogue::none());
        assert_eq!(c, [f32::INFINITY]);
        let (a, b) = (vec![1e30f32; k], vec![1e5f32; k]);
        run(cpu, 1, &shape, &a, Rhs::Strided(&b), &mut c, &Epilogue::none());
        assert_eq!(c, [f32::INFINITY], "the sums of parts are finite, their sum is not");
    }
}
