//! Products of tensors.

use super::{ArrayType, Declined, Site, Step, movement, step, types};
use crate::launch::Launch;
use rlx_ir::Op;
use rlx_mlx_sys::{Array, Binary, Combine, ElementType, MlxError, Slices};

/// The most products that are held at a time where sums of products are made of them.
const MAX_PRODUCTS: usize = 1 << 22;

/// Which axes of two tensors run together, are summed, or stay.
#[derive(Clone, Debug)]
pub(super) struct Axes {
    pub(super) lhs_batch: Vec<usize>,
    pub(super) rhs_batch: Vec<usize>,
    pub(super) lhs_contract: Vec<usize>,
    pub(super) rhs_contract: Vec<usize>,
}

/// A product as one of matrices.
#[derive(Clone, Debug)]
pub(super) struct Product {
    lhs_order: Vec<usize>,
    rhs_order: Vec<usize>,
    /// [batch …, rows …, contracted]; rows are one axis where there is a batch.
    lhs_dims: Vec<usize>,
    /// [batch …, contracted, columns].
    rhs_dims: Vec<usize>,
    /// [batch …, rows, columns] as it is wanted.
    dims: Vec<usize>,
    element: ElementType,
    /// Whether nothing is summed.
    is_empty: bool,
}

fn free(rank: usize, batch: &[usize], contract: &[usize]) -> Vec<usize> {
    (0..rank).filter(|axis| !batch.contains(axis) && !contract.contains(axis)).collect()
}

fn picked(dims: &[usize], axes: &[usize]) -> Vec<usize> {
    axes.iter().map(|&axis| dims[axis]).collect()
}

fn product(dims: &[usize]) -> usize {
    dims.iter().product()
}

impl Product {
    pub(super) fn new(lhs: &[usize], rhs: &[usize], axes: &Axes, dims: &[usize], element: ElementType) -> Product {
        let rows = free(lhs.len(), &axes.lhs_batch, &axes.lhs_contract);
        let columns = free(rhs.len(), &axes.rhs_batch, &axes.rhs_contract);
        let contracted = product(&picked(lhs, &axes.lhs_contract));
        let mut lhs_dims = picked(lhs, &axes.lhs_batch);
        let mut rhs_dims = picked(rhs, &axes.rhs_batch);
        // MLX multiplies any leading axes with one matrix.
        if lhs_dims.is_empty() && rows.len() > 1 {
            lhs_dims.extend(picked(lhs, &rows));
        } else {
            lhs_dims.push(product(&picked(lhs, &rows)));
        }
        lhs_dims.push(contracted);
        rhs_dims.extend([contracted, product(&picked(rhs, &columns))]);
        Product {
            lhs_order: [&axes.lhs_batch[..], &rows, &axes.lhs_contract].concat(),
            rhs_order: [&axes.rhs_batch[..], &axes.rhs_contract, &columns].concat(),
            lhs_dims,
            rhs_dims,
            dims: dims.to_vec(),
            element,
            is_empty: contracted == 0,
        }
    }

    fn arranged(cx: &Launch<'_>, x: &Array, order: &[usize], dims: &[usize]) -> Result<Array, MlxError> {
        let x = if order.iter().enumerate().all(|(i, &o)| i == o) { x.clone() } else { cx.transpose(x, order)? };
        if x.dims() == dims { Ok(x) } else { cx.reshape(&x, dims) }
    }

    pub(super) fn apply(&self, cx: &Launch<'_>, lhs: &Array, rhs: &Array) -> Result<Array, MlxError> {
        if self.is_empty {
            return cx.full(&self.dims, &movement::zero(cx, self.element)?);
        }
        let widest = lhs.element_type().size().max(rhs.element_type().size());
        let a = types::converted(cx, lhs, self.element)?;
        let b = types::converted(cx, rhs, self.element)?;
        let a = Self::arranged(cx, &a, &self.lhs_order, &self.lhs_dims)?;
        let b = Self::arranged(cx, &b, &self.rhs_order, &self.rhs_dims)?;
        let made = match self.element.integer() {
            // Sums of products of 16 bits are whole numbers that f64 has.
            Some(_) if widest <= 2 && cx.is_cpu() => {
                let wide = |x: &Array| cx.astype(x, ElementType::F64);
                let sums = cx.binary(Binary::Matmul, &wide(&a)?, &wide(&b)?)?;
                cx.astype(&cx.astype(&sums, ElementType::I64)?, self.element)?
            }
            Some(_) => self.summed(cx, &a, &b)?,
            None if self.element == ElementType::Bool => {
                let count = |x: &Array| cx.astype(x, ElementType::F32);
                let some = cx.binary(Binary::Matmul, &count(&a)?, &count(&b)?)?;
                cx.binary(Binary::Greater, &some, &cx.number_like(0, &some)?)?
            }
            None => cx.binary(Binary::Matmul, &a, &b)?,
        };
        if made.dims() == self.dims { Ok(made) } else { cx.reshape(&made, &self.dims) }
    }

