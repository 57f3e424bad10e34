//! Compares every operation of every vector type with scalar arithmetic.

use super::*;
use crate::isa::{Cpu, Isa};

const SPECIAL: [f32; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.3,
    -0.7,
    1e-40,
    -1e-45,
    8388607.5,
    -8388609.0,
    3.0e9,
    -1e30,
    3.4e38,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MIN_POSITIVE,
    0.49999997,
    1234.567,
];

/// Returns whether both are equal or both NaN; zeros must agree in sign.
fn same<E: Scalar>(a: E, b: E) -> bool {
    let (a, b) = (a.to_f64(), b.to_f64());
    (a.is_nan() && b.is_nan()) || (a == b && a.is_sign_negative() == b.is_sign_negative())
}

fn check<V: Vector>(name: &str, x: f64, y: f64, got: V, expected: f64) {
    for &lane in &got.to_array()[..V::LANES] {
        let expected = V::Elem::from_f64(expected);
        assert!(same(lane, expected), "{name}({x}, {y}) = {lane:?}, expected {expected:?}");
    }
}

fn lanes_set<V: Vector>(token: V::Token, mask: V::Mask) -> bool {
    let one = V::splat(token, V::Elem::ONE);
    let chosen = V::select(mask, one, V::splat(token, V::Elem::ZERO)).to_array();
    let set = chosen[0] == V::Elem::ONE;
    assert!(chosen[..V::LANES].iter().all(|&lane| (lane == V::Elem::ONE) == set));
    assert_eq!(mask.any(), set);
    assert_eq!(mask.not().any(), !set);
    set
}

fn arithmetic<V: Vector>(token: V::Token) {
    // For one operation, the result of f64 arithmetic rounded to the element type is the type's own result.
    for x in SPECIAL.map(f64::from) {
        let v = V::splat(token, V::Elem::from_f64(x));
        check("neg", x, 0.0, -v, -x);
        check("abs", x, 0.0, v.abs(), x.abs());
        check("sqrt", x, 0.0, v.sqrt(), x.sqrt());
        check("round", x, 0.0, v.round_even(), x.round_ties_even());
        check("floor", x, 0.0, v.floor(), x.floor());
        check("ceil", x, 0.0, v.ceil(), x.ceil());
        check("trunc", x, 0.0, v.trunc(), x.trunc());
        assert_eq!(lanes_set::<V>(token, v.is_nan()), x.is_nan());
        for y in SPECIAL.map(f64::from) {
            let w = v.lit(V::Elem::from_f64(y));
            check("add", x, y, v + w, x + y);
            check("sub", x, y, v - w, x - y);
            check("mul", x, y, v * w, x * y);
            check("div", x, y, v / w, x / y);
            check("max", x, y, v.max(w), if x > y { x } else { y });
            check("min", x, y, v.min(w), if x < y { x } else { y });
            check("copysign", x, y, v.copysign(w), x.copysign(y));
            let ordered = |less: bool| if less || (x == y && x.is_sign_negative()) { (x, y) } else { (y, x) };
            let (low, high) = if x.is_nan() || y.is_nan() { (f64::NAN, f64::NAN) } else { ordered(x < y) };
            check("maximum", x, y, v.maximum(w), high);
            check("minimum", x, y, v.minimum(w), low);
            assert_eq!(lanes_set::<V>(token, v.lt(w)), x < y, "{x} < {y}");
            assert_eq!(lanes_set::<V>(token, v.le(w)), x <= y, "{x} <= {y}");
            assert_eq!(lanes_set::<V>(token, v.eq(w)), x == y, "{x} == {y}");
            assert_eq!(lanes_set::<V>(token, v.lt(w).or(w.lt(v))), x < y || y < x);
            assert_eq!(lanes_set::<V>(token, v.le(w).and(w.le(v))), x <= y && y <= x);
        }
    }
    let [two, three, ten] = [2.0, 3.0, 10.0].map(|x| V::splat(token, V::Elem::from_f64(x)));
    check("mul_add", 2.0, 3.0, two.mul_add(three, ten), 16.0);
    check("neg_mul_add", 2.0, 3.0, two.neg_mul_add(three, ten), 4.0);
}

