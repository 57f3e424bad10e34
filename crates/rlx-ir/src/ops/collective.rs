//! Collectives: ops that the participants along a named axis compute together. Mapping a graph over an axis of that name replaces
//! them by ops on that axis. Otherwise a program is the only participant, and they mean what they mean in a group of one: no
//! element moves, and none is combined with another.

use crate::dim::Dim;
use crate::dtype::DType;
use crate::op::kinds::{BinaryOp, ReduceOp};
use crate::op::{Op, OpError};
use crate::shape::Shape;
use crate::tensor::{Builder, Tensor};

/// Fails unless a group of this size has just one participant.
fn check_size(axis_name: &str, size: &Dim) -> Result<(), OpError> {
    if size.as_static() == Some(1) {
        return Ok(());
    }
    Err(OpError::Eval(format!(
        "the axis {axis_name:?} has size {size}, but nothing maps over an axis of this name; map the graph over it, or state \
         size 1"
    )))
}

/// Fails unless all participants are participant 0.
fn check_participants(axis_name: &str, sources: &[usize], targets: &[usize]) -> Result<(), OpError> {
    match sources.iter().chain(targets).find(|&&i| i != 0) {
        None => Ok(()),
        Some(i) => Err(OpError::Eval(format!(
            "participant {i} of axis {axis_name:?} is named, but nothing maps over an axis of this name; map the graph over it"
        ))),
    }
}

/// A dimension divided by the number of participants.
fn parted(x: &Shape, axis: usize, size: &Dim) -> Result<Dim, OpError> {
    OpError::check_axis(axis, x.rank())?;
    let dim = x.dim(axis);
    match (dim.as_static(), size.as_static()) {
        (_, Some(0)) => Err(OpError::attribute("a group has at least one participant")),
        (Some(n), Some(size)) if n % size != 0 => {
            Err(OpError::shape(format!("axis {axis} of {x} cannot be split into {size} equal parts")))
        }
        _ => Ok(dim.floor_div(size)),
    }
}

/// The shape without an axis that has one element per participant.
fn without_participants(x: &Shape, axis: usize, size: &Dim) -> Result<Shape, OpError> {
    OpError::check_axis(axis, x.rank())?;
    if !x.dim(axis).compatible(size) {
        let message = format!("axis {axis} of {x} must have the group's size, {size}, unless `tiled` is set");
        return Err(OpError::shape(message));
    }
    Ok(x.without_axes(&[axis]))
}

fn with_dim(x: &Shape, axis: usize, dim: Dim) -> Shape {
    let mut dims = x.dims().to_vec();
    dims[axis] = dim;
    x.with_dims(dims)
}

/// The shape with a new axis of one element per participant.
fn with_participants(x: &Shape, axis: usize, size: &Dim) -> Result<Shape, OpError> {
    OpError::check_axis(axis, x.rank() + 1)?;
    let mut dims = x.dims().to_vec();
    dims.insert(axis, size.clone());
    Ok(x.with_dims(dims))
}

/// Combines the values of all participants.
pub(crate) mod all_reduce {
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::op::kinds::ReduceOp;
    use crate::shape::Shape;

    pub(crate) fn infer(x: &Shape, op: ReduceOp, _: &str) -> Result<Shape, OpError> {
        OpError::check_reduction(op, ReduceOp::BINARY)?;
        OpError::check_dtype("x", x.dtype(), op.accepts())?;
        Ok(x.clone())
    }

    pub(crate) fn eval(_: &EvalCx<'_>, x: &Value, _: ReduceOp, _: &str) -> Result<Value, OpError> {
        Ok(x.clone())
    }
}

/// Stacks or joins the values of all participants.
pub(crate) mod all_gather {
    use super::{check_size, with_dim, with_participants};
    use crate::dim::Dim;
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(x: &Shape, axis: usize, _: &str, size: &Dim, tiled: bool) -> Result<Shape, OpError> {
        if !tiled {
            return with_participants(x, axis, size);
        }
        OpError::check_axis(axis, x.rank())?;
        Ok(with_dim(x, axis, x.dim(axis) * size))
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        x: &Value,
        _: usize,
        axis_name: &str,
        size: &Dim,
        _: bool,
    ) -> Result<Value, OpError> {
        check_size(axis_name, size)?;
        Ok(x.clone().with_dims(cx.dims()))
    }
}