    /// Sums of products, a part of the contracted axis at a time: MLX has no products of matrices of integers.
    fn summed(&self, cx: &Launch<'_>, a: &Array, b: &Array) -> Result<Array, MlxError> {
        let (n, columns) = (self.rhs_dims.len(), self.rhs_dims[self.rhs_dims.len() - 1]);
        let (m, contracted) = (self.lhs_dims.len(), self.lhs_dims[self.lhs_dims.len() - 1]);
        let outer = product(&self.lhs_dims[..m - 1]) * columns;
        let part = (MAX_PRODUCTS / outer.max(1)).clamp(1, contracted);
        let mut total: Option<Array> = None;
        for start in (0..contracted).step_by(part) {
            let stop = (start + part).min(contracted);
            let cut = |x: &Array, axis: usize, dims: &[usize]| {
                let mut slices = Slices::default();
                dims.iter().enumerate().for_each(|(i, &d)| {
                    let (from, to) = if i == axis { (start, stop) } else { (0, d) };
                    slices.push(from, to, 1);
                });
                cx.slice(x, &slices)
            };
            let a = cut(a, m - 1, &self.lhs_dims)?;
            let b = cut(b, n - 2, &self.rhs_dims)?;
            let mut spread = a.dims();
            spread.push(1);
            let mut over = b.dims();
            over.insert(n - 2, 1);
            let products = cx.binary(Binary::Multiply, &cx.reshape(&a, &spread)?, &cx.reshape(&b, &over)?)?;
            let axis = products.dims().len() - 2;
            let sum = cx.astype(&cx.reduce(Combine::Sum, &products, &[axis])?, self.element)?;
            total = Some(match total {
                Some(total) => cx.binary(Binary::Add, &total, &sum)?,
                None => sum,
            });
        }
        total.ok_or_else(|| MlxError::Argument("nothing is summed".into()))
    }
}

pub(super) fn dot_general(site: &Site<'_>) -> Result<Step, Declined> {
    let Op::DotGeneral { lhs_batch, rhs_batch, lhs_contract, rhs_contract, .. } = site.op else {
        return site.decline("here");
    };
    let axes = Axes {
        lhs_batch: lhs_batch.clone(),
        rhs_batch: rhs_batch.clone(),
        lhs_contract: lhs_contract.clone(),
        rhs_contract: rhs_contract.clone(),
    };
    let ArrayType { dims, element } = site.result();
    let product = Product::new(&site.x().dims, &site.operands[1].dims, &axes, dims, *element);
    step(move |cx, x| product.apply(cx, x[0], x[1]))
}

/// For each of `rows` rows the number of the run that it is in, by the lengths of the runs; those behind the last run are in it.
pub(super) fn run_of_rows(cx: &Launch<'_>, lengths: &Array, rows: usize) -> Result<Array, MlxError> {
    let ends = cx.cumulative(Combine::Sum, &cx.astype(lengths, ElementType::I32)?, 0, false, true)?;
    let ends = cx.reshape(&ends, &[1, lengths.len()])?;
    let numbers = cx.arange(0, i64::try_from(rows).unwrap_or(i64::MAX), ElementType::I32)?;
    let numbers = cx.reshape(&numbers, &[rows, 1])?;
    let behind = cx.binary(Binary::GreaterEqual, &numbers, &ends)?;
    cx.reduce(Combine::Sum, &cx.astype(&behind, ElementType::I32)?, &[1])
}

/// Rows that are in a run, the others as zeros.
pub(super) fn of_runs(cx: &Launch<'_>, made: &Array, run: &Array, runs: usize) -> Result<Array, MlxError> {
    let count = cx.number_like(i32::try_from(runs).unwrap_or(i32::MAX), run)?;
    let inside = cx.reshape(&cx.binary(Binary::Less, run, &count)?, &[run.len(), 1])?;
    cx.select(&inside, made, &cx.number_like(0, made)?)
}

/// Rows of lhs times the matrix of the run that they are in.
pub(super) fn ragged_dot(site: &Site<'_>) -> Result<Step, Declined> {
    let (lhs, rhs, element) = (site.x().dims.clone(), site.operands[1].dims.clone(), site.result().element);
    if !matches!(element, ElementType::F32 | ElementType::F16 | ElementType::BF16) {
        return site.decline(&format!("of {element:?}"));
    }
    if lhs.len() != 2 || rhs.len() != 3 || rhs.contains(&0) {
        return site.decline("of these shapes");
    }
    let [rows, inner] = [lhs[0], lhs[1]];
    step(move |cx, x| {
        let run = run_of_rows(cx, x[2], rows)?;
        // MLX has these products of f32 alone.
        let (a, b) = (cx.astype(x[0], ElementType::F32)?, cx.astype(x[1], ElementType::F32)?);
        let a = cx.reshape(&a, &[rows, 1, inner])?;
        let made = cx.gather_mm(&a, &b, &run, true)?;
        let made = of_runs(cx, &cx.reshape(&made, &[rows, rhs[2]])?, &run, rhs[0])?;
        cx.astype(&made, element)
    })
}
