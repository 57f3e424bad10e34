//! Writes slices at computed positions, gathers and scatters.

use super::integers;
use super::shaping::{dims_of, known_sizes};
use super::value::{Elem, Held, Var};
use super::writer::{Declined, Opset, ProgramWriter, Written};
use rlx_ir::{Combiner, Dim, Literal, ReduceOp, ScatterDims, Shape, WindowAxes};

/// The windows of a gather or scatter.
pub(super) struct Windows<'a> {
    pub(super) axes: WindowAxes<'a>,
    /// Sizes of a window, one per axis of x.
    pub(super) sizes: Vec<usize>,
}

impl ProgramWriter {
    /// Clamps indices to the range from 0 to `most`.
    pub(crate) fn inside(&mut self, index: &Var, most: usize) -> Var {
        if let Some(known) = index.scalar().filter(|_| index.rank() == 0) {
            return self.scalar(known.clamp(0.0, most as f64), index.elem);
        }
        let index = self.with("maximum", index, 0.0);
        self.with("minimum", &index, most as f64)
    }

    /// Returns scalars as the elements of a vector.
    fn vector(&mut self, scalars: &[Var]) -> Var {
        let ones: Vec<Var> = scalars.iter().map(|scalar| self.reshape(scalar, &[1])).collect();
        self.concat(&ones, 0)
    }

    /// Writes slices along an axis at indices of any rank, which must be in range.
    pub(crate) fn gather(&mut self, x: &Var, indices: &Var, axis: usize) -> Var {
        let mut dims = x.dims[..axis].to_vec();
        dims.extend(&indices.dims);
        dims.extend(&x.dims[axis + 1..]);
        let mut inputs = vec![("x", x.into()), ("indices", indices.into()), ("axis", (axis as i32).into())];
        if self.opset >= Opset::Ios16 {
            inputs.push(("batch_dims", 0.into()));
        }
        if self.opset >= Opset::Ios17 {
            inputs.push(("validate_indices", false.into()));
        }
        self.op_of("gather", inputs, x.elem, dims)
    }

    /// Writes elements along an axis, with an index for each, which must be in range.
    pub(crate) fn gather_along(&mut self, x: &Var, indices: &Var, axis: usize) -> Var {
        if x.elem == Elem::Bool {
            let numbers = self.cast(x, Elem::I32);
            let picked = self.gather_along(&numbers, indices, axis);
            return self.cast(&picked, Elem::Bool);
        }
        let mut inputs = vec![("x", x.into()), ("indices", indices.into()), ("axis", (axis as i32).into())];
        if self.opset >= Opset::Ios17 {
            inputs.push(("validate_indices", false.into()));
        }
        self.op_of("gather_along_axis", inputs, x.elem, indices.dims.clone())
    }
}

/// Returns the beginning of a slice of these sizes, clamped so that the slice is inside.
fn begin(w: &mut ProgramWriter, starts: &[Held], x: &[usize], sizes: &[usize]) -> Result<Var, Declined> {
    let mut inside = Vec::new();
    for ((start, &size), &width) in starts.iter().zip(x).zip(sizes) {
        if start.elem() != Elem::I32 {
            return Err("indices must be i32".into());
        }
        inside.push(w.inside(&start.var, size - width));
    }
    Ok(w.vector(&inside))
}

pub(super) fn dynamic_slice(w: &mut ProgramWriter, x: &Held, starts: &[Held], sizes: &[Dim]) -> Written {
    let sizes = known_sizes(sizes)?;
    if sizes.is_empty() || sizes == x.dims {
        return Ok(vec![x.clone()]);
    }
    let begin = begin(w, starts, &x.dims, &sizes)?;
    let x = w.full(x);
    let inputs = [("x", (&x).into()), ("begin", (&begin).into()), ("size", sizes[..].into())];
    Ok(vec![Held::whole(w.op("slice_by_size", inputs, x.elem, sizes))])
}

