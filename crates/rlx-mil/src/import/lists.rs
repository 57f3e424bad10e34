//! Reads lists of tensors of one type and known length, as tensors with one more leading axis.

use super::args::{Args, Read, Unread};
use super::elementwise::dtype;
use super::shaping::from_start;
use rlx_ir::{Combiner, Dim, Literal, Op, ScatterDims, Tensor};

pub(super) fn read(kind: &str, args: &Args<'_>) -> Option<Read> {
    let result = match kind {
        "make_list" => make(args),
        "list_length" => length(args),
        "list_read" => read_one(args),
        "list_write" => write(args),
        "list_gather" => gather(args),
        "list_scatter" => scatter(args),
        _ => return None,
    };
    Some(result.map(|x| vec![x]))
}

/// Returns the length of a list.
fn count(args: &Args<'_>) -> Result<usize, Unread> {
    args.dims(args.x("ls")?)?.first().copied().ok_or_else(|| "a list needs a length".into())
}

fn make(args: &Args<'_>) -> Result<Tensor, Unread> {
    let length = usize::try_from(args.int("init_length", 1)?).ok().filter(|&n| n > 0);
    let length = length.ok_or("`init_length` is not a valid length")?;
    if args.flag("dynamic_length", true)? && length == 1 {
        return Err("lists that grow are not supported".into());
    }
    let sizes: Result<Vec<usize>, _> = args.numbers("elem_shape")?.into_iter().map(usize::try_from).collect();
    let sizes = sizes.map_err(|_| "`elem_shape` has an invalid size")?;
    let dims: Vec<Dim> = [length].into_iter().chain(sizes).map(Dim::Static).collect();
    let zero = args.builder.scalar(0.0, dtype(args.text("dtype", "fp32")?)?);
    Ok(zero.broadcast_in_dim(&dims, &[]))
}

fn length(args: &Args<'_>) -> Result<Tensor, Unread> {
    let count = i32::try_from(count(args)?).map_err(|_| "a list is too long")?;
    Ok(args.builder.constant(Literal::scalar(count)))
}

fn read_one(args: &Args<'_>) -> Result<Tensor, Unread> {
    let index = from_start(args.x("index")?, count(args)?).reshape(&[]);
    Ok(args.x("ls")?.apply(Op::Take { axis: 0 }, &[&index]))
}

fn write(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (list, value) = (args.x("ls")?, args.x("value")?);
    let index = from_start(args.x("index")?, count(args)?).reshape(&[]);
    let zero = index.scalar_like(0.0);
    let starts = std::iter::once(&index).chain(std::iter::repeat_n(&zero, value.rank()));
    let value = value.unsqueeze(0);
    let operands: Vec<&Tensor> = std::iter::once(&value).chain(starts).collect();
    Ok(list.apply(Op::DynamicUpdateSlice {}, &operands))
}

fn gather(args: &Args<'_>) -> Result<Tensor, Unread> {
    let indices = from_start(args.x("indices")?, count(args)?);
    Ok(args.x("ls")?.apply(Op::Take { axis: 0 }, &[&indices]))
}

fn scatter(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (list, value) = (args.x("ls")?, args.x("value")?);
    let indices = from_start(args.x("indices")?, count(args)?);
    let dims = ScatterDims {
        update_window_dims: (1..value.rank()).collect(),
        inserted_window_dims: vec![0],
        input_batching_dims: Vec::new(),
        scatter_indices_batching_dims: Vec::new(),
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
    };
    Ok(list.apply(Op::Scatter { dims, combiner: Combiner::Set }, &[&indices, value]))
}
