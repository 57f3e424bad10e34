//! Writes matrix products and convolutions.

use super::elementwise::elem_of;
use super::value::{Elem, Held, Known, Var};
use super::writer::{Declined, Opset, ProgramWriter, Written};
use rlx_ir::{ConvolutionSpec, DType, DotDims, DotSide};

fn product(dims: &[usize], axes: &[usize]) -> usize {
    axes.iter().map(|&axis| dims[axis]).product()
}

/// An operand as matrices `[batch, rows, columns]`, or transposed.
struct Matrices {
    var: Var,
    transposed: bool,
}

/// Returns the operand as `[batch, free, contract]`, or transposed if that moves nothing.
fn matrices(
    w: &mut ProgramWriter,
    x: &Var,
    DotSide { batch, contract }: DotSide<'_>,
    free: &[usize],
) -> Matrices {
    let order = |a: &[usize], b: &[usize]| [batch, a, b].concat();
    let transposed = order(contract, free).is_sorted() && !order(free, contract).is_sorted();
    let (a, b) = if transposed { (contract, free) } else { (free, contract) };
    let moved = w.transpose(x, &order(a, b));
    let dims = [product(&x.dims, batch), product(&x.dims, a), product(&x.dims, b)];
    let dims = if batch.is_empty() { &dims[1..] } else { &dims[..] };
    Matrices { var: w.reshape(&moved, dims), transposed }
}

pub(super) fn dot_general(
    w: &mut ProgramWriter,
    axes: &DotDims,
    dtype: Option<DType>,
    x: &Held,
    y: &Held,
) -> Written {
    let elem = dtype.map_or(Ok(x.elem()), elem_of)?;
    if elem == Elem::Bool {
        return Err("programs have no products of booleans".into());
    }
    let (x, y) = (w.cast(&x.var, elem).held(x), w.cast(&y.var, elem).held(y));
    let ([lhs_axes, rhs_axes], [lhs_free, rhs_free]) = (axes.sides(), axes.free(x.rank(), y.rank()));
    let mut dims: Vec<usize> = axes.lhs_batch.iter().chain(&lhs_free).map(|&axis| x.dims[axis]).collect();
    dims.extend(rhs_free.iter().map(|&axis| y.dims[axis]));
    let (x, y) = (w.full(&x), w.full(&y));
    if let Some(var) = linear(w, axes, &x, &y, &dims) {
        return Ok(vec![Held::whole(var)]);
    }
    let lhs = matrices(w, &x, lhs_axes, &lhs_free);
    let rhs = matrices(w, &y, rhs_axes, &rhs_free);
    let mut shape = if axes.lhs_batch.is_empty() { vec![] } else { vec![product(&x.dims, lhs_axes.batch)] };
    shape.extend([product(&x.dims, &lhs_free), product(&y.dims, &rhs_free)]);
    // The rows of the right operand are contracted.
    let var = matmul(w, &lhs.var, &rhs.var, lhs.transposed, !rhs.transposed, elem, shape);
    Ok(vec![Held::whole(w.reshape(&var, &dims))])
}

pub(super) fn matmul(
    w: &mut ProgramWriter,
    x: &Var,
    y: &Var,
    x_turned: bool,
    y_turned: bool,
    elem: Elem,
    dims: Vec<usize>,
) -> Var {
    let inputs = [
        ("x", x.into()),
        ("y", y.into()),
        ("transpose_x", x_turned.into()),
        ("transpose_y", y_turned.into()),
    ];
    w.op("matmul", inputs, elem, dims)
}

/// Writes rows times the transpose of a constant matrix, for which programs have a separate operation.
fn linear(w: &mut ProgramWriter, axes: &DotDims, x: &Var, y: &Var, dims: &[usize]) -> Option<Var> {
    let rank = x.rank();
    let last = rank.checked_sub(1)?;
    let fits = y.known.is_some()
        && y.rank() == 2
        && x.elem.is_float()
        && axes.lhs_batch.is_empty()
        && axes.lhs_contract == [last]
        && (1..=3).contains(&rank);
    if !fits {
        return None;
    }
    if axes.rhs_contract == [1] {
        return Some(w.op("linear", [("x", x.into()), ("weight", y.into())], x.elem, dims.to_vec()));
    }
    // A known matrix can also be multiplied without transposing it.
    matches!(y.known, Some(Known::Param { .. } | Known::Literal(_)))
        .then(|| matmul(w, x, y, false, false, x.elem, dims.to_vec()))
        .filter(|_| rank > 1)
}

impl Var {
    /// Returns the value with the sizes of another value of the graph.
    fn held(self, like: &Held) -> Held {
        Held { var: self, dims: like.dims.clone() }
    }
}

