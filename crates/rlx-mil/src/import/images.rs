//! Reads resizing and resampling of images. Known positions along an axis are split into the element before and the distance from it.

use super::args::{Args, Read, Unread, product};
use rlx_ir::{BinaryOp, CompareOp, DType, Dim, Literal, Op, Tensor, UnaryOp};

pub(super) fn read(kind: &str, args: &Args<'_>) -> Option<Read> {
    let result = match kind {
        "upsample_nearest_neighbor" => scaled(args).and_then(|sizes| nearest(args, &sizes)),
        "upsample_bilinear" => scaled(args).and_then(|sizes| resized(args, &sizes, Some(corners(args)?))),
        "resize_nearest_neighbor" => target(args).and_then(|sizes| nearest(args, &sizes)),
        "resize_bilinear" => target(args).and_then(|sizes| resized(args, &sizes, Some(mode(args)?))),
        "resize" => resize(args),
        "resample" => resample(args),
        "affine" => affine(args),
        "crop_resize" => super::crops::crop_resize(args),
        _ => return None,
    };
    Some(result.map(|x| vec![x]))
}

/// The positions of result elements in the image.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Grid {
    /// From the first element, in steps of in / out.
    FirstCorner,
    /// The ends are aligned; a single element is at the first one.
    BothCorners,
    /// The ends are aligned; a single element is in the middle.
    Corners,
    /// Elements are areas, and their centers are sampled.
    Centers,
    /// The ends are half a step inside.
    Inside,
}

impl Grid {
    fn place(self, i: usize, from: usize, to: usize) -> f64 {
        let (i, size, count) = (i as f64, from as f64, to as f64);
        let last = size - 1.0;
        let place = match self {
            Grid::FirstCorner => i * size / count,
            Grid::Corners if to == 1 => last / 2.0,
            Grid::BothCorners | Grid::Corners => i * last / (count - 1.0).max(1.0),
            Grid::Centers => (i + 0.5) * size / count - 0.5,
            Grid::Inside => (i + 0.5) * last.max(1.0) / count,
        };
        place.clamp(0.0, last)
    }

    /// Returns the position relative to the centers of two elements: the factor of the length between them, and an offset. Positions are
    /// not clamped, and for [`Grid::Inside`], the length is at least 1.
    pub(super) fn of_length(self, i: usize, to: usize) -> (f64, f64) {
        let (i, count) = (i as f64, to as f64);
        match self {
            Grid::FirstCorner => (i / count, i / count),
            Grid::Corners if to == 1 => (0.5, 0.0),
            Grid::BothCorners | Grid::Corners => (i / (count - 1.0).max(1.0), 0.0),
            Grid::Centers => ((i + 0.5) / count, (i + 0.5) / count - 0.5),
            Grid::Inside => ((i + 0.5) / count, 0.0),
        }
    }
}

pub(super) fn mode(args: &Args<'_>) -> Result<Grid, Unread> {
    Ok(match args.text("sampling_mode", "DEFAULT")? {
        "DEFAULT" => Grid::FirstCorner,
        "STRICT_ALIGN_CORNERS" => Grid::BothCorners,
        "ALIGN_CORNERS" => Grid::Corners,
        "UNALIGN_CORNERS" => Grid::Centers,
        "OFFSET_CORNERS" => Grid::Inside,
        mode => return Err(format!("unknown sampling mode `{mode}`").into()),
    })
}

fn corners(args: &Args<'_>) -> Result<Grid, Unread> {
    let aligned = args.flag("align_corners", true)?;
    match (aligned, args.flag("half_pixel_centers", !aligned)?) {
        (true, false) => Ok(Grid::BothCorners),
        (false, true) => Ok(Grid::Centers),
        (false, false) => Ok(Grid::FirstCorner),
        (true, true) => Err("corners and centers cannot both be aligned".into()),
    }
}

