//! Compares compiled loops bit for bit with the same steps on numbers, one after the other.

use super::*;
use rlx_ir::math::random::SplitMix64;

/// A float type of loops.
trait Number: Copy + PartialEq + std::fmt::Debug {
    const IS_DOUBLE: bool;
    fn of_bits(bits: u64) -> Self;
    fn of(x: f64) -> Self;
    fn bits(self) -> u64;
    fn is_nan(self) -> bool;
    fn apply(arithmetic: Arithmetic, a: Self, b: Self) -> Self;
}

macro_rules! number {
    ($t:ident, $bits:ident, $is_double:expr) => {
        impl Number for $t {
            const IS_DOUBLE: bool = $is_double;

            fn of_bits(bits: u64) -> $t {
                $t::from_bits(bits as $bits)
            }

            fn of(x: f64) -> $t {
                x as $t
            }

            fn bits(self) -> u64 {
                u64::from(self.to_bits())
            }

            fn is_nan(self) -> bool {
                $t::is_nan(self)
            }

            fn apply(arithmetic: Arithmetic, a: $t, b: $t) -> $t {
                let extremum = |is_above: bool, zeros: $bits| match () {
                    () if a.is_nan() || b.is_nan() => $t::NAN,
                    () if a == b => $t::from_bits(zeros),
                    () => {
                        if (a > b) == is_above {
                            a
                        } else {
                            b
                        }
                    }
                };
                match arithmetic {
                    Arithmetic::Add => a + b,
                    Arithmetic::Sub => a - b,
                    Arithmetic::Mul => a * b,
                    Arithmetic::Div => a / b,
                    Arithmetic::Sqrt => a.sqrt(),
                    Arithmetic::Maximum => extremum(true, a.to_bits() & b.to_bits()),
                    Arithmetic::Minimum => extremum(false, a.to_bits() | b.to_bits()),
                    Arithmetic::And => $t::from_bits(a.to_bits() & b.to_bits()),
                    Arithmetic::Xor => $t::from_bits(a.to_bits() ^ b.to_bits()),
                }
            }
        }
    };
}
number!(f32, u32, false);
number!(f64, u64, true);

/// Operations whose operands may be any two numbers. `And` and `Xor` are used only with masks, because the bits of a NaN are not specified.
const ARITHMETIC: [Arithmetic; 7] = [
    Arithmetic::Add,
    Arithmetic::Sub,
    Arithmetic::Mul,
    Arithmetic::Div,
    Arithmetic::Sqrt,
    Arithmetic::Maximum,
    Arithmetic::Minimum,
];

fn number<T: Number>(random: &mut SplitMix64) -> T {
    const EDGES: [f64; 6] = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-310];
    match random.below(4) {
        0 => T::of(EDGES[random.below(EDGES.len())]),
        _ => T::of(random.below(4001) as f64 / 1000.0 - 2.0),
    }
}

/// Returns a loop of `steps` steps that reads three operands and two numbers, and stores two results, the first of them over the first
/// operand.
fn drawn<T: Number>(random: &mut SplitMix64, steps: usize) -> LoopSpec {
    let (constant, sign) = (number::<T>(random).bits(), T::of(-0.0).bits());
    let mut sources =
        vec![LoopSource::Moving(0), LoopSource::Moving(1), LoopSource::Moving(2), LoopSource::Uniform(3)];
    sources.extend([constant, sign, sign - 1].map(LoopSource::Constant));
    let values = sources.len();
    let (sign, magnitude) = (values - 2, values - 1);
    let step = |i: usize| match random.below(10) {
        0 => (Arithmetic::Xor, [random.below(values + i), sign]),
        1 => (Arithmetic::And, [random.below(values + i), magnitude]),
        _ => {
            let args = [random.below(values + i), random.below(values + i)];
            (ARITHMETIC[random.below(ARITHMETIC.len())], args)
        }
    };
    let steps: Vec<_> = (0..steps).map(step).collect();
    let stores = vec![(values + steps.len() - 1, 0), (values + random.below(steps.len()), 4)];
    LoopSpec { is_double: T::IS_DOUBLE, sources, steps, stores, streams: 5 }
}

