//! Recognizes resized images, blocks of elements as channels or images, and resampling.

use super::form::Form;
use super::rows::Candidates;
use super::seen::Seen;
use rlx_ir::{BinaryOp, Op, OpKind};

/// Returns the operand of a reshape, transpose and reshape, which rearrange elements in blocks.
fn moved(root: Seen<'_>) -> Option<Seen<'_>> {
    root.through(OpKind::Reshape)?.through(OpKind::Transpose)?.through(OpKind::Reshape)
}

/// Returns a candidate with one image as its operand.
fn of_image(x: Seen<'_>, form: Form) -> Candidates {
    Some(vec![(form, vec![x.id])])
}

fn grown(root: Seen<'_>, setting: &'static str) -> Candidates {
    let x = moved(root)?;
    let ([_, _, from, _], [_, _, to, _]) = (x.image()?, root.image()?);
    let size = to.checked_div(from).filter(|&size| size > 1)?;
    of_image(x, Form::of(&["x"]).with(setting, size))
}

fn shrunk(root: Seen<'_>, setting: &'static str) -> Candidates {
    let x = moved(root)?;
    let ([_, _, from, _], [_, _, to, _]) = (x.image()?, root.image()?);
    let size = from.checked_div(to).filter(|&size| size > 1)?;
    // Of these operations, the one that was added later takes unsigned numbers.
    let form = match setting {
        "downscale_factor" => Form::of(&["x"]).with(setting, u32::try_from(size).ok()?),
        _ => Form::of(&["x"]).with(setting, size),
    };
    of_image(x, form)
}

pub(super) fn pixel_shuffle(root: Seen<'_>) -> Candidates {
    grown(root, "upscale_factor")
}

pub(super) fn depth_to_space(root: Seen<'_>) -> Candidates {
    grown(root, "block_size")
}

pub(super) fn pixel_unshuffle(root: Seen<'_>) -> Candidates {
    shrunk(root, "downscale_factor")
}

pub(super) fn space_to_depth(root: Seen<'_>) -> Candidates {
    shrunk(root, "block_size")
}

pub(super) fn space_to_batch(root: Seen<'_>) -> Candidates {
    let mut x = moved(root)?;
    let ([_, _, high, wide], [_, _, to_high, to_wide]) = (x.image()?, root.image()?);
    let blocks = [high.checked_div(to_high)?, wide.checked_div(to_wide)?];
    let mut pads = [[0; 2]; 2];
    if let Op::Pad { low, high, .. } = x.op() {
        let of = |list: &[i64], axis: usize| usize::try_from(*list.get(axis)?).ok();
        pads = [[of(low, 2)?, of(high, 2)?], [of(low, 3)?, of(high, 3)?]];
        x = x.input(0)?;
    }
    of_image(x, Form::of(&["x"]).with("block_shape", &blocks[..]).with("paddings", pads))
}

pub(super) fn batch_to_space(root: Seen<'_>) -> Candidates {
    let mut whole = root;
    let mut crops = [[0; 2]; 2];
    while let Op::Slice { starts, limits, .. } = whole.op() {
        let x = whole.input(0)?;
        for (i, axis) in [2, 3].into_iter().enumerate() {
            let (start, limit) = (starts.get(axis)?.as_static()?, limits.get(axis)?.as_static()?);
            crops[i][0] += start;
            crops[i][1] += x.image()?[axis].checked_sub(limit)?;
        }
        whole = x;
    }
    let x = moved(whole)?;
    let ([_, _, high, wide], [_, _, to_high, to_wide]) = (x.image()?, whole.image()?);
    let blocks = [to_high.checked_div(high)?, to_wide.checked_div(wide)?];
    of_image(x, Form::of(&["x"]).with("block_shape", &blocks[..]).with("crops", crops))
}

pub(super) fn crop(root: Seen<'_>) -> Candidates {
    let Op::Slice { starts, limits, .. } = root.op() else { return None };
    let inner = root.input(0)?;
    let Op::Slice { starts: inner_starts, limits: inner_limits, .. } = inner.op() else { return None };
    let x = inner.input(0)?;
    let [_, _, high, wide] = x.image()?;
    let ends = |starts: &[rlx_ir::Dim], limits: &[rlx_ir::Dim], axis: usize, size: usize| {
        Some([starts[axis].as_static()?, size.checked_sub(limits[axis].as_static()?)?])
    };
    let form = Form::of(&["x"])
        .with("crop_height", &ends(inner_starts, inner_limits, 2, high)?[..])
        .with("crop_width", &ends(starts, limits, 3, wide)?[..]);
    of_image(x, form)
}

/// Returns the factors by which an image grows, if they are whole numbers.
fn factors(x: Seen<'_>, root: Seen<'_>) -> Option<[usize; 2]> {
    let (from, to) = (x.image()?, root.image()?);
    let factor = |axis: usize| to[axis].is_multiple_of(from[axis]).then(|| to[axis] / from[axis]);
    Some([factor(2)?, factor(3)?])
}

fn upsampled(x: Seen<'_>, root: Seen<'_>) -> Option<Form> {
    let [high, wide] = factors(x, root)?;
    Some(Form::of(&["x"]).with("scale_factor_height", high).with("scale_factor_width", wide))
}

fn resized(root: Seen<'_>) -> Option<Form> {
    let [_, _, high, wide] = root.image()?;
    Some(Form::of(&["x"]).with("target_size_height", high).with("target_size_width", wide))
}

pub(super) fn upsample_nearest(root: Seen<'_>) -> Candidates {
    let x = root.through(OpKind::Reshape)?.through(OpKind::BroadcastInDim)?;
    of_image(x, upsampled(x, root)?)
}

pub(super) fn resize_nearest(root: Seen<'_>) -> Candidates {
    let first = root.through(OpKind::Take)?;
    let x = first.through(OpKind::Take).unwrap_or(first);
    of_image(x, resized(root)?)
}

/// Returns the operand of a selection of elements, or of an interpolation along one axis.
fn level(at: Seen<'_>) -> Option<Seen<'_>> {
    match at.both(BinaryOp::Add) {
        Some([before, _]) => before.through(OpKind::Take),
        None => at.through(OpKind::Take),
    }
}

/// Returns the operands of interpolations along the last axes, for each number of axes.
fn levels(root: Seen<'_>) -> Vec<Seen<'_>> {
    let mut found = Vec::new();
    let mut at = root;
    while let Some(x) = level(at).filter(|_| found.len() < 4) {
        found.push(x);
        at = x;
    }
    found
}

/// Sampling modes, the common ones first.
const MODES: [&str; 5] =
    ["STRICT_ALIGN_CORNERS", "UNALIGN_CORNERS", "DEFAULT", "ALIGN_CORNERS", "OFFSET_CORNERS"];

pub(super) fn upsample_bilinear(root: Seen<'_>) -> Candidates {
    let mut candidates = Vec::new();
    for x in levels(root) {
        let Some(form) = upsampled(x, root) else { continue };
        for aligned in [true, false] {
            let form = form.clone().with("align_corners", aligned).with("half_pixel_centers", !aligned);
            candidates.push((form, vec![x.id]));
        }
    }
    Some(candidates)
}

pub(super) fn resize_bilinear(root: Seen<'_>) -> Candidates {
    let mut candidates = Vec::new();
    for x in levels(root) {
        let Some(form) = resized(root) else { continue };
        let with = |mode| (form.clone().with("sampling_mode", mode), vec![x.id]);
        candidates.extend(MODES.map(with));
    }
    Some(candidates)
}

pub(super) fn resize(root: Seen<'_>) -> Candidates {
    let dims = root.dims()?;
    let mut candidates = Vec::new();
    for x in levels(root) {
        let from = x.dims()?;
        if from.len() != dims.len() {
            continue;
        }
        let same = from.iter().zip(&dims).take_while(|(a, b)| a == b).count();
        let form =
            Form::of(&["x"]).with("shape", &dims[same..]).with("resized_dims", (dims.len() - same) as u32);
        let linear = form.clone().with("interpolation_mode", "LINEAR");
        let with = |mode| (linear.clone().with("sampling_mode", mode), vec![x.id]);
        candidates.extend(MODES.map(with));
        let nearest = form.with("interpolation_mode", "NEAREST_NEIGHBOR").with("sampling_mode", "DEFAULT");
        candidates.push((nearest, vec![x.id]));
    }
    Some(candidates)
}

/// Maximum number of nodes that resampling consists of.
const SAMPLING: usize = 400;

/// Returns the image with elements that are picked by their positions in rows.
fn sampled(root: Seen<'_>) -> Option<Seen<'_>> {
    root.image()?;
    if let Some([before, step]) = root.both(BinaryOp::Add) {
        // An interpolation between two values with a weight.
        let [off, _] = step.both(BinaryOp::Mul)?;
        let [_, from] = off.both(BinaryOp::Sub)?;
        (from.id == before.id).then_some(())?;
    }
    let picked = root.find(SAMPLING, |node| matches!(node.op(), Op::GatherAxis { axis: 2 }))?;
    picked.input(0)?.through(OpKind::Reshape).filter(|x| x.image().is_some())
}

/// Returns how positions outside an image may be read, with a number from the graph for constants.
fn outside(root: Seen<'_>, form: &Form) -> Vec<Form> {
    let mut forms: Vec<Form> = ["border", "reflection", "symmetric"]
        .into_iter()
        .map(|mode| form.clone().with("padding_mode", mode).with("padding_value", (0.0, root.dtype())))
        .collect();
    let choice = root.find(SAMPLING, |node| matches!(node.op(), Op::Select {}));
    if let Some(value) = choice.and_then(|choice| choice.input(2)?.number()) {
        forms
            .push(form.clone().with("padding_mode", "constant").with("padding_value", (value, root.dtype())));
    }
    forms
}

pub(super) fn resample(root: Seen<'_>) -> Candidates {
    let x = sampled(root)?;
    let [_, _, high, wide] = root.image()?;
    let places = root.find(SAMPLING, |node| {
        node.image().is_some_and(|dims| dims[1..] == [high, wide, 2])
            && !matches!(node.op(), Op::Slice { .. })
    })?;
    let mut candidates = Vec::new();
    for sampling in ["bilinear", "nearest"] {
        for mode in ["unnormalized", "normalized_minus_one_to_one", "normalized_zero_to_one"] {
            for aligned in [true, false] {
                let form = Form::of(&["x", "coordinates"])
                    .with("sampling_mode", sampling)
                    .with("coordinates_mode", mode)
                    .with("align_corners", aligned);
                let forms = outside(root, &form);
                candidates.extend(forms.into_iter().map(|form| (form, vec![x.id, places.id])));
            }
        }
    }
    Some(candidates)
}

pub(super) fn affine(root: Seen<'_>) -> Candidates {
    let x = sampled(root)?;
    let [_, _, high, wide] = root.image()?;
    let matrix =
        root.find(SAMPLING, |node| node.dims().is_some_and(|dims| dims.len() == 2 && dims[1] == 6))?;
    let form = Form::of(&["x", "transform_matrix"])
        .with("output_height", high)
        .with("output_width", wide)
        .with("sampling_mode", "bilinear")
        .with("coordinates_mode", "normalized_minus_one_to_one")
        .with("align_corners", true);
    let forms = outside(root, &form);
    Some(forms.into_iter().map(|form| (form, vec![x.id, matrix.id])).collect())
}
