//! Reads non-maximum suppression: drops boxes that overlap with better ones.

use super::args::{Args, Read, Unread, product};
use rlx_ir::{
    ArgOp, BinaryOp, Builder, CompareOp, DType, Dim, Op, ReduceOp, Shape, SortOrder, SubGraph, Tensor,
    UnaryOp,
};

pub(super) fn read(kind: &str, args: &Args<'_>) -> Option<Read> {
    (kind == "non_maximum_suppression").then(|| suppressed(args))
}

/// Boxes, with the best first.
struct Ranked {
    /// f32 `[n, B, 4]`: centers and sizes, with x and width first.
    boxes: Tensor,
    /// f32 `[n, B]`: scores of the best class.
    best: Tensor,
    /// i32 `[n, B]`: the best class.
    class: Tensor,
    /// i32 `[n, B]`: the index of each box among the given ones.
    places: Tensor,
}

/// Moves the last axis of a tensor before the previous one, if boxes are last.
fn by_boxes(x: &Tensor, boxes_last: bool) -> Tensor {
    if boxes_last { x.transpose(&[0, 2, 1]) } else { x.clone() }
}

/// Returns the rows of `[n, B, k]` at the indices `[n, m]`.
fn rows(x: &Tensor, places: &Tensor) -> Tensor {
    let mut dims = places.dims();
    dims.push(x.dim(2));
    x.apply(Op::GatherAxis { axis: 1 }, &[&places.broadcast_in_dim(&dims, &[0, 1])])
}

fn counted(args: &Args<'_>, like: &Tensor, axis: usize) -> Tensor {
    args.builder.iota(Shape::from_dims(&like.dims(), DType::I32), axis)
}

impl Ranked {
    fn of(args: &Args<'_>, boxes: &Tensor, scores: &Tensor) -> Result<Ranked, Unread> {
        let wide = scores.convert(DType::F32);
        let best = wide.reduce(ReduceOp::Max, &[2], false);
        let op = Op::ArgReduce { op: ArgOp::Max, axis: 2, dtype: DType::I32 };
        let class = wide.apply(op, &[]);
        let sort = Op::Sort { axis: 1, order: SortOrder::Descending, num_keys: 1, stable: true };
        let sorted = best.apply_many(sort, &[&class, &counted(args, &best, 1)]);
        let [best, class, places] = &sorted[..] else { return Err("boxes are not sorted".into()) };
        let boxes = rows(&boxes.convert(DType::F32), places);
        Ok(Ranked { boxes, best: best.clone(), class: class.clone(), places: places.clone() })
    }

    /// Returns which boxes overlap by more than a share of their union: `[n, B, B]`.
    fn overlaps(&self, share: f64, by_class: bool) -> Tensor {
        let mut dims = self.best.dims();
        dims.push(self.best.dim(1));
        let pair = |x: &Tensor| [1, 2].map(|axis| x.broadcast_in_dim(&dims, &[0, axis]));
        let along = |axis: usize| {
            let side = |n: usize| self.boxes.slice_axis(2, n, n + 1).squeeze(2);
            let (center, size) = (side(axis), side(axis + 2));
            let half = size.binary(BinaryOp::Mul, &size.scalar_like(0.5));
            let [a, b] = pair(&center.binary(BinaryOp::Sub, &half));
            let [c, d] = pair(&center.binary(BinaryOp::Add, &half));
            let common = c.binary(BinaryOp::Min, &d).binary(BinaryOp::Sub, &a.binary(BinaryOp::Max, &b));
            (common.binary(BinaryOp::Max, &common.scalar_like(0.0)), size)
        };
        let ((width, wide), (height, high)) = (along(0), along(1));
        let common = width.binary(BinaryOp::Mul, &height);
        let [a, b] = pair(&wide.binary(BinaryOp::Mul, &high));
        let all = a.binary(BinaryOp::Add, &b).binary(BinaryOp::Sub, &common);
        let ratio = common.binary(BinaryOp::Div, &all);
        let overlaps = ratio.compare(CompareOp::Gt, &ratio.scalar_like(share));
        if !by_class {
            return overlaps;
        }
        let [a, b] = pair(&self.class);
        overlaps.binary(BinaryOp::And, &a.compare(CompareOp::Eq, &b))
    }
}