pub(super) fn convolution(
    w: &mut ProgramWriter,
    of: &ConvolutionSpec,
    dtype: Option<DType>,
    x: &Held,
    kernel: &Held,
) -> Written {
    let elem = dtype.map_or(Ok(x.elem()), elem_of)?;
    if !elem.is_float() {
        return Err(format!("programs have no convolutions of {}", elem.name()).into());
    }
    let spatial = of.strides.len();
    if !(1..=3).contains(&spatial) {
        return Err(format!("programs have no convolutions along {spatial} axes").into());
    }
    let (x, kernel) = (w.full(x), w.full(kernel));
    let (x, kernel) = (w.cast(&x, elem), w.cast(&kernel, elem));
    let mut x = w.transpose(&x, &of.x.ordered());
    let given = kernel;
    let mut kernel = w.transpose(&given, &of.kernel.ordered());
    let backwards: Vec<usize> = (0..spatial).filter(|&axis| of.reversal[axis]).map(|axis| axis + 2).collect();
    if !backwards.is_empty() {
        let inputs = [("x", (&kernel).into()), ("axes", backwards[..].into())];
        kernel = w.op("reverse", inputs, elem, kernel.dims.clone());
    }
    if let Some(weight) = transposed_weight(w, of, &given) {
        let var = conv_transpose(w, &transposed(of, &weight), &x, &weight, None)?;
        return Ok(vec![Held::whole(arranged(w, &var, &of.out.ordered()))]);
    }
    let zero = w.scalar(0.0, elem);
    for (axis, &dilation) in of.lhs_dilation.iter().enumerate() {
        x = w.spread(&x, &zero, axis + 2, dilation - 1)?;
    }
    let mut groups = of.feature_groups;
    if of.batch_groups > 1 {
        // Parts of the batch become feature groups.
        let (parts, [batch, features]) = (of.batch_groups, [x.dims[0], x.dims[1]]);
        let space = x.dims[2..].to_vec();
        let split =
            w.reshape(&x, &[&[parts, batch / parts, features], &[space.iter().product()][..]].concat());
        let moved = w.transpose(&split, &[1, 0, 2, 3]);
        x = w.reshape(&moved, &[&[batch / parts, parts * features], &space[..]].concat());
        groups = parts;
    }
    // Negative padding removes elements.
    let (mut starts, mut limits) = (vec![0; x.rank()], x.dims.clone());
    let mut pads = Vec::new();
    for axis in 0..spatial {
        let (low, high) = (of.low[axis], of.high[axis]);
        let removed = |n: i64| usize::try_from(-n).unwrap_or(0);
        starts[axis + 2] = removed(low);
        let limit = limits[axis + 2].checked_sub(removed(high)).filter(|&limit| limit > starts[axis + 2]);
        limits[axis + 2] = limit.ok_or("nothing remains of the operand of a convolution")?;
        pads.extend([low.max(0) as usize, high.max(0) as usize]);
    }
    let ones = vec![1; x.rank()];
    let x = w.slice(&x, &starts, &limits, &ones);
    let mut dilations = of.rhs_dilation.clone();
    if dilations.iter().any(|&n| n > 1) && !w.is_constant(&kernel) {
        // Kernels that are not constant cannot be dilated: zeros are inserted between their elements instead.
        for (axis, dilation) in dilations.iter_mut().enumerate() {
            kernel = w.spread(&kernel, &zero, axis + 2, *dilation - 1)?;
            *dilation = 1;
        }
    }
    let mut shape = vec![x.dims[0], kernel.dims[0]];
    for axis in 0..spatial {
        let window = (kernel.dims[axis + 2] - 1) * dilations[axis] + 1;
        let room = (x.dims[axis + 2] + pads[2 * axis] + pads[2 * axis + 1]).checked_sub(window);
        shape.push(room.ok_or("the window of a convolution does not fit")? / of.strides[axis] + 1);
    }
    if kernel.known.is_none() && w.opset < Opset::Ios17 && groups > 1 {
        return Err("kernels with groups must be constants before iOS 17".into());
    }
    let inputs = vec![
        ("x", (&x).into()),
        ("weight", (&kernel).into()),
        ("strides", of.strides[..].into()),
        ("pad_type", "custom".into()),
        ("pad", pads[..].into()),
        ("dilations", dilations[..].into()),
        ("groups", (groups as i32).into()),
    ];
    let var = w.op_of("conv", inputs, elem, shape);
    Ok(vec![Held::whole(arranged(w, &var, &of.out.ordered()))])
}

/// Transposes the computed axes to the positions that they have in the result.
fn arranged(w: &mut ProgramWriter, var: &Var, out: &[usize]) -> Var {
    let mut perm = vec![0; out.len()];
    out.iter().enumerate().for_each(|(from, &to)| perm[to] = from);
    w.transpose(var, &perm)
}

/// How a transposed convolution `[N, C, …]` with weights `[C, O / groups, …]` moves. Cropping at the ends may be negative.
pub(super) struct Transposed {
    pub(super) strides: Vec<usize>,
    pub(super) dilations: Vec<usize>,
    pub(super) cut: Vec<(i64, i64)>,
    pub(super) groups: usize,
}

