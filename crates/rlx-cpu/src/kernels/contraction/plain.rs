//! Contractions by plain loops, for the element types that have no blocked product.

use super::element::Element;
use super::layout::{MatrixOperand, Product, Strides, copy_permuted};
use crate::exec::{Cx, OpKernel, RunError};
use rlx_compile::memory::Needs;
use std::marker::PhantomData;

/// Rows that one task computes.
const ROWS: usize = 8;
/// A product takes about this many nanoseconds.
const NANOSECONDS_A_PRODUCT: f64 = 0.5;

/// `dot_general` on elements of type `T`.
pub(crate) struct Plain<T> {
    product: Product,
    lhs_elements: usize,
    rhs_elements: usize,
    element: PhantomData<T>,
}

impl<T> Plain<T> {
    pub(crate) fn new(product: Product, lhs_elements: usize, rhs_elements: usize) -> Plain<T> {
        Plain { product, lhs_elements, rhs_elements, element: PhantomData }
    }
}

/// The operand itself, or its copy in `scratch`; and what is left of `scratch`.
fn arranged<'a, T: Element>(
    operand: &MatrixOperand,
    source: &'a [T],
    scratch: &'a mut [T],
) -> (&'a [T], &'a mut [T]) {
    match operand {
        MatrixOperand::Strided(_) => (source, scratch),
        MatrixOperand::Permuted { sizes, strides, .. } => {
            let (copy, rest) = scratch.split_at_mut(source.len());
            copy_permuted(source, sizes, strides, copy);
            (copy, rest)
        }
    }
}

impl<T: Element> OpKernel for Plain<T> {
    fn needs(&self) -> Needs {
        let copies = |operand: &MatrixOperand, n: usize| if operand.is_permuted() { n } else { 0 };
        let elements =
            copies(&self.product.lhs, self.lhs_elements) + copies(&self.product.rhs, self.rhs_elements);
        Needs { scratch_bytes: elements * size_of::<T>(), in_place: Vec::new() }
    }

    fn run(&self, cx: &Cx<'_>) -> Result<(), RunError> {
        let p = &self.product;
        let scratch: &mut [T] = cx.scratch();
        let (lhs, scratch) = arranged(&p.lhs, cx.input::<T>(0), scratch);
        let (rhs, _) = arranged(&p.rhs, cx.input::<T>(1), scratch);
        let out = cx.output::<T>(0);
        if out.is_empty() {
            return Ok(());
        }
        let (ls, rs) = (p.lhs.strides(), p.rhs.strides());
        let rows = p.batch * p.m;
        let target = SharedRows { start: out.as_mut_ptr(), width: p.n };
        let work = (rows as f64 * p.k as f64 * p.n as f64 * NANOSECONDS_A_PRODUCT) as u64;
        cx.pool.run_ranges(work, rows, ROWS, |range| {
            for row in range {
                // SAFETY: tasks get disjoint ranges of rows.
                let line = unsafe { target.row(row) };
                product_row(line, row / p.m, row % p.m, p.k, (lhs, ls), (rhs, rs));
            }
        });
        Ok(())
    }
}

/// One row of the result: products are added in the order of the contracting axis.
fn product_row<T: Element>(
    line: &mut [T],
    batch: usize,
    row: usize,
    k: usize,
    (lhs, ls): (&[T], Strides),
    (rhs, rs): (&[T], Strides),
) {
    line.fill(T::ZERO);
    for i in 0..k {
        let a = lhs[batch * ls.batch + row * ls.row + i * ls.column];
        let start = batch * rs.batch + i * rs.row;
        if rs.column == 1 {
            line.iter_mut().zip(&rhs[start..]).for_each(|(c, &b)| *c = c.mul_add(a, b));
        } else {
            line.iter_mut().enumerate().for_each(|(j, c)| *c = c.mul_add(a, rhs[start + j * rs.column]));
        }
    }
}

/// The rows of a result, shared between tasks.
struct SharedRows<T> {
    start: *mut T,
    width: usize,
}

// SAFETY: tasks take disjoint rows.
unsafe impl<T: Send> Sync for SharedRows<T> {}

impl<T> SharedRows<T> {
    /// # Safety
    /// The row exists, and nobody else has it.
    #[allow(clippy::mut_from_ref)]
    unsafe fn row(&self, row: usize) -> &mut [T] {
        // SAFETY: by the contract.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(row * self.width), self.width) }
    }
}