/// Returns the sizes of the last two axes.
fn image(args: &Args<'_>) -> Result<[usize; 2], Unread> {
    match args.dims(args.x("x")?)?[..] {
        [.., height, width] if height > 0 && width > 0 => Ok([height, width]),
        _ => Err("an image needs two axes".into()),
    }
}

/// Returns the sizes that result from factors.
fn scaled(args: &Args<'_>) -> Result<Vec<usize>, Unread> {
    let [height, width] = image(args)?;
    let size = |size: usize, name: &str| -> Result<usize, Unread> {
        let size = (size as f64 * args.number(name, 1.0)?).floor();
        if (1.0..=f64::from(i32::MAX)).contains(&size) {
            Ok(size as usize)
        } else {
            Err("an image becomes empty".into())
        }
    };
    Ok(vec![size(height, "scale_factor_height")?, size(width, "scale_factor_width")?])
}

/// Returns the requested sizes.
fn target(args: &Args<'_>) -> Result<Vec<usize>, Unread> {
    let size = |name: &str| {
        let size = usize::try_from(args.int(name, 1)?).ok().filter(|&n| n > 0);
        size.ok_or_else(|| Unread(format!("`{name}` is not a valid size")))
    };
    Ok(vec![size("target_size_height")?, size("target_size_width")?])
}

fn resize(args: &Args<'_>) -> Result<Tensor, Unread> {
    let dims = args.dims(args.x("x")?)?;
    let shape = args.some_ints("shape")?;
    let count = usize::try_from(args.int("resized_dims", 0)?).unwrap_or(0);
    if count > shape.len() || count > dims.len() {
        return Err("more axes are resized than the tensor has".into());
    }
    let (asked, own) = (&shape[shape.len() - count..], &dims[dims.len() - count..]);
    let size = |(&n, &own): (&i64, &usize)| if n == 0 { Ok(own) } else { usize::try_from(n) };
    let sizes: Result<Vec<usize>, _> = asked.iter().zip(own).map(size).collect();
    let sizes = sizes.map_err(|_| "`shape` has an invalid size")?;
    match args.text("interpolation_mode", "LINEAR")? {
        "LINEAR" => resized(args, &sizes, Some(mode(args)?)),
        "NEAREST_NEIGHBOR" if mode(args)? == Grid::FirstCorner => nearest(args, &sizes),
        other => Err(format!("resizing by `{other}` is not supported").into()),
    }
}

/// Resizes the last axes of a tensor to the elements before the positions in steps of in / out. If an axis grows by a whole factor, each
/// element is repeated.
fn nearest(args: &Args<'_>, sizes: &[usize]) -> Result<Tensor, Unread> {
    let x = args.x("x")?;
    let dims = args.dims(x)?;
    let first = dims.len().checked_sub(sizes.len()).ok_or("an image needs two axes")?;
    let factors: Vec<usize> = dims[first..].iter().zip(sizes).map(|(&from, &to)| to / from.max(1)).collect();
    let are_whole =
        dims[first..].iter().zip(sizes).zip(&factors).all(|((&from, &to), &n)| n > 0 && from * n == to);
    if !are_whole {
        return resized(args, sizes, None);
    }
    let (mut wide, mut axes): (Vec<Dim>, Vec<usize>) =
        (dims[..first].iter().map(|&n| Dim::Static(n)).collect(), (0..first).collect());
    for (&size, &factor) in dims[first..].iter().zip(&factors) {
        axes.push(wide.len());
        wide.push(Dim::Static(size));
        if factor > 1 {
            wide.push(Dim::Static(factor));
        }
    }
    let whole: Vec<Dim> = dims[..first].iter().chain(sizes).map(|&n| Dim::Static(n)).collect();
    Ok(if wide.len() == dims.len() { x.clone() } else { x.broadcast_in_dim(&wide, &axes).reshape(&whole) })
}