/// Combines the values of all participants, and gives each participant a part of the result.
pub(crate) mod reduce_scatter {
    use super::{check_size, parted, with_dim, without_participants};
    use crate::dim::Dim;
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::op::kinds::ReduceOp;
    use crate::shape::Shape;

    pub(crate) fn infer(
        x: &Shape,
        op: ReduceOp,
        axis: usize,
        _: &str,
        size: &Dim,
        tiled: bool,
    ) -> Result<Shape, OpError> {
        OpError::check_reduction(op, ReduceOp::BINARY)?;
        OpError::check_dtype("x", x.dtype(), op.accepts())?;
        if !tiled {
            return without_participants(x, axis, size);
        }
        Ok(with_dim(x, axis, parted(x, axis, size)?))
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        x: &Value,
        _: ReduceOp,
        _: usize,
        axis_name: &str,
        size: &Dim,
        _: bool,
    ) -> Result<Value, OpError> {
        check_size(axis_name, size)?;
        Ok(x.clone().with_dims(cx.dims()))
    }
}

/// Sends a part of each participant's value to each other participant.
pub(crate) mod all_to_all {
    use super::{check_size, parted, with_dim, with_participants, without_participants};
    use crate::dim::Dim;
    use crate::eval::{EvalCx, Value};
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(
        x: &Shape,
        split_axis: usize,
        concat_axis: usize,
        _: &str,
        size: &Dim,
        tiled: bool,
    ) -> Result<Shape, OpError> {
        if !tiled {
            return with_participants(&without_participants(x, split_axis, size)?, concat_axis, size);
        }
        OpError::check_axis(concat_axis, x.rank())?;
        let split = with_dim(x, split_axis, parted(x, split_axis, size)?);
        Ok(with_dim(&split, concat_axis, split.dim(concat_axis) * size))
    }

    pub(crate) fn eval(
        cx: &EvalCx<'_>,
        x: &Value,
        _: usize,
        _: usize,
        axis_name: &str,
        size: &Dim,
        _: bool,
    ) -> Result<Value, OpError> {
        check_size(axis_name, size)?;
        Ok(x.clone().with_dims(cx.dims()))
    }
}

/// Sends values from participants to others.
pub(crate) mod permute {
    use super::check_participants;
    use crate::eval::{EvalCx, Scalar, Value};
    use crate::op::OpError;
    use crate::shape::Shape;

    pub(crate) fn infer(x: &Shape, sources: &[usize], targets: &[usize], _: &str) -> Result<Shape, OpError> {
        if sources.len() != targets.len() {
            let (from, to) = (sources.len(), targets.len());
            return Err(OpError::attribute(format!("{from} source(s) for {to} target(s)")));
        }
        for list in [sources, targets] {
            let repeated = list.iter().enumerate().find(|(i, n)| list[..*i].contains(n));
            if let Some((_, n)) = repeated {
                let message = format!("participant {n} is named twice in {list:?}");
                return Err(OpError::attribute(message));
            }
        }
        Ok(x.clone())
    }

    pub(crate) fn eval(
        _: &EvalCx<'_>,
        x: &Value,
        sources: &[usize],
        targets: &[usize],
        axis_name: &str,
    ) -> Result<Value, OpError> {
        check_participants(axis_name, sources, targets)?;
        if !targets.is_empty() {
            return Ok(x.clone());
        }
        Ok(Value::splat(x.dims().to_vec(), x.dtype(), Scalar::Int(0)))
    }
}

/// The index of the only participant.
pub(crate) fn axis_index(_: &str) -> Result<Tensor, OpError> {
    Ok(Builder::new("axis_index").int(0, DType::I32))
}

impl Op {
    /// The name of the axis along which a collective runs; `None` for other ops.
    pub fn axis_name(&self) -> Option<&str> {
        match self {
            Op::AllReduce { axis_name, .. }
            | Op::AllGather { axis_name, .. }
            | Op::ReduceScatter { axis_name, .. }
            | Op::AllToAll { axis_name, .. }
            | Op::Permute { axis_name, .. }
            | Op::AxisIndex { axis_name } => Some(axis_name),
            _ => None,
        }
    }