pub(super) fn dynamic_update_slice(
    w: &mut ProgramWriter,
    x: &Held,
    update: &Held,
    starts: &[Held],
) -> Written {
    if x.dims == update.dims {
        return Ok(vec![update.clone()]);
    }
    if w.opset < Opset::Ios18 && x.elem() == Elem::Bool {
        return integers::as_numbers(w, &[x.clone(), update.clone()], |w, parts| match parts {
            [x, update] => dynamic_update_slice(w, x, update, starts),
            _ => Err("an operand is missing".into()),
        });
    }
    let at = begin(w, starts, &x.dims, &update.dims)?;
    let (x, update) = (w.full(x), w.full(update));
    if w.opset >= Opset::Ios18 {
        let sizes: Vec<i32> = update.dims.iter().map(|&n| n as i32).collect();
        let sizes = w.ints(&sizes);
        let end = w.join("add", &at, &sizes);
        let inputs = [
            ("x", (&x).into()),
            ("update", (&update).into()),
            ("begin", (&at).into()),
            ("end", (&end).into()),
        ];
        return Ok(vec![Held::whole(w.op("slice_update", inputs, x.elem, x.dims.clone()))]);
    }
    // The positions of the update in x, flattened to one row of elements.
    let mut places = w.scalar(0.0, Elem::I32);
    let mut stride = 1;
    for axis in (0..x.rank()).rev() {
        let mut along = vec![1; x.rank()];
        along[axis] = update.dims[axis];
        let first = w.slice(&at, &[axis], &[axis + 1], &[1]);
        let first = w.reshape(&first, &[]);
        let steps = counted(w, &along[axis..])?;
        let index = w.join("add", &steps, &first);
        let index = w.with("mul", &index, f64::from(stride));
        places = w.join("add", &places, &index);
        stride *= x.dims[axis] as i32;
    }
    let places = w.full(&Held { var: places, dims: update.dims.clone() });
    let (flat, updates, places) = (row(w, &x)?, row(w, &update)?, row(w, &places)?);
    let written = scattered(w, "update", &flat, &places, &updates);
    Ok(vec![Held::whole(w.reshape(&written, &x.dims))])
}

/// Writes 0, 1, 2, … along the first of these axes; the others have size 1.
fn counted(w: &mut ProgramWriter, dims: &[usize]) -> Result<Var, Declined> {
    let bytes: Vec<u8> = (0..dims[0] as i32).flat_map(i32::to_le_bytes).collect();
    let literal = Literal::from_bytes(&Shape::new(dims, rlx_ir::DType::I32), &bytes);
    w.literal(literal.map_err(|e| Declined(e.to_string()))?)
}

/// Flattens the elements to one row, in which positions must fit in 32 bits.
fn row(w: &mut ProgramWriter, x: &Var) -> Result<Var, Declined> {
    let count: usize = x.dims.iter().product();
    if i32::try_from(count).is_err() {
        return Err("not all elements can be addressed by 32-bit indices".into());
    }
    Ok(w.reshape(x, &[count]))
}

/// Returns a row with updates at positions in it.
fn scattered(w: &mut ProgramWriter, mode: &'static str, x: &Var, places: &Var, updates: &Var) -> Var {
    let mut inputs = vec![
        ("data", x.into()),
        ("indices", places.into()),
        ("updates", updates.into()),
        ("axis", 0.into()),
        ("mode", mode.into()),
    ];
    if w.opset >= Opset::Ios17 {
        inputs.push(("validate_indices", false.into()));
    }
    w.op_of("scatter", inputs, x.elem, x.dims.clone())
}

pub(super) fn gather(
    w: &mut ProgramWriter,
    x: &Held,
    indices: &Held,
    windows: &Windows<'_>,
    result: &Shape,
) -> Written {
    if indices.elem() != Elem::I32 {
        return Err("indices must be i32".into());
    }
    if x.elem() == Elem::Bool {
        let numbers = Held { var: w.cast(&x.var, Elem::I32), dims: x.dims.clone() };
        let gathered = gather(w, &numbers, indices, windows, &result.with_dtype(rlx_ir::DType::I32))?;
        let cast = |held: &Held| Held { var: w.cast(&held.var, Elem::Bool), dims: held.dims.clone() };
        return Ok(gathered.iter().map(cast).collect());
    }
    let out = dims_of(result)?;
    if let Some(var) = along_one_axis(w, x, indices, windows, &out) {
        return Ok(vec![Held::whole(var)]);
    }
    match by_vectors(w, x, indices, windows, &out)? {
        Some(var) => Ok(vec![Held::whole(var)]),
        None => anywhere(w, x, indices, windows, &out),
    }
}

