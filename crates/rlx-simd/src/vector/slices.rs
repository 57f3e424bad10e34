//! Elementary functions over slices: `f32` by vectors, `f64` one element at a time.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use thiserror::Error;

use crate::isa::Cpu;
use crate::simd::{F32Vector, Kernel, Simd, Vector};

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// eˣ
    Exp,
    /// eˣ − 1
    Expm1,
    /// The natural logarithm of x
    Log,
    /// The natural logarithm of 1 + x
    Log1p,
    /// The hyperbolic tangent
    Tanh,
    /// 1/(1 + e⁻ˣ)
    Sigmoid,
    /// x/(1 + e⁻ˣ)
    Silu,
    /// The error function
    Erf,
    /// 1 − erf x
    Erfc,
    /// x·(1 + erf(x/√2))/2
    Gelu,
    /// x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2
    GeluTanh,
    /// The sine
    Sin,
    /// The cosine
    Cos,
    /// The square root
    Sqrt,
    /// The inverse of the square root
    Rsqrt,
}

/// Source and target have different lengths.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{function:?}: source has {source_len} elements and target {target_len}; make them equal")]
pub struct LengthMismatch {
    /// The function.
    pub function: Function,
    /// Elements of the source.
    pub source_len: usize,
    /// Elements of the target.
    pub target_len: usize,
}

impl Function {
    /// Every function.
    pub const ALL: [Function; 15] = [
        Function::Exp,
        Function::Expm1,
        Function::Log,
        Function::Log1p,
        Function::Tanh,
        Function::Sigmoid,
        Function::Silu,
        Function::Erf,
        Function::Erfc,
        Function::Gelu,
        Function::GeluTanh,
        Function::Sin,
        Function::Cos,
        Function::Sqrt,
        Function::Rsqrt,
    ];

    /// Applies the function to each lane. If `self` is a constant, only that function is compiled.
    #[inline(always)]
    pub fn of_vector<V: F32Vector>(self, x: V) -> V {
        match self {
            Function::Exp => super::exp(x),
            Function::Expm1 => super::expm1(x),
            Function::Log => super::log(x),
            Function::Log1p => super::log1p(x),
            Function::Tanh => super::tanh(x),
            Function::Sigmoid => super::sigmoid(x),
            Function::Silu => super::silu(x),
            Function::Erf => super::erf(x),
            Function::Erfc => super::erfc(x),
            Function::Gelu => super::gelu(x),
            Function::GeluTanh => super::gelu_tanh(x),
            Function::Sin => super::sin(x),
            Function::Cos => super::cos(x),
            Function::Sqrt => super::sqrt(x),
            Function::Rsqrt => super::rsqrt(x),
        }
    }

    /// Returns the function of a number, computed in `f64`.
    pub fn of_f64(self, x: f64) -> f64 {
        match self {
            Function::Exp => libm::exp(x),
            Function::Expm1 => libm::expm1(x),
            Function::Log => libm::log(x),
            Function::Log1p => libm::log1p(x),
            Function::Tanh => libm::tanh(x),
            Function::Sigmoid => logistic(x),
            Function::Silu => x * logistic(x),
            Function::Erf => libm::erf(x),
            Function::Erfc => libm::erfc(x),
            Function::Gelu => x * (0.5 * libm::erfc(-x * FRAC_1_SQRT_2)),
            Function::GeluTanh => x * logistic(2.0 * (2.0 / PI).sqrt() * (x + 0.044715 * x * x * x)),
            Function::Sin => libm::sin(x),
            Function::Cos => libm::cos(x),
            Function::Sqrt => x.sqrt(),
            Function::Rsqrt => 1.0 / x.sqrt(),
        }
    }

    /// Writes the function of each element of `source` into `target`.
    pub fn apply_f32(self, cpu: Cpu, source: &[f32], target: &mut [f32]) -> Result<(), LengthMismatch> {
        self.check(source.len(), target.len())?;
        // SAFETY: two slices of equal length.
        unsafe { self.apply_at(cpu, source.as_ptr(), target.as_mut_ptr(), source.len()) };
        Ok(())
    }

    /// Replaces each element with the function of it.
    pub fn apply_f32_in_place(self, cpu: Cpu, elements: &mut [f32]) {
        let start = elements.as_mut_ptr();
        // SAFETY: one slice.
        unsafe { self.apply_at(cpu, start, start, elements.len()) };
    }

    /// Writes the function of `len` elements at `source` to `target`.
    ///
    /// # Safety
    /// `source` is valid for reads and `target` for writes of `len` elements; they are the same or do not
    /// overlap.
    pub unsafe fn apply_at(self, cpu: Cpu, source: *const f32, target: *mut f32, len: usize) {
        cpu.dispatch(Apply { function: self, source, target, len });
    }

    /// Writes the function of each element of `source` into `target`.
    pub fn apply_f64(self, source: &[f64], target: &mut [f64]) -> Result<(), LengthMismatch> {
        self.check(source.len(), target.len())?;
        for (target, &source) in target.iter_mut().zip(source) {
            *target = self.of_f64(source);
        }
        Ok(())
    }

    fn check(self, source_len: usize, target_len: usize) -> Result<(), LengthMismatch> {
        if source_len != target_len {
            return Err(LengthMismatch { function: self, source_len, target_len });
        }
        Ok(())
    }
}

/// 1/(1 + e⁻ˣ), computed without overflow.
fn logistic(x: f64) -> f64 {
    let e = libm::exp(-x.abs());
    if x < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

struct Apply {
    function: Function,
    source: *const f32,
    target: *mut f32,
    len: usize,
}

impl Kernel for Apply {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        macro_rules! by_function {
            ($($function:ident)*) => {
                match self.function {
                    // SAFETY: the code that makes this kernel vouches for source and target.
                    $(Function::$function => unsafe { self.each::<S>(token, Function::$function) },)*
                }
            };
        }
        // One loop for each function, so that the choice is made only once.
        by_function!(Exp Expm1 Log Log1p Tanh Sigmoid Silu Erf Erfc Gelu GeluTanh Sin Cos Sqrt Rsqrt);
    }
}

impl Apply {
    /// Applies a function that the caller knows at compile time.
    ///
    /// # Safety
    /// `source` and `target` are valid for `len` elements; they are the same or do not overlap.
    #[inline(always)]
    unsafe fn each<S: Simd>(&self, token: S, function: Function) {
        let lanes = S::F32::LANES;
        let whole = self.len - self.len % lanes;
        // SAFETY: the caller vouches for `len` elements.
        unsafe {
            for at in (0..whole).step_by(lanes) {
                function.of_vector(S::F32::load(token, self.source.add(at))).store(self.target.add(at));
            }
            let rest = self.len - whole;
            if rest > 0 {
                let x = S::F32::load_partial(token, self.source.add(whole), rest);
                function.of_vector(x).store_partial(self.target.add(whole), rest);
            }
        }
    }
}