/// Returns what the loop stores for an index with these operands.
fn results<T: Number>(spec: &LoopSpec, operands: [T; 4]) -> Vec<T> {
    let mut values: Vec<T> = Vec::new();
    values.extend(spec.sources.iter().map(|&source| match source {
        LoopSource::Constant(bits) => T::of_bits(bits),
        LoopSource::Uniform(stream) | LoopSource::Moving(stream) => operands[stream],
    }));
    for &(arithmetic, [a, b]) in &spec.steps {
        values.push(T::apply(arithmetic, values[a], values[b]));
    }
    spec.stores.iter().map(|&(value, _)| values[value]).collect()
}

/// Runs a loop on `len` elements, and compares what it stores, and what it must not change, with plain numbers.
fn check<T: Number>(spec: &LoopSpec, code: &MachineCode, len: usize, random: &mut SplitMix64) {
    let mut operands: Vec<Vec<T>> = (0..4).map(|_| (0..len + 1).map(|_| number(random)).collect()).collect();
    let expected: Vec<Vec<T>> = (0..len)
        .map(|i| results(spec, [operands[0][i], operands[1][i], operands[2][i], operands[3][0]]))
        .collect();
    let (guard, mut second) = (T::of(12345.0), vec![T::of(12345.0); len + 1]);
    operands[0][len] = guard;
    let mut streams = [std::ptr::null(); MAX_STREAMS];
    for (stream, operand) in streams.iter_mut().zip(&mut operands) {
        *stream = operand.as_mut_ptr().cast_const().cast();
    }
    streams[4] = second.as_mut_ptr().cast_const().cast();
    // SAFETY: each pointer is valid for `len` elements; the first result overwrites the first operand.
    unsafe { code.run(&streams, len) };
    let same = |a: T, b: T| a.bits() == b.bits() || a.is_nan() && b.is_nan();
    for (i, expected) in expected.iter().enumerate() {
        let got = [operands[0][i], second[i]];
        assert!(
            same(got[0], expected[0]) && same(got[1], expected[1]),
            "{i} of {len}: {got:?}, {expected:?}, {spec:?}"
        );
    }
    assert_eq!((operands[0][len], second[len]), (guard, guard), "behind {len}");
}

fn check_type<T: Number>(cpu: Cpu) -> usize {
    let (mut random, mut compiled) = (SplitMix64::new(7), 0);
    for round in 0..300 {
        let steps = 1 + random.below(if round % 10 == 0 { 40 } else { 12 });
        let spec = drawn::<T>(&mut random, steps);
        let Ok(code) = compile(&spec, cpu) else { continue };
        compiled += 1;
        for len in [0, 1, 3, 7, 8, 15, 16, 17, 31, 33, 100] {
            check::<T>(&spec, &code, len, &mut random);
        }
    }
    compiled
}

/// Only a few of these loops have too many values for the registers.
#[test]
fn loops_do_what_their_steps_say() {
    for isa in Isa::available() {
        let cpu = Cpu::with_isa(isa).expect("it is available");
        let compiled = [check_type::<f32>(cpu), check_type::<f64>(cpu)];
        let expected = if matches!(isa, Isa::Avx2 | Isa::Avx512 | Isa::Amx) { 250 } else { 0 };
        assert!(compiled.iter().all(|&n| n >= expected), "{isa}: {compiled:?}");
    }
}

#[test]
fn equal_loops_share_their_code() {
    let spec = drawn::<f32>(&mut SplitMix64::new(1), 5);
    if let Ok(first) = compile(&spec, Cpu::detect()) {
        let second = compile(&spec, Cpu::detect()).expect("it was compiled before");
        assert!(Arc::ptr_eq(&first, &second));
    }
}

#[test]
fn loops_of_too_many_values_are_refused() {
    let sources = vec![LoopSource::Moving(0)];
    let steps: Vec<_> = (0..40).map(|_| (Arithmetic::Add, [0, 0])).collect();
    let stores = (0..40).map(|i| (1 + i, 1 + i)).collect();
    let spec = LoopSpec { is_double: false, sources, steps, stores, streams: 41 };
    let error = compile(&spec, Cpu::detect()).unwrap_err();
    assert!(matches!(error, LoopError::TooManyStreams(41)), "{error}");
    let spec = LoopSpec { stores: (0..20).map(|i| (1 + i, 1 + i)).collect(), streams: 21, ..spec };
    let error = compile(&spec, Cpu::detect()).unwrap_err();
    assert!(matches!(error, LoopError::TooLarge | LoopError::Processor(_)), "{error}");
    let spec = LoopSpec { steps: vec![(Arithmetic::Add, [0, 0]); MAX_STEPS + 1], ..LoopSpec::default() };
    let error = compile(&spec, Cpu::detect()).unwrap_err();
    assert!(matches!(error, LoopError::TooManySteps(n) if n == MAX_STEPS + 1), "{error}");
}

