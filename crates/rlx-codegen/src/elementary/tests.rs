//! Runs kernels whose functions are written as operators, and compares the results with those of scalars.

use super::with_operators;
use crate::interp::Interpreter;
use crate::kernel::{Definition, Kernel, Stmt};
use crate::lower::{Argument, Launch, Launches};
use crate::verify;
use crate::visit::for_each_stmt;
use rlx_ir::{Bindings, DType, Literal, Named, Op, Shape, Symbol, UnaryOp};
use rlx_math::{Fused, MultiplyAdd, Separate, Single};

const FUNCTIONS: [UnaryOp; 16] = [
    UnaryOp::Exp,
    UnaryOp::Expm1,
    UnaryOp::Log,
    UnaryOp::Log1p,
    UnaryOp::Tanh,
    UnaryOp::Logistic,
    UnaryOp::Erf,
    UnaryOp::Erfc,
    UnaryOp::Rsqrt,
    UnaryOp::ErfInv,
    UnaryOp::Lgamma,
    UnaryOp::Digamma,
    UnaryOp::BesselI0e,
    UnaryOp::BesselI1e,
    UnaryOp::Sin,
    UnaryOp::Cos,
];

/// Numbers of every exponent and both signs, many around 0, and special values.
fn inputs() -> Vec<f32> {
    let mut list: Vec<f32> = (0..u32::MAX / 2_097_143).map(|step| f32::from_bits(step * 2_097_143)).collect();
    list.extend((-1000..1000).map(|step| step as f32 * 0.027_1));
    let edges = [0.0, f32::MIN_POSITIVE, 1e-45, 1.0, 88.722_84, 103.972_08, 1_048_576.0, f32::MAX];
    list.extend(edges.into_iter().chain([f32::INFINITY, f32::NAN]).flat_map(|x| [x, -x]));
    list
}

/// Returns a kernel that applies a function to an array of this type.
fn kernel(op: UnaryOp, dtype: &str) -> Kernel {
    let text = format!(
        "kernel k(x: in {dtype}[n], y: out {dtype}[n]) {{
           par _0<n {{ %0 = load x[_0] %1 = {} %0 store y[_0] = %1 }}
         }}",
        op.name()
    );
    Kernel::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Returns the kernel with all functions written as operators.
fn written(kernel: &Kernel, fused: bool) -> Kernel {
    with_operators(kernel, fused, &|_| true).expect("it has a function")
}

fn run(kernel: Kernel, inputs: &[f32]) -> Vec<f32> {
    verify(&kernel).unwrap_or_else(|e| panic!("{e}\n{kernel}"));
    let arguments = vec![Argument::Input(0), Argument::Output(0)];
    let launches = Launches { launches: vec![Launch { kernel, arguments }], ..Launches::default() };
    let x = Literal::new(&[inputs.len()], inputs).unwrap();
    let sizes = Bindings::from([(Symbol::new("n"), inputs.len())]);
    let shape = Shape::new(&[inputs.len()], DType::F32);
    let results = Interpreter::default().run(&launches, &sizes, &[&x], &[shape]);
    results.unwrap_or_else(|e| panic!("{e}")).outputs[0].as_slice().unwrap().to_vec()
}

fn scalar<M: MultiplyAdd>(op: UnaryOp, x: f32) -> f32 {
    rlx_expand::function(op, Single::<M>::new(x)).unwrap().get()
}

#[test]
fn kernels_have_the_bits_of_scalars() {
    let inputs = inputs();
    for op in FUNCTIONS.into_iter().filter(|op| !matches!(op, UnaryOp::Sin | UnaryOp::Cos)) {
        for fused in [false, true] {
            let results = run(written(&kernel(op, "f32"), fused), &inputs);
            for (&x, result) in inputs.iter().zip(results) {
                let expected = if fused { scalar::<Fused>(op, x) } else { scalar::<Separate>(op, x) };
                let same = result.to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan();
                assert!(same, "{}({x:e}), fused: {fused}, is {result:e}, not {expected:e}", op.name());
            }
        }
    }
}

