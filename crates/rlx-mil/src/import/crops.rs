//! Reads crops of images, which are resized to a common size.

use super::args::{Args, Unread};
use super::images::{Grid, Outside, mode, sampled};
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Literal, Op, Tensor};

/// The boxes, and the image of each.
struct Boxes {
    /// f32 `[N, 4]`.
    sides: Tensor,
    /// i32 `[N]`.
    images: Tensor,
}

/// Reads the boxes, and the axes of the result before those of an image. From iOS 17 on, boxes are `[N, 4]` with the images in a separate
/// argument. Before, they are `[N, 1, 4, 1, 1]` for each image, or `[N, 1, 5, 1, 1]` with the image first.
fn boxes(args: &Args<'_>, batch: usize) -> Result<(Boxes, Vec<usize>), Unread> {
    let numbers = |list: &[usize]| {
        let list: Result<Vec<i32>, _> = list.iter().map(|&n| i32::try_from(n)).collect();
        let list = list.map_err(|_| Unread("there are too many boxes".into()))?;
        let literal = Literal::new(&[list.len()], &list).map_err(|e| e.to_string())?;
        Ok::<Tensor, Unread>(args.builder.constant(literal))
    };
    if let Some(sides) = args.opt("boxes")? {
        let &[count, 4] = &args.dims(sides)?[..] else { return Err("boxes must be `[N, 4]`".into()) };
        let images = match args.opt("box_indices")? {
            Some(images) if args.dims(images)? == [count] => images.convert(DType::I32),
            Some(_) => return Err("`box_indices` must have one number per box".into()),
            None if count > batch => return Err("there are more boxes than images".into()),
            None => {
                args.makes(count)?;
                numbers(&(0..count).collect::<Vec<_>>())?
            }
        };
        return Ok((Boxes { sides: sides.convert(DType::F32), images }, vec![count]));
    }
    let roi = args.x("roi")?;
    let of = |first: usize, count: usize| {
        let part = roi.slice_axis(2, first, first + 4).convert(DType::F32);
        part.reshape(&[count, 4].map(Dim::Static))
    };
    match args.dims(roi)?[..] {
        [count, 1, 5, 1, 1] => {
            let images = roi.slice_axis(2, 0, 1).convert(DType::I32).reshape(&[Dim::Static(count)]);
            Ok((Boxes { sides: of(1, count), images }, vec![count, 1]))
        }
        [count, 1, 4, 1, 1] => {
            let all = super::args::product(&[count, batch])?;
            args.makes(all)?;
            let wide = of(0, count).broadcast_in_dim(&[count, batch, 4].map(Dim::Static), &[0, 2]);
            let sides = wide.reshape(&[all, 4].map(Dim::Static));
            let images: Vec<usize> = (0..all).map(|i| i % batch.max(1)).collect();
            Ok((Boxes { sides, images: numbers(&images)? }, vec![count, batch]))
        }
        _ => Err("`roi` must be `[N, 1, 4, 1, 1]` or `[N, 1, 5, 1, 1]`".into()),
    }
}

/// Returns where boxes begin and end along an axis, in elements: f32 `[N]` each.
fn ends(args: &Args<'_>, sides: &Tensor, vertical: bool, size: usize) -> Result<[Tensor; 2], Unread> {
    let (rows_first, centered) = match args.text("box_coordinate_mode", "CORNERS_HEIGHT_FIRST")? {
        "CORNERS_HEIGHT_FIRST" => (true, false),
        "CORNERS_WIDTH_FIRST" => (false, false),
        "CENTER_SIZE_HEIGHT_FIRST" => (true, true),
        "CENTER_SIZE_WIDTH_FIRST" => (false, true),
        mode => return Err(format!("unknown box mode `{mode}`").into()),
    };
    let mut factor = args.number("spatial_scale", 1.0)?;
    if args.flag("normalized_coordinates", false)? {
        factor *= size as f64 - 1.0;
    }
    let place = usize::from(vertical != rows_first);
    let side = |n: usize| {
        let side = sides.slice_axis(1, n, n + 1).squeeze(1);
        side.binary(BinaryOp::Mul, &side.scalar_like(factor))
    };
    let (first, second) = (side(place), side(place + 2));
    if !centered {
        return Ok([first, second]);
    }
    let half = second.binary(BinaryOp::Mul, &second.scalar_like(0.5));
    Ok([first.binary(BinaryOp::Sub, &half), first.binary(BinaryOp::Add, &half)])
}