fn memory<V: Vector>(token: V::Token)
where
    V::Elem: std::ops::Add<Output = V::Elem>,
{
    let source: Vec<V::Elem> =
        (0..MAX_LANES * MAX_LANES).map(|i| V::Elem::from_f64(i as f64 + 1.0)).collect();
    let width = V::LANES;
    for count in 0..=width {
        let mut target = vec![V::Elem::from_f64(-1.0); width];
        // SAFETY: both hold `width >= count` elements.
        unsafe {
            let part = V::load_partial(token, source[source.len() - count..].as_ptr(), count);
            assert!(part.to_array()[count..width].iter().all(|&lane| lane == V::Elem::ZERO));
            part.store_partial(target[width - count..].as_mut_ptr(), count);
        }
        assert_eq!(target[width - count..], source[source.len() - count..]);
        assert!(target[..width - count].iter().all(|&lane| lane == V::Elem::from_f64(-1.0)));
    }
    let mut turned = vec![V::Elem::ZERO; MAX_LANES * MAX_LANES];
    // SAFETY: both hold `LANES` rows at a step of `MAX_LANES`.
    unsafe { V::transpose(token, source.as_ptr(), MAX_LANES, turned.as_mut_ptr(), MAX_LANES) };
    for row in 0..width {
        for column in 0..width {
            assert_eq!(turned[column * MAX_LANES + row], source[row * MAX_LANES + column]);
        }
    }
    // SAFETY: `source` holds more than `LANES` elements.
    let first = unsafe { V::load(token, source.as_ptr()) };
    assert_eq!(first.sum_lanes(), V::Elem::from_f64((width * (width + 1) / 2) as f64));
    assert_eq!(first.max_lanes(), V::Elem::from_f64(width as f64));
    let doubled = first.map_lanes(|lane| lane + lane);
    assert_eq!(doubled.to_array()[width - 1], V::Elem::from_f64(2.0 * width as f64));
    for lane in 0..width {
        let mut values = first.to_array();
        values[lane] = V::Elem::from_f64(f64::NAN);
        // SAFETY: an array of `MAX_LANES` elements.
        let largest = unsafe { V::load(token, values.as_ptr()) }.max_lanes();
        assert!(largest.to_f64().is_nan());
    }
}

fn bits<V: F32Vector>(token: V::Token) {
    for x in SPECIAL {
        let v = V::splat(token, x);
        check("bits", f64::from(x), 0.0, v.to_bits().from_bits(), f64::from(x));
        for n in [-149, -130, -126, -1, 0, 1, 90, 127] {
            if (0.5..2.0).contains(&x.abs()) {
                let expected = f64::from(x) * f64::from(n).exp2();
                check("scale", f64::from(x), f64::from(n), v.scale_by_power(v.lit(n as f32)), expected);
            }
        }
    }
    let lanes = |i: V::Bits| i.to_float().to_array()[0] as i32;
    let one = V::splat(token, 1.0).to_bits();
    for (a, b) in [(12, 10), (-7, 3), (1 << 20, -5)] {
        let (x, y) = (one.lit(a), one.lit(b));
        assert_eq!(lanes(x.add(y)), a + b);
        assert_eq!(lanes(x.sub(y)), a - b);
        assert_eq!(lanes(x.mul(y)), a.wrapping_mul(b));
        assert_eq!(lanes(x.and(y)), a & b);
        assert_eq!(lanes(x.or(y)), a | b);
        assert_eq!(lanes(x.xor(y)), a ^ b);
        assert_eq!(lanes(x.shift_left(2)), a << 2);
        assert_eq!(lanes(x.shift_right(9)), (a as u32 >> 9) as i32);
        assert_eq!(lanes(x.shift_right_signed(3)), a >> 3);
    }
    for (x, expected) in [(2.5, 2), (3.5, 4), (-2.5, -2), (-7.3, -7), (1e9, 1_000_000_000)] {
        assert_eq!(lanes(V::splat(token, x).to_int()), expected);
    }
    let numbers: [f32; MAX_LANES] = std::array::from_fn(|lane| 0.1 + lane as f32);
    // SAFETY: an array of `MAX_LANES` elements.
    let (low, high) = unsafe { V::load(token, numbers.as_ptr()) }.widen();
    let each = V::splat(token, 3.0).to_int();
    // SAFETY: an array of `MAX_LANES` elements.
    let squares = unsafe { V::load(token, numbers.as_ptr()) }.to_int();
    let products = squares.mul(each.mul(squares)).to_float().to_array();
    for (lane, product) in products.iter().enumerate().take(V::LANES) {
        assert_eq!(*product, (3 * lane * lane) as f32);
    }
    let half = V::LANES / 2;
    for lane in 0..half {
        assert_eq!(low.to_array()[lane], f64::from(numbers[lane]));
        assert_eq!(high.to_array()[lane], f64::from(numbers[half + lane]));
    }
    assert_eq!(V::narrow(low, high).to_array()[..V::LANES], numbers[..V::LANES]);
    for (x, y) in [(1.1f32, 3.3f32), (-123.456, 7.89e10), (1.0 / 3.0, 3.0)] {
        let (high, low) = V::splat(token, x).two_product(V::splat(token, y));
        let sum = f64::from(high.to_array()[0]) + f64::from(low.to_array()[0]);
        assert_eq!(sum, f64::from(x) * f64::from(y));
    }
}