/// A loop that uses something that it does not have is an error on every processor.
#[test]
fn loops_that_name_what_they_do_not_have_are_errors() {
    let good = LoopSpec {
        is_double: false,
        sources: vec![LoopSource::Moving(0), LoopSource::Uniform(1), LoopSource::Constant(0)],
        steps: vec![(Arithmetic::Add, [0, 1]), (Arithmetic::Mul, [3, 2])],
        stores: vec![(4, 2)],
        streams: 3,
    };
    let changed = |change: &dyn Fn(&mut LoopSpec)| {
        let mut spec = good.clone();
        change(&mut spec);
        spec
    };
    for far in [3, 4, 24, 1 << 40, usize::MAX] {
        for isa in Isa::available() {
            let error = |change: &dyn Fn(&mut LoopSpec)| {
                let cpu = Cpu::with_isa(isa).expect("it is available");
                compile(&changed(change), cpu).unwrap_err().to_string()
            };
            let streams = format!("pointer {far}, but the loop has 3 pointers");
            for source in [LoopSource::Moving(far), LoopSource::Uniform(far)] {
                let message = error(&|spec| spec.sources[1] = source);
                assert!(message.starts_with("source 1 ") && message.ends_with(&streams), "{message}");
            }
            let message = error(&|spec| spec.stores[0].1 = far);
            assert!(message.starts_with("store 0 ") && message.ends_with(&streams), "{message}");
            for side in [0, 1] {
                let message = error(&|spec| spec.steps[0].1[side] = far);
                assert!(
                    message.contains(&format!("step 0 of the loop uses value {far}, but only")),
                    "{message}"
                );
            }
            let message = error(&|spec| spec.stores[0].0 = far.saturating_add(5));
            assert!(message.contains("only 5 values come before it"), "{message}");
        }
    }
    // The number of pointers is too small for the pointers that are used.
    let error = compile(&changed(&|spec| spec.streams = 0), Cpu::detect()).unwrap_err();
    assert!(matches!(error, LoopError::Stream { what: "source", at: 0, stream: 0, streams: 0 }), "{error}");
}

/// A loop may store a value that it has just read, even twice, and an empty loop does nothing.
#[test]
fn loops_without_steps_copy() {
    let spec = LoopSpec {
        is_double: false,
        sources: vec![LoopSource::Moving(0), LoopSource::Constant(7f32.to_bits().into())],
        steps: Vec::new(),
        stores: vec![(0, 1), (1, 2), (0, 3)],
        streams: 4,
    };
    for isa in Isa::available() {
        let cpu = Cpu::with_isa(isa).expect("it is available");
        let (copy, empty) = match (compile(&spec, cpu), compile(&LoopSpec::default(), cpu)) {
            (Ok(copy), Ok(empty)) => (copy, empty),
            (copy, _) => {
                assert!(matches!(copy, Err(LoopError::Processor(_))), "{copy:?}");
                continue;
            }
        };
        let from: Vec<f32> = (0..37).map(|i| i as f32).collect();
        let mut to = [vec![0.0f32; 37], vec![0.0; 37], vec![0.0; 37]];
        let mut streams = [std::ptr::null(); MAX_STREAMS];
        streams[0] = from.as_ptr().cast();
        streams[1..4]
            .iter_mut()
            .zip(&mut to)
            .for_each(|(stream, to)| *stream = to.as_mut_ptr().cast_const().cast());
        // SAFETY: each of the four pointers is valid for 37 elements; the empty loop has no pointers.
        unsafe {
            copy.run(&streams, 37);
            empty.run(&streams, 37);
        }
        assert_eq!(to, [from.clone(), vec![7.0; 37], from], "{isa}");
    }
}