    /// Fails for a collective that has more than one participant, because no one has mapped the graph over its axis.
    pub fn check_alone(&self) -> Result<(), OpError> {
        match self {
            Op::AllGather { axis_name, size, .. }
            | Op::ReduceScatter { axis_name, size, .. }
            | Op::AllToAll { axis_name, size, .. } => check_size(axis_name, size),
            Op::Permute { sources, targets, axis_name } => check_participants(axis_name, sources, targets),
            _ => Ok(()),
        }
    }
}

impl Builder {
    /// The index of this participant along the axis of this name, as an i32 scalar; 0 if nothing maps over it.
    #[track_caller]
    pub fn axis_index(&self, axis_name: &str) -> Tensor {
        self.apply(Op::AxisIndex { axis_name: axis_name.into() }, &[])
    }
}

impl Tensor {
    /// Combines the values of all participants along the axis of this name; each participant gets the result.
    #[track_caller]
    pub fn all_reduce(&self, op: ReduceOp, axis_name: &str) -> Tensor {
        self.apply(Op::AllReduce { op, axis_name: axis_name.into() }, &[])
    }

    /// The sum over all participants along the axis of this name.
    #[track_caller]
    pub fn psum(&self, axis_name: &str) -> Tensor {
        self.all_reduce(ReduceOp::Sum, axis_name)
    }

    /// The arithmetic mean over all participants along the axis of this name.
    #[track_caller]
    pub fn pmean(&self, axis_name: &str) -> Tensor {
        let count = self.scalar_like(1.0).psum(axis_name);
        self.psum(axis_name).binary(BinaryOp::Div, &count)
    }

    /// The maximum over all participants along the axis of this name.
    #[track_caller]
    pub fn pmax(&self, axis_name: &str) -> Tensor {
        self.all_reduce(ReduceOp::Max, axis_name)
    }

    /// The minimum over all participants along the axis of this name.
    #[track_caller]
    pub fn pmin(&self, axis_name: &str) -> Tensor {
        self.all_reduce(ReduceOp::Min, axis_name)
    }

    /// The values of all `size` participants stacked along a new axis, or joined along that axis if `tiled`.
    #[track_caller]
    pub fn all_gather(&self, axis_name: &str, size: impl Into<Dim>, axis: usize, tiled: bool) -> Tensor {
        self.apply(Op::AllGather { axis, axis_name: axis_name.into(), size: size.into(), tiled }, &[])
    }

    /// The sum over all `size` participants, split along an axis. Each participant gets one element, so that the axis disappears,
    /// or a block of elements if `tiled`.
    #[track_caller]
    pub fn psum_scatter(&self, axis_name: &str, size: impl Into<Dim>, axis: usize, tiled: bool) -> Tensor {
        let (axis_name, size) = (axis_name.into(), size.into());
        self.apply(Op::ReduceScatter { op: ReduceOp::Sum, axis, axis_name, size, tiled }, &[])
    }

    /// Sends part i of `split_axis` to participant i, and assembles the received parts along `concat_axis`, which is a new axis
    /// that replaces the other one, or an existing axis if `tiled`.
    #[track_caller]
    pub fn all_to_all(
        &self,
        axis_name: &str,
        size: impl Into<Dim>,
        split_axis: usize,
        concat_axis: usize,
        tiled: bool,
    ) -> Tensor {
        let (axis_name, size) = (axis_name.into(), size.into());
        self.apply(Op::AllToAll { split_axis, concat_axis, axis_name, size, tiled }, &[])
    }

    /// The value of each source, sent to its target in the (source, target) pairs; zeros for a participant that is not a target.
    #[track_caller]
    pub fn ppermute(&self, axis_name: &str, pairs: &[(usize, usize)]) -> Tensor {
        let (sources, targets) = pairs.iter().copied().unzip();
        self.apply(Op::Permute { sources, targets, axis_name: axis_name.into() }, &[])
    }
}