/// Returns the positions of `count` samples between the ends of each box: f32 `[N, count]`.
fn places(args: &Args<'_>, [start, end]: &[Tensor; 2], grid: Grid, count: usize) -> Result<Tensor, Unread> {
    let boxes = args.dims(start)?[0];
    let dims = [boxes, count].map(Dim::Static);
    let wide = |x: &Tensor| x.broadcast_in_dim(&dims, &[0]);
    let list = |of: &dyn Fn(usize) -> f64| {
        let list: Vec<f32> = (0..count).map(|i| of(i) as f32).collect();
        let literal = Literal::new(&[count], &list).map_err(|e| e.to_string())?;
        Ok::<Tensor, Unread>(args.builder.constant(literal).broadcast_in_dim(&dims, &[1]))
    };
    args.makes(count)?;
    // Lengths are between the centers of the first and the last element.
    let mut length = end.binary(BinaryOp::Sub, start);
    if grid == Grid::Inside {
        length = length.binary(BinaryOp::Max, &length.scalar_like(1.0));
    }
    let factors = list(&|i| grid.of_length(i, count).0)?;
    let offsets = list(&|i| grid.of_length(i, count).1)?;
    let along = wide(&length).binary(BinaryOp::Mul, &factors).binary(BinaryOp::Add, &offsets);
    let place = wide(start).binary(BinaryOp::Add, &along);
    let low = wide(&start.binary(BinaryOp::Min, end));
    let high = wide(&start.binary(BinaryOp::Max, end));
    Ok(place.binary(BinaryOp::Max, &low).binary(BinaryOp::Min, &high))
}

/// Reads crops of images with boxes, resized to one size. Positions outside an image have a separate value.
pub(super) fn crop_resize(args: &Args<'_>) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let &[batch, channels, height, width] = &args.dims(x)?[..] else {
        return Err("an image must have four axes".into());
    };
    let size = |name: &str| {
        let size = usize::try_from(args.int(name, 1)?).ok().filter(|&n| n > 0);
        size.ok_or_else(|| Unread(format!("`{name}` is not a valid size")))
    };
    let (out_height, out_width) = (size("target_height")?, size("target_width")?);
    let (boxes, mut dims) = boxes(args, batch)?;
    let count = args.dims(&boxes.images)?[0];
    let whole = [count, out_height, out_width].map(Dim::Static);
    let along = |vertical: bool, size: usize, count: usize| -> Result<Tensor, Unread> {
        let places = places(args, &ends(args, &boxes.sides, vertical, size)?, mode(args)?, count)?;
        Ok(places.broadcast_in_dim(&whole, &[0, if vertical { 1 } else { 2 }]))
    };
    let (rows, columns) = (along(true, height, out_height)?, along(false, width, out_width)?);
    let images = x.apply(Op::Take { axis: 0 }, &[&boxes.images]);
    let found = sampled(args, &images, &rows, &columns, Outside::Border, false)?;
    let inside = |place: &Tensor, size: usize| {
        let last = place.scalar_like(size as f64 - 1.0);
        let after = place.compare(CompareOp::Ge, &place.scalar_like(0.0));
        after.binary(BinaryOp::And, &place.compare(CompareOp::Le, &last))
    };
    let inside = inside(&rows, height).binary(BinaryOp::And, &inside(&columns, width));
    let beyond = found.scalar_like(args.number("pad_value", 0.0)?);
    let found = inside.broadcast_in_dim(&found.dims(), &[0, 2, 3]).select(&found, &beyond);
    dims.extend([channels, out_height, out_width]);
    Ok(found.reshape(&dims.into_iter().map(Dim::Static).collect::<Vec<_>>()))
}
