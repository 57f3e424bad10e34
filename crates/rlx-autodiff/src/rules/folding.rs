//! Rewrites reductions with a graph over scalars as ops that have rules, so that they can be differentiated. Owns the tree, and
//! knows which graphs are named reductions.

use super::pointwise;
use crate::error::Error;
use crate::options::Options;
use rlx_ir::{Builder, Dim, Graph, Op, ReduceOp, ScanOperands, Tensor};

/// A reduction of tensors of the same dimensions along their first axis, starting from scalar initial values.
pub(super) struct Fold<'a> {
    pub(super) builder: &'a Builder,
    pub(super) options: &'a Options,
    /// (accumulators…, elements…) to the next accumulators.
    pub(super) body: &'a Graph,
    pub(super) inits: &'a [Tensor],
}

impl Fold<'_> {
    /// Combines the elements, except those that `seen`, which has the dimensions of the tensors, excludes. The body is assumed to
    /// be associative, as the op requires.
    pub(super) fn run(&self, xs: &[Tensor], seen: Option<&Tensor>) -> Result<Vec<Tensor>, Error> {
        let Some(n) = xs[0].dim(0).as_static() else { return Ok(self.one_by_one(xs, seen)) };
        let dims = xs[0].dims()[1..].to_vec();
        let inits: Vec<Tensor> = self.inits.iter().map(|x| x.broadcast_to(&dims)).collect();
        if n == 0 {
            return Ok(inits);
        }
        let mut level = Level { xs: xs.to_vec(), seen: seen.cloned() };
        while let Some(n) = level.size().filter(|&n| n > 1) {
            let pairs = self.combine(&level.every_other(0, n / 2), &level.every_other(1, n / 2))?;
            level = if n % 2 == 0 { pairs } else { pairs.followed_by(&level.tail(n - 1)) };
        }
        let total = level.first(&dims);
        let combined = self.combine(&Level { xs: inits, seen: None }, &total)?;
        Ok(combined.xs)
    }

    /// Combines both where both are included; elsewhere takes the one that is.
    fn combine(&self, a: &Level, b: &Level) -> Result<Level, Error> {
        let args = [&a.xs[..], &b.xs].concat();
        let both = pointwise::apply(self.builder, self.options, self.body, &args)?;
        let Some(seen) = &b.seen else { return Ok(Level { xs: both, seen: None }) };
        let choose = |(both, (a_x, b_x)): (&Tensor, (&Tensor, &Tensor))| match &a.seen {
            Some(first) => first.select(&seen.select(both, a_x), b_x),
            None => seen.select(both, a_x),
        };
        let xs = both.iter().zip(a.xs.iter().zip(&b.xs)).map(choose).collect();
        Ok(Level { xs, seen: a.seen.as_ref().map(|first| first.or(seen)) })
    }

    /// [`run`](Self::run) as a loop, for a number of elements that is not known yet.
    fn one_by_one(&self, xs: &[Tensor], seen: Option<&Tensor>) -> Vec<Tensor> {
        let dims = &xs[0].dims()[1..];
        let carry: Vec<Tensor> = self.inits.iter().map(|x| x.broadcast_to(dims)).collect();
        let slices: Vec<Tensor> = xs.iter().chain(seen).cloned().collect();
        let n = xs.len();
        self.builder.scan(
            ScanOperands { consts: &[], carry: &carry, xs: &slices },
            xs[0].dim(0),
            false,
            &|b, args| match pointwise::apply(b, self.options, self.body, &args[..2 * n]) {
                Ok(next) => match args.get(2 * n) {
                    Some(seen) => next.iter().zip(args).map(|(new, old)| seen.select(new, old)).collect(),
                    None => next,
                },
                Err(e) => vec![b.error("reduce", e.to_string())],
            },
        )
    }
}

/// Partial results along axis 0.
struct Level {
    xs: Vec<Tensor>,
    /// Which of them are included; all, if `None`.
    seen: Option<Tensor>,
}

impl Level {
    fn size(&self) -> Option<usize> {
        self.xs[0].dim(0).as_static()
    }

    fn map(&self, f: impl Fn(&Tensor) -> Tensor) -> Level {
        Level { xs: self.xs.iter().map(&f).collect(), seen: self.seen.as_ref().map(&f) }
    }

    /// `count` elements from `start` on, taking every second one.
    fn every_other(&self, start: usize, count: usize) -> Level {
        self.map(|x| strided(x, start, start + 2 * count - 1, 2))
    }

    /// The elements from `start` on.
    fn tail(&self, start: usize) -> Level {
        self.map(|x| x.slice_axis(0, start, x.dim(0)))
    }

    /// The only element, without its axis.
    fn first(&self, dims: &[Dim]) -> Level {
        self.map(|x| x.reshape(dims))
    }

    fn followed_by(&self, rest: &Level) -> Level {
        let join = |(a, b): (&Tensor, &Tensor)| a.apply(Op::Concatenate { axis: 0 }, &[b]);
        Level {
            xs: self.xs.iter().zip(&rest.xs).map(join).collect(),
            seen: self.seen.iter().zip(&rest.seen).map(join).next(),
        }
    }
}

/// Elements `start..limit` along axis 0 with a step.
fn strided(x: &Tensor, start: usize, limit: usize, step: usize) -> Tensor {
    let (mut starts, mut limits) = (vec![Dim::Static(0); x.rank()], x.dims());
    let mut strides = vec![1; x.rank()];
    (starts[0], limits[0], strides[0]) = (Dim::Static(start), Dim::Static(limit), step);
    x.apply(Op::Slice { starts, limits, strides }, &[])
}

/// The named reduction of which a graph over two scalars is one step.
pub(super) fn named(body: &Graph) -> Option<ReduceOp> {
    let inputs: Vec<_> = body.inputs().map(|n| n.id()).collect();
    let ([a, b], [output]) = (&inputs[..], body.outputs()) else { return None };
    let node = body.node(*output);
    let Op::Binary { op } = node.op() else { return None };
    let all = [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min];
    let kind = all.into_iter().find(|kind| kind.binary() == Some(*op))?;
    let of_both = node.inputs() == [*a, *b] || node.inputs() == [*b, *a];
    (of_both && kind.accepts().contains(node.shape().dtype())).then_some(kind)
}
