//! Compares every function on every instruction set of the machine with `f64`.

use super::Function;
use crate::isa::{Cpu, Isa};
use crate::simd::{Portable, Simd, Vector};
use rlx_math::{Fused, MultiplyAdd, Number, Separate, Single};

/// Returns the largest error allowed, in units of the last place, as stated in the table of the module.
fn bound(function: Function, isa: Isa, x: f64) -> f64 {
    let fused = isa != Isa::Baseline;
    match function {
        Function::Exp => 1.1,
        Function::Expm1 => 1.5,
        Function::Log => 0.9,
        Function::Log1p => 1.5,
        Function::Tanh => 2.5,
        Function::Sigmoid => 2.3,
        Function::Silu => 3.3,
        Function::Erf => 1.3,
        Function::Erfc => {
            if fused {
                5.5
            } else {
                6.5
            }
        }
        Function::Gelu => {
            if fused {
                5.8
            } else {
                6.5
            }
        }
        Function::GeluTanh => 3.3 + 2.5 * (-1.5957691216 * (x + 0.044715 * x * x * x)).max(0.0),
        Function::Sin | Function::Cos => 1.6,
        Function::Sqrt => 0.5,
        Function::Rsqrt => 1.5,
    }
}

/// Returns every exponent with many significands, both signs, densely around 0, and the special values.
fn inputs() -> Vec<f32> {
    let mut list: Vec<f32> = (0..u32::MAX / 4099).map(|step| f32::from_bits(step * 4099)).collect();
    list.extend((-30_000..30_000).map(|step| step as f32 * 0.003_7));
    for edge in
        [0.0, 1.0, f32::MIN_POSITIVE, 0.5, 88.722_84, 103.972_08, 87.336_54, 10.05, 1_048_576.0, f32::MAX]
    {
        for bits in edge.to_bits().saturating_sub(3)..=edge.to_bits() + 3 {
            list.extend([f32::from_bits(bits), -f32::from_bits(bits)]);
        }
    }
    list.extend([f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -0.0]);
    list
}

/// Returns the distance of `got` from `exact` in units of the last place of `exact`.
fn error(got: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if got.is_nan() || rounded.is_nan() || rounded.is_infinite() || got.is_infinite() {
        let same = (got.is_nan() && rounded.is_nan()) || got == rounded;
        return if same { 0.0 } else { f64::INFINITY };
    }
    let magnitude = rounded.abs().max(f32::MIN_POSITIVE);
    let place = f64::from(f32::from_bits(magnitude.to_bits() & 0x7f80_0000)) * f64::from(f32::EPSILON);
    (f64::from(got) - exact).abs() / place
}

#[test]
fn errors_are_within_the_bounds_stated() {
    let sources = inputs();
    for function in Function::ALL {
        let exact: Vec<f64> = sources.iter().map(|&x| function.of_f64(f64::from(x))).collect();
        for isa in Isa::available() {
            let mut results = vec![0f32; sources.len()];
            function.apply_f32(Cpu::with_isa(isa).unwrap(), &sources, &mut results).unwrap();
            for ((&x, &got), &exact) in sources.iter().zip(&results).zip(&exact) {
                let (error, bound) = (error(got, exact), bound(function, isa, f64::from(x)));
                assert!(
                    error <= bound,
                    "{function:?}({x:e}) on {isa} is {got:e}, not {exact:e}: {error} ulp, {bound} allowed"
                );
            }
        }
    }
}

