//! What is computed from an element of C between the sum and the store: scale, bias, activation, residual.

use std::fmt;
use std::marker::PhantomData;

use rlx_pool::{Pool, SharedPtr};
use rlx_simd::isa::Cpu;
use rlx_simd::simd::{Kernel, Simd, Vector};

use super::Element;

/// A function applied to each element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Activation {
    /// x
    #[default]
    Identity,
    /// max(x, 0); NaN for NaN
    Relu,
    /// x·Φ(x), computed with the error function
    Gelu,
    /// x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2
    GeluTanh,
    /// x/(1 + e⁻ˣ)
    Silu,
    /// tanh x
    Tanh,
    /// 1/(1 + e⁻ˣ)
    Sigmoid,
}

/// How a residual is combined with the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Added before the activation.
    AddBefore,
    /// Added after the activation.
    AddAfter,
    /// Multiplied by the result of the activation.
    MultiplyAfter,
}

/// `C = join(activation(scale · A·B + bias), residual)`.
///
/// A caller that needs more can pass a function ([`then`](Epilogue::then)), which is called with finished pieces of rows while they are in
/// the first-level cache.
#[derive(Clone, Copy)]
pub struct Epilogue<'a, E> {
    pub(super) scale: E,
    pub(super) bias: Bias<E>,
    pub(super) activation: Activation,
    pub(super) residual: Option<Residual<E>>,
    pub(super) then: Option<&'a Then<'a, E>>,
    /// Whether finished pieces are passed only to `then`, and C is not written.
    pub(super) skips_store: bool,
    borrowed: PhantomData<&'a [E]>,
}

/// A function that is called with every finished piece of a row of C.
pub type Then<'a, E> = dyn Fn(Piece<'_, E>) + Sync + 'a;

/// A finished piece of a row of C.
#[derive(Debug)]
pub struct Piece<'a, E> {
    /// Index of the product in the batch.
    pub batch: usize,
    /// Row of C.
    pub row: usize,
    /// First column of the piece.
    pub column: usize,
    /// The elements; the function may change them in place.
    pub elements: &'a mut [E],
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Bias<E> {
    None,
    /// One element for each column, and their number.
    Columns(*const E, usize),
    /// One element for each row, and their number.
    Rows(*const E, usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Residual<E> {
    pub start: *const E,
    /// Number of elements; `None` if the caller vouches for them.
    pub len: Option<usize>,
    pub row_step: usize,
    pub join: Join,
}

impl<E: Element> Epilogue<'static, E> {
    /// Does nothing: C is the product.
    pub fn none() -> Epilogue<'static, E> {
        Epilogue {
            scale: E::ONE,
            bias: Bias::None,
            activation: Activation::Identity,
            residual: None,
            then: None,
            skips_store: false,
            borrowed: PhantomData,
        }
    }
}