fn narrow<V: F32Vector>(token: V::Token) {
    for start in (0..=u16::MAX).step_by(MAX_LANES) {
        let source: [u16; MAX_LANES] = std::array::from_fn(|lane| start.wrapping_add(lane as u16));
        // SAFETY: an array of `MAX_LANES` elements.
        let (brain, half) =
            unsafe { (V::load_bf16(token, source.as_ptr()), V::load_f16(token, source.as_ptr())) };
        for (lane, &bits) in source.iter().enumerate().take(V::LANES) {
            let expected = half::bf16::from_bits(bits).to_f32();
            assert!(same(brain.to_array()[lane], expected), "bf16 {bits:#x}");
            let expected = half::f16::from_bits(bits).to_f32();
            assert!(same(half.to_array()[lane], expected), "f16 {bits:#x}");
        }
        let pairs: [f32; MAX_LANES] = std::array::from_fn(|lane| {
            let [a, b] = [source[lane], !source[lane]].map(u16::to_ne_bytes);
            f32::from_bits(u32::from_ne_bytes([a[0], a[1], b[0], b[1]]))
        });
        // SAFETY: an array of `MAX_LANES` elements.
        let pairs = unsafe { V::load(token, pairs.as_ptr()) };
        let (brain, half) = (pairs.widen_bf16_pairs(), pairs.widen_f16_pairs());
        for (lane, &first) in source.iter().enumerate().take(V::LANES) {
            for (bits, brain, half) in [(first, brain.0, half.0), (!first, brain.1, half.1)] {
                let expected = half::bf16::from_bits(bits).to_f32();
                assert!(same(brain.to_array()[lane], expected), "bf16 {bits:#x}");
                let expected = half::f16::from_bits(bits).to_f32();
                assert!(same(half.to_array()[lane], expected), "f16 {bits:#x}");
            }
        }
    }
}

struct Everything;

impl Kernel for Everything {
    type Output = Isa;

    #[inline(always)]
    fn run<S: Simd>(self, token: S) -> Isa {
        arithmetic::<S::F32>(token);
        arithmetic::<S::F64>(token);
        memory::<S::F32>(token);
        memory::<S::F64>(token);
        bits::<S::F32>(token);
        narrow::<S::F32>(token);
        S::ISA
    }
}

#[test]
fn every_level_computes_what_scalars_do() {
    for isa in Isa::available() {
        let cpu = Cpu::with_isa(isa).unwrap();
        // The matrix unit has no vectors of its own.
        let vectors = if isa == Isa::Amx { Isa::Avx512 } else { isa };
        assert_eq!(cpu.dispatch(Everything), vectors);
    }
    assert_eq!(Everything.run(Portable::new()), Isa::Baseline);
}
