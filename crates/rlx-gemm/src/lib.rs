//! Matrix products `C = epilogue(A·B)` of `f32` and `f64` on slices.
//!
//! One blocked algorithm computes all of them: rows of A are packed into blocks that fit the second-level cache, and columns of B into
//! panels that are as wide as a register tile, which then runs over K. Instruction sets differ in the size of the tile and in the vector
//! type.
//!
//! An element of C is computed on one thread, as chains of multiply-adds over runs of increasing k, whose sums are then added (`tile`).
//! Where the runs begin depends only on K, so a result depends neither on the number of threads nor on how the product is divided. It does
//! depend on the instruction set: the baseline rounds a multiply-add twice. NaN and infinities follow IEEE 754; nothing is skipped.
//!
//! There are two exceptions:
//!
//! - On a processor with a matrix unit (AMX), large products of `f32` use it (`unit`). Its sums are equally exact but added in another
//!   order. Which products use it depends only on their sizes, so rows of a small product may differ in bits from the same rows of a large
//!   one.
//! - If the program is built with a BLAS library, the library computes large products of operands in memory, with the same epilogue
//!   (`library`). The order of sums is then up to the library.
//!
//! A product is planned once ([`Gemm::new`]) and can run many times ([`Gemm::run`]). A run allocates nothing.

pub mod buffer;
mod compiled;
mod element;
mod epilogue;
mod error;
mod execute;
mod library;
pub mod pack;
mod packed;
mod plan;
mod rows;
mod shape;
#[cfg(test)]
mod tests;
pub mod tile;
#[cfg(target_arch = "x86_64")]
mod unit;
#[cfg(not(target_arch = "x86_64"))]
#[path = "no_unit.rs"]
mod unit;

pub use element::{Element, Narrow};
pub use epilogue::{Activation, Epilogue, Join, Piece, Then, apply};
pub use error::GemmError;
pub use library::name as library_name;
pub use packed::{PackedB, PanelLayout};
pub use plan::part;
pub use rows::{LhsAt, Rows};
pub use shape::{BatchDim, GemmShape, RhsForm, Steps};

use std::marker::PhantomData;

use rlx_pool::Pool;
use rlx_simd::isa::{Cpu, Isa};

use buffer::{LINE, whole_lines};
use epilogue::Bias;
use execute::{Launch, RhsSource, RunTask, pack_panels};
use packed::Panels;
use plan::Blocking;
use shape::Extents;
use tile::TileSize;

/// More threads than any pool has, and few enough that the size of all their scratch memory does not overflow.
const MOST_THREADS: usize = 1 << 16;

