//! Instructions: what a program does to a tile, with one function per type and op. This module owns the loops over a tile and the form of
//! an instruction; its submodules define what happens to an element. They know no graph.
//!
//! Every loop reads a block before it writes it, so a result may be stored exactly where an operand is.

pub mod arithmetic;
pub mod comparison;
pub mod conversion;
pub(crate) mod doubles;
pub(crate) mod evaluator;
pub(crate) mod functions;
pub mod integers;
pub mod load;
pub mod narrow;

use super::compute_type::ComputeElement;
use crate::isa::Cpu;
use crate::simd::{F32Vector, Kernel, Portable, Scalar, Simd, Vector};
use rlx_ir::{BinaryOp, DType, UnaryOp};
use std::marker::PhantomData;
use std::sync::atomic::{Ordering, compiler_fence};

/// The operands of one instruction on one tile.
pub struct Call {
    /// The processor that runs the instruction.
    pub cpu: Cpu,
    /// Where the result's tile is written.
    pub dst: *mut u8,
    /// The operands' tiles, as many as the instruction takes.
    pub src: [*const u8; 3],
    /// Number of elements in each.
    pub len: usize,
    /// Further arguments of the instruction.
    pub extra: Extra,
}

/// The arguments of an instruction that are not operands.
#[derive(Clone, Copy, Debug)]
pub enum Extra {
    /// Nothing.
    None,
    /// A function of one element, and the element's type.
    Unary(UnaryOp, DType),
    /// A function of two elements, and their type.
    Binary(BinaryOp, DType),
    /// Numbers of bits of exponent and mantissa.
    Precision(u32, u32),
    /// Distance in elements from one operand element to the next.
    Stride(usize),
}

/// The function of an instruction.
///
/// # Safety
/// `dst` and the operands that the instruction takes are valid for `len` elements of its types; `dst` overlaps no
/// operand, or is exactly one whose elements have the same size.
pub type TileFn = unsafe fn(&Call);

/// What an instruction computes, if compiled loops can compute the same, bit for bit except for which NaN it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // The names say it.
pub enum Formula {
    Add,
    Sub,
    Mul,
    Div,
    Max,
    Min,
    Neg,
    Abs,
    Sqrt,
    Relu,
    Square,
    Reciprocal,
    InverseRoot,
}

/// An instruction without operands.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The function that runs it.
    pub run: TileFn,
    /// Its arguments that are not operands.
    pub extra: Extra,
    /// What it computes, if compiled loops can compute the same.
    pub formula: Option<Formula>,
    /// Approximate time per element, for deciding on threads.
    pub picoseconds: u32,
}

impl Code {
    pub(crate) fn new(run: TileFn, picoseconds: u32) -> Code {
        Code { run, extra: Extra::None, formula: None, picoseconds }
    }

    pub(crate) fn with(run: TileFn, extra: Extra, picoseconds: u32) -> Code {
        Code { run, extra, formula: None, picoseconds }
    }

    /// Returns the same code with the formula that it computes.
    pub(crate) fn of(self, formula: Formula) -> Code {
        Code { formula: Some(formula), ..self }
    }
}

/// A function of one element.
pub(crate) trait Map1<A> {
    type Result: ComputeElement;
    fn apply(a: A) -> Self::Result;
}

/// A function of two elements.
pub(crate) trait Map2<A> {
    type Result: ComputeElement;
    fn apply(a: A, b: A) -> Self::Result;
}

/// A function of a vector of either float type.
pub(crate) trait Float1 {
    fn apply<V: Vector>(x: V) -> V;
}

/// A function of two vectors of either float type.
pub(crate) trait Float2 {
    fn apply<V: Vector>(a: V, b: V) -> V;
}

/// A function of a vector of f32.
pub(crate) trait Single1 {
    fn apply<V: F32Vector>(x: V) -> V;
}

/// A float type with vectors.
pub(crate) trait Float: Scalar + ComputeElement {
    type Vector<S: Simd>: Vector<Elem = Self, Token = S>;
}

impl Float for f32 {
    type Vector<S: Simd> = S::F32;
}

impl Float for f64 {
    type Vector<S: Simd> = S::F64;
}

/// A loop over a tile.
pub(crate) trait Body {
    /// Runs the loop with the instruction set of `token`. Implementations are `#[inline(always)]`.
    ///
    /// # Safety
    /// As for [`TileFn`].
    unsafe fn run<S: Simd>(token: S, call: &Call);
}

/// The loop, compiled for each instruction set.
///
/// # Safety
/// As for [`TileFn`].
pub(crate) unsafe fn fast<B: Body>(call: &Call) {
    struct Loop<'c, B>(&'c Call, PhantomData<B>);
    impl<B: Body> Kernel for Loop<'_, B> {
        type Output = ();

        #[inline(always)]
        fn run<S: Simd>(self, token: S) {
            // SAFETY: the caller of `fast` vouches for the operands.
            unsafe { B::run(token, self.0) }
        }
    }
    call.cpu.dispatch(Loop::<B>(call, PhantomData));
}

/// The loop, compiled once, for functions that gain little from wider vectors.
///
/// # Safety
/// As for [`TileFn`].
pub(crate) unsafe fn plain<B: Body>(call: &Call) {
    // SAFETY: the caller vouches for the operands.
    unsafe { B::run(Portable::new(), call) }
}

/// Number of elements that a loop reads before it writes, enough for the compiler to use whole vectors of every type.
pub const BLOCK: usize = 32;