#[test]
fn special_values() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let cases = [
        (Function::Exp, [(inf, inf), (-inf, 0.0), (0.0, 1.0), (-0.0, 1.0), (1e-45, 1.0)]),
        (Function::Expm1, [(inf, inf), (-inf, -1.0), (0.0, 0.0), (-0.0, -0.0), (1e-45, 1e-45)]),
        (Function::Log, [(inf, inf), (-inf, nan), (0.0, -inf), (-0.0, -inf), (-1.0, nan)]),
        (Function::Log1p, [(inf, inf), (-inf, nan), (-1.0, -inf), (-0.0, -0.0), (-1e-45, -1e-45)]),
        (Function::Tanh, [(inf, 1.0), (-inf, -1.0), (0.0, 0.0), (-0.0, -0.0), (3e-45, 3e-45)]),
        (Function::Sigmoid, [(inf, 1.0), (-inf, 0.0), (0.0, 0.5), (-0.0, 0.5), (-200.0, 0.0)]),
        (Function::Silu, [(inf, inf), (-inf, nan), (0.0, 0.0), (-0.0, -0.0), (-1e30, -0.0)]),
        (Function::Erf, [(inf, 1.0), (-inf, -1.0), (0.0, 0.0), (-0.0, -0.0), (1e30, 1.0)]),
        (Function::Erfc, [(inf, 0.0), (-inf, 2.0), (0.0, 1.0), (-0.0, 1.0), (-1e30, 2.0)]),
        (Function::Gelu, [(inf, inf), (-inf, nan), (0.0, 0.0), (-0.0, -0.0), (-1e30, -0.0)]),
        (Function::GeluTanh, [(inf, inf), (-inf, nan), (0.0, 0.0), (-0.0, -0.0), (-1e30, -0.0)]),
        (Function::Sin, [(inf, nan), (-inf, nan), (0.0, 0.0), (-0.0, -0.0), (1e-45, 1e-45)]),
        (Function::Cos, [(inf, nan), (-inf, nan), (0.0, 1.0), (-0.0, 1.0), (1e-45, 1.0)]),
        (Function::Sqrt, [(inf, inf), (-inf, nan), (0.0, 0.0), (-0.0, -0.0), (-1e-45, nan)]),
        (Function::Rsqrt, [(inf, 0.0), (-inf, nan), (0.0, inf), (-0.0, -inf), (4.0, 0.5)]),
    ];
    for isa in Isa::available() {
        let cpu = Cpu::with_isa(isa).unwrap();
        for (function, pairs) in cases {
            for (x, expected) in pairs.into_iter().chain([(nan, nan)]) {
                // Alone, and at each position among others.
                for (len, place) in [(1, 0), (33, 0), (33, 17), (33, 32)] {
                    let mut elements = vec![0.25f32; len];
                    elements[place] = x;
                    function.apply_f32_in_place(cpu, &mut elements);
                    let got = elements[place];
                    let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
                    assert!(same, "{function:?}({x:e}) on {isa} is {got:e}, not {expected:e}");
                }
            }
        }
    }
}

#[test]
fn wide_functions_agree_with_narrow_ones() {
    let sources: Vec<f32> = (-200..200).map(|step| step as f32 * 0.05).collect();
    let wide: Vec<f64> = sources.iter().copied().map(f64::from).collect();
    for function in Function::ALL {
        let mut results = vec![0f64; wide.len()];
        function.apply_f64(&wide, &mut results).unwrap();
        let mut narrow = vec![0f32; sources.len()];
        function.apply_f32(Cpu::detect(), &sources, &mut narrow).unwrap();
        for (x, (result, narrow)) in sources.iter().zip(results.iter().zip(narrow)) {
            let both_nan = result.is_nan() && narrow.is_nan();
            let close = (result - f64::from(narrow)).abs() <= 1e-6 * result.abs().max(1e-2);
            assert!(
                both_nan || close || *result == f64::from(narrow),
                "{function:?}({x}): {result} and {narrow}"
            );
        }
    }
}

#[test]
fn lengths_must_agree() {
    let error = Function::Exp.apply_f32(Cpu::detect(), &[0.0; 3], &mut [0.0; 2]).unwrap_err();
    assert_eq!((error.source_len, error.target_len), (3, 2));
    assert!(Function::Sin.apply_f64(&[0.0; 3], &mut [0.0; 4]).is_err());
}

/// Returns the function of a scalar.
fn of_scalar<M: MultiplyAdd>(function: Function, x: f32) -> f32 {
    let x = Single::<M>::new(x);
    let result = match function {
        Function::Exp => rlx_math::exp(x),
        Function::Expm1 => rlx_math::expm1(x),
        Function::Log => rlx_math::log(x),
        Function::Log1p => rlx_math::log1p(x),
        Function::Tanh => rlx_math::tanh(x),
        Function::Sigmoid => rlx_math::sigmoid(x),
        Function::Silu => rlx_math::silu(x),
        Function::Erf => rlx_math::erf(x),
        Function::Erfc => rlx_math::erfc(x),
        Function::Gelu => rlx_math::gelu(x),
        Function::GeluTanh => rlx_math::gelu_tanh(x),
        Function::Sin => rlx_math::sin(x),
        Function::Cos => rlx_math::cos(x),
        Function::Sqrt => Number::sqrt(x),
        Function::Rsqrt => rlx_math::rsqrt(x),
    };
    result.get()
}