/// Returns which boxes remain if each of `kept` suppresses the boxes after it that it overlaps with, by a loop over the boxes.
fn left(args: &Args<'_>, kept: &Tensor, overlaps: &Tensor) -> Result<Tensor, Unread> {
    let &[_, count] = &args.dims(kept)?[..] else { return Err("boxes must have two axes".into()) };
    let shapes = [Shape::scalar(DType::I32), kept.shape(), overlaps.shape()];
    let graph = |name: &str, of: &dyn Fn(&Builder, &[Tensor]) -> Vec<Tensor>| -> Result<SubGraph, Unread> {
        let b = Builder::new(name);
        let inputs: Vec<Tensor> =
            shapes.iter().enumerate().map(|(i, shape)| b.input(format!("x{i}"), shape.clone())).collect();
        let outputs = of(&b, &inputs);
        let graph = b.finish(&outputs.iter().collect::<Vec<_>>()).map_err(|e| e.to_string())?;
        Ok(SubGraph::new(graph))
    };
    let cond = graph("boxes", &|_, x| vec![x[0].compare(CompareOp::Lt, &x[0].scalar_like(count as f64))])?;
    let body = graph("suppress", &|b, x| {
        let at = |of: &Tensor| of.apply(Op::Take { axis: 1 }, &[&x[0]]);
        let dims = x[1].dims();
        let places = b.iota(Shape::from_dims(&dims, DType::I32), 1);
        let after = places.compare(CompareOp::Gt, &x[0].broadcast_in_dim(&dims, &[]));
        let here = at(&x[1]).broadcast_in_dim(&dims, &[0]);
        let out = at(&x[2]).binary(BinaryOp::And, &here).binary(BinaryOp::And, &after);
        let kept = x[1].binary(BinaryOp::And, &out.unary(UnaryOp::Not));
        vec![x[0].binary(BinaryOp::Add, &x[0].scalar_like(1.0)), kept, x[2].clone()]
    })?;
    let first = args.builder.scalar(0.0, DType::I32);
    let results = first.apply_many(Op::While { cond, body }, &[kept, overlaps]);
    results.into_iter().nth(1).ok_or_else(|| "a loop has no result".into())
}

/// Returns the boxes that remain, the best first, and fill values after them. Before iOS 17, the fourth result is their number.
fn suppressed(args: &Args<'_>) -> Read {
    // From iOS 17 on, there is no minimum score, and boxes are along the last axis.
    let least = args.is_known("score_threshold").then(|| args.number("score_threshold", 0.0)).transpose()?;
    let (boxes, scores) =
        (by_boxes(args.x("boxes")?, least.is_none()), by_boxes(args.x("scores")?, least.is_none()));
    let (&[batch, count, 4], &[of, same, classes]) = (&args.dims(&boxes)?[..], &args.dims(&scores)?[..])
    else {
        return Err("boxes must have four numbers each, and scores one number per class".into());
    };
    if (of, same) != (batch, count) || count == 0 || classes == 0 {
        return Err("there must be a score for each box and class, and at least one box".into());
    }
    product(&[batch, count, count])?;
    let most = usize::try_from(args.int("max_boxes", 0)?).ok().filter(|&n| n > 0);
    let most = most.ok_or("`max_boxes` must be a number of boxes")?;
    let share = args.is_known("iou_threshold").then(|| args.number("iou_threshold", 0.0)).transpose()?;
    let share = share.ok_or("`iou_threshold` is missing")?;
    let ranked = Ranked::of(args, &boxes, &scores)?;
    let place = counted(args, &ranked.best, 1);
    let first = place.compare(CompareOp::Eq, &place.scalar_like(0.0));
    // The best box remains whatever its score is.
    let enough = ranked.best.scalar_like(least.unwrap_or(f64::NEG_INFINITY));
    let kept = ranked.best.compare(CompareOp::Ge, &enough).binary(BinaryOp::Or, &first);
    let kept = left(args, &kept, &ranked.overlaps(share, args.flag("per_class_suppression", false)?))?;
    // Boxes that remain come first.
    let gone = kept.unary(UnaryOp::Not).convert(DType::I32);
    let sort = Op::Sort { axis: 1, order: SortOrder::Ascending, num_keys: 1, stable: true };
    let sorted = gone.apply_many(sort, &[&ranked.places]);
    let places = sorted.get(1).ok_or("boxes are not sorted")?.slice_axis(1, 0, most.min(count));
    let all = kept.convert(DType::I32).reduce(ReduceOp::Sum, &[1], false);
    let number = all.binary(BinaryOp::Min, &all.scalar_like(most as f64));
    let is_there =
        counted(args, &places, 1).compare(CompareOp::Lt, &number.broadcast_in_dim(&places.dims(), &[0]));
    let filled = |x: &Tensor, value: f64| {
        let there = is_there.broadcast_in_dim(&x.dims(), &[0, 1]).select(x, &x.scalar_like(value));
        let mut dims = x.dims();
        dims.iter_mut().skip(1).take(1).for_each(|dim| *dim = Dim::Static(most.saturating_sub(count)));
        if most <= count {
            return there;
        }
        there.apply(Op::Concatenate { axis: 1 }, &[&x.scalar_like(value).broadcast_in_dim(&dims, &[])])
    };
    product(&[batch, most, classes.max(4)])?;
    let found = [&boxes, &scores].map(|x| by_boxes(&filled(&rows(x, &places), 0.0), least.is_none()));
    let mut results = found.to_vec();
    results.push(filled(&places, -1.0));
    if least.is_some() {
        results.push(number);
    }
    Ok(results)
}