/// Writes whole slices of the trailing axes, at vectors of indices of the leading axes.
fn by_vectors(
    w: &mut ProgramWriter,
    x: &Held,
    indices: &Held,
    windows: &Windows<'_>,
    out: &[usize],
) -> Result<Option<Var>, Declined> {
    let Windows { axes, sizes } = windows;
    let items = axes.map.len();
    let places = indices.rank().saturating_sub(1);
    let in_order = |list: &[usize], from: usize, to: usize| list.iter().copied().eq(from..to);
    let is_whole = (0..x.rank()).all(|axis| sizes[axis] == if axis < items { 1 } else { x.dims[axis] });
    let fits = items > 1
        && indices.rank() > 1
        && axes.vector_dim == places
        && in_order(axes.map, 0, items)
        && in_order(axes.dropped, 0, items)
        && axes.x_batch.is_empty()
        && in_order(axes.window, places, out.len())
        && is_whole;
    if !fits {
        return Ok(None);
    }
    let (table, index) = (w.full(x), w.full(indices));
    let last: Vec<i32> = x.dims[..items].iter().map(|&n| n as i32 - 1).collect();
    let last = w.ints(&last);
    let index = w.with("maximum", &index, 0.0);
    let index = w.join("minimum", &index, &last);
    let mut inputs = vec![("x", (&table).into()), ("indices", (&index).into())];
    if w.opset >= Opset::Ios16 {
        inputs.push(("batch_dims", 0.into()));
    }
    if w.opset >= Opset::Ios17 {
        inputs.push(("validate_indices", false.into()));
    }
    Ok(Some(w.op_of("gather_nd", inputs, table.elem, out.to_vec())))
}

/// Writes elements along an axis, with an index for each; an index out of range is clamped.
pub(super) fn gather_axis(w: &mut ProgramWriter, axis: usize, x: &Held, indices: &Held) -> Written {
    if indices.elem() != Elem::I32 {
        return Err("indices must be i32".into());
    }
    let (full, index) = (w.full(x), w.full(indices));
    let index = w.inside(&index, x.dims[axis] - 1);
    Ok(vec![Held::whole(w.gather_along(&full, &index, axis))])
}

/// Writes whole slices along one axis at single indices.
fn along_one_axis(
    w: &mut ProgramWriter,
    x: &Held,
    indices: &Held,
    windows: &Windows<'_>,
    out: &[usize],
) -> Option<Var> {
    let Windows { axes, sizes } = windows;
    let &[axis] = axes.map else { return None };
    let is_whole = (0..x.rank()).all(|i| sizes[i] == if i == axis { 1 } else { x.dims[i] });
    if !is_whole || axes.dropped != [axis] || !axes.x_batch.is_empty() {
        return None;
    }
    let mut places = indices.dims.clone();
    if axes.vector_dim < places.len() {
        places.remove(axes.vector_dim);
    }
    let table = w.full(x);
    let index = w.full(indices);
    let index = w.reshape(&index, &places);
    let index = w.inside(&index, x.dims[axis] - 1);
    let gathered = w.gather(&table, &index, axis);
    // The axes of the result in order: axes of windows are at `offset_dims`, and axes of the indices between them.
    let (mut window, mut place) =
        ((0..axis).chain(axis + places.len()..gathered.rank()), axis..axis + places.len());
    let next = |i: usize| if axes.window.contains(&i) { window.next() } else { place.next() };
    let perm: Vec<usize> = (0..out.len()).map(next).collect::<Option<_>>()?;
    Some(w.transpose(&gathered, &perm))
}

/// Writes single elements at their positions in the row of all elements.
fn anywhere(
    w: &mut ProgramWriter,
    x: &Held,
    indices: &Held,
    windows: &Windows<'_>,
    out: &[usize],
) -> Written {
    let full = w.full(x);
    let flat = row(w, &full)?;
    let (places, _) = places(w, &x.dims, indices, windows, out, Beyond::Moved)?;
    let var = w.gather(&flat, &places, 0);
    Ok(vec![Held { var, dims: out.to_vec() }])
}

/// What happens to a window that is not entirely inside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beyond {
    /// It is moved inside.
    Moved,
    /// It is skipped.
    Skipped,
}

