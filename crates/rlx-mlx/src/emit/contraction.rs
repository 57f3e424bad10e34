//! Products of tensors.

use super::{ArrayType, Declined, Site, Step, movement, step, types};
use crate::launch::Launch;
use rlx_ir::{DotDims, Op};
use rlx_mlx_sys::{Binary, Combine, ElementType, MlxArray, MlxError, Slices};

/// Maximum number of products that are in memory at a time when sums of products are computed from them.
const MAX_PRODUCTS: usize = 1 << 22;

/// A product expressed as a product of matrices.
#[derive(Clone, Debug)]
pub(super) struct MatrixProduct {
    lhs_order: Vec<usize>,
    rhs_order: Vec<usize>,
    /// [batch …, rows …, contracted]. If there is a batch, the rows are one axis.
    lhs_dims: Vec<usize>,
    /// [batch …, contracted, columns].
    rhs_dims: Vec<usize>,
    /// The requested form of [batch …, rows, columns].
    dims: Vec<usize>,
    element: ElementType,
    /// Whether nothing is summed.
    is_empty: bool,
}

fn picked(dims: &[usize], axes: &[usize]) -> Vec<usize> {
    axes.iter().map(|&axis| dims[axis]).collect()
}

fn product(dims: &[usize]) -> usize {
    dims.iter().product()
}

impl MatrixProduct {
    pub(super) fn new(
        lhs: &[usize],
        rhs: &[usize],
        axes: &DotDims,
        dims: &[usize],
        element: ElementType,
    ) -> MatrixProduct {
        let [rows, columns] = axes.free(lhs.len(), rhs.len());
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
        MatrixProduct {
            lhs_order: [&axes.lhs_batch[..], &rows, &axes.lhs_contract].concat(),
            rhs_order: [&axes.rhs_batch[..], &axes.rhs_contract, &columns].concat(),
            lhs_dims,
            rhs_dims,
            dims: dims.to_vec(),
            element,
            is_empty: contracted == 0,
        }
    }

    fn arranged(
        cx: &Launch<'_>,
        x: &MlxArray,
        order: &[usize],
        dims: &[usize],
    ) -> Result<MlxArray, MlxError> {
        let x =
            if order.iter().enumerate().all(|(i, &o)| i == o) { x.clone() } else { cx.transpose(x, order)? };
        if x.dims() == dims { Ok(x) } else { cx.reshape(&x, dims) }
    }

    pub(super) fn apply(
        &self,
        cx: &Launch<'_>,
        lhs: &MlxArray,
        rhs: &MlxArray,
    ) -> Result<MlxArray, MlxError> {
        if self.is_empty {
            return cx.full(&self.dims, &movement::zero(cx, self.element)?);
        }
        let widest = lhs.element_type().size().max(rhs.element_type().size());
        let a = types::converted(cx, lhs, self.element)?;
        let b = types::converted(cx, rhs, self.element)?;
        let a = Self::arranged(cx, &a, &self.lhs_order, &self.lhs_dims)?;
        let b = Self::arranged(cx, &b, &self.rhs_order, &self.rhs_dims)?;
        let made = match self.element.integer() {
            // Sums of products of 16-bit integers are integers that f64 represents exactly.
            Some(_) if widest <= 2 && cx.is_cpu() => {
                let wide = |x: &MlxArray| cx.astype(x, ElementType::F64);
                let sums = cx.binary(Binary::Matmul, &wide(&a)?, &wide(&b)?)?;
                cx.astype(&cx.astype(&sums, ElementType::I64)?, self.element)?
            }
            Some(_) => self.summed(cx, &a, &b)?,
            None if self.element == ElementType::Bool => {
                let count = |x: &MlxArray| cx.astype(x, ElementType::F32);
                let some = cx.binary(Binary::Matmul, &count(&a)?, &count(&b)?)?;
                cx.binary(Binary::Greater, &some, &cx.number_like(0, &some)?)?
            }
            None => cx.binary(Binary::Matmul, &a, &b)?,
        };
        if made.dims() == self.dims { Ok(made) } else { cx.reshape(&made, &self.dims) }
    }

