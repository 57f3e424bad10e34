//! Writes ops that move elements: reshapes, transposes, slices, and concatenations.

use super::value::{Elem, Held, Var, merged_sizes, sizes};
use super::writer::{Arg, Declined, ProgramWriter, Written};
use rlx_ir::{Dim, Shape};

/// Returns the sizes of a shape in a program.
pub(super) fn dims_of(result: &Shape) -> Result<Vec<usize>, Declined> {
    Ok(sizes(result)?.1)
}

/// Returns sizes, which must be static.
pub(super) fn known_sizes(dims: &[Dim]) -> Result<Vec<usize>, Declined> {
    let sizes = dims
        .iter()
        .map(|dim| dim.as_static().ok_or_else(|| Declined(format!("the size {dim} is not known"))));
    sizes.collect()
}

impl ProgramWriter {
    /// Writes a transpose.
    pub(crate) fn transpose(&mut self, x: &Var, perm: &[usize]) -> Var {
        if perm.iter().copied().eq(0..x.rank()) {
            return x.clone();
        }
        let dims: Vec<usize> = perm.iter().map(|&axis| x.dims[axis]).collect();
        // Axes of size 1 do not affect the memory layout.
        let wide = |dims: &[usize], order: &[usize]| -> Vec<usize> {
            order.iter().copied().filter(|&axis| dims[axis] != 1).collect()
        };
        if wide(&x.dims, perm).is_sorted() {
            return self.reshape(x, &dims);
        }
        self.op("transpose", [("x", x.into()), ("perm", perm.into())], x.elem, dims)
    }