/// Converts the weights of a convolution that is a transposed one to the layout of the operation.
fn transposed_weight(w: &mut ProgramWriter, of: &ConvolutionSpec, kernel: &Var) -> Option<Var> {
    let order = of.kernel.exchanged().ordered();
    let is_turned = |axis: usize| of.reversal[axis] || kernel.dims[of.kernel.spatial[axis]] == 1;
    let fits = of.lhs_dilation.iter().any(|&n| n > 1)
        && of.strides.iter().all(|&n| n == 1)
        && (0..of.strides.len()).all(is_turned)
        && (of.feature_groups, of.batch_groups) == (1, 1)
        && (w.opset >= Opset::Ios17 || kernel.known.is_some() && order.is_sorted());
    fits.then(|| w.transpose(kernel, &order))
}

fn transposed(of: &ConvolutionSpec, weight: &Var) -> Transposed {
    let cut = (0..of.strides.len()).map(|axis| {
        let reach = ((weight.dims[axis + 2] - 1) * of.rhs_dilation[axis]) as i64;
        (reach - of.low[axis], reach - of.high[axis])
    });
    let (strides, dilations) = (of.lhs_dilation.clone(), of.rhs_dilation.clone());
    Transposed { cut: cut.collect(), strides, dilations, groups: 1 }
}

/// Writes a transposed convolution. Elements added at its ends are just the bias.
pub(super) fn conv_transpose(
    w: &mut ProgramWriter,
    of: &Transposed,
    x: &Var,
    weight: &Var,
    bias: Option<&Var>,
) -> Result<Var, Declined> {
    let spatial = of.strides.len();
    let mut dims = vec![x.dims[0], weight.dims[1] * of.groups];
    let (mut pads, mut low, mut high) = (Vec::new(), vec![0; 2], vec![0; 2]);
    for (axis, &(before, after)) in of.cut.iter().enumerate() {
        let window = (weight.dims[axis + 2] - 1) * of.dilations[axis] + 1;
        let whole = (x.dims[axis + 2] - 1) * of.strides[axis] + window;
        let cut = [before, after].map(|n| n.max(0) as usize);
        let left =
            whole.checked_sub(cut[0]).and_then(|left| left.checked_sub(cut[1])).filter(|&left| left > 0);
        dims.push(left.ok_or("nothing remains of a transposed convolution")?);
        pads.extend(cut);
        low.push((-before).max(0) as usize);
        high.push((-after).max(0) as usize);
    }
    let mut inputs = vec![("x", x.into()), ("weight", weight.into())];
    let is_padded = low.iter().chain(&high).any(|&n| n > 0);
    inputs.extend(bias.filter(|_| !is_padded).map(|bias| ("bias", bias.into())));
    inputs.extend([
        ("strides", of.strides[..].into()),
        ("pad_type", "custom".into()),
        ("pad", pads[..].into()),
        ("dilations", of.dilations[..].into()),
        ("groups", (of.groups as i32).into()),
    ]);
    let var = w.op_of("conv_transpose", inputs, x.elem, dims);
    if !is_padded {
        return Ok(var);
    }
    let zero = w.scalar(0.0, x.elem);
    let padded = w.pad(&var, &zero, &low, &high);
    Ok(match bias {
        Some(bias) => {
            let per_channel = w.reshape(bias, &[&[bias.dims[0]], &vec![1; spatial][..]].concat());
            w.join("add", &padded, &per_channel)
        }
        None => padded,
    })
}

/// Writes a transposed convolution as its op defines it: of images, with the padding of the convolution that it transposes, and
/// `output_padding` at the end.
pub(super) fn conv_transpose2d(
    w: &mut ProgramWriter,
    of: Transposed,
    output_padding: &[usize],
    [x, weight]: [&Held; 2],
    bias: Option<&Held>,
) -> Written {
    let elem = super::elementwise::float(x, "transposed convolutions")?;
    let (x, weight) = (w.full(x), w.full(weight));
    let bias = bias.map(|bias| w.full(bias));
    let are_known = weight.known.is_some() && bias.as_ref().is_none_or(|bias| bias.known.is_some());
    if weight.elem != elem || x.rank() != 4 || weight.rank() != 4 || (w.opset < Opset::Ios17 && !are_known) {
        return Err("kernels of transposed convolutions must be constants before iOS 17".into());
    }
    let cut = of.cut.iter().zip(output_padding).map(|(&(low, high), &more)| (low, high - more as i64));
    let of = Transposed { cut: cut.collect(), ..of };
    Ok(vec![Held::whole(conv_transpose(w, &of, &x, &weight, bias.as_ref())?)])
}

/// Multiplies matrices, with leading axes that broadcast.
pub(super) fn batched(w: &mut ProgramWriter, x: &Var, y: &Var, y_turned: bool) -> Result<Var, Declined> {
    let (n, rank) = (if y_turned { y.rank() - 2 } else { y.rank() - 1 }, x.rank());
    let mut dims = super::broadcast::joint(&x.dims[..rank - 2], &y.dims[..y.rank() - 2]);
    dims.extend([x.dims[rank - 2], y.dims[n]]);
    Ok(matmul(w, x, y, false, y_turned, x.elem, dims))
}