    /// Computes sums of products for one part of the contracted axis at a time, because MLX has no products of integer matrices.
    fn summed(&self, cx: &Launch<'_>, a: &MlxArray, b: &MlxArray) -> Result<MlxArray, MlxError> {
        let (n, columns) = (self.rhs_dims.len(), self.rhs_dims[self.rhs_dims.len() - 1]);
        let (m, contracted) = (self.lhs_dims.len(), self.lhs_dims[self.lhs_dims.len() - 1]);
        let outer = product(&self.lhs_dims[..m - 1]) * columns;
        let part = (MAX_PRODUCTS / outer.max(1)).clamp(1, contracted);
        let mut total: Option<MlxArray> = None;
        for start in (0..contracted).step_by(part) {
            let stop = (start + part).min(contracted);
            let cut = |x: &MlxArray, axis: usize, dims: &[usize]| {
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
    let Op::DotGeneral { dims: axes, .. } = site.op else { return site.decline("here") };
    let ArrayType { dims, element } = site.result();
    let product = MatrixProduct::new(&site.x().dims, &site.operands[1].dims, axes, dims, *element);
    step(move |cx, x| product.apply(cx, x[0], x[1]))
}

/// Returns the first row of each run and the row after its last one, from the sizes of consecutive runs. Both are limited to the number of
/// rows. A run with a negative size ends where it begins, or before that.
pub(super) fn runs(cx: &Launch<'_>, sizes: &MlxArray, rows: usize) -> Result<Vec<(usize, usize)>, MlxError> {
    let unsigned = sizes.element_type().integer().is_some_and(|(_, signed)| !signed);
    let wide = cx.bytes(&cx.astype(sizes, if unsigned { ElementType::U64 } else { ElementType::I64 })?)?;
    let mut end = 0i64;
    let mut runs = Vec::with_capacity(sizes.len());
    for bytes in wide.as_chunks().0 {
        let size = if unsigned {
            i64::try_from(u64::from_le_bytes(*bytes)).unwrap_or(i64::MAX)
        } else {
            i64::from_le_bytes(*bytes)
        };
        let start = end;
        end = end.saturating_add(size);
        let row = |at: i64| usize::try_from(at.max(0)).map_or(rows, |at| at.min(rows));
        runs.push((row(start), row(end).max(row(start))));
    }
    Ok(runs)
}

/// Multiplies each row of x by the matrix of its run, in one product of rows `[n, 1, k]` with matrices by index. Rows after the last run
/// become zeros. Returns `None` unless runs follow one another from the first row on.
pub(super) fn by_number(
    cx: &Launch<'_>,
    x: &MlxArray,
    runs: &[(usize, usize)],
    columns: usize,
    product: impl Fn(&MlxArray, &MlxArray) -> Result<MlxArray, MlxError>,
) -> Result<Option<MlxArray>, MlxError> {
    let &[rows, inner] = &x.dims()[..] else { return Ok(None) };
    let (mut numbers, mut done) = (Vec::with_capacity(4 * rows), 0);
    for (number, &(first, last)) in runs.iter().enumerate().filter(|(_, (first, last))| first < last) {
        if first != done {
            return Ok(None);
        }
        done = last;
        let number = i32::try_from(number).unwrap_or(i32::MAX).to_le_bytes();
        numbers.extend(std::iter::repeat_n(number, last - first).flatten());
    }
    if done == 0 {
        return Ok(None);
    }
    let numbers = MlxArray::from_bytes(cx.mlx(), &numbers, &[done], ElementType::I32)?;
    let of_runs = Slices { starts: vec![0, 0], stops: vec![done, inner], strides: vec![1, 1] };
    let x = cx.reshape(&cx.slice(x, &of_runs)?, &[done, 1, inner])?;
    let made = cx.reshape(&product(&x, &numbers)?, &[done, columns])?;
    if done == rows {
        return Ok(Some(made));
    }
    let zero = movement::zero(cx, made.element_type())?;
    cx.pad(&made, &[0, 0], &[rows - done, 0], &zero).map(Some)
}

/// Multiplies each row of lhs by the matrix of its run. The sizes of runs are computed first, so that each run is one product.
pub(super) fn ragged_dot(site: &Site<'_>) -> Result<Step, Declined> {
    let (lhs, rhs) = (site.x().dims.clone(), site.operands[1].dims.clone());
    let result = site.result().clone();
    // Sums of narrow types are computed in f32.
    let wide = match result.element {
        ElementType::F16 | ElementType::BF16 => ElementType::F32,
        element => element,
    };
    if lhs.len() != 2 || rhs.len() != 3 || wide == ElementType::Bool {
        return site.decline("of these shapes");
    }
    let axes = DotDims::contracting(&[1], &[0]);
    let is_empty = lhs.contains(&0) || rhs.contains(&0);
    step(move |cx, x| {
        let runs = runs(cx, x[2], lhs[0])?;
        // MLX has products with matrices by index in f32 on all devices. Matrices of other types are converted separately when they are read.
        if wide == ElementType::F32 && x[1].element_type() == wide && !is_empty {
            let a = types::converted(cx, x[0], wide)?;
            let product = |a: &MlxArray, numbers: &MlxArray| cx.gather_mm(a, x[1], numbers, true);
            if let Some(made) = by_number(cx, &a, &runs, rhs[2], product)? {
                return types::converted(cx, &made, result.element);
            }
        }
        // `parts` covers the result from the first row on. Products of runs that overlap earlier ones are added to it at the end.
        let (mut parts, mut added): (Vec<MlxArray>, Vec<MlxArray>) = (Vec::new(), Vec::new());
        let mut done = 0;
        let zeros = |rows: usize| cx.full(&[rows, rhs[2]], &movement::zero(cx, wide)?);
        for (number, (first, last)) in runs.into_iter().enumerate() {
            if first == last {
                continue;
            }
            let rows = Slices { starts: vec![first, 0], stops: vec![last, lhs[1]], strides: vec![1, 1] };
            let matrix = Slices {
                starts: vec![number, 0, 0],
                stops: vec![number + 1, rhs[1], rhs[2]],
                strides: vec![1, 1, 1],
            };
            let (a, b) = (cx.slice(x[0], &rows)?, cx.reshape(&cx.slice(x[1], &matrix)?, &rhs[1..])?);
            let dims = [last - first, rhs[2]];
            let made = MatrixProduct::new(&a.dims(), &b.dims(), &axes, &dims, wide).apply(cx, &a, &b)?;
            if first < done {
                added.push(cx.pad(&made, &[first, 0], &[lhs[0] - last, 0], &movement::zero(cx, wide)?)?);
                continue;
            }
            if first > done {
                parts.push(zeros(first - done)?);
            }
            parts.push(made);
            done = last;
        }
        if done < lhs[0] {
            parts.push(zeros(lhs[0] - done)?);
        }
        let mut total = match &parts[..] {
            [] => zeros(lhs[0])?,
            [one] => one.clone(),
            several => cx.concatenate(&several.iter().collect::<Vec<_>>(), 0)?,
        };
        for more in &added {
            total = cx.binary(Binary::Add, &total, more)?;
        }
        cx.astype(&total, result.element)
    })
}