#[test]
fn vectors_and_scalars_agree_bit_for_bit() {
    let sources = inputs();
    let check = |function: Function, what: &dyn std::fmt::Display, results: &[f32], expected: &[f32]| {
        for ((&x, result), expected) in sources.iter().zip(results).zip(expected) {
            let same = result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan();
            assert!(same, "{function:?}({x:e}) on {what} is {result:e}, not {expected:e}");
        }
    };
    let portable = Portable::new();
    for function in Function::ALL {
        let separate: Vec<f32> = sources.iter().map(|&x| of_scalar::<Separate>(function, x)).collect();
        let fused: Vec<f32> = sources.iter().map(|&x| of_scalar::<Fused>(function, x)).collect();
        let of_portable =
            |&x: &f32| function.of_vector(<Portable as Simd>::F32::splat(portable, x)).to_array()[0];
        let results: Vec<f32> = sources.iter().map(of_portable).collect();
        check(function, &"portable vectors", &results, &separate);
        for isa in Isa::available() {
            let mut results = sources.clone();
            function.apply_f32_in_place(Cpu::with_isa(isa).unwrap(), &mut results);
            check(function, &isa, &results, if isa == Isa::Baseline { &separate } else { &fused });
        }
    }
}

/// The results are part of what the project promises: a change of any bit must be deliberate. NaNs count as one.
#[test]
fn results_keep_their_bits() {
    let sources = inputs();
    for (number, function) in Function::ALL.into_iter().enumerate() {
        for isa in Isa::available() {
            let mut results = sources.clone();
            function.apply_f32_in_place(Cpu::with_isa(isa).unwrap(), &mut results);
            let digest = results.iter().fold(0xcbf2_9ce4_8422_2325u64, |digest, result| {
                let bits = if result.is_nan() { f32::NAN.to_bits() } else { result.to_bits() };
                (digest ^ u64::from(bits)).wrapping_mul(0x100_0000_01b3)
            });
            let expected = DIGESTS[number][usize::from(isa != Isa::Baseline)];
            assert_eq!(digest, expected, "{function:?} on {isa}");
        }
    }
}

/// FNV-1a digests of the results of [`Function::ALL`] for [`inputs`]: with products and sums, and with fused multiply-adds.
const DIGESTS: [[u64; 2]; 15] = [
    [0x3d4f_7f6b_38aa_4f03, 0xe910_e832_5342_7488],
    [0xa0aa_4fb5_a963_fc9c, 0xda78_778e_80b4_98b4],
    [0x8df4_f37c_7ff3_005b, 0x949d_ba5f_5565_3383],
    [0x2c8b_630b_cec0_e97f, 0xd949_3bae_a61f_bb12],
    [0xf30d_4d08_724c_2c6d, 0x93e8_15f7_b193_fc86],
    [0x34f9_501c_28e8_75b0, 0xb0ca_b1fb_cbec_71a4],
    [0xb224_d24c_d5f5_b49f, 0x38f8_a246_1a8d_08b5],
    [0x0546_e73f_0c0e_50ed, 0xf398_dda3_5e6a_9537],
    [0xe8c7_3b5e_a828_555e, 0xd4d0_3b6e_7277_0c0d],
    [0x4962_31a0_f9cf_9626, 0x19c2_2b80_fe8d_e89a],
    [0x8124_bb60_462b_dac3, 0x914f_25e5_759c_81f8],
    [0xd9fb_98b5_e10d_1126, 0xd24a_0b7e_605e_e361],
    [0x02a8_2c60_f713_3e05, 0xb3d2_e05c_e0d1_a6a5],
    [0x7ddf_409b_085f_e37e, 0x7ddf_409b_085f_e37e],
    [0xdad0_52dd_b41d_6ebe, 0xdad0_52dd_b41d_6ebe],
];