    /// Writes a slice with elements from `starts` up to but excluding `limits` along each axis, in steps of `strides`.
    pub(crate) fn slice(&mut self, x: &Var, starts: &[usize], limits: &[usize], strides: &[usize]) -> Var {
        let along = |axis: usize| (limits[axis] - starts[axis]).div_ceil(strides[axis]);
        let dims: Vec<usize> = (0..x.rank()).map(along).collect();
        if dims == x.dims {
            return x.clone();
        }
        let mut inputs: Vec<(&'static str, Arg)> =
            vec![("x", x.into()), ("begin", starts.into()), ("end", limits.into())];
        if strides.iter().any(|&n| n != 1) {
            inputs.push(("stride", strides.into()));
        }
        self.op_of("slice_by_index", inputs, x.elem, dims)
    }

    /// Writes a concatenation along an axis.
    pub(crate) fn concat(&mut self, parts: &[Var], axis: usize) -> Var {
        let [first, rest @ ..] = parts else { return self.scalar(0.0, Elem::F32) };
        if rest.is_empty() {
            return first.clone();
        }
        let mut dims = first.dims.clone();
        dims[axis] = parts.iter().map(|part| part.dims[axis]).sum();
        let inputs = [("values", parts.into()), ("axis", (axis as i32).into()), ("interleave", false.into())];
        self.op("concat", inputs, first.elem, dims)
    }

    /// Pads a value with a scalar before and after an axis.
    fn pad_axis(&mut self, x: &Var, value: &Var, axis: usize, low: usize, high: usize) -> Var {
        let mut block = |count: usize| {
            let mut dims = x.dims.clone();
            dims[axis] = count;
            (count > 0).then(|| self.full(&Held { var: value.clone(), dims }))
        };
        let (before, after) = (block(low), block(high));
        let parts: Vec<Var> = before.into_iter().chain([x.clone()]).chain(after).collect();
        self.concat(&parts, axis)
    }

    /// Pads a value with a scalar on all sides.
    pub(crate) fn pad(&mut self, x: &Var, value: &Var, low: &[usize], high: &[usize]) -> Var {
        if low.iter().chain(high).all(|&n| n == 0) {
            return x.clone();
        }
        if let (true, Some(_)) = (x.elem.is_float(), value.scalar()) {
            let both: Vec<usize> = low.iter().zip(high).flat_map(|(&low, &high)| [low, high]).collect();
            let dims = (0..x.rank()).map(|axis| x.dims[axis] + low[axis] + high[axis]).collect();
            let inputs = [
                ("x", x.into()),
                ("pad", both[..].into()),
                ("mode", "constant".into()),
                ("constant_val", value.into()),
            ];
            return self.op("pad", inputs, x.elem, dims);
        }
        let mut padded = x.clone();
        for axis in 0..x.rank() {
            if low[axis] + high[axis] > 0 {
                padded = self.pad_axis(&padded, value, axis, low[axis], high[axis]);
            }
        }
        padded
    }

    /// Inserts `gap` elements of a scalar between neighbors along an axis.
    pub(crate) fn spread(&mut self, x: &Var, value: &Var, axis: usize, gap: usize) -> Result<Var, Declined> {
        let count = x.dims[axis];
        if gap == 0 || count < 2 {
            return Ok(x.clone());
        }
        let around: (usize, usize) = (x.dims[..axis].iter().product(), x.dims[axis + 1..].iter().product());
        let flat = self.reshape(x, &[around.0, count, 1, around.1]);
        let wide = self.pad_axis(&flat, value, 2, 0, gap);
        let mut dims = x.dims.clone();
        dims[axis] = count * (gap + 1);
        let joined = self.reshape(&wide, &dims);
        let mut limits = dims;
        limits[axis] -= gap;
        Ok(self.slice(&joined, &vec![0; limits.len()], &limits, &vec![1; limits.len()]))
    }
}

pub(super) fn reshape(w: &mut ProgramWriter, x: &Held, result: &Shape) -> Written {
    let (_, dims) = merged_sizes(result)?;
    // Equal elements have no order.
    if x.var.rank() == 0 {
        return Ok(vec![Held { var: x.var.clone(), dims }]);
    }
    let full = w.full(x);
    // Images as rows.
    if full.rank() > 3 && dims == [full.dims[0], full.dims[1..].iter().product()] {
        return Ok(vec![Held::whole(w.op(
            "flatten2d",
            [("x", (&full).into()), ("axis", 1.into())],
            full.elem,
            dims,
        ))]);
    }
    Ok(vec![Held::whole(w.reshape(&full, &dims))])
}

pub(super) fn transpose(w: &mut ProgramWriter, x: &Held, perm: &[usize]) -> Written {
    let dims = perm.iter().map(|&axis| x.dims[axis]).collect();
    let var = match x.var.rank() {
        0 => x.var.clone(),
        _ => {
            let aligned = w.aligned(x);
            w.transpose(&aligned, perm)
        }
    };
    Ok(vec![Held { var, dims }])
}

pub(super) fn broadcast_in_dim(w: &mut ProgramWriter, x: &Held, axes: &[usize], result: &Shape) -> Written {
    let dims = dims_of(result)?;
    if x.var.rank() == 0 {
        return Ok(vec![Held { var: x.var.clone(), dims }]);
    }
    let mut order: Vec<usize> = (0..axes.len()).collect();
    order.sort_by_key(|&i| axes[i]);
    let aligned = w.aligned(x);
    let ordered = w.transpose(&aligned, &order);
    let mut placed = vec![1; dims.len()];
    for (&i, &size) in order.iter().zip(&ordered.dims) {
        placed[axes[i]] = size;
    }
    // Leading axes are added by broadcasting.
    let first = placed.iter().position(|&size| size != 1).unwrap_or(placed.len());
    Ok(vec![Held { var: w.reshape(&ordered, &placed[first..]), dims }])
}

pub(super) fn slice(
    w: &mut ProgramWriter,
    x: &Held,
    starts: &[Dim],
    limits: &[Dim],
    strides: &[usize],
    result: &Shape,
) -> Written {
    let dims = dims_of(result)?;
    if x.var.rank() == 0 {
        return Ok(vec![Held { var: x.var.clone(), dims }]);
    }
    let (mut starts, mut limits) = (known_sizes(starts)?, known_sizes(limits)?);
    let aligned = w.aligned(x);
    for axis in 0..aligned.rank() {
        if aligned.dims[axis] == 1 {
            (starts[axis], limits[axis]) = (0, 1);
        }
    }
    Ok(vec![Held { var: w.slice(&aligned, &starts, &limits, strides), dims }])
}

pub(super) fn pad(
    w: &mut ProgramWriter,
    x: &Held,
    value: &Held,
    low: &[i64],
    high: &[i64],
    interior: &[usize],
) -> Written {
    let full = w.full(x);
    let value = w.reshape(&value.var, &[]);
    let mut padded = full;
    for (axis, &gap) in interior.iter().enumerate() {
        padded = w.spread(&padded, &value, axis, gap)?;
    }
    // Negative padding is applied last, because it may remove added elements.
    let added = |n: &i64| usize::try_from(*n).unwrap_or(0);
    let (before, after): (Vec<usize>, Vec<usize>) =
        (low.iter().map(added).collect(), high.iter().map(added).collect());
    let padded = w.pad(&padded, &value, &before, &after);
    let removed = |n: &i64| usize::try_from(n.saturating_neg()).unwrap_or(0);
    let starts: Vec<usize> = low.iter().map(removed).collect();
    let limits = padded.dims.iter().zip(high).map(|(&size, n)| size.checked_sub(removed(n)));
    let limits: Option<Vec<usize>> = limits.collect();
    let limits = limits.filter(|limits| limits.iter().zip(&starts).all(|(limit, start)| limit > start));
    let limits = limits.ok_or("nothing remains of a padded value")?;
    let strides = vec![1; starts.len()];
    Ok(vec![Held::whole(w.slice(&padded, &starts, &limits, &strides))])
}

pub(super) fn concatenate(w: &mut ProgramWriter, xs: &[Held], axis: usize) -> Written {
    let parts = w.all_full(xs);
    Ok(vec![Held::whole(w.concat(&parts, axis))])
}

pub(super) fn reverse(w: &mut ProgramWriter, x: &Held, axes: &[usize]) -> Written {
    if x.var.rank() == 0 || axes.is_empty() {
        return Ok(vec![x.clone()]);
    }
    let aligned = w.aligned(x);
    let axes: Vec<usize> = axes.iter().copied().filter(|&axis| aligned.dims[axis] != 1).collect();
    if axes.is_empty() {
        return Ok(vec![x.clone()]);
    }
    let inputs = [("x", (&aligned).into()), ("axes", axes[..].into())];
    let var = w.op("reverse", inputs, aligned.elem, aligned.dims.clone());
    Ok(vec![Held { var, dims: x.dims.clone() }])
}

/// Splits a value into parts of these sizes along an axis.
pub(super) fn split(
    w: &mut ProgramWriter,
    axis: usize,
    sizes: &[Dim],
    x: &Held,
    results: &[Shape],
) -> Written {
    let sizes = known_sizes(sizes)?;
    if sizes.len() < 2 {
        return Ok(vec![x.clone()]);
    }
    let full = w.full(x);
    let inputs =
        vec![("x", (&full).into()), ("split_sizes", sizes[..].into()), ("axis", (axis as i32).into())];
    let types: Result<Vec<_>, Declined> =
        results.iter().map(|part| Ok((full.elem, dims_of(part)?))).collect();
    Ok(w.results("split", inputs, types?, Vec::new()).into_iter().map(Held::whole).collect())
}

/// Repeats a value along axes, which are aligned at the end.
pub(super) fn tile(w: &mut ProgramWriter, repeats: &[usize], x: &Held, result: &Shape) -> Written {
    let dims = dims_of(result)?;
    if x.var.rank() == 0 {
        return Ok(vec![Held { var: x.var.clone(), dims }]);
    }
    let full = w.full(x);
    let mut own = vec![1; dims.len() - full.rank()];
    own.extend(&full.dims);
    let aligned = w.reshape(&full, &own);
    let mut reps = vec![1; dims.len() - repeats.len()];
    reps.extend(repeats);
    Ok(vec![Held::whole(w.op(
        "tile",
        [("x", (&aligned).into()), ("reps", reps[..].into())],
        aligned.elem,
        dims,
    ))])
}