/// Resizes the last axes of a tensor to the elements at the positions of a grid, or if there is none, to the elements before the positions
/// in steps of in / out.
fn resized(args: &Args<'_>, sizes: &[usize], grid: Option<Grid>) -> Result<Tensor, Unread> {
    let mut x = args.x("x")?.clone();
    let dims = args.dims(&x)?;
    let first = dims.len().checked_sub(sizes.len()).ok_or("an image needs two axes")?;
    for (axis, (&from, &to)) in (first..).zip(dims[first..].iter().zip(sizes)) {
        if from == 0 || to == 0 || i32::try_from(from).is_err() {
            return Err("an image has no size, or is too large".into());
        }
        args.makes(to.saturating_mul(3))?;
        let taken = |place: &dyn Fn(usize) -> usize| -> Result<Tensor, Unread> {
            let places: Vec<i32> = (0..to).map(|i| place(i) as i32).collect();
            let places = Literal::new(&[to], &places).map_err(|e| e.to_string())?;
            Ok(x.apply(Op::Take { axis }, &[&args.builder.constant(places)]))
        };
        let Some(grid) = grid else {
            if from == to {
                continue;
            }
            x = taken(&|i| (i as u128 * from as u128 / to as u128) as usize)?;
            continue;
        };
        let place = |i: usize| grid.place(i, from, to);
        if from == to && (0..to).all(|i| place(i) == i as f64) {
            continue;
        }
        let behind: Vec<f32> = (0..to).map(|i| place(i).fract() as f32).collect();
        let before = taken(&|i| place(i) as usize)?;
        if behind.iter().all(|&w| w == 0.0) {
            x = before;
            continue;
        }
        let after = taken(&|i| (place(i) as usize + 1).min(from - 1))?;
        let behind = args.builder.constant(Literal::new(&[to], &behind).map_err(|e| e.to_string())?);
        x = between(&before, &after, &behind.convert(x.dtype()).broadcast_in_dim(&before.dims(), &[axis]));
    }
    Ok(x)
}

/// Computes before + (after − before) · weight.
fn between(before: &Tensor, after: &Tensor, weight: &Tensor) -> Tensor {
    before.binary(BinaryOp::Add, &after.binary(BinaryOp::Sub, before).binary(BinaryOp::Mul, weight))
}

/// How positions outside an image are read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Outside {
    Constant(f64),
    Border,
    /// As if the image were mirrored, with the end elements shared.
    Reflection,
    /// As if the image were mirrored, with the end elements repeated.
    Symmetric,
}

fn outside(args: &Args<'_>) -> Result<Outside, Unread> {
    Ok(match args.text("padding_mode", "constant")? {
        "constant" => Outside::Constant(args.number("padding_value", 0.0)?),
        "border" => Outside::Border,
        "reflection" => Outside::Reflection,
        "symmetric" => Outside::Symmetric,
        mode => return Err(format!("unknown padding mode `{mode}`").into()),
    })
}

/// Converts coordinates along an axis of `size` elements to element positions.
fn in_elements(args: &Args<'_>, x: &Tensor, size: usize) -> Result<Tensor, Unread> {
    let unit = match args.text("coordinates_mode", "unnormalized")? {
        "unnormalized" => return Ok(x.clone()),
        "normalized_zero_to_one" => x.clone(),
        "normalized_minus_one_to_one" => {
            x.binary(BinaryOp::Add, &x.scalar_like(1.0)).binary(BinaryOp::Mul, &x.scalar_like(0.5))
        }
        mode => return Err(format!("unknown coordinates mode `{mode}`").into()),
    };
    let (factor, offset) =
        if args.flag("align_corners", true)? { (size as f64 - 1.0, 0.0) } else { (size as f64, 0.5) };
    let scaled = unit.binary(BinaryOp::Mul, &x.scalar_like(factor));
    Ok(scaled.binary(BinaryOp::Sub, &x.scalar_like(offset)))
}