/// For each element of the windows, returns its position in the row of all elements of x, where the windows are in a value with the sizes
/// `out`. If windows may be skipped, also returns whether its window is inside. Both broadcast to `out`.
fn places(
    w: &mut ProgramWriter,
    x: &[usize],
    indices: &Held,
    windows: &Windows<'_>,
    out: &[usize],
    beyond: Beyond,
) -> Result<(Var, Option<Var>), Declined> {
    let index = w.full(indices);
    let Windows { axes, sizes } = windows;
    let window_axes = axes.x_window(x.len());
    // The axes of the indices except that of the vectors correspond, in order, to these axes of the result.
    let (place_axes, batch_places) = (axes.counting(out.len()), axes.batch_places());
    let (mut places, mut inside) = (w.scalar(0.0, Elem::I32), None);
    let mut stride = 1;
    for axis in (0..x.len()).rev() {
        let mut at = w.scalar(0.0, Elem::I32);
        if let Some(item) = axes.map.iter().position(|&mapped| mapped == axis) {
            let start = item_of(w, &index, axes.vector_dim, item);
            let most = x[axis].checked_sub(sizes[axis]).ok_or("a window is larger than the operand")?;
            let moved = w.inside(&start, most);
            let mut shape = vec![1; out.len()];
            place_axes.iter().zip(&start.dims).for_each(|(&axis, &size)| shape[axis] = size);
            if beyond == Beyond::Skipped {
                let fits = w.compare("equal", &start, &moved);
                let fits = w.reshape(&fits, &shape);
                inside = Some(match inside {
                    Some(all) => w.compare("logical_and", &all, &fits),
                    None => fits,
                });
            }
            at = w.reshape(&moved, &shape);
        }
        let mut counts = |w: &mut ProgramWriter, along: usize, size: usize| {
            let mut sizes = vec![1; out.len()];
            sizes[along] = size;
            let steps = counted(w, &sizes[along..])?;
            at = w.join("add", &at, &steps);
            Ok::<_, Declined>(())
        };
        if let Some(i) = window_axes.iter().position(|&window| window == axis) {
            counts(w, axes.window[i], sizes[axis])?;
        }
        if let Some(i) = axes.x_batch.iter().position(|&batching| batching == axis) {
            let along = place_axes
                .get(batch_places[i])
                .ok_or("a batch axis of the indices does not exist in them")?;
            counts(w, *along, x[axis])?;
        }
        let at = w.with("mul", &at, f64::from(stride));
        places = w.join("add", &places, &at);
        stride *= x[axis] as i32;
    }
    Ok((places, inside))
}

/// Returns an item of each index vector.
fn item_of(w: &mut ProgramWriter, indices: &Var, vector_dim: usize, item: usize) -> Var {
    if vector_dim >= indices.rank() {
        return indices.clone();
    }
    let (mut starts, mut limits) = (vec![0; indices.rank()], indices.dims.clone());
    (starts[vector_dim], limits[vector_dim]) = (item, item + 1);
    let strides = vec![1; starts.len()];
    let slice = w.slice(indices, &starts, &limits, &strides);
    let mut dims = slice.dims.clone();
    dims.remove(vector_dim);
    w.reshape(&slice, &dims)
}

/// The kinds of updates for which programs have operations.
enum Placed {
    /// Whole slices along an axis, at indices of any rank.
    Slices(usize),
    /// Elements along an axis, with an index for each.
    Elements(usize),
    /// Whole slices of the axes after this many leading axes, at vectors of indices of the leading axes.
    Vectors(usize),
}

fn placed(x: &Held, indices: &Held, updates: &Held, windows: &Windows<'_>) -> Option<Placed> {
    let Windows { axes, sizes } = windows;
    let (rank, places) = (x.rank(), indices.rank());
    let in_order = |list: &[usize], of: &mut dyn Iterator<Item = usize>| list.iter().copied().eq(of);
    let are_whole = (0..rank).all(|axis| axes.dropped.contains(&axis) || sizes[axis] == x.dims[axis]);
    if axes.x_batch.is_empty() && are_whole {
        if let (&[axis], &[mapped]) = (axes.dropped, axes.map) {
            let fits = axis == mapped
                && axes.vector_dim == places
                && in_order(axes.window, &mut (0..axis).chain(axis + places..updates.rank()));
            return fits.then_some(Placed::Slices(axis));
        }
        let (items, last) = (axes.dropped.len(), places.checked_sub(1)?);
        let fits = items > 1
            && axes.vector_dim == last
            && last > 0
            && in_order(axes.dropped, &mut (0..items))
            && in_order(axes.map, &mut (0..items))
            && in_order(axes.window, &mut (last..updates.rank()));
        return fits.then_some(Placed::Vectors(items));
    }
    let &[axis] = axes.map else { return None };
    let mut others = (0..rank).filter(|&i| i != axis);
    let fits = places == rank
        && axes.vector_dim == places
        && axes.window.is_empty()
        && in_order(axes.x_batch, &mut others)
        && axes.indices_batch == axes.x_batch;
    fits.then_some(Placed::Elements(axis))
}