/// Ends a block. Otherwise the compiler would look for vectors across blocks, which are a block apart in memory, rather than within one.
#[inline(always)]
pub fn end_block() {
    compiler_fence(Ordering::SeqCst);
}

/// `M` of each element.
pub(crate) struct Each1<A, M>(PhantomData<(A, M)>);

impl<A: ComputeElement, M: Map1<A>> Body for Each1<A, M> {
    #[inline(always)]
    unsafe fn run<S: Simd>(_: S, call: &Call) {
        let (dst, a) = (call.dst.cast::<M::Result>(), call.src[0].cast::<A>());
        let mut i = 0;
        // SAFETY: indices stay below `len`, for which the caller vouches.
        unsafe {
            while i + BLOCK <= call.len {
                let x = a.add(i).cast::<[A; BLOCK]>().read_unaligned();
                let mut r = [M::Result::default(); BLOCK];
                for k in 0..BLOCK {
                    r[k] = M::apply(x[k]);
                }
                dst.add(i).cast::<[M::Result; BLOCK]>().write_unaligned(r);
                i += BLOCK;
                end_block();
            }
            while i < call.len {
                dst.add(i).write_unaligned(M::apply(a.add(i).read_unaligned()));
                i += 1;
                end_block();
            }
        }
    }
}

/// `M` of each pair of elements.
pub(crate) struct Each2<A, M>(PhantomData<(A, M)>);

impl<A: ComputeElement, M: Map2<A>> Body for Each2<A, M> {
    #[inline(always)]
    unsafe fn run<S: Simd>(_: S, call: &Call) {
        let (dst, a, b) = (call.dst.cast::<M::Result>(), call.src[0].cast::<A>(), call.src[1].cast::<A>());
        let mut i = 0;
        // SAFETY: indices stay below `len`, for which the caller vouches.
        unsafe {
            while i + BLOCK <= call.len {
                let x = a.add(i).cast::<[A; BLOCK]>().read_unaligned();
                let y = b.add(i).cast::<[A; BLOCK]>().read_unaligned();
                let mut r = [M::Result::default(); BLOCK];
                for k in 0..BLOCK {
                    r[k] = M::apply(x[k], y[k]);
                }
                dst.add(i).cast::<[M::Result; BLOCK]>().write_unaligned(r);
                i += BLOCK;
                end_block();
            }
            while i < call.len {
                let r = M::apply(a.add(i).read_unaligned(), b.add(i).read_unaligned());
                dst.add(i).write_unaligned(r);
                i += 1;
                end_block();
            }
        }
    }
}

/// `M` of each vector of floats.
pub(crate) struct Vector1<T, M>(PhantomData<(T, M)>);

impl<T: Float, M: Float1> Body for Vector1<T, M> {
    #[inline(always)]
    unsafe fn run<S: Simd>(token: S, call: &Call) {
        let (dst, a, len) = (call.dst.cast::<T>(), call.src[0].cast::<T>(), call.len);
        let (lanes, mut i) = (T::Vector::<S>::LANES, 0);
        // SAFETY: indices stay below `len`, for which the caller vouches.
        unsafe {
            while i + lanes <= len {
                M::apply(T::Vector::<S>::load(token, a.add(i))).store(dst.add(i));
                i += lanes;
            }
            if i < len {
                let x = T::Vector::<S>::load_partial(token, a.add(i), len - i);
                M::apply(x).store_partial(dst.add(i), len - i);
            }
        }
    }
}

/// `M` of each pair of vectors of floats.
pub(crate) struct Vector2<T, M>(PhantomData<(T, M)>);

impl<T: Float, M: Float2> Body for Vector2<T, M> {
    #[inline(always)]
    unsafe fn run<S: Simd>(token: S, call: &Call) {
        let (dst, a, b) = (call.dst.cast::<T>(), call.src[0].cast::<T>(), call.src[1].cast::<T>());
        let (lanes, len, mut i) = (T::Vector::<S>::LANES, call.len, 0);
        // SAFETY: indices stay below `len`, for which the caller vouches.
        unsafe {
            while i + lanes <= len {
                let x = T::Vector::<S>::load(token, a.add(i));
                let y = T::Vector::<S>::load(token, b.add(i));
                M::apply(x, y).store(dst.add(i));
                i += lanes;
            }
            if i < len {
                let x = T::Vector::<S>::load_partial(token, a.add(i), len - i);
                let y = T::Vector::<S>::load_partial(token, b.add(i), len - i);
                M::apply(x, y).store_partial(dst.add(i), len - i);
            }
        }
    }
}

/// `M` of each vector of f32.
pub(crate) struct Singles<M>(PhantomData<M>);

impl<M: Single1> Body for Singles<M> {
    #[inline(always)]
    unsafe fn run<S: Simd>(token: S, call: &Call) {
        let (dst, a, len) = (call.dst.cast::<f32>(), call.src[0].cast::<f32>(), call.len);
        let (lanes, mut i) = (S::F32::LANES, 0);
        // SAFETY: indices stay below `len`, for which the caller vouches.
        unsafe {
            while i + lanes <= len {
                M::apply(S::F32::load(token, a.add(i))).store(dst.add(i));
                i += lanes;
            }
            if i < len {
                let x = S::F32::load_partial(token, a.add(i), len - i);
                M::apply(x).store_partial(dst.add(i), len - i);
            }
        }
    }
}
