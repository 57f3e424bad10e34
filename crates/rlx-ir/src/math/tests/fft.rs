//! Fourier transforms compared with NumPy, the defining sum and their inverses.

use super::super::Complex64;
use super::super::fft::{Plan, fft, irfft, rfft};
use super::{complexes, stream, tables};

fn distance(a: &[Complex64], b: &[Complex64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(x, y)| (*x - *y).abs()).fold(0.0, f64::max)
}

fn size(a: &[Complex64]) -> f64 {
    a.iter().map(|x| x.re * x.re + x.im * x.im).sum::<f64>().sqrt()
}

fn work(plan: &Plan) -> Vec<Complex64> {
    vec![Complex64::ZERO; plan.work()]
}

#[test]
fn forward_agrees_with_numpy() {
    for (n, input, output) in tables::fft::FORWARD {
        let mut data = complexes(input);
        let plan = Plan::new(*n);
        plan.forward(&mut data, &mut work(&plan));
        let want = complexes(output);
        assert!(distance(&data, &want) <= 1e-14 * size(&want), "length {n}");
    }
}

#[test]
fn real_transforms_agree_with_numpy() {
    use tables::fft as t;
    let cases = [
        (t::EVEN, t::EVEN_RFFT, t::EVEN_HALF, t::EVEN_IRFFT, vec![3, 4]),
        (t::ODD, t::ODD_RFFT, t::ODD_HALF, t::ODD_IRFFT, vec![2, 3, 5]),
    ];
    for (reals, half, coefficients, inverse, shape) in cases {
        let want = complexes(half);
        assert!(distance(&rfft(reals, &shape, shape.len()), &want) <= 1e-14 * size(&want), "rfft {shape:?}");
        let got = irfft(&complexes(coefficients), &shape, shape.len());
        let worst = got.iter().zip(inverse).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(got.len() == inverse.len() && worst < 1e-14, "irfft {shape:?}: {worst:e}");
    }
}

#[test]
fn every_length_satisfies_the_definition() {
    for n in (0..70).chain([97, 100, 128, 210, 251]) {
        let input = complexes(&stream(n as u64, 2 * n));
        let mut data = input.clone();
        let plan = Plan::new(n);
        plan.forward(&mut data, &mut work(&plan));
        for (k, got) in data.iter().enumerate() {
            let root = |j: usize| {
                Complex64::from_polar(1.0, -std::f64::consts::TAU * ((j * k % n) as f64 / n as f64))
            };
            let want = input.iter().enumerate().fold(Complex64::ZERO, |sum, (j, x)| sum + *x * root(j));
            assert!((*got - want).abs() < 3e-14 * size(&input).max(1.0), "length {n}, coefficient {k}");
        }
        plan.inverse(&mut data, &mut work(&plan));
        assert!(distance(&data, &input) <= 1e-14, "length {n}");
    }
}

#[test]
fn long_lengths_round_trip() {
    for n in [4096, 6561, 10_000, 10_007] {
        let input = complexes(&stream(3, 2 * n));
        let mut data = input.clone();
        let plan = Plan::new(n);
        plan.forward(&mut data, &mut work(&plan));
        let (before, after) = (size(&input), size(&data));
        assert!((after / before / (n as f64).sqrt() - 1.0).abs() < 1e-14, "Parseval, length {n}");
        plan.inverse(&mut data, &mut work(&plan));
        assert!(distance(&data, &input) < 1e-14, "length {n}");
    }
}

#[test]
fn axes_and_batches() {
    let shape = [2, 3, 4];
    let input = complexes(&stream(5, 48));
    let mut whole = input.clone();
    fft(&mut whole, &shape, 2, false);
    // Each batch entry on its own gives the same.
    for batch in 0..2 {
        let mut one = input[batch * 12..(batch + 1) * 12].to_vec();
        fft(&mut one, &shape[1..], 2, false);
        assert_eq!(one, whole[batch * 12..(batch + 1) * 12]);
    }
    fft(&mut whole, &shape, 2, true);
    assert!(distance(&whole, &input) < 1e-15);
}

#[test]
fn empty_and_unit_extents() {
    fft(&mut [], &[0, 3], 1, false);
    fft(&mut [], &[2, 0], 2, true);
    assert!(rfft(&[], &[0, 4], 1).is_empty());
    assert!(rfft(&[], &[2, 0], 1).is_empty());
    assert!(irfft(&[], &[0, 4], 1).is_empty());
    assert!(irfft(&[], &[2, 0], 1).is_empty());
    assert_eq!(rfft(&[3.0], &[1], 1), [Complex64::from(3.0)]);
    assert_eq!(irfft(&[Complex64::new(3.0, 7.0)], &[1], 1), [3.0]);
}