impl<'a, E: Element> Epilogue<'a, E> {
    /// Multiplies the sums by a number.
    pub fn scale(self, scale: E) -> Epilogue<'a, E> {
        Epilogue { scale, ..self }
    }

    /// Adds `bias[n]` to column n.
    pub fn column_bias<'b>(self, bias: &'b [E]) -> Epilogue<'b, E>
    where
        'a: 'b,
    {
        Epilogue { bias: Bias::Columns(bias.as_ptr(), bias.len()), ..self }
    }

    /// Adds `bias[m]` to row m.
    pub fn row_bias<'b>(self, bias: &'b [E]) -> Epilogue<'b, E>
    where
        'a: 'b,
    {
        Epilogue { bias: Bias::Rows(bias.as_ptr(), bias.len()), ..self }
    }

    /// Applies a function to each element.
    pub fn activation(self, activation: Activation) -> Epilogue<'a, E> {
        Epilogue { activation, ..self }
    }

    /// Combines the result with an m×n matrix. Its rows are `row_step` apart, and its batches are laid out as the shape says.
    pub fn residual<'b>(self, join: Join, data: &'b [E], row_step: usize) -> Epilogue<'b, E>
    where
        'a: 'b,
    {
        let residual = Residual { start: data.as_ptr(), len: Some(data.len()), row_step, join };
        Epilogue { residual: Some(residual), ..self }
    }

    /// Like [`residual`](Epilogue::residual), for a matrix that may be C itself: each element is read before it is written.
    ///
    /// # Safety
    /// While the product runs, `start` is valid for reads of the m×n elements of every batch at these steps. The matrix either has the
    /// address and the steps of C or does not overlap C.
    pub unsafe fn residual_at(self, join: Join, start: *const E, row_step: usize) -> Epilogue<'a, E> {
        Epilogue { residual: Some(Residual { start, len: None, row_step, join }), ..self }
    }

    /// Calls a function with every finished piece of a row, from any thread and in any order. The pieces cover C exactly once; how C is
    /// divided into them is not specified.
    pub fn then<'b>(self, function: &'b Then<'b, E>) -> Epilogue<'b, E>
    where
        'a: 'b,
    {
        Epilogue { then: Some(function), ..self }
    }

    /// Passes every finished piece of a row to a function instead of writing C, for elements of another type or in another layout.
    /// Otherwise like [`then`](Epilogue::then).
    pub fn instead_of_store<'b>(self, function: &'b Then<'b, E>) -> Epilogue<'b, E>
    where
        'a: 'b,
    {
        Epilogue { then: Some(function), skips_store: true, ..self }
    }

    /// Returns whether C is the product itself.
    pub(super) fn is_none(&self) -> bool {
        self.scale == E::ONE
            && matches!(self.bias, Bias::None)
            && self.activation == Activation::Identity
            && self.residual.is_none()
            && self.then.is_none()
    }
}

impl<E: Element> fmt::Debug for Epilogue<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Epilogue")
            .field("scale", &self.scale)
            .field("bias", &self.bias)
            .field("activation", &self.activation)
            .field("residual", &self.residual)
            .field("then", &self.then.is_some())
            .finish()
    }
}

/// A tile of sums and where it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums<E> {
    pub from: *const E,
    pub from_step: usize,
    pub to: *mut E,
    pub to_step: usize,
    pub rows: usize,
    pub columns: usize,
    /// Index of the product in the batch.
    pub batch: usize,
    /// Position of the tile in C.
    pub row: usize,
    pub column: usize,
    /// Where the residual of this product begins.
    pub residual_offset: usize,
}

/// Approximate picoseconds that [`apply`] takes per element.
const PICOSECONDS: u64 = 400;

/// An epilogue that threads share.
struct SharedEpilogue<'a, E>(&'a Epilogue<'a, E>);

// SAFETY: what an epilogue points to is only read, and its function is `Sync`.
unsafe impl<E: Element> Sync for SharedEpilogue<'_, E> {}

/// Finishes sums that are stored in C: `rows` rows of `columns` elements, without gaps.
///
/// # Safety
/// C is valid for all of them and nobody else uses it; the epilogue's operands cover it.
pub unsafe fn apply<E: Element>(
    epilogue: &Epilogue<'_, E>,
    (cpu, pool): (Cpu, &Pool),
    c: *mut E,
    [rows, columns]: [usize; 2],
) {
    let (c, shared) = (SharedPtr::new(c), SharedEpilogue(epilogue));
    let nanoseconds = (rows as u64).saturating_mul(columns as u64).saturating_mul(PICOSECONDS) / 1_000;
    pool.run_ranges(nanoseconds, rows, 1, |range| {
        let shared = &shared;
        let start = c.add(range.start * columns);
        let sums = Sums {
            from: start.cast_const(),
            from_step: columns,
            to: start,
            to_step: columns,
            rows: range.len(),
            columns,
            batch: 0,
            row: range.start,
            column: 0,
            residual_offset: 0,
        };
        E::finish(cpu, Finish { epilogue: shared.0, sums });
    });
}

/// [`finish`] as a kernel. The code that creates it vouches for the requirements of [`finish`].
pub struct Finish<'a, E> {
    pub(super) epilogue: &'a Epilogue<'a, E>,
    pub(super) sums: Sums<E>,
}