/// The right-hand side of a product.
#[derive(Clone, Copy, Debug)]
pub enum Rhs<'a, E: Element> {
    /// Elements at the steps that the shape gives.
    Strided(&'a [E]),
    /// 16-bit floats at the steps that the shape gives.
    Narrow(Narrow, &'a [u16]),
    /// A packed matrix.
    Packed(&'a PackedB<E>),
}

/// The right-hand side of a product, as pointers.
#[derive(Clone, Copy)]
pub enum RhsAt<'a, E: Element> {
    /// Elements at the steps that the shape gives.
    Strided(*const E),
    /// 16-bit floats at the steps that the shape gives.
    Narrow(Narrow, *const u16),
    /// Rows that a function provides.
    Rows(&'a dyn Rows<E>),
    /// A packed matrix.
    Packed(&'a PackedB<E>),
}

/// A planned product.
#[derive(Clone, Debug)]
pub struct Gemm<E> {
    cpu: Cpu,
    shape: GemmShape,
    extents: Extents,
    blocking: Blocking,
    /// How the product is divided when B is packed as bf16, if the matrix unit can compute it only in that case.
    bf16: Option<Blocking>,
    threads: usize,
    /// How a BLAS library computes the product, if it does.
    blas: Option<library::BlasPlan>,
    element: PhantomData<E>,
}

impl<E: Element> Gemm<E> {
    /// Plans a product for up to `threads` threads; a number above 65,536 counts as 65,536.
    pub fn new(cpu: Cpu, shape: GemmShape, threads: usize) -> Result<Gemm<E>, GemmError> {
        let extents = shape.extents()?;
        shape.check()?;
        let (batches, threads) = (shape.batches()?, threads.clamp(1, MOST_THREADS));
        let tile = TileSize::of::<E>(cpu);
        let blocking = |unit| Blocking::new(cpu, &shape, tile, batches, size_of::<E>(), threads, unit);
        let unit = |bf16| cpu.isa() == Isa::Amx && unit::takes::<E>(&shape, bf16);
        let bf16 = (shape.b == RhsForm::Packed && !unit(false) && unit(true)).then(|| blocking(true));
        let blocking = blocking(unit(false));
        let blas = if library::BUILT_IN { library::BlasPlan::new(&shape) } else { None };
        Ok(Gemm { cpu, shape, extents, blocking, bf16, threads, blas, element: PhantomData })
    }

    /// Returns the shape of the product.
    pub fn shape(&self) -> &GemmShape {
        &self.shape
    }

    /// Returns whether a BLAS library computes the product, provided that A and B are given as elements, C takes the result, and no
    /// residual has the address of C.
    pub fn is_for_library(&self) -> bool {
        self.blas.is_some()
    }

    /// Returns whether the matrix unit computes the product, whatever B is packed as.
    pub fn is_for_unit(&self) -> bool {
        self.blocking.unit || self.bf16.is_some()
    }

    /// Returns the bytes of scratch memory that a run needs, at any alignment.
    pub fn scratch_bytes(&self) -> usize {
        self.threads * self.bytes_per_thread() + self.whole_b_bytes() + LINE
    }

    fn bytes_per_thread(&self) -> usize {
        let m = self.shape.m;
        let bytes = |blocking: &Blocking| match blocking.unit {
            true => unit::bytes_per_thread(blocking, &self.shape),
            false => blocking.bytes_per_thread(m, size_of::<E>()),
        };
        bytes(&self.blocking).max(self.bf16.as_ref().map_or(0, bytes))
    }

    /// Bytes of a packed B that all threads share.
    fn whole_b_bytes(&self) -> usize {
        let len = if self.blocking.whole_b { self.layout().len().unwrap_or(0) } else { 0 };
        whole_lines(len * size_of::<E>())
    }

    fn layout(&self) -> PanelLayout {
        PanelLayout { k: self.shape.k, n: self.shape.n, tile: self.blocking.tile }
    }

    /// Computes `C = epilogue(A·B)`.
    ///
    /// `a`, `b` and `c` begin at the first element of their first matrix and are at least as long as the shape reaches. Elements of `c`
    /// between its rows are not changed. The contents of `scratch` before and after the run have no meaning.
    pub fn run(
        &self,
        pool: &Pool,
        a: &[E],
        b: Rhs<'_, E>,
        c: &mut [E],
        epilogue: &Epilogue<'_, E>,
        scratch: &mut [u8],
    ) -> Result<(), GemmError> {
        longer("A", a.len(), self.extents.a)?;
        longer("C", c.len(), self.extents.c)?;
        let b = match b {
            Rhs::Strided(b) => {
                longer("B", b.len(), self.extents.b)?;
                RhsAt::Strided(b.as_ptr())
            }
            Rhs::Narrow(form, b) => {
                longer("B", b.len(), self.extents.b)?;
                RhsAt::Narrow(form, b.as_ptr())
            }
            Rhs::Packed(b) => RhsAt::Packed(b),
        };
        // SAFETY: the slices are long enough and, as borrowed, do not overlap.
        unsafe { self.run_at(pool, LhsAt::Strided(a.as_ptr()), b, c.as_mut_ptr(), epilogue, scratch) }
    }

    /// Like [`run`](Gemm::run), with pointers.
    ///
    /// # Safety
    /// `a`, `b` and `c` are valid for the elements that the shape reaches, and C overlaps neither A nor B nor a bias. With an epilogue that
    /// replaces the store, there are no requirements on `c`.
    pub unsafe fn run_at(
        &self,
        pool: &Pool,
        a: LhsAt<'_, E>,
        b: RhsAt<'_, E>,
        c: *mut E,
        epilogue: &Epilogue<'_, E>,
        scratch: &mut [u8],
    ) -> Result<(), GemmError> {
        let needed = self.scratch_bytes();
        if scratch.len() < needed {
            return Err(GemmError::ScratchTooSmall { needed, got: scratch.len() });
        }
        if pool.threads() > self.threads {
            return Err(GemmError::TooManyThreads { planned: self.threads, got: pool.threads() });
        }
        self.check_epilogue(epilogue)?;
        // Skips less than a cache line, for which `scratch_bytes` leaves room.
        let scratch = scratch.as_mut_ptr().wrapping_add(scratch.as_ptr().align_offset(LINE));
        let b = self.source(b)?;
        let blocking = match (&self.bf16, b) {
            (Some(bf16), RhsSource::Packed(Panels::Narrow(Narrow::Bf16, _))) => bf16,
            _ => &self.blocking,
        };
        let mut launch = Launch {
            shape: &self.shape,
            blocking,
            a,
            b,
            c,
            epilogue,
            scratch,
            bytes_per_thread: self.bytes_per_thread(),
        };
        if let Some(cut) = self.blas.filter(|cut| cut.takes(&launch)) {
            // SAFETY: the caller vouches for the operands, which the library accepts.
            unsafe { cut.run(pool, self.cpu, &launch) };
            return Ok(());
        }
        if blocking.whole_b && !matches!(b, RhsSource::Packed(_)) {
            let target = scratch.wrapping_add(self.threads * self.bytes_per_thread()).cast::<E>();
            // SAFETY: the caller vouches for B, and the scratch memory has room for it.
            unsafe { pack_panels(pool, self.cpu, b, self.layout(), target) };
            launch.b = RhsSource::Packed(Panels::Native(target));
        }
        // SAFETY: the scratch memory has room for `threads` threads, and no task runs yet.
        unsafe { launch.reset(self.threads) };
        pool.run_if_worth(blocking.nanoseconds, blocking.tasks(), |task| {
            E::run_task(self.cpu, RunTask { launch: &launch, task: task.index, worker: task.worker });
        });
        Ok(())
    }

    fn source<'a>(&self, b: RhsAt<'a, E>) -> Result<RhsSource<'a, E>, GemmError> {
        let given = match b {
            RhsAt::Strided(_) => "strided",
            RhsAt::Narrow(..) => "16-bit floats",
            RhsAt::Rows(_) => "rows",
            RhsAt::Packed(_) => "packed",
        };
        match (self.shape.b, b) {
            (RhsForm::Rows, RhsAt::Rows(rows)) => Ok(RhsSource::Rows(rows)),
            (RhsForm::Strided(steps), RhsAt::Strided(b)) => Ok(RhsSource::Strided(b, steps)),
            (RhsForm::Narrow(steps), RhsAt::Narrow(form, b)) => Ok(RhsSource::Narrow(form, b, steps)),
            (RhsForm::Packed, RhsAt::Packed(b)) => Ok(RhsSource::Packed(b.panels(&self.shape, self.cpu)?)),
            (RhsForm::Strided(_), _) => Err(GemmError::WrongForm { planned: "strided", given }),
            (RhsForm::Packed, _) => Err(GemmError::WrongForm { planned: "packed", given }),
            (RhsForm::Narrow(_), _) => Err(GemmError::WrongForm { planned: "16-bit floats", given }),
            (RhsForm::Rows, _) => Err(GemmError::WrongForm { planned: "rows", given }),
        }
    }

    fn check_epilogue(&self, epilogue: &Epilogue<'_, E>) -> Result<(), GemmError> {
        match epilogue.bias {
            Bias::None => {}
            Bias::Columns(_, len) => longer("the column bias", len, self.shape.n)?,
            Bias::Rows(_, len) => longer("the row bias", len, self.shape.m)?,
        }
        if let Some(residual) = epilogue.residual {
            let needed = self.shape.residual_extent(residual.row_step)?;
            longer("the residual", residual.len.unwrap_or(needed), needed)?;
        }
        Ok(())
    }
}

fn longer(operand: &'static str, got: usize, needed: usize) -> Result<(), GemmError> {
    if got < needed { Err(GemmError::TooShort { operand, needed, got }) } else { Ok(()) }
}