/// Writes a scatter as a single operation. An update at an index out of range is replaced by one that changes nothing, at an index in
/// range.
fn scattered_along(
    w: &mut ProgramWriter,
    mode: &'static str,
    windows: &Windows<'_>,
    x: &Held,
    indices: &Held,
    updates: &Held,
) -> Result<Option<Var>, Declined> {
    let neutral = match mode {
        "add" => 0.0,
        "mul" => 1.0,
        _ => return Ok(None),
    };
    let Some(placed) = placed(x, indices, updates, windows) else { return Ok(None) };
    let (data, index, given) = (w.full(x), w.full(indices), w.full(updates));
    let (kind, axis, moved) = match placed {
        Placed::Slices(axis) => ("scatter", Some(axis), w.inside(&index, x.dims[axis] - 1)),
        Placed::Elements(axis) => ("scatter_along_axis", Some(axis), w.inside(&index, x.dims[axis] - 1)),
        Placed::Vectors(items) => {
            let last: Vec<i32> = x.dims[..items].iter().map(|&n| n as i32 - 1).collect();
            let last = w.ints(&last);
            let above = w.with("maximum", &index, 0.0);
            ("scatter_nd", None, w.join("minimum", &above, &last))
        }
    };
    let mut inside = w.compare("equal", &index, &moved);
    let mut shape = vec![1; updates.rank()];
    match placed {
        Placed::Slices(axis) => shape[axis..axis + index.rank()].copy_from_slice(&index.dims),
        Placed::Elements(_) => shape.copy_from_slice(&index.dims),
        Placed::Vectors(items) => {
            let (vectors, last) = (inside.clone(), index.rank() - 1);
            inside = item_of(w, &vectors, last, 0);
            for item in 1..items {
                let next = item_of(w, &vectors, last, item);
                inside = w.compare("logical_and", &inside, &next);
            }
            shape[..last].copy_from_slice(&index.dims[..last]);
        }
    }
    let inside = w.reshape(&inside, &shape);
    let nothing = w.scalar(neutral, given.elem);
    let given = w.choose(&inside, &given, &nothing);
    let mut inputs =
        vec![("data", (&data).into()), ("indices", (&moved).into()), ("updates", (&given).into())];
    inputs.extend(axis.map(|axis| ("axis", (axis as i32).into())));
    inputs.push(("mode", mode.into()));
    if w.opset >= Opset::Ios17 {
        inputs.push(("validate_indices", false.into()));
    }
    Ok(Some(w.op_of(kind, inputs, data.elem, data.dims.clone())))
}

pub(super) fn scatter(
    w: &mut ProgramWriter,
    dims: &ScatterDims,
    combiner: Combiner,
    x: &Held,
    indices: &Held,
    updates: &Held,
) -> Written {
    if indices.elem() != Elem::I32 {
        return Err("indices must be i32".into());
    }
    let mode = match combiner {
        Combiner::Set => "update",
        Combiner::Reduce(ReduceOp::Sum) => "add",
        Combiner::Reduce(ReduceOp::Prod) => "mul",
        Combiner::Reduce(ReduceOp::Min) => "min",
        Combiner::Reduce(ReduceOp::Max) => "max",
        Combiner::Reduce(op) => return Err(format!("programs have no scatter by {op}").into()),
    };
    if x.elem() == Elem::Bool {
        return Err("programs have no scatters of booleans".into());
    }
    let axes = dims.windows();
    let windows = Windows { axes, sizes: axes.widths(x.rank(), &updates.dims) };
    if let Some(var) = scattered_along(w, mode, &windows, x, indices, updates)? {
        return Ok(vec![Held::whole(var)]);
    }
    let (full, given) = (w.full(x), w.full(updates));
    let (mut flat, given) = (row(w, &full)?, row(w, &given)?);
    let count = flat.dims[0];
    let (mut places, inside) = places(w, &x.dims, indices, &windows, &updates.dims, Beyond::Skipped)?;
    if let Some(inside) = &inside {
        // Skipped updates go to an extra element after the last one.
        let end = w.scalar(count as f64, Elem::I32);
        places = w.choose(inside, &places, &end);
        let zero = w.filled(0.0, flat.elem, &[1]);
        flat = w.concat(&[flat, zero], 0);
    }
    let places = w.full(&Held { var: places, dims: updates.dims.clone() });
    let places = row(w, &places)?;
    let written = scattered(w, mode, &flat, &places, &given);
    let written = w.slice(&written, &[0], &[count], &[1]);
    Ok(vec![Held::whole(w.reshape(&written, &x.dims))])
}