impl<E: Element> Kernel for Finish<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, token: S) {
        // SAFETY: the code that made the kernel vouched for the sums and the operands.
        unsafe { finish(token, self.epilogue, &self.sums) };
    }
}

/// Finishes a tile: reads sums, writes C.
///
/// # Safety
/// `sums.from` and `sums.to` are valid for `rows`×`columns` elements, and the epilogue's operands cover the tile. The two may
/// overlap only where both have the same element at the same address.
#[inline(always)]
pub(super) unsafe fn finish<S: Simd, E: Element>(token: S, epilogue: &Epilogue<'_, E>, sums: &Sums<E>) {
    macro_rules! by_activation {
        ($($activation:ident)*) => {
            match epilogue.activation {
                // SAFETY: the caller vouches for the sums and for operands that cover the tile; `rows` finishes the whole tile.
                $(Activation::$activation => unsafe {
                    rows(token, epilogue, sums, Activation::$activation)
                },)*
            }
        };
    }
    // One loop for each activation, so the choice is made once per tile and not once per vector.
    by_activation!(Identity Relu Gelu GeluTanh Silu Tanh Sigmoid);
}

/// # Safety
/// As for [`finish`].
#[inline(always)]
unsafe fn rows<S: Simd, E: Element>(
    token: S,
    epilogue: &Epilogue<'_, E>,
    sums: &Sums<E>,
    activation: Activation,
) {
    let lanes = E::Vec::<S>::LANES;
    let scale = <E::Vec<S> as Vector>::splat(token, epilogue.scale);
    for row in 0..sums.rows {
        // SAFETY: the caller vouches for the sums, C and the epilogue's operands in this tile.
        unsafe {
            let (from, to) = (sums.from.add(row * sums.from_step), sums.to.add(row * sums.to_step));
            for at in (0..sums.columns).step_by(lanes) {
                let count = (sums.columns - at).min(lanes);
                let sum = load_first::<S, E>(token, from.add(at), count);
                let mut x = match epilogue.bias {
                    Bias::None => sum * scale,
                    Bias::Columns(bias, _) => {
                        let bias = load_first::<S, E>(token, bias.add(sums.column + at), count);
                        sum.mul_add(scale, bias)
                    }
                    Bias::Rows(bias, _) => {
                        let bias = E::Vec::<S>::splat(token, *bias.add(sums.row + row));
                        sum.mul_add(scale, bias)
                    }
                };
                match epilogue.residual {
                    None => x = E::activate(token, activation, x),
                    Some(residual) => {
                        let offset = (sums.row + row) * residual.row_step + sums.column + at;
                        let other = residual.start.add(sums.residual_offset + offset);
                        let other = load_first::<S, E>(token, other, count);
                        x = match residual.join {
                            Join::AddBefore => E::activate(token, activation, x + other),
                            Join::AddAfter => E::activate(token, activation, x) + other,
                            Join::MultiplyAfter => E::activate(token, activation, x) * other,
                        };
                    }
                }
                if count == lanes {
                    x.store(to.add(at));
                } else {
                    x.store_partial(to.add(at), count);
                }
            }
            if let Some(then) = epilogue.then {
                let elements = std::slice::from_raw_parts_mut(to, sums.columns);
                let (row, column) = (sums.row + row, sums.column);
                then(Piece { batch: sums.batch, row, column, elements });
            }
        }
    }
}

/// Reads the first `count` lanes.
///
/// # Safety
/// `count` is at most the number of lanes, and `start` is valid for `count` elements.
#[inline(always)]
unsafe fn load_first<S: Simd, E: Element>(token: S, start: *const E, count: usize) -> E::Vec<S> {
    // SAFETY: the caller vouches for `start`.
    unsafe {
        if count == E::Vec::<S>::LANES {
            E::Vec::<S>::load(token, start)
        } else {
            E::Vec::<S>::load_partial(token, start, count)
        }
    }
}