/// Sine and cosine reduce their operand without f64.
#[test]
fn angles_need_no_wider_type() {
    let inputs = inputs();
    for (op, exact) in [(UnaryOp::Sin, f64::sin as fn(f64) -> f64), (UnaryOp::Cos, f64::cos)] {
        for fused in [false, true] {
            let results = run(written(&kernel(op, "f32"), fused), &inputs);
            for (&x, result) in inputs.iter().zip(results) {
                let exact = exact(f64::from(x));
                let last = f32::from_bits((exact as f32).abs().to_bits() & 0x7f80_0000) * f32::EPSILON;
                let error = (f64::from(result) - exact).abs() / f64::from(last.max(1e-45));
                let same = error <= 2.0 || result.is_nan() && exact.is_nan();
                assert!(same, "{}({x:e}) is {result:e}, not {exact:e}: {error} units", op.name());
            }
        }
    }
}

#[test]
fn only_operators_are_left() {
    for op in FUNCTIONS {
        for dtype in ["f32", "bf16", "f16"] {
            let kernel = written(&kernel(op, dtype), false);
            verify(&kernel).unwrap_or_else(|e| panic!("{e}\n{kernel}"));
            for_each_stmt(&kernel.body, &mut |stmt| {
                let Stmt::Let { value: Definition::Apply { op, .. }, .. } = stmt else { return };
                let Op::Unary { op } = **op else { return };
                use UnaryOp::{Abs, Neg, Not, RoundEven, Sqrt};
                assert!(matches!(op, Abs | Neg | Not | RoundEven | Sqrt), "{} in\n{kernel}", op.name());
            });
        }
        assert_eq!(with_operators(&kernel(op, "f64"), false, &|_| true), None);
        assert_eq!(with_operators(&kernel(op, "f32"), false, &|lacked| lacked != op), None);
    }
}

#[test]
fn functions_inside_reductions_are_written_too() {
    let kernel = Kernel::parse(
        "kernel k(x: in f32[n], y: out f32[n]) {
           par _0<n {
             %0: f32 = constant 0.0
             %1: f32 = reduce _1<n {
               %2 = load x[_1]
               %3 = erf %2
               give %3
             } from %0 step (%4: f32, %5: f32) {
               %6 = tanh %5
               %7 = add %4, %6
               give %7
             } merge (%8: f32, %9: f32) {
               %10 = add %8, %9
               give %10
             }
             store y[_0] = %1
           }
         }",
    );
    let kernel = written(&kernel.unwrap_or_else(|e| panic!("{e}")), false);
    let inputs = [0.3f32, -0.1, 2.5];
    let terms = inputs.map(|x| scalar::<Separate>(UnaryOp::Tanh, scalar::<Separate>(UnaryOp::Erf, x)));
    let sum = terms.into_iter().fold(0.0, |sum, term| sum + term);
    assert_eq!(run(kernel.clone(), &inputs), [sum; 3]);
    assert!(!kernel.to_string().contains("tanh") && !kernel.to_string().contains("erf"));
}

/// The special functions, the evaluator's, and how large an error may be at an argument and a result.
type Special = (UnaryOp, fn(f64) -> f64, fn(f64, f64) -> f64);

#[test]
fn special_functions_are_those_of_the_evaluator() {
    use rlx_ir::math;
    let rows: [Special; 5] = [
        (UnaryOp::ErfInv, math::erf_inv, |_, y| 2.5 * y.abs()),
        (UnaryOp::Lgamma, math::lgamma, |x, y| if x > 0.0 { 3.0 * y.abs() } else { 12.0 * y.abs().max(1.0) }),
        (UnaryOp::Digamma, math::digamma, |x, y| {
            if x > 0.0 { 3.0 * y.abs() } else { 8.0 * y.abs().max((1.0 - x).ln()).max(1.0) }
        }),
        (UnaryOp::BesselI0e, math::bessel_i0e, |_, y| 4.0 * y.abs()),
        (UnaryOp::BesselI1e, math::bessel_i1e, |_, y| 4.0 * y.abs()),
    ];
    let mut inputs: Vec<f32> = (0..u32::MAX / 65_539).map(|step| f32::from_bits(step * 65_539)).collect();
    inputs.extend((-20_000..20_000).map(|step| step as f32 * 0.001_07));
    for (op, exact, bound) in rows {
        for &x in &inputs {
            let exact = exact(f64::from(x));
            for result in [scalar::<Fused>(op, x), scalar::<Separate>(op, x)] {
                let rounded = exact as f32;
                let unit = f64::from(f32::EPSILON) * bound(f64::from(x), exact);
                let near = (f64::from(result) - exact).abs() <= unit.max(2e-45);
                let same = result == rounded || near || result.is_nan() && exact.is_nan();
                assert!(same, "{}({x:e}) is {result:e}, not {exact:e}", op.name());
            }
        }
    }
}