/// Maps positions in mirror images to positions in the image.
fn folded(place: &Tensor, size: usize, outside: Outside) -> Tensor {
    let last = size as f64 - 1.0;
    let number = |n: f64| place.scalar_like(n);
    let clamped = |x: &Tensor| x.binary(BinaryOp::Max, &number(0.0)).binary(BinaryOp::Min, &number(last));
    let (low, period) = match outside {
        Outside::Constant(_) => return place.clone(),
        Outside::Border => return clamped(place),
        Outside::Reflection => (0.0, last),
        Outside::Symmetric => (-0.5, size as f64),
    };
    if period == 0.0 {
        return clamped(place);
    }
    // The distance of a position from the nearest multiple of two periods.
    let from_low = place.binary(BinaryOp::Sub, &number(low)).unary(UnaryOp::Abs);
    let periods = from_low.binary(BinaryOp::Div, &number(2.0 * period)).unary(UnaryOp::Floor);
    let rest = from_low.binary(BinaryOp::Sub, &periods.binary(BinaryOp::Mul, &number(2.0 * period)));
    let back = number(2.0 * period).binary(BinaryOp::Sub, &rest);
    clamped(&rest.binary(BinaryOp::Min, &back).binary(BinaryOp::Add, &number(low)))
}

/// Samples `[B, C, H, W]` at the positions (x, y) of `[B, H2, W2, 2]`.
fn resample(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, coordinates) = (args.x("x")?, args.x("coordinates")?);
    let (&[_, _, height, width], &[_, _, _, 2]) = (&args.dims(x)?[..], &args.dims(coordinates)?[..]) else {
        return Err("images and coordinates need four axes, and coordinates a last axis of 2".into());
    };
    let axis = |n: usize| coordinates.slice_axis(3, n, n + 1).squeeze(3).convert(DType::F32);
    let nearest = match args.text("sampling_mode", "bilinear")? {
        "bilinear" => false,
        "nearest" => true,
        mode => return Err(format!("unknown sampling mode `{mode}`").into()),
    };
    let columns = in_elements(args, &axis(0), width)?;
    let rows = in_elements(args, &axis(1), height)?;
    sampled(args, x, &rows, &columns, outside(args)?, nearest)
}

/// Samples an image at rows and columns that are f32 `[B, H2, W2]`.
pub(super) fn sampled(
    args: &Args<'_>,
    x: &Tensor,
    rows: &Tensor,
    columns: &Tensor,
    outside: Outside,
    nearest: bool,
) -> Result<Tensor, Unread> {
    let &[batch, channels, height, width] = &args.dims(x)?[..] else {
        return Err("an image must have four axes".into());
    };
    let &[_, out_height, out_width] = &args.dims(rows)?[..] else {
        return Err("positions must have three axes".into());
    };
    if height == 0 || width == 0 {
        return Err("an image has no size".into());
    }
    let dims = |list: &[usize]| list.iter().map(|&n| Dim::Static(n)).collect::<Vec<Dim>>();
    let (rows, columns) = (folded(rows, height, outside), folded(columns, width, outside));
    let out_places = product(&[out_height, out_width])?;
    let flat = x.reshape(&dims(&[batch, channels, height * width]));
    let number = |n: f64| rows.scalar_like(n);
    let at = |row: &Tensor, column: &Tensor| {
        let clamped = |x: &Tensor, size: usize| {
            x.binary(BinaryOp::Max, &number(0.0)).binary(BinaryOp::Min, &number(size as f64 - 1.0))
        };
        let (inner_row, inner_column) = (clamped(row, height), clamped(column, width));
        let whole = |x: &Tensor| x.convert(DType::I32);
        let line = whole(&inner_row).binary(
            BinaryOp::Mul,
            &args.builder.scalar(width as f64, DType::I32).broadcast_in_dim(&rows.dims(), &[]),
        );
        let places = line.binary(BinaryOp::Add, &whole(&inner_column)).reshape(&dims(&[batch, out_places]));
        let places = places.broadcast_in_dim(&dims(&[batch, channels, out_places]), &[0, 2]);
        let found = flat.apply(Op::GatherAxis { axis: 2 }, &[&places]);
        let found = found.reshape(&dims(&[batch, channels, out_height, out_width]));
        let Outside::Constant(value) = outside else { return found };
        let same = |a: &Tensor, b: &Tensor| a.compare(CompareOp::Eq, b);
        let inside = same(row, &inner_row).binary(BinaryOp::And, &same(column, &inner_column));
        inside.broadcast_in_dim(&found.dims(), &[0, 2, 3]).select(&found, &found.scalar_like(value))
    };
    if nearest {
        return Ok(at(&rows.unary(UnaryOp::RoundEven), &columns.unary(UnaryOp::RoundEven)));
    }
    let (top, left) = (rows.unary(UnaryOp::Floor), columns.unary(UnaryOp::Floor));
    let next = |x: &Tensor| x.binary(BinaryOp::Add, &number(1.0));
    let (bottom, right) = (next(&top), next(&left));
    let rest = |x: &Tensor, low: &Tensor, like: &Tensor| {
        x.binary(BinaryOp::Sub, low).convert(like.dtype()).broadcast_in_dim(&like.dims(), &[0, 2, 3])
    };
    let corners = [at(&top, &left), at(&top, &right), at(&bottom, &left), at(&bottom, &right)];
    let (down, along) = (rest(&rows, &top, &corners[0]), rest(&columns, &left, &corners[0]));
    let [upper, lower] =
        [between(&corners[0], &corners[1], &along), between(&corners[2], &corners[3], &along)];
    Ok(between(&upper, &lower, &down))
}

/// Samples at the positions to which a matrix `[D, 6]` maps coordinates of the result between −1 and 1, with aligned ends.
fn affine(args: &Args<'_>) -> Result<Tensor, Unread> {
    let (x, matrix) = (args.x("x")?, args.x("transform_matrix")?);
    let size = |name: &str| {
        let size = usize::try_from(args.int(name, 0)?).ok().filter(|&n| n > 0);
        size.ok_or_else(|| Unread(format!("`{name}` is not a valid size")))
    };
    let (height, width) = (size("output_height")?, size("output_width")?);
    let &[batch, _, from_height, from_width] = &args.dims(x)?[..] else {
        return Err("an image must have four axes".into());
    };
    let &[given, 6] = &args.dims(matrix)?[..] else { return Err("a transform needs six numbers".into()) };
    if args.text("coordinates_mode", "normalized_minus_one_to_one")? != "normalized_minus_one_to_one"
        || (given != 1 && given != batch)
    {
        return Err("a transform must use coordinates between -1 and 1, for all images or for each".into());
    }
    if !args.flag("align_corners", true)? {
        return Err("transforms without aligned corners are not supported".into());
    }
    args.makes(height.saturating_add(width))?;
    let dims = [batch, height, width].map(Dim::Static);
    let steps = |count: usize, axis: usize| -> Result<Tensor, Unread> {
        let place =
            |i: usize| if count == 1 { -1.0 } else { (2.0 * i as f64 / (count as f64 - 1.0) - 1.0) as f32 };
        let places: Vec<f32> = (0..count).map(place).collect();
        let places = Literal::new(&[count], &places).map_err(|e| e.to_string())?;
        Ok(args.builder.constant(places).broadcast_in_dim(&dims, &[axis]))
    };
    let (across, down) = (steps(width, 2)?, steps(height, 1)?);
    let number = |n: usize| {
        let column = matrix.slice_axis(1, n, n + 1).convert(DType::F32);
        let column = column.reshape(&[Dim::Static(given)]);
        if given == batch {
            column.broadcast_in_dim(&dims, &[0])
        } else {
            column.reshape(&[]).broadcast_in_dim(&dims, &[])
        }
    };
    let line = |n: usize| {
        let sum = number(n)
            .binary(BinaryOp::Mul, &across)
            .binary(BinaryOp::Add, &number(n + 1).binary(BinaryOp::Mul, &down));
        sum.binary(BinaryOp::Add, &number(n + 2))
    };
    let columns = in_elements(args, &line(0), from_width)?;
    let rows = in_elements(args, &line(3), from_height)?;
    sampled(args, x, &rows, &columns, outside(args)?, false)
}
